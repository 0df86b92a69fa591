// SPDX-License-Identifier: BSD-3-Clause
// What the doctor found, in words: loops, the equations that close them, what repeats and why, the pose.
#include "cli/check.h"

#include "cli/messages.h"
#include "cli/print.h"
#include "cli/values.h"

#include <stdio.h>
#include <string.h>

enum { LOOPS_SHOWN = 6, TIES_SHOWN = 8, MARGIN = 11, WIDTH = 118 };

// A paragraph beside its label, broken at spaces.
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

// "A, B and C"; of many the first two and the last.
static void say_others(const cardan_model* m, const cardan_loop* loop, cd_text* text)
{
    const int  others = loop->njoint - 1;
    const bool many   = others > 6;
    for (int i = 0, told = 0; i < loop->njoint; ++i) {
        if (loop->joint[i] == loop->closed_at) continue;
        ++told;
        if (many && told > 2 && told < others) continue;
        const char* before = told == 1 ? "" : told < others ? ", " : many ? " ... " : " and ";
        cd_text_format(text, "%s%s", before, m->joint[loop->joint[i]].name);
    }
}

static void say_equations(const cardan_model* m, const cardan_loop* loop, cd_text* text)
{
    cd_text_format(text, "%s adds %s, ", m->joint[loop->closed_at].name,
                   cd_plural(loop->rows, "equation", "equations").text);
    if (loop->repeated == 0) {
        cd_text_add(text, loop->rows == 1 ? "and it counts." : "and all of them count.");
        return;
    }
    if (loop->repeated == loop->rows)
        cd_text_add(text, "all of them repeat what ");
    else
        cd_text_format(text, "%d of them repeat%s what ", loop->repeated, loop->repeated == 1 ? "s" : "");
    say_others(m, loop, text);
    cd_text_format(text, " already ensure%s: %s. Solved with", loop->njoint == 2 ? "s" : "", loop->reason);
    if (loop->repeated == loop->rows)
        cd_text_add(text, "out it.");
    else
        cd_text_format(text, " %d.", loop->rows - loop->repeated);
    if (!loop->loose[0]) return;
    cd_text_format(text, " %c%s are therefore not unique", loop->loose[0] - 'a' + 'A', loop->loose + 1);
    if (loop->repair[0]) cd_text_format(text, "; to make them unique %s", loop->repair);
    cd_text_add(text, ".");
}

static void say_likewise(const cardan_model* m, const cardan_loop* loop, int like, cd_text* text)
{
    cd_text_format(text, "%s adds %s, %d of them repeat%s others as in loop %d", m->joint[loop->closed_at].name,
                   cd_plural(loop->rows, "equation", "equations").text, loop->repeated, loop->repeated == 1 ? "s" : "",
                   like + 1);
    if (loop->repair[0]) cd_text_format(text, "; to make its reactions unique %s", loop->repair);
    cd_text_add(text, ".");
}

// The first loop with the same story, or the loop itself.
static int same_story(const cardan_diagnosis* g, int l)
{
    const cardan_loop* loop = &g->loop[l];
    for (int k = 0; k < l && loop->repeated > 0; ++k)
        if (g->loop[k].rows == loop->rows && g->loop[k].repeated == loop->repeated &&
            strcmp(g->loop[k].reason, loop->reason) == 0)
            return k;
    return l;
}

static void say_story(const cardan_model* m, const cardan_diagnosis* g, int l, cd_text* text)
{
    const int like = same_story(g, l);
    if (like < l)
        say_likewise(m, &g->loop[l], like, text);
    else
        say_equations(m, &g->loop[l], text);
}

static void print_loop(const cardan_model* m, const cardan_diagnosis* g, int l)
{
    const cardan_loop* loop = &g->loop[l];
    cd_text            text = {0};
    cd_word            label;
    snprintf(label.text, sizeof label.text, "loop %d", l + 1);
    cd_text_format(&text, "%s, closed at %s", loop->path, m->joint[loop->closed_at].name);
    print_paragraph(label.text, cd_words_of(&text));
    cd_text_free(&text);
    if (!g->counted) return;
    say_story(m, g, l, &text);
    print_paragraph("", cd_words_of(&text));
    cd_text_free(&text);
}

// "gear mesh": what kind of constraint, and its name; "driver wrist:2": that of a second coordinate.
static void say_tie(const cardan_tie* tie, cd_text* text)
{
    cd_text_format(text, "%s %s", tie->type, tie->name);
    if (tie->coordinate > 0) cd_text_format(text, ":%d", tie->coordinate);
}

// Constraints beside the joints that count, told together.
static void say_sound_ties(const cardan_diagnosis* g, cd_text* text)
{
    int count = 0, rows = 0, told = 0;
    for (int i = 0; i < g->ntie; ++i)
        if (g->tie[i].repeated == 0) ++count, rows += g->tie[i].rows;
    for (int i = 0; i < g->ntie && told < TIES_SHOWN; ++i) {
        if (g->tie[i].repeated > 0) continue;
        cd_text_add(text, told == 0 ? "" : told == count - 1 ? " and " : ", ");
        say_tie(&g->tie[i], text);
        ++told;
    }
    if (count > told) cd_text_format(text, " and %d more", count - told);
    if (count > 0)
        cd_text_format(text, " add%s %s%s.", count == 1 ? "s" : "", cd_plural(rows, "equation", "equations").text,
                       !g->counted ? ""
                       : rows == 1 ? ", and it counts"
                                   : ", and all of them count");
}

// Constraints beside the joints that repeat what others ensure, and what they leave open.
static void say_repeated_ties(const cardan_diagnosis* g, cd_text* text)
{
    for (int i = 0, told = 0; i < g->ntie && told < TIES_SHOWN; ++i) {
        const cardan_tie* tie = &g->tie[i];
        if (tie->repeated == 0) continue;
        if (text->length > 0) cd_text_add(text, " ");
        say_tie(tie, text);
        cd_text_format(text, " adds %s, ", cd_plural(tie->rows, "equation", "equations").text);
        if (tie->rows == 1)
            cd_text_add(text, "which repeats");
        else if (tie->repeated == tie->rows)
            cd_text_add(text, "all of them repeat");
        else
            cd_text_format(text, "%d of them repeat%s", tie->repeated, tie->repeated == 1 ? "s" : "");
        cd_text_add(text, " what others already ensure.");
        ++told;
    }
    if (g->loose[0]) cd_text_format(text, " %c%s are therefore not unique.", g->loose[0] - 'a' + 'A', g->loose + 1);
}

static void print_ties(const cardan_diagnosis* g)
{
    cd_text text = {0};
    say_sound_ties(g, &text);
    say_repeated_ties(g, &text);
    if (text.length > 0 || text.failed) print_paragraph("more", cd_words_of(&text));
    cd_text_free(&text);
}

void cd_check_loop_notes(const cd_facts* f, cd_json* json)
{
    const cardan_diagnosis* g = f->g;
    for (int l = 0; g && g->counted && l < g->nloop && l < LOOPS_SHOWN; ++l) {
        cd_text text = {0};
        if (g->loop[l].repeated == 0) continue;
        cd_text_format(&text, "note: loop %d, %s: ", l + 1, g->loop[l].path);
        say_story(f->m, g, l, &text);
        cd_json_string(json, NULL, cd_words_of(&text));
        cd_text_free(&text);
    }
    cd_text text = {0};
    cd_text_add(&text, "note:");
    const size_t before = text.length;
    if (g && g->counted) say_repeated_ties(g, &text);
    if (text.length > before || text.failed) cd_json_string(json, NULL, cd_words_of(&text));
    cd_text_free(&text);
}

void cd_check_loops(const cd_facts* f)
{
    const cardan_diagnosis* g = f->g;
    for (int l = 0; l < g->nloop && l < LOOPS_SHOWN; ++l) print_loop(f->m, g, l);
    if (g->loops > LOOPS_SHOWN)
        cd_print("           ... and %s\n", cd_plural(g->loops - LOOPS_SHOWN, "more loop", "more loops").text);
    print_ties(g);
    if (g->counted && g->loops + g->ntie > 1) {
        cd_print("  closure  %s", cd_plural(g->equations, "equation", "equations").text);
        if (g->redundant == 0)
            cd_print(", all independent\n");
        else
            cd_print(", %d of them independent: %d repeat%s others\n", g->equations - g->redundant, g->redundant,
                     g->redundant == 1 ? "s" : "");
    }
    if (!g->counted && g->closes && g->rows > 0)
        cd_print("  closure  %s; too many to count which of them repeat others\n",
                 cd_plural(g->equations, "equation", "equations").text);
    if (!g->pose[0]) return;
    cd_text text = {0};
    if (f->c->assembled.position > 1e-9)
        cd_text_format(&text, "open by %s m or rad as described; ", cd_small_word(f->c->assembled.position).text);
    cd_text_add(&text, g->pose);
    print_paragraph("pose", cd_words_of(&text));
    cd_text_free(&text);
}
