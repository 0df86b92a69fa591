#!/usr/bin/env python3
"""Run the cases of scripts/same_bits.sh with two builds of the tool and compare their results bit by bit.

Usage: same_bits.py OTHER HERE daily|full [PATTERN]
OTHER contains tree/ and build/ of another revision and stores its results; HERE is the build folder of this tree.
A formulation, integrator or model file that has been renamed since is listed in RENAMED, old name to new; a folder ends in "/".
"""
import concurrent.futures
import hashlib
import json
import os
import pathlib
import subprocess
import sys

RENAMED = {"models/doctor/": "models/diagnosis/"}
SIX_MODELS = ["double_pendulum", "four_bar", "heavy_top", "bushing_corner", "stewart", "rolling_disc"]
FAMILY_SIZES = [2, 8, 32]
DAILY = {"duration": "0.25", "seconds": 60}  # duration [s] of the motion (None: that of the model), limit of processor time [s]
FULL = {"duration": "1", "seconds": 20}  # of the full set: dopri5
FULL_INTEGRATORS = {"duration": "0.02", "seconds": 4}  # of the full set: every other integrator with every formulation
STORE_EVERY = 200  # cases


def new_name(name):
    for old, new in RENAMED.items():
        if name == old or (old.endswith("/") and name.startswith(old)):
            return new + name[len(old):]
    return name


class Side:
    """One build of the tool with the tree of its models."""

    def __init__(self, tool, tree, scratch):
        self.tool, self.tree, self.scratch = tool.resolve(), tree.resolve(), scratch.resolve()
        self.scratch.mkdir(parents=True, exist_ok=True)

    def listing(self, what):
        text = subprocess.run([self.tool, "list", what, "--json"], capture_output=True, text=True, check=True).stdout
        return [row["name"] for row in json.loads(text)[what]]

    def models(self):
        found = [p for p in (self.tree / "models").rglob("*.yaml") if p.read_text().startswith("cardan:") or "\ncardan:" in p.read_text()]
        found += (self.tree / "models").rglob("*.urdf")
        return sorted(str(p.relative_to(self.tree)) for p in found)

    def families(self):
        text = subprocess.run([self.tool, "list", "families", "--json"], capture_output=True, text=True, check=True).stdout
        names = [row["name"] for row in json.loads(text)["families"]]
        made = []
        for name in names:
            for size in FAMILY_SIZES:
                path = self.scratch / f"{name}-{size}.yaml"
                done = subprocess.run([self.tool, "make", name, str(size), "-o", path, "--force"], capture_output=True)
                if done.returncode == 0:
                    made.append((f"{name}-{size}", path))
        return made

    def run(self, model, formulation, integrator, duration, seconds):
        """Exit code and digest of the numbers of one run."""
        command = [str(self.tool), "run", str(model), "-f", formulation, "-i", integrator, "--generated", "never", "-c", "all",
                   "-o", "-", "--quiet"]
        command += ["-d", duration] if duration else []
        limited = ["sh", "-c", f'ulimit -t {seconds}; exec "$@"', "sh"] + command
        done = subprocess.run(limited, capture_output=True, cwd=self.tree)
        digest = hashlib.sha256()
        for line in done.stdout.split(b"\n")[1:]:
            digest.update(line.strip() + b"\n")
        return [done.returncode, digest.hexdigest()]


def cases(side, kind):
    """(key, model path, formulation, integrator) of every case; keys identify cases on both sides."""
    formulations, integrators, models = side.listing("formulations"), side.listing("integrators"), side.models()
    rows = [(m, side.tree / m, f, "dopri5") for m in models for f in formulations]
    if kind == "full":
        rows += [(m, side.tree / m, f, i) for m in models for f in formulations for i in integrators if i != "dopri5"]
        rows += [(n, p, f, "dopri5") for n, p in side.families() for f in formulations]
    else:
        six = [f"models/{m}/{m}.yaml" for m in SIX_MODELS]
        rows += [(m, side.tree / m, "auto", i) for m in six for i in integrators]
    return rows


def run_all(side, rows, kind, store):
    """Results by key. Those that `store` contains are not computed again; new ones are added to it as the runs proceed."""
    def one(row):
        name, path, formulation, integrator = row
        limits = DAILY if kind == "daily" else FULL if integrator == "dopri5" else FULL_INTEGRATORS
        return side.run(path, formulation, integrator, **limits)

    kept = json.loads(store.read_text()) if store.exists() else {}
    missing = [r for r in rows if key(r) not in kept]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for count, (row, result) in enumerate(zip(missing, pool.map(one, missing)), 1):
            kept[key(row)] = result
            if count % STORE_EVERY == 0:
                store.write_text(json.dumps(kept))
            if sys.stdout.isatty():
                print(f"\r{side.tree.name}: {count} of {len(missing)}", end="", flush=True)
    if sys.stdout.isatty():
        print("\r\033[K", end="")
    store.write_text(json.dumps(kept))
    return kept


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]


def key(row):
    return " ".join([row[0], row[2], row[3]])


def renamed_key(text):
    return " ".join(new_name(word) for word in text.split())


def main():
    other, here, kind = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]
    pattern = sys.argv[4] if len(sys.argv) > 4 else ""
    old = Side(other / "build" / "cardan", other / "tree", other / "made")
    new = Side(here / "cardan", pathlib.Path("."), here / "made")
    old_rows = [r for r in cases(old, kind) if pattern in key(r)]
    kept = run_all(old, old_rows, kind, other / f"results-{kind}.json")
    store = here / f"results-{kind}-{digest(here / 'cardan')}.json"
    new_results = run_all(new, [r for r in cases(new, kind) if pattern in key(r)], kind, store)

    same, timed_out, problems = 0, 0, []
    for row in old_rows:
        name, expected = renamed_key(key(row)), kept[key(row)]
        got = new_results.pop(name, None)
        if got is None:
            problems.append(f"{name}: case missing in this tree")
        elif expected[0] < 0 or expected[0] > 128 or got[0] < 0 or got[0] > 128:
            timed_out += 1
            if (expected[0] == 0) != (got[0] == 0):
                problems.append(f"{name}: exit code changed from {expected[0]} to {got[0]}")
        elif got[0] != expected[0]:
            problems.append(f"{name}: exit code changed from {expected[0]} to {got[0]}")
        elif got[1] != expected[1]:
            problems.append(f"{name}: numbers differ")
        else:
            same += 1
    for problem in problems:
        print(problem)
    if new_results:
        print(f"{len(new_results)} cases are new, e.g. {sorted(new_results)[0]}")
    print(f"{same} cases agree bit by bit, {len(problems)} differ, {timed_out} terminated by a signal or the limit of processor time")
    return 1 if problems or same == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
