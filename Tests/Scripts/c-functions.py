#!/usr/bin/python3
"""Prints the functions that headers declare or define, one a line: c-functions.py HEADER…"""

import re
import sys
from pathlib import Path


def functions(text):
    text = re.sub(r"/\*.*?\*/|//[^\n]*", " ", text, flags=re.S)
    text = re.sub(r"^\s*#(?:\\\n|[^\n])*", "", text, flags=re.M)
    # Bodies and the fields of structures go, the innermost first.
    while (shorter := re.sub(r"\{[^{}]*\}", ";", text)) != text:
        text = shorter
    for statement in text.split(";"):
        if found := re.match(r"\s*(?!typedef\b)[\w\s*]*?\b(\w+)\s*\(", statement):
            yield found[1]


print("\n".join(sorted({name for path in sys.argv[1:] for name in functions(Path(path).read_text())})))
