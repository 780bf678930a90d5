#!/usr/bin/python3
"""Pictures made to break who reads them: bombs.py JPEG FOLDER. The JPEG is one that is sound; djpeg's kin must be there."""

import struct
import subprocess
import sys
import zlib
from pathlib import Path


def chunk(name, data):
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def png(width, height, interlaced=0, rows=b""):
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, interlaced)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b"")


def patched(data, marker, offset, new):
    """Bytes behind the first marker of a kind, counted from its length, changed."""
    at = data.index(bytes((0xFF, marker))) + 2 + offset
    return data[:at] + new + data[at + len(new):]


def many_scans(jpeg):
    """The last scan of a progressive picture 500 times more."""
    data = subprocess.run(["jpegtran", "-progressive"], input=jpeg, stdout=subprocess.PIPE, check=True).stdout
    last = data.rindex(b"\xff\xda")
    return data[:-2] + data[last:-2] * 500 + b"\xff\xd9"


def main():
    jpeg, folder = Path(sys.argv[1]).read_bytes(), Path(sys.argv[2])
    folder.mkdir()
    bombs = {
        "wide.png": png(30000, 30000, rows=bytes(90001)),
        "interlaced.png": png(29000, 4000, interlaced=1),
        "sides.png": png(70000, 1),
        "inflating.png": png(20000, 6000, rows=bytes(50_000_000)),
        "sides.jpg": patched(jpeg, 0xC0, 3, struct.pack(">HH", 65500, 65500)),
        "twelve-bits.jpg": patched(jpeg, 0xC0, 2, b"\x0c"),
        "no-table.jpg": patched(jpeg, 0xDB, 3, bytes(64)),
        "scans.jpg": many_scans(jpeg),
    }
    for name, data in bombs.items():
        (folder / name).write_bytes(data)


if __name__ == "__main__":
    main()
