#!/bin/sh
# Holds the imports of every module against the layers (README, "The code"): each depends only on those above it.
set -eu
cd "$(dirname "$0")/.."
fail=0

# allow MODULE 'pattern of modules that it may import'
allow() {
    found=$(grep -hoE '^ *((@_exported|public|package|internal|private|@testable) )*import [A-Za-z0-9_]+' -r --include='*.swift' "Sources/$1" |
        sed 's/.*import //' | sort -u | grep -vxE "$2" || true)
    [ -z "$found" ] || { echo "Sources/$1 must not import: $(echo $found)"; fail=1; }
}

allow VaultCrypto 'COpenSSL|CUTF8Proc|CZxcvbn|CSystem|Synchronization'
allow VaultFormat 'VaultCrypto'
allow VaultStore 'VaultCrypto|VaultFormat|CSystem|Dispatch|Synchronization|Glibc|Musl|Darwin'
allow VaultRecords 'Watermark|VaultCrypto|VaultFormat|VaultStore|CImage|CUTF8Proc|CExpat|CJansson|CZlib'
allow Watermark 'VaultCrypto|VaultFormat|CImage'
allow QuickVault 'VaultRecords|VaultCrypto|VaultFormat|VaultStore|Dispatch|Synchronization'
allow vault-bench 'VaultRecords|VaultCrypto|VaultFormat|VaultStore|Dispatch|Glibc'
allow qvault 'Watermark|VaultRecords|VaultCrypto|VaultFormat|VaultStore|CSystem|CUTF8Proc|CQRencode|CPNG|Glibc|Synchronization'

# The system's own calls: in CSystem, in three files of VaultStore, and in the command.
only() {
    found=$(grep -lE "import ($1)$" -r Sources | grep -vE "$2" || true)
    [ -z "$found" ] || { echo "import of $1 outside its place: $found"; fail=1; }
}
only 'Glibc|Musl|Darwin' '^Sources/(qvault/|vault-bench/|VaultStore/System(FileSystem|File|Folder).swift)'
only 'COpenSSL' '^Sources/VaultCrypto/'
only 'CZxcvbn' '^Sources/VaultCrypto/'
only 'CQRencode|CPNG' '^Sources/qvault/QRCode.swift'
only 'CUTF8Proc' '^Sources/(VaultCrypto/|VaultRecords/Folding.swift|qvault/Language.swift)'
only 'CImage' '^Sources/(VaultRecords/Picture.swift|Watermark/)'
only 'CExpat|CJansson|CZlib' '^Sources/VaultRecords/'
only 'Foundation|FoundationEssentials' '^$'

[ "$fail" -eq 0 ] && echo "layers hold"
exit "$fail"
