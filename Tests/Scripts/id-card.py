#!/usr/bin/python3
"""Draws an ID card of nobody, as a scanner would see it: id-card.py OUT.jpg [WIDTH]. Needs python3-pil and
fonts-wqy-microhei."""

import random
import sys

from PIL import Image, ImageDraw, ImageFilter, ImageFont

FONT = "/usr/share/fonts/truetype/wqy/wqy-microhei.ttc"
ROWS = [("姓名", "样张甲"), ("性别", "女　民族　汉"), ("出生", "2000 年 1 月 1 日"), ("住址", "某某省某某市样张路一号\n样张小区一幢一单元")]


def guilloche(draw, width, height):
    """Fine waves, as on printed paper."""
    for line in range(0, height * 2, 14):
        points = [(x, line - height / 2 + 26 * ((x / 190) % 2 - 1) * (1 if (x // 190) % 4 < 2 else -1)) for x in range(0, width, 10)]
        draw.line(points, fill=(214, 226, 236), width=2)


def portrait(draw, x, y, size):
    draw.rectangle((x, y, x + size, y + size * 1.25), fill=(233, 238, 242))
    draw.ellipse((x + size * 0.3, y + size * 0.2, x + size * 0.7, y + size * 0.66), fill=(150, 160, 170))
    draw.pieslice((x + size * 0.1, y + size * 0.72, x + size * 0.9, y + size * 1.8), 180, 360, fill=(150, 160, 170))


def main():
    width = int(sys.argv[2]) if len(sys.argv) > 2 else 1600
    height = width * 5398 // 8560
    unit = width / 1600
    card = Image.new("RGB", (width, height), (243, 247, 250))
    draw = ImageDraw.Draw(card)
    guilloche(draw, width, height)
    big, small = (ImageFont.truetype(FONT, int(size * unit)) for size in (58, 46))
    y = 110 * unit
    for label, value in ROWS:
        draw.text((110 * unit, y), label, font=small, fill=(60, 110, 170))
        draw.multiline_text((270 * unit, y - 6 * unit), value, font=big, fill=(30, 30, 34), spacing=18 * unit)
        y += 130 * unit * (1 + value.count("\n") * 0.7)
    draw.text((110 * unit, height - 150 * unit), "公民身份号码", font=small, fill=(60, 110, 170))
    draw.text((480 * unit, height - 158 * unit), "000000 20000101 0000", font=big, fill=(30, 30, 34))
    portrait(draw, 1080 * unit, 150 * unit, 400 * unit)
    # A scanner's blur and grain.
    card = card.filter(ImageFilter.GaussianBlur(0.6))
    noise = random.Random(7)
    grain = Image.frombytes("L", (width, height), bytes(noise.choices(range(118, 139), k=width * height)))
    card = Image.blend(card, Image.merge("RGB", (grain,) * 3), 0.06)
    card.save(sys.argv[1], quality=88)


if __name__ == "__main__":
    main()
