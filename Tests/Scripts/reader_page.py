#!/usr/bin/python3
"""Makes the pages, each one file of all that it needs: reader_page.py [--check] [--tables QVAULT]

Bundles the pocket reader (Spec/reader/web/page) and the window (Sources/CWindow/page), by esbuild, into the files that the programs
embed. `--tables` first makes the tables of the pages: the kinds of cards as QVAULT lists them, and the readings of characters.
`--check` writes nothing, and fails where a file is another than it would be."""

import base64
import hashlib
import json
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "Spec/reader/web/page"
WINDOW = ROOT / "Sources/CWindow/page"
POLICY = ("default-src 'none'; script-src {script}; style-src {style}; img-src {pictures}; worker-src blob:; frame-src blob:; "
          "connect-src {connect}; base-uri 'none'; form-action 'none'")


@dataclass
class Bundle:
    """A page that is made: its folder, the names of its parts there, where it may connect to and take pictures from, its file, and its bytes at most."""
    name: str
    folder: Path
    script: str
    engine: str
    html: str
    styles: list
    connect: str
    pictures: str
    output: Path
    limit: int


BUNDLES = [
    Bundle("pocket reader", PAGE, "reader.js", "engine.js", "reader.html", [PAGE / "style.css"], "'none'", "blob:",
           ROOT / "Sources/CWords/reader.html", 150_000),
    Bundle("window", WINDOW, "window.js", "window-engine.js", "window.html", [PAGE / "style.css", WINDOW / "window.css"], "'self'",
           "blob: data:", ROOT / "Sources/CWindow/window.html", 250_000),
]


def bundled(path):
    """A module and all that it imports, as one script in few bytes."""
    command = ["esbuild", path, "--bundle", "--minify", "--charset=utf8", "--format=iife", "--target=es2022",
               "--legal-comments=none", "--log-level=error"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def styled(path):
    command = ["esbuild", path, "--minify", "--charset=utf8", "--log-level=error"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def digest(text):
    """The source expression for an inline script or style (CSP 3)."""
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"


def page(bundle):
    # The engine is text until the page makes a worker of it.
    engine = json.dumps(bundled(bundle.folder / bundle.engine), ensure_ascii=False).replace("</", "<\\/")
    script = bundled(bundle.folder / bundle.script)
    assert script.count('"ENGINE"') == 1
    script = script.replace('"ENGINE"', engine)
    style = "".join(styled(path) for path in bundle.styles)
    assert "</script" not in script and "</style" not in style
    html = (bundle.folder / bundle.html).read_text()
    policy = POLICY.format(script=digest(script), style=digest(style), connect=bundle.connect, pictures=bundle.pictures)
    for name, text in {"POLICY": policy, "STYLE": style, "SCRIPT": script}.items():
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


def sources(folder):
    return "".join(path.read_text() for path in folder.glob("*.js") if path.name not in ("words.js", "kinds.js"))


def table(folder):
    """The words that have Chinese in a folder's table."""
    return set(re.findall(r"(?:^  |', )'((?:[^'\\]|\\.)+)':\s", (folder / "words.js").read_text(), re.M))


def words():
    """What a page says without words in Chinese, and words that it does not say."""
    faults = []
    known = set()
    # Failures of the engine are translated where they are shown.
    engine = sources(PAGE.parent) + (PAGE / "engine.js").read_text()
    for folder in (PAGE, WINDOW):
        code = sources(folder)
        own = table(folder)
        said = set(re.findall(r"\bt\('((?:[^'\\]|\\.)+)'", code))
        # Words that stand in a vault, and classes of outcomes, are said by what they are.
        made = set(re.findall(r"'([a-z_-]+)'", (PAGE.parent / "classes.js").read_text())) | {
            "io", "liquid", "fixed", "investment", "receivable", "debt", "critical_illness", "medical", "accident", "life",
            "password", "password and keyfile", "recovery key", "recipient", "added", "moved", "removed", "restored", "purged",
            "relabelled", "holdings unknown", "no prices", "no exchange rate", "published",
            "free", "new", "ending", "hot", "ended"}
        known |= own
        faults += [f"no Chinese for {word!r}" for word in sorted(said - known)]
        faults += [f"nobody says {word!r}" for word in sorted({word for word in own if f"'{word}'" not in code + engine} - made)]
    return faults


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
    for bundle in BUNDLES:
        html = page(bundle)
        if isCheck and (not bundle.output.exists() or bundle.output.read_text() != html):
            sys.exit(f"{bundle.output.relative_to(ROOT)}: is another than its parts make: Tests/Scripts/reader_page.py")
        if not isCheck:
            bundle.output.write_text(html)
        count = len(html.encode())
        print(f"the {bundle.name} has {count:,} bytes, of {bundle.limit:,} at most")
        if count > bundle.limit:
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
