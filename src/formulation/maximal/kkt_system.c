// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/maximal/kkt_system.h"

#include <stdlib.h>

static bool collect_edges(const cd_kkt_graph* g, const bool* is_penalized, cd_block_edge_list* e)
{
    for (int c = 0; c < g->nconstraint; ++c)
        for (int k = g->body_start[c]; k < g->body_start[c + 1]; ++k) {
            if (!cd_block_add_edge(e, g->body[k], g->nbody + c)) return false;
            for (int i = g->body_start[c]; is_penalized[c] && i < k; ++i)
                if (!cd_block_add_edge(e, g->body[i], g->body[k])) return false;
        }
    return true;
}

static int list_jacobian_blocks(const cd_row_block* b, int constraint, cd_kkt_jacobian_block* block)
{
    int n = 0;
    for (int j = 0, end; j < b->nv; j = end) {
        for (end = j; end < b->nv && b->v[end] / 6 == b->v[j] / 6;) ++end;
        if (block)
            block[n] = (cd_kkt_jacobian_block){.begin = j, .end = end, .body = b->v[j] / 6, .constraint = constraint};
        ++n;
    }
    return n;
}

static bool locate_jacobian_blocks(cd_kkt_system* s, int nbody, const cd_rows* rows, const bool* is_penalized)
{
    const int m              = rows->nblock;
    s->has_constant_diagonal = cd_allocate((size_t)nbody, sizeof *s->has_constant_diagonal);
    s->jacobian_start        = cd_allocate((size_t)m + 1, sizeof *s->jacobian_start);
    if (!s->has_constant_diagonal || !s->jacobian_start) return false;
    for (int b = 0; b < nbody; ++b) s->has_constant_diagonal[b] = true;
    for (int c = 0; c < m; ++c) {
        const int n              = rows->block[c].nrow > 0 ? list_jacobian_blocks(&rows->block[c], c, NULL) : 0;
        s->jacobian_start[c + 1] = s->jacobian_start[c] + n;
    }
    s->jacobian = cd_allocate((size_t)s->jacobian_start[m], sizeof *s->jacobian);
    if (!s->jacobian) return false;
    s->jacobian_is_recoverable = true;
    for (int c = 0; c < m; ++c) {
        cd_kkt_jacobian_block* block = s->jacobian + s->jacobian_start[c];
        const int              n     = s->jacobian_start[c + 1] - s->jacobian_start[c];
        if (n > 0) list_jacobian_blocks(&rows->block[c], c, block);
        for (int k = 0; k < n; ++k) {
            block[k].address              = cd_block_find(&s->F, nbody + c, block[k].body);
            const bool has_all_velocities = !is_penalized[c] && block[k].end - block[k].begin == 6;
            if (has_all_velocities) cd_block_mark_overwritten(&s->F, nbody + c, block[k].body);
            s->has_constant_diagonal[block[k].body] &= has_all_velocities;
            s->jacobian_is_recoverable &= cd_block_is_recoverable(&s->F, nbody + c, block[k].body);
        }
    }
    return true;
}

// Sort the Jacobian blocks by column.
static bool sort_jacobian_blocks(cd_kkt_system* s, int nbody, int nconstraint)
{
    const int n = nbody + nconstraint, njacobian = s->jacobian_start[nconstraint];
    int*      at = s->column_jacobian_start = cd_allocate((size_t)n + 2, sizeof *at);
    s->column_jacobian                      = cd_allocate((size_t)njacobian, sizeof *s->column_jacobian);
    if (!at || !s->column_jacobian) return false;
    for (int c = 0; c < nconstraint; ++c) {
        cd_kkt_jacobian_block* first = NULL;
        for (cd_kkt_jacobian_block* block = s->jacobian + s->jacobian_start[c];
             block < s->jacobian + s->jacobian_start[c + 1]; ++block)
            if (!first || s->F.position[block->body] < s->F.position[first->body]) first = block;
        if (first) first->is_first = true;
    }
    if (at) ++at; // counts become ends, and these the beginnings of the next
    for (int pass = 0; pass < 2; ++pass) {
        for (int r = 0; r < njacobian; ++r) {
            const int body  = s->F.position[s->jacobian[r].body],
                      joint = s->F.position[nbody + s->jacobian[r].constraint], column = body < joint ? body : joint;
            if (pass == 0)
                ++at[column + 1];
            else
                s->column_jacobian[at[column]++] = s->jacobian[r];
        }
        for (int k = 0; pass == 0 && k < n; ++k) at[k + 1] += at[k];
    }
    return true;
}

static cd_kkt_penalty_block penalty_block_of(const cd_kkt_system* s, int c, const cd_kkt_jacobian_block* one,
                                             const cd_kkt_jacobian_block* two)
{
    bool has_all_velocities = true;
    for (int r = s->jacobian_start[c]; r < s->jacobian_start[c + 1]; ++r)
        has_all_velocities &= s->jacobian[r].end - s->jacobian[r].begin == 6;
    return (cd_kkt_penalty_block){.constraint         = c,
                                  .address            = cd_block_find(&s->F, one->body, two->body),
                                  .begin              = {(short)one->begin, (short)two->begin},
                                  .end                = {(short)one->end, (short)two->end},
                                  .is_diagonal        = one == two,
                                  .has_all_velocities = has_all_velocities};
}

// Sort the pairs of bodies of penalized constraints by the column of their block.
static bool sort_penalty_blocks(cd_kkt_system* s, int nconstraint, const bool* is_penalized)
{
    const int* position = s->F.position;
    int*       at = s->column_penalty_start = cd_allocate((size_t)s->F.nblock + 2, sizeof *at);
    bool*      seen                         = cd_allocate((size_t)nconstraint, sizeof *seen);
    bool       good                         = at && seen;
    if (at) ++at; // counts become ends, and these the beginnings of the next
    for (int pass = 0; good && pass < 2; ++pass) {
        for (int c = 0; c < nconstraint; ++c)
            for (int i = s->jacobian_start[c]; is_penalized[c] && i < s->jacobian_start[c + 1]; ++i)
                for (int j = s->jacobian_start[c]; j < s->jacobian_start[c + 1]; ++j) {
                    const int column = position[s->jacobian[j].body];
                    if (position[s->jacobian[i].body] < column) continue;
                    if (pass == 0)
                        ++at[column + 1];
                    else
                        s->column_penalty[at[column]++] = penalty_block_of(s, c, &s->jacobian[i], &s->jacobian[j]);
                }
        if (pass == 1) break;
        for (int k = 0; k < s->F.nblock; ++k) at[k + 1] += at[k];
        s->column_penalty = cd_allocate((size_t)at[s->F.nblock], sizeof *s->column_penalty);
        good              = s->column_penalty;
    }
    for (int n = 0; good && n < s->column_penalty_start[s->F.nblock]; ++n) {
        s->column_penalty[n].is_first         = !seen[s->column_penalty[n].constraint];
        seen[s->column_penalty[n].constraint] = true;
    }
    free(seen);
    return good;
}

bool cd_kkt_analyse(cd_kkt_system* s, int nbody, const cd_rows* rows, const bool* is_penalized, bool has_redundant_rows)
{
    const int          n     = nbody + rows->nblock;
    cd_kkt_graph       graph = {0};
    cd_block_edge_list e     = {0};
    int*               size  = cd_allocate((size_t)n, sizeof *size);
    int*               order = cd_allocate((size_t)n, sizeof *order);
    *s                       = (cd_kkt_system){.sign = cd_allocate((size_t)n, sizeof *s->sign)};
    bool good                = size && order && s->sign && cd_kkt_graph_from_rows(&graph, nbody, rows) &&
                collect_edges(&graph, is_penalized, &e);
    for (int i = 0; good && i < n; ++i) {
        size[i]    = i < nbody ? 6 : rows->block[i - nbody].nrow;
        s->sign[i] = i < nbody ? 1 : -1;
    }
    if (good) {
        const cd_block_pattern pattern = {n, size, e.count, (const int(*)[2])e.edge};
        for (int c = 0; c < rows->nblock; ++c) graph.has_penalty |= is_penalized[c];
        graph.has_redundant_rows = has_redundant_rows;
        s->graph_depth           = cd_kkt_breadth_first(&graph, order);
        s->ordering              = cd_ordering_choose(&graph, &pattern, order, &s->cost);
        good = s->graph_depth >= 0 && s->ordering >= 0 && cd_block_analyse(&s->F, &pattern, order) &&
               locate_jacobian_blocks(s, nbody, rows, is_penalized) && sort_jacobian_blocks(s, nbody, rows->nblock) &&
               sort_penalty_blocks(s, rows->nblock, is_penalized);
    }
    cd_kkt_graph_release(&graph);
    free(size), free(order), free(e.edge);
    return good;
}

enum { MAX_SHORT_DEPTH = 100 }; // depth at which round-off is far below the test for null pivots

bool cd_kkt_needs_independent_rows(const cd_kkt_system* s)
{
    return s->graph_depth > MAX_SHORT_DEPTH && cd_ordering_at(s->ordering)->needs_independent_rows;
}

void cd_kkt_layout(cd_kkt_system* s, int nbody, cd_arena* arena)
{
    cd_block_layout(&s->F, arena);
    for (int b = 0; s->F.diagonal_state && b < nbody; ++b)
        if (s->has_constant_diagonal[b]) cd_block_request_reuse(&s->F, b);
}

void cd_kkt_release(cd_kkt_system* s)
{
    cd_block_release(&s->F);
    free(s->sign), free(s->has_constant_diagonal), free(s->jacobian_start), free(s->jacobian),
        free(s->column_jacobian_start), free(s->column_jacobian), free(s->column_penalty_start),
        free(s->column_penalty);
    *s = (cd_kkt_system){0};
}
