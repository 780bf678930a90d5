"""Spec/example.md: one small vault with every intermediate value."""

import cbor
from encoder import Vault
from layout import FOLDER, SYMLINK, Put, tree_id
from primitives import align, padme, sha256, u64
from vectors import rows, vector

PASSWORD = "correct horse battery staple"
LONGEST = 1024

INTRODUCTION = """# One vault in full

Every value that stands between a password and the bytes of one small vault, in the order in which a writer makes them. This page is
generated (TestVectors/README.md); the vault is also the vector `TestVectors/ok-example.vector`.

**The vault.** Password `correct horse battery staple`, one password slot with 100,000 iterations, label `password`. Commit 1, at
2026-01-02T03:04:05Z, stores the folder `docs`, the file `docs/hello.txt` (`Hello, vault!` and a line feed) and the symlink `latest` to
`docs/hello.txt`. Commit 2, one minute later, replaces `docs/hello.txt` (`Hello again, vault!` and a line feed). Its segment takes in that of commit 1 (store.md, 5).

**How to read it.** A line `name = hex` in a fenced block is one value; a line that begins with a bare hexadecimal offset is a row of the file; everything else is for people.
`… info` is HKDF's info (keys.md, 1), `slot 0 p` the P of keys.md, 2, `… aad` the additional data of GCM, `… plaintext` what is sealed, `… sealed` ciphertext and tag, `record K` the
K-th stored record of its commit, counted from 0. A value longer than 1,024 bytes is given by its SHA-256, as `… whole sha-256`: its bytes are in the file at the end. The nonce
of the slot's label and of its master key are among the draws. The draws
are those of a fixed stream instead of a random source: never use them for anything else.
"""


def fill(vault):
    """The two commits of the example."""
    docs = Put("docs", kind=FOLDER)
    vault.commit(docs, Put("hello.txt", b"Hello, vault!\n", parent=docs.id), Put("latest", b"docs/hello.txt", kind=SYMLINK))
    vault.commit(Put("hello.txt", b"Hello again, vault!\n", parent=docs.id))


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
              ("check table", commit.record_at + 1024, len(commit.table)), ("end", commit.end, 0)]
    table = "".join(f"| {name} | {at:,} | {length:,} |\n" for name, at, length in spots)
    return "| what | offset | length |\n|---|---|---|\n" + table


def commit_section(vault, commit):
    name = f"commit {commit.number} "
    out = f"## Commit {commit.number}\n\n{places(commit)}\n### Stored records (container.md, 3.6)\n\n"
    out += chosen(vault, name + "record ")
    out += "\n### Manifest segment (container.md, 3.5)\n\n" + chosen(vault, name + "segment ")
    for part in ("live", "past", "lines"):
        if commit.tree[part]:
            out += f"\nThe {part} chunk:\n\n" + diagnostic(commit.tree[part])
    out += "\nThe head:\n\n" + diagnostic(commit.tree["head"])
    out += "\n### Payload area (container.md, 3.4)\n\n" + length_of_payload(commit) + "\n" + chosen(vault, name + "padding", name + "payload")
    out += "\n### Check table (container.md, 3.3)\n\n" + chosen(vault, name + "check", name + "audit block", name + "block")
    rest = ("slot hash", "private", "audit tag", "owner tag", "core")
    out += "\n### Commit record (container.md, 3.2)\n\n" + chosen(vault, *[name + word for word in rest])
    return out + "\n" + block([(name + "commit record", commit.record)]) + "\n"


def text():
    """The whole page."""
    vault = Vault("ok-example", slot=PASSWORD)
    fill(vault)
    data = vault.file()
    roots = ("record root", "manifest root", "owner tag key", "slot-label key", "witness key", "audit root", "audit tag key", "header key")
    pages = ("Page A is that of commit 1, page B that of commit 2, page K unchanged since commit 1. The tags cover header, slots and record copy, the SHA-256 all bytes before it "
             "(container.md, 2.1 and 2.3); `page …` is the whole page.\n\n")
    return "\n".join([
        INTRODUCTION,
        "## Random draws, in order\n", chosen(vault, "draw "),
        "## Keys from the master key (keys.md, 3)\n", chosen(vault, *roots),
        "## The password slot (keys.md, 2; container.md, 2.4)\n", chosen(vault, "slot 0"),
        "## Ids (records.cddl)\n", block(ids()),
        commit_section(vault, vault.commits[0]), commit_section(vault, vault.commits[1]),
        "## Pages (container.md, 2)\n", pages + chosen(vault, "page "),
        f"## The file: {len(data):,} bytes\n", "Rows of 64 bytes; rows of zeros are left out.\n", "```\n" + "\n".join(rows(data)) + "\n```\n"])
