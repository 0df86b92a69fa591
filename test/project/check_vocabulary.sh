#!/bin/sh
# Names and texts use the terms of docs/glossary.md: no word of retired_words.txt in sources, headers, tests and documents.
# Not searched: the glossary, which lists retired words; dated notes and the changelog; inputs that the fuzzer found; words
# of other languages; names of earlier revisions.
set -u
cd "$(dirname "$0")/../.."
passed=0
failed=0
list=test/project/retired_words.txt
found=$(mktemp)
trap 'rm -f "$found"' EXIT
files=$(find src include test bench papers scripts examples docs README.md ARCHITECTURE.md -type f \
    \( -name '*.[ch]' -o -name '*.def' -o -name '*.sh' -o -name '*.py' -o -name '*.md' -o -name '*.yaml' -o -path 'test/golden/*' \) \
    ! -path "$list" ! -path docs/glossary.md ! -path 'docs/notes/*' ! -path 'test/fuzz/corpus/*' ! -name 'reserved_words_*.def' ! -name same_bits.py)
tab=$(printf '\t')
while IFS=$tab read -r word term; do
    if grep -niE "(^|[^a-z])($word)([^a-z]|\$)" $files >"$found"; then
        failed=$((failed + 1))
        printf "failed: '%s' is retired; the glossary has: %s\n" "$word" "$term"
        head -n 10 "$found"
    else
        passed=$((passed + 1))
    fi
done <<END
$(grep -v '^#' "$list" | sed -E 's/  +/\t/')
END
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
