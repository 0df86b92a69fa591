// SPDX-License-Identifier: BSD-3-Clause
// A step of length h at velocity v leaves a violation of about (h v)^2 L, which the next one projects. If violations
// grow relative to that, the projection does not compensate the steps: with constraint forces that are high for the
// masses, the stiffest oscillation of violated loops has a period of a few steps, and each step amplifies it. The
// results are still accurate when that starts; a hundred steps later the energy is wrong.
//
//   g = violation / (L (h v)^2),     the largest of every 20 steps
//
// Growth is reported if three successive blocks each exceed the one before, to four times the first, and violations
// are visible relative to the size of the mechanism.
#include "simulation/monitors/violation_growth_monitor.h"

#include "simulation/simulation.h"

#include <cardan/assemble.h>

#include <string.h>

enum { BLOCK_STEPS = 20, BLOCKS = 4 };

bool cd_violation_growth_update(cd_violation_growth* growth, double violation, double h, double velocity_scale,
                                double length)
{
    const double scale = h * velocity_scale * h * velocity_scale * length;
    double*      last  = &growth->relative_max[BLOCKS - 1];
    if (!(scale > 0)) return false;
    if (violation / scale > *last) *last = violation / scale;
    if (violation > growth->violation_max) growth->violation_max = violation;
    if (++growth->block_steps < BLOCK_STEPS) return false;
    const bool grows = growth->relative_max[1] > growth->relative_max[0] &&
                       growth->relative_max[2] > growth->relative_max[1] && *last > growth->relative_max[2] &&
                       *last > cd_violation_growth_factor * growth->relative_max[0];
    const bool report = !growth->reported && ++growth->nblock >= BLOCKS && grows &&
                        growth->violation_max > cd_visible_violation_fraction * length;
    memmove(growth->relative_max, growth->relative_max + 1, (BLOCKS - 1) * sizeof *growth->relative_max);
    *last                 = 0;
    growth->violation_max = 0;
    growth->block_steps   = 0;
    growth->reported |= report;
    return report;
}

// ---- monitor, for methods that project the violation of a step in the next step

static bool applies(const cd_simulation* s) { return !s->is_prescribed && s->system.projection.at_step_start; }

// At singular configurations violations are large for a step or two.
static cd_verdict check_step(cd_simulation* s, void* work)
{
    cd_ode_system*   system        = &s->system;
    cd_max_violation max_violation = {0};
    double           violation;
    if (cd_is_near_singular(system) ||
        !cd_violation_growth_update(work, system->projection.removed_violation, s->x.t - s->step.from,
                                    s->step.velocity_scale,
                                    system->data->units.length_scale / system->data->units.length_unit))
        return CD_VERDICT_CONTINUE;
    if (cd_set_state_reported(s, &s->x)) return CD_VERDICT_ABORT;
    cardan_data_constraint_violation(system->data, &violation, NULL);
    cd_max_violation_update(system->data, violation, &max_violation);
    cardan_event event = {.kind  = CARDAN_EVENT_VIOLATION_GROWTH,
                          .t     = s->x.t,
                          .joint = CARDAN_NONE,
                          .axis  = CARDAN_NONE,
                          .value = violation};
    memcpy(event.description, max_violation.description, sizeof event.description);
    cd_report_monitor_event(s, &event);
    cd_warn_violation_growth(&event, s->run.step, s->report);
    return CD_VERDICT_CONTINUE;
}

const cd_monitor cd_monitor_violation_growth = {
    .applies   = applies,
    .work_size = sizeof(cd_violation_growth),
    .check     = {[CD_PHASE_STABILIZED] = check_step},
};
