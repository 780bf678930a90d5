#!/usr/bin/python3
"""Computes the worked values of Spec/product/watermark.md from its section 3 alone: watermark-geometry.py [--check]. Without
--check the page is written anew."""

import hashlib
import hmac
import math
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "Scripts"))
import dense_layout  # noqa: E402

PAGE = Path(__file__).resolve().parents[2] / "Spec" / "product" / "watermark.md"
SEED, ORIGINAL, SHARE = bytes(range(32)), b"\x11" * 16, b"\x22" * 16
WIDTH, HEIGHT, DRAWING, LINES, LINE_WIDTH = 1200, 800, (420, 330), 3, 380


def mac(key, data):
    return hmac.new(key, data, hashlib.sha256).digest()


def half_up(value):
    """To the nearest whole number, halves away from zero."""
    return int(math.copysign(math.floor(abs(value) + 0.5), value))


lattice_key = mac(SEED, b"quickvault/1/lattice\0" + ORIGINAL)
share_key = mac(SEED, b"quickvault/1/share\0" + SHARE)


def number(key, index):
    return int.from_bytes(mac(key, index.to_bytes(4, "big"))[:4], "big") / 2**32


def L(index):
    return number(lattice_key, index)


def S(index):
    return number(share_key, index)


def places(em, angle, a, b):
    most = min(2, em / 40)
    shift = 2 * most * (S(2) - 0.5), 2 * most * (S(3) - 0.5)
    reach = WIDTH + HEIGHT + 2 * sum(DRAWING)
    assert reach / a * (reach / b) <= 20000
    sine, cosine = math.sin(math.radians(angle)), math.cos(math.radians(angle))
    columns, rows = int(reach / a / 2) + 1, int(reach / b / 2) + 1
    for r in range(-rows, rows + 1):
        for c in range(-columns, columns + 1):
            place = ((r + 2**14) << 16 | (c + 2**14)) % 2**32
            u = c * a + (a / 2 if r % 2 else 0) + a * L(1) + 0.12 * em * (L(place) - 0.5)
            v = r * b + b * L(2)
            x, y = WIDTH / 2 + u * cosine + v * sine, HEIGHT / 2 - u * sine + v * cosine
            wave_x = math.sin(2 * math.pi * (L(3) + (1 + L(4)) * y / HEIGHT))
            wave_y = math.sin(2 * math.pi * (L(5) + (1 + L(6)) * x / WIDTH))
            corner = half_up(x + wave_x + shift[0] - DRAWING[0] / 2), half_up(y + wave_y + shift[1] - DRAWING[1] / 2)
            if corner[0] < WIDTH and corner[1] < HEIGHT and corner[0] + DRAWING[0] > 0 and corner[1] + DRAWING[1] > 0:
                yield corner


def values():
    em = max(14, min(WIDTH, HEIGHT) / 22)
    angle = 30 + 4 * (L(0) - 0.5) + 0.1 * (S(0) - 0.5)
    a = 16 * em
    while a < LINE_WIDTH + 1.5 * em:
        a *= 2
    b = (1.4 * LINES + 1.5) * em
    yield "seed", SEED.hex()
    yield "original id", ORIGINAL.hex()
    yield "share id", SHARE.hex()
    yield "lattice key", lattice_key.hex()
    yield "share key", share_key.hex()
    yield "L(0) to L(6)", " ".join(f"{L(i):.9f}" for i in range(7))
    yield "S(0) to S(3)", " ".join(f"{S(i):.9f}" for i in range(4))
    yield "em", f"{em:.6f}"
    yield "angle", f"{angle:.6f}"
    yield "opacity", f"{0.3 * (1 + 0.04 * (S(1) - 0.5)):.6f}"
    yield "a", f"{a:.6f}"
    yield "b", f"{b:.6f}"
    yield "corners", " ".join(f"{x},{y}" for x, y in places(em, angle, a, b))


def dense_values():
    layout = dense_layout.Layout(lattice_key, WIDTH, HEIGHT, "dense")
    across, down, side = dense_layout.grid(WIDTH, HEIGHT)
    chips = dense_layout.chips(share_key, WIDTH, HEIGHT)
    yield "noise", layout.noise.reshape(-1)[:16].tobytes().hex()
    yield "L(10) to L(13)", " ".join(f"{L(i):.9f}" for i in range(10, 14))
    yield "dense em", f"{layout.em:.6f}"
    yield "dense angle", f"{layout.angle:.6f}"
    yield "pitches", f"{layout.pitch:.6f} {layout.small_pitch:.6f}"
    yield "cells", f"{across} {down} {side:.6f}"
    yield "chips", "".join("+" if chip > 0 else "-" for chip in chips.reshape(-1)[:32])
    for x, y in ((0.5, 0.5), (600.5, 400.5), (1199.5, 799.5)):
        at = [float(value) for value in layout.corner(x, y)]
        factor = 1 + at[4] + layout.fine * float(layout.field(dense_layout.FINE, x, y, layout.em / 12))
        share = float(dense_layout.signal(chips, WIDTH, HEIGHT, dense_layout.np.array(x), dense_layout.np.array(y)))
        yield f"at {x}, {y}", " ".join(f"{value:.4f}" for value in at[:4] + [factor, share])


def main():
    page = PAGE.read_text()
    made = page
    for name, rows in (("values", values()), ("dense values", dense_values())):
        before, rest = made.split(f"<!-- {name} -->\n")
        _, after = rest.split(f"<!-- end of {name} -->\n")
        block = "```\n" + "\n".join(f"{key} = {value}" for key, value in rows) + "\n```\n"
        made = before + f"<!-- {name} -->\n" + block + f"<!-- end of {name} -->\n" + after
    if "--check" not in sys.argv:
        PAGE.write_text(made)
    elif made != page:
        sys.exit(f"{PAGE}: the worked values are not those of section 3; Tests/Checks/watermark-geometry.py writes them")


if __name__ == "__main__":
    main()
