"""Vectors of compressed content (Spec/container.md, 3.7). The frames are made by hand, of raw and of repeated bytes, but for
one of libzstd's."""

from attacker import flip, put
from layout import SYMLINK, Purge, Put, tree_id
from primitives import u32, u64
from vectors import content, released_before, unpacked, vector

MIB = 1 << 20
MALFORMED = dict(read="malformed")
# What libzstd 1.5.4 makes, at level 3, of the bytes of TEXT.
TEXT = b"The quick brown fox jumps over the lazy dog. " * 40
LIBZSTD = bytes.fromhex("28b52ffd600806b50100d40254686520717569636b2062726f776e20666f78206a756d7073206f76657220746865206c617a7920646f672e200100c516feaa0c")


def block(kind, size, body, last):
    """A block (RFC 8878, 3.1.1.2): kind 0 raw, 1 one byte repeated."""
    return (size << 3 | kind << 1 | last).to_bytes(3, "little") + body


def header(size, descriptor=None, magic=b"\x28\xb5\x2f\xfd"):
    """The header of a frame of one segment (RFC 8878, 3.1.1.1) with a content size in 4 bytes."""
    return magic + bytes([0xA0 if descriptor is None else descriptor]) + size.to_bytes(4, "little")


def zeros(size, said=None):
    """A frame of zeros, in blocks of 128 KiB, that says it has another size."""
    sizes = [min(1 << 17, size - at) for at in range(0, size, 1 << 17)]
    blocks = [block(1, size, b"\x00", index == len(sizes) - 1) for index, size in enumerate(sizes)]
    return header(size if said is None else said) + b"".join(blocks)


def raw(data):
    """A frame of bytes as they are."""
    parts = [data[at:at + (1 << 17)] for at in range(0, len(data), 1 << 17)]
    blocks = [block(0, len(part), part, index == len(parts) - 1) for index, part in enumerate(parts)]
    return header(len(data)) + b"".join(blocks)


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
compressed("size-short", "A content size in one byte.", bytes(200), header(0, 0x20)[:5] + bytes([200]) + block(1, 200, b"\x00", 1))
compressed("size-long", "A content size in eight bytes.", ZEROS, header(0, 0xE0)[:5] + (5000).to_bytes(8, "little") + block(1, 5000, b"\x00", 1))
compressed("chunks", "A frame over two chunks of the record.", content(70000), raw(content(70000)))

# The numbers

compressed("header-zero", "The sealed header says that the content is not compressed.", ZEROS, zeros(5000),
           hook=("record-header", put(72, u64(0))), **MALFORMED)
compressed("header-other", "The stored length in the header is not that of the entry.", ZEROS, zeros(5000),
           hook=("record-header", put(72, u64(14))), **MALFORMED)
compressed("header-alone", "The entry does not say that the content is compressed.", b"short", None,
           hook=("record-header", put(72, u64(5))), **MALFORMED)
compressed("empty", "A frame of no content.", b"", header(0) + block(0, 0, b"", 1), **MALFORMED)
compressed("no-bytes", "Compressed to nothing.", ZEROS, b"", **MALFORMED)
compressed("symlink", "The target of a symlink is compressed: judged when it is read.", b"a" * 100,
           header(100) + block(1, 100, b"a", 1), kind=SYMLINK, verify="malformed", more=unpacked("malformed"))
compressed("length-less", "The content is a byte longer than the entry says.", bytes(4999), zeros(5000), **MALFORMED)
compressed("length-more", "The content is a byte shorter than the entry says.", bytes(5001), zeros(5000), **MALFORMED)
compressed("length-lie", "A frame says the right size and holds a byte less.", ZEROS, zeros(4999, said=5000), **MALFORMED)
compressed("bomb", "A frame says the right size and holds 128 MiB.", ZEROS,
           header(5000) + block(1, 1 << 17, b"\x00", 0) * 1023 + block(1, 1 << 17, b"\x00", 1), **MALFORMED)
compressed("huge", "An entry says 2^40 bytes, of which one frame of 1 MiB is there.", bytes(MIB), zeros(MIB), entry={5: 1 << 40},
           hook=("record-header", put(32, u64(1 << 40))), **MALFORMED)

# The frames

compressed("magic", "The magic of a skippable frame.", ZEROS, b"\x50\x2a\x4d\x18" + zeros(5000)[4:], **MALFORMED)
compressed("skippable", "A skippable frame before the frame.", ZEROS, b"\x50\x2a\x4d\x18\x04\x00\x00\x00abcd" + zeros(5000), **MALFORMED)
compressed("trailing", "A byte behind the frame.", ZEROS, zeros(5000) + b"\x00", **MALFORMED)
compressed("twice", "Two frames where one belongs.", ZEROS, zeros(2500) * 2, **MALFORMED)
compressed("cut", "The last byte of the frame is missing.", ZEROS, zeros(5000)[:-1], **MALFORMED)
compressed("no-last", "No block of the frame is the last.", ZEROS, header(5000) + block(1, 5000, b"\x00", 0), **MALFORMED)
compressed("reserved-block", "A block of the reserved kind.", ZEROS, header(5000) + block(3, 5000, b"\x00", 1), **MALFORMED)
compressed("checksum", "A frame with a checksum.", ZEROS, header(5000, 0xA4) + block(1, 5000, b"\x00", 1) + bytes(4), **MALFORMED)
compressed("dictionary", "A frame that wants a dictionary.", ZEROS, header(5000, 0xA1)[:5] + b"\x01" + (5000).to_bytes(4, "little")
           + block(1, 5000, b"\x00", 1), **MALFORMED)
compressed("window", "A frame with a window and no single segment.", ZEROS, header(5000, 0x80)[:5] + b"\x58" + (5000).to_bytes(4, "little")
           + block(1, 5000, b"\x00", 1), **MALFORMED)
compressed("no-size", "A frame without a content size.", ZEROS, header(0, 0x00)[:5] + b"\x58" + block(1, 5000, b"\x00", 1), **MALFORMED)
compressed("reserved-bit", "The reserved bit of a frame's descriptor.", ZEROS, header(5000, 0xA8) + block(1, 5000, b"\x00", 1), **MALFORMED)
compressed("unused-bit", "The unused bit of a frame's descriptor.", ZEROS, header(5000, 0xB0) + block(1, 5000, b"\x00", 1), **MALFORMED)
compressed("literals", "A compressed block that is none.", ZEROS, header(5000) + block(2, 4, b"\xff\xff\xff\xff", 1), **MALFORMED)

# The table

compressed("table-missing", "Two frames and no table.", LONG, b"".join(TWO), **MALFORMED)
compressed("table-needless", "One frame, and a table.", ZEROS, table(zeros(5000)), **MALFORMED)
compressed("table-sum", "The lengths in the table are a byte too many.", LONG, b"".join(TWO) + u32(len(TWO[0])) + u32(len(TWO[1]) + 1),
           **MALFORMED)
compressed("table-shifted", "The table cuts the frames a byte too early.", LONG, b"".join(TWO) + u32(len(TWO[0]) - 1) + u32(len(TWO[1]) + 1),
           **MALFORMED)
compressed("table-zero", "A length in the table is zero.", LONG, b"".join(TWO) + u32(0) + u32(len(TWO[0] + TWO[1])), **MALFORMED)
compressed("table-exchanged", "The frames stand in the other order.", LONG, table(TWO[1], TWO[0]), **MALFORMED)
compressed("second", "The second of two frames is wrong: the first is handed out.", LONG, table(TWO[0], TWO[1][:-1] + b"\xff" + b"\x00"),
           gives=bytes(MIB), **MALFORMED)
compressed("frame-length", "A frame of more than 1 MiB and 4 KiB.", content(MIB),
           header(MIB) + block(0, 0, b"", 0) * 1400 + raw(content(MIB))[9:], **MALFORMED)


@vector("frames-bit", "A byte of the second frame is damaged: the first is handed out.", "damaged", "damaged")
def damaged(vault):
    plain = bytes(MIB) + content(200000)
    commit = vault.commit(Put("file", plain, frames=table(zeros(MIB), raw(content(200000)))))
    vault.gives = bytes(MIB)
    data = vault.file()
    flip(data, commit.stored[0][0] + 192 + 65552)
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
