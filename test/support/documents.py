# SPDX-License-Identifier: BSD-3-Clause
"""Runs the commands of documents for check_docs.sh; `documents.py --update PAGE ...` writes outputs into the page.

Each page has a separate folder, and its fenced blocks are processed in order:

    ```yaml file=NAME       written to NAME (any language; `add=NAME` is appended)
    ```sh                   run, must succeed
    ```sh once              not run (installs or builds); its programs must exist
    ```console              lines `$ command` are run, the lines below are the expected output
    ```text                 prose

In expected output `...` stands for any text within a line (numbers that depend on the machine), and a line `...` for
any number of lines; runs of blanks are equal. `# exit code N` after a command is its expected exit code. Names in
`code` of prose, and indented commands, must exist: targets of make, commands of the tool and their options, programs
of bench, items of papers, variables of CMake, files of the repository; their numbers are not checked. A picture of a
page must be made by a command of the page, under the same name, and be equal to that of the repository.
"""
import functools
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e[-+]?\d+)?")

# Values that depend on the machine, when outputs are written into a page.
MASKS = [
    (r"in [\d,]+ steps", "in ... steps"),
    (r"\), [\d.e+-]+ s$", "), ... s"),
    (r"(energy error|relative residual) [\d.e+-]+", r"\1 ..."),
    (r"^(  [a-z-]+ +)[\de.-]+ +[\d.e+]+ (?=( +[\d,]+){5}$)", r"\1  ...   ... "),
    (r"-?\d(?:\.\d+)?e-[1-9]\d\b", "..."),
    (r"(\d\.\d{5})\d{5,}", r"\1..."),
]


class Page:
    def __init__(self, path, folder, update):
        self.path, self.folder, self.update = path, folder, update
        self.name = str(path.relative_to(ROOT))
        self.passed = self.failed = 0

    def expect(self, good, line, message):
        if good:
            self.passed += 1
        else:
            self.failed += 1
            print(f"{self.name}:{line}: {message}")
        return good

    def blocks(self):
        """(line, info, lines, position in self.lines) of every fenced block."""
        self.lines = self.path.read_text().split("\n")
        start = None
        for i, text in enumerate(self.lines):
            if text.startswith("```"):
                if start is None:
                    start = i
                else:
                    yield start + 1, self.lines[start][3:].split(), self.lines[start + 1:i]
                    start = None
        self.expect(start is None, (start or 0) + 1, "block without end")

    def run(self):
        self.output = []
        replaced = {}
        for line, info, body in self.blocks():
            kind, what = (info[0] if info else ""), dict(w.split("=", 1) for w in info[1:] if "=" in w)
            if "file" in what or "add" in what:
                with open(self.folder / what.get("file", what.get("add")), "w" if "file" in what else "a") as f:
                    f.write("\n".join(body) + "\n")
                self.expect(True, line, "")
            elif kind == "console":
                replaced[line] = self.console(line, body)
            elif kind == "sh" and "once" in info:
                self.once(line, body)
            elif kind == "sh":
                code, out = self.shell("set -e\n" + "\n".join(body))
                self.expect(code == 0, line, f"exit code {code}:\n{out}")
            else:
                self.expect(kind == "text", line, f"a block '{' '.join(info)}' that is not tested")
        if self.update:
            self.rewrite(replaced)
        self.pictures()
        self.links()
        self.mentions()

    def shell(self, command):
        done = subprocess.run(["bash", "-c", command], cwd=self.folder, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300)
        return done.returncode, done.stdout

    def console(self, line, body):
        """The block with its actual output."""
        i, result = 0, []
        self.expect(body and body[0].startswith("$ "), line, "a console block must begin with $ and a command")
        while i < len(body):
            end = i + 1
            while end < len(body) and not body[end].startswith("$ "):
                end += 1
            expected = body[i + 1:end]
            wanted = re.search(r"# exit code (\d+)$", body[i])
            code, out = self.shell(body[i][2:])
            actual = out.rstrip("\n").split("\n") if out.strip("\n") else []
            at = line + 1 + i
            good = same_text(expected, actual)
            difference = f"{body[i]}\nshould print\n" + indent(expected) + "\nbut prints\n" + indent(actual)
            if self.expect(good, at, difference) or not self.update:
                result += body[i:end]
            else:
                result += [body[i]] + [mask(text) for text in actual]
            self.expect(code == (int(wanted[1]) if wanted else 0), at, f"{body[i]}\nends with {code}:\n{out[-2000:]}")
            i = end
        return result

    def once(self, line, body):
        for command in (b.split("#")[0].split() for b in body if b.split("#")[0].strip()):
            if command[0] == "make":
                good = subprocess.run(["make", "-C", ROOT, "-n"] + command[1:], capture_output=True).returncode == 0
            elif command[0].startswith("./") or "/" in command[0]:
                good = (ROOT / command[0]).exists() or (self.folder / command[0]).exists()
            else:
                good = shutil.which(command[0]) is not None
            self.expect(good, line, f"there is no {' '.join(command)}")

    def pictures(self):
        for i, text in enumerate(self.lines):
            for target in re.findall(r"!\[[^]]*\]\(([^)]+)\)", text):
                if "/bench/measured/" in target or target.endswith(".png"):
                    continue  # depends on the machine, or a screenshot: links() checks that it exists
                shown, made = (self.path.parent / target).resolve(), list(self.folder.rglob(pathlib.Path(target).name))
                if not self.expect(len(made) == 1, i + 1, f"{len(made)} commands of this page make {target}"):
                    continue
                if self.update:
                    shown.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copy(made[0], shown)
                self.expect(shown.exists() and same_picture(shown.read_text(), made[0].read_text()), i + 1,
                          f"{target} is not what the command of this page draws")

    def links(self):
        for i, text in enumerate(self.lines):
            for target in re.findall(r"\]\(([^)#]+)[^)]*\)", text):
                if not re.match(r"[a-z]+:", target):
                    self.expect((self.path.parent / target).exists(), i + 1, f"there is no {target}")

    def mentions(self):
        inside = False
        for i, text in enumerate(self.lines):
            if text.startswith("```"):
                inside = not inside
            elif not inside:
                indented = re.match(r"    (make|cardan) ", text)
                for words in [text] if indented else re.findall(r"(?<!`)`([^`]+)`(?!`)", text):
                    for name in missing(words.split()):
                        self.expect(False, i + 1, f"`{words.strip()}`: there is no {name}")
                    self.passed += 1

    def rewrite(self, replaced):
        lines, out, i = self.lines, [], 0
        while i < len(lines):
            out.append(lines[i])
            if i + 1 in replaced and lines[i].startswith("```"):
                out += replaced[i + 1]
                while not lines[i + 1].startswith("```"):
                    i += 1
            i += 1
        self.lines = out
        self.path.write_text("\n".join(out))


def read(name):
    return (ROOT / name).read_text()


@functools.lru_cache(None)
def help_of(command):
    done = subprocess.run(["cardan", command, "--help"], capture_output=True, text=True)
    return done.stdout if done.returncode == 0 else ""


def missing(words):
    """Names of a mention that do not exist."""
    while words and re.fullmatch(r"[A-Z_]+=\S*", words[0]):
        words = words[1:]
    if len(words) > 1 and words[0] == "make":
        if subprocess.run(["make", "-C", ROOT, "-n"] + words[1:], capture_output=True).returncode != 0:
            yield " ".join(words)
    elif len(words) > 1 and words[0] == "cardan" and re.fullmatch(r"[a-z]+", words[1]):
        about = help_of(words[1])
        if not about:
            yield f"command {words[1]}"
        for word in words[2:]:
            name = re.match(r"--?[a-z][a-z-]*", word)
            if about and name and not re.search(rf"(?<![\w-]){re.escape(name[0])}(?![\w-])", about):
                yield f"option {name[0]} of cardan {words[1]}"
    elif words and re.fullmatch(r"bench_[a-z]+", words[0]):
        if not list((ROOT / "bench").glob(f"{words[0]}.c*")) and not list((ROOT / "bench").glob(f"{words[0][6:]}.c*")):
            yield f"program {words[0]}"
    elif words and re.fullmatch(r"-DCARDAN_[A-Z_]+=\w+", words[0]):
        if words[0][2:].split("=")[0] not in read("CMakeLists.txt"):
            yield f"variable {words[0][2:]}"
    elif len(words) == 1 and re.fullmatch(r"\d{3}_[a-z]+\d*", words[0]):
        if not re.search(rf"^{words[0]}\b", read("papers/items"), re.M):
            yield f"item {words[0]}"
    for word in words:
        path = re.fullmatch(r"(bench|cmake|docs|examples|include|models|papers|scripts|src|test)/[a-z][\w./-]*", word)
        if path and not (ROOT / word).exists():
            if not re.match(r"bench/results|docs/.*\.svg", word):
                yield word


def mask(text):
    for pattern, replacement in MASKS:
        text = re.sub(pattern, replacement, text)
    return text


def indent(lines):
    return "\n".join("    " + text for text in lines)


def same_line(expected, actual):
    """`...` stands for any text; the first match of every part is taken, which is linear in time."""
    parts, actual = [squeeze(part) for part in squeeze(expected).split("...")], squeeze(actual)
    if len(parts) == 1:
        return parts[0] == actual
    if not actual.startswith(parts[0]) or not actual.endswith(parts[-1]):
        return False
    at, end = len(parts[0]), len(actual) - len(parts[-1])
    for part in parts[1:-1]:
        at = actual.find(part, at + 1)
        if at < 0 or at + len(part) > end:
            return False
        at += len(part)
    return at < end


def same_text(expected, actual):
    """Compares line by line; a line `...` stands for any number of lines."""
    e = a = 0
    star = None
    while a < len(actual):
        if e < len(expected) and expected[e].strip() == "...":
            star, e = (e + 1, a), e + 1
        elif e < len(expected) and same_line(expected[e], actual[a]):
            e, a = e + 1, a + 1
        elif star:
            star = (star[0], star[1] + 1)
            e, a = star
        else:
            return False
    return all(text.strip() == "..." for text in expected[e:])


def squeeze(text):
    return re.sub(r"\s+", " ", text).strip()


def same_picture(a, b):
    """Equal elements; numbers differ by at most a tenth of a pixel."""
    if NUMBER.sub("#", a) != NUMBER.sub("#", b):
        return False
    return all(abs(float(x) - float(y)) <= 0.1 for x, y in zip(NUMBER.findall(a), NUMBER.findall(b)))


def main():
    arguments = sys.argv[1:]
    update = "--update" in arguments
    scratch = pathlib.Path(arguments[0])
    passed = failed = 0
    for name in (a for a in arguments[1:] if a != "--update"):
        folder = scratch / "pages" / name.replace("/", "-")
        folder.mkdir(parents=True)
        links = (("models", ROOT / "models"), ("examples", ROOT / "examples"), ("build", scratch / "prefix" / "bin"))
        for link, target in links:
            (folder / link).symlink_to(target)
        page = Page(ROOT / name, folder, update)
        page.run()
        passed, failed = passed + page.passed, failed + page.failed
    print(f"{passed} passed, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
