"""Vectors about entries of the manifest. All faults stand behind right tags."""

from cases_log import hooked
from layout import FOLDER, Purge, Put, tree_id
from vectors import small, vector

MALFORMED = dict(read="malformed")


def entry(name, comment, key, new, **classes):
    """One key of a file's entry with another value."""
    @vector("entry-" + name, comment, **(classes or MALFORMED))
    def make(vault):
        vault.commit(Put("file", b"content", entry={key: new}))


def overview(name, comment, key, new, **classes):
    """One key of a file's overview with another value."""
    @vector("entry-" + name, comment, **(classes or MALFORMED))
    def make(vault):
        vault.commit(Put("file", b"content", overview={key: new}))


def changed(name, comment, change, **classes):
    """The only live entry, changed as a whole."""
    hooked("entry-" + name, comment, "live", lambda items: [(first, change(e)) for first, e in items], **(classes or MALFORMED))


def without(*keys):
    return lambda old: {key: value for key, value in old.items() if key not in keys}


# Keys that must be there, and their types

for key, word in ((0, "id"), (3, "salt"), (4, "offset"), (9, "first"), (12, "overview")):
    changed("without-" + word, f"An entry without its {word} (key {key}).", without(key))
changed("last", "A live entry with key 10, which only past entries have.", lambda old: {**old, 10: 1})
changed("array", "An entry that is an array.", lambda old: [old[0], 1])
changed("id-short", "An id of 15 bytes.", lambda old: {**old, 0: old[0][:15]})
changed("key-negative", "A negative key in an entry.", lambda old: {**old, -1: 0})
changed("key-text", "A text key in an entry.", lambda old: {**old, "a": 0})
entry("kind-text", "The kind is text.", 1, "file")
entry("kind-limit", "Kind 65,536.", 1, 65536)
entry("revision-zero", "Revision 0.", 2, 0)
entry("revision-true", "The revision is true.", 2, True)
entry("revision-limit", "Revision 2^63.", 2, 2**63)
entry("salt-other", "The salt of an entry is not that of the stored record.", 3, bytes(32), read="tampered")
entry("created-limit", "A time of 2^63 microseconds.", 6, 2**63)
entry("updated-negative", "A negative time.", 7, -1)
entry("updated-limit", "Updated at 2^63 microseconds.", 7, 2**63)
entry("first-zero", "The entry's first commit has sequence 0.", 9, 0)
entry("first-limit", "The entry's first commit has sequence 2^63.", 9, 2**63)
entry("flags-zero", "Flags that are there and zero.", 11, 0)
entry("flags-true", "Flags that are true.", 11, True)
entry("flags-other", "A flag without a meaning: bit 2.", 11, 4, read="ok")
entry("flags-other-trashed", "In the trash, with a flag without a meaning.", 11, 257, read="ok")
entry("key-other", "A key without a meaning, 16.", 16, "x", read="ok")
entry("hint", "A hint of the content; it is compared with nothing.", 14, 2**64 - 1, read="ok")
entry("hint-zero", "A hint of 0.", 14, 0, read="ok")
entry("hint-bytes", "A hint in a byte string.", 14, bytes(8))
entry("key-other-high", "A key without a meaning, 23.", 23, 0, read="ok")
entry("inner-file", "A file with an inner id, which only folders have.", 20, bytes(16))
entry("former-short", "A former id of 15 bytes.", 21, bytes(15))
entry("origin", "A version that came with a merge, made by save 3 of another copy.", 22, [3, bytes(16)], read="ok")
entry("origin-zero", "An origin with sequence 0.", 22, [0, bytes(16)])
entry("origin-short", "An origin with 15 bytes of a fingerprint.", 22, [3, bytes(15)])
entry("origin-long", "An origin of three items.", 22, [3, bytes(16), 0])
entry("origin-id", "An origin that is an id.", 22, bytes(16))
entry("flags-moved", "Moved, with the keys of an entry that has content.", 11, 3)
entry("overview-array", "An overview that is an array.", 12, ["title"])

# Places and lengths

entry("offset-unaligned", "The offset of the record is not a multiple of 64.", 4, 1)
entry("offset-outside", "The record is said to lie behind the log end.", 4, 1 << 30)
entry("offset-other-record", "The offset leads to bytes that are no record.", 4, 64, read="tampered")
entry("offset-limit", "The record is said to lie at 2^60.", 4, 2**60)
entry("length-limit", "A length of 2^48 - 65,535 bytes: more chunks than a record may have.", 5, 2**48 - 65535)
entry("length-outside", "The record would reach behind the log end.", 5, 1 << 20)
entry("length-one-less", "The content is one byte longer than its entry says.", 5, 6)


def trashed(name, comment, change, **classes):
    """A file in the trash, which is listed by nobody and decoded all the same."""
    @vector("entry-trashed-" + name, comment, **(classes or MALFORMED))
    def make(vault):
        vault.commit(Put("file", b"content", entry={11: 1, **change}))
        vault.gives = b""


trashed("offset-largest", "The record of a file in the trash is said to lie at 2^60: a possible offset, and no place.", {4: 2**60},
        verify="malformed")
trashed("offset-limit", "The record of a file in the trash is said to lie at 2^60 + 1: no possible offset.", {4: 2**60 + 1})
trashed("length-largest", "A file in the trash is said to have 2^48 - 65,536 bytes, as many as a record may have.", {5: 2**48 - 65536},
        verify="malformed")
trashed("length-limit", "A file in the trash is said to have 2^48 - 65,535 bytes.", {5: 2**48 - 65535})

# Overview

changed("title-missing", "An overview without a title.", lambda old: {**old, 12: {"mtime": 0}})
overview("title-integer", "A title that is an integer.", "title", 1)
overview("title-bytes-utf-8", "A title as a byte string that is valid UTF-8.", "title", b"file")
overview("mtime-limit", "An mtime of 2^63.", "mtime", 2**63)
overview("mtime-below", "An mtime below -2^63.", "mtime", -2**63 - 1)
overview("mtime-least", "An mtime of -2^63, the least there is.", "mtime", -2**63, read="ok")
overview("exec-false", "The exec key with the value false.", "exec", False)
overview("pinned-false", "The pinned key with the value false.", "pinned", False)
overview("pinned-text", "The pinned key with a text.", "pinned", "true")
overview("tags-empty", "An empty list of tags.", "tags", [])
overview("tags-text", "Tags that are one text.", "tags", "red")
overview("tags-bytes", "A tag that is a byte string.", "tags", [b"tag"])
overview("group-bytes", "A group that is a byte string.", "group", b"group")
overview("type-bytes", "A media type that is a byte string.", "type", b"image/png")
overview("type-text", "A media type.", "type", "image/png", read="ok")
overview("key-integer", "A key of the overview that is an integer.", 5, 1)

# Tombstones

def tombstone(name, comment, change, **classes):
    """The tombstone of a purged file, changed."""
    @vector("entry-tombstone-" + name, comment, **(classes or MALFORMED))
    def make(vault):
        small(vault)
        vault.hook("live", lambda items: [(first, change(e)) for first, e in items], 2)
        vault.commit(Purge(tree_id(None, "hello.txt")))


tombstone("key-unknown", "A tombstone with an unknown key.", lambda old: {**old, 100: "kept"}, read="ok")
tombstone("former", "A tombstone with a former id.", lambda old: {**old, 21: bytes(16)})
tombstone("origin", "A tombstone with an origin.", lambda old: {**old, 22: [3, bytes(16)]})
tombstone("offset", "A tombstone with an offset, a key of other entries.", lambda old: {**old, 4: 0})
tombstone("parent", "A tombstone with a parent.", lambda old: {**old, 8: bytes(16)})
tombstone("overview", "A tombstone with an overview.", lambda old: {**old, 12: {"title": "hello.txt"}})
tombstone("kind", "A tombstone with a kind.", lambda old: {**old, 1: 1})
tombstone("trashed", "An entry of which only the id is left, in the trash and not purged.", lambda old: {**old, 11: 1})
tombstone("without-revision", "A tombstone without a revision.", without(2))
tombstone("without-first", "A tombstone without its first commit.", without(9))

# Two entries at one place

def twin(name, comment, change, verify="malformed", read="ok"):
    """Another entry, `zz`, at the place of the file `a`."""
    @vector("entry-twin-" + name, comment, read, verify=verify)
    def make(vault):
        def add(items):
            other = dict(items)[tree_id(None, "a")]
            other = {**other, 12: {**other[12], "title": "zz"}, 0: tree_id(None, "zz"), **change}
            return sorted(items + [(other[0], other)])
        vault.hook("live", add)
        vault.commit(Put("a", b"content"), Put("b", b"other"))
        ids = {tree_id(None, "a"): b"content", tree_id(None, "b"): b"other", change.get(0, tree_id(None, "zz")): b"content"}
        vault.gives = b"".join(ids[i] for i in sorted(ids) if read == "ok" or i < change.get(0, tree_id(None, "zz")))


twin("same", "Two entries with one stored record: two versions may share one.", {}, verify="ok")
twin("folder", "Two entries with one stored record, one of them a folder with content.", {1: 2})
twin("kind", "Two entries with one stored record, of different kinds.", {1: 20000})
twin("kind-zero", "Two entries with one stored record, one of them of kind 0.", {1: 0})
twin("id", "Two entries with one stored record, the id of one of them is not derived from its name.", {0: b"\xff" * 16})
twin("length", "Two entries at one place, one of them longer.", {5: 8}, read="malformed")
twin("length-outside", "Two entries at one place, one of them far longer than the file.", {5: 2**48 - 65536}, read="malformed")
twin("salt", "Two entries at one place with different salts.", {3: b"s" * 32}, verify="tampered", read="tampered")

# Depth

def deep(name, comment, count, **classes):
    """Folders in each other, which share one stored record."""
    @vector(name, comment, **classes)
    def make(vault):
        def nest(items):
            entries, parent = [], None
            for _ in range(count):
                entry = {**items[0][1], 0: tree_id(parent, "d"), **({8: parent} if parent else {})}
                parent = entry[0]
                entries.append((entry[0], entry))
            return sorted(entries)
        vault.hook("live", nest)
        vault.commit(Put("d", kind=FOLDER))
        vault.gives = b""


deep("ok-depth-1024", "1,024 folders in each other.", 1024)
deep("entry-depth-1025", "1,025 folders in each other.", 1025, **MALFORMED)
