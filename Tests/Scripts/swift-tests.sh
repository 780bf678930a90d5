#!/bin/sh
# Runs all Swift tests of the release build, without building. Prints what failed, and the total. usage: swift-tests.sh LOG
set -u
log=$1
swift test -c release --skip-build >"$log" 2>&1
status=$?
# A crash has no issue of its own: its message and the stack are printed instead.
grep -a -A 12 -E '✘|recorded an issue|Fatal error|Program crashed|crashed:$' "$log" | grep -av -E '^(◇|✔)' | cut -c1-400 | head -120
grep -a 'Test run with' "$log" || echo "the tests did not finish: $log"
exit $status
