// SPDX-License-Identifier: BSD-3-Clause
// What can still move: the response of the constrained mechanism to arbitrary pushes,
//
//   M a + J'lambda = M x,   J a = 0
//
// is x projected onto the motions that the constraints allow, in the mass metric. For x at random it is zero where
// there is no such motion, and k of them span k of them; so the formulation's own factor counts degrees of freedom,
// whatever its coordinates.
#include "dynamics/data.h"
#include "core/arguments.h"

#include <cardan/kinematics.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double none = 1e-7; // of a push at random: rounding

void cd_mass_times(cardan_data* d, const double* x, double* y)
{
    cd_inverse_dynamics(d->m, &d->k, d->v, NULL, NULL, d->c);
    cd_inverse_dynamics(d->m, &d->k, d->v, x, NULL, y);
    for (int i = 0; i < d->m->nv; ++i) y[i] -= d->c[i];
}

cardan_status cd_respond(cardan_data* d, const double* r, double* a)
{
    cd_where      where  = {.v = CARDAN_NONE, .row = CARDAN_NONE};
    cardan_status status = cd_know_factor(d, &where);
    memset(d->s, 0, (size_t)d->system.nrow * sizeof *d->s);
    if (status == CARDAN_OK) status = d->formulation->solve(d->m, &d->k, &d->system, d->work, r, d->s, a, d->y, &where);
    return status == CARDAN_INCONSISTENT ? CARDAN_OK : status; // gaps of rows that repeat each other
}

typedef struct probe {
    cardan_data*       d;
    double             length;
    unsigned long long dice;
    double *           x, *r, *basis; // (nv), (nv), (most x nv) orthonormal in units
} probe;

static double unit_of(const probe* p, int v)
{
    const vec3 s = p->d->k.S[v].a;
    return v3_dot(s, s) > 0 ? 1 : 1 / p->length;
}

static double at_random(probe* p)
{
    p->dice = p->dice * 6364136223846793005u + 1442695040888963407u;
    return (double)(p->dice >> 11) / 4503599627370496.0 - 1;
}

// A motion that the constraints allow, in units, beside those known; false where there is none.
static cardan_status look(probe* p, int known, double* motion, bool* found)
{
    const int nv   = p->d->m->nv;
    double    size = 0, left = 0;
    for (int i = 0; i < nv; ++i) {
        p->x[i] = at_random(p);
        size += p->x[i] * p->x[i];
        p->x[i] /= unit_of(p, i);
    }
    cd_mass_times(p->d, p->x, p->r);
    const cardan_status status = cd_respond(p->d, p->r, motion);
    if (status != CARDAN_OK) return status;
    for (int i = 0; i < nv; ++i) motion[i] *= unit_of(p, i);
    for (int k = 0; k < 2 * known; ++k) { // twice is enough
        const double* b   = p->basis + (size_t)(k % known) * (size_t)nv;
        double        sum = 0;
        for (int i = 0; i < nv; ++i) sum += b[i] * motion[i];
        for (int i = 0; i < nv; ++i) motion[i] -= sum * b[i];
    }
    for (int i = 0; i < nv; ++i) left += motion[i] * motion[i];
    *found = left > none * none * size;
    for (int i = 0; i < nv && *found; ++i) motion[i] /= sqrt(left);
    return CARDAN_OK;
}

cardan_status cardan_freedom(cardan_data* d, int most, int* count, double* motion, cardan_report* report)
{
    CD_REFUSE_NULL(count, "count", report);
    *count = 0;
    CD_REFUSE_NULL(d, "data", report);
    const int nv   = d->m->nv;
    const int room = most < nv ? most : nv;
    probe     p    = {.d = d, .length = d->length, .dice = 2026};
    if (motion) memset(motion, 0, (size_t)nv * sizeof *motion);
    if (room <= 0) return CARDAN_OK;
    double* memory = cd_allocate((size_t)(room + 2) * (size_t)nv, sizeof *memory);
    if (!memory)
        return cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_nowhere(),
                           "no memory to count the freedom of '%s'", d->m->view.name);
    p.x     = memory;
    p.r     = memory + nv;
    p.basis = memory + 2 * nv;

    cardan_status status = CARDAN_OK;
    for (bool found = true; found && *count < room && status == CARDAN_OK;) {
        status = look(&p, *count, p.basis + (size_t)*count * (size_t)nv, &found);
        if (status == CARDAN_OK && found) ++*count;
    }
    for (int i = 0; motion && *count > 0 && i < nv; ++i) motion[i] = p.basis[i] / unit_of(&p, i);
    free(memory);
    if (status == CARDAN_OK) return status;
    return cardan_fail(report, status, CARDAN_CODE_SOLVE_NOT_CONVERGED, cardan_nowhere(),
                       "at t = %g s the freedom of '%s' cannot be counted: %s", d->t, d->m->view.name,
                       cardan_status_text(status));
}
