// SPDX-License-Identifier: BSD-3-Clause
// Octave and MATLAB: one file whose function returns handles of the routines and of a self-test.
#include "generate/print/syntax.h"

#include <stdio.h>
#include <stdlib.h>

// Functions that return complex numbers in Octave outside their real domain, or that Octave does not have.
static const char* function_name(cd_operation o)
{
    switch (o) {
    case CD_SQRT:
        return "real_sqrt";
    case CD_LOG:
        return "real_log";
    case CD_ASIN:
        return "real_asin";
    case CD_ACOS:
        return "real_acos";
    case CD_POW:
        return "real_pow";
    default:
        return NULL;
    }
}

static const cd_syntax syntax = {.function_prefix = "",
                                 .function_suffix = "",
                                 .number_suffix   = "",
                                 .index_open      = "(",
                                 .index_close     = ")",
                                 .first_index     = 1,
                                 .choose          = "choose",
                                 .absolute        = "abs",
                                 .minimum         = "minimum",
                                 .maximum         = "maximum",
                                 .modulo          = "modulo",
                                 .sign            = "sign_of",
                                 .table           = "table",
                                 .logical_and     = "&",
                                 .logical_or      = "|",
                                 .logical_not     = "~",
                                 .nonzero_test    = " ~= 0",
                                 .to_number       = "double",
                                 .infinity        = "Inf",
                                 .nan             = "NaN",
                                 .function_name   = function_name};

static void print_routine(cd_text* text, const cd_code_unit* unit, int r)
{
    const cd_traced_routine* traced         = &unit->traced[r];
    const cd_program*        p              = &unit->program[r];
    cd_syntax                routine_syntax = syntax;
    char                     table[80];
    snprintf(table, sizeof table, "%s_table", traced->routine->name);
    routine_syntax.table = table;
    const int nresult    = traced->nresult - cd_traced_has_return_code(traced);
    cd_text_format(text, "\n%% %s\nfunction [", traced->routine->summary);
    for (int k = 0; k < nresult; ++k) cd_text_format(text, "%s%s", k ? ", " : "", traced->result[k].name);
    cd_text_format(text, "] = %s(", traced->routine->name);
    const char* comma = "";
    for (int k = 0; k < CD_ARGUMENT_COUNT; ++k)
        if (traced->routine->arguments & (1U << k))
            cd_text_format(text, "%s%s", comma, cd_argument_name[k]), comma = ", ";
    cd_text_add(text, ")\n");
    for (int k = 0; k < traced->nresult; ++k)
        cd_text_format(text, "  %s = zeros(%d, %d);\n", traced->result[k].name, traced->result[k].rows,
                       traced->result[k].columns);
    for (int i = 0; i < p->nline; ++i) {
        const cd_program_line* line = &p->line[i];
        if (line->output < 0) {
            cd_text_format(text, "  t%d = ", p->value[line->position].temporary);
            cd_print_expression(text, p, &routine_syntax, &unit->in, line->position);
        } else {
            int                      o;
            const cd_routine_result* result = cd_output_result(traced, line->output, &o);
            cd_text_format(text, "  %s(%d, %d) = ", result->name, o / result->columns + 1, o % result->columns + 1);
            cd_print_value(text, p, &routine_syntax, &unit->in, line->position);
        }
        cd_text_add(text, ";\n");
    }
    cd_text_add(text, nresult < traced->nresult ? "  check_validity(invalid);\nend\n" : "end\n");
}

static void print_check_validity(cd_text* text, const cd_code_unit* unit)
{
    char* name;
    if (!cd_code_unit_has_return_code(unit)) return;
    cd_text_add(text, "\nfunction check_validity(invalid)\n  name = {");
    for (int k = 1; (name = cd_return_code_name(unit, k)); ++k) {
        if (k > 1) cd_text_add(text, ", ...\n          ");
        cd_escape_octave_string(text, name);
        free(name);
    }
    cd_text_format(
        text,
        "};\n  if invalid ~= 0\n    error('%s:lost', 'pivots of this code are not valid at this state: %%s', "
        "name{invalid});\n  end\nend\n",
        unit->name);
}

static void print_numbers(cd_text* text, int n, const double* x)
{
    cd_text_add(text, "[");
    for (int i = 0; i < n; ++i) {
        if (i > 0) cd_text_add(text, i % 8 ? "; " : "; ...\n      ");
        cd_print_number(text, x[i], "");
    }
    cd_text_add(text, "]");
}

// Print functions with the behaviour of C: NaN outside of their domain, and exact remainders.
static void print_functions(cd_text* text, const cd_code_unit* unit)
{
    static const struct {
        cd_operation operation;
        const char*  text;
    } function[] = {
        {CD_IF, "y = choose(c, a, b)\n  if c ~= 0\n    y = a;\n  else\n    y = b;\n  end\n"},
        {CD_MIN, "a = minimum(a, b)\n  if b < a\n    a = b;\n  end\n"},
        {CD_MAX, "a = maximum(a, b)\n  if a < b\n    a = b;\n  end\n"},
        {CD_SIGN, "y = sign_of(x)\n  y = double(x > 0) - double(x < 0);\n"},
        {CD_SQRT, "y = real_sqrt(x)\n  y = NaN;\n  if x >= 0\n    y = sqrt(x);\n  end\n"},
        {CD_LOG, "y = real_log(x)\n  y = NaN;\n  if x >= 0\n    y = log(x);\n  end\n"},
        {CD_ASIN, "y = real_asin(x)\n  y = NaN;\n  if abs(x) <= 1\n    y = asin(x);\n  end\n"},
        {CD_ACOS, "y = real_acos(x)\n  y = NaN;\n  if abs(x) <= 1\n    y = acos(x);\n  end\n"},
        {CD_POW, "y = real_pow(a, b)\n"
                 "  if ~(a < 0)\n    y = a^b;\n"
                 "  elseif b ~= fix(b) && a > -Inf\n    y = NaN;\n"
                 "  else\n    y = (1 - 2*(mod(b, 2) == 1))*(-a)^b;\n  end\n"},
        {CD_MOD, "r = modulo(a, b)\n"
                 "  r = NaN;\n"
                 "  if abs(a) < Inf && abs(b) > 0\n"
                 "    r = abs(a);\n"
                 "    [~, k] = log2(abs(b));\n"
                 "    while r >= abs(b)\n"
                 "      [~, n] = log2(r);\n"
                 "      s = pow2(abs(b), n - k);\n"
                 "      r = r - s/(1 + (s > r));\n"
                 "    end\n"
                 "    if r > 0 && (a < 0) ~= (b < 0)\n"
                 "      r = abs(b) - r;\n"
                 "    end\n"
                 "    if b < 0\n"
                 "      r = -r;\n"
                 "    end\n"
                 "  end\n"},
    };
    for (size_t i = 0; i < sizeof function / sizeof *function; ++i)
        if (cd_has_operation(unit, function[i].operation)) cd_text_format(text, "\nfunction %send\n", function[i].text);
}

// Print the tables; every routine has separate tables, numbered as in its graph.
static void print_tables(cd_text* text, const cd_code_unit* unit)
{
    bool printed = false;
    for (int r = 0; r < unit->ntraced; ++r) {
        const cd_graph* graph = unit->program[r].graph;
        for (int i = 0; i < graph->ntable; ++i) {
            const cd_table* t = &graph->table[i];
            if (!printed)
                cd_text_add(text,
                            "\nfunction y = lookup(x, y, m, cubic, derivative, at)\n"
                            "  k = max(1, sum(x <= at));\n"
                            "  d = at - x(k);\n"
                            "  if cubic && at >= x(1) && k < numel(x)\n"
                            "    h = x(k + 1) - x(k);\n"
                            "    s = (y(k + 1) - y(k))/h;\n"
                            "    c = (3*s - 2*m(k) - m(k + 1))/h;\n"
                            "    e = (m(k) + m(k + 1) - 2*s)/(h*h);\n"
                            "    all = [y(k) + d*(m(k) + d*(c + d*e)), m(k) + d*(2*c + 3*d*e), 2*c + 6*e*d, 6*e];\n"
                            "  else\n"
                            "    all = [y(k) + m(k)*d, m(k), 0, 0];\n"
                            "  end\n"
                            "  y = all(derivative + 1);\nend\n");
            printed = true;
            for (int derivative = 0; derivative < 4; ++derivative) {
                cd_text_format(text, "\nfunction y = %s_table%d_%d(at)\n  y = lookup(", unit->traced[r].routine->name,
                               i, derivative);
                print_numbers(text, t->count, t->x);
                cd_text_add(text, ", ");
                print_numbers(text, t->count, t->y);
                cd_text_add(text, ", ");
                print_numbers(text, t->count, t->slope);
                cd_text_format(text, ", %d, %d, at);\nend\n", t->is_cubic, derivative);
            }
        }
    }
}

static void print_test(cd_text* text, const cd_code_unit* unit, int r)
{
    const cd_traced_routine* traced = &unit->traced[r];
    for (int v = 0; v < unit->ntest; ++v) {
        const double* x = unit->test_input + (size_t)v * (size_t)unit->in.count;
        cd_text_add(text, "  [");
        const int nresult = traced->nresult - cd_traced_has_return_code(traced);
        for (int k = 0; k < nresult; ++k) cd_text_format(text, "%sr%d", k ? ", " : "", k);
        cd_text_format(text, "] = %s(", traced->routine->name);
        const char* comma = "";
        for (int k = 0; k < CD_ARGUMENT_COUNT; ++k) {
            if (!(traced->routine->arguments & (1U << k))) continue;
            cd_text_add(text, comma);
            comma = ", ...\n    ";
            print_numbers(text, cd_argument_size(unit, traced, k), x + cd_argument_first(unit, k));
        }
        cd_text_add(text, ");\n");
        const double* expected = unit->expected[r] + (size_t)v * (size_t)traced->noutput;
        for (int k = 0; k < nresult; expected += cd_result_count(&traced->result[k++])) {
            cd_text_format(text, "  check('%s', r%d, ", traced->routine->name, k);
            print_numbers(text, cd_result_count(&traced->result[k]), expected);
            cd_text_format(text, ", %.3g);\n", cd_test_tolerance(unit, r));
        }
    }
}

static void print(const cd_code_unit* unit, int file, cd_text* text)
{
    (void)file;
    static const cd_comment comment = {"% ", cd_escape_octave_comment};
    cd_text_format(text, "%% octave --eval 'f = %s(); f.selftest()'\n%%\n", unit->name);
    cd_print_origin(text, unit, &comment);
    cd_text_add(text, ".\n% Indices below count from 0.\n%\n");
    cd_print_coordinates(text, unit, &comment);
    cd_text_format(text, "function f = %s()\n", unit->name);
    for (int r = 0; r < unit->ntraced; ++r)
        cd_text_format(text, "  f.%s = @%s;\n", unit->traced[r].routine->name, unit->traced[r].routine->name);
    cd_text_add(text, "  f.selftest = @selftest;\nend\n");
    print_functions(text, unit);
    print_tables(text, unit);
    print_check_validity(text, unit);
    for (int r = 0; r < unit->ntraced; ++r) print_routine(text, unit, r);
    cd_text_add(text, "\nfunction check(name, x, y, allowed)\n"
                      "  x = x.';\n"
                      "  off = max(abs(x(:) - y));\n"
                      "  if ~(off <= allowed)\n"
                      "    error('%s: differs by %.3g', name, off);\n"
                      "  end\nend\n\nfunction selftest()\n");
    for (int r = 0; r < unit->ntraced; ++r) print_test(text, unit, r);
    cd_text_format(text, "  disp('%s: all results agree');\nend\n", unit->name);
}

static const char* const reserved_words[] = {
#include "generate/print/reserved_words_octave.def"
    NULL};

const cd_language cd_language_octave = {.name           = "octave",
                                        .title          = "Octave",
                                        .summary        = "Octave and MATLAB, one file of routines",
                                        .nfile          = 1,
                                        .file_suffix    = {".m", NULL},
                                        .reserved_words = reserved_words,
                                        .has_bare_names = true,
                                        .print          = print};
