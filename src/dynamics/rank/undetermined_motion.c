// SPDX-License-Identifier: BSD-3-Clause
// M n = 0 and J n = 0 have only the solution 0 if the columns of
//
//   A = [ E T ]    T: twists of links per unit of a velocity
//       [  J  ]    E: their motions with inertia, one row each: of mass centres, and rotations about principal axes
//
// are independent, which QR with column pivoting determines (Golub and Van Loan, Matrix Computations, 4th ed.,
// section 5.4). Velocities with a rotor have a row, too. Rotations are scaled by length_scale,
// velocities by the fastest motion that they cause, rows by their largest twist coefficient. If there is no pivot in
// column k of the triangle R, the motion is x = (-R11^-1 R1k, 1, 0), with each velocity in its scale.
#include "dynamics/rank/undetermined_motion.h"

#include "dynamics/data.h"
#include "dynamics/dynamics_tolerances.h"
#include "dynamics/rows/constraint_update.h"
#include "dynamics/rows/jacobian_operator.h"
#include "dynamics/state.h"
#include "math/lapack.h"

#include <math.h>

enum { MAX_ENTRIES = 250000 }; // of A

// Principal axes of a link about its mass centre with nonzero moment of inertia: their number; axis[k] in link axes.
static int axes_with_inertia(const cd_link* link, double axis[3][3])
{
    const double m = link->m, *h = link->h, inverse_mass = m > 0 ? 1 / m : 0;
    const double xx = h[0] * h[0] * inverse_mass, yy = h[1] * h[1] * inverse_mass, zz = h[2] * h[2] * inverse_mass;
    const double xy = link->I[3] + h[0] * h[1] * inverse_mass, xz = link->I[4] + h[0] * h[2] * inverse_mass,
                 yz = link->I[5] + h[1] * h[2] * inverse_mass;
    double A[9]     = {link->I[0] - yy - zz, xy, xz, xy, link->I[1] - xx - zz, yz, xz, yz, link->I[2] - xx - yy};
    double moment[3], work[1024];
    int    n = 0;
    // for a body that is small against its distance, round-off of m r^2 is no moment
    const double min_moment = cd_principal_inertia_roundoff * (A[0] + A[4] + A[8]) +
                              cd_shifted_inertia_roundoff * (link->I[0] + link->I[1] + link->I[2]);
    if (!cd_lapack_symmetric_eigen(3, A, moment, work)) return 0;
    for (int k = 0; k < 3; ++k) {
        if (!(moment[k] > min_moment)) continue;
        for (int i = 0; i < 3; ++i) axis[n][i] = A[3 * k + i];
        ++n;
    }
    return n;
}

static bool has_degenerate_inertia(const cardan_model* m)
{
    for (int i = 0; i < m->nbody; ++i) {
        const int link = m->body[i].link;
        double    axis[3][3];
        if (link >= 0 && (!(m->link[link].m > 0) || axes_with_inertia(&m->link[link], axis) < 3)) return true;
    }
    return false;
}

static bool is_affordable(const cardan_model* m, int nrow)
{
    return (6.0 * m->nlink + m->nv + nrow) * m->nv <= MAX_ENTRIES;
}

static void allocate_matrix(const cardan_model* m, int nrow, cd_arena* arena, cd_undetermined_search* d)
{
    d->nrow = 6 * m->nlink + m->nv + nrow;
    CD_ARENA_ARRAY(arena, d->A, d->nrow * m->nv);
    CD_ARENA_ARRAY(arena, d->tau, m->nv);
    CD_ARENA_ARRAY(arena, d->work, cd_lapack_qr_work(d->nrow, m->nv));
    CD_ARENA_ARRAY(arena, d->unit_velocity, m->nv);
    CD_ARENA_ARRAY(arena, d->velocity_size, m->nv);
    CD_ARENA_ARRAY(arena, d->pivot, m->nv);
}

void cd_undetermined_search_layout(const cardan_model* m, int nrow, cd_arena* arena, cd_undetermined_search* d)
{
    if (nrow == 0 || !is_affordable(m, nrow) || !has_degenerate_inertia(m)) return;
    d->needed = true;
    allocate_matrix(m, nrow, arena, d);
}

// Motions of a link with inertia, from its twist: up to six entries of a column.
static double* fill_link_rows(const cd_link* link, mat3 R, spatial T, double length, double* to)
{
    double axis[3][3];
    if (link->is_massless) return to;
    if (link->m > 0) {
        const vec3 c = m3_mul(R, v3(link->h[0] / link->m, link->h[1] / link->m, link->h[2] / link->m));
        const vec3 v = v3_add(T.l, v3_cross(T.a, c));
        *to++ = v.x, *to++ = v.y, *to++ = v.z;
    }
    for (int k = axes_with_inertia(link, axis) - 1; k >= 0; --k)
        *to++ = length * v3_dot(m3_mul(R, v3(axis[k][0], axis[k][1], axis[k][2])), T.a);
    return to;
}

// Constraint rows, each divided by its largest coefficient.
static void fill_constraint_rows(const cd_rows* rows, const spatial* T, double length, double* to)
{
    for (int c = 0; c < rows->nblock; ++c) {
        const cd_row_block* b = &rows->block[c];
        for (int i = 0; i < b->nrow; ++i) {
            double sum = 0, size = 0;
            for (int n = 0; n < b->nend; ++n) {
                const spatial G = b->G[i * b->nend + n];
                size            = fmax(size, v3_length(G.l) + v3_length(G.a) / length);
                if (b->link[n] >= 0) sum += sv_dot(G, T[b->link[n]]);
            }
            to[b->row + i] = size > 0 ? sum / size : 0;
        }
    }
}

static void fill_column(cardan_data* d, cd_undetermined_search* e, int v, double* column)
{
    const cardan_model* m = d->m;
    e->unit_velocity[v]   = 1;
    const spatial* T      = cd_twists_of(d, e->unit_velocity);
    double         size = 0, *to = column;
    e->unit_velocity[v] = 0;
    for (int i = 0; i < m->nlink; ++i) {
        size = fmax(size, v3_length(T[i].l) + d->units.length_scale * v3_length(T[i].a));
        to   = fill_link_rows(&m->link[i], d->world.pose[i].R, T[i], d->units.length_scale, to);
    }
    if (m->armature[v] > 0) column[6 * m->nlink + v] = size;
    fill_constraint_rows(&d->solver_rows, T, d->units.length_scale, column + 6 * m->nlink + m->nv);
    e->velocity_size[v] = size > 0 ? size : 1;
    for (int i = 0; i < e->nrow; ++i) column[i] /= e->velocity_size[v];
}

// First column of R without a pivot above the tolerance; nv: all have one, or the QR failed.
static int first_missing_pivot(cardan_data* d, cd_undetermined_search* e, double pivot_tolerance)
{
    const int n = e->nrow, nv = d->m->nv;
    int       k = 0;
    for (int i = 0; i < n * nv; ++i) e->A[i] = 0;
    for (int v = 0; v < nv; ++v) fill_column(d, e, v, e->A + (size_t)v * (size_t)n);
    if (!cd_lapack_qr(n, nv, e->A, e->pivot, e->tau, e->work)) return nv;
    while (k < nv && k < n && !(fabs(e->A[(size_t)k * (size_t)(n + 1)]) < pivot_tolerance)) ++k;
    return k;
}

int cd_find_undetermined_velocity(cardan_data* d)
{
    cd_undetermined_search* e = &d->solve.undetermined;
    if (!e->needed || d->history.all_motions_determined) return CARDAN_NONE;
    const int k                       = first_missing_pivot(d, e, cd_undetermined_pivot);
    d->history.all_motions_determined = k == d->m->nv;
    return d->history.all_motions_determined ? CARDAN_NONE : e->pivot[k];
}

// x (nv): combination of column k of R and the columns before it that vanishes.
static void null_vector(const cardan_data* d, const cd_undetermined_search* e, int k, double* x)
{
    const size_t n = (size_t)e->nrow;
    double*      R = e->A + (size_t)k * n;
    for (int i = k - 1; i >= 0; --i) {
        R[i] /= e->A[(size_t)i * n + (size_t)i];
        for (int j = 0; j < i; ++j) R[j] -= e->A[(size_t)i * n + (size_t)j] * R[i];
    }
    for (int v = 0; v < d->m->nv; ++v) x[v] = 0;
    for (int i = 0; i < k; ++i) x[e->pivot[i]] = -R[i] / e->velocity_size[e->pivot[i]];
    x[e->pivot[k]] = 1 / e->velocity_size[e->pivot[k]];
}

bool cd_find_undetermined_motion(cardan_data* d, double tolerance, double* x)
{
    cd_undetermined_search e     = {0};
    cd_arena               arena = {0};
    if (!is_affordable(d->m, d->solver_rows.nrow)) return false;
    allocate_matrix(d->m, d->solver_rows.nrow, &arena, &e);
    if (!cd_arena_reserve(&arena)) return false;
    allocate_matrix(d->m, d->solver_rows.nrow, &arena, &e);
    cd_update_world(d);
    cd_update_rows(d);
    const int  k     = first_missing_pivot(d, &e, fmax(tolerance, cd_undetermined_pivot));
    const bool found = k < d->m->nv;
    if (found) null_vector(d, &e, k, x);
    cd_arena_release(&arena);
    return found;
}
