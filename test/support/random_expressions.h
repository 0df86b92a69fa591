// SPDX-License-Identifier: BSD-3-Clause
// Helpers of tests of the expression graph: random numbers, direct evaluation of every node, random expressions with
// all operations.
#pragma once

#include "expression/graph_internal.h"

#include <stdlib.h>

typedef struct expression_random {
    uint64_t state;
} expression_random;

// xorshift64*
static inline uint64_t random_bits(expression_random* r)
{
    r->state ^= r->state >> 12;
    r->state ^= r->state << 25;
    r->state ^= r->state >> 27;
    return r->state * UINT64_C(2685821657736338717);
}

static inline int    random_below(expression_random* r, int n) { return (int)(random_bits(r) >> 33) % n; }
static inline double random_between(expression_random* r, double a, double b)
{
    return a + (b - a) * (double)(random_bits(r) >> 11) * 0x1p-53;
}

// Value of one node from the values of its operands, implemented independently of the library.
static inline double plain_value(const cd_graph* g, cd_node n, const double* input, const double* value)
{
    const cd_operation op   = cd_node_operation(g, n);
    double             o[3] = {0, 0, 0};
    for (int i = 0; i < cd_operation_operands(op); ++i) o[i] = value[cd_node_operand(g, n, i)];
    const double a = o[0], b = o[1], c = o[2];
    switch (op) {
    case CD_CONSTANT:
        return cd_node_value(g, n);
    case CD_INPUT:
        return input[cd_node_index(g, n)];
    case CD_ADD:
        return a + b;
    case CD_SUB:
        return a - b;
    case CD_MUL:
        return a * b;
    case CD_DIV:
        return a / b;
    case CD_NEG:
        return -a;
    case CD_COPY:
        return a;
    case CD_POW:
        return pow(a, b);
    case CD_SQRT:
        return sqrt(a);
    case CD_SIN:
        return sin(a);
    case CD_COS:
        return cos(a);
    case CD_TAN:
        return tan(a);
    case CD_ASIN:
        return asin(a);
    case CD_ACOS:
        return acos(a);
    case CD_ATAN:
        return atan(a);
    case CD_ATAN2:
        return atan2(a == 0 ? 0 : a, b == 0 ? 0 : b);
    case CD_SINH:
        return sinh(a);
    case CD_COSH:
        return cosh(a);
    case CD_TANH:
        return tanh(a);
    case CD_EXP:
        return exp(a);
    case CD_LOG:
        return log(a);
    case CD_ABS:
        return a < 0 ? -a : a;
    case CD_SIGN:
        return a < 0 ? -1 : a > 0 ? 1 : 0;
    case CD_FLOOR:
        return floor(a);
    case CD_CEIL:
        return ceil(a);
    case CD_MIN:
        return fmin(a, b);
    case CD_MAX:
        return fmax(a, b);
    case CD_MOD:
        return fmod(a, b) * b < 0 ? fmod(a, b) + b : fmod(a, b);
    case CD_LESS:
        return a < b ? 1 : 0;
    case CD_LESS_EQUAL:
        return a <= b ? 1 : 0;
    case CD_EQUAL:
        return a == b ? 1 : 0;
    case CD_AND:
        return a != 0 && b != 0 ? 1 : 0;
    case CD_OR:
        return a != 0 || b != 0 ? 1 : 0;
    case CD_NOT:
        return a != 0 ? 0 : 1;
    case CD_IF:
        return a != 0 ? b : c;
    case CD_TABLE:
        return cd_table_value(&g->table[cd_node_index(g, n)], cd_node_data_at(g, n)->derivative, a);
    }
    return 0;
}

static inline double plain_evaluate(const cd_graph* g, cd_node node, const double* input)
{
    double* value = malloc((size_t)(node + 1) * sizeof *value);
    for (int i = 0; i <= node; ++i) value[i] = plain_value(g, i, input, value);
    const double result = value[node];
    free(value);
    return result;
}

static inline cd_node node_number(cd_graph* g, double value) { return cd_constant(g, value); }
static inline cd_node node_add(cd_graph* g, cd_node a, cd_node b) { return cd_binary(g, CD_ADD, a, b); }
static inline cd_node node_mul(cd_graph* g, cd_node a, cd_node b) { return cd_binary(g, CD_MUL, a, b); }

// 0.2 + a^2, a positive value
static inline cd_node node_positive(cd_graph* g, cd_node a)
{
    return node_add(g, node_number(g, 0.2), node_mul(g, a, a));
}
// 0.9 sin a, a value in (-1, 1)
static inline cd_node node_bounded(cd_graph* g, cd_node a)
{
    return node_mul(g, node_number(g, 0.9), cd_unary(g, CD_SIN, a));
}

// One operation on nodes of the pool, with operands mapped into its domain.
static inline cd_node random_operation(cd_graph* g, cd_operation op, cd_node a, cd_node b, cd_node c, int table)
{
    switch (op) {
    case CD_CONSTANT:
    case CD_INPUT:
        return CD_NO_NODE;
    case CD_SQRT:
    case CD_LOG:
        return cd_unary(g, op, node_positive(g, a));
    case CD_ASIN:
    case CD_ACOS:
    case CD_TAN:
    case CD_EXP:
    case CD_SINH:
    case CD_COSH:
        return cd_unary(g, op, node_bounded(g, a));
    case CD_DIV:
    case CD_MOD:
        return cd_binary(g, op, a, node_positive(g, b));
    case CD_ATAN2:
        return cd_binary(g, op, a, a % 2 ? node_positive(g, b) : cd_unary(g, CD_NEG, node_positive(g, b)));
    case CD_POW:
        return cd_binary(g, op, node_positive(g, node_bounded(g, a)),
                         node_mul(g, node_number(g, 3), node_bounded(g, b)));
    case CD_IF:
        return cd_if(g, cd_binary(g, CD_LESS, a, b), b, c);
    case CD_TABLE:
        return cd_table_lookup(g, table, a, 0);
    default:
        return cd_operation_operands(op) == 1 ? cd_unary(g, op, a) : cd_binary(g, op, a, b);
    }
}

enum { OPERATION_COUNT = CD_TABLE + 1 };

// Random expression of about `size` operations of inputs 0..ninput-1, finite and bounded at `input`.
static inline cd_node random_expression(cd_graph* g, expression_random* r, int size, int ninput, const double* input,
                                        int table)
{
    cd_node pool[256];
    int     n = 0;
    for (int i = 0; i < ninput; ++i) pool[n++] = cd_input(g, i);
    pool[n++] = cd_constant(g, random_between(r, -2, 2));
    pool[n++] = cd_constant(g, random_below(r, 5) - 2);
    for (int i = 0; i < size && n < 256; ++i) {
        cd_node   o[3];
        const int recent = n < 8 ? n : 8;
        for (int k = 0; k < 3; ++k)
            o[k] = random_below(r, 2) ? pool[n - 1 - random_below(r, recent)] : pool[random_below(r, n)];
        // half of the operations are smooth, so that the value depends on the inputs
        const int op =
            random_below(r, 2) ? random_below(r, OPERATION_COUNT) : CD_ADD + random_below(r, CD_ABS - CD_ADD);
        const cd_node node = random_operation(g, (cd_operation)op, o[0], o[1], o[2], table);
        if (node >= 0 && fabs(plain_evaluate(g, node, input)) < 100) pool[n++] = node;
    }
    cd_node sum = pool[n - 1];
    for (int i = 2; i <= 6 && i <= n; ++i) sum = node_add(g, sum, pool[n - i]);
    return sum;
}
