// SPDX-License-Identifier: BSD-3-Clause
#include "motion/bearings.h"

#include "dynamics/data.h"

static const double vanished = 1e-9, weak = 1e-2;

static bool bearing_of(cardan_data* d, int i, vec3* m)
{
    const cd_constraint* c = &d->closure.constraint[i];
    cd_end               end[CD_ENDS_MAX];
    if (!c->type->bearing) return false;
    cd_know_world(d);
    for (int n = 0; n < c->nend; ++n) end[n] = cd_end_of(cd_end_at(c, n), &d->world);
    return c->type->bearing(c, end, m);
}

void cd_bearings_layout(const cd_system* system, cd_arena* arena, cd_bearings* b)
{
    const cd_closure* closure = &system->data->closure;
    int               count   = 0;
    for (int i = 0; i < closure->nconstraint; ++i) count += closure->constraint[i].type->bearing != NULL;
    CD_TAKE(arena, b->constraint, count);
    CD_TAKE(arena, b->at, count);
    CD_TAKE(arena, b->now, count);
    b->count = 0;
    for (int i = 0; b->at && i < closure->nconstraint; ++i)
        if (closure->constraint[i].type->bearing) b->constraint[b->count++] = i;
}

void cd_bearings_begin(const cd_system* system, cd_bearings* b)
{
    for (int i = 0; i < b->count; ++i)
        if (!bearing_of(system->data, b->constraint[i], &b->at[i])) b->at[i] = (vec3){0, 0, 0};
}

void cd_bearings_keep(cd_bearings* b)
{
    for (int i = 0; i < b->count; ++i) b->at[i] = b->now[i];
}

int cd_bearings_lost(const cd_system* system, cd_bearings* b)
{
    for (int i = 0; i < b->count; ++i) {
        vec3* m = &b->now[i];
        if (!bearing_of(system->data, b->constraint[i], m))
            *m = (vec3){0, 0, 0};
        else if (v3_dot(*m, *m) < vanished * vanished || v3_dot(*m, b->at[i]) < 0)
            return b->constraint[i];
    }
    return CARDAN_NONE;
}

int cd_bearings_weak(const cd_system* system, const cd_bearings* b)
{
    vec3 m;
    for (int i = 0; i < b->count; ++i)
        if (bearing_of(system->data, b->constraint[i], &m) && v3_dot(m, m) < weak * weak) return b->constraint[i];
    return CARDAN_NONE;
}

cardan_status cd_fail_bearing(const cd_system* system, int constraint, double t, cardan_status status,
                              cardan_report* report)
{
    const cd_constraint* c = &system->data->closure.constraint[constraint];
    return cardan_fail(report, status, c->place,
                       "%s '%s': at t = %.9g s %s: %s is not defined there, and the motion does not go on", c->what,
                       c->name, t, c->type->lost, c->type->name);
}
