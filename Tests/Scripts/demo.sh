#!/bin/sh
# The main job on real files: pack a folder, look at it, check it with and without the password, get every byte back.
# usage: demo.sh QVAULT
set -eu
qvault=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -R "$(dirname "$0")/../../Spec" "$work/papers"
cd "$work"
export QVAULT_PASSWORD_COMMAND='printf %s correct-horse-battery'
run() { echo "\$ qvault $*"; "$qvault" "$@"; }

echo "(the password comes from \$QVAULT_PASSWORD_COMMAND)"
run pack papers -o papers.qvault
run info papers.qvault
run ls -f papers.qvault papers/reader
echo 'a line more' > note.txt
run put -f papers.qvault note.txt --as papers/note.txt
run cat -f papers.qvault papers/note.txt
run verify papers.qvault
run verify --keyless papers.qvault
run unpack papers.qvault -o back
rm back/papers/note.txt
diff -r papers back/papers && echo "every byte came back"
