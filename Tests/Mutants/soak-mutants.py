#!/usr/bin/python3
"""Tests the tests: removes each sync, lock, hash, tag and bounds check in turn; vault-soak must fail every time.

usage: soak-mutants.py FOLDER [quick] [NUMBER…]     (all mutants, or these; quick: only what is likely to notice)
       soak-mutants.py --check                       (whether each can still be planted)

The sources are copied to FOLDER, and every mutant is built into the one copy, asleep: the environment's QV_MUTANT wakes
one. Mutants are of two kinds: STATEMENTS below, each with what takes its place, and every condition of every `guard` of
the files in GUARDED, which is made true. A mutant that nothing fails for is printed, and the exit status is 1, unless it
stands in EQUIVALENT with the reason why nothing can.
"""

import concurrent.futures, os, queue, re, shutil, subprocess, sys, time

ROOT = os.path.abspath(f"{__file__}/../../..")

# (file, what stands there once, what stands there when the mutant is awake)
STATEMENTS = [
    ("VaultTransaction", "try syncCommit()", "()"),
    ("VaultTransaction", "try file.writeDurably(page.bytes, at: root.olderPage.offset)", "try file.writeAll(page.bytes.span, at: root.olderPage.offset)"),
    ("VaultTransaction", "try file.writeDurably(page.bytes, at: root.place.offset)", "try file.writeAll(page.bytes.span, at: root.place.offset)"),
    ("VaultTransaction", "try guarded.writeEndPage(page)", "()"),
    ("VaultTransaction", "try? file.writeEndPage(root.page)\n            throw error", "throw error"),
    ("VaultCompletion", "try writeEndPage(page)", "()"),
    ("Replacement", "writer.abandon()\n        try file.sync()", "writer.abandon()"),
    ("Replacement", "try folder.sync()", "()"),
    ("VaultTransaction", "try holder.sync()", "()"),
    ("VaultCompletion", "try sync()", "()"),
    ("AtomicFile", "try folder.sync()", "()"),
    ("Recovery", "}\n        try file.sync()", "}"),
    ("Recovery", "try file.writeAll(piece.span, at: start)", "()"),
    ("Recovery", "try rewriteNewest()\n            if", "()\n            if"),
    ("Recovery", "try file.writeDurably(page.bytes, at: place.offset)", "()"),
    ("Recovery", "if root.unsound.isEmpty { try file.writeDurably(page.bytes, at: root.olderPage.offset) }", "()"),
    ("Recovery", "try file.writeEndPage(page)", "()"),
    ("Recovery", "try truncate(to: page.header.logEnd + UInt64(Layout.pageByteCount))", "()"),
    ("Root", "newest.place == .a ? .b : .a", "newest.place"),
    ("Root", "!unsound.isEmpty && !pages.hasEnd", "false"),
    ("Vault", "try record.core.authenticate(keys)", "()"),
    ("Vault", "try root.page.authenticate(keys)", "()"),
    ("Vault", "try manifest.checkNewest()", "()"),
    ("Manifest", "try link.check(endsBy: limit)", "()"),
    ("ManifestVerifier", "try segment.checkHeads()", "()"),
    ("ManifestVerifier", "try core.check(part.segment)", "()"),
    ("Verification", "try checkGaps()", "()"),
    ("Verification", "try checkOlderPage(root)", "()"),
    ("RecordReader", "try lane.withPrelude { try headers.check($0, of: content) }", "()"),
    ("Verification", "try pass.checkFrames(vault.reader, checkCancellation: environment.checkCancellation)", "()"),
    ("Rewrite", "try headers.check(prelude.span, of: first.content)", "()"),
    ("VaultTransaction", "guard try isAlone(with: record) else { throw VaultError.changedUnderneath }", "()"),
    ("Vault", "guard locked.header.vaultID == id, locked.header.epoch == root.header.epoch else { throw VaultError.replaced }", "()"),
    ("AESGCM", "return unsafe EVP_DecryptFinal_ex(context, &none, &length) == 1", "return unsafe EVP_DecryptFinal_ex(context, &none, &length) < 2"),
    ("VaultLock", "if try file.lock() {", "if true {"),
    ("ReplicaTarget", "do { try file.sync() } catch let error as IOError { throw VaultError.outcomeUnknown(error) }\n            isNamed = true", "isNamed = true"),
    ("ReplicaTarget", "if !isNamed, (try? root.isUnchanged(in: file)) == true { try? file.writeEndPage(root.page) }", "if (try? root.isUnchanged(in: file)) == true { try? file.writeEndPage(root.page) }"),
    ("ReplicaTarget", "try guarded.writeEndPage(update.page)", "()"),
    ("ReplicaTarget", "try file.writeDurably(update.page.bytes, at: root.olderPage.offset)", "()"),
    ("ReplicaTarget", "for place in root.unsound { try file.writeDurably(root.page.bytes, at: place.offset) }", "()"),
    ("VaultLock", "if mine.isOfSameFile(as: named) { return file }", "return file"),
]

GUARDED = [
    "VaultFormat/Manifest/CBORReader", "VaultFormat/Log/CommitRecord", "VaultFormat/Manifest/Entry", "VaultFormat/Manifest/EntryCoding", "VaultFormat/Pages/Header", "VaultFormat/Keys/KeySlot", "VaultFormat/Keys/Keys",
    "VaultFormat/Manifest/Overview", "VaultFormat/Pages/Page", "VaultFormat/Manifest/SegmentContent", "VaultFormat/Manifest/SegmentHead", "VaultFormat/Pages/SlotArea",
    "VaultFormat/Records/StoredRecord", "VaultFormat/Records/FrameTable", "VaultFormat/Records/PieceList", "VaultStore/Pieces/PieceLookup", "VaultStore/Pieces/VaultPieces", "VaultFormat/Records/Zstandard", "VaultStore/Maintenance/RecordTranscoder", "VaultStore/Log/CommitCheck", "VaultStore/Log/CommitLog", "VaultStore/Log/CommitScan", "VaultStore/Verification/ManifestVerifier", "VaultStore/Verification/EntryRules", "VaultStore/Log/Manifest", "VaultStore/Log/Segment",
    "VaultStore/Vault/RecordReader", "VaultStore/Vault/RecordLane", "VaultStore/Vault/RecordChecks", "VaultStore/Log/Root", "VaultStore/Maintenance/SalvageScan", "VaultStore/Maintenance/Salvage", "VaultStore/Maintenance/SalvagedTree", "VaultStore/Vault/Vault", "VaultStore/Verification/Verification", "VaultStore/Freshness/Witness", "VaultStore/Freshness/WitnessFiles", "VaultStore/Freshness/WitnessBook",
]

# Mutants that no test can notice, and the reason.
EQUIVALENT = {
    "VaultTransaction: try? file.writeEndPage(root.page) throw error -> throw error":
        "recovery writes anew and syncs what it adopts; the truncation only spares readers a save that may go away",
    "Recovery: try file.writeEndPage(page) -> ()": "a save overwrites page T, and a writer that gives up puts it back",
    "EntryCoding: guard count > 0": "a loop over nothing follows",
    "EntryCoding: guard overview.title.count > 1024 || overview.hasLabels || !otherPairs.isEmpty": "such an entry fits anyway; this spares encoding it",
    "KeySlot: guard credential.kind == form.kind": "the commitment refuses too; this spares the derivation",
    "CBORReader: guard encoding.count == place.count": "no encoding is the beginning of another",
    "SegmentHead: guard offset < Limits.fileByteCount": "the copy of the head stands behind it, and is bounded too",
    "SlotArea: guard !acceptsAnyCost": "refuses what a person agreed to; the tests of the command open such a vault",
    "SegmentContent: guard length <= Limits.segmentByteCount": "no test fills a segment of that size; readers refuse it (rules)",
    "SegmentContent: guard sealedHead.count <= Limits.headByteCount": "no test fills a head of that size; readers refuse it (rules)",
    "Keys: guard record != current": "the same key is derived again",
    "CommitCheck: guard content != nil": "blocks are read without their tags, and nothing comes of it",
    "CommitCheck: guard piece.count == count": "fewer bytes have another hash",
    "CommitCheck: guard item.core.end > fault.range.lowerBound": "readers refuse places behind the log end before they read",
    "Manifest: guard newest.link.length <= Self.checkedByteCount": "checking a long segment too finds no more than reading it",
    "Segment: guard sealed.count == chunk.length": "fewer bytes have another hash",
    "RecordTranscoder: guard count == bytes.count": "what is missing fails its tag",
    "SalvageScan: guard (try? core.check(part.segment)) != nil":
        "what a wrong link names has another hash; this spares reading up to 4 GiB",
    "SalvageScan: guard !known.contains(place)": "a salt that is known is passed over behind it; this spares opening headers",
    "SalvageScan: guard later.map({ entry.first < $0.first }) ?? true":
        "a revision between those of two neighbouring saves: no writer makes that",
    "Salvage: guard newest < Limits.counter": "a core of such a sequence is refused when it is made",
    "SalvageScan: guard entry.first > 0": "two versions of one record before the second commit: no writer makes that",
    "RecordReader: guard !isShort": "a short record is read the long way, to the same end",
    "RecordLane: guard chunk.upperBound <= end": "what is missing fails its tag",
    "ManifestVerifier: guard kept == 0 || records[kept - 1].place != record.place":
        "two records in one place were reported; this spares a second finding",
    "RecordChecks: guard place >= Layout.logStart": "an entry holds its place counted from the start of the log",
    "Root: guard isSteady": "a reader that saw page A before a save and page B after it shows a state that was current meanwhile",
    "Vault: guard locked.header.vaultID == id": "another vault has another epoch: its counter is followed by random bytes",
    "Witness: guard bytes.starts(with: Self.magic)": "the HMAC covers it",
    "Witness: guard Array(bytes[8..<24]) == vaultID.bytes": "the HMAC covers it",
    "WitnessBook: guard !isRemembered": "the same is written again",
}

JOBS = 2  # at a time
QUICK = "quick" in sys.argv
STATEMENT_TECHNIQUES = ["vectors", "lockless", "readers", "crash", "faults", "writers", "rollbacks", "flips"]
GUARD_TECHNIQUES = ["rules", "vectors", "encodings", "extremes", "rollbacks", "rewrites", "salvage", "truncations", "swaps", "flips"]

SWITCH = """#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Which mutant is awake.
package let mutant: Int = unsafe getenv("QV_MUTANT").flatMap { unsafe Int(String(cString: $0)) } ?? 0
"""


def conditions(text):
    """The span of each condition of each guard."""
    for match in re.finditer(r"\bguard\b", text):
        at, depth, start, parts = match.end(), 0, match.end(), []
        while True:
            letter = text[at]
            if letter == '"':  # a string ends where it does
                at = text.index('"', at + 1)
            elif letter in "([{":
                depth += 1
            elif letter in ")]}":
                depth -= 1
            elif depth == 0 and letter == ",":
                parts.append((start, at))
                start = at + 1
            elif depth == 0 and text.startswith("else", at) and text[at - 1].isspace() and text[at + 4:].lstrip().startswith("{"):
                parts.append((start, at))
                break
            at += 1
        yield from parts


def mutated(condition, number):
    body = condition.strip()
    if re.match(r"(let|var|case)\b", body) or body in ("true", "false"):
        return None
    words = re.match(r"((?:try|unsafe)\s+)*", body).group(0)
    inner = "try " if "try " in body and "try " not in words else ""
    return f" {inner}{words}mutant == {number} || ({body[len(words):]}) "


def copied(folder):
    """A copy of the sources in the folder."""
    for name in ("Package.swift", "Sources", "Tests", "TestVectors", "Spec"):
        source, target = os.path.join(ROOT, name), os.path.join(folder, name)
        if os.path.isdir(source):
            shutil.rmtree(target, ignore_errors=True)
            shutil.copytree(source, target)
        else:
            shutil.copy(source, target)


def plant(folder, is_written=True):
    """Plants all mutants in the sources beneath a folder; a list of what each is."""
    if is_written:
        with open(f"{folder}/Sources/VaultCrypto/Mutant.swift", "w") as out:
            out.write(SWITCH)
    modules = [f"{folder}/Sources/{name}" for name in ("VaultCrypto", "VaultFormat", "VaultStore")]
    paths = {name[:-6]: f"{room}/{name}" for module in modules for room, _, names in os.walk(module) for name in names
             if name.endswith(".swift")}
    texts, mutants, faults = {}, [], []
    for name, old, new in STATEMENTS:
        text = texts.setdefault(name, open(paths[name]).read())
        count = text.count(old)
        if count != 1:
            faults.append(f"{name}: {old!r} stands there {count} times")
            continue
        number = len(mutants) + 1
        if old.startswith(("if ", "guard ")) and old.endswith("{"):
            word, condition = old.split(" ", 1)
            mended = f"{word} try mutant == {number} || ({condition[:-2].removeprefix('try ')}) {{"
        elif old.startswith("if try"):
            mended = f"if try mutant != {number} && {old[7:]}"
        elif old.startswith("if mine"):
            mended = f"if mutant == {number} || {old[3:]}"
        elif old.startswith("return "):
            mended = f"if mutant == {number} {{ {new} }}\n                {old}"
        elif not old.startswith(("try", "if", "guard")):
            mended = f"mutant == {number} ? {new} : ({old})"
        else:
            mended = f"if mutant == {number} {{ {new} }} else {{ {old} }}"
        if "\n            throw error" in old:
            mended = old.replace("try? file", f"if mutant != {number} {{ try? file").replace("\n", " }\n", 1)
        elif "\n" in old:
            # Only the last line, or only the first, is the mutant's.
            lines, others = old.split("\n"), new.split("\n")
            if len(lines) > len(others):
                mended = "\n".join(lines[:-1] + [f"if mutant != {number} {{ {lines[-1].strip()} }}"])
            else:
                mended = "\n".join([f"if mutant == {number} {{ {others[0]} }} else {{ {lines[0]} }}"] + lines[1:])
        texts[name] = text.replace(old, mended)
        mutants.append(f"{name}: {' '.join(old.split())} -> {' '.join(new.split())}")
    for path in GUARDED:
        name = os.path.basename(path)
        text = texts.setdefault(name, open(paths[name]).read())
        planted, last = [], 0
        for start, end in conditions(text):
            number = len(mutants) + 1
            new = "mutant ==" not in text[start:end] and mutated(text[start:end], number)
            if new:
                planted += [text[last:start], new]
                last = end
                mutants.append(f"{name}: guard {' '.join(text[start:end].split())}")
        texts[name] = "".join(planted) + text[last:]
    faults += [f"nothing is called {what!r}" for what in EQUIVALENT if what not in mutants]
    if faults:
        sys.exit("\n".join(faults))
    for name, text in texts.items() if is_written else ():
        if not re.search(r"^(public |package )?import VaultCrypto", text, re.M) and "/VaultCrypto/" not in paths[name]:
            text = "import VaultCrypto\n" + text
        with open(paths[name], "w") as out:
            out.write(text)
    return mutants


def build(folder):
    for product in ("vault-soak", "qvault"):
        words = ["swift", "build", "-c", "release", "--static-swift-stdlib", "--product", product, "--package-path", folder]
        done = subprocess.run(words, capture_output=True, text=True)
        if done.returncode:
            sys.exit(done.stdout[-8000:] + done.stderr[-2000:])


def run(folder, number, worker=0, techniques=()):
    """The first failure of the kit; None if nothing failed."""
    binary = f"{folder}/.build/release"
    environment = dict(os.environ, QV_MUTANT=str(number), SWIFT_BACKTRACE="enable=no")
    words = [f"{binary}/vault-soak", f"{binary}/qvault", f"{folder}/work{worker}", "first", *techniques]
    try:
        done = subprocess.run(words, capture_output=True, text=True, env=environment, timeout=900)
    except subprocess.TimeoutExpired:
        return "it hangs"
    if done.returncode == 0:
        return None
    lines = done.stdout.strip().splitlines()
    return (lines[-1] if done.returncode == 1 and lines else f"it crashes ({done.returncode})")[:110]


def main():
    if sys.argv[1] == "--check":
        return print(f"{len(plant(ROOT, is_written=False))} mutants can be planted")
    folder = os.path.abspath(sys.argv[1])
    for worker in range(JOBS):
        os.makedirs(f"{folder}/work{worker}", exist_ok=True)
    copied(folder)
    mutants = plant(folder)
    print(f"{len(mutants)} mutants planted", flush=True)
    build(folder)
    start = time.monotonic()
    if failure := run(folder, 0, 0, GUARD_TECHNIQUES if QUICK else ()):
        sys.exit(f"without any mutant the kit fails: {failure}")
    print(f"without any mutant all holds ({time.monotonic() - start:.0f} s)", flush=True)
    survivors = []
    wanted = [int(word) for word in sys.argv[2:] if word.isdigit()] or range(1, len(mutants) + 1)
    free = queue.SimpleQueue()
    for worker in range(JOBS):
        free.put(worker)

    def try_one(number):
        what, worker = mutants[number - 1], free.get()
        # First the techniques that are likely to notice, then all.
        likely = STATEMENT_TECHNIQUES if number <= len(STATEMENTS) else GUARD_TECHNIQUES
        reason = EQUIVALENT.get(what)
        caught = run(folder, number, worker, likely) or (not QUICK and not reason and run(folder, number, worker))
        free.put(worker)
        survivors.extend([number] if bool(caught) == bool(reason) else [])
        result = f"caught: {caught}" if caught else "nothing fails"
        result += f"; to be equivalent: {reason}" if reason else "" if caught else ": IT SURVIVES"
        print(f"{number:3} {what}\n    {result}", flush=True)

    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        list(pool.map(try_one, wanted))
    print(f"{len(wanted)} mutants, {len(survivors)} survive: {survivors}")
    sys.exit(1 if survivors else 0)


main()
