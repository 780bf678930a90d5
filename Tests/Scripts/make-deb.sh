#!/bin/sh
# Puts the command, its manual and completions into a Debian package. usage: make-deb.sh QVAULT FOLDER
set -eu
qvault=$1 folder=$2
version=$("$qvault" --version | cut -d ' ' -f 2)
architecture=$(dpkg --print-architecture)
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
make -s install PREFIX=/usr DESTDIR="$root"
find "$root/usr/share/man" -name '*.1' -exec gzip -9n {} +
mkdir -p "$root/DEBIAN" "$root/usr/share/doc/qvault"
cp LICENSE "$root/usr/share/doc/qvault/copyright"
gzip -9nc CHANGELOG.md > "$root/usr/share/doc/qvault/changelog.gz"
chmod -R u=rwX,go=rX "$root"
cat > "$root/DEBIAN/control" <<END
Package: qvault
Version: $version
Architecture: $architecture
Maintainer: QuickVault <quickvault@localhost>
Section: utils
Priority: optional
Installed-Size: $(du -sk "$root/usr" | cut -f 1)
Depends: libc6, libstdc++6, libgcc-s1, libssl3, libargon2-1, libutf8proc2, libzxcvbn0, libqrencode4, libpng16-16, libjpeg62-turbo, libexpat1, libjansson4, libgmp10, libzip4, zlib1g, libzstd1, libfreetype6, libharfbuzz0b, libfontconfig1, libheif1, libwebp7, libwebpdemux2, libtiff6, libqpdf29
Recommends: fonts-wqy-microhei, poppler-utils
Suggests: tesseract-ocr, tesseract-ocr-chi-sim
Description: keep files in one encrypted file
 A vault keeps any number of files and folders in one encrypted and
 authenticated file, in a documented format. Saves cost the change and keep
 old versions; damage is told from tampering, and both from a wrong password;
 backups can be checked by machines that cannot read them.
END
package="$folder/qvault_${version}_$architecture.deb"
dpkg-deb --root-owner-group --build "$root" "$package"
