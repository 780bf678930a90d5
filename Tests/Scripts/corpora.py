#!/usr/bin/python3
"""Marks every public picture: corpora.py QVAULT FOLDER (made by corpora.sh). Each is marked, and an independent decoder
finds it as large as before and not the same; or it is refused with a message. Prints what became of them; exit code 1 if
one crashed, took longer than 20 s, was left without a word, or came out unmarked. Needs python3-pil and python3-numpy."""

import collections
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from PIL import Image, ImageChops, ImageFile, ImageOps

QVAULT, FOLDER = os.path.abspath(sys.argv[1]), Path(sys.argv[2])
ImageFile.LOAD_TRUNCATED_IMAGES = False
Image.MAX_IMAGE_PIXELS = None


def shown(path):
    """A picture as a person sees it; None where this decoder cannot read it."""
    try:
        with Image.open(path) as image:
            if image.mode.startswith("I"):  # 16 bits, which it would cut off above 255
                image = Image.fromarray((np.asarray(image).astype(np.uint32) >> 8).astype(np.uint8))
            return ImageOps.exif_transpose(image.convert("RGBA"))
    except Exception:
        return None


def verdict(source, target):
    words = [QVAULT, "--lang", "en", "watermark", "file", str(source), "--text", "copy", "--size", "12", "--opacity", "0.8",
             "--force", "-o", str(target)]
    try:
        run = subprocess.run(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=20)
    except subprocess.TimeoutExpired:
        return "HANGS"
    said = run.stderr.decode(errors="replace").strip()
    if run.returncode == 11:
        return "refused: " + said.split(": ", 2)[-1].split("(")[0].split("\n")[0].strip() if said else "REFUSED WITHOUT A WORD"
    if run.returncode != 0:
        return f"ENDED WITH {run.returncode}"
    before, after = shown(source), shown(target)
    if before is None:
        return "marked; another decoder cannot read the original"
    if after is None:
        return "MARKED, AND NOBODY CAN READ IT"
    if before.size != after.size:
        return "MARKED, AND OF ANOTHER SIZE"
    if ImageChops.difference(before.convert("RGB"), after.convert("RGB")).getbbox() is None and before == after:
        return "CALLED MARKED, AND IS NOT"
    return "marked"


def main():
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        for kind in ("jpeg", "png"):
            files = sorted((FOLDER / kind).iterdir())
            verdicts = {file.name: verdict(file, Path(folder) / "out") for file in files}
            print(f"{kind}: {len(files)} pictures")
            for what, count in collections.Counter(verdicts.values()).most_common():
                print(f"  {count:4} {what}")
                if what[:2].isupper():
                    failed = True
                    print("       " + ", ".join(name for name, it in verdicts.items() if it == what))
    sys.exit(failed)


if __name__ == "__main__":
    main()
