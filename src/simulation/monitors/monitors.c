// SPDX-License-Identifier: BSD-3-Clause
// Table of monitors, and the monitors that apply to a run.
#include "simulation/simulation.h"

#include <math.h>
#include <stdlib.h>

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
    size_t              size   = 0;
    *active                    = (cd_active_monitors){0};
    for (int i = 0; i < COUNT; ++i) {
        if (!table[i]->applies(s)) continue;
        active->monitor[active->count++] = table[i];
        size += aligned_size(table[i]);
    }
    active->block = cd_allocate(size + 1, 1);
    if (!active->block) active->count = 0;
    char* work = active->block;
    for (int i = 0; i < active->count; ++i) {
        active->work[i] = work;
        work += aligned_size(active->monitor[i]);
    }
    return active->block != NULL;
}

void cd_monitors_layout(cd_simulation* s, cd_arena* arena)
{
    for (int i = 0; i < s->monitors.count; ++i)
        if (s->monitors.monitor[i]->layout) s->monitors.monitor[i]->layout(s, arena, s->monitors.work[i]);
}

cardan_status cd_monitors_start(cd_simulation* s, cd_start_reason reason)
{
    cardan_status status = CARDAN_OK;
    for (int i = 0; i < s->monitors.count && !status; ++i)
        if (s->monitors.monitor[i]->start) status = s->monitors.monitor[i]->start(s, s->monitors.work[i], reason);
    return status;
}

double cd_monitors_step_limit(const cd_simulation* s)
{
    double limit = INFINITY;
    for (int i = 0; i < s->monitors.count; ++i)
        if (s->monitors.monitor[i]->step_limit)
            limit = fmin(limit, s->monitors.monitor[i]->step_limit(s, s->monitors.work[i]));
    return limit;
}

cd_verdict cd_monitors_check(cd_simulation* s, cd_monitor_phase phase)
{
    cd_verdict verdict = CD_VERDICT_CONTINUE;
    for (int i = 0; i < s->monitors.count && verdict <= CD_VERDICT_FALL_BACK; ++i) {
        const cd_monitor* m = s->monitors.monitor[i];
        const cd_verdict  v = m->check[phase] ? m->check[phase](s, s->monitors.work[i]) : CD_VERDICT_CONTINUE;
        if (v > verdict) verdict = v;
    }
    return verdict;
}

cardan_status cd_monitors_at_output(cd_simulation* s, const cardan_sample* sample)
{
    cardan_status status = CARDAN_OK;
    for (int i = 0; i < s->monitors.count && !status; ++i)
        if (s->monitors.monitor[i]->at_output)
            status = s->monitors.monitor[i]->at_output(s, s->monitors.work[i], sample);
    return status;
}

cardan_status cd_monitors_at_event(cd_simulation* s, const cd_ode_state* x)
{
    cardan_status status = CARDAN_OK;
    for (int i = 0; i < s->monitors.count && !status; ++i)
        if (s->monitors.monitor[i]->at_event) status = s->monitors.monitor[i]->at_event(s, s->monitors.work[i], x);
    return status;
}

bool cd_monitors_accept_state(cd_simulation* s, const cd_ode_state* x)
{
    bool valid = true;
    for (int i = 0; i < s->monitors.count && valid; ++i)
        if (s->monitors.monitor[i]->is_valid) valid = s->monitors.monitor[i]->is_valid(s, s->monitors.work[i], x);
    return valid;
}

bool cd_monitors_explain(cd_simulation* s, cd_explanation kind, cardan_status status)
{
    bool explained = false;
    for (int i = 0; i < s->monitors.count && !explained; ++i)
        if (s->monitors.monitor[i]->explain)
            explained = s->monitors.monitor[i]->explain(s, s->monitors.work[i], kind, status);
    return explained;
}

bool cd_monitors_recover(cd_simulation* s, cardan_status status)
{
    bool recovered = false;
    for (int i = 0; i < s->monitors.count && !recovered; ++i)
        if (s->monitors.monitor[i]->recover)
            recovered = s->monitors.monitor[i]->recover(s, s->monitors.work[i], status);
    return recovered;
}

cardan_status cd_monitors_finish(cd_simulation* s, cardan_status status)
{
    for (int i = 0; i < s->monitors.count; ++i)
        if (s->monitors.monitor[i]->finish) status = s->monitors.monitor[i]->finish(s, s->monitors.work[i], status);
    free(s->monitors.block);
    s->monitors = (cd_active_monitors){0};
    return status;
}
