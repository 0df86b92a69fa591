// SPDX-License-Identifier: BSD-3-Clause
// Traced numbers: every operation becomes a node of an expression graph. Constants of the model belong to no graph and
// are folded among themselves. Every number also carries its value at the trace state, by which pivots and branches are
// decided while tracing.
#pragma once

#include "expression/graph.h"
#include "expression/trace_parameters.h"

#include <math.h>
#include <stdbool.h>

typedef struct real {
    cd_graph* graph; // NULL: a constant
    cd_node   node;
    double    value;
} real;

static inline real r_folded(double a) { return (real){NULL, CD_NO_NODE, a}; }

// A constant of the model, or the expression of parameters that it is bound to.
static inline real r_const(double a)
{
    const cd_node node =
        cd_trace_parameters_active ? cd_trace_parameters_node(cd_trace_parameters_active, a) : CD_NO_NODE;
    return node < 0 ? r_folded(a) : (real){cd_trace_parameters_active->graph, node, a};
}

static inline cd_node r_node(cd_graph* graph, real a) { return a.graph ? a.node : cd_constant(graph, a.value); }

// A node that was folded to a constant leaves the graph.
static inline real r_from_node(cd_graph* graph, cd_node node, double value)
{
    double c;
    if (cd_node_is_constant(graph, node, &c)) return r_folded(c);
    return (real){graph, node, value};
}

static inline real r_binary(cd_operation operation, real a, real b, double value)
{
    cd_graph* graph = a.graph ? a.graph : b.graph;
    if (!graph) return r_folded(value);
    return r_from_node(graph, cd_binary(graph, operation, r_node(graph, a), r_node(graph, b)), value);
}

static inline real   r_add(real a, real b) { return r_binary(CD_ADD, a, b, a.value + b.value); }
static inline real   r_sub(real a, real b) { return r_binary(CD_SUB, a, b, a.value - b.value); }
static inline real   r_mul(real a, real b) { return r_binary(CD_MUL, a, b, a.value * b.value); }
static inline real   r_div(real a, real b) { return r_binary(CD_DIV, a, b, a.value / b.value); }
static inline real   r_mul_inv(real a, real inverse) { return r_mul(a, inverse); }
static inline double r_value(real a) { return a.value; }

static inline real r_unary(cd_operation operation, real a, double value)
{
    return a.graph ? r_from_node(a.graph, cd_unary(a.graph, operation, a.node), value) : r_folded(value);
}
static inline real r_neg(real a) { return r_unary(CD_NEG, a, -a.value); }
static inline real r_sqrt(real a) { return r_unary(CD_SQRT, a, sqrt(a.value)); }
static inline void r_sincos(real a, real* s, real* c)
{
    *s = r_unary(CD_SIN, a, sin(a.value));
    *c = r_unary(CD_COS, a, cos(a.value));
}

// Whether a number is the constant `value`; products with 0 and 1 are free.
static inline bool r_is_constant(real a, double value) { return !a.graph && a.value == value; }

static inline real r_tanh(real a) { return r_unary(CD_TANH, a, tanh(a.value)); }
static inline real r_power(real a, double n) { return r_binary(CD_POW, a, r_folded(n), pow(a.value, n)); }
static inline real r_atan2(real y, real x) { return r_binary(CD_ATAN2, y, x, atan2(y.value, x.value)); }
// Rounds halves up; ties are irrelevant to its callers.
static inline real r_round(real a)
{
    const real up = r_add(a, r_const(0.5));
    return r_unary(CD_FLOOR, up, floor(up.value));
}
static inline real r_select(real a, real b, real x, real y)
{
    cd_graph*  graph      = a.graph ? a.graph : b.graph ? b.graph : x.graph ? x.graph : y.graph;
    const bool less       = a.value < b.value;
    const bool is_decided = (!a.graph && isinf(a.value)) || (!b.graph && isinf(b.value));
    if ((!a.graph && !b.graph) || !graph || is_decided) return less ? x : y;
    const cd_node condition = cd_binary(graph, CD_LESS, r_node(graph, a), r_node(graph, b));
    return r_from_node(graph, cd_if(graph, condition, r_node(graph, x), r_node(graph, y)), less ? x.value : y.value);
}
// A function known only by its value and derivatives: its tangent. Formulas are not traced here; they enter the graph
// as expressions.
static inline real r_chain(double value, double fa, real a, double fb, real b)
{
    return r_add(r_folded(value), r_add(r_mul(r_folded(fa), r_sub(a, r_folded(a.value))),
                                        r_mul(r_folded(fb), r_sub(b, r_folded(b.value)))));
}
static inline bool r_is_zero(real a) { return r_is_constant(a, 0); }
static inline bool r_can_branch(void) { return false; }
static inline bool r_has_derivatives(void) { return true; }
static inline real r_flush_below(real a, double threshold) { return (void)threshold, a; }

// Columns of small blocks: only the required operations are executed.
static inline int r_padded_rows(int rows) { return rows; }
static inline int r_first_row(int first) { return first; }

// Vector groups: adjacent numbers computed alike (expression/graph.h). Without memory no group is formed.
static inline real r_copy(cd_graph* graph, real a)
{
    return cd_graph_has_vector_groups(graph) ? (real){graph, cd_copy_node(graph, r_node(graph, a)), a.value} : a;
}
static inline void r_vector_group(cd_graph* graph, int count, const real* a)
{
    cd_node node[CD_VECTOR_GROUP_MAX];
    for (int i = 0; i < count; ++i) {
        if (!a[i].graph || count > CD_VECTOR_GROUP_MAX) return;
        node[i] = a[i].node;
    }
    (void)cd_graph_add_vector_group(graph, count, node);
}
// Vector groups of given sizes that together form a strip.
static inline void r_strip(cd_graph* graph, int ngroup, const int* count, const real* a)
{
    for (int k = 0; k < ngroup; a += count[k++]) {
        cd_node node[CD_VECTOR_GROUP_MAX];
        for (int i = 0; i < count[k] && i < CD_VECTOR_GROUP_MAX; ++i) node[i] = r_node(graph, a[i]);
        (void)cd_graph_add_strip_group(graph, k == 0, count[k], node);
    }
}

#include "math/number_dense.h"

#define CD_NUMBER_NAME(name) name##_traced
