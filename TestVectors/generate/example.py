"""Spec/example.md: one small vault with every intermediate value."""

import cbor
from encoder import Vault
from layout import FOLDER, SYMLINK, Put, hint, tree_id
from primitives import align, hkdf, padme, pbkdf2, sha256, u64
from vectors import rows, vector

PASSWORD = "correct horse battery staple"
LONGEST = 1024

INTRODUCTION = """# One vault in full

This page opens one small vault, step by step, with every value that stands between the password and the bytes. It is generated (TestVectors/README.md); the
vault is also the vector `TestVectors/ok-example.vector`.

**The vault.** Password `correct horse battery staple`, one password slot with 100,000 iterations, label `password`. Commit 1, at
2026-01-02T03:04:05Z, stores the folder `docs`, the file `docs/hello.txt` (`Hello, vault!` and a line feed) and the symlink `latest` to
`docs/hello.txt`. Commit 2, one minute later, replaces `docs/hello.txt` (`Hello again, vault!` and a line feed).

**How to read it.** A line `name = hex` in a fenced block is one value; everything else is for people. `… info` is HKDF's info (keys.md, 1), `… aad` the additional data of GCM,
`… plaintext` what is sealed, `… sealed` ciphertext and tag, `record K` the K-th stored record of its commit, counted from 0. A value longer than 1,024 bytes is given by its
SHA-256, as `… whole sha-256`; its bytes are in the file, at the end.
"""


def fill(vault):
    """The two commits of the example."""
    docs = Put("docs", kind=FOLDER)

    def hello(content):
        return Put("hello.txt", content, parent=docs.id, entry={14: hint(content)})
    vault.commit(docs, hello(b"Hello, vault!\n"), Put("latest", b"docs/hello.txt", kind=SYMLINK))
    vault.commit(hello(b"Hello again, vault!\n"))


vector("ok-example", "The vault of Spec/example.md.", password=PASSWORD, slot=PASSWORD)(fill)


def line(name, value):
    if len(value) > LONGEST:
        return f"{name} whole sha-256 = {sha256(value).hex()}"
    return f"{name} = {value.hex()}"


def block(values):
    return "```\n" + "\n".join(line(name, value) for name, value in values) + "\n```\n"


def chosen(vault, *prefixes):
    return block([(name, value) for name, value in vault.notes if name.startswith(prefixes)])


def diagnostic(value):
    return "```\n" + cbor.diagnostic(value) + "\n```\n"


def ids():
    """How the ids of the three records come about."""
    docs = tree_id(None, "docs")
    values = []
    for name, parent, title in (("docs", None, "docs"), ("docs hello.txt", docs, "hello.txt"), ("latest", None, "latest")):
        values.append((f"id {name} input", b"quickvault/1/name\x00" + (parent or bytes(16)) + title.encode()))
        values.append((f"id {name}", tree_id(parent, title)))
    return values


def length_of_payload(commit):
    """From the length of the content to P (container.md, 3.4)."""
    exponent = commit.length.bit_length() - 1
    low = exponent - exponent.bit_length()
    name = f"commit {commit.number} "
    prose = (f"L = {commit.length:,}: E = {exponent}, s = {exponent.bit_length()}, the low {low} bits are cleared: padme(L) = {padme(commit.length):,}, "
             f"hence P = {align(padme(commit.length), 4096):,} (`u64` below).\n\n")
    return prose + block([(name + "length", u64(commit.length)), (name + "padme", u64(padme(commit.length))),
                          (name + "payload length", u64(len(commit.payload)))])


def places(commit):
    """Offsets of the parts of a commit, for people."""
    spots = [("payload area", commit.start, len(commit.payload))]
    spots += [(f"record {i}", at, len(data)) for i, (at, data) in enumerate(commit.stored)]
    spots += [("segment", commit.segment, sum(map(len, commit.segment_parts))), ("commit record", commit.record_at, 1024),
              ("check table", commit.record_at + 1024, len(commit.table)), ("copy of the head, padding", commit.rest_at, len(commit.rest)),
              ("end", commit.end, 0)]
    table = "".join(f"| {name} | {at:,} | {length:,} |\n" for name, at, length in spots)
    return "| what | offset | length |\n|---|---|---|\n" + table


def sealed_segment(vault, commit):
    """A segment, first as it stands in the file and then in words."""
    out = chosen(vault, f"commit {commit.number} segment ") + "\nThe head:\n\n" + diagnostic(commit.tree["head"])
    for part in ("live", "past", "lines"):
        if commit.tree[part]:
            out += f"\nThe {part} chunk:\n\n" + diagnostic(commit.tree[part])
    return out


def commit_record(vault, commit):
    name = f"commit {commit.number} "
    words = ("salt", "previous", "slot hash", "private", "audit tag", "owner tag", "core", "commit record")
    return chosen(vault, *[name + word for word in words]) + "\n" + block([(name + "commit record", commit.record)])


def payload(vault, commit):
    """Check table and padding."""
    name = f"commit {commit.number} "
    return (chosen(vault, name + "check", name + "block", name + "rest") + "\n" + length_of_payload(commit) + "\n"
            + chosen(vault, name + "padding", name + "payload"))


def of_pages(vault, *suffixes):
    """Values of pages A and B with these names, or whole pages for an empty one."""
    values = [(name, value) for name, value in vault.notes if name.startswith("page ") and name[6:].strip() in suffixes]
    return block(sorted(values, key=lambda pair: pair[0][:6]))


KEYFILE = b"a file that only I have\n"
RECOVERY_KEY = bytes(range(20))


def sheet(key):
    """The four lines of a recovery key (keys.md, 6)."""
    symbols = "0123456789ABCDEFGHJKMNPQRSTVWXYZ*~$=U"
    lines = []
    for line in range(4):
        value = int.from_bytes(key[5 * line:5 * line + 5], "big")
        text = "".join(symbols[value >> 35 - 5 * i & 31] for i in range(8))
        lines.append(f"{line + 1} {text[:4]} {text[4:]} {symbols[(5 * value + line) % 37]}")
    return lines


def other_secrets(vault):
    """The keys that other kinds of secrets give at the same slot (keys.md, 2)."""
    notes = dict(vault.notes)
    salt, slot_id = notes["draw slot 0 salt"], notes["draw slot 0 id"]
    hashed = pbkdf2(RECOVERY_KEY, salt, 100000)
    inputs = (("kind 2", 2, notes["slot 0 p"] + sha256(KEYFILE)), ("kind 3", 3, hashed), ("kind 4", 4, RECOVERY_KEY + bytes(12)))
    values = [("keyfile", KEYFILE), ("keyfile sha-256", sha256(KEYFILE)), ("recovery key", RECOVERY_KEY)]
    for name, kind, ikm in inputs:
        info = b"quickvault/1/slot\x00" + vault.vault_id + slot_id + bytes([kind]) + vault.epoch
        values += [(name + " ikm", ikm), (name + " wrap key and commitment", hkdf(ikm, salt, info, 64))]
    return block(values)


ROOTS = ("record root", "manifest root", "owner tag key", "slot-label key", "witness key", "salt key", "audit root", "audit tag key", "header key")


def opening(vault, newest):
    """From the file to the content of docs/hello.txt."""
    return [
        "## 1. Choose the page (reader.md, 2; container.md, 2)\n",
        "Page A was written with commit 1 and page B with commit 2; page T, behind the log end, is the same as page B. All are sound: the SHA-256 of the bytes before it "
        "stands in the last 32 bytes of each. Page B has the higher sequence and is taken.\n",
        of_pages(vault, "header", "sha-256", ""),
        "## 2. From the password to the master key (reader.md, 3; keys.md, 2; container.md, 2.3)\n",
        "`slot 0 p` is the P of keys.md. The commitment equals that of the slot, so the wrapped master key is opened; it is `draw master key` (section 9). The salt, the "
        "id and the nonces are the draws of section 9.\n",
        chosen(vault, "slot 0"),
        "A slot of another kind goes the same way from its own secret. With the salt and id of this slot, and the same password, a keyfile, a recovery key (its sheet: "
        + ", ".join(f"`{line}`" for line in sheet(RECOVERY_KEY)) + ") and a device key would give:\n",
        other_secrets(vault),
        "## 3. Keys from the master key, and the tags of the pages (keys.md, 3)\n", chosen(vault, *ROOTS),
        "The tags cover the first 4,000 bytes: header, slots, record copy and unused bytes.\n", of_pages(vault, "audit tag", "owner tag"),
        "## 4. The newest commit record (container.md, 3.2)\n", "Page B holds a copy of it. Its private part leads to the manifest.\n",
        places(newest), commit_record(vault, newest),
        "## 5. The manifest (reader.md, 4; container.md, 3.5)\n",
        "The segment of commit 2 took in that of commit 1 (store.md, 5), so it links to none.\n", sealed_segment(vault, newest),
        "## 6. Read docs/hello.txt (reader.md, 5; container.md, 3.6; entries.cddl)\n",
        "The path gives the id, the live entry of that id gives place, salt and length of the stored record.\n", block(ids()),
        chosen(vault, "commit 2 record ")]


def verifying(vault, newest, first):
    """The other parts that verify checks."""
    return [
        "## 7. Verify commit 2 (reader.md, 7 and 8; container.md, 3.3 and 3.4)\n", payload(vault, newest),
        "## 8. Walk back to commit 1\n", "The copy of the previous core in the newest record is the core of commit 1.\n", places(first),
        "### Commit record\n", commit_record(vault, first),
        "### Manifest segment\n", "Everything in it is in the segment of commit 2, too; the old version of `docs/hello.txt` as a past entry.\n",
        sealed_segment(vault, first), "### Stored records\n", chosen(vault, "commit 1 record "),
        "### Check table and padding\n", payload(vault, first)]


def text():
    """The whole page."""
    vault = Vault("ok-example", slot=PASSWORD)
    fill(vault)
    data, (first, newest) = vault.file(), vault.commits
    return "\n".join([
        INTRODUCTION, *opening(vault, newest), *verifying(vault, newest, first),
        "## 9. Random draws, in order\n",
        "What the writer drew. Here they come from a fixed stream instead of a random source: never use them for anything else.\n",
        chosen(vault, "draw "),
        f"## 10. The file: {len(data):,} bytes\n", "Rows of 64 bytes, each behind its offset; rows of zeros are left out. All numbers are hexadecimal.\n",
        "```\n" + "\n".join(rows(data)) + "\n```\n"])
