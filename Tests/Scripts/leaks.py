#!/usr/bin/python3
"""Makes leaks of a marked copy: leaks.py COPY ORIGINAL FOLDER. Prints their names. Needs python3-pil and python3-numpy."""

import sys
from pathlib import Path

import numpy as np
from PIL import Image, ImageFilter


def noisy(image, amount, seed):
    values = np.asarray(image).astype(float)
    return Image.fromarray(np.clip(values + np.random.default_rng(seed).normal(0, amount, values.shape), 0, 255).astype(np.uint8))


def scaled(image, width):
    return image.resize((width, round(image.height * width / image.width)), Image.LANCZOS)


def perspective(image, seed):
    """Seen from one side, on a gray table."""
    width, height = image.size
    shifts = np.random.default_rng(seed).uniform(0.01, 0.07, 8) * min(width, height)
    rows, goals = [], []
    targets = [(shifts[0], shifts[1]), (width - shifts[2], shifts[3]), (width - shifts[4], height - shifts[5]), (shifts[6], height - shifts[7])]
    for (u, v), (x, y) in zip([(0, 0), (width, 0), (width, height), (0, height)], targets):
        rows += [[x, y, 1, 0, 0, 0, -u * x, -u * y], [0, 0, 0, x, y, 1, -v * x, -v * y]]
        goals += [u, v]
    return image.transform(image.size, Image.PERSPECTIVE, np.linalg.solve(np.array(rows), np.array(goals)), Image.BICUBIC,
                           fillcolor=(120, 120, 118))


def lit(image, seed):
    """Light from one corner."""
    values = np.asarray(image).astype(float)
    height, width = values.shape[:2]
    x, y = np.meshgrid(np.linspace(0, 1, width), np.linspace(0, 1, height))
    slope = np.random.default_rng(seed).uniform(-0.25, 0.25, 2)
    return Image.fromarray(np.clip(values * (0.85 + slope[0] * (x - 0.5) + slope[1] * (y - 0.5))[..., None], 0, 255).astype(np.uint8))


def bent(image):
    """What a printer and a scanner do to lines: a slow wave of a pixel."""
    values = np.asarray(image)
    height, width = values.shape[:2]
    rows = (np.arange(height) + 1.2 * np.sin(np.arange(height) / height * 9)).round().astype(int).clip(0, height - 1)
    return Image.fromarray(values[rows])


def leaks(copy, original, seed):
    width, height = copy.size
    yield "q70", copy, 70
    yield "turned by 7 degrees", copy.rotate(7, Image.BICUBIC, expand=True, fillcolor=(255, 255, 255)), 80
    yield "gray", copy.convert("L").convert("RGB"), 85
    screen = Image.new("RGB", (width + 200, height + 160), (32, 32, 36))
    screen.paste(copy, (100, 90))
    yield "screenshot", screen, 90
    yield "1280 px, q70", scaled(copy, min(width, 1280)), 70
    left, top = np.random.default_rng(seed).integers(0, [width // 2, height // 2])
    yield "crop to 25 %", copy.crop((left, top, left + width // 2, top + height // 2)), 80
    yield "800 px, q60", scaled(copy, 800), 60
    photo = lit(perspective(copy, seed), seed).filter(ImageFilter.GaussianBlur(1.0))
    yield "phone photo, simulated", scaled(noisy(photo, 5, seed), 1400), 80
    printed = bent(scaled(copy, width * 3 // 4).filter(ImageFilter.GaussianBlur(0.7)).convert("L").convert("RGB"))
    printed = Image.fromarray((255 * (np.asarray(printed) / 255.0) ** 0.85).astype(np.uint8))
    yield "print and scan, simulated", noisy(printed.rotate(1.3, Image.BICUBIC, expand=True, fillcolor=(255, 255, 255)), 4, seed), 80
    values, base = np.asarray(copy).astype(int), np.asarray(original.resize(copy.size)).astype(int)
    touched = np.abs(values - base).max(axis=2, keepdims=True) > 5
    yield "mark painted out", Image.fromarray(np.where(touched, base, values).astype(np.uint8)), 90


def main():
    copy, original, folder = Path(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3])
    folder.mkdir(parents=True, exist_ok=True)
    seed = sum(copy.read_bytes()[-64:])
    for number, (name, image, quality) in enumerate(leaks(Image.open(copy).convert("RGB"), Image.open(original).convert("RGB"), seed)):
        image.save(folder / f"{number}.jpg", quality=quality)
        print(name)


if __name__ == "__main__":
    main()
