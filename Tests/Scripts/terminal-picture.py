#!/usr/bin/python3
"""Runs a session with the command and draws it as text in a terminal: terminal-picture.py QVAULT OUT.svg [household]"""

import html
import os
import subprocess
import sys
import tempfile
import unicodedata

# The commands of the session. The vault is made in a new folder each time.
SESSION = [
    "qvault pack documents -o documents.qvault",
    "qvault ls -f documents.qvault",
    "qvault verify --keyless documents.qvault",
    "qvault card add contact --title 李雷 name=李雷 phone=13800138000 -f documents.qvault",
    "qvault search lilei -f documents.qvault",
    "qvault info documents.qvault | grep -A 1 fingerprint",
]
# What a family has, told to a new vault before its session.
FAMILY = [
    "qvault create home.qvault",
    "qvault fund add 110011 name='Blue chips'",
    "seq 30 | awk '{ printf \"P 2026-10-%02d 110011 %.4f CNY\\n\", $1, 2.35 + $1 * 0.0052 }' | qvault fund import -",
    "qvault holding add 110011 platform=Broker shares=4200 cost=2.31",
    "qvault asset add 'Money market' category=liquid amount=42000.50 bucket=liquid annual_rate=1.75 platform=Bank",
    "qvault asset add 'Three years' category=investment amount=50000 bucket=stable annual_rate=2.6 platform=Bank",
    "qvault asset add Flat category=fixed amount=2300000 && qvault asset add Mortgage category=debt amount=980000",
    "qvault policy add Life insurer=Insurer insured_person=Anna annual_premium=6240 type=life",
    "qvault position set 20000 min=50 max=80",
]
HOUSEHOLD = [
    "qvault dashboard",
    "qvault asset summary --private",
    "qvault asset allocation category",
    "qvault check | head -5",
]
STYLE = "font: 15px 'DejaVu Sans Mono', Menlo, Consolas, monospace; white-space: pre"


def session(qvault, before, commands):
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
            "QVAULT_PASSWORD_COMMAND": "printf %s correct-horse-battery", "QVAULT_FILE": "home.qvault",
        }
        for command in before:
            subprocess.run(["sh", "-c", command], cwd=folder, env=environment, check=True)
        for command in commands:
            yield "$ " + command
            done = subprocess.run(["sh", "-c", command], cwd=folder, env=environment, capture_output=True, text=True)
            yield from (done.stdout + done.stderr).splitlines()


def columns(line):
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in line)


def picture(lines):
    width, height = 60 + 9 * max(columns(line) for line in lines), 30 + 21 * len(lines)
    yield f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}">'
    yield f'<rect width="100%" height="100%" rx="8" fill="#1c2128"/><g style="{STYLE}">'
    for number, line in enumerate(lines):
        colour = "#7ee787" if line.startswith("$ ") else "#d1d7e0"
        yield f'<text x="20" y="{32 + 21 * number}" fill="{colour}" xml:space="preserve">{html.escape(line)}</text>'
    yield "</g></svg>"


def main():
    parts = (FAMILY, HOUSEHOLD) if "household" in sys.argv else ([], SESSION)
    with open(sys.argv[2], "w") as out:
        out.write("\n".join(picture(list(session(sys.argv[1], *parts)))) + "\n")


main()
