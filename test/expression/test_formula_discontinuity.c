// SPDX-License-Identifier: BSD-3-Clause
// Jumps of formulas: each is found once, with what decides it; kinks are none.
#include "expression/formula_discontinuity.h"
#include "expression/parse.h"
#include "test.h"

static cd_node name(void* user, const char* text) { return cd_input(user, text[0] - 'a'); }

static cd_node parse(cd_graph* graph, const char* text)
{
    const cd_parse_scope scope = {.user = graph, .resolve_name = name};
    cd_parse_error       error;
    return cd_parse(graph, text, &scope, &error);
}

static int jumps_of(const char* text, cd_formula_discontinuity* jump)
{
    cd_graph* graph = cd_graph_create();
    const int n     = cd_formula_discontinuities(graph, parse(graph, text), 4, jump);
    cd_graph_destroy(graph);
    return n;
}

static void counts(void)
{
    cd_formula_discontinuity jump[4];
    CHECK(jumps_of("3 + a*b^2", jump) == 0);
    CHECK(jumps_of("abs(a) + min(a, b) - max(a, b, 1) + clamp(a, 0, 1)", jump) == 0);
    CHECK(jumps_of("-3*sign(a)", jump) == 1);
    CHECK(jumps_of("sign(a) + 2*sign(a)*b", jump) == 1);
    CHECK(jumps_of("sign(a) + sign(b)", jump) == 2);
    CHECK(jumps_of("if(a > b, 1, -1)", jump) == 1);
    CHECK(jumps_of("if(a >= 0 and b < 1, a, b)", jump) == 2);
    CHECK(jumps_of("floor(a) - ceil(b)", jump) == 2);
    CHECK(jumps_of("sign(a) + sign(b) + sign(c) + sign(d) + sign(e) + sign(f)", jump) ==
          6); // more than there is room for
}

static void deciders(void)
{
    cd_graph*                graph = cd_graph_create();
    cd_formula_discontinuity jump[4];
    const cd_node            a = cd_input(graph, 0), b = cd_input(graph, 1);
    CHECK(cd_formula_discontinuities(graph, parse(graph, "2*sign(a)"), 4, jump) == 1);
    CHECK(cd_node_operation(graph, jump[0].node) == CD_SIGN && jump[0].above == a && jump[0].below == CD_NO_NODE);
    CHECK(cd_formula_discontinuities(graph, parse(graph, "if(a > b, 1, -1)"), 4, jump) == 1);
    CHECK((jump[0].above == a && jump[0].below == b) || (jump[0].above == b && jump[0].below == a));
    CHECK(cd_formula_discontinuities(graph, CD_NO_NODE, 4, jump) == 0);
    cd_graph_destroy(graph);
}

int main(void)
{
    RUN(counts());
    RUN(deciders());
    return test_end();
}
