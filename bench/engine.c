// SPDX-License-Identifier: BSD-3-Clause
// The stages of cardan_data_accelerate, without the forces of the mechanism:
//
//   forward kinematics,   c = ID(q, v, 0),   r = tau - c,   assemble, factor, solve M a = r
#include "engine.h"

#include "dynamics/data.h"

#include <stdlib.h>

struct engine {
    cardan_data*        d;
    const cardan_model* m;
    state               s;
    double *            effort, *a;
    cd_solve_info       where;
};

static const cd_rows         no_rows = {0};
static const cd_solve_policy policy  = {0};

static cd_problem problem_of(const engine* e) { return (cd_problem){e->m, &e->d->k, &no_rows, &policy}; }

engine* engine_create(const cardan_model* m, const char* formulation, const state* s, cardan_report* report)
{
    engine*      e  = cd_allocate(1, sizeof *e);
    const int    f  = cardan_formulation_find(formulation);
    const size_t nv = (size_t)cardan_model_get_view(m).nv;
    if (!e || cardan_data_create(m, f, &e->d, report) != CARDAN_OK) {
        free(e);
        return NULL;
    }
    e->m      = m;
    e->s      = *s;
    e->effort = cd_allocate(nv, sizeof(double));
    e->a      = cd_allocate(nv, sizeof(double));
    if (!e->effort || !e->a) {
        engine_destroy(e);
        return NULL;
    }
    return e;
}

void engine_destroy(engine* e)
{
    if (!e) return;
    cardan_data_destroy(e->d);
    free(e->effort);
    free(e->a);
    free(e);
}

double        engine_memory(const engine* e) { return (double)e->d->memory.arena.size; }
const double* engine_efforts(const engine* e) { return e->effort; }
const double* engine_accelerations(const engine* e) { return e->a; }

void engine_inverse_dynamics(void* on)
{
    engine* e = on;
    cd_forward_kinematics(e->m, &e->d->k, e->s.q);
    cd_inverse_dynamics(e->m, &e->d->k, e->s.v, e->s.a, NULL, e->effort);
}

static void assemble(engine* e)
{
    const cd_formulation* f       = e->d->formulation;
    const cd_problem      problem = problem_of(e);
    if (f->assemble) f->assemble(&problem, e->d->formulation_work);
}

static void factor(engine* e)
{
    const cd_problem problem = problem_of(e);
    e->d->formulation->factor(&problem, e->d->formulation_work, &e->where);
}

void engine_mass_matrix(void* on)
{
    engine* e = on;
    cd_forward_kinematics(e->m, &e->d->k, e->s.q);
    assemble(e);
}

void engine_mass_and_factor(void* on)
{
    engine_mass_matrix(on);
    factor(on);
}

void engine_solve(void* on)
{
    engine*          e       = on;
    const cd_problem problem = problem_of(e);
    e->d->formulation->solve(&problem, e->d->formulation_work, &(cd_right_sides){.r = e->d->solve.r},
                             &(cd_solution){.a = e->a}, &e->where);
}

void engine_forward(void* on)
{
    engine*      e = on;
    cardan_data* d = e->d;
    cd_forward_kinematics(e->m, &d->k, e->s.q);
    cd_inverse_dynamics(e->m, &d->k, e->s.v, NULL, NULL, d->solve.bias_effort);
    for (int i = 0; i < e->m->nv; ++i) d->solve.r[i] = e->s.tau[i] - d->solve.bias_effort[i];
    assemble(e);
    factor(e);
    engine_solve(e);
}
