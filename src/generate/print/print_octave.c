// SPDX-License-Identifier: BSD-3-Clause
// Octave and MATLAB: one file whose function returns handles of the routines and of a self-test.
#include "generate/print/script.h"

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

static void print_element(cd_text* text, const cd_routine_result* result, int index)
{
    cd_text_format(text, "%s(%d, %d)", result->name, index / result->columns + 1, index % result->columns + 1);
}

static const cd_script script = {
    .expression         = {.function_prefix = "",
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
                           .logical_and     = "&",
                           .logical_or      = "|",
                           .logical_not     = "~",
                           .nonzero_test    = " ~= 0",
                           .to_number       = "double",
                           .infinity        = "Inf",
                           .nan             = "NaN",
                           .function_name   = function_name},
    .private_prefix     = "",
    .statement_begin    = "  ",
    .statement_end      = ";\n",
    .number_separator   = "; ",
    .number_line_break  = "; ...\n      ",
    .vector_open        = "",
    .vector_close       = "",
    .time_is_vector     = true,
    .argument_separator = ", ...\n    ",
    .print_element      = print_element,
    .lookup             = "\nfunction y = lookup(x, y, m, cubic, derivative, at)\n"
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
                          "  y = all(derivative + 1);\nend\n",
    .table_begin        = "\nfunction y = ",
    .table_lookup       = "(at)\n  y = lookup(",
    .table_end          = "at);\nend\n",
    .table_separator    = ", ",
    .truth              = {"0", "1"}};

static void print_routine(cd_text* text, const cd_code_unit* unit, int r)
{
    const cd_traced_routine* traced  = &unit->traced[r];
    const int                nresult = cd_script_result_count(traced);
    cd_text_format(text, "\n%% %s\nfunction [", traced->routine->summary);
    for (int k = 0; k < nresult; ++k) cd_text_format(text, "%s%s", k ? ", " : "", traced->result[k].name);
    cd_text_format(text, "] = %s(", traced->routine->name);
    cd_print_script_arguments(text, traced, ", ");
    cd_text_add(text, ")\n");
    for (int k = 0; k < traced->nresult; ++k)
        cd_text_format(text, "  %s = zeros(%d, %d);\n", traced->result[k].name, traced->result[k].rows,
                       traced->result[k].columns);
    cd_print_script_lines(text, &script, unit, r);
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

static void print_test(cd_text* text, const cd_code_unit* unit, int r)
{
    const cd_traced_routine* traced  = &unit->traced[r];
    const int                nresult = cd_script_result_count(traced);
    for (int v = 0; v < unit->ntest; ++v) {
        cd_text_add(text, "  [");
        for (int k = 0; k < nresult; ++k) cd_text_format(text, "%sr%d", k ? ", " : "", k);
        cd_text_format(text, "] = %s(", traced->routine->name);
        cd_print_script_test_arguments(text, &script, unit, r, v);
        cd_text_add(text, ");\n");
        const double* expected = unit->expected[r] + (size_t)v * (size_t)traced->noutput;
        for (int k = 0; k < nresult; expected += cd_result_count(&traced->result[k++])) {
            cd_text_format(text, "  check('%s', r%d, ", traced->routine->name, k);
            cd_print_script_numbers(text, &script, cd_result_count(&traced->result[k]), expected);
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
    cd_print_script_tables(text, &script, unit);
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
