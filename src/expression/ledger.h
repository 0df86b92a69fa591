// SPDX-License-Identifier: BSD-3-Clause
// Numbers that depend on parameters. What is described and compiled is plain doubles; where some parameters are to stay
// inputs, a ledger beside them knows how doubles came about: what is computed from parameters is entered with its
// expression, and found again by its bits, whatever structure it was copied to. Parameters then have values in general
// position, so that numbers of equal bits are equal expressions; numbers of few digits (0, 1, 1/2) are never entered,
// because they come about in other ways.
//
// l_add and so on are the operations of doubles, to the last bit, with or without a ledger.
#pragma once

#include "expression/graph.h"

#include <math.h>

typedef struct cd_ledger cd_ledger;

// Parameters are the inputs 0..ninput-1 of the graph. NULL without memory.
cd_ledger* cd_ledger_create(cd_graph* graph, int ninput);
void       cd_ledger_destroy(cd_ledger* ledger);
int        cd_ledger_inputs(const cd_ledger* ledger);
bool       cd_ledger_failed(const cd_ledger* ledger); // it once had no memory
// Value of a parameter; NaN before it was set.
void          cd_ledger_set(cd_ledger* ledger, int input, double value);
const double* cd_ledger_values(const cd_ledger* ledger);

// A value that was computed by a node; returned.
double cd_ledger_enter(cd_ledger* ledger, double value, cd_node node);
// Expression of a value, CD_NO_NODE where it depends on no parameter; NULL has none.
cd_node cd_ledger_find(const cd_ledger* ledger, double value);
// The same, or a constant.
cd_node cd_ledger_node(cd_ledger* ledger, cd_graph* graph, double value);
// One of the parameters that a value depends on, -1 where there is none.
int cd_ledger_parameter(const cd_ledger* ledger, double value);

double cd_ledger_apply(cd_ledger* ledger, cd_operation operation, double a, double b, double result);

static inline double l_add(cd_ledger* l, double a, double b)
{
    return l ? cd_ledger_apply(l, CD_ADD, a, b, a + b) : a + b;
}
static inline double l_sub(cd_ledger* l, double a, double b)
{
    return l ? cd_ledger_apply(l, CD_SUB, a, b, a - b) : a - b;
}
static inline double l_mul(cd_ledger* l, double a, double b)
{
    return l ? cd_ledger_apply(l, CD_MUL, a, b, a * b) : a * b;
}
static inline double l_div(cd_ledger* l, double a, double b)
{
    return l ? cd_ledger_apply(l, CD_DIV, a, b, a / b) : a / b;
}
static inline double l_sqrt(cd_ledger* l, double a) { return l ? cd_ledger_apply(l, CD_SQRT, a, 0, sqrt(a)) : sqrt(a); }
static inline double l_sin(cd_ledger* l, double a) { return l ? cd_ledger_apply(l, CD_SIN, a, 0, sin(a)) : sin(a); }
static inline double l_cos(cd_ledger* l, double a) { return l ? cd_ledger_apply(l, CD_COS, a, 0, cos(a)) : cos(a); }
static inline double l_atan2(cd_ledger* l, double y, double x)
{
    return l ? cd_ledger_apply(l, CD_ATAN2, y, x, atan2(y, x)) : atan2(y, x);
}

// sum + a b, and products of rows, summed from the first on
static inline double l_more(cd_ledger* l, double sum, double a, double b) { return l_add(l, sum, l_mul(l, a, b)); }
static inline double l_dot(cd_ledger* l, const double a[3], const double b[3])
{
    return l_more(l, l_more(l, l_mul(l, a[0], b[0]), a[1], b[1]), a[2], b[2]);
}
static inline bool l_knows(const cd_ledger* l, double a) { return l && cd_ledger_find(l, a) != CD_NO_NODE; }
static inline bool l_knows_any(const cd_ledger* l, int n, const double* a)
{
    for (int i = 0; l && i < n; ++i)
        if (cd_ledger_find(l, a[i]) != CD_NO_NODE) return true;
    return false;
}
