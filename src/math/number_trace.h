// SPDX-License-Identifier: BSD-3-Clause
// Numbers that write down what is done to them: an operation becomes a node of an expression graph. Constants of the model belong to no
// graph and fold among themselves; every number also carries its value at one sample state, by which pivots and branches
// are decided while tracing.
#pragma once

#include "expression/graph.h"

#include <math.h>
#include <stdbool.h>

typedef struct real {
    cd_graph* graph;  // NULL: a constant
    cd_node   node;
    double    value;
} real;

static inline real r_lift(double a) { return (real){NULL, CD_NO_NODE, a}; }

static inline cd_node r_node(cd_graph* graph, real a) { return a.graph ? a.node : cd_constant(graph, a.value); }

// What folded to a constant leaves the graph.
static inline real r_known(cd_graph* graph, cd_node node, double value)
{
    double c;
    if (cd_node_is_constant(graph, node, &c)) return r_lift(c);
    return (real){graph, node, value};
}

static inline real r_operation(cd_operation operation, real a, real b, double value)
{
    cd_graph* graph = a.graph ? a.graph : b.graph;
    if (!graph) return r_lift(value);
    return r_known(graph, cd_binary(graph, operation, r_node(graph, a), r_node(graph, b)), value);
}

static inline real r_add(real a, real b) { return r_operation(CD_ADD, a, b, a.value + b.value); }
static inline real r_sub(real a, real b) { return r_operation(CD_SUB, a, b, a.value - b.value); }
static inline real r_mul(real a, real b) { return r_operation(CD_MUL, a, b, a.value * b.value); }
static inline real r_div(real a, real b) { return r_operation(CD_DIV, a, b, a.value / b.value); }
static inline real r_over(real a, real inverse) { return r_mul(a, inverse); }
static inline double r_value(real a) { return a.value; }

static inline real r_apply(cd_operation operation, real a, double value)
{
    return a.graph ? r_known(a.graph, cd_unary(a.graph, operation, a.node), value) : r_lift(value);
}
static inline real r_neg(real a) { return r_apply(CD_NEG, a, -a.value); }
static inline real r_sqrt(real a) { return r_apply(CD_SQRT, a, sqrt(a.value)); }
static inline void r_sincos(real a, real* s, real* c)
{
    *s = r_apply(CD_SIN, a, sin(a.value));
    *c = r_apply(CD_COS, a, cos(a.value));
}

// Constants that are nothing, or one: what costs nothing to multiply with.
static inline bool r_is(real a, double value) { return !a.graph && a.value == value; }

// Columns of small blocks: nothing but what is wanted is done.
static inline int r_lanes(int rows) { return rows; }
static inline int r_from(int first) { return first; }
