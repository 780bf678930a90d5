"""Places and constants of the file, and what a commit is made of (Spec/container.md, entries.cddl)."""

from dataclasses import dataclass, field

from primitives import align, sha256, u64

PAGE_A, PAGE_B, LOG = 0, 65536, 131072
PAGE_T = -1  # it stands at the log end
PAGE_MAGIC, COMMIT_MAGIC = b"\x89QVPAGE\n", b"\x89QVCMIT\n"
CHUNK = BLOCK = 65536
FILE, FOLDER, SYMLINK = 1, 2, 3
LIVE, PAST, LINES = 1, 2, 3
START = 1767323045000000  # 2026-01-02T03:04:05Z in microseconds
MINUTE = 60000000


def tree_id(parent, title):
    """The id of a file, folder or symlink in a folder with an inner id (entries.cddl, end)."""
    name = title if isinstance(title, bytes) else title.encode()
    parent = parent or bytes(16)
    return parent[14:] + sha256(b"quickvault/1/name\x00" + parent + name)[:14]


def hint(content):
    """What an entry tells of its content (entries.cddl, key 14)."""
    return int.from_bytes(sha256(u64(len(content)) + content[:65536])[:8], "big")


@dataclass
class Put:
    """A record to store; `entry` and `overview` add or override keys, `at` places it (counted from S)."""
    title: object
    content: bytes = b""
    kind: int = FILE
    parent: bytes = None
    id: bytes = None
    entry: dict = field(default_factory=dict)
    overview: dict = None
    at: int = None
    salt: object = None
    frames: bytes = None  # what is stored in the place of the content (container.md, 3.7)
    pieces: list = None  # what makes the content up, puts or rows, instead (container.md, 3.10)

    def __post_init__(self):
        self.id = self.id or tree_id(self.parent, self.title)
        if self.pieces is not None:
            self.frames = b"".join(row if isinstance(row, bytes) else row.id + u64(len(row.content)) for row in self.pieces)


@dataclass
class Trash:
    id: bytes


@dataclass
class Purge:
    id: bytes


@dataclass
class Move:
    """A file, folder or symlink under another path (store.md, 5, Change)."""
    id: bytes
    title: str
    parent: bytes = None


@dataclass
class Commit:
    """Where the parts of one commit lie in the file, and what it was made of."""
    number: int
    sequence: int
    time: int
    start: int
    salt: bytes = b""
    stored: list = field(default_factory=list)  # (offset, bytes) of each stored record
    segment: int = 0
    segment_parts: list = field(default_factory=list)  # head, chunks …
    payload: bytes = b""
    table: bytes = b""
    rest: bytes = b""  # behind the table: a copy of the head, padding
    record: bytes = b""

    @property
    def record_at(self):
        return self.start + len(self.payload)

    @property
    def end(self):
        return self.rest_at + len(self.rest)

    @property
    def rest_at(self):
        return self.record_at + 1024 + len(self.table)


def short_name(title):
    """The first 63 bytes of a title, cut before an incomplete UTF-8 sequence (container.md, 3.6)."""
    try:
        return title.decode()[:63].encode()[:63].decode("utf-8", "ignore").encode()
    except UnicodeDecodeError:
        return title[:63]
