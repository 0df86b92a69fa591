#!/bin/sh
# Names and texts of files are never executed as code and never printed as control characters: models, robots, studies,
# tasks, states, tables and file names with such characters are errors with their location. Printable characters that
# are special in other languages are accepted.
. "$(dirname "$0")/../support/tool.sh"

nl='
'
esc=$(printf '\033')
# no control characters but line ends, no bidirectional marks, and UTF-8
clean() { # NAME FILE...
    name=$1
    shift
    python "$name: control characters in $*" "$@" <<'END'
import sys, unicodedata
for file in sys.argv[1:]:
    for c in open(file, 'rb').read().decode('utf-8'):
        assert c == '\n' or unicodedata.category(c) not in ('Cc', 'Cf', 'Zl', 'Zp'), (file, c)
END
}
pendulum() { # NAME OF THE MODEL, as YAML
    cat <<END
cardan: 1
name: $1
bodies: {arm: {mass: 1, centre: [1, 0, 0]}}
joints: {hinge: {revolute: [ground, arm], at: [0, 0, 0], axis: y}}
END
}
# executed as code, this name creates the file `attacked`
payload='x\n#ifndef ATTACK\n#define ATTACK\n#include <stdlib.h>\n__attribute__((constructor)) static void attack(void) { if (system(\"touch attacked\")) abort(); }\n#endif\n//'

# a line break in the name of the model would end the comment in generated code, which a run compiles and loads
pendulum "\"$payload\"" >attack.yaml
for command in "run --generated always" "run" "check" "generate" "generate --language python" "generate --language octave" "expand" "draw" "accel" "modes"; do
    code "attack by $command" 1 cardan $command attack.yaml
    message "location, $command" model_invalid "attack.yaml:2:7: error" "U+000A" " 2"
    cat out err >>all
done
clean "attack" all
if [ -e attacked ]; then fail "the name of a model is executed as code"; else pass; fi
printf 'cardan: 1\nname: |\n  x\n  #error\nbodies: {arm: {mass: 1}}\n' >block.yaml
code "block" 1 cardan check block.yaml
message "block" model_invalid "block.yaml:2:7: error" "U+000A" " 2"

# a robot, its links and joints
robot() { # ROBOT LINK JOINT
    cat <<END
<robot name="$1">
  <link name="base"/>
  <link name="$2"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="$3" type="continuous"><parent link="base"/><child link="$2"/><axis xyz="0 1 0"/></joint>
</robot>
END
}
robot "x&#10;#error" arm hinge >r.urdf
robot r "a&#x9b;31m" hinge >l.urdf
robot r arm "a&#10;b" >j.urdf
robot r arm "a&#x202e;b" >m.urdf
for command in check run generate convert; do
    code "robot $command" 1 cardan $command r.urdf
    message "robot $command" model_invalid "r.urdf:1:1: error" "'x\\n#error'" "<robot>" "U+000A" " 2"
    clean "robot $command" out err
    code "joint $command" 1 cardan $command j.urdf
    message "joint $command" model_invalid "j.urdf:4:3: error" "'a\\nb'" "<joint>" "U+000A" " 2"
    lacks "joint $command" "[out_of_memory]" err
done
code "link" 1 cardan check l.urdf
message "link" model_invalid "l.urdf:3:3: error" "'a\\u009b31m'" "<link>" "U+009B" " 2"
clean "link" out err
code "mark" 1 cardan check m.urdf
message "mark" model_invalid "m.urdf:4:3: error" "'a\u202eb'" "U+202E" " 2"
clean "mark" out err
# names with quotes and $ cannot be written to model files
robot 'r "1" $a' arm "hinge&quot;1" | sed 's/"r "1" \$a"/"r \&quot;1\&quot; $a"/' >quotes.urdf
for command in expand convert; do
    code "quotes, $command" 1 cardan $command quotes.urdf
    message "quotes, $command" model_not_writable "'r \"1\" \$a'" "'hinge\"1'"
    lacks "quotes, $command" "[out_of_memory]" err
done
code "quotes" 0 cardan generate quotes.urdf -o quotes --force
clean "quotes" out err
code "quotes" 0 cardan run quotes.urdf --duration 0.1 --generated always --output quotes.csv --force

# names of other elements
refused() { # NAME CODE TEXT...: the model on standard input
    name_of=$1
    shift
    cat >n.yaml
    code "$name_of" 1 cardan check n.yaml
    message "$name_of" "$@"
    clean "$name_of" out err
}
refused "body" syntax_error "n.yaml:2:10: error" "U+001B" " 4" <<END
cardan: 1
bodies: {"arm\\e[31m": {mass: 1}}
END
refused "body" syntax_error "n.yaml:2:10: error" "U+000A" " 2" <<END
cardan: 1
bodies: {"a\\nb": {mass: 1}}
END
refused "mark" syntax_error "n.yaml:2:10: error" "U+202E" " 2" <<END
cardan: 1
bodies: {"a\\u202eb": {mass: 1}}
END
refused "raw mark" syntax_error "n.yaml:2:10: error" "U+202E" " 2" <<END
cardan: 1
bodies: {a$(printf '\342\200\256')b: {mass: 1}}
END
refused "C1" syntax_error "n.yaml:2:7: error" "U+009B" <<END
cardan: 1
name: "a\\x9b31m"
END
refused "zero" syntax_error "n.yaml:2:7: error" <<END
cardan: 1
name: "a\\0b"
END
refused "reference" syntax_error "n.yaml:3:37: error" "U+0007" <<END
cardan: 1
bodies: {arm: {mass: 1}}
joints: {hinge: {revolute: [ground, "arm\\a"], at: [0, 0, 0], axis: y}}
END
refused "unit" model_invalid "n.yaml:3:32: error" "'o'" "U+000A" " 2" <<END
cardan: 1
bodies: {arm: {mass: 1}}
outputs: {o: {value: =t, unit: "m\\n"}}
END
# all control characters, escaped in YAML
for b in 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f 10 11 12 13 14 15 16 17 18 19 1a 1b 1c 1d 1e 1f 7f 80 85 8f 90 9b 9f; do
    printf 'cardan: 1\nname: "a\\x%sb"\nbodies: {arm: {mass: 1}}\n' $b >c.yaml
    code "control character $b" 1 cardan check c.yaml
    case $b in 09 | 0a) invalid=model_invalid ;; *) invalid=syntax_error ;; esac
    message "control character $b" $invalid "c.yaml:2:7: error"
    cat err >>all
done
clean "control characters" all
# formulas and descriptions may have several lines
cat >lines.yaml <<END
cardan: 1
name: lines
description: |
  First line,
  second line.
bodies: {arm: {mass: 1, centre: [1, 0, 0]}}
joints: {hinge: {revolute: [ground, arm], at: [0, 0, 0], axis: y}}
outputs:
  o: |
    =q(hinge) +
      1
END
code "lines" 0 cardan check lines.yaml

# file names
mkdir files
pendulum plain | sed '/^name/d' >"files/a${nl}b.yaml"
code "file name" 1 cardan check "files/a${nl}b.yaml"
message "file name" model_invalid 'files/a\nb.yaml:1:1: error' "U+000A" " 2" "name:"
clean "file name" err
pendulum plain >"files/c${esc}[31m.yaml"
code "file name" 0 cardan check "files/c${esc}[31m.yaml"
clean "file name" out err
code "no file" 1 cardan check "files/${esc}[31mred${nl}cardan: done"
clean "no file" out err
code "no file" 1 cardan check "files/${esc}[31mred${nl}cardan: done" --json
clean "no file, JSON" out err
code "written" 0 cardan run "files/c${esc}[31m.yaml" --duration 0.1 --output "files/d${esc}[31m.csv"
clean "written" out err
code "command" 2 cardan "${esc}[31m"
clean "command" out err
code "option" 2 cardan run "--${esc}[31m"
clean "option" out err
code "set" 1 cardan check lines.yaml --set "a${nl}b=1"
clean "set" out err
code "formulation" 2 cardan run lines.yaml --formulation "x${esc}[31m"
clean "formulation" out err
code "plot" 1 cardan plot lines.yaml "--title=${esc}"
clean "plot" out err

# states, tables, studies and tasks
printf '{"joints": {"hinge\\u001b": {"q": [1]}}}\n' >state.json
pendulum plain >plain.yaml
code "state" 1 cardan accel plain.yaml --state state.json
message "state" syntax_error "state.json:1:13: error" "U+001B" " 6"
printf 't,"x\n#y"\n0,1\n1,2\n' >head.csv
code "table" 1 cardan plot head.csv
message "table" table_invalid "head.csv:1:3: error" " 2" "'x\\n#y'" "U+000A"
printf 't,x\033[31m\n0,1\n1,2\n' >head.csv
code "table" 1 cardan plot head.csv
clean "table" out err
printf 'cardan-study: 1\nname: "a\\nb"\nmodel: plain.yaml\nvary: {duration: [0.1, 0.2]}\ncollect: {e: energy.error}\n' >study.yaml
code "study" 1 cardan sweep study.yaml
message "study" study_invalid "U+000A" " 2"
clean "study" out err
printf 'task: "a\\nb"\nmodel: plain.yaml\nhorizon: 1\ncontrols: {hinge: {}}\n' >task.yaml
code "task" 1 cardan optimize task.yaml
message "task" task_invalid "task.yaml:1:7: error" "U+000A" " 2"

# printable characters are accepted, and are not interpreted in any language
cat >special.yaml <<'END'
cardan: 1
name: "a */ ??/ \\ 'b' <c> & $(touch attacked) `x` %s {d} | # e ??"
bodies:
  "arm */ ??/ \\": {mass: 1, centre: [1, 0, 0], inertia: [0.1, 0.1, 0.1]}
  "</text><script>": {mass: 1, centre: [2, 0, 0], inertia: [0.1, 0.1, 0.1]}
joints:
  "-h, '1'; ??/": {revolute: [ground, "arm */ ??/ \\"], at: [0, 0, 0], axis: y}
  "@cmd|x\\": {revolute: ["arm */ ??/ \\", "</text><script>"], at: [1, 0, 0], axis: y}
states:
  s: {rate: "=v('@cmd|x\\')"}
outputs:
  "+o, 'x'": {value: "=q('@cmd|x\\')", unit: "m</title>, %s"}
run: {duration: 0.2, output: 0.01}
END
code "special run" 0 cardan run special.yaml --generated always --output s.csv --force
clean "special run" out err s.csv s.svg
code "special JSON" 0 cardan run special.yaml --json --output s2.csv --force
python "special JSON" out s.csv s.svg s.manifest.json <<'END'
import csv, json, sys, xml.etree.ElementTree as tree
report = json.load(open(sys.argv[1]))
rows = list(csv.reader(open(sys.argv[2], newline=''), strict=True))
assert all(len(row) == len(rows[0]) for row in rows)
assert "'+o, 'x' [m</title>, %s]" in rows[0], rows[0]
assert not any(cell[:1] in '=+-@' for cell in rows[0])
tree.parse(sys.argv[3])
name = "a */ ??/ \\ 'b' <c> & $(touch attacked) `x` %s {d} | # e ??"
assert json.load(open(sys.argv[4]))['model']['name'] == name
END
code "special plot" 0 cardan plot s.csv --columns "*x*" --output again.svg --force
code "special drawing" 0 cardan draw special.yaml --output draw.svg --force
python "special drawing" draw.svg again.svg <<'END'
import sys, xml.etree.ElementTree as tree
for file in sys.argv[1:]:
    assert not list(tree.parse(file).iter('{http://www.w3.org/2000/svg}script'))
END
code "special linear model" 0 cardan linearize special.yaml --output l.csv --force
python "special linear model" l-A.csv <<'END'
import csv, sys
rows = list(csv.reader(open(sys.argv[1], newline=''), strict=True))
assert all(len(row) == len(rows[0]) for row in rows) and not any(cell[:1] in '=+-@' for cell in rows[0]), rows[0]
END
code "special code" 0 cardan generate special.yaml -o code --force --quiet
for options in "-std=c17" "-std=gnu17 -trigraphs" "-std=gnu17"; do
    code "special code $options" 0 sh -c "cd code && \${CC:-cc} $options -Wall -Wextra -Werror -O1 -DSELFTEST -o special *.c -lm && ./special"
done
code "special code, Python" 0 cardan generate special.yaml --language python -o code --force --quiet
code "special code, Python" 0 sh -c 'python3 -m py_compile code/*.py'
code "special expanded" 0 cardan expand special.yaml --output special2.yaml
code "special expanded" 0 cardan expand special2.yaml --output special3.yaml
code "special expanded" 0 cmp special2.yaml special3.yaml
if [ -e attacked ]; then fail "a name is executed as code"; else pass; fi
ends
