"""The stored records and the manifest segment of a commit (Spec/container.md, 3.5 and 3.6; store.md, 5)."""

import cbor
from layout import CHUNK, FILE, FOLDER, LINES, LIVE, LOG, PAST, SYMLINK, Move, Purge, Trash, short_name, tree_id
from primitives import ZERO_NONCE, align, gcm, sha256, u16, u32, u64


class Manifest:
    """The part of a vault that stores records and describes them."""

    # Stored records (container.md, 3.6)

    def stored_record(self, name, put, revision, time, number, first=1):
        salt = put.salt() if callable(put.salt) else self.salt(name, time)
        title = put.title if isinstance(put.title, bytes) else put.title.encode()
        short = short_name(title)
        plain = put.id + u16(put.kind) + u16(put.pieces is not None) + bytes(4) + u64(revision) + u64(len(put.content)) + u64(time)
        plain += (put.parent or bytes(16)) + u64(first) + u64(len(put.frames or b"")) + bytes([len(short)]) + short.ljust(63, b"\x00")
        plain = self.note(name + " header plaintext", self.hooked("record-header", plain, number))
        aad = self.note(name + " header aad", salt + self.vault_id)
        nonce = self.note(name + " header nonce", salt[:12])
        header = self.note(name + " header sealed", gcm(self.header_key, nonce, plain, aad))
        key = self.key(name + " record key", self.record_root, salt, "record")
        stored = put.content if put.frames is None else put.frames
        pieces = [stored[i:i + CHUNK] for i in range(0, len(stored), CHUNK)] or [b""]
        chunks = [(i, i == len(pieces) - 1, piece) for i, piece in enumerate(pieces)]
        out = b""
        for index, last, piece in self.hooked("chunks", chunks, number):
            nonce = self.note(name + f" chunk {index} nonce", index.to_bytes(11, "big") + bytes([last]))
            self.note(name + f" chunk {index} plaintext", piece)
            out += self.note(name + f" chunk {index} sealed", gcm(key, nonce, piece))
        return salt, self.hooked("stored", salt + header + out, number)

    # Manifest (container.md, 3.5; store.md, 5)

    def changes(self, commit, puts):
        """Store what is put; the live and past entries that the commit brings (store.md, 5, Change)."""
        live, past, cursor = [], [], commit.start
        for index, change in enumerate(puts):
            old = self.live.get(change.id)
            if old and 1 in old and not isinstance(change, Purge):
                past.append({**old, 10: commit.sequence - 1})
            revision = old[2] + 1 if old else 1
            if isinstance(change, Move):
                live.append(self.moved_entry(change, old, commit))
                entry = {0: change.id, 2: revision, 7: commit.time, 9: commit.sequence, 11: 3}
            elif isinstance(change, Purge):
                entry = {0: change.id, 2: revision, 7: commit.time, 9: commit.sequence, 11: 2}
                self.contents.pop(change.id, None)
            elif isinstance(change, Trash):
                entry = {**old, 2: revision, 7: commit.time, 9: commit.sequence, 11: 1}
            else:
                cursor = align(cursor, 64) if change.at is None else commit.start + change.at
                name = f"commit {commit.number} record {index}"
                salt, stored = self.stored_record(name, change, revision, commit.time, commit.number, commit.sequence)
                entry = self.live_entry(change, revision, salt, cursor, old, commit)
                commit.stored.append((cursor, stored))
                cursor += len(stored)
                self.contents[change.id] = change.content
            live.append(entry)
            self.live[change.id] = entry
        return live, past, cursor

    def moved_entry(self, move, old, commit):
        """The entry at the new path; what the old path leaves is a tombstone."""
        new = tree_id(move.parent, move.title)
        entry = {**old, 0: new, 2: self.live.get(new, {2: 0})[2] + 1, 7: commit.time, 9: commit.sequence, 21: move.id,
                 12: {**old[12], "title": move.title}}
        entry.pop(8, None)
        if move.parent:
            entry[8] = move.parent
        if old[1] == FOLDER:
            entry[20] = old.get(20, move.id)
            if entry[20] == new:
                del entry[20]
        self.live[new] = entry
        self.contents[new] = self.contents.pop(move.id)
        return entry

    def live_entry(self, put, revision, salt, offset, old, commit):
        overview = {"title": put.title}
        if put.kind in (FILE, FOLDER, SYMLINK):
            overview["mtime"] = commit.time * 1000
        entry = {0: put.id, 1: put.kind, 2: revision, 3: salt, 4: offset - LOG, 5: len(put.content),
                 6: old.get(6, commit.time) if old else commit.time, 7: commit.time}
        if put.parent:
            entry[8] = put.parent
        packed = {} if put.frames is None else {13: len(put.frames)}
        if put.pieces is not None:
            packed[15] = 1
        return {**entry, 9: commit.sequence, 12: {**overview, **(put.overview or {})}, **packed, **put.entry}

    def merge(self, live, past, lines):
        """The merge rule (store.md, 5): the items of the new segment, and the link it stands on."""
        taken = len(live) + len(past) + len(lines)
        while self.stack and count(self.stack[-1]) < 2 * taken:
            base = self.stack.pop()
            taken += count(base)
            known = {entry[0] for entry in live}
            live = live + [entry for entry in base["live"] if entry[0] not in known]
            past, lines = past + base["past"], lines + base["lines"]
        link = self.stack[-1]["link"] if self.stack else None
        live.sort(key=lambda entry: entry[0])
        past.sort(key=lambda entry: (entry[0], entry[9]))
        return live, past, sorted(lines), link

    def seal_part(self, commit, part, items, key):
        """Pack, encode and seal the items of one part: stored chunks and their descriptors."""
        word = {LIVE: "live", PAST: "past", LINES: "lines"}[part]
        items = self.hooked(word, [(item[0], item) for item in items], commit.number)
        stored, descriptors = [], []
        for index, group in enumerate(self.pack(items)):
            name = f"commit {commit.number} segment {word} {index}"
            plain = cbor.encode([item for _, item in group])
            plain = self.note(name + " plaintext", self.hooked(word + "-cbor", plain, commit.number))
            nonce = self.note(name + " nonce", bytes([part]) + bytes(7) + u32(index))
            sealed = self.hooked(word + "-sealed", gcm(key, nonce, plain), commit.number)
            stored.append(self.note(name + " sealed", sealed))
            descriptors.append([len(sealed), len(group), sha256(sealed)[:16], group[0][0]])
        return stored, descriptors

    def pack(self, items):
        """As many items to a chunk as fit (store.md, 5, Chunking)."""
        groups, size = [], 0
        for item in items:
            length = len(cbor.encode(item[1]))
            full = groups and len(cbor.head(4, len(groups[-1]) + 1)) + size + length + 16 > self.chunk_limit
            if not groups or full:
                groups.append([])
                size = 0
            groups[-1].append(item)
            size += length
        return groups

    def build_segment(self, commit, live, past, lines, link):
        name = f"commit {commit.number} segment"
        key = self.key(name + " key", self.manifest_root, commit.salt, "segment")
        parts = [self.seal_part(commit, part, items, key) for part, items in ((LIVE, live), (PAST, past), (LINES, lines))]
        head = [descriptors for _, descriptors in parts] + [link, {}]
        head = self.hooked("head", head, commit.number)
        plain = self.note(name + " head plaintext", self.hooked("head-cbor", cbor.encode(head), commit.number))
        nonce = self.note(name + " head nonce", ZERO_NONCE)
        sealed = self.hooked("head-sealed", gcm(key, nonce, plain), commit.number)
        self.note(name + " head sealed", sealed)
        commit.head_hash = self.note(name + " head hash", sha256(sealed))
        chunks = [chunk for stored, _ in parts for chunk in stored]
        commit.segment_parts = [sealed] + chunks
        commit.tree = {"live": live, "past": past, "lines": lines, "head": head}
        return self.hooked("segment", b"".join(commit.segment_parts), commit.number)


def count(segment):
    return len(segment["live"]) + len(segment["past"]) + len(segment["lines"])
