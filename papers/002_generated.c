// SPDX-License-Identifier: BSD-3-Clause
// Operations and times of the generated code of the vehicle of paper 002, compared with evaluations of the library.
#include "002_generated.h"

#include "../bench/clock.h"
#include "../bench/code.h"

#include <math.h>
#include <stdlib.h>

typedef struct subject {
    const double *q, *v, *state;
    double *      effort, *M, *c, *a;
    void (*mass)(const double*, double*);
    void (*semi)(const double*, const double*, double*, double*);
    void (*motion)(const double*, const double*, const double*, const double*, double, double*);
    cardan_data* data;
} subject;

static void run_mass(void* p) { ((subject*)p)->mass(((subject*)p)->q, ((subject*)p)->M); }
static void run_semi(void* p)
{
    ((subject*)p)->semi(((subject*)p)->q, ((subject*)p)->v, ((subject*)p)->M, ((subject*)p)->c);
}
static void run_motion(void* p)
{
    ((subject*)p)
        ->motion(((subject*)p)->q, ((subject*)p)->v, ((subject*)p)->effort, ((subject*)p)->state, 0, ((subject*)p)->a);
}
static void run_library(void* p)
{
    cardan_data_set_state(((subject*)p)->data, 0, ((subject*)p)->q, ((subject*)p)->v, ((subject*)p)->state);
    cardan_data_accelerate(((subject*)p)->data, ((subject*)p)->a, NULL, NULL);
}

// Minimum time of one call over passes of about 50 us each.
static double least(void (*work)(void*), subject* s, int passes)
{
    const int calls = clock_calls(work, s, 50);
    double    us    = INFINITY;
    for (int i = 0; i < passes; ++i) us = fmin(us, clock_time(work, s, calls));
    return us;
}

cardan_status paper_generated_measure(const cardan_model* m, const double* q, const double* v, int passes,
                                      paper_generated* g, double* a, cardan_report* report)
{
    const cardan_model_view  view                 = cardan_model_get_view(m);
    const size_t             n                    = (size_t)view.nv;
    static const char* const form[PAPER_ROUTINES] = {"mass", "semi", "motion"};
    static const char* const what[PAPER_ROUTINES] = {"mass matrix of the tree", "mass matrix and bias of the tree",
                                                     "accelerations with loops: complete evaluation"};
    code                     c;
    subject                  s      = {.q = q, .v = v, .state = view.state_start, .a = a};
    cardan_status            status = code_load(m, "mass,semi,motion", (code_kind){0}, &c, report);
    for (int i = 0; i < PAPER_ROUTINES; ++i) g->routine[i] = (paper_routine){form[i], what[i], c.tally[i], NAN};
    g->compile = c.compile;
    if (status == CARDAN_UNSUPPORTED && c.operations[0] > 0) return CARDAN_OK;
    s.effort = calloc(n + 1, sizeof(double));
    s.c      = calloc(n + 1, sizeof(double));
    s.M      = calloc(n * n + 1, sizeof(double));
    CODE_TAKE(&c, s.mass, "g_mass_matrix");
    CODE_TAKE(&c, s.semi, "g_mass_and_bias");
    CODE_TAKE(&c, s.motion, "g_accelerations");
    if (status == CARDAN_OK && (!s.effort || !s.c || !s.M)) status = CARDAN_NO_MEMORY;
    if (status == CARDAN_OK && (!s.mass || !s.semi || !s.motion))
        status = cardan_fail(report, CARDAN_UNSUPPORTED, CARDAN_CODE_NOT_SUPPORTED, cardan_location_none(),
                             "a routine is missing");
    if (status == CARDAN_OK) {
        g->routine[0].us = least(run_mass, &s, passes);
        g->routine[1].us = least(run_semi, &s, passes);
        g->routine[2].us = least(run_motion, &s, passes);
    }
    free(s.effort), free(s.c), free(s.M);
    code_close(&c);
    return status;
}

double paper_whole_evaluation(const cardan_model* m, int formulation, const double* q, const double* v, int passes,
                              double* a, cardan_report* report)
{
    subject s  = {.q = q, .v = v, .state = cardan_model_get_view(m).state_start, .a = a};
    double  us = NAN;
    if (cardan_data_create(m, formulation, &s.data, report) == CARDAN_OK) {
        cardan_data_set_state(s.data, 0, q, v, s.state);
        if (cardan_data_accelerate(s.data, a, NULL, report) == CARDAN_OK) us = least(run_library, &s, passes);
    }
    cardan_data_destroy(s.data);
    return us;
}
