"""Changes to a finished file: raw ones, those of an attacker without a key, and those of a writer with the key."""

from layout import BLOCK, PAGE_A, PAGE_B, PAGE_K
from primitives import block_cipher, gmac, hkdf, sha256


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
    size = 2304 if at == PAGE_K else 3328
    write(data, at, vault.seal_page(bytes(data[at:at + size])))


def check_key(vault, commit):
    return hkdf(vault.vault_id, commit.salt, b"quickvault/1/check\x00" + vault.vault_id, 32)


def times(x, y):
    """The product of two elements of GCM's field, 128-bit integers whose highest bit is the coefficient of 1."""
    product = 0
    for bit in range(127, -1, -1):
        product ^= y if x >> bit & 1 else 0
        y = y >> 1 ^ (0xe1 << 120 if y & 1 else 0)
    return product


def forge_block(vault, data, commit):
    """Alter the end of the payload area so that the last check tag still holds: whoever has a GMAC key can do that."""
    hash_key = int.from_bytes(block_cipher(check_key(vault, commit), bytes(16)), "big")
    at, one = commit.record_at - 32, 1 << 127
    for place, change in ((at, one), (at + 16, times(one, hash_key))):  # in GHASH the first is multiplied by the hash key once more
        old = int.from_bytes(data[place:place + 16], "big")
        write(data, place, (old ^ change).to_bytes(16, "big"))


def fix_table(vault, data, commit):
    """New check tags for the payload as it stands; the audit tags stay."""
    key = check_key(vault, commit)
    table = commit.record_at + 1024
    for index, at in enumerate(range(commit.start, commit.record_at, BLOCK)):
        block = bytes(data[at:min(at + BLOCK, commit.record_at)])
        write(data, table + 32 * index, gmac(key, index.to_bytes(12, "big"), block))
    write(data, commit.record_at + 168, sha256(data[table:table + len(commit.table)]))


def fix_core(data, at):
    write(data, at + 480, sha256(data[at:at + 480]))


def fix_unkeyed(vault, data):
    """All that can be made consistent without a key: check tags, slot hashes, SHA-256 and copies, not the tags."""
    slots = data[PAGE_A + 256:PAGE_A + 2304]
    before = None
    for commit in vault.commits:
        fix_table(vault, data, commit)
        write(data, commit.record_at + 200, sha256(slots))
        if before:
            write(data, commit.record_at + 104, data[before.record_at + 344:before.record_at + 408])
            write(data, commit.record_at + 512, data[before.record_at:before.record_at + 512])
        fix_core(data, commit.record_at)
        before = commit
    for at in (PAGE_A, PAGE_B):
        end = int.from_bytes(data[at + 72:at + 80], "big")
        for commit in vault.commits:
            if commit.end == end:
                write(data, at + 2304, data[commit.record_at:commit.record_at + 1024])
        fix_page_hash(data, at)
    fix_page_hash(data, PAGE_K)
