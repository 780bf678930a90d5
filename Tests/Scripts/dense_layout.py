"""Layouts of rows and the signal of a copy, from Spec/product/watermark.md alone (sections 3 and 8): no line of it comes from
the program. Needs python3-numpy and python3-cryptography; drawing text needs python3-pil and fonts-wqy-microhei."""

import hashlib
import hmac
import math

import numpy as np

FONT = "/usr/share/fonts/truetype/wqy/wqy-microhei.ttc"
WARP_ACROSS, WARP_DOWN, SLOW, FINE, TINT_BLUE, TINT_RED = range(6)
CELLS = 200
# The designs of layouts: opacity, pitch in ems, strokes between rows, parts of the opacity that noise changes (slow, fine), coverage of
# bars, whether sentences are whole.
DESIGNS = {
    "dense": (0.34, 3, "text", 0.30, 0.36, 0, False),
    "clear": (0.16, 4.5, "lines", 0, 0, 64, True),
    "strong": (0.34, 3, "text", 0.30, 0.36, 64, True),
    "light": (0.14, 6, None, 0, 0, 64, True),
}
SMALL_TEXT = {True: "他用无效 ", False: "void for other use  "}


def mac(key, data):
    return hmac.new(key, data, hashlib.sha256).digest()


def stream(key, label, count):
    """The keystream of AES-256-CTR under HMAC(key, label)."""
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

    return Cipher(algorithms.AES(mac(key, label)), modes.CTR(bytes(16))).encryptor().update(bytes(count))


def number(key, index):
    return int.from_bytes(mac(key, index.to_bytes(4, "big"))[:4], "big") / 2**32


def bilinear(table, x, y):
    """A table at places between its entries; it repeats."""
    i, j = np.floor(x).astype(int), np.floor(y).astype(int)
    a, b = x - i, y - j
    rows, columns = table.shape

    def at(row, column):
        return table[row % rows, column % columns]

    upper = at(j, i) + a * (at(j, i + 1) - at(j, i))
    lower = at(j + 1, i) + a * (at(j + 1, i + 1) - at(j + 1, i))
    return upper + b * (lower - upper)


def grid(width, height):
    side = max(width, height) / CELLS
    return math.ceil(width / side), math.ceil(height / side), side


def chips(share_key, width, height, label=b"quickvault/1/chips"):
    across, down, _ = grid(width, height)
    bits = np.unpackbits(np.frombuffer(stream(share_key, label, (across * down + 7) // 8), np.uint8))
    return np.where(bits[: across * down] == 1, 1.0, -1.0).reshape(down, across)


def signal(chip_table, width, height, x, y):
    """Chips between the middles of their cells; beyond the outermost middles they go on."""
    _, _, side = grid(width, height)
    down, across = chip_table.shape
    x, y = np.clip(x / side - 0.5, 0, across - 1), np.clip(y / side - 0.5, 0, down - 1)
    i, j = x.astype(int), y.astype(int)
    a, b = x - i, y - j
    right, below = np.minimum(i + 1, across - 1), np.minimum(j + 1, down - 1)
    upper = chip_table[j, i] + a * (chip_table[j, right] - chip_table[j, i])
    lower = chip_table[below, i] + a * (chip_table[below, right] - chip_table[below, i])
    return upper + b * (lower - upper)


class Layout:
    """Where strokes stand on a picture of a size, by a lattice key."""

    def __init__(self, lattice_key, width, height, design="clear", angle=30):
        self.key, self.width, self.height = lattice_key, width, height
        self.opacity, pitch, self.between, self.slow, self.fine, self.bar, self.is_whole = DESIGNS[design]
        short, most = min(width, height), 36 * height / width
        self.em = max(14, min(max(math.sqrt(width * height) / 36, max(width, height) / 100), width / 22, short / 6) if self.is_whole else short / 26)
        self.small = max(9, self.em / 3.2)
        self.angle = (max(-most, min(most, angle)) if self.is_whole else angle) + 4 * (number(lattice_key, 0) - 0.5)
        self.pitch = pitch * self.em
        is_text = self.between == "text"
        self.small_angle = self.angle - (14 if is_text else 55)
        self.small_pitch = max(0.75 * self.em, 1.6 * self.small) if is_text else max(6, self.em / 4)
        self.small_part = 0.24 / 0.34 if is_text else 0
        self.noise = np.frombuffer(stream(lattice_key, b"quickvault/1/noise", 65536), np.uint8).reshape(256, 256)
        self.shifts = [number(lattice_key, 10 + i) * 256 for i in range(12)]

    def field(self, which, x, y, cell):
        at_x, at_y = x / cell + self.shifts[2 * which], y / cell + self.shifts[2 * which + 1]
        return bilinear(self.noise.astype(float), at_x, at_y) / 127.5 - 1

    def turned(self, degrees, x, y):
        sine, cosine = math.sin(math.radians(degrees)), math.cos(math.radians(degrees))
        x, y = x - self.width / 2, y - self.height / 2
        return x * cosine - y * sine, x * sine + y * cosine

    def corner(self, x, y, warp=1):
        """(u, v) of the sentence's rows, (u, v) of the small text's, and the slow part of the opacity."""
        move = [warp * 0.10 * self.em * self.field(f, x, y, 2.5 * self.em) for f in (WARP_ACROSS, WARP_DOWN)]
        row, small = self.turned(self.angle, x, y), self.turned(self.small_angle, x, y)
        return (row[0] + move[0], row[1] + move[1] + self.pitch * number(self.key, 1),
                small[0] + move[0], small[1] + move[1] + self.small_pitch * number(self.key, 2),
                self.slow * self.field(SLOW, x, y, 1.6 * self.em))

    def places(self, warp=1):
        """The same for each pixel: linear between the corners of blocks of 8 by 8."""
        across, down = -(-self.width // 8), -(-self.height // 8)
        x, y = np.meshgrid(np.arange(across + 1) * 8.0, np.arange(down + 1) * 8.0)
        px, py = np.arange(self.width), np.arange(self.height)
        i, j = px // 8, py // 8
        a, b = (px % 8 + 0.5) / 8, ((py % 8 + 0.5) / 8)[:, None]
        result = []
        for value in self.corner(x, y, warp):
            upper = value[j][:, i] * (1 - a) + value[j][:, i + 1] * a
            lower = value[j + 1][:, i] * (1 - a) + value[j + 1][:, i + 1] * a
            result.append(upper * (1 - b) + lower * b)
        return result

    def on_picture(self, v):
        """Where a line along the rows enters and leaves the picture."""
        sine, cosine = math.sin(math.radians(self.angle)), math.cos(math.radians(self.angle))
        enter, leave = -1e9, 1e9
        for start, step, half in ((v * sine, cosine, self.width / 2), (v * cosine, -sine, self.height / 2)):
            if abs(step) > 1e-9:
                one, other = sorted(((-half - start) / step, (half - start) / step))
                enter, leave = max(enter, one), min(leave, other)
        return enter, leave

    def row_start(self, row, above, layer, strip, length, scale, gap):
        two = self.noise.reshape(-1)[(2 * (row + above) + 4096 * layer) % 65535:][:2]
        part = (int(two[0]) * 256 + int(two[1])) / 65536
        if self.is_whole and layer == 0:
            top = row * self.pitch - self.pitch * number(self.key, 1)
            ends = [self.on_picture(top + y) for y in (0, strip.shape[0] / scale)]
            enter, leave = max(ends[0][0], ends[1][0]), min(ends[0][1], ends[1][1])
            room = leave - enter - (length - gap) / scale
            if room >= 0:
                return -(enter + part * room) * scale
        return length * part

    def cover(self, strips, scale, pitch, layer, u, v):
        """How much strokes cover of each pixel, 0 to 1. Rows are counted from above the picture."""
        above = math.ceil((self.width + self.height) / 2 / pitch) + 2
        rows = np.floor(v / pitch).astype(int)
        out = np.zeros(u.shape)
        for row in np.unique(rows):
            strip, length = strips[(row + above) % len(strips)]
            here = rows == row
            along = u[here] * scale + self.row_start(int(row), above, layer, strip, length, scale, 1.5 * self.em * scale)
            low = (v[here] - row * pitch) * scale - 0.5
            values = bilinear(strip[:, :length].astype(float), along % length, np.clip(low, 0, strip.shape[0] - 1.001))
            out[here] = np.where((low >= 0) & (low < strip.shape[0] - 1), values, 0) / 255
        return np.where(out * 255 < 1, 0, out)

    def limited(self, usual, factor):
        return np.minimum(1, np.clip(usual * factor, usual * 0.08 / 0.34, usual * 0.75 / 0.34))

    def ink(self, sentence, small, share_signal=0.0, warp=1, fields=1):
        """How much ink each pixel gets, 0 to 1: of all strokes, and of the sentence's rows without the signal."""
        row_u, row_v, small_u, small_v, slow = self.places(warp)
        scale, small_scale = (2 if size < 24 else 1 for size in (self.em, self.small))
        rows = self.cover(sentence, scale, self.pitch, 0, row_u, row_v)
        micro = self.cover(small, small_scale, self.small_pitch, 1, small_u, small_v)
        x, y = np.meshgrid(np.arange(self.width) + 0.5, np.arange(self.height) + 0.5)
        factor = 1 + fields * (slow + self.fine * self.field(FINE, x, y, self.em / 12))
        plain = rows * self.limited(self.opacity, factor)
        signalled = np.minimum(1, plain * (1 + 0.10 * share_signal))
        micro = micro * self.limited(self.opacity * self.small_part, factor)
        return 1 - (1 - signalled) * (1 - micro), plain * (1 - micro)


def strip(parts, size, gap=1.5, bar=0):
    """A row of text: (text, is variable) one behind the other. Returns its coverage and its length in pixels. Letters are
    drawn eight times as large, since PIL would fit them to whole pixels."""
    from PIL import Image, ImageDraw, ImageFont

    times = 8
    font = ImageFont.truetype(FONT, round(times * size))
    height = math.ceil(1.5 * size) + 2
    x, places, slots = 0.0, [], []
    for text, is_variable in parts:
        wide = font.getlength(text) / times
        slot = 4 * size * math.ceil((wide + size / 2) / (4 * size)) if is_variable else wide
        places.append((x + (slot - wide) / 2, text))
        if is_variable:
            slots.append((x, x + slot))
        x += slot
    length = math.ceil(x + gap * size)
    picture = Image.new("L", (times * (length + 1), times * height))
    draw = ImageDraw.Draw(picture)
    for place, text in places:
        draw.text((times * place, times * (1.12 * size + 1)), text, font=font, fill=255, anchor="ls")
    drawn = np.array(picture.reduce(times))
    baseline = 1.12 * size + 1
    for left, right in slots:
        here = drawn[int(baseline - 0.98 * size):int(baseline + 0.27 * size), int(left + size / 10):int(right - size / 10)]
        np.maximum(here, bar, out=here)
    return drawn, length


def line(em, scale):
    """The strip of the lines that stand between rows."""
    thick = max(1.5, em / 20) * scale
    drawn = np.zeros((math.ceil(thick) + 2, 65), np.uint8)
    for y in range(1, drawn.shape[0] - 1):
        drawn[y] = int(255 * min(1, thick - y + 1))
    return drawn, 64
