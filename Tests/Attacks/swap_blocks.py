#!/usr/bin/env python3
"""An attacker without a key, written from the Spec: swaps the first two 16-byte ciphertext blocks of the
newest commit's payload and makes every hash right again (container.md, 2.1, 3.2, 3.3).

usage: swap_blocks.py VAULT
"""
import hashlib
import struct
import sys

PAGES = (0, 65536)
LOG = 131072


def row(salt, index, block):
    return hashlib.sha256(b"quickvault/1/block\0" + salt + index.to_bytes(8, "big") + block).digest()


def main(path):
    with open(path, "rb") as file:
        data = bytearray(file.read())
    newest = max(PAGES, key=lambda page: (struct.unpack_from(">Q", data, page + 64), -page))
    core = newest + 2304
    salt = bytes(data[core + 56:core + 88])
    start, length = struct.unpack_from(">QQ", data, core + 88)
    start += LOG
    record = start + length
    table = record + 1024
    rows = -(-length // 65536) + 1

    # Behind the first record's salt and sealed header: the ciphertext of its first chunk.
    at = start + 192
    data[at:at + 16], data[at + 16:at + 32] = data[at + 16:at + 32], data[at:at + 16]

    data[table:table + 32] = row(salt, 0, bytes(data[start:min(start + 65536, record)]))
    fixed = hashlib.sha256(data[table:table + 32 * rows]).digest()
    pages = (*PAGES, len(data) - 4096)
    places = [record] + [page + 2304 for page in pages if data[page + 2304:page + 3328] == data[record:record + 1024]]
    for place in places:
        data[place + 144:place + 176] = fixed
        data[place + 480:place + 512] = hashlib.sha256(data[place:place + 480]).digest()
    for page in pages:
        data[page + 4064:page + 4096] = hashlib.sha256(data[page:page + 4064]).digest()
    with open(path, "wb") as file:
        file.write(data)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
