#!/bin/sh
# Tables, units and curves of `cardan run`: statistics of a motion in closed form, units in files, tables and curves,
# reference points of reactions, outputs first in curves, omitted curves, round-off, advice while a run goes on.
. "$(dirname "$0")/../support/tool.sh"
models=$root/models

# A slider with a prescribed displacement 0.1 sin(2 pi t): RMS of a sine over whole periods is its amplitude/sqrt(2).
cat >sine.yaml <<'END'
cardan: 1
name: sine
bodies: {b: {mass: 2, inertia: [1, 1, 1]}, c: {mass: 1, inertia: [1, 1, 1]}}
joints:
  slide: {prismatic: [ground, b], at: [0, 0, 0], axis: x, driver: "=0.1*sin(2*pi*t)"}
  turn:  {revolute: [b, c], at: [0, 0, 0], axis: z, start: {v: =pi/30}}
outputs: {double: {value: "=2*q(slide)", unit: m}, tiny: {value: "=1e-18*cos(t)", unit: m}}
run: {duration: 2, output: 0.001}
END
code "table" 0 cardan run sine.yaml --table -c 'slide.q,turn.v,outputs' -o sine.csv
python "statistics of a sine" <<'END'
rows = {w[0]: w for w in (l.split() for l in open('out')) if len(w) == 5}
assert rows['column'] == ['column', 'unit', 'minimum', 'maximum', 'RMS'], rows
assert rows['slide.q'][1:4] == ['m', '-0.1', '0.1'], rows
assert abs(float(rows['slide.q'][4]) - 0.1 / 2**0.5) < 1e-6, rows
assert rows['double'][1:4] == ['m', '-0.2', '0.2'], rows
assert rows['tiny'][2:] == ['0', '0', '0'], rows           # round-off next to 0.2 m
assert abs(float(rows['turn.v'][2]) - 0.1047198) < 1e-6, rows
END

# ---- units
code "units" 0 cardan run sine.yaml --table --units mm,rpm -c 'slide.q,turn.v,outputs' -o units.csv
python "units in the file and the table" <<'END'
import csv
head, *rows = csv.reader(open('units.csv'))
si_head, *si = csv.reader(open('sine.csv'))
assert head == ['t [s]', 'slide.q [mm]', 'turn.v [rpm]', 'double [mm]', 'tiny [mm]'], head
for a, b in zip(rows, si):
    assert abs(float(a[1]) - 1000 * float(b[1])) < 1e-9 and abs(float(a[2]) - 1) < 1e-9, (a, b)
table = {w[0]: w for w in (l.split() for l in open('out')) if len(w) == 5}
assert table['slide.q'][1:4] == ['mm', '-100', '100'] and table['turn.v'][1:4] == ['rpm', '1', '1'], table
END
says "units in the curves" "[mm]" units.svg
code "unknown unit" 2 cardan run sine.yaml --units degs -o -
message "suggestion" unknown_name "'degs'" "'deg'"
code "two units of lengths" 2 cardan run sine.yaml --units mm,in -o -
message "two units of lengths" usage "'mm'" "'in'"
code "a motion in degrees" 0 cardan run "$models/double_pendulum" -d 0.5 --units deg,deg/s -c joints -o degrees.csv --quiet
code "a motion in radians" 0 cardan run "$models/double_pendulum" -d 0.5 -c joints -o radians.csv --quiet
code "inverse dynamics of degrees" 0 cardan inverse "$models/double_pendulum" --motion degrees.csv -o degrees-inverse.csv --quiet
code "inverse dynamics of radians" 0 cardan inverse "$models/double_pendulum" --motion radians.csv -o radians-inverse.csv --quiet
python "recorded motions are converted to SI units" <<'END'
import csv
a, b = (list(csv.reader(open(f)))[1:] for f in ('degrees-inverse.csv', 'radians-inverse.csv'))
assert len(a) == len(b) > 10
for x, y in zip(a, b):
    for u, v in zip(x, y):
        assert u == v == '' or abs(float(u) - float(v)) < 1e-6 * (1 + abs(float(v))), (x, y)
END

# ---- reference point of reactions: t2 - t1 = (p1 - p2) x f
code "reactions" 0 cardan accel "$models/slider_crank" --json
cp out first.json
for point in second centre origin; do
    code "reactions about $point" 0 cardan accel "$models/slider_crank" --json --reaction-point $point
    cp out $point.json
done
python "torques about other points" <<'END'
import json
def load(name):
    return json.load(open(name + '.json'))['results'][0]
first, centre, origin = load('first'), load('centre'), load('origin')
bodies = {'main': 'crank', 'big': 'rod', 'small': 'piston', 'bore': 'piston'}
for joint, body in bodies.items():
    f = first['reactions'][joint]['force']
    p = first['bodies'][body]['p']
    c, o = centre['reactions'][joint]['torque'], origin['reactions'][joint]['torque']
    cross = [p[1]*f[2] - p[2]*f[1], p[2]*f[0] - p[0]*f[2], p[0]*f[1] - p[1]*f[0]]
    for k in range(3):
        assert abs(o[k] - c[k] - cross[k]) < 1e-9, (joint, o, c, cross)
    assert f == centre['reactions'][joint]['force']
assert first['reactions']['bore']['torque'][2] != 0
second = load('second')
for k in range(3): # the guide exerts no moment about the pin, which is at the joint position on the piston
    assert abs(second['reactions']['bore']['torque'][k]) < 1e-9, second['reactions']['bore']
END
code "unknown point" 2 cardan run "$models/slider_crank" --reaction-point middle
message "unknown point" unknown_name "'middle'"
code "help states the point" 0 cardan help run
says "help states the point" "about the joint position on its"
says "help states the option" "--reaction-point POINT"

# ---- curves: outputs first; omitted columns are mentioned in picture and summary
code "curves" 0 cardan run "$models/hmmwv/bump.yaml" -d 0.1 -o bump.csv
line "omitted columns in the summary" "bump.svg" "51 columns"
says "omitted columns in the picture" "51 of 113 columns are not shown" bump.svg
python "outputs first" <<'END'
import re
text = re.findall(r'<text[^>]*>([^<]*)</text>', open('bump.svg').read())
assert text.index('FL.travel') < text.index('body.q1') and text.index('FL.load') < text.index('pFL.lift.drive'), text
assert 'rise' in text and 'roll' in text and 'pitch' in text, text
END
code "all columns fit" 0 cardan run "$models/pendulum" -d 0.1 -o pendulum.csv
lacks "no omitted columns" "columns" out
lacks "no omitted columns" "not shown" pendulum.svg

# ---- round-off is printed as 0
code "equilibrium" 0 cardan accel "$models/hmmwv/bump.yaml"
python "no round-off in the table of joints" <<'END'
import re
table = open('out').read().split('mass centre')[0]
assert 'FL.lower' in table
assert not re.search(r'e-1[3-9]\b', table.split('\n', 1)[1]), table
END

# ---- advice
code "synonym of a command" 2 cardan simulate sine.yaml
message "synonym of a command" unknown_command "'simulate'" "'run'"
printf 'name: a\nbodies: {b: {mass: 1}}\n' >version.yaml
code "file without version" 1 cardan check version.yaml
message "file without version" model_invalid "version.yaml:1:1" "cardan: 1"
cat >stiff.yaml <<'END'
cardan: 1
bodies: {b: {mass: 1}}
joints: {slide: {prismatic: [ground, b], at: [0, 0, 0], axis: x, damping: 1e5, start: {v: 1}}}
forces: {push: {actuator: slide, effort: 1}}
run: {duration: 0.5, output: 0.1}
END
code "stiff run" 0 cardan run stiff.yaml -i dopri5 -o stiff.csv
message "advice about stiffness" stiff "cvode-bdf"
if [ "$(grep -c '\[stiff\]' err)" -eq 1 ]; then pass; else fail "stiffness is not reported once"; fi
ends
