#!/usr/bin/python3
"""Holds the options that the command asks for against those that it declares: a typing error would mean "not given"."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2] / "Sources/qvault"
DECLARED = re.compile(r'Option\(\s*((?:"-[\w-]*",?\s*)+)')
ASKED = re.compile(r'(?:has|bytes|texts?|validText|number|time|operands?)\("(--?[\w-]+)"|"(--[\w-]+)"(?=[^\n]*(?:\.contains|\.first|arguments))')


def main():
    texts = {path: path.read_text() for path in sorted(ROOT.rglob("*.swift")) if not path.name.startswith("Chinese")}
    declared = {name for text in texts.values() for names in DECLARED.findall(text) for name in re.findall(r'"(-[\w-]*)"', names)}
    faults, count = [], 0
    for path, text in texts.items():
        for number, line in enumerate(text.split("\n"), 1):
            for match in ASKED.finditer(line):
                name = match.group(1) or match.group(2)
                count += 1
                if name not in declared:
                    faults.append(f"{path.relative_to(ROOT.parent.parent)}:{number}: no option is called {name}")
    print("\n".join(faults) or f"{count} questions about {len(declared)} options")
    return 1 if faults else 0


sys.exit(main())
