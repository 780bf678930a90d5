#!/bin/sh
# Builds the fuzz targets with AddressSanitizer, and C with UBSan too; runs each for TIME seconds from the checked-in seeds;
# then says how much of VaultFormat and VaultStore the corpora that were found reach. What breaks is kept in .build/fuzz/found.
# usage: fuzz/run.sh [TIME [TARGET…]]
set -eu
cd "$(dirname "$0")/.."
time=${1:-60}
[ $# -gt 0 ] && shift
targets=${*:-page commit manifest cbor record frames pieces file paths store wreck parity texts jpeg png imports queries}
export SWIFT_BACKTRACE=enable=no ASAN_OPTIONS=symbolize=0:detect_leaks=0:allocator_may_return_null=1
work=.build/fuzz
mkdir -p $work/found

seeds() { [ ! -d "fuzz/seeds/$1" ] || echo "fuzz/seeds/$1"; }

# build FLAGS NAME
build() {
    QUICKVAULT_FUZZ=$1 swift build -c release --product vault-fuzz --scratch-path $work/$2 >$work/build.log 2>&1 || {
        tail -20 $work/build.log
        exit 1
    }
}

build '-sanitize=fuzzer,address' asan
fuzzer=$work/asan/release/vault-fuzz
# Pictures are their own seeds: small ones of every kind, and the public ones where `make corpora` was run.
mkdir -p $work/pictures $work/corpus/png $work/corpus/jpeg
/usr/bin/python3 Tests/Scripts/pictures.py $work/pictures
cp $work/pictures/*.png $work/corpus/png/
/usr/bin/python3 Tests/Scripts/pictures.py $work/pictures 61 43
for options in -baseline -progressive -arithmetic -grayscale "-restart 1" "-sample 2x1" "-sample 1x1" "-quality 5"; do
    /usr/bin/python3 -c 'import sys; sys.stdout.buffer.write(b"P6 61 43 255 " + bytes(i * 7 & 255 for i in range(61 * 43 * 3)))' |
        cjpeg $options 2>/dev/null >"$work/corpus/jpeg/$(echo "$options" | tr -c 'a-z0-9\n' _)"
done
for kind in jpeg png; do
    [ -d .build/corpora/$kind ] && find .build/corpora/$kind -type f -size -20k -exec cp {} $work/corpus/$kind/ \;
done

for target in $targets; do
    mkdir -p $work/corpus/$target
    before=$(ls $work/found | wc -l)
    log=$work/$target.log
    "$fuzzer" $target -max_total_time="$time" -rss_limit_mb=1024 -timeout=20 -max_len=20000 -len_control=20 -dict=fuzz/vault.dict -use_value_profile=1 \
        -print_final_stats=1 -artifact_prefix=$work/found/$target- $work/corpus/$target $(seeds $target) >$log 2>&1 || true
    found=$(($(ls $work/found | wc -l) - before))
    printf '%-9s %9s executions, %5s inputs kept, peak %4s MiB, %s found\n' $target \
        "$(sed -n 's/stat::number_of_executed_units: *//p' $log)" "$(ls $work/corpus/$target | wc -l)" \
        "$(sed -n 's/stat::peak_rss_mb: *//p' $log)" $found
    [ "$found" -eq 0 ] || { tail -20 $log; failed=1; }
done

# The operators of a PDF page: C of a program of its own.
mkdir -p $work/corpus/content
bin=$(dirname "$(readlink -f "$(command -v swift)")")
"$bin/clang" -g -O1 -fsanitize=fuzzer,address,undefined,float-cast-overflow -fno-sanitize-recover=all -fuse-ld=lld \
    -ISources/qvault-decode -ISources/CImage/include fuzz/content.c Sources/qvault-decode/content.c -o $work/content
printf 'q 595 0 0 842 0 0 cm /Im0 Do Q BT 3 Tr /F1 10 Tf 5 7 Td (a (b) \\)) Tj <41> Tj [(a) 3] TJ ET %% c\n' >$work/corpus/content/scan
$work/content -max_total_time="$time" -timeout=20 -max_len=2000 -print_final_stats=1 -artifact_prefix=$work/found/content- \
    $work/corpus/content >$work/content.log 2>&1 || failed=1
printf '%-9s %9s executions\n' content "$(sed -n 's/stat::number_of_executed_units: *//p' $work/content.log)"

build '-sanitize=fuzzer -profile-generate -profile-coverage-mapping' coverage
for target in $targets; do
    LLVM_PROFILE_FILE=$work/$target.profraw $work/coverage/release/vault-fuzz $target -runs=0 \
        $work/corpus/$target $(seeds $target) >/dev/null 2>&1 || true
done
"$bin/llvm-profdata" merge -o $work/all.profdata $work/*.profraw
"$bin/llvm-cov" report $work/coverage/release/vault-fuzz -instr-profile=$work/all.profdata Sources/VaultFormat Sources/VaultStore |
    awk 'NR == 1 || /swift|TOTAL/ { printf "%-34s %10s %10s\n", $1, $4, $10 }'
exit ${failed:-0}
