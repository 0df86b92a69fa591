#!/bin/sh
# Every external symbol of the static library begins with cardan_ or cd_, and the library has no writable global data. The
# shared library exports the functions of the public headers, all of them and nothing else.
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
shared=${CARDAN_BUILD:-build}/libcardan.so
if [ -e "$shared" ]; then
    scratch=$(mktemp -d)
    trap 'rm -rf "$scratch"' EXIT
    nm -D --defined-only "$shared" | awk 'NF == 3 {print $3}' | grep -vE '^(__asan|__odr|__ubsan|__tsan)' | sort -u >"$scratch/exported"
    expect_none "only cardan_* is exported" "$(grep -v '^cardan_' "$scratch/exported")"
    for header in include/cardan/*.h; do echo "#include <cardan/$(basename "$header")>"; done >"$scratch/all.c"
    cc -std=c17 -E -P -Iinclude "$scratch/all.c" | tr '\n' ' ' | sed 's/static inline [^{]*{[^}]*}//g; s/;/;\n/g' |
        grep -v '(\*cardan_' | grep -oE '\bcardan_[a-z_0-9]+ ?\([^*]' | grep -oE '^cardan_[a-z_0-9]+' | sort -u >"$scratch/declared"
    expect_none "exported, but not in a header" "$(comm -23 "$scratch/exported" "$scratch/declared")"
    expect_none "in a header, but not exported" "$(comm -13 "$scratch/exported" "$scratch/declared")"
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
