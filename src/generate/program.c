// SPDX-License-Identifier: BSD-3-Clause
// Order: depth first from the outputs, so that a value is computed shortly before it is wanted. A value gets a name if
// several want it, if it is a call, or if the line would grow too long; signs never do. What is wanted in another part
// than its own goes to shared memory, whose places are given again as soon as the last part that reads them is over.
#include "generate/program.h"

#include "core/memory.h"

#include <stdlib.h>

enum { LONG_WAIT = 150 }; // operations between a value and who reads it

static cd_operation operation_at(const cd_program* p, int at)
{
    return cd_node_operation(p->graph, p->reach.list[at].node);
}

static bool is_leaf(cd_operation o) { return o == CD_CONSTANT || o == CD_INPUT; }

static bool is_arithmetic(cd_operation o) { return o >= CD_ADD && o <= CD_NEG; }

static int operands_of(const cd_program* p, int at) { return cd_operation_operands(operation_at(p, at)); }

// A sign is not a value of its own: who uses it uses what stands behind it.
static int behind_sign(const cd_program* p, int at)
{
    while (operation_at(p, at) == CD_NEG) at = p->reach.list[at].operand[0];
    return at;
}

static void count_uses(cd_program* p)
{
    for (int i = 0; i < p->reach.count; ++i)
        for (int k = 0; operation_at(p, i) != CD_NEG && k < operands_of(p, i); ++k)
            ++p->value[behind_sign(p, p->reach.list[i].operand[k])].uses;
    for (int i = 0; i < p->noutput; ++i)
        if (p->place[i] >= 0) ++p->value[behind_sign(p, p->place[i])].uses;
}

static void tally(cd_program* p)
{
    for (int i = 0; i < p->reach.count; ++i) {
        switch (operation_at(p, i)) {
        case CD_CONSTANT:
        case CD_INPUT:
        case CD_HOLD:
        case CD_NEG:
            break;
        case CD_ADD:
        case CD_SUB:
            ++p->tally.add;
            break;
        case CD_MUL:
            ++p->tally.mul;
            break;
        case CD_DIV:
            ++p->tally.div;
            break;
        case CD_SQRT:
            ++p->tally.sqrt;
            break;
        case CD_SIN:
        case CD_COS:
            ++p->tally.trig;
            break;
        default:
            ++p->tally.mul;
            break;
        }
    }
}

static bool is_wave(cd_operation o) { return o == CD_SIN || o == CD_COS; }

// Angles whose sines and cosines go ahead. One angle has one place, whether its sine, its cosine or both are wanted.
static void find_angles(cd_program* p, int* place)
{
    for (int i = 0; i < p->reach.count; ++i) {
        const cd_operation o = operation_at(p, i);
        place[i]             = -1;
        p->value[i].early    = is_leaf(o) || (is_arithmetic(o) && o != CD_DIV);
        for (int k = 0; k < operands_of(p, i); ++k)
            p->value[i].early = p->value[i].early && p->value[p->reach.list[i].operand[k]].early;
    }
    for (int i = 0; i < p->reach.count; ++i) {
        const int argument = p->reach.list[i].operand[0];
        if (!is_wave(operation_at(p, i)) || !p->value[argument].early) continue;
        if (place[argument] < 0) place[argument] = p->nangle++;
        p->value[i].angle        = place[argument];
        p->value[argument].first = true;
    }
    for (int i = p->reach.count - 1; i >= 0; --i)
        for (int k = 0; p->value[i].first && k < operands_of(p, i); ++k)
            p->value[p->reach.list[i].operand[k]].first = true;
}

// Values that wait long for who reads them, in steps of the order: `wait` of each.
static bool measure_waits(const cd_program* p, int* wait)
{
    int* step = cd_allocate((size_t)p->reach.count + 1, sizeof *step);
    for (int i = 0; step && i < p->reach.count; ++i) step[p->order[i]] = i;
    for (int i = 0; step && i < p->reach.count; ++i)
        for (int k = 0; operation_at(p, i) != CD_NEG && k < operands_of(p, i); ++k) {
            const int o = behind_sign(p, p->reach.list[i].operand[k]);
            if (step[i] - step[o] > wait[o]) wait[o] = step[i] - step[o];
        }
    free(step);
    return step != NULL;
}

// Values that have to be kept for what computes a value where it is read.
static int kept_for(const cd_program* p, int at, const int* kept)
{
    int sum = 0;
    for (int k = 0; k < operands_of(p, at); ++k) {
        const int o = p->reach.list[at].operand[k];
        if (is_leaf(operation_at(p, o)) || p->value[o].angle >= 0) continue;
        sum += p->value[o].name >= 0 ? 1 : kept[o];
    }
    return sum;
}

// Which values get names, and how many operations the lines have.
static void name_values(cd_program* p, int* weight, int longest, const int* wait, int* kept)
{
    for (int i = 0; i < p->reach.count; ++i) {
        const cd_operation o = operation_at(p, i);
        cd_value*          v = &p->value[i];
        v->name              = -1;
        weight[i]            = 0;
        if (is_leaf(o)) continue;
        if (wait) kept[i] = kept_for(p, i, kept);
        for (int k = 0; k < operands_of(p, i); ++k) weight[i] += weight[p->reach.list[i].operand[k]];
        if (o == CD_NEG || v->inner) continue;
        if (v->angle >= 0) continue;
        if (v->pack >= 0) {
            weight[i] = 0;
            continue;
        }
        ++weight[i];
        const bool call  = !is_arithmetic(o);
        const bool waits = wait && wait[i] > LONG_WAIT && kept[i] > 1; // one value is kept instead of several
        if (v->uses < 2 && !call && weight[i] < longest && !waits) continue;
        v->name   = p->nname++;
        weight[i] = 0;
    }
}

static cd_line line_of(int at) { return (cd_line){.at = at, .output = -1, .angle = -1, .pack = -1, .run = 1}; }

// Values that angles need, then the angles, then the rest.
static void write_angles(cd_program* p, int* who)
{
    for (int i = 0; i < p->reach.count; ++i)
        if (p->value[i].first && p->value[i].name >= 0) p->line[p->nline++] = line_of(i);
    for (int i = 0; i < p->reach.count; ++i)
        if (p->value[i].angle >= 0) who[p->value[i].angle] = i;
    for (int next = 0; next < p->nangle; ++next) {
        cd_line line        = line_of(p->reach.list[who[next]].operand[0]);
        line.angle          = next;
        p->line[p->nline++] = line;
    }
}

static void write_outputs(cd_program* p, int i, const int* first, const int* next)
{
    for (int o = first[i]; o >= 0; o = next[o]) {
        cd_line line  = line_of(i);
        line.output   = o;
        cd_line* last = p->nline > 0 ? &p->line[p->nline - 1] : NULL;
        // the next output from the next place of the same pack, or of the same constant, lengthens the run
        const bool follows = last && last->output >= 0 && last->output + last->run == o;
        const bool side    = follows && p->value[i].pack >= 0 && p->value[last->at].pack == p->value[i].pack &&
                          !p->pack[p->value[i].pack].twins && p->value[last->at].lane + last->run == p->value[i].lane;
        const bool again = follows && last->at == i && operation_at(p, i) == CD_CONSTANT;
        if (p->runs && (side || again))
            ++last->run;
        else
            p->line[p->nline++] = line;
    }
}

// Runs of outputs that wait, first come first served: `due` is the line from which on each may be written. Vectors that
// were written just now in pieces, or at other places, must have reached memory before they can be read.
typedef struct queue {
    cd_line* line;
    int *    due, first, count;
} queue;

enum { LATER = 24 };

static void write_due(cd_program* p, queue* late, bool all)
{
    for (; late->first < late->count && (all || late->due[late->first] <= p->nline); ++late->first)
        p->line[p->nline++] = late->line[late->first];
}

static void postpone(cd_program* p, queue* late, int begin)
{
    int n = begin;
    for (int i = begin; i < p->nline; ++i) {
        if (p->line[i].run < 4) {
            p->line[n++] = p->line[i];
            continue;
        }
        late->line[late->count]  = p->line[i];
        late->due[late->count++] = begin + LATER;
    }
    p->nline = n;
}

// The whole pack, when its last value comes along.
static void write_pack(cd_program* p, int i, const int* first, const int* next, queue* late)
{
    cd_pack_of* pack = &p->pack[p->value[i].pack];
    for (int k = p->value[i].lane + 1; k < pack->count; ++k)
        if (pack->at[k] >= 0) return;
    cd_line line        = line_of(pack->at[pack->one]);
    line.pack           = p->value[i].pack;
    p->line[p->nline++] = line;
    const int begin     = p->nline;
    for (int k = 0; k < pack->count; ++k)
        if (pack->at[k] >= 0) write_outputs(p, pack->at[k], first, next);
    // one run of outputs, and nobody else reads it: loops of whole vectors write it where it goes
    bool alone = p->nline == begin + 1 && p->line[begin].run == pack->count && !pack->held && !pack->twins &&
                 pack->count % 4 == 0 && p->pack[pack->row].total == pack->count;
    for (int k = 0; k < pack->count && alone; ++k)
        alone = pack->at[k] >= 0 && p->value[pack->at[k]].uses <= 1; // a sign has no uses of its own
    pack->direct = alone ? p->line[begin].output : -1;
    if (!alone && !pack->twins) postpone(p, late, begin);
}

static bool write_lines(cd_program* p)
{
    p->line          = cd_allocate((size_t)(p->nname + p->noutput + p->nangle + p->npack) + 1, sizeof *p->line);
    int*       first = cd_allocate((size_t)p->reach.count + 1, sizeof *first); // outputs at a position, as lists
    int*       next  = cd_allocate((size_t)p->noutput + 1, sizeof *next);
    queue      late  = {cd_allocate((size_t)p->noutput + 1, sizeof *late.line),
                        cd_allocate((size_t)p->noutput + 1, sizeof *late.due), 0, 0};
    const bool room  = p->line && first && next && late.line && late.due;
    if (room) write_angles(p, first);
    for (int i = 0; room && i < p->reach.count; ++i) first[i] = -1;
    for (int i = p->noutput - 1; room && i >= 0; --i) {
        if (p->place[i] < 0) continue;
        next[i]            = first[p->place[i]];
        first[p->place[i]] = i;
    }
    for (int k = 0; room && k < p->reach.count; ++k) {
        const int i = p->order[k];
        if (p->value[i].name >= 0 && !p->value[i].first) p->line[p->nline++] = line_of(i);
        if (p->value[i].pack >= 0)
            write_pack(p, i, first, next, &late);
        else
            write_outputs(p, i, first, next);
        write_due(p, &late, false);
    }
    if (room) write_due(p, &late, true);
    free(late.line), free(late.due);
    free(first);
    free(next);
    return room;
}

// Parts of equal length; then who is read where. `reader` walks what a line reads: named values behind values that are
// not.
static void mark_read(cd_program* p, int at, int part, int* stack)
{
    int depth      = 0;
    stack[depth++] = at;
    while (depth > 0) {
        const int i = stack[--depth];
        for (int k = 0; k < operands_of(p, i); ++k) {
            const int o = p->reach.list[i].operand[k];
            if (p->value[o].pack >= 0) {
                if (part > p->pack[p->value[o].pack].last_part) p->pack[p->value[o].pack].last_part = part;
                continue;
            }
            if (p->value[o].name >= 0) {
                if (part > p->value[o].last_part) p->value[o].last_part = part;
            } else if (!is_leaf(operation_at(p, o)) && p->value[o].angle < 0) {
                stack[depth++] = o;
            }
        }
    }
}

// Lines of text that a line takes.
static int length_of(const cd_program* p, const cd_line* line)
{
    return line->pack >= 0 && p->pack[line->pack].held ? p->pack[line->pack].count : 1;
}

static void cut(cd_program* p, const cd_cutting* how, int* stack)
{
    long total = 0;
    for (int i = 0; i < p->nline; ++i) total += length_of(p, &p->line[i]);
    const long length = how->longest_part < 1 || total <= how->longest_whole ? total + 1 : how->longest_part;
    p->npart          = total > 0 ? (int)((total + length - 1) / length) : 1;
    const long even   = total / p->npart + 1;
    long       so_far = 0;
    int        head = 0, last = 0; // angles are of the first part
    for (int i = 0; i < p->nline; ++i)
        if (p->line[i].angle >= 0) head = i;
    for (int i = 0; i < p->nline; ++i) {
        cd_line*  line = &p->line[i];
        const int here = i <= head ? 0 : (int)(so_far / even);
        line->part     = here > last ? ++last : last;
        so_far += length_of(p, line);
        if (line->pack >= 0) {
            cd_pack_of* pack = &p->pack[line->pack];
            pack->part       = line->part;
            if (line->part > pack->last_part) pack->last_part = line->part;
            for (int k = 0; k < pack->count; ++k)
                if (pack->at[k] >= 0) mark_read(p, pack->at[k], line->part, stack);
            continue;
        }
        cd_value* v = &p->value[line->at];
        if (v->pack >= 0 && line->part > p->pack[v->pack].last_part) p->pack[v->pack].last_part = line->part;
        const bool defines = line->output < 0 && line->angle < 0;
        if (defines)
            v->part = v->last_part = line->part;
        else if (v->name >= 0 && line->part > v->last_part)
            v->last_part = line->part;
        if (v->angle < 0 && v->pack < 0 && (defines || v->name < 0)) mark_read(p, line->at, line->part, stack);
    }
    p->npart = last + 1;
}

// Places in shared memory: free ones are a stack, given back when the last part that reads is over.
static bool give_slots(cd_program* p)
{
    int*       idle    = cd_allocate((size_t)p->nname + 1, sizeof *idle);
    int*       ends_at = cd_allocate((size_t)p->npart + 1, sizeof *ends_at); // lists of values by their last part
    int*       next    = cd_allocate((size_t)p->reach.count + 1, sizeof *next);
    const bool room    = idle && ends_at && next;
    int        nidle = 0, part = 0;
    for (int i = 0; room && i < p->reach.count; ++i) p->value[i].slot = -1;
    for (int i = 0; room && i <= p->npart; ++i) ends_at[i] = -1;
    for (int i = 0; room && i < p->nline; ++i) {
        const cd_line* line = &p->line[i];
        for (; part < line->part; ++part)
            for (int v = ends_at[part]; v >= 0; v = next[v]) idle[nidle++] = p->value[v].slot;
        cd_value* v = &p->value[line->at];
        if (line->output >= 0 || line->angle >= 0 || line->pack >= 0 || v->last_part == v->part) continue;
        v->slot               = nidle > 0 ? idle[--nidle] : p->nslot++;
        next[line->at]        = ends_at[v->last_part];
        ends_at[v->last_part] = line->at;
    }
    free(idle);
    free(ends_at);
    free(next);
    return room;
}

static void count_equations(cd_program* p)
{
    p->equations = (int)p->tally.trig;
    for (int i = 0; i < p->nline; ++i) {
        const cd_line*     line    = &p->line[i];
        const cd_operation o       = operation_at(p, behind_sign(p, line->at));
        const bool         defines = line->output < 0 && line->angle < 0;
        const bool         placed  = p->value[line->at].pack >= 0 || p->value[behind_sign(p, line->at)].pack >= 0;
        if (placed)
            p->equations += line->pack >= 0 && !p->pack[line->pack].held ? p->pack[line->pack].count : 0;
        else if (defines || (p->value[behind_sign(p, line->at)].name < 0 && !is_leaf(o) && !is_wave(o)))
            ++p->equations;
    }
}

cardan_status cd_program_make(cd_program* p, const cd_graph* graph, int noutput, const cd_node* output,
                              cd_cutting cutting)
{
    *p = (cd_program){.graph = graph, .noutput = noutput, .runs = cutting.runs, .early = cutting.early};
    if (cd_graph_failed(graph) || !cd_reach_collect(&p->reach, graph, noutput, output)) return CARDAN_NO_MEMORY;
    p->value  = cd_allocate((size_t)p->reach.count + 1, sizeof *p->value);
    p->place  = cd_allocate((size_t)noutput + 1, sizeof *p->place);
    int* room = cd_allocate((size_t)p->reach.count + 4, sizeof *room);
    p->order  = cd_allocate((size_t)p->reach.count + 1, sizeof *p->order);
    bool ok   = p->value && p->place && p->order && room;
    for (int i = 0; ok && i < noutput; ++i) p->place[i] = output[i] >= 0 ? cd_reach_find(&p->reach, output[i]) : -1;
    if (ok) {
        count_uses(p);
        tally(p);
        for (int i = 0; i < p->reach.count; ++i) p->value[i].angle = p->value[i].pack = -1;
        if (cutting.angles) find_angles(p, room);
        ok        = cd_packs_find(p);
        int* wait = cutting.early ? cd_allocate(2 * (size_t)p->reach.count + 1, sizeof *wait) : NULL;
        ok        = ok && (!cutting.early || (wait && measure_waits(p, wait)));
        if (ok) name_values(p, room, cutting.longest_line, wait, wait ? wait + p->reach.count : NULL);
        free(wait);
        ok = ok && write_lines(p);
    }
    if (ok) {
        cut(p, &cutting, room);
        ok = give_slots(p) && cd_packs_place(p);
        count_equations(p);
    }
    free(room);
    if (ok) return CARDAN_OK;
    cd_program_release(p);
    return CARDAN_NO_MEMORY;
}

void cd_program_release(cd_program* p)
{
    cd_reach_release(&p->reach);
    free(p->value);
    free(p->line);
    free(p->place);
    free(p->order);
    for (int i = 0; i < p->npack; ++i) free(p->pack[i].at);
    free(p->pack);
    free(p->gather);
    free(p->nlocal);
    *p = (cd_program){0};
}
