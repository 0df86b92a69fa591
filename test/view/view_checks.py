"""Counts of checks that passed and failed, for the tests of the viewer."""
import sys

counts = [0, 0]


def check(what, good):
    counts[0 if good else 1] += 1
    if not good:
        print("failed:", what, flush=True)
    return good


def end():
    print(f"{counts[0]} passed, {counts[1]} failed")
    sys.exit(counts[1] > 0)
