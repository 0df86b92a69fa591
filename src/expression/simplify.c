// SPDX-License-Identifier: BSD-3-Clause
// Construction of nodes: each operation is simplified from its operands before it is stored. Values are assumed finite,
// so that 0*x is 0 and x/x is 1; all other rules preserve values to round-off.
//
//   constants      folded and collected: 2*(3*x) is 6*x, x + 3*x is 4*x; results inf or NaN are not folded
//   order          operands of commutative operations: constants first, then the older node
//   signs          out of products and odd functions, into sums: (-a)*b is -(a*b), a + (-b) is a - b; also the sign
//                  of a constant factor, so that 2*x and -2*x share a product
//   small powers   x^n for |n| <= 16 is expanded to products, x^0.5 is a square root
//
// A rule inspects only operands and their operands, and builds from parts that are already simplified.
#include "expression/graph_internal.h"

enum { MAX_EXPANDED_POWER = 16 };

// Result of a rule that does not apply. CD_NO_NODE: the rule applies, but there is no memory.
enum { NO_RULE = CD_NO_NODE - 1 };

static cd_node intern_operation(cd_graph* graph, cd_operation operation, cd_node a, cd_node b)
{
    return cd_graph_intern(graph, (cd_node_data){.operation = (unsigned char)operation, .operand = {a, b}});
}

static cd_node negative(cd_graph* graph, cd_node a) { return cd_unary(graph, CD_NEG, a); }

static bool is_value(const cd_graph* graph, cd_node node, double value)
{
    return cd_node_is(graph, node, CD_CONSTANT) && !cd_node_is_branch_constant(graph, node) &&
           graph->node_data[node].value == value;
}

static cd_node operand(const cd_graph* graph, cd_node node, int i) { return graph->node_data[node].operand[i]; }

// c in c*x, c > 0. Products have their constant first.
static bool has_factor(const cd_graph* graph, cd_node node, double* c)
{
    return cd_node_is(graph, node, CD_MUL) && cd_node_is_constant(graph, operand(graph, node, 0), c);
}

static bool is_before(const cd_graph* graph, cd_node a, cd_node b)
{
    const bool constant_a = cd_node_is(graph, a, CD_CONSTANT), constant_b = cd_node_is(graph, b, CD_CONSTANT);
    return constant_a != constant_b ? constant_a : a < b;
}

// Branch constants fold to constants of that branch, whatever their values; NO_RULE if there are none.
static cd_node fold_branch_constants(cd_graph* graph, cd_operation operation, cd_node a, cd_node b)
{
    if (!cd_node_is(graph, a, CD_CONSTANT) || !cd_node_is(graph, b, CD_CONSTANT) ||
        (!cd_node_is_branch_constant(graph, a) && !cd_node_is_branch_constant(graph, b)))
        return NO_RULE;
    const double   result = cd_operation_value(operation, graph->node_data[a].value, graph->node_data[b].value, 0);
    const unsigned tag =
        ((unsigned)graph->node_data[a].c * 31U + (unsigned)graph->node_data[b].c) * 31U + (unsigned)operation;
    return isfinite(result) ? cd_branch_constant(graph, result, (int)(tag & 0x3fffffffU) + 1) : NO_RULE;
}

// c*(d*x) = (c d)*x
static cd_node gather_branch_constants(cd_graph* graph, cd_node a, cd_node b)
{
    const cd_node folded =
        cd_node_is(graph, b, CD_MUL) ? fold_branch_constants(graph, CD_MUL, a, operand(graph, b, 0)) : NO_RULE;
    return folded < 0 ? folded : cd_binary(graph, CD_MUL, folded, operand(graph, b, 1));
}

// Whether a folded constant is valid: neither underflow nor overflow.
static bool is_normal_value(double value) { return isnormal(value); }

static bool is_boolean(const cd_graph* graph, cd_node node)
{
    switch (cd_node_operation(graph, node)) {
    case CD_LESS:
    case CD_LESS_EQUAL:
    case CD_EQUAL:
    case CD_AND:
    case CD_OR:
    case CD_NOT:
        return true;
    default:
        return false;
    }
}

static bool is_odd(cd_operation operation)
{
    return operation == CD_SIN || operation == CD_TAN || operation == CD_ASIN || operation == CD_ATAN ||
           operation == CD_SINH || operation == CD_TANH || operation == CD_SIGN;
}

static bool is_even(cd_operation operation)
{
    return operation == CD_COS || operation == CD_COSH || operation == CD_ABS;
}

// Whether `operation` leaves results of `inner` unchanged, as in f(f(x)) = f(x).
static bool is_identity_on(cd_operation operation, cd_operation inner)
{
    switch (operation) {
    case CD_ABS:
        return inner == CD_ABS || inner == CD_SQRT || inner == CD_EXP || inner == CD_COSH;
    case CD_SIGN:
        return inner == CD_SIGN;
    case CD_FLOOR:
    case CD_CEIL:
        return inner == CD_FLOOR || inner == CD_CEIL || inner == CD_SIGN;
    default:
        return false;
    }
}

cd_node cd_unary(cd_graph* graph, cd_operation operation, cd_node a)
{
    if (a < 0) return CD_NO_NODE;
    double value;
    if (cd_node_is_constant(graph, a, &value)) {
        const double result = cd_operation_value(operation, value, 0, 0);
        if (isfinite(result) || operation == CD_NEG) return cd_constant(graph, result);
    }
    const cd_operation inner = cd_node_operation(graph, a);
    if (inner == CD_NEG) {
        const cd_node x = operand(graph, a, 0);
        if (operation == CD_NEG) return x;
        if (is_even(operation)) return cd_unary(graph, operation, x);
        if (is_odd(operation)) return negative(graph, cd_unary(graph, operation, x));
    }
    if (operation == CD_NEG && inner == CD_SUB && !graph->is_trace)
        return cd_binary(graph, CD_SUB, operand(graph, a, 1), operand(graph, a, 0));
    if (operation == CD_NOT && inner == CD_NOT && is_boolean(graph, operand(graph, a, 0))) return operand(graph, a, 0);
    if (is_identity_on(operation, inner)) return a;
    return intern_operation(graph, operation, a, 0);
}

// node = coefficient * base
static cd_node split_coefficient(const cd_graph* graph, cd_node node, double* coefficient)
{
    double sign = 1;
    if (cd_node_is(graph, node, CD_NEG)) {
        sign = -1;
        node = operand(graph, node, 0);
    }
    *coefficient = sign;
    double c;
    if (!has_factor(graph, node, &c)) return node;
    *coefficient = sign * c;
    return operand(graph, node, 1);
}

// c*x + d*x = (c + d)*x, with sign -1: (c - d)*x. NO_RULE if the terms differ.
static cd_node like_terms(cd_graph* graph, cd_node a, cd_node b, double sign)
{
    double        c, d;
    const cd_node x = split_coefficient(graph, a, &c);
    if (split_coefficient(graph, b, &d) != x) return NO_RULE;
    const double sum = c + sign * d;
    if (sum != 0 && !is_normal_value(sum)) return NO_RULE;
    return cd_binary(graph, CD_MUL, cd_constant(graph, sum), x);
}

static cd_node sum(cd_graph* graph, cd_node a, cd_node b)
{
    double c;
    if (cd_node_is_constant(graph, a, &c)) {
        if (c == 0) return b;
        if (c < 0) return cd_binary(graph, CD_SUB, b, cd_constant(graph, -c));
    } else {
        const cd_node alike = like_terms(graph, a, b, 1);
        if (alike != NO_RULE) return alike;
    }
    if (cd_node_is(graph, b, CD_NEG)) return cd_binary(graph, CD_SUB, a, operand(graph, b, 0));
    if (cd_node_is(graph, a, CD_NEG)) return cd_binary(graph, CD_SUB, b, operand(graph, a, 0));
    return intern_operation(graph, CD_ADD, a, b);
}

static cd_node difference(cd_graph* graph, cd_node a, cd_node b)
{
    double     c;
    const bool from_constant = cd_node_is_constant(graph, a, &c);
    if (from_constant && c == 0) return negative(graph, b);
    if (cd_node_is_constant(graph, b, &c)) {
        if (c == 0) return a;
        if (c < 0) return cd_binary(graph, CD_ADD, a, cd_constant(graph, -c));
        if (cd_node_is(graph, a, CD_NEG)) return cd_binary(graph, CD_SUB, cd_constant(graph, -c), operand(graph, a, 0));
    } else if (!from_constant) {
        const cd_node alike = like_terms(graph, a, b, -1);
        if (alike != NO_RULE) return alike;
    }
    if (cd_node_is(graph, b, CD_NEG)) return cd_binary(graph, CD_ADD, a, operand(graph, b, 0));
    if (cd_node_is(graph, a, CD_NEG)) return negative(graph, cd_binary(graph, CD_ADD, operand(graph, a, 0), b));
    if (graph->is_trace && is_before(graph, b, a)) return negative(graph, intern_operation(graph, CD_SUB, b, a));
    return intern_operation(graph, CD_SUB, a, b);
}

// c*x for a constant c; NO_RULE if the product stays unchanged.
static cd_node constant_times(cd_graph* graph, double c, cd_node b)
{
    double d;
    if (c == 0) return cd_constant(graph, 0);
    if (c == 1) return b;
    if (c < 0) return negative(graph, cd_binary(graph, CD_MUL, cd_constant(graph, -c), b));
    if (has_factor(graph, b, &d) && is_normal_value(c * d))
        return cd_binary(graph, CD_MUL, cd_constant(graph, c * d), operand(graph, b, 1));
    if (!cd_node_is(graph, b, CD_DIV)) return NO_RULE;
    if (cd_node_is_constant(graph, operand(graph, b, 0), &d) && is_normal_value(c * d))
        return cd_binary(graph, CD_DIV, cd_constant(graph, c * d), operand(graph, b, 1));
    if (cd_node_is_constant(graph, operand(graph, b, 1), &d) && is_normal_value(c / d))
        return cd_binary(graph, CD_MUL, cd_constant(graph, c / d), operand(graph, b, 0));
    return NO_RULE;
}

static cd_node product(cd_graph* graph, cd_node a, cd_node b)
{
    double c;
    if (cd_node_is_constant(graph, a, &c)) {
        const cd_node simple = constant_times(graph, c, b);
        if (simple != NO_RULE) return simple;
    }
    const cd_node gathered = gather_branch_constants(graph, a, b);
    if (gathered != NO_RULE) return gathered;
    if (cd_node_is(graph, b, CD_NEG)) return negative(graph, cd_binary(graph, CD_MUL, a, operand(graph, b, 0)));
    if (cd_node_is(graph, a, CD_NEG)) return negative(graph, cd_binary(graph, CD_MUL, operand(graph, a, 0), b));
    return intern_operation(graph, CD_MUL, a, b);
}

// x/c for a constant c; NO_RULE if the quotient stays unchanged.
static cd_node over_constant(cd_graph* graph, cd_node a, double c)
{
    double d;
    int    exponent;
    if (c == 1) return a;
    if (c < 0) return negative(graph, cd_binary(graph, CD_DIV, a, cd_constant(graph, -c)));
    if (frexp(c, &exponent) == 0.5 && is_normal_value(1 / c))
        return cd_binary(graph, CD_MUL, cd_constant(graph, 1 / c), a);
    if (has_factor(graph, a, &d) && is_normal_value(d / c))
        return cd_binary(graph, CD_MUL, cd_constant(graph, d / c), operand(graph, a, 1));
    if (cd_node_is(graph, a, CD_DIV) && cd_node_is_constant(graph, operand(graph, a, 1), &d) && is_normal_value(c * d))
        return cd_binary(graph, CD_DIV, operand(graph, a, 0), cd_constant(graph, c * d));
    return NO_RULE;
}

static cd_node quotient(cd_graph* graph, cd_node a, cd_node b)
{
    double c;
    if (cd_node_is_constant(graph, b, &c) && c != 0) {
        const cd_node simple = over_constant(graph, a, c);
        if (simple != NO_RULE) return simple;
    }
    if (cd_node_is_constant(graph, a, &c) && !is_value(graph, b, 0)) {
        if (c == 0) return a;
        if (c < 0) return negative(graph, cd_binary(graph, CD_DIV, cd_constant(graph, -c), b));
    }
    if (a == b && !is_value(graph, b, 0)) return cd_constant(graph, 1);
    if (cd_node_is(graph, a, CD_NEG)) return negative(graph, cd_binary(graph, CD_DIV, operand(graph, a, 0), b));
    if (cd_node_is(graph, b, CD_NEG)) return negative(graph, cd_binary(graph, CD_DIV, a, operand(graph, b, 0)));
    return intern_operation(graph, CD_DIV, a, b);
}

// x^n by squaring, n > 0: 10 = 1010b gives x^8 * x^2.
static cd_node integer_power(cd_graph* graph, cd_node x, int n)
{
    cd_node result = NO_RULE;
    for (;; x = cd_binary(graph, CD_MUL, x, x)) {
        if (n & 1) result = result == NO_RULE ? x : cd_binary(graph, CD_MUL, result, x);
        if (x < 0 || !(n >>= 1)) return x < 0 ? CD_NO_NODE : result;
    }
}

static cd_node power(cd_graph* graph, cd_node a, cd_node b)
{
    double n;
    if (is_value(graph, a, 1)) return a;
    if (!cd_node_is_constant(graph, b, &n)) return intern_operation(graph, CD_POW, a, b);
    const double size = fabs(n);
    cd_node      result;
    if (size == 0) return cd_constant(graph, 1);
    if (size == 0.5)
        result = cd_unary(graph, CD_SQRT, a);
    else if (size <= MAX_EXPANDED_POWER && size == floor(size))
        result = integer_power(graph, a, (int)size);
    else
        return intern_operation(graph, CD_POW, a, b);
    return n > 0 ? result : cd_binary(graph, CD_DIV, cd_constant(graph, 1), result);
}

static cd_node to_boolean(cd_graph* graph, cd_node a) { return cd_unary(graph, CD_NOT, cd_unary(graph, CD_NOT, a)); }

// and: 0 determines the result; or: any other constant does
static cd_node logic(cd_graph* graph, cd_operation operation, cd_node a, cd_node b)
{
    double value;
    if (cd_node_is_constant(graph, a, &value)) {
        const bool decides = (value == 0) == (operation == CD_AND);
        return decides ? cd_constant(graph, operation == CD_OR) : to_boolean(graph, b);
    }
    if (a == b) return to_boolean(graph, a);
    return intern_operation(graph, operation, a, b);
}

static bool is_commutative(cd_operation operation)
{
    return operation == CD_ADD || operation == CD_MUL || operation == CD_MIN || operation == CD_MAX ||
           operation == CD_EQUAL || operation == CD_AND || operation == CD_OR;
}

cd_node cd_binary(cd_graph* graph, cd_operation operation, cd_node a, cd_node b)
{
    if (a < 0 || b < 0) return CD_NO_NODE;
    double x, y;
    if (cd_node_is_constant(graph, a, &x) && cd_node_is_constant(graph, b, &y)) {
        const double result = cd_operation_value(operation, x, y, 0);
        if (isfinite(result)) return cd_constant(graph, result);
    }
    const cd_node folded = fold_branch_constants(graph, operation, a, b);
    if (folded != NO_RULE) return folded;
    if (is_commutative(operation) && is_before(graph, b, a)) {
        const cd_node swap = a;
        a                  = b;
        b                  = swap;
    }
    switch (operation) {
    case CD_ADD:
        return sum(graph, a, b);
    case CD_SUB:
        return difference(graph, a, b);
    case CD_MUL:
        return product(graph, a, b);
    case CD_DIV:
        return quotient(graph, a, b);
    case CD_POW:
        return power(graph, a, b);
    case CD_AND:
    case CD_OR:
        return logic(graph, operation, a, b);
    case CD_MIN:
    case CD_MAX:
        return a == b ? a : intern_operation(graph, operation, a, b);
    case CD_LESS:
        return a == b ? cd_constant(graph, 0) : intern_operation(graph, operation, a, b);
    case CD_LESS_EQUAL:
    case CD_EQUAL:
        return a == b ? cd_constant(graph, 1) : intern_operation(graph, operation, a, b);
    default:
        return intern_operation(graph, operation, a, b);
    }
}

cd_node cd_if(cd_graph* graph, cd_node condition, cd_node a, cd_node b)
{
    if (condition < 0 || a < 0 || b < 0) return CD_NO_NODE;
    double value;
    if (cd_node_is_constant(graph, condition, &value)) return value != 0 ? a : b;
    if (a == b) return a;
    if (cd_node_is(graph, condition, CD_NOT)) return cd_if(graph, operand(graph, condition, 0), b, a);
    return cd_graph_intern(graph, (cd_node_data){.operation = CD_IF, .operand = {condition, a}, .c = b});
}

cd_node cd_table_lookup(cd_graph* graph, int table, cd_node a, int derivative)
{
    if (a < 0 || table < 0 || table >= graph->ntable || derivative < 0) return CD_NO_NODE;
    if (derivative > cd_table_degree(&graph->table[table])) return cd_constant(graph, 0);
    double x;
    if (cd_node_is_constant(graph, a, &x)) {
        const double y = cd_table_value(&graph->table[table], derivative, x);
        if (isfinite(y)) return cd_constant(graph, y);
    }
    return cd_graph_intern(
        graph, (cd_node_data){.operation = CD_TABLE, .derivative = (unsigned char)derivative, .operand = {a, table}});
}
