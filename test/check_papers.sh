#!/bin/sh
# `make papers` at small sizes: every row of papers/items runs, and its tables hold what was measured.
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
build=${CARDAN_BUILD:-build}
passed=0
failed=0
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

check() { # what, command ...
    what=$1
    shift
    if "$@"; then passed=$((passed + 1)); else
        failed=$((failed + 1))
        echo "not true: $what"
    fi
}

check "papers/run.sh ends well" "$root/papers/run.sh" "$build" "$scratch" --small 2>"$scratch/log"
page=$scratch/README.md
for name in $(sed -n 's/^\([^#|]*\)|.*/\1/p' "$root/papers/items"); do
    check "$name is on the page" grep -q "$name" "$page"
    check "$name draws" sh -c "ls '$scratch/$name'*.svg >'$scratch/list'"
done
check "every picture of the page is there" sh -c "sed -n 's/.*](\(.*\.svg\))/\1/p' '$page' | while read -r f; do [ -s '$scratch'/\$f ] || exit 1; done"
check "coordinates and constraints of Table 2" sh -c "
    for size in '42 + 40' '54 + 50' '120 + 60' '240 + 120' '102 + 92'; do grep -q \"| \$size |\" '$scratch/000_table2.md' || exit 1; done"
check "every row was measured" awk -F, 'NR > 1 && !($8 > 0 && $5 > 0 && $6 >= $5) { print; bad = 1 } END { exit bad }' "$scratch/000_table2.csv"
check "drift at acceleration level, none at velocity level" awk -F, '
    NR == 1 { for (i = 1; i <= NF; ++i) at[$i] = i } NR > 1 { a = $at["gap_acceleration"]; v = $at["gap_velocity"]; if (v > 5e-6) bad = 1 }
    END { exit bad || !(a > 1e-5) || !(v < a / 10) }' "$scratch/004_fig5.csv"
check "both solutions of the five-bar" awk -F, 'NR > 1 { d = $2 - $4; if (d * d > 1e-10) bad = 1 } END { exit bad || NR < 50 }' "$scratch/004_fig8.csv"
check "ladders move alike" awk -F, 'NR > 1 { for (i = 4; i <= 9; ++i) { d = $i - $(2 + i % 2); if (d * d > 1e-12) bad = 1 } } END { exit bad || NR < 40 }' "$scratch/004_fig10.csv"
check "reduction is linear, and right" awk -F, '$1 == "reduction" { if ($7 > 1e-11) bad = 1; n[$2] = $5 } END { exit bad || !(n[4] - n[2] < 2.2 * (n[2] - n[1])) }' "$scratch/004_fig11.csv"
[ "$failed" -eq 0 ] || cat "$scratch/log"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
