// SPDX-License-Identifier: BSD-3-Clause
// All forces at the state: signals are inputs of formulas; formulas and force elements give wrenches and efforts.

#include "dynamics/forces.h"

#include "core/check_arguments.h"
#include "dynamics/contacts/compliant_contacts.h"
#include "dynamics/rows/joint_coordinates.h"
#include "dynamics/state.h"
#include "equation/applied_wrenches.h"
#include "force/signal_values.h"
#include "model/description.h"

#include <math.h>
#include <string.h>

void cd_evaluate_signals(cardan_data* d, double* signal)
{
    const cardan_model*   m      = d->m;
    const cd_signal_input source = {m, &d->world, d->t, d->q, d->v, d->state, d->external.effort};
    for (int i = 0; i < m->view.nsignal; ++i) {
        const cardan_signal* s = &m->view.signal[i];
        if (s->kind == CARDAN_SIGNAL_COORDINATE || s->kind == CARDAN_SIGNAL_SPEED)
            cd_update_referenced_joints(d);
        else if (s->kind != CARDAN_SIGNAL_TIME && s->kind != CARDAN_SIGNAL_STATE && s->kind != CARDAN_SIGNAL_PARAMETER)
            cd_update_world(d);
        signal[i] = s->kind == CARDAN_SIGNAL_REACTION && d->reaction_loads.n > 0 ? d->reaction_loads.value[i]
                                                                                 : cd_signal_value(&source, s);
    }
}

void cd_update_forces(cardan_data* d)
{
    const cardan_model* m = d->m;
    if (d->valid.forces) return;
    d->valid.forces        = true;
    d->forces.stored_power = 0;
    d->forces.has_wrenches = m->view.nforce > 0 || d->external.has_forces || d->external.ngrab > 0 ||
                             d->forces.has_off_tree_forces || d->forces.compliant;
    if (d->external.has_forces)
        cd_update_off_tree_joints(d);
    else if (d->forces.has_off_tree_forces)
        cd_update_referenced_joints(d);
    const bool no_efforts = !d->forces.has_wrenches && m->njoint_force == 0 && d->constraints.nlossy == 0;
    if (!no_efforts || !d->forces.no_efforts)
        memcpy(d->forces.effort, d->external.effort, (size_t)m->nv_joint * sizeof *d->forces.effort);
    d->forces.no_efforts = no_efforts;
    cd_joint_forces_apply(m, d->q, d->v, d->settings.frozen_stops, d->forces.effort);
    if (d->constraints.nlossy > 0) memset(d->gear_losses.effort, 0, (size_t)m->nv * sizeof *d->forces.effort);
    if (m->nformula > 0) {
        cd_evaluate_signals(d, d->forces.signal);
        cd_tape_run(m->formula_tape, d->forces.signal, d->forces.tape_scratch, d->forces.formula_value);
    }
    if (!d->forces.has_wrenches) return;
    cd_update_world(d);
    memset(d->forces.wrench, 0, (size_t)m->nlink * sizeof *d->forces.wrench);
    if (d->external.has_forces) cd_add_body_wrenches(m, &d->world, d->external.wrench, d->forces.wrench);
    cd_add_grab_wrenches(d->external.ngrab, d->external.grab, d->t, &d->world, d->forces.wrench);
    cd_apply_force_elements(m, d->forces.type, d->settings.is_force_disabled, &d->world, d->forces.formula_value,
                            d->forces.wrench, d->forces.effort, &d->forces.stored_power);
    if (d->forces.compliant) {
        cd_apply_compliant_contacts(d, d->forces.wrench);
        d->forces.stored_power += d->forces.compliant->stored_power;
    }
    cd_add_off_tree_efforts(m, &d->world, d->q, d->forces.effort, d->forces.wrench);
    d->forces.wrench_power = 0;
    for (int i = 0; i < m->nlink; ++i) d->forces.wrench_power += sv_dot(d->world.velocity[i], d->forces.wrench[i]);
    cd_rotate_wrenches_to_links(m, &d->world, d->forces.wrench);
}

void cd_update_rhs(cardan_data* d)
{
    cd_update_forces(d);
    cd_inverse_dynamics(d->m, &d->k, d->v, NULL, d->forces.has_wrenches ? d->forces.wrench : NULL,
                        d->solve.bias_effort);
    for (int i = 0; i < d->m->nv; ++i) d->solve.r[i] = d->forces.effort[i] - d->solve.bias_effort[i];
    d->valid.link_wrenches_not_summed = false;
}

double cardan_data_evaluate_expression(cardan_data* d, cardan_expression expression)
{
    if (!d || !cd_is_index(expression, cd_graph_size(d->m->description->graph))) return NAN;
    const cardan_model* m     = d->m;
    double              value = NAN;
    cd_evaluate_signals(d, d->forces.signal);
    if (expression != CARDAN_NONE && expression == m->view.run->stop_condition) {
        cd_tape_run(m->output_tape, d->forces.signal, d->forces.tape_scratch, d->scratch.output_value);
        return d->scratch.output_value[m->view.noutput];
    }
    for (int i = 0; expression != CARDAN_NONE && i < m->view.noutput; ++i)
        if (expression == m->view.output[i].value) {
            cd_tape_run(m->output_tape, d->forces.signal, d->forces.tape_scratch, d->scratch.output_value);
            return d->scratch.output_value[i];
        }
    cd_node_evaluate(m->description->graph, expression, d->forces.signal, &value);
    return value;
}

cardan_status cardan_data_evaluate_outputs(cardan_data* d, double* value)
{
    CD_REQUIRE_POINTER(d, "data", NULL);
    CD_REQUIRE_ARRAY(value, d->m->view.noutput, "value", NULL);
    const cardan_model* m = d->m;
    cd_evaluate_signals(d, d->forces.signal);
    cd_tape_run(m->output_tape, d->forces.signal, d->forces.tape_scratch, d->scratch.output_value);
    if (m->view.noutput > 0) memcpy(value, d->scratch.output_value, (size_t)m->view.noutput * sizeof *value);
    return CARDAN_OK;
}
