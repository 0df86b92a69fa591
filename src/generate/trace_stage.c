// SPDX-License-Identifier: BSD-3-Clause
// One instant for optimal control: the four forms of paper 003, section 3.2, with the forces that the model has itself, and the signals
// that conditions and costs look at.
#include "generate/stage.h"
#include "generate/whole.h"

#include "force/signals.h"

#include <stdlib.h>

// r = Q + effort - ID(q, v, 0) with the wrenches of the model
static cardan_status efforts_left(whole* w)
{
    const cardan_status status = cd_traced_inverse(&w->t, false, w->wrench, w->r);
    for (int i = 0; i < w->t.s->nv; ++i) w->r[i] = r_sub(w->effort[i], w->r[i]);
    return status;
}

static cardan_status implicit(whole* w)
{
    const cardan_status status = cd_traced_inverse(&w->t, true, w->wrench, w->r);
    for (int i = 0; i < w->t.s->nv; ++i) w->r[i] = r_sub(w->r[i], w->effort[i]);
    return status;
}

// M a - r
static cardan_status semi_explicit(whole* w, real* M)
{
    const int     n      = w->t.s->nv;
    cardan_status status = efforts_left(w);
    if (status == CARDAN_OK) status = cd_traced_mass(&w->t, M);
    for (int i = 0; status == CARDAN_OK && i < n; ++i) {
        real sum = r_neg(w->r[i]);
        for (int j = 0; j < n; ++j) sum = r_add(sum, r_mul(*mass_at(M, n, i, j), traced_input(&w->t, w->t.in->a + j)));
        w->a[i] = sum;
    }
    for (int i = 0; i < n; ++i) w->r[i] = w->a[i];
    return status;
}

static cardan_status factored(whole* w, real* M)
{
    cardan_status status = efforts_left(w);
    if (status == CARDAN_OK) status = cd_traced_mass(&w->t, M);
    if (status != CARDAN_OK) return status;
    cd_traced_factor(&w->t, M);
    cd_traced_solve(&w->t, M, w->r);
    return CARDAN_OK;
}

static cardan_status recursive(whole* w)
{
    cardan_status status = efforts_left(w);
    if (status == CARDAN_OK) status = cd_traced_articulated(&w->t, w->r, w->a);
    for (int i = 0; i < w->t.s->nv; ++i) w->r[i] = w->a[i];
    return status;
}

static cardan_status dynamics_of(whole* w, cd_stage_form form)
{
    const size_t n = (size_t)w->t.s->nv;
    real*        M = cd_allocate(n * n + 1, sizeof *M);
    if (!M) return CARDAN_NO_MEMORY;
    cardan_status status = CARDAN_OK;
    switch (form) {
    case CD_STAGE_IMPL: status = implicit(w); break;
    case CD_STAGE_SEMI: status = semi_explicit(w, M); break;
    case CD_STAGE_EXP1: status = factored(w, M); break;
    case CD_STAGE_EXP2: status = recursive(w); break;
    }
    free(M);
    return status;
}

cardan_status cd_trace_stage(cd_graph* graph, const cd_skeleton* s, const cd_sources* in, cd_stage_form form, cd_node* dynamics, cd_node* signal)
{
    whole               w = {0};
    const cardan_model* m = s->model;
    const cardan_view   view   = cardan_description_view(m->description);
    cardan_status       status = cd_tracing_begin(&w.t, graph, s, in);
    cd_whole_layout(m, true, &w);
    if (status == CARDAN_OK && !cd_arena_reserve(&w.arena)) status = CARDAN_NO_MEMORY;
    if (status == CARDAN_OK) {
        cd_whole_layout(m, true, &w);
        cd_whole_inputs(m, &w);
        cd_place(m, &w.k, w.q);
        cd_world_poses(m, &w.k, w.v, &w.world);
        const cd_signal_source source = {m, &w.world, w.time, w.q, w.v, w.state};
        for (int i = 0; status == CARDAN_OK && i < view.nsignal; ++i) {
            const real value = cd_signal_value(&source, &view.signal[i]);
            if (!cd_tracing_give(&w.t, 1, &value, &signal[i])) status = CARDAN_NO_MEMORY;
        }
        cd_whole_forces(m, false, &w);
    }
    if (status == CARDAN_OK) status = dynamics_of(&w, form);
    if (status == CARDAN_OK && !cd_tracing_give(&w.t, m->nv, w.r, dynamics)) status = CARDAN_NO_MEMORY;
    cd_arena_release(&w.arena);
    cd_tracing_end(&w.t);
    return status;
}
