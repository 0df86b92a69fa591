// SPDX-License-Identifier: BSD-3-Clause
// C code of vector groups and output runs as loops, and of sparsity patterns as arrays.
#include "generate/print/syntax.h"

// Print the gathers of a pair, then its loop.
static void print_pair(cd_text* text, const cd_code_unit* unit, const cd_program* p, const cd_vector_group* group,
                       const cd_syntax* syntax)
{
    for (int i = 0; i < p->ngather; ++i) {
        const cd_gather* g = &p->gather[i];
        if (g->part != group->part || p->line[g->line].group != p->value[group->position[0]].group) continue;
        cd_text_format(text, "    GATHER(p[%d]", g->slot);
        for (int k = 0; k < 2; ++k) {
            cd_text_add(text, ", ");
            cd_print_value(text, p, syntax, &unit->in, g->position[k]);
        }
        cd_text_add(text, ");\n");
    }
    cd_text_format(text, "    PAIR_LOOP PAIR(%s[%d]) = ", group->is_part_local ? "p" : "g", group->slot);
    cd_print_pair_expression(text, p, syntax, &unit->in, group);
    cd_text_add(text, ";\n");
}

// True if the direct outputs of the group are adjacent in one result.
static bool is_direct_output(const cd_traced_routine* traced, const cd_vector_group* group)
{
    int index;
    return group->direct_output >= 0 &&
           cd_result_count(cd_output_result(traced, group->direct_output, &index)) - index >= group->count;
}

// Lanes of the widest vector registers; loops up to MAX_UNROLLED lanes are unrolled completely.
enum { MAX_VECTOR = 8, MAX_UNROLLED = 32 };

static int loop_length(const cd_vector_group* group)
{
    return group->is_padded && group->direct_output < 0 ? (group->count + 3) / 4 * 4 : group->count;
}

static bool is_unrolled(const cd_vector_group* group)
{
    return !group->is_copy && !group->is_pair && loop_length(group) > MAX_VECTOR && loop_length(group) <= MAX_UNROLLED;
}

// Print a loop over whole vectors, then one over the remaining lanes.
static void print_loops(cd_text* text, const cd_code_unit* unit, const cd_program* p, const cd_vector_group* group,
                        const cd_syntax* syntax, const char* target, int first)
{
    const int count = loop_length(group), vector_end = is_unrolled(group) ? count / MAX_VECTOR * MAX_VECTOR : count;
    for (int from = 0, end = vector_end; from < count; from = end, end = count) {
        cd_text_format(text, "    %sfor (int k = %d; k < %d; ++k) %s[%d + k] = ",
                       end - from > MAX_VECTOR && is_unrolled(group) ? "UNROLL " : "", from, end, target, first);
        cd_print_group_expression(text, p, syntax, &unit->in, group->position[group->lane_a],
                                  group->position[group->lane_b]);
        cd_text_add(text, ";\n");
    }
}

// Print a vector group: copies one by one, all others as loops.
void cd_print_c_group(cd_text* text, const cd_code_unit* unit, const cd_traced_routine* traced, const cd_program* p,
                      const cd_vector_group* group, const cd_syntax* syntax)
{
    const cd_vector_group* head = &p->group[group->strip];
    if (group->is_pair) {
        print_pair(text, unit, p, group, syntax);
        return;
    }
    for (int k = head->stale_end; group->starts_strip && k < head->read_end; ++k)
        cd_text_format(text, "    g[%d] = 0;\n", head->strip_base + k);
    if (is_direct_output(traced, group)) {
        int                      index;
        const cd_routine_result* result = cd_output_result(traced, group->direct_output, &index);
        print_loops(text, unit, p, group, syntax, result->name, index);
        return;
    }
    if (!group->is_copy) {
        print_loops(text, unit, p, group, syntax, "g", group->slot);
        return;
    }
    for (int k = 0; k < group->count; ++k) {
        cd_text_format(text, "    g[%d] = ", group->slot + k);
        if (group->position[k] < 0)
            cd_text_add(text, "0");
        else
            cd_print_value(text, p, syntax, &unit->in, p->subgraph.entry[group->position[k]].operand[0]);
        cd_text_add(text, ";\n");
    }
}

// Print a run of outputs, adjacent lanes of a group or one constant, result by result.
void cd_print_c_output_run(cd_text* text, const cd_code_unit* unit, const cd_traced_routine* traced,
                           const cd_program* p, const cd_program_line* line, const cd_syntax* syntax)
{
    const cd_program_value* v        = &p->value[line->position];
    const bool              in_group = v->group >= 0;
    if (in_group && p->group[v->group].direct_output == line->output && is_direct_output(traced, &p->group[v->group]))
        return;
    int from = in_group ? p->group[v->group].slot + v->lane : 0;
    for (int o = line->output, remaining = line->output_run; remaining > 0;) {
        int                      index;
        const cd_routine_result* result = cd_output_result(traced, o, &index);
        const int available = cd_result_count(result) - index, n = remaining < available ? remaining : available;
        cd_text_format(text, "    for (int k = 0; k < %d; ++k) %s[%d + k] = ", n, result->name, index);
        if (in_group)
            cd_text_format(text, "g[%d + k]", from);
        else
            cd_print_value(text, p, syntax, &unit->in, line->position);
        cd_text_add(text, ";\n");
        o += n, from += n, remaining -= n;
    }
}

static void print_sparsity_array(cd_text* text, const cd_code_unit* unit, int r, const cd_routine_result* result,
                                 bool row, bool defined)
{
    const char* name = unit->traced[r].routine->name;
    cd_text_format(text, "%sconst int %s_%s_%s_%s[%d]", defined ? "" : "extern ", unit->name, name, result->name,
                   row ? "row" : "column", cd_result_array_size(result));
    if (defined && result->nnonzero == 0) cd_text_add(text, " = {0");
    for (int i = 0; defined && i < result->nnonzero; ++i)
        cd_text_format(text, "%s%d",
                       i == 0   ? " = {"
                       : i % 24 ? ", "
                                : ",\n    ",
                       row ? result->nonzero[i] / result->columns : result->nonzero[i] % result->columns);
    cd_text_add(text, defined ? "};\n" : ";\n");
}

static bool any_group(const cd_code_unit* unit, bool (*is)(const cd_vector_group*))
{
    bool any = false;
    for (int r = 0; r < unit->ntraced; ++r)
        for (int i = 0; i < unit->program[r].ngroup; ++i) any = any || is(&unit->program[r].group[i]);
    return any;
}

static bool is_pair_group(const cd_vector_group* group) { return group->is_pair; }

// Print macros that compile with and without vector extensions.
void cd_print_c_group_macros(cd_text* text, const cd_code_unit* unit)
{
    if (any_group(unit, is_unrolled))
        cd_text_add(text, "\n#if defined __GNUC__ && !defined __clang__ && __GNUC__ >= 8\n"
                          "#define UNROLL _Pragma(\"GCC unroll 8\")\n"
                          "#else\n"
                          "#define UNROLL\n"
                          "#endif\n");
    if (!any_group(unit, is_pair_group)) return;
    const char* type = cd_number_type(unit);
    cd_text_format(
        text,
        "\n// Pairs: numbers of two branches that are computed alike, e.g. left and right limbs, are stored side "
        "by side. PAIR(x) is x and the next number.\n"
        "// -DPLAIN compiles without vectors.\n"
        "#if defined __GNUC__ && !defined PLAIN\n"
        "typedef %s pair __attribute__((vector_size(2 * sizeof(%s)), aligned(sizeof(%s)), may_alias));\n"
        "#define PAIR_LOOP\n"
        "#define PAIR(x) (*(pair*)&(x))\n"
        "#define GATHER(x, a, b) (PAIR(x) = (pair){a, b})\n"
        "#else\n"
        "#define PAIR_LOOP for (int k = 0; k < 2; ++k)\n"
        "#define PAIR(x) ((&(x))[k])\n"
        "#define GATHER(x, a, b) ((x) = (a), (&(x))[1] = (b))\n"
        "#endif\n",
        type, type, type);
}

void cd_print_c_sparsity(cd_text* text, const cd_code_unit* unit, int r, bool defined)
{
    const cd_traced_routine* traced = &unit->traced[r];
    for (int k = 0; k < traced->nresult; ++k) {
        const cd_routine_result* result = &traced->result[k];
        if (!result->nonzero) continue;
        cd_text_format(text,
                       "\n// %s is sparse: %d of %d entries, row by row, at these rows and columns, counted from 0\n",
                       result->name, result->nnonzero, result->rows * result->columns);
        if (result->nnonzero == 0) cd_text_add(text, "// (none: the arrays have one entry, at 0, 0, of value 0)\n");
        if (!defined)
            cd_text_format(text, "enum { %s_%s_%s_entries = %d };\n", unit->name, traced->routine->name, result->name,
                           result->nnonzero);
        print_sparsity_array(text, unit, r, result, true, defined);
        print_sparsity_array(text, unit, r, result, false, defined);
    }
}
