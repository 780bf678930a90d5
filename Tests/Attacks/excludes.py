#!/usr/bin/python3
"""Holds --exclude-from against git's own reading of the same patterns, over random trees.

Patterns such as `a**` are not among them: git 2.39 reads them by the order of two pointers that have nothing to do with each other
(wildmatch.c, `prev_p < text`).

usage: excludes.py QVAULT FOLDER [ROUNDS [SEED]]

A file is left out by `qvault put` if and only if `git ls-files --others --exclude-from` leaves it out. Prints each round in which the
two differ; the exit status is 1 then.
"""

import os, pathlib, random, shutil, subprocess, sys

QVAULT, FOLDER = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).absolute()
ROUNDS = int(sys.argv[3]) if len(sys.argv) > 3 else 60
SEED = int(sys.argv[4]) if len(sys.argv) > 4 else 1

NAMES = ["a", "b", "ab", "abc", "a.o", "b.o", ".a", "a b", "#a", "!a", "a ", "[a]", "a*", "build", "docs", "ä", "文件", "a-b", "a\\b"]
PIECES = ["a", "b", "ab", "*", "?", "**", "*.o", "a*", "*b", ".a", ".*", "[ab]", "[!a]", "[^a]", "[a-c]*", "build", "docs", "\\#a", "\\!a",
          "a\\ ", "a b", "a\\*", "\\[a]", "[[:alpha:]]", "??", "ä", "文*", "a\\\\b", "[]a]", "[a", "]"]


def pattern(draw):
    """A line of a file of patterns."""
    if draw.random() < 0.05:
        return draw.choice(["", "# a", "/", "!", "//", " ", "#a", "\\", "!/", "**/", "/**", "**"])
    text = "/".join(draw.choice(PIECES) for _ in range(draw.choice([1, 1, 1, 2, 2, 3])))
    text = draw.choice(["", "", "/", "**/"]) + text + draw.choice(["", "", "/", "/**", " ", "  "])
    return draw.choice(["", "", "", "!"]) + text


def grow(draw, folder, depth=0):
    """Makes a random tree."""
    for name in draw.sample(NAMES, draw.randint(1, 7)):
        if depth < 3 and draw.random() < 0.4:
            (folder / name).mkdir()
            grow(draw, folder / name, depth + 1)
        else:
            (folder / name).write_text(name)


def lines(*words, **options):
    return subprocess.run(words, capture_output=True, check=True, **options).stdout


def main():
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    (FOLDER / "password").write_text("correct-horse-battery")
    (FOLDER / "password").chmod(0o600)
    environment = dict(os.environ, HOME=str(FOLDER), XDG_STATE_HOME=str(FOLDER / "state"), XDG_CONFIG_HOME=str(FOLDER / "config"),
                       QVAULT_PASSWORD_FILE=str(FOLDER / "password"), LC_ALL="C.UTF-8", GIT_CONFIG_NOSYSTEM="1")
    vault, wrong = str(FOLDER / "v.qvault"), 0
    for number in range(ROUNDS):
        draw = random.Random(f"{SEED} {number}")
        tree = FOLDER / "tree"
        shutil.rmtree(tree, ignore_errors=True)
        tree.mkdir()
        grow(draw, tree)
        patterns = "\n".join(pattern(draw) for _ in range(draw.randint(1, 5))) + "\n"
        (FOLDER / "patterns").write_text(patterns)
        lines("git", "init", "-q", str(tree), env=environment)
        wanted = lines("git", "-C", str(tree), "ls-files", "-z", "--others", f"--exclude-from={FOLDER}/patterns", env=environment)
        shutil.rmtree(tree / ".git")
        pathlib.Path(vault).unlink(missing_ok=True)
        lines(QVAULT, "pack", str(tree), "-o", vault, "--exclude-from", str(FOLDER / "patterns"), env=environment)
        shutil.rmtree(FOLDER / "out", ignore_errors=True)
        lines(QVAULT, "unpack", vault, "-o", str(FOLDER / "out"), env=environment)
        out = FOLDER / "out" / "tree"
        kept = {os.fsencode(os.path.relpath(os.path.join(place, file), out)) for place, _, files in os.walk(out) for file in files}
        wanted = set(filter(None, wanted.split(b"\0")))
        if kept != wanted:
            wrong += 1
            print(f"round {number}: {patterns!r}: kept {sorted(kept - wanted)}, left out {sorted(wanted - kept)}")
    print(f"excludes: {ROUNDS} rounds, {wrong} wrong")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
