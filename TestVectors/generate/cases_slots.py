"""Vectors about key slots and secrets."""

from attacker import fix_unkeyed, flip, flipped, put, write
from encoder import Vault
from layout import PAGE_A, PAGE_B, PAGE_K
from primitives import u64
from vectors import small, vector

WRONG_KEY = dict(read="wrong-key", password="password", slot="password")
TAMPERED = dict(read="tampered", password="password", slot="password")
REFUSED = dict(read="refused", password="pw")


def attacked(name, comment, at, bit=0, **classes):
    """A bit of slot 0 altered on all pages, and everything made consistent that needs no key."""
    @vector(name, comment, **classes)
    def make(vault):
        small(vault)
        data = vault.file()
        for page in (PAGE_A, PAGE_B, PAGE_K):
            flip(data, page + 256 + at, bit)
        fix_unkeyed(vault, data)
        return data


attacked("slot-kind", "The password slot was turned into a slot of an unknown kind without the key.", 0, 2, **WRONG_KEY)
attacked("slot-iterations-changed", "The iterations were altered without the key, within the limits.", 7, **WRONG_KEY)
attacked("slot-id-bit", "The slot id was altered without the key.", 8, **WRONG_KEY)
attacked("slot-salt-bit", "The salt was altered without the key.", 24, **WRONG_KEY)
attacked("slot-nonce-bit", "The nonce was altered without the key: the commitment holds, GCM refuses.", 56, **TAMPERED)
attacked("slot-commitment-bit", "The commitment was altered without the key.", 68, **WRONG_KEY)
attacked("slot-wrapped-bit", "The wrapped master key was altered without the key: the commitment holds, GCM refuses.", 100, **TAMPERED)
attacked("slot-wrapped-tag-bit", "The tag of the wrapped master key was altered without the key.", 147, **TAMPERED)
attacked("slot-label-bit", "The label was altered without the key: the tags of the page fail.", 180, **TAMPERED)

vector("slot-password-wrong", "The password is not this vault's.", "wrong-key", password="passwort", slot="password")(small)
vector("slot-password-not-utf-8", "The password is not UTF-8.", "invalid", password="pass\\xffword", slot="password")(small)
vector("slot-password-empty", "An empty password.", "invalid", password="", slot="password")(small)
vector("slot-none", "All slots are empty; the password opens nothing.", "wrong-key", password="password")(small)


@vector("slot-commitment-other", "The slot wraps the master key rightly, but carries the commitment of another secret.", **WRONG_KEY)
def commitment_other(vault):
    other = Vault("slot-commitment-other, the other", slot="password")
    vault.slots[0] = vault.slots[0][:68] + other.slots[0][68:100] + vault.slots[0][100:]
    small(vault)


@vector("slot-foreign", "The slot is that of another vault with the same password.", **WRONG_KEY)
def foreign(vault):
    small(vault)
    data = vault.file()
    other = Vault("slot-foreign, the other", slot="password")
    for page in (PAGE_A, PAGE_B, PAGE_K):
        write(data, page + 256, other.slots[0])
    fix_unkeyed(vault, data)
    return data


@vector("slot-master-key-other", "The slot wraps another master key rightly: the tags of the page fail.", **TAMPERED)
def master_key_other(vault):
    small(vault)
    data = vault.file()
    vault.master = bytes(32)
    slot = vault.slot("slot", 1, "password", 100000, "password")
    for page in (PAGE_A, PAGE_B, PAGE_K):
        write(data, page + 256, slot)
    fix_unkeyed(vault, data)
    return data


def iterations(name, comment, *counts, good=None):
    """Password slots with iteration counts that are never computed; `good` puts a right slot before them."""
    @vector(name, comment, **REFUSED)
    def make(vault):
        first = [vault.slot("good slot", 1, "pw", good, "password")] if good else []
        cheap = [vault.slot(f"slot {i}", 1, "pw", count, "password", cheap=True) for i, count in enumerate(counts)]
        vault.slots = (first + cheap + [bytes(256)] * 8)[:8]
        small(vault)


iterations("slot-iterations-below-floor", "99,999 iterations.", 99999)
iterations("slot-iterations-zero", "No iterations.", 0)
iterations("slot-iterations-above-ceiling", "10,000,001 iterations.", 10000001)
iterations("slot-iterations-sum", "Two password slots whose iterations are 10,000,001 together.", 5000000, 5000001)
iterations("slot-iterations-second", "The first slot would open; the second is below the floor.", 99999, good=100000)


# Slots behind right tags


def label(name, comment, layer, change):
    """A label that breaks a rule; the slot opens the vault all the same."""
    @vector("slot-label-" + name, comment, password="pw", verify="malformed")
    def make(vault):
        vault.hook(layer, change)
        vault.set_slot(0, vault.slot("slot 0", 1, "pw", 100000, "password"))
        small(vault)


label("gcm", "The label does not open, behind right tags.", "slot", flipped(180))
label("length", "A label of 56 bytes does not fit.", "label", put(8, b"\x38" + b"a" * 55))
label("not-utf-8", "The label is not UTF-8.", "label", put(9, b"\xff"))
label("behind", "A byte behind the label is not zero.", "label", put(63, b"\x01"))
label("created-limit", "The label was created at 2^63 microseconds.", "label", put(0, u64(2**63)))


def unsound(name, comment, change):
    """Slots that make all three pages unsound, whose tags and hashes are right; `change` takes and gives the list of slots."""
    @vector("slot-" + name, comment, "damaged", "damaged", password="pw")
    def make(vault):
        good = [vault.slot(f"slot {i}", 1, "pw", 100000, "password") for i in range(2)]
        vault.slots = change(good + [bytes(256)] * 6, vault)
        small(vault)


def device(vault):
    """A device slot with iterations."""
    return vault.slot("device", 4, b"\x55" * 32, 100000, "laptop")


unsound("empty-byte", "A slot of kind 0 with another byte that is not zero.", lambda slots, v: slots[:7] + [bytes(100) + b"\x01" + bytes(155)])
unsound("unused", "An unused byte of a password slot is not zero.", lambda slots, v: [slots[0][:245] + b"\x01" + bytes(10)] + slots[1:])
unsound("device-iterations", "A device slot with iterations.", lambda slots, v: slots[:7] + [device(v)])
unsound("ids-equal", "Two slots with one id.", lambda slots, v: [slots[0], slots[1][:8] + slots[0][8:24] + slots[1][24:]] + slots[2:])
