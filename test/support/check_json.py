# Looks at a JSON file: look.py FILE EXPRESSION is true where the expression over d, its content, is.
# Other words for expressions: keys(x) the sorted keys, near(a, b, tolerance), text the file as it is.
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
