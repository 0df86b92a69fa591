#!/bin/sh
# cardan optimize: minima compared with reference values with rigorous bounds (test/data/optimize/references.json),
# relative tolerance 1e-9, and searches from several guesses.
. "$(dirname "$0")/../support/tool.sh"
export OPENBLAS_NUM_THREADS=1
ln -s "$root/models" models

# ---- optima of eleven problems, to nine digits
python "references" "$root/test/data/optimize/references.json" <<'END'
import json, os, subprocess, sys
wrong = []
for problem in json.load(open(sys.argv[1]))["problems"]:
    for name, text in problem.get("files", {}).items(): open(name, "w").write(text)
    p = subprocess.run(["cardan", "optimize", problem["task"], "--tolerance", "1e-10", "--json", "-o", "results.csv", "--force"], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    report = json.loads(p.stdout)
    error = report["cost"] / problem["cost"] - 1
    if p.returncode != 0 or report["status"] != "ok" or abs(error) > 1e-9: wrong.append((problem["name"], p.returncode, report["cost"], error, p.stderr))
    if abs(report.get("horizon", 0) / problem.get("horizon", report.get("horizon", 1)) - 1) > 1e-6: wrong.append((problem["name"], report["horizon"]))
    if report["violations"]["bounds"] != 0: wrong.append((problem["name"], "bounds", report["violations"]["bounds"]))
assert not wrong, wrong
END

# ---- several guesses: the reaching task at (0, 0) has a lower minimum than that found from the guess of the task
reach=models/arm_pendulum/reach.yaml
code "one start" 0 cardan optimize $reach --set phi=0 --set height=0 -o one.csv --json
true_of "one start" out "abs(d['cost'] / 38159.298 - 1) < 1e-6 and 'starts' not in d"
code "several starts" 0 cardan optimize $reach --set phi=0 --set height=0 --starts 2 --seed 1 -o best.csv --json
true_of "the lower minimum" out "abs(d['cost'] / 32631.846 - 1) < 1e-7 and d['status'] == 'ok' and d['simulated_q_error'] < 1e-3 and d['starts']['kept'] == 1"
true_of "the table" out "d['starts']['count'] == 2 and d['starts']['seed'] == 1 and sum(m['starts'] for m in d['starts']['minima']) == 2 and d['starts']['minima'][0]['kept'] and d['starts']['minima'][0]['cost'] == d['cost'] and any(m['cost'] and abs(m['cost'] / 38159.298 - 1) < 1e-6 and m['first'] == 0 for m in d['starts']['minima'])"
true_of "the manifest" best.manifest.json "d['settings']['starts'] == 2 and d['settings']['seed'] == 1 and d['outcome']['status'] == 'ok'"

# ---- report and motion are the same for any number of processes
swing() { cardan optimize models/cart_pole/swing_up.yaml --intervals 20 --degree 2 --starts 5 "$@" --json --force; }
without_time() { # report without times and file names
    python3 -c "import json, sys; d = json.load(open('out')); [d.pop(k) for k in list(d) if k.startswith('seconds') or k == 'files']; json.dump(d, sys.stdout)" >"$1"
}
code "one worker" 0 swing --seed 3 -j 1 -o w1.csv
without_time one
code "three workers" 0 swing --seed 3 -j 3 -o w3.csv
without_time three
code "the same report" 0 cmp one three
code "the same motion" 0 cmp w1.csv w3.csv
code "another seed" 0 swing --seed 4 -j 3 -o w4.csv
code "report in words" 0 cardan optimize models/cart_pole/swing_up.yaml --intervals 20 --degree 2 --starts 5 --seed 3 -o words.csv
line "report in words" "5 guesses" "seed 3"
line "report in words" " 61.2663" " ok " "(selected: start "

# ---- a search whose process is killed has no result: exit code 1, and the best of the others is written
python "a killed search" "$root/models/cart_pole/swing_up.yaml" <<'END'
import json, os, signal, subprocess, sys, time
def children(of):
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try: parent = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()[1]
        except OSError: continue
        if parent == str(of): found.append(int(pid))
    return found
tool = subprocess.Popen(["cardan", "optimize", sys.argv[1], "--starts", "2", "-j", "1", "--generated", "never", "-o", "ended.csv", "--json"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
while tool.poll() is None and not children(tool.pid): time.sleep(0.002)
os.kill(children(tool.pid)[0], signal.SIGKILL)
out, err = tool.communicate()
assert tool.returncode == 1 and any("1 of 2 " in line and " 0" in line and "[search_failed]" in line for line in err.split("\n")), (tool.returncode, err)
starts = json.loads(out)["starts"]
assert starts["kept"] == 1 and os.path.getsize("ended.csv") > 0, starts
END
code "zero starts" 2 cardan optimize models/cart_pole/swing_up.yaml --starts 0
message "zero starts" usage "--starts"
ends
