#!/bin/sh
# Runs with generated code: the motion equals that of the library for trees, loops, drivers, springs and stops; missing
# compilers, a damaged cache, concurrent processes, caches that are not writable or not safe, and interrupted compilers.
. "$(dirname "$0")/../support/tool.sh"
CARDAN_CACHE=$scratch/cache
export CARDAN_CACHE
models=$root/models

same() { # NAME MODEL TOLERANCE OPTION...: all columns of all samples with and without generated code
    about=$1 model=$2 tolerance=$3
    shift 3
    code "$about without" 0 cardan run "$models/$model" --generated never -o without.csv --force --quiet "$@"
    code "$about with" 0 cardan run "$models/$model" --generated always -o with.csv --force --json "$@"
    true_of "$about is used" out "d['generated']['used'] and d['generated']['evaluations'] > 0"
    python "$about" "$tolerance" <<'PYTHON'
import csv, sys
a, b = (list(csv.reader(open(name))) for name in ('without.csv', 'with.csv'))
assert a[0] == b[0] and len(a) == len(b) > 10
scale = [max(1, max(abs(float(row[k])) for row in a[1:])) for k in range(len(a[0]))]
difference, column = max((abs(float(x[k]) - float(y[k])) / scale[k], a[0][k]) for x, y in zip(a[1:], b[1:]) for k in range(len(a[0])))
assert difference <= float(sys.argv[1]), (difference, column)
PYTHON
}

fixed="-i rk4 --step 0.002"
# accelerations that cancel, or decay to zero
cat >slides.yaml <<'YAML'
cardan: 1
bodies: {a: {mass: 2, at: [0, 0, 0]}, b: {mass: 1, at: [1, 0, 0]}}
joints:
  x: {prismatic: [ground, a], at: [0, 0, 0], axis: x, start: {v: 1}}
  y: {prismatic: [a, b], at: [1, 0, 0], axis: y}
forces: {push: {actuator: y, effort: "=exp(-200*t)"}}
run: {duration: 1, output: 0.05}
YAML
for method in dopri5 cvode-bdf generalized-alpha; do
    code "slides by $method" 0 cardan run slides.yaml -i $method --generated always -o slides.csv --force --json
    true_of "slides by $method" out "d['generated']['used']"
    lacks "slides by $method" "[generated_code_mismatch]" err
done
same "tree" branches 1e-9 -d 0.5 $fixed -c default,reactions
same "free body" heavy_top 1e-9 -d 0.5 $fixed
# stages of a step violate the constraints by the error of the method, and redundant rows differ by the same order
same "loop" four_bar 1e-9 -d 0.5 -i rk4 --step 0.0005 -c default,reactions
same "loop, adaptive" four_bar 1e-9 -d 0.5 -i dopri5 --tolerance 1e-11
# curves are not supported by generated code: the segment of a point is found at every state
cat >curve.yaml <<'END'
cardan: 1
bodies: {bead: {at: [-1, 0, 1], mass: 2, inertia: [0.1, 0.1, 0.1]}}
joints: {f: {free: [ground, bead]}}
constraints: {wire: {point_on_curve: [bead, ground], curve: {points: [[-1, 0, 1], [0, 0, 0], [2, 0, 1]], degree: 1}}}
run: {duration: 1.2, output: 0.1}
END
code "curve" 0 cardan run curve.yaml -f augmented --generated always -o curve.csv --force --json
true_of "curve" out "not d['generated']['used'] and d['energy']['error'] < 1e-9"
message "curve" generated_code_not_used "'rate'" "'curve'" "'wire'"
same "tree, cvode" double_pendulum 1e-9 -d 0.5 -i cvode-adams --tolerance 1e-12
same "tree, cvode-bdf" arm_pendulum 1e-7 -d 0.3 -i cvode-bdf --tolerance 1e-10
true_of "derivatives" out "d['generated']['jacobians'] > 0"
same "free body, cvode-bdf" heavy_top 1e-7 -d 0.3 -i cvode-bdf --tolerance 1e-10
true_of "derivatives with quaternions" out "d['generated']['jacobians'] > 0"
same "loop, cvode-bdf" four_bar 1e-6 -d 0.3 -i cvode-bdf --tolerance 1e-10
true_of "no derivatives of loops" out "'jacobians' not in d['generated']"
# equations of implicit methods, with loops, springs and quaternions: equal steps, so equal motion up to the tolerance
# of the iteration
same "loop, generalized-alpha" four_bar 1e-7 -d 0.3 -i generalized-alpha --tolerance 1e-7
true_of "derivatives of loops" out "d['generated']['jacobians'] > 0"
same "free body, hht" heavy_top 1e-7 -d 0.3 -i hht --tolerance 1e-7
true_of "derivatives with quaternions" out "d['generated']['jacobians'] > 0"
same "springs, generalized-alpha" andrews_squeezer 1e-6 -d 0.02 --output-interval 0.001 -i generalized-alpha --tolerance 1e-7
same "driven, hht" driven_slider 1e-7 -d 1 -i hht --tolerance 1e-7
same "driven" driven_slider 1e-9 -d 1 $fixed
same "springs" andrews_squeezer 1e-9 -d 0.02 --output-interval 0.001 -i rk4 --step 0.00002
cat >stops.yaml <<'YAML'
cardan: 1
parameters: {mass: 1}
bodies:
  arm: {mass: =mass, centre: [0.5, 0, 0], inertia: [0.01, 0.1, 0.1]}
joints:
  hinge: {revolute: [ground, arm], at: [0, 0, 0], axis: y, limits: {lower: -1, upper: 0.3, stiffness: 500, damping: 1}, damping: 0.05, start: {q: 0.2, v: -2}}
YAML
models=.
same "stops" stops.yaml 1e-8 -d 2 $fixed
same "stops, generalized-alpha" stops.yaml 1e-6 -d 2 -i generalized-alpha --tolerance 1e-7
# a start beyond a stop: generated code is used from the time at which the stop is left
sed 's/start: {q: 0.2, v: -2}/start: {q: 0.5, v: -2}/' stops.yaml >beyond.yaml
for method in dopri5 cvode-bdf generalized-alpha; do
    same "beyond a stop by $method" beyond.yaml 1e-4 -d 2 -i $method
    true_of "beyond a stop by $method" out "d['generated']['used'] and d['generated']['evaluations'] > 100"
done
# generated code has joint coordinates: auto chooses them with --generated always; the message for lagrange names a
# formulation
cardan make ring 3 -o ring.yaml >out 2>err
code "auto, maximal coordinates" 0 cardan run ring.yaml -d 0.2 --generated never -o ring.csv --force
line "auto, maximal coordinates" "ring-3: 0.2 s" lagrange dopri5
code "auto, generated always" 0 cardan run ring.yaml -d 0.2 --generated always -o ring.csv --force --json
true_of "auto, generated always" out "d['generated']['used']"
code "lagrange, generated always" 0 cardan run ring.yaml -d 0.2 -f lagrange --generated always -o ring.csv --force
message "lagrange, generated always" generated_code_not_used "'lagrange'" "augmented"
models=$root/models

# no compiler
code "no compiler" 0 env PATH=/nowhere "$build/cardan" run "$models/four_bar" --generated always -d 0.1 -o r.csv --force
message "no compiler" generated_code_not_used "warning" CC "cc, gcc and clang" PATH
code "no compiler, generated auto" 0 env PATH=/nowhere "$build/cardan" run "$models/four_bar" -d 400 --output-interval 10 -i rk4 --step 0.0005 -o r.csv --force
message "no compiler, generated auto" generated_code_not_used "note" CC "cc, gcc and clang" PATH
code "another compiler" 0 env CC=nowhere-cc "$build/cardan" run "$models/pendulum" --generated always -d 0.1 -o r.csv --force --json
message "another compiler" compiler_missing "note" "'nowhere-cc'"
true_of "another compiler" out "d['generated']['used']"
mkdir -p "two words" && ln -sf "$(command -v cc)" "two words/cc"
code "a path with a blank" 0 env "CC=$PWD/two words/cc" "$build/cardan" run "$models/pendulum" --generated always -d 0.1 -o r.csv --force --json
true_of "a path with a blank" out "d['generated']['used']"
code "a compiler that fails" 0 env CC=false "$build/cardan" run "$models/pendulum" --generated always -d 0.1 -o r.csv --force
message "a compiler that fails" generated_code_not_used false " 1 "
code "short run without compiler" 0 env PATH=/nowhere "$build/cardan" run "$models/four_bar" -d 0.1 -o r.csv --force
lacks "short run without compiler" "[generated_code_not_used]" err

# the cache
code "second run" 0 cardan run "$models/four_bar" --generated always -d 0.1 -o r.csv --force --json
true_of "second run" out "d['generated']['cached']"
code "another parameter" 0 cardan run stops.yaml --set mass=2 --generated always -d 0.1 -o r.csv --force --json
true_of "another parameter" out "not d['generated']['cached']"
for file in "$CARDAN_CACHE"/*.so; do
    size=$(wc -c <"$file")
    head -c $((size / 2)) "$file" >half && cp half "$file"
done
code "truncated file" 0 cardan run "$models/four_bar" --generated always -d 0.1 -o r.csv --force --json
message "truncated file" cache_damaged "$CARDAN_CACHE/" ".so"
true_of "truncated file" out "d['generated']['used'] and not d['generated']['cached']"
for file in "$CARDAN_CACHE"/*.so; do printf 'x' | dd of="$file" bs=1 seek=2000 conv=notrunc 2>dd; done
code "a byte changed" 0 cardan run "$models/four_bar" --generated always -d 0.1 -o r.csv --force --json
message "a byte changed" cache_damaged "$CARDAN_CACHE/" ".so"
: >file
code "no cache" 0 env CARDAN_CACHE="$scratch/file/cache" "$build/cardan" run "$models/pendulum" --generated always -d 0.1 -o r.csv --force --json
true_of "no cache" out "d['generated']['used']"

# unsafe caches: a message, the run continues without generated code, and no file of the cache is changed
without() { # NAME CACHE TEXT...
    about=$1 cache=$2
    shift 2
    code "$about" 0 env CARDAN_CACHE="$cache" "$build/cardan" run "$models/four_bar" --generated always -d 0.1 -o r.csv --force --json
    message "$about" generated_code_not_used "$@"
    true_of "$about" out "not d['generated']['used']"
}
for file in "$CARDAN_CACHE"/*.so; do [ "$(stat -c %a "$file")" = 600 ] && pass || fail "mode of $file: $(stat -c %a "$file")"; done
[ "$(stat -c %a "$CARDAN_CACHE")" = 700 ] && pass || fail "mode of the cache: $(stat -c %a "$CARDAN_CACHE")"
chmod 770 "$CARDAN_CACHE"
without "a cache of a group" "$CARDAN_CACHE" "'$CARDAN_CACHE'" 0770 CARDAN_CACHE
chmod 700 "$CARDAN_CACHE"
ln -s "$CARDAN_CACHE" linked
without "a cache that is a link" "$scratch/linked" "'$scratch/linked'"
without "a cache that is a link, and a slash" "$scratch/linked/" "'$scratch/linked'"
chmod o+w "$CARDAN_CACHE"/*.so
without "files that others can write" "$CARDAN_CACHE" "'$CARDAN_CACHE/" ".so'" 0602
chmod o-w "$CARDAN_CACHE"/*.so
mkdir moved && mv "$CARDAN_CACHE"/*.so moved
for file in moved/*.so; do ln -s "$scratch/$file" "$CARDAN_CACHE"; done
without "files that are links" "$CARDAN_CACHE" "'$CARDAN_CACHE/" ".so'"
rm "$CARDAN_CACHE"/*.so && mv moved/*.so "$CARDAN_CACHE"
code "safe again" 0 cardan run "$models/four_bar" --generated always -d 0.1 -o r.csv --force --json
true_of "safe again" out "d['generated']['cached']"
chmod 500 "$CARDAN_CACHE"
code "a cache without write permission" 0 cardan run "$models/four_bar" --generated always -d 0.1 -o r.csv --force --json
true_of "a cache without write permission" out "d['generated']['cached']"
chmod 770 "$CARDAN_CACHE"
code "auto" 0 cardan run "$models/four_bar" -d 400 --output-interval 10 -i rk4 --step 0.0005 -o r.csv --force
message "auto" generated_code_not_used "note" "'$CARDAN_CACHE'"
chmod 700 "$CARDAN_CACHE"
code "unsafe folder of temporary files" 0 env TMPDIR="$scratch/open" CARDAN_CACHE="$scratch/file/cache" sh -c 'mkdir open && chmod 777 open && exec cardan run "$0/pendulum" --generated always -d 0.1 -o r.csv --force --json' "$models"
message "unsafe folder of temporary files" generated_code_not_used "'$scratch/open'" TMPDIR
true_of "unsafe folder of temporary files" out "not d['generated']['used']"

# a cache of another user
guest() { "$@"; }
[ "$(id -u)" -ne 0 ] || guest() { setpriv --reuid=65534 --regid=65534 --clear-groups -- "$@"; }
chmod 755 "$scratch"
mkdir -m 777 guest
if [ "$(id -u)" -eq 0 ] && guest test -x "$build/cardan" -a -r "$models/four_bar" -a -w guest 2>/dev/null; then
    foreign() { # NAME CACHE TEXT...
        about=$1 cache=$2
        shift 2
        CARDAN_CACHE=$cache guest cardan run "$models/four_bar" --generated always -d 0.1 -o guest/r.csv --force --json >out 2>err && pass || fail "$about"
        message "$about" generated_code_not_used "$@"
        true_of "$about" out "not d['generated']['used']"
    }
    foreign "a closed cache of another user" "$CARDAN_CACHE" "'$CARDAN_CACHE'" "user 0" "user 65534"
    chmod -R a+rX "$CARDAN_CACHE"
    foreign "a cache of another user" "$CARDAN_CACHE" "'$CARDAN_CACHE'" "user 0" "user 65534"
    mkdir guest/cache && cp "$CARDAN_CACHE"/*.so guest/cache && chown 65534 guest/cache && chmod 700 guest/cache
    foreign "files of another user" "$scratch/guest/cache" ".so'" "user 0" "user 65534"
    chown -R 65534 guest/cache && chmod 600 guest/cache/*.so
    CARDAN_CACHE=$scratch/guest/cache guest cardan run "$models/four_bar" --generated always -d 0.1 -o guest/r.csv --force --json >out 2>err && pass || fail "a cache of the user"
    true_of "a cache of the user" out "d['generated']['used'] and d['generated']['cached']"
    chmod -R go-rwx "$CARDAN_CACHE"
fi

# concurrent processes, from an empty cache
rm -rf "$CARDAN_CACHE"
for i in 1 2 3; do
    cardan run "$models/pendulum" --generated always -d 0.1 -o "at$i.csv" --force --json >"at$i.json" 2>"at$i.err" &
done
wait
for i in 1 2 3; do
    true_of "process $i" "at$i.json" "d['generated']['used'] and d['status'] == 'ok'"
    if cmp -s at1.csv "at$i.csv"; then pass; else fail "process $i differs"; fi
done
if [ "$(ls "$CARDAN_CACHE" | wc -l)" -eq 1 ]; then pass; else fail "the cache holds $(ls "$CARDAN_CACHE")"; fi

# an interrupted compiler: its folder exists while the process runs, and the next run removes it after that
printf '#!/bin/sh\ntouch "$CARDAN_CACHE/begun"\nexec sleep "$SLOW"\n' >slow
chmod +x slow
start_run() { # SECONDS MODEL FILE: a run with a compiler of this duration, in the background
    rm -f "$CARDAN_CACHE/begun"
    CC=$scratch/slow SLOW=$1 cardan run "$models/$2" --generated always -d 0.1 -o "$3.csv" --force --quiet 2>"$3.err" &
    process=$!
    for i in $(seq 100); do [ -e "$CARDAN_CACHE/begun" ] || sleep 0.05; done
}
work_folders() { find "$CARDAN_CACHE" -name '*work-*' | wc -l; }
start_run 3 double_pendulum slow
code "while another compiles" 0 cardan run "$models/pendulum" --generated always -d 0.1 -o r.csv --force --quiet
if [ "$(work_folders)" -eq 1 ]; then pass; else fail "the folder of another process: $(ls -a "$CARDAN_CACHE")"; fi
kill -9 $process
wait $process 2>wait.err
if [ "$(work_folders)" -eq 1 ]; then pass; else fail "the folder of a process that was killed: $(ls -a "$CARDAN_CACHE")"; fi
code "the next start" 0 cardan run "$models/pendulum" --generated always -d 0.1 -o r.csv --force --quiet
if [ "$(work_folders)" -eq 0 ]; then pass; else fail "after the next start: $(ls -a "$CARDAN_CACHE")"; fi
for signal in INT TERM HUP; do
    # shells start background processes with SIGINT ignored
    python "$signal while compiling" $signal "$models/double_pendulum" "$scratch/slow" <<'PYTHON'
import glob, os, signal, subprocess, sys, time
cache = os.environ["CARDAN_CACHE"]
if os.path.exists(cache + "/begun"): os.remove(cache + "/begun")
number = getattr(signal, "SIG" + sys.argv[1])
p = subprocess.Popen(["cardan", "run", sys.argv[2], "--generated", "always", "-o", "signal.csv", "--force"],
                     env=dict(os.environ, CC=sys.argv[3], SLOW="0.5"), preexec_fn=lambda: signal.signal(number, signal.SIG_DFL))
while not os.path.exists(cache + "/begun"): time.sleep(0.02)
p.send_signal(number)
assert p.wait(timeout=20) == 130, p.returncode
assert not glob.glob(cache + "/*work-*") and not glob.glob(cache + "/.work-*"), os.listdir(cache)
PYTHON
done
code "ignored SIGHUP" 0 sh -c 'trap "" HUP; cardan run "$0/pendulum" -d 2 --quiet -o ignored.csv --force & sleep 0.01; kill -HUP $!; wait $!' "$models"
code "an unknown choice" 2 cardan run "$models/pendulum" --generated often
message "an unknown choice" unknown_name "'often'"
ends
