// SPDX-License-Identifier: BSD-3-Clause
// C for many states at once: a lane holds one number of each of several states, by the vector extensions of gcc and clang, and the lines of a routine
// are the same over lanes as over numbers. Arrays are structures of arrays: number i of state s is x[i * n + s]. The last lanes repeat the last state where
// states do not fill them.
#include "generate/syntax.h"

#include <string.h>

static const char* type_of(const cd_sheet* sheet) { return sheet->single ? "float" : "double"; }

// ---- what lanes need

static void print_types(cd_text* text, const cd_sheet* sheet)
{
    const char* t = type_of(sheet);
    cd_text_format(text,
                   "\n// Lanes: one number of each of several states.\n"
                   "#ifndef LANES  // what the processor's vectors hold\n#ifdef __AVX512F__\n#define LANES %d\n#elif defined __AVX__\n#define LANES %d\n#else\n#define LANES %d\n#endif\n#endif\n"
                   "#ifndef BLOCKS  // so many lanes go through a part of a routine before the next part, whose code must be fetched\n#define BLOCKS (LANES < 8 ? 4 : 1)\n#endif\n"
                   "#include <string.h>\n"
                   "#pragma GCC diagnostic ignored \"-Wpsabi\"  // lanes are handed on inside of this file alone\n"
                   "typedef %s lane __attribute__((vector_size(LANES * sizeof(%s))));\n"
                   "typedef lane lane_loose __attribute__((aligned(sizeof(%s)), may_alias));  // anywhere in an array\n\n"
                   "__attribute__((unused)) static inline lane lane_of(%s x) { return x - (lane){0}; }\n\n"
                   "// rows of states first ... first + count - 1 of n into lanes, and out of them\n"
                   "static inline void lane_take(int rows, long n, long first, int count, const %s* from, lane* to)\n{\n"
                   "    for (int i = 0; i < rows; ++i) {\n"
                   "        const %s* x = from + i * n + first;\n"
                   "        if (count == LANES) memcpy(&to[i], x, sizeof(lane));\n"
                   "        else for (int k = 0; k < LANES; ++k) to[i][k] = x[k < count ? k : count - 1];\n"
                   "    }\n}\n"
                   "static inline void lane_give(int rows, long n, long first, int count, const %s* from, %s* to)\n{\n"
                   "    for (int i = 0; i < rows; ++i)\n"
                   "        for (int k = 0; k < count; ++k) to[i * n + first + k] = from[i * LANES + k];\n}\n"
                   "// what is the same for all states\n"
                   "__attribute__((unused)) static inline void lane_fill(int row, int rows, long n, %s value, %s* to)\n{\n"
                   "    for (long i = row * n; i < (row + rows) * n; ++i) to[i] = value;\n}\n",
                   sheet->single ? 16 : 8, sheet->single ? 8 : 4, sheet->single ? 4 : 2, t, t, t, t, t, t, t, t, t, t);
}

// The same as waves in C, over lanes. Processors run ahead of a loop by a few rounds only, so that short ways to a result count: polynomials are summed by
// halves. Whether all angles were near enough is asked behind the loop.
static void print_waves(cd_text* text)
{
    cd_text_add(text,
                "\ntypedef long long lane_bits __attribute__((vector_size(LANES * sizeof(double))));\n"
                "static inline lane lane_blend(lane_bits c, lane a, lane b) { return (lane)((c & (lane_bits)a) | (~c & (lane_bits)b)); }\n\n"
                "// Where an angle is huge.\n"
                "__attribute__((noinline)) static void lane_waves_far(int n, const lane* x, lane* s, lane* c)\n{\n"
                "    for (int i = 0; i < n; ++i)\n"
                "        for (int k = 0; k < LANES; ++k) {\n"
                "            s[i][k] = sin(x[i][k]);\n"
                "            c[i][k] = cos(x[i][k]);\n"
                "        }\n}\n\n"
                "// Sines and cosines of n lanes of angles, to the last digit or next to it.\n"
                "static void lane_waves(int n, const lane* restrict x, lane* restrict s, lane* restrict c)\n{\n"
                "    lane far = {0};\n"
                "    for (int i = 0; i < n; ++i) {\n"
                "        const lane shifted = x[i] * 0.63661977236758134308 + 6755399441055744.0, k = shifted - 6755399441055744.0;\n"
                "        const lane r  = ((x[i] - k * 1.57079632673412561417) - k * 6.07710050630396597660e-11) - k * 2.02226624879595063154e-21;\n"
                "        const lane z  = r * r, zz = z * z;\n"
                "        const lane sr = r + r * z * (-0.166666666666666324348 + z * 8.33333333332248946124e-3 + zz * (-1.98412698298579493134e-4 +\n"
                "                        z * 2.75573137070700676789e-6 + zz * (-2.50507602534068634195e-8 + z * 1.58969099521155010221e-10)));\n"
                "        const lane cr = 1 - (0.5 * z - zz * (4.16666666666666019037e-2 - z * 1.38888888888741095749e-3 + zz * (2.48015872894767294178e-5 -\n"
                "                        z * 2.75573143513906633035e-7 + zz * (2.08757232129817482790e-9 - z * 1.13596475577881948265e-11))));\n"
                "        // quarter of the turn: 0 (s, c), 1 (c, -s), 2 (-s, -c), 3 (-c, s)\n"
                "        const lane_bits quarter = (lane_bits)shifted, odd = -(quarter & 1);\n"
                "        far += x[i] * x[i];\n"
                "        s[i] = (lane)((lane_bits)lane_blend(odd, cr, sr) ^ ((quarter & 2) << 62));\n"
                "        c[i] = (lane)((lane_bits)lane_blend(odd, sr, cr) ^ (((quarter + 1) & 2) << 62));\n"
                "    }\n"
                "    for (int k = 0; k < LANES; ++k)\n"
                "        if (!(far[k] < 1e10)) {\n"
                "            lane_waves_far(n, x, s, c);\n"
                "            return;\n"
                "        }\n}\n");
}

// lane_NAME, one number after the other: compilers make vectors of what has instructions.
static void print_each(cd_text* text, const char* name, int operands, const char* expression)
{
    static const char* const arguments[] = {"lane a", "lane a, lane b", "lane a, lane b, lane c"};
    cd_text_format(text, "\n__attribute__((unused)) static inline lane lane_%s(%s)\n{\n    lane r;\n    for (int k = 0; k < LANES; ++k) r[k] = %s;\n    return r;\n}\n", name, arguments[operands - 1],
                   expression);
}

// What is not arithmetic, by the expression of numbers, where it is not a function of math.h by its own name.
static void print_operations(cd_text* text, const cd_sheet* sheet)
{
    static const struct {
        cd_operation operation;
        const char * name, *expression;
    } own[] = {
        {CD_IF, "choose", "choose(a[k], b[k], c[k])"},  {CD_MIN, "least", "least(a[k], b[k])"},       {CD_MAX, "most", "most(a[k], b[k])"},
        {CD_MOD, "modulo", "modulo(a[k], b[k])"},       {CD_SIGN, "sign", "sign(a[k])"},              {CD_LESS, "less", "a[k] < b[k]"},
        {CD_LESS_EQUAL, "less_equal", "a[k] <= b[k]"},  {CD_EQUAL, "equal", "a[k] == b[k]"},          {CD_AND, "both", "a[k] != 0 && b[k] != 0"},
        {CD_OR, "either", "a[k] != 0 || b[k] != 0"},    {CD_NOT, "negated", "a[k] == 0"},             {CD_ABS, "fabs", NULL},
    };
    const int nown = (int)(sizeof own / sizeof *own);
    for (cd_operation o = CD_NEG; o <= CD_TABLE; ++o) {
        const int operands = cd_operation_operands(o);
        int       i        = 0;
        if (o == CD_NEG || o == CD_TABLE || operands < 1 || !cd_has_operation(sheet, o)) continue;
        while (i < nown && own[i].operation != o) ++i;
        const char* name = i < nown ? own[i].name : cd_operation_text(o);
        if (i < nown && own[i].expression) {
            print_each(text, name, operands, own[i].expression);
            continue;
        }
        cd_text call = {0};
        cd_text_format(&call, "%s%s(a[k]%s)", name, sheet->single ? "f" : "", operands > 1 ? ", b[k]" : "");
        if (call.data) print_each(text, name, operands, call.data);
        else text->failed = true;
        cd_text_free(&call);
    }
}

static void print_tables(cd_text* text, const cd_sheet* sheet, int r)
{
    const cd_program* p = &sheet->program[r];
    for (int i = 0; i < p->reach.count; ++i) {
        const cd_item* item = cd_item_at(p->graph, p->reach.list[i].node);
        bool           told = false;
        if (item->operation != CD_TABLE) continue;
        for (int k = 0; k < i && !told; ++k) {
            const cd_item* other = cd_item_at(p->graph, p->reach.list[k].node);
            told                 = other->operation == CD_TABLE && other->operand[1] == item->operand[1] && other->derivative == item->derivative;
        }
        if (told) continue;
        cd_text name = {0}, call = {0};
        cd_text_format(&name, "%s_table%d_%d", sheet->traced[r].routine->form, item->operand[1], item->derivative);
        cd_text_format(&call, "%s(a[k])", name.data ? name.data : "");
        if (name.data && call.data) print_each(text, name.data, 1, call.data);
        cd_text_free(&name);
        cd_text_free(&call);
    }
}

// ---- the routines

static void print_arguments(cd_text* text, const cd_sheet* sheet, int r)
{
    const cd_traced* traced = &sheet->traced[r];
    cd_text_add(text, "long n");
    for (int k = 0; k < CD_ARGUMENTS; ++k)
        if (traced->routine->takes & (1U << k)) cd_text_format(text, ", const %s* %s", type_of(sheet), cd_argument_name[k]);
    for (int k = 0; k < traced->nresult; ++k) cd_text_format(text, ", %s* %s", type_of(sheet), traced->result[k].name);
}

void cd_print_batch_prototype(cd_text* text, const cd_sheet* sheet, int r)
{
    cd_text_format(text, "\n// The same for n states at once: number i of state s stands at [i * n + s] in all arrays%s.\nvoid %s_%s_batch(",
                   sheet->traced[r].routine->takes & CD_TAKES_TIME ? ", times too" : "", sheet->name, sheet->traced[r].routine->name);
    print_arguments(text, sheet, r);
    cd_text_add(text, ");\n");
}

static int argument_room(const cd_sheet* sheet, const cd_traced* traced, int k)
{
    const int n = cd_argument_size(sheet, traced, k);
    return n > 0 ? n : 1;
}

// Results that are constants.
static void print_fills(cd_text* text, const cd_sheet* sheet, int r, const char* indent, const char* n, const char* behind)
{
    const cd_traced*  traced = &sheet->traced[r];
    const cd_program* p      = &sheet->program[r];
    for (int o = 0; o < p->noutput;) {
        int              index, run = 1;
        double           value;
        const cd_result* result = cd_output_result(traced, o, &index);
        if (p->place[o] < 0 || !cd_node_is_constant(p->graph, p->reach.list[p->place[o]].node, &value)) {
            ++o;
            continue;
        }
        while (o + run < p->noutput && index + run < cd_result_count(result) && p->place[o + run] == p->place[o]) ++run;
        cd_text_format(text, "%slane_fill(%d, %d, %s, ", indent, index, run, n);
        cd_print_number(text, value, sheet->single ? "f" : "");
        cd_text_format(text, ", %s%s);\n", result->name, behind);
        o += run;
    }
}

// Arguments and results of the lanes of block b.
static void print_block_arguments(cd_text* text, const cd_sheet* sheet, const cd_traced* traced, const char* end)
{
    for (int k = 0; k < CD_ARGUMENTS; ++k)
        if (traced->routine->takes & (1U << k)) cd_text_format(text, k == 5 ? ", %s%s[b]" : ", %s%s + b * %d", cd_argument_name[k], end, argument_room(sheet, traced, k));
    for (int k = 0; k < traced->nresult; ++k) cd_text_format(text, ", %s + b * LANES", traced->result[k].name);
}

static void print_block_loop(cd_text* text, const cd_traced* traced)
{
    cd_text_format(text, "    for (int b = 0; b < blocks; ++b) %s_lanes", traced->routine->name);
}

static void print_blocks_head(cd_text* text, const cd_sheet* sheet, const cd_traced* traced)
{
    cd_text_format(text, "\nstatic void %s_blocks(long n, int blocks", traced->routine->name);
    for (int k = 0; k < CD_ARGUMENTS; ++k)
        if (traced->routine->takes & (1U << k)) cd_text_format(text, ", const lane* restrict %s_", cd_argument_name[k]);
    for (int k = 0; k < traced->nresult; ++k) cd_text_format(text, ", %s* restrict %s", type_of(sheet), traced->result[k].name);
    cd_text_add(text, ")\n{\n");
}

// Some lanes after each other: all of them through one part, then all through the next, so that its code is fetched once.
static void print_blocks(cd_text* text, const cd_sheet* sheet, int r)
{
    const cd_traced*  traced = &sheet->traced[r];
    const cd_program* p      = &sheet->program[r];
    const int         nangle = p->nangle > 0 ? p->nangle : 1;
    print_blocks_head(text, sheet, traced);
    if (p->npart > 1)
        cd_text_format(text, "    lane w[BLOCKS][%d], g[BLOCKS][%d], angle[BLOCKS][%d], sine[BLOCKS][%d], cosine[BLOCKS][%d];\n", p->nslot > 0 ? p->nslot : 1,
                       p->nside > 0 ? p->nside : 1, nangle, nangle, nangle);
    for (int part = 0; part < p->npart; ++part) {
        print_block_loop(text, traced);
        if (p->npart > 1) cd_text_format(text, "_part%d", part);
        cd_text_add(text, "(n");
        print_block_arguments(text, sheet, traced, "_");
        cd_text_add(text, p->npart > 1 ? ", w[b], g[b], angle[b], sine[b], cosine[b]);\n" : ");\n");
    }
    cd_text_add(text, "}\n");
}

static void print_blocks_call(cd_text* text, const cd_traced* traced, const char* n, const char* blocks, const char* behind)
{
    cd_text_format(text, "%s_blocks(%s, %s", traced->routine->name, n, blocks);
    for (int k = 0; k < CD_ARGUMENTS; ++k)
        if (traced->routine->takes & (1U << k)) cd_text_format(text, ", %s_", cd_argument_name[k]);
    for (int k = 0; k < traced->nresult; ++k) cd_text_format(text, ", %s%s", traced->result[k].name, behind);
    cd_text_add(text, ");\n");
}

static void print_batch_routine(cd_text* text, const cd_sheet* sheet, int r)
{
    const cd_traced* traced = &sheet->traced[r];
    const unsigned   takes  = traced->routine->takes;
    cd_text_format(text, "\nvoid %s_%s_batch(", sheet->name, traced->routine->name);
    print_arguments(text, sheet, r);
    cd_text_add(text, ")\n{\n");
    print_fills(text, sheet, r, "    ", "n", "");
    cd_text_add(text, "    for (long first = 0, left = n; left > 0; first += LANES * BLOCKS, left -= LANES * BLOCKS) {\n"
                      "        const int full = left < LANES * BLOCKS ? (int)(left / LANES) : BLOCKS, rest = left < LANES * BLOCKS ? (int)(left % LANES) : 0;\n");
    for (int k = 0; k < CD_ARGUMENTS; ++k)
        if (takes & (1U << k))
            cd_text_format(text, "        lane %s_[BLOCKS * %d];\n        for (int b = 0; b < full; ++b) lane_take(%d, n, first + b * LANES, LANES, %s, %s_ + b * %d);\n", cd_argument_name[k], argument_room(sheet, traced, k),
                           cd_argument_size(sheet, traced, k), cd_argument_name[k], cd_argument_name[k], argument_room(sheet, traced, k));
    cd_text_add(text, "        if (full > 0) ");
    print_blocks_call(text, traced, "n", "full", " + first");
    cd_text_add(text, "        if (rest == 0) continue;\n        const long last = first + full * LANES;\n");
    for (int k = 0; k < CD_ARGUMENTS; ++k)
        if (takes & (1U << k))
            cd_text_format(text, "        lane_take(%d, n, last, rest, %s, %s_);\n", cd_argument_size(sheet, traced, k), cd_argument_name[k], cd_argument_name[k]);
    for (int k = 0; k < traced->nresult; ++k) cd_text_format(text, "        %s %s__[%d * LANES];\n", type_of(sheet), traced->result[k].name, cd_room_of(&traced->result[k]));
    print_fills(text, sheet, r, "        ", "LANES", "__");
    cd_text_add(text, "        ");
    print_blocks_call(text, traced, "LANES", "1", "__");
    for (int k = 0; k < traced->nresult; ++k)
        cd_text_format(text, "        lane_give(%d, n, last, rest, %s__, %s);\n", cd_result_count(&traced->result[k]), traced->result[k].name, traced->result[k].name);
    cd_text_add(text, "    }\n}\n");
}

void cd_print_batch(cd_text* text, const cd_sheet* sheet)
{
    cd_sheet lanes  = *sheet;
    bool     angles = false;
    lanes.lanes     = true;
    print_types(text, sheet);
    for (int r = 0; r < sheet->ntraced; ++r) angles = angles || sheet->program[r].nangle > 0;
    if (angles) print_waves(text);
    print_operations(text, sheet);
    for (int r = 0; r < sheet->ntraced; ++r) {
        print_tables(text, sheet, r);
        cd_print_c_routine(text, &lanes, r);
        print_blocks(text, sheet, r);
        print_batch_routine(text, sheet, r);
    }
}

// ---- their test: two lanes full of states and a rest, which repeat the vectors

static void print_test_inputs(cd_text* text, const cd_sheet* sheet, int r)
{
    const cd_traced* traced = &sheet->traced[r];
    for (int k = 0; k < CD_ARGUMENTS; ++k) {
        if (!(traced->routine->takes & (1U << k))) continue;
        cd_print_rows(text, sheet, cd_argument_name[k], cd_argument_size(sheet, traced, k), sheet->in.count, sheet->input + cd_argument_first(sheet, k));
        cd_text_format(text, "    static %s %s_[%d * STATES];\n", type_of(sheet), cd_argument_name[k], argument_room(sheet, traced, k));
        cd_text_format(text, "    for (int i = 0; i < %d * STATES; ++i) %s_[i] = %s[i %% STATES %% %d][i / STATES];\n", cd_argument_size(sheet, traced, k), cd_argument_name[k],
                       cd_argument_name[k], sheet->nvector);
    }
}

void cd_print_batch_test(cd_text* text, const cd_sheet* sheet, int r)
{
    const cd_traced* traced = &sheet->traced[r];
    int              at     = 0;
    cd_text_format(text, "\nstatic int test_%s_batch(void)\n{\n    enum { STATES = 2 * LANES + 3 };\n    int wrong = 0;\n", traced->routine->name);
    print_test_inputs(text, sheet, r);
    for (int k = 0; k < traced->nresult; ++k) {
        cd_text label = {0};
        cd_text_format(&label, "expected_%s", traced->result[k].name);
        if (label.data) cd_print_rows(text, sheet, label.data, cd_result_count(&traced->result[k]), traced->noutput, sheet->expected[r] + at);
        cd_text_free(&label);
        at += cd_result_count(&traced->result[k]);
        cd_text_format(text, "    static %s %s__[%d * STATES];\n", type_of(sheet), traced->result[k].name, cd_room_of(&traced->result[k]));
    }
    cd_text_format(text, "    %s_%s_batch(STATES", sheet->name, traced->routine->name);
    for (int k = 0; k < CD_ARGUMENTS; ++k)
        if (traced->routine->takes & (1U << k)) cd_text_format(text, ", %s_", cd_argument_name[k]);
    for (int k = 0; k < traced->nresult; ++k) cd_text_format(text, ", %s__", traced->result[k].name);
    cd_text_add(text, ");\n    for (int s = 0; s < STATES; ++s) {\n");
    for (int k = 0; k < traced->nresult; ++k) {
        const int n = cd_result_count(&traced->result[k]);
        cd_text_format(text, "        %s %s[%d] = {0};\n        for (int i = 0; i < %d; ++i) %s[i] = %s__[i * STATES + s];\n", type_of(sheet), traced->result[k].name,
                       cd_room_of(&traced->result[k]), n, traced->result[k].name, traced->result[k].name);
        cd_text_format(text, "        wrong += differs(\"%s_batch\", \"%s\", s %% %d, %d, %s, expected_%s[s %% %d], %.3g);\n", traced->routine->name, traced->result[k].name,
                       sheet->nvector, n, traced->result[k].name, traced->result[k].name, sheet->nvector, cd_allowed(sheet, r));
    }
    cd_text_add(text, "    }\n    return wrong;\n}\n");
}
