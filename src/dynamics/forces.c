// SPDX-License-Identifier: BSD-3-Clause
// All forces at the state: signals to formulas, formulas and force elements to wrenches and efforts.
#include "dynamics/data.h"

#include "force/signals.h"
#include "model/description.h"

#include <math.h>
#include <string.h>

void cd_signals(cardan_data* d, double* signal)
{
    const cardan_model*    m      = d->m;
    const cd_signal_source source = {m, &d->world, d->t, d->q, d->v, d->state};
    for (int i = 0; i < m->view.nsignal; ++i) {
        const cardan_signal* s = &m->view.signal[i];
        if (s->kind == CARDAN_SIGNAL_COORDINATE || s->kind == CARDAN_SIGNAL_SPEED) cd_know_measured(d);
        else if (s->kind != CARDAN_SIGNAL_TIME && s->kind != CARDAN_SIGNAL_STATE) cd_know_world(d);
        signal[i] = cd_signal_value(&source, s);
    }
}

static void apply_elements(cardan_data* d)
{
    const cardan_model* m = d->m;
    cd_force_effect     effect = {d->wrench, d->effort};
    cd_know_world(d);
    for (int i = 0; i < m->view.nforce; ++i) {
        const cd_force_input input = {m, &d->world, d->rates + 3 * i};
        d->force[i]->apply(&m->view.force[i], &input, &effect);
    }
}

// Wrenches from outside come at the mass centres of the described bodies and are gathered at the origins of their links.
static void apply_outer(cardan_data* d)
{
    const cardan_model* m = d->m;
    memset(d->wrench, 0, (size_t)m->nlink * sizeof *d->wrench);
    if (!d->loaded) return;
    cd_know_world(d);
    for (int i = 0; i < m->nbody; ++i) {
        const cd_attached* at = &m->body[i];
        const spatial      F  = d->outer_wrench[i];
        const vec3         c  = v3_add(v3_lift(at->p), m3_mul(m3_lift(at->R), v3_lift(m->view.body[i].centre)));
        const vec3         r  = m3_mul(d->world.pose[at->link].R, c);
        if (at->link >= 0) d->wrench[at->link] = sv_add(d->wrench[at->link], (spatial){v3_add(F.a, v3_cross(r, F.l)), F.l});
    }
}

// World axes to the axes of each link.
static void turn_wrenches(cardan_data* d)
{
    for (int i = 0; i < d->m->nlink; ++i) {
        const mat3 R = d->world.pose[i].R;
        d->wrench[i] = (spatial){m3_tmul(R, d->wrench[i].a), m3_tmul(R, d->wrench[i].l)};
    }
}

void cd_know_forces(cardan_data* d)
{
    const cardan_model* m = d->m;
    if (d->forces_known) return;
    d->forces_known = true;
    d->pushed       = m->view.nforce > 0 || d->loaded || d->measured_act;
    if (d->measured_act || d->loaded) cd_know_measured(d);
    memcpy(d->effort, d->outer_effort, (size_t)m->nv_all * sizeof *d->effort);
    cd_laws_apply(m, d->q, d->v, d->held, d->effort);
    if (d->closure.nlossy > 0) memset(d->losses.effort, 0, (size_t)m->nv * sizeof *d->effort);
    if (m->nrates > 0) {
        cd_signals(d, d->signal);
        cd_tape_run(m->rates, d->signal, d->scratch, d->rates);
    }
    if (!d->pushed) return;
    apply_outer(d);
    apply_elements(d);
    cd_push_measured(d);
    turn_wrenches(d);
}

double cardan_evaluate(cardan_data* d, cardan_expression expression)
{
    const cardan_model* m = d->m;
    double              value = NAN;
    cd_signals(d, d->signal);
    if (expression != CARDAN_NONE && expression == m->view.run->stop) {
        cd_tape_run(m->watched, d->signal, d->scratch, d->x_watched);
        return d->x_watched[m->view.noutput];
    }
    cd_node_evaluate(m->description->graph, expression, d->signal, &value);
    return value;
}

void cardan_outputs(cardan_data* d, double* value)
{
    const cardan_model* m = d->m;
    cd_signals(d, d->signal);
    cd_tape_run(m->watched, d->signal, d->scratch, d->x_watched);
    memcpy(value, d->x_watched, (size_t)m->view.noutput * sizeof *value);
}
