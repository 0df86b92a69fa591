#!/bin/sh
# cardan optimize: files and reports of worked problems, warm starts, studies of problems, and what is said of tasks that cannot be meant or solved.
. "$(dirname "$0")/../support/tool.sh"
export OPENBLAS_NUM_THREADS=1
models=$root/models

# ---- a worked problem and everything it writes
code "swing-up" 0 cardan optimize "$models/cart_pole/swing_up.yaml" --json
true_of "its report" out "d['status'] == 'ok' and abs(d['cost'] - 59.13) < 0.01 and d['violation'] < 1e-6 and d['simulated_q_error'] < 1e-5 and d['iterations'] < 40"
true_of "its end" out "abs(d['final']['joints']['pivot']['q'][0] - 3.141592653589793) < 1e-9 and abs(d['final']['joints']['rail']['v'][0]) < 1e-9"
true_of "its time is in parts" out "abs(d['seconds'] - d['seconds_functions'] - d['seconds_other']) < 1e-9"
for file in swing-up.csv swing-up.svg swing-up-mechanism.svg swing-up.manifest.json swing-up.solution.json; do exists results/$file; done
true_of "its manifest" results/swing-up.manifest.json "d['task']['name'] == 'swing-up' and d['model']['name'] == 'cart-pole' and len(d['model']['sha256']) == 64 and d['settings']['form'] == 'impl' and d['outcome']['status'] == 'ok'"
python "its rows" <<'END'
import csv
rows = list(csv.reader(open("results/swing-up.csv")))
head = [h.split(" [")[0] for h in rows[0]]
for name in ("t", "rail.q", "rail.v", "rail.a", "rail.effort", "rail.control", "pivot.q", "energy.kinetic", "tip_z"): assert name in head, name
at = {name: i for i, name in enumerate(head)}
first, last = ([float(x) for x in rows[i]] for i in (1, -1))
assert first[at["t"]] == 0 and abs(last[at["t"]] - 2) < 1e-12 and abs(last[at["tip_z"]] - 0.5) < 1e-8 and abs(last[at["rail.q"]] - 1) < 1e-9
assert all(abs(float(r[at["rail.control"]])) <= 20 + 1e-6 for r in rows[1:])
# the work of the push is what the energy gains: by the trapezoidal rule over the rows
work = sum(0.5 * (float(a[at["rail.v"]]) + float(b[at["rail.v"]])) * float(a[at["rail.control"]]) * (float(b[0]) - float(a[0])) for a, b in zip(rows[1:], rows[2:]))
gain = last[at["energy.total"]] - first[at["energy.total"]]
assert abs(work / gain - 1) < 1e-2, (work, gain)
END
code "earlier results stay" 1 cardan optimize "$models/cart_pole/swing_up.yaml"
says "earlier results stay" "exists" err
code "standard output" 0 cardan optimize "$models/cart_pole/swing_up.yaml" -o - -c rail.q
says "standard output" "t [s],rail.q [m]"
code "from its own results" 0 cardan optimize "$models/cart_pole/swing_up.yaml" --guess results/swing-up.csv -o again.csv --json
true_of "from its own results" out "d['warm_started'] and d['iterations'] <= 2 and abs(d['cost'] - 59.13) < 0.01"
code "a target beside" 0 cardan optimize "$models/cart_pole/swing_up.yaml" --guess results/swing-up.csv --set distance=1.001 -o beside.csv --json
true_of "a target beside" out "d['warm_started'] and d['iterations'] <= 8 and d['status'] == 'ok'"
code "in other intervals" 0 cardan optimize "$models/cart_pole/swing_up.yaml" --guess results/swing-up.csv --intervals 30 -o beside.csv --force --json
true_of "in other intervals" out "not d['warm_started'] and d['status'] == 'ok'"
cp results/swing-up.solution.json changed.solution.json
sed '$d' results/swing-up.csv >changed.csv
code "results that were changed" 0 cardan optimize "$models/cart_pole/swing_up.yaml" --guess changed.csv -o beside.csv --force --json
true_of "results that were changed" out "not d['warm_started'] and d['status'] == 'ok'"
cp results/swing-up.csv changed.csv
sed -i 's/"unknowns": .[^,]*,/"unknowns": [null,/' changed.solution.json
code "a solution that is damaged" 0 cardan optimize "$models/cart_pole/swing_up.yaml" --guess changed.csv -o beside.csv --force --json
true_of "a solution that is damaged" out "not d['warm_started'] and d['status'] == 'ok'"
code "from results of another duration" 0 cardan optimize "$models/cart_pole/swing_up.yaml" --guess results/swing-up.csv --set distance=0.8 -o other.csv --json
true_of "from results of another duration" out "d['status'] == 'ok'"
code "a guess that is not there" 1 cardan optimize "$models/cart_pole/swing_up.yaml" --guess no.csv -o no-results.csv
if [ -e no-results.csv ]; then fail "results of a task that was refused"; else pass; fi
printf 'a,b\n1,2\n2,3\n' >bad.csv
code "a guess that is no motion" 1 cardan optimize "$models/cart_pole/swing_up.yaml" --guess bad.csv -o no-results.csv
says "a guess that is no motion" "is no motion" err

# ---- states of the model go with the motion: d(lag)/dt = 2 (q - lag)
cp "$root/test/data/optimize/floater.yaml" .
printf 'cardan: 1\ntask: lagging\nmodel: floater.yaml\nhorizon: 1\nintervals: 20\ncontrols: [ball, hinge]\nend: {v: {hinge: 0}, q: {hinge: 0.5}}\ncost: {effort: 1}\n' >lagging.yaml
code "states" 0 cardan optimize lagging.yaml -o lagging.csv -q
python "states" <<'END'
import csv
rows = list(csv.reader(open("lagging.csv")))
at = {name.split(" [")[0]: i for i, name in enumerate(rows[0])}
t, q, lag = ([float(r[at[name]]) for r in rows[1:]] for name in ("t", "hinge.q", "lag"))
way = sum((t[i + 1] - t[i]) * (q[i] - lag[i] + q[i + 1] - lag[i + 1]) for i in range(len(t) - 1))
assert lag[0] == 0.1 and abs(lag[-1] - lag[0] - way) < 1e-4 and abs(lag[-1] - lag[0]) > 0.01, (lag[-1], way)
END

# ---- a target of a marker: the guess ends there by itself
cp -r "$models/arm_pendulum" .
sed '/^guess/d' arm_pendulum/reach.yaml >arm_pendulum/reach_alone.yaml
code "with a guess" 0 cardan optimize arm_pendulum/reach.yaml --intervals 20 --degree 3 -o with.csv --json -q --generated never
cp out with.json
code "without a guess" 0 cardan optimize arm_pendulum/reach_alone.yaml --intervals 20 --degree 3 -o without.csv --json -q --generated never
true_of "without a guess" out "abs(d['cost'] / __import__('json').load(open('with.json'))['cost'] - 1) < 1e-7 and d['iterations'] <= 40"

# ---- a quadruped on its feet: loops are cut where the task leaves joints alone
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
code "a motor at the end of a loop" 0 cardan optimize bar.yaml --sizes
sed 's/motor./motor, one, two, four]/' bar.yaml >all.yaml
code "motors everywhere" 1 cardan optimize all.yaml
says "motors everywhere" "all.yaml:6:" err
says "motors everywhere" "closes a loop" err

# a limit of the joint that closes a loop holds as well
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

# ---- mistakes: file and line, exit code 1, nothing written
rm -rf results
cp -r "$models/cart_pole" .
mistake() { # NAME PLACE SENTENCE, task on standard input behind its head
    printf 'cardan: 1\ntask: wrong\nmodel: cart_pole/cart_pole.yaml\n' >wrong.yaml
    cat >>wrong.yaml
    code "$1" 1 cardan optimize wrong.yaml
    says "$1" "wrong.yaml:$2" err
    says "$1" "$3" err
    if [ -e results ]; then fail "$1: results are written"; rm -rf results; else pass; fi
}
mistake "unknown key" 6:1 "did you mean 'controls'" <<'END'
horizon: 1
intervals: 10
control: [rail]
cost: {effort: 1}
END
mistake "missing actuator" 5:12 "there is no joint 'motor'; 'cart-pole' has rail, pivot" <<'END'
horizon: 1
controls: [motor]
cost: {effort: 1}
END
mistake "contradictory bound" 7:17 "outside of its bounds" <<'END'
horizon: 1
controls: [rail]
cost: {effort: 1}
end: {q: {rail: 3}}
END
mistake "bounds the wrong way" 5:27 "nothing lies between" <<'END'
horizon: 1
controls: {rail: {bounds: [2, 1]}}
cost: {effort: 1}
END
mistake "effort of what is not driven" 6:18 "not among the controls" <<'END'
horizon: 1
controls: [rail]
cost: {integral: =effort(pivot)^2}
END
mistake "effort of nothing" 6:38 "did you mean 'pivot'" <<'END'
horizon: 1
controls: [rail]
cost: {integral: =effort(rail)^2 + q(pivott)}
END
mistake "tracking of nothing" 6:19 "either value and target, or file" <<'END'
horizon: 1
controls: [rail]
cost: {tracking: [{weight: 1}]}
END
mistake "marker" 7:17 "did you mean 'tip'" <<'END'
horizon: 1
controls: [rail]
cost: {effort: 1}
end: {markers: {tipp: {velocity: [0, 0, 0]}}}
END
mistake "form" 4:7 "did you mean 'exp1-o'" <<'END'
form: exp1o
horizon: 1
controls: [rail]
cost: {effort: 1}
END
mistake "a unit" 4:10 "units are SI and radians and are not written" <<'END'
horizon: 2 s
controls: [rail]
cost: {time: 1}
END
lacks "a unit" "the cost is the same" err
mistake "a horizon that is none" 4:10 "the horizon is -1 s; it must be positive" <<'END'
horizon: -1
controls: [rail]
cost: {effort: 1}
END
mistake "no interval" 5:12 "a whole number from 1 to 100000, not 0" <<'END'
horizon: 1
intervals: 0
controls: [rail]
cost: {effort: 1}
END
mistake "no number in the guess" 7:20 "'.nan' is no number" <<'END'
horizon: 1
controls: [rail]
cost: {effort: 1}
guess: {q: {pivot: .nan}}
END
mistake "a guess that is not there" 7:15 "the task reads its motion from 'nowhere.csv'" <<'END'
horizon: 1
controls: [rail]
cost: {effort: 1}
guess: {file: nowhere.csv}
END
printf 't [s],hinge.q [rad]\n0,0\n1,1\n' >other.csv
code "a guess of another model" 1 cardan optimize "$models/cart_pole/swing_up.yaml" --guess other.csv -o no-results.csv
says "a guess of another model" "'other.csv' has no column JOINT.q of a joint of 'cart-pole'" err
printf 'cardan: 1\ntask: turns\nmodel: cart_pole/cart_pole.yaml\nhorizon: 1\ncontrols: [rail]\ncost: {effort: 1}\nend: {q: {pivot: 180}}\n' >turns.yaml
code "degrees" 0 cardan optimize turns.yaml --sizes
says "degrees" "turns.yaml:7:18: warning: joint 'pivot' shall turn to 180 rad, 28.6 turns: angles are radians" err
printf 'cardan: 1\ntask: wrong\nmodel: cart_pole/cart_poel.yaml\nhorizon: 1\ncontrols: [rail]\ncost: {effort: 1}\n' >wrong.yaml
code "a model that is not there" 1 cardan optimize wrong.yaml
says "a model that is not there" "cart_poel" err
says "a model that is not there" "wrong.yaml:3:8" err
code "a parameter that is not there" 1 cardan optimize cart_pole/swing_up.yaml --set distanze=1
says "a parameter that is not there" "distanze" err
says "a parameter that is not there" "'distance'" err

printf 'cardan: 1\ntask: wrong\nmodel: cart_pole/cart_pole.yaml\nhorizon: -1\ndegree: 13\ncontrols: [rial]\ncost: {effort: 1}\n' >wrong.yaml
code "all mistakes as JSON" 1 cardan optimize wrong.yaml --json
true_of "all mistakes as JSON" out "[e['location']['line'] for e in d['error']['all']] == [4, 5, 6] and d['error']['message'] == d['error']['all'][0]['message']"
code "a task that is not there" 1 cardan optimize wrong.yml
says "a task that is not there" "wrong.yml: error: there is no such file (did you mean 'wrong.yaml'?)" err
code "too many intervals" 2 cardan optimize cart_pole/swing_up.yaml --intervals 100001
says "too many intervals" "100001 intervals are too many: at most 100000" err
code "a constant cost" 0 cardan optimize cart_pole/swing_up.yaml --sizes
printf 'cardan: 1\ntask: any\nmodel: cart_pole/cart_pole.yaml\nhorizon: 1\nintervals: 1\ncontrols: [rail]\ncost: {}\n' >any.yaml
code "a constant cost" 0 cardan optimize any.yaml
says "a constant cost" "any.yaml:7:7: warning: the cost is the same for all motions" err
says "one interval" "1 s in 1 interval"
rm -rf results

# ---- files are looked at before anything is compiled; Ctrl-C while a compiler runs leaves nothing behind
mkdir cache results
echo mine >results/reach.svg
code "files first" 1 env CARDAN_CACHE="$PWD/cache" cardan optimize "$models/arm_pendulum/reach.yaml"
code "files first" 0 test -z "$(ls cache)"
mkdir -m 777 open
code "a cache that others can write" 0 env CARDAN_CACHE="$PWD/open" cardan optimize "$models/arm_pendulum/reach.yaml" --intervals 20 --degree 3 --generated always -o open.csv
says "a cache that others can write" "functions are interpreted: the folder of compiled code, '$PWD/open', can be written by other users" err
code "a cache that others can write" 0 test -z "$(ls open)"
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

# ---- what cannot be solved: said what is wrong and what to try, exit code 3
hopeless() { # NAME SENTENCE SENTENCE
    printf 'cardan: 1\ntask: hopeless\nmodel: cart_pole/cart_pole.yaml\nintervals: 10\n' >hopeless.yaml
    cat >>hopeless.yaml
    code "$1" 3 cardan optimize hopeless.yaml --force --iterations 500
    says "$1" "$2" err
    says "$1" "$3" err
}
hopeless "infeasible target" "no motion was found that meets all conditions" "hopeless.yaml:7:" <<'END'
horizon: 0.3
controls: {rail: {bounds: [-1, 1]}}
end: {q: {rail: 1.5}, v: 0}
cost: {effort: 1}
END
hopeless "a target out of reach" "no motion was found that meets all conditions" "is missed most by the last motion, by" <<'END'
horizon: 1
controls: [rail]
end: {markers: {tip: [free, free, 0.9]}}
cost: {effort: 1}
END
hopeless "unbounded" "the cost has no least value" "give the cost a term that rises" <<'END'
horizon: 1
path: {limits: false}
controls: [rail]
cost: {final: =-q(rail)}
END

# ---- malformed tasks: told, never a crash
python "malformed tasks" "$models/cart_pole/swing_up.yaml" <<'END'
import random, subprocess, sys
random.seed(6)
lines = open(sys.argv[1]).read().split("\n")
words = ["{", "}", "[", "]", ":", "=", "-1", "1e400", "q", "=1/0", "=q(rail)", "free", "[1, 2, 3]", "{a: 1}", "nan", "''", "=effort(rail)", "\t", "*x", "&x"]
told = 0
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
    if p.returncode: told += 1; assert "yaml:" in p.stderr, (p.stderr, "\n".join(text))
assert told > 20, told
END

# ---- studies of problems
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
aside() { cut -d, -f1-9,11- "$1"; }
code "one worker" 0 cardan sweep study.yaml -j 1 -o one.csv -q
code "two workers" 0 cardan sweep study.yaml -j 2 -o two.csv -q
aside one.csv >one.cut
aside two.csv >two.cut
head -n 1 one.csv >out
says "columns" "case,distance,form,strongest,iterations,cost,end [m],push [N],off,time [s],status,reason"
code "the same table" 0 cmp one.cut two.cut
python "forms agree, failures are rows" <<'END'
import csv
rows = list(csv.DictReader(open("one.csv")))
assert len(rows) == 12
for distance in ("0.5", "1"):
    costs = [float(r["cost"]) for r in rows if r["distance"] == distance and r["strongest"] == "20" and r["status"] == "ok"]
    assert len(costs) == 3 and max(costs) / min(costs) - 1 < 1e-6, costs
assert all(r["status"] != "ok" and r["reason"] for r in rows if r["strongest"] == "2")
END
# ended at any moment: the sweep alone, it and its cases, and while a case writes its results
for way in alone group writing; do
    python "ended $way" $way <<'END'
import glob, os, random, signal, subprocess, sys, time
way = sys.argv[1]
sweep = subprocess.Popen(["cardan", "sweep", "study.yaml", "-j", "2", "-o", f"{way}.csv", "-q"], start_new_session=True)
end, enough = time.time() + 60, random.randint(1, 6)
def done():
    try: return open(f"{way}.journal").read().count("\n")
    except FileNotFoundError: return 0
while sweep.poll() is None and time.time() < end:  # results are written under another name until they are whole
    if way != "writing" and done() >= enough: break
    if way == "writing" and any(os.path.basename(f) not in ("out", "err") for f in glob.glob(f"{way}.cases/*/*")): break
cases = [] if way == "alone" else open(f"/proc/{sweep.pid}/task/{sweep.pid}/children").read().split()
for pid in [sweep.pid] + [int(c) for c in cases]:
    try: os.kill(pid, signal.SIGKILL)
    except ProcessLookupError: pass
sweep.wait()
assert sweep.returncode == -9, sweep.returncode
END
    code "resumed" 0 cardan sweep study.yaml -j 2 -o $way.csv -q
    aside $way.csv >$way.cut
    code "the same table, ended $way" 0 cmp one.cut $way.cut
    if [ -e $way.cases ]; then fail "files of cases are left"; else pass; fi
done
if [ -x "$build/cardan-sweep-mpi" ] && command -v mpirun >/dev/null; then
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    code "mpirun" 0 mpirun --oversubscribe -n 2 "$build/cardan-sweep-mpi" study.yaml -o ranks.csv
    aside ranks.csv >ranks.cut
    code "the same table under MPI" 0 cmp one.cut ranks.cut
fi
printf 't [s],rail.q [m]\n0,0\n2,1\n' >cart_pole/line.csv
sed '/^guess/d' cart_pole/swing_up.yaml >cart_pole/from_file.yaml
echo 'guess: {file: line.csv}' >>cart_pole/from_file.yaml
printf 'study: 1\nproblem: cart_pole/from_file.yaml\nvary: {distance: [0.9, 1]}\noptions: {intervals: 12, degree: 2}\ncollect: [cost]\n' >lines.yaml
code "problems that start from a file" 0 cardan sweep lines.yaml -q
echo '3,1' >>cart_pole/line.csv
code "the file has changed" 1 cardan sweep lines.yaml -q
says "the file has changed" "belongs to another state of this study" err
sed -i 's/ball: 0.3/ball: 0.31/' cart_pole/cart_pole.yaml
code "the mechanism of the problem has changed" 1 cardan sweep study.yaml -o two.csv
says "the mechanism of the problem has changed" "belongs to another state of this study" err
sed -i 's/distance:/distence:/' study.yaml
code "a parameter that neither has" 1 cardan sweep study.yaml -o three.csv
says "a parameter that neither has" "study.yaml:5:3: error: there is no parameter 'distence'" err
ends
