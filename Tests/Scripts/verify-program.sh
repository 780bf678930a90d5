#!/bin/sh
# Compares qvault-verify with qvault: both report the same of the same files, and repair them to the same bytes.
# usage: verify-program.sh QVAULT-VERIFY QVAULT FOLDER
set -eu
verify=$1 qvault=$2 folder=$3
rm -rf "$folder"
mkdir -p "$folder"
cd "$folder"
export XDG_STATE_HOME="$PWD/state" QVAULT_PASSWORD_COMMAND='printf %s correct-horse-battery'
! ldd "$verify" > /dev/null 2>&1 || { echo "$verify needs libraries" && exit 1; }

head -c 3000000 /dev/urandom > file
"$qvault" pack file -o v.qvault 2> /dev/null
"$qvault" backup v.qvault -o whole.qvault --parity 20%
cp whole.qvault burst.qvault
dd if=/dev/urandom of=burst.qvault bs=1024 seek=900 count=200 conv=notrunc status=none
{ head -c 500000 whole.qvault && tail -c +500778 whole.qvault; } > displaced.qvault
head -c 1000000 whole.qvault > half.qvault

# Times are left out, and the program's name.
for file in whole burst displaced half; do
    set -- verify --keyless "$file.qvault"
    for program in "$verify" "$qvault"; do
        "$program" "$@" --json > result 2> said && code=0 || code=$?
        { echo "$code" && sed 's/"duration_ms":[0-9]*//g' result && sed 's/qvault-verify/qvault/g' said; } > "said.$(basename "$program")"
    done
    cmp "said.$(basename "$verify")" "said.$(basename "$qvault")"
done
for file in burst displaced; do
    "$verify" repair "$file.qvault" -o "$file.fixed" > /dev/null 2>&1
    cmp "$file.fixed" whole.qvault
done
# A backup without parity, to which qvault-verify adds it.
"$qvault" backup v.qvault -o plain.qvault --parity 0%
"$verify" parity add plain.qvault > /dev/null 2>&1
"$verify" verify --keyless plain.qvault > /dev/null
# The other side of a push.
printf '#!/bin/sh\ncd "%s/far" && exec "%s" serve .\n' "$PWD" "$verify" > ssh
chmod +x ssh
mkdir far
QVAULT_SSH="$PWD/ssh" "$qvault" push keeper:v.qvault -f v.qvault --create > /dev/null 2>&1
cmp v.qvault far/v.qvault
"$verify" --lang zh --help | grep -q 修复
"$verify" nothing > /dev/null 2>&1 && exit 1
echo "qvault-verify: says what qvault says; $(du -h "$verify" | cut -f 1)"
