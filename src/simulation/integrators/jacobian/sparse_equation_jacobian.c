// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/integrators/jacobian/sparse_equation_jacobian.h"

#include "dynamics/derivatives/state_jacobian.h"
#include "dynamics/state.h"
#include "math/sparse_lu.h"

#include <stdlib.h>

// Below this number of bodies dense matrices are faster. Losses that depend on multipliers need dense ones.
enum { BODIES_MIN = 9 };

bool cd_prefers_sparse_jacobian(const cd_ode_system* system)
{
    const cardan_model* m = system->model;
    if (!cd_sparse_lu_is_available()) return false;
    for (int i = 0; i < m->nlink; ++i)
        if (!cd_link_is_free(m, &m->link[i])) return false;
    return m->nlink >= BODIES_MIN && system->data->constraints.nlossy == 0;
}

static void layout(const cd_ode_system* system, cd_sparse_equation_jacobian* s)
{
    const cardan_data* d = system->data;
    cd_colouring_layout(d, &s->arena, &s->colouring);
    cd_dual_layout(d->m, &s->arena, &s->dual);
}

bool cd_sparse_equation_jacobian_create(const cd_ode_system* system, cd_sparse_equation_jacobian* s)
{
    const int nrow = system->data->rows.nrow;
    if (s->ready) return s->block && s->by_s && s->independent_index;
    *s = (cd_sparse_equation_jacobian){.g    = system->nv,
                                       .c    = system->nv + system->ns,
                                       .cdot = system->nv + system->ns + nrow,
                                       .n    = system->nv + system->ns + 3 * nrow};
    layout(system, s);
    if (!cd_arena_reserve(&s->arena)) return false;
    layout(system, s);
    s->ready = true;
    if (s->colouring.ncolour == 0) return false;
    s->block =
        cd_allocate((size_t)s->colouring.start[system->model->nlink] + 1, CD_FREE_BODY_COLUMNS * sizeof *s->block);
    s->by_s              = cd_allocate((size_t)s->n * (size_t)system->ns + 1, sizeof *s->by_s);
    s->independent_index = cd_allocate((size_t)nrow + 1, sizeof *s->independent_index);
    return s->block && s->by_s && s->independent_index;
}

void cd_sparse_equation_jacobian_free(cd_sparse_equation_jacobian* s)
{
    cd_arena_release(&s->arena);
    free(s->block), free(s->by_s), free(s->independent_index);
    *s = (cd_sparse_equation_jacobian){0};
}

void cd_sparse_equation_jacobian_set_rows(const cd_independent_rows* rows, cd_sparse_equation_jacobian* s)
{
    for (int i = 0; i < rows->nrow; ++i) s->independent_index[i] = -1;
    for (int i = 0; i < rows->count; ++i) s->independent_index[rows->row[i]] = i;
}

cardan_status cd_sparse_equation_jacobian_evaluate(cd_ode_system* system, double t, const double* q, const double* z,
                                                   const double* a, const double* lambda,
                                                   cd_sparse_equation_jacobian* s)
{
    cardan_data*  d      = system->data;
    cardan_status status = cd_progress_poll(system) ? cd_ode_state_check_finite(system, t, q, z) : CARDAN_STOPPED;
    if (!status) status = cd_data_set_state_if_changed(d, t, q, z, cd_user_states(system, z));
    if (status) return status;
    const cd_equation_input given = cd_state_equation_inputs(d);
    const cd_dual_state     x     = {d->q, d->v, d->state, a, lambda};
    cd_dual_free_body_jacobian(d->m, &given, &x, s->dual, &s->colouring, s->block, s->by_s);
    return CARDAN_OK;
}
