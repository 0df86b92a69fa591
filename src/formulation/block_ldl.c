// SPDX-License-Identifier: BSD-3-Clause
// Numeric phase of the block LDL', right-looking, by columns of blocks.
//
//   diagonal    A(k,k) = L d L'                       unit lower L, scalar pivots d; a null pivot has 1/d = 0
//   column      Z = A(i,k) L^-T,   L(i,k) = Z d^-1
//   update      A(i,j) -= L(i,k) Z(j)'                for every pair i >= j of entries of the column
//
// A pivot is null if it is a tiny part of what was subtracted from its diagonal entry: a row that repeats others (paper 000,
// section 5; docs/theory/lagrange.md).
#include "formulation/block_ldl.h"

#include <math.h>
#include <string.h>

static const double null_motion = 1e-13;  // of a positive pivot

void cd_block_layout(cd_block_ldl* F, cd_arena* arena)
{
    CD_TAKE(arena, F->value, F->nvalue);
    CD_TAKE(arena, F->taken, F->nscalar);
    CD_TAKE(arena, F->null, F->nscalar);
    int widest = 0;
    for (int k = 0; k < F->nblock; ++k) {
        int below = 0;
        for (int i = F->start[k]; i < F->start[k + 1]; ++i) below += F->size[F->order[F->row[i]]];
        if (below > widest) widest = below;
    }
    CD_TAKE(arena, F->scratch, (size_t)widest * CD_BLOCK_MOST);
}

real* cd_block_at(const cd_block_ldl* F, int a, int b, bool* transposed)
{
    const int pa = F->position[a], pb = F->position[b];
    *transposed = pa < pb;
    if (pa == pb) return F->value + F->diagonal[pa];
    const int k = pa < pb ? pa : pb, r = pa < pb ? pb : pa;
    for (int i = F->start[k]; i < F->start[k + 1]; ++i)
        if (F->row[i] == r) return F->value + F->offset[i];
    return NULL;
}

void cd_block_clear(cd_block_ldl* F)
{
    for (size_t i = 0; i < F->nvalue; ++i) F->value[i] = r_lift(0);
    memset(F->taken, 0, (size_t)F->nscalar * sizeof *F->taken);
}

// What a positive pivot is measured by: the largest diagonal entry of its kind. The first three rows of a body move, the others turn.
static double resistance(const real* A, int s, int j)
{
    double largest = 0;
    for (int i = j / 3 * 3; i < s && i < j / 3 * 3 + 3; ++i) largest = fmax(largest, fabs(r_value(A[i * s + i])));
    return largest;
}

// Scalar LDL' inside a diagonal block; d is kept inverted. Returns the row of a bad pivot, or -1.
static int factor_diagonal(real* A, int s, int sign, double tolerance, double* taken, bool* null)
{
    double least[CD_BLOCK_MOST];
    for (int j = 0; j < s; ++j) least[j] = sign > 0 ? null_motion * (resistance(A, s, j) + taken[j]) : 0;
    for (int j = 0; j < s; ++j) {
        const double d = r_value(A[j * s + j]);
        null[j]        = sign < 0 && fabs(d) <= tolerance * taken[j];
        if (!null[j] && !(sign * d > least[j])) return j;
        const real inverse = null[j] ? r_lift(0) : r_div(r_lift(1), A[j * s + j]);
        for (int i = j + 1; i < s; ++i) {
            const real l = r_mul(A[i * s + j], inverse);
            for (int k = j + 1; k <= i; ++k) {
                const real drop = r_mul(l, A[k * s + j]);
                if (k == i) taken[i] += fabs(r_value(drop));
                A[i * s + k] = r_sub(A[i * s + k], drop);
            }
            A[j * s + i] = l;  // the upper triangle keeps l until the column is done
        }
        for (int i = j + 1; i < s; ++i) A[i * s + j] = A[j * s + i];
        A[j * s + j] = inverse;
    }
    return -1;
}

// Z = B L^-T (r x s), then B = Z d^-1.
static void scale_column(const real* D, real* B, real* Z, int r, int s)
{
    for (int i = 0; i < r; ++i) {
        real* b = B + i * s;
        real* z = Z + i * s;
        for (int j = 0; j < s; ++j) {
            real sum = b[j];
            for (int k = 0; k < j; ++k) sum = r_sub(sum, r_mul(z[k], D[j * s + k]));
            z[j] = sum;
        }
        for (int j = 0; j < s; ++j) b[j] = r_mul(z[j], D[j * s + j]);
    }
}

// A (ri x rj) -= L (ri x s) Z (rj x s)'
static inline void subtract_product(real* A, const real* L, const real* Z, int ri, int rj, int s)
{
    for (int i = 0; i < ri; ++i)
        for (int j = 0; j < rj; ++j) {
            real sum = A[i * rj + j];
            for (int k = 0; k < s; ++k) sum = r_sub(sum, r_mul(L[i * s + k], Z[j * s + k]));
            A[i * rj + j] = sum;
        }
}

static void subtract_diagonal(real* A, const real* L, const real* Z, int r, int s, double* taken)
{
    for (int i = 0; i < r; ++i)
        for (int j = 0; j <= i; ++j) {
            real sum = r_mul(L[i * s], Z[j * s]);
            for (int k = 1; k < s; ++k) sum = r_add(sum, r_mul(L[i * s + k], Z[j * s + k]));
            A[i * r + j] = r_sub(A[i * r + j], sum);
            if (i == j) taken[i] += fabs(r_value(sum));
        }
}

int cd_block_factor(cd_block_ldl* F, const signed char* sign, double tolerance)
{
    for (int k = 0; k < F->nblock; ++k) {
        const int b = F->order[k], s = F->size[b];
        if (s == 0) continue;  // a joint that holds nothing
        real*     D = F->value + F->diagonal[k];
        const int bad = factor_diagonal(D, s, sign[b], tolerance, F->taken + F->scalar[b], F->null + F->scalar[b]);
        if (bad >= 0) return F->scalar[b] + bad;

        real* Z = F->scratch;
        for (int i = F->start[k]; i < F->start[k + 1]; ++i) {
            const int r = F->size[F->order[F->row[i]]];
            scale_column(D, F->value + F->offset[i], Z, r, s);
            Z += r * s;
        }
        const size_t* target = F->target + F->pair[k];
        Z                    = F->scratch;
        for (int j = F->start[k]; j < F->start[k + 1]; ++j) {
            const int bj = F->order[F->row[j]], rj = F->size[bj];
            subtract_diagonal(F->value + *target++, F->value + F->offset[j], Z, rj, s, F->taken + F->scalar[bj]);
            for (int i = j + 1; i < F->start[k + 1]; ++i)
                subtract_product(F->value + *target++, F->value + F->offset[i], Z, F->size[F->order[F->row[i]]], rj, s);
            Z += rj * s;
        }
    }
    return -1;
}

void cd_block_solve(const cd_block_ldl* F, real* x)
{
    for (int k = 0; k < F->nblock; ++k) {
        const int   b = F->order[k], s = F->size[b];
        const real* D = F->value + F->diagonal[k];
        real*       y = x + F->scalar[b];
        for (int i = 1; i < s; ++i)
            for (int j = 0; j < i; ++j) y[i] = r_sub(y[i], r_mul(D[i * s + j], y[j]));
        for (int e = F->start[k]; e < F->start[k + 1]; ++e) {
            const int   r = F->order[F->row[e]];
            const real* L = F->value + F->offset[e];
            real*       z = x + F->scalar[r];
            for (int i = 0; i < F->size[r]; ++i)
                for (int j = 0; j < s; ++j) z[i] = r_sub(z[i], r_mul(L[i * s + j], y[j]));
        }
    }
    for (int k = F->nblock - 1; k >= 0; --k) {
        const int   b = F->order[k], s = F->size[b];
        const real* D = F->value + F->diagonal[k];
        real*       y = x + F->scalar[b];
        for (int i = 0; i < s; ++i) y[i] = r_mul(y[i], D[i * s + i]);
        for (int e = F->start[k]; e < F->start[k + 1]; ++e) {
            const int   r = F->order[F->row[e]];
            const real* L = F->value + F->offset[e];
            const real* z = x + F->scalar[r];
            for (int i = 0; i < F->size[r]; ++i)
                for (int j = 0; j < s; ++j) y[j] = r_sub(y[j], r_mul(L[i * s + j], z[i]));
        }
        for (int i = s - 1; i > 0; --i)
            for (int j = 0; j < i; ++j) y[j] = r_sub(y[j], r_mul(D[i * s + j], y[i]));
    }
}
