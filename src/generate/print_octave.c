// SPDX-License-Identifier: BSD-3-Clause
// Octave and MATLAB: one file whose function returns the routines as handles, and a test of itself among them.
#include "generate/syntax.h"

#include <stdio.h>
#include <stdlib.h>

// What Octave answers with complex numbers, or has not.
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

static const cd_syntax syntax = {.functions  = "",
                                 .suffix     = "",
                                 .number_end = "",
                                 .open       = "(",
                                 .close      = ")",
                                 .base       = 1,
                                 .argument   = {"q", "v", "a", "effort", "state", "t", "p", "weight", "multiplier"},
                                 .choose     = "choose",
                                 .absolute   = "abs",
                                 .least      = "least",
                                 .most       = "most",
                                 .remainder  = "modulo",
                                 .sign       = "sign_of",
                                 .table      = "table",
                                 .both       = "&",
                                 .either     = "|",
                                 .negated    = "~",
                                 .truth      = " ~= 0",
                                 .number     = "double",
                                 .infinity   = "Inf",
                                 .nan        = "NaN",
                                 .function   = function_name};

static void print_routine(cd_text* text, const cd_sheet* sheet, int r)
{
    const cd_traced*  traced = &sheet->traced[r];
    const cd_program* p      = &sheet->program[r];
    cd_syntax         here   = syntax;
    char              table[80];
    snprintf(table, sizeof table, "%s_table", traced->routine->name);
    here.table        = table;
    const int nresult = traced->nresult - cd_traced_tells(traced);
    cd_text_format(text, "\n%% %s\nfunction [", traced->routine->summary);
    for (int k = 0; k < nresult; ++k) cd_text_format(text, "%s%s", k ? ", " : "", traced->result[k].name);
    cd_text_format(text, "] = %s(", traced->routine->name);
    const char* comma = "";
    for (int k = 0; k < CD_ARGUMENTS; ++k)
        if (traced->routine->takes & (1U << k)) cd_text_format(text, "%s%s", comma, cd_argument_name[k]), comma = ", ";
    cd_text_add(text, ")\n");
    for (int k = 0; k < traced->nresult; ++k)
        cd_text_format(text, "  %s = zeros(%d, %d);\n", traced->result[k].name, traced->result[k].rows,
                       traced->result[k].columns);
    for (int i = 0; i < p->nline; ++i) {
        const cd_line* line = &p->line[i];
        if (line->output < 0) {
            cd_text_format(text, "  t%d = ", p->value[line->at].name);
            cd_print_expression(text, p, &here, &sheet->in, line->at);
        } else {
            int              o;
            const cd_result* result = cd_output_result(traced, line->output, &o);
            cd_text_format(text, "  %s(%d, %d) = ", result->name, o / result->columns + 1, o % result->columns + 1);
            cd_print_value(text, p, &here, &sheet->in, line->at);
        }
        cd_text_add(text, ";\n");
    }
    cd_text_add(text, nresult < traced->nresult ? "  told(lost);\nend\n" : "end\n");
}

static void print_told(cd_text* text, const cd_sheet* sheet)
{
    char* name;
    if (!cd_sheet_tells(sheet)) return;
    cd_text_add(text, "\nfunction told(lost)\n  name = {");
    for (int k = 1; (name = cd_lost_name(sheet, k)); ++k) {
        if (k > 1) cd_text_add(text, ", ...\n          ");
        cd_escape_octave_string(text, name);
        free(name);
    }
    cd_text_format(text,
                   "};\n  if lost ~= 0\n    error('%s:lost', 'pivots of this code are not those of the state: %%s', "
                   "name{lost});\n  end\nend\n",
                   sheet->name);
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

// Functions as they are in C: NaN outside of their domain, and remainders exact.
static void print_functions(cd_text* text, const cd_sheet* sheet)
{
    static const struct {
        cd_operation operation;
        const char*  text;
    } function[] = {
        {CD_IF, "y = choose(c, a, b)\n  if c ~= 0\n    y = a;\n  else\n    y = b;\n  end\n"},
        {CD_MIN, "a = least(a, b)\n  if b < a\n    a = b;\n  end\n"},
        {CD_MAX, "a = most(a, b)\n  if a < b\n    a = b;\n  end\n"},
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
        if (cd_has_operation(sheet, function[i].operation))
            cd_text_format(text, "\nfunction %send\n", function[i].text);
}

// Routines have tables of their own, numbered as in their graphs.
static void print_tables(cd_text* text, const cd_sheet* sheet)
{
    bool told = false;
    for (int r = 0; r < sheet->ntraced; ++r) {
        const cd_graph* graph = sheet->program[r].graph;
        for (int i = 0; i < graph->ntable; ++i) {
            const cd_table* t = &graph->table[i];
            if (!told)
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
            told = true;
            for (int derivative = 0; derivative < 4; ++derivative) {
                cd_text_format(text, "\nfunction y = %s_table%d_%d(at)\n  y = lookup(", sheet->traced[r].routine->name,
                               i, derivative);
                print_numbers(text, t->count, t->x);
                cd_text_add(text, ", ");
                print_numbers(text, t->count, t->y);
                cd_text_add(text, ", ");
                print_numbers(text, t->count, t->slope);
                cd_text_format(text, ", %d, %d, at);\nend\n", t->cubic, derivative);
            }
        }
    }
}

static void print_test(cd_text* text, const cd_sheet* sheet, int r)
{
    const cd_traced* traced = &sheet->traced[r];
    for (int v = 0; v < sheet->nvector; ++v) {
        const double* x = sheet->input + (size_t)v * (size_t)sheet->in.count;
        cd_text_add(text, "  [");
        const int nresult = traced->nresult - cd_traced_tells(traced);
        for (int k = 0; k < nresult; ++k) cd_text_format(text, "%sr%d", k ? ", " : "", k);
        cd_text_format(text, "] = %s(", traced->routine->name);
        const char* comma = "";
        for (int k = 0; k < CD_ARGUMENTS; ++k) {
            if (!(traced->routine->takes & (1U << k))) continue;
            cd_text_add(text, comma);
            comma = ", ...\n    ";
            print_numbers(text, cd_argument_size(sheet, traced, k), x + cd_argument_first(sheet, k));
        }
        cd_text_add(text, ");\n");
        const double* expected = sheet->expected[r] + (size_t)v * (size_t)traced->noutput;
        for (int k = 0; k < nresult; expected += cd_result_count(&traced->result[k++])) {
            cd_text_format(text, "  check('%s', r%d, ", traced->routine->name, k);
            print_numbers(text, cd_result_count(&traced->result[k]), expected);
            cd_text_format(text, ", %.3g);\n", cd_allowed(sheet, r));
        }
    }
}

static void print(const cd_sheet* sheet, int file, cd_text* text)
{
    (void)file;
    static const cd_comment comment = {"% ", cd_escape_octave_comment};
    cd_text_format(text, "%% octave --eval 'f = %s(); f.selftest()'\n%%\n", sheet->name);
    cd_print_origin(text, sheet, &comment);
    cd_text_add(text, ".\n% Indices below count from 0.\n%\n");
    cd_print_coordinates(text, sheet, &comment);
    cd_text_format(text, "function f = %s()\n", sheet->name);
    for (int r = 0; r < sheet->ntraced; ++r)
        cd_text_format(text, "  f.%s = @%s;\n", sheet->traced[r].routine->name, sheet->traced[r].routine->name);
    cd_text_add(text, "  f.selftest = @selftest;\nend\n");
    print_functions(text, sheet);
    print_tables(text, sheet);
    print_told(text, sheet);
    for (int r = 0; r < sheet->ntraced; ++r) print_routine(text, sheet, r);
    cd_text_add(text, "\nfunction check(name, x, y, allowed)\n"
                      "  x = x.';\n"
                      "  off = max(abs(x(:) - y));\n"
                      "  if ~(off <= allowed)\n"
                      "    error('%s: off by %.3g', name, off);\n"
                      "  end\nend\n\nfunction selftest()\n");
    for (int r = 0; r < sheet->ntraced; ++r) print_test(text, sheet, r);
    cd_text_format(text, "  disp('%s: all results agree');\nend\n", sheet->name);
}

static const char* const taken[] = {
#include "generate/taken_octave.def"
    NULL};

const cd_language cd_language_octave = {.name    = "octave",
                                        .title   = "Octave",
                                        .summary = "Octave and MATLAB, one file of routines",
                                        .nfile   = 1,
                                        .ending  = {".m", NULL},
                                        .taken   = taken,
                                        .bare    = true,
                                        .print   = print};
