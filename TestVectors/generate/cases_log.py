"""Vectors about commit records, check tables, payload blocks and padding."""

from attacker import fix_core, fix_table, fix_unkeyed, flip, flipped, put, write
from layout import COMMIT_MAGIC, LOG, PAGE_T, Put, tree_id
from primitives import block_cipher, times, u16, u32, u64
from vectors import released_before, small, three, two, vector

MALFORMED = dict(read="malformed", keyless="damaged")
UNSUPPORTED = dict(read="unsupported", keyless="unsupported")
DAMAGED = dict(read="damaged", keyless="damaged")
LOST = dict(keyless="damaged", verify="damaged")
REPAIRABLE = dict(keyless="repairable", verify="repairable")


def hooked(name, comment, layer, change, make=small, commit=None, **classes):
    """A fault at one layer, with everything above it computed over it."""
    @vector(name, comment, **classes)
    def build(vault):
        vault.hook(layer, change, commit)
        make(vault)


def raw(name, comment, where, make=small, **classes):
    """One bit of the finished file turned, at the offset `where(vault)`."""
    @vector(name, comment, **classes)
    def build(vault):
        make(vault)
        data = vault.file()
        flip(data, where(vault))
        return data


# Core, newest commit

def core(name, comment, at, new, make=small, **classes):
    hooked("core-" + name, comment, "core", put(at, new), make, **(classes or MALFORMED))


core("magic", "The magic of the core is wrong, with right tags.", 0, bytes(8))
core("version-2", "The core is of version 2, with right tags.", 8, u16(2), **UNSUPPORTED)
core("flags", "A reserved flag of the core is set, with right tags.", 10, u16(1), **UNSUPPORTED)
hooked("core-version-2-magic", "The core is of version 2 and has another magic, with right tags: it is no core of a newer program.", "core",
       lambda old: put(8, u16(2))(put(0, bytes(8))(old)), **MALFORMED)
hooked("ok-core-reserved", "A reserved byte of the core is not zero: not judged.", "core-reserved", put(410, b"\x01"))
core("vault-id", "The vault id of the core is not that of the page's header.", 16, b"\xaa" * 16)
core("epoch", "The epoch of the core is not that of the page's header.", 32, u64(2))


def epoch(name, comment, counter, **classes):
    """Pages and records of one epoch counter, all of them tagged."""
    @vector(name, comment, **classes)
    def make(vault):
        vault.epoch = u64(counter) + vault.epoch[8:]
        small(vault)


epoch("core-epoch-zero", "The epoch counter is 0.", 0, **MALFORMED)
epoch("core-epoch-limit", "The epoch counter is 2^63: a rotation would have no number left.", 2**63, **MALFORMED)
epoch("ok-epoch-last", "The epoch counter is 2^63 - 1, the last one.", 2**63 - 1)
epoch("ok-epoch-high", "The epoch counter is 2^62: all bytes of it but the first are zero.", 2**62)
core("start-unaligned", "The start of the payload area is not a multiple of 4,096.", 88, u64(64))
core("start-limit", "The start of the payload area is 2^60.", 88, u64(2**60))
core("payload-zero", "The payload area has length zero.", 96, u64(0))
core("payload-unaligned", "The length of the payload area is not a multiple of 4,096.", 96, u64(4097))
core("payload-limit", "The length of the payload area is beyond 2^48.", 96, u64(2**48 + 4096))
core("payload-overflow", "Start and length of the payload area overflow 64 bits.", 96, u64(2**64 - 4096))
core("tail-zero", "Nothing follows the payload area.", 104, u64(0))
core("tail-unaligned", "The length of what follows the payload area is not a multiple of 4,096.", 104, u64(4160))
core("tail-limit", "What follows the payload area is longer than 2^48.", 104, u64(2**48 + 4096))
core("slot-hash", "The slot hash of the core is not that of the slots.", 176, bytes(32))
core("table-hash", "The hash of the check table is wrong, with right tags.", 144, bytes(32), **LOST)


@vector("core-tail-short", "What follows the payload area is too short for the check table.", **MALFORMED)
def tail_short(vault):
    # A payload area of 112 blocks, nearly all of it padding; with zeros as padding (ok-padding) the vector stays small.
    vault.payload_extra = 7 * 1024 * 1024
    vault.hook("padding", lambda area: bytes(len(area)))
    vault.hook("core", put(104, u64(4096)))
    small(vault)


def fitting(name, comment, start=0, payload=4096, tail=4096, private=lambda old: old, **classes):
    """Places of the newest commit that agree with the log end of the pages, and break one rule or just keep it."""
    @vector("core-fitting-" + name, comment, **(classes or MALFORMED))
    def make(vault):
        vault.hook("core", put(88, u64(start) + u64(payload) + u64(tail)))
        vault.hook("page", put(72, u64(start + payload + tail)))
        vault.hook("private", private)
        small(vault)


fitting("start-unaligned", "The start of the payload area is no multiple of 4,096, and the log end agrees.", start=64)
fitting("start-limit", "The start of the payload area is 2^60, and the log end agrees.", start=2**60)
fitting("payload-zero", "The payload area has length zero, and the log end agrees.", payload=0, tail=8192)
fitting("payload-unaligned", "The length of the payload area is no multiple of 4,096, and the log end agrees.", payload=4160)
fitting("payload-limit", "The length of the payload area is beyond 2^48, and the log end agrees.", payload=2**48 + 4096)
fitting("tail-unaligned", "The length of what follows is no multiple of 4,096, and the log end agrees.", tail=4160)
fitting("tail-zero", "Nothing follows the payload area, and the log end agrees.", payload=8192, tail=0)
fitting("tail-limit", "The length of what follows is beyond 2^48, and the log end agrees.", tail=2**48 + 4096)
fitting("start-limit-segment", "The start of the payload area is 2^60, and the segment is said to lie in it.", start=2**60,
        private=put(0, u64(2**60 + 256)))
fitting("payload-largest", "The payload area has 2^48 bytes, as many as it may have; what is there can be read.", payload=2**48,
        tail=2**38, **LOST)
fitting("payload-limit-table", "The payload area is longer than 2^48, and there is room for its check table.", payload=2**48 + 4096,
        tail=2**38)
fitting("tail-largest", "What follows the payload area has 2^48 bytes, as many as it may have; what is there can be read.", tail=2**48,
        **LOST)


def long(name, comment, length, head, **classes):
    """A segment and its head of such lengths in a payload area of 2^36 bytes; the hash of the head is wrong."""
    fitting(name, comment, 0, 2**36, 2**28, put(8, u64(length) + u32(head) + bytes(36)), **(classes or MALFORMED))


long("segment-largest", "A segment of 2^35 bytes, as long as it may be; its head is lost.", 2**35, 80, **DAMAGED)
long("segment-limit", "A segment of 2^35 + 1 bytes; its head is lost.", 2**35 + 1, 80)
long("head-largest", "A head of 2^27 bytes, as long as it may be; it is lost.", 2**34, 2**27, **DAMAGED)
long("head-limit", "A head of 2^27 + 1 bytes; it is lost.", 2**34, 2**27 + 1)


def full(vault, blocks):
    """A commit of blocks of zeros with one small file, and nothing behind its check table."""
    vault.payload_extra = 65536 * blocks - 4096
    vault.hook("padding", lambda area: bytes(len(area)))
    vault.hook("rest", lambda rest: b"")
    return small(vault)


@vector("core-tail-full", "Record and check table fill what follows the payload area: there is no room for the copy of the head.", "malformed")
def tail_full(vault):
    full(vault, 95)


@vector("core-tail-overfull", "The last row of the check table lies in page T, and the hash of the table is right.", **MALFORMED)
def tail_overfull(vault):
    vault.hook("table", lambda rows: rows[:-32] + vault.header(1, LOG)[:32])
    vault.hook("core", put(104, u64(4096)))
    vault.hook("page", put(72, u64(65536 * 96 + 4096)))
    commit = full(vault, 96)
    return vault.file()[:commit.record_at + 4096] + vault.pages[PAGE_T]


hooked("core-sha-256", "The SHA-256 of the newest core is wrong behind right page tags.", "core-sealed", flipped(480), **MALFORMED)
hooked("core-audit-tag", "The audit tag of the core is wrong behind right page tags.", "core-tags", flipped(0), read="tampered")
hooked("core-owner-tag", "The owner tag of the core is wrong behind right page tags.", "core-tags", flipped(32), read="tampered")
hooked("core-private-bit", "The private part does not open, its tags are right.", "private-sealed", flipped(3), read="tampered")
hooked("core-private-time", "The time of the commit is 2^63.", "private", put(56, u64(2**63)), read="malformed")
hooked("core-private-writer", "The writer is not UTF-8.", "private", put(64, b"\xff"), read="malformed")
hooked("ok-core-private-reserved", "Reserved bytes of the private part are not zero: not judged.", "private",
       lambda private: put(127, b"\x01")(put(20, b"\x01")(private)))


def sequence(name, comment, number):
    @vector("core-sequence-" + name, comment, **MALFORMED)
    def make(vault):
        vault.hook("core", put(48, u64(number)))
        vault.hook("page", put(64, u64(number)))
        small(vault)


sequence("zero", "The sequence of header and core is zero.", 0)
sequence("limit", "The sequence of header and core is 2^63.", 2**63)

raw("core-newest-bit", "One bit of the newest core is wrong in the log; the page's copy replaces it.",
    lambda v: v.commits[-1].record_at + 240, **REPAIRABLE)
raw("core-newest-copy-bit",
    "One bit of the copy of the previous core is wrong in the newest record in the log; the page's copy replaces it.",
    lambda v: v.commits[-1].record_at + 600, two, **REPAIRABLE)

# Core, earlier commits

raw("core-old-bit", "One bit of the first core is wrong; the second record's copy replaces it.",
    lambda v: v.commits[0].record_at + 240, two, **REPAIRABLE)
raw("core-old-copy-bit", "One bit of the second record's copy of the first core is wrong; the first record is found by scanning backwards.",
    lambda v: v.commits[1].record_at + 600, three, **REPAIRABLE)


@vector("core-old-record-zero",
        "The second of three commit records is zero: its core is in the third record, the first is found by scanning.", **REPAIRABLE)
def record_zero(vault):
    three(vault)
    data = vault.file()
    write(data, vault.commits[1].record_at, bytes(1024))
    return data


@vector("core-old-and-copy", "The first core and the second record's copy of it are both damaged.", **LOST)
def old_and_copy(vault):
    three(vault)
    data = vault.file()
    flip(data, vault.commits[0].record_at + 240)
    flip(data, vault.commits[1].record_at + 512 + 240)
    return data


def attacked(name, comment, at, **classes):
    """A bit of the first of three commits altered, and everything made consistent that needs no key."""
    @vector(name, comment, **classes)
    def make(vault):
        three(vault)
        data = vault.file()
        flip(data, vault.commits[0].record_at + at)
        fix_unkeyed(vault, data)
        return data


attacked("core-old-private-attacker", "The private part of an old core was altered without the key.", 240, read="tampered")

hooked("core-oldest-longer", "What follows the first of three payload areas is said to reach into the second commit, with right tags.", "core",
       put(104, u64(8192)), three, 1, **LOST)
hooked("core-previous", "The fingerprint of the commit before is not its, with right tags.", "core", flipped(112), two, 2, **LOST)
hooked("core-old-vault-id", "The first of three commits is of another vault id, with right tags.", "core", put(16, b"\xaa" * 16),
       three, 1, **LOST)


@vector("core-sequence-falls", "The second of three commits has a lower sequence than the first.", sequence=10, **LOST)
def sequence_falls(vault):
    small(vault)
    vault.commit(Put("second.txt", b"second"), sequence=5)
    vault.commit(Put("third.txt", b"third"), sequence=12)


def first(name, comment, layer, change, make=three, **classes):
    """A fault of the first core, in the log and in the second record's copy of it, on neither page."""
    hooked("core-old-" + name, comment, layer, change, make, 1, **classes)


first("epoch", "The first of three commits is of another epoch, with right tags.", "core", put(32, u64(2)), **LOST)
first("version-2", "The first of three cores is of version 2, with right tags: it and its copy are unsound.", "core", put(8, u16(2)), **LOST)
first("private-bit", "The private part of the first of two cores does not open, its tags are right.", "private-sealed", flipped(3), two,
      verify="tampered")

# Copies of earlier cores


def altered(name, comment, where, make=three, **classes):
    """`where(data, vault)` alters a core or a copy of one in the log; no tag covers copies, and no page holds these."""
    @vector("core-copy-" + name, comment, **classes)
    def build(vault):
        make(vault)
        data = vault.file()
        where(data, vault)
        return data


def bit_and_hash(at):
    """An alteration of the core at `at(vault)` that keeps its SHA-256 right."""
    def change(data, vault):
        flip(data, at(vault) + 240)
        fix_core(data, at(vault))
    return change


def second_copy(v):
    return v.commits[1].record_at + 512


altered("attacker", "The second record's copy of the first core was altered without the key, its SHA-256 made right; the log's core is whole.",
        bit_and_hash(second_copy), **REPAIRABLE)
altered("whole-attacker",
        "The first core was altered in the log without the key, its SHA-256 made right; the second record's copy stands in for it.",
        bit_and_hash(lambda v: v.commits[0].record_at), two, **REPAIRABLE)
altered("zero", "The copy of the first core in the second record is zero; the first record is found by scanning backwards.",
        lambda data, v: write(data, second_copy(v), bytes(512)), **REPAIRABLE)
altered("of-other", "The second record's copy is that of its own core, not of the first; the first record is found by scanning backwards.",
        lambda data, v: write(data, second_copy(v), v.commits[1].record[:512]), **REPAIRABLE)


@vector("core-copy-decoy", "The copy of the first core is zero; on the way back to it stands a core, at its own S + P, that is another.", **REPAIRABLE)
def decoy(vault):
    core = bytearray(512)
    write(core, 0, COMMIT_MAGIC + u16(1) + bytes(6) + vault.vault_id + vault.epoch + u64(1) + bytes(32))
    write(core, 88, u64(8192) + u64(4096) + u64(4096))
    fix_core(core, 0)
    vault.hook("rest", lambda rest: put(12288 - 5184, bytes(core))(rest + bytes(8192)), 1)
    three(vault)
    data = vault.file()
    assert data[LOG + 12288:LOG + 12288 + 512] == core
    write(data, second_copy(vault), bytes(512))
    return data


@vector("core-copy-displaced", "The first core and the second record's copy of it are damaged; on the way back stands that core, not at its own S + P.",
        **LOST)
def displaced(vault):
    vault.hook("rest", lambda rest: rest + bytes(8192), 1)
    three(vault)
    data, at = vault.file(), vault.commits[0].record_at
    write(data, at + 4096, vault.commits[0].record[:512])
    flip(data, at + 240)
    write(data, second_copy(vault), bytes(512))
    return data


hooked("core-copy-newest", "The newest record's copy of the core before is wrong, in the log and on the page, with right page tags.", "record",
       flipped(600), two, 2, **REPAIRABLE)

# Check tables and blocks

raw("table-bit", "One bit of a row of the check table is wrong.", lambda v: v.commits[0].record_at + 1024, **LOST)
raw("rest-bit", "One bit behind the check table is wrong.", lambda v: v.commits[0].end - 1, **REPAIRABLE)
raw("rest-bit-head", "One bit of the copy of the head is wrong; the head is read.", lambda v: v.commits[0].rest_at + 5, **REPAIRABLE)
hooked("rest-row", "The row of what stands behind the check table is wrong behind right hash and tags.", "table", flipped(-1), **REPAIRABLE)
hooked("table-row", "A row is wrong behind right hash and tags.", "table", flipped(0), **LOST)


@vector("table-rows-exchanged", "The rows of two equal blocks exchanged, behind right hash and tags: each names its index.", **LOST)
def rows_exchanged(vault):
    vault.hook("payload", lambda area: area[:65536] + area[:65536] + area[131072:] if len(area) > 131072 else area)
    vault.hook("table", lambda table: table[32:64] + table[:32] + table[64:])
    vault.commit(Put("file", bytes(140000), at=131072))

raw("block-bit-padding", "One bit of the padding is wrong.", lambda v: v.commits[0].record_at - 1, **LOST)
raw("block-bit-salt", "One bit of a record's salt is wrong.", lambda v: v.commits[0].stored[0][0] + 5, **DAMAGED)
raw("block-bit-header", "One bit of a record's sealed header is wrong.", lambda v: v.commits[0].stored[0][0] + 50, **DAMAGED)
raw("block-bit-content", "One bit of a record's content is wrong.", lambda v: v.commits[0].stored[0][0] + 195, **DAMAGED)
raw("block-bit-head", "One bit of the first head is wrong; the second is read.", lambda v: v.commits[0].segment + 5, **LOST)
raw("block-bit-live", "One bit of the only live chunk is wrong.",
    lambda v: v.commits[0].segment + len(v.commits[0].segment_parts[0]) + 5, **DAMAGED)
raw("block-bit-old", "One bit of the first of three commits' padding is wrong.", lambda v: v.commits[0].record_at - 1, three, **LOST)


@vector("block-bit-heads", "One bit of both heads is wrong.", **DAMAGED)
def both_heads(vault):
    commit = small(vault)
    data = vault.file()
    flip(data, commit.segment + 5)
    flip(data, commit.rest_at + 5)
    return data


@vector("block-swap-attacker",
        "The payload areas of two commits are exchanged, every hash is made right.", "tampered")
def block_swap_attacker(vault):
    one, other = two(vault)
    data = vault.file()
    write(data, one.start, other.payload)
    write(data, other.start, one.payload)
    fix_unkeyed(vault, data)
    return data


@vector("block-bit-content-attacker",
        "A bit of an old record was altered, and every hash made right, those of the pages too.", "tampered")
def old_content_attacker(vault):
    three(vault)
    data = vault.file()
    flip(data, vault.commits[0].stored[0][0] + 195)
    fix_unkeyed(vault, data)
    return data


@vector("block-bit-content-alone", "A bit of an old record was altered, the hashes of its commit made right and no others: no later save names it.", **DAMAGED)
def old_content_alone(vault):
    three(vault)
    vault.gives = released_before(vault, tree_id(None, "hello.txt"))
    data, (one, other, _) = vault.file(), vault.commits
    flip(data, one.stored[0][0] + 195)
    fix_table(data, one)
    fix_core(data, one.record_at)
    write(data, other.record_at + 512, data[one.record_at:one.record_at + 512])
    return data


@vector("block-tampered-behind-damage", "The salt of the record with which a commit begins is wrong, behind right tags; "
        "the check table of the commit before is damaged.", "tampered", "damaged")
def tampered_behind(vault):
    vault.hook("stored", flipped(0), 2)
    one, _ = two(vault)
    vault.gives = released_before(vault, tree_id(None, "second.txt"))
    data = vault.file()
    flip(data, one.record_at + 1024)
    return data


@vector("block-tampered-before-damage", "A record of the first commit is wrong, behind right tags; the check table of the second is damaged.",
        "tampered", "damaged")
def tampered_before(vault):
    vault.hook("stored", flipped(195), 1)
    _, other = two(vault)
    vault.gives = released_before(vault, tree_id(None, "hello.txt"))
    data = vault.file()
    flip(data, other.record_at + 1024)
    return data


@vector("block-bit-padding-attacker",
        "A bit of old padding was altered, and every hash made right, those of the pages too.", "tampered")
def old_padding_attacker(vault):
    three(vault)
    data = vault.file()
    flip(data, vault.commits[0].record_at - 1)
    fix_unkeyed(vault, data)
    return data


@vector("block-forged-gmac", "Two cipher blocks of a record were changed by x and x times H, H being the key of GHASH that the record's key gives: "
        "its tag holds, as whoever has the master key can arrange. The row does not.", **LOST)
def forged(vault):
    vault.commit(Put("file", bytes(64)))
    data, (at, _) = vault.file(), vault.commits[0].stored[0]
    record_key = dict(vault.notes)["commit 1 record 0 record key"]
    change = 1 << 127
    hash_key = int.from_bytes(block_cipher(record_key, bytes(16)), "big")
    # In GHASH the earlier block is multiplied by H once more than the later: the two changes cancel each other.
    for place, delta in ((at + 192, change), (at + 208, times(change, hash_key))):
        write(data, place, (int.from_bytes(data[place:place + 16], "big") ^ delta).to_bytes(16, "big"))
    vault.gives = change.to_bytes(16, "big") + times(change, hash_key).to_bytes(16, "big") + bytes(32)
    return data


@vector("ok-padding", "The padding is zeros, with right tags: a reader does not look at it.")
def padding(vault):
    vault.hook("padding", lambda area: bytes(len(area)))
    vault.hook("rest", lambda rest: rest.rstrip(b"\x00")[:200].ljust(len(rest), b"\x00"))
    small(vault)


@vector("ok-rest-longer", "More padding than Padm\u00e9 asks for behind the check table.")
def rest_longer(vault):
    vault.hook("rest", lambda rest: rest + b"\x11" * 8192)
    small(vault)


hooked("core-copy-first", "The record of the first commit has a copy of a core before.", "record", put(512, b"\x01" * 512), **REPAIRABLE)
