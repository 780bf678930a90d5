#!/bin/sh
# Every relative link of the documents leads to a file, and every command that the README shows is one the command knows.
set -eu
cd "$(dirname "$0")/.."
fail=0
for page in README.md CHANGELOG.md Spec/*.md TestVectors/README.md; do
    for link in $(grep -oE '\]\([^)#]+' "$page" | sed 's/](//' | grep -vE '^[a-z]+:' || true); do
        [ -e "$(dirname "$page")/$link" ] || { echo "$page: dead link $link"; fail=1; }
    done
done
for verb in $(grep -oE '^ *(\$ )?qvault [a-z]+' README.md | sed -E 's/.*qvault //' | sort -u); do
    grep -qE "name: \"$verb( |\")" -r Sources/qvault || { echo "README.md: no verb $verb"; fail=1; }
done
[ "$fail" -eq 0 ] && echo "links hold"
exit "$fail"
