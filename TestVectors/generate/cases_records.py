"""Vectors about stored records and their chunks."""

from attacker import flip, flipped, put, write
from cases_log import hooked
from encoder import Vault
from layout import LOG, MINUTE, START, SYMLINK, Put, Trash, tree_id
from primitives import u16, u64
from vectors import content, released_before, small, vector

MALFORMED = dict(read="malformed")
TAMPERED = dict(read="tampered")
SALT = b"\x77" * 32


def record(name, comment, layer, change, **classes):
    """A fault of the only stored record, with right tags above it."""
    hooked("record-" + name, comment, layer, change, **(classes or MALFORMED))


# Headers

record("salt", "The salt of a stored record is not that of its entry.", "stored", flipped(0), **TAMPERED)
record("header-bit", "One bit of a sealed header is wrong, behind right tags.", "stored", flipped(32), **TAMPERED)
record("header-tag", "The tag of a sealed header is wrong, behind right tags.", "stored", flipped(191), **TAMPERED)
hooked("ok-record-header-id", "The id in the header is not that of the entry: not compared.", "record-header", flipped(0))
hooked("ok-record-header-kind", "The kind in the header is not that of the entry: not compared.", "record-header", put(16, u16(3)))
hooked("ok-record-header-parent", "The parent in the header is not that of the entry: not compared.", "record-header", put(48, b"\x07" * 16))
record("header-flags", "A flag of the stored record that one must know.", "record-header", put(18, u16(2)), read="unsupported")
record("header-length", "The length in the header is not that of the entry.", "record-header", put(32, u64(13)))
hooked("ok-record-header-revision", "The revision in the header is greater than that of the entry: not compared.", "record-header", put(24, u64(2)))
record("header-name-length", "The length of the short name is 64.", "record-header", put(80, b"\x40"))
hooked("ok-record-header-reserved", "Reserved bytes of the header, and one behind the short name, are not zero: not judged.", "record-header",
       lambda header: put(140, b"\x01")(put(20, b"\x01")(header)))


@vector("record-header-revision-lower", "The entry's revision is greater than that of the stored record: it was trashed and put back.")
def revision_lower(vault):
    small(vault)
    vault.commit(Trash(tree_id(None, "hello.txt")))
    vault.hook("live", lambda items: [(first, {k: v for k, v in e.items() if k != 11}) for first, e in items], 3)
    vault.commit(Trash(tree_id(None, "hello.txt")))
    vault.live = {i: {k: v for k, v in e.items() if k != 11} for i, e in vault.live.items()}


@vector("record-header-symlink-nul", "One bit of the sealed header of a symlink is wrong, behind right tags; its target holds NUL.",
        read="tampered")
def symlink_nul(vault):
    vault.hook("stored", flipped(40))
    vault.commit(Put("link", b"a\x00b", kind=SYMLINK))


# Records in each other's place

def pair(name, comment, change):
    """Two files of equal length, `change(area, commit)` on the payload area; the first to be read fails."""
    @vector(name, comment, **TAMPERED)
    def make(vault):
        vault.hook("payload", change)
        vault.commit(Put("one", b"The first file.\n"), Put("two", b"The other file.\n"))


def exchanged(begin, end):
    """A hook that exchanges bytes of the records at 0 and 256 of the payload area."""
    def change(area):
        return area[:begin] + area[256 + begin:256 + end] + area[end:256 + begin] + area[begin:end] + area[256 + end:]
    return change


pair("record-exchanged", "Two stored records of equal length are exchanged.", exchanged(0, 224))
pair("record-headers-exchanged", "The sealed headers of two records are exchanged.", exchanged(32, 192))
pair("chunk-exchanged", "The chunks of two records of equal length are exchanged.", exchanged(192, 224))


@vector("record-foreign", "A stored record is that of another vault, for the same name and length.", **TAMPERED)
def foreign(vault):
    other = Vault("record-foreign, the other")
    vault.hook("stored", lambda old: small(other).stored[0][1])
    small(vault)


@vector("record-foreign-salt", "A stored record is that of another vault, and its salt is in the entry.", **TAMPERED)
def foreign_salt(vault):
    other = Vault("record-foreign-salt, the other")
    stored = small(other).stored[0][1]
    vault.hook("stored", lambda old: stored)
    vault.commit(Put("hello.txt", b"Hello, vault!\n", salt=lambda: stored[:32]))


@vector("chunk-foreign", "A chunk is that of another vault, with the same salt.", **TAMPERED)
def chunk_foreign(vault):
    other = Vault("chunk-foreign, the other")
    stored = small(other).stored[0][1]
    vault.hook("stored", lambda old: old[:192] + stored[192:])
    vault.commit(Put("hello.txt", b"Hello, vault!\n", salt=lambda: stored[:32]))


@vector("chunk-old-version", "The chunk of a replaced file is that of the version before.", **TAMPERED)
def chunk_old(vault):
    old = vault.commit(Put("file", b"first version")).stored[0][1]
    vault.hook("stored", lambda new: new[:192] + old[192:], 2)
    vault.commit(Put("file", b"other version"))


@vector("record-overlap", "The salt of the second record is the end of the first: both open, and they overlap.", verify="malformed")
def overlap(vault):
    ends = []
    vault.hook("stored", lambda stored: ends.append(stored[-32:]) or stored)
    vault.commit(Put("one", b"sixteen bytes..."), Put("two", b"over it", at=192, salt=lambda: ends[0]))


@vector("record-across-areas", "A stored record that begins in one payload area and ends in the next; it opens.", verify="malformed")
def across(vault):
    draft = vault.stored_record("draft", Put("across", bytes(64 + 4096), salt=lambda: SALT), 1, START + MINUTE, 2)[1]
    vault.hook("payload", lambda area: area[:-256] + draft[:192] + area[-64:], 1)
    at = small(vault).record_at - 256
    content = bytes(a ^ b for a, b in zip(draft[192:-16], vault.file()[at + 192:]))
    vault.hook("stored", lambda stored: stored[-16:], 2)
    vault.commit(Put("across", content, at=0, entry={4: at - LOG}, salt=lambda: SALT))


@vector("record-behind-table", "A stored record in the padding behind a check table; it opens.", keyless="repairable", verify="malformed")
def behind_table(vault):
    kept = []
    at = small(vault).end - 1024
    vault.hook("stored", lambda stored: kept.append(stored) or b"", 2)
    vault.commit(Put("hidden", b"hidden", entry={4: at - LOG}))
    data = vault.file()
    write(data, at, kept[0])
    return data


HIDDEN = Put("hidden", content(48))


def hidden(vault, change=lambda stored: stored):
    """A commit whose only record has the last 256 bytes of the commit, behind the check table; `change` alters it there."""
    stored = vault.stored_record("hidden", Put("hidden", HIDDEN.content, salt=lambda: SALT), 1, START, 1)[1]
    vault.hook("stored", lambda old: b"", 1)
    vault.hook("rest", lambda rest: rest[:-256] + change(stored), 1)
    commit = vault.commit(Put("hidden", HIDDEN.content, entry={4: 8192 - 256}, salt=lambda: SALT))
    assert commit.end == LOG + 8192
    return commit


vector("record-at-log-end", "A stored record behind a check table, whose last byte is that before the log end; it opens.", verify="malformed")(
    hidden)


def hidden_cut(name, comment, change, length, **classes):
    """The record at the log end altered behind right tags, and the file cut at a length, counted from the record."""
    @vector("record-" + name, comment, **classes)
    def make(vault):
        commit = hidden(vault, change)
        vault.gives = b""
        return vault.file()[:commit.end - 256 + length]


hidden_cut("at-file-end", "A chunk that ends with the file is wrong, behind right tags.", flipped(-1), 256, read="tampered", keyless="repairable",
           verify="malformed")
hidden_cut("salt-at-file-end", "The salt of a record is wrong behind right tags; the file ends with it.", flipped(0), 32, read="damaged",
           keyless="damaged", verify="damaged")
hidden_cut("behind-file-end", "The file ends where a record would begin, in the padding behind the check table.", lambda old: old, 0,
           read="damaged", keyless="damaged")


@vector("record-before-damage", "A chunk at the very end of a commit is wrong, behind right tags; the check table of the next commit is damaged.",
        "tampered", "damaged", verify="damaged")
def before_damage(vault):
    hidden(vault, flipped(-1))
    after = vault.commit(Put("second.txt", b"second"))
    vault.gives = released_before(vault, HIDDEN.id)
    data = vault.file()
    flip(data, after.record_at + 1024)
    return data


@vector("record-past-bit", "A chunk of a replaced version does not open, behind right tags: not read by a list.", verify="tampered")
def past_bit(vault):
    vault.hook("stored", flipped(195), 1)
    vault.commit(Put("file", b"one"))
    vault.commit(Put("file", b"two"))


# Chunks behind right tags

hooked("chunk-bit", "One bit of a chunk is wrong, behind right tags.", "stored", flipped(195), **TAMPERED)
hooked("chunk-tag", "The tag of a chunk is wrong, behind right tags.", "stored", flipped(192 + 14 + 15), **TAMPERED)
hooked("chunk-final-missing", "The only chunk does not carry the final flag.", "chunks", lambda old: [(0, False, old[0][2])], **TAMPERED)
hooked("chunk-index", "The only chunk was sealed with index 1.", "chunks", lambda old: [(1, True, old[0][2])], **TAMPERED)


def large(name, comment, length, change, gives=0):
    """A fault of the chunks of one large file; `gives` bytes of it are handed out."""
    @vector("chunk-" + name, comment, **TAMPERED)
    def make(vault):
        vault.hook("chunks", change)
        vault.commit(Put("large", content(length)))
        vault.gives = content(length)[:gives]


large("final-early", "The first of two chunks carries the final flag.", 65537, lambda old: [(0, True, old[0][2]), old[1]])
large("dropped", "The second of two chunks is missing.", 65537, lambda old: old[:1], 65536)
large("reordered", "Two chunks are exchanged.", 65537, lambda old: old[::-1])
hooked("chunk-appended", "A chunk behind the final one: not read.", "chunks", lambda old: old + [(1, True,
       b"more")])


@vector("chunk-second-bit", "One bit of the second of two chunks is wrong: the first is handed out.", "damaged", "damaged")
def second_bit(vault):
    commit = vault.commit(Put("large", content(65537)))
    data = vault.file()
    flip(data, commit.stored[0][0] + 192 + 65552)
    vault.gives = content(65536)
    return data


@vector("chunk-released", "The second record to be read fails, behind right tags: the first is handed out.", **TAMPERED)
def released(vault):
    puts = sorted([Put("one", b"one"), Put("two", b"two"), Put("three", b"three")], key=lambda change: change.id)
    count = []
    vault.hook("stored", lambda old: flipped(193)(old) if count.append(1) or len(count) == 2 else old)
    vault.commit(*puts)
    vault.gives = released_before(vault, puts[1].id)
