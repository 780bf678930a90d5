#!/usr/bin/python3
"""Holds the Chinese catalogue against the sources: every phrase that the command can say has its Chinese words, with
the same arguments, and every entry of the catalogue is said somewhere. `messages.py --missing` lists what lacks."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CATALOGUE = ROOT / "Sources/CWords/zh.po"
# An entry of the catalogue, perhaps with a note that no source has its text as it stands.
ENTRY = re.compile(r'(#\. Made of parts, or by the operating system\.\n)?msgid "(.*)"\nmsgstr "(.*)"\n')
# Literals that are no phrases: code for shells and roff, file formats, what only a programmer sees.
NO_PHRASE = re.compile(r"precondition|named: |askPassword\(from|Path\(\"standard")
NO_TEMPLATE = re.compile(
    r"\n|^<|\w\.qvault|^ |^qvault (\{|(app|card|fund|asset|holding|policy|position|check|diagnosis|pin|tag|group|attach|search|copy|otp|config|import|export|watermark) |[a-z]+ .*(-f|-o|[|>/]|--level|--all|--words|--within))|__fish|^complete -c|^LC_|^standard |^VERB|^(app|key|rekey|card|parity|attach|config|watermark|fund|group|asset|holding|policy|position|diagnosis) [a-z]+$|^; and $|^qvault [a-zA-Z0-9{}…. -]+$|^due (snooze|done)$|^login name$|^conflicted copy$|^web site$|^user name$|^last modified$|^public key$|^QuickVault (kind|pinned|tags|group|own |field |base64 )$|^(whole|field|url|name of) \{|^chmod go-w |^a feed$|^linked to|^qvault: \{\}$|^whole tag$|^key type$|^export -f xml$|^(gpg|keepassxc-cli|man|pricehist) |^(settings|snapshot) (set|rm|list)$"
    r"|^one-time (code|password)$|^name of an attachment$|^more fields\.jsonl$|^attachment \{\}$|^own: \{\}$|^linked items$|^rest of an import$|^Recycle Bin$|^the (terminal|password command)$|^descriptor |^(wl-|xclip |xsel )|/dev/null|sha256sum|^\{\} (/proc|-n|--eval)|^memory for the editor$|^'set no|^MAGICK_|^Ticker Symbol$|^Delivery \(|^void for other use  $|^shares revoke$|^query (save|list|edit|rm|history)$|^--(opacity|angle) [0-9.]+$|^figure\{|^qvault-verify 1$|^end \{\}$|^\{\}: save \{\}, records \{\}$")
# Modules that say nothing, or have their own words in both languages.
NO_MODULES = {"QuickVault", "qvault-window"}
NO_FILES = {"App.swift", "Base45.swift", "MarkTemplate.swift", "AppKind.swift", "AppNames.swift", "AppPreset.swift", "Chinese.swift", "JSON.swift", "Schema.swift", "CardKinds.swift", "HouseholdReminder.swift", "PortfolioKinds.swift", "QueryKinds.swift", "QueryField.swift", "QueryTerm.swift", "VectorChart.swift", "Journal.swift", "PurchaseExport.swift", "Activities.swift", "FundExport.swift", "Estimate.swift", "Currency.swift", "PDFWriter.swift", "CacheTag.swift", "MonitorText.swift"} | {path.name for path in (ROOT / "Sources/Portfolio/API").glob("*.swift")}


def literals(text):
    """Yields (line, template) of each string literal, interpolations as {} (what stands in them is searched too)."""
    i, line = 0, 1
    while i < len(text):
        if text.startswith("//", i):
            i = text.find("\n", i)
            if i < 0:
                return
        elif text[i] == '"':
            start = line
            end, template, inner = literal(text, i)
            line += text.count("\n", i, end)
            yield start, template
            for part in inner:
                yield from ((start, found) for _, found in literals(part))
            i = end
            continue
        if text[i] == "\n":
            line += 1
        i += 1


def literal(text, i):
    """One literal that starts at i: (end, template, the code of its interpolations)."""
    quote = '"""' if text.startswith('"""', i) else '"'
    i += len(quote)
    out, inner = [], []
    while not text.startswith(quote, i):
        if text[i] == "\\" and text[i + 1] == "(":
            depth, j = 1, i + 2
            while depth:
                if text[j] == '"':
                    j = literal(text, j)[0]
                    continue
                depth += {"(": 1, ")": -1}.get(text[j], 0)
                j += 1
            inner.append(text[i + 2 : j - 1])
            out.append("{}")
            i = j
        elif text[i] == "\\":
            out.append({"n": "\n", "t": "\t", "\n": ""}.get(text[i + 1], text[i + 1]))
            i += 2
            if text[i - 1] == "\n":
                while text[i] == " ":
                    i += 1
        else:
            out.append(text[i])
            i += 1
    template = "".join(out)
    if quote == '"""':
        template = re.sub(r"\n *", "\n", template).strip("\n")
    return i + len(quote), template, inner


def catalogue():
    """Of each English phrase: whether it is made of parts, and its Chinese words. The catalogue is in order, since the command
    searches it by halves."""
    head, *entries = CATALOGUE.read_text().split("\n\n")
    table, last = {}, b""
    for text in entries:
        entry = ENTRY.fullmatch(text.rstrip("\n") + "\n")
        if not entry:
            sys.exit(f"{CATALOGUE.name}: no entry of two lines: {text!r}")
        if entry[2].encode() <= last:
            sys.exit(f"{CATALOGUE.name}: {entry[2]!r} stands behind {last.decode()!r}")
        last = entry[2].encode()
        english, words = (re.sub(r"\\(.)", lambda sign: {"n": "\n"}.get(sign[1], sign[1]), part) for part in entry.groups()[1:])
        table[english] = (bool(entry[1]), words)
    return table


def main():
    chinese = catalogue()
    said, missing = set(), []
    for module in sorted(folder.name for folder in (ROOT / "Sources").iterdir() if folder.name not in NO_MODULES):
        for path in sorted((ROOT / "Sources" / module).rglob("*.swift")):
            if path.name in NO_FILES:
                continue
            text = path.read_text()
            lines = text.split("\n")
            for number, template in literals(text):
                said.add(template)
                context = "".join(lines[max(0, number - 3) : number])
                is_phrase = re.search(r"[A-Za-z]{2,}", template.replace("{}", "")) and " " in template.strip()
                is_operand = f'operands: "{template}"' in lines[number - 1]
                is_code = is_operand or NO_TEMPLATE.search(template) or NO_PHRASE.search(lines[number - 1])
                if is_phrase and not is_code and "precondition(" not in context and template not in chinese:
                    missing.append((f"{path.relative_to(ROOT)}:{number}", template))
    if "--missing" in sys.argv:
        for place, template in missing:
            print(place, repr(template))
        return 0
    faults = [f"{place}: no Chinese for {template!r}" for place, template in missing]
    for english, (is_made, words) in chinese.items():
        if (english in said) == is_made:
            faults.append(f"{'its source says' if is_made else 'nobody says'} {english!r}")
        if not words.strip():
            faults.append(f"no words for {english!r}")
        numbered = sorted(int(n) for n in re.findall(r"\{(\d)\}", words))
        count = english.count("{}")
        if (numbered or list(range(1, words.count("{}") + 1))) != list(range(1, count + 1)):
            faults.append(f"other arguments in {english!r}")
    print("\n".join(faults) or f"{len(chinese)} phrases in both languages")
    return 1 if faults else 0


sys.exit(main())
