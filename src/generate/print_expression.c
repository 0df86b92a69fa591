// SPDX-License-Identifier: BSD-3-Clause
// Expressions as text with no more parentheses than needed. Lines are short by construction (program.h), so recursion is shallow.
#include "generate/syntax.h"

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

void cd_print_number(cd_text* text, double value, const char* end)
{
    if (isinf(value)) {
        cd_text_add(text, value < 0 ? "-INFINITY" : "INFINITY");
        return;
    }
    cd_text number = {0};
    cd_text_number(&number, value);
    const char* s = number.data ? number.data : "0";
    cd_text_add(text, s);
    if (!strpbrk(s, ".einf")) cd_text_add(text, ".0");
    cd_text_add(text, end);
    cd_text_free(&number);
}

static void print_input(const printer* w, int input)
{
    const cd_sources* in       = w->in;
    const int         first[] = {in->q, in->v, in->a, in->effort, in->state, in->time, in->p, in->weight};
    for (int k = in->weight > 0 ? 7 : 6; k >= 0; --k) {
        if (input < first[k] || (k == 6 && in->np == 0)) continue;
        if (k == 5) cd_text_add(w->text, w->syntax->argument[k]);
        else cd_text_format(w->text, "%s%s%d%s", w->syntax->argument[k], w->syntax->open, input - first[k] + w->syntax->base, w->syntax->close);
        return;
    }
}

static void print_infix(const printer* w, const cd_reached* r, const char* sign, binding here, binding left, binding right, binding wanted)
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
    case CD_IF: return s->choose;
    case CD_ABS: return s->absolute;
    case CD_MIN: return s->least;
    case CD_MAX: return s->most;
    case CD_MOD: return s->remainder;
    case CD_SIGN: return s->sign;
    default: return NULL;
    }
}

const char* cd_comparison_word(cd_operation o)
{
    switch (o) {
    case CD_LESS: return "less";
    case CD_LESS_EQUAL: return "less_equal";
    case CD_EQUAL: return "equal";
    case CD_AND: return "both";
    case CD_OR: return "either";
    case CD_NOT: return "negated";
    default: return NULL;
    }
}

static void print_table(const printer* w, const cd_reached* r)
{
    cd_text_format(w->text, "%s%d_%d(", w->syntax->table, cd_node_index(w->p->graph, r->node), cd_item_at(w->p->graph, r->node)->derivative);
    print_at(w, r->operand[0], LOOSE);
    cd_text_add(w->text, ")");
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
        cd_print_number(w->text, c, s->number_end);
        if (braces || lift) cd_text_add(w->text, ")");
        return;
    }
    case CD_INPUT: print_input(w, cd_node_index(w->p->graph, r->node)); return;
    case CD_ADD: print_infix(w, r, "+", SUM, SUM, PRODUCT, wanted); return;
    case CD_SUB: print_infix(w, r, "-", SUM, SUM, PRODUCT, wanted); return;
    case CD_MUL: print_infix(w, r, "*", PRODUCT, PRODUCT, TIGHT, wanted); return;
    case CD_DIV: print_infix(w, r, "/", PRODUCT, PRODUCT, TIGHT, wanted); return;
    case CD_NEG:
        if (is_plain_difference(w->p, r->operand[0])) {  // -(a - b) = b - a
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
    case CD_EQUAL: print_infix(w, r, cd_operation_text(o), LOOSE, SUM, SUM, wanted); return;
    case CD_AND: print_infix(w, r, s->both, LOOSE, TIGHT, TIGHT, wanted); return;
    case CD_OR: print_infix(w, r, s->either, LOOSE, TIGHT, TIGHT, wanted); return;
    case CD_NOT: print_call(w, r, "", s->negated, ""); return;
    case CD_TABLE: print_table(w, r); return;
    case CD_HOLD: print_at(w, r->operand[0], wanted); return;
    default: break;
    }
    const char* call = call_of(s, o);
    const char* other = s->function ? s->function(o) : NULL;
    if (other) print_call(w, r, "", other, "");
    else if (call) print_call(w, r, "", call, "");
    else print_call(w, r, s->functions, cd_operation_text(o), s->suffix);
}

static void print_place(const printer* w, int at)
{
    const cd_value* v = &w->p->value[at];
    cd_text_format(w->text, "%s[%d]", w->p->pack[v->pack].local ? "p" : "g", w->p->pack[v->pack].slot + v->lane);
}

static void print_at(const printer* w, int at, binding wanted)
{
    const cd_value* v = &w->p->value[at];
    if (v->pack >= 0) print_place(w, at);
    else if (v->angle >= 0)
        cd_text_format(w->text, "%s[%d]", cd_node_operation(w->p->graph, w->p->reach.list[at].node) == CD_SIN ? "sine" : "cosine", v->angle);
    else if (v->name < 0) print_operation(w, at, wanted);
    else if (v->slot >= 0) cd_text_format(w->text, "w%s%d%s", w->syntax->open, v->slot + w->syntax->base, w->syntax->close);
    else cd_text_format(w->text, "t%d", v->name);
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

// What computes twin k.
static void print_twin(const printer* w, int part, int a, int b, binding wanted, bool top)
{
    const cd_program * p = w->p;
    const cd_reached * r = &p->reach.list[a], *s = &p->reach.list[b];
    const cd_operation o = cd_node_operation(p->graph, r->node);
    const cd_pair_kind kind = top ? CD_PAIR_INSIDE : cd_pair_of(p, a, b);
    switch (kind) {
    case CD_PAIR_SAME: print_at(w, a, wanted); return;
    case CD_PAIR_PACK: cd_text_format(w->text, "BOTH(%s[%d])", p->pack[p->value[a].pack].local ? "p" : "g", p->pack[p->value[a].pack].slot); return;
    case CD_PAIR_ANGLE: cd_text_format(w->text, "BOTH(%s[%d])", o == CD_SIN ? "sine" : "cosine", p->value[a].angle); return;
    case CD_PAIR_GATHER: cd_text_format(w->text, "BOTH(p[%d])", gathered(p, part, a, b)); return;
    case CD_PAIR_INSIDE: break;
    }
    if (o == CD_NEG && is_plain_difference(p, r->operand[0]) && cd_pair_of(p, r->operand[0], s->operand[0]) == CD_PAIR_INSIDE) {
        const int *x = p->reach.list[r->operand[0]].operand, *y = p->reach.list[s->operand[0]].operand;
        if (wanted > SUM) cd_text_add(w->text, "(");
        print_twin(w, part, x[1], y[1], SUM, false);
        cd_text_add(w->text, " - ");
        print_twin(w, part, x[0], y[0], PRODUCT, false);
        if (wanted > SUM) cd_text_add(w->text, ")");
        return;
    }
    const binding here   = o == CD_ADD || o == CD_SUB ? SUM : o == CD_NEG ? LOOSE : PRODUCT;
    const bool    braces = wanted > here;
    if (braces) cd_text_add(w->text, "(");
    if (o == CD_NEG) cd_text_add(w->text, "-");
    print_twin(w, part, r->operand[0], s->operand[0], o == CD_NEG ? PRODUCT : here, false);
    if (o != CD_NEG) {
        cd_text_format(w->text, " %s ", cd_operation_text(o));
        print_twin(w, part, r->operand[1], s->operand[1], here == SUM ? PRODUCT : TIGHT, false);
    }
    if (braces) cd_text_add(w->text, ")");
}

void cd_print_twins(cd_text* text, const cd_program* p, const cd_syntax* syntax, const cd_sources* in, const cd_pack_of* pack)
{
    print_twin(&(printer){text, p, syntax, in}, pack->part, pack->at[0], pack->at[1], LOOSE, true);
}

// What computes lane k of a pack, from one lane and another: what they share is the same for all.
static void print_lane(const printer* w, int at, int other, int lane, binding wanted, bool top)
{
    const cd_reached *r = &w->p->reach.list[at], *s = &w->p->reach.list[other];
    const cd_operation o = cd_node_operation(w->p->graph, r->node);
    if (!top && at == other) {
        print_at(w, at, wanted);
        return;
    }
    if (!top && w->p->value[at].pack >= 0) {
        cd_text_format(w->text, "g[%d + k]", w->p->pack[w->p->value[at].pack].slot + w->p->value[at].lane - lane);
        return;
    }
    if (o == CD_HOLD) {
        print_lane(w, r->operand[0], s->operand[0], lane, wanted, false);
        return;
    }
    if (o == CD_NEG && r->operand[0] != s->operand[0] && is_plain_difference(w->p, r->operand[0])) {
        const int *x = w->p->reach.list[r->operand[0]].operand, *y = w->p->reach.list[s->operand[0]].operand;
        if (wanted > SUM) cd_text_add(w->text, "(");
        print_lane(w, x[1], y[1], lane, SUM, false);
        cd_text_add(w->text, " - ");
        print_lane(w, x[0], y[0], lane, PRODUCT, false);
        if (wanted > SUM) cd_text_add(w->text, ")");
        return;
    }
    const binding here   = o == CD_ADD || o == CD_SUB ? SUM : o == CD_NEG ? LOOSE : PRODUCT;
    const bool    braces = wanted > here;
    if (braces) cd_text_add(w->text, "(");
    if (o == CD_NEG) cd_text_add(w->text, "-");
    print_lane(w, r->operand[0], s->operand[0], lane, o == CD_NEG ? PRODUCT : here, false);
    if (o != CD_NEG) {
        cd_text_format(w->text, " %s ", cd_operation_text(o));
        print_lane(w, r->operand[1], s->operand[1], lane, here == SUM ? PRODUCT : TIGHT, false);
    }
    if (braces) cd_text_add(w->text, ")");
}

void cd_print_pack(cd_text* text, const cd_program* p, const cd_syntax* syntax, const cd_sources* in, int at, int other)
{
    print_lane(&(printer){text, p, syntax, in}, at, other, p->value[at].lane, LOOSE, true);
}
