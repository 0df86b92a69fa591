#!/bin/sh
# What is given wrongly is told, and nothing that is given is passed over in silence.
. "$(dirname "$0")/tool.sh"
cat >rod.yaml <<'END'
cardan: 1
name: rod
bodies: {rod: {mass: 1, inertia: [0, 0.01, 0.01], at: [0.5, 0, 0]}}
joints: {hinge: {revolute: [ground, rod], at: [0, 0, 0], axis: y}}
run: {duration: 0.2, output: 0.01}
END

# ---- states
printf '{"jonits": {"hinge": {"q": [1]}},\n "joints": {}}' >wrong.json
code "unknown key of a state" 1 cardan accel rod.yaml --state wrong.json
says "unknown key of a state" "wrong.json:1:2: error: a state has joints, states and time, not 'jonits' (did you mean 'joints'?)" err
echo '{"joints": {"hinge": {"q": [1]}}, "gravity": 3}' >wrong.json
code "foreign key of a state" 1 cardan run rod.yaml --state wrong.json -o x.csv
says "foreign key of a state" "not 'gravity'" err
lacks "foreign key of a state" "did you mean" err
echo '{"final": {"joints": {"hinge": {"q": [1]}}, "tiem": 3}}' >wrong.json
code "unknown key of a final state" 1 cardan run rod.yaml --state wrong.json -o x.csv
says "unknown key of a final state" "not 'tiem' (did you mean 'time'?)" err
echo '{"final": {"joints": {"hinge": {"q": [1]}}}, "joints": {"hinge": {"q": [2]}}}' >wrong.json
code "two states" 1 cardan run rod.yaml --state wrong.json -o x.csv
says "two states" "'joints' beside 'final': the state is in 'final', and there only" err
for command in "run -o s.csv --force" accel assemble equilibrium; do
    # shellcheck disable=SC2086
    code "$command as a state" 0 cardan $command rod.yaml --json
    cp out state.json
    code "$command as a state" 0 cardan accel rod.yaml --state state.json
done

# ---- what is no table of results
code "a model is plotted" 1 cardan plot rod.yaml
says "a model is plotted" 'rod.yaml: error: this is a model, not a table of results; `cardan run rod.yaml` simulates it and writes one' err
code "said once" 0 test "$(wc -l <err)" -eq 1
code "the folder of a model is plotted" 1 cardan plot "$root/models/pendulum"
says "the folder of a model is plotted" "is a folder, not a table of results; where it holds a model" err
for file in s.svg s.manifest.json; do
    code "$file is plotted" 1 cardan plot $file
    says "$file is plotted" "not a table of results, which is a CSV file with names in its first line" err
done
code "a model as a motion" 1 cardan inverse rod.yaml --motion rod.yaml
says "a model as a motion" "this is a model, not a table of results" err

ends
