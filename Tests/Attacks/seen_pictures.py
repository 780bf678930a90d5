"""PNG, WebP, HEIC and JPEG pictures for seen.py: colours under alpha 0, pictures that are not shown, edges that are cut off.

Colours of a PNG that is animated stand in its first frame; the picture of those who know no animation is a hidden one.
"""

import io
import struct
import subprocess
import zlib

import numpy as np
from PIL import Image

from seen_judge import BLOCK, FIELD, HEIGHT, WIDTH, Case, cells, hidden_cells, leak, over, seen_cells

MIDDLE = (slice(136, 152), slice(96, 224))


def scene(random):
    """A picture with a field to be hidden, the alpha that hides it, and the field as a hidden thing."""
    picture = seen_cells(random)
    picture[FIELD] = hidden_cells(random)[FIELD]
    alpha = np.full((HEIGHT, WIDTH, 1), 255)
    alpha[FIELD], alpha[MIDDLE] = 0, 128
    return picture.astype(int), alpha, [(FIELD, picture.astype(float))]


def gray(picture):
    return np.rint(picture @ [0.299, 0.587, 0.114]).astype(int)[..., None]


# PNG

def chunk(name, data):
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def rows_of(samples, bits):
    """The rows of samples, each with the filter `none`."""
    if bits == 16:
        rows = samples.astype(">u2").reshape(samples.shape[0], -1).view(np.uint8)
    else:
        spread = (samples.reshape(samples.shape[0], -1)[:, :, None] >> np.arange(bits - 1, -1, -1)) & 1
        rows = np.packbits(spread.reshape(samples.shape[0], -1).astype(np.uint8), axis=1)
    return zlib.compress(np.pad(rows, ((0, 0), (1, 0))).tobytes(), 1)


def adam7(samples, bits):
    """The rows of an interlaced picture."""
    passes = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]
    return zlib.compress(b"".join(zlib.decompress(rows_of(samples[y::dy, x::dx], bits)) for x, y, dx, dy in passes), 1)


def png(samples, bits, colour, before=b"", laced=False, data=None, behind=b""):
    """A file of samples; `before` and `behind` are chunks beside the picture's own."""
    head = struct.pack(">IIBBBBB", samples.shape[1], samples.shape[0], bits, colour, 0, 0, int(laced))
    body = data if data is not None else chunk(b"IDAT", (adam7 if laced else rows_of)(samples, bits))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + before + body + behind + chunk(b"IEND", b"")


def with_alpha(random):
    """Alpha of 8 and 16 bits, beside gray and colours."""
    for bits, colour, laced in [(8, 6, False), (16, 6, False), (8, 4, False), (16, 4, True), (8, 6, True)]:
        picture, alpha, hidden = scene(random)
        values = picture if colour == 6 else gray(picture)
        samples = np.concatenate([values, alpha], 2) * (257 if bits == 16 else 1)
        right = over(np.broadcast_to(values, picture.shape), alpha / 255)
        background = chunk(b"bKGD", struct.pack(">HHH", 0, 0, 0) if colour == 6 else bytes(2))
        yield Case("png alpha", f"{bits} bits, kind {colour}, laced {laced}", "png", png(samples, bits, colour, background, laced),
                   [right], hidden, True)


def with_palette(random):
    """Palettes with alpha. Some have two entries of one alpha, or fewer alphas than colours."""
    for bits in (1, 2, 4, 8):
        count = 1 << bits
        colours = random.integers(0, 256, (count, 3))
        alphas = np.where(np.arange(count) < count / 2, 0, 255)
        samples = cells(random, 16, count // 2, count, channels=1).astype(int)
        samples[FIELD] = cells(random, 8, 0, count // 2, channels=1)[FIELD]
        right = over(colours[samples[..., 0]].astype(float), alphas[samples] / 255)
        extra = chunk(b"PLTE", colours.astype(np.uint8).tobytes()) + chunk(b"tRNS", bytes(count // 2))
        yield Case("png palette", f"{bits} bits", "png", png(samples, bits, 3, extra), [right],
                   [(FIELD, colours[samples[..., 0]].astype(float))], True)


def with_one_clear(random):
    """One colour that is transparent. With 16 bits another that is nearly it is not."""
    for bits, colour in [(1, 0), (2, 0), (4, 0), (8, 0), (16, 0), (8, 2), (16, 2)]:
        top = (1 << bits) - 1
        samples = random.integers(0, 2, (10, 15, 1 if colour == 0 else 3)) * top if bits == 1 else \
            random.integers(top // 3, top * 2 // 3 + 1, (10, 15, 1 if colour == 0 else 3))
        samples = np.kron(samples, np.ones((16, 16, 1), int))
        clear = np.full(samples.shape[2], {1: 1, 16: 0x1234}.get(bits, 0))
        samples[FIELD] = clear
        if bits == 16:
            samples[MIDDLE] = clear + 1
        alpha = (samples != clear).any(2, keepdims=True)
        right = over(np.broadcast_to(samples * (255 / top), (HEIGHT, WIDTH, 3)), alpha)
        extra = chunk(b"tRNS", b"".join(struct.pack(">H", value) for value in clear))
        yield Case("png one clear", f"{bits} bits, kind {colour}", "png", png(samples, bits, colour, extra), [right], [], True)


def frame(number, samples, bits, sequence):
    """A frame of an animation."""
    high, wide = samples.shape[:2]
    control = struct.pack(">IIIIIHHBB", number, wide, high, 0, 0, 1, 1, 0, 0)
    return chunk(b"fcTL", control) + chunk(b"fdAT", struct.pack(">I", sequence) + rows_of(samples, bits))


def animated(random):
    """Animations. What is seen of the first is no part of its default picture."""
    picture, _, _ = scene(random)
    shown = seen_cells(random).astype(int)
    control = chunk(b"acTL", struct.pack(">II", 1, 0))
    data = png(picture, 8, 2, control, behind=frame(0, shown, 8, 1))
    yield Case("png animated", "hidden default picture", "png", data, [shown], [(FIELD, picture.astype(float))])
    first = chunk(b"fcTL", struct.pack(">IIIIIHHBB", 0, WIDTH, HEIGHT, 0, 0, 1, 1, 0, 0))
    control = chunk(b"acTL", struct.pack(">II", 2, 0))
    data = png(shown, 8, 2, control + first, behind=frame(1, picture, 8, 2))
    yield Case("png animated", "two frames", "png", data, [shown])


def has_colour_point(data):
    return None if b"cICP" in data else "has lost its colour space"


def turned(random):
    """A PNG and a WebP that EXIF turns. Readers of WebP do so or not."""
    picture = seen_cells(random).astype(int)
    block = exif(6)[1][6:]
    yield Case("png turned", "EXIF orientation 6", "png", png(picture, 8, 2, chunk(b"eXIf", block)), [turn(picture, 6)])
    file = io.BytesIO()
    Image.fromarray(picture.astype(np.uint8)).save(file, "WEBP", lossless=True, exif=block)
    yield Case("webp", "EXIF orientation 6", "webp", file.getvalue(), [turn(picture, 6), picture])


def recoloured(random):
    """A picture whose colours are those of another space. The copy has to say so too."""
    picture = seen_cells(random).astype(int)
    yield Case("png colour space", "cICP of BT.2100", "png", png(picture, 8, 2, chunk(b"cICP", bytes([9, 16, 0, 1]))), [picture],
               check=has_colour_point)


# WebP

def webp(random):
    """WebP with colours under alpha 0, lossy and not, and one whose canvas is larger than its picture."""
    for name, options in [("exact", dict(lossless=True, exact=True)), ("lossy", dict(quality=95, exact=True)),
                          ("lossy alpha", dict(quality=95, exact=True, alpha_quality=50))]:
        picture, alpha, hidden = scene(random)
        if "alpha" in name:
            alpha[MIDDLE] = 255
        file = io.BytesIO()
        Image.fromarray(np.concatenate([picture, alpha], 2).astype(np.uint8), "RGBA").save(file, "WEBP", **options)
        yield Case("webp", name, "webp", file.getvalue(), [over(picture, alpha / 255)], hidden, True)
        if name == "exact":
            yield from webp_variants(file.getvalue(), picture, alpha, hidden)


def riff(chunks):
    body = b"WEBP" + b"".join(name + struct.pack("<I", len(data)) + data + bytes(len(data) % 2) for name, data in chunks)
    return b"RIFF" + struct.pack("<I", len(body)) + body


def webp_variants(data, picture, alpha, hidden):
    """The same picture in a canvas that hides its alpha, or is larger or smaller than it."""
    start = data.index(b"VP8L")
    size = struct.unpack("<I", data[start + 4:start + 8])[0]
    pixels = data[start + 8:start + 8 + size]
    right = over(picture, alpha / 255)
    for name, flags, wide, high in [("flag of alpha", 0x10, WIDTH, HEIGHT), ("no flag of alpha", 0, WIDTH, HEIGHT),
                                    ("larger canvas", 0x10, 2 * WIDTH, HEIGHT), ("smaller canvas", 0x10, WIDTH // 2, HEIGHT)]:
        canvas = struct.pack("<I", flags) + struct.pack("<I", wide - 1)[:3] + struct.pack("<I", high - 1)[:3]
        whole = (wide, high) == (WIDTH, HEIGHT)
        yield Case("webp", name, "webp", riff([(b"VP8X", canvas), (b"VP8L", pixels)]), [right] if whole else [], hidden)


# HEIC

def heic(picture, folder, *options):
    """A file that heif-enc makes of a picture, or of a file."""
    source, out = folder / "heic.png", folder / "heic.heic"
    if isinstance(picture, np.ndarray):
        Image.fromarray(picture.astype(np.uint8)).save(source)
    else:
        source = picture
    subprocess.run(["heif-enc", "-q", "95", "-p", "preset=ultrafast", *options, str(source), "-o", str(out)], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return out.read_bytes()


def boxes(data, start, end):
    """The boxes between two places: name and where each begins and ends."""
    while start < end:
        size, name = struct.unpack(">I4s", data[start:start + 8])
        yield name, start, start + size
        start += size


def place_of(data, path):
    """Where the boxes of a path begin, the outermost first."""
    places, start, end = [], 0, len(data)
    for name in path:
        _, first, end = next(found for found in boxes(data, start, end) if found[0] == name)
        places.append(first)
        start = first + (12 if name == b"meta" else 8)
    return places, end


def grown(data, places, by):
    """The same with boxes that say they are longer."""
    for place in places:
        data[place:place + 4] = struct.pack(">I", struct.unpack(">I", data[place:place + 4])[0] + by)


def with_property(data, name, content, items=1):
    """A HEIC file whose first items have one more property, as the last of their lists. The main picture is the first."""
    data, new = bytearray(data), struct.pack(">I", 8 + len(content)) + name + content
    places, end = place_of(data, [b"meta", b"iprp", b"ipco"])
    number = sum(1 for _ in boxes(data, places[2] + 8, end)) + 1
    data[end:end] = new
    grown(data, places, len(new))
    places, _ = place_of(data, [b"meta", b"iprp", b"ipma"])
    entry = places[2] + 16
    for _ in range(items):
        count = data[entry + 2]
        data[entry + 2] += 1
        data[entry + 3 + count:entry + 3 + count] = bytes([0x80 | number])
        entry += 4 + count
    grown(data, places, items)
    moved(data, len(new) + items)
    return bytes(data)


def moved(data, by):
    """Puts the data of the pictures at other places, as heif-enc's table says them."""
    places, _ = place_of(data, [b"meta", b"iloc"])
    start = places[1] + 12
    for item in range(struct.unpack(">H", data[start + 2:start + 4])[0]):
        base = start + 8 + 18 * item
        data[base:base + 4] = struct.pack(">I", struct.unpack(">I", data[base:base + 4])[0] + by)


def aperture(wide, high, right, down):
    """A clean aperture: its size, and how far its middle is from the picture's, in half pixels."""
    return b"clap", struct.pack(">IIIIiIiI", wide, 1, high, 1, right, 2, down, 2)


def heic_alpha(random, folder):
    """Alpha that is premultiplied and alpha that is not."""
    picture, alpha, hidden = scene(random)
    straight = heic(np.concatenate([picture, alpha], 2), folder)
    yield Case("heic", "alpha", "heic", straight, [over(picture, alpha / 255)], hidden, True)
    product = picture.copy()
    product[MIDDLE] = picture[MIDDLE] * 128 // 255
    data = heic(np.concatenate([product, alpha], 2), folder, "--premultiplied-alpha")
    yield Case("heic", "premultiplied alpha that wraps", "heic", data, [np.clip(product + 255 - alpha, 0, 255)], hidden)
    product[FIELD] = 0
    data = heic(np.concatenate([product, alpha], 2), folder, "--premultiplied-alpha")
    yield Case("heic", "premultiplied alpha", "heic", data, [np.clip(product + 255 - alpha, 0, 255)], hidden, True)


def heic_kinds(random, folder):
    """Gray, deep and exact pictures, and files of two of which one is the main picture."""
    picture, alpha, hidden = scene(random)
    deep = folder / "deep.png"
    deep.write_bytes(png(np.concatenate([picture, alpha], 2) * 257, 16, 6))
    right, picture = over(picture, alpha / 255), seen_cells(random).astype(int)
    for name, options, drawn, source in [
            ("ten bits with alpha", ["-b", "10"], right, deep),
            ("gray", [], np.repeat(gray(picture), 3, 2), gray(picture)[..., 0]),
            ("exact", ["-L", "-p", "chroma=444", "--matrix_coefficients=0"], picture, picture),
            ("narrow range", ["--full_range_flag=0"], picture, picture)]:
        yield Case("heic", name, "heic", heic(source, folder, *options), [drawn], hidden if "alpha" in name else [], True)
    second = folder / "second.png"
    Image.fromarray(seen_cells(random)).save(second)
    both = heic(picture, folder, str(second))
    yield Case("heic", "two, the first is the main one", "heic", both, [drawn_by_heif(both, folder)])
    turned = folder / "turned.jpg"
    turned.write_bytes(with_segment(jpeg(picture), *exif(6)))
    data = heic(turned, folder)
    yield Case("heic", "with EXIF that turns it", "heic", data, [drawn_by_heif(data, folder)], [], True)


def drawn_by_heif(data, folder):
    """The main picture as heif-convert draws it."""
    source, out = folder / "drawn.heic", folder / "drawn.png"
    source.write_bytes(data)
    subprocess.run(["heif-convert", str(source), str(out)], check=True, capture_output=True)
    found = sorted(folder.glob("drawn*.png"))
    picture = np.asarray(Image.open(found[0]).convert("RGB")).astype(int)
    for file in found:
        file.unlink()
    return picture


def heic_turned(random, folder):
    """Turned, mirrored and cropped pictures, by properties of their own."""
    picture = seen_cells(random).astype(int)
    data = heic(picture, folder)
    yield Case("heic", "plain", "heic", data, [picture], [], True)
    for angle in (1, 2, 3):
        yield Case("heic", f"turned {angle}", "heic", with_property(data, b"irot", bytes([angle])), [np.rot90(picture, angle)], [],
                   True)
    for axis, right in [(0, np.flipud(picture)), (1, np.fliplr(picture))]:
        yield Case("heic", f"mirrored {axis}", "heic", with_property(data, b"imir", bytes([axis])), [right])
    both = with_property(with_property(data, b"irot", b"\1"), b"imir", b"\1")
    yield Case("heic", "turned and mirrored", "heic", both, [np.fliplr(np.rot90(picture, 1))])
    crop = with_property(data, *aperture(160, 96, 80, 64))
    yield Case("heic", "cropped", "heic", crop, [picture[64:160, 80:240]])
    crop = with_property(with_property(data, *aperture(160, 96, 80, 64)), b"irot", b"\3")
    yield Case("heic", "cropped and turned", "heic", crop, [np.rot90(picture[64:160, 80:240], 3)])
    # A turned HEIC with an alpha has to be refused (Spec/product/documents.md, 1).
    picture, alpha, _ = scene(random)
    data = heic(np.concatenate([picture, alpha], 2), folder)
    yield Case("heic", "turned with its alpha", "heic", with_property(data, b"irot", b"\1", 2), [])
    yield Case("heic", "turned without its alpha", "heic", with_property(data, b"irot", b"\1"), [])


# JPEG

def jpeg(picture, mode="RGB", quality=95, **options):
    """A JPEG file of a picture."""
    file = io.BytesIO()
    image = Image.fromarray(picture.astype(np.uint8))
    (image if mode == "RGB" else image.convert(mode)).save(file, "JPEG", quality=quality, **options)
    return file.getvalue()


def frame_header(data):
    """Where the header of the frame begins: its marker."""
    place = 2
    while data[place + 1] not in (0xC0, 0xC1, 0xC2):
        place += 2 + struct.unpack(">H", data[place + 2:place + 4])[0]
    return place


def sized(data, wide=None, high=None):
    """A JPEG that says another size than its own."""
    data, place = bytearray(data), frame_header(data) + 5
    if high:
        data[place:place + 2] = struct.pack(">H", high)
    if wide:
        data[place + 2:place + 4] = struct.pack(">H", wide)
    return bytes(data)


def without(data, marker):
    """A JPEG without the segments of one marker."""
    out, place = data[:2], 2
    while data[place + 1] != 0xDA:
        length = 2 + struct.unpack(">H", data[place + 2:place + 4])[0]
        out += b"" if data[place + 1] == marker else data[place:place + length]
        place += length
    return out + data[place:]


def with_segment(data, marker, content):
    """A JPEG with one more segment at its beginning."""
    return data[:2] + bytes([0xFF, marker]) + struct.pack(">H", len(content) + 2) + content + data[2:]


def adobe(transform):
    return 0xEE, b"Adobe" + struct.pack(">HHHB", 100, 0, 0, transform)


def exif(orientation):
    """An EXIF block with nothing but how the picture is turned."""
    return 0xE1, b"Exif\0\0MM\0*\0\0\0\10\0\1\1\x12\0\3\0\0\0\1" + struct.pack(">HHI", orientation, 0, 0)


def turn(picture, orientation):
    """The picture that an orientation of EXIF makes of stored rows."""
    ways = {1: lambda p: p, 2: np.fliplr, 3: lambda p: np.rot90(p, 2), 4: np.flipud, 5: lambda p: p.swapaxes(0, 1),
            6: lambda p: np.rot90(p, -1), 7: lambda p: np.rot90(p.swapaxes(0, 1), 2), 8: lambda p: np.rot90(p, 1)}
    return ways[orientation](picture)


def jpeg_colours(random):
    """Orientations, gray, RGB, and inks of which Adobe's are inverted."""
    picture = seen_cells(random).astype(int)
    plain = jpeg(picture)
    for orientation in range(1, 9):
        data = with_segment(plain, *exif(orientation))
        yield Case("jpeg", f"orientation {orientation}", "jpg", data, [turn(picture, orientation)], [], True)
    yield Case("jpeg", "gray", "jpg", jpeg(picture, "L"), [np.repeat(gray(picture), 3, 2)], [], True)
    yield Case("jpeg", "progressive", "jpg", jpeg(picture, progressive=True), [picture], [], True)
    data = with_segment(without(jpeg(picture, subsampling=0), 0xE0), *adobe(0))
    yield Case("jpeg", "RGB by Adobe's marker", "jpg", data, [drawn_by_pillow(data)])
    inks = jpeg(picture, "CMYK")
    marker = b"Adobe\0\x64\0\0\0\0"
    for name, data in [("inks", inks), ("inks without a marker", without(inks, 0xEE)),
                       ("YCCK", inks.replace(marker + b"\0", marker + b"\2", 1))]:
        yield Case("jpeg", name, "jpg", data, [drawn_by_pillow(data)])


def drawn_by_pillow(data):
    return np.asarray(Image.open(io.BytesIO(data)).convert("RGB")).astype(int)


def padding_of(hidden, high):
    """A check that the rows below a crop are not in the coefficients either."""
    def check(data):
        opened = np.asarray(Image.open(io.BytesIO(sized(data, high=HEIGHT))).convert("RGB")).astype(float)
        where = (slice(high + (-high % BLOCK), HEIGHT), slice(0, WIDTH))
        flat = np.full(opened.shape, 128.0)
        return leak(opened, flat, (where, hidden.astype(float)))
    return check


def jpeg_edges(random):
    """A JPEG cut within its last row of blocks, as jpegtran would. What was cut off is still in its coefficients."""
    picture = seen_cells(random)
    picture[144:160] = hidden_cells(random)[144:160]
    data = sized(jpeg(picture, subsampling=2), high=146)
    yield Case("jpeg edge", "14 rows below the edge", "jpg", data, [picture[:146].astype(int)],
               check=padding_of(picture, 146))


def cases(random, folder):
    yield from with_alpha(random)
    yield from with_palette(random)
    yield from with_one_clear(random)
    yield from animated(random)
    yield from recoloured(random)
    yield from turned(random)
    yield from webp(random)
    yield from heic_alpha(random, folder)
    yield from heic_turned(random, folder)
    yield from heic_kinds(random, folder)
    yield from jpeg_colours(random)
    yield from jpeg_edges(random)
