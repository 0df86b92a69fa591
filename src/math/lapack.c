// SPDX-License-Identifier: BSD-3-Clause
#include "math/lapack.h"

#include <math.h>
#include <string.h>

void dpotrf_(const char* uplo, const int* n, double* a, const int* lda, int* info);
void dpotrs_(const char* uplo, const int* n, const int* nrhs, const double* a, const int* lda, double* b,
             const int* ldb, int* info);
void dgelsy_(const int* m, const int* n, const int* nrhs, double* a, const int* lda, double* b, const int* ldb,
             int* jpvt, const double* rcond, int* rank, double* work, const int* lwork, int* info);
void dgesvd_(const char* jobu, const char* jobvt, const int* m, const int* n, double* a, const int* lda, double* s,
             double* u, const int* ldu, double* vt, const int* ldvt, double* work, const int* lwork, int* info);
void dgeqp3_(const int* m, const int* n, double* a, const int* lda, int* jpvt, double* tau, double* work,
             const int* lwork, int* info);
void dgeqrf_(const int* m, const int* n, double* a, const int* lda, double* tau, double* work, const int* lwork,
             int* info);
void dormqr_(const char* side, const char* trans, const int* m, const int* n, const int* k, const double* a,
             const int* lda, const double* tau, double* c, const int* ldc, double* work, const int* lwork, int* info);
void dsyev_(const char* jobz, const char* uplo, const int* n, double* a, const int* lda, double* w, double* work,
            const int* lwork, int* info);
void dgeev_(const char* jobvl, const char* jobvr, const int* n, double* a, const int* lda, double* wr, double* wi,
            double* vl, const int* ldvl, double* vr, const int* ldvr, double* work, const int* lwork, int* info);
void dtrcon_(const char* norm, const char* uplo, const char* diag, const int* n, const double* a, const int* lda,
             double* rcond, double* work, int* iwork, int* info);
void dtrtrs_(const char* uplo, const char* trans, const char* diag, const int* n, const int* nrhs, const double* a,
             const int* lda, double* b, const int* ldb, int* info);

void dgetrf_(const int* m, const int* n, double* a, const int* lda, int* ipiv, int* info);
void dgetrs_(const char* trans, const int* n, const int* nrhs, const double* a, const int* lda, const int* ipiv,
             double* b, const int* ldb, int* info);
void dlaswp_(const int* n, double* a, const int* lda, const int* k1, const int* k2, const int* ipiv, const int* incx);
void dtrsm_(const char* side, const char* uplo, const char* trans, const char* diag, const int* m, const int* n,
            const double* alpha, const double* a, const int* lda, double* b, const int* ldb);
void dgemm_(const char* transa, const char* transb, const int* m, const int* n, const int* k, const double* alpha,
            const double* a, const int* lda, const double* b, const int* ldb, const double* beta, double* c,
            const int* ldc);

extern void openblas_set_num_threads(int) __attribute__((weak)); // defined if the library is OpenBLAS

void cd_lapack_set_single_thread(void)
{
    if (openblas_set_num_threads) openblas_set_num_threads(1);
}

// A lower triangle stored by rows is an upper triangle stored by columns.
int cd_lapack_cholesky(int n, double* M, double tolerance, const double* min_diagonal)
{
    int info = 0;
    if (n == 0) return 0;
    dpotrf_("U", &n, M, &n, &info);
    const int rows = info == 0 ? n : info - 1;
    for (int i = 0; i < rows; ++i) {
        const double* row      = M + (size_t)i * (size_t)n;
        double        diagonal = 0; // of M: squared norm of the row of L
        for (int j = 0; j <= i; ++j) diagonal += row[j] * row[j];
        if (!(row[i] * row[i] > tolerance * fmax(diagonal, min_diagonal ? min_diagonal[i] : 0))) return i;
    }
    return rows;
}

void cd_lapack_cholesky_solve(int n, const double* L, double* x)
{
    const int one  = 1;
    int       info = 0;
    if (n > 0) dpotrs_("U", &n, &one, L, &n, x, &n, &info);
}

enum { LAPACK_BLOCK_SIZE = 32 };

// A matrix may have more entries than INT_MAX.
static bool all_finite(int rows, int columns, const double* A)
{
    for (size_t i = 0; i < (size_t)rows * (size_t)columns; ++i)
        if (!isfinite(A[i])) return false;
    return true;
}

int cd_lapack_least_squares_work(int n) { return 4 * n + (n + 1) * LAPACK_BLOCK_SIZE + 64; }

int cd_lapack_least_squares(int n, double* A, double* b, double tolerance, double* work, int* pivot)
{
    if (n == 0) return 0;
    if (!all_finite(n, n, A)) return -1;
    const int one = 1, lwork = cd_lapack_least_squares_work(n);
    int       rank = 0, info = 0;
    memset(pivot, 0, (size_t)n * sizeof *pivot);
    dgelsy_(&n, &n, &one, A, &n, b, &n, pivot, &tolerance, &rank, work, &lwork, &info);
    return info == 0 ? rank : -1;
}

double cd_lapack_rcond(int n, int rank, const double* A, double* work, int* pivot)
{
    double condition = 1;
    int    info      = 0;
    if (rank > 0) dtrcon_("1", "U", "N", &rank, A, &n, &condition, work, pivot, &info);
    return condition;
}

int cd_lapack_svd_work(int nrow, int ncol) { return 5 * (nrow + ncol) + (nrow + ncol) * LAPACK_BLOCK_SIZE + 64; }

// A by rows is A' by columns: U of LAPACK belongs to the columns of A.
bool cd_lapack_svd(int nrow, int ncol, double* A, double* sigma, double* left, double* right, double* work)
{
    const int most = nrow < ncol ? nrow : ncol, lwork = cd_lapack_svd_work(nrow, ncol);
    int       info = 0;
    double    none = 0;
    if (most == 0) {
        for (int i = 0; left && i < nrow; ++i)
            for (int j = 0; j < nrow; ++j) left[(size_t)i * (size_t)nrow + (size_t)j] = i == j;
        return true;
    }
    if (!all_finite(nrow, ncol, A)) return false;
    dgesvd_(right ? "S" : "N", left ? "A" : "N", &ncol, &nrow, A, &ncol, sigma, right ? right : &none, &ncol,
            left ? left : &none, &nrow, work, &lwork, &info);
    return info == 0;
}

static int max_int(int a, int b) { return a > b ? a : b; }

int cd_lapack_least_squares_rectangular_work(int rows, int columns)
{
    return 4 * (rows + columns) + (columns + 1) * LAPACK_BLOCK_SIZE + 64;
}

int cd_lapack_least_squares_rectangular(int rows, int columns, double* A, double* b, double tolerance, double* work,
                                        int* pivot)
{
    if (!all_finite(rows, columns, A)) return -1;
    const int one = 1, lwork = cd_lapack_least_squares_rectangular_work(rows, columns),
              ldb = max_int(1, max_int(rows, columns)), lda = max_int(1, rows);
    int rank = 0, info = 0;
    memset(pivot, 0, (size_t)columns * sizeof *pivot);
    dgelsy_(&rows, &columns, &one, A, &lda, b, &ldb, pivot, &tolerance, &rank, work, &lwork, &info);
    return info == 0 ? rank : -1;
}

int cd_lapack_qr_work(int rows, int columns) { return 2 * columns + (columns + 1) * LAPACK_BLOCK_SIZE + rows + 64; }

bool cd_lapack_qr(int rows, int columns, double* A, int* pivot, double* tau, double* work)
{
    const int lwork = cd_lapack_qr_work(rows, columns), lda = max_int(1, rows);
    int       info = 0;
    if (!all_finite(rows, columns, A)) return false;
    if (pivot) {
        memset(pivot, 0, (size_t)columns * sizeof *pivot);
        dgeqp3_(&rows, &columns, A, &lda, pivot, tau, work, &lwork, &info);
        for (int i = 0; i < columns; ++i) --pivot[i];
    } else {
        dgeqrf_(&rows, &columns, A, &lda, tau, work, &lwork, &info);
    }
    return info == 0;
}

void cd_lapack_qr_solve(int rows, int rank, const double* A, const double* tau, double* b, double* work)
{
    const int one = 1, lwork = cd_lapack_qr_work(rows, rank), lda = max_int(1, rows);
    int       info = 0;
    dormqr_("L", "T", &rows, &one, &rank, A, &lda, tau, b, &lda, work, &lwork, &info);
    dtrtrs_("U", "N", "N", &rank, &one, A, &lda, b, &lda, &info);
}

void cd_lapack_qr_basis(int rows, int rank, const double* A, const double* tau, int from, double* basis, double* work)
{
    const int columns = rows - from, lwork = cd_lapack_qr_work(rows, rows), lda = max_int(1, rows);
    int       info = 0;
    for (int j = 0; j < columns; ++j)
        for (int i = 0; i < rows; ++i) basis[(size_t)j * (size_t)rows + (size_t)i] = i == from + j;
    if (rank > 0 && columns > 0)
        dormqr_("L", "N", &rows, &columns, &rank, A, &lda, tau, basis, &lda, work, &lwork, &info);
}

void cd_lapack_qr_solve_r_transposed(int rows, int rank, const double* A, double* b)
{
    const int one = 1, lda = max_int(1, rows), ldb = max_int(1, rank);
    int       info = 0;
    if (rank > 0) dtrtrs_("U", "T", "N", &rank, &one, A, &lda, b, &ldb, &info);
}

int cd_lapack_eigen_work(int n) { return (n + 4) * (LAPACK_BLOCK_SIZE + 4) + 64; }

bool cd_lapack_symmetric_eigen(int n, double* A, double* value, double* work)
{
    const int lwork = cd_lapack_eigen_work(n);
    int       info  = 0;
    if (n == 0) return true;
    if (!all_finite(n, n, A)) return false;
    dsyev_("V", "U", &n, A, &n, value, work, &lwork, &info);
    return info == 0;
}

bool cd_lapack_eigen(int n, double* A, double* real, double* imaginary, double* vectors, double* work)
{
    const int lwork = cd_lapack_eigen_work(n), one = 1;
    int       info = 0;
    double    none = 0;
    if (n == 0) return true;
    if (!all_finite(n, n, A)) return false;
    dgeev_("N", vectors ? "V" : "N", &n, A, &n, real, imaginary, &none, &one, vectors ? vectors : &none,
           vectors ? &n : &one, work, &lwork, &info);
    return info == 0;
}

// P A = L U from column `from` on: factor the panel, then update the columns to its right.
bool cd_lapack_lu_panel(int n, int from, int width, double* A, int* pivot)
{
    const size_t ld   = (size_t)n;
    const int    rows = n - from, right = n - from - width, below = n - from - width, one = 1;
    const double plus = 1, minus = -1;
    double*      panel    = A + ld * (size_t)from + (size_t)from;
    double*      trailing = panel + ld * (size_t)width;
    int          info     = 0;
    if (rows == 0) return true;
    dgetrf_(&rows, &width, panel, &n, pivot + from, &info);
    if (info != 0) return false;
    dlaswp_(&from, A + from, &n, &one, &width, pivot + from, &one);
    if (right > 0) {
        dlaswp_(&right, trailing, &n, &one, &width, pivot + from, &one);
        dtrsm_("L", "L", "N", "U", &width, &right, &plus, panel, &n, trailing, &n);
        dgemm_("N", "N", &below, &right, &width, &minus, panel + width, &n, trailing, &n, &plus, trailing + width, &n);
    }
    for (int i = from; i < from + width; ++i) pivot[i] += from;
    return true;
}

void cd_lapack_lu_solve(int n, const double* A, const int* pivot, double* b)
{
    const int one  = 1;
    int       info = 0;
    if (n > 0) dgetrs_("N", &n, &one, A, &n, pivot, b, &n, &info);
}
