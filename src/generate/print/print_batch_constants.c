// SPDX-License-Identifier: BSD-3-Clause
// Constants among the results of batches, mostly zeros of matrices. They are stored between the evaluations of sines
// and cosines, which store little else; the remaining ones are stored with the results before them.
//
// If a vector is shorter than a cache line, the stores of two adjacent equal constants are divided in another way:
// instead of its share of both cache lines, vector k of a block stores two consecutive vectors, the k-th pair of both
// cache lines. All vectors of the block together store the same, and processors combine consecutive stores to one cache
// line. RESULT_pair is the address of the pair of a vector.
#include "generate/print/syntax.h"

enum { CONSTANTS_PER_SINCOS = 16 }; // constants stored after each evaluation of two sines and cosines

static bool is_constant(const cd_program* p, int output)
{
    double value;
    return p->output_position[output] >= 0 &&
           cd_node_is_constant(p->graph, p->subgraph.entry[p->output_position[output]].node, &value);
}

// Number of equal constants from `output` on, before `limit`, the end of the result.
static int constant_run(const cd_program* p, int output, int limit)
{
    int end = output;
    while (end < limit && is_constant(p, end) && p->output_position[end] == p->output_position[output]) ++end;
    return end - output;
}

static int result_end(const cd_traced_routine* traced, int output, int* first)
{
    int                      index;
    const cd_routine_result* result = cd_output_result(traced, output, &index);
    *first                          = output - index;
    return *first + cd_result_count(result);
}

typedef enum { SINGLE, FIRST_OF_PAIR, SECOND_OF_PAIR } pair_position;

static pair_position pair_position_of(const cd_traced_routine* traced, const cd_program* p, int output)
{
    int       first, begin = output;
    const int limit = result_end(traced, output, &first);
    while (begin > first && is_constant(p, begin - 1) && p->output_position[begin - 1] == p->output_position[output])
        --begin;
    const int run = constant_run(p, begin, limit), at = output - begin;
    if (at == run - 1 && run % 2 == 1) return SINGLE;
    return at % 2 ? SECOND_OF_PAIR : FIRST_OF_PAIR;
}

bool cd_result_has_constant_pairs(const cd_traced_routine* traced, const cd_program* p, int result)
{
    int first = 0;
    for (int k = 0; k < result; ++k) first += cd_result_count(&traced->result[k]);
    const int limit = first + cd_result_count(&traced->result[result]);
    for (int output = first; output + 1 < limit; ++output)
        if (is_constant(p, output) && p->output_position[output] == p->output_position[output + 1]) return true;
    return false;
}

static void print_constant(cd_text* text, const cd_code_unit* unit, const cd_traced_routine* traced,
                           const cd_program* p, int output)
{
    int                      o;
    const cd_routine_result* result   = cd_output_result(traced, output, &o);
    const pair_position      position = pair_position_of(traced, p, output);
    if (position == SECOND_OF_PAIR) return;
    for (int k = 0; k < (position == FIRST_OF_PAIR ? 2 : 1); ++k) {
        cd_text_format(text, "    %s%s[%d * VECTORS%s] = vector_of(", result->name,
                       position == FIRST_OF_PAIR ? "_pair" : "", o, k > 0 ? " + 1" : "");
        cd_print_number(text, cd_node_value(p->graph, p->subgraph.entry[p->output_position[output]].node),
                        unit->single_precision ? "f" : "");
        cd_text_add(text, ");\n");
    }
}

// First output after the constants that are stored between the sines.
static int first_remaining_constant(const cd_program* p)
{
    int remaining = (p->nangle + 1) / 2 * CONSTANTS_PER_SINCOS, output = 0;
    while (output < p->noutput && remaining > 0) remaining -= is_constant(p, output++);
    return output;
}

void cd_print_batch_constants(cd_text* text, const cd_code_unit* unit, const cd_traced_routine* traced,
                              const cd_program* p, int output)
{
    for (; output < p->noutput && is_constant(p, output); ++output)
        if (output >= first_remaining_constant(p)) print_constant(text, unit, traced, p, output);
}

// Print the evaluation of sines and cosines: four angles at a time, or two with constants between.
void cd_print_vector_sincos(cd_text* text, const cd_code_unit* unit, const cd_traced_routine* traced,
                            const cd_program* p)
{
    int  output        = 0;
    bool has_constants = false;
    for (int i = 0; i < p->noutput; ++i) has_constants = has_constants || is_constant(p, i);
    for (int i = 0, n; i < p->nangle; i += n) {
        n = !has_constants && i + 2 < p->nangle ? 4 : 2;
        cd_text_format(text, "    %s vector_sincos%d(angle + %d, sine + %d, cosine + %d);\n",
                       i == 0 ? "vector angle_sq =" : "angle_sq +=", n, i, i, i);
        for (int remaining = CONSTANTS_PER_SINCOS; output < p->noutput && remaining > 0; ++output)
            if (is_constant(p, output)) print_constant(text, unit, traced, p, output), --remaining;
    }
    cd_text_format(text, "    if (vector_is_large(angle_sq)) vector_sincos_large(%d, angle, sine, cosine);\n",
                   p->nangle);
}
