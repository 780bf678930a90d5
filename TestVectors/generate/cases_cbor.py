"""Vectors about the CBOR of a live chunk. All faults stand behind right tags."""

from cases_log import hooked
from cases_manifest import MALFORMED
from cbor import Pairs, Raw, encode
from layout import Put
from primitives import u64
from vectors import vector


def cbor(name, comment, change, **classes):
    hooked("cbor-" + name, comment, "live-cbor", change, **(classes or MALFORMED))


def value(name, comment, new, **classes):
    """An unknown entry key whose value is the given CBOR."""
    @vector("cbor-" + name, comment, **(classes or MALFORMED))
    def make(vault):
        vault.commit(Put("file", b"x", entry={23: Raw(new)}))


def pairs(name, comment, change):
    """The live entry as a map whose pairs are changed."""
    def of_items(items):
        return [(first, change(sorted(entry.items()))) for first, entry in items]
    hooked("cbor-" + name, comment, "live", of_items, **MALFORMED)


cbor("trailing", "A byte behind the CBOR of a live chunk.", lambda old: old + b"\x00")
cbor("truncated", "The CBOR of a live chunk ends early.", lambda old: old[:-1])
cbor("empty", "A live chunk whose CBOR is one byte: an empty array.", lambda old: b"\x80")
cbor("array-indefinite", "A live chunk that is an array of indefinite length.", lambda old: b"\x9f" + old[1:] + b"\xff")
cbor("array-not-shortest", "The length of the outer array is not in its shortest form.", lambda old: b"\x98\x01" + old[1:])
pairs("keys-order", "The keys of an entry are in descending order.", lambda old: Pairs(old[::-1]))
pairs("keys-twice", "A key of an entry stands twice.", lambda old: Pairs(old[:3] + old[2:]))
pairs("map-indefinite", "An entry is a map of indefinite length.", lambda old: Raw(b"\xbf" + encode(dict(old))[1:] + b"\xff"))
pairs("key-not-shortest", "A key of an entry is not in its shortest form.", lambda old: Pairs([(Raw(b"\x18\x00"), old[0][1])] + old[1:]))
for size, text in ((1, b"\x18\x17"), (8, b"\x1b\x00\x00\x00\x00\xff\xff\xff\xff")):
    value(f"integer-{size}-not-shortest", f"An integer with {size} more bytes than its shortest form has, or more.", text)
value("integers-shortest", "Each length of an integer with the least number that needs it.",
      encode([23, 24, 255, 256, 65535, 65536, 2**32 - 1, 2**32, -24, -25, -2**32, -2**32 - 1]), read="ok")
value("text-not-shortest", "A text whose length is not in its shortest form.", b"\x78\x01a")
value("text-not-utf-8", "A text that is not UTF-8.", b"\x62\xc3\x28")
value("text-surrogate", "A text with an encoded surrogate.", b"\x63\xed\xa0\x80")
value("text-indefinite", "A text of indefinite length.", b"\x7f\x61a\xff")
value("float-64", "A double-precision float.", b"\xfb" + bytes(8))
value("tag", "A tag.", b"\xc1\x00")
value("tag-0", "A tag that would be an empty map, were it a map.", b"\xc0")
value("simple-19", "The simple value 19, the last one before false.", b"\xf3")
value("undefined", "The simple value undefined.", b"\xf7")
value("simple-byte", "A simple value in two bytes.", b"\xf8\xff")
value("break", "A break where an item belongs.", b"\xff")
value("bytes-too-long", "A byte string longer than the chunk.", b"\x5b" + u64(2**64 - 1))
value("map-keys-order", "Text keys in a nested map in the order of their characters, not of their encodings.",
      encode(Pairs([("aa", 1), ("b", 2)])))
value("map-keys-twice", "A key twice in a nested map.", encode(Pairs([("a", 1), ("a", 2)])))
value("nesting-16", "Arrays nested so that the innermost is the 16th level, that of the chunk being the first.",
      b"\x81" * 13 + b"\x80", read="ok")
value("nesting-16-integer", "An integer in an array on the 16th level.", b"\x81" * 14 + b"\x00", read="ok")
value("nesting-17", "Arrays nested so that the innermost is the 17th level, that of the chunk being the first.", b"\x81" * 14 + b"\x80")
value("integer-largest", "The largest and the smallest integer of CBOR.", b"\x82\x1b" + b"\xff" * 8 + b"\x3b" + b"\xff" * 8, read="ok")
