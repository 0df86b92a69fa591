// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/cuts.h"

#include <stdlib.h>

static int descending(const void* a, const void* b) { return *(const int*)b - *(const int*)a; }

// All velocities on the ways to ground from those that a cut feels, outer ones first; returns how many. `place` (nv):
// when a velocity comes in v_order. `seen` (nv) is clear before and after.
static int find_way(const cardan_model* m, const cd_row_block* b, const int* place, bool* seen, int* way)
{
    int n = 0;
    for (int j = 0; j < b->nv; ++j)
        for (int v = b->v[j]; v >= 0 && !seen[v]; v = m->v_parent[v]) {
            seen[v]  = true;
            way[n++] = place[v];
        }
    qsort(way, (size_t)n, sizeof *way, descending);
    for (int j = 0; j < n; ++j) {
        way[j]       = m->v_order[way[j]];
        seen[way[j]] = false;
    }
    return n;
}

// Columns of the cut's own rows along its ways. `at` (nv) is scratch.
static void find_columns(const cd_row_block* b, int n, const int* way, int* column, int* at)
{
    for (int j = 0; j < n; ++j) at[way[j]] = CARDAN_NONE;
    for (int j = 0; j < b->nv; ++j) at[b->v[j]] = j;
    for (int j = 0; j < n; ++j) column[j] = at[way[j]];
}

static bool find_ways(const cardan_model* m, const cd_rows* rows, cd_cuts* w)
{
    int*  place = cd_allocate((size_t)m->nv, sizeof(int));
    int*  way   = cd_allocate((size_t)m->nv, sizeof(int));
    int*  at    = cd_allocate((size_t)m->nv, sizeof(int));
    bool* seen  = cd_allocate((size_t)m->nv, sizeof(bool));
    w->ncut     = rows->nblock;
    w->start    = cd_allocate((size_t)w->ncut + 1, sizeof(int));
    bool good   = place && way && at && seen && w->start;
    for (int i = 0; good && i < m->nv; ++i) place[m->v_order[i]] = i;
    for (int c = 0; good && c < w->ncut; ++c)
        w->start[c + 1] = w->start[c] + find_way(m, &rows->block[c], place, seen, way);
    const size_t n = good ? (size_t)w->start[w->ncut] : 0;
    w->v           = cd_allocate(n, sizeof(int));
    w->column      = cd_allocate(n, sizeof(int));
    good           = good && w->v && w->column;
    for (int c = 0; good && c < w->ncut; ++c) {
        int* to = w->v + w->start[c];
        find_columns(&rows->block[c], find_way(m, &rows->block[c], place, seen, to), to, w->column + w->start[c], at);
    }
    free(place), free(way), free(at), free(seen);
    return good;
}

// The same entries by velocity.
static bool find_users(const cardan_model* m, cd_cuts* w)
{
    const int n     = w->start[w->ncut];
    int*      next  = cd_allocate((size_t)m->nv, sizeof(int));
    w->first        = cd_allocate((size_t)m->nv + 1, sizeof(int));
    w->entry        = cd_allocate((size_t)n, sizeof(int));
    w->cut          = cd_allocate((size_t)n, sizeof(int));
    const bool good = next && w->first && w->entry && w->cut;
    for (int e = 0; good && e < n; ++e) ++w->first[w->v[e] + 1];
    for (int v = 0; good && v < m->nv; ++v) w->first[v + 1] += next[v] = w->first[v];
    for (int c = 0; good && c < w->ncut; ++c)
        for (int e = w->start[c]; e < w->start[c + 1]; ++e) {
            w->cut[e]                 = c;
            w->entry[next[w->v[e]]++] = e;
        }
    free(next);
    return good;
}

// Rows of N begin at the first cut that shares a velocity.
static bool place_N(const cd_rows* rows, cd_cuts* w)
{
    w->N    = (cd_skyline){.n     = rows->nrow,
                           .first = cd_allocate((size_t)rows->nrow, sizeof(int)),
                           .row   = cd_allocate((size_t)rows->nrow, sizeof(size_t))};
    w->T_at = cd_allocate((size_t)w->start[w->ncut], sizeof(size_t));
    if (!w->N.first || !w->N.row || !w->T_at) return false;
    for (int c = 0; c < w->ncut; ++c) {
        const cd_row_block* b     = &rows->block[c];
        int                 first = b->row;
        for (int e = w->start[c]; e < w->start[c + 1]; ++e) {
            const int other = rows->block[w->cut[w->entry[w->first[w->v[e]]]]].row;
            if (other < first) first = other;
            w->T_at[e] = w->nT;
            w->nT += (size_t)b->nrow;
        }
        for (int i = 0; i < b->nrow; ++i) w->N.first[b->row + i] = first;
    }
    cd_skyline_place(&w->N);
    return true;
}

bool cd_cuts_analyse(const cardan_model* m, const cd_rows* rows, cd_cuts* w)
{
    return find_ways(m, rows, w) && find_users(m, w) && place_N(rows, w);
}

void cd_cuts_release(cd_cuts* w)
{
    void* const all[] = {w->start, w->v, w->column, w->first, w->entry, w->cut, w->N.first, w->N.row, w->T_at};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i) free(all[i]);
}

void cd_cuts_layout(cd_cuts* w, cd_arena* arena)
{
    cd_skyline_layout(&w->N, arena);
    CD_TAKE(arena, w->T, w->nT);
}

// N += t D^-1 t' of one velocity, for every pair of cuts that use it.
static void add_velocity(const cd_rows* rows, cd_cuts* w, int v, real one_over_D)
{
    for (int a = w->first[v]; a < w->first[v + 1]; ++a) {
        const cd_row_block* A  = &rows->block[w->cut[w->entry[a]]];
        const real*         TA = w->T + w->T_at[w->entry[a]];
        for (int i = 0; i < A->nrow; ++i) {
            const real f = r_over(TA[i], one_over_D);
            for (int b = w->first[v]; b <= a; ++b) {
                const cd_row_block* B   = &rows->block[w->cut[w->entry[b]]];
                const real*         TB  = w->T + w->T_at[w->entry[b]];
                real*               row = cd_skyline_at(&w->N, A->row + i, B->row);
                const int           end = b < a ? B->nrow : i + 1;
                for (int j = 0; j < end; ++j) row[j] = r_add(row[j], r_mul(f, TB[j]));
            }
        }
    }
}

void cd_cuts_meet(const cd_rows* rows, cd_cuts* w, int nv, const real* one_over_D)
{
    cd_skyline_clear(&w->N);
    for (int v = 0; v < nv; ++v) add_velocity(rows, w, v, one_over_D[v]);
    for (int i = 0; rows->compliance && i < rows->nrow; ++i) {
        real* entry = cd_skyline_at(&w->N, i, i);
        *entry      = r_add(*entry, r_lift(rows->compliance[i]));
    }
}

int cd_cuts_eliminate(const cd_rows* rows, cd_skyline* N, double tolerance)
{
    cd_skyline_begin(N);
    for (int c = 0; c < rows->nblock; ++c) {
        const int bad =
            cd_skyline_eliminate(N, rows->block[c].row, rows->block[c].nrow, cd_null_pivots(rows, tolerance));
        if (bad >= 0) return bad;
    }
    return -1;
}

double cd_cuts_miss(const cd_rows* rows, const cd_cuts* w, const real* z, const real* gamma, real* lambda)
{
    double free = 0;
    for (int c = 0; c < rows->nblock; ++c) {
        const cd_row_block* b = &rows->block[c];
        for (int i = 0; i < b->nrow; ++i) lambda[b->row + i] = r_neg(gamma[b->row + i]);
        for (int e = w->start[c]; e < w->start[c + 1]; ++e)
            for (int i = 0; i < b->nrow; ++i) {
                const real term    = r_mul(w->T[w->T_at[e] + (size_t)i], z[w->v[e]]);
                lambda[b->row + i] = r_add(lambda[b->row + i], term);
                free               = fmax(free, fabs(r_value(term)));
            }
    }
    return free;
}

void cd_cuts_push(const cd_rows* rows, const cd_cuts* w, const real* lambda, real* u)
{
    for (int c = 0; c < rows->nblock; ++c) {
        const cd_row_block* b = &rows->block[c];
        for (int e = w->start[c]; e < w->start[c + 1]; ++e)
            for (int i = 0; i < b->nrow; ++i)
                u[w->v[e]] = r_sub(u[w->v[e]], r_mul(w->T[w->T_at[e] + (size_t)i], lambda[b->row + i]));
    }
}
