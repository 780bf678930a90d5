"""Changes to a finished file: raw ones, those of an attacker without a key, and those of a writer with the key."""

from layout import BLOCK, LOG, PAGE_A
from primitives import sha256, u64


def flip(data, at, bit=0):
    """Turn one bit of a bytearray."""
    data[at] ^= 1 << bit


def put(at, new):
    """A hook that overwrites bytes of its layer."""
    return lambda old: old[:at] + new + old[at + len(new):]


def flipped(at, bit=0):
    """A hook that turns one bit of its layer."""
    return lambda old: old[:at] + bytes([old[at] ^ 1 << bit]) + old[at % len(old) + 1:]


def write(data, at, new):
    data[at:at + len(new)] = new


def fix_page_hash(data, at):
    """Make a page sound again, and leave its tags."""
    write(data, at + 4064, sha256(data[at:at + 4064]))


def retag_page(vault, data, at):
    """Make a page sound and tag it, as a writer with the key would."""
    write(data, at, vault.seal_page(bytes(data[at:at + 4000])))


def fix_table(data, commit):
    """New rows for the payload as it stands, and their hash in the core."""
    table = commit.record_at + 1024
    for index, at in enumerate(range(commit.start, commit.record_at, BLOCK)):
        block = bytes(data[at:min(at + BLOCK, commit.record_at)])
        write(data, table + 32 * index, sha256(b"quickvault/1/block\x00" + commit.salt + u64(index) + block))
    rest = bytes(data[commit.rest_at:commit.end])
    write(data, commit.rest_at - 32, sha256(b"quickvault/1/block\x00" + commit.salt + u64(len(commit.table) // 32 - 1) + rest))
    write(data, commit.record_at + 144, sha256(data[table:table + len(commit.table)]))


def fix_core(data, at):
    write(data, at + 480, sha256(data[at:at + 480]))


def fix_unkeyed(vault, data):
    """All that can be made consistent without a key: tables, slot hashes, fingerprints and copies, not the tags."""
    slots = data[PAGE_A + 256:PAGE_A + 2304]
    before = None
    for commit in vault.commits:
        fix_table(data, commit)
        write(data, commit.record_at + 176, sha256(slots))
        if before:
            write(data, commit.record_at + 112, sha256(data[before.record_at:before.record_at + 512]))
            write(data, commit.record_at + 512, data[before.record_at:before.record_at + 512])
        fix_core(data, commit.record_at)
        before = commit
    for at in vault.places():
        end = LOG + int.from_bytes(data[at + 72:at + 80], "big")
        for commit in vault.commits:
            if commit.end == end:
                write(data, at + 2304, data[commit.record_at:commit.record_at + 1024])
        fix_page_hash(data, at)
