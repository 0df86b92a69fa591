// SPDX-License-Identifier: BSD-3-Clause
// Sparse symbolic Jacobians and Hessians against derivatives entry by entry and closed forms, by forward and reverse
// mode; their patterns; large sizes.
#include "expression/symbolic_jacobian.h"

#include "test.h"

#include <math.h>
#include <stdlib.h>

enum { INPUTS = 7, OUTPUTS = 6 };

static unsigned random_state = 12345;
static int      next_random(int n)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (int)((random_state >> 8) % (unsigned)n);
}

// Random function of the inputs, smooth operations and selections.
static cd_node random_node(cd_graph* g, int depth)
{
    if (depth == 0)
        return next_random(5) ? cd_input(g, next_random(INPUTS)) : cd_constant(g, 0.25 * (1 + next_random(7)));
    const cd_node a = random_node(g, depth - 1), b = random_node(g, depth - 1);
    switch (next_random(9)) {
    case 0:
        return cd_binary(g, CD_SUB, a, b);
    case 1:
        return cd_binary(g, CD_DIV, a, cd_binary(g, CD_ADD, cd_constant(g, 3), cd_binary(g, CD_MUL, b, b)));
    case 2:
        return cd_unary(g, CD_SIN, a);
    case 3:
        return cd_unary(g, CD_EXP, cd_unary(g, CD_TANH, b));
    case 4:
        return cd_if(g, cd_binary(g, CD_LESS, a, b), cd_binary(g, CD_MUL, a, a), b);
    case 5:
        return cd_unary(g, CD_SQRT, cd_binary(g, CD_ADD, cd_constant(g, 2), cd_binary(g, CD_MUL, a, a)));
    case 6:
        return cd_binary(g, CD_ADD, a, b);
    default:
        return cd_binary(g, CD_MUL, a, b);
    }
}

static double value_at(const cd_graph* g, cd_node node, const double* x)
{
    double value = NAN;
    cd_node_evaluate(g, node, x, &value);
    return value;
}

static void fill(double* x, int n)
{
    for (int i = 0; i < n; ++i) x[i] = 0.01 * (next_random(200) - 100) + 0.003;
}

// Rows are in ascending order, and columns within each row.
static void check_order(const cd_symbolic_matrix* s, bool lower)
{
    bool ordered = true, inside = true;
    for (int k = 0; k < s->count; ++k) {
        if (k > 0)
            ordered = ordered &&
                      (s->row[k] > s->row[k - 1] || (s->row[k] == s->row[k - 1] && s->column[k] > s->column[k - 1]));
        inside = inside && s->row[k] >= 0 && s->row[k] < s->nrow && s->column[k] >= 0 && s->column[k] < s->ncolumn;
        inside = inside && (!lower || s->column[k] <= s->row[k]);
    }
    CHECK(ordered);
    CHECK(inside);
}

static cd_node entry(const cd_graph* g, const cd_symbolic_matrix* s, int row, int column)
{
    (void)g;
    for (int k = 0; k < s->count; ++k)
        if (s->row[k] == row && s->column[k] == column) return s->value[k];
    return CD_NO_NODE;
}

static void test_jacobians(void)
{
    static const int input[INPUTS] = {0, 1, 2, 3, 4, 5, 6};
    for (int round = 0; round < 40; ++round) {
        cd_graph* g = cd_graph_create();
        cd_node   y[OUTPUTS];
        double    x[INPUTS];
        fill(x, INPUTS);
        for (int i = 0; i < OUTPUTS; ++i) y[i] = random_node(g, 4);
        if (round % 5 == 0) y[2] = CD_NO_NODE;
        if (round % 7 == 0) y[4] = y[1];
        int     first[INPUTS + 1];
        cd_seed seed[INPUTS];
        for (int i = 0; i <= INPUTS; ++i) first[i] = i;
        for (int i = 0; i < INPUTS; ++i) seed[i] = (cd_seed){i, cd_constant(g, 1)};
        cd_symbolic_matrix J[3];
        CHECK(cd_symbolic_jacobian(g, OUTPUTS, y, INPUTS, input, &J[0]) == CARDAN_OK);
        CHECK(cd_symbolic_jacobian_along(g, OUTPUTS, y, (cd_directions){INPUTS, first, seed}, CD_AD_FORWARD, &J[1]) ==
              CARDAN_OK);
        CHECK(cd_symbolic_jacobian_along(g, OUTPUTS, y, (cd_directions){INPUTS, first, seed}, CD_AD_REVERSE, &J[2]) ==
              CARDAN_OK);
        for (int k = 0; k < 3; ++k) {
            check_order(&J[k], false);
            for (int i = 0; i < OUTPUTS; ++i)
                for (int j = 0; j < INPUTS; ++j) {
                    const cd_node here     = entry(g, &J[k], i, j);
                    const double  expected = y[i] < 0 ? 0 : value_at(g, cd_derivative(g, y[i], j), x);
                    CHECK_NEAR(here < 0 ? 0 : value_at(g, here, x), expected, 1e-12 * (1 + fabs(expected)));
                }
            cd_symbolic_matrix_release(&J[k]);
        }
        cd_graph_destroy(g);
    }
}

static void test_hessians(void)
{
    static const int input[INPUTS] = {6, 5, 4, 3, 2, 1, 0}; // any order
    for (int round = 0; round < 25; ++round) {
        cd_graph* g = cd_graph_create();
        cd_node   y[OUTPUTS], weight[OUTPUTS];
        double    x[INPUTS + OUTPUTS];
        fill(x, INPUTS + OUTPUTS);
        for (int i = 0; i < OUTPUTS; ++i) y[i] = random_node(g, 3), weight[i] = cd_input(g, INPUTS + i);
        cd_symbolic_matrix H;
        CHECK(cd_symbolic_hessian(g, OUTPUTS, y, weight, INPUTS, input, &H) == CARDAN_OK);
        check_order(&H, true);
        for (int i = 0; i < INPUTS; ++i)
            for (int j = 0; j <= i; ++j) {
                double expected = 0;
                for (int k = 0; k < OUTPUTS; ++k)
                    expected +=
                        x[INPUTS + k] * value_at(g, cd_derivative(g, cd_derivative(g, y[k], input[i]), input[j]), x);
                const cd_node here = entry(g, &H, i, j);
                CHECK_NEAR(here < 0 ? 0 : value_at(g, here, x), expected, 1e-10 * (1 + fabs(expected)));
            }
        cd_symbolic_matrix_release(&H);
        cd_graph_destroy(g);
    }
}

// Chain of cubic springs: the Hessian of its energy is tridiagonal and has a closed form.
static void test_large_hessian(void)
{
    enum { N = 20000 };
    cd_graph* g     = cd_graph_create();
    int*      input = malloc(N * sizeof *input);
    cd_node   sum   = cd_constant(g, 0);
    for (int i = 0; i < N; ++i) {
        input[i] = i;
        if (i == 0) continue;
        const cd_node d = cd_binary(g, CD_SUB, cd_input(g, i), cd_input(g, i - 1)), k = cd_constant(g, 1 + i % 3);
        sum = cd_binary(g, CD_ADD, sum, cd_binary(g, CD_MUL, k, cd_binary(g, CD_MUL, d, cd_binary(g, CD_MUL, d, d))));
    }
    cd_symbolic_matrix H;
    CHECK(cd_symbolic_hessian(g, 1, &sum, NULL, N, input, &H) == CARDAN_OK);
    CHECK(H.count == 2 * N - 1);
    CHECK(cd_graph_size(g) < 60 * N);
    double* x = malloc(N * sizeof *x);
    for (int i = 0; i < N; ++i) x[i] = sin(0.1 * i);
    cd_tape* tape = cd_tape_create(g, H.count, H.value);
    double*  work = malloc(((size_t)cd_tape_work(tape) + (size_t)H.count) * sizeof *work);
    double*  out  = work + cd_tape_work(tape);
    cd_tape_run(tape, x, work, out);
    double error = 0;
    for (int k = 0; k < H.count; ++k) {
        const int i = H.row[k], j = H.column[k];
        double    expected = 0;
        if (i == j && i > 0) expected += 6 * (1 + i % 3) * (x[i] - x[i - 1]);
        if (i == j && i + 1 < N) expected += 6 * (1 + (i + 1) % 3) * (x[i + 1] - x[i]);
        if (j == i - 1) expected -= 6 * (1 + i % 3) * (x[i] - x[i - 1]);
        if (j < i - 1) expected = NAN;
        error = fmax(error, fabs(out[k] - expected));
    }
    CHECK_NEAR(error, 0, 1e-12);
    cd_tape_destroy(tape);
    free(work), free(x), free(input);
    cd_symbolic_matrix_release(&H);
    cd_graph_destroy(g);
}

// Derivative of a quaternion component along an angular velocity, by seeds with weights.
static void test_weighted_seeds(void)
{
    cd_graph* g = cd_graph_create();
    // y = 2 (e0 e1 + e2 e3) along de = 1/2 e (0, w), w = x: de = (-e1, e0, e3, -e2) / 2
    const cd_node e[4] = {cd_input(g, 0), cd_input(g, 1), cd_input(g, 2), cd_input(g, 3)};
    const cd_node y =
        cd_binary(g, CD_MUL, cd_constant(g, 2),
                  cd_binary(g, CD_ADD, cd_binary(g, CD_MUL, e[0], e[1]), cd_binary(g, CD_MUL, e[2], e[3])));
    static const int from[4] = {1, 0, 3, 2}, sign[4] = {-1, 1, 1, -1};
    cd_seed          seed[4];
    const int        first[2] = {0, 4};
    for (int i = 0; i < 4; ++i) seed[i] = (cd_seed){i, cd_binary(g, CD_MUL, cd_constant(g, 0.5 * sign[i]), e[from[i]])};
    const double x[4] = {0.5, 0.1, -0.7, 0.5};
    // e0^2 - e1^2 + e3^2 - e2^2
    const double expected = x[0] * x[0] - x[1] * x[1] - x[2] * x[2] + x[3] * x[3];
    for (int sweep = CD_AD_CHEAPER; sweep <= CD_AD_REVERSE; ++sweep) {
        cd_symbolic_matrix J;
        CHECK(cd_symbolic_jacobian_along(g, 1, &y, (cd_directions){1, first, seed}, (cd_ad_mode)sweep, &J) ==
              CARDAN_OK);
        CHECK(J.count == 1);
        CHECK_NEAR(value_at(g, J.value[0], x), expected, 1e-15);
        cd_symbolic_matrix_release(&J);
    }
    cd_graph_destroy(g);
}

int main(void)
{
    RUN(test_jacobians());
    RUN(test_hessians());
    RUN(test_large_hessian());
    RUN(test_weighted_seeds());
    return test_end();
}
