"""Vectors about page T where pages A or B are lost, and interrupted saves and key changes (Spec/reader.md, 2; store.md, 6, 7)."""

from attacker import fix_core, fix_page_hash, fix_table, flip, flipped, put, retag_page, write
from encoder import Vault
from layout import LOG, PAGE_A, PAGE_B, PAGE_T, Put
from primitives import u16, u64
from vectors import content, small, vector

LOST = dict(keyless="damaged", verify="damaged")  # what can still be read is read
DAMAGED = dict(read="damaged", keyless="damaged")
NO_VAULT = dict(read="not-a-vault", keyless="not-a-vault")
REPAIRABLE = dict(keyless="repairable", verify="repairable")
TAMPERED = dict(read="tampered", keyless="repairable")  # without a key nobody knows better


def fill(vault, commits, sequence=None, size=20):
    """A file a commit; what a reader hands out after each of them, and the pages as the first left them."""
    small(vault)
    vault.first, given = dict(vault.pages), [vault.released()]
    for number in range(1, commits):
        vault.commit(Put(f"file {number}", content(size)), sequence=sequence)
        given.append(vault.released())
    return given


def late(vault, commits):
    """Like `fill`, with 4,096 bytes of nothing between the first commit and the second."""
    given = fill(vault, 1)
    vault.commits[0].rest += bytes(4096)
    vault.commit(Put("second", b"late"))
    return given


def two_blocks(vault, commits):
    return fill(vault, commits, size=66000)


def turned(where, mend=None):
    """A change that turns a bit at the offset `where(vault)`; `mend` makes something right again."""
    def change(data, vault):
        flip(data, where(vault))
        if mend:
            mend(data, vault)
    return change


def in_record(at, commit=-1):
    """The offset in the file of a byte of a commit's record, and of what is behind it."""
    return lambda vault: vault.commits[commit].record_at + at


def in_t(at):
    return lambda vault: vault.commits[-1].end + at


def hash_t(data, vault):
    fix_page_hash(data, vault.commits[-1].end)


def tag_t(data, vault):
    retag_page(vault, data, vault.commits[-1].end)


def edit_t(at, new, mend=tag_t):
    """Page T with other bytes, made sound again."""
    def change(data, vault):
        write(data, vault.commits[-1].end + at, new)
        mend(data, vault)
    return change


def attack_block(data, vault):
    """A block of the newest commit altered; table, core and the copy on page T made right, but for the tags."""
    commit = vault.commits[-1]
    fix_table(data, commit)
    fix_core(data, commit.record_at)
    write(data, commit.end + 2304, data[commit.record_at:commit.record_at + 1024])
    hash_t(data, vault)


def longer(data, vault):
    return data + b"\xa5" * 5000


def moved(data, vault):
    """Page T at another place than its own, the last of the file."""
    return data + data[-4096:]


# One of pages A and B unsound


def behind(name, comment, adopted=0, commits=2, change=None, hook=None, fill=fill, **classes):
    """Page A names the first of some commits, page B is lost, page T names the newest. The state after commit `adopted` (counted from 0) is
    shown; `change(data, vault)` alters the file."""
    @vector("behind-" + name, comment, **(classes or (REPAIRABLE if adopted else LOST)))
    def build(vault):
        if hook:
            vault.hook(*hook)
        given = fill(vault, commits)
        vault.gives = given[adopted] if classes.get("read", "ok") == "ok" else b""
        vault.pages = {PAGE_A: vault.first[PAGE_A], PAGE_T: vault.pages[PAGE_T]}
        data = vault.file()
        return change and change(data, vault) or data


behind("adopted", "The newest page is lost; page T names its commit, which follows that of the other page and is whole.", 1)
behind("adopted-two-blocks", "Page T names a commit of two blocks.", 1, fill=two_blocks)
behind("adopted-log-record", "The record that the sound page holds is damaged in the log; page T names the commit behind it.", 1, 2,
       turned(in_record(240, 0)))
behind("adopted-private-bit", "The private part of the commit that page T names does not open, its tags are right.", 1,
       hook=("private-sealed", flipped(3), 2), **TAMPERED)
behind("adopted-page-owner-tag", "Page T names the newest commit; the owner tag of the other page is wrong.", 1,
       change=turned(lambda vault: 4032, lambda data, vault: fix_page_hash(data, PAGE_A)), read="ok", keyless="repairable", verify="tampered")
behind("t-same", "One page is lost; page T is the same as the other: nothing is lost.", commits=1, **REPAIRABLE)
behind("t-same-bytes", "One page is lost; page T is the same as the other, and bytes of an unfinished save follow it.", commits=1,
       change=longer, **REPAIRABLE)
behind("t-third", "Page T names the commit after the next, to which the log leads: somebody put an old page back.", 2, commits=3)
behind("t-third-link", "Page T names the commit after the next, and the copy of the core in between is damaged.", commits=3,
       change=lambda data, vault: flip(data, vault.commits[2].record_at + 700) or data)
behind("t-bit", "One bit of page T is wrong.", change=turned(in_t(1000)))
behind("t-slot-attacker", "A slot on page T was altered without the key, its SHA-256 made right: not the slots of its commit.",
       change=turned(in_t(256 + 80), hash_t))
behind("t-audit-tag", "The audit tag of page T is wrong, its SHA-256 is right.", change=turned(in_t(4000), hash_t), **TAMPERED)
behind("t-owner-tag", "The owner tag of page T is wrong, its SHA-256 is right.", change=turned(in_t(4032), hash_t), **TAMPERED)
behind("t-version-2", "Page T is of version 2, with right tags.", change=edit_t(8, u16(2)), read="unsupported", keyless="unsupported")
behind("t-vault-id", "Page T is of another vault id, with right tags.", change=edit_t(32, b"\xaa" * 16))
behind("t-log-end", "Page T names another log end than its place, with right tags.", change=edit_t(72, u64(4096)))
behind("t-moved", "Page T stands at another place than the log end.", change=moved)
behind("bytes", "Page T is overwritten: bytes of an unfinished save.", change=longer)
behind("cut-one", "The last byte of page T is lost.", change=lambda data, vault: data[:-1])
behind("payload-bit", "One bit in the payload area of the commit that page T names is wrong.", change=turned(in_record(-1)))
behind("second-block-bit", "One bit in the second block of the commit that page T names is wrong.", change=turned(in_record(-1)), fill=two_blocks)
behind("table-bit", "One bit of the check table of the commit that page T names is wrong.", change=turned(in_record(1024)))
behind("rest-bit", "One bit behind the check table of the commit that page T names is wrong.", change=turned(lambda vault: vault.commits[-1].end - 1))
behind("record-bit", "One bit of the record of the commit that page T names is wrong.", change=turned(in_record(240)))
behind("row", "A row of the table of the commit that page T names is wrong, with right hash and tags.", hook=("table", flipped(0), 2))
behind("hole", "The commit that page T names begins 4,096 bytes too late, and is right otherwise.", fill=late)
behind("previous", "The fingerprint that the commit of page T names is not its predecessor's, with right tags.", hook=("core", flipped(112), 2))
behind("sequence-equal", "The sequence of the commit that page T names is not greater, with right tags.",
       fill=lambda vault, commits: fill(vault, commits, sequence=1))
behind("epoch", "Page T and its commit are of another epoch, with right tags.",
       fill=lambda vault, commits: [fill(vault, 1), setattr(vault, "epoch", u64(2) + vault.epoch[8:]), vault.commit(Put("second", b"2"))][0])
behind("core-version-2", "The commit that page T names is of version 2, with right tags: not adopted, and not unsupported.",
       hook=("core", put(8, u16(2)), 2))
behind("block-attacker", "A block was altered, all hashes made right.", change=turned(in_record(-1), attack_block), **TAMPERED)
behind("page-log-end", "The log end of the sound page is not that of its commit, with right tags.", hook=("page", put(72, u64(4096)), 1),
       read="malformed", keyless="damaged")


@vector("behind-page-a", "The newest page is page A, and lost; page T names its commit.", **REPAIRABLE)
def behind_page_a(vault):
    fill(vault, 3)
    vault.pages[PAGE_A] = bytes(4096)


@vector("behind-unfinished", "Page B is lost, and an unfinished save has overwritten page T: a save may be lost, though page A is the newest.", **LOST)
def unfinished(vault):
    fill(vault, 3)
    vault.pages[PAGE_B] = bytes(4096)
    vault.pages.pop(PAGE_T)
    return vault.file() + b"\xa5" * 9000


# Both pages sound and older than the save before the newest


def both_old(name, comment, change=None, newest=True, **classes):
    """Pages A and B are those of the first of three commits, page T is that of the third."""
    @vector("old-pages" + name, comment, **classes)
    def build(vault):
        given = fill(vault, 3)
        vault.gives = given[-1 if newest else 0]
        vault.pages = {PAGE_A: vault.first[PAGE_A], PAGE_B: vault.first[PAGE_A], PAGE_T: vault.pages[PAGE_T]}
        data = vault.file()
        return change and change(data, vault) or data


both_old("", "Pages A and B are two saves old, and the log leads from page T to them.", **REPAIRABLE)
both_old("-tags", "Pages A and B are two saves old; a tag of page T is wrong, its SHA-256 is right: with the key it is none.",
         turned(lambda vault: vault.place(PAGE_T) + 4032, lambda data, vault: fix_page_hash(data, vault.place(PAGE_T))),
         False, read="ok", keyless="repairable")
both_old("-link", "Pages A and B are two saves old, and the copy of the core in between is damaged: newer saves may be lost.",
         turned(in_record(700, 2)), False, read="ok", keyless="ok", verify="damaged")
both_old("-link-tags", "The same, and a tag of page T is wrong: it proves nothing.",
         turned(in_record(700, 2), lambda data, vault: [flip(data, vault.place(PAGE_T) + 4032), fix_page_hash(data, vault.place(PAGE_T))]),
         False)
both_old("-block", "Pages A and B are two saves old, and a byte of the newest commit is damaged: newer saves may be lost.",
         turned(lambda vault: vault.commits[2].start + 9), False, read="ok", keyless="ok", verify="damaged")


# Both pages sound, a whole commit behind the log end


@vector("behind-pages-sound", "Stopped between commit and page: two sound pages count, whatever page T says.")
def pages_sound(vault):
    vault.gives = fill(vault, 2)[-1]
    pages = dict(vault.pages)
    vault.commit(Put("third", b"not acknowledged"))
    vault.pages = {**pages, PAGE_T: vault.pages[PAGE_T]}


# Pages A and B lost


def lost(name, comment, commits=3, change=None, hook=None, fill=fill, **classes):
    """Some commits and page T, pages A and B lost."""
    @vector("lost-" + name, comment, **(classes or REPAIRABLE))
    def build(vault):
        if hook:
            vault.hook(*hook)
        given = fill(vault, commits)
        vault.gives = given[-1] if classes.get("read", "ok") == "ok" else b""
        vault.pages = {PAGE_T: vault.pages[PAGE_T]}
        data = vault.file()
        return change and change(data, vault) or data


lost("one-commit", "Pages A and B are lost; page T names the only commit.", commits=1)
lost("three-commits", "Pages A and B are lost; page T names the newest of three commits.")
lost("password", "Pages A and B are lost; a slot of page T opens the vault.", password="pw", slot="pw", **REPAIRABLE)
lost("payload-bit", "Pages A and B are lost, and one bit of the newest commit's padding is wrong.", change=turned(in_record(-1)), **LOST)
lost("record-bit", "Pages A and B are lost, and one bit of the newest record; page T has a copy.", change=turned(in_record(240)))
lost("bytes", "Pages A and B are zero, and page T is overwritten by an unfinished save.", change=longer, **NO_VAULT)
lost("t-bit", "Pages A and B are lost, and one bit of page T is wrong.", change=turned(in_t(1000)), **DAMAGED)
lost("t-moved", "Pages A and B are lost; page T stands at another place than the log end.", change=moved, **DAMAGED)
lost("t-version-2", "Pages A and B are lost; page T is of version 2, with right tags.", change=edit_t(8, u16(2)), read="unsupported",
     keyless="unsupported")
lost("t-owner-tag", "Pages A and B are lost; the owner tag of page T is wrong, its SHA-256 is right.", change=turned(in_t(4032), hash_t), **TAMPERED)
lost("block-attacker", "Pages A and B are lost; a block was altered, all hashes made right.", change=turned(in_record(-1), attack_block), **TAMPERED)


@vector("lost-t-at-log", "Pages A and B are lost; the file ends with a page at the start of the log, and one bit of it is wrong.", **DAMAGED)
def t_at_log(vault):
    small(vault)
    page = bytearray(vault.pages[PAGE_T])
    flip(page, 1000)
    return bytearray(LOG) + page


lost("cut", "Pages A and B are lost, and the file ends before page T.", change=lambda data, vault: data[:-4096], **NO_VAULT)


@vector("lost-foreign", "Pages A and B are lost; the end of another vault stands behind the log.", read="tampered", keyless="damaged")
def lost_foreign(vault):
    fill(vault, 2)
    vault.pages = {}
    other = Vault("another vault")
    fill(other, 3)
    at = len(vault.file())
    assert at == other.commits[-1].start
    vault.gives = b""
    return vault.file() + other.file()[at:]


# Key changes: a password is replaced by another; the commit with page T, page B and page A are written in this order


def changed(name, comment, written, given="new", torn=None, **classes):
    """The key change reached the pages `written`; page `torn` was being written."""
    @vector(name, comment, password=given, **classes)
    def build(vault):
        vault.set_slot(0, vault.slot("slot 0", 1, "old", 100000, "old"))
        fill(vault, 1)
        vault.set_slot(0, vault.slot("new slot 0", 1, "new", 100000, "new"))
        vault.commit()
        new = {PAGE_A: vault.pages[PAGE_B], PAGE_B: vault.pages[PAGE_B]}
        vault.pages = {PAGE_T: vault.pages[PAGE_T], **{at: new[at] if at in written else vault.first[at] for at in new}}
        if torn is not None:
            vault.pages[torn] = new[torn][:512] + vault.first[torn][512:]


BOTH = (PAGE_B, PAGE_A)
changed("ok-slot-changed", "A key change: all pages have the new slots.", BOTH)
changed("slot-changed-old", "The secret that a key change gave up.", BOTH, "old", read="wrong-key")
changed("slot-change-begun", "A key change stopped before its first page: the old secret opens.", (), "old")
changed("slot-change-begun-new", "A key change stopped before its first page: the new secret does not open yet.", (), "new", read="wrong-key")
changed("slot-change-torn", "A key change stopped in its first page: page T counts, and the new secret opens.", (), "new", PAGE_B, **REPAIRABLE)
changed("slot-change-torn-old", "A key change stopped in its first page: the old secret does not open any more.", (), "old", PAGE_B,
        read="wrong-key", keyless="repairable")
changed("slot-change-first-page", "A key change stopped behind its first page: the new secret opens.", BOTH[:1], **REPAIRABLE)
changed("slot-change-first-page-old", "A key change stopped behind its first page: the old secret does not open any more.", BOTH[:1], "old",
        read="wrong-key", keyless="repairable")
changed("slot-change-second-torn", "A key change stopped in its second page.", BOTH[:1], "new", PAGE_A, **REPAIRABLE)
