// SPDX-License-Identifier: BSD-3-Clause
// Python: one module that needs NumPy. Arguments may have a second axis with one column per state.
#include "generate/print/syntax.h"

#include <stdio.h>
#include <stdlib.h>

static const char* function_name(cd_operation o)
{
    switch (o) {
    case CD_ASIN:
        return "np.arcsin";
    case CD_ACOS:
        return "np.arccos";
    case CD_ATAN:
        return "np.arctan";
    case CD_ATAN2:
        return "np.arctan2";
    case CD_POW:
        return "np.power";
    default:
        return NULL;
    }
}

static const cd_syntax syntax = {.function_prefix = "np.",
                                 .function_suffix = "",
                                 .number_suffix   = "",
                                 .index_open      = "[",
                                 .index_close     = "]",
                                 .choose          = "np.where",
                                 .absolute        = "np.abs",
                                 .minimum         = "_minimum",
                                 .maximum         = "_maximum",
                                 .modulo          = "np.mod",
                                 .sign            = "_sign",
                                 .table           = "_table",
                                 .logical_and     = "&",
                                 .logical_or      = "|",
                                 .logical_not     = "np.logical_not",
                                 .nonzero_test    = " != 0",
                                 .to_number       = "np.float64",
                                 .infinity        = "np.inf",
                                 .nan             = "np.nan",
                                 .function_name   = function_name};

static void print_arguments(cd_text* text, const cd_traced_routine* traced, const char* separator)
{
    const char* comma = "";
    for (int k = 0; k < CD_ARGUMENT_COUNT; ++k)
        if (traced->routine->arguments & (1U << k))
            cd_text_format(text, "%s%s", comma, cd_argument_name[k]), comma = separator;
}

// np.where evaluates both alternatives, so warnings of the other one are switched off.
static bool has_conditional(const cd_program* p)
{
    for (int i = 0; i < p->subgraph.count; ++i)
        if (cd_node_data_at(p->graph, p->subgraph.entry[i].node)->operation == CD_IF) return true;
    return false;
}

static void print_routine(cd_text* text, const cd_code_unit* unit, int r)
{
    const cd_traced_routine* traced         = &unit->traced[r];
    const cd_program*        p              = &unit->program[r];
    cd_syntax                routine_syntax = syntax;
    char                     table[80];
    snprintf(table, sizeof table, "_%s_table", traced->routine->name);
    routine_syntax.table = table;
    cd_text_format(text, "\n\n%sdef %s(",
                   has_conditional(p) ? "@np.errstate(divide='ignore', invalid='ignore')  # in branches not taken\n"
                                      : "",
                   traced->routine->name);
    print_arguments(text, traced, ", ");
    cd_text_format(text, "):\n    \"\"\"%s.\"\"\"\n    states, ", traced->routine->summary);
    print_arguments(text, traced, ", ");
    cd_text_add(text, " = _arguments('");
    print_arguments(text, traced, " ");
    cd_text_add(text, "', ");
    print_arguments(text, traced, ", ");
    cd_text_add(text, ")\n");
    const int nresult = traced->nresult - cd_traced_has_return_code(traced);
    for (int k = 0; k < traced->nresult; ++k)
        cd_text_format(text, "    %s = np.zeros((%d,) + states)\n", traced->result[k].name,
                       cd_result_count(&traced->result[k]));
    for (int i = 0; i < p->nline; ++i) {
        const cd_program_line* line = &p->line[i];
        int                    o;
        if (line->output < 0) {
            cd_text_format(text, "    t%d = ", p->value[line->position].temporary);
            cd_print_expression(text, p, &routine_syntax, &unit->in, line->position);
        } else {
            const cd_routine_result* result = cd_output_result(traced, line->output, &o);
            cd_text_format(text, "    %s[%d] = ", result->name, o);
            cd_print_value(text, p, &routine_syntax, &unit->in, line->position);
        }
        cd_text_add(text, "\n");
    }
    cd_text_add(text, nresult < traced->nresult ? "    return _check_validity(invalid[0], " : "    return ");
    for (int k = 0; k < nresult; ++k) {
        const cd_routine_result* result = &traced->result[k];
        if (result->columns > 1)
            cd_text_format(text, "%s%s.reshape((%d, %d) + states)", k ? ", " : "", result->name, result->rows,
                           result->columns);
        else
            cd_text_format(text, "%s%s", k ? ", " : "", result->name);
    }
    cd_text_add(text, nresult < traced->nresult ? ")\n" : "\n");
}

// Print the helper functions. Arguments without an axis of states are the same for all states.
static void print_helpers(cd_text* text, const cd_code_unit* unit)
{
    cd_text_add(text,
                "\n\ndef _arguments(names, *given):\n"
                "    given = [np.asarray(x, float)[()] for x in given]\n"
                "    shapes = [np.shape(x)[name != 't':] for name, x in zip(names.split(), given)]\n"
                "    try:\n"
                "        return (np.broadcast_shapes(*shapes), *given)\n"
                "    except ValueError:\n"
                "        described = ', '.join(f'{name} {shape}' for name, shape in zip(names.split(), shapes))\n"
                "        raise ValueError('arguments differ in their numbers of states: ' + described) from None\n");
    // results for NaN as in C
    if (cd_has_operation(unit, CD_MIN))
        cd_text_add(text, "\n\ndef _minimum(a, b):\n    return np.where(b < a, b, a)\n");
    if (cd_has_operation(unit, CD_MAX))
        cd_text_add(text, "\n\ndef _maximum(a, b):\n    return np.where(a < b, b, a)\n");
    if (cd_has_operation(unit, CD_SIGN))
        cd_text_add(text, "\n\ndef _sign(a):\n    return np.float64(a > 0) - np.float64(a < 0)\n");
}

// Print the validity check: an exception if the single state is invalid; with several states, NaN for those that are.
static void print_check_validity(cd_text* text, const cd_code_unit* unit)
{
    char* name;
    if (!cd_code_unit_has_return_code(unit)) return;
    cd_text_add(text, "import warnings\n\n_constraint_name = [''");
    for (int k = 1; (name = cd_return_code_name(unit, k)); ++k) {
        cd_text_add(text, ",\n         ");
        cd_escape_python_string(text, name);
        free(name);
    }
    cd_text_add(
        text,
        "]\n\n\ndef _check_validity(invalid, *results):\n"
        "    if np.any(invalid):\n"
        "        why = 'pivots of this code are not valid at this state: ' + _constraint_name[int(np.max(invalid))]\n"
        "        if np.ndim(invalid) == 0:\n"
        "            raise ArithmeticError(why)\n"
        "        warnings.warn(f'{np.count_nonzero(invalid)} states are invalid: ' + why, RuntimeWarning, 3)\n"
        "        for x in results:\n"
        "            x[..., invalid != 0] = np.nan\n"
        "    return results if len(results) > 1 else results[0]\n");
}

static void print_numbers(cd_text* text, int n, const double* x)
{
    cd_text_add(text, "[");
    for (int i = 0; i < n; ++i) {
        if (i > 0) cd_text_add(text, i % 8 ? ", " : ",\n             ");
        cd_print_number(text, x[i], "");
    }
    cd_text_add(text, "]");
}

// Print tables with their points and slopes, and the same lookup function as in C. Every routine has separate tables,
// numbered as in its graph.
static void print_tables(cd_text* text, const cd_code_unit* unit)
{
    bool printed = false;
    for (int r = 0; r < unit->ntraced; ++r) {
        const cd_graph* graph = unit->program[r].graph;
        for (int i = 0; i < graph->ntable; ++i) {
            const cd_table* t = &graph->table[i];
            if (!printed)
                cd_text_add(text,
                            "\n\ndef _lookup(x, y, m, cubic, derivative, at):\n"
                            "    k = np.clip(np.searchsorted(x, at, side='right') - 1, 0, len(x) - 1)\n"
                            "    n = np.minimum(k + 1, len(x) - 1)\n"
                            "    x, y, m = np.array(x), np.array(y), np.array(m)\n"
                            "    t = at - x[k]\n"
                            "    line = y[k] + m[k]*t if derivative == 0 else m[k] + 0*t if derivative == 1 else 0*t\n"
                            "    if not cubic:\n        return line\n"
                            "    h = np.where(n > k, x[n] - x[k], 1)\n"
                            "    d = (y[n] - y[k])/h\n"
                            "    c, e = (3*d - 2*m[k] - m[n])/h, (m[k] + m[n] - 2*d)/(h*h)\n"
                            "    curve = (y[k] + t*(m[k] + t*(c + t*e)), m[k] + t*(2*c + 3*t*e), 2*c + 6*e*t, 6*e + "
                            "0*t)[derivative]\n"
                            "    return np.where((n > k) & (at >= x[0]), curve, line)\n");
            printed = true;
            for (int derivative = 0; derivative < 4; ++derivative) {
                cd_text_format(text, "\n\ndef _%s_table%d_%d(at):\n    return _lookup(", unit->traced[r].routine->name,
                               i, derivative);
                print_numbers(text, t->count, t->x);
                cd_text_add(text, ",\n                   ");
                print_numbers(text, t->count, t->y);
                cd_text_add(text, ",\n                   ");
                print_numbers(text, t->count, t->slope);
                cd_text_format(text, ",\n                   %s, %d, at)\n", t->is_cubic ? "True" : "False", derivative);
            }
        }
    }
}

static void print_test(cd_text* text, const cd_code_unit* unit, int r)
{
    const cd_traced_routine* traced = &unit->traced[r];
    for (int v = 0; v < unit->ntest; ++v) {
        const double* x = unit->test_input + (size_t)v * (size_t)unit->in.count;
        cd_text_format(text, "    check('%s', %s(", traced->routine->name, traced->routine->name);
        const char* comma = "";
        for (int k = 0; k < CD_ARGUMENT_COUNT; ++k) {
            if (!(traced->routine->arguments & (1U << k))) continue;
            cd_text_add(text, comma);
            comma = ",\n        ";
            if (k == 5)
                cd_print_number(text, x[unit->in.time], "");
            else {
                cd_text_add(text, "np.array(");
                print_numbers(text, cd_argument_size(unit, traced, k), x + cd_argument_first(unit, k));
                cd_text_add(text, ")");
            }
        }
        cd_text_add(text, "), [");
        const double* expected = unit->expected[r] + (size_t)v * (size_t)traced->noutput;
        for (int k = 0; k < traced->nresult - cd_traced_has_return_code(traced);
             expected += cd_result_count(&traced->result[k++])) {
            if (k > 0) cd_text_add(text, ",\n        ");
            print_numbers(text, cd_result_count(&traced->result[k]), expected);
        }
        cd_text_format(text, "], %.3g)\n", cd_test_tolerance(unit, r));
    }
}

static void print(const cd_code_unit* unit, int file, cd_text* text)
{
    (void)file;
    static const cd_comment comment = {"# ", cd_escape_python_comment};
    cd_text_format(text, "# python3 %s.py\n#\n", unit->name);
    cd_print_origin(text, unit, &comment);
    cd_text_add(text, "; run it to execute its self-test.\n#\n");
    cd_print_coordinates(text, unit, &comment);
    cd_text_add(text, "import numpy as np\n");
    print_check_validity(text, unit);
    print_helpers(text, unit);
    print_tables(text, unit);
    for (int r = 0; r < unit->ntraced; ++r) print_routine(text, unit, r);
    cd_text_add(text, "\n\nif __name__ == '__main__':\n"
                      "    def check(name, results, expected, allowed):\n"
                      "        for x, y in zip(results if isinstance(results, tuple) else (results,), expected):\n"
                      "            y = np.array(y)\n"
                      "            off = np.max(np.abs(x.ravel() - y), initial=0)\n"
                      "            if not off <= allowed:\n"
                      "                raise SystemExit(f'{name}: differs by {off:.3g}')\n\n");
    for (int r = 0; r < unit->ntraced; ++r) print_test(text, unit, r);
    cd_text_format(text, "    print('%s: all results agree')\n", unit->name);
}

static const char* const reserved_words[] = {
#include "generate/print/reserved_words_python.def"
    NULL};

const cd_language cd_language_python = {.name           = "python",
                                        .title          = "Python",
                                        .summary        = "Python, one module that needs NumPy",
                                        .nfile          = 1,
                                        .file_suffix    = {".py", NULL},
                                        .reserved_words = reserved_words,
                                        .print          = print};
