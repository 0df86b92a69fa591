// SPDX-License-Identifier: BSD-3-Clause
// At the distance x from a singular configuration a pivot is proportional to x^2; or, in joint coordinates, a whole
// row is proportional to x, which no pivot shows, since pivots do not depend on the scale of a row. So the norms of
// rows are compared with their running maxima, if the formulation has joint-space rows; others detect vanishing rows
// by their pivots. docs/theory/singular.md (1).
//
// Pivots of fronts depend on which velocity is eliminated by which row. There the singular vector itself is tracked,
// J x = s u with u and x continued from step to step, for every coupled group separately: then s changes its sign at
// a singular configuration, and long steps do not miss it. docs/theory/singular.md, the measure.
#include "simulation/singularity/constraint_conditioning.h"

#include "core/disjoint_sets.h"
#include "dynamics/data.h"
#include "dynamics/rows/constraint_update.h"
#include "dynamics/solve.h"
#include "formulation/safeguards/inverse_iteration.h"
#include "math/norm_inf.h"
#include "simulation/ode/ode_system.h"
#include "simulation/simulation_tolerances.h"

#include <math.h>
#include <string.h>

// Violations make redundant rows look independent, and nearly null rows too: only states on the constraints, with
// well-conditioned rows, give the number of redundant rows.

enum { MAX_ITERATIONS = 8 };

// Return whether singular vectors can be tracked: by an iteration of the formulation, or by its solves.
static bool can_track_directions(const cd_ode_system* system)
{
    const cd_formulation* f = system->data->formulation;
    return system->has_constraints && (f->smallest_singular_vector || !(f->properties & CD_REFERENCE_IMPLEMENTATION));
}

int cd_conditioning_group_limit(const cd_ode_system* system)
{
    return can_track_directions(system) ? system->data->solver_rows.nblock + 1 : 1;
}

double cd_conditioning_sigma_max(const cd_ode_system* system, int group)
{
    return can_track_directions(system) ? system->conditioning.sigma_max[group]
                                        : sqrt(system->conditioning.min_pivot_rel_max);
}

void cd_conditioning_layout(cd_ode_system* system, cd_arena* arena)
{
    cd_conditioning* f    = &system->conditioning;
    const int        nrow = system->data->solver_rows.nrow, group_max = cd_conditioning_group_limit(system);
    CD_ARENA_ARRAY(arena, f->row_norm_sq_max, system->data->rows.nrow);
    CD_ARENA_ARRAY(arena, f->tracked_sigma, group_max);
    if (!can_track_directions(system)) return;
    CD_ARENA_ARRAY(arena, f->row_weight, nrow);
    CD_ARENA_ARRAY(arena, f->row_group, nrow);
    CD_ARENA_ARRAY(arena, f->v_group, system->nv);
    CD_ARENA_ARRAY(arena, f->group_root, group_max);
    CD_ARENA_ARRAY(arena, f->row_vector, nrow);
    CD_ARENA_ARRAY(arena, f->row_vector_copy, nrow);
    CD_ARENA_ARRAY(arena, f->perturbation_vector, nrow);
    CD_ARENA_ARRAY(arena, f->row_vector_best, nrow);
    CD_ARENA_ARRAY(arena, f->direction_previous, system->nv);
    CD_ARENA_ARRAY(arena, f->direction, system->nv);
    CD_ARENA_ARRAY(arena, f->direction_best, system->nv);
    double** const each[] = {&f->sigma_max,         &f->inv_sigma_sq, &f->inv_sigma_sq_previous,
                             &f->inv_sigma_sq_best, &f->group_norm,   &f->group_projection};
    for (size_t i = 0; i < sizeof each / sizeof *each; ++i) CD_ARENA_ARRAY(arena, *each[i], group_max);
    CD_ARENA_ARRAY(arena, f->sign, group_max);
}

// Assign the velocities between the ends of a constraint to its group, and join groups that share a velocity. Links
// follow their parents in the numbering.
static void join_path(const cardan_model* m, const cd_row_block* b, int c, int* v_group, int* root)
{
    int end_link[CD_ROW_BLOCK_BODIES_MAX];
    for (int n = 0; n < b->nend; ++n) end_link[n] = b->link[n];
    for (;;) {
        int outer = 0, same_link = 1;
        for (int n = 1; n < b->nend; ++n) {
            same_link &= end_link[n] == end_link[0];
            if (end_link[n] > end_link[outer]) outer = n;
        }
        if (end_link[outer] < 0 || (same_link && b->nend > 1)) return;
        const cd_link* link      = &m->link[end_link[outer]];
        const int      outermost = end_link[outer];
        for (int v = link->v; v < link->v + link->nv; ++v) {
            if (v_group[v] == CARDAN_NONE)
                v_group[v] = c;
            else
                root[cd_disjoint_set_root(root, v_group[v])] = cd_disjoint_set_root(root, c);
        }
        for (int n = 0; n < b->nend; ++n)
            if (end_link[n] == outermost) end_link[n] = link->parent;
    }
}

static void find_coupled_groups(cd_ode_system* system)
{
    cd_conditioning*    f    = &system->conditioning;
    const cd_rows*      rows = &system->data->solver_rows;
    const cardan_model* m    = system->model;
    for (int c = 0; c < rows->nblock; ++c) f->group_root[c] = c;
    for (int v = 0; v < m->nv; ++v) f->v_group[v] = CARDAN_NONE;
    for (int c = 0; c < rows->nblock; ++c) join_path(m, &rows->block[c], c, f->v_group, f->group_root);
    for (int c = 0; c < rows->nblock; ++c) f->sign[c] = CARDAN_NONE; // group index of a root
    f->ngroup = 0;
    for (int c = 0; c < rows->nblock; ++c) {
        int* number = &f->sign[cd_disjoint_set_root(f->group_root, c)];
        if (*number == CARDAN_NONE) *number = f->ngroup++;
        for (int i = rows->block[c].row; i < rows->block[c].row + rows->block[c].nrow; ++i) f->row_group[i] = *number;
    }
    for (int v = 0; v < m->nv; ++v)
        if (f->v_group[v] != CARDAN_NONE) f->v_group[v] = f->sign[cd_disjoint_set_root(f->group_root, f->v_group[v])];
}

void cd_conditioning_reset(cd_ode_system* system)
{
    cd_conditioning* f         = &system->conditioning;
    f->rank_deficiency_generic = -1;
    f->null_rows_known         = false;
    f->min_pivot_rel_max       = 0;
    f->sigma_min_sq_rel        = 1;
    f->row                     = CARDAN_NONE;
    f->t                       = -INFINITY;
    f->tracked                 = false;
    f->ngroup                  = 1;
    for (int i = 0; i < system->data->rows.nrow; ++i) f->row_norm_sq_max[i] = 0;
    if (!can_track_directions(system)) return;
    find_coupled_groups(system);
    for (int g = 0; g < f->ngroup; ++g) f->sigma_max[g] = 0;
    for (int i = 0; i < system->data->solver_rows.nrow; ++i) f->perturbation_vector[i] = 1 + 0.37 * sin(1.0 + 7.0 * i);
}

// Update the running maximum of the squared norm of every row; return whether some row is below `value` times its
// maximum. The loop has no branches, so that it is vectorized.
static bool any_row_shrank(int nrow, const double* square, double value, double* row_size)
{
    long long smaller = 0;
    for (int i = 0; i < nrow; ++i) {
        const double now = square[i], row_max = now > row_size[i] ? now : row_size[i];
        row_size[i] = row_max;
        smaller += now < value * row_max;
    }
    return smaller > 0;
}

// Find the smallest row relative to its running maximum. A row that was always negligible compared with others of its
// constraint is zero on the constraints in every configuration: its norm is the effect of violations.
static void update_from_rows(cd_conditioning* f, const cd_rows* rows, const cd_constraint_set* set)
{
    if (!any_row_shrank(rows->nrow, set->row_norm_sq, f->sigma_min_sq_rel, f->row_norm_sq_max)) return;
    for (int c = 0; c < rows->nblock; ++c) {
        const cd_row_block* b = &rows->block[c];
        for (int i = b->row; i < b->row + b->nrow; ++i) {
            const double now = set->row_norm_sq[i], past = f->row_norm_sq_max[i];
            if (!(now < f->sigma_min_sq_rel * past) || now == 0 || past < cd_zero_row_norm * cd_zero_row_norm ||
                past < cd_negligible_row_fraction * cd_negligible_row_fraction *
                           cd_norm_inf(b->nrow, f->row_norm_sq_max + b->row))
                continue;
            f->sigma_min_sq_rel = now / past;
            f->row              = i;
        }
    }
}

static int count_disabled(const cardan_data* data)
{
    int count = 0;
    for (int i = 0; data->settings.has_disabled_constraint && i < data->constraints.nconstraint; ++i)
        count += data->settings.is_constraint_disabled[i];
    return count;
}

// Return whether the singular vectors can be tracked with the current factor. A null row is not in the factor, except
// in formulations that handle singular rows, and not even there if the whole row vanishes. Formulations whose pivots
// show the conditioning are tracked only where the pivots are small.
static bool can_track_now(const cd_ode_system* system)
{
    const cardan_data*     data = system->data;
    const cd_conditioning* f    = &system->conditioning;
    if (!can_track_directions(system) || !data->history.has_factor ||
        !(f->sigma_min_sq_rel > 0 || (data->formulation->properties & CD_HANDLES_SINGULAR && !f->row_vanished)))
        return false;
    return data->formulation->smallest_singular_vector || !f->tracked || f->sigma_min_sq_rel < cd_doubtful_sigma_sq ||
           f->pivots_regularized;
}

// One inverse iteration (formulation/safeguards/inverse_iteration.h), by a solve if the formulation has no routine for
// it.
static void inverse_iteration(cd_ode_system* system, cd_row_groups groups, double* z)
{
    cardan_data*          data        = system->data;
    cd_conditioning*      f           = &system->conditioning;
    const cd_formulation* formulation = data->formulation;
    cd_solve_info         info        = {.failed_velocity = CARDAN_NONE, .failed_row = CARDAN_NONE};
    if (formulation->smallest_singular_vector) {
        const cd_problem problem = cd_problem_of(data);
        formulation->smallest_singular_vector(&problem, data->formulation_work, groups, z, f->direction,
                                              f->inv_sigma_sq);
        return;
    }
    cd_normalize_row_vector(&data->solver_rows, groups, f->row_weight, f->inv_sigma_sq, z);
    data->policy.residual_tolerance = cd_loose_residual_tolerance;
    cd_solve_with_factor(data, data->scratch.zero_nv, z, f->direction, data->solve.correction_multiplier, &info);
    data->policy.residual_tolerance = 0;
    cd_inverse_iteration_update(&data->solver_rows, groups, f->row_weight, data->solve.correction_multiplier,
                                f->inv_sigma_sq, z);
}

// Perturb z by components in all directions: a direction far from the weakest one of its group may have become it.
static void perturb(const cd_ode_system* system, double part, double* z)
{
    const cardan_data*     data = system->data;
    const cd_conditioning* f    = &system->conditioning;
    for (int g = 0; g < f->ngroup; ++g) f->group_norm[g] = 0;
    for (int i = 0; i < data->rows.nrow; ++i)
        f->group_norm[f->row_group[i]] = cd_max(f->group_norm[f->row_group[i]], fabs(z[i]));
    for (int i = 0; i < data->solver_rows.nrow; ++i) {
        const double size = f->group_norm[f->row_group[i]];
        z[i]              = i < data->rows.nrow ? z[i] + part * (size > 0 ? size : 1) * f->perturbation_vector[i] : 0;
    }
}

// Return whether 1/s^2 of every group has converged, or has dropped far below the best value.
static bool has_converged(const cd_conditioning* f)
{
    bool done = true;
    for (int g = 0; g < f->ngroup; ++g)
        done &=
            fabs(f->inv_sigma_sq[g] - f->inv_sigma_sq_previous[g]) <= cd_sigma_converged_change * f->inv_sigma_sq[g] ||
            f->inv_sigma_sq[g] < cd_sigma_dropped_fraction * f->inv_sigma_sq_best[g];
    return done;
}

// Keep 1/s^2 of a group, its part of the direction and of the next z: the last ones or, if the formulation has its
// own iteration, whose 1/s^2 are lower bounds, the largest.
static void keep_best_direction(const cd_ode_system* system, const double* z)
{
    const cd_conditioning* f      = &system->conditioning;
    const bool             bounds = system->data->formulation->smallest_singular_vector != NULL;
    for (int g = 0; g < f->ngroup; ++g) f->group_norm[g] = !bounds || f->inv_sigma_sq[g] > f->inv_sigma_sq_best[g];
    for (int v = 0; v < system->nv; ++v)
        if (f->v_group[v] != CARDAN_NONE && f->group_norm[f->v_group[v]] > 0) f->direction_best[v] = f->direction[v];
    for (int i = 0; i < system->data->solver_rows.nrow; ++i)
        if (f->group_norm[f->row_group[i]] > 0) f->row_vector_best[i] = z[i];
    for (int g = 0; g < f->ngroup; ++g)
        if (f->group_norm[g] > 0) f->inv_sigma_sq_best[g] = f->inv_sigma_sq[g];
}

// Iterate 1/s^2 of each group with the current factor, starting from z, which is improved; the singular vectors are
// left in `direction`. Redundant rows that a formulation omits were selected at another configuration: if the
// remaining ones have become dependent, the iteration converges to a direction that the omitted rows restrict, and
// 1/s^2 drops. Result 0: 1/s^2 of the group is unknown, z is unchanged.
static void iterate_directions(cd_ode_system* system, double* z)
{
    cd_conditioning*    f      = &system->conditioning;
    const cd_row_groups groups = {f->ngroup, f->row_group};
    for (int g = 0; g < f->ngroup; ++g) f->inv_sigma_sq[g] = f->inv_sigma_sq_best[g] = 0;
    memcpy(f->row_vector_best, z, (size_t)system->data->solver_rows.nrow * sizeof *z);
    memcpy(f->direction_best, f->direction, (size_t)system->nv * sizeof *f->direction);
    for (int i = 0; i < MAX_ITERATIONS; ++i) {
        memcpy(f->inv_sigma_sq_previous, f->inv_sigma_sq, (size_t)f->ngroup * sizeof *f->inv_sigma_sq_previous);
        inverse_iteration(system, groups, z);
        keep_best_direction(system, z);
        if (has_converged(f)) break;
    }
    memcpy(f->inv_sigma_sq, f->inv_sigma_sq_best, (size_t)f->ngroup * sizeof *f->inv_sigma_sq_best);
    memcpy(z, f->row_vector_best, (size_t)system->data->solver_rows.nrow * sizeof *z);
    memcpy(f->direction, f->direction_best, (size_t)system->nv * sizeof *f->direction);
}

// Compute row weights for the iteration by solves.
static void set_row_weights(cd_ode_system* system)
{
    cardan_data* data = system->data;
    if (data->formulation->smallest_singular_vector) return;
    cd_update_rows(data);
    cd_compute_row_weights(&data->solver_rows, data->units.length_scale, system->conditioning.row_weight);
}

// Within a step: check directly what the pivots show as nearly singular. Pivots of fronts may be smaller than sigma^2
// of the mechanism; those of others are not.
static void update_from_directions(cd_ode_system* system)
{
    cd_conditioning* f        = &system->conditioning;
    double           smallest = 1;
    set_row_weights(system);
    memcpy(f->row_vector_copy, f->row_vector, (size_t)system->data->solver_rows.nrow * sizeof *f->row_vector);
    perturb(system, cd_direction_perturbation, f->row_vector_copy);
    iterate_directions(system, f->row_vector_copy);
    for (int g = 0; g < f->ngroup; ++g)
        if (f->sigma_max[g] > 0)
            smallest =
                fmin(smallest, f->inv_sigma_sq[g] > 0 ? 1 / (f->inv_sigma_sq[g] * f->sigma_max[g] * f->sigma_max[g])
                                                      : f->sigma_min_sq_rel);
    // a pivot is missing while all directions are well-conditioned: this is the singular configuration itself
    f->row_vanished = f->sigma_min_sq_rel == 0 && smallest >= cd_near_singular_ratio_sq;
    if (!f->row_vanished)
        f->sigma_min_sq_rel = system->data->formulation->smallest_singular_vector || f->pivots_regularized
                                  ? smallest
                                  : fmin(f->sigma_min_sq_rel, smallest);
}

void cd_conditioning_update(cd_ode_system* system)
{
    cardan_data*                data = system->data;
    cd_conditioning*            f    = &system->conditioning;
    const cd_pivot_conditioning now  = data->formulation->properties & CD_REPORTS_PIVOTS
                                           ? data->history.conditioning
                                           : (cd_pivot_conditioning){.min_pivot_rel = 1, .min_pivot_row = CARDAN_NONE};
    if (!system->has_constraints) return;
    if (count_disabled(data) != f->ndisabled) {
        cd_conditioning_reset(system);
        f->ndisabled = count_disabled(data);
    }
    f->pivots_regularized = now.pivots_regularized && can_track_directions(system);
    if (!f->pivots_regularized || !f->tracked) f->min_pivot_rel_max = fmax(f->min_pivot_rel_max, now.min_pivot_rel);
    if (data->violations.position < cd_closed_violation &&
        (f->pivots_regularized || now.min_pivot_rel > cd_regular_sigma_sq * f->min_pivot_rel_max) &&
        (f->rank_deficiency_generic < 0 || now.nnull < f->rank_deficiency_generic))
        f->rank_deficiency_generic = now.nnull;
    f->null_rows_known = now.nnull == f->rank_deficiency_generic &&
                         (data->policy.rank == CD_RANK_FROZEN || data->violations.position < cd_closed_violation);
    f->t                = data->t;
    f->factor_id        = data->solve.nfactorization;
    f->row              = now.min_pivot_row;
    f->row_vanished     = false;
    f->sigma_min_sq_rel = f->rank_deficiency_generic >= 0 && now.nnull > f->rank_deficiency_generic ? 0
                          : f->pivots_regularized                                                   ? 1
                                                  : now.min_pivot_rel / f->min_pivot_rel_max;
    if (data->constraints.has_joint_rows) update_from_rows(f, &data->rows, &data->constraints);
    if (f->tracked &&
        (f->pivots_regularized ||
         f->sigma_min_sq_rel <
             (data->formulation->smallest_singular_vector ? cd_doubtful_sigma_sq : cd_near_singular_ratio_sq)) &&
        can_track_now(system))
        update_from_directions(system);
    cd_set_near_singular(system, f->sigma_min_sq_rel < cd_near_singular_ratio_sq);
    if (f->pivots_regularized && f->tracked && f->sigma_min_sq_rel > cd_regular_sigma_sq)
        f->min_pivot_rel_max = now.min_pivot_rel / f->sigma_min_sq_rel; // relative to the regularization at this state
    data->history.max_min_pivot_rel = f->min_pivot_rel_max;
}

// Compare the singular vectors with those of the previous update. `direction` is x/s: its projection on the previous
// x has the sign of s. Where s is unknown, the pivots give the conditioning, and x is unchanged.
static void compare_directions(const cardan_model* m, cd_conditioning* f)
{
    for (int g = 0; g < f->ngroup; ++g) f->group_norm[g] = f->group_projection[g] = 0;
    for (int v = 0; v < m->nv; ++v) {
        const int g = f->v_group[v];
        if (g == CARDAN_NONE) continue;
        f->group_norm[g] += m->inertia_scale[v] * f->direction[v] * f->direction[v];
        f->group_projection[g] += f->tracked ? m->inertia_scale[v] * f->direction[v] * f->direction_previous[v] : 0;
    }
    for (int g = 0; g < f->ngroup; ++g) {
        const bool   is_known = f->inv_sigma_sq[g] > 0 && f->group_norm[g] > 0 && isfinite(f->group_norm[g]);
        const double size = is_known ? sqrt(f->group_norm[g]) : 1, s = is_known ? 1 / sqrt(f->inv_sigma_sq[g]) : 0;
        const bool   same                 = is_known && fabs(f->group_projection[g]) > cd_same_direction_cosine * size;
        const int    sign                 = same && f->group_projection[g] < 0 ? -1 : 1;
        f->sigma_max[g]                   = fmax(f->sigma_max[g], s);
        f->tracked_sigma[g].sigma_min_rel = is_known              ? s / f->sigma_max[g]
                                            : f->sigma_max[g] > 0 ? sqrt(f->sigma_min_sq_rel)
                                                                  : 1;
        f->tracked_sigma[g].sign          = same ? sign * f->sign[g] : 0;
        if (is_known || !f->tracked) f->sign[g] = sign;
        f->group_norm[g] = is_known ? sign / size : 0;
    }
    for (int v = 0; v < m->nv; ++v) {
        const double size = f->v_group[v] == CARDAN_NONE ? 0 : f->group_norm[f->v_group[v]];
        if (size != 0 || !f->tracked) f->direction_previous[v] = size * f->direction[v];
    }
}

// Without tracking, all groups get the conditioning of the pivots; but if rows are null, groups that were
// well-conditioned at the previous update keep their values.
static void use_pivots_only(cd_conditioning* f)
{
    double smallest = INFINITY;
    for (int g = 0; g < f->ngroup; ++g) smallest = fmin(smallest, f->tracked_sigma[g].sigma_min_rel);
    for (int g = 0; g < f->ngroup; ++g)
        f->tracked_sigma[g] =
            (cd_tracked_sigma){f->sigma_min_sq_rel == 0 && f->tracked &&
                                       f->tracked_sigma[g].sigma_min_rel > fmax(smallest, cd_tracked_regular_sigma)
                                   ? f->tracked_sigma[g].sigma_min_rel
                                   : sqrt(f->sigma_min_sq_rel),
                               0};
}

void cd_conditioning_track_directions(cd_ode_system* system)
{
    cd_conditioning* f = &system->conditioning;
    if (!can_track_now(system)) {
        use_pivots_only(f);
        return;
    }
    set_row_weights(system);
    for (int i = 0; i < system->data->solver_rows.nrow && !f->tracked; ++i) f->row_vector[i] = 0;
    perturb(system, cd_direction_perturbation, f->row_vector);
    iterate_directions(system, f->row_vector);
    compare_directions(system->model, f);
    f->tracked = true;
}

// Return whether no singular configuration can be near at time t with velocities z. The smallest singular value s of
// the constraint rows, relative to its running maximum, is known at the time of the last update and changes by less
// than 2 |v| per unit of time (singularity_monitor.c). Near singular configurations the library limits the effect of
// round-off (cd_project_near_singular, cd_singular_limit_evaluate); generated code does not, and its pivots do not
// give s.
bool cd_is_far_from_singular(const cd_ode_system* system, double t, const double* z)
{
    const cd_conditioning* f = &system->conditioning;
    double                 s = sqrt(f->sigma_min_sq_rel);
    if (!system->has_constraints) return true;
    if (f->rank_deficiency_generic < 0) return false;
    for (int g = 0; f->tracked && g < f->ngroup; ++g) s = fmin(s, f->tracked_sigma[g].sigma_min_rel);
    return s - 2 * fabs(t - f->t) * cd_velocity_scale(system, z) > cd_near_sigma;
}
