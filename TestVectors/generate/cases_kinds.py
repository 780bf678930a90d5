"""Vectors about secrets that are no passwords: keyfiles, recovery keys, device keys (keys.md, 2 and 6)."""

import hashlib

from attacker import fix_unkeyed, flip, put
from primitives import u32
from vectors import small, vector

KEYFILE = b"any bytes at all\n"
RECOVERY = bytes(range(3, 160, 8))
DEVICE = bytes(range(32))
LINES = ["0123456789ABCDEFGHJKMNPQRSTVWXYZ", "0123456789ABCDEFGHJKMNPQRSTVWXYZ*~$=U"]


def sheet(key):
    """The four lines of a recovery key."""
    lines = []
    for number in range(4):
        value = int.from_bytes(key[5 * number:5 * number + 5], "big")
        digits = "".join(LINES[0][value >> shift & 31] for shift in range(35, -1, -5))
        lines.append(f"{number + 1} {digits[:4]} {digits[4:]} {LINES[1][(5 * value + number) % 37]}")
    return lines


def escaped(lines):
    return "\\x0a".join(lines)


PAPER = escaped(sheet(RECOVERY))


def three(vault):
    """A slot for each of the three, and a password's before them."""
    vault.set_slot(0, vault.slot("slot 0", 1, "pw", 100000, "password"))
    vault.set_slot(1, vault.slot("slot 1", 2, "pw", 100000, "keyfile", extra=hashlib.sha256(KEYFILE).digest()))
    vault.set_slot(4, vault.slot("slot 4", 3, RECOVERY, 100000, "paper"))
    vault.set_slot(6, vault.slot("slot 6", 4, DEVICE, 0, "laptop"))
    small(vault)


def secret(name, comment, read="ok", password=None, **others):
    others = {key.replace("_", "-"): value for key, value in others.items()}
    vector("secret-" + name, comment, read, password=password, others=others, seed="secrets")(three)


secret("keyfile", "Opened with a password and a keyfile.", password="pw", keyfile=KEYFILE.hex())
secret("keyfile-other", "The keyfile has another byte.", "wrong-key", password="pw", keyfile=(KEYFILE[:-1] + b"!").hex())
secret("keyfile-password-wrong", "The keyfile is right, the password is not.", "wrong-key", password="wp", keyfile=KEYFILE.hex())
secret("keyfile-empty", "An empty keyfile.", "invalid", password="pw", keyfile="")
secret("recovery", "Opened with a recovery key.", recovery_key=PAPER)
secret("recovery-sheet", "The four lines among others, in another order, in small letters, with hyphens.",
       recovery_key=escaped(["10 lines of a sheet", *(f" {line[0]}. {line[2:].lower().replace(' ', '-')}" for line in sheet(RECOVERY)[::-1]), "the end"]))
secret("recovery-look-alikes", "O, I and L stand for 0, 1 and 1.", "ok",
       recovery_key=PAPER.replace("0", "O").replace("\\xOa", "\\x0a").replace("1", "l").replace("l ", "1 ", 1))
secret("recovery-other", "A recovery key that is none of this vault's.", "wrong-key", recovery_key=escaped(sheet(RECOVERY[::-1])))
secret("recovery-mistyped", "A wrong character in line 3.", "invalid",
       recovery_key=escaped([line if line[0] != "3" else line[:4] + ("Z" if line[4] != "Z" else "Y") + line[5:] for line in sheet(RECOVERY)]))
secret("recovery-swapped-lines", "Lines 1 and 2 stand for each other.", "invalid",
       recovery_key=escaped([f"{i}{sheet(RECOVERY)[j][1:]}" for i, j in ((1, 1), (2, 0), (3, 2), (4, 3))]))
secret("recovery-missing-line", "Line 4 is missing.", "invalid", recovery_key=escaped(sheet(RECOVERY)[:3]))
secret("recovery-short-line", "Line 2 has eight characters.", "invalid",
       recovery_key=escaped([line if line[0] != "2" else line[:-2] for line in sheet(RECOVERY)]))
secret("recovery-letter-u", "U stands among the eight characters of line 1.", "invalid",
       recovery_key=escaped(["1 U" + sheet(RECOVERY)[0][3:], *sheet(RECOVERY)[1:]]))


def odd_line(symbol, digit):
    """The sheet with a symbol that is none of base32 as the last but one of line 1; the check holds for it as if it were that digit."""
    first = sheet(RECOVERY)[0]
    front = first[2:6] + first[7:9]
    value = 0
    for number in [*map(LINES[0].index, front), digit, 0]:
        value = 32 * value + number
    return escaped([f"1 {front}{symbol}0 {LINES[1][5 * value % 37]}", *sheet(RECOVERY)[1:]])


secret("recovery-no-symbol", "A symbol of no alphabet in line 1; the check holds if it counts as -1.", "invalid", recovery_key=odd_line("!", -1))
secret("recovery-check-symbol", "A symbol among the eight of line 1 that only a check may be, number 32; the check holds.", "invalid",
       recovery_key=odd_line("*", 32))
secret("recovery-check-symbol-33", "A symbol among the eight of line 1 that only a check may be, number 33; the check holds.", "invalid",
       recovery_key=odd_line("~", 33))
secret("device", "Opened with a device key.", device_key=DEVICE.hex())


def odd_slot(name, comment, front, kind, key, **given):
    """A slot alone, with a byte set that its function does not use: not judged."""
    @vector("ok-secret-" + name, comment, password=given.pop("password", None),
            others={key.replace("_", "-"): value for key, value in given.items()}, slot=None)
    def make(vault):
        vault.hook("slot-front", front)
        vault.set_slot(0, vault.slot("slot 0", kind, key, 0 if kind == 4 else 100000, "odd"))
        small(vault)


odd_slot("device-iterations", "A device key's slot with iterations.", put(4, u32(1)), 4, DEVICE, device_key=DEVICE.hex())
odd_slot("pbkdf2-memory", "A slot of PBKDF2 with a memory cost.", put(2, b"\x0f"), 1, "pw", password="pw")
odd_slot("pbkdf2-lanes", "A slot of PBKDF2 with lanes.", put(3, b"\x01"), 1, "pw", password="pw")
secret("device-other", "Another device key.", "wrong-key", device_key=DEVICE[::-1].hex())


def attacked(name, comment, number, at, read, **given):
    """A bit of a slot altered on all pages, and everything made consistent that needs no key."""
    @vector("secret-" + name, comment, read, password=given.pop("password", None),
            others={key.replace("_", "-"): value for key, value in given.items()}, seed="secrets")
    def make(vault):
        three(vault)
        data = vault.file()
        for page in vault.places():
            flip(data, page + 256 + 256 * number + at, 0)
        fix_unkeyed(vault, data)
        return data


attacked("recovery-wrapped", "The wrapped key of the recovery slot was altered.", 4, 100, "tampered", recovery_key=PAPER)
attacked("device-wrapped", "The wrapped key of the device slot was altered.", 6, 147, "tampered", device_key=DEVICE.hex())
attacked("keyfile-commitment", "The commitment of the keyfile's slot was altered.", 1, 68, "wrong-key", password="pw", keyfile=KEYFILE.hex())
attacked("recovery-iterations", "The iterations of the recovery slot were lowered.", 4, 5, "refused", recovery_key=PAPER)
