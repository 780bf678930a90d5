#!/usr/bin/python3
"""A second reader of QuickVault containers, to be read beside the Spec (its sections are named).

qvault_reader.py list VAULT | extract VAULT OUTDIR | vectors FILE...
qvault_reader.py verify VAULT [--keyless] [--master-key HEX]
The password comes from $QVAULT_PASSWORD_FILE, $QVAULT_PASSWORD_COMMAND or the terminal.
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
from collections import namedtuple

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

EXIT = {"ok": 0, "refused": 12, "invalid": 11, "wrong-key": 3, "unsupported": 8, "not-a-vault": 8,
        "repairable": 4, "malformed": 5, "damaged": 5, "tampered": 6}  # the worst comes last
PAGE_A, PAGE_B, PAGE_K, LOG = 0, 65536, 131072, 135168
PAGE, RECORD, CORE, BLOCK, TAG = 4096, 1024, 512, 65536, 16
PAGE_MAGIC, KEYS_MAGIC, CORE_MAGIC = b"\x89QVPAGE\n", b"\x89QVKEYS\n", b"\x89QVCMIT\n"
COPY_FLAG, PASSWORD_SLOT, TRASHED, PURGED = 1, 1, 1, 2
FILE, FOLDER, SYMLINK = 1, 2, 3
KINDS = {FILE: "file", FOLDER: "folder", SYMLINK: "symlink"}
HEAD, LIVE, PAST, LINES = 0, 1, 2, 3
MAX63, MAX_OFFSET, MAX_PAYLOAD, MAX_DEPTH = 2**63 - 1, 2**60, 2**48, 1024


class Failure(Exception):
    """A finding: one of the classes of reader.md 1, and what was found."""

    def __init__(self, klass, what):
        super().__init__(f"{klass}: {what}")
        self.klass = klass


def worst(findings):
    """The class of several findings together (reader.md 1)."""
    return max((finding.klass for finding in findings), key=list(EXIT).index, default="ok")


@contextlib.contextmanager
def collecting(findings):
    """Add a failure to the findings and go on; without findings (None) let it pass upwards."""
    try:
        yield
    except Failure as failure:
        if findings is None:
            raise
        findings.append(failure)


# ---- The tables of container.md ----

def layout(name, fields):
    """A parser for a table of fixed fields, each with its format in `struct`; big-endian."""
    names, formats = zip(*(field.split() for field in fields.split(",")))
    row, table = namedtuple(name, names), struct.Struct(">" + "".join(formats))
    return lambda data: row._make(table.unpack(data))


parse_header = layout("Header", (  # container.md 2.2
    "magic 8s, version H, flags H, required I, write I, unused1 12s, vault_id 16s, epoch 16s,"
    "sequence Q, log_end Q, origin_sequence Q, origin_tag 32s, unused2 136s"))
parse_slot = layout("Slot", (  # 2.4
    "kind B, reserved 3s, iterations I, id 16s, salt 32s, nonce 12s, commitment 32s,"
    "wrapped 48s, label_nonce 12s, label 80s, unused 16s"))
parse_core = layout("Core", (  # 3.2
    "magic 8s, version H, flags H, unused1 4s, vault_id 16s, epoch 16s, sequence Q, salt 32s,"
    "start Q, length Q, previous_tags 64s, table_hash 32s, slot_hash 32s, private 112s,"
    "tags 64s, digest 32s, unused2 72s"))
parse_private = layout("Private", (  # 3.2
    "offset Q, length Q, head_length I, unused 4s, head_hash 32s, time Q, writer 32s"))
parse_record_header = layout("RecordHeader", (  # 3.6
    "id 16s, kind H, unused 6s, revision Q, size Q, time Q, parent 16s, name_length B, name 79s"))
Link = namedtuple("Link", "offset length head_length salt head_hash")  # 3.5
Segment = namedtuple("Segment", "link parts next")
Entry = namedtuple("Entry", (  # in the order of the keys in records.cddl
    "id kind revision salt offset size created updated parent first last flags overview"))
Place = namedtuple("Place", "index at length count digest first")  # of a chunk, from the head


def sha256(data):
    return hashlib.sha256(data).digest()


class Page:
    """Page A, B or K (container.md 2.1, 2.3); its tags cover the bytes before `covered`."""

    def __init__(self, data, magic, covered):
        end = covered + 96
        self.data, self.covered, self.tags = data, data[:covered], data[covered:covered + 64]
        self.framed = (len(data) == PAGE and data[:8] == magic
                       and sha256(data[:end - 32]) == data[end - 32:end] and not any(data[end:]))
        if self.framed:
            self.header, self.slot_area = parse_header(data[:256]), data[256:2304]
            self.raw_slots = [data[at:at + 256] for at in range(256, 2304, 256)]
            self.slots = [parse_slot(raw) for raw in self.raw_slots]
            self.core, self.copy = data[2304:2816], data[2816:3328]

    def supported(self):
        """Whether format 1 has all that this framed page asks for (reader.md 2, step 4)."""
        return (self.header.version == 1 and not self.header.flags & ~COPY_FLAG
                and self.header.required == 0
                and not any(any(slot.reserved) for slot in self.slots if 1 <= slot.kind <= 4))

    def sound(self):
        """Framed, and the unused bytes of header and slots are zero; all of an empty slot is."""
        return (self.framed and not any(self.header.unused1 + self.header.unused2)
                and not any(any(raw[240:]) for raw in self.raw_slots if raw[0] <= 4)
                and not any(any(raw) for raw in self.raw_slots if raw[0] == 0))


def core_hashed(raw):
    """Whether 512 bytes are a core by their magic and SHA-256 (container.md 3.2)."""
    return len(raw) == CORE and raw[:8] == CORE_MAGIC and sha256(raw[:408]) == raw[408:440]


def core_holds(raw):
    """Likewise, and its unused bytes are zero and its numbers possible (reader.md 3, step 5)."""
    if not core_hashed(raw):
        return False
    core = parse_core(raw)
    return (not any(core.unused1 + core.unused2) and 1 <= core.sequence <= MAX63
            and core.start % 4096 == core.length % 4096 == 0
            and LOG <= core.start <= MAX_OFFSET and 4096 <= core.length <= MAX_PAYLOAD)


class Commit:
    """Where the parts of a commit are (container.md 3.1), from a core that holds.

    `copy` is what its record says of the core before; `intact`: the file has the same core.
    """

    def __init__(self, raw, copy=b"", intact=True):
        self.raw, self.copy, self.intact, self.core = raw, copy, intact, parse_core(raw)
        self.start, self.length = self.core.start, self.core.length
        self.record_at = self.start + self.length
        self.table_at, self.blocks = self.record_at + RECORD, -(-self.length // BLOCK)
        self.table_end = self.table_at + 32 * self.blocks
        self.end, self.table_held = -(-self.table_end // 4096) * 4096, None

    def follows(self, raw):
        """Whether the chain leads from the core `raw` to this commit (reader.md 7, step 3)."""
        ours, before = self.core, parse_core(raw)
        return ((before.vault_id, before.epoch, before.tags)
                == (ours.vault_id, ours.epoch, ours.previous_tags)
                and before.sequence < ours.sequence)


def check_root(page, klass):
    """What container.md 2.1 and reader.md 3, step 5 ask of a sound page."""
    header, core = page.header, parse_core(page.core)
    if core_hashed(page.core) and (core.version != 1 or core.flags):
        raise Failure("unsupported", "version or flags of the record copy")
    origin = any(header.origin_tag) or header.origin_sequence
    ids = [slot.id for slot in page.slots if 1 <= slot.kind <= 4]
    if not (core_holds(page.core) and header.log_end == Commit(page.core).end
            and (header.vault_id, header.epoch, header.sequence)
            == (core.vault_id, core.epoch, core.sequence)
            and sha256(page.slot_area) == core.slot_hash and len(set(ids)) == len(ids)
            and (header.flags & COPY_FLAG or not origin)):
        raise Failure(klass, "header, slots and record copy of a page do not fit each other")


# ---- Keys (keys.md) ----

def derive(ikm, purpose, vault_id, salt=b"", context=b"", length=32):
    """HKDF-SHA256 with the labels of keys.md 1; 64 bytes at most."""
    info = b"quickvault/1/" + purpose.encode() + b"\0" + vault_id + context
    prk = hmac.digest(salt or bytes(32), ikm, "sha256")
    first = hmac.digest(prk, info + b"\1", "sha256")
    return (first + hmac.digest(prk, first + info + b"\2", "sha256"))[:length]


class Keys:
    """What derives from the master key (keys.md 3)."""

    def __init__(self, master, vault_id):
        self.vault_id = vault_id
        self.record_root = derive(master, "record-root", vault_id)
        self.manifest_root = derive(master, "manifest-root", vault_id)
        self.owner_tag = derive(master, "owner-tag", vault_id)
        self.audit_root = derive(master, "audit-root", vault_id)
        self.audit_tag = derive(self.audit_root, "audit-tag", vault_id)
        self.header = derive(self.record_root, "header", vault_id)

    def of_commit(self, purpose, salt):
        """The segment, private or padding key of a commit."""
        return derive(self.manifest_root, purpose, self.vault_id, salt)

    def of_record(self, entry):
        context = entry.id + entry.kind.to_bytes(2, "big")
        return derive(self.record_root, "record", self.vault_id, entry.salt, context)

    def hold(self, covered, tags):
        """Whether the audit tag and the owner tag of these bytes are right."""
        own = [hmac.digest(key, covered, "sha256") for key in (self.audit_tag, self.owner_tag)]
        return hmac.compare_digest(b"".join(own), tags)


def unwrap(page, password):
    """The master key from a slot that belongs to the password (keys.md 2; reader.md 3.1-3)."""
    try:
        password = unicodedata.normalize("NFC", password.decode()).encode()
    except UnicodeDecodeError:
        raise Failure("invalid", "the password is not UTF-8") from None
    if not 1 <= len(password) <= 2**20:
        raise Failure("invalid", "the password is empty or too long")
    tried = [(slot, raw) for slot, raw in zip(page.slots, page.raw_slots)
             if slot.kind == PASSWORD_SLOT]
    costs = [slot.iterations for slot, _ in tried]
    if any(cost < 100_000 for cost in costs) or sum(costs) > 10_000_000:
        raise Failure("refused", "PBKDF2 iterations of the key slots")
    for slot, raw in tried:
        stretched = hashlib.pbkdf2_hmac("sha256", password, slot.salt, slot.iterations, 32)
        both = derive(stretched, "slot", page.header.vault_id, slot.salt, slot.id + raw[:1], 64)
        if hmac.compare_digest(both[32:], slot.commitment):
            try:
                associated = raw[:100] + page.header.vault_id
                return AESGCM(both[:32]).decrypt(slot.nonce, slot.wrapped, associated)
            except InvalidTag:
                raise Failure("tampered", "a key slot") from None
    raise Failure("wrong-key", "no slot belongs to this password")


# ---- CBOR (records.cddl) ----

def cbor_item(data, at, depth):
    """The deterministic item at `at`, and where it ends. A map key that is neither an integer
    nor text stands for itself as its encoding, which no key of ours can equal."""
    major, number, at = data[at] >> 5, data[at] & 31, at + 1
    if major == 7 and number in (20, 21, 22):
        return {20: False, 21: True, 22: None}[number], at
    if major > 5 or number > 27 or depth > 16 and major >= 4:
        raise ValueError("tag, float, simple value, indefinite length, or nested too deep")
    if number >= 24:
        size = number - 24
        number, at = int.from_bytes(data[at:at + 2**size], "big"), at + 2**size
        if number < (24, 2**8, 2**16, 2**32)[size] or at > len(data):
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
    """Decode one item strictly (RFC 8949, 4.2.1); the outermost array or map has depth 1."""
    try:
        item, end = cbor_item(data, 0, 1)
    except (ValueError, IndexError) as error:
        raise Failure("malformed", f"CBOR: {error}") from None
    if end != len(data):
        raise Failure("malformed", "CBOR: trailing bytes")
    return item


def number(low, high):
    return lambda value: type(value) is int and low <= value <= high


def octets(length):
    return lambda value: type(value) is bytes and len(value) == length


def is_text(value):
    return type(value) is str


def is_title(value):
    """Text, or bytes for a name that is not valid UTF-8."""
    return is_text(value) or (
        type(value) is bytes and value.decode(errors="ignore").encode() != value)


def is_overview(value):
    return (type(value) is dict and all(map(is_text, value)) and "title" in value
            and all(holds(value[key]) for key, holds in OVERVIEW.items() if key in value))


def fits(value, checks):
    """Whether a decoded array has just these items."""
    return (type(value) is list and len(value) == len(checks)
            and all(check(item) for check, item in zip(checks, value)))


COUNTER, TIME, OFFSET = number(1, MAX63), number(0, MAX63), number(0, MAX_OFFSET)
OVERVIEW = {"title": is_title, "mtime": number(-2**63, MAX63), "group": is_text,
            "exec": lambda value: value is True, "pinned": lambda value: value is True,
            "tags": lambda value: type(value) is list and value and all(map(is_text, value))}
FIELDS = (octets(16), number(0, 65535), COUNTER, octets(32), OFFSET,
          number(0, MAX_PAYLOAD - BLOCK), TIME, TIME, octets(16), COUNTER, COUNTER, number(1, 2),
          is_overview)  # by key, 0 to 12
LIVE_KEYS, TOMBSTONE_KEYS = {0, 1, 2, 3, 4, 5, 6, 7, 9, 12}, {0, 2, 7, 9, 11}
CHUNK = (number(17, 16384), number(1, 4096), octets(16))
DESCRIPTORS = {LIVE: (*CHUNK, octets(16)), PAST: (*CHUNK, octets(16)), LINES: (*CHUNK, COUNTER)}
LINK = (OFFSET, number(0, 2**32), number(0, 2**24), octets(32), octets(32))
LINE = (COUNTER, TIME, OFFSET, octets(16))


def title_bytes(entry):
    title = entry.overview["title"]
    return title.encode() if is_text(title) else title


def parse_entry(item, part):
    """A live entry, past entry or tombstone (records.cddl)."""
    if type(item) is not dict or any(type(key) is not int or key < 0 for key in item):
        raise Failure("malformed", "entry: not a map with unsigned keys")
    needed, allowed, flags = LIVE_KEYS, {8, 11}, (0, TRASHED)
    if part == PAST:
        needed = LIVE_KEYS | {10}
    elif item.get(11) == PURGED:
        needed, allowed, flags = TOMBSTONE_KEYS, set(), (PURGED,)
    known = {key for key in item if key < len(FIELDS)}
    if not (needed <= known <= needed | allowed and item.get(11, 0) in flags
            and all(FIELDS[key](item[key]) for key in known)):
        raise Failure("malformed", "entry: keys, types or limits")
    entry = Entry(*map({11: 0, **item}.get, range(len(FIELDS))))
    if part == PAST and entry.first > entry.last:
        raise Failure("malformed", "past entry: first is after last")
    if entry.kind in KINDS:
        name = b"quickvault/1/name\0" + (entry.parent or bytes(16)) + title_bytes(entry)
        if entry.id != sha256(name)[:16]:
            raise Failure("malformed", "entry: its id is not that of its parent and title")
        sizes = {FOLDER: (0, 0), SYMLINK: (1, 4095)}.get(entry.kind)
        if sizes and not sizes[0] <= entry.size <= sizes[1]:
            raise Failure("malformed", "entry: size of a folder or symlink")
    return entry


def parse_head(raw, link):
    """The head of a segment (container.md 3.5; reader.md 4, step 3)."""
    head = cbor(raw)
    if type(head) is not list or not (3 <= len(head) <= 4) or not all(
            type(chunks) is list and all(fits(chunk, DESCRIPTORS[part]) for chunk in chunks)
            for part, chunks in enumerate(head[:3], LIVE)) or not all(
            fits(below, LINK) for below in head[3:]):
        raise Failure("malformed", "head: its form")
    parts, at = {}, link.offset + link.head_length
    for part, chunks in enumerate(head[:3], LIVE):
        parts[part] = []
        for index, (length, count, digest, first) in enumerate(chunks):
            before = chunks[index - 1][3] if index else None
            if index and not (before < first or before == first and part == PAST):
                raise Failure("malformed", "head: chunks out of order")
            if length > 4096 and count > 1:
                raise Failure("malformed", "head: a chunk is too long")
            parts[part].append(Place(index, at, length, count, digest, first))
            at += length
    if at + link.head_length != link.offset + link.length:
        raise Failure("malformed", "head: the chunks do not add up to the segment")
    return Segment(link, parts, Link(*head[3]) if head[3:] else None)


# ---- The vault ----

class Vault:
    """An open file, its page, and with a secret its keys."""

    def __init__(self, path, patient=True):
        self.file, self.keys, self.warnings = open(path, "rb", buffering=0), None, []
        self.page = self.choose_page(patient)
        self.vault_id, self.log_end = self.page.header.vault_id, self.page.header.log_end
        self.size = os.fstat(self.file.fileno()).st_size

    def read(self, offset, length):
        return os.pread(self.file.fileno(), length, offset)

    def choose_page(self, patient):
        """Reader.md 2."""
        for attempt in range(10 if patient else 1):
            self.pages = [Page(self.read(at, PAGE), PAGE_MAGIC, 3328) for at in (PAGE_A, PAGE_B)]
            if all(page.framed for page in self.pages):
                break
            time.sleep(0.001 * 2**attempt if patient else 0)
        if not all(page.supported() for page in self.pages if page.framed):
            raise Failure("unsupported", "a page asks for what this reader does not know")
        sound = [page for page in self.pages if page.sound()]
        if not sound:
            magics = [page.data[:8] == PAGE_MAGIC for page in self.pages]
            if any(magics) or self.read(PAGE_K, 8) == KEYS_MAGIC:
                raise Failure("damaged", "neither page is sound")
            raise Failure("not-a-vault", "no magic where one belongs")
        newest = max(sound, key=lambda page: page.header.sequence)
        if len(sound) == 1:
            self.warnings.append("one page is unsound")
        elif (sound[0].header.sequence == sound[1].header.sequence
              and sound[0].data != sound[1].data):
            raise Failure("damaged", "the pages differ at the same sequence")
        return newest

    def unlock(self, password, master=None):
        """Reader.md 3: with a password, or with the master key itself."""
        keys = Keys(master or unwrap(self.page, password), self.vault_id)
        if not keys.hold(self.page.covered, self.page.tags):
            raise Failure("tampered", "tags of the page")
        check_root(self.page, "malformed")
        newest = Commit(self.page.core)
        if not keys.hold(newest.raw[:344], newest.core.tags):
            raise Failure("tampered", "tags of the newest commit")
        self.keys = keys
        self.newest = self.open_private(newest)
        if self.size < self.log_end or not self.log[0][0].intact:
            self.warnings.append("the newest commit is damaged")

    def open_private(self, commit):
        """The link to the segment of a commit, from its private part (container.md 3.2)."""
        core, name = commit.core, f"private part of commit {commit.core.sequence}"
        try:
            cipher = AESGCM(self.keys.of_commit("private", core.salt))
            private = parse_private(cipher.decrypt(bytes(12), core.private, commit.raw[:232]))
        except InvalidTag:
            raise Failure("tampered", name) from None
        if any(private.unused) or private.time > MAX63:
            raise Failure("malformed", name)
        return Link(*private[:3], core.salt, private.head_hash)

    # -- The log, without a key --

    @functools.cached_property
    def log(self):
        """All commits from the newest down, and what is wrong with their records (reader.md 7)."""
        record = self.page.core + self.page.copy
        at = Commit(self.page.core).record_at
        commit = Commit(self.page.core, self.page.copy, self.read(at, RECORD) == record)
        commits, findings = [commit], []
        if not commit.intact:
            findings.append(Failure("repairable", f"commit record at {at}"))
        while commit and commit.start > LOG:
            commit = self.commit_before(commit, findings)
            commits += [commit] if commit else []
        if not commit:
            gap = f"no commit found from {LOG} to {commits[-1].start}"
            findings.append(Failure("damaged", gap))
        elif any(commit.copy):
            findings.append(Failure("repairable", "the first commit has a copy of a core before"))
        return commits, findings

    def commit_before(self, after, findings):
        """The commit that ends where `after` starts, or None (reader.md 7, step 3)."""
        def ends_there(raw):
            return core_holds(raw) and Commit(raw).end == after.start

        at = after.start - 4096
        if ends_there(after.copy):
            at = Commit(after.copy).record_at
        while at > LOG and not ends_there(after.copy) and not ends_there(self.read(at, CORE)):
            at -= 4096
        stored = self.read(at, RECORD)
        candidates = [raw for raw in (stored[:CORE], after.copy) if ends_there(raw)]
        if not candidates:
            return None
        raw = next(filter(after.follows, candidates), candidates[0])
        commit = Commit(raw, stored[CORE:], stored[:CORE] == raw)
        name = f"commit {commit.core.sequence} at {commit.start}"
        if not after.follows(raw):
            findings.append(Failure("damaged", f"{name}: the chain is broken"))
        if commit.core.version != 1 or commit.core.flags:
            findings.append(Failure("unsupported", f"{name}: version or flags"))
        if not commit.intact or after.copy != raw:
            findings.append(Failure("repairable", f"{name}: one of the two copies of its core"))
        return commit

    def table_holds(self, commit):
        """Whether the check table has the SHA-256 that the core names; asked once."""
        if commit.table_held is None:
            digest = hashlib.sha256()
            for at in range(commit.table_at, min(commit.table_end, self.size), 2**20):
                digest.update(self.read(at, min(2**20, commit.table_end - at)))
            commit.table_held = digest.digest() == commit.core.table_hash
        return commit.table_held

    def bad_blocks(self, commit, first=0, last=2**32, audit_root=None):
        """The blocks whose check tag, or audit tag, is wrong (container.md 3.3)."""
        purpose, column = ("audit-block", 16) if audit_root else ("check", 0)
        root = audit_root or self.vault_id
        cipher = AESGCM(derive(root, purpose, self.vault_id, commit.core.salt))
        for index in range(first, min(last, commit.blocks)):
            at = commit.start + index * BLOCK
            if at >= self.size:
                return
            block = self.read(at, min(BLOCK, commit.record_at - at))
            tag = self.read(commit.table_at + 32 * index + column, TAG)
            if cipher.encrypt(index.to_bytes(12, "big"), b"", block) != tag:
                yield index

    def fault(self, start, end, what):
        """Wrong bytes that should be authentic: by accident or on purpose? (reader.md 5)"""
        damaged = end > self.size or start < self.log[0][-1].start
        for commit in self.log[0]:
            if start < commit.end and end > commit.start and not damaged:
                first = max(start - commit.start, 0) // BLOCK
                last = -(-(end - commit.start) // BLOCK)
                damaged = (not commit.intact or not self.table_holds(commit)
                           or bool(list(self.bad_blocks(commit, first, last))))
        return Failure("damaged" if damaged else "tampered", f"{what}, bytes {start} to {end}")

    # -- The manifest --

    def open_segment(self, link, low, high):
        """The head of a segment that must lie between two places (reader.md 4, steps 1 to 3)."""
        end = link.offset + link.length
        if not (low <= link.offset <= end <= high and link.offset % 64 == 0
                and link.length <= 2**32
                and TAG < link.head_length <= min(2**24, link.length // 2)):
            raise Failure("malformed", f"a segment cannot be at {link.offset}")
        for at in (link.offset, end - link.head_length):
            sealed = self.read(at, link.head_length)
            if sha256(sealed) == link.head_hash:
                return parse_head(self.open_part(link, HEAD, 0, at, sealed), link)
            self.warnings.append(f"a copy of a head at {at} is broken")
        raise self.fault(link.offset, link.offset + link.head_length, "both copies of a head")

    def open_part(self, link, part, index, at, sealed):
        """Unseal the head or a chunk of a segment (container.md 3.5)."""
        cipher = AESGCM(self.keys.of_commit("segment", link.salt))
        try:
            return cipher.decrypt(struct.pack(">B7xI", part, index), sealed, b"")
        except InvalidTag:
            raise self.fault(at, at + len(sealed), "part of a segment") from None

    def stack(self):
        """The segments from the newest down."""
        link, high = self.newest, self.log_end
        for _ in range(64):
            segment = self.open_segment(link, LOG, high)
            yield segment
            if segment.next is None:
                return
            link, high = segment.next, link.offset
        raise Failure("malformed", "more than 64 segments")

    def items(self, segment, part, findings=None):
        """The entries or lines of one part of a segment, in order (reader.md 4, step 4)."""
        previous = ()
        for index, at, length, count, digest, first in segment.parts[part]:
            chunk = []
            with collecting(findings):
                sealed = self.read(at, length)
                if sha256(sealed)[:16] != digest:
                    raise self.fault(at, at + length, "chunk of a segment")
                items = cbor(self.open_part(segment.link, part, index, at, sealed))
                if type(items) is not list or len(items) != count or (
                        part == LINES and not all(fits(item, LINE) for item in items)):
                    raise Failure("malformed", "chunk: its form or number of items")
                if part != LINES:
                    items = [parse_entry(item, part) for item in items]
                keys = [(item[0], item.first if part == PAST else 0) for item in items]
                if keys[0][0] != first or any(b <= a for a, b in zip([previous] + keys, keys)):
                    raise Failure("malformed", "chunk: items out of order")
                chunk, previous = items, keys[-1]
            yield from chunk

    def listing(self):
        """All that is live and not in the trash, as (entry, path) by id (reader.md 4, 4 and 6)."""
        current = {}
        for segment in self.stack():
            for entry in self.items(segment, LIVE):
                current.setdefault(entry.id, entry)
        return [(entry, path_of(entry, current))
                for _, entry in sorted(current.items()) if not entry.flags]

    # -- Records --

    def content(self, entry):
        """The plaintext of a record, chunk after authenticated chunk (reader.md 5)."""
        at = entry.offset
        if at % 64 or at < LOG or record_end(entry) > self.log_end:
            raise Failure("malformed", f"a record cannot be at {at}")
        start = self.read(at, 192)
        try:
            if start[:32] != entry.salt:
                raise InvalidTag
            header = parse_record_header(AESGCM(self.keys.header).decrypt(
                entry.salt[:12], start[32:], entry.salt + self.vault_id))
        except InvalidTag:
            raise self.fault(at, at + 192, "start of a record") from None
        if (header.id, header.kind, header.size) != (entry.id, entry.kind, entry.size) or (
                header.revision > entry.revision or any(header.unused)
                or header.name_length > 79 or any(header.name[header.name_length:])):
            raise Failure("malformed", f"header of the record at {at}")
        cipher, at, last = AESGCM(self.keys.of_record(entry)), at + 192, chunks_of(entry) - 1
        for index in range(last + 1):
            length = min(BLOCK, entry.size - index * BLOCK) + TAG
            nonce = index.to_bytes(11, "big") + bytes([index == last])
            try:
                plain = cipher.decrypt(nonce, self.read(at, length), b"")
            except InvalidTag:
                raise self.fault(at, at + length, "chunk of a record") from None
            if entry.kind == SYMLINK and b"\0" in plain:
                raise Failure("malformed", "the target of a symlink has a NUL")
            yield plain
            at += length


def chunks_of(entry):
    return max(1, -(-entry.size // BLOCK))


def record_end(entry):
    """Where a stored record ends (container.md 3.6)."""
    return entry.offset + 192 + entry.size + TAG * chunks_of(entry)


def path_of(entry, current):
    """The titles down to an entry; a folder in the trash still gives its title (reader.md 4.6)."""
    titles = [title_bytes(entry)]
    while entry.parent is not None:
        entry = current.get(entry.parent)
        if entry is None or entry.kind != FOLDER or len(titles) > MAX_DEPTH:
            raise Failure("malformed", "an entry without a proper parent, or too deep")
        titles.append(title_bytes(entry))
    return tuple(reversed(titles))


# ---- Verify ----

def verify(vault):
    """All findings: reader.md 7, and with a key 8."""
    try:
        check_root(vault.page, "damaged")
    except Failure as failure:
        return [failure]
    commits, findings = vault.log[0], list(vault.log[1])
    check_pages(vault, commits, findings)
    for commit in commits:
        check_payload(vault, commit, findings)
    if vault.keys:
        check_contents(vault, commits, findings)
    return findings


def check_pages(vault, commits, findings):
    """Reader.md 7, steps 1, 4 and 5; with a key the tags (8, step 1)."""
    page, newest = vault.page, commits[0]
    keys = Page(vault.read(PAGE_K, PAGE), KEYS_MAGIC, 2304)
    for name, other in zip("ABK", (*vault.pages, keys)):
        if not other.sound():
            findings.append(Failure("repairable", f"page {name} is unsound"))
        elif vault.keys and not vault.keys.hold(other.covered, other.tags):
            findings.append(Failure("tampered", f"tags of page {name}"))
    for other in vault.pages:
        if other.sound():
            with collecting(findings):
                check_root(other, "repairable")
            if other.core not in (newest.raw, newest.copy):
                findings.append(Failure("repairable", "the commit of a page is not in the log"))
    if keys.framed and not keys.supported():
        findings.append(Failure("unsupported", "page K asks for what this reader does not know"))
    elif keys.sound():
        ids, sequence = page.data[32:64], keys.data[64:72]
        header = KEYS_MAGIC + b"\0\1" + bytes(22) + ids + sequence + bytes(184)
        if keys.covered != header + page.slot_area:
            findings.append(Failure("repairable", "page K is old"))
    for gap in (PAGE_A + PAGE, PAGE_B + PAGE):
        if any(vault.read(gap, 61440)):
            findings.append(Failure("repairable", f"bytes in the gap at {gap}"))
    if vault.size < vault.log_end:
        findings.append(Failure("damaged", "the file is shorter than its log"))
    elif vault.size > vault.log_end:
        klass = "ok" if all(other.sound() for other in vault.pages) else "damaged"
        findings.append(Failure(klass, "bytes behind the log: an unfinished save"))


def check_payload(vault, commit, findings):
    """Check table and blocks; with a key the tags of core and blocks (reader.md 7.3 and 8.1)."""
    name = f"commit {commit.core.sequence}"
    for raw in {commit.raw, commit.copy, vault.read(commit.record_at, CORE)}:
        if vault.keys and core_hashed(raw) and not vault.keys.hold(raw[:344], raw[344:408]):
            findings.append(Failure("tampered", f"{name}: tags of a core"))
    if any(vault.read(commit.table_end, commit.end - commit.table_end)):
        findings.append(Failure("repairable", f"{name}: bytes behind the check table"))
    if not vault.table_holds(commit):
        findings.append(Failure("damaged", f"{name}: check table at {commit.table_at}"))
        return
    faults = {}
    if vault.keys:
        audit_root = vault.keys.audit_root
        faults = dict.fromkeys(vault.bad_blocks(commit, audit_root=audit_root), "tampered")
    faults.update(dict.fromkeys(vault.bad_blocks(commit), "damaged"))
    for index, klass in sorted(faults.items()):
        findings.append(Failure(klass, f"{name}: payload at {commit.start + index * BLOCK}"))


def check_contents(vault, commits, findings):
    """Segments, records and padding (reader.md 8, steps 2 to 4)."""
    links, records, ranges, before = {}, {}, [], len(findings)
    for commit in commits:
        with collecting(findings):
            links[commit] = vault.open_private(commit)
    for commit, link in links.items():
        with collecting(findings):
            segment = vault.open_segment(link, commit.start, commit.record_at)
            ranges.append((link.offset, link.offset + link.length))
            check_segment(vault, segment, commits, links.values(), findings)
            for entry in (entry for part in (LIVE, PAST)
                          for entry in vault.items(segment, part, findings)):
                if entry.flags != PURGED:
                    key = entry.offset, entry.salt, entry.id, entry.kind, entry.size
                    records[key] = min(records.get(key, entry), entry, key=lambda e: e.revision)
    with collecting(findings):
        vault.listing()
    whole = len(findings) == before and commits[-1].start == LOG
    for entry in records.values():
        ranges.append((entry.offset, record_end(entry)))
        with collecting(findings):
            for _ in vault.content(entry):
                pass
    if whole:  # else what looks like padding may be a record that only a lost chunk names
        check_padding(vault, commits, sorted(ranges), findings)


def check_segment(vault, segment, commits, links, findings):
    """The second head, the link and the lines of a segment (reader.md 8, step 2)."""
    link, oldest, lines = segment.link, commits[-1], {}
    end = link.offset + link.length
    heads = [vault.read(at, link.head_length) for at in (link.offset, end - link.head_length)]
    if heads[0] != heads[1]:
        findings.append(vault.fault(link.offset, end, "a copy of a head"))
    below = segment.next
    if below and below not in links and below.offset >= oldest.start:
        findings.append(Failure("malformed", "a link to a segment that no commit names"))
    for commit in commits:
        lines[commit.core.sequence] = commit.record_at, commit.core.tags[32:48]
    for sequence, _, offset, tag in vault.items(segment, LINES, findings):
        if sequence >= oldest.core.sequence and lines.get(sequence) != (offset, tag):
            findings.append(Failure("malformed", f"a line for {sequence}, which is no commit"))


def check_padding(vault, commits, ranges, findings):
    """Every other byte of the payload areas is padding stream (container.md 3.4)."""
    if any(after[0] < before[1] for before, after in zip(ranges, ranges[1:])):
        findings.append(Failure("malformed", "records or segments overlap"))
        return
    for commit in commits:
        at, own = commit.start, []
        while ranges and ranges[-1][0] >= at:
            own.append(ranges.pop())
        for start, end in reversed(own):
            if end > commit.record_at:
                findings.append(Failure("malformed", f"{start} to {end} is in no payload area"))
            compare_padding(vault, commit, at, min(start, commit.record_at), findings)
            at = end
        compare_padding(vault, commit, at, commit.record_at, findings)


def compare_padding(vault, commit, at, end, findings):
    """Compare the bytes from `at` to `end` with the padding stream of their commit."""
    key = vault.keys.of_commit("padding", commit.core.salt)
    counter, skip = divmod(at - commit.start, 16)
    stream = Cipher(algorithms.AES(key), modes.CTR(counter.to_bytes(16, "big"))).encryptor()
    stream.update(bytes(skip))
    for start in range(at, end, BLOCK):
        length = min(BLOCK, end - start)
        if vault.read(start, length) != stream.update(bytes(length)):
            findings.append(vault.fault(start, start + length, "padding"))


# ---- Extract (reader.md 6) ----

def leaves(target, depth):
    """Whether a symlink's target may leave the folder `depth` levels up. Stricter than lexical:
    a `..` behind a name could start from wherever another symlink leads."""
    names = [name for name in target.split(b"/") if name not in (b"", b".")]
    ups = names.count(b"..")
    return target.startswith(b"/") or ups > depth or b".." in names[ups:]


def write_file(vault, entry, name):
    """Under a temporary name until the last chunk has been authenticated."""
    temporary = os.path.join(os.path.dirname(name), b".qvault-tmp-" + os.urandom(8).hex().encode())
    mode = 0o755 if "exec" in entry.overview else 0o644
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, mode)
    try:
        with open(handle, "wb") as file:
            for plain in vault.content(entry):
                file.write(plain)
        if os.path.lexists(name):
            raise FileExistsError(None, "something with this name exists")
        os.rename(temporary, name)
    except BaseException:
        os.unlink(temporary)
        raise


def write_entry(vault, entry, path, made):
    """Write one entry, or refuse; its folder is one that was made here, hence no symlink."""
    name = b"/".join(path)
    if any(title in (b"", b".", b"..") or b"/" in title or b"\0" in title or len(title) > 255
           for title in path) or len(name) > 4095:
        raise PermissionError(None, "a title that is no file name, or a path that is too long")
    if path[:-1] not in made:
        raise PermissionError(None, "its folder was not written")
    if entry.kind == FOLDER:
        os.mkdir(name, 0o755)
    elif entry.kind == FILE:
        write_file(vault, entry, name)
    elif entry.kind == SYMLINK:
        target = b"".join(vault.content(entry))
        if leaves(target, len(path) - 1):
            raise PermissionError(None, "the target may leave the folder")
        os.symlink(target, name)
    else:
        raise PermissionError(None, "neither a file nor a folder nor a symlink")


def extract(vault, outdir):
    """Everything live: folders first, symlinks last, and then the times, the deepest first."""
    os.makedirs(outdir, exist_ok=True)
    if os.listdir(outdir):
        raise FileExistsError(None, "the target folder is not empty", outdir)
    listing = sorted(vault.listing(), key=lambda item: (
        {FOLDER: 0, SYMLINK: 2}.get(item[0].kind, 1), len(item[1])))
    os.chdir(outdir)
    made, findings, result = {()}, [], 0
    for entry, path in listing:
        try:
            write_entry(vault, entry, path, made)
            made.add(path)
        except (Failure, OSError) as error:
            findings += [error] if isinstance(error, Failure) else []
            result = 1
            reason = getattr(error, "strerror", error)
            print(f"qvault_reader: left out {visible(path)}: {reason}", file=sys.stderr)
    for entry, path in reversed(listing):
        when = entry.overview.get("mtime")
        if when is not None and path in made:
            os.utime(b"/".join(path), ns=(when, when), follow_symlinks=False)
    return EXIT[worst(findings)] or result


# ---- Test vectors (reader.md 9) ----

def parse_vector(path, target):
    """Write the file of a vector to `target`; return the header."""
    with open(path, encoding="utf-8") as file:
        head, _, body = file.read().partition("\n\n")
    head = dict(re.findall("^(.+?): ?(.*)$", head, re.MULTILINE))
    target.truncate(int(head["size"]))
    for line in body.splitlines():
        offset, data = line.split()
        target.seek(int(offset, 16))
        target.write(bytes.fromhex(data))
    target.flush()
    return head


def vector_secret(head):
    """The password and the master key of a vector; one of them is None."""
    if "password" not in head:
        return None, bytes.fromhex(head["master-key"])
    return re.sub(rb"\\(\\|x(..))", lambda escape: bytes.fromhex((escape[2] or b"5c").decode()),
                  head["password"].encode()), None


def class_of(action, path, secret):
    """The class with which an action on a vault ends."""
    try:
        vault = Vault(path, patient=False)
        if secret:
            vault.unlock(*secret)
        return worst(action(vault))
    except Failure as failure:
        return failure.klass


def run_vector(path):
    """What a vector says that is not so."""
    released = hashlib.sha256()

    def read(vault):
        for entry, _ in vault.listing():
            for plain in vault.content(entry):
                released.update(plain)
        return []

    with tempfile.NamedTemporaryFile() as target:
        head = parse_vector(path, target)
        found = {"keyless": class_of(verify, target.name, None)}
        if "password" in head or "master-key" in head:
            found["read"] = class_of(read, target.name, vector_secret(head))
            found["released"] = released.hexdigest()
            found["verify"] = class_of(verify, target.name, vector_secret(head))
    return [f"{key} is {found.get(key)}, expected {head[key]}"
            for key in ("read", "released", "keyless", "verify")
            if key in head and found.get(key) != head[key]]


def vectors(paths):
    failed = 0
    for path in paths:
        try:
            mismatches = run_vector(path)
        except (ValueError, KeyError, OSError) as error:
            mismatches = [f"cannot be used: {error!r}"]
        failed += bool(mismatches)
        for mismatch in mismatches:
            print(f"{path}: {mismatch}")
    print(f"{len(paths) - failed} passed, {failed} failed")
    return int(failed > 0)


# ---- Commands ----

def visible(path):
    """A path for people: whatever is not printable is escaped."""
    text = b"/".join(path).decode(errors="backslashreplace")
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def ask_password():
    """The password as bytes, without one trailing newline."""
    if "QVAULT_PASSWORD_FILE" in os.environ:
        with open(os.environ["QVAULT_PASSWORD_FILE"], "rb") as file:
            return file.read().removesuffix(b"\n")
    if "QVAULT_PASSWORD_COMMAND" in os.environ:
        command = ["/bin/sh", "-c", os.environ["QVAULT_PASSWORD_COMMAND"]]
        return subprocess.check_output(command).removesuffix(b"\n")
    return getpass.getpass().encode(errors="surrogateescape")


def print_findings(path, keyless, master):
    """The command `verify`; a vault that does not open has just that finding."""
    try:
        vault = Vault(path)
        if not keyless:
            vault.unlock(None if master else ask_password(), master)
        findings = verify(vault)
    except Failure as failure:
        findings = [failure]
        print(f"qvault_reader: {failure}", file=sys.stderr)
    print(worst(findings), *dict.fromkeys(map(str, findings)), sep="\n")
    return EXIT[worst(findings)]


def run(arguments):
    """Carry out a command; returns the exit code."""
    if arguments.command == "vectors":
        return vectors(arguments.files)
    if arguments.command == "verify":
        return print_findings(arguments.vault, arguments.keyless, arguments.master_key)
    vault, result = Vault(arguments.vault), 0
    vault.unlock(ask_password())
    if arguments.command == "list":
        for entry, path in vault.listing():
            kind = KINDS.get(entry.kind, f"kind-{entry.kind}")
            print(entry.id.hex()[:8], kind, entry.size, visible(path))
    else:
        result = extract(vault, arguments.outdir)
    for warning in vault.warnings:
        print(f"qvault_reader: warning: {warning}", file=sys.stderr)
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
    sys.stdout.reconfigure(errors="backslashreplace")
    try:
        return run(parser.parse_args())
    except Failure as failure:
        print(f"qvault_reader: {failure}", file=sys.stderr)
        return EXIT[failure.klass]
    except (OSError, EOFError, subprocess.CalledProcessError) as error:
        print(f"qvault_reader: {str(error) or 'no password'}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
