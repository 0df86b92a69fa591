// SPDX-License-Identifier: BSD-3-Clause
// Articulated bodies; loops by cut joints, whose multipliers follow from the response of the tree to unit forces at the
// cuts.
//
//   tree      M = (1 + H) D (1 + H)'                          articulated.c
//   cuts      T = (1 + H)^-1 J',   N = T' D^-1 T              T != 0 only on the paths from the ends of a cut to ground
//   forces    N lambda = T' D^-1 (1 + H)^-1 r - gamma
//   motion    (1 + H)' a = D^-1 ((1 + H)^-1 r - T lambda)
//
// The cost is linear in the tree, but each cut costs its path to ground, and cuts with a common path are coupled in N.
// Redundant rows have null pivots in N and get no multiplier. Where a pivot is small, iterative refinement follows
// (iterative_refinement.h). Paper 003, section 3.2.3 (explicit, order N); paper 004, section 2, equations 18 to 32
// (eta, zeta, lambda), with T in place of eta. docs/theory/order-n.md.
#include "formulation/formulation_tolerances.h"
#include "formulation/tree/articulated.h"
#include "formulation/augmented/cut_forces.h"
#include "formulation/safeguards/proximal_inertia.h"
#include "formulation/safeguards/consistency_check.h"

#include <stdlib.h>

typedef struct order_n_work {
    cd_articulated tree;
    cd_cuts        cuts;
    real*          u;                 // (nv)
    real*          z;                 // (nv)
    real*          path_rhs;          // (nv) one right side along the paths of a cut
    double         free_acceleration; // size of the row accelerations without lambda, in the last solve
    bool           has_light_motion;  // some pivot is small relative to its inertia scale
    cd_refinement  refinement;
    cd_proximal    proximal;
    bool           proximal_disabled; // proximal inertia is not used for velocities that have a pivot
    bool           has_deep_branch;   // tree without rows in which sums of wrenches along the branches lose digits
} order_n_work;

// ---- symbolic

// Depth up to which link wrenches may be summed: the sums lose digits with the square of the depth.
enum { MAX_SUMMED_LINKS = 100 };

static cardan_status find_depth(const cardan_model* m, order_n_work* w, cardan_report* report)
{
    int* depth = cd_allocate((size_t)m->nlink, sizeof *depth);
    if (!depth)
        return cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_location_none(),
                           "out of memory for the tree of '%s'", m->view.name);
    for (int i = 0; i < m->nlink; ++i) {
        const int parent = m->link[i].parent;
        depth[i]         = parent < 0 ? 1 : depth[parent] + 1;
        w->has_deep_branch |= depth[i] > MAX_SUMMED_LINKS;
    }
    free(depth);
    return CARDAN_OK;
}

static cardan_status analyse(const cardan_model* m, const cd_rows* rows, void* work, cardan_report* report)
{
    order_n_work* w = work;
    if (rows->nrow == 0) return find_depth(m, w, report);
    if (!cd_cuts_analyse(m, rows, &w->cuts))
        return cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_location_none(),
                           "out of memory for the loops of '%s'", m->view.name);
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
    CD_ARENA_ARRAY(arena, w->u, m->nv);
    if (rows->nrow == 0) return;
    cd_cuts_layout(&w->cuts, arena);
    CD_ARENA_ARRAY(arena, w->z, m->nv);
    CD_ARENA_ARRAY(arena, w->path_rhs, m->nv);
    cd_refinement_layout(m, rows, arena, &w->refinement);
    cd_proximal_layout(m, rows, arena, &w->proximal);
    w->tree.added_inertia = w->proximal.added_inertia;
}

// ---- numeric

// Compute T of one cut: its rows carried inward along its paths.
static void solve_cut_columns(const cardan_model* m, const cd_kinematics* k, const cd_row_block* b, int c,
                              order_n_work* w)
{
    const int  start = w->cuts.path_start[c], n = w->cuts.path_start[c + 1] - start;
    const int* column = w->cuts.path_column + start;
    for (int i = 0; i < b->nrow; ++i) {
        for (int s = 0; s < n; ++s)
            w->path_rhs[s] = column[s] == CARDAN_NONE ? r_const(0) : b->J[i * b->nv + column[s]];
        cd_articulated_inward_path(m, k, &w->tree, n, w->cuts.path_velocity + start, w->path_rhs);
        for (int s = 0; s < n; ++s) w->cuts.T[w->cuts.T_offset[start + s] + (size_t)i] = w->path_rhs[s];
    }
}

// Return whether some motion is light relative to its inertia scale, as that of a small heavy body on a long arm: its
// pivot has lost digits.
static bool has_light_motions(const cardan_model* m, const order_n_work* w)
{
    double max_growth = 0;
    for (int v = 0; v < m->nv; ++v) max_growth = fmax(max_growth, r_value(w->tree.D[v]) * m->inertia_scale[v]);
    return max_growth * cd_refine_below_pivot > 1;
}

static void solve_with_factor(const cd_problem* p, void* work, const real* r, const real* gamma, real* a, real* lambda);

// Factor the links. Add proximal inertia where there is no pivot and, where rows may determine the motion, to pivots so
// small that they would dominate N.
static cardan_status factor_links(const cd_problem* p, order_n_work* w, cd_solve_info* info)
{
    const cardan_model* m      = p->m;
    cardan_status       status = cd_articulated_factor(m, p->k, &w->tree, info);
    for (int v = 0; v < m->nv;) {
        const bool is_light = status == CARDAN_OK && r_value(w->tree.D[v]) * m->inertia_roundoff[v] >= 1;
        if (status == CARDAN_OK && (!is_light || w->proximal_disabled || !cd_proximal_add(m, p->rows, &w->proximal, v)))
            ++v;
        else if (status == CARDAN_OK ||
                 (status == CARDAN_SINGULAR && cd_proximal_add(m, p->rows, &w->proximal, info->failed_velocity)))
            status = cd_articulated_factor(m, p->k, &w->tree, info);
        else
            return status;
    }
    return status;
}

static cardan_status factor_all(const cd_problem* p, order_n_work* w, cd_solve_info* info)
{
    const cd_rows*      rows   = p->rows;
    const cardan_status status = factor_links(p, w, info);
    if (status != CARDAN_OK || rows->nrow == 0) return status;
    w->has_light_motion = has_light_motions(p->m, w);
    for (int c = 0; c < rows->nblock; ++c) solve_cut_columns(p->m, p->k, &rows->block[c], c, w);
    cd_cuts_assemble(rows, &w->cuts, p->m->nv, w->tree.D);
    const int bad    = cd_cuts_factor(p, &w->cuts.N, cd_null_row_pivot_sq);
    info->failed_row = bad < 0 ? CARDAN_NONE : bad;
    info->failed_velocity =
        bad < 0 ? cd_proximal_find_undetermined(p, &w->proximal, solve_with_factor, w, w->z) : CARDAN_NONE;
    return bad < 0 && info->failed_velocity == CARDAN_NONE ? CARDAN_OK : CARDAN_SINGULAR;
}

static void report_pivots(const order_n_work* w, cd_solve_info* info)
{
    info->conditioning                    = cd_skyline_conditioning(&w->cuts.N);
    info->conditioning.pivots_regularized = w->proximal.is_active;
}

// Factor; if that fails with proximal inertia, repeat without adding any: a motion that the rows do not determine moves
// by its own inertia, however small.
static cardan_status factor(const cd_problem* p, void* work, cd_solve_info* info)
{
    order_n_work* w      = work;
    cardan_status status = factor_all(p, w, info);
    if (status == CARDAN_SINGULAR && w->proximal.is_active && !w->proximal_disabled) {
        w->proximal_disabled = true;
        cd_proximal_reset(p->m, &w->proximal);
        status = factor_all(p, w, info);
    }
    report_pivots(w, info);
    return status;
}

// Compute lambda and u -= T lambda. Returns the size of the row accelerations without lambda.
static double solve_cut_forces(const cardan_model* m, const cd_rows* rows, const order_n_work* w, const real* gamma,
                               real* u, real* lambda)
{
    for (int v = 0; v < m->nv; ++v) w->z[v] = r_mul_inv(u[v], w->tree.D[v]);
    const double free_acceleration = cd_cuts_form_rhs(rows, &w->cuts, w->z, gamma, lambda);
    cd_skyline_solve(&w->cuts.N, lambda);
    cd_cuts_apply_forces(rows, &w->cuts, lambda, u);
    return free_acceleration;
}

static void solve_with_factor(const cd_problem* p, void* work, const real* r, const real* gamma, real* a, real* lambda)
{
    order_n_work*       w = work;
    const cardan_model* m = p->m;
    if (w->has_deep_branch && w->refinement.effort && m->policy != CARDAN_TREE_MAXIMAL)
        cd_articulated_inward_wrenches(m, p->k, &w->tree, w->refinement.effort, w->refinement.wrench, w->u);
    else
        cd_articulated_inward(m, p->k, &w->tree, r, w->u);
    w->free_acceleration = p->rows->nrow > 0 ? solve_cut_forces(m, p->rows, w, gamma, w->u, lambda) : 0;
    cd_articulated_outward(m, p->k, &w->tree, w->u, a);
}

static void solve_proximal(const cd_problem* p, void* work, const real* r, const real* gamma, real* a, real* lambda)
{
    order_n_work* w = work;
    cd_proximal_solve(p, &w->proximal, solve_with_factor, w, r, gamma, a, lambda);
}

static cardan_status solve(const cd_problem* p, void* work, const cd_right_sides* rhs, const cd_solution* x,
                           cd_solve_info* info)
{
    order_n_work* w        = work;
    const bool    has_rows = p->rows->nrow > 0;
    cd_refinement_begin(&w->refinement, rhs);
    solve_proximal(p, w, rhs->r, rhs->gamma, x->a, x->lambda);
    // The second scale includes other bodies, for light bodies that are constrained.
    const double free_acceleration = fmax(w->free_acceleration, cd_free_acceleration_scale(p->m, rhs->r));
    if (has_rows && cd_refinement_is_possible(p, &w->refinement) &&
        (w->proximal.is_active || w->has_light_motion || w->cuts.N.min_pivot_rel < cd_refine_below_path_pivot_sq ||
         !cd_rows_are_satisfied(p->rows, x->a, rhs->gamma, free_acceleration)))
        cd_refinement_iterate(p, &w->refinement, solve_proximal, w, rhs->gamma, free_acceleration, x);
    report_pivots(w, info);
    return cd_check_consistency(p, x->a, rhs->gamma, free_acceleration,
                                has_rows ? cd_skyline_largest_diagonal_term(&w->cuts.N, x->lambda) : 0, info);
}

static void reset(const cardan_model* m, void* work)
{
    order_n_work* w = work;
    if (w->proximal.added_inertia) cd_proximal_reset(m, &w->proximal);
    w->proximal_disabled = false;
}

const cd_formulation cd_order_n = {
    .name       = "order-n",
    .summary    = "articulated bodies, linear in the number of joints; loops cut and closed by constraint forces",
    .citation   = "Docquier, Bruels, Fisette 2019, section 3.2.3; Featherstone 2008, chapter 7; Anderson, Critchley "
                  "2003, section 2",
    .properties = CD_SUPPORTS_TREES | CD_SUPPORTS_LOOPS | CD_SUPPORTS_REDUNDANT_ROWS | CD_NEEDS_JOINT_SPACE_JACOBIAN |
                  CD_REPORTS_PIVOTS,
    .tree_policy        = CARDAN_TREE_BREADTH_FIRST,
    .time_per_operation = {0.2, 0.6},
    .work_size          = sizeof(order_n_work),
    .analyse            = analyse,
    .release            = release,
    .layout             = layout,
    .reset              = reset,
    .factor             = factor,
    .solve              = solve,
};
