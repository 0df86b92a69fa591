// SPDX-License-Identifier: BSD-3-Clause
// Derivatives of inverse and forward dynamics by complex steps: the equations of every model are evaluated on complex
// numbers along random motions. Imaginary parts of inverse dynamics are the derivatives; those of forward dynamics
// vanish if accelerations and multipliers change by their derivatives. In joint and in maximal coordinates; and errors.
#include "equation/equation_set.h"
#include "fixture.h"
#include "sentences.h"
#include "random_tree.h"

#include <cardan/derivatives.h>

static const double eps = 1e-40;

typedef struct subject {
    fixture             f;
    const cardan_model* m;
    cardan_derivatives* derivatives;
    cd_arena            arena;
    cd_equation_set     set;
    int                 n, nrow;
    real*               value;
    double *            q, *v, *s, *a, *lambda;           // state; accelerations; multipliers
    double *            dq, *dv, *da, *ds, *de, *dlambda; // direction of the change
    double *            qdot, *memory, *rotor_memory, *effort;
    bool*               off;
    double *            Q, *V, *A, *S, *E, *G, *LQ, *LV, *LS, *LE, *M;
} subject;

static void layout(subject* s)
{
    const cardan_model* m  = s->m;
    const size_t        nv = (size_t)m->nv, ns = (size_t)m->nstate, nrow = (size_t)s->nrow;
    cd_equation_set_layout(m, &s->arena, &s->set);
    CD_ARENA_ARRAY(&s->arena, s->value, nv + ns + 3 * nrow);
    CD_ARENA_ARRAY(&s->arena, s->q, m->nq_joint);
    CD_ARENA_ARRAY(&s->arena, s->qdot, m->nq_joint);
    CD_ARENA_ARRAY(&s->arena, s->v, m->nv_joint);
    CD_ARENA_ARRAY(&s->arena, s->effort, m->nv_joint);
    double** vectors[] = {&s->a, &s->dq, &s->dv, &s->da, &s->de};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; ++i) CD_ARENA_ARRAY(&s->arena, *vectors[i], nv);
    CD_ARENA_ARRAY(&s->arena, s->s, ns);
    CD_ARENA_ARRAY(&s->arena, s->ds, ns);
    CD_ARENA_ARRAY(&s->arena, s->lambda, nrow);
    CD_ARENA_ARRAY(&s->arena, s->dlambda, nrow);
    CD_ARENA_ARRAY(&s->arena, s->memory, s->set.constraints.nconstraint * CD_CONSTRAINT_HISTORY_SIZE);
    CD_ARENA_ARRAY(&s->arena, s->rotor_memory, s->set.rotors.nconstraint * CD_CONSTRAINT_HISTORY_SIZE);
    CD_ARENA_ARRAY(&s->arena, s->off, s->set.constraints.nconstraint);
    double** square[] = {&s->Q, &s->V, &s->A, &s->E, &s->M};
    for (size_t i = 0; i < sizeof square / sizeof *square; ++i) CD_ARENA_ARRAY(&s->arena, *square[i], nv * nv);
    double** rows[] = {&s->LQ, &s->LV, &s->LE};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) CD_ARENA_ARRAY(&s->arena, *rows[i], nrow * nv);
    CD_ARENA_ARRAY(&s->arena, s->S, nv * ns);
    CD_ARENA_ARRAY(&s->arena, s->G, ns * (nv + nv + ns));
    CD_ARENA_ARRAY(&s->arena, s->LS, nrow * ns);
}

// All equations at the state moved by i eps along the motion.
static void evaluate(subject* s)
{
    const cardan_model* m   = s->m;
    double*             law = cd_allocate(3 * (size_t)m->ndriver_function + 1, sizeof *law);
    cardan_model_position_rate(m, s->q, s->dq, s->qdot);
    for (int i = 0; i < m->nq_joint; ++i) s->set.q[i] = (real){s->q[i], i < m->nq ? eps * s->qdot[i] : 0};
    for (int i = 0; i < m->nv; ++i) s->set.v[i] = (real){s->v[i], eps * s->dv[i]};
    for (int i = 0; i < m->nv; ++i) s->set.a[i] = (real){s->a[i], eps * s->da[i]};
    for (int i = 0; i < m->nstate; ++i) s->set.s[i] = (real){s->s[i], eps * s->ds[i]};
    for (int i = 0; i < s->nrow; ++i) s->set.lambda[i] = (real){s->lambda[i], eps * s->dlambda[i]};
    cd_constraint_set_evaluate_drivers(m, r_const(0), &s->set.constraints);
    for (int i = 0; i < 3 * m->ndriver_function; ++i) law[i] = r_value(s->set.constraints.driver_values[i]);
    const cd_equation_input given = {.driver_values   = law,
                                     .history         = s->memory,
                                     .rotor_history   = s->rotor_memory,
                                     .is_disabled     = s->off,
                                     .external_effort = s->effort};
    cd_equation_set_evaluate(m, &given, &s->set, s->value);
    free(law);
}

// Winding numbers, foot points and derived coordinates of the state.
static void update_history(subject* s)
{
    const cardan_model* m = s->m;
    for (int i = m->nq; i < m->nq_joint; ++i) s->q[i] = m->q_off_tree_start[i - m->nq];
    cd_equation_set_init(m, &s->set);
    cd_constraint_set_reset(&s->set.constraints);
    cd_constraint_set_reset(&s->set.rotors);
    for (int pass = 0; pass < 3; ++pass) {
        for (int i = 0; i < s->set.constraints.nconstraint * CD_CONSTRAINT_HISTORY_SIZE; ++i)
            s->memory[i] = r_value(s->set.constraints.history[i]);
        for (int i = 0; i < s->set.rotors.nconstraint * CD_CONSTRAINT_HISTORY_SIZE; ++i)
            s->rotor_memory[i] = r_value(s->set.rotors.history[i]);
        evaluate(s);
        for (int i = m->nq; i < m->nq_joint; ++i) s->q[i] = r_value(s->set.q[i]);
    }
}

static bool start(subject* s, const char* path, const char* formulation, dice* d)
{
    *s = (subject){0};
    if (!fixture_open(&s->f, path, formulation, 0, NULL)) return false;
    s->m    = s->f.model;
    s->nrow = cardan_data_constraint_row_count(s->f.data);
    layout(s);
    if (!cd_arena_reserve(&s->arena)) return false;
    layout(s);
    memcpy(s->q, s->m->q_start, (size_t)s->m->nq * sizeof *s->q);
    for (int i = 0; i < s->m->nv; ++i)
        s->dq[i] = s->nrow > 0 ? 0 : dice_range(d, -0.4, 0.4), s->v[i] = s->m->v_start[i] + dice_range(d, -1, 1);
    cardan_model_integrate_position(s->m, s->q, s->dq, s->q);
    for (int i = 0; i < s->m->nstate; ++i) s->s[i] = s->m->state_start[i] + dice_range(d, -0.1, 0.1);
    cardan_data_set_state(s->f.data, 0, s->q, s->v, s->s);
    if (s->nrow > 0) CHECK(cardan_data_project(s->f.data, NULL, s->q, s->v, NULL, &s->f.report) == CARDAN_OK);
    cardan_data_set_state(s->f.data, 0, s->q, s->v, s->s);
    const bool good = cardan_derivatives_create(s->f.data, &s->derivatives, &s->f.report) == CARDAN_OK;
    CHECK(good);
    memset(s->dq, 0, (size_t)s->m->nv * sizeof *s->dq);
    if (good) update_history(s);
    return good;
}

static void finish(subject* s)
{
    cardan_derivatives_destroy(s->derivatives);
    cd_arena_release(&s->arena);
    fixture_close(&s->f);
}

static void random_values(dice* d, int n, double* x)
{
    for (int i = 0; i < n; ++i) x[i] = dice_range(d, -1, 1);
}

static double multiply_row(const double* M, int row, int n, const double* x)
{
    double sum = 0;
    for (int i = 0; i < n; ++i) sum += M[(size_t)row * (size_t)n + (size_t)i] * x[i];
    return sum;
}

// Largest difference relative to the largest value.
typedef struct difference {
    double off, size;
} difference;

static void add_difference(difference* g, double value, double expected)
{
    const double off = fabs(value - expected);
    g->off           = isfinite(off) ? fmax(g->off, off) : INFINITY;
    g->size          = fmax(g->size, fmax(1, fabs(expected)));
}

static double inverse_error(subject* s, dice* d)
{
    const int  nv = s->m->nv, ns = s->m->nstate;
    difference worst = {0};
    random_values(d, nv, s->a);
    random_values(d, s->nrow, s->lambda);
    const cardan_inverse_dynamics_jacobians slopes = {s->Q, s->V, s->A, s->S};
    CHECK(cardan_derivatives_of_inverse_dynamics(s->derivatives, s->a, s->lambda, &slopes, &s->f.report) == CARDAN_OK);
    memset(s->dlambda, 0, (size_t)s->nrow * sizeof *s->dlambda);
    for (int round = 0; round < 4; ++round) {
        random_values(d, nv, s->dq), random_values(d, nv, s->dv), random_values(d, nv, s->da),
            random_values(d, ns, s->ds);
        evaluate(s);
        for (int i = 0; i < nv; ++i)
            add_difference(&worst,
                           multiply_row(s->Q, i, nv, s->dq) + multiply_row(s->V, i, nv, s->dv) +
                               multiply_row(s->A, i, nv, s->da) + multiply_row(s->S, i, ns, s->ds),
                           s->value[i].im / eps);
    }
    return worst.off / worst.size;
}

// Residual of the equations if accelerations and multipliers change by their derivatives.
static double forward_error(subject* s, dice* d)
{
    const int  nv = s->m->nv, ns = s->m->nstate;
    difference worst = {0};
    double *   gq = s->G, *gv = gq + (size_t)ns * (size_t)nv, *gs = gv + (size_t)ns * (size_t)nv;
    const cardan_forward_dynamics_jacobians slopes = {s->Q, s->V, s->E, s->S, s->LQ, s->LV, s->LE, s->LS, gq, gv, gs};
    const cardan_status status = cardan_derivatives_of_forward_dynamics(s->derivatives, s->a, &slopes, &s->f.report);
    CHECK(status == CARDAN_OK);
    if (status != CARDAN_OK) return INFINITY;
    // multipliers from the equations of motion: those of the solve
    for (int round = 0; round < 4; ++round) {
        random_values(d, nv, s->dq), random_values(d, nv, s->dv), random_values(d, nv, s->de),
            random_values(d, ns, s->ds);
        for (int i = 0; i < nv; ++i)
            s->da[i] = multiply_row(s->Q, i, nv, s->dq) + multiply_row(s->V, i, nv, s->dv) +
                       multiply_row(s->E, i, nv, s->de) + multiply_row(s->S, i, ns, s->ds);
        for (int i = 0; i < s->nrow; ++i)
            s->dlambda[i] = multiply_row(s->LQ, i, nv, s->dq) + multiply_row(s->LV, i, nv, s->dv) +
                            multiply_row(s->LE, i, nv, s->de) + multiply_row(s->LS, i, ns, s->ds);
        evaluate(s);
        double size = 1;
        for (int i = 0; i < nv; ++i) size = fmax(size, fabs(multiply_row(s->A, i, nv, s->da)));
        for (int i = 0; i < nv; ++i) add_difference(&worst, (s->value[i].im / eps - s->de[i]) / size, 0);
        for (int i = 0; i < ns; ++i)
            add_difference(&worst,
                           multiply_row(gq, i, nv, s->dq) + multiply_row(gv, i, nv, s->dv) +
                               multiply_row(gs, i, ns, s->ds),
                           s->value[nv + i].im / eps);
        for (int i = 0; i < nv; ++i) size = fmax(size, fabs(s->da[i]));
        for (int i = 0; i < s->nrow; ++i)
            add_difference(&worst, s->value[nv + ns + 2 * s->nrow + i].im / eps / size, 0);
    }
    return worst.off / worst.size;
}

static void check(const char* path, const char* formulation, bool independent)
{
    subject s;
    dice    d = {77};
    if (start(&s, path, formulation, &d)) {
        const double inverse = inverse_error(&s, &d);
        CHECK_NEAR(inverse, 0, 1e-9);
        double forward = 0;
        if (independent) {
            double* lambda = cd_allocate((size_t)s.nrow + 1, sizeof *lambda);
            CHECK(cardan_data_accelerate(s.f.data, s.a, NULL, &s.f.report) == CARDAN_OK);
            cardan_data_constraint_multipliers(s.f.data, lambda);
            memcpy(s.lambda, lambda, (size_t)s.nrow * sizeof *lambda);
            forward = forward_error(&s, &d);
            CHECK_NEAR(forward, 0, 1e-9);
            free(lambda);
        }
        if (!(inverse < 1e-9) || !(forward < 1e-9))
            printf("%s by %s: inverse dynamics off by %.3g, forward dynamics by %.3g\n", path, formulation, inverse,
                   forward);
    }
    finish(&s);
}

static void trees(void)
{
    check("models/puma560/puma560.yaml", "order-n", true);
    check("models/robots/talos/talos.yaml", "cholesky", true);
    check("models/satellite/satellite.yaml", "order-n", true);
    check("models/heavy_top/heavy_top.yaml", "order-n", true);
    check("models/free_body/free_body.yaml", "order-n", true);
    check("models/branches/branches.yaml", "cholesky", true);
    check("models/arm_pendulum/arm_pendulum.yaml", "semi", true);
    check("models/robots/ur5/ur5.yaml", "order-n", true);
    check("models/robots/panda/panda.yaml", "order-n", true);
    check("models/robots/anymal/anymal.yaml", "order-n", true);
    check("models/robots/humanoid/humanoid.yaml", "order-n", true);
    check("models/double_pendulum/double_pendulum.yaml", "order-n", true);
    check("models/cart_pole/cart_pole.yaml", "order-n", true);
    check("models/door/door.yaml", "order-n", true);
    check("models/pendulum/pendulum.yaml", "order-n", true);
    check("models/three_link/three_link.yaml", "order-n", true);
}

static void loops(void)
{
    check("models/four_bar/four_bar.yaml", "embedding", true);
    check("models/four_bar/four_bar.yaml", "reduction", true);
    check("models/five_bar/five_bar.yaml", "augmented", true);
    check("models/andrews_squeezer/andrews_squeezer.yaml", "augmented", true);
    check("models/slider_crank/slider_crank.yaml", "dense", true);
    check("models/stewart/stewart.yaml", "augmented", true);
    check("models/rolling_disc/rolling_disc.yaml", "augmented", true);
    check("models/gear_pair/gear_pair.yaml", "augmented", true);
    check("models/trailing_arm/trailing_arm.yaml", "augmented", true);
    check("models/tractor/tractor.yaml", "augmented", true);
    check("models/strandbeest/strandbeest.yaml", "reduction", true);
    check("models/macpherson/macpherson.yaml", "augmented", true);
    check("models/hmmwv/hmmwv.yaml", "augmented", true);
    check("models/delta/delta.yaml", "augmented", true);
    check("models/bushing_corner/bushing_corner.yaml", "augmented", true);
    check("models/governor/governor.yaml", "augmented", true);
    check("models/driven_slider/driven_slider.yaml", "augmented", true);
    check("models/rider/rider.yaml", "augmented", true);
    check("models/three_rrr/three_rrr.yaml", "augmented", true);
    check("models/three_rrr_passive/three_rrr_passive.yaml", "augmented", true);
    check("models/six_bar/six_bar.yaml", "augmented", true);
    check("models/n_four_bar/n_four_bar.yaml", "augmented", true);
    check("models/rack_pinion/rack_pinion.yaml", "augmented", true);
    check("models/ladder_free/ladder_free.yaml", "augmented", false);
    check("models/ladder_slider/ladder_slider.yaml", "augmented", false);
    check("models/six_bar_moving/six_bar_moving.yaml", "augmented", false);
    check("models/bricard/bricard.yaml", "augmented", false);
    check("models/ladder/ladder.yaml", "augmented", false);
    check("models/five_bar_redundant/five_bar_redundant.yaml", "augmented", false);
}

static void maximal(void)
{
    check("models/four_bar/four_bar.yaml", "lagrange", false);
    check("models/double_pendulum/double_pendulum.yaml", "lagrange", true);
    check("models/puma560/puma560.yaml", "lagrange", true);
    check("models/ladder/ladder.yaml", "lagrange", false);
    check("models/trailing_arm/trailing_arm.yaml", "lagrange", false);
}

// Derivatives of gear losses that depend on the load are not supported: the message names the gear.
static void test_unsupported_losses(void)
{
    fixture f;
    if (!fixture_open(&f, "models/shoulder/shoulder.yaml", "augmented", 0, NULL)) return;
    cardan_derivatives* w = NULL;
    CHECK(cardan_derivatives_create(f.data, &w, &f.report) == CARDAN_OK);
    const cardan_forward_dynamics_jacobians none = {0};
    CHECK(cardan_derivatives_of_forward_dynamics(w, NULL, &none, &f.report) == CARDAN_UNSUPPORTED);
    CHECK_MESSAGE(&f.report.message[f.report.count - 1], CARDAN_CODE_NOT_SUPPORTED,
                  "mechanism.yaml:", "constraint 'left.worm'");
    cardan_derivatives_destroy(w);
    fixture_close(&f);
}

static void test_missing_accelerations(void)
{
    fixture f;
    if (!fixture_open(&f, "models/pendulum/pendulum.yaml", "order-n", 0, NULL)) return;
    cardan_derivatives* w = NULL;
    CHECK(cardan_derivatives_create(f.data, &w, &f.report) == CARDAN_OK);
    const cardan_inverse_dynamics_jacobians none = {0};
    CHECK(cardan_derivatives_of_inverse_dynamics(w, NULL, NULL, &none, &f.report) == CARDAN_BAD_USAGE);
    CHECK_MESSAGE(&f.report.message[f.report.count - 1], CARDAN_CODE_INVALID_ARGUMENT, "'pendulum'");
    cardan_derivatives_destroy(w);
    fixture_close(&f);
}

int main(void)
{
    RUN(trees());
    RUN(loops());
    RUN(maximal());
    RUN(test_missing_accelerations());
    RUN(test_unsupported_losses());
    RUN(test_sentences("test_complex_derivatives"));
    return test_end();
}
