"""Vectors about the pages, the gaps and the length of the file."""

from attacker import fix_page_hash, flip, put, retag_page, write
from layout import LOG, PAGE_A, PAGE_B, PAGE_T, Put
from primitives import u16, u32, u64
from vectors import small, two, vector

UNSUPPORTED = dict(read="unsupported", keyless="unsupported")
DAMAGED = dict(read="damaged", keyless="damaged")
LOST = dict(keyless="damaged", verify="damaged")  # what can still be read is read
REPAIRABLE = dict(keyless="repairable", verify="repairable")
TAMPERED = dict(read="tampered")
BOTH = (PAGE_A, PAGE_B)
ALL = (PAGE_A, PAGE_B, PAGE_T)


def edited(name, comment, pages, at, new, fix=None, make=small, **classes):
    """A vector whose finished file has bytes `new` at offset `at` of the pages; `fix` makes each consistent again."""
    @vector(name, comment, **classes)
    def build(vault):
        make(vault)
        data = vault.file()
        for page in map(vault.place, pages):
            write(data, page + at, new)
            if fix == "hash":
                fix_page_hash(data, page)
            if fix == "tags":
                retag_page(vault, data, page)
        return data


def bit(name, comment, pages, at, fix=None, make=small, **classes):
    """Like `edited`, with the lowest bit of one byte turned."""
    @vector(name, comment, **classes)
    def build(vault):
        make(vault)
        data = vault.file()
        for page in map(vault.place, pages):
            flip(data, page + at)
            if fix == "hash":
                fix_page_hash(data, page)
        return data


# Unsound pages

bit("page-a-bit", "One bit of page A is wrong; page B holds.", [PAGE_A], 2500, **REPAIRABLE)
bit("page-b-bit", "One bit of page B is wrong; page A holds.", [PAGE_B], 2500, **REPAIRABLE)
bit("page-a-magic", "The magic of page A is wrong.", [PAGE_A], 0, **REPAIRABLE)
bit("page-a-reserved", "A reserved byte of page A alone is not zero, and its SHA-256 is right: two pages of one sequence that differ.", [PAGE_A], 3900,
    "hash", **DAMAGED)
bit("page-both-bit", "One bit of pages A and B is wrong; page T holds.", BOTH, 2500, **REPAIRABLE)
bit("page-both-header-reserved", "A reserved byte in the headers of pages A and B is not zero, and their SHA-256 are right: no tag covers it.", BOTH, 200,
    "hash", read="tampered", keyless="repairable")
bit("page-all-slot-reserved", "A reserved byte of a slot is not zero on all pages, and their SHA-256 are right.", ALL, 256 + 245,
    "hash", read="tampered", keyless="damaged", slot="password")
bit("page-both-version-bit", "The version of pages A and B is wrong by a damaged bit: damage, not a newer version.", BOTH, 9, **REPAIRABLE)
edited("page-both-zero", "Pages A and B are zero; page T holds.", BOTH, 0, bytes(4096), **REPAIRABLE)
bit("page-all-bit", "One bit of each page is wrong.", ALL, 2500, **DAMAGED)
edited("page-all-magic", "No page shows its magic.", ALL, 0, bytes(8), read="not-a-vault", keyless="not-a-vault")
edited("page-all-magic-attacker", "No page shows its magic, and the hashes were made right.", ALL, 0, bytes(8), "hash", read="not-a-vault",
       keyless="not-a-vault")
edited("page-a-magic-tagged", "Page A shows no magic, behind a right SHA-256 and tags.", [PAGE_A], 0, bytes(8), "tags", **REPAIRABLE)
edited("page-t-magic-alone", "Pages A and B do not show their magic, and one bit of page T is wrong.", BOTH, 0, bytes(8),
       make=lambda vault: [small(vault), vault.pages.update({PAGE_T: vault.pages[PAGE_T][:-1] + b"\x00"})], **DAMAGED)


@vector("page-newest-torn", "The newest page has its first sector new and the rest old; page T names its commit, which is whole.",
        **REPAIRABLE)
def newest_torn(vault):
    small(vault)
    old = vault.file()
    second(vault)
    data = vault.file()
    write(data, PAGE_B + 512, old[PAGE_B + 512:PAGE_B + 4096])
    return data


def second(vault):
    vault.commit(Put("second.txt", b"The second file.\n"))


@vector("page-both-older", "Both pages are those of the commit before the newest: an old state that a reader without memory accepts.")
def both_older(vault):
    small(vault)
    old = vault.file()
    vault.gives = vault.released()
    second(vault)
    data = vault.file()
    write(data, 0, old[:LOG])
    return data


edited("page-equal-sequence", "Pages of equal sequence differ, each of them tagged.", [PAGE_B], 16, u32(1), "tags", **DAMAGED)

# Versions and reserved fields

edited("page-version-2", "All pages are of format version 2.", ALL, 8, u16(2), "hash", **UNSUPPORTED)
edited("page-version-2-reserved", "All pages are of version 2 and use bytes that are reserved in version 1.", ALL, 8, u16(2) + b"\x07" * 24,
       "hash", **UNSUPPORTED)
edited("page-version-2-before-tags", "All pages are of version 2 and use the bytes before the tags, reserved in version 1.", ALL, 3328,
       b"\x07" * 672, "hash", lambda vault: [vault.hook("page", put(8, u16(2))), small(vault)], **UNSUPPORTED)
edited("page-version-2-older", "The older page is of format version 2, and page T is the newest page's: somebody altered it.", [PAGE_A], 8,
       u16(2), "tags", two, **REPAIRABLE)
edited("page-version-2-a", "Page A is of format version 2, and its SHA-256 is right; pages B and T agree.", [PAGE_A], 8, u16(2), "hash",
       **REPAIRABLE)
edited("page-feature-required-b", "Page B has an unknown required feature, with right tags; pages A and T agree.", [PAGE_B], 12, u32(1), "tags",
       **REPAIRABLE)
edited("page-version-2-newest", "The newest page and page T are of format version 2: a newer program was at work.", [PAGE_B, PAGE_T], 8, u16(2),
       "tags", two, **UNSUPPORTED)
edited("page-version-2-t", "Page A is damaged, and page T is of format version 2.", [PAGE_T], 8, u16(2), "tags",
       lambda vault: [small(vault), vault.pages.update({PAGE_A: bytes(4096)})], **UNSUPPORTED)
edited("page-version-2-newest-alone", "The newest page is of format version 2, and page T is zero.", [PAGE_B], 8, u16(2), "tags",
       lambda vault: [two(vault), vault.pages.update({PAGE_T: bytes(4096)})], **UNSUPPORTED)
edited("page-flag-sealed", "Flag bit 1, reserved for sealed files.", ALL, 10, u16(2), "tags", **UNSUPPORTED)
edited("page-feature-required", "An unknown required feature.", ALL, 12, u32(1), "tags", **UNSUPPORTED)

# Tags

bit("page-audit-tag", "One bit of the audit tag of all pages is wrong, their SHA-256 are right.", ALL, 4000, "hash", **TAMPERED)
bit("page-owner-tag", "One bit of the owner tag of all pages is wrong, their SHA-256 are right.", ALL, 4032, "hash", **TAMPERED)
edited("page-copy-attacker", "The copy flag was set without the key, the SHA-256 made right.", ALL, 10, u16(1), "hash", **TAMPERED)


@vector("page-master-key", "The key that is given is not this vault's.", **TAMPERED)
def master_key(vault):
    small(vault)
    data = vault.file()
    vault.master = bytes(32)
    return data


# Numbers behind right tags

def hostile(name, comment, *changes, slot=None):
    """All pages with changed fields and right tags."""
    @vector(name, comment, "malformed", "damaged", slot=slot)
    def make(vault):
        for at, new in changes:
            vault.hook("page", put(at, new))
        small(vault)


hostile("page-epoch", "The epoch of the header is not that of the commit record.", (55, b"\x09"))
hostile("page-sequence", "The sequence of the header is not that of the commit record.", (64, u64(9)))
hostile("page-log-end", "The log end is 4,096 bytes behind the end of the commit.", (72, u64(12288)))
hostile("page-origin-without-copy", "An origin sequence and no copy flag.", (80, u64(5)))
hostile("page-slot-hash", "The slots of all pages are not those of the commit record's slot hash.", (256 + 160, b"\xaa" * 8),
        slot="password")

# Gaps

edited("page-gap-a", "A byte in the gap behind page A is not zero.", [PAGE_A], 60000, b"\x01", **REPAIRABLE)
edited("page-gap-a-last", "The last byte of the gap behind page A is not zero.", [PAGE_A], 65535, b"\x01", **REPAIRABLE)
edited("page-gap-b", "The first byte of the gap behind page B is not zero.", [PAGE_B], 4096, b"\x01", **REPAIRABLE)
edited("page-gap-b-last", "The last byte of the gap behind page B is not zero.", [PAGE_B], 65535, b"\x01", **REPAIRABLE)

# The length of the file

def cut(name, comment, length, make=small, **classes):
    """The finished file cut at `length(vault)`."""
    @vector(name, comment, **classes)
    def build(vault):
        make(vault)
        return vault.file()[:length(vault)]


cut("file-empty", "A file without a byte.", lambda v: 0, read="not-a-vault", keyless="not-a-vault")
cut("file-cut-in-page-a", "The file ends within page A.", lambda v: 1000, **DAMAGED)
cut("file-cut-behind-page-a", "The file ends behind page A.", lambda v: 4096, **DAMAGED)
cut("file-cut-behind-pages", "The file ends where the log begins.", lambda v: LOG, **DAMAGED)
cut("file-cut-in-segment", "The file ends within the newest segment.", lambda v: v.commits[-1].segment + 40, **DAMAGED)
cut("file-cut-behind-payload", "The newest commit record and its check table are lost; everything can be read.",
    lambda v: v.commits[-1].record_at, **LOST)
cut("file-cut-commit-one", "The last byte of the newest commit is lost, and page T.", lambda v: v.commits[-1].end - 1, **LOST)
cut("file-cut-page-t", "Page T is lost.", lambda v: v.commits[-1].end, **REPAIRABLE)
cut("file-cut-one", "The last byte of the file is lost.", lambda v: -1, **REPAIRABLE)


def newest_lost(name, comment, lose):
    """Two commits; the newest page names the second, whose manifest `lose` takes away. The first is not shown for it."""
    @vector(name, comment, **DAMAGED)
    def build(vault):
        small(vault)
        newest = vault.commit(Put("second.txt", b"The second file.\n"))
        return lose(vault.file(), newest)


newest_lost("file-cut-newest-commit", "The newest commit is lost, the newest page names it.",
            lambda data, newest: data[:newest.start])
newest_lost("file-newest-heads", "The head of the newest manifest and its copy are lost; the older page is sound.",
            lambda data, newest: data[:newest.segment] + bytes(newest.end - newest.segment) + data[newest.end:])


def heads_lost(vault):
    """The file with both heads of the newest manifest zero."""
    data, newest = vault.file(), vault.commits[-1]
    write(data, newest.segment, bytes(newest.end - newest.segment))
    return data


@vector("file-newest-heads-older-tags", "Both heads of the newest manifest are lost; one bit of the older page's owner tag is wrong.",
        read="damaged", keyless="damaged", verify="damaged")
def older_tags(vault):
    small(vault)
    vault.commit(Put("second.txt", b"The second file.\n"))
    data = heads_lost(vault)
    flip(data, PAGE_A + 4032)
    fix_page_hash(data, PAGE_A)
    return data


@vector("file-newest-heads-older-log-end", "Both heads of the newest manifest are lost; the log end of the older page is not that of its commit, "
        "with right tags.", read="damaged", keyless="damaged", verify="damaged")
def older_log_end(vault):
    two(vault)
    data = heads_lost(vault)
    write(data, PAGE_A + 72, u64(4096))
    retag_page(vault, data, PAGE_A)
    return data


@vector("file-newest-heads-older-elsewhere", "Both heads of the newest manifest are lost; the older page names a commit before the one before.",
        read="damaged", keyless="damaged", verify="damaged")
def older_elsewhere(vault):
    small(vault)
    first = vault.file()
    vault.commit(Put("second.txt", b"The second file.\n"))
    vault.commit(Put("third.txt", b"The third file.\n"))
    data = heads_lost(vault)
    write(data, PAGE_B, first[PAGE_A:PAGE_A + 4096])
    return data


def sector(name, comment, where, keyless="damaged"):
    """One sector of 4,096 bytes is zero."""
    @vector("file-sector-" + name, comment, keyless=keyless, verify=keyless)
    def build(vault):
        small(vault)
        data = vault.file()
        write(data, where(vault), bytes(4096))
        return data


sector("record", "The sector of the newest commit record, check table and copy of the head is zero: a page holds the record, the head the rest.",
       lambda v: v.commits[-1].record_at)
sector("page-t", "Page T is zero.", lambda v: v.commits[-1].end, keyless="repairable")
newest_lost("file-newest-chunk", "A live chunk of the newest manifest is damaged; the older page is sound.",
            lambda data, newest: flip(data, newest.segment + len(newest.segment_parts[0]) + 5) or data)


@vector("file-text", "A file that is no vault.", "not-a-vault", "not-a-vault")
def text(vault):
    return bytearray(b"This is a text.\n" * 12)
