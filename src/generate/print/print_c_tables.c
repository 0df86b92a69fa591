// SPDX-License-Identifier: BSD-3-Clause
// Arrays of numbers in generated C code: inputs and expected results of tests; tables with their points as constants,
// and the function that interpolates them.
#include "generate/print/syntax.h"

void cd_print_table_line(cd_text* text, const cd_code_unit* unit, int n, const double* x)
{
    cd_text_add(text, "{");
    for (int i = 0; i < n; ++i) {
        if (i > 0) cd_text_add(text, i % 8 ? ", " : ",\n         ");
        cd_print_number(text, x[i], unit->single_precision ? "f" : "");
    }
    if (n == 0) cd_text_add(text, "0");
    cd_text_add(text, "}");
}

void cd_print_test_table(cd_text* text, const cd_code_unit* unit, const char* name, int n, int stride, const double* x)
{
    cd_text_format(text, "    static const %s %s[%d][%d] = {\n", cd_c_type(unit), name, unit->ntest, n > 0 ? n : 1);
    for (int k = 0; k < unit->ntest; ++k) {
        cd_text_add(text, "        ");
        cd_print_table_line(text, unit, n, x + (size_t)k * (size_t)stride);
        cd_text_add(text, ",\n");
    }
    cd_text_add(text, "    };\n");
}

static void print_points(cd_text* text, const cd_code_unit* unit, const char* name, int n, const double* x)
{
    cd_text_format(text, "    static const %s %s[%d] = ", cd_c_type(unit), name, n);
    cd_print_table_line(text, unit, n, x);
    cd_text_add(text, ";\n");
}

static void print_lookup(cd_text* text, const char* t)
{
    cd_text_format(
        text,
        "\n// Interpolate y over x with slopes m, at (cubic) or after (linear) the points; end slopes beyond them; or "
        "a derivative.\n"
        "static %s lookup(int n, int cubic, const %s* x, const %s* y, const %s* m, int derivative, %s at)\n{\n"
        "    int k = at < x[0] ? 0 : n - 1;\n"
        "    if (at >= x[0] && at < x[n - 1]) {\n"
        "        int high = n - 1;\n"
        "        for (k = 0; high - k > 1;) {\n"
        "            const int middle = k + (high - k) / 2;\n"
        "            if (x[middle] <= at) k = middle;\n"
        "            else high = middle;\n"
        "        }\n"
        "        if (cubic) {\n"
        "            const %s t = at - x[k], h = x[k + 1] - x[k], d = (y[k + 1] - y[k]) / h;\n"
        "            const %s c = (3 * d - 2 * m[k] - m[k + 1]) / h, e = (m[k] + m[k + 1] - 2 * d) / (h * h);\n"
        "            return derivative == 0 ? y[k] + t * (m[k] + t * (c + t * e)) : derivative == 1 ? m[k] + t * (2 * "
        "c + t * 3 * e) : derivative == 2 ? 2 * c + 6 * e * t : 6 * e;\n"
        "        }\n"
        "    }\n"
        "    return derivative == 0 ? y[k] + m[k] * (at - x[k]) : derivative == 1 ? m[k] : 0;\n}\n",
        t, t, t, t, t, t, t);
}

// Print one function for each table and derivative that is used.
static void print_tables(cd_text* text, const cd_code_unit* unit, int r)
{
    const cd_program* p = &unit->program[r];
    for (int table = 0; table < p->graph->ntable; ++table)
        for (int derivative = 0; derivative < 4; ++derivative) {
            bool used = false;
            for (int i = 0; i < p->subgraph.count && !used; ++i) {
                const cd_node_data* item = cd_node_data_at(p->graph, p->subgraph.entry[i].node);
                used = item->operation == CD_TABLE && item->operand[1] == table && item->derivative == derivative;
            }
            if (!used) continue;
            const cd_table* t = &p->graph->table[table];
            cd_text_format(text, "\nstatic %s %s_table%d_%d(%s at)\n{\n", cd_c_type(unit),
                           unit->traced[r].routine->form, table, derivative, cd_c_type(unit));
            print_points(text, unit, "x", t->count, t->x);
            print_points(text, unit, "y", t->count, t->y);
            print_points(text, unit, "m", t->count, t->slope);
            cd_text_format(text, "    return lookup(%d, %d, x, y, m, %d, at);\n}\n", t->count, t->is_cubic, derivative);
        }
}

void cd_print_c_tables(cd_text* text, const cd_code_unit* unit)
{
    if (cd_has_operation(unit, CD_TABLE)) print_lookup(text, cd_c_type(unit));
    for (int r = 0; r < unit->ntraced; ++r) print_tables(text, unit, r);
}
