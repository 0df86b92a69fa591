#!/bin/sh
# Browser tests that take long, for `make test-all`: every model and robot pulled for five seconds and posed, and an hour of motion with bounded
# memory. The last line is "N passed, N failed".
set -u
cd "$(dirname "$0")/../.."
build=$(cd "${CARDAN_BUILD:-build}" && pwd)
export CARDAN_TOOL="$build/cardan" CARDAN_PULL_ALL=1
log=$(mktemp)
trap 'rm -f "$log"' EXIT
node --test --test-reporter=tap "$build/web/source/test/models.test.mjs" >"$log" 2>&1
grep -E -A 12 '^not ok' "$log"
passed=$(sed -n 's/^# pass //p' "$log")
failed=$(sed -n 's/^# fail //p' "$log")
node "$build/web/source/test/long_play.mjs" | tee "$log"
passed=$((${passed:-0} + $(sed -nE '$s/^([0-9]+) passed.*/\1/p' "$log")))
failed=$((${failed:-1} + $(sed -nE '$s/.* ([0-9]+) failed$/\1/p' "$log")))
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
