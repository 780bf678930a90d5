#!/usr/bin/python3
"""Holds the imports of every module against Package.swift, the one place that says which module builds on which. Besides,
some libraries are for one place only, no two source files have one name, the files of a module refer to each other's
types in no cycle, and nothing else stands at the top level."""

import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
IMPORT = re.compile(r"^ *(?:(?:@_exported|public|package|internal|private|@testable) )*import (\w+)", re.M)
SYSTEM = {"Dispatch", "Synchronization", "Glibc", "Musl", "Darwin"}

TYPE = re.compile(r"^(?:@\S+ )*(?:\w+ )*(?:struct|class|enum|protocol|actor|typealias) (\w+)", re.M)

# The names at the top level.
TOP = {".ci", ".gitignore", ".swift-format", "ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "Makefile",
       "Package.swift", "README.md", "SECURITY.md", "Sources", "Spec", "TESTING.md", "TestVectors", "Tests", "fuzz"}

# Modules, and the paths beneath Sources that may import them.
ONLY = {
    "Glibc|Musl|Darwin": r"qvault(-window)?/|Values/Time/LocalTime\.swift|VaultIO/FileSystem/System(Attributes|FileSystem|File|UnnamedFile|Folder|Calls|Program)\.swift"
                         r"|Pictures/Documents/(DecoderProcess|InstalledDecoder)\.swift",
    "Dispatch": r"(VaultIO|QuickVault)/|VaultStore/Writing/BatchPool\.swift",
    "COpenSSL|CZxcvbn": r"VaultCrypto/",
    "CPNG": r"Watermark/GrayPNG\.swift",
    "CQRencode": r"Watermark/QRModules\.swift",
    "CUTF8Proc": r"VaultCrypto/|Cards/Search/Folding\.swift|qvault/Language/Language\.swift",
    "CWords": r"qvault/Language/Chinese\.swift|qvault/Verbs/Copies/ReaderVerb\.swift|Cards/Search/Pinyin\.swift",
    "CImage": r"Pictures/Attachments/Picture\.swift|Watermark/",
    "CLine": r"qvault/Terminal/LineEditor\.swift",
    "CWindow": r"qvault-window/(Exchange|WindowServer)\.swift",
    "CGMP": r"Values/Numbers/WholeNumber\.swift",
    "CExpat|CJansson": r"Values/Text/",
    "CZlib": r"(Exchange|Pictures)/|Watermark/PictureDigest\.swift",
    "Foundation|FoundationEssentials": r"$",
}


def cycles(folder):
    """Files of a module that refer to each other's top-level types, directly or through others."""
    texts = {path: re.sub(r"//.*", "", path.read_text()) for path in sorted(folder.rglob("*.swift"))}
    owners = {name: path for path, text in texts.items() for name in TYPE.findall(text)}
    reached = {path: {owners[word] for word in set(re.findall(r"\b[A-Z]\w*", text)) & set(owners)} - {path}
               for path, text in texts.items()}
    # Files that refer to none that is left go, until only cycles and what leads to them are left.
    while free := [path for path, others in reached.items() if not others & set(reached)]:
        for path in free:
            del reached[path]
    return [str(path.relative_to(ROOT)) for path in reached]


def main():
    package = subprocess.run(["swift", "package", "dump-package"], cwd=ROOT, capture_output=True, text=True, check=True)
    names = {}
    for path in sorted((ROOT / "Sources").rglob("*.swift")):
        names.setdefault(path.name, []).append(str(path.relative_to(ROOT)))
    faults = [f"{' and '.join(paths)} have one name" for name, paths in names.items()
              if len(paths) > 1 and name != "main.swift"]
    # Outside a repository nothing is listed.
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True).stdout.split("\n")
    strangers = {path.split("/")[0] for path in listed if path} - TOP
    faults += [f"{name} stands at the top level" for name in sorted(strangers)]
    for target in json.loads(package.stdout)["targets"]:
        folder = ROOT / "Sources" / target["name"]
        if target["type"] not in ("regular", "executable") or target.get("path") or not folder.is_dir():
            continue
        if loop := cycles(folder):
            faults.append("a cycle of types is among or behind these files: " + ", ".join(loop))
        allowed = {part[0] for dependency in target["dependencies"] for part in dependency.values()} | SYSTEM
        for path in sorted(folder.rglob("*.swift")):
            place = path.relative_to(ROOT / "Sources")
            for module in IMPORT.findall(path.read_text()):
                if module not in allowed:
                    faults.append(f"Sources/{place} imports {module}, which its target does not depend on")
                faults += [f"Sources/{place} imports {module}, which is for other files" for names, where in ONLY.items()
                           if re.fullmatch(names, module) and not re.match(where, str(place))]
    print("\n".join(faults) or "layers hold")
    return 1 if faults else 0


sys.exit(main())
