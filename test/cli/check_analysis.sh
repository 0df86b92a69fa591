#!/bin/sh
# Commands equilibrium, modes and linearize: reports in words and as JSON, files, pictures and failures. References: a
# pendulum, A = [0, 1; -3 g/(2 l), -d/J], frequency sqrt(3 g/(2 l)) / (2 pi); a lever on a spring, k (3 - free) = m g/2.
. "$(dirname "$0")/../support/tool.sh"
models=$root/models

cat >rod.yaml <<'END'
cardan: 1
name: rod
parameters: {l: 2, m: 3, start: 2, k: 500, length: 1}
bodies:
  bar: {rod: [[0, 0, 0], [0, 0, =-l]], mass: =m}
joints:
  hinge: {revolute: [ground, bar], at: [0, 0, 0], axis: y, start: {q: =start}, damping: 0.4}
outputs:
  tip: {value: "=x(bar)", unit: m}
run: {duration: 1, output: 0.05}
END
cat >lever.yaml <<'END'
cardan: 1
name: lever
parameters: {free: 2.5, k: 1000}
bodies:
  bar: {rod: [[0, 0, 0], [2, 0, 0]], mass: 6}
joints:
  hinge: {revolute: [ground, bar], at: [0, 0, 0], axis: y}
forces:
  coil: {spring: [{on: ground, at: [2, 0, 3]}, {on: bar, at: [2, 0, 0]}], stiffness: =k, length: =free}
END
cat >ball.yaml <<'END'
cardan: 1
name: ball
bodies:
  ball: {sphere: 0.1, mass: 1, at: [0, 0, 2]}
END

# ---- equilibrium
code "equilibrium" 0 cardan equilibrium rod.yaml
line "equilibrium" "rod" "t = 0 s" " stable "
line "equilibrium" "hinge " "[0, 0, 29.43]"
code "equilibrium as JSON" 0 cardan equilibrium rod.yaml --json
true_of "stable" out "d['stability'] == 'stable' and abs(d['final']['joints']['hinge']['q'][0]) < 1e-9 and d['dof'] == 1"
true_of "reaction" out "abs(d['reactions']['hinge']['force'][2] - 3*9.81) < 1e-9"
code "equilibrium as a state" 0 cardan equilibrium rod.yaml -o equilibrium.json --quiet
code "run from the equilibrium" 0 cardan run rod.yaml --state equilibrium.json --json -o equilibrium.csv
true_of "run from the equilibrium" out "abs(d['final']['joints']['hinge']['q'][0]) < 1e-9 and abs(d['final']['joints']['hinge']['v'][0]) < 1e-9"
code "not overwritten" 1 cardan equilibrium rod.yaml -o equilibrium.json
message "not overwritten" file_exists "'equilibrium.json'"
code "nearest" 0 cardan equilibrium rod.yaml --set start=2.8 --nearest
line "nearest" "rod" "t = 0 s" " unstable "
line "nearest, unstable motion" ": 'hinge'"
{ cat rod.yaml; echo 'forces: {push: {actuator: hinge, effort: "=1/(t - 2)"}}'; } >wild.yaml
code "a force that is not finite" 3 cardan equilibrium wild.yaml -t 2
message "a force that is not finite" not_finite "2 s" "'hinge'" " 1" "'rod'"
code "a falling body" 3 cardan equilibrium ball.yaml
message "a falling body" no_equilibrium "'ball'" "-z"
code "held by contacts" 0 cardan equilibrium "$models/incline" --set push=0
line "held by contacts" "block on an incline" "held by contacts"
line "held by contacts" "ground - block" " 4 " "27.655" "10.066" "not unique"
code "held by contacts, as JSON" 0 cardan equilibrium "$models/incline" --set push=0 --json
true_of "held by contacts, as JSON" out "[(c['bodies'], c['points'], c['unique']) for c in d['contacts']] == [(['ground', 'block'], 4, False)] and abs(d['contacts'][0]['normal_force'] - 3*9.81*0.9396926207859084) < 1e-9 and abs(d['contacts'][0]['friction'] - 3*9.81*0.3420201433256687) < 1e-9"
code "a block that slides" 3 cardan equilibrium "$models/incline" --set push=0 --set 'slope=rad(27)'
message "a block that slides" no_equilibrium "'block'"
code "check of contacts" 0 cardan check "$models/incline"
line "check of contacts" "contacts" "rigid law" "1 pair"
line "check of contacts" "ground - block" "4 contact points" "not unique"
cat >slab.yaml <<'END'
cardan: 1
name: slab
materials: {wood: {}}
friction: {[wood, wood]: {mu: 0.5}}
contacts: {law: compliant, stiffness: 1e6, damping: 1}
ground: {shape: {plane: 4, material: wood}}
bodies:
  slab: {box: [1, 1, 0.2], mass: 3, at: [0, 0, 0.09], material: wood}
END
code "check of compliant contacts" 0 cardan check slab.yaml --json
true_of "check of compliant contacts" out "d['contacts']['law'] == 'compliant' and d['contacts']['touching'][0]['bodies'] == ['ground', 'slab'] and abs(d['contacts']['touching'][0]['overlap'] - 0.01) < 1e-9"
code "check of contacts as JSON" 0 cardan check "$models/incline" --json
true_of "check of contacts as JSON" out "d['contacts']['law'] == 'rigid' and [(c['bodies'], c['points'], c['unique']) for c in d['contacts']['touching']] == [(['ground', 'block'], 4, False)]"
code "vehicle" 0 cardan equilibrium "$models/hmmwv"
line "vehicle" ": 'body' along x, 'body' along y, 'body' about z"
code "driven, as JSON" 0 cardan equilibrium "$models/driven_slider" --json
true_of "driven, as JSON" out "d['dof'] == 0"
code "driven" 0 cardan equilibrium "$models/driven_slider"
line "driven" "driven slider" "t = 0 s"
code "no such formulation" 2 cardan equilibrium rod.yaml -f dens
message "no such formulation" unknown_name "'dens'" "'dense'"
code "no model" 1 cardan equilibrium none.yaml
message "no model" file_not_found "none.yaml: error"

# ---- trim: k (3 - free) = m g/2
code "solve" 0 cardan equilibrium lever.yaml --solve free
line "solve" "--set free=2.97057"
code "solve as JSON" 0 cardan equilibrium lever.yaml --solve free --json
true_of "free length" out "abs(d['values']['free'] - (3 - 3e-3*9.81)) < 1e-9 and d['residual'] < 1e-10 and d['rank'] == 1"
code "solve a force" 0 cardan equilibrium lever.yaml --solve coil.preload --write balanced.yaml
line "solve a force" "coil.preload " " -470.57 " "N"
code "balanced model" 0 cardan accel balanced.yaml --json
true_of "balanced model" out "abs(d['results'][0]['joints']['hinge']['a'][0]) < 1e-9"
code "two values, rank 1" 0 cardan equilibrium lever.yaml --solve free,k
line "two values, rank 1" "1 of 2 "
code "no effect" 3 cardan equilibrium rod.yaml --solve k
message "no effect" trim_failed "0.79 " "'hinge'"
code "unknown value" 2 cardan equilibrium lever.yaml --solve fre
message "unknown value" unknown_name "'fre'" "'free'"
code "unknown quantity" 2 cardan equilibrium lever.yaml --solve coil.lenght
message "unknown quantity" unknown_name "'coil.lenght'" "'coil.length'"
code "twice" 2 cardan equilibrium lever.yaml --solve free,free
code "two patterns" 2 cardan equilibrium lever.yaml --solve 'c*.length,coil.length'
message "two patterns" usage "coil.length"
code "empty" 2 cardan equilibrium lever.yaml --solve ,
code "solve and state" 2 cardan equilibrium lever.yaml --solve free --state equilibrium.json
message "solve and state" usage "--solve" "--state"
code "--write without --solve" 2 cardan equilibrium rod.yaml --write x.yaml
message "--write without --solve" usage "--write" "--solve"
code "trim of a vehicle" 0 cardan equilibrium "$models/hmmwv/rest.yaml" --solve 'F?.coil.length,R?.coil.length,front_road,rear_road' --write vehicle.yaml --json
true_of "trim of a vehicle" out "d['residual'] < 1e-10 and d['rank'] == 4"
code "equilibrium of the trimmed vehicle" 0 cardan equilibrium vehicle.yaml --json
true_of "equilibrium of the trimmed vehicle" out "d['iterations'] == 0 and abs(d['final']['joints']['body']['q'][2] - 0.466289) < 1e-9"

# ---- modes
code "modes" 0 cardan modes rod.yaml --equilibrium
line "modes" "rod" "t = 0 s" " 1 mode" " 1 "
line "frequency and damping" " 1 " " 0.43163 " " 0.0184 " "bar 100 %"
code "modes as JSON" 0 cardan modes rod.yaml --equilibrium --json
true_of "frequency" out "abs(d['modes'][0]['natural_frequency'] - (3*9.81/4)**0.5/6.283185307179586) < 1e-9"
true_of "shape" out "d['modes'][0]['joints']['hinge']['real'] == [1]"
code "not an equilibrium" 0 cardan modes rod.yaml
message "not an equilibrium" not_an_equilibrium "6.69 rad/s^2" "--equilibrium"
cat >tiny.yaml <<'END'
cardan: 1
bodies: {rod: {rod: [[0, 0, 0], [0, 0, -2e-12]], mass: 3e-20}}
joints: {hinge: {revolute: [ground, rod], at: [0, 0, 0], axis: y, start: {q: 0.5}}}
END
code "small and fast" 0 cardan modes tiny.yaml --equilibrium --json
true_of "small and fast" out "abs(d['modes'][0]['natural_frequency']/((0.75*9.81/1e-12)**0.5/6.283185307179586) - 1) < 1e-9"
lacks "small and fast" "equilibrium]" err
cat >spinning.yaml <<'END'
cardan: 1
bodies: {rod: {rod: [[0, 0, 0], [0, 0, -2]], mass: 3}}
joints: {hinge: {revolute: [ground, rod], at: [0, 0, 0], axis: y, start: {v: 5}}}
END
code "velocities set to zero" 0 cardan modes spinning.yaml --equilibrium
message "velocities set to zero" not_an_equilibrium "5 rad/s" "--equilibrium"
code "unstable" 0 cardan modes rod.yaml --set start=pi
line "unstable" "rod" "t = 0 s" " 2 modes" " 1 "
line "unstable mode" " 1 " " 0.3755 " "bar 100 %"
code "unstable, as JSON" 0 cardan modes rod.yaml --set start=pi --json
true_of "unstable, as JSON" out "d['unstable'] == 1 and any(m['unstable'] and m['real'] > 0 for m in d['modes'])"
code "picture" 0 cardan modes "$models/double_pendulum" --equilibrium --draw 2 -o mode.svg
line "picture" " 2" "mode.svg"
says "picture" "1.152 Hz" mode.svg
code "picture to standard output" 0 cardan modes "$models/four_bar" --equilibrium --draw 1 --strobe 3 --scale 0.2 -o -
says "picture to standard output" "<svg"
code "picture with default name" 0 cardan modes "$models/four_bar" --equilibrium --draw 1
exists results/four-bar-mode-1.svg
code "no such mode" 2 cardan modes rod.yaml --equilibrium --draw 4
message "no such mode" usage "'rod'" " 2 " " 4"
code "output without draw" 2 cardan modes rod.yaml -o mode.svg
message "output without draw" usage "--output" "--draw"
code "nearest without equilibrium" 2 cardan modes rod.yaml --nearest
code "no equilibrium" 3 cardan modes ball.yaml --equilibrium
message "no equilibrium" no_equilibrium "'ball'"
code "neutral" 0 cardan modes ball.yaml
for axis in x y z; do line "neutral" "ball 100 % along $axis"; done

# ---- linear model
code "linearize" 0 cardan linearize rod.yaml --equilibrium --motors hinge
line "linearize" "rod" "t = 0 s" " 2 states" " 1 input" " 1 output"
line "linearize" "hinge.v " " -7.3575 " " -0.1"
code "linearize as JSON" 0 cardan linearize rod.yaml --equilibrium --motors hinge --json
true_of "A, B, C" out "abs(d['A'][1][0] + 7.3575) < 1e-7 and abs(d['A'][1][1] + 0.1) < 1e-9 and abs(d['B'][1][0] - 0.25) < 1e-12 and abs(d['C'][0][0] + 1) < 1e-9 and d['D'] == [[0]]"
true_of "names" out "d['states'] == ['hinge.q', 'hinge.v'] and d['inputs'] == ['hinge.effort'] and d['outputs'] == ['tip']"
true_of "mass" out "abs(d['mass'][0][0] - 4) < 1e-9 and abs(d['stiffness'][0][0] - 29.43) < 1e-6 and abs(d['damping'][0][0] - 0.4) < 1e-8"
code "files" 0 cardan linearize rod.yaml --equilibrium --motors hinge -o rod.csv
for m in A B C D; do exists rod-$m.csv; done
says "head" "hinge.q,hinge.v" rod-A.csv
code "one file" 0 cardan linearize rod.yaml --equilibrium -o rod.json --quiet
true_of "no inputs" rod.json "d['inputs'] == [] and d['B'] == [[], []]"
code "no such motor" 2 cardan linearize rod.yaml --motors hing
message "no such motor" unknown_name "'hing'" "'hinge'"
ends
