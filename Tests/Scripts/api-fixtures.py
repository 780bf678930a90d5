#!/usr/bin/python3
"""Makes the calls of TestVectors/api in their order, on a new vault, and holds the answers against those recorded.

    api-fixtures.py QVAULT [--record]

A file has three lines: METHOD PATH, the body (empty where there is none), and the answer. Ids are zeros, and times the
beginning of 2026: they differ from vault to vault."""

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / "TestVectors/api"
DAY = "2026-11-24"
SETUP = [
    ["create"],
    ["fund", "add", "110011", "name=易方达优质精选", "type=混合型", "company=易方达基金", "stock_position=90"],
    ["fund", "add", "006373", "name=国富全球科技", "type=QDII", "stock_position=60"],
    ["fund", "edit", "110011", "report_date=2026-09-30", "stocks=600519 9.50 贵州茅台; 000858 8.20 五粮液"],
]
PRICES = "".join(
    f"P {day} {code} {value} CNY\n"
    for day, code, value in [
        ("2026-11-18", "006373", "1.8100"), ("2026-11-19", "006373", "1.8240"),
        ("2026-11-19", "110011", "2.5000"), ("2026-11-20", "110011", "2.5060"),
    ]
)

REPORT = '{"report_date":"2026-11-01","issues_summary":[{"issue":"现金过多","severity":"medium"}],"score":97.5}'


def masked(value):
    if isinstance(value, list):
        return [masked(item) for item in value]
    if isinstance(value, dict):
        return {key: 0 if key == "id" and isinstance(item, int) else masked(item) for key, item in value.items()}
    if isinstance(value, str) and re.fullmatch(r"[0-9a-f]{32}", value):
        return "0" * 32
    if isinstance(value, str) and re.fullmatch(r"\d{4}-\d\d-\d\dT[\d:.]+Z", value):
        return "2026-01-01T00:00:00Z"
    return value


def main():
    qvault, record = sys.argv[1], "--record" in sys.argv
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        environment = dict(os.environ, QVAULT_FILE=f"{folder}/a.qvault", XDG_STATE_HOME=folder, LC_ALL="C.UTF-8")
        environment.setdefault("QVAULT_PASSWORD_COMMAND", "printf %s correct-horse-battery")

        def run(words, text=""):
            return subprocess.run([qvault, *words], input=text, env=environment, capture_output=True, text=True)

        for words in SETUP:
            run(words).check_returncode()
        run(["fund", "import", "--source", "recorded", "-"], PRICES).check_returncode()
        run(["diagnosis", "import", "-"], REPORT).check_returncode()
        for path in sorted(FOLDER.glob("*.json")):
            call, body = (path.read_text().split("\n") + [""])[:2]
            outcome = run(["api", "--lang", "zh", "--at", DAY, *call.split(" ")], body)
            answer = json.dumps(masked(json.loads(outcome.stdout)), ensure_ascii=False, separators=(",", ":"))
            text = f"{call}\n{body}\n{answer}\n"
            if record:
                path.write_text(text)
            elif text != path.read_text():
                failed += 1
                print(f"{path.name}: {answer}{outcome.stderr}")
    print(f"{len(list(FOLDER.glob('*.json')))} calls, {failed} with another answer")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
