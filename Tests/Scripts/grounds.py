#!/usr/bin/python3
"""Writes a PNG to be marked: grounds.py OUT KIND WIDTH HEIGHT DRAWING [CHUNK=HEX...]. Needs only Python."""

import random
import struct
import sys
import zlib

OUT, KIND, WIDTH, HEIGHT, DRAWING = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), sys.argv[5]
MORE = [word.split("=") for word in sys.argv[6:]]
RANDOM = random.Random(5)


def light(x, y):
    card = WIDTH // 5 < x < WIDTH * 4 // 5 and HEIGHT // 5 < y < HEIGHT * 4 // 5
    return {
        "white": 255, "black": 0, "gray": 128, "nearly-white": 225,
        "dark-table": 245 if card else 25, "halves": 255 if x < WIDTH // 2 else 0, "stripes": 30 if y // 9 % 4 == 0 else 235,
        "hidden": 255, "clear": 255}.get(DRAWING)


def pixel(x, y):
    value = light(x, y)
    if value is None:
        value = RANDOM.randrange(256)
    if KIND == "rgba":
        if DRAWING in ("hidden", "clear"):
            is_clear = y > HEIGHT // 4
            colour = (y * 7 % 256, 30, 60) if is_clear and DRAWING == "hidden" else (255, 255, 255)
            return bytes(colour) + (b"\0" if is_clear else b"\xff")
        return bytes((value, value, value, 255))
    wide = struct.pack(">H", value * 257)
    return {"gray": bytes((value,)), "rgb": bytes((value,) * 3), "gray16": wide, "rgb16": wide * 3,
            "palette": bytes((value,))}[KIND]


def chunk(name, data):
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


TYPES = {"gray": (8, 0), "gray16": (16, 0), "rgb": (8, 2), "rgb16": (16, 2), "palette": (8, 3), "rgba": (8, 6)}
rows = b"".join(b"\0" + b"".join(pixel(x, y) for x in range(WIDTH)) for y in range(HEIGHT))
more = b"".join(chunk(name.encode(), bytes.fromhex(body)) for name, body in MORE)
palette = chunk(b"PLTE", b"".join(bytes((i,) * 3) for i in range(256))) if KIND == "palette" else b""
with open(OUT, "wb") as out:
    header = struct.pack(">IIBBBBB", WIDTH, HEIGHT, *TYPES[KIND], 0, 0, 0)
    out.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + more + palette + chunk(b"IDAT", zlib.compress(rows, 1)) + chunk(b"IEND", b""))
