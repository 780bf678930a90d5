#!/usr/bin/env python3
"""Writes bytes into all pages of a vault and makes their SHA-256 right again (container.md, 2.1), as anybody can.

usage: set_field.py VAULT OFFSET HEX
"""
import hashlib
import os
import sys

PAGES = (0, 65536)


def main(path, offset, value):
    with open(path, "r+b") as file:
        for page in (*PAGES, os.fstat(file.fileno()).st_size - 4096):
            file.seek(page + offset)
            file.write(value)
            file.seek(page)
            digest = hashlib.sha256(file.read(4064)).digest()
            file.seek(page + 4064)
            file.write(digest)


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(sys.argv[1], int(sys.argv[2]), bytes.fromhex(sys.argv[3]))
