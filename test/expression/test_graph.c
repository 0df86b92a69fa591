// SPDX-License-Identifier: BSD-3-Clause
// Expression graph: equal expressions are one node, simplification preserves values, printed text, graphs of a million
// nodes.
#include "random_expressions.h"
#include "test.h"


static cd_graph* g;
static cd_node   x, y, z;

static cd_node num(double value) { return cd_constant(g, value); }
static cd_node add(cd_node a, cd_node b) { return cd_binary(g, CD_ADD, a, b); }
static cd_node sub(cd_node a, cd_node b) { return cd_binary(g, CD_SUB, a, b); }
static cd_node mul(cd_node a, cd_node b) { return cd_binary(g, CD_MUL, a, b); }
static cd_node quo(cd_node a, cd_node b) { return cd_binary(g, CD_DIV, a, b); }
static cd_node neg(cd_node a) { return cd_unary(g, CD_NEG, a); }
static cd_node power(cd_node a, double n) { return cd_binary(g, CD_POW, a, num(n)); }
static cd_node fun(cd_operation operation, cd_node a) { return cd_unary(g, operation, a); }
static cd_node two(cd_operation operation, cd_node a, cd_node b) { return cd_binary(g, operation, a, b); }

static void test_equal_expressions_share_a_node(void)
{
    CHECK(cd_input(g, 0) == x);
    CHECK(num(1.5) == num(1.5));
    CHECK(num(0.0) == num(-0.0));
    CHECK(num(NAN) == num(-NAN));
    CHECK(num(1) != num(2));
    CHECK(add(x, y) == add(y, x));
    CHECK(mul(x, y) == mul(y, x));
    CHECK(two(CD_MIN, x, y) == two(CD_MIN, y, x));
    CHECK(two(CD_EQUAL, x, y) == two(CD_EQUAL, y, x));
    CHECK(two(CD_AND, x, y) == two(CD_AND, y, x));
    CHECK(sub(x, y) != sub(y, x));
    CHECK(quo(x, y) != quo(y, x));
    CHECK(two(CD_ATAN2, x, y) != two(CD_ATAN2, y, x));
    const int size = cd_graph_size(g);
    CHECK(add(mul(x, y), fun(CD_SIN, z)) == add(fun(CD_SIN, z), mul(y, x)));
    CHECK(cd_graph_size(g) <= size + 2);
}

static void test_neutral_elements(void)
{
    CHECK(add(x, num(0)) == x);
    CHECK(sub(x, num(0)) == x);
    CHECK(sub(num(0), x) == neg(x));
    CHECK(mul(x, num(1)) == x);
    CHECK(mul(num(-1), x) == neg(x));
    CHECK(mul(num(0), x) == num(0));
    CHECK(quo(x, num(1)) == x);
    CHECK(quo(num(0), x) == num(0));
    CHECK(quo(x, x) == num(1));
    CHECK(sub(x, x) == num(0));
    CHECK(neg(neg(x)) == x);
    CHECK(power(x, 0) == num(1));
    CHECK(power(x, 1) == x);
    CHECK(two(CD_POW, num(1), x) == num(1));
    CHECK(two(CD_MAX, x, x) == x);
    CHECK(two(CD_LESS, x, x) == num(0));
    CHECK(two(CD_LESS_EQUAL, x, x) == num(1));
    CHECK(two(CD_EQUAL, x, x) == num(1));
}

static void test_signs(void)
{
    CHECK(mul(neg(x), y) == neg(mul(x, y)));
    CHECK(mul(neg(x), neg(y)) == mul(x, y));
    CHECK(quo(x, neg(y)) == neg(quo(x, y)));
    CHECK(quo(neg(x), neg(y)) == quo(x, y));
    CHECK(mul(num(-2), x) == neg(mul(num(2), x)));
    CHECK(add(x, neg(y)) == sub(x, y));
    CHECK(add(neg(x), y) == sub(y, x));
    CHECK(sub(x, neg(y)) == add(x, y));
    CHECK(sub(neg(x), y) == neg(add(x, y)));
    CHECK(neg(sub(x, y)) == sub(y, x));
    CHECK(add(x, num(-3)) == sub(x, num(3)));
    CHECK(sub(x, num(-3)) == add(x, num(3)));
    CHECK(fun(CD_SIN, neg(x)) == neg(fun(CD_SIN, x)));
    CHECK(fun(CD_COS, neg(x)) == fun(CD_COS, x));
    CHECK(fun(CD_ABS, neg(x)) == fun(CD_ABS, x));
    CHECK(fun(CD_ACOS, neg(x)) != fun(CD_ACOS, x));
}

static void test_constants_are_combined(void)
{
    CHECK(add(num(2), num(3)) == num(5));
    CHECK(fun(CD_SIN, num(0)) == num(0));
    CHECK(mul(num(2), mul(num(3), x)) == mul(num(6), x));
    CHECK(add(x, x) == mul(num(2), x));
    CHECK(add(x, mul(num(3), x)) == mul(num(4), x));
    CHECK(sub(mul(num(3), x), mul(num(4), x)) == neg(x));
    CHECK(sub(neg(x), mul(num(2), x)) == neg(mul(num(3), x)));
    CHECK(quo(x, num(4)) == mul(num(0.25), x));
    CHECK(quo(mul(num(6), x), num(3)) == mul(num(2), x));
    CHECK(quo(quo(x, num(3)), num(5)) == quo(x, num(15)));
    CHECK(mul(num(6), quo(x, num(3))) == mul(num(2), x));
    CHECK(mul(num(6), quo(num(3), x)) == quo(num(18), x));
    // factors whose product underflows are not combined; results that are not finite are not folded
    CHECK(mul(num(1e-200), mul(num(1e-200), x)) != num(0));
    CHECK(cd_node_operation(g, quo(num(1), num(0))) == CD_DIV);
    CHECK(cd_node_operation(g, fun(CD_LOG, num(-1))) == CD_LOG);
}

static void test_powers(void)
{
    CHECK(power(x, 2) == mul(x, x));
    CHECK(power(x, 3) == mul(mul(x, x), x));
    CHECK(power(x, -1) == quo(num(1), x));
    CHECK(power(x, 0.5) == fun(CD_SQRT, x));
    CHECK(power(x, -0.5) == quo(num(1), fun(CD_SQRT, x)));
    CHECK(cd_node_operation(g, power(x, 1.5)) == CD_POW);
    CHECK(cd_node_operation(g, power(x, 17)) == CD_POW);
    const double input[] = {1.37, 0, 0};
    for (int n = -17; n <= 17; ++n) CHECK_NEAR(plain_evaluate(g, power(x, n), input), pow(1.37, n), 1e-14);
}

static void test_logic(void)
{
    const cd_node less = two(CD_LESS, x, y);
    CHECK(two(CD_AND, num(0), x) == num(0));
    CHECK(two(CD_OR, num(-7), x) == num(1));
    CHECK(two(CD_AND, num(3), less) == less);
    CHECK(two(CD_OR, less, less) == less);
    CHECK(fun(CD_NOT, fun(CD_NOT, less)) == less);
    CHECK(fun(CD_NOT, fun(CD_NOT, x)) != x); // 1 or 0, not x
    CHECK(fun(CD_NOT, num(0.25)) == num(0)); // every value other than 0 is true
    CHECK(cd_if(g, num(0.25), x, y) == x);
    CHECK(cd_if(g, num(0), x, y) == y);
    CHECK(cd_if(g, less, x, x) == x);
    CHECK(cd_if(g, fun(CD_NOT, less), x, y) == cd_if(g, less, y, x));
}

static void test_missing_operands(void)
{
    CHECK(add(x, CD_NO_NODE) == CD_NO_NODE);
    CHECK(neg(CD_NO_NODE) == CD_NO_NODE);
    CHECK(cd_if(g, CD_NO_NODE, x, y) == CD_NO_NODE);
    CHECK(cd_table_lookup(g, 0, CD_NO_NODE, 0) == CD_NO_NODE);
    CHECK(cd_table_lookup(g, 99, x, 0) == CD_NO_NODE);
    CHECK(cd_derivative(g, CD_NO_NODE, 0) == CD_NO_NODE);
    CHECK(cd_node_text(g, CD_NO_NODE, NULL, NULL) == NULL);
}

// The value of an operation equals the value of its simplified node at random operands.
static void test_simplified_values(uint64_t seed)
{
    expression_random r = {seed};
    printf("seed %llu\n", (unsigned long long)seed);
    for (int trial = 0; trial < 20000; ++trial) {
        const double       input[] = {random_between(&r, -2, 2), random_between(&r, -2, 2), random_between(&r, -2, 2)};
        const cd_node      leaf[]  = {x,
                                      y,
                                      z,
                                      neg(x),
                                      mul(num(3), x),
                                      mul(num(-1.5), y),
                                      sub(x, y),
                                      quo(x, num(3)),
                                      quo(num(-2), y),
                                      num(0),
                                      num(1),
                                      num(-1),
                                      num(2),
                                      num(-2.5),
                                      add(x, num(-4)),
                                      fun(CD_NOT, x),
                                      two(CD_LESS, x, y)};
        const int          n       = (int)(sizeof leaf / sizeof *leaf);
        const cd_node      a = leaf[random_below(&r, n)], b = leaf[random_below(&r, n)], c = leaf[random_below(&r, n)];
        const cd_operation op = (cd_operation)(CD_ADD + random_below(&r, CD_TABLE - CD_ADD));
        const double       va = plain_evaluate(g, a, input), vb = plain_evaluate(g, b, input),
                     vc       = plain_evaluate(g, c, input);
        const double expected = op == CD_MOD ? va - vb * floor(va / vb) : cd_operation_value(op, va, vb, vc);
        if (!isfinite(expected)) continue;
        const int     operands = cd_operation_operands(op);
        const cd_node node     = operands == 1 ? fun(op, a) : operands == 2 ? two(op, a, b) : cd_if(g, a, b, c);
        const double  got      = plain_evaluate(g, node, input);
        if (!(fabs(got - expected) <= 1e-13 * fmax(1, fabs(expected))) && op != CD_MOD && op != CD_FLOOR &&
            op != CD_CEIL)
            printf("%s of %.17g, %.17g, %.17g\n", cd_operation_text(op), va, vb, vc);
        if (op != CD_FLOOR && op != CD_CEIL && op != CD_MOD)
            CHECK_NEAR(got, expected, 1e-13);
        else
            CHECK(fabs(got - expected) < 1e-12 || fabs(fabs(got - expected) - (op == CD_MOD ? fabs(vb) : 1)) < 1e-12);
    }
}

// Building a stored node again from its operands gives the same node: stored nodes are simplified completely.
static void test_rebuilding(void)
{
    const int size = cd_graph_size(g);
    for (cd_node n = 0; n < size; ++n) {
        const cd_operation op = cd_node_operation(g, n);
        const cd_node      a = cd_node_operand(g, n, 0), b = cd_node_operand(g, n, 1), c = cd_node_operand(g, n, 2);
        if (op == CD_TABLE || op == CD_CONSTANT || op == CD_INPUT) continue;
        const int     operands = cd_operation_operands(op);
        const cd_node again    = operands == 1 ? fun(op, a) : operands == 2 ? two(op, a, b) : cd_if(g, a, b, c);
        CHECK(again == n);
        CHECK(a < n && b < n && c < n);
    }
}

static const char* name_of(void* user, int input)
{
    const char* const* names = user;
    return names[input];
}

static void check_text(cd_node node, const char* expected)
{
    const char* names[] = {"x", "y", "q(hinge)"};
    char*       text    = cd_node_text(g, node, name_of, names);
    CHECK_TEXT(text, expected);
    free(text);
}

static void test_text(void)
{
    check_text(num(0.1), "0.1");
    check_text(num(-1e-20), "-1e-20");
    check_text(z, "q(hinge)");
    check_text(add(x, mul(y, z)), "x + y*q(hinge)");
    check_text(mul(add(x, y), z), "q(hinge)*(x + y)");
    check_text(sub(x, sub(y, z)), "x - (y - q(hinge))");
    check_text(sub(sub(x, y), z), "x - y - q(hinge)");
    check_text(quo(x, mul(y, z)), "x/(y*q(hinge))");
    check_text(neg(mul(x, y)), "-x*y");
    check_text(neg(add(x, y)), "-(x + y)");
    check_text(two(CD_POW, add(x, y), neg(z)), "(x + y)^(-q(hinge))");
    check_text(power(x, 1.5), "x^1.5");
    check_text(power(x, -2.5), "x^-2.5");
    check_text(fun(CD_SIN, add(x, num(1))), "sin(1 + x)");
    check_text(two(CD_ATAN2, y, x), "atan2(y, x)");
    check_text(cd_if(g, two(CD_AND, two(CD_LESS, x, y), fun(CD_NOT, z)), x, num(0)), "if(x < y && !q(hinge), x, 0)");
    char* text = cd_node_text(g, add(x, y), NULL, NULL);
    CHECK_TEXT(text, "x0 + x1");
    free(text);
}

// The text of a term that doubles forty times is truncated.
static void test_long_text(void)
{
    cd_node n = x;
    for (int i = 0; i < 40; ++i) n = mul(fun(CD_SIN, n), fun(CD_COS, n));
    char* text = cd_node_text(g, n, NULL, NULL);
    CHECK(text && strlen(text) < 70000 && strcmp(text + strlen(text) - 4, " ...") == 0);
    free(text);
}

static void test_dependence(void)
{
    bool          depends[4] = {true, true, true, true};
    const cd_node nodes[]    = {mul(x, fun(CD_SIN, x)), add(z, num(3)), CD_NO_NODE};
    CHECK(cd_dependence(g, 3, nodes, 4, depends) == CARDAN_OK);
    CHECK(depends[0] && !depends[1] && depends[2] && !depends[3]);
    CHECK(cd_dependence(g, 0, NULL, 4, depends) == CARDAN_OK);
    CHECK(!depends[0]);
}

// One million nodes in a chain: construction, both derivatives, a tape and the dependence test work without recursion,
// and with a cost that is linear: a quadratic one would not end.
static void test_million_nodes(void)
{
    enum { LINKS = 250000 };
    cd_graph*     big = cd_graph_create();
    const cd_node u   = cd_input(big, 0);
    cd_node       n   = u;
    for (int i = 0; i < LINKS; ++i) {
        const cd_node s = cd_unary(big, CD_SIN, n);
        n               = cd_binary(big, CD_ADD, cd_binary(big, CD_MUL, s, u), cd_binary(big, CD_SUB, n, s));
    }
    CHECK(cd_graph_size(big) > 4 * LINKS - 10);

    const int size = cd_graph_size(big), input = 0;
    cd_node   gradient;
    CHECK(cd_gradient(big, n, 1, &input, &gradient) == CARDAN_OK);
    CHECK(cd_graph_size(big) < 12 * size);
    const cd_node derivative = cd_derivative(big, n, 0);
    const double  at         = 1e-3;
    double        forward = 0, reverse = 0;
    CHECK(cd_node_evaluate(big, derivative, &at, &forward) == CARDAN_OK);
    CHECK(cd_node_evaluate(big, gradient, &at, &reverse) == CARDAN_OK);
    CHECK_NEAR(forward, reverse, 1e-9);
    bool depends;
    CHECK(cd_dependence(big, 1, &n, 1, &depends) == CARDAN_OK && depends);
    char* text = cd_node_text(big, n, NULL, NULL);
    CHECK(text != NULL);
    free(text);
    cd_graph_destroy(big);
}

// A graph at its size limit: existing nodes are found, other operations return no node, and so do operations on these.
static void test_limit(void)
{
    cd_graph*     small = cd_graph_create_traced();
    const cd_node a = cd_input(small, 0), b = cd_input(small, 1), sum = cd_binary(small, CD_ADD, a, b);
    cd_graph_set_limit(small, cd_graph_size(small));
    CHECK(cd_binary(small, CD_ADD, b, a) == sum && !cd_graph_is_full(small));
    const cd_node product = cd_binary(small, CD_MUL, a, b);
    CHECK(product == CD_NO_NODE && cd_graph_is_full(small) && cd_graph_size(small) == 3);
    CHECK(cd_binary(small, CD_ADD, product, a) == CD_NO_NODE && cd_unary(small, CD_NEG, product) == CD_NO_NODE);
    cd_graph_destroy(small);
}

// x^2 and x^4 exist and x^3 cannot be created: the result is no node instead of another power.
static void test_limit_in_a_power(void)
{
    cd_graph*     small = cd_graph_create();
    const cd_node a = cd_input(small, 0), seven = cd_constant(small, 7);
    const cd_node fourth = cd_binary(small, CD_POW, a, cd_constant(small, 4));
    cd_graph_set_limit(small, cd_graph_size(small));
    CHECK(fourth >= 0 && cd_binary(small, CD_POW, a, seven) == CD_NO_NODE);
    CHECK(cd_graph_is_full(small) && !cd_graph_has_failed(small));
    cd_graph_destroy(small);
}

int main(void)
{
    g = cd_graph_create();
    x = cd_input(g, 0);
    y = cd_input(g, 1);
    z = cd_input(g, 2);
    RUN(test_equal_expressions_share_a_node());
    RUN(test_neutral_elements());
    RUN(test_signs());
    RUN(test_constants_are_combined());
    RUN(test_powers());
    RUN(test_logic());
    RUN(test_missing_operands());
    RUN(test_simplified_values(20240607));
    RUN(test_text());
    RUN(test_long_text());
    RUN(test_dependence());
    RUN(test_rebuilding());
    RUN(test_limit());
    RUN(test_limit_in_a_power());
    RUN(test_million_nodes());
    cd_graph_destroy(g);
    return test_end();
}
