// SPDX-License-Identifier: BSD-3-Clause
// Table of monitors, and the monitors that apply to a run.
#include "simulation/simulation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CD_MONITOR(name) extern const cd_monitor cd_monitor_##name;
#include "simulation/monitors/monitors.def"
#undef CD_MONITOR

static const cd_monitor* const table[] = {
#define CD_MONITOR(name) &cd_monitor_##name,
#include "simulation/monitors/monitors.def"
#undef CD_MONITOR
};

enum { COUNT = sizeof table / sizeof table[0], ALIGNMENT = 16 };
_Static_assert((int)COUNT <= (int)CD_MONITORS_MAX, "more monitors than CD_MONITORS_MAX");

static size_t aligned_size(const cd_monitor* m) { return (m->work_size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT; }

bool cd_monitors_select(cd_simulation* s)
{
    cd_active_monitors* active = &s->monitors;
    size_t              size = 0, used = 0;
    *active = (cd_active_monitors){0};
    for (int i = 0; i < COUNT; ++i) {
        if (!table[i]->applies(s)) continue;
        active->monitor[active->count++] = table[i];
        size += aligned_size(table[i]);
    }
    active->block = cd_allocate(size + 1, 1);
    if (!active->block) active->count = 0;
    for (int i = 0; i < active->count; used += aligned_size(active->monitor[i++]))
        active->work[i] = (char*)active->block + used;
    return active->block != NULL;
}

void cd_monitors_clear(cd_simulation* s)
{
    for (int i = 0; i < s->monitors.count; ++i)
        if (!s->monitors.monitor[i]->owns_memory) memset(s->monitors.work[i], 0, s->monitors.monitor[i]->work_size);
}

// For every active monitor that has this function, while the condition holds: m, w are the monitor and its work.
#define EACH(condition, function)                                                                                      \
    for (int i = 0; i < s->monitors.count && (condition); ++i)                                                         \
        for (const cd_monitor* m = s->monitors.monitor[i]; m && m->function; m = NULL)                                 \
            for (void* w = s->monitors.work[i]; w; w = NULL)

void cd_monitors_layout(cd_simulation* s, cd_arena* arena) { EACH(true, layout) m->layout(s, arena, w); }

cardan_status cd_monitors_start(cd_simulation* s, cd_start_reason reason)
{
    cardan_status status        = CARDAN_OK;
    EACH(!status, start) status = m->start(s, w, reason);
    return status;
}

double cd_monitors_step_limit(const cd_simulation* s)
{
    double limit                 = INFINITY;
    EACH(true, step_limit) limit = fmin(limit, m->step_limit(s, w));
    return limit;
}

cd_verdict cd_monitors_check(cd_simulation* s, cd_monitor_phase phase)
{
    cd_verdict verdict = CD_VERDICT_CONTINUE;
    EACH(verdict <= CD_VERDICT_FALL_BACK, check[phase])
    {
        const cd_verdict v = m->check[phase](s, w);
        if (v > verdict) verdict = v;
    }
    return verdict;
}

cardan_status cd_monitors_at_output(cd_simulation* s, const cardan_sample* sample)
{
    cardan_status status            = CARDAN_OK;
    EACH(!status, at_output) status = m->at_output(s, w, sample);
    return status;
}

cardan_status cd_monitors_at_event(cd_simulation* s, const cd_ode_state* x)
{
    cardan_status status           = CARDAN_OK;
    EACH(!status, at_event) status = m->at_event(s, w, x);
    return status;
}

bool cd_monitors_accept_state(cd_simulation* s, const cd_ode_state* x)
{
    bool valid                  = true;
    EACH(valid, is_valid) valid = m->is_valid(s, w, x);
    return valid;
}

bool cd_monitors_explain(cd_simulation* s, cd_explanation kind, cardan_status status)
{
    bool explained                      = false;
    EACH(!explained, explain) explained = m->explain(s, w, kind, status);
    return explained;
}

bool cd_monitors_recover(cd_simulation* s, cardan_status status)
{
    bool recovered                      = false;
    EACH(!recovered, recover) recovered = m->recover(s, w, status);
    return recovered;
}

cardan_status cd_monitors_finish(cd_simulation* s, cardan_status status)
{
    EACH(true, finish) status = m->finish(s, w, status);
    free(s->monitors.block);
    s->monitors = (cd_active_monitors){0};
    return status;
}
