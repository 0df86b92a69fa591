#!/bin/sh
# The source tree stays readable: at most 30 sources and headers in a folder of src, no base name twice, a test folder for
# every folder of src that has tests; ARCHITECTURE.md has at most 250 lines of at most 110 characters.
set -u
cd "$(dirname "$0")/../.."
passed=0
failed=0
judge() { # NAME OFFENDERS
    if [ -z "$2" ]; then passed=$((passed + 1)); else failed=$((failed + 1)); printf 'failed: %s\n%s\n' "$1" "$2"; fi
}
judge "a folder of src has at most 30 .c and .h files" "$(find src -name '*.[ch]' | sed 's,/[^/]*$,,' | sort | uniq -c | awk '$1 > 30')"
judge "a base name occurs once" "$(find src -name '*.[ch]' | sed 's,.*/,,' | sort | uniq -d)"
judge "test mirrors src" "$(for d in test/*/; do
    case $(basename "$d") in api | models | papers | project | support | golden | data | fuzz) continue ;; esac
    [ -d "src/$(basename "$d")" ] || echo "$d"
done)"
judge "a test has a name of its own" "$(find test \( -name 'test_*.c' -o -name 'battery_*.c' -o -name 'check_*.sh' \) | sed 's,.*/,,' | sort | uniq -d)"
judge "ARCHITECTURE.md has at most 250 lines" "$(awk 'END {if (NR > 250) print NR " lines"}' ARCHITECTURE.md)"
judge "ARCHITECTURE.md has at most 110 characters in a line" "$(LC_ALL=C.UTF-8 awk 'length($0) > 110 {print FILENAME ":" NR ": " length($0) " characters"}' ARCHITECTURE.md)"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
