// SPDX-License-Identifier: BSD-3-Clause
// All forces at the state: signals to formulas, formulas and force elements to wrenches and efforts.
#include "dynamics/data.h"

#include "core/arguments.h"
#include "equation/loads.h"
#include "force/signals.h"
#include "model/description.h"

#include <math.h>
#include <string.h>

void cd_signals(cardan_data* d, double* signal)
{
    const cardan_model*    m      = d->m;
    const cd_signal_source source = {m, &d->world, d->t, d->q, d->v, d->state, d->outer_effort};
    for (int i = 0; i < m->view.nsignal; ++i) {
        const cardan_signal* s = &m->view.signal[i];
        if (s->kind == CARDAN_SIGNAL_COORDINATE || s->kind == CARDAN_SIGNAL_SPEED)
            cd_know_felt(d);
        else if (s->kind != CARDAN_SIGNAL_TIME && s->kind != CARDAN_SIGNAL_STATE && s->kind != CARDAN_SIGNAL_PARAMETER)
            cd_know_world(d);
        signal[i] = cd_signal_value(&source, s);
    }
}

void cd_know_forces(cardan_data* d)
{
    const cardan_model* m = d->m;
    if (d->forces_known) return;
    d->forces_known = true;
    d->storing      = 0;
    d->pushed       = m->view.nforce > 0 || d->loaded || d->measured_act;
    if (d->loaded)
        cd_know_measured(d);
    else if (d->measured_act)
        cd_know_felt(d);
    const bool idle = !d->pushed && m->nlaw == 0 && d->closure.nlossy == 0;
    if (!idle || !d->idle) memcpy(d->effort, d->outer_effort, (size_t)m->nv_all * sizeof *d->effort);
    d->idle = idle;
    cd_laws_apply(m, d->q, d->v, d->held, d->effort);
    if (d->closure.nlossy > 0) memset(d->losses.effort, 0, (size_t)m->nv * sizeof *d->effort);
    if (m->nrates > 0) {
        cd_signals(d, d->signal);
        cd_tape_run(m->rates, d->signal, d->scratch, d->rates);
    }
    if (!d->pushed) return;
    cd_know_world(d);
    memset(d->wrench, 0, (size_t)m->nlink * sizeof *d->wrench);
    if (d->loaded) cd_gather_wrenches(m, &d->world, d->outer_wrench, d->wrench);
    cd_apply_elements(m, d->force, d->left_out, &d->world, d->rates, d->wrench, d->effort, &d->storing);
    cd_push_joints(m, &d->world, d->q, d->effort, d->wrench);
    d->push_power = 0;
    for (int i = 0; i < m->nlink; ++i) d->push_power += sv_dot(d->world.velocity[i], d->wrench[i]);
    cd_turn_wrenches(m, &d->world, d->wrench);
}

double cardan_evaluate(cardan_data* d, cardan_expression expression)
{
    if (!d || !cd_is_index(expression, cd_graph_size(d->m->description->graph))) return NAN;
    const cardan_model* m     = d->m;
    double              value = NAN;
    cd_signals(d, d->signal);
    if (expression != CARDAN_NONE && expression == m->view.run->stop) {
        cd_tape_run(m->watched, d->signal, d->scratch, d->x_watched);
        return d->x_watched[m->view.noutput];
    }
    for (int i = 0; expression != CARDAN_NONE && i < m->view.noutput; ++i)
        if (expression == m->view.output[i].value) {
            cd_tape_run(m->watched, d->signal, d->scratch, d->x_watched);
            return d->x_watched[i];
        }
    cd_node_evaluate(m->description->graph, expression, d->signal, &value);
    return value;
}

cardan_status cardan_outputs(cardan_data* d, double* value)
{
    CD_REFUSE_NULL(d, "data", NULL);
    CD_REFUSE_NO_ARRAY(value, d->m->view.noutput, "value", NULL);
    const cardan_model* m = d->m;
    cd_signals(d, d->signal);
    cd_tape_run(m->watched, d->signal, d->scratch, d->x_watched);
    if (m->view.noutput > 0) memcpy(value, d->x_watched, (size_t)m->view.noutput * sizeof *value);
    return CARDAN_OK;
}
