"""Vectors of content in pieces (Spec/container.md, 3.10)."""

from attacker import flip, put
from cases_frames import zeros
from layout import SYMLINK, Purge, Put, Trash, tree_id
from primitives import u16, u64
from vectors import at, content, released_before, unpacked, vector

MALFORMED = dict(read="malformed")
PIECE, PIECE_KEY, ATTACHMENT, LOGIN = 38, 39, 32, 16
ONE, TWO = content(1000), content(70000)[::-1]
FILE = tree_id(None, "file")


def piece(number, plain, **more):
    """A piece with an id of its own; the ids ascend with the numbers, and stand below that of the file."""
    return Put("", plain, kind=PIECE, id=bytes(15) + bytes([number]), **more)


A, B = piece(1, ONE), piece(2, TWO)


def row(id, length):
    return id + u64(length)


def pieces(name, comment, rows, plain=None, stored=(A, B), hook=None, entry=None, kind=1, gives=None, title="file", **classes):
    """Pieces, and a file whose list names them."""
    @vector("pieces-" + name, comment, **classes)
    def make(vault):
        if hook:
            vault.hook(*hook)
        whole = b"".join(it.content for it in rows if isinstance(it, Put)) if plain is None else plain
        made = Put(title, whole, kind=kind, pieces=rows, entry=entry or {}, id=None if kind < 4 else b"\xee" * 16)
        vault.commit(*stored, made)
        if classes.get("read", "ok") != "ok":
            vault.gives = released_before(vault, made.id) if gives is None else gives


# What is right

pieces("one", "Content in one piece.", [A], stored=[A])
pieces("two", "Content in two pieces.", [A, B], more=unpacked("ok", Put("file", ONE + TWO)))
pieces("order", "The pieces of a content in another order than their ids.", [B, A])
pieces("twice", "A list that names one piece three times.", [A, B, A, A])
pieces("compressed", "A piece that is compressed.", [A, piece(3, bytes(5000), frames=zeros(5000))],
       stored=[A, piece(3, bytes(5000), frames=zeros(5000))])
pieces("attachment", "An attachment in pieces.", [A, B], kind=ATTACHMENT)
pieces("unnamed", "A piece that no list names.", [B])
pieces("many", "A list of more than a chunk.", [A] * 3000, stored=[A])
pieces("chunks", "A list whose last chunk is full.", [piece(1, b"x")] * 8192, stored=[piece(1, b"x")])
pieces("titled", "A piece with a title: nobody judges it.", [A], stored=[Put("title", ONE, kind=PIECE, id=A.id)])
pieces("empty-unnamed", "A piece without content that no list names.", [A], stored=[A, piece(3, b"")])
pieces("key", "The key that says where contents are cut.", [A], stored=[A, Put("piece-key", content(32), kind=PIECE_KEY, id=b"\x07" * 16)])
pieces("other-kind", "A card in pieces: it can be read, and is malformed.", [A, B], kind=LOGIN, verify="malformed")


@vector("pieces-shared", "Two files share pieces, of two saves.", more=unpacked("ok", Put("file", ONE + TWO), Put("other", TWO + ONE + ONE)))
def shared(vault):
    vault.commit(A, B, Put("file", ONE + TWO, pieces=[A, B]))
    vault.commit(Put("other", TWO + ONE + ONE, pieces=[B, A, A]))


@vector("pieces-shared-list", "Two files share a list.")
def shared_list(vault):
    entry = vault.commit(A, B, Put("file", ONE + TWO, pieces=[A, B])).tree["live"][-1]
    vault.hook("live", lambda items: [(first, {**e, 3: entry[3], 4: entry[4]} if e[0] == tree_id(None, "other") else e)
                                      for first, e in items], 2)
    vault.commit(Put("other", ONE + TWO, pieces=[A, B]))


@vector("pieces-shared-form", "Two entries name one stored record, as a list and as a content of that length.", read="malformed")
def shared_form(vault):
    entry = vault.commit(A, B, Put("file", ONE + TWO, pieces=[A, B])).tree["live"][-1]
    vault.hook("live", lambda items: [(first, {**e, 3: entry[3], 4: entry[4]} if e[0] == tree_id(None, "other") else e)
                                      for first, e in items], 2)
    other = Put("other", bytes(48))
    vault.commit(other)
    vault.gives = released_before(vault, other.id)


@vector("pieces-changed", "A file in pieces that was changed since: what it was is shown with the pieces that are there now.", more=at(1))
def changed(vault):
    vault.states = {}
    vault.commit(A, B, Put("file", ONE + TWO, pieces=[A, B]))
    vault.states[1] = vault.released()
    vault.commit(piece(3, b"new"), Put("file", b"new" + TWO, pieces=[piece(3, b"new"), B]))


@vector("pieces-changed-piece", "A piece that was changed since: it is none any more.", **MALFORMED, more=at(1, "malformed"))
def changed_piece(vault):
    vault.commit(A, Put("file", ONE, pieces=[A]))
    vault.commit(piece(1, ONE[::-1]))
    vault.gives = released_before(vault, FILE)


# Lists that break a rule

pieces("missing", "A piece that is not there.", [A, B], stored=[A], **MALFORMED)
pieces("missing-first", "The first of two pieces is not there.", [B, A], stored=[A], **MALFORMED)
pieces("length-other", "A row with another length than its piece; the sum is right.", [row(A.id, 1001), row(B.id, 69999)], ONE + TWO, **MALFORMED)
pieces("length-less", "Two rows with lengths below those of the pieces.", [row(A.id, 999), row(B.id, 69999)], bytes(70998), **MALFORMED)
pieces("sum-less", "The pieces have a byte less than the content.", [A, B], ONE + TWO + b"\x00", **MALFORMED)
pieces("sum-more", "The pieces have a byte more than the content.", [A, B], (ONE + TWO)[:-1], **MALFORMED)
pieces("sum-wraps", "Lengths whose sum is right modulo 2^64.", [row(A.id, 2**64 - 1000), row(B.id, 72000)], ONE + TWO, **MALFORMED)
pieces("twice-other", "A list that names a piece twice, with two lengths.", [A, row(A.id, 70000)], ONE + TWO, stored=[A], **MALFORMED)
pieces("unpack", "A file whose list is wrong beside one that is right.", [B], stored=[A, Put("x", ONE, pieces=[A])],
       more=unpacked("malformed", Put("x", ONE, pieces=[A])), **MALFORMED)
pieces("zero", "A row with the length zero.", [A, row(B.id, 0)], ONE, **MALFORMED)
pieces("zero-piece", "A piece without content.", [A, piece(3, b"")], stored=[A, piece(3, b"")], **MALFORMED)
pieces("parent", "A piece that belongs to a record.", [A], stored=[Put("", ONE, kind=PIECE, id=A.id, parent=b"\x33" * 16)], **MALFORMED)
pieces("file-named", "A list that names a file.", [A, Put("x", b"12345")], stored=[A, Put("x", b"12345")], **MALFORMED)
pieces("itself", "A list that names its own file.", [row(FILE, 1000)], ONE, stored=[A], **MALFORMED)
pieces("list-named", "A piece that is in pieces.", [Put("", ONE, kind=PIECE, id=bytes(15) + b"\x03", pieces=[A])],
       stored=[A, Put("", ONE, kind=PIECE, id=bytes(15) + b"\x03", pieces=[A])], **MALFORMED)
pieces("symlink", "The target of a symlink in pieces: judged when it is verified or made.", [piece(3, b"target")],
       stored=[piece(3, b"target")], kind=SYMLINK, verify="malformed", more=unpacked("malformed"))
pieces("table", "A list in a frame.", [A] * 100, stored=[A], hook=("chunks", lambda chunks: [
    (i, last, zeros(2400) + bytes(2400 - len(zeros(2400)))) if len(plain) == 2400 else (i, last, plain) for i, last, plain in chunks], 1), **MALFORMED)


def gone(name, comment, change):
    @vector("pieces-" + name, comment, **MALFORMED)
    def make(vault):
        vault.commit(A, B, Put("file", ONE + TWO, pieces=[A, B]))
        vault.commit(change)
        vault.contents.pop(B.id, None)
        vault.gives = released_before(vault, FILE)


gone("trashed", "A piece in the trash.", Trash(B.id))
gone("purged", "A piece that was purged.", Purge(B.id))


@vector("pieces-past", "The list of an older version names a piece that is not there: it is judged, and read for that save alone.",
        verify="malformed", more=at(1, "malformed"))
def past(vault):
    vault.commit(Put("file", ONE, pieces=[A]))
    vault.commit(Put("file", b"new"))


@vector("pieces-past-piece", "The list of an older version names a piece that only that save had.", verify="malformed", more=at(1, "malformed"))
def past_piece(vault):
    vault.commit(A, Put("file", ONE, pieces=[A]))
    vault.commit(Put("file", b"new"), Trash(A.id))
    vault.contents.pop(A.id)


@vector("pieces-trash", "A file in the trash whose list is wrong.", verify="malformed")
def trash(vault):
    vault.commit(Put("file", ONE, pieces=[A]))
    vault.commit(Trash(FILE))
    vault.contents.pop(FILE)


# Entries and headers that break a rule

HEADER = "record-header"
pieces("header-plain", "The sealed header does not say that the content is in pieces.", [A], stored=[A], hook=(
    HEADER, lambda plain: plain[:18] + u16(0) + plain[20:], 1), **MALFORMED)
pieces("header-bit", "Another flag beside that of a list.", [A], stored=[A], hook=(
    HEADER, lambda plain: put(18, u16(3))(plain) if plain[18:20] == u16(1) else plain, 1), read="unsupported")
pieces("entry-alone", "The entry says that frames stand for the content.", [A], stored=[A], hook=(
    "live", lambda items: [(first, {k: v for k, v in e.items() if k != 15}) for first, e in items], 1), **MALFORMED)
for name, comment, entry in [
        ("key-two", "A form of the content that there is not.", {15: 2}),
        ("key-text", "A form of the content that is no number.", {15: "1"}),
        ("length-odd", "A list of 25 bytes.", {13: 25}),
        ("length-most", "A list of 2^20 + 1 rows.", {13: 24 * (2**20 + 1)}),
        ("empty", "A list, and no content.", {5: 0})]:
    pieces("entry-" + name, comment, [A], stored=[A], entry=entry, gives=b"", **MALFORMED)


@vector("pieces-entry-full", "A list of 2^20 rows, which goes on behind the log end: the entry is right, and its record is not.", **MALFORMED)
def full(vault):
    vault.commit(A, Put("file", ONE, pieces=[A], entry={13: 24 * 2**20}))
    vault.gives = released_before(vault, FILE)


@vector("pieces-entry-without", "Key 15 without key 13.", **MALFORMED)
def without(vault):
    vault.commit(Put("file", ONE, entry={15: 1}))


@vector("pieces-entry-tombstone", "A tombstone that says what form its content has.", **MALFORMED)
def tombstone(vault):
    made = Put("file", b"file")
    vault.commit(made)
    vault.hook("live", lambda items: [(first, {**entry, 15: 1}) for first, entry in items], 2)
    vault.commit(Purge(made.id))


# Damage

@vector("pieces-damaged", "The second of two pieces is damaged: the first is handed out, as itself and as a part of the file.",
        "damaged", "damaged")
def damaged(vault):
    first = Put("", TWO, kind=PIECE, id=b"\xff" * 16)
    commit = vault.commit(A, first, Put("file", ONE + TWO, pieces=[A, first]))
    data = vault.file()
    flip(data, commit.stored[1][0] + 300)
    vault.gives = released_before(vault, FILE) + ONE
    return data


@vector("pieces-list-damaged", "A list is damaged: nothing of the content is handed out.", "damaged", "damaged")
def list_damaged(vault):
    commit = vault.commit(A, Put("file", ONE * 6000, pieces=[A] * 6000))
    data = vault.file()
    flip(data, commit.stored[1][0] + 192 + 65552 + 100)
    vault.gives = ONE
    return data
