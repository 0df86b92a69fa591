#!/bin/sh
# Files have at most 600 lines, functions at most 120, lines at most 132 characters (.clang-format: 120 except for
# texts); the sources contain no large files. The structs of a run have at most 30 fields, and one
# evaluation and one step 30 lines each.
set -u
cd "$(dirname "$0")/../.."
passed=0
failed=0
for file in $(find src include test bench papers -name '*.[ch]'); do
    lines=$(wc -l <"$file")
    case "$file" in *.h) functions=0 ;; *) functions=1 ;; esac  # declarations of headers are not functions
    longest=$(awk '/^[A-Za-z].*\)$/ {start = NR} /^}/ {if (start && NR - start > most) most = NR - start; start = 0} END {print most + 0}' "$file")
    widest=$(awk '{if (length($0) > most) most = length($0)} END {print most + 0}' "$file")
    if [ "$lines" -gt 600 ] || [ $((functions * longest)) -gt 120 ] || [ "$widest" -gt 132 ]; then
        failed=$((failed + 1))
        echo "failed: $file has $lines lines, its longest function $longest, its widest line $widest characters"
    else
        passed=$((passed + 1))
    fi
done
for file in $(find . \( -name .git -o -name 'build*' -o -name results \) -prune -o -type f -size +300k -print); do
    failed=$((failed + 1))
    echo "failed: $file has more than 300 kB"
done
expect_at_most() { # NAME NUMBER MOST
    if [ "$2" -gt 0 ] && [ "$2" -le "$3" ]; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "failed: $1: $2, at most $3"; fi
}
fields() { # STRUCT FILE: number of members, without comments and parameters of functions
    sed -n "/struct $1 {/,/^}/p" "$2" | sed '1d; $d; s|//.*||; s|([^()]*)||g' | tr -cd ';,' | wc -c
}
expect_at_most "fields of cardan_data" "$(fields cardan_data src/dynamics/data.h)" 30
expect_at_most "fields of cd_simulation" "$(fields cd_simulation src/simulation/simulation.h)" 30
expect_at_most "fields of cd_ode_system" "$(fields cd_ode_system src/simulation/ode/ode_system.h)" 30
expect_at_most "lines of advance" "$(sed -n '/^static cardan_status advance(/,/^}/p' src/simulation/simulate.c | wc -l)" 30
expect_at_most "lines of cd_accelerate" "$(sed -n '/^cardan_status cd_accelerate(/,/^}/p' src/dynamics/accelerate.c | wc -l)" 30
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
