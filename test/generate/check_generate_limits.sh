#!/bin/sh
# Generated code of mechanisms with small dimensions, steep expressions, or expressions that are defined only near the
# start; and failures of generation, writing, compilation and cache. The self-test of generated code compares it with
# the library.
. "$(dirname "$0")/../support/tool.sh"

slide() { # NAME START FORMULA [SECTION]: a mass on a prismatic joint with an actuator
    cat >"$1.yaml" <<END
cardan: 1
name: $1
gravity: [0, 0, 0]
bodies: {b: {at: [0, 0, 0], mass: 0.01, inertia: [1, 1, 1]}}
joints: {X: {prismatic: [ground, b], at: [0, 0, 0], axis: z, start: {q: $2}}}
forces: {f: {actuator: X, effort: '=$3'}}
run: {duration: 0.01}
${4:-}
END
}
try() { # NAME
    code "$1, compiled" 0 gcc -O1 -std=c11 -DSELFTEST -o self "code/$1/$1.c" -lm
    code "$1, self-test" 0 ./self
    says "$1, self-test" "$1: "
}

# ---- expressions that are defined near the start only: in q, in states, on one side, in time, within the range of
# numbers
slide valve 0.001 "10*sqrt(0.002 + q(X))"
slide store 0 "5*sqrt(0.3 - s)" "states: {s: {start: 0.2, rate: '=-s'}}"
slide side 0 "sqrt(q(X))"
slide early 0 "sqrt(0.01 - t)"
slide steep 0 "-1e-3*(exp(q(X)/1e-4) - exp(-q(X)/1e-4))"
slide slow 0 "sqrt(1e-3 - v(X))"
for model in valve store side early steep slow; do
    code "$model" 0 cardan generate $model.yaml --form motion,rate,rate_d,equations,equations_d -o code/$model
    try $model
done
for method in dopri5 generalized-alpha; do
    code "valve by $method" 0 cardan run valve.yaml -i $method --generated always -o r.csv --force --json
    true_of "valve by $method" out "d['generated']['used']"
done
# with a loop: states near the assembled start
cat >crank.yaml <<'END'
cardan: 1
name: crank
bodies:
  crank: {rod: [[0, 0, 0], [0.01, 0, 0]], mass: 1}
  rod: {rod: [[0.01, 0, 0], [0.04, 0, 0]], mass: 0.1}
  piston: {at: [0.04, 0, 0], mass: 2}
joints:
  main: {revolute: [ground, crank], at: [0, 0, 0], axis: z, start: {q: 1, v: 20}}
  big: {revolute: [crank, rod], at: [0.01, 0, 0], axis: z}
  small: {revolute: [rod, piston], at: [0.04, 0, 0], axis: z}
  bore: {prismatic: [ground, piston], at: [0.04, 0, 0], axis: x}
forces: {f: {actuator: main, effort: '=sqrt(0.0001 - (q(main) - 1)^2)'}}
END
code "crank" 0 cardan generate crank.yaml --form motion,rate,equations,motion_d -o code/crank
try crank
slide nowhere 0 "sqrt(-1 - t)"
for form in motion equations; do
    code "nowhere finite, $form" 3 cardan generate nowhere.yaml --form $form -o code/nowhere
    message "nowhere finite, $form" form_unavailable "error" "'$form'" "'nowhere'"
done
code "nowhere finite, unnamed" 0 cardan generate nowhere.yaml -o code/nowhere
message "nowhere finite, unnamed" form_unavailable "note" "'motion'" "'X'"

# ---- derivatives of expressions with a wavelength of 1e-4 m, or undefined at that distance
slide wave 0.001 "-sin(q(X)/1e-4)"
slide end 1e-5 "sqrt(2e-5 + q(X))"
for model in wave end; do
    code "derivatives of $model" 0 cardan generate $model.yaml --form motion --jacobian q,v --hessian q -o code/$model
    try $model
done

# ---- a free sphere: its efforts do not depend on the state, derivatives are rounding errors
for ball in "mass: 1, inertia: [1, 1, 1]" "mass: 2, sphere: 0.3" "mass: 2e4, sphere: 3"; do
    printf 'cardan: 1\nname: ball\nbodies: {b: {at: [0, 0, 0], %s}}\n' "$ball" >ball.yaml
    for wide in "" --float; do
        code "a ball $wide" 0 cardan generate ball.yaml --form impl,impl_j,impl_d $wide -o code/ball --force
        try ball
    done
done

# ---- all files or none
mkdir -p half/ball.h
code "a folder instead of a header" 1 cardan generate ball.yaml --form impl -o half --force
message "a folder instead of a header" file_not_writable "'half/ball.h'"
[ ! -e half/ball.c ] && pass || fail "half/ball.c is written though half/ball.h cannot be"
mkdir kept && echo mine >kept/ball.h
code "an existing header" 1 cardan generate ball.yaml --form impl -o kept
message "an existing header" file_exists "kept/ball.h"
[ "$(ls kept)" = ball.h ] && pass || fail "kept holds $(ls kept)"

# ---- limited file size: a message, and no files remain
small() { (ulimit -f 8 && "$@"); }
code "no space for code" 1 small cardan generate "$root/models/four_bar" --form motion_d -o full --quiet
message "no space for code" file_not_writable "full/four_bar.c: error"
[ -z "$(ls full)" ] && pass || fail "full holds $(ls full)"
code "no space for results" 1 small cardan run "$root/models/pendulum" -d 20 --output-interval 0.001 --generated never -o full/r.csv --quiet
message "no space for results" file_not_writable "full/r.csv: error"
[ -z "$(ls full)" ] && pass || fail "full holds $(ls full)"

# ---- failures of compilers and of the cache
with() { env "$@" cardan run ball.yaml -d 0.1 --generated always -o r.csv --force; }
code "a compiler that prints nothing" 0 with CC=false
message "a compiler that prints nothing" generated_code_not_used "false" " 1 "
printf '#!/bin/sh\necho "In file included from a.h"\necho "b.h:3: fatal error: no such file"\necho more\nexit 4\n' >prints
printf '#!/bin/sh\nkill -9 $$\n' >dies
echo "no program" >text
chmod +x prints dies text
code "a compiler that prints" 0 with "CC=$scratch/prints -m32"
message "a compiler that prints" generated_code_not_used "prints -m32" " 4" "b.h:3: fatal error: no such file"
code "a compiler ended by a signal" 0 with "CC=$scratch/dies"
message "a compiler ended by a signal" generated_code_not_used "/dies" " 9"
code "a compiler that is not a program" 0 with "CC=$scratch/text"
message "a compiler that is not a program" generated_code_not_used "/text"
code "no cache" 0 with "CARDAN_CACHE=$scratch/text/x"
message "no cache" cache_unavailable "note" "'$scratch/text/x'" CARDAN_CACHE
[ "$(grep -cF '[cache_unavailable]' err)" = 1 ] && pass || fail "more than one message of the cache"
code "no home" 0 with -u CARDAN_CACHE -u XDG_CACHE_HOME -u HOME
message "no home" cache_unavailable CARDAN_CACHE
code "a cache" 0 with "CARDAN_CACHE=$scratch/fresh"
lacks "a cache" "[cache_unavailable]" err

# ---- long code
code "long code" 0 cardan generate "$root/models/robots/talos" --form exp1,impl --jacobian q,v --batch -o code/long
message "long code" long_compilation "talos.c" " MB" "-O2" " s" "--form"

# ---- limited memory (not with sanitizers, which reserve address space)
if (ulimit -v 400000 && cardan version) >out 2>err; then
    code "a chain" 0 cardan make chain 600 -o chain.yaml
    limited() { (ulimit -v 400000 && "$@"); }
    code "no memory" 1 limited cardan generate chain.yaml --form exp1 -o code/chain
    message "no memory" out_of_memory "'exp1'" "'chain-600'" "600 " "'exp2'"
    [ "$(grep -cF '[out_of_memory]' err)" = 1 ] && pass || fail "more than one message of memory"
fi
ends
