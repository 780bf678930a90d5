"""Vectors about trees, and about contents that are not what their kind says. All faults stand behind right tags."""

from attacker import flip
from layout import FOLDER, SYMLINK, Purge, Put, Trash, tree_id
from primitives import sha256
from vectors import unpacked, vector

MALFORMED = dict(read="malformed")
LATER = dict(verify="malformed")  # seen by verify with a key alone

# Kinds and contents


def only(name, comment, put, **classes):
    vector(name, comment, **classes)(lambda vault: vault.commit(put))


only("entry-kind-zero", "A record of kind 0.", Put("thing", b"content", kind=0, id=b"0" * 16), **LATER)
only("entry-folder-content", "A folder with content.", Put("docs", b"content", kind=FOLDER), **LATER)
only("entry-folder-content-byte", "A folder with one byte of content.", Put("docs", b"c", kind=FOLDER), **LATER)
only("entry-symlink-empty", "A symlink without a target.", Put("link", b"", kind=SYMLINK), **LATER)
only("entry-symlink-long", "A symlink whose target has 4,096 bytes.", Put("link", b"a" * 4096, kind=SYMLINK), **LATER)
only("entry-symlink-nul", "A symlink whose target holds NUL.", Put("link", b"a\x00b", kind=SYMLINK), **LATER)
only("ok-symlink-long", "A symlink whose target has 4,095 bytes.", Put("link", b"a" * 4095, kind=SYMLINK))
only("ok-symlink-byte", "A symlink whose target has one byte.", Put("link", b"a", kind=SYMLINK))
only("ok-kind-unknown-parent", "A record of an unknown kind whose parent does not exist: it is in no tree.",
     Put("thing", b"content", kind=20000, id=b"2" * 16, parent=b"3" * 16))

# Trees

vector("entry-id-not-derived", "A file whose id is not derived from its name.", read="ok", verify="malformed")(
    lambda vault: vault.commit(Put("file", b"content", id=bytes(16))))
vector("entry-id-of-another-name", "A file whose id is that of another name.", read="ok", verify="malformed")(
    lambda vault: vault.commit(Put("other.txt", b"content", id=tree_id(None, "hello.txt"))))


@vector("entry-parent-missing", "A file in a folder that does not exist.", **MALFORMED)
def parent_missing(vault):
    vault.commit(Put("file", b"content", parent=tree_id(None, "nowhere")))


@vector("entry-parent-file", "A file whose parent is a file.", **MALFORMED)
def parent_file(vault):
    vault.commit(Put("file", b"content"), Put("beneath", b"content", parent=tree_id(None, "file")))


@vector("entry-parent-purged", "A file in a folder that was purged.", **MALFORMED)
def parent_purged(vault):
    vault.commit(Put("docs", kind=FOLDER), Put("file", b"content", parent=tree_id(None, "docs")))
    vault.commit(Purge(tree_id(None, "docs")))


@vector("entry-parent-not-inner", "A file whose parent is the id of a folder that has another inner id.", **MALFORMED)
def parent_not_inner(vault):
    vault.commit(Put("docs", kind=FOLDER, entry={20: b"inner id of docs"}), Put("file", b"content", parent=tree_id(None, "docs")))


@vector("entry-inner-short", "A folder with an inner id of 15 bytes.", **MALFORMED)
def inner_short(vault):
    vault.commit(Put("docs", kind=FOLDER, entry={20: bytes(15)}))


@vector("entry-inner-twice", "Two live folders with one inner id.", **MALFORMED)
def inner_twice(vault):
    vault.commit(*[Put(name, kind=FOLDER, entry={20: b"one id for both."}) for name in ("one", "two")])


@vector("entry-parent-circle", "Two folders, each of which is the other's parent.", **MALFORMED)
def parent_circle(vault):
    vault.commit(Put("one", kind=FOLDER, id=b"1" * 16, parent=b"2" * 16), Put("two", kind=FOLDER, id=b"2" * 16, parent=b"1" * 16))


@vector("unpack-beneath-symlink", "A symlink to a folder outside, and a file whose parent is the symlink.",
        more=unpacked("malformed"), **MALFORMED)
def beneath_symlink(vault):
    vault.commit(Put("link", b"/tmp", kind=SYMLINK), Put("file", b"content", parent=tree_id(None, "link")))


@vector("entry-parent-trashed", "A file in a folder that is in the trash.", **MALFORMED)
def parent_trashed(vault):
    vault.commit(Put("docs", kind=FOLDER), Put("file", b"content", parent=tree_id(None, "docs")))
    vault.commit(Trash(tree_id(None, "docs")))


@vector("ok-trashed-orphan", "A file in the trash, in a folder that was purged: only what is listed needs its parents.")
def trashed_orphan(vault):
    vault.commit(Put("docs", kind=FOLDER), Put("file", b"content", parent=tree_id(None, "docs")))
    vault.commit(Trash(tree_id(tree_id(None, "docs"), "file")), Purge(tree_id(None, "docs")))


# Sound trees that must not be unpacked as they stand

def unpack(name, comment, *puts, refused=()):
    """Records of which those with these titles are left out."""
    made = [put for put in puts if put.title not in refused]
    more = unpacked("left-out" if refused else "ok", *made)
    vector("unpack-" + name, comment, more=more)(lambda vault: vault.commit(*puts))


def others(name, comment, kinds, outcome):
    """A file beside records of other kinds."""
    @vector("unpack-" + name, comment, more=unpacked(outcome, Put("file", b"content")))
    def make(vault):
        vault.commit(Put("file", b"content"), *[Put("other", b"bytes", kind=kind, id=bytes([kind]) * 16) for kind in kinds])


others("parts", "Records that only serve others are passed over.", [33, 36, 39, 41], "ok")
others("setting", "A setting is left out.", [40], "left-out")


@vector("unpack-compression", "The setting of compression is about the vault, and passed over.", more=unpacked("ok", Put("file", b"content")))
def compression(vault):
    vault.commit(Put("file", b"content"), Put("compression", b"off", kind=40, id=sha256(b"quickvault/1/setting\x00compression")[:16]))


@vector("unpack-compression-kind", "A record with the title of that setting, of another kind.", more=unpacked("left-out", Put("file", b"content")))
def compression_kind(vault):
    vault.commit(Put("file", b"content"), Put("compression", b"off", kind=16, id=b"\x10" * 16))


def title(name, comment, text, refused=True):
    unpack(name, comment, Put(text, b"content"), Put("harmless", b"content"), refused=(text,) if refused else ())


title("dot-dot", "A file named `..`.", "..")
title("dot", "A file named `.`.", ".")
title("slash", "A file whose name holds a slash.", "a/b")
title("climbing", "A file whose name climbs out of the folder.", "../../climbed")
title("absolute", "A file whose name is an absolute path.", "/tmp/absolute")
title("nul", "A file whose name holds NUL.", "a\x00b")
title("empty", "A file whose name is empty.", "")
title("control-characters", "A file whose name holds an escape sequence, a line feed and a right-to-left mark.", "a\x1b[2Jb\nc\u202ed",
      refused=False)
unpack("folder-dot-dot", "A folder named `..` and a file in it.", Put("..", kind=FOLDER), Put("file", b"content",
       parent=tree_id(None, "..")), refused=("..", "file"))
unpack("folder-dot-dot-within", "A folder named `..` in another one, and a file in it.", Put("docs", kind=FOLDER),
       Put("..", kind=FOLDER, parent=tree_id(None, "docs")), Put("file", b"content", parent=tree_id(tree_id(None, "docs"), "..")),
       refused=("..", "file"))
unpack("folder-dot-within", "A folder named `.` in another one, and a file in it.", Put("docs", kind=FOLDER),
       Put(".", kind=FOLDER, parent=tree_id(None, "docs")), Put("file", b"content", parent=tree_id(tree_id(None, "docs"), ".")),
       refused=(".", "file"))
unpack("symlink-absolute", "A symlink to an absolute path.", Put("link", b"/etc/passwd", kind=SYMLINK), refused=("link",))
unpack("symlink-climbing", "A symlink that climbs out of the folder from where it stands.", Put("docs", kind=FOLDER),
       Put("link", b"../../outside", kind=SYMLINK, parent=tree_id(None, "docs")), refused=("link",))
unpack("symlink-inside", "A symlink that climbs and stays within the folder: harmless.", Put("docs", kind=FOLDER),
       Put("link", b"../file", kind=SYMLINK, parent=tree_id(None, "docs")), Put("file", b"content"))
unpack("symlink-dot-first", "A symlink that begins with `.` and then climbs, and stays within: components without a name are passed over.",
       Put("docs", kind=FOLDER), Put("link", b"./..//./file", kind=SYMLINK, parent=tree_id(None, "docs")), Put("file", b"content"))
unpack("symlink-dot-climbing", "The same, and it climbs too high.", Put("docs", kind=FOLDER),
       Put("link", b"./..//./../file", kind=SYMLINK, parent=tree_id(None, "docs")), refused=("link",))
unpack("symlink-dots-inside", "A symlink with `..` behind a name: left out, although its letters lead to a place inside.",
       Put("docs", kind=FOLDER), Put("link", b"docs/../file", kind=SYMLINK), Put("file", b"content"), refused=("link",))
unpack("symlink-dots-behind-name", "A symlink in a folder with `..` behind a name, as many as there are folders above it.",
       Put("docs", kind=FOLDER), Put("link", b"x/../y", kind=SYMLINK, parent=tree_id(None, "docs")), refused=("link",))
unpack("symlink-byte", "A symlink whose target has one byte.", Put("link", b"x", kind=SYMLINK))
unpack("symlink-4095", "A symlink whose target has 4,095 bytes.", Put("link", b"a" * 4095, kind=SYMLINK))
unpack("symlink-chain", "Two symlinks that look harmless one by one and climb out together: the one with `..` behind a name is left out.",
       Put("x", kind=FOLDER), Put("a", b"../b", kind=SYMLINK, parent=tree_id(None, "x")), Put("c", b"x/a/../../d", kind=SYMLINK),
       refused=("c",))
title("title-255", "A file whose name has 255 bytes.", "n" * 255, refused=False)
title("title-256", "A file whose name has 256 bytes.", "n" * 256)


def deep():
    """16 folders in each other, whose path has 4,095 bytes."""
    folders = [Put("n" * 255, kind=FOLDER)]
    while len(folders) < 16:
        folders.append(Put("n" * 255, kind=FOLDER, parent=folders[-1].id))
    return folders


unpack("path-long", "A file whose path has 4,097 bytes, each of its names being short enough.", *deep(),
       Put("f", b"content", parent=deep()[-1].id), refused=("f",))
MIDDLE = Put("m" * 254, kind=FOLDER, parent=deep()[-2].id)
unpack("path-4095", "A file whose path has 4,095 bytes, and one whose path has 4,096.", *deep()[:-1], MIDDLE,
       Put("f" * 255, b"content", parent=deep()[-2].id), Put("g", b"content", parent=MIDDLE.id), refused=("g",))
unpack("names-of-one-file", "Two names that are one on a file system that ignores case.", Put("File", b"upper"), Put("file", b"lower"))
unpack("executable", "An executable file, and one that is not.", Put("run", b"#!/bin/sh\n", overview={"title": "run", "exec": True}),
       Put("file", b"content"))
unpack("tree", "A folder, a file in it, a symlink: all is written.", Put("docs", kind=FOLDER),
       Put("file", b"content", parent=tree_id(None, "docs")), Put("link", b"docs/file", kind=SYMLINK))
unpack("kind-unknown", "A record of an unknown kind beside a file.", Put("thing", b"content", kind=20000, id=b"2" * 16),
       Put("file", b"content"), refused=("thing",))

FIRST, SECOND = Put("first", b"content of the first"), Put("second", b"content of the second")


@vector("unpack-damaged", "The content of one of two files is damaged: the other is written.", read="damaged", keyless="damaged",
        more=unpacked("damaged", SECOND))
def damaged(vault):
    vault.gives = b"" if FIRST.id < SECOND.id else SECOND.content
    commit = vault.commit(FIRST, SECOND)
    data = vault.file()
    flip(data, commit.stored[0][0] + 195)
    return data


@vector("unpack-malformed", "A folder with content beside a file: the file is written.", **LATER, more=unpacked("malformed", SECOND))
def malformed(vault):
    vault.commit(Put("docs", b"content", kind=FOLDER), SECOND)


def unlinked(name, comment, target):
    """A symlink whose target is malformed beside a file: the file is written."""
    @vector("unpack-symlink-" + name, comment, **LATER, more=unpacked("malformed", SECOND))
    def make(vault):
        vault.commit(Put("link", target, kind=SYMLINK), SECOND)


unlinked("empty", "A symlink without a target beside a file: the file is written.", b"")
unlinked("4096", "A symlink whose target has 4,096 bytes beside a file: the file is written.", b"a" * 4096)
unlinked("nul", "A symlink whose target holds NUL beside a file: the file is written.", b"a\x00b")


@vector("unpack-without-mtime", "A file without an mtime.", more=unpacked("ok", SECOND))
def without_mtime(vault):
    vault.hook("live", lambda items: [(first, {**e, 12: {"title": e[12]["title"]}}) for first, e in items])
    vault.commit(SECOND)
