#!/usr/bin/python3
"""Documents that attack what reads them, and readers that attack the command: documents.py QVAULT FOLDER [RUNS [SEED]]

First: sound documents of each kind with bytes changed, cut out and repeated, RUNS of each; hostile ones of pages.py and
tiles.py. Then: a decoder in the place of qvault-decode that answers RUNS changed answers of the real one. Each run has to end
with 0 or 11, within 30 s, without a file where it fails, and with a whole one where it does not. Before that, escape.c tries what a decoder that was taken over could do. Prints a line a kind; ends with
1 if one is broken. Needs qpdf, heif-enc, cwebp and python3-pil.
"""

import collections
import os
import random
import shutil
import subprocess
import sys
import time
from pathlib import Path

QVAULT, FOLDER = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
RUNS = int(sys.argv[3]) if len(sys.argv) > 3 else 100
SEED = int(sys.argv[4]) if len(sys.argv) > 4 else 1
SCRIPTS = Path(__file__).resolve().parents[1] / "Scripts"
RANDOM = random.Random(SEED)
SECONDS = 30


def run(*words):
    subprocess.run([str(word) for word in words], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def mark(qvault, source, kind):
    """Marks a document. Returns what is wrong, or None, and the exit code."""
    ending = ".pdf" if kind == "pdf" else ".jpg"
    out = FOLDER / f"out{ending}"
    out.unlink(missing_ok=True)
    try:
        done = subprocess.run([str(qvault), "watermark", "file", str(source), "--recipient", "甲", "--purpose", "乙", "--allow-faint",
                               "-o", str(out)], capture_output=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return "takes too long", None
    if done.returncode not in (0, 11):
        return f"ends with {done.returncode}: {done.stderr[:200]!r}", done.returncode
    if done.returncode == 0:
        data = out.read_bytes() if out.exists() else b""
        whole = data.startswith(b"%PDF-") and data.endswith(b"%%EOF\n") if kind == "pdf" else data.endswith(b"\xff\xd9")
        return (None if whole else "leaves no whole file"), 0
    if out.exists():
        return "leaves a file", 11
    return (None if done.stderr.startswith(b"qvault: ") else f"says nothing: {done.stderr!r}"), 11


def changed(data):
    """The same with up to eight changes."""
    data = bytearray(data)
    for _ in range(RANDOM.randint(1, 8)):
        place = RANDOM.randrange(len(data))
        count = min(RANDOM.choice([1, 2, 4, 16, 256]), len(data) - place)
        match RANDOM.randrange(6):
            case 0: data[place] ^= 1 << RANDOM.randrange(8)
            case 1: data[place:place + count] = RANDOM.randbytes(count)
            case 2: data[place:place + count] = RANDOM.choice([b"\0", b"\xff", b"\x7f"]) * count
            case 3: data[place:place] = data[place:place + count]
            case 4: del data[place:place + count]
            case 5:
                if RANDOM.random() < 0.2:
                    del data[place:]
        if not data:
            return b"%"
    return bytes(data)


def samples():
    """Sound documents, by name."""
    from PIL import Image
    folder = FOLDER / "sound"
    folder.mkdir()
    picture = Image.effect_noise((160, 120), 60).convert("RGB")
    for name in ("a.png", "a.jpg"):
        picture.save(folder / name)
    picture.resize((64, 64)).save(folder / "tile.png")
    run("heif-enc", folder / "a.png", "-o", folder / "a.heic")
    run("heif-enc", folder / "tile.png", "-o", folder / "tile.heic")
    run("cwebp", "-q", "80", folder / "a.png", "-o", folder / "lossy.webp")
    run("cwebp", "-lossless", folder / "a.png", "-o", folder / "exact.webp")
    picture.save(folder / "lzw.tiff", compression="tiff_lzw")
    picture.convert("1").save(folder / "fax.tiff", compression="group4")
    picture.save(folder / "jpeg.tiff", compression="jpeg")
    run(sys.executable, SCRIPTS / "pages.py", folder / "pages", folder / "a.jpg")
    run(sys.executable, SCRIPTS / "tiles.py", folder / "tiles", folder / "tile.heic")
    run("qpdf", "--object-streams=generate", "--pages", folder / "pages/text.pdf", "1", "--", folder / "pages/text.pdf",
        folder / "text.pdf")
    return folder, ["a.heic", "lossy.webp", "exact.webp", "lzw.tiff", "fax.tiff", "jpeg.tiff", "pages/mixed.pdf", "text.pdf",
                    "pages/script.pdf"]


def report(name, codes, broken, start):
    counts = ", ".join(f"{count} ended with {code}" for code, count in sorted(codes.items(), key=str))
    print(f"{name:<24} {sum(codes.values()):>5} runs: {counts}; {len(broken)} broken; {time.monotonic() - start:.0f} s", flush=True)
    for what, file in broken[:5]:
        print(f"  {file}: {what}")


def attack(name, data, kind, qvault=QVAULT, place=None):
    """Runs changed data: as a document, or in the place where a decoder takes its answer from."""
    start, codes, broken = time.monotonic(), collections.Counter(), []
    document = FOLDER / f"document.{kind}"
    for number in range(RUNS):
        target = place or document
        target.write_bytes(changed(data))
        what, code = mark(qvault, document, kind)
        codes[code] += 1
        if what:
            kept = FOLDER / f"broken-{name.replace('/', '-')}-{number}"
            shutil.copy(target, kept)
            broken.append((what, kept))
    report(name, codes, broken, start)
    return not broken


def hostile(folder):
    start, codes, broken = time.monotonic(), collections.Counter(), []
    for file in sorted([*(folder / "pages").iterdir(), *(folder / "tiles").iterdir()]):
        what, code = mark(QVAULT, file, file.suffix[1:])
        codes[code] += 1
        if what:
            broken.append((what, file))
    report("hostile", codes, broken, start)
    return not broken


def escapes():
    """What a decoder that was taken over can reach."""
    sources = Path(__file__).resolve().parents[2] / "Sources" / "CSystem"
    clang = Path(shutil.which("swift")).resolve().parent / "clang"
    program = FOLDER / "escape"
    run(clang, "-O1", "-I", sources / "include", "-o", program, Path(__file__).parent / "escape.c",
        *(sources / name for name in ("calls.c", "confine.c", "landlock.c", "sandbox.c", "csystem.c", "files.c", "encoding.c")), "-lseccomp", "-lpthread")
    whole = True
    for words in ([], ["render"]):
        done = subprocess.run([str(program), *words], capture_output=True, text=True)
        name = "confined" + "".join(f" to {word}" for word in words)
        if done.returncode == 77:
            print(f"{name}: this kernel has no sandbox")
            continue
        whole &= done.returncode == 0
        print(f"{name:<24} {'holds' if done.returncode == 0 else done.stdout + f'ended with {done.returncode}'}", flush=True)
    return whole


def answers(folder):
    """A command beside a decoder that gives what stands in a file, whatever it is asked."""
    place = FOLDER / "lying"
    place.mkdir()
    qvault, decoder, answer = place / "qvault", place / "qvault-decode", place / "answer"
    shutil.copy(QVAULT, qvault)
    decoder.write_text(f"#!/bin/sh\nexec cat {answer}\n")
    decoder.chmod(0o755)
    real, whole = str(QVAULT.parent / "qvault-decode"), True
    for name, words, kind in [("a.heic", ["picture"], "heic"), ("pages/scan.pdf", ["pages"], "pdf"),
                              ("text.pdf", ["pages"], "pdf"), ("text.pdf", ["render", "1", "1", "100"], "pdf")]:
        with (folder / name).open("rb") as document:
            data = subprocess.run([real, "20", *words], stdin=document, stdout=subprocess.PIPE).stdout
        shutil.copy(folder / name, FOLDER / f"document.{kind}")
        whole &= attack(f"answer to {words[0]}", data, kind, qvault, answer)
    return whole


def main():
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    os.environ["XDG_STATE_HOME"] = str(FOLDER / "state")
    folder, names = samples()
    whole = escapes() & hostile(folder)
    for name in names:
        whole &= attack(name, (folder / name).read_bytes(), name.split(".")[-1])
    whole &= answers(folder)
    return 0 if whole else 1


sys.exit(main())
