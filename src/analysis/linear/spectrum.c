// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/linear/spectrum.h"
#include "analysis/analysis_tolerances.h"

#include "analysis/equilibration.h"

#include "math/lapack.h"

#include <math.h>
#include <string.h>

static const double bound_factor = 0.02; // factor on a bound, because errors partly cancel in sums

// Deflation of one level: k of n coordinates are removed, the other n - k are kept.
typedef struct deflation {
    int     n, k;
    int *   removed, *kept;   // (k), (n - k)
    double *G, *removed_rows; // ((n - k) x k) and rows `removed` of A (k x (n - k)), column major
} deflation;

typedef struct spectrum_work {
    cd_spectrum* s;
    deflation*   deflation; // (n) at most
    int          nlevel, n;
    double *     A, *E, *next, *next_E; // (n x n) of the current level, column major
    double *     scaled, *U, *null, *sigma, *work, *rows, *columns;
    double*      null_error;                         // (n x k) errors of the scaled null vectors
    double *     real, *imaginary, *vectors, *y, *x; // x, y: (2 n)
    int*         index;                              // (n n) `removed` and `kept` of all levels
    double*      store;                              // (2 n n) G and rows of A of all levels
    size_t       nindex, nstore;
} spectrum_work;

static void layout(spectrum_work* k)
{
    const size_t n = (size_t)k->s->n, square = n * n;
    cd_arena*    a = &k->s->arena;
    CD_ARENA_ARRAY(a, k->deflation, n + 1);
    CD_ARENA_ARRAY(a, k->A, square);
    CD_ARENA_ARRAY(a, k->E, square);
    CD_ARENA_ARRAY(a, k->next, square);
    CD_ARENA_ARRAY(a, k->next_E, square);
    CD_ARENA_ARRAY(a, k->scaled, square);
    CD_ARENA_ARRAY(a, k->U, square);
    CD_ARENA_ARRAY(a, k->null, square);
    CD_ARENA_ARRAY(a, k->null_error, square);
    CD_ARENA_ARRAY(a, k->sigma, n);
    CD_ARENA_ARRAY(a, k->rows, n);
    CD_ARENA_ARRAY(a, k->columns, n);
    CD_ARENA_ARRAY(a, k->work, (size_t)(cd_lapack_svd_work((int)n, (int)n) + cd_lapack_eigen_work((int)n)));
    CD_ARENA_ARRAY(a, k->real, n);
    CD_ARENA_ARRAY(a, k->imaginary, n);
    CD_ARENA_ARRAY(a, k->vectors, square);
    CD_ARENA_ARRAY(a, k->x, 2 * n);
    CD_ARENA_ARRAY(a, k->y, 2 * n);
    CD_ARENA_ARRAY(a, k->index, square + n);
    CD_ARENA_ARRAY(a, k->store, 2 * square);
    CD_ARENA_ARRAY(a, k->s->neutral, square);
    CD_ARENA_ARRAY(a, k->s->real, n);
    CD_ARENA_ARRAY(a, k->s->imaginary, n);
    CD_ARENA_ARRAY(a, k->s->vector_real, square);
    CD_ARENA_ARRAY(a, k->s->vector_imaginary, square);
}

// Set entries below their round-off bound to zero.
static void zero_roundoff(spectrum_work* k)
{
    for (int i = 0; i < k->n * k->n; ++i)
        if (fabs(k->A[i]) <= k->E[i]) k->A[i] = 0;
}

// Compute null vectors in scaled coordinates into the last rows of `null`. Returns their number, -1 on failure.
static int find_null_vectors(spectrum_work* k)
{
    const size_t n = (size_t)k->n;
    cd_equilibrate(k->n, k->E, k->rows, k->columns);
    for (size_t i = 0; i < n; ++i)
        for (size_t j = 0; j < n; ++j) k->scaled[i * n + j] = k->rows[i] * k->A[j * n + i] * k->columns[j];
    if (!cd_lapack_svd(k->n, k->n, k->scaled, k->sigma, k->U, k->null, k->work)) return -1;
    int count = 0;
    while (count < k->n && k->sigma[k->n - 1 - count] <= sqrt((double)k->n)) ++count;
    return count;
}

// Combine the null vectors (rows of V, count x n) by Gauss-Jordan elimination so that each has a coordinate in which it
// is 1 and the others are 0. Pivots are the largest in the row scale, R x, so that rows of A with large round-off are
// not added to accurate rows.
static void assign_pivots(const spectrum_work* k, int count, double* V, int* removed)
{
    const int n = k->n;
    for (int c = 0; c < count; ++c) {
        int    row = c, p = 0;
        double most = -1;
        for (int r = c; r < count; ++r)
            for (int i = 0; i < n; ++i) {
                const double x = fabs(V[(size_t)r * (size_t)n + (size_t)i]);
                if (x > cd_null_vector_roundoff && x * k->rows[i] * k->columns[i] > most)
                    most = x * k->rows[i] * k->columns[i], row = r, p = i;
            }
        double *     here = V + (size_t)c * (size_t)n, *there = V + (size_t)row * (size_t)n;
        const double pivot = there[p];
        for (int i = 0; i < n; ++i) {
            const double x = there[i] / pivot;
            there[i]       = here[i];
            here[i]        = x;
        }
        for (int r = 0; r < count; ++r) {
            double*      other = V + (size_t)r * (size_t)n;
            const double part  = other[p];
            for (int i = 0; r != c && i < n; ++i) other[i] = i == p ? 0 : other[i] - part * here[i];
        }
        removed[c] = p;
    }
}

// Bound the error of null vector x (n, scaled) by round-off: |V| S^-1 |U'| R E C |x|, over the
// non-zero singular values.
static void null_vector_error(spectrum_work* k, int count, const double* x, double* error)
{
    const int n = k->n;
    double *  e = k->y, *f = k->x;
    for (int i = 0; i < n; ++i) {
        e[i] = error[i] = 0;
        for (int j = 0; j < n; ++j)
            e[i] += k->rows[i] * k->E[(size_t)j * (size_t)n + (size_t)i] * k->columns[j] * fabs(x[j]);
    }
    for (int h = 0; h < n - count; ++h) {
        f[h] = 0;
        for (int i = 0; i < n; ++i) f[h] += fabs(k->U[(size_t)i * (size_t)n + (size_t)h]) * e[i] / k->sigma[h];
        for (int i = 0; i < n; ++i) error[i] += bound_factor * fabs(k->null[(size_t)h * (size_t)n + (size_t)i]) * f[h];
    }
}

static bool is_removed(const deflation* l, int i)
{
    for (int c = 0; c < l->k; ++c)
        if (l->removed[c] == i) return true;
    return false;
}

// Begin the level that removes `count` null vectors from A: store G and the removed rows of A.
static deflation* begin_deflation(spectrum_work* k, int count)
{
    deflation* l      = &k->deflation[k->nlevel++];
    *l                = (deflation){.n = k->n, .k = count, .removed = k->index + k->nindex};
    double* V         = k->null + (size_t)(k->n - count) * (size_t)k->n;
    int     remaining = 0;
    assign_pivots(k, count, V, l->removed);
    for (int c = 0; c < count; ++c)
        null_vector_error(k, count, V + (size_t)c * (size_t)k->n, k->null_error + (size_t)c * (size_t)k->n);
    l->kept = l->removed + count;
    for (int i = 0; i < k->n; ++i)
        if (!is_removed(l, i)) l->kept[remaining++] = i;
    k->nindex += (size_t)k->n;
    const size_t size = (size_t)remaining * (size_t)count;
    l->G              = k->store + k->nstore;
    l->removed_rows   = l->G + size;
    k->nstore += 2 * size;
    for (int c = 0; c < count; ++c)
        for (int i = 0; i < remaining; ++i) {
            const double g = V[(size_t)c * (size_t)k->n + (size_t)l->kept[i]];
            l->G[c * remaining + i] =
                fabs(g) > cd_null_vector_roundoff ? g * (k->columns[l->kept[i]] / k->columns[l->removed[c]]) : 0;
            l->removed_rows[i * count + c] = k->A[(size_t)l->kept[i] * (size_t)k->n + (size_t)l->removed[c]];
        }
    return l;
}

// Replace A and E by the matrices of the next level.
static void deflate(spectrum_work* k, const deflation* l)
{
    const int remaining = l->n - l->k;
    for (int j = 0; j < remaining; ++j)
        for (int i = 0; i < remaining; ++i) {
            const size_t column = (size_t)l->kept[j] * (size_t)l->n;
            double       a = k->A[column + (size_t)l->kept[i]], e = k->E[column + (size_t)l->kept[i]];
            for (int c = 0; c < l->k; ++c) {
                const double g = l->G[c * remaining + i], row = l->removed_rows[j * l->k + c],
                             error = k->null_error[(size_t)c * (size_t)l->n + (size_t)l->kept[i]] *
                                     k->columns[l->kept[i]] / k->columns[l->removed[c]];
                a -= g * row;
                e += fabs(g) * k->E[column + (size_t)l->removed[c]] + error * fabs(row);
            }
            k->next[(size_t)j * (size_t)remaining + (size_t)i]   = a;
            k->next_E[(size_t)j * (size_t)remaining + (size_t)i] = e;
        }
    double *A = k->A, *E = k->E;
    k->A = k->next, k->E = k->next_E;
    k->next = A, k->next_E = E;
    k->n = remaining;
}

static void store_neutral(spectrum_work* k, const deflation* l)
{
    const int remaining = l->n - l->k;
    k->s->nneutral      = l->k;
    for (int c = 0; c < l->k; ++c) {
        double* x = k->s->neutral + (size_t)c * (size_t)l->n;
        memset(x, 0, (size_t)l->n * sizeof *x);
        x[l->removed[c]] = 1;
        for (int i = 0; i < remaining; ++i) x[l->kept[i]] = l->G[c * remaining + i];
    }
}

// Expand y of the next level to y of this level, lambda = a + ib: x_p = A_p u / lambda, x = u + G x_p.
static void expand_eigenvector(spectrum_work* k, const deflation* l, double a, double b)
{
    const size_t most      = (size_t)k->s->n; // offset of imaginary parts behind real parts
    const int    remaining = l->n - l->k;
    double *     y = k->y, *x = k->x;
    memset(x, 0, 2 * most * sizeof *x);
    for (int i = 0; i < remaining; ++i)
        for (size_t p = 0; p < 2; ++p) x[p * most + (size_t)l->kept[i]] = y[p * most + (size_t)i];
    for (int c = 0; c < l->k; ++c) {
        double f[2] = {0, 0};
        for (int i = 0; i < remaining; ++i)
            for (size_t p = 0; p < 2; ++p) f[p] += l->removed_rows[i * l->k + c] * y[p * most + (size_t)i];
        const double size = hypot(a, b), u = a / size, v = b / size;
        const double g[2] = {(f[0] * u + f[1] * v) / size, (f[1] * u - f[0] * v) / size};
        for (size_t p = 0; p < 2; ++p) {
            x[p * most + (size_t)l->removed[c]] = g[p];
            for (int i = 0; i < remaining; ++i) x[p * most + (size_t)l->kept[i]] += l->G[c * remaining + i] * g[p];
        }
    }
    memcpy(y, x, 2 * most * sizeof *y);
}

static void store_eigenvector(spectrum_work* k, int column, double a, double b)
{
    cd_spectrum* s    = k->s;
    const size_t most = (size_t)s->n, n = (size_t)k->n;
    memset(k->y, 0, 2 * most * sizeof *k->y);
    memcpy(k->y, k->vectors + (size_t)column * n, n * sizeof *k->y);
    if (b > 0) memcpy(k->y + most, k->vectors + (size_t)(column + 1) * n, n * sizeof *k->y);
    for (int i = k->nlevel - 1; i >= 0; --i) expand_eigenvector(k, &k->deflation[i], a, b);
    s->real[s->count]      = a;
    s->imaginary[s->count] = b;
    memcpy(s->vector_real + (size_t)s->count * most, k->y, most * sizeof *k->y);
    memcpy(s->vector_imaginary + (size_t)s->count * most, k->y + most, most * sizeof *k->y);
    ++s->count;
}

static bool solve(spectrum_work* k, const double* A, const double* E)
{
    cd_spectrum* s = k->s;
    const size_t n = (size_t)s->n;
    k->n           = s->n;
    memcpy(k->A, A, n * n * sizeof *A);
    memcpy(k->E, E, n * n * sizeof *E);
    while (k->n > 0) {
        zero_roundoff(k);
        const int count = find_null_vectors(k);
        if (count < 0) return false;
        if (count == 0) break;
        const deflation* l = begin_deflation(k, count);
        if (k->nlevel == 1) store_neutral(k, l);
        s->nzero += count;
        deflate(k, l);
    }
    if (k->n == 0) return true;
    if (!cd_lapack_eigen(k->n, k->A, k->real, k->imaginary, k->vectors, k->work)) return false;
    for (int i = 0; i<k->n; i += k->imaginary[i]> 0 ? 2 : 1) store_eigenvector(k, i, k->real[i], k->imaginary[i]);
    return true;
}

bool cd_spectrum_find(int n, const double* A, const double* E, cd_spectrum* s)
{
    *s              = (cd_spectrum){.n = n};
    spectrum_work k = {.s = s};
    layout(&k);
    if (!cd_arena_reserve(&s->arena)) return false;
    layout(&k);
    if (n == 0 || solve(&k, A, E)) return true;
    cd_spectrum_release(s);
    return false;
}

void cd_spectrum_release(cd_spectrum* s) { cd_arena_release(&s->arena); }
