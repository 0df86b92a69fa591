// SPDX-License-Identifier: BSD-3-Clause
// Python: one module that needs NumPy. Arguments may have a second axis: one column per state.
#include "generate/syntax.h"

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

static const cd_syntax syntax = {.functions  = "np.",
                                 .suffix     = "",
                                 .number_end = "",
                                 .open       = "[",
                                 .close      = "]",
                                 .argument   = {"q", "v", "a", "effort", "state", "t", "p", "weight", "multiplier"},
                                 .choose     = "np.where",
                                 .absolute   = "np.abs",
                                 .least      = "_least",
                                 .most       = "_most",
                                 .remainder  = "np.mod",
                                 .sign       = "_sign",
                                 .table      = "_table",
                                 .both       = "&",
                                 .either     = "|",
                                 .negated    = "np.logical_not",
                                 .truth      = " != 0",
                                 .number     = "np.float64",
                                 .infinity   = "np.inf",
                                 .nan        = "np.nan",
                                 .function   = function_name};

static void print_arguments(cd_text* text, const cd_traced* traced, const char* between)
{
    const char* comma = "";
    for (int k = 0; k < CD_ARGUMENTS; ++k)
        if (traced->routine->takes & (1U << k))
            cd_text_format(text, "%s%s", comma, cd_argument_name[k]), comma = between;
}

// np.where computes both sides.
static bool chooses(const cd_program* p)
{
    for (int i = 0; i < p->reach.count; ++i)
        if (cd_item_at(p->graph, p->reach.list[i].node)->operation == CD_IF) return true;
    return false;
}

static void print_routine(cd_text* text, const cd_sheet* sheet, int r)
{
    const cd_traced*  traced = &sheet->traced[r];
    const cd_program* p      = &sheet->program[r];
    cd_syntax         here   = syntax;
    char              table[80];
    snprintf(table, sizeof table, "_%s_table", traced->routine->name);
    here.table = table;
    cd_text_format(text, "\n\n%sdef %s(",
                   chooses(p) ? "@np.errstate(divide='ignore', invalid='ignore')  # of what is not chosen\n" : "",
                   traced->routine->name);
    print_arguments(text, traced, ", ");
    cd_text_format(text, "):\n    \"\"\"%s.\"\"\"\n    states, ", traced->routine->summary);
    print_arguments(text, traced, ", ");
    cd_text_add(text, " = _arguments('");
    print_arguments(text, traced, " ");
    cd_text_add(text, "', ");
    print_arguments(text, traced, ", ");
    cd_text_add(text, ")\n");
    const int nresult = traced->nresult - cd_traced_tells(traced);
    for (int k = 0; k < traced->nresult; ++k)
        cd_text_format(text, "    %s = np.zeros((%d,) + states)\n", traced->result[k].name,
                       cd_result_count(&traced->result[k]));
    for (int i = 0; i < p->nline; ++i) {
        const cd_line* line = &p->line[i];
        int            o;
        if (line->output < 0) {
            cd_text_format(text, "    t%d = ", p->value[line->at].name);
            cd_print_expression(text, p, &here, &sheet->in, line->at);
        } else {
            const cd_result* result = cd_output_result(traced, line->output, &o);
            cd_text_format(text, "    %s[%d] = ", result->name, o);
            cd_print_value(text, p, &here, &sheet->in, line->at);
        }
        cd_text_add(text, "\n");
    }
    cd_text_add(text, nresult < traced->nresult ? "    return _told(lost[0], " : "    return ");
    for (int k = 0; k < nresult; ++k) {
        const cd_result* result = &traced->result[k];
        if (result->columns > 1)
            cd_text_format(text, "%s%s.reshape((%d, %d) + states)", k ? ", " : "", result->name, result->rows,
                           result->columns);
        else
            cd_text_format(text, "%s%s", k ? ", " : "", result->name);
    }
    cd_text_add(text, nresult < traced->nresult ? ")\n" : "\n");
}

// Arguments that have no axis of states are the same for all.
static void print_shared(cd_text* text, const cd_sheet* sheet)
{
    cd_text_add(text, "\n\ndef _arguments(names, *given):\n"
                      "    given = [np.asarray(x, float)[()] for x in given]\n"
                      "    shapes = [np.shape(x)[name != 't':] for name, x in zip(names.split(), given)]\n"
                      "    try:\n"
                      "        return (np.broadcast_shapes(*shapes), *given)\n"
                      "    except ValueError:\n"
                      "        told = ', '.join(f'{name} {shape}' for name, shape in zip(names.split(), shapes))\n"
                      "        raise ValueError('arguments differ in their numbers of states: ' + told) from None\n");
    // NaN as in C
    if (cd_has_operation(sheet, CD_MIN)) cd_text_add(text, "\n\ndef _least(a, b):\n    return np.where(b < a, b, a)\n");
    if (cd_has_operation(sheet, CD_MAX)) cd_text_add(text, "\n\ndef _most(a, b):\n    return np.where(a < b, b, a)\n");
    if (cd_has_operation(sheet, CD_SIGN))
        cd_text_add(text, "\n\ndef _sign(a):\n    return np.float64(a > 0) - np.float64(a < 0)\n");
}

// One state that is lost is an exception; of many, those that are lost are NaN.
static void print_told(cd_text* text, const cd_sheet* sheet)
{
    char* name;
    if (!cd_sheet_tells(sheet)) return;
    cd_text_add(text, "import warnings\n\n_lost = [''");
    for (int k = 1; (name = cd_lost_name(sheet, k)); ++k) {
        cd_text_add(text, ",\n         ");
        cd_escape_python_string(text, name);
        free(name);
    }
    cd_text_add(text, "]\n\n\ndef _told(lost, *results):\n"
                      "    if np.any(lost):\n"
                      "        why = 'pivots of this code are not those of the state: ' + _lost[int(np.max(lost))]\n"
                      "        if np.ndim(lost) == 0:\n"
                      "            raise ArithmeticError(why)\n"
                      "        warnings.warn(f'{np.count_nonzero(lost)} states are lost, ' + why, RuntimeWarning, 3)\n"
                      "        for x in results:\n"
                      "            x[..., lost != 0] = np.nan\n"
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

// Tables by their points and slopes, as lookup in C. Routines have their own, numbered as in their graphs.
static void print_tables(cd_text* text, const cd_sheet* sheet)
{
    bool told = false;
    for (int r = 0; r < sheet->ntraced; ++r) {
        const cd_graph* graph = sheet->program[r].graph;
        for (int i = 0; i < graph->ntable; ++i) {
            const cd_table* t = &graph->table[i];
            if (!told)
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
            told = true;
            for (int derivative = 0; derivative < 4; ++derivative) {
                cd_text_format(text, "\n\ndef _%s_table%d_%d(at):\n    return _lookup(", sheet->traced[r].routine->name,
                               i, derivative);
                print_numbers(text, t->count, t->x);
                cd_text_add(text, ",\n                   ");
                print_numbers(text, t->count, t->y);
                cd_text_add(text, ",\n                   ");
                print_numbers(text, t->count, t->slope);
                cd_text_format(text, ",\n                   %s, %d, at)\n", t->cubic ? "True" : "False", derivative);
            }
        }
    }
}

static void print_test(cd_text* text, const cd_sheet* sheet, int r)
{
    const cd_traced* traced = &sheet->traced[r];
    for (int v = 0; v < sheet->nvector; ++v) {
        const double* x = sheet->input + (size_t)v * (size_t)sheet->in.count;
        cd_text_format(text, "    check('%s', %s(", traced->routine->name, traced->routine->name);
        const char* comma = "";
        for (int k = 0; k < CD_ARGUMENTS; ++k) {
            if (!(traced->routine->takes & (1U << k))) continue;
            cd_text_add(text, comma);
            comma = ",\n        ";
            if (k == 5)
                cd_print_number(text, x[sheet->in.time], "");
            else {
                cd_text_add(text, "np.array(");
                print_numbers(text, cd_argument_size(sheet, traced, k), x + cd_argument_first(sheet, k));
                cd_text_add(text, ")");
            }
        }
        cd_text_add(text, "), [");
        const double* expected = sheet->expected[r] + (size_t)v * (size_t)traced->noutput;
        for (int k = 0; k < traced->nresult - cd_traced_tells(traced);
             expected += cd_result_count(&traced->result[k++])) {
            if (k > 0) cd_text_add(text, ",\n        ");
            print_numbers(text, cd_result_count(&traced->result[k]), expected);
        }
        cd_text_format(text, "], %.3g)\n", cd_allowed(sheet, r));
    }
}

static void print(const cd_sheet* sheet, int file, cd_text* text)
{
    (void)file;
    static const cd_comment comment = {"# ", cd_escape_python_comment};
    cd_text_format(text, "# python3 %s.py\n#\n", sheet->name);
    cd_print_origin(text, sheet, &comment);
    cd_text_add(text, "; run it to test it.\n#\n");
    cd_print_coordinates(text, sheet, &comment);
    cd_text_add(text, "import numpy as np\n");
    print_told(text, sheet);
    print_shared(text, sheet);
    print_tables(text, sheet);
    for (int r = 0; r < sheet->ntraced; ++r) print_routine(text, sheet, r);
    cd_text_add(text, "\n\nif __name__ == '__main__':\n"
                      "    def check(name, results, expected, allowed):\n"
                      "        for x, y in zip(results if isinstance(results, tuple) else (results,), expected):\n"
                      "            y = np.array(y)\n"
                      "            off = np.max(np.abs(x.ravel() - y), initial=0)\n"
                      "            if not off <= allowed:\n"
                      "                raise SystemExit(f'{name}: off by {off:.3g}')\n\n");
    for (int r = 0; r < sheet->ntraced; ++r) print_test(text, sheet, r);
    cd_text_format(text, "    print('%s: all results agree')\n", sheet->name);
}

static const char* const taken[] = {
#include "generate/taken_python.def"
    NULL};

const cd_language cd_language_python = {.name    = "python",
                                        .title   = "Python",
                                        .summary = "Python, one module that needs NumPy",
                                        .nfile   = 1,
                                        .ending  = {".py", NULL},
                                        .taken   = taken,
                                        .print   = print};
