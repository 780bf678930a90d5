#!/usr/bin/python3
"""Peak memory of the command with input that is made to fill it: memory.py QVAULT FOLDER [MIB]

Makes every hostile picture and import below in FOLDER, runs the command on each, and prints its exit code, time and peak
memory. Ends with 1 if a run takes more than MIB (256), is ended by a signal, or takes longer than 60 s.
"""

import io
import os
import struct
import subprocess
import sys
import time
import zlib
from pathlib import Path

from PIL import Image

SIZE = 50_000_000  # what an import may have, nearly
SECONDS = 60


def chunk(name, data):
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def png(*chunks, behind=()):
    """A sound picture of 64 x 64 pixels with further chunks before its pixels and behind them."""
    head = chunk(b"IHDR", struct.pack(">IIBBBBB", 64, 64, 8, 2, 0, 0, 0))
    pixels = chunk(b"IDAT", zlib.compress((b"\0" + bytes(192)) * 64))
    return b"\x89PNG\r\n\x1a\n" + head + b"".join(chunks) + pixels + b"".join(behind) + chunk(b"IEND", b"")


def jpeg(sound, *segments):
    """A sound picture with further segments behind its first marker."""
    rows = b"".join(b"\xff" + bytes([marker]) + struct.pack(">H", len(data) + 2) + data for marker, data in segments)
    return sound[:2] + rows + sound[2:]


def photo(width, height, form, **options):
    """A picture of colours that run from side to side."""
    across = Image.linear_gradient("L").resize((width, height))
    down = Image.linear_gradient("L").rotate(90).resize((width, height))
    out = io.BytesIO()
    Image.merge("RGB", (across, down, across)).save(out, form, **options)
    return out.getvalue()


def claims(sound, width, height):
    """A JPEG that says it has other dimensions than its data."""
    place = next(place for place in range(2, len(sound)) if sound[place:place + 2] in (b"\xff\xc0", b"\xff\xc2"))
    return sound[:place + 5] + struct.pack(">HH", height, width) + sound[place + 9:]


def overlapping_profile(count=98, size=(4 << 20) - 4096):
    """A colour profile whose tags overlap: each of `count` covers nearly all of its `size` bytes."""
    first = 132 + 12 * count
    head = struct.pack(">I4xI4s4s4s12x4s28x3I", size, 0x02000000, b"mntr", b"RGB ", b"XYZ ", b"acsp", 0xF6D6, 0x10000, 0xD32D)
    places = range(first, first + 4 * count, 4)
    tags = b"".join(struct.pack(">4sII", b"A2B0", place, (size - place) // 4 * 4) for place in places)
    data = head.ljust(128, b"\0") + struct.pack(">I", count) + tags
    return data.ljust(size, b"\0")


def pictures(sound):
    """Makers of pictures, by name."""
    packed = zlib.compress(bytes(16_700_000), 9)
    text, profile = b"a\0\0" + packed, b"p\0\0" + packed
    palette = b"s\0\x08" + bytes(6) * 10_000  # 60 KB
    return {
        "ztxt.png": lambda: png(*[chunk(b"zTXt", text)] * 130),
        "ztxt-behind.png": lambda: png(behind=[chunk(b"zTXt", text)] * 130),
        "itxt.png": lambda: png(*[chunk(b"iTXt", b"a\0\1\0\0\0" + packed)] * 130),
        "text.png": lambda: png(*[chunk(b"tEXt", b"a\0" + b"x" * 400_000)] * 130),
        "iccp.png": lambda: png(*[chunk(b"iCCP", profile)] * 130),
        "overlapping.png": lambda: png(chunk(b"iCCP", b"p\0\0" + zlib.compress(overlapping_profile(), 9))),
        "splt.png": lambda: png(*[chunk(b"sPLT", palette)] * 900),
        "hist.png": lambda: png(*[chunk(b"hIST", bytes(512))] * 100_000),
        "exif.png": lambda: png(chunk(b"eXIf", b"MM\0*" + bytes(50_000_000))),
        "unknown.png": lambda: png(*[chunk(b"abCd", b"x" * 500)] * 100_000),
        "time.png": lambda: png(*[chunk(b"tIME", bytes(7))] * 1_000_000),
        "trns.png": lambda: png(*[chunk(b"tRNS", bytes(6))] * 1_000_000),
        "frames.png": lambda: png(chunk(b"acTL", struct.pack(">II", 100_000, 0)), *[chunk(b"fdAT", bytes(500))] * 100_000),
        "comments.jpg": lambda: jpeg(sound, *[(0xFE, b"x" * 65_000)] * 900),
        "profiles.jpg": lambda: jpeg(sound, *[(0xE2, b"ICC_PROFILE\0" + bytes([i % 255 + 1, 255]) + bytes(65_000)) for i in range(900)]),
        "exif.jpg": lambda: jpeg(sound, *[(0xE1, b"Exif\0\0MM\0*" + bytes(65_000))] * 900),
        "coefficients.jpg": lambda: photo(9000, 8000, "JPEG"),
        "claims.jpg": lambda: claims(sound, 30_000, 4000),
        "all-colours.jpg": lambda: photo(8000, 6000, "JPEG", subsampling=0),
        "scans.jpg": lambda: photo(8000, 6000, "JPEG", subsampling=0, progressive=True),
        "photo.tif": lambda: photo(7300, 5470, "TIFF", compression="tiff_deflate"),
        "large.tif": lambda: photo(12_000, 10_000, "TIFF", compression="tiff_deflate"),
        "photo.webp": lambda: photo(7300, 5470, "WEBP"),
        "large.webp": lambda: photo(12_000, 10_000, "WEBP"),
        "photo.png": lambda: photo(12_000, 10_000, "PNG", compress_level=1),
        "huffman.jpg": lambda: jpeg(sound, *[(0xC4, bytes([0]) + bytes([0, 1] + [0] * 14) + bytes(1))] * 500_000),
    }


def imports():
    """Makers of imports, by name."""
    def filled(unit, head=b"", tail=b""):
        return head + unit * ((SIZE - len(head) - len(tail)) // len(unit)) + tail

    bitwarden = b'{"items":['
    native = b'{"format":"quickvault-export","version":1}\n'
    keepass = b"<KeePassFile><Root><Group>"
    return {
        "cells.csv": lambda: filled(b",", b"kind,title,text\n"),
        "rows.csv": lambda: filled(b"note,a,b\n", b"kind,title,text\n"),
        "short-rows.csv": lambda: filled(b"x\n", b"kind,title,text\n"),
        "quote.csv": lambda: filled(b'""', b'kind,title,text\nnote,"', b'",x\n'),
        "cell.csv": lambda: filled(b"x", b"kind,title,text\nnote,a,", b"\n"),
        "tags.csv": lambda: filled(b"a,", b'kind,title,tags,text\nnote,a,"', b'",x\n'),
        "lists.json": lambda: filled(b"[],", bitwarden, b"0]}"),
        "objects.json": lambda: filled(b"{},", bitwarden, b"0]}"),
        "items.json": lambda: filled(b'{"type":2,"name":"a","notes":"b"},', bitwarden, b"0]}"),
        "deep.json": lambda: filled(b"[", bitwarden),
        "numbers.json": lambda: filled(b"1,", bitwarden, b"0]}"),
        "escapes.json": lambda: filled(b"\\u4e2d", b'{"a":"', b'"}'),
        "lines.jsonl": lambda: filled(b'{"kind":"note","title":"a","fields":{"text":"b"}}\n', native),
        "short-lines.jsonl": lambda: filled(b"1\n", native),
        "line.jsonl": lambda: filled(b"x", native + b'{"kind":"note","title":"', b'"}\n'),
        "elements.xml": lambda: filled(b"<a/>", keepass, b"</Group></Root></KeePassFile>"),
        "attributes.xml": lambda: b"<KeePassFile><a" + b"".join(b" b%d=''" % i for i in range(SIZE // 12)) + b"/></KeePassFile>",
        "history.xml": lambda: filled(b"<a/>", keepass + b"<Entry><History>", b"</History></Entry></Group></Root></KeePassFile>"),
        "entries.xml": lambda: filled(b"<Entry><String><Key>Title</Key><Value>a</Value></String></Entry>", keepass,
                              b"</Group></Root></KeePassFile>"),
        "text.xml": lambda: filled(b"&#65;", b"<KeePassFile><Root>", b"</Root></KeePassFile>"),
        "table-of-1-gib.csv": lambda: None,
    }


def made_apart(makers, name, folder):
    """Writes one input from a process of its own: a child inherits the peak of the process that starts it."""
    child = os.fork()
    if child == 0:
        data = makers[name]()
        if data is None:
            os.truncate(os.open(folder / name, os.O_CREAT | os.O_WRONLY), 1 << 30)
        else:
            (folder / name).write_bytes(data)
        os._exit(0)
    os.waitpid(child, 0)


def run(words, folder):
    """Exit code, seconds and peak in MiB."""
    start = time.monotonic()
    with open(folder / "said", "wb") as said:
        child = subprocess.Popen(words, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=said)
    while True:
        done, status, usage = os.wait4(child.pid, os.WNOHANG)
        if done:
            break
        if time.monotonic() - start > SECONDS:
            child.kill()
        time.sleep(0.005)
    child.returncode = os.waitstatus_to_exitcode(status)
    return child.returncode, time.monotonic() - start, usage.ru_maxrss / 1024


def last_line(path):
    return path.read_bytes()[-200:].decode(errors="replace").strip().split("\n")[-1][:70]


def main():
    qvault, folder = os.path.abspath(sys.argv[1]), Path(sys.argv[2]).resolve()
    limit = int(sys.argv[3]) if len(sys.argv) > 3 else 256
    folder.mkdir(parents=True, exist_ok=True)
    os.environ.update(QVAULT_PASSWORD_COMMAND="printf %s correct-horse-battery", XDG_STATE_HOME=str(folder / "state"),
                      HOME=str(folder))
    (folder / "v.qvault").unlink(missing_ok=True)
    subprocess.run([qvault, "create", "v.qvault", "-q"], cwd=folder, check=True)
    sound = Path(__file__).resolve().parents[2].joinpath("Spec/product/pictures/before.jpg").read_bytes()
    worst, bad = 0, 0
    runs = ((pictures(sound), "watermark file {} --text a --force -o out"), (imports(), "import {} -f v.qvault --dry-run"))
    for makers, verb in runs:
        for name in makers:
            made_apart(makers, name, folder)
            code, seconds, peak = run([qvault, *verb.format(name).split()], folder)
            is_bad = code < 0 or peak > limit
            worst, bad = max(worst, peak), bad + is_bad
            print(f"{name:20} exit {code:3}  {seconds:6.2f} s  {peak:6.0f} MiB  {'TOO MUCH' if is_bad else ''}  "
                  f"{last_line(folder / 'said')}", flush=True)
            (folder / name).unlink()
    print(f"{sum(len(makers) for makers, _ in runs)} inputs, largest peak {worst:.0f} MiB, limit {limit} MiB, {bad} beyond it")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
