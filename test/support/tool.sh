#!/bin/sh
# Functions of the scripts that test the tool: temporary folder, checks of exit codes, messages, output and files.
# A script sources this file first and calls `ends` last.
set -u
cd "$(dirname "$0")/../.."
root=$(pwd)
build=${CARDAN_BUILD:-build}
case $build in /*) ;; *) build=$root/$build ;; esac
PATH=$build:$PATH
export ASAN_OPTIONS=exitcode=99
scratch=$(mktemp -d)
golden=$(mktemp)
trap 'rm -rf "$scratch" "$golden"*' EXIT
cd "$scratch" || exit 1
export CARDAN_CACHE="${CARDAN_CACHE:-$scratch/cache}"
passed=0
failed=0

pass() { passed=$((passed + 1)); }
# A failure after a command that needs a part which is not in this build is skipped; after that, also failures of commands
# that read its output.
fail() {
    if [ -n "${absent:-}" ]; then skipped=yes; echo "skipped: $*"; return; fi
    failed=$((failed + 1)); echo "failed: $*"; head -n 12 err 2>/dev/null
}
# code NAME CODE COMMAND...: run COMMAND and check its exit code; standard output is in `out`, standard error in `err`.
code() {
    name=$1 want=$2
    shift 2
    "$@" >out 2>err </dev/null
    got=$?
    absent=
    if grep -qE '\[not_in_build\]|is not in this build, because' err; then absent=yes; fi  # studies print no codes
    if [ -n "${skipped:-}" ] && grep -qE '\[(file_not_found|file_not_readable|state_invalid)\]' err; then absent=yes; fi
    if grep -qE 'Sanitizer|runtime error' err; then fail "$name: $*"; cat err; fi
    if [ "$got" -eq "$want" ]; then pass; else fail "$name: exit code $got, not $want: $*"; fi
}
# says NAME TEXT [FILE]: FILE (`out`) contains TEXT.
says() { if grep -qF -- "$2" "${3:-out}"; then pass; else fail "$1: '$2' is not in ${3:-out}"; cat "${3:-out}"; fi; }
# message NAME CODE [TEXT ...]: a line of `err` (or of the file $errors) contains [CODE] and all TEXTs, which are names,
# numbers and locations. The sentences of all messages checked in this way are compared with test/golden/SCRIPT.txt, in
# which '#' stands for a number (CARDAN_UPDATE_GOLDEN=1 writes the file).
message() {
    what=$1 wanted=$2
    shift 2
    grep -F -- "[$wanted]" "${errors:-err}" >"$golden.lines"
    for text in "$@"; do
        grep -F -- "$text" "$golden.lines" >"$golden.matching"
        mv "$golden.matching" "$golden.lines"
    done
    if [ -s "$golden.lines" ]; then pass; else fail "$what: no message [$wanted] with $*"; fi
    cat "$golden.lines" >>"$golden"
}
# line NAME TEXT...: a line of `out` contains all TEXTs, which are names and numbers.
line() {
    what=$1
    shift
    cp out "$golden.lines"
    for text in "$@"; do
        grep -F -- "$text" "$golden.lines" >"$golden.matching"
        mv "$golden.matching" "$golden.lines"
    done
    if [ -s "$golden.lines" ]; then pass; else fail "$what: no line of out with $*"; cat out; fi
}
# lacks NAME TEXT [FILE]: FILE (`out`) does not contain TEXT.
lacks() { if grep -qF -- "$2" "${3:-out}"; then fail "$1: '$2' is in ${3:-out}"; else pass; fi; }
exists() { if [ -s "$1" ]; then pass; else fail "there is no file $1"; fi; }
# true_of NAME FILE EXPRESSION: the expression of check_json.py is true for the JSON file.
true_of() {
    if python3 "$root/test/support/check_json.py" "$2" "$3" >"$golden.log" 2>&1; then pass; return; fi
    fail "$1"
    cat "$golden.log"
}
# python NAME [ARGUMENT...]: the Python program on standard input ends with exit code 0.
python() { name=$1; shift; if python3 - "$@" >"$golden.log" 2>&1; then pass; else fail "$name"; cat "$golden.log"; fi; }
# Compare the sentences of `message` with the golden file. Sentences of checks that are skipped (missing programs, other
# users, sanitizers) may be absent; sentences that the file does not contain are failures.
sentences() {
    absent=
    kept=$root/test/golden/$(basename "$0" .sh).txt
    names="s|$scratch|SCRATCH|g; s|$root/||g; s#(/[a-z]+)*/bin/#/bin/#g; s/[0-9a-f]{64}/DIGEST/g"
    number="(^|[^A-Za-z0-9_:.'-])-?[0-9]+(\\.[0-9]+)?(e[-+]?[0-9]+)?"
    sed -E "$names; s/$number/\\1#/g" "$golden" | LC_ALL=C sort -u >"$golden.sorted"
    if [ -n "${CARDAN_UPDATE_GOLDEN:-}" ]; then mkdir -p "$root/test/golden" && cp "$golden.sorted" "$kept"; fi
    LC_ALL=C comm -13 "$kept" "$golden.sorted" >"$golden.new"
    if [ -e "$kept" ] && [ ! -s "$golden.new" ]; then pass; return; fi
    fail "sentences that are not in $kept"
    cat "$golden.new"
}
ends() { [ ! -s "$golden" ] || sentences; echo "$passed passed, $failed failed"; [ "$failed" -eq 0 ]; exit $?; }
