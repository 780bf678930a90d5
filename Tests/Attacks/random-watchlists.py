#!/usr/bin/python3
"""random-watchlists.py QVAULT [COUNT]

Makes watchlists at random, imports them, and holds every figure of `fund --json` against Spec/reader/watchlist.py.
The seed is printed; $SEED repeats a run.
"""

import json
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

READER = Path(__file__).resolve().parents[2] / "Spec/reader/watchlist.py"
seed = int(os.environ.get("SEED", random.SystemRandom().randrange(2**32)))
rng = random.Random(seed)

def number(places, top):
    """Digits, now and then at the edge of rounding."""
    digits = rng.randrange(1, rng.choice([10, 1000, top * 10**places]))
    text = f"{digits / 10**places:.{places}f}" if rng.random() < 0.8 else f"{digits // 10**places}.{'5' * places}"
    return text if float(text) > 0 else "1"

def trades():
    lines, shares = [], 0
    for month in range(1, rng.randrange(2, 9)):
        kind = rng.choice(["buy", "buy", "sell", "reinvest", "cash"])
        amount = rng.randrange(1, 500)
        if kind == "sell":
            amount = min(amount, shares)
        if amount == 0:
            continue
        shares += {"buy": amount, "sell": -amount, "reinvest": amount, "cash": 0}[kind]
        price = f" {number(4, 9)} {number(2, 5)}" if kind in ("buy", "sell") else ""
        lines.append(f"2025-{month:02d}-05 {kind} {amount}{price}")
    return "\n".join(lines)

def watchlist():
    stocks = [rng.choice(["600", "000", "300", "688", "430", "920"]) + f"{n:03d}" for n in range(12)] + ["00700", "NDX"]
    lines = []
    for stock in stocks:
        if rng.random() < 0.85:
            close = float(number(2, 300))
            price = max(0.01, close * (1 + rng.gauss(0, 0.08)))
            lines.append({"code": stock, "price": f"{price:.2f}", "previous_close": f"{close:.2f}",
                          "time": f"2026-11-23T{rng.randrange(10, 15)}:00:00+08:00"})
    for day, rate in (("2026-11-19", "7.1058"), ("2026-11-23", "7.0921"), ("2026-10-08", "7.2")):
        if rng.random() < 0.9:
            lines.append({"code": "USD", "rate": rate, "time": f"{day}T15:00:00+08:00"})
    for code in rng.sample(range(100000, 999999), rng.randrange(1, 12)):
        fund = {"kind": "fund", "code": str(code), "name": f"n{code}"}
        method = rng.choice(["top10", "scaled", "index", "given", None])
        if method:
            fund["method"] = method
        if rng.random() < 0.3:
            fund["coefficient"] = number(4, 3)
        if rng.random() < 0.3:
            fund["stock_position"] = f"{rng.uniform(1, 100):.2f}"
        if rng.random() < 0.3:
            fund["qdii"] = "USD"
        if rng.random() < 0.8:
            fund["benchmark"] = rng.choice(stocks)
        held = rng.sample(stocks, rng.randrange(0, 9))
        if held:
            fund["stocks"] = "\n".join(f"{stock} {rng.uniform(0, 11):.2f}" for stock in held)
        if rng.random() < 0.5:
            fund |= {"shares": number(2, 5000), "cost": number(4, 9)}
        lines.append(fund)
        for platform in rng.sample(["alipay", "cmb", "x"], rng.randrange(0, 3)):
            lot = {"kind": "holding", "code": str(code), "platform": platform}
            text = trades() if rng.random() < 0.5 else ""
            lines.append(lot | ({"trades": text} if text else {"shares": number(2, 5000), "cost": number(4, 9)}))
        for day in rng.sample(["2026-11-18", "2026-11-19", "2026-11-20", "2026-11-23"], rng.randrange(0, 4)):
            lines.append({"code": str(code), "nav": number(4, 9), "nav_date": day})
        if rng.random() < 0.5:
            lines.append({"code": str(code), "estimate": number(4, 9), "time": "2026-11-23T14:00:00+08:00"})
    rng.shuffle(lines)
    return lines

def run(words, folder, **more):
    return subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=120, **more)

def main(qvault, count=100):
    print("seed", seed)
    environment = os.environ | {"QVAULT_PASSWORD_COMMAND": "echo correct-horse-battery", "QVAULT_FILE": "a.qvault"}
    funds = 0
    for number_of_run in range(count):
        with tempfile.TemporaryDirectory() as folder:
            environment["XDG_STATE_HOME"] = folder
            Path(folder, "lines").write_text("".join(json.dumps(line) + "\n" for line in watchlist()))
            run([qvault, "create"], folder, env=environment)
            imported = run([qvault, "fund", "import", "lines", "--json"], folder, env=environment)
            again = run([qvault, "fund", "import", "lines", "--json"], folder, env=environment)
            listed = run([qvault, "fund", "--json"], folder, env=environment)
            Path(folder, "mine").write_text(listed.stdout)
            held = run([sys.executable, READER, "a.qvault", "mine"], folder, env=environment)
            counts = json.loads(again.stdout or "{}")
            moved = [counts.get(key) for key in ("added", "changed", "cards_added", "cards_changed")]
            if held.returncode or listed.returncode or imported.returncode or moved != [0, 0, 0, 0]:
                print(f"run {number_of_run}:", held.stdout, held.stderr, imported.stderr, again.stdout, listed.stderr)
                print(Path(folder, "lines").read_text())
                return 1
            funds += len(listed.stdout.splitlines())
    print(f"{count} watchlists, {funds} funds, no figure differs")
    return 0

if __name__ == "__main__":
    sys.exit(main(os.path.abspath(sys.argv[1]), *map(int, sys.argv[2:3])))
