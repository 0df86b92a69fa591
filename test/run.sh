#!/bin/sh
# Run the tests of a build folder by ctest, one per core at a time. The last line is "N passed, N failed", the sums over all
# checks of all tests, and ", N skipped" if the build has not all parts.
# Usage: test/run.sh [build-folder [name-pattern]], or test/run.sh build-folder --list FILE for the tests listed in FILE,
# or test/run.sh build-folder --label fast|full
set -u
cd "$(dirname "$0")/.."
build=${1:-build}
[ "$#" -eq 0 ] || shift
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir -m 700 "$scratch/counts" "$scratch/cache"
export CARDAN_TEST_COUNTS="$scratch/counts" CARDAN_CACHE="$scratch/cache"

names=
case ${1:-} in
--list)
    names=$(sed 's/#.*//' "$2" | tr -s ' ' '\n' | grep .)
    set -- -R "^($(echo "$names" | paste -sd '|'))\$"
    ;;
--label) set -- -L "$2" ;;
?*) set -- -R "$1" ;;
esac
ctest --test-dir "$build" -j "$(nproc)" --no-tests=error --output-on-failure "$@"
code=$?

count() { cat "$scratch/counts"/* 2>/dev/null | awk -v column="$1" '{sum += $column} END {print sum + 0}'; }
passed=$(count 1)
failed=$(count 2)
skipped=$(count 3)
for name in $names; do # a test that is not built has no counts
    [ -e "$scratch/counts/$name" ] || { echo "FAILED $name: it is not built"; failed=$((failed + 1)); }
done
[ "$code" -eq 0 ] || [ "$failed" -ne 0 ] || failed=1
more=
[ "$skipped" -eq 0 ] || more=", $skipped skipped"
echo "$passed passed, $failed failed$more"
[ "$failed" -eq 0 ]
