// SPDX-License-Identifier: BSD-3-Clause
// Derivatives of the equations of motion by dual numbers against differences of order four of the equations, for trees
// and loops, joint and maximal coordinates, springs, bushings, formulas, user states, drivers, rolling, curves and
// rotors.
#include "fixture.h"
#include "random_tree.h"
#include "test.h"

#include "dynamics/data.h"
#include "simulation/integrators/jacobian/equation_jacobian.h"

typedef struct subject {
    cd_ode_system        system;
    cd_equation_jacobian slopes;
    double *             z, *a, *lambda, *q, *dq, *value[4], *there;
    cd_arena             arena;
} subject;

static void layout(subject* s)
{
    cd_ode_system_layout(&s->system, &s->arena);
    cd_equation_jacobian_layout(&s->system, &s->arena, &s->slopes);
    CD_ARENA_ARRAY(&s->arena, s->z, s->system.nz);
    CD_ARENA_ARRAY(&s->arena, s->there, s->system.nz);
    CD_ARENA_ARRAY(&s->arena, s->a, s->system.nv);
    CD_ARENA_ARRAY(&s->arena, s->dq, s->system.nv);
    CD_ARENA_ARRAY(&s->arena, s->lambda, s->system.data->rows.nrow);
    CD_ARENA_ARRAY(&s->arena, s->q, s->system.nq);
    for (int i = 0; i < 4; ++i) CD_ARENA_ARRAY(&s->arena, s->value[i], s->slopes.n);
}

// The equations with entry `column` moved by h.
static void moved(subject* s, const double* q, int column, double h, double* value)
{
    const int nv = s->system.nv;
    memcpy(s->there, s->z, (size_t)s->system.nz * sizeof *s->z);
    memset(s->dq, 0, (size_t)nv * sizeof *s->dq);
    if (column < nv)
        s->dq[column] = h;
    else
        s->there[column - nv] += h;
    cardan_model_integrate_position(s->system.model, q, s->dq, s->q);
    CHECK(cd_equation_residual(&s->system, &s->slopes, 0, s->q, s->there, s->a, s->lambda, value) == CARDAN_OK);
}

static double compare(subject* s, const double* q)
{
    const int    nv = s->system.nv, total = 2 * nv + s->system.ns, n = s->slopes.n;
    const double h     = 2e-4;
    double       worst = 0, scale[8] = {0};
    for (int pass = 0; pass < 2; ++pass)
        for (int j = 0; j < total; ++j) {
            const double* slope = j < nv       ? s->slopes.by_q + (size_t)j * (size_t)n
                                  : j < 2 * nv ? s->slopes.by_v + (size_t)(j - nv) * (size_t)n
                                               : s->slopes.by_s + (size_t)(j - 2 * nv) * (size_t)n;
            for (int k = 0; k < 4; ++k) moved(s, q, j, (double[]){-2, -1, 1, 2}[k] * h, s->value[k]);
            for (int i = 0; i < n; ++i) {
                const double d = (s->value[0][i] - 8 * s->value[1][i] + 8 * s->value[2][i] - s->value[3][i]) / (12 * h);
                // forces relative to forces, constraints relative to constraints
                double* size = &scale[i < nv                ? 0
                                      : i < s->slopes.c     ? 1
                                      : i < s->slopes.cdot  ? 2
                                      : i < s->slopes.cddot ? 3
                                                            : 4];
                if (pass == 0)
                    *size = fmax(*size, fmax(1, fabs(d)));
                else
                    worst = fmax(worst, fabs(d - slope[i]) / *size);
            }
        }
    return worst;
}

static void test_model(const char* path, const char* formulation)
{
    fixture f;
    subject s = {0};
    dice    d = {7};
    if (!fixture_open(&f, path, formulation, 0, NULL)) {
        CHECK(false);
        fixture_close(&f);
        return;
    }
    cardan_data_assemble(f.data, NULL, NULL, NULL, NULL, &f.report);
    s.system = (cd_ode_system){
        .data = f.data, .model = f.model, .nq = f.m.nq, .nv = f.m.nv, .ns = f.m.nstate, .nz = f.m.nv + f.m.nstate + 1};
    layout(&s);
    CHECK(cd_arena_reserve(&s.arena));
    layout(&s);
    double* q = cd_allocate((size_t)f.m.nq, sizeof *q);
    memcpy(q, f.data->q, (size_t)f.m.nq * sizeof *q);
    for (int i = 0; i < f.m.nv; ++i) {
        s.z[i] = f.data->v[i] + dice_range(&d, -0.5, 0.5);
        s.a[i] = dice_range(&d, -3, 3);
    }
    for (int i = 0; i < f.m.nstate; ++i) s.z[f.m.nv + i] = f.m.state_start[i];
    for (int i = 0; i < f.data->rows.nrow; ++i) s.lambda[i] = dice_range(&d, -4, 4);
    // losses of worms depend on multipliers and are not part of the derivatives by position and velocity
    for (int i = 0; i < f.data->constraints.nconstraint; ++i)
        if (f.data->constraints.constraint[i].has_losses) s.lambda[f.data->constraints.constraint[i].first_row] = 0;
    CHECK(cd_equation_jacobian_evaluate(&s.system, 0, q, s.z, s.a, s.lambda, &s.slopes) == CARDAN_OK);
    const double worst = compare(&s, q);
    if (!(worst < 1e-7)) printf("%s by %s: %.2g\n", path, formulation, worst);
    CHECK(worst < 1e-7);
    free(q);
    cd_arena_release(&s.arena);
    fixture_close(&f);
}

int main(void)
{
    // joints of Puma are at half a revolution, where the quaternion of the violation of a hinge changes its sign: no
    // derivative exists there
    RUN(test_model("models/puma560", "dense"));
    static const char* const models[] = {"models/arm_pendulum",   "models/heavy_top",   "models/four_bar",
                                         "models/hmmwv",          "models/stewart",     "models/rolling_disc",
                                         "models/gear_pair",      "models/rack_pinion", "models/driven_slider",
                                         "models/prosthetic_arm", "models/shoulder",    "models/andrews_squeezer",
                                         "models/satellite",      "models/door"};
    for (size_t i = 0; i < sizeof models / sizeof *models; ++i) {
        RUN(test_model(models[i], "dense"));
        RUN(test_model(models[i], "lagrange"));
    }
    return test_end();
}
