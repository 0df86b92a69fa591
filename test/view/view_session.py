"""Sessions of a client with `cardan view`; prints the number of checks that passed and failed."""
import math, shutil, tempfile
from view_checks import check, end
from view_client import *

def closes(socket, code=1008, timeout=3):
    """Whether the server closes the connection with this code."""
    end = time.monotonic() + timeout
    while socket.closed is None and time.monotonic() < end:
        socket.receive(0.2)
    return socket.closed == code


def access(v):
    status, head, body = http(v.port)
    check("the page is served", status == 200 and body.lower().startswith(b"<!doctype html"))
    for header in ("content-security-policy: default-src 'none'", "nosniff", "no-referrer", "no-store",
                   "cross-origin-opener-policy: same-origin", "cross-origin-resource-policy: same-origin"):
        check(f"header {header}", header in head)
    check("no inline code", "unsafe-inline" not in head and "unsafe-eval" not in head)
    check("another path", http(v.port, "/etc/passwd")[0] == 404 and http(v.port, "/../x")[0] in (403, 404))
    check("another method", http(v.port, method="POST")[0] in (0, 405))
    check("a long header", http(v.port, path="/" + "a" * 9000)[0] in (0, 400, 404, 413, 414, 431))
    check("another host", http(v.port, host="example.org")[0] == 421)
    check("another origin", Socket(v.port, origin="http://example.org").status == 403)
    check("another host of a socket", Socket(v.port, host=f"example.org:{v.port}").status in (403, 421))
    wrong = Socket(v.port, token="0" * 32)
    check("wrong token", wrong.receive(3) is None and wrong.closed == 1008)
    missing = Socket(v.port)
    check("nothing is sent before the token", missing.receive(1) is None and missing.closed is None)
    check("no token", closes(missing))


def hostile(v):
    frames = {
        "unknown type": lambda s: s.text(type="format"),
        "text that is no JSON": lambda s: s.send(1, b"{"),
        "deep nesting": lambda s: s.send(1, b"[" * 5000),
        "number that is not finite": lambda s: s.send(1, b'{"type": "seek", "t": 1e999}'),
        "speed out of range": lambda s: s.text(type="speed", value=1e6),
        "unknown joint": lambda s: s.text(type="drive", joint=99, axis=0, value=1),
        "unknown body": lambda s: s.grab(99, 1, (0, 0, 0), (0, 0, 0)),
        "grab that is not a number": lambda s: s.grab(0, 1, (math.nan, 0, 0), (0, 0, 0)),
        "short grab": lambda s: s.send(2, b"\x10" * 31),
        "long grab": lambda s: s.send(2, b"\x10" * 33),
        "text of 70 kB": lambda s: s.send(1, b" " * 70000),
        "parts that are too long": lambda s: [s.send(0 if i else 1, b" " * 30000, final=i == 3) for i in range(4)],
        "slot of a grab": lambda s: s.grab(0, 1, (0, 0, 0), (0, 0, 0), slot=8),
        "too many messages": lambda s: [s.text(type="pause") for _ in range(400)],
    }
    for name, send in frames.items():
        s = Socket(v.port, token=v.token)
        s.wait("hello")
        send(s)
        check(name, closes(s) or s.closed == 1006)
        s.socket.close()
    check("the server is alive", enter(v).first is not None)


def pull(v):
    s = enter(v)
    s.text(type="play")
    worst, force, number, begin = 0, 0, 0, None
    while (f := s.wait("frame")) and (begin is None or f.t < begin + 1):
        begin = f.t if begin is None else begin
        number += 1
        worst, force = max(worst, f.position_violation), max(force, f.force)
        s.grab(0, number, (0.2, 0.3, 0), [x - c for x, c in zip((0.4 * math.cos(f.t), 0.4 * math.sin(f.t), 0), s.scene["centre"])])
    check(f"violation of a pulled mechanism: {worst:g}", worst < 1e-10)
    check(f"force of the pull: {force:g} N", 0 < force <= 20.01 * s.scene["weight"])
    check(f"frames in a second: {number}", number > 20)
    s.grab(65535, number + 1, (0, 0, 0), (0, 0, 0))
    s.text(type="pause")
    check("pause", s.wait("status", test=lambda m: not m["playing"]))
    return s


def pose(s):
    s.text(type="reset")
    f = s.wait("frame", test=lambda f: f.t == 0)
    point = s.scene["joints"][1]["frame_first"][:3]  # joint B on the crank moves on a circle about A
    angle = 0.2
    p = [a + c for a, c in zip(f.point(0, point), s.scene["centre"])]
    goal = [p[0] * math.cos(angle) - p[1] * math.sin(angle), p[0] * math.sin(angle) + p[1] * math.cos(angle), 0]
    s.grab(0, 1000, point, [a - c for a, c in zip(goal, s.scene["centre"])])
    f = s.wait("frame", test=lambda f: f.grab == 1000)
    error = math.dist(f.point(0, point), [a - c for a, c in zip(goal, s.scene["centre"])])
    check(f"inverse kinematics reaches the target: {error:g}", error < 1e-3)
    check("its constraints are kept", f.position_violation < 1e-10)
    s.grab(0, 1001, point, (100, 0, 0))
    check("a point outside the workspace is reported", s.wait("limit"))
    s.grab(65535, 1002, (0, 0, 0), (0, 0, 0))
    index = s.scene["joints"][0]["coordinates"][0]["index"]
    f = s.wait("frame", test=lambda f: f.grab == 1002)
    q = f.coordinates(index + 1)[index] + 0.3
    s.text(type="drive", joint=0, axis=0, value=q)
    f = s.wait("frame", test=lambda f: abs(f.coordinates(index + 1)[index] - q) < 1e-6)
    check("a coordinate is driven while paused", f and f.position_violation < 1e-10)
    s.text(type="drive", joint=0, axis=0, value=None)


def history(s):
    s.text(type="reset")
    s.text(type="play")
    s.wait("frame", test=lambda f: f.t > 0.5)
    s.text(type="seek", t=0.25)
    f = s.wait("frame", test=lambda f: f.t < 0.3)
    check("a past state is shown", f and 0.2 < f.t <= 0.25)
    m = s.wait("status", test=lambda m: not m["live"])
    check("status of a past state", m and not m["playing"] and m["history"][1] >= 0.48)
    s.text(type="step", count=-3)
    check("steps backward", s.wait("frame", test=lambda f: f.t < 0.22))
    s.text(type="columns", names=["A.q", "energy.total", "no such column"])
    check("columns", s.wait("columns")["names"] == ["A.q", "energy.total"])
    s.text(type="history", **{"from": 0, "to": 0.2, "count": 10})
    m = s.wait("history")
    check("values of the past", m and len(m["t"]) == 10 and len(m["values"]) == 2 and len(m["values"][0]) == 10)
    s.text(type="play")
    f = s.wait("frame", test=lambda f: f.t > 0.3)
    check("play continues from a past state", f and f.position_violation < 1e-10)
    s.text(type="pause")
    s.text(type="diagnose")
    check("diagnosis", s.wait("diagnosis")["report"]["dof"] == 1)


def reload():
    folder = tempfile.mkdtemp()
    path = os.path.join(folder, "four_bar.yaml")
    shutil.copy("models/four_bar/four_bar.yaml", path)
    good = open(path).read()
    v = Viewer(path)
    s = enter(v)
    name, value = s.scene["parameters"][0]["name"], s.scene["parameters"][0]["value"]
    with open(path, "w") as file:
        file.write(good.replace("bodies:", "bodeis:", 1))
    m = s.wait("problem", test=lambda m: m["messages"])
    check("a typing error is reported with its place", m and m["messages"][0]["line"] > 0)
    with open(path + ".new", "w") as file:
        file.write(good)
    begin = time.monotonic()
    os.rename(path + ".new", path)
    m = s.wait("problem")
    check("the repair is noticed", m and not m["messages"])
    check(f"a change is seen within 200 ms: {time.monotonic() - begin:.3f} s", time.monotonic() - begin < 0.4)
    s.text(type="set", parameter=name, value=value * 1.01)
    m = s.wait("reloaded", test=lambda m: m["changed"])
    check("a parameter is set", m and m["changed"][0]["name"] == name)
    m = s.wait("scene")
    check("with a new scene", m and m["parameters"][0]["value"] == value * 1.01)
    s.text(type="set", parameter="no such parameter", value=1)
    check("an unknown parameter is a problem", s.wait("problem", test=lambda m: m["messages"]))
    s.text(type="method", integrator="semi-implicit-euler")
    check("another integrator", s.wait("status", test=lambda m: m["integrator"] == "semi-implicit-euler"))
    code, errors = v.close()
    check(f"it ends without an error: {code} {errors}", code == 0 and not errors)
    shutil.rmtree(folder)


v = Viewer("models/four_bar")
for part in (access, hostile):
    part(v)
tree = Viewer("models/pendulum")
check("a mechanism without loops", enter(tree).first is not None)
tree.close()
socket_of_page = pull(v)
pose(socket_of_page)
history(socket_of_page)
code, errors = v.close()
check(f"it ends without an error: {code} {errors}", code == 0 and not errors)
reload()
end()
