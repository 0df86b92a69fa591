#!/bin/sh
# At the edges of what can be: dead points at the start, ends of reach, poses where a constraint is not defined, and what is said there.
. "$(dirname "$0")/../support/tool.sh"

# ---- drawn in line with the gap along the line no step of assembly has a direction: such a point is left
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
code "slider-crank in line" 0 cardan assemble crank.yaml --json
true_of "slider-crank in line" out 'd["final"]["joints"]["D"]["q"] == [-0.5]'
# (3.5 - cos A)^2 + sin^2 A = 9
true_of "slider-crank in line" out 'abs(abs(d["final"]["joints"]["A"]["q"][0]) - math.acos(4.25/7)) < 1e-12'
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
    code "four bars in line, $f" 0 cardan assemble bars.yaml -f $f --json
    true_of "four bars in line, $f" out 'd["constraint_violation"]["position"] < 1e-12'
done
sed 's/at: \[2, 0, 0\]/at: [4.6, 0, 0]/' bars.yaml >short.yaml
code "four bars too short, in line" 1 cardan assemble short.yaml
says "four bars too short, in line" "could not be closed: a gap of 0.1 m remains" err

# ---- a length by law that becomes zero: no direction is left, so the run ends shortly before, and all rows up to there are true
cat >shrinks.yaml <<'END'
cardan: 1
gravity: [0, 0, 0]
bodies: {a: {at: [1, 0, 0], mass: 1, inertia: [1, 1, 1]}}
joints: {s: {prismatic: [ground, a], at: [0, 0, 0], axis: x}}
constraints: {d: {distance: [a, {on: ground, at: [0, 0, 0]}], law: =1-t}}
run: {duration: 2, output: 0.1}
END
# rows NAME FILE LAST: q = -t, v = -1 in all, and at least up to the time LAST
rows() {
    python "$1" "$2" "$3" <<'END'
import sys, csv
rows = [[float(x) for x in r] for r in list(csv.reader(open(sys.argv[1])))[1:]]
assert all(abs(r[1] + r[0]) < 1e-7 and abs(r[2] + 1) < 1e-6 for r in rows), rows
assert rows[-1][0] >= float(sys.argv[2]), rows[-1]
END
}
for i in rk4 midpoint dopri5 cvode-bdf ida generalized-alpha; do
    code "a length to zero, $i" 3 cardan run shrinks.yaml -i $i -c joints --quiet --force -o shrinks.csv
    says "a length to zero, $i" "shrinks.yaml:5:15: error: constraint 'd': at t = 1 s its length becomes zero" err
    rows "a length to zero, $i" shrinks.csv 0.9
done
code "a length to zero, kinematics" 3 cardan kinematics shrinks.yaml -c joints --quiet --force -o shrinks.csv
says "a length to zero, kinematics" "at t = 1 s its length becomes zero" err
rows "a length to zero, kinematics" shrinks.csv 0.9
code "a length through zero between two looks" 3 cardan run shrinks.yaml -d 1.7 --quiet --force -o shrinks.csv
says "a length through zero between two looks" "at t = 1 s its length becomes zero" err
sed 's/=1-t/=(1-t)^2/; s/duration: 2/duration: 3/' shrinks.yaml >touches.yaml
code "a length that touches zero" 3 cardan kinematics touches.yaml --quiet --force -o shrinks.csv
says "a length that touches zero" "at t = 1 s its length becomes zero" err
sed 's/=1-t/=t-1/' shrinks.yaml >negative.yaml
code "a negative length" 1 cardan run negative.yaml --quiet --force -o shrinks.csv
says "a negative length" "at t = 0 s its length is -1 m, but must be positive" err
# a pendulum on it turns without end before that
sed 's/gravity: .*/gravity: [0, 0, -9.81]/; /^joints/d' shrinks.yaml >spins.yaml
code "a pendulum on it" 3 cardan run spins.yaml --quiet --force -o spins.csv
says "a pendulum on it" "at t = 1 s its length becomes zero" err

# ---- at the very end of reach velocities have no limit: no row is given there
sed '/^name/d; /^gravity/d; s/, stabilization: baumgarte//' "$root/test/data/cli/workspace.yaml" >workspace.yaml
code "the end of reach, kinematics" 3 cardan kinematics workspace.yaml -c joints,accelerations --quiet --force -o reach.csv
python "the end of reach, kinematics" reach.csv <<'END'
import sys, csv
rows = [[float(x) for x in r] for r in list(csv.reader(open(sys.argv[1])))[1:]]
assert rows[-1][0] > 0.685 and max(map(abs, rows[-1])) < 1e4, rows[-1]
END

# ---- drivers beyond reach are named by all methods, when it begins, and no row comes after that
for i in regularized-euler regularized-midpoint generalized-alpha hht; do
    for f in dense lagrange; do
        case $i$f in regularized*lagrange) continue ;; esac  # rods have no inertia about themselves
        code "beyond reach, $i $f" 3 cardan run workspace.yaml -i $i -f $f -c joints --quiet --force -o reach.csv
        says "beyond reach, $i $f" "workspace.yaml:12:3: error: driver of 'bore' cannot be followed beyond t = 0." err
        if grep -qE 't = 0\.(699|700|7 )' err; then pass; else fail "its time, $i $f"; fi
        if tail -n 1 reach.csv | grep -qE '^0\.(69|7)0*[0-9]?,'; then pass; else fail "rows up to there, $i $f"; tail -n 1 reach.csv; fi
    done
done
# two drivers that agree up to t = 0.95 and then part: steps reach far beyond that, rows and the time told do not
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
    code "drivers that part, $i" 3 cardan run part.yaml -i $i -c joints --quiet --force -o part.csv
    if grep -qF 'beyond t = 0.95 s' err; then pass; else fail "their time, $i"; fi
    if tail -n 1 part.csv | grep -q '^0\.90*[0-9]*,'; then pass; else fail "rows up to there, $i"; tail -n 1 part.csv; fi
done

# ---- a disc that falls flat: rolling is not defined there
cat >disc.yaml <<'END'
cardan: 1
bodies: {d: {at: [0, 0, 0.5], orientation: {axis: x, angle: =-pi/2}, mass: 1, cylinder: {radius: 0.5, length: 0.02}}}
joints: {f: {free: [ground, d], start: {q: [0, 0, 0.5, =cos(pi/4+0.05), =-sin(pi/4+0.05), 0, 0], v: [0, 0, 0, 0, 0, 0], guess: true}}}
constraints: {r: {rolling: [d, ground], radius: 0.5}}
run: {duration: 2, output: 0.1}
END
for i in dopri5 rk4 semi-implicit-euler cvode-bdf ida generalized-alpha regularized-midpoint; do
    code "a disc falls flat, $i" 3 cardan run disc.yaml -i $i -c energy --quiet --force -o disc.csv
    says "a disc falls flat, $i" "disc.yaml:4:15: error: constraint 'r': at t = 0.88" err
    says "a disc falls flat, $i" "the disc lies flat on the plane" err
    python "a disc falls flat, $i" disc.csv <<'END'
import sys, csv
rows = [[float(x) for x in r] for r in list(csv.reader(open(sys.argv[1])))[1:]]
assert len(rows) == 9 and all(abs(r[3] - rows[0][3]) < 0.02 for r in rows), rows
END
done
# drawn so, it is refused by all, with one sentence
sed 's/q: \[.*v: \[/q: [0, 0, 0, 1, 0, 0, 0], v: [/' disc.yaml >flat.yaml
for c in check accel "compare --quiet" "run --quiet --force -o disc.csv"; do
    code "a disc that lies flat, $c" 1 cardan $c flat.yaml
    says "a disc that lies flat, $c" "flat.yaml:4:15: error: constraint 'r': at t = 0 s the disc lies flat on the plane" err
done

# ---- values that balance nothing
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
    says "--solve $p" "at work are left along 's'" err
done
code "--solve L0" 0 cardan equilibrium spring.yaml --solve L0 --json
true_of "--solve L0" out 'd["balanced"] and near(d["values"]["L0"], 1 - 2*9.81/1000)'

# ---- starts that no number can hold: the joint and its place
cat >far.yaml <<'END'
cardan: 1
bodies: {a: {rod: [[0, 0, 0], [1, 0, 0]], mass: 1}}
joints:
  h: {revolute: [ground, a], at: [0, 0, 0], axis: y, start: {q: 1e300}}
run: {duration: 1, output: 0.1}
END
code "a start too far" 1 cardan run far.yaml --quiet --force -o far.csv
says "a start too far" "far.yaml:4:65: error: joint 'h': the number 1e300 cannot be computed with: in SI units quantities go up to 1e+60" err
sed 's/q: 1e300/q: 1e30/' far.yaml >farther.yaml
code "a start far away" 1 cardan run farther.yaml --quiet --force -o far.csv
says "a start far away" "farther.yaml:4:3: error: joint 'h' cannot start at 1e+30" err
for absurd in 's/mass: 1}/mass: 1e308}/' 's/mass: 1}/mass: 5e-324}/' 's/\[1, 0, 0\]/[1e308, 0, 0]/' 's/q: 1e300/v: 1e308/' 's/^run/gravity: [0, 0, 1e308]\nrun/' 's/mass: 1}/mass: 1, inertia: [1e308, 1e308, 1e308]}/' \
    's/start: {q: 1e300}/damping: 1e200/'; do
    sed "$absurd; s/q: 1e300/q: 0/" far.yaml >absurd.yaml
    for command in check accel "run --quiet --force -o far.csv"; do
        code "$absurd" 1 cardan $command absurd.yaml
        says "$absurd" "absurd.yaml:" err
    done
done
sed 's/q: 1e300/q: 0/' far.yaml >here.yaml
code "a time without digits" 2 cardan run here.yaml -t 1e18 --quiet --force -o far.csv
says "a time without digits" "times about t = 1e+18 s have too few digits for a row every 0.1 s" err

# ---- steps so long that energy explodes: not only where loops come apart is told, but why
cat >explode.yaml <<'END'
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
    code "steps too long, $s" 3 cardan run explode.yaml -f lagrange -i explicit-euler --step 0.005 --stabilization $s --quiet --force -o explode.csv
    says "steps too long, $s" "note: before that energy drifted by" err
    says "steps too long, $s" "give smaller steps, or an integrator of higher order" err
    code "steps short enough, $s" 0 cardan run explode.yaml -f lagrange -i rk4 --step 0.001 --stabilization $s --quiet --force -o explode.csv
done

# ---- what is not given exactly moves least, whatever joints the tree cuts: the order of joints in the file is of no account
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
# a second prop beside it: each carries half, and nobody can know
sed 's/^forces/  prop2: {distance: [{on: beam, at: [3, 0, 0]}, {on: ground, at: [3, 0, -2]}]}\n&/' table.yaml >props.yaml
code "two props" 0 cardan accel props.yaml --json
true_of "two props" out 'near(d["results"][0]["constraint_reactions"]["prop"]["force"], [0, 0, (2*98.1 + 400)/6], 1e-6) and not d["results"][0]["constraint_reactions"]["prop2"]["unique"] and d["results"][0]["reactions"]["A"]["unique"]'
code "two props" 0 cardan run props.yaml -c reactions --force --json -o props.csv
true_of "two props" out 'd["reactions_not_unique"] == ["prop", "prop2"]'
says "two props" '"not_unique": "prop, prop2"' props.manifest.json

# ---- all events are told, and how many there were
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
says "very many events" "and 1,520 events more"

# ---- beyond the end of a curve, which goes on straight there: told by all who look at such a state
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
says "a pin leaves its slot" "slot.yaml:10:3: warning: constraint 'c': at t = 1 s 'pin' is beyond the end [1, 0, 1] m of its curve" err
sed 's/law: =t/law: =1.5+t/' slot.yaml >far.yaml
for c in check accel "run --force -o slot.csv" "kinematics --force -o slot.csv"; do
    code "a pin before its slot, $c" 0 cardan $c far.yaml
    says "a pin before its slot, $c" "warning: constraint 'c': at t = 0 s 'pin' is beyond the end [1, 0, 1] m of its curve" err
    if [ "$(grep -c beyond err)" = 1 ]; then pass; else fail "told once, $c"; fi
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
says "a curve that is a point" "all points of the curve coincide" err

# ---- a formula that is not defined from some time on: its force is named, with its place
cat >undefined.yaml <<'YAML'
cardan: 1
bodies: {x: {mass: 1, sphere: 0.1}}
joints: {f: {free: [ground, x]}}
forces: {k: {force: [1, 0, =log(0.3-t)], on: x}}
YAML
for i in dopri5 rk4 cvode-bdf; do
    code "formula that is not defined, $i" 3 cardan run undefined.yaml -i $i -d 1 --quiet --force -o undefined.csv
    says "formula that is not defined, $i" "undefined.yaml:4:10: error: the motion diverged at t = 0.3" err
    says "formula that is not defined, $i" "s: force 'k' has no value, its formula is not defined there" err
done

ends
