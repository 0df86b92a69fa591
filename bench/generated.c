// SPDX-License-Identifier: BSD-3-Clause
// bench_generated: code of `cardan generate` for the robots compared with MuJoCo at the same state; batch routines
// compared with scalar ones; compile times; and the vehicle with loops of paper 002.
//
//   bench_generated [--robots FOLDER] [UR5|Panda|ANYmal|Talos|humanoid|HMMWV ...]
#include "clock.h"
#include "code.h"
#include "mechanism.h"
#include "peer.h"

#include "core/memory.h"
#include "generate/compiled/c_compiler.h"
#include "kinematics/inverse_derivatives.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 31, STATES = 64, LANES = 8 }; // states of a batch, in blocks of lanes
static const double batch_us = 1000;

// ---- timed functions

typedef void (*three)(const double*, const double*, const double*, double*);
typedef void (*one)(const double*, double*);
typedef void (*many_three)(long, const double*, const double*, const double*, double*);

typedef struct subject {
    state      s;
    int        nv;
    double*    out;              // (nv x nv)
    double *   q, *v, *a, *many; // STATES states in blocks, and the results of all states
    double*    each;             // the same states consecutively: q, v and a of each, `stride` apart
    size_t     stride;
    three      inverse, exp1, exp2;
    one        mass;
    many_three inverse_batch, exp1_batch, forward_batch;
    void (*mass_batch)(long, const double*, double*);
} subject;

static void run_inverse(void* p)
{
    ((subject*)p)->inverse(((subject*)p)->s.q, ((subject*)p)->s.v, ((subject*)p)->s.a, ((subject*)p)->out);
}
static void run_mass(void* p) { ((subject*)p)->mass(((subject*)p)->s.q, ((subject*)p)->out); }
static void run_exp1(void* p)
{
    ((subject*)p)->exp1(((subject*)p)->s.q, ((subject*)p)->s.v, ((subject*)p)->s.tau, ((subject*)p)->out);
}
static void run_exp2(void* p)
{
    ((subject*)p)->exp2(((subject*)p)->s.q, ((subject*)p)->s.v, ((subject*)p)->s.tau, ((subject*)p)->out);
}
// One state after the other, each with separate results: as much is computed, read and stored as by a batch.
static void run_inverse_each(void* p)
{
    subject* s = p;
    for (int k = 0; k < STATES; ++k)
        s->inverse(s->each + (size_t)k * 3 * s->stride, s->each + ((size_t)k * 3 + 1) * s->stride,
                   s->each + ((size_t)k * 3 + 2) * s->stride, s->many + (size_t)k * (size_t)s->nv);
}
static void run_mass_each(void* p)
{
    subject* s = p;
    for (int k = 0; k < STATES; ++k)
        s->mass(s->each + (size_t)k * 3 * s->stride, s->many + (size_t)k * (size_t)s->nv * (size_t)s->nv);
}
static void run_exp1_each(void* p)
{
    subject* s = p;
    for (int k = 0; k < STATES; ++k)
        s->exp1(s->each + (size_t)k * 3 * s->stride, s->each + ((size_t)k * 3 + 1) * s->stride,
                s->each + ((size_t)k * 3 + 2) * s->stride, s->many + (size_t)k * (size_t)s->nv);
}
static void run_exp2_each(void* p)
{
    subject* s = p;
    for (int k = 0; k < STATES; ++k)
        s->exp2(s->each + (size_t)k * 3 * s->stride, s->each + ((size_t)k * 3 + 1) * s->stride,
                s->each + ((size_t)k * 3 + 2) * s->stride, s->many + (size_t)k * (size_t)s->nv);
}
static void run_inverse_batch(void* p)
{
    ((subject*)p)->inverse_batch(STATES, ((subject*)p)->q, ((subject*)p)->v, ((subject*)p)->a, ((subject*)p)->many);
}
static void run_mass_batch(void* p) { ((subject*)p)->mass_batch(STATES, ((subject*)p)->q, ((subject*)p)->many); }
static void run_exp1_batch(void* p)
{
    ((subject*)p)->exp1_batch(STATES, ((subject*)p)->q, ((subject*)p)->v, ((subject*)p)->a, ((subject*)p)->many);
}
static void run_forward_batch(void* p)
{
    ((subject*)p)->forward_batch(STATES, ((subject*)p)->q, ((subject*)p)->v, ((subject*)p)->a, ((subject*)p)->many);
}

typedef struct leg {
    void (*work)(void*);
    void*  on;
    int    calls;
    double us[ROUNDS];
} leg;

static void run_legs(int n, leg* l)
{
    for (int k = 0; k < n; ++k) l[k].calls = clock_calls(l[k].work, l[k].on, batch_us);
    for (int r = 0; r < ROUNDS; ++r)
        for (int k = 0; k < n; ++k) l[k].us[r] = clock_time(l[k].work, l[k].on, l[k].calls);
}

// Median of the ratios within rounds.
static double ratio(const leg* a, const leg* b, double factor)
{
    double x[ROUNDS];
    for (int r = 0; r < ROUNDS; ++r) x[r] = factor * a->us[r] / b->us[r];
    return spread_of(x, ROUNDS).middle;
}

// Minimum of all rounds: for routines of about a microsecond, medians depend on the frequency of the processor, the
// minimum does not.
static double least(const leg* l)
{
    double x = l->us[0];
    for (int r = 1; r < ROUNDS; ++r) x = fmin(x, l->us[r]);
    return x;
}

static double middle(const leg* l) { return spread_of(l->us, ROUNDS).middle; }

// Index of number i of state k in an array of `count` numbers per state.
static int in_blocks(int count, int i, int k) { return (k / LANES * count + i) * LANES + k % LANES; }

// Allocate zeros, aligned to a cache line.
static double* lines(size_t n)
{
    const size_t size = (n * sizeof(double) + 63) / 64 * 64;
    double*      x    = aligned_alloc(64, size);
    if (x) memset(x, 0, size);
    return x;
}

static bool prepare(const cardan_model* m, const code* scalar, const code* batch, subject* s)
{
    const cardan_model_view view = cardan_model_get_view(m);
    const size_t            n = (size_t)view.nv, most = (size_t)view.nq + 1;
    s->nv     = view.nv;
    s->s      = state_create(m);
    s->out    = cd_allocate(n * n + 1, sizeof *s->out);
    s->q      = lines(most * STATES);
    s->v      = lines(most * STATES);
    s->a      = lines(most * STATES);
    s->many   = lines((most + n * n) * STATES);
    s->stride = most;
    s->each   = cd_allocate(3 * most * STATES, sizeof *s->each);
    CODE_TAKE(scalar, s->inverse, "g_inverse_dynamics");
    CODE_TAKE(scalar, s->mass, "g_mass_matrix");
    CODE_TAKE(scalar, s->exp1, "g_forward_dynamics");
    CODE_TAKE(scalar, s->exp2, "g_forward_dynamics_order_n");
    CODE_TAKE(batch, s->inverse_batch, "g_inverse_dynamics_batch");
    CODE_TAKE(batch, s->mass_batch, "g_mass_matrix_batch");
    CODE_TAKE(batch, s->exp1_batch, "g_forward_dynamics_batch");
    CODE_TAKE(batch, s->forward_batch, "g_forward_dynamics_order_n_batch");
    if (!s->s.q || !s->out || !s->q || !s->v || !s->a || !s->many || !s->each) return false;
    for (int k = 0; k < STATES; ++k)
        for (int i = 0; i < view.nq; ++i) {
            double* to                     = s->each + (size_t)k * 3 * most + i;
            s->q[in_blocks(view.nq, i, k)] = to[0] = s->s.q[i];
            if (i >= view.nv) continue;
            s->v[in_blocks(view.nv, i, k)] = to[most] = s->s.v[i] * (1 + 0.01 * k);
            s->a[in_blocks(view.nv, i, k)] = to[2 * most] = s->s.a[i];
        }
    return s->inverse && s->mass && s->exp1 && s->exp2 && s->inverse_batch && s->forward_batch && s->mass_batch &&
           s->exp1_batch;
}

static double off(int n, const double* x, const double* y)
{
    double most = 0, largest = 1e-300;
    for (int i = 0; i < n; ++i) {
        most    = fmax(most, fabs(x[i] - y[i]));
        largest = fmax(largest, fabs(y[i]));
    }
    return most / largest;
}

static void measure(const char* title, subject* s, peer* mujoco, const code* scalar, const code* batch)
{
    enum {
        INVERSE,
        M_INVERSE,
        MASS,
        M_MASS,
        EXP1,
        EXP2,
        M_FORWARD,
        INVERSE_BATCH,
        MASS_BATCH,
        EXP1_BATCH,
        FORWARD_BATCH,
        INVERSE_EACH,
        MASS_EACH,
        EXP1_EACH,
        EXP2_EACH,
        LEGS
    };
    leg     l[LEGS] = {[INVERSE]       = {run_inverse, s, 0, {0}},
                       [M_INVERSE]     = {peer_inverse_dynamics, mujoco, 0, {0}},
                       [MASS]          = {run_mass, s, 0, {0}},
                       [M_MASS]        = {peer_mass_matrix, mujoco, 0, {0}},
                       [EXP1]          = {run_exp1, s, 0, {0}},
                       [EXP2]          = {run_exp2, s, 0, {0}},
                       [M_FORWARD]     = {peer_forward, mujoco, 0, {0}},
                       [INVERSE_BATCH] = {run_inverse_batch, s, 0, {0}},
                       [MASS_BATCH]    = {run_mass_batch, s, 0, {0}},
                       [EXP1_BATCH]    = {run_exp1_batch, s, 0, {0}},
                       [FORWARD_BATCH] = {run_forward_batch, s, 0, {0}},
                       [INVERSE_EACH]  = {run_inverse_each, s, 0, {0}},
                       [MASS_EACH]     = {run_mass_each, s, 0, {0}},
                       [EXP1_EACH]     = {run_exp1_each, s, 0, {0}},
                       [EXP2_EACH]     = {run_exp2_each, s, 0, {0}}};
    double* x       = cd_allocate((size_t)s->nv + 1, sizeof *x);
    if (!x) return;
    run_inverse(s);
    peer_inverse_dynamics(mujoco);
    peer_efforts(mujoco, x);
    const double efforts = off(s->nv, s->out, x);
    run_exp2(s);
    peer_forward(mujoco);
    peer_accelerations(mujoco, x);
    const double accelerations = off(s->nv, s->out, x);
    free(x);
    run_legs(LEGS, l);
    const leg* forward = middle(&l[EXP1]) < middle(&l[EXP2]) ? &l[EXP1] : &l[EXP2];
    printf("\n%s: %d velocities; agree to %.0e (efforts), %.0e (accelerations)\n", title, s->nv, efforts,
           accelerations);
    printf("%12s%18s%18s%18s\n", "[us]", "inverse dynamics", "mass matrix", "forward dynamics");
    printf("%12s%18.3f%18.3f%18.3f   (%s)\n", "generated", middle(&l[INVERSE]), middle(&l[MASS]), middle(forward),
           forward == &l[EXP1] ? "exp1" : "exp2");
    printf("%12s%18.3f%18.3f%18.3f\n", "MuJoCo", middle(&l[M_INVERSE]), middle(&l[M_MASS]), middle(&l[M_FORWARD]));
    const double r[3] = {ratio(&l[INVERSE], &l[M_INVERSE], 1), ratio(&l[MASS], &l[M_MASS], 1),
                         ratio(forward, &l[M_FORWARD], 1)};
    printf("%12s%18.3f%18.3f%18.3f\n", "ratio", r[0], r[1], r[2]);
    printf("%12s%18.3f%18.3f%18.3f   per state, %d at once (exp2; exp1 %.3f)\n", "batch",
           middle(&l[INVERSE_BATCH]) / STATES, middle(&l[MASS_BATCH]) / STATES, middle(&l[FORWARD_BATCH]) / STATES,
           STATES, middle(&l[EXP1_BATCH]) / STATES);
    printf("%12s%18.3f%18.3f%18.3f   the same states one by one, all results stored (exp2; exp1 %.3f)\n", "scalar",
           middle(&l[INVERSE_EACH]) / STATES, middle(&l[MASS_EACH]) / STATES, middle(&l[EXP2_EACH]) / STATES,
           middle(&l[EXP1_EACH]) / STATES);
    printf("%12s%18.2f%18.2f%18.2f   speedup of the batch (exp2; exp1 %.2f); goal 3\n", "speedup",
           ratio(&l[INVERSE_EACH], &l[INVERSE_BATCH], 1), ratio(&l[MASS_EACH], &l[MASS_BATCH], 1),
           ratio(&l[EXP2_EACH], &l[FORWARD_BATCH], 1), ratio(&l[EXP1_EACH], &l[EXP1_BATCH], 1));
    printf("operations: impl %ld, mass %ld, exp1 %ld, exp2 %ld; traced in %.2f s, compiled in %.1f s; batch code of "
           "all four in %.1f s\n",
           scalar->operations[0], scalar->operations[1], scalar->operations[2], scalar->operations[3], scalar->trace,
           scalar->compile, batch->compile);
    if (strcmp(title, "Talos") == 0)
        printf("goals of Talos: %.3f of 0.15 %s, %.3f of 0.15 %s, %.3f of 0.20 %s\n", r[0],
               r[0] <= 0.15 ? "met" : "missed", r[1], r[1] <= 0.15 ? "met" : "missed", r[2],
               r[2] <= 0.20 ? "met" : "missed");
    fflush(stdout);
}

// ---- derivatives of inverse dynamics: generated, and by the library

typedef void (*jacobian)(const double*, const double*, const double*, double*, double*);

typedef struct derivative_case {
    const cardan_model*    m;
    const state*           s;
    three                  inverse;
    jacobian               generated;
    double *               tau, *tau_q, *tau_v;
    cd_kinematics          k;
    cd_inverse_derivatives d;
    cd_arena               arena;
} derivative_case;

static void run_function(void* p)
{
    ((derivative_case*)p)
        ->inverse(((derivative_case*)p)->s->q, ((derivative_case*)p)->s->v, ((derivative_case*)p)->s->a,
                  ((derivative_case*)p)->tau);
}
static void run_jacobian(void* p)
{
    ((derivative_case*)p)
        ->generated(((derivative_case*)p)->s->q, ((derivative_case*)p)->s->v, ((derivative_case*)p)->s->a,
                    ((derivative_case*)p)->tau_q, ((derivative_case*)p)->tau_v);
}
static void run_library_function(void* p)
{
    derivative_case* x = p;
    cd_forward_kinematics(x->m, &x->k, x->s->q);
    cd_inverse_dynamics(x->m, &x->k, x->s->v, x->s->a, NULL, x->tau);
}
static void run_library_jacobian(void* p)
{
    derivative_case* x = p;
    cd_forward_kinematics(x->m, &x->k, x->s->q);
    cd_root_frame_poses(x->m, &x->k);
    cd_inverse_derivatives_evaluate(x->m, &x->k, x->s->v, x->s->a, NULL, &x->d);
}

static bool derivative_case_layout(derivative_case* x)
{
    const size_t n = (size_t)x->m->nv;
    for (int pass = 0; pass < 2; ++pass) {
        CD_ARENA_ARRAY(&x->arena, x->tau, n);
        CD_ARENA_ARRAY(&x->arena, x->tau_q, n * n);
        CD_ARENA_ARRAY(&x->arena, x->tau_v, n * n);
        cd_kinematics_layout(x->m, &x->arena, &x->k);
        cd_inverse_derivatives_layout(x->m, &x->arena, &x->d);
        if (pass == 0 && !cd_arena_reserve(&x->arena)) return false;
    }
    return true;
}

// Ratio of each to its function, both computed from q, v, a. The library's derivatives include d tau / d a = M, the
// generated ones do not; both are sparse.
static bool slopes_race(const char* title, const cardan_model* m, const state* s, const code* scalar,
                        cardan_report* report)
{
    code            c = {0};
    derivative_case x = {.m = m, .s = s};
    bool            done =
        code_load(m, "impl_j", (code_kind){.sparse = true}, &c, report) == CARDAN_OK && derivative_case_layout(&x);
    CODE_TAKE(scalar, x.inverse, "g_inverse_dynamics");
    CODE_TAKE(&c, x.generated, "g_inverse_dynamics_jacobian");
    done = done && x.inverse && x.generated;
    if (done) {
        leg l[4] = {{run_function, &x, 0, {0}},
                    {run_jacobian, &x, 0, {0}},
                    {run_library_function, &x, 0, {0}},
                    {run_library_jacobian, &x, 0, {0}}};
        run_legs(4, l);
        const double generated = least(&l[1]) / least(&l[0]), library = least(&l[3]) / least(&l[2]);
        printf("derivatives: generated %.3f us, %.2f times the function; library (with M) %.3f us, %.2f times the "
               "function; generated / library %.3f; %ld operations (minimum of all rounds)\n",
               least(&l[1]), generated, least(&l[3]), library, least(&l[1]) / least(&l[3]), c.operations[0]);
        if (strcmp(title, "Talos") == 0)
            printf("goal of Talos: Jacobian of inverse dynamics under 5 times the function: generated %.2f %s, library "
                   "%.2f %s\n",
                   generated, generated < 5 ? "met" : "missed", library, library < 5 ? "met" : "missed");
        fflush(stdout);
    }
    cd_arena_release(&x.arena);
    code_close(&c);
    return done;
}

// Mass matrices as structurally nonzero entries, which need less memory.
static bool mass_race(const cardan_model* m, subject* s, cardan_report* report)
{
    code       c    = {0};
    const bool done = code_load(m, "mass", (code_kind){.batch = true, .sparse = true}, &c, report) == CARDAN_OK;
    if (done) {
        leg l[2] = {{run_mass_each, s, 0, {0}}, {run_mass_batch, s, 0, {0}}};
        CODE_TAKE(&c, s->mass, "g_mass_matrix");
        CODE_TAKE(&c, s->mass_batch, "g_mass_matrix_batch");
        run_legs(2, l);
        printf("sparse mass matrix: scalar %.3f us, batch %.3f us per state, speedup %.2f\n", middle(&l[0]) / STATES,
               middle(&l[1]) / STATES, ratio(&l[0], &l[1], 1));
    }
    code_close(&c);
    return done;
}

static bool robot_race(const robot* r, const char* folder, cardan_report* report)
{
    cardan_description* d      = robot_load(r, folder, report);
    cardan_model*       m      = NULL;
    code                scalar = {0}, batch = {0};
    subject             s      = {0};
    peer*               mujoco = NULL;
    bool                done   = d && cardan_model_compile(d, CARDAN_TREE_BREADTH_FIRST, &m, report) == CARDAN_OK;
    done = done && code_load(m, "impl,mass,exp1,exp2", (code_kind){0}, &scalar, report) == CARDAN_OK &&
           code_load(m, "impl,mass,exp1,exp2", (code_kind){.batch = true}, &batch, report) == CARDAN_OK;
    done = done && prepare(m, &scalar, &batch, &s) && (mujoco = peer_create(m, &s.s, report)) != NULL;
    if (done) measure(r->title, &s, mujoco, &scalar, &batch);
    done = done && mass_race(m, &s, report);
    done = done && slopes_race(r->title, m, &s.s, &scalar, report);
    peer_destroy(mujoco);
    free(s.out), free(s.q), free(s.v), free(s.a), free(s.many), free(s.each);
    if (s.s.q) state_destroy(&s.s);
    code_close(&scalar);
    code_close(&batch);
    cardan_model_destroy(m);
    cardan_description_destroy(d);
    return done;
}

// ---- the vehicle of paper 002: accelerations of the whole mechanism with loops

typedef void (*whole)(const double*, const double*, const double*, const double*, double, double*);

typedef struct vehicle {
    const cardan_model_view* view;
    whole                    motion;
    double *                 effort, *a;
    cardan_data*             data;
} vehicle;

static void run_motion(void* p)
{
    const vehicle* x = p;
    x->motion(x->view->q_start, x->view->v_start, x->effort, x->view->state_start, 0, x->a);
}
static void run_library(void* p)
{
    const vehicle* x = p;
    cardan_data_set_state(x->data, 0, x->view->q_start, x->view->v_start, x->view->state_start);
    cardan_data_accelerate(x->data, x->a, NULL, NULL);
}

static bool vehicle_race(const char* robots, cardan_report* report)
{
    char                path[1024];
    cardan_description* d = NULL;
    cardan_model*       m = NULL;
    code                c = {0};
    vehicle             x = {0};
    snprintf(path, sizeof path, "%s/../hmmwv", robots);
    bool done = cardan_description_load(path, NULL, &d, report) == CARDAN_OK &&
                cardan_model_compile(d, CARDAN_TREE_BREADTH_FIRST, &m, report) == CARDAN_OK &&
                code_load(m, "motion", (code_kind){0}, &c, report) == CARDAN_OK;
    if (done) {
        const cardan_model_view view = cardan_model_get_view(m);
        const int               best = cardan_formulation_find("augmented");
        x.view                       = &view;
        x.effort                     = cd_allocate((size_t)view.nv + 1, sizeof(double));
        x.a                          = cd_allocate((size_t)view.nv + 1, sizeof(double));
        CODE_TAKE(&c, x.motion, "g_accelerations");
        done     = x.effort && x.a && x.motion && cardan_data_create(m, best, &x.data, report) == CARDAN_OK;
        leg l[2] = {{run_motion, &x, 0, {0}}, {run_library, &x, 0, {0}}};
        if (done) {
            run_legs(2, l);
            printf("\nHMMWV: %d velocities, with loops: generated %.2f us (%ld operations, compiled in %.1f s), %s "
                   "%.2f us, ratio %.3f\n",
                   view.nv, middle(&l[0]), c.operations[0], c.compile, cardan_formulation_name(best), middle(&l[1]),
                   ratio(&l[0], &l[1], 1));
        }
    }
    cardan_data_destroy(x.data);
    free(x.effort), free(x.a);
    code_close(&c);
    cardan_model_destroy(m);
    cardan_description_destroy(d);
    return done;
}

static bool is_selected(int n, char** name, const char* title)
{
    for (int i = 0; i < n; ++i)
        if (strcmp(name[i], title) == 0) return true;
    return n == 0;
}

int main(int argc, char** argv)
{
    const char*   robots = "models/robots";
    int           first = 1, failed = 0;
    cardan_report report;
    cardan_report_clear(&report);
    if (argc > 2 && strcmp(argv[1], "--robots") == 0) robots = argv[2], first = 3;
    cd_c_compiler compiler;
    printf("Pinned    to core %d, processor time of this thread; medians of %d interleaved rounds\n", clock_pin(),
           ROUNDS);
    printf("Generated %s %s\nMuJoCo    %s of Debian's libmujoco, Debian's flags (-O2), no AVX\n",
           cd_c_compiler_find(&compiler, NULL) == CARDAN_OK ? compiler.path : "no compiler", code_flags(),
           peer_version());
    for (int i = 0; i < robot_count(); ++i)
        if (is_selected(argc - first, argv + first, robot_at(i)->title))
            failed += !robot_race(robot_at(i), robots, &report);
    if (is_selected(argc - first, argv + first, "HMMWV")) failed += !vehicle_race(robots, &report);
    for (int i = 0; failed && i < report.count; ++i)
        if (report.message[i].severity == CARDAN_ERROR) fprintf(stderr, "%s\n", report.message[i].text);
    return failed > 0;
}
