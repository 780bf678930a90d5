#!/bin/sh
# A vault beyond 4 GiB, and content of more than 2^40 bytes: packed, saved to, checked, backed up, damaged beyond 4 GiB, repaired,
# pushed, unpacked. It takes some 30 GiB of space. usage: large.sh QVAULT FOLDER
set -eu
qvault=$1 folder=$2
rm -rf "$folder"
mkdir -p "$folder"
cd "$folder"
trap 'rm -rf "$folder"' EXIT
export XDG_STATE_HOME="$PWD/state" QVAULT_PASSWORD_COMMAND='printf %s correct-horse-battery'
step() { echo "large: $*" && "$@"; }
# Bytes that are the same each time for a seed.
stream() { openssl enc -aes-128-ctr -nosalt -pass pass:"$1" -pbkdf2 -in /dev/zero 2> /dev/null | head -c "$2"; }

mkdir src
stream a 5000000000 > src/first
stream b 70000 > src/second
step "$qvault" pack src -o v.qvault
stream c 1000000 > third
step "$qvault" put -f v.qvault third
"$qvault" cat -f v.qvault third | cmp - third
"$qvault" cat -f v.qvault src/second | cmp - src/second
"$qvault" cat -f v.qvault src/first | cmp - src/first
rm -r src
step "$qvault" verify v.qvault
step "$qvault" backup v.qvault -o b.qvault
mkdir near
# Both pages of a copy may name the newest save, so the comparison skips the pages.
step "$qvault" push near/ -f v.qvault --create
cmp -i 131072 near/v.qvault v.qvault
stream d 1000000 > third
step "$qvault" put -f v.qvault third
step "$qvault" push near/ -f v.qvault
cmp -i 131072 near/v.qvault v.qvault
rm -r near v.qvault

sum=$(sha256sum < b.qvault)
dd if=/dev/urandom of=b.qvault bs=1M seek=4200 count=300 conv=notrunc status=none
"$qvault" verify --keyless b.qvault && exit 1 || [ $? = 4 ]
step "$qvault" repair b.qvault --in-place
[ "$(sha256sum < b.qvault)" = "$sum" ]
# Displaced: 777 bytes are lost near the beginning.
{ head -c 1000000000 b.qvault && tail -c +1000000778 b.qvault; } > d.qvault
rm b.qvault
step "$qvault" repair d.qvault -o r.qvault
[ "$(sha256sum < r.qvault)" = "$sum" ]
rm d.qvault r.qvault

truncate -s 1T holes
printf end >> holes
step "$qvault" pack holes -o h.qvault
step "$qvault" verify h.qvault
[ "$("$qvault" cat -f h.qvault holes --offset 1099511627776)" = end ]
step "$qvault" unpack h.qvault -o out
[ "$(tail -c 3 out/holes)" = end ] && [ "$(stat -c %s out/holes)" = 1099511627779 ]
echo "large: all as it was; $(stat -c %s h.qvault) bytes for 2^40 of holes"
