#!/bin/sh
# Puts qvault, its manual and completions into a Debian package, and qvault-verify into one of its own. What tells the folder
# of a build is taken out of the programs. usage: make-deb.sh QVAULT QVAULT-VERIFY FOLDER
set -eu
qvault=$1 verify=$2 folder=$3
version=$("$qvault" --version | cut -d ' ' -f 2)
architecture=$(dpkg --print-architecture)
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
# Newer file times are set to the commit time.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export SOURCE_DATE_EPOCH

# Makes the package of the files beneath $root/NAME. Its description comes by standard input. package NAME [FIELD…]
package() {
    name=$1 files=$root/$1
    shift
    mkdir -p "$files/DEBIAN" "$files/usr/share/doc/$name"
    find "$files/usr/share/man" -name '*.[18]' -exec gzip -9n {} +
    cat > "$files/usr/share/doc/$name/copyright" <<END
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: QuickVault

Files: *
Copyright: 2026 The QuickVault authors
License: Apache-2.0
 The whole text is in /usr/share/common-licenses/Apache-2.0.
END
    gzip -9nc CHANGELOG.md > "$files/usr/share/doc/$name/changelog.gz"
    gzip -9n > "$files/usr/share/doc/$name/changelog.Debian.gz" <<END
$name ($version-1) unstable; urgency=medium

  * A release of QuickVault: changelog.gz says what is new.

 -- $maintainer  $(LC_ALL=C date -u -d "@$SOURCE_DATE_EPOCH" '+%a, %d %b %Y %H:%M:%S +0000')
END
    chmod -R u=rwX,go=rX "$files"
    {
        printf 'Package: %s\nVersion: %s-1\nArchitecture: %s\n' "$name" "$version" "$architecture"
        printf 'Maintainer: %s\nSection: utils\nPriority: optional\n' "$maintainer"
        echo "Installed-Size: $(du -sk --apparent-size "$files/usr" | cut -f 1)"
        for field; do echo "$field"; done
        cat
    } > "$files/DEBIAN/control"
    (cd "$files" && find usr -type f | LC_ALL=C sort | xargs md5sum > DEBIAN/md5sums)
    find "$files" -newermt "@$SOURCE_DATE_EPOCH" -exec touch -hd "@$SOURCE_DATE_EPOCH" {} +
    dpkg-deb --root-owner-group --build "$files" "$folder/${name}_$version-1_$architecture.deb"
}
maintainer='QuickVault <quickvault@localhost>'

# What lintian finds, and why it stays. override NAME LINE…
override() {
    name=$1
    mkdir -p "$root/$name/usr/share/lintian/overrides"
    shift
    {
        echo '# The project publishes no e-mail address.'
        echo "$name: bogus-mail-host *"
        echo "$name: bogus-mail-host-in-debian-changelog *"
        echo '# It is no upload to Debian.'
        echo "$name: initial-upload-closes-no-bugs *"
        printf '%s\n' "$@"
    } > "$root/$name/usr/share/lintian/overrides/$name"
}

# Hashes of the compiler's command lines, and the identifier that follows from them, differ from folder to folder. The
# toolchain's own program takes them out: that of binutils loses the segment of what is read-only after relocation.
objcopy=$(dirname "$(readlink -f "$(command -v swift)")")/llvm-objcopy
reduce() { for program; do "$objcopy" --strip-unneeded -R .swift_modhash -R .note.gnu.build-id "$program"; done; }

make -s install PREFIX=/usr DESTDIR="$root/qvault"
reduce "$root/qvault/usr/bin/qvault" "$root"/qvault/usr/libexec/qvault-*
# The units for the machine that keeps the backups go with the program for it.
units=usr/lib/systemd/system
mkdir -p "$root/qvault-verify/$units"
for unit in "$root/qvault/$units"/qvault-verify.*; do
    sed 's/^ExecStart=qvault verify/ExecStart=qvault-verify verify/' "$unit" > "$root/qvault-verify/$units/$(basename "$unit")"
done
rm -r "${root:?}/qvault/$units"
override qvault '# An answer of a feed as it comes, in the encoding that it has.' 'qvault: national-encoding *tencent-quotes.txt*' \
    '# Started by qvault alone.' 'qvault: no-manual-page *qvault-decode*' 'qvault: no-manual-page *qvault-window*'
package qvault 'Depends: libc6, libstdc++6, libgcc-s1, libssl3, libargon2-1, libutf8proc2, libzxcvbn0, libqrencode4, libpng16-16, libjpeg62-turbo, libexpat1, libjansson4, libgmp10, libzip4, zlib1g, libzstd1, libisal2, liblcms2-2, libseccomp2, libfreetype6, libharfbuzz0b, libfribidi0, libfontconfig1, libheif1, libwebp7, libwebpdemux2, libtiff6, libqpdf29, libzxing2, libmicrohttpd12' \
    'Recommends: fonts-wqy-microhei, poppler-utils, libedit2, xdg-utils' 'Suggests: qvault-verify, tesseract-ocr, tesseract-ocr-chi-sim' <<'END'
Description: keep files in one encrypted file
 A vault keeps any number of files and folders in one encrypted and
 authenticated file, in a documented format. Saves cost the change and keep
 old versions; damage is told from tampering, and both from a wrong password;
 backups can be checked by machines that cannot read them.
END

# Help as a manual page: roff takes some characters for its own.
page() { LC_ALL=C "$@" | sed 's/\\/\\e/g; s/-/\\-/g; s/^[.'\'']/\\\&&/'; }
files=$root/qvault-verify
install -D -m 755 "$verify" "$files/usr/bin/qvault-verify"
reduce "$files/usr/bin/qvault-verify"
mkdir -p "$files/usr/share/man/man8"
{
    echo ".TH QVAULT\\-VERIFY 8 \"\" \"qvault $version\""
    printf '.SH NAME\nqvault\\-verify \\- check and repair vaults without a key\n.SH DESCRIPTION\n'
    for verb in '' verify repair 'parity add' serve; do
        [ -z "$verb" ] || echo ".SH $verb" | tr a-z A-Z
        echo .nf
        page "$verify" --lang en help $verb
        echo .fi
    done
    printf '.SH EXIT STATUS\n.nf\n'
    page "$qvault" --lang en help exit-codes
    echo .fi
    printf '.SH SEE ALSO\n.BR qvault (1)\n'
} > "$files/usr/share/man/man8/qvault-verify.8"
override qvault-verify '# It must run on any machine that keeps backups.' 'qvault-verify: statically-linked-binary *' \
    'qvault-verify: embedded-library *'
package qvault-verify 'Suggests: qvault' <<'END'
Description: check and repair encrypted backups without a key
 The part of qvault for machines that keep backups of vaults and must not be
 able to read them: it checks them, repairs damage by their parity and by
 other copies, and takes what "qvault push" sends. It is one program that
 depends on no library.
END
