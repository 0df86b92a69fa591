// SPDX-License-Identifier: BSD-3-Clause
// Parametric values: they keep their bits, are found with their expressions by their bits, also after copies; a trace
// receives the expression of such a value as node.
#include "test.h"

#include "expression/parametric_values.h"
#include "expression/trace_parameters.h"

#include <math.h>

static double evaluate(const cd_graph* graph, cd_node node, const double* p)
{
    double value = NAN;
    CHECK(node >= 0 && cd_node_evaluate(graph, node, p, &value) == CARDAN_OK);
    return value;
}

static const double at[2] = {0.7318530718, 1.2345678901}, other[2] = {0.4, -2.5};

static double formula(cd_parametric* values, double a, double b)
{
    const double x[3] = {a, 2, b}, y[3] = {b, a, 0.1};
    return par_div(values, par_sub(values, par_dot(values, x, y), par_sqrt(values, par_mul(values, a, a))),
                   par_add(values, par_cos(values, b), par_atan2(values, a, par_sin(values, b))));
}

static void test_find(void)
{
    cd_graph*      graph  = cd_graph_create();
    cd_parametric* values = cd_parametric_create(graph, 2);
    for (int i = 0; i < 2; ++i) cd_parametric_set_input(values, i, at[i]);
    const double y = formula(values, at[0], at[1]);
    CHECK(y == formula(NULL, at[0], at[1])); // to the last bit
    CHECK(cd_parametric_find(values, 3.25) == CD_NO_NODE);
    CHECK_NEAR(evaluate(graph, cd_parametric_find(values, y), at), y, 1e-15);
    CHECK_NEAR(evaluate(graph, cd_parametric_find(values, -y), other), -formula(NULL, other[0], other[1]), 1e-14);
    CHECK(cd_parametric_parameter_of(values, par_mul(values, at[1], 3)) == 1);
    CHECK(cd_parametric_parameter_of(values, 0.1) == -1);
    // a number that other computations also give is not parametric
    CHECK(par_add(values, par_sub(values, 1.5, at[0]), at[0]) == 1.5);
    CHECK(!par_is_parametric(values, 1.5) && !par_is_parametric(values, 0) && !par_is_parametric(NULL, y));
    CHECK(!cd_parametric_has_failed(values));
    for (int i = 0; i < 5000; ++i) par_add(values, at[0], i / 7.0);
    CHECK_NEAR(evaluate(graph, cd_parametric_find(values, at[0] + 4321 / 7.0), other), other[0] + 4321 / 7.0, 1e-12);
    cd_parametric_destroy(values);
    cd_graph_destroy(graph);
}

static void test_trace_parameters(void)
{
    const double   px[2] = {10, 12}, py[2] = {1, 3};
    cd_graph *     graph = cd_graph_create(), *trace = cd_graph_create_traced();
    const int      table  = cd_graph_add_table(graph, 2, px, py, CD_TABLE_LINEAR);
    cd_parametric* values = cd_parametric_create(graph, 2);
    for (int i = 0; i < 2; ++i) cd_parametric_set_input(values, i, at[i]);
    const double        y = formula(values, at[0], at[1]);
    const double        z = cd_parametric_register(values, at[0] + 11.1,
                                                   cd_table_lookup(graph, table, cd_parametric_find(values, at[0]), 0));
    cd_trace_parameters outer, inner;
    CHECK(cd_trace_parameters_active == NULL);
    cd_trace_parameters_begin(&outer, values, trace, 5);
    cd_trace_parameters_begin(&inner, NULL, trace, 0);
    CHECK(cd_trace_parameters_end(&inner) && cd_trace_parameters_active == &outer);
    const double input[7] = {0, 0, 0, 0, 0, other[0], other[1]};
    CHECK_NEAR(evaluate(trace, cd_trace_parameters_node(cd_trace_parameters_active, y), input),
               formula(NULL, other[0], other[1]), 1e-14);
    CHECK_NEAR(evaluate(trace, cd_trace_parameters_node(cd_trace_parameters_active, -y), input),
               -formula(NULL, other[0], other[1]), 1e-14);
    CHECK(cd_trace_parameters_node(cd_trace_parameters_active, y) ==
          cd_trace_parameters_node(cd_trace_parameters_active, y));
    CHECK(cd_trace_parameters_node(cd_trace_parameters_active, 0.1) == CD_NO_NODE);
    CHECK_NEAR(evaluate(trace, cd_trace_parameters_node(cd_trace_parameters_active, z), input), other[0] - 9, 1e-14);
    CHECK(cd_trace_parameters_end(&outer) && cd_trace_parameters_active == NULL);
    cd_parametric_destroy(values);
    cd_graph_destroy(trace);
    cd_graph_destroy(graph);
}

int main(void)
{
    RUN(test_find());
    RUN(test_trace_parameters());
    return test_end();
}
