// SPDX-License-Identifier: BSD-3-Clause
// One complete step, with and without the checks of a run between steps.
#include "full_step.h"

#include "clock.h"
#include "dynamics/data.h"
#include "simulation/simulation.h"

#include <cardan/family.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct whole {
    cardan_description* description;
    cardan_model*       model;
    cardan_data*        data;
    double*             end; // (nq)
};

// Replace the formulation of the data.
static cardan_status exchange_solver(cardan_data* d, const cd_formulation* f, cardan_report* report)
{
    d->formulation->release(d->formulation_work);
    cd_arena_release(&d->memory.work_arena);
    free(d->formulation_work);
    d->formulation      = f;
    d->formulation_work = cd_allocate(1, f->work_size);
    d->valid.factor = d->history.has_factor = false;
    if (!d->formulation_work) return CARDAN_NO_MEMORY;
    const cardan_status status =
        f->analyse ? f->analyse(d->m, &d->solver_rows, d->formulation_work, report) : CARDAN_OK;
    if (status != CARDAN_OK) return status;
    f->layout(d->m, &d->solver_rows, &d->memory.work_arena, d->formulation_work);
    if (!cd_arena_reserve(&d->memory.work_arena)) return CARDAN_NO_MEMORY;
    f->layout(d->m, &d->solver_rows, &d->memory.work_arena, d->formulation_work);
    return CARDAN_OK;
}

whole* whole_create(const char* what, int n, const cd_formulation* solver, cardan_report* report)
{
    whole*    w        = cd_allocate(1, sizeof *w);
    const int lagrange = cardan_formulation_find("lagrange");
    if (!w) return NULL;
    cardan_status good = n > 0 ? cardan_family_generate(what, n, NULL, &w->description, report)
                               : cardan_description_load(what, NULL, &w->description, report);
    if (good == CARDAN_OK) good = cardan_model_compile(w->description, CARDAN_TREE_MAXIMAL, &w->model, report);
    if (good == CARDAN_OK) good = cardan_data_create(w->model, lagrange, &w->data, report);
    w->end = good == CARDAN_OK ? cd_allocate((size_t)w->model->nq, sizeof(double)) : NULL;
    if (good == CARDAN_OK && !w->end) good = CARDAN_NO_MEMORY;
    if (good == CARDAN_OK && solver) good = exchange_solver(w->data, solver, report);
    if (good == CARDAN_OK) return w;
    whole_destroy(w);
    return NULL;
}

void whole_destroy(whole* w)
{
    if (!w) return;
    cardan_data_destroy(w->data);
    if (w->model) cardan_model_destroy(w->model);
    if (w->description) cardan_description_destroy(w->description);
    free(w->end);
    free(w);
}

cardan_data* whole_data(whole* w) { return w->data; }
cardan_data* whole_rewind(whole* w)
{
    cardan_data_set_state(w->data, 0, w->model->q_start, w->model->v_start, w->model->state_start);
    return w->data;
}

int           whole_bodies(const whole* w) { return w->data->m->nlink; }
int           whole_velocities(const whole* w) { return w->data->m->nv; }
int           whole_rows(const whole* w) { return w->data->rows.nrow; }
const double* whole_end(const whole* w) { return w->end; }

static bool keep_row(void* user, cardan_data* data, const cardan_sample* row)
{
    const whole* w = user;
    memcpy(w->end, row->q, (size_t)data->m->nq * sizeof *w->end);
    return true;
}

static cardan_run_settings run_of(whole* w, double h, const char* stabilization)
{
    cardan_run_settings run = cardan_run_default();
    run.integrator          = cardan_integrator_find("semi-implicit-euler");
    run.stabilization       = stabilization ? cardan_stabilization_find(stabilization) : CARDAN_NONE;
    run.step                = h;
    run.user                = w;
    return run;
}

// The beginning of a run of 10,000 steps with one output sample at its end.
double whole_run(whole* w, int steps, double h, cardan_report* report)
{
    cardan_run_settings run   = run_of(w, h, NULL);
    clock_steps         taken = {.wanted = steps};
    cardan_run_summary  summary;
    run.end = run.output_interval = 1e4 * h;
    run.progress_callback         = clock_step;
    run.user                      = &taken;
    return cardan_simulate(w->data, &run, &summary, report) == CARDAN_STOPPED ? clock_per_step(&taken) : NAN;
}

// Memory of a run, and its integrator step only.
static double run_bare(cd_simulation* s, int steps)
{
    const double h = s->run.step;
    if (cd_set_initial_state(s) || s->integrator->start(&s->system, s->integrator_work, &s->x)) return NAN;
    const double began = clock_us();
    for (int i = 0; i < steps; ++i)
        if (s->integrator->step(&s->system, s->integrator_work, s->x.t + h, &s->x)) return NAN;
    return (clock_us() - began) / steps;
}

double whole_bare(whole* w, int steps, double h, const char* stabilization, cardan_report* report)
{
    const cardan_run_settings asked   = run_of(w, h, stabilization);
    cd_simulation             s       = {.report = report};
    cardan_run_summary        summary = {0};
    s.summary                         = &summary;
    const bool   good = !cd_settings_complete(&asked, &s.run, report) && !cd_simulation_prepare(&s, w->data, &asked);
    const double us   = good ? run_bare(&s, steps) : NAN;
    cd_simulation_close(&s, CARDAN_STOPPED);
    return us;
}

bool whole_check(whole* w, int steps, double h, double* closure, cardan_report* report)
{
    cardan_run_settings run = run_of(w, h, NULL);
    cardan_run_summary  summary;
    run.end = run.output_interval = steps * h;
    run.sample_callback           = keep_row;
    const cardan_status status    = cardan_simulate(w->data, &run, &summary, report);
    *closure                      = fmax(summary.max_position_violation, summary.max_velocity_violation);
    return status == CARDAN_OK;
}
