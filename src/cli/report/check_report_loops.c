// SPDX-License-Identifier: BSD-3-Clause
// Diagnosis as text: loops, their closure equations, redundant equations with reasons, singularity of the
// configuration.
#include "cli/report/check_report.h"

#include "cli/support/messages.h"
#include "cli/support/terminal_print.h"
#include "cli/report/value_text.h"

#include <stdio.h>
#include <string.h>

enum { LOOPS_SHOWN = 6, EXTRA_CONSTRAINTS_SHOWN = 8, MARGIN = 11, WIDTH = 118 };

// Print a paragraph with a label in the margin, broken at spaces.
static void print_paragraph(const char* label, const char* text)
{
    int column = MARGIN;
    cd_print("  %-*s", MARGIN - 2, label);
    for (const char* word = text; *word;) {
        const int   length = (int)strcspn(word, " ");
        const char* end    = word + length;
        if (column > MARGIN && column + length >= WIDTH) {
            cd_print("\n%*s", MARGIN, "");
            column = MARGIN;
        } else if (word != text) {
            cd_print(" ");
            ++column;
        }
        cd_print("%.*s", length, word);
        column += length;
        word = end + strspn(end, " ");
    }
    cd_print("\n");
}

// Append "A, B and C"; of many joints the first two and the last.
static void append_other_joints(const cardan_model* m, const cardan_loop* loop, cd_text* text)
{
    const int  others = loop->njoint - 1;
    const bool many   = others > 6;
    for (int i = 0, nlisted = 0; i < loop->njoint; ++i) {
        if (loop->joint[i] == loop->closing_joint) continue;
        ++nlisted;
        if (many && nlisted > 2 && nlisted < others) continue;
        const char* before = nlisted == 1 ? "" : nlisted < others ? ", " : many ? " ... " : " and ";
        cd_text_format(text, "%s%s", before, m->joint[loop->joint[i]].name);
    }
}

static void append_loop_equations(const cardan_model* m, const cardan_loop* loop, cd_text* text)
{
    cd_text_format(text, "%s adds %s, ", m->joint[loop->closing_joint].name,
                   cd_plural_text(loop->nrow, "equation", "equations").text);
    if (loop->redundant == 0) {
        cd_text_add(text, loop->nrow == 1 ? "which is independent." : "all of them independent.");
        return;
    }
    if (loop->redundant == loop->nrow)
        cd_text_add(text, "all of them are redundant, as ");
    else
        cd_text_format(text, "%d of them %s redundant, as ", loop->redundant, loop->redundant == 1 ? "is" : "are");
    append_other_joints(m, loop, text);
    cd_text_format(text, " already impose%s the same: %s. Solved with", loop->njoint == 2 ? "s" : "", loop->reason);
    if (loop->redundant == loop->nrow)
        cd_text_add(text, "out it.");
    else
        cd_text_format(text, " %d.", loop->nrow - loop->redundant);
    if (!loop->indeterminate[0]) return;
    cd_text_format(text, " %c%s are therefore not unique", loop->indeterminate[0] - 'a' + 'A', loop->indeterminate + 1);
    if (loop->suggested_joints[0]) cd_text_format(text, "; to make them unique, %s", loop->suggested_joints);
    cd_text_add(text, ".");
}

static void append_same_as_loop(const cardan_model* m, const cardan_loop* loop, int equivalent, cd_text* text)
{
    cd_text_format(text, "%s adds %s, %d of them %s redundant as in loop %d", m->joint[loop->closing_joint].name,
                   cd_plural_text(loop->nrow, "equation", "equations").text, loop->redundant,
                   loop->redundant == 1 ? "is" : "are", equivalent + 1);
    if (loop->suggested_joints[0]) cd_text_format(text, "; to make its reactions unique, %s", loop->suggested_joints);
    cd_text_add(text, ".");
}

// First loop with the same redundancy and reason, or the loop itself.
static int first_equivalent_loop(const cardan_diagnosis* g, int l)
{
    const cardan_loop* loop = &g->loop[l];
    for (int k = 0; k < l && loop->redundant > 0; ++k)
        if (g->loop[k].nrow == loop->nrow && g->loop[k].redundant == loop->redundant &&
            strcmp(g->loop[k].reason, loop->reason) == 0)
            return k;
    return l;
}

static void append_loop_explanation(const cardan_model* m, const cardan_diagnosis* g, int l, cd_text* text)
{
    const int equivalent = first_equivalent_loop(g, l);
    if (equivalent < l)
        append_same_as_loop(m, &g->loop[l], equivalent, text);
    else
        append_loop_equations(m, &g->loop[l], text);
}

static void print_loop(const cardan_model* m, const cardan_diagnosis* g, int l)
{
    const cardan_loop* loop = &g->loop[l];
    cd_text            text = {0};
    cd_value_text      label;
    snprintf(label.text, sizeof label.text, "loop %d", l + 1);
    cd_text_format(&text, "%s, closed at %s", loop->path, m->joint[loop->closing_joint].name);
    print_paragraph(label.text, cd_text_or_empty(&text));
    cd_text_free(&text);
    if (!g->rank_computed) return;
    append_loop_explanation(m, g, l, &text);
    print_paragraph("", cd_text_or_empty(&text));
    cd_text_free(&text);
}

// Append type and name of a constraint: "gear mesh"; "driver wrist:2" for the second coordinate.
static void append_extra_constraint(const cardan_extra_constraint* constraint, cd_text* text)
{
    cd_text_format(text, "%s %s", constraint->type, constraint->name);
    if (constraint->coordinate > 0) cd_text_format(text, ":%d", constraint->coordinate);
}

// Append the constraints without redundant equations, in one sentence.
static void append_independent_constraints(const cardan_diagnosis* g, cd_text* text)
{
    int count = 0, rows = 0, nlisted = 0;
    for (int i = 0; i < g->nextra; ++i)
        if (g->extra[i].redundant == 0) ++count, rows += g->extra[i].nrow;
    for (int i = 0; i < g->nextra && nlisted < EXTRA_CONSTRAINTS_SHOWN; ++i) {
        if (g->extra[i].redundant > 0) continue;
        cd_text_add(text, nlisted == 0 ? "" : nlisted == count - 1 ? " and " : ", ");
        append_extra_constraint(&g->extra[i], text);
        ++nlisted;
    }
    if (count > nlisted) cd_text_format(text, " and %d more", count - nlisted);
    if (count > 0)
        cd_text_format(text, " add%s %s%s.", count == 1 ? "s" : "", cd_plural_text(rows, "equation", "equations").text,
                       !g->rank_computed ? ""
                       : rows == 1       ? ", which is independent"
                                         : ", all of them independent");
}

// Append the constraints with redundant equations, and the reactions that are therefore not unique.
static void append_redundant_constraints(const cardan_diagnosis* g, cd_text* text)
{
    for (int i = 0, nlisted = 0; i < g->nextra && nlisted < EXTRA_CONSTRAINTS_SHOWN; ++i) {
        const cardan_extra_constraint* constraint = &g->extra[i];
        if (constraint->redundant == 0) continue;
        if (text->length > 0) cd_text_add(text, " ");
        append_extra_constraint(constraint, text);
        cd_text_format(text, " adds %s, ", cd_plural_text(constraint->nrow, "equation", "equations").text);
        if (constraint->nrow == 1)
            cd_text_add(text, "which is redundant");
        else if (constraint->redundant == constraint->nrow)
            cd_text_add(text, "all of them are redundant");
        else
            cd_text_format(text, "%d of them %s redundant", constraint->redundant,
                           constraint->redundant == 1 ? "is" : "are");
        cd_text_add(text, ", as others already impose the same.");
        ++nlisted;
    }
    if (g->indeterminate[0])
        cd_text_format(text, " %c%s are therefore not unique.", g->indeterminate[0] - 'a' + 'A', g->indeterminate + 1);
}

static void print_extra_constraints(const cardan_diagnosis* g)
{
    cd_text text = {0};
    append_independent_constraints(g, &text);
    append_redundant_constraints(g, &text);
    if (text.length > 0 || text.failed) print_paragraph("more", cd_text_or_empty(&text));
    cd_text_free(&text);
}

void cd_check_write_loop_notes(const cd_check_result* f, cd_json_writer* json)
{
    const cardan_diagnosis* g = f->diagnosis;
    for (int l = 0; g && g->rank_computed && l < g->nloop && l < LOOPS_SHOWN; ++l) {
        cd_text text = {0};
        if (g->loop[l].redundant == 0) continue;
        cd_text_format(&text, "note: loop %d, %s: ", l + 1, g->loop[l].path);
        append_loop_explanation(f->model, g, l, &text);
        cd_json_string(json, NULL, cd_text_or_empty(&text));
        cd_text_free(&text);
    }
    cd_text text = {0};
    cd_text_add(&text, "note:");
    const size_t before = text.length;
    if (g && g->rank_computed) append_redundant_constraints(g, &text);
    if (text.length > before || text.failed) cd_json_string(json, NULL, cd_text_or_empty(&text));
    cd_text_free(&text);
}

void cd_check_print_loops(const cd_check_result* f)
{
    const cardan_diagnosis* g = f->diagnosis;
    for (int l = 0; l < g->nloop && l < LOOPS_SHOWN; ++l) print_loop(f->model, g, l);
    if (g->nloop_total > LOOPS_SHOWN)
        cd_print("           ... and %s\n",
                 cd_plural_text(g->nloop_total - LOOPS_SHOWN, "more loop", "more loops").text);
    print_extra_constraints(g);
    if (g->rank_computed && g->nloop_total + g->nextra > 1) {
        cd_print("  closure  %s", cd_plural_text(g->equations, "equation", "equations").text);
        if (g->redundant == 0)
            cd_print(", all independent\n");
        else
            cd_print(", %d of them independent: %d %s redundant\n", g->equations - g->redundant, g->redundant,
                     g->redundant == 1 ? "is" : "are");
    }
    if (!g->rank_computed && g->assemblable && g->nrow > 0)
        cd_print("  closure  %s; too many to determine which of them are redundant\n",
                 cd_plural_text(g->equations, "equation", "equations").text);
    if (!g->configuration_description[0]) return;
    cd_text text = {0};
    if (f->instance->assembly.position_violation_before > 1e-9)
        cd_text_format(&text, "constraint violation %s m or rad as described; ",
                       cd_two_digit_text(f->instance->assembly.position_violation_before).text);
    cd_text_add(&text, g->configuration_description);
    print_paragraph("config", cd_text_or_empty(&text));
    cd_text_free(&text);
}
