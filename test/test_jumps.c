// SPDX-License-Identifier: BSD-3-Clause
// Forces that jump: after them errors follow the tolerance as everywhere, against closed forms, in tree and flat
// coordinates.
#include "test.h"
#include "yaml_text.h"

#include <cardan/cardan.h>

static const char* const methods[] = {"generalized-alpha", "hht", "ida", "cvode-bdf"};

enum { METHODS = sizeof methods / sizeof *methods };

typedef struct end_state {
    double q, v;
} end_state;

static bool keep(void* user, cardan_data* data, const cardan_row* row)
{
    end_state* e    = user;
    double     q[8] = {0}, v[8] = {0};
    (void)row;
    cardan_joint_state(data, 0, q, v);
    *e = (end_state){q[0], v[0]};
    return true;
}

typedef struct how {
    const char *formulation, *integrator;
    double      tolerance, end;
} how;

static cardan_status run_to(const char* text, how how, end_state* e, cardan_summary* s, cardan_report* report)
{
    cardan_description* d     = yaml_load(text);
    cardan_model*       model = NULL;
    cardan_data*        data  = NULL;
    const int           index = cardan_formulation_find(how.formulation);
    cardan_report_clear(report);
    *e                   = (end_state){0};
    cardan_status status = cardan_model_compile(d, cardan_formulation_tree(index), &model, report);
    if (!status) status = cardan_data_create(model, index, &data, report);
    if (!status) {
        cardan_run run = cardan_run_default();
        run.integrator = cardan_integrator_find(how.integrator);
        run.tolerance  = how.tolerance;
        run.end = run.output = how.end;
        run.row              = keep;
        run.user             = e;
        status               = cardan_simulate(data, &run, s, report);
    }
    cardan_data_destroy(data);
    cardan_model_destroy(model);
    cardan_description_destroy(d);
    return status;
}

// A mass of 1 kg on a slide, and what pushes it.
#define SLIDE(start, effort)                                                                                           \
    "cardan: 1\n"                                                                                                      \
    "name: pushed\n"                                                                                                   \
    "gravity: [0, 0, 0]\n"                                                                                             \
    "bodies: {mass: {mass: 1, at: [0, 0, 0]}}\n"                                                                       \
    "joints: {slide: {prismatic: [ground, mass], at: [0, 0, 0], axis: x, start: {v: " start "}}}\n"                    \
    "forces: {push: {actuator: slide, effort: \"=" effort "\"}}\n"                                                     \
    "run: {duration: 1}\n"

typedef struct motion {
    const char* text;
    double      end, q, v; // closed form
} motion;

static const motion motions[] = {
    {SLIDE("0", "if(t < 0.3, 0, 1)"), 1, 0.245, 0.7},
    {SLIDE("0", "if(t < 0.3, 0, 1) - if(t < 0.5, 0, 1)"), 1, 0.12, 0.2},
};

enum { MOTIONS = sizeof motions / sizeof *motions };

static void test_motion(const char* formulation, int method)
{
    for (int i = 0; i < MOTIONS; ++i)
        for (double tolerance = 1e-3; tolerance > 0.5e-9; tolerance /= 10) {
            const motion*       m = &motions[i];
            end_state           e;
            cardan_summary      s;
            cardan_report       report;
            const cardan_status status =
                run_to(m->text, (how){formulation, methods[method], tolerance, m->end}, &e, &s, &report);
            const double error = fmax(fabs(e.q - m->q), fabs(e.v - m->v));
            if (status || !(error < tolerance))
                printf("motion %d, %s %s %g: %g %s\n", i, formulation, methods[method], tolerance, error,
                       report.count ? report.message[0].text : "");
            CHECK(status == CARDAN_OK);
            CHECK(error < tolerance);
            CHECK(s.steps < 400);
        }
}

int main(void)
{
    yaml_begin();
    for (int i = 0; i < METHODS; ++i) RUN(test_motion("lagrange", i));
    yaml_end();
    return test_end();
}
