// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/monitors/energy_monitor.h"

#include "model/model.h"
#include "simulation/simulation.h"

#include <math.h>

void cd_energy_monitor_update(cd_energy_monitor* b, cardan_energies energy, double start, double work, double t)
{
    b->kinetic_max   = fmax(b->kinetic_max, energy.kinetic);
    b->potential_max = fmax(b->potential_max, fabs(energy.potential));
    b->work_max      = fmax(b->work_max, fabs(work));
    const double now = energy.kinetic + energy.potential - start - work;
    if (fabs(now - b->last_error) > b->change_max) {
        b->change_max   = fabs(now - b->last_error);
        b->change_start = b->last_t;
        b->change_end   = t;
    }
    b->error_max  = fmax(b->error_max, fabs(now));
    b->last_error = now;
    b->last_t     = t;
}

// Round-off and the tolerance are no motion: the smallest scale is a millionth of the energies involved and of m
// L^2/s^2, the energy scale of all masses at one length_scale L per second.
double cd_energy_monitor_relative_error(const cd_energy_monitor* b, const cardan_model* m, double length)
{
    double mass = 0;
    for (int i = 0; i < m->nlink; ++i) mass += m->link[i].m;
    const double scale = fmax(b->kinetic_max, 1e-6 * (b->potential_max + b->work_max + mass * length * length));
    return scale > 0 ? b->error_max / scale : 0;
}

cardan_status cd_report_energy_error(const cd_energy_monitor* b, double relative_error, double tolerance,
                                     cardan_report* report)
{
    const double error_limit =
        fmin(cd_energy_error_max, fmax(cd_energy_error_min, cd_energy_error_per_tolerance * tolerance));
    const double explained         = error_limit * (b->kinetic_max + b->potential_max + b->work_max);
    const bool   exceeds_tolerance = tolerance > 0 && relative_error > error_limit && b->error_max > explained;
    if (relative_error >= cd_energy_error_max && exceeds_tolerance &&
        relative_error > cd_energy_error_per_tolerance * tolerance)
        return cardan_fail(
            report, CARDAN_NOT_CONVERGED, CARDAN_CODE_ENERGY_ERROR, cardan_location_none(),
            "energy error is %.2g of the largest kinetic energy, most of it between t = %.6g s and %.6g s: results "
            "after that are not the motion of this mechanism; use a smaller tolerance, or another formulation",
            relative_error, b->change_start, b->change_end);
    if (relative_error >= cd_energy_error_max)
        cardan_warn(report, CARDAN_CODE_ENERGY_ERROR, cardan_location_none(),
                    "energy error is %.2g of the largest kinetic energy: %s give only a rough approximation of the "
                    "motion; use a smaller %s",
                    relative_error, tolerance > 0 ? "results" : "steps of this length",
                    tolerance > 0 ? "tolerance" : "step, or a method of higher order");
    else if (exceeds_tolerance)
        cardan_warn(report, CARDAN_CODE_ENERGY_ERROR, cardan_location_none(),
                    "energy error is %.2g of the largest kinetic energy, more than a tolerance of %.2g explains: "
                    "rounding errors are amplified, as they are near singular configurations; compare with another "
                    "formulation (lagrange), stabilization or tolerance",
                    relative_error, tolerance);
    return CARDAN_OK;
}

void cd_note_energy_error(double relative_error, bool adaptive, cardan_report* report)
{
    if (relative_error >= cd_energy_error_max)
        cardan_note(report, CARDAN_CODE_ENERGY_ERROR, cardan_location_none(),
                    "energy error before that time is %.2g of the largest kinetic energy: the motion that ended there "
                    "was no longer that of the mechanism; use %s",
                    relative_error,
                    adaptive ? "a smaller tolerance" : "smaller steps, or an integrator of higher order");
}

// ---- monitor: energy of samples, and between them at ends of steps, at most a thousand times per run

static bool applies(const cd_simulation* s) { return !s->is_prescribed; }

static cd_verdict check_step(cd_simulation* s, void* work)
{
    (void)work;
    if (s->summary->stop_condition_met || s->x.t - s->energy.last_t < 1e-3 * s->system.settings.span)
        return CD_VERDICT_CONTINUE;
    if (cd_set_state_reported(s, &s->x)) return CD_VERDICT_ABORT;
    cd_energy_monitor_update(&s->energy, cardan_data_energy(s->system.data), s->summary->energy_start,
                             s->x.z[s->system.nz - 1], s->x.t);
    return CD_VERDICT_CONTINUE;
}

static cardan_status at_output(cd_simulation* s, void* work, const cardan_sample* sample)
{
    (void)work;
    s->summary->energy_end = sample->energy.kinetic + sample->energy.potential;
    if (s->summary->samples == 0) s->summary->energy_start = s->summary->energy_end;
    cd_energy_monitor_update(&s->energy, sample->energy, s->summary->energy_start, sample->work, sample->t);
    return CARDAN_OK;
}

static cardan_status finish(cd_simulation* s, void* work, cardan_status status)
{
    (void)work;
    const cardan_data* d           = s->system.data;
    const bool         is_adaptive = s->integrator->is_adaptive;
    s->summary->energy_error       = cd_energy_monitor_relative_error(&s->energy, d->m, d->units.length_scale);
    if (!status) {
        cd_warn_compliant_rows(s);
        return cd_report_energy_error(&s->energy, s->summary->energy_error,
                                      is_adaptive ? s->system.settings.tolerance : 0, s->report);
    }
    if (status != CARDAN_STOPPED && s->summary->samples > 0 && d->constraints.ndriven == 0)
        cd_note_energy_error(s->summary->energy_error, is_adaptive, s->report);
    return status;
}

const cd_monitor cd_monitor_energy = {
    .applies   = applies,
    .check     = {[CD_PHASE_OUTPUT] = check_step},
    .at_output = at_output,
    .finish    = finish,
};
