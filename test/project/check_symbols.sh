#!/bin/sh
# Every exported symbol of the library begins with cardan_ or cd_, and the library has no writable global data.
set -u
cd "$(dirname "$0")/../.."
library=${CARDAN_BUILD:-build}/libcardan.a
passed=0
failed=0
expect_none() { # NAME LINES: passes if LINES is empty
    if [ -z "$2" ]; then passed=$((passed + 1)); else failed=$((failed + 1)); printf 'failed: %s\n%s\n' "$1" "$2"; fi
}
expect_none "prefixes" "$(nm -g --defined-only "$library" | awk 'NF == 3 {print $3}' | grep -vE '^(cardan_|cd_|__asan|__odr|__ubsan|__tsan)')"
expect_none "no writable globals" "$(objdump -t "$library" | awk '$3 == "O" || $3 == ".data" || $3 == ".bss" {print}' | grep -E '[[:space:]]O (\.data|\.bss)[[:space:]]' | grep -vE '__asan|__odr|__unnamed_|ubsan|\.L')"  # except data of sanitizers
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
