#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Paper 000 (Tasora), Fig. 6 and its text: rotation and speed of the two shoulder gears of the prosthetic arm, and torques of their motors,
# while the wrist follows a straight line and a NURBS ("take a book").
#
#   papers/000_fig6.sh OUTPUT      writes OUTPUT/000_fig6_line.csv, .svg and OUTPUT/000_fig6_book.csv, .svg
#
# The first run prescribes the wrist along its curve and records all joint angles. The second run prescribes the angles of the four motors
# as splines and computes their torques, including the losses of the worms. CARDAN is the path of the tool, default build/cardan.
set -eu
output=${1:?usage: papers/000_fig6.sh OUTPUT}
root=$(cd "$(dirname "$0")/.." && pwd)
cardan=${CARDAN:-$root/build/cardan}
models=$root/models/prosthetic_arm
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir -p "$output"

figure() { # task, duration [s], files to include, title
    "$cardan" run -f lagrange "$models/$1.yaml" -c 'left.motor.q,right.motor.q,elbow.q,wrist.q' --output-interval 0.005 -o "$scratch/motion.csv" --force --quiet
    cat >"$scratch/motors.yaml" <<END
cardan: 1
name: prosthetic arm, motors
include: [$3]
tables:
  left:  {csv: motion.csv, columns: [1, 2], interpolation: spline}
  right: {csv: motion.csv, columns: [1, 3], interpolation: spline}
  bend:  {csv: motion.csv, columns: [1, 4], interpolation: spline}
  turn:  {csv: motion.csv, columns: [1, 5], interpolation: spline}
constraints:
  left_motor:  {driver: left.motor,  law: =left(t)}
  right_motor: {driver: right.motor, law: =right(t)}
  elbow_motor: {driver: elbow, law: =bend(t)}
  wrist_motor: {driver: wrist, law: =turn(t)}
run: {duration: $2, output: 0.01, tolerance: 1e-7}
END
    "$cardan" run -f lagrange "$scratch/motors.yaml" -c 'left.gear.q,right.gear.q,left.gear.v,right.gear.v,drivers,outputs' -o "$output/000_fig6_$1.csv" --force --quiet
    "$cardan" plot "$output/000_fig6_$1.csv" -c 'left.gear.*,right.gear.*,left_motor.*,right_motor.*' --title "$4" -o "$output/000_fig6_$1.svg" --force --quiet
    rm -f "$output/000_fig6_$1.manifest.json"
}

{
    figure line 3 "$models/mechanism.yaml" 'Shoulder gears, wrist along a straight line'
    figure book 4 "$models/mechanism.yaml, $models/load.yaml" 'Shoulder gears, "take a book"'
} 2>"$scratch/notes" || {
    cat "$scratch/notes" >&2
    exit 1
}
