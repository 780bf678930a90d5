"""Vectors about checks with an audit key (Spec/reader.md, 8.4)."""

from attacker import fix_page_hash, fix_unkeyed, flip, flipped, put, write
from primitives import hmac, sha256, u64
from vectors import audited, small, three, vector

DAMAGED = dict(keyless="damaged", verify="damaged")
TAMPERED = dict(read="tampered")


def audit(name, comment, outcome, make=small, text=lambda text: text, **classes):
    vector("audit-" + name, comment, more=audited(outcome, text), **classes)(make)


def audit_hooked(name, comment, outcome, layer, change, **classes):
    def make(vault):
        vault.hook(layer, change)
        small(vault)
    audit(name, comment, outcome, make, **classes)


def altered(change):
    """The file of the audit key with another body and a right check."""
    def make(text):
        body = change(text[:text.index("check ")])
        return f"{body}check {sha256(body.encode())[:8].hex()}\n"
    return make


def digit_of(line):
    """Alters the first digit of a line."""
    def change(body):
        at = body.index(f"\n{line} ") + len(line) + 2
        return body[:at] + ("1" if body[at] == "0" else "0") + body[at + 1:]
    return altered(change)


# The file of the key

audit("ok", "A sound vault and its audit key.", "ok", three)
audit("file-no-newline", "The last newline of the audit key file is missing.", "ok", text=str.rstrip)
audit("file-check", "The check of the audit key file is wrong.", "invalid", text=lambda text: text[:-2] + "x\n")
audit("file-digit", "A digit of the key was altered, and the check was not.", "invalid",
      text=lambda text: text.replace("key a", "key b") if "key a" in text else text.replace("\nkey ", "\nkey a")[:-2] + "\n")
audit("file-check-digit", "A digit of the check of the audit key file is wrong.", "invalid",
      text=lambda text: text[:-2] + ("1" if text[-2] == "0" else "0") + "\n")
audit("file-upper-case", "The digits of the audit key file are in upper case.", "invalid",
      text=altered(lambda body: "\n".join(line[:6] + line[6:].upper() if line[:5] == "vault" else line for line in body.split("\n"))))
audit("file-crlf", "The lines of the audit key file end in CRLF.", "invalid", text=lambda text: text.replace("\n", "\r\n"))
audit("file-extra", "An empty line follows in the audit key file.", "invalid", text=lambda text: text + "\n")
audit("file-empty", "The audit key file is empty.", "invalid", text=lambda text: "")
audit("file-version-2", "The audit key file is of version 2.", "invalid", text=altered(lambda body: body.replace("key 1", "key 2", 1)))
audit("other-vault", "The audit key is of another vault.", "wrong-key", text=digit_of("vault"))
audit("other-epoch", "The audit key is of another epoch.", "wrong-key", text=digit_of("epoch"))
audit("other-key", "Vault id and epoch are right, the key is another.", "tampered", text=digit_of("key"))

# The vault

@vector("audit-not-a-vault", "A file that is no vault.", "not-a-vault", "not-a-vault", more=audited("not-a-vault"))
def not_a_vault(vault):
    small(vault)
    return bytearray(b"This is a text.\n" * 16)


@vector("audit-damaged", "One bit of the first commit's payload is wrong.", **DAMAGED, more=audited("damaged"))
def damaged(vault):
    three(vault)
    data = vault.file()
    flip(data, vault.commits[0].start + 300)
    return data


@vector("audit-attacker", "One bit of a payload is wrong, and every hash was made right without a key.", **TAMPERED,
        more=audited("tampered"))
def attacker(vault):
    commit = small(vault)
    data = vault.file()
    flip(data, commit.start + 300)
    fix_unkeyed(vault, data)
    return data


@vector("audit-page-tag", "One bit of the audit tag of all pages is wrong, their SHA-256 are right.", **TAMPERED, more=audited("tampered"))
def page_tag(vault):
    small(vault)
    data = vault.file()
    for at in vault.places():
        flip(data, at + 4000)
        fix_page_hash(data, at)
    return data


@vector("audit-older-page", "One bit of the owner tag of the older page is wrong, its SHA-256 is right: its audit tag covers that.",
        verify="tampered", more=audited("tampered"))
def older_page(vault):
    three(vault)
    data = vault.file()
    at = vault.places()[1]
    flip(data, at + 4032)
    fix_page_hash(data, at)
    return data


audit_hooked("core-tag", "The audit tag of the core is wrong.", "tampered", "core-tags", flipped(0), **TAMPERED)
audit_hooked("sequence", "The sequence of the header is not that of the commit record, behind right tags.", "damaged", "page",
             put(64, u64(9)), read="malformed", keyless="damaged")


@vector("audit-forged", "Somebody with the audit key altered the owner tag of all pages: only the password tells.", **TAMPERED,
        more=audited("ok"))
def forged(vault):
    small(vault)
    data = vault.file()
    for at in vault.places():
        flip(data, at + 4032)
        write(data, at + 4000, hmac(vault.audit_key, bytes(data[at:at + 4000] + data[at + 4032:at + 4064])))
        fix_page_hash(data, at)
    return data
