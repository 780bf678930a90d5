#!/usr/bin/python3
"""Photos of cards that lie on tables, as a telephone takes them, with the places of their corners: dark and light tables, skew
to 35 degrees, shade, fingers. Needs python3-pil, python3-numpy and fonts-wqy-microhei."""

import math
import random

import numpy as np
from PIL import Image, ImageDraw, ImageFilter, ImageFont

FONT = "/usr/share/fonts/truetype/wqy/wqy-microhei.ttc"
# Millimetres of a card (ISO/IEC 7810, ID-1), and of its rounded corners.
ACROSS, DOWN, ROUND = 85.6, 53.98, 3.18
TABLES = ["black", "dark wood", "light wood", "white", "cloth", "marble", "green", "lined"]
CARDS = ["id", "back", "bank", "licence"]
UNIT = 20  # pixels a millimetre of the drawn card


def font(size):
    return ImageFont.truetype(FONT, int(size * UNIT))


def card(kind, rng):
    """A card seen from above, with its rounded corners."""
    width, height = int(ACROSS * UNIT), int(DOWN * UNIT)
    grounds = {"id": (232, 240, 246), "back": (244, 238, 236), "licence": (238, 242, 236)}
    ground = grounds.get(kind) or rng.choice([(28, 60, 140), (160, 30, 44), (212, 175, 90), (24, 24, 30), (190, 196, 204)])
    image = Image.new("RGB", (width, height), ground)
    draw = ImageDraw.Draw(image)
    for line in range(0, height * 2, 18):
        wave = [(x, line - height / 2 + 30 * math.sin(x / 150 + line)) for x in range(0, width, 12)]
        draw.line(wave, fill=tuple(max(0, c - 14) for c in ground), width=2)
    dark = (30, 30, 36) if sum(ground) > 380 else (230, 230, 226)
    digits = lambda count: "".join(rng.choice("0123456789") for _ in range(count))
    if kind == "id":
        for row, text in enumerate(["姓名  样张甲", "性别  女   民族  汉", "出生  2000 年 1 月 1 日", "住址  某某省某某市样张路", "      样张小区一幢一单元"]):
            draw.text((6 * UNIT, (6 + 7.5 * row) * UNIT), text, font=font(3.2), fill=dark)
        draw.text((6 * UNIT, 45 * UNIT), "公民身份号码   " + digits(18), font=font(3.4), fill=dark)
        draw.rectangle((57 * UNIT, 8 * UNIT, 79 * UNIT, 38 * UNIT), fill=(216, 224, 232))
        draw.ellipse((63 * UNIT, 11 * UNIT, 73 * UNIT, 24 * UNIT), fill=(120, 110, 108))
        draw.pieslice((59 * UNIT, 25 * UNIT, 77 * UNIT, 51 * UNIT), 180, 360, fill=(70, 76, 90))
    elif kind == "back":
        draw.ellipse((8 * UNIT, 7 * UNIT, 24 * UNIT, 23 * UNIT), fill=(196, 60, 50))
        draw.text((30 * UNIT, 7 * UNIT), "样张国", font=font(6), fill=dark)
        draw.text((30 * UNIT, 17 * UNIT), "样张证件", font=font(8), fill=dark)
        for row, text in enumerate(["签发机关  某某市公安局", "有效期限  2020.01.01-2040.01.01"]):
            draw.text((18 * UNIT, (36 + 7 * row) * UNIT), text, font=font(3.2), fill=dark)
    elif kind == "bank":
        draw.rounded_rectangle((8 * UNIT, 20 * UNIT, 20 * UNIT, 29 * UNIT), 20, fill=(206, 184, 120))
        draw.text((8 * UNIT, 6 * UNIT), "样张银行", font=font(6), fill=dark)
        draw.text((8 * UNIT, 33 * UNIT), " ".join(digits(4) for _ in range(4)), font=font(6), fill=dark)
    else:
        draw.rectangle((0, 0, width, 9 * UNIT), fill=(60, 130, 90))
        draw.text((20 * UNIT, 2 * UNIT), "样张驾驶证", font=font(5), fill=(250, 250, 250))
        for row in range(5):
            draw.text((6 * UNIT, (13 + 7.5 * row) * UNIT), "栏目 " + digits(12), font=font(3), fill=dark)
            draw.line((5 * UNIT, (18 + 7.5 * row) * UNIT, 55 * UNIT, (18 + 7.5 * row) * UNIT), fill=(120, 160, 140), width=4)
    corners = Image.new("L", (width * 2, height * 2), 0)
    ImageDraw.Draw(corners).rounded_rectangle((0, 0, 2 * width - 1, 2 * height - 1), int(2 * ROUND * UNIT), fill=255)
    image.putalpha(corners.resize((width, height), Image.LANCZOS))
    return image


def table(kind, width, height, rng):
    seed = np.random.default_rng(rng.randrange(1 << 30))

    def noise(cell_x, cell_y):
        small = seed.random((max(2, int(height / cell_y)), max(2, int(width / cell_x))), np.float32)
        return np.asarray(Image.fromarray(small).resize((width, height), Image.BICUBIC)) - 0.5

    base = {"black": (34, 34, 36), "dark wood": (92, 58, 38), "light wood": (206, 172, 128), "white": (238, 237, 234), "cloth": (120, 128, 150),
            "marble": (198, 198, 196), "green": (70, 110, 84), "lined": (246, 246, 240)}[kind]
    picture = np.ones((height, width, 3), np.float32) * np.asarray(base, np.float32)
    if "wood" in kind:
        grain = 46 * noise(width / 2, 7) + 34 * noise(width / 3, 29)
        picture += grain[..., None] * np.asarray([1, 0.85, 0.7], np.float32)
        for plank in range(1, 4):  # joints
            row = int(height * plank / 4 + rng.randrange(-30, 30))
            picture[row:row + 4] *= 0.6
    elif kind == "cloth":
        y, x = np.mgrid[0:height, 0:width]
        picture += (16 * (np.sin(x / 2.6) * np.sin(y / 2.6)) + 30 * noise(240, 200))[..., None]
    elif kind == "marble":
        picture += (70 * np.clip(0.06 - np.abs(noise(300, 220)), 0, 1) * -12 + 16 * noise(160, 160))[..., None]
    elif kind == "lined":
        picture[::max(36, height // 34)] = (150, 180, 220)
        picture[:, width // 7:width // 7 + 3] = (220, 120, 120)
    else:
        picture += (8 * noise(90, 90))[..., None]
    image = Image.fromarray(np.clip(picture, 0, 255).astype(np.uint8))
    if rng.random() < 0.35:  # what else lies about
        draw = ImageDraw.Draw(image)
        for _ in range(2):
            x, y, turn = rng.random() * width, rng.choice([0.02, 0.93]) * height, rng.random() * 3
            long = width * 0.3
            draw.line((x, y, x + long * math.cos(turn), y + long * math.sin(turn) * 0.1), fill=tuple(rng.randrange(20, 220) for _ in range(3)), width=int(width / 60))
    turn = rng.uniform(-30, 30)
    cut = 1.55
    large = image.resize((int(width * cut), int(height * cut)), Image.BICUBIC).rotate(turn, Image.BICUBIC)
    left, top = (large.width - width) // 2, (large.height - height) // 2
    return large.crop((left, top, left + width, top + height))


def project(points, width, height, rng, skew):
    """Points of the table, in millimetres around the card's middle, as a camera sees them that looks at it at an angle."""
    tilt, side = (math.radians(rng.uniform(-skew, skew)) * part for part in (1, 0.6))
    turn = math.radians(rng.uniform(-25, 25))
    focal = 1.1 * max(width, height)
    spread = rng.uniform(0.45, 0.72) * min(width, height * ACROSS / DOWN)
    distance = focal * ACROSS / spread
    shift = rng.uniform(-0.08, 0.08) * width, rng.uniform(-0.06, 0.06) * height
    out = []
    for x, y in points:
        x, y = x * math.cos(turn) - y * math.sin(turn), x * math.sin(turn) + y * math.cos(turn)
        y, z = y * math.cos(tilt), y * math.sin(tilt)
        x, z = x * math.cos(side) + z * math.sin(side), z * math.cos(side) - x * math.sin(side)
        out.append((width / 2 + shift[0] + focal * x / (distance + z), height / 2 + shift[1] + focal * y / (distance + z)))
    return out


def coefficients(source, target):
    """PIL's numbers of the perspective that takes target points to source points."""
    rows, right = [], []
    for (u, v), (x, y) in zip(source, target):
        rows += [[x, y, 1, 0, 0, 0, -u * x, -u * y], [0, 0, 0, x, y, 1, -v * x, -v * y]]
        right += [u, v]
    return np.linalg.solve(np.asarray(rows), np.asarray(right))


def lay(photo, drawn, corners):
    edges = [(0, 0), (drawn.width, 0), (drawn.width, drawn.height), (0, drawn.height)]
    size = photo.size[0] * 2, photo.size[1] * 2
    seen = drawn.transform(size, Image.PERSPECTIVE, coefficients(edges, [(2 * x, 2 * y) for x, y in corners]), Image.BICUBIC)
    seen = seen.resize(photo.size, Image.BOX)
    shadow = Image.new("L", photo.size, 0)
    shadow.paste(seen.getchannel("A"), (photo.size[0] // 250, photo.size[0] // 200))
    shadow = shadow.filter(ImageFilter.GaussianBlur(photo.size[0] / 180)).point(lambda v: v * 0.45)
    photo = Image.composite(Image.new("RGB", photo.size, 0), photo, shadow)
    photo.paste(seen.convert("RGB"), (0, 0), seen.getchannel("A"))
    return photo


def shaded(photo, rng):
    width, height = photo.size
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    turn = rng.uniform(0, 2 * math.pi)
    along = (x / width - 0.5) * math.cos(turn) + (y / height - 0.5) * math.sin(turn)
    light = 1 + rng.uniform(0.1, 0.7) * along
    if rng.random() < 0.5:  # the shadow of a telephone
        edge = rng.uniform(-0.25, 0.25)
        light *= 1 - rng.uniform(0.2, 0.45) / (1 + np.exp(-(along - edge) * rng.uniform(12, 60)))
    picture = np.asarray(photo, np.float32) * light[..., None]
    if rng.random() < 0.3:  # a lamp
        at = rng.uniform(0.3, 0.7) * width, rng.uniform(0.3, 0.7) * height
        picture += (90 * np.exp(-((x - at[0]) ** 2 + (y - at[1]) ** 2) / (0.05 * width) ** 2))[..., None]
    return picture


def photo(seed, cards=1, skew=35, finger=None):
    """A photo, and the corners of its cards, clockwise from the upper left."""
    rng = random.Random(seed)
    width, height = rng.choice([(1600, 1200), (2048, 1536), (4032, 3024), (1512, 2016)])
    picture = table(TABLES[seed % len(TABLES)], width, height, rng)
    kind = CARDS[(seed // len(TABLES)) % len(CARDS)]
    found = []
    for number in range(cards):
        half = [(-ACROSS / 2, -DOWN / 2), (ACROSS / 2, -DOWN / 2), (ACROSS / 2, DOWN / 2), (-ACROSS / 2, DOWN / 2)]
        if cards == 2:
            half = [(x * 0.62, y * 0.62 + (number - 0.5) * 44) for x, y in half]
        # The whole card is in the picture.
        corners = next(
            all_inside for attempt in range(1000)
            if (all_inside := project(half, width, height, random.Random(seed + attempt * 1000003), skew))
            and all(0.01 * width < x < 0.99 * width and 0.01 * height < y < 0.99 * height for x, y in all_inside))
        picture = lay(picture, card(kind, rng), corners)
        found.append(corners)
    if found and (finger if finger is not None else rng.random() < 0.2):
        corners = found[0]
        side = rng.randrange(4)
        a, b = corners[side], corners[(side + 1) % 4]
        part = rng.uniform(0.3, 0.7)
        x, y = a[0] + part * (b[0] - a[0]), a[1] + part * (b[1] - a[1])
        reach = 0.07 * width
        ImageDraw.Draw(picture).ellipse((x - reach, y - reach * 0.7, x + reach, y + reach * 0.7), fill=(205, 150, 125))
    pixels = shaded(picture, rng)
    pixels += np.random.default_rng(seed).normal(0, rng.uniform(1, 5), pixels.shape[:2] + (1,))
    picture = Image.fromarray(np.clip(pixels, 0, 255).astype(np.uint8)).filter(ImageFilter.GaussianBlur(rng.uniform(0.4, 1.6) * width / 1600))
    return picture, found, rng.randrange(60, 92)

