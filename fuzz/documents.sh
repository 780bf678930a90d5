#!/bin/sh
# Documents that attack qvault-decode, RUNS of each kind (Tests/Attacks/documents.py), with the whole program built with
# AddressSanitizer and UBSan. Fails where a sanitizer reports anything. usage: fuzz/documents.sh QVAULT [RUNS [FOLDER]]
set -eu
qvault=$(readlink -f "$1")
cd "$(dirname "$0")/.."
runs=${2:-100}
work=$(readlink -m "${3:-.build/fuzz/documents}")
bin=$(dirname "$(readlink -f "$(command -v swift)")")
libraries='libseccomp libpng libjpeg lcms2 freetype2 harfbuzz fontconfig libheif libwebpdemux libtiff-4 libqpdf'
rm -rf "$work"
mkdir -p "$work/bin" "$work/reports"
cp "$qvault" "$work/bin/qvault"
# shellcheck disable=SC2046
"$bin/clang" -g -O1 -fsanitize=address,undefined,float-cast-overflow -fno-sanitize-recover=all -fuse-ld=lld \
    "-DREPORTS=\"$work/reports/of\"" -ISources/CSystem -ISources/CSystem/include -ISources/CImage/include \
    $(pkg-config --cflags $libraries) fuzz/decoder.c $(ls Sources/CSystem/*.c | grep -v /confine.c) Sources/qvault-decode/*.c Sources/CImage/pixels.c Sources/CImage/icc.c \
    -Wl,--as-needed $(pkg-config --libs $libraries) -lm -lpthread -o "$work/bin/qvault-decode"
/usr/bin/python3 Tests/Attacks/documents.py "$work/bin/qvault" "$work/tried" "$runs" || failed=1
reports=$(find "$work/reports" -type f | wc -l)
echo "qvault-decode with sanitizers: $reports reports"
[ "$reports" -eq 0 ] || head -40 "$(find "$work/reports" -type f | head -1)"
[ "$reports" -eq 0 ] && exit ${failed:-0}
exit 1
