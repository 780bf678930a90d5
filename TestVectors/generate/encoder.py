"""A plain encoder of whole vault files (Spec/container.md, keys.md, store.md 4 and 5).

Every layer passes its value through `hooked` before the layer above is computed over it, so a fault at one layer is
sealed, tagged and hashed by everything above it. Faults that nothing above knows of are made in the finished file.
"""

import unicodedata

import parity
from layout import BLOCK, COMMIT_MAGIC, LOG, MINUTE, PAGE_A, PAGE_B, PAGE_MAGIC, PAGE_T, START, Commit
from manifest import Manifest
from primitives import (Draws, ZERO_NONCE, align, argon2id, gcm, hkdf, hmac, keystream, masked, padme, pbkdf2, sha256, u16, u32, u64, x25519,
                        x25519_public)


class Vault(Manifest):
    def __init__(self, seed, slot=None, iterations=100000, sequence=0, previous=bytes(32)):
        """A vault before its first commit; `slot` is the password of slot 0, None leaves it empty."""
        self.draws, self.notes, self.hooks = Draws("quickvault/" + seed), [], []
        self.commits, self.stack, self.live, self.contents, self.pages = [], [], {}, {}, {}
        self.sequence, self.previous = sequence, previous
        self.chunk_limit, self.payload_extra = 4096, 0
        self.parity = None  # parity blocks of a group, for the payload areas of the commits to come
        self.extensions, self.area = b"", b""  # an area that the next commit writes; what cores say of the one in force
        self.vault_id = self.draw("vault id", 16)
        self.epoch = u64(1) + self.draw("epoch random", 8)
        self.master = self.draw("master key", 32)
        self.derive()
        self.slots = [bytes(256)] * 8
        if slot is not None:
            self.slots[0] = self.slot("slot 0", 1, slot, iterations, "password")

    # Plumbing

    def draw(self, name, length):
        return self.note("draw " + name, self.draws.take(length))

    def salt(self, name, time):
        """A salt of the commit that is being made (keys.md, 4)."""
        previous = self.fingerprint()
        message = self.draw(name + " salt", 32) + u64(time) + previous + u64(self.salt_count)
        self.salt_count += 1
        return self.note(name + " salt", hmac(self.salt_key, self.note(name + " salt input", message)))

    def fingerprint(self):
        """SHA-256 of the newest core."""
        return sha256(self.commits[-1].record[:512]) if self.commits else self.previous

    def note(self, name, value):
        """Keep an intermediate value for the example."""
        self.notes.append((name, value))
        return value

    def hook(self, layer, change, commit=None):
        """Let `change` replace the value of a layer, in one commit or in all."""
        self.hooks.append((layer, commit, change))

    def hooked(self, layer, value, number=0):
        for name, commit, change in self.hooks:
            if name == layer and commit in (None, number):
                value = change(value)
        return value

    # Keys (keys.md)

    def key(self, name, ikm, salt, purpose, context=b"", length=32):
        info = b"quickvault/1/" + purpose.encode() + b"\x00" + self.vault_id + context
        self.note(name + " info", info)
        return self.note(name, hkdf(ikm, salt, info, length))

    def derive(self):
        """The keys that hang from the master key alone (keys.md, 3)."""
        self.record_root = self.key("record root", self.master, b"", "record-root")
        self.manifest_root = self.key("manifest root", self.master, b"", "manifest-root")
        self.owner_key = self.key("owner tag key", self.master, b"", "owner-tag")
        self.label_key = self.key("slot-label key", self.master, b"", "slot-label")
        self.salt_key = self.key("salt key", self.master, b"", "salt")
        self.key("witness key", self.master, b"", "witness")
        self.audit_root = self.key("audit root", self.master, b"", "audit-root")
        self.audit_key = self.key("audit tag key", self.audit_root, b"", "audit-tag")
        self.header_key = self.key("header key", self.record_root, b"", "header")

    def slot(self, name, kind, secret, iterations, label, extra=b"", cheap=False, argon2=None):
        """A key slot (container.md, 2.3; keys.md, 2). `extra` is the hash of a keyfile; `cheap` leaves the KDF out;
        `argon2` is the binary logarithm of the memory, the passes and the lanes of Argon2id."""
        slot_id, salt = self.draw(name + " id", 16), self.draw(name + " salt", 32)
        nonce, label_nonce = self.draw(name + " nonce", 12), self.draw(name + " label nonce", 12)
        if isinstance(secret, str):
            secret = unicodedata.normalize("NFC", secret).encode()
        memory, rounds, lanes = argon2 or (0, iterations, 0)
        if kind == 4 or cheap:
            ikm = secret
        elif argon2:
            ikm = argon2id(secret, salt, 2**memory, rounds, lanes)
        else:
            ikm = pbkdf2(secret, salt, iterations)
        self.note(name + " p", ikm)
        kdf = 0 if kind == 4 else 2 if argon2 else 1
        front = bytes([kind, kdf, memory, lanes]) + u32(rounds) + slot_id + salt
        return self.sealed_slot(name, front, ikm + extra, salt, nonce, label_nonce, label)

    def recipient_slot(self, name, public, label="friend", ephemeral=None):
        """A slot of kind 5, for the identity that a public key belongs to; `ephemeral` is another public key made for it."""
        slot_id, secret = self.draw(name + " id", 16), self.draw(name + " ephemeral", 32)
        nonce, label_nonce = self.draw(name + " nonce", 12), self.draw(name + " label nonce", 12)
        salt = ephemeral or x25519_public(secret)
        front = bytes([5, 0, 0, 0]) + u32(0) + slot_id + salt
        return self.sealed_slot(name, front, x25519(secret, public), salt + public, nonce, label_nonce, label, public)

    def sealed_slot(self, name, front, ikm, salt, nonce, label_nonce, label, public=b""):
        """The slot behind its salt: what the input key material gives and seals."""
        slot_id = front[8:24]
        both = self.key(name + " wrap key and commitment", ikm, salt, "slot", slot_id + front[:1] + self.epoch, 64)
        wrap = self.note(name + " wrap key", both[:32])
        front += nonce + self.note(name + " commitment", both[32:])
        front = self.hooked("slot-front", front)
        aad = self.note(name + " master key aad", front + self.vault_id + self.epoch)
        wrapped = self.note(name + " wrapped master key", gcm(wrap, nonce, self.master, aad))
        text = (u64(START) + bytes([len(label)]) + label.encode()).ljust(64 - len(public), b"\x00") + public
        plain = self.note(name + " label plaintext", self.hooked("label", text))
        label_aad = self.note(name + " label aad", slot_id + self.vault_id)
        sealed = self.note(name + " label sealed", gcm(self.label_key, label_nonce, plain, label_aad))
        return self.note(name, self.hooked("slot", front + wrapped + label_nonce + sealed + bytes(16)))

    def set_slot(self, index, slot):
        """Put a slot in place; it takes effect with the next commit."""
        self.slots = self.slots[:index] + [slot] + self.slots[index + 1:]

    # Commits (container.md, 3.1 to 3.4)

    def commit(self, *puts, sequence=None):
        """Append a commit, and write the older page (store.md, 2)."""
        number = len(self.commits) + 1
        before = self.commits[-1] if self.commits else None
        commit = Commit(number, sequence or self.sequence + 1, START + (number - 1) * MINUTE, before.end if before else LOG)
        self.salt_count = 0
        commit.salt = self.salt(f"commit {number}", commit.time)
        live, past, cursor = self.changes(commit, puts)
        lines = [[before.sequence, before.time, before.record_at - LOG, self.fingerprint()[:16]]] if before else []
        live, past, lines, link = self.merge(live, past, lines)
        segment = self.build_segment(commit, live, past, lines, link)
        commit.segment = align(cursor, 64)
        length = commit.segment + len(segment) - commit.start
        commit.length = length
        commit.payload = self.payload(commit, segment, align(padme(length), 4096) + self.payload_extra)
        self.tail(commit)
        commit.record = self.record(commit, len(segment), before)
        link = [commit.segment - LOG, len(segment), len(commit.segment_parts[0]), commit.rest_at - LOG, commit.salt, commit.head_hash]
        self.stack.append({"live": live, "past": past, "lines": lines, "link": link})
        self.sequence = commit.sequence
        self.commits.append(commit)
        self.write_pages(commit)
        return commit

    def payload(self, commit, segment, length):
        commit.padding_key = self.key(f"commit {commit.number} padding key", self.manifest_root, commit.salt, "padding")
        area = bytearray(self.hooked("padding", keystream(commit.padding_key, length), commit.number))
        for offset, data in commit.stored + [(commit.segment, segment)]:
            area[offset - commit.start:offset - commit.start + len(data)] = data
        return self.note(f"commit {commit.number} payload", self.hooked("payload", bytes(area), commit.number))

    def tail(self, commit):
        """The check table, and what stands behind it (container.md, 3.1 and 3.3)."""
        name, head = f"commit {commit.number}", commit.segment_parts[0]
        blocks = [commit.payload[at:at + BLOCK] for at in range(0, len(commit.payload), BLOCK)]
        used = 1024 + 32 * (len(blocks) + 1) + len(head)
        front = used - len(head)
        if self.extensions:
            first = align(commit.record_at + used, 64)
            second = align(first + len(self.extensions), 4096)
            self.area = u64(first - LOG) + u32(len(self.extensions)) + bytes(4) + sha256(self.extensions)
            used = second + len(self.extensions) - commit.record_at
        if self.parity:
            commit.parity_at = align(commit.record_at + used, 4096)
            blocks_of_parity = parity.encode(commit.payload, parity.PAYLOAD, self.parity, commit.start - LOG, self.draw(name + " parity tag", 12))
            used = commit.parity_at + len(blocks_of_parity) - commit.record_at
        length = align(padme(used), 4096)
        key = self.key(name + " rest key", self.manifest_root, commit.salt, "rest")
        rest = masked(key, head.ljust(length - front, b"\0"))
        if self.extensions:
            for at in (first, second):
                at -= commit.record_at + front
                rest = rest[:at] + self.extensions + rest[at + len(self.extensions):]
            commit.areas, self.extensions = (first, second), b""
        if self.parity:
            at = commit.parity_at - commit.record_at - front
            rest = rest[:at] + blocks_of_parity + rest[at + len(blocks_of_parity):]
        commit.rest = self.note(name + " rest", self.hooked("rest", rest, commit.number))
        rows = b"".join(self.row(f"{name} block {index}", commit, index, block) for index, block in enumerate(blocks))
        rows += self.row(name + " rest", commit, len(blocks), commit.rest)
        commit.table = self.note(name + " check table", self.hooked("table", rows, commit.number))

    def row(self, name, commit, index, block):
        prefix = self.note(name + " prefix", b"quickvault/1/block\x00" + commit.salt + u64(index))
        return self.note(name + " sha-256", sha256(prefix + block))

    def record(self, commit, segment_length, before):
        """The commit record (container.md, 3.2)."""
        name, number = f"commit {commit.number}", commit.number
        core = COMMIT_MAGIC + u16(1) + bytes(6) + self.vault_id + self.epoch + u64(commit.sequence) + commit.salt
        core += u64(commit.start - LOG) + u64(len(commit.payload)) + u64(commit.end - commit.record_at)
        core += self.note(name + " previous", self.fingerprint())
        core += sha256(commit.table) + self.note(name + " slot hash", sha256(b"".join(self.slots)))
        core = self.hooked("core", core, number)
        private = u64(commit.segment - LOG) + u64(segment_length) + u32(len(commit.segment_parts[0])) + bytes(4)
        private += commit.head_hash + u64(commit.time) + b"qvault".ljust(32 + 32, b"\x00")
        private = self.note(name + " private plaintext", self.hooked("private", private, number))
        key = self.key(name + " private key", self.manifest_root, commit.salt, "private")
        nonce, aad = self.note(name + " private nonce", ZERO_NONCE), self.note(name + " private aad", core)
        core += self.note(name + " private sealed", self.hooked("private-sealed", gcm(key, nonce, private, aad), number))
        core = self.hooked("core-reserved", (core + self.area).ljust(416, b"\x00"), number)
        owner = self.note(name + " owner tag", hmac(self.owner_key, core))
        audit = self.note(name + " audit tag", hmac(self.audit_key, core + owner))
        core += self.hooked("core-tags", audit + owner, number)
        core += self.note(name + " core sha-256", sha256(core))
        core = self.note(name + " core", self.hooked("core-sealed", core, number))
        return self.note(name + " record", self.hooked("record", core + (before.record[:512] if before else bytes(512)), number))

    # Pages (container.md, 2)

    def header(self, sequence, log_end):
        header = PAGE_MAGIC + u16(1) + bytes(2 + 4 + 4 + 12) + self.vault_id + self.epoch + u64(sequence) + u64(log_end - LOG)
        return header.ljust(256, b"\x00")

    def seal_page(self, body, name=None):
        """Reserved bytes, tags and SHA-256 behind the body of a page; a name keeps them for the example."""
        body = body.ljust(4000, b"\x00")
        owner = hmac(self.owner_key, body)
        audit = hmac(self.audit_key, body + owner)
        front = body + audit + owner
        digest = sha256(front)
        page = front + digest
        for suffix, value in ((" header", body[:256]), (" audit tag", audit), (" owner tag", owner), (" sha-256", digest), ("", page)):
            if name:
                self.note(name + suffix, value)
        return page

    def write_pages(self, commit):
        slots = b"".join(self.slots)
        body = self.hooked("page", self.header(commit.sequence, commit.end) + slots + commit.record, commit.number)
        name = "b" if commit.number % 2 == 0 else "a"
        page = self.hooked("page-sealed", self.seal_page(body, "page " + name), commit.number)
        if commit.number == 1:
            self.pages[PAGE_B] = page
        self.pages[PAGE_B if commit.number % 2 == 0 else PAGE_A] = page
        self.pages[PAGE_T] = page

    def place(self, page):
        """Where a page stands in the finished file."""
        return self.commits[-1].end if page == PAGE_T else page

    def places(self):
        return [self.place(page) for page in (PAGE_A, PAGE_B, PAGE_T)]

    # The file

    def file(self):
        out = bytearray(self.commits[-1].end)
        for page, data in sorted(self.pages.items(), reverse=True):
            out[self.place(page):self.place(page) + 4096] = data
        for commit in self.commits:
            whole = commit.payload + commit.record + commit.table + commit.rest
            out[commit.start:commit.start + len(whole)] = whole
        return out

    def released(self):
        """The bytes that a reader of the sound vault hands out: live records that are not trashed, by ascending id."""
        return b"".join(self.contents[i] for i in sorted(self.contents) if not self.live[i].get(11, 0) & 3)
