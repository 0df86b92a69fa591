"""Features of the server that the page uses: time, ghost, inputs, pins, markers, edits, diagnosis, replay, clients."""
import math, re, shutil, subprocess, tempfile
from view_checks import check, end
from view_client import *

folder = tempfile.mkdtemp()


def world(scene, p):
    return [a - c for a, c in zip(p, scene["centre"])]


def coordinate(s, joint, frame):
    index = s.scene["joints"][joint]["coordinates"][0]["index"]
    return frame.coordinates(index + 1)[index]


def joint_index(scene, name):
    return next(i for i, j in enumerate(scene["joints"]) if j["name"] == name)


def ghost_and_replay(v):
    s = enter(v)
    s.text(type="flags", value=17)
    s.text(type="play")
    s.wait("frame", test=lambda f: f.t > 0.6)
    s.text(type="seek", t=0.3)
    s.wait("frame", test=lambda f: 0.25 < f.t <= 0.3)
    s.text(type="drive", joint=0, axis=0, rate=1)
    s.text(type="play")
    f = s.wait("frame", test=lambda f: f.t > 0.45 and f.flags & 16)
    check("the old future is the ghost", f and len(f.ghost) == len(f.pose))
    check("it differs from the motion", f and max(math.dist(a[:3], b[:3]) for a, b in zip(f.ghost, f.pose)) > 1e-3)
    m = s.wait("status", test=lambda m: m["ghost"])
    check("status of ghost and drives", m and m["drives"] and m["drives"][0]["mode"] == "rate" and m["drives"][0]["value"] == 1)
    s.text(type="pause")
    s.text(type="drive", joint=0, axis=0, value=None)
    s.text(type="replay", value=True)
    s.text(type="seek", t=0)
    s.text(type="play")
    f = s.wait("frame", test=lambda f: 0.1 < f.t < 0.25)
    check("the history is played", f)
    m = s.wait("status", test=lambda m: m["replay"])
    check("status of a replay", m and not m["live"] and m["history"][1] > 0.4)
    m = s.wait("status", timeout=5, test=lambda m: not m["playing"])
    check("a replay ends with the history", m and abs(m["t"] - m["history"][1]) < 0.03)
    s.text(type="replay", value=False)
    s.text(type="seek", t=0.2)
    s.text(type="play")
    f = s.wait("frame", test=lambda f: 0.2 < f.t < 0.5)
    m = s.wait("status", test=lambda m: m["live"] and m["playing"])
    check("playing on from the past", f and m and not m["replay"])
    s.text(type="reset")
    m = s.wait("status", test=lambda m: not m["ghost"])
    check("reset drops the ghost", m and not m["drives"] and not m["replay"])
    s.text(type="pause")


def inputs(v):
    s = enter(v)
    a = joint_index(s.scene, "A")
    check("a joint is drivable", s.scene["joints"][a]["coordinates"][0]["drivable"])
    s.text(type="reset")
    s.text(type="pause")
    f = s.wait("frame", test=lambda f: f.t == 0)
    q0 = coordinate(s, a, f)
    s.text(type="play")
    s.text(type="drive", joint=a, axis=0, rate=2)
    f1 = s.wait("frame", test=lambda f: f.t > 0.5)
    f2 = s.wait("frame", test=lambda f: f.t > f1.t + 0.3)
    speed = (coordinate(s, a, f2) - coordinate(s, a, f1)) / (f2.t - f1.t)
    check(f"a constant rate: {speed:g}", abs(speed - 2) < 0.02)
    s.text(type="drive", joint=a, axis=0, formula=f"{q0} + 0.3*sin(2*t)")
    f = s.wait("frame", test=lambda f: f.t > f2.t + 1)
    error = coordinate(s, a, f) - (q0 + 0.3 * math.sin(2 * f.t))
    check(f"a formula of time: {error:g}", abs(error) < 0.02)
    effort = s.scene["joints"][a]["coordinates"][0]["effort"]
    s.text(type="columns", names=[effort])
    check("effort of a drive is a column", s.wait("columns")["names"] == [effort])
    s.text(type="flags", value=4)
    f = s.wait("frame", test=lambda f: f.flags == 4)
    check("its value", f and abs(struct.unpack("<d", f.rest[:8])[0]) > 1e-3)
    s.text(type="drive", joint=a, axis=0, formula="sin(")
    check("a wrong formula is a problem", s.wait("problem", test=lambda m: m["messages"]))
    s.text(type="drive", joint=a, axis=0, formula="q(A)")
    check("a formula of the motion is a problem", s.wait("problem", test=lambda m: m["messages"]))
    s.text(type="drive", joint=a, axis=0, value=None)
    s.text(type="flags", value=1)
    s.text(type="reset")
    s.text(type="pause")
    for joint in (a, joint_index(s.scene, "D")):  # in the tree, and off it or the other way round
        s.text(type="reset")
        s.wait("frame", test=lambda f: f.t == 0)
        s.text(type="effort", joint=joint, axis=0, value=200)
        s.text(type="step", count=12)
        f = s.wait("frame", test=lambda f: f.t > 0.19)
        moved = coordinate(s, joint, f)
        s.text(type="effort", joint=joint, axis=0, value=None)
        s.text(type="reset")
        s.wait("frame", test=lambda f: f.t == 0)
        s.text(type="effort", joint=joint, axis=0, formula="-200 + 0*t")
        s.text(type="step", count=12)
        f = s.wait("frame", test=lambda f: f.t > 0.19)
        check(f"an effort along joint {joint} moves it: {moved:g}, {coordinate(s, joint, f):g}", moved - coordinate(s, joint, f) > 0.1)
        s.text(type="effort", joint=joint, axis=0, value=0)


def pins():
    v = Viewer("models/five_bar")  # two degrees of freedom
    s = enter(v)
    a, b = s.scene["bodies"][0], s.scene["bodies"][-1]
    start = s.first.point(0, a["centre"])
    s.grab(0, 1, a["centre"], start, slot=1)
    goal = [x + d for x, d in zip(s.first.point(len(s.scene["bodies"]) - 1, b["centre"]), (0.02 * s.scene["length"], 0.01 * s.scene["length"], 0))]
    f = None
    for n in range(2, 8):
        s.grab(len(s.scene["bodies"]) - 1, n, b["centre"], goal)
        f = s.wait("frame", test=lambda f: f.grab == n)
    pinned = math.dist(f.point(0, a["centre"]), start)
    check(f"a pinned point stays: {pinned:g}", pinned < 2e-3 * s.scene["length"])
    check("the other one moves", math.dist(f.point(len(s.scene["bodies"]) - 1, b["centre"]), s.first.point(len(s.scene["bodies"]) - 1, b["centre"])) > 1e-3)
    check("the loop stays closed", f.position_violation < 1e-9)
    m = s.wait("status", test=lambda m: len(m["grabs"]) == 2)
    check("status of the grabs", m and [g["slot"] for g in m["grabs"]] == [0, 1])
    s.text(type="play")
    f = s.wait("frame", test=lambda f: f.t > 0.5)
    check("pins hold while it plays", f and math.dist(f.point(0, a["centre"]), start) < 0.1 * s.scene["length"] and f.force > 0)
    s.grab(65535, 99, (0, 0, 0), (0, 0, 0))
    s.grab(65535, 99, (0, 0, 0), (0, 0, 0), slot=1)
    check("pins are released", s.wait("status", test=lambda m: not m["grabs"]))
    check("it ends", v.close()[0] == 0)


def marker():
    v = Viewer("models/puma560")
    s = enter(v)
    k = max(range(len(s.scene["markers"])), key=lambda i: s.scene["markers"][i]["body"])
    m = s.scene["markers"][k]
    place = lambda f: f.point(m["body"], m["pose"][:3])
    speed = 0.1 * s.scene["length"]
    for mode in ("paused", "playing"):
        s.text(type="reset")
        s.text(type="play" if mode == "playing" else "pause")
        f = s.wait("frame", test=lambda f: f.t < 0.5)
        s.text(type="move", marker=k, velocity=[0, 0, speed])
        for _ in range(20):  # it falls before its motors are driven
            f = s.wait("frame") or f
        before, end_time = f, time.monotonic() + 0.6
        while time.monotonic() < end_time:
            f = s.wait("frame") or f
        s.text(type="move", marker=k, velocity=[0, 0, 0])
        d = [a - b for a, b in zip(place(f), place(before))]
        check(f"a marker moves, {mode}: {d}", d[2] > 0.25 * 0.6 * speed and math.hypot(d[0], d[1]) < 0.5 * d[2] + 0.02 * s.scene["length"])
        check(f"the constraints are kept, {mode}: {f.position_violation:g}", f.position_violation < 1e-9)
    m = s.wait("status", test=lambda m: m["drives"])
    check("motors are driven while it plays", m and all(d["mode"] == "value" for d in m["drives"]))
    check("it ends", v.close()[0] == 0)


def edits():
    path = os.path.join(folder, "four_bar.yaml")
    shutil.copy("models/four_bar/four_bar.yaml", path)
    text = open(path).read().splitlines()
    v = Viewer(path)
    s = enter(v)
    p = s.scene["parameters"][0]
    check("place of a parameter", p["file"] == path and text[p["line"] - 1].split(":")[0].strip() == p["name"])
    s.text(type="play")
    s.text(type="drive", joint=0, axis=0, formula="1 + 0.1*sin(t) + 0*a")
    s.text(type="set", parameter=p["name"], value=p["value"] * 1.05)
    m = s.wait("lines")
    d = s.wait("status", test=lambda m: m["drives"] and m["t"] > 0)
    check("a driven joint stays driven in the changed model", d and d["drives"][0]["formula"])
    s.text(type="drive", joint=0, axis=0, value=None)
    s.text(type="reset")
    s.text(type="pause")
    line = m["lines"][0]
    check("line to keep a parameter", line["before"] == text[line["line"] - 1] and line["after"] != line["before"] and line["line"] == p["line"])
    check("setting to keep a parameter", m["settings"] and m["settings"][0].startswith(p["name"] + "="))
    s.text(type="diagnose")
    d = s.wait("diagnosis", 10)
    told = subprocess.run([TOOL, "check", path, "--json", "--set", m["settings"][0]], capture_output=True, text=True)
    check("report as of cardan check", d["report"] == json.loads(told.stdout))
    loop = d["loops"][0]
    check("loop of the diagnosis", loop["redundant"] == 3 and sorted(loop["joints"]) == [0, 1, 2, 3] and -1 in loop["bodies"] and loop["suggestion"])
    check("one free motion", len(d["motions"]) == 1 and d["motions"][0]["text"])
    check("modes", all(k in mode for mode in d["modes"] for k in ("frequency", "damping", "text")))
    before = s.wait("frame") or s.first
    s.text(type="motion", index=0)
    poses = [s.wait("frame") for _ in range(40)]
    size = max(math.dist(f.pose[1][:3], poses[0].pose[1][:3]) for f in poses if f)
    check(f"a free motion is shown: {size:g}", 0.001 < size < s.scene["length"] and max(f.position_violation for f in poses if f) < 1e-9)
    check("status of an animation", s.wait("status", test=lambda m: m["animation"] == {"kind": "motion", "index": 0}))
    s.text(type="motion", index=None)
    check("it ends", s.wait("status", test=lambda m: m["animation"] is None))
    s.text(type="repair", loop=0)
    m = s.wait("lines")
    check("lines of a repair", m and len(m["lines"]) == 3 and "spherical" in m["lines"][1]["after"] and "axis" not in m["lines"][1]["after"] and "cylindrical" in m["lines"][2]["after"])
    m = s.wait("scene", test=lambda m: True) or s.scene
    s.text(type="diagnose")
    d = s.wait("diagnosis", 10)
    check("nothing is redundant after the repair", d and d["report"]["redundant"] == 0)
    s.text(type="revert")
    m = s.wait("lines")
    check("revert", m and not m["lines"] and not m["settings"])
    s.text(type="diagnose")
    check("the file as it is", s.wait("diagnosis", 10)["report"]["redundant"] == 3)
    s.text(type="repair", loop=7)
    check("a repair that does not exist", s.wait("problem", test=lambda m: m["messages"]))
    point = s.scene["points"][-1] if s.scene["points"] else None
    check("points of the model", point and point["file"] == path)
    if point:
        target = [point["position"][0] + 0.01, point["position"][1] + 0.02, point["position"][2]]
        s.text(type="point", name=point["name"], position=target)
        m = s.wait("scene")
        check("a point is moved", m and math.dist(next(p["position"] for p in m["points"] if p["name"] == point["name"]), target) < 1e-12)
    with open(path, "w") as file:
        file.write("\n".join(text).replace("bodies:", "bodies: [", 1))
    m = s.wait("problem", test=lambda m: m["messages"])
    check("a typing error has file, line and column", m and m["messages"][0]["file"] == path and m["messages"][0]["line"] > 0 and m["messages"][0]["column"] > 0)
    s.text(type="play")
    check("the old mechanism plays on", s.wait("frame", test=lambda f: f.t > 0.1))
    check("it ends", v.close()[0] == 0)


def exact_and_results():
    results = os.path.join(folder, "run.csv")
    subprocess.run([TOOL, "run", "models/four_bar", "-d", "1", "-o", results, "-q"], check=True)
    last = [float(x) for x in open(results).read().splitlines()[-1].split(",")]
    names = [n.split(" [")[0] for n in open(results).readline().strip().split(",")]
    v = Viewer("models/four_bar")
    s = enter(v)
    a = joint_index(s.scene, "A")
    s.text(type="exact", duration=1)
    m = s.wait("status", 10, test=lambda m: m["replay"])
    check("an exact run is replayed", m and abs(m["history"][1] - 1) < 0.02)
    s.text(type="seek", t=1)
    f = s.wait("frame", test=lambda f: f.t > 0.98)
    check("its end is that of cardan run", f and abs(f.t - 1) < 1e-9 and abs(coordinate(s, a, f) - last[names.index("A.q")]) < 1e-6)
    check("it ends", v.close()[0] == 0)
    other = os.path.join(folder, "other.csv")
    subprocess.run([TOOL, "run", "models/four_bar", "-d", "1", "-o", other, "-q", "--set", "gravity=[0,-5,0]"], check=False)
    v = Viewer("models/four_bar", "--results", results, *(["--ghost", other] if os.path.exists(other) else []))
    s = enter(v)
    s.text(type="flags", value=17)
    m = s.wait("status", test=lambda m: m["replay"])
    check("results are shown", m and not m["playing"] and abs(m["history"][1] - 1) < 1e-9)
    s.text(type="seek", t=1)
    f = s.wait("frame", test=lambda f: f.t > 0.98)
    check("state of the results", f and abs(coordinate(s, a, f) - last[names.index("A.q")]) < 1e-6)
    check("two results: the second one is the ghost", not os.path.exists(other) or (f.flags & 16 and m["ghost"]))
    check("it ends", v.close()[0] == 0)
    bad = subprocess.run([TOOL, "view", "models/door", "--no-open", "--json", "--results", results], capture_output=True, text=True, timeout=20)
    check("results of another model are refused", bad.returncode != 0 and bad.stderr)


def events():
    v = Viewer("models/slider_crank")
    s = enter(v)
    check("marks for a new client", s.last.get("events", {}).get("events") == [])
    s.text(type="play")
    f = s.wait("frame", 5, test=lambda f: f.t > 0.3)
    check("smallest singular value", f and 0 < f.singular <= 1)
    check("it ends", v.close()[0] == 0)
    path = os.path.join(folder, "limit.yaml")
    text = open("models/pendulum/pendulum.yaml").read()
    with open(path, "w") as file:
        file.write(text.replace("axis: z}", "axis: z, limits: [-0.2, 0.2]}"))
    v = Viewer(path)
    s = enter(v)
    s.text(type="play")
    m = s.wait("event", 8)
    check("a limit is marked", m and m["kind"] == "limit" and m["t"] > 0 and m["text"])
    s2 = enter(v)
    m2 = s2.last["events"]
    check("also for the second client", m and m2["events"] and m2["events"][0]["t"] == m["t"])
    s.text(type="reset")
    m = s.wait("events")
    check("reset drops the marks", m and m["events"] == [])
    check("it ends", v.close()[0] == 0)


def clients(v):
    first, second = enter(v), enter(v)
    first.text(type="reset")
    first.text(type="play")
    check("two tabs see one motion", first.wait("frame", test=lambda f: f.t > 0.1) and second.wait("frame", test=lambda f: f.t > 0.1))
    first.socket.close()
    check("one that vanishes does not disturb the other", second.wait("frame", test=lambda f: f.t > 0.4))
    more = [Socket(v.port, token=v.token) for _ in range(12)]
    closed = 0
    for s in more:
        s.receive(0.3)
        closed += s.closed is not None
    check(f"at most eight clients: {closed} refused", closed >= 4)
    for s in more:
        s.socket.close()
    time.sleep(0.2)
    check("places are free again", enter(v).first is not None)
    second.text(type="pause")


def ports(v):
    other = Viewer("models/four_bar")
    check("the next free port", other.port != v.port)
    taken = subprocess.run([TOOL, "view", "models/four_bar", "--no-open", "--port", str(v.port)], capture_output=True, text=True, timeout=20)
    check("a port that is taken is an error", taken.returncode != 0 and "port" in taken.stderr)
    check("it ends by SIGINT", other.close() == (0, ""))
    check("only the loopback interface", all("127.0.0.1" in line for line in listeners(v.port)))


def listeners(port):
    """Addresses on which the port is open."""
    out = []
    for line in open("/proc/net/tcp").read().splitlines()[1:]:
        address, number = line.split()[1].split(":")
        if int(number, 16) == port and line.split()[3] == "0A":
            out.append(".".join(str(b) for b in bytes.fromhex(address)[::-1]))
    return out


v = Viewer("models/four_bar")
for part in (ghost_and_replay, inputs, clients, ports):
    part(v)
code, errors = v.close()
check(f"it ends without an error: {code} {errors}", code == 0 and not errors)
for part in (pins, marker, edits, exact_and_results, events):
    part()
shutil.rmtree(folder)
end()
