#!/bin/sh
# Generated code in C, Python and Octave: it compiles without warnings (gcc, clang), and its self-test, which compares
# it with the library, passes. Further: derivatives, batches, parameters, states far from the trace state, reserved
# words, operation counts. CARDAN_SLOW=1 adds large robots and a vehicle.
. "$(dirname "$0")/../support/tool.sh"

models="arm_pendulum door four_bar"
[ "${CARDAN_SLOW:-}" ] && models="$models robots/ur5 branches stewart robots/panda robots/anymal robots/humanoid robots/talos hmmwv"
compilers=gcc
command -v clang >/dev/null && compilers="gcc clang"

try() { # FOLDER
    for source in "$1"/*.c; do
        for compiler in $compilers; do
            code "$compiler $source" 0 "$compiler" -O1 -std=c11 -Wall -Wextra -Wpedantic -Wconversion -Werror -DSELFTEST -o self "$source" -lm
            code "$source by $compiler" 0 ./self
            says "$source by $compiler" "$(basename "$source" .c): "
        done
    done
}

for model in $models; do
    code "generate $model" 0 cardan generate "$root/models/$model" -o "code/$model" --quiet
    try "code/$model"
done
code "ladder of 8 cells" 0 cardan make ladder 8 -o ladder.yaml
code "generate ladder" 0 cardan generate ladder.yaml --form motion -o code/ladder --quiet
try code/ladder
# batches: the number of vectors kept in memory between parts is bounded
code "batch of Talos" 0 cardan generate "$root/models/robots/talos" --batch --form impl -o code/batch --quiet
kept=$(sed -n 's/.*vector w\[BLOCKS \* VECTORS\]\[\([0-9]*\)\].*/\1/p' code/batch/talos.c)
code "vectors kept: $kept of 140" 0 test "$kept" -le 140
# layout: values of rows are stored after the pair that computes them, pairs have even indices, rows begin at cache
# lines, and outputs are not read immediately after they are written
code "Jacobian of Talos" 0 cardan generate "$root/models/robots/talos" --form impl_j --sparse -o code/jacobian --quiet
cat > far.awk <<'END'
/^    PAIR_LOOP/ { last = -9; written = "" }
/PAIR_LOOP PAIR\(p\[/ { match($0, /p\[[0-9]+/); last = substr($0, RSTART + 2, RLENGTH - 2) + 0; next }
/^    g\[[0-9]+\] = -?p\[[0-9]+\];/ { match($0, /p\[[0-9]+/); at = substr($0, RSTART + 2, RLENGTH - 2) + 0; ++all; far += at != last && at != last + 1 }
/^    (UNROLL )?for .* g\[[0-9]+ \+ k\] =/ { match($0, /g\[[0-9]+/); written = substr($0, RSTART + 2, RLENGTH - 2) }
/^    for .* tau_[qv]\[[0-9]+ \+ k\] = g\[[0-9]+ \+ k\];/ { match($0, / g\[[0-9]+/); at_once += substr($0, RSTART + 3, RLENGTH - 3) == written }
END { exit !(all > 300 && 3 * far < all && at_once < 5) }
END
code "numbers of rows at once, outputs later" 0 awk -f far.awk code/jacobian/talos.c
code "pairs at even places" 1 grep -q 'PAIR(g\[[0-9]*[13579]\]) =' code/jacobian/talos.c
code "memory of rows is aligned" 0 grep -q '_Alignas(64) double g\[' code/jacobian/talos.c
# methods with too many operations are not traced completely: a long chain takes seconds, by articulated-body inertias
total() { awk -v form="$1" '$1 == form { print $6 }' out; }
code "chain of 1000 links" 0 cardan make chain 1000 -o chain.yaml
code "generate chain" 0 timeout 200 cardan generate chain.yaml --form exp2,motion,rate --count
[ "$(total motion)" ] && [ "$(total motion)" = "$(total exp2)" ] && pass || fail "operations of motion and exp2 of a chain differ"
code "float" 0 cardan generate "$root/models/arm_pendulum" --form impl,exp2 --float -o code/float --quiet
try code/float
# single precision loses digits where constraints are ill-conditioned; a wrong sign is still detected
code "ill-conditioned floats" 0 cardan generate "$root/models/diagnosis/rssr.yaml" --form motion --batch --float -o code/ill --quiet
try code/ill
for i in 0 1 2 3 4; do
    sed "s/^    a\\[$i\\] = \\(.*\\);/    a[$i] = -(\\1);/" code/ill/RSSR.c >wrong.c
    cp code/ill/RSSR.h . && gcc -O1 -std=c11 -DSELFTEST -o self wrong.c -lm
    cmp -s wrong.c code/ill/RSSR.c && fail "a[$i] is not in the code"
    code "a[$i] of the wrong sign" 1 ./self
done

printf 'cardan: 1\nname: logic\nbodies: {bob: {rod: [[0, 0, 0], [1, 0, 0]], mass: 1}}\njoints: {hinge: {revolute: [ground, bob], at: [0, 0, 0], axis: y}}\nforces: {push: {actuator: hinge, effort: "=if(q(hinge) > 0 and not (t < 0.3) or v(hinge), mod(q(hinge), 0.7), sign(t)) + (not q(hinge) and v(hinge) < 1)"}}\n' >logic.yaml
code "logic" 0 cardan generate logic.yaml --form motion,rate --batch -o code/logic --quiet
try code/logic
code "logic of floats" 0 cardan generate logic.yaml --form motion,rate --batch --float -o code/logic_float --quiet
try code/logic_float

code "derivatives" 0 cardan generate "$root/models/arm_pendulum" --form impl_d,impl_j,exp1_d -o code/derivatives --quiet
try code/derivatives
code "sparse" 0 cardan generate "$root/models/branches" --form impl_j,mass,exp1_d --sparse --batch -o code/sparse --quiet
try code/sparse
code "twins" 0 cardan generate "$root/models/robots/anymal" --form impl_j --sparse -o code/twins --quiet
try code/twins
grep -q "enum { branches_mass_matrix_M_entries = [1-9]" code/sparse/branches.h && pass || fail "number of entries of sparse matrices"
grep -q "PAIR_LOOP PAIR" code/twins/anymal.c && pass || fail "legs of anymal are not computed as pairs"
code "pairs without vectors" 0 gcc -O1 -std=c11 -Wall -Wextra -Wpedantic -Werror -DPLAIN -DSELFTEST -o self code/twins/anymal.c -lm
code "pairs without vectors" 0 ./self
code "sparse in C only" 2 cardan generate "$root/models/arm_pendulum" --language python --sparse -o code/nothing

code "derivatives of any form" 0 cardan generate "$root/models/diagnosis/rssr.yaml" --form motion --jacobian q,v,effort -o code/any --quiet
try code/any
code "Hessians of trees" 0 cardan generate "$root/models/free_body" --form impl,energy --jacobian q,v,a --hessian q,v,a --batch -o code/hessian --quiet
try code/hessian
code "Hessians of loops" 0 cardan generate "$root/models/four_bar" --form motion --hessian q,v,effort,t --float -o code/hessian_loop --quiet
try code/hessian_loop
code "derivatives that vanish" 0 cardan generate "$root/models/free_body" --form mass,motion,impl --jacobian q,v --hessian q -o code/vanish --quiet
try code/vanish
cat >gantry.yaml <<'YAML'
cardan: 1
name: gantry
bodies: {a: {mass: 3, at: [0, 0, 0]}, b: {mass: 2, at: [0, 0, 0]}}
joints: {x: {prismatic: [ground, a], at: [0, 0, 0], axis: [1, 0.1, 0.2]}, y: {prismatic: [a, b], at: [0, 0, 0], axis: [0.1, 1, 0.3]}}
YAML
code "derivatives that are zero" 0 cardan generate gantry.yaml --form impl,mass --jacobian q --hessian q --batch -o code/gantry --quiet
try code/gantry
cat >zeros.c <<'END'
// Loops over the sizes of the arrays read zeros inside of the matrix, for one state and for a batch.
#include "gantry.h"
_Static_assert(gantry_mass_matrix_sparse_jacobian_J_entries == 0 && gantry_mass_matrix_sparse_hessian_H_entries == 0, "");
enum { STATES = 2 * gantry_lanes + 3, ROOM = gantry_room(STATES, 4) };
int main(void)
{
    static double q[ROOM], weight[ROOM], batch[gantry_room(STATES, 1)];
    double        J[1] = {7}, H[1] = {7};
    int           wrong = 0;
    gantry_mass_matrix_sparse_jacobian(q, J);
    gantry_mass_matrix_sparse_hessian(q, weight, H);
    for (unsigned i = 0; i < sizeof gantry_mass_matrix_sparse_jacobian_J_row / sizeof(int); ++i)
        wrong += J[i] != 0 || gantry_mass_matrix_sparse_jacobian_J_row[i] != 0 || gantry_mass_matrix_sparse_jacobian_J_column[i] != 0;
    for (unsigned i = 0; i < sizeof gantry_mass_matrix_sparse_hessian_H_row / sizeof(int); ++i) wrong += H[i] != 0;
    for (int s = 0; s < STATES; ++s) batch[s] = 7;
    gantry_mass_matrix_sparse_jacobian_batch(STATES, q, batch);
    for (int s = 0; s < STATES; ++s) wrong += batch[s] != 0;
    for (int s = 0; s < STATES; ++s) batch[s] = 7;
    gantry_mass_matrix_sparse_hessian_batch(STATES, q, weight, batch);
    for (int s = 0; s < STATES; ++s) wrong += batch[s] != 0;
    return wrong != 0;
}
END
code "zeros" 0 gcc -O1 -std=c11 -Wall -Wextra -Werror -fsanitize=address,undefined -fno-sanitize-recover=all -Icode/gantry -o self zeros.c code/gantry/gantry.c -lm
code "zeros" 0 ./self
cat >sphere.yaml <<'YAML'
cardan: 1
bodies: {ball: {mass: 1, at: [0, 0, 0], sphere: 0.1}}
joints: {free: {free: [ground, ball], start: {v: [1, 0, 3, 1, 2, 3]}}}
YAML
code "constant rates" 0 cardan generate sphere.yaml --form rate,rate_d -o code/sphere --quiet
try code/sphere
code "derivatives of named forms" 2 cardan generate "$root/models/door" --jacobian q
message "derivatives of named forms" usage "--form"
code "derivatives by an argument of another form" 2 cardan generate "$root/models/door" --form mass --jacobian a
code "derivatives by an unknown argument" 2 cardan generate "$root/models/door" --form mass --jacobian u
message "derivatives by an unknown argument" unknown_name "'u'" "q, v, a, effort, state"

code "Hessian by an argument of another form" 2 cardan generate "$root/models/door" --form mass --jacobian q --hessian v --count
message "Hessian by an argument of another form" form_unavailable "'mass'" "'door'" "--hessian"

# forms that a mechanism does not have
cat >massless.yaml <<'YAML'
cardan: 1
bodies: {crank: {rod: [[0, 0, 0], [0.1, 0, 0]], mass: 1}, rod: {at: [0.1, 0, 0]}, piston: {at: [0.4, 0, 0], mass: 2}}
joints:
  main: {revolute: [ground, crank], at: [0, 0, 0], axis: z, start: {q: 1, v: 20}}
  big: {revolute: [crank, rod], at: [0.1, 0, 0], axis: z}
  small: {revolute: [rod, piston], at: [0.4, 0, 0], axis: z}
  bore: {prismatic: [ground, piston], at: [0.4, 0, 0], axis: x}
YAML
code "a rod without mass" 0 cardan generate massless.yaml -o code/massless
message "a rod without mass" form_unavailable "massless.yaml:5:3: note" "'exp1'" "'exp2'" "'big'" "'motion'"
try code/massless
grep -q "'exp1'" code/massless/massless.h && grep -q massless_accelerations code/massless/massless.h && ! grep -q forward_dynamics code/massless/massless.h && pass || fail "forms of the rod without mass"
code "an unavailable form" 1 cardan generate massless.yaml --form exp1 -o code/nothing
message "an unavailable form" form_unavailable "massless.yaml:5:3: error" "'exp1'" "'massless'" "'big'" "'motion'"
code "an unknown form with a suggestion" 2 cardan generate massless.yaml --form moton -o code/nothing
message "an unknown form with a suggestion" unknown_name "'moton'" "'motion'"
code "zero degrees of freedom" 0 cardan generate "$root/models/diagnosis/frame.yaml" -o code/frame --quiet
try code/frame
code "numbers beyond single precision" 0 cardan generate "$root/models/six_bar" --form motion --float -o code/six_bar --quiet
try code/six_bar
code "a quaternion on a plane" 0 cardan generate "$root/models/rolling_disc" --form motion,equations,equations_d --jacobian q,v -o code/rolling --quiet
try code/rolling
for loop in four_bar bricard parallelogram; do
    code "derivatives of $loop" 0 cardan generate "$root/models/$loop" --form motion_d,rate_d,equations_d -o "code/loop_derivatives/$loop" --quiet
    try "code/loop_derivatives/$loop"
done
code "redundant constraints" 1 cardan generate "$root/models/ladder" --form motion --jacobian q -o code/nothing
message "redundant constraints" derivatives_not_comparable "'ladder'" "'motion_d'" "'rate_d'" "'equations_d'"
printf 'cardan: 1\nbodies: {p: {at: [0, 0, 0], mass: 1, box: [0.1, 0.1, 0.1]}}\njoints: {f: {free: [ground, p]}}\nconstraints:\n  wire: {point_on_curve: [p, ground], curve: {points: [[0, 0, 0], [1, 0, -1], [2, 0, 0], [3, 0, -3]]}}\n' >wire.yaml
code "a curve" 1 cardan generate wire.yaml --form motion -o code/nothing
message "a curve" form_unavailable "'motion'" "'wire'"

# states far from the trace state, also on other branches, where pivots of the trace state may be invalid: results are
# correct, or NAN with a return code; for one state and for batches
code "far states" 0 "$build/test/test_generated_far_states" states "$root/models/rider/rider.yaml"
cp out states.txt
code "the rider" 0 cardan generate "$root/models/rider" --form motion,rate_d --batch -o code/rider --quiet
cat >far.c <<'END'
#include "rider.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
enum { STATES = 20 };
static double x[STATES][NQ + 3 * NV + 1 + NV], q[STATES][NQ], v[STATES][NV], effort[STATES][NV], t[STATES], all[STATES][NV];
static double Q[rider_room(STATES, NQ)], V[rider_room(STATES, NV)], E[rider_room(STATES, NV)], T[rider_room(STATES, 1)], A[rider_room(STATES, NV)];
static double a_q[NV * NV], a_v[NV * NV], none[NV * NV];
int main(int argc, char** argv)
{
    int   wrong = 0, lost = 0;
    FILE* f = fopen(argv[argc - 1], "r");
    for (int s = 0; s < STATES; ++s) {
        for (int i = 0; i < NQ + 3 * NV + 1 + NV; ++i) wrong += fscanf(f, "%lf", &x[s][i]) != 1;
        memcpy(q[s], x[s], sizeof q[s]), memcpy(v[s], x[s] + NQ, sizeof v[s]), memcpy(effort[s], x[s] + NQ + 2 * NV, sizeof effort[s]);
        t[s] = x[s][NQ + 3 * NV];
    }
    rider_pack(STATES, NQ, q[0], Q), rider_pack(STATES, NV, v[0], V), rider_pack(STATES, NV, effort[0], E), rider_pack(STATES, 1, t, T);
    const long many = rider_accelerations_batch(STATES, Q, V, E, NULL, T, A);
    rider_unpack(STATES, NV, A, all[0]);
    for (int s = 0; s < STATES; ++s) {
        double        a[NV], error = 0, size = 0, batch_error = 0;
        const double* wanted = x[s] + NQ + 3 * NV + 1;
        const int     status = rider_accelerations(q[s], v[s], effort[s], NULL, t[s], a);
        wrong += (rider_rate_derivatives(q[s], v[s], effort[s], NULL, t[s], a_q, a_v, none, none, none, none) != 0) != (status != 0);
        wrong += status ? !isnan(a_q[0]) || !isnan(a_v[NV * NV - 1]) : isnan(a_q[0]);
        wrong += status < 0 || !rider_lost(status)[0] != !status;
        lost += status != 0;
        for (int i = 0; i < NV; ++i) {
            wrong += status ? !isnan(a[i]) || !isnan(all[s][i]) : 0;
            size  = fmax(size, fabs(wanted[i]));
            error = fmax(error, fabs(a[i] - wanted[i]));
            batch_error = fmax(batch_error, fabs(all[s][i] - wanted[i]));
        }
        if (!status) wrong += !(error <= 1e-8 * size) + !(batch_error <= 1e-8 * size);
        if (status) printf("state %d: %s\n", s, rider_lost(status));
    }
    wrong += many != lost || lost < 2 || lost > STATES - 2;
    printf("%d of %d states are invalid, %d wrong\n", lost, STATES, wrong);
    return wrong != 0;
}
END
nq=$(sed -n 's|.*[^a-z]q (\([0-9]*\)).*|\1|p' code/rider/rider.h | head -n 1)
nv=$(sed -n 's|.*[^a-z]v (\([0-9]*\)).*|\1|p' code/rider/rider.h | head -n 1)
code "the rider" 0 gcc -O1 -std=c11 -Wall -Wextra -Werror -DNQ="$nq" -DNV="$nv" -Icode/rider -o self far.c code/rider/rider.c -lm
code "invalid states" 0 ./self states.txt
says "invalid states" "joint '"
grep -q "NAN" code/rider/rider.h && pass || fail "return code in the header"
grep -q "^int arm_with_pendulum_accelerations" code/arm_pendulum/*.h && pass || fail "motion of a tree has a return code"

# parameters of the model file as arguments
code "parameters" 0 cardan generate "$root/models/four_bar" --parameters a,b,d --form motion,rate,energy,markers --jacobian q,p --hessian b --batch -o code/parameters --quiet
try code/parameters
says "parameters" "p[1]  b = 2.2" code/parameters/four_bar.h
says "columns of the Jacobian" "p (3: a, b, d)" code/parameters/four_bar.h
says "rows and columns of the Hessian" "p (1: b)" code/parameters/four_bar.h
code "parameters of a tree" 0 cardan generate "$root/models/cart_pole" --parameters length,cart --float -o code/parameters_tree --quiet
try code/parameters_tree
code "parameters of templates" 0 cardan generate "$root/models/hmmwv/rest.yaml" --parameters FL.p.stiffness,axle --form energy --jacobian p -o code/parameters_use --quiet
try code/parameters_use
printf 'cardan: 1\nname: skew\nparameters: {l: 1}\nbodies: {bob: {rod: [[0, 0, 0], [=l, 0, 0]], mass: 1}}\njoints: {cross: {universal: [ground, bob], at: [0, 0, 0], axes: [y, [0, 0.2, 1]]}}\n' >skew.yaml
code "warnings of the file" 0 cardan generate skew.yaml --parameters l --form motion --jacobian l --count
[ "$(grep -c "skew.yaml:5:.*warning" err)" = 1 ] && pass || fail "number of warnings of the file: $(grep -c "warning" err)"
code "no such parameter" 1 cardan generate "$root/models/door" --parameters widht -o code/nothing
message "no such parameter" unknown_name "'widht'" "'width'"
code "derivatives by no parameter" 2 cardan generate "$root/models/door" --form mass --jacobian p -o code/nothing
code "a parameter of the topology" 1 cardan generate "$root/models/n_four_bar" --parameters N -o code/nothing
message "a parameter of the topology" model_invalid "n_four_bar.yaml:10:10: error" "'N'"
refused() { # NAME FORMULA TEXT...: a pendulum whose length is the formula
    printf 'cardan: 1\nparameters: {l: 1.5}\ntables:\n  bent: {x: [0, 1, 2], y: [1, "=l", 3]}\nbodies:\n  bob: {rod: [[0, 0, 0], ["=%s", 0, 0]], mass: 1}\njoints:\n  hinge: {revolute: [ground, bob], at: [0, 0, 0], axis: y}\n' "$2" >refused.yaml
    code "$1" 1 cardan generate refused.yaml --parameters l -o code/nothing
    about=$1
    shift 2
    message "$about" model_invalid "$@"
}
refused "steps" "if(l > 1, 2, 3)" "refused.yaml:6:27: error" "'bob'" "'if(l > 1, 2, 3)'"
refused "tables" "bent(0.3)" "refused.yaml:4:31: error" "'bent'" "'l'"

code "batch" 0 cardan generate "$root/models/four_bar" --form motion,rate,energy,markers --batch -o code/batch --quiet
try code/batch
code "batch of floats" 0 cardan generate "$root/models/arm_pendulum" --form impl --float --batch -o code/batch_float --quiet
try code/batch_float
for compiler in $compilers; do # lanes as wide as AVX2, where this processor has it
    grep -q avx2 /proc/cpuinfo 2>/dev/null || continue
    for source in code/batch/*.c; do
        code "$compiler, wide" 0 "$compiler" -O2 -mavx2 -mfma -std=c11 -Wall -Wextra -Werror -DSELFTEST -o self "$source" -lm
        code "$compiler, wide" 0 ./self
        says "$compiler, wide" "$(basename "$source" .c): "
    done
done
says "blocks" "enum { four_bar_lanes = 8 };" code/batch/four_bar.h
says "blocks of floats" "_lanes = 16 };" "$(ls code/batch_float/*.h)"
cat >blocks.c <<'END'
// All numbers of states up to three blocks, one by one and as a batch, without access outside of the arrays.
#include "four_bar.h"
#include <math.h>
#include <stdlib.h>
enum { NQ = 3, MOST = 3 * four_bar_lanes };
int main(void)
{
    int wrong = 0;
    for (long n = 0; n <= MOST; ++n) {
        double q[MOST * NQ], v[MOST * NQ], kinetic[MOST], potential[MOST], t[MOST];
        double *Q = malloc(sizeof(double) * four_bar_room(n, NQ) + 8), *V = malloc(sizeof(double) * four_bar_room(n, NQ) + 8), *T = malloc(sizeof(double) * four_bar_room(n, 1) + 8);
        double *K = malloc(sizeof(double) * four_bar_room(n, 1) + 8), *P = malloc(sizeof(double) * four_bar_room(n, 1) + 8);
        for (long i = 0; i < n * NQ; ++i) q[i] = sin((double)i), v[i] = cos(3.0 * (double)i);
        for (long i = 0; i < n; ++i) t[i] = 0;
        four_bar_pack(n, NQ, q, Q), four_bar_pack(n, NQ, v, V), four_bar_pack(n, 1, t, T);
        four_bar_energy_batch(n, Q, V, NULL, T, K, P);
        four_bar_unpack(n, 1, K, kinetic), four_bar_unpack(n, 1, P, potential);
        for (long s = 0; s < n; ++s) {
            double k[1], p[1];
            four_bar_energy(q + s * NQ, v + s * NQ, NULL, 0, k, p);
            wrong += !(fabs(k[0] - kinetic[s]) <= 1e-12 * fabs(k[0])) + !(fabs(p[0] - potential[s]) <= 1e-12 * (1 + fabs(p[0])));
        }
        free(Q), free(V), free(T), free(K), free(P);
    }
    return wrong != 0;
}
END
code "numbers of states" 0 gcc -O1 -std=c11 -fsanitize=address,undefined -fno-sanitize-recover=all -Icode/batch -o self blocks.c code/batch/four_bar.c -lm
code "numbers of states" 0 ./self
code "batch in C only" 2 cardan generate "$root/models/arm_pendulum" --language python --batch -o code/nothing
for language in python octave; do
    code "floats in C only" 2 cardan generate "$root/models/arm_pendulum" --language "$language" --float -o code/nothing
    message "floats in C only" invalid_option " C "
done

# tables used by several routines, energy of springs with tables, inside of the tables and beyond both ends
cat >tables.yaml <<'END'
cardan: 1
name: tables
tables:
  f: {x: [-1, 0, 1], y: [-2, 0, 5]}
  g: {x: [0.1, 0.3, 0.5, 0.9], y: [-30, -5, 7, 90], interpolation: cubic}
bodies: {a: {mass: 1, at: [0, 0, 0]}, b: {mass: 2, at: [0.2, 0, 0]}}
joints: {s: {prismatic: [ground, a], at: [0, 0, 0], axis: x}, r: {prismatic: [ground, b], at: [0.2, 0, 0], axis: y}}
forces:
  push: {actuator: s, effort: "=f(q(s))"}
  soft: {spring: [a, b], force_table: g}
  line: {spring: [{on: ground, at: [0, 0, 1]}, b], force_table: f}
  far: {spring: [{on: ground, at: [0, 0, 3]}, b], force_table: g}
END
code "tables" 0 cardan generate tables.yaml --form motion,rate,energy --jacobian q,v -o code/tables --quiet
try code/tables
code "tables in Python" 0 cardan generate tables.yaml --form motion,rate,energy --language python -o code/tables --quiet
code "tables in Octave" 0 cardan generate tables.yaml --form motion,motion_d,rate,energy --language octave -o code/tables --quiet

# other languages
numpy=
for python in python3 /usr/bin/python3; do
    [ "$numpy" ] || { "$python" -c 'import numpy' 2>/dev/null && numpy=$python; }
done
if [ "$numpy" ]; then
    for model in arm_pendulum four_bar; do
        code "python $model" 0 cardan generate "$root/models/$model" --language python -o "code/python/$model" --quiet
        for source in "code/python/$model"/*.py; do
            code "$source" 0 "$numpy" "$source"
            says "$source" "$(basename "$source" .py): "
        done
    done
    cat >shared.py <<'END'
# Arguments without an axis of states hold for all states.
import sys
import numpy as np
sys.path[:0] = ['code/python/arm_pendulum', 'code/python/four_bar']
import arm_with_pendulum, four_bar
many, random = 5, np.random.default_rng(1)
for module, nv in (arm_with_pendulum, 6), (four_bar, 3):
    x = [1e-3*random.random((nv, many)) for _ in 'qve'] + [random.random(many)]
    if module is four_bar: x[0] = 0*x[0]
    for shared in range(16):
        given = [y[..., :1].repeat(many, -1) if shared >> k & 1 else y for k, y in enumerate(x)]
        some = [y[..., 0] if shared >> k & 1 else y for k, y in enumerate(given)]
        a, b = module.accelerations(*given[:3], [], given[3]), module.accelerations(*some[:3], None, some[3])
        if shared == 15: b = b[:, None].repeat(many, -1)
        assert a.shape == b.shape == (nv, many), (shared, a.shape, b.shape)
        assert np.max(np.abs(a - b)) <= 1e-12*np.max(np.abs(a)), shared
    lists = module.accelerations(*(y.tolist() for y in x[:3]), [], x[3].tolist())
    assert np.array_equal(lists, module.accelerations(*x[:3], [], x[3]))
    try:
        module.accelerations(x[0], x[1][:, :3], x[2][:, 0], [], 0)
        raise SystemExit('3 states are not 5')
    except ValueError as e:
        assert 'q (5,), v (3,), effort (), state (), t ()' in str(e), e
END
    code "python, arguments that are shared" 0 "$numpy" shared.py
    code "python derivatives" 0 cardan generate "$root/models/free_body" --form energy --jacobian q,v --hessian q,v --language python -o code/python/any --quiet
    code "python derivatives" 0 "$numpy" code/python/any/*.py
    code "python parameters" 0 cardan generate "$root/models/door" --form motion,energy --parameters width,lean --jacobian q,lean --hessian p --language python -o code/python/parameters --quiet
    code "python parameters" 0 "$numpy" code/python/parameters/*.py
    says "python parameters" "door: "
    code "python, the rider" 0 cardan generate "$root/models/rider" --form motion --language python -o code/python --quiet
    cat >far.py <<'END'
import sys, warnings
import numpy as np
sys.path.insert(0, 'code/python')
import rider
x = np.loadtxt('states.txt').T
nq, nv = int(sys.argv[1]), int(sys.argv[2])
q, v, effort, t, wanted = x[:nq], x[nq:nq + nv], x[nq + 2*nv:nq + 3*nv], x[nq + 3*nv], x[nq + 3*nv + 1:]
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter('always')
    many = rider.accelerations(q, v, effort, np.zeros((0, x.shape[1])), t)
lost = 0
for s in range(x.shape[1]):
    try:
        a = rider.accelerations(q[:, s], v[:, s], effort[:, s], np.zeros(0), t[s])
        assert np.max(np.abs(a - wanted[:, s])) <= 1e-8*np.max(np.abs(wanted[:, s]))
        assert np.max(np.abs(many[:, s] - wanted[:, s])) <= 1e-8*np.max(np.abs(wanted[:, s]))
    except ArithmeticError as e:
        assert "joint '" in str(e) and np.all(np.isnan(many[:, s]))
        lost += 1
assert 2 <= lost <= x.shape[1] - 2 and len(caught) == 1 and f'{lost} ' in str(caught[0].message), (lost, caught)
END
    code "python, invalid states" 0 "$numpy" far.py "$nq" "$nv"
    code "python tables" 0 "$numpy" -W error code/tables/tables.py
    code "python without warnings" 0 cardan generate "$root/models/rolling_disc" --form motion --language python -o code/python/roll --quiet
    code "python without warnings" 0 cardan generate "$root/models/stewart" --form motion --language python -o code/python/stewart --quiet
    code "python without warnings" 0 "$numpy" -W error code/python/roll/rolling_disc.py
    code "python without warnings" 0 "$numpy" -W error code/python/stewart/*.py
fi
code "octave" 0 cardan generate "$root/models/arm_pendulum" --language octave -o code/octave --quiet
if command -v octave >/dev/null; then
    (cd code/octave && octave --eval 'f = arm_with_pendulum(); f.selftest()') >out 2>err && pass || fail "octave"
    says "octave" "arm_with_pendulum: "
    code "octave parameters" 0 cardan generate "$root/models/door" --form motion,energy --parameters width,lean --jacobian q,lean --language octave -o code/octave --quiet
    (cd code/octave && octave --eval 'f = door(); f.selftest()') >out 2>err && pass || fail "octave parameters"
    says "octave parameters" "door: "
    code "octave, the rider" 0 cardan generate "$root/models/rider" --form motion --language octave -o code/octave --quiet
    (cd code/octave && octave --eval "f = rider(); x = load('../../states.txt')'; n = 0; for s = x, try, f.accelerations(s(1:$nq), s($nq + (1:$nv)), s($nq + 2*$nv + (1:$nv)), [], s($nq + 3*$nv + 1)); catch e, n = n + strcmp(e.identifier, 'rider:lost'); end, end, disp(n >= 2 && n <= 18)") >out 2>err && pass || fail "octave, invalid states"
    says "octave, invalid states" "1"
    (cd code/tables && octave --eval 'f = tables(); f.selftest()') >out 2>err && pass || fail "octave tables"
    says "octave tables" "tables: "
fi

# all functions and logical operators, inside and outside of their domains: Python and Octave give the values of C
python3 - >words.yaml <<'END_OF_MODEL'
formula = ['10*(q(X) > 0) + 5*((q(X) > 0) + (v(X) > 0))', '5*(t > 0.1 or t < 0.5)', '(q(X) > 0) - (q(X) < 0)',
           'sign(q(X) < 0) - sign(v(X))', '(not (q(X) > 0 and v(X))) + 2*(q(X) == 0 or v(X) <= 1)', '-(q(X) != 0)/(1 + (v(X) > 0))',
           'sqrt(4 - q(X)) + max(sqrt(3 - q(X)), 0.1)', 'min(0.1, log(4 + q(X)))', 'max(log(4 + q(X)), sqrt(9 - v(X)))',
           'sign(sqrt(4 - q(X)))', 'if(sqrt(4 - q(X)), 1, 2)', 'not sqrt(4 - q(X)) or log(4 + q(X)) and t',
           'asin(q(X)/4)', 'acos(v(X)/4)', 'atan(q(X)) + atan2(q(X), v(X) + 0.1)', 'pow(abs(q(X)), 1.5) + pow(2, q(X))',
           'pow(q(X) + 4, v(X))', 'pow(q(X), floor(v(X)))', 'mod(q(X), 0.1)', 'mod(v(X), -0.7)', 'mod(q(X), floor(v(X) + 4))',
           'mod(1e9*q(X), 0.3)', 'floor(q(X)) + ceil(v(X)) + abs(q(X)) + hypot(q(X), v(X))',
           'sin(q(X)) + cos(q(X)) + tan(q(X)) + sinh(q(X)) + cosh(v(X)) + tanh(v(X)) + exp(q(X)) + log10(4 + q(X))',
           'if(t > 0, 1/t, 7)', 'if(q(X) > 0 and (v(X) > 0 or not q(X) < 1), step(q(X), 0, 1), smoothstep(v(X), -1, 1)) + clamp(q(X), -1, 1)',
           'min(q(X), 1/0) + if(q(X) > 6, 0/0, 1)']
print('cardan: 1\nname: words\ngravity: [0, 0, 0]\nbodies:')
for k in range(len(formula) + 1): print(f'  b{k}: {{at: [0, 0, 0], mass: 1, inertia: [1, 1, 1]}}')
print('joints:\n  X: {prismatic: [ground, b0], at: [0, 0, 0], axis: z}')
for k in range(len(formula)): print(f'  j{k}: {{prismatic: [ground, b{k + 1}], at: [0, 0, 0], axis: z}}')
print('forces:')
for k, f in enumerate(formula): print(f'  f{k}: {{actuator: j{k}, effort: "={f}"}}')
END_OF_MODEL
python3 -c 'for q in [-6, -5, -1, -0.3, 0, 0.3, 0.5, 1, 2, 5, 7]:
    for v in [-7, -3.5, -1, 0, 0.25, 1, 3, 10]:
        for t in [0, 0.3, 0.6]: print(q, v, t)' >words.txt
nv=$(grep -c '^  f' words.yaml) && nv=$((nv + 1))
cat >words_main.c <<'END'
#include "words.h"
#include <stdio.h>
int main(void)
{
    double q[NV] = {0}, v[NV] = {0}, effort[NV] = {0}, a[NV], t;
    while (scanf("%lf %lf %lf", q, v, &t) == 3) {
        words_accelerations(q, v, effort, NULL, t, a);
        for (int i = 1; i < NV; ++i) printf("%.17g%c", a[i], i < NV - 1 ? ' ' : '\n');
    }
    return 0;
}
END
cat >same.py <<'END'
import math, sys
a, b = ([[float(x) for x in line.split()] for line in open(name)] for name in sys.argv[1:])
assert len(a) == len(b) > 200
for state, (x, y) in enumerate(zip(a, b)):
    assert len(x) == len(y) > 20
    for k, (u, w) in enumerate(zip(x, y)):
        if not (u == w or math.isnan(u) and math.isnan(w) or abs(u - w) <= 1e-13*max(1, abs(u))):
            sys.exit(f'formula {k} of state {state}: {u} and {w}')
assert any(math.isnan(u) for x in a for u in x)
END
code "words" 0 cardan generate words.yaml --form motion --batch -o code/words --quiet
try code/words
code "words" 0 gcc -O1 -std=c11 -DNV="$nv" -Icode/words -o self words_main.c code/words/words.c -lm
./self <words.txt >words_c.txt
if [ "$numpy" ]; then
    code "words in Python" 0 cardan generate words.yaml --form motion --language python -o code/words --quiet
    cat >words_main.py <<'END'
import sys
import numpy as np
sys.path.insert(0, 'code/words')
import words
np.seterr(all='ignore')
nv, x = int(sys.argv[1]), np.loadtxt('words.txt')
def column(value): return [value] + [0.0]*(nv - 1)
one = np.array([words.accelerations(column(float(q)), column(float(v)), [0.0]*nv, [], float(t)) for q, v, t in x])
Q, V, E = np.zeros((3, nv, len(x)))
Q[0], V[0] = x[:, 0], x[:, 1]
many = words.accelerations(Q, V, E, [], x[:, 2])
np.savetxt('words_one.txt', one[:, 1:], '%.17g')
np.savetxt('words_many.txt', many.T[:, 1:], '%.17g')
END
    code "words in Python" 0 "$numpy" words_main.py "$nv"
    code "words in Python, one state" 0 python3 same.py words_c.txt words_one.txt
    code "words in Python, many states" 0 python3 same.py words_c.txt words_many.txt
fi
if command -v octave >/dev/null; then
    code "words in Octave" 0 cardan generate words.yaml --form motion --language octave -o code/words --quiet
    (cd code/words && octave --eval "f = words(); f.selftest(); x = load('../../words.txt')'; o = zeros($nv - 1, 1); to = fopen('../../words_octave.txt', 'w'); for s = x, a = f.accelerations([s(1); o], [s(2); o], [0; o], [], s(3)); if iscomplex(a), error('complex'); end, fprintf(to, '%.17g ', a(2:end)); fprintf(to, '\n'); end, fclose(to);") >out 2>err && pass || fail "words in Octave"
    code "words in Octave" 0 python3 same.py words_c.txt words_octave.txt
fi

# reserved words: modules that files import, functions that they call or define, headers
named() { # NAME LANGUAGE: a pendulum of that name
    printf 'cardan: 1\nname: %s\nbodies: {bob: {rod: [[0, 0, 0], [1, 0, 0]], mass: 1}}\njoints: {hinge: {revolute: [ground, bob], at: [0, 0, 0], axis: y}}\n' "$1" >named.yaml
    code "$1 in $2" 0 cardan generate named.yaml --form impl,energy --language "$2" -o "code/named_$2"
}
for word in math test double sin; do
    named "$word" c
    message "$word in C" name_changed "note" "'$word'" "'${word}_model'"
    code "$word in C" 0 gcc -O1 -std=c11 -Wall -Wextra -Werror -DSELFTEST -Icode/named_c -o self "code/named_c/${word}_model.c" -lm
    code "$word in C" 0 ./self
done
named numpy c
lacks "numpy in C" "[name_changed]" err
for word in numpy random class Math; do
    named "$word" python
    message "$word in Python" name_changed "note" "'$word'" "'${word}_model'"
    [ "$numpy" ] || continue
    code "$word in Python" 0 "$numpy" "code/named_python/${word}_model.py"
done
for word in sin zeros energy check_validity real_sqrt inverse_dynamics end; do
    named "$word" octave
    message "$word in Octave" name_changed "note" "'$word'" "'${word}_model'"
    command -v octave >/dev/null || continue
    (cd code/named_octave && octave --eval "f = ${word}_model(); f.selftest()") >out 2>err && pass || fail "$word in Octave"
    says "$word in Octave" "${word}_model: "
done
code "no other files of those names" 0 sh -c '! ls code/named_*/* | grep -v "_model\.\|numpy\.[ch]$"'

# the command in the first comment compiles the file
command=$(sed -n '1s|^// ||p' code/arm_pendulum/*.c)
(cd code/arm_pendulum && sh -c "$command") >out 2>err && pass || fail "command in the first comment: $command"
says "command in the first comment" "arm_with_pendulum: "

# operation counts as JSON, and wrong usage
code "count" 0 cardan generate "$root/models/arm_pendulum" --count --json
true_of "count" out "[f['form'] for f in d['forms']][:1] == ['impl'] and all(f['total'] == f['add'] + f['mul'] + f['div'] + f['sqrt'] for f in d['forms'])"
true_of "bounds" out "all({f['form']: f['total'] for f in d['forms']}[n] <= m for n, m in [('impl', 357), ('semi', 571), ('exp1', 727), ('exp2', 846)])"
code "existing files" 1 cardan generate "$root/models/arm_pendulum" --form impl -o code/arm_pendulum --quiet
message "existing files" file_exists "code/arm_pendulum/arm_with_pendulum."
code "unknown form" 2 cardan generate "$root/models/arm_pendulum" --form implicit
message "unknown form" unknown_name "'implicit'" "cardan list forms"
ends
