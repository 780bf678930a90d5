"""Vectors about key slots and secrets."""

from attacker import fix_unkeyed, flip, flipped, put, write
from encoder import Vault
from primitives import u64
from vectors import small, vector

WRONG_KEY = dict(read="wrong-key", password="password", slot="password")
TAMPERED = dict(read="tampered", password="password", slot="password")
REFUSED = dict(read="refused", password="pw")
NEWER = dict(read="unsupported", password="password", slot="password")
ARGON2 = dict(read="wrong-key", password="password", argon2=(16, 3, 1))


def attacked(name, comment, at, bit=0, argon2=None, **classes):
    """A bit of slot 0 altered on all pages, and everything made consistent that needs no key."""
    @vector(name, comment, **classes)
    def make(vault):
        if argon2:
            vault.set_slot(0, vault.slot("slot 0", 1, "password", 0, "password", argon2=argon2))
        small(vault)
        data = vault.file()
        for page in vault.places():
            flip(data, page + 256 + at, bit)
        fix_unkeyed(vault, data)
        return data


attacked("slot-kind", "The password slot was turned into a slot of an unknown kind without the key.", 0, 3, **NEWER)
attacked("slot-kind-keyfile", "The password slot was turned into one of a password and a keyfile without the key.", 0, 1, password="password",
         read="wrong-key", slot="password", others={"keyfile": "6b"})
attacked("slot-kdf", "The password slot was turned into one of an unknown function without the key.", 1, 3, **NEWER)
attacked("slot-memory", "The memory of an Argon2id slot was altered without the key, within the limits.", 2, 0, **ARGON2)
attacked("slot-lanes", "The lanes of an Argon2id slot were altered without the key, within the limits.", 3, 1, **ARGON2)
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
vector("slot-password-nul", "U+0000 in a password: HMAC would not tell it from the same password without it.", "invalid",
       password="password\\x00", slot="password")(small)
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
    for page in vault.places():
        write(data, page + 256, other.slots[0])
    fix_unkeyed(vault, data)
    return data


@vector("slot-master-key-other", "The slot wraps another master key rightly: the tags of the page fail.", **TAMPERED)
def master_key_other(vault):
    small(vault)
    data = vault.file()
    vault.master = bytes(32)
    slot = vault.slot("slot", 1, "password", 100000, "password")
    for page in vault.places():
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


@vector("ok-slot-iterations-sum", "Three password slots whose iterations are 10,000,000 together; the first opens.", password="pw")
def iterations_sum(vault):
    good = vault.slot("good slot", 1, "pw", 100000, "password")
    others = [vault.slot(f"slot {i}", 1, "pw", 4950000, "password", cheap=True) for i in range(2)]
    vault.slots = [good, *others] + vault.slots[3:]
    small(vault)


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
label("created-limit", "The label was created at 2^63 microseconds.", "label", put(0, u64(2**63)))


@vector("ok-slot-label-55", "A label of 55 bytes, the longest.", password="pw")
def label_longest(vault):
    vault.set_slot(0, vault.slot("slot 0", 1, "pw", 100000, "L" * 55))
    small(vault)


# Slots that a newer program made: skipped, and the vault is sound


def newer(name, comment, change, read="ok", verify=None):
    """Two slots of one password; `change` takes and gives the list of slots."""
    @vector("slot-" + name, comment, read, verify=verify, password="pw")
    def make(vault):
        good = [vault.slot(f"slot {i}", 1, "pw", 100000, "password") for i in range(2)]
        vault.slots = change(good + [bytes(256)] * 6, vault)
        small(vault)


def with_bytes(at, new):
    """The first slot with other bytes at an offset; the second opens."""
    return lambda slots, vault: [slots[0][:at] + new + slots[0][at + len(new):]] + slots[1:]


def device(vault):
    """A device slot with iterations."""
    return vault.slot("device", 4, b"\x55" * 32, 100000, "laptop")


newer("newer-kdf", "A slot whose function is not known; another one opens.", with_bytes(1, b"\x03"))
newer("newer-kdf-none", "A password slot without a function; another one opens.", with_bytes(1, bytes(1)))
newer("reserved", "A slot with a reserved byte that is not zero: not judged.", with_bytes(245, b"\x01"))
newer("newer-empty", "A slot of kind 0 with another byte that is not zero.", lambda slots, v: slots[:7] + [bytes(100) + b"\x01" + bytes(155)])
newer("device-iterations", "A device slot with iterations: not judged.", lambda slots, v: slots[:7] + [device(v)])
newer("ids-equal", "The second slot has the id of the first: its label does not open.",
      lambda slots, v: [slots[0], slots[1][:8] + slots[0][8:24] + slots[1][24:]] + slots[2:], verify="malformed")
newer("newer-alone", "All slots were made by a newer program: nobody can say that the password is wrong.",
      lambda slots, v: [slot[:1] + b"\x03" + slot[2:] for slot in slots[:2]] + slots[2:], "unsupported")


@vector("slot-newer-wrong", "A wrong password beside a slot of an unknown kind: one of its own kind was tried.", "wrong-key",
        password="wrong", slot="password")
def newer_wrong(vault):
    vault.set_slot(3, bytes([200]) + b"\x66" * 255)
    small(vault)


# Argon2id


def argon2(name, comment, *costs, read="refused"):
    """Password slots of Argon2id, none of which is computed where the vector is refused."""
    @vector("slot-argon2-" + name, comment, read, password="pw")
    def make(vault):
        made = [vault.slot(f"slot {i}", 1, "pw", 0, "password", argon2=cost, cheap=read == "refused") for i, cost in enumerate(costs)]
        vault.slots = made + vault.slots[len(made):]
        small(vault)


argon2("least", "Argon2id with 32 MiB, three passes and one lane, the least memory.", (15, 3, 1), read="ok")
argon2("one-pass", "Argon2id with 128 MiB, one pass and four lanes.", (17, 1, 4), read="ok")
argon2("below-floor", "Argon2id with 64 MiB and one pass: memory times passes is below the floor.", (16, 1, 1))
argon2("memory-small", "Argon2id with 16 MiB, below the floor, and very many passes.", (14, 100, 1))
argon2("memory-large", "Argon2id with 1 TiB.", (30, 1, 1))
argon2("memory-overflow", "Argon2id with memory of 2^255 KiB.", (255, 3, 1))
argon2("memory-consent", "Argon2id with 2 GiB, which needs consent.", (21, 1, 4))
argon2("passes-none", "Argon2id without a pass.", (18, 0, 1))
argon2("passes-most", "Argon2id with 2^32 - 1 passes.", (15, 2**32 - 1, 1))
argon2("lanes-none", "Argon2id without a lane.", (16, 3, 0))
argon2("lanes-many", "Argon2id with 65 lanes.", (16, 3, 65))
argon2("sum", "Two Argon2id slots that need consent together.", (20, 9, 1), (20, 8, 1))
argon2("second", "The first slot would open; the second has no lane.", (15, 3, 1), (15, 3, 0))


@vector("slot-argon2-sum-largest", "A PBKDF2 slot, which opens, and Argon2id slots that cost 16 GiB of passes together, one with 64 lanes.", password="pw")
def argon2_sum(vault):
    good = vault.slot("slot 0", 1, "pw", 100000, "password")
    costly = [vault.slot(f"slot {i}", 1, "pw", 0, "password", argon2=cost, cheap=True) for i, cost in ((1, (20, 8, 64)), (2, (20, 8, 1)))]
    vault.slots = [good, *costly] + vault.slots[3:]
    small(vault)


# A slot is bound to its epoch


@vector("slot-epoch-raised", "A former member of the vault signs an old copy again as a later epoch, and leaves the owner's slot as it was.",
        "wrong-key", password="owner", slot="owner")
def epoch_raised(vault):
    vault.epoch = u64(3) + vault.epoch[8:]
    small(vault)


@vector("slot-epoch-random", "As slot-epoch-raised, with the counter as it was and other random bytes.", "wrong-key", password="owner", slot="owner")
def epoch_random(vault):
    vault.epoch = vault.epoch[:8] + bytes(8)
    small(vault)
