// SPDX-License-Identifier: BSD-3-Clause
// Recursive coordinate reduction: loops are closed joint by joint during the inward sweep over the tree. A joint on
// which a pending constraint row depends becomes dependent: its velocity is a linear function of the motions of the
// bodies that the row still couples; all other joints are articulated as in a tree. No system for the multipliers is
// solved, and the cost is linear for loops along chains, coupled or not, with any base. Redundant rows are found once
// and omitted, and all rows are checked after every solve.
//
// Paper 004 (Anderson, Critchley); fronts.h, front_assemble.c, front_factor.c, front_update.c, front_solve.c;
// docs/theory/reduction.md.
#include "constraint/link_twists.h"
#include "formulation/formulation_tolerances.h"
#include "formulation/coordinate_reduction/fronts.h"
#include "formulation/safeguards/consistency_check.h"
#include "model/characteristic_length.h"
#include "formulation/safeguards/inverse_iteration.h"

#include <math.h>

enum { MIN_RETRY_INTERVAL = 32, MAX_RETRY_INTERVAL = 4096 }; // outward factorizations until inward is tried again

static cardan_status analyse(const cardan_model* m, const cd_rows* rows, void* work, cardan_report* report)
{
    cd_reduction_workspace* w    = work;
    bool                    good = cd_fronts_analyse(m, rows, cd_reduction_operations_max, &w->fronts);
    if (good && w->fronts.operations > cd_reduction_operations_max)
        return cardan_fail(report, CARDAN_UNSUPPORTED, CARDAN_CODE_MODEL_TOO_LARGE, cardan_location_none(),
                           "loops of '%s' couple too many bodies for the formulation 'reduction', more than %.0e "
                           "multiplications: use lagrange",
                           m->view.name, cd_reduction_operations_max);
    const double max_alternate_operations =
        cd_alternate_size_ratio_max * cd_alternate_size_ratio_max * w->fronts.operations;
    good = good && (rows->nrow == 0 ||
                    cd_fronts_analyse_reversed(m, rows, fmin(cd_reduction_operations_max, max_alternate_operations),
                                               &w->alternate));
    if (!good)
        return cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_location_none(),
                           "out of memory while ordering the equations of '%s'", m->view.name);
    if (isinf(w->alternate.operations) ||
        (double)w->alternate.stage_value_size > cd_alternate_size_ratio_max * (double)w->fronts.stage_value_size) {
        cd_fronts_release(&w->alternate);
        w->alternate = (cd_fronts){0};
    }
    w->length  = cd_characteristic_length(m);
    w->history = (cd_reduction_history){.retry_interval = MIN_RETRY_INTERVAL};
    return CARDAN_OK;
}

static void release(void* work)
{
    cd_reduction_workspace* w = work;
    cd_fronts_release(&w->fronts);
    cd_fronts_release(&w->alternate);
}

static void layout(const cardan_model* m, const cd_rows* rows, cd_arena* arena, void* work)
{
    cd_reduction_layout(m, rows, arena, work);
}

static void assemble(const cd_problem* p, void* work) { cd_reduction_set_poses(p->m, p->k, work); }

// Reset the decision on refinement after a change of the elimination order.
static void reset_refinement(cd_reduction_workspace* w)
{
    w->history.needs_refinement = w->history.needs_alternate = false;
    w->history.growth_at_check                               = 0;
}

// Try the alternate order. It is kept if the current one fails or if it loses far fewer digits.
static cardan_status try_alternate_order(const cd_problem* p, cd_reduction_workspace* w, cardan_status status,
                                         cd_solve_info* info)
{
    const double  growth_before  = w->growth;
    cd_solve_info alternate_info = {.failed_velocity = CARDAN_NONE, .failed_row = CARDAN_NONE};
    cd_reduction_swap_order(w);
    w->rank_updated              = true;
    const bool is_factored       = cd_reduction_factor(p, w, &alternate_info) == CARDAN_OK;
    w->history.growth_at_reorder = growth_before;
    if (is_factored &&
        (status != CARDAN_OK || w->history.needs_alternate || cd_tested_growth_factor * w->growth < growth_before)) {
        reset_refinement(w);
        return CARDAN_OK;
    }
    w->history.needs_alternate = false;
    cd_reduction_swap_order(w);
    return status == CARDAN_OK ? cd_reduction_factor(p, w, info) : status;
}

// Try the inward order again, which costs less and was left near a singular configuration, and keep it where its pivots
// are well conditioned. The number of factorizations until the next attempt doubles with each attempt.
static bool return_inward(const cd_problem* p, cd_reduction_workspace* w)
{
    cd_solve_info alternate_info = {.failed_velocity = CARDAN_NONE, .failed_row = CARDAN_NONE};
    if (w->fronts.nroot == 0 || ++w->history.nreversed < w->history.retry_interval) return false;
    w->history.nreversed = 0;
    w->history.retry_interval =
        w->history.retry_interval < MAX_RETRY_INTERVAL ? 2 * w->history.retry_interval : MAX_RETRY_INTERVAL;
    cd_reduction_swap_order(w);
    w->rank_updated = true;
    if (cd_reduction_factor(p, w, &alternate_info) == CARDAN_OK && w->growth <= cd_reorder_growth) {
        reset_refinement(w);
        w->history.growth_at_reorder = 0;
        return true;
    }
    cd_reduction_swap_order(w);
    return false;
}

// Report the conditioning. A row about to vanish or to become redundant has only weak couplings at its elimination.
// Rows that were not eliminated with a velocity, including those of ground, are null.
static void report_pivots(const cd_problem* p, const cd_reduction_workspace* w, cd_solve_info* info)
{
    int nnull = 6 * w->fronts.nroot - w->ndependent;
    for (int i = 0; i < p->rows->nrow; ++i) nnull += !(cd_row_compliance(p->rows, i) > 0);
    info->conditioning = (cd_pivot_conditioning){
        .min_pivot_rel = w->min_coupling * w->min_coupling, .min_pivot_row = w->min_coupling_row, .nnull = nnull};
}

// Factor. Redundant rows are the same at nearly every configuration: they are determined once, and again when the check
// finds rows that are not satisfied.
static cardan_status factor(const cd_problem* p, void* work, cd_solve_info* info)
{
    cd_reduction_workspace* w = work;
    w->rank_updated           = !w->history.rank_known;
    cardan_status status      = return_inward(p, w) ? CARDAN_OK : cd_reduction_factor(p, w, info);
    if (w->alternate.n > 0 &&
        (status == CARDAN_SINGULAR || w->history.needs_alternate ||
         w->growth > fmax(cd_reorder_growth, cd_tested_growth_factor * w->history.growth_at_reorder)))
        status = try_alternate_order(p, w, status, info);
    w->history.rank_known = status == CARDAN_OK;
    report_pivots(p, w, info);
    return status;
}

enum { MAX_CORRECTIONS = 4 };

// Refine a and lambda. The first correction shows the number of digits lost, the second whether refinement helps:
// round-off of r itself remains. The next check follows only after pivots have become much smaller.
static void refine(const cd_problem* p, cd_reduction_workspace* w, const cd_right_sides* rhs, const cd_solution* x)
{
    const bool is_check_due = w->growth > cd_tested_growth_factor * w->history.growth_at_check;
    if (!w->history.needs_refinement && !is_check_due) return;
    double change = cd_reduction_refine(p, w, rhs, x);
    for (int i = 1; i < MAX_CORRECTIONS &&
                    (change > cd_poor_correction || (is_check_due && i == 1 && change > cd_lost_digits_correction));
         ++i) {
        const double before = change;
        change              = cd_reduction_refine(p, w, rhs, x);
        if (is_check_due) w->history.needs_refinement = change < cd_refinement_gain * before;
        if (!(change < cd_refinement_gain * before)) break;
    }
    w->history.needs_alternate =
        w->history.needs_alternate || (is_check_due && w->history.needs_refinement && w->fronts.nroot == 0);
    if (is_check_due) w->history.growth_at_check = fmax(w->growth, cd_massless_pivot);
}

// Check all rows. The free acceleration scale, which is rarely needed, is computed only if the first check fails.
static cardan_status check_rows(const cd_problem* p, cd_reduction_workspace* w, const cd_right_sides* rhs,
                                cd_solve_info* info)
{
    const cardan_status status = cd_check_consistency_on_twists(p, w->A, rhs->gamma, 0, info);
    if (status != CARDAN_INCONSISTENT) return status;
    const real* r = w->has_link_wrenches ? cd_reduction_sum_link_wrenches(p->m, w) : rhs->r;
    return cd_check_consistency_on_twists(p, w->A, rhs->gamma, cd_free_acceleration_scale(p->m, r), info);
}

static cardan_status solve_and_check(const cd_problem* p, cd_reduction_workspace* w, const cd_right_sides* rhs,
                                     const cd_solution* x, cd_solve_info* info)
{
    cd_reduction_solve(p->m, p->rows, w, rhs->r, rhs->gamma, x->a, x->lambda);
    refine(p, w, rhs, x);
    return check_rows(p, w, rhs, info);
}

// Solve for accelerations; determine the redundant rows again if rows are not satisfied.
static cardan_status solve_accelerations(const cd_problem* p, cd_reduction_workspace* w, const cd_right_sides* rhs,
                                         const cd_solution* x, cd_solve_info* info)
{
    cardan_status status = solve_and_check(p, w, rhs, x, info);
    if (status != CARDAN_INCONSISTENT || w->rank_updated) return status;
    w->history.rank_known = false;
    cd_reduction_set_poses(p->m, p->k, w);
    status = factor(p, w, info);
    return status == CARDAN_OK ? solve_and_check(p, w, rhs, x, info) : status;
}

// Solve for a correction without a check: the factor may be that of an earlier state, with other rows.
static void solve_correction(const cd_problem* p, cd_reduction_workspace* w, const real* s, real* dx)
{
    for (int v = 0; v < p->m->nv; ++v) w->motion_residual[v] = r_const(0);
    cd_reduction_solve(p->m, p->rows, w, w->motion_residual, s, dx, w->dlambda);
}

static cardan_status solve(const cd_problem* p, void* work, const cd_right_sides* rhs, const cd_solution* x,
                           cd_solve_info* info)
{
    cd_reduction_workspace* w = work;
    if (!rhs->r) {
        solve_correction(p, w, rhs->s, x->dx);
        return CARDAN_OK;
    }
    w->effort = rhs->effort;
    w->wrench = rhs->wrench;
    // in trees the pivots alone determine the accuracy
    w->has_link_wrenches       = rhs->effort && w->nrow > 0 && p->m->policy != CARDAN_TREE_MAXIMAL;
    const cardan_status status = solve_accelerations(p, w, rhs, x, info);
    w->has_link_wrenches       = false;
    report_pivots(p, w, info);
    return status;
}

// Compute the response of all rows, also redundant ones, to the motion of the last solve: sum of (w J x)^2 in each
// group.
static void compute_row_response(const cd_rows* rows, cd_reduction_workspace* w, cd_row_groups groups)
{
    for (int g = 0; g < groups.n; ++g) w->row_response[g] = 0;
    for (int c = 0; c < rows->nblock; ++c) {
        const cd_row_block* b = &rows->block[c];
        for (int i = 0; i < b->nrow; ++i) {
            if (cd_row_compliance(rows, b->row + i) > 0) continue;
            const double response = w->row_weight[b->row + i] * r_value(cd_row_dot_twists(b, i, w->A));
            w->row_response[groups.group_of_row[b->row + i]] += response * response;
        }
    }
}

// Compute x of least energy with J x = z, whose multipliers are the next z: J M^-1 J'(-lambda) = z, and twice its
// energy is -lambda'z. The eliminated rows were chosen at another configuration and may have become dependent where all
// rows together are not; therefore x is normalized by the response of all rows. If the omitted rows contribute most of
// it, x is not the smallest singular vector of all rows, 1/sigma^2 is unknown, and the redundant rows are determined
// again.
static void smallest_singular_vector(const cd_problem* p, void* work, cd_row_groups groups, real* z, real* x,
                                     double* inv_sigma_sq)
{
    cd_reduction_workspace* w    = work;
    const cd_rows*          rows = p->rows;
    cd_normalize_row_vector(rows, groups, w->row_weight, inv_sigma_sq, z);
    solve_correction(p, w, z, x);
    compute_row_response(rows, w, groups);
    cd_inverse_iteration_update(rows, groups, w->row_weight, w->dlambda, inv_sigma_sq, z);
    for (int g = 0; g < groups.n; ++g) {
        if (w->row_response[g] > 0) inv_sigma_sq[g] /= w->row_response[g];
        if (!(w->row_response[g] > cd_omitted_response_ratio_sq)) continue;
        inv_sigma_sq[g]       = 0;
        w->history.rank_known = w->history.rank_known && w->rank_updated;
    }
}

static void reset(const cardan_model* m, void* work)
{
    (void)m;
    cd_reduction_workspace* w = work;
    if (w->fronts.nroot > 0) cd_reduction_swap_order(w); // the first order is inward
    w->history = (cd_reduction_history){.retry_interval = MIN_RETRY_INTERVAL};
}

const cd_formulation cd_reduction = {
    .name       = "reduction",
    .summary    = "recursive coordinate reduction: dependent joints expressed by their neighbours, linear in loops",
    .citation   = "Anderson, Critchley 2003",
    .properties = CD_SUPPORTS_TREES | CD_SUPPORTS_LOOPS | CD_SUPPORTS_REDUNDANT_ROWS | CD_USES_LINK_WRENCHES |
                  CD_REPORTS_PIVOTS | CD_SOLVES_CORRECTION,
    .tree_policy              = CARDAN_TREE_BREADTH_FIRST,
    .time_per_operation       = {0, 0.36},
    .work_size                = sizeof(cd_reduction_workspace),
    .analyse                  = analyse,
    .release                  = release,
    .layout                   = layout,
    .reset                    = reset,
    .assemble                 = assemble,
    .factor                   = factor,
    .solve                    = solve,
    .smallest_singular_vector = smallest_singular_vector,
};

double cd_reduction_operation_count(const cd_formulation* formulation, const void* work)
{
    return formulation == &cd_reduction ? ((const cd_reduction_workspace*)work)->fronts.operations : (double)INFINITY;
}
