#!/bin/sh
# What scripts that try the tool share: a scratch folder, and checks of exit codes, outputs and files. Sourced; ends with `ends`.
set -u
cd "$(dirname "$0")/.."
root=$(pwd)
build=${CARDAN_BUILD:-build}
case $build in /*) ;; *) build=$root/$build ;; esac
PATH=$build:$PATH
export ASAN_OPTIONS=exitcode=99
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
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
lacks() { if grep -qF -- "$2" "${3:-out}"; then fail "$1: '$2' is in ${3:-out}"; else pass; fi; }
exists() { if [ -s "$1" ]; then pass; else fail "there is no file $1"; fi; }
true_of() { # NAME FILE EXPRESSION
    if python3 "$root/test/data/cli/look.py" "$2" "$3" >look 2>&1; then pass; else fail "$1"; cat look; fi
}
python() { name=$1; shift; if python3 - "$@" >look 2>&1; then pass; else fail "$name"; cat look; fi; }
ends() { echo "$passed passed, $failed failed"; [ "$failed" -eq 0 ]; exit $?; }
