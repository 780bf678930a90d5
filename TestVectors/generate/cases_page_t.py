"""Vectors about page T and the older of the pages A and B: what is wrong there is seen by verify alone."""

from attacker import flip, write
from cases_pages import REPAIRABLE, bit, edited
from encoder import Vault
from layout import PAGE_A, PAGE_B, PAGE_T, Put
from primitives import u16, u64
from vectors import small, three, two, vector

# The older page

@vector("page-older-torn", "The older page is torn; the newest holds.", **REPAIRABLE)
def older_torn(vault):
    two(vault)
    data = vault.file()
    write(data, PAGE_A + 2560, bytes(512))
    return data


bit("page-older-audit-tag", "The audit tag of the older page is wrong, its SHA-256 is right.", [PAGE_A], 4000, "hash", two,
    verify="tampered")
bit("page-older-owner-tag", "The owner tag of the older page is wrong, its SHA-256 is right.", [PAGE_A], 4032, "hash", two,
    verify="tampered")

OLDER = dict(make=two, fix="tags", **REPAIRABLE)
edited("page-older-log-end", "The log end of the older page is not the end of its commit, with right tags.", [PAGE_A], 72, u64(12288), **OLDER)
edited("page-older-sequence", "The sequence of the older page is not that of its record copy, with right tags.", [PAGE_A], 64, u64(0), **OLDER)
edited("page-older-core-sha-256", "The SHA-256 of the older page's record copy is wrong, with right tags.", [PAGE_A], 2304 + 480, bytes(32), **OLDER)
edited("page-older-slot-hash", "The slots of the older page are not those of its record's slot hash, with right tags.", [PAGE_A], 256 + 160,
       b"\xaa" * 8, slot="password", **OLDER)


@vector("page-older-no-commit", "The older page is that of the first of three commits, not of the second.", **REPAIRABLE)
def older_no_commit(vault):
    small(vault)
    old = vault.pages[PAGE_B]
    for name in ("second", "third"):
        vault.commit(Put(name, b"content"))
    vault.pages[PAGE_B] = old


@vector("page-older-foreign", "The older page is the first one of another vault.", keyless="repairable", verify="tampered")
def older_foreign(vault):
    three(vault)
    other = Vault("another vault")
    small(other)
    vault.pages[PAGE_B] = other.pages[PAGE_B]


# Page T beside two sound pages

T = (PAGE_T,)
bit("page-t-bit", "One bit of page T is wrong.", T, 1000, **REPAIRABLE)
bit("page-t-reserved", "A reserved byte of page T is not zero, and its SHA-256 is right.", T, 3900, "hash", **REPAIRABLE)
edited("page-t-zero", "Page T is zero.", T, 0, bytes(4096), **REPAIRABLE)
edited("page-t-version-2", "Page T is of version 2, with right tags: not looked at beside two sound pages.", T, 8, u16(2), "tags", **REPAIRABLE)
bit("page-t-slot-attacker", "A slot on page T was altered without the key, the SHA-256 made right.", T, 256 + 80, "hash", slot="password",
    **REPAIRABLE)


edited("page-t-later", "Page T has a later sequence than its commit, with right tags: it names no save.", T, 64, u64(2), "tags", **REPAIRABLE)


@vector("page-t-old", "Page T is that of the commit before.", **REPAIRABLE)
def t_old(vault):
    two(vault)
    vault.pages[PAGE_T] = vault.pages[PAGE_A]


@vector("page-t-foreign", "Page T is that of another vault.", **REPAIRABLE)
def t_foreign(vault):
    small(vault)
    other = Vault("another vault")
    small(other)
    vault.pages[PAGE_T] = other.pages[PAGE_T]


@vector("page-t-ahead-torn", "Pages A and B are those of the first two of four commits, and page T of the last has a wrong SHA-256.")
def t_ahead_torn(vault):
    two(vault)
    old, vault.gives = dict(vault.pages), vault.released()
    vault.commit(Put("third", b"content"))
    vault.commit(Put("fourth", b"content"))
    torn = bytearray(vault.pages[PAGE_T])
    flip(torn, 4095)
    vault.pages = {**old, PAGE_T: torn}


@vector("page-t-ahead-far", "Pages A and B are those of the first two of five commits, and page T is that of the last: it counts.", **REPAIRABLE)
def t_ahead_far(vault):
    two(vault)
    old = dict(vault.pages)
    for name in ("third", "fourth", "fifth"):
        vault.commit(Put(name, b"content"))
    vault.pages = {**old, PAGE_T: vault.pages[PAGE_T]}


def overwritten(name, comment, length, **classes):
    """Page T overwritten by the first bytes of an unfinished save."""
    @vector("page-t-" + name, comment, **classes)
    def make(vault):
        small(vault)
        return vault.file()[:vault.place(PAGE_T)] + bytearray(b"\xa5" * length)


overwritten("overwritten", "Page T is overwritten, and the file ends where it ended: no unfinished save.", 4096, **REPAIRABLE)
overwritten("overwritten-4097", "Page T is overwritten by 4,097 bytes, as an unfinished save does.", 4097)
