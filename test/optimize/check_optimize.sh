#!/bin/sh
# cardan optimize: files and reports of example problems, warm starts, parameter studies of problems, and messages of
# invalid and infeasible tasks. The work of the control is compared with the gain of energy, and a user state with the
# integral of its rate.
. "$(dirname "$0")/../support/tool.sh"
export OPENBLAS_NUM_THREADS=1
models=$root/models

# ---- an example problem and its files
code "swing-up" 0 cardan optimize "$models/cart_pole/swing_up.yaml" --json
true_of "report" out "d['status'] == 'ok' and abs(d['cost'] - 59.13) < 0.01 and d['violation'] < 1e-6 and d['simulated_q_error'] < 1e-5 and d['iterations'] < 40"
true_of "final state" out "abs(d['final']['joints']['pivot']['q'][0] - 3.141592653589793) < 1e-9 and abs(d['final']['joints']['rail']['v'][0]) < 1e-9"
true_of "parts of the computation time" out "abs(d['seconds'] - d['seconds_functions'] - d['seconds_other']) < 1e-9"
for file in swing-up.csv swing-up.svg swing-up-mechanism.svg swing-up.manifest.json swing-up.solution.json; do exists results/$file; done
true_of "manifest" results/swing-up.manifest.json "d['task']['name'] == 'swing-up' and d['model']['name'] == 'cart-pole' and len(d['model']['sha256']) == 64 and d['settings']['form'] == 'impl' and d['outcome']['status'] == 'ok'"
python "samples" <<'END'
import csv
rows = list(csv.reader(open("results/swing-up.csv")))
head = [h.split(" [")[0] for h in rows[0]]
for name in ("t", "rail.q", "rail.v", "rail.a", "rail.effort", "rail.control", "pivot.q", "energy.kinetic", "tip_z"): assert name in head, name
at = {name: i for i, name in enumerate(head)}
first, last = ([float(x) for x in rows[i]] for i in (1, -1))
assert first[at["t"]] == 0 and abs(last[at["t"]] - 2) < 1e-12 and abs(last[at["tip_z"]] - 0.5) < 1e-8 and abs(last[at["rail.q"]] - 1) < 1e-9
assert all(abs(float(r[at["rail.control"]])) <= 20 + 1e-6 for r in rows[1:])
# work of the control by the trapezoidal rule over the samples = gain of energy
work = sum(0.5 * (float(a[at["rail.v"]]) + float(b[at["rail.v"]])) * float(a[at["rail.control"]]) * (float(b[0]) - float(a[0])) for a, b in zip(rows[1:], rows[2:]))
gain = last[at["energy.total"]] - first[at["energy.total"]]
assert abs(work / gain - 1) < 1e-2, (work, gain)
END
code "existing results" 1 cardan optimize "$models/cart_pole/swing_up.yaml"
message "existing results" file_exists "'results/swing-up.csv'"
code "standard output" 0 cardan optimize "$models/cart_pole/swing_up.yaml" -o - -c rail.q
says "standard output" "t [s],rail.q [m]"
code "from its results" 0 cardan optimize "$models/cart_pole/swing_up.yaml" --guess results/swing-up.csv -o again.csv --json
true_of "from its results" out "d['warm_started'] and d['iterations'] <= 2 and abs(d['cost'] - 59.13) < 0.01"
code "a nearby target" 0 cardan optimize "$models/cart_pole/swing_up.yaml" --guess results/swing-up.csv --set distance=1.001 -o nearby.csv --json
true_of "a nearby target" out "d['warm_started'] and d['iterations'] <= 8 and d['status'] == 'ok'"
code "with other intervals" 0 cardan optimize "$models/cart_pole/swing_up.yaml" --guess results/swing-up.csv --intervals 30 -o nearby.csv --force --json
true_of "with other intervals" out "not d['warm_started'] and d['status'] == 'ok'"
cp results/swing-up.solution.json changed.solution.json
sed '$d' results/swing-up.csv >changed.csv
code "changed results" 0 cardan optimize "$models/cart_pole/swing_up.yaml" --guess changed.csv -o nearby.csv --force --json
true_of "changed results" out "not d['warm_started'] and d['status'] == 'ok'"
cp results/swing-up.csv changed.csv
sed -i 's/"unknowns": .[^,]*,/"unknowns": [null,/' changed.solution.json
code "a damaged solution" 0 cardan optimize "$models/cart_pole/swing_up.yaml" --guess changed.csv -o nearby.csv --force --json
true_of "a damaged solution" out "not d['warm_started'] and d['status'] == 'ok'"
code "from results of another duration" 0 cardan optimize "$models/cart_pole/swing_up.yaml" --guess results/swing-up.csv --set distance=0.8 -o other.csv --json
true_of "from results of another duration" out "d['status'] == 'ok'"
code "a missing guess" 1 cardan optimize "$models/cart_pole/swing_up.yaml" --guess no.csv -o no-results.csv
if [ -e no-results.csv ]; then fail "results of a refused task"; else pass; fi
printf 'a,b\n1,2\n2,3\n' >bad.csv
code "a guess that is not a motion" 1 cardan optimize "$models/cart_pole/swing_up.yaml" --guess bad.csv -o no-results.csv
message "a guess that is not a motion" table_invalid "'bad.csv'"

# ---- states of the model: d(lag)/dt = 2 (q - lag)
cp "$root/test/data/optimize/floater.yaml" .
printf 'cardan: 1\ntask: lagging\nmodel: floater.yaml\nhorizon: 1\nintervals: 20\ncontrols: [ball, hinge]\nend: {v: {hinge: 0}, q: {hinge: 0.5}}\ncost: {effort: 1}\n' >lagging.yaml
code "states" 0 cardan optimize lagging.yaml -o lagging.csv -q
python "states" <<'END'
import csv
rows = list(csv.reader(open("lagging.csv")))
at = {name.split(" [")[0]: i for i, name in enumerate(rows[0])}
t, q, lag = ([float(r[at[name]]) for r in rows[1:]] for name in ("t", "hinge.q", "lag"))
integral = sum((t[i + 1] - t[i]) * (q[i] - lag[i] + q[i + 1] - lag[i + 1]) for i in range(len(t) - 1))
assert lag[0] == 0.1 and abs(lag[-1] - lag[0] - integral) < 1e-4 and abs(lag[-1] - lag[0]) > 0.01, (lag[-1], integral)
END

# ---- a target of a marker: the default guess ends there
cp -r "$models/arm_pendulum" .
sed '/^guess/d' arm_pendulum/reach.yaml >arm_pendulum/reach_alone.yaml
code "with a guess" 0 cardan optimize arm_pendulum/reach.yaml --intervals 20 --degree 3 -o with.csv --json -q --generated never
cp out with.json
code "without a guess" 0 cardan optimize arm_pendulum/reach_alone.yaml --intervals 20 --degree 3 -o without.csv --json -q --generated never
true_of "without a guess" out "abs(d['cost'] / __import__('json').load(open('with.json'))['cost'] - 1) < 1e-7 and d['iterations'] <= 40"

# ---- a quadruped that stands on its feet: loops are cut at joints without controls and conditions
code "crouch" 0 cardan optimize "$models/robots/anymal/crouch.yaml" -o crouch.csv --json -q
true_of "crouch" out "d['status'] == 'ok' and abs(d['final']['joints']['base']['q'][2] + 0.15) < 1e-9 and d['loop_violation'] < 1e-6 and d['simulated_q_error'] < 1e-5"
cat >loop.yaml <<'END'
cardan: 1
bodies:
  a: {rod: [[0, 0, 0], [0, 0, 1]], mass: 1}
  b: {rod: [[0, 0, 1], [1, 0, 1]], mass: 1}
  c: {rod: [[1, 0, 1], [1, 0, 0]], mass: 1}
joints:
  one: {revolute: [ground, a], at: [0, 0, 0], axis: y}
  two: {revolute: [a, b], at: [0, 0, 1], axis: y}
  three: {revolute: [b, c], at: [1, 0, 1], axis: y}
  four: {revolute: [c, ground], at: [1, 0, 0], axis: y}
forces:
  motor: {actuator: three, effort: 0}
END
printf 'cardan: 1\ntask: bar\nmodel: loop.yaml\nhorizon: 0.2\nintervals: 4\ncontrols: [motor]\ncost: {effort: 1}\n' >bar.yaml
code "a control at the closing joint of a loop" 0 cardan optimize bar.yaml --sizes
sed 's/motor./motor, one, two, four]/' bar.yaml >all.yaml
code "controls at all joints of a loop" 1 cardan optimize all.yaml
message "controls at all joints of a loop" task_invalid "all.yaml:6:12: error" "'motor'" "'three'"

# the limit of a cut joint is a path condition
cp -r "$models/four_bar" .
sed -i 's/\(  C: {revolute.*axis: z\)/\1, limits: [-0.3, 0.3]/' four_bar/four_bar.yaml
printf 'cardan: 1\ntask: rocks\nmodel: four_bar\nhorizon: 0.5\nintervals: 10\ncontrols: [A]\nstart: {v: {A: 0}}\nend: {v: {A: 0}}\ncost: {final: =-q(A), effort: 1e-3}\n' >rocks.yaml
code "a limit of the cut joint" 0 cardan optimize rocks.yaml -o rocks.csv -c '*.q' --json
python "a limit of the cut joint" <<'END'
import csv
rows = list(csv.reader(open("rocks.csv")))
at = [name.split(" [")[0] for name in rows[0]].index("C.q")
assert abs(max(float(r[at]) for r in rows[1:]) - 0.3) < 1e-5, max(float(r[at]) for r in rows[1:])
END

# ---- lists and schema
code "transcriptions" 0 cardan list transcriptions
says "transcriptions" "radau"
code "dynamics" 0 cardan list dynamics
says "dynamics" "exp2-a"
code "schema" 0 cardan schema task
true_of "schema" out "set(d['required']) == {'task', 'model', 'horizon', 'controls', 'cost'} and 'tracking' in d['definitions']['cost']['properties']"
code "manual" 0 cardan schema task --manual
cp out manual.md
code "docs/task-file.md is the manual" 0 cmp manual.md "$root/docs/task-file.md"

# ---- invalid tasks: location, exit code 1, no files
rm -rf results
cp -r "$models/cart_pole" .
mistake() { # NAME LOCATION CODE TEXT...; the task without its first lines on standard input
    about=$1 location=$2
    shift 2
    printf 'cardan: 1\ntask: wrong\nmodel: cart_pole/cart_pole.yaml\n' >wrong.yaml
    cat >>wrong.yaml
    code "$about" 1 cardan optimize wrong.yaml
    message "$about" "$@" "wrong.yaml:$location: "
    if [ -e results ]; then fail "$about: results are written"; rm -rf results; else pass; fi
}
mistake "unknown key" 6:1 task_invalid "'control'" "'controls'" <<'END'
horizon: 1
intervals: 10
control: [rail]
cost: {effort: 1}
END
mistake "missing actuator" 5:12 task_invalid "'motor'" "'cart-pole'" "rail, pivot" <<'END'
horizon: 1
controls: [motor]
cost: {effort: 1}
END
mistake "condition outside of its bounds" 7:17 condition_inconsistent "'rail'" " 3" " -2 " " 2" <<'END'
horizon: 1
controls: [rail]
cost: {effort: 1}
end: {q: {rail: 3}}
END
mistake "lower bound above the upper bound" 5:27 task_invalid " 2 " " 1" <<'END'
horizon: 1
controls: {rail: {bounds: [2, 1]}}
cost: {effort: 1}
END
mistake "effort of a joint without control" 6:18 task_invalid "'pivot'" <<'END'
horizon: 1
controls: [rail]
cost: {integral: =effort(pivot)^2}
END
mistake "unknown joint in a formula" 6:38 expression_invalid "'pivott'" "'pivot'" <<'END'
horizon: 1
controls: [rail]
cost: {integral: =effort(rail)^2 + q(pivott)}
END
mistake "tracking without target" 6:19 task_invalid "value" "target" "file" "columns" <<'END'
horizon: 1
controls: [rail]
cost: {tracking: [{weight: 1}]}
END
mistake "unknown marker" 7:17 task_invalid "'tipp'" "'tip'" <<'END'
horizon: 1
controls: [rail]
cost: {effort: 1}
end: {markers: {tipp: {velocity: [0, 0, 0]}}}
END
mistake "unknown form" 4:7 task_invalid "'exp1o'" "'exp1-o'" "impl, semi, exp1-o, exp1-a, exp2-o, exp2-a" <<'END'
form: exp1o
horizon: 1
controls: [rail]
cost: {effort: 1}
END
mistake "a number with unit" 4:10 task_invalid "'2 s'" "=pi/2" <<'END'
horizon: 2 s
controls: [rail]
cost: {time: 1}
END
lacks "a number with unit" "[cost_constant]" err
mistake "a negative horizon" 4:10 task_invalid "-1 s" <<'END'
horizon: -1
controls: [rail]
cost: {effort: 1}
END
mistake "zero intervals" 5:12 task_invalid " 1 " " 100000" " 0" <<'END'
horizon: 1
intervals: 0
controls: [rail]
cost: {effort: 1}
END
mistake "no number in the guess" 7:20 task_invalid "'.nan'" <<'END'
horizon: 1
controls: [rail]
cost: {effort: 1}
guess: {q: {pivot: .nan}}
END
mistake "a missing guess of the task" 7:15 task_note "note" "'nowhere.csv'" <<'END'
horizon: 1
controls: [rail]
cost: {effort: 1}
guess: {file: nowhere.csv}
END
printf 't [s],hinge.q [rad]\n0,0\n1,1\n' >other.csv
code "a guess of another model" 1 cardan optimize "$models/cart_pole/swing_up.yaml" --guess other.csv -o no-results.csv
message "a guess of another model" table_invalid "'other.csv'" JOINT.q "'cart-pole'"
printf 'cardan: 1\ntask: angle\nmodel: cart_pole/cart_pole.yaml\nhorizon: 1\ncontrols: [rail]\ncost: {effort: 1}\nend: {q: {pivot: 180}}\n' >angle.yaml
code "degrees" 0 cardan optimize angle.yaml --sizes
message "degrees" angle_unit "angle.yaml:7:18: warning" "'pivot'" "180 rad" "28.6"
printf 'cardan: 1\ntask: wrong\nmodel: cart_pole/cart_poel.yaml\nhorizon: 1\ncontrols: [rail]\ncost: {effort: 1}\n' >wrong.yaml
code "a missing model" 1 cardan optimize wrong.yaml
message "a missing model" file_not_found "cart_pole/cart_poel.yaml: error" "'cart_pole/cart_pole.yaml'"
message "a missing model" task_note "wrong.yaml:3:8: note"
code "an unknown parameter" 1 cardan optimize cart_pole/swing_up.yaml --set distanze=1
message "an unknown parameter" unknown_name "cart_pole/cart_pole.yaml: error" "'distanze'" "length, cart, ball"
message "an unknown parameter" task_note "cart_pole/swing_up.yaml:6:13: note" "'distance'"

printf 'cardan: 1\ntask: wrong\nmodel: cart_pole/cart_pole.yaml\nhorizon: -1\ndegree: 13\ncontrols: [rial]\ncost: {effort: 1}\n' >wrong.yaml
code "all mistakes as JSON" 1 cardan optimize wrong.yaml --json
true_of "all mistakes as JSON" out "[e['location']['line'] for e in d['error']['all']] == [4, 5, 6] and d['error']['message'] == d['error']['all'][0]['message']"
code "a missing task" 1 cardan optimize wrong.yml
message "a missing task" file_not_found "wrong.yml: error" "'wrong.yaml'"
code "too many intervals" 2 cardan optimize cart_pole/swing_up.yaml --intervals 100001
message "too many intervals" invalid_option "100001" " 100000"
code "a constant cost" 0 cardan optimize cart_pole/swing_up.yaml --sizes
printf 'cardan: 1\ntask: any\nmodel: cart_pole/cart_pole.yaml\nhorizon: 1\nintervals: 1\ncontrols: [rail]\ncost: {}\n' >any.yaml
code "a constant cost" 0 cardan optimize any.yaml
message "a constant cost" cost_constant "any.yaml:7:7: warning"
line "one interval" "1 s " " 1 interval"
rm -rf results

# ---- files are checked before compilation; Ctrl-C during compilation leaves no files
mkdir cache results
echo mine >results/reach.svg
code "existing files, no compilation" 1 env CARDAN_CACHE="$PWD/cache" cardan optimize "$models/arm_pendulum/reach.yaml"
message "existing files, no compilation" file_exists "'results/reach.svg'"
code "existing files, no compilation" 0 test -z "$(ls cache)"
mkdir -m 777 open
code "an unsafe cache" 0 env CARDAN_CACHE="$PWD/open" cardan optimize "$models/arm_pendulum/reach.yaml" --intervals 20 --degree 3 --generated always -o open.csv
message "an unsafe cache" functions_interpreted "reach.yaml: note" "'$PWD/open'" 0777 CARDAN_CACHE
code "an unsafe cache" 0 test -z "$(ls open)"
rm -rf results
CARDAN_CACHE="$PWD/cache" cardan optimize "$models/arm_pendulum/reach.yaml" >out 2>err &
search=$!
for wait in $(seq 500); do
    if ls cache/work-* >/dev/null 2>&1; then break; fi
    sleep 0.01
done
kill -TERM "$search" # a shell has Ctrl-C ignored in the background
wait "$search"
code "Ctrl-C while a compiler runs" 130 sh -c "exit $?"
code "Ctrl-C while a compiler runs" 0 sh -c '! ls cache/work-* 2>/dev/null && ! ls results 2>/dev/null'

# ---- infeasible and unbounded tasks: messages with the violated condition, exit code 3
infeasible() { # NAME CODE [TEXT...]: error of the task, on standard input without its first lines, and texts of the violated condition
    about=$1 wrong=$2
    shift 2
    printf 'cardan: 1\ntask: infeasible\nmodel: cart_pole/cart_pole.yaml\nintervals: 10\n' >infeasible.yaml
    cat >>infeasible.yaml
    code "$about" 3 cardan optimize infeasible.yaml --force --iterations 500
    message "$about" "$wrong" "infeasible.yaml: error"
    [ $# -eq 0 ] || message "$about" condition_violated "$@"
}
infeasible "a target that is too far" optimum_not_found "infeasible.yaml:7:17: note" "'rail'" "0.216" "1.284" <<'END'
horizon: 0.3
controls: {rail: {bounds: [-1, 1]}}
end: {q: {rail: 1.5}, v: 0}
cost: {effort: 1}
END
# A guess away from the hanging pole, at which the gradient of the violation is zero. The least violation is 0.9 - 0.5.
infeasible "a target outside of the workspace" optimum_not_found "infeasible.yaml:7:35: note" <<'END'
horizon: 1
controls: [rail]
end: {markers: {tip: [free, free, 0.9]}}
guess: {q: {pivot: 2.5}}
cost: {effort: 1}
END
python "the least violation of this target" <<'END'
import re
violation, value = map(float, re.search(r"last iterate, (\S+): its value is (\S+) ", open("err").read()).groups())
assert abs(value - 0.5) < 0.02 and abs(violation - (0.9 - value)) < 1e-3, (violation, value)
END
infeasible "an unbounded cost" cost_unbounded <<'END'
horizon: 1
path: {limits: false}
controls: [rail]
cost: {final: =-q(rail)}
END

# ---- malformed tasks: an error with location
python "malformed tasks" "$models/cart_pole/swing_up.yaml" <<'END'
import random, subprocess, sys
random.seed(6)
lines = open(sys.argv[1]).read().split("\n")
words = ["{", "}", "[", "]", ":", "=", "-1", "1e400", "q", "=1/0", "=q(rail)", "free", "[1, 2, 3]", "{a: 1}", "nan", "''", "=effort(rail)", "\t", "*x", "&x"]
reported = 0
for trial in range(60):
    text = list(lines)
    for change in range(random.randint(1, 2)):
        i = random.randrange(3, len(text))
        kind = random.randrange(4)
        if kind == 0: del text[i]
        elif kind == 1: text.insert(i, random.choice(lines))
        elif ":" in text[i]:
            head, tail = text[i].split(":", 1)
            text[i] = head + ": " + random.choice(words) if kind == 2 else random.choice(words) + ":" + tail
    open("cart_pole/fuzz.yaml", "w").write("\n".join(text))
    p = subprocess.run(["cardan", "optimize", "cart_pole/fuzz.yaml", "--sizes"], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
    assert p.returncode in (0, 1, 2), (p.returncode, "\n".join(text), p.stderr)
    assert (p.returncode == 0) == ("error" not in p.stderr), (p.returncode, p.stderr, "\n".join(text))
    if p.returncode: reported += 1; assert "yaml:" in p.stderr, (p.stderr, "\n".join(text))
assert reported > 20, reported
END

# ---- parameter studies of problems
cat >study.yaml <<'END'
study: 1
name: pushes
problem: cart_pole/swing_up.yaml
vary:
  distance: [0.5, 1]
  form: [impl, exp1-o, exp2-a]
  strongest: [20, 2]
options: {intervals: 16, degree: 2, iterations: 60}
collect: {iterations: iterations, cost: cost, end: {final: tip_z}, push: {maximum: rail.control}, off: simulated_q_error, time: wall}
END
without_time() { cut -d, -f1-9,11- "$1"; }
code "one worker" 0 cardan sweep study.yaml -j 1 -o one.csv -q
code "two workers" 0 cardan sweep study.yaml -j 2 -o two.csv -q
without_time one.csv >one.cut
without_time two.csv >two.cut
head -n 1 one.csv >out
says "columns" "case,distance,form,strongest,iterations,cost,end [m],push [N],off,time [s],status,reason"
code "the same table" 0 cmp one.cut two.cut
python "costs of all forms, failed cases" <<'END'
import csv
rows = list(csv.DictReader(open("one.csv")))
assert len(rows) == 12
for distance in ("0.5", "1"):
    costs = [float(r["cost"]) for r in rows if r["distance"] == distance and r["strongest"] == "20" and r["status"] == "ok"]
    assert len(costs) == 3 and max(costs) / min(costs) - 1 < 1e-6, costs
assert all(r["status"] != "ok" and r["reason"] for r in rows if r["strongest"] == "2")
END
# killed at a random time: the sweep, the sweep and its cases, and while a case writes its results
for kill in alone group writing; do
    python "killed, $kill" $kill <<'END'
import glob, os, random, signal, subprocess, sys, time
kill = sys.argv[1]
sweep = subprocess.Popen(["cardan", "sweep", "study.yaml", "-j", "2", "-o", f"{kill}.csv", "-q"], start_new_session=True)
end, enough = time.time() + 60, random.randint(1, 6)
def done():
    try: return open(f"{kill}.journal").read().count("\n")
    except FileNotFoundError: return 0
while sweep.poll() is None and time.time() < end:  # results have another name until they are complete
    if kill != "writing" and done() >= enough: break
    if kill == "writing" and any(os.path.basename(f) not in ("out", "err") for f in glob.glob(f"{kill}.cases/*/*")): break
cases = [] if kill == "alone" else open(f"/proc/{sweep.pid}/task/{sweep.pid}/children").read().split()
for pid in [sweep.pid] + [int(c) for c in cases]:
    try: os.kill(pid, signal.SIGKILL)
    except ProcessLookupError: pass
sweep.wait()
assert sweep.returncode == -9, sweep.returncode
END
    code "resumed" 0 cardan sweep study.yaml -j 2 -o $kill.csv -q
    without_time $kill.csv >$kill.cut
    code "the same table, killed $kill" 0 cmp one.cut $kill.cut
    if [ -e $kill.cases ]; then fail "files of cases remain"; else pass; fi
done
if [ -x "$build/cardan-sweep-mpi" ] && command -v mpirun >/dev/null; then
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    code "mpirun" 0 "$root/test/support/mpirun.sh" --oversubscribe -n 2 "$build/cardan-sweep-mpi" study.yaml -o ranks.csv
    without_time ranks.csv >ranks.cut
    code "the same table under MPI" 0 cmp one.cut ranks.cut
fi
printf 't [s],rail.q [m]\n0,0\n2,1\n' >cart_pole/line.csv
sed '/^guess/d' cart_pole/swing_up.yaml >cart_pole/from_file.yaml
echo 'guess: {file: line.csv}' >>cart_pole/from_file.yaml
printf 'study: 1\nproblem: cart_pole/from_file.yaml\nvary: {distance: [0.9, 1]}\noptions: {intervals: 12, degree: 2}\ncollect: [cost]\n' >lines.yaml
code "problems that start from a file" 0 cardan sweep lines.yaml -q
echo '3,1' >>cart_pole/line.csv
code "a changed guess" 1 cardan sweep lines.yaml -q
message "a changed guess" study_invalid "'results/lines.journal'" "--force" "--output"
sed -i 's/ball: 0.3/ball: 0.31/' cart_pole/cart_pole.yaml
code "a changed model of the problem" 1 cardan sweep study.yaml -o two.csv
message "a changed model of the problem" study_invalid "'two.journal'" "--force" "--output"
sed -i 's/distance:/distence:/' study.yaml
code "an unknown parameter of task and model" 1 cardan sweep study.yaml -o three.csv
message "an unknown parameter of task and model" study_invalid "study.yaml:5:3: error" "'distence'" "length, cart, ball"
ends
