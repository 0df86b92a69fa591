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
    b->kinetic       = fmax(b->kinetic, energy.kinetic);
    b->stored        = fmax(b->stored, fabs(energy.potential));
    b->worked        = fmax(b->worked, fabs(work));
    const double now = energy.kinetic + energy.potential - start - work;
    if (fabs(now - b->last) > b->lost) {
        b->lost = fabs(now - b->last);
        b->from = b->looked;
        b->to   = t;
    }
    b->imbalance = fmax(b->imbalance, fabs(now));
    b->last      = now;
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

cardan_status cd_balance_tell(const cd_energy_balance* b, double drift, double tolerance, cardan_report* report)
{
    const double part      = fmin(drift_endured, fmax(drift_at_least, drift_by_tolerance * tolerance));
    const double explained = part * (b->kinetic + b->stored + b->worked);
    const bool   lost      = tolerance > 0 && drift > part && b->imbalance > explained;
    if (drift >= drift_endured && lost && drift > drift_by_tolerance * tolerance)
        return cardan_fail(
            report, CARDAN_NOT_CONVERGED, CARDAN_CODE_ENERGY_ERROR, cardan_nowhere(),
            "energy drifts by %.2g of the largest kinetic energy, most of it between t = %.6g s and "
            "%.6g s: what was computed from there on is not the motion of this mechanism; give a smaller "
            "tolerance, or another formulation",
            drift, b->from, b->to);
    if (drift >= drift_endured)
        cardan_warn(report, CARDAN_CODE_ENERGY_ERROR, cardan_nowhere(),
                    "energy drifts by %.2g of the largest kinetic energy: %s follow the motion of this mechanism only "
                    "roughly; give a smaller %s",
                    drift, tolerance > 0 ? "results" : "steps of this length",
                    tolerance > 0 ? "tolerance" : "step, or a method of higher order");
    else if (lost)
        cardan_warn(report, CARDAN_CODE_ENERGY_ERROR, cardan_nowhere(),
                    "energy drifts by %.2g of the largest kinetic energy, more than a tolerance of %.2g explains: "
                    "somewhere digits went lost, as they do beside "
                    "singular poses; compare with another formulation (lagrange), stabilization or tolerance",
                    drift, tolerance);
    return CARDAN_OK;
}

void cd_balance_note(double drift, bool adaptive, cardan_report* report)
{
    if (drift >= drift_endured)
        cardan_note(report, CARDAN_CODE_ENERGY_ERROR, cardan_nowhere(),
                    "before that energy drifted by %.2g of the largest kinetic energy: the motion that ended there was "
                    "no longer that of the mechanism; give %s",
                    drift, adaptive ? "a smaller tolerance" : "smaller steps, or an integrator of higher order");
}
