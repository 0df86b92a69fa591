// SPDX-License-Identifier: BSD-3-Clause
// Number of degrees of freedom. The constrained response to arbitrary forces,
//
//   M a + J'lambda = M x,   J a = 0
//
// is the mass-orthogonal projection of x onto the admissible motions. For random x it is zero if there is no such
// motion, and k of them span a k-dimensional space; so the factor of any formulation counts degrees of freedom, in
// any coordinates.
#include "dynamics/reactions/degrees_of_freedom.h"

#include "core/check_arguments.h"
#include "dynamics/dynamics_tolerances.h"
#include "dynamics/solve.h"

#include <cardan/kinematics.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void cd_mass_matrix_times(cardan_data* d, const double* x, double* y)
{
    cd_inverse_dynamics(d->m, &d->k, d->v, NULL, NULL, d->solve.bias_effort);
    cd_inverse_dynamics(d->m, &d->k, d->v, x, NULL, y);
    for (int i = 0; i < d->m->nv; ++i) y[i] -= d->solve.bias_effort[i];
}

cardan_status cd_constrained_response(cardan_data* d, const double* r, double* a)
{
    cd_solve_info info   = {.failed_velocity = CARDAN_NONE, .failed_row = CARDAN_NONE};
    cardan_status status = cd_update_factor(d, &info);
    memset(d->solve.row_rhs, 0, (size_t)d->solver_rows.nrow * sizeof *d->solve.row_rhs);
    if (status == CARDAN_OK)
        status = cd_solve_with_factor(d, r, d->solve.row_rhs, a, d->solve.correction_multiplier, &info);
    return status == CARDAN_INCONSISTENT ? CARDAN_OK : status; // redundant rows need not be consistent
}

typedef struct mobility_probe {
    cardan_data*       d;
    double             length_scale;
    unsigned long long rng;
    double *           x, *r, *basis; // (nv), (nv), (max_count x nv) orthonormal in units
} mobility_probe;

static double velocity_scale_of(const mobility_probe* p, int v)
{
    const vec3 s = p->d->k.S[v].a;
    return v3_dot(s, s) > 0 ? 1 : 1 / p->length_scale;
}

static double random_uniform(mobility_probe* p)
{
    p->rng = p->rng * 6364136223846793005u + 1442695040888963407u;
    return (double)(p->rng >> 11) / 4503599627370496.0 - 1;
}

// Find an admissible motion, in units, orthogonal to those known; *found is false if there is none.
static cardan_status find_motion(mobility_probe* p, int nknown, double* motion, bool* found)
{
    const int nv      = p->d->m->nv;
    double    norm_sq = 0, remaining_sq = 0;
    for (int i = 0; i < nv; ++i) {
        p->x[i] = random_uniform(p);
        norm_sq += p->x[i] * p->x[i];
        p->x[i] /= velocity_scale_of(p, i);
    }
    cd_mass_matrix_times(p->d, p->x, p->r);
    const cardan_status status = cd_constrained_response(p->d, p->r, motion);
    if (status != CARDAN_OK) return status;
    for (int i = 0; i < nv; ++i) motion[i] *= velocity_scale_of(p, i);
    for (int k = 0; k < 2 * nknown; ++k) { // Gram-Schmidt, twice
        const double* b   = p->basis + (size_t)(k % nknown) * (size_t)nv;
        double        sum = 0;
        for (int i = 0; i < nv; ++i) sum += b[i] * motion[i];
        for (int i = 0; i < nv; ++i) motion[i] -= sum * b[i];
    }
    for (int i = 0; i < nv; ++i) remaining_sq += motion[i] * motion[i];
    *found = remaining_sq > cd_motion_roundoff * cd_motion_roundoff * norm_sq;
    for (int i = 0; i < nv && *found; ++i) motion[i] /= sqrt(remaining_sq);
    return CARDAN_OK;
}

cardan_status cardan_data_degrees_of_freedom(cardan_data* d, int max_count, int* count, double* motion,
                                             cardan_report* report)
{
    CD_REQUIRE_POINTER(count, "count", report);
    *count = 0;
    CD_REQUIRE_POINTER(d, "data", report);
    const int      nv   = d->m->nv;
    const int      room = max_count < nv ? max_count : nv;
    mobility_probe p    = {.d = d, .length_scale = d->units.length_scale, .rng = 2026};
    if (motion) memset(motion, 0, (size_t)nv * sizeof *motion);
    if (room <= 0) return CARDAN_OK;
    double* memory = cd_allocate((size_t)(room + 2) * (size_t)nv, sizeof *memory);
    if (!memory)
        return cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_location_none(),
                           "out of memory while counting the degrees of freedom of '%s'", d->m->view.name);
    p.x     = memory;
    p.r     = memory + nv;
    p.basis = memory + 2 * nv;

    cardan_status status = CARDAN_OK;
    for (bool found = true; found && *count < room && status == CARDAN_OK;) {
        status = find_motion(&p, *count, p.basis + (size_t)*count * (size_t)nv, &found);
        if (status == CARDAN_OK && found) ++*count;
    }
    for (int i = 0; motion && *count > 0 && i < nv; ++i) motion[i] = p.basis[i] / velocity_scale_of(&p, i);
    free(memory);
    if (status == CARDAN_OK) return status;
    return cardan_fail(report, status, CARDAN_CODE_SOLVE_NOT_CONVERGED, cardan_location_none(),
                       "at t = %g s the degrees of freedom of '%s' cannot be counted: %s", d->t, d->m->view.name,
                       cardan_status_text(status));
}
