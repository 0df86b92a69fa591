// SPDX-License-Identifier: BSD-3-Clause
// C11: one source file and one header, which need math.h only, do not allocate and have no global variables.
#include "generate/print/syntax.h"

#include <ctype.h>
#include <stdlib.h>

static const cd_comment comment = {"// ", cd_escape_c_comment};
static void             print_head(cd_text* text, const cd_code_unit* unit)
{
    cd_text_format(text, "// %s\n//\n", unit->command);
    cd_print_origin(text, unit, &comment);
    cd_text_add(text, ". The command above compiles and tests it.\n");
}

// Print sines and cosines of an array of angles, in a loop that compilers vectorize. The nearest multiple k of pi/2 is
// subtracted in three pieces; k times the first two is exact. Then polynomials of fdlibm in the remainder r, |r| <=
// pi/4. Large angles are computed by the library.
static void print_sincos(cd_text* text, const cd_code_unit* unit)
{
    bool used = false;
    for (int r = 0; r < unit->ntraced; ++r) used = used || unit->program[r].nangle > 0;
    if (!used) return;
    cd_text_add(text,
                "\n// Sines and cosines of n angles, to about one unit in the last place, in a loop that compilers "
                "vectorize.\n"
                "static void sincos_array(int n, const double* restrict x, double* restrict s, double* restrict c)\n{\n"
                "    double largest = 0;\n"
                "    for (int i = 0; i < n; ++i) largest = fabs(x[i]) > largest ? fabs(x[i]) : largest;\n"
                "    if (!(largest < 1e5)) {\n"
                "        for (int i = 0; i < n; ++i) {\n"
                "            s[i] = sin(x[i]);\n"
                "            c[i] = cos(x[i]);\n"
                "        }\n"
                "        return;\n"
                "    }\n"
                "    for (int i = 0; i < n; ++i) {\n"
                "        const double shifted = x[i] * 0.63661977236758134308 + 6755399441055744.0, k = shifted "
                "- 6755399441055744.0;\n"
                "        const double r  = ((x[i] - k * 1.57079632673412561417) - k * "
                "6.07710050630396597660e-11) - k * 2.02226624879595063154e-21;\n"
                "        const double rr = r * r;\n"
                "        const double sr = r + r * rr * (-0.166666666666666324348 + rr * "
                "(8.33333333332248946124e-3 + rr * (-1.98412698298579493134e-4 +\n"
                "                          rr * (2.75573137070700676789e-6 + rr * (-2.50507602534068634195e-8 + "
                "rr * 1.58969099521155010221e-10)))));\n"
                "        const double cr = 1 - (0.5 * rr - rr * rr * (4.16666666666666019037e-2 + rr * "
                "(-1.38888888888741095749e-3 + rr * (2.48015872894767294178e-5 +\n"
                "                          rr * (-2.75573143513906633035e-7 + rr * (2.08757232129817482790e-9 - "
                "rr * 1.13596475577881948265e-11))))));\n"
                "        // quadrant: 0 (s, c), 1 (c, -s), 2 (-s, -c), 3 (-c, s)\n"
                "        union {\n"
                "            double             number;\n"
                "            unsigned long long bits;\n"
                "        } quarter = {shifted};\n"
                "        const double one  = quarter.bits & 1 ? cr : sr, other = quarter.bits & 1 ? sr : cr;\n"
                "        s[i] = quarter.bits & 2 ? -one : one;\n"
                "        c[i] = (quarter.bits + 1) & 2 ? -other : other;\n"
                "    }\n}\n");
}

static void print_invalid_names(cd_text* text, const cd_code_unit* unit)
{
    char* name;
    if (!cd_code_unit_has_return_code(unit)) return;
    cd_text_format(text, "\nconst char* %s_lost(int number)\n{\n    static const char* const name[] = {\"\"",
                   unit->name);
    int n = 1;
    for (; (name = cd_return_code_name(unit, n)); ++n) {
        cd_text_add(text, ",\n                                       ");
        cd_escape_c_string(text, name);
        free(name);
    }
    cd_text_format(text, "};\n    return name[number > 0 && number < %d ? number : 0];\n}\n", n);
}

static void print_source(const cd_code_unit* unit, cd_text* text)
{
    print_head(text, unit);
    cd_text_format(text, "#include \"%s.h\"\n\n#include <math.h>\n", unit->name);
    print_invalid_names(text, unit);
    cd_print_c_helpers(text, unit);
    print_sincos(text, unit);
    cd_print_c_group_macros(text, unit);
    for (int r = 0; r < unit->ntraced; ++r) {
        cd_print_c_sparsity(text, unit, r, true);
        cd_print_c_routine(text, unit, r);
    }
    if (unit->batch) cd_print_batch(text, unit);
    cd_print_c_selftest(text, unit);
}

static void print_guard(cd_text* text, const cd_code_unit* unit)
{
    for (const char* c = unit->name; *c; ++c) {
        const char up[2] = {(char)toupper((unsigned char)*c), 0};
        cd_text_add(text, up);
    }
    cd_text_add(text, "_H");
}

static void print_header(const cd_code_unit* unit, cd_text* text)
{
    print_head(text, unit);
    cd_text_add(
        text,
        "//\n// SI units. Arrays must not overlap. Routines allocate no memory and keep no state between calls.\n//\n");
    cd_print_coordinates(text, unit, &comment);
    cd_text_add(text, "#ifndef ");
    print_guard(text, unit);
    cd_text_add(text, "\n#define ");
    print_guard(text, unit);
    cd_text_add(text, "\n\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n");
    if (unit->batch) cd_print_batch_layout(text, unit);
    if (cd_code_unit_has_return_code(unit))
        cd_text_format(text,
                       "\n// Name of the constraint whose number a routine returned; \"\" for 0.\n"
                       "const char* %s_lost(int number);\n",
                       unit->name);
    for (int r = 0; r < unit->ntraced; ++r) {
        const cd_traced_routine* traced = &unit->traced[r];
        cd_text_format(text, "\n// %s.", traced->routine->summary);
        for (int k = 0; k < traced->nresult - cd_traced_has_return_code(traced); ++k)
            cd_text_format(text, "%s %s: %s", k ? ";" : "", traced->result[k].name, traced->result[k].description);
        cd_text_add(text, "\n");
        cd_print_c_prototype(text, unit, r);
        cd_text_add(text, ";\n");
        cd_print_c_sparsity(text, unit, r, false);
        if (unit->batch) cd_print_batch_prototype(text, unit, r);
    }
    cd_text_add(text, "\n#ifdef __cplusplus\n}\n#endif\n#endif\n");
}

static void print(const cd_code_unit* unit, int file, cd_text* text)
{
    if (file == 0)
        print_source(unit, text);
    else
        print_header(unit, text);
}

static const char* const reserved_words[] = {
#include "generate/print/reserved_words_c.def"
    NULL};

const cd_language cd_language_c = {.name           = "c",
                                   .title          = "C",
                                   .summary        = "C11, one file and its header",
                                   .is_compiled    = true,
                                   .nfile          = 2,
                                   .file_suffix    = {".c", ".h"},
                                   .reserved_words = reserved_words,
                                   .print          = print};
