#!/usr/bin/python3
"""Finds options that no verb declares, and options that are parsed and never asked for."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2] / "Sources/qvault"
NAMES = re.compile(r"^enum OptionName\b.*?\n\n", re.M | re.S)
DECLARED = re.compile(r"Option\(\s*\.(\w+)")


def main():
    texts = [path.read_text() for path in sorted(ROOT.rglob("*.swift"))]
    cases = re.findall(r"^    case (.+(?:\n        .+)*)", NAMES.search("\n".join(texts))[0], re.M)
    names = set(re.findall(r"\w+", " ".join(cases)))
    declared = {name for text in texts for name in DECLARED.findall(text)}
    # Every mention outside of a declaration is a question.
    asked = {name for text in texts for name in re.findall(r"[(\[ ](?:OptionName)?\.(\w+)\b", DECLARED.sub("", text))}
    faults = [f"OptionName.{name}: no verb declares it" for name in sorted(names - declared)]
    faults += [f"OptionName.{name}: nothing asks for it" for name in sorted(names - asked)]
    print("\n".join(faults) or f"{len(names)} options are declared and asked for")
    return 1 if faults or not names else 0


sys.exit(main())
