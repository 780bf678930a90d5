#!/bin/sh
# Prints how many code regions of each module above the store the tests reach. Swift maps regions: each arm of a branch, each
# case and each closure is one. The command's regions count where a test runs the command. usage: coverage.sh FOLDER
set -eu
cd "$(dirname "$0")/../.."
work=$1
bin=$(dirname "$(readlink -f "$(command -v swift)")")
swift build --build-tests --enable-code-coverage --scratch-path "$work"
rm -rf "$work/profiles"
mkdir -p "$work/profiles"
# %m: programs of one kind add to one file.
export LLVM_PROFILE_FILE="$work/profiles/%4m.profraw"
status=0
"$work"/debug/QuickVaultPackageTests.xctest --testing-library swift-testing >"$work/tests.log" 2>&1 || status=$?
grep -a 'Test run with' "$work/tests.log"
unset LLVM_PROFILE_FILE
"$bin/llvm-profdata" merge -sparse -o "$work/all.profdata" "$work"/profiles/*.profraw
"$bin/llvm-cov" export -summary-only -instr-profile "$work/all.profdata" "$work/debug/QuickVaultPackageTests.xctest" \
    -object "$work/debug/qvault" >"$work/coverage.json"
/usr/bin/python3 Tests/Scripts/coverage.py "$work/coverage.json"
exit $status
