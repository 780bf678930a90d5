#!/usr/bin/python3
"""Signed strips: strips.py QVAULT FOLDER SEEDS. Makes copies of documents of nobody, sends them through what happens to copies, and
prints how often the strip is read and what 'verify-copy' says: of the picture itself, of one with a digit changed, of another page
of the same template. Fails where it says yes and should not, or does not of a copy as it is. Needs python3-pil and python3-numpy."""

import io
import json
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
from PIL import Image, ImageFilter, ImageFont

SCRIPTS = Path(__file__).parents[1] / "Scripts"
sys.path.insert(0, str(SCRIPTS))
import documents  # noqa: E402
import leaks  # noqa: E402

QVAULT, FOLDER, SEEDS = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve(), int(sys.argv[3])
NAMES = ["card", "table", "illustrated", "statement", "statement-2", "statement-3"]


def qvault(*words):
    return subprocess.run([QVAULT, *words], capture_output=True, text=True, stdin=subprocess.DEVNULL, env=dict(os.environ, LC_ALL="C.UTF-8"))


def saved(image, quality):
    out = io.BytesIO()
    image.save(out, "JPEG", quality=quality)
    return Image.open(out).convert("RGB")


def looks(copy, seed):
    """What happens to a copy before somebody checks it."""
    width = copy.width
    yield "as it is", copy
    yield "q70", saved(copy, 70)
    yield "1,280 px, q70", saved(leaks.scaled(copy, min(width, 1280)), 70)
    yield "1,080 px wide, q70", saved(leaks.scaled(copy, 1080), 70)
    yield "two recompressions", saved(leaks.scaled(saved(leaks.scaled(copy, width * 9 // 10), 75), width * 8 // 10), 70)
    photo = leaks.lit(leaks.perspective(copy, seed), seed).filter(ImageFilter.GaussianBlur(1.0))
    yield "photo of a screen", saved(leaks.scaled(leaks.noisy(photo, 5, seed), 1400), 80)
    printed = leaks.bent(leaks.scaled(copy, width * 3 // 4).filter(ImageFilter.GaussianBlur(0.7)).convert("L").convert("RGB"))
    printed = Image.fromarray((255 * (np.asarray(printed) / 255.0) ** 0.85).astype(np.uint8))
    turned = printed.rotate(0.3 + seed * 0.5 % 1.4, Image.BICUBIC, expand=True, fillcolor=(255, 255, 255))
    yield "print and scan", saved(leaks.noisy(turned, 4, seed), 80)
    dots = leaks.halftone(copy).rotate(0.2 + seed * 0.3 % 0.9, Image.BICUBIC, expand=True, fillcolor=(255, 255, 255))
    yield "halftone print and scan", saved(leaks.noisy(dots, 3, seed), 75)


def digits(name):
    """The digits of a document's numbers: what they are, and where they stand."""
    size, lines = (58, [(480, 850, "000000 20000101 0000")]) if name == "card" else (27, [])
    first = {"statement": 0, "statement-2": 44, "statement-3": 88}.get(name, 0)
    for line in range(44 if name != "card" else 0):
        lines.append((420, 260 + 42 * line, f"6222 0000 0000 {1000 + 37 * (first + line) % 9000}"))
    font, found = ImageFont.truetype(documents.FONT, size), []
    for left, top, text in lines:
        for place, digit in enumerate(text):
            if digit != " ":
                found.append((digit, round(left + font.getlength(text[:place])), top, round(font.getlength(digit)), round(size * 1.15)))
    return found


def with_another_digit(image, name, seed):
    random, all_digits = np.random.default_rng(seed), digits(name)
    while True:
        old, new = (all_digits[i] for i in random.choice(len(all_digits), 2, replace=False))
        if old[0] != new[0]:
            break
    forged = image.copy()
    forged.paste(image.crop((new[1], new[2], new[1] + old[3], new[2] + old[4])), (old[1], old[2]))
    return forged


def said(image, name):
    """The word for the strip and for the picture by 'verify-copy', the largest difference of a cell, and the correlation of all."""
    path = FOLDER / f"{name}.jpg"
    image.save(path, quality=92)
    lines = [json.loads(line) for line in qvault("verify-copy", "--json", str(path)).stdout.splitlines()]
    path.unlink()
    return (lines[0].get("signature", "?"), lines[0].get("picture", "?"), lines[0].get("largest", 0), lines[0].get("correlation", 0)) if lines else ("none", "none", 0, 0)


def report(title, results):
    print(f"{title:48}" + "  ".join(f"{word} {sum(r == word for r in results)}" for word in sorted(set(results))) + f"  of {len(results)}", flush=True)


def main():
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    for name in ("STATE", "CONFIG", "DATA"):
        os.environ[f"XDG_{name}_HOME"] = str(FOLDER / name)
    os.environ["QVAULT_FILE"] = str(FOLDER / "v.qvault")
    os.environ["QVAULT_PASSWORD_COMMAND"] = "printf %s correct-horse-battery"
    subprocess.run([sys.executable, str(SCRIPTS / "documents.py"), str(FOLDER)], check=True)
    for number in (2, 3):
        documents.statement(44 * (number - 1)).save(FOLDER / f"statement-{number}.jpg", quality=88)
    qvault("create", "-q", str(FOLDER / "v.qvault"))
    qvault("card", "add", "-q", "text", "--title", "a", "text=x")
    copies = {}
    for name in NAMES:
        qvault("attach", "add", "-q", "a", str(FOLDER / f"{name}.jpg"))
        path = FOLDER / f"{name}-copy.jpg"
        made = qvault("share", f"{name}.jpg", "--recipient", "招商银行", "--purpose", "开户", "--until", "30d", "--json", "-o", str(path))
        facts = json.loads(made.stdout)
        copies[name] = (Image.open(path).convert("RGB"), facts["height"])
    jobs = []
    for name, (copy, _) in copies.items():
        for seed in range(1, SEEDS + 1):
            jobs += [("same", name, look, image) for look, image in looks(copy, seed)]
            if name == "card" or name.startswith("statement"):
                kind = "a digit of the card" if name == "card" else "a digit of a statement"
                forged = with_another_digit(copy, name, seed)
                jobs += [(kind, name, look, image) for look, image in looks(forged, seed) if "print" not in look]
    pages = [name for name in NAMES if name.startswith("statement")]
    for one in pages:
        for other in pages:
            if one != other:
                image, height = copies[one][0].copy(), copies[one][1]
                image.paste(copies[other][0].crop((0, 0, image.width, height)), (0, 0))
                jobs += [("another page", one, look, look_image) for look, look_image in looks(image, 1)]

    def run(place):
        kind, name, look, image = jobs[place]
        return kind, name, look, said(image, f"look-{place}")

    with ThreadPoolExecutor(2) as workers:
        results = list(workers.map(run, range(len(jobs))))
    wrong = 0
    for kind in dict.fromkeys(result[0] for result in results):
        of_kind = [result for result in results if result[0] == kind]
        print(f"\n{kind}")
        for look in dict.fromkeys(result[2] for result in of_kind):
            report("  " + look, [r[3][1] if r[3][0] == "right" else "strip " + r[3][0] for r in of_kind if r[2] == look])
        report("  all", [r[3][1] if r[3][0] == "right" else "strip " + r[3][0] for r in of_kind])
        if os.environ.get("EACH"):
            for r in of_kind:
                print("    ", *r[1:3], *r[3])
        if kind == "another page":
            wrong += sum(r[3][1] == "same" for r in of_kind)
        if kind == "same":
            wrong += sum(r[3][1] != "same" for r in of_kind if r[2] == "as it is")
    if wrong:
        sys.exit(f"strips.py: {wrong} strips were said to belong to another page, or not to their own")


if __name__ == "__main__":
    main()
