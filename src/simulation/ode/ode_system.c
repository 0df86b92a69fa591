// SPDX-License-Identifier: BSD-3-Clause
#include "core/clock.h"
#include "simulation/ode/ode_system.h"

#include "dynamics/data.h"
#include "dynamics/energy.h"
#include "dynamics/forces.h"
#include "dynamics/generated_evaluation.h"
#include "dynamics/projection/near_singular_projection.h"
#include "dynamics/projection/project.h"
#include "dynamics/rows/constraint_update.h"
#include "dynamics/state.h"
#include "math/norm_inf.h"

#include <cardan/assemble.h>

#include <float.h>
#include <math.h>
#include <string.h>

static const double VALUE_MAX          = 1e30;  // bound of coordinates, velocities and states of any mechanism
static const double RESIDUAL_TOLERANCE = 1e-11; // relative residual of the equations of motion: has no effect on a step
static const double ROW_RESIDUAL_TOLERANCE = 1e-11; // [m/s, rad/s] residual of rates that the next step removes
static const double LARGE_VIOLATION        = 1e-3;  // [m, rad] larger violations are projected before the evaluation
static const double REDUNDANT_VIOLATION    = 1e-7;  // [m, rad] the same with redundant rows
// The same with compliant rows, whose compliance grows with the square of the violation: smaller ones have no effect.
static const double COMPLIANT_VIOLATION = 1e-12;
static const double REGULAR_SIGMA       = 0.1; // sigma_min_rel: no singular configuration is near above it
// [m, rad] larger violations change accelerations by more than the code tolerance.
static const double CLOSED_VIOLATION   = 1e-11;
static const double COMPLIANT_SIGMA_SQ = 1e-2; // sigma_min_sq_rel above which compliant rows are accurate

void cd_ode_system_init(cd_ode_system* system, cardan_data* data, const cardan_run_settings* run)
{
    const cardan_model*     model = cardan_data_model(data);
    const cardan_model_view view  = cardan_model_get_view(model);
    *system = (cd_ode_system){.data = data, .model = model, .nq = view.nq, .nv = view.nv, .ns = view.nstate};
    system->has_constraints   = data->rows.nrow > 0;
    system->nz                = view.nv + view.nstate + 1;
    system->n                 = view.nv + system->nz;
    system->nquaternion       = cd_model_quaternions(model, &system->quaternion_v);
    system->description       = cardan_description_get_view(cardan_model_description(model));
    system->tolerance         = run->tolerance;
    system->max_step          = run->max_step;
    system->t_start           = run->start;
    system->t_end             = run->end;
    system->progress_callback = run->progress_callback;
    system->user              = run->user;
    system->progress_t        = run->start;
}

void cd_ode_system_layout(cd_ode_system* system, cd_arena* arena)
{
    CD_ARENA_ARRAY(arena, system->q_floor, system->nq);
    CD_ARENA_ARRAY(arena, system->q_relative, system->nq);
    CD_ARENA_ARRAY(arena, system->z_floor, system->nz);
    CD_ARENA_ARRAY(arena, system->z_relative, system->nz);
    CD_ARENA_ARRAY(arena, system->q_of_v, system->nv);
    CD_ARENA_ARRAY(arena, system->z_vector_first, system->nz);
    CD_ARENA_ARRAY(arena, system->z_vector_last, system->nz);
    CD_ARENA_ARRAY(arena, system->quaternion_q, system->nquaternion);
    CD_ARENA_ARRAY(arena, system->q_scratch, system->nq);
    CD_ARENA_ARRAY(arena, system->a, system->nv);
    CD_ARENA_ARRAY(arena, system->residual_scratch,
                   system->data->compiled_residual ? 3 * (system->nv + system->ns + 3 * system->data->rows.nrow) : 0);
}

void cd_ode_state_layout(const cd_ode_system* system, cd_arena* arena, cd_ode_state* state)
{
    CD_ARENA_ARRAY(arena, state->q, system->nq);
    CD_ARENA_ARRAY(arena, state->z, system->nz);
}

void cd_ode_state_copy(const cd_ode_system* system, const cd_ode_state* from, cd_ode_state* to)
{
    to->t = from->t;
    memcpy(to->q, from->q, (size_t)system->nq * sizeof *to->q);
    memcpy(to->z, from->z, (size_t)system->nz * sizeof *to->z);
}

// Mark the velocities first to last as components of one vector.
static void join_components(cd_ode_system* system, int first, int last)
{
    for (int i = first; i <= last; ++i) {
        system->z_vector_first[i] = first;
        system->z_vector_last[i]  = last;
    }
}

// Set the error scales of one joint. Angles: 1 rad, whatever the winding number. Lengths and speeds: their magnitude,
// and at least 0.1 m (/s), or the length scale of the mechanism if that is smaller. Consecutive speeds of one joint
// are components of one velocity, in axes that do not rotate with it; angular velocities rotate with the body, and
// components that are small compared with the spin are scaled by themselves.
static void scale_joint(cd_ode_system* system, int joint, cardan_index_range range)
{
    const double length = fmin(0.1, system->data->length_scale);
    int          first  = range.v; // first of the speeds before i
    for (int i = 0, iq = range.q; i < range.nv;) {
        const int v = range.v + i;
        if (system->q_of_v[v] < CARDAN_NONE) {
            system->quaternion_q[CARDAN_NONE - 1 - system->q_of_v[v]] = iq;
            system->q_of_v[v]                                         = CARDAN_NONE;
            i += 3;
            iq += 4;
            first = range.v + i;
            continue;
        }
        const bool angle       = strncmp(cardan_model_v_unit(system->model, joint, i), "rad", 3) == 0;
        system->q_of_v[v]      = iq;
        system->q_floor[iq]    = angle ? 1 : length;
        system->q_relative[iq] = angle ? 0 : 1;
        system->z_floor[v]     = angle ? 1 : length;
        if (angle)
            first = v + 1;
        else
            join_components(system, first, v);
        ++i;
        ++iq;
    }
}

void cd_ode_system_set_error_scales(cd_ode_system* system)
{
    const cardan_model_view view = cardan_model_get_view(system->model);
    for (int i = 0; i < system->nv; ++i) system->q_of_v[i] = CARDAN_NONE;
    // marked for scale_joint
    for (int i = 0; i < system->nquaternion; ++i) system->q_of_v[system->quaternion_v[i]] = CARDAN_NONE - 1 - i;
    for (int i = 0; i < system->nq; ++i) {
        system->q_floor[i]    = 1;
        system->q_relative[i] = 0;
    }
    for (int i = 0; i < system->nz; ++i) {
        system->z_floor[i]    = i < system->nv ? 1 : 0.1;
        system->z_relative[i] = 1;
        join_components(system, i, i);
    }
    for (int j = 0; j < view.ntree_range; ++j)
        if (view.tree_range[j].v >= 0) scale_joint(system, j, view.tree_range[j]);
    // the work is only reported: its scale is a thousand times larger
    system->z_floor[system->nz - 1]    = 1000;
    system->z_relative[system->nz - 1] = 1000;
}

// The scale is at least the round-off of the value.
double cd_q_error_scale(const cd_ode_system* system, int i, double magnitude)
{
    return fmax(system->tolerance * (system->q_floor[i] + system->q_relative[i] * magnitude),
                10 * DBL_EPSILON * magnitude);
}

double cd_z_error_scale(const cd_ode_system* system, int i, double magnitude)
{
    return fmax(system->tolerance * (system->z_floor[i] + system->z_relative[i] * magnitude),
                10 * DBL_EPSILON * magnitude);
}

double cd_z_magnitude(const cd_ode_system* system, int i, const double* z)
{
    const int first = system->z_vector_first[i], last = system->z_vector_last[i];
    if (first == last) return fabs(z[i]);
    double sum = 0;
    for (int k = first; k <= last; ++k) sum += z[k] * z[k];
    return sqrt(sum);
}

static cardan_status record_failure(cd_ode_system* system, double t, int index, double value)
{
    system->failure_t     = t;
    system->failure_index = index;
    system->failure_value = value;
    return CARDAN_NOT_FINITE;
}

bool cd_is_bounded(int n, const double* x)
{
    int unbounded = 0;
    for (int i = 0; i < n; ++i) unbounded |= !(fabs(x[i]) < VALUE_MAX);
    return !unbounded;
}

// Store the largest value as failure, or the first NaN.
cardan_status cd_ode_state_check_finite(cd_ode_system* system, double t, const double* q, const double* z)
{
    const int nq      = system->nq;
    int       worst   = CARDAN_NONE;
    double    largest = VALUE_MAX;
    if (cd_is_bounded(nq, q) && cd_is_bounded(system->nz - 1, z)) return CARDAN_OK;
    for (int i = 0; i < nq + system->nz - 1; ++i) {
        const double value = fabs(i < nq ? q[i] : z[i - nq]);
        if (value < largest) continue;
        worst   = i;
        largest = value;
        if (isnan(value)) break;
    }
    return record_failure(system, t, worst, worst < nq ? q[worst] : z[worst - nq]);
}

bool cd_progress_poll(cd_ode_system* system)
{
    if (!system->progress_callback || system->stopped) return !system->stopped;
    if (++system->progress_evaluations == 1) return true;
    const double now = cd_clock_wall();
    if (system->progress_evaluations == 2) system->progress_clock = now;
    if (now - system->progress_clock < 0.1) return true;
    system->progress_evaluations = 0;
    system->stopped              = !system->progress_callback(system->user, system->progress_t);
    return !system->stopped;
}

void cd_rhs_auxiliary(cd_ode_system* system, double* rate)
{
    cardan_data* data = system->data;
    cd_update_forces(data);
    memcpy(rate, data->formula_value + 3 * data->m->view.nforce, (size_t)system->ns * sizeof *rate);
    rate[system->ns] = cd_nonconservative_power(data);
}

// q NULL: the state is the end of a step, which is finite.
static cardan_status begin_evaluation(cd_ode_system* system, double t, const double* q, const double* z)
{
    ++system->evaluations;
    const cardan_status status = !cd_progress_poll(system) ? CARDAN_STOPPED
                                 : q                       ? cd_ode_state_check_finite(system, t, q, z)
                                                           : CARDAN_OK;
    if (!status) record_failure(system, t, CARDAN_NONE, 0);
    return status;
}

cardan_status cd_ode_system_set_state(cd_ode_system* system, double t, const double* q, const double* z)
{
    const cardan_status status = begin_evaluation(system, t, q, z);
    if (status) return status;
    const cardan_status state_status =
        cd_data_set_state_if_changed(system->data, t, q, z, system->ns ? z + system->nv : NULL);
    return state_status || !system->project_velocity_each_evaluation || system->data->near_singular
               ? state_status
               : cd_project_velocities_exactly(system->data);
}

const double* cd_rhs_velocities(const cd_ode_system* system, const double* z)
{
    return system->project_velocity_each_evaluation ? system->data->v : z;
}

bool cd_constraints_inconsistent(const cd_ode_system* system, cardan_status status)
{
    return status == CARDAN_INCONSISTENT || (status == CARDAN_NOT_CONVERGED && system->data->constraints.nlossy == 0);
}

// Return whether the state has no solution while neighbouring ones may have: with compliant rows, a motion of the
// singular configuration itself may be undetermined.
static bool has_no_solution(const cd_ode_system* system, cardan_status status)
{
    return cd_constraints_inconsistent(system, status) || (status == CARDAN_SINGULAR && system->data->near_singular);
}

// Return whether no singular configuration can be near at time t with velocities z. The smallest singular value s of
// the constraint rows, relative to its running maximum, is known at the time of the last update and changes by less
// than 2 |v| per unit of time (singularity_monitor.c). Near singular configurations the library limits the effect of
// round-off (cd_project_near_singular, cd_singular_limit_evaluate); generated code does not, and its pivots do not
// give s.
static bool is_far_from_singular(const cd_ode_system* system, double t, const double* z)
{
    const cd_conditioning* f = &system->conditioning;
    double                 s = sqrt(f->sigma_min_sq_rel);
    if (!system->has_constraints) return true;
    if (f->rank_deficiency_generic < 0) return false;
    for (int g = 0; f->tracked && g < f->ngroup; ++g) s = fmin(s, f->tracked_sigma[g].sigma_min_rel);
    return s - 2 * fabs(t - f->t) * cd_velocity_scale(system, z) > REGULAR_SIGMA;
}

void cd_compare_generated_code(cd_ode_system* system, const double* a)
{
    cardan_data* d = system->data;
    if (!system->has_constraints || !d->compiled_rhs || d->violation > CLOSED_VIOLATION ||
        !is_far_from_singular(system, d->t, d->v))
        return;
    const double difference = cd_generated_rhs_error(d, a);
    if (difference <= system->code_difference_max) return;
    system->code_difference_max = difference;
    system->code_difference_t   = d->t;
}

// Compute accelerations at the state of the data and update the conditioning, even if the rows are inconsistent, as
// at singular configurations.
static cardan_status accelerate_and_monitor(cd_ode_system* system, double* rate)
{
    cardan_data* data                   = system->data;
    data->policy.residual_tolerance     = RESIDUAL_TOLERANCE;
    data->policy.row_residual_tolerance = ROW_RESIDUAL_TOLERANCE * data->velocity_damping_rate;
    const cardan_status status          = cardan_accelerate(data, rate, system->ns ? rate + system->nv : NULL, NULL);
    const bool          rank_frozen     = data->policy.rank == CD_RANK_FROZEN;
    data->policy.residual_tolerance = data->policy.row_residual_tolerance = 0;
    if (rank_frozen && status) return status;
    if (!status || cd_constraints_inconsistent(system, status)) cd_conditioning_update(system);
    // this is the singular configuration itself
    if (status == CARDAN_SINGULAR && data->near_singular) system->conditioning.sigma_min_sq_rel = 0;
    if (!status) cd_compare_generated_code(system, rate);
    return rank_frozen && data->near_singular ? CARDAN_INCONSISTENT : status;
}

// Project near a singular configuration, then accelerate. A failed projection of nearly dependent rows is accepted:
// their violation is small.
static cardan_status accelerate_near_singular(cd_ode_system* system, double* rate)
{
    const cardan_status status = cd_project_near_singular(system->data);
    return status && !cd_constraints_inconsistent(system, status) ? status : accelerate_and_monitor(system, rate);
}

// Return whether the violation makes compliant rows too compliant. At the bound, accelerations jump by the bound
// times their sensitivity to violations: it must be far below any tolerance, or the step control detects the jump and
// errors do not follow the tolerance. If no stabilization corrects the positions, the violated state is the solution,
// as long as all rows are well-conditioned. Baumgarte terms need the violation.
static bool is_softened_by_violation(const cd_ode_system* system)
{
    cardan_data* data      = system->data;
    double       violation = 0;
    if (data->rows.nrow > 0 && data->baumgarte_rate == 0 && data->formulation->properties & CD_COMPLIANT_ROWS &&
        !(system->positions_unstabilized && system->conditioning.rank_deficiency_generic >= 0 &&
          system->conditioning.sigma_min_sq_rel > COMPLIANT_SIGMA_SQ))
        cd_scaled_violations(data, &violation, NULL);
    return violation > COMPLIANT_VIOLATION;
}

// Compute the rate at the state of the data. Only the accelerations may show that a singular configuration is near.
static cardan_status rhs_guarded(cd_ode_system* system, double* rate)
{
    cardan_data* data            = system->data;
    const int    known           = system->nv + system->ns;
    const bool   was_near        = data->near_singular;
    const bool   off_constraints = was_near || is_softened_by_violation(system);
    double       power           = NAN; // not computed yet
    if (off_constraints) cd_singular_limit_save_state(system);
    cardan_status status =
        off_constraints ? accelerate_near_singular(system, rate) : accelerate_and_monitor(system, rate);
    if (data->near_singular && !was_near) {
        if (!off_constraints) cd_singular_limit_save_state(system);
        status = accelerate_near_singular(system, rate);
    }
    if (data->near_singular && cd_singular_limit_is_needed(system) && (!status || has_no_solution(system, status))) {
        bool limit_found = cd_singular_limit_evaluate(system, rate);
        cd_singular_limit_restore_state(system);
        data->near_singular = true;
        // the factor and the conditioning are those of the state itself
        const cardan_status status_again = accelerate_near_singular(system, rate);
        // by round-off the first attempt may have had a solution
        limit_found |= system->singular_limit.valid && has_no_solution(system, status_again);
        if (limit_found) power = cd_singular_limit_apply(system, rate);
        status = limit_found ? CARDAN_OK : status ? status : status_again;
    } else if (!status)
        cd_singular_limit_record_acceleration(system, rate);
    if (status && status != CARDAN_NOT_FINITE) return status;
    rate[known] = isnan(power) ? cd_nonconservative_power(data) : power;
    if (cd_is_bounded(system->nz, rate)) return status;
    for (int i = 0; i < system->nz; ++i)
        if (!isfinite(rate[i]))
            return record_failure(system, data->t, i < known ? system->nq + i : CARDAN_NONE, rate[i]);
    return status;
}

cardan_status cd_rhs_by_library(cd_ode_system* system, double t, const double* q, const double* z, double* rate)
{
    cardan_status status = cd_ode_system_set_state(system, t, q, z);
    if (!status) status = rhs_guarded(system, rate);
    if (!status && system->velocity_relaxation_rate > 0)
        for (int i = 0; i < system->nv; ++i) rate[i] += system->velocity_relaxation_rate * (system->data->v[i] - z[i]);
    return status;
}

// Compute the rate by generated code. If a result is not finite, the library computes it and reports the reason.
cardan_status cd_rhs(cd_ode_system* system, double t, const double* q, const double* z, double* rate)
{
    cardan_data* d     = system->data;
    const int    known = system->nv + system->ns;
    if (system->project_velocity_each_evaluation || !cd_can_use_generated_rhs(d) || !is_far_from_singular(system, t, z))
        return cd_rhs_by_library(system, t, q, z, rate);
    const cardan_status status = cd_progress_poll(system) ? cd_ode_state_check_finite(system, t, q, z) : CARDAN_STOPPED;
    if (status) return status;
    if (q != system->q_scratch && system->nquaternion > 0) {
        memcpy(system->q_scratch, q, (size_t)system->nq * sizeof *q);
        cardan_model_normalize_position(system->model, system->q_scratch);
        q = system->q_scratch;
    }
    d->compiled_rhs(q, z, d->external_effort, z + system->nv, t, rate, rate + system->nv, rate + known);
    if (!cd_is_bounded(system->nz, rate)) return cd_rhs_by_library(system, t, q, z, rate);
    ++system->evaluations;
    ++system->generated_evaluations;
    return CARDAN_OK;
}

// [ M J'; J 0 ] [ dv; y ] = [ 0; -cdot ] is linear, so dv / h may be solved for together with the accelerations:
// gamma - cdot / h. The state changes by the order of the error of a step, and so do the accelerations: the effect
// after the step is one order higher.
static cardan_status rhs_projecting(cd_ode_system* system, double h, cd_ode_state* x, double* rate,
                                    bool may_freeze_rank);

static cardan_status project_after_rhs(cd_ode_system* system, double h, cd_ode_state* x, double* rate, bool full_rank,
                                       cardan_status status)
{
    cardan_data* d = system->data;
    if (!status && cd_project_with_current_factor(d, x->q, h > 0 ? NULL : x->z)) return status;
    if (status && (status != CARDAN_INCONSISTENT || !full_rank)) return status;
    system->fused_projection_failed = true;
    cardan_project(d, NULL, x->q, x->z, NULL, NULL);
    return cd_rhs_by_library(system, x->t, x->q, x->z, rate);
}

// Compute the rate; velocity damping and its gamma are valid for this step only.
static cardan_status rhs_for_step(cd_ode_system* system, double h, double* rate, bool full_rank, bool want_correction)
{
    cardan_data* d              = system->data;
    d->assume_full_rank         = full_rank;
    d->want_position_correction = want_correction;
    d->velocity_damping_rate    = h > 0 ? 1 / h : 0;
    d->gamma_valid              = d->gamma_valid && !(h > 0);
    const cardan_status status  = rhs_guarded(system, rate);
    d->assume_full_rank         = false;
    d->want_position_correction = false;
    d->velocity_damping_rate    = 0;
    d->gamma_valid              = d->gamma_valid && !(h > 0);
    return status;
}

// Return whether no rows are redundant where the constraints are satisfied.
static bool has_full_rank(const cd_ode_system* system)
{
    return system->conditioning.rank_deficiency_generic == 0 && !system->fused_projection_failed;
}

// Return whether the rank may be frozen. Redundant rows cannot be identified off the constraints: those found where
// the constraints were satisfied are used, as long as the other rows are well-conditioned and these agree with them.
// Not with driver functions: their power would include that of the projection.
static bool can_freeze_rank(const cd_ode_system* system)
{
    const cardan_data* d = system->data;
    return system->conditioning.null_rows_known && d->history.has_factor && !system->fused_projection_failed &&
           !d->history.use_sharp_rank_test && d->constraints.nlossy == 0 && system->model->ndriver_function == 0 &&
           d->formulation->properties & CD_CAN_FREEZE_RANK;
}

// Evaluate the same state again with a new rank decision.
static cardan_status rhs_again(cd_ode_system* system, double h, cd_ode_state* x, double* rate)
{
    cd_blocked_invalidate(system->data);
    system->data->factor_valid = false;
    return rhs_projecting(system, h, x, rate, false);
}

// Blocked evaluation for large mechanisms: the rows of a group of bodies are computed while the solver passes over
// it, as long as violations are small.
static cardan_status rhs_blocked(cd_ode_system* system, double h, cd_ode_state* x, double* rate)
{
    cardan_data*  d           = system->data;
    double        violation   = 0;
    const bool    rank_frozen = !has_full_rank(system);
    cardan_status status      = begin_evaluation(system, x->t, NULL, NULL);
    if (status) return status;
    cd_blocked_set_state(d, x->t, x->q, x->z, system->ns ? x->z + system->nv : NULL);
    if (rank_frozen) d->policy.rank = CD_RANK_FROZEN;
    status = rhs_for_step(system, h, rate, true, true);
    if (rank_frozen) d->policy.rank = CD_RANK_BY_PIVOTS;
    cd_scaled_violations(d, &violation, NULL);
    system->projected_violation = violation;
    const bool evaluate_again   = violation > LARGE_VIOLATION || (rank_frozen && status == CARDAN_INCONSISTENT);
    status = evaluate_again ? rhs_again(system, h, x, rate) : project_after_rhs(system, h, x, rate, true, status);
    cd_blocked_invalidate(d);
    return status;
}

cardan_status cd_rhs_and_project(cd_ode_system* system, double h, cd_ode_state* x, double* rate)
{
    if (!system->project_at_step_start && !system->project_velocity_each_evaluation)
        return cd_rhs(system, x->t, x->q, x->z, rate);
    const bool rank_frozen =
        h > 0 && !system->project_velocity_each_evaluation && !system->data->near_singular && can_freeze_rank(system);
    if (h > 0 && (has_full_rank(system) || rank_frozen) && !system->project_velocity_each_evaluation &&
        !system->data->near_singular && cd_can_evaluate_blocked(system->data))
        return rhs_blocked(system, h, x, rate);
    return rhs_projecting(system, h, x, rate, rank_frozen);
}

static cardan_status rhs_projecting(cd_ode_system* system, double h, cd_ode_state* x, double* rate,
                                    bool may_freeze_rank)
{
    cardan_data*  d         = system->data;
    double        violation = 0;
    cardan_status status    = cd_ode_system_set_state(system, x->t, x->q, x->z);
    if (status) return status;
    if (system->project_velocity_each_evaluation) {
        status = rhs_guarded(system, rate);
        memcpy(x->z, d->v, (size_t)system->nv * sizeof *x->z);
        return status;
    }
    if (d->near_singular) return rhs_guarded(system, rate);

    cd_update_constraint_values_and_rows(d);
    cd_scaled_violations(d, &violation, NULL);
    system->projected_violation = violation;
    const bool rank_frozen      = may_freeze_rank && !has_full_rank(system) && violation <= LARGE_VIOLATION;
    const bool full_rank        = has_full_rank(system) || rank_frozen;
    const bool lossy            = d->constraints.nlossy > 0; // losses depend on the true multipliers
    if (violation > (full_rank ? LARGE_VIOLATION : REDUNDANT_VIOLATION))
        cardan_project(d, NULL, x->q, x->z, NULL, NULL);
    if (rank_frozen) d->policy.rank = CD_RANK_FROZEN;
    status = rhs_for_step(system, lossy || !full_rank ? 0 : h, rate, full_rank, violation > 0 && full_rank);
    if (rank_frozen) d->policy.rank = CD_RANK_BY_PIVOTS;
    if (rank_frozen && status == CARDAN_INCONSISTENT) return rhs_again(system, h, x, rate);
    return project_after_rhs(system, lossy || !full_rank ? 0 : h, x, rate, full_rank, status);
}

void cd_set_baumgarte_rate(cd_ode_system* system, double rate)
{
    system->data->gamma_valid    = system->data->gamma_valid && system->data->baumgarte_rate == rate;
    system->data->baumgarte_rate = rate;
}

static void cross(const double a[3], const double b[3], double c[3])
{
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

// theta' = w + theta x w / 2 + c theta x (theta x w); near zero c = 1/12 + phi^2/720 + phi^4/30240 + ...
static void dexpinv(const double theta[3], const double w[3], double rate[3])
{
    const double phi2 = theta[0] * theta[0] + theta[1] * theta[1] + theta[2] * theta[2];
    double       c    = 1.0 / 12 + phi2 * (1.0 / 720 + phi2 * (1.0 / 30240 + phi2 / 1209600));
    if (phi2 > 0.01) {
        const double half = sqrt(phi2) / 2;
        c                 = (1 - half / tan(half)) / phi2;
    }
    double first[3], second[3];
    cross(theta, w, first);
    cross(theta, first, second);
    for (int i = 0; i < 3; ++i) rate[i] = w[i] + first[i] / 2 + c * second[i];
}

static void rate_of_theta(const cd_ode_system* system, const double* y, const double* v, double* rate)
{
    memcpy(rate, v, (size_t)system->nv * sizeof *rate);
    for (int i = 0; i < system->nquaternion; ++i) {
        const int k = system->quaternion_v[i];
        dexpinv(y + k, v + k, rate + k);
    }
}

void cd_chart_rate_of_theta(const cd_ode_system* system, const double* y, double* rate)
{
    rate_of_theta(system, y, y + system->nv, rate);
}

cardan_status cd_chart_rate(cd_ode_system* system, double t, const double* q0, const double* y, double* rate)
{
    const int nv = system->nv;
    cardan_model_integrate_position(system->model, q0, y, system->q_scratch);
    const cardan_status status = cd_rhs(system, t, system->q_scratch, y + nv, rate + nv);
    if (!status) rate_of_theta(system, y, cd_rhs_velocities(system, y + nv), rate);
    return status;
}

void cd_chart_to_state(const cd_ode_system* system, double t, const double* q0, const double* y, cd_ode_state* state)
{
    state->t = t;
    cardan_model_integrate_position(system->model, q0, y, state->q);
    memcpy(state->z, y + system->nv, (size_t)system->nz * sizeof *state->z);
}

double cd_min_step(const cd_ode_system* system, double t)
{
    return 16 * DBL_EPSILON * fmax(fabs(t), fabs(system->t_end));
}

// In maximal coordinates the first three velocities of every body are lengths per second.
double cd_velocity_scale(const cd_ode_system* system, const double* v)
{
    const double inv_length = 1 / system->data->length_scale;
    double       largest[6] = {0}, velocity_scale = 0;
    for (int i = 0; system->model->all_links_free && i < system->nv; i += 6)
        for (int k = 0; k < 6; ++k) largest[k] = cd_max(largest[k], fabs(v[i + k]));
    for (int k = 0; k < 6; ++k) velocity_scale = cd_max(velocity_scale, k < 3 ? largest[k] * inv_length : largest[k]);
    for (int i = 0; !system->model->all_links_free && i < system->nv; ++i)
        velocity_scale = cd_max(velocity_scale, fabs(v[i]) * (system->z_floor[i] < 1 ? inv_length : 1));
    return velocity_scale;
}

double cd_chart_step_limit(const cd_ode_system* system, const double* z)
{
    double largest = 0;
    for (int i = 0; i < system->nquaternion; ++i) {
        const double* w = z + system->quaternion_v[i];
        largest         = cd_max(largest, w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
    }
    return largest > 0 ? 2 / sqrt(largest) : INFINITY;
}
