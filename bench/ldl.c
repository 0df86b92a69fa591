// SPDX-License-Identifier: BSD-3-Clause
// The block LDL' of maximal coordinates and SuiteSparse on the same matrix, in the same run: factorization and one
// solve, after the symbolic phase. SuiteSparse orders by AMD and computes with scalars (LDL) or simplicially (CHOLMOD).
// General orders may eliminate constraints before bodies; so that their pivots exist, both get -1e-8 on the diagonal
// of constraints, which reduces the accuracy of their solutions accordingly.
//
//   bench_ldl [family size]...        without arguments: the table
#include "maximal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <suitesparse/amd.h>
#include <suitesparse/cholmod.h>
#include <suitesparse/ldl.h>
#include <time.h>

// Processor time of one thread; elapsed time for several threads.
static clockid_t watch = CLOCK_THREAD_CPUTIME_ID;

static double seconds(void)
{
    struct timespec now;
    clock_gettime(watch, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// Upper triangle by columns.
typedef struct sparse {
    int     n, *start, *row;
    double* value;
} sparse;

static sparse matrix_of(const flat* f)
{
    const int nv      = 6 * f->nbody;
    int       entries = nv + f->rows.nrow;
    sparse    A       = {.n = nv + f->rows.nrow};
    for (int c = 0; c < f->njoint; ++c) entries += f->block[c].nrow * f->block[c].nv;
    A.start   = cd_allocate((size_t)A.n + 1, sizeof *A.start);
    A.row     = cd_allocate((size_t)entries, sizeof *A.row);
    A.value   = cd_allocate((size_t)entries, sizeof *A.value);
    int count = 0;
    for (int v = 0; v < nv; ++v) {
        A.row[count]     = v;
        A.value[count++] = f->inertia[4 * (v / 6) + (v % 6 < 3 ? 0 : v % 6 - 2)];
        A.start[v + 1]   = count;
    }
    for (int c = 0; c < f->njoint; ++c)
        for (int i = 0; i < f->block[c].nrow; ++i) {
            const cd_row_block* b      = &f->block[c];
            const int           column = nv + b->row + i;
            for (int j = 0; j < b->nv; ++j) {
                if (b->J[i * b->nv + j] == 0) continue;
                A.row[count]     = b->v[j];
                A.value[count++] = b->J[i * b->nv + j];
            }
            A.row[count]        = column;
            A.value[count++]    = -1e-8;
            A.start[column + 1] = count;
        }
    return A;
}

// Both triangles, which LDL requires for a permutation.
static sparse both_triangles(const sparse* A)
{
    sparse B = {.n = A->n};
    B.start  = cd_allocate((size_t)A->n + 2, sizeof *B.start);
    B.row    = cd_allocate(2 * (size_t)A->start[A->n], sizeof *B.row);
    B.value  = cd_allocate(2 * (size_t)A->start[A->n], sizeof *B.value);
    for (int pass = 0; pass < 2; ++pass) {
        for (int c = 0; c < A->n; ++c)
            for (int k = A->start[c]; k < A->start[c + 1]; ++k)
                for (int side = 0; side < (A->row[k] == c ? 1 : 2); ++side) {
                    const int column = side ? A->row[k] : c, row = side ? c : A->row[k];
                    if (pass == 0)
                        ++B.start[column + 2];
                    else {
                        B.value[B.start[column + 1]] = A->value[k];
                        B.row[B.start[column + 1]++] = row;
                    }
                }
        for (int c = 0; pass == 0 && c < A->n; ++c) B.start[c + 2] += B.start[c + 1];
    }
    return B;
}

enum { RUNS = 15 };

// Minimum of several runs, each long enough to be measured [s per call].
#define MEASURE(time, call)                                                                                            \
    do {                                                                                                               \
        int    times = 1;                                                                                              \
        double least = 1e300;                                                                                          \
        for (int run = 0; run < RUNS;) {                                                                               \
            const double started = seconds();                                                                          \
            for (int i = 0; i < times; ++i) {                                                                          \
                call;                                                                                                  \
            }                                                                                                          \
            const double took = seconds() - started;                                                                   \
            if (took < 2e-3 && times < 1 << 20)                                                                        \
                times *= 2;                                                                                            \
            else                                                                                                       \
                ++run, least = fmin(least, took / times);                                                              \
        }                                                                                                              \
        time = least;                                                                                                  \
    } while (0)

static double measure_ldl(const sparse* A, double* x, const double* b, double* nonzeros)
{
    const int n = A->n;
    int *     P = malloc(sizeof(int) * (size_t)n), *inverse = malloc(sizeof(int) * (size_t)n),
        *parent = malloc(sizeof(int) * (size_t)n);
    int *count = malloc(sizeof(int) * (size_t)n), *flag = malloc(sizeof(int) * (size_t)n),
        *pattern = malloc(sizeof(int) * (size_t)n);
    int*    Lp   = malloc(sizeof(int) * ((size_t)n + 1));
    double *D = malloc(sizeof(double) * (size_t)n), *Y = malloc(sizeof(double) * (size_t)n);
    double  time;
    amd_order(n, A->start, A->row, P, NULL, NULL);
    ldl_symbolic(n, A->start, A->row, Lp, parent, count, flag, P, inverse);
    *nonzeros  = Lp[n];
    int*    Li = malloc(sizeof(int) * (size_t)Lp[n]);
    double* Lx = malloc(sizeof(double) * (size_t)Lp[n]);
    MEASURE(time, {
        ldl_numeric(n, A->start, A->row, A->value, Lp, parent, count, Li, Lx, D, Y, pattern, flag, P, inverse);
        ldl_perm(n, Y, (double*)b, P);
        ldl_lsolve(n, Y, Lp, Li, Lx);
        ldl_dsolve(n, Y, D);
        ldl_ltsolve(n, Y, Lp, Li, Lx);
        ldl_permt(n, x, Y, P);
        memset(Y, 0, sizeof(double) * (size_t)n);
    });
    free(P), free(inverse), free(parent), free(count), free(flag), free(pattern), free(Lp), free(D), free(Y), free(Li),
        free(Lx);
    return time;
}

static double measure_cholmod(const sparse* A, double* x, double* b)
{
    cholmod_common common;
    cholmod_start(&common);
    common.supernodal         = CHOLMOD_SIMPLICIAL;
    common.nmethods           = 1;
    common.method[0].ordering = CHOLMOD_AMD;
    common.final_asis         = 1;
    cholmod_sparse  matrix    = {.nrow   = (size_t)A->n,
                                 .ncol   = (size_t)A->n,
                                 .nzmax  = (size_t)A->start[A->n],
                                 .p      = A->start,
                                 .i      = A->row,
                                 .x      = A->value,
                                 .stype  = 1,
                                 .itype  = CHOLMOD_INT,
                                 .xtype  = CHOLMOD_REAL,
                                 .dtype  = CHOLMOD_DOUBLE,
                                 .sorted = 1,
                                 .packed = 1};
    cholmod_dense   right     = {.nrow  = (size_t)A->n,
                                 .ncol  = 1,
                                 .nzmax = (size_t)A->n,
                                 .d     = (size_t)A->n,
                                 .x     = b,
                                 .xtype = CHOLMOD_REAL,
                                 .dtype = CHOLMOD_DOUBLE};
    cholmod_factor* L         = cholmod_analyze(&matrix, &common);
    cholmod_dense * answer = NULL, *Y = NULL, *E = NULL;
    double          time;
    MEASURE(time, {
        cholmod_factorize(&matrix, L, &common);
        cholmod_solve2(CHOLMOD_A, L, &right, NULL, &answer, NULL, &Y, &E, &common);
    });
    memcpy(x, answer->x, sizeof(double) * (size_t)A->n);
    cholmod_free_factor(&L, &common);
    cholmod_free_dense(&answer, &common), cholmod_free_dense(&Y, &common), cholmod_free_dense(&E, &common);
    cholmod_finish(&common);
    return time;
}

static double distance(int n, const double* x, const double* y)
{
    double far = 0, size = 0;
    for (int i = 0; i < n; ++i) far = fmax(far, fabs(x[i] - y[i])), size = fmax(size, fabs(x[i]));
    return far / size;
}

// |A x - b| / |b|; `regularized`: with -1e-8 on the diagonal.
static double residual(const sparse* A, const double* x, const double* b, bool regularized)
{
    double* r    = cd_allocate((size_t)A->n, sizeof *r);
    double  most = 0, size = 0;
    for (int i = 0; i < A->n; ++i) r[i] = b[i];
    for (int c = 0; c < A->n; ++c)
        for (int k = A->start[c]; k < A->start[c + 1]; ++k) {
            const int i = A->row[k];
            if (i == c && A->value[k] < 0 && !regularized) continue;
            r[i] -= A->value[k] * x[c];
            if (i != c) r[c] -= A->value[k] * x[i];
        }
    for (int i = 0; i < A->n; ++i) most = fmax(most, fabs(r[i])), size = fmax(size, fabs(b[i]));
    free(r);
    return most / size;
}

typedef struct cardan_times {
    double symbolic, assembly, factor, solve;
} cardan_times;

static cardan_times measure_cardan(const flat* f, cd_kkt_system* S, double* x, const double* b, int threads)
{
    cardan_times t;
    cd_arena     arena        = {0};
    cd_threads*  pool         = cd_threads_create(threads);
    bool*        is_penalized = cd_allocate((size_t)f->njoint, sizeof *is_penalized);
    const double began        = seconds();
    if (!cd_kkt_analyse(S, f->nbody, &f->rows, is_penalized, false)) exit(1);
    t.symbolic = seconds() - began;
    cd_kkt_layout(S, f->nbody, &arena);
    if (!cd_arena_reserve(&arena)) exit(1);
    cd_kkt_layout(S, f->nbody, &arena);
    flat_assemble(f, S);
    int bad = cd_block_factor(&S->F, S->sign, (cd_pivot_test){.rel_to_row = 1e-10},
                              pool); // inertias stay factored from now on
    MEASURE(t.assembly, flat_assemble(f, S));
    MEASURE(t.factor, {
        flat_assemble(f, S);
        bad = cd_block_factor(&S->F, S->sign, (cd_pivot_test){.rel_to_row = 1e-10}, pool);
    });
    if (bad >= 0) printf("null pivot %d\n", bad);
    t.factor -= t.assembly;
    MEASURE(t.solve, {
        memcpy(x, b, sizeof(double) * (size_t)S->F.nscalar);
        cd_block_solve(&S->F, x, pool);
    });
    cd_arena_release(&arena);
    cd_threads_destroy(pool);
    free(is_penalized);
    return t;
}

static void race(const flat_family* family, int size, int threads)
{
    flat          f = flat_make(family, size);
    sparse        A = matrix_of(&f);
    cd_kkt_system S;
    double *      x = cd_allocate((size_t)A.n, sizeof *x), *y = cd_allocate((size_t)A.n, sizeof *y),
           *b = cd_allocate((size_t)A.n, sizeof *b);
    for (int i = 0; i < A.n; ++i) b[i] = sin(i + 1.0);
    const cardan_times t = measure_cardan(&f, &S, x, b, threads);
    double             nonzeros;
    sparse             B   = both_triangles(&A);
    const double       ldl = measure_ldl(&B, y, b, &nonzeros), off = distance(6 * f.nbody, x, y);
    printf("        residuals: Cardan %.1e, LDL %.1e", residual(&A, x, b, false), residual(&A, y, b, true));
    const double cholmod = measure_cholmod(&A, y, b), least = fmin(ldl, cholmod);
    printf(", CHOLMOD %.1e\n", residual(&A, y, b, true));
    printf("%-7s %6d %-17s %9.2f %9.2f %9.2f %9.2f %9.2f %6.2f %8.1f %8.1e\n", family->name, f.nbody,
           cd_ordering_at(S.ordering)->name, 1e6 * t.assembly, 1e6 * t.factor, 1e6 * t.solve, 1e6 * ldl, 1e6 * cholmod,
           least / (t.factor + t.solve), 1e9 * (t.assembly + t.factor + t.solve) / f.nbody, off);
    printf("        symbolic %.4g ms, %d tasks, critical path %.3f\n", 1e3 * t.symbolic, S.F.ntask,
           S.cost.critical_path / S.cost.multiplications);
    cd_kkt_release(&S);
    flat_free(&f);
    free(A.start), free(A.row), free(A.value), free(B.start), free(B.row), free(B.value), free(x), free(y), free(b);
}

int main(int argc, char** argv)
{
    const char* table[] = {"arm",  "7",      "arm",    "9",      "tree", "17",     "ring",  "20",     "ring",
                           "40",   "ring",   "400",    "ladder", "21",   "ladder", "201",   "star",   "20",
                           "star", "400",    "chain",  "100",    "ring", "1000",   "ring",  "100000", "ladder",
                           "1000", "ladder", "100000", "star",   "1000", "star",   "100000"};
    const int   threads = getenv("THREADS") ? atoi(getenv("THREADS")) : 1;
    if (threads > 1) watch = CLOCK_MONOTONIC;
    const int n = argc > 1 ? argc - 1 : (int)(sizeof table / sizeof *table);
    printf("%-7s %6s %-17s %9s %9s %9s %9s %9s %6s %8s %8s\n", "family", "bodies", "order", "assemble", "factor",
           "solve", "LDL", "CHOLMOD", "ratio", "ns/body", "diff");
    for (int i = 0; i + 1 < n; i += 2) {
        const char *name = argc > 1 ? argv[i + 1] : table[i], *size = argc > 1 ? argv[i + 2] : table[i + 1];
        for (int k = 0; k < flat_family_count; ++k)
            if (strcmp(flat_families[k].name, name) == 0) race(&flat_families[k], atoi(size), threads);
    }
    return 0;
}
