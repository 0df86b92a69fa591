// SPDX-License-Identifier: BSD-3-Clause
// Choice of independent joint coordinates: rows of the joint velocities of all motions, in the order of the joints;
// first rows that are well independent of the rows chosen before, then weakly independent ones.
#include "analysis/linear/linearization.h"
#include "analysis/analysis_tolerances.h"
#include "analysis/motion_description.h"

#include "math/dot_product.h"
#include "math/lapack.h"
#include "math/orthonormal_basis.h"

#include <math.h>
#include <string.h>

// Copy row `entry` of joint_velocities (nv_joint x n). Returns its norm.
static double get_row(const cd_linearization* l, int entry, int n, double* row)
{
    for (int i = 0; i < n; ++i) row[i] = l->joint_velocities[(size_t)i * (size_t)l->d->m->nv_joint + (size_t)entry];
    return sqrt(cd_norm_sq(n, row));
}

// Choose linearly independent rows of joint_velocities (nv_joint x n). Returns their number.
static int choose_rows(cd_linearization* l, int nentry, int n, int* chosen)
{
    cd_orthonormal_basis basis   = {.n = n, .vector = l->work};
    double*              row     = l->x;
    double               largest = 0;
    for (int e = 0; e < nentry; ++e) largest = fmax(largest, get_row(l, l->entry[e], n, row));
    for (int pass = 0; pass < 2; ++pass)
        for (int e = 0; e < nentry && basis.count < n; ++e) {
            bool is_chosen = false;
            for (int c = 0; c < basis.count; ++c) is_chosen = is_chosen || chosen[c] == l->entry[e];
            const double size      = get_row(l, l->entry[e], n, row);
            const double tolerance = (pass == 0 ? cd_independent_tolerance : cd_weakly_independent_tolerance) * size;
            if (is_chosen || !(size > cd_standstill_row_tolerance * largest)) continue;
            const int next = basis.count;
            if (cd_orthonormal_basis_add(&basis, row, tolerance) > tolerance) chosen[next] = l->entry[e];
        }
    return basis.count;
}

// Choose rows for the motions N (nv x n) and write them to T at (at, at). Returns false if there are fewer than n.
static bool fill_rows(cd_linearization* l, int nentry, int n, const double* N, int at, int* chosen)
{
    const size_t all = (size_t)l->d->m->nv_joint, size = (size_t)l->n;
    for (int i = 0; i < n; ++i)
        cd_joint_velocities(l->d, N + (size_t)i * (size_t)l->d->m->nv, 1, l->joint_velocities + (size_t)i * all);
    if (choose_rows(l, nentry, n, chosen) != n) return false;
    for (int i = 0; i < n; ++i)
        for (int r = 0; r < n; ++r)
            l->T[(size_t)(at + i) * size + (size_t)(at + r)] = l->joint_velocities[(size_t)i * all + (size_t)chosen[r]];
    return true;
}

bool cd_linearization_invert(cd_linearization* l, double* X, double* B)
{
    const size_t n = (size_t)l->n;
    memset(B, 0, n * n * sizeof *B);
    if (n > 0 && !cd_lapack_lu_panel(l->n, 0, l->n, X, l->pivot)) return false;
    for (size_t j = 0; j < n; ++j) {
        B[j * n + j] = 1;
        cd_lapack_lu_solve(l->n, X, l->pivot, B + j * n);
    }
    return true;
}

bool cd_linearization_choose_coordinates(cd_linearization* l)
{
    const size_t n = (size_t)l->n;
    memset(l->T, 0, n * n * sizeof *l->T);
    const int  nentry = cd_joint_entries(l->d->m, l->entry);
    const bool good   = fill_rows(l, nentry, l->nw, l->Nv, l->np, l->velocity_entry) &&
                      fill_rows(l, nentry, l->np, l->Np, 0, l->position_entry);
    for (int i = 0; i < l->nz; ++i) l->T[(size_t)(l->np + l->nw + i) * (n + 1)] = 1;
    cd_linearization_set_state(l, NULL);
    memcpy(l->X, l->T, n * n * sizeof *l->X);
    return good && cd_linearization_invert(l, l->X, l->inverse);
}
