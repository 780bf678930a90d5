"""Parity (Spec/container.md, 3.9): its field, its code and its blocks, with plain tables."""

from primitives import u16, u32, u64

PAYLOAD, FILE = 1, 2
DATA, BLOCK, CHECKS = 1024, 1280, 52
MAGIC = b"\x89QVPRTY\n"


def powers():
    """The powers of x in GF(2^8), and the exponent of each element but 0."""
    element, exponents, elements = 1, {}, []
    for exponent in range(255):
        elements.append(element)
        exponents[element] = exponent
        element <<= 1
        if element > 255:
            element ^= 0x11D
    return elements, exponents


ELEMENTS, EXPONENTS = powers()


def inverse(element):
    return ELEMENTS[-EXPONENTS[element] % 255]


def times(factor):
    """The products of all bytes with a factor, for `bytes.translate`."""
    return bytes([0] + [ELEMENTS[(EXPONENTS[factor] + EXPONENTS[byte]) % 255] for byte in range(1, 256)])


def crc_table():
    table = []
    for value in range(256):
        for _ in range(8):
            value = value >> 1 ^ (0x82F63B78 if value & 1 else 0)
        table.append(value)
    return table


CRC = crc_table()


def crc32c(data):
    """CRC-32C (RFC 3720, B.4)."""
    value = 0xFFFFFFFF
    for byte in data:
        value = CRC[(value ^ byte) & 255] ^ value >> 8
    return value ^ 0xFFFFFFFF


def block(kind, m, row, group, start, length, tag, checks, parity):
    """A parity block."""
    front = MAGIC + bytes([kind, m]) + u16(row) + u32(group) + u64(start) + u64(length) + tag + b"".join(map(u32, checks))
    return front + u32(crc32c(front + parity)) + parity


def groups(n):
    """The groups of n data blocks."""
    return -(-n // 200) | 1


def encode(data, kind, m, start, tag):
    """All parity blocks of a range."""
    n = len(data) // DATA
    count = groups(n)
    k = -(-n // count)
    rows = []
    for row in range(m):
        factors = [times(inverse(k + row ^ place)) for place in range(k)]
        for group in range(count):
            blocks = [data[at * DATA:(at + 1) * DATA] for at in range(group, n, count)]
            total = 0
            for factor, piece in zip(factors, blocks):
                total ^= int.from_bytes(piece.translate(factor), "big")
            crcs = [crc32c(piece) for piece in blocks] + [0] * (k - len(blocks))
            checks = [crcs[(CHECKS * row + index) % k] for index in range(CHECKS)]
            rows.append(block(kind, m, row, group, start, len(data), tag, checks, total.to_bytes(DATA, "big")))
    return b"".join(rows)
