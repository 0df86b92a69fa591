"""Recordings: decode the frames of a page and compare them with the results of the same run."""
import base64, csv, gzip, json, math, os, re, struct, subprocess, tempfile
from view_checks import check, end

TOOL = os.path.join(os.environ.get("CARDAN_BUILD", "build"), "cardan")
folder = tempfile.mkdtemp()


def tool(*arguments):
    return subprocess.run([TOOL, *arguments], capture_output=True, text=True)


class Recording:
    """Parts of a page, and its motion."""

    def __init__(self, path):
        self.text = open(path, encoding="utf-8").read()
        part = {name: re.search(f'id="cardan-{name}">(.*?)</script>', self.text, re.S)[1] for name in ("scene", "events", "columns", "frames")}
        self.scene, self.events, self.columns = (json.loads(part[name]) for name in ("scene", "events", "columns"))
        self.size = len(part["frames"])
        data = gzip.decompress(base64.b64decode(part["frames"]))
        self.bodies, self.frames, n, _ = struct.unpack_from("<4I", data)
        self.start, self.interval, self.length, self.rotation = struct.unpack_from("<4d", data, 16)
        self.origin = struct.unpack_from(f"<{3 * self.bodies}d", data, 48)
        self.range = struct.unpack_from(f"<{2 * n}d", data, 48 + 24 * self.bodies)
        begin, count = 48 + 24 * self.bodies + 16 * n, self.frames * (7 * self.bodies + n)
        check("length of the frames", len(data) == begin + 2 * count and n == len(self.columns["names"]))
        self.bytes, self.count = data[begin:], count

    def series(self, i):
        """Integers of a series."""
        before = last = 0
        out = []
        for k in range(i * self.frames, (i + 1) * self.frames):
            d = self.bytes[k] | self.bytes[self.count + k] << 8
            before, last = last, (d - 65536 if d > 32767 else d) + 2 * last - before
            out.append(last)
        return out

    def poses(self, body):
        """Positions relative to the centre of the scene, and quaternions."""
        s = [self.series(7 * body + c) for c in range(7)]
        for k in range(self.frames):
            position = [self.origin[3 * body + c] + self.length * s[c][k] for c in range(3)]
            part = [self.rotation * ((s[c][k] + 32768) % 65536 - 32768) for c in range(3, 6)]
            index = s[6][k] % 65536
            part.insert(index, math.sqrt(max(0, 1 - sum(x * x for x in part))))
            yield position, part

    def column(self, i):
        lower, upper = self.range[2 * i:2 * i + 2]
        return [lower + (upper - lower) * (x % 65536) / 65535 for x in self.series(7 * self.bodies + i)]


def rotate(q, p):
    w, u = q[0], q[1:]
    cross = lambda a, b: [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    c = [2 * x for x in cross(u, p)]
    return [p[i] + w * c[i] + d for i, d in enumerate(cross(u, c))]


def read_results(path):
    with open(path) as file:
        rows = list(csv.reader(file))
    names = [name.split(" [")[0] for name in rows[0]]
    return {name: [float(row[i]) for row in rows[1:]] for i, name in enumerate(names)}


def compare(model, duration):
    page, results = os.path.join(folder, model + ".html"), os.path.join(folder, model + ".csv")
    done = tool("run", f"models/{model}", "-d", str(duration), "--output-interval", "0.0166666666666666667", "-o", results, "--html", page,
                "-c", "positions,orientations,joints,energy,outputs", "-q")
    if not check(f"{model}: {done.stderr}", done.returncode == 0):
        return
    r, run = Recording(page), read_results(results)
    check(f"{model}: frames", r.frames in (len(run["t"]), len(run["t"]) - 1) and r.frames > 20 and r.bodies == len(r.scene["bodies"]))
    check(f"{model}: {r.size / r.frames / r.bodies:.2f} bytes per body and frame", r.size <= 3 * r.frames * r.bodies + 512)
    check(f"{model}: a precision of {r.length / r.scene['length']:g}", r.length <= r.scene["length"] / 512)
    worst = angle = 0
    for i, body in enumerate(r.scene["bodies"]):
        name = body["name"]
        for k, (p, q) in enumerate(r.poses(i)):
            centre = [a + b + c for a, b, c in zip(p, r.scene["centre"], rotate(q, body["centre"]))]
            true = [run[f"{name}.{c}"][k] for c in ("qw", "qx", "qy", "qz")]
            worst = max(worst, math.dist(centre, [run[f"{name}.{c}"][k] for c in "xyz"]) - 4 * r.rotation * math.hypot(*body["centre"]))
            angle = max(angle, 2 * math.sqrt(max(0, 2 - 2 * abs(sum(a * b for a, b in zip(q, true))))))
    check(f"{model}: positions differ by {worst / r.length:g} quanta", worst <= 0.9 * r.length)
    check(f"{model}: orientations differ by {angle:g} rad", angle <= 6 * r.rotation)
    for i, name in enumerate(r.columns["names"]):
        values = r.column(i)
        error = max(abs(a - b) for a, b in zip(values, run[name]))
        span = max(run[name]) - min(run[name])
        check(f"{model}: column {name} differs by {error:g}", error <= span / 500 + 1e-300)
    check(f"{model}: it moves", max(math.dist(p, r.origin[:3]) for p, _ in r.poses(0)) > 0 or r.bodies > 1)


def protect():
    page = os.path.join(folder, "door.html")
    done = tool("view", "models/door", "--html", page, "-d", "1")
    check(f"view --html: {done.stderr}", done.returncode == 0)
    text = open(page, encoding="utf-8").read()
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text)[1]
    check("policy with hashes", "default-src 'none'" in policy and "'sha256-" in policy and "unsafe" not in policy and "connect-src" not in policy)
    check("nothing is loaded", not re.search(r'(src|href)="(?!data:)', text))
    before = os.stat(page).st_mtime_ns
    check("an existing file is kept", tool("view", "models/door", "--html", page, "-d", "1").returncode != 0)
    check("it is not changed", os.stat(page).st_mtime_ns == before)
    check("--force replaces it", tool("view", "models/door", "--html", page, "-d", "1", "--force").returncode == 0)
    check("a folder that cannot be written", tool("view", "models/door", "--html", "/proc/none/door.html", "-d", "1").returncode != 0)
    check("no partial file is left", sorted(f for f in os.listdir(folder) if f.startswith((".", "door"))) == ["door.html"])
    big = os.path.join(folder, "big.html")
    done = tool("view", "models/ladder", "--html", big, "-d", "0.02", "--set", "no such=1")
    check("a wrong setting writes nothing", done.returncode != 0 and not os.path.exists(big))


def names():
    """Names from files cannot end an element of the page."""
    model, page = os.path.join(folder, "name.yaml"), os.path.join(folder, "name.html")
    with open("models/pendulum/pendulum.yaml") as file:
        text = file.read()
    with open(model, "w") as file:
        file.write(re.sub(r"^name:.*$", 'name: "</script><b>"', text, flags=re.M))
    done = tool("view", model, "--html", page, "-d", "1")
    check(f"name with markup: {done.stderr}", done.returncode == 0)
    check("it is escaped", done.returncode == 0 and "</script><b>" not in open(page).read() and Recording(page).scene["name"] == "</script><b>")


for model, duration in (("four_bar", 4), ("strandbeest", 2), ("stewart", 2), ("prosthetic_arm", 2), ("macpherson", 2), ("tractor", 1),
                        ("puma560", 2), ("parallelogram", 4)):
    compare(model, duration)
protect()
names()
end()
