#!/usr/bin/python3
"""Checks signed strips (Spec/product/strip.md), without a line of qvault.

    strip_reader.py vectors FOLDER     reads the vectors, and says which it reads otherwise
    strip_reader.py check COPY         checks the strip of a copy that is as it was sent; needs python3-pil and zbar-tools

Needs python3-cryptography."""

import datetime
import hashlib
import json
import re
import subprocess
import sys
import zlib
from math import isqrt
from pathlib import Path

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

DIGITS = {sign: number for number, sign in enumerate("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:")}
DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
MODULES, MARGIN = 81, 4


class Malformed(Exception):
    """No strip that this program reads."""


def bytes_of(text):
    if any(sign not in DIGITS for sign in text) or len(text) % 3 == 1:
        raise Malformed("no base45")
    out = b""
    for start in range(0, len(text), 3):
        group = text[start : start + 3]
        value = sum(DIGITS[sign] * 45**place for place, sign in enumerate(group))
        try:
            out += value.to_bytes(len(group) - 1, "big")
        except OverflowError:
            raise Malformed("a group that is too large") from None
    return out


class Items:
    """Deterministic CBOR, as far as facts need it."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, count):
        if len(self.data) - self.at < count:
            raise Malformed("ends too early")
        self.at += count
        return self.data[self.at - count : self.at]

    def item(self):
        first = self.take(1)[0]
        major, value = first >> 5, first & 31
        if value > 27:
            raise Malformed("an indefinite length")
        if value >= 24:
            size = 1 << (value - 24)
            value = int.from_bytes(self.take(size), "big")
            if value < (24 if size == 1 else 1 << (4 * size)):
                raise Malformed("longer than needed")
        if major == 0:
            return value
        if major == 2:
            return self.take(value)
        if major == 3:
            try:
                return self.take(value).decode()
            except UnicodeDecodeError:
                raise Malformed("no UTF-8") from None
        if major == 4:
            return [self.item() for _ in range(min(value, len(self.data)))]
        if major != 5:
            raise Malformed("a type that facts do not have")
        table, last = {}, b""
        for _ in range(value):
            start = self.at
            key = self.item()
            encoding = self.data[start : self.at]
            if (len(encoding), encoding) <= (len(last), last):
                raise Malformed("keys out of order")
            table[key] = self.item()
            last = encoding
        return table


def need(condition):
    if not condition:
        raise Malformed("facts that are none")


def cells_of(columns, rows, low, step, data):
    need(all(isinstance(number, int) for number in (columns, rows, low, step)) and isinstance(data, bytes))
    need(1 <= columns <= 255 and 1 <= rows <= 255 and 60 <= columns * rows <= 3000 and low <= 255 and 4 <= step <= 255)
    try:
        unpacker = zlib.decompressobj()
        pairs = unpacker.decompress(data, 2000)
    except zlib.error:
        raise Malformed("levels that do not unpack") from None
    levels = [half for pair in pairs for half in (pair >> 4, pair & 15)]
    need(unpacker.eof and len(pairs) == (columns * rows + 1) // 2 and (len(levels) == columns * rows or levels[-1] == 0))
    return levels[: columns * rows]


def is_day(text):
    try:
        return DAY.fullmatch(text) is not None and datetime.date.fromisoformat(text) is not None
    except ValueError:
        return False


def raster_sides(width, height):
    longer = max(width, height)
    return [side if longer <= 640 else max(1, (side * 640 + longer // 2) // longer) for side in (width, height)]


def facts_of(data):
    items = Items(data)
    table = items.item()
    need(isinstance(table, dict) and items.at == len(data) and set(table) <= set(range(8)) and {0, 3, 6, 7} <= set(table))
    need(isinstance(table[0], bytes) and len(table[0]) == 16)
    texts = [table[key] for key in (1, 2, 3, 4) if key in table]
    need(all(isinstance(text, str) for text in texts))
    need(len(table.get(1, "").encode()) + len(table.get(2, "").encode()) <= 200)
    need(all(is_day(table[key]) for key in (3, 4) if key in table))
    page = table.get(5, [1, 1])
    need(isinstance(page, list) and len(page) == 2 and all(isinstance(number, int) for number in page) and 1 <= page[0] <= page[1] <= 200)
    places = table[6]
    need(isinstance(places, list) and len(places) == 5 and all(isinstance(number, int) and number <= 60000 for number in places))
    width, height, left, top, module = places
    need(height > 0 and width >= 672 and module == max(6, (width + 269) // 270))
    need(left == width - (MODULES + MARGIN) * module and 0 <= top - height - MARGIN * module <= 15)
    need(isinstance(table[7], list) and len(table[7]) == 5)
    levels = cells_of(*table[7])
    across, down = raster_sides(width, height)
    need(table[7][0] <= across and table[7][1] <= down)
    return table, levels


def read(text):
    """What the text of a code says; None if it is no strip's."""
    if not text.startswith("QV1:"):
        return None
    try:
        data = bytes_of(text[4:])
        need(len(data) > 0)
        if data[0] != 1:
            return {"signature": "newer"}
        need(len(data) > 97)
        key, signature, facts = data[1:33], data[33:97], data[97:]
        try:
            Ed25519PublicKey.from_public_bytes(key).verify(signature, b"quickvault/1/copy\0\x01" + key + facts)
        except (InvalidSignature, ValueError):
            return {"signature": "forged"}
        table, levels = facts_of(facts)
    except Malformed:
        return {"signature": "malformed"}
    return {"signature": "right", "public_key": key.hex(), "places": table[6], "columns": table[7][0], "rows": table[7][1], "share": table[0].hex(),
            "recipient": table.get(1), "purpose": table.get(2), "day": table[3], "until": table.get(4), "page": table.get(5),
            "low": table[7][2], "step": table[7][3], "levels": levels}


def counts_of(pixels, count):
    """How many of a picture's columns or rows each of a raster's stands for."""
    starts = [(place * pixels + count - 1) // count for place in range(count + 1)]
    return [end - start for start, end in zip(starts, starts[1:])]


def means_of(raster, width, height, columns, rows, picture):
    across, down, means = counts_of(picture[0], width), counts_of(picture[1], height), []
    for row in range(rows):
        ys = range(row * height // rows, (row + 1) * height // rows)
        for column in range(columns):
            xs = range(column * width // columns, (column + 1) * width // columns)
            count = sum(across[x] for x in xs) * sum(down[y] for y in ys)
            total = sum(down[y] * sum(across[x] * raster[y * width + x] for x in xs) for y in ys)
            means.append((2 * total + count) // (2 * count))
    return means


def digest(raster, width, height, count, picture):
    rows = min(255, height, max(1, isqrt(count * height // width)))
    columns = min(255, width, max(1, count // rows))
    means = means_of(raster, width, height, columns, rows, picture)
    low, step = min(means), max(4, (max(means) - min(means) + 14) // 15)
    return columns, rows, low, step, [(mean - low + step // 2) // step for mean in means]


def raster_of(image, width, height):
    """The lightness of the picture in the upper left of an image, made small."""
    sides = raster_sides(width, height)
    columns = [x * sides[0] // width for x in range(width)]
    sums, counts = [0] * (sides[0] * sides[1]), [0] * (sides[0] * sides[1])
    pixels = image.load()
    for y in range(height):
        start = y * sides[1] // height * sides[0]
        for x in range(width):
            red, green, blue = pixels[x, y]
            sums[start + columns[x]] += int(0.299 * red + 0.587 * green + 0.114 * blue + 0.5)
            counts[start + columns[x]] += 1
    return [(2 * total + count) // (2 * count) for total, count in zip(sums, counts)], sides[0], sides[1]


def vectors(folder):
    wrong = 0
    for line in (folder / "codes.jsonl").read_text().splitlines():
        vector = json.loads(line)
        says = read(vector["text"])
        said = says and {word: says[word] for word in (vector["says"] or says) if word in says}
        if said != vector["says"]:
            print(f"{vector['name']}: {said}")
            wrong += 1
    for line in (folder / "digests.jsonl").read_text().splitlines():
        vector = json.loads(line)
        found = digest(bytes.fromhex(vector["raster"]), vector["width"], vector["height"], vector["cells"], vector["picture"])
        if found != (vector["columns"], vector["rows"], vector["low"], vector["step"], [int(level, 16) for level in vector["levels"]]):
            print(f"{vector['name']}: other cells")
            wrong += 1
    return 1 if wrong else 0


def check(path):
    from PIL import Image

    # zbarimg ends each code with a line feed; a strip's code has none in it.
    codes = subprocess.run(["zbarimg", "-q", "--raw", "-Sdisable", "-Sqrcode.enable", str(path)], capture_output=True, text=True).stdout.splitlines()
    strips = [says for says in map(read, codes) if says]
    if not strips:
        print(f"{path}: no strip")
        return 10
    worst = 0
    for says in strips:
        if says["signature"] != "right":
            print(f"{path}: the signature is {says['signature']}")
            worst = 6
            continue
        width, height = says["places"][:2]
        raster, across, down = raster_of(Image.open(path).convert("RGB"), width, height)
        means = means_of(raster, across, down, says["columns"], says["rows"], (width, height))
        far = [abs(mean - says["low"] - says["step"] * level) - says["step"] / 2 for mean, level in zip(means, says["levels"])]
        # Decoders round differently, and coding anew changes a little.
        changed = [place for place, distance in enumerate(far) if distance > 2 + says["step"] / 4]
        print(f"{path}: signed by {hashlib.sha256(bytes.fromhex(says['public_key'])).hexdigest()} for {says['recipient']!r}, {says['purpose']!r}, "
              f"on {says['day']} until {says['until']}; cells that differ: {len(changed)} of {len(far)}")
        worst = max(worst, 6 if changed else 0)
    return worst


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] not in ("vectors", "check"):
        sys.exit(__doc__)
    sys.exit(vectors(Path(sys.argv[2])) if sys.argv[1] == "vectors" else check(Path(sys.argv[2])))
