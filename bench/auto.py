#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""bench_auto: time of whole runs by `auto`, divided by the time of the fastest exact formulation.

    bench/auto.py [--build FOLDER] [--results FOLDER] [--rounds N] [--seconds S] [NAME ...]

Runs every model of models/ and every family of `cardan make` at N = 2, 4, 8, 16, 32, 64 with the settings of its file,
without generated code, by `auto` and by every exact formulation except reference implementations. A time is the elapsed time of the
process, from reading the file to the last output sample; the minimum of the rounds. (Processor times of some virtual
machines have a resolution of 10 ms, which is too coarse for runs of 50 ms.) A run that takes more than S seconds by
`auto` is shortened; a run below 50 ms is not counted. A formulation that takes more than three times as long as `auto`
is stopped, because it is not the fastest. NAME selects the mechanisms whose name contains it.

Goal: of the counted runs 95 % take at most 1.5 times the time of the fastest formulation, and none more than 2.5.
Exit code 1: the goal is missed, or `auto` fails where another formulation completes the run.
"""
import argparse, csv, json, math, pathlib, signal, subprocess, sys, tempfile, threading, time

SIZES = [2, 4, 8, 16, 32, 64]
LEAST = 0.05  # [s] minimum duration of a run that counts
SHARE, USUAL, MOST = 0.95, 1.5, 2.5  # the goal
ROUGH = {"regularized", "penalty"}  # not exact: constraint rows are compliant
SHORTER = 0.3  # factor of the duration of runs that take too long
STOPPED = 3  # times as long as `auto`: the run is stopped
AGAIN = 1.4  # times as long as the fastest: the run is measured again
DOUBTFUL, MORE_ROUNDS = 1.3, 12  # above this ratio, `auto` and the fastest are measured alternately for more rounds
ROOT = pathlib.Path(__file__).resolve().parent.parent


def listed(tool, what):
    shown = subprocess.run([tool, "list", what, "--json"], capture_output=True, check=True).stdout
    return json.loads(shown)[what]


def formulations(tool):
    """Names of the exact formulations without reference implementations."""
    return [f["name"] for f in listed(tool, "formulations") if f["name"] not in ROUGH and not f["reference_implementation"]]


def mechanisms(tool, folder):
    """Name and file of every model of the repository, and of every family in all sizes."""
    found = []
    for path in sorted((ROOT / "models").rglob("*.yaml")):
        parts = path.relative_to(ROOT / "models").with_suffix("").parts
        found.append(("/".join(parts[:-1] if parts[-1] == parts[-2] else parts), path))
    for family in listed(tool, "families"):
        for n in SIZES:
            path = folder / f"{family['name']}-{n}.yaml"
            made = subprocess.run([tool, "make", family["name"], str(n), "-o", path], capture_output=True)
            if made.returncode == 0:
                found.append((f"{family['name']} {n}", path))
    return found


def run(tool, path, formulation, duration, limit):
    """Elapsed time [s] of one run; inf: stopped at the limit; None: it failed."""
    command = [tool, "run", path, "--generated", "never", "-f", formulation, "-q", "-o", "-"]
    if duration:
        command += ["-d", f"{duration:.6g}"]
    begin = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    stop = threading.Timer(limit, process.kill)  # wait() with a timeout would poll
    stop.start()
    code = process.wait()
    took = time.perf_counter() - begin
    stop.cancel()
    return took if code == 0 else math.inf if code == -signal.SIGKILL else None


def choose_duration(tool, path, seconds):
    """Duration for which `auto` takes less than the limit, and its time; duration 0: that of the file."""
    took, duration = run(tool, path, "auto", 0, seconds), 0
    while took == math.inf:
        duration = SHORTER * (duration or 10)
        took = run(tool, path, "auto", duration, seconds)
    return duration, took


def measure(tool, path, names, rounds, seconds):
    """Duration and minimum times of `auto` and of each formulation; None: it failed. No times: the run does not count."""
    duration, took = choose_duration(tool, path, seconds)
    took_by = {"auto": took}
    if took is not None and took < LEAST:
        return duration, {}
    limit = STOPPED * (took or seconds)
    for name in names:
        took_by[name] = run(tool, path, name, duration, limit)
    for _ in range(rounds - 1):
        finite = [t for t in took_by.values() if t is not None]
        for name, t in took_by.items():
            if t is not None and t < math.inf and (name == "auto" or t <= AGAIN * min(finite)):
                took_by[name] = min(t, run(tool, path, name, duration, limit) or math.inf)
    confirm(tool, path, duration, limit, took_by)
    return duration, {} if (took_by["auto"] or LEAST) < LEAST else took_by


def confirm(tool, path, duration, limit, took_by):
    """More rounds of `auto` and the fastest formulation, alternately, if their ratio is large: other load of
    the machine lengthens single runs."""
    completed = {n: t for n, t in took_by.items() if t is not None and t < math.inf}
    fastest = min(completed, key=completed.get, default=None)
    if took_by["auto"] is None or fastest is None or took_by["auto"] < DOUBTFUL * completed[fastest]:
        return
    for _ in range(MORE_ROUNDS):
        for name in ["auto", fastest]:
            took_by[name] = min(took_by[name], run(tool, path, name, duration, limit) or math.inf)


def text_of(seconds):
    return "fails" if seconds is None else "stopped" if seconds == math.inf else f"{1000 * seconds:.0f}"


def judge(ratios):
    """Print the two figures; return whether the goal is met."""
    if not ratios:
        print("no run was long enough to count")
        return True
    within = sum(r <= USUAL for r in ratios) / len(ratios)
    met = within >= SHARE and max(ratios) <= MOST
    print(
        f"{len(ratios)} runs: {100 * within:.1f} % take at most {USUAL} times as long as the fastest (goal "
        f"{100 * SHARE:.0f} %), the largest ratio is {max(ratios):.2f} (goal {MOST}): {'met' if met else 'MISSED'}"
    )
    return met


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build", help="build folder of the tool; default: build")
    parser.add_argument("--results", help="folder for auto.csv; default: not written")
    parser.add_argument("--rounds", type=int, default=3, help="number of rounds; default: 3")
    parser.add_argument("--seconds", type=float, default=1.0, help="longest run by auto [s]; default: 1")
    parser.add_argument("name", nargs="*", help="select mechanisms whose name contains it; default: all")
    asked = parser.parse_args()
    tool = str((pathlib.Path(asked.build) / "cardan").resolve())
    names, ratios, failed, table = formulations(tool), [], 0, []
    print(f"{'milliseconds':<32}" + "".join(f"{n[:10]:>11}" for n in ["auto"] + names) + "     ratio")
    with tempfile.TemporaryDirectory() as folder:
        for name, path in mechanisms(tool, pathlib.Path(folder)):
            if asked.name and not any(part in name for part in asked.name):
                continue
            duration, took = measure(tool, path, names, asked.rounds, asked.seconds)
            completed = [t for t in took.values() if t is not None and t < math.inf]
            if not completed:
                continue
            failed += took["auto"] is None
            ratio = math.inf if took["auto"] is None else took["auto"] / min(completed)
            if ratio < math.inf:
                ratios.append(ratio)
            table.append([name, duration or "", ratio] + [text_of(took[n]) for n in ["auto"] + names])
            print(f"{name[:31]:<32}" + "".join(f"{t:>11}" for t in table[-1][3:]) + f"{ratio:10.2f}", flush=True)
    if asked.results:
        with open(pathlib.Path(asked.results) / "auto.csv", "w", newline="") as file:
            csv.writer(file).writerows([["mechanism", "duration", "ratio"] + [f"{n} ms" for n in ["auto"] + names]] + table)
    if failed:
        print(f"auto failed in {failed} runs that another formulation completed")
    return 0 if judge(ratios) and not failed else 1


if __name__ == "__main__":
    sys.exit(main())
