"""Vectors of recipients: slots that an identity opens (Spec/keys.md, 2 and 8)."""

import re

from attacker import flipped
from primitives import sha256, x25519_public
from vectors import small, vector

SECRET = bytes(range(32))
OTHER = bytes(range(1, 33))


def text(secret=SECRET, public=None):
    """The file of an identity, as it stands in a vector."""
    public = public or x25519_public(secret)
    check = sha256(b"quickvault/1/recipient\0" + public)[:4]
    lines = f"QuickVault identity 1\nrecipient qvr1{public.hex()}{check.hex()}\nsecret {secret.hex()}\n"
    return re.sub(r"[^ -\[\]-~]", lambda it: f"\\x{ord(it[0]):02x}", lines)


def identity(name, comment, read="ok", file=None, label="friend", ephemeral=None, hook=None, slot=None, **classes):
    """A vault with a slot for a recipient behind one of a password."""
    @vector("secret-identity" + name, comment, read, others={"identity": file or text()}, **classes)
    def make(vault):
        if hook:
            vault.hook(*hook)
        made = vault.recipient_slot("recipient", x25519_public(SECRET), label, ephemeral)
        vault.slots = [vault.slot("slot 0", 1, "password", 100000, "password", cheap=True), slot(made) if slot else made] + vault.slots[2:]
        small(vault)


identity("", "A recipient's slot is opened with the identity.")
identity("-no-newline", "The last newline of the identity is missing.", file=text().removesuffix("\\x0a"))
identity("-other", "The identity is another one.", "wrong-key", text(OTHER))
identity("-recipient", "The recipient in the file of the identity is another one.", "invalid", text(SECRET, x25519_public(OTHER)))
identity("-mistyped", "A digit of the secret key is another one.", "invalid", text().replace("secret 000102", "secret 000103"))
identity("-capitals", "The digits of the identity are capitals.", "invalid", text().replace("1a1b1c1d1e1f", "1A1B1C1D1E1F"))
identity("-check", "A digit of the recipient's check is another one.", "invalid",
         re.sub(r"(.)(\\x0asecret)", lambda it: ("1" if it[1] == "0" else "0") + it[2], text()))
identity("-none", "There is no slot of a recipient.", "wrong-key", slot=lambda made: bytes(256))
identity("-low-order", "The public key that was made for the slot is of low order.", "malformed", ephemeral=bytes([1]) + bytes(31))
identity("-zero", "The public key that was made for the slot is zero.", "malformed", ephemeral=bytes(32))
identity("-salt", "A bit of the public key that was made for the slot is another one.", "wrong-key", slot=flipped(30))
identity("-wrapped", "A bit of the wrapped master key is another one.", "tampered", slot=flipped(110))
identity("-label-23", "A label of 23 bytes, the longest.", label="x" * 23)
identity("-label-24", "A label of 24 bytes, longer than a recipient's may be.", "ok", verify="malformed", 
         hook=("label", lambda plain: plain[:8] + bytes([24]) + b"x" * 24 + plain[33:]))
identity("-iterations", "A slot of a recipient with iterations: reserved, and not judged.", "unsupported", slot=lambda made: made[:1] + b"\x01" + made[2:])
