#!/bin/sh
# Limits: assembly from a straight configuration, driven lengths that become zero, limits of the workspace, undefined
# constraints, trim without solution, numbers out of range, long steps, events, ends of curves. References: closed forms
# of a slider-crank, of a beam on a prop, and of the trim of a spring.
. "$(dirname "$0")/../support/tool.sh"

# ---- a straight design configuration with a violation along the line: the gradient of assembly vanishes, which leaves
# it
cat >crank.yaml <<'END'
cardan: 1
bodies:
  crank: {at: [0, 0, 0], rod: [[0, 0, 0], [1, 0, 0]], mass: 1}
  rod: {at: [1, 0, 0], rod: [[0, 0, 0], [3, 0, 0]], mass: 1}
  piston: {at: [4, 0, 0], mass: 1, inertia: [1, 1, 1]}
joints:
  A: {revolute: [ground, crank], at: [0, 0, 0], axis: z}
  B: {revolute: [crank, rod], at: [1, 0, 0], axis: z}
  C: {revolute: [rod, piston], at: [4, 0, 0], axis: z}
  D: {prismatic: [ground, piston], at: [4, 0, 0], axis: x, start: {q: -0.5}}
END
code "straight slider-crank" 0 cardan assemble crank.yaml --json
true_of "straight slider-crank" out 'd["final"]["joints"]["D"]["q"] == [-0.5]'
# (3.5 - cos A)^2 + sin^2 A = 9
true_of "straight slider-crank" out 'abs(abs(d["final"]["joints"]["A"]["q"][0]) - math.acos(4.25/7)) < 1e-12'
cat >bars.yaml <<'END'
cardan: 1
bodies:
  crank: {at: [0, 0, 0], rod: [[0, 0, 0], [1, 0, 0]], mass: 1}
  coupler: {at: [1, 0, 0], rod: [[0, 0, 0], [2, 0, 0]], mass: 1}
  rocker: {at: [2, 0, 0], rod: [[0, 0, 0], [1.5, 0, 0]], mass: 1}
joints:
  A: {revolute: [ground, crank], at: [0, 0, 0], axis: z}
  B: {revolute: [crank, coupler], at: [1, 0, 0], axis: z}
  C: {revolute: [coupler, rocker], at: [3, 0, 0], axis: z, at_second: [1.5, 0, 0]}
  D: {revolute: [ground, rocker], at: [2, 0, 0], axis: z}
END
for f in dense lagrange; do
    code "straight four-bar, $f" 0 cardan assemble bars.yaml -f $f --json
    true_of "straight four-bar, $f" out 'd["constraint_violation"]["position"] < 1e-12'
done
sed 's/at: \[2, 0, 0\]/at: [4.6, 0, 0]/' bars.yaml >short.yaml
code "straight four-bar, too short" 1 cardan assemble short.yaml
message "straight four-bar, too short" assembly_failed "short.yaml:9:3: error" "'A'" "'B'" "'C'" "'D'" "0.1 m" "0 s"

# ---- a driven length that becomes zero: its direction is undefined there, so the run ends before; all samples before
# are exact
cat >shrinks.yaml <<'END'
cardan: 1
gravity: [0, 0, 0]
bodies: {a: {at: [1, 0, 0], mass: 1, inertia: [1, 1, 1]}}
joints: {s: {prismatic: [ground, a], at: [0, 0, 0], axis: x}}
constraints: {d: {distance: [a, {on: ground, at: [0, 0, 0]}], law: =1-t}}
run: {duration: 2, output: 0.1}
END
# samples NAME FILE LAST: q = -t, v = -1 in all samples, which end at the time LAST or later
samples() {
    python "$1" "$2" "$3" <<'END'
import sys, csv
rows = [[float(x) for x in r] for r in list(csv.reader(open(sys.argv[1])))[1:]]
assert all(abs(r[1] + r[0]) < 1e-7 and abs(r[2] + 1) < 1e-6 for r in rows), rows
assert rows[-1][0] >= float(sys.argv[2]), rows[-1]
END
}
for i in rk4 midpoint dopri5 cvode-bdf ida generalized-alpha; do
    code "zero length, $i" 3 cardan run shrinks.yaml -i $i -c joints --quiet --force -o shrinks.csv
    message "zero length, $i" driver_undefined "shrinks.yaml:5:15: error" "'d'" "1 s"
    samples "zero length, $i" shrinks.csv 0.9
done
code "zero length, kinematics" 3 cardan kinematics shrinks.yaml -c joints --quiet --force -o shrinks.csv
message "zero length, kinematics" driver_undefined "shrinks.yaml:5:15: error" "'d'" "t = 1 s"
samples "zero length, kinematics" shrinks.csv 0.9
code "zero length between two samples" 3 cardan run shrinks.yaml -d 1.7 --quiet --force -o shrinks.csv
message "zero length between two samples" driver_undefined "shrinks.yaml:5:15: error" "'d'" "t = 1 s"
sed 's/=1-t/=(1-t)^2/; s/duration: 2/duration: 3/' shrinks.yaml >touches.yaml
code "length with a double zero" 3 cardan kinematics touches.yaml --quiet --force -o shrinks.csv
message "length with a double zero" driver_undefined "touches.yaml:5:15: error" "'d'" "t = 1 s"
sed 's/=1-t/=t-1/' shrinks.yaml >negative.yaml
code "a negative length" 1 cardan run negative.yaml --quiet --force -o shrinks.csv
message "a negative length" driver_undefined "negative.yaml:5:15: error" "'d'" "0 s" "-1 m"
# a pendulum of this length rotates with an unbounded rate before
sed 's/gravity: .*/gravity: [0, 0, -9.81]/; /^joints/d' shrinks.yaml >spins.yaml
code "pendulum of zero length" 3 cardan run spins.yaml --quiet --force -o spins.csv
message "pendulum of zero length" driver_undefined "spins.yaml:4:15: error" "'d'" "t = 1 s"

# ---- at the limit of the workspace velocities are unbounded: no sample is written there
sed '/^name/d; /^gravity/d; s/, stabilization: baumgarte//' "$root/test/data/cli/workspace.yaml" >workspace.yaml
code "limit of the workspace, kinematics" 3 cardan kinematics workspace.yaml -c joints,accelerations --quiet --force -o limit.csv
python "limit of the workspace, kinematics" limit.csv <<'END'
import sys, csv
rows = [[float(x) for x in r] for r in list(csv.reader(open(sys.argv[1])))[1:]]
assert rows[-1][0] > 0.685 and max(map(abs, rows[-1])) < 1e4, rows[-1]
END

# ---- all methods name the driver at the limit of the workspace and its time; no sample is written after
for i in regularized-euler regularized-midpoint generalized-alpha hht; do
    for f in dense lagrange; do
        case $i$f in regularized*lagrange) continue ;; esac  # rods have no inertia about their axes
        code "beyond the workspace, $i $f" 3 cardan run workspace.yaml -i $i -f $f -c joints --quiet --force -o limit.csv
        message "beyond the workspace, $i $f" driver_limit "workspace.yaml:12:3: error" "'bore'" "0."
        if grep -qE 't = 0\.(699|700|7 )' err; then pass; else fail "time, $i $f"; fi
        if tail -n 1 limit.csv | grep -qE '^0\.(69|7)0*[0-9]?,'; then pass; else fail "last sample, $i $f"; tail -n 1 limit.csv; fi
    done
done
# two drivers that are consistent up to t = 0.95 s: steps are longer, but samples and the reported time end there
cat >part.yaml <<'END'
cardan: 1
gravity: [0, 0, 0]
bodies: {a: {at: [1, 0, 0], mass: 1, inertia: [1, 1, 1]}, b: {at: [0, 1, 0], mass: 1, inertia: [1, 1, 1]}}
joints: {s: {prismatic: [ground, a], at: [0, 0, 0], axis: x, driver: =t}, r: {prismatic: [ground, b], at: [0, 0, 0], axis: y}}
constraints:
  d: {distance: [a, {on: ground, at: [-1, 0, 0]}], law: "=2 + t + 10*max(0, t - 0.95)^3"}
run: {duration: 3, output: 0.1}
END
for i in dopri5 cvode-adams; do
    code "drivers that become inconsistent, $i" 3 cardan run part.yaml -i $i -c joints --quiet --force -o part.csv
    message "drivers that become inconsistent, $i" driver_limit "part.yaml:6:3: error" "'d'" "'s'" "0.95 s"
    if tail -n 1 part.csv | grep -q '^0\.90*[0-9]*,'; then pass; else fail "last sample, $i"; tail -n 1 part.csv; fi
done

# ---- a rolling disc that falls flat on the plane: the constraint is undefined there
cat >disc.yaml <<'END'
cardan: 1
bodies: {d: {at: [0, 0, 0.5], orientation: {axis: x, angle: =-pi/2}, mass: 1, cylinder: {radius: 0.5, length: 0.02}}}
joints: {f: {free: [ground, d], start: {q: [0, 0, 0.5, =cos(pi/4+0.05), =-sin(pi/4+0.05), 0, 0], v: [0, 0, 0, 0, 0, 0], guess: true}}}
constraints: {r: {rolling: [d, ground], radius: 0.5}}
run: {duration: 2, output: 0.1}
END
for i in dopri5 rk4 semi-implicit-euler cvode-bdf ida generalized-alpha regularized-midpoint; do
    code "a disc falls flat, $i" 3 cardan run disc.yaml -i $i -c energy --quiet --force -o disc.csv
    message "a disc falls flat, $i" constraint_undefined "disc.yaml:4:15: error" "'r'" "0.88"
    python "a disc falls flat, $i" disc.csv <<'END'
import sys, csv
rows = [[float(x) for x in r] for r in list(csv.reader(open(sys.argv[1])))[1:]]
assert len(rows) == 9 and all(abs(r[3] - rows[0][3]) < 0.02 for r in rows), rows
END
done
# with this start all commands end with the same message
sed 's/q: \[.*v: \[/q: [0, 0, 0, 1, 0, 0, 0], v: [/' disc.yaml >flat.yaml
for c in check accel "compare --quiet" "run --quiet --force -o disc.csv"; do
    code "a disc that lies flat, $c" 1 cardan $c flat.yaml
    message "a disc that lies flat, $c" constraint_undefined "flat.yaml:4:15: error" "'r'" "0 s"
done

# ---- trim without solution
cat >spring.yaml <<'END'
cardan: 1
parameters: {k: 1000, m: 2, c: 4, L0: 1}
bodies: {m: {at: [0, 0, -1], mass: =m}}
joints: {s: {prismatic: [ground, m], at: [0, 0, -1], axis: z}}
forces: {k: {spring: [{on: m, at: [0, 0, -1]}, {on: ground, at: [0, 0, 0]}], stiffness: =k, damping: =c, length: =L0}}
END
for p in m k c; do
    code "--solve $p" 3 cardan equilibrium spring.yaml --solve $p --json
    true_of "--solve $p" out "d['error']['status'] == 'not_converged'"
    message "--solve $p" trim_failed " 1 " "'s'"
done
code "--solve L0" 0 cardan equilibrium spring.yaml --solve L0 --json
true_of "--solve L0" out 'd["balanced"] and near(d["values"]["L0"], 1 - 2*9.81/1000)'

# ---- start values out of range: joint and location
cat >far.yaml <<'END'
cardan: 1
bodies: {a: {rod: [[0, 0, 0], [1, 0, 0]], mass: 1}}
joints:
  h: {revolute: [ground, a], at: [0, 0, 0], axis: y, start: {q: 1e300}}
run: {duration: 1, output: 0.1}
END
code "start value out of range" 1 cardan run far.yaml --quiet --force -o far.csv
message "start value out of range" model_invalid "far.yaml:4:65: error" "'h'" "1e300" "1e+60"
sed 's/q: 1e300/q: 1e30/' far.yaml >farther.yaml
code "start angle out of range" 1 cardan run farther.yaml --quiet --force -o far.csv
message "start angle out of range" invalid_value "farther.yaml:4:3: error" "'h'" "1e+30"
for absurd in 's/mass: 1}/mass: 1e308}/' 's/mass: 1}/mass: 5e-324}/' 's/\[1, 0, 0\]/[1e308, 0, 0]/' 's/q: 1e300/v: 1e308/' 's/^run/gravity: [0, 0, 1e308]\nrun/' 's/mass: 1}/mass: 1, inertia: [1e308, 1e308, 1e308]}/' \
    's/start: {q: 1e300}/damping: 1e200/'; do
    sed "$absurd; s/q: 1e300/q: 0/" far.yaml >absurd.yaml
    for command in check accel "run --quiet --force -o far.csv"; do
        code "$absurd" 1 cardan $command absurd.yaml
        if grep -qE '^absurd.yaml:[0-9]+:[0-9]+: error: .*\[(invalid_value|model_invalid)\]$' err; then pass; else fail "$absurd"; fi
    done
done
sed 's/q: 1e300/q: 0/' far.yaml >here.yaml
code "time out of range" 2 cardan run here.yaml -t 1e18 --quiet --force -o far.csv
message "time out of range" invalid_option "1e+18 s" "0.1 s"

# ---- steps for which the energy error grows without bound: the failure and its cause are reported
cat >long_steps.yaml <<'END'
cardan: 1
gravity: [0, 0, 0]
parameters: {r: 0.1, l: 0.3}
points: {O: [0, 0, 0], P: [=r, 0, 0], X: [=r+l, 0, 0]}
bodies: {crank: {rod: [O, P], mass: 1}, rod: {at: P}, piston: {at: X, mass: 2}}
joints:
  main: {revolute: [ground, crank], at: O, axis: z, start: {q: 1, v: 20}}
  big: {revolute: [crank, rod], at: P, axis: z}
  small: {revolute: [rod, piston], at: X, axis: z}
  bore: {prismatic: [ground, piston], at: X, axis: x}
run: {duration: 0.5, output: 0.01}
END
for s in partitioning projection velocity baumgarte; do
    code "steps too long, $s" 3 cardan run long_steps.yaml -f lagrange -i explicit-euler --step 0.005 --stabilization $s --quiet --force -o long_steps.csv
    message "steps too long, $s" energy_error "note: "
    code "steps short enough, $s" 0 cardan run long_steps.yaml -f lagrange -i rk4 --step 0.001 --stabilization $s --quiet --force -o long_steps.csv
done

# ---- assembly changes free start values least for every choice of cut joints: the order of joints in the file has no
# effect
cat >order.py <<'END'
import sys
joints = """  j0: {revolute: [ground, b0], at: [1.06, 0.03, 0.2], axis: [0.1, 0.2, 1], start: {v: 2}}
  j1: {universal: [b0, b1], at: [0.55, 0.95, 0.11], axes: [x, y]}
  j2: {spherical: [b1, b2], at: [-0.4, 1.01, 0.01], start: {v: [0.1, 0.2, 0.3], guess: true}}
  j3: {cylindrical: [b2, b3], at: [-0.9, 0.16, 0.03], axis: [1, 0.3, 0.2]}
  j4: {universal: [b3, b4], at: [-0.57, -0.59, 0.04], axes: [x, y]}
  j5: {revolute: [b4, ground], at: [0.33, -0.83, 0.28], axis: [0.2, 1, 0.1], start: {q: 0.05, guess: true}}
  j6: {spherical: [b1, b5], at: [0.1, 0.2, 0.3]}
  j7: {spherical: [b5, b4], at: [0.4, 0.1, 0.9]}
""".splitlines()
at = [[0.85, 0.02, 0.16], [0.44, 0.76, 0.09], [-0.32, 0.81, 0.01], [-0.72, 0.12, 0.02], [-0.45, -0.47, 0.03], [0.26, -0.67, 0.23]]
print("cardan: 1\nbodies:")
for i, p in enumerate(at): print(f"  b{i}: {{at: {p}, mass: 1, inertia: [0.2, 0.25, 0.3]}}")
print("joints:")
for i in map(int, sys.argv[1]): print(joints[i])
END
for order in 01234567 36715042 75310246; do
    python3 order.py $order >order.yaml
    code "joints in the order $order" 0 cardan assemble order.yaml --json
    cp out order-$order.json
    true_of "joints in the order $order" out "near(d['final'], json.load(open('order-01234567.json'))['final'], 1e-8)"
done

# ---- partitioning in maximal coordinates, with a rod that has no mass
sed '1a gravity: [0, 0, 0]' "$root/test/data/cli/massless.yaml" >massless.yaml
for i in explicit-euler midpoint rk4; do
    for h in 1e-3 2e-4; do
        code "partitioning, $i $h" 0 cardan run massless.yaml -f lagrange --stabilization partitioning -i $i --step $h --json
        true_of "partitioning, $i $h" out 'd["constraint_violation"]["position"] < 1e-9'
    done
done
code "partitioning, long steps" 0 cardan run "$root/models/slider_crank" -f lagrange --stabilization partitioning -i midpoint --step 0.01 --output-interval 0.01 -d 0.2 --json
true_of "partitioning, long steps" out 'd["constraint_violation"]["position"] < 1e-9'

# ---- forces of constraints: the prop of a table
cat >table.yaml <<'END'
cardan: 1
bodies: {beam: {rod: [[0, 0, 0], [4, 0, 0]], mass: 10}}
joints:
  A: {revolute: [ground, beam], at: [0, 0, 0], axis: y}
constraints:
  prop: {distance: [{on: beam, at: [3, 0, 0]}, {on: ground, at: [3, 0, -1]}]}
forces: {p: {force: [0, 0, -100], on: {on: beam, at: [4, 0, 0]}}}
run: {duration: 0.1, output: 0.1}
END
for f in dense lagrange; do
    code "forces of constraints, $f" 0 cardan accel table.yaml -f $f --json
    true_of "forces of constraints, $f" out 'near(d["results"][0]["constraint_reactions"]["prop"]["force"], [0, 0, (2*98.1 + 400)/3]) and near(d["results"][0]["constraint_reactions"]["prop"]["torque"], [0, 0, 0])'
    true_of "forces of constraints, $f" out 'd["results"][0]["constraint_reactions"]["prop"]["unique"]'
done
code "forces of constraints" 0 cardan accel table.yaml
says "forces of constraints" "prop      [0, 0, 198.7]"
code "forces of constraints" 0 cardan run table.yaml -c reactions --quiet -o table.csv
says "forces of constraints" "prop.fz [N]" table.csv
says "forces of constraints" '"not_unique": "none"' table.manifest.json
# a second prop at the same point: statically indeterminate, each carries half
sed 's/^forces/  prop2: {distance: [{on: beam, at: [3, 0, 0]}, {on: ground, at: [3, 0, -2]}]}\n&/' table.yaml >props.yaml
code "two props" 0 cardan accel props.yaml --json
true_of "two props" out 'near(d["results"][0]["constraint_reactions"]["prop"]["force"], [0, 0, (2*98.1 + 400)/6], 1e-6) and not d["results"][0]["constraint_reactions"]["prop2"]["unique"] and d["results"][0]["reactions"]["A"]["unique"]'
code "two props" 0 cardan run props.yaml -c reactions --force --json -o props.csv
true_of "two props" out 'd["reactions_not_unique"] == ["prop", "prop2"]'
says "two props" '"not_unique": "prop, prop2"' props.manifest.json

# ---- list and number of events
cat >limits.yaml <<'END'
cardan: 1
gravity: [0, 0, -9.81]
bodies: {bob: {rod: [[0, 0, 0], [1, 0, 0]], mass: 1}}
joints: {h: {revolute: [ground, bob], at: [0, 0, 0], axis: y, limits: [0.5, 2.5]}}
run: {duration: 20, output: 0.1}
END
code "many events" 0 cardan run limits.yaml --json --force -o limits.csv
true_of "many events" out 'd["event_count"] == len(d["events"]) > 20'
says "many events" '"events": ' limits.manifest.json
cat >bounces.yaml <<'END'
cardan: 1
bodies: {ball: {at: [0, 0, 0.02], mass: 1, inertia: [0.1, 0.1, 0.1]}}
joints: {s: {prismatic: [ground, ball], at: [0, 0, 0], axis: z, start: {q: 0.02}, limits: {lower: 0, upper: 10, stiffness: 1e6}}}
run: {duration: 100, output: 1}
END
code "very many events" 0 cardan run bounces.yaml --json --force -o bounces.csv
true_of "very many events" out 'd["event_count"] == 1528 and len(d["events"]) == 1000 and all(a["time"] < b["time"] for a, b in zip(d["events"], d["events"][1:]))'
true_of "very many events" bounces.manifest.json 'd["outcome"]["events"] == 1528 and len(d["events"]) == 1000 and d["outcome"]["samples"] == 101'
code "very many events" 0 cardan run bounces.yaml --force -o bounces.csv
line "very many events" " 1,520 events"

# ---- a point beyond the end of its curve, which is continued straight: reported by all commands at such a state
cat >slot.yaml <<'END'
cardan: 1
bodies:
  slide: {at: [0, 0, 0], mass: 1, inertia: [0.1, 0.1, 0.1]}
  pin: {at: [0, 0, 0], mass: 1, inertia: [0.1, 0.1, 0.1]}
joints:
  A: {prismatic: [ground, slide], at: [0, 0, 0], axis: x}
  B: {prismatic: [slide, pin], at: [0, 0, 0], axis: z}
constraints:
  d: {driver: A, law: =t}
  c: {point_on_curve: [pin, ground], curve: {points: [[-1, 0, 0.3], [0, 0, 0], [1, 0, 1]], degree: 2}}
run: {duration: 2, output: 0.1}
END
code "a pin leaves its slot" 0 cardan kinematics slot.yaml --force -o slot.csv
message "a pin leaves its slot" curve_end "slot.yaml:10:3: warning" "'c'" "1 s" "'pin'" "[1, 0, 1] m"
sed 's/law: =t/law: =1.5+t/' slot.yaml >far.yaml
for c in check accel "run --force -o slot.csv" "kinematics --force -o slot.csv"; do
    code "a pin before its slot, $c" 0 cardan $c far.yaml
    message "a pin before its slot, $c" curve_end "far.yaml:10:3: warning" "'c'" "0 s" "'pin'" "[1, 0, 1] m"
    if [ "$(grep -cF '[curve_end]' err)" = 1 ]; then pass; else fail "one warning, $c"; fi
done

# ---- a curve that is a point
cat >bead.yaml <<'END'
cardan: 1
bodies: {b: {at: [0, 0, 0], mass: 1, inertia: [1, 1, 1]}}
joints: {f: {free: [ground, b], start: {q: [0, 0, 0, 1, 0, 0, 0], v: [1, 0, 0, 0, 0, 0], guess: true}}}
constraints: {w: {point_on_curve: [b, ground], curve: {points: [[-1, 0, 1], [0.5, 0, -0.5], [2, 1, 0]], degree: 1}}}
run: {duration: 2, output: 0.1}
END
sed 's/points: .*, degree/points: [[0, 0, 0], [0, 0, 0], [0, 0, 0]], degree/' bead.yaml >point.yaml
code "a curve that is a point" 1 cardan run point.yaml --quiet --force -o bead.csv
message "a curve that is a point" constraint_invalid "point.yaml:4:15: error" "'w'"

# ---- a force expression that is undefined from some time: the force and its location are named
cat >undefined.yaml <<'YAML'
cardan: 1
bodies: {x: {mass: 1, sphere: 0.1}}
joints: {f: {free: [ground, x]}}
forces: {k: {force: [1, 0, =log(0.3-t)], on: x}}
YAML
for i in dopri5 rk4 cvode-bdf; do
    code "undefined force expression, $i" 3 cardan run undefined.yaml -i $i -d 1 --quiet --force -o undefined.csv
    message "undefined force expression, $i" diverged "undefined.yaml:4:10: error" "0.3" "'k'"
done

ends
