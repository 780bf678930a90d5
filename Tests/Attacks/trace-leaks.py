#!/usr/bin/python3
"""Traces leaks of marked copies: trace-leaks.py QVAULT FOLDER [COPIES [LAYOUT]]. Prints a table: of each kind of leak, how often the
right copy was named first with z of 6 and more, the least and the middle z, and how often a wrong copy was named.
Needs python3-pil, python3-numpy and fonts-wqy-microhei."""

import json
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median

QVAULT, FOLDER = str(Path(sys.argv[1]).resolve()), Path(sys.argv[2])
COPIES = int(sys.argv[3]) if len(sys.argv) > 3 else 10
LAYOUT = sys.argv[4] if len(sys.argv) > 4 else "clear"
SCRIPTS = Path(__file__).resolve().parents[1] / "Scripts"
NAMES = ["card", "table", "statement", "illustrated"]


def qvault(*words):
    return subprocess.run([QVAULT, *words], capture_output=True, text=True, check=False)


def trace(leak, name):
    return [json.loads(line) for line in qvault("trace", "--json", str(leak), name).stdout.splitlines()]


def main():
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    for name in ("STATE", "CONFIG", "DATA"):
        os.environ[f"XDG_{name}_HOME"] = str(FOLDER.resolve() / name)
    os.environ["QVAULT_FILE"] = str(FOLDER / "v.qvault")
    os.environ["QVAULT_PASSWORD_COMMAND"] = "printf %s correct-horse-battery"
    subprocess.run([sys.executable, str(SCRIPTS / "documents.py"), str(FOLDER)], check=True)
    qvault("create", "-q", str(FOLDER / "v.qvault"))
    qvault("card", "add", "-q", "text", "--title", "a", "text=x")
    for name in NAMES:
        qvault("attach", "add", "-q", "a", str(FOLDER / f"{name}.jpg"))
    results, collusion, false = {}, [], 0
    for name in NAMES:
        for number in range(COPIES):
            copy = FOLDER / f"{name}-{number}.jpg"
            made = qvault("share", f"{name}.jpg", "--recipient", f"第{number}公司", "--purpose", "开户", "--no-sign", "--json", "-o", str(copy), f"--{LAYOUT}",
                          *(["--no-trace"] if number % 2 else []))
            share = json.loads(made.stdout)["id"]
            kinds = subprocess.run([sys.executable, str(SCRIPTS / "leaks.py"), str(copy), str(FOLDER / f"{name}.jpg"), str(FOLDER / "leaks")],
                                   capture_output=True, text=True, check=True).stdout.splitlines()
            # A copy with --no-trace bears the signal in its strokes alone.
            leaks = [(kind, FOLDER / "leaks" / f"{place}.jpg") for place, kind in enumerate(kinds)
                     if kind != "mark painted out" or number % 2 == 0]
            with ThreadPoolExecutor(os.cpu_count()) as pool:
                traces = list(pool.map(lambda leak: trace(leak[1], f"{name}.jpg"), leaks))
            for (kind, _), found in zip(leaks, traces):
                is_first = bool(found) and found[0]["id"] == share and found[0]["verdict"] == "found"
                score = next((one["score"] for one in found if one["id"] == share), 0)
                false += sum(one["id"] != share for one in found)
                results.setdefault(kind, []).append((is_first, score))
        if COPIES >= 5:
            from PIL import Image
            import numpy as np
            five = [np.asarray(Image.open(FOLDER / f"{name}-{i}.jpg")).astype(float) for i in range(0, 5)]
            Image.fromarray((sum(five) / 5).astype(np.uint8)).save(FOLDER / "five.jpg", quality=90)
            collusion += [one["score"] for one in trace(FOLDER / "five.jpg", f"{name}.jpg")]
    print("| leak | named first, z of 6 and more | least z | median z |\n|---|---|---|---|")
    for kind, scores in results.items():
        print(f"| {kind} | {sum(first for first, _ in scores)} of {len(scores)} | {min(z for _, z in scores):.1f} | {median(z for _, z in scores):.1f} |")
    if collusion:
        print(f"| five copies averaged | {len(collusion)} of {5 * len(NAMES)} named | {min(collusion):.1f} | {median(collusion):.1f} |")
    print(f"copies that were named and are not the leak: {false}")


if __name__ == "__main__":
    main()
