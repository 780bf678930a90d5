#!/usr/bin/python3
"""Measures how much of a mark is left after attempts to remove it: watermark-attacks.py QVAULT ORIGINAL.jpg. Prints a table.

Left of the mark: with d = marked - original and e = result - original (lightness), the slope sum(d e) / sum(d d) over all
pixels; 100 % is all of it, 0 nothing. Kept of the picture: PSNR against the original where no stroke stands, in dB.
Needs python3-pil and python3-numpy."""

import subprocess
import sys
import tempfile
from io import BytesIO
from pathlib import Path

import numpy as np
from PIL import Image, ImageFilter

QVAULT, SOURCE = sys.argv[1:3]


def light(image):
    return np.asarray(image.convert("L"), dtype=np.float64)


def copies(count, folder):
    """Copies of one picture, each with its own jitter and another recipient."""
    for number in range(count):
        out = Path(folder) / f"{number}.jpg"
        subprocess.run([QVAULT, "watermark", "file", SOURCE, "--recipient", "甲乙丙丁戊"[number] * 3, "--purpose", "开户",
                        "-q", "-o", str(out)], check=True)
        yield Image.open(out).convert("RGB")


def recoded(image, quality):
    buffer = BytesIO()
    image.save(buffer, "JPEG", quality=quality)
    return Image.open(buffer)


def diffused(image, mask, rounds=400):
    """Pixels under the mask from those around it, as heat spreads."""
    values = light(image)
    values[mask] = values[~mask].mean()
    for _ in range(rounds):
        around = (np.roll(values, 1, 0) + np.roll(values, -1, 0) + np.roll(values, 1, 1) + np.roll(values, -1, 1)) / 4
        values[mask] = around[mask]
    return values


def main():
    original = Image.open(SOURCE).convert("RGB")
    base = light(original)
    with tempfile.TemporaryDirectory() as folder:
        made = list(copies(5, folder))
    marked = made[0]
    change = light(marked) - base
    strokes = np.abs(change) > 8
    lights = [light(copy) for copy in made]
    size = original.size
    attempts = {
        "none": light(marked),
        "JPEG, quality 30": light(recoded(marked, 30)),
        "half size and back": light(marked.resize((size[0] // 2, size[1] // 2), Image.LANCZOS).resize(size, Image.LANCZOS)),
        "blur, 2 pixels": light(marked.filter(ImageFilter.GaussianBlur(2))),
        "median, 5 by 5": light(marked.filter(ImageFilter.MedianFilter(5))),
        "median, 9 by 9": light(marked.filter(ImageFilter.MedianFilter(9))),
        "two copies averaged": sum(lights[:2]) / 2,
        "five copies averaged": sum(lights) / 5,
        "two copies, the lighter of each pixel": np.maximum(*lights[:2]),
        "five copies, the lighter of each pixel": np.maximum.reduce(lights),
        "five copies, the median of each pixel": np.median(lights, axis=0),
        "all that is lighter than ink on paper made white": np.where(light(marked) > 120, 245, light(marked)),
        "strokes filled in from around them, their places known": diffused(marked, strokes),
    }
    print("| attempt | left of the mark | kept of the picture |")
    print("|---|---|---|")
    for name, result in attempts.items():
        left = (change * (result - base)).sum() / (change * change).sum()
        error = ((result - base)[~strokes] ** 2).mean()
        kept = "all" if error < 0.05 else f"{10 * np.log10(255 ** 2 / error):.0f} dB"
        print(f"| {name} | {100 * left:.0f} % | {kept} |")


if __name__ == "__main__":
    main()
