// SPDX-License-Identifier: BSD-3-Clause
// Functions of builtin_functions.def, built from operations of the graph, so that their derivatives are available.
#include "expression/builtin_functions.h"

#include "expression/parse.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ANY = INT_MAX };

typedef cd_node builder(cd_graph* graph, int n, const cd_node* a);

static cd_node unary(cd_graph* graph, cd_operation operation, const cd_node* a)
{
    return cd_unary(graph, operation, a[0]);
}

static cd_node binary(cd_graph* graph, cd_operation operation, cd_node a, cd_node b)
{
    return cd_binary(graph, operation, a, b);
}

static cd_node scaled(cd_graph* graph, cd_node a, double factor)
{
    return cd_binary(graph, CD_MUL, cd_constant(graph, factor), a);
}

static cd_node divided(cd_graph* graph, cd_node a, double divisor)
{
    return cd_binary(graph, CD_DIV, a, cd_constant(graph, divisor));
}

static cd_node folded(cd_graph* graph, cd_operation operation, int n, const cd_node* a)
{
    cd_node result = a[0];
    for (int i = 1; i < n; ++i) result = cd_binary(graph, operation, result, a[i]);
    return result;
}

static cd_node length(cd_graph* graph, int n, const cd_node* a)
{
    cd_node sum = cd_constant(graph, 0);
    for (int i = 0; i < n; ++i) sum = cd_binary(graph, CD_ADD, sum, cd_binary(graph, CD_MUL, a[i], a[i]));
    return cd_unary(graph, CD_SQRT, sum);
}

static cd_node clamped(cd_graph* graph, cd_node x, cd_node low, cd_node high)
{
    return cd_binary(graph, CD_MIN, cd_binary(graph, CD_MAX, x, low), high);
}

// With u = (x - x0)/(x1 - x0) clamped to [0, 1]: u^2 (3 - 2u) is C1, u^3 (10 - u (15 - 6u)) is C2.
static cd_node blend(cd_graph* graph, const cd_node* a, int smooth)
{
    const cd_node width = cd_binary(graph, CD_SUB, a[2], a[1]);
    const cd_node ratio = cd_binary(graph, CD_DIV, cd_binary(graph, CD_SUB, a[0], a[1]), width);
    const cd_node u     = clamped(graph, ratio, cd_constant(graph, 0), cd_constant(graph, 1));
    const cd_node u2    = cd_binary(graph, CD_MUL, u, u);
    if (smooth == 1)
        return cd_binary(graph, CD_MUL, u2, cd_binary(graph, CD_SUB, cd_constant(graph, 3), scaled(graph, u, 2)));
    const cd_node inner = cd_binary(graph, CD_SUB, cd_constant(graph, 15), scaled(graph, u, 6));
    const cd_node outer = cd_binary(graph, CD_SUB, cd_constant(graph, 10), cd_binary(graph, CD_MUL, u, inner));
    return cd_binary(graph, CD_MUL, cd_binary(graph, CD_MUL, u2, u), outer);
}

#define CD_FUNCTION(name, least, most, build, signature, summary)                                                      \
    static cd_node build_##name(cd_graph* graph, int n, const cd_node* a)                                              \
    {                                                                                                                  \
        (void)n;                                                                                                       \
        return build;                                                                                                  \
    }
#include "expression/builtin_functions.def"
#undef CD_FUNCTION

static const struct {
    int      least, most;
    builder* build;
} builders[] = {
#define CD_FUNCTION(name, least, most, build, signature, summary) {least, most, build_##name},
#include "expression/builtin_functions.def"
#undef CD_FUNCTION
};

static const cd_function_entry documentation[] = {
#define CD_FUNCTION(name, least, most, build, signature, summary) {#name, signature, summary},
#include "expression/builtin_functions.def"
#undef CD_FUNCTION
    {NULL, NULL, NULL},
};

const cd_function_entry* cd_function_entries(void) { return documentation; }

int cd_function_find(const char* name)
{
    for (int i = 0; documentation[i].name; ++i)
        if (strcmp(documentation[i].name, name) == 0) return i;
    return -1;
}

bool cd_function_check_arguments(int function, int count, char* why, size_t size)
{
    const int least = builders[function].least, most = builders[function].most;
    if (count >= least && count <= most) return true;
    snprintf(why, size, "%s takes %d%s argument%s, not %d: %s", documentation[function].name, least,
             most == ANY ? " or more" : "", most == 1 ? "" : "s", count, documentation[function].signature);
    return false;
}

cd_node cd_function_build(int function, cd_graph* graph, int count, const cd_node* argument)
{
    return builders[function].build(graph, count, argument);
}
