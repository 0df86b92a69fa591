#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compare the speed of two builds of the tool in interleaved rounds.

    bench/revisions.py OLD_TREE OLD_TOOL NEW_TREE NEW_TOOL [--rounds N] [--csv FILE]

Each tool runs on the models of its own tree. In every round each case is measured by both tools, which alternate in going
first. A case is one formulation on one model (`cardan compare`: median time of one evaluation) or one complete run (elapsed
time without generated code). The time of a case is its median over the rounds, the ratio is new to old. Prints the cases
with the largest ratios, the geometric mean of all and the largest; exit code 1 if these exceed 1.03 and 1.10.
"""
import argparse
import csv
import json
import math
import pathlib
import statistics
import subprocess
import sys
import time

EVALUATIONS = ["pendulum", "double_pendulum", "puma560", "three_link", "branches", "four_bar", "slider_crank", "andrews_squeezer",
               "stewart", "delta", "strandbeest", "hmmwv", "ladder", "bricard", "rolling_disc", "gear_pair"]
RUNS = [("puma560", "order-n", "dopri5"), ("four_bar", "reduction", "dopri5"), ("andrews_squeezer", "embedding", "rk4"),
        ("stewart", "augmented", "dopri5"), ("hmmwv", "lagrange", "generalized-alpha"), ("n_four_bar", "lagrange", "dopri5"),
        ("bushing_corner", "order-n", "cvode-bdf"), ("slider_crank", "regularized", "dopri5"), ("ladder", "reduction", "rk4")]
RUN_SECONDS = 0.4  # [s] of processor time that a run should take; its duration is chosen for that
MEAN_LIMIT, CASE_LIMIT = 1.03, 1.10


class Side:
    def __init__(self, tree, tool):
        self.tree, self.tool = pathlib.Path(tree).resolve(), str(pathlib.Path(tool).resolve())

    def call(self, *arguments):
        return subprocess.run([self.tool, *arguments], capture_output=True, text=True, cwd=self.tree)

    def evaluation_times(self, model):
        """Microseconds of one evaluation by every formulation that supports the model."""
        done = self.call("compare", f"models/{model}", "--json", "--quiet")
        rows = next(iter(json.loads(done.stdout).values())) if done.stdout else []  # the key differs between revisions
        return {f"{model} {row['formulation']}": row["us"] for row in rows if row["us"]}

    def run_time(self, model, formulation, integrator, duration):
        start = time.perf_counter()
        done = self.call("run", f"models/{model}", "-f", formulation, "-i", integrator, "--generated", "never", "--quiet",
                         "-d", str(duration), "-o", "-")
        return (time.perf_counter() - start) * 1e6 if done.returncode == 0 else None


def run_cases(side):
    """The runs that succeed, each with a duration [s] that takes about RUN_SECONDS."""
    cases = []
    for model, formulation, integrator in RUNS:
        duration = 0.05
        spent = side.run_time(model, formulation, integrator, duration)
        while spent and spent < 0.25e6 * RUN_SECONDS and duration < 20:
            duration *= 4
            spent = side.run_time(model, formulation, integrator, duration)
        if spent:
            cases.append((model, formulation, integrator, min(20, duration * RUN_SECONDS * 1e6 / spent)))
    return cases


def one_round(side, cases):
    times = {}
    for model in EVALUATIONS:
        times.update(side.evaluation_times(model))
    for case in cases:
        spent = side.run_time(*case)
        if spent:
            times["run " + " ".join(case[:3])] = spent
    return times


def measure(old, new, rounds):
    cases = run_cases(old)
    samples = {}
    for r in range(rounds):
        order = [(0, old), (1, new)]
        for which, side in order if r % 2 == 0 else reversed(order):
            for name, value in one_round(side, cases).items():
                samples.setdefault(name, ([], []))[which].append(value)
        print(f"round {r + 1} of {rounds}", file=sys.stderr, flush=True)
    return {name: [statistics.median(side) for side in pair] for name, pair in samples.items() if all(pair)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("old_tree", "old_tool", "new_tree", "new_tool"):
        parser.add_argument(name)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--csv")
    options = parser.parse_args()
    result = measure(Side(options.old_tree, options.old_tool), Side(options.new_tree, options.new_tool), options.rounds)
    ratios = sorted(((new / old, name) for name, (old, new) in result.items()), reverse=True)
    mean = math.exp(statistics.fmean(math.log(ratio) for ratio, _ in ratios))
    if options.csv:
        with open(options.csv, "w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["case", "old [us]", "new [us]", "ratio"])
            writer.writerows([name, *result[name], ratio] for ratio, name in ratios)
    for ratio, name in ratios[:10]:
        print(f"{ratio:6.3f}  {name}: {result[name][0]:.4g} us before, {result[name][1]:.4g} us now")
    print(f"{len(ratios)} cases, {options.rounds} rounds: geometric mean {mean:.3f}, largest ratio {ratios[0][0]:.3f}")
    return 0 if mean <= MEAN_LIMIT and ratios[0][0] <= CASE_LIMIT else 1


if __name__ == "__main__":
    sys.exit(main())
