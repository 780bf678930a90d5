#!/usr/bin/python3
"""Signs the strip of a copy anew, with a key of nobody and other facts: resigned.py COPY OUT [KEY JSON]… KEY is a number of
Spec/product/strip.md, 2; null takes a fact away. Needs python3-pil, python3-cryptography, qrencode and zbar-tools."""

import io
import json
import subprocess
import sys
from pathlib import Path

from PIL import Image

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "Spec/reader"), str(ROOT / "TestVectors/strip")]
import generate  # noqa: E402
import strip_reader  # noqa: E402

copy, out, changes = sys.argv[1], sys.argv[2], sys.argv[3:]
codes = subprocess.run(["zbarimg", "-q", "--raw", "-Sdisable", "-Sqrcode.enable", copy], capture_output=True, text=True).stdout.splitlines()
text = next(code for code in codes if code.startswith("QV1:"))
facts = strip_reader.Items(strip_reader.bytes_of(text[4:])[97:]).item()
_, _, left, top, module = facts[6]
for key, value in zip(changes[::2], changes[1::2]):
    facts[int(key)] = json.loads(value)
facts = {key: facts[key] for key in sorted(facts) if facts[key] is not None}
code = subprocess.run(["qrencode", "-l", "L", "-v", "16", "-m", "0", "-s", str(module), "-t", "PNG", "-o", "-"],
                      input=generate.code(generate.signed(generate.encoded(facts))).encode(), capture_output=True, check=True).stdout
image = Image.open(copy).convert("RGB")
image.paste(Image.open(io.BytesIO(code)).convert("RGB"), (left, top))
image.save(out, quality=95)
