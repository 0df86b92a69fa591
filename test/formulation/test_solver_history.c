// SPDX-License-Identifier: BSD-3-Clause
// Solver history: every formulation on every mechanism of models/ evaluates 100 states, on and off the constraints, in
// random order. After a reset of the history, accelerations and multipliers of each state have the bits of new data.
// Models with contacts are left out: some formulations refuse them.
#include "fixture.h"
#include "model_folders.h"
#include "random_tree.h"

#include "dynamics/solver_history.h"
#include "dynamics/state.h"

enum { STATES = 100, LARGEST = 500 }; // states; most velocities and rows of a mechanism of models/

typedef struct result {
    cardan_status status;
    double        value[2 * LARGEST];
} result;

static int ncompared, nunsolved; // states; those without a solution

// A state near the assembled start; the second half of the states satisfies the constraints, and so does the first of
// the others.
static void make_state(fixture* f, dice* d, int i, const double* q0, double* q, double* v)
{
    double dx[LARGEST];
    for (int k = 0; k < f->m.nv; ++k) {
        dx[k] = i == 0 ? 0 : dice_range(d, -1, 1) * (i < STATES / 2 ? 1e-4 : 0.3);
        v[k]  = dice_range(d, -1, 1);
    }
    cardan_model_integrate_position(f->model, q0, dx, q);
    if (f->m.nconstraint == 0 || (i > 0 && i < STATES / 2)) return;
    cardan_data_set_state(f->data, 0, q, v, f->m.state_start);
    if (cardan_data_project(f->data, NULL, q, v, NULL, NULL) == CARDAN_OK) return;
    memcpy(q, q0, (size_t)f->m.nq * sizeof *q);
}

static result evaluate(cardan_data* d, const fixture* f, const double* q, const double* v)
{
    result r;
    memset(&r, 0, sizeof r);
    cardan_data_set_state(d, 0, q, v, f->m.state_start);
    r.status = cardan_data_accelerate(d, r.value, NULL, NULL);
    if (r.status == CARDAN_OK)
        memcpy(r.value + f->m.nv, d->solve.lambda, (size_t)d->solver_rows.nrow * sizeof *d->solve.lambda);
    else
        memset(&r.value, 0, sizeof r.value);
    return r;
}

static bool is_same(const result* a, const result* b)
{
    return a->status == b->status && memcmp(a->value, b->value, sizeof a->value) == 0;
}

static void compare_states(const char* path, const char* formulation, fixture* f, const double* q, const double* v)
{
    const int    index      = cardan_data_formulation(f->data);
    cardan_data* used       = NULL; // an assembly has changed the units of f->data
    dice         d          = {7};
    int          ndifferent = 0;
    CHECK(cardan_data_create(f->model, index, &used, NULL) == CARDAN_OK);
    for (int n = 0; n < STATES; ++n) {
        const int     other = dice_int(&d, STATES), i = dice_int(&d, STATES);
        const double *qi = q + i * f->m.nq, *vi = v + i * f->m.nv;
        cardan_data*  fresh = NULL;
        evaluate(used, f, q + other * f->m.nq, v + other * f->m.nv); // leaves a history
        cd_solver_history_reset(used);
        cd_reset_winding_numbers(used);
        const result after_reset = evaluate(used, f, qi, vi);
        CHECK(cardan_data_create(f->model, index, &fresh, NULL) == CARDAN_OK);
        const result first = evaluate(fresh, f, qi, vi);
        cardan_data_destroy(fresh);
        ndifferent += !is_same(&after_reset, &first);
        nunsolved += first.status != CARDAN_OK;
        ++ncompared;
    }
    cardan_data_destroy(used);
    CHECK(ndifferent == 0);
    if (ndifferent > 0) printf("%s, %s: %d states differ\n", path, formulation, ndifferent);
}

static void test_model(const char* path, const char* formulation)
{
    fixture    f;
    const bool is_open = fixture_open(&f, path, formulation, 0, NULL),
               fits    = is_open && f.m.nv + f.data->solver_rows.nrow <= LARGEST;
    CHECK(fits || !is_open); // no mechanism is left out
    if (fits) {
        double*    q = calloc((size_t)(STATES * (f.m.nq + f.m.nv) + 1), sizeof *q);
        double *   v = q + STATES * f.m.nq, q0[2 * LARGEST];
        dice       d = {3};
        const bool good =
            f.m.nconstraint == 0 || cardan_data_assemble(f.data, NULL, NULL, NULL, NULL, &f.report) == CARDAN_OK;
        CHECK(good);
        memcpy(q0, f.m.nconstraint == 0 ? f.m.q_start : f.data->q, (size_t)f.m.nq * sizeof *q0);
        for (int i = 0; i < STATES; ++i) make_state(&f, &d, i, q0, q + i * f.m.nq, v + i * f.m.nv);
        if (good) compare_states(path, formulation, &f, q, v);
        free(q);
    }
    fixture_close(&f);
}

static void test_models(const char* formulation)
{
    model_folders models = {0};
    const int     before = ncompared;
    collect_models_without_contacts(&models, "models");
    CHECK(models.left_out == MODELS_WITH_CONTACTS);
    for (int i = 0; i < models.count; ++i) test_model(models.path[i], formulation);
    CHECK(ncompared > before);
}

int main(void)
{
    for (int k = 0; k < cardan_formulation_count(); ++k) RUN(test_models(cardan_formulation_name(k)));
    CHECK(ncompared > 40000 && nunsolved < ncompared / 10);
    return test_end();
}
