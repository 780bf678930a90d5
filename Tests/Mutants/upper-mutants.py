#!/usr/bin/python3
"""Tests the tests of the modules above the store: in each of COUNT places a guard is made true, or an operator is another
one; the tests of that module, which run in one process, must fail every time.

usage: upper-mutants.py FOLDER [COUNT [SEED [FILES]]]

The sources are copied to FOLDER. Places are drawn by SEED, in files whose path matches FILES; those that do not compile with
their mutant are left out. COUNT 0 takes all of them. All mutants are built into one copy, asleep: the environment's QV_MUTANT
wakes one. Each test runs once by itself and marks in a shared page of memory which mutants it reaches; a mutant is then tried
by those tests alone, the ones that reach fewest first. A mutant that nothing fails for is printed, and the exit status is 1
if more than 1 in 20 is, besides those of EQUIVALENT, which stand there with a reason.
"""

import argparse, concurrent.futures, os, random, re, shutil, subprocess, sys, tempfile, time

ROOT = os.path.abspath(f"{__file__}/../../..")

# The modules, and the tests that look at them, each in one process.
MODULES = ("Values", "Cards", "Pictures", "Exchange", "Portfolio", "Watermark")
TESTS = re.compile(r"(ValuesTests|RecordTests|PortfolioTests|WatermarkTests|QuickVaultTests)\.")
# Tables, and what only talks to another program.
SKIPPED = {"CardKinds.swift", "PortfolioKinds.swift", "Currency.swift", "DecoderProcess.swift",
           "InstalledDecoder.swift"}
SWAPS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "&&": "||", "||": "&&", "+": "-", "-": "+"}
PRECEDENCE = {"&&": "LogicalConjunctionPrecedence", "||": "LogicalDisjunctionPrecedence", "+": "AdditionPrecedence",
              "-": "AdditionPrecedence"}
INFIX = re.compile(r"(?<=[\w)\]\"]) (<|<=|>|>=|==|!=|&&|\|\||\+|-) (?=[\w(\[\"\\.!-])")

# Mutants that no test can notice, and the reason.
ROOM, SPARES, EQUAL = "room only", "spares work", "the same at this value"
EQUIVALENT = {
    "BytePath.swift: + joined.reserveCapacity(bytes.count + 1 + component.count)": ROOM,
    "PrintableText.swift: == if text.unicodeScalars.allSatisfy({ escape($0) == nil || keeping.contains($0) }) { return text }": SPARES,
    "PrintableText.swift: || if text.unicodeScalars.allSatisfy({ escape($0) == nil || keeping.contains($0) }) { return text }": SPARES,
    "DueDate.swift: guard entry.endsByKind || Card.mayEnd(content)": SPARES,
    "Series.swift: guard !mine.isEmpty": SPARES,
    "ExactDecimal.swift: >= if scale >= 0 { scale += 1 }": SPARES,
    "Folding.swift: == text[index + 1] & 0xC0 == 0x80, text[index + 2] & 0xC0 == 0x80": SPARES,
    "ImportWork.swift: guard batch.items.contains(where: \\.isDeleted)": SPARES,
    "CardQuery.swift: <= if text.utf8.count <= 80, !text.utf8.contains(UInt8(ascii: \"\\n\")) { return text }": EQUAL,
    "OtherPrograms.swift: > if parts.count > 1 { card.group = parts.dropLast().joined(separator: \"/\") }": "an empty group is none",
    "NativeImport.swift: guard fields.own.count < Self.ownFieldCount": "set refuses the same",
    "Series.swift: < if one.time != other.time { return one.time < other.time }": "the two are not equal",
    "ExactDecimal.swift: >= places >= scale": EQUAL,
    "ExactDecimal.swift: >= shift >= 0 ? (digits.shifted(shift), other.digits) : (digits, other.digits.shifted(-shift))": EQUAL,
    "ExactDecimal.swift: < public var magnitude: ExactDecimal { sign < 0 ? -self : self }": EQUAL,
    "CalendarTime.swift: guard !isTooLarge": "the years 1678 to 2261 fit",
    "CalendarTime.swift: >= let era = (days >= 0 ? days : days - 146_096) / 146_097": EQUAL,
    "Day.swift: < return Day(clamping: isBeyond ? (days < 0 ? .min : .max) : sum)": "a sum with 0 is never beyond",
    "TradingClock.swift: <= return sunday(march).advanced(by: 7) <= day && day < sunday(november) ? -14_400 : -18_000": "nothing is traded on a Sunday",
    "PictureStream.swift: - if bytes.capacity - bytes.count < more.count {": ROOM,
    "Pinyin.swift: < guard index + 2 < text.count, 0xE4...0xE9 ~= text[index] else { return nil }": "the text is UTF-8",
    "Reminders.swift: && return name.hasPrefix(PortfolioSeries.reminderPrefix) && name >= first": SPARES,
    "JPEGHeader.swift: <= guard length >= 2, place + 2 + length <= jpeg.count else { break }": "a scan has to follow",
    "PNGParts.swift: <= while place + 12 <= png.count {": "a chunk without a body says nothing",
    "PDFWriter.swift: > let (across, down) = width > height ? (long, short) : (short, long)": EQUAL,
    "PictureStream.swift: < if bytes.capacity - bytes.count < more.count {": ROOM,
    "PictureStream.swift: + larger.reserveCapacity(2 * bytes.count + more.count)": ROOM,
    "KeePassExport.swift: guard text.utf8.contains(where: special) || !text.isXML": SPARES,
    "Drawing.swift: guard orientation > 1": SPARES,
    "NativeImport.swift: < while start < bytes.count {": "an empty line is none",
    "MarkedPages.swift: guard waiting.count == Self.pagesAtOnce || page.number == count": "fewer pages at once",
    "Due.swift: guard !fired.isEmpty": SPARES,
    "Drawing.swift: > guard orientation > 1 else { return self }": "orientation 1 turns nothing",
    "Folding.swift: || } else if 0xE3...0xE9 ~= byte, index + 2 < text.count, byte > 0xE3 || text[index + 1] >= 0x90,": "others take the long way",
    "Position.swift: > public var isAbove: Bool { plan.budget.sign > 0 && ratio > plan.most }": "without a budget the ratio is 0",
    "XMLTree.swift: guard !text.isEmpty": "Expat hands out no text outside of an element",
}

SWITCH = """import Glibc

/// Which mutant is awake.
let mutant: Int = unsafe getenv("QV_MUTANT").flatMap { unsafe Int(String(cString: $0)) } ?? 0

/// One byte for each mutant that was reached, in the file that QV_REACHED names.
nonisolated(unsafe) let reached: UnsafeMutablePointer<UInt8>? = {
    guard let path = unsafe getenv("QV_REACHED") else { return nil }
    let file = unsafe open(path, O_RDWR)
    return unsafe mmap(nil, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0).assumingMemoryBound(to: UInt8.self)
}()

package func awake(_ number: Int) -> Bool {
    if let page = unsafe reached { unsafe page[number] = 1 }
    return mutant == number
}

"""
PAGE = 1 << 14


def sites(path):
    """The places of a file: where they begin and end, and the operator; of a guard's condition the word guard."""
    text = open(path).read()
    # Comments, strings and declarations have none.
    plain = re.sub(r"//.*|\"(?:[^\"\\\n]|\\.)*\"", lambda part: " " * len(part[0]), text)
    for match in re.finditer(r"\bguard\b", plain):
        end = re.compile(r"\belse\b\s*\{").search(plain, match.end())
        body = plain[match.end():end.start()].strip() if end else ""
        simple = body and not re.search(r"\b(let|var|case|unsafe)\b|,|\{", body)
        if simple:
            yield match.end(), end.start(), "guard"
    for match in INFIX.finditer(plain):
        line = plain[plain.rfind("\n", 0, match.start()) + 1:plain.find("\n", match.end())]
        if not re.search(r"\b(func|where|case|infix|unsafe)\b|#", line):
            yield match.start(1), match.end(1), match[1]


def operator(base, number):
    """The name of an operator that no other mutant has."""
    return base + chr(0x2200 + number % 256) + (chr(0x2A00 + number // 256) if number >= 256 else "")


def definition(base, number):
    name, other = operator(base, number), SWAPS[base]
    head = f"infix operator {name}: {PRECEDENCE.get(base, 'ComparisonPrecedence')}\n"
    choice = f"awake({number}) ? a {other} b : a {base} b"
    if base in ("&&", "||"):
        lazy = f"if awake({number}) {{ return try a {other} b() }}\n    return try a {base} b()"
        return head + f"package func {name} (a: Bool, b: @autoclosure () throws -> Bool) rethrows -> Bool {{\n    {lazy}\n}}\n"
    if base in "+-":
        return head + f"package func {name} <T: AdditiveArithmetic>(a: T, b: T) -> T {{ {choice} }}\n"
    if base in ("==", "!="):
        none = f"(a {base} nil) != awake({number})"
        return (head + f"package func {name} <T: Equatable>(a: T, b: T) -> Bool {{ {choice} }}\n"
                + f"package func {name} <T>(a: T?, b: _OptionalNilComparisonType) -> Bool {{ {none} }}\n")
    return head + f"package func {name} <T: Comparable>(a: T, b: T) -> Bool {{ {choice} }}\n"


def copied(folder):
    for name in ("Package.swift", "README.md", "Sources", "Tests", "TestVectors", "Spec"):
        source, target = os.path.join(ROOT, name), os.path.join(folder, name)
        if os.path.isdir(source):
            shutil.rmtree(target, ignore_errors=True)
            shutil.copytree(source, target)
        else:
            shutil.copy(source, target)


def drawn(seed, files):
    """The places of these files in an order that the seed decides."""
    places = []
    for module in MODULES:
        for room, _, names in sorted(os.walk(f"{ROOT}/Sources/{module}")):
            for name in sorted(names):
                path = f"{room}/{name}"
                if name.endswith(".swift") and name not in SKIPPED and re.search(files, path):
                    places += [(module, os.path.relpath(path, ROOT), *site) for site in sites(path)]
    random.Random(seed).shuffle(places)
    return places


def plant(folder, places):
    """Writes the sources with these mutants; the lines on which each stands."""
    by_file, switch = {}, SWITCH.replace("PAGE", str(PAGE))
    for number, (_, path, start, end, word) in places.items():
        by_file.setdefault(path, []).append((start, end, word, number))
        if word != "guard":
            switch += definition(word, number)
    with open(f"{folder}/Sources/Values/Mutant.swift", "w") as out:
        out.write(switch)
    lines = {}
    for path in {place[1] for place in ALL}:
        text, planted, last = open(f"{ROOT}/{path}").read(), "", 0
        for start, end, word, number in sorted(by_file.get(path, [])):
            if start < last:
                continue
            body = text[start:end]
            if word == "guard":
                words = re.match(r"((?:try)\s+)*", body.strip()).group(0)
                inner = "try " if "try " in body and not words else ""
                new = f" {inner}{words}awake({number}) || ({body.strip()[len(words):]}) "
            else:
                new = operator(word, number)
            planted += text[last:start] + new
            lines[number] = (path, (planted.count("\n") + 1))
            last = end
        planted += text[last:]
        if planted != text and not re.search(r"^(public |package )?import Values", planted, re.M) and "/Values/" not in path:
            planted = re.sub(r"^((?:public |package |@_exported )*import )", r"import Values\n\1", planted, count=1, flags=re.M)
            lines = {number: (p, line + (p == path)) for number, (p, line) in lines.items()}
        with open(f"{folder}/{path}", "w") as out:
            out.write(planted)
    return lines


def build(folder):
    words = ["swift", "build", "-c", "release", "--build-tests", "--package-path", folder]
    done = subprocess.run(words, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def tests(folder, names, seconds, **environment):
    """True if these tests pass in time."""
    words = [f"{folder}/.build/release/QuickVaultPackageTests.xctest", "--testing-library", "swift-testing"]
    for name in names:
        words += ["--filter", "^" + re.escape(name.partition("(")[0]) + r"\("]
    environment = dict(os.environ, SWIFT_BACKTRACE="enable=no", **environment)
    try:
        return subprocess.run(words, capture_output=True, env=environment, timeout=seconds, cwd=folder).returncode == 0
    except subprocess.TimeoutExpired:
        return False


def listed(folder):
    words = [f"{folder}/.build/release/QuickVaultPackageTests.xctest", "--testing-library", "swift-testing", "--list-tests"]
    lines = subprocess.run(words, capture_output=True, text=True, cwd=folder).stdout.splitlines()
    return sorted({line.strip() for line in lines if TESTS.match(line.strip())})


def reach(folder, name):
    """The mutants that a test reaches, and the seconds it takes; with all of them asleep it must pass."""
    with tempfile.NamedTemporaryFile(dir=folder) as page:
        page.truncate(PAGE)
        start = time.monotonic()
        if not tests(folder, [name], 600, QV_REACHED=page.name):
            sys.exit(f"without any mutant {name} fails")
        seconds = time.monotonic() - start
        return name, seconds, [number for number, byte in enumerate(page.read()) if byte]


def caught(folder, number, reaching):
    """True if one of the tests that reach a mutant fails, or hangs, with the mutant awake."""
    names = [name for _, _, name in reaching]
    seconds = {name: second for _, second, name in reaching}
    for first, last in ((0, 8), (8, 30), (30, 80), (80, None)):
        part = names[first:last]
        if part and not tests(folder, part, 20 + 4 * sum(seconds[name] for name in part), QV_MUTANT=str(number)):
            return True
    return False


def main():
    global ALL
    words = argparse.ArgumentParser(usage=__doc__)
    words.add_argument("folder", type=os.path.abspath)
    for name, kind, value in (("count", int, 150), ("seed", int, 1), ("files", str, ".")):
        words.add_argument(name, type=kind, default=value, nargs="?")
    given = words.parse_args()
    folder, ALL = given.folder, drawn(given.seed, given.files)
    count = given.count or len(ALL)
    os.makedirs(folder, exist_ok=True)
    copied(folder)
    # Some do not compile with their mutant: so many more are planted at first.
    chosen = {number + 1: place for number, place in enumerate(ALL[:count * 8 // 5])}
    while True:
        lines = plant(folder, chosen)
        code, output = build(folder)
        if code == 0:
            break
        bad = set(re.findall(r"/(Sources/\S+\.swift):(\d+):\d+: error", output))
        gone = [number for number in chosen if number not in lines or
                any(path == lines[number][0] and abs(int(line) - lines[number][1]) <= 1 for path, line in bad)]
        if not gone:
            sys.exit(output[-4000:])
        for number in gone:
            del chosen[number]
    chosen = dict(list(chosen.items())[:count])
    print(f"{len(chosen)} mutants planted, of {len(ALL)} places", flush=True)
    start = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(2) as workers:
        reaching = {number: [] for number in chosen}
        for name, seconds, numbers in workers.map(lambda name: reach(folder, name), listed(folder)):
            for number in set(numbers) & set(reaching):
                reaching[number].append((len(numbers), seconds, name))
        # Quick tests first, and of those the ones that reach fewest.
        results = {number: workers.submit(caught, folder, number, sorted(reaching[number], key=lambda r: (r[1] > 2, r)))
                   for number in chosen}
        survivors = []
        for number, (_, path, begin, end, word) in chosen.items():
            if results[number].result():
                continue
            text = open(f"{ROOT}/{path}").read()
            line = text.count("\n", 0, begin) + 1
            shown = " ".join(text[begin:end].split()) if word == "guard" else text.split("\n")[line - 1].strip()
            what = f"{os.path.basename(path)}: {word} {shown}"
            survivors.append(what)
            print(f"survives: {path}:{line}: {word}  {shown}  ({len(reaching[number])} tests reach it)"
                  + (f": {EQUIVALENT[what]}" if what in EQUIVALENT else ""), flush=True)
    new = [what for what in survivors if what not in EQUIVALENT]
    minutes = (time.monotonic() - start) / 60
    print(f"{len(chosen) - len(survivors)} of {len(chosen)} mutants caught, {len(survivors) - len(new)} cannot be, {minutes:.0f} min")
    return 1 if len(new) * 20 > len(chosen) else 0


if __name__ == "__main__":
    sys.exit(main())
