#!/bin/sh
# Builds all C of ours with AddressSanitizer and UBSan and runs its tests (Tests/CTests), one program a file. Fails where a
# header declares a function that no test calls. usage: c-tests.sh [FOLDER]
set -eu
cd "$(dirname "$0")/../.."
work=${1:-.build/c-tests}
bin=$(dirname "$(readlink -f "$(command -v swift)")")
libraries='libcrypto libargon2 libpng libjpeg lcms2 freetype2 harfbuzz fribidi fontconfig libseccomp libheif libwebp libwebpdemux
    libtiff-4 libqpdf zxing libqrencode libmicrohttpd zlib libzstd libisal jansson'
# Warnings and exceptions are those of Package.swift.
sanitizers=-fsanitize=address,undefined,float-cast-overflow
flags="-g -O1 $sanitizers -fno-sanitize-recover=all -Wall -Wextra -Wconversion -Wshadow -Werror
    -Wno-enum-float-conversion -Wno-missing-field-initializers -ISources -ISources/qvault-decode
    $(for folder in Sources/C*/include; do echo "-I$folder"; done)
    $(pkg-config --cflags $libraries | sed 's/-I/-isystem /g')"
rm -rf "$work"
mkdir -p "$work/run"

# Compiles one source. The program's main gets another name, so that a test can call it.
cat >"$work/compile" <<END
set -eu
object="$work/\$(echo "\$1" | tr / -).o"
compile() { $bin/clang $(echo $flags) -ISources/CImage "\$@"; }
case \$1 in
*.cpp) $bin/clang++ $(echo $flags) -std=c++17 -c "\$1" -o "\$object" ;;
Sources/qvault-decode/main.c) compile -Dmain=decode_main -c "\$1" -o "\$object" ;;
Sources/*) compile -c "\$1" -o "\$object" ;;
*)
    compile -c "\$1" -o "\$object"
    compile -O0 -fno-sanitize=all -S -emit-llvm "\$1" -o - | grep -v -E '^(declare|define) ' >"\$object.calls"
    ;;
esac
END
ls Sources/*/*.c Sources/*/*.cpp Tests/CTests/*.c | xargs -P "$(nproc)" -I SOURCE sh "$work/compile" SOURCE

# Every public function is called.
functions=$(/usr/bin/python3 Tests/Scripts/c-functions.py Sources/C*/include/*.h Sources/C*/shim.h Sources/qvault-decode/*.h)
cat "$work"/*.calls >"$work/calls"
for function in $functions; do
    grep -q "@$function\b" "$work/calls" || { echo "c tests: no test calls $function" && missing=1; }
done
[ -z "${missing:-}" ] || exit 1

programs=$(grep -l '^int main(' Tests/CTests/*.c)
tests=$(for program in $programs; do basename "$program" .c; done)
(cd "$work" && for program in $tests; do mv "Tests-CTests-$program.c.o" "$program.o"; done && ar rcs all.a Sources-*.o Tests-*.o)
for test in $tests; do
    "$bin/clang" $sanitizers -fuse-ld=lld "$work/$test.o" "$work/all.a" -Wl,--as-needed \
        $(pkg-config --libs $libraries) -lgmp -lm -lpthread -lstdc++ -o "$work/$test"
done

# Leaks are looked for where the system lets a process look at another.
options=exitcode=99:allocator_may_return_null=1
echo 'int main(void) { return 0; }' | "$bin/clang" -x c -fsanitize=address -fuse-ld=lld - -o "$work/nothing"
if ! ASAN_OPTIONS=detect_leaks=1 "$work/nothing" 2>"$work/nothing.log"; then
    echo 'skipped: leaks, since LeakSanitizer does not run here'
    options=$options:detect_leaks=0
fi
export ASAN_OPTIONS="$options" UBSAN_OPTIONS="$options:print_stacktrace=1"
echo "$tests" | xargs -P "$(nproc)" -I TEST sh -c "cd '$work/run' && ../TEST >../TEST.log 2>&1 || touch ../TEST.failed"
for test in $tests; do
    [ -e "$work/$test.failed" ] || continue
    echo "$test:"
    tail -40 "$work/$test.log"
    failed=1
done
cat "$work"/*.log | grep '^skipped: ' || true
[ -z "${failed:-}" ] || exit 1
checks=$(cat "$work"/*.log | sed -n 's/^[a-z_0-9]*: \([0-9]*\) checks$/\1/p' | awk '{ sum += $1 } END { print sum }')
echo "c tests: $(echo "$functions" | wc -l) functions, $checks checks"
