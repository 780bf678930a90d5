"""Authentic but odd vaults: what a peer who knows the password can make of a copy of the victim's vault.

A kind is a function that takes the peer's side and commits something odd to it; every tag and hash is right. The encoder is that
of TestVectors/generate. `make` writes the vault of a kind and tells which records it brings.
"""

import copy
import random
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "TestVectors" / "generate"))

import cbor
from attacker import put
from encoder import Vault
from layout import FILE, FOLDER, LIVE, LOG, PAST, SYMLINK, Move, Purge, Put, Trash, tree_id
from primitives import Draws, gcm, sha256, u16, u32, u64

PASSWORD = "pw"
NOTE, LOGIN, ATTACHMENT, THUMBNAIL, WATERMARK, SHARE, SEED, MERGED, SETTING = 24, 25, 32, 33, 34, 35, 36, 37, 40
CARD, SECOND, PICTURE = b"C" * 16, b"D" * 16, b"P" * 16
UNLISTED = THUMBNAIL, WATERMARK, SHARE, SEED, MERGED  # not in the answer of `ls`
LAST = 2**63 - 1
DOCS, KEEP, A, B, LETTER = (tree_id(None, name) for name in ("docs", "keep.txt", "a.txt", "b.txt", "letter.txt"))
KINDS, PUTS = {}, {}


class Side(Vault):
    """A vault whose next segment gets further entries, past entries and lines, written as they are."""

    more = None

    def add(self, live=(), past=(), lines=()):
        """Further items of the next commit; a live entry takes the place of one with its id."""
        self.more = (list(live), list(past), list(lines))

    def merge(self, live, past, lines):
        live, past, lines, link = super().merge(live, past, lines)
        if self.more:
            known = {entry[0] for entry in self.more[0]}
            live = sorted([e for e in live if e[0] not in known] + self.more[0], key=lambda e: e[0])
            past = sorted(past + self.more[1], key=lambda e: (e[0], e[9]))
            lines = sorted(lines + self.more[2])
        self.told = [*live]
        return live, past, lines, link

    def seal_part(self, commit, part, items, key):
        """Each entry is encoded once, since some kinds have 60,000."""
        return super().seal_part(commit, part, [Encoded(item) for item in items], key)

    def like(self, base, title, parent=None, **entry):
        """An entry that shares the stored record of another one, with an id from its name or the one given."""
        new = {**self.live[base], 0: tree_id(parent, title), 2: 1, 9: self.sequence + 1}
        new.pop(8, None)
        new.update({8: parent} if parent else {})
        new[12] = {**new[12], "title": title}
        new.update({int(key[1:]): value for key, value in entry.items()})
        return new


class Encoded(cbor.Raw):
    """The encoding of an item, and its first member for the descriptor."""

    def __new__(cls, item):
        self = super().__new__(cls, cbor.encode(item))
        self.first = item[0]
        return self

    def __getitem__(self, key):
        return self.first if key == 0 else super().__getitem__(key)


def setting_id(name):
    return sha256(b"quickvault/1/setting\x00" + name.encode())[:16]


def setting(name, value, **more):
    return Put(name, cbor.encode({"type": "text", "value": value, **more}), SETTING, id=setting_id(name))


def note(title, text, **more):
    return Put(title, cbor.encode({"text": text}), NOTE, **more)


def attachment(title, content, owner=CARD, **more):
    return Put(title, content, ATTACHMENT, parent=owner, overview={"type": "image/png", "mtime": 0}, **more)


def common():
    """The two saves that victim and peer share."""
    vault = Side("hostile", slot=PASSWORD)
    vault.commit(Put("docs", kind=FOLDER), Put("letter.txt", b"Dear peer\n", parent=DOCS), Put("keep.txt", b"kept\n" * 50),
                 Put("a.txt", b"first\n"), Put("b.txt", b"for the trash\n"), Put("link", b"docs/letter.txt", SYMLINK),
                 note("a note", "one", id=CARD), note("second", "two", id=SECOND),
                 attachment("front.png", b"\x89PNG\r\n\x1a\n" + bytes(500), id=PICTURE), setting("app.colour", "red"))
    vault.commit(Put("a.txt", b"second\n"), Trash(B))
    return vault


def victim():
    """The victim's vault: the shared saves and one of its own."""
    vault = copy.deepcopy(common())
    vault.draws = Draws("victim")
    vault.commit(Put("a.txt", b"the victim's\n"), Put("own.txt", b"only the victim has this\n", parent=DOCS),
                 note("a note", "one, by the victim", id=CARD), note("mine", "new", id=b"M" * 16))
    return vault


def kind(name, *touched, descendant=False):
    """Declares a kind. `touched` names records of the victim that the peer changed too, in a way a merge may take."""
    def declare(make):
        assert name not in KINDS, name
        KINDS[name] = (make, touched, descendant)
        return make
    return declare


def puts(name):
    """Declares a kind that stores the records which the function gives; the mixtures take from these too."""
    def declare(make):
        PUTS[name] = make
        kind(name)(lambda peer: peer.commit(*make()))
        return make
    return declare


def entries(name, *touched, **how):
    """Declares a kind that brings the live entries which the function gives."""
    def declare(make):
        def commit(peer):
            peer.add(make(peer))
            peer.commit()
        kind(name, *touched, **how)(commit)
        return make
    return declare


# Sound ones, which a merge takes whole

SOUND = "sound", "sound-descendant"


def sound(peer):
    peer.commit(Put("new", kind=FOLDER), Put("in.txt", b"in a new folder", parent=tree_id(None, "new")), note("new", "card", id=b"N" * 16),
                attachment("back.png", b"\x89PNG\r\n\x1a\n" + bytes(40), id=b"Q" * 16), setting("app.size", "large"))


kind(SOUND[0])(sound)
kind(SOUND[1], descendant=True)(sound)

# Contents

puts("symlink-empty")(lambda: [Put("link-empty", b"", SYMLINK)])
puts("symlink-nul")(lambda: [Put("link-nul", b"a\0b", SYMLINK)])
puts("symlink-5000")(lambda: [Put("link-long", b"t" * 5000, SYMLINK)])
puts("symlink-outside")(lambda: [Put("link-out", b"../../etc/passwd", SYMLINK), Put("link-root", b"/etc/passwd", SYMLINK)])
puts("folder-content")(lambda: [Put("full", b"content", FOLDER), Put("in-full.txt", b"x", parent=tree_id(None, "full"))])
puts("kind-0")(lambda: [Put("zero", b"content of kind 0", 0, id=b"0" * 16)])
puts("kind-0-owned")(lambda: [Put("zero", b"content of kind 0", 0, id=b"0" * 16, parent=CARD)])
puts("kinds-unknown")(lambda: [Put(f"of kind {n}", b"x" * n.bit_length(), n, id=bytes([n % 251]) * 16)
                              for n in (4, 15, 37, 47, 90, 1000, 32767, 32768, 65535)])
puts("kinds-unknown-owned")(lambda: [Put(f"of kind {n}", b"x", n, id=bytes([n % 251]) * 16, parent=CARD) for n in (4, 90, 65535)])
puts("kinds-unknown-in-folder")(lambda: [Put(f"of kind {n}", b"x", n, id=bytes([n % 251]) * 16, parent=DOCS) for n in (4, 37, 90, 65535)])
puts("card-no-cbor")(lambda: [Put("no cbor", b"\xff\xff", NOTE, id=b"x" * 16), Put("no bytes", b"", LOGIN, id=b"y" * 16)])
puts("card-nested")(lambda: [Put("nested", b"\xa1dtext" + b"\x81" * 9000 + b"\x80", NOTE, id=b"x" * 16)])
puts("card-17-mib")(lambda: [note("huge", "x" * (17 << 20), id=b"x" * 16)])
puts("card-fields")(lambda: [Put("fields", cbor.encode({"text": 7, "\x1b[2J": "\x07", "own": [], "": [1, {"a": None}]}), NOTE, id=b"x" * 16)])
puts("settings-odd")(lambda: [Put("app.odd", b"\xf6", SETTING, id=setting_id("app.odd")), Put("no name!", b"\xa0", SETTING, id=setting_id("no name!")),
                             Put("app.number", cbor.encode({"type": "number", "value": "1" * 5000}), SETTING, id=setting_id("app.number"))])
puts("setting-id")(lambda: [Put("app.other", cbor.encode({"type": "text", "value": "v"}), SETTING, id=b"S" * 16)])
puts("due-answers")(lambda: [Put("due.answers", cbor.encode({"type": "list", "value": ["\x1b \0 x"] + [
    f"{n:032x} 9999-99-99 done key" for n in range(3000)]}), SETTING, id=setting_id("due.answers"))])
puts("marks")(lambda: [Put("mark", b"\xff", WATERMARK, id=b"w" * 16, parent=PICTURE), Put("share", b"", SHARE, id=b"s" * 16, parent=PICTURE),
                       Put("thumb", b"no jpeg", THUMBNAIL, id=b"t" * 16, parent=PICTURE), Put("seed", b"short", SEED, id=b"e" * 16)])


@kind("card-both-changed", "a note")
def card_both_changed(peer):
    """The peer's version of a card that the victim changed too is no card."""
    peer.commit(Put("a note", b"\x9f\xff", NOTE, id=CARD))


@kind("setting-changed", "app.colour")
def setting_changed(peer):
    peer.commit(Put("app.colour", b"\x00" * 40, SETTING, id=setting_id("app.colour")))


# Names

NAMES = {"up": "..", "here": ".", "path": "x/../../evil", "root": "/evil", "nul": "nul\0byte", "empty": "", "3000": "n" * 3000, "256": "m" * 256,
         "control": "line\nbreak\x1b]0;title\x07\x9b31m", "bidi": "fdp\u202eexe", "bytes": b"bytes\xff\xfe\x1b[2J", "tab": "\t", "dash": "-rf"}


def named(word, title):
    """A kind for a name: a file, a folder with a file in it, a symlink, a card and an attachment have it."""
    @puts(f"name-{word}")
    def make():
        other = tree_id(None, "other")
        return [Put(title, b"a file of this name"), Put(title, kind=FOLDER, parent=DOCS),
                Put("inside.txt", b"in such a folder", parent=tree_id(DOCS, title)), Put("other", kind=FOLDER),
                Put(title, b"docs", SYMLINK, parent=other), note(title, "a card of this name", id=b"x" * 16),
                attachment(title, b"\x89PNG\r\n\x1a\n", id=b"y" * 16)]


for word, title in NAMES.items():
    named(word, title)
puts("overview-odd")(lambda: [note("grouped", "x", id=b"x" * 16, overview={"group": "\x1b[2J" * 300, "tags": ["", "a,b", "\n"] * 200, "pinned": True,
                              "newer": {"a": [1, None]}, "type": "\x07"}), Put("typed", b"xx", overview={"group": "", "tags": [""], "exec": True})])

# Folders

puts("parent-missing")(lambda: [Put("orphan.txt", b"no folder", parent=b"?" * 16)])
puts("parent-file")(lambda: [Put("under.txt", b"a file is its folder", parent=A)])
puts("parent-card")(lambda: [Put("under.txt", b"a card is its folder", parent=CARD)])
puts("parent-self")(lambda: [Put("self", kind=FOLDER, parent=b"?" * 16, entry={20: b"?" * 16})])
puts("id-random")(lambda: [Put("random.txt", b"the id is not derived", id=b"r" * 16), Put("dir", kind=FOLDER, id=b"d" * 16),
                          Put("in.txt", b"in it", parent=b"d" * 16)])
puts("id-of-keep")(lambda: [Put("card.txt", b"the id of another path", id=tree_id(None, "other.txt"))])
puts("inner-of-docs")(lambda: [Put("docs2", kind=FOLDER, entry={20: DOCS})])
puts("inner-of-file")(lambda: [Put("docs3", kind=FOLDER, entry={20: KEEP}), Put("in.txt", b"in it", parent=KEEP)])
puts("inner-zero")(lambda: [Put("docs4", kind=FOLDER, entry={20: bytes(16)}), Put("in.txt", b"in it", parent=bytes(16), id=tree_id(None, "in.txt"))])
puts("former-self")(lambda: [Put("moved.txt", b"moved", entry={21: tree_id(None, "moved.txt")}), Put("m2.txt", b"m2", entry={21: KEEP})])


@kind("parent-trashed", "docs", "letter.txt")
def parent_trashed(peer):
    """A new file in a folder that the same save puts into the trash."""
    peer.commit(Put("late.txt", b"in a folder of the trash", parent=DOCS), Trash(DOCS))


@kind("parent-purged", "docs", "letter.txt")
def parent_purged(peer):
    peer.commit(Put("late.txt", b"in a purged folder", parent=DOCS), Purge(DOCS))


@entries("folders-loop")
def folders_loop(peer):
    """Two folders, each in the other, by inner ids of their own; and a file in one."""
    x, y = b"X" * 16, b"Y" * 16
    return [peer.like(DOCS, "one", y, _20=x), peer.like(DOCS, "two", x, _20=y), peer.like(KEEP, "looped.txt", x)]


@entries("folders-loop-of-docs", "docs")
def folders_loop_of_docs(peer):
    """The victim's folder is in a folder that is in it."""
    inner = tree_id(DOCS, "sub")
    return [peer.like(DOCS, "sub", DOCS), {**peer.like(DOCS, "docs", inner, _20=DOCS), 21: DOCS},
            {0: DOCS, 2: 2, 7: 0, 9: peer.sequence + 1, 11: 3}]


def nested(count):
    """Folders in each other, which share a stored record, and a file in the innermost."""
    def make(peer):
        found, parent = [], None
        for _ in range(count):
            found.append(peer.like(DOCS, "d", parent))
            parent = found[-1][0]
        return found + [peer.like(KEEP, "deep.txt", parent)]
    return make


for count in (1023, 1024, 5000):
    entries(f"folders-deep-{count}")(nested(count))


@kind("file-becomes-folder", "a.txt")
def file_becomes_folder(peer):
    """A folder where the victim has a file that it changed."""
    peer.commit(Put("a.txt", kind=FOLDER), Put("in.txt", b"in it", parent=A))


@kind("folder-becomes-file", "docs", "letter.txt")
def folder_becomes_file(peer):
    """A file where the victim has a folder with a new file."""
    peer.commit(Put("docs", b"a file now"))


@kind("folder-becomes-link", "docs", "letter.txt")
def folder_becomes_link(peer):
    peer.commit(Put("docs", b"/tmp", SYMLINK))


@kind("file-becomes-card", "keep.txt", "a.txt")
def file_becomes_card(peer):
    """Cards with the ids of two of the victim's files, one of them changed by both."""
    peer.commit(note("card", "id of a file", id=KEEP), note("card", "id of a changed file", id=A))


@kind("card-becomes-file", "a note", "second")
def card_becomes_file(peer):
    """Files with the ids of cards."""
    peer.commit(Put("card.txt", b"a file", id=CARD), Put("card2.txt", b"a file too", id=SECOND))


@kind("card-becomes-attachment", "a note", "second")
def card_becomes_attachment(peer):
    """Two cards that are attachments of each other."""
    peer.commit(attachment("a note", b"\x89PNG\r\n\x1a\n", SECOND, id=CARD), attachment("second", b"\x89PNG\r\n\x1a\n1", CARD, id=SECOND))


@kind("twice", "keep.txt")
def twice(peer):
    """A file and a folder with one id in one segment, which is malformed."""
    file, folder = peer.like(KEEP, "keep.txt"), peer.like(DOCS, "keep.txt")
    peer.hook("live", lambda items: sorted([*items, (KEEP, file), (KEEP, folder)], key=lambda item: item[0]), len(peer.commits) + 1)
    peer.commit(Put("x.txt", b"x"))


@kind("moved-docs", "docs", "letter.txt")
def moved_docs(peer):
    peer.commit(Move(DOCS, "elsewhere"))


def moved(peer, title, parent=None, inner=DOCS):
    """The folder docs moved to a path."""
    entry = {**peer.like(DOCS, title, parent), 20: inner, 21: DOCS}
    peer.add([entry, {0: DOCS, 2: 2, 7: 0, 9: peer.sequence + 1, 11: 3}])
    peer.commit(Put("x.txt", b"x"))


kind("moved-into-nothing", "docs", "letter.txt")(lambda peer: moved(peer, "elsewhere", b"?" * 16))
kind("moved-to-no-name", "docs", "letter.txt")(lambda peer: moved(peer, "moved/../up"))
kind("moved-into-itself", "docs", "letter.txt")(lambda peer: moved(peer, "elsewhere", DOCS))
kind("moved-onto-trash", "docs", "letter.txt")(lambda peer: moved(peer, "b.txt"))
kind("moved-to-inner-zero", "docs", "letter.txt")(lambda peer: moved(peer, "elsewhere", None, bytes(16)))


@kind("moved-files-15000")
def moved_files(peer):
    """Files that claim one chain of former paths."""
    entries, before = [], KEEP
    for number in range(15000):
        entries.append({**peer.like(KEEP, f"m{number}"), 21: before})
        before = entries[-1][0] if number % 2 else before
    peer.add(entries)
    peer.commit(Put("x.txt", b"x"))


@kind("one-title-5000")
def one_title(peer):
    """Attachments of one card with one title."""
    peer.commit(*(attachment("same.png", b"%d" % number, id=number.to_bytes(16, "big")) for number in range(1, 5001)))


@kind("moved-nowhere", "keep.txt")
def moved_nowhere(peer):
    """A tombstone of a move, and nothing that names its id as the former one."""
    peer.add([{0: KEEP, 2: 2, 7: 0, 9: peer.sequence + 1, 11: 3}])
    peer.commit()


# Merged saves and origins

MERGED_SAVES = sha256(b"quickvault/1/merged-saves\x00")[:16]
FULL = u64(1 << 20)
for name, content, sort in (("odd", bytes(15), MERGED), ("count", FULL + bytes(16), MERGED), ("setting", bytes(8), SETTING),
                            ("full", FULL + b"".join(number.to_bytes(16, "big") for number in range(1 << 20)), MERGED)):
    puts("merged-saves-" + name)(lambda content=content, sort=sort: [Put("merged-saves", content, sort, id=MERGED_SAVES)])
for name, change in (("purged", Purge), ("trashed", Trash)):
    @kind("merged-saves-" + name)
    def merged_saves_gone(peer, change=change):
        peer.commit(Put("merged-saves", bytes(8), MERGED, id=MERGED_SAVES))
        peer.commit(change(MERGED_SAVES), Put("x.txt", b"x"))
entries("origin-of-nobody")(lambda peer: [peer.like(A, "of-nobody.txt", _22=[3, b"\x07" * 16])])


# Owners

@puts("owner-self")
def owner_self():
    return [note("own owner", "x", id=b"o" * 16, parent=b"o" * 16), attachment("own.png", b"\x89PNG\r\n\x1a\n", b"p" * 16, id=b"p" * 16)]


@puts("owner-loop")
def owner_loop():
    ids = [bytes([65 + n]) * 16 for n in range(32, 35)]
    return [attachment(f"loop {n}", b"\x89PNG\r\n\x1a\n", ids[n - 1], id=ids[n]) for n in range(3)]


puts("owner-missing")(lambda: [attachment("lost.png", b"\x89PNG\r\n\x1a\n", b"?" * 16, id=b"l" * 16)])
puts("owner-folder")(lambda: [attachment("of-folder.png", b"\x89PNG\r\n\x1a\n", DOCS, id=b"l" * 16)])


def owned(count, **entry):
    """A chain: the victim's card owns the first attachment, that one the next, and so on."""
    def make(peer):
        ids = [CARD] + [sha256(u32(n))[:16] for n in range(count)]
        return [peer.like(PICTURE, f"{n}.png", ids[n], _0=ids[n + 1], **entry) for n in range(count)]
    return make


def owned_of_trash(count):
    """The same, and the card at the top goes into the trash; the victim has changed it."""
    def make(peer):
        return owned(count)(peer) + [{**peer.live[CARD], 2: 2, 9: peer.sequence + 1, 11: 1}]
    return make


entries("owners-8000", "a note")(owned(8000))
entries("owners-8000-trash", "a note", "front.png")(owned_of_trash(8000))
entries("owners-8000-all-trash")(owned(8000, _11=1))
entries("owners-60000", "a note")(owned(60000))
entries("owners-60000-trash", "a note", "front.png")(owned_of_trash(60000))


@entries("owners-ring-8000")
def owners_ring(peer):
    ids = [sha256(u32(n))[:16] for n in range(8000)]
    return [peer.like(PICTURE, f"{n}.png", ids[n - 1], _0=ids[n]) for n in range(8000)]


# One record of many entries: 128 KiB 400 times are 50 MiB for those who write each of them

def shared(length, copies, of):
    """A record of a length, and entries that share it."""
    def make(peer):
        base = of(length)
        peer.commit(base)
        peer.add([peer.like(base.id, f"copy {n}", base.parent, **({} if base.kind == FILE else {"_0": sha256(u32(n))[:16]}))
                  for n in range(copies)])
        peer.commit()
    return make


kind("shared-file")(shared(1 << 17, 400, lambda n: Put("large", random.Random(n).randbytes(n))))
kind("shared-attachment", "a note")(shared(1 << 17, 400, lambda n: attachment("large", b"\x89PNG\r\n\x1a\n" + random.Random(n).randbytes(n), id=b"z" * 16)))
kind("shared-unknown")(shared(1 << 17, 400, lambda n: Put("large", random.Random(n).randbytes(n), 90, id=b"z" * 16)))
kind("shared-card")(shared(1 << 17, 400, lambda n: note("large", "n" * n, id=b"z" * 16)))


@kind("shared-conflicts", "a.txt")
def shared_conflicts(peer):
    """Past entries of one path that share a record, all over one live one."""
    peer.commit(Put("a.txt", random.Random(1).randbytes(1 << 20)))
    old = peer.live[A]
    peer.add(past=[{**old, 2: 3 + n, 10: n + 1000, 9: n + 1000} for n in range(400)])
    peer.commit()


# Numbers

@kind("sequence-last")
def sequence_last(peer):
    peer.commit(Put("late.txt", b"late"), sequence=LAST)


kind("sequence-last-but-1")(lambda peer: peer.commit(Put("late.txt", b"late"), sequence=LAST - 1))
kind("sequence-last-but-2", descendant=True)(lambda peer: peer.commit(Put("late.txt", b"late"), sequence=LAST - 2))
kind("sequence-last-conflict", "a.txt")(lambda peer: peer.commit(Put("a.txt", b"late"), note("a note", "late", id=CARD), sequence=LAST))
puts("first-last")(lambda: [Put("first.txt", b"first is the last number", entry={9: LAST})])
puts("revision-last")(lambda: [Put("revision.txt", b"revision is the last number", entry={2: LAST})])


@kind("revision-last-changed", "keep.txt", "a.txt", "a note", "front.png", "app.colour")
def revision_last_changed(peer):
    """Versions of the victim's records that have no next revision."""
    last = {2: LAST}
    peer.commit(Put("keep.txt", b"kept no more", entry=last), Put("a.txt", b"the peer's", entry=last), note("a note", "by the peer", id=CARD, entry=last),
                attachment("front.png", b"\x89PNG\r\n\x1a\n", id=PICTURE, entry=last),
                Put("app.colour", cbor.encode({"type": "text", "value": "blue"}), SETTING, id=setting_id("app.colour"), entry=last))


@entries("revision-last-trashed", "keep.txt", "second")
def revision_last_trashed(peer):
    return [{**peer.live[i], 2: LAST, 9: peer.sequence + 1, 11: 1} for i in (KEEP, SECOND)]


@entries("tombstones", "keep.txt", "a.txt", "a note", "docs", "second")
def tombstones(peer):
    """Tombstones of what the victim has, changed and not, and of what nobody has, with numbers at the limit."""
    ids = [KEEP, A, CARD, DOCS, SECOND, b"t" * 16, bytes(16), b"\xff" * 16]
    return [{0: i, 2: LAST, 7: LAST, 9: LAST - n, 11: 2 + n % 2} for n, i in enumerate(ids)]


TIMES = {"0": 0, "2106": 2**32 * 10**6, "2262": 2**63 // 1000, "9999": 253402300799999999, "10000": 253402300800000000, "last": LAST}


def timed(word, time):
    """A kind for a time of entries, and one for a time of a save."""
    nano = min(time * 1000, LAST)
    puts(f"time-{word}")(lambda: [Put("timed.txt", b"timed", entry={6: time, 7: time}, overview={"mtime": nano}),
                                  Put("before.txt", b"before", entry={6: time, 7: 0}, overview={"mtime": -nano - 1}),
                                  note("timed", "timed", id=b"x" * 16, entry={6: time, 7: time}),
                                  Put("dir", kind=FOLDER, entry={6: time, 7: time}, overview={"mtime": nano})])

    if word not in ("0", "9999", "last"):
        return

    @kind(f"time-{word}-save", descendant=True)
    def save(peer):
        peer.hook("private", put(56, u64(time)), len(peer.commits) + 1)
        peer.commit(Put("saved.txt", b"saved then"))
        peer.commit(Put("saved2.txt", b"saved behind it"))

    @kind(f"time-{word}-changed", "keep.txt", "second", "app.colour")
    def changed(peer):
        late = {7: time}
        peer.commit(Put("keep.txt", b"later", entry=late, overview={"mtime": nano}), note("second", "later", id=SECOND, entry=late),
                    Put("app.colour", cbor.encode({"type": "text", "value": "blue"}), SETTING, id=setting_id("app.colour"), entry=late))


for word, time in TIMES.items():
    timed(word, time)


def later_epoch(epoch, same_key=True):
    """The peer's vault written anew in another epoch, which the password opens."""
    def make(peer):
        old = peer.commits[-1]
        lines = [[c.sequence, c.time, 0, sha256(c.record[:512])[:16]] for c in peer.commits]
        peer.previous, peer.commits, peer.stack, peer.pages = peer.fingerprint(), [], [], {}
        peer.epoch = epoch(peer.epoch)
        if not same_key:
            peer.master = peer.draw("another master key", 32)
            peer.derive()
        peer.slots = [peer.slot("slot", 1, PASSWORD, 100000, "password")] + [bytes(256)] * 7
        peer.live, peer.contents, peer.sequence = {}, {}, old.sequence
        peer.add(lines=lines)
        peer.commit(Put("rotated.txt", b"rotated"), Put("keep.txt", b"kept\n" * 50), note("a note", "rotated", id=CARD))
    return make


for word, counter in (("last", LAST), ("last-but-1", LAST - 1), ("next", 2)):
    for which, same in (("", True), ("-other-key", False)):
        kind(f"epoch-{word}{which}", "a note", "a.txt", descendant=word == "last")(
            later_epoch(lambda old, counter=counter: u64(counter) + old[8:], same))
kind("epoch-other-random", "a note", "a.txt")(later_epoch(lambda old: old[:8] + b"anotherr"))

# Past entries and lines


def past_kind(name, *changes):
    """Past entries of the victim's file, changed."""
    @kind(f"past-{name}")
    def make(peer):
        peer.add(past=[{**peer.live[KEEP], 10: peer.sequence, **change} for change in changes])
        peer.commit()


past_kind("last-before-first", {9: 9, 10: 8})
past_kind("last-beyond", {9: 1, 10: LAST})
past_kind("first-beyond", {9: LAST, 10: LAST})
past_kind("overlapping", {9: 1, 10: 5}, {9: 2, 10: 9}, {9: 3, 10: 3})
past_kind("of-nobody", {0: b"n" * 16, 9: 1, 10: 1, 12: {"title": "nobody"}})
past_kind("revisions", {9: 1, 2: LAST}, {9: 2, 2: LAST}, {9: 3, 2: 1})
past_kind("twice", {9: 1}, {9: 1, 2: 3})
past_kind("folder", {9: 1, 1: FOLDER, 5: 0})
past_kind("trashed", {9: 1, 10: 1, 11: 1}, {9: 2, 10: 2, 11: 1})


def line_kind(name, make, **how):
    """Lines that the function gives for the peer."""
    @kind(f"lines-{name}", "a.txt", **how)
    def commit(peer):
        peer.add(lines=make(peer))
        peer.commit(Put("lined.txt", b"lined"), Put("a.txt", b"the peer's"))


line_kind("beyond", lambda peer: [[LAST, 0, 64, bytes(16)]])
line_kind("twice", lambda peer: [[1, 0, 0, bytes(16)]])
line_kind("newest-of-victim", lambda peer: [[3, 0, 0, sha256(victim().commits[-1].record[:512])[:16]]])
line_kind("other-of-victim", lambda peer: [[3, 0, 0, b"f" * 16]], descendant=True)
line_kind("offset", lambda peer: [[100 + n, LAST, n << 40, bytes(16)] for n in range(5)])
line_kind("40000", lambda peer: [[10 + n, 0, 0, u64(n) * 2] for n in range(40000)])
line_kind("newer", lambda peer: [[50, 0, 0, bytes(16), "newer", [1, {2: 3}], "\x1b[2J"]])


@kind("lines-claim-victims", "a.txt", "a note", "second")
def lines_claim(peer):
    """The line of the victim's newest save is there, and none of what that save brought."""
    newest = victim().commits[-1]
    peer.add(lines=[[newest.sequence, newest.time, 0, sha256(newest.record[:512])[:16]]])
    peer.commit(Put("a.txt", b"the peer's"), note("a note", "by the peer", id=CARD), Trash(SECOND), sequence=newest.sequence + 5)


# Keys, flags and places

puts("key-13")(lambda: [Put("packed.txt", b"packed", entry={13: "zstd"})])
puts("key-19-card")(lambda: [note("newer", "newer", id=b"x" * 16, entry={19: 1})])
puts("keys-other")(lambda: [Put("newer.txt", b"newer", entry={22: [1, {"a": b"b"}], 2**64 - 1: "last"}), Put("long.txt", b"long", entry={99: "x" * 12000})])
puts("keys-other-card")(lambda: [note("newer", "newer", id=b"x" * 16, entry={22: "x", 77: [None]}, overview={"more": "x" * 9000})])
puts("flag-2")(lambda: [Put("flagged.txt", b"flagged", entry={11: 4}), Put("flagged2.txt", b"flagged", entry={11: 128})])
puts("flag-8")(lambda: [Put("flagged.txt", b"flagged", entry={11: 256}), Put("in-trash.txt", b"trash", entry={11: 257}), Put("f64.txt", b"x", entry={11: 2**64 - 256})])
puts("record-flag")(lambda: [Put("offset.txt", b"a place at the limit", entry={4: 2**60 - 64}), Put("length.txt", b"l", entry={5: 2**48 - 65536})])
puts("record-salt")(lambda: [Put("salt.txt", b"another salt", entry={3: b"s" * 32})])
puts("record-short")(lambda: [Put("short.txt", b"the entry says less", entry={5: 3})])


@kind("key-13-changed", "keep.txt", "a.txt", "a note")
def key_13_changed(peer):
    """A newer program's versions of what the victim has."""
    peer.commit(Put("keep.txt", b"packed", entry={13: 1}), Put("a.txt", b"packed", entry={13: 1}), note("a note", "packed", id=CARD, entry={13: 1}))


def hooked(name, layer, change, *touched):
    """A kind with a change at one layer of the peer's commit."""
    @kind(name, *touched)
    def make(peer):
        peer.hook(layer, change, len(peer.commits) + 1)
        peer.commit(Put("x.txt", b"changed below its tags"), Put("y.txt", b"y"))


hooked("head-extension-13", "head", lambda head: head[:4] + [{13: 1}])
hooked("head-extension-1", "head", lambda head: head[:4] + [{1: [[1, bytes(32)]], 99: "x" * 5000}])
hooked("record-chunk", "stored", lambda data: data[:-1] + bytes([data[-1] ^ 1]))
hooked("record-header", "stored", lambda data: data[:40] + bytes([data[40] ^ 1]) + data[41:])
hooked("record-header-flag", "record-header", put(18, u16(1)))
hooked("record-header-name", "record-header", put(72, b"\x05\x1b[2J\n"))
hooked("record-header-other", "record-header", lambda plain: CARD + u16(NOTE) + plain[18:])
hooked("writer-control", "private", put(64, b"\x1b[2J\x07\n\r".ljust(32, b"\0")))
hooked("copy-flag", "page", lambda body: body[:10] + u16(1) + body[12:80] + u64(LAST) + bytes(32) + body[120:])


@kind("slots-unknown")
def slots_unknown(peer):
    """Seven slots of a newer program."""
    peer.slots = peer.slots[:1] + [bytes([9]) + b"\xee" * 255] * 7
    peer.commit(Put("slots.txt", b"slots"))


@kind("slot-label")
def slot_label(peer):
    """A label of control characters."""
    peer.set_slot(1, peer.slot("odd", 1, "another", 100000, "\x1b[2J\x07\n"))
    peer.commit(Put("label.txt", b"label"))


# Mixtures

def mixture(seed):
    """A few of the kinds above together."""
    def make(peer):
        draw, found = random.Random(seed), {}
        for name in draw.sample(sorted(PUTS), 12):
            found.update({new.id: new for new in PUTS[name]() if len(new.content) < 100000})
        peer.commit(*found.values())
    return make


def declare_mixtures(seed, count=8):
    for number in range(count):
        kind(f"mixture-{seed}-{number}")(mixture(f"{seed}/{number}"))


def told(entry):
    """An entry as the runner needs it: id, kind, size, title."""
    title = entry[12]["title"]
    return [entry[0].hex(), entry[1], entry[5], title if isinstance(title, str) else title.decode("latin-1")]


def make(name, path):
    """Writes the peer's vault of a kind. Returns the records it brings that are live, as far as they are few."""
    build, _, descendant = KINDS[name]
    peer = copy.deepcopy(victim() if descendant else common())
    before = {i: e for i, e in peer.live.items()}
    peer.draws = Draws("peer/" + name)
    build(peer)
    path.write_bytes(peer.file())
    new = [e for e in peer.told if e[0] not in before or before[e[0]] != e]
    new = [e for e in new if 12 in e and not e.get(11, 0) & 3]
    return [told(e) for e in new] if len(new) <= 1000 else []
