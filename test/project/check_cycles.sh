#!/bin/sh
# At most three source files of a folder of src (with its subfolders) call each other in a cycle: the calls, read from the
# objects of the build folder by call_cycles.py, have no strongly connected component of more than three files.
# Rule: a reference to a function counts, in code (a call, a function given as argument) and in tables of functions.
# Exempt are descriptors (data symbols) and the tables of files that include a .def file: their entries are registrations.
set -u
cd "$(dirname "$0")/../.."
root=$PWD
build=${CARDAN_BUILD:-build}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
passed=0
failed=0
expect() { # NAME EXPECTED ACTUAL TEXT: passes if the exit code ACTUAL is EXPECTED
    if [ "$2" -eq "$3" ]; then passed=$((passed + 1)); else failed=$((failed + 1)); printf 'failed: %s\n%s\n' "$1" "$4"; fi
}
text=$(python3 test/project/call_cycles.py "$build" 2>&1)
expect "cycles of calls" 0 $? "$text"

# the analysis itself: p calls q, q calls r, r refers to s in the way under test, s calls p
cycle() { # NAME EXPECTED SOURCE-OF-R
    mkdir -p "$scratch/src/cycle"
    (
        cd "$scratch" || exit
        echo 'void q(void); void p(void); void p(void) { q(); }' >src/cycle/p.c
        echo 'void r(void); void q(void); void q(void) { r(); }' >src/cycle/q.c
        printf '%s\n' "$3" >src/cycle/r.c
        echo 'void p(void); void s(void); void s(void) { p(); }' >src/cycle/s.c
        echo 's,' >src/cycle/entries.def
        separator='['
        for file in p q r s; do
            ${CC:-cc} -fPIC -Isrc -c "src/cycle/$file.c" -o "$file.o"
            printf '%s{"directory": "%s", "command": "cc -o %s.o", "file": "%s/src/cycle/%s.c"}' "$separator" "$scratch" $file "$scratch" $file
            separator=', '
        done >compile_commands.json
        echo ']' >>compile_commands.json
    )
    text=$(cd "$scratch" && python3 "$root/test/project/call_cycles.py" "$scratch" 2>&1)
    expect "$1" "$2" $? "$text"
}
cycle "a call closes a cycle" 1 'void s(void); void r(void); void r(void) { s(); }'
cycle "a function given as argument closes a cycle" 1 'void s(void); void r(void); void use(void (*)(void)); void r(void) { use(s); }'
cycle "a table of functions closes a cycle" 1 'void s(void); void r(void); void (*const table[])(void) = {s}; void r(void) {}'
cycle "a registration does not" 0 'void s(void); void r(void); void (*const table[])(void) = {
#include "cycle/entries.def"
}; void r(void) {}'
cycle "no call, no cycle" 0 'void r(void); void r(void) {}'
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
