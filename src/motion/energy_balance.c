// SPDX-License-Identifier: BSD-3-Clause
#include "motion/energy_balance.h"

#include "model/model.h"

#include <math.h>

static const double drift_endured = 0.1;
// Of methods that control their error, of all energies that take part, beside the tolerance and at least: errors of
// single steps add up, but not to this.
static const double drift_by_tolerance = 1e4, drift_at_least = 1e-4;

void cd_balance_keep(cd_energy_balance* b, cardan_energies energy, double start, double work, double t)
{
    b->kinetic   = fmax(b->kinetic, energy.kinetic);
    b->stored    = fmax(b->stored, fabs(energy.potential));
    b->worked    = fmax(b->worked, fabs(work));
    b->imbalance = fmax(b->imbalance, fabs(energy.kinetic + energy.potential - start - work));
    b->looked    = t;
}

// What rounding and the tolerance move is no motion: the least scale is a millionth of the energies that take part and
// of what all masses have that move by the mechanism's length in a second.
double cd_balance_drift(const cd_energy_balance* b, const cardan_model* m, double length)
{
    double mass = 0;
    for (int i = 0; i < m->nlink; ++i) mass += m->link[i].m;
    const double scale = fmax(b->kinetic, 1e-6 * (b->stored + b->worked + mass * length * length));
    return scale > 0 ? b->imbalance / scale : 0;
}

void cd_balance_warn(const cd_energy_balance* b, double drift, double tolerance, cardan_report* report)
{
    const double part      = fmin(drift_endured, fmax(drift_at_least, drift_by_tolerance * tolerance));
    const double explained = part * (b->kinetic + b->stored + b->worked);
    if (drift >= drift_endured)
        cardan_warn(report, cardan_nowhere(),
                    "energy drifts by %.2g of the largest kinetic energy: what was computed is not the motion of this "
                    "mechanism; give a smaller step or "
                    "tolerance, or another formulation",
                    drift);
    else if (tolerance > 0 && drift > part && b->imbalance > explained)
        cardan_warn(report, cardan_nowhere(),
                    "energy drifts by %.2g of the largest kinetic energy, more than a tolerance of %.2g explains: "
                    "somewhere digits went lost, as they do beside "
                    "singular poses; compare with another formulation (-f lagrange), stabilization or tolerance",
                    drift, tolerance);
}

void cd_balance_note(double drift, bool adaptive, cardan_report* report)
{
    if (drift >= drift_endured)
        cardan_note(report, cardan_nowhere(),
                    "before that energy drifted by %.2g of the largest kinetic energy: the motion that ended there was "
                    "no longer that of the mechanism; give %s",
                    drift, adaptive ? "a smaller tolerance" : "smaller steps, or an integrator of higher order");
}
