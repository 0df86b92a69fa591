// SPDX-License-Identifier: BSD-3-Clause
// Paper 002 as it is printed: all links from the leaves to the roots, then all rows of the cuts. The baseline of
// `augmented`, whose rows go before the common ancestor of their ends.
//
//   1    M = L' D L                         tree_factor.c, no fill-in
//   2    L' z = r
//   3.1  L' T = J'                          cuts.h: T on the ways to ground only (Lemma 3)
//   3.2  n = T' D^-1 z - gamma
//   3.3  N = T' D^-1 T
//   3.4  N lambda = n                       skyline.c: cuts without a common way do not meet
//   3.5  y = T lambda
//   4    D L a = z - y
//
// without square roots, every symmetry used: on the vehicle of the paper 4065 multiplications, where it prints 4258 and
// has forgotten 240. Paper 002, section 4.3. docs/theory/augmented.md.
#include "formulation/cuts.h"
#include "formulation/loan.h"
#include "formulation/row_check.h"
#include "formulation/tree_factor.h"

static const double null_pivot = 1e-10;

typedef struct last_work {
    cd_tree_matrix  M; // then L
    cd_branches     branches;
    cd_cuts         cuts;
    real*           diagonal; // (nv) of M, then 1/D
    real*           z;        // (nv)
    real*           scaled;   // (nv) D^-1 z
    int*            place;    // (nv) of a velocity on the ways of a cut
    double          free;     // size of what the rows would see without lambda, in the last solve
    const cd_where* where;    // who watches it
    cd_remainder    rest;
    cd_loan         loan;
} last_work;

static cardan_status analyse(const cardan_model* m, const cd_rows* rows, void* work, cardan_report* report)
{
    last_work* w = work;
    if (cd_cuts_analyse(m, rows, &w->cuts) && cd_branches_analyse(m, &w->branches)) return CARDAN_OK;
    return cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_nowhere(),
                       "no memory for the loops of '%s'", m->view.name);
}

static void release(void* work)
{
    last_work* w = work;
    cd_cuts_release(&w->cuts);
    cd_branches_release(&w->branches);
}

static void share(void* work, cd_threads* threads) { ((last_work*)work)->branches.threads = threads; }

static double appetite(const cardan_model* m, const cd_rows* rows) { return (void)rows, cd_tree_mass_entries(m); }

static void layout(const cardan_model* m, const cd_rows* rows, cd_arena* arena, void* work)
{
    last_work* w = work;
    cd_tree_mass_layout(m, arena, &w->M);
    cd_branches_layout(&w->branches, arena);
    cd_cuts_layout(&w->cuts, arena);
    CD_TAKE(arena, w->diagonal, m->nv);
    CD_TAKE(arena, w->z, m->nv);
    CD_TAKE(arena, w->scaled, m->nv);
    CD_TAKE(arena, w->place, m->nv);
    cd_remainder_layout(m, rows, arena, &w->rest);
    cd_loan_layout(m, rows, arena, &w->loan);
}

static cardan_status assemble(const cardan_model* m, cd_kinematics* k, const cd_rows* rows, void* work)
{
    (void)rows;
    last_work* w = work;
    cd_reference_poses(m, k);
    cd_tree_mass(m, k, &w->M);
    return CARDAN_OK;
}

// T of one cut, all its rows together.
static void carry_cut(const cardan_model* m, const cd_row_block* b, int c, last_work* w)
{
    const cd_cuts* cuts  = &w->cuts;
    const int      start = cuts->start[c], n = cuts->start[c + 1] - start, nrow = b->nrow;
    if (n == 0) return;
    real* T = cuts->T + cuts->T_at[start]; // (n x nrow)
    for (int s = 0; s < n; ++s) {
        const int column             = cuts->column[start + s];
        w->place[cuts->v[start + s]] = s;
        for (int i = 0; i < nrow; ++i) T[s * nrow + i] = column == CARDAN_NONE ? r_lift(0) : b->J[i * b->nv + column];
    }
    for (int s = 0; s < n; ++s) {
        const int v = cuts->v[start + s], first = w->M.start[v], end = first + m->v_depth[v];
        for (int e = first + 1; e < end; ++e) {
            real* to = T + w->place[w->M.column[e]] * nrow;
            for (int i = 0; i < nrow; ++i) to[i] = r_sub(to[i], r_mul(w->M.entry[e], T[s * nrow + i]));
        }
    }
}

static void solve_once(const cardan_model* m, const cd_kinematics* k, const cd_rows* rows, void* work, const real* r,
                       const real* gamma, real* a, real* lambda)
{
    (void)k;
    last_work*            w     = work;
    const cd_where* const where = w->where;
    for (int v = 0; v < m->nv; ++v) w->z[v] = r[v];
    cd_tree_inward(m, &w->branches, &w->M, w->z);
    for (int v = 0; v < m->nv; ++v) w->scaled[v] = r_over(w->z[v], w->diagonal[v]);
    cd_step_done(where, "2");
    w->free = cd_cuts_miss(rows, &w->cuts, w->scaled, gamma, lambda);
    cd_step_done(where, "3.2");
    cd_skyline_solve(&w->cuts.N, lambda);
    cd_step_done(where, "3.4");
    for (int v = 0; v < m->nv; ++v) a[v] = w->z[v];
    cd_cuts_push(rows, &w->cuts, lambda, a);
    cd_step_done(where, "3.5");
    cd_tree_outward(m, &w->branches, &w->M, a);
    cd_step_done(where, "4");
}

// With what is lent. The velocity whose pivot is no resistance, or CARDAN_NONE.
static int factor_mass(const cardan_model* m, last_work* w)
{
    for (int v = 0; v < m->nv; ++v) {
        real* entry = &w->M.entry[w->M.start[v]];
        if (w->loan.lent[v] > 0) *entry = r_add(*entry, r_lift(w->loan.lent[v]));
        w->diagonal[v] = *entry;
    }
    return cd_tree_factor(m, &w->branches, &w->M, w->diagonal);
}

static cardan_status factor(const cardan_model* m, cd_kinematics* k, const cd_rows* rows, void* work, cd_where* where)
{
    last_work* w = work;
    w->where     = where;
    where->v     = factor_mass(m, w);
    while (cd_loan_take(m, rows, &w->loan, where->v)) {
        cd_tree_mass(m, k, &w->M);
        where->v = factor_mass(m, w);
    }
    if (where->v != CARDAN_NONE) return CARDAN_SINGULAR;
    for (int v = 0; v < m->nv; ++v) w->diagonal[v] = w->M.entry[w->M.start[v]];
    cd_step_done(where, "1");
    for (int c = 0; c < rows->nblock; ++c) carry_cut(m, &rows->block[c], c, w);
    cd_step_done(where, "3.1");
    cd_cuts_meet(rows, &w->cuts, m->nv, w->diagonal);
    cd_step_done(where, "3.3");
    const int bad = cd_cuts_eliminate(rows, &w->cuts.N, null_pivot);
    cd_step_done(where, "3.4");
    where->row = bad < 0 ? CARDAN_NONE : bad;
    where->v   = bad < 0 ? cd_loan_undetermined(m, k, rows, &w->loan, solve_once, w, w->loan.before) : CARDAN_NONE;
    return bad < 0 && where->v == CARDAN_NONE ? CARDAN_OK : CARDAN_SINGULAR;
}

static void solve_lent(const cardan_model* m, const cd_kinematics* k, const cd_rows* rows, void* work, const real* r,
                       const real* gamma, real* a, real* lambda)
{
    last_work* w = work;
    cd_loan_solve(m, k, rows, &w->loan, solve_once, w, r, gamma, a, lambda);
}

static cardan_status solve(const cardan_model* m, cd_kinematics* k, const cd_rows* rows, void* work, const real* r,
                           const real* gamma, real* a, real* lambda, cd_where* where)
{
    last_work* w = work;
    w->where     = where;
    solve_lent(m, k, rows, w, r, gamma, a, lambda);
    const double free = fmax(w->free, cd_free_acceleration(m, r)); // of light bodies that are held, that of others
    if (cd_remainder_known(m, &w->rest, k) &&
        (w->loan.any || w->cuts.N.weakest < cd_remainder_weak || !cd_rows_hold(rows, a, gamma, free)))
        cd_remainder_refine(m, k, rows, &w->rest, solve_lent, w, gamma, free, a, lambda);
    w->rest.effort = NULL;
    return cd_check_rows(rows, a, gamma, free, cd_skyline_largest(&w->cuts.N, lambda), where);
}

static void split(const cardan_model* m, const cd_kinematics* k, void* work, const real* effort, const spatial* wrench)
{
    (void)m, (void)k;
    cd_remainder_split(&((last_work*)work)->rest, effort, wrench);
}

static cd_strength strength(const cardan_model* m, const cd_rows* rows, const void* work)
{
    (void)m, (void)rows;
    const last_work* w = work;
    return (cd_strength){.least = w->cuts.N.weakest, .row = w->cuts.N.weakest_row, .null = w->cuts.N.null};
}

const cd_formulation cd_augmented_last = {
    .name      = "augmented-last",
    .summary   = "joint coordinates with multipliers, all rows after the tree, step by step as in the paper",
    .reference = "Negrut, Serban, Potra 1997, section 4.3 (Alg-S)",
    .supports  = CD_TREE | CD_LOOPS | CD_REDUNDANT | CD_WAYS | CD_BASELINE,
    .tree      = CARDAN_TREE_SHALLOW,
    .work_size = sizeof(last_work),
    .appetite  = appetite,
    .analyse   = analyse,
    .release   = release,
    .share     = share,
    .layout    = layout,
    .assemble  = assemble,
    .factor    = factor,
    .solve     = solve,
    .split     = split,
    .strength  = strength,
};
