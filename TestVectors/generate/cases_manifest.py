"""Vectors about segments, their heads and links. All faults stand behind right tags."""

import cbor
from attacker import flipped, put
from cases_log import hooked
from cases_sound import lengthen
from layout import Put
from primitives import ZERO_NONCE, align, gcm, sha256, u32, u64
from vectors import content, small, three, two, vector

MALFORMED = dict(read="malformed")
TAMPERED = dict(read="tampered")
LATER_TAMPERED = dict(verify="tampered")
LATER = dict(verify="malformed")  # seen by verify with a key alone


def linked(vault):
    """Two segments, the second of which stands on the first."""
    vault.commit(*[Put(f"file {i}", b"%d" % i) for i in range(5)])
    return vault.commit(Put("late", b"late"))


def several(vault):
    """One commit with four live chunks of one entry each."""
    vault.chunk_limit = 200
    vault.commit(*[Put(f"file {i}", b"%d" % i) for i in range(4)])


def pairs(vault):
    """Two commits, the second with live chunks of two entries each."""
    small(vault)
    vault.chunk_limit = 360
    vault.commit(*[Put(f"file {i}", b"%d" % i) for i in range(4)])


def replaced(vault):
    """Two commits, the second of which replaces the file of the first."""
    vault.commit(Put("file", b"one"))
    vault.commit(Put("file", b"two"))


def segment(name, comment, layer, change, make=small, commit=None, **classes):
    hooked("segment-" + name, comment, layer, change, make, commit, **(classes or MALFORMED))


# Where the segment lies: private part and links

segment("outside", "The segment is said to lie behind the log end.", "private", put(0, u64(1 << 30)))
segment("unaligned", "The offset of the segment is not a multiple of 64.", "private", put(0, u64(257)))
segment("offset-overflow", "Offset and length of the segment overflow 64 bits.", "private", put(0, u64(2**64 - 64)))
segment("length-head", "The segment is shorter than its head.", "private", put(8, u64(20)))
segment("length-sum", "The length of the segment is 64 more than that of its parts.", "private", lambda old: put(8,
        u64(int.from_bytes(old[8:16], "big") + 64))(old))
segment("length-limit", "The length of the segment is beyond 2^35.", "private", put(8, u64(2**35 + 64)))
segment("elsewhere", "The newest segment is said to lie in the commit before.", "private", put(0, u64(256)), two, 2)
segment("old-elsewhere", "The segment of the first commit is said to lie in the second.", "private", put(0, u64(8192 + 256)), two, 1,
        **LATER)
segment("old-before", "The segment of the second commit is said to lie in the first.", "private", put(0, u64(256)), three, 2, **LATER)
segment("head-length-16", "The length of the head is 16.", "private", put(16, u32(16)))
segment("head-length-17", "The length of the head is 17, as short as it may be: its hash is another.", "private", put(16, u32(17)),
        **TAMPERED)
segment("head-length-copy", "The head is so long that its copy would not fit into the commit.", "private", put(16, u32(3500)))
segment("head-length-copy-alone", "The head has room in the segment, and its copy has none in the commit.", "private", put(16, u32(3500)),
        lambda vault: vault.commit(*[Put(f"file {i}", b"x", overview={"note": "n" * 300}) for i in range(12)]))
segment("head-length-limit", "The length of the head is beyond 2^27.", "private", put(16, u32(2**27 + 1)))
segment("head-hash", "The hash of the head is wrong in the private part.", "private", flipped(24), **TAMPERED)


def link(name, comment, position, change, **classes):
    """A changed field of the second segment's link to the first."""
    def of_head(head):
        fields = list(head[3])
        fields[position] = change(fields[position])
        return head[:3] + [fields, {}]
    segment("link-" + name, comment, "head", of_head, linked, 2, **classes)


link("outside", "The link leads behind the log end.", 0, lambda old: 1 << 30)
link("upwards", "The link leads to a place behind the segment that holds it.", 0, lambda old: old + 16384)
link("offset-overflow", "The offset of the link overflows 64 bits.", 0, lambda old: 2**64 - 64)
link("copy-before", "The copy of the linked head is said to stand in the linked segment.", 3, lambda old: 320)
link("copy-elsewhere", "The copy of the linked head is said to stand 64 bytes behind its place: no private part says so.", 3, lambda old: old + 64, **LATER)
hooked("ok-segment-link-extra", "A link with a further item.", "head", lambda head: head[:3] + [head[3] + [{1: b"x"}], {}], linked, 2)
link("unaligned", "The offset of the link is not a multiple of 64.", 0, lambda old: old + 32)
link("overlapping", "The linked segment would reach into the segment that links it.", 1, lambda old: old + 8192)
link("salt", "The link names another commit salt: the linked head does not open.", 4, flipped(0), **TAMPERED)
link("hash", "The link names another hash of the head.", 5, flipped(0), **TAMPERED)
link("salt-short", "The commit salt of the link has 31 bytes.", 4, lambda old: old[:31])


@vector("segment-link-itself", "The link of a segment leads to the segment itself.", **MALFORMED)
def link_itself(vault):
    vault.hook("head", lambda head: head[:3] + [[256, 500, 80, 4096 + 1024 + 64, bytes(32), bytes(32)], {}])
    small(vault)


@vector("segment-link-copy", "The link leads to a copy of a segment that no private part names.", **LATER)
def link_copy(vault):
    segments, places = [], []

    def add_copy(area):
        at = len(area) - align(len(segments[0]), 64)
        places.append(at)
        return area[:at] + segments[0] + area[at + len(segments[0]):]
    vault.payload_extra = 4096
    vault.hook("segment", lambda old: segments.append(old) or old, 1)
    vault.hook("payload", add_copy, 1)
    vault.hook("head", lambda head: head[:3] + [places + head[3][1:], {}], 2)
    linked(vault)


def stack(name, comment, total, **classes):
    """A stack of segments without entries, all of them in one commit; the newest, above them, holds the only file."""
    @vector(f"segment-stack-{name}", comment, **classes)
    def make(vault):
        below = []

        def of_head(head):
            notes, link = dict(vault.notes), None
            for index in range(total - 1):
                plain = cbor.encode([[], [], [], link, {}])
                sealed = gcm(notes["commit 1 segment key"], ZERO_NONCE, plain)
                below.append(sealed.ljust(256, b"\x00"))
                link = [256 * index, len(sealed), len(sealed), 256 * index + len(sealed), notes["commit 1 salt"], sha256(sealed)]
            return head[:3] + [link, {}]
        vault.hook("head", of_head)
        vault.hook("payload", lambda area: b"".join(below) + area[256 * (total - 1):])
        vault.commit(Put("hello.txt", b"Hello, vault!\n", at=256 * (total - 1)))


stack("64", "A stack of 64 segments, as deep as is allowed; no private part names the lower ones.", 64, **LATER)
stack("65", "A stack of 65 segments.", 65, **MALFORMED)

# Sealed bytes

segment("head-gcm", "The head does not open, its hash is right.", "head-sealed", flipped(3), **TAMPERED)
segment("heads-second", "The copy of the head is not the head, behind right tags; the head is read.", "rest", flipped(5), **LATER_TAMPERED)
segment("heads-first", "The head is not that of the hash, behind right tags; its copy is read.", "segment", flipped(5),
        **LATER_TAMPERED)
segment("old-live-gcm", "A live chunk of the first of two segments does not open, its digest is right; the second holds its entries.",
        "live-sealed", flipped(3), two, 1, **LATER_TAMPERED)
segment("live-gcm", "A live chunk does not open, its digest is right.", "live-sealed", flipped(3), **TAMPERED)
segment("past-gcm", "A past chunk does not open, its digest is right: not seen by a list.", "past-sealed", flipped(3), replaced, 2,
        verify="tampered")
segment("lines-gcm", "A chunk of lines does not open, its digest is right: not seen by a list.", "lines-sealed", flipped(3), two,
        2, verify="tampered")


# Descriptors

def descriptor(name, comment, position, change, make=small, **classes):
    """A changed field of the first live descriptor."""
    def of_head(head):
        fields = list(head[0][0])
        fields[position] = change(fields[position])
        return [[fields] + head[0][1:]] + head[1:]
    hooked("head-descriptor-" + name, comment, "head", of_head, make, **(classes or MALFORMED))


descriptor("length-16", "A chunk of 16 bytes, too short for its tag and an item.", 0, lambda old: 16)
descriptor("length-more", "A chunk longer than it is; the sum is not the segment's length.", 0, lambda old: old + 1)
descriptor("length-limit", "A chunk of more than 16,384 bytes.", 0, lambda old: 16385)
descriptor("count-zero", "A chunk without an item.", 1, lambda old: 0)
descriptor("count-more", "A chunk with one item less than its descriptor says.", 1, lambda old: old + 1)
descriptor("count-limit", "A chunk of 4,097 items.", 1, lambda old: 4097)
descriptor("digest", "The digest of a chunk is wrong.", 2, flipped(0), **TAMPERED)
descriptor("digest-short", "The digest of a chunk has 15 bytes.", 2, lambda old: old[:15])
descriptor("first", "The first id of a chunk is another than its descriptor says.", 3, flipped(15))
descriptor("first-integer", "The first id in a descriptor is an integer.", 3, lambda old: 1)


def digest(name, comment, part):
    """A wrong digest of the first chunk of a part, in the second of two commits."""
    def of_head(head):
        fields = list(head[part][0])
        fields[2] = flipped(0)(fields[2])
        return head[:part] + [[fields] + head[part][1:]] + head[part + 1:]
    hooked("head-digest-" + name, comment, "head", of_head, replaced, 2, verify="tampered")


digest("past", "The digest of a past chunk is wrong: not seen by a list.", 1)
digest("lines", "The digest of a chunk of lines is wrong: not seen by a list.", 2)


def past_count(name, comment, number, **classes):
    """The number of items in the descriptor of a past chunk, which has one."""
    def of_head(head):
        fields = [head[1][0][0], number, *head[1][0][2:]]
        return [head[0], [fields], *head[2:]]
    hooked("head-past-count-" + name, comment, "head", of_head, replaced, 2, **classes)


past_count("4096", "A past chunk is said to have 4,096 items, as many as it may have.", 4096, **LATER)
past_count("4097", "A past chunk is said to have 4,097 items.", 4097, **MALFORMED)


def nested(depth):
    """An array in an array …: so many of them."""
    return [nested(depth - 1)] if depth > 1 else []


def head(name, comment, change, make=small):
    hooked("head-" + name, comment, "head", change, make, **MALFORMED)


head("descriptors-order", "Two live descriptors are exchanged, and so are not in the order of ids.", lambda old: [[old[0][1],
     old[0][0]] + old[0][2:]] + old[1:], several)
head("descriptor-three", "A descriptor with three elements.", lambda old: [[old[0][0][:3]]] + old[1:])
hooked("ok-head-descriptor-extra", "A descriptor with a further item.", "head", lambda old: [[old[0][0] + [0]]] + old[1:])
head("four-elements", "The head has no map of extensions.", lambda old: old[:4])
head("extension-text", "An extension of the head whose key is text.", lambda old: old[:4] + [{"x": 1}])
head("extensions-array", "The extensions of the head are an array.", lambda old: old[:4] + [[]])
head("extension-negative", "An extension of the head whose key is negative.", lambda old: old[:4] + [{-1: 1}])
head("extension-nested", "An extension of the head that is nested 17 deep.", lambda old: old[:4] + [{1: nested(15)}])
hooked("ok-head-extension-nested", "An extension of the head that is nested 16 deep.", "head", lambda old: old[:4] + [{1: nested(14)}])
hooked("ok-head-extension", "Extensions of the head that may be ignored.", "head",
       lambda old: old[:4] + [{0: b"x", 2: [b"x"], 12: None, 20: {"a": [1]}, 70000: True}])


def stretched(head, length):
    """The head with an extension that makes it so long as stored."""
    missing = length - 16 - len(cbor.encode(head[:4] + [{20: bytes(1000)}]))
    return head[:4] + [{20: bytes(1000 + missing)}]


hooked("ok-head-no-room-left", "The copy of the head ends with the commit.", "head", lambda head: stretched(head, 4096 - 1024 - 64))


@vector("ok-area-full", "Record and segment fill the payload area to its last byte; the one begins where the other ends.")
def area_full(vault):
    vault.hook("head", lambda head: stretched(head, 4096 - 256 - sum(chunk[0] for part in head[:3] for chunk in part)))
    commit = vault.commit(Put("file", content(48)))
    assert (commit.segment - commit.start, commit.length, len(commit.payload)) == (256, 4096, 4096)


head("map", "The head is a map.", lambda old: {0: old[0], 1: old[1], 2: old[2]})
head("link-five", "The link has five elements.", lambda old: old[:3] + [[0, 200, 50, bytes(32), bytes(32)], {}])
hooked("head-trailing", "A byte behind the CBOR of the head.", "head-cbor", lambda old: old + b"\x00", **MALFORMED)
hooked("head-indefinite", "The head is an array of indefinite length.", "head-cbor", lambda old: b"\x9f" + old[1:] + b"\xff", **MALFORMED)
hooked("head-truncated", "The CBOR of the head ends early.", "head-cbor", lambda old: old[:-1], **MALFORMED)
hooked("head-count-huge", "The head claims an array of 2^63 elements.", "head-cbor", lambda old: b"\x9b" + u64(1 << 63) + old[1:],
       **MALFORMED)


# Chunks and their order

@vector("segment-chunk-long", "A chunk of three entries that is longer than 4,096 bytes.", **MALFORMED)
def chunk_long(vault):
    vault.chunk_limit = 8192
    vault.commit(*[Put(f"file {i}", b"x", overview={"note": "n" * 1500}) for i in range(3)])


@vector("segment-chunk-long-single", "A chunk of one entry that is longer than 16,384 bytes.", **MALFORMED)
def chunk_long_single(vault):
    vault.commit(Put("file", b"x", overview={"note": "n" * 16300}))


def chunk_of(name, comment, size, entries, **classes):
    """A live chunk of a stored size with some entries."""
    @vector("segment-chunk-" + name, comment, **classes)
    def make(vault):
        def of_items(items):
            others, (first, last) = items[:-1], items[-1]
            used = sum(len(cbor.encode(entry)) for _, entry in others)
            return others + [(first, lengthen(last, size - 17 - used))]
        vault.chunk_limit = size
        vault.hook("live", of_items)
        vault.commit(*[Put(f"file {i}", b"x", overview={"note": "n" * 600}) for i in range(entries)])


chunk_of("4096", "A chunk of three entries with 4,096 stored bytes.", 4096, 3)
chunk_of("4097", "A chunk of three entries with 4,097 stored bytes.", 4097, 3, **MALFORMED)
chunk_of("4097-single", "A chunk of one entry with 4,097 stored bytes.", 4097, 1)
chunk_of("16385", "A chunk of one entry with 16,385 stored bytes.", 16385, 1, **MALFORMED)

segment("live-order", "The live entries of a chunk are in descending order.", "live", lambda items: items[::-1], linked, 1)
segment("live-order-chunks", "The live entries are in descending order, one to a chunk.", "live", lambda items: items[::-1], several)
segment("live-twice", "A live entry stands twice in a chunk.", "live", lambda items: items[:1] + items)
segment("live-twice-chunks", "A live entry stands twice, in two chunks.", "live", lambda items: items[:1] + items, several)
segment("live-twice-versions", "Two versions of a record are live, the last of one chunk and the first of the next.", "live",
        lambda items: items[:1] + [(i, {**e, 9: first}) for i, e in items[1:2] for first in (1, 2)] + items[2:], pairs, 2)
segment("past-order", "Past entries of one id are in descending order.", "past", lambda items: items[::-1],
        lambda vault: [replaced(vault), vault.commit(Put("file", b"three"))], 3, **LATER)
segment("past-twice", "A past entry stands twice in a chunk.", "past", lambda items: items[:1] + items, replaced, 2, **LATER)
segment("past-empty", "A past chunk whose CBOR is one byte: an empty array.", "past-cbor", lambda old: b"\x80", replaced, 2, **LATER)


def past_chunks(vault):
    """Two files, both replaced twice; four past chunks of one entry each."""
    vault.chunk_limit = 200
    for text in (b"one", b"two", b"three"):
        vault.commit(Put("file", text), Put("other", text))


def line_chunks(vault):
    """Three commits; two chunks of one line each."""
    vault.chunk_limit = 60
    three(vault)


segment("past-chunks", "Several past chunks begin with one id.", "past", lambda items: items, past_chunks, 3, read="ok")
segment("past-chunks-order", "The past chunks are in descending order of ids.", "past", lambda items: items[::-1], past_chunks, 3)
segment("lines-chunks", "Two chunks of one line each.", "lines", lambda items: items, line_chunks, 3, read="ok")
segment("lines-chunks-twice", "Two chunks of lines begin with one sequence.", "lines", lambda items: items[:1] * 2, line_chunks, 3)
segment("past-last-limit", "A past entry whose last commit has sequence 2^63.", "past", lambda items: [(i, {**e, 10: 2**63})
        for i, e in items], replaced, 2, **LATER)
segment("lines-twice", "A line stands twice in a chunk.", "lines", lambda items: items[:1] + items, two, 2, **LATER)
segment("past-first-after-last", "A past entry whose first commit is after its last.", "past", lambda items: [(i, {**e, 9: 7,
        10: 6}) for i, e in items],
        replaced, 2, **LATER)
segment("past-without-last", "A past entry without its last commit.", "past",
        lambda items: [(i, {k: v for k, v in e.items() if k != 10}) for i, e in items], replaced, 2, **LATER)


def line(name, comment, position, change):
    """A changed field of the line that the second of two commits brings."""
    segment("line-" + name, comment, "lines", lambda items: [(i, [change(v) if k == position else v for k,
            v in enumerate(row)]) for i, row in items],
            two, 2, **LATER)


line("tag", "A line whose fingerprint is not that of the commit it names.", 3, flipped(0))
line("offset", "A line whose offset is not that of a commit record.", 2, lambda old: old + 4096)
line("tag-short", "A line whose fingerprint has 15 bytes.", 3, lambda old: old[:15])
segment("line-sequence-zero", "A line of save 0.", "lines", lambda items: [(0, [0] + items[0][1][1:])], two, 2)
segment("line-more", "A line with further items, which a newer program added.", "lines", lambda items: [(i, row + [{1: b"x"}, None]) for i, row in items],
        two, 2, read="ok")
segment("line-unknown-commit", "A line of a commit that is not in the log: not judged.", "lines",
        lambda items: items + [(2, [2] + items[0][1][1:])], lambda vault: [small(vault), vault.commit(sequence=5)], 2, read="ok")
segment("line-time-limit", "A line, of a commit that is not in the log, whose time is 2^63.", "lines",
        lambda items: items + [(2, [2, 2**63] + items[0][1][2:])], lambda vault: [small(vault), vault.commit(sequence=5)], 2, **LATER)
segment("line-integer", "A line that is an integer.", "lines", lambda items: [(i, 7) for i, _ in items], two, 2, **LATER)
segment("line-text", "A line that is a text.", "lines", lambda items: [(i, "line") for i, _ in items], two, 2, **LATER)
segment("past-purged", "A past entry that is purged, with all its keys.", "past", lambda items: [(i, {**e, 11: 2}) for i, e in items], replaced, 2,
        **LATER)
segment("line-order", "Two lines in descending order.", "lines", lambda items: items[::-1], three, 3, **LATER)
