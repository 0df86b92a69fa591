#!/bin/sh
# Every symbol the library exports begins with cardan_ or cd_; it has no writable globals.
set -u
cd "$(dirname "$0")/../.."
library=${CARDAN_BUILD:-build}/libcardan.a
passed=0
failed=0
judge() {
    if [ -z "$2" ]; then passed=$((passed + 1)); else failed=$((failed + 1)); printf 'failed: %s\n%s\n' "$1" "$2"; fi
}
judge "prefixes" "$(nm -g --defined-only "$library" | awk 'NF == 3 {print $3}' | grep -vE '^(cardan_|cd_|__asan|__odr|__ubsan|__tsan)')"
judge "no writable globals" "$(objdump -t "$library" | awk '$3 == "O" || $3 == ".data" || $3 == ".bss" {print}' | grep -E '[[:space:]]O (\.data|\.bss)[[:space:]]' | grep -vE '__asan|__odr|__unnamed_|ubsan|\.L')"  # sanitizers make data of their own
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
