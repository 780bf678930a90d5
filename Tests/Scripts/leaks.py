#!/usr/bin/python3
"""Makes leaks of a marked copy: leaks.py COPY ORIGINAL FOLDER. Prints their names. Needs python3-pil and python3-numpy."""

import io
import sys
from pathlib import Path

import numpy as np
from PIL import Image, ImageFilter, ImageOps


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
    yield from harder_leaks(copy, original, seed)


def halftone(image, pitch=4):
    """Dots of one ink, turned by 45 degrees, as a laser printer sets them."""
    gray = np.asarray(image.convert("L")).astype(float)
    y, x = np.mgrid[: gray.shape[0], : gray.shape[1]]
    screen = 127.5 + 63 * (np.cos((x + y) * np.pi / pitch) + np.cos((x - y) * np.pi / pitch))
    return Image.fromarray(np.where(gray > screen, 255, 0).astype(np.uint8)).filter(ImageFilter.GaussianBlur(1.2)).convert("RGB")


def painted(image, part, seed):
    """Blots of one gray until so much of the picture is under them."""
    random, (width, height) = np.random.default_rng(seed), image.size
    values, hidden = np.asarray(image).copy(), np.zeros((height, width), bool)
    while hidden.mean() < part:
        wide, high = random.integers(width // 12, width // 5), random.integers(height // 12, height // 5)
        left, top = random.integers(0, width - wide), random.integers(0, height - high)
        hidden[top : top + high, left : left + wide] = True
    values[hidden] = (205, 203, 198)
    return Image.fromarray(values)


def between_classes(lightness):
    """The level that parts light from dark best (Otsu, 1979)."""
    counts = np.bincount(lightness.ravel(), minlength=256).astype(float)
    below, sums = np.cumsum(counts), np.cumsum(counts * np.arange(256))
    above = below[-1] - below
    means = sums / np.maximum(below, 1), (sums[-1] - sums) / np.maximum(above, 1)
    return int(np.argmax(below * above * (means[0] - means[1]) ** 2))


def harder_leaks(copy, original, seed):
    width, height = copy.size
    random = np.random.default_rng(seed)
    again = io.BytesIO()
    scaled(copy, width * 9 // 10).save(again, "JPEG", quality=75)
    yield "two recompressions", scaled(Image.open(again), width * 8 // 10), 70
    yield "halftone print and scan, simulated", noisy(halftone(scaled(copy, width)).rotate(0.8, Image.BICUBIC, expand=True, fillcolor=(255, 255, 255)), 3, seed), 80
    yield "dithered to 8 colours", copy.quantize(8, dither=Image.FLOYDSTEINBERG).convert("RGB"), 90
    yield "sharpened again", scaled(copy, 1000).filter(ImageFilter.UnsharpMask(2, 180, 2)), 80
    yield "quarter turn", copy.transpose(Image.ROTATE_90), 80
    yield "400 px", scaled(copy, 400), 80
    lightness = np.asarray(copy.convert("L"))
    yield "threshold", Image.fromarray(np.where(lightness > between_classes(lightness), 255, 0).astype(np.uint8)).convert("RGB"), 90
    wide, high = width * 3 // 10, height * 3 // 10
    left, top = random.integers(0, width - wide), random.integers(0, height - high)
    yield "crop to 9 %", copy.crop((left, top, left + wide, top + high)), 85
    cut = Image.new("RGB", (width, height), (255, 255, 255))
    wide, high = width * 6 // 10, height * 6 // 10
    left, top = random.integers(0, width - wide), random.integers(0, height - high)
    cut.paste(copy.crop((left, top, left + wide, top + high)), (left, top))
    yield "cut out on white", cut, 85
    yield "40 % painted over", painted(copy, 0.4, seed), 85
    # The row with most to read, as high as a number and its surroundings.
    high = height * 9 // 100
    edges = np.abs(np.diff(np.asarray(original.resize(copy.size).convert("L")).astype(float), axis=1)).sum(axis=1)
    top = int(np.argmax(np.convolve(edges, np.ones(high), "valid")))
    yield "strip of one row", copy.crop((width // 10, top, width * 9 // 10, top + high)), 85
    yield "mirrored", copy.transpose(Image.FLIP_LEFT_RIGHT), 85
    yield "inverted", ImageOps.invert(copy), 85


def main():
    copy, original, folder = Path(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3])
    folder.mkdir(parents=True, exist_ok=True)
    seed = sum(copy.read_bytes()[-64:])
    for number, (name, image, quality) in enumerate(leaks(Image.open(copy).convert("RGB"), Image.open(original).convert("RGB"), seed)):
        image.save(folder / f"{number}.jpg", quality=quality)
        print(name)


if __name__ == "__main__":
    main()
