#!/bin/sh
# What scripts that try the tool share: a scratch folder, and checks of exit codes, outputs and files. Sourced; ends with `ends`.
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
fail() { failed=$((failed + 1)); echo "failed: $*"; head -n 12 err 2>/dev/null; }
# code NAME CODE COMMAND...: its exit code; standard output is left in `out`, errors in `err`
code() {
    name=$1 want=$2
    shift 2
    "$@" >out 2>err </dev/null
    got=$?
    if grep -qE 'Sanitizer|runtime error' err; then fail "$name: $*"; cat err; fi
    if [ "$got" -eq "$want" ]; then pass; else fail "$name: exit code $got, not $want: $*"; fi
}
says() { if grep -qF -- "$2" "${3:-out}"; then pass; else fail "$1: '$2' is not in ${3:-out}"; cat "${3:-out}"; fi; }
# message NAME CODE [TEXT ...]: a line of `err` (or of the file that $errors names) has this message code and all these
# names and numbers. The wording of all messages so checked is kept in test/golden/SCRIPT.txt, numbers as '#'
# (CARDAN_UPDATE_GOLDEN=1 writes the file).
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
lacks() { if grep -qF -- "$2" "${3:-out}"; then fail "$1: '$2' is in ${3:-out}"; else pass; fi; }
exists() { if [ -s "$1" ]; then pass; else fail "there is no file $1"; fi; }
true_of() { # NAME FILE EXPRESSION
    if python3 "$root/test/support/check_json.py" "$2" "$3" >"$golden.log" 2>&1; then pass; else fail "$1"; cat "$golden.log"; fi
}
python() { name=$1; shift; if python3 - "$@" >"$golden.log" 2>&1; then pass; else fail "$name"; cat "$golden.log"; fi; }
# The sentences of `message` against the golden file, in any order.
sentences() {
    kept=$root/test/golden/$(basename "$0" .sh).txt
    sed -E "s|$scratch|SCRATCH|g; s/(^|[^A-Za-z0-9_:.'-])-?[0-9]+(\\.[0-9]+)?(e[-+]?[0-9]+)?/\\1#/g" "$golden" | LC_ALL=C sort -u >"$golden.sorted"
    if [ -n "${CARDAN_UPDATE_GOLDEN:-}" ]; then cp "$golden.sorted" "$kept"; fi
    if diff "$kept" "$golden.sorted"; then pass; else fail "sentences differ from $kept"; fi
}
ends() { [ ! -s "$golden" ] || sentences; echo "$passed passed, $failed failed"; [ "$failed" -eq 0 ]; exit $?; }
