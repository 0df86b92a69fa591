// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/flat_system.h"

#include <stdlib.h>

static bool collect_edges(const cd_flat_graph* g, const bool* leaning, cd_block_edges* e)
{
    for (int c = 0; c < g->nconstraint; ++c)
        for (int k = g->first[c]; k < g->first[c + 1]; ++k) {
            if (!cd_block_meet(e, g->body[k], g->nbody + c)) return false;
            for (int i = g->first[c]; leaning[c] && i < k; ++i)
                if (!cd_block_meet(e, g->body[i], g->body[k])) return false;
        }
    return true;
}

static int count_runs(const cd_row_block* b, int constraint, cd_flat_run* run)
{
    int n = 0;
    for (int j = 0, end; j < b->nv; j = end) {
        for (end = j; end < b->nv && b->v[end] / 6 == b->v[j] / 6;) ++end;
        if (run) run[n] = (cd_flat_run){.from = j, .to = end, .body = b->v[j] / 6, .constraint = constraint};
        ++n;
    }
    return n;
}

static bool find_places(cd_flat_system* s, int nbody, const cd_rows* rows, const bool* leaning)
{
    const int m = rows->nblock;
    s->lasting  = cd_allocate((size_t)nbody, sizeof *s->lasting);
    s->first    = cd_allocate((size_t)m + 1, sizeof *s->first);
    if (!s->lasting || !s->first) return false;
    for (int b = 0; b < nbody; ++b) s->lasting[b] = true;
    for (int c = 0; c < m; ++c) {
        const int n     = rows->block[c].nrow > 0 ? count_runs(&rows->block[c], c, NULL) : 0;
        s->first[c + 1] = s->first[c] + n;
    }
    s->run = cd_allocate((size_t)s->first[m], sizeof *s->run);
    if (!s->run) return false;
    s->kept = true;
    for (int c = 0; c < m; ++c) {
        cd_flat_run* run = s->run + s->first[c];
        const int    n   = s->first[c + 1] - s->first[c];
        if (n > 0) count_runs(&rows->block[c], c, run);
        for (int k = 0; k < n; ++k) {
            run[k].place     = cd_block_find(&s->F, nbody + c, run[k].body);
            const bool whole = !leaning[c] && run[k].to - run[k].from == 6;
            if (whole) cd_block_cover(&s->F, nbody + c, run[k].body);
            s->lasting[run[k].body] &= whole;
            s->kept &= cd_block_is_kept(&s->F, nbody + c, run[k].body);
        }
    }
    return true;
}

// Runs sorted by the column that their block stands in.
static bool sort_edges(cd_flat_system* s, int nbody, int nconstraint)
{
    const int n = nbody + nconstraint, nrun = s->first[nconstraint];
    int*      at = s->first_edge = cd_allocate((size_t)n + 2, sizeof *at);
    s->edge                      = cd_allocate((size_t)nrun, sizeof *s->edge);
    if (!at || !s->edge) return false;
    for (int c = 0; c < nconstraint; ++c) {
        cd_flat_run* first = NULL;
        for (cd_flat_run* run = s->run + s->first[c]; run < s->run + s->first[c + 1]; ++run)
            if (!first || s->F.position[run->body] < s->F.position[first->body]) first = run;
        if (first) first->first = true;
    }
    ++at; // counts become ends, and these beginnings of the next
    for (int pass = 0; pass < 2; ++pass) {
        for (int r = 0; r < nrun; ++r) {
            const int body = s->F.position[s->run[r].body], joint = s->F.position[nbody + s->run[r].constraint],
                      column = body < joint ? body : joint;
            if (pass == 0)
                ++at[column + 1];
            else
                s->edge[at[column]++] = s->run[r];
        }
        for (int k = 0; pass == 0 && k < n; ++k) at[k + 1] += at[k];
    }
    return true;
}

static cd_flat_lean lean_of(const cd_flat_system* s, int c, const cd_flat_run* one, const cd_flat_run* two)
{
    bool whole = true;
    for (int r = s->first[c]; r < s->first[c + 1]; ++r) whole &= s->run[r].to - s->run[r].from == 6;
    return (cd_flat_lean){.constraint = c,
                          .place      = cd_block_find(&s->F, one->body, two->body),
                          .from       = {(short)one->from, (short)two->from},
                          .to         = {(short)one->to, (short)two->to},
                          .own        = one == two,
                          .whole      = whole};
}

// Pairs of bodies of leaning constraints, sorted by the column that their block stands in.
static bool sort_leans(cd_flat_system* s, int nconstraint, const bool* leaning)
{
    const int* position = s->F.position;
    int*       at = s->first_lean = cd_allocate((size_t)s->F.nblock + 2, sizeof *at);
    bool*      seen               = cd_allocate((size_t)nconstraint, sizeof *seen);
    bool       good               = at && seen;
    ++at; // counts become ends, and these beginnings of the next
    for (int pass = 0; good && pass < 2; ++pass) {
        for (int c = 0; c < nconstraint; ++c)
            for (int i = s->first[c]; leaning[c] && i < s->first[c + 1]; ++i)
                for (int j = s->first[c]; j < s->first[c + 1]; ++j) {
                    const int column = position[s->run[j].body];
                    if (position[s->run[i].body] < column) continue;
                    if (pass == 0)
                        ++at[column + 1];
                    else
                        s->lean[at[column]++] = lean_of(s, c, &s->run[i], &s->run[j]);
                }
        if (pass == 1) break;
        for (int k = 0; k < s->F.nblock; ++k) at[k + 1] += at[k];
        s->lean = cd_allocate((size_t)at[s->F.nblock], sizeof *s->lean);
        good    = s->lean;
    }
    for (int n = 0; good && n < s->first_lean[s->F.nblock]; ++n) {
        s->lean[n].first            = !seen[s->lean[n].constraint];
        seen[s->lean[n].constraint] = true;
    }
    free(seen);
    return good;
}

bool cd_flat_analyse(cd_flat_system* s, int nbody, const cd_rows* rows, const bool* leaning, bool repeats)
{
    const int      n     = nbody + rows->nblock;
    cd_flat_graph  graph = {0};
    cd_block_edges e     = {0};
    int*           size  = cd_allocate((size_t)n, sizeof *size);
    int*           order = cd_allocate((size_t)n, sizeof *order);
    *s                   = (cd_flat_system){.sign = cd_allocate((size_t)n, sizeof *s->sign)};
    bool good = size && order && s->sign && cd_flat_graph_of(&graph, nbody, rows) && collect_edges(&graph, leaning, &e);
    for (int i = 0; good && i < n; ++i) {
        size[i]    = i < nbody ? 6 : rows->block[i - nbody].nrow;
        s->sign[i] = i < nbody ? 1 : -1;
    }
    if (good) {
        const cd_block_pattern pattern = {n, size, e.count, (const int(*)[2])e.list};
        for (int c = 0; c < rows->nblock; ++c) graph.leaning |= leaning[c];
        graph.repeats = repeats;
        s->steps      = cd_flat_walk(&graph, order);
        s->order      = cd_flat_order_choose(&graph, &pattern, order, &s->cost);
        good          = s->steps >= 0 && s->order >= 0 && cd_block_analyse(&s->F, &pattern, order) &&
               find_places(s, nbody, rows, leaning) && sort_edges(s, nbody, rows->nblock) &&
               sort_leans(s, rows->nblock, leaning);
    }
    cd_flat_graph_release(&graph);
    free(size), free(order), free(e.list);
    return good;
}

enum { short_way = 100 }; // steps on which rounding stays below the test for null pivots by far

bool cd_flat_wants_independence(const cd_flat_system* s)
{
    return s->steps > short_way && cd_flat_order_at(s->order)->independent;
}

void cd_flat_layout(cd_flat_system* s, int nbody, cd_arena* arena)
{
    cd_block_layout(&s->F, arena);
    for (int b = 0; s->F.held && b < nbody; ++b)
        if (s->lasting[b]) cd_block_hold(&s->F, b);
}

void cd_flat_release(cd_flat_system* s)
{
    cd_block_release(&s->F);
    free(s->sign), free(s->lasting), free(s->first), free(s->run), free(s->first_edge), free(s->edge),
        free(s->first_lean), free(s->lean);
    *s = (cd_flat_system){0};
}
