#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Write the tables between the markers of docs/benchmarks.md from the CSV files of a folder. Text outside the markers is not changed.

    bench/page.py bench/measured/MACHINE
"""
import csv, math, pathlib, re, sys

SHOWN = ["inverse dynamics", "mass matrix", "factorization", "solve", "forward, cholesky", "forward, order-n"]


def rows(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def short(x):
    return f"{x:,.0f}" if x >= 1000 else f"{x:.3g}"


def table(head, body):
    lines = ["| " + " | ".join(head) + " |", "|---" + "|---:" * (len(head) - 1) + "|"]
    return "\n".join(lines + ["| " + " | ".join(line) + " |" for line in body])


def figures(speed, family):
    """One line for each mechanism: Cardan / MuJoCo in microseconds, ratio and half the distance of its quartiles."""
    body = []
    for name in dict.fromkeys(r["mechanism"] for r in speed if r["family"] == family):
        of = {r["quantity"]: r for r in speed if r["mechanism"] == name}
        line = [f"{name} ({of[SHOWN[0]]['velocities']})" if family == "robot" else name]
        for quantity in SHOWN:
            r = of[quantity]
            c, m, x, low, high = (float(r[k]) for k in ("cardan_us", "mujoco_us", "ratio", "ratio_q1", "ratio_q3"))
            line.append(f"{short(c)} / {short(m)} = **{x:.3f}** ± {(high - low) / 2:.3f}" if x > 0.1 else
                        f"{short(c)} / {short(m)} = **{x:.1g}**")
        body.append(line)
    return table(["mechanism (velocities)" if family == "robot" else "mechanism"] + SHOWN, body)


def exponent(speed, family, quantity, key):
    points = [(math.log(int(r["velocities"])), math.log(float(r[key]))) for r in speed
              if r["family"] == family and r["quantity"] == quantity and int(r["velocities"]) >= 64]
    x, y = (sum(p[i] for p in points) / len(points) for i in (0, 1))
    return sum((a - x) * (b - y) for a, b in points) / sum((a - x) ** 2 for a, _ in points)


def growth(speed):
    return table(["time ~ joints^x"] + SHOWN,
                 [[f"{family}, {name}"] + [f"{exponent(speed, family, q, key):.2f}" for q in SHOWN]
                  for family in ("chain", "tree") for name, key in (("Cardan", "cardan_us"), ("MuJoCo", "mujoco_us"))])


def scaling(data):
    body = []
    for r in data:
        n = int(r["joints"])
        body.append([f"{n:,}", f"{1e3 * float(r['forward_us']) / n:.0f}", f"{1e3 * float(r['residual_us']) / n:.0f}",
                     f"{float(r['data_bytes']) / n:.0f}", f"{int(r['order_n_operations']) / n:.2f}", f"{int(r['implicit_operations']) / n:.2f}"])
    return table(["joints", "forward, order-n [ns/joint]", "residual, implicit [ns/joint]", "data [bytes/joint]",
                  "operations/joint, order-n", "operations/joint, implicit"], body)


LOOP_SIDES = ["order-n", "augmented", "lagrange", "MuJoCo", "Simbody", "ODE"]


def loops(data):
    """One line for each mechanism: reduction in microseconds, the others in microseconds and as multiples of it, or why not."""
    body = []
    for r in data:
        ours = float(r["reduction_us"])
        line = [f"{r['mechanism']} {int(r['size']):,}", f"**{short(ours)}**"]
        for side in LOOP_SIDES:
            key = side.lower().replace("-", "_")
            us = r[key + "_us"]
            line.append(f"{short(float(us))} ({short(float(us) / ours)}x)" if us else r[key + "_why"])
        body.append(line)
    return table(["mechanism, size", "reduction"] + LOOP_SIDES, body)


def loops_growth(data):
    sizes = sorted({int(r["cells"]) for r in data})
    body = []
    for family in dict.fromkeys(r["family"] for r in data):
        of = {int(r["cells"]): float(r["ns_per_cell"]) for r in data if r["family"] == family}
        body.append([family] + [f"{of[n]:.0f}" if n in of else "" for n in sizes] + [f"{of[max(of)] / of[min(of)]:.2f}"])
    return table(["cells"] + [f"{n:,}" for n in sizes] + ["last / first"], body)


def main():
    folder = pathlib.Path(sys.argv[1])
    page = pathlib.Path(__file__).parent.parent / "docs" / "benchmarks.md"
    speed = rows(folder / "speed.csv")
    part = {"robots": figures(speed, "robot"), "chains": figures(speed, "chain"), "trees": figures(speed, "tree"),
            "growth": growth(speed), "scaling": scaling(rows(folder / "scaling.csv")), "loops": loops(rows(folder / "loops.csv")),
            "loops growth": loops_growth(rows(folder / "loops_growth.csv"))}
    text = page.read_text()
    for name, new in part.items():
        text = re.sub(f"(<!-- {name} -->\n).*?(<!-- end -->)", lambda m: m[1] + new + "\n" + m[2], text, flags=re.S)
    page.write_text(text)


if __name__ == "__main__":
    main()
