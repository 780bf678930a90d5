#!/usr/bin/python3
"""Draws documents of nobody, to be marked: documents.py FOLDER. An identity card, the same on a dark table, a page of a bank's
statement, a page with a picture. Needs python3-pil, python3-numpy and fonts-wqy-microhei."""

import subprocess
import sys
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFilter, ImageFont

FONT = "/usr/share/fonts/truetype/wqy/wqy-microhei.ttc"
RANDOM = np.random.default_rng(3)


def grained(image, amount=3):
    values = np.asarray(image).astype(float)
    return Image.fromarray(np.clip(values + RANDOM.normal(0, amount, values.shape), 0, 255).astype(np.uint8))


def clouds(width, height):
    """Light of several sizes, as in a photograph."""
    total = np.zeros((height, width, 3))
    for size in (4, 9, 24, 60, 150):
        small = RANDOM.random((max(2, height * size // width), size, 3)) * 255
        total += np.asarray(Image.fromarray(small.astype(np.uint8)).resize((width, height), Image.BICUBIC)) / size ** 0.45
    total -= total.min()
    return Image.fromarray((total / total.max() * 255).astype(np.uint8))


def statement(first=0):
    """A page of a bank's statement, with the entries from `first` on."""
    page = Image.new("RGB", (1654, 2339), (250, 250, 247))
    draw = ImageDraw.Draw(page)
    title, text = ImageFont.truetype(FONT, 52), ImageFont.truetype(FONT, 27)
    draw.text((140, 120), "样张银行 账户交易明细", font=title, fill=(25, 25, 30))
    draw.ellipse((1180, 1900, 1480, 2200), outline=(200, 40, 40), width=9)
    for line in range(44):
        y, row = 260 + 42 * line, first + line
        draw.line((140, y + 38, 1510, y + 38), fill=(190, 190, 195))
        cells = (f"2026-{row % 12 + 1:02d}-{row % 28 + 1:02d}", f"6222 0000 0000 {1000 + 37 * row % 9000}",
                 ("转账", "消费", "工资", "利息")[row % 4], f"{row * 7919 % 90000 / 100:,.2f}")
        for x, cell in zip((150, 420, 860, 1220), cells):
            draw.text((x, y), cell, font=text, fill=(30, 30, 36))
    return grained(page.filter(ImageFilter.GaussianBlur(0.5)))


def illustrated():
    page = Image.new("RGB", (1600, 1200), (255, 255, 255))
    page.paste(clouds(900, 1000), (620, 100))
    draw, font = ImageDraw.Draw(page), ImageFont.truetype(FONT, 34)
    for row in range(18):
        draw.text((80, 110 + 58 * row), f"第{row + 1}条 样张文字 {row * 31 % 97}", font=font, fill=(20, 20, 20))
    return grained(page, 2)


def main():
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run([sys.executable, str(Path(__file__).with_name("id-card.py")), str(folder / "card.jpg")], check=True)
    card = Image.open(folder / "card.jpg").convert("RGB")
    table = Image.new("RGB", (2000, 1400), (38, 30, 26))
    table.paste(card.resize((1280, 806), Image.LANCZOS).rotate(3, expand=True, fillcolor=(38, 30, 26)), (330, 270))
    grained(table).save(folder / "table.jpg", quality=90)
    statement().save(folder / "statement.jpg", quality=88)
    illustrated().save(folder / "illustrated.jpg", quality=90)


if __name__ == "__main__":
    main()
