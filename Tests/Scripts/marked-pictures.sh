#!/bin/sh
# Draws each kind of document of nobody, and marks it: NAME.jpg and NAME-marked.jpg. usage: marked-pictures.sh QVAULT FOLDER
set -eu
qvault=$(readlink -f "$1") folder=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$folder"
/usr/bin/python3 "$(dirname "$0")/documents.py" "$work"
for name in card table statement illustrated; do
    djpeg "$work/$name.jpg" | cjpeg -quality 60 -optimize >"$folder/$name.jpg"
    XDG_STATE_HOME=$work "$qvault" watermark file "$folder/$name.jpg" --recipient 招商银行 --purpose 开户 --force -q \
        -o "$folder/$name-marked.jpg"
    chmod 644 "$folder/$name-marked.jpg"
done
