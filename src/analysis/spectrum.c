// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/spectrum.h"

#include "math/lapack.h"

#include <math.h>
#include <string.h>

typedef struct level {
    int     n, left; // size, and what is left of it when null vectors are taken out
    double* A;       // (n x n) column major
    double* X;       // (n x n) row major: rows are singular vectors, those of zero last
} level;

typedef struct job {
    cd_spectrum* s;
    level        level[CD_SPECTRUM_LEVELS + 1];
    int          nlevel;
    double *     copy, *sigma, *work, *real, *imaginary, *vectors, *y, *x; // x, y: (2 n)
} job;

static void layout(job* k)
{
    const size_t n = (size_t)k->s->n, square = n * n;
    cd_arena*    a = &k->s->arena;
    for (int i = 0; i <= CD_SPECTRUM_LEVELS; ++i) {
        CD_TAKE(a, k->level[i].A, square);
        CD_TAKE(a, k->level[i].X, square);
    }
    CD_TAKE(a, k->copy, square);
    CD_TAKE(a, k->sigma, n);
    CD_TAKE(a, k->work, (size_t)(cd_lapack_svd_work((int)n, (int)n) + cd_lapack_eigen_work((int)n)));
    CD_TAKE(a, k->real, n);
    CD_TAKE(a, k->imaginary, n);
    CD_TAKE(a, k->vectors, square);
    CD_TAKE(a, k->x, 2 * n);
    CD_TAKE(a, k->y, 2 * n);
    CD_TAKE(a, k->s->neutral, square);
    CD_TAKE(a, k->s->real, n);
    CD_TAKE(a, k->s->imaginary, n);
    CD_TAKE(a, k->s->vector, square);
    CD_TAKE(a, k->s->other, square);
}

// Singular vectors of the level, and how many belong to values above `null`.
static bool part(job* k, level* l, double null, double* largest)
{
    const size_t n = (size_t)l->n;
    for (size_t i = 0; i < n; ++i)
        for (size_t j = 0; j < n; ++j) k->copy[i * n + j] = l->A[j * n + i];
    if (!cd_lapack_svd(l->n, l->n, k->copy, k->sigma, NULL, l->X, k->work)) return false;
    *largest = fmax(*largest, l->n > 0 ? k->sigma[0] : 0);
    l->left  = l->n;
    while (l->left > 0 && k->sigma[l->left - 1] <= null * *largest) --l->left;
    return true;
}

// A1 = X1'A X1
static void reduce(job* k, const level* l, level* next)
{
    const size_t n = (size_t)l->n, left = (size_t)l->left;
    next->n = l->left;
    for (size_t j = 0; j < left; ++j) {
        for (size_t i = 0; i < n; ++i) {
            double sum = 0;
            for (size_t h = 0; h < n; ++h) sum += l->A[h * n + i] * l->X[j * n + h];
            k->x[i] = sum;
        }
        for (size_t i = 0; i < left; ++i) {
            double sum = 0;
            for (size_t h = 0; h < n; ++h) sum += l->X[i * n + h] * k->x[h];
            next->A[j * left + i] = sum;
        }
    }
}

// y of the next level to y of this one: x = A X1 y1 / lambda is y itself, its part along X0 the one that is missing.
static void lift(job* k, const level* l, double a, double b)
{
    const size_t n = (size_t)l->n, left = (size_t)l->left, most = (size_t)k->s->n;
    double *     y = k->y, *x = k->x; // real parts, imaginary parts from `most` on
    for (size_t p = 0; p < 2; ++p)
        for (size_t i = 0; i < n; ++i) {
            double sum = 0;
            for (size_t j = 0; j < left; ++j) sum += l->X[j * n + i] * y[p * most + j];
            x[p * most + i] = sum;
        }
    for (size_t r = left; r < n; ++r) {
        double g[2] = {0, 0};
        for (size_t p = 0; p < 2; ++p)
            for (size_t h = 0; h < n; ++h) {
                double row = 0;
                for (size_t i = 0; i < n; ++i) row += l->X[r * n + i] * l->A[h * n + i];
                g[p] += row * x[p * most + h];
            }
        const double size = a * a + b * b, re = (g[0] * a + g[1] * b) / size, im = (g[1] * a - g[0] * b) / size;
        k->sigma[r]   = re; // added when all are known: they must not see each other
        k->vectors[r] = im;
    }
    for (size_t r = left; r < n; ++r)
        for (size_t i = 0; i < n; ++i) {
            x[i] += l->X[r * n + i] * k->sigma[r];
            x[most + i] += l->X[r * n + i] * k->vectors[r];
        }
    memcpy(y, x, 2 * most * sizeof *y);
}

static void take_vector(job* k, int column, double a, double b)
{
    cd_spectrum* s    = k->s;
    const size_t most = (size_t)s->n, n = (size_t)k->level[k->nlevel].n;
    memset(k->y, 0, 2 * most * sizeof *k->y);
    memcpy(k->y, k->copy + (size_t)column * n, n * sizeof *k->y);
    if (b > 0) memcpy(k->y + most, k->copy + (size_t)(column + 1) * n, n * sizeof *k->y);
    for (int i = k->nlevel - 1; i >= 0; --i) lift(k, &k->level[i], a, b);
    s->real[s->count]      = a;
    s->imaginary[s->count] = b;
    memcpy(s->vector + (size_t)s->count * most, k->y, most * sizeof *k->y);
    memcpy(s->other + (size_t)s->count * most, k->y + most, most * sizeof *k->y);
    ++s->count;
}

static bool solve(job* k, const double* A, double null)
{
    cd_spectrum* s       = k->s;
    const size_t n       = (size_t)s->n;
    double       largest = 0;
    k->level[0].n        = s->n;
    memcpy(k->level[0].A, A, n * n * sizeof *A);
    for (k->nlevel = 0; k->nlevel < CD_SPECTRUM_LEVELS; ++k->nlevel) {
        level* l = &k->level[k->nlevel];
        if (!part(k, l, null, &largest)) return false;
        if (l->left == l->n) break;
        if (k->nlevel == 0) {
            s->nneutral = l->n - l->left;
            memcpy(s->neutral, l->X + (size_t)l->left * n, (size_t)s->nneutral * n * sizeof *s->neutral);
        }
        s->nzero += l->n - l->left;
        reduce(k, l, &k->level[k->nlevel + 1]);
    }
    level* last = &k->level[k->nlevel];
    memcpy(k->vectors, last->A, (size_t)last->n * (size_t)last->n * sizeof *k->vectors);
    if (!cd_lapack_eigen(last->n, k->vectors, k->real, k->imaginary, k->copy, k->work)) return false;
    for (int i = 0; i<last->n; i += k->imaginary[i]> 0 ? 2 : 1) take_vector(k, i, k->real[i], k->imaginary[i]);
    return true;
}

bool cd_spectrum_find(int n, const double* A, double null, cd_spectrum* s)
{
    *s    = (cd_spectrum){.n = n};
    job k = {.s = s};
    layout(&k);
    if (!cd_arena_reserve(&s->arena)) return false;
    layout(&k);
    if (n == 0 || solve(&k, A, null)) return true;
    cd_spectrum_release(s);
    return false;
}

void cd_spectrum_release(cd_spectrum* s) { cd_arena_release(&s->arena); }
