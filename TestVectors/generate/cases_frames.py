"""Vectors of compressed content (Spec/container.md, 3.7). The frames are made by hand, of raw and of repeated bytes, but for
one of libzstd's."""

import struct

from attacker import flip, put
from layout import SYMLINK, Purge, Put, tree_id
from primitives import u32, u64
from vectors import content, released_before, unpacked, vector

MIB = 1 << 20
MALFORMED = dict(read="malformed")
# What libzstd 1.5.4 makes, at level 3, of the bytes of TEXT.
TEXT = b"The quick brown fox jumps over the lazy dog. " * 40
LIBZSTD = bytes.fromhex("28b52ffd640806b50100d40254686520717569636b2062726f776e20666f78206a756d7073206f76657220746865206c617a7920646f672e200100c516feaa0cd7fc9310")


def block(kind, size, body, last):
    """A block (RFC 8878, 3.1.1.2): kind 0 raw, 1 one byte repeated."""
    return (size << 3 | kind << 1 | last).to_bytes(3, "little") + body


def header(size, descriptor=0xA4):
    """The header of a frame of one segment with a checksum (RFC 8878, 3.1.1.1), its content size in 4 bytes."""
    return b"\x28\xb5\x2f\xfd" + bytes([descriptor]) + size.to_bytes(4, "little")


def checksum(data):
    """The low 4 bytes of XXH64 with seed 0 (github.com/Cyan4973/xxHash, doc/xxhash_spec.md)."""
    p1, p2, p3, p4, p5 = (0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5)
    mask = (1 << 64) - 1

    def turn(value, by):
        value &= mask
        return (value << by | value >> (64 - by)) & mask

    def mixed(lane, word):
        return turn(lane + word * p2, 31) * p1 & mask
    whole = len(data) // 32 * 32
    total = p5
    if whole:
        lanes = [p1 + p2, p2, 0, -p1]
        for words in struct.iter_unpack("<4Q", data[:whole]):
            lanes = [mixed(lane, word) for lane, word in zip(lanes, words)]
        total = sum(turn(lane, by) for lane, by in zip(lanes, (1, 7, 12, 18)))
        for lane in lanes:
            total = ((total ^ mixed(0, lane)) * p1 + p4) & mask
    total = (total + len(data)) & mask
    at = whole
    while at + 8 <= len(data):
        total = (turn(total ^ mixed(0, int.from_bytes(data[at:at + 8], "little")), 27) * p1 + p4) & mask
        at += 8
    if at + 4 <= len(data):
        total = (turn(total ^ int.from_bytes(data[at:at + 4], "little") * p1, 23) * p2 + p3) & mask
        at += 4
    for byte in data[at:]:
        total = turn(total ^ byte * p5, 11) * p1 & mask
    total = (total ^ total >> 33) * p2 & mask
    total = (total ^ total >> 29) * p3 & mask
    return ((total ^ total >> 32) & 0xFFFFFFFF).to_bytes(4, "little")


def zeros(size, said=None):
    """A frame of zeros, in blocks of 128 KiB, that says it has another size."""
    sizes = [min(1 << 17, size - at) for at in range(0, size, 1 << 17)]
    blocks = [block(1, size, b"\x00", index == len(sizes) - 1) for index, size in enumerate(sizes)]
    return header(size if said is None else said) + b"".join(blocks) + checksum(bytes(size))


def raw(data):
    """A frame of bytes as they are."""
    parts = [data[at:at + (1 << 17)] for at in range(0, len(data), 1 << 17)]
    blocks = [block(0, len(part), part, index == len(parts) - 1) for index, part in enumerate(parts)]
    return header(len(data)) + b"".join(blocks) + checksum(data)


def table(*frames):
    """The frames of a record and their table."""
    return b"".join(frames) + b"".join(u32(len(frame)) for frame in frames)


def compressed(name, comment, plain, frames, gives=None, kind=1, entry=None, hook=None, **classes):
    """A file whose content is stored as these bytes; `gives` is what is handed out."""
    @vector("frames-" + name, comment, **classes)
    def make(vault):
        if hook:
            vault.hook(*hook)
        vault.commit(Put("file", plain, kind=kind, frames=frames, entry=entry or {}))
        vault.gives = plain if classes.get("read", "ok") == "ok" else gives or b""


ZEROS = bytes(5000)
SUM = checksum(ZEROS)
LONG = bytes(MIB) + content(70000)
TWO = [zeros(MIB), raw(content(70000))]

# What is right

compressed("one", "Content in one frame.", ZEROS, zeros(5000))
compressed("libzstd", "A frame that libzstd made.", TEXT, LIBZSTD)
compressed("two", "Content in two frames, with a table.", LONG, table(*TWO))
compressed("mebibyte", "Content of 1 MiB: one frame, and no table.", bytes(MIB), zeros(MIB))
compressed("mebibyte-and-one", "Content of 1 MiB and a byte: two frames.", bytes(MIB + 1), table(zeros(MIB), zeros(1)))
compressed("longer", "A frame that is longer than its content.", b"short", raw(b"short"))
compressed("as-long", "Stored bytes as long as the content.", bytes(13), zeros(13))
compressed("size-short", "A content size in one byte.", bytes(200), header(0, 0x24)[:5] + bytes([200]) + block(1, 200, b"\x00", 1) + checksum(bytes(200)))
compressed("size-long", "A content size in eight bytes.", ZEROS, header(0, 0xE4)[:5] + (5000).to_bytes(8, "little") + block(1, 5000, b"\x00", 1) + SUM)
compressed("chunks", "A frame over two chunks of the record.", content(70000), raw(content(70000)))

# The numbers

compressed("header-zero", "The sealed header says that the content is not compressed.", ZEROS, zeros(5000),
           hook=("record-header", put(72, u64(0))), **MALFORMED)
compressed("header-other", "The stored length in the header is not that of the entry.", ZEROS, zeros(5000),
           hook=("record-header", put(72, u64(14))), **MALFORMED)
compressed("header-alone", "The entry does not say that the content is compressed.", b"short", None,
           hook=("record-header", put(72, u64(5))), **MALFORMED)
compressed("empty", "A frame of no content.", b"", header(0) + block(0, 0, b"", 1) + checksum(b""), **MALFORMED)
compressed("no-bytes", "Compressed to nothing.", ZEROS, b"", **MALFORMED)
compressed("symlink", "The target of a symlink is compressed: judged when it is read.", b"a" * 100,
           header(100) + block(1, 100, b"a", 1) + checksum(b"a" * 100), kind=SYMLINK, verify="malformed", more=unpacked("malformed"))
compressed("length-less", "The content is a byte longer than the entry says.", bytes(4999), zeros(5000), **MALFORMED)
compressed("length-more", "The content is a byte shorter than the entry says.", bytes(5001), zeros(5000), **MALFORMED)
compressed("length-lie", "A frame says the right size and holds a byte less.", ZEROS, zeros(4999, said=5000), **MALFORMED)
compressed("bomb", "A frame says the right size and holds 128 MiB.", ZEROS,
           header(5000) + block(1, 1 << 17, b"\x00", 0) * 1023 + block(1, 1 << 17, b"\x00", 1) + SUM, **MALFORMED)
compressed("huge", "An entry says 2^40 bytes, of which one frame of 1 MiB is there.", bytes(MIB), zeros(MIB), entry={5: 1 << 40},
           hook=("record-header", put(32, u64(1 << 40))), **MALFORMED)

# The frames

compressed("magic", "The magic of a skippable frame.", ZEROS, b"\x50\x2a\x4d\x18" + zeros(5000)[4:], **MALFORMED)
compressed("skippable", "A skippable frame before the frame.", ZEROS, b"\x50\x2a\x4d\x18\x04\x00\x00\x00abcd" + zeros(5000), **MALFORMED)
compressed("trailing", "A byte behind the frame.", ZEROS, zeros(5000) + b"\x00", **MALFORMED)
compressed("twice", "Two frames where one belongs.", ZEROS, zeros(2500) * 2, **MALFORMED)
compressed("cut", "The last byte of the frame is missing.", ZEROS, zeros(5000)[:-1], **MALFORMED)
compressed("no-last", "No block of the frame is the last.", ZEROS, header(5000) + block(1, 5000, b"\x00", 0) + SUM, **MALFORMED)
compressed("reserved-block", "A block of the reserved kind.", ZEROS, header(5000) + block(3, 5000, b"\x00", 1) + SUM, **MALFORMED)
compressed("checksum", "The checksum of a frame is wrong.", ZEROS, zeros(5000)[:-1] + b"\xff", **MALFORMED)
compressed("no-checksum", "A frame without a checksum.", ZEROS, header(5000, 0xA0) + block(1, 5000, b"\x00", 1), **MALFORMED)
compressed("dictionary", "A frame that wants a dictionary.", ZEROS, header(5000, 0xA5)[:5] + b"\x01" + (5000).to_bytes(4, "little")
           + block(1, 5000, b"\x00", 1) + SUM, **MALFORMED)
compressed("window", "A frame with a window and no single segment.", ZEROS, header(5000, 0x84)[:5] + b"\x58" + (5000).to_bytes(4, "little")
           + block(1, 5000, b"\x00", 1) + SUM, **MALFORMED)
compressed("no-size", "A frame without a content size.", ZEROS, header(0, 0x04)[:5] + b"\x58" + block(1, 5000, b"\x00", 1) + SUM,
           **MALFORMED)
compressed("reserved-bit", "The reserved bit of a frame's descriptor.", ZEROS, header(5000, 0xAC) + block(1, 5000, b"\x00", 1) + SUM,
           **MALFORMED)
compressed("unused-bit", "The unused bit of a frame's descriptor.", ZEROS, header(5000, 0xB4) + block(1, 5000, b"\x00", 1) + SUM,
           **MALFORMED)
compressed("block-raw-long", "A raw block of more than 128 KiB.", content(200000), header(200000) + block(0, 200000, content(200000), 1)
           + checksum(content(200000)), **MALFORMED)
compressed("block-repeated-long", "A block of one byte repeated more than 128 Ki times.", bytes(200000),
           header(200000) + block(1, 200000, b"\x00", 1) + checksum(bytes(200000)), **MALFORMED)
compressed("literals", "A compressed block that is none.", ZEROS, header(5000) + block(2, 4, b"\xff\xff\xff\xff", 1) + SUM, **MALFORMED)

compressed("magic-alone", "The magic of a frame, and no more.", ZEROS, zeros(5000)[:4], **MALFORMED)


def padded(count, size):
    """A frame of 1,000 bytes with so many empty blocks, its content size in 2 or 4 bytes."""
    front = header(0, 0x64)[:5] + (1000 - 256).to_bytes(2, "little") if size == 2 else header(1000)
    return front + block(0, 0, b"", 0) * count + raw(content(1000))[9:]


compressed("longest", "A frame of 4 KiB more than its content.", content(1000), padded(1360, 4))
compressed("longest-and-one", "A frame of 4 KiB and a byte more than its content.", content(1000), padded(1361, 2), **MALFORMED)

# The table

compressed("table-missing", "Two frames and no table.", LONG, b"".join(TWO), **MALFORMED)
compressed("table-needless", "One frame, and a table.", ZEROS, table(zeros(5000)), **MALFORMED)
compressed("table-sum", "The lengths in the table are a byte too many.", LONG, b"".join(TWO) + u32(len(TWO[0])) + u32(len(TWO[1]) + 1),
           **MALFORMED)
compressed("table-shifted", "The table cuts the frames a byte too early.", LONG, b"".join(TWO) + u32(len(TWO[0]) - 1) + u32(len(TWO[1]) + 1),
           **MALFORMED)
compressed("table-zero", "A length in the table is zero.", LONG, b"".join(TWO) + u32(0) + u32(len(TWO[0] + TWO[1])), **MALFORMED)
compressed("table-exchanged", "The frames stand in the other order.", LONG, table(TWO[1], TWO[0]), **MALFORMED)
compressed("table-last", "The last of three lengths in the table is zero: nothing is handed out.", bytes(2 * MIB + 5), zeros(MIB) + zeros(MIB)
           + u32(len(zeros(MIB))) * 2 + u32(0), **MALFORMED)
compressed("table-one", "The last of three lengths in the table is 1: the frames before are handed out.", bytes(2 * MIB + 5),
           zeros(MIB) + zeros(MIB) + b"\x28" + u32(len(zeros(MIB))) * 2 + u32(1), gives=bytes(2 * MIB), **MALFORMED)
compressed("second", "The second of two frames is wrong: the first is handed out.", LONG, table(TWO[0], TWO[1][:-1] + b"\xff"),
           gives=bytes(MIB), **MALFORMED)
compressed("frame-length", "A frame of 4 KiB and a few bytes more than its content.", content(MIB),
           header(MIB) + block(0, 0, b"", 0) * 1400 + raw(content(MIB))[9:], **MALFORMED)


@vector("frames-bit", "A byte of the second frame is damaged: the first is handed out.", "damaged", "damaged")
def damaged(vault):
    plain = bytes(MIB) + content(200000)
    commit = vault.commit(Put("file", plain, frames=table(zeros(MIB), raw(content(200000)))))
    vault.gives = bytes(MIB)
    data = vault.file()
    flip(data, commit.stored[0][0] + 192 + 65552)
    return data


@vector("frames-long", "A single frame of 2 MiB, of which a chunk is damaged: its length is judged first.", "malformed", "damaged", verify="damaged")
def long(vault):
    commit = vault.commit(Put("file", b"short", frames=bytes(2 * MIB)))
    data = vault.file()
    flip(data, commit.stored[0][0] + 192 + 65552 * 3)
    return data


@vector("frames-long-header", "A single frame of 2 MiB, and a sealed header that is damaged: that is judged first.", "damaged", "damaged")
def long_header(vault):
    commit = vault.commit(Put("file", b"short", frames=bytes(2 * MIB)))
    data = vault.file()
    flip(data, commit.stored[0][0] + 100)
    return data


def tombstone(name, comment, key):
    """A tombstone that has a key of what is stored."""
    @vector(name, comment, read="malformed")
    def make(vault):
        made = Put("file", b"file")
        vault.commit(made)
        vault.hook("live", lambda items: [(first, {**entry, key: 5}) for first, entry in items], 2)
        vault.commit(Purge(made.id))


tombstone("frames-tombstone", "A tombstone with a stored length.", 13)
tombstone("entry-tombstone-hint", "A tombstone with a hint.", 14)


@vector("shared", "Two files share one stored record, compressed; a hint of each is the same.")
def shared(vault):
    one = Put("one", ZEROS, frames=zeros(5000), entry={14: 7})
    entry = vault.commit(one).tree["live"][0]
    vault.hook("live", lambda items: [(first, {**e, 3: entry[3], 4: entry[4], 14: 7}) for first, e in items], 2)
    vault.commit(Put("two", ZEROS, frames=zeros(5000)))


@vector("shared-lengths", "Two files share one stored record, and one says another length.", read="malformed")
def shared_lengths(vault):
    one = Put("one", ZEROS, frames=zeros(5000))
    entry = vault.commit(one).tree["live"][0]
    vault.hook("live", lambda items: [(first, {**e, 3: entry[3], 4: entry[4]}) for first, e in items], 2)
    vault.commit(Put("two", bytes(4999), frames=zeros(4999)))
    vault.gives = released_before(vault, tree_id(None, "two"))
