"""Writes TestVectors/*.vector and Spec/example.md; with --check, compares them with what is there."""

import pathlib
import sys

import cases_audit, cases_cbor, cases_contents, cases_entries, cases_extensions, cases_frames, cases_kinds, cases_log, cases_manifest, cases_page_t, cases_pages  # noqa: E401, F401: they fill ALL
import cases_parity, cases_pieces, cases_recipients, cases_records, cases_recovery, cases_saves, cases_slots, cases_sound  # noqa: E401, F401
import example
from vectors import ALL

VECTORS = pathlib.Path(__file__).resolve().parent.parent
EXAMPLE = VECTORS.parent / "Spec" / "example.md"


def outputs():
    """Path and text of every generated file."""
    files = {VECTORS / (name + ".vector"): vector.text() for name, vector in sorted(ALL.items())}
    files[EXAMPLE] = example.text()
    return files


def stale(files):
    """Vector files that nothing generates."""
    return [path for path in sorted(VECTORS.glob("*.vector")) if path not in files]


def check(files):
    """Names of the files that differ from what is generated."""
    wrong = [path for path, text in files.items() if not path.exists() or path.read_bytes() != text.encode()]
    return [path.name for path in wrong + stale(files)]


def main(arguments):
    files = outputs()
    if arguments == ["--check"]:
        wrong = check(files)
        print("\n".join(["differs: " + name for name in wrong]) or f"{len(files)} files as generated")
        return 1 if wrong else 0
    for path in stale(files):
        path.unlink()
    for path, text in files.items():
        path.write_bytes(text.encode())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
