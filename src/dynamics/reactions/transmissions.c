// SPDX-License-Identifier: BSD-3-Clause
// Efforts transmitted by gears, belts, racks, worms, couplers and mimic couplings along the joint coordinates that
// they couple. The row sum of factor q = offset has one multiplier, so that the efforts are proportional to the
// factors,
//
//     effort along q_i = -factor_i lambda,
//
// a torque about the axis of a wheel, a force along a rack; their powers add up to zero. The loss on the driven side
// of a worm is subtracted (gear_losses.c).
#include "dynamics/data.h"

static const cd_constraint* find_transmission(const cardan_data* d, int i)
{
    for (int n = 0; n < d->constraints.nconstraint; ++n) {
        const cd_constraint* c = &d->constraints.constraint[n];
        if (c->coupled && !c->driven_rows && i-- == 0) return c;
    }
    return NULL;
}

int cardan_data_transmission_count(const cardan_data* d)
{
    int count = 0;
    while (d && find_transmission(d, count)) ++count;
    return count;
}

cardan_transmission cardan_data_transmission_at(const cardan_data* d, int i)
{
    const cd_constraint* c = d && i >= 0 ? find_transmission(d, i) : NULL;
    cardan_transmission  t = {.name = c ? c->name : "", .n = c ? c->coupled->n : 0, .unique = true};
    for (int k = 0; k < t.n; ++k) {
        const cd_coordinate* x = &c->coupled->coordinate[k];
        t.joint[k]             = x->joint;
        t.axis[k]              = x->axis_index;
        t.unit[k]              = x->kind >= CD_ANGLE_Z ? "N m" : "N";
    }
    return t;
}

// Loss along coordinate k per unit multiplier; 0 if the gear has none, or on its other side.
static double loss_factor(const cardan_data* d, const cd_constraint* c, int k)
{
    const cd_gear_losses* l = &d->gear_losses;
    for (int i = 0; c->has_losses && i < d->constraints.nlossy; ++i)
        if (&d->constraints.constraint[l->constraint[i]] == c && (l->forward[i] ? 1 : 0) == k)
            return l->loss_per_multiplier[i];
    return 0;
}

void cd_compute_transmissions(const cardan_data* d, cardan_transmission* t)
{
    const cd_constraint* c;
    for (int i = 0; (c = find_transmission(d, i)); ++i) {
        const double lambda = d->reactions.lambda[c->first_row];
        t[i]                = cardan_data_transmission_at(d, i);
        t[i].unique         = cd_multipliers_are_unique(d, c);
        for (int k = 0; k < t[i].n; ++k) t[i].effort[k] = (loss_factor(d, c, k) - c->coupled->factor[k]) * lambda;
    }
}
