#!/usr/bin/python3
"""Makes the vaults of TestVectors/frozen that are missing, with qvault itself. One that is there is never written anew: a frozen
format opens for ever. usage: freeze.py QVAULT

Each vault has a tree, a card with an attachment, a setting, the trash, a move and older saves. Its outcomes are those of the
second reader.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import zlib

HERE = pathlib.Path(__file__).resolve().parent
FROZEN = HERE.parent / "frozen"
sys.path.insert(0, str(HERE.parent.parent / "Spec" / "reader"))
import qvault_reader  # noqa: E402
from primitives import u32  # noqa: E402
from vectors import rows  # noqa: E402

PASSWORD = "never change a running vault, 2026"
KEYFILE = bytes(range(64))
CREATE = {
    "password": "create v.qvault",
    "argon2id": "create v.qvault --kdf argon2id:memory=128MiB,passes=1,lanes=1",
    "keyfile": "create v.qvault --new-keyfile key",
    "recovery-key": "create v.qvault --recovery-key-out sheet",
    "audit-key": "create v.qvault",
    "rotated": "create v.qvault",
}
COMMENTS = {
    "password": "A password, with PBKDF2.",
    "argon2id": "A password, with Argon2id.",
    "keyfile": "A password with a keyfile.",
    "recovery-key": "A recovery key.",
    "audit-key": "A vault with its audit key.",
    "rotated": "A vault whose master key was replaced and whose log was compacted.",
    "device-key": "Opened with a device key.",
}
FILL = """
mkdir -p tree/folder/empty; printf 'Hello, vault!\\n' > tree/hello.txt; printf '#!/bin/sh\\necho run\\n' > tree/folder/run
chmod +x tree/folder/run; printf '%s' 四十二 > tree/folder/数.txt; ln -s folder/run tree/link; head -c 70000 /dev/zero > tree/zeros
cd tree; $Q put hello.txt folder link zeros; cd ..
$Q card add contact --title 张三 name=张三 phone=13800138000 birthday=1990-02-28
$Q attach add 张三 scan.png; $Q config set fund.search-history true --type flag
printf 'another\\n' > tree/hello.txt; cd tree; $Q put hello.txt; cd ..
$Q mv hello.txt folder/hello.txt; $Q rm zeros; $Q tag folder/run kept
"""


def environment(folder, name):
    keyfile = f" --keyfile {folder}/key" if name == "keyfile" else ""
    return {"PATH": "/usr/bin:/bin", "HOME": folder, "LANG": "C.UTF-8", "TZ": "UTC", "QVAULT_FILE": f"{folder}/v.qvault",
            "QVAULT_PASSWORD_COMMAND": f"printf '{PASSWORD}\\n'", "QVAULT": os.path.abspath(sys.argv[1]), "KEYFILE": keyfile}


def png():
    """A grey picture of 32 by 32 pixels."""
    def chunk(kind, data):
        return u32(len(data)) + kind + data + u32(zlib.crc32(kind + data))
    pixels = b"".join(b"\0" + bytes(range(y, y + 32)) for y in range(32))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", u32(32) + u32(32) + bytes([8, 0, 0, 0, 0])) + chunk(b"IDAT", zlib.compress(pixels))
            + chunk(b"IEND", b""))


def make(name):
    """The bytes of a vault, and the secrets that open it as a vector states them."""
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "key").write_bytes(KEYFILE)
        (pathlib.Path(folder) / "scan.png").write_bytes(png())
        script = f'set -e; "$QVAULT" {CREATE[name]}; q() {{ "$QVAULT" "$@" -q $KEYFILE; }}\n' + FILL.replace("$Q", "q")
        if name == "rotated":
            script += "q rekey rotate; q compact\n"
        if name == "audit-key":
            script += "q key audit -o audit\n"
        subprocess.run(["bash", "-c", script], cwd=folder, env=environment(folder, name), check=True)

        def text(file):
            return re.sub(r"[^ -\[\]-~]", lambda it: f"\\x{ord(it[0]):02x}", (pathlib.Path(folder) / file).read_text())
        head = {"password": PASSWORD}
        if name == "keyfile":
            head["keyfile"] = KEYFILE.hex()
        if name == "recovery-key":
            head = {"recovery-key": text("sheet")}
        if name == "audit-key":
            head |= {"audit-key": text("audit"), "audited": ""}
        return (pathlib.Path(folder) / "v.qvault").read_bytes(), head | {"unpack": "", "unpacked": ""}


def device_key():
    """qvault has no device keys: the vault of the generator's vector."""
    head, _, body = (HERE.parent / "secret-device.vector").read_text().partition("\n\n")
    head = dict(line.split(": ", 1) for line in head.split("\n"))
    data = bytearray(int(head["size"]))
    for at, row in map(str.split, body.splitlines()):
        data[int(at, 16):int(at, 16) + len(row) // 2] = bytes.fromhex(row)
    return bytes(data), {"device-key": head["device-key"]}


def vector(name):
    data, head = device_key() if name == "device-key" else make(name)
    with tempfile.TemporaryFile() as target:
        target.write(data)
        target.flush()
        head |= qvault_reader.outcomes(head, target)
    lines = [f"comment: {COMMENTS[name]}", f"size: {len(data)}", *(f"{key}: {value}" for key, value in head.items()), ""]
    return "\n".join(lines + rows(data)) + "\n"


for name in COMMENTS:
    path = FROZEN / f"{name}.vector"
    if not path.exists():
        path.write_text(vector(name))
        print(path.name)
