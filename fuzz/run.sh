#!/bin/sh
# Builds the fuzz targets with AddressSanitizer and runs each for TIME seconds from the checked-in seeds; then says how
# much of VaultFormat and VaultStore the corpora that were found reach. What breaks is kept in .build/fuzz/found.
# usage: fuzz/run.sh [TIME [TARGET…]]
set -eu
cd "$(dirname "$0")/.."
time=${1:-60}
[ $# -gt 0 ] && shift
targets=${*:-page commit manifest cbor record file paths store wreck texts}
export SWIFT_BACKTRACE=enable=no ASAN_OPTIONS=symbolize=0:detect_leaks=0:allocator_may_return_null=1
work=.build/fuzz
mkdir -p $work/found

QUICKVAULT_FUZZ='-sanitize=fuzzer,address' swift build -c release --product vault-fuzz --scratch-path $work/asan 2>&1 | tail -1
fuzzer=$work/asan/release/vault-fuzz
for target in $targets; do
    mkdir -p $work/corpus/$target
    before=$(ls $work/found | wc -l)
    log=$work/$target.log
    "$fuzzer" $target -max_total_time="$time" -rss_limit_mb=1024 -timeout=20 -max_len=20000 -len_control=20 -dict=fuzz/vault.dict -use_value_profile=1 \
        -print_final_stats=1 -artifact_prefix=$work/found/$target- $work/corpus/$target fuzz/seeds/$target >$log 2>&1 || true
    found=$(($(ls $work/found | wc -l) - before))
    printf '%-9s %9s executions, %5s inputs kept, peak %4s MiB, %s found\n' $target \
        "$(sed -n 's/stat::number_of_executed_units: *//p' $log)" "$(ls $work/corpus/$target | wc -l)" \
        "$(sed -n 's/stat::peak_rss_mb: *//p' $log)" $found
    [ "$found" -eq 0 ] || { tail -20 $log; failed=1; }
done

QUICKVAULT_FUZZ='-sanitize=fuzzer -profile-generate -profile-coverage-mapping' \
    swift build -c release --product vault-fuzz --scratch-path $work/coverage 2>&1 | tail -1
for target in $targets; do
    LLVM_PROFILE_FILE=$work/$target.profraw $work/coverage/release/vault-fuzz $target -runs=0 \
        $work/corpus/$target fuzz/seeds/$target >/dev/null 2>&1 || true
done
bin=$(dirname "$(readlink -f "$(command -v swift)")")
"$bin/llvm-profdata" merge -o $work/all.profdata $work/*.profraw
"$bin/llvm-cov" report $work/coverage/release/vault-fuzz -instr-profile=$work/all.profdata Sources/VaultFormat Sources/VaultStore |
    awk 'NR == 1 || /swift|TOTAL/ { printf "%-34s %10s %10s\n", $1, $4, $10 }'
exit ${failed:-0}
