#!/usr/bin/python3
"""Makes the pocket reader, one page of all that it needs: reader_page.py [--check] [--tables QVAULT]

Bundles Spec/reader/web/page by esbuild into Sources/CWords/reader.html, which the command embeds. `--tables` first makes the
tables of the page: the kinds of cards as QVAULT lists them, and the readings of characters. `--check` writes nothing, and fails
where a file is another than it would be."""

import base64
import hashlib
import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "Spec/reader/web/page"
OUTPUT = ROOT / "Sources/CWords/reader.html"
# Bytes of the page, at most.
LIMIT = 150_000
POLICY = ("default-src 'none'; script-src {script}; style-src {style}; img-src blob:; worker-src blob:; frame-src blob:; "
          "connect-src 'none'; base-uri 'none'; form-action 'none'")


def bundled(entry):
    """A module and all that it imports, as one script in few bytes."""
    command = ["esbuild", PAGE / entry, "--bundle", "--minify", "--charset=utf8", "--format=iife", "--target=es2022",
               "--legal-comments=none", "--log-level=error"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def styled():
    command = ["esbuild", PAGE / "style.css", "--minify", "--charset=utf8", "--log-level=error"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def digest(text):
    """The source expression for an inline script or style (CSP 3)."""
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"


def page():
    # The engine is text until the page makes a worker of it.
    engine = json.dumps(bundled("engine.js"), ensure_ascii=False).replace("</", "<\\/")
    script = bundled("reader.js")
    assert script.count('"ENGINE"') == 1
    script = script.replace('"ENGINE"', engine)
    style = styled()
    assert "</script" not in script and "</style" not in style
    html = (PAGE / "reader.html").read_text()
    parts = {"POLICY": POLICY.format(script=digest(script), style=digest(style)), "STYLE": style, "SCRIPT": script}
    for name, text in parts.items():
        assert html.count(f"@{name}@") == 1, name
        html = html.replace(f"@{name}@", text)
    return html


def numbers():
    """The numbers of kinds by their names, as the Spec has them."""
    text = (ROOT / "Spec/product/records.md").read_text() + (ROOT / "Spec/product/portfolio.md").read_text() \
        + (ROOT / "Spec/product/assets.md").read_text() + (ROOT / "Spec/product/apps.md").read_text()
    return {name: int(number) for number, name in re.findall(r"^\| (\d+) \| `([a-z-]+)` \|", text, re.M)} | {"app": 69}


def kinds(program):
    listed = subprocess.run([program, "card", "kinds", "--json"], check=True, capture_output=True, text=True).stdout
    known = numbers()
    rows = []
    for line in listed.splitlines():
        kind = json.loads(line)
        fields = [[field["key"], field["label"], field["label_zh"]] + ([1] if field["sensitive"] else [])
                  for field in kind["fields"]]
        rows.append([known[kind["kind"]], kind["kind"], kind["label"], kind["label_zh"], fields])
    body = "".join(f"  {json.dumps(row, ensure_ascii=False)},\n" for row in rows)
    return ("// The kinds of cards: number, name, label in English and Chinese, and fields: key, both labels, 1 for what is hidden\n"
            "// until somebody asks for it (product/records.md, 2). Made by Tests/Scripts/reader_page.py.\n\n"
            f"export const KINDS = [\n{body}];\n")


def readings():
    """Each syllable and the characters that have it, of those that GB 2312 has."""
    words = []
    for line in (ROOT / "Sources/CWords/pinyin.txt").read_text().splitlines():
        syllable, _, characters = line.partition(" ")
        kept = "".join(character for character in characters if is_common(character))
        if kept:
            words.append(syllable + kept)
    return ("// The readings of the characters of GB 2312 (Unihan; product/records.md, 5). Made by Tests/Scripts/reader_page.py.\n\n"
            f"export const READINGS = '{' '.join(words)}';\n")


def is_common(character):
    try:
        return bool(character.encode("gb2312"))
    except UnicodeEncodeError:
        return False


def words():
    """What the page says without words in Chinese, and words that it does not say."""
    table = (PAGE / "words.js").read_text()
    known = set(re.findall(r"'((?:[^'\\]|\\.)+)': '", table))
    code = "".join(path.read_text() for path in PAGE.glob("*.js") if path.name not in ("words.js", "kinds.js"))
    said = set(re.findall(r"\bt\('((?:[^'\\]|\\.)+)'", code))
    # Words that stand in a vault, and classes of outcomes, are said by what they are.
    made = set(re.findall(r"'([a-z_-]+)'", (PAGE.parent / "classes.js").read_text())) | {
        "io", "liquid", "fixed", "investment", "receivable", "debt", "critical_illness", "medical", "accident", "life"}
    unsaid = {word for word in known if f"'{word}'" not in code} - made
    return [f"no Chinese for {word!r}" for word in sorted(said - known)] + [f"nobody says {word!r}" for word in sorted(unsaid)]


def main():
    arguments = sys.argv[1:]
    isCheck = "--check" in arguments
    files = {}
    if "--tables" in arguments:
        files[PAGE / "kinds.js"] = kinds(arguments[arguments.index("--tables") + 1])
        files[PAGE / "pinyin-table.js"] = readings()
    for path, text in files.items():
        if isCheck and path.read_text() != text:
            sys.exit(f"{path.relative_to(ROOT)}: is not what it would be made now")
        if not isCheck:
            path.write_text(text)
    if faults := words():
        sys.exit("\n".join(faults))
    html = page()
    if isCheck and (not OUTPUT.exists() or OUTPUT.read_text() != html):
        sys.exit(f"{OUTPUT.relative_to(ROOT)}: is another than its parts make: Tests/Scripts/reader_page.py")
    if not isCheck:
        OUTPUT.write_text(html)
    count = len(html.encode())
    print(f"the pocket reader has {count:,} bytes, of {LIMIT:,} at most")
    return 0 if count <= LIMIT else 1


if __name__ == "__main__":
    sys.exit(main())
