"""Vectors of extension areas (Spec/container.md, 3.8)."""

from attacker import flip, flipped, put
from layout import Put
from primitives import u32, u64
from vectors import small, vector

SLOT = bytes([200]) + b"\x66" * 255


def item(slot, content):
    return slot[8:24] + u32(len(content)) + content


def area(name, comment, extensions=item(SLOT, b"needs more than 256 bytes " * 20), change=None, hook=None, **classes):
    """An area for a slot of an unknown kind, written by the first of two commits."""
    @vector("extension-" + name if classes else "ok-extension-" + name, comment, **classes)
    def make(vault):
        vault.set_slot(3, SLOT)
        vault.extensions = extensions
        if hook:
            vault.hook(*hook)
        small(vault)
        vault.commit(Put("second.txt", b"The second file.\n"))
        vault.gives = vault.released() if classes.get("read", "ok") == "ok" else b""
        data = vault.file()
        return change and change(data, vault) or data


def damaged(*copies):
    return lambda data, vault: [flip(data, vault.commits[0].areas[copy] + 9) for copy in copies] and data


REPAIRABLE = dict(keyless="repairable", verify="repairable")
MALFORMED = dict(read="malformed", keyless="damaged")
area("area", "An extension area for a slot of a newer program, in the commit before the newest.")
area("area-other", "Items for no slot, and bytes that are no item.", item(b"\x01" * 256, b"") + b"\x07" * 19)
area("first", "The first copy of the area is damaged.", change=damaged(0), **REPAIRABLE)
area("second", "The second copy of the area is damaged.", change=damaged(1), **REPAIRABLE)
area("both", "Both copies of the area are damaged.", change=damaged(0, 1), read="ok", keyless="damaged", verify="damaged")
area("hash", "The area has another hash than the newest core says.", hook=("core-reserved", flipped(370), 2), read="ok", keyless="damaged",
     verify="damaged")
area("behind", "The second copy of the area ends behind the commit.", hook=("core-reserved", put(352, u64(1 << 20)), 2), **MALFORMED)
area("overflow", "The place of the area overflows 64 bits.", hook=("core-reserved", put(352, u64(2**64 - 64)), 2), **MALFORMED)
area("long", "A core says that an area has 2^20 + 1 bytes.", hook=("core-reserved", put(360, u32(2**20 + 1)), 2), **MALFORMED)
area("most", "An area of 2^20 bytes, most of them zeros.", item(SLOT, b"") + bytes(2**20 - 20))
area("too-long", "An area of 2^20 + 1 bytes, most of them zeros.", item(SLOT, b"") + bytes(2**20 - 19), **MALFORMED)
area("to-the-end", "The second copy of the area ends where the commit does.", item(SLOT, b"") + bytes(4096 - 20))
area("none", "A length of 0 with a place and a hash: there is none.", hook=("core-reserved", put(360, u32(0)), 2))
