"""Client of the viewer for tests: WebSocket (RFC 6455) and the messages of docs/view-protocol.md, standard library only."""
import base64, json, os, re, select, signal, socket, struct, subprocess, time

LEAKS = f"suppressions={os.path.join(os.path.dirname(os.path.abspath(__file__)), 'leaks_of_libraries.txt')}:print_suppressions=0"
TOOL = os.path.join(os.environ.get("CARDAN_BUILD", "build"), "cardan")


class Viewer:
    """A running `cardan view`."""

    def __init__(self, model, *options):
        self.process = subprocess.Popen([TOOL, "view", model, "--no-open", "--json", *options], stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True, env={**os.environ, "LSAN_OPTIONS": LEAKS})
        text = ""
        while not text.rstrip().endswith("}"):
            line = self.process.stdout.readline()
            if not line:
                raise RuntimeError(self.process.stderr.read())
            text += line
        match = re.search(r"http://127\.0\.0\.1:(\d+)/#k=([0-9a-f]{32})", text)
        self.port, self.token = int(match[1]), match[2]

    def close(self):
        self.process.send_signal(signal.SIGINT)
        output, errors = self.process.communicate(timeout=10)
        return self.process.returncode, errors


def http(port, path="/", host=None, method="GET"):
    """Status and headers of a request."""
    with socket.create_connection(("127.0.0.1", port), 3) as s:
        host = host or f"127.0.0.1:{port}"
        s.sendall(f"{method} {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())
        data = b""
        while part := s.recv(65536):
            data += part
    head, _, body = data.partition(b"\r\n\r\n")
    return int(head.split()[1]) if head else 0, head.decode().lower(), body


class Socket:
    """A WebSocket; `status` is that of the handshake, `closed` the code with which the server closed it."""

    def __init__(self, port, origin=None, host=None, token=None):
        self.socket = socket.create_connection(("127.0.0.1", port), 3)
        self.buffer, self.closed = b"", None
        self.last = {}  # newest text of each type
        origin = f"http://127.0.0.1:{port}" if origin is None else origin
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall((f"GET / HTTP/1.1\r\nHost: {host or f'127.0.0.1:{port}'}\r\nUpgrade: websocket\r\n"
                             f"Connection: Upgrade\r\nSec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n"
                             f"Sec-WebSocket-Protocol: cardan.1\r\nOrigin: {origin}\r\n\r\n").encode())
        while b"\r\n\r\n" not in self.buffer:
            part = self.socket.recv(4096)
            if not part:
                break
            self.buffer += part
        head, _, self.buffer = self.buffer.partition(b"\r\n\r\n")
        self.status = int(head.split()[1]) if head else 0
        if token:
            self.text(type="token", token=token)

    def send(self, opcode, data, final=True):
        mask = os.urandom(4)
        n = len(data)
        size = bytes([0x80 | n]) if n < 126 else bytes([0x80 | 126]) + struct.pack(">H", n) if n < 65536 \
            else bytes([0x80 | 127]) + struct.pack(">Q", n)
        masked = bytes(b ^ mask[i % 4] for i, b in enumerate(data))
        try:
            self.socket.sendall(bytes([(0x80 if final else 0) | opcode]) + size + mask + masked)
        except OSError:
            self.closed = self.closed or 1006

    def text(self, **message):
        self.send(1, json.dumps(message).encode())

    def grab(self, body, number, point, target, slot=0):
        self.send(2, struct.pack("<BBHI6f", 16, slot, body, number, *point, *target))

    def receive(self, timeout=2):
        """Next message: a dictionary, bytes, or None."""
        end = time.monotonic() + timeout
        while self.closed is None:
            message = self._parse()
            if message is not None:
                return message
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.socket], [], [], left)[0]:
                return None
            try:
                part = self.socket.recv(1 << 20)
            except OSError:
                part = b""
            if not part:
                self.closed = self.closed or 1006
            self.buffer += part
        return None

    def _parse(self):
        b = self.buffer
        if len(b) < 2:
            return None
        n, at = b[1] & 127, 2
        if n == 126:
            n, at = struct.unpack(">H", b[2:4])[0] if len(b) >= 4 else 1 << 40, 4
        elif n == 127:
            n, at = struct.unpack(">Q", b[2:10])[0] if len(b) >= 10 else 1 << 40, 10
        if len(b) < at + n:
            return None
        data, self.buffer = b[at:at + n], b[at + n:]
        opcode = b[0] & 15
        if not b[0] & 0x80 or opcode == 0:  # parts of a message
            self.parts = (data if opcode else self.parts + data)
            self.kind = opcode or self.kind
            if not b[0] & 0x80:
                return self._parse()
            data, opcode = self.parts, self.kind
        if opcode == 8:
            self.closed = struct.unpack(">H", data[:2])[0] if len(data) >= 2 else 1005
            return None
        return json.loads(data) if opcode == 1 else data if opcode == 2 else self._parse()

    def wait(self, kind, timeout=3, test=lambda m: True):
        """Next message of a type ("frame": a frame) that passes a test; others are dropped."""
        end = time.monotonic() + timeout
        while (left := end - time.monotonic()) > 0:
            m = self.receive(left)
            if m is None:
                return None
            if kind == "frame" and isinstance(m, bytes):
                m = Frame(m, self.scene)
                if test(m):
                    return m
            elif isinstance(m, dict):
                self.last[m["type"]] = m
                if m["type"] == "scene":
                    self.scene = m
                if m["type"] == kind and test(m):
                    return m
        return None


class Frame:
    def __init__(self, data, scene):
        _, self.flags, self.scene, self.number, self.grab, self.force, self.t, self.position_violation, \
            self.velocity_violation, self.singular, self.rate = struct.unpack_from("<BBHIIfdffff", data)
        n = len(scene["bodies"])
        numbers = struct.unpack_from(f"<{7 * n}f", data, 40)
        self.pose = [numbers[7 * i:7 * i + 7] for i in range(n)]
        self.rest = data[40 + 28 * n:]
        self.ghost = None
        if self.flags & 16:
            numbers = struct.unpack(f"<{7 * n}f", data[len(data) - 28 * n:])
            self.ghost = [numbers[7 * i:7 * i + 7] for i in range(n)]
        self.centre = scene["centre"]

    def coordinates(self, count):
        return struct.unpack_from(f"<{count}f", self.rest)

    def point(self, body, p):
        """Point of a body in the world, relative to the centre of the scene."""
        x = self.pose[body]
        w, u = x[3], x[4:7]
        cross = lambda a, b: [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
        c = [2 * v for v in cross(u, p)]
        d = cross(u, c)
        return [x[i] + p[i] + w * c[i] + d[i] for i in range(3)]


def enter(viewer):
    """Socket of a client with its scene and first frame."""
    s = Socket(viewer.port, token=viewer.token)
    s.hello = s.wait("hello")
    s.wait("scene")
    s.first = s.wait("frame")
    return s
