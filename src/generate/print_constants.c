// SPDX-License-Identifier: BSD-3-Clause
// Constants among results of batches: zeros of matrices are many. They are written between sines, which write little
// else, and what is left with the results before them.
//
// Where a vector is less than a line of caches, two equal constants that stand side by side are shared out: instead of
// its part of both lines, vector k of a block writes two vectors after each other, the k-th two of both lines. All of
// them together write the same, and processors take neighbours into a line at once. RESULT_two is where those of a
// vector begin.
#include "generate/syntax.h"

enum { CONSTANTS = 16 }; // constants that are written beside two sines

static bool is_constant(const cd_program* p, int output)
{
    double value;
    return p->place[output] >= 0 && cd_node_is_constant(p->graph, p->reach.list[p->place[output]].node, &value);
}

// Of outputs first to behind, which are those of a result: how many equal constants begin at one of them.
static int run_from(const cd_program* p, int output, int behind)
{
    int end = output;
    while (end < behind && is_constant(p, end) && p->place[end] == p->place[output]) ++end;
    return end - output;
}

static int behind_result(const cd_traced* traced, int output, int* first)
{
    int              index;
    const cd_result* result = cd_output_result(traced, output, &index);
    *first                  = output - index;
    return *first + cd_result_count(result);
}

typedef enum { ALONE, FIRST_OF_TWO, SECOND_OF_TWO } place_in_two;

static place_in_two place_of(const cd_traced* traced, const cd_program* p, int output)
{
    int       first, begin = output;
    const int behind = behind_result(traced, output, &first);
    while (begin > first && is_constant(p, begin - 1) && p->place[begin - 1] == p->place[output]) --begin;
    const int run = run_from(p, begin, behind), at = output - begin;
    if (at == run - 1 && run % 2 == 1) return ALONE;
    return at % 2 ? SECOND_OF_TWO : FIRST_OF_TWO;
}

bool cd_has_twos(const cd_traced* traced, const cd_program* p, int result)
{
    int first = 0;
    for (int k = 0; k < result; ++k) first += cd_result_count(&traced->result[k]);
    const int behind = first + cd_result_count(&traced->result[result]);
    for (int output = first; output + 1 < behind; ++output)
        if (is_constant(p, output) && p->place[output] == p->place[output + 1]) return true;
    return false;
}

static void print_constant(cd_text* text, const cd_sheet* sheet, const cd_traced* traced, const cd_program* p,
                           int output)
{
    int                o;
    const cd_result*   result = cd_output_result(traced, output, &o);
    const place_in_two place  = place_of(traced, p, output);
    if (place == SECOND_OF_TWO) return;
    for (int k = 0; k < (place == FIRST_OF_TWO ? 2 : 1); ++k) {
        cd_text_format(text, "    %s%s[%d * VECTORS%s] = vector_of(", result->name, place == FIRST_OF_TWO ? "_two" : "",
                       o, k > 0 ? " + 1" : "");
        cd_print_number(text, cd_node_value(p->graph, p->reach.list[p->place[output]].node), sheet->single ? "f" : "");
        cd_text_add(text, ");\n");
    }
}

// The first output behind the constants that go with sines.
static int constants_left(const cd_program* p)
{
    int room = (p->nangle + 1) / 2 * CONSTANTS, output = 0;
    while (output < p->noutput && room > 0) room -= is_constant(p, output++);
    return output;
}

void cd_print_constants_from(cd_text* text, const cd_sheet* sheet, const cd_traced* traced, const cd_program* p,
                             int output)
{
    for (; output < p->noutput && is_constant(p, output); ++output)
        if (output >= constants_left(p)) print_constant(text, sheet, traced, p, output);
}

// Four at a time, two where constants go between.
void cd_print_vector_waves(cd_text* text, const cd_sheet* sheet, const cd_traced* traced, const cd_program* p)
{
    int  output   = 0;
    bool constant = false;
    for (int i = 0; i < p->noutput; ++i) constant = constant || is_constant(p, i);
    for (int i = 0, n; i < p->nangle; i += n) {
        n = !constant && i + 2 < p->nangle ? 4 : 2;
        cd_text_format(text, "    %s vector_waves%d(angle + %d, sine + %d, cosine + %d);\n",
                       i == 0 ? "vector away =" : "away +=", n, i, i, i);
        for (int room = CONSTANTS; output < p->noutput && room > 0; ++output)
            if (is_constant(p, output)) print_constant(text, sheet, traced, p, output), --room;
    }
    cd_text_format(text, "    if (vector_is_far(away)) vector_waves_far(%d, angle, sine, cosine);\n", p->nangle);
}
