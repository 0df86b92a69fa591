// SPDX-License-Identifier: BSD-3-Clause
// Tapes: values equal those of a direct evaluation of every node, slots are reused, unused nodes are not evaluated.
#include "random_expressions.h"
#include "test.h"

static void test_equals_direct_evaluation(uint64_t seed)
{
    expression_random r = {seed};
    printf("seed %llu\n", (unsigned long long)seed);
    for (int trial = 0; trial < 1000; ++trial) {
        cd_graph*    g       = cd_graph_create();
        const double input[] = {random_between(&r, -2, 2), random_between(&r, -2, 2), random_between(&r, -2, 2)};
        const double tx[] = {-2, -1, 0, 0.5, 2}, ty[] = {1, -1, 0, 0.3, 0.4};
        const int    table = cd_graph_add_table(g, 5, tx, ty, trial & 1);
        cd_node      output[6];
        double       result[6];
        for (int i = 0; i < 5; ++i) output[i] = random_expression(g, &r, 30, 3, input, table);
        output[5]     = cd_derivative(g, output[0], 0);
        cd_tape* tape = cd_tape_create(g, 6, output);
        double*  work = malloc((size_t)cd_tape_work(tape) * sizeof *work);
        for (int run = 0; run < 2; ++run) {
            cd_tape_run(tape, input, work, result);
            for (int i = 0; i < 6; ++i) {
                const double expected = plain_evaluate(g, output[i], input);
                CHECK(result[i] == expected || fabs(result[i] - expected) < 1e-9 * (1 + fabs(expected)) ||
                      (isnan(result[i]) && isnan(expected)));
            }
        }
        free(work);
        cd_tape_destroy(tape);
        cd_graph_destroy(g);
    }
}

// A long sum of products of a few inputs needs few slots.
static void test_slots_are_reused(void)
{
    cd_graph*     g = cd_graph_create();
    const cd_node a = cd_input(g, 0), b = cd_input(g, 1);
    cd_node       n = a;
    for (int i = 0; i < 10000; ++i) n = cd_binary(g, CD_ADD, cd_binary(g, CD_MUL, n, b), a);
    cd_binary(g, CD_POW, n, b); // not an output
    cd_tape* tape = cd_tape_create(g, 1, &n);
    CHECK(cd_tape_work(tape) <= 4);
    double work[4], result;
    cd_tape_run(tape, (const double[]){1, 0.5}, work, &result);
    CHECK_NEAR(result, 2, 1e-15);
    cd_tape_destroy(tape);
    cd_graph_destroy(g);
}

static void test_outputs(void)
{
    cd_graph*     g = cd_graph_create();
    const cd_node a = cd_input(g, 3), s = cd_unary(g, CD_SIN, a);
    const cd_node output[] = {cd_constant(g, 7), a, s, s, CD_NO_NODE, cd_binary(g, CD_MUL, s, s)};
    cd_tape*      tape     = cd_tape_create(g, 6, output);
    double        work[16], result[6];
    CHECK(cd_tape_work(tape) <= 16);
    cd_tape_run(tape, (const double[]){0, 0, 0, 0.3}, work, result);
    CHECK_NEAR(result[0], 7, 0);
    CHECK_NEAR(result[1], 0.3, 0);
    CHECK_NEAR(result[2], sin(0.3), 0);
    CHECK_NEAR(result[3], sin(0.3), 0);
    CHECK_NEAR(result[4], 0, 0);
    CHECK_NEAR(result[5], sin(0.3) * sin(0.3), 1e-16);
    cd_tape_destroy(tape);

    tape = cd_tape_create(g, 0, NULL);
    CHECK(tape && cd_tape_work(tape) == 0);
    cd_tape_run(tape, NULL, NULL, NULL);
    cd_tape_destroy(tape);
    cd_graph_destroy(g);
}

static void test_evaluate(void)
{
    cd_graph* g = cd_graph_create();
    double    value;
    CHECK(cd_node_evaluate(g, cd_constant(g, 2.5), NULL, &value) == CARDAN_OK);
    CHECK_NEAR(value, 2.5, 0);
    CHECK(cd_node_evaluate(g, cd_input(g, 0), NULL, &value) == CARDAN_BAD_INPUT);
    CHECK(cd_node_evaluate(g, CD_NO_NODE, NULL, &value) == CARDAN_BAD_INPUT);
    CHECK(cd_node_evaluate(g, cd_input(g, 1), (const double[]){1, 4}, &value) == CARDAN_OK);
    CHECK_NEAR(value, 4, 0);
    cd_graph_destroy(g);
}

// Angles are in (-pi, pi] for all signs of zero.
static void test_angle_range(void)
{
    CHECK_NEAR(cd_operation_value(CD_ATAN2, -0.0, -1, 0), atan2(0, -1), 0);
    CHECK_NEAR(cd_operation_value(CD_ATAN2, 0, -0.0, 0), 0, 0);
}

// The remainder has the sign of the divisor and is exact.
static void test_modulo(void)
{
    CHECK_NEAR(cd_modulo(7.5, 2), 1.5, 0);
    CHECK_NEAR(cd_modulo(-7.5, 2), 0.5, 0);
    CHECK_NEAR(cd_modulo(7.5, -2), -0.5, 0);
    CHECK_NEAR(cd_modulo(-7.5, -2), -1.5, 0);
    CHECK_NEAR(cd_modulo(6, 2), 0, 0);
    CHECK_NEAR(cd_modulo(-6, 2), 0, 0);
}

int main(void)
{
    RUN(test_equals_direct_evaluation(4711));
    RUN(test_slots_are_reused());
    RUN(test_outputs());
    RUN(test_evaluate());
    RUN(test_angle_range());
    RUN(test_modulo());
    return test_end();
}
