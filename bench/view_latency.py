#!/usr/bin/env python3
"""Latency of `cardan view` at the socket: time from a grab to the frame that includes it, and frames per second with 500 bodies.
   bench/view_latency.py BUILD"""
import os, statistics, sys, tempfile

build = sys.argv[1] if len(sys.argv) > 1 else "build"
os.environ["CARDAN_BUILD"] = build
sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "test", "view"))
from view_client import *

GOALS = (50, 80)  # [ms] median, 95 %
MODELS = ("four_bar", "strandbeest", "prosthetic_arm", "rider")


def measure(model, seconds=8):
    """Milliseconds from sending a grab to receiving the first frame with its number."""
    v = Viewer(f"models/{model}")
    s = enter(v)
    s.text(type="play")
    body = len(s.scene["bodies"]) - 1
    centre, length = s.scene["bodies"][body]["centre"], s.scene["length"]
    times, number, last, rate = [], 0, s.first, []
    stop = time.monotonic() + seconds
    while time.monotonic() < stop:
        number += 1
        p = last.point(body, centre)
        side = 1 if number % 60 < 30 else -1
        begin = time.monotonic()
        s.grab(body, number, centre, [p[0] + 0.05 * side * length, p[1] + 0.03 * length, p[2]])
        f = s.wait("frame", 2, test=lambda f: f.grab == number)
        if f is None:
            break
        times.append((time.monotonic() - begin) * 1e3)
        if f.t > 1:  # before the rider falls
            s.text(type="reset")
            s.text(type="play")
        rate.append(f.rate)
        last = f
        time.sleep(0.003)
    v.close()
    return times, statistics.fmean(rate[len(rate) // 4:]) if rate else 0


def stream(bodies=500, seconds=5):
    """Frames per second, and simulated to real time, of a chain of single pendulums."""
    lines = ["cardan: 1", "name: row of pendulums", "gravity: [0, -9.81, 0]", "bodies:"]
    lines += [f"  b{i}: {{mass: 1, centre: [0, -0.5, {i}], shape: [{{sphere: 0.06}}]}}" for i in range(bodies)]
    lines += ["joints:"] + [f"  j{i}: {{revolute: [ground, b{i}], at: [0, 0, {i}], axis: z, start: {{q: {0.1 + i / bodies}}}}}" for i in range(bodies)]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "row.yaml")
        open(path, "w").write("\n".join(lines) + "\n")
        v = Viewer(path)
        s = enter(v)
        s.text(type="play")
        s.wait("frame", test=lambda f: f.t > 0.2)
        count, begin = 0, time.monotonic()
        while time.monotonic() < begin + seconds:
            count += isinstance(s.receive(0.5), bytes)
        v.close()
    return count / seconds


print("model               grabs   median    95 %   goal 50, 80 ms      simulated / real time")
missed = False
for model in MODELS:
    times, rate = measure(model)
    times.sort()
    median, high = statistics.median(times), times[int(0.95 * (len(times) - 1))]
    good = median < GOALS[0] and high < GOALS[1]
    missed |= not good
    print(f"{model:18} {len(times):6} {median:8.1f} {high:7.1f}   {'reached' if good else 'missed':10} {rate:20.2f}", flush=True)
frames = stream()
print(f"500 bodies: {frames:.1f} frames/s (goal 60)")
sys.exit(missed)
