// SPDX-License-Identifier: BSD-3-Clause
// Every stiff integrator on every mechanism of models/, in joint and in maximal coordinates, against dopri5 at a small
// tolerance: the difference at every sample stays within a multiple of the tolerance. A new folder of models/ is tested
// without a change of this file. Rigid contacts are refused by these integrators.
#include "fixture.h"
#include "model_folders.h"

enum {
    SAMPLES            = 21,
    MAXIMAL_VELOCITIES = 100
}; // most velocities in maximal coordinates: larger models take too long with dopri5

typedef struct motion {
    const cardan_model* model;
    int                 nq, nv, sample;
    bool                keeps;
    double*             exact; // (SAMPLES x (nq + nv))
    double*             dq;
    double              error; // largest so far: rad, m; velocities relative to 1 + |v|
} motion;

static bool keep_sample(void* user, cardan_data* data, const cardan_sample* sample)
{
    motion* m = user;
    (void)data;
    if (m->sample >= SAMPLES) return false;
    double* there = m->exact + (size_t)m->sample++ * (size_t)(m->nq + m->nv);
    if (m->keeps) {
        memcpy(there, sample->q, (size_t)m->nq * sizeof *there);
        memcpy(there + m->nq, sample->v, (size_t)m->nv * sizeof *there);
        return true;
    }
    cardan_model_position_difference(m->model, there, sample->q, m->dq);
    for (int i = 0; i < m->nv; ++i)
        m->error =
            fmax(m->error, fmax(fabs(m->dq[i]), fabs(sample->v[i] - there[m->nq + i]) / (1 + fabs(there[m->nq + i]))));
    return true;
}

static cardan_status run(fixture* f, motion* m, const char* integrator, double tolerance, double end)
{
    cardan_run_settings r = cardan_run_default();
    cardan_run_summary  summary;
    m->sample         = 0;
    m->error          = 0;
    r.integrator      = cardan_integrator_find(integrator);
    r.tolerance       = tolerance;
    r.end             = end;
    r.output_interval = end / (SAMPLES - 1);
    r.sample_callback = keep_sample;
    r.user            = m;
    return cardan_simulate(f->data, &r, &summary, &f->report);
}

typedef struct method {
    const char* name;
    double      tolerance, allowed;
} method;

static const method methods[] = {
    {"generalized-alpha", 1e-4, 2e-3}, {"hht", 1e-4, 2e-3}, {"ida", 1e-6, 1e-4}, {"cvode-bdf", 1e-6, 1e-4}};

// Models compared, in joint and in maximal coordinates, by each method; and those that are too large.
static int compared[2][sizeof methods / sizeof *methods], too_large;

static const double END = 0.1; // [s], or a tenth of the duration of the model file

static void test_model(const char* path, const char* formulation)
{
    fixture    f;
    const bool is_maximal = strcmp(formulation, "lagrange") == 0;
    CHECK(fixture_open(&f, path, formulation, 0, NULL));
    if (!f.data || (is_maximal && f.m.nv > MAXIMAL_VELOCITIES)) {
        too_large += f.data != NULL;
        fixture_close(&f);
        return;
    }
    motion m          = {.model = f.model, .nq = f.m.nq, .nv = f.m.nv, .keeps = true};
    m.exact           = calloc(SAMPLES * (size_t)(m.nq + m.nv), sizeof *m.exact);
    m.dq              = calloc((size_t)m.nv + 1, sizeof *m.dq);
    const double wish = cardan_description_get_view(f.description).run->duration,
                 end  = wish > 0 ? fmin(END, wish / 10) : END;
    CHECK(run(&f, &m, "dopri5", 1e-9, end) == CARDAN_OK);
    m.keeps = false;
    for (size_t i = 0; i < sizeof methods / sizeof *methods; ++i) {
        cardan_report_clear(&f.report);
        const cardan_status status = run(&f, &m, methods[i].name, methods[i].tolerance, end);
        if (status || !(m.error <= methods[i].allowed))
            printf("%s, %s, %s: %.2g %s\n", path, formulation, methods[i].name, m.error,
                   f.report.count ? f.report.message[0].text : "");
        CHECK(status == CARDAN_OK && m.sample == SAMPLES);
        CHECK(m.error <= methods[i].allowed);
        ++compared[is_maximal][i];
    }
    free(m.exact), free(m.dq);
    fixture_close(&f);
}

static void test_comparisons(int models)
{
    for (size_t i = 0; i < sizeof methods / sizeof *methods; ++i)
        CHECK(compared[0][i] == models && compared[1][i] == models - too_large);
    printf("%d models, %d too large in maximal coordinates\n", models, too_large);
    CHECK(too_large < models / 3);
}

int main(void)
{
    static model_folders models;
    collect_models_without_contacts(&models, "models");
    CHECK(models.left_out == MODELS_WITH_CONTACTS);
    CHECK(models.count > 30);
    for (int i = 0; i < models.count; ++i) RUN(test_model(models.path[i], "order-n"));
    for (int i = 0; i < models.count; ++i) RUN(test_model(models.path[i], "lagrange"));
    RUN(test_comparisons(models.count));
    return test_end();
}
