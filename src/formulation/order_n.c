// SPDX-License-Identifier: BSD-3-Clause
// Articulated bodies, and loops in the traditional way: every loop is opened, and the forces that close it are found
// from what unit forces do at the cuts.
//
//   tree      M = (1 + H) D (1 + H)'                          articulated.c
//   cuts      T = (1 + H)^-1 J',   N = T' D^-1 T              T is not zero on the ways of a cut's ends to ground
//   forces    N lambda = T' D^-1 (1 + H)^-1 r - gamma
//   motion    (1 + H)' a = D^-1 ((1 + H)^-1 r - T lambda)
//
// Linear in the tree, but a cut costs its way to ground, and cuts that share a way meet in N. Rows that repeat others
// have null pivots in N and get no force. Where a pivot is weak, what is left of the equations is solved for again
// (remainder.h). Paper 003, section 3.2.3 (explicit, order N); paper 004, section 2, equations 18 to 32 (eta, zeta,
// lambda), with T in the place of eta. docs/theory/order-n.md.
#include "formulation/articulated.h"
#include "formulation/cuts.h"
#include "formulation/loan.h"
#include "formulation/row_check.h"

#include <stdlib.h>

static const double null_pivot = 1e-10;
static const double weak       = 1e-3; // pivot below which digits are worth looking for: N is a sum over whole ways

typedef struct order_n_work {
    cd_articulated tree;
    cd_cuts        cuts;
    real*          u;     // (nv)
    real*          z;     // (nv)
    real*          way;   // (nv) one right side along the ways of a cut
    double         free;  // size of what the rows would see without lambda, in the last solve
    bool           light; // some motion is
    cd_remainder   rest;
    cd_loan        loan;
    bool           bare; // nothing is lent to what has a pivot
    bool           deep; // a tree without rows in which sums of loads along the branches lose digits
} order_n_work;

// ---- symbolic

enum { DEEP = 100 }; // links one behind the other whose loads may be summed: the sums lose digits with the square

static cardan_status find_depth(const cardan_model* m, order_n_work* w, cardan_report* report)
{
    int* depth = cd_allocate((size_t)m->nlink, sizeof *depth);
    if (!depth)
        return cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_nowhere(),
                           "no memory for the tree of '%s'", m->view.name);
    for (int i = 0; i < m->nlink; ++i) {
        const int parent = m->link[i].parent;
        depth[i]         = parent < 0 ? 1 : depth[parent] + 1;
        w->deep |= depth[i] > DEEP;
    }
    free(depth);
    return CARDAN_OK;
}

static cardan_status analyse(const cardan_model* m, const cd_rows* rows, void* work, cardan_report* report)
{
    order_n_work* w = work;
    if (rows->nrow == 0) return find_depth(m, w, report);
    if (!cd_cuts_analyse(m, rows, &w->cuts))
        return cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_nowhere(),
                           "no memory for the loops of '%s'", m->view.name);
    return CARDAN_OK;
}

static void release(void* work)
{
    order_n_work* w = work;
    cd_cuts_release(&w->cuts);
}

static void layout(const cardan_model* m, const cd_rows* rows, cd_arena* arena, void* work)
{
    order_n_work* w = work;
    cd_articulated_layout(m, arena, &w->tree);
    CD_TAKE(arena, w->u, m->nv);
    if (rows->nrow == 0) return;
    cd_cuts_layout(&w->cuts, arena);
    CD_TAKE(arena, w->z, m->nv);
    CD_TAKE(arena, w->way, m->nv);
    cd_remainder_layout(m, rows, arena, &w->rest);
    cd_loan_layout(m, rows, arena, &w->loan);
    w->tree.lent = w->loan.lent;
}

// ---- numeric

// T of one cut: its rows carried inward along its ways.
static void carry_cut(const cardan_model* m, const cd_kinematics* k, const cd_row_block* b, int c, order_n_work* w)
{
    const int  start = w->cuts.start[c], n = w->cuts.start[c + 1] - start;
    const int* column = w->cuts.column + start;
    for (int i = 0; i < b->nrow; ++i) {
        for (int s = 0; s < n; ++s) w->way[s] = column[s] == CARDAN_NONE ? r_lift(0) : b->J[i * b->nv + column[s]];
        cd_articulated_inward_along(m, k, &w->tree, n, w->cuts.v + start, w->way);
        for (int s = 0; s < n; ++s) w->cuts.T[w->cuts.T_at[start + s] + (size_t)i] = w->way[s];
    }
}

// A motion that is light beside the inertia it was taken from, as that of a small heavy body on a long arm: digits are
// missing.
static bool has_light_motions(const cardan_model* m, const order_n_work* w)
{
    double lightest = 0;
    for (int v = 0; v < m->nv; ++v) lightest = fmax(lightest, r_value(w->tree.D[v]) * m->resistance[v]);
    return lightest * cd_remainder_weak > 1;
}

static void solve_once(const cardan_model* m, const cd_kinematics* k, const cd_rows* rows, void* work, const real* r,
                       const real* gamma, real* a, real* lambda);

// Links, with what is lent where there is no pivot; and, where rows may determine the motion, to pivots so light that
// rows would see nothing else.
static cardan_status factor_links(const cardan_model* m, cd_kinematics* k, const cd_rows* rows, order_n_work* w,
                                  cd_where* where)
{
    cardan_status status = cd_articulated_factor(m, k, &w->tree, where);
    for (int v = 0; v < m->nv;) {
        const bool light = status == CARDAN_OK && r_value(w->tree.D[v]) * m->lost[v] >= 1;
        if (status == CARDAN_OK && (!light || w->bare || !cd_loan_take(m, rows, &w->loan, v)))
            ++v;
        else if (status == CARDAN_OK || (status == CARDAN_SINGULAR && cd_loan_take(m, rows, &w->loan, where->v)))
            status = cd_articulated_factor(m, k, &w->tree, where);
        else
            return status;
    }
    return status;
}

static cardan_status factor_all(const cardan_model* m, cd_kinematics* k, const cd_rows* rows, order_n_work* w,
                                cd_where* where)
{
    const cardan_status status = factor_links(m, k, rows, w, where);
    if (status != CARDAN_OK || rows->nrow == 0) return status;
    w->light = has_light_motions(m, w);
    for (int c = 0; c < rows->nblock; ++c) carry_cut(m, k, &rows->block[c], c, w);
    cd_cuts_meet(rows, &w->cuts, m->nv, w->tree.D);
    const int bad = cd_cuts_eliminate(rows, &w->cuts.N, null_pivot);
    where->row    = bad < 0 ? CARDAN_NONE : bad;
    where->v      = bad < 0 ? cd_loan_undetermined(m, k, rows, &w->loan, solve_once, w, w->z) : CARDAN_NONE;
    return bad < 0 && where->v == CARDAN_NONE ? CARDAN_OK : CARDAN_SINGULAR;
}

// What rows do not determine moves by its own inertia, however light.
static cardan_status factor(const cardan_model* m, cd_kinematics* k, const cd_rows* rows, void* work, cd_where* where)
{
    order_n_work*       w      = work;
    const cardan_status status = factor_all(m, k, rows, w, where);
    if (status != CARDAN_SINGULAR || !w->loan.any || w->bare) return status;
    w->bare     = true;
    w->loan.any = false;
    for (int v = 0; v < m->nv; ++v) w->loan.lent[v] = 0;
    return factor_all(m, k, rows, w, where);
}

// lambda, and u without its part: u -= T lambda. Returns the size of what the rows would see without lambda.
static double close_cuts(const cardan_model* m, const cd_rows* rows, const order_n_work* w, const real* gamma, real* u,
                         real* lambda)
{
    for (int v = 0; v < m->nv; ++v) w->z[v] = r_over(u[v], w->tree.D[v]);
    const double free = cd_cuts_miss(rows, &w->cuts, w->z, gamma, lambda);
    cd_skyline_solve(&w->cuts.N, lambda);
    cd_cuts_push(rows, &w->cuts, lambda, u);
    return free;
}

static void solve_once(const cardan_model* m, const cd_kinematics* k, const cd_rows* rows, void* work, const real* r,
                       const real* gamma, real* a, real* lambda)
{
    order_n_work* w = work;
    if (w->deep && w->rest.effort && m->policy != CARDAN_TREE_FLAT)
        cd_articulated_inward_loads(m, k, &w->tree, w->rest.effort, w->rest.wrench, w->u);
    else
        cd_articulated_inward(m, k, &w->tree, r, w->u);
    w->free = rows->nrow > 0 ? close_cuts(m, rows, w, gamma, w->u, lambda) : 0;
    cd_articulated_outward(m, k, &w->tree, w->u, a);
}

static void solve_lent(const cardan_model* m, const cd_kinematics* k, const cd_rows* rows, void* work, const real* r,
                       const real* gamma, real* a, real* lambda)
{
    order_n_work* w = work;
    cd_loan_solve(m, k, rows, &w->loan, solve_once, w, r, gamma, a, lambda);
}

static cardan_status solve(const cardan_model* m, cd_kinematics* k, const cd_rows* rows, void* work, const real* r,
                           const real* gamma, real* a, real* lambda, cd_where* where)
{
    order_n_work* w = work;
    solve_lent(m, k, rows, w, r, gamma, a, lambda);
    const double free    = fmax(w->free, cd_free_acceleration(m, r)); // of light bodies that are held, that of others
    const bool   refines = rows->nrow > 0 && cd_remainder_known(m, &w->rest, k);
    if (refines && (w->loan.any || w->light || w->cuts.N.weakest < weak || !cd_rows_hold(rows, a, gamma, free)))
        cd_remainder_refine(m, k, rows, &w->rest, solve_lent, w, gamma, free, a, lambda);
    w->rest.effort = NULL;
    return cd_check_rows(rows, a, gamma, free, rows->nrow > 0 ? cd_skyline_largest(&w->cuts.N, lambda) : 0, where);
}

static void split(const cardan_model* m, const cd_kinematics* k, void* work, const real* effort, const spatial* wrench)
{
    (void)m, (void)k;
    cd_remainder_split(&((order_n_work*)work)->rest, effort, wrench);
}

static cd_strength strength(const cardan_model* m, const cd_rows* rows, const void* work)
{
    (void)m, (void)rows;
    const order_n_work* w = work;
    return (cd_strength){
        .least = w->cuts.N.weakest, .row = w->cuts.N.weakest_row, .null = w->cuts.N.null, .lent = w->loan.any};
}

const cd_formulation cd_order_n = {
    .name      = "order-n",
    .summary   = "articulated bodies, linear in the number of joints; loops opened and closed by forces",
    .reference = "Docquier, Bruels, Fisette 2019, section 3.2.3; Featherstone 2008, chapter 7; Anderson, Critchley "
                 "2003, section 2",
    .supports  = CD_TREE | CD_LOOPS | CD_REDUNDANT | CD_WAYS,
    .tree      = CARDAN_TREE_SHALLOW,
    .pace      = {0.2, 0.6},
    .work_size = sizeof(order_n_work),
    .analyse   = analyse,
    .release   = release,
    .layout    = layout,
    .factor    = factor,
    .solve     = solve,
    .split     = split,
    .strength  = strength,
};
