// SPDX-License-Identifier: BSD-3-Clause
// Joint coordinates with multipliers: the mass matrix factored along the tree without fill-in, and the constraint rows
// with it.
//
//   [ M  J' ] [ a      ]   [ r     ]      M by composite bodies: M(v, u) is not zero only for u on the way of v to the root
//   [ J  0  ] [ lambda ] = [ gamma ]
//
// as one LDL' of small blocks, one per link and one per constraint, by two eliminations:
//
//   paper's   all links, then all rows.  L T = J',  N = T' D^-1 T,  N lambda = T'z - gamma,  L'a = z - T lambda
//   better    the rows of a loop as soon as the links between its ends are gone, before their common ancestor
//
// and the cheaper one by counting. A link that several loops share, like a steering rack, may wait until their rows are
// gone; should these have lost their rank then, the safe order is taken at that pose. Paper 002 (Negrut, Serban,
// Potra), section 4.3; docs/theory/augmented.md.
#include "formulation/block_ldl.h"
#include "formulation/block_strength.h"
#include "formulation/loan.h"
#include "formulation/row_check.h"
#include "formulation/row_order.h"
#include "formulation/row_rank.h"
#include "formulation/tree_mass.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double null_pivot = 1e-10, null_motion = 1e-13, digits_lost = 1e-9;
enum { MOST_LATE = 64 }; // links tried one by one whether they should wait
enum { DEEP = 48 };

// One elimination.
typedef struct elimination {
    cd_block_ldl F;
    size_t*      mass_to; // (entries of M) where an entry goes
    size_t*      rows_to; // (entries of J)
} elimination;

typedef struct augmented_work {
    cd_tree_matrix     M;
    elimination        usual, safe; // safe: only where the usual one lets a link wait
    bool               bold;        // the usual one does
    bool*              hasty;       // (nrow) rows that do not wait for all links they feel, and those that go meanwhile
    signed char*       sign;        // (nblock)
    const elimination* used;        // by the last factorization
    real*              x;           // (nscalar)
    cd_threads*        threads;     // NULL: one
    bool               deep;        // so many links hang from each other, or so far away, that digits are lost
    double             lightest;    // largest inertia behind a velocity beside its pivot
    cd_remainder       rest;        // then
    cd_loan            loan;
    cd_row_rank        rank;
} augmented_work;

// ---- symbolic

// The block of a velocity is that of its link.
static int block_of(const cardan_model* m, int v) { return m->v_link[v]; }

// Links meet all their ancestors, constraints the links they feel.
static bool collect_edges(const cardan_model* m, const cd_rows* rows, cd_block_edges* e)
{
    for (int i = 0; i < m->nlink; ++i)
        for (int p = m->link[i].parent; p >= 0; p = m->link[p].parent)
            if (!cd_block_meet(e, i, p)) return false;
    for (int c = 0; c < rows->nblock; ++c)
        for (int j = 0, last = -1; j < rows->block[c].nv; ++j) {
            const int link = block_of(m, rows->block[c].v[j]);
            if (link != last && !cd_block_meet(e, m->nlink + c, link)) return false;
            last = link;
        }
    return true;
}

// Links without children that several constraints feel.
static int find_shared(const cardan_model* m, const cd_rows* rows, int* feelers, int shared[MOST_LATE])
{
    int count = 0;
    for (int c = 0; c < rows->nblock; ++c)
        for (int j = 0, last = -1; j < rows->block[c].nv; ++j) {
            const int link = block_of(m, rows->block[c].v[j]);
            feelers[link] += link != last;
            last = link;
        }
    for (int i = 0; i < m->nlink; ++i)
        if (m->link[i].parent >= 0) feelers[m->link[i].parent] = 0;
    for (int i = 0; i < m->nlink && count < MOST_LATE; ++i)
        if (feelers[i] > 1) shared[count++] = i;
    return count;
}

typedef struct choice {
    int*   order;
    bool*  late;
    double cost;
    bool   bold;
} choice;

static double cost_of(const cd_block_pattern* p, const int* order)
{
    cd_block_cost cost;
    return cd_block_cost_of(p, order, 1e300, &cost) ? cost.multiplications : -1;
}

// The cheapest elimination: rows last, rows early, and shared links one by one made to wait.
static bool choose(const cardan_model* m, const cd_rows* rows, const cd_block_pattern* p, choice* best, int* trial,
                   int* feelers)
{
    int       shared[MOST_LATE];
    const int nshared = find_shared(m, rows, feelers, shared);
    cd_order_rows_last(m, rows, best->order);
    best->cost = cost_of(p, best->order);
    if (rows->nrow == 0) return best->cost >= 0;
    for (int i = -1; i < nshared; ++i) {
        if (i >= 0) best->late[shared[i]] = true;
        if (!cd_order_rows_early(m, rows, best->late, trial)) return false;
        const double cost = cost_of(p, trial);
        if (cost < 0 || best->cost < 0) return false;
        if (cost < best->cost) {
            best->cost = cost;
            best->bold |= i >= 0;
            memcpy(best->order, trial, (size_t)p->nblock * sizeof *trial);
        } else if (i >= 0) {
            best->late[shared[i]] = false;
        }
    }
    return best->cost >= 0;
}

// Rows that go while a link they feel is still there; and rows after them, as long as it is: they lean on what the
// hasty ones have left over.
static void mark_hasty(const cardan_model* m, const cd_rows* rows, const bool* late, const cd_block_ldl* F, bool* hasty)
{
    for (int c = 0; c < rows->nblock; ++c) {
        int until = -1;
        for (int j = 0; j < rows->block[c].nv; ++j) {
            const int link = block_of(m, rows->block[c].v[j]);
            if (late[link] && F->position[link] > until) until = F->position[link];
        }
        for (int k = F->position[m->nlink + c]; k < until; k = F->below[F->column[k].entry].row) {
            const int other = F->column[k].block - m->nlink;
            for (int i = 0; other >= 0 && i < rows->block[other].nrow; ++i) hasty[rows->block[other].row + i] = true;
        }
    }
}

static bool prepare(const cardan_model* m, const cd_rows* rows, const cd_block_pattern* p, augmented_work* w)
{
    choice best    = {.order = cd_allocate((size_t)p->nblock, sizeof(int)),
                      .late  = cd_allocate((size_t)m->nlink, sizeof(bool))};
    int*   trial   = cd_allocate((size_t)p->nblock, sizeof(int));
    int*   feelers = cd_allocate((size_t)m->nlink, sizeof(int));
    bool   good    = best.order && best.late && trial && feelers && choose(m, rows, p, &best, trial, feelers);
    good           = good && cd_block_analyse(&w->usual.F, p, best.order);
    w->bold        = best.bold;
    if (good && w->bold) {
        mark_hasty(m, rows, best.late, &w->usual.F, w->hasty);
        memset(best.late, 0, (size_t)m->nlink * sizeof *best.late);
        good = cd_order_rows_early(m, rows, best.late, trial) && cd_block_analyse(&w->safe.F, p, trial);
    }
    free(best.order), free(best.late), free(trial), free(feelers);
    return good;
}

static cardan_status analyse(const cardan_model* m, const cd_rows* rows, void* work, cardan_report* report)
{
    augmented_work* w    = work;
    const int       n    = m->nlink + rows->nblock;
    int*            size = cd_allocate((size_t)n, sizeof *size);
    cd_block_edges  e    = {0};
    w->sign              = cd_allocate((size_t)n, sizeof *w->sign);
    w->hasty             = cd_allocate((size_t)rows->nrow, sizeof *w->hasty);
    bool good            = size && w->sign && w->hasty && collect_edges(m, rows, &e);
    for (int i = 0; good && i < n; ++i) {
        size[i]    = i < m->nlink ? m->link[i].nv : rows->block[i - m->nlink].nrow;
        w->sign[i] = i < m->nlink ? 1 : -1;
    }
    const cd_block_pattern pattern = {n, size, e.count, (const int(*)[2])e.list};
    good                           = good && prepare(m, rows, &pattern, w);
    free(size), free(e.list);
    return good ? CARDAN_OK
                : cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_nowhere(),
                              "no memory to order the equations of '%s'", m->view.name);
}

static void release(void* work)
{
    augmented_work* w = work;
    cd_block_release(&w->usual.F);
    cd_block_release(&w->safe.F);
    free(w->sign), free(w->hasty);
}

// Where the entry of rows i of block a and j of block b stands.
static size_t entry_at(const cd_block_ldl* F, int a, int b, int i, int j)
{
    const cd_block_place place = cd_block_find(F, a, b);
    return (size_t)(place.at + i * place.down + j * place.right);
}

static void lay_elimination(const cardan_model* m, const cd_rows* rows, const cd_tree_matrix* M, cd_arena* arena,
                            elimination* e)
{
    size_t nrows = 0, n = 0;
    for (int c = 0; c < rows->nblock; ++c) nrows += (size_t)(rows->block[c].nrow * rows->block[c].nv);
    cd_block_layout(&e->F, arena);
    CD_TAKE(arena, e->mass_to, cd_tree_mass_entries(m));
    CD_TAKE(arena, e->rows_to, nrows);
    if (!e->rows_to && !e->mass_to) return;
    for (int v = 0; v < m->nv; ++v)
        for (int s = M->start[v]; s < M->start[v] + m->v_depth[v]; ++s) {
            const int a = block_of(m, M->column[s]), b = block_of(m, v);
            e->mass_to[s] = entry_at(&e->F, b, a, v - m->link[b].v, M->column[s] - m->link[a].v);
        }
    for (int c = 0; c < rows->nblock; ++c) {
        const cd_row_block* b = &rows->block[c];
        for (int i = 0; i < b->nrow; ++i)
            for (int j = 0; j < b->nv; ++j) {
                const int link  = block_of(m, b->v[j]);
                e->rows_to[n++] = entry_at(&e->F, m->nlink + c, link, i, b->v[j] - m->link[link].v);
            }
    }
}

static double appetite(const cardan_model* m, const cd_rows* rows) { return (void)rows, cd_tree_mass_entries(m); }

static bool is_deep(const cardan_model* m)
{
    for (int i = m->nlink - 1; i >= 0; --i) {
        int depth = 0;
        for (int p = i; p >= 0 && depth < DEEP; p = m->link[p].parent) ++depth;
        if (depth == DEEP) return true;
    }
    return false;
}

// Inertias that are differences of far larger ones, as that of a point mass a micrometre beside its pin.
static bool loses_digits(const cardan_model* m)
{
    bool any = false;
    for (int v = 0; v < m->nv; ++v) any |= m->lost[v] > digits_lost * m->resistance[v];
    return any;
}

static void layout(const cardan_model* m, const cd_rows* rows, cd_arena* arena, void* work)
{
    augmented_work* w = work;
    cd_tree_mass_layout(m, arena, &w->M);
    lay_elimination(m, rows, &w->M, arena, &w->usual);
    if (w->bold) lay_elimination(m, rows, &w->M, arena, &w->safe);
    CD_TAKE(arena, w->x, m->nv + rows->nrow);
    cd_remainder_layout(m, rows, arena, &w->rest);
    cd_loan_layout(m, rows, arena, &w->loan);
    cd_row_rank_layout(&w->rank, m, rows, arena);
    w->deep = rows->nrow > 0 && (is_deep(m) || loses_digits(m));
}

// ---- numeric

static cardan_status assemble(const cardan_model* m, cd_kinematics* k, const cd_rows* rows, void* work)
{
    (void)rows;
    augmented_work* w = work;
    cd_reference_poses(m, k);
    cd_tree_mass(m, k, &w->M);
    return CARDAN_OK;
}

// Returns the block row of a pivot that is not what it should be, or -1.
static int eliminate(const cardan_model* m, const cd_rows* rows, augmented_work* w, elimination* e)
{
    const size_t nmass = (size_t)cd_tree_mass_entries(m);
    size_t       n     = 0;
    cd_block_clear(&e->F);
    for (size_t s = 0; s < nmass; ++s) e->F.value[e->mass_to[s]] = w->M.entry[s];
    for (int v = 0; w->loan.any && v < m->nv; ++v) {
        real* entry = &e->F.value[e->mass_to[w->M.start[v]]];
        if (w->loan.lent[v] > 0) *entry = r_add(*entry, r_lift(w->loan.lent[v]));
    }
    for (int c = 0; c < rows->nblock; ++c) {
        const cd_row_block* b = &rows->block[c];
        for (int i = 0; i < b->nrow * b->nv; ++i) e->F.value[e->rows_to[n++]] = b->J[i];
        for (int i = 0; rows->compliance && i < b->nrow; ++i) {
            const int block                                 = m->nlink + c;
            e->F.value[entry_at(&e->F, block, block, i, i)] = r_lift(-rows->compliance[b->row + i]);
        }
    }
    w->used = e;
    return cd_block_factor(&e->F, w->sign, cd_null_pivots(rows, null_pivot), w->threads);
}

// The first velocity whose pivot is no resistance but rounding, or CARDAN_NONE; and how light the lightest is.
static int unresisted(const cardan_model* m, augmented_work* w)
{
    w->lightest = 0;
    for (int v = 0; v < m->nv; ++v) {
        const int    s        = w->M.start[v];
        const double measure  = fmax(r_value(w->M.entry[s]), m->resistance[v]);
        const double inverted = r_value(cd_block_inverse(&w->used->F, m->v_link[v], v - m->link[m->v_link[v]].v));
        if (!(fmax(null_motion * measure, m->lost[v]) * inverted < 1)) return v;
        w->lightest = fmax(w->lightest, measure * inverted);
    }
    return CARDAN_NONE;
}

// A row that did not wait for all its links found nothing to lean on.
static bool too_hasty(const cardan_model* m, const cd_rows* rows, const augmented_work* w, int bad)
{
    if (!w->bold) return false;
    if (bad >= m->nv) return true;
    for (int i = 0; i < rows->nrow; ++i)
        if (w->hasty[i] && w->usual.F.null[m->nv + i]) return true;
    return false;
}

// The velocity whose pivot ended an elimination, or is no resistance; or CARDAN_NONE.
static int without_pivot(const cardan_model* m, augmented_work* w, int bad)
{
    if (bad < 0) return unresisted(m, w);
    for (int i = 0; i < m->nlink; ++i)
        if (bad >= w->used->F.scalar[i] && bad < w->used->F.scalar[i] + m->link[i].nv)
            return m->link[i].v + bad - w->used->F.scalar[i];
    return CARDAN_NONE;
}

static void solve_once(const cardan_model* m, const cd_kinematics* k, const cd_rows* rows, void* work, const real* r,
                       const real* gamma, real* a, real* lambda)
{
    (void)k;
    augmented_work*     w = work;
    const cd_block_ldl* F = &w->used->F;
    for (int v = 0; v < m->nv; ++v) w->x[F->scalar[m->v_link[v]] + v - m->link[m->v_link[v]].v] = r[v];
    for (int i = 0; i < rows->nrow; ++i) w->x[m->nv + i] = gamma[i];
    cd_block_solve(F, w->x, w->threads);
    for (int v = 0; v < m->nv; ++v) a[v] = w->x[F->scalar[m->v_link[v]] + v - m->link[m->v_link[v]].v];
    for (int i = 0; i < rows->nrow; ++i) lambda[i] = w->x[m->nv + i];
}

// What each row sees of its own force, by the links that were gone before it.
static double forced(const cardan_model* m, const cd_rows* rows, const augmented_work* w, const real* lambda)
{
    double largest = 0;
    for (int i = 0; i < rows->nrow; ++i)
        largest = fmax(largest, w->used->F.taken[m->nv + i] * fabs(r_value(lambda[i])));
    return largest;
}

// Where pivots did not tell which rows repeat others, geometry does.
static bool rule(const cardan_model* m, const cd_rows* rows, augmented_work* w, bool wanted)
{
    const bool ruled = wanted && cd_row_rank_rule(&w->rank, m, rows);
    w->usual.F.ruled = w->safe.F.ruled = ruled ? w->rank.null : NULL;
    return ruled;
}

// Rows that were ruled to be rows wait for all their links.
static int eliminate_safely(const cardan_model* m, const cd_rows* rows, augmented_work* w)
{
    if (w->bold && w->usual.F.ruled) return eliminate(m, rows, w, &w->safe);
    const int bad = eliminate(m, rows, w, &w->usual);
    return too_hasty(m, rows, w, bad) ? eliminate(m, rows, w, &w->safe) : bad;
}

static cardan_status factor(const cardan_model* m, cd_kinematics* k, const cd_rows* rows, void* work, cd_where* where)
{
    augmented_work* w = work;
    if (rule(m, rows, w, rows->sharp > 0) && !cd_row_rank_settles(&w->rank, m, rows)) return CARDAN_INCONSISTENT;
    do {
        int bad = eliminate_safely(m, rows, w);
        if (bad >= m->nv && !w->usual.F.ruled && rule(m, rows, w, true)) bad = eliminate_safely(m, rows, w);
        where->row = bad >= m->nv ? bad - m->nv : CARDAN_NONE;
        where->v   = without_pivot(m, w, bad);
        if (bad >= m->nv) return CARDAN_SINGULAR;
    } while (cd_loan_take(m, rows, &w->loan, where->v));
    if (where->v == CARDAN_NONE) where->v = cd_loan_undetermined(m, k, rows, &w->loan, solve_once, w, w->loan.before);
    return where->v == CARDAN_NONE ? CARDAN_OK : CARDAN_SINGULAR;
}

static void solve_lent(const cardan_model* m, const cd_kinematics* k, const cd_rows* rows, void* work, const real* r,
                       const real* gamma, real* a, real* lambda)
{
    augmented_work* w = work;
    cd_loan_solve(m, k, rows, &w->loan, solve_once, w, r, gamma, a, lambda);
}

static bool is_doubtful(const cardan_model* m, const cd_rows* rows, const augmented_work* w, const real* gamma,
                        const real* a, double free)
{
    return w->deep || w->loan.any || w->lightest * cd_remainder_weak > 1 ||
           cd_block_strength(&w->used->F, m->nlink, rows).least < cd_remainder_weak ||
           !cd_rows_hold(rows, a, gamma, free);
}

static cardan_status solve(const cardan_model* m, cd_kinematics* k, const cd_rows* rows, void* work, const real* r,
                           const real* gamma, real* a, real* lambda, cd_where* where)
{
    augmented_work* w    = work;
    const double    free = cd_free_acceleration(m, r);
    solve_lent(m, k, rows, w, r, gamma, a, lambda);
    if (rows->nrow > 0 && cd_remainder_known(m, &w->rest, k) && is_doubtful(m, rows, w, gamma, a, free))
        cd_remainder_refine(m, k, rows, &w->rest, solve_lent, w, gamma, free, a, lambda);
    w->rest.effort = NULL;
    return cd_check_rows(rows, a, gamma, free, forced(m, rows, w, lambda), where);
}

static void split(const cardan_model* m, const cd_kinematics* k, void* work, const real* effort, const spatial* wrench)
{
    (void)m, (void)k;
    cd_remainder_split(&((augmented_work*)work)->rest, effort, wrench);
}

static void share(void* work, cd_threads* threads) { ((augmented_work*)work)->threads = threads; }

static cd_strength strength(const cardan_model* m, const cd_rows* rows, const void* work)
{
    const augmented_work* w    = work;
    cd_strength           here = cd_block_strength(&w->used->F, m->nlink, rows);
    here.lent                  = w->loan.any;
    return here;
}

const cd_formulation cd_augmented = {
    .name      = "augmented",
    .summary   = "joint coordinates with multipliers, no-fill factor along the tree, rows of a loop before its root",
    .reference = "Negrut, Serban, Potra 1997",
    .supports  = CD_TREE | CD_LOOPS | CD_REDUNDANT | CD_WAYS | CD_RULES,
    .tree      = CARDAN_TREE_SHALLOW,
    .pace      = {0, 0.34},
    .work_size = sizeof(augmented_work),
    .appetite  = appetite,
    .analyse   = analyse,
    .release   = release,
    .layout    = layout,
    .assemble  = assemble,
    .factor    = factor,
    .solve     = solve,
    .split     = split,
    .share     = share,
    .strength  = strength,
};
