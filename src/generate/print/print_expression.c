// SPDX-License-Identifier: BSD-3-Clause
// Expressions as text, with as few parentheses as needed. Lines are short by construction (program.h), so the recursion
// is shallow.
#include "generate/print/syntax.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef enum precedence { PRECEDENCE_LOWEST, PRECEDENCE_SUM, PRECEDENCE_PRODUCT, PRECEDENCE_HIGHEST } precedence;

typedef struct printer {
    cd_text*               text;
    const cd_program*      p;
    const cd_syntax*       syntax;
    const cd_input_layout* in;
} printer;

static void print_value_at(const printer* w, int at, precedence required);

// Clamp to the range of float: 0 below FLT_MIN, FLT_MAX above.
static double clamp_to_float(double value)
{
    if (fabs(value) < (double)FLT_MIN) return 0;
    return fabs(value) > (double)FLT_MAX && !isinf(value) ? copysign((double)FLT_MAX, value) : value;
}

void cd_print_number(cd_text* text, double value, const char* suffix)
{
    if (*suffix == 'f') value = clamp_to_float(value);
    if (!isfinite(value)) {
        cd_text_add(text, isnan(value) ? "NAN" : value < 0 ? "-INFINITY" : "INFINITY");
        return;
    }
    cd_text number = {0};
    cd_text_number(&number, value);
    if (number.failed) text->failed = true;
    const char* s = number.data ? number.data : "0";
    cd_text_add(text, s);
    if (!strpbrk(s, ".einf")) cd_text_add(text, ".0");
    cd_text_add(text, suffix);
    cd_text_free(&number);
}

static void print_constant(const printer* w, double value)
{
    if (isfinite(value) || !w->syntax->infinity)
        cd_print_number(w->text, value, w->syntax->number_suffix);
    else
        cd_text_format(w->text, "%s%s", value < 0 ? "-" : "", isnan(value) ? w->syntax->nan : w->syntax->infinity);
}

static void print_input(const printer* w, int input)
{
    const cd_input_layout* in = w->in;
    const int  first[]      = {in->q, in->v, in->a, in->effort, in->state, in->time, in->p, in->weight, in->multiplier};
    const bool is_present[] = {true, true, true, true, true, true, in->np > 0, in->weight > 0, in->multiplier > 0};
    for (int k = CD_ARGUMENT_COUNT - 1; k >= 0; --k) {
        if (input < first[k] || !is_present[k]) continue;
        if (k == 5)
            cd_text_add(w->text, cd_argument_name[k]);
        else
            cd_text_format(w->text, "%s%s%d%s", cd_argument_name[k], w->syntax->index_open,
                           input - first[k] + w->syntax->first_index,
                           w->syntax->argument_index_close ? w->syntax->argument_index_close : w->syntax->index_close);
        return;
    }
}

static void print_infix(const printer* w, const cd_subgraph_entry* r, const char* sign, precedence here,
                        precedence left, precedence right, precedence required)
{
    const bool braces = required > here;
    if (braces) cd_text_add(w->text, "(");
    print_value_at(w, r->operand[0], left);
    cd_text_format(w->text, " %s ", sign);
    print_value_at(w, r->operand[1], right);
    if (braces) cd_text_add(w->text, ")");
}

static void print_call(const printer* w, const cd_subgraph_entry* r, const char* before, const char* name,
                       const char* behind)
{
    const int n = cd_operation_operands(cd_node_operation(w->p->graph, r->node));
    cd_text_format(w->text, "%s%s%s(", before, name, behind);
    for (int k = 0; k < n; ++k) {
        if (k > 0) cd_text_add(w->text, ", ");
        print_value_at(w, r->operand[k], PRECEDENCE_LOWEST);
    }
    cd_text_add(w->text, ")");
}

static const char* call_name(const cd_syntax* s, cd_operation o)
{
    switch (o) {
    case CD_IF:
        return s->choose;
    case CD_ABS:
        return s->absolute;
    case CD_MIN:
        return s->minimum;
    case CD_MAX:
        return s->maximum;
    case CD_MOD:
        return s->modulo;
    case CD_SIGN:
        return s->sign;
    default:
        return NULL;
    }
}

const char* cd_logic_name(cd_operation o)
{
    switch (o) {
    case CD_LESS:
        return "less";
    case CD_LESS_EQUAL:
        return "less_equal";
    case CD_EQUAL:
        return "equal";
    case CD_AND:
        return "and";
    case CD_OR:
        return "or";
    case CD_NOT:
        return "not";
    default:
        return NULL;
    }
}

static void print_table(const printer* w, const cd_subgraph_entry* r)
{
    cd_text_format(w->text, "%s%d_%d(", w->syntax->table, cd_node_index(w->p->graph, r->node),
                   cd_node_data_at(w->p->graph, r->node)->derivative);
    print_value_at(w, r->operand[0], PRECEDENCE_LOWEST);
    cd_text_add(w->text, ")");
}

static void print_logic(const printer* w, int at, precedence required);

// Print an operand of a logical operation; a number is compared with zero.
static void print_condition(const printer* w, int at, precedence required)
{
    const cd_program_value* v        = &w->p->value[at];
    const bool              is_logic = v->temporary < 0 && v->group < 0 && v->angle < 0 &&
                          cd_logic_name(cd_node_operation(w->p->graph, w->p->subgraph.entry[at].node));
    const bool compare = w->syntax->nonzero_test && !is_logic, braces = compare && required > PRECEDENCE_LOWEST;
    if (braces) cd_text_add(w->text, "(");
    if (is_logic && !w->syntax->logic_as_calls)
        print_logic(w, at, required);
    else
        print_value_at(w, at, compare ? PRECEDENCE_SUM : required);
    if (compare) cd_text_add(w->text, w->syntax->nonzero_test);
    if (braces) cd_text_add(w->text, ")");
}

static void print_logic_pair(const printer* w, const cd_subgraph_entry* r, const char* sign, precedence required)
{
    const bool braces = required > PRECEDENCE_LOWEST;
    if (braces) cd_text_add(w->text, "(");
    print_condition(w, r->operand[0], PRECEDENCE_HIGHEST);
    cd_text_format(w->text, " %s ", sign);
    print_condition(w, r->operand[1], PRECEDENCE_HIGHEST);
    if (braces) cd_text_add(w->text, ")");
}

// Print a comparison or logical operation, whose value is true or false.
static void print_logic(const printer* w, int at, precedence required)
{
    const cd_subgraph_entry* r = &w->p->subgraph.entry[at];
    const cd_operation       o = cd_node_operation(w->p->graph, r->node);
    const cd_syntax*         s = w->syntax;
    if (o == CD_NOT) {
        cd_text_format(w->text, "%s(", s->logical_not);
        print_condition(w, r->operand[0], PRECEDENCE_LOWEST);
        cd_text_add(w->text, ")");
    } else if (o == CD_AND || o == CD_OR)
        print_logic_pair(w, r, o == CD_AND ? s->logical_and : s->logical_or, required);
    else
        print_infix(w, r, cd_operation_text(o), PRECEDENCE_LOWEST, PRECEDENCE_SUM, PRECEDENCE_SUM, required);
}

// True for a difference that is printed inline.
static bool is_plain_difference(const cd_program* p, int at)
{
    const cd_program_value* v = &p->value[at];
    return v->temporary < 0 && v->group < 0 && v->angle < 0 &&
           cd_node_operation(p->graph, p->subgraph.entry[at].node) == CD_SUB;
}

static void print_operation(const printer* w, int at, precedence required)
{
    const cd_subgraph_entry* r = &w->p->subgraph.entry[at];
    const cd_operation       o = cd_node_operation(w->p->graph, r->node);
    const cd_syntax*         s = w->syntax;
    if (s->logic_as_calls && cd_logic_name(o)) {
        print_call(w, r, s->function_prefix, cd_logic_name(o), "");
        return;
    }
    switch (o) {
    case CD_CONSTANT: {
        const double c               = cd_node_value(w->p->graph, r->node);
        const bool   braces          = c < 0 && required > PRECEDENCE_LOWEST;
        const bool   needs_broadcast = s->broadcast && required == PRECEDENCE_LOWEST;
        if (needs_broadcast) cd_text_add(w->text, s->broadcast);
        if (braces || needs_broadcast) cd_text_add(w->text, "(");
        print_constant(w, c);
        if (braces || needs_broadcast) cd_text_add(w->text, ")");
        return;
    }
    case CD_INPUT:
        print_input(w, cd_node_index(w->p->graph, r->node));
        return;
    case CD_ADD:
        print_infix(w, r, "+", PRECEDENCE_SUM, PRECEDENCE_SUM, PRECEDENCE_PRODUCT, required);
        return;
    case CD_SUB:
        print_infix(w, r, "-", PRECEDENCE_SUM, PRECEDENCE_SUM, PRECEDENCE_PRODUCT, required);
        return;
    case CD_MUL:
        print_infix(w, r, "*", PRECEDENCE_PRODUCT, PRECEDENCE_PRODUCT, PRECEDENCE_HIGHEST, required);
        return;
    case CD_DIV:
        print_infix(w, r, "/", PRECEDENCE_PRODUCT, PRECEDENCE_PRODUCT, PRECEDENCE_HIGHEST, required);
        return;
    case CD_NEG:
        if (is_plain_difference(w->p, r->operand[0])) { // -(a - b) = b - a
            const int* difference = w->p->subgraph.entry[r->operand[0]].operand;
            print_infix(w, &(cd_subgraph_entry){r->node, {difference[1], difference[0], -1}}, "-", PRECEDENCE_SUM,
                        PRECEDENCE_SUM, PRECEDENCE_PRODUCT, required);
            return;
        }
        cd_text_add(w->text, required > PRECEDENCE_LOWEST ? "(-" : "-");
        print_value_at(w, r->operand[0], PRECEDENCE_PRODUCT);
        if (required > PRECEDENCE_LOWEST) cd_text_add(w->text, ")");
        return;
    case CD_LESS:
    case CD_LESS_EQUAL:
    case CD_EQUAL:
    case CD_AND:
    case CD_OR:
    case CD_NOT:
        if (s->to_number) cd_text_format(w->text, "%s(", s->to_number);
        print_logic(w, at, s->to_number ? PRECEDENCE_LOWEST : required);
        if (s->to_number) cd_text_add(w->text, ")");
        return;
    case CD_TABLE:
        print_table(w, r);
        return;
    case CD_COPY:
        print_value_at(w, r->operand[0], required);
        return;
    default:
        break;
    }
    const char* call  = call_name(s, o);
    const char* other = s->function_name ? s->function_name(o) : NULL;
    if (other)
        print_call(w, r, "", other, "");
    else if (call)
        print_call(w, r, "", call, "");
    else
        print_call(w, r, s->function_prefix, cd_operation_text(o), s->function_suffix);
}

static void print_group_slot(const printer* w, int at)
{
    const cd_program_value* v = &w->p->value[at];
    cd_text_format(w->text, "%s[%d]", w->p->group[v->group].is_part_local ? "p" : "g",
                   w->p->group[v->group].slot + v->lane);
}

static void print_value_at(const printer* w, int at, precedence required)
{
    const cd_program_value* v = &w->p->value[at];
    if (v->group >= 0)
        print_group_slot(w, at);
    else if (v->angle >= 0)
        cd_text_format(w->text, "%s[%d]",
                       cd_node_operation(w->p->graph, w->p->subgraph.entry[at].node) == CD_SIN ? "sine" : "cosine",
                       v->angle);
    else if (v->temporary < 0)
        print_operation(w, at, required);
    else if (v->slot >= 0)
        cd_text_format(w->text, "w%s%d%s", w->syntax->index_open, v->slot + w->syntax->first_index,
                       w->syntax->index_close);
    else
        cd_text_format(w->text, "t%d", v->temporary);
}

void cd_print_value(cd_text* text, const cd_program* p, const cd_syntax* syntax, const cd_input_layout* in, int at)
{
    print_value_at(&(printer){text, p, syntax, in}, at, PRECEDENCE_LOWEST);
}

void cd_print_expression(cd_text* text, const cd_program* p, const cd_syntax* syntax, const cd_input_layout* in, int at)
{
    print_operation(&(printer){text, p, syntax, in}, at, PRECEDENCE_LOWEST);
}

static int gather_slot(const cd_program* p, int part, int a, int b)
{
    for (int i = 0; i < p->ngather; ++i)
        if (p->gather[i].part == part && p->gather[i].position[0] == a && p->gather[i].position[1] == b)
            return p->gather[i].slot;
    return 0;
}

// Prints one expression for two values; is_operand tests where the recursion ends, print_operand prints what is there.
typedef struct pair_printer {
    printer context;
    int     part_or_lane; // part of a pair; lane of a group
    bool (*is_operand)(const struct pair_printer* u, int a, int b);
    void (*print_operand)(const struct pair_printer* u, int a, int b, precedence required);
} pair_printer;

static void print_pair(const pair_printer* u, int a, int b, precedence required);

static void print_pair_of_operations(const pair_printer* u, int a, int b, precedence required)
{
    const cd_program*        p = u->context.p;
    const cd_subgraph_entry *r = &p->subgraph.entry[a], *s = &p->subgraph.entry[b];
    const cd_operation       o = cd_node_operation(p->graph, r->node);
    if (o == CD_COPY) {
        print_pair(u, r->operand[0], s->operand[0], required);
        return;
    }
    const bool is_reversed = o == CD_NEG && is_plain_difference(p, r->operand[0]) &&
                             !u->is_operand(u, r->operand[0], s->operand[0]); // -(a - b) = b - a
    const precedence here = is_reversed || o == CD_ADD || o == CD_SUB ? PRECEDENCE_SUM
                            : o == CD_NEG                             ? PRECEDENCE_LOWEST
                                                                      : PRECEDENCE_PRODUCT;
    if (required > here) cd_text_add(u->context.text, "(");
    if (is_reversed) {
        const int *x = p->subgraph.entry[r->operand[0]].operand, *y = p->subgraph.entry[s->operand[0]].operand;
        print_pair(u, x[1], y[1], PRECEDENCE_SUM);
        cd_text_add(u->context.text, " - ");
        print_pair(u, x[0], y[0], PRECEDENCE_PRODUCT);
    } else if (o == CD_NEG) {
        cd_text_add(u->context.text, "-");
        print_pair(u, r->operand[0], s->operand[0], PRECEDENCE_PRODUCT);
    } else {
        print_pair(u, r->operand[0], s->operand[0], here);
        cd_text_format(u->context.text, " %s ", cd_operation_text(o));
        print_pair(u, r->operand[1], s->operand[1], here == PRECEDENCE_SUM ? PRECEDENCE_PRODUCT : PRECEDENCE_HIGHEST);
    }
    if (required > here) cd_text_add(u->context.text, ")");
}

static void print_pair(const pair_printer* u, int a, int b, precedence required)
{
    if (u->is_operand(u, a, b))
        u->print_operand(u, a, b, required);
    else
        print_pair_of_operations(u, a, b, required);
}

static bool pair_is_operand(const pair_printer* u, int a, int b)
{
    return cd_pair_classify(u->context.p, a, b) != CD_PAIR_NESTED;
}

static void print_pair_operand(const pair_printer* u, int a, int b, precedence required)
{
    const cd_program* p    = u->context.p;
    const bool        sine = cd_node_operation(p->graph, p->subgraph.entry[a].node) == CD_SIN;
    switch (cd_pair_classify(p, a, b)) {
    case CD_PAIR_GROUP:
        cd_text_format(u->context.text, "PAIR(%s[%d])", p->group[p->value[a].group].is_part_local ? "p" : "g",
                       p->group[p->value[a].group].slot);
        return;
    case CD_PAIR_ANGLE:
        cd_text_format(u->context.text, "PAIR(%s[%d])", sine ? "sine" : "cosine", p->value[a].angle);
        return;
    case CD_PAIR_GATHER:
        cd_text_format(u->context.text, "PAIR(p[%d])", gather_slot(p, u->part_or_lane, a, b));
        return;
    case CD_PAIR_SAME:
    case CD_PAIR_NESTED:
        print_value_at(&u->context, a, required);
        return;
    }
}

void cd_print_pair_expression(cd_text* text, const cd_program* p, const cd_syntax* syntax, const cd_input_layout* in,
                              const cd_vector_group* group)
{
    const pair_printer pair = {{text, p, syntax, in}, group->part, pair_is_operand, print_pair_operand};
    print_pair_of_operations(&pair, group->position[0], group->position[1], PRECEDENCE_LOWEST);
}

static bool lane_is_operand(const pair_printer* u, int a, int b) { return a == b || u->context.p->value[a].group >= 0; }

static void print_lane_operand(const pair_printer* u, int a, int b, precedence required)
{
    const cd_program_value* v = &u->context.p->value[a];
    if (a == b)
        print_value_at(&u->context, a, required);
    else
        cd_text_format(u->context.text, "g[%d + k]", u->context.p->group[v->group].slot + v->lane - u->part_or_lane);
}

// Print the expression of lane k of a group, from two of its lanes: operands that these have in common are the same for
// all lanes.
void cd_print_group_expression(cd_text* text, const cd_program* p, const cd_syntax* syntax, const cd_input_layout* in,
                               int at, int other_position)
{
    const pair_printer lanes = {{text, p, syntax, in}, p->value[at].lane, lane_is_operand, print_lane_operand};
    print_pair_of_operations(&lanes, at, other_position, PRECEDENCE_LOWEST);
}
