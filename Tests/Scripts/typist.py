#!/usr/bin/python3
"""Types at a program's terminal: typist.py PROGRAM [ARGUMENT…] -- PROMPT TEXT [PROMPT TEXT…]

Runs the program on a terminal of its own. Each text, and a line feed, is typed once the terminal has shown the prompt
behind what was typed before, an empty prompt at once. A text that ends with `\\c` is typed without a line feed; `\\w60` types nothing, and makes the
terminal 60 columns wide. Prints all that was shown, and ends with the program's exit code; 125 if a prompt did not come
within 90 s. $TYPIST_COLUMNS is the width of the terminal; else it has none.
"""

import fcntl
import os
import pty
import select
import struct
import sys
import termios
import time


def widen(descriptor, columns):
    fcntl.ioctl(descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", 24, int(columns), 0, 0))


def type_text(text):
    if text.startswith("\\w"):
        return widen(terminal, text[2:])
    os.write(terminal, os.fsencode(text[:-2] if text.endswith("\\c") else text + "\n"))


separator = len(sys.argv) - 1 - sys.argv[::-1].index("--")
program, typed = sys.argv[1:separator], sys.argv[separator + 1:]
child, terminal = pty.fork()
if child == 0:
    if columns := os.environ.get("TYPIST_COLUMNS"):
        widen(0, columns)
    os.execvp(program[0], program)
shown = seen = b""
deadline = time.monotonic() + 90
while True:
    # A screen that renews itself shows something all the time.
    if not select.select([terminal], [], [], max(0, deadline - time.monotonic()))[0] or time.monotonic() > deadline:
        os.kill(child, 9)
        sys.exit(f"typist: no {typed[:1]} behind {shown!r}" if typed else "typist: the program does not end")
    try:
        piece = os.read(terminal, 4096)
    except OSError:
        break
    if not piece:
        break
    shown, seen = shown + piece.replace(b"\r", b""), seen + piece.replace(b"\r", b"")
    while typed and os.fsencode(typed[0]) in seen:
        seen = seen[seen.index(os.fsencode(typed[0])) + len(os.fsencode(typed[0])):]
        type_text(typed[1])
        deadline = time.monotonic() + 90
        typed = typed[2:]
sys.stdout.buffer.write(shown)
status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
sys.exit(125 if typed else status)
