#!/bin/sh
# What is given wrongly is told, and nothing that is given is passed over in silence.
. "$(dirname "$0")/../support/tool.sh"
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
    code "$i, steps alone" 0 cardan run rod.yaml -i $i --step 0.05 --output-interval 0.05 --json -o alone.csv --force
    cp out alone.json
    code "$i, rows within steps" 0 cardan run rod.yaml -i $i --step 0.05 --json -o within.csv --force
    true_of "$i, rows within steps" out "d['steps'] == 4 and near(d['final'], load('alone.json')['final'], 1e-15)"
    true_of "$i, the step is told" within.manifest.json "near(d['settings']['step'], 0.05, 1e-15) and d['settings']['output_interval'] == 0.01"
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
code "rk4, the usual step" 0 cardan run rod.yaml -i rk4 --output-interval 0.0005 -o x.csv --force
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
        code "$i, window $window" 0 cardan run "$root/models/four_bar" -i $i --window $window --step 0.002 --output-interval 0.001 -d 0.1 -o x.csv --force
        says "$i, window $window" "0.1 s in 50 steps (augmented, $i, step 0.002 s)"
    done
done

# ---- files: what is read is not written over, what is no file has nothing beside it
cp rod.yaml kept.yaml
code "results" 0 cardan run rod.yaml -o motion.csv --force --quiet
code "a state" 0 cardan assemble rod.yaml -o rest.json --quiet
for command in run draw assemble equilibrium "suspension" "inverse --motion motion.csv" "linearize"; do
    # shellcheck disable=SC2086
    code "$command over its model" 2 cardan $command rod.yaml -o ./rod.yaml --force
    code "$command over its model" 0 cmp rod.yaml kept.yaml
done
cp motion.csv kept.csv
code "inverse over its motion" 2 cardan inverse rod.yaml --motion motion.csv -o motion.csv --force
says "inverse over its motion" "--output 'motion.csv' would write over 'motion.csv', which is read" err
ln -s motion.csv link.csv
code "plot over its results" 2 cardan plot motion.csv -o link.csv --force
code "results are left" 0 cmp motion.csv kept.csv
code "run over its state" 2 cardan run rod.yaml --state rest.json -o rest.json --force
code "run as a model" 2 cardan run rod.yaml -o other.yaml
says "run as a model" "--output 'other.yaml' ends as models do" err
code "a state over itself" 0 cardan assemble rod.yaml --state rest.json -o rest.json --force --quiet
code "a model over itself" 0 cardan convert rod.yaml -o rod.yaml --force --quiet
cp kept.yaml rod.yaml
# a device of our own, in a folder where files could be written beside it
mkfifo pipe
cat pipe >piped.csv &
code "results into a pipe" 0 cardan run rod.yaml -o pipe --quiet
wait $!
code "results into a pipe" 0 cmp piped.csv motion.csv
code "nothing beside a pipe" 1 test -e pipe.svg -o -e pipe.manifest.json
code "a picture beside a pipe" 2 cardan run rod.yaml -o pipe --draw
code "a picture beside standard output" 2 cardan run rod.yaml -o - --strobe 4
says "a picture beside standard output" "a picture is drawn beside the file of the results: --output must name one, not '-'" err
code "inverse into a pipe" 2 cardan inverse rod.yaml --motion motion.csv -o pipe
for command in "run rod.yaml -o /dev/full" "draw rod.yaml -o /dev/full" "assemble rod.yaml -o /dev/full" "expand rod.yaml -o /dev/full" "plot motion.csv -o /dev/full"; do
    # shellcheck disable=SC2086
    code "$command" 1 cardan $command
    says "$command" "error: cannot be written: " err
done

# ---- options
code "twice" 2 cardan run rod.yaml -d 0.1 --duration 0.2 -o x.csv --force
says "twice" "--duration is given twice, '0.1' and '0.2'" err
code "twice the same" 0 cardan run rod.yaml -d 0.1 --duration 0.1 -q -q -o x.csv --force
code "two outputs" 2 cardan run rod.yaml -o x.csv -o y.csv --force
sed 's/^bodies/parameters: {m: 1}\nbodies/' rod.yaml >set.yaml
code "set twice" 2 cardan accel set.yaml --set m=1 -s m=2
says "set twice" "--set gives 'm' twice, 1 and 2" err
code "no column" 2 cardan run rod.yaml -c ,, -o x.csv --force
says "no column" "--columns ',,' names no column" err
for command in run plot convert optimize sweep; do
    code "$command of an empty name" 2 cardan $command ""
    says "$command of an empty name" "argument 1 of" err
done

ends
