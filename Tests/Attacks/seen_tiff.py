"""TIFF files for seen.py, by a writer of its own: each photometric with each kind of samples beside the colours.

Colours that are hidden stand under an alpha of 0. The drawings that are right follow from TIFF 6.0: transparent pixels go over
white; associated colours are premultiplied, and what is above its alpha is limited. A sample that is unspecified is no alpha:
a copy may leave it out, as TIFF 6.0 says, or take it as alpha, as libtiff does. A sample of an unknown kind, and
one that no ExtraSamples names, may be taken as alpha only.
"""

import io
import itertools
import struct
import zlib

import numpy as np
from PIL import Image

from seen_judge import FIELD, HEIGHT, WIDTH, Case, cells, hidden_cells, over, seen_cells

WHITE, BLACK, RGB, PALETTE, CMYK, YCBCR, LAB = 0, 1, 2, 3, 5, 6, 8
NAMES = {WHITE: "min-is-white", BLACK: "min-is-black", RGB: "rgb", PALETTE: "palette", CMYK: "cmyk", YCBCR: "ycbcr", LAB: "lab"}
EXTRAS = {"plain": [], "unspecified": [0], "associated": [1], "unassociated": [2], "unknown": [7], "unnamed": None,
          "alpha, other": [2, 0], "other, alpha": [0, 2], "premultiplied, other": [1, 0], "unknown, alpha": [7, 2]}
DEPTHS = {WHITE: (1, 2, 4, 8, 16), BLACK: (1, 2, 4, 8, 16), RGB: (1, 2, 4, 8, 16), PALETTE: (1, 2, 4, 8), CMYK: (8, 16),
          YCBCR: (8,), LAB: (8, 16)}
MIDDLE = (slice(136, 152), slice(96, 224))


def stored(picture, orientation):
    """The rows as they are stored, so that the orientation gives the picture."""
    turn = {1: lambda p: p, 2: np.fliplr, 3: lambda p: np.rot90(p, 2), 4: np.flipud, 5: lambda p: p.swapaxes(0, 1),
            6: lambda p: np.rot90(p, 1), 7: lambda p: np.rot90(p.swapaxes(0, 1), 2), 8: lambda p: np.rot90(p, -1)}
    return turn[orientation](picture)


def lzw(data):
    """LZW of single bytes, with a clear code before the codes get longer."""
    codes = []
    for start in range(0, len(data), 250):
        codes += [256, *data[start:start + 250]]
    codes.append(257)
    bits = (np.array(codes)[:, None] >> np.arange(8, -1, -1)) & 1
    return np.packbits(bits.astype(np.uint8).ravel()).tobytes()


def predicted(samples):
    """The differences along rows, for predictor 2."""
    out = samples.copy()
    out[:, 1:] -= samples[:, :-1]
    return out


def packed(samples, bits, order):
    """Rows of samples, each row a whole number of bytes."""
    if bits == 8:
        return (samples & 255).astype(np.uint8).tobytes()
    if bits == 16:
        return (samples & 65535).astype(order + "u2").tobytes()
    rows = samples.reshape(samples.shape[0], -1)
    spread = (rows[:, :, None] >> np.arange(bits - 1, -1, -1)) & 1
    return np.packbits(spread.reshape(rows.shape[0], -1).astype(np.uint8), axis=1).tobytes()


def reversed_bits(data):
    """Bytes whose lowest bit comes first."""
    return np.packbits(np.unpackbits(np.frombuffer(data, np.uint8).reshape(-1, 1), axis=1)[:, ::-1], axis=1).tobytes()


def pieces(samples, tiled):
    """The strips or tiles of one plane. Tiles at the edges are filled up with noise."""
    if not tiled:
        return [samples[start:start + 37] for start in range(0, samples.shape[0], 37)]
    out = []
    for y, x in itertools.product(range(0, samples.shape[0], 48), range(0, samples.shape[1], 64)):
        piece = samples[y:y + 48, x:x + 64]
        missing = ((0, 48 - piece.shape[0]), (0, 64 - piece.shape[1]), (0, 0))
        out.append(np.pad(piece, missing, mode="reflect"))
    return out


def coded(piece, form, order):
    """The bytes of one strip or tile."""
    data = packed(predicted(piece) if form["predictor"] == 2 else piece, form["bits"], order)
    data = {1: bytes, 5: lzw, 8: zlib.compress}[form["compression"]](data)
    return reversed_bits(data) if form["fill"] == 2 else data


def directory(entries, order, place):
    """A directory of tags and its values. `place` is where it begins."""
    table, values = b"", b""
    behind = place + 2 + 12 * len(entries) + 4
    for tag, kind, numbers in sorted(entries, key=lambda entry: entry[0]):
        data = struct.pack(f"{order}{len(numbers)}{ {3: 'H', 4: 'I', 5: 'I', 11: 'f'}[kind]}", *numbers)
        count = len(numbers) // 2 if kind == 5 else len(numbers)
        if len(data) > 4:
            table += struct.pack(order + "HHII", tag, kind, count, behind + len(values))
            values += data + bytes(len(data) % 2)
        else:
            table += struct.pack(order + "HHI", tag, kind, count) + data.ljust(4, b"\0")
    return struct.pack(order + "H", len(entries)) + table + bytes(4) + values


FORM = dict(bits=8, planar=1, tiled=False, orientation=1, fill=1, predictor=1, compression=1, order="<")


def tiff(samples, photometric, extras, more=(), **changes):
    """A file of these samples, which lie as a person sees them."""
    form = {**FORM, **changes}
    order, samples = form["order"], stored(samples, form["orientation"])
    high, wide, count = samples.shape
    planes = [samples[..., i:i + 1] for i in range(count)] if form["planar"] == 2 else [samples]
    parts = [coded(piece, form, order) for plane in planes for piece in pieces(plane, form["tiled"])]
    places = np.cumsum([8] + [len(part) + len(part) % 2 for part in parts]).tolist()
    entries = [(256, 4, [wide]), (257, 4, [high]), (258, 3, [form["bits"]] * count), (259, 3, [form["compression"]]),
               (262, 3, [photometric]), (266, 3, [form["fill"]]), (274, 3, [form["orientation"]]), (277, 3, [count]),
               (284, 3, [form["planar"]]), (317, 3, [form["predictor"]]), *more]
    lengths = [len(part) for part in parts]
    entries += [(322, 3, [64]), (323, 3, [48]), (324, 4, places[:-1]), (325, 4, lengths)] if form["tiled"] else \
        [(278, 3, [37]), (273, 4, places[:-1]), (279, 4, lengths)]
    entries += [(338, 3, extras)] if extras else []
    body = b"".join(part + bytes(len(part) % 2) for part in parts)
    return (b"II*\0" if order == "<" else b"MM\0*") + struct.pack(order + "I", places[-1]) + body + \
        directory(entries, order, places[-1])


# Colours as samples, and samples as colours. Both have 8 bits a colour on the side of what is seen.

def gray(picture):
    return (picture.astype(float) @ [0.299, 0.587, 0.114])[..., None]


def to_ycbcr(picture):
    r, g, b = np.moveaxis(picture.astype(float), 2, 0)
    y = 0.299 * r + 0.587 * g + 0.114 * b
    return np.clip(np.stack([y, 128 + (b - y) / 1.772, 128 + (r - y) / 1.402], 2), 0, 255)


def from_ycbcr(samples):
    y, cb, cr = np.moveaxis(samples.astype(float), 2, 0)
    r, b = y + 1.402 * (cr - 128), y + 1.772 * (cb - 128)
    return np.clip(np.stack([r, (y - 0.299 * r - 0.114 * b) / 0.587, b], 2), 0, 255)


def to_lab(picture):
    """CIELab of sRGB, as 8 bits: L of 0 to 255, a and b with a sign."""
    linear = (picture / 255.0) ** 2.2
    xyz = linear @ np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]).T
    f = np.cbrt(xyz / [0.9505, 1, 1.089])
    lightness = 116 * f[..., 1] - 16
    return np.stack([lightness * 2.55, 500 * (f[..., 0] - f[..., 1]), 200 * (f[..., 1] - f[..., 2])], 2)


def to_cmyk(picture):
    """Ink, with a third of the black that it could have."""
    ink = 1 - picture / 255.0
    black = ink.min(2, keepdims=True) / 3
    return np.concatenate([(ink - black) / (1 - black), black], 2) * 255


def from_cmyk(samples):
    return 255 * (1 - samples[..., :3] / 255.0) * (1 - samples[..., 3:] / 255.0)


def samples_of(photometric, picture, top):
    """The samples of a picture, from 0 to `top`."""
    values = {WHITE: lambda p: 255 - gray(p), BLACK: gray, RGB: lambda p: p.astype(float), CMYK: to_cmyk, YCBCR: to_ycbcr,
              LAB: to_lab}[photometric](picture)
    scale = 256 if photometric == LAB and top > 255 else top / 255
    return np.rint(values * scale).astype(int)


def colours_of(photometric, samples, top, picture):
    """The colours that samples stand for. Those of CIELab are the picture itself: its comparison is loose."""
    values = samples * (255 / top)
    return {WHITE: lambda: np.repeat(255 - values, 3, 2), BLACK: lambda: np.repeat(values, 3, 2), RGB: lambda: values,
            CMYK: lambda: from_cmyk(values), YCBCR: lambda: from_ycbcr(values),
            LAB: lambda: picture.astype(float)}[photometric]()


def palette_of(random, bits):
    """A palette of 16 bits a colour, and how it looks."""
    colours = random.integers(0, 256, (1 << bits, 3))
    return [(320, 3, (colours.T.ravel() * 257).tolist())], colours


def drawn(random, photometric, bits, with_field):
    """Samples with a hidden field or none, their colours, those of the field, and tags that belong to them."""
    top = (1 << bits) - 1
    if photometric == PALETTE:
        tags, colours = palette_of(random, bits)
        samples = cells(random, 16, 0, top + 1, channels=1).astype(int)
        if with_field:
            samples[FIELD] = cells(random, 8, 0, top + 1, channels=1)[FIELD]
        return samples, colours[samples[..., 0]].astype(float), tags
    picture = seen_cells(random)
    if with_field:
        picture[FIELD] = hidden_cells(random)[FIELD]
    samples = samples_of(photometric, picture, top)
    tags = [(530, 3, [1, 1])] if photometric == YCBCR else []
    return samples, colours_of(photometric, samples, top, picture), tags


def alpha_of(photometric, bits, kind):
    """The alpha: nothing in the field, and a half below it where readers agree on what that is."""
    alpha = np.ones((HEIGHT, WIDTH, 1))
    alpha[FIELD] = 0
    if bits >= 8 and (photometric == RGB or photometric == BLACK) and kind in (1, 2):
        alpha[MIDDLE] = 0.5
    return np.rint(alpha * ((1 << bits) - 1)).astype(int)


def with_extras(samples, alpha, extras, top):
    """Samples with those beside them. One that is no alpha is the alpha's opposite where there are two."""
    if len(extras) == 2:
        others = {True: alpha, False: top - alpha}
        first = extras[0] in (1, 2)
        return np.concatenate([samples, others[first], others[not first]], 2)
    return np.concatenate([samples, alpha], 2)


def rights(colours, share, extras):
    """The drawings that are right."""
    named = [kind for kind in extras or [] if kind in (1, 2)]
    covered = np.clip(colours + 255 * (1 - share), 0, 255) if named == [1] else over(colours, share)
    return [covered, colours] if extras == [0] else [covered]


def form_of(random, bits, planar):
    """The rest of a file's form, at random."""
    compression = int(random.choice([1, 5, 8]))
    predictor = int(random.choice([1, 2])) if bits >= 8 and compression > 1 else 1
    return dict(bits=bits, planar=planar, tiled=bool(random.integers(2)), orientation=int(random.integers(1, 9)),
                fill=int(random.choice([1, 1, 1, 2])), predictor=predictor, compression=compression,
                order=str(random.choice(["<", ">"])))


def is_ordinary(photometric, extras, form):
    """A file that any scanner or program may write."""
    usual = {WHITE: (1, 8), BLACK: (1, 8, 16), RGB: (8, 16), PALETTE: (8,), CMYK: (8,)}.get(photometric, ())
    # Nobody knows what colours times an alpha are where white is 0.
    few = [] if photometric in (PALETTE, CMYK) or form["bits"] == 1 else [[2]] if photometric == WHITE else [[1], [2]]
    return form["bits"] in usual and form["planar"] == 1 and form["fill"] == 1 and extras in [[], *few]


def one(random, photometric, name, form, more=(), title=None):
    """A case of one photometric and one kind of extra samples."""
    extras = EXTRAS[name]
    bits, top = form["bits"], (1 << form["bits"]) - 1
    samples, colours, tags = drawn(random, photometric, bits, extras != [])
    hidden = []
    right = [colours]
    if extras != []:
        kind = next((kind for kind in extras or [] if kind in (1, 2)), 0)
        alpha = alpha_of(photometric, bits, kind)
        if kind == 1 and photometric in (RGB, BLACK):
            # The half is premultiplied. What stands under 0 is not: it is above its alpha.
            samples[MIDDLE] = np.rint(samples[MIDDLE] * (alpha[MIDDLE] / top))
            colours = colours_of(photometric, samples, top, None)
        samples = with_extras(samples, alpha, extras or [0], top)
        right = rights(colours, alpha / top, extras)
        hidden = [(FIELD, colours)]
    data = tiff(samples, photometric, extras, [*tags, *more], **form)
    words = title or ", ".join([NAMES[photometric], name, *(f"{key} {value}" for key, value in form.items())])
    return Case(f"tiff {NAMES[photometric]}", words, "tiff", data, right, hidden,
                is_ordinary(photometric, extras, form) and not more, photometric in (CMYK, LAB))


def products(random):
    """Each photometric with each kind of extra samples, depth and arrangement of planes."""
    for photometric, depths in DEPTHS.items():
        for name, bits, planar in itertools.product(EXTRAS, depths, (1, 2)):
            yield one(random, photometric, name, form_of(random, bits, planar))


def tiles(random):
    """Each photometric and depth without extra samples, in tiles that reach beyond the picture."""
    for photometric, depths in DEPTHS.items():
        for bits, planar in itertools.product(depths, (1, 2)):
            yield one(random, photometric, "plain", {**FORM, "bits": bits, "planar": planar, "tiled": True})


def turned(random):
    """Each orientation, of strips and tiles, with alpha and without."""
    for orientation, tiled, name in itertools.product(range(1, 9), (False, True), ("plain", "unassociated")):
        yield one(random, RGB, name, {**FORM, "orientation": orientation, "tiled": tiled})


ODD = {
    "ink set 2": (CMYK, [(332, 3, [2]), (334, 3, [4])]), "ink set 7": (CMYK, [(332, 3, [7])]),
    "dot range turned": (CMYK, [(336, 3, [255, 0])]), "least and greatest value": (BLACK, [(280, 3, [64]), (281, 3, [128])]),
    "samples with a sign": (BLACK, [(339, 3, [2])]), "reference black and white": (RGB, [(532, 5, [64, 1, 128, 1] * 3)]),
    "transfer function": (BLACK, [(301, 3, [65535 - 257 * i for i in range(256)])]),
    "gray response": (BLACK, [(290, 3, [4]), (291, 3, list(range(255, -1, -1)))]), "mask": (BLACK, [(254, 4, [4])]),
    "smaller picture": (RGB, [(254, 4, [1])]), "indexed": (BLACK, [(346, 3, [1])]),
}


def odd(random):
    """Tags that say the colours anew. Viewers leave them out. A copy may too; it may be refused; it may show nothing hidden."""
    for name, (photometric, tags) in ODD.items():
        case = one(random, photometric, "unassociated", FORM, tags, title=name)
        case.kind, case.ordinary, case.loose = "tiff odd tags", False, True
        yield case


def usual(random):
    """Files that Pillow writes, by libtiff: compressions that this writer does not have."""
    colours = Image.fromarray(seen_cells(random))
    modes, compressions = ("1", "L", "RGB", "RGBA", "CMYK", "LAB"), ("packbits", "jpeg", "group3", "group4", "zstd")
    for mode, compression in itertools.product(modes, compressions):
        if compression.startswith("group") != (mode == "1") or (compression == "jpeg" and mode in ("RGBA", "LAB")):
            continue
        picture, file = drawn_as(colours, mode), io.BytesIO()
        picture.save(file, "TIFF", compression=compression)
        right = np.asarray(colours if mode == "LAB" else picture.convert("RGB")).astype(float)
        yield Case("tiff by libtiff", f"{mode} {compression}", "tiff", file.getvalue(), [right], [], mode in ("1", "L", "RGB"),
                   mode in ("LAB", "CMYK"))


def drawn_as(colours, mode):
    """A picture in one of Pillow's modes."""
    if mode == "LAB":
        return Image.fromarray((to_lab(np.asarray(colours)).astype(int) & 255).astype(np.uint8), "LAB")
    return colours.convert("L").point(lambda value: value // 128 * 255).convert("1") if mode == "1" else colours.convert(mode)


def cases(random):
    yield from products(random)
    yield from tiles(random)
    yield from turned(random)
    yield from odd(random)
    yield from usual(random)
