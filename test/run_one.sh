#!/bin/sh
# Run one test program or script, as ctest does (test/CMakeLists.txt). The exit code is 0 if the test ends with exit code 0
# and its last count is "N passed, 0 failed" with N > 0. The counts are stored in the folder $CARDAN_TEST_COUNTS if it is set.
# A test that needs a part (test/parts.list) which the build has not ($CARDAN_MISSING_PARTS) is skipped, with exit code 77;
# so is a test of which all checks are skipped ("skipped: ...", test/support).
# Usage: test/run_one.sh PROGRAM
set -u
cd "$(dirname "$0")/.."
name=$(basename "$1" .sh)
for part in $(sed -n "s/^$name  *//p" test/parts.list); do
    case " ${CARDAN_MISSING_PARTS:-} " in *" $part "*)
        [ -z "${CARDAN_TEST_COUNTS:-}" ] || echo "0 0 1" >"$CARDAN_TEST_COUNTS/$name"
        echo "skipped $name: it needs $part, which is not in this build"
        exit 77
    esac
done
export OPENBLAS_NUM_THREADS=1
export ASAN_OPTIONS="${ASAN_OPTIONS:-detect_leaks=1:allow_addr2line=1}"
export UBSAN_OPTIONS="${UBSAN_OPTIONS:-print_stacktrace=1:allow_addr2line=1}"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
"$1" >"$log" 2>&1
code=$?
line=$(grep -E '^[0-9]+ passed, [0-9]+ failed$' "$log" | tail -n 1)
passed=$(echo "${line:-0 passed, 1 failed}" | cut -d' ' -f1)
failed=$(echo "${line:-0 passed, 1 failed}" | cut -d' ' -f3)
skipped=$(grep -c '^skipped: ' "$log")
[ "$code" -eq 0 ] || [ "$code" -eq 77 ] || [ "$failed" -ne 0 ] || failed=1
[ "$passed" -ne 0 ] || [ "$skipped" -ne 0 ] || [ "$failed" -ne 0 ] || failed=1
[ -z "${CARDAN_TEST_COUNTS:-}" ] || echo "$passed $failed $skipped" >"$CARDAN_TEST_COUNTS/$name"
if [ "$failed" -ne 0 ]; then
    echo "FAILED $name (exit code $code)"
    tail -n 40 "$log"
elif [ "$skipped" -ne 0 ]; then
    grep '^skipped: ' "$log" | sort | uniq -c | head -n 20
    echo "ok     $name ($passed, $skipped skipped)"
    [ "$passed" -ne 0 ] || exit 77
else
    echo "ok     $name ($passed)"
fi
[ "$failed" -eq 0 ]
