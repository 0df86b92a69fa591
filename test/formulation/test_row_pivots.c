// SPDX-License-Identifier: BSD-3-Clause
// Row pivoting of redundant rows in an unfavourable order: the first two rows are nearly equal, and only all rows
// together have full rank. Factorization of the rows alone, in a skyline matrix, and in a block LDL' in which another
// block is eliminated after them. Checked against P A P' = L d L' and by the residual of the solution.
#include "math/block_ldl/block_ldl.h"
#include "math/block_ldl/skyline_ldl.h"
#include "test.h"

#include <stdint.h>
#include <string.h>

enum { ROWS = 5, RANK = 3, WIDTH = 12 };

static double random_number(uint64_t* seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) * 0x1p-53 * 2 - 1;
}

// J = K G, five rows of rank three; rows 0 and 1 of K differ by the relative size `near`, row 2 is their sum: these
// three have rank two.
typedef struct row_set {
    double K[ROWS][RANK], G[RANK][WIDTH], J[ROWS][WIDTH], mass[WIDTH];
} row_set;

static row_set make_rows(uint64_t seed, double near, const double* scale)
{
    row_set s;
    for (int k = 0; k < RANK; ++k) {
        for (int i = 0; i < ROWS; ++i) s.K[i][k] = random_number(&seed);
        for (int v = 0; v < WIDTH; ++v) s.G[k][v] = random_number(&seed) + (v == k || v == k + 6);
        s.K[1][k] = s.K[0][k] + near * s.K[1][k];
        s.K[2][k] = s.K[0][k] + s.K[1][k];
    }
    for (int v = 0; v < WIDTH; ++v) s.mass[v] = 1.5 + random_number(&seed);
    for (int i = 0; i < ROWS; ++i)
        for (int v = 0; v < WIDTH; ++v) {
            s.J[i][v] = 0;
            for (int k = 0; k < RANK; ++k) s.J[i][v] += s.K[i][k] * s.G[k][v];
            s.J[i][v] *= scale ? scale[i] : 1;
        }
    return s;
}

// N = J M^-1 J' of the first `width` velocities.
static void weighted_product(const row_set* s, int width, double N[ROWS][ROWS])
{
    for (int i = 0; i < ROWS; ++i)
        for (int j = 0; j < ROWS; ++j) {
            N[i][j] = 0;
            for (int v = 0; v < width; ++v) N[i][j] += s->J[i][v] * s->J[j][v] / s->mass[v];
        }
}

static void set_rows(double N[ROWS][ROWS], cd_row_pivoting* p)
{
    *p = (cd_row_pivoting){.n = ROWS, .permutation = {0, 1, 2, 3, 4}};
    for (int i = 0; i < ROWS; ++i) {
        p->size[i] = N[i][i];
        for (int j = 0; j <= i; ++j) p->A[i][j] = N[i][j];
    }
}

static const cd_pivot_test closed = {.rel_to_row = 1e-10, .rel_to_constraint = 0};

static int null_pivots(const cd_row_pivoting* p)
{
    int n = 0;
    for (int i = 0; i < p->n; ++i) n += p->inverse_pivot[i] == 0;
    return n;
}

// P A P' = L d L' with well-conditioned d, for any scaling of the rows.
static void test_rows_alone(double near)
{
    const double    scale[ROWS] = {0.3, 3, 1, 5, 0.5};
    double          N[ROWS][ROWS];
    cd_row_pivoting p, q;
    for (uint64_t seed = 1; seed <= 50; ++seed) {
        const row_set s = make_rows(seed, near, NULL), t = make_rows(seed, near, scale);
        weighted_product(&t, WIDTH, N);
        set_rows(N, &q);
        CHECK(cd_row_pivoting_factor(&q, closed) < 0);
        weighted_product(&s, WIDTH, N);
        set_rows(N, &p);
        CHECK(cd_row_pivoting_factor(&p, closed) < 0);
        CHECK(null_pivots(&p) == ROWS - RANK && null_pivots(&q) == ROWS - RANK);
        CHECK(memcmp(p.permutation, q.permutation, RANK * sizeof *p.permutation) == 0);
        for (int i = 0; i < ROWS; ++i) {
            CHECK(p.inverse_pivot[i] == 0 || p.A[i][i] > 1e-6 * N[p.permutation[i]][p.permutation[i]]);
            for (int j = 0; j <= i; ++j) {
                double sum = 0;
                for (int k = 0; k <= j; ++k)
                    sum += p.inverse_pivot[k] == 0
                               ? 0
                               : (k < i ? p.A[i][k] : 1) * (k < j ? p.A[j][k] : 1) / p.inverse_pivot[k];
                CHECK_NEAR(sum, N[p.permutation[i]][p.permutation[j]], 1e-9);
            }
        }
    }
}

// At states with a violation the permutation of the last factorization is reused as long as its pivots are good.
static void test_reused_permutation(void)
{
    const row_set   s = make_rows(7, 1e-3, NULL);
    double          N[ROWS][ROWS];
    cd_row_pivoting p, q, r;
    weighted_product(&s, WIDTH, N);
    set_rows(N, &p);
    CHECK(cd_row_pivoting_factor_complete(&p, closed) < 0 && p.is_permuted);
    set_rows(N, &q);
    memcpy(q.permutation, p.permutation, sizeof q.permutation);
    CHECK(cd_row_pivoting_factor(&q, (cd_pivot_test){1e-10, 1e-12}) < 0);
    CHECK(memcmp(p.permutation, q.permutation, sizeof p.permutation) == 0);
    const row_set easy = make_rows(7, 1, NULL);
    weighted_product(&easy, WIDTH, N);
    set_rows(N, &r);
    memcpy(r.permutation, p.permutation, sizeof r.permutation);
    CHECK(cd_row_pivoting_factor(&r, (cd_pivot_test){1e-10, 1e-12}) < 0 && r.is_permuted);
}

// Check the residual of M a + J'lambda = f, J a = gamma = K g.
static void check_solution(const row_set* s, const double* f, const double* gamma, const double* a,
                           const double* lambda, double tolerance)
{
    for (int v = 0; v < WIDTH; ++v) {
        double sum = s->mass[v] * a[v] - f[v];
        for (int i = 0; i < ROWS; ++i) sum += s->J[i][v] * lambda[i];
        CHECK_NEAR(sum, 0, tolerance);
    }
    for (int i = 0; i < ROWS; ++i) {
        double sum = -gamma[i];
        for (int v = 0; v < WIDTH; ++v) sum += s->J[i][v] * a[v];
        CHECK_NEAR(sum, 0, tolerance);
    }
}

static void right_sides(const row_set* s, uint64_t seed, double* f, double* gamma)
{
    double g[RANK];
    for (int v = 0; v < WIDTH; ++v) f[v] = random_number(&seed);
    for (int k = 0; k < RANK; ++k) g[k] = random_number(&seed);
    for (int i = 0; i < ROWS; ++i) {
        gamma[i] = 0;
        for (int k = 0; k < RANK; ++k) gamma[i] += s->K[i][k] * g[k];
    }
}

// The same rows twice, one group after the other: all rows of the second group are redundant.
static void test_skyline(double near)
{
    enum { N = 2 * ROWS };
    int        first[N] = {0};
    size_t     row[N];
    cd_skyline S     = {.n = N, .first_column = first, .row_offset = row};
    cd_arena   arena = {0};
    cd_skyline_set_offsets(&S);
    cd_skyline_layout(&S, &arena);
    cd_arena_reserve(&arena);
    cd_skyline_layout(&S, &arena);
    for (uint64_t seed = 1; seed <= 20; ++seed) {
        const row_set s = make_rows(seed, near, NULL);
        double        n[ROWS][ROWS], f[WIDTH], gamma[ROWS], x[N], a[WIDTH], lambda[ROWS];
        weighted_product(&s, WIDTH, n);
        right_sides(&s, seed, f, gamma);
        for (int i = 0; i < N; ++i)
            for (int j = 0; j <= i; ++j) *cd_skyline_at(&S, i, j) = n[i % ROWS][j % ROWS];
        cd_skyline_factor_begin(&S);
        CHECK(cd_skyline_factor_group(&S, 0, ROWS, closed) < 0);
        CHECK(S.is_permuted && S.nnull == ROWS - RANK);
        CHECK(cd_skyline_factor_group(&S, ROWS, ROWS, closed) < 0);
        CHECK(S.nnull == N - RANK);
        for (int i = 0; i < N; ++i) {
            x[i] = -gamma[i % ROWS];
            for (int v = 0; v < WIDTH; ++v) x[i] += s.J[i % ROWS][v] * f[v] / s.mass[v];
        }
        cd_skyline_solve(&S, x);
        for (int i = 0; i < ROWS; ++i) lambda[i] = x[i] + x[i + ROWS];
        for (int v = 0; v < WIDTH; ++v) {
            a[v] = f[v];
            for (int i = 0; i < ROWS; ++i) a[v] -= s.J[i][v] * lambda[i];
            a[v] /= s.mass[v];
        }
        check_solution(&s, f, gamma, a, lambda, 1e-8);
    }
    cd_arena_release(&arena);
}

// Two bodies and the rows between them; the rows are eliminated before the second body.
static void test_block(double near)
{
    const int              size[3] = {6, 6, ROWS}, edge[2][2] = {{2, 0}, {2, 1}}, order[3] = {0, 2, 1};
    const signed char      sign[3] = {1, 1, -1};
    const cd_block_pattern pattern = {3, size, 2, edge};
    cd_block_ldl           F;
    cd_arena               arena = {0};
    CHECK(cd_block_analyse(&F, &pattern, order));
    cd_block_layout(&F, &arena);
    cd_arena_reserve(&arena);
    cd_block_layout(&F, &arena);
    for (uint64_t seed = 1; seed <= 20; ++seed) {
        const row_set s = make_rows(seed, near, NULL);
        double        f[WIDTH + ROWS];
        cd_block_clear(&F);
        for (int v = 0; v < WIDTH; ++v) {
            const cd_block_address p = cd_block_find(&F, v / 6, v / 6), r = cd_block_find(&F, 2, v / 6);
            F.value[p.offset + v % 6 * (p.row_stride + p.column_stride)] = s.mass[v];
            for (int i = 0; i < ROWS; ++i) F.value[r.offset + i * r.row_stride + v % 6 * r.column_stride] = s.J[i][v];
        }
        CHECK(cd_block_factor(&F, sign, closed, NULL) < 0);
        CHECK(F.diagonal_state[F.position[2]] == CD_DIAGONAL_PERMUTED);
        CHECK(cd_block_stats_total(&F).nnull == ROWS - RANK);
        right_sides(&s, seed, f, f + WIDTH);
        double x[WIDTH + ROWS];
        memcpy(x, f, sizeof x);
        cd_block_solve(&F, x, NULL);
        check_solution(&s, f, f + WIDTH, x, x + WIDTH, 1e-8);
    }
    cd_arena_release(&arena);
    cd_block_release(&F);
}

int main(void)
{
    RUN(test_rows_alone(1e-2));
    RUN(test_rows_alone(1e-4));
    RUN(test_reused_permutation());
    RUN(test_skyline(1e-3));
    RUN(test_skyline(1e-5));
    RUN(test_block(1e-3));
    RUN(test_block(1e-5));
    return test_end();
}
