"""Vectors of the state after an earlier save (Spec/store.md, 10)."""

from layout import FOLDER, Move, Purge, Put, START, Trash, tree_id
from primitives import sha256
from vectors import at, vector

GONE = tree_id(None, "gone")
DOCS = tree_id(None, "docs")


def earlier(name, comment, number, *saves, shown=None):
    """Some saves, each a list of changes, and what save `number` of them shows."""
    @vector("at-" + name, comment, more=at(number, shown))
    def make(vault):
        vault.states = {}
        for changes in saves:
            vault.commit(*changes)
            vault.states[vault.sequence] = vault.released()


OLD = [Put("file", b"one"), Put("gone", b"gone"), Put("docs", kind=FOLDER), Put("letter", b"letter", parent=DOCS)]
earlier("changed", "A file that was replaced since.", 1, OLD, [Put("file", b"two")], [Put("file", b"three")])
earlier("newest", "The newest save, asked for by its number.", 2, OLD, [Put("file", b"two")])
earlier("middle", "A file that was replaced before and after.", 2, OLD, [Put("file", b"two")], [Put("file", b"three")])
earlier("trashed", "A file that went to the trash since.", 1, OLD, [Trash(GONE)])
earlier("trashed-then", "A file that was in the trash then, and came back.", 2, OLD, [Trash(GONE)], [Put("gone", b"back")])
earlier("made-later", "A file that was not there yet.", 1, OLD, [Put("new", b"new")])
earlier("purged", "A file that was purged since: it is missing in every state.", 1, [Put("file", b"one")], [Put("file", b"one"), Purge(GONE)])
earlier("moved", "A file that was moved since.", 1, OLD, [Move(tree_id(None, "file"), "letter 2", DOCS)])
earlier("moved-folder", "A folder that was moved since, with what lies in it.", 1, OLD, [Move(DOCS, "letters")])
earlier("moved-folder-then", "A folder that had been moved then, and was changed in it since.", 2, OLD, [Move(DOCS, "letters")],
        [Put("letter", b"changed", parent=DOCS)])
earlier("attached", "An attachment, which lies in no folder, and a piece.", 1, [
    Put("file", b"one"), Put("card", b"card", kind=16, id=b"\x51" * 16), Put("scan", b"scan", kind=32, id=b"\x52" * 16, parent=b"\x51" * 16),
    Put("", b"piece", kind=38, id=b"\x53" * 16)], [Put("file", b"two")])
LOOP = [Put("one", kind=FOLDER, id=b"1" * 16, parent=b"2" * 16), Put("two", kind=FOLDER, id=b"2" * 16, parent=b"1" * 16)]


@vector("at-loop", "Two folders in each other, and what lies in them, are in no state.", read="malformed", more=at(1, sha256(b"one").hex()))
def loop(vault):
    vault.commit(Put("file", b"one"), *LOOP, Put("lost", b"lost", parent=b"1" * 16))


earlier("unknown", "A save that there was not.", 7, OLD, [Put("file", b"two")], shown="not-there")
earlier("folder-purged", "What lay in a folder that was purged since is missing in every state, also what was moved out of it.", 1, OLD,
        [Move(tree_id(DOCS, "letter"), "out")], [Purge(DOCS)], shown=lambda vault: sha256(b"".join(
            content for _, content in sorted([(tree_id(None, "file"), b"one"), (GONE, b"gone")]))).hex())


def rewritten(name, comment, number, shown):
    """A log that was rewritten at save 3: it has a line of save 1, whose state is forgotten, and of save 2."""
    @vector("at-" + name, comment, more=at(number, shown), sequence=2, previous=b"\x22" * 32)
    def make(vault):
        lines = [[1, START, 0, b"1" * 16], [2, START, 4096, b"2" * 16]]
        vault.hook("lines", lambda _: [(line[0], line) for line in lines])
        vault.commit(Put("file", b"kept", entry={9: 1}), Put("new", b"new"))


rewritten("forgotten", "A save whose line has offset 0: its state cannot be shown.", 1, "not-there")
rewritten("kept", "A save from before the log was rewritten.", 2, lambda vault: sha256(b"kept").hex())
