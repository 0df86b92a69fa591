// SPDX-License-Identifier: BSD-3-Clause
// Mobility of a point with Jacobian P (3 x nv), v_point = P v:
//
//   W = P (M^-1 - M^-1 J'(J M^-1 J')^+ J M^-1) P'
//
// Column k is the velocity change P x of the point for M x + J'y = P'e_k, J x = 0: three right-hand sides of the factor
// of the formulation. Equal to the inverse of the operational-space inertia: O. Khatib, A unified approach for motion
// and force control of robot manipulators (1987).
#include "dynamics/inputs/point_mobility.h"

#include "dynamics/solve.h"
#include "dynamics/state.h"

#include <math.h>
#include <string.h>

// Column of velocity v in the Jacobian of a point p of a link.
static vec3 jacobian_column(const cardan_data* d, int v, vec3 p)
{
    const frame T = d->world.pose[d->m->v_link[v]];
    return v3_add(m3_mul(T.R, d->k.S[v].l), v3_cross(m3_mul(T.R, d->k.S[v].a), v3_sub(p, T.p)));
}

static double component(vec3 a, int k) { return k == 0 ? a.x : k == 1 ? a.y : a.z; }

cardan_status cd_point_mobility(cardan_data* d, int link, const double point[3], double W[9])
{
    const cardan_model* m = d->m;
    double *            r = d->scratch.impulse, *x = r + m->nv;
    memset(W, 0, 9 * sizeof *W);
    cd_update_world(d);
    if (link < 0) return CARDAN_OK;
    const vec3 p    = v3_add(d->world.pose[link].p, m3_mul(d->world.pose[link].R, v3_const(point)));
    const int  last = m->link[link].v + m->link[link].nv - 1;
    for (int k = 0; k < 3; ++k) {
        cd_solve_info info = {.failed_velocity = CARDAN_NONE, .failed_row = CARDAN_NONE};
        memset(r, 0, (size_t)m->nv * sizeof *r);
        for (int v = last; v >= 0; v = m->v_parent[v]) r[v] = component(jacobian_column(d, v, p), k);
        memset(d->solve.row_rhs, 0, (size_t)d->solver_rows.nrow * sizeof *d->solve.row_rhs);
        d->valid.correction = false;
        const cardan_status status =
            cd_solve_with_factor(d, r, d->solve.row_rhs, x, d->solve.correction_multiplier, &info);
        if (status != CARDAN_OK && status != CARDAN_INCONSISTENT) return status;
        for (int v = last; v >= 0; v = m->v_parent[v]) {
            const vec3 c = jacobian_column(d, v, p);
            W[k] += c.x * x[v];
            W[3 + k] += c.y * x[v];
            W[6 + k] += c.z * x[v];
        }
    }
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < i; ++k) W[3 * i + k] = W[3 * k + i] = (W[3 * i + k] + W[3 * k + i]) / 2;
    for (int i = 0; i < 9; ++i)
        if (!isfinite(W[i])) return CARDAN_NOT_FINITE;
    return CARDAN_OK;
}

// By trigonometric functions: O. K. Smith, Eigenvalues of a symmetric 3 x 3 matrix (1961).
double cd_largest_eigenvalue_3x3(const double W[9])
{
    double most = 0;
    for (int i = 0; i < 9; ++i) most = fmax(most, fabs(W[i]));
    if (!(most > 0)) return 0;
    const double xx = W[0] / most, yy = W[4] / most, zz = W[8] / most, xy = W[1] / most, xz = W[2] / most,
                 yz   = W[5] / most;
    const double mean = (xx + yy + zz) / 3, a = xx - mean, b = yy - mean, c = zz - mean;
    const double size = sqrt((a * a + b * b + c * c + 2 * (xy * xy + xz * xz + yz * yz)) / 6);
    if (!(size > 0)) return most * mean;
    const double det =
        a * (b * c - yz * yz) - xy * (xy * c - yz * xz) + xz * (xy * yz - b * xz); // of W - mean 1, over most^3
    const double half = fmax(-1, fmin(1, det / (2 * size * size * size)));
    return most * (mean + 2 * size * cos(acos(half) / 3));
}
