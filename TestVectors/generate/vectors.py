"""A vector and its text form (Spec/reader.md, 9)."""

import re
from dataclasses import dataclass, field

from encoder import Vault
from layout import FOLDER, SYMLINK, Put
from primitives import sha256, u32, u64

ALL = {}


@dataclass
class Vector:
    name: str
    comment: str
    read: str
    keyless: str
    verify: str
    password: str  # as it stands in the vector; None: open with the master key
    vault: dict
    seed: str
    others: dict  # secrets but the password, as they stand in the vector
    more: dict  # further outcomes; a function of the vault gives those that depend on its content
    make: object = field(default=None)

    def text(self):
        """The vector's file."""
        vault = Vault(self.seed or self.name, **self.vault)
        vault.gives = None
        made = self.make(vault)
        data = made if isinstance(made, bytearray) else vault.file()
        gives = vault.gives
        if gives is None:
            gives = vault.released() if self.read == "ok" else b""
        secrets = [f"{key}: {value}" for key, value in self.others.items()]
        if self.password is not None:
            secrets.insert(0, f"password: {self.password}")
        secrets = secrets or [f"master-key: {vault.master.hex()}"]
        more = [f"{key}: {value(vault) if callable(value) else value}" for key, value in self.more.items()]
        lines = [f"comment: {self.comment}", f"size: {len(data)}", *secrets, f"read: {self.read}",
                 f"released: {sha256(gives).hex()}", f"keyless: {self.keyless}", f"verify: {self.verify}", *more, ""]
        return "\n".join(lines + rows(data)) + "\n"


def rows(data):
    """Sparse rows of 64 bytes; rows of zeros are left out."""
    out = []
    for at in range(0, len(data), 64):
        row = bytes(data[at:at + 64])
        if any(row):
            out.append(f"{at:x} {row.hex()}")
    return out


def vector(name, comment, read="ok", keyless="ok", verify=None, password=None, seed=None, others=None, more=None, **vault):
    """Declare a vector: the function below fills the vault and returns the file, or nothing when it is the vault's own."""
    def declare(make):
        assert name not in ALL, name
        ALL[name] = Vector(name, comment, read, keyless, verify or read, password, vault, seed, others or {},
                           more or {}, make)
        return make
    return declare


# Further outcomes

def audited(outcome, text=lambda text: text):
    """The outcome of a check with the vault's audit key, or with the file that `text` makes of it (keys.md, 7)."""
    def file(vault):
        lines = f"QuickVault audit key 1\nvault {vault.vault_id.hex()}\nepoch {vault.epoch.hex()}\nkey {vault.audit_root.hex()}\n"
        lines = text(lines + f"check {sha256(lines.encode())[:8].hex()}\n")
        return re.sub(r"[^ -\[\]-~]", lambda it: f"\\x{ord(it[0]):02x}", lines)
    return {"audit-key": file, "audited": outcome}


def at(number, shown=None):
    """The content after a save, as `vault.states` has it by number; or `shown`."""
    return {"at": number, "shown": shown or (lambda vault: sha256(vault.states[number]).hex())}


def unpacked(outcome, *made):
    """The outcome of an extraction, and the records that it writes."""
    ids = {put.id: put for put in made}

    def path(put):
        title = put.title if isinstance(put.title, bytes) else put.title.encode()
        return path(ids[put.parent]) + b"/" + title if put.parent else title

    def item(path, put):
        file = b"x" if put.overview and put.overview.get("exec") else b"f"
        letter = {FOLDER: b"d", SYMLINK: b"l"}.get(put.kind, file)
        return letter + u32(len(path)) + path + u64(len(put.content)) + put.content
    paths = sorted((path(put), put) for put in made)
    return {"unpack": outcome, "unpacked": sha256(b"".join(item(*pair) for pair in paths)).hex()}


# Contents that many vectors share

def small(vault):
    """One commit with one small file."""
    return vault.commit(Put("hello.txt", b"Hello, vault!\n"))


def two(vault):
    """Two commits: a file, and another one. The second is on page B, the first on page A."""
    return small(vault), vault.commit(Put("second.txt", b"The second file.\n"))


def three(vault):
    """Three commits: pages A and B hold the third and the second, so the first is in the log alone."""
    two(vault)
    return vault.commit(Put("third.txt", b"The third file.\n"))


def tree(vault):
    """A folder with files, an empty folder, a symlink."""
    docs = Put("docs", kind=FOLDER)
    return vault.commit(docs, Put("empty", kind=FOLDER), Put("hello.txt", b"Hello, vault!\n", parent=docs.id),
                        Put("latest", b"docs/hello.txt", kind=SYMLINK))


def content(length):
    """Content of a length, none of it repeated at the chunk boundaries."""
    return (b"".join(i.to_bytes(4, "big") for i in range(length // 4 + 1)))[:length]


def released_before(vault, stop):
    """The bytes handed out of the records whose ids stand before one that fails."""
    return b"".join(vault.contents[i] for i in sorted(vault.contents) if i < stop)
