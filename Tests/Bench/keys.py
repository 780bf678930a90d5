#!/usr/bin/python3
"""The time from a key to the screen that it makes, in the list of a bare `qvault`: keys.py QVAULT FOLDER [CARDS]

Makes a vault of 10,000 cards with Chinese and Latin titles, opens its list at a terminal of 120 columns and 40 rows, and types
words letter by letter, and arrows. Prints the median and the most of each in milliseconds."""

import fcntl
import os
import pty
import random
import select
import shutil
import statistics
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path

qvault, folder, count = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve(), int((sys.argv[3:] or [10_000])[0])
shutil.rmtree(folder, ignore_errors=True)
folder.mkdir(parents=True)
os.chdir(folder)
os.environ.update(QVAULT_PASSWORD_COMMAND="printf %s correct-horse-battery", HOME=str(folder), XDG_STATE_HOME=str(folder / "state"),
                  TERM="xterm", LANG="C.UTF-8")

random.seed(1)
FAMILY, GIVEN = "王李张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗", "伟芳娜敏静丽强磊军洋勇艳杰娟涛明超秀霞平刚桂英"
WORDS = ["mail", "bank", "forum", "shop", "router", "cloud", "photos", "tickets", "school", "clinic"]
with open("cards.csv", "w", encoding="utf-8") as table:
    table.write("name,url,username,password\n")
    for number in range(count):
        person = random.choice(FAMILY) + "".join(random.choices(GIVEN, k=2))
        title = random.choice([person, f"{random.choice(WORDS)} {number}", f"{person} {random.choice(WORDS)}"])
        table.write(f"{title},https://{number}.example.org,user{number},secret{number}\n")
subprocess.run([qvault, "create", "v.qvault", "-q"], check=True)
subprocess.run([qvault, "import", "-q", "-f", "v.qvault", "cards.csv"], check=True, stdout=subprocess.DEVNULL)

start = time.monotonic()
child, terminal = pty.fork()
if child == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
    os.execv(qvault, [str(qvault), "-f", "v.qvault"])


def drawn():
    """Reads to the end of a drawing: the cursor is shown."""
    shown = b""
    while not shown.endswith(b"\x1b[?25h"):
        if not select.select([terminal], [], [], 30)[0]:
            sys.exit(f"keys: nothing is drawn behind {shown[-200:]!r}")
        shown += os.read(terminal, 1 << 16)


drawn()
print(f"the list of {count} cards stands after {1000 * (time.monotonic() - start):.0f} ms, with the derivation of the key")
for word in ("zhangwei", "bank 42", "李娜", "wlmq", "\x1b[B" * 8):
    times = []
    keys = ["\x1b[B"] * 8 if word.startswith("\x1b") else list(word)
    for key in keys:
        start = time.monotonic()
        os.write(terminal, key.encode())
        drawn()
        times.append(1000 * (time.monotonic() - start))
    name = "arrow down" if word.startswith("\x1b") else word
    print(f"{name:<12} {len(times):>2} keys: median {statistics.median(times):5.1f} ms, most {max(times):5.1f} ms")
    os.write(terminal, b"\x15")
    drawn()
os.write(terminal, b"\x04")
os.waitpid(child, 0)
