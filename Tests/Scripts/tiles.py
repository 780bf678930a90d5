#!/usr/bin/python3
"""Writes hostile pictures: tiles.py FOLDER TILE.heic. TILE.heic is a picture of 64 by 64 pixels that heif-enc wrote.

tiles.heic        a grid of 100 by 100 tiles, all of them the one picture
few.heic          the same grid, of which one tile only is there
lying.heic        the picture, which says that it has 20,000 by 20,000 pixels
directories.tiff  8 by 8 gray pixels, and a million directories of smaller pictures behind them
pages.tiff        two pages
loop.tiff         a directory that leads to itself
"""

import struct
import sys
from pathlib import Path


def box(name, *parts):
    body = b"".join(parts)
    return struct.pack(">I", len(body) + 8) + name + body


def full(name, version, flags, *parts):
    return box(name, struct.pack(">I", version << 24 | flags), *parts)


def boxes(data, start, end):
    while start < end:
        size, name = struct.unpack(">I4s", data[start:start + 8])
        yield name, start + 8, start + size
        start += size


def inner(data, path):
    start, end = 0, len(data)
    for name in path:
        start, end = next((a, b) for kind, a, b in boxes(data, start, end) if kind == name)
        if name == b"meta":
            start += 4
    return start, end


def grid(tile, count, side=100):
    """A picture of side by side tiles, which refers to the one tile count times."""
    start, end = inner(tile, [b"meta", b"iprp", b"ipco"])
    coding = next(tile[a - 8:b] for kind, a, b in boxes(tile, start, end) if kind == b"hvcC")
    a, b = inner(tile, [b"mdat"])
    pixels = tile[a:b]
    size = lambda w, h: full(b"ispe", 0, 0, struct.pack(">II", w, h))
    layout = struct.pack(">BBBBII", 0, 1, side - 1, side - 1, 64 * side, 64 * side)

    def meta(offset):
        return full(
            b"meta", 0, 0, full(b"hdlr", 0, 0, struct.pack(">I4s", 0, b"pict"), bytes(13)),
            full(b"pitm", 0, 0, struct.pack(">H", 2)),
            full(b"iloc", 1, 0, b"\x44\0", struct.pack(">H", 2),
                 struct.pack(">HHHHII", 1, 0, 0, 1, offset, len(pixels)),
                 struct.pack(">HHHHII", 2, 1, 0, 1, 0, len(layout))),
            full(b"iinf", 0, 0, struct.pack(">H", 2),
                 full(b"infe", 2, 0, struct.pack(">HH4sB", 1, 0, b"hvc1", 0)),
                 full(b"infe", 2, 0, struct.pack(">HH4sB", 2, 0, b"grid", 0))),
            full(b"iref", 0, 0, box(b"dimg", struct.pack(">HH", 2, count), struct.pack(">H", 1) * count)),
            box(b"iprp", box(b"ipco", coding, size(64, 64), size(64 * side, 64 * side)),
                full(b"ipma", 0, 0, struct.pack(">I", 2), struct.pack(">HBBB", 1, 2, 0x81, 2), struct.pack(">HBB", 2, 1, 3))),
            box(b"idat", layout))

    kind = box(b"ftyp", b"heic", struct.pack(">I", 0), b"mif1heic")
    return kind + meta(len(kind) + len(meta(0)) + 8) + box(b"mdat", pixels)


def lying(tile):
    place = tile.index(b"ispe") + 8
    return tile[:place] + struct.pack(">II", 20000, 20000) + tile[place + 8:]


def directory(entries, following):
    rows = b"".join(struct.pack("<HHII", tag, 3 if tag != 273 else 4, 1, value) for tag, value in entries)
    return struct.pack("<H", len(entries)) + rows + struct.pack("<I", following)


GRAY = [(256, 8), (257, 8), (258, 8), (259, 1), (262, 1), (273, 8), (277, 1), (278, 8), (279, 64)]


def tiff(behind):
    """8 by 8 gray pixels; `behind` gives the directories behind the first from where they begin."""
    first = 8 + 64
    end = first + 2 + 12 * len(GRAY) + 4
    return b"II*\0" + struct.pack("<I", first) + bytes(range(64)) + behind(first, end)


def directories(count):
    def behind(first, end):
        size = 2 + 12 + 4
        small = [directory([(254, 1)], end + (i + 1) * size if i + 1 < count else 0) for i in range(count)]
        return directory(GRAY, end) + b"".join(small)
    return tiff(behind)


def main():
    folder, tile = Path(sys.argv[1]), Path(sys.argv[2]).read_bytes()
    folder.mkdir(parents=True, exist_ok=True)
    files = {
        "tiles.heic": grid(tile, 10_000), "few.heic": grid(tile, 1), "lying.heic": lying(tile),
        "directories.tiff": directories(1_000_000),
        "pages.tiff": tiff(lambda first, end: directory(GRAY, end) + directory(GRAY, 0)),
        "loop.tiff": tiff(lambda first, end: directory(GRAY, first)),
    }
    for name, data in files.items():
        (folder / name).write_bytes(data)


main()
