#!/usr/bin/python3
"""Saves at random, and takes saves back: undo.py QVAULT FOLDER SEED ROUNDS. After `undo` of the last save all records are as they were before
it; after any, others can be saved, and the vault is sound. Prints what it did, and ends with 1 where that does not hold."""

import json
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

QVAULT, FOLDER, SEED, ROUNDS = sys.argv[1], Path(sys.argv[2]).resolve(), int(sys.argv[3]), int(sys.argv[4])
STEPS = 14
# Damage, tampering, a wrong format, a wrong key, and what no code is for.
FAULTS = (1, 3, 4, 5, 6)


def qvault(*words):
    return subprocess.run([QVAULT, *words], capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL, cwd=FOLDER)


def state(save=None):
    at = ["--at", str(save)] if save else []
    records = [json.loads(line) for line in qvault("export", "-o", "-", *at).stdout.splitlines()[1:]]
    files = [json.loads(line) for line in qvault("ls", "--json", *at).stdout.splitlines()]
    kept = [{key: value for key, value in record.items() if key not in ("updated", "modified")} for record in records]
    return (sorted(json.dumps(record, sort_keys=True) for record in kept),
            sorted((file["path"], file["size"]) for file in files if file["kind"] in ("file", "folder")))


def fail(what):
    sys.exit(f"{what}\n{qvault('history').stdout}")


def take_back():
    newest = len(qvault("history", "--json", "--all").stdout.splitlines())
    save = newest if random.random() < 0.5 else random.randrange(1, newest + 1)
    done = qvault("undo", str(save))
    if done.returncode == 0 and save == newest and state() != state(save - 1):
        fail(f"undo {save}: not as after save {save - 1}")
    if done.returncode not in (0, 11, 12):
        fail(f"undo {save}: {done.returncode} {done.stderr}")
    return done


def step():
    name, kind = random.choice("abc"), random.randrange(9)
    if kind == 0:
        (FOLDER / "p" / name).write_text(str(random.random()))
        return qvault("put", "-q", "p")
    words = [("card", "add", "-q", "note", "--title", name, f"text={random.randrange(3)}"),
             ("card", "edit", "-q", name, f"text={random.randrange(3)}"), ("tag", "-q", name, "t"),
             ("rm", "-qr", random.choice(["p", name, f"p/{name}"])), ("undelete", "-q", random.choice(["p", name, f"p/{name}"]))]
    return qvault(*words[kind - 1]) if kind <= len(words) else take_back()


def main():
    random.seed(SEED)
    for _ in range(ROUNDS):
        shutil.rmtree(FOLDER, ignore_errors=True)
        (FOLDER / "p").mkdir(parents=True)
        os.environ["QVAULT_FILE"] = str(FOLDER / "v.qvault")
        qvault("create")
        for _ in range(STEPS):
            done = step()
            if done.returncode in FAULTS:
                fail(f"{done.args}: {done.returncode} {done.stderr}")
        if qvault("verify", "v.qvault").returncode != 0:
            fail("verify")
    print(f"{ROUNDS * STEPS} steps hold")


if __name__ == "__main__":
    main()
