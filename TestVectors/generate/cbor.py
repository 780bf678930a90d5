"""Deterministic CBOR (Spec/entries.cddl), written so that every fault can be written too."""


class Raw(bytes):
    """Bytes that stand in the output as they are."""


class Pairs(list):
    """A map as a list of (key, value), in this very order and with duplicates."""


def head(major, number):
    """The shortest head of a major type with its argument (RFC 8949, 3 and 4.2.1)."""
    for code, size in ((24, 1), (25, 2), (26, 4), (27, 8)):
        if number < 24:
            return bytes([major << 5 | number])
        if number < 1 << 8 * size:
            return bytes([major << 5 | code]) + number.to_bytes(size, "big")
    raise ValueError("number too large for CBOR")


def encode(value):
    """One CBOR item."""
    if isinstance(value, Raw):
        return bytes(value)
    if value is False or value is True or value is None:
        return {False: b"\xf4", True: b"\xf5", None: b"\xf6"}[value]
    if isinstance(value, int):
        return head(0, value) if value >= 0 else head(1, -1 - value)
    if isinstance(value, bytes):
        return head(2, len(value)) + value
    if isinstance(value, str):
        return head(3, len(value.encode())) + value.encode()
    if isinstance(value, Pairs):
        return head(5, len(value)) + b"".join(encode(k) + encode(v) for k, v in value)
    if isinstance(value, (list, tuple)):
        return head(4, len(value)) + b"".join(encode(item) for item in value)
    if isinstance(value, dict):
        return encode(Pairs(sorted(value.items(), key=lambda pair: encode(pair[0]))))
    raise TypeError(type(value))


def diagnostic(value, indent=""):
    """The value in CBOR's diagnostic notation (RFC 8949, 8), one line per entry of the outer levels."""
    if isinstance(value, bytes):
        return "h'" + value.hex() + "'"
    if isinstance(value, str):
        return '"' + value + '"'
    if value is True or value is False or value is None:
        return {True: "true", False: "false", None: "null"}[value]
    if isinstance(value, int):
        return str(value)
    inner = indent + "  "
    if isinstance(value, dict):
        keys = sorted(value, key=encode)
        rows = [diagnostic(key) + ": " + diagnostic(value[key], inner) for key in keys]
        return "{\n" + "".join(inner + row + ",\n" for row in rows)[:-2] + "\n" + indent + "}"
    if not any(isinstance(item, (dict, list, tuple)) for item in value):
        return "[" + ", ".join(diagnostic(item) for item in value) + "]"
    rows = [diagnostic(item, inner) for item in value]
    return "[\n" + "".join(inner + row + ",\n" for row in rows)[:-2] + "\n" + indent + "]"
