// SPDX-License-Identifier: BSD-3-Clause
#include "004_record.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool report_failure(const char* what, const cardan_report* report)
{
    fprintf(stderr, "%s: %s\n", what, report->count > 0 ? report->message[report->count - 1].text : "failed");
    return false;
}

typedef struct recorder {
    const record_plan* plan;
    record*            r;
    int                joint[RECORD_JOINTS];
} recorder;

static bool keep(void* user, cardan_data* data, const cardan_sample* sample)
{
    const recorder* k = user;
    record*         r = k->r;
    const int       i = r->count++;
    r->t[i]           = sample->t;
    cardan_data_constraint_violation(data, &r->violation[i], &r->velocity_violation[i]);
    for (int j = 0; j < k->plan->njoint; ++j) {
        double q[CARDAN_JOINT_VELOCITIES_MAX + 1], v[CARDAN_JOINT_VELOCITIES_MAX];
        cardan_data_joint_state(data, k->joint[j], q, v);
        r->q[j][i] = q[k->plan->axis[j]];
    }
    return true;
}

static bool reserve(record* r, const record_plan* plan)
{
    const size_t capacity               = (size_t)(plan->end / plan->output) + 3;
    double**     all[3 + RECORD_JOINTS] = {&r->t, &r->violation, &r->velocity_violation};
    bool         good                   = true;
    for (int j = 0; j < RECORD_JOINTS; ++j) all[3 + j] = &r->q[j];
    for (int i = 0; i < 3 + RECORD_JOINTS; ++i) good = (*all[i] = calloc(capacity, sizeof(double))) != NULL && good;
    return good;
}

void record_free(record* r)
{
    free(r->t);
    free(r->violation);
    free(r->velocity_violation);
    for (int j = 0; j < RECORD_JOINTS; ++j) free(r->q[j]);
    *r = (record){0};
}

static int joint_named(const cardan_model* m, const char* name)
{
    for (int j = 0; j < cardan_model_get_view(m).njoint; ++j)
        if (strcmp(cardan_model_joint_name(m, j), name) == 0) return j;
    return CARDAN_NONE;
}

// Assemble the start and round it to a number of decimals, as in a typed input.
static bool round_start(cardan_data* data, int digits, double* q, double* v, cardan_report* report)
{
    const double            unit = pow(10, digits);
    const cardan_model_view view = cardan_model_get_view(cardan_data_model(data));
    if (cardan_data_assemble(data, NULL, q, v, NULL, report)) return false;
    for (int i = 0; i < view.nq && digits > 0; ++i) q[i] = round(q[i] * unit) / unit;
    for (int i = 0; i < view.nv && digits > 0; ++i) v[i] = round(v[i] * unit) / unit;
    return true;
}

static bool simulate(cardan_data* data, recorder* k, cardan_report* report)
{
    const record_plan*      plan = k->plan;
    const cardan_model*     m    = cardan_data_model(data);
    const cardan_model_view view = cardan_model_get_view(m);
    double*                 x    = calloc((size_t)(view.nq + view.nv) + 1, sizeof *x);
    cardan_run_settings     run  = cardan_run_default();
    bool                    good = x && reserve(k->r, plan);
    for (int j = 0; j < plan->njoint && good; ++j) good = (k->joint[j] = joint_named(m, plan->joint[j])) != CARDAN_NONE;
    good                = good && round_start(data, plan->digits, x, x + view.nq, report);
    run.integrator      = cardan_integrator_find(plan->integrator);
    run.stabilization   = cardan_stabilization_find(plan->stabilization);
    run.end             = plan->end;
    run.output_interval = plan->output;
    run.step            = plan->step;
    run.tolerance       = plan->tolerance;
    run.q               = x;
    run.v               = x + view.nq;
    run.sample_callback = keep;
    run.user            = k;
    good                = good && cardan_simulate(data, &run, &k->r->summary, report) == CARDAN_OK;
    free(x);
    return good;
}

bool record_run(const cardan_description* description, const record_plan* plan, record* r)
{
    cardan_report report = {0};
    cardan_model* model  = NULL;
    cardan_data*  data   = NULL;
    const int     index  = cardan_formulation_find(plan->formulation);
    recorder      k      = {.plan = plan, .r = r};
    *r                   = (record){0};
    const bool good =
        description &&
        cardan_model_compile(description, cardan_formulation_tree_policy(index), &model, &report) == CARDAN_OK &&
        cardan_data_create(model, index, &data, &report) == CARDAN_OK && simulate(data, &k, &report);
    cardan_data_destroy(data);
    cardan_model_destroy(model);
    return good || report_failure(plan->formulation, &report);
}

cardan_description* record_make(const char* family, int n, const char* parameter, const char* value)
{
    const cardan_parameter_setting setting     = {parameter, value};
    cardan_load_options            options     = cardan_load_options_default();
    cardan_description*            description = NULL;
    cardan_report                  report      = {0};
    options.nsetting                           = parameter ? 1 : 0;
    options.setting                            = &setting;
    if (cardan_family_generate(family, n, &options, &description, &report)) report_failure(family, &report);
    return description;
}

cardan_description* record_load(const char* models, const char* folder)
{
    char                path[1024];
    cardan_description* description = NULL;
    cardan_report       report      = {0};
    snprintf(path, sizeof path, "%s/%s", models, folder);
    if (cardan_description_load(path, NULL, &description, &report)) report_failure(path, &report);
    return description;
}
