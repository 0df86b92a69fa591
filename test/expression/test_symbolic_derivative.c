// SPDX-License-Identifier: BSD-3-Clause
// Symbolic derivatives: closed forms, central differences of random expressions, forward against reverse mode, guarded
// formulas, number of nodes.
#include "random_expressions.h"
#include "test.h"

static cd_graph* g;
static cd_node   x, y;

static cd_node num(double value) { return cd_constant(g, value); }
static cd_node fun(cd_operation operation, cd_node a) { return cd_unary(g, operation, a); }
static cd_node two(cd_operation operation, cd_node a, cd_node b) { return cd_binary(g, operation, a, b); }
static double  at(cd_node node, double vx, double vy) { return plain_evaluate(g, node, (const double[]){vx, vy}); }

// The derivative is the same node as the closed form.
static void test_closed_forms(void)
{
    CHECK(cd_derivative(g, num(3), 0) == num(0));
    CHECK(cd_derivative(g, y, 0) == num(0));
    CHECK(cd_derivative(g, x, 0) == num(1));
    CHECK(cd_derivative(g, two(CD_MUL, x, x), 0) == two(CD_MUL, num(2), x));
    CHECK(cd_derivative(g, two(CD_MUL, x, y), 0) == y);
    CHECK(cd_derivative(g, fun(CD_SIN, x), 0) == fun(CD_COS, x));
    CHECK(cd_derivative(g, fun(CD_COS, x), 0) == fun(CD_NEG, fun(CD_SIN, x)));
    CHECK(cd_derivative(g, fun(CD_EXP, two(CD_MUL, num(3), x)), 0) ==
          two(CD_MUL, num(3), fun(CD_EXP, two(CD_MUL, num(3), x))));
    CHECK(cd_derivative(g, fun(CD_LOG, x), 0) == two(CD_DIV, num(1), x));
    CHECK(cd_derivative(g, fun(CD_SQRT, x), 0) == two(CD_DIV, num(0.5), fun(CD_SQRT, x)));
    CHECK(cd_derivative(g, fun(CD_ABS, x), 0) == fun(CD_SIGN, x));
    CHECK(cd_derivative(g, fun(CD_FLOOR, x), 0) == num(0));
    CHECK(cd_derivative(g, two(CD_LESS, x, y), 0) == num(0));
    CHECK(cd_derivative(g, two(CD_POW, x, num(1.5)), 0) == two(CD_MUL, num(1.5), fun(CD_SQRT, x)));
    const cd_node second = cd_derivative(g, cd_derivative(g, fun(CD_SIN, x), 0), 0);
    CHECK(second == fun(CD_NEG, fun(CD_SIN, x)));
}

// Exact values at points where differences are not applicable.
static void test_known_values(void)
{
    const cd_node length = fun(CD_SQRT, two(CD_ADD, two(CD_MUL, x, x), two(CD_MUL, y, y)));
    CHECK_NEAR(at(cd_derivative(g, length, 0), 3, 4), 0.6, 1e-15);
    CHECK(at(cd_derivative(g, length, 0), 0, 0) == 0); // the derivative does not exist
    const cd_node angle = two(CD_ATAN2, y, x);
    CHECK_NEAR(at(cd_derivative(g, angle, 0), -3, 4), -4.0 / 25, 1e-15);
    CHECK_NEAR(at(cd_derivative(g, angle, 1), -3, 4), -3.0 / 25, 1e-15);
    CHECK_NEAR(at(cd_derivative(g, cd_derivative(g, angle, 0), 1), -3, 4), (16.0 - 9.0) / 625, 1e-15);
    CHECK_NEAR(at(cd_derivative(g, fun(CD_ASIN, x), 0), 1 - 1e-12, 0), 1 / sqrt(1e-12 * (2 - 1e-12)), 1e-4);
    CHECK_NEAR(at(cd_derivative(g, two(CD_POW, x, y), 1), 2, 3), 8 * log(2), 1e-14);
    CHECK_NEAR(at(cd_derivative(g, two(CD_POW, x, y), 1), 0, 3), 0, 0); // 0^b is 0
    CHECK_NEAR(at(cd_derivative(g, two(CD_POW, x, num(1.5)), 0), 0, 0), 0, 0);
    CHECK_NEAR(at(cd_derivative(g, two(CD_MOD, x, y), 1), 7.5, 2), -3, 0);
    CHECK_NEAR(at(cd_derivative(g, two(CD_MOD, x, y), 1), -7.5, 2), 4, 0);
    CHECK_NEAR(at(cd_derivative(g, two(CD_MIN, x, y), 0), 1, 2), 1, 0);
    CHECK_NEAR(at(cd_derivative(g, two(CD_MAX, x, y), 0), 1, 2), 0, 0);
}

static void fold_gradient(cd_node node, cd_node gradient[2])
{
    CHECK(cd_gradient(g, node, 2, (const int[]){0, 1}, gradient) == CARDAN_OK);
}

// if() excludes values that are not finite from the result and from derivatives of both modes.
static void test_guarded(void)
{
    const cd_node positive  = two(CD_LESS, num(0), x);
    const cd_node guarded[] = {
        cd_if(g, positive, fun(CD_SQRT, x), num(0)),
        cd_if(g, positive, two(CD_MUL, fun(CD_LOG, x), y), num(0)),
        cd_if(g, two(CD_EQUAL, x, num(0)), num(1), two(CD_DIV, fun(CD_SIN, x), x)),
        two(CD_MIN, cd_if(g, positive, two(CD_POW, x, num(0.3)), y), fun(CD_EXP, x)),
        two(CD_ADD, cd_if(g, positive, fun(CD_SQRT, x), y), cd_if(g, two(CD_LESS, num(1), x), fun(CD_SQRT, x), y)),
        two(CD_MUL, cd_if(g, positive, cd_if(g, two(CD_LESS, y, num(9)), fun(CD_SQRT, x), x), y), y),
    };
    for (size_t i = 0; i < sizeof guarded / sizeof *guarded; ++i) {
        cd_node gradient[2];
        fold_gradient(guarded[i], gradient);
        for (int k = 0; k < 2; ++k) {
            const cd_node forward = cd_derivative(g, guarded[i], k);
            for (int p = 0; p < 4; ++p) {
                const double vx = (const double[]){0, -0.5, 0.5, 1.5}[p];
                CHECK(isfinite(at(forward, vx, 0.7)));
                CHECK_NEAR(at(gradient[k], vx, 0.7), at(forward, vx, 0.7), 1e-14);
            }
        }
    }
    CHECK_NEAR(at(cd_derivative(g, guarded[0], 0), 4, 0), 0.25, 1e-15);
    CHECK_NEAR(at(cd_derivative(g, guarded[0], 0), 0, 0), 0, 0);
}

// Central difference with two step sizes; their difference bounds the error. False at a discontinuity.
static bool difference(cd_node node, const double* input, int k, double* derivative, double* error)
{
    double at_h[2], scale = 0;
    for (int i = 0; i < 2; ++i) {
        const double h    = i ? 1e-5 : 2e-5;
        double       p[3] = {input[0], input[1], input[2]}, m[3] = {input[0], input[1], input[2]};
        p[k] += h;
        m[k] -= h;
        const double fp = plain_evaluate(g, node, p), fm = plain_evaluate(g, node, m),
                     f = plain_evaluate(g, node, input);
        at_h[i]        = (fp - fm) / (2 * h);
        scale          = fmax(scale, fabs(f));
        if (!isfinite(at_h[i])) return false;
        if (fabs((fp - f) / h - (f - fm) / h) > 1e-3 * (1 + fabs(at_h[i]))) return false;
    }
    *derivative = at_h[1];
    *error      = 4 * fabs(at_h[1] - at_h[0]) + 1e-9 * (1 + scale);
    return true;
}

static void test_differences(uint64_t seed)
{
    expression_random r       = {seed};
    int               checked = 0, seen[OPERATION_COUNT] = {0};
    printf("seed %llu\n", (unsigned long long)seed);
    for (int trial = 0; trial < 1500; ++trial) {
        const double input[] = {random_between(&r, -2, 2), random_between(&r, -2, 2), random_between(&r, -2, 2)};
        cd_graph_destroy(g);
        g                  = cd_graph_create();
        const double  tx[] = {-2, -1, 0, 0.5, 2}, ty[] = {1, -1, 0, 0.3, 0.4};
        const int     table = cd_graph_add_table(g, 5, tx, ty, true);
        const cd_node node  = random_expression(g, &r, 16, 3, input, table);
        cd_node       gradient[3];
        CHECK(cd_gradient(g, node, 3, (const int[]){0, 1, 2}, gradient) == CARDAN_OK);
        for (int k = 0; k < 3; ++k) {
            const cd_node first = cd_derivative(g, node, k);
            const double  value = plain_evaluate(g, first, input);
            CHECK_NEAR(plain_evaluate(g, gradient[k], input), value, 1e-9);
            double derivative, error;
            if (!difference(node, input, k, &derivative, &error)) continue;
            checked += derivative != 0;
            if (!(fabs(derivative - value) <= error))
                printf("trial %d, input %d: %.12g, differences %.12g\n", trial, k, value, derivative);
            CHECK(fabs(derivative - value) <= error);
            const int other = (k + 1) % 3;
            if (!difference(first, input, other, &derivative, &error)) continue;
            CHECK(fabs(derivative - plain_evaluate(g, cd_derivative(g, first, other), input)) <= error);
        }
        cd_subgraph reach;
        CHECK(cd_subgraph_collect(&reach, g, 1, &node));
        for (int i = 0; i < reach.count; ++i) ++seen[cd_node_operation(g, reach.entry[i].node)];
        cd_subgraph_release(&reach);
    }
    printf("%d derivatives that are not zero against differences\n", checked);
    CHECK(checked > 1500);
    for (int op = 0; op < OPERATION_COUNT; ++op) {
        if (seen[op] == 0) printf("operation %d never came\n", op);
        CHECK(seen[op] > 0);
    }
}

// f = product of n inputs: all n derivatives in one sweep with O(n) nodes, independent of other nodes of the graph.
static void test_cost(void)
{
    enum { N = 1000 };
    cd_graph* big = cd_graph_create();
    cd_node   gradient[N], product = cd_input(big, 0);
    int       input[N];
    for (int i = 0; i < 300000; ++i) cd_constant(big, i); // nodes that do not belong to f
    for (int i = 1; i < N; ++i) product = cd_binary(big, CD_MUL, product, cd_input(big, i));
    for (int i = 0; i < N; ++i) input[i] = i;
    const int before = cd_graph_size(big);
    CHECK(cd_gradient(big, product, N, input, gradient) == CARDAN_OK);
    CHECK(cd_graph_size(big) - before < 3 * N);
    double at_two[N], value;
    for (int i = 0; i < N; ++i) at_two[i] = i < 5 ? 2 : 1;
    CHECK(cd_node_evaluate(big, gradient[7], at_two, &value) == CARDAN_OK);
    CHECK_NEAR(value, 32, 0);
    CHECK(cd_node_evaluate(big, gradient[0], at_two, &value) == CARDAN_OK);
    CHECK_NEAR(value, 16, 0);

    // derivatives by absent inputs are zero; only the requested derivatives are built
    const int absent[] = {N + 5, 3};
    CHECK(cd_gradient(big, product, 2, absent, gradient) == CARDAN_OK);
    CHECK(gradient[0] == cd_constant(big, 0) && gradient[1] != gradient[0]);
    CHECK(cd_gradient(big, CD_NO_NODE, 2, absent, gradient) == CARDAN_BAD_INPUT);
    cd_graph_destroy(big);
}

// The number of nodes of second derivatives of a chain with shared terms is linear in its length.
static void test_shared_terms(void)
{
    int sizes[2];
    for (int k = 0; k < 2; ++k) {
        cd_graph* chain = cd_graph_create();
        cd_node   n     = cd_input(chain, 0);
        for (int i = 0; i < (k ? 400 : 200); ++i)
            n = cd_binary(chain, CD_MUL, cd_unary(chain, CD_SIN, n), cd_unary(chain, CD_COS, n));
        cd_derivative(chain, cd_derivative(chain, n, 0), 0);
        sizes[k] = cd_graph_size(chain);
        cd_graph_destroy(chain);
    }
    CHECK(sizes[1] < 2.1 * sizes[0]);
}

int main(void)
{
    g = cd_graph_create();
    x = cd_input(g, 0);
    y = cd_input(g, 1);
    RUN(test_closed_forms());
    RUN(test_known_values());
    RUN(test_guarded());
    RUN(test_cost());
    RUN(test_shared_terms());
    RUN(test_differences(77003));
    cd_graph_destroy(g);
    return test_end();
}
