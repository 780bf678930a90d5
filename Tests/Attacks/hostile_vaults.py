#!/usr/bin/python3
"""Authentic but odd vaults as the other side of the command: hostile_vaults.py QVAULT FOLDER [SEED] [--short] [KIND…]

The peer knows the password and has a copy of the victim's vault, so every tag and hash of what it makes is right. Each kind of
hostile_kinds.py is made once, and the verbs that take such a vault are run on it: `diff`, `salvage`, `backup`, `restore`, `merge`,
`compact`, `rekey rotate`, and those that only look. Each run has to

- end within 10 s of processor time with a documented exit code, no signal, at most 256 MiB, and no control character in what it says;
- leave, where it wrote something and ends with 0 or 1, what `verify` finds sound and `ls`, `unpack` and `export` can read;
- name what it leaves out, and end with 1 then; write no more than a small multiple of what the peer's vault has;
- keep all of the victim's records byte for byte, as they are now and as they were after each save;
- leave a victim's vault that this machine still takes for the one it has seen.

Prints a line a kind, and for what is broken how to reproduce it; ends with 1 if something is. `--short` leaves out all verbs but
`merge` and `salvage`. SEED chooses the mixtures.
"""

import collections
import concurrent.futures
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

import hostile_kinds

SHORT = "--short" in sys.argv
WORDS = [word for word in sys.argv[1:] if word != "--short"]
QVAULT, FOLDER = Path(WORDS[0]).resolve(), Path(WORDS[1]).resolve()
SEED = int(WORDS[2]) if len(WORDS) > 2 else 1
CHOSEN = WORDS[3:]
PROCESSOR, WALL, MEMORY = 10, 60, 256 << 20
PEER = "../peer.qvault"
SAVES = (1, 3)  # of the victim
DOCUMENTED = {*range(15)} - {2, 13}  # wrong use is a fault of this script, and an input-output error has no cause here
SEEN = 7
CONTROL = re.compile(rb"[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\xaa-\xae]|\xe2\x81[\xa6-\xa9]")


class Case:
    """One kind: its folder, what is broken, and the exit codes of all runs."""

    def __init__(self, name):
        self.name, self.folder = name, FOLDER / name
        _, self.touched, _ = hostile_kinds.KINDS[name]
        self.victim, self.peer = self.folder / "victim.qvault", self.folder / "peer.qvault"
        self.records = json.loads((self.folder / "records.json").read_text())
        self.broken, self.codes, self.worst = [], collections.Counter(), (0, 0)
        self.place, self.said, self.last = self.folder, {}, {}

    def enter(self, name):
        """A folder of its own with a copy of the victim's vault, which the machine has seen."""
        self.place = self.folder / name
        self.place.mkdir()
        shutil.copy(self.victim, self.place / "victim.qvault")
        self.run("ls", "-f", "victim.qvault")

    def fail(self, what, words):
        """Something is broken: what, and the command that shows it."""
        self.broken.append((what, self.place, " ".join(map(str, words))))

    def run(self, *words):
        """Runs the command in the folder of this step and judges how it ends."""
        done = command(self.place, words)
        self.codes[done.code] += 1
        self.said[done.verb], self.last[done.verb] = done.err, done.code
        self.worst = (max(self.worst[0], done.seconds), max(self.worst[1], done.memory))
        for what in faults(done):
            self.fail(what, words)
        return done


Done = collections.namedtuple("Done", "verb code out err seconds memory")


# The processes that start the command. They are small: what starts a program counts as that program's memory.
RUNNERS = concurrent.futures.ProcessPoolExecutor(2)


def launch(words, place, env):
    """One run in a folder: exit code, seconds of the processor, bytes of memory."""
    with (place / "said.out").open("wb") as out, (place / "said.err").open("wb") as err:
        child = subprocess.Popen(words, cwd=place, env=env, stdin=subprocess.DEVNULL, stdout=out, stderr=err)
        timer = threading.Timer(WALL, child.kill)
        timer.start()
        _, status, usage = os.wait4(child.pid, 0)
        timer.cancel()
        child.returncode = os.waitstatus_to_exitcode(status)
    return child.returncode, usage.ru_utime + usage.ru_stime, usage.ru_maxrss << 10


def command(place, words):
    """One run of the command in a folder, with the machine's memory of vaults beside it."""
    env = {"PATH": os.environ["PATH"], "HOME": str(place), "XDG_STATE_HOME": str(place / "state"), "LANG": "C.UTF-8",
           "XDG_CONFIG_HOME": str(place / "config"), "QVAULT_PASSWORD_FILE": str(FOLDER / "password")}
    limited = ["prlimit", f"--cpu={PROCESSOR + 1}", "--", str(QVAULT)]
    code, seconds, memory = RUNNERS.submit(launch, [*limited, *map(str, words)], place, env).result()
    return Done(words[0], code, (place / "said.out").read_bytes(), (place / "said.err").read_bytes(), seconds, memory)


def faults(done):
    """What is wrong with a run, whatever it was for."""
    if done.seconds > PROCESSOR:
        yield f"takes more than {PROCESSOR} s"
    elif done.code not in DOCUMENTED:
        yield f"ends with {done.code}: {done.err[-300:]!r}"
    if done.memory > MEMORY:
        yield f"takes {done.memory >> 20} MiB"
    if done.code > 0 and not done.err and not done.out:
        yield f"ends with {done.code} and says nothing"
    for stream in (done.out, done.err):
        if found := CONTROL.search(stream):
            yield f"says a control character: {stream[max(0, found.start() - 40):found.end() + 20]!r}"


# What a verb wrote

BEFORE = {}  # the victim's records


def rows(done):
    """The lines of `ls --json`, by id."""
    found = [json.loads(line) for line in done.out.splitlines()] if done.code == 0 else []
    return {row["id"]: row for row in found}


def check_written(case, vault, words):
    """The vault that a verb wrote is sound and can be read. Returns its records."""
    if not (case.place / vault).exists():
        case.fail(f"there is no {vault}", words)
        return None
    listed = case.run("ls", "--json", "-f", vault)
    done = [(case.run("verify", vault), {0}), (listed, {0})]
    # What salvage gets out of a card is what stood in it, which may be no card.
    if words[0] == "salvage":
        done.append((case.run("export", "-f", vault, "-o", "exported"), {0, 1, 5}))
    if words[0] == "merge":
        done.append((case.run("export", "-f", vault, "-o", "exported"), {0, 1}))
        done += [(case.run("ls", "-f", vault), {0}), (case.run("unpack", vault, "-o", "unpacked"), {0, 1})]
    bad = [f"{one.verb} of what it wrote ends with {one.code}: {last(one)}" for one, fine in done if one.code not in fine]
    if bad:
        case.fail("; ".join(bad), words)
    return rows(listed) if listed.code == 0 else None


def last(done):
    """The end of what a run said."""
    return repr((done.out[-150:] if done.verb == "verify" else b"") + done.err[-150:])


def check_seen(case, words):
    """The victim's vault is still the one that this machine has seen."""
    done = case.run("ls", "-f", "victim.qvault")
    if done.code:
        case.fail(f"the victim's vault is refused behind it: {done.code} {done.err[-200:]!r}", words)


# A peer who says that it has the victim's newest save, and so nothing new, is believed: what it hides is its own.
DENYING = {"lines-newest-of-victim"}


def check_named(case, done, words, found, known=()):
    """What the peer's vault brings and the vault written has not is named, and the exit code says so."""
    if found is None:
        return
    fresh = collections.Counter((row["size"]) for key, row in found.items() if key not in known)
    missing = [record for record in case.records if not is_there(record, found, fresh)]
    if missing and done.code == 0 and case.name not in DENYING:
        case.fail(f"leaves out {len(missing)} without a word: {missing[:3]}", words)
    said = done.out + done.err
    for record in missing if done.code == 1 else []:
        names = [record[0][:8], *re.findall("[A-Za-z0-9-]{3,}", record[3][:60])]
        names += [record[3]] if record[3] in (".", "..") else []
        if not any(name.encode() in said for name in names):
            case.fail(f"does not name what it leaves out: {record}", words)


def is_there(record, found, fresh):
    """A record is in the vault, at its id or at that of a conflict."""
    key, kind, size, _ = record
    if kind in hostile_kinds.UNLISTED or key in found and found[key]["size"] == size:
        return True
    fresh[size] -= 1
    return fresh[size] >= 0


def check_size(case, vault, words, base=0):
    """The vault has grown by no more than a small multiple of the peer's."""
    size, peer = (case.place / vault).stat().st_size, case.peer.stat().st_size
    if size - base > 3 * peer + (1 << 20):
        case.fail(f"grows by {size - base} bytes, the peer's vault has {peer}", words)


# The victim's records

def digest(path):
    """The hash of a file, which is never in memory whole: what this process takes counts for those that it starts."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").digest()


def tree(folder):
    """What an export holds: files and links by path, lines of records by title. Its page shows the same."""
    found = {}
    for place, folders, files in os.walk(folder):
        for path in (Path(place, name) for name in folders + files):
            if path.is_symlink():
                found[str(path.relative_to(folder))] = os.readlink(path)
            elif path.is_file():
                found[str(path.relative_to(folder))] = digest(path)
    found.pop("index.html", None)
    if found.pop("records.jsonl", None):
        with (folder / "records.jsonl").open("rb") as lines:
            next(lines)
            found.update({"record " + json.loads(line).get("title", ""): hash(line) for line in lines})
    return found


def check_saves(case, vault, words):
    """Each save of the victim is still there as it was."""
    for save in SAVES:
        done = case.run("export", "--at", save, "-f", vault, "-o", f"save-{save}")
        lost = different(tree(FOLDER / f"save-{save}"), tree(case.place / f"save-{save}"))
        if done.code or lost:
            case.fail(f"save {save} of the victim is another: {done.code} {done.err[-200:]!r} {lost[:3]}", words)


def check_live(case, words):
    """What the peer did not touch is as it was."""
    lost = different(tree(FOLDER / "save-3"), tree(case.place / "exported"))
    lost = [name for name in lost if not any(word in name for word in case.touched) and not is_of(name, case)]
    if lost:
        case.fail(f"records of the victim are gone: {lost[:3]}", words)


def is_of(name, case):
    """An attachment, where the peer changed its title's record."""
    return name.startswith("attachments/") and "front.png" in case.touched


def different(before, after):
    return [name for name, data in before.items() if after.get(name) != data]


# The verbs

def look(case):
    """Verbs that only take from the peer's vault. Returns the backup that one of them made."""
    case.enter("look")
    for words in (("diff", "-f", "victim.qvault", PEER), ("diff", "-f", PEER, "victim.qvault"), ("info", PEER),
                  ("unpack", PEER, "-o", "of-peer"), ("merge", "-n", "-f", "victim.qvault", PEER)):
        case.run(*words)
    salvage(case)
    made = backup(case)
    check_seen(case, ("diff", "salvage", "backup", "restore"))
    if digest(case.place / "victim.qvault") != digest(case.victim):
        case.fail("alters the victim's vault", ("diff", "salvage", "backup", "restore"))
    return made


def salvage(case):
    words = ("salvage", PEER, "-o", "out.qvault")
    done = case.run(*words)
    if done.code in (0, 1, 5) and (case.place / "out.qvault").exists():
        check_named(case, done, words, check_written(case, "out.qvault", words))
        check_size(case, "out.qvault", words)
    elif done.code in (0, 1):
        case.fail("writes nothing", words)


def backup(case):
    """A backup has the log as it is, so it is as sound as the peer's vault; one without history is written anew."""
    (case.place / "shelf").mkdir()
    words = ("backup", PEER, "--to", "shelf")
    done = case.run(*words)
    made = [*case.place.glob("shelf/*.qvault")]
    if done.code == 0 and case.run("verify", made[0]).code > case.run("verify", PEER).code:
        case.fail("the backup is not as sound as what it was made of", words)
    words = ("backup", "--no-history", PEER, "-o", "plain.qvault")
    done = case.run(*words)
    if done.code in (0, 1):
        check_named(case, done, words, check_written(case, "plain.qvault", words))
        check_size(case, "plain.qvault", words)
    source = made[0].relative_to(case.place) if made else PEER
    if case.run("restore", source, "-f", "beside.qvault").code in (0, 1):
        check_written(case, "beside.qvault", ("restore", source, "-f", "beside.qvault"))
    return f"../look/{source}"


def restore(case, source):
    """In the place of the victim's vault, which is kept under another name."""
    case.enter("restore")
    words = ("restore", source, "-f", "victim.qvault")
    done = case.run(*words)
    kept = [digest(path) for path in case.place.glob("victim*.qvault")]
    if digest(case.victim) not in kept:
        case.fail("the victim's vault is gone", words)
    if done.code in (0, 1):
        check_named(case, done, words, check_written(case, "victim.qvault", words))
    else:
        check_seen(case, words)


def rewrite(case, name, *words):
    """A verb that writes the peer's vault anew, at a person who has that vault alone."""
    case.place = case.folder / name
    case.place.mkdir()
    shutil.copy(case.peer, case.place / "own.qvault")
    before = rows(case.run("ls", "--json", "-f", "own.qvault"))
    done = case.run(*words)
    if done.code in (0, 1):
        found = check_written(case, "own.qvault", words)
        check_size(case, "own.qvault", words)
        if done.code == 0 and found is not None and before.keys() - found.keys():
            case.fail(f"leaves out {len(before.keys() - found.keys())} without a word", words)
    elif digest(case.place / "own.qvault") != digest(case.peer):
        case.fail("alters the vault and ends with a failure", words)


def merge(case):
    """Into the victim's vault, twice, and something saved behind it."""
    case.enter("merge")
    words = ("merge", "-f", "victim.qvault", PEER)
    done = case.run(*words)
    if done.code not in (0, 1):
        if digest(case.place / "victim.qvault") != digest(case.victim):
            case.fail("alters the victim's vault and ends with a failure", words)
        check_seen(case, words)
        return
    found = check_written(case, "victim.qvault", words)
    check_named(case, done, words, found, BEFORE)
    check_size(case, "victim.qvault", words, case.victim.stat().st_size)
    check_titles(case, words)
    if case.last["export"] in (0, 1):
        check_live(case, words)
    check_saves(case, "victim.qvault", words)
    if SHORT:
        return
    once = digest(case.place / "victim.qvault")
    case.run(*words)
    if digest(case.place / "victim.qvault") != once:
        case.fail("a second merge of the same brings something", words)
    check_goes_on(case, words)


def check_titles(case, words):
    """No writer stores a title in a tree that no file may have (entries.cddl)."""
    told = re.findall(rb"[^\n]*may have this name", case.said["unpack"])
    told = [line for line in told if b": a note/" not in line]  # attachments are no files
    if told:
        case.fail(f"stores {len(told)} names that a writer must not: {told[0]!r}", words)


def check_goes_on(case, words):
    """The victim's vault takes a save, and can be written anew."""
    (case.place / "keep.txt").write_bytes(b"another\n")
    for then in (("put", "-f", "victim.qvault", "keep.txt"), ("compact", "-f", "victim.qvault")):
        done = case.run(*then)
        if done.code:
            case.fail(f"behind it {then[0]} ends with {done.code}: {done.err[-200:]!r}", words)
    if (done := case.run("verify", "victim.qvault")).code:
        case.fail(f"verify behind compact ends with {done.code}", words)


def merge_back(case):
    """The victim's vault is the other side, and the peer's is written to."""
    case.enter("merge-back")
    shutil.copy(case.peer, case.place / "own.qvault")
    case.run("merge", "-f", "own.qvault", "--allow-rollback", "victim.qvault")


# The run

def remove(folder):
    """Removes a folder; those of some kinds are too deep for Python."""
    subprocess.run(["rm", "-rf", "--", str(folder)], check=True)


def attack(name):
    """All verbs on one kind."""
    start, case = time.monotonic(), Case(name)
    merge(case)
    if SHORT:
        case.enter("salvage")
        salvage(case)
        check_seen(case, ("salvage",))
    else:
        restore(case, look(case))
        rewrite(case, "compact", "compact", "-f", "own.qvault")
        rewrite(case, "rotate", "rekey", "rotate", "-f", "own.qvault")
        merge_back(case)
    report(case, time.monotonic() - start)
    if not case.broken:
        remove(case.folder)
    return not case.broken


def by_fault(case):
    """The commands that show each thing that is broken."""
    found = collections.defaultdict(list)
    for what, place, words in case.broken:
        found[what].append(f"{place.name}: qvault {words}")
    return found


PRINTING = threading.Lock()


def report(case, seconds):
    counts = ", ".join(f"{count} ended with {code}" for code, count in sorted(case.codes.items()))
    with PRINTING:
        print(f"{case.name:<28} {sum(case.codes.values()):>3} runs: {counts}; {case.worst[0]:.1f} s, {case.worst[1] >> 20} MiB at most; "
              f"{len(case.broken)} broken; {seconds:.0f} s", flush=True)
        for what, shown in by_fault(case).items():
            print(f"  {what}\n    " + "\n    ".join(shown[:3] + [f"and {len(shown) - 3} more"] * (len(shown) > 3)), flush=True)
        if case.broken:
            print(f"  to reproduce: mkdir {case.folder}/x; cd {case.folder}/x; cp ../victim.qvault .; cp ../peer.qvault own.qvault", flush=True)


def prepare(name):
    """Writes both vaults of a kind, in a process of its own, whose memory does not count."""
    folder = FOLDER / name
    folder.mkdir()
    shutil.copy(FOLDER / "victim.qvault", folder / "victim.qvault")
    (folder / "records.json").write_text(json.dumps(hostile_kinds.make(name, folder / "peer.qvault")))
    return name


def reference():
    """The password, the victim's vault, and what each of its saves holds."""
    password = FOLDER / "password"
    password.write_text(hostile_kinds.PASSWORD)
    password.chmod(0o600)
    sys.setrecursionlimit(10000)
    (FOLDER / "victim.qvault").write_bytes(hostile_kinds.victim().file())
    for save in SAVES:
        done = command(FOLDER, ("export", "--at", save, "-f", "victim.qvault", "-o", f"save-{save}"))
        if done.code:
            sys.exit(f"the victim's vault cannot be read: {done.err.decode()}")
    BEFORE.update(rows(command(FOLDER, ("ls", "--json", "-f", "victim.qvault"))))


def main():
    for _ in range(2):
        RUNNERS.submit(os.getpid).result()
    remove(FOLDER)
    FOLDER.mkdir(parents=True)
    hostile_kinds.declare_mixtures(SEED)
    reference()
    names = CHOSEN or list(hostile_kinds.KINDS)
    with concurrent.futures.ProcessPoolExecutor(2) as pool:
        names = list(pool.map(prepare, names))
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        held = list(pool.map(attack, names))
    print(f"{len(held)} kinds, {held.count(False)} broken; seed {SEED}")
    return 0 if all(held) else 1


sys.exit(main())
