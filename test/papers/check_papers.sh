#!/bin/sh
# `make papers` at small sizes: every item of papers/items runs, and its tables contain the published or reference
# values.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
build=${CARDAN_BUILD:-build}
passed=0
failed=0
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

check() { # NAME COMMAND...
    what=$1
    shift
    if "$@"; then passed=$((passed + 1)); else
        failed=$((failed + 1))
        echo "failed: $what"
    fi
}

check "exit code of papers/run.sh" "$root/papers/run.sh" "$build" "$scratch" --small 2>"$scratch/log"
page=$scratch/README.md
for name in $(sed -n 's/^\([^#|]*\)|.*/\1/p' "$root/papers/items"); do
    check "$name is on the page" grep -q "$name" "$page"
    check "$name draws" sh -c "ls '$scratch/$name'*.svg >'$scratch/list'"
done
check "every picture of the page exists" sh -c "sed -n 's/.*](\(.*\.svg\))/\1/p' '$page' | while read -r f; do [ -s '$scratch'/\$f ] || exit 1; done"
check "coordinates and constraints of Table 2" sh -c "
    for size in '42 + 40' '54 + 50' '120 + 60' '240 + 120' '102 + 92'; do grep -q \"| \$size |\" '$scratch/000_table2.md' || exit 1; done"
check "all values of Table 2 are positive" awk -F, 'NR > 1 && !($8 > 0 && $5 > 0 && $6 >= $5) { print; bad = 1 } END { exit bad }' "$scratch/000_table2.csv"
check "drift of one free link of paper 001" grep -q '| one free link, ours | | | 7.763e-03 | 1.289e-02 | 1.744e-02 |' "$scratch/001_tables.md"
check "every iteration reduces the violation of the chains by half" awk -F, '$1 == "square chain" && !($5 < $4 / 2 && $6 < $5 / 2) { print; bad = 1 } END { exit bad }' "$scratch/001_tables.csv"
check "counts of paper 002" awk -F, '$1 == "Gauss" && $2 == 27391 || $1 == "augmented-last" && $2 == 4065 || $1 == "augmented-dense" && $2 == 15050 || $1 == "augmented" && $2 == 2656 { ++n }
    $1 == "embedding" && $2 <= 1100 { ++n } END { exit n != 5 }' "$scratch/002_tables.csv"
check "generated code of the vehicle of paper 002" awk -F, '$1 == "generated motion" && $2 > 1000 && $2 <= 6800 { ++n } /^whole evaluation/ && $3 > 0 { ++n } END { exit n != 5 }' "$scratch/002_tables.csv"
check "drift at acceleration level, no drift at velocity level" awk -F, '
    NR == 1 { for (i = 1; i <= NF; ++i) at[$i] = i } NR > 1 { a = $at["gap_acceleration"]; v = $at["gap_velocity"]; if (v > 5e-6) bad = 1 }
    END { exit bad || !(a > 1e-5) || !(v < a / 10) }' "$scratch/004_fig5.csv"
check "sizes of paper 003" sh -c "grep -q '| impl | 8812 | 8427 | 72435 |' '$scratch/003_study.md' && grep -q '| exp2-o | 6412 | 6027 | 62519 | 35286 | 35286 |' '$scratch/003_study.md'"
check "second cost of paper 003: every form solves, at one cost" awk -F, '
    NR == 1 { for (i = 1; i <= NF; ++i) at[$i] = i } NR > 1 && $at["rate"] > 0 { if ($at["status"] != "ok") bad = 1; key = $at["phi"]; if (!(key in cost)) cost[key] = $at["cost"]
        d = $at["cost"] / cost[key] - 1; if (d * d > 1e-12) bad = 1; ++n } END { exit bad || n != 12 }' "$scratch/003_study.csv"
check "both solutions of the five-bar" awk -F, 'NR > 1 { d = $2 - $4; if (d * d > 1e-10) bad = 1 } END { exit bad || NR < 50 }' "$scratch/004_fig8.csv"
check "equal motion of ladders" awk -F, 'NR > 1 { for (i = 4; i <= 9; ++i) { d = $i - $(2 + i % 2); if (d * d > 1e-12) bad = 1 } } END { exit bad || NR < 40 }' "$scratch/004_fig10.csv"
check "linear operation count and accuracy of reduction" awk -F, '$1 == "reduction" { if ($7 > 1e-11) bad = 1; n[$2] = $5 } END { exit bad || !(n[4] - n[2] < 2.2 * (n[2] - n[1])) }' "$scratch/004_fig11.csv"
[ "$failed" -eq 0 ] || cat "$scratch/log"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
