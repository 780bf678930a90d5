#!/usr/bin/python3
"""A second reader of QuickVault containers, written from the Spec and to be read beside it.

    qvault_reader.py list VAULT
    qvault_reader.py extract VAULT OUTDIR
    qvault_reader.py verify VAULT [--keyless] [--master-key HEX]
    qvault_reader.py vectors FILE...

The password comes from the file $QVAULT_PASSWORD_FILE, the output of $QVAULT_PASSWORD_COMMAND or
the terminal. Places in the Spec: [C 2] is container.md, 2; [R 3.5] is reader.md, 3, step 5.
"""
import argparse
import contextlib
import functools
import getpass
import hashlib
import hmac
import os
import re
import struct
import subprocess
import sys
import tempfile
import time
import unicodedata
from bisect import bisect_right
from collections import namedtuple

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

EXIT = {"ok": 0, "refused": 12, "invalid": 11, "wrong-key": 3, "not-a-vault": 8, "unsupported": 8,
        "repairable": 4, "malformed": 5, "damaged": 5, "tampered": 6}  # the worst comes last
PAGE_A, PAGE_B, PAGE_K, LOG = 0, 65536, 131072, 135168
PAGE, RECORD, CORE, BLOCK = 4096, 1024, 512, 65536
PAGE_MAGIC, KEYS_MAGIC, CORE_MAGIC = b"\x89QVPAGE\n", b"\x89QVKEYS\n", b"\x89QVCMIT\n"
FILE, FOLDER, SYMLINK = 1, 2, 3
KINDS = {FILE: "file", FOLDER: "folder", SYMLINK: "symlink"}
HEAD, LIVE, PAST, LINES = 0, 1, 2, 3
TRASHED, PURGED = 1, 2
MAX63 = 2**63 - 1


class Fault(Exception):
    """One of the classes of [R 1], and what was found."""

    def __init__(self, klass, what):
        super().__init__(f"{klass}: {what}")
        self.klass = klass


def require(holds, klass, what):
    if not holds:
        raise Fault(klass, what)


class Findings(list):
    """The faults that verify collects."""

    def check(self, holds, klass, what):
        if not holds:
            self.append(Fault(klass, what))

    @contextlib.contextmanager
    def collecting(self):
        try:
            yield
        except Fault as fault:
            self.append(fault)

    def worst(self):
        return max((fault.klass for fault in self), key=list(EXIT).index, default="ok")


# ---- Structures ----

def layout(name, fields):
    """A parser of fixed fields, each named with its format in `struct`; `raw` is all the bytes."""
    names, formats = zip(*(field.split() for field in fields.split(",")))
    row, table = namedtuple(name, (*names, "raw")), struct.Struct(">" + "".join(formats))
    return lambda data: row(*table.unpack(data), data)


HEADER = layout("Header", (  # [C 2.2]
    "magic 8s, version H, flags H, required I, write I, unused1 12s, ids 32s, sequence Q,"
    "log_end Q, origin_sequence Q, origin_tag 32s, unused2 136s"))
SLOT = layout("Slot", (  # [C 2.4]
    "kind B, reserved 3s, iterations I, id 16s, salt 32s, nonce 12s, commitment 32s,"
    "wrapped 48s, label_nonce 12s, label 80s, unused 16s"))
LABEL = layout("Label", "created Q, length B, text 55s")
COMMIT_CORE = layout("Core", (  # [C 3.2]
    "magic 8s, version H, flags H, unused1 4s, ids 32s, sequence Q, salt 32s, start Q,"
    "length Q, previous_tags 64s, table_hash 32s, slot_hash 32s, private 112s, tags 64s,"
    "unused2 72s, digest 32s"))
PRIVATE = layout("Private", (
    "offset Q, length Q, head_length I, unused 4s, head_hash 32s, time Q, writer 32s"))
RECORD_HEADER = layout("RecordHeader", (  # [C 3.6]
    "id 16s, kind H, unused 6s, revision Q, size Q, time Q, parent 16s, name_length B, name 79s"))
Link = namedtuple("Link", "offset length head_length salt head_hash")  # [C 3.5]
Chunk = namedtuple("Chunk", "index at length count digest first")
Segment = namedtuple("Segment", "link parts below")
Entry = namedtuple("Entry", (  # in the order of the keys in records.cddl
    "id kind revision salt offset size created updated parent first last flags overview"))


def sha256(data):
    return hashlib.sha256(data).digest()


class Page:
    """Page A, B or K [C 2.1, 2.3]. Its two tags stand behind the bytes that they cover."""

    def __init__(self, data, magic, covered):
        self.data, self.body, self.tags = data, data[:covered], data[covered:covered + 64]
        self.marked = data[:8] == magic
        self.sound = self.unsupported = False
        if len(data) < PAGE or not self.marked or sha256(data[:4064]) != data[4064:]:
            return
        self.header, self.record = HEADER(data[:256]), data[2304:3328]
        self.slots = [SLOT(data[at:at + 256]) for at in range(256, 2304, 256)]
        known = [slot for slot in self.slots if 1 <= slot.kind <= 4]
        self.unsupported = (self.header.version != 1 or self.header.flags > 1
                            or self.header.required or any(any(s.reserved) for s in known))
        unused = [self.header.unused1, self.header.unused2, data[covered + 64:4064]]
        unused += [slot.unused for slot in known] + [s.raw for s in self.slots if s.kind == 0]
        self.sound = not (self.unsupported or any(map(any, unused))
                          or any(slot.iterations for slot in known if slot.kind == 4)
                          or len({slot.id for slot in known}) < len(known))

    def commit(self, klass):
        """The newest commit, if the page keeps the rules of [R 3.5]; else the class given."""
        header, commit = self.header, Commit(self.record)
        core, origin = commit.core, (header.origin_sequence, *header.origin_tag)
        require(not commit.framed or core.version == 1 and not core.flags,
                "unsupported", "version or flags of the record copy")
        require(commit.sound and header.log_end == commit.end
                and (header.ids, header.sequence) == (core.ids, core.sequence)
                and sha256(self.data[256:2304]) == core.slot_hash
                and (header.flags or not any(origin)),
                klass, "header, slots and record copy of a page do not fit each other")
        return commit


class Commit:
    """Where the parts of a commit are [C 3.1], by its record: its core, a copy of the one before."""

    def __init__(self, record):
        record = record.ljust(RECORD, b"\0")
        self.copy, self.core = record[CORE:], COMMIT_CORE(record[:CORE])
        core, self.start = self.core, self.core.start
        self.record_at = self.start + core.length
        self.table_at, self.blocks = self.record_at + RECORD, -(-core.length // BLOCK)
        self.table_end = self.table_at + 32 * self.blocks
        self.end = -(-self.table_end // 4096) * 4096
        self.name = f"commit {core.sequence} at {self.start}"
        self.framed = core.magic == CORE_MAGIC and core.digest == sha256(core.raw[:480])
        self.sound = (self.framed and core.version == 1 and not core.flags
                      and not any(core.unused1 + core.unused2) and 1 <= core.sequence <= MAX63
                      and core.start % 4096 == core.length % 4096 == 0
                      and LOG <= core.start <= 2**60 and 4096 <= core.length <= 2**48)

    def precedes(self, after):
        """Whether this may be the commit before another one [R 7.3]."""
        return self.sound and self.end == after.start and self.core.ids[:16] == after.core.ids[:16]


# ---- Keys (keys.md) ----

PARENT = {"record-root": "master", "manifest-root": "master", "owner-tag": "master",
          "slot-label": "master", "audit-root": "master", "audit-tag": "audit-root",
          "audit-block": "audit-root", "check": "vault-id", "segment": "manifest-root",
          "private": "manifest-root", "padding": "manifest-root", "header": "record-root",
          "record": "record-root"}


def hkdf(ikm, purpose, vault_id, salt=b"", context=b"", length=32):
    """HKDF-SHA256 with the labels of keys.md, 1; 64 bytes at most."""
    info = b"quickvault/1/" + purpose.encode() + b"\0" + vault_id + context
    prk = hmac.digest(salt or bytes(32), ikm, "sha256")
    first = hmac.digest(prk, info + b"\1", "sha256")
    return (first + hmac.digest(prk, first + info + b"\2", "sha256"))[:length]


def unseal(key, nonce, sealed, associated=b""):
    """The plaintext, or None if GCM refuses."""
    try:
        return AESGCM(key).decrypt(nonce, sealed, associated)
    except InvalidTag:
        return None


def unwrap(page, password):
    """The master key, from a slot that belongs to the password [R 3.1 to 3.3]."""
    try:
        password = unicodedata.normalize("NFC", password.decode()).encode()
    except UnicodeDecodeError:
        raise Fault("invalid", "the password is not UTF-8") from None
    require(1 <= len(password) <= 2**20, "invalid", "the password is empty or too long")
    slots = [slot for slot in page.slots if slot.kind == 1]
    require(all(slot.iterations >= 100_000 for slot in slots)
            and sum(slot.iterations for slot in slots) <= 10_000_000,
            "refused", "PBKDF2 iterations of the key slots")
    vault_id = page.header.ids[:16]
    for slot in slots:
        stretched = hashlib.pbkdf2_hmac("sha256", password, slot.salt, slot.iterations)
        both = hkdf(stretched, "slot", vault_id, slot.salt, slot.id + slot.raw[:1], 64)
        if hmac.compare_digest(both[32:], slot.commitment):
            master = unseal(both[:32], slot.nonce, slot.wrapped, slot.raw[:100] + vault_id)
            require(master is not None, "tampered", "a key slot")
            return master
    raise Fault("wrong-key", "no slot belongs to this password")


# ---- CBOR (records.cddl) ----

def cbor_item(data, at, depth):
    """The item at `at`, and where it ends. A map key that is no integer or text stands for itself
    as its encoding, which no key of ours can equal."""
    major, number, at = data[at] >> 5, data[at] & 31, at + 1
    if major == 7 and 20 <= number <= 22:
        return (False, True, None)[number - 20], at
    if major > 5 or number > 27 or depth > 16 and major >= 4:
        raise ValueError("a tag, float, other simple value, indefinite length, or too deep")
    if number >= 24:
        size, least = {24: (1, 24), 25: (2, 2**8), 26: (4, 2**16), 27: (8, 2**32)}[number]
        number, at = int.from_bytes(data[at:at + size], "big"), at + size
        if number < least or at > len(data):
            raise ValueError("an integer that is cut or not in its shortest form")
    if major < 2:
        return (-1 - number if major else number), at
    if major < 4:
        raw = data[at:at + number]
        if len(raw) < number:
            raise ValueError("a string that is cut")
        return (raw if major == 2 else raw.decode()), at + number
    items, pairs, last = [], {}, b""
    for _ in range(number):
        begin = at
        item, at = cbor_item(data, at, depth + 1)
        items.append(item)
        if major == 5:
            encoded = data[begin:at]
            if encoded <= last:
                raise ValueError("map keys that are out of order or not unique")
            key, last = (item if type(item) in (int, str) else encoded), encoded
            pairs[key], at = cbor_item(data, at, depth + 1)
    return (items if major == 4 else pairs), at


def cbor(data):
    """Decode one item strictly (RFC 8949, 4.2.1)."""
    try:
        item, end = cbor_item(data, 0, 1)
    except (ValueError, IndexError) as error:
        raise Fault("malformed", f"CBOR: {error}") from None
    require(end == len(data), "malformed", "CBOR: trailing bytes")
    return item


def number(low, high):
    return lambda value: type(value) is int and low <= value <= high


def octets(length):
    return lambda value: type(value) is bytes and len(value) == length


def array(*checks):
    return lambda value: (type(value) is list and len(value) == len(checks)
                          and all(check(item) for check, item in zip(checks, value)))


def array_of(check, least=0):
    return lambda value: type(value) is list and len(value) >= least and all(map(check, value))


def text(value):
    return type(value) is str


def true(value):
    return value is True


def title(value):
    """Text, or bytes for a name that is not valid UTF-8."""
    return text(value) or (type(value) is bytes and value.decode(errors="ignore").encode() != value)


def overview(value):
    return (type(value) is dict and all(map(text, value)) and "title" in value
            and all(check(value[key]) for key, check in OVERVIEW.items() if key in value))


COUNTER, TIME, OFFSET = number(1, MAX63), number(0, MAX63), number(0, 2**60)
OVERVIEW = {"title": title, "mtime": number(-2**63, MAX63), "exec": true, "group": text,
            "tags": array_of(text, 1), "pinned": true}
FIELDS = (octets(16), number(0, 65535), COUNTER, octets(32), OFFSET, number(0, 2**48 - BLOCK),
          TIME, TIME, octets(16), COUNTER, COUNTER, number(1, 2), overview)  # by key, 0 to 12
CHUNK = number(17, 16384), number(1, 4096), octets(16)
ID_CHUNKS, LINE_CHUNKS = array_of(array(*CHUNK, octets(16))), array_of(array(*CHUNK, COUNTER))
HEAD_PARTS = array(ID_CHUNKS, ID_CHUNKS, LINE_CHUNKS)
LINK = array(OFFSET, number(0, 2**32), number(0, 2**24), octets(32), octets(32))
LINE = array(COUNTER, TIME, OFFSET, octets(16))


def title_of(entry):
    name = entry.overview["title"]
    return name.encode() if text(name) else name


def parse_item(item, part):
    """A live entry, past entry, tombstone or line (records.cddl)."""
    if part == LINES:
        require(LINE(item), "malformed", "a line")
        return item
    require(type(item) is dict and all(type(key) is int and key >= 0 for key in item),
            "malformed", "an entry is no map with unsigned keys")
    needed, optional, flags = {0, 1, 2, 3, 4, 5, 6, 7, 9, 12}, {8, 11}, (0, TRASHED)
    if part == PAST:
        needed.add(10)
    elif item.get(11) == PURGED:
        needed, optional, flags = {0, 2, 7, 9, 11}, set(), (PURGED,)
    known = {key for key in item if key < len(FIELDS)}
    require(needed <= known <= needed | optional and item.get(11, 0) in flags
            and all(FIELDS[key](item[key]) for key in known)
            and (part == LIVE or item[9] <= item[10]), "malformed", "an entry's keys or values")
    return Entry(*map({11: 0, **item}.get, range(len(FIELDS))))


def parse_head(raw, link):
    """The head of a segment [R 4.3]."""
    head = cbor(raw)
    require(type(head) is list and HEAD_PARTS(head[:3]) and array_of(LINK)(head[3:])
            and len(head) <= 4, "malformed", "the form of a head")
    parts, at = {}, link.offset + link.head_length
    for part, chunks in enumerate(head[:3], LIVE):
        parts[part], previous = [], None
        for index, (length, count, digest, first) in enumerate(chunks):
            require(not index or previous < first or part == PAST and previous == first,
                    "malformed", "chunks out of order")
            require(length <= 4096 or count == 1, "malformed", "a chunk is too long")
            parts[part].append(Chunk(index, at, length, count, digest, first))
            at, previous = at + length, first
    require(at + link.head_length == link.offset + link.length, "malformed", "length of a segment")
    return Segment(link, parts, Link(*head[3]) if head[3:] else None)


# ---- The vault ----

class Vault:
    """An open file and its newest sound page [R 2]; `unlock` it to read what is encrypted."""

    def __init__(self, file):
        self.file, self.size, self.warnings = file, os.fstat(file.fileno()).st_size, []
        for attempt in range(10):  # a page may be in the middle of being written
            time.sleep(attempt / 1000)
            self.pages = [Page(self.read(at, PAGE), PAGE_MAGIC, 3328) for at in (PAGE_A, PAGE_B)]
            if all(page.sound for page in self.pages):
                break
        self.page_k = Page(self.read(PAGE_K, PAGE), KEYS_MAGIC, 2304)
        require(not any(page.unsupported for page in self.pages), "unsupported", "a page")
        sound = [page for page in self.pages if page.sound]
        if not sound:
            marked = any(page.marked for page in (*self.pages, self.page_k))
            raise Fault("damaged" if marked else "not-a-vault", "no page A or B is sound")
        self.page = max(sound, key=lambda page: page.header.sequence)
        if len(sound) == 1:
            self.warnings.append("one page is unsound")
        else:
            require(sound[0].header.sequence != sound[1].header.sequence
                    or sound[0].data == sound[1].data, "damaged", "pages of one sequence differ")
        self.vault_id, self.log_end = self.page.header.ids[:16], self.page.header.log_end
        self.roots = {"vault-id": self.vault_id}

    def read(self, offset, length):
        return os.pread(self.file.fileno(), length, offset)

    def key(self, purpose, salt=b"", context=b""):
        """A key of keys.md, 3."""
        parent = PARENT[purpose]
        if parent not in self.roots:
            self.roots[parent] = self.key(parent)
        return hkdf(self.roots[parent], purpose, self.vault_id, salt, context)

    def tags_hold(self, covered, tags):
        own = [hmac.digest(self.key(k), covered, "sha256") for k in ("audit-tag", "owner-tag")]
        return hmac.compare_digest(b"".join(own), tags)

    def unlock(self, password, master=None):
        """[R 3], with a password or with the master key itself."""
        self.roots["master"] = master or unwrap(self.page, password)
        require(self.tags_hold(self.page.body, self.page.tags), "tampered", "tags of the page")
        newest = self.page.commit("malformed")
        self.newest_link = self.open_core(newest)
        if self.read(newest.record_at, RECORD) != self.page.record or self.size < self.log_end:
            self.warnings.append("the newest commit is damaged")

    def open_core(self, commit):
        """The link to the segment of a commit, from its private part [R 3.6]."""
        core = commit.core
        require(self.tags_hold(core.raw[:344], core.tags), "tampered", f"tags of {commit.name}")
        raw = unseal(self.key("private", core.salt), bytes(12), core.private, core.raw[:232])
        require(raw is not None, "tampered", f"private part of {commit.name}")
        private = PRIVATE(raw)
        require(not any(private.unused) and private.time <= MAX63 and is_utf8(private.writer),
                "malformed", f"private part of {commit.name}")
        return Link(*private[:3], core.salt, private.head_hash)

    # -- The log, without a key --

    @functools.cached_property
    def log(self):
        """The commits from the newest down, and what is wrong with their records [R 7.2, 7.3]."""
        commits, findings = [Commit(self.page.record)], Findings()
        findings.check(self.read(commits[0].record_at, RECORD) == self.page.record,
                       "repairable", f"record of {commits[0].name}")
        while commits[-1].start > LOG:
            after = commits[-1]
            before = Commit(after.copy)
            if not before.precedes(after):
                before = self.scan(after)
                if not before:
                    findings.check(False, "damaged", f"no commit from {LOG} to {after.start}")
                    return commits, findings
                findings.check(False, "repairable", f"{after.name}: its copy of the core before")
            stored = Commit(self.read(before.record_at, RECORD))
            before.copy = stored.copy
            findings.check(stored.core == before.core, "repairable", f"record of {before.name}")
            findings.check(before.core.ids == after.core.ids
                           and before.core.sequence < after.core.sequence
                           and before.core.tags == after.core.previous_tags,
                           "damaged", f"the chain from {after.name} to the one before")
            commits.append(before)
        findings.check(not any(commits[-1].copy), "repairable", "a copy in the first commit")
        return commits, findings

    def scan(self, after):
        """The commit before, found by its record in the log, or None."""
        for at in range(after.start - 4096, max(LOG, after.start - 2**34), -4096):
            commit = Commit(self.read(at, CORE))
            if commit.precedes(after) and commit.record_at == at:
                return commit
        return None

    @functools.cache
    def table_holds(self, commit):
        digest = hashlib.sha256()
        for at in range(commit.table_at, min(commit.table_end, self.size), 2**20):
            digest.update(self.read(at, min(2**20, commit.table_end - at)))
        return digest.digest() == commit.core.table_hash

    def bad_blocks(self, commit, purpose, first=0, last=2**32):
        """The blocks whose check tag, or audit tag, is wrong [C 3.3]."""
        gmac, bad = AESGCM(self.key(purpose, commit.core.salt)), []
        column = commit.table_at + (16 if purpose == "audit-block" else 0)
        for index in range(first, min(last, commit.blocks)):
            at = commit.start + index * BLOCK
            block = self.read(at, min(BLOCK, commit.record_at - at))
            tag = gmac.encrypt(index.to_bytes(12, "big"), b"", block)
            if tag != self.read(column + 32 * index, 16):
                bad.append(index)
        return bad

    def fault(self, start, end, what):
        """Bytes that should be authentic are wrong: by accident or on purpose? [R 5]"""
        commits, _ = self.log
        damaged = end > self.size or start < commits[-1].start
        for commit in commits:
            if not damaged and start < commit.end and end > commit.start:
                first = max(start - commit.start, 0) // BLOCK
                last = -(-(end - commit.start) // BLOCK)
                damaged = not self.table_holds(commit) or self.bad_blocks(
                    commit, "check", first, last)
        return Fault("damaged" if damaged else "tampered", f"{what}, bytes {start} to {end}")

    # -- The manifest --

    def open_segment(self, link, low, high):
        """The head of a segment that must lie between two places [R 4.1 to 4.3]."""
        end = link.offset + link.length
        require(low <= link.offset <= end <= high and link.offset % 64 == 0 and
                link.length <= 2**32 and 17 <= link.head_length <= min(2**24, link.length // 2),
                "malformed", f"a segment cannot be at {link.offset}")
        for at in (link.offset, end - link.head_length):
            if sha256(self.read(at, link.head_length)) == link.head_hash:
                return parse_head(self.open_part(link, HEAD, 0, at, link.head_length), link)
            self.warnings.append(f"the copy of a head at {at} is broken")
        raise self.fault(link.offset, link.offset + link.head_length, "both copies of a head")

    def open_part(self, link, part, index, at, length):
        """Unseal the head or a chunk of a segment [C 3.5]."""
        nonce, sealed = struct.pack(">B7xI", part, index), self.read(at, length)
        raw = unseal(self.key("segment", link.salt), nonce, sealed)
        if raw is None:
            raise self.fault(at, at + length, "part of a segment")
        return raw

    def stack(self):
        """The segments from the newest down."""
        newest, link = self.page.commit("malformed"), self.newest_link
        low, high = newest.start, newest.record_at
        for _ in range(64):
            segment = self.open_segment(link, low, high)
            yield segment
            if not segment.below:
                return
            link, low, high = segment.below, LOG, link.offset
        raise Fault("malformed", "more than 64 segments")

    def open_chunk(self, link, part, chunk):
        """The items of a chunk [R 4.4]."""
        if sha256(self.read(chunk.at, chunk.length))[:16] != chunk.digest:
            raise self.fault(chunk.at, chunk.at + chunk.length, "chunk of a segment")
        items = cbor(self.open_part(link, part, chunk.index, chunk.at, chunk.length))
        require(type(items) is list and len(items) == chunk.count, "malformed", "items of a chunk")
        items = [parse_item(item, part) for item in items]
        require(items[0][0] == chunk.first, "malformed", "the first item of a chunk")
        return items

    def items(self, segment, part, collecting=contextlib.nullcontext):
        """The entries or lines of one part of a segment, in order."""
        last = ()
        for chunk in segment.parts[part]:
            items = []
            with collecting():
                items = self.open_chunk(segment.link, part, chunk)
            for item in items:
                key = (item[0], item.first) if part == PAST else (item[0],)
                with collecting():
                    require(last < key, "malformed", "items out of order")
                last = key
                yield item

    def listing(self):
        """All that is live and not trashed, as {id: entry}, by id."""
        current = {}
        for segment in self.stack():
            for entry in self.items(segment, LIVE):
                current.setdefault(entry.id, entry)
        listed = {key: entry for key, entry in sorted(current.items()) if not entry.flags}
        for entry in listed.values():
            path_of(entry, listed)
        return listed

    # -- Records --

    def content(self, entry):
        """The plaintext of a record, chunk after authenticated chunk [R 5]."""
        at, end = entry.offset, record_end(entry)
        require(at % 64 == 0 and LOG <= at and end <= self.log_end,
                "malformed", f"a record cannot be at {at}")
        raw, salt = self.read(at, 192), entry.salt
        plain = unseal(self.key("header"), salt[:12], raw[32:], salt + self.vault_id)
        if raw[:32] != salt or plain is None:
            raise self.fault(at, at + 192, "start of a record")
        header = RECORD_HEADER(plain)
        require((header.id, header.kind, header.size) == (entry.id, entry.kind, entry.size)
                and header.revision <= entry.revision and not any(header.unused),
                "malformed", f"header of the record at {at}")
        key = self.key("record", salt, entry.id + entry.kind.to_bytes(2, "big"))
        for index, at in enumerate(range(at + 192, end, BLOCK + 16)):
            length = min(BLOCK + 16, end - at)
            nonce = index.to_bytes(11, "big") + bytes([at + length == end])
            plain = unseal(key, nonce, self.read(at, length))
            if plain is None:
                raise self.fault(at, at + length, "chunk of a record")
            yield plain


def is_utf8(raw):
    return raw.decode(errors="ignore").encode() == raw


def record_end(entry):
    return entry.offset + 192 + entry.size + 16 * max(1, -(-entry.size // BLOCK))


def path_of(entry, listed):
    """The titles down to an entry [R 4.6]."""
    titles = [title_of(entry)]
    while entry.kind in KINDS and entry.parent is not None:
        entry = listed.get(entry.parent)
        require(entry and entry.kind == FOLDER and len(titles) <= 1024,
                "malformed", "an entry without a listed folder around it, or too deep")
        titles.append(title_of(entry))
    return tuple(reversed(titles))


# ---- Verify ----

def verify(file, secret=None):
    """The findings of [R 7], and with a password and master key (one of them None) of [R 8]."""
    findings = Findings()
    with findings.collecting():
        vault = Vault(file)
        if secret:
            vault.unlock(*secret)
            for _ in vault.stack():
                pass
        vault.page.commit("damaged")
        findings += vault.log[1]
        check_pages(vault, findings)
        for commit in vault.log[0]:
            check_payload(vault, commit, findings, secret)
        if secret:
            check_keyed(vault, findings)
    return findings


def check_pages(vault, findings):
    """[R 7.1, 7.4, 7.5]"""
    check, page, k, newest = findings.check, vault.page, vault.page_k, vault.log[0][0]
    both = all(other.sound for other in vault.pages)
    check(both, "repairable", "page A or B is unsound")
    if both:
        older = next((other for other in vault.pages if other is not page))
        with findings.collecting():
            try:
                commit = older.commit("repairable")
            except Fault as fault:
                raise Fault("repairable", f"the older page: {fault}") from None
            check(commit.core == newest.core or commit.end == newest.start,
                  "repairable", "the commit of the older page is not next to the newest")
    check(k.sound and k.header.ids == page.header.ids and k.data[256:2304] == page.data[256:2304]
          and k.header.sequence <= page.header.sequence and not (
              k.header.flags or k.header.write or any(k.data[72:120])),
          "repairable", "page K is unsound or old")
    for gap in (PAGE_A + PAGE, PAGE_B + PAGE):
        check(not any(vault.read(gap, 61440)), "repairable", f"bytes in the gap at {gap}")
    check(vault.size >= vault.log_end, "damaged", "the file is shorter than its log")
    check(vault.size <= vault.log_end, "ok" if both else "damaged", "an unfinished save")


def check_payload(vault, commit, findings, keyed):
    """[R 7.3, first point; 8.1, payload blocks]"""
    unused = vault.read(commit.table_end, commit.end - commit.table_end)
    findings.check(not any(unused), "repairable", f"bytes behind the check table of {commit.name}")
    if not vault.table_holds(commit):
        return findings.check(False, "damaged", f"check table of {commit.name}")
    damaged = vault.bad_blocks(commit, "check")
    bad = dict.fromkeys(vault.bad_blocks(commit, "audit-block") if keyed else (), "tampered")
    for index, klass in {**bad, **dict.fromkeys(damaged, "damaged")}.items():
        findings.check(False, klass, f"{commit.name}: block at {commit.start + index * BLOCK}")


def check_keyed(vault, findings):
    """[R 8]"""
    for page in (*vault.pages, vault.page_k):
        if page.sound and (page is not vault.page_k or page.header.ids == vault.page.header.ids):
            findings.check(vault.tags_hold(page.body, page.tags), "tampered", "tags of a page")
    for slot in vault.page.slots:
        if 1 <= slot.kind <= 4:
            raw = unseal(vault.key("slot-label"), slot.label_nonce, slot.label,
                         slot.id + vault.vault_id)
            label = LABEL(raw or bytes([255]) * 64)
            findings.check(label.created <= MAX63 and label.length <= 55
                           and is_utf8(label.text[:label.length])
                           and not any(label.text[label.length:]), "malformed", "a slot's label")
    before, links, used = len(findings), {}, []
    for commit in vault.log[0]:
        with findings.collecting():
            links[vault.open_core(commit)] = commit
    records = {}
    for link, commit in links.items():
        with findings.collecting():
            segment = vault.open_segment(link, commit.start, commit.record_at)
            used.append((link.offset, link.offset + link.length))
            check_segment(vault, segment, links, findings)
            for entry in (entry for part in (LIVE, PAST)
                          for entry in vault.items(segment, part, findings.collecting)):
                if entry.flags != PURGED:
                    findings.check(fits_kind(entry), "malformed", f"entry {entry.id.hex()}")
                    key = entry.offset, entry.salt, entry.id, entry.kind, entry.size
                    records[key] = min(entry, records.get(key, entry), key=lambda e: e.revision)
    with findings.collecting():
        vault.listing()
    for entry in records.values():
        used.append((entry.offset, record_end(entry)))
        with findings.collecting():
            for _ in vault.content(entry):
                pass
    used.sort()
    findings.check(all(a[1] <= b[0] for a, b in zip(used, used[1:])), "malformed", "an overlap")
    starts = [commit.start for commit in reversed(vault.log[0])]
    for start, end in used:
        home = vault.log[0][-max(bisect_right(starts, start), 1)]
        findings.check(home.start <= start and end <= home.record_at,
                       "malformed", f"{start} to {end} is in no payload area")
    if len(findings) == before and starts[0] == LOG:  # else it is not known what is padding
        check_padding(vault, used, findings)


def fits_kind(entry):
    """[R 8.3] for a single entry."""
    name = b"quickvault/1/name\0" + (entry.parent or bytes(16)) + title_of(entry) \
        if entry.kind in KINDS else b""
    low, high = {FOLDER: (0, 0), SYMLINK: (1, 4095)}.get(entry.kind, (0, 2**48))
    return (entry.kind != 0 and low <= entry.size <= high
            and (not name or entry.id == sha256(name)[:16]))


def check_segment(vault, segment, links, findings):
    """The copies of the head, the link and the lines of a segment [R 8.2]."""
    link, commits = segment.link, {commit.core.sequence: commit for commit in vault.log[0]}
    for at in (link.offset, link.offset + link.length - link.head_length):
        if sha256(vault.read(at, link.head_length)) != link.head_hash:
            findings.append(vault.fault(at, at + link.head_length, "a copy of a head"))
    findings.check(not segment.below or segment.below in links,
                   "malformed", "a link to a segment that no commit names")
    for sequence, _, offset, tag in vault.items(segment, LINES, findings.collecting):
        commit = commits.get(sequence)
        findings.check((offset, tag) == (commit.record_at, commit.core.tags[32:48]) if commit
                       else sequence < min(commits), "malformed", f"the line for {sequence}")


def check_padding(vault, used, findings):
    """Every other byte of the payload areas is of the padding stream [C 3.4]."""
    for commit in vault.log[0]:
        at, own = commit.start, [(commit.record_at, commit.record_at)]
        while used and used[-1][0] >= at:
            own.insert(0, used.pop())
        for start, end in own:
            with findings.collecting():
                compare_padding(vault, commit, at, start)
            at = end


def compare_padding(vault, commit, at, end):
    counter, skip = divmod(at - commit.start, 16)
    key = algorithms.AES(vault.key("padding", commit.core.salt))
    stream = Cipher(key, modes.CTR(counter.to_bytes(16, "big"))).encryptor()
    stream.update(bytes(skip))
    for start in range(at, end, BLOCK):
        length = min(BLOCK, end - start)
        if vault.read(start, length) != stream.update(bytes(length)):
            raise vault.fault(start, start + length, "padding")


# ---- Extract [R 6] ----

def write_file(vault, entry, name):
    """Under a temporary name until the last chunk is authenticated."""
    temporary = os.path.join(os.path.dirname(name), b".qvault-tmp-" + os.urandom(8).hex().encode())
    mode = 0o777 if "exec" in entry.overview else 0o666
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    try:
        with open(handle, "wb") as file:
            for plain in vault.content(entry):
                file.write(plain)
        os.link(temporary, name)  # unlike a rename it replaces nothing
    finally:
        os.unlink(temporary)


def write_entry(vault, entry, path, made):
    """Write one entry, or refuse; into a folder that was made here, hence through no symlink."""
    name = b"/".join(path)
    require(path[:-1] in made, "ok", "its folder was not written")
    require(path[-1] not in (b"", b".", b"..") and not re.search(rb"[/\0]", path[-1])
            and len(path[-1]) <= 255 and len(name) <= 4095, "ok", "its title or path is refused")
    require(entry.kind in KINDS, "ok", "neither a file nor a folder nor a symlink")
    if entry.kind == FILE:
        write_file(vault, entry, name)
    elif entry.kind == FOLDER:
        require(entry.size == 0, "malformed", "a folder with content")
        os.mkdir(name)
    else:
        require(1 <= entry.size <= 4095, "malformed", "a symlink's target is empty or too long")
        target = b"".join(vault.content(entry))
        require(b"\0" not in target, "malformed", "a symlink's target has a NUL")
        names = target.split(b"/")
        ups = names.count(b"..")
        require(target[:1] != b"/" and ups < len(path) and b".." not in names[ups:],
                "ok", "its target may be outside")
        os.symlink(target, name)


def extract(vault, outdir):
    """All that is live: the folders from the top down, then files, then symlinks."""
    listed = vault.listing()
    order = sorted(((entry, path_of(entry, listed)) for entry in listed.values()), key=lambda item: (
        {FOLDER: 0, SYMLINK: 2}.get(item[0].kind, 1), len(item[1])))
    os.makedirs(outdir, exist_ok=True)
    os.chdir(outdir)
    made, findings = {()}, Findings()
    for entry, path in order:
        try:
            write_entry(vault, entry, path, made)
            made.add(path)
        except (Fault, OSError) as error:
            reason = getattr(error, "strerror", None) or error
            findings.append(error if isinstance(error, Fault) else Fault("ok", reason))
            warn(f"left out {visible(path)}: {reason}")
    return EXIT[findings.worst()] or int(bool(findings))


# ---- Test vectors [R 9] ----

def run_vector(path):
    """Whether the reader finds what a vector says; prints what it finds else."""
    with open(path, encoding="utf-8") as file, tempfile.TemporaryFile(buffering=0) as target:
        head, _, body = file.read().partition("\n\n")
        head = dict(line.split(": ", 1) for line in head.split("\n"))
        target.truncate(int(head["size"]))
        for offset, data in map(str.split, body.splitlines()):
            os.pwrite(target.fileno(), bytes.fromhex(data), int(offset, 16))
        secret = None, bytes.fromhex(head.get("master-key", ""))
        if "password" in head:
            unescaped = re.sub(rb"\\(\\|x(..))", lambda found: bytes.fromhex(
                (found[2] or b"5c").decode()), head["password"].encode())
            secret = unescaped, None
        found, findings, released = {}, Findings(), hashlib.sha256()
        with findings.collecting():
            vault = Vault(target)
            vault.unlock(*secret)
            for entry in vault.listing().values():
                for plain in vault.content(entry):
                    released.update(plain)
        found = {"read": findings.worst(), "released": released.hexdigest(),
                 "keyless": verify(target).worst(), "verify": verify(target, secret).worst()}
    wrong = {key: value for key, value in found.items() if head.get(key, value) != value}
    for key, value in wrong.items():
        print(f"{path}: {key} is {value}, expected {head[key]}")
    return not wrong


def vectors(paths):
    passed = sum(map(run_vector, paths))
    print(f"{passed} passed, {len(paths) - passed} failed")
    return int(passed < len(paths))


# ---- Commands ----

def warn(message):
    print(f"qvault_reader: {message}", file=sys.stderr)


def visible(path):
    """A path for people: whatever is not printable is escaped."""
    name = b"/".join(path).decode(errors="backslashreplace")
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in name)


def ask_password():
    if "QVAULT_PASSWORD_FILE" in os.environ:
        with open(os.environ["QVAULT_PASSWORD_FILE"], "rb") as file:
            return file.read().removesuffix(b"\n")
    if "QVAULT_PASSWORD_COMMAND" in os.environ:
        command = ["/bin/sh", "-c", os.environ["QVAULT_PASSWORD_COMMAND"]]
        return subprocess.check_output(command).removesuffix(b"\n")
    return getpass.getpass().encode(errors="surrogateescape")


def run(arguments):
    """Carry out a command; returns the exit code."""
    if arguments.command == "vectors":
        return vectors(arguments.files)
    with open(arguments.vault, "rb") as file:
        if arguments.command == "verify":
            master = arguments.master_key
            secret = None if arguments.keyless else (None if master else ask_password(), master)
            findings = verify(file, secret)
            print(findings.worst(), *findings, sep="\n")
            return EXIT[findings.worst()]
        vault, result = Vault(file), 0
        vault.unlock(ask_password())
        if arguments.command == "extract":
            result = extract(vault, arguments.outdir)
        else:
            listed = vault.listing()
            for entry in listed.values():
                kind = KINDS.get(entry.kind, f"kind-{entry.kind}")
                print(entry.id.hex()[:8], kind, entry.size, visible(path_of(entry, listed)))
        for warning in vault.warnings:
            warn(f"warning: {warning}")
        return result


def main():
    parser = argparse.ArgumentParser(prog="qvault_reader.py")
    commands = parser.add_subparsers(dest="command", required=True)
    for name in ("list", "extract", "verify"):
        commands.add_parser(name).add_argument("vault")
    commands.choices["extract"].add_argument("outdir")
    commands.choices["verify"].add_argument("--keyless", action="store_true")
    commands.choices["verify"].add_argument("--master-key", type=bytes.fromhex, metavar="HEX")
    commands.add_parser("vectors").add_argument("files", nargs="+")
    try:
        return run(parser.parse_args())
    except Fault as fault:
        warn(fault)
        return EXIT[fault.klass]
    except (OSError, EOFError, subprocess.CalledProcessError) as error:
        warn(str(error) or "no password")
        return 1


if __name__ == "__main__":
    sys.exit(main())
