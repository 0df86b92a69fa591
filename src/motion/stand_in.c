// SPDX-License-Identifier: BSD-3-Clause
// Implicit methods that solve for positions and multipliers at once (ida, generalized-alpha, hht) have the matrix
//
//     [ M/(beta h^2) + ...   J' ]
//     [ J                    0  ]
//
// whose condition is 1/s^2 at the distance s from a singular pose, and without bound at it: Newton's iteration finds
// no multipliers that it could take for an answer, at any h, and steps get ever shorter before. An explicit method asks
// for accelerations alone, and these are bounded (beside.c). So where such a method finds no step near a singular pose
// the explicit one takes over, up to the first firm pose behind it, where the other begins anew.
//
// Multistep methods see what was closed behind them by gaps e, and of these e/s^2: one that is not meant for stiff
// forces is always taken across. docs/theory/singular.md.
#include "motion/simulation.h"

#include <stdlib.h>

extern const cd_integrator cd_dopri5;

static const double firm   = 0.1;  // s^2
static const double crawls = 1e-3; // of the longest step: near a pose what is shorter is no step any more

bool cd_stand_in_prepare(simulation* s)
{
    cd_stand_in* i = &s->stand_in;
    if (!s->system.loops || s->integrator->across == CD_BY_ITSELF) return true;
    *i = (cd_stand_in){.by = &cd_dopri5, .own = s->integrator, .theirs = s->work};
    return (i->work = cd_allocate(1, i->by->work_size)) != NULL;
}

static void change(simulation* s, const cd_integrator* integrator, void* work)
{
    s->integrator        = integrator;
    s->work              = work;
    s->events.integrator = integrator;
    s->events.work       = work;
}

static void enter(simulation* s)
{
    cd_stand_in* i = &s->stand_in;
    if (i->times++ == 0) i->first = s->x.t;
    i->stands = true;
    change(s, i->by, i->work);
    cd_system_pull(&s->system, 0);
}

bool cd_stand_in_enter(simulation* s, cardan_status status)
{
    const cd_stand_in* i = &s->stand_in;
    if (!i->work || i->stands || status == CARDAN_STOPPED || status == CARDAN_NO_MEMORY) return false;
    cd_look_at(s, &s->x);
    if (!(s->system.firmness.value < firm)) return false;
    enter(s);
    return true;
}

bool cd_stand_in_change(simulation* s, double h)
{
    cd_stand_in* i       = &s->stand_in;
    const bool   near    = s->system.firmness.value < (i->stands ? firm : cd_near_part);
    const bool   gets_on = i->work && i->own->across != CD_BY_ANOTHER && h > crawls * s->passage.longest;
    if (!i->work || (i->stands ? near : !near || gets_on)) return false;
    if (i->stands) {
        i->stands = false;
        change(s, i->own, i->theirs);
    } else
        enter(s);
    return true;
}

void cd_stand_in_finish(simulation* s)
{
    cd_stand_in* i = &s->stand_in;
    if (!i->work) return;
    change(s, i->own, i->theirs);
    if (i->times > 0)
        cardan_note(s->report, CARDAN_CODE_FALLBACK_INTEGRATOR, cardan_nowhere(),
                    "%s %s near singular poses: %s went across, %d time%s, the first at t = %.6g s", i->own->name,
                    i->own->across == CD_BY_ANOTHER ? "loses digits" : "finds no steps", i->by->name, i->times,
                    i->times > 1 ? "s" : "", i->first);
    free(i->work);
}
