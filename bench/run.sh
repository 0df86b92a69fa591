#!/bin/sh
# Run all benchmarks of a build: tables on standard output, CSV and SVG in bench/results.
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
echo "== Generated code and MuJoCo on the robots, batch routines, a vehicle with loops"
"$build/bench_generated" || status=1
echo
echo "== Cardan on chains of growing length"
"$build/bench_scaling" bench/results/scaling.csv || status=1
echo
echo "== Block LDL' of maximal coordinates and SuiteSparse on the same matrices"
"$build/bench_ldl" || status=1
echo
echo "== Integrator step in maximal coordinates: Cardan, LAPACK, SuiteSparse and ODE"
"$build/bench_step" || status=1
echo
echo "== Steps of small mechanisms, compared with their evaluations and projection"
"$build/bench_small_step" || status=1
echo
echo "== Rays against meshes and height fields"
"$build/bench_rays" || status=1
echo
echo "== Threads in the branches of trees"
"$build/bench_threads" || status=1
echo
echo "== Mechanisms with loops: Cardan, MuJoCo, Simbody and ODE"
dpkg-query -W -f 'Package   ${Package} ${Version}\n' libmujoco-dev libsimbody-dev libode-dev
"$build/bench_loops" --results bench/results || status=1
echo
echo "== Stiff mechanisms: time over error of the integrators"
"$build/bench_stiff" --results bench/results || status=1
echo
echo "== Contact problems: cone law, forces of given states, impacts"
"$build/bench_contact" || status=1
echo
echo "== Complete runs by auto and by every exact formulation"
python3 bench/auto.py --build "$build" --results bench/results || status=1
echo
echo "== Viewer: latency of a grab at the socket, frames per second"
python3 bench/view_latency.py "$build" || status=1
exit $status
