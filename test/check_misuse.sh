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

# ---- a step longer than the time between rows is taken as it is: rows in between do not change it
for i in explicit-euler semi-implicit-euler midpoint rk4; do
    code "$i, steps alone" 0 cardan run rod.yaml -i $i --step 0.05 --interval 0.05 --json -o alone.csv --force
    cp out alone.json
    code "$i, rows within steps" 0 cardan run rod.yaml -i $i --step 0.05 --json -o within.csv --force
    true_of "$i, rows within steps" out "d['steps'] == 4 and near(d['final'], load('alone.json')['final'], 1e-15)"
    true_of "$i, the step is told" within.manifest.json "near(d['settings']['step'], 0.05, 1e-15) and d['settings']['interval'] == 0.01"
    python "$i, rows within steps" <<'END'
def rows(path):
    lines = [line.split(",") for line in open(path)]
    return {round(float(v[0]), 9): [float(x) for x in v] for v in lines[1:]}
alone, within = rows("alone.csv"), rows("within.csv")
assert len(within) == 21, within
assert all(max(abs(a - b) for a, b in zip(alone[t], within[t])) < 1e-12 for t in alone)
END
done
code "rk4, a step that does not divide the run" 0 cardan run rod.yaml -i rk4 --step 0.03 -o x.csv --force
says "rk4, a step that does not divide the run" "0.2 s in 7 steps (cholesky, rk4, step 0.02857 s)"
code "rk4, the usual step" 0 cardan run rod.yaml -i rk4 --interval 0.0005 -o x.csv --force
says "rk4, the usual step" "in 400 steps (cholesky, rk4, step 0.0005 s)"
python "rk4, rows within steps are exact" <<'END'
import subprocess
def rows(step):
    subprocess.run(["cardan", "run", "rod.yaml", "-i", "rk4", "--step", step, "-o", "r.csv", "-q", "--force"], check=True)
    return [[float(x) for x in line.split(",")] for line in open("r.csv").read().split("\n")[1:] if line]
fine = rows("0.0005")
error = {h: max(abs(a[1] - b[1]) for a, b in zip(rows(h), fine)) for h in ("0.1", "0.05")}
assert 8 < error["0.1"] / error["0.05"] < 40, error
END
for i in regularized-euler regularized-midpoint; do
    for window in 1 5; do
        code "$i, window $window" 0 cardan run "$root/models/four_bar" -i $i --window $window --step 0.002 --interval 0.001 -d 0.1 -o x.csv --force
        says "$i, window $window" "0.1 s in 50 steps (augmented, $i, step 0.002 s)"
    done
done

ends
