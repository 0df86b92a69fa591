#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Paper 003 (Docquier, Bruels, Fisette), Table 3 and Figs. 6 to 11: reaching tasks of the arm with pendulum, six forms of the dynamics, two costs;
# collocation compared with multiple shooting.
#
#   papers/003_study.sh OUTPUT [--small] [TABLE.csv [SHOOTING.csv]]      writes OUTPUT/003_study.md, 003_study_*.svg, .csv
#
# TABLE.csv is the table of `cardan sweep models/arm_pendulum/study.yaml`. Without it a subset of PHIS x HEIGHTS targets is computed, default 5 x 3:
# 180 problems, and 135 for multiple shooting; --small: 2 x 1, with ten intervals. CARDAN is the path of the tool, default build/cardan.
set -eu
output=${1:?usage: papers/003_study.sh OUTPUT [--small] [TABLE.csv [SHOOTING.csv]]}
shift
root=$(cd "$(dirname "$0")/.." && pwd)
cardan=${CARDAN:-$root/build/cardan}
phis=${PHIS:-5}
heights=${HEIGHTS:-3}
coarse=
example=
if [ "${1:-}" = --small ]; then
    phis=2
    heights=1
    coarse='intervals: 10, degree: 2, '
    example='--intervals 10 --degree 2'
    shift
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir -p "$output"
export OPENBLAS_NUM_THREADS=1
arm=$root/models/arm_pendulum

# Run the study with fewer targets; an interrupted sweep is resumed.
subset() { # study, table
    sed -e "s|^problem: |problem: $arm/|" -e "s|\(phi: .*count: \)[0-9]*|\1$phis|" -e "s|\(height: .*count: \)[0-9]*|\1$heights|" -e "s|from: -0.1, to: 0.1, count: 1}|from: -0.1, to: -0.1, count: 1}|" -e "s|iterations: 500|${coarse}iterations: 500|" \
        "$arm/$1.yaml" >"$output/003_$1.yaml"
    "$cardan" sweep "$output/003_$1.yaml" -o "$2" >"$scratch/said" || [ -s "$2" ]
}
table=${1:-}
shooting=${2:-}
if [ -z "$table" ]; then
    table=$output/003_study.csv
    shooting=$output/003_study_shooting.csv
    subset study "$table"
    subset shooting "$shooting"
fi
for form in impl semi exp1-o exp1-a exp2-o exp2-a; do
    "$cardan" optimize "$arm/reach_paper.yaml" --form $form --sizes --json >"$scratch/$form.json"
done
# shellcheck disable=SC2086
"$cardan" optimize "$arm/reach_paper.yaml" $example -o "$scratch/smooth.csv" --title 'Cost 2: effort and its rate' --json --quiet >"$scratch/smooth.json"
# shellcheck disable=SC2086
"$cardan" optimize "$arm/reach_paper.yaml" $example --form exp1-o --set rate=0 -o "$scratch/effort.csv" --title 'Cost 1: effort alone' --json --quiet >"$scratch/effort.json" || true
for cost in smooth effort; do
    [ -s "$scratch/$cost.svg" ] && cp "$scratch/$cost.svg" "$output/003_study_fig8_$cost.svg"
done
python3 "$root/papers/003_study.py" "$scratch" "$output" "$table" $shooting
