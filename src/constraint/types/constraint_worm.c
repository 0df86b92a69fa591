// SPDX-License-Identifier: BSD-3-Clause
// Worm gear: angle of the worm = ratio * angle of the wheel + offset. Its row is that of a gear. Its efficiency is
// friction proportional to the load, computed from the multiplier after the solve (dynamics/gear_losses.c):
//
//   lambda w1 >= 0   the worm drives: the wheel receives efficiency[0] of its torque
//                    torque on the wheel   -(1 - efficiency[0]) ratio lambda s
//   lambda w1 < 0    the wheel drives: the worm receives efficiency[1] of its torque
//                    torque on the worm    +(1 - efficiency[1]) lambda s
//
// s = tanh(|w1| / speed) is smooth through zero speed, so that a self-locking worm (efficiency[1] < 0) creeps, at speed
// atanh(1 / (1 - efficiency[1])) under the load of its wheel alone (docs/theory/constraints.md).
#include "constraint/constraint.h"

static bool prepare(const cd_constraint_builder* p, cd_constraint* c)
{
    const cardan_constraint* d = p->definition;
    if (!cd_constraint_init_coordinates(p, 2, 2, c)) return false;
    if (d->ratio == 0) return cd_constraint_fail(p, "its ratio is zero");
    if (!(d->efficiency[0] > 0 && d->efficiency[0] <= 1))
        return cd_constraint_fail(p, "its efficiency is %g, but must be above 0 and at most 1", d->efficiency[0]);
    if (!(d->efficiency[1] <= 1))
        return cd_constraint_fail(p, "its efficiency when the wheel drives is %g, but must be at most 1",
                                  d->efficiency[1]);
    if (!(d->loss_speed > 0))
        return cd_constraint_fail(p, "the speed of its full losses is %g rad/s, but must be positive", d->loss_speed);
    p->coupled->factor[1] = -d->ratio;
    c->parameter[0]       = d->efficiency[0];
    c->parameter[1]       = d->efficiency[1];
    c->parameter[2]       = d->loss_speed;
    c->has_losses         = d->efficiency[0] < 1 || d->efficiency[1] < 1;
    return true;
}

const cd_constraint_type cd_constraint_worm = {
    .name     = "worm",
    .summary  = "worm and wheel, with the efficiencies of both directions",
    .fields   = "joints of worm and wheel, coordinates, ratio, efficiency, back_efficiency, offset",
    .prepare  = prepare,
    .evaluate = cd_evaluate_coupled_coordinates,
};
