#!/usr/bin/python3
"""Writes the vectors of signed strips (Spec/product/strip.md) anew: generate.py, or compares them: generate.py --check. Written from the
Spec alone. Needs python3-cryptography."""

import hashlib
import json
import sys
import zlib
from math import isqrt
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

HERE = Path(__file__).parent
ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:"
LABEL = b"quickvault/1/copy\0"


def seeded(name, count):
    """A stream of bytes that a name gives."""
    out, number = b"", 0
    while len(out) < count:
        out += hashlib.sha256(f"{name} {number}".encode()).digest()
        number += 1
    return out[:count]


def head(major, value):
    if value < 24:
        return bytes([major << 5 | value])
    size = next(k for k in range(4) if value < 1 << (8 << k))
    return bytes([major << 5 | 24 + size]) + value.to_bytes(1 << size, "big")


def encoded(item):
    if isinstance(item, int):
        return head(0, item)
    if isinstance(item, bytes):
        return head(2, len(item)) + item
    if isinstance(item, str):
        return head(3, len(item.encode())) + item.encode()
    if isinstance(item, list):
        return head(4, len(item)) + b"".join(encoded(part) for part in item)
    return head(5, len(item)) + b"".join(encoded(key) + encoded(value) for key, value in item.items())


def base45(data):
    text = ""
    for start in range(0, len(data), 2):
        pair = data[start : start + 2]
        value = int.from_bytes(pair, "big")
        for _ in range(len(pair) + 1):
            text += ALPHABET[value % 45]
            value //= 45
    return text


def packed(levels):
    levels = levels + [0] * (len(levels) % 2)
    return zlib.compress(bytes(a << 4 | b for a, b in zip(levels[::2], levels[1::2])), 9)


def facts(**changes):
    """Facts that are right, with some that are others; None takes one away."""
    levels = [value % 16 for value in seeded("levels", 120)]
    all_facts = {"share": seeded("share", 16), "recipient": "招商银行", "purpose": "开户", "day": "2026-11-28", "until": "2026-12-31", "page": None,
                 "places": [1600, 1008, 1090, 1032, 6], "cells": [12, 10, 12, 9, packed(levels)]}
    all_facts.update(changes)
    numbers = {name: number for number, name in enumerate(("share", "recipient", "purpose", "day", "until", "page", "places", "cells"))}
    return {numbers.get(name, name): value for name, value in all_facts.items() if value is not None}


KEY = Ed25519PrivateKey.from_private_bytes(seeded("key", 32))
OTHER = Ed25519PrivateKey.from_private_bytes(seeded("other key", 32))


def public_key(key):
    return key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)


def signed(data, key=KEY, version=1):
    public = public_key(key)
    return bytes([version]) + public + key.sign(LABEL + bytes([version]) + public + data) + data


def code(data):
    return "QV1:" + base45(data)


def flipped(data, place):
    return data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]


def right(name, **changes):
    wanted = facts(**changes)
    names = ["share", "recipient", "purpose", "day", "until", "page"]
    says = {"signature": "right", "public_key": public_key(KEY).hex(), "places": wanted[6], "columns": wanted[7][0], "rows": wanted[7][1],
            **{word: wanted.get(number) for number, word in enumerate(names)}}
    says["share"] = says["share"].hex()
    return {"name": name, "text": code(signed(encoded(wanted))), "says": says}


def wrong(name, text, word):
    return {"name": name, "text": text, "says": word and {"signature": word}}


def malformed(name, **changes):
    return wrong(name, code(signed(encoded(facts(**changes)))), "malformed")


def codes():
    plain = signed(encoded(facts()))
    yield right("ok")
    yield right("ok-least", recipient=None, purpose=None, until=None)
    yield right("ok-page-200", page=[200, 200])
    yield right("ok-text-200-bytes", recipient="r" * 100, purpose="用" * 33 + "p")
    yield right("ok-cells-60", cells=[60, 1, 255, 255, packed([3] * 60)])
    yield right("ok-gap-15", places=[1600, 1000, 1090, 1039, 6])
    yield right("ok-narrowest", places=[672, 700, 162, 724, 6])
    yield right("ok-large-modules", places=[30000, 20000, 20480, 20448, 112])
    yield right("ok-escapes", recipient="\x1b[31m\n\u202eevil", purpose="")
    yield wrong("not-a-strip", "https://example.com", None)
    yield wrong("not-a-strip-lower-case", code(plain).lower(), None)
    yield wrong("empty", "QV1:", "malformed")
    yield wrong("character", code(plain)[:-2] + "#" + code(plain)[-1], "malformed")
    yield wrong("length", code(plain + (b"" if len(plain) % 2 == 0 else b"\0")) + "0", "malformed")
    yield wrong("group-too-large", "QV1::::" + code(plain)[7:], "malformed")
    yield wrong("version-2", code(signed(encoded(facts()), version=2)), "newer")
    yield wrong("no-facts", code(plain[:97]), "malformed")
    yield wrong("half-a-signature", code(plain[:60]), "malformed")
    yield wrong("facts-bit", code(flipped(plain, 120)), "forged")
    yield wrong("signature-bit", code(flipped(plain, 40)), "forged")
    yield wrong("key-of-another", code(plain[:1] + public_key(OTHER) + plain[33:]), "forged")
    yield wrong("without-label", code(plain[:33] + KEY.sign(plain[:33] + plain[97:]) + plain[97:]), "forged")
    yield wrong("bytes-behind", code(signed(encoded(facts()) + b"\0")), "malformed")
    yield wrong("keys-order", code(signed(b"\xa2" + encoded(3) + encoded("2026-11-28") + encoded(0) + encoded(seeded("share", 16)))), "malformed")
    yield wrong("not-shortest", code(signed(encoded(facts(page=[7, 9])).replace(encoded(7) + encoded(9), b"\x18\x07" + encoded(9)))), "malformed")
    yield wrong("key-unknown", code(signed(encoded({**facts(), 8: 1}))), "malformed")
    for name in ("share", "day", "places", "cells"):
        yield malformed(f"no-{name}", **{name: None})
    yield malformed("share-short", share=seeded("share", 15))
    yield malformed("text-201-bytes", recipient="r" * 101, purpose="用" * 33 + "p")
    yield malformed("recipient-bytes", recipient=b"bank")
    yield malformed("day-words", day="28 Nov 2026")
    yield malformed("until-short", until="2026-12")
    yield malformed("page-0", page=[0, 2])
    yield malformed("page-201", page=[201, 201])
    yield malformed("page-behind-the-last", page=[3, 2])
    yield malformed("page-alone", page=2)
    yield malformed("day-that-is-none", day="2026-02-30")
    yield malformed("until-that-is-none", until="9999-99-99")
    yield malformed("places-four", places=[1600, 1008, 1090, 1032])
    yield malformed("places-no-width", places=[0, 1008, 1090, 1032, 6])
    yield malformed("places-no-module", places=[1600, 1008, 1090, 1032, 0])
    yield malformed("places-too-wide", places=[60001, 1008, 1090, 1032, 6])
    yield malformed("places-of-the-code", places=[486, 486, 0, 0, 6])
    yield malformed("places-beside", places=[1600, 1008, 1084, 1032, 6])
    yield malformed("places-gap-16", places=[1600, 1008, 1090, 1048, 6])
    yield malformed("places-above", places=[1600, 1008, 1090, 1031, 6])
    yield malformed("places-other-module", places=[1600, 1008, 1005, 1036, 7])
    yield malformed("places-too-narrow", places=[671, 700, 161, 724, 6])
    yield malformed("cells-no-columns", cells=[0, 3, 12, 9, packed([])])
    yield malformed("cells-59", cells=[59, 1, 12, 9, packed([1] * 59)])
    yield malformed("cells-too-many", cells=[255, 12, 12, 9, packed([1] * 3060)])
    yield malformed("cells-columns-256", cells=[256, 3, 12, 9, packed([1] * 768)])
    yield malformed("cells-more-than-the-raster", places=[1600, 20, 1090, 44, 6], cells=[20, 9, 12, 9, packed([1] * 180)])
    yield malformed("cells-step-3", cells=[12, 10, 12, 3, packed([1] * 120)])
    yield malformed("cells-low-256", cells=[12, 10, 256, 9, packed([1] * 120)])
    yield malformed("levels-missing", cells=[12, 10, 12, 9, packed([1] * 118)])
    yield malformed("levels-more", cells=[12, 10, 12, 9, packed([1] * 122)])
    yield malformed("levels-half", cells=[61, 1, 12, 9, zlib.compress(b"\x11" * 31, 9)])
    yield malformed("levels-noise", cells=[12, 10, 12, 9, seeded("noise", 20)])
    yield malformed("levels-cut", cells=[12, 10, 12, 9, packed([1] * 120)[:-1]])
    yield malformed("levels-bomb", cells=[12, 10, 12, 9, zlib.compress(bytes(200_000), 9)])


def digest(raster, width, height, count, picture):
    """Each value of the raster counts as often as there are pixels of the picture in it."""
    pixels_across = [[x for x in range(picture[0]) if x * width // picture[0] == column] for column in range(width)]
    pixels_down = [[y for y in range(picture[1]) if y * height // picture[1] == row] for row in range(height)]
    rows = min(255, height, max(1, isqrt(count * height // width)))
    columns = min(255, width, max(1, count // rows))
    means = []
    for row in range(rows):
        for column in range(columns):
            values = [raster[y * width + x] for y in range(row * height // rows, (row + 1) * height // rows) for _ in pixels_down[y]
                      for x in range(column * width // columns, (column + 1) * width // columns) for _ in pixels_across[x]]
            means.append((2 * sum(values) + len(values)) // (2 * len(values)))
    low = min(means)
    step = max(4, (max(means) - low + 14) // 15)
    return columns, rows, low, step, [(mean - low + step // 2) // step for mean in means]


def digests():
    pictures = [("noise", 40, 25, seeded("noise", 1000)), ("ramp", 64, 16, bytes(x * 4 for _ in range(16) for x in range(64))),
                ("white", 30, 40, b"\xff" * 1200), ("one-pixel", 1, 1, b"\x07"), ("line", 100, 1, seeded("line", 100)),
                ("tall", 3, 90, seeded("tall", 270)), ("of-more-pixels", 40, 25, seeded("of-more-pixels", 1000), (61, 38))]
    for name, width, height, raster, *picture in pictures:
        picture = picture[0] if picture else (width, height)
        for count in (1, 60, 300, 3000):
            columns, rows, low, step, levels = digest(raster, width, height, count, picture)
            yield {"name": f"{name}-{count}", "width": width, "height": height, "raster": raster.hex(), "picture": picture, "cells": count, "columns": columns, "rows": rows,
                   "low": low, "step": step, "levels": "".join(f"{level:x}" for level in levels)}


def main():
    changed = []
    for name, vectors in (("codes.jsonl", codes()), ("digests.jsonl", digests())):
        text = "".join(json.dumps(vector, ensure_ascii=False) + "\n" for vector in vectors)
        if "--check" not in sys.argv:
            (HERE / name).write_text(text)
        elif (HERE / name).read_text() != text:
            changed.append(name)
    if changed:
        sys.exit(f"other vectors: {', '.join(changed)}")


if __name__ == "__main__":
    main()
