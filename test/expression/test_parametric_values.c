// SPDX-License-Identifier: BSD-3-Clause
// Ledgers: values keep their bits and are found with their expressions, by their size, whatever copied them; traces see
// expressions where they see such values.
#include "test.h"

#include "expression/parametric_values.h"
#include "expression/trace_parameters.h"

#include <math.h>

static double evaluated(const cd_graph* graph, cd_node node, const double* p)
{
    double value = NAN;
    CHECK(node >= 0 && cd_node_evaluate(graph, node, p, &value) == CARDAN_OK);
    return value;
}

static const double at[2] = {0.7318530718, 1.2345678901}, elsewhere[2] = {0.4, -2.5};

static double formula(cd_parametric* l, double a, double b)
{
    const double x[3] = {a, 2, b}, y[3] = {b, a, 0.1};
    return par_div(l, par_sub(l, par_dot(l, x, y), par_sqrt(l, par_mul(l, a, a))),
                   par_add(l, par_cos(l, b), par_atan2(l, a, par_sin(l, b))));
}

static void found(void)
{
    cd_graph*      graph = cd_graph_create();
    cd_parametric* l     = cd_parametric_create(graph, 2);
    for (int i = 0; i < 2; ++i) cd_parametric_set_input(l, i, at[i]);
    const double y = formula(l, at[0], at[1]);
    CHECK(y == formula(NULL, at[0], at[1])); // to the last bit
    CHECK(cd_parametric_find(l, 3.25) == CD_NO_NODE);
    CHECK_NEAR(evaluated(graph, cd_parametric_find(l, y), at), y, 1e-15);
    CHECK_NEAR(evaluated(graph, cd_parametric_find(l, -y), elsewhere), -formula(NULL, elsewhere[0], elsewhere[1]),
               1e-14);
    CHECK(cd_parametric_parameter_of(l, par_mul(l, at[1], 3)) == 1);
    CHECK(cd_parametric_parameter_of(l, 0.1) == -1);
    // numbers that come about in many ways are no parameter's
    CHECK(par_add(l, par_sub(l, 1.5, at[0]), at[0]) == 1.5);
    CHECK(!par_is_parametric(l, 1.5) && !par_is_parametric(l, 0) && !par_is_parametric(NULL, y));
    CHECK(!cd_parametric_has_failed(l));
    for (int i = 0; i < 5000; ++i) par_add(l, at[0], i / 7.0);
    CHECK_NEAR(evaluated(graph, cd_parametric_find(l, at[0] + 4321 / 7.0), elsewhere), elsewhere[0] + 4321 / 7.0,
               1e-12);
    cd_parametric_destroy(l);
    cd_graph_destroy(graph);
}

static void lifted(void)
{
    const double   px[2] = {10, 12}, py[2] = {1, 3};
    cd_graph *     graph = cd_graph_create(), *trace = cd_graph_create_traced();
    const int      table = cd_graph_add_table(graph, 2, px, py, CD_TABLE_LINEAR);
    cd_parametric* l     = cd_parametric_create(graph, 2);
    for (int i = 0; i < 2; ++i) cd_parametric_set_input(l, i, at[i]);
    const double y = formula(l, at[0], at[1]);
    const double z =
        cd_parametric_register(l, at[0] + 11.1, cd_table_lookup(graph, table, cd_parametric_find(l, at[0]), 0));
    cd_trace_parameters lift, inner;
    CHECK(cd_trace_parameters_active == NULL);
    cd_trace_parameters_begin(&lift, l, trace, 5);
    cd_trace_parameters_begin(&inner, NULL, trace, 0);
    CHECK(cd_trace_parameters_end(&inner) && cd_trace_parameters_active == &lift);
    const double input[7] = {0, 0, 0, 0, 0, elsewhere[0], elsewhere[1]};
    CHECK_NEAR(evaluated(trace, cd_trace_parameters_node(cd_trace_parameters_active, y), input),
               formula(NULL, elsewhere[0], elsewhere[1]), 1e-14);
    CHECK_NEAR(evaluated(trace, cd_trace_parameters_node(cd_trace_parameters_active, -y), input),
               -formula(NULL, elsewhere[0], elsewhere[1]), 1e-14);
    CHECK(cd_trace_parameters_node(cd_trace_parameters_active, y) ==
          cd_trace_parameters_node(cd_trace_parameters_active, y));
    CHECK(cd_trace_parameters_node(cd_trace_parameters_active, 0.1) == CD_NO_NODE);
    CHECK_NEAR(evaluated(trace, cd_trace_parameters_node(cd_trace_parameters_active, z), input), elsewhere[0] - 9,
               1e-14);
    CHECK(cd_trace_parameters_end(&lift) && cd_trace_parameters_active == NULL);
    cd_parametric_destroy(l);
    cd_graph_destroy(trace);
    cd_graph_destroy(graph);
}

int main(void)
{
    RUN(found());
    RUN(lifted());
    return test_end();
}
