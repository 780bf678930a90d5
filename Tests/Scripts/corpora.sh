#!/bin/sh
# Public pictures, odd and broken ones among them, from Debian source packages: every file that says it is a JPEG or PNG, or
# is called so. Nothing of them is kept in the repository. usage: corpora.sh FOLDER
set -eu
folder=$1
[ -e "$folder/done" ] && exit 0
mkdir -p "$folder/lists/partial" "$folder/sources" "$folder/jpeg" "$folder/png"
folder=$(cd "$folder" && pwd)
mirror=$(sed -n 's/^URIs: *//p; s/^deb \(\[[^]]*\] \)\{0,1\}\([^ ]*\) .*/\2/p' \
    /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null | head -1)
suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
echo "deb-src $mirror $suite main" >"$folder/sources.list"
apt() {
    apt-get -q -o APT::Sandbox::User= -o Dir::Etc::SourceList="$folder/sources.list" -o Dir::Etc::SourceParts=/dev/null \
        -o Dir::State::lists="$folder/lists" "$@" >/dev/null
}
cd "$folder/sources"
apt update
apt source --download-only libjpeg-turbo libpng1.6 pillow exiv2
for archive in *.orig.tar.*; do tar -xf "$archive"; done
find . -type f \( -iname '*.jp*g' -o -iname '*.png' -o -path '*/crashers/*' \) | sort | while read -r file; do
    case $(head -c 4 "$file" | od -An -tx1 | tr -d ' ') in
    ffd8ff*) kind=jpeg ;;
    89504e47) kind=png ;;
    *) case $file in *.png) kind=png ;; *) kind=jpeg ;; esac ;;
    esac
    cp "$file" "$folder/$kind/$(echo "$file" | sed 's|^\./||; s|/|_|g')"
done
cd "$folder"
rm -rf sources lists sources.list
touch done
