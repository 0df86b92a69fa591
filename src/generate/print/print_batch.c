// SPDX-License-Identifier: BSD-3-Clause
// Batch routines in C: many states in one call, one state per lane. Arrays are blocks of LANES states: number i of
// state s of an array with `count` numbers per state is at
//   [(s / LANES * count + i) * LANES + s % LANES].
// The lines of a routine are the same over vectors (print_batch_vectors.c) as over scalars. Several consecutive blocks
// pass through one part of a routine before the next part starts, so that the code of a part is fetched once for all.
#include "generate/print/syntax.h"

// with_return_code: with the array of return codes among the results.
static void print_arguments(cd_text* text, const cd_code_unit* unit, const cd_traced_routine* traced,
                            bool with_return_code)
{
    for (int k = 0; k < CD_ARGUMENT_COUNT; ++k)
        if (traced->routine->arguments & (1U << k))
            cd_text_format(text, ", const %s* %s", cd_number_type(unit), cd_argument_name[k]);
    for (int k = 0; k < traced->nresult - (!with_return_code && cd_traced_has_return_code(traced)); ++k)
        cd_text_format(text, ", %s* %s", cd_number_type(unit), traced->result[k].name);
}

// ---- header

void cd_print_batch_layout(cd_text* text, const cd_code_unit* unit)
{
    const char *name = unit->name, *t = cd_number_type(unit);
    cd_text_format(
        text,
        "\n// Batch routines take n states at once, in blocks of %s_lanes: number i of state s is at\n"
        "//   [(s / %s_lanes * count + i) * %s_lanes + s %% %s_lanes]\n"
        "// in an array with `count` numbers per state; also times. Arrays consist of whole blocks, %s_room(n, count) "
        "numbers. If the states do not fill the last\n"
        "// block, inputs after them are not read and results after them are undefined. Arrays aligned to 64 "
        "bytes are fastest.\n"
        "enum { %s_lanes = %d };\n"
        "#define %s_room(n, count) (((n) + %s_lanes - 1) / %s_lanes * %s_lanes * (count))\n\n"
        "// Convert consecutive states, number i of state s at x[s * count + i], to blocks and back.\n"
        "void %s_pack(long n, int count, const %s* x, %s* blocks);\nvoid %s_unpack(long n, int count, const %s* "
        "blocks, %s* x);\n",
        name, name, name, name, name, name, unit->block_size, name, name, name, name, name, t, t, name, t, t);
}

void cd_print_batch_prototype(cd_text* text, const cd_code_unit* unit, int r)
{
    const cd_traced_routine* traced = &unit->traced[r];
    cd_text_format(text, "%s %s_%s_batch(long n", cd_traced_has_return_code(traced) ? "long" : "void", unit->name,
                   traced->routine->name);
    print_arguments(text, unit, traced, false);
    cd_text_add(text, cd_traced_has_return_code(traced) ? "); // returns the number of invalid states\n" : ");\n");
}

// ---- routines

static void print_packing(cd_text* text, const cd_code_unit* unit)
{
    const char *name = unit->name, *t = cd_number_type(unit);
    cd_text_format(text,
                   "\nvoid %s_pack(long n, int count, const %s* x, %s* blocks)\n{\n"
                   "    for (long s = 0; s < n; ++s)\n"
                   "        for (int i = 0; i < count; ++i) blocks[(s / LANES * count + i) * LANES + s %% LANES] = x[s "
                   "* count + i];\n}\n\n"
                   "void %s_unpack(long n, int count, const %s* blocks, %s* x)\n{\n"
                   "    for (long s = 0; s < n; ++s)\n"
                   "        for (int i = 0; i < count; ++i) x[s * count + i] = blocks[(s / LANES * count + i) * LANES "
                   "+ s %% LANES];\n}\n",
                   name, t, t, name, t, t);
}

// Print the address of vector k of an array; just its name if the array is empty, because it may be NULL then.
static void print_vector_address(cd_text* text, const char* name, int count)
{
    if (count > 0)
        cd_text_format(text, "(%s + vector_offset(k, %d))", name, count);
    else
        cd_text_add(text, name);
}

// Print the arguments and results of vector k.
static void print_vector_arguments(cd_text* text, const cd_code_unit* unit, int r)
{
    const cd_traced_routine* traced = &unit->traced[r];
    const char*              comma  = "";
    for (int k = 0; k < CD_ARGUMENT_COUNT; ++k) {
        if (!(traced->routine->arguments & (1U << k))) continue;
        cd_text_format(text, "%s%s(const unaligned_vector*)", comma, k == CD_TIME_ARGUMENT ? "*" : "");
        print_vector_address(text, cd_argument_name[k], cd_argument_size(unit, traced, k));
        comma = ", ";
    }
    for (int k = 0; k < traced->nresult; ++k, comma = ", ") {
        cd_text_format(text, "%s(unaligned_vector*)", comma);
        print_vector_address(text, traced->result[k].name, cd_result_written_count(&traced->result[k]));
        if (!cd_result_has_constant_pairs(traced, &unit->program[r], k)) continue;
        cd_text_add(text, ", (unaligned_vector*)");
        print_vector_address(text, traced->result[k].name, cd_result_written_count(&traced->result[k]));
        cd_text_add(text, " + k % VECTORS");
    }
}

static void print_block_routine(cd_text* text, const cd_code_unit* unit, int r)
{
    const cd_traced_routine* traced = &unit->traced[r];
    const cd_program*        p      = &unit->program[r];
    const int                nangle = p->nangle > 0 ? (p->nangle + 1) / 2 * 2 : 1;
    cd_text_format(text, "\nstatic void %s_blocks(int vectors", traced->routine->name);
    print_arguments(text, unit, traced, true);
    cd_text_add(text, ")\n{\n");
    if (p->npart > 1)
        cd_text_format(text,
                       "    vector w[BLOCKS * VECTORS][%d], g[BLOCKS * VECTORS][%d], sine[BLOCKS * VECTORS][%d], "
                       "cosine[BLOCKS * VECTORS][%d];\n",
                       p->nslot > 0 ? p->nslot : 1, p->ngroup_slot > 0 ? p->ngroup_slot : 1, nangle, nangle);
    for (int part = 0; part < p->npart; ++part) {
        cd_text_format(text, "    for (int k = 0; k < vectors; ++k) %s_vector", traced->routine->name);
        if (p->npart > 1) cd_text_format(text, "_part%d", part);
        cd_text_add(text, "(");
        print_vector_arguments(text, unit, r);
        cd_text_add(text, p->npart > 1 ? ", w[k], g[k], sine[k], cosine[k]);\n" : ");\n");
    }
    cd_text_add(text, "}\n");
}

static void print_invalid_helpers(cd_text* text, const cd_code_unit* unit)
{
    const char* t = cd_number_type(unit);
    if (!cd_code_unit_has_return_code(unit)) return;
    cd_text_format(
        text,
        "\n// Number of invalid states among n; NAN for their results, `count` numbers per state.\n"
        "static int count_invalid(long n, const %s* invalid)\n{\n    int sum = 0;\n"
        "    for (long s = 0; s < n; ++s) sum += invalid[s] != 0;\n    return sum;\n}\n\n"
        "static void set_nan(long n, const %s* invalid, int count, %s* x)\n{\n"
        "    for (long s = 0; s < n; ++s)\n"
        "        for (int i = 0; invalid[s] != 0 && i < count; ++i) x[(s / LANES * count + i) * LANES + s %% "
        "LANES] = NAN;\n}\n",
        t, t, t);
}

// Print the arguments of the call for some blocks whose first state is `from`; the names of the arguments get `suffix`.
static void print_call(cd_text* text, const cd_code_unit* unit, const cd_traced_routine* traced, const char* from,
                       const char* suffix)
{
    for (int k = 0; k < CD_ARGUMENT_COUNT; ++k) {
        if (!(traced->routine->arguments & (1U << k))) continue;
        cd_text_format(text, ", %s%s", cd_argument_name[k], suffix);
        if (!*suffix) cd_text_format(text, " + %s * %d", from, cd_argument_size(unit, traced, k));
    }
    for (int k = 0; k < traced->nresult; ++k)
        if (traced->result[k].is_return_code)
            cd_text_add(text, ", invalid");
        else
            cd_text_format(text, ", %s + %s * %d", traced->result[k].name, from,
                           cd_result_written_count(&traced->result[k]));
    cd_text_add(text, ");\n");
}

// Print the code that sets the results of invalid states to NAN, among `n` states from `from` on.
static void print_invalid_handling(cd_text* text, const cd_traced_routine* traced, const char* indent, const char* n,
                                   const char* from)
{
    if (!cd_traced_has_return_code(traced)) return;
    cd_text_format(text, "%sif (count_invalid(%s, invalid) > 0) {\n%s    sum += count_invalid(%s, invalid);\n", indent,
                   n, indent, n);
    for (int k = 0; k < traced->nresult - 1; ++k)
        cd_text_format(text, "%s    set_nan(%s, invalid, %d, %s + %s * %d);\n", indent, n,
                       cd_result_written_count(&traced->result[k]), traced->result[k].name, from,
                       cd_result_written_count(&traced->result[k]));
    cd_text_format(text, "%s}\n", indent);
}

static void print_batch_routine(cd_text* text, const cd_code_unit* unit, int r)
{
    const cd_traced_routine* traced = &unit->traced[r];
    const char *             t = cd_number_type(unit), *name = traced->routine->name;
    const bool               has_return_code = cd_traced_has_return_code(traced);
    cd_text_format(text, "\n%s %s_%s_batch(long n", has_return_code ? "long" : "void", unit->name, name);
    print_arguments(text, unit, traced, false);
    cd_text_add(text, ")\n{\n    const long full = n - n % LANES;\n");
    if (has_return_code) cd_text_format(text, "    long sum = 0;\n    %s invalid[BLOCKS * LANES];\n", t);
    cd_text_format(
        text,
        "    for (long s = 0; s < full; s += BLOCKS * LANES) {\n        const long some = full - s < BLOCKS * "
        "LANES ? full - s : BLOCKS * LANES;\n        %s_blocks((int)some / WIDTH",
        name);
    print_call(text, unit, traced, "s", "");
    print_invalid_handling(text, traced, "        ", "some", "s");
    cd_text_format(text, "    }\n    if (full == n) return%s;\n", has_return_code ? " sum" : "");
    for (int k = 0; k < CD_ARGUMENT_COUNT; ++k) {
        if (!(traced->routine->arguments & (1U << k))) continue;
        const int count = cd_argument_size(unit, traced, k);
        cd_text_format(text, "    %s %s_[%d * LANES];\n    pad_block(%d, n - full, %s + full * %d, %s_);\n", t,
                       cd_argument_name[k], count > 0 ? count : 1, count, cd_argument_name[k], count,
                       cd_argument_name[k]);
    }
    // pairs of equal constants are written by all vectors of a block together
    bool has_constant_pairs = false;
    for (int k = 0; k < traced->nresult; ++k)
        has_constant_pairs = has_constant_pairs || cd_result_has_constant_pairs(traced, &unit->batch_program[r], k);
    cd_text_format(text, "    %s_blocks(%s", name,
                   has_constant_pairs ? "VECTORS" : "(int)((n - full + WIDTH - 1) / WIDTH)");
    print_call(text, unit, traced, "full", "_");
    print_invalid_handling(text, traced, "    ", "n - full", "full");
    cd_text_add(text, has_return_code ? "    return sum;\n}\n" : "}\n");
}

void cd_print_batch(cd_text* text, const cd_code_unit* unit)
{
    cd_code_unit vectors     = *unit;
    vectors.printing_vectors = true;
    vectors.program          = unit->batch_program;
    cd_print_vector_helpers(text, unit);
    if (unit->model) print_packing(text, unit);
    print_invalid_helpers(text, unit);
    for (int r = 0; r < unit->ntraced; ++r) {
        cd_print_c_routine(text, &vectors, r);
        print_block_routine(text, &vectors, r);
        print_batch_routine(text, unit, r);
    }
}

// ---- test: two full blocks of states and an incomplete one, which repeat the test states

void cd_print_batch_test(cd_text* text, const cd_code_unit* unit, int r)
{
    const cd_traced_routine* traced = &unit->traced[r];
    const char *             t = cd_number_type(unit), *name = unit->name;
    int                      at      = 0;
    const int                nresult = traced->nresult - cd_traced_has_return_code(traced);
    cd_text_format(text,
                   "\nstatic int test_%s_batch(void)\n{\n    enum { STATES = 2 * LANES + 3 };\n    int wrong = 0;\n",
                   traced->routine->name);
    for (int k = 0; k < CD_ARGUMENT_COUNT; ++k) {
        const int size = cd_argument_size(unit, traced, k), n = size > 0 ? size : 1;
        if (!(traced->routine->arguments & (1U << k))) continue;
        cd_print_test_table(text, unit, cd_argument_name[k], size, unit->in.count,
                            unit->test_input + cd_argument_first(unit, k));
        cd_text_format(text, "    static %s %s_[STATES * %d], %s__[%s_room(STATES, %d)];\n", t, cd_argument_name[k], n,
                       cd_argument_name[k], name, n);
        cd_text_format(text, "    for (int i = 0; i < STATES * %d; ++i) %s_[i] = %s[i / %d %% %d][i %% %d];\n", n,
                       cd_argument_name[k], cd_argument_name[k], n, unit->ntest, n);
        cd_text_format(text, "    %s_pack(STATES, %d, %s_, %s__);\n", name, n, cd_argument_name[k],
                       cd_argument_name[k]);
    }
    for (int k = 0; k < nresult; ++k) {
        const int n     = cd_result_array_size(&traced->result[k]);
        cd_text   label = {0};
        cd_text_format(&label, "expected_%s", traced->result[k].name);
        if (label.failed) text->failed = true;
        if (label.data)
            cd_print_test_table(text, unit, label.data, cd_result_count(&traced->result[k]), traced->noutput,
                                unit->expected[r] + at);
        cd_text_free(&label);
        at += cd_result_count(&traced->result[k]);
        cd_text_format(text, "    static %s %s_[STATES * %d], %s__[%s_room(STATES, %d)];\n", t, traced->result[k].name,
                       n, traced->result[k].name, name, n);
    }
    cd_text_format(text, "    %s%s_%s_batch(STATES", nresult < traced->nresult ? "wrong += " : "", name,
                   traced->routine->name);
    for (int k = 0; k < CD_ARGUMENT_COUNT; ++k)
        if (traced->routine->arguments & (1U << k)) cd_text_format(text, ", %s__", cd_argument_name[k]);
    for (int k = 0; k < nresult; ++k) cd_text_format(text, ", %s__", traced->result[k].name);
    cd_text_add(text, nresult < traced->nresult ? ") != 0;\n" : ");\n");
    for (int k = 0; k < nresult; ++k) {
        const char* result = traced->result[k].name;
        const int   n      = cd_result_array_size(&traced->result[k]);
        cd_text_format(text, "    %s_unpack(STATES, %d, %s__, %s_);\n    for (int s = 0; s < STATES; ++s)\n", name, n,
                       result, result);
        cd_text_format(
            text,
            "        wrong += differs(\"%s_batch\", \"%s\", s %% %d, %d, %s_ + s * %d, expected_%s[s %% %d], %.3g);\n",
            traced->routine->name, result, unit->ntest, cd_result_written_count(&traced->result[k]), result, n, result,
            unit->ntest, cd_test_tolerance(unit, r));
    }
    cd_text_add(text, "    return wrong;\n}\n");
}
