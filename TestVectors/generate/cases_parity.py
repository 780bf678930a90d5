"""Vectors of parity (Spec/container.md, 3.9): the tail of a backup, and the parity of a payload area."""

import parity
from attacker import flip, write
from encoder import Vault
from layout import LOG, PAGE_A, PAGE_B, PAGE_T, Put
from primitives import sha256, u16, u32, u64
from vectors import content, small, vector

REPAIRABLE = dict(keyless="repairable")
DAMAGED = dict(keyless="damaged", verify="damaged")
LOST = dict(read="damaged", keyless="damaged")
TAG = b"twelve bytes"


def as_backup(vault, m=8, declared=True):
    """Have the pages say that the file is a backup of the vault in this state, with a tail."""
    def copied(body):
        length = vault.commits[-1].end + 4096
        tail_length = parity.BLOCK * m * parity.groups(length // parity.DATA) if declared else 0
        return body[:10] + u16(1) + body[12:80] + u64(vault.sequence) + vault.fingerprint() + u64(tail_length) + body[128:]
    vault.hook("page", copied)


def tail(data, m=8):
    return parity.encode(bytes(data), parity.FILE, m, 0, TAG)


def backup(name, comment, change=lambda data, vault: None, repaired="whole", m=8, fill=small, after=lambda blocks: blocks, marked=True,
           declared=True, **classes):
    """A backup with its tail, both of which `change` and `after` may alter. Repaired it is as before, or stays as it is, or has no
    parity; or nobody can say, since a tag is drawn."""
    result = {}

    def outcome(vault):
        return result["none"] if repaired == "none" else sha256(result[repaired]).hex()

    @vector("parity-" + name, comment, more={"repaired": outcome} if repaired else {}, **classes)
    def make(vault):
        if marked:
            as_backup(vault, m, declared)
        fill(vault)
        data = vault.file()
        result["whole"] = bytes(data) + tail(data, m)
        data += after(bytearray(tail(data, m)))
        change(data, vault)
        result["same"], result["none"] = bytes(data), "none"
        return data


def row(blocks, number):
    """The bytes of a parity block, of one group."""
    return slice(number * parity.BLOCK, (number + 1) * parity.BLOCK)


def zero(places):
    """Turn blocks of 1,024 bytes into zeros."""
    def change(data, vault):
        for place in places(vault):
            write(data, place, bytes(parity.DATA))
    return change


def record(vault, count):
    """So many blocks from the beginning of the payload area on."""
    return [LOG + parity.DATA * index for index in range(count)]


def pages(vault):
    return [vault.place(page) + parity.DATA * index for page in (PAGE_A, PAGE_B, PAGE_T) for index in range(4)]


backup("sound", "A backup with a tail of parity.")
backup("bit", "A bit of a stored record is wrong.", lambda data, vault: flip(data, LOG + 100), read="damaged", **DAMAGED)
backup("burst", "As many blocks are zero as a group has rows.", zero(lambda vault: record(vault, 8)), read="damaged", **DAMAGED)
backup("burst-longer", "One block more is zero than a group has rows.", zero(lambda vault: record(vault, 9)), repaired="same", read="damaged",
       **DAMAGED)
backup("pages", "All three pages are zero.", zero(pages), m=12, **LOST)
backup("pages-a-b", "Pages A and B are zero; page T stands before the tail.", zero(lambda vault: pages(vault)[:8]), **REPAIRABLE, verify="repairable")
backup("page-t", "Page T is zero, before a sound tail.", zero(lambda vault: pages(vault)[8:]), **REPAIRABLE, verify="repairable")
backup("not-a-copy", "A tail behind a vault that is no backup: bytes that are a note.", marked=False, repaired="none")
backup("undeclared", "A tail of which the pages say nothing.", declared=False)
backup("undeclared-bit", "A bit of such a tail is wrong.", declared=False, after=lambda blocks: blocks[:2000] + bytes([blocks[2000] ^ 1]) + blocks[2001:],
       keyless="repairable", verify="repairable")
backup("undeclared-gone", "Bytes behind page T that are no parity.", declared=False, after=lambda blocks: bytes(len(blocks)), repaired="none")
backup("end-zero", "The last half of the tail is zero.", after=lambda blocks: blocks[:5 * parity.BLOCK] + bytes(5 * parity.BLOCK), m=10,
       keyless="repairable", verify="repairable")


# The tail itself

def altered(name, comment, after, **rest):
    backup("tail-" + name, comment, after=after, **rest)


def gone(*rows):
    """Parity blocks that are zero."""
    def after(blocks):
        for number in rows:
            blocks[row(blocks, number)] = bytes(parity.BLOCK)
        return blocks
    return after


def with_block(number, **fields):
    """A parity block in the place of another, with these fields and a right checksum."""
    def after(blocks):
        old = bytes(blocks[row(blocks, number)])
        given = dict(kind=old[8], m=old[9], row=number, group=0, start=0, length=int.from_bytes(old[24:32], "big"), tag=TAG,
                     checks=[int.from_bytes(old[at:at + 4], "big") for at in range(44, 252, 4)], parity=old[256:])
        blocks[row(blocks, number)] = parity.block(**given | fields)
        return blocks
    return after


def every(change):
    """A change to all eight parity blocks."""
    def after(blocks):
        for number in range(8):
            blocks = change(number)(blocks)
        return blocks
    return after


HEALED = dict(keyless="repairable", verify="repairable")
altered("bit", "A bit of a parity block is wrong.", lambda blocks: blocks[:2000] + bytes([blocks[2000] ^ 1]) + blocks[2001:], **HEALED)
altered("check-bit", "A bit of a checksum in a parity block is wrong.", lambda blocks: blocks[:60] + bytes([blocks[60] ^ 1]) + blocks[61:], **HEALED)
altered("cut", "The last two and a half parity blocks are missing.", lambda blocks: blocks[:-2 * parity.BLOCK - 500], **HEALED)
altered("longer", "Bytes stand behind the tail: a repair leaves them out.", lambda blocks: blocks + b"more")
altered("one-left", "One parity block is left.", gone(0, 1, 2, 4, 5, 6, 7), **HEALED)
altered("none-left", "No parity block is left.", gone(*range(8)), repaired=None, **HEALED)
altered("missing", "The tail is missing.", lambda blocks: b"", repaired=None, **HEALED)
altered("other-tag", "A parity block of other parity stands in the place of one.", with_block(3, tag=b"another  tag"), **HEALED)
altered("other-row", "A parity block stands in the place of the next.", with_block(3, row=2), **HEALED)
altered("other-group", "A parity block names a group that is not there.", with_block(3, group=1), **HEALED)
altered("kind-3", "All parity blocks are of a kind that is not known.", every(lambda number: with_block(number, kind=3)), repaired=None, **HEALED)
altered("m-7", "All parity blocks say that a group has seven rows.", every(lambda number: with_block(number, m=7)), repaired=None, **HEALED)
altered("start", "The range of the tail does not begin with the file.", every(lambda number: with_block(number, start=1024)), repaired=None, **HEALED)
altered("length-odd", "The range is no multiple of a block.", every(lambda number: with_block(number, length=143361)), repaired=None, **HEALED)
altered("length-zero", "The range is empty.", every(lambda number: with_block(number, length=0)), repaired=None, **HEALED)
altered("length-huge", "The range is 2^60 bytes long.", every(lambda number: with_block(number, length=1 << 60)), repaired=None, **HEALED)
altered("length-shorter", "The parity of a range that ends before page T.", every(lambda number: with_block(number, length=139264)), repaired=None, **HEALED)


# Blocks behind the tail: the last sound one says where page T stands

def stray(gap, row=0, group=0, m=8):
    """A parity block behind the tail and so many zeros, with the length of a range for which its place would be right."""
    def after(blocks):
        at = int.from_bytes(blocks[24:32], "big") + len(blocks) + gap
        block = parity.block(kind=2, m=m, row=row, group=group, start=0, length=at - parity.BLOCK * (row + group), tag=TAG,
                             checks=[0] * 52, parity=bytes(parity.DATA))
        return blocks + bytes(gap) + block
    return after


def behind(name, comment, after, **classes):
    backup("tail-" + name, comment, zero(lambda vault: pages(vault)[:8]), after=after, **classes)


behind("stray-m-56", "A block behind the tail says that a group has 56 rows: it is none.", stray(0, m=56), **HEALED)
behind("stray-m-55", "A block behind the tail says that a group has 55 rows, and that page T stands at its own place.", stray(0, m=55),
       repaired=None, **LOST)
behind("stray-row", "A block behind the tail is of row 8 of eight: it is none.", stray(4096, row=8), **HEALED)
behind("stray-group", "A block behind the tail is of group 1 of one: it is none.", stray(1280, group=1), **HEALED)
behind("stray-odd", "A block behind the tail is of a range that is no multiple of a block: it is none.", stray(256), **HEALED)
behind("far", "The last block begins 32,768 bytes before the end.", lambda blocks: blocks + bytes(31488), **HEALED)
behind("too-far", "The last block begins 32,769 bytes before the end: nobody looks for it there.", lambda blocks: blocks + bytes(31489),
       repaired=None, read="not-a-vault", keyless="not-a-vault")


backup("unknown", "Two rows are left that lack the checksums of some blocks; the data is whole, as the rows show.",
       after=gone(0, 1, 3, 4, 5, 7), **HEALED)
backup("unknown-bit", "Two rows are left, and of the block with a wrong bit no checksum.", lambda data, vault: flip(data, LOG + 100),
       after=gone(0, 1, 2, 5, 6, 7), repaired="same", read="damaged", **DAMAGED)
backup("rows-and-burst", "Three rows are lost, and as many blocks are zero as there are rows left.", zero(lambda vault: record(vault, 5)),
       after=gone(1, 2, 6), read="damaged", **DAMAGED)


@vector("parity-attacker", "Somebody made parity for other bytes of the log: a repair changes nothing that a check finds right.", keyless="ok",
        more={"repaired": lambda vault: sha256(vault.whole).hex()})
def attacker(vault):
    as_backup(vault)
    small(vault)
    data = vault.file()
    other = bytearray(data)
    flip(other, LOG + 100)
    vault.whole = bytes(data) + tail(data)
    return data + tail(other)


@vector("parity-older-behind", "A backup over a longer one of another vault: the tail of the other stands behind its own.", keyless="ok",
        more={"repaired": lambda vault: sha256(vault.whole).hex()})
def older_behind(vault):
    as_backup(vault)
    small(vault)
    other = Vault("another vault")
    as_backup(other)
    long(other)
    data, old = vault.file(), other.file()
    vault.whole = bytes(data) + tail(data)
    old += tail(old)
    return bytearray(vault.whole) + old[len(vault.whole):]


def long(vault):
    """A file of more than two hundred blocks: three groups."""
    return vault.commit(Put("long", content(68000)))


@vector("parity-groups", "Three groups, the last place of which has fewer blocks; blocks of data and of parity are zero.", "damaged",
        more={"repaired": lambda vault: sha256(vault.whole).hex()}, **DAMAGED)
def groups(vault):
    as_backup(vault)
    long(vault)
    data = vault.file()
    vault.whole = bytes(data) + tail(data)
    out = bytearray(vault.whole)
    write(out, LOG + 4096, bytes(18 * parity.DATA))
    write(out, len(data) + 5 * parity.BLOCK, bytes(4 * parity.BLOCK))
    return out


# Parity of a payload area, in the rest of its commit

def in_commit(name, comment, damage, repaired="whole", fill=small, **classes):
    @vector("parity-commit-" + name, comment, more={"repaired": lambda vault: sha256(vault.results[repaired]).hex()}, **classes)
    def make(vault):
        vault.parity = 8
        fill(vault)
        whole = bytes(vault.file())
        out = bytearray(whole)
        damage(out, vault)
        vault.results = dict(whole=whole, same=bytes(out))
        return out


def with_area(vault):
    """Parity behind an extension area."""
    vault.extensions = bytes(16) + u32(5) + b"bytes"
    small(vault)


def ends(data, vault):
    """The payload area's first and last blocks, and a parity block."""
    commit = vault.commits[0]
    write(data, commit.start, bytes(3 * parity.DATA))
    write(data, commit.record_at - 2 * parity.DATA, bytes(2 * parity.DATA))
    write(data, commit.parity_at + parity.BLOCK, bytes(parity.BLOCK))


in_commit("sound", "A vault with parity for its payload area.", lambda data, vault: None)
in_commit("bit", "A bit of a stored record is wrong.", lambda data, vault: flip(data, LOG + 100), read="damaged", **DAMAGED)
in_commit("payload", "Blocks of the payload area and a parity block are zero.", ends, read="damaged", **DAMAGED)
in_commit("area", "Parity behind an extension area; blocks of the payload area and a parity block are zero.", ends, fill=with_area,
          read="damaged", **DAMAGED)
in_commit("row", "A bit of a parity block is wrong.", lambda data, vault: flip(data, vault.commits[0].parity_at + 300), **HEALED)
in_commit("longer", "More blocks of the payload area are zero than a group has rows.",
          lambda data, vault: write(data, LOG, bytes(9 * parity.DATA)), repaired="same", fill=lambda vault: vault.commit(Put("longer", content(20000))),
          read="damaged", **DAMAGED)
