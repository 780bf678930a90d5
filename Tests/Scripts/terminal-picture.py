#!/usr/bin/python3
"""Runs a session with the command and draws it as text in a terminal: terminal-picture.py QVAULT OUT.svg"""

import html
import os
import subprocess
import sys
import tempfile

# The commands of the session. The vault is made in a new folder each time.
SESSION = [
    "qvault pack documents -o documents.qvault",
    "qvault ls -f documents.qvault",
    "qvault verify --keyless documents.qvault",
    "qvault card add contact --title 李雷 name=李雷 phone=13800138000 -f documents.qvault",
    "qvault search lilei -f documents.qvault",
    "qvault info documents.qvault | grep -A 1 fingerprint",
]
STYLE = "font: 15px 'DejaVu Sans Mono', Menlo, Consolas, monospace; white-space: pre"


def session(qvault):
    with tempfile.TemporaryDirectory() as folder:
        os.makedirs(f"{folder}/documents/2026")
        os.symlink(os.path.abspath(qvault), f"{folder}/qvault")
        for name, size in ("passport.pdf", 181_044), ("2026/invoice.pdf", 48_211), ("2026/lease.pdf", 95_310):
            with open(f"{folder}/documents/{name}", "wb") as file:
                file.write(bytes(range(256)) * (size // 256) + bytes(size % 256))
            os.utime(f"{folder}/documents/{name}", (1_795_000_000, 1_795_000_000))
        os.utime(f"{folder}/documents/2026", (1_795_000_000, 1_795_000_000))
        environment = {
            "PATH": f"{folder}:/usr/bin:/bin", "HOME": folder, "LANG": "C.UTF-8", "TZ": "UTC",
            "QVAULT_PASSWORD_COMMAND": "printf %s correct-horse-battery",
        }
        for command in SESSION:
            yield "$ " + command
            done = subprocess.run(["sh", "-c", command], cwd=folder, env=environment, capture_output=True, text=True)
            yield from (done.stdout + done.stderr).splitlines()


def picture(lines):
    width, height = 60 + 9 * max(len(line.encode('gb18030')) for line in lines), 30 + 21 * len(lines)
    yield f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}">'
    yield f'<rect width="100%" height="100%" rx="8" fill="#1c2128"/><g style="{STYLE}">'
    for number, line in enumerate(lines):
        colour = "#7ee787" if line.startswith("$ ") else "#d1d7e0"
        yield f'<text x="20" y="{32 + 21 * number}" fill="{colour}" xml:space="preserve">{html.escape(line)}</text>'
    yield "</g></svg>"


def main():
    with open(sys.argv[2], "w") as out:
        out.write("\n".join(picture(list(session(sys.argv[1])))) + "\n")


main()
