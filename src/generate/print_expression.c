// SPDX-License-Identifier: BSD-3-Clause
// Expressions as text with no more parentheses than needed. Lines are short by construction (program.h), so recursion
// is shallow.
#include "generate/syntax.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef enum binding { LOOSE, SUM, PRODUCT, TIGHT } binding;

typedef struct printer {
    cd_text*          text;
    const cd_program* p;
    const cd_syntax*  syntax;
    const cd_sources* in;
} printer;

static void print_at(const printer* w, int at, binding wanted);

// Numbers that are none of a float: nothing below the least, the largest above it.
static double as_float(double value)
{
    if (fabs(value) < (double)FLT_MIN) return 0;
    return fabs(value) > (double)FLT_MAX && !isinf(value) ? copysign((double)FLT_MAX, value) : value;
}

void cd_print_number(cd_text* text, double value, const char* end)
{
    if (*end == 'f') value = as_float(value);
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
    cd_text_add(text, end);
    cd_text_free(&number);
}

static void print_constant(const printer* w, double value)
{
    if (isfinite(value) || !w->syntax->infinity)
        cd_print_number(w->text, value, w->syntax->number_end);
    else
        cd_text_format(w->text, "%s%s", value < 0 ? "-" : "", isnan(value) ? w->syntax->nan : w->syntax->infinity);
}

static void print_input(const printer* w, int input)
{
    const cd_sources* in = w->in;
    const int  first[]   = {in->q, in->v, in->a, in->effort, in->state, in->time, in->p, in->weight, in->multiplier};
    const bool some[]    = {true, true, true, true, true, true, in->np > 0, in->weight > 0, in->multiplier > 0};
    for (int k = CD_ARGUMENTS - 1; k >= 0; --k) {
        if (input < first[k] || !some[k]) continue;
        if (k == 5)
            cd_text_add(w->text, w->syntax->argument[k]);
        else
            cd_text_format(w->text, "%s%s%d%s", w->syntax->argument[k], w->syntax->open,
                           input - first[k] + w->syntax->base,
                           w->syntax->argument_close ? w->syntax->argument_close : w->syntax->close);
        return;
    }
}

static void print_infix(const printer* w, const cd_reached* r, const char* sign, binding here, binding left,
                        binding right, binding wanted)
{
    const bool braces = wanted > here;
    if (braces) cd_text_add(w->text, "(");
    print_at(w, r->operand[0], left);
    cd_text_format(w->text, " %s ", sign);
    print_at(w, r->operand[1], right);
    if (braces) cd_text_add(w->text, ")");
}

static void print_call(const printer* w, const cd_reached* r, const char* before, const char* name, const char* behind)
{
    const int n = cd_operation_operands(cd_node_operation(w->p->graph, r->node));
    cd_text_format(w->text, "%s%s%s(", before, name, behind);
    for (int k = 0; k < n; ++k) {
        if (k > 0) cd_text_add(w->text, ", ");
        print_at(w, r->operand[k], LOOSE);
    }
    cd_text_add(w->text, ")");
}

static const char* call_of(const cd_syntax* s, cd_operation o)
{
    switch (o) {
    case CD_IF:
        return s->choose;
    case CD_ABS:
        return s->absolute;
    case CD_MIN:
        return s->least;
    case CD_MAX:
        return s->most;
    case CD_MOD:
        return s->remainder;
    case CD_SIGN:
        return s->sign;
    default:
        return NULL;
    }
}

const char* cd_comparison_word(cd_operation o)
{
    switch (o) {
    case CD_LESS:
        return "less";
    case CD_LESS_EQUAL:
        return "less_equal";
    case CD_EQUAL:
        return "equal";
    case CD_AND:
        return "both";
    case CD_OR:
        return "either";
    case CD_NOT:
        return "negated";
    default:
        return NULL;
    }
}

static void print_table(const printer* w, const cd_reached* r)
{
    cd_text_format(w->text, "%s%d_%d(", w->syntax->table, cd_node_index(w->p->graph, r->node),
                   cd_item_at(w->p->graph, r->node)->derivative);
    print_at(w, r->operand[0], LOOSE);
    cd_text_add(w->text, ")");
}

static void print_logic(const printer* w, int at, binding wanted);

// An operand of logic: what is no comparison is compared with zero.
static void print_truth(const printer* w, int at, binding wanted)
{
    const cd_value* v    = &w->p->value[at];
    const bool      told = v->name < 0 && v->pack < 0 && v->angle < 0 &&
                      cd_comparison_word(cd_node_operation(w->p->graph, w->p->reach.list[at].node));
    const bool compare = w->syntax->truth && !told, braces = compare && wanted > LOOSE;
    if (braces) cd_text_add(w->text, "(");
    if (told && !w->syntax->calls)
        print_logic(w, at, wanted);
    else
        print_at(w, at, compare ? SUM : wanted);
    if (compare) cd_text_add(w->text, w->syntax->truth);
    if (braces) cd_text_add(w->text, ")");
}

static void print_both(const printer* w, const cd_reached* r, const char* sign, binding wanted)
{
    const bool braces = wanted > LOOSE;
    if (braces) cd_text_add(w->text, "(");
    print_truth(w, r->operand[0], TIGHT);
    cd_text_format(w->text, " %s ", sign);
    print_truth(w, r->operand[1], TIGHT);
    if (braces) cd_text_add(w->text, ")");
}

// Comparisons and logic: true or false.
static void print_logic(const printer* w, int at, binding wanted)
{
    const cd_reached*  r = &w->p->reach.list[at];
    const cd_operation o = cd_node_operation(w->p->graph, r->node);
    const cd_syntax*   s = w->syntax;
    if (o == CD_NOT) {
        cd_text_format(w->text, "%s(", s->negated);
        print_truth(w, r->operand[0], LOOSE);
        cd_text_add(w->text, ")");
    } else if (o == CD_AND || o == CD_OR)
        print_both(w, r, o == CD_AND ? s->both : s->either, wanted);
    else
        print_infix(w, r, cd_operation_text(o), LOOSE, SUM, SUM, wanted);
}

// A difference that is written where it is used.
static bool is_plain_difference(const cd_program* p, int at)
{
    const cd_value* v = &p->value[at];
    return v->name < 0 && v->pack < 0 && v->angle < 0 && cd_node_operation(p->graph, p->reach.list[at].node) == CD_SUB;
}

static void print_operation(const printer* w, int at, binding wanted)
{
    const cd_reached*  r = &w->p->reach.list[at];
    const cd_operation o = cd_node_operation(w->p->graph, r->node);
    const cd_syntax*   s = w->syntax;
    if (s->calls && cd_comparison_word(o)) {
        print_call(w, r, s->functions, cd_comparison_word(o), "");
        return;
    }
    switch (o) {
    case CD_CONSTANT: {
        const double c      = cd_node_value(w->p->graph, r->node);
        const bool   braces = c < 0 && wanted > LOOSE;
        const bool   lift   = s->lift && wanted == LOOSE;
        if (lift) cd_text_add(w->text, s->lift);
        if (braces || lift) cd_text_add(w->text, "(");
        print_constant(w, c);
        if (braces || lift) cd_text_add(w->text, ")");
        return;
    }
    case CD_INPUT:
        print_input(w, cd_node_index(w->p->graph, r->node));
        return;
    case CD_ADD:
        print_infix(w, r, "+", SUM, SUM, PRODUCT, wanted);
        return;
    case CD_SUB:
        print_infix(w, r, "-", SUM, SUM, PRODUCT, wanted);
        return;
    case CD_MUL:
        print_infix(w, r, "*", PRODUCT, PRODUCT, TIGHT, wanted);
        return;
    case CD_DIV:
        print_infix(w, r, "/", PRODUCT, PRODUCT, TIGHT, wanted);
        return;
    case CD_NEG:
        if (is_plain_difference(w->p, r->operand[0])) { // -(a - b) = b - a
            const int* of = w->p->reach.list[r->operand[0]].operand;
            print_infix(w, &(cd_reached){r->node, {of[1], of[0], -1}}, "-", SUM, SUM, PRODUCT, wanted);
            return;
        }
        cd_text_add(w->text, wanted > LOOSE ? "(-" : "-");
        print_at(w, r->operand[0], PRODUCT);
        if (wanted > LOOSE) cd_text_add(w->text, ")");
        return;
    case CD_LESS:
    case CD_LESS_EQUAL:
    case CD_EQUAL:
    case CD_AND:
    case CD_OR:
    case CD_NOT:
        if (s->number) cd_text_format(w->text, "%s(", s->number);
        print_logic(w, at, s->number ? LOOSE : wanted);
        if (s->number) cd_text_add(w->text, ")");
        return;
    case CD_TABLE:
        print_table(w, r);
        return;
    case CD_HOLD:
        print_at(w, r->operand[0], wanted);
        return;
    default:
        break;
    }
    const char* call  = call_of(s, o);
    const char* other = s->function ? s->function(o) : NULL;
    if (other)
        print_call(w, r, "", other, "");
    else if (call)
        print_call(w, r, "", call, "");
    else
        print_call(w, r, s->functions, cd_operation_text(o), s->suffix);
}

static void print_place(const printer* w, int at)
{
    const cd_value* v = &w->p->value[at];
    cd_text_format(w->text, "%s[%d]", w->p->pack[v->pack].local ? "p" : "g", w->p->pack[v->pack].slot + v->lane);
}

static void print_at(const printer* w, int at, binding wanted)
{
    const cd_value* v = &w->p->value[at];
    if (v->pack >= 0)
        print_place(w, at);
    else if (v->angle >= 0)
        cd_text_format(w->text, "%s[%d]",
                       cd_node_operation(w->p->graph, w->p->reach.list[at].node) == CD_SIN ? "sine" : "cosine",
                       v->angle);
    else if (v->name < 0)
        print_operation(w, at, wanted);
    else if (v->slot >= 0)
        cd_text_format(w->text, "w%s%d%s", w->syntax->open, v->slot + w->syntax->base, w->syntax->close);
    else
        cd_text_format(w->text, "t%d", v->name);
}

void cd_print_value(cd_text* text, const cd_program* p, const cd_syntax* syntax, const cd_sources* in, int at)
{
    print_at(&(printer){text, p, syntax, in}, at, LOOSE);
}

void cd_print_expression(cd_text* text, const cd_program* p, const cd_syntax* syntax, const cd_sources* in, int at)
{
    print_operation(&(printer){text, p, syntax, in}, at, LOOSE);
}

static int gathered(const cd_program* p, int part, int a, int b)
{
    for (int i = 0; i < p->ngather; ++i)
        if (p->gather[i].part == part && p->gather[i].at[0] == a && p->gather[i].at[1] == b) return p->gather[i].slot;
    return 0;
}

// Two values that the same text computes: where the text ends in something that has a place, and how that is written.
typedef struct pairs {
    printer w;
    int     index; // the part of twins, the lane of a pack
    bool (*ends)(const struct pairs* u, int a, int b);
    void (*print_end)(const struct pairs* u, int a, int b, binding wanted);
} pairs;

static void print_pair(const pairs* u, int a, int b, binding wanted);

static void print_pair_of_operations(const pairs* u, int a, int b, binding wanted)
{
    const cd_program*  p = u->w.p;
    const cd_reached * r = &p->reach.list[a], *s = &p->reach.list[b];
    const cd_operation o = cd_node_operation(p->graph, r->node);
    if (o == CD_HOLD) {
        print_pair(u, r->operand[0], s->operand[0], wanted);
        return;
    }
    const bool turned = o == CD_NEG && is_plain_difference(p, r->operand[0]) &&
                        !u->ends(u, r->operand[0], s->operand[0]); // -(a - b) = b - a
    const binding here = turned || o == CD_ADD || o == CD_SUB ? SUM : o == CD_NEG ? LOOSE : PRODUCT;
    if (wanted > here) cd_text_add(u->w.text, "(");
    if (turned) {
        const int *x = p->reach.list[r->operand[0]].operand, *y = p->reach.list[s->operand[0]].operand;
        print_pair(u, x[1], y[1], SUM);
        cd_text_add(u->w.text, " - ");
        print_pair(u, x[0], y[0], PRODUCT);
    } else if (o == CD_NEG) {
        cd_text_add(u->w.text, "-");
        print_pair(u, r->operand[0], s->operand[0], PRODUCT);
    } else {
        print_pair(u, r->operand[0], s->operand[0], here);
        cd_text_format(u->w.text, " %s ", cd_operation_text(o));
        print_pair(u, r->operand[1], s->operand[1], here == SUM ? PRODUCT : TIGHT);
    }
    if (wanted > here) cd_text_add(u->w.text, ")");
}

static void print_pair(const pairs* u, int a, int b, binding wanted)
{
    if (u->ends(u, a, b))
        u->print_end(u, a, b, wanted);
    else
        print_pair_of_operations(u, a, b, wanted);
}

static bool twins_end(const pairs* u, int a, int b) { return cd_pair_of(u->w.p, a, b) != CD_PAIR_INSIDE; }

static void print_end_of_twins(const pairs* u, int a, int b, binding wanted)
{
    const cd_program* p    = u->w.p;
    const bool        sine = cd_node_operation(p->graph, p->reach.list[a].node) == CD_SIN;
    switch (cd_pair_of(p, a, b)) {
    case CD_PAIR_PACK:
        cd_text_format(u->w.text, "BOTH(%s[%d])", p->pack[p->value[a].pack].local ? "p" : "g",
                       p->pack[p->value[a].pack].slot);
        return;
    case CD_PAIR_ANGLE:
        cd_text_format(u->w.text, "BOTH(%s[%d])", sine ? "sine" : "cosine", p->value[a].angle);
        return;
    case CD_PAIR_GATHER:
        cd_text_format(u->w.text, "BOTH(p[%d])", gathered(p, u->index, a, b));
        return;
    case CD_PAIR_SAME:
    case CD_PAIR_INSIDE:
        print_at(&u->w, a, wanted);
        return;
    }
}

void cd_print_twins(cd_text* text, const cd_program* p, const cd_syntax* syntax, const cd_sources* in,
                    const cd_pack_of* pack)
{
    const pairs twins = {{text, p, syntax, in}, pack->part, twins_end, print_end_of_twins};
    print_pair_of_operations(&twins, pack->at[0], pack->at[1], LOOSE);
}

static bool lanes_end(const pairs* u, int a, int b) { return a == b || u->w.p->value[a].pack >= 0; }

static void print_end_of_lanes(const pairs* u, int a, int b, binding wanted)
{
    const cd_value* v = &u->w.p->value[a];
    if (a == b)
        print_at(&u->w, a, wanted);
    else
        cd_text_format(u->w.text, "g[%d + k]", u->w.p->pack[v->pack].slot + v->lane - u->index);
}

// What computes lane k of a pack, from one lane and another: what they share is the same for all.
void cd_print_pack(cd_text* text, const cd_program* p, const cd_syntax* syntax, const cd_sources* in, int at, int other)
{
    const pairs lanes = {{text, p, syntax, in}, p->value[at].lane, lanes_end, print_end_of_lanes};
    print_pair_of_operations(&lanes, at, other, LOOSE);
}
