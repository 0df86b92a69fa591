#!/bin/sh
# cardan sweep: identical tables for any number of workers, with MPI and after kill -9; failed cases as rows of the
# table; invalid studies with their locations. Values of a rod are compared with closed forms.
. "$(dirname "$0")/../support/tool.sh"

# A slender rod that starts horizontally: alpha = 3 g/(2 l) at the start; a quarter of its period is K(sin 45 deg)
# sqrt(2 l/(3 g)).
cat >rod.yaml <<'END'
cardan: 1
name: rod
gravity: [0, 0, -9.81]
parameters: {l: 2, m: 3, duration: 1}
bodies:
  bar: {rod: [[0, 0, 0], [=l, 0, 0]], mass: =m}
joints:
  hinge: {revolute: [ground, bar], at: [0, 0, 0], axis: y, limits: [-10, =pi/2]}
outputs:
  tip: {value: "=2*z(bar)", unit: m}
run: {duration: 1, output: 0.02}
END
cat >grid.yaml <<'END'
study: 1
name: grid
model: rod.yaml
vary:
  l: {from: 0.5, to: 2, count: 5}
  m: {from: 1, to: 4, step: 1}
  tolerance: [1e-6, 1e-8, 1e-10]
options: {duration: 0.6, output-interval: 0.02}
collect:
  end: {final: tip}
  low: {minimum: tip}
  high: {maximum: tip}
  first: {start: tip}
  mean: {mean: hinge.v}
  early: {value: hinge.q, at: 0.01}
  bottom: {event: limit}
  drift: energy.error
  q: "final.joints.hinge.q[1]"
  state: status
END

code "one worker" 0 cardan sweep grid.yaml -j 1 -o one.csv --json
true_of "report" out "d['cases'] == d['done'] == 60 and d['failed'] == 0 and d['table'] == 'one.csv'"
code "two workers" 0 cardan sweep grid.yaml -j 2 -o two.csv
line "two workers" "grid: 60 cases" "cardan run"
code "the same table" 0 cmp one.csv two.csv
code "the same as JSON" 0 cmp one.json two.json
if [ -e two.cases ]; then fail "files of the cases remain"; else pass; fi
python "numbers" <<'END'
import csv, json, math
rows = list(csv.DictReader(open("one.csv")))
assert len(rows) == 60 and [r["case"] for r in rows] == [str(i + 1) for i in range(60)]
assert [r["l"] for r in rows[:13]] == ["0.5"] * 12 + ["0.875"] and [r["tolerance"] for r in rows[:4]] == ["1e-6", "1e-8", "1e-10", "1e-6"]
for r in rows:
    l, q, end = float(r["l"]), float(r["q"]), float(r["end [m]"])
    assert r["status"] == "ok" and r["state"] == "ok" and r["reason"] == ""
    assert abs(end + l * math.sin(q)) < 1e-12 and float(r["low [m]"]) <= end <= float(r["high [m]"]) == float(r["first [m]"]) == 0
    assert abs(float(r["early [rad]"]) / (0.5 * 3 * 9.81 / (4 * l) * 0.02**2) - 1) < 1e-3  # midpoint of the samples at 0 and 0.02 s
    assert abs(float(r["mean [rad/s]"]) * 0.6 / q - 1) < 2e-2  # mean of v = displacement / time
    assert float(r["drift"]) < 1e-4
    quarter = 1.8540746773013719 * math.sqrt(2 * l / (3 * 9.81))
    if quarter < 0.6: assert abs(float(r["bottom [s]"]) - quarter) < 1e-4, (r["bottom [s]"], quarter)
    else: assert r["bottom [s]"] == ""
d = json.load(open("one.json"))
assert len(d["cases"]) == 60 and d["cases"][59]["l"] == 2 and d["columns"][3] == {"name": "end", "kind": "collected", "unit": "m"}
assert all(d["cases"][i]["drift"] == float(rows[i]["drift"]) for i in range(60))
END

# ---- resumed sweeps
code "nothing to do" 0 cardan sweep grid.yaml -o two.csv
line "nothing to do" "grid: 60 cases" " 60 "
code "the same table" 0 cmp one.csv two.csv
for again in 1 2; do
    rm -rf killed.*
    cardan sweep grid.yaml -j 2 -o killed.csv -q 2>err &
    sweep=$!
    sleep "0.$(python3 -c 'import random; print(random.randint(10, 90))')"
    kill -9 "$sweep" 2>/dev/null
    wait "$sweep" 2>/dev/null
    printf '{"case": 1, "study": "' >>killed.journal # a truncated line
    code "resumed" 0 cardan sweep grid.yaml -j 2 -o killed.csv
    code "the same table after kill -9" 0 cmp one.csv killed.csv
    code "the same as JSON after kill -9" 0 cmp one.json killed.json
    code "every case once" 0 test "$(wc -l <killed.journal)" -eq 61
done
cardan sweep grid.yaml -j 1 -o stopped.csv >out 2>err &
sweep=$!
for wait in $(seq 500); do
    if [ -e stopped.journal ] && [ "$(wc -l <stopped.journal)" -ge 4 ]; then break; fi
    sleep 0.01
done
kill -INT "$sweep" 2>/dev/null || kill -TERM "$sweep"
wait "$sweep"
stopped=$?
if [ "$stopped" -ne 130 ]; then kill -TERM "$sweep" 2>/dev/null; fi
code "Ctrl-C" 130 sh -c "exit $stopped"
says "Ctrl-C" "not run" stopped.csv
code "all rows" 0 test "$(wc -l <stopped.csv)" -eq 61
code "resumed after Ctrl-C" 0 cardan sweep grid.yaml -j 2 -o stopped.csv
code "the same table after Ctrl-C" 0 cmp one.csv stopped.csv
# A case that ends before Ctrl-C is handled: the sweep is stopped until its cases have ended, and continues with a
# pending signal.
python "Ctrl-C at the end of a case" <<'END'
import glob, os, signal, subprocess, time
def fields(path):  # fields of a process after its name: state, parent, ...
    try: return open(path).read().rsplit(")", 1)[1].split()
    except OSError: return ["", "0"]
def cases(sweep):  # states of its child processes
    return [f[0] for f in map(fields, glob.glob("/proc/[0-9]*/stat")) if int(f[1]) == sweep]
def wait_for(what, condition):
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end, what
        time.sleep(0.001)
for workers in 1, 2:
    sweep = subprocess.Popen(["cardan", "sweep", "grid.yaml", "-j", str(workers), "-o", f"ended{workers}.csv", "-q"])
    try:
        for attempt in range(20):  # repeated if the sweep is stopped between two cases
            wait_for("no case begins", lambda: "R" in cases(sweep.pid) or "S" in cases(sweep.pid))
            sweep.send_signal(signal.SIGSTOP)
            wait_for("the sweep does not stop", lambda: fields(f"/proc/{sweep.pid}/stat")[0] == "T")
            wait_for("a case does not end", lambda: set(cases(sweep.pid)) <= {"Z"})
            if cases(sweep.pid): break
            sweep.send_signal(signal.SIGCONT)
        assert cases(sweep.pid), "stopped between cases each time"
        sweep.send_signal(signal.SIGINT)
        sweep.send_signal(signal.SIGCONT)
        assert sweep.wait(timeout=20) == 130
    finally:
        sweep.kill()
END
for workers in 1 2; do
    code "resumed after the end of a case" 0 cardan sweep grid.yaml -j 2 -o ended$workers.csv
    code "the same table after the end of a case" 0 cmp one.csv ended$workers.csv
done
sed -i 's/mass: =m/mass: =2*m/' rod.yaml
code "another model" 1 cardan sweep grid.yaml -o two.csv
message "another model" study_invalid "'two.journal'" "--force" "--output"
sed -i 's/mass: =2\*m/mass: =m/' rod.yaml
rm two.journal
code "a table without journal" 1 cardan sweep grid.yaml -o two.csv
message "a table without journal" file_exists "'two.csv'"

# ---- MPI
if [ -x "$build/cardan-sweep-mpi" ] && command -v mpirun >/dev/null; then
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    code "mpirun" 0 "$root/test/support/mpirun.sh" --oversubscribe -n 2 "$build/cardan-sweep-mpi" grid.yaml -o ranks.csv
    line "mpirun" "60 cases" "cardan run" " 60 "
    code "the same table under MPI" 0 cmp one.csv ranks.csv
    sed 's/^name: grid/nmae: grid/' grid.yaml >bad.yaml
    code "a mistake under MPI" 1 "$root/test/support/mpirun.sh" --oversubscribe -n 2 "$build/cardan-sweep-mpi" bad.yaml
    message "a mistake under MPI" study_invalid "bad.yaml:2:1: error" "'nmae'" "'name'"
    if ldd "$build/cardan-sweep-mpi" | grep -qE 'yaml|xml2|sundials|lapack'; then fail "the launcher links unused libraries"; else pass; fi
else
    echo "no MPI: cardan-sweep-mpi is not tested"
fi
code "pending" 0 cardan sweep grid.yaml -o pending.csv --pending
code "lines of --pending" 0 test "$(head -n 2 out | tr '\n' ' ')" = "pending.journal 1 "
code "one case" 0 cardan sweep grid.yaml -o pending.csv --case 60
true_of "one case" out "d['case'] == 60 and d['status'] == 'ok' and len(d['values']) == 10"
code "no such case" 2 cardan sweep grid.yaml -o pending.csv --case 61
message "no such case" usage " 61" " 60"

# ---- cases that fail
cat >fails.yaml <<'END'
study: 1
model: rod.yaml
vary: {l: [1, 0, 2], integrator: [dopri5, rk4]}
combine: grid
limit: 5
options: {duration: 0.1}
collect: [energy.error, steps]
keep: true
END
code "failed cases" 0 cardan sweep fails.yaml
line "failed cases" "fails: 6 cases" "cardan run" " 2 failed"
says "failed cases" "note: case 3: body 'bar'" err
says "reason" "3,0,dopri5,,,bad_input,body 'bar': " results/fails.csv
exists results/fails.cases/6/results.csv
code "repeated failed cases" 0 cardan sweep fails.yaml --retry
line "repeated failed cases" " 2 failed" " 4 "
sed 's/l: .1, 0, 2., //; s/dopri5, rk4/dopri5, ode45/' fails.yaml >no-integrator.yaml
code "an unknown integrator" 0 cardan sweep no-integrator.yaml
if grep -q "^2,ode45,,,bad_usage,.*'ode45'" results/no-integrator.csv; then pass; else fail "an unknown integrator"; fi
sed 's/energy.error/energy.eror/' fails.yaml >no-value.yaml
code "no such value" 3 cardan sweep no-value.yaml
if grep "^note: case 2: " err | grep -F "'energy.eror'" | grep -qF "'energy.error'"; then pass; else fail "no such value"; fi
sed 's/limit: 5/limit: 0.2/; s/duration: 0.1/duration: 100000/; s/l: .1, 0, 2., integrator: .*$/l: [1, 2]}/; s/keep.*//' fails.yaml >long.yaml
code "time limit" 3 cardan sweep long.yaml -j 2
if grep -q "^1,1,,,time_limit,.*0.2 s" results/long.csv; then pass; else fail "time limit"; fi

# ---- other commands, draws, groups
cat >swing.yaml <<'END'
study: 1
command: modes
model: rod.yaml
options: {equilibrium: true}
vary: {l: [1, 2]}
collect: {f: "modes[1].frequency"}
END
code "a command that writes no table" 0 cardan sweep swing.yaml
python "frequencies of hanging rods" <<'END'
import csv, math
for r in csv.DictReader(open("results/swing.csv")):
    assert abs(float(r["f"]) - math.sqrt(3 * 9.81 / (2 * float(r["l"]))) / (2 * math.pi)) < 1e-12
END
cat >draws.yaml <<'END'
study: 1
command: accel
model: rod.yaml
vary:
  l: {uniform: [1, 2], count: 8}
  set.duration: {normal: [5, 0.1], count: 8, seed: 4}
combine: zip
seed: 7
set: {m: 2}
collect: {a: "results[1].joints.hinge.a[1]"}
END
code "another command" 0 cardan sweep draws.yaml
python "accelerations of drawn lengths" <<'END'
import csv
rows = list(csv.DictReader(open("results/draws.csv")))
assert len({r["l"] for r in rows}) == 8 and len({r["set.duration"] for r in rows}) == 8
for r in rows:
    assert 1 < float(r["l"]) < 2 and 4.5 < float(r["set.duration"]) < 5.5
    assert abs(float(r["a"]) - 3 * 9.81 / (2 * float(r["l"]))) < 1e-12
END
sed 's/count: 8/count: 9/' draws.yaml >more.yaml
code "more draws" 0 cardan sweep more.yaml
code "the same first values" 0 sh -c 'head -n 9 results/more.csv | cmp - results/draws.csv'
cat >groups.yaml <<'END'
study: 1
model: rod.yaml
vary: {l: [1, 2], m: [3, 4], step: {from: 1e-3, to: 1e-1, count: 3, spacing: logarithmic}}
combine: [step, [l, m]]
options: {integrator: rk4, duration: 0.1}
collect: {wall: wall, end: {final: tip}}
END
code "groups" 0 cardan sweep groups.yaml
code "combination of groups" 0 test "$(cut -d, -f2-4 results/groups.csv | tr '\n' ' ')" = "l,m,step 1,3,0.001 2,4,0.001 1,3,0.01 2,4,0.01 1,3,0.1 2,4,0.1 "

# ---- pictures
code "a map" 0 cardan sweep grid.yaml -o one.csv --plot end --title lengths
says "a map" "lengths" one.svg
says "a map" "tolerance = 1e-6" one.svg
code "curves" 0 cardan sweep grid.yaml -o one.csv --plot drift --over tolerance --log --log-x -q
says "curves" "l = 0.5, m = 1" one.svg
code "no such column" 2 cardan sweep grid.yaml -o one.csv --plot dirft
message "no such column" unknown_name "'dirft'" "'drift'"
code "over a name that does not vary" 2 cardan sweep grid.yaml -o one.csv --plot end --over L

# ---- invalid studies: message with location
wrong() { # NAME LOCATION CODE TEXT...; the study on standard input
    about=$1 location=$2
    shift 2
    cat >wrong.yaml
    code "$about" 1 cardan sweep wrong.yaml -o wrong.csv
    message "$about" "$@" "wrong.yaml:$location: error"
    if [ -e wrong.journal ]; then fail "$about: a journal is created"; else pass; fi
}
vary() { # NAME LINES LOCATION CODE TEXT...
    about=$1 lines=$2
    shift 2
    wrong "$about" "$@" <<END
study: 1
model: rod.yaml
collect: {end: {final: tip}}
$lines
END
}
collect() { # NAME LINES LOCATION CODE TEXT...
    about=$1 lines=$2
    shift 2
    wrong "$about" "$@" <<END
study: 1
model: rod.yaml
vary: {l: [1, 2]}
$lines
END
}
vary "no number" "vary: {l: {from: one, to: 2, count: 3}}" 4:18 study_invalid "from" "'one'"
vary "no such parameter" "vary: {lenght: [1, 2]}" 4:8 study_invalid "'lenght'" "l, m, duration"
vary "no values" "vary: {l: []}" 4:11 study_invalid "'l'"
vary "half a range" "vary: {l: {from: 1, count: 3}}" 4:11 study_invalid "'l'" "{from: 1, to: 2, count: 5}"
vary "a range without step" "vary: {l: {from: 1, to: 2}}" 4:11 study_invalid "'l'" "count" "step"
vary "a step of wrong sign" "vary: {l: {from: 1, to: 2, step: -1}}" 4:34 study_invalid " -1 " " 1 " " 2"
vary "logarithm" "vary: {l: {from: 0, to: 2, count: 3, spacing: logarithmic}}" 4:18 study_invalid "logarithmic" " 0 " " 2"
vary "uniform distribution" "vary: {l: {uniform: 3, count: 3}}" 4:21 study_invalid "'l'" "uniform"
vary "a key" "vary: {l: {from: 1, to: 2,  cuont: 3}}" 4:29 study_invalid "'cuont'" "'count'"
vary "not varied" "vary: {l: 3}" 4:11 study_invalid "'l'" "'3'"
vary "different counts" "vary: {l: [1, 2], m: [1, 2, 3]}
combine: zip" 5:10 study_invalid "'l'" " 2 " "'m'" " 3"
vary "combine" "vary: {l: [1, 2], m: [1, 2]}
combine: [n]" 5:11 study_invalid 
vary "fixed and varied" "vary: {l: [1, 2]}
set: {l: 1}" 5:7 study_invalid "'l'"
vary "no command" "vary: {l: [1, 2]}
command: rnu" 5:10 unknown_name "'rnu'" "'run'"
vary "a command without report" "vary: {l: [1, 2]}
command: list" 5:10 study_invalid "cardan list" "--json"
vary "no such option" "vary: {l: [1, 2]}
options: {duraton: 1}" 5:11 unknown_name "cardan run" "'duraton'" "'duration'"
vary "an option of the sweep" "vary: {l: [1, 2]}
options: {output: a.csv}" 5:11 study_invalid "'output'"
vary "a negative tolerance" "vary: {l: [1, 2]}
options: {tolerance: -1}" 5:11 study_invalid "'tolerance'" "'-1'"
collect "nothing collected" "" 1:1 study_invalid "collect"
collect "a value without time" "collect: {end: {value: tip}}" 4:24 study_invalid "'end'" "value" "at: TIME"
collect "no such column" "collect: {end: {final: tpi}}" 4:11 unknown_name "cardan run" "'tpi'" "'tip'"
collect "a duplicate column" "collect: {status: status}" 4:11 study_invalid "'status'"
wrong "no model" 2:8 study_invalid "'rood.yaml'" "'rod.yaml'" <<'END'
study: 1
model: rood.yaml
vary: {l: [1, 2]}
collect: {end: {final: tip}}
END
wrong "a model file" 1:1 study_invalid "cardan run" "cardan sweep" <rod.yaml
wrong "no YAML" 2:6 syntax_error <<'END'
study: [1
model: x
END
code "no study" 1 cardan sweep nowhere.yaml
message "no study" file_not_found "nowhere.yaml: error"

# ---- a folder that cannot be written
code "no folder" 1 cardan sweep grid.yaml -o /proc/nowhere/grid.csv
message "no folder" file_not_writable "/proc/nowhere/grid.journal: error"
mkdir closed
cp rod.yaml grid.yaml closed
chmod 555 closed
if [ "$(id -u)" -ne 0 ]; then
    code "read-only folder" 1 cardan sweep closed/grid.yaml -o closed/grid.csv
    message "read-only folder" file_not_writable "closed/grid.journal: error"
fi
chmod 755 closed

# ---- curves of suspension: a parallel wheel rate is proportional to the stiffness of the spring up to its geometric part
cat >rates.yaml <<END
study: 1
command: suspension
model: $root/models/macpherson
options: {sweeps: "parallel,opposite"}
vary: {stiffness: [20000, 22500, 25000]}
collect:
  rate: {value: parallel.FL.rate, at: 0}
  camber: {minimum: parallel.FL.camber}
  lowest: {start: parallel.travel}
  roll: {value: opposite.FL.camber, at: 30}
END
code "curves of suspension" 0 cardan sweep rates.yaml --plot rate --quiet
exists results/rates.svg
code "curves of one call" 0 cardan suspension "$root/models/macpherson" --sweeps parallel -o one.csv --quiet
python "values of the curves" <<'END'
import csv
head, *rows = csv.reader(open('results/rates.csv'))
assert head[:6] == ['case', 'stiffness', 'rate [N/mm]', 'camber [deg]', 'lowest [mm]', 'roll [deg]'], head
rate = [float(r[2]) for r in rows]
assert abs(rate[1] - (rate[0] + rate[2])/2) < 1e-9 and rate[2] > rate[0] + 3, rate     # linear in the stiffness
names, *curve = csv.reader(open('one-parallel.csv'))
names = [n.split(' [')[0] for n in names]
camber = [float(c[names.index('FL.camber')]) for c in curve]
assert abs(float(rows[2][3]) - min(camber)) < 1e-12 and float(rows[2][4]) == float(curve[0][0])
assert abs(rate[2] - [float(c[names.index('FL.rate')]) for c in curve if float(c[0]) == 0][0]) < 1e-9   # 25000 N/m: the model's
END
sed -i 's/opposite.FL.camber/opposite.FL.cambr/' rates.yaml
code "unknown curve" 3 cardan sweep rates.yaml --force
says "unknown curve" "'FL.cambr' (did you mean 'FL.camber'?)" results/rates.csv

# ---- documentation of all keys
for key in $(sed -n 's/^KEY("[a-z]*", "\(.*\)")$/\1/p' "$root/src/study/parameter_study_keys.def" | sort -u); do
    code "docs/sweep.md explains $key" 0 grep -q "\`$key" "$root/docs/sweep.md"
done
ends
