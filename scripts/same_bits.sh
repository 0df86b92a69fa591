#!/bin/sh
# Compare the results of this tree with those of another revision, bit by bit.
# Usage: scripts/same_bits.sh REV [daily|full] [PATTERN]
#
# Builds the tool of both trees with -O2 -ffp-contract=off for the baseline processor, runs each tool on the models of its tree with one
# thread and without generated code, and compares exit codes and result columns by position. PATTERN selects the cases whose
# "model formulation integrator" contains it. Messages, names of columns and step counts are not compared.
#   daily   every model and formulation with dopri5; every integrator on six models; durations shortened
#   full    every model, formulation and integrator, families of mechanisms; 1 s with dopri5, 0.02 s with the others
# Results are stored in build-same-bits/, so that the next comparison with a revision runs only this tree, and an interrupted
# comparison continues.
set -eu
cd "$(dirname "$0")/.."
rev=$(git rev-parse --short=12 "${1:?usage: scripts/same_bits.sh REV [daily|full] [PATTERN]}")
set_name=${2:-daily}
pattern=${3:-}
case $set_name in daily | full) ;; *) echo "the set must be daily or full, not '$set_name'" >&2; exit 2 ;; esac
base=$PWD/build-same-bits
other=$base/$rev
mkdir -p "$base"
export OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1

build() { # tree, build folder
    cmake -S "$1" -B "$2" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_FLAGS_RELEASE="-O2 -ffp-contract=off" -DCARDAN_NATIVE=OFF \
        -DCARDAN_TESTS=OFF -DCARDAN_MPI=OFF >/dev/null
    cmake --build "$2" --target cardan_tool -- --quiet
}
if [ ! -x "$other/build/cardan" ]; then
    rm -rf "$other"
    mkdir -p "$other/tree"
    git archive "$rev" | tar -x -C "$other/tree"
    echo "Building $rev"
    build "$other/tree" "$other/build"
fi
echo "Building this tree"
build . "$base/here"
exec python3 scripts/same_bits.py "$other" "$base/here" "$set_name" "$pattern"
