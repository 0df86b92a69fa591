// SPDX-License-Identifier: BSD-3-Clause
// Time of a whole step of cardan_simulate: kinematics, forces, assembly, factorization, accelerations, semi-implicit
// Euler, projection of positions and velocities. Times are measured between the ends of steps, which excludes
// allocation and the first and last sample; the minimum of several runs is used, in CPU time of one thread.
#include "../bench/clock.h"
#include "000_systems.h"

#include "dynamics/data.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REPEATS = 5, FEW_REPEATS = 3, STEPS_MIN = 5, STEPS_MAX = 2000 };
static const double h = 1e-3; // [s]

typedef struct subject {
    cardan_model*     model;
    cardan_data*      data;
    cardan_model_view view;
    double*           a;
    double *          q, *v; // final state of the last run
} subject;

// Compile in maximal coordinates for every formulation.
static bool open(subject* s, const cardan_description* d, const char* formulation, cardan_report* report)
{
    *s = (subject){0};
    if (cardan_model_compile(d, CARDAN_TREE_MAXIMAL, &s->model, report) != CARDAN_OK) return false;
    s->view = cardan_model_get_view(s->model);
    s->a    = calloc((size_t)s->view.nv + 1, sizeof *s->a);
    s->q    = calloc((size_t)s->view.nq + 1, sizeof *s->q);
    s->v    = calloc((size_t)s->view.nv + 1, sizeof *s->v);
    return s->a && s->q && s->v &&
           cardan_data_create(s->model, cardan_formulation_find(formulation), &s->data, report) == CARDAN_OK &&
           cardan_data_set_state(s->data, 0, s->view.q_start, s->view.v_start, s->view.state_start) == CARDAN_OK;
}

static void close(subject* s)
{
    cardan_data_destroy(s->data);
    cardan_model_destroy(s->model);
    free(s->a);
    free(s->q);
    free(s->v);
}

static void evaluate(void* on)
{
    subject* s = on;
    cardan_data_set_state(s->data, 0, s->view.q_start, s->view.v_start, s->view.state_start);
    cardan_data_accelerate(s->data, s->a, NULL, NULL);
}

static bool keep(void* user, cardan_data* data, const cardan_sample* sample)
{
    subject* s = user;
    (void)data;
    memcpy(s->q, sample->q, (size_t)s->view.nq * sizeof *s->q);
    memcpy(s->v, sample->v, (size_t)s->view.nv * sizeof *s->v);
    return true;
}

static cardan_run_settings run_of(subject* s)
{
    cardan_run_settings r = cardan_run_default();
    r.integrator          = cardan_integrator_find("semi-implicit-euler");
    r.step                = h;
    r.user                = s;
    return r;
}

// Time of one of `steps` steps [us]; the next sample of the run is far after them. Returns NAN and reports a failure.
static double run(subject* s, int steps, cardan_report* report)
{
    cardan_run_summary  summary;
    cardan_run_settings r     = run_of(s);
    clock_steps         taken = {.wanted = steps};
    r.end = r.output_interval = 10.0 * STEPS_MAX * h;
    r.progress_callback       = clock_step;
    r.user                    = &taken;
    return cardan_simulate(s->data, &r, &summary, report) == CARDAN_STOPPED ? clock_per_step(&taken) : NAN;
}

static double time_step(subject* s, double us, cardan_report* report)
{
    double    least = run(s, 1, report);
    const int steps = isnan(least) ? 0 : (int)fmax(STEPS_MIN, fmin(STEPS_MAX, us / least));
    if (least > 20 * us) return least; // long enough for a single measurement
    for (int i = least > us ? FEW_REPEATS : REPEATS; steps > 0 && i > 0; --i) {
        const double one = run(s, steps, report);
        least            = isnan(one) ? one : fmin(least, one);
        if (isnan(one)) break;
    }
    return least;
}

// Run some steps up to a sample and get the largest constraint violation, *violation.
static bool finish(subject* s, double* violation, cardan_report* report)
{
    cardan_run_summary  summary;
    cardan_run_settings r = run_of(s);
    r.end = r.output_interval = STEPS_MIN * h;
    r.sample_callback         = keep;
    if (cardan_simulate(s->data, &r, &summary, report) != CARDAN_OK) return false;
    *violation = summary.max_position_violation;
    return true;
}

static double time_evaluation(subject* s, double us)
{
    const int calls = clock_calls(evaluate, s, us);
    double    least = INFINITY;
    for (int i = 0; i < REPEATS; ++i) least = fmin(least, clock_time(evaluate, s, calls));
    return least;
}

static void count(const subject* s, paper_result* r)
{
    cardan_operation_counts o;
    if (cardan_model_count_operations(s->model, cardan_data_formulation(s->data), s->q, s->v, &o, NULL) != CARDAN_OK)
        return;
    r->sparse_mul   = o.sparse_mul;
    r->executed_mul = o.factor.mul;
}

static cardan_description* describe(const paper_system* s, const char* models, cardan_report* report)
{
    cardan_description* d = NULL;
    char                path[1024];
    snprintf(path, sizeof path, "%s/%s", models, s->folder ? s->folder : "");
    if (s->folder)
        cardan_description_load(path, NULL, &d, report);
    else
        cardan_family_generate(s->family, s->n, NULL, &d, report);
    return d;
}

static void copy_message(paper_result* r, const cardan_report* report)
{
    for (int i = 0; i < report->count && !r->note[0]; ++i)
        snprintf(r->note, sizeof r->note, "%s", report->message[i].text);
}

paper_result paper_measure(const paper_system* system, const char* models, paper_effort effort)
{
    paper_result  r = {.evaluation = NAN, .step = NAN, .dense = NAN};
    cardan_report report;
    subject       s;
    cardan_report_clear(&report);
    cardan_description* d = describe(system, models, &report);
    if (!d) {
        copy_message(&r, &report);
        return r;
    }
    if (open(&s, d, "lagrange", &report)) {
        r.bodies     = s.view.nv / 6;
        r.nv         = s.view.nv;
        r.rows       = s.data->rows.nrow;
        r.evaluation = time_evaluation(&s, effort.us);
        r.step       = time_step(&s, effort.us, &report);
        if (!finish(&s, &r.max_violation, &report)) r.step = NAN;
        if (r.bodies <= effort.count_bodies_max) count(&s, &r); // after the steps: the start may have accidental zeros
    }
    close(&s);
    if (isnan(r.step)) copy_message(&r, &report);
    cardan_report_clear(&report);
    if (r.bodies <= effort.dense_bodies_max && open(&s, d, "dense", &report)) {
        if (r.bodies > effort.step_bodies_max) {
            const double start = clock_us();
            evaluate(&s);
            r.dense = clock_us() - start;
        } else {
            r.dense = time_step(&s, fmin(effort.us, 20000), &report);
        }
        close(&s);
    }
    cardan_description_destroy(d);
    return r;
}
