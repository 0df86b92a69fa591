"""Models in the viewer: open, pull, pose. Argument: some or all."""
import glob, sys
from view_checks import check, end
from view_client import *

SOME = ["andrews_squeezer", "door", "double_pendulum", "heavy_top", "five_bar_redundant", "bricard", "slider_crank", "stewart", "strandbeest", "prosthetic_arm",
        "rider", "gear_pair", "rolling_disc", "tractor", "robots/panda.urdf"]


def models():
    if sys.argv[1] != "all":
        robots = sorted(glob.glob("models/robots/*.urdf"))
        return [f"models/{m}" for m in SOME if not m.startswith("robots/")] + robots[:1]
    files = [f"models/{m}" for m in sorted(os.listdir("models")) if os.path.exists(f"models/{m}/{m}.yaml")]
    return files + sorted(glob.glob("models/robots/*.urdf"))


def sentence(s, seconds=0.3):
    """Messages of a problem, if there is one."""
    m = s.wait("problem", seconds, test=lambda m: m["messages"])
    return " ".join(x["text"] for x in m["messages"]) if m else None


def immobile():
    """A point that cannot move at a dead centre stays where it is."""
    v = Viewer("models/andrews_squeezer")
    s = enter(v)
    p = (-0.00379022, -0.0127912, 0.0013148)
    s.grab(6, 1, p, (-0.030877, -0.0383022, 0.0013148))
    f = s.wait("frame", 3, test=lambda f: f.grab == 1)
    check("a point at a dead centre is posed", f and f.position_violation < 1e-9)
    s.text(type="play")
    check("and played", s.wait("frame", 3, test=lambda f: f.t > 0.01) is not None and s.last.get("problem", {}).get("messages", []) == [])
    v.close()


def session(path):
    try:
        v = Viewer(path)
    except RuntimeError as error:  # a sentence instead of a server
        check(f"{path}: {error}", "error" in str(error) and len(str(error)) > 20)
        return
    s = enter(v)
    if not check(f"{path}: first frame", s.first is not None):
        v.close()
        return
    n = len(s.scene["bodies"])
    length, body = s.scene["length"], n - 1
    centre = s.scene["bodies"][body]["centre"]
    worst, problem, frames, last = 0, None, 0, s.first
    s.text(type="play")
    begin = time.monotonic()
    while not problem and (time.monotonic() < begin + 1 or (frames <= 3 and time.monotonic() < begin + 20)):
        m = s.receive(0.2)
        if isinstance(m, bytes):
            last = Frame(m, s.scene)
            frames += 1
            worst = max(worst, last.position_violation)
            p = last.point(body, centre)
            s.grab(body, frames, centre, [p[0] + 0.2 * length, p[1] + 0.1 * length, p[2] + 0.05 * length])
        elif m and m["type"] == "problem" and m["messages"]:
            problem = m["messages"][-1]["text"]
    check(f"{path}: {frames} frames, violation {worst:g}, problem: {problem}", frames > 3 and (worst < 1e-9 or problem))
    s.text(type="pause")
    s.text(type="reset")
    f = s.wait("frame", 5, test=lambda f: f.t == 0)
    if check(f"{path}: reset", f is not None):
        p = f.point(body, centre)
        for k in range(5):
            s.grab(body, 1000 + k, centre, [p[0] + 0.01 * (k + 1) * length, p[1], p[2]])
        f = s.wait("frame", 10, test=lambda f: f.grab == 1004)
        check(f"{path}: posed, violation {f.position_violation if f else None}", f and f.position_violation < 1e-9)
    code, errors = v.close()
    check(f"{path}: it ends: {code} {errors}", code == 0 and not errors)


immobile()
for path in models():
    session(path)
end()
