// SPDX-License-Identifier: BSD-3-Clause
// Tapes and tables over `real`. Operations that math/number.h does not have are computed on the values; their
// derivatives follow by the chain rule: f(a, b) with df = fa da + fb db.
#include "expression/formula_evaluation.h"

#include "expression/graph_internal.h"

#ifdef CD_TRACED

// Traced numbers: formulas enter the graph unchanged.
static real apply_operation(cd_operation operation, real a, real b, real c)
{
    const int    n     = cd_operation_operands(operation);
    cd_graph*    graph = a.graph ? a.graph : n > 1 && b.graph ? b.graph : n > 2 ? c.graph : NULL;
    const double value = cd_operation_value(operation, a.value, b.value, c.value);
    if (!graph) return r_const(value);
    if (n == 1) return r_from_node(graph, cd_unary(graph, operation, r_node(graph, a)), value);
    if (n == 2) return r_from_node(graph, cd_binary(graph, operation, r_node(graph, a), r_node(graph, b)), value);
    return r_from_node(graph, cd_if(graph, r_node(graph, a), r_node(graph, b), r_node(graph, c)), value);
}

// t (c0 + t (c1/2 + t (c2/3 + t c3/4)))
static real cubic_integral(real t, double c0, double c1, double c2, double c3)
{
    const real third = r_add(r_folded(c2 / 3), r_mul(r_folded(c3 / 4), t));
    return r_mul(t, r_add(r_folded(c0), r_mul(t, r_add(r_folded(c1 / 2), r_mul(t, third)))));
}

// Integral from the first point to x: the part before it, all intervals up to x, and the part behind the last point.
static real table_integral(const cd_table* table, real x)
{
    const int  last = table->count - 1;
    const real zero = r_folded(0);
    real       sum  = cubic_integral(apply_operation(CD_MIN, r_sub(x, r_folded(table->x[0])), zero, zero), table->y[0],
                                     table->slope[0], 0, 0);
    for (int k = 0; k < last; ++k) {
        const double h = table->x[k + 1] - table->x[k], d = (table->y[k + 1] - table->y[k]) / h, m = table->slope[k],
                     n  = table->slope[k + 1];
        const double c2 = table->is_cubic ? (3 * d - 2 * m - n) / h : 0,
                     c3 = table->is_cubic ? (m + n - 2 * d) / (h * h) : 0;
        const real t    = apply_operation(CD_MIN, apply_operation(CD_MAX, r_sub(x, r_folded(table->x[k])), zero, zero),
                                          r_folded(h), zero);
        sum             = r_add(sum, cubic_integral(t, table->y[k], m, c2, c3));
    }
    return r_add(sum, cubic_integral(apply_operation(CD_MAX, r_sub(x, r_folded(table->x[last])), zero, zero),
                                     table->y[last], table->slope[last], 0, 0));
}

real cd_table_evaluate_real(const cd_graph* graph, int table, int derivative, real x)
{
    const double value = cd_graph_table_value(graph, table, derivative, x.value);
    if (!x.graph) return r_const(value);
    if (derivative < 0) return table_integral(&graph->table[table], x);
    const int traced_table = cd_graph_borrow_table(x.graph, graph, table);
    return (real){x.graph, traced_table < 0 ? CD_NO_NODE : cd_table_lookup(x.graph, traced_table, x.node, derivative),
                  value};
}

#else

real cd_table_evaluate_real(const cd_graph* graph, int table, int derivative, real x)
{
    const double at               = r_value(x),
                 derivative_value = r_has_derivatives() ? cd_graph_table_value(graph, table, derivative + 1, at) : 0;
    return r_chain(cd_graph_table_value(graph, table, derivative, at), derivative_value, x, 0, x);
}

#endif

#ifndef CD_NUMBER_NAME

void cd_tape_run_real(const cd_tape* tape, const real* input, real* work, real* output)
{
    cd_tape_run(tape, input, work, output);
}

#else
#ifndef CD_TRACED

typedef struct partials {
    double a, b;
} partials;

// Partial derivatives; zero for discontinuous operations.
static partials partials_of(cd_operation operation, double a, double b)
{
    switch (operation) {
    case CD_POW:
        return (partials){b * pow(a, b - 1), a > 0 ? pow(a, b) * log(a) : 0};
    case CD_SIN:
        return (partials){cos(a), 0};
    case CD_COS:
        return (partials){-sin(a), 0};
    case CD_TAN:
        return (partials){1 + tan(a) * tan(a), 0};
    case CD_ASIN:
        return (partials){1 / sqrt(1 - a * a), 0};
    case CD_ACOS:
        return (partials){-1 / sqrt(1 - a * a), 0};
    case CD_ATAN:
        return (partials){1 / (1 + a * a), 0};
    case CD_SINH:
        return (partials){cosh(a), 0};
    case CD_COSH:
        return (partials){sinh(a), 0};
    case CD_EXP:
        return (partials){exp(a), 0};
    case CD_LOG:
        return (partials){1 / a, 0};
    case CD_ABS:
        return (partials){(a > 0) - (a < 0), 0};
    case CD_MOD:
        return (partials){1, -floor(a / b)};
    default:
        return (partials){0, 0};
    }
}

static real apply_operation(cd_operation operation, real a, real b, real c)
{
    switch (operation) {
    case CD_ADD:
        return r_add(a, b);
    case CD_SUB:
        return r_sub(a, b);
    case CD_MUL:
        return r_mul(a, b);
    case CD_DIV:
        return r_div(a, b);
    case CD_NEG:
        return r_neg(a);
    case CD_COPY:
        return a;
    case CD_SQRT:
        return r_sqrt(a);
    case CD_ATAN2:
        return r_atan2(a, b);
    case CD_TANH:
        return r_tanh(a);
    case CD_MIN:
        return r_select(b, a, b, a);
    case CD_MAX:
        return r_select(a, b, b, a);
    case CD_IF:
        return r_value(a) != 0 ? b : c;
    default:
        break;
    }
    const partials s = r_has_derivatives() ? partials_of(operation, r_value(a), r_value(b)) : (partials){0, 0};
    return r_chain(cd_operation_value(operation, r_value(a), r_value(b), r_value(c)), s.a, a, s.b, b);
}

#endif

void cd_tape_run_real(const cd_tape* tape, const real* input, real* work, real* output)
{
    for (int i = 0; i < tape->nconstant; ++i) work[i] = r_const(tape->constant[i]);
    for (int i = 0; i < tape->ninput; ++i) work[tape->input[i].slot] = input[tape->input[i].input];
    for (int i = 0; i < tape->ncode; ++i) {
        const cd_instruction* at = &tape->code[i];
        const real            a  = work[at->operand[0]];
        work[at->result] =
            at->operation == CD_TABLE
                ? cd_table_evaluate_real(tape->graph, at->operand[1], at->derivative, a)
                : apply_operation((cd_operation)at->operation, a, work[at->operand[1]], work[at->operand[2]]);
    }
    for (int i = 0; i < tape->noutput; ++i) output[i] = tape->output[i] < 0 ? r_const(0) : work[tape->output[i]];
}

#endif
