// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/monitors/direction_monitor.h"

#include "simulation/simulation.h"
#include "dynamics/rows/constraint_direction.h"

static const double weak_direction_norm = 1e-2; // norm below which a direction nearly vanishes

void cd_direction_monitor_layout(const cd_ode_system* system, cd_arena* arena, cd_direction_monitor* monitor)
{
    const cd_constraint_set* set   = &system->data->constraints;
    int                      count = 0;
    for (int i = 0; i < set->nconstraint; ++i) count += set->constraint[i].type->direction != NULL;
    CD_ARENA_ARRAY(arena, monitor->constraint, count);
    CD_ARENA_ARRAY(arena, monitor->previous, count);
    CD_ARENA_ARRAY(arena, monitor->current, count);
    monitor->count = 0;
    for (int i = 0; monitor->previous && i < set->nconstraint; ++i)
        if (set->constraint[i].type->direction) monitor->constraint[monitor->count++] = i;
}

void cd_direction_monitor_start(const cd_ode_system* system, cd_direction_monitor* monitor)
{
    for (int i = 0; i < monitor->count; ++i)
        if (!cd_direction_of_constraint(system->data, monitor->constraint[i], &monitor->previous[i]))
            monitor->previous[i] = (vec3){0, 0, 0};
}

void cd_direction_monitor_accept(cd_direction_monitor* monitor)
{
    for (int i = 0; i < monitor->count; ++i) monitor->previous[i] = monitor->current[i];
}

int cd_direction_monitor_find_vanished(const cd_ode_system* system, cd_direction_monitor* monitor)
{
    for (int i = 0; i < monitor->count; ++i) {
        vec3* m = &monitor->current[i];
        if (!cd_direction_of_constraint(system->data, monitor->constraint[i], m))
            *m = (vec3){0, 0, 0};
        else if (cd_direction_vanishes(*m) || v3_dot(*m, monitor->previous[i]) < 0)
            return monitor->constraint[i];
    }
    return CARDAN_NONE;
}

int cd_direction_monitor_find_nearly_vanished(const cd_ode_system* system, const cd_direction_monitor* monitor)
{
    vec3 m;
    for (int i = 0; i < monitor->count; ++i)
        if (cd_direction_of_constraint(system->data, monitor->constraint[i], &m) &&
            v3_dot(m, m) < weak_direction_norm * weak_direction_norm)
            return monitor->constraint[i];
    return CARDAN_NONE;
}

// ---- monitor

static bool applies(const cd_simulation* s)
{
    const cd_constraint_set* set = &s->system.data->constraints;
    for (int i = 0; i < set->nconstraint && !s->is_prescribed; ++i)
        if (set->constraint[i].type->direction) return true;
    return false;
}

static void layout(cd_simulation* s, cd_arena* arena, void* work)
{
    cd_direction_monitor_layout(&s->system, arena, work);
}

static bool is_valid(cd_simulation* s, void* work, const cd_ode_state* x)
{
    cd_direction_monitor* m      = work;
    const cardan_status   status = cd_simulation_set_state(s, x);
    const int             found  = status ? CARDAN_NONE : cd_direction_monitor_find_vanished(&s->system, m);
    if (status || found != CARDAN_NONE) m->vanished = found;
    return !status && found == CARDAN_NONE;
}

// Accept x as the end of a step, or as the start of the run.
static cd_verdict check_state(cd_simulation* s, void* work)
{
    if (cd_set_state_reported(s, &s->x)) return CD_VERDICT_ABORT;
    if (!is_valid(s, work, &s->x)) return CD_VERDICT_END;
    cd_direction_monitor_accept(work);
    return CD_VERDICT_CONTINUE;
}

static cardan_status start(cd_simulation* s, void* work, cd_start_reason reason)
{
    cd_direction_monitor* m = work;
    if (reason == CD_START_CHECKPOINT && !cd_simulation_set_state(s, &s->x)) cd_direction_monitor_start(&s->system, m);
    const cd_verdict verdict = reason == CD_START_STEPS ? check_state(s, work) : CD_VERDICT_CONTINUE;
    if (verdict == CD_VERDICT_ABORT) return s->step.status;
    return verdict == CD_VERDICT_END
               ? cd_fail_vanished_direction(s->system.data, m->vanished, s->x.t, CARDAN_INCONSISTENT, s->report)
               : CARDAN_OK;
}

static bool explain(cd_simulation* s, void* work, cd_explanation kind, cardan_status status)
{
    cd_direction_monitor* m          = work;
    const double          t          = kind == CD_EXPLAIN_INVALID ? s->step.t_invalid : s->x.t;
    const int             constraint = kind == CD_EXPLAIN_INVALID ? m->vanished
                                       : kind == CD_EXPLAIN_FAILURE ? cd_direction_monitor_find_nearly_vanished(&s->system, m)
                                                                    : CARDAN_NONE;
    if (constraint == CARDAN_NONE) return false;
    cd_fail_vanished_direction(s->system.data, constraint, t, status, s->report);
    return true;
}

const cd_monitor cd_monitor_direction = {
    .applies   = applies,
    .work_size = sizeof(cd_direction_monitor),
    .layout    = layout,
    .start     = start,
    .check     = {[CD_PHASE_TAKEN] = check_state},
    .is_valid  = is_valid,
    .explain   = explain,
};
