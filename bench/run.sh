#!/bin/sh
# All benchmarks of a build: tables on the screen, CSV and SVG in bench/results.
#   bench/run.sh [BUILD [MECHANISM ...]]
set -eu
build=${1:-build-bench}
[ $# -gt 0 ] && shift
cd "$(dirname "$0")/.."
mkdir -p bench/results

echo "== Cardan and MuJoCo on the same mechanisms"
dpkg-query -W -f 'Package   ${Package} ${Version}\n' libmujoco-dev
status=0
"$build/bench_speed" --results bench/results "$@" || status=1
echo
echo "== Cardan on a chain that grows"
"$build/bench_scaling" bench/results/scaling.csv || status=1
exit $status
