// SPDX-License-Identifier: BSD-3-Clause
// Joint coordinates with multipliers. The mass matrix is factored along the tree without fill-in, together with the
// constraint rows.
//
//   [ M  J' ] [ a      ]   [ r     ]      M by composite bodies: M(v, u) != 0 only for u on the path from v to the root
//   [ J  0  ] [ lambda ] = [ gamma ]
//
// is factored as one LDL' of small blocks, one per link and one per constraint, in one of two orders:
//
//   rows last    all links, then all rows (paper):  L T = J',  N = T' D^-1 T,  N lambda = T'z - gamma,
//                L'a = z - T lambda
//   rows early   the rows of a loop after the links between its ends and before their common ancestor
//
// The analysis selects the order with fewer operations. A link that several loops share, such as a steering rack, may
// be delayed until after their rows; if these rows are rank-deficient at a configuration, the safe order without
// delayed links is used there. Paper 002 (Negrut, Serban, Potra), section 4.3; docs/theory/augmented.md.
#include "math/block_ldl/block_ldl.h"
#include "formulation/formulation_tolerances.h"
#include "formulation/safeguards/block_conditioning.h"
#include "formulation/safeguards/proximal_inertia.h"
#include "formulation/safeguards/consistency_check.h"
#include "formulation/augmented/elimination_order.h"
#include "formulation/safeguards/geometric_rank.h"
#include "formulation/tree/tree_mass.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DELAYED_LINKS = 64 }; // shared links that are tried one by one as delayed links
// Depth of the tree from which solutions are refined.
enum { DEEP_TREE_LINKS = 48 };

// One elimination order with its factor.
typedef struct block_elimination {
    cd_block_ldl F;
    size_t*      mass_target;     // (entries of M) offset of each entry in F.value
    size_t*      jacobian_target; // (entries of J) the same
} block_elimination;

typedef struct augmented_work {
    cd_tree_matrix           M;
    block_elimination        usual, safe; // safe: used only if the usual order delays a link
    bool                     reordered;   // the usual order delays a link
    bool*                    early_rows;  // (nrow) rows before a link they act on, and rows between these and that link
    signed char*             sign;        // (nblock) expected sign of the pivots
    const block_elimination* current;     // of the last factorization
    real*                    x;           // (nscalar)
    cd_threads*              threads;     // NULL: one thread
    bool                     needs_refinement; // deep tree or cancelled inertias: digits are lost
    double                   max_growth;       // largest ratio of inertia scale to pivot of a velocity
    cd_refinement            refinement;
    cd_proximal              proximal;
    cd_geometric_rank        rank;
} augmented_work;

// ---- symbolic

// Return the block of a velocity, which is that of its link.
static int block_of(const cardan_model* m, int v) { return m->v_link[v]; }

// Collect the edges of the block graph: links with all their ancestors, constraints with the links they act on.
static bool collect_edges(const cardan_model* m, const cd_rows* rows, cd_block_edge_list* e)
{
    for (int i = 0; i < m->nlink; ++i)
        for (int p = m->link[i].parent; p >= 0; p = m->link[p].parent)
            if (!cd_block_add_edge(e, i, p)) return false;
    for (int c = 0; c < rows->nblock; ++c)
        for (int j = 0, last = -1; j < rows->block[c].nv; ++j) {
            const int link = block_of(m, rows->block[c].v[j]);
            if (link != last && !cd_block_add_edge(e, m->nlink + c, link)) return false;
            last = link;
        }
    return true;
}

// Find links without children on which several constraints act.
static int find_shared_links(const cardan_model* m, const cd_rows* rows, int* nconstraint_of_link,
                             int shared[MAX_DELAYED_LINKS])
{
    int count = 0;
    for (int c = 0; c < rows->nblock; ++c)
        for (int j = 0, last = -1; j < rows->block[c].nv; ++j) {
            const int link = block_of(m, rows->block[c].v[j]);
            nconstraint_of_link[link] += link != last;
            last = link;
        }
    for (int i = 0; i < m->nlink; ++i)
        if (m->link[i].parent >= 0) nconstraint_of_link[m->link[i].parent] = 0;
    for (int i = 0; i < m->nlink && count < MAX_DELAYED_LINKS; ++i)
        if (nconstraint_of_link[i] > 1) shared[count++] = i;
    return count;
}

typedef struct order_choice {
    int*   order;
    bool*  delayed;
    double cost;
    bool   reordered;
} order_choice;

static double operation_count(const cd_block_pattern* p, const int* order)
{
    cd_block_cost cost;
    return cd_block_cost_compute(p, order, 1e300, &cost) ? cost.multiplications : -1;
}

// Choose the cheapest order: rows last, rows early, and rows early with shared links delayed one by one.
static bool choose_order(const cardan_model* m, const cd_rows* rows, const cd_block_pattern* p, order_choice* best,
                         int* trial, int* nconstraint_of_link)
{
    int       shared[MAX_DELAYED_LINKS];
    const int nshared = find_shared_links(m, rows, nconstraint_of_link, shared);
    cd_order_rows_last(m, rows, best->order);
    best->cost = operation_count(p, best->order);
    if (rows->nrow == 0) return best->cost >= 0;
    for (int i = -1; i < nshared; ++i) {
        if (i >= 0) best->delayed[shared[i]] = true;
        if (!cd_order_rows_early(m, rows, best->delayed, trial)) return false;
        const double cost = operation_count(p, trial);
        if (cost < 0 || best->cost < 0) return false;
        if (cost < best->cost) {
            best->cost = cost;
            best->reordered |= i >= 0;
            memcpy(best->order, trial, (size_t)p->nblock * sizeof *trial);
        } else if (i >= 0) {
            best->delayed[shared[i]] = false;
        }
    }
    return best->cost >= 0;
}

// Mark rows that are eliminated while a link they act on remains, and the rows between them and that link in the
// elimination tree, because their pivots depend on those of the early rows.
static void mark_early_rows(const cardan_model* m, const cd_rows* rows, const bool* delayed, const cd_block_ldl* F,
                            bool* is_early)
{
    for (int c = 0; c < rows->nblock; ++c) {
        int until = -1;
        for (int j = 0; j < rows->block[c].nv; ++j) {
            const int link = block_of(m, rows->block[c].v[j]);
            if (delayed[link] && F->position[link] > until) until = F->position[link];
        }
        for (int k = F->position[m->nlink + c]; k < until; k = F->entry[F->column[k].first_entry].row) {
            const int other = F->column[k].block - m->nlink;
            for (int i = 0; other >= 0 && i < rows->block[other].nrow; ++i) is_early[rows->block[other].row + i] = true;
        }
    }
}

static bool analyse_orders(const cardan_model* m, const cd_rows* rows, const cd_block_pattern* p, augmented_work* w)
{
    order_choice best                = {.order   = cd_allocate((size_t)p->nblock, sizeof(int)),
                                        .delayed = cd_allocate((size_t)m->nlink, sizeof(bool))};
    int*         trial               = cd_allocate((size_t)p->nblock, sizeof(int));
    int*         nconstraint_of_link = cd_allocate((size_t)m->nlink, sizeof(int));
    bool         good                = best.order && best.delayed && trial && nconstraint_of_link &&
                choose_order(m, rows, p, &best, trial, nconstraint_of_link);
    good         = good && cd_block_analyse(&w->usual.F, p, best.order);
    w->reordered = best.reordered;
    if (good && w->reordered) {
        mark_early_rows(m, rows, best.delayed, &w->usual.F, w->early_rows);
        memset(best.delayed, 0, (size_t)m->nlink * sizeof *best.delayed);
        good = cd_order_rows_early(m, rows, best.delayed, trial) && cd_block_analyse(&w->safe.F, p, trial);
    }
    free(best.order), free(best.delayed), free(trial), free(nconstraint_of_link);
    return good;
}

static cardan_status analyse(const cardan_model* m, const cd_rows* rows, void* work, cardan_report* report)
{
    augmented_work*    w    = work;
    const int          n    = m->nlink + rows->nblock;
    int*               size = cd_allocate((size_t)n, sizeof *size);
    cd_block_edge_list e    = {0};
    w->sign                 = cd_allocate((size_t)n, sizeof *w->sign);
    w->early_rows           = cd_allocate((size_t)rows->nrow, sizeof *w->early_rows);
    bool good               = size && w->sign && w->early_rows && collect_edges(m, rows, &e);
    for (int i = 0; good && i < n; ++i) {
        size[i]    = i < m->nlink ? m->link[i].nv : rows->block[i - m->nlink].nrow;
        w->sign[i] = i < m->nlink ? 1 : -1;
    }
    const cd_block_pattern pattern = {n, size, e.count, (const int(*)[2])e.edge};
    good                           = good && analyse_orders(m, rows, &pattern, w);
    free(size), free(e.edge);
    return good ? CARDAN_OK
                : cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_location_none(),
                              "out of memory while ordering the equations of '%s'", m->view.name);
}

static void release(void* work)
{
    augmented_work* w = work;
    cd_block_release(&w->usual.F);
    cd_block_release(&w->safe.F);
    free(w->sign), free(w->early_rows);
}

// Return the offset of the entry in row i of block a and row j of block b.
static size_t entry_offset(const cd_block_ldl* F, int a, int b, int i, int j)
{
    const cd_block_address address = cd_block_find(F, a, b);
    return (size_t)(address.offset + i * address.row_stride + j * address.column_stride);
}

static void layout_elimination(const cardan_model* m, const cd_rows* rows, const cd_tree_matrix* M, cd_arena* arena,
                               block_elimination* e)
{
    size_t nrows = 0, n = 0;
    for (int c = 0; c < rows->nblock; ++c) nrows += (size_t)(rows->block[c].nrow * rows->block[c].nv);
    cd_block_layout(&e->F, arena);
    CD_ARENA_ARRAY(arena, e->mass_target, cd_tree_mass_entries(m));
    CD_ARENA_ARRAY(arena, e->jacobian_target, nrows);
    if (!e->jacobian_target && !e->mass_target) return;
    for (int v = 0; v < m->nv; ++v)
        for (int s = M->start[v]; s < M->start[v] + m->v_depth[v]; ++s) {
            const int a = block_of(m, M->column[s]), b = block_of(m, v);
            e->mass_target[s] = entry_offset(&e->F, b, a, v - m->link[b].v, M->column[s] - m->link[a].v);
        }
    for (int c = 0; c < rows->nblock; ++c) {
        const cd_row_block* b = &rows->block[c];
        for (int i = 0; i < b->nrow; ++i)
            for (int j = 0; j < b->nv; ++j) {
                const int link          = block_of(m, b->v[j]);
                e->jacobian_target[n++] = entry_offset(&e->F, m->nlink + c, link, i, b->v[j] - m->link[link].v);
            }
    }
}

static double memory_estimate(const cardan_model* m, const cd_rows* rows)
{
    return (void)rows, cd_tree_mass_entries(m);
}

static bool has_deep_branch(const cardan_model* m)
{
    for (int i = m->nlink - 1; i >= 0; --i) {
        int depth = 0;
        for (int p = i; p >= 0 && depth < DEEP_TREE_LINKS; p = m->link[p].parent) ++depth;
        if (depth == DEEP_TREE_LINKS) return true;
    }
    return false;
}

// Return whether some inertia is a difference of far larger ones, as that of a point mass a micrometre from its pin.
static bool has_cancelled_inertia(const cardan_model* m)
{
    bool any = false;
    for (int v = 0; v < m->nv; ++v) any |= m->inertia_roundoff[v] > cd_cancelled_inertia_ratio * m->inertia_scale[v];
    return any;
}

static void layout(const cardan_model* m, const cd_rows* rows, cd_arena* arena, void* work)
{
    augmented_work* w = work;
    cd_tree_mass_layout(m, arena, &w->M);
    layout_elimination(m, rows, &w->M, arena, &w->usual);
    if (w->reordered) layout_elimination(m, rows, &w->M, arena, &w->safe);
    CD_ARENA_ARRAY(arena, w->x, m->nv + rows->nrow);
    cd_refinement_layout(m, rows, arena, &w->refinement);
    cd_proximal_layout(m, rows, arena, &w->proximal);
    cd_geometric_rank_layout(&w->rank, m, rows, arena);
    w->needs_refinement = rows->nrow > 0 && (has_deep_branch(m) || has_cancelled_inertia(m));
}

// ---- numeric

static void assemble(const cd_problem* p, void* work)
{
    augmented_work* w = work;
    cd_root_frame_poses(p->m, p->k);
    cd_tree_mass(p->m, p->k, &w->M);
}

// Factor with elimination e. Returns the scalar index of a pivot with the wrong sign, or -1.
static int eliminate(const cd_problem* p, augmented_work* w, block_elimination* e)
{
    const cardan_model* m     = p->m;
    const cd_rows*      rows  = p->rows;
    const size_t        nmass = (size_t)cd_tree_mass_entries(m);
    size_t              n     = 0;
    cd_block_clear(&e->F);
    for (size_t s = 0; s < nmass; ++s) e->F.value[e->mass_target[s]] = w->M.entry[s];
    for (int v = 0; w->proximal.is_active && v < m->nv; ++v) {
        real* entry = &e->F.value[e->mass_target[w->M.start[v]]];
        if (w->proximal.added_inertia[v] > 0) *entry = r_add(*entry, r_const(w->proximal.added_inertia[v]));
    }
    for (int c = 0; c < rows->nblock; ++c) {
        const cd_row_block* b = &rows->block[c];
        for (int i = 0; i < b->nrow * b->nv; ++i) e->F.value[e->jacobian_target[n++]] = b->J[i];
        for (int i = 0; rows->compliance && i < b->nrow; ++i) {
            const int block                                     = m->nlink + c;
            e->F.value[entry_offset(&e->F, block, block, i, i)] = r_const(-rows->compliance[b->row + i]);
        }
    }
    w->current = e;
    return cd_block_factor(&e->F, w->sign, cd_pivot_test_of(p->policy, cd_null_row_pivot_sq), w->threads);
}

// Return the first velocity whose pivot is round-off, or CARDAN_NONE. Sets the largest pivot growth.
static int find_massless_velocity(const cardan_model* m, augmented_work* w)
{
    w->max_growth = 0;
    for (int v = 0; v < m->nv; ++v) {
        const int    s             = w->M.start[v];
        const double inertia_scale = fmax(r_value(w->M.entry[s]), m->inertia_scale[v]);
        const double inverse_pivot =
            r_value(cd_block_inverse_pivot(&w->current->F, m->v_link[v], v - m->link[m->v_link[v]].v));
        if (!(fmax(cd_massless_pivot * inertia_scale, m->inertia_roundoff[v]) * inverse_pivot < 1)) return v;
        w->max_growth = fmax(w->max_growth, inertia_scale * inverse_pivot);
    }
    return CARDAN_NONE;
}

// Return whether a row that was eliminated before all its links has no valid pivot.
static bool early_rows_failed(const cardan_model* m, const cd_rows* rows, const augmented_work* w, int bad)
{
    if (!w->reordered) return false;
    if (bad >= m->nv) return true;
    for (int i = 0; i < rows->nrow; ++i)
        if (w->early_rows[i] && w->usual.F.is_null[m->nv + i]) return true;
    return false;
}

// Return the velocity whose pivot is missing or is round-off, or CARDAN_NONE.
static int find_velocity_without_pivot(const cardan_model* m, augmented_work* w, int bad)
{
    if (bad < 0) return find_massless_velocity(m, w);
    for (int i = 0; i < m->nlink; ++i)
        if (bad >= w->current->F.scalar[i] && bad < w->current->F.scalar[i] + m->link[i].nv)
            return m->link[i].v + bad - w->current->F.scalar[i];
    return CARDAN_NONE;
}

static void solve_with_factor(const cd_problem* p, void* work, const real* r, const real* gamma, real* a, real* lambda)
{
    const cardan_model* m    = p->m;
    const cd_rows*      rows = p->rows;
    augmented_work*     w    = work;
    const cd_block_ldl* F    = &w->current->F;
    for (int v = 0; v < m->nv; ++v) w->x[F->scalar[m->v_link[v]] + v - m->link[m->v_link[v]].v] = r[v];
    for (int i = 0; i < rows->nrow; ++i) w->x[m->nv + i] = gamma[i];
    cd_block_solve(F, w->x, w->threads);
    for (int v = 0; v < m->nv; ++v) a[v] = w->x[F->scalar[m->v_link[v]] + v - m->link[m->v_link[v]].v];
    for (int i = 0; i < rows->nrow; ++i) lambda[i] = w->x[m->nv + i];
}

// Return the largest part of J a that a row's own multiplier causes, through the links eliminated before it.
static double largest_own_force_term(const cardan_model* m, const cd_rows* rows, const augmented_work* w,
                                     const real* lambda)
{
    double largest = 0;
    for (int i = 0; i < rows->nrow; ++i)
        largest = fmax(largest, w->current->F.subtracted[m->nv + i] * fabs(r_value(lambda[i])));
    return largest;
}

// Take redundant rows from the geometric rank where pivots do not determine them.
static bool apply_geometric_rank(const cd_problem* p, augmented_work* w, bool is_requested)
{
    const bool has_rank    = is_requested && cd_geometric_rank_compute(&w->rank, p);
    w->usual.F.forced_null = w->safe.F.forced_null = has_rank ? w->rank.is_redundant : NULL;
    return has_rank;
}

// Eliminate in the usual order. With forced null pivots, or if early rows fail, use the safe order, in
// which rows wait for all their links.
static int eliminate_with_fallback(const cd_problem* p, augmented_work* w)
{
    if (w->reordered && w->usual.F.forced_null) return eliminate(p, w, &w->safe);
    const int bad = eliminate(p, w, &w->usual);
    return early_rows_failed(p->m, p->rows, w, bad) ? eliminate(p, w, &w->safe) : bad;
}

static void report_pivots(const cd_problem* p, const augmented_work* w, cd_solve_info* info)
{
    info->conditioning                    = cd_block_conditioning(&w->current->F, p->m->nlink, p->rows);
    info->conditioning.pivots_regularized = w->proximal.is_active;
}

static cardan_status factor_proximal(const cd_problem* p, augmented_work* w, cd_solve_info* info)
{
    const int nv = p->m->nv;
    do {
        int bad = eliminate_with_fallback(p, w);
        if (bad >= nv && !w->usual.F.forced_null && apply_geometric_rank(p, w, true))
            bad = eliminate_with_fallback(p, w);
        info->failed_row      = bad >= nv ? bad - nv : CARDAN_NONE;
        info->failed_velocity = find_velocity_without_pivot(p->m, w, bad);
        if (bad >= nv) return CARDAN_SINGULAR;
    } while (cd_proximal_add(p->m, p->rows, &w->proximal, info->failed_velocity));
    if (info->failed_velocity == CARDAN_NONE)
        info->failed_velocity =
            cd_proximal_find_undetermined(p, &w->proximal, solve_with_factor, w, w->proximal.previous);
    return info->failed_velocity == CARDAN_NONE ? CARDAN_OK : CARDAN_SINGULAR;
}

static cardan_status factor(const cd_problem* p, void* work, cd_solve_info* info)
{
    augmented_work* w = work;
    if (apply_geometric_rank(p, w, p->policy->rank == CD_RANK_BY_GEOMETRY) &&
        !cd_geometric_rank_is_decisive(&w->rank, p))
        return CARDAN_INCONSISTENT;
    const cardan_status status = factor_proximal(p, w, info);
    report_pivots(p, w, info);
    return status;
}

static void solve_proximal(const cd_problem* p, void* work, const real* r, const real* gamma, real* a, real* lambda)
{
    augmented_work* w = work;
    cd_proximal_solve(p, &w->proximal, solve_with_factor, w, r, gamma, a, lambda);
}

static bool should_refine(const cd_problem* p, const augmented_work* w, const cd_solve_info* info, const real* gamma,
                          const real* a, double free_acceleration)
{
    return w->needs_refinement || w->proximal.is_active || w->max_growth * cd_refine_below_pivot > 1 ||
           info->conditioning.min_pivot_rel < cd_refine_below_pivot ||
           !cd_rows_are_satisfied(p->rows, a, gamma, free_acceleration);
}

static cardan_status solve(const cd_problem* p, void* work, const cd_right_sides* rhs, const cd_solution* x,
                           cd_solve_info* info)
{
    augmented_work* w                 = work;
    const double    free_acceleration = cd_free_acceleration_scale(p->m, rhs->r);
    cd_refinement_begin(&w->refinement, rhs);
    report_pivots(p, w, info);
    solve_proximal(p, w, rhs->r, rhs->gamma, x->a, x->lambda);
    if (p->rows->nrow > 0 && cd_refinement_is_possible(p, &w->refinement) &&
        should_refine(p, w, info, rhs->gamma, x->a, free_acceleration))
        cd_refinement_iterate(p, &w->refinement, solve_proximal, w, rhs->gamma, free_acceleration, x);
    return cd_check_consistency(p, x->a, rhs->gamma, free_acceleration,
                                largest_own_force_term(p->m, p->rows, w, x->lambda), info);
}

static void set_threads(void* work, cd_threads* threads) { ((augmented_work*)work)->threads = threads; }

static void reset(const cardan_model* m, void* work)
{
    augmented_work* w = work;
    cd_proximal_reset(m, &w->proximal);
    cd_block_reset_pivots(&w->usual.F);
    if (w->reordered) cd_block_reset_pivots(&w->safe.F);
}

const cd_formulation cd_augmented = {
    .name = "augmented",
    .summary =
        "joint coordinates with multipliers, factor along the tree without fill-in, rows of a loop before its root",
    .citation   = "Negrut, Serban, Potra 1997",
    .properties = CD_SUPPORTS_TREES | CD_SUPPORTS_LOOPS | CD_SUPPORTS_REDUNDANT_ROWS | CD_NEEDS_JOINT_SPACE_JACOBIAN |
                  CD_GEOMETRIC_RANK | CD_REPORTS_PIVOTS,
    .tree_policy        = CARDAN_TREE_BREADTH_FIRST,
    .time_per_operation = {0, 0.34},
    .work_size          = sizeof(augmented_work),
    .memory_estimate    = memory_estimate,
    .analyse            = analyse,
    .release            = release,
    .layout             = layout,
    .reset              = reset,
    .assemble           = assemble,
    .factor             = factor,
    .solve              = solve,
    .set_threads        = set_threads,
};
