// SPDX-License-Identifier: BSD-3-Clause
// Paper 001 on line links: the tree solver against Gaussian elimination, accelerations of square chains, AlgI and AlgII
// step by step, their stability bounds, and the number of iterations, which does not grow with the number of links.
// Reference numbers were computed independently.
#include "test.h"

#include "001_block_tree.h"
#include "001_line_links.h"
#include "random_tree.h"

#include <stdlib.h>

static const double g = 9.81;

// ---- trees of blocks

enum { BLOCKS = 12, U = 5, R = 3, ALL = BLOCKS * (U + R) };

// Solve one dense system of all unknowns by Gaussian elimination with partial pivoting.
static void gauss(int n, double* A, double* x)
{
    for (int k = 0; k < n; ++k) {
        int p = k;
        for (int i = k + 1; i < n; ++i)
            if (fabs(A[i * n + k]) > fabs(A[p * n + k])) p = i;
        for (int j = 0; j < n; ++j) {
            const double c = A[k * n + j];
            A[k * n + j]   = A[p * n + j];
            A[p * n + j]   = c;
        }
        const double c = x[k];
        x[k]           = x[p];
        x[p]           = c;
        for (int i = k + 1; i < n; ++i) {
            const double f = A[i * n + k] / A[k * n + k];
            for (int j = k; j < n; ++j) A[i * n + j] -= f * A[k * n + j];
            x[i] -= f * x[k];
        }
    }
    for (int i = n - 1; i >= 0; --i) {
        for (int j = i + 1; j < n; ++j) x[i] -= A[i * n + j] * x[j];
        x[i] /= A[i * n + i];
    }
}

static void test_block_tree(uint64_t seed)
{
    static double M[BLOCKS][U * U], G[BLOCKS][R * U], H[BLOCKS][R * U], f[BLOCKS][U], b[BLOCKS][R], u[BLOCKS][U],
        l[BLOCKS][R];
    static double A[ALL * ALL], x[ALL];
    cd_tree_block block[BLOCKS];
    cd_block_tree tree  = {.n = BLOCKS, .block = block};
    cd_arena      arena = {0};
    dice          d     = {seed};
    memset(A, 0, sizeof A);
    for (int j = 0; j < BLOCKS; ++j) {
        const int parent = (int)floor(dice_range(&d, -1, j - 1e-9));
        block[j]         = (cd_tree_block){.parent = parent,
                                           .nu     = U,
                                           .nrow   = R,
                                           .M      = M[j],
                                           .G      = G[j],
                                           .H      = H[j],
                                           .f      = f[j],
                                           .b      = b[j],
                                           .u      = u[j],
                                           .lambda = l[j]};
        double Q[U * U];
        for (int i = 0; i < U * U; ++i) Q[i] = dice_range(&d, -1, 1);
        for (int i = 0; i < U; ++i) {
            f[j][i] = dice_range(&d, -1, 1);
            for (int k = 0; k < U; ++k) {
                M[j][i * U + k] = i == k;
                for (int e = 0; e < U; ++e) M[j][i * U + k] += Q[i * U + e] * Q[k * U + e];
            }
        }
        for (int i = 0; i < R * U; ++i) {
            G[j][i] = dice_range(&d, -1, 1);
            H[j][i] = dice_range(&d, -1, 1);
        }
        for (int i = 0; i < R; ++i) b[j][i] = dice_range(&d, -1, 1);
    }
    for (int j = 0; j < BLOCKS; ++j) {
        const int at = j * (U + R), up = block[j].parent * (U + R);
        for (int i = 0; i < U; ++i) {
            x[at + i] = f[j][i];
            for (int k = 0; k < U; ++k) A[(at + i) * ALL + at + k] = M[j][i * U + k];
        }
        for (int i = 0; i < R; ++i) {
            x[at + U + i] = b[j][i];
            for (int k = 0; k < U; ++k) {
                A[(at + U + i) * ALL + at + k] = A[(at + k) * ALL + at + U + i] = G[j][i * U + k];
                if (up >= 0) A[(at + U + i) * ALL + up + k] = A[(up + k) * ALL + at + U + i] = H[j][i * U + k];
            }
        }
    }
    cd_block_tree_layout(&arena, &tree);
    CHECK(cd_arena_reserve(&arena));
    cd_block_tree_layout(&arena, &tree);
    CHECK(cd_block_tree_solve(&tree));
    gauss(ALL, A, x);
    for (int j = 0; j < BLOCKS; ++j) {
        for (int i = 0; i < U; ++i) CHECK_NEAR(u[j][i], x[j * (U + R) + i], 1e-11);
        for (int i = 0; i < R; ++i) CHECK_NEAR(l[j][i], x[j * (U + R) + U + i], 1e-11);
    }
    cd_arena_release(&arena);
}

// ---- accelerations

// Line links as blocks with M = m [1, -1/2; -1/2, 1/3], connection rows and length rows, at a random state.
static void test_line_tree_is_block_tree(int d, uint64_t seed)
{
    enum { N = 9 };
    static double M[N][36], G[N][24], H[N][24], f[N][6], b[N][4], u[N][6], l[N][4];
    int           parent[N];
    double        mass[N], length[N], state[4 * 3 * N], force[3 * N], a[3 * N], work[N * CD_LINE_WORK];
    cd_tree_block block[N];
    cd_block_tree tree  = {.n = N, .block = block};
    cd_arena      arena = {0};
    dice          dd    = {seed};
    const int     nd = N * d, nu = 2 * d, rows = d + 1;
    cd_line_links c  = {.d = d, .n = N, .parent = parent, .mass = mass, .length = length, .gravity = g};
    const double  b1 = 0.7, b2 = 0.3;
    for (int i = 0; i < 4 * nd; ++i) state[i] = dice_range(&dd, -1, 1);
    for (int j = 0; j < N; ++j) {
        parent[j] = (int)floor(dice_range(&dd, -1, j - 1e-9));
        mass[j]   = dice_range(&dd, 0.5, 2);
        length[j] = dice_range(&dd, 0.5, 2);
        block[j]  = (cd_tree_block){.parent = parent[j],
                                    .nu     = nu,
                                    .nrow   = rows,
                                    .M      = M[j],
                                    .G      = G[j],
                                    .H      = H[j],
                                    .f      = f[j],
                                    .b      = b[j],
                                    .u      = u[j],
                                    .lambda = l[j]};
        memset(M[j], 0, sizeof M[j]), memset(G[j], 0, sizeof G[j]), memset(H[j], 0, sizeof H[j]);
        double square = 0, speed = 0, along = 0;
        for (int e = 0; e < d; ++e) {
            const double r = state[nd + d * j + e], v = state[3 * nd + d * j + e];
            M[j][e * nu + e] = mass[j], M[j][(d + e) * nu + d + e] = mass[j] / 3;
            M[j][e * nu + d + e] = M[j][(d + e) * nu + e] = -mass[j] / 2;
            G[j][e * nu + e] = 1, G[j][e * nu + d + e] = -1, H[j][e * nu + e] = -1, G[j][d * nu + d + e] = r;
            force[d * j + e] = dice_range(&dd, -5, 5);
            f[j][e]          = force[d * j + e] - (e == d - 1 ? mass[j] * g : 0);
            f[j][d + e]      = e == d - 1 ? mass[j] * g / 2 : 0;
            b[j][e]          = 0;
            square += r * r, speed += v * v, along += r * v;
        }
        b[j][d] = -speed - b1 * along - b2 * (square - length[j] * length[j]) / 2;
    }
    cd_block_tree_layout(&arena, &tree);
    CHECK(cd_arena_reserve(&arena));
    cd_block_tree_layout(&arena, &tree);
    CHECK(cd_block_tree_solve(&tree));
    cd_line_tree_accelerate(&c, state, force, b1, b2, work, a);
    for (int j = 0; j < N; ++j)
        for (int e = 0; e < d; ++e) CHECK_NEAR(a[d * j + e], u[j][e], 1e-11);
    cd_arena_release(&arena);
}

static void accelerate_squares(int m, double* a)
{
    cd_line_links c;
    CHECK(cd_line_squares(m, &c));
    double* state = calloc((size_t)(4 * c.n * c.d), sizeof *state);
    double* force = calloc((size_t)(c.n * c.d), sizeof *force);
    double* work  = calloc((size_t)(c.n * CD_LINE_WORK), sizeof *work);
    cd_line_start(&c, state);
    cd_line_tree_accelerate(&c, state, force, 0, 0, work, a);
    free(state), free(force), free(work);
    cd_line_release(&c);
}

static void test_open_squares(void)
{
    const double one[] = {0, -11.03625, -14.715, -11.03625};
    const double two[] = {
        0, -10.803417721519, -12.612857142857, -10.803417721519, -9.685822784810, -8.408571428571, -9.685822784810};
    double a[14];
    accelerate_squares(1, a);
    for (int j = 0; j < 4; ++j) {
        CHECK_NEAR(a[2 * j], 0, 1e-12);
        CHECK_NEAR(a[2 * j + 1], one[j], 1e-12);
    }
    accelerate_squares(2, a);
    for (int j = 0; j < 7; ++j) {
        CHECK_NEAR(a[2 * j], 0, 1e-12);
        CHECK_NEAR(a[2 * j + 1], two[j], 1e-12);
    }
}

// ---- steps

static cd_line_result run(const cd_line_links* c, cd_line_settings s, double t, bool allow_unstable, double* last)
{
    double* state = calloc((size_t)(4 * c->n * c->d), sizeof *state);
    cd_line_start(c, state);
    const cd_line_result r = cd_line_run(c, &s, t, allow_unstable, state);
    if (last) memcpy(last, state + c->d * (c->n - 1), (size_t)c->d * sizeof *last);
    free(state);
    return r;
}

static cd_line_settings settings(double h, double epsilon, int iterations)
{
    return (cd_line_settings){
        .step = h, .epsilon = epsilon, .max_iterations = iterations, .alpha = 1, .fixed_iterations = true};
}

static void check_euler(int m, double epsilon, int iterations, double drift, double closure, double x, double y)
{
    cd_line_links c;
    double        last[2];
    CHECK(cd_line_squares(m, &c));
    const cd_line_result r = run(&c, settings(1e-3, epsilon, iterations), 0.4, false, last);
    CHECK(r.status == CARDAN_OK && r.iterations == iterations);
    CHECK_NEAR(r.length_violation / drift, 1, 1e-9);
    CHECK_NEAR(r.closure_violation / closure, 1, 1e-9);
    CHECK_NEAR(last[0], x, 1e-11);
    CHECK_NEAR(last[1], y, 1e-11);
    CHECK(r.connection_violation < 1e-12);
    cd_line_release(&c);
}

static void test_euler(void)
{
    check_euler(1, 0.005, 1, 6.5613998012e-03, 5.6990638996e-03, 0.814040354973, -1.800137462829);
    check_euler(1, 0.05, 2, 6.5975863529e-03, 4.2670070933e-03, 0.815657219328, -1.800409557999);
    check_euler(2, 0.005, 1, 4.9687491815e-03, 3.7028160743e-03, 1.929043587340, -1.777732440954);
    check_euler(2, 0.05, 2, 5.0620334943e-03, 6.5485351598e-03, 1.926911851915, -1.778110765843);
}

static void test_midpoint(void)
{
    const double  closure[] = {3.7084463477e-03, 2.7912477511e-04, 5.4473877718e-05};
    cd_line_links c;
    double        last[2];
    CHECK(cd_line_squares(2, &c));
    for (int i = 0; i < 3; ++i) {
        cd_line_settings s     = settings(1e-3, 5e-3, i + 1);
        s.midpoint             = true;
        const cd_line_result r = run(&c, s, 0.4, false, last);
        CHECK_NEAR(r.closure_violation / closure[i], 1, 1e-9);
    }
    CHECK_NEAR(last[0], 1.926041777114, 1e-11);
    CHECK_NEAR(last[1], -1.780208132842, 1e-11);
    cd_line_release(&c);
}

// A single link released from the horizontal, length row with g" + g' + g = 0: the drift of Table 4.2 of the paper for
// t = 0.4, 0.5, 0.6.
static void test_one_link(void)
{
    const double  t[] = {0.4, 0.5, 0.6, 1}, drift[] = {7.76309e-3, 1.289305e-2, 1.744367e-2, 1.817434e-2};
    int           parent = -1;
    double        one = 1, anchor[2] = {0, 0}, start[2] = {1, 0};
    cd_line_links c = {.d       = 2,
                       .n       = 1,
                       .parent  = &parent,
                       .mass    = &one,
                       .length  = &one,
                       .anchor  = anchor,
                       .start   = start,
                       .gravity = g};
    for (int i = 0; i < 4; ++i) {
        cd_line_settings s = settings(1e-3, 5e-3, 1);
        s.b1 = s.b2            = 1;
        const cd_line_result r = run(&c, s, t[i], false, NULL);
        CHECK_NEAR(r.length_violation / drift[i], 1, 1e-6);
    }
}

static bool is_stable(bool all_rows, int m, double epsilon)
{
    cd_line_links c;
    CHECK(cd_line_squares(m, &c));
    cd_line_settings s     = settings(1e-3, epsilon, 1);
    s.all_rows             = all_rows;
    const cd_line_result r = run(&c, s, 1, true, NULL);
    cd_line_release(&c);
    return r.status == CARDAN_OK && r.closure_violation < 0.5;
}

static void test_stability(void)
{
    for (int m = 1; m <= 3; ++m) {
        CHECK(!is_stable(false, m, 0.002));
        CHECK(is_stable(false, m, 0.005));
        CHECK(!is_stable(true, m, 0.005));
        CHECK(is_stable(true, m, 0.05));
    }
}

// Stability bound: lambda_max = 3.75 and 19.9 for one square, up to 4.8 and 27.9 for many; a smaller epsilon is an
// error.
static void test_stability_bound(void)
{
    cd_line_links c;
    CHECK(cd_line_squares(1, &c));
    cd_line_result r = run(&c, settings(1e-3, 1e-3, 1), 0.1, false, NULL);
    CHECK_NEAR(r.lambda_max, 3.75, 1e-9);
    CHECK_NEAR(r.epsilon_stable_min, 3.75e-3 / 2, 1e-9);
    CHECK(r.status == CARDAN_BAD_USAGE && r.t == 0);
    cd_line_settings s = settings(1e-3, 5e-2, 1);
    s.all_rows         = true;
    r                  = run(&c, s, 0.01, false, NULL);
    CHECK(r.lambda_max > 19.8 && r.lambda_max < 20);
    cd_line_release(&c);
    CHECK(cd_line_squares(60, &c));
    r = run(&c, settings(1e-3, 5e-3, 1), 1e-3, false, NULL);
    CHECK(r.lambda_max > 4.7 && r.lambda_max < 4.85);
    r = run(&c, s, 1e-3, false, NULL);
    CHECK(r.lambda_max > 27.7 && r.lambda_max < 28);
    cd_line_release(&c);
}

// ---- iterations do not depend on size

static void check_rates(const cd_line_links* c, double h, double epsilon, const double* violation, int n)
{
    for (int i = 0; i < n; ++i) {
        cd_line_settings s     = settings(h, epsilon, i + 1);
        s.midpoint             = true;
        const cd_line_result r = run(c, s, 0.3, false, NULL);
        CHECK_NEAR(r.closure_violation / violation[i], 1, 0.06); // reference values have two digits
    }
}

static void test_squares_of_any_size(void)
{
    const struct {
        int    m;
        double h, epsilon, violation[5];
    } table[] = {
        {1, 0.01, 0.05, {2.4e-2, 2.5e-3, 2.3e-4, 4.0e-5, 1.3e-5}},
        {3, 0.01, 0.05, {1.7e-2, 3.8e-3, 1.1e-3, 3.6e-4, 1.2e-4}},
        {10, 0.01, 0.05, {3.4e-2, 8.6e-3, 2.2e-3, 5.4e-4, 1.4e-4}},
        {33, 0.01, 0.05, {5.5e-2, 1.4e-2, 3.0e-3, 5.9e-4, 1.3e-4}},
        {133, 0.01, 0.05, {8.0e-2, 1.8e-2, 3.9e-3, 7.7e-4, 1.6e-4}},
        {1, 0.001, 0.005, {2.6e-3, 3.0e-5, 3.9e-7, 1.9e-8, 1.2e-9}},
        {3, 0.001, 0.005, {2.2e-3, 7.2e-5, 3.4e-6, 2.2e-7, 2.0e-8}},
        {10, 0.001, 0.005, {4.4e-3, 1.4e-4, 5.2e-6, 2.7e-7, 2.1e-8}},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; ++i) {
        cd_line_links c;
        CHECK(cd_line_squares(table[i].m, &c));
        check_rates(&c, table[i].h, table[i].epsilon, table[i].violation, 5);
        cd_line_release(&c);
    }
}

static void test_nets_of_any_size(void)
{
    const struct {
        int    w, n;
        double violation[4];
    } table[] = {
        {2, 6, {4.5e-2, 3.1e-3, 9.8e-5, 9.5e-6}},
        {5, 45, {5.0e-2, 3.2e-3, 2.6e-4, 1.8e-4}},
        {8, 120, {5.2e-2, 3.2e-3, 2.6e-4, 1.7e-4}},
        {14, 378, {5.4e-2, 3.1e-3, 3.1e-4, 9.9e-5}},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; ++i) {
        cd_line_links c;
        CHECK(cd_line_net(table[i].w, table[i].w, 0.25 * 3.14159265358979324, &c));
        CHECK(c.n == table[i].n && c.nclosure == (table[i].w - 1) * table[i].w);
        check_rates(&c, 0.01, 0.05, table[i].violation, 4);
        cd_line_release(&c);
    }
}

// Iterating until an iteration does not halve the violation takes as many iterations for 4 links as for 400.
static void test_count_is_independent_of_size(void)
{
    const int m[] = {1, 3, 10, 33, 133};
    for (size_t i = 0; i < sizeof m / sizeof *m; ++i) {
        cd_line_links c;
        CHECK(cd_line_squares(m[i], &c));
        cd_line_settings s     = settings(0.01, 0.05, 6);
        s.midpoint             = true;
        s.fixed_iterations     = false;
        s.tolerance            = 5e-3;
        const cd_line_result r = run(&c, s, 0.3, false, NULL);
        CHECK(r.status == CARDAN_OK && (r.iterations == 2 || r.iterations == 3));
        s.tolerance              = 0;
        const cd_line_result all = run(&c, s, 0.3, false, NULL);
        CHECK(all.violation[2] / all.violation[1] > 0.05 && all.violation[2] / all.violation[1] < 0.4);
        cd_line_release(&c);
    }
}

// Multiplier windows of 30, 5 and 1 steps.
static void test_windows(void)
{
    const struct {
        int    window;
        double violation[3];
    } table[] = {{30, {3.4e-2, 8.6e-3, 2.2e-3}}, {5, {1.4e-2, 4.6e-3, 2.1e-3}}, {1, {3.9e-3, 1.8e-3, 1.1e-3}}};
    cd_line_links c;
    CHECK(cd_line_squares(10, &c));
    for (int i = 0; i < 3; ++i)
        for (int n = 0; n < 3; ++n) {
            cd_line_settings s     = settings(0.01, 0.05, n + 1);
            s.midpoint             = true;
            s.window               = table[i].window;
            const cd_line_result r = run(&c, s, 0.3, false, NULL);
            CHECK_NEAR(r.closure_violation / table[i].violation[n], 1, 0.06);
        }
    cd_line_release(&c);
}

int main(void)
{
    for (uint64_t seed = 1; seed <= 20; ++seed) RUN(test_block_tree(seed));
    for (uint64_t seed = 1; seed <= 20; ++seed) {
        RUN(test_line_tree_is_block_tree(2, seed));
        RUN(test_line_tree_is_block_tree(3, seed));
    }
    RUN(test_open_squares());
    RUN(test_euler());
    RUN(test_midpoint());
    RUN(test_one_link());
    RUN(test_stability());
    RUN(test_stability_bound());
    RUN(test_squares_of_any_size());
    RUN(test_nets_of_any_size());
    RUN(test_count_is_independent_of_size());
    RUN(test_windows());
    return test_end();
}
