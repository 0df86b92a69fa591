// SPDX-License-Identifier: BSD-3-Clause
// Creation of the data of one simulation, in one memory block, and its state and caches.
#include "dynamics/data.h"

#include "core/check_arguments.h"
#include "math/finite.h"
#include "math/norm_inf.h"

#include <cardan/assemble.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void layout(const cardan_model* m, cd_arena* arena, cardan_data* d)
{
    cd_kinematics_layout(m, arena, &d->k);
    cd_world_layout(m, arena, &d->world);
    const bool joint_space = d->formulation && d->formulation->properties & CD_NEEDS_JOINT_SPACE_JACOBIAN;
    cd_constraint_set_layout(m, joint_space, arena, &d->constraints);
    cd_rotor_set_layout(m, joint_space, arena, &d->rotors);
    cd_jacobian_layout(m, arena, d);
    cd_rotor_rows_layout(arena, d);
    cd_blocked_layout(arena, d);
    cd_undetermined_search_layout(m, d->solver_rows.nrow, arena, &d->undetermined);
    CD_ARENA_ARRAY(arena, d->force_type, m->view.nforce);
    CD_ARENA_ARRAY(arena, d->is_force_disabled, m->view.nforce);
    CD_ARENA_ARRAY(arena, d->referenced_joints, m->noff_tree);
    CD_ARENA_ARRAY(arena, d->is_referenced, m->njoint);
    CD_ARENA_ARRAY(arena, d->q, m->nq_joint);
    CD_ARENA_ARRAY(arena, d->v, m->nv_joint);
    d->constraints.q = d->rotors.q = d->q;
    CD_ARENA_ARRAY(arena, d->state, m->nstate);
    CD_ARENA_ARRAY(arena, d->external_effort, m->nv_joint);
    CD_ARENA_ARRAY(arena, d->external_wrench, m->nbody);
    CD_ARENA_ARRAY(arena, d->external_driver_values, 3 * m->ndriver_function);
    CD_ARENA_ARRAY(arena, d->is_driver_external, m->ndriver_function);
    CD_ARENA_ARRAY(arena, d->signal, m->view.nsignal);
    CD_ARENA_ARRAY(arena, d->formula_value, m->nformula);
    CD_ARENA_ARRAY(arena, d->tape_scratch, fmax(cd_tape_work(m->formula_tape), cd_tape_work(m->output_tape)));
    CD_ARENA_ARRAY(arena, d->effort, m->nv_joint);
    CD_ARENA_ARRAY(arena, d->wrench, m->nlink);
    CD_ARENA_ARRAY(arena, d->bias_effort, m->nv);
    CD_ARENA_ARRAY(arena, d->r, m->nv);
    CD_ARENA_ARRAY(arena, d->scratch_nv, m->nv);
    CD_ARENA_ARRAY(arena, d->zero_nv, m->nv);
    CD_ARENA_ARRAY(arena, d->composite_inertia, m->nlink);
    CD_ARENA_ARRAY(arena, d->output_value, m->noutput_value);
    CD_ARENA_ARRAY(arena, d->gamma, d->solver_rows.nrow);
    CD_ARENA_ARRAY(arena, d->lambda, d->solver_rows.nrow);
    cd_gear_losses_layout(m, &d->constraints, d->solver_rows.nrow, arena, &d->gear_losses);
    cd_reaction_work_layout(m, d->constraints.nrow, d->solver_rows.nrow, arena, &d->reactions);
    CD_ARENA_ARRAY(arena, d->reactions.marker_constraint, d->constraints.nconstraint);
    CD_ARENA_ARRAY(arena, d->is_constraint_disabled, d->constraints.nconstraint);
    CD_ARENA_ARRAY(arena, d->redundant_row, d->solver_rows.nrow);
    CD_ARENA_ARRAY(arena, d->row_rhs, d->solver_rows.nrow);
    CD_ARENA_ARRAY(arena, d->correction_multiplier, d->solver_rows.nrow);
    CD_ARENA_ARRAY(arena, d->correction, m->nv);
    CD_ARENA_ARRAY(arena, d->row_unit_inverse, d->rows.nrow);
    CD_ARENA_ARRAY(arena, d->velocity_unit_inverse, m->nv);
    cd_nonholonomic_layout(&d->constraints, d->solver_rows.nrow, m->nv, arena, &d->nonholonomic);
    CD_ARENA_ARRAY(arena, d->state_rate, m->nstate + 1);
}

static cardan_status refuse_forces(const cardan_model* m, cardan_report* report)
{
    for (int i = 0; i < m->view.nforce; ++i) {
        const cardan_force*  force = &m->view.force[i];
        const cd_force_type* type  = cd_force_type_find(force->type);
        const int            j     = force->joint;
        if (!type)
            return cardan_fail(report, CARDAN_BAD_INPUT, CARDAN_CODE_UNKNOWN_NAME, force->location,
                               "force '%s': there is no force type '%s'", force->name, force->type);
        if (!type->acts_on_joint) continue;
        if (j == CARDAN_NONE)
            return cardan_fail(report, CARDAN_BAD_INPUT, CARDAN_CODE_INVALID_VALUE, force->location,
                               "force '%s': no joint to act on is given", force->name);
        if (m->joint[j].nelementary == 0 || force->axis < 0 || force->axis >= m->tree_range[j].nv)
            return cardan_fail(report, CARDAN_BAD_INPUT, CARDAN_CODE_INVALID_VALUE, force->location,
                               "force '%s': joint '%s' has no coordinate %d to act on", force->name, m->joint[j].name,
                               force->axis + 1);
    }
    return CARDAN_OK;
}

// Format "'order-n', 'reduction' and 'lagrange'": the formulations that support loops and are no references.
static const char* name_loop_formulations(char* text, size_t size)
{
    int count = 0, listed = 0;
    for (int i = 0; i < cd_formulation_count(); ++i)
        count +=
            (cd_formulation_at(i)->properties & (CD_SUPPORTS_LOOPS | CD_REFERENCE_IMPLEMENTATION)) == CD_SUPPORTS_LOOPS;
    text[0] = 0;
    for (int i = 0; i < cd_formulation_count(); ++i) {
        const cd_formulation* f  = cd_formulation_at(i);
        const size_t          at = strlen(text);
        if ((f->properties & (CD_SUPPORTS_LOOPS | CD_REFERENCE_IMPLEMENTATION)) != CD_SUPPORTS_LOOPS) continue;
        snprintf(text + at, size - at, "%s'%s'", listed == 0 ? "" : listed == count - 1 ? " and " : ", ", f->name);
        ++listed;
    }
    return text;
}

static cardan_status check_supported(const cardan_model* m, const cd_formulation* f, cardan_report* report)
{
    char names[200];
    if (f->tree_policy == CARDAN_TREE_MAXIMAL && m->policy != CARDAN_TREE_MAXIMAL)
        return cardan_fail(report, CARDAN_UNSUPPORTED, CARDAN_CODE_TREE_MISMATCH, cardan_location_none(),
                           "the formulation '%s' needs maximal coordinates: compile '%s' with the tree policy of "
                           "cardan_formulation_tree_policy",
                           f->name, m->view.name);
    if (m->ncut > 0 && !(f->properties & CD_SUPPORTS_LOOPS))
        return cardan_fail(report, CARDAN_UNSUPPORTED, CARDAN_CODE_LOOPS_NOT_SUPPORTED, cardan_location_none(),
                           "'%s' has %d loop%s, and the formulation '%s' supports trees only; %s support loops, and "
                           "'auto' chooses one of them",
                           m->view.name, m->ncut, m->ncut == 1 ? "" : "s", f->name,
                           name_loop_formulations(names, sizeof names));
    if (cd_constraint_count(m) > 0 && !(f->properties & CD_SUPPORTS_LOOPS))
        return cardan_fail(report, CARDAN_UNSUPPORTED, CARDAN_CODE_LOOPS_NOT_SUPPORTED, cardan_location_none(),
                           "'%s' has constraints, couplings or drivers, and the formulation '%s' supports trees only; "
                           "%s support constraints, and 'auto' chooses one of them",
                           m->view.name, f->name, name_loop_formulations(names, sizeof names));
    cardan_status status = refuse_forces(m, report);
    if (status == CARDAN_OK) status = cd_constraint_set_check(m, report);
    if (status != CARDAN_OK) return status;
    const int     nrotor = cd_rotor_count(m);
    const cd_rows rows   = {.nrow = cd_constraint_row_count(m) + nrotor, .nblock = cd_constraint_count(m) + nrotor};
    if (f->memory_estimate && f->memory_estimate(m, &rows) > cd_max_matrix_entries)
        return cardan_fail(
            report, CARDAN_UNSUPPORTED, CARDAN_CODE_MODEL_TOO_LARGE, cardan_location_none(),
            "the formulation '%s' needs a matrix of %.2g entries for '%s', which is too large: use order-n", f->name,
            f->memory_estimate(m, &rows), m->view.name);
    return CARDAN_OK;
}

// Allocate the data, run the symbolic phase of the formulation, then allocate its work memory.
static cardan_status allocate_work(cardan_data* d, cardan_report* report)
{
    const cardan_model*   m = d->m;
    const cd_formulation* f = d->formulation;
    layout(m, &d->arena, d);
    if (!cd_arena_reserve(&d->arena)) return CARDAN_NO_MEMORY;
    layout(m, &d->arena, d);
    if (!f) return CARDAN_OK;

    d->formulation_work = cd_allocate(1, f->work_size);
    if (!d->formulation_work) return CARDAN_NO_MEMORY;
    const cardan_status status = f->analyse ? f->analyse(m, &d->solver_rows, d->formulation_work, report) : CARDAN_OK;
    if (status != CARDAN_OK) return status;
    f->layout(m, &d->solver_rows, &d->work_arena, d->formulation_work);
    if (!cd_arena_reserve(&d->work_arena)) return CARDAN_NO_MEMORY;
    f->layout(m, &d->solver_rows, &d->work_arena, d->formulation_work);
    return CARDAN_OK;
}

void cd_reset_winding_numbers(cardan_data* d)
{
    const cardan_model* m = d->m;
    memcpy(d->q + m->nq, m->q_off_tree_start, (size_t)(m->nq_joint - m->nq) * sizeof *d->q);
    cd_constraint_set_reset(&d->constraints);
    cd_constraint_set_reset(&d->rotors);
    d->state_stale = true;
}

static cardan_status create(const cardan_model* m, const cd_formulation* f, int formulation, cardan_data** data,
                            cardan_report* report)
{
    cardan_data*  d    = cd_allocate(1, sizeof *d);
    cardan_status made = CARDAN_NO_MEMORY;
    if (d) {
        d->m                 = m;
        d->formulation       = f;
        d->formulation_index = formulation;
        made                 = allocate_work(d, report);
    }
    if (made != CARDAN_OK) {
        cardan_data_destroy(d);
        return made == CARDAN_NO_MEMORY ? cardan_fail(report, made, CARDAN_CODE_OUT_OF_MEMORY, cardan_location_none(),
                                                      "out of memory while preparing '%s' with '%s'", m->view.name,
                                                      f ? f->name : "no formulation")
                                        : made;
    }
    for (int i = 0; i < m->view.nforce; ++i) d->force_type[i] = cd_force_type_find(m->view.force[i].type);
    d->has_off_tree_forces = cd_joint_forces_active(m, true);
    cd_find_referenced_joints(d);
    cd_find_marker_constraints(d);
    d->length_scale = cd_compute_length_scale(d);
    d->length_unit  = fmin(1, 10 * d->length_scale);
    if (d->length_unit == 1) d->row_unit_inverse = d->velocity_unit_inverse = NULL;
    cd_reset_winding_numbers(d);
    cd_data_set_state(d, 0, m->q_start, m->v_start, m->state_start);
    cd_update_velocity_unit_inverse(d);
    *data = d;
    return CARDAN_OK;
}

cardan_status cardan_data_create(const cardan_model* m, int formulation, cardan_data** data, cardan_report* report)
{
    CD_REQUIRE_POINTER(data, "data", report);
    *data = NULL;
    CD_REQUIRE_POINTER(m, "model", report);
    if (formulation == CARDAN_FORMULATION_AUTO) {
        const cardan_status chosen = cd_resolve_automatic_formulation(m, &formulation, report);
        if (chosen != CARDAN_OK) return chosen;
    }
    if (formulation < 0 || formulation >= cd_formulation_count())
        return cardan_fail(report, CARDAN_BAD_USAGE, CARDAN_CODE_INVALID_ARGUMENT, cardan_location_none(),
                           "there is no formulation number %d", formulation);
    const cd_formulation* f      = cd_formulation_at(formulation);
    const cardan_status   status = check_supported(m, f, report);
    return status == CARDAN_OK ? create(m, f, formulation, data, report) : status;
}

cardan_status cd_data_create_without_formulation(const cardan_model* m, cardan_data** data, cardan_report* report)
{
    *data                      = NULL;
    const cardan_status status = cd_constraint_set_check(m, report);
    return status == CARDAN_OK ? create(m, NULL, CARDAN_NONE, data, report) : status;
}

void cardan_data_destroy(cardan_data* d)
{
    if (!d) return;
    if (d->formulation_work && d->formulation->release) d->formulation->release(d->formulation_work);
    cd_threads_destroy(d->threads);
    cd_arena_release(&d->arena);
    cd_arena_release(&d->work_arena);
    free(d->formulation_work);
    free(d->undecidable_rank_message);
    free(d);
}

const cardan_model* cardan_data_model(const cardan_data* d) { return d ? d->m : NULL; }
int                 cardan_data_formulation(const cardan_data* d) { return d ? d->formulation_index : CARDAN_NONE; }

void cd_data_set_time(cardan_data* d, double t, const double* state)
{
    const cardan_model* m = d->m;
    d->t                  = t;
    if (state && state != d->state && m->nstate > 0) memcpy(d->state, state, (size_t)m->nstate * sizeof *state);
    d->state_stale  = false;
    d->k.world_pose = NULL;
    cd_constraint_set_evaluate_drivers(m, t, &d->constraints);
    for (int i = 0; i < m->ndriver_function; ++i)
        if (d->is_driver_external[i])
            memcpy(d->constraints.driver_values + 3 * i, d->external_driver_values + 3 * i, 3 * sizeof(double));
    d->world_valid = d->off_tree_joints_valid = d->referenced_joints_valid = d->forces_valid =
        d->constraint_values_valid = d->rows_valid = d->gamma_valid = d->factor_valid = d->solution_valid =
            d->reactions.limit.valid                                                  = false;
}

cardan_status cardan_data_set_state(cardan_data* d, double t, const double* q, const double* v, const double* state)
{
    CD_REQUIRE_POINTER(d, "data", NULL);
    CD_REQUIRE_ARRAY(q, d->m->nq, "q", NULL);
    CD_REQUIRE_ARRAY(v, d->m->nv, "v", NULL);
    const cardan_status status = cardan_model_check_state(d->m, t, q, v, state, NULL);
    return status == CARDAN_OK ? cd_data_set_state(d, t, q, v, state) : status;
}

cardan_status cd_data_set_state(cardan_data* d, double t, const double* q, const double* v, const double* state)
{
    const cardan_model* m = d->m;
    if (q != d->q && m->nq > 0) memcpy(d->q, q, (size_t)m->nq * sizeof *q);
    if (v != d->v && m->nv > 0) memcpy(d->v, v, (size_t)m->nv * sizeof *v);
    cd_model_normalize_position(m, d->q);
    cd_forward_kinematics(m, &d->k, d->q);
    cd_data_set_time(d, t, state);
    d->blocked.active = d->blocked.rows_not_stored = d->blocked.columns_not_stored = false;
    return CARDAN_OK;
}

static bool are_equal(int n, const double* a, const double* b)
{
    return n == 0 || memcmp(a, b, (size_t)n * sizeof *a) == 0;
}

cardan_status cd_data_set_state_if_changed(cardan_data* d, double t, const double* q, const double* v,
                                           const double* state)
{
    const cardan_model* m = d->m;
    if (!d->state_stale && d->t == t && q != d->q && v != d->v && are_equal(m->nq, q, d->q) &&
        are_equal(m->nv, v, d->v) && (!state || are_equal(m->nstate, state, d->state)))
        return CARDAN_OK;
    return cd_data_set_state(d, t, q, v, state);
}

void cd_data_set_velocity(cardan_data* d, const double* v)
{
    if (v != d->v) memcpy(d->v, v, (size_t)d->m->nv * sizeof *v);
    d->world_valid = d->off_tree_joints_valid = d->referenced_joints_valid = d->forces_valid =
        d->constraint_values_valid = d->gamma_valid = d->solution_valid = d->reactions.limit.valid =
            false; // J depends on the position only
}

void cd_update_world(cardan_data* d)
{
    if (d->blocked.columns_not_stored && !d->blocked.active) {
        cd_forward_kinematics(d->m, &d->k, d->q);
        d->blocked.columns_not_stored = false;
    }
    if (d->world_valid) return;
    cd_world_poses(d->m, &d->k, d->v, &d->world);
    d->k.world_pose = d->world.pose;
    d->world_valid  = true;
}

// Evaluate values and rates; with `rows` also the Jacobian; with `gamma` also the start of gamma, which needs the
// world accelerations at a = 0. Returns whether gamma was started.
static bool update_constraint_values(cardan_data* d, bool rows, bool gamma)
{
    if (!d->blocked.active) cd_blocked_store_rows(d);
    if (d->constraint_values_valid || d->solver_rows.nrow == 0) return false;
    cd_update_world(d);
    if (rows && !d->rows_valid) {
        cd_constraint_set_evaluate_with_jacobian(d->m, &d->k, &d->world, &d->constraints, gamma ? d->gamma : NULL);
        cd_constraint_set_evaluate_with_jacobian(d->m, &d->k, &d->world, &d->rotors,
                                                 gamma ? d->gamma + d->rows.nrow : NULL);
    } else {
        cd_constraint_set_evaluate(&d->world, &d->constraints);
        cd_constraint_set_evaluate(&d->world, &d->rotors);
        rows = false;
    }
    if (d->has_disabled_constraint) cd_zero_disabled_values(d);
    d->unscaled_violation          = cd_norm_inf(d->rows.nrow, d->constraints.value);
    d->unscaled_velocity_violation = cd_norm_inf(d->rows.nrow, d->constraints.rate);
    d->constraint_values_valid     = true;
    if (d->row_unit_inverse && !d->row_unit_inverse_valid) cd_update_row_unit_inverse(d);
    d->violation =
        d->row_unit_inverse ? cd_row_norm_inf(d, 0, d->rows.nrow, d->constraints.value) : d->unscaled_violation;
    d->velocity_violation =
        d->row_unit_inverse ? cd_row_norm_inf(d, 0, d->rows.nrow, d->constraints.rate) : d->unscaled_velocity_violation;
    if (!rows) return false;
    d->rows_valid = true;
    return gamma;
}

void cd_update_constraint_values(cardan_data* d) { update_constraint_values(d, false, false); }
void cd_update_constraint_values_and_rows(cardan_data* d) { update_constraint_values(d, true, false); }

static void add_baumgarte_terms(const cardan_data* d, int n, const double* value, const double* rate, double* gamma)
{
    const double damping   = 2 * d->baumgarte_rate + d->velocity_damping_rate,
                 stiffness = d->baumgarte_rate * d->baumgarte_rate;
    for (int i = 0; damping > 0 && i < n; ++i) gamma[i] -= damping * rate[i] + stiffness * value[i];
}

// In maximal coordinates the world accelerations at a = 0 vanish.
void cd_update_gamma_range(cardan_data* d, int first, int n, const cd_constraint_equations* equations)
{
    for (int i = 0; i < n; ++i) d->gamma[first + i] = -equations->h[i];
    add_baumgarte_terms(d, n, equations->value, equations->rate, d->gamma + first);
}

// accelerations_are_zero: the world accelerations are already those at a = 0. gamma_started: gamma is complete except
// for the Baumgarte terms.
static void update_gamma(cardan_data* d, bool accelerations_are_zero, bool gamma_started)
{
    const cd_world_motion* world = d->m->policy == CARDAN_TREE_MAXIMAL ? NULL : &d->world;
    if (world && !accelerations_are_zero) cd_world_accelerations(d->m, &d->k, d->v, d->zero_nv, &d->world);
    if (!gamma_started) {
        cd_constraint_set_gamma(world, &d->constraints, d->gamma);
        cd_constraint_set_gamma(world, &d->rotors, d->gamma + d->rows.nrow);
    }
    add_baumgarte_terms(d, d->rows.nrow, d->constraints.value, d->constraints.rate, d->gamma);
    d->rows.gamma_scale = d->solver_rows.gamma_scale = 0;
    d->gamma_valid                                   = true;
}

void cd_update_gamma_scale(cardan_data* d)
{
    if (d->rows.gamma_scale > 0 || d->rows.nrow == 0) return;
    cd_world_accelerations(d->m, &d->k, d->v, d->zero_nv, &d->world);
    d->rows.gamma_scale = d->solver_rows.gamma_scale = cd_constraint_set_gamma_scale(&d->world, &d->constraints, NULL);
}

static void update_rows_and_gamma(cardan_data* d, bool accelerations_are_zero)
{
    if (d->solver_rows.nrow == 0) return;
    const bool was_valid     = d->rows_valid && d->gamma_valid;
    const bool gamma_started = update_constraint_values(d, true, accelerations_are_zero);
    if (!d->rows_valid) {
        cd_constraint_set_jacobian(d->m, &d->k, &d->world, &d->constraints);
        cd_constraint_set_jacobian(d->m, &d->k, &d->world, &d->rotors);
        d->rows_valid = true;
    }
    if (!d->gamma_valid) update_gamma(d, accelerations_are_zero, gamma_started);
    if (d->has_disabled_constraint) cd_zero_disabled_rows(d);
    if (!was_valid) cd_zero_negligible_constraints(d);
}

void cd_update_rows(cardan_data* d) { update_rows_and_gamma(d, false); }

enum { LINKS_PER_BLOCK = 16 }; // so that they stay in the first-level cache during the three passes

void cd_update_link_wrenches_and_rows(cardan_data* d)
{
    const cardan_model* m           = d->m;
    const bool          needs_world = !d->world_valid, needs_accelerations = !d->gamma_valid;
    for (int from = 0, to; from < m->nlink; from = to) {
        to = from + LINKS_PER_BLOCK < m->nlink ? from + LINKS_PER_BLOCK : m->nlink;
        if (needs_world) cd_world_poses_range(m, &d->k, d->v, &d->world, from, to);
        cd_link_wrenches(m, &d->k, d->v, from, to);
        if (needs_accelerations) cd_world_accelerations_range(m, &d->k, d->v, d->zero_nv, &d->world, from, to);
    }
    d->k.world_pose = d->world.pose;
    d->world_valid = d->link_wrenches_not_summed = true;
    update_rows_and_gamma(d, needs_accelerations);
    cd_update_forces(d);
}

cardan_status cardan_data_set_external_forces(cardan_data* d, const double* effort, const double (*wrench)[6])
{
    CD_REQUIRE_POINTER(d, "data", NULL);
    const cardan_model* m = d->m;
    if ((effort && !cd_all_finite(m->nv, effort)) || (wrench && !cd_all_finite(6 * m->nbody, wrench[0])))
        return CARDAN_BAD_USAGE;
    d->has_external_forces = effort || wrench;
    d->forces_valid = d->solution_valid = d->reactions.limit.valid = false;
    memset(d->external_effort, 0, (size_t)m->nv_joint * sizeof *d->external_effort);
    if (effort) memcpy(d->external_effort, effort, (size_t)m->nv * sizeof *effort);
    for (int i = 0; i < m->nbody; ++i)
        d->external_wrench[i] = wrench ? (spatial){v3_const(wrench[i]), v3_const(wrench[i] + 3)} : sv_zero();
    return CARDAN_OK;
}
