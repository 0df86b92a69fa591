// SPDX-License-Identifier: BSD-3-Clause
// Implicit methods that solve for positions and multipliers together (ida, generalized-alpha, hht) have the matrix
//
//     [ M/(beta h^2) + ...   J' ]
//     [ J                    0  ]
//
// whose condition number is 1/s^2 at the distance s from a singular configuration, and unbounded at it: Newton's
// iteration does not converge in the multipliers for any h, and steps become ever shorter before. An explicit method
// needs only the accelerations, which are bounded (limit_acceleration.c). So where such a method finds no step near a
// singular configuration, the explicit one takes over up to the first well-conditioned configuration behind it, where
// the implicit method restarts.
//
// Multistep methods notice projections of earlier states as violations e, amplified to e/s^2: one that is not meant
// for stiff forces always uses the fallback there. docs/theory/singular.md.
#include "simulation/simulation.h"

#include <stdlib.h>
#include <string.h>

extern const cd_integrator cd_dopri5;

bool cd_fallback_integrator_prepare(cd_simulation* s)
{
    cd_fallback_integrator* f = &s->fallback;
    if (!s->system.has_constraints || s->integrator->singular_policy == CD_SINGULAR_NATIVE) return true;
    *f = (cd_fallback_integrator){.fallback = &cd_dopri5, .primary = s->integrator, .primary_work = s->integrator_work};
    return (f->fallback_work = cd_allocate(1, f->fallback->work_size)) != NULL;
}

static void switch_integrator(cd_simulation* s, const cd_integrator* integrator, void* work)
{
    s->integrator        = integrator;
    s->integrator_work   = work;
    s->events.integrator = integrator;
    s->events.work       = work;
}

static void activate_fallback(cd_simulation* s)
{
    cd_fallback_integrator* f = &s->fallback;
    if (f->activations++ == 0) f->first_t = s->x.t;
    f->is_active = true;
    switch_integrator(s, f->fallback, f->fallback_work);
    cd_set_baumgarte_rate(&s->system, 0);
}

bool cd_fallback_integrator_enter(cd_simulation* s, cardan_status status)
{
    const cd_fallback_integrator* f = &s->fallback;
    if (!f->fallback_work || f->is_active || status == CARDAN_STOPPED || status == CARDAN_NO_MEMORY) return false;
    cd_conditioning_at(&s->system, &s->x);
    if (!(s->system.conditioning.sigma_min_sq_rel < cd_regular_sigma_sq)) return false;
    activate_fallback(s);
    return true;
}

bool cd_fallback_integrator_update(cd_simulation* s, double h)
{
    cd_fallback_integrator* f = &s->fallback;
    const bool              near_singular =
        s->system.conditioning.sigma_min_sq_rel < (f->is_active ? cd_regular_sigma_sq : cd_near_singular_ratio_sq);
    const bool makes_progress = f->fallback_work && f->primary->singular_policy != CD_SINGULAR_ALWAYS_FALLBACK &&
                                h > cd_fallback_step_fraction * s->singularity.events.longest_step;
    if (!f->fallback_work || (f->is_active ? near_singular : !near_singular || makes_progress)) return false;
    if (f->is_active) {
        f->is_active = false;
        switch_integrator(s, f->primary, f->primary_work);
    } else
        activate_fallback(s);
    return true;
}

void cd_fallback_integrator_reset(cd_simulation* s)
{
    cd_fallback_integrator* f = &s->fallback;
    if (!f->fallback_work) return;
    switch_integrator(s, f->primary, f->primary_work);
    memset(f->fallback_work, 0, f->fallback->work_size);
    f->is_active   = false;
    f->activations = 0;
}

void cd_fallback_integrator_finish(cd_simulation* s)
{
    cd_fallback_integrator* f = &s->fallback;
    if (!f->fallback_work) return;
    switch_integrator(s, f->primary, f->primary_work);
    if (f->activations > 0)
        cardan_note(s->report, CARDAN_CODE_FALLBACK_INTEGRATOR, cardan_location_none(),
                    "%s %s near singular configurations: %s replaced it there, %d time%s, first at t = %.6g s",
                    f->primary->name,
                    f->primary->singular_policy == CD_SINGULAR_ALWAYS_FALLBACK ? "loses accuracy"
                                                                               : "finds no valid step",
                    f->fallback->name, f->activations, f->activations > 1 ? "s" : "", f->first_t);
    free(f->fallback_work);
    f->fallback_work = NULL;
}
