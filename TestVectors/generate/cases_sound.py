"""Vectors of sound vaults."""

import cbor
from attacker import put
from layout import FOLDER, SYMLINK, Move, Purge, Put, Trash, tree_id
from primitives import u16, u32, u64
from vectors import content, small, three, tree, two, vector


def sized(length):
    @vector(f"ok-size-{length}", f"One file of {length} bytes.")
    def make(vault):
        vault.commit(Put("file", content(length)))


for size in (0, 1, 65536, 65537):
    sized(size)

vector("ok-one-file", "One commit with one small file.")(small)
vector("ok-two-commits", "Two commits, page B newest, page A one older; the second segment took in the first.")(two)


@vector("ok-empty", "A new vault without a record: a segment with no chunks.")
def empty(vault):
    vault.commit()


@vector("ok-tree", "Folders, one of them empty, a nested file, an executable, a symlink, a name that is not UTF-8.")
def full_tree(vault):
    docs = Put("docs", kind=FOLDER)
    deep = Put("deep", kind=FOLDER, parent=docs.id)
    vault.commit(docs, deep, Put("empty", kind=FOLDER), Put("note.txt", b"A note.\n", parent=deep.id),
                 Put("run.sh", b"#!/bin/sh\n", overview={"exec": True}), Put("latest", b"docs/deep/note.txt", kind=SYMLINK),
                 Put(b"caf\xe9.txt", b"Latin-1 name.\n"))


@vector("ok-titles-nfc-nfd", "Two files whose names are equal under Unicode normalisation and differ in bytes.")
def titles(vault):
    vault.commit(Put("caf\u00e9", b"composed"), Put("cafe\u0301", b"decomposed"))


@vector("ok-title-255", "A name of 255 bytes; the short name in the record's header is cut before an incomplete character.")
def title_255(vault):
    vault.commit(Put("\u20ac" * 85, b"long name"))


@vector("ok-replaced", "A file replaced twice: one live entry, two past ones.")
def replaced(vault):
    for text in (b"one", b"two", b"three"):
        vault.commit(Put("file", text))


@vector("ok-trashed", "A file in the trash is not read; the entry has a new revision and the old stored record.")
def trashed(vault):
    vault.commit(Put("kept", b"kept"), Put("gone", b"in the trash"))
    vault.commit(Trash(tree_id(None, "gone")))


@vector("ok-restored", "A file that was in the trash and is live again, with revision 3.")
def restored(vault):
    trashed(vault)
    vault.commit(Put("gone", b"back again"))


@vector("ok-purged", "A tombstone above the segment that holds the live entry; no past entry.")
def purged(vault):
    vault.commit(Put("kept", b"kept"), Put("gone", b"purged"))
    vault.commit(Purge(tree_id(None, "gone")))


@vector("ok-purged-compacted", "A log rewritten to purge a file: it begins with sequence 3, and all that is left of the file is a tombstone.",
        sequence=2, previous=b"\x22" * 32)
def purged_compacted(vault):
    vault.commit(Put("kept", b"kept"), Purge(tree_id(None, "gone")))


@vector("ok-tombstone-replaced", "A purged file that was put again: the tombstone leaves no past entry.")
def tombstone_replaced(vault):
    purged_compacted(vault)
    vault.commit(Put("gone", b"here again"))


@vector("ok-moved-file", "A file moved twice, in the end back to its first path: the former paths leave tombstones with flags 3.")
def moved_file(vault):
    vault.commit(Put("file", b"content"), Put("docs", kind=FOLDER))
    vault.commit(Move(tree_id(None, "file"), "letter", tree_id(None, "docs")))
    vault.commit(Move(tree_id(tree_id(None, "docs"), "letter"), "file"))


@vector("ok-moved-folder", "A folder that was moved: what lies in it keeps its ids and parents, and is found under the new path.")
def moved_folder(vault):
    docs = tree_id(None, "docs")
    vault.commit(Put("docs", kind=FOLDER), Put("file", b"content", parent=docs), Put("in", kind=FOLDER, parent=docs),
                 Put("deep", b"deep", parent=tree_id(docs, "in")))
    vault.commit(Move(docs, "letters"))


@vector("ok-moved-folder-made-again", "A folder made where another was moved away: it has an inner id of its own, and a file of the same name.")
def moved_folder_made_again(vault):
    moved_folder(vault)
    new = b"a random id 1234"
    vault.commit(Put("docs", kind=FOLDER, entry={20: new}), Put("file", b"another", parent=new))


@vector("ok-segments-linked", "Two segments: the first is too large to be taken in by the second, which links to it.")
def linked(vault):
    vault.commit(*[Put(f"file {i}", b"%d" % i) for i in range(12)])
    vault.commit(Put("late", b"late"))


@vector("ok-segments-merged-and-linked", "The third segment takes in the second and links to the first; it replaces a file of the first.")
def merged_and_linked(vault):
    linked(vault)
    vault.commit(Put("file 3", b"three"))


@vector("ok-many-chunks", "Sixty records: three live chunks in the segment.")
def many_chunks(vault):
    vault.commit(*[Put(f"file {i}", b"%d" % i) for i in range(60)])


@vector("ok-small-chunks", "Chunks of one entry each where one chunk would hold all: a reader accepts it.")
def small_chunks(vault):
    vault.chunk_limit = 200
    tree(vault)


@vector("ok-entry-long", "One entry that takes a chunk of 16,384 stored bytes by itself.")
def entry_long(vault):
    vault.hook("live", lambda items: [(first, lengthen(entry, 16384 - 17)) for first, entry in items])
    vault.commit(Put("file", b"x", overview={"note": "n" * 16001}))


def lengthen(entry, size):
    """The entry with its note as long as makes it `size` bytes of CBOR."""
    missing = size - len(cbor.encode(entry))
    return {**entry, 12: {**entry[12], "note": entry[12]["note"] + "n" * missing}}


@vector("ok-entry-key-unknown", "Unknown keys in an entry, with values of every permitted type.")
def entry_key_unknown(vault):
    vault.commit(Put("file", b"x", entry={23: -1, 100: ["a", b"b", None, True, False], 70000: {"k": {-1: []}}}))


@vector("ok-overview", "An overview with tags, group, pinned, mtime before 1970, and an unknown key.")
def overview(vault):
    vault.commit(Put("file", b"x", overview={"tags": ["red", "old"], "group": "papers", "pinned": True, "mtime": -1, "colour": 7}))


@vector("ok-kind-unknown", "Records of two kinds that this format does not know, with random ids and no parent.")
def kind_unknown(vault):
    vault.commit(*[Put("thing", b"of kind %d" % kind, kind=kind, id=vault.draw("record id", 16)) for kind in (20000, 40000)])


@vector("ok-log-rewritten", "The log begins with sequence 42 and the last tags of an older log; its lines know commit 41.",
        sequence=41, previous=b"\x22" * 32)
def log_rewritten(vault):
    vault.hook("lines", lambda items: [(41, [41, 1, 8192, b"\x22" * 16])])
    small(vault)


@vector("ok-lines-forgotten", "A log rewritten without the versions that only save 40 held: its line has the offset 0.",
        sequence=41, previous=b"\x22" * 32)
def lines_forgotten(vault):
    vault.hook("lines", lambda items: [(40, [40, 1, 0, b"\x33" * 16]), (41, [41, 2, 8192, b"\x22" * 16])])
    small(vault)


@vector("ok-sequence-jump", "The second commit has sequence 100.")
def sequence_jump(vault):
    small(vault)
    vault.commit(Put("second.txt", b"after the jump"), sequence=100)


@vector("ok-payload-larger", "A payload area 4,096 bytes larger than Padm\u00e9 asks for.")
def payload_larger(vault):
    vault.payload_extra = 4096
    small(vault)


@vector("ok-write-feature", "An unknown write feature: may be read.")
def write_feature(vault):
    vault.hook("page", put(16, u32(1 << 31)))
    small(vault)


@vector("ok-write-feature-bytes", "An unknown write feature, and bytes in all places that are reserved, gaps too.")
def write_feature_bytes(vault):
    vault.hook("page", lambda body: put(200, b"\x01" * 56)(put(24, b"\x02" * 8)(put(16, u32(2))(body))) + b"\x03" * 672)
    vault.hook("core", put(12, u32(2)))
    vault.hook("core-reserved", put(400, b"\x05" * 16))
    vault.hook("rest", lambda rest: rest[:-9] + b"\x07" * 9)
    small(vault)
    data = vault.file()
    data[5000:5010] = b"\x06" * 10
    return data


@vector("core-write-feature", "A write feature of the newest commit that its page does not have.", "malformed", "damaged")
def core_write_feature(vault):
    vault.hook("core", put(12, u32(2)))
    small(vault)


@vector("core-write-feature-older", "A write feature of an earlier commit that the page does not have.", verify="malformed")
def core_write_feature_older(vault):
    vault.hook("core", put(12, u32(2)), 1)
    three(vault)


@vector("ok-copy", "The copy flag with its origin.")
def copy(vault):
    vault.hook("page", put(10, u16(1)))
    vault.hook("page", put(80, u64(7) + b"\x33" * 32))
    small(vault)


@vector("ok-unfinished-save", "Bytes of an unfinished save behind the log end: reported, not damage.")
def unfinished_save(vault):
    small(vault)
    return vault.file() + bytearray(b"\xa5" * 5000)


# Passwords and slots

def password(name, comment, given, **vault):
    vector(name, comment, password=given, **vault)(small)


password("ok-password", "Opened with a password.", "correct horse", slot="correct horse")
password("ok-password-nfc", "The password in composed form.", "caf\u00e9 \u00c5", slot="caf\u00e9 \u00c5", seed="ok-password-nf")
password("ok-password-nfd", "The same vault as ok-password-nfc; the password in decomposed form.", "cafe\\xcc\\x81 A\\xcc\\x8a",
         slot="caf\u00e9 \u00c5", seed="ok-password-nf")
password("ok-password-spaces", "Spaces around a password are part of it, and so is its case.", "\\x20Pass\\\\word\\x20",
         slot=" Pass\\word ")
password("ok-password-byte", "A password of one byte.", "p", slot="p")
password("ok-slot-iterations-large", "A slot with 300,000 iterations.", "pw", slot="pw", iterations=300000)


@vector("ok-slot-kinds", "A recovery-key, a keyfile and a device slot stand before the password's.", password="pw")
def slot_kinds(vault):
    vault.set_slot(0, vault.slot("slot 0", 3, bytes(range(20)), 100000, "paper"))
    vault.set_slot(2, vault.slot("slot 2", 2, "pw", 100000, "keyfile", extra=b"\x44" * 32))
    vault.set_slot(3, vault.slot("slot 3", 4, b"\x55" * 32, 0, "laptop"))
    vault.set_slot(7, vault.slot("slot 7", 1, "pw", 100000, "password"))
    small(vault)


@vector("ok-slot-second", "The password belongs to the second of two password slots.", password="second", slot="first")
def slot_second(vault):
    vault.set_slot(1, vault.slot("slot 1", 1, "second", 100000, "other"))
    small(vault)


@vector("ok-slot-unknown-kind", "A slot of an unknown kind is skipped; none of its bytes is judged.", password="pw", slot="pw")
def slot_unknown(vault):
    vault.set_slot(3, bytes([200]) + b"\x66" * 255)
    small(vault)


@vector("ok-slot-unknown-kind-id", "A slot of an unknown kind has the bytes of the password slot's id: not judged.", password="pw", slot="pw")
def slot_unknown_id(vault):
    vault.set_slot(3, bytes([200]) + vault.slots[0][1:])
    small(vault)


@vector("ok-slot-iterations-other-kind", "A recovery-key slot with 2^32 - 1 iterations is not tried with a password.", password="pw",
        slot="pw")
def slot_other_kind(vault):
    vault.set_slot(1, vault.slot("slot 1", 3, bytes(range(20)), 2**32 - 1, "paper", cheap=True))
    small(vault)


@vector("slot-added-older-page", "The second commit adds a slot: the newest page and page T have it, the older page does not.",
        password="new", slot="old", keyless="repairable", verify="repairable")
def slot_added(vault):
    small(vault)
    vault.set_slot(1, vault.slot("slot 1", 1, "new", 100000, "new"))
    vault.commit()
