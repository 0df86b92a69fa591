// SPDX-License-Identifier: BSD-3-Clause
// C11: one source file and one header, which need math.h only, do not allocate and have no global variables. Long
// routines are split into parts that share an array on the stack of the routine.
#include "generate/print/syntax.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

enum { LONG_ROUTINE = 8000 }; // operations above which a routine counts as long

static cd_syntax make_syntax(const cd_code_unit* unit)
{
    if (unit->printing_vectors)
        return (cd_syntax){.function_prefix      = "vector_",
                           .function_suffix      = "",
                           .number_suffix        = unit->single_precision ? "f" : "",
                           .index_open           = "[",
                           .index_close          = "]",
                           .argument_index_close = " * VECTORS]",
                           .argument             = {"q", "v", "a", "effort", "state", "t", "p", "weight", "multiplier"},
                           .choose               = "vector_choose",
                           .absolute             = "vector_fabs",
                           .minimum              = "vector_minimum",
                           .maximum              = "vector_maximum",
                           .modulo               = "vector_modulo",
                           .sign                 = "vector_sign",
                           .broadcast            = "vector_of",
                           .logic_as_calls       = true};
    const char* f = unit->single_precision ? "f" : "";
    return (cd_syntax){.function_prefix = "",
                       .function_suffix = f,
                       .number_suffix   = f,
                       .index_open      = "[",
                       .index_close     = "]",
                       .argument        = {"q", "v", "a", "effort", "state", "t", "p", "weight", "multiplier"},
                       .choose          = "choose",
                       .absolute        = unit->single_precision ? "fabsf" : "fabs",
                       .minimum         = "minimum",
                       .maximum         = "maximum",
                       .modulo          = "modulo",
                       .sign            = "sign",
                       .table           = "table",
                       .logical_and     = "&&",
                       .logical_or      = "||",
                       .logical_not     = "!",
                       .nonzero_test    = " != 0"};
}

const char* cd_c_type(const cd_code_unit* unit) { return unit->printing_vectors ? "vector" : cd_number_type(unit); }

int cd_result_array_size(const cd_routine_result* r) { return cd_result_count(r) > 0 ? cd_result_count(r) : 1; }

int cd_result_written_count(const cd_routine_result* r)
{
    return r->nonzero ? cd_result_array_size(r) : cd_result_count(r);
}

// Store the single entry of a sparse matrix without nonzeros.
static void print_empty_entries(cd_text* text, const cd_code_unit* unit, const cd_traced_routine* traced)
{
    for (int k = 0; k < traced->nresult; ++k)
        if (cd_result_written_count(&traced->result[k]) > cd_result_count(&traced->result[k]))
            cd_text_format(text, "    %s[0] = %s;\n", traced->result[k].name,
                           unit->printing_vectors ? "vector_of(0)" : "0");
}

// Print (const double q[6], const double v[6], double tau[6]); for parts without array sizes.
static void print_arguments(cd_text* text, const cd_code_unit* unit, int r, bool part, bool with_scratch)
{
    const cd_traced_routine* traced    = &unit->traced[r];
    const char*              type      = cd_c_type(unit);
    const char*              in_arrays = unit->printing_vectors ? "unaligned_vector" : type;
    const char*              comma     = "";
    for (int k = 0; k < CD_ARGUMENT_COUNT; ++k) {
        if (!(traced->routine->arguments & (1U << k))) continue;
        if (k == CD_TIME_ARGUMENT)
            cd_text_format(text, "%s%s t", comma, type);
        else if (part)
            cd_text_format(text, "%sconst %s* restrict %s", comma, in_arrays, cd_argument_name[k]);
        else
            cd_text_format(text, "%sconst %s %s[%d]", comma, type, cd_argument_name[k],
                           cd_argument_size(unit, traced, k) > 0 ? cd_argument_size(unit, traced, k) : 1);
        comma = ", ";
    }
    for (int k = 0; k < traced->nresult - (!part && cd_traced_has_return_code(traced)); ++k, comma = ", ") {
        if (part)
            cd_text_format(text, "%s%s* restrict %s", comma, in_arrays, traced->result[k].name);
        else
            cd_text_format(text, "%s%s %s[%d]", comma, type, traced->result[k].name,
                           cd_result_array_size(&traced->result[k]));
        if (unit->printing_vectors && cd_result_has_constant_pairs(traced, &unit->program[r], k))
            cd_text_format(text, ", unaligned_vector* restrict %s_pair", traced->result[k].name);
    }
    if (with_scratch)
        cd_text_format(text, "%s%s* restrict w, %s* restrict g, %s* restrict sine, %s* restrict cosine", comma, type,
                       type, type, type);
}

static void print_prototype(cd_text* text, const cd_code_unit* unit, int r)
{
    cd_text_format(text, "%s %s_%s(", cd_traced_returns_int(&unit->traced[r]) ? "int" : "void", unit->name,
                   unit->traced[r].routine->name);
    print_arguments(text, unit, r, false, false);
    cd_text_add(text, ")");
}

// Print the arguments that every part receives. Those that it does not read are cast to void, so that no compiler
// warns.
static void print_part_arguments(cd_text* text, const cd_traced_routine* traced)
{
    for (int k = 0; k < CD_ARGUMENT_COUNT; ++k)
        if (traced->routine->arguments & (1U << k)) cd_text_format(text, "%s, ", cd_argument_name[k]);
    for (int k = 0; k < traced->nresult; ++k) cd_text_format(text, "%s, ", traced->result[k].name);
    cd_text_add(text, "w, g, sine, cosine");
}

static void print_unused_casts(cd_text* text, const cd_code_unit* unit, int r, bool with_scratch)
{
    const cd_traced_routine* traced = &unit->traced[r];
    cd_text_add(text, "    ");
    for (int k = 0; k < CD_ARGUMENT_COUNT; ++k)
        if (traced->routine->arguments & (1U << k)) cd_text_format(text, "(void)%s, ", cd_argument_name[k]);
    for (int k = 0; k < traced->nresult; ++k) {
        if (with_scratch || unit->printing_vectors || cd_result_count(&traced->result[k]) == 0)
            cd_text_format(text, "(void)%s, ", traced->result[k].name);
        if (unit->printing_vectors && cd_result_has_constant_pairs(traced, &unit->program[r], k))
            cd_text_format(text, "(void)%s_pair, ", traced->result[k].name);
    }
    if (!text->failed) text->data[text->length -= 2] = 0;
    cd_text_add(text, with_scratch ? ", (void)w, (void)g, (void)sine, (void)cosine;\n" : ";\n");
}

// Angles are padded to a multiple of the width of sincos.
static int padded_angle_count(const cd_code_unit* unit, const cd_program* p)
{
    return unit->printing_vectors ? (p->nangle + 1) / 2 * 2 : (p->nangle + 3) / 4 * 4;
}

static void print_line(cd_text* text, const cd_code_unit* unit, const cd_traced_routine* traced, const cd_program* p,
                       const cd_program_line* line, const cd_syntax* syntax)
{
    const cd_program_value* v = &p->value[line->position];
    if (line->group >= 0) {
        cd_print_c_group(text, unit, traced, p, &p->group[line->group], syntax);
        return;
    }
    if (unit->printing_vectors && line->output >= 0 &&
        cd_node_operation(p->graph, p->subgraph.entry[line->position].node) == CD_CONSTANT)
        return;
    if (line->output_run > 1) {
        cd_print_c_output_run(text, unit, traced, p, line, syntax);
        return;
    }
    if (line->angle >= 0) {
        cd_text_format(text, "    angle[%d] = ", line->angle);
        cd_print_value(text, p, syntax, &unit->in, line->position);
    } else if (line->output < 0) {
        if (v->slot >= 0)
            cd_text_format(text, "    w[%d] = ", v->slot);
        else
            cd_text_format(text, "    const %s t%d = ", cd_c_type(unit), v->temporary);
        cd_print_expression(text, p, syntax, &unit->in, line->position);
    } else {
        int                      o;
        const cd_routine_result* result = cd_output_result(traced, line->output, &o);
        cd_text_format(text, "    %s[%d%s] = ", result->name, o, unit->printing_vectors ? " * VECTORS" : "");
        cd_print_value(text, p, syntax, &unit->in, line->position);
    }
    cd_text_add(text, ";\n");
    if (unit->printing_vectors && line->output >= 0) cd_print_batch_constants(text, unit, traced, p, line->output + 1);
    if (line->angle < 0 || line->angle != p->nangle - 1) return;
    for (int i = p->nangle; i < padded_angle_count(unit, p); ++i)
        cd_text_format(text, "    angle[%d] = %s;\n", i, unit->printing_vectors ? "vector_of(0)" : "0");
    if (unit->printing_vectors)
        cd_print_vector_sincos(text, unit, traced, p);
    else
        cd_text_format(text, "    sincos_array(%d, angle, sine, cosine);\n", padded_angle_count(unit, p));
}

static void print_sincos_arrays(cd_text* text, const cd_code_unit* unit, const cd_program* p)
{
    const int n = padded_angle_count(unit, p) > 0 ? padded_angle_count(unit, p) : 1;
    cd_text_format(text, "    %s sine[%d], cosine[%d];\n", cd_c_type(unit), n, n);
}

// gcc searches straight-line code for vectors (SLP). In long routines this dominates the compile time, and the code
// that it finds is no faster.
static bool is_long(const cd_program* p)
{
    return p->ngroup == 0 && p->operations.add + p->operations.mul > LONG_ROUTINE;
}

static void print_no_slp_macro(cd_text* text, const cd_code_unit* unit)
{
    bool used = false;
    for (int r = 0; r < unit->ntraced; ++r) used = used || is_long(&unit->program[r]);
    if (!used) return;
    cd_text_add(text, "\n// Vectorization of straight-line code by gcc is slow for long routines and does not "
                      "make them faster.\n"
                      "#if defined __GNUC__ && !defined __clang__\n#define NO_SLP "
                      "__attribute__((optimize(\"no-tree-slp-vectorize\")))\n#else\n#define NO_SLP\n#endif\n");
}

static void print_routine_head(cd_text* text, const cd_code_unit* unit, int r)
{
    const cd_traced_routine* traced = &unit->traced[r];
    const cd_program*        p      = &unit->program[r];
    cd_text_format(
        text, "\n// %s: %ld additions, %ld multiplications, %ld divisions, %ld square roots, %ld sines and cosines\n",
        traced->routine->summary, p->operations.add, p->operations.mul, p->operations.div, p->operations.sqrt,
        p->operations.trig);
    if (is_long(p)) cd_text_add(text, "NO_SLP ");
    if (unit->printing_vectors) {
        cd_text_format(text, "static void %s_vector(", traced->routine->name);
        print_arguments(text, unit, r, true, false);
        cd_text_add(text, ")");
    } else
        print_prototype(text, unit, r);
}

// Print the return statement; the results of an invalid state become NAN.
static void print_return(cd_text* text, const cd_traced_routine* traced)
{
    const bool has_return_code = cd_traced_has_return_code(traced);
    if (cd_traced_returns_int(traced))
        cd_text_format(text, "    %sreturn 0;\n", has_return_code ? "if (invalid[0] == 0) " : "");
    if (!has_return_code) return;
    for (int k = 0; k < traced->nresult - 1; ++k)
        if (cd_result_written_count(&traced->result[k]) > 0)
            cd_text_format(text, "    for (int i = 0; i < %d; ++i) %s[i] = NAN;\n",
                           cd_result_written_count(&traced->result[k]), traced->result[k].name);
    cd_text_add(text, "    return (int)invalid[0];\n");
}

// Print the routine that calls its parts one by one.
static void print_part_calls(cd_text* text, const cd_code_unit* unit, int r)
{
    const cd_traced_routine* traced = &unit->traced[r];
    const cd_program*        p      = &unit->program[r];
    print_routine_head(text, unit, r);
    cd_text_format(text, "\n{\n    %s w[%d];\n    %s%s g[%d];\n", cd_c_type(unit), p->nslot > 0 ? p->nslot : 1,
                   p->ngroup_slot > 0 ? "_Alignas(64) " : "", cd_c_type(unit), p->ngroup_slot > 0 ? p->ngroup_slot : 1);
    print_sincos_arrays(text, unit, p);
    if (cd_traced_has_return_code(traced)) cd_text_format(text, "    %s invalid[1];\n", cd_c_type(unit));
    for (int part = 0; part < p->npart; ++part) {
        cd_text_format(text, "    %s_part%d(", traced->routine->name, part);
        print_part_arguments(text, traced);
        cd_text_add(text, ");\n");
    }
    print_return(text, traced);
    cd_text_add(text, "}\n");
}

void cd_print_c_routine(cd_text* text, const cd_code_unit* unit, int r)
{
    const cd_traced_routine* traced = &unit->traced[r];
    const cd_program*        p      = &unit->program[r];
    const char*              kind   = unit->printing_vectors ? "_vector" : "";
    cd_syntax                syntax = make_syntax(unit);
    char                     table[80];
    snprintf(table, sizeof table, "%s%s_table", unit->printing_vectors ? "vector_" : "", traced->routine->form);
    syntax.table               = table;
    const bool parts           = p->npart > 1,
               has_return_code = !parts && !unit->printing_vectors && cd_traced_has_return_code(traced);
    for (int part = 0; part < p->npart; ++part) {
        if (parts) {
            cd_text_format(text, "\n%sstatic void %s%s_part%d(", is_long(p) ? "NO_SLP " : "", traced->routine->name,
                           kind, part);
            print_arguments(text, unit, r, true, true);
            cd_text_add(text, ")");
        } else
            print_routine_head(text, unit, r);
        cd_text_add(text, "\n{\n");
        print_unused_casts(text, unit, r, parts);
        if (has_return_code) cd_text_format(text, "    %s invalid[1];\n", cd_c_type(unit));
        if (!parts && p->nangle > 0) print_sincos_arrays(text, unit, p);
        if (part == 0 && p->nangle > 0)
            cd_text_format(text, "    %s angle[%d];\n", cd_c_type(unit), padded_angle_count(unit, p));
        if (!parts && p->ngroup_slot > 0)
            cd_text_format(text, "    _Alignas(64) %s g[%d];\n", cd_c_type(unit), p->ngroup_slot);
        if (p->nlocal_slot[part] > 0) cd_text_format(text, "    %s p[%d];\n", cd_c_type(unit), p->nlocal_slot[part]);
        if (part == 0) print_empty_entries(text, unit, traced);
        if (unit->printing_vectors && part == 0) cd_print_batch_constants(text, unit, traced, p, 0);
        for (int i = 0; i < p->nline; ++i)
            if (p->line[i].part == part) print_line(text, unit, traced, p, &p->line[i], &syntax);
        if (!parts && !unit->printing_vectors) print_return(text, traced);
        cd_text_add(text, "}\n");
    }
    if (parts && !unit->printing_vectors) print_part_calls(text, unit, r);
}

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

static void print_selftest(cd_text* text, const cd_code_unit* unit)
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
    print_selftest(text, unit);
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
        print_prototype(text, unit, r);
        cd_text_add(text, ";\n");
        cd_print_c_sparsity(text, unit, r, false);
        if (unit->batch) cd_print_batch_prototype(text, unit, r);
    }
    cd_text_add(text, "\n#ifdef __cplusplus\n}\n#endif\n#endif\n");
}

bool cd_has_operation(const cd_code_unit* unit, cd_operation operation)
{
    for (int r = 0; r < unit->ntraced; ++r)
        for (int i = 0; i < unit->program[r].subgraph.count; ++i)
            if (cd_node_operation(unit->program[r].graph, unit->program[r].subgraph.entry[i].node) == operation)
                return true;
    return false;
}

void cd_print_c_helpers(cd_text* text, const cd_code_unit* unit)
{
    print_no_slp_macro(text, unit);
    const char* t = cd_c_type(unit);
    cd_print_c_tables(text, unit);
    if (cd_has_operation(unit, CD_IF))
        cd_text_format(text, "\nstatic inline %s choose(%s c, %s a, %s b) { return c != 0 ? a : b; }\n", t, t, t, t);
    if (cd_has_operation(unit, CD_MIN))
        cd_text_format(text, "\nstatic inline %s minimum(%s a, %s b) { return b < a ? b : a; }\n", t, t, t);
    if (cd_has_operation(unit, CD_MAX))
        cd_text_format(text, "\nstatic inline %s maximum(%s a, %s b) { return a < b ? b : a; }\n", t, t, t);
    if (cd_has_operation(unit, CD_SIGN))
        cd_text_format(text, "\nstatic inline %s sign(%s a) { return (%s)((a > 0) - (a < 0)); }\n", t, t, t);
    if (cd_has_operation(unit, CD_MOD))
        cd_text_format(text,
                       "\nstatic inline %s modulo(%s a, %s b)\n{\n    const %s r = (%s)fmod(a, b);\n    return r != 0 "
                       "&& (r < 0) != (b < 0) ? r + b : r;\n}\n",
                       t, t, t, t, t);
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
