#!/bin/sh
# Wrong input is reported, and no input is ignored: states, tables of results, steps, output files, options given twice.
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
message "unknown key of a state" state_invalid "wrong.json:1:2: error" "'jonits'" "'joints'"
echo '{"joints": {"hinge": {"q": [1]}}, "gravity": 3}' >wrong.json
code "foreign key of a state" 1 cardan run rod.yaml --state wrong.json -o x.csv
message "foreign key of a state" state_invalid "wrong.json:1:35: error" "'gravity'"
lacks "foreign key of a state, no suggestion" "?" err
echo '{"final": {"joints": {"hinge": {"q": [1]}}, "tiem": 3}}' >wrong.json
code "unknown key of a final state" 1 cardan run rod.yaml --state wrong.json -o x.csv
message "unknown key of a final state" state_invalid "wrong.json:1:45: error" "'tiem'" "'time'"
echo '{"final": {"joints": {"hinge": {"q": [1]}}}, "joints": {"hinge": {"q": [2]}}}' >wrong.json
code "two states" 1 cardan run rod.yaml --state wrong.json -o x.csv
message "two states" state_invalid "wrong.json:1:46: error" "'joints'" "'final'"
for command in "run -o s.csv --force" accel assemble equilibrium; do
    # shellcheck disable=SC2086
    code "$command as a state" 0 cardan $command rod.yaml --json
    cp out state.json
    code "$command as a state" 0 cardan accel rod.yaml --state state.json
done

# ---- files that are not tables of results
code "a model is plotted" 1 cardan plot rod.yaml
message "a model is plotted" table_invalid "rod.yaml: error" "cardan run rod.yaml"
code "one message" 0 test "$(wc -l <err)" -eq 1
code "the folder of a model is plotted" 1 cardan plot "$root/models/pendulum"
message "the folder of a model is plotted" file_not_readable "models/pendulum: error" "cardan run"
for file in s.svg s.manifest.json; do
    code "$file is plotted" 1 cardan plot $file
    message "$file is plotted" table_invalid "$file: error"
done
code "a model as a motion" 1 cardan inverse rod.yaml --motion rod.yaml
message "a model as a motion" table_invalid "rod.yaml: error" "cardan run rod.yaml"

# ---- steps longer than the output interval: samples inside a step do not change the steps
for i in explicit-euler semi-implicit-euler midpoint rk4; do
    code "$i, steps alone" 0 cardan run rod.yaml -i $i --step 0.05 --output-interval 0.05 --json -o alone.csv --force
    cp out alone.json
    code "$i, samples within steps" 0 cardan run rod.yaml -i $i --step 0.05 --json -o within.csv --force
    true_of "$i, samples within steps" out "d['steps'] == 4 and near(d['final'], load('alone.json')['final'], 1e-15)"
    true_of "$i, step in the manifest" within.manifest.json "near(d['settings']['step'], 0.05, 1e-15) and d['settings']['output_interval'] == 0.01"
    python "$i, samples within steps" <<'END'
def rows(path):
    lines = [line.split(",") for line in open(path)]
    return {round(float(v[0]), 9): [float(x) for x in v] for v in lines[1:]}
alone, within = rows("alone.csv"), rows("within.csv")
assert len(within) == 21, within
assert all(max(abs(a - b) for a, b in zip(alone[t], within[t])) < 1e-12 for t in alone)
END
done
code "rk4, a step that does not divide the run" 0 cardan run rod.yaml -i rk4 --step 0.03 -o x.csv --force
line "rk4, a step that does not divide the run" "0.2 s " " 7 steps" cholesky rk4 "step 0.02857 s"
code "rk4, default step" 0 cardan run rod.yaml -i rk4 --output-interval 0.0005 -o x.csv --force
line "rk4, default step" " 400 steps" cholesky rk4 "step 0.0005 s"
python "rk4, order of samples within steps" <<'END'
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
        line "$i, window $window" "0.1 s " " 50 steps" augmented "$i" "step 0.002 s"
    done
done

# ---- files: input files are not overwritten, and next to an output that is not a file no further files are written
cp rod.yaml kept.yaml
code "results" 0 cardan run rod.yaml -o motion.csv --force --quiet
code "a state" 0 cardan assemble rod.yaml -o state0.json --quiet
for command in run draw assemble equilibrium "suspension" "inverse --motion motion.csv" "linearize"; do
    # shellcheck disable=SC2086
    code "$command over its model" 2 cardan $command rod.yaml -o ./rod.yaml --force
    message "$command over its model" usage "rod.yaml"
    code "$command, model unchanged" 0 cmp rod.yaml kept.yaml
done
cp motion.csv kept.csv
code "inverse over its motion" 2 cardan inverse rod.yaml --motion motion.csv -o motion.csv --force
message "inverse over its motion" usage "--output" "'motion.csv'"
ln -s motion.csv link.csv
code "plot over its results" 2 cardan plot motion.csv -o link.csv --force
code "results unchanged" 0 cmp motion.csv kept.csv
code "run over its state" 2 cardan run rod.yaml --state state0.json -o state0.json --force
code "run as a model" 2 cardan run rod.yaml -o other.yaml
message "run as a model" usage "--output" "'other.yaml'"
code "a state over itself" 0 cardan assemble rod.yaml --state state0.json -o state0.json --force --quiet
code "a model over itself" 0 cardan convert rod.yaml -o rod.yaml --force --quiet
cp kept.yaml rod.yaml
# a pipe in a folder that is writable
mkfifo pipe
cat pipe >piped.csv &
code "results into a pipe" 0 cardan run rod.yaml -o pipe --quiet
wait $!
code "results into a pipe" 0 cmp piped.csv motion.csv
code "no other file with a pipe" 1 test -e pipe.svg -o -e pipe.manifest.json
code "a picture with a pipe" 2 cardan run rod.yaml -o pipe --draw
code "a picture with standard output" 2 cardan run rod.yaml -o - --strobe 4
message "a picture with standard output" usage "--output" "'-'"
code "inverse into a pipe" 2 cardan inverse rod.yaml --motion motion.csv -o pipe
for command in "run rod.yaml -o /dev/full" "draw rod.yaml -o /dev/full" "assemble rod.yaml -o /dev/full" "expand rod.yaml -o /dev/full" "plot motion.csv -o /dev/full"; do
    # shellcheck disable=SC2086
    code "$command" 1 cardan $command
    message "$command" file_not_writable "/dev/full: error"
done

# ---- options
code "twice" 2 cardan run rod.yaml -d 0.1 --duration 0.2 -o x.csv --force
message "twice" usage "--duration" "'0.1'" "'0.2'"
code "twice the same" 0 cardan run rod.yaml -d 0.1 --duration 0.1 -q -q -o x.csv --force
code "two outputs" 2 cardan run rod.yaml -o x.csv -o y.csv --force
message "two outputs" usage "--output" "'x.csv'" "'y.csv'"
sed 's/^bodies/parameters: {m: 1}\nbodies/' rod.yaml >set.yaml
code "set twice" 2 cardan accel set.yaml --set m=1 -s m=2
message "set twice" usage "--set" "'m'" " 1 " " 2"
code "no column" 2 cardan run rod.yaml -c ,, -o x.csv --force
message "no column" usage "--columns" "',,'"
for command in run plot convert optimize sweep; do
    code "$command of an empty name" 2 cardan $command ""
    message "$command of an empty name" usage " 1 "
done

ends
