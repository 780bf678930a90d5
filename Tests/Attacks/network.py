#!/usr/bin/python3
"""What a small network leaves of a mark: network.py QVAULT FOLDER [MINUTES] [LAYOUT]. Marks documents of nobody in many ways, trains a
network on pairs of marked and clean ones for so many minutes, and lets it clean 40 shared copies of documents that it has not seen.
Prints how much ink is left, whether 'trace' names the recipient, and what 'verify-copy' says. The Python that runs it needs jax;
documents are drawn with python3-pil, python3-numpy and fonts-wqy-microhei."""

import io
import json
import os
import shutil
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
from PIL import Image

ROOT = Path(__file__).parents[2]
UNSEEN = ["id-front", "licence"]
CHANNELS, DILATIONS, SIDE, BATCH, EDGE = 24, (1, 2, 4, 8, 1), 72, 12, 32
RECIPIENTS = ["招商银行", "建设银行", "房屋中介", "电信公司", "快递公司", "物业公司", "签证处", "学校", "王女士", "李四"]
PURPOSES = ["开户", "租房", "入职", "办卡"]


def qvault(*words):
    return subprocess.run([QVAULT, *words], capture_output=True, text=True, stdin=subprocess.DEVNULL)


def must(*words):
    made = qvault(*words)
    if made.returncode:
        sys.exit(f"{' '.join(map(str, words))}: {made.stderr}")
    return made.stdout


def pixels(image):
    return np.asarray(image.convert("RGB"), np.float32) / 255


def pairs(papers):
    """Marked and clean pixels of what the network learns from: each document with six seeds."""
    for path in sorted(papers.glob("*.jpg")):
        if path.stem in UNSEEN:
            continue
        clean = np.asarray(Image.open(path).convert("RGB"))
        for seed in range(6):
            os.environ["XDG_STATE_HOME"] = str(FOLDER / f"state-{seed}")
            out = FOLDER / "pair.jpg"
            must("watermark", "file", str(path), "--recipient", RECIPIENTS[seed], "--purpose", PURPOSES[seed % 4], f"--{LAYOUT}",
                 "--allow-faint", "-q", "--force", "-o", str(out))
            yield np.asarray(Image.open(out).convert("RGB")), clean


def layers(key):
    widths = [3] + [CHANNELS] * (len(DILATIONS) - 1) + [3]
    return [
        (jax.random.normal(k, (3, 3, a, b)) * (2 / (9 * a)) ** 0.5 * (0.1 if b == 3 else 1), jnp.zeros(b))
        for k, a, b in zip(jax.random.split(key, len(DILATIONS)), widths, widths[1:])]


def cleaned(network, picture):
    """What the network makes of pictures: it adds to them what it has learned."""
    x = 2 * picture - 1
    for number, ((weights, bias), dilation) in enumerate(zip(network, DILATIONS)):
        x = jax.lax.conv_general_dilated(x, weights, (1, 1), "SAME", rhs_dilation=(dilation, dilation), dimension_numbers=("NHWC", "HWIO", "NHWC")) + bias
        if number < len(network) - 1:
            x = jax.nn.leaky_relu(x, 0.1)
    return picture + x


def loss(network, marked, clean):
    # The square: ink has few pixels, and differs by more than noise.
    return 100 * jnp.mean((cleaned(network, marked) - clean) ** 2)


@partial(jax.jit, donate_argnums=(0, 1, 2))
def step(network, first, second, count, rate, marked, clean):
    """Adam (Kingma and Ba, 2015)."""
    error, slopes = jax.value_and_grad(loss)(network, marked, clean)
    first = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, first, slopes)
    second = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, second, slopes)
    length = rate * jnp.minimum(1, count / 100) * (1 - 0.999**count) ** 0.5 / (1 - 0.9**count)
    network = jax.tree.map(lambda w, m, v: w - length * m / (jnp.sqrt(v) + 1e-8), network, first, second)
    return network, first, second, error


def trained(examples):
    random, start, part = np.random.default_rng(1), time.monotonic(), 0
    network = layers(jax.random.key(1))
    first, second, count, errors, marks = jax.tree.map(jnp.zeros_like, network), jax.tree.map(jnp.zeros_like, network), 0, [], []
    while part < 1:
        batch = []
        for _ in range(BATCH):
            marked, clean = examples[random.integers(len(examples))]
            y, x = random.integers(marked.shape[0] - SIDE), random.integers(marked.shape[1] - SIDE)
            batch.append((marked[y : y + SIDE, x : x + SIDE], clean[y : y + SIDE, x : x + SIDE]))
        marked, clean = (np.stack(part).astype(np.float32) / 255 for part in zip(*batch))
        count += 1
        network, first, second, error = step(network, first, second, count, 3e-3 * (1 - part), marked, clean)
        errors.append(float(error))
        marks.append(100 * ((marked - clean) ** 2).mean())
        part = (time.monotonic() - start) / (60 * MINUTES)
    print(f"{count} steps of {BATCH} patches; the square of what is added to a picture: {100 * np.mean(errors[-200:]) / np.mean(marks[-200:]):.0f} % are left "
          "of it in those that it learns from", flush=True)
    return network


def whole(network, picture):
    """A whole picture, in bands."""
    run, bands = jax.jit(cleaned), []
    for top in range(0, picture.shape[0], 512):
        above, below = min(EDGE, top), min(EDGE, max(0, picture.shape[0] - top - 512))
        band = np.asarray(run(network, picture[None, top - above : top + 512 + below]))[0]
        bands.append(band[above : band.shape[0] - below])
    return np.clip(np.concatenate(bands), 0, 1)


def main():
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    os.environ.update(XDG_STATE_HOME=str(FOLDER / "state"), XDG_CONFIG_HOME=str(FOLDER / "config"), QVAULT_FILE=str(FOLDER / "v.qvault"),
                      QVAULT_PASSWORD_COMMAND="printf %s correct-horse-battery", LC_ALL="C.UTF-8")
    subprocess.run(["/usr/bin/python3", str(ROOT / "Tests/Scripts/papers.py"), str(FOLDER / "papers")], check=True)
    network = trained(list(pairs(FOLDER / "papers")))
    os.environ["XDG_STATE_HOME"] = str(FOLDER / "state")
    must("create", "-q", str(FOLDER / "v.qvault"))
    must("card", "add", "-q", "text", "--title", "a", "text=x")
    left, scores, named, said = [], [], 0, {}
    for name in UNSEEN:
        must("attach", "add", "-q", "a", str(FOLDER / "papers" / f"{name}.jpg"))
        clean = pixels(Image.open(FOLDER / "papers" / f"{name}.jpg"))
        height = clean.shape[0]
        for number in range(20):
            recipient, path, leak = f"{RECIPIENTS[number % 10]}{number}", FOLDER / f"{name}-{number}.jpg", FOLDER / "leak.jpg"
            must("share", f"{name}.jpg", "--recipient", recipient, "--purpose", PURPOSES[number % 4], "--until", "30d", f"--{LAYOUT}", "--allow-faint", "-q", "-o", str(path))
            copy = pixels(Image.open(path))
            result = whole(network, copy[:height])
            added, kept = copy[:height] - clean, result - clean
            left.append((added * kept).sum() / (added * added).sum())
            Image.fromarray((result * 255 + 0.5).astype(np.uint8)).save(leak, quality=90)
            if number == 0:
                shutil.copy(leak, FOLDER / f"{name}-cleaned.jpg")
            traced = json.loads((qvault("trace", str(leak), "--json").stdout or "{}").splitlines()[0])
            scores.append(traced.get("score", 0))
            named += traced.get("verdict") == "found" and traced.get("recipient") == recipient
            # The picture that was cleaned, above the strip that it had.
            Image.fromarray((np.concatenate([result, copy[height:]]) * 255 + 0.5).astype(np.uint8)).save(leak, quality=92)
            checked = (qvault("verify-copy", str(leak), "--json").stdout or "{}").splitlines()[0]
            word = json.loads(checked).get("picture", "no strip")
            said[word] = said.get(word, 0) + 1
    print(f"ink left: {100 * np.median(left):.0f} % (the most {100 * max(left):.0f} %)\n"
          f"trace: {named} of {len(scores)} named, the least score {min(scores):.1f}, half of them above {np.median(scores):.1f}\n"
          f"strip under the cleaned picture: " + ", ".join(f"{word} {count}" for word, count in sorted(said.items())))
    if min(scores) < 6 or named < len(scores):
        sys.exit("network.py: a copy is not named")


if __name__ == "__main__":
    QVAULT, FOLDER = str(Path(sys.argv[1]).resolve()), Path(sys.argv[2]).resolve()
    MINUTES, LAYOUT = float((sys.argv[3:] or ["20"])[0]), (sys.argv[4:] or ["clear"])[0]
    main()
