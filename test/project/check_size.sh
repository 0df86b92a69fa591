#!/bin/sh
# Pages stay short enough to read: files up to 600 lines, functions up to 120, lines up to 132 characters (120 but for texts; .clang-format). And nothing that a build made lies among the sources.
set -u
cd "$(dirname "$0")/../.."
passed=0
failed=0
for file in $(find src include test bench papers -name '*.[ch]'); do
    lines=$(wc -l <"$file")
    case "$file" in *.h) functions=0 ;; *) functions=1 ;; esac  # declarations of a header are no function
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
    echo "failed: $file has more than 300 kB, which no source has"
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
