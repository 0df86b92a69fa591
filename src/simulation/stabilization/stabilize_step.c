// SPDX-License-Identifier: BSD-3-Clause
// Stabilization in a run: it projects the end of every step, and every sample in between, onto the constraints.
// Multistep methods do not see this correction, so with them Baumgarte terms with a small factor reduce the violation
// too, and the method restarts where a violation becomes large.
#include "dynamics/rows/constraint_update.h"
#include "simulation/contact/contact_run.h"
#include "simulation/simulation.h"

#include <math.h>

// Adaptive methods start with tiny steps, so the rate follows the longest step so far, after some steps; a rate that
// followed the step size down would force ever shorter steps.
void cd_adjust_baumgarte_rate(cd_simulation* s, double h)
{
    const cd_stabilization* stabilization = s->stabilization;
    double                  part          = stabilization->baumgarte_factor;
    if (s->integrator->is_multistep && (stabilization->correct || part > 0)) part = 0.1;
    s->step.longest = fmax(s->step.longest, h);
    if (part == 0) return;
    if (s->system.projection.velocity_each_evaluation)
        s->system.projection.velocity_relaxation_rate = part / s->step.longest;
    else if (stabilization->baumgarte_factor > 0 && s->run.baumgarte_rate > 0)
        cd_set_baumgarte_rate(&s->system, s->run.baumgarte_rate);
    else if (!s->integrator->is_adaptive || s->x.t - s->run.start > cd_settled_steps * s->step.longest)
        cd_set_baumgarte_rate(&s->system, part / s->step.longest);
}

static cardan_status stabilize_constraints(cd_simulation* s, cd_ode_state* x, cardan_report* report)
{
    if (!s->system.has_constraints || !s->stabilization->correct) return CARDAN_OK;
    if (x != &s->x && cd_may_be_near_singular(s)) {
        cd_conditioning_at(&s->system, x);
        // rows this ill-conditioned would spoil the velocities
        if (s->system.data->settings.near_singular && cd_singular_limit_is_needed(&s->system)) return CARDAN_OK;
    }
    return s->stabilization->correct(&s->system, s->stabilization_work, x, report);
}

cardan_status cd_stabilize(cd_simulation* s, cd_ode_state* x, cardan_report* report)
{
    if (x == &s->x) s->step.needs_projection = false;
    const cardan_status status = stabilize_constraints(s, x, report);
    return status || !s->events.contacts ? status : cd_contact_stabilize(s->events.contacts, x, report);
}

cardan_status cd_stabilize_reported(cd_simulation* s, cd_ode_state* x)
{
    const bool          near_domain_end = cd_driver_domain_is_near_end(&s->driver_domain, x->t);
    const cardan_status status          = cd_stabilize(s, x, near_domain_end ? NULL : s->report);
    if (status && near_domain_end)
        cd_driver_domain_report_failure(&s->driver_domain, s->system.data, x->t, status, s->report);
    return status;
}

// Velocity stabilization does not project positions.
cardan_status cd_check_multistep_violation(cd_simulation* s)
{
    double              violation;
    const cardan_status status = cd_set_state_reported(s, &s->x);
    if (status) return status;
    cd_scaled_violations(s->system.data, &violation, NULL);
    s->step.needs_restart =
        violation > cd_restart_violation_factor * s->run.tolerance && !s->system.projection.velocity_each_evaluation;
    return CARDAN_OK;
}
