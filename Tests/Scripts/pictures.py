#!/usr/bin/python3
"""Writes PNGs of every kind of pixels, plain and interlaced, with nothing but zlib: FOLDER/NAME.png, and FOLDER/NAME.rgb
with what a person sees, red, green and blue, transparent pixels over white. With WIDTH and HEIGHT one gray picture,
FOLDER/plain.png. usage: pictures.py FOLDER [WIDTH HEIGHT]"""

import struct
import sys
import zlib
from pathlib import Path

WIDTH, HEIGHT = 13, 7
ADAM7 = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]


def sample(x, y, channel, depth):
    return (x * 19 + y * 53 + channel * 101) * 257 % (1 << depth)


def seen(value, depth, alpha=None):
    value = round(value * 255 / ((1 << depth) - 1))
    return value if alpha is None else round((value * alpha + 255 * (255 - alpha)) / 255)


PALETTE = [((37 * i) % 256, (91 * i) % 256, (173 * i) % 256, 255 - 16 * i) for i in range(16)]


def pixel(kind, depth, x, y):
    """The samples of a pixel, and its colour."""
    if kind == 3:
        index = (x + 3 * y) % min(16, 1 << depth)
        *colour, alpha = PALETTE[index]
        return [index], [seen(c, 8, alpha) for c in colour]
    channels = {0: 1, 2: 3, 4: 2, 6: 4}[kind]
    samples = [sample(x, y, c, depth) for c in range(channels)]
    alpha = seen(samples[-1], depth) if kind in (4, 6) else None
    colours = samples[:1] * 3 if kind in (0, 4) else samples[:3]
    return samples, [seen(c, depth, alpha) for c in colours]


def row(kind, depth, xs, y):
    bits = "".join(format(s, f"0{depth}b") for x in xs for s in pixel(kind, depth, x, y)[0])
    bits += "0" * (-len(bits) % 8)
    return b"\0" + int(bits, 2).to_bytes(len(bits) // 8, "big")


def chunk(name, data):
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def png(kind, depth, interlaced):
    data = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", WIDTH, HEIGHT, depth, kind, 0, 0, interlaced))
    if kind == 3:
        data += chunk(b"PLTE", bytes(c for p in PALETTE[: 1 << depth] for c in p[:3]))
        data += chunk(b"tRNS", bytes(p[3] for p in PALETTE[: 1 << depth]))
    passes = ADAM7 if interlaced else [(0, 0, 1, 1)]
    rows = b"".join(
        row(kind, depth, range(x, WIDTH, dx), y1)
        for x, y, dx, dy in passes for y1 in range(y, HEIGHT, dy) if x < WIDTH)
    return data + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def main():
    folder = Path(sys.argv[1])
    if len(sys.argv) > 2:
        width, height = map(int, sys.argv[2:])
        head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
        rows = zlib.compress((b"\0" + b"\x80" * width) * height)
        data = chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")
        (folder / "plain.png").write_bytes(b"\x89PNG\r\n\x1a\n" + data)
        return
    for kind, depths in {0: (1, 2, 4, 8, 16), 2: (8, 16), 3: (1, 2, 4, 8), 4: (8, 16), 6: (8, 16)}.items():
        for depth in depths:
            colours = bytes(c for y in range(HEIGHT) for x in range(WIDTH) for c in pixel(kind, depth, x, y)[1])
            for interlaced in (0, 1):
                name = f"{kind}-{depth}-{interlaced}"
                (folder / f"{name}.png").write_bytes(png(kind, depth, interlaced))
                (folder / f"{name}.rgb").write_bytes(colours)


if __name__ == "__main__":
    main()
