#!/bin/sh
# Every relative link of the documents leads to a file, and every command that the README shows is one the command knows.
set -eu
cd "$(dirname "$0")/../.."
fail=0
for page in *.md Spec/*.md Spec/product/*.md Tests/*.md TestVectors/README.md fuzz/README.md Sources/qvault/Guide/*.md; do
    for link in $(grep -oE '\]\([^)#]+' "$page" | sed 's/](//' | grep -vE '^[a-z]+:' || true); do
        [ -e "$(dirname "$page")/$link" ] || { echo "$page: dead link $link"; fail=1; }
    done
done
# Every path that the map of the sources names exists.
for path in $(grep -oE '`(Sources|Spec|Tests|TestVectors)/[^` ]+`|`(Makefile|Package.swift|TESTING.md)`' ARCHITECTURE.md | tr -d '`' | sort -u); do
    [ -e "$path" ] || { echo "ARCHITECTURE.md: no file $path"; fail=1; }
done
for verb in $(grep -oE '^ *(\$ )?qvault [a-z]+' README.md | sed -E 's/.*qvault //' | sort -u); do
    grep -qE "name: \"$verb( |\")" -r Sources/qvault || { echo "README.md: no verb $verb"; fail=1; }
done
[ "$fail" -eq 0 ] && echo "links hold"
exit "$fail"
