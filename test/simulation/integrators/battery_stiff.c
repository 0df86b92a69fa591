// SPDX-License-Identifier: BSD-3-Clause
// Every stiff integrator on every mechanism of models/, in joint and in flat coordinates: the motion that dopri5 finds
// at a tight tolerance, at every row, to within what the tolerance promises. A new folder there is tested without
// touching this file.
#include "fixture.h"
#include "model_folders.h"

enum { ROWS = 21, FLAT_MOST = 100 }; // velocities in flat coordinates: larger ones take too long for dopri5

typedef struct motion {
    const cardan_model* model;
    int                 nq, nv, row;
    bool                keeps;
    double*             exact; // (ROWS x (nq + nv))
    double*             dq;
    double              off; // largest so far: rad, m; velocities beside 1 + |v|
} motion;

static bool take(void* user, cardan_data* data, const cardan_sample* row)
{
    motion* m = user;
    (void)data;
    if (m->row >= ROWS) return false;
    double* there = m->exact + (size_t)m->row++ * (size_t)(m->nq + m->nv);
    if (m->keeps) {
        memcpy(there, row->q, (size_t)m->nq * sizeof *there);
        memcpy(there + m->nq, row->v, (size_t)m->nv * sizeof *there);
        return true;
    }
    cardan_model_position_difference(m->model, there, row->q, m->dq);
    for (int i = 0; i < m->nv; ++i)
        m->off = fmax(m->off, fmax(fabs(m->dq[i]), fabs(row->v[i] - there[m->nq + i]) / (1 + fabs(there[m->nq + i]))));
    return true;
}

static cardan_status run(fixture* f, motion* m, const char* integrator, double tolerance, double end)
{
    cardan_run     r = cardan_run_default();
    cardan_summary summary;
    m->row            = 0;
    m->off            = 0;
    r.integrator      = cardan_integrator_find(integrator);
    r.tolerance       = tolerance;
    r.end             = end;
    r.output_interval = end / (ROWS - 1);
    r.sample_callback = take;
    r.user            = m;
    return cardan_simulate(f->data, &r, &summary, &f->report);
}

typedef struct method {
    const char* name;
    double      tolerance, allowed;
} method;

static const method methods[] = {
    {"generalized-alpha", 1e-4, 2e-3}, {"hht", 1e-4, 2e-3}, {"ida", 1e-6, 1e-4}, {"cvode-bdf", 1e-6, 1e-4}};

static const double END = 0.1; // [s], or a tenth of what the model wants

static void test_model(const char* path, const char* formulation)
{
    fixture f;
    if (!fixture_open(&f, path, formulation, 0, NULL)) {
        fixture_close(&f);
        if (strcmp(formulation, "order-n") == 0) test_model(path, "augmented");
        return;
    }
    if (strcmp(formulation, "lagrange") == 0 && f.m.nv > FLAT_MOST) {
        fixture_close(&f);
        return;
    }
    motion m          = {.model = f.model, .nq = f.m.nq, .nv = f.m.nv, .keeps = true};
    m.exact           = calloc(ROWS * (size_t)(m.nq + m.nv), sizeof *m.exact);
    m.dq              = calloc((size_t)m.nv + 1, sizeof *m.dq);
    const double wish = cardan_description_get_view(f.description).run->duration,
                 end  = wish > 0 ? fmin(END, wish / 10) : END;
    CHECK(run(&f, &m, "dopri5", 1e-9, end) == CARDAN_OK);
    m.keeps = false;
    for (size_t i = 0; i < sizeof methods / sizeof *methods; ++i) {
        cardan_report_clear(&f.report);
        const cardan_status status = run(&f, &m, methods[i].name, methods[i].tolerance, end);
        if (status || !(m.off <= methods[i].allowed))
            printf("%s, %s, %s: %.2g %s\n", path, formulation, methods[i].name, m.off,
                   f.report.count ? f.report.message[0].text : "");
        CHECK(status == CARDAN_OK && m.row == ROWS);
        CHECK(m.off <= methods[i].allowed);
    }
    free(m.exact), free(m.dq);
    fixture_close(&f);
}

int main(void)
{
    static model_folders models;
    collect_models(&models, "models");
    CHECK(models.count > 30);
    for (int i = 0; i < models.count; ++i) RUN(test_model(models.path[i], "order-n"));
    for (int i = 0; i < models.count; ++i) RUN(test_model(models.path[i], "lagrange"));
    return test_end();
}
