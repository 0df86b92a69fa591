// SPDX-License-Identifier: BSD-3-Clause
// Sparse derivatives. Forward mode visits a node once for each direction that it depends on and that some output
// depending on it needs; 64 directions are processed as the bits of a word,
//
//   depends(node) = or of depends(operands),     needed(operand) |= needed(node),     visited along d: both have bit d
//
// In reverse mode each output sweeps over its subgraph (cd_gradient). Second derivatives are forward over reverse: the
// gradient of the weighted sum, differentiated along each input, lower triangle only. A. Griewank, A. Walther,
// Evaluating Derivatives (2008), chapters 3, 7.
#include "expression/symbolic_jacobian.h"

#include "core/memory.h"
#include "expression/graph_internal.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { WORD_BITS = 64 };

typedef struct sparse_derivation {
    cd_graph*           graph;
    cd_directions       directions;
    int                 nnode;
    const cd_node*      node;
    bool                lower_only; // output i needs directions 0 .. i only
    cd_subgraph         subgraph;
    int *               head, *next;      // outputs at a position
    uint64_t *          depends, *needed; // by position
    cd_node*            rate;             // by position, zero outside of the current direction
    int*                list;             // positions visited, direction by direction
    int                 list_capacity, first[WORD_BITS + 1];
    cd_node             zero;
    cd_symbolic_matrix* result;
} sparse_derivation;

void cd_symbolic_matrix_release(cd_symbolic_matrix* s)
{
    free(s->row), free(s->column), free(s->value);
    *s = (cd_symbolic_matrix){0};
}

static bool append(cd_symbolic_matrix* s, int row, int column, cd_node value)
{
    if (s->count == s->capacity) {
        if (s->capacity > INT_MAX / 2) return false;
        const int capacity = s->capacity ? 2 * s->capacity : 64;
        int*      r        = realloc(s->row, (size_t)capacity * sizeof *r);
        if (r) s->row = r;
        int* c = realloc(s->column, (size_t)capacity * sizeof *c);
        if (c) s->column = c;
        cd_node* v = realloc(s->value, (size_t)capacity * sizeof *v);
        if (v) s->value = v;
        if (!r || !c || !v) return false;
        s->capacity = capacity;
    }
    s->row[s->count]     = row;
    s->column[s->count]  = column;
    s->value[s->count++] = value;
    return true;
}

// Sort entries from columns to rows, in linear time.
static bool sort_by_row(cd_symbolic_matrix* s)
{
    const size_t rows = (size_t)s->nrow, n = (size_t)s->count;
    int*         start  = cd_allocate(rows + 2, sizeof *start);
    int*         column = cd_allocate(n + 1, sizeof *column);
    cd_node*     value  = cd_allocate(n + 1, sizeof *value);
    const bool   ok     = start && column && value;
    for (size_t i = 0; ok && i < n; ++i) ++start[s->row[i] + 2];
    for (size_t i = 2; ok && i < rows + 2; ++i) start[i] += start[i - 1];
    for (size_t i = 0; ok && i < n; ++i) {
        const int at = start[s->row[i] + 1]++;
        column[at] = s->column[i], value[at] = s->value[i];
    }
    for (size_t r = 0; ok && r < rows; ++r)
        for (int i = start[r]; i < start[r + 1]; ++i) s->row[i] = (int)r;
    if (ok && n > 0) {
        memcpy(s->column, column, n * sizeof *column);
        memcpy(s->value, value, n * sizeof *value);
    }
    free(start), free(column), free(value);
    return ok;
}

// ---- dependence of nodes on 64 directions

static int seed_position(const sparse_derivation* s, int seed)
{
    const cd_node x = cd_graph_find_input(s->graph, s->directions.seed[seed].input);
    return x < 0 ? -1 : cd_subgraph_find(&s->subgraph, x);
}

static uint64_t low_bits(int count)
{
    return count >= WORD_BITS ? ~UINT64_C(0) : count <= 0 ? 0 : (UINT64_C(1) << count) - 1;
}

static void propagate_forward(const cd_subgraph* subgraph, uint64_t* bits)
{
    for (int i = 0; i < subgraph->count; ++i)
        for (int k = 0; k < 3; ++k)
            if (subgraph->entry[i].operand[k] >= 0) bits[i] |= bits[subgraph->entry[i].operand[k]];
}

static void propagate_backward(const cd_subgraph* subgraph, uint64_t* bits)
{
    for (int i = subgraph->count - 1; i >= 0; --i)
        for (int k = 0; bits[i] && k < 3; ++k)
            if (subgraph->entry[i].operand[k] >= 0) bits[subgraph->entry[i].operand[k]] |= bits[i];
}

// List the positions that each of the directions from `from` on visits.
static bool list_visited(sparse_derivation* s, int from, int count)
{
    const int n     = s->subgraph.count;
    size_t    total = 0;
    memset(s->depends, 0, (size_t)n * sizeof *s->depends);
    memset(s->needed, 0, (size_t)n * sizeof *s->needed);
    for (int d = 0; d < count; ++d)
        for (int k = s->directions.first[from + d]; k < s->directions.first[from + d + 1]; ++k) {
            const int position = seed_position(s, k);
            if (position >= 0) s->depends[position] |= UINT64_C(1) << d;
        }
    propagate_forward(&s->subgraph, s->depends);
    for (int i = 0; i < n; ++i)
        for (int o = s->head[i]; o >= 0; o = s->next[o])
            s->needed[i] |= s->lower_only ? low_bits(o - from + 1) : ~UINT64_C(0);
    propagate_backward(&s->subgraph, s->needed);

    int tally[WORD_BITS] = {0};
    for (int i = 0; i < n; ++i)
        for (uint64_t bits = s->depends[i] &= s->needed[i]; bits; bits &= bits - 1)
            ++tally[__builtin_ctzll(bits)], ++total;
    if (total > INT_MAX) return false;
    if ((int)total > s->list_capacity || !s->list) {
        free(s->list);
        s->list          = malloc((total + 1) * sizeof *s->list);
        s->list_capacity = (int)total;
        if (!s->list) return false;
    }
    s->first[0] = 0;
    for (int d = 0; d < WORD_BITS; ++d) s->first[d + 1] = s->first[d] + tally[d];
    int next[WORD_BITS];
    memcpy(next, s->first, sizeof next);
    for (int i = 0; i < n; ++i)
        for (uint64_t bits = s->depends[i]; bits; bits &= bits - 1) s->list[next[__builtin_ctzll(bits)]++] = i;
    return true;
}

// ---- forward

static bool forward_direction(sparse_derivation* s, int d, int from)
{
    for (int k = s->directions.first[from + d]; k < s->directions.first[from + d + 1]; ++k) {
        const int position = seed_position(s, k);
        if (position >= 0) s->rate[position] = s->directions.seed[k].rate;
    }
    bool ok = true;
    for (int i = s->first[d]; ok && i < s->first[d + 1]; ++i) {
        const int at = s->list[i];
        if (!cd_node_is(s->graph, s->subgraph.entry[at].node, CD_INPUT))
            s->rate[at] = cd_node_forward_rate(s->graph, &s->subgraph.entry[at], s->rate, s->zero);
        ok = s->rate[at] >= 0;
        if (!ok || s->rate[at] == s->zero) continue;
        for (int o = s->head[at]; ok && o >= 0; o = s->next[o])
            if (!s->lower_only || o >= from + d) ok = append(s->result, o, from + d, s->rate[at]);
    }
    for (int i = s->first[d]; i < s->first[d + 1]; ++i) s->rate[s->list[i]] = s->zero;
    for (int k = s->directions.first[from + d]; k < s->directions.first[from + d + 1]; ++k) {
        const int position = seed_position(s, k);
        if (position >= 0) s->rate[position] = s->zero;
    }
    return ok;
}

static bool forward(sparse_derivation* s)
{
    bool ok = true;
    for (int from = 0; ok && from < s->directions.count; from += WORD_BITS) {
        const int count = s->directions.count - from < WORD_BITS ? s->directions.count - from : WORD_BITS;
        ok              = list_visited(s, from, count);
        for (int d = 0; ok && d < count; ++d) ok = forward_direction(s, d, from);
    }
    return ok;
}

// ---- reverse

typedef struct input_map {
    int      ninput, *input; // all inputs that directions move
    cd_node* gradient;
    int*     seed_input; // of each seed: index of its input
} input_map;

static int by_input(const void* a, const void* b)
{
    return (*(const int*)a > *(const int*)b) - (*(const int*)a < *(const int*)b);
}

static bool collect_inputs(const sparse_derivation* s, input_map* m)
{
    const int n   = s->directions.first[s->directions.count];
    m->input      = cd_allocate((size_t)n + 1, sizeof *m->input);
    m->seed_input = cd_allocate((size_t)n + 1, sizeof *m->seed_input);
    m->gradient   = cd_allocate((size_t)n + 1, sizeof *m->gradient);
    if (!m->input || !m->seed_input || !m->gradient) return false;
    for (int k = 0; k < n; ++k) m->input[k] = s->directions.seed[k].input;
    qsort(m->input, (size_t)n, sizeof *m->input, by_input);
    for (int k = 0; k < n; ++k)
        if (k == 0 || m->input[k] != m->input[k - 1]) m->input[m->ninput++] = m->input[k];
    for (int k = 0; k < n; ++k)
        m->seed_input[k] =
            (int)((int*)bsearch(&s->directions.seed[k].input, m->input, (size_t)m->ninput, sizeof *m->input, by_input) -
                  m->input);
    return true;
}

static bool reverse_row(sparse_derivation* s, const input_map* m, int row)
{
    if (s->node[row] < 0) return true;
    if (cd_gradient(s->graph, s->node[row], m->ninput, m->input, m->gradient) != CARDAN_OK) return false;
    for (int d = 0; d < s->directions.count; ++d) {
        cd_node sum = s->zero;
        for (int k = s->directions.first[d]; k < s->directions.first[d + 1]; ++k)
            if (m->gradient[m->seed_input[k]] != s->zero)
                sum = cd_binary(s->graph, CD_ADD, sum,
                                cd_binary(s->graph, CD_MUL, m->gradient[m->seed_input[k]], s->directions.seed[k].rate));
        if (sum < 0 || (sum != s->zero && !append(s->result, row, d, sum))) return false;
    }
    return true;
}

static bool reverse(sparse_derivation* s)
{
    input_map m  = {0};
    bool      ok = collect_inputs(s, &m);
    for (int row = 0; ok && row < s->nnode; ++row) ok = reverse_row(s, &m, row);
    free(m.input), free(m.seed_input), free(m.gradient);
    return ok;
}

// ---- choice of the mode

static long count_visits(const sparse_derivation* s, const uint64_t* within)
{
    long sum = 0;
    for (int i = 0; i < s->subgraph.count; ++i)
        if (within[i]) sum += __builtin_popcountll(s->depends[i]);
    return sum;
}

// Compare the numbers of nodes visited in forward and reverse mode.
static bool forward_is_cheaper(sparse_derivation* s)
{
    const size_t size           = (size_t)s->subgraph.count * sizeof *s->depends;
    uint64_t*    any            = malloc(size + 1);
    long         forward_visits = 0, reverse_visits = 0;
    if (!any) return true;
    memset(any, 0xff, size);
    for (int from = 0; from < s->directions.count; from += WORD_BITS) {
        memset(s->depends, 0, size);
        for (int d = 0; d < WORD_BITS && from + d < s->directions.count; ++d)
            for (int k = s->directions.first[from + d]; k < s->directions.first[from + d + 1]; ++k)
                if (seed_position(s, k) >= 0) s->depends[seed_position(s, k)] |= UINT64_C(1) << d;
        propagate_forward(&s->subgraph, s->depends);
        forward_visits += count_visits(s, any);
    }
    memset(any, 0, size);
    for (int k = 0; k < s->directions.first[s->directions.count]; ++k)
        if (seed_position(s, k) >= 0) any[seed_position(s, k)] = 1;
    propagate_forward(&s->subgraph, any);
    for (int from = 0; from < s->nnode && reverse_visits < forward_visits; from += WORD_BITS) {
        memset(s->depends, 0, size);
        for (int o = from; o < s->nnode && o < from + WORD_BITS; ++o)
            if (s->node[o] >= 0) s->depends[cd_subgraph_find(&s->subgraph, s->node[o])] |= UINT64_C(1) << (o - from);
        propagate_backward(&s->subgraph, s->depends);
        reverse_visits += count_visits(s, any);
    }
    free(any);
    return forward_visits <= reverse_visits;
}

// ---- driver routine

static bool prepare(sparse_derivation* s)
{
    if (!cd_subgraph_collect(&s->subgraph, s->graph, s->nnode, s->node)) return false;
    const size_t n = (size_t)s->subgraph.count + 1;
    s->zero        = cd_constant(s->graph, 0);
    s->head        = malloc(n * sizeof *s->head);
    s->next        = malloc(((size_t)s->nnode + 1) * sizeof *s->next);
    s->depends     = malloc(n * sizeof *s->depends);
    s->needed      = malloc(n * sizeof *s->needed);
    s->rate        = malloc(n * sizeof *s->rate);
    if (s->zero < 0 || !s->head || !s->next || !s->depends || !s->needed || !s->rate) return false;
    for (size_t i = 0; i < n; ++i) s->head[i] = -1, s->rate[i] = s->zero;
    for (int o = s->nnode - 1; o >= 0; --o) {
        if (s->node[o] < 0) continue;
        const int position = cd_subgraph_find(&s->subgraph, s->node[o]);
        s->next[o]         = s->head[position];
        s->head[position]  = o;
    }
    return true;
}

static cardan_status differentiate(sparse_derivation* s, cd_ad_mode sweep)
{
    *s->result             = (cd_symbolic_matrix){.nrow = s->nnode, .ncolumn = s->directions.count};
    bool       ok          = prepare(s);
    const bool use_forward = ok && (sweep == CD_AD_FORWARD || (sweep == CD_AD_CHEAPER && forward_is_cheaper(s)));
    if (ok) ok = use_forward ? forward(s) && sort_by_row(s->result) : reverse(s);
    free(s->head), free(s->next), free(s->depends), free(s->needed), free(s->rate), free(s->list);
    cd_subgraph_release(&s->subgraph);
    if (!ok) cd_symbolic_matrix_release(s->result);
    return ok ? CARDAN_OK : CARDAN_NO_MEMORY;
}

cardan_status cd_symbolic_jacobian_along(cd_graph* graph, int nnode, const cd_node* node, cd_directions along,
                                         cd_ad_mode sweep, cd_symbolic_matrix* J)
{
    sparse_derivation s = {.graph = graph, .directions = along, .nnode = nnode, .node = node, .result = J};
    return differentiate(&s, sweep);
}

// One direction per input.
static cardan_status input_directions(cd_graph* graph, int nnode, const cd_node* node, int ninput, const int* input,
                                      bool lower, cd_symbolic_matrix* to)
{
    int*          first  = cd_allocate((size_t)ninput + 1, sizeof *first);
    cd_seed*      seed   = cd_allocate((size_t)ninput + 1, sizeof *seed);
    const cd_node one    = cd_constant(graph, 1);
    cardan_status status = first && seed && one >= 0 ? CARDAN_OK : CARDAN_NO_MEMORY;
    for (int i = 0; status == CARDAN_OK && i < ninput; ++i) first[i + 1] = i + 1, seed[i] = (cd_seed){input[i], one};
    sparse_derivation s = {.graph      = graph,
                           .directions = {ninput, first, seed},
                           .nnode      = nnode,
                           .node       = node,
                           .lower_only = lower,
                           .result     = to};
    *to                 = (cd_symbolic_matrix){0};
    if (status == CARDAN_OK) status = differentiate(&s, lower ? CD_AD_FORWARD : CD_AD_CHEAPER);
    free(first), free(seed);
    return status;
}

cardan_status cd_symbolic_jacobian(cd_graph* graph, int nnode, const cd_node* node, int ninput, const int* input,
                                   cd_symbolic_matrix* J)
{
    return input_directions(graph, nnode, node, ninput, input, false, J);
}

cardan_status cd_symbolic_hessian(cd_graph* graph, int nnode, const cd_node* node, const cd_node* weight, int ninput,
                                  const int* input, cd_symbolic_matrix* H)
{
    cd_node*      gradient = cd_allocate((size_t)ninput + 1, sizeof *gradient);
    cd_node       sum      = cd_constant(graph, 0);
    cardan_status status   = gradient && sum >= 0 ? CARDAN_OK : CARDAN_NO_MEMORY;
    *H                     = (cd_symbolic_matrix){0};
    for (int i = 0; status == CARDAN_OK && i < nnode; ++i) {
        if (node[i] < 0) continue;
        sum = cd_binary(graph, CD_ADD, sum, weight ? cd_binary(graph, CD_MUL, weight[i], node[i]) : node[i]);
        if (sum < 0) status = CARDAN_NO_MEMORY;
    }
    if (status == CARDAN_OK) status = cd_gradient(graph, sum, ninput, input, gradient);
    if (status == CARDAN_OK) status = input_directions(graph, ninput, gradient, ninput, input, true, H);
    free(gradient);
    return status;
}

cardan_status cd_directional_derivatives(cd_graph* graph, int nnode, const cd_node* node, int ndirection,
                                         const int* first, const cd_seed* seed, cd_node* rate)
{
    cd_symbolic_matrix  J;
    const cardan_status status =
        cd_symbolic_jacobian_along(graph, nnode, node, (cd_directions){ndirection, first, seed}, CD_AD_FORWARD, &J);
    const cd_node zero = cd_constant(graph, 0);
    if (status != CARDAN_OK) return status;
    for (size_t i = 0; i < (size_t)nnode * (size_t)ndirection; ++i) rate[i] = zero;
    for (int k = 0; k < J.count; ++k) rate[(size_t)J.column[k] * (size_t)nnode + (size_t)J.row[k]] = J.value[k];
    cd_symbolic_matrix_release(&J);
    return CARDAN_OK;
}
