// SPDX-License-Identifier: BSD-3-Clause
// Lookup tables: interpolation of the points, monotonicity, smoothness, linear extrapolation, derivatives against
// differences, exact polynomials.
#include "random_expressions.h"
#include "test.h"

enum { N = 7 };
static const double X[N] = {-1, 0, 0.5, 2, 2.25, 4, 7};
static const double Y[N] = {3, 1, 1, 4, 8, 7, -2};

static cd_table make(cd_interpolation kind)
{
    cd_table t;
    CHECK(cd_table_create(&t, N, X, Y, kind));
    return t;
}

static void test_through_points(cd_interpolation kind)
{
    cd_table t = make(kind);
    for (int i = 0; i < N; ++i) CHECK_NEAR(cd_table_value(&t, 0, X[i]), Y[i], 0);
    cd_table_release(&t);
}

static void test_linear(void)
{
    cd_table t = make(false);
    CHECK_NEAR(cd_table_value(&t, 0, 1.25), 2.5, 1e-15);
    CHECK_NEAR(cd_table_value(&t, 1, 1.25), 2, 1e-15);
    CHECK_NEAR(cd_table_value(&t, 1, 2), 16, 1e-15); // at a point: interval to its right
    CHECK_NEAR(cd_table_value(&t, 2, 1.25), 0, 0);
    cd_table_release(&t);
}

// Between two points the cubic is monotone and stays between their values.
static void test_monotone(void)
{
    cd_table t = make(true);
    for (int k = 0; k + 1 < N; ++k) {
        double before = Y[k];
        for (int i = 1; i <= 200; ++i) {
            const double value = cd_table_value(&t, 0, X[k] + (X[k + 1] - X[k]) * i / 200);
            CHECK((value - before) * (Y[k + 1] - Y[k]) >= -1e-12);
            CHECK(Y[k + 1] != Y[k] || fabs(value - Y[k]) < 1e-14);
            before = value;
        }
    }
    cd_table_release(&t);
}

static void test_smooth(void)
{
    cd_table t = make(true);
    for (int k = 0; k < N; ++k) {
        CHECK_NEAR(cd_table_value(&t, 0, X[k] - 1e-9), cd_table_value(&t, 0, X[k] + 1e-9), 1e-6);
        CHECK_NEAR(cd_table_value(&t, 1, X[k] - 1e-9), cd_table_value(&t, 1, X[k] + 1e-9), 1e-6);
    }
    CHECK_NEAR(cd_table_value(&t, 1, 2.25), 0, 0); // an extremum of the points is an extremum of the curve
    cd_table_release(&t);
}

static void test_extrapolation(cd_interpolation kind)
{
    cd_table     t     = make(kind);
    const double first = cd_table_value(&t, 1, -1), last = cd_table_value(&t, 1, 7);
    CHECK_NEAR(cd_table_value(&t, 0, -3), 3 - 2 * first, 1e-14);
    CHECK_NEAR(cd_table_value(&t, 0, 10), -2 + 3 * last, 1e-14);
    CHECK_NEAR(cd_table_value(&t, 1, -50), first, 0);
    CHECK_NEAR(cd_table_value(&t, 1, 50), last, 0);
    CHECK_NEAR(cd_table_value(&t, 2, -50), 0, 0);
    CHECK_NEAR(cd_table_value(&t, 2, 50), 0, 0);
    if (kind == CD_TABLE_LINEAR) CHECK_NEAR(first, -2, 1e-15);
    if (kind == CD_TABLE_LINEAR) CHECK_NEAR(last, -3, 1e-15);
    CHECK(isnan(cd_table_value(&t, 0, NAN)));
    cd_table_release(&t);
}

static void test_derivatives(void)
{
    cd_table t = make(true);
    for (int i = 0; i < 500; ++i) {
        const double x = -1.5 + 9.0 * (i + 0.37) / 500, h = 1e-5;
        bool         near_point = false;
        for (int k = 0; k < N; ++k) near_point = near_point || fabs(x - X[k]) < 2 * h;
        for (int d = 0; d < 3 && !near_point; ++d) {
            const double difference = (cd_table_value(&t, d, x + h) - cd_table_value(&t, d, x - h)) / (2 * h);
            CHECK_NEAR(cd_table_value(&t, d + 1, x), difference, 1e-5);
        }
    }
    cd_table_release(&t);
}

// The integral is 0 at the first point and its derivative is the table value, also outside the range.
static void test_integral(cd_interpolation kind)
{
    cd_table t = make(kind);
    CHECK_NEAR(cd_table_integral(&t, X[0]), 0, 0);
    for (int i = 0; i < 300; ++i) {
        const double x = -3 + 13.0 * i / 300, h = 1e-5;
        CHECK_NEAR((cd_table_integral(&t, x + h) - cd_table_integral(&t, x - h)) / (2 * h), cd_table_value(&t, 0, x),
                   1e-4);
    }
    if (kind == CD_TABLE_LINEAR) CHECK_NEAR(cd_table_integral(&t, 2), 2 + 0.5 + 3.75, 1e-15); // trapezia
    cd_table_release(&t);
}

// Collinear points give a straight line for any spacing and any number of points.
static void test_simple_tables(void)
{
    const double x[] = {0, 1, 5, 6}, y[] = {1, 3, 11, 13};
    cd_table     t;
    CHECK(cd_table_create(&t, 4, x, y, true));
    for (int i = -3; i < 10; ++i) CHECK_NEAR(cd_table_value(&t, 0, i * 0.77), 1 + 2 * i * 0.77, 1e-14);
    cd_table_release(&t);
    CHECK(cd_table_create(&t, 2, x, y, true));
    CHECK_NEAR(cd_table_value(&t, 0, 0.25), 1.5, 1e-15);
    cd_table_release(&t);
    CHECK(cd_table_create(&t, 1, x, y, false));
    CHECK_NEAR(cd_table_value(&t, 0, 100), 1, 0);
    CHECK_NEAR(cd_table_value(&t, 1, 100), 0, 0);
    cd_table_release(&t);
}

// A spline reproduces every cubic polynomial, also at the ends and with three points.
static void test_spline_polynomials(void)
{
    for (int n = 3; n <= N; ++n) {
        const double third = n > 3 ? -0.3 : 0;
        double       y[N];
        for (int i = 0; i < n; ++i) y[i] = 2 - X[i] + 0.7 * X[i] * X[i] + third * X[i] * X[i] * X[i];
        cd_table t;
        CHECK(cd_table_create(&t, n, X, y, CD_TABLE_SPLINE));
        for (double x = X[0]; x < X[n - 1]; x += 0.01) {
            CHECK_NEAR(cd_table_value(&t, 0, x), 2 - x + 0.7 * x * x + third * x * x * x, 1e-12);
            CHECK_NEAR(cd_table_value(&t, 2, x), 1.4 + 6 * third * x, 1e-11);
        }
        cd_table_release(&t);
    }
}

// The second derivative of a spline is continuous and converges with the square of the spacing.
static void test_spline_smooth(void)
{
    cd_table t = make(CD_TABLE_SPLINE);
    for (int k = 1; k + 1 < N; ++k)
        for (int d = 0; d < 3; ++d) CHECK_NEAR(cd_table_value(&t, d, X[k] - 1e-9), cd_table_value(&t, d, X[k]), 1e-6);
    cd_table_release(&t);
    double error[2] = {0};
    for (int fine = 0; fine < 2; ++fine) {
        const int n = fine ? 81 : 41;
        double    x[81], y[81];
        for (int i = 0; i < n; ++i) {
            x[i] = 4.0 * i / (n - 1);
            y[i] = sin(x[i]);
        }
        CHECK(cd_table_create(&t, n, x, y, CD_TABLE_SPLINE));
        for (double u = 0.5; u < 3.5; u += 0.001)
            error[fine] = fmax(error[fine], fabs(cd_table_value(&t, 2, u) + sin(u)));
        cd_table_release(&t);
    }
    CHECK(error[0] < 1e-3);
    CHECK_NEAR(error[0] / error[1], 4, 0.3);
}

static void test_table_nodes(void)
{
    cd_graph*     g = cd_graph_create();
    const cd_node u = cd_input(g, 0);
    CHECK(cd_graph_add_table(g, 0, X, Y, false) == -1);
    CHECK(cd_graph_add_table(g, N, X, Y, false) == 0);
    CHECK(cd_graph_add_table(g, N, X, Y, true) == 1);
    CHECK(cd_table_lookup(g, 0, u, 0) == cd_table_lookup(g, 0, u, 0));
    CHECK(cd_table_lookup(g, 0, u, 0) != cd_table_lookup(g, 1, u, 0));
    CHECK(cd_table_lookup(g, 0, u, 2) == cd_constant(g, 0));
    CHECK(cd_table_lookup(g, 1, u, 4) == cd_constant(g, 0));
    CHECK(cd_table_lookup(g, 0, cd_constant(g, 1.25), 0) == cd_constant(g, 2.5));
    const cd_node inner = cd_binary(g, CD_MUL, cd_constant(g, 3), u);
    CHECK(cd_derivative(g, cd_table_lookup(g, 1, inner, 0), 0) ==
          cd_binary(g, CD_MUL, cd_constant(g, 3), cd_table_lookup(g, 1, inner, 1)));
    cd_graph_destroy(g);
}

int main(void)
{
    for (int kind = 0; kind < 3; ++kind) {
        RUN(test_through_points((cd_interpolation)kind));
        RUN(test_extrapolation((cd_interpolation)kind));
        RUN(test_integral((cd_interpolation)kind));
    }
    RUN(test_linear());
    RUN(test_monotone());
    RUN(test_smooth());
    RUN(test_derivatives());
    RUN(test_simple_tables());
    RUN(test_spline_polynomials());
    RUN(test_spline_smooth());
    RUN(test_table_nodes());
    return test_end();
}
