#!/bin/sh
# Prescribed motion: kinematics, inverse dynamics of recorded motions, drivers at the limit of the workspace, driver
# functions with discontinuities, inconsistent drivers, and values at singular configurations. References: closed forms
# of a Hooke joint, driver efforts of a forward run, limits of reactions at a pole.
. "$(dirname "$0")/../support/tool.sh"

cp "$root/test/data/cli/workspace.yaml" .

# ---- a driver that leaves the workspace at t = 0.7 s: its name and time are reported, and the samples before are kept
for f in dense lagrange; do
    for i in explicit-euler semi-implicit-euler midpoint rk4 dopri5 cvode-adams cvode-bdf ida; do
        for s in projection partitioning baumgarte none; do
            code "beyond the workspace, $f $i $s" 3 cardan run workspace.yaml -f $f -i $i --stabilization $s --quiet --force -o limit.csv
            message "beyond the workspace, $f $i $s" driver_limit "workspace.yaml:14:3: error" "'bore'"
            if grep -qE 't = 0\.(69|7)' err; then pass; else fail "time, $f $i $s"; fi
            if tail -n 1 limit.csv | grep -qE '^0\.(6[89]|7)'; then pass; else fail "samples before the failure, $f $i $s"; fi
        done
    done
    code "beyond the workspace, kinematics $f" 3 cardan kinematics workspace.yaml -f $f --quiet --force -o limit.csv
    message "beyond the workspace, kinematics $f" driver_limit "workspace.yaml:14:3: error" "'bore'" "0.7 s"
    if tail -n 1 limit.csv | grep -qE '^0\.(69|7)0*[0-9]?,'; then pass; else fail "samples before the failure, $f"; fi
done
code "beyond the workspace, check" 0 cardan check workspace.yaml
code "stabilization of the file" 3 cardan run workspace.yaml --force -o limit.csv
says "stabilization of the file" '"stabilization": "baumgarte"' limit.manifest.json
sed 's/baumgarte/projectoin/' workspace.yaml >typo.yaml
code "unknown stabilization of the file" 1 cardan run typo.yaml
message "unknown stabilization of the file" unknown_name "typo.yaml:15:49: error" "'projectoin'" "'projection'" "partitioning"

# ---- at the limit of the workspace every formulation names the driver at its limit, not the other driver
sed -e 's/main:  {revolute: \[ground,/main:  {revolute: [base,/' -e 's/bore:  {prismatic: \[ground,/bore:  {prismatic: [base,/' \
    -e 's/^joints:/  base:   {at: O, mass: 1, inertia: [0.1, 0.1, 0.1]}\njoints:\n  swing: {revolute: [ground, base], at: O, axis: y, driver: "=0.3*t"}/' -e 's/, stabilization: baumgarte//' workspace.yaml >two.yaml
for f in dense lagrange augmented order-n reduction embedding regularized; do
    code "two drivers, $f" 3 cardan run two.yaml -f $f --quiet --force -o two.csv
    message "two drivers, $f" driver_limit "two.yaml:16:3: error" "'bore'" "0."
done

# ---- an arm with three cylinders: only the bucket linkage is at its limit, and its cylinder is named although others
# carry larger forces
cp "$root/test/data/cli/excavator.yaml" .
for f in dense lagrange augmented order-n reduction embedding regularized; do
    code "excavator, $f" 3 cardan run excavator.yaml -f $f --quiet --force -o two.csv
    message "excavator, $f" driver_limit "excavator.yaml:41:3: error" "'p3'"
done
for i in midpoint rk4; do
    for s in none projection baumgarte partitioning; do
        code "excavator, $i $s" 3 cardan run excavator.yaml -f dense -i $i --stabilization $s --quiet --force -o two.csv
        message "excavator, $i $s" driver_limit "excavator.yaml:41:3: error" "'p3'"
    done
done
code "excavator, kinematics" 3 cardan kinematics excavator.yaml --quiet --force -o two.csv
message "excavator, kinematics" driver_limit "excavator.yaml:41:3: error" "'p3'" "0.831676"

# ---- driver functions that are undefined or discontinuous: at the start an input error, later the end of the run;
# driver, location, time and values are reported
driver_model() { # driver function of joint A
    cat >driver.yaml <<END
cardan: 1
name: driver
bodies:
  crank: {rod: [[0, 0, 0], [1, 0, 0]], mass: 1}
  arm:   {rod: [[1, 0, 0], [2, 0, 0]], mass: 1}
joints:
  A: {revolute: [ground, crank], at: [0, 0, 0], axis: y, driver: "=$1"}
  B: {revolute: [crank, arm], at: [1, 0, 0], axis: y, driver: =sin(t)}
run: {duration: 2, output: 0.01}
END
}
undefined_at_start() { # DRIVER VALUE
    driver_model "$1"
    for c in check assemble accel "run --quiet --force" "kinematics --quiet --force"; do
        code "driver $1, $c" 1 cardan $c driver.yaml
        message "driver $1, $c" driver_undefined "driver.yaml:7:3: error" "'A'" "0 s" "$2"
    done
}
undefined_at_start "1/t" "(inf rad)"
undefined_at_start "log(t)" "(-inf rad)"
undefined_at_start "sqrt(t - 1)" "not a number"
undefined_at_start "sqrt(t)" "(inf rad/s)"
ends_at() { # DRIVER TIME CODE TEXT...
    driver=$1 time=$2
    shift 2
    driver_model "$driver"
    for c in "run -f augmented" "run -f lagrange -i rk4" "run -f reduction -i cvode-bdf" kinematics; do
        code "driver $driver, $c" 3 cardan $c driver.yaml --quiet --force -o driver.csv
        message "driver $driver, $c" "$@" "driver.yaml:7:3: error" "'A'" "t = $time s"
        last=$(tail -n 1 driver.csv | cut -d, -f1)
        if awk "BEGIN { exit !($last > $time - 0.02 && $last <= $time) }"; then pass; else fail "samples, $driver, $c: $last"; fi
    done
}
ends_at "sqrt(1 - t)" 1 driver_undefined "-inf rad/s"
ends_at "log(1.5 - t)" 1.5 driver_undefined "-inf rad"
ends_at "if(t < 1, 0, 0.5)" 1 driver_discontinuity " 0 rad" " 0.5 rad"
ends_at "mod(t, 0.7)" 0.7 driver_discontinuity " 0.7 rad" " 0 rad"
for pair in "abs(t - 0.8)^1.5:0.8" "abs(t - 0.8)^1.9:0.8" "abs(3*t - 1)^1.5:0.333333333" "if(t < 0.7, 0, (t - 0.7)^1.5):0.7"; do
    driver_model "${pair%:*}"
    for c in "run -f augmented" "run -f lagrange -i rk4" "run -f reduction -i cvode-bdf" kinematics; do
        code "driver ${pair%:*}, $c" 3 cardan $c driver.yaml --quiet --force -o driver.csv
        message "driver ${pair%:*}, $c" driver_undefined "driver.yaml:7:3: error" "'A'" "t = ${pair#*:} s" "rad/s^2"
    done
done
driver_model "abs(t - 0.8)^2.5 + 0.3*sin(20*t)"
code "infinite third derivative" 0 cardan run driver.yaml --force -o driver.csv
lacks "infinite third derivative" "[driver_" err
driver_model "if(t <= 0, 0, 1)"
code "discontinuity at the start" 1 cardan run driver.yaml --quiet --force -o driver.csv
message "discontinuity at the start" driver_discontinuity "driver.yaml:7:3: error" "'A'" "t = 0 s" " 0 rad" " 1 rad"
driver_model "if(t < 1, 0, t - 1)"
code "velocity discontinuity" 0 cardan run driver.yaml --force -o driver.csv
message "velocity discontinuity" driver_velocity_discontinuity "driver.yaml:7:3: warning" "'A'" "t = 1 s" " 0 rad/s" " 1 rad/s"
driver_model "abs(t - 0.5)"
code "velocity discontinuity with a third value at its time" 0 cardan run driver.yaml --force -o driver.csv
message "velocity discontinuity with a third value at its time" driver_velocity_discontinuity "'A'" "t = 0.5 s" "-1 rad/s" " 1 rad/s"
driver_model "sign(sin(t) - 0.5)"
code "discontinuity with a third value at its time" 3 cardan run driver.yaml --force -o driver.csv
message "discontinuity with a third value at its time" driver_discontinuity "'A'" "0.523598776 s" "-1 rad" " 1 rad"
driver_model "0.2*sin(60*t) + 0.1*smoothstep(t, 0.5, 0.51) + abs(t + 1)"
code "a smooth driver with large rates" 0 cardan run driver.yaml --force -o driver.csv
lacks "a smooth driver with large rates" "[driver_" err

# ---- a driver function whose acceleration is discontinuous at the end of a dwell, as of cubic tables, is followed
cat >dwell.yaml <<'END'
cardan: 1
tables: {rise: {x: [0, 1, 2, 3, 4], y: [0, 0, 0.1, 0.1, 0], interpolation: cubic}}
bodies: {f: {at: [0, 0, 0], mass: 1, inertia: [1, 1, 1]}, g: {at: [0, 0, 0], mass: 1}}
joints: {g: {prismatic: [ground, f], at: [0, 0, 0], axis: z, driver: "=rise(t)"}, h: {prismatic: [ground, g], at: [0, 0, 0], axis: z}}
constraints: {lever: {coupler: [g, h], factors: [60, -1]}}
run: {duration: 4, output: 0.1}
END
sed -e '/^constraints/d' -e 's/, h: {.*}$/}/' -e 's/, g: {at.*$/}/' dwell.yaml >alone.yaml
for h in 0.01 0.02 0.07 0.1 0.25 0.3 0.4 0.5; do
    code "after a dwell, samples every $h s" 0 cardan kinematics alone.yaml --quiet --force --output-interval $h -o dwell.csv
done
for f in dense lagrange augmented order-n reduction embedding regularized; do
    code "after a dwell, at a long lever, $f" 0 cardan kinematics dwell.yaml -f $f --force -o dwell.csv
    lacks "after a dwell, at a long lever, $f" "warning:" err
done

# ---- a driven piston: singular configurations at its dead centres are reported with the joints of the loop
cat >piston.yaml <<'END'
cardan: 1
parameters: {r: 0.3, l: 0.8, a: 0.4}
points: {O: [0, 0, 0], P: [=r*cos(a), =r*sin(a), 0], X: ["=r*cos(a) + sqrt(l^2 - r^2*sin(a)^2)", 0, 0]}
bodies:
  k: {rod: [O, P], mass: 1}
  c: {rod: [P, X], mass: 1}
  s: {at: X, mass: 2, inertia: [0.1, 0.1, 0.1]}
joints:
  O: {revolute: [ground, k], at: O, axis: z}
  P: {revolute: [k, c], at: P, axis: z}
  X: {revolute: [c, s], at: X, axis: z}
  S: {prismatic: [ground, s], at: X, axis: x, driver: "=r*cos(a + 2*t) + sqrt(l^2 - r^2*sin(a + 2*t)^2) - r*cos(a) - sqrt(l^2 - r^2*sin(a)^2)"}
run: {duration: 2, output: 0.05}
END
for c in "run -f augmented" "run -f reduction" "run -f embedding" "run -f lagrange" kinematics; do
    code "a driven piston, $c" 0 cardan $c piston.yaml --json --force -o piston.csv
    true_of "a driven piston, $c" out 'any(e["kind"] == "singular" and abs(e["time"] - 1.3708) < 5e-5 and "S, X, P and O" in e["text"] for e in d["events"])'
done
sed '/^parameters/s/a: 0.4/a: 0/' piston.yaml >dead.yaml
code "a driven piston at its dead centre" 0 cardan equilibrium dead.yaml
message "a driven piston at its dead centre" singular_equilibrium "'dead'" " 1 " " 0"

# ---- a Hooke joint with an angle close to 90 degrees: tan(out) = cos(beta) tan(in), a fast but smooth motion without
# branches
cat >hooke.yaml <<'END'
cardan: 1
gravity: [0, 0, 0]
parameters: {beta: 1.57}
bodies: {inn: {at: [0, 0, 0], mass: 1, inertia: [0.01, 0.01, 0.01]}, out: {at: [0, 0, 0], mass: 1, inertia: [0.02, 0.02, 0.02]}}
joints:
  in:  {revolute: [ground, inn], at: [0, 0, 0], axis: x, driver: "=3*t"}
  u:   {universal: [inn, out], at: [0, 0, 0], axes: [y, [=-sin(beta), 0, =cos(beta)]]}
  out: {revolute: [ground, out], at: [0, 0, 0], axis: [=cos(beta), 0, =sin(beta)]}
run: {duration: 2, output: 0.05}
END
for b in 1.5 1.57 1.5707; do
    code "a steep Hooke joint, $b" 0 cardan kinematics hooke.yaml -s beta=$b -c joints --force -o hooke.csv
    lacks "a steep Hooke joint, $b" "warning:" err
    python "a steep Hooke joint, $b, angles" hooke.csv $b <<'END'
import csv, math, sys
for r in csv.DictReader(open(sys.argv[1])):
    t, out, b = float(r["t [s]"]), float(r["out.q [rad]"]), float(sys.argv[2])
    assert abs(math.remainder(out - math.atan2(math.cos(b)*math.sin(3*t), math.cos(3*t)), 2*math.pi)) < 1e-9, (t, out)
END
done

for f in reduction augmented order-n lagrange; do
    code "a steep Hooke joint, $f" 0 cardan run hooke.yaml -f $f --quiet --force -o hooke.csv
    lacks "a steep Hooke joint, $f" "warning:" err
done
cardan run hooke.yaml -f embedding --quiet --force -o hooke.csv >out 2>err # may fail, but not as a limit of the workspace
lacks "a steep Hooke joint, embedding" "[driver_limit]" err

# ---- redundant drivers: their efforts are not unique, which accel, inverse, kinematics, check and the manifest report
tied="$root/models/diagnosis/tied.yaml"
code "redundant drivers, accel" 0 cardan accel "$tied" --json
true_of "redundant drivers, accel" out 'd["results"][0]["drivers_not_unique"] == ["A", "D"]'
code "redundant drivers, words" 0 cardan accel "$tied"
if [ "$(grep -cE '^  [AD] +[-0-9.e]+ +N m  \(.*\)' out)" = 2 ]; then pass; else fail "redundant drivers, words"; cat out; fi
code "redundant drivers, inverse" 0 cardan inverse "$tied" --json
true_of "redundant drivers, inverse" out 'd["drivers_not_unique"] == ["A", "D"]'
code "redundant drivers, kinematics" 0 cardan kinematics "$tied" --force --duration 0.1 -o tied.csv --json
true_of "redundant drivers, kinematics" out 'd["drivers_not_unique"] == ["A", "D"]'
true_of "redundant drivers, manifest" tied.manifest.json 'd["drivers"]["not_unique"] == "A, D"'
code "redundant drivers, check" 0 cardan check "$tied" --json
true_of "redundant drivers, check" out "d['redundant'] == 5 and any('distance rod' in m and 'driver D' in m and 'A and D' in m for m in d['messages'])"

# ---- inconsistent drivers: in positions, velocities, accelerations
sed 's/at: O, axis: z/&, driver: "=t"/' workspace.yaml >both.yaml
sed 's/"=(r.*0.7"/=0.2/' both.yaml >both_q.yaml
sed 's/"=(r.*0.7"/"=0.2*t"/' both.yaml >both_v.yaml
sed 's/"=(r.*0.7"/"=-0.5*t"/' both.yaml >both_a.yaml
for f in dense lagrange; do
    for c in "assemble" "accel" "run --quiet --force" "kinematics --quiet --force"; do
        code "positions, $c $f" 1 cardan $c both_q.yaml -f $f
        message "positions, $c $f" driver_inconsistent "both_q.yaml:11:3: error" "0 s" "'main'" "'bore'" "0.101 m"
        code "velocities, $c $f" 1 cardan $c both_v.yaml -f $f
        message "velocities, $c $f" driver_inconsistent "both_v.yaml:11:3: error" "0 s" "'main'" "'bore'" "0.35 m/s"
        case $c in assemble) continue ;; esac
        code "accelerations, $c $f" 1 cardan $c both_a.yaml -f $f
        message "accelerations, $c $f" driver_inconsistent "0 s" "both_a.yaml:11:3: error" "'main'" "'bore'"
    done
done
for v in q v; do
    code "inconsistent drivers, check" 1 cardan check both_$v.yaml
    message "inconsistent drivers, check" driver_inconsistent "'main'" "'bore'"
done

# ---- drivers that are consistent up to t = 0.7 s: all commands report the inconsistency at about the same time
cat >diverge.yaml <<'END'
cardan: 1
gravity: [0, 0, -9.81]
points: {A: [0, 0, 0], B: [0, 0, 1], C: [2, 0, 1], D: [2, 0, 0]}
bodies: {a: {rod: [A, B], mass: 1}, b: {rod: [B, C], mass: 1}, c: {rod: [C, D], mass: 1}}
joints:
  A: {revolute: [ground, a], at: A, axis: y, driver: "=t"}
  B: {revolute: [a, b], at: B, axis: y}
  C: {revolute: [b, c], at: C, axis: y}
  D: {revolute: [c, ground], at: D, axis: y, driver: "=-t - 1e-7*max(0, t - 0.7)^3"}
run: {duration: 2, output: 0.1}
END
for c in "run -f dense" "run -f lagrange" "run -f augmented" "run -f order-n" "run -f reduction" "run -f embedding" kinematics; do
    code "drivers that diverge, $c" 3 cardan $c diverge.yaml --quiet --force -o diverge.csv
    message "drivers that diverge, $c" driver_inconsistent "diverge.yaml:6:3: error" "'A'" "'D'"
    if grep -F '[driver_inconsistent]' err | grep -qE 't = 0\.(7|8)[0-9]* s'; then pass; else fail "time, $c"; fi
done

# ---- a loop that cannot be closed, a parallelogram with a bar of wrong length, a singular start
cat >open.yaml <<'END'
cardan: 1
name: open
bodies:
  crank:   {rod: [[0, 0, 0], [1, 0, 0]], mass: 1}
  coupler: {rod: [[1, 0, 0], [1, 1, 0]], mass: 1}
  rocker:  {at: [5, 0, 0], mass: 1, inertia: [1, 1, 1]}
joints:
  A: {revolute: [ground, crank], at: [0, 0, 0], axis: z}
  B: {revolute: [crank, coupler], at: [1, 0, 0], axis: z}
  C: {revolute: [coupler, rocker], at: [1, 1, 0], at_second: [1, 0, 0], axis: z}
  D: {revolute: [rocker, ground], at: [5, 0, 0], axis: z}
END
cat >wrong.yaml <<'END'
cardan: 1
name: wrong bar
bodies:
  left:   {rod: [[0, 0, 0], [0, 1, 0]], mass: 1}
  middle: {rod: [[1, 0, 0], [1, 1, 0]], mass: 1}
  right:  {at: [2, 0, 0], mass: 1, inertia: [1, 1, 1]}
  top:    {at: [0, 1, 0], mass: 1, inertia: [1, 1, 1]}
joints:
  A: {revolute: [ground, left], at: [0, 0, 0], axis: z, start: {q: 0.3}}
  B: {revolute: [ground, middle], at: [1, 0, 0], axis: z}
  C: {revolute: [ground, right], at: [2, 0, 0], axis: z}
  D: {revolute: [left, top], at: [0, 1, 0], axis: z}
  E: {revolute: [middle, top], at: [1, 1, 0], axis: z}
  F: {revolute: [right, top], at: [2, 1.02, 0], at_second: [2, 0, 0], axis: z}
END
cat >flat.yaml <<'END'
cardan: 1
name: flat
bodies:
  left:    {rod: [[0, 0, 0], [1, 0, 0]], mass: 1}
  coupler: {rod: [[1, 0, 0], [3, 0, 0]], mass: 1}
  right:   {rod: [[2, 0, 0], [3, 0, 0]], mass: 1}
joints:
  A: {revolute: [ground, left], at: [0, 0, 0], axis: z}
  B: {revolute: [left, coupler], at: [1, 0, 0], axis: z}
  C: {revolute: [coupler, right], at: [3, 0, 0], axis: z}
  D: {revolute: [right, ground], at: [2, 0, 0], axis: z}
END
for c in "check" "assemble -f dense" "assemble -f lagrange" "run -f dense" "run -f lagrange" "kinematics" "inverse --motors A"; do
    code "open, $c" 1 cardan $c open.yaml
    message "open, $c" assembly_failed "open.yaml:10:3: error" "'A'" "'B'" "'C'" "'D'" "2 m"
    code "wrong bar, $c" 1 cardan $c wrong.yaml
    message "wrong bar, $c" start_inconsistent "'A'" "0.02 m" "'F'" "'C'" "'D'" "0 s"
    case $c in assemble* | inverse*) continue ;; esac
    code "singular start, $c" 1 cardan $c flat.yaml
    message "singular start, $c" singular_configuration "flat.yaml:11:3: error" "0 s" "D, A, B and C"
done
if [ -e results/open.csv ] || [ -e results/flat.csv ]; then fail "files of runs that did not start"; else pass; fi

# ---- drivers that prescribe the motion completely
slider=$root/models/driven_slider
code "kinematics" 0 cardan kinematics "$slider"
line "kinematics" "driven slider: 0.1 s " " 200 steps" augmented
exists results/driven-slider-kinematics.csv
exists results/driven-slider-kinematics.svg
says "kinematics" '"analysis": "kinematics"' results/driven-slider-kinematics.manifest.json
code "kinematics as JSON" 0 cardan kinematics "$slider" -f lagrange --json --force
true_of "kinematics as JSON" out "abs(d['final']['joints']['main']['q'][0] - 10) < 1e-12 and d['constraint_violation']['position'] < 1e-12"
code "kinematics with a degree of freedom" 1 cardan kinematics "$root/models/four_bar"
message "kinematics with a degree of freedom" motion_not_prescribed "four_bar.yaml:24:3: error" "'four-bar'" "0 s" " 1 " "'B'"
# assembly at a time: position and velocity of the driven joint are those of the driver function
code "assemble at a time" 0 cardan assemble "$slider" --time 0.02 --set speed=50 -o at.json --json
true_of "assemble at a time" out "abs(d['final']['joints']['main']['q'][0] - 1) < 1e-12 and abs(d['final']['joints']['main']['v'][0] - 50) < 1e-10 and d['constraint_violation']['velocity'] < 1e-9"

# ---- motors: inverse dynamics of a recorded motion gives the effort of the driver
code "motion" 0 cardan run "$slider" --quiet -c default,accelerations --tolerance 1e-12 -o motion.csv
sed 's/ driver: =speed.t,//' "$slider/driven_slider.yaml" >undriven.yaml
cat >agree.py <<'END'
import csv, sys
def column(path, name):
    rows = list(csv.reader(open(path)))
    i = [h.split(" ")[0] for h in rows[0]].index(name)
    return [float(r[i]) for r in rows[1:]]
a, b = column("motion.csv", "main.drive"), column(sys.argv[1], "main.motor")
assert len(a) == len(b) == 201
error = max(abs(x - y) for x, y in zip(a, b)) / max(map(abs, a))
assert error < float(sys.argv[2]), error
END
for f in dense lagrange; do
    code "inverse of a motion, $f" 0 cardan inverse undriven.yaml --motors main --motion motion.csv -o torque.csv --force -f $f
    code "motor torque, $f" 0 python3 agree.py torque.csv 1e-8
done
cut -d, -f1,2 motion.csv >angle.csv # positions of one joint only: velocities and accelerations by differences
code "inverse of positions" 0 cardan inverse undriven.yaml --motion angle.csv -o angle-torque.csv
code "motor torque of positions" 0 python3 agree.py angle-torque.csv 1e-6
code "more motors than needed" 0 cardan inverse undriven.yaml --motors main,bore --motion motion.csv -o shared.csv --json
true_of "more motors than needed" out "d['redundant_motors'] == 1 and d['residual_acceleration'] < 1e-8"
code "a motor at a loop" 0 cardan inverse "$root/models/four_bar" --motors D --json
true_of "a motor at a loop" out "len(d['motors']['D']) == 1 and d['redundant_motors'] == 0"
code "drivers at one state" 0 cardan inverse "$slider"
line "drivers at one state" "driven slider" "t = 0 s" "cardan kinematics"
code "no motor at a loop" 2 cardan inverse "$root/models/four_bar"
message "no motor at a loop" usage "'four-bar'" "--motors"
code "an unknown motor" 2 cardan inverse "$root/models/four_bar" --motors Q
message "an unknown motor" unknown_name "'Q'"
printf 't,other.q\n0,0\n1,1\n2,2\n' >other.csv
code "a motion of another mechanism" 1 cardan inverse undriven.yaml --motion other.csv
message "a motion of another mechanism" table_invalid "other.csv: error" "JOINT.q"
cat >arms.yaml <<'END'
cardan: 1
name: arms
bodies:
  upper: {rod: [[0, 0, 0], [1, 0, 0]], mass: 1}
  lower: {rod: [[1, 0, 0], [1.5, 0, 0]], mass: 0.5}
joints:
  shoulder: {revolute: [ground, upper], at: [0, 0, 0], axis: y}
  elbow: {revolute: [upper, lower], at: [1, 0, 0], axis: y}
forces:
  push: {actuator: elbow, effort: "=0.3*sin(5*t)"}
END
code "motion of two arms" 0 cardan run arms.yaml --quiet -d 0.1 --output-interval 0.001 -c default,accelerations -o arms.csv
cut -d, -f1,2 arms.csv >half.csv
code "half a motion" 1 cardan inverse arms.yaml --motion half.csv
message "half a motion" motion_incomplete "half.csv: error" "'arms'" " 1 " " 2"
code "half the motors" 1 cardan inverse arms.yaml --motors shoulder
message "half the motors" actuation_insufficient "0 s" "'arms'" "29.4 rad/s^2" "--motors"
# inverse dynamics gives the effort of the actuator, and zero at the joint without actuator
code "effort of an actuator" 0 cardan inverse arms.yaml --motors elbow,shoulder --motion arms.csv -o back.csv --quiet
cat >back.py <<'END'
import csv, math
rows = list(csv.reader(open("back.csv")))
name = [h.split(" ")[0] for h in rows[0]]
for r in rows[1:]:
    t, elbow, shoulder = (float(r[name.index(n)]) for n in ("t", "elbow.motor", "shoulder.motor"))
    assert abs(elbow - 0.3 * math.sin(5 * t)) < 1e-7 and abs(shoulder) < 1e-7, (t, elbow, shoulder)
END
code "effort of an actuator, values" 0 python3 back.py

# a sample at a singular configuration: unbounded values are empty and their columns are named; other values are their
# limits
cat >flat.yaml <<'END'
cardan: 1
gravity: [0, -9.81, 0]
points: {A: [0, 0, 0], B: [0, 1, 0], C: [2, 1, 0], D: [2, 0, 0]}
bodies:
  a: {rod: [A, B], mass: 1}
  b: {rod: [B, C], mass: 1}
  c: {rod: [C, D], mass: 3}
joints:
  A: {revolute: [ground, a], at: A, axis: z, driver: "=-pi*t"}
  B: {revolute: [a, b], at: B, axis: z}
  C: {spherical: [b, c], at: C}
  D: {cylindrical: [c, ground], at: D, axis: z}
run: {duration: 0.6, output: 0.1}
END
for command in run kinematics; do
    code "$command on a pole" 0 cardan $command flat.yaml -c B.fx,B.fy,A.drive -o flat.csv --force
    message "$command on a pole" singular_values_omitted "0.5 s" "B.fx"
    code "$command on a pole, values" 0 grep -qE '^0.5,,4.90(4999|5000)[0-9]*,29.4(29999|30000)[0-9]*$' flat.csv
done

# the same at the start
sed 's/-pi\*t/-pi*(t+0.5)/' flat.yaml >starts.yaml
for how in "kinematics -f augmented" "kinematics -f lagrange" "run -f augmented" "run -f lagrange" "run -f dense -i rk4"; do
    code "$how starts on a pole" 0 cardan $how starts.yaml -d 0.1 -c B.fx,B.fy,A.drive -o starts.csv --force
    message "$how starts on a pole" singular_values_omitted "t = 0 s" "B.fx"
    code "$how starts on a pole, values" 0 grep -qE '^0,,4.90(4999|5000)[0-9]*,29.4(29999|30000)[0-9]*$' starts.csv
done
# efforts of a recorded motion are not extrapolated from neighbouring configurations
sed 's/, driver: "=-pi\*t"//' flat.yaml >loose.yaml
code "motion over a pole" 0 cardan kinematics flat.yaml -c joints -o over.csv --force
code "inverse over a pole" 0 cardan inverse loose.yaml --motors A --motion over.csv -o motors.csv --force
message "inverse over a pole" singular_values_omitted "0.5 s"
code "inverse over a pole, empty value" 0 grep -qE '^0.(5|49999)[0-9]*,.*,$' motors.csv
code "inverse over a pole, other values" 0 grep -qE '^0.(4|39999)[0-9]*,.*,2[78][.][0-9]*$' motors.csv

# a driver function whose rate changes sign at the pole: reactions grow with 1/t^2, and the effort of the driver has a
# limit
sed 's/-pi\*t/-pi\/2*sin(pi*t)/' flat.yaml >returns.yaml
for how in "kinematics" "run -f augmented" "run -f lagrange" "run -f reduction -i rk4"; do
    code "$how returns at a pole" 0 cardan $how returns.yaml -c B.fx,A.drive -o back.csv --force
    message "$how returns at a pole" singular_values_omitted "0.5 s" "B.fx"
    code "$how returns at a pole, values" 0 grep -qE '^0.5,,6[0-9][.][0-9]+$' back.csv
done
# a driver function that stays at the pole: no limit from neighbouring configurations
sed 's/"=-pi\*t"/"=-pi\/2*(smoothstep(t,0,0.5)+smoothstep(t,0.9,1.4))"/' flat.yaml >stays.yaml
for how in "kinematics" "run -f reduction -i rk4"; do
    code "$how stays" 0 cardan $how stays.yaml -c B.fx,A.drive -o stays.csv --force
    message "$how stays" singular_values_omitted "0.5 s" "B.fx, A.drive"
    code "$how stays, empty values" 0 grep -qE '^0.(59|60)[0-9]*,,$' stays.csv
done

# after a standstill at a singular configuration the branch is undetermined, during the run or at the start; a rate that
# changes sign there determines it
sed 's/duration: 0.6/duration: 1.4/' stays.yaml >leaves.yaml
sed 's/"=-pi\*t"/"=-pi\/2-t^2"/' flat.yaml >begins.yaml
for how in "kinematics" "run -f reduction -i rk4"; do
    code "$how leaves" 0 cardan $how leaves.yaml -o leaves.csv --force
    message "$how leaves" standstill_at_singularity "0.9 s" "D, A, B and C"
    code "$how begins" 0 cardan $how begins.yaml -c B.fx,A.drive -o begins.csv --force
    message "$how begins" standstill_at_singularity "0 s" "D, A, B and C"
    code "$how begins, empty values" 0 grep -q '^0,,$' begins.csv
    code "$how returns" 0 cardan $how returns.yaml -o back.csv --force
    lacks "$how returns" "[standstill_at_singularity]" err
done

# a start at a singular configuration: positions and velocities are assembled to the square root of the rounding error
cat >starts.yaml <<'END'
cardan: 1
points: {A: [0, 0, 0], B: [0, 0, 0.5], C: [1.2, 0, 0.5], D: [1.2, 0, 0], P: [0.4, 0, 0.5], Q: [0.4, 0, 0.1]}
bodies:
  a: {rod: [A, B], mass: 1}
  b: {rod: [B, C], mass: 2}
  c: {rod: [D, C], mass: 3}
  p: {rod: [P, Q], mass: 0.7}
joints:
  A: {revolute: [ground, a], at: A, axis: y, driver: "=pi/2+pi*t"}
  B: {revolute: [a, b], at: B, axis: y}
  C: {revolute: [b, c], at: C, axis: y}
  D: {revolute: [ground, c], at: D, axis: y}
  P: {revolute: [b, p], at: P, axis: y}
run: {duration: 0.5, output: 0.1}
END
for f in augmented reduction lagrange regularized; do
    code "$f starts flat" 0 cardan run starts.yaml -f $f -c D.q -o starts.csv --force
    code "$f starts flat, final angle" 0 grep -qE '^0.5,3.14159265' starts.csv
done

ends
