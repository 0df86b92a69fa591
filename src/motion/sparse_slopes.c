// SPDX-License-Identifier: BSD-3-Clause
#include "motion/sparse_slopes.h"

#include "dynamics/state_slopes.h"

#include <stdlib.h>

enum { FEW = 9 }; // bodies: below, dense matrices are faster. Losses that go with multipliers are in dense ones alone

bool cd_sparse_pays(const cd_system* system)
{
    const cardan_model* m = system->model;
    for (int i = 0; i < m->nlink; ++i)
        if (!cd_link_is_free(m, &m->link[i])) return false;
    return m->nlink >= FEW && system->data->closure.nlossy == 0;
}

static void layout(const cd_system* system, cd_sparse_slopes* s)
{
    const cardan_data* d = system->data;
    cd_colouring_layout(d, &s->arena, &s->bodies);
    cd_dual_layout(d->m, &s->arena, &s->dual);
}

bool cd_sparse_slopes_create(const cd_system* system, cd_sparse_slopes* s)
{
    const int nrow = system->data->rows.nrow;
    if (s->ready) return s->entry && s->by_s && s->place;
    *s = (cd_sparse_slopes){.g    = system->nv,
                            .c    = system->nv + system->ns,
                            .rate = system->nv + system->ns + nrow,
                            .n    = system->nv + system->ns + 3 * nrow};
    layout(system, s);
    if (!cd_arena_reserve(&s->arena)) return false;
    layout(system, s);
    s->ready = true;
    if (s->bodies.ncolour == 0) return false;
    s->entry = cd_allocate((size_t)s->bodies.start[system->model->nlink] + 1, CD_FREE_SLOPES * sizeof *s->entry);
    s->by_s  = cd_allocate((size_t)s->n * (size_t)system->ns + 1, sizeof *s->by_s);
    s->place = cd_allocate((size_t)nrow + 1, sizeof *s->place);
    return s->entry && s->by_s && s->place;
}

void cd_sparse_slopes_free(cd_sparse_slopes* s)
{
    cd_arena_release(&s->arena);
    free(s->entry), free(s->by_s), free(s->place);
    *s = (cd_sparse_slopes){0};
}

void cd_sparse_slopes_hold(const cd_held* held, cd_sparse_slopes* s)
{
    for (int i = 0; i < held->nrow; ++i) s->place[i] = -1;
    for (int i = 0; i < held->count; ++i) s->place[held->row[i]] = i;
}

cardan_status cd_sparse_slopes_at(cd_system* system, double t, const double* q, const double* z, const double* a,
                                  const double* lambda, cd_sparse_slopes* s)
{
    cardan_data*  d      = system->data;
    cardan_status status = cd_system_go_on(system) ? cd_system_sound(system, t, q, z) : CARDAN_STOPPED;
    if (!status) status = cd_data_reach(d, t, q, z, system->ns ? z + system->nv : NULL);
    if (status) return status;
    const cd_given      given = cd_state_given(d);
    const cd_dual_state x     = {d->q, d->v, d->state, a, lambda};
    cd_dual_free_slopes(d->m, &given, &x, s->dual, &s->bodies, s->entry, s->by_s);
    return CARDAN_OK;
}
