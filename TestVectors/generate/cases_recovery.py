"""Vectors about what stands behind the log end, both pages lost, and interrupted key changes (Spec/reader.md, 2.1, 2.2; store.md, 6, 7)."""

import copy

from attacker import fix_core, fix_page_hash, fix_table, flip, flipped, put, retag_page, write
from encoder import Vault
from layout import LOG, PAGE_A, PAGE_B, PAGE_K, Put
from primitives import u16, u64
from vectors import content, small, vector

LOST = dict(keyless="damaged", verify="damaged")  # what can still be read is read
DAMAGED = dict(read="damaged", keyless="damaged")
REPAIRABLE = dict(keyless="repairable", verify="repairable")
KEYED = dict(keyless="repairable", verify="damaged")  # adopted by those who have no key to know better


def fill(vault, commits, sequence=None, size=20):
    """A file a commit; what a reader hands out after each of them, and the pages as the first left them."""
    small(vault)
    vault.first, given = dict(vault.pages), [vault.released()]
    for number in range(1, commits):
        vault.commit(Put(f"file {number}", content(size)), sequence=sequence)
        given.append(vault.released())
    return given


def new_slots(vault):
    """A commit that changes the slots and nothing else."""
    vault.set_slot(1, vault.slot("slot 1", 4, b"\x55" * 32, 0, "laptop"))
    return vault.commit()


def key_change(vault, commits):
    """Like `fill`, and the last commit is a key change of which no page holds the slots."""
    given = fill(vault, commits - 1)
    new_slots(vault)
    return [*given, given[-1]]


def key_change_and_save(vault, commits):
    """A key change, and a save after it."""
    given = key_change(vault, commits)
    vault.commit(Put("behind", b"saved after the key change"))
    return given


def late(vault, commits):
    """Like `fill`, with 4,096 bytes of nothing between the first commit and the second."""
    given = fill(vault, 1)
    vault.commits[0].table += bytes(4096)
    vault.commit(Put("second", b"late"))
    return given


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


def mend_core(data, vault):
    fix_core(data, vault.commits[-1].record_at)


def mend_table(data, vault):
    """A check table and its core made right, the tags left."""
    fix_table(data, vault.commits[-1])
    fix_core(data, vault.commits[-1].record_at)


def longer(data, vault):
    return data + b"\xa5" * 5000


# One page unsound, something behind the log end of the other


def behind(name, comment, adopted=0, commits=2, change=None, hook=None, fill=fill, **classes):
    """Page A names the first of some commits, page B is lost. `adopted` of those behind are; `change(data, vault)` alters the file."""
    @vector("behind-" + name, comment, **(classes or (REPAIRABLE if adopted else LOST)))
    def build(vault):
        if hook:
            vault.hook(*hook)
        given = fill(vault, commits)
        vault.pages_after = dict(vault.pages)
        vault.gives = given[adopted] if classes.get("read", "ok") == "ok" else b""
        vault.pages = {PAGE_A: vault.first[PAGE_A], PAGE_K: vault.first[PAGE_K]}
        data = vault.file()
        return change and change(data, vault) or data


behind("adopted", "The newest page is lost, its commit is whole behind the other's log end: adopted.", 1)
behind("adopted-two", "Two whole commits behind the log end are adopted in turn.", 2, 3)
behind("adopted-bytes", "A whole commit is adopted; bytes of an unfinished save behind it are a note.", 1, change=longer)
behind("adopted-damaged", "A whole commit is adopted; one behind it has a wrong bit and is left over.", 1, 3, turned(in_record(-1)))
behind("adopted-key-change", "A whole commit is adopted; an unfinished key change behind it is not.", 1, 3, fill=key_change)
behind("adopted-log-record", "The record that the sound page holds is damaged in the log; a whole commit behind it is adopted.", 1, 2,
       turned(in_record(240, 0)))
behind("adopted-two-blocks", "A commit of two blocks is adopted.", 1, fill=lambda vault, commits: fill(vault, commits, size=66000))
behind("second-block-bit", "One bit in the second block of the commit behind the log end is wrong.", change=turned(in_record(-1)),
       fill=lambda vault, commits: fill(vault, commits, size=66000))
behind("payload-bit", "One bit in the payload area of the commit behind the log end is wrong.", change=turned(in_record(-1)))
behind("table-bit", "One bit of the check table behind the log end is wrong.", change=turned(in_record(1024)))
behind("core-bit", "One bit of the core behind the log end is wrong: its SHA-256 does not hold.", change=turned(in_record(240)))
behind("copy-bit", "The record behind the log end has a wrong copy of the core before.", change=turned(in_record(600)))
behind("unused", "An unused byte behind the check table of the commit that is adopted is not zero.", 1, change=turned(lambda vault: vault.commits[-1].end - 1))
behind("cut-one", "The last unused byte of the commit behind the log end is lost.", change=lambda data, vault: data[:-1])
behind("bytes", "Bytes behind the log end that are no commit.", commits=1, change=longer)
behind("zeros", "Zeros behind the log end.", commits=1, change=lambda data, vault: data + bytes(8192))
behind("gap", "Two commits behind the log end, the first of them zero: the other does not start at the log end.", 0, 3,
       lambda data, vault: write(data, vault.commits[1].start, bytes(vault.commits[1].end - vault.commits[1].start)))
behind("hole", "The commit behind the log end begins 4,096 bytes too late, and is right otherwise.", fill=late)
behind("previous", "The fingerprint that the commit behind the log end names is not its predecessor's, with right tags.",
       hook=("core", flipped(104), 2))
behind("sequence-equal", "The sequence of the commit behind the log end is not greater, with right tags.",
       fill=lambda vault, commits: fill(vault, commits, sequence=1))
behind("slot-hash", "The commit behind the log end stores a file and is right but for its slot hash: taken for an unfinished key change.",
       hook=("core", put(168, bytes(32)), 2), **REPAIRABLE)
behind("vault-id", "The commit behind the log end is of another vault id, with right tags.", hook=("core", put(16, b"\xaa" * 16), 2))
behind("epoch", "The commit behind the log end is of another epoch, with right tags.", hook=("core", put(32, u64(2)), 2))
behind("version-2", "The core behind the log end is of version 2, with right tags: left over, and not unsupported.",
       hook=("core", put(8, u16(2)), 2))
behind("row", "A row of the table behind the log end is wrong, with right hash and tags.", hook=("table", flipped(0), 2))
behind("private-bit", "The private part of the commit that is adopted does not open, its tags are right.", 1,
       hook=("private-sealed", flipped(3), 2), read="tampered", keyless="repairable")
behind("owner-tag-attacker", "The owner tag behind the log end was altered, the SHA-256 made right: adopted without the key alone.",
       change=turned(in_record(448), mend_core), **KEYED)
behind("block-attacker", "The block behind the log end was altered, all hashes made right: adopted without the key alone.",
       change=turned(in_record(-1), mend_table), **KEYED)
behind("key-change", "The commit behind the log end is right but for its slot hash: an unfinished key change, a note.", fill=key_change,
       **REPAIRABLE)
behind("key-change-bytes", "Bytes behind an unfinished key change: a note.", change=longer, fill=key_change, **REPAIRABLE)
behind("key-change-bit", "A key change that no page names, with a wrong bit in its payload area.", change=turned(in_record(-1)), fill=key_change)
behind("key-change-finished", "A save behind a key change that no page names: it was finished, and the page is an old one that was put back.",
       commits=2, fill=key_change_and_save)
behind("key-change-page-k", "A key change that no page of the two names, and page K has its slots: the page is an old one.", fill=key_change,
       change=lambda data, vault: write(data, PAGE_K, vault.pages_after[PAGE_K]))
behind("page-owner-tag", "The owner tag of the sound page is wrong; the commit behind its log end does not make it right.",
       change=turned(lambda vault: 4032, lambda data, vault: fix_page_hash(data, PAGE_A)), read="tampered", keyless="repairable")
behind("page-log-end", "The log end of the sound page is that of the commit behind it, with right tags.", hook=("page", put(72, u64(151552)), 1),
       read="malformed", keyless="damaged")


@vector("behind-page-a", "The newest page is page A; two commits stand behind the log end of page B, one of them acknowledged.", **REPAIRABLE)
def behind_page_a(vault):
    fill(vault, 3)
    vault.pages[PAGE_A] = bytes(4096)
    pages = dict(vault.pages)
    vault.commit(Put("fourth", b"not acknowledged"))
    vault.pages = pages


# Both pages sound, a whole commit behind the log end


@vector("behind-pages-sound", "Stopped between commit and page: a whole commit behind the log end of two sound pages is not adopted.")
def pages_sound(vault):
    vault.gives = fill(vault, 2)[-1]
    pages = dict(vault.pages)
    vault.commit(Put("third", b"not acknowledged"))
    vault.pages = pages


@vector("behind-pages-sound-key-change", "Stopped between the commit of a key change and its first page.")
def pages_sound_key_change(vault):
    fill(vault, 2)
    pages = dict(vault.pages)
    new_slots(vault)
    vault.pages = pages


# Both pages lost


def lost(name, comment, found=-1, commits=3, change=None, hook=None, fill=fill, **classes):
    """Some commits and page K, pages A and B lost; what is read is the state of the commit `found`."""
    @vector("lost-" + name, comment, **{**LOST, **classes})
    def build(vault):
        if hook:
            vault.hook(*hook)
        given = fill(vault, commits)
        vault.gives = given[found] if classes.get("read", "ok") == "ok" else b""
        vault.pages = {PAGE_K: vault.pages[PAGE_K]}
        data = vault.file()
        return change and change(data, vault) or data


lost("one-commit", "Both pages are lost; page K and the only commit open the vault.", commits=1)
lost("three-commits", "Both pages are lost; the newest of three commits is found by a scan.")
lost("password", "Both pages are lost; a slot of page K opens the vault.", password="pw", slot="pw")
lost("left-over", "Both pages are lost; bytes behind the newest commit.", change=longer)
lost("cut", "Both pages are lost, and the newest commit record: the one before is found.", -2, change=lambda data, v: data[:v.commits[-1].record_at])
lost("cut-one", "Both pages are lost, and the last unused byte of the newest commit.", change=lambda data, vault: data[:-1])
lost("core-bit", "Both pages are lost, and one bit of the newest core is wrong: the one before is found.", -2, change=turned(in_record(240)))
lost("copy-bit", "Both pages are lost; the newest record's copy of the core before is wrong.", change=turned(in_record(600)))
lost("core-version-2", "Both pages are lost; the newest core is of version 2, with right tags: no core, and no error.", -2,
     hook=("core", put(8, u16(2)), 3))
lost("epoch", "Both pages are lost; the commit of the highest sequence is of another epoch, with right tags.", -2,
     hook=("core", put(32, u64(2)), 3))
lost("no-commit", "Both pages are lost, and the log.", change=lambda data, vault: data[:LOG], **DAMAGED)
lost("owner-tag-attacker", "Both pages are lost; the owner tag of the newest core was altered, its SHA-256 made right: with the key the one before "
     "is found.", -2, change=turned(in_record(448), mend_core))
lost("k-bit", "Both pages are lost, and one bit of page K is wrong.", change=turned(lambda vault: PAGE_K + 1000), **DAMAGED)
lost("k-owner-tag", "Both pages are lost; the owner tag of page K is wrong, its SHA-256 is right.", read="tampered", verify="tampered",
     change=turned(lambda vault: PAGE_K + 4032, lambda data, vault: fix_page_hash(data, PAGE_K)))


def k_field(name, comment, at, new):
    """Both pages lost, and a field of page K that makes it unsound behind right tags."""
    def change(data, vault):
        write(data, PAGE_K + at, new)
        retag_page(vault, data, PAGE_K)
    lost("k-" + name, comment, change=change, **DAMAGED)


k_field("version-2", "Both pages are lost, page K is of version 2: unsound, and not unsupported.", 8, u16(2))
k_field("flag", "Both pages are lost, page K has the copy flag: unsound.", 10, u16(1))
k_field("log-end", "Both pages are lost, page K has a log end: unsound.", 72, u64(143360))


def displaced(data, vault):
    at = vault.commits[-1].record_at
    record = bytes(data[at:at + 1024])
    write(data, at, bytes(1024))
    return data + record + bytes(3072)


lost("core-displaced", "Both pages are lost; the newest record stands at another place than its own: no core.", -2, change=displaced)


@vector("lost-k-old", "Both pages are lost and page K is old: its slots are those before a key change.", **LOST)
def lost_k_old(vault):
    key_change(vault, 2)
    vault.pages = {PAGE_K: vault.first[PAGE_K]}


@vector("lost-stale", "Both pages are lost; a longer attempt of lower sequence left its record behind the newest commit.", **LOST)
def lost_stale(vault):
    small(vault)
    attempt = copy.deepcopy(vault)
    attempt.draw("another attempt", 1)  # so that its salts are its own
    attempt.commit(Put("long", content(40000)))
    data = attempt.file()
    for name in ("second", "third"):
        vault.commit(Put(name, b"short"))
    vault.gives, vault.pages = vault.released(), {PAGE_K: vault.pages[PAGE_K]}
    whole = vault.file()
    assert len(whole) <= attempt.commits[-1].record_at
    write(data, 0, whole)
    return data


@vector("lost-lower-behind", "Both pages are lost; the commit of the highest sequence has damaged padding, and a whole one of a lower sequence "
        "stands behind it.", **LOST)
def lost_lower_behind(vault):
    small(vault)
    vault.commit(Put("second", b"newest"), sequence=3)
    vault.gives = vault.released()
    vault.commit(Put("third", b"older"), sequence=2)
    vault.pages = {PAGE_K: vault.pages[PAGE_K]}
    data = vault.file()
    flip(data, vault.commits[1].record_at - 1)
    return data


@vector("lost-foreign", "Both pages are lost; behind the newest commit stands one of another vault, of a higher sequence.", **LOST)
def lost_foreign(vault):
    fill(vault, 2)
    vault.gives, vault.pages = vault.released(), {PAGE_K: vault.pages[PAGE_K]}
    other = Vault("another vault")
    fill(other, 3)
    at = len(vault.file())
    assert at == other.commits[-1].start
    return vault.file() + other.file()[at:]


def equal(name, comment, found, *damaged):
    """Both pages lost; the second and the third commit have one sequence, and those `damaged` have a wrong bit in their padding."""
    def change(data, vault):
        for number in damaged:
            flip(data, vault.commits[number].record_at - 1)
    lost("equal-" + name, comment, found, change=change, fill=lambda vault, commits: fill(vault, commits, sequence=2))


equal("first", "Both pages are lost; of two commits of the highest sequence, both whole, the first counts.", 1)
equal("second", "Both pages are lost; of two commits of the highest sequence the first has a damaged block.", 2, 1)
equal("none", "Both pages are lost; two commits of the highest sequence have a damaged block each: the first counts.", 1, 1, 2)

# Key changes: a password is replaced by another, and page B, page A, page K are to be written in this order


def changed(name, comment, written, given="new", torn=None, **classes):
    """The key change reached the pages `written`; page `torn` was being written."""
    @vector(name, comment, password=given, **classes)
    def build(vault):
        vault.set_slot(0, vault.slot("slot 0", 1, "old", 100000, "old"))
        fill(vault, 1)
        vault.set_slot(0, vault.slot("new slot 0", 1, "new", 100000, "new"))
        vault.commit()
        new = {PAGE_A: vault.pages[PAGE_B], PAGE_B: vault.pages[PAGE_B], PAGE_K: vault.pages[PAGE_K]}
        vault.pages = {at: new[at] if at in written else vault.first[at] for at in new}
        if torn is not None:
            vault.pages[torn] = new[torn][:512] + vault.first[torn][512:]


ALL_PAGES = (PAGE_B, PAGE_A, PAGE_K)
changed("ok-slot-changed", "A key change: the pages are alike, all three have the new slots.", ALL_PAGES)
changed("slot-changed-old", "The secret that a key change gave up.", ALL_PAGES, "old", read="wrong-key")
changed("slot-change-torn", "A key change stopped in its first page: its commit is a note, the old secret opens.", (), "old", PAGE_B, **REPAIRABLE)
changed("slot-change-torn-new", "A key change stopped in its first page: the new secret does not open yet.", (), "new", PAGE_B,
        read="wrong-key", keyless="repairable")
changed("slot-change-first-page", "A key change stopped behind its first page: the new secret opens, page K is old.", ALL_PAGES[:1], **REPAIRABLE)
changed("slot-change-first-page-old", "A key change stopped behind its first page: the old secret does not open any more.", ALL_PAGES[:1], "old",
        read="wrong-key", keyless="repairable")
changed("slot-change-second-torn", "A key change stopped in its second page.", ALL_PAGES[:1], "new", PAGE_A, **REPAIRABLE)
changed("slot-change-both-pages", "A key change stopped before page K: it is old.", ALL_PAGES[:2], **REPAIRABLE)
