#!/usr/bin/python3
"""Writes TestVectors/frozen/*.vector: vaults of qvault's own, one for each kind of secret, that must open for ever.

usage: freeze.py QVAULT     (makes those that are not there; none is written anew)

What a vector says of its vault is what the second reader finds. Its form is that of Spec/reader.md, 9.
"""

import hashlib, os, pathlib, shutil, subprocess, sys, tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path += [str(HERE.parent / "Spec" / "reader"), str(HERE / "generate")]
import qvault_reader
from vectors import rows

PASSWORD = "never change a running vault, 2026"


def random_bytes(count):
    """The same each time, and not to be compressed."""
    return b"".join(hashlib.sha256(bytes([index >> 8, index & 255])).digest() for index in range(count // 32))


class Bench:
    """A folder in which one vault is made."""

    def __init__(self, qvault, folder):
        self.qvault, self.folder = os.path.abspath(qvault), pathlib.Path(folder)
        self.secret = []
        self.environment = {"PATH": os.environ["PATH"], "HOME": folder, "XDG_STATE_HOME": folder,
                            "QVAULT_PASSWORD_COMMAND": f"printf %s '{PASSWORD}'"}

    def run(self, *words):
        verb, *rest = words
        where = [] if verb == "create" else ["-f", "v.qvault", *self.secret]
        subprocess.run([self.qvault, *verb.split(), *where, *rest], cwd=self.folder, env=self.environment, check=True,
                       stdout=subprocess.DEVNULL)

    def fill(self, chunks=False):
        """Each kind of record and of change, in several saves; with `chunks` a record of two chunks, and one of two frames."""
        (self.folder / "papers" / "old").mkdir(parents=True)
        (self.folder / "papers" / "letter.txt").write_bytes(b"Dear reader,\nthis must stay readable.\n")
        (self.folder / "papers" / "old" / "empty").write_bytes(b"")
        if chunks:
            (self.folder / "papers" / "old" / "chunks").write_bytes(random_bytes(65792))
            (self.folder / "papers" / "old" / "frames").write_bytes(b"0123456789abcdef" * 70000)
        (self.folder / "papers" / "latest").symlink_to("letter.txt")
        (self.folder / "run.sh").write_bytes(b"#!/bin/sh\n")
        (self.folder / "run.sh").chmod(0o755)
        self.run("put", "papers", "run.sh")
        (self.folder / "papers" / "letter.txt").write_bytes(b"Dear reader,\nthis was changed once.\n")
        self.run("put", "papers")
        self.run("card add", "address", "--title", "Home", "name=Li Lei", "phone=13800000000", "province=Beijing",
                 "city=Beijing", "district=Haidian", "address=1 Zhongguancun")
        self.run("config set", "fund.refresh", "300")
        self.run("put", "run.sh", "--as", "doomed")
        self.run("rm", "doomed")
        self.run("mv", "papers", "letters")
        self.run("put", "run.sh", "--as", "papers")


def password(bench):
    """A password, with PBKDF2."""
    bench.run("create", "v.qvault")
    bench.fill(chunks=True)
    return {"password": PASSWORD}


def argon2id(bench):
    """A password, with Argon2id."""
    bench.run("create", "v.qvault", "--kdf", "argon2id:memory=32MiB,passes=3,lanes=1")
    bench.fill()
    return {"password": PASSWORD}


def keyfile(bench):
    """A password with a keyfile."""
    (bench.folder / "key").write_bytes(bytes(range(64)))
    bench.run("create", "v.qvault", "--new-keyfile", "key")
    bench.secret = ["--keyfile", "key"]
    bench.fill()
    return {"password": PASSWORD, "keyfile": bytes(range(64)).hex()}


def recovery_key(bench):
    """A recovery key."""
    bench.run("create", "v.qvault", "--recovery-key-out", "sheet")
    bench.fill()
    sheet = (bench.folder / "sheet").read_text()
    lines = [line for line in sheet.splitlines() if line[:2] in ("1 ", "2 ", "3 ", "4 ")]
    return {"recovery-key": "\\x0a".join(lines)}


def rotated(bench):
    """A vault whose master key was replaced and whose log was compacted."""
    bench.run("create", "v.qvault")
    bench.fill()
    bench.run("rekey rotate")
    bench.run("compact")
    return {"password": PASSWORD}


def audit_key(bench):
    """A vault with its audit key."""
    bench.run("create", "v.qvault")
    bench.fill()
    bench.run("key audit", "-o", "audit")
    text = (bench.folder / "audit").read_text().replace("\n", "\\x0a")
    return {"password": PASSWORD, "audit-key": text, "audited": ""}


def identity(bench):
    """A recipient, whose slot was made anew by a rotation."""
    bench.run("create", "v.qvault")
    made = subprocess.run([bench.qvault, "key", "identity", "-o", "me.key"], cwd=bench.folder, env=bench.environment, check=True,
                          stdout=subprocess.PIPE, text=True)
    bench.run("key add", "--recipient", made.stdout.strip(), "--label", "friend")
    bench.fill()
    bench.run("rekey rotate")
    return {"identity": (bench.folder / "me.key").read_text().replace("\n", "\\x0a")}


def merged(bench):
    """A vault into which another copy was merged."""
    bench.run("create", "v.qvault")
    bench.fill()
    shutil.copy(bench.folder / "v.qvault", bench.folder / "other.qvault")
    bench.run("put", "run.sh", "--as", "mine")
    # Another machine, which has seen nothing.
    elsewhere = bench.environment | {"XDG_STATE_HOME": str(bench.folder / "elsewhere")}
    subprocess.run([bench.qvault, "put", "-f", "other.qvault", "run.sh", "--as", "theirs"], cwd=bench.folder, env=elsewhere,
                   check=True, stdout=subprocess.DEVNULL)
    bench.run("merge", "other.qvault")
    return {"password": PASSWORD}


def parity(bench):
    """A backup with parity, in which both pages and a stored record are lost."""
    bench.run("create", "v.qvault")
    bench.fill()
    bench.run("compact")
    bench.run("backup", "-o", "whole.qvault", "--parity")
    whole = (bench.folder / "whole.qvault").read_bytes()
    data = bytearray(whole)
    for start in (0, 65536, 131072):
        data[start:start + 4096] = bytes(4096)
    (bench.folder / "v.qvault").write_bytes(data)
    return {"password": PASSWORD, "repaired": hashlib.sha256(whole).hexdigest()}


def pieces(bench):
    """Long files in pieces that they and older versions share, and a change of one."""
    bench.run("create", "v.qvault")
    bench.fill()
    text = b"".join(b"%05d" % number * 1000 for number in range(600))
    (bench.folder / "logs").mkdir()
    (bench.folder / "logs" / "one").write_bytes(text)
    (bench.folder / "logs" / "two").write_bytes(text[:2500000])
    bench.run("put", "logs")
    (bench.folder / "logs" / "one").write_bytes(text + b"one line more\n")
    bench.run("put", "logs")
    return {"password": PASSWORD}


def main():
    (HERE / "frozen").mkdir(exist_ok=True)
    for make in (password, argon2id, keyfile, recovery_key, rotated, audit_key, identity, merged, parity, pieces):
        target = HERE / "frozen" / f"{make.__name__.replace('_', '-')}.vector"
        if target.exists():
            continue
        with tempfile.TemporaryDirectory() as folder:
            bench = Bench(sys.argv[1], folder)
            secrets = make(bench)
            with open(f"{folder}/v.qvault", "rb") as file:
                data = file.read()
                head = {"comment": make.__doc__, "size": str(len(data)), **secrets, "unpack": ""}
                head |= qvault_reader.outcomes(head, file)
        lines = [f"{key}: {value}" for key, value in head.items()]
        target.write_text("\n".join([*lines, "", *rows(data)]) + "\n")
        print(target)
    device = HERE / "frozen" / "device-key.vector"
    if not device.exists():
        shutil.copy(HERE / "secret-device.vector", device)


main()
