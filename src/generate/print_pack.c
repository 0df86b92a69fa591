// SPDX-License-Identifier: BSD-3-Clause
// C of what stands side by side: packs and runs of outputs as loops, patterns of sparse matrices as arrays.
#include "generate/syntax.h"

// What is to be side by side, then the loop.
static void print_twins(cd_text* text, const cd_sheet* sheet, const cd_program* p, const cd_pack_of* pack,
                        const cd_syntax* syntax)
{
    for (int i = 0; i < p->ngather; ++i) {
        const cd_gather* g = &p->gather[i];
        if (g->part != pack->part || p->line[g->line].pack != p->value[pack->at[0]].pack) continue;
        cd_text_format(text, "    GATHER(p[%d]", g->slot);
        for (int k = 0; k < 2; ++k) {
            cd_text_add(text, ", ");
            cd_print_value(text, p, syntax, &sheet->in, g->at[k]);
        }
        cd_text_add(text, ");\n");
    }
    cd_text_format(text, "    TWINS BOTH(%s[%d]) = ", pack->local ? "p" : "g", pack->slot);
    cd_print_twins(text, p, syntax, &sheet->in, pack);
    cd_text_add(text, ";\n");
}

// All of it stands side by side in one result.
static bool goes_out(const cd_traced* traced, const cd_pack_of* pack)
{
    int index;
    return pack->direct >= 0 && cd_result_count(cd_output_result(traced, pack->direct, &index)) - index >= pack->count;
}

// Vectors of the widest processors; rows up to this length are not counted through.
enum { VECTOR = 8, LONG = 32 };

static int length_of(const cd_pack_of* pack)
{
    return pack->padded && pack->direct < 0 ? (pack->count + 3) / 4 * 4 : pack->count;
}

static bool is_unrolled(const cd_pack_of* pack)
{
    return !pack->held && !pack->twins && length_of(pack) > VECTOR && length_of(pack) <= LONG;
}

// Whole vectors first, then the rest.
static void print_loops(cd_text* text, const cd_sheet* sheet, const cd_program* p, const cd_pack_of* pack,
                        const cd_syntax* syntax, const char* to, int first)
{
    const int count = length_of(pack), whole = is_unrolled(pack) ? count / VECTOR * VECTOR : count;
    for (int from = 0, end = whole; from < count; from = end, end = count) {
        cd_text_format(text, "    %sfor (int k = %d; k < %d; ++k) %s[%d + k] = ",
                       end - from > VECTOR && is_unrolled(pack) ? "UNROLL " : "", from, end, to, first);
        cd_print_pack(text, p, syntax, &sheet->in, pack->at[pack->one], pack->at[pack->other]);
        cd_text_add(text, ";\n");
    }
}

// Held numbers one after the other; all others in loops.
void cd_print_c_pack(cd_text* text, const cd_sheet* sheet, const cd_traced* traced, const cd_program* p,
                     const cd_pack_of* pack, const cd_syntax* syntax)
{
    const cd_pack_of* head = &p->pack[pack->row];
    if (pack->twins) {
        print_twins(text, sheet, p, pack, syntax);
        return;
    }
    for (int k = head->stale; pack->opens && k < head->read; ++k)
        cd_text_format(text, "    g[%d] = 0;\n", head->base + k);
    if (goes_out(traced, pack)) {
        int              index;
        const cd_result* result = cd_output_result(traced, pack->direct, &index);
        print_loops(text, sheet, p, pack, syntax, result->name, index);
        return;
    }
    if (!pack->held) {
        print_loops(text, sheet, p, pack, syntax, "g", pack->slot);
        return;
    }
    for (int k = 0; k < pack->count; ++k) {
        cd_text_format(text, "    g[%d] = ", pack->slot + k);
        if (pack->at[k] < 0)
            cd_text_add(text, "0");
        else
            cd_print_value(text, p, syntax, &sheet->in, p->reach.list[pack->at[k]].operand[0]);
        cd_text_add(text, ";\n");
    }
}

// Outputs that stand side by side in a pack, or are one constant, result by result.
void cd_print_c_run(cd_text* text, const cd_sheet* sheet, const cd_traced* traced, const cd_program* p,
                    const cd_line* line, const cd_syntax* syntax)
{
    const cd_value* v    = &p->value[line->at];
    const bool      side = v->pack >= 0;
    if (side && p->pack[v->pack].direct == line->output && goes_out(traced, &p->pack[v->pack])) return;
    int from = side ? p->pack[v->pack].slot + v->lane : 0;
    for (int o = line->output, left = line->run; left > 0;) {
        int              index;
        const cd_result* result = cd_output_result(traced, o, &index);
        const int        here = cd_result_count(result) - index, n = left < here ? left : here;
        cd_text_format(text, "    for (int k = 0; k < %d; ++k) %s[%d + k] = ", n, result->name, index);
        if (side)
            cd_text_format(text, "g[%d + k]", from);
        else
            cd_print_value(text, p, syntax, &sheet->in, line->at);
        cd_text_add(text, ";\n");
        o += n, from += n, left -= n;
    }
}

static void print_places(cd_text* text, const cd_sheet* sheet, int r, const cd_result* result, bool row, bool defined)
{
    const char* name = sheet->traced[r].routine->name;
    cd_text_format(text, "%sconst int %s_%s_%s_%s[%d]", defined ? "" : "extern ", sheet->name, name, result->name,
                   row ? "row" : "column", cd_room_of(result));
    if (defined && result->nkept == 0) cd_text_add(text, " = {0");
    for (int i = 0; defined && i < result->nkept; ++i)
        cd_text_format(text, "%s%d",
                       i == 0   ? " = {"
                       : i % 24 ? ", "
                                : ",\n    ",
                       row ? result->kept[i] / result->columns : result->kept[i] % result->columns);
    cd_text_add(text, defined ? "};\n" : ";\n");
}

static bool any_pack(const cd_sheet* sheet, bool (*is)(const cd_pack_of*))
{
    bool any = false;
    for (int r = 0; r < sheet->ntraced; ++r)
        for (int i = 0; i < sheet->program[r].npack; ++i) any = any || is(&sheet->program[r].pack[i]);
    return any;
}

static bool is_twins(const cd_pack_of* pack) { return pack->twins; }

// One text for compilers that have vectors and for others.
void cd_print_c_twins(cd_text* text, const cd_sheet* sheet)
{
    if (any_pack(sheet, is_unrolled))
        cd_text_add(text, "\n#if defined __GNUC__ && !defined __clang__ && __GNUC__ >= 8\n"
                          "#define UNROLL _Pragma(\"GCC unroll 8\")\n"
                          "#else\n"
                          "#define UNROLL\n"
                          "#endif\n");
    if (!any_pack(sheet, is_twins)) return;
    const char* type = cd_number_type(sheet);
    cd_text_format(text,
                   "\n// Twins: numbers of two branches that are computed alike, left and right limbs say, stand side "
                   "by side. BOTH(x) is x and the number behind it.\n"
                   "// -DPLAIN does without vectors.\n"
                   "#if defined __GNUC__ && !defined PLAIN\n"
                   "typedef %s twin __attribute__((vector_size(2 * sizeof(%s)), aligned(sizeof(%s)), may_alias));\n"
                   "#define TWINS\n"
                   "#define BOTH(x) (*(twin*)&(x))\n"
                   "#define GATHER(x, one, other) (BOTH(x) = (twin){one, other})\n"
                   "#else\n"
                   "#define TWINS for (int k = 0; k < 2; ++k)\n"
                   "#define BOTH(x) ((&(x))[k])\n"
                   "#define GATHER(x, one, other) ((x) = (one), (&(x))[1] = (other))\n"
                   "#endif\n",
                   type, type, type);
}

void cd_print_c_pattern(cd_text* text, const cd_sheet* sheet, int r, bool defined)
{
    const cd_traced* traced = &sheet->traced[r];
    for (int k = 0; k < traced->nresult; ++k) {
        const cd_result* result = &traced->result[k];
        if (!result->kept) continue;
        cd_text_format(
            text, "\n// %s is sparse: %d of %d entries, row by row, stand at these rows and columns, counted from 0\n",
            result->name, result->nkept, result->rows * result->columns);
        if (result->nkept == 0) cd_text_add(text, "// (none: the arrays hold one, at 0, 0, which is 0)\n");
        if (!defined)
            cd_text_format(text, "enum { %s_%s_%s_entries = %d };\n", sheet->name, traced->routine->name, result->name,
                           result->nkept);
        print_places(text, sheet, r, result, true, defined);
        print_places(text, sheet, r, result, false, defined);
    }
}
