// SPDX-License-Identifier: BSD-3-Clause
// Order: depth first from the outputs, so that a value is computed shortly before its first use. A value gets a
// temporary if it has several uses, if it is a function call, or if the line would have too many operations; negations
// never get one. A value that is read in another part than its own is stored in the memory shared by the parts; its
// slot is reused after the last part that reads it.
#include "generate/program/program.h"

#include "core/memory.h"

#include <stdlib.h>

enum { LONG_LIVE_RANGE = 150 }; // operations between a value and its last use, above which it counts as long-lived

static cd_operation operation_at(const cd_program* p, int at)
{
    return cd_node_operation(p->graph, p->subgraph.entry[at].node);
}

static bool is_source(cd_operation o) { return o == CD_CONSTANT || o == CD_INPUT; }

static bool is_arithmetic(cd_operation o) { return o >= CD_ADD && o <= CD_NEG; }

static int operands_of(const cd_program* p, int at) { return cd_operation_operands(operation_at(p, at)); }

// Negations are no values by themselves: a use of a negation counts as a use of its operand.
static int without_sign(const cd_program* p, int at)
{
    while (operation_at(p, at) == CD_NEG) at = p->subgraph.entry[at].operand[0];
    return at;
}

static void count_uses(cd_program* p)
{
    for (int i = 0; i < p->subgraph.count; ++i)
        for (int k = 0; operation_at(p, i) != CD_NEG && k < operands_of(p, i); ++k)
            ++p->value[without_sign(p, p->subgraph.entry[i].operand[k])].use_count;
    for (int i = 0; i < p->noutput; ++i)
        if (p->output_position[i] >= 0) ++p->value[without_sign(p, p->output_position[i])].use_count;
}

static void count_operations(cd_program* p)
{
    for (int i = 0; i < p->subgraph.count; ++i) {
        switch (operation_at(p, i)) {
        case CD_CONSTANT:
        case CD_INPUT:
        case CD_COPY:
        case CD_NEG:
            break;
        case CD_ADD:
        case CD_SUB:
            ++p->operations.add;
            break;
        case CD_MUL:
            ++p->operations.mul;
            break;
        case CD_DIV:
            ++p->operations.div;
            break;
        case CD_SQRT:
            ++p->operations.sqrt;
            break;
        case CD_SIN:
        case CD_COS:
            ++p->operations.trig;
            break;
        default:
            ++p->operations.mul;
            break;
        }
    }
}

static bool is_sincos(cd_operation o) { return o == CD_SIN || o == CD_COS; }

// Find the angles whose sines and cosines are computed together before all else. An angle has one number, whether its
// sine, its cosine or both are used.
static void find_angles(cd_program* p, int* angle_of)
{
    for (int i = 0; i < p->subgraph.count; ++i) {
        const cd_operation o = operation_at(p, i);
        angle_of[i]          = -1;
        p->value[i].is_early = is_source(o) || (is_arithmetic(o) && o != CD_DIV);
        for (int k = 0; k < operands_of(p, i); ++k)
            p->value[i].is_early = p->value[i].is_early && p->value[p->subgraph.entry[i].operand[k]].is_early;
    }
    for (int i = 0; i < p->subgraph.count; ++i) {
        const int argument = p->subgraph.entry[i].operand[0];
        if (!is_sincos(operation_at(p, i)) || !p->value[argument].is_early) continue;
        if (angle_of[argument] < 0) angle_of[argument] = p->nangle++;
        p->value[i].angle              = angle_of[argument];
        p->value[argument].feeds_angle = true;
    }
    for (int i = p->subgraph.count - 1; i >= 0; --i)
        for (int k = 0; p->value[i].feeds_angle && k < operands_of(p, i); ++k)
            p->value[p->subgraph.entry[i].operand[k]].feeds_angle = true;
}

// Set live_range[i] to the distance in the order between value i and its last use.
static bool measure_live_ranges(const cd_program* p, int* live_range)
{
    int* order_index = cd_allocate((size_t)p->subgraph.count + 1, sizeof *order_index);
    for (int i = 0; order_index && i < p->subgraph.count; ++i) order_index[p->order[i]] = i;
    for (int i = 0; order_index && i < p->subgraph.count; ++i)
        for (int k = 0; operation_at(p, i) != CD_NEG && k < operands_of(p, i); ++k) {
            const int o = without_sign(p, p->subgraph.entry[i].operand[k]);
            if (order_index[i] - order_index[o] > live_range[o]) live_range[o] = order_index[i] - order_index[o];
        }
    free(order_index);
    return order_index != NULL;
}

// Count the values that must stay live if value `at` is computed inline where it is used.
static int count_kept_values(const cd_program* p, int at, const int* kept_values)
{
    int sum = 0;
    for (int k = 0; k < operands_of(p, at); ++k) {
        const int o = p->subgraph.entry[at].operand[k];
        if (is_source(operation_at(p, o)) || p->value[o].angle >= 0) continue;
        sum += p->value[o].temporary >= 0 ? 1 : kept_values[o];
    }
    return sum;
}

// Decide which values get temporaries; weight[i] is the number of operations of the inlined expression of value i.
static void assign_temporaries(cd_program* p, int* weight, int max_operations, const int* live_range, int* kept_values)
{
    for (int i = 0; i < p->subgraph.count; ++i) {
        const cd_operation o = operation_at(p, i);
        cd_program_value*  v = &p->value[i];
        v->temporary         = -1;
        weight[i]            = 0;
        if (is_source(o)) continue;
        if (live_range) kept_values[i] = count_kept_values(p, i, kept_values);
        for (int k = 0; k < operands_of(p, i); ++k) weight[i] += weight[p->subgraph.entry[i].operand[k]];
        if (o == CD_NEG || v->inside_group) continue;
        if (v->angle >= 0) continue;
        if (v->group >= 0) {
            weight[i] = 0;
            continue;
        }
        ++weight[i];
        const bool call = !is_arithmetic(o);
        const bool is_long_lived =
            live_range && live_range[i] > LONG_LIVE_RANGE && kept_values[i] > 1; // one live value for several
        if (v->use_count < 2 && !call && weight[i] < max_operations && !is_long_lived) continue;
        v->temporary = p->ntemporary++;
        weight[i]    = 0;
    }
}

static cd_program_line make_line(int at)
{
    return (cd_program_line){.position = at, .output = -1, .angle = -1, .group = -1, .output_run = 1};
}

// Write the lines of the values that angles need, then those of the angles.
static void write_angles(cd_program* p, int* angle_value)
{
    for (int i = 0; i < p->subgraph.count; ++i)
        if (p->value[i].feeds_angle && p->value[i].temporary >= 0) p->line[p->nline++] = make_line(i);
    for (int i = 0; i < p->subgraph.count; ++i)
        if (p->value[i].angle >= 0) angle_value[p->value[i].angle] = i;
    for (int next = 0; next < p->nangle; ++next) {
        cd_program_line line = make_line(p->subgraph.entry[angle_value[next]].operand[0]);
        line.angle           = next;
        p->line[p->nline++]  = line;
    }
}

static void write_outputs(cd_program* p, int i, const int* first, const int* next)
{
    for (int o = first[i]; o >= 0; o = next[o]) {
        cd_program_line line  = make_line(i);
        line.output           = o;
        cd_program_line* last = p->nline > 0 ? &p->line[p->nline - 1] : NULL;
        // Extend the run of the previous line if the next output is the next lane of the same group, or the same
        // constant.
        const bool follows     = last && last->output >= 0 && last->output + last->output_run == o;
        const bool is_adjacent = follows && p->value[i].group >= 0 &&
                                 p->value[last->position].group == p->value[i].group &&
                                 !p->group[p->value[i].group].is_pair &&
                                 p->value[last->position].lane + last->output_run == p->value[i].lane;
        const bool is_repeated = follows && last->position == i && operation_at(p, i) == CD_CONSTANT;
        if (p->output_runs && (is_adjacent || is_repeated))
            ++last->output_run;
        else
            p->line[p->nline++] = line;
    }
}

// Queue of delayed output runs, first in, first out; `due` is the line from which on a run may be written. Vectors that
// were just stored in pieces, or with another alignment, must have reached memory before they can be loaded without a
// stall of the store buffer.
typedef struct output_queue {
    cd_program_line* line;
    int *            due, first, count;
} output_queue;

enum { OUTPUT_DELAY = 24 };

static void flush_due_outputs(cd_program* p, output_queue* delayed, bool all)
{
    for (; delayed->first < delayed->count && (all || delayed->due[delayed->first] <= p->nline); ++delayed->first)
        p->line[p->nline++] = delayed->line[delayed->first];
}

static void delay_outputs(cd_program* p, output_queue* delayed, int begin)
{
    int n = begin;
    for (int i = begin; i < p->nline; ++i) {
        if (p->line[i].output_run < 4) {
            p->line[n++] = p->line[i];
            continue;
        }
        delayed->line[delayed->count]  = p->line[i];
        delayed->due[delayed->count++] = begin + OUTPUT_DELAY;
    }
    p->nline = n;
}

// Write the line of a whole vector group when its last used lane is reached in the order.
static void write_group(cd_program* p, int i, const int* first, const int* next, output_queue* delayed)
{
    cd_vector_group* group = &p->group[p->value[i].group];
    for (int k = p->value[i].lane + 1; k < group->count; ++k)
        if (group->position[k] >= 0) return;
    cd_program_line line = make_line(group->position[group->lane_a]);
    line.group           = p->value[i].group;
    p->line[p->nline++]  = line;
    const int begin      = p->nline;
    for (int k = 0; k < group->count; ++k)
        if (group->position[k] >= 0) write_outputs(p, group->position[k], first, next);
    // If all lanes form one run of outputs and have no other use, the loop of the group writes to the outputs directly.
    bool is_direct = p->nline == begin + 1 && p->line[begin].output_run == group->count && !group->is_copy &&
                     !group->is_pair && group->count % 4 == 0 && p->group[group->strip].strip_length == group->count;
    for (int k = 0; k < group->count && is_direct; ++k)
        is_direct = group->position[k] >= 0 && p->value[group->position[k]].use_count <= 1; // 0 for negations
    group->direct_output = is_direct ? p->line[begin].output : -1;
    if (!is_direct && !group->is_pair) delay_outputs(p, delayed, begin);
}

static bool write_lines(cd_program* p)
{
    p->line            = cd_allocate((size_t)(p->ntemporary + p->noutput + p->nangle + p->ngroup) + 1, sizeof *p->line);
    int*         first = cd_allocate((size_t)p->subgraph.count + 1, sizeof *first); // lists of outputs by position
    int*         next  = cd_allocate((size_t)p->noutput + 1, sizeof *next);
    output_queue delayed   = {cd_allocate((size_t)p->noutput + 1, sizeof *delayed.line),
                              cd_allocate((size_t)p->noutput + 1, sizeof *delayed.due), 0, 0};
    const bool   allocated = p->line && first && next && delayed.line && delayed.due;
    if (allocated) write_angles(p, first);
    for (int i = 0; allocated && i < p->subgraph.count; ++i) first[i] = -1;
    for (int i = p->noutput - 1; allocated && i >= 0; --i) {
        if (p->output_position[i] < 0) continue;
        next[i]                      = first[p->output_position[i]];
        first[p->output_position[i]] = i;
    }
    for (int k = 0; allocated && k < p->subgraph.count; ++k) {
        const int i = p->order[k];
        if (p->value[i].temporary >= 0 && !p->value[i].feeds_angle) p->line[p->nline++] = make_line(i);
        if (p->value[i].group >= 0)
            write_group(p, i, first, next, &delayed);
        else
            write_outputs(p, i, first, next);
        flush_due_outputs(p, &delayed, false);
    }
    if (allocated) flush_due_outputs(p, &delayed, true);
    free(delayed.line), free(delayed.due);
    free(first);
    free(next);
    return allocated;
}

// Mark the temporaries and groups that the expression at `at` reads as read in `part`, through inlined values.
static void mark_read(cd_program* p, int at, int part, int* stack)
{
    int depth      = 0;
    stack[depth++] = at;
    while (depth > 0) {
        const int i = stack[--depth];
        for (int k = 0; k < operands_of(p, i); ++k) {
            const int o = p->subgraph.entry[i].operand[k];
            if (p->value[o].group >= 0) {
                if (part > p->group[p->value[o].group].last_part) p->group[p->value[o].group].last_part = part;
                continue;
            }
            if (p->value[o].temporary >= 0) {
                if (part > p->value[o].last_part) p->value[o].last_part = part;
            } else if (!is_source(operation_at(p, o)) && p->value[o].angle < 0) {
                stack[depth++] = o;
            }
        }
    }
}

// Number of lines of text that a line of the program becomes.
static int line_count(const cd_program* p, const cd_program_line* line)
{
    return line->group >= 0 && p->group[line->group].is_copy ? p->group[line->group].count : 1;
}

static void split_into_parts(cd_program* p, const cd_program_options* options, int* stack)
{
    long total = 0;
    for (int i = 0; i < p->nline; ++i) total += line_count(p, &p->line[i]);
    const long length =
        options->max_part_lines < 1 || total <= options->max_whole_lines ? total + 1 : options->max_part_lines;
    p->npart                   = total > 0 ? (int)((total + length - 1) / length) : 1;
    const long part_length     = total / p->npart + 1;
    long       so_far          = 0;
    int        last_angle_line = 0, last = 0; // the angles belong to part 0
    for (int i = 0; i < p->nline; ++i)
        if (p->line[i].angle >= 0) last_angle_line = i;
    for (int i = 0; i < p->nline; ++i) {
        cd_program_line* line = &p->line[i];
        const int        here = i <= last_angle_line ? 0 : (int)(so_far / part_length);
        line->part            = here > last ? ++last : last;
        so_far += line_count(p, line);
        if (line->group >= 0) {
            cd_vector_group* group = &p->group[line->group];
            group->part            = line->part;
            if (line->part > group->last_part) group->last_part = line->part;
            for (int k = 0; k < group->count; ++k)
                if (group->position[k] >= 0) mark_read(p, group->position[k], line->part, stack);
            continue;
        }
        cd_program_value* v = &p->value[line->position];
        if (v->group >= 0 && line->part > p->group[v->group].last_part) p->group[v->group].last_part = line->part;
        const bool defines = line->output < 0 && line->angle < 0;
        if (defines)
            v->part = v->last_part = line->part;
        else if (v->temporary >= 0 && line->part > v->last_part)
            v->last_part = line->part;
        if (v->angle < 0 && v->group < 0 && (defines || v->temporary < 0))
            mark_read(p, line->position, line->part, stack);
    }
    p->npart = last + 1;
}

// Assign slots of the memory shared by the parts. Free slots form a stack; a slot is freed after the last part that
// reads it.
static bool allocate_slots(cd_program* p)
{
    int*       free_slot = cd_allocate((size_t)p->ntemporary + 1, sizeof *free_slot);
    int*       ends_at   = cd_allocate((size_t)p->npart + 1, sizeof *ends_at); // lists of values by last part
    int*       next      = cd_allocate((size_t)p->subgraph.count + 1, sizeof *next);
    const bool allocated = free_slot && ends_at && next;
    int        nfree = 0, part = 0;
    for (int i = 0; allocated && i < p->subgraph.count; ++i) p->value[i].slot = -1;
    for (int i = 0; allocated && i <= p->npart; ++i) ends_at[i] = -1;
    for (int i = 0; allocated && i < p->nline; ++i) {
        const cd_program_line* line = &p->line[i];
        for (; part < line->part; ++part)
            for (int v = ends_at[part]; v >= 0; v = next[v]) free_slot[nfree++] = p->value[v].slot;
        cd_program_value* v = &p->value[line->position];
        if (line->output >= 0 || line->angle >= 0 || line->group >= 0 || v->last_part == v->part) continue;
        v->slot               = nfree > 0 ? free_slot[--nfree] : p->nslot++;
        next[line->position]  = ends_at[v->last_part];
        ends_at[v->last_part] = line->position;
    }
    free(free_slot);
    free(ends_at);
    free(next);
    return allocated;
}

static void count_equations(cd_program* p)
{
    p->equations = (int)p->operations.trig;
    for (int i = 0; i < p->nline; ++i) {
        const cd_program_line* line    = &p->line[i];
        const cd_operation     o       = operation_at(p, without_sign(p, line->position));
        const bool             defines = line->output < 0 && line->angle < 0;
        const bool             in_group =
            p->value[line->position].group >= 0 || p->value[without_sign(p, line->position)].group >= 0;
        if (in_group)
            p->equations += line->group >= 0 && !p->group[line->group].is_copy ? p->group[line->group].count : 0;
        else if (defines || (p->value[without_sign(p, line->position)].temporary < 0 && !is_source(o) && !is_sincos(o)))
            ++p->equations;
    }
}

cardan_status cd_program_make(cd_program* p, const cd_graph* graph, int noutput, const cd_node* output,
                              cd_program_options options)
{
    *p = (cd_program){
        .graph = graph, .noutput = noutput, .output_runs = options.output_runs, .reduce_live = options.reduce_live};
    if (cd_graph_has_failed(graph) || !cd_subgraph_collect(&p->subgraph, graph, noutput, output))
        return CARDAN_NO_MEMORY;
    p->value           = cd_allocate((size_t)p->subgraph.count + 1, sizeof *p->value);
    p->output_position = cd_allocate((size_t)noutput + 1, sizeof *p->output_position);
    int* scratch       = cd_allocate((size_t)p->subgraph.count + 4, sizeof *scratch);
    p->order           = cd_allocate((size_t)p->subgraph.count + 1, sizeof *p->order);
    bool ok            = p->value && p->output_position && p->order && scratch;
    for (int i = 0; ok && i < noutput; ++i)
        p->output_position[i] = output[i] >= 0 ? cd_subgraph_find(&p->subgraph, output[i]) : -1;
    if (ok) {
        count_uses(p);
        count_operations(p);
        for (int i = 0; i < p->subgraph.count; ++i) p->value[i].angle = p->value[i].group = -1;
        if (options.precompute_angles) find_angles(p, scratch);
        ok = cd_vector_groups_find(p);
        int* live_range =
            options.reduce_live ? cd_allocate(2 * (size_t)p->subgraph.count + 1, sizeof *live_range) : NULL;
        ok = ok && (!options.reduce_live || (live_range && measure_live_ranges(p, live_range)));
        if (ok)
            assign_temporaries(p, scratch, options.max_line_operations, live_range,
                               live_range ? live_range + p->subgraph.count : NULL);
        free(live_range);
        ok = ok && write_lines(p);
    }
    if (ok) {
        split_into_parts(p, &options, scratch);
        ok = allocate_slots(p) && cd_vector_groups_allocate(p);
        count_equations(p);
    }
    free(scratch);
    if (ok) return CARDAN_OK;
    cd_program_release(p);
    return CARDAN_NO_MEMORY;
}

void cd_program_release(cd_program* p)
{
    cd_subgraph_release(&p->subgraph);
    free(p->value);
    free(p->line);
    free(p->output_position);
    free(p->order);
    for (int i = 0; i < p->ngroup; ++i) free(p->group[i].position);
    free(p->group);
    free(p->gather);
    free(p->nlocal_slot);
    *p = (cd_program){0};
}
