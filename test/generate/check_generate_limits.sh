#!/bin/sh
# Code of mechanisms that are small, steep, or defined near their start alone; and what is said where code cannot be made, written or compiled.
. "$(dirname "$0")/../support/tool.sh"

slide() { # NAME START FORMULA [REST]: a mass on a rail, pushed by a formula
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
    code "$1, tested" 0 ./self
    says "$1, tested" "all results agree"
}

# ---- formulas that have values near the start alone: in q, in states, on one side, in time, within their range of numbers
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
# as beside a loop: from where it starts, closed
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
    says "nowhere finite, $form" "there is no form '$form' of 'nowhere': it is not finite around the start, however near (at t = " err
    says "nowhere finite, $form" "start where all formulas have a value" err
    lacks "nowhere finite, $form" "pivots" err
done
code "nowhere finite, unnamed" 0 cardan generate nowhere.yaml -o code/nowhere
says "nowhere finite, unnamed" "form 'motion' left out: it is not finite" err

# ---- derivatives of formulas that bend within a tenth of a millimetre, or end there
slide wave 0.001 "-sin(q(X)/1e-4)"
slide end 1e-5 "sqrt(2e-5 + q(X))"
for model in wave end; do
    code "derivatives of $model" 0 cardan generate $model.yaml --form motion --jacobian q,v --hessian q -o code/$model
    try $model
done

# ---- efforts of a ball without joints depend on nothing: what is left is rounding
for ball in "mass: 1, inertia: [1, 1, 1]" "mass: 2, sphere: 0.3" "mass: 2e4, sphere: 3"; do
    printf 'cardan: 1\nname: ball\nbodies: {b: {at: [0, 0, 0], %s}}\n' "$ball" >ball.yaml
    for wide in "" --float; do
        code "a ball $wide" 0 cardan generate ball.yaml --form impl,impl_j,impl_d $wide -o code/ball --force
        try ball
    done
done

# ---- all files or none
mkdir -p half/ball.h
code "a folder in the way" 1 cardan generate ball.yaml --form impl -o half --force
says "a folder in the way" "'half/ball.h' is a folder" err
[ ! -e half/ball.c ] && pass || fail "half/ball.c is written though half/ball.h cannot be"
mkdir kept && echo mine >kept/ball.h
code "a header in the way" 1 cardan generate ball.yaml --form impl -o kept
[ "$(ls kept)" = ball.h ] && pass || fail "kept holds $(ls kept)"

# ---- files that may not grow: a sentence, and nothing left
small() { (ulimit -f 8 && "$@"); }
code "no room for code" 1 small cardan generate "$root/models/four_bar" --form motion_d -o full --quiet
says "no room for code" "cannot be written: File too large" err
[ -z "$(ls full)" ] && pass || fail "full holds $(ls full)"
code "no room for results" 1 small cardan run "$root/models/pendulum" -d 20 --output-interval 0.001 --generated never -o full/r.csv --quiet
says "no room for results" "cannot be written" err
[ -z "$(ls full)" ] && pass || fail "full holds $(ls full)"

# ---- compilers that fail, and where nothing can be kept
with() { env "$@" cardan run ball.yaml -d 0.1 --generated always -o r.csv --force; }
code "a compiler without a word" 0 with CC=false
says "a compiler without a word" "failed with exit code 1 and printed nothing" err
printf '#!/bin/sh\necho "In file included from a.h"\necho "b.h:3: fatal error: no such file"\necho more\nexit 4\n' >talks
printf '#!/bin/sh\nkill -9 $$\n' >dies
echo "no program" >text
chmod +x talks dies text
code "a compiler that talks" 0 with "CC=$scratch/talks -m32"
says "a compiler that talks" "talks -m32 failed with exit code 4: b.h:3: fatal error: no such file" err
code "a compiler that dies" 0 with "CC=$scratch/dies"
says "a compiler that dies" "dies was ended by signal 9 and printed nothing" err
code "no compiler at all" 0 with "CC=$scratch/text"
says "no compiler at all" "text cannot be started (" err
code "no cache" 0 with "CARDAN_CACHE=$scratch/text/x"
says "no cache" "note: generated code cannot be kept, and is compiled again in every run: the cache '$scratch/text/x' cannot be written" err
[ "$(grep -c "cannot be kept" err)" = 1 ] && pass || fail "told more than once"
code "no home" 0 with -u CARDAN_CACHE -u XDG_CACHE_HOME -u HOME
says "no home" "every run: there is no folder for it; CARDAN_CACHE names one" err
code "a cache" 0 with "CARDAN_CACHE=$scratch/fresh"
lacks "a cache" "cannot be kept" err

# ---- more code than compilers like
code "long code" 0 cardan generate "$root/models/robots/talos" --form exp1,impl --jacobian q,v --batch -o code/long
says "long code" "note: talos.c has " err
says "long code" "gcc -O2 takes about " err

# ---- more code than memory (sanitizers take theirs first)
if (ulimit -v 400000 && cardan version) >out 2>err; then
    code "a chain" 0 cardan make chain 600 -o chain.yaml
    tight() { (ulimit -v 400000 && "$@"); }
    code "no memory" 1 tight cardan generate chain.yaml --form exp1 -o code/chain
    says "no memory" "out of memory at form 'exp1' of 'chain" err
    says "no memory" "form 'exp2' gives the same" err
    [ "$(grep -c "out of memory" err)" = 1 ] && pass || fail "out of memory is told more than once"
fi
ends
