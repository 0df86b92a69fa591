#!/bin/sh
# Files that cannot be read to an end: pipes without a writer, devices, files that are too large. Every command refuses them with a sentence,
# and none waits.
. "$(dirname "$0")/../support/tool.sh"
cat >rod.yaml <<'END'
cardan: 1
parameters: {a: 2, b: =a + 1}
bodies: {bar: {rod: [[0, 0, 0], [1, 0, 0]], mass: =b}}
joints: {hinge: {revolute: [ground, bar], at: [0, 0, 0], axis: y}}
run: {duration: 0.1}
END
tried() { name=$1; shift; code "$name" 1 timeout 60 "$@"; }

mkfifo pipe pipe.yaml pipe.urdf
ln -s /dev/zero zero.yaml
ln -s /dev/zero zero.urdf
truncate -s 70000000 large.yaml
for command in run check accel optimize sweep; do
    tried "$command of a pipe" cardan "$command" pipe.yaml
    says "$command of a pipe" "is a pipe; only regular files are read" err
    tried "$command of a device" cardan "$command" zero.yaml
    says "$command of a device" "is a device; only regular files are read" err
    tried "$command of a large file" cardan "$command" large.yaml
    says "$command of a large file" "is larger than 64 MB, the most that is read" err
done
tried "a URDF pipe" cardan check pipe.urdf
says "a URDF pipe" "pipe.urdf: error: is a pipe" err
tried "a URDF device" cardan check zero.urdf
says "a URDF device" "zero.urdf: error: is a device" err
for file in pipe /dev/zero large.yaml; do
    tried "--state $file" cardan run rod.yaml --state "$file"
    tried "plot $file" cardan plot "$file"
    tried "--motion $file" cardan inverse rod.yaml --motion "$file"
done
says "the last sentence" "is larger than 64 MB" err
printf 'cardan: 1\nbodies: {b: {mass: 1}}\ninclude: [rod.yaml,\n  pipe]\n' >outer.yaml
tried "a pipe is included" cardan check outer.yaml
says "a pipe is included" "outer.yaml:4:3: error: the file 'pipe' is a pipe; only regular files are read" err
printf 'cardan: 1\ntables: {f: {csv: pipe}}\noutputs: {o: =f(t)}\n' >table.yaml
tried "a pipe as table" cardan check table.yaml
says "a pipe as table" "table.yaml:2:19: error: table 'f': the file 'pipe' is a pipe" err
printf 'study: 1\nmodel: pipe.yaml\nvary: {a: [1, 2]}\ncollect: {s: steps}\n' >study.yaml
tried "a study of a pipe" cardan sweep study.yaml
says "a study of a pipe" "pipe" err

# standard input is documented, and has the same bound
cardan accel rod.yaml --json 2>err | cardan inverse rod.yaml --state - --json >out 2>err && pass || fail "a state from a pipe"
cardan accel rod.yaml --json >state.json 2>err && cardan inverse rod.yaml --state - --json <state.json >out 2>err && pass || fail "a state from a file"
head -c 70000000 /dev/zero | timeout 60 cardan run rod.yaml --state - >out 2>err
code "the exit code of it" 1 sh -c "exit $?"
head -c 70000000 /dev/zero | timeout 60 cardan run rod.yaml --state - >out 2>err
says "too much on standard input" "standard input: error: is larger than 64 MB" err

# formulas of --set that are empty
for value in 'a==' 'a= ' 'b=='; do
    tried "--set $value" cardan check rod.yaml --set "$value"
    says "--set $value" "the formula is empty" err
done

# templates that use each other twice: the elements are bounded
python3 - >bomb.yaml <<'END'
depth = 38
print('cardan: 1\ntemplates:')
for i in range(depth): print(f'  t{i}: {{use: {{a: {{t{i + 1}: {{}}}}, b: {{t{i + 1}: {{}}}}}}}}')
print(f'  t{depth}: {{bodies: {{x: {{mass: 1}}}}}}\nuse: {{r: {{t0: {{}}}}}}')
END
tried "templates that use templates" cardan check bomb.yaml
says "templates that use templates" "more than 5000000 elements" err

# names that are too long, or hold characters that cannot be seen
python3 -c "print('cardan: 1\nname: ' + 'n' * 300 + '\nbodies: {b: {mass: 1}}')" >long.yaml
tried "a long name" cardan check long.yaml
says "a long name" "long.yaml:2:7: error: this name holds 300 bytes, more than 256" err
for character in 200B AD 2060 E000; do
    python3 -c "print('cardan: 1\nbodies: {\"a' + chr(0x$character) + '\": {mass: 1}}')" >unseen.yaml
    tried "U+$character in a name" cardan check unseen.yaml
    says "U+$character in a name" "the invisible character U+" err
done
ends
