#!/usr/bin/python3
"""Reads a picture back from what draws it in a terminal, and prints its width, its height and the mean colours of its four
quarters. usage: graphics.py kitty|sixel|blocks FILE"""

import base64
import re
import sys


def kitty(text):
    parts = re.findall(r"\x1b_G([^;]*);([^\x1b]*)\x1b\\", text)
    keys = dict(item.split("=") for item in parts[0][0].split(","))
    data = base64.b64decode("".join(part for _, part in parts))
    width, height = int(keys["s"]), int(keys["v"])
    assert keys["f"] == "24" and len(data) == width * height * 3 and parts[-1][0].endswith("m=0")
    return [[tuple(data[(y * width + x) * 3 :][:3]) for x in range(width)] for y in range(height)]


def sixel(text):
    body = re.search(r"\x1bP[\d;]*q(.*)\x1b\\", text, re.S).group(1)
    width, height = map(int, re.match(r'"1;1;(\d+);(\d+)', body).groups())
    palette, colour, x, top = {}, None, 0, 0
    rows = [[None] * width for _ in range(height)]
    for token in re.finditer(r"#(\d+);2;(\d+);(\d+);(\d+)|#(\d+)|!(\d+)([?-~])|([?-~])|(\$)|(-)", body[body.index("#") :]):
        new, r, g, b, pick, count, run, one, back, down = token.groups()
        if new:
            palette[int(new)] = tuple(round(int(v) * 255 / 100) for v in (r, g, b))
        elif pick:
            colour = palette[int(pick)]
        elif back:
            x = 0
        elif down:
            x, top = 0, top + 6
        else:
            for _ in range(int(count or 1)):
                for bit in range(6):
                    if ord(run or one) - 63 >> bit & 1:
                        assert rows[top + bit][x] is None
                        rows[top + bit][x] = colour
                x += 1
    return rows


def blocks(text):
    rows = []
    for line in text.splitlines():
        cells = re.findall(r"\x1b\[38;2;(\d+);(\d+);(\d+)(?:;48;2;(\d+);(\d+);(\d+))?m▀", line)
        rows.append([tuple(map(int, cell[:3])) for cell in cells])
        if cells and cells[0][3]:
            rows.append([tuple(map(int, cell[3:])) for cell in cells])
    return rows


rows = {"kitty": kitty, "sixel": sixel, "blocks": blocks}[sys.argv[1]](open(sys.argv[2]).read())
width, height = len(rows[0]), len(rows)
out = [width, height]
for ys in (range(height // 2), range(height // 2, height)):
    for xs in (range(width // 2), range(width // 2, width)):
        pixels = [rows[y][x] for y in ys for x in xs]
        out += [round(sum(p[c] for p in pixels) / len(pixels), 1) for c in range(3)]
print(*out)
