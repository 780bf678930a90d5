#!/usr/bin/python3
"""Within a module no file refers back to one that uses it, by what the compiler's index says of every name: types, members
of extensions, functions of C. And the files of qvault that qvault-verify is built of too refer to no others. usage:
cycles.py INDEX-STORE"""

import ctypes
import json
import os
import shutil
import subprocess
import sys
from collections import defaultdict
from ctypes import CFUNCTYPE, POINTER, Structure, c_bool, c_char_p, c_int, c_size_t, c_uint, c_uint64, c_void_p
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCES = f"{ROOT / 'Sources'}/"

# The ordinary build does not compile this target.
VERIFY = "qvault-verify"
# That target has files of its own in the place of these.
REPLACED = {f"{SOURCES}qvault/CommandLine/Product.swift"}

# Pairs of files that may refer to each other, with the reason.
EXCEPTIONS = {}

DEFINITION, REFERENCE = 1 << 1, 1 << 2  # roles of an occurrence
RECORD = 2  # the kind of a unit's dependency that holds its occurrences


class Text(Structure):
    _fields_ = [("start", c_void_p), ("length", c_size_t)]

    def __str__(self):
        return ctypes.string_at(self.start, self.length).decode() if self.length else ""


EACH_TEXT = CFUNCTYPE(c_bool, c_void_p, Text)
EACH_ITEM = CFUNCTYPE(c_bool, c_void_p, c_void_p)


class Index:
    """The functions of libIndexStore that are needed here."""

    FUNCTIONS = {
        "store_create": (c_void_p, c_char_p, POINTER(c_void_p)),
        "store_units_apply_f": (c_bool, c_void_p, c_uint, c_void_p, EACH_TEXT),
        "unit_reader_create": (c_void_p, c_void_p, c_char_p, POINTER(c_void_p)),
        "unit_reader_get_main_file": (Text, c_void_p),
        "unit_reader_dependencies_apply_f": (c_bool, c_void_p, c_void_p, EACH_ITEM),
        "unit_reader_dispose": (None, c_void_p),
        "unit_dependency_get_kind": (c_int, c_void_p),
        "unit_dependency_get_name": (Text, c_void_p),
        "unit_dependency_get_filepath": (Text, c_void_p),
        "record_reader_create": (c_void_p, c_void_p, c_char_p, POINTER(c_void_p)),
        "record_reader_occurrences_apply_f": (c_bool, c_void_p, c_void_p, EACH_ITEM),
        "record_reader_dispose": (None, c_void_p),
        "occurrence_get_symbol": (c_void_p, c_void_p),
        "occurrence_get_roles": (c_uint64, c_void_p),
        "symbol_get_usr": (Text, c_void_p),
    }

    def __init__(self, store):
        compiler = os.path.realpath(shutil.which("swift"))
        library = ctypes.CDLL(str(Path(compiler).parents[1] / "lib/libIndexStore.so"))
        for name, (result, *arguments) in self.FUNCTIONS.items():
            function = getattr(library, f"indexstore_{name}")
            function.restype, function.argtypes = result, arguments
            setattr(self, name, function)
        self.error = c_void_p()
        self.store = self.store_create(os.fsencode(store), self.error)
        if not self.store:
            sys.exit(f"{store}: no index")

    def files(self):
        """Each file of Sources with what it defines and what it refers to."""
        names, defined, used = [], {}, defaultdict(set)
        self.store_units_apply_f(self.store, 1, None, EACH_TEXT(lambda _, name: names.append(str(name)) or True))
        for name in names:
            unit = self.unit_reader_create(self.store, name.encode(), self.error)
            file = str(self.unit_reader_get_main_file(unit))
            # The index may remember files that are gone.
            if file.startswith(SOURCES) and os.path.exists(file):
                used[file]
                for record in self.records(unit, file):
                    self.read(record, file, defined, used)
            self.unit_reader_dispose(unit)
        return defined, used

    def records(self, unit, file):
        records = []

        def note(_, item):
            if self.unit_dependency_get_kind(item) == RECORD and str(self.unit_dependency_get_filepath(item)) == file:
                records.append(str(self.unit_dependency_get_name(item)))
            return True

        self.unit_reader_dependencies_apply_f(unit, None, EACH_ITEM(note))
        return records

    def read(self, record, file, defined, used):
        def note(_, item):
            roles, name = self.occurrence_get_roles(item), str(self.symbol_get_usr(self.occurrence_get_symbol(item)))
            if roles & DEFINITION:
                defined[name] = file
            elif roles & REFERENCE:
                used[file].add(name)
            return True

        reader = self.record_reader_create(self.store, record.encode(), self.error)
        self.record_reader_occurrences_apply_f(reader, None, EACH_ITEM(note))
        self.record_reader_dispose(reader)


def circles(graph):
    """The groups of files that reach each other."""
    reached = {}
    for start in graph:
        reached[start], waiting = set(), [start]
        while waiting:
            for other in graph[waiting.pop()] - reached[start]:
                reached[start].add(other)
                waiting.append(other)
    groups = {frozenset(other for other in reached[file] if file in reached[other]) for file in graph if file in reached[file]}
    return sorted(sorted(group) for group in groups)


def verify_files():
    """The files of qvault in qvault-verify."""
    package = subprocess.run(["swift", "package", "dump-package"], cwd=ROOT, capture_output=True, text=True, check=True,
                             env=os.environ | {"QUICKVAULT_VERIFY": "1"})
    target = next(target for target in json.loads(package.stdout)["targets"] if target["name"] == VERIFY)
    return {f"{SOURCES}{name}" for name in target["sources"] if name.startswith("qvault/")}


def main():
    defined, used = Index(sys.argv[1]).files()
    module = {file: file[len(SOURCES):].split("/")[0] for file in used}
    allowed = {frozenset(f"{SOURCES}{file}" for file in pair) for pair in EXCEPTIONS}
    graph = {
        file: {
            other for name in names if (other := defined.get(name, file)) != file and module.get(other) == module[file]
            and frozenset([file, other]) not in allowed
        }
        for file, names in used.items()
    }
    faults = [f"{path} is not in the index" for path in sorted(map(str, (ROOT / "Sources").rglob("*.swift")))
              if path not in used and not path.startswith(f"{SOURCES}{VERIFY}/")]
    files = verify_files()
    faults += [f"{file[len(SOURCES):]}, of which {VERIFY} is built, needs {other[len(SOURCES):]}, which is not in its list"
               for file in sorted(files) for other in sorted(graph[file] - files - REPLACED)]
    for group in circles(graph):
        faults.append(f"{len(group)} files refer to each other:")
        for file in group:
            others = sorted(other[len(SOURCES):] for other in graph[file] if other in group)
            faults.append(f"  {file[len(SOURCES):]} -> {', '.join(others)}")
    print("\n".join(faults) or f"{len(used)} files, no circles")
    return 1 if faults else 0


sys.exit(main())
