// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/monitors/direction_monitor.h"

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
