// SPDX-License-Identifier: BSD-3-Clause
#include "generate/print/script.h"

#include <stdio.h>

void cd_print_script_numbers(cd_text* text, const cd_script* script, int n, const double* x)
{
    cd_text_add(text, "[");
    for (int i = 0; i < n; ++i) {
        if (i > 0) cd_text_add(text, i % 8 ? script->number_separator : script->number_line_break);
        cd_print_number(text, x[i], "");
    }
    cd_text_add(text, "]");
}

void cd_print_script_arguments(cd_text* text, const cd_traced_routine* traced, const char* separator)
{
    const char* comma = "";
    for (int k = 0; k < CD_ARGUMENT_COUNT; ++k)
        if (traced->routine->arguments & (1U << k))
            cd_text_format(text, "%s%s", comma, cd_argument_name[k]), comma = separator;
}

void cd_print_script_lines(cd_text* text, const cd_script* script, const cd_code_unit* unit, int r)
{
    const cd_traced_routine* traced = &unit->traced[r];
    const cd_program*        p      = &unit->program[r];
    cd_syntax                syntax = script->expression;
    char                     table[80];
    snprintf(table, sizeof table, "%s%s_table", script->private_prefix, traced->routine->name);
    syntax.table = table;
    for (int i = 0; i < p->nline; ++i) {
        const cd_program_line* line = &p->line[i];
        cd_text_add(text, script->statement_begin);
        if (line->output < 0) {
            cd_text_format(text, "t%d = ", p->value[line->position].temporary);
            cd_print_expression(text, p, &syntax, &unit->in, line->position);
        } else {
            int                      index;
            const cd_routine_result* result = cd_output_result(traced, line->output, &index);
            script->print_element(text, result, index);
            cd_text_add(text, " = ");
            cd_print_value(text, p, &syntax, &unit->in, line->position);
        }
        cd_text_add(text, script->statement_end);
    }
}

// Print one function for each derivative of table i of a routine.
static void print_table(cd_text* text, const cd_script* script, const char* routine, const cd_table* t, int i)
{
    for (int derivative = 0; derivative < 4; ++derivative) {
        cd_text_format(text, "%s%s%s_table%d_%d%s", script->table_begin, script->private_prefix, routine, i, derivative,
                       script->table_lookup);
        for (int k = 0; k < 3; ++k) {
            cd_print_script_numbers(text, script, t->count, (const double*[]){t->x, t->y, t->slope}[k]);
            cd_text_add(text, script->table_separator);
        }
        cd_text_format(text, "%s, %d, %s", script->truth[t->is_cubic], derivative, script->table_end);
    }
}

void cd_print_script_tables(cd_text* text, const cd_script* script, const cd_code_unit* unit)
{
    bool printed = false;
    for (int r = 0; r < unit->ntraced; ++r)
        for (int i = 0; i < unit->program[r].graph->ntable; ++i) {
            if (!printed) cd_text_add(text, script->lookup);
            printed = true;
            print_table(text, script, unit->traced[r].routine->name, &unit->program[r].graph->table[i], i);
        }
}

void cd_print_script_test_arguments(cd_text* text, const cd_script* script, const cd_code_unit* unit, int r, int state)
{
    const cd_traced_routine* traced = &unit->traced[r];
    const double*            x      = unit->test_input + (size_t)state * (size_t)unit->in.count;
    const char*              comma  = "";
    for (int k = 0; k < CD_ARGUMENT_COUNT; ++k) {
        if (!(traced->routine->arguments & (1U << k))) continue;
        cd_text_add(text, comma);
        comma = script->argument_separator;
        if (k == CD_TIME_ARGUMENT && !script->time_is_vector) {
            cd_print_number(text, x[unit->in.time], "");
            continue;
        }
        cd_text_add(text, script->vector_open);
        cd_print_script_numbers(text, script, cd_argument_size(unit, traced, k), x + cd_argument_first(unit, k));
        cd_text_add(text, script->vector_close);
    }
}

int cd_script_result_count(const cd_traced_routine* traced)
{
    return traced->nresult - cd_traced_has_return_code(traced);
}
