#!/bin/sh
# All tests with gcc, with clang, and with clang, AddressSanitizer, LeakSanitizer and UBSan; the tests of
# test/threads.list with ThreadSanitizer. The last line is the total "N passed, N failed" of all runs.
set -u
cd "$(dirname "$0")/.."
passed=0
failed=0
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# run PRESET FOLDER LIST: build and run the tests listed in LIST, or all tests if LIST is empty
run()
{
    echo "== $1"
    if cmake --preset "$1" >/dev/null && scripts/build.sh "$2" ${3:+--target $(test/support/programs.sh "$3")}; then
        test/run.sh "$2" ${3:+--list "$3"} | tee "$log"
        passed=$((passed + $(sed -nE '$s/^([0-9]+) passed, [0-9]+ failed(, .*)?$/\1/p' "$log")))
        failed=$((failed + $(sed -nE '$s/^[0-9]+ passed, ([0-9]+) failed(, .*)?$/\1/p' "$log")))
    else
        failed=$((failed + 1))
    fi
}
run release build ""
run clang build-clang ""
run sanitized build-sanitized ""
run tsan build-tsan test/threads.list
case " $(build/cardan version --parts | tr -s ' ') " in *"viewer in this build"*)
    echo "== long tests of the page"
    test/view/long_page.sh | tee "$log"
    passed=$((passed + $(sed -nE '$s/^([0-9]+) passed, .*/\1/p' "$log")))
    failed=$((failed + $(sed -nE '$s/.*, ([0-9]+) failed$/\1/p' "$log")))
esac
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
