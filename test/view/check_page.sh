#!/bin/sh
# The page of the viewer in Chromium: against a server of the test (web/test/page.test.mjs), and with `cardan view` and recordings
# (web/test/viewer.test.mjs).
set -u
cd "$(dirname "$0")/../.."
build=$(cd "${CARDAN_BUILD:-build}" && pwd)
if [ ! -x "${CHROMIUM:-/usr/bin/chromium}" ]; then
    echo "skipped: Chromium is not installed"
    exit 77
fi
log=$(mktemp)
trap 'rm -f "$log"' EXIT
CARDAN_TOOL="$build/cardan" node --test --test-concurrency=1 --test-reporter=tap "$build"/web/source/test/*.test.mjs >"$log" 2>&1
grep -E -A 12 '^(not ok|    not ok|Bail)' "$log"
passed=$(sed -n 's/^# pass //p' "$log")
failed=$(sed -n 's/^# fail //p' "$log")
[ -n "$passed" ] || { cat "$log"; passed=0 failed=1; }
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
