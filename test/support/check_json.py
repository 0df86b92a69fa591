# check_json.py FILE EXPRESSION: exit code 0 if the Python expression is true. In the expression d is the content of the
# JSON file and text its characters; keys(x): sorted keys; near(a, b, tolerance): relative comparison of nested numbers;
# load(path): content of another JSON file.
import json, math, sys

text = open(sys.argv[1]).read()
d = json.loads(text)


def keys(x):
    return sorted(x)


def near(a, b, tolerance=1e-9):
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(near(x, y, tolerance) for x, y in zip(a, b))
    if isinstance(a, dict):
        return sorted(a) == sorted(b) and all(near(a[k], b[k], tolerance) for k in a)
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        return abs(a - b) <= tolerance * max(1, abs(b))
    return a == b


def load(path):
    return json.load(open(path))


if not eval(" ".join(sys.argv[2:])):
    print("not true:", sys.argv[2:], "of", text[:2000])
    sys.exit(1)
