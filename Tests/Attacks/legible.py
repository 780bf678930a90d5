#!/usr/bin/python3
"""Whether a marked page is read: legible.py QVAULT FOLDER [OPTION ...]. Draws ten documents of nobody, marks them with the options
of 'watermark file', and prints how many of their fields a text recognition reads, and how often it reads in the mark for whom and
what for it is, and until when; at full size, and at 1,280 pixels and a quality of 70; last how much PNGs grow. The Python that runs it needs
rapidocr_onnxruntime; documents are drawn with python3-pil, python3-numpy and fonts-wqy-microhei."""

import io
import json
import os
import subprocess
import sys
import unicodedata
from pathlib import Path

import numpy as np
from PIL import Image
from rapidocr_onnxruntime import RapidOCR

KEYS = "clean", "clean small", "marked", "marked small", "growth", "read", "read small"
ROOT = Path(__file__).parents[2]
RECIPIENT, PURPOSE, UNTIL = "招商银行", "开户", "2027-12-31"


def plain(text):
    """Without blanks, width and the case of letters; punctuation does not count, but points of numbers do."""
    return "".join(c for c in unicodedata.normalize("NFKC", text).upper() if c.isalnum() or c in ".<")


def recognised(reader, image):
    found, _ = reader(np.asarray(image)[:, :, ::-1])
    return [plain(text) for _, text, _ in found or []]


def small(image):
    image = image.copy()
    image.thumbnail((1280, 1280), Image.LANCZOS)
    out = io.BytesIO()
    image.save(out, "JPEG", quality=70)
    return Image.open(out).convert("RGB")


def marked(qvault, path, options):
    """Marks a document; the path of the copy, and what is said of it."""
    out = path.with_name(path.stem + "-marked" + path.suffix)
    made = subprocess.run(
        [qvault, "watermark", "file", str(path), "--recipient", RECIPIENT, "--purpose", PURPOSE, "--until", UNTIL, "-o", str(out),
         "--force", "--json", *options], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if made.returncode:
        sys.exit(f"{path.name}: {made.stderr}")
    return out, json.loads(made.stdout)


def marks_read(reader, image, angle):
    """How often the mark is read along its rows: for whom and what for, and until when."""
    turned = image.rotate(-angle, Image.BICUBIC, expand=True, fillcolor=(255, 255, 255))
    text = " ".join(recognised(reader, turned))
    return min(text.count(RECIPIENT + PURPOSE), text.count(UNTIL.replace("-", "")))


def main():
    qvault, folder, options = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve(), sys.argv[3:]
    subprocess.run(["/usr/bin/python3", str(ROOT / "Tests/Scripts/papers.py"), str(folder)], check=True)
    os.environ["XDG_STATE_HOME"] = str(folder / "state")
    reader, totals = RapidOCR(), {}
    print(f"{'document':12}{'fields':>7}{'clean':>13}{'marked':>13}{'bytes':>7}{'rows':>6}{'marks read':>13}", flush=True)
    for path in sorted(p for p in folder.glob("*.jpg") if not p.stem.endswith("-marked")):
        fields = [plain(line) for line in path.with_suffix(".txt").read_text().splitlines()]
        clean = Image.open(path).convert("RGB")
        out, facts = marked(qvault, path, options)
        copy = Image.open(out).convert("RGB")
        counts = []
        for image in (clean, small(clean), copy, small(copy)):
            text = "\n".join(recognised(reader, image))
            counts.append(sum(field in text for field in fields))
        angle, rows = min(30, 36 * copy.height / copy.width), facts["whole_rows"]
        read = [marks_read(reader, image, angle) for image in (copy, small(copy))]
        growth = out.stat().st_size / path.stat().st_size
        print(f"{path.stem:12}{len(fields):7}{counts[0]:7}{counts[1]:6}{counts[2]:7}{counts[3]:6}{growth:7.2f}{rows:6}{read[0]:8}{read[1]:5}", flush=True)
        for key, value in zip(KEYS, (*counts, growth, read[0] > 0, read[1] > 0)):
            totals[key] = totals.get(key, 0) + value
    full, less = totals["marked"] / totals["clean"], totals["marked small"] / totals["clean small"]
    print(f"fields, of those read without a mark: {100 * full:.0f} % at full size, {100 * less:.0f} % at 1,280 pixels\n"
          f"documents whose mark is read: {totals['read']} and {totals['read small']} of 10; bytes x {totals['growth'] / 10:.2f}")
    for name in ("screen", "palette", "fax"):
        path = folder / f"{name}.png"
        out, _ = marked(qvault, path, options)
        print(f"{path.name}: {path.stat().st_size} bytes, x {out.stat().st_size / path.stat().st_size:.2f}")


if __name__ == "__main__":
    main()
