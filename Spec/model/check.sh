#!/bin/sh
# Explores all states of both models within their bounds; then takes each rule away in turn, and an assertion must fail.
# usage: check.sh FOLDER
set -eu
models=$(cd "$(dirname "$0")" && pwd)
model=$models/save.pml
mkdir -p "$1"
cd "$1"

# explore DEFINITION…: an exhaustive search; prints the number of states, or which assertion fails.
explore() {
    spin -a "$@" "$model" >/dev/null
    cc -O2 -w -DSAFETY -DCOLLAPSE -o pan pan.c
    ./pan -m1000000 >report 2>&1
    if grep -q 'assertion violated' report; then sed -n 's/^pan:1: assertion violated \(.*\) (at depth.*/fails: \1/p' report; return; fi
    if grep -q 'too small\|out of memory\|errors: [1-9]' report; then cat report; return; fi
    sed -n 's/^ *\([0-9.e+]*\) states, stored.*/holds in \1 states/p' report
}

failed=0
expect() { # WORD TITLE DEFINITION…
    word=$1 title=$2
    shift 2
    found=$(explore "$@")
    echo "$title: $found"
    case $found in "$word"*) ;; *) failed=1 ;; esac
}
expect holds "a writer, a loss of power, a kill, a bad sector"
expect holds "a writer, two losses of power, two kills, a bad sector" -DCRASHES=2 -DKILLS=2
expect holds "two writers, a loss of power, a kill" -DWRITERS=2 -DROTS=0
for rule in 1 2 3 4 5 6 7 8 9 10 11 12 13; do
    [ $rule = 6 ] && writers=2 || writers=1
    expect fails "without R$rule" -DWITHOUT=$rule -DWRITERS=$writers
done
model=$models/identity.pml
expect holds "two paths, a backup, restores, a rotation, an older file put back"
expect holds "the same with two files put back" -DATTACKS=2
for rule in 1 2 3 4 5 6 7 8 9 10; do expect fails "without W$rule" -DWITHOUT=$rule; done
exit $failed
