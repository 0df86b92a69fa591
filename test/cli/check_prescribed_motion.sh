#!/bin/sh
# Motion that is prescribed: kinematics, inverse dynamics of motions, and every way in which constraints and drivers cannot be met.
. "$(dirname "$0")/../support/tool.sh"

cp "$root/test/data/cli/workspace.yaml" .

# ---- a driver that asks for the impossible at t = 0.7: named, with its time, and the rows up to there are kept
for f in dense lagrange; do
    for i in explicit-euler semi-implicit-euler midpoint rk4 dopri5 cvode-adams cvode-bdf ida; do
        for s in projection partitioning baumgarte none; do
            code "beyond reach, $f $i $s" 3 cardan run workspace.yaml -f $f -i $i --stabilization $s --quiet --force -o reach.csv
            says "beyond reach, $f $i $s" "workspace.yaml:14:3: error: driver of 'bore' cannot be followed" err
            if grep -qE 't = 0\.(69|7)' err; then pass; else fail "its time, $f $i $s"; fi
            if tail -n 1 reach.csv | grep -qE '^0\.(6[89]|7)'; then pass; else fail "rows up to the failure, $f $i $s"; fi
        done
    done
    code "beyond reach, kinematics $f" 3 cardan kinematics workspace.yaml -f $f --quiet --force -o reach.csv
    says "beyond reach, kinematics $f" "workspace.yaml:14:3: error: driver of 'bore' cannot be followed beyond t = 0.7 s" err
    if tail -n 1 reach.csv | grep -qE '^0\.(69|7)0*[0-9]?,'; then pass; else fail "rows up to there, $f"; fi
done
code "beyond reach, check" 0 cardan check workspace.yaml
code "stabilization of the file" 3 cardan run workspace.yaml --force -o reach.csv
says "stabilization of the file" '"stabilization": "baumgarte"' reach.manifest.json
sed 's/baumgarte/projectoin/' workspace.yaml >typo.yaml
code "unknown stabilization of the file" 1 cardan run typo.yaml
says "unknown stabilization of the file" "error: run: there is no stabilization 'projectoin' (did you mean 'projection'?); there are " err
says "unknown stabilization of the file" "partitioning" err

# ---- at the end of reach the same driver is named, whatever solves: the one that cannot be followed, not the other
sed -e 's/main:  {revolute: \[ground,/main:  {revolute: [base,/' -e 's/bore:  {prismatic: \[ground,/bore:  {prismatic: [base,/' \
    -e 's/^joints:/  base:   {at: O, mass: 1, inertia: [0.1, 0.1, 0.1]}\njoints:\n  turn:  {revolute: [ground, base], at: O, axis: y, driver: "=0.3*t"}/' -e 's/, stabilization: baumgarte//' workspace.yaml >two.yaml
for f in dense lagrange augmented order-n reduction embedding regularized; do
    code "two drivers, $f" 3 cardan run two.yaml -f $f --quiet --force -o two.csv
    says "two drivers, $f" "two.yaml:16:3: error: driver of 'bore' cannot be followed beyond t = 0." err
done

# ---- an arm of three cylinders, whose bucket linkage alone is at its end: its cylinder is named, though others carry more
cp "$root/test/data/cli/excavator.yaml" .
for f in dense lagrange augmented order-n reduction embedding regularized; do
    code "excavator, $f" 3 cardan run excavator.yaml -f $f --quiet --force -o two.csv
    says "excavator, $f" "excavator.yaml:41:3: error: driver of 'p3' cannot be followed" err
done
for i in midpoint rk4; do
    for s in none projection baumgarte partitioning; do
        code "excavator, $i $s" 3 cardan run excavator.yaml -f dense -i $i --stabilization $s --quiet --force -o two.csv
        says "excavator, $i $s" "excavator.yaml:41:3: error: driver of 'p3' cannot be followed" err
    done
done
code "excavator, kinematics" 3 cardan kinematics excavator.yaml --quiet --force -o two.csv
says "excavator, kinematics" "excavator.yaml:41:3: error: driver of 'p3' cannot be followed beyond t = 0.831676" err

# ---- laws that break off: at the start an input error, later the run ends there; driver, place, time and values are told
law() {
    cat >law.yaml <<END
cardan: 1
name: law
bodies:
  crank: {rod: [[0, 0, 0], [1, 0, 0]], mass: 1}
  arm:   {rod: [[1, 0, 0], [2, 0, 0]], mass: 1}
joints:
  A: {revolute: [ground, crank], at: [0, 0, 0], axis: y, driver: "=$1"}
  B: {revolute: [crank, arm], at: [1, 0, 0], axis: y, driver: =sin(t)}
run: {duration: 2, output: 0.01}
END
}
for pair in "1/t:its law is not finite (inf rad)" "log(t):its law is not finite (-inf rad)" "sqrt(t - 1):its law is not finite (not a number)" \
    "sqrt(t):the rate of its law is not finite (inf rad/s)"; do
    law "${pair%%:*}"
    for c in check assemble accel "run --quiet --force" "kinematics --quiet --force"; do
        code "law ${pair%%:*}, $c" 1 cardan $c law.yaml
        says "law ${pair%%:*}, $c" "law.yaml:7:3: error: driver of 'A': at t = 0 s ${pair#*:}" err
    done
done
for pair in "sqrt(1 - t):1:beyond t = 1 s the rate of its law is not finite (-inf rad/s" "log(1.5 - t):1.5:beyond t = 1.5 s its law is not finite (-inf rad" \
    "if(t < 1, 0, 0.5):1:at t = 1 s its law jumps from 0 rad to 0.5 rad" "mod(t, 0.7):0.7:at t = 0.7 s its law jumps from 0.7 rad to 0 rad"; do
    rest=${pair#*:}
    law "${pair%%:*}"
    for c in "run -f augmented" "run -f lagrange -i rk4" "run -f reduction -i cvode-bdf" kinematics; do
        code "law ${pair%%:*}, $c" 3 cardan $c law.yaml --quiet --force -o law.csv
        says "law ${pair%%:*}, $c" "law.yaml:7:3: error: driver of 'A': ${rest#*:}" err
        last=$(tail -n 1 law.csv | cut -d, -f1)
        if awk "BEGIN { exit !($last > ${rest%%:*} - 0.02 && $last <= ${rest%%:*}) }"; then pass; else fail "rows up to there, ${pair%%:*}, $c: $last"; fi
    done
done
for pair in "abs(t - 0.8)^1.5:0.8" "abs(t - 0.8)^1.9:0.8" "abs(3*t - 1)^1.5:0.333333333" "if(t < 0.7, 0, (t - 0.7)^1.5):0.7"; do
    law "${pair%:*}"
    for c in "run -f augmented" "run -f lagrange -i rk4" "run -f reduction -i cvode-bdf" kinematics; do
        code "law ${pair%:*}, $c" 3 cardan $c law.yaml --quiet --force -o law.csv
        says "law ${pair%:*}, $c" "law.yaml:7:3: error: driver of 'A': at t = ${pair#*:} s the acceleration of its law is infinite" err
    done
done
law "abs(t - 0.8)^2.5 + 0.3*sin(20*t)"
code "a law whose third derivative is infinite" 0 cardan run law.yaml --force -o law.csv
lacks "a law whose third derivative is infinite" "of its law" err
law "if(t <= 0, 0, 1)"
code "a law that jumps at the start" 1 cardan run law.yaml --quiet --force -o law.csv
says "a law that jumps at the start" "driver of 'A': at t = 0 s its law jumps from 0 rad to 1 rad" err
law "if(t < 1, 0, t - 1)"
code "a law whose rate jumps" 0 cardan run law.yaml --force -o law.csv
says "a law whose rate jumps" "law.yaml:7:3: warning: driver of 'A': at t = 1 s the rate of its law jumps from 0 rad/s to 1 rad/s" err
law "abs(t - 0.5)"
code "a law whose rate is a third one at the kink" 0 cardan run law.yaml --force -o law.csv
says "a law whose rate is a third one at the kink" "at t = 0.5 s the rate of its law jumps from -1 rad/s to 1 rad/s" err
law "sign(sin(t) - 0.5)"
code "a law that is a third one at the jump" 3 cardan run law.yaml --force -o law.csv
says "a law that is a third one at the jump" "at t = 0.523598776 s its law jumps from -1 rad to 1 rad" err
law "0.2*sin(60*t) + 0.1*smoothstep(t, 0.5, 0.51) + abs(t + 1)"
code "a law that is smooth, if fast" 0 cardan run law.yaml --force -o law.csv
if grep -qE "jumps|finite" err; then fail "a smooth law is blamed"; else pass; fi

# ---- a law that sets out from rest with an acceleration at once, as cubic tables do after a dwell, is followed
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
    code "after a dwell, rows every $h s" 0 cardan kinematics alone.yaml --quiet --force --output-interval $h -o dwell.csv
done
for f in dense lagrange augmented order-n reduction embedding regularized; do
    code "after a dwell, at a long lever, $f" 0 cardan kinematics dwell.yaml -f $f --force -o dwell.csv
    lacks "after a dwell, at a long lever, $f" warning err
done

# ---- a piston that is driven: at its dead centres its driver holds the loop, whose joints are named all the same
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
    code "a driven piston, $c" 0 cardan $c piston.yaml --force -o piston.csv
    says "a driven piston, $c" "t = 1.3708    the loop of S, X, P and O passes a singular pose"
done
sed '/^parameters/s/a: 0.4/a: 0/' piston.yaml >dead.yaml
code "a driven piston at its dead centre" 0 cardan equilibrium dead.yaml
says "a driven piston at its dead centre" "1 motion is possible at first order, beside it 0" err

# ---- a Hooke joint that is all but at a right angle turns over suddenly, but smoothly: tan(out) = cos(beta) tan(in), and no branch
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
    lacks "a steep Hooke joint, $b" warning err
    python "a steep Hooke joint, $b, angles" hooke.csv $b <<'END'
import csv, math, sys
for r in csv.DictReader(open(sys.argv[1])):
    t, out, b = float(r["t [s]"]), float(r["out.q [rad]"]), float(sys.argv[2])
    assert abs(math.remainder(out - math.atan2(math.cos(b)*math.sin(3*t), math.cos(3*t)), 2*math.pi)) < 1e-9, (t, out)
END
done

for f in reduction augmented order-n lagrange; do
    code "a steep Hooke joint, $f" 0 cardan run hooke.yaml -f $f --quiet --force -o hooke.csv
    lacks "a steep Hooke joint, $f" warning err
done
cardan run hooke.yaml -f embedding --quiet --force -o hooke.csv >out 2>err # it may not get on, but there is a pose
lacks "a steep Hooke joint, embedding" "end of its reach" err

# ---- drivers that repeat each other: efforts are not unique, and that is told wherever they are
tied="$root/models/doctor/tied.yaml"
code "repeated drivers, accel" 0 cardan accel "$tied" --json
true_of "repeated drivers, accel" out 'd["results"][0]["drivers_not_unique"] == ["A", "D"]'
code "repeated drivers, words" 0 cardan accel "$tied"
if [ "$(grep -cE '^  [AD] +[-0-9.e]+ +N m  \(not unique\)' out)" = 2 ]; then pass; else fail "repeated drivers, words"; cat out; fi
code "repeated drivers, inverse" 0 cardan inverse "$tied" --json
true_of "repeated drivers, inverse" out 'd["drivers_not_unique"] == ["A", "D"]'
code "repeated drivers, kinematics" 0 cardan kinematics "$tied" --force --duration 0.1 -o tied.csv --json
true_of "repeated drivers, kinematics" out 'd["drivers_not_unique"] == ["A", "D"]'
true_of "repeated drivers, manifest" tied.manifest.json 'd["drivers"]["not_unique"] == "A, D"'
code "repeated drivers, check" 0 cardan check "$tied" --json
says "repeated drivers, check" "the forces of rod and the efforts of A and D are therefore not unique"

# ---- contradictory drivers: in position, velocity, acceleration
sed 's/at: O, axis: z/&, driver: "=t"/' workspace.yaml >both.yaml
sed 's/"=(r.*0.7"/=0.2/' both.yaml >both_q.yaml
sed 's/"=(r.*0.7"/"=0.2*t"/' both.yaml >both_v.yaml
sed 's/"=(r.*0.7"/"=-0.5*t"/' both.yaml >both_a.yaml
for f in dense lagrange; do
    for c in "assemble" "accel" "run --quiet --force" "kinematics --quiet --force"; do
        code "positions, $c $f" 1 cardan $c both_q.yaml -f $f
        says "positions, $c $f" "both_q.yaml:11:3: error: at t = 0 s the drivers of 'main', 'bore' ask for positions" err
        code "velocities, $c $f" 1 cardan $c both_v.yaml -f $f
        says "velocities, $c $f" "both_v.yaml:11:3: error: at t = 0 s the drivers of 'main', 'bore' ask for velocities" err
        case $c in assemble) continue ;; esac
        code "accelerations, $c $f" 1 cardan $c both_a.yaml -f $f
        says "accelerations, $c $f" "error: at t = 0 s driver of" err
        says "accelerations, $c $f" "cannot be followed" err
        says "accelerations, $c $f" "driver of 'bore'" err
        says "accelerations, $c $f" "driver of 'main'" err
    done
done
for v in q v; do
    code "contradiction, check" 1 cardan check both_$v.yaml
    says "contradiction, check" "the drivers of 'main', 'bore'" err
done

# ---- drivers that agree at first: told as soon as they do not, at about the same time by all
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
    says "drivers that diverge, $c" "driver of 'A' and driver of 'D' cannot be followed together beyond t = 0." err
    if grep -qE 'beyond t = 0\.(7|8)[0-9]* s: their laws contradict each other' err; then pass; else fail "its time, $c"; fi
done

# ---- a loop that cannot close, a parallelogram with a bar of wrong length, a singular start
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
    says "open, $c" "open.yaml:10:3: error: the loop of joints 'A', 'B', 'C', 'D' could not be closed: a gap of 2 m remains at 'C'" err
    code "wrong bar, $c" 1 cardan $c wrong.yaml
    says "wrong bar, $c" "error: no closed pose was found with joint 'A' at its exact start position: 0.02 m remain at joint 'F' in the loop of joints 'C', 'F', 'D', 'A' at t = 0 s; let go, loops close only where nothing can move" err
    case $c in assemble* | inverse*) continue ;; esac
    code "singular start, $c" 1 cardan $c flat.yaml
    says "singular start, $c" "error: the pose at t = 0 s is singular for the loop of" err
done
if [ -e results/open.csv ] || [ -e results/flat.csv ]; then fail "files of runs that never started"; else pass; fi

# ---- drivers that prescribe everything
slider=$root/models/driven_slider
code "kinematics" 0 cardan kinematics "$slider"
says "kinematics" "in 200 steps"
exists results/driven-slider-kinematics.csv
exists results/driven-slider-kinematics.svg
says "kinematics" '"analysis": "kinematics"' results/driven-slider-kinematics.manifest.json
code "kinematics as JSON" 0 cardan kinematics "$slider" -f lagrange --json --force
true_of "kinematics as JSON" out "abs(d['final']['joints']['main']['q'][0] - 10) < 1e-12 and d['constraint_violation']['position'] < 1e-12"
code "kinematics of what is free" 1 cardan kinematics "$root/models/four_bar"
says "kinematics of what is free" "it has 1 degree of freedom left" err
says "kinematics of what is free" "or simulate what is free" err
# assembly at a time: the driver stands at its law, velocities follow
code "assemble at a time" 0 cardan assemble "$slider" --time 0.02 --set speed=50 -o at.json --json
true_of "assemble at a time" out "abs(d['final']['joints']['main']['q'][0] - 1) < 1e-12 and abs(d['final']['joints']['main']['v'][0] - 50) < 1e-10 and d['constraint_violation']['velocity'] < 1e-9"

# ---- motors: a recorded motion gives the torque of the driver back
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
off = max(abs(x - y) for x, y in zip(a, b)) / max(map(abs, a))
assert off < float(sys.argv[2]), off
END
for f in dense lagrange; do
    code "inverse of a motion, $f" 0 cardan inverse undriven.yaml --motors main --motion motion.csv -o torque.csv --force -f $f
    code "its torque, $f" 0 python3 agree.py torque.csv 1e-8
done
cut -d, -f1,2 motion.csv >angle.csv # positions of one joint alone: rates by differences
code "inverse of positions" 0 cardan inverse undriven.yaml --motion angle.csv -o angle-torque.csv
code "its torque" 0 python3 agree.py angle-torque.csv 1e-6
code "more motors than needed" 0 cardan inverse undriven.yaml --motors main,bore --motion motion.csv -o shared.csv --json
true_of "more motors than needed" out "d['redundant_motors'] == 1 and d['residual_acceleration'] < 1e-8"
code "a motor at a loop" 0 cardan inverse "$root/models/four_bar" --motors D --json
true_of "a motor at a loop" out "len(d['motors']['D']) == 1 and d['redundant_motors'] == 0"
code "drivers at one state" 0 cardan inverse "$slider"
says "drivers at one state" "efforts of the drivers"
code "no motor at a loop" 2 cardan inverse "$root/models/four_bar"
says "no motor at a loop" "--motors" err
code "an unknown motor" 2 cardan inverse "$root/models/four_bar" --motors Q
printf 't,other.q\n0,0\n1,1\n2,2\n' >other.csv
code "a motion of something else" 1 cardan inverse undriven.yaml --motion other.csv
says "a motion of something else" "no column is a coordinate of a joint" err
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
says "half a motion" "1 of its degrees of freedom are recorded, and it has 2" err
code "half the motors" 1 cardan inverse arms.yaml --motors shoulder
says "half the motors" "the motors cannot produce this motion of 'arms'" err
# the actuator's own effort comes back, and nothing at the joint that has none
code "effort of an actuator" 0 cardan inverse arms.yaml --motors elbow,shoulder --motion arms.csv -o back.csv --quiet
cat >back.py <<'END'
import csv, math
rows = list(csv.reader(open("back.csv")))
name = [h.split(" ")[0] for h in rows[0]]
for r in rows[1:]:
    t, elbow, shoulder = (float(r[name.index(n)]) for n in ("t", "elbow.motor", "shoulder.motor"))
    assert abs(elbow - 0.3 * math.sin(5 * t)) < 1e-7 and abs(shoulder) < 1e-7, (t, elbow, shoulder)
END
code "it comes back" 0 python3 back.py

# a row on a singular pose: what has no bound there has no number, and is named; the rest has its limit
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
    says "$command on a pole" "at t = 0.5 s, a singular pose, these have no bound" err
    says "$command on a pole" "such poses: B.fx" err
    code "$command: its cells" 0 grep -qE '^0.5,,4.90(4999|5000)[0-9]*,29.4(29999|30000)[0-9]*$' flat.csv
done

# the same where it starts
sed 's/-pi\*t/-pi*(t+0.5)/' flat.yaml >starts.yaml
for how in "kinematics -f augmented" "kinematics -f lagrange" "run -f augmented" "run -f lagrange" "run -f dense -i rk4"; do
    code "$how starts on a pole" 0 cardan $how starts.yaml -d 0.1 -c B.fx,B.fy,A.drive -o starts.csv --force
    says "$how starts on a pole" "at t = 0 s, a singular pose, these have no bound" err
    code "$how: its first cells" 0 grep -qE '^0,,4.90(4999|5000)[0-9]*,29.4(29999|30000)[0-9]*$' starts.csv
done
# of a recorded motion efforts are not found beside the pose
sed 's/, driver: "=-pi\*t"//' flat.yaml >loose.yaml
code "motion over a pole" 0 cardan kinematics flat.yaml -c joints -o over.csv --force
code "inverse over a pole" 0 cardan inverse loose.yaml --motors A --motion over.csv -o motors.csv --force
says "inverse over a pole" "at t = 0.5 s, a singular pose, the recorded coordinates determine neither" err
code "inverse: its cells" 0 grep -qE '^0.(5|49999)[0-9]*,.*,$' motors.csv
code "inverse: others" 0 grep -qE '^0.(4|39999)[0-9]*,.*,2[78][.][0-9]*$' motors.csv

# a law that turns back on the pose: forces grow with 1/t^2 there, and the driver's effort has its limit
sed 's/-pi\*t/-pi\/2*sin(pi*t)/' flat.yaml >back.yaml
for how in "kinematics" "run -f augmented" "run -f lagrange" "run -f reduction -i rk4"; do
    code "$how turns back" 0 cardan $how back.yaml -c B.fx,A.drive -o back.csv --force
    says "$how turns back" "at t = 0.5 s, a singular pose, these have no bound, or are not determined" err
    code "$how: its cells" 0 grep -qE '^0.5,,6[0-9][.][0-9]+$' back.csv
done
# one that stays there: nothing beside the pose tells
sed 's/"=-pi\*t"/"=-pi\/2*(smoothstep(t,0,0.5)+smoothstep(t,0.9,1.4))"/' flat.yaml >stays.yaml
for how in "kinematics" "run -f reduction -i rk4"; do
    code "$how stays" 0 cardan $how stays.yaml -c B.fx,A.drive -o stays.csv --force
    says "$how stays" "on such poses: B.fx, A.drive" err
    code "$how: no cells" 0 grep -qE '^0.(59|60)[0-9]*,,$' stays.csv
done

# which branch it leaves such a pose on nobody knows, be it in the middle or at the start; turning back there tells it
sed 's/duration: 0.6/duration: 1.4/' stays.yaml >leaves.yaml
sed 's/"=-pi\*t"/"=-pi\/2-t^2"/' flat.yaml >begins.yaml
for how in "kinematics" "run -f reduction -i rk4"; do
    code "$how leaves" 0 cardan $how leaves.yaml -o leaves.csv --force
    says "$how leaves" "at t = 0.9 s the motion rests at a singular pose of the loop of D, A, B and C: several" err
    code "$how begins" 0 cardan $how begins.yaml -c B.fx,A.drive -o begins.csv --force
    says "$how begins" "at t = 0 s the motion rests at a singular pose of the loop of D, A, B and C: several" err
    code "$how: first row" 0 grep -q '^0,,$' begins.csv
    code "$how returns" 0 cardan $how back.yaml -o back.csv --force
    lacks "$how returns" "the motion rests" err
done

# a start on a singular pose closes to the root of rounding, and so do its velocities
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
    code "$f: where it ends" 0 grep -qE '^0.5,3.14159265' starts.csv
done

ends
