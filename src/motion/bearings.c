// SPDX-License-Identifier: BSD-3-Clause
#include "motion/bearings.h"

#include "dynamics/bearing.h"

static const double weak = 1e-2;

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
        if (!cd_bearing_of(system->data, b->constraint[i], &b->at[i])) b->at[i] = (vec3){0, 0, 0};
}

void cd_bearings_keep(cd_bearings* b)
{
    for (int i = 0; i < b->count; ++i) b->at[i] = b->now[i];
}

int cd_bearings_lost(const cd_system* system, cd_bearings* b)
{
    for (int i = 0; i < b->count; ++i) {
        vec3* m = &b->now[i];
        if (!cd_bearing_of(system->data, b->constraint[i], m))
            *m = (vec3){0, 0, 0};
        else if (cd_bearing_vanishes(*m) || v3_dot(*m, b->at[i]) < 0)
            return b->constraint[i];
    }
    return CARDAN_NONE;
}

int cd_bearings_weak(const cd_system* system, const cd_bearings* b)
{
    vec3 m;
    for (int i = 0; i < b->count; ++i)
        if (cd_bearing_of(system->data, b->constraint[i], &m) && v3_dot(m, m) < weak * weak) return b->constraint[i];
    return CARDAN_NONE;
}
