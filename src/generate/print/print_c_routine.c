// SPDX-License-Identifier: BSD-3-Clause
// Routines in C11, and the functions that they call. Long routines are split into parts that share an array on the
// stack of the routine.
#include "generate/print/syntax.h"

#include <stdio.h>

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
                       .choose          = "choose",
                       .absolute        = unit->single_precision ? "fabsf" : "fabs",
                       .minimum         = "minimum",
                       .maximum         = "maximum",
                       .modulo          = "modulo",
                       .sign            = "sign",
                       .logical_and     = "&&",
                       .logical_or      = "||",
                       .logical_not     = "!",
                       .nonzero_test    = " != 0"};
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

void cd_print_c_prototype(cd_text* text, const cd_code_unit* unit, int r)
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
        cd_print_c_prototype(text, unit, r);
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
