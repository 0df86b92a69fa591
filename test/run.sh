#!/bin/sh
# Run all test programs of a build folder and the script tests, from the root of the repository.
# The last line of each test, and of this script, is "N passed, N failed".
# Usage: test/run.sh [build-folder [name-pattern]], or test/run.sh build-folder --list FILE for the tests listed in FILE
set -u
cd "$(dirname "$0")/.."
build=${1:-build}
pattern=${2:-}
list=
if [ "$pattern" = --list ]; then
    list=" $(sed 's/#.*//' "$3" | tr '\n' ' ') "
    pattern=
fi
passed=0
failed=0
export CARDAN_BUILD="$build" OPENBLAS_NUM_THREADS=1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export CARDAN_CACHE="$scratch/cache"
export ASAN_OPTIONS="${ASAN_OPTIONS:-detect_leaks=1:allow_addr2line=1}"
export UBSAN_OPTIONS="${UBSAN_OPTIONS:-print_stacktrace=1:allow_addr2line=1}"

for program in "$build"/test/test_* "$build"/test/battery_* $(find test -name 'check_*.sh' | sort); do
    [ -x "$program" ] || continue
    case "$program" in *"$pattern"*) ;; *) continue ;; esac
    name=$(basename "$program")
    [ -z "$list" ] || case "$list" in *" ${name%.sh} "*) ;; *) continue ;; esac
    "$program" >"$scratch/log" 2>&1
    code=$?
    line=$(grep -E '^[0-9]+ passed, [0-9]+ failed$' "$scratch/log" | tail -n 1)
    p=$(echo "$line" | cut -d' ' -f1)
    f=$(echo "$line" | cut -d' ' -f3)
    [ -n "$line" ] || { p=0; f=1; }
    [ "$code" -ne 0 ] && [ "$f" -eq 0 ] && f=1
    passed=$((passed + p))
    failed=$((failed + f))
    if [ "$f" -ne 0 ]; then
        echo "FAILED $name (exit code $code)"
        tail -n 40 "$scratch/log"
    else
        echo "ok     $name ($p)"
    fi
done
for name in $list; do
    [ -x "$build/test/$name" ] || [ -n "$(find test -name "$name.sh")" ] || { echo "FAILED $name: it is not built"; failed=$((failed + 1)); }
done
if [ $((passed + failed)) -eq 0 ]; then
    echo "no test in $build or test/ has '$pattern' in its name, or nothing is built there" >&2
    failed=1
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
