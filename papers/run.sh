#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Reproduce results of the papers and compare them with the printed ones: run every item of papers/items and write one page.
#   papers/run.sh [BUILD [OUTPUT [--small [NAME]]]]      writes OUTPUT/README.md; default of OUTPUT: BUILD/papers
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
build=${1:-$root/build}
build=$(cd "$build" && pwd) || exit 2
output=${2:-$build/papers}
small=${3:-}
only=${4:-}
mkdir -p "$output" || exit 1
output=$(cd "$output" && pwd)
export CARDAN="$build/cardan" OPENBLAS_NUM_THREADS=1
total=$(grep -c '^[^#]' "$root/papers/items")
number=0
failed=0
page=$output/README.md
printf '# Papers, reproduced\n\nWritten by `make papers` with %s on %s.\n' "$("$CARDAN" version | head -n 1)" \
    "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)" >"$page"

while IFS='|' read -r name paper what; do
    case $name in '#'* | '') continue ;; esac
    number=$((number + 1))
    [ -z "$only" ] || [ "$only" = "$name" ] || continue
    echo "[$number/$total] $paper, $what" >&2
    begin=$(date +%s)
    if [ -x "$root/papers/$name.sh" ]; then
        "$root/papers/$name.sh" "$output" ${small:+"$small"}
    else
        "$build/paper_$name" "$output" "$root/models" ${small:+"$small"}
    fi
    code=$?
    [ $code -eq 0 ] || failed=$((failed + 1))
    {
        printf '\n## Paper %s\n\n%s. %s s.\n\n' "$paper" "$what" "$(($(date +%s) - begin))"
        [ $code -eq 0 ] || printf 'Failed with exit code %s.\n\n' "$code"
        if [ -f "$output/$name.md" ]; then
            cat "$output/$name.md"
        else
            for svg in "$output/$name"*.svg; do
                [ -f "$svg" ] && printf '![%s](%s)\n\n' "$(basename "$svg" .svg)" "$(basename "$svg")"
            done
        fi
    } >>"$page"
done <"$root/papers/items"
echo "written: $page" >&2
[ "$failed" -eq 0 ]
