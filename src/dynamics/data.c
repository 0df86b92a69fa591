// SPDX-License-Identifier: BSD-3-Clause
// Creation of the data of one simulation, in one memory block, and its state and caches.
#include "dynamics/data.h"

#include "core/check_arguments.h"
#include "dynamics/contacts/compliant_contacts.h"
#include "dynamics/formulation_choice/automatic_formulation.h"
#include "dynamics/rows/jacobian_operator.h"
#include "dynamics/rows/joint_coordinates.h"
#include "dynamics/rows/rotors.h"
#include "dynamics/state.h"
#include "dynamics/unit_scales.h"
#include "constraint/constraint_sources.h"
#include "model/reaction_signals.h"

#include <cardan/assemble.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void layout_contacts(const cardan_model* m, cd_arena* arena, cardan_data* d)
{
    cd_contacts measured = {0};
    CD_ARENA_ARRAY(arena, d->contacts, 1);
    cd_contacts_layout(m, &d->solver_rows, arena, d->contacts ? d->contacts : &measured);
}

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
    cd_undetermined_search_layout(m, d->solver_rows.nrow, arena, &d->solve.undetermined);
    CD_ARENA_ARRAY(arena, d->forces.type, m->view.nforce);
    CD_ARENA_ARRAY(arena, d->settings.is_force_disabled, m->view.nforce);
    CD_ARENA_ARRAY(arena, d->forces.referenced.joint, m->noff_tree);
    CD_ARENA_ARRAY(arena, d->forces.referenced.is_referenced, m->njoint);
    CD_ARENA_ARRAY(arena, d->q, m->nq_joint);
    CD_ARENA_ARRAY(arena, d->v, m->nv_joint);
    d->constraints.q = d->rotors.q = d->q;
    CD_ARENA_ARRAY(arena, d->state, m->nstate);
    CD_ARENA_ARRAY(arena, d->external.effort, m->nv_joint);
    CD_ARENA_ARRAY(arena, d->external.wrench, m->nbody);
    CD_ARENA_ARRAY(arena, d->external.driver_values, 3 * m->ndriver_function);
    CD_ARENA_ARRAY(arena, d->external.is_driver_external, m->ndriver_function);
    CD_ARENA_ARRAY(arena, d->external.driven, m->ndriver_function);
    CD_ARENA_ARRAY(arena, d->forces.signal, m->view.nsignal);
    CD_ARENA_ARRAY(arena, d->forces.formula_value, m->nformula + 3 * m->nbristle);
    CD_ARENA_ARRAY(arena, d->forces.tape_scratch, fmax(cd_tape_work(m->formula_tape), cd_tape_work(m->output_tape)));
    CD_ARENA_ARRAY(arena, d->forces.effort, m->nv_joint);
    CD_ARENA_ARRAY(arena, d->forces.wrench, m->nlink);
    CD_ARENA_ARRAY(arena, d->solve.bias_effort, m->nv);
    CD_ARENA_ARRAY(arena, d->solve.r, m->nv);
    CD_ARENA_ARRAY(arena, d->scratch.nv, m->nv);
    CD_ARENA_ARRAY(arena, d->scratch.zero_nv, m->nv);
    CD_ARENA_ARRAY(arena, d->scratch.impulse, 2 * m->nv);
    CD_ARENA_ARRAY(arena, d->scratch.composite_inertia, m->nlink);
    CD_ARENA_ARRAY(arena, d->scratch.output_value, m->noutput_value);
    CD_ARENA_ARRAY(arena, d->solve.gamma, d->solver_rows.nrow);
    CD_ARENA_ARRAY(arena, d->solve.lambda, d->solver_rows.nrow);
    cd_gear_losses_layout(m, &d->constraints, d->solver_rows.nrow, arena, &d->gear_losses);
    cd_reaction_loads_layout(m, arena, &d->reaction_loads);
    cd_reaction_work_layout(m, d->constraints.nrow, d->solver_rows.nrow, arena, &d->reactions);
    CD_ARENA_ARRAY(arena, d->reactions.marker_constraint, d->constraints.nconstraint);
    CD_ARENA_ARRAY(arena, d->settings.is_constraint_disabled, d->constraints.nconstraint);
    CD_ARENA_ARRAY(arena, d->solve.redundant_row, d->solver_rows.nrow);
    CD_ARENA_ARRAY(arena, d->solve.row_rhs, d->solver_rows.nrow);
    CD_ARENA_ARRAY(arena, d->solve.correction_multiplier, d->solver_rows.nrow);
    CD_ARENA_ARRAY(arena, d->solve.correction, m->nv);
    CD_ARENA_ARRAY(arena, d->units.row_unit_inverse, d->rows.nrow);
    CD_ARENA_ARRAY(arena, d->units.velocity_unit_inverse, m->nv);
    cd_nonholonomic_layout(&d->constraints, d->solver_rows.nrow, m->nv, arena, &d->solve.nonholonomic);
    CD_ARENA_ARRAY(arena, d->scratch.state_rate, m->nstate + 1);
    if (d->formulation && cd_model_has_rigid_contacts(m)) layout_contacts(m, arena, d);
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

// Losses of gears depend on the multipliers; so do forces that read reactions, and rigid contacts change them.
static cardan_status refuse_with_losses(const cardan_model* m, const cd_constraint* c, cardan_report* report)
{
    if (cd_model_has_rigid_contacts(m))
        return cardan_fail(
            report, CARDAN_UNSUPPORTED, CARDAN_CODE_NOT_SUPPORTED, c->location,
            "%s '%s' has losses, which are not supported together with rigid contacts, rigid limits or dry "
            "friction that sticks",
            c->category, c->name);
    return cd_refuse_reaction_signals(m, "which is not supported together with losses of gears", report);
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
    if (status == CARDAN_OK) status = cd_contacts_check_supported(m, f, report);
    cd_constraint c;
    for (cd_constraint_source source = cd_constraint_source_begin(m);
         status == CARDAN_OK && cd_constraint_source_next(m, &source, &c);)
        if (c.has_losses) status = refuse_with_losses(m, &c, report);
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
    layout(m, &d->memory.arena, d);
    if (!cd_arena_reserve(&d->memory.arena)) return CARDAN_NO_MEMORY;
    layout(m, &d->memory.arena, d);
    if (!f) return CARDAN_OK;

    d->formulation_work = cd_allocate(1, f->work_size);
    if (!d->formulation_work) return CARDAN_NO_MEMORY;
    const cardan_status status = f->analyse ? f->analyse(m, &d->solver_rows, d->formulation_work, report) : CARDAN_OK;
    if (status != CARDAN_OK) return status;
    f->layout(m, &d->solver_rows, &d->memory.work_arena, d->formulation_work);
    if (!cd_arena_reserve(&d->memory.work_arena)) return CARDAN_NO_MEMORY;
    f->layout(m, &d->solver_rows, &d->memory.work_arena, d->formulation_work);
    return CARDAN_OK;
}

static cardan_status create(const cardan_model* m, const cd_formulation* f, cardan_data** data, cardan_report* report)
{
    cardan_data*  d    = cd_allocate(1, sizeof *d);
    cardan_status made = CARDAN_NO_MEMORY;
    if (d) {
        d->m           = m;
        d->formulation = f;
        made           = allocate_work(d, report);
        if (made == CARDAN_OK) made = cd_compliant_create(d, report);
    }
    if (made != CARDAN_OK) {
        cardan_data_destroy(d);
        return made == CARDAN_NO_MEMORY ? cardan_fail(report, made, CARDAN_CODE_OUT_OF_MEMORY, cardan_location_none(),
                                                      "out of memory while preparing '%s' with '%s'", m->view.name,
                                                      f ? f->name : "no formulation")
                                        : made;
    }
    for (int i = 0; i < m->view.nforce; ++i) d->forces.type[i] = cd_force_type_find(m->view.force[i].type);
    d->forces.has_off_tree_forces = cd_joint_forces_active(m, true);
    cd_find_referenced_joints(d);
    cd_find_marker_constraints(d);
    cd_driven_inputs_init(d);
    d->units.length_scale = cd_compute_length_scale(d);
    d->units.length_unit  = fmin(1, 10 * d->units.length_scale);
    if (d->contacts) cd_contacts_init(d);
    if (d->units.length_unit == 1) d->units.row_unit_inverse = d->units.velocity_unit_inverse = NULL;
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
    return status == CARDAN_OK ? create(m, f, data, report) : status;
}

cardan_status cd_data_create_without_formulation(const cardan_model* m, cardan_data** data, cardan_report* report)
{
    *data                      = NULL;
    const cardan_status status = cd_constraint_set_check(m, report);
    return status == CARDAN_OK ? create(m, NULL, data, report) : status;
}

void cardan_data_destroy(cardan_data* d)
{
    if (!d) return;
    if (d->formulation_work && d->formulation->release) d->formulation->release(d->formulation_work);
    cd_compliant_destroy(d->forces.compliant);
    cd_threads_destroy(d->memory.threads);
    cd_arena_release(&d->memory.arena);
    cd_arena_release(&d->memory.work_arena);
    free(d->formulation_work);
    free(d->settings.undecidable_rank_message);
    free(d);
}

const cardan_model* cardan_data_model(const cardan_data* d) { return d ? d->m : NULL; }

int cardan_data_formulation(const cardan_data* d)
{
    return d && d->formulation ? cardan_formulation_find(d->formulation->name) : CARDAN_NONE;
}
