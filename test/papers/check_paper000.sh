#!/bin/sh
# Fig. 6 of paper 000 by its script: the wrist follows the prescribed path, and the final torques of the motors equal
# the static torques of gravity in closed form.
set -u
cd "$(dirname "$0")/../.."
root=$(pwd)
build=${CARDAN_BUILD:-build}
case $build in /*) ;; *) build=$root/$build ;; esac
export ASAN_OPTIONS=exitcode=99
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
passed=0
failed=0
check() { # NAME COMMAND...
    name=$1
    shift
    if "$@" >"$scratch/log" 2>&1; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "failed: $name"; cat "$scratch/log"; fi
}

check "script" env CARDAN="$build/cardan" papers/000_fig6.sh "$scratch/out"
for task in line book; do
    check "picture of $task" grep -q '</svg>' "$scratch/out/000_fig6_$task.svg"
done
cat >"$scratch/torques.py" <<'END'
import csv, sys
from math import acos, cos, pi, sin

def read(task):
    rows = list(csv.reader(open(f"{sys.argv[1]}/000_fig6_{task}.csv")))
    names = [name.split()[0] for name in rows[0]]
    return [dict(zip(names, map(float, row))) for row in rows[1:]]

def near(a, b, tolerance):
    assert abs(a - b) <= tolerance, (a, b)

def weights(r, flat, book):
    """Static torques of the motors: derivatives of the potential energy by the gear angles, divided by the ratio of the worms."""
    left, right = r["left.gear.q"], r["right.gear.q"]
    flexion, abduction = (left + right) / 2, (left - right) / 2
    upper, fore, hand = 0.186 * 1.77, 0.146 * 1.77, 0.506 * 0.108 * 1.77
    x, y, z = r["wrist_x"], r["wrist_y"], r["wrist_z"]
    bent = flexion + acos((x * x + y * y + z * z - upper ** 2 - fore ** 2) / (2 * upper * fore))
    pitch = pi / 2 if flat else bent
    shell = 0.028 * 75 - 0.12 - 2 * 0.45
    down = lambda f, b, h: (shell * 0.436 * upper * cos(f) + 0.4 * (0.03 * cos(f) + 0.051 * sin(f))
                            + 1.2 * (upper * cos(f) + 0.43 * fore * cos(b)) + (0.45 + book) * (upper * cos(f) + fore * cos(b) + hand * cos(h)))
    side = lambda f, b, h: down(f + pi / 2, b + pi / 2, h + pi / 2)      # derivative by flexion
    flex, spread = -9.81 * cos(abduction) * side(flexion, bent, pitch), 9.81 * sin(abduction) * down(flexion, bent, pitch)
    return (flex + spread) / 120, (flex - spread) / 120

line, book = read("line"), read("book")
for r in line:                                       # straight line, from the run with motors
    u = min(r["t"] / 3, 1)
    s = u ** 3 * (10 - 15 * u + 6 * u * u)
    for name, a, b in (("wrist_x", 0.20, 0.38), ("wrist_y", -0.05, 0.16), ("wrist_z", -0.42, -0.22)):
        near(r[name], a + s * (b - a), 1e-7)
for name, value in (("wrist_x", 0.24), ("wrist_y", 0.05), ("wrist_z", -0.36)):
    near(book[-1][name], value, 1e-7)
for r, flat, mass in ((line[-1], False, 0), (book[-1], True, 0.5)):
    left, right = weights(r, flat, mass)
    near(r["left_motor.drive"], left, 2e-5)
    near(r["right_motor.drive"], right, 2e-5)
END
check "path and torques" python3 "$scratch/torques.py" "$scratch/out"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
