// SPDX-License-Identifier: BSD-3-Clause
// Discontinuities of formulas: each is found once, with the operands that decide it; discontinuities of the derivative
// (abs, min, max, clamp) do not count.
#include "expression/formula_discontinuity.h"
#include "expression/parse.h"
#include "test.h"

static cd_node resolve(void* user, const char* text) { return cd_input(user, text[0] - 'a'); }

static cd_node parse(cd_graph* graph, const char* text)
{
    const cd_parse_scope scope = {.user = graph, .resolve_name = resolve};
    cd_parse_error       error;
    return cd_parse(graph, text, &scope, &error);
}

static int count_discontinuities(const char* text, cd_formula_discontinuity* found)
{
    cd_graph* graph = cd_graph_create();
    const int n     = cd_formula_discontinuities(graph, parse(graph, text), 4, found);
    cd_graph_destroy(graph);
    return n;
}

static void test_counts(void)
{
    cd_formula_discontinuity found[4];
    CHECK(count_discontinuities("3 + a*b^2", found) == 0);
    CHECK(count_discontinuities("abs(a) + min(a, b) - max(a, b, 1) + clamp(a, 0, 1)", found) == 0);
    CHECK(count_discontinuities("-3*sign(a)", found) == 1);
    CHECK(count_discontinuities("sign(a) + 2*sign(a)*b", found) == 1);
    CHECK(count_discontinuities("sign(a) + sign(b)", found) == 2);
    CHECK(count_discontinuities("if(a > b, 1, -1)", found) == 1);
    CHECK(count_discontinuities("if(a >= 0 and b < 1, a, b)", found) == 2);
    CHECK(count_discontinuities("floor(a) - ceil(b)", found) == 2);
    CHECK(count_discontinuities("sign(a) + sign(b) + sign(c) + sign(d) + sign(e) + sign(f)", found) ==
          6); // more than the array holds
}

static void test_operands(void)
{
    cd_graph*                graph = cd_graph_create();
    cd_formula_discontinuity found[4];
    const cd_node            a = cd_input(graph, 0), b = cd_input(graph, 1);
    CHECK(cd_formula_discontinuities(graph, parse(graph, "2*sign(a)"), 4, found) == 1);
    CHECK(cd_node_operation(graph, found[0].node) == CD_SIGN && found[0].above == a && found[0].below == CD_NO_NODE);
    CHECK(cd_formula_discontinuities(graph, parse(graph, "if(a > b, 1, -1)"), 4, found) == 1);
    CHECK((found[0].above == a && found[0].below == b) || (found[0].above == b && found[0].below == a));
    CHECK(cd_formula_discontinuities(graph, CD_NO_NODE, 4, found) == 0);
    cd_graph_destroy(graph);
}

int main(void)
{
    RUN(test_counts());
    RUN(test_operands());
    return test_end();
}
