#!/bin/sh
# Prints how many code regions of each module above the store the tests reach. Swift maps regions: each arm of a branch, each
# case and each closure is one. The command's regions count where a test runs the command. usage: coverage.sh FOLDER
set -eu
cd "$(dirname "$0")/../.."
work=$1
bin=$(dirname "$(readlink -f "$(command -v swift)")")
swift build --build-tests --enable-code-coverage --scratch-path "$work"
rm -rf "$work/profiles" "$work/all.profdata"
mkdir -p "$work/profiles"

# Adds the profiles of programs that have ended to one file. Some were killed while they wrote: those are passed over.
collect() {
    find "$work/profiles" -name '*.profraw' "$@" >"$work/list"
    [ -s "$work/list" ] || return 0
    cp "$work/list" "$work/inputs"
    [ ! -f "$work/all.profdata" ] || echo "$work/all.profdata" >>"$work/inputs"
    "$bin/llvm-profdata" merge -sparse -failure-mode=all -f "$work/inputs" -o "$work/next" 2>/dev/null &&
        mv "$work/next" "$work/all.profdata"
    xargs rm -f <"$work/list"
}
(while sleep 10; do collect ! -newermt '-20 seconds'; done) &
collector=$!

# Tests that watch every file of a program see its profile too, and fail here: 'make test' judges them.
LLVM_PROFILE_FILE="$work/profiles/%p.profraw" "$work/debug/QuickVaultPackageTests.xctest" --testing-library swift-testing \
    >"$work/tests.log" 2>&1 || true
kill "$collector"
wait "$collector" || true
collect
grep -a 'Test run with' "$work/tests.log"
"$bin/llvm-cov" export -summary-only -instr-profile "$work/all.profdata" "$work/debug/QuickVaultPackageTests.xctest" \
    -object "$work/debug/qvault" >"$work/coverage.json"
/usr/bin/python3 Tests/Scripts/coverage.py "$work/coverage.json"
