#!/usr/bin/python3
"""What goes out is what is seen: seen.py QVAULT FOLDER [SEED [EVERY]]

Documents are marked, and each copy is compared with a drawing of the document that is not the command's own. What is hidden in a
document must not be in its copy, and what is seen must be. A document may be refused (11) unless it is an ordinary one. The mark
is faint here, so that it cannot be taken for a fault. seen_tiff.py, seen_pictures.py and seen_pages.py make the documents.

Pages of a PDF are compared twice: as pdftoppm draws them, and the picture that lies in the copy by itself.

Prints a line a kind, and one for each fault, whose document and copy stay in FOLDER; ends with 1 if there is one. Environment:
ONLY, a part of a kind's name. EVERY 2 takes every other document of a kind. Needs python3-pil, python3-numpy, poppler-utils, qpdf and heif-enc.
"""

import collections
import io
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
from PIL import Image, ImageOps

import seen_pages
import seen_pictures
import seen_tiff
from seen_judge import judge

QVAULT, FOLDER = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
SEED = int(sys.argv[3]) if len(sys.argv) > 3 else 1
EVERY = int(sys.argv[4]) if len(sys.argv) > 4 else 1
ONLY = os.environ.get("ONLY", "")
FAINT = ["--single", "--opacity", "0.05", "--allow-faint", "--dpi", "100"]
SECRET = b"SECRET"
SECONDS = 30


def marked(case):
    """Marks a document. Gives the exit code and what was said, and the copy where there is one."""
    source = FOLDER / f"in.{case.ending}"
    out = FOLDER / f"out.{ {'pdf': 'pdf', 'png': 'png'}.get(case.ending, 'jpg')}"
    source.write_bytes(case.data)
    out.unlink(missing_ok=True)
    more = FAINT if case.ending == "pdf" else FAINT[:-2]
    try:
        done = subprocess.run([str(QVAULT), "watermark", "file", str(source), "--recipient", "A", "--purpose", "B", *more, "-o",
                               str(out)], capture_output=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return None, "takes too long", None
    return done.returncode, done.stderr.decode(errors="replace").strip(), out if out.exists() else None


def picture_of(file):
    """A picture as a person sees it."""
    image = ImageOps.exif_transpose(Image.open(file))
    if image.mode.startswith("I"):
        return np.repeat(np.asarray(image, float)[..., None], 3, 2) / 257
    return np.asarray(image.convert("RGB")).astype(float)


def picture_fault(case, out):
    """What is wrong with a copy that is a picture."""
    return judge(picture_of(out), case) or (case.check(out.read_bytes()) if case.check else None)


def fault(case, code, words, out):
    """What is wrong with a run, or None."""
    if code == 11:
        return f"an ordinary one is refused: {words}" if case.ordinary else None
    if code != 0 or out is None:
        return f"ends with {code}: {words[:200]}"
    if SECRET in out.read_bytes():
        return "has hidden words in it"
    return seen_pages.fault(case, out, FOLDER) if case.ending == "pdf" else picture_fault(case, out)


def kept(case, out, number):
    """Keeps a document with a fault, and its copy."""
    name = re.sub(r"[^a-z0-9]+", "-", f"{case.kind} {case.name}".lower()).strip("-")[:100]
    file = FOLDER / "wrong" / f"{number:03}-{name}.{case.ending}"
    file.write_bytes(case.data)
    if out is not None:
        shutil.copy(out, file.with_name(f"{file.stem}-copy{out.suffix}"))
    return file


class Tally:
    """What became of the documents of each kind."""

    def __init__(self):
        self.counts = collections.defaultdict(collections.Counter)
        self.wrong = collections.defaultdict(list)
        self.numbers = 0

    def run(self, case):
        code, words, out = marked(case)
        what = fault(case, code, words, out)
        self.counts[case.kind]["refused" if code == 11 else "marked"] += 1
        if what:
            self.numbers += 1
            self.wrong[case.kind].append((case.name, what, kept(case, out, self.numbers)))

    def report(self):
        """Prints the kinds and their faults."""
        for kind, counts in self.counts.items():
            print(f"{kind:<24} {sum(counts.values()):>4} documents: {counts['refused']} refused, {len(self.wrong[kind])} wrong")
            for name, what, file in self.wrong[kind]:
                print(f"  {name}: {what} ({file.name})")
        return self.numbers


def cases():
    """All documents. Each module has random numbers of its own, so that one does not move the others'."""
    yield from seen_tiff.cases(np.random.default_rng(SEED))
    yield from seen_pictures.cases(np.random.default_rng(SEED + 1), FOLDER)
    yield from seen_pages.cases(np.random.default_rng(SEED + 2), FOLDER)


def main():
    shutil.rmtree(FOLDER, ignore_errors=True)
    (FOLDER / "wrong").mkdir(parents=True)
    os.environ["XDG_STATE_HOME"] = str(FOLDER / "state")
    start, tally = time.monotonic(), Tally()
    numbers = collections.Counter()
    for case in cases():
        if ONLY in case.kind and numbers[case.kind] % EVERY == 0:
            tally.run(case)
        numbers[case.kind] += 1
    wrong = tally.report()
    print(f"{wrong} wrong; {time.monotonic() - start:.0f} s")
    return 1 if wrong else 0


sys.exit(main())
