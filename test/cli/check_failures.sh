#!/bin/sh
# What the tool says where something is wrong or doubtful: as JSON, about singular poses, about laws that contradict each other; and what manifests name.
. "$(dirname "$0")/../support/tool.sh"

# ---- the state of a run that fails is that of its last row, with the time of that row
cat >fails.yaml <<'END'
cardan: 1
name: fails
bodies: {rod: {rod: [[0, 0, 0], [1, 0, 0]], mass: 1}}
joints: {hinge: {revolute: [ground, rod], at: [0, 0, 0], axis: y}}
forces: {push: {actuator: hinge, effort: =sqrt(0.7 - t)}}
run: {duration: 2, output: 0.5}
END
code "a run that fails" 3 cardan run fails.yaml --json
true_of "a run that fails" out '0.5 < d["time"] <= 0.7 and d["final"]["time"] == 0.5'
cp out fails.json
code "and goes on" 0 cardan accel fails.yaml --state fails.json
says "and goes on" "at t = 0.5 s" out

# ---- a command that fails before its report prints an error object where --json asks for one
printf 'cardan: 1\nname: x\nbodies:\n  a: {masss: 1}\n' >bad.yaml
for c in accel run check assemble compare kinematics; do
    code "bad key, $c" 1 cardan $c bad.yaml --json
    true_of "bad key, $c" out 'd["error"]["status"] == "bad_input" and d["error"]["exit_code"] == 1'
    true_of "bad key, $c" out "\"there is no key 'masss'\" in d['error']['message']"
    true_of "bad key, $c" out 'd["error"]["location"] == {"file": "bad.yaml", "line": 4, "column": 7}'
    says "bad key, $c, for people" "bad.yaml:4:7: error: body 'a'" err
done
code "no file" 1 cardan accel nowhere.yaml --json
true_of "no file" out 'd["error"]["status"] == "no_file" and d["error"]["location"]["line"] is None'
code "no such option" 2 cardan run "$root/models/pendulum" --frobnicate --json
true_of "no such option" out 'd["error"]["status"] == "bad_usage" and d["error"]["location"] is None'
code "no such integrator" 2 cardan run "$root/models/pendulum" --json -i rk5
true_of "no such integrator" out '"rk4" in d["error"]["message"]'
code "no such command" 2 cardan frob --json
true_of "no such command" out "d['error']['status'] == 'bad_usage' and d['error']['message'] == \"there is no command 'frob'\""
code "too many threads" 2 cardan run "$root/models/pendulum" --threads 100000
says "too many threads" "--threads is at most 1024, not 100000" err
code "linearize, unknown ending" 2 cardan linearize "$root/models/pendulum" -o x.txt
says "linearize, unknown ending" "'x.txt' ends neither in .json" err
if [ -e x.txt ]; then fail "linearize writes x.txt"; else pass; fi
code "a mode that cannot be" 2 cardan modes "$root/models/pendulum" --draw 99
says "a mode that cannot be" "has at most 2 modes, there is no mode 99 to draw" err
if [ -s out ]; then fail "a mode that cannot be: computed first"; else pass; fi
code "compare with a soft baseline" 0 cardan compare "$root/models/shoulder" --json
true_of "compare with a soft baseline" out '[(r["status"], 1e-9 < r["relative_difference"] < 1e-3) for r in d["formulations"] if r["formulation"] == "penalty"] == [("approximate", True)]'
cardan make rope-ladder 500 -q -o ladder-500.yaml
code "compare, many loops" 0 cardan compare ladder-500.yaml
says "compare, many loops" "dense is not run: it would need about"
says "compare, many loops" "compared with reduction"
code "check, many loops" 0 cardan check ladder-500.yaml --set N=3000
says "check, many loops" "9,000 moving bodies, 12,000 joints, 3,000 loops, 3,000 degrees of freedom"
says "check, many loops" "9,000 equations, 6000 of them independent"
code "a good one" 0 cardan accel "$root/models/pendulum" --json
true_of "a good one" out '"error" not in d and d["warnings"] == []'
code "without --json" 1 cardan accel bad.yaml
if [ -s out ]; then fail "nothing on standard output without --json"; else pass; fi

# ---- a singular pose is told by who solves at it, and who closes it
flat="$root/models/doctor/flat_parallelogram.yaml"
for f in dense lagrange reduction order-n augmented; do
    code "singular, accel $f" 0 cardan accel "$flat" -f $f
    says "singular, accel $f" "warning: the pose at t = 0 s is singular for the loop of" err
    says "singular, accel $f" "2 motions are possible at first order instead of 1: in loop 1 all four axes lie in one plane" err
    code "singular, assemble $f" 0 cardan assemble "$flat" -f $f --json -o closed.json --force
    true_of "singular, assemble $f" out 'len(d["warnings"]) == 1 and "singular" in d["warnings"][0]'
    says "singular, assemble $f" "warning: the pose at t = 0 s is singular" err
done
code "singular, all" 0 cardan accel "$flat" -f all --json
true_of "singular, all" out 'len(d["warnings"]) == 1 and "at it alone may be mostly rounding" in d["warnings"][0]'
code "singular, inverse" 0 cardan inverse "$flat" --motors A,B --json
true_of "singular, inverse" out 'len(d["warnings"]) == 1 and "at it alone may be mostly rounding" in d["warnings"][0]'
says "singular, inverse" "warning: the pose at t = 0 s is singular for the loop of" err
code "singular, quiet" 0 cardan accel "$flat" --quiet
if [ -s err ]; then fail "quiet"; else pass; fi
code "a state that was closed at a singular pose" 0 cardan accel "$flat" --state closed.json --quiet

# ---- a run from there: regularization goes on, with a warning; who solves for multipliers refuses, and says who can
for f in dense lagrange reduction order-n augmented augmented-last embedding penalty; do
    code "singular start, $f" 1 cardan run "$flat" -f $f -o flat.csv
    says "singular start, $f" "error: the pose at t = 0 s is singular for the loop of" err
    says "singular start, $f" "in loop 1 all four axes lie in one plane" err
    says "singular start, $f" "'--formulation regularized' starts there all the same" err
    if [ -e flat.csv ]; then fail "singular start, $f leaves a file"; else pass; fi
done
code "singular start, regularized" 0 cardan run "$flat" -f regularized -d 2 --json -o flat.csv
says "singular start, regularized" "warning: the pose at t = 0 s is singular for the loop of D, A, B and C" err
# the parallelogram stays one: a pendulum of length 1 with the inertia 2/3 + 2 and the weight of 3 kg, angle -pi to 0
true_of "singular start, branch" out 'abs(d["final"]["joints"]["A"]["q"][0] + d["final"]["joints"]["B"]["q"][0]) < 1e-8 and d["constraint_violation"]["position"] < 1e-9'
true_of "singular start, energy" out 'abs(d["energy"]["error"]) < 1e-6 and abs(d["final"]["joints"]["A"]["v"][0] ** 2 * (2 / 3 + 2) / 2 + 3 * 9.81 * __import__("math").sin(d["final"]["joints"]["A"]["q"][0])) < 1e-5'
code "singular start, stepper" 0 cardan run "$flat" -i regularized-midpoint --step 1e-3 -d 1 --json -o flat-2.csv
true_of "singular start, stepper" out 'abs(d["final"]["joints"]["A"]["q"][0] + d["final"]["joints"]["B"]["q"][0]) < 1e-3'
code "shaky start" 1 cardan run "$root/models/doctor/stretched.yaml" -f regularized
says "shaky start" "no pose nearby closes" err
code "shaky, check" 1 cardan check "$root/models/doctor/stretched.yaml"
says "shaky, check" ", 1 degree of freedom at first order only"

# ---- a driven piston leaves its dead centre: advice that holds when it is taken, with the digits that were printed
cat >piston.yaml <<'END'
cardan: 1
gravity: [0, 0, 0]
bodies:
  crank:  {rod: [[0, 0, 0], [0.3, 0, 0]], mass: 1}
  rod:    {rod: [[0.3, 0, 0], [1.3, 0, 0]], mass: 1}
  piston: {at: [1.3, 0, 0], mass: 2, inertia: [1, 1, 1]}
joints:
  O: {revolute: [ground, crank], at: [0, 0, 0], axis: z}
  P: {revolute: [crank, rod], at: [0.3, 0, 0], axis: z}
  X: {revolute: [rod, piston], at: [1.3, 0, 0], axis: z}
  S: {prismatic: [ground, piston], at: [1.3, 0, 0], axis: x, driver: =-0.1*t^2}
run: {duration: 0.5, output: 0.1}
END
code "dead centre" 1 cardan run piston.yaml
says "dead centre" ": 1 motion is possible at first order instead of 0" err
says "dead centre" "note: '--formulation regularized' starts there all the same" err
other=$(sed -n 's|.*another has \([-0-9.e]*\) rad/s there.*|\1|p' err)
sed "s|P: {.*axis: z|&, start: {v: $other}|" piston.yaml >other.yaml
code "dead centre, regularized" 0 cardan run piston.yaml -f regularized --quiet --force -o piston.csv
code "dead centre, the other way" 0 cardan run other.yaml -f regularized --quiet --force -o piston.csv
for f in dense regularized; do
    code "kinematics at a dead centre, $f" 1 cardan kinematics piston.yaml -f $f
    says "kinematics at a dead centre, $f" "note: 'cardan run --formulation regularized' starts there all the same" err
done

# ---- an epsilon that is refused leaves nothing behind
code "refused epsilon" 2 cardan run "$root/models/four_bar" -i regularized-euler --step 1e-3 --regularization 1e-9 -o soft.csv
says "refused epsilon" "is too small for steps of 0.001 s" err
if ls soft.* >/dev/null 2>&1; then fail "refused epsilon leaves files"; else pass; fi
code "missed gap" 0 cardan run "$root/models/four_bar" -i regularized-midpoint --step 1e-3 --violation-tolerance 1e-12 -d 0.1 -o soft.csv
says "missed gap" "windows leave more than the gap of 1e-12 that was asked for" err
says "missed gap, event" "t = 0         joint 'C': a window leaves a gap of"
says "missed gap, summary" "20 of 20 windows leave more than the gap that was asked for"

# ---- two linkages, of which one passes singular poses: that one is named, whatever solves
cat >two.yaml <<'END2'
cardan: 1
name: two linkages
gravity: [0, -9.81, 0]
points: {P: [0, 0, 0], Q: [0.5, 0.8660254037844386, 0], R: [2.55, 1.4109, 0], S: [2, 0, 0], A: [5, 0, 0], B: [5, 1, 0], C: [6, 1, 0], D: [6, 0, 0]}
bodies:
  crank:   {rod: [P, Q], mass: 1}
  coupler: {rod: [Q, R], mass: 2}
  rocker:  {rod: [R, S], mass: 1.5}
  left:    {rod: [A, B], mass: 1}
  beam:    {rod: [B, C], mass: 1}
  right:   {rod: [C, D], mass: 1}
joints:
  p: {revolute: [ground, crank],   at: P, axis: z, start: {v: 1}}
  q: {revolute: [crank, coupler],  at: Q, axis: z}
  r: {revolute: [coupler, rocker], at: R, axis: z}
  s: {revolute: [rocker, ground],  at: S, axis: z}
  a: {revolute: [ground, left],    at: A, axis: z, start: {v: -1}}
  b: {revolute: [left, beam],      at: B, axis: z}
  c: {revolute: [beam, right],     at: C, axis: z}
  d: {revolute: [right, ground],   at: D, axis: z}
run: {duration: 3, output: 0.01, integrator: rk4}
END2
for f in dense lagrange reduction order-n augmented; do
    code "two linkages, $f" 0 cardan run two.yaml -f $f --force -o two.csv
    if [ "$(grep -c 'the loop of d, a, b and c passes a singular pose' out)" -eq 3 ]; then pass; else fail "two linkages, $f"; cat out; fi
    lacks "two linkages, $f" "loops" out
done

# ---- pulled out of a dead centre and through others: velocities are found and told, and the loop is named by its joints
cat >pulled.yaml <<'END2'
cardan: 1
name: pulled
points: {O: [0, 0, 0], P: [0.3, 0, 0], X: [1.1, 0, 0]}
bodies: {crank: {rod: [O, P], mass: 1}, rod: {rod: [P, X], mass: 1}, slider: {at: X, mass: 2}}
joints:
  main:  {revolute: [ground, crank],   at: O, axis: z}
  big:   {revolute: [crank, rod],      at: P, axis: z}
  small: {revolute: [rod, slider],     at: X, axis: z}
  bore:  {prismatic: [ground, slider], at: X, axis: x, driver: "=0.3*cos(pi*t)+sqrt(0.64-0.09*sin(pi*t)^2)-1.1"}
run: {duration: 2.5, output: 0.1}
END2
code "out of a dead centre" 0 cardan run pulled.yaml -f regularized --force -o pulled.csv
says "out of a dead centre" "the start is a singular pose of joints 'main', 'big', 'small', 'bore', where motions branch" err
if [ "$(grep -c 'the loop of bore, small, big and main passes a singular pose' out)" -eq 2 ]; then pass; else fail "through dead centres"; cat out; fi

# ---- check names the same joint above and in its table, and the table has all joints
code "check" 0 cardan check "$root/models/four_bar"
says "check, text" "closed at D"
if grep -qE '^  D +revolute +rocker - ground +closes loop 1 +0 +-0.623' out; then pass; else fail "check, table"; cat out; fi
if grep -qE '^  C +revolute +coupler - rocker +angle' out; then pass; else fail "check, other joints of the table"; cat out; fi

# ---- laws that contradict each other in accelerations only
cat >laws.yaml <<'END2'
cardan: 1
name: laws
points: {O: [0, 0, 0], P: [0, 0.5, 0], X: [1.4142135623730951, 0, 0]}
bodies:
  crank:  {rod: [O, P], mass: 2}
  rod:    {rod: [P, X], mass: 1}
  piston: {at: X, mass: 3, inertia: [0.01, 0.01, 0.01]}
joints:
  main:  {revolute: [ground, crank],   at: O, axis: z, driver: "=t"}
  big:   {revolute: [crank, rod],      at: P, axis: z}
  small: {revolute: [rod, piston],     at: X, axis: z}
  bore:  {prismatic: [ground, piston], at: X, axis: x, driver: "=-0.5*t"}
END2
for c in "check" "run --force -o laws.csv" "accel"; do
    code "accelerations, $c" 1 cardan $c laws.yaml
    says "accelerations, $c" "at t = 0 s driver of" err
    says "accelerations, $c" "cannot be followed" err
done
sed 's/, driver: "=-0.5\*t"//' laws.yaml >one.yaml
code "one law alone" 0 cardan check one.yaml

# ---- a Bennett linkage that nobody keeps closed: its drift is blamed, not a joint
cat >bennett.yaml <<'END2'
cardan: 1
name: bennett
gravity: [0, 0, -9.81]
points:
  P0: [0, 0, 0]
  P1: [0.5403023058681398, 0.8414709848078965, 0]
  P2: [-0.5197663253858764, -0.1146558415163565, 0.3150143355747577]
  P3: [-1.461902200081544, 0, 0]
bodies:
  L1: {mass: 1,   centre: [0.2701511529340699, 0.4207354924039483, 0], inertia: [0.05, 0.06, 0.07]}
  L2: {mass: 1.3, centre: [0.01026799024113167, 0.36340757164577, 0.1575071677873789], inertia: [0.06, 0.06, 0.068]}
  L3: {mass: 1.6, centre: [-0.9908342627337101, -0.05732792075817819, 0.1575071677873789], inertia: [0.07, 0.06, 0.066]}
joints:
  J0: {revolute: [ground, L1], at: P0, axis: z, start: {v: 1}}
  J1: {revolute: [L1, L2], at: P1, axis: [0.540887122945246, -0.347299627697107, 0.766044443118978]}
  J2: {revolute: [L2, L3], at: P2, axis: [-0.2154824964058377, 0.512721214452273, 0.8310741543287785]}
  J3: {revolute: [L3, ground], at: P3, axis: [0, 0.9396926207859084, 0.3420201433256688]}
END2
for f in augmented order-n; do
    for s in none velocity; do
        code "drift, $f $s" 3 cardan run bennett.yaml -d 4 -f $f --stabilization $s --quiet --force -o drift.csv
        says "drift, $f $s" "the loops of 'bennett' have drifted apart, by" err
        says "drift, $f $s" "stabilization by projection keeps loops closed" err
    done
    code "no drift, $f" 0 cardan run bennett.yaml -d 3 -f $f --quiet --force -o drift.csv
done

# ---- manifests name the file that was given, not one that it includes; inverse dynamics of a motion has one too
code "manifest, run" 0 cardan run "$root/models/five_bar_redundant" --duration 0.1 -o five.csv --quiet
true_of "manifest, run" five.manifest.json 'd["model"]["file"].endswith("five_bar_redundant/five_bar_redundant.yaml")'
sum=$(sha256sum "$root/models/five_bar_redundant/five_bar_redundant.yaml" | cut -c1-64)
says "manifest, its digest" "$sum" five.manifest.json
code "manifest, motion" 0 cardan run "$root/models/four_bar" --duration 0.5 -o motion.csv --quiet
code "manifest, inverse" 0 cardan inverse "$root/models/four_bar" --motors D --motion motion.csv --set a=1 -o torque.csv
true_of "manifest, inverse" torque.manifest.json 'd["model"]["file"].endswith("four_bar/four_bar.yaml") and d["settings"]["analysis"] == "inverse dynamics"'
true_of "manifest, inverse" torque.manifest.json 'd["settings"]["motion"] == "motion.csv" and d["settings"]["motors"] == "D" and d["set"]["a"] == "1"'
true_of "manifest, inverse" torque.manifest.json 'd["outcome"]["status"] == "ok" and d["outcome"]["samples"] > 10 and d["results"] == "torque.csv"'
# ---- among all formulations one that does not take a mechanism is a row; motions that nothing determines are refused by every one
cp "$root/test/data/cli/massless.yaml" .
code "massless rod, all" 0 cardan accel massless.yaml -f all
says "massless rod, augmented" "by augmented: equations satisfied" out
says "massless rod, order-n" "by order-n: equations satisfied" out
says "massless rod, trees only" "note: 'massless' has 1 loop, and the formulation 'semi' takes trees only" err
code "massless rod, compare" 0 cardan compare massless.yaml --json
true_of "massless rod, compare" out 'all(r["relative_difference"] < 1e-6 for r in d["formulations"] if r["status"] == "ok")'
code "massless rod, an integrator that opens loops" 3 cardan run massless.yaml -f lagrange -i regularized-midpoint -o m.csv
says "massless rod, an integrator that opens loops" "body 'piston': at t = 0 s it has a motion without inertia, and this integrator" err
cat >spins.yaml <<'END'
cardan: 1
bodies:
  r: {rod: [[0, 0, 0], [1, 0.3, 0.2]], mass: 1}
  s: {at: [1, 0, 1], mass: 1, inertia: [0.1, 0.1, 0.1]}
joints:
  A: {spherical: [ground, r], at: [0, 0, 0]}
  B: {revolute: [ground, s], at: [1, 0, 1], axis: x}
constraints:
  bar: {distance: [{on: r, at: [1, 0.3, 0.2]}, {on: s, at: [1, 0.5, 1]}]}
END
code "a rod that spins" 1 cardan accel spins.yaml
says "a rod that spins" "nothing resists its rotation" err
code "a rod that spins, all" 1 cardan accel spins.yaml -f all
# a rod between two balls, with and without mass: its axis, whoever looks
for mass in 0 1; do
    cat >rod.yaml <<END
cardan: 1
bodies:
  c: {at: [0, 0, 0], mass: 1, inertia: [1, 1, 1]}
  r: {rod: [[1, 0, 0], [2, 1, 0.5]], mass: $mass}
  d: {at: [2, 0, 0], mass: 1, inertia: [1, 1, 1]}
joints:
  H: {revolute: [ground, c], at: [0, 0, 0], axis: z}
  A: {spherical: [c, r], at: [1, 0, 0]}
  B: {spherical: [r, d], at: [2, 1, 0.5]}
  K: {revolute: [ground, d], at: [2, 0, 0], axis: z}
END
    for command in check run "run -f lagrange" "accel -f dense" "accel -f order-n"; do
        # shellcheck disable=SC2086
        code "a rod between balls, $command" 1 cardan $command rod.yaml
        says "a rod between balls, $command" "rod.yaml:4:3: error: body 'r': at t = 0 s nothing resists its rotation about (0.667, 0.667, 0.333); give it an inertia" err
    done
done

# ---- what the doctor says: directions told once; couplings that lock what they couple
cat >rungs.yaml <<'END'
cardan: 1
points: {A: [0, 0, 0], B: [0, 1, 0], C: [2, 1, 0], D: [2, 0, 0], E: [1, 0, 0], F: [1, 1, 0]}
bodies: {a: {rod: [A, B], mass: 1}, b: {rod: [B, C], mass: 1}, c: {rod: [C, D], mass: 1}, e: {rod: [E, F], mass: 1}}
joints:
  JA: {revolute: [ground, a], at: A, axis: z, driver: "=t"}
  JB: {revolute: [a, b], at: B, axis: z}
  JC: {revolute: [b, c], at: C, axis: z}
  JD: {revolute: [c, ground], at: D, axis: z}
  JE: {revolute: [ground, e], at: E, axis: z}
  JF: {revolute: [b, e], at: F, axis: z}
END
code "loose directions" 0 cardan check rungs.yaml --json
says "loose directions" "at JA, JB, JF and JE, the forces along y at JA to JF are therefore not unique" out
cat >gears.yaml <<'END'
cardan: 1
bodies: {a: {mass: 1, inertia: [1, 1, 1]}, b: {mass: 1, inertia: [1, 1, 1]}}
joints: {j: {revolute: [ground, a], at: [0, 0, 0], axis: z}, k: {revolute: [ground, b], at: [0, 0, 0], axis: z}}
constraints: {d: {gear: [j, k], teeth: [10, 20]}, e: {gear: [k, j], teeth: [20, 11]}}
END
code "gears that lock" 0 cardan check gears.yaml
says "gears that lock" "warning: gear 'd' and gear 'e' together lock joints 'j' and 'k': their ratios contradict each other at every speed but zero, so that nothing in this mechanism can move" err
for f in augmented reduction lagrange; do
    code "a run of gears that lock, $f" 0 cardan run gears.yaml -f $f --duration 0.1 --force
    says "a run of gears that lock, $f" "gear 'd' and gear 'e' together lock joints 'j' and 'k'" err
done
cat >ring.yaml <<'END'
cardan: 1
bodies: {a: {mass: 1, inertia: [1, 1, 1]}, b: {mass: 1, inertia: [1, 1, 1]}, c: {mass: 1, inertia: [1, 1, 1]}}
joints:
  a: {revolute: [ground, a], at: [0, 0, 0], axis: z}
  b: {revolute: [ground, b], at: [1, 0, 0], axis: z}
  c: {revolute: [ground, c], at: [0, 1, 0], axis: z}
constraints: {ab: {gear: [a, b], teeth: [20, 20]}, bc: {gear: [b, c], teeth: [20, 20]}, ca: {gear: [c, a], teeth: [20, 20]}}
END
for c in check "run --duration 0.1 --force"; do
    code "a ring of gears, $c" 0 cardan $c ring.yaml
    says "a ring of gears, $c" "gear 'ab' and gear 'bc' and gear 'ca' together lock joints 'a' and 'b' and 'c': their ratios contradict each other" err
    sed 's/ca: {gear: \[c, a\], teeth: \[20, 20\]/ca: {belt: [c, a], radii: [0.1, 0.1]/' ring.yaml >turns.yaml
    code "a ring that turns, $c" 0 cardan $c turns.yaml
    lacks "a ring that turns, $c" "lock" err
done
sed "s/axis: z}, k/axis: z, driver: =t}, k/" gears.yaml >asked.yaml
code "gears that lock what is driven" 1 cardan check asked.yaml
says "gears that lock what is driven" "error: at t = 0 s driver of 'j' asks for a motion that the mechanism does not allow" err
sed "s/axis: z}}/axis: z}, m: {revolute: [b, c], at: [0, 0, 0], axis: x}}/; s/bodies: {/bodies: {c: {mass: 1, inertia: [1, 1, 1]}, /" gears.yaml >beside.yaml
code "gears that lock, and more" 0 cardan check beside.yaml
says "gears that lock, and more" "so that none of these can move" err
sed 's/20, 11/20, 10/' gears.yaml >repeated.yaml
code "gears that agree" 0 cardan check repeated.yaml
says "gears that agree" "which repeats what others already" out
# ---- formulas that jump: what is held at a jump does not get on, and is told with its line; what passes one does
friction() { # FORMULA of the effort along a slider that starts with 2 m/s, mass 1 kg
    cat <<END
cardan: 1
name: slider
gravity: [0, 0, -9.81]
bodies: {a: {mass: 1, at: [0, 0, 0]}}
joints: {s: {prismatic: [ground, a], at: [0, 0, 0], axis: x, start: {v: 2}}}
forces:
  brake: {actuator: s, effort: "=$1"}
run: {duration: 1, output: 0.1}
END
}
friction "-3*sign(v(s))" >jump.yaml
for i in dopri5 ida cvode-bdf cvode-adams; do
    code "dry friction by $i" 3 cardan run jump.yaml -i $i -o jump.csv --force
    says "dry friction by $i" "jump.yaml:7:3: error: force 'brake': at t = 0.666" err
    says "dry friction by $i" "the motion does not get on: sign(v(s, 1)) jumps to and fro there" err
    says "dry friction by $i" "give the joint a 'friction'" err
done
code "dry friction by generalized-alpha" 3 cardan run jump.yaml -i generalized-alpha -o jump.csv --force
says "dry friction by generalized-alpha" "jump.yaml:7:3: note: force 'brake': sign(v(s, 1)) jumps there" err
friction "if(v(s) > 0, -3, 3)" >jump.yaml
code "dry friction by if" 3 cardan run jump.yaml -o jump.csv --force
says "dry friction by if" "jumps to and fro there" err
friction "-3*sign(v(s))" >jump.yaml
code "dry friction in fixed steps" 0 cardan run jump.yaml -i semi-implicit-euler -d 3 -o jump.csv --force
says "dry friction in fixed steps" "jump.yaml:7:3: warning: force 'brake': from about t = " err
says "dry friction in fixed steps" "jumps to and fro from step to step" err
friction "-3*tanh(v(s)/0.001)" >steep.yaml
code "a steep law" 0 cardan run steep.yaml --json -o steep.csv --force
true_of "a steep law" out "near(d['final']['joints']['s']['q'][0], 2/3, 1e-4)"
friction "-9*sign(q(s))" >pass.yaml
for i in dopri5 cvode-bdf; do
    code "jumps that are passed, by $i" 0 cardan run pass.yaml -i $i -d 8 --json -o pass.csv --force
    # to and fro with the period 4 v/9, from one jump to the next in 4/9 s: at 8 s it has come through its 18th
    true_of "jumps that are passed, by $i" out "near(d['final']['joints']['s']['q'][0], 0, 1e-4) and near(d['final']['joints']['s']['v'][0], 2, 1e-4)"
    lacks "jumps that are passed, by $i" "jumps" err
done
cat >state.yaml <<'END'
cardan: 1
name: relay
bodies: {a: {mass: 1, inertia: [1, 1, 1], at: [0, 0, 0]}}
joints: {s: {prismatic: [ground, a], at: [0, 0, 0], axis: x}}
states: {relay: {start: 1, rate: "=-4*sign(relay - 0.5)"}}
run: {duration: 1, output: 0.1}
END
code "a state that jumps" 3 cardan run state.yaml -o state.csv --force
says "a state that jumps" "state.yaml:5:10: error: state 'relay': at t = 0.125" err

ends
