// SPDX-License-Identifier: BSD-3-Clause
// LU factorization in panels: A x = b with known x for a matrix of several panels that needs row exchanges, and the
// failure for a singular matrix.
#include "math/lapack.h"
#include "test.h"

#include <math.h>

enum { N = 150, PANEL = 64 };

static double A[N * N], LU[N * N];
static int    pivot[N];

static bool factor(void)
{
    for (int i = 0; i < N * N; ++i) LU[i] = A[i];
    for (int from = 0; from < N; from += PANEL)
        if (!cd_lapack_lu_panel(N, from, N - from < PANEL ? N - from : PANEL, LU, pivot)) return false;
    return true;
}

static void test_panels(void)
{
    double b[N] = {0}, x[N];
    for (int j = 0; j < N; ++j)
        for (int i = 0; i < N; ++i)
            A[j * N + i] = sin(1 + 7.3 * i + 3.1 * j * i + 0.7 * j * j) + (i == (j + 40) % N ? 3 : 0);
    for (int j = 0; j < N; ++j) {
        x[j] = cos(j);
        for (int i = 0; i < N; ++i) b[i] += A[j * N + i] * x[j];
    }
    CHECK(factor());
    cd_lapack_lu_solve(N, LU, pivot, b);
    double largest = 0;
    for (int i = 0; i < N; ++i) largest = fmax(largest, fabs(b[i] - x[i]));
    CHECK(largest < 1e-11);
}

static void test_singular(void)
{
    for (int i = 0; i < N; ++i) A[100 * N + i] = 0;
    CHECK(!factor());
}

int main(void)
{
    RUN(test_panels());
    RUN(test_singular());
    return test_end();
}
