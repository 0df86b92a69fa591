// SPDX-License-Identifier: BSD-3-Clause
// Helpers of batch routines: vectors with one number of each of several states, by the vector extensions of gcc and
// clang; their sines and cosines, and all operations that are not arithmetic.
#include "generate/print/syntax.h"

#include <string.h>

static void print_types(cd_text* text, const cd_code_unit* unit)
{
    const char* t = cd_number_type(unit);
    cd_text_format(
        text,
        "\n// Batches: a vector holds one number of each of WIDTH states, as many as fit into a vector register.\n"
        "#ifndef WIDTH\n#ifdef __AVX512F__\n#define WIDTH %d\n#elif defined __AVX__\n#define WIDTH %d\n#else\n#define "
        "WIDTH %d\n#endif\n#endif\n"
        "#ifndef BLOCKS  // blocks of states that pass through one part of a routine before the next part, whose code "
        "must be fetched\n#define BLOCKS (WIDTH < LANES ? 2 : 1)\n#endif\n"
        "enum { LANES = %d, VECTORS = LANES / WIDTH };  // states per block, and vectors per number of all states of a "
        "block\n"
        "_Static_assert(LANES %% WIDTH == 0, \"blocks must consist of whole vectors\");\n"
        "#pragma GCC diagnostic ignored \"-Wpsabi\"  // vectors are passed within this file only\n"
        "typedef %s vector __attribute__((vector_size(WIDTH * sizeof(%s))));\n"
        "typedef vector unaligned_vector __attribute__((aligned(sizeof(%s)), may_alias));  // at any address in an "
        "array\n\n"
        "__attribute__((unused)) static inline vector vector_of(%s x) { return x - (vector){0}; }\n\n"
        "// Offset of vector k in an array of blocks with `count` numbers per state.\n"
        "static inline long vector_offset(int k, int count) { return (long)(k / VECTORS) * count * LANES + k %% "
        "VECTORS * "
        "WIDTH; }\n\n"
        "// Fill an incomplete block by repeating its last state.\n"
        "static void pad_block(int count, long states, const %s* from, %s* to)\n{\n"
        "    for (int i = 0; i < count; ++i)\n"
        "        for (long s = 0; s < LANES; ++s) to[i * LANES + s] = from[i * LANES + (s < states ? s : states - "
        "1)];\n}\n",
        unit->single_precision ? 16 : 8, unit->single_precision ? 8 : 4, unit->single_precision ? 4 : 2,
        unit->block_size, t, t, t, t, t, t);
}

// Print sine and cosine of n vectors with the method of print_sincos (print_c.c). The vectors are interleaved line by
// line, so that no instruction waits for the previous one and all vectors share the coefficients. The caller tests
// afterwards whether all angles were small enough.
static void print_sincos_of(cd_text* text, char n)
{
    static const char* const line[] = {
        "const vector x@ = x[@], shifted@ = x@ * 0.63661977236758134308 + 6755399441055744.0, k@ = shifted@ - "
        "6755399441055744.0;",
        "const vector r@ = (x@ - k@ * 1.57079632673412561417) - k@ * 6.07710050650619224932e-11, z@ = r@ * r@;",
        "vector p@ = -2.50507602534068634195e-8 + z@ * 1.58969099521155010221e-10, m@ = 2.08757232129817482790e-9 - z@ "
        "* 1.13596475577881948265e-11;",
        "p@ = 2.75573137070700676789e-6 + z@ * p@, m@ = -2.75573143513906633035e-7 + z@ * m@;",
        "p@ = -1.98412698298579493134e-4 + z@ * p@, m@ = 2.48015872894767294178e-5 + z@ * m@;",
        "p@ = 8.33333333332248946124e-3 + z@ * p@, m@ = -1.38888888888741095749e-3 + z@ * m@;",
        "p@ = -0.166666666666666324348 + z@ * p@, m@ = 4.16666666666666019037e-2 + z@ * m@;",
        "p@ = r@ + r@ * z@ * p@, m@ = 1 + z@ * (-0.5 + z@ * m@);",
        "const vector_bits quarter@ = (vector_bits)shifted@, other@ = ((vector_bits)p@ ^ (vector_bits)m@) & -(quarter@ "
        "& 1);",
        "s[@] = (vector)((vector_bits)p@ ^ other@ ^ ((quarter@ & 2) << 62));",
        "c[@] = (vector)((vector_bits)m@ ^ other@ ^ (((quarter@ + 1) & 2) << 62));",
    };
    cd_text_format(
        text,
        "\n__attribute__((noinline, unused)) static vector vector_sincos%c(const vector* restrict x, vector* "
        "restrict s, vector* restrict c)\n{\n",
        n);
    for (size_t i = 0; i < sizeof line / sizeof *line; ++i)
        for (char which = '0'; which < n; ++which) {
            cd_text_add(text, "    ");
            for (const char* at = line[i]; *at; ++at) cd_text_add(text, (char[2]){*at == '@' ? which : *at, 0});
            cd_text_add(text, "\n");
        }
    cd_text_add(text, "    return x0 * x0");
    for (char which = '1'; which < n; ++which) cd_text_format(text, " + x%c * x%c", which, which);
    cd_text_add(text, ";\n}\n");
}

static void print_vector_sincos(cd_text* text)
{
    cd_text_add(text, "\ntypedef long long vector_bits __attribute__((vector_size(WIDTH * sizeof(double))));\n\n"
                      "// Sines and cosines of two or four vectors of angles, error below two units in the last place. "
                      "Quadrants: 0 (s, c), 1 (c, -s), 2 (-s, -c), 3 (-c, s).\n"
                      "// Returns the sum of the squared angles.");
    print_sincos_of(text, '2');
    print_sincos_of(text, '4');
    cd_text_add(text,
                "\n// For large angles.\n"
                "__attribute__((noinline)) static void vector_sincos_large(int n, const vector* restrict x, vector* "
                "restrict s, vector* restrict c)\n{\n"
                "    for (int i = 0; i < n; ++i)\n"
                "        for (int k = 0; k < WIDTH; ++k) {\n"
                "            s[i][k] = sin(x[i][k]);\n"
                "            c[i][k] = cos(x[i][k]);\n"
                "        }\n}\n"
                "static inline int vector_is_large(vector angle_sq)\n{\n"
                "    int large = 0;\n"
                "    for (int k = 0; k < WIDTH; ++k) large |= !(angle_sq[k] < 1e10);\n"
                "    return large;\n}\n");
}

// Print vector_NAME as a loop over the lanes; compilers vectorize it if there is an instruction.
static void print_lane_function(cd_text* text, const char* name, int operands, const char* expression)
{
    static const char* const arguments[] = {"vector a", "vector a, vector b", "vector a, vector b, vector c"};
    cd_text_format(text,
                   "\n__attribute__((unused)) static inline vector vector_%s(%s)\n{\n    vector r = a;\n    for (int k "
                   "= 0; k < WIDTH; ++k) r[k] = %s;\n    return r;\n}\n",
                   name, arguments[operands - 1], expression);
}

// Print operations that are not arithmetic, by their scalar expression or the function of math.h of the same name.
static void print_operations(cd_text* text, const cd_code_unit* unit)
{
    static const struct {
        cd_operation operation;
        const char * name, *expression;
    } own[] = {
        {CD_IF, "choose", "choose(a[k], b[k], c[k])"},
        {CD_MIN, "minimum", "minimum(a[k], b[k])"},
        {CD_MAX, "maximum", "maximum(a[k], b[k])"},
        {CD_MOD, "modulo", "modulo(a[k], b[k])"},
        {CD_SIGN, "sign", "sign(a[k])"},
        {CD_LESS, "less", "a[k] < b[k]"},
        {CD_LESS_EQUAL, "less_equal", "a[k] <= b[k]"},
        {CD_EQUAL, "equal", "a[k] == b[k]"},
        {CD_AND, "and", "a[k] != 0 && b[k] != 0"},
        {CD_OR, "or", "a[k] != 0 || b[k] != 0"},
        {CD_NOT, "not", "a[k] == 0"},
        {CD_ABS, "fabs", NULL},
    };
    const int nown = (int)(sizeof own / sizeof *own);
    for (cd_operation o = CD_NEG; o <= CD_TABLE; ++o) {
        const int operands = cd_operation_operands(o);
        int       i        = 0;
        if (o == CD_NEG || o == CD_TABLE || operands < 1 || !cd_has_operation(unit, o)) continue;
        while (i < nown && own[i].operation != o) ++i;
        const char* name = i < nown ? own[i].name : cd_operation_text(o);
        if (i < nown && own[i].expression) {
            print_lane_function(text, name, operands, own[i].expression);
            continue;
        }
        cd_text call = {0};
        cd_text_format(&call, "%s%s(a[k]%s)", name, unit->single_precision ? "f" : "", operands > 1 ? ", b[k]" : "");
        if (call.failed) text->failed = true;
        if (call.data)
            print_lane_function(text, name, operands, call.data);
        else
            text->failed = true;
        cd_text_free(&call);
    }
}

static void print_tables(cd_text* text, const cd_code_unit* unit, int r)
{
    const cd_program* p = &unit->program[r];
    for (int i = 0; i < p->subgraph.count; ++i) {
        const cd_node_data* item    = cd_node_data_at(p->graph, p->subgraph.entry[i].node);
        bool                printed = false;
        if (item->operation != CD_TABLE) continue;
        for (int k = 0; k < i && !printed; ++k) {
            const cd_node_data* other = cd_node_data_at(p->graph, p->subgraph.entry[k].node);
            printed                   = other->operation == CD_TABLE && other->operand[1] == item->operand[1] &&
                      other->derivative == item->derivative;
        }
        if (printed) continue;
        cd_text name = {0}, call = {0};
        cd_text_format(&name, "%s_table%d_%d", unit->traced[r].routine->form, item->operand[1], item->derivative);
        cd_text_format(&call, "%s(a[k])", name.data ? name.data : "");
        if (name.failed || call.failed) text->failed = true;
        if (name.data && call.data) print_lane_function(text, name.data, 1, call.data);
        cd_text_free(&name);
        cd_text_free(&call);
    }
}

void cd_print_vector_helpers(cd_text* text, const cd_code_unit* unit)
{
    bool angles = false;
    print_types(text, unit);
    for (int r = 0; r < unit->ntraced; ++r) angles = angles || unit->program[r].nangle > 0;
    if (angles) print_vector_sincos(text);
    print_operations(text, unit);
    for (int r = 0; r < unit->ntraced; ++r) print_tables(text, unit, r);
}
