#!/usr/bin/python3
"""A second reader of QuickVault containers, written from the Spec and to be read beside it.

    qvault_reader.py list VAULT [SECRET]
    qvault_reader.py extract VAULT OUTDIR [SECRET]
    qvault_reader.py verify VAULT [--keyless | SECRET]
    qvault_reader.py vectors FILE...

SECRET is --keyfile FILE beside the password, --recovery-key-file FILE, --identity-file FILE,
--device-key HEX or --master-key HEX. The password comes from the file $QVAULT_PASSWORD_FILE, the output of
$QVAULT_PASSWORD_COMMAND or the terminal. No writer may be at work on the file. Places in the Spec: [C 2] is container.md, 2;
[K 6] is keys.md, 6; [R 3.5] is reader.md, 3, step 5; [S 10] is store.md, 10.
"""
import argparse, collections, contextlib, functools, getpass, hashlib, hmac, io, itertools, os, re, struct
import subprocess, sys, tempfile, unicodedata
from collections import namedtuple
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

EXIT = {"ok": 0, "not-there": 10, "refused": 12, "invalid": 11, "wrong-key": 3, "not-a-vault": 8, "repairable": 4,
        "unsupported": 8, "malformed": 5, "damaged": 5, "tampered": 6}  # the worst comes last
PAGE_A, PAGE_B, LOG, BLOCK, FRAME = 0, 65536, 131072, 65536, 1 << 20  # stored offsets count from LOG
PAGE_MAGIC, CORE_MAGIC = b"\x89QVPAGE\n", b"\x89QVCMIT\n"
KINDS = {1: "file", 2: "folder", 3: "symlink"}
FILE, FOLDER, SYMLINK = KINDS
LIVE, PAST, LINES = 1, 2, 3  # parts of a segment
PURGED = 2  # a flag of an entry; 1 is trashed

class Fault(Exception):
    """One of the classes of [R 1], a colon, and what was found."""

def class_of(*faults):
    """The worst of their classes."""
    return max((str(f).split(":")[0] for f in faults), key=list(EXIT).index, default="ok")

def require(holds, what):
    if not holds:
        raise Fault(what)

def caught(action, *arguments):
    """The fault that an action raises, where that is no reason to stop; in a list, or none."""
    try:
        action(*arguments)
    except Fault as fault:
        return [fault]
    return []

# ---- Fixed structures: each field with its format in `struct`, and all the bytes as `raw` ----
def layout(fields):
    names, formats = zip(*(field.split() for field in fields.split(",")))
    row, table = namedtuple("Row", (*names, "raw")), struct.Struct(">" + "".join(formats))
    return lambda data: row(*table.unpack(data.ljust(table.size, b"\0")), data)

PAGE = layout("magic 8s, version H, flags H, required I, write I, reserved1 12s, ids 32s, sequence Q,"
              "log_end Q, origin 40s, tail Q, reserved2 128s, slots 2048s, record 1024s, reserved3 672s,"
              "tags 64s, digest 32s")  # [C 2.1, 2.2]
SLOT = layout("kind B, kdf B, memory B, lanes B, rounds I, id 16s, salt 32s, nonce 12s, commitment 32s,"
              "wrapped 48s, label_nonce 12s, label 80s, reserved 16s")  # [C 2.3]
LABEL = layout("created Q, length B, text 55s")
CORE = layout("magic 8s, version H, flags H, write I, ids 32s, sequence Q, salt 32s, start Q,"
              "length Q, tail Q, previous 32s, table_hash 32s, slot_hash 32s, private 144s,"
              "area Q, area_length I, reserved1 4s, area_hash 32s, reserved2 16s, tags 64s, digest 32s")  # [C 3.2]
PRIVATE = layout("offset Q, length Q, head I, reserved1 4s, head_hash 32s, time Q, writer 32s, reserved2 32s")
RECORD_HEADER = layout("names 18s, flags H, reserved 4s, revision Q, size Q, hints 32s, packed Q, length B, name 63s")  # [C 3.6]
Link = namedtuple("Link", "offset length head copy salt head_hash")  # [C 3.5]
Entry = namedtuple("Entry", (  # in the order of the keys in entries.cddl
    "id kind revision salt offset size created updated parent first last flags overview packed hint form inner former origin title"))

def sha256(data):
    return hashlib.sha256(data).digest()
def is_utf8(raw):
    return raw.decode(errors="ignore").encode() == raw
def framed(row, magic):
    return row.magic == magic and sha256(row.raw[:-32]) == row.raw[-32:]

PBKDF2, ARGON2ID = 1, 2  # functions of a slot
def is_known(slot):
    """Whether no newer program made the slot [C 2.3]."""
    return (slot.kind, slot.kdf) in {(4, 0), (5, 0), *itertools.product((1, 2, 3), (PBKDF2, ARGON2ID))}

def slots_of(page):
    """The slots that are not empty."""
    return [slot for slot in map(SLOT, struct.unpack("256s" * 8, page.slots)) if any(slot.raw)]

def is_known_format(page):
    return page.version == 1 and page.flags < 2 and not page.required

def is_sound(page):
    """Whether a page is sound [R 2.2]."""
    return framed(page, PAGE_MAGIC) and is_known_format(page)

def is_foreign(page):
    return framed(page, PAGE_MAGIC) and not is_known_format(page)

class Commit:
    """The places of a commit [C 3.1], from its record: a core and a copy of the one before."""
    def __init__(self, record):
        core, self.copy = CORE(record[:512]), record[512:]
        self.core, self.start, self.blocks = core, LOG + core.start, -(-core.length // BLOCK)
        self.record_at, self.name = self.start + core.length, f"commit {core.sequence}"
        self.table_at = self.record_at + 1024
        self.table_end = self.table_at + 32 * (self.blocks + 1)
        self.fingerprint = sha256(core.raw)
        self.end = self.record_at + core.tail
        area_at = LOG + core.area
        self.areas = (area_at, -((area_at + core.area_length) // -4096) * 4096) if core.area_length else ()
        self.sound = (framed(core, CORE_MAGIC) and (core.version, core.flags) == (1, 0)
                      and core.sequence in COUNTER
                      and int.from_bytes(core.ids[16:24], "big") in COUNTER
                      and core.start % 4096 == core.length % 4096 == core.tail % 4096 == 0
                      and core.start < 2**60 and 4096 <= core.length <= 2**48
                      and self.table_end <= self.end and core.tail <= 2**48
                      and core.area_length <= 2**20
                      and all(at + core.area_length <= self.end for at in self.areas))

    def precedes(self, after):
        """Whether this may be the commit before another one [R 7.3]."""
        return (self.sound and self.fingerprint == after.core.previous and self.end == after.start
                and self.core.ids == after.core.ids and self.core.sequence < after.core.sequence)

def newest_of(page, klass):
    """The newest commit, if the page keeps the rules of [R 3.5]; else a fault of that class."""
    commit = Commit(page.record)
    core, known = commit.core, (commit.core.version, commit.core.flags) == (1, 0)
    require(known or not framed(core, CORE_MAGIC), "unsupported: version or flags of a core")
    require(commit.sound and sha256(page.slots) == core.slot_hash and not core.write & ~page.write
            and (page.ids, page.sequence, LOG + page.log_end) == (core.ids, core.sequence, commit.end)
            and (page.flags or not any(page.origin)), f"{klass}: the parts of a page do not fit")
    return commit

# ---- CBOR (entries.cddl) ----
SIMPLE = {20: False, 21: True, 22: None}
def cbor_item(data, at, depth):
    """The item at `at`, and where it ends."""
    major, number, at = data[at] >> 5, data[at] & 31, at + 1
    if major == 7 and number in SIMPLE: return SIMPLE[number], at
    require(major < 6 and (major < 4 or depth <= 16), "malformed: CBOR, a type")
    if number > 23:  # above 27 there is no length: IndexError
        size, least = 2 ** (number - 24), (24, 2**8, 2**16, 2**32)[number - 24]
        number, at = int.from_bytes(data[at:at + size], "big"), at + size
        require(number >= least, "malformed: CBOR, not the shortest integer")
    if major == 0: return number, at
    if major == 1: return -1 - number, at
    if major == 2: return data[at:at + number], at + number
    if major == 3: return data[at:at + number].decode(), at + number
    items, encoded = [], []
    for _ in range(number if major == 4 else 2 * number):
        start, (item, at) = at, cbor_item(data, at, depth + 1)
        items.append(item)
        encoded.append(data[start:at])
    if major == 4: return items, at
    require(encoded[::2] == sorted(set(encoded[::2])), "malformed: CBOR, the keys of a map")
    names = [item if type(item) in (int, str) else raw for item, raw in zip(items, encoded)]
    return dict(zip(names[::2], items[1::2])), at

def cbor(data):
    try:
        item, end = cbor_item(data, 0, 1)
    except (UnicodeDecodeError, IndexError):
        end = None
    require(end == len(data), "malformed: CBOR, cut off, trailing bytes or not UTF-8")
    return item

def fits(value, rule):
    """Whether an item keeps a rule: a range of integers, a number of bytes, the rules of an array's
    items, with `...` behind them where more may follow, [the rule of each item], {the rules of a
    map's known keys}, a type, or a function."""
    kind, form = type(value), type(rule)
    if form is range: return kind is int and value in rule
    if form is int: return kind is bytes and len(value) == rule
    if form is dict: return kind is dict and all(fits(value[key], rule[key])
                                                 for key in rule if key in value)
    if form is list: return kind is list and all(fits(item, rule[0]) for item in value)
    if form is tuple:
        known = rule[:-1] if rule[-1] is ... else rule
        return (kind is list and all(map(fits, value, known)) and len(value) >= len(known)
                and (len(value) == len(known) or len(known) < len(rule)))
    return kind is rule if form is type else rule(value)

def is_natural(value):
    return type(value) is int and value >= 0

COUNTER, TIME, OFFSET = range(1, 2**63), range(2**63), range(2**60 + 1)
OVERVIEW = {
    "title": lambda value: fits(value, str) or type(value) is bytes and not is_utf8(value),
    "mtime": range(-2**63, 2**63), "exec": lambda value: value is True, "group": str, "type": str,
    "tags": lambda value: value and fits(value, [str]), "pinned": lambda value: value is True}
FIELDS = dict(enumerate((16, range(65536), COUNTER, 32, OFFSET, range(2**48 - BLOCK + 1), TIME,
                         TIME, 16, COUNTER, COUNTER, lambda flags: is_natural(flags) and flags > 0,
                         OVERVIEW, COUNTER, is_natural, range(1, 2)))) | {20: 16, 21: 16, 22: (COUNTER, 16)}
CHUNK = range(17, 16385), range(1, 4097), 16
LINK = OFFSET, is_natural, is_natural, OFFSET, 32, 32, ...  # `Vault.segment` knows the limits of the lengths
HEAD = ([(*CHUNK, 16, ...)], [(*CHUNK, 16, ...)], [(*CHUNK, COUNTER, ...)],
        lambda link: link is None or fits(link, LINK),
        lambda more: type(more) is dict and all(map(is_natural, more)))
LINE = COUNTER, TIME, OFFSET, 16, ...

def parse_entry(item, part):
    """A live entry, past entry or tombstone."""
    require(fits(item, FIELDS) and all(map(is_natural, item)), "malformed: the values of an entry")
    needed, optional, flags = {*range(8), 9, 12}, {8, 11, 13, 14, 15, 20, 21, 22}, item.get(11, 0)
    if part == PAST:
        needed.add(10)
    elif flags & PURGED:
        needed, optional = {0, 2, 7, 9, 11}, set()
    overview = item.get(12, {"title": ""})
    require(needed <= item.keys() & FIELDS <= needed | optional
            and (1 in needed) == (not flags & PURGED) and (20 not in item or item[1] == FOLDER)
            and item[9] <= item.get(10, item[9]) and (13 not in item or item[5])
            and (15 not in item or 13 in item and item[13] % 24 == 0 and item[13] <= 24 << 20) and "title" in overview
            and fits([*overview], [str]), "malformed: the keys of an entry")
    title = overview["title"]
    place = None if flags & PURGED else LOG + item[4]
    item = {**item, 4: place, 20: item.get(20, item[0])}
    title = title.encode() if fits(title, str) else title
    return Entry(*map(item.get, FIELDS), title)._replace(flags=flags & 3)

# ---- The vault ----
def unseal(key, nonce, sealed, aad, what):
    """The plaintext, if GCM does not refuse."""
    try:
        return AESGCM(key).decrypt(nonce, sealed, aad)
    except InvalidTag:
        raise Fault(what) from None

def record_end(entry):
    return entry.offset + 192 + stored_size(entry) + 16 * max(1, -(-stored_size(entry) // BLOCK))

def stored_size(entry):
    """m of [C 3.6]"""
    return entry.size if entry.packed is None else entry.packed

def has_right_size(entry):
    """Whether a folder has no content, and a symlink a target that systems take."""
    return (entry.kind != SYMLINK or entry.packed is None) and entry.size in {FOLDER: (0,), SYMLINK: range(1, 4096)}.get(entry.kind, (entry.size,))

def unframe(frame, size):
    """The content of one zstd frame with a header and a length as [C 3.7] says."""
    import zstandard
    require(frame[4:] and frame[4] & 63 == 36, "malformed: the header of a frame")
    try:
        require(zstandard.frame_content_size(frame) == size, "malformed: length of a frame")
        reader = zstandard.ZstdDecompressor().decompressobj()
        content = reader.decompress(frame)
        require(reader.eof and not reader.unused_data, "malformed: length of a frame")
        return content
    except zstandard.ZstdError:
        raise Fault("malformed: a frame") from None

Secret = collections.namedtuple("Secret", "kind text keyfile", defaults=[b""])

def password(text, keyfile=None):
    """A password, perhaps with the bytes of a keyfile [R 3.1, K 2]."""
    require(is_utf8(text), "invalid: the password is not UTF-8")
    text = unicodedata.normalize("NFC", text.decode()).encode()
    require(1 <= len(text) <= 2**20 and b"\0" not in text, "invalid: the length or a NUL of the password")
    require(keyfile is None or 1 <= len(keyfile) <= 2**26, "invalid: the length of the keyfile")
    return Secret(1, text) if keyfile is None else Secret(2, text, sha256(keyfile))

BASE32 = "0123456789ABCDEFGHJKMNPQRSTVWXYZ*~$=U"
def recovery_key(sheet):
    """The recovery key on a sheet [K 6]."""
    found = {}
    for line in sheet.decode(errors="replace").split("\n"):
        if match := re.match(r"[ \t]*([1-4])[ \t.:)](.*)", line):
            text = re.sub(r"[ \t\r.:)-]", "", match[2]).upper().translate(str.maketrans("ILO", "110"))
            digits, number = list(map(BASE32.find, text)), int(match[1])
            require(len(digits) == 9 and min(digits) >= 0 and max(digits[:8]) < 32,
                    f"invalid: line {number} of the recovery key")
            value = functools.reduce(lambda sum, digit: sum * 32 + digit, digits[:8])
            require(digits[8] == (5 * value + number - 1) % 37, f"invalid: line {number} is mistyped")
            found[number] = value.to_bytes(5, "big")
    require(len(found) == 4, "invalid: a line of the recovery key is missing")
    return Secret(3, b"".join(found[number] for number in (1, 2, 3, 4)))

def x25519(secret, public=bytes([9]) + bytes(31)):
    """The bytes that a secret key shares with a public one, none if that is of low order; with the base point: its own
    public key (RFC 7748)."""
    from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
    with contextlib.suppress(ValueError):
        return X25519PrivateKey.from_private_bytes(secret).exchange(X25519PublicKey.from_public_bytes(public))

def identity(text):
    """The identity in a file [K 8]."""
    lines = rb"QuickVault identity 1\nrecipient qvr1([0-9a-f]{64})([0-9a-f]{8})\nsecret ([0-9a-f]{64})\n?"
    found = re.fullmatch(lines, text)
    public, check, secret = (bytes.fromhex(it.decode()) for it in found.groups()) if found else (b"", b"", b"")
    require(x25519(secret) == public and sha256(b"quickvault/1/recipient\0" + public)[:4] == check,
            "invalid: no identity")
    return Secret(5, secret)

def check_cost(slots):
    """Refuse slots outside the limits, before the first hash [R 3.2, limits.md]."""
    pbkdf2 = [slot.rounds for slot in slots if slot.kdf == PBKDF2]
    argon2 = [slot for slot in slots if slot.kdf == ARGON2ID]
    # With memory in its range, the floor and the sum hold the passes within theirs.
    bounded = all(15 <= slot.memory <= 20 and 1 <= slot.lanes <= 64
                  and slot.rounds << slot.memory >= 96 << 10 for slot in argon2)
    require(all(rounds >= 10**5 for rounds in pbkdf2) and sum(pbkdf2) <= 10**7 and bounded
            and sum(slot.rounds << slot.memory for slot in argon2) <= 16 << 20,
            "refused: the cost of a key slot")

def stretch(secret, slot):
    """The key material of a secret [K 2]."""
    if slot.kdf == PBKDF2:
        return hashlib.pbkdf2_hmac("sha256", secret.text, slot.salt, slot.rounds)
    if slot.kdf == ARGON2ID:
        import argon2.low_level  # only such slots take python3-argon2
        return argon2.low_level.hash_secret_raw(
            secret.text, slot.salt, slot.rounds, 2**slot.memory, slot.lanes, 32,
            argon2.low_level.Type.ID, 0x13)
    if slot.kind == 5:
        shared = x25519(secret.text, slot.salt)
        require(shared, "malformed: a slot whose public key is of low order")
        return shared
    return secret.text

# ---- Parity, as far as it matters to a reader [R 10.1] ----
PARITY = layout("magic 8s, kind B, m B, row H, group I, start Q, length Q, tag 12s, checks 208s, crc I,"
                "parity 1024s")  # [C 3.9]

def crc32c(data):
    """CRC-32C (RFC 3720, B.4), a bit at a time."""
    crc = 2**32 - 1
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 & -(crc & 1))
    return crc ^ 2**32 - 1

def tail_block(file, at):
    """A sound block of a tail, in its place, which bounds the length too."""
    block = PARITY(os.pread(file.fileno(), 1280, at))
    groups = -(-block.length // 204800) | 1
    fits = ((block.magic, block.kind, block.start) == (b"\x89QVPRTY\n", 2, 0) and 8 <= block.m <= 55
            and block.length % 1024 == 0 and block.row < block.m and block.group < groups
            and at == block.length + 1280 * (block.row * groups + block.group))
    return block if fits and crc32c(block.raw[:252] + block.parity) == block.crc else None

def tail_of(file, size):
    """The last sound block of the tail, or None."""
    places = range(size // 256 * 256, max(size - 32769, -1), -256)
    return next(filter(None, (tail_block(file, at) for at in places)), None)

def is_tail_sound(file, size, page):
    """Whether all blocks of a backup's tail are there; None where it has no tail [R 7.4]."""
    begin = LOG + page.log_end + 4096
    blocks = [tail_block(file, at) for at in range(begin, size - 1279 if page.flags else 0, 1280)]
    groups = -(-begin // 204800) | 1
    counts = collections.Counter((it.m, it.tag) for it in blocks if it and it.length == begin
                     and page.tail in (0, 1280 * groups * it.m))
    if not counts and not (page.flags and page.tail):
        return None
    return any(count == groups * m for (m, _), count in counts.items())

class Vault:
    """An open file and the page that counts [R 2]; `settle` it without a key or `unlock` it."""
    def __init__(self, file):
        self.file, self.size, self.has_key = file, os.fstat(file.fileno()).st_size, False
        tail = tail_of(file, self.size)
        places = PAGE_A, PAGE_B, (tail.length if tail else self.size) // 4096 * 4096 - 4096
        a, b, t = (self.read_page(at) if at in places[:2] or at >= LOG else PAGE(b"") for at in places)
        self.pages, self.lacks, self.stray = [page for page in (a, b) if is_sound(page)], False, None
        page = max(self.pages, key=lambda page: page.sequence, default=None)
        is_t = is_sound(t) and LOG + t.log_end == places[2]
        has_own = page and self.read_page(LOG + page.log_end) == page
        require(has_own or not any(map(is_foreign, (a, b))), "unsupported: a page")
        self.near, between = page, self.between(t, page) if is_t and page else None
        if len(self.pages) < 2:  # page T stands in, or tells that nothing is lost
            require(not is_foreign(t), "unsupported: page T")
            adopted = is_t and (not page or between is not None)
            self.lacks = not adopted and not has_own
            page = t if adopted else page
        elif is_t and self.size > LOG + page.log_end + 4096:
            if between:
                page = t
            elif between is None and t.sequence > page.sequence:
                self.stray = t
        marked = tail or any(row.magic == PAGE_MAGIC for row in (a, b, t))
        require(page, "damaged: no sound page" if marked else "not-a-vault: no magic")
        pairs = itertools.combinations([*self.pages, page], 2)
        require(all(one == other or one.sequence != other.sequence for one, other in pairs),
                "damaged: the pages differ at one sequence")
        self.page, self.vault_id = page, page.ids[:16]

    def between(self, t, page):
        """Whether there are commits between that of page T and that of a page; None if the log does not lead there [R 2.4]."""
        if caught(newest_of, t, "") or caught(newest_of, page, ""):
            return None
        old, new, apart = Commit(page.record), Commit(t.record), False
        below = new
        while below.start > old.end:
            before = Commit(below.copy)
            record = self.read_record(before.record_at) if before.precedes(below) else b""
            if record[:512] != before.core.raw:
                return None
            before.copy, below, apart = record[512:], before, True
        whole = self.read_record(new.record_at) == t.record and not any(self.bad_blocks(new))
        return apart if old.precedes(below) and whole else None

    def read(self, offset, length):
        return os.pread(self.file.fileno(), length, offset)

    def read_page(self, offset):
        return PAGE(self.read(offset, 4096))

    def read_record(self, offset):
        return self.read(offset, 1024)

    def two_keys(self, ikm, purpose, salt=b"", context=b""):
        """64 bytes of HKDF-SHA256 as in keys.md, 1, in two halves. To HMAC an empty salt equals zeros."""
        info = b"quickvault/1/" + purpose.encode() + b"\0" + self.vault_id + context
        prk = hmac.digest(salt, ikm, "sha256")
        first = hmac.digest(prk, info + b"\1", "sha256")
        return first, hmac.digest(prk, first + info + b"\2", "sha256")

    def key(self, ikm, purpose, salt=b""):
        return self.two_keys(ikm, purpose, salt)[0]

    def unwrap(self, secret):
        """The master key, from a slot that belongs to the secret [R 3.1 to 3.3]."""
        slots = slots_of(self.page)
        mine = [slot for slot in slots if is_known(slot) and slot.kind == secret.kind]
        check_cost(mine)
        for slot in mine:
            context = slot.id + slot.raw[:1] + self.page.ids[16:]
            salt = slot.salt + (x25519(secret.text) if slot.kind == 5 else b"")
            key, commitment = self.two_keys(stretch(secret, slot) + secret.keyfile, "slot", salt, context)
            if hmac.compare_digest(commitment, slot.commitment):
                aad = slot.raw[:100] + self.page.ids
                return unseal(key, slot.nonce, slot.wrapped, aad, "tampered: a key slot")
        require(mine or all(map(is_known, slots)), "unsupported: no slot that is known belongs to this secret")
        raise Fault("wrong-key: no slot belongs to this secret")

    def unlock(self, secret, master=None):
        """[R 3], with a secret or with the master key itself."""
        master = master or self.unwrap(secret())
        self.record_root, self.manifest_root, audit_root, self.label_key, owner_tag = (
            self.key(master, purpose) for purpose in
            ("record-root", "manifest-root", "audit-root", "slot-label", "owner-tag"))
        self.tag_keys, self.has_key = (self.key(audit_root, "audit-tag"), owner_tag), True
        if len(self.pages) == 2 and caught(self.check_tags, self.page):
            self.page = self.near  # anybody can append a page T
        self.check_tags(self.page)
        self.settle("malformed")
        self.link = self.open_core(self.newest)

    def audit(self, text):
        """[R 8.4], with the text of an audit key file [K 7]: audit tags are checked, and no others."""
        lines = "vault (?{32})\nepoch (?{32})\nkey (?{64})\n)check (?{16})\n?".replace("?{", "[0-9a-f]{")
        found = re.fullmatch(b"(QuickVault audit key 1\n" + lines.encode(), text)
        require(found and sha256(found[1]).hex()[:16].encode() == found[5], "invalid: the audit key file")
        require(found[2] + found[3] == self.page.ids.hex().encode(), "wrong-key: the audit key of another vault")
        self.tag_keys = self.key(bytes.fromhex(found[4].decode()), "audit-tag"), None
        self.settle("damaged")

    def settle(self, klass):
        """The newest commit."""
        self.newest = newest_of(self.page, klass)
        self.log_end = self.newest.end

    def check_tags(self, row):
        """The two tags at the end of a page or core, or with an audit key one [C 2.1, 3.2]."""
        audit_key, owner_key = self.tag_keys
        owner = hmac.digest(owner_key, row.raw[:-96], "sha256") if owner_key else row.tags[32:]
        audit = hmac.digest(audit_key, row.raw[:-96] + owner, "sha256")
        require(hmac.compare_digest(audit + owner, row.tags), f"tampered: tags at sequence {row.sequence}")

    def open_core(self, commit):
        """The link to the segment of a commit, from its private part [R 3.6]."""
        core, what = commit.core, f"private part of {commit.name}"
        self.check_tags(core)
        key = self.key(self.manifest_root, "private", core.salt)
        private = PRIVATE(unseal(key, bytes(12), core.private, core.raw[:208], f"tampered: {what}"))
        require(private.time in TIME and is_utf8(private.writer), f"malformed: {what}")
        require(commit.table_end + private.head <= commit.end, f"malformed: {what}, the head's length")
        return Link(LOG + private.offset, private.length, private.head, commit.table_end, core.salt,
                    private.head_hash)

    @functools.cached_property
    def log(self):
        """The commits from the newest down, and what is wrong with their records [R 7.2, 7.3]."""
        commits, record = [self.newest], self.newest.core.raw + self.newest.copy
        faults = caught(require, self.read_record(self.newest.record_at) == record,
                        f"repairable: record of {self.newest.name}, the newest")
        while commits[-1].start > LOG:
            after = commits[-1]
            before = Commit(after.copy)
            if not before.precedes(after):
                faults.append(Fault(f"repairable: the copy of the core before {after.name}"))
                for at in range(after.start - 4096, max(LOG, after.start - 2**34), -4096):
                    before = Commit(self.read_record(at))
                    if before.record_at == at and before.precedes(after): break
                else:
                    return commits, [*faults, Fault(f"damaged: no commit below {after.start}")]
            record = self.read_record(before.record_at)
            before.copy = record[512:]
            faults += caught(require, record[:512] == before.core.raw, f"repairable: {before.name}'s core")
            commits.append(before)
        faults += caught(require, not any(commits[-1].copy), "repairable: copy in the first")
        return commits, faults

    def bad_blocks(self, commit, first=None, last=None):
        """Faults of the check table and of blocks [C 3.3]."""
        table = hashlib.sha256()
        for at in range(commit.table_at, min(commit.table_end, self.size), BLOCK):
            table.update(self.read(at, min(BLOCK, commit.table_end - at)))
        if table.digest() != commit.core.table_hash:
            yield Fault(f"damaged: check table of {commit.name}")
            return
        for index in range(commit.blocks)[first:last]:
            at = commit.start + index * BLOCK
            prefix = b"quickvault/1/block\0" + commit.core.salt + index.to_bytes(8, "big")
            row = sha256(prefix + self.read(at, min(BLOCK, commit.record_at - at)))
            if row != self.read(commit.table_at + 32 * index, 32):
                yield Fault(f"damaged: block at {at} of {commit.name}")
        if not self.tail_holds(commit):
            yield Fault(f"repairable: behind the table of {commit.name}")

    def tail_holds(self, commit):
        """Whether what stands behind a check table has the hash of its last row."""
        rest = self.read(commit.table_end, min(commit.end - commit.table_end, self.size))
        prefix = b"quickvault/1/block\0" + commit.core.salt + commit.blocks.to_bytes(8, "big")
        return sha256(prefix + rest) == self.read(commit.table_end - 32, 32)

    def verify_bytes(self, holds, start, length, what):
        """If bytes that should be authentic are wrong: by accident or on purpose? [R 5]"""
        if holds:
            return
        end, (commits, _) = start + length, self.log
        damaged = end > self.size or start < commits[-1].start
        for commit in commits:
            if not damaged and start < commit.end and end > commit.start:
                first, last = (start - commit.start) // BLOCK, -((commit.start - end) // BLOCK)
                damaged = "damaged" in map(class_of, self.bad_blocks(commit, max(first, 0), last))
        raise Fault(f"{'damaged' if damaged else 'tampered'}: {what}, bytes {start} to {end}")

    def open(self, key, nonce, at, length, aad=b"", sealed=None):
        """Unseal bytes of the file."""
        try:
            return unseal(key, nonce, sealed or self.read(at, length), aad, "")
        except Fault:
            self.verify_bytes(False, at, length, "sealed")

    def heads(self, link):
        """The head of a segment, and its copy without the mask [C 3.5]."""
        key = self.key(self.manifest_root, "rest", link.salt)
        mask = Cipher(algorithms.AES(key), modes.CTR(bytes(16))).encryptor()
        return [self.read(link.offset, link.head), mask.update(self.read(link.copy, link.head))]

    def segment(self, link, low, high):
        """The chunks of each part of a segment, and the link to the one below [R 4.1 to 4.3]."""
        end = link.offset + link.length
        require(low <= link.offset and end <= high and link.offset % 64 == 0 and
                link.length <= 2**35 and 17 <= link.head <= min(2**27, link.length) and link.copy >= end,
                f"malformed: a segment cannot be at {link.offset}")
        heads = [head for head in self.heads(link) if sha256(head) == link.head_hash]
        self.verify_bytes(heads, link.offset, link.head, "both copies of a head")
        key, at = self.key(self.manifest_root, "segment", link.salt), link.offset + link.head
        head = cbor(self.open(key, bytes(12), link.offset, link.head, sealed=heads[0]))
        require(fits(head, HEAD), "malformed: the form of a head")
        parts = {LIVE: [], PAST: [], LINES: []}
        for part, chunks in parts.items():
            for index, (length, count, digest, first, *_) in enumerate(head[part - 1]):
                nonce, last = bytes([part]) + index.to_bytes(11, "big"), chunks and chunks[-1][-1]
                require((length <= 4096 or count == 1)
                        and (not chunks or last < first or part == PAST and last == first),
                        "malformed: length or order of chunks")
                chunks.append((key, nonce, at, length, count, digest, first))
                at += length
        require(at == end, "malformed: the length of a segment")
        below = Link(*head[3][:6]) if head[3] else None
        return parts, below and below._replace(offset=LOG + below.offset, copy=LOG + below.copy)

    def items(self, parts, part, faults=None):
        """The entries or lines of a part, in order; with a list for faults, of chunks that open."""
        last = ()
        for chunk in parts[part]:
            try:
                items = self.open_chunk(part, *chunk)
                keys = [(item[0], part == PAST and item.first) for item in items]
                require(keys[0][0] == chunk[-1] and keys == sorted(set(keys)) and last < keys[0],
                        "malformed: the order of items")
                last = keys[-1]
                yield from items
            except Fault as fault:
                if faults is None: raise
                faults.append(fault)

    def open_chunk(self, part, key, nonce, at, length, count, digest, _):
        """[R 4.4]"""
        self.verify_bytes(sha256(self.read(at, length))[:16] == digest, at, length, "chunk")
        items = cbor(self.open(key, nonce, at, length))
        require(fits(items, [LINE if part == LINES else dict]) and len(items) == count,
                "malformed: the items of a chunk")
        return items if part == LINES else [parse_entry(item, part) for item in items]

    def stack(self):
        """All segments from the newest down."""
        link, low, high = self.link, self.newest.start, self.newest.record_at
        for _ in range(64):
            parts, below = self.segment(link, low, high)
            yield parts
            if not below:
                return
            link, low, high = below, LOG, link.offset
        raise Fault("malformed: more than 64 segments")

    def listing(self):
        """All that is live and not trashed, by id, with the titles of its path [R 4.4, 4.6]."""
        result = []
        listed = {key: entry for key, entry in sorted(self.current.items()) if not entry.flags}
        folders = {entry.inner: entry for entry in listed.values() if entry.kind == FOLDER}
        require(len(folders) == sum(entry.kind == FOLDER for entry in listed.values()),
                "malformed: two folders with one inner id")
        for entry in listed.values():
            path, folder = (entry.title,), entry
            while folder.kind in KINDS and folder.parent:
                folder = folders.get(folder.parent)
                require(folder and len(path) < 1024,
                        "malformed: an entry without a listed folder around it, or too deep")
                path = (folder.title, *path)
            result.append((entry, path))
        return result

    def saved(self, number):
        """The records after a save, those of no purged folder, by id; none where it cannot be shown [S 10]."""
        stack, newest = list(self.stack()), self.newest.core.sequence
        places = {line[0]: line[2] for parts in stack for line in self.items(parts, LINES)} | {newest: 1}
        require(places.get(number), "not-there: the state of a save that is forgotten")
        versions = [entry for parts in stack for entry in self.items(parts, PAST)]
        held = [entry for entry in (*self.current.values(), *versions)
                if not entry.flags and entry.first <= number <= (entry.last or number)]
        folders = {entry.inner: entry for entry in held if entry.kind == FOLDER}
        def is_rooted(entry):
            for _ in range(1024):
                if entry is None or not entry.parent: break
                entry = folders.get(entry.parent)
            return entry is not None and not entry.parent
        return sorted(entry for entry in held if entry.kind not in KINDS or is_rooted(entry))

    def content(self, entry):
        """The content of a record, as its authentic chunks come, or frame after frame [R 5]."""
        for part in self.pieces(entry) if entry.form else [entry]:
            yield from self.stored(part) if part.packed is None else self.frames(part)

    @functools.cached_property
    def current(self):
        """The newest live entries, by id [R 4.4]."""
        current = {}
        for entry in (entry for parts in self.stack() for entry in self.items(parts, LIVE)):
            current.setdefault(entry.id, entry)
        return current

    def pieces(self, entry):
        """The pieces of a content, as its list names them [C 3.10, R 5.5]."""
        ids, sizes = zip(*struct.iter_unpack(">16sQ", b"".join(self.stored(entry))))
        require(all(sizes) and sum(sizes) == entry.size, "malformed: the lengths of pieces")
        pieces = [*map(self.current.get, ids)]
        require(all(it and (it.kind, it.flags, it.parent, it.revision, it.form, it.size) == (38, 0, None, 1, None, size) for it, size in zip(pieces, sizes)),
                "malformed: a piece that is not there")
        return pieces

    def frames(self, entry):
        """The content of the frames of a compressed record [C 3.7]."""
        count = -(-entry.size // FRAME)
        table = 4 * count if count > 1 else 0
        collections.deque(self.stored(entry, [0, 0]))  # the header comes first
        require(table < entry.packed, "malformed: no room for the table of the frames")
        chunks, bounds = self.stored(entry, [entry.packed - table, entry.packed]), [entry.packed]
        if table:
            bounds = [*itertools.accumulate(struct.unpack(f">{count}I", b"".join(chunks)))]
        lengths = [end - start for start, end in zip([0, *bounds], bounds)]
        sizes = [min(FRAME, entry.size - index * FRAME) for index in range(count)]
        require(bounds[-1] == entry.packed - table and all(1 <= length <= size + 4096 for length, size in zip(lengths, sizes)),
                "malformed: table of frames")
        for index, end in enumerate(bounds):
            frame = b"".join(self.stored(entry, [end - lengths[index], end]))
            yield unframe(frame, sizes[index])

    def stored(self, entry, wanted=None):
        """The plaintext of the chunks of a record, or the wanted range of it."""
        at, end, salt = entry.offset, record_end(entry), entry.salt
        require(at % 64 == 0 and end <= self.log_end, "malformed: place of a record")
        self.verify_bytes(self.read(at, 32) == salt, at, 192, "salt of a record")
        key, aad = self.key(self.record_root, "header"), salt + self.vault_id
        header = RECORD_HEADER(self.open(key, salt[:12], at + 32, 160, aad))
        require(header.flags < 2, "unsupported: a stored record")
        require((header.size, header.packed, header.flags) == (entry.size, entry.packed or 0, entry.form or 0) and header.length <= 63,
                "malformed: a header")
        key, (low, high) = self.key(self.record_root, "record", salt), wanted or (0, max(1, stored_size(entry)))
        for index in range(low // BLOCK, -(-high // BLOCK)):
            place = at + 192 + index * (BLOCK + 16)
            length = min(BLOCK + 16, end - place)
            nonce = index.to_bytes(11, "big") + bytes([place + length == end])
            plain = self.open(key, nonce, place, length)
            yield plain[max(0, low - index * BLOCK):max(0, high - index * BLOCK)]

# ---- Verify ----
def verdict(file, secret=None, audit_key=None):
    """All faults; if the vault does not open, that one."""
    faults = []
    return caught(lambda: faults.extend(verify(file, secret, audit_key))) + faults

def verify(file, secret, audit_key):
    """Yields the faults of [R 7], and with a secret (password, master key) or an audit key of [R 8]."""
    vault = Vault(file)
    if secret:
        vault.unlock(*secret)
        list(vault.stack())
    elif audit_key is not None:
        vault.audit(audit_key)
    else:
        vault.settle("damaged")
    page, (commits, faults) = vault.page, vault.log
    yield from faults
    cores = [commit.core for commit in commits[:2]]
    near = [not caught(newest_of, other, "damaged") and Commit(other.record).core in cores
            for other in vault.pages]
    gaps = vault.read(PAGE_A + 4096, 61440) + vault.read(PAGE_B + 4096, 61440)
    has_t = vault.read_page(vault.log_end) == page
    core, areas = vault.newest.core, vault.newest.areas
    tail = is_tail_sound(vault.file, vault.size, page)
    has_area = not areas or any(sha256(vault.read(at, core.area_length)) == core.area_hash for at in areas)
    for holds, what in (
            (len(vault.pages) == 2, "repairable: page A or B is unsound"),
            (not vault.lacks, "damaged: a newer save may be lost"),
            (all(near), "repairable: the content or the commit of the older page"),
            (all(it.slots == page.slots for it in vault.pages), "repairable: the older page's slots"),
            (page.write or not any(gaps), "repairable: bytes in a gap"),
            (has_area, "damaged: the extension area"),
            (vault.size >= vault.log_end, "damaged: the file is shorter than its log"),
            (tail is not False, "repairable: a parity block"),
            (has_t or vault.size > vault.log_end + 4096 and tail is None, "repairable: page T")):
        yield from caught(require, holds, what)
    for commit in commits:
        yield from vault.bad_blocks(commit)
    if secret or audit_key is not None:
        for row in (page, *vault.pages, *(commit.core for commit in commits)):
            yield from caught(vault.check_tags, row)
        if vault.stray and not caught(vault.check_tags, vault.stray):
            yield Fault("damaged: page T names a save that the log does not lead to")
        for core in (commit.core for commit in commits):
            yield from caught(require, not core.write & ~page.write, "malformed: a write feature")
    if secret:
        for slot in filter(is_known, slots_of(page)):
            yield from caught(verify_label, vault, slot)
        yield from verify_content(vault, commits)

def verify_label(vault, slot):
    what, aad = "malformed: the label of a slot", slot.id + vault.vault_id
    label = LABEL(unseal(vault.label_key, slot.label_nonce, slot.label, aad, what))
    text = label.text[:label.length]
    most = 23 if slot.kind == 5 else 55
    require(label.created in TIME and label.length <= most and is_utf8(text), what)

def verify_content(vault, commits):
    """[R 8.1 to 8.3]"""
    links, used, records, faults = {}, [], {}, []
    for commit in commits:
        faults += caught(lambda: links.update({vault.open_core(commit): commit}))
    for link, commit in links.items():
        used.append((link.offset, link.offset + link.length))
        faults += caught(verify_segment, vault, link, commit, links, records, faults)
    faults += caught(vault.listing)
    for entry in records.values():
        used.append((entry.offset, record_end(entry)))
        faults += caught(verify_record, vault, entry)
    used.sort()
    apart = all(a[1] <= b[0] for a, b in zip(used, used[1:]))
    return faults + caught(require, apart, "malformed: records or segments that overlap")

def verify_segment(vault, link, commit, links, records, faults):
    """[R 8.2], and [R 8.3] but for the stored records, which are noted."""
    parts, below = vault.segment(link, commit.start, commit.record_at)
    same = sha256(vault.read(link.offset, link.head)) == link.head_hash
    faults += caught(vault.verify_bytes, same, link.offset, link.head, "the head of a segment")
    same = sha256(vault.heads(link)[1]) == link.head_hash or any(vault.bad_blocks(commit, 0, 0))
    faults += caught(require, same, "tampered: the copy of a head")
    faults += caught(require, not below or below in links, "malformed: link to no commit's segment")
    lines = {c.core.sequence: [c.record_at - LOG, c.fingerprint[:16]] for c in vault.log[0]}
    for sequence, _, *line in (line[:4] for line in vault.items(parts, LINES, faults)):
        good = lines.get(sequence, line) == line
        faults += caught(require, good, f"malformed: the line of commit {sequence}")
    for part in (LIVE, PAST):
        for entry in vault.items(parts, part, faults):
            if not entry.flags & PURGED:
                parent = entry.parent or bytes(16)
                name = sha256(b"quickvault/1/name\0" + parent + entry.title)
                derived = entry.kind not in KINDS or entry.id == parent[14:] + name[:14]
                inside = any(c.start <= entry.offset and record_end(entry) <= c.record_at for c in vault.log[0])
                whole = not entry.form or entry.kind in (FILE, 32)
                if derived and inside and whole and has_right_size(entry) and entry.kind:
                    key = entry.offset, entry.salt, entry.kind, entry.size, entry.packed, entry.form
                    records[key] = min(entry, records.get(key, entry), key=lambda e: e.revision)
                else:
                    faults.append(Fault(f"malformed: kind, size, id or place of {entry.id.hex()}"))

def verify_record(vault, entry):
    if entry.form:
        vault.pieces(entry)
        return
    for plain in vault.content(entry):
        require(entry.kind != SYMLINK or b"\0" not in plain, "malformed: a NUL in a symlink")

# ---- Extract [R 6] ----
def write_entry(vault, entry, path, made):
    """Write one entry, or refuse; into a folder that was made here, hence through no symlink."""
    name, title = b"/".join(path), path[-1]
    require(path[:-1] in made and entry.kind in KINDS and title not in (b"", b".", b"..")
            and not re.search(rb"[/\0]", title), "ok: its kind, title or folder is refused")  # the system knows lengths
    require(has_right_size(entry), "malformed: a folder with content, or the length of a symlink's target")
    if entry.kind == FOLDER:
        os.mkdir(name)
    elif entry.kind == SYMLINK:
        target = b"".join(vault.content(entry))
        require(b"\0" not in target, "malformed: a NUL in a symlink's target")
        names = [name for name in target.split(b"/") if name not in (b"", b".")]
        ups = names.count(b"..")
        require(target[:1] != b"/" and ups < len(path) and b".." not in names[ups:], "ok: may lead outside")
        os.symlink(target, name)
    else:
        mode = 0o777 if "exec" in entry.overview else 0o666
        temporary = b".qvault-tmp-" + os.urandom(8).hex().encode()
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        try:
            with open(handle, "wb") as file:
                file.writelines(vault.content(entry))
            os.link(temporary, name)  # unlike a rename it replaces nothing
        finally:
            os.unlink(temporary)

def is_passed_over(entry):
    return entry.kind in (*range(33, 40), 41) or (entry.kind, entry.title) == (40, b"compression")

def extract(vault, outdir):
    """All that is listed, from the top down; symlinks last."""
    listing = sorted((it for it in vault.listing() if not is_passed_over(it[0])),
                     key=lambda it: (it[0].kind == SYMLINK, len(it[1])))
    os.makedirs(outdir, exist_ok=True)
    os.chdir(outdir)
    made, faults = {()}, []
    for entry, path in listing:
        try:
            write_entry(vault, entry, path, made)
            made.add(path)
        except (Fault, OSError) as error:
            faults.append(error if type(error) is Fault else Fault(f"ok: {error.strerror}"))
            warn(f"left out {visible(path)}: {str(faults[-1]).removeprefix('ok: ')}")
    for entry, path in reversed(listing):  # a folder's time after what is in it
        if path in made and "mtime" in entry.overview:
            os.utime(b"/".join(path), ns=(entry.overview["mtime"],) * 2, follow_symlinks=False)
    return faults, sorted(b"/".join(path) for path in made - {()})

# ---- Commands ----
def read_all(file, secret, released):
    vault = Vault(file)
    vault.unlock(*secret)
    for entry, _ in vault.listing():
        for plain in vault.content(entry):
            released.update(plain)

def run_showing(file, secret, number):
    """The hash of what the state after a save gives, or the class of a failure."""
    shown, vault = hashlib.sha256(), Vault(file)
    vault.unlock(*secret)
    def show():
        for entry in vault.saved(number):
            for plain in vault.content(entry):
                shown.update(plain)
    return class_of(*faults) if (faults := caught(show)) else shown.hexdigest()

def written(path):
    """The hash of the files under a path, as [R 9] hashes it."""
    kind, content = b"d", b""
    if os.path.islink(path):
        kind, content = b"l", os.readlink(path)
    elif os.path.isfile(path):
        with open(path, "rb") as file:
            kind, content = b"x" if os.access(path, os.X_OK) else b"f", file.read()
    return kind + len(path).to_bytes(4, "big") + path + len(content).to_bytes(8, "big") + content

def run_unpacking(target, secret):
    """The outcome of an extraction, and the files that it writes."""
    here, made = os.getcwd(), []
    def unpack():
        vault = Vault(target)
        vault.unlock(*secret)
        faults, made[:] = extract(vault, folder)
        kind = class_of(*faults)
        require(not faults, "left-out:" if kind == "ok" else f"{kind}:")
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stderr(io.StringIO()):
        faults = caught(unpack)
        outcome = str(faults[0]).split(":")[0] if faults else "ok"
        digest = sha256(b"".join(map(written, made)))
        os.chdir(here)
    return {"unpack": outcome, "unpacked": digest.hex()}

def outcomes(head, target):
    """The outcomes of a vector's file with this reader: the values of its header that are outcomes [R 9]."""
    def unescaped(key):
        return re.sub(rb"\\(\\|x(..))", lambda it: bytes.fromhex((it[2] or b"5c").decode()),
                      head.get(key, "").encode())
    def unhexed(key):
        return bytes.fromhex(head[key]) if key in head else None
    def given():
        if "recovery-key" in head:
            return recovery_key(unescaped("recovery-key"))
        if "device-key" in head:
            return Secret(4, unhexed("device-key"))
        if "identity" in head:
            return identity(unescaped("identity"))
        return password(unescaped("password"), unhexed("keyfile"))
    secret, released = (given, unhexed("master-key")), hashlib.sha256()
    found = run_unpacking(target, secret) if "unpack" in head else {}
    if "at" in head:
        found["shown"] = run_showing(target, secret, int(head["at"]))
    if "audited" in head:
        found["audited"] = class_of(*verdict(target, audit_key=unescaped("audit-key")))
    return found | {"read": class_of(*caught(read_all, target, secret, released)),
                    "released": released.hexdigest(), "keyless": class_of(*verdict(target)),
                    "verify": class_of(*verdict(target, secret))}

def run_vector(path):
    """Whether a vector [R 9] says what is found."""
    with open(path, encoding="utf-8") as file, tempfile.TemporaryFile() as target:
        head, _, body = file.read().partition("\n\n")
        head = dict(line.split(": ", 1) for line in head.split("\n"))
        target.truncate(int(head["size"]))
        for offset, data in map(str.split, body.splitlines()):
            os.pwrite(target.fileno(), bytes.fromhex(data), int(offset, 16))
        found = outcomes(head, target)
    wrong = [key for key in found if head.get(key, found[key]) != found[key]]
    for key in wrong:
        print(f"{path}: {key} is {found[key]}, expected {head[key]}")
    return not wrong

def warn(message):
    print(f"qvault_reader: {message}", file=sys.stderr)

def visible(path):
    """A path for people: whatever is not printable is escaped."""
    name = b"/".join(path).decode(errors="backslashreplace")
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in name)

def ask_password():
    if "QVAULT_PASSWORD_FILE" in os.environ:
        return open(os.environ["QVAULT_PASSWORD_FILE"], "rb").read().removesuffix(b"\n")
    if "QVAULT_PASSWORD_COMMAND" in os.environ:
        command = ["/bin/sh", "-c", os.environ["QVAULT_PASSWORD_COMMAND"]]
        return subprocess.check_output(command).removesuffix(b"\n")
    return getpass.getpass().encode(errors="surrogateescape")

def run(command, paths, keyless, master_key, keyfile, recovery_key_file, identity_file, device_key):
    """Carry out a command; returns the exit code."""
    if command == "vectors":
        passed = sum(map(run_vector, paths))
        print(f"{passed} passed, {len(paths) - passed} failed")
        return int(passed < len(paths))
    def given():
        if recovery_key_file:
            return recovery_key(open(recovery_key_file, "rb").read())
        if identity_file:
            return identity(open(identity_file, "rb").read())
        if device_key:
            return Secret(4, device_key)
        return password(ask_password(), open(keyfile, "rb").read() if keyfile else None)
    file = open(paths[0], "rb")
    if command == "verify":
        faults = verdict(file, None if keyless else (given, master_key))
        print(class_of(*faults), *faults, sep="\n")
        return EXIT[class_of(*faults)]
    vault = Vault(file)
    vault.unlock(given, master_key)
    if len(vault.pages) < 2 or vault.log[1] or vault.size < vault.log_end:
        warn(f"warning: {'newer saves may be lost' if vault.lacks else 'the vault is damaged'}; verify it")
    if command == "extract":
        faults, _ = extract(vault, paths[1])
        return EXIT[class_of(*faults)] or int(len(faults) > 0)
    for entry, path in vault.listing():
        kind = KINDS.get(entry.kind, f"kind-{entry.kind}")
        print(entry.id.hex()[:8], kind, entry.size, visible(path))
    return 0

if __name__ == "__main__":
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("command", choices=("list", "extract", "verify", "vectors"))
    parser.add_argument("paths", nargs="+")
    parser.add_argument("--keyless", action="store_true")
    for name, kind in (("master-key", bytes.fromhex), ("keyfile", str), ("recovery-key-file", str),
                       ("identity-file", str), ("device-key", bytes.fromhex)):
        parser.add_argument("--" + name, type=kind)
    options = parser.parse_args()
    if options.command != "vectors" and len(options.paths) != 1 + (options.command == "extract"):
        parser.error("wrong number of paths")
    try:
        sys.exit(run(*vars(options).values()))
    except Fault as fault:
        warn(fault)
        sys.exit(EXIT[class_of(fault)])
    except (OSError, EOFError, subprocess.CalledProcessError) as error:
        sys.exit(f"qvault_reader: {str(error) or 'no password'}")
