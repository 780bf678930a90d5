"""Vectors about page K and the older of the pages A and B: what is wrong there is seen by verify alone."""

from attacker import write
from cases_pages import REPAIRABLE, bit, edited
from encoder import Vault
from layout import PAGE_A, PAGE_B, PAGE_K, Put
from primitives import u16, u32, u64
from vectors import small, three, two, vector

K = (PAGE_K,)

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
edited("page-older-log-end", "The log end of the older page is not the end of its commit, with right tags.", [PAGE_A], 72, u64(147456), **OLDER)
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


# Page K

bit("pagek-bit", "One bit of page K is wrong.", K, 1000, **REPAIRABLE)
bit("pagek-unused", "An unused byte of page K is not zero, and its SHA-256 is right.", K, 3900, "hash", **REPAIRABLE)
edited("pagek-zero", "Page K is zero.", K, 0, bytes(4096), **REPAIRABLE)
edited("pagek-epoch", "Page K is of another epoch, with right tags.", K, 55, b"\x09", "tags", **REPAIRABLE)
bit("pagek-audit-tag", "The audit tag of page K is wrong, its SHA-256 is right.", K, 4000, "hash", verify="tampered")
bit("pagek-owner-tag", "The owner tag of page K is wrong, its SHA-256 is right.", K, 4032, "hash", verify="tampered")
bit("pagek-slot-attacker", "A slot on page K was altered without the key, the SHA-256 made right.", K, 256 + 80, "hash",
    keyless="repairable", verify="tampered", slot="password")


@vector("pagek-old", "An interrupted key change: page K lacks the slot that the newest page has.", **REPAIRABLE)
def k_old(vault):
    small(vault)
    old = vault.pages[PAGE_K]
    vault.set_slot(1, vault.slot("slot 1", 1, "new", 100000, "new"))
    vault.commit()
    vault.pages[PAGE_K] = old


@vector("pagek-foreign", "Page K is that of another vault.", **REPAIRABLE)
def k_foreign(vault):
    small(vault)
    other = Vault("another vault")
    small(other)
    vault.pages[PAGE_K] = other.pages[PAGE_K]


RIGHT = dict(fix="tags", **REPAIRABLE)
edited("pagek-version-2", "Page K is of version 2, with right tags: unsound, and not unsupported.", K, 8, u16(2), **RIGHT)
edited("pagek-flag", "The copy flag is set on page K, with right tags.", K, 10, u16(1), **RIGHT)
edited("pagek-feature-required", "An unknown required feature on page K, with right tags.", K, 12, u32(1), **RIGHT)
edited("pagek-write-feature", "A write feature on page K, with right tags.", K, 16, u32(1), **RIGHT)
edited("pagek-vault-id", "Page K is of another vault id, its tags are not judged.", K, 32, b"\xaa" * 16, **RIGHT)
edited("pagek-sequence", "The sequence of page K is greater than that of the pages, with right tags.", K, 64, u64(2), **RIGHT)
edited("pagek-log-end", "Page K has a log end, with right tags.", K, 72, u64(143360), **RIGHT)
edited("pagek-magic", "Page K has the magic of page A, with right tags.", K, 0, b"\x89QVPAGE\n", **RIGHT)
edited("pagek-slot-reserved", "A reserved byte of a slot on page K is not zero, with right tags.", K, 256 + 2, b"\x01", slot="password", **RIGHT)
edited("pagek-slot-empty", "A byte of an empty slot on page K is not zero, with right tags.", K, 256 + 600, b"\x01", **RIGHT)
