// SPDX-License-Identifier: BSD-3-Clause
// Parametric values: doubles that depend on parameters which stay inputs. Descriptions and models contain plain
// doubles; a table of parametric values maps a double, by its bits, to the expression it was computed from, so that the
// expression is found again wherever the double was copied. For this, parameters have values in general position, so
// that doubles with equal bits have equal expressions. Numbers of few digits (0, 1, 1/2) are never registered, because
// they also result from other computations.
//
// par_add and so on are the operations of doubles, bit for bit, with or without a table.
#pragma once

#include "expression/graph.h"

#include <math.h>

typedef struct cd_parametric cd_parametric;

// The parameters are the inputs 0..ninput-1 of the graph. NULL if memory is exhausted.
cd_parametric* cd_parametric_create(cd_graph* graph, int ninput);
void           cd_parametric_destroy(cd_parametric* parametric);
int            cd_parametric_input_count(const cd_parametric* parametric);
bool           cd_parametric_has_failed(const cd_parametric* parametric); // an allocation failed
// Set the value of a parameter; NaN before.
void          cd_parametric_set_input(cd_parametric* parametric, int input, double value);
const double* cd_parametric_input_values(const cd_parametric* parametric);

// Register a value that was computed by a node; returns the value.
double cd_parametric_register(cd_parametric* parametric, double value, cd_node node);
// Expression of a value, CD_NO_NODE if it depends on no parameter or the table is NULL.
cd_node cd_parametric_find(const cd_parametric* parametric, double value);
// The same, or a constant.
cd_node cd_parametric_node(cd_parametric* parametric, cd_graph* graph, double value);
// One of the parameters that a value depends on, -1 if there is none.
int cd_parametric_parameter_of(const cd_parametric* parametric, double value);

double cd_parametric_apply(cd_parametric* parametric, cd_operation operation, double a, double b, double result);

static inline double par_add(cd_parametric* parametric, double a, double b)
{
    return parametric ? cd_parametric_apply(parametric, CD_ADD, a, b, a + b) : a + b;
}
static inline double par_sub(cd_parametric* parametric, double a, double b)
{
    return parametric ? cd_parametric_apply(parametric, CD_SUB, a, b, a - b) : a - b;
}
static inline double par_mul(cd_parametric* parametric, double a, double b)
{
    return parametric ? cd_parametric_apply(parametric, CD_MUL, a, b, a * b) : a * b;
}
static inline double par_div(cd_parametric* parametric, double a, double b)
{
    return parametric ? cd_parametric_apply(parametric, CD_DIV, a, b, a / b) : a / b;
}
static inline double par_sqrt(cd_parametric* parametric, double a)
{
    return parametric ? cd_parametric_apply(parametric, CD_SQRT, a, 0, sqrt(a)) : sqrt(a);
}
static inline double par_sin(cd_parametric* parametric, double a)
{
    return parametric ? cd_parametric_apply(parametric, CD_SIN, a, 0, sin(a)) : sin(a);
}
static inline double par_cos(cd_parametric* parametric, double a)
{
    return parametric ? cd_parametric_apply(parametric, CD_COS, a, 0, cos(a)) : cos(a);
}
static inline double par_atan2(cd_parametric* parametric, double y, double x)
{
    return parametric ? cd_parametric_apply(parametric, CD_ATAN2, y, x, atan2(y, x)) : atan2(y, x);
}

// sum + a b, and dot products, summed from the first term on
static inline double par_add_product(cd_parametric* parametric, double sum, double a, double b)
{
    return par_add(parametric, sum, par_mul(parametric, a, b));
}
static inline double par_dot(cd_parametric* parametric, const double a[3], const double b[3])
{
    return par_add_product(parametric, par_add_product(parametric, par_mul(parametric, a[0], b[0]), a[1], b[1]), a[2],
                           b[2]);
}
static inline bool par_is_parametric(const cd_parametric* parametric, double a)
{
    return parametric && cd_parametric_find(parametric, a) != CD_NO_NODE;
}
static inline bool par_any_parametric(const cd_parametric* parametric, int n, const double* a)
{
    for (int i = 0; parametric && i < n; ++i)
        if (cd_parametric_find(parametric, a[i]) != CD_NO_NODE) return true;
    return false;
}
