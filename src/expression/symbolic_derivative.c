// SPDX-License-Identifier: BSD-3-Clause
// Exact derivatives, as nodes of the same graph.
//
//   forward   y' = sum over operands of (d node / d operand) operand', operands first          one input, every node
//   reverse   operand~ += node~ (d node / d operand), users first, y~ = 1                      one node, every input
//
// Both visit each node of the subgraph once, and use the same partial derivatives. Where a function or its derivative
// is discontinuous (abs, min, max, if, floor, tables) the derivative is that of the selected branch.
//
// Formulas exclude undefined values by conditions: if(x > 0, sqrt(x), 0). An adjoint is therefore a pair of a condition
// m and a value w that represents if(m, w, 0): the selection follows the multiplication, so that 0 * inf never occurs.
#include "expression/graph_internal.h"

#include "core/memory.h"

#include <stdlib.h>

static cd_node add(cd_graph* g, cd_node a, cd_node b) { return cd_binary(g, CD_ADD, a, b); }
static cd_node subtract(cd_graph* g, cd_node a, cd_node b) { return cd_binary(g, CD_SUB, a, b); }
static cd_node multiply(cd_graph* g, cd_node a, cd_node b) { return cd_binary(g, CD_MUL, a, b); }
static cd_node divide(cd_graph* g, cd_node a, cd_node b) { return cd_binary(g, CD_DIV, a, b); }
static cd_node negate(cd_graph* g, cd_node a) { return cd_unary(g, CD_NEG, a); }
static cd_node number(cd_graph* g, double value) { return cd_constant(g, value); }
static cd_node square(cd_graph* g, cd_node a) { return multiply(g, a, a); }

// f times the derivative of a power: b a^(b-1), and a^b log(a), which is 0 for a = 0.
static cd_node chain_power(cd_graph* g, cd_node node, int i, cd_node f)
{
    const cd_node a = cd_node_operand(g, node, 0), b = cd_node_operand(g, node, 1);
    if (i == 0) return multiply(g, f, multiply(g, b, cd_binary(g, CD_POW, a, subtract(g, b, number(g, 1)))));
    const cd_node positive = cd_binary(g, CD_LESS, number(g, 0), a);
    return multiply(g, f, multiply(g, node, cd_if(g, positive, cd_unary(g, CD_LOG, a), number(g, 0))));
}

// f times the derivative of atan2(y, x): x/r^2 and -y/r^2.
static cd_node chain_atan2(cd_graph* g, cd_node node, int i, cd_node f)
{
    const cd_node y = cd_node_operand(g, node, 0), x = cd_node_operand(g, node, 1);
    const cd_node r2 = add(g, square(g, x), square(g, y));
    return i == 0 ? multiply(g, f, divide(g, x, r2)) : negate(g, multiply(g, f, divide(g, y, r2)));
}

// f times the derivative of asin and -acos: 1/sqrt(1 - a^2), without cancellation near the ends.
static cd_node chain_asin(cd_graph* g, cd_node a, cd_node f)
{
    const cd_node one = number(g, 1);
    return divide(g, f, cd_unary(g, CD_SQRT, multiply(g, subtract(g, one, a), add(g, one, a))));
}

static cd_node chain_binary(cd_graph* g, cd_node node, int i, cd_node f)
{
    const cd_node a = cd_node_operand(g, node, 0), b = cd_node_operand(g, node, 1);
    switch (cd_node_operation(g, node)) {
    case CD_ADD:
        return f;
    case CD_SUB:
        return i == 0 ? f : negate(g, f);
    case CD_MUL:
        return multiply(g, f, i == 0 ? b : a);
    case CD_DIV:
        return i == 0 ? divide(g, f, b) : negate(g, multiply(g, divide(g, f, b), node));
    case CD_POW:
        return chain_power(g, node, i, f);
    case CD_ATAN2:
        return chain_atan2(g, node, i, f);
    case CD_MOD:
        return i == 0 ? f : negate(g, multiply(g, f, cd_unary(g, CD_FLOOR, divide(g, a, b))));
    default:
        return number(g, 0);
    }
}

static bool is_sum_of_squares(const cd_graph* g, cd_node node)
{
    const cd_operation operation = cd_node_operation(g, node);
    if (operation != CD_ADD && operation != CD_MUL) return false;
    const cd_node a = cd_node_operand(g, node, 0), b = cd_node_operand(g, node, 1);
    return operation == CD_MUL ? a == b : is_sum_of_squares(g, a) && is_sum_of_squares(g, b);
}

// The derivative of a norm is set to 0 where the norm is zero, as for dual numbers.
static cd_node chain_sqrt(cd_graph* g, cd_node node, cd_node f)
{
    const cd_node derivative = divide(g, multiply(g, number(g, 0.5), f), node);
    if (!is_sum_of_squares(g, cd_node_operand(g, node, 0))) return derivative;
    return cd_if(g, cd_binary(g, CD_LESS, number(g, 0), node), derivative, number(g, 0));
}

// f times the derivative of the node by its i-th operand, in the form that shares most with the node.
static cd_node chain_partial(cd_graph* g, cd_node node, int i, cd_node f)
{
    const cd_operation operation = cd_node_operation(g, node);
    if (cd_operation_operands(operation) != 1) return chain_binary(g, node, i, f);
    const cd_node a = cd_node_operand(g, node, 0), one = number(g, 1);
    switch (operation) {
    case CD_NEG:
        return negate(g, f);
    case CD_COPY:
        return f;
    case CD_SQRT:
        return chain_sqrt(g, node, f);
    case CD_SIN:
        return multiply(g, f, cd_unary(g, CD_COS, a));
    case CD_COS:
        return negate(g, multiply(g, f, cd_unary(g, CD_SIN, a)));
    case CD_TAN:
        return multiply(g, f, add(g, one, square(g, node)));
    case CD_ASIN:
        return chain_asin(g, a, f);
    case CD_ACOS:
        return negate(g, chain_asin(g, a, f));
    case CD_ATAN:
        return divide(g, f, add(g, one, square(g, a)));
    case CD_SINH:
        return multiply(g, f, cd_unary(g, CD_COSH, a));
    case CD_COSH:
        return multiply(g, f, cd_unary(g, CD_SINH, a));
    case CD_TANH:
        return multiply(g, f, subtract(g, one, square(g, node)));
    case CD_EXP:
        return multiply(g, f, node);
    case CD_LOG:
        return divide(g, f, a);
    case CD_ABS:
        return multiply(g, f, cd_unary(g, CD_SIGN, a));
    case CD_TABLE:
        return multiply(g, f, cd_table_lookup(g, cd_node_index(g, node), a, cd_node_data_at(g, node)->derivative + 1));
    default:
        return number(g, 0);
    }
}

// Selections if, min, max: the condition under which the value is operand `first`, else operand `second`.
static bool is_choice(cd_graph* g, cd_node node, cd_node* condition, int* first, int* second)
{
    const cd_operation operation = cd_node_operation(g, node);
    if (operation != CD_IF && operation != CD_MIN && operation != CD_MAX) return false;
    const cd_node a = cd_node_operand(g, node, 0), b = cd_node_operand(g, node, 1);
    *first     = 1;
    *second    = operation == CD_IF ? 2 : 0;
    *condition = operation == CD_IF    ? a
                 : operation == CD_MIN ? cd_binary(g, CD_LESS, b, a)
                                       : cd_binary(g, CD_LESS, a, b);
    return true;
}

cd_node cd_node_forward_rate(cd_graph* g, const cd_subgraph_entry* at, const cd_node* rate, cd_node zero)
{
    const cd_node node = at->node;
    const int     n    = cd_operation_operands(cd_node_operation(g, node));
    bool          any  = false;
    for (int i = 0; i < n; ++i) any = any || rate[at->operand[i]] != zero;
    if (!any) return zero;

    cd_node condition;
    int     first, second;
    if (is_choice(g, node, &condition, &first, &second))
        return cd_if(g, condition, rate[at->operand[first]], rate[at->operand[second]]);
    if (cd_node_is(g, node, CD_DIV)) {
        const cd_node b = cd_node_operand(g, node, 1);
        return divide(g, subtract(g, rate[at->operand[0]], multiply(g, node, rate[at->operand[1]])), b);
    }
    cd_node result = zero;
    for (int i = 0; i < n; ++i)
        if (rate[at->operand[i]] != zero) result = add(g, result, chain_partial(g, node, i, rate[at->operand[i]]));
    return result;
}

cd_node cd_derivative(cd_graph* graph, cd_node node, int input)
{
    cd_subgraph subgraph;
    if (node < 0 || !cd_subgraph_collect(&subgraph, graph, 1, &node)) return CD_NO_NODE;
    const cd_node zero = number(graph, 0), one = number(graph, 1), x = cd_graph_find_input(graph, input);
    cd_node*      rate   = cd_allocate((size_t)subgraph.count, sizeof *rate);
    cd_node       result = CD_NO_NODE;
    if (rate && zero >= 0 && one >= 0) {
        for (int i = 0; i < subgraph.count; ++i) {
            rate[i] = subgraph.entry[i].node == x ? one : cd_node_forward_rate(graph, &subgraph.entry[i], rate, zero);
            if (rate[i] < 0) break;
            if (i == subgraph.count - 1) result = rate[i];
        }
    }
    free(rate);
    cd_subgraph_release(&subgraph);
    return result;
}

// Represents if(condition, value, 0); no condition: always; no value: zero so far.
typedef struct adjoint {
    cd_node condition, value;
    bool    is_needed; // the node depends on a requested input
} adjoint;

static cd_node adjoint_node(cd_graph* g, const adjoint* a)
{
    return a->condition < 0 ? a->value : cd_if(g, a->condition, a->value, number(g, 0));
}

static bool accumulate(cd_graph* g, adjoint* to, cd_node condition, cd_node value)
{
    if (value < 0) return false;
    if (!to->is_needed || value == number(g, 0)) return true;
    if (to->value < 0) {
        to->condition = condition;
        to->value     = value;
    } else if (to->condition == condition) {
        to->value = add(g, to->value, value);
    } else {
        const adjoint more = {condition, value, true};
        to->value          = add(g, adjoint_node(g, to), adjoint_node(g, &more));
        const bool either  = condition >= 0 && to->condition >= 0;
        to->condition      = either ? cd_binary(g, CD_OR, condition, to->condition) : CD_NO_NODE;
        if (either && to->condition < 0) return false;
    }
    return to->value >= 0;
}

// Both branches of a selection receive the adjoint unchanged, each under a narrower condition.
static bool reverse_choice(cd_graph* g, adjoint* all, const adjoint* from, cd_node condition, int first, int second)
{
    cd_node on = condition, off = cd_unary(g, CD_NOT, condition);
    if (from->condition >= 0) {
        on  = cd_binary(g, CD_AND, from->condition, on);
        off = cd_binary(g, CD_AND, from->condition, off);
    }
    if (on < 0 || off < 0) return false;
    return accumulate(g, &all[first], on, from->value) && accumulate(g, &all[second], off, from->value);
}

static bool reverse_step(cd_graph* g, const cd_subgraph_entry* at, adjoint* all, adjoint from)
{
    cd_node condition;
    int     first, second;
    if (is_choice(g, at->node, &condition, &first, &second))
        return condition >= 0 && reverse_choice(g, all, &from, condition, at->operand[first], at->operand[second]);
    const int n = cd_operation_operands(cd_node_operation(g, at->node));
    for (int i = 0; i < n; ++i) {
        adjoint* to = &all[at->operand[i]];
        if (to->is_needed && !accumulate(g, to, from.condition, chain_partial(g, at->node, i, from.value)))
            return false;
    }
    return true;
}

static bool reverse_sweep(cd_graph* g, const cd_subgraph* subgraph, int count, const int* input, adjoint* all)
{
    for (int i = 0; i < subgraph->count; ++i) all[i] = (adjoint){CD_NO_NODE, CD_NO_NODE, false};
    for (int i = 0; i < count; ++i) {
        const cd_node x        = cd_graph_find_input(g, input[i]);
        const int     position = x < 0 ? -1 : cd_subgraph_find(subgraph, x);
        if (position >= 0) all[position].is_needed = true;
    }
    for (int i = 0; i < subgraph->count; ++i)
        for (int k = 0; k < 3; ++k)
            if (subgraph->entry[i].operand[k] >= 0 && all[subgraph->entry[i].operand[k]].is_needed)
                all[i].is_needed = true;

    if (!accumulate(g, &all[subgraph->count - 1], CD_NO_NODE, number(g, 1))) return false;
    for (int i = subgraph->count - 1; i >= 0; --i)
        if (all[i].value >= 0 && !reverse_step(g, &subgraph->entry[i], all, all[i])) return false;
    return true;
}

cardan_status cd_gradient(cd_graph* graph, cd_node node, int count, const int* input, cd_node* gradient)
{
    if (node < 0) return CARDAN_BAD_INPUT;
    cd_subgraph subgraph;
    if (!cd_subgraph_collect(&subgraph, graph, 1, &node)) return CARDAN_NO_MEMORY;
    adjoint* all = cd_allocate((size_t)subgraph.count, sizeof *all);
    bool     ok  = all && number(graph, 0) >= 0 && reverse_sweep(graph, &subgraph, count, input, all);
    for (int i = 0; ok && i < count; ++i) {
        const cd_node x        = cd_graph_find_input(graph, input[i]);
        const int     position = x < 0 ? -1 : cd_subgraph_find(&subgraph, x);
        const bool    depends  = position >= 0 && all[position].value >= 0;
        gradient[i]            = depends ? adjoint_node(graph, &all[position]) : number(graph, 0);
        ok                     = gradient[i] >= 0;
    }
    free(all);
    cd_subgraph_release(&subgraph);
    return ok ? CARDAN_OK : CARDAN_NO_MEMORY;
}
