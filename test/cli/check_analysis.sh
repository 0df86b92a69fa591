#!/bin/sh
# Equilibrium, modes and linear models as users meet them: words, JSON, files, pictures, and a sentence for everything that cannot be.
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
says "equilibrium" "rod at t = 0 s: stable equilibrium"
says "equilibrium" "[0, 0, 29.43]"
code "equilibrium as JSON" 0 cardan equilibrium rod.yaml --json
true_of "stable" out "d['stability'] == 'stable' and abs(d['final']['joints']['hinge']['q'][0]) < 1e-9 and d['dof'] == 1"
true_of "reaction" out "abs(d['reactions']['hinge']['force'][2] - 3*9.81) < 1e-9"
code "equilibrium as a state" 0 cardan equilibrium rod.yaml -o rest.json --quiet
code "run from it" 0 cardan run rod.yaml --state rest.json --json -o rest.csv
true_of "stays there" out "abs(d['final']['joints']['hinge']['q'][0]) < 1e-9 and abs(d['final']['joints']['hinge']['v'][0]) < 1e-9"
code "not overwritten" 1 cardan equilibrium rod.yaml -o rest.json
says "not overwritten" "rest.json" err
code "nearest" 0 cardan equilibrium rod.yaml --set start=2.8 --nearest
says "nearest" "unstable equilibrium"
says "nearest" "leads away: 'hinge'"
{ cat rod.yaml; echo 'forces: {push: {actuator: hinge, effort: "=1/(t - 2)"}}'; } >wild.yaml
code "a force without bound" 3 cardan equilibrium wild.yaml -t 2
says "a force without bound" "at t = 2 s the force on joint 'hinge' (coordinate 1) of 'rod' is not finite" err
code "falls" 3 cardan equilibrium ball.yaml
says "falls" "'ball' has no equilibrium: nothing carries 'ball' along -z" err
code "vehicle" 0 cardan equilibrium "$models/hmmwv"
says "vehicle" "neutral: 'body' along x, 'body' along y, 'body' about z"
code "driven" 0 cardan equilibrium "$models/driven_slider"
says "driven" "nothing is free to move"
code "no such formulation" 2 cardan equilibrium rod.yaml -f dens
says "no such formulation" "did you mean 'dense'?" err
code "no model" 1 cardan equilibrium none.yaml

# ---- values that make one: k (3 - free) = m g/2
code "solve" 0 cardan equilibrium lever.yaml --solve free
says "solve" "run with --set free=2.97057"
code "solve as JSON" 0 cardan equilibrium lever.yaml --solve free --json
true_of "free length" out "abs(d['values']['free'] - (3 - 3e-3*9.81)) < 1e-9 and d['residual'] < 1e-10 and d['rank'] == 1"
code "solve a force" 0 cardan equilibrium lever.yaml --solve coil.preload --write rest.yaml
says "solve a force" "coil.preload"
code "rests" 0 cardan accel rest.yaml --json
true_of "rests" out "abs(d['results'][0]['joints']['hinge']['a'][0]) < 1e-9"
code "both" 0 cardan equilibrium lever.yaml --solve free,k
says "both" "1 of 2 values are determined"
code "no effect" 3 cardan equilibrium rod.yaml --solve k
says "no effect" "none of the values has an effect on the forces at the start" err
says "no effect" "left along 'hinge'" err
code "unknown value" 2 cardan equilibrium lever.yaml --solve fre
says "unknown value" "did you mean 'free'?" err
code "unknown quantity" 2 cardan equilibrium lever.yaml --solve coil.lenght
says "unknown quantity" "did you mean 'coil.length'?" err
code "twice" 2 cardan equilibrium lever.yaml --solve free,free
code "two patterns" 2 cardan equilibrium lever.yaml --solve 'c*.length,coil.length'
says "two patterns" "both name coil.length" err
code "empty" 2 cardan equilibrium lever.yaml --solve ,
code "solve and state" 2 cardan equilibrium lever.yaml --solve free --state rest.json
says "solve and state" "--solve keeps the start" err
code "written beside solve" 2 cardan equilibrium rod.yaml --write x.yaml
says "written beside solve" "--write belongs to --solve" err
code "vehicle at rest" 0 cardan equilibrium "$models/hmmwv/rest.yaml" --solve 'F?.coil.length,R?.coil.length,front_road,rear_road' --write vehicle.yaml --json
true_of "vehicle at rest" out "d['residual'] < 1e-10 and d['rank'] == 4"
code "and it rests" 0 cardan equilibrium vehicle.yaml --json
true_of "and it rests" out "d['iterations'] == 0 and abs(d['final']['joints']['body']['q'][2] - 0.466289) < 1e-9"

# ---- modes
code "modes" 0 cardan modes rod.yaml --equilibrium
says "modes" "rod at t = 0 s: 1 mode of 1 motion"
says "modes" "0.43163"
code "modes as JSON" 0 cardan modes rod.yaml --equilibrium --json
true_of "frequency" out "abs(d['modes'][0]['natural_frequency'] - (3*9.81/4)**0.5/6.283185307179586) < 1e-9"
true_of "shape" out "d['modes'][0]['joints']['hinge']['real'] == [1]"
code "not at rest" 0 cardan modes rod.yaml
says "not at rest" "note: the state is no equilibrium" err
cat >tiny.yaml <<'END'
cardan: 1
bodies: {rod: {rod: [[0, 0, 0], [0, 0, -2e-12]], mass: 3e-20}}
joints: {hinge: {revolute: [ground, rod], at: [0, 0, 0], axis: y, start: {q: 0.5}}}
END
code "small and fast" 0 cardan modes tiny.yaml --equilibrium --json
true_of "small and fast" out "abs(d['modes'][0]['natural_frequency']/((0.75*9.81/1e-12)**0.5/6.283185307179586) - 1) < 1e-9"
if grep -q "no equilibrium" err; then fail "small and fast"; else pass; fi
cat >spinning.yaml <<'END'
cardan: 1
bodies: {rod: {rod: [[0, 0, 0], [0, 0, -2]], mass: 3}}
joints: {hinge: {revolute: [ground, rod], at: [0, 0, 0], axis: y, start: {v: 5}}}
END
code "velocities left out" 0 cardan modes spinning.yaml --equilibrium
says "velocities left out" "velocities of the start (up to 5 rad/s or m/s) are left out" err
code "unstable" 0 cardan modes rod.yaml --set start=pi
says "unstable" "UNSTABLE"
says "unstable" "grows"
code "picture" 0 cardan modes "$models/double_pendulum" --equilibrium --draw 2 -o mode.svg
says "picture" "mode 2: mode.svg"
says "picture" "mode 2, 1.152 Hz" mode.svg
code "picture to standard output" 0 cardan modes "$models/four_bar" --equilibrium --draw 1 --strobe 3 --scale 0.2 -o -
says "picture to standard output" "<svg"
code "picture with its own name" 0 cardan modes "$models/four_bar" --equilibrium --draw 1
exists results/four-bar-mode-1.svg
code "no such mode" 2 cardan modes rod.yaml --equilibrium --draw 4
says "no such mode" "there is no mode 4" err
code "output without draw" 2 cardan modes rod.yaml -o mode.svg
says "output without draw" "--draw" err
code "nearest without equilibrium" 2 cardan modes rod.yaml --nearest
code "no equilibrium" 3 cardan modes ball.yaml --equilibrium
code "neutral" 0 cardan modes ball.yaml
says "neutral" "neutral"

# ---- linear model
code "linearize" 0 cardan linearize rod.yaml --equilibrium --motors hinge
says "linearize" "linear model of 2 states, 1 input, 1 output"
says "linearize" "-7.3575"
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
says "no such motor" "did you mean 'hinge'?" err
ends
