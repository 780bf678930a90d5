#!/usr/bin/python3
"""Writes Sources/CWords/pinyin.txt from the Unicode Consortium's Unihan database (Debian's unicode-data).

usage: pinyin-table.py [--check]     (--check: nothing is written; says whether the file is what it would be)

Taken are the readings in Mandarin of the fields kMandarin, kHanyuPinlu and kXHC1983, without tones, of the characters
U+4E00 to U+9FFF; the letter u with diaeresis is v, as people type it.
"""

import bz2, re, sys, unicodedata
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCE = Path("/usr/share/unicode/Unihan_Readings.txt.bz2")
TARGET = ROOT / "Sources/CWords/pinyin.txt"


def plain(reading):
    """`lǜ` as `lv`; nothing where it is no syllable of Mandarin in Latin letters."""
    letters = unicodedata.normalize("NFD", reading.lower()).replace("u\\u0308", "v").replace("u\u0308", "v")
    letters = "".join(letter for letter in letters if not unicodedata.combining(letter))
    return letters if re.fullmatch("[a-z]{1,6}", letters) else None


def readings(field, value):
    if field == "kHanyuPinlu":
        return re.findall(r"([^\s(]+)\(", value)
    if field == "kXHC1983":
        return [word for part in value.split() for word in part.split(":")[1].split(",")]
    return value.split()


def syllables():
    """The characters of each syllable."""
    found = {}
    for line in bz2.open(SOURCE, "rt", encoding="utf-8"):
        words = line.rstrip("\n").split("\t")
        if len(words) != 3 or words[1] not in ("kMandarin", "kHanyuPinlu", "kXHC1983"):
            continue
        scalar = int(words[0][2:], 16)
        if 0x4E00 <= scalar <= 0x9FFF:
            for reading in filter(None, map(plain, readings(words[1], words[2]))):
                found.setdefault(reading, set()).add(chr(scalar))
    return found


def table():
    return "".join(f"{name} {''.join(sorted(characters))}\n" for name, characters in sorted(syllables().items()))


def main():
    if "--check" not in sys.argv:
        TARGET.write_text(table(), encoding="utf-8")
        return 0
    if TARGET.read_text(encoding="utf-8") == table():
        return 0
    print(f"{TARGET.name} is not what Tests/Checks/pinyin-table.py writes")
    return 1


if __name__ == "__main__":
    sys.exit(main())
