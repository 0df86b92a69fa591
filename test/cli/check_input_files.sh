#!/bin/sh
# Input files that cannot be read completely: pipes without writer, devices, files that are too large. Every command
# ends with a message and does not wait. Further: empty formulas, bound of elements, names that are too long or
# invisible.
. "$(dirname "$0")/../support/tool.sh"
cat >rod.yaml <<'END'
cardan: 1
parameters: {a: 2, b: =a + 1}
bodies: {bar: {rod: [[0, 0, 0], [1, 0, 0]], mass: =b}}
joints: {hinge: {revolute: [ground, bar], at: [0, 0, 0], axis: y}}
run: {duration: 0.1}
END
refused() { name=$1; shift; code "$name" 1 timeout 60 "$@"; }

mkfifo pipe pipe.yaml pipe.urdf
ln -s /dev/zero zero.yaml
ln -s /dev/zero zero.urdf
truncate -s 70000000 large.yaml
for command in run check accel optimize sweep; do
    refused "$command of a pipe" cardan "$command" pipe.yaml
    message "$command of a pipe" file_not_readable "pipe.yaml: error"
    refused "$command of a device" cardan "$command" zero.yaml
    message "$command of a device" file_not_readable "zero.yaml: error"
    refused "$command of a large file" cardan "$command" large.yaml
    message "$command of a large file" file_not_readable "large.yaml: error" "64 MB"
done
refused "a URDF pipe" cardan check pipe.urdf
message "a URDF pipe" file_not_readable "pipe.urdf: error"
refused "a URDF device" cardan check zero.urdf
message "a URDF device" file_not_readable "zero.urdf: error"
for file in pipe /dev/zero large.yaml; do
    refused "--state $file" cardan run rod.yaml --state "$file"
    refused "plot $file" cardan plot "$file"
    refused "--motion $file" cardan inverse rod.yaml --motion "$file"
done
message "--motion large.yaml" file_not_readable "large.yaml: error" "64 MB"
printf 'cardan: 1\nbodies: {b: {mass: 1}}\ninclude: [rod.yaml,\n  pipe]\n' >outer.yaml
refused "a pipe is included" cardan check outer.yaml
message "a pipe is included" file_not_readable "outer.yaml:4:3: error" "'pipe'"
printf 'cardan: 1\ntables: {f: {csv: pipe}}\noutputs: {o: =f(t)}\n' >table.yaml
refused "a pipe as table" cardan check table.yaml
message "a pipe as table" model_invalid "table.yaml:2:19: error" "'f'" "'pipe'"
printf 'study: 1\nmodel: pipe.yaml\nvary: {a: [1, 2]}\ncollect: {s: steps}\n' >study.yaml
refused "a study of a pipe" cardan sweep study.yaml
message "a study of a pipe" study_invalid "study.yaml:2:8: error" "'pipe.yaml'"

# standard input has the same bound
cardan accel rod.yaml --json 2>err | cardan inverse rod.yaml --state - --json >out 2>err && pass || fail "a state from a pipe"
cardan accel rod.yaml --json >state.json 2>err && cardan inverse rod.yaml --state - --json <state.json >out 2>err && pass || fail "a state from a file"
head -c 70000000 /dev/zero | timeout 60 cardan run rod.yaml --state - >out 2>err
code "exit code, too much on standard input" 1 sh -c "exit $?"
head -c 70000000 /dev/zero | timeout 60 cardan run rod.yaml --state - >out 2>err
message "too much on standard input" file_not_readable "standard input: error" "64 MB"

# formulas of --set that are empty
for value in 'a==' 'a= ' 'b=='; do
    refused "--set $value" cardan check rod.yaml --set "$value"
    message "--set $value" model_invalid "rod.yaml:2:" "'${value%%=*}'"
done

# templates that use each other twice: the elements are bounded
python3 - >bomb.yaml <<'END'
depth = 38
print('cardan: 1\ntemplates:')
for i in range(depth): print(f'  t{i}: {{use: {{a: {{t{i + 1}: {{}}}}, b: {{t{i + 1}: {{}}}}}}}}')
print(f'  t{depth}: {{bodies: {{x: {{mass: 1}}}}}}\nuse: {{r: {{t0: {{}}}}}}')
END
refused "templates that use templates" cardan check bomb.yaml
message "templates that use templates" model_invalid "bomb.yaml:40:32: error" " 5000000"

# names that are too long or contain invisible characters
python3 -c "print('cardan: 1\nname: ' + 'n' * 300 + '\nbodies: {b: {mass: 1}}')" >long.yaml
refused "a long name" cardan check long.yaml
message "a long name" model_invalid "long.yaml:2:7: error" " 300" " 256"
for character in 200B AD 2060 E000; do
    python3 -c "print('cardan: 1\nbodies: {\"a' + chr(0x$character) + '\": {mass: 1}}')" >invisible.yaml
    refused "U+$character in a name" cardan check invisible.yaml
    message "U+$character in a name" syntax_error "invisible.yaml:2:10: error" "U+" "$character"
done
ends
