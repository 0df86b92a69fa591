// SPDX-License-Identifier: BSD-3-Clause
// Articulated bodies, and loops in the traditional way: every loop is opened, and the forces that close it are found from what unit
// forces do at the cuts.
//
//   tree      M = (1 + H) D (1 + H)'                          articulated.c
//   cuts      T = (1 + H)^-1 J',   N = T' D^-1 T              T is not zero on the ways of a cut's ends to ground
//   forces    N lambda = T' D^-1 (1 + H)^-1 r - gamma
//   motion    (1 + H)' a = D^-1 ((1 + H)^-1 r - T lambda)
//
// Linear in the tree, but a cut costs its way to ground, and cuts that share a way meet in N. Rows that repeat others have null
// pivots in N and get no force.
// Paper 003, section 3.2.3 (explicit, order N); paper 004, section 2, equations 18 to 32 (eta, zeta, lambda), with T
// in the place of eta. docs/theory/order-n.md.
#include "formulation/articulated.h"
#include "formulation/row_check.h"
#include "formulation/skyline.h"

#include <stdlib.h>
#include <string.h>

static const double null_pivot = 1e-10;

// The ways of all cuts to ground.
typedef struct ways {
    int  ncut;
    int* start;   // (ncut + 1) entries start[c] .. start[c + 1] are the velocities on the ways of cut c, outer ones first
    int* v;       // velocity
    int* column;  // its column in the cut's own rows, or CARDAN_NONE: there J is zero
    int* first;   // (nv + 1) entries of velocity v, by cut: entry[first[v]] .. entry[first[v + 1]]
    int* entry;
    int* cut;     // of an entry
} ways;

typedef struct order_n_work {
    cd_articulated tree;
    ways           ways;
    cd_skyline     N;
    size_t*        T_at;  // (entries) of the nrow numbers of its cut in T
    size_t         nT;
    real*          T;
    real*          u;     // (nv)
    real*          way;   // (nv) one right side along the ways of a cut
} order_n_work;

// ---- symbolic

static int descending(const void* a, const void* b) { return *(const int*)b - *(const int*)a; }

// All velocities on the ways to ground from those that a cut feels, outer ones first; returns how many. `place` (nv): when a
// velocity comes in v_order. `seen` (nv) is clear before and after.
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

static bool find_ways(const cardan_model* m, const cd_rows* rows, ways* w)
{
    int*  place = cd_allocate((size_t)m->nv, sizeof(int));
    int*  way   = cd_allocate((size_t)m->nv, sizeof(int));
    int*  at    = cd_allocate((size_t)m->nv, sizeof(int));
    bool* seen  = cd_allocate((size_t)m->nv, sizeof(bool));
    w->ncut     = rows->nblock;
    w->start    = cd_allocate((size_t)w->ncut + 1, sizeof(int));
    bool good   = place && way && at && seen && w->start;
    for (int i = 0; good && i < m->nv; ++i) place[m->v_order[i]] = i;
    for (int c = 0; good && c < w->ncut; ++c) w->start[c + 1] = w->start[c] + find_way(m, &rows->block[c], place, seen, way);
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
static bool find_users(const cardan_model* m, ways* w)
{
    const int n = w->start[w->ncut];
    int*      next = cd_allocate((size_t)m->nv, sizeof(int));
    w->first       = cd_allocate((size_t)m->nv + 1, sizeof(int));
    w->entry       = cd_allocate((size_t)n, sizeof(int));
    w->cut         = cd_allocate((size_t)n, sizeof(int));
    const bool good = next && w->first && w->entry && w->cut;
    for (int e = 0; good && e < n; ++e) ++w->first[w->v[e] + 1];
    for (int v = 0; good && v < m->nv; ++v) w->first[v + 1] += next[v] = w->first[v];
    for (int c = 0; good && c < w->ncut; ++c)
        for (int e = w->start[c]; e < w->start[c + 1]; ++e) {
            w->cut[e]                = c;
            w->entry[next[w->v[e]]++] = e;
        }
    free(next);
    return good;
}

// Rows of N begin at the first cut that shares a velocity.
static bool place_N(const cd_rows* rows, order_n_work* w)
{
    const ways* y = &w->ways;
    w->N          = (cd_skyline){.n = rows->nrow, .first = cd_allocate((size_t)rows->nrow, sizeof(int)), .row = cd_allocate((size_t)rows->nrow, sizeof(size_t))};
    w->T_at       = cd_allocate((size_t)y->start[y->ncut], sizeof(size_t));
    if (!w->N.first || !w->N.row || !w->T_at) return false;
    for (int c = 0; c < y->ncut; ++c) {
        const cd_row_block* b     = &rows->block[c];
        int                 first = b->row;
        for (int e = y->start[c]; e < y->start[c + 1]; ++e) {
            const int other = rows->block[y->cut[y->entry[y->first[y->v[e]]]]].row;
            if (other < first) first = other;
            w->T_at[e] = w->nT;
            w->nT += (size_t)b->nrow;
        }
        for (int i = 0; i < b->nrow; ++i) w->N.first[b->row + i] = first;
    }
    cd_skyline_place(&w->N);
    return true;
}

static cardan_status analyse(const cardan_model* m, const cd_rows* rows, void* work, cardan_report* report)
{
    order_n_work* w = work;
    if (rows->nrow == 0) return CARDAN_OK;
    if (!find_ways(m, rows, &w->ways) || !find_users(m, &w->ways) || !place_N(rows, w))
        return cardan_fail(report, CARDAN_NO_MEMORY, cardan_nowhere(), "no memory for the loops of '%s'", m->view.name);
    return CARDAN_OK;
}

static void release(void* work)
{
    order_n_work* w     = work;
    void* const   all[] = {w->ways.start, w->ways.v, w->ways.column, w->ways.first, w->ways.entry, w->ways.cut, w->N.first, w->N.row, w->T_at};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i) free(all[i]);
}

static void layout(const cardan_model* m, const cd_rows* rows, cd_arena* arena, void* work)
{
    order_n_work* w = work;
    cd_articulated_layout(m, arena, &w->tree);
    CD_TAKE(arena, w->u, m->nv);
    if (rows->nrow == 0) return;
    cd_skyline_layout(&w->N, arena);
    CD_TAKE(arena, w->T, w->nT);
    CD_TAKE(arena, w->way, m->nv);
}

// ---- numeric

// T of one cut: its rows carried inward along its ways.
static void carry_cut(const cardan_model* m, const cd_kinematics* k, const cd_row_block* b, int c, order_n_work* w)
{
    const int  start = w->ways.start[c], n = w->ways.start[c + 1] - start;
    const int* column = w->ways.column + start;
    for (int i = 0; i < b->nrow; ++i) {
        for (int s = 0; s < n; ++s) w->way[s] = column[s] == CARDAN_NONE ? r_lift(0) : b->J[i * b->nv + column[s]];
        cd_articulated_inward_along(m, k, &w->tree, n, w->ways.v + start, w->way);
        for (int s = 0; s < n; ++s) w->T[w->T_at[start + s] + (size_t)i] = w->way[s];
    }
}

// N += t D^-1 t' of one velocity, for every pair of cuts that use it.
static void add_velocity(const cd_rows* rows, order_n_work* w, int v)
{
    const ways* y = &w->ways;
    for (int a = y->first[v]; a < y->first[v + 1]; ++a) {
        const cd_row_block* A  = &rows->block[y->cut[y->entry[a]]];
        const real*         TA = w->T + w->T_at[y->entry[a]];
        for (int i = 0; i < A->nrow; ++i) {
            const real f = r_mul(TA[i], w->tree.D[v]);
            for (int b = y->first[v]; b <= a; ++b) {
                const cd_row_block* B   = &rows->block[y->cut[y->entry[b]]];
                const real*         TB  = w->T + w->T_at[y->entry[b]];
                real*               row = cd_skyline_at(&w->N, A->row + i, B->row);
                const int           end = b < a ? B->nrow : i + 1;
                for (int j = 0; j < end; ++j) row[j] = r_add(row[j], r_mul(f, TB[j]));
            }
        }
    }
}

static cardan_status factor(const cardan_model* m, cd_kinematics* k, const cd_rows* rows, void* work, cd_where* where)
{
    order_n_work*       w      = work;
    const cardan_status status = cd_articulated_factor(m, k, &w->tree, where);
    if (status != CARDAN_OK || rows->nrow == 0) return status;
    for (int c = 0; c < rows->nblock; ++c) carry_cut(m, k, &rows->block[c], c, w);
    cd_skyline_clear(&w->N);
    for (int v = 0; v < m->nv; ++v) add_velocity(rows, w, v);
    for (int i = 0; rows->compliance && i < rows->nrow; ++i) {
        real* entry = cd_skyline_at(&w->N, i, i);
        *entry      = r_add(*entry, r_lift(rows->compliance[i]));
    }
    const int bad = cd_skyline_factor(&w->N, cd_null_tolerance(rows, null_pivot));
    if (bad < 0) return CARDAN_OK;
    where->row = bad;
    return CARDAN_SINGULAR;
}

// lambda, and u without its part: u -= T lambda. Returns the size of what the rows would see without lambda.
static double close_cuts(const cd_rows* rows, const order_n_work* w, const real* gamma, real* u, real* lambda)
{
    const ways* y    = &w->ways;
    double      free = 0;
    for (int c = 0; c < rows->nblock; ++c) {
        const cd_row_block* b = &rows->block[c];
        for (int i = 0; i < b->nrow; ++i) lambda[b->row + i] = r_neg(gamma[b->row + i]);
        for (int e = y->start[c]; e < y->start[c + 1]; ++e) {
            const real z = r_mul(u[y->v[e]], w->tree.D[y->v[e]]);
            for (int i = 0; i < b->nrow; ++i) {
                const real term    = r_mul(w->T[w->T_at[e] + (size_t)i], z);
                lambda[b->row + i] = r_add(lambda[b->row + i], term);
                free               = fmax(free, fabs(r_value(term)));
            }
        }
    }
    cd_skyline_solve(&w->N, lambda);
    for (int c = 0; c < rows->nblock; ++c) {
        const cd_row_block* b = &rows->block[c];
        for (int e = y->start[c]; e < y->start[c + 1]; ++e)
            for (int i = 0; i < b->nrow; ++i) u[y->v[e]] = r_sub(u[y->v[e]], r_mul(w->T[w->T_at[e] + (size_t)i], lambda[b->row + i]));
    }
    return free;
}

static cardan_status solve(const cardan_model* m, cd_kinematics* k, const cd_rows* rows, void* work, const real* r, const real* gamma,
                           real* a, real* lambda, cd_where* where)
{
    order_n_work* w = work;
    cd_articulated_inward(m, k, &w->tree, r, w->u);
    const double free = rows->nrow > 0 ? close_cuts(rows, w, gamma, w->u, lambda) : 0;
    cd_articulated_outward(m, k, &w->tree, w->u, a);
    return cd_check_rows(rows, a, gamma, free, where);
}

static cd_strength strength(const cardan_model* m, const cd_rows* rows, const void* work)
{
    (void)m, (void)rows;
    const order_n_work* w = work;
    return (cd_strength){.least = w->N.weakest, .row = w->N.weakest_row, .null = w->N.null};
}

const cd_formulation cd_order_n = {
    .name      = "order-n",
    .summary   = "articulated bodies, linear in the number of joints; loops opened and closed by forces",
    .reference = "Docquier, Bruels, Fisette 2019, section 3.2.3; Featherstone 2008, chapter 7; Anderson, Critchley 2003, section 2",
    .supports  = CD_TREE | CD_LOOPS | CD_REDUNDANT | CD_WAYS,
    .tree      = CARDAN_TREE_SHALLOW,
    .work_size = sizeof(order_n_work),
    .analyse   = analyse,
    .release   = release,
    .layout    = layout,
    .factor    = factor,
    .solve     = solve,
    .strength  = strength,
};
