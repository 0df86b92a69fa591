// SPDX-License-Identifier: BSD-3-Clause
// Independent joint coordinates: rows of the joint velocities of all motions, taken in the order of the joints, first
// those that are independent of the ones before by far.
#include "analysis/linear.h"
#include "analysis/motion_words.h"

#include "math/lapack.h"

#include <math.h>
#include <string.h>

static const double firm = 0.1, loose = 1e-6; // of a row, that no rows before it explain
static const double still = 1e-12;            // of the largest row: rounding of a joint that does not move

static double largest_row(const cd_linear* l, int nentry, int n)
{
    double largest = 0;
    for (int e = 0; e < nentry; ++e) {
        double size = 0;
        for (int i = 0; i < n; ++i) {
            const double x = l->joint[(size_t)i * (size_t)l->d->m->nv_all + (size_t)l->entry[e]];
            size += x * x;
        }
        largest = fmax(largest, size);
    }
    return largest;
}

// Rows of `joint` (nv_all x n) that are independent. Returns how many.
static int choose(cd_linear* l, int nentry, int n, int* chosen)
{
    const size_t all        = (size_t)l->d->m->nv_all;
    double*      basis      = l->work; // (n x n) orthonormal rows
    const double least_size = still * still * largest_row(l, nentry, n);
    int          count      = 0;
    for (int pass = 0; pass < 2; ++pass)
        for (int e = 0; e < nentry && count < n; ++e) {
            double *row = l->x, size = 0, left = 0;
            bool    taken = false;
            for (int c = 0; c < count; ++c) taken = taken || chosen[c] == l->entry[e];
            for (int i = 0; i < n; ++i) {
                row[i] = l->joint[(size_t)i * all + (size_t)l->entry[e]];
                size += row[i] * row[i];
            }
            for (int c = 0; c < 2 * count; ++c) { // twice is enough
                const double* b   = basis + (size_t)(c % count) * (size_t)n;
                double        sum = 0;
                for (int i = 0; i < n; ++i) sum += b[i] * row[i];
                for (int i = 0; i < n; ++i) row[i] -= sum * b[i];
            }
            for (int i = 0; i < n; ++i) left += row[i] * row[i];
            const double least = pass == 0 ? firm : loose;
            if (taken || !(size > least_size) || !(left > least * least * size)) continue;
            for (int i = 0; i < n; ++i) basis[(size_t)count * (size_t)n + (size_t)i] = row[i] / sqrt(left);
            chosen[count++] = l->entry[e];
        }
    return count;
}

// The chosen rows for the motions N (nv x n) into T at (at, at).
static bool fill_rows(cd_linear* l, int nentry, int n, const double* N, int at, int* chosen)
{
    const size_t all = (size_t)l->d->m->nv_all, size = (size_t)l->n;
    for (int i = 0; i < n; ++i)
        cd_joint_motion(l->d, N + (size_t)i * (size_t)l->d->m->nv, 1, l->joint + (size_t)i * all);
    if (choose(l, nentry, n, chosen) != n) return false;
    for (int i = 0; i < n; ++i)
        for (int r = 0; r < n; ++r)
            l->T[(size_t)(at + i) * size + (size_t)(at + r)] = l->joint[(size_t)i * all + (size_t)chosen[r]];
    return true;
}

bool cd_linear_invert(cd_linear* l, double* X, double* B)
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

bool cd_linear_coordinates(cd_linear* l)
{
    const size_t n = (size_t)l->n;
    memset(l->T, 0, n * n * sizeof *l->T);
    const int  nentry = cd_joint_entries(l->d->m, l->entry);
    const bool good =
        fill_rows(l, nentry, l->nw, l->Nv, l->np, l->velocity) && fill_rows(l, nentry, l->np, l->Np, 0, l->position);
    for (int i = 0; i < l->nz; ++i) l->T[(size_t)(l->np + l->nw + i) * (n + 1)] = 1;
    cd_linear_move(l, NULL);
    memcpy(l->X, l->T, n * n * sizeof *l->X);
    return good && cd_linear_invert(l, l->X, l->inverse);
}
