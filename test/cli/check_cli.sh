#!/bin/sh
# Every command of the tool: exit codes, options, files, reports in words and as JSON, messages of wrong usage. Numbers
# of a rod that is hinged at one end are compared with closed forms.
. "$(dirname "$0")/../support/tool.sh"

# A slender rod of length l and mass m, hinged at one end, horizontal, without velocity: angular acceleration 3 g/(2 l),
# reaction m g/4 of the hinge; the static holding torque is m g l/2.
cat >rod.yaml <<'END'
cardan: 1
name: rod
gravity: [0, 0, -9.81]
parameters: {l: 2, m: 3}
bodies:
  bar: {rod: [[0, 0, 0], [=l, 0, 0]], mass: =m}
joints:
  hinge: {revolute: [ground, bar], at: [0, 0, 0], axis: y}
outputs:
  tip: {value: "=z(bar) + 0*t", unit: m}
run: {duration: 2, output: 0.05}
END
cat >two.yaml <<'END'
cardan: 1
name: two arms
bodies:
  upper: {rod: [[0, 0, 0], [1, 0, 0]], mass: 1}
  lower: {rod: [[1, 0, 0], [1.5, 0, 0]], mass: 0.5}
  badge: {mass: 0.1, at: [1.5, 0, 0], inertia: [0.001, 0.001, 0.001]}
  ball:  {sphere: 0.1, at: [3, 0, 0], mass: 1}
joints:
  shoulder: {revolute: [ground, upper], at: [0, 0, 0], axis: y, start: {q: 0.3, v: -0.2}, damping: 0.1}
  elbow: {spherical: [upper, lower], at: [1, 0, 0], start: {v: [0.5, 0.4, -0.3]}}
  glue: {fixed: [lower, badge]}
states:
  filter: {start: 0.5, rate: "=q(shoulder) - filter"}
run: {duration: 1}
END
cat >lost.yaml <<'END'
cardan: 1
bodies:
  arm: {rod: [[0, 0, 0], [1, 0, 0]], mass: 1}
  tip: {mass: 0, at: [1, 0, 0]}
joints:
  hinge: {revolute: [ground, arm], at: [0, 0, 0], axis: z}
  lost:  {revolute: [arm, tip], at: [1, 0, 0], axis: z}
END

# ---- help and usage
code "overview" 0 cardan help
says "overview" "cardan run pendulum.yaml"
code "no command" 2 cardan
code "--help" 0 cardan --help
code "--version" 0 cardan --version
code "commands" 0 cardan list commands --json
cp out commands.json
names=$(sed -n 's/^COMMAND(\(.*\))$/\1/p' "$root/src/cli/commands/commands.def" | tr '\n' ' ')
true_of "all commands" commands.json "[c['name'] for c in d['commands']] == '$names'.split()"
for command in $names; do
    code "$command --help" 0 cardan "$command" --help
    says "$command --help" "usage: cardan $command"
    if [ "$(grep -c "^  cardan $command\( \|$\)" out)" -ge 1 ]; then pass; else fail "$command --help has no example"; fi
    says "$command --help" "-h, --help"
    cp out long
    code "help $command" 0 cardan help "$command"
    if cmp -s out long; then pass; else fail "help $command is not $command --help"; fi
    code "$command --unknown" 2 cardan "$command" --no-such-option
done
code "units and columns of run --help" 0 cardan run --help
line "unit and default of --duration" "-d, --duration SECONDS" "[s]" " 10"
line "patterns of --columns" "'hand.*', '*.q', 'energy.total'"
code "unknown command" 2 cardan runn rod.yaml
message "suggestion" unknown_command "'runn'" "'run'"
code "unknown help" 2 cardan help chek
message "suggestion" unknown_name "'chek'" "'check'"
code "unknown option" 2 cardan run rod.yaml --durration 3
message "suggestion" usage "'--durration'" "'--duration'"
code "option of another command" 2 cardan check rod.yaml --integrator rk4
message "which has it" usage "'--integrator'" "cardan run"
code "no value" 2 cardan run rod.yaml --duration
message "no value" usage "'--duration'" SECONDS
code "no number" 2 cardan run rod.yaml --duration long
message "no number" usage "--duration" "'long'"
code "not positive" 2 cardan run rod.yaml -d -1
message "not positive" usage "--duration" "-1"
code "value of a flag" 2 cardan run rod.yaml --json=1
message "value of a flag" usage "'--json'"
code "no model" 2 cardan run
message "no model" usage MODEL
code "too many" 2 cardan check rod.yaml two.yaml
message "too many" usage "'two.yaml'"
code "unknown formulation" 2 cardan accel rod.yaml --formulation ordern
message "unknown formulation" unknown_name "'ordern'" "'order-n'"
code "compliant joint" 1 cardan accel "$root/models/andrews_squeezer" -f penalty
message "compliant joint" inconsistent_constraints "'E3'" "'penalty'" "'regularized'"
code "unknown integrator" 2 cardan run rod.yaml -i rk5
message "unknown integrator" unknown_name "'rk5'" "'rk4'"
code "step of an adaptive method" 2 cardan run rod.yaml --step 0.01
message "step of an adaptive method" usage "dopri5" "--tolerance" "--max-step" "--step"
code "tolerance of a fixed step" 2 cardan run rod.yaml -i rk4 --tolerance 1e-6
message "tolerance of a fixed step" usage "rk4" "--step" "--tolerance"
code "regularization of dopri5" 2 cardan run rod.yaml --regularization 0.01
message "regularization of dopri5" usage "dopri5" "--regularization" "regularized-euler" "regularized-midpoint"
code "too many iterations" 2 cardan run "$root/models/four_bar" -i regularized-midpoint --iterations 30
message "too many iterations" invalid_option "'iterations'" " 1 " " 20" " 30"
code "Baumgarte rate of projection" 2 cardan run rod.yaml --baumgarte-rate 3
message "Baumgarte rate of projection" usage "dopri5" "--baumgarte-rate" "regularized-euler" "regularized-midpoint" "baumgarte"
for command in run check draw accel inverse compare expand convert; do
    code "$command of no file" 1 cardan "$command" rodd.yaml
    message "$command of no file" file_not_found "rodd.yaml: error" "'rod.yaml'"
done
code "a file that is not a model" 1 cardan check "$root/test/cli/check_cli.sh"
message "a file that is not a model" file_format "check_cli.sh"

# ---- list, version, schema
code "list" 0 cardan list
for word in formulations joints forces integrators formats commands functions order-n spherical bushing dopri5 urdf atan2; do
    says "list" "$word"
done
code "list --json" 0 cardan list --json
true_of "lists" out "keys(d) == ['commands', 'constraints', 'dynamics', 'families', 'forces', 'formats', 'forms', 'formulations', 'functions', 'integrators', 'joints', 'languages', 'stabilizations', 'transcriptions'] and all(len(v) > 1 and all(i['name'] and i['summary'] for i in v) for v in d.values())"
code "unknown list" 2 cardan list joint
message "unknown list" unknown_name "'joint'" "'joints'"
code "version --json" 0 cardan version --json
true_of "version" out "d['version'].count('.') == 2"
code "schema" 0 cardan schema
true_of "schema" out "'draft-07' in d['\$schema'] and 'bodies' in d['properties']"
code "manual" 0 cardan schema --manual
says "manual" "joints"
code "schema file" 0 cardan schema -o cardan.schema.json
code "existing schema file" 1 cardan schema -o cardan.schema.json
message "existing schema file" file_exists "'cardan.schema.json'" "--force"

# ---- check
code "check" 0 cardan check rod.yaml
says "name" "rod: 1 "
line "mass and mass centre" "3 kg" "[1, 0, 0] m"
lacks "inertia of the degree of freedom" zero_inertia err
code "check --json of the rod" 0 cardan check rod.yaml --json
true_of "check --json of the rod" out "(d['bodies'], d['joints'], d['loops'], d['dof'], d['messages']) == (1, 1, 0, 1, [])"
code "check --json" 0 cardan check two.yaml --json
true_of "check keys" out "list(d) == ['bodies', 'joints', 'dof', 'tree', 'maximal', 'loops', 'redundant', 'auto', 'messages'] and list(d['tree']) == ['nq', 'nv', 'rows', 'rank'] and list(d['maximal']) == ['nv', 'rows', 'rank']"
true_of "check values" out "(d['bodies'], d['joints'], d['dof'], d['loops'], d['redundant'], d['messages']) == (4, 3, 10, 0, 0, []) and d['tree'] == {'nq': 12, 'nv': 10, 'rows': 0, 'rank': 0} and d['maximal'] == {'nv': 18, 'rows': 8, 'rank': 8}"
code "check in words" 0 cardan check two.yaml
line "moving and welded bodies" "two arms: 3 " " 3 joints" " 10 "
line "welded joint" "glue " " fixed " "lower - badge"
line "added free joint" "ball " " free " "ground - ball" "[3, 0, 0, 1, 0, 0, 0]"
code "degree of freedom without inertia" 1 cardan check lost.yaml
message "degree of freedom without inertia" zero_inertia "lost.yaml:7:3: error" "'lost'" " 1:" "0 s" " z;"
cat >doubt.yaml <<'END'
cardan: 1
bodies: {plate: {mass: 1, at: [0, 0, 0], inertia: [1, 1, 3]}}
joints: {hinge: {revolute: [ground, plate], at: [0, 0, 0], axis: z}}
END
code "warning of a model" 0 cardan check doubt.yaml --json
true_of "warning of a model" out "len(d['messages']) == 1 and 'doubt.yaml:2:51: warning:' in d['messages'][0]"
code "warning of a model, strict" 1 cardan check doubt.yaml --strict
message "warning of a model, strict" model_invalid "doubt.yaml:2:51: error" "'plate'"
cat >loop.yaml <<'END'
cardan: 1
name: square
bodies:
  a: {rod: [[0, 0, 0], [0, 1, 0]], mass: 1}
  b: {rod: [[0, 1, 0], [1, 1, 0]], mass: 1}
  c: {rod: [[1, 1, 0], [1, 0, 0]], mass: 1}
joints:
  A: {revolute: [ground, a], at: [0, 0, 0], axis: z}
  B: {revolute: [a, b], at: [0, 1, 0], axis: z}
  C: {revolute: [b, c], at: [1, 1, 0], axis: z}
  D: {revolute: [c, ground], at: [1, 0, 0], axis: z}
END
code "a loop" 0 cardan check loop.yaml
line "counts of a loop" "square: 3 " " 4 joints" " 1 "
line "path of a loop" "ground -A- a -B- b -C- c -D- ground"
code "a loop as JSON" 0 cardan check loop.yaml --json
true_of "a loop" out "(d['bodies'], d['joints'], d['dof'], d['loops'], d['redundant']) == (3, 4, 1, 1, 3) and d['tree'] == {'nq': 3, 'nv': 3, 'rows': 5, 'rank': 2} and d['maximal'] == {'nv': 18, 'rows': 20, 'rank': 17}"
true_of "redundant constraint rows" out "any(all(x in m for x in ('loop 1', '-D-', 'D ', ' 5 ', ' 3 ', 'A, B and C', '(z)')) for m in d['messages'])"
code "assemble" 0 cardan assemble "$root/models/slider_crank" -o closed.json
line "assemble" "main " " -1.2708 " " 10 " " 0 " "rad, rad/s"
code "assemble as JSON" 0 cardan assemble "$root/models/slider_crank" --json
true_of "assembled" out "d['status'] == 'ok' and max(d['constraint_violation'].values()) < 1e-12 and abs(d['final']['bodies']['piston']['p'][0] - 1.9703728207813227) < 1e-12"
code "the state of assemble" 0 cardan accel "$root/models/slider_crank" --state closed.json --json
true_of "the state of assemble" out "abs(d['results'][0]['joints']['bore']['q'][0] - 0.55615925840822722) < 1e-12"
echo '{"joints": {"main": {"q": [-0.5]}}}' >crank.json
for f in dense lagrange; do
    code "part of a state, $f" 0 cardan accel "$root/models/slider_crank" --state crank.json -f $f --json
    true_of "part of a state, $f" out "abs(d['results'][0]['joints']['main']['q'][0] + 0.5) < 1e-13 and abs(d['results'][0]['joints']['main']['v'][0] - 10) < 1e-12"
done
code "assembly without loops" 0 cardan assemble "$root/models/pendulum"
says "assembly without loops" "pendulum"
sed 's/\[1, 0, 0\], axis: z}/[1, 0, 0], at_second: [9, 0, 0], axis: z}/' loop.yaml >open.yaml
code "loop that cannot be closed" 1 cardan run open.yaml
message "loop that cannot be closed" assembly_failed "open.yaml:10:3: error" "'A'" "'B'" "'C'" "'D'" "6 m" "0 s"
code "stabilization" 0 cardan run loop.yaml -d 0.1 --stabilization partitioning --json
true_of "stabilization" out "max(d['constraint_violation'].values()) < 1e-10"
code "unknown stabilization" 2 cardan run loop.yaml --stabilization project
message "unknown stabilization" unknown_name "'project'" "'projection'"
code "a loop in a formulation of trees" 1 cardan accel loop.yaml -f cholesky
message "a loop in a formulation of trees" loops_not_supported "'square'" " 1 " "'cholesky'" "'order-n'"

# ---- accel and inverse
code "accel" 0 cardan accel rod.yaml
line "accel" "rod" "t = 0 s" cholesky
code "accel --json" 0 cardan accel rod.yaml --formulation all --json
cp out accel.json
true_of "accel keys" accel.json "list(d) == ['results', 'warnings'] and all(list(r) == ['formulation', 'status', 'residual', 'joints', 'bodies', 'reactions'] and list(r['joints']['hinge']) == ['q', 'v', 'a'] and list(r['bodies']['bar']) == ['p', 'q', 'v', 'w', 'a', 'alpha'] and list(r['reactions']['hinge']) == ['force', 'torque', 'unique'] for r in d['results'])"
true_of "all formulations" accel.json "[r['formulation'] for r in d['results']] == [f['name'] for f in json.loads(__import__('subprocess').check_output(['cardan', 'list', 'formulations', '--json']))['formulations']]"
true_of "closed form" accel.json "all(r['status'] == 'ok' and r['residual'] < 1e-14 and near(abs(r['joints']['hinge']['a'][0]), 3*9.81/4, 1e-14) and near(r['bodies']['bar']['a'], [0, 0, -3*9.81/4], 1e-14) and near(r['reactions']['hinge']['force'], [0, 0, 3*9.81/4], 1e-13) for r in d['results'])"
true_of "17 digits" accel.json "'7.3575' in text"
code "one formulation" 0 cardan accel rod.yaml -f order-n --json
true_of "one formulation" out "[r['formulation'] for r in d['results']] == ['order-n']"
code "singular mass matrix" 1 cardan accel lost.yaml --formulation order-n --json
message "singular mass matrix" zero_inertia "lost.yaml:7:3: error" "'lost'"
true_of "singular mass matrix" out "d['results'][0]['status'] == 'singular' and d['results'][0]['joints'] == {} and d['results'][0]['residual'] is None"
code "static holding torque" 0 cardan inverse rod.yaml --json
true_of "static holding torque" out "near(abs(d['joints']['hinge']['effort'][0]), 3*9.81*1, 1e-14)"
cardan accel two.yaml --json >accel2.json 2>err
code "inverse of forward" 0 cardan inverse two.yaml --state accel2.json --json
true_of "inverse of forward" out "max(abs(e) for j in d['joints'].values() for e in j['effort']) < 1e-12"
if cardan accel two.yaml --json | cardan inverse two.yaml --state - --json >out 2>err; then pass; else fail "state from standard input"; fi
code "inverse in words" 0 cardan inverse rod.yaml
line "inverse in words" "hinge " "-29.43 " "N m"

# ---- --set and --state
code "--set" 0 cardan accel rod.yaml --set l=4 -s m=2*l --json
true_of "--set" out "near(abs(d['results'][0]['joints']['hinge']['a'][0]), 3*9.81/8, 1e-14) and near(d['results'][0]['reactions']['hinge']['force'][2], 8*9.81/4, 1e-13)"
code "--set of an unknown parameter" 1 cardan accel rod.yaml --set length=4
message "--set of an unknown parameter" unknown_name "rod.yaml: error" "'length'"
code "--set without value" 2 cardan accel rod.yaml --set l
message "--set without value" usage "--set" NAME=VALUE "'l'"
echo '{"joints": {"elbow": {"v": [1, 2, 3]}, "ball": {"q": [0, 0, 9, 2, 0, 0, 0]}}, "states": {"filter": 7}}' >part.json
code "part of the state" 0 cardan accel two.yaml --state part.json --json
true_of "part of the state" out "d['results'][0]['joints']['elbow']['v'] == [1, 2, 3] and d['results'][0]['joints']['shoulder'] ['q'] == [0.3] and d['results'][0]['joints']['ball']['q'] == [0, 0, 9, 1, 0, 0, 0]"
printf '{"joints": {\n  "elbo": {"v": [1, 2, 3]}}}' >wrong.json
code "unknown joint in the state" 1 cardan accel two.yaml --state wrong.json
message "unknown joint in the state" unknown_name "wrong.json:2:3: error" "'elbo'" "'elbow'"
echo '{"joints": {"elbow": {"v": [1, 2]}}}' >wrong.json
code "wrong size in the state" 1 cardan accel two.yaml --state wrong.json
message "wrong size in the state" syntax_error "wrong.json:1:28: error" "'elbow'" " 3 " " 2"
echo '{"joints": {"elbow": {"q": [0, 0, 0, 0]}}}' >wrong.json
code "zero quaternion" 1 cardan accel two.yaml --state wrong.json
message "zero quaternion" state_invalid "wrong.json:1:28: error"
echo '[1, 2]' >wrong.json
code "a list instead of a state" 1 cardan accel two.yaml --state wrong.json
message "a list instead of a state" state_invalid "wrong.json:1:1: error" '{"joints"'
code "no state file" 1 cardan accel two.yaml --state nothing.json
message "no state file" file_not_readable "nothing.json"

# ---- compare
code "compare" 0 cardan compare two.yaml --json
true_of "compare keys" out "list(d) == ['formulations'] and all(list(r) == ['formulation', 'status', 'relative_difference', 'us', 'operations', 'multipliers', 'stages', 'scalar_sparse', 'null_pivots', 'pivot_ratio'] and list(r['operations']) == ['kinematics', 'assembly', 'factor', 'solve'] and all(list(p) == ['mul', 'add', 'div', 'sqrt'] for p in r['operations'].values()) for r in d['formulations'])"
true_of "compare values" out "all(r['status'] == 'ok' and r['relative_difference'] < 1e-11 and r['us'] > 0 and r['operations']['kinematics']['mul'] > 0 for r in d['formulations']) and len(d['formulations']) >= 5"
code "compare one" 0 cardan compare two.yaml --formulation order-n --json
true_of "compare one" out "[r['formulation'] for r in d['formulations']] == ['order-n']"
code "compare in words" 0 cardan compare two.yaml
line "compare in words" "two arms: 10 " "dense"
line "compare in words" "  order-n "
code "null pivots" 0 cardan compare "$root/models/four_bar" -f lagrange
line "null pivots" "lagrange: 3 "
for loops in 4 9; do
    code "null pivots of a ladder" 0 cardan make ladder $loops --force -o ladder.yaml
    code "null pivots of a ladder" 0 cardan compare ladder.yaml -f lagrange --json
    true_of "null pivots of a ladder" out "d['formulations'][0]['null_pivots'] == 2 * $loops and d['formulations'][0]['pivot_ratio'] > 1"
done
code "compare with a loop" 0 cardan compare loop.yaml --json
true_of "null pivots of the formulation that reports them" out "[r['null_pivots'] for r in d['formulations'] if r['null_pivots'] is not None] == [3]"
true_of "compare with a loop" out "{r['formulation']: r['status'] for r in d['formulations']}['dense'] == 'ok' and {r['formulation']: r['status'] for r in d['formulations']}['semi'] == 'unsupported'"

# ---- run
code "run" 0 cardan run rod.yaml
line "summary" "rod: 2 s " " steps" cholesky "dopri5 1e-8"
line "files of the summary" "results/rod.csv" "41 samples" "results/rod.svg"
exists results/rod.csv
exists results/rod.svg
exists results/rod.manifest.json
if [ "$(head -n 1 results/rod.csv)" = "t [s],hinge.q [rad],hinge.v [rad/s],energy.kinetic [J],energy.potential [J],energy.total [J],tip [m]" ]; then pass; else fail "header: $(head -n 1 results/rod.csv)"; fi
true_of "manifest" results/rod.manifest.json "d['settings']['integrator'] == 'dopri5' and d['outcome']['samples'] == 41 and d['outcome']['status'] == 'ok' and len(d['model']['sha256']) == 64 and d['command'].endswith('run rod.yaml')"
cp results/rod.csv before.csv
code "not overwritten" 1 cardan run rod.yaml -d 1
message "not overwritten" file_exists "'results/rod.csv'" "--force" "--output"
if cmp -s results/rod.csv before.csv; then pass; else fail "results were overwritten"; fi
rm results/rod.csv
code "curves not overwritten" 1 cardan run rod.yaml -d 1
message "curves not overwritten" file_exists "'results/rod.svg'"
code "forced" 0 cardan run rod.yaml -d 1 --force
code "same bits" 0 cardan run rod.yaml -o again/rod.csv
if cmp -s again/rod.csv before.csv; then pass; else fail "two runs differ"; fi
code "quiet" 0 cardan run rod.yaml --quiet --force
if [ -s out ] || [ -s err ]; then fail "output with --quiet"; else pass; fi
code "run --json" 0 cardan run two.yaml --json --draw
cp out end.json
true_of "run keys" end.json "list(d) == ['time', 'steps', 'status', 'energy', 'constraint_violation', 'generated', 'wall_s', 'event_count', 'events', 'final'] and list(d['energy']) == ['start', 'end', 'error'] and list(d['constraint_violation']) == ['position', 'velocity'] and set(d['final']) >= {'joints', 'bodies'}"
true_of "run values" end.json "d['time'] == 1 and d['status'] == 'ok' and d['steps'] > 5 and 0 <= d['energy']['error'] < 1e-6 and d['constraint_violation'] == {'position': 0, 'velocity': 0} and len(d['final']['joints']['ball']['q']) == 7"
exists results/two-arms-mechanism.svg
cp results/two-arms.csv before.csv
code "report with existing results" 0 cardan run two.yaml --json -d 0.5
says "report with existing results" "note: 'results/two-arms.csv'" err
true_of "report with existing results" out "d['time'] == 0.5"
if cmp -s results/two-arms.csv before.csv; then pass; else fail "results were overwritten"; fi
code "first half" 0 cardan run two.yaml -d 0.5 --tolerance 1e-11 --json -o half.csv
cp out half.json
code "second half" 0 cardan run two.yaml -d 0.5 -t 0.5 --tolerance 1e-11 --state half.json --json -o second.csv
cp out second.json
code "whole" 0 cardan run two.yaml --tolerance 1e-11 --json -o whole.csv
true_of "two halves equal the whole run" out "near(d['final']['joints'], load('second.json')['final']['joints'], 1e-8) and near(d['final']['states'], load('second.json')['final']['states'], 1e-8)"
for integrator in rk4 explicit-euler semi-implicit-euler midpoint dopri5 cvode-adams cvode-bdf ida; do
    code "run with $integrator" 0 cardan run rod.yaml -i $integrator -d 0.2 -o $integrator.csv --json
    cp out by-$integrator.json
    true_of "run with $integrator" by-$integrator.json "d['status'] == 'ok' and near(d['final']['joints']['hinge']['q'], load('by-rk4.json')['final']['joints']['hinge']['q'], 1e-3)"
done
for formulation in implicit semi cholesky order-n dense; do
    code "run with $formulation" 0 cardan run two.yaml -f $formulation -d 0.2 -o by-$formulation.csv --json
    cp out by-$formulation.json
    true_of "run with $formulation" by-$formulation.json "near(d['final']['joints'], load('by-implicit.json')['final']['joints'], 1e-9)"
done
code "to standard output" 0 cardan run rod.yaml -o - -d 0.1 --output-interval 0.05
if [ "$(wc -l <out)" -eq 4 ]; then pass; else fail "four lines on standard output"; fi
code "a file instead of a folder" 1 cardan run rod.yaml -o rod.yaml/x.csv
message "a file instead of a folder" file_not_writable "rod.yaml/x.csv"
code "results over the model" 2 cardan run rod.yaml -o rod.yaml
message "results over the model" usage rod.yaml
code "run without inertia" 1 cardan run lost.yaml
message "run without inertia" zero_inertia "'lost'"
cat >stiff.yaml <<'END'
cardan: 1
bodies: {bar: {rod: [[0, 0, 0], [1, 0, 0]], mass: 1}}
joints: {hinge: {revolute: [ground, bar], at: [0, 0, 0], axis: y, spring: 1e9, start: {q: 0.1}}}
END
code "divergence" 3 cardan run stiff.yaml -i explicit-euler --step 0.1 --output-interval 0.1 --json
true_of "divergence" out "d['status'] == 'not_finite' and d['time'] < 10"
message "divergence" diverged "stiff.yaml:3:10: error" "'hinge'" "0.8 s" "0.1 s"
code "steps as long as the run" 0 cardan run rod.yaml -d 0.01 --output-interval 5 -o short.csv

# ---- columns
code "columns" 0 cardan run two.yaml -d 0.1 -c 'lower.*,reactions,energy.total' -o columns.csv
head -n 1 columns.csv >head
says "columns" "t [s],shoulder.fx [N],shoulder.fy [N],shoulder.fz [N],shoulder.tx [N m]" head
says "columns" ",energy.total [J],lower.x [m],lower.y [m],lower.z [m],lower.qw [1]," head
lacks "columns" "energy.kinetic" head
lacks "columns" "upper" head
code "all columns" 0 cardan run two.yaml -d 0.1 -c all -o all.csv
python "all columns are full" all.csv <<'END'
import csv, sys
rows = list(csv.reader(open(sys.argv[1])))
assert len(rows) == 1002, len(rows)
assert len(rows[0]) == len(set(rows[0])) > 100
assert all(len(r) == len(rows[0]) and all(x != "" for x in r) for r in rows)
for name in ["elbow.q4 [1]", "elbow.v3 [rad/s]", "elbow.a1 [rad/s^2]", "shoulder.effort [N m]", "badge.alphaz [rad/s^2]", "energy.work [J]", "filter"]:
    assert name in rows[0], name
q = [rows[0].index("elbow.q%d [1]" % i) for i in (1, 2, 3, 4)]
assert all(abs(sum(float(r[i]) ** 2 for i in q) - 1) < 1e-12 for r in rows[1:])
END
code "unknown column" 2 cardan run two.yaml -c energi.total -o x.csv
message "unknown column" unknown_name "'energi.total'" "'energy.total'"
if [ -e x.csv ]; then fail "a file is created"; else pass; fi

# ---- limits and stop conditions
cat >stop.yaml <<'END'
cardan: 1
bodies: {bar: {rod: [[0, 0, 0], [1, 0, 0]], mass: 1}}
joints: {hinge: {revolute: [ground, bar], at: [0, 0, 0], axis: y, limits: [-1, 0.5]}}
run: {duration: 3, stop: "=q(hinge) - 1"}
END
code "stop condition" 0 cardan run stop.yaml
line "stop condition" "0.375083 s"
line "limit" "t = 0.261785 " "'hinge'"
code "events" 0 cardan run stop.yaml --json
true_of "events" out "[e['kind'] for e in d['events']] == ['limit', 'stop']"

# ---- Ctrl-C
code "make" 0 cardan make chain 12
python "Ctrl-C leaves complete files" <<'END'
import csv, glob, json, re, signal, subprocess, time
p = subprocess.Popen(["cardan", "run", "chain-12.yaml", "-d", "100000", "--output-interval", "0.01", "-o", "cut/chain.csv"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
for _ in range(600):
    time.sleep(0.05)
    if any(len(open(f, "rb").read()) > 20000 for f in glob.glob("cut/*") + glob.glob("cut/.*")):
        break
p.send_signal(signal.SIGINT)
out, err = p.communicate(timeout=60)
assert p.returncode == 130, (p.returncode, out, err)
assert re.search(r"t = [0-9.e+]+ s\b.* 100000 s", out), out
rows = list(csv.reader(open("cut/chain.csv")))
assert len(rows) > 5 and all(len(r) == len(rows[0]) for r in rows)
t = [float(r[0]) for r in rows[1:]]
assert t == sorted(t) and t[-1] < 100000
m = json.load(open("cut/chain.manifest.json"))
assert m["outcome"]["status"] == "stopped" and m["outcome"]["samples"] == len(t), m
assert sorted(glob.glob("cut/*") + glob.glob("cut/.*")) == ["cut/chain.csv", "cut/chain.manifest.json", "cut/chain.svg"], glob.glob("cut/*")
END
code "cut results plot" 0 cardan plot cut/chain.csv -c joint0.q

# ---- progress bar: on a terminal only
python "progress bar" <<'END'
import os, pty, signal, subprocess, time, threading
master, slave = pty.openpty()
p = subprocess.Popen(["cardan", "run", "chain-12.yaml", "-d", "100000", "--output-interval", "0.05", "-o", "bar.csv"], stdout=subprocess.PIPE, stderr=slave)
os.close(slave)
threading.Timer(1.5, lambda: p.send_signal(signal.SIGINT)).start()
output = b""
try:
    while True:
        piece = os.read(master, 4096)
        if not piece:
            break
        output += piece
except OSError:
    pass
p.wait()
text = output.decode()
assert "chain-12  [" in text and " 100000 s " in text, text
END
lacks "no bar in a file" "chain-12  [" err

# ---- draw and plot
well_formed() { python "$1 is well-formed" "$1" <<'END'
import sys, xml.dom.minidom
assert xml.dom.minidom.parse(sys.argv[1]).documentElement.tagName == "svg"
END
}
code "draw" 0 cardan draw two.yaml -o two.svg
well_formed two.svg
says "names" "upper" two.svg
code "existing picture" 1 cardan draw two.yaml -o two.svg
message "existing picture" file_exists "'two.svg'" "--force"
code "draw without names" 0 cardan draw two.yaml --names none --view three -o plain.svg
lacks "without names" ">upper<" plain.svg
code "strobe" 0 cardan draw two.yaml --strobe 5 -d 0.5 -o strobe.svg --json
true_of "strobe" out "d['snapshots'] == 5"
well_formed strobe.svg
says "strobe" "0.5 s" strobe.svg
code "draw a loop" 0 cardan draw loop.yaml -o loop.svg
code "draw the design configuration" 0 cardan draw two.yaml --design -o - -q
says "draw to standard output" "<svg"
code "unknown view" 2 cardan draw two.yaml --view frnt -o x.svg
message "unknown view" unknown_name "'frnt'" "'front'"
code "unknown names" 2 cardan draw two.yaml --names some -o x.svg
message "unknown names" unknown_name "'some'"
code "picture in a file instead of a folder" 1 cardan draw two.yaml -o rod.yaml/x.svg
message "picture in a file instead of a folder" file_not_writable "rod.yaml/x.svg"
code "overlay" 0 cardan plot by-semi.csv by-dense.csv -c 'shoulder.*,energy.total' -o both.svg
well_formed both.svg
says "overlay" "by-semi" both.svg
says "overlay" "by-dense" both.svg
line "overlay" "2 " "both.svg"
lacks "requested columns only" "elbow" both.svg
code "plot over another column" 0 cardan plot all.csv -x upper.x -c upper.z -o path.svg
code "plot logarithmic" 0 cardan plot all.csv -c energy.kinetic --log -o log.svg
code "plot in the folder of the results" 0 cardan plot by-semi.csv
exists by-semi-plot.svg
code "existing plot" 1 cardan plot by-semi.csv
message "existing plot" file_exists "'by-semi-plot.svg'" "--force"
code "unknown column" 2 cardan plot by-semi.csv -c sholder.q -o x.svg
message "unknown column" unknown_name "'sholder.q'" "'shoulder.q'"
code "no results" 1 cardan plot nothing.csv
message "no results" file_not_readable "nothing.csv"
code "no table" 1 cardan plot "$root/LICENSE" -o x.svg
message "no table" table_invalid "LICENSE:3:1: error" " 1 "

# ---- make
for n in 1 2 13; do
    for family in chain tree star; do
        code "make $family $n" 0 cardan make $family $n --force --json
        true_of "make $family $n" out "d == {'family': '$family', 'size': $n, 'output': '$family-$n.yaml'}"
        code "check $family $n" 0 cardan check $family-$n.yaml --json
        true_of "check $family $n" out "(d['bodies'], d['dof']) == ($n, $n if '$family' != 'star' else 6 + 3*($n-1)) and (d['messages'] == [] or '$family-$n' == 'star-1')"
        code "run $family $n" 0 cardan run $family-$n.yaml -d 0.1 -o $family-$n.csv
    done
done
code "compare a chain" 0 cardan compare chain-13.yaml --json
true_of "compare a chain" out "all(r['relative_difference'] < 1e-10 for r in d['formulations'])"
cardan expand tree-13.yaml >tree.yaml
python "masses of a tree" tree.yaml <<'END'
import re, sys
mass = [float(m) for m in re.findall(r"mass: ([0-9.e-]+)", open(sys.argv[1]).read())]
assert len(mass) == 13 and all(1 <= m < 2 for m in mass) and len(set(mass)) == 13, mass
END
python "inertia of a link" <<'END'
# cylinder of 1 + frac(0.618) kg, transverse axis through its mass centre: m (L^2/12 + r^2/4); about its hinge: + m
# (L/2)^2
import json, subprocess
# second link of a chain of two: its hinge has axis y; gravity has no moment about the first hinge (axis z)
d = json.loads(subprocess.check_output(["cardan", "accel", "chain-2.yaml", "--json"]))
m, L, r, g = 1.6180339887498949, 0.5, 0.1, 9.81
alpha = m * g * L / 2 / (m * (L * L / 12 + r * r / 4) + m * L * L / 4)
assert abs(abs(d["results"][0]["joints"]["joint1"]["a"][0]) - alpha) < 1e-12 * alpha, (d["results"][0]["joints"], alpha)
END
code "chain for operation counts" 0 cardan make chain 8 --force
python "operations grow linearly" <<'END'
import json, subprocess
def total(n, f):
    d = json.loads(subprocess.check_output(["cardan", "compare", "chain-8.yaml", "--set", "N=%d" % n, "-f", f, "--json", "-q"]))
    return sum(p["mul"] + p["add"] + p["div"] + p["sqrt"] for p in d["formulations"][0]["operations"].values())
for f in ("order-n", "implicit"):
    a, b, c = (total(n, f) for n in (16, 32, 48))
    assert a - 2 * b + c == 0, (f, a, b, c)
END
code "existing model" 1 cardan make chain 12
message "existing model" file_exists "'chain-12.yaml'" "--force"
code "make zero links" 2 cardan make chain 0
code "make a fraction of a link" 2 cardan make chain 2.5
code "unknown family" 2 cardan make chian 3
message "unknown family" unknown_name "'chian'" "'chain'"
code "make to standard output" 0 cardan make star 3 -o -
says "make to standard output" "cardan: 1"

# ---- expand and convert
code "expand" 0 cardan expand two.yaml -o expanded.yaml
cardan accel two.yaml --json >one.json 2>err
code "expanded model is equal" 0 cardan accel expanded.yaml --json
true_of "expanded model is equal" out "near(d['results'][0]['joints'], load('one.json')['results'][0]['joints'], 1e-13)"
code "expand with --set" 0 cardan expand rod.yaml --set m=7
says "expand with --set" "    mass: 7"
cat >arm.urdf <<'END'
<robot name="arm">
  <link name="base"><inertial><mass value="2"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="upper"><inertial><origin xyz="0.2 0 0.1" rpy="0 0.3 0"/><mass value="1"/>
    <inertia ixx="0.01" iyy="0.02" izz="0.02" ixy="0" ixz="0.001" iyz="0"/></inertial></link>
  <link name="lower"><inertial><origin xyz="0.1 0 0"/><mass value="0.7"/>
    <inertia ixx="0.003" iyy="0.004" izz="0.005" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/><origin xyz="0 0 0.5" rpy="0.1 0.2 0.3"/>
    <axis xyz="0 1 0"/><limit lower="-2" upper="2" effort="10" velocity="3"/></joint>
  <joint name="slide" type="prismatic"><parent link="upper"/><child link="lower"/><origin xyz="0.4 0 0"/>
    <axis xyz="1 0 0.2"/><limit lower="-1" upper="1" effort="10" velocity="3"/></joint>
</robot>
END
code "convert" 0 cardan convert arm.urdf
exists arm.yaml
cardan accel arm.urdf --json >one.json 2>err
code "converted model is equal" 0 cardan accel arm.yaml --json
true_of "converted model is equal" out "near(d['results'][0]['joints'], load('one.json')['results'][0]['joints'], 1e-12)"
code "existing converted model" 1 cardan convert arm.urdf
message "existing converted model" file_exists "'arm.yaml'" "--force"
code "convert into another folder" 0 cardan convert arm.urdf other/arm.yaml --floating-base --json
true_of "convert into another folder" out "d['output'] == 'other/arm.yaml'"
cardan check arm.urdf --json >fixed.json 2>err
code "floating base" 0 cardan check other/arm.yaml --json
true_of "floating base" out "d['dof'] == load('fixed.json')['dof'] + 6"
code "convert to URDF" 2 cardan convert two.yaml two.urdf
message "convert to URDF" usage "'two.urdf'" ".yaml"

# ---- standard output
echo first >log
cardan run rod.yaml -o - -d 0.1 --output-interval 0.05 >>log 2>err
if [ "$(head -n 1 log)" = first ] && [ "$(wc -l <log)" -eq 5 ]; then pass; else fail "a file behind standard output is truncated"; fi
cardan run rod.yaml -o /dev/stdout -d 0.1 --output-interval 0.05 >>log 2>err
if [ "$(head -n 1 log)" = first ] && [ "$(wc -l <log)" -eq 9 ]; then pass; else fail "a file behind /dev/stdout is truncated"; fi
for command in "check rod.yaml" "accel rod.yaml" "expand rod.yaml" "list formats" version help schema "run rod.yaml --force" "run rod.yaml -o -" "help run"; do
    # shellcheck disable=SC2086
    cardan $command >/dev/full 2>err
    if [ $? -eq 1 ] && grep -qF "[file_not_writable]" err; then pass; else fail "cardan $command >/dev/full"; fi
done

# ---- runs that cannot start create no files
pendulum='cardan: 1, bodies: {bob: {at: [0, 0, -1], mass: 1}}, joints: {h: {revolute: [ground, bob], at: [0, 0, 0], axis: y}}'
invalid_setting() { # SETTING CODE TEXT...
    setting=$1
    shift
    echo "{$pendulum, run: {$setting}}" >setting.yaml
    for command in run check; do
        code "run: {$setting}" 1 cardan $command setting.yaml
        message "run: {$setting}" "$@"
        if [ -s out ]; then fail "run: {$setting}: a report is printed"; else pass; fi
    done
    if [ -e results/setting.csv ]; then fail "run: {$setting}: a file is created"; else pass; fi
}
invalid_setting "integrator: rk5" unknown_name "setting.yaml:1:137: error" "'rk5'" "'rk4'"
invalid_setting "formulation: denes" unknown_name "setting.yaml:1:138: error" "'denes'" "'dense'"
invalid_setting "tolerance: 100" model_invalid "setting.yaml:1:136: error" "'tolerance'" "1e-13" "0.1" " 100"
invalid_setting "step: 1e-18" model_invalid "setting.yaml:1:131: error" "1e-18 s"
invalid_setting "output: 1e-12" model_invalid "setting.yaml:1:133: error" "1e-12 s"
echo "{$pendulum}" >setting.yaml
code "--tolerance 1" 2 cardan run setting.yaml --tolerance 1
message "--tolerance 1" invalid_option tolerance "1e-13" "0.1" " 1"
echo "{cardan: 1, bodies: {rod: {mass: 1}}}" >free_body.yaml
for command in run check accel compare "run --json" "draw --strobe 3" "accel -f all" "compare -f order-n"; do
    # shellcheck disable=SC2086
    code "free body without inertia, $command" 1 cardan $command free_body.yaml
    message "free body without inertia, $command" zero_inertia "free_body.yaml:1:22: error" "'rod'" "0 s"
    # shellcheck disable=SC2086
    code "joint without inertia, $command" 1 cardan $command lost.yaml
    message "joint without inertia, $command" zero_inertia "lost.yaml:7:3: error" "'lost'"
done
for file in results/setting.csv results/free_body.csv results/lost.csv results/free_body-mechanism.svg; do
    if [ -e $file ]; then fail "$file is created"; else pass; fi
done
code "step size of the run" 0 cardan run rod.yaml -i rk4 --step 10 --force
line "step size of the run" "2 s in 1 step" cholesky "rk4" "step 2 s"
code "step size of the run" 0 cardan run rod.yaml -i rk4 --step 0.03 --force
line "step size of the run" rk4 "step 0.025 s"

# ---- wrong usage is reported before the computation starts
for options in "--view bottom" "--names foo" "-i foo" "--stabilization foo" "--columns=" "--output=" "--width 1e9" "--json -o -" "--json -o /dev/stdout"; do
    case $options in *width*) command="draw rod.yaml" ;; *) command="run rod.yaml" ;; esac
    # shellcheck disable=SC2086
    code "$options" 2 cardan $command -d 1e9 $options
    if [ -s out ]; then fail "$options: a report is printed"; else pass; fi
done
code "no output" 2 cardan run rod.yaml -o ''
message "no output" usage "--output" FILE
code "no columns" 2 cardan run rod.yaml -c ''
code "unknown view of a run" 2 cardan run rod.yaml --view botom
code "too wide" 2 cardan draw rod.yaml --width 1e9
message "too wide" usage "--width" "10" "20000 pixels" "1e+09"
code "two outputs" 2 cardan convert arm.urdf a.yaml -o b.yaml
message "two outputs" usage "'a.yaml'" "--output" "'b.yaml'"
for command in "convert arm.urdf other/quiet.yaml" "draw rod.yaml -o quiet.svg" "make chain 3 -o quiet.yaml" "plot all.csv -o quiet-plot.svg"; do
    # shellcheck disable=SC2086
    code "$command --json -q" 0 cardan $command --json -q
    true_of "$command --json -q" out "d['output']"
done

# ---- time of the state file
code "first half" 0 cardan run two.yaml -d 0.5 --json -o half-1.csv
cp out half.json
code "continuation from the state" 0 cardan run two.yaml -d 0.25 --state half.json --json -o half-2.csv
true_of "continuation from the state" out "d['time'] == 0.75"
code "start time by option" 0 cardan run two.yaml -d 0.25 -t 3 --state half.json --json -o half-3.csv
true_of "start time by option" out "d['time'] == 3.25"
code "time of the state" 0 cardan accel two.yaml --state half.json
line "time of the state" "two arms" "t = 0.5 s" cholesky
echo '{"time": "noon", "joints": {}}' >noon.json
code "time that is not a number" 1 cardan run two.yaml --state noon.json -o x.csv
message "time that is not a number" syntax_error "noon.json:1:10: error" time

# ---- messages: contents and number
code "plot logarithmic" 0 cardan plot before.csv -c shoulder.q,shoulder.v --log -o log-2.svg
message "plot logarithmic" values_omitted "'shoulder.v'"
if [ "$(grep -cF '[values_omitted]' err)" -eq 1 ]; then pass; else fail "one message of omitted values"; fi
code "no such column" 2 cardan plot before.csv -c nope -o x.svg
message "no such column" unknown_name "'nope'" "t, shoulder.q, shoulder.v, "
code "no such column of a run" 2 cardan run two.yaml -c nope -o x.csv
message "no such column of a run" unknown_name "'nope'"
code "accel without inertia" 1 cardan accel free_body.yaml -f all --json
true_of "accel without inertia" out "len(d['results']) > 5 and all(r['status'] == 'singular' for r in d['results'])"
if [ "$(wc -l <err)" -eq 1 ]; then pass; else fail "one message for all formulations"; cat err; fi
code "compare one in words" 0 cardan compare rod.yaml -f order-n
lacks "no footnote" "implicit"
code "compare all in words" 0 cardan compare rod.yaml
if [ "$(grep -c '^  implicit' out)" -eq 2 ]; then pass; else fail "row and footnote of implicit"; cat out; fi
code "unknown parameter" 1 cardan check rod.yaml --set zz=1
message "unknown parameter" unknown_name "rod.yaml: error" "'zz'" "l, m"
code "no parameters" 1 cardan check two.yaml --set zz=1
message "no parameters" unknown_name "'zz'"
code "make many" 0 cardan make chain 100 --force
code "check many" 0 cardan check chain-100.yaml
line "check many" "... " "40 joints"
if [ "$(wc -l <out)" -lt 75 ]; then pass; else fail "the table of joints is long"; fi
code "check --help" 0 cardan check --help
for key in bodies joints tree maximal; do says "keys of the report in check --help" "\`$key\`"; done

# ---- names of columns, formulas that are not finite, limits at the start
for column in h.q energy.total t bob.x h.fx; do
    printf '{%s,\n outputs: {%s: "=q(h)"}}' "$pendulum" $column >named.yaml
    for command in run check; do
        code "output '$column'" 1 cardan $command named.yaml
        message "output '$column'" duplicate_column "named.yaml:2:12: error" "'$column'"
    done
    if [ -e results/named.csv ]; then fail "output '$column': a file is created"; else pass; fi
done
printf '{%s,\n states: {s: {start: 1, rate: 0}}, outputs: {s: "=q(h)"}}' "$pendulum" >named.yaml
code "output named as a state" 1 cardan run named.yaml
message "output named as a state" duplicate_column "'s'"
printf '{%s,\n outputs: {root: "=sqrt(0.5 - t)", fine: "=t"},\n run: {duration: 1, output: 0.1, stop: "=sqrt(0.25 - t) - 3"}}' "$pendulum" >nan.yaml
code "formulas that are not finite" 0 cardan run nan.yaml
message "an output" not_finite "nan.yaml:2:12: note" "'root'" "0.6 s"
message "the stop condition" not_finite "note" "0.3 s"
if [ "$(grep -cF '[not_finite]' err)" -eq 2 ]; then pass; else fail "one note per formula"; fi
printf '{cardan: 1, bodies: {b: {at: [0, 0, -1], mass: 1}},\n joints: {h: {revolute: [ground, b], at: [0, 0, 0], axis: y, limits: [-1, 1], start: {q: 1.5}}}, run: {duration: 0.1}}' >beyond.yaml
for command in run check "run -f dense -o beyond-2.csv"; do
    # shellcheck disable=SC2086
    code "beyond its limits" 0 cardan $command beyond.yaml
    message "beyond its limits" limit_exceeded "beyond.yaml:2:11: warning" "'h'" "1.5 rad" " 1 rad"
    if [ "$(grep -cF '[limit_exceeded]' err)" -eq 1 ]; then pass; else fail "one warning of the limit"; cat err; fi
done

# ---- suspension
cat >axle.yaml <<'MODEL'
{cardan: 1, name: axle, bodies: {arm: {at: [-0.4, 0.7, 0.3], mass: 10, inertia: [1, 1, 1]}},
 joints: {pivot: {revolute: [ground, arm], at: [0, 0.6, 0.3], axis: y, spring: 5000}},
 suspension: {travel: [-0.1, 0.05], points: 4, wheels: {W: {hub: arm, radius: 0.3, spring: pivot}}}}
MODEL
code "suspension" 0 cardan suspension axle.yaml
line "suspension" "axle, parallel" " -100 " " 50 mm" " 4 "
if [ -s results/axle-parallel.csv ] && [ -s results/axle-parallel.svg ]; then pass; else fail "files of the study"; fi
code "existing suspension results" 1 cardan suspension axle.yaml
message "existing suspension results" file_exists "results/axle-parallel.csv" "--force"
code "suspension to standard output" 0 cardan suspension axle.yaml --sweeps parallel -o -
says "suspension to standard output" "travel [mm],W.travel [mm]"
code "suspension --json" 0 cardan suspension axle.yaml --json --force
true_of "suspension --json" out "d['sweeps']['parallel']['design'] == 2 and d['sweeps']['parallel']['columns']['travel'] == [-100, -50, 0, 50] and d['sweeps']['parallel']['units']['W.rate'] == 'N/mm' and abs(d['sweeps']['parallel']['columns']['W.rate'][2] - 31.25) < 1e-6"
code "a sweep without its joint" 2 cardan suspension axle.yaml --sweeps steering
message "a sweep without its joint" suspension_invalid "'suspension'" "'steering'"
code "an unknown sweep" 2 cardan suspension axle.yaml --sweeps paralel
message "an unknown sweep" unknown_name "'parallel'"
code "no section" 1 cardan suspension rod.yaml
message "no section" suspension_invalid "'suspension'"

# ---- help of lists; files of another command; unused settings
for list in formulations integrators stabilizations joints; do
    code "help $list" 0 cardan help $list
    says "help $list" "cardan list $list"
done
says "one line per joint" "  revolute "
code "help of an unknown word" 2 cardan help formulatons
message "help of an unknown word" unknown_name "'formulatons'" "'formulations'"
wrong_usage() { # CODE TEXT COMMAND...
    wrong=$1 subject=$2
    shift 2
    code "$*" 2 cardan "$@"
    message "$*" "$wrong" "$subject"
}
wrong_usage usage "--columns" inverse rod.yaml -c foo
wrong_usage unknown_name "'python'" generate rod.yaml --language pyton
wrong_usage unknown_name "'joints'" run rod.yaml --force -c joint
wrong_usage unknown_name "'lagrange'" run rod.yaml -f lagrnge
printf 'study: 1\nmodel: rod.yaml\nvary: {l: [1, 2]}\n' >a_study.yaml
printf 'cardan: 1\ntask: reach\nmodel: rod.yaml\n' >a_task.yaml
mkdir -p a_folder
for c in run check draw; do
    code "$c a study" 1 cardan $c a_study.yaml
    message "$c a study" model_invalid "a_study.yaml:1:1: error" "cardan sweep"
    code "$c a task" 1 cardan $c a_task.yaml
    message "$c a task" model_invalid "cardan optimize"
done
for c in sweep optimize; do
    code "$c a model" 1 cardan $c rod.yaml
    case $c in sweep) invalid=study_invalid ;; *) invalid=task_invalid ;; esac
    message "$c a model" $invalid "cardan run"
    code "$c a folder" 1 cardan $c a_folder
    message "$c a folder" file_not_readable a_folder
done
code "optimize a study" 1 cardan optimize a_study.yaml
message "optimize a study" task_invalid "a_study.yaml:1:1: error"
{ grep -v '^run:' rod.yaml; echo 'run: {duration: 0.1, epsilon: 1e-3, step: 0.01}'; } >idle.yaml
code "unused settings" 0 cardan run idle.yaml --force -o idle.csv
message "unused settings" setting_unused "dopri5" "'epsilon'"
message "unused settings" setting_unused "dopri5" "'step'"
code "used settings" 0 cardan run idle.yaml -i rk4 --force -o idle.csv
lacks "used settings" "[setting_unused]" err
code "unused threads" 0 cardan run rod.yaml -d 0.1 -f reduction --threads 2 --force -o idle.csv
message "unused threads" threads_unused "reduction"
code "used threads" 0 cardan run rod.yaml -d 0.1 -f cholesky --threads 2 --force -o idle.csv
lacks "used threads" "[threads_unused]" err

# ---- choice of `auto`: operation counts equal those of `compare`, formulations that are not counted are named, and no
# formulation is chosen for a mechanism that cannot be assembled
code "counts" 0 cardan compare "$root/models/driven_slider" -f embedding
before=$(tail -n 1 out | grep -oE '[0-9]+,[0-9]+') # operations of the constraints
count=$(awk -v before="$before" '$1 == "embedding" { gsub(",", "", before); gsub(",", "", $NF); n = before + $NF; printf "%d,%03d", n / 1000, n % 1000 }' out)
code "counts" 0 cardan check "$root/models/driven_slider"
says "counts of check and compare" "embedding $count,"
code "a large mechanism" 0 cardan make rope-ladder 60 -o large.yaml
code "a large mechanism" 0 cardan check large.yaml --json
true_of "formulations without count" out "'embedding' in d['auto']['reason'] and 'lagrange 7' in d['auto']['reason'] and 'embedding 1' not in d['auto']['reason']"
true_of "formulations without count" out "__import__('re').search('embedding [0-9]', d['auto']['reason']) is None"
code "a loop that cannot be closed" 1 cardan check "$root/models/diagnosis/too_short.yaml" --json
true_of "a loop that cannot be closed" out "d['auto'] is None"

ends
