#!/usr/bin/python3
"""Two and three copies of one vault against a model: two_machines.py QVAULT FOLDER [ROUNDS [SEED]]

Each round makes copies of a vault, each with a state folder of its own. Random operations change them: cards, attachments, marks,
shares, settings, files, folders, tags, groups, pins, the trash, moves, purges, compaction. Merges go in every direction. A model
in Python says by Spec/store.md, 13, what each copy holds then. At the end of a round all copies are merged until they are equal,
twice in each direction at most, and checked. Prints the seed, the round and the commands of the first fault, and ends with 1.
"""

import base64
import hashlib
import json
import os
import random
import re
import shlex
import shutil
import struct
import subprocess
import sys
import time
import zlib
from pathlib import Path

SECONDS = 60
LOCKED = 14  # an exit code
UNLOCKING = "--timeout", "24h", "--max", "24h"
SHRINKING = 60
PASSWORD = "correct-horse-battery-9"
HEADER = '{"format":"quickvault-export","version":1}'
CONFLICT = re.compile(r"( \(conflict \d+(-[0-9a-f]{4})?(-\d+)?\)|-conflict-\d+(-[0-9a-f]{4})?(-\d+)?)")
TEXTS = ("name", "wechat", "company", "position", "address", "notes")
PARTS = ("attachment", "watermark")
WEIGHTS = {"add": 8, "edit": 14, "own": 3, "tag": 5, "group": 3, "pin": 3, "remove": 6, "undelete": 5, "purge": 1,
           "empty": 1, "compact": 1, "attach": 5, "detach": 2, "replace": 3, "mark": 4, "unmark": 1, "share": 4,
           "revoke": 1, "set": 4, "unset": 2, "file": 8, "drop": 4, "drop_folder": 1, "move": 3}
DIFFER = "copies differ after two merges each way"
ONCE = {"share", "watermark-seed"}


class Fault(Exception):
    """A fault is what the Spec does not allow: its rule, and what was found."""

    def __init__(self, rule, what):
        super().__init__(f"{rule}: {what}")
        self.rule = rule


# ---- The model ----


class Version:
    """A version of a record: its status (live, trash or gone), what it says, its first save here, and the line of the save that
    made it, on whichever machine."""

    def __init__(self, first, status, says, origin):
        self.first, self.status, self.says, self.origin = first, status, says, origin


class Model:
    """The model of a copy: the versions of each record, the lines of its saves, and those of saves that were merged into it."""

    def __init__(self):
        self.records, self.lines, self.sequence, self.merged = {}, {}, 0, set()
        self.shares, self.loose = {}, set()

    def copy(self):
        """A copy of the model, as a plain copy of the file is."""
        other = Model()
        other.records = {name: list(versions) for name, versions in self.records.items()}
        other.lines, other.sequence, other.merged = dict(self.lines), self.sequence, set(self.merged)
        other.shares, other.loose = dict(self.shares), set(self.loose)
        return other

    def save(self, count=1):
        """A save is the next line."""
        for _ in range(count):
            self.sequence += 1
            self.lines[self.sequence] = object()

    def put(self, name, status, says):
        """A new version of a record in the newest save."""
        versions = self.records.setdefault(name, [])
        if versions and (versions[-1].first == self.sequence or not versions[-1].says):
            versions.pop()
        versions.append(Version(self.sequence, status, says, self.lines[self.sequence]))

    def present(self, name):
        """The present version of a record, or None."""
        versions = self.records.get(name)
        return versions[-1] if versions else None

    def status(self, name):
        version = self.present(name)
        return version.status if version else "none"

    def says(self, name):
        return self.present(name).says

    def names(self, status="live", kinds=None):
        """The records of a status, by name."""
        return sorted(name for name, versions in self.records.items()
                      if versions[-1].status == status and (kinds is None or versions[-1].says["kind"] in kinds))

    def parts(self, card, every=False):
        """The attachments of a card and their marks, live ones or all."""
        wanted = ("live", "trash") if every else ("live",)
        own = [name for name, versions in self.records.items() if versions[-1].status in wanted
               and versions[-1].says["kind"] == "attachment" and versions[-1].says["owner"] == card]
        return own + [name for name, versions in self.records.items() if versions[-1].status in wanted
                      and versions[-1].says["kind"] == "watermark" and versions[-1].says["owner"] in own]

    def beneath(self, folder, status="live"):
        """What lies in a folder, at any depth."""
        start = self.says(folder)["path"] + "/"
        return [name for name in self.names(status, ("file", "folder")) if self.says(name)["path"].startswith(start)]

    def at(self, path):
        """The record at a path, live or in the trash, or None."""
        return f"/{path}" if self.status(f"/{path}") in ("live", "trash") else None

    def compacted(self):
        """Compaction leaves the present alone."""
        for versions in self.records.values():
            del versions[:-1]

    def knows(self, version):
        """Whether the copy has, or had, a version of any copy: it has had the save that made it."""
        return version.origin in self.merged or version.origin in self.lines.values()

    def has_merged(self, other, ancestor):
        """Whether a save of another copy, since the two went apart, was merged into this one."""
        return any(save > ancestor and line in self.merged for save, line in other.lines.items())


def ancestor_of(here, there):
    """The ancestor of two copies: the highest save that both have."""
    return max((save for save, line in here.lines.items() if there.lines.get(save) is line), default=0)


# ---- What a merge has to do ----

KEEP, TAKE, TRASH, BOTH, JOIN, LIVE, EITHER = "keep", "take", "trash", "both", "join", "live", "either"


class Merge:
    """A merge as store.md, 13, says it: for each record what is expected here."""

    def __init__(self, here, there):
        self.here, self.there = here, there
        self.ancestor = ancestor_of(here, there)
        self.joined, self.plan = {}, {}
        self.decide_all()

    def changed(self, side, name):
        """Whether the present version of a record on one side is one that the other never had."""
        version, other = side.present(name), self.there if side is self.here else self.here
        return version is not None and not other.knows(version)

    def decide_all(self):
        names = sorted(set(self.here.records) | set(self.there.records))
        for name in names:
            self.plan[name] = self.decide(name)
        for name in names:
            if is_card(self.kind(name)):
                self.decide_family(name)
        for name in names:
            if self.kind(name) == "watermark":
                self.decide_mark(name)
        for name in sorted(names, key=self.depth, reverse=True):
            if self.kind(name) == "folder":
                self.decide_folder(name)

    def brings_news(self):
        """Whether the other copy has anything that this one never had."""
        changed = any(self.changed(self.there, name) for name in self.there.records)
        return changed or any(self.here.shares.get(name) != says for name, says in self.there.shares.items())

    def kind(self, name):
        for side in (self.here, self.there):
            for version in reversed(side.records.get(name, [])):
                if version.says:
                    return version.says["kind"]
        return "none"

    def path(self, name):
        for side in (self.here, self.there):
            for version in reversed(side.records.get(name, [])):
                if version.says:
                    return version.says.get("path", "")
        return ""

    def depth(self, name):
        return self.path(name).count("/")

    def decide(self, name):
        """A record alone: the table of store.md, 13."""
        here, there = self.here.present(name), self.there.present(name)
        if not self.changed(self.there, name):
            return self.decide_known(name, here, there)
        if not self.changed(self.here, name):
            if there.status == "live":
                return TAKE
            return TRASH if here is not None and here.status == "live" else KEEP
        if here.status != "live":
            return TAKE if there.status == "live" else KEEP
        return self.decide_changed(name, here, there) if there.status == "live" else KEEP

    def decide_known(self, name, here, there):
        """A record of which this side knows the other's version. Where each knows the other's and has another, both were merged
        into the other as they were before, and the version of the later save counts."""
        both = here is not None and there is not None and here.status == there.status == "live"
        return EITHER if both and here.origin is not there.origin and not self.changed(self.here, name) else KEEP

    def decide_changed(self, name, here, there):
        """A record that both changed, live on both sides."""
        if here.says == there.says:
            return KEEP
        if here.says["kind"] == "attachment" and plain(here.says) == plain(there.says):
            return EITHER
        return self.join(name, here.says, there.says) if is_card(here.says["kind"]) else BOTH

    def before(self, name):
        """The newest version that both sides have had, where it is certain and in a file yet."""
        here, there = ([version for version in side.records.get(name, []) if version.status == "live"]
                       for side in (self.here, self.there))
        one = next((version for version in reversed(here) if self.there.knows(version)), None)
        other = next((version for version in reversed(there) if self.here.knows(version)), None)
        if one is None or other is None:
            merged = self.here.has_merged(self.there, self.ancestor) or self.there.has_merged(self.here, self.ancestor)
            return None if merged else one or other
        if one.says == other.says:
            return one
        if any(version.origin is one.origin for version in there):
            return other
        return one if any(version.origin is other.origin for version in here) else None

    def join(self, name, here, there):
        """A card that both changed, field by field."""
        version = self.before(name)
        if version is None:
            return BOTH
        before, joined = version.says, {}
        for key in set(before) | set(here) | set(there):
            was, mine, theirs = before.get(key), here.get(key), there.get(key)
            if mine != was and theirs != was and mine != theirs and not key.startswith("t:"):
                return BOTH
            value = theirs if mine == was else mine
            if value is not None:
                joined[key] = value
        self.joined[name] = joined
        return JOIN

    def news(self, side, other, name):
        """Whether a side brings something of a card that the other never had."""
        for part in [name, *side.parts(name), *self.shares_of(side, name)]:
            if part in side.shares:
                if other.shares.get(part) != side.shares[part]:
                    return True
            elif self.changed(side, part) and side.status(part) == "live":
                return True
        return False

    @staticmethod
    def shares_of(side, card):
        parts = set(side.parts(card))
        return [share for share, says in side.shares.items() if says["attachment"] in parts]

    def decide_family(self, name):
        """A card and what belongs to it: removed on one side, and perhaps changed on the other."""
        here, there = self.here.status(name), self.there.status(name)
        if here == "none" or here != "live" and there != "live":
            return
        if here == "live" and there == "live":
            self.decide_parts(name)
        elif here == "live" and there != "none" and self.changed(self.there, name):
            self.family(name, self.here, self.there, KEEP, TRASH)
        elif there == "live":
            self.family(name, self.there, self.here, TAKE, KEEP)

    def family(self, name, live, gone, stay, leave):
        """The plan for a card that lives on one side: STAY if that side has news, LEAVE if not."""
        parts = set(live.parts(name)) | set(gone.parts(name, every=True))
        self.plan[name] = plan = stay if self.news(live, gone, name) else leave
        for part in parts:
            alone = live.status(part) != "live" or gone.status(part) == "trash" \
                and gone.present(part).first != gone.present(name).first
            self.plan[part] = EITHER if alone else plan

    def decide_parts(self, name):
        """The attachments of a card that lives on both sides: one that was removed while its mark or share changed."""
        for part in set(self.here.parts(name, True)) | set(self.there.parts(name, True)):
            statuses = {self.here.status(part), self.there.status(part)}
            if self.kind(part) != "attachment" or statuses not in ({"live", "trash"}, {"live", "gone"}):
                continue
            live = self.here if self.here.status(part) == "live" else self.there
            below = [mark for mark in live.parts(name) if live.says(mark).get("owner") == part]
            noted = [share for share, says in live.shares.items() if says["attachment"] == part]
            if noted or any(self.changed(live, mark) for mark in below):
                self.plan[part] = EITHER

    def decide_mark(self, name):
        """A mark follows its attachment where only one side has that."""
        owner = next(version.says["owner"] for side in (self.here, self.there)
                     for version in reversed(side.records.get(name, [])) if version.says)
        if self.here.status(owner) != "live" or self.there.status(owner) != "live":
            if self.plan.get(owner) == EITHER or self.plan[name] != self.plan.get(owner):
                self.plan[name] = EITHER

    def decide_folder(self, name):
        """A folder stays, or comes, with what lies in it."""
        start = self.path(name) + "/"
        inside = [other for other in self.plan if self.path(other).startswith(start)]
        if any(self.plan[other] == EITHER for other in inside):
            self.plan[name] = EITHER
        elif any(self.lives(other) for other in inside):
            self.plan[name] = KEEP if self.here.status(name) == "live" else LIVE

    def lives(self, name):
        """Whether the record is live after the merge."""
        plan = self.plan[name]
        if plan == KEEP:
            return self.here.status(name) == "live"
        return plan in (TAKE, BOTH, JOIN, LIVE)


def is_card(kind):
    return kind in ("contact", "note", "login")


def is_copy(says):
    """Whether a record has the name of a conflict's copy."""
    return CONFLICT.search(says.get("title", says.get("path", ""))) is not None


def plain(says):
    """What a record says, without the ending that a merge gives to a name."""
    return {key: CONFLICT.sub("", value) if key in ("title", "path") else value for key, value in says.items()}


def check_merge(merge, live, trash):
    """Holds what a copy has after a merge against the plan."""
    here, there = merge.here, merge.there
    for name, plan in merge.plan.items():
        check_record(merge, name, plan, live, trash)
    for name, says in live.items():
        if name not in merge.plan:
            explain(merge, name, says)
    for name, plan in merge.plan.items():
        if plan == BOTH:
            for side in (here, there):
                require_copy(side.says(name), live, name)


def explain(merge, name, says):
    """A record that neither side had is the copy of a conflict."""
    if says["kind"] in PARTS:
        return
    if not is_copy(says):
        raise Fault("a record that nobody made", f"{name} {says}")
    sides = [side.says(other) for other, plan in merge.plan.items() if plan in (BOTH, EITHER)
             for side in (merge.here, merge.there) if side.present(other)]
    if says["kind"] != "folder" and not any(plain(side) == plain(says) for side in sides if side):
        raise Fault(f"{says['kind']} kept twice without need", f"{name} {says}")


def require_copy(says, live, name):
    """A side of a conflict is there, under the record's name or beside it."""
    if says["kind"] == "watermark":
        return
    if not any(plain(other) == plain(says) for other in live.values()):
        raise Fault(f"{says['kind']} lost in a conflict", f"{name} {says}")


def check_record(merge, name, plan, live, trash):
    here, there = merge.here.present(name), merge.there.present(name)
    found = live.get(name)
    options = []
    if plan in (KEEP, EITHER, BOTH):
        options.append(here.says if here and here.status == "live" else None)
    if plan in (TAKE, EITHER, BOTH):
        options.append(there.says if there and there.status == "live" else None)
    if plan == TRASH:
        options.append(None)
    if plan == EITHER:
        options += [version.says for version in (here, there) if version and version.says]
    if plan == JOIN or plan == EITHER and name in merge.joined:
        options.append(merge.joined[name])
    if plan == LIVE:
        options.append(next(version.says for version in (here, there) if version and version.says))
    if says_of(found) not in map(says_of, options):
        rule = "lost" if found is None else "came back" if options == [None] else "differs"
        raise Fault(f"{merge.kind(name)} {rule} in a merge ({plan})", f"{name} expected {options}, found {found}, "
                    f"in the trash: {name in trash}")


def says_of(says):
    """What counts of a record: an attachment may have the name of a conflict."""
    return plain(says) if says and says["kind"] == "attachment" else says


# ---- The copies, and the command ----


class Machine:
    """A machine is a copy of the vault, its folders, and the model of the copy."""

    def __init__(self, world, name):
        self.world, self.name = world, name
        self.folder = world.folder / name
        self.vault = self.folder / "v.qvault"
        self.model, self.dirty, self.seen = Model(), True, None
        self.folder.mkdir(parents=True)
        self.environment = {"PATH": os.environ["PATH"], "HOME": str(self.folder), "LANG": "C.UTF-8",
                            "XDG_STATE_HOME": str(self.folder / "state"), "XDG_CONFIG_HOME": str(self.folder / "config"),
                            "XDG_RUNTIME_DIR": str(self.folder), "XDG_CACHE_HOME": str(self.folder / "cache")}

    def run(self, *words, vault=True, password=False, expect=(0,), note=True):
        """Runs the command on this copy. Returns its output."""
        words = [str(word) for word in words]
        if vault:
            words += ["-f", str(self.vault)]
        if password or not self.world.unlocked:
            words += ["--password-file", str(self.world.base / "password")]
        if note:
            self.world.commands.append(f"XDG_STATE_HOME=$PWD/{self.name}/state qvault {shlex.join(words)}")
        done = self.call(words)
        if done.returncode == LOCKED and self.world.unlocked and LOCKED not in expect:
            # Another program of this user ended the session: 'lock --all' takes all of the kernel's keys away.
            self.call(["unlock", *UNLOCKING, "--password-file", str(self.world.base / "password"), str(self.vault)])
            done = self.call(words)
        if done.returncode not in expect:
            raise Fault(f"{words[0]} ends with {done.returncode}", f"{shlex.join(words)}: {done.stderr.strip()[-400:]}")
        return done.stdout

    def call(self, words):
        return subprocess.run([str(self.world.qvault), *words], env=self.environment, capture_output=True, text=True,
                              timeout=SECONDS, cwd=self.folder)

    def change(self, *words, saves=1, **options):
        """Runs a verb that saves, and counts the save."""
        output = self.run(*words, **options)
        self.model.save(saves)
        self.dirty = True
        return output

    def lines(self, *words, **options):
        """The answer of a verb with --json."""
        return [json.loads(line) for line in self.run(*words, "--json", note=False, **options).splitlines()]

    def at_sequence(self):
        """The sequence of the newest save, which the file tells without a key."""
        return self.lines("info")[0]["sequence"]

    def look(self):
        """What the copy holds: live records and names in the trash, by id, and the shares."""
        live = {}
        for line in self.run("export", "-o", "-", password=True, note=False).splitlines()[1:]:
            name, says = exported(json.loads(line))
            live[name] = says
        for line in self.lines("ls"):
            if line["kind"] in ("file", "folder"):
                live[key_of(line)] = listed(line)
        trash = {key_of(line) for line in self.lines("ls", "--trash")}
        shares = {line["id"]: shared(line) for line in self.lines("shares", expect=(0, 10))}
        return {name: says for name, says in live.items() if says["kind"] not in ONCE}, trash, shares

    def check(self):
        """Holds the copy against the model where something changed it since it was looked at."""
        if not self.dirty:
            return
        live, trash, shares = self.look()
        model = self.model
        for name in set(model.names()) | set(live):
            expected = model.says(name) if model.status(name) == "live" else None
            if name not in model.loose and live.get(name) != expected:
                raise Fault("an operation", f"{self.name}: {name} expected {expected}, found {live.get(name)}")
        for name in model.names("trash"):
            if name not in trash and name not in model.loose and model.says(name)["kind"] != "watermark":
                raise Fault("an operation loses what is in the trash", f"{self.name}: {name} {model.says(name)}")
        check_shares(self, shares)
        self.adopt(live, trash, shares)

    def adopt(self, live, trash, shares):
        """Takes what the copy holds for the model, and its sequence."""
        model, sequence = self.model, self.at_sequence()
        if sequence < model.sequence:
            raise Fault("a save is missing", f"{self.name}: at {sequence}, not {model.sequence}")
        model.save(sequence - model.sequence)
        for name in set(model.records) | set(live):
            self.adopt_record(name, live, trash)
        model.shares = dict(shares)
        model.loose.clear()
        self.dirty, self.seen = False, (live, trash, shares)

    def adopt_record(self, name, live, trash):
        model, found = self.model, live.get(name)
        if found is not None:
            if model.status(name) != "live" or model.says(name) != found:
                model.put(name, "live", found)
        elif model.status(name) == "live":
            kept = name in trash or model.says(name)["kind"] == "watermark"
            model.put(name, "trash" if kept else "gone", model.says(name) if kept else {})
        elif model.status(name) == "trash" and name not in trash and model.says(name)["kind"] != "watermark":
            model.records[name] = [Version(model.sequence, "gone", {}, model.lines[model.sequence])]


def exported(line):
    """A record of an export: its id, and what it says."""
    kind, says = line["kind"], {"kind": line["kind"]}
    for key in ("owner", "title", "group", "pinned", "type", "value", "sha256"):
        if key in line:
            says[key] = line[key]
    for tag in line.get("tags", []):
        says[f"t:{tag}"] = True
    for key, value in line.get("fields", {}).items():
        says[f"f:{key}"] = value
    for own in line.get("own", []):
        says[f"o:{own['label']}"] = own["value"]
    if kind == "watermark":
        says.pop("title", None)
    if kind == "setting":
        says["value"] = json.dumps(says.get("value"))
    return line["id"], says


def key_of(line):
    """The name of a listed record in the model: a file or folder is known by its path, since its id follows from that."""
    return f"/{line['path']}" if line["kind"] in ("file", "folder") else line["id"]


def listed(line):
    """A file or folder of a list: what it says. Each content of a file has a length of its own."""
    says = {"kind": line["kind"], "path": line["path"]}
    if line["kind"] == "file":
        says["size"] = line["size"]
    return says


def shared(line):
    """A share of a list: what it says."""
    return {key: line[key] for key in ("attachment", "recipient", "purpose", "sha256", "revoked")}


def joined_shares(here, there):
    """The shares of two copies together; one that either side asked back is asked back."""
    joined = {**there, **here}
    for name, says in there.items():
        if says["revoked"]:
            joined[name] = {**joined[name], "revoked": says["revoked"]}
    return joined


def check_shares(machine, shares):
    """A share is evidence: it is there whatever became of its card."""
    model = machine.model
    for name, says in model.shares.items():
        if name not in shares:
            raise Fault("a share is lost", f"{machine.name}: {name} {says}")
        if name in shares and shares[name]["sha256"] != says["sha256"]:
            raise Fault("a share differs", f"{machine.name}: {name} {says}, found {shares[name]}")
        if name in shares and says["revoked"] and not shares[name]["revoked"]:
            raise Fault("a revocation is lost", f"{machine.name}: {name} {says}, found {shares[name]}")
    for name, says in shares.items():
        if name not in model.shares:
            raise Fault("a share that nobody made", f"{machine.name}: {name} {says}")


class World:
    """A world is one round: its machines, its commands so far, and the names of what was made."""

    def __init__(self, base, round_folder, count):
        self.base, self.folder = base, round_folder
        self.qvault, self.unlocked = base / "bin" / "qvault", (base / "unlocked").exists()
        shutil.rmtree(round_folder, ignore_errors=True)
        self.commands, self.ids, self.inputs, self.merges, self.leaks = [], {}, 0, 0, {}
        self.without_original = set()
        self.machines = [Machine(self, name) for name in "ABC"[:count]]
        first = self.machines[0]
        shutil.copy(base / "base.qvault", first.vault)
        self.commands.append(f"cd {round_folder}; export QVAULT_PASSWORD_FILE={base}/password; cp ../base.qvault A/v.qvault")
        first.model.save(first.at_sequence())

    def split(self):
        """Gives every machine a copy of the first one's file."""
        for machine in self.machines[1:]:
            self.transfer(self.machines[0], machine)

    def transfer(self, source, target):
        """Puts a plain copy of a file in the place of another, on a machine that has seen none."""
        source.check()
        shutil.rmtree(target.folder / "state", ignore_errors=True)
        shutil.copy(source.vault, target.vault)
        self.commands.append(f"rm -rf {target.name}/state; cp {source.name}/v.qvault {target.name}/v.qvault")
        target.model, target.dirty, target.seen = source.model.copy(), False, source.seen

    def id_of(self, token):
        """The id of a record that the model chose."""
        return self.ids.get(token) or hashlib.md5(token.encode()).hexdigest()

    def write(self, ending, data):
        """A new input file of this round."""
        self.inputs += 1
        path = self.folder / f"input-{self.inputs}{ending}"
        path.write_bytes(data)
        return path

    def merge(self, here, there):
        """Merges one copy into another, and holds the result against the plan. Returns whether something changed."""
        here.check()
        there.check()
        plan = Merge(here.model, there.model)
        before, news = here.model.sequence, plan.brings_news()
        here.run("merge", there.vault)
        self.merges += 1
        live, trash, shares = here.seen if here.at_sequence() == before else here.look()
        check_merge(plan, live, trash)
        here.model.shares = joined_shares(here.model.shares, there.model.shares)
        check_shares(here, shares)
        here.adopt(live, trash, shares)
        if news:
            self.adopt_origins(here.model, there.model, before)
        return here.model.sequence != before


    @staticmethod
    def adopt_origins(here, there, before):
        """What came as it was is the version that it is there. All that was done there is known here."""
        for name, version in ((name, versions[-1]) for name, versions in here.records.items()):
            other = there.present(name)
            same = other is not None and (other.status, other.says) == (version.status, version.says)
            if same and version.status == "live" and (version.first > before or there.knows(version)):
                version.origin = other.origin
        for name in set(there.records) - set(here.records):
            if there.status(name) != "live":
                here.put(name, "gone", {})
        here.merged |= there.merged | set(there.lines.values())


# ---- Operations ----


def picture(token):
    """A small PNG that no other token has."""
    draw = random.Random(token)
    width, height, step = 160, 120, draw.randrange(3, 60)
    rows = b"".join(b"\0" + bytes((column * row * step // 50) % 200 + 55 for column in range(width)) for row in range(height))

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0))
            + chunk(b"tEXt", b"Comment\0" + token.encode()) + chunk(b"IDAT", zlib.compress(rows, 1)) + chunk(b"IEND", b""))


def line_of(name, says):
    """A line of an export for a card, an attachment, a mark or a setting."""
    line = {"id": name, "kind": says["kind"]}
    line.update({key: says[key] for key in ("owner", "title", "group", "pinned", "type") if key in says})
    line.setdefault("title", "mark")
    tags = sorted(key[2:] for key in says if key.startswith("t:"))
    if tags:
        line["tags"] = tags
    if says["kind"] == "setting":
        line["value"] = json.loads(says["value"])
    elif says["kind"] != "attachment":
        line["fields"] = {key[2:]: value for key, value in says.items() if key.startswith("f:")}
    own = [{"label": key[2:], "value": value} for key, value in says.items() if key.startswith("o:")]
    if own:
        line["own"] = own
    return line


def setting_id(name):
    return hashlib.sha256(b"quickvault/1/setting\0" + name.encode()).hexdigest()[:32]


def mark_id(attachment):
    return hashlib.sha256(b"quickvault/1/watermark\0" + bytes.fromhex(attachment)).hexdigest()[:32]


class Steps:
    """Steps are the operations: each is chosen by the round's numbers, and can be done again without them."""

    def __init__(self, world, draw):
        self.world, self.draw, self.count = world, draw, 0

    # -- choosing --

    def token(self):
        self.count += 1
        return f"v{self.count}"

    def value(self):
        """A text that no other operation writes, or now and then one of a few."""
        return self.draw.choice(["same", "alike"]) if self.draw.random() < 0.1 else self.token()

    def pick(self, machine, kinds, status="live"):
        names = machine.model.names(status, kinds)
        return self.draw.choice(names) if names else None

    def choose(self, machine):
        """A random operation on a copy, or None where there is nothing to do it on."""
        name = self.draw.choices(list(WEIGHTS), list(WEIGHTS.values()))[0]
        chosen = getattr(self, f"choose_{name}")(machine)
        return (name, *chosen) if chosen is not None else None

    CARDS = ("contact", "note", "login")

    def choose_add(self, machine):
        """Adds cards, attachments, marks and settings in one import."""
        return (self.additions(machine.model),)

    def additions(self, model):
        """What an import adds: names and what they say."""
        added = []
        for _ in range(self.draw.randint(1, 2)):
            card = self.world.id_of(self.token())
            added.append((card, self.new_card()))
            for _ in range(self.draw.choice([0, 0, 1, 2])):
                attachment = self.world.id_of(self.token())
                added.append((attachment, self.new_attachment(card)))
                if self.draw.random() < 0.4:
                    added.append((mark_id(attachment), self.new_mark(attachment)))
        if self.draw.random() < 0.4:
            title = f"s.{self.draw.randrange(6)}"
            if model.status(setting_id(title)) in ("none", "gone"):
                says = {"kind": "setting", "title": title, "type": "text", "value": json.dumps(self.value())}
                added.append((setting_id(title), says))
        return added

    def new_card(self):
        says = {"kind": "contact", "title": f"T{self.value()}", "f:name": self.value()}
        for key in self.draw.sample(TEXTS[1:], 2):
            says[f"f:{key}"] = self.value()
        if self.draw.random() < 0.5:
            says["group"] = self.draw.choice(["g1", "g2"])
        for tag in self.draw.sample(["t1", "t2", "t3"], self.draw.randrange(3)):
            says[f"t:{tag}"] = True
        if self.draw.random() < 0.3:
            says["o:label"] = self.value()
        return says

    def new_attachment(self, card):
        token = self.token()
        return {"kind": "attachment", "owner": card, "title": self.draw.choice([f"{token}.png", "scan.png"]), "type": "image/png",
                "token": token}

    def new_mark(self, attachment):
        return {"kind": "watermark", "owner": attachment, "f:text": f"for {self.token()}", "f:layout": "clear"}

    def choose_edit(self, machine):
        """Changes fields of a card."""
        card = self.pick(machine, self.CARDS)
        if not card:
            return None
        keys = self.draw.sample(TEXTS, self.draw.choice([1, 1, 2]))
        changes = {f"f:{key}": self.value() for key in keys}
        if self.draw.random() < 0.25:
            changes = {f"f:{self.draw.choice(TEXTS[1:])}": None}
        if self.draw.random() < 0.2:
            changes["title"] = f"T{self.value()}"
        return card, changes

    def choose_own(self, machine):
        """Gives a card a field of one's own."""
        card = self.pick(machine, self.CARDS)
        return (card, {f"o:{self.draw.choice(['label', 'more', self.token()])}": self.value()}) if card else None

    def choose_tag(self, machine):
        """Tags a card, or takes a tag away."""
        card = self.pick(machine, self.CARDS)
        return (card, self.draw.choice(["t1", "t2", "t3"])) if card else None

    def choose_group(self, machine):
        """Puts a card into a group, or takes it out."""
        card = self.pick(machine, self.CARDS)
        return (card, self.draw.choice(["g1", "g2", "g3"])) if card else None

    def choose_pin(self, machine):
        """Pins a card, or ends that."""
        card = self.pick(machine, self.CARDS)
        return (card,) if card else None

    def choose_remove(self, machine):
        """Puts a card into the trash."""
        card = self.pick(machine, self.CARDS)
        return (card,) if card else None

    def choose_undelete(self, machine):
        """Brings a card, a setting or a file back."""
        name = self.pick(machine, (*self.CARDS, "setting", "file"), "trash")
        return (name,) if name else None

    def choose_purge(self, machine):
        """Purges a card or a file."""
        name = self.pick(machine, (*self.CARDS, "file"), self.draw.choice(["live", "trash"]))
        return (name,) if name else None

    def choose_empty(self, machine):
        """Purges the trash."""
        return () if machine.model.names("trash", (*self.CARDS, "file", "folder", "setting", "attachment")) else None

    def choose_compact(self, machine):
        """Compacts the copy."""
        return ()

    def choose_attach(self, machine):
        """Attaches a picture to a card that is there."""
        card = self.pick(machine, self.CARDS)
        return ([(self.world.id_of(self.token()), self.new_attachment(card))],) if card else None

    def choose_detach(self, machine):
        """Puts an attachment into the trash."""
        name = self.pick(machine, ("attachment",))
        return (name,) if name else None

    def choose_replace(self, machine):
        """Gives an attachment another content."""
        name = self.pick(machine, ("attachment",))
        return (name, self.token()) if name else None

    def choose_mark(self, machine):
        """Gives an attachment a mark, or another one."""
        name = self.pick(machine, ("attachment",))
        return (name, f"for {self.token()}") if name else None

    def choose_unmark(self, machine):
        """Takes a mark away."""
        name = self.pick(machine, ("watermark",))
        return (machine.model.says(name)["owner"],) if name else None

    def choose_share(self, machine):
        """Writes a marked copy for somebody."""
        name = self.pick(machine, ("attachment",))
        return (name, self.token()) if name else None

    def choose_revoke(self, machine):
        """Notes that a copy was asked back."""
        tokens = sorted(token for token, share in self.world.ids.items() if share in machine.model.shares)
        return (self.draw.choice(tokens),) if tokens else None

    def choose_set(self, machine):
        """Stores a setting."""
        return f"s.{self.draw.randrange(6)}", self.value()

    def choose_unset(self, machine):
        """Puts a setting into the trash."""
        name = self.pick(machine, ("setting",))
        return (machine.model.says(name)["title"],) if name else None

    def choose_file(self, machine):
        """Puts a file, with the folders above it."""
        folder = self.draw.choice(["", "d1/", "d2/", "d1/e/"])
        self.count += 1
        return f"{folder}f{self.draw.randrange(4)}.txt", 10 + self.count

    def choose_drop(self, machine):
        """Puts a file into the trash."""
        name = self.pick(machine, ("file",))
        return (machine.model.says(name)["path"],) if name else None

    def choose_drop_folder(self, machine):
        """Puts a folder into the trash, with what lies in it."""
        name = self.pick(machine, ("folder",))
        return (machine.model.says(name)["path"],) if name else None

    def choose_move(self, machine):
        """Gives a file another path."""
        name = self.pick(machine, ("file",))
        return (machine.model.says(name)["path"], f"m{self.token()}.txt") if name else None

    # -- doing --

    def do(self, step):
        """Does a step. Returns whether there was something to do it on."""
        kind, *words = step
        if kind == "merge":
            here, there = (self.world.machines[number] for number in words)
            self.world.merge(here, there)
            return True
        if kind == "transfer":
            self.world.transfer(*(self.world.machines[number] for number in words))
            return True
        number, *words = words
        return getattr(self, f"do_{kind}")(self.world.machines[number], *words)

    def do_add(self, machine, added):
        """One import of several records."""
        lines, model = [HEADER], machine.model
        added = [(name, says) for name, says in added if model.status(name) in ("none", "gone")]
        given = {name for name, _ in added}
        added = [(name, says) for name, says in added
                 if "owner" not in says or says["owner"] in given or model.status(says["owner"]) == "live"]
        titles = [(model.says(name)["owner"], model.says(name)["title"]) for name in model.names("live", ("attachment",))]
        done = []
        for name, says in added:
            says = dict(says)
            if says["kind"] == "attachment":
                if (says["owner"], says["title"]) in titles:
                    says["title"] = f"{says['token']}.png"
                titles.append((says["owner"], says["title"]))
            line, says = self.with_content(name, says)
            lines.append(json.dumps(line))
            done.append((name, says))
        if not done:
            return False
        machine.change("import", self.world.write(".jsonl", "\n".join(lines).encode() + b"\n"))
        for name, says in done:
            model.put(name, "live", says)
        return True

    @staticmethod
    def with_content(name, says):
        """The line of a record with its content, and what it says then."""
        line = line_of(name, says)
        if says["kind"] == "attachment":
            data = picture(says.pop("token"))
            line["content"] = base64.b64encode(data).decode()
            line["modified"] = "1700000000000000000"
            says["sha256"] = hashlib.sha256(data).hexdigest()
        return line, says

    do_attach = do_add

    def do_edit(self, machine, card, changes):
        model = machine.model
        if model.status(card) != "live":
            return False
        says = dict(model.says(card))
        words = []
        for key, value in changes.items():
            if says.get(key) == value:
                continue
            says[key] = value
            words += ["--title", value] if key == "title" else [f"{key[2:]}={value or ''}"]
            if value is None:
                del says[key]
        if not words or "f:name" not in says:
            return False
        machine.change("card", "edit", card, *words)
        model.put(card, "live", says)
        return True

    do_own = do_edit

    def flip(self, machine, card, key, value, verb):
        """Tags, groups and pins a card, or takes that away if it is so."""
        model = machine.model
        if model.status(card) != "live":
            return False
        says = dict(model.says(card))
        words = [verb, card, *([value] if isinstance(value, str) else [])]
        if says.get(key) == (True if verb == "tag" else value):
            del says[key]
            words = [verb, "--off", card, *([value] if verb == "tag" else [])]
        else:
            says[key] = True if verb == "tag" else value
        machine.change(*words)
        model.put(card, "live", says)
        return True

    def do_tag(self, machine, card, tag):
        return self.flip(machine, card, f"t:{tag}", tag, "tag")

    def do_group(self, machine, card, group):
        return self.flip(machine, card, "group", group, "group")

    def do_pin(self, machine, card):
        return self.flip(machine, card, "pinned", True, "pin")

    @staticmethod
    def trash(machine, names):
        for name in names:
            machine.model.put(name, "trash", machine.model.says(name))

    def do_remove(self, machine, card):
        if machine.model.status(card) != "live":
            return False
        parts = machine.model.parts(card)
        machine.change("card", "rm", card)
        self.trash(machine, [card, *parts])
        return True

    def do_detach(self, machine, name):
        model = machine.model
        if model.status(name) != "live":
            return False
        marks = [mark for mark in model.names("live", ("watermark",)) if model.says(mark)["owner"] == name]
        machine.change("attach", "rm", name)
        self.trash(machine, [name, *marks])
        return True

    def do_undelete(self, machine, name):
        model = machine.model
        if model.status(name) != "trash":
            return False
        first = model.present(name).first
        above = [model.at(folder) for folder in parents(model.says(name).get("path", ""))]
        inside = [part for part in model.parts(name, every=True) if model.status(part) == "trash"]
        machine.change("undelete", name.lstrip("/"))
        for record in [name, *above, *inside]:
            if record is None or model.status(record) != "trash":
                continue
            if record in inside and model.present(record).first != first:
                model.loose.add(record)
            model.put(record, "live", model.says(record))
        if model.loose:
            machine.check()
        return True

    def do_purge(self, machine, name):
        model = machine.model
        if model.status(name) not in ("live", "trash"):
            return False
        names = [name, *model.parts(name, every=True)]
        machine.change("purge", name.lstrip("/"), "-y", password=True)
        self.world.without_original.update(names)
        self.purged(machine, names)
        return True

    def do_empty(self, machine):
        model = machine.model
        names = model.names("trash")
        if not [name for name in names if model.says(name)["kind"] != "watermark"]:
            return False
        machine.change("purge", "--trash", "-y", password=True)
        originals = {says["attachment"] for says in model.shares.values()}
        model.loose |= originals.intersection(names)
        self.purged(machine, [name for name in names if name not in originals])
        return True

    @staticmethod
    def purged(machine, names):
        """Leaves tombstones alone."""
        for name in names:
            machine.model.records.pop(name)
            machine.model.put(name, "gone", {})

    def do_compact(self, machine):
        machine.change("compact", password=True)
        machine.model.compacted()
        return True

    def do_replace(self, machine, name, token):
        model = machine.model
        if model.status(name) != "live":
            return False
        line, says = self.with_content(name, {**model.says(name), "token": token})
        path = self.world.write(".jsonl", f"{HEADER}\n{json.dumps(line)}\n".encode())
        machine.change("import", path)
        model.put(name, "live", says)
        return True

    def do_mark(self, machine, name, text):
        model = machine.model
        if model.status(name) != "live":
            return False
        mark = mark_id(name)
        machine.change("watermark", "set", name, "--text", text)
        model.put(mark, "live", {"kind": "watermark", "owner": name, "f:text": text, "f:layout": "clear", "f:trace": "all"})
        return True

    def do_unmark(self, machine, name):
        model = machine.model
        if model.status(mark_id(name)) != "live" or model.status(name) != "live":
            return False
        machine.change("watermark", "rm", name)
        self.trash(machine, [mark_id(name)])
        return True

    def do_share(self, machine, name, token):
        """A real marked copy; its file is kept for a trace."""
        model = machine.model
        if model.status(name) != "live":
            return False
        leak = self.world.folder / f"leak-{token}.png"
        output = machine.change("share", name, "--sparse", "--allow-faint", "--text", f"for {token}", "--recipient", token,
                                "--purpose", "test", "-o", leak, "--json", "--force")
        answer = json.loads(output.splitlines()[-1])
        self.world.ids[f"share-{token}"], self.world.leaks[answer["id"]] = answer["id"], leak
        model.shares[answer["id"]] = {"attachment": name, "recipient": token, "purpose": "test", "revoked": None,
                                      "sha256": hashlib.sha256(leak.read_bytes()).hexdigest()}
        return True

    def do_revoke(self, machine, token):
        share = self.world.ids.get(token)
        if share not in machine.model.shares or machine.model.shares[share]["revoked"]:
            return False
        machine.change("shares", "revoke", share)
        machine.model.shares[share] = {**machine.model.shares[share], "revoked": "today"}
        return True

    def do_set(self, machine, title, value):
        model, name = machine.model, setting_id(title)
        says = {"kind": "setting", "title": title, "type": "text", "value": json.dumps(value)}
        if model.status(name) == "live" and model.says(name) == says:
            return False
        machine.change("config", "set", title, value)
        model.put(name, "live", says)
        return True

    def do_unset(self, machine, title):
        name = setting_id(title)
        if machine.model.status(name) != "live":
            return False
        machine.change("config", "rm", title)
        self.trash(machine, [name])
        return True

    def do_file(self, machine, path, size):
        model = machine.model
        if any(model.at(above) and model.says(model.at(above))["kind"] != "folder" for above in parents(path)):
            return False
        source = self.world.write(".txt", f"{size:09}-".encode() + b"x" * (size - 10))
        os.utime(source, (1700000000, 1700000000))
        machine.change("put", source, "--as", path)
        for name in [*parents(path), path]:
            says = {"kind": "file", "path": name, "size": size} if name == path else {"kind": "folder", "path": name}
            if name == path or model.status(f"/{name}") != "live":
                model.put(f"/{name}", "live", says)
        return True

    def do_drop(self, machine, path):
        name = machine.model.at(path)
        if name is None or machine.model.status(name) != "live":
            return False
        machine.change("rm", path)
        self.trash(machine, [name])
        return True

    def do_drop_folder(self, machine, path):
        name = machine.model.at(path)
        if name is None or machine.model.status(name) != "live":
            return False
        inside = machine.model.beneath(name)
        machine.change("rm", "-r", path)
        self.trash(machine, [name, *inside])
        return True

    def do_move(self, machine, path, new):
        model = machine.model
        name = model.at(path)
        if name is None or model.status(name) != "live" or model.at(new):
            return False
        machine.change("mv", path, new)
        says = {**model.says(name), "path": new}
        model.put(name, "gone", {})
        model.put(f"/{new}", "live", says)
        return True


def parents(path):
    """The folders above a path, the uppermost first."""
    parts = path.split("/")[:-1]
    return ["/".join(parts[:count + 1]) for count in range(len(parts))]



# ---- Rounds ----


class Round:
    """A round is a list of steps on copies of one vault. It can be done again with fewer steps."""

    def __init__(self, base, folder, seed):
        self.base, self.folder, self.seed = base, folder, seed
        self.draw = random.Random(seed)
        self.copies = 2 if self.draw.random() < 0.7 else 3
        self.steps = []

    def run(self):
        """The round for the first time: chooses steps and does them. Returns the world."""
        world = self.world = World(self.base, self.folder, self.copies)
        doer = Steps(world, self.draw)
        for _ in range(self.draw.randint(3, 6)):
            self.step(doer, 0)
        self.steps.append(("split",))
        world.split()
        for _ in range(self.draw.choice([1, 1, 2])):
            self.edit(doer)
            self.converge(world)
        self.finish(world)
        return world

    def edit(self, doer):
        """Operations on all copies, with merges between them."""
        for _ in range(self.draw.randint(4, 12)):
            chance = self.draw.random()
            if chance < 0.15:
                self.do(doer, ("merge", *self.draw.sample(range(self.copies), 2)))
            elif chance < 0.17:
                self.do(doer, ("transfer", *self.draw.sample(range(self.copies), 2)))
            else:
                self.step(doer, self.draw.randrange(self.copies))

    def step(self, doer, number):
        chosen = doer.choose(doer.world.machines[number])
        if chosen:
            self.do(doer, (chosen[0], number, *chosen[1:]))

    def do(self, doer, step):
        self.steps.append(step)
        if not doer.do(step):
            self.steps.pop()

    def converge(self, world):
        """Merges in every direction, twice at most. All copies are equal then."""
        self.steps.append(("converge",))
        converge(world)

    def finish(self, world):
        self.steps.append(("finish",))
        finish(world)

    def single_merges(self, fault):
        """The steps with each merge on its own, but for the last ones where these have to make the copies equal."""
        pairs = [(here, there) for here in range(self.copies) for there in range(self.copies) if here != there]
        steps = []
        for place, step in enumerate(self.steps):
            if step[0] == "converge" and (fault.rule != DIFFER or place < len(self.steps) - 1):
                steps += [("merge", *pair) for pair in pairs * 2]
            else:
                steps.append(step)
        return steps

    def again(self, steps):
        """Does these steps alone. Returns the fault, or None."""
        world = World(self.base, self.folder, self.copies)
        doer, whole = Steps(world, random.Random(0)), {"split": World.split, "converge": converge, "finish": finish}
        try:
            for step in steps:
                if step[0] in whole:
                    whole[step[0]](world)
                else:
                    doer.do(step)
        except Fault as fault:
            return fault, world
        return None, world


def converge(world):
    pairs = [(here, there) for here in world.machines for there in world.machines if here is not there]
    for _ in range(2):
        for here, there in pairs:
            world.merge(here, there)
        if not differences(world):
            return
    raise Fault(DIFFER, differences(world))


def differences(world):
    """What two copies hold that is not the same."""
    first = world.machines[0].model
    for machine in world.machines[1:]:
        model = machine.model
        for name in sorted(set(first.names()) | set(model.names())):
            mine = first.says(name) if first.status(name) == "live" else None
            other = model.says(name) if model.status(name) == "live" else None
            if mine != other:
                return f"{name} in A {mine}, in {machine.name} {other}"
        for name in sorted(set(first.shares) ^ set(model.shares)):
            return f"share {name} only in one of A and {machine.name}"
    return ""


def finish(world):
    """The end of a round: every copy is sound, its files have their bytes, and a share is traced."""
    for machine in world.machines:
        machine.check()
        machine.run("verify", machine.vault, vault=False)
        read_files(machine)
    trace_share(world)


def read_files(machine):
    """Reads all files of a copy in one call."""
    names = machine.model.names("live", ("file",))
    if names:
        text = machine.run("cat", *(name.lstrip("/") for name in names))
        expected = "".join(f"{size:09}-" + "x" * (size - 10) for size in (machine.model.says(name)["size"] for name in names))
        if text != expected:
            raise Fault("a file has other bytes", f"{machine.name}: {names}")


def trace_share(world):
    """Traces the first copy that was given away, on each machine. A purge of its attachment by name takes the original."""
    for machine in world.machines:
        for share, leak in world.leaks.items():
            if share in machine.model.shares and machine.model.shares[share]["attachment"] not in world.without_original:
                answer = machine.run("trace", leak, "--json")
                if share not in answer or "found" not in answer:
                    raise Fault("a share is not traced", f"{machine.name}: {share}: {answer[:300]}")
                break


def shrink(one, fault):
    """Fewer steps with the same fault, as far as a minute goes. Returns the fault, the world and the steps."""
    steps, end = one.single_merges(fault), time.monotonic() + SHRINKING
    best = one.again(steps)
    if best[0] is None or best[0].rule != fault.rule:
        return fault, one.world, one.steps
    changed = True
    while changed:
        changed = False
        for place in reversed(range(len(steps))):
            if time.monotonic() > end:
                break
            if steps[place] == ("split",):
                continue
            fewer = steps[:place] + steps[place + 1:]
            found = one.again(fewer)
            if found[0] is not None and found[0].rule == fault.rule:
                steps, best, changed = fewer, found, True
        changed &= time.monotonic() < end
    steps = shrink_additions(one, fault, steps, end)
    return one.again(steps) + (steps,)


def shrink_additions(one, fault, steps, end):
    """Imports of fewer records."""
    for place, step in enumerate(steps):
        if step[0] != "add":
            continue
        for record in reversed(step[2]):
            fewer = [other for other in steps[place][2] if other is not record]
            trial = [*steps[:place], ("add", step[1], fewer), *steps[place + 1:]]
            if fewer and time.monotonic() < end:
                found = one.again(trial)[0]
                if found is not None and found.rule == fault.rule:
                    steps = trial
    return steps


def report(one, number, seed, fault):
    """Prints how to see the fault again."""
    print(f"seed {seed}, round {number}: {fault}", flush=True)
    small, world, steps = shrink(one, fault)
    print(f"shrunk to {len(steps)} steps: {small}")
    print("\n".join(world.commands))


def prepare(qvault, folder):
    """The vault that every round begins with, unlocked where the kernel keeps keys."""
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "bin").mkdir(parents=True)
    for program in ("qvault", "qvault-decode"):
        if (qvault.parent / program).exists():
            shutil.copy(qvault.parent / program, folder / "bin" / program)
    password = folder / "password"
    password.write_text(PASSWORD)
    password.chmod(0o600)
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "XDG_STATE_HOME": str(folder / "state"),
                   "XDG_RUNTIME_DIR": str(folder), "LANG": "C.UTF-8"}

    def run(*words):
        return subprocess.run([str(folder / "bin" / "qvault"), *words], env=environment, capture_output=True, text=True)

    created = run("create", str(folder / "base.qvault"), "--password-file", str(password))
    if created.returncode:
        sys.exit(created.stderr)
    run("unlock", str(folder / "base.qvault"), *UNLOCKING, "--password-file", str(password))
    if run("ls", "-f", str(folder / "base.qvault")).returncode == 0:
        (folder / "unlocked").touch()
    return lambda: run("lock", str(folder / "base.qvault"))


def main():
    qvault, folder = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 40
    seed = int(sys.argv[4]) if len(sys.argv) > 4 else 1
    lock, start, operations, merges = prepare(qvault, folder), time.monotonic(), 0, 0
    try:
        for number in range(1, rounds + 1):
            one = Round(folder, folder / "round", f"{seed}/{number}")
            try:
                world = one.run()
            except Fault as fault:
                report(one, number, seed, fault)
                return 1
            operations += len(one.steps)
            merges += world.merges
    finally:
        lock()
    print(f"two machines: {rounds} rounds, {operations} operations, {merges} merges, {time.monotonic() - start:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
