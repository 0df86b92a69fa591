// SPDX-License-Identifier: BSD-3-Clause
// Events that monitors find: they have no state of their own, and are counted and reported at once.
#include "simulation/simulation.h"

void cd_report_monitor_event(cd_simulation* s, const cardan_event* event)
{
    ++s->summary->events;
    if (s->run.event_callback) s->run.event_callback(s->run.user, s->system.data, event);
}
