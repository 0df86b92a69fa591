// SPDX-License-Identifier: BSD-3-Clause
// Python: one module that needs NumPy. Arguments may have a second axis with one column per state.
#include "generate/print/script.h"

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

static void print_element(cd_text* text, const cd_routine_result* result, int index)
{
    cd_text_format(text, "%s[%d]", result->name, index);
}

static const cd_script script = {
    .expression         = {.function_prefix = "np.",
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
                           .logical_and     = "&",
                           .logical_or      = "|",
                           .logical_not     = "np.logical_not",
                           .nonzero_test    = " != 0",
                           .to_number       = "np.float64",
                           .infinity        = "np.inf",
                           .nan             = "np.nan",
                           .function_name   = function_name},
    .private_prefix     = "_",
    .statement_begin    = "    ",
    .statement_end      = "\n",
    .number_separator   = ", ",
    .number_line_break  = ",\n             ",
    .vector_open        = "np.array(",
    .vector_close       = ")",
    .argument_separator = ",\n        ",
    .print_element      = print_element,
    .lookup =
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
        "    curve = (y[k] + t*(m[k] + t*(c + t*e)), m[k] + t*(2*c + 3*t*e), 2*c + 6*e*t, 6*e + 0*t)[derivative]\n"
        "    return np.where((n > k) & (at >= x[0]), curve, line)\n",
    .table_begin     = "\n\ndef ",
    .table_lookup    = "(at):\n    return _lookup(",
    .table_end       = "at)\n",
    .table_separator = ",\n                   ",
    .truth           = {"False", "True"}};

// np.where evaluates both alternatives, so warnings of the other one are switched off.
static bool has_conditional(const cd_program* p)
{
    for (int i = 0; i < p->subgraph.count; ++i)
        if (cd_node_data_at(p->graph, p->subgraph.entry[i].node)->operation == CD_IF) return true;
    return false;
}

static void print_routine(cd_text* text, const cd_code_unit* unit, int r)
{
    const cd_traced_routine* traced  = &unit->traced[r];
    const int                nresult = cd_script_result_count(traced);
    cd_text_format(text, "\n\n%sdef %s(",
                   has_conditional(&unit->program[r])
                       ? "@np.errstate(divide='ignore', invalid='ignore')  # in branches not taken\n"
                       : "",
                   traced->routine->name);
    cd_print_script_arguments(text, traced, ", ");
    cd_text_format(text, "):\n    \"\"\"%s.\"\"\"\n    states, ", traced->routine->summary);
    cd_print_script_arguments(text, traced, ", ");
    cd_text_add(text, " = _arguments('");
    cd_print_script_arguments(text, traced, " ");
    cd_text_add(text, "', ");
    cd_print_script_arguments(text, traced, ", ");
    cd_text_add(text, ")\n");
    for (int k = 0; k < traced->nresult; ++k)
        cd_text_format(text, "    %s = np.zeros((%d,) + states)\n", traced->result[k].name,
                       cd_result_count(&traced->result[k]));
    cd_print_script_lines(text, &script, unit, r);
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

static void print_test(cd_text* text, const cd_code_unit* unit, int r)
{
    const cd_traced_routine* traced = &unit->traced[r];
    for (int v = 0; v < unit->ntest; ++v) {
        cd_text_format(text, "    check('%s', %s(", traced->routine->name, traced->routine->name);
        cd_print_script_test_arguments(text, &script, unit, r, v);
        cd_text_add(text, "), [");
        const double* expected = unit->expected[r] + (size_t)v * (size_t)traced->noutput;
        for (int k = 0; k < cd_script_result_count(traced); expected += cd_result_count(&traced->result[k++])) {
            if (k > 0) cd_text_add(text, ",\n        ");
            cd_print_script_numbers(text, &script, cd_result_count(&traced->result[k]), expected);
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
    cd_print_script_tables(text, &script, unit);
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
