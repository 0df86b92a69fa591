#!/bin/sh
# Failures and warnings of the tool: error objects of --json, singular configurations, inconsistent drivers, drift,
# motions without inertia, locking gears, discontinuous force expressions; and the contents of manifests.
. "$(dirname "$0")/../support/tool.sh"

# ---- the state of a run that fails is that of its last output sample, with the time of this sample
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
code "accelerations at this state" 0 cardan accel fails.yaml --state fails.json
line "accelerations at this state" fails "t = 0.5 s"

# ---- with --json a command that fails before its report prints an error object
printf 'cardan: 1\nname: x\nbodies:\n  a: {masss: 1}\n' >bad.yaml
for c in accel run check assemble compare kinematics; do
    code "bad key, $c" 1 cardan $c bad.yaml --json
    true_of "bad key, $c" out 'd["error"]["status"] == "bad_input" and d["error"]["exit_code"] == 1'
    true_of "bad key, $c" out "d['error']['code'] == 'model_invalid' and \"'masss'\" in d['error']['message']"
    true_of "bad key, $c" out 'd["error"]["location"] == {"file": "bad.yaml", "line": 4, "column": 7}'
    message "bad key, $c" model_invalid "bad.yaml:4:7: error" "'a'" "'masss'" "'mass'"
done
code "no file" 1 cardan accel nowhere.yaml --json
true_of "no file" out 'd["error"]["status"] == "file_error" and d["error"]["location"]["line"] is None'
code "no such option" 2 cardan run "$root/models/pendulum" --frobnicate --json
true_of "no such option" out 'd["error"]["status"] == "bad_usage" and d["error"]["location"] is None'
code "no such integrator" 2 cardan run "$root/models/pendulum" --json -i rk5
true_of "no such integrator" out 'd["error"]["code"] == "unknown_name" and "rk4" in d["error"]["message"]'
code "no such command" 2 cardan frob --json
true_of "no such command" out "d['error']['status'] == 'bad_usage' and d['error']['code'] == 'unknown_command' and \"'frob'\" in d['error']['message']"
code "too many threads" 2 cardan run "$root/models/pendulum" --threads 100000
message "too many threads" usage "--threads" " 1024" " 100000"
code "linearize, unknown ending" 2 cardan linearize "$root/models/pendulum" -o x.txt
message "linearize, unknown ending" usage "'x.txt'" ".json" ".csv"
if [ -e x.txt ]; then fail "linearize writes x.txt"; else pass; fi
code "a mode that does not exist" 2 cardan modes "$root/models/pendulum" --draw 99
message "a mode that does not exist" usage "'pendulum'" " 2" " 99"
if [ -s out ]; then fail "a mode that does not exist: a report is printed"; else pass; fi
code "a compliant formulation compared with the reference" 0 cardan compare "$root/models/shoulder" --json
true_of "a compliant formulation compared with the reference" out '[(r["status"], 1e-9 < r["relative_difference"] < 1e-3) for r in d["formulations"] if r["formulation"] == "penalty"] == [("approximate", True)]'
cardan make rope-ladder 500 -q -o ladder-500.yaml
code "compare, many loops" 0 cardan compare ladder-500.yaml
line "compare, many loops" "rope-ladder-500: 1,500 " reduction
line "compare, many loops" "  dense " " s;" "--formulation dense"
code "check, many loops" 0 cardan check ladder-500.yaml --set N=3000
line "check, many loops" ": 9,000 " " 12,000 " " 3,000 loops" " 3,000 degrees"
line "check, many loops" " 9,000 " " 6000 " " 3000 "
code "no error and no warning" 0 cardan accel "$root/models/pendulum" --json
true_of "no error and no warning" out '"error" not in d and d["warnings"] == []'
code "without --json" 1 cardan accel bad.yaml
if [ -s out ]; then fail "nothing on standard output without --json"; else pass; fi

# ---- a singular configuration is reported by commands that solve or assemble at it
flat="$root/models/diagnosis/flat_parallelogram.yaml"
for f in dense lagrange reduction order-n augmented; do
    code "singular, accel $f" 0 cardan accel "$flat" -f $f
    message "singular, accel $f" singular_configuration "flat_parallelogram.yaml:14:3: warning" "0 s" "D, A, B and C" " 2 " " 1"
    code "singular, assemble $f" 0 cardan assemble "$flat" -f $f --json -o closed.json --force
    true_of "singular, assemble $f" out 'len(d["warnings"]) == 1 and "flat_parallelogram.yaml:14:3: warning" in d["warnings"][0] and "D, A, B and C" in d["warnings"][0]'
    message "singular, assemble $f" singular_configuration "flat_parallelogram.yaml:14:3: warning" "0 s"
done
code "singular, all" 0 cardan accel "$flat" -f all --json
true_of "singular, all" out 'len(d["warnings"]) == 1 and "D, A, B and C" in d["warnings"][0] and "cardan run" in d["warnings"][0]'
code "singular, inverse" 0 cardan inverse "$flat" --motors A,B --json
true_of "singular, inverse" out 'len(d["warnings"]) == 1 and "D, A, B and C" in d["warnings"][0] and "cardan run" in d["warnings"][0]'
message "singular, inverse" singular_configuration "flat_parallelogram.yaml:14:3: warning" "0 s" "D, A, B and C"
code "singular, quiet" 0 cardan accel "$flat" --quiet
if [ -s err ]; then fail "messages with --quiet"; else pass; fi
code "a state assembled at a singular configuration" 0 cardan accel "$flat" --state closed.json --quiet

# ---- a run from a singular configuration: regularized starts with a warning; formulations that solve for multipliers
# end with an error and a note that names regularized
for f in dense lagrange reduction order-n augmented augmented-last embedding penalty; do
    code "singular start, $f" 1 cardan run "$flat" -f $f -o flat.csv
    message "singular start, $f" singular_configuration "flat_parallelogram.yaml:14:3: error" "0 s" "D, A, B and C" " 1"
    message "singular start, $f" singular_start "--formulation regularized"
    if [ -e flat.csv ]; then fail "singular start, $f creates a file"; else pass; fi
done
code "singular start, regularized" 0 cardan run "$flat" -f regularized -d 2 --json -o flat.csv
message "singular start, regularized" singular_start "0 s" "D, A, B and C"
# the parallelogram stays a parallelogram: a pendulum of length 1 m, inertia 2/3 + 2 kg m^2, weight of 3 kg, angle -pi
# to 0
true_of "singular start, branch" out 'abs(d["final"]["joints"]["A"]["q"][0] + d["final"]["joints"]["B"]["q"][0]) < 1e-8 and d["constraint_violation"]["position"] < 1e-9'
true_of "singular start, energy" out 'abs(d["energy"]["error"]) < 1e-6 and abs(d["final"]["joints"]["A"]["v"][0] ** 2 * (2 / 3 + 2) / 2 + 3 * 9.81 * __import__("math").sin(d["final"]["joints"]["A"]["q"][0])) < 1e-5'
code "singular start, regularized-midpoint" 0 cardan run "$flat" -i regularized-midpoint --step 1e-3 -d 1 --json -o flat-2.csv
true_of "singular start, regularized-midpoint" out 'abs(d["final"]["joints"]["A"]["q"][0] + d["final"]["joints"]["B"]["q"][0]) < 1e-3'
code "instantaneous mobility" 1 cardan run "$root/models/diagnosis/stretched.yaml" -f regularized
message "instantaneous mobility" singular_configuration "stretched.yaml:12:3: error" "0 s" "C, A and B" " 1 "
code "instantaneous mobility, check" 1 cardan check "$root/models/diagnosis/stretched.yaml"
line "instantaneous mobility, check" "two stretched bars: 2 " " 3 joints" " 1 loop" " 1 degree"

# ---- a driven piston at its dead centre: the run starts with the suggested formulation and with the suggested velocity
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
message "dead centre" singular_configuration "piston.yaml:11:3: error" "0 s" "S, X, P and O" " 1 " " 0"
message "dead centre" singular_start "--formulation regularized"
other=$(grep -oE -- '-?[0-9.e-]+ rad/s' err | tail -n 1 | cut -d' ' -f1)
if [ -n "$other" ]; then pass; else fail "velocity of the other branch"; fi
sed "s|P: {.*axis: z|&, start: {v: $other}|" piston.yaml >other.yaml
code "dead centre, regularized" 0 cardan run piston.yaml -f regularized --quiet --force -o piston.csv
code "dead centre, other branch" 0 cardan run other.yaml -f regularized --quiet --force -o piston.csv
for f in dense regularized; do
    code "kinematics at a dead centre, $f" 1 cardan kinematics piston.yaml -f $f
    message "kinematics at a dead centre, $f" singular_start "cardan run --formulation regularized"
done

# ---- a regularization that is refused: no files are created
code "refused regularization" 2 cardan run "$root/models/four_bar" -i regularized-euler --step 1e-3 --regularization 1e-9 -o soft.csv
message "refused regularization" regularization_unstable "0 s" "1e-09" "0.001 s" "0.00194"
if ls soft.* >/dev/null 2>&1; then fail "refused regularization creates files"; else pass; fi
code "violation above its tolerance" 0 cardan run "$root/models/four_bar" -i regularized-midpoint --step 1e-3 --violation-tolerance 1e-12 -d 0.1 -o soft.csv
message "violation above its tolerance" violation_limit "20 of 20" "1e-12" "0 s"
line "violation above its tolerance, event" "t = 0  " "'C'"
line "violation above its tolerance, summary" "20 of 20"

# ---- two linkages, one of which passes singular configurations: its loop is named with every formulation
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
    code "two linkages, $f" 0 cardan run two.yaml -f $f --json --force -o two.csv
    true_of "two linkages, $f" out '[e["kind"] for e in d["events"]] == ["singular"] * 3 and all("d, a, b and c" in e["text"] for e in d["events"])'
done

# ---- a driven motion that starts at a dead centre and passes others: velocities of the branch and joints of the loop
# are named
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
code "start at a dead centre" 0 cardan run pulled.yaml -f regularized --json --force -o pulled.csv
message "start at a dead centre" branch_chosen "pulled.yaml:8:3: warning" "'main'" "'big'" "'small'" "'bore'" "4.31969 rad/s"
true_of "passed dead centres" out 'len([e for e in d["events"] if e["kind"] == "singular" and "bore, small, big and main" in e["text"]]) == 2'

# ---- check: the closing joint of the loop, and the table of all joints
code "check" 0 cardan check "$root/models/four_bar"
line "check, loop" "ground -A- crank -B- coupler -C- rocker -D- ground" " D"
if grep -qE '^  D +revolute +rocker - ground +.*loop 1 +0 +-0.623' out; then pass; else fail "check, table"; cat out; fi
if grep -qE '^  C +revolute +coupler - rocker +.*\[rad\] +0 +0.668' out; then pass; else fail "check, other joints of the table"; cat out; fi

# ---- driver functions that are inconsistent in their accelerations only
cat >drivers.yaml <<'END2'
cardan: 1
name: drivers
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
for c in "check" "run --force -o drivers.csv" "accel"; do
    code "accelerations, $c" 1 cardan $c drivers.yaml
    message "accelerations, $c" driver_inconsistent "drivers.yaml:9:3: error" "0 s" "'main'" "'bore'"
done
sed 's/, driver: "=-0.5\*t"//' drivers.yaml >one.yaml
code "one driver" 0 cardan check one.yaml

# ---- a Bennett linkage without stabilization of its positions: the message reports drift
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
        message "drift, $f $s" constraint_drift "bennett.yaml" "'bennett'" "projection"
    done
    code "no drift, $f" 0 cardan run bennett.yaml -d 3 -f $f --quiet --force -o drift.csv
done

# ---- manifests name the file on the command line, not the included file; inverse dynamics of a motion writes a
# manifest
code "manifest, run" 0 cardan run "$root/models/five_bar_redundant" --duration 0.1 -o five.csv --quiet
true_of "manifest, run" five.manifest.json 'd["model"]["file"].endswith("five_bar_redundant/five_bar_redundant.yaml")'
sum=$(sha256sum "$root/models/five_bar_redundant/five_bar_redundant.yaml" | cut -c1-64)
says "manifest, digest" "$sum" five.manifest.json
code "manifest, motion" 0 cardan run "$root/models/four_bar" --duration 0.5 -o motion.csv --quiet
code "manifest, inverse" 0 cardan inverse "$root/models/four_bar" --motors D --motion motion.csv --set a=1 -o torque.csv
true_of "manifest, inverse" torque.manifest.json 'd["model"]["file"].endswith("four_bar/four_bar.yaml") and d["settings"]["analysis"] == "inverse dynamics"'
true_of "manifest, inverse" torque.manifest.json 'd["settings"]["motion"] == "motion.csv" and d["settings"]["motors"] == "D" and d["set"]["a"] == "1"'
true_of "manifest, inverse" torque.manifest.json 'd["outcome"]["status"] == "ok" and d["outcome"]["samples"] > 10 and d["results"] == "torque.csv"'

# ---- with all formulations, one that does not support the mechanism gives a note; undetermined motions are an error of
# all
cp "$root/test/data/cli/massless.yaml" .
code "massless rod, all" 0 cardan accel massless.yaml -f all
line "massless rod, augmented" massless "t = 0 s" "augmented:"
line "massless rod, order-n" massless "t = 0 s" "order-n:"
message "massless rod, trees only" loops_not_supported "'massless'" " 1" "'semi'"
code "massless rod, compare" 0 cardan compare massless.yaml --json
true_of "massless rod, compare" out 'all(r["relative_difference"] < 1e-6 for r in d["formulations"] if r["status"] == "ok")'
code "massless rod, an integrator that cuts all joints" 3 cardan run massless.yaml -f lagrange -i regularized-midpoint -o m.csv
message "massless rod, an integrator that cuts all joints" zero_inertia "'piston'" "0 s"
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
code "rotation of a rod about its axis" 1 cardan accel spins.yaml
message "rotation of a rod about its axis" zero_inertia "spins.yaml:3:3: error" "'r'" "0 s" "(0.941, 0.282, 0.188)"
code "rotation of a rod about its axis, all" 1 cardan accel spins.yaml -f all
# a rod between two spherical joints, with and without mass: every command names the axis
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
        code "a rod between spherical joints, $command" 1 cardan $command rod.yaml
        message "a rod between spherical joints, $command" zero_inertia "rod.yaml:4:3: error" "'r'" "0 s" "(0.667, 0.667, 0.333)"
    done
done

# ---- diagnosis: statically indeterminate directions; gears that lock their joints
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
code "statically indeterminate directions" 0 cardan check rungs.yaml --json
true_of "statically indeterminate directions" out "any('loop 2' in m and 'JA, JB, JF and JE' in m and ' y ' in m and 'JA to JF' in m for m in d['messages'])"
cat >gears.yaml <<'END'
cardan: 1
bodies: {a: {mass: 1, inertia: [1, 1, 1]}, b: {mass: 1, inertia: [1, 1, 1]}}
joints: {j: {revolute: [ground, a], at: [0, 0, 0], axis: z}, k: {revolute: [ground, b], at: [0, 0, 0], axis: z}}
constraints: {d: {gear: [j, k], teeth: [10, 20]}, e: {gear: [k, j], teeth: [20, 11]}}
END
code "gears that lock" 0 cardan check gears.yaml
message "gears that lock" locked_mechanism "gears.yaml:4:51: warning" "'d'" "'e'" "'j'" "'k'"
for f in augmented reduction lagrange; do
    code "a run of gears that lock, $f" 0 cardan run gears.yaml -f $f --duration 0.1 --force
    message "a run of gears that lock, $f" locked_mechanism "'d'" "'e'" "'j'" "'k'"
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
    message "a ring of gears, $c" locked_mechanism "'ab'" "'bc'" "'ca'" "'a'" "'b'" "'c'"
    sed 's/ca: {gear: \[c, a\], teeth: \[20, 20\]/ca: {belt: [c, a], radii: [0.1, 0.1]/' ring.yaml >rotates.yaml
    code "a ring that rotates, $c" 0 cardan $c rotates.yaml
    lacks "a ring that rotates, $c" "[locked_mechanism]" err
done
sed "s/axis: z}, k/axis: z, driver: =t}, k/" gears.yaml >asked.yaml
code "gears that lock a driven joint" 1 cardan check asked.yaml
message "gears that lock a driven joint" inconsistent_constraints "asked.yaml:3:10: error" "0 s" "'j'"
sed "s/axis: z}}/axis: z}, m: {revolute: [b, c], at: [0, 0, 0], axis: x}}/; s/bodies: {/bodies: {c: {mass: 1, inertia: [1, 1, 1]}, /" gears.yaml >more.yaml
code "gears that lock, with another joint" 0 cardan check more.yaml
message "gears that lock, with another joint" locked_mechanism "more.yaml:4:51: warning" "'d'" "'e'" "'j'" "'k'"
sed 's/20, 11/20, 10/' gears.yaml >repeated.yaml
code "redundant gears" 0 cardan check repeated.yaml --json
true_of "redundant gears" out "(d['redundant'], d['dof']) == (1, 1) and any('gear e' in m for m in d['messages'])"
lacks "redundant gears" "[locked_mechanism]" err

# ---- discontinuous force expressions: a motion that stays at the discontinuity ends with the line of the expression; a
# motion that passes it continues
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
    message "dry friction by $i" chattering "jump.yaml:7:3: error" "'brake'" "0.666" "sign(v(s, 1))" "'friction'"
done
code "dry friction by generalized-alpha" 3 cardan run jump.yaml -i generalized-alpha -o jump.csv --force
message "dry friction by generalized-alpha" chattering "jump.yaml:7:3: note" "'brake'" "sign(v(s, 1))"
friction "if(v(s) > 0, -3, 3)" >jump.yaml
code "dry friction by if" 3 cardan run jump.yaml -o jump.csv --force
message "dry friction by if" chattering "jump.yaml:7:3: error" "'brake'" "0.666" "0 < v(s, 1)"
friction "-3*sign(v(s))" >jump.yaml
code "dry friction in fixed steps" 0 cardan run jump.yaml -i semi-implicit-euler -d 3 -o jump.csv --force
message "dry friction in fixed steps" chattering "jump.yaml:7:3: warning" "'brake'" "0.4 s" "sign(v(s, 1))" "'friction'"
friction "-3*tanh(v(s)/0.001)" >steep.yaml
code "a steep expression" 0 cardan run steep.yaml --json -o steep.csv --force
true_of "a steep expression" out "near(d['final']['joints']['s']['q'][0], 2/3, 1e-4)"
friction "-9*sign(q(s))" >pass.yaml
for i in dopri5 cvode-bdf; do
    code "discontinuities that are passed, by $i" 0 cardan run pass.yaml -i $i -d 8 --json -o pass.csv --force
    # period 4 v/9, time 4/9 s from one discontinuity to the next: at 8 s the 18th has been passed
    true_of "discontinuities that are passed, by $i" out "near(d['final']['joints']['s']['q'][0], 0, 1e-4) and near(d['final']['joints']['s']['v'][0], 2, 1e-4)"
    lacks "discontinuities that are passed, by $i" "[chattering]" err
done
cat >state.yaml <<'END'
cardan: 1
name: relay
bodies: {a: {mass: 1, inertia: [1, 1, 1], at: [0, 0, 0]}}
joints: {s: {prismatic: [ground, a], at: [0, 0, 0], axis: x}}
states: {relay: {start: 1, rate: "=-4*sign(relay - 0.5)"}}
run: {duration: 1, output: 0.1}
END
code "a discontinuous rate of a state" 3 cardan run state.yaml -o state.csv --force
message "a discontinuous rate of a state" chattering "state.yaml:5:10: error" "'relay'" "0.125" "sign(relay - 0.5)"

ends
