// SPDX-License-Identifier: BSD-3-Clause
// Fused factorization of `lagrange` (two sweeps) against separate phases: assembly, factorization, solve and correction
// solve; and blocked evaluation (dynamics/blocked_evaluation.c) against complete evaluation of the state:
// bit-identical results with one or two threads.
#include "loop_models.h"

#include "dynamics/data.h"
#include "dynamics/forces.h"
#include "dynamics/rows/constraint_update.h"

#include <cardan/family.h>

#include <stdlib.h>

typedef struct maximal_case {
    cardan_description* description;
    cardan_model*       model;
    cardan_data*        data;
    int                 nv, nrow;
    double *            q, *v, *a, *dx, *lambda; // state; solution by phases
} maximal_case;

static cardan_report report;

// A family (n > 0) or a model file. displaced: displace the start, so that rows have violations and velocity
// violations.
static bool open_case(maximal_case* c, const char* what, int n, bool displaced)
{
    *c                 = (maximal_case){0};
    cardan_status good = n > 0 ? cardan_family_generate(what, n, NULL, &c->description, &report)
                               : cardan_description_load(what, NULL, &c->description, &report);
    if (good == CARDAN_OK) good = cardan_model_compile(c->description, CARDAN_TREE_MAXIMAL, &c->model, &report);
    if (good == CARDAN_OK) good = cardan_data_create(c->model, cardan_formulation_find("lagrange"), &c->data, &report);
    CHECK(good == CARDAN_OK);
    if (good != CARDAN_OK) return false;
    c->nv     = c->model->nv;
    c->nrow   = c->data->solver_rows.nrow;
    c->q      = calloc((size_t)c->model->nq, sizeof *c->q);
    c->v      = calloc((size_t)c->nv, sizeof *c->v);
    c->a      = calloc((size_t)c->nv, sizeof *c->a);
    c->dx     = calloc((size_t)c->nv, sizeof *c->dx);
    c->lambda = calloc((size_t)c->nrow, sizeof *c->lambda);
    for (int i = 0; i < c->nv; ++i) c->dx[i] = displaced ? 1e-6 * sin(1.7 * i) : 0;
    cardan_model_integrate_position(c->model, c->model->q_start, c->dx, c->q);
    for (int i = 0; i < c->nv; ++i) c->v[i] = c->model->v_start[i] + (displaced ? 1e-5 * cos(2.3 * i) : 0);
    return true;
}

static void close_case(maximal_case* c)
{
    free(c->q), free(c->v), free(c->a), free(c->dx), free(c->lambda);
    cardan_data_destroy(c->data);
    if (c->model) cardan_model_destroy(c->model);
    if (c->description) cardan_description_destroy(c->description);
}

static double infinity_norm(int n, const double* x)
{
    double largest = 0;
    for (int i = 0; i < n; ++i) largest = fmax(largest, fabs(x[i]));
    return largest;
}

static void check_same(int n, const double* x, const double* y, double tolerance)
{
    double difference = 0;
    for (int i = 0; i < n; ++i) difference = fmax(difference, fabs(x[i] - y[i]));
    CHECK(isfinite(infinity_norm(n, x)) && difference <= tolerance * infinity_norm(n, y));
}

// Solve in separate phases, without the refinement and checks of cardan_data_accelerate.
static void solve_in_phases(maximal_case* c)
{
    cardan_data*  d    = c->data;
    cd_solve_info info = {.failed_velocity = CARDAN_NONE, .failed_row = CARDAN_NONE};
    CHECK(cardan_data_set_state(d, 0, c->q, c->v, NULL) == CARDAN_OK);
    cd_update_rhs(d);
    cd_update_rows(d);
    for (int i = 0; i < c->nrow; ++i) d->solve.row_rhs[i] = i < d->rows.nrow ? -d->constraints.value[i] : 0;
    const cd_problem problem = cd_problem_of(d);
    d->formulation->assemble(&problem, d->formulation_work);
    CHECK(d->formulation->factor(&problem, d->formulation_work, &info) == CARDAN_OK);
    CHECK(d->formulation->solve(&problem, d->formulation_work,
                                &(cd_right_sides){.r = d->solve.r, .gamma = d->solve.gamma, .s = d->solve.row_rhs},
                                &(cd_solution){c->a, c->lambda, c->dx}, &info) == CARDAN_OK);
    CHECK(infinity_norm(c->nv, c->a) > 0);
}

static void test_sweeps(const char* what, int n, double tolerance)
{
    maximal_case c;
    if (open_case(&c, what, n, true)) {
        cardan_data*  d    = c.data;
        cd_solve_info info = {.failed_velocity = CARDAN_NONE, .failed_row = CARDAN_NONE};
        double*       a    = calloc((size_t)c.nv, sizeof *a);
        double*       dx   = calloc((size_t)c.nv, sizeof *dx);
        double*       y    = calloc((size_t)c.nrow, sizeof *y);
        solve_in_phases(&c);
        CHECK(infinity_norm(c.nv, c.dx) > 0);
        const cd_problem problem     = cd_problem_of(d);
        cd_right_sides   right_sides = {.r = d->solve.r, .gamma = d->solve.gamma, .s = d->solve.row_rhs};
        CHECK(d->formulation->factor_and_solve(&problem, d->formulation_work, &right_sides, &(cd_solution){a, y, dx},
                                               &info) == CARDAN_OK);
        check_same(c.nv, a, c.a, tolerance);
        check_same(c.nv, dx, c.dx, tolerance);
        check_same(c.nrow, y, c.lambda, tolerance);
        right_sides.s = NULL;
        CHECK(d->formulation->factor_and_solve(&problem, d->formulation_work, &right_sides, &(cd_solution){a, y, NULL},
                                               &info) == CARDAN_OK);
        check_same(c.nv, a, c.a, tolerance);
        free(a), free(dx), free(y);
    }
    close_case(&c);
}

// Blocked evaluation as in an integrator step. Quantities that it does not compute are computed when they are
// requested.
static void test_blocked_evaluation(const char* what, int n, int threads)
{
    maximal_case c;
    if (open_case(&c, what, n, true)) {
        cardan_data* d = c.data;
        double*      a = calloc((size_t)c.nv, sizeof *a);
        double*      r = calloc((size_t)c.nv, sizeof *r);
        double*      g = calloc((size_t)c.nrow, sizeof *g);
        double       violation, rate, violation_set, rate_set;
        CHECK(cardan_data_set_state(d, 0, c.q, c.v, NULL) == CARDAN_OK);
        d->settings.assume_full_rank = d->settings.want_position_correction = true;
        CHECK(cardan_data_accelerate(d, c.a, NULL, &report) == CARDAN_OK && d->valid.correction);
        memcpy(c.dx, d->solve.correction, (size_t)c.nv * sizeof *c.dx);
        memcpy(c.lambda, d->solve.lambda, (size_t)c.nrow * sizeof *c.lambda);
        memcpy(r, d->solve.r, (size_t)c.nv * sizeof *r);
        memcpy(g, d->solve.gamma, (size_t)c.nrow * sizeof *g);
        cardan_data_constraint_violation(d, &violation_set, &rate_set);
        const double energy = cardan_data_energy(d).kinetic;
        const vec3   column = d->k.S[6].l;

        CHECK(cd_can_evaluate_blocked(d));
        CHECK(cardan_data_set_state(d, 0, c.model->q_start, c.model->v_start, NULL) ==
              CARDAN_OK); // another state in between
        CHECK(cardan_data_set_threads(d, threads, &report) == CARDAN_OK);
        cd_blocked_set_state(d, 0, c.q, c.v, NULL);
        CHECK(cardan_data_accelerate(d, a, NULL, &report) == CARDAN_OK && d->valid.correction && !d->blocked.active);
        check_same(c.nv, d->solve.r, r, 0);
        check_same(c.nrow, d->solve.gamma, g, 0);
        check_same(c.nv, a, c.a, 0);
        check_same(c.nv, d->solve.correction, c.dx, 0);
        check_same(c.nrow, d->solve.lambda, c.lambda, 0);
        cardan_data_constraint_violation(d, &violation, &rate);
        CHECK(violation == violation_set && rate == rate_set && violation > 1e-8);

        cd_blocked_invalidate(d);
        CHECK(cardan_data_energy(d).kinetic == energy);
        CHECK(d->k.S[6].l.x == column.x && d->k.S[6].l.y == column.y && d->k.S[6].l.z == column.z);
        CHECK(cardan_data_residual_norm(d, a) < 1e-9);
        free(a), free(r), free(g);
    }
    close_case(&c);
}

int main(void)
{
    RUN(test_sweeps("ring", 40, 1e-11));
    RUN(test_sweeps("star", 60, 1e-11));
    RUN(test_sweeps("rope-ladder-spatial", 20, 1e-9));
    RUN(test_sweeps("models/rider", 0, 1e-9));
    RUN(test_blocked_evaluation("ring", 300, 1));
    RUN(test_blocked_evaluation("ring", 700, 2));
    RUN(test_blocked_evaluation("star", 300, 1));
    RUN(test_blocked_evaluation("rope-ladder-spatial", 200, 1));
    return test_end();
}
