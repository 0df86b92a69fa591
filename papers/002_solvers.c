// SPDX-License-Identifier: BSD-3-Clause
// Methods to which paper 002 compares its algorithm: Gauss elimination, symmetric indefinite, general sparse.
#include "002_system.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#ifdef CARDAN_KLU
#include <suitesparse/klu.h>
#endif

void dgesv_(const int* n, const int* nrhs, double* A, const int* lda, int* pivot, double* b, const int* ldb, int* info);
void dsysv_(const char* uplo, const int* n, const int* nrhs, double* A, const int* lda, int* pivot, double* b,
            const int* ldb, double* work, const int* lwork, int* info);

// ---- counted

static void swap_rows(int n, double* A, double* x, int i, int j)
{
    for (int k = 0; k < n; ++k) {
        const double a = A[i * n + k];
        A[i * n + k]   = A[j * n + k];
        A[j * n + k]   = a;
    }
    const double a = x[i];
    x[i]           = x[j];
    x[j]           = a;
}

bool paper_gauss_count(const paper_matrix* s, double* x, paper_gauss* count)
{
    const int n    = s->n;
    double*   A    = malloc((size_t)(n * n) * sizeof *A);
    bool      good = A != NULL;
    *count         = (paper_gauss){{0}, {0}, {0}};
    if (good) memcpy(A, s->K, (size_t)(n * n) * sizeof *A);
    memcpy(x, s->b, (size_t)n * sizeof *x);
    for (int k = 0; good && k < n; ++k) {
        int best = k;
        for (int i = k + 1; i < n; ++i)
            if (fabs(A[i * n + k]) > fabs(A[best * n + k])) best = i;
        if (best != k) swap_rows(n, A, x, k, best);
        good = A[k * n + k] != 0;
        for (int i = k + 1; good && i < n; ++i) {
            const double l = A[i * n + k] / A[k * n + k];
            ++count->div[0];
            for (int j = k + 1; j < n; ++j, ++count->mul[0], ++count->add[0]) A[i * n + j] -= l * A[k * n + j];
            x[i] -= l * x[k];
            ++count->mul[1], ++count->add[1];
        }
    }
    for (int i = n - 1; good && i >= 0; --i) {
        for (int j = i + 1; j < n; ++j, ++count->mul[2], ++count->add[2]) x[i] -= A[i * n + j] * x[j];
        x[i] /= A[i * n + i];
        ++count->div[2];
    }
    free(A);
    return good;
}

// ---- LAPACK

typedef struct lapack {
    double *A, *work;
    int     lwork, *pivot;
} lapack;

static void close_lapack(void* work)
{
    lapack* w = work;
    if (w) free(w->A), free(w->work), free(w->pivot);
    free(w);
}

static void* open_lapack(const paper_matrix* s)
{
    lapack*      w = calloc(1, sizeof *w);
    const size_t n = (size_t)s->n;
    if (!w) return NULL;
    w->lwork = 64 * s->n;
    w->A     = malloc(n * n * sizeof *w->A);
    w->work  = malloc(64 * n * sizeof *w->work);
    w->pivot = malloc(n * sizeof *w->pivot);
    if (w->A && w->work && w->pivot) return w;
    close_lapack(w);
    return NULL;
}

static bool solve_general(void* work, const paper_matrix* s, double* x)
{
    lapack*   w   = work;
    const int one = 1;
    int       info;
    memcpy(w->A, s->K, (size_t)(s->n * s->n) * sizeof *w->A);
    memcpy(x, s->b, (size_t)s->n * sizeof *x);
    dgesv_(&s->n, &one, w->A, &s->n, w->pivot, x, &s->n, &info);
    return info == 0;
}

static bool solve_symmetric(void* work, const paper_matrix* s, double* x)
{
    lapack*   w   = work;
    const int one = 1;
    int       info;
    memcpy(w->A, s->K, (size_t)(s->n * s->n) * sizeof *w->A);
    memcpy(x, s->b, (size_t)s->n * sizeof *x);
    dsysv_("L", &s->n, &one, w->A, &s->n, w->pivot, x, &s->n, w->work, &w->lwork, &info);
    return info == 0;
}

// ---- SuiteSparse

#ifdef CARDAN_KLU
typedef struct sparse {
    int *         start, *row;
    double*       value;
    klu_common    common;
    klu_symbolic* symbolic;
    klu_numeric*  numeric;
} sparse;

static void close_sparse(void* work)
{
    sparse* w = work;
    if (w) {
        klu_free_numeric(&w->numeric, &w->common);
        klu_free_symbolic(&w->symbolic, &w->common);
        free(w->start), free(w->row), free(w->value);
    }
    free(w);
}

static void* open_sparse(const paper_matrix* s)
{
    const size_t n = (size_t)s->n;
    sparse*      w = calloc(1, sizeof *w);
    if (!w) return NULL;
    w->start = calloc(n + 1, sizeof *w->start);
    w->row   = malloc(n * n * sizeof *w->row);
    w->value = malloc(n * n * sizeof *w->value);
    klu_defaults(&w->common);
    int at = 0;
    for (int j = 0; w->start && w->row && w->value && j < s->n; ++j) {
        for (int i = 0; i < s->n; ++i)
            if (s->K[j * s->n + i] != 0) w->row[at] = i, w->value[at++] = s->K[j * s->n + i];
        w->start[j + 1] = at;
    }
    if (at > 0) w->symbolic = klu_analyze(s->n, w->start, w->row, &w->common);
    if (w->symbolic) w->numeric = klu_factor(w->start, w->row, w->value, w->symbolic, &w->common);
    if (w->numeric) return w;
    close_sparse(w);
    return NULL;
}

static bool solve_sparse(void* work, const paper_matrix* s, double* x)
{
    sparse* w = work;
    memcpy(x, s->b, (size_t)s->n * sizeof *x);
    return klu_refactor(w->start, w->row, w->value, w->symbolic, w->numeric, &w->common) &&
           klu_solve(w->symbolic, w->numeric, s->n, 1, x, &w->common);
}
#endif

static const paper_solver solvers[] = {
    {"Gauss", "LAPACK dgesv", 2336, open_lapack, solve_general, close_lapack},
    {"Symmetric", "LAPACK dsysv", 2022, open_lapack, solve_symmetric, close_lapack},
#ifdef CARDAN_KLU
    {"Harwell", "SuiteSparse KLU, order and pivots reused", 3532, open_sparse, solve_sparse, close_sparse},
#else
    {"Harwell", "not built: SuiteSparse KLU is missing", 3532, NULL, NULL, NULL},
#endif
};

int                 paper_solver_count(void) { return (int)(sizeof solvers / sizeof *solvers); }
const paper_solver* paper_solver_at(int i) { return &solvers[i]; }
