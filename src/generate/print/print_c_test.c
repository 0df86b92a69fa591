// SPDX-License-Identifier: BSD-3-Clause
// Self-test of generated C code: results at the test states are compared with those of the library.
#include "generate/print/syntax.h"

#include <stdio.h>

static void print_test(cd_text* text, const cd_code_unit* unit, int r)
{
    const cd_traced_routine* traced = &unit->traced[r];
    cd_text_format(text, "\nstatic int test_%s(void)\n{\n    int wrong = 0;\n", traced->routine->name);
    for (int k = 0; k < CD_ARGUMENT_COUNT; ++k)
        if (traced->routine->arguments & (1U << k))
            cd_print_test_table(text, unit, cd_argument_name[k], cd_argument_size(unit, traced, k), unit->in.count,
                                unit->test_input + cd_argument_first(unit, k));
    int       at      = 0;
    const int nresult = traced->nresult - cd_traced_has_return_code(traced);
    for (int k = 0; k < nresult; ++k) {
        char label[80];
        snprintf(label, sizeof label, "expected_%s", traced->result[k].name);
        cd_print_test_table(text, unit, label, cd_result_count(&traced->result[k]), traced->noutput,
                            unit->expected[r] + at);
        at += cd_result_count(&traced->result[k]);
    }
    cd_text_format(text, "    for (int k = 0; k < %d; ++k) {\n", unit->ntest);
    for (int k = 0; k < nresult; ++k)
        cd_text_format(text, "        %s %s[%d] = {%d};\n", cd_c_type(unit), traced->result[k].name,
                       cd_result_array_size(&traced->result[k]), cd_result_written_count(&traced->result[k]) > 0);
    cd_text_format(text, "        %s%s_%s(", nresult < traced->nresult ? "wrong += " : "", unit->name,
                   traced->routine->name);
    const char* comma = "";
    for (int k = 0; k < CD_ARGUMENT_COUNT; ++k)
        if (traced->routine->arguments & (1U << k))
            cd_text_format(text, "%s%s[k]%s", comma, cd_argument_name[k], k == CD_TIME_ARGUMENT ? "[0]" : ""),
                comma = ", ";
    for (int k = 0; k < nresult; ++k) cd_text_format(text, "%s%s", comma, traced->result[k].name), comma = ", ";
    cd_text_add(text, nresult < traced->nresult ? ") != 0;\n" : ");\n");
    for (int k = 0; k < nresult; ++k)
        cd_text_format(text, "        wrong += differs(\"%s\", \"%s\", k, %d, %s, expected_%s[k], %.3g);\n",
                       traced->routine->name, traced->result[k].name, cd_result_written_count(&traced->result[k]),
                       traced->result[k].name, traced->result[k].name, cd_test_tolerance(unit, r));
    cd_text_add(text, "    }\n    return wrong;\n}\n");
}

void cd_print_c_selftest(cd_text* text, const cd_code_unit* unit)
{
    const char* type = cd_c_type(unit);
    cd_text_format(
        text,
        "\n#ifdef SELFTEST  // 1: a program that prints differences; else a function that returns 0 if no results "
        "differ\n#include <stdio.h>\n\n"
        "// Return 1 if results differ from those of Cardan by more than allowed.\n"
        "static int differs(const char* routine, const char* result, int k, int n, const %s* x, const %s* "
        "expected, double allowed)\n{\n"
        "    double off = 0;\n"
        "    for (int i = 0; i < n; ++i) {\n"
        "        off = fmax(off, fabs((double)x[i] - (double)expected[i]));\n"
        "        if (!(x[i] == x[i])) off = INFINITY;\n"
        "    }\n"
        "    if (off <= allowed) return 0;\n"
        "    if (SELFTEST == 1) printf(\"%%s, %%s, vector %%d: differs by %%.3g, allowed %%.3g\\n\", routine, "
        "result, k, off, allowed);\n"
        "    return 1;\n}\n",
        type, type);
    for (int r = 0; r < unit->ntraced; ++r) print_test(text, unit, r);
    for (int r = 0; unit->batch && r < unit->ntraced; ++r) cd_print_batch_test(text, unit, r);
    cd_text_format(text,
                   "\n#if SELFTEST == 1\nint main(void)\n#else\nint %s_selftest(void);\nint "
                   "%s_selftest(void)\n#endif\n{\n    int wrong = 0;\n",
                   unit->name, unit->name);
    for (int r = 0; r < unit->ntraced; ++r)
        cd_text_format(text, "    wrong += test_%s();\n", unit->traced[r].routine->name);
    for (int r = 0; unit->batch && r < unit->ntraced; ++r)
        cd_text_format(text, "    wrong += test_%s_batch();\n", unit->traced[r].routine->name);
    cd_text_format(text,
                   "    if (SELFTEST == 1) printf(\"%s: %%s\\n\", wrong ? \"results differ\" : \"all results "
                   "agree\");\n    return wrong != 0;\n}\n#endif\n",
                   unit->name);
}
