// SPDX-License-Identifier: BSD-3-Clause
// One instant for optimal control: the four forms of paper 003, section 3.2, with the forces that the model has itself,
// the forces and the rows of its constraints, and the signals that conditions and costs look at. Constraint forces are
// wrenches on links, and rows at the level of accelerations are those of links that move with a: gamma is what is left
// of J a - gamma at a = 0, so with a itself it is all of it, with the other sign.
#include "generate/stage.h"
#include "generate/whole.h"

#include "equation/loads.h"
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
    case CD_STAGE_IMPL:
        status = implicit(w);
        break;
    case CD_STAGE_SEMI:
        status = semi_explicit(w, M);
        break;
    case CD_STAGE_EXP1:
        status = factored(w, M);
        break;
    case CD_STAGE_EXP2:
        status = recursive(w);
        break;
    }
    free(M);
    return status;
}

// ---- constraints

static bool any_rows(const whole* w) { return w->closure.nrow + w->rotors.nrow > 0; }

static void evaluate_rows(const cardan_model* m, whole* w)
{
    if (!any_rows(w)) return;
    cd_closure_time(m, w->time, &w->closure);
    cd_closure_evaluate(&w->world, &w->closure);
    cd_closure_evaluate(&w->world, &w->rotors);
}

// Wrenches of the multipliers, beside those of the model's forces.
static cardan_status add_constraint_forces(const cardan_model* m, const cd_stage* stage, whole* w)
{
    if (stage->nrow == 0) return CARDAN_OK;
    spatial* wrench = cd_allocate((size_t)m->nlink + 1, sizeof *wrench);
    if (!wrench) return CARDAN_NO_MEMORY;
    const int nrow = w->closure.nrow + w->rotors.nrow;
    for (int i = 0; i < nrow; ++i) w->lambda[i] = r_lift(0);
    for (int i = 0; i < stage->nrow; ++i) w->lambda[stage->row[i]] = traced_input(&w->t, stage->lambda + i);
    for (int i = 0; i < m->nlink; ++i) wrench[i] = sv_zero();
    cd_closure_wrenches(&w->closure, w->lambda, wrench);
    cd_closure_wrenches(&w->rotors, w->lambda + w->closure.nrow, wrench);
    cd_turn_wrenches(m, &w->world, wrench);
    for (int i = 0; i < m->nlink; ++i) w->wrench[i] = sv_add(w->wrench[i], wrench[i]);
    free(wrench);
    return CARDAN_OK;
}

static bool row_has_position(const whole* w, int row)
{
    for (int i = 0; i < w->closure.nconstraint; ++i) {
        const cd_constraint* c = &w->closure.constraint[i];
        if (row >= c->first_row && row < c->first_row + c->nrow)
            return cd_closure_has_position(&w->closure, i, row - c->first_row);
    }
    return false;
}

static bool give_rows(const cardan_model* m, const cd_stage* stage, whole* w)
{
    if (stage->nrow == 0) return true;
    for (int i = 0; i < m->nv; ++i) w->a[i] = traced_input(&w->t, w->t.in->a + i);
    cd_world_accelerations(m, &w->k, w->v, w->a, &w->world);
    cd_closure_gamma(&w->world, &w->closure, w->gamma);
    cd_closure_gamma(&w->world, &w->rotors, w->gamma + w->closure.nrow);
    bool ok = true;
    for (int i = 0; ok && i < stage->nrow; ++i) {
        const int  row = stage->row[i], rotor = row - w->closure.nrow;
        const real none = r_lift(0);
        real       left = r_neg(w->gamma[row]);
        if (rotor >= 0)
            left =
                r_sub(left, r_mul(r_div(r_lift(1), r_lift(w->rotors.constraint[rotor].parameter[0])), w->lambda[row]));
        ok = cd_tracing_give(&w->t, 1, rotor < 0 && row_has_position(w, row) ? &w->closure.value[row] : &none,
                             &stage->position[i]) &&
             cd_tracing_give(&w->t, 1, rotor < 0 ? &w->closure.rate[row] : &none, &stage->velocity[i]) &&
             cd_tracing_give(&w->t, 1, &left, &stage->acceleration[i]);
    }
    return ok;
}

static cardan_status give_signals(const cardan_model* m, const cd_stage* stage, whole* w)
{
    const cardan_view      view   = cardan_description_view(m->description);
    const cd_signal_source source = {m, &w->world, w->time, w->q, w->v, w->state, w->effort};
    for (int i = 0; i < view.nsignal; ++i) {
        const cardan_signal* s     = &view.signal[i];
        const real           value = s->kind == CARDAN_SIGNAL_ACCELERATION
                                         ? traced_input(&w->t, w->t.in->a + m->slot[s->a].v + s->component)
                                         : cd_signal_value(&source, s);
        if (!cd_tracing_give(&w->t, 1, &value, &stage->signal[i])) return CARDAN_NO_MEMORY;
    }
    return CARDAN_OK;
}

static cardan_status trace(const cardan_model* m, const cd_stage* stage, whole* w)
{
    cd_whole_inputs(m, w);
    cd_place(m, &w->k, w->q);
    cd_world_poses(m, &w->k, w->v, &w->world);
    cd_measure_joints(m, &w->world, w->q, w->v);
    cardan_status status = give_signals(m, stage, w);
    cd_whole_forces(m, false, w);
    evaluate_rows(m, w);
    if (status == CARDAN_OK) status = add_constraint_forces(m, stage, w);
    if (status == CARDAN_OK) status = dynamics_of(w, stage->form);
    const bool given =
        status != CARDAN_OK ||
        (cd_tracing_give(&w->t, m->nv, w->r, stage->dynamics) &&
         cd_tracing_give(&w->t, m->nstate, w->rates + m->nrates - m->nstate, stage->rate) && give_rows(m, stage, w));
    return given ? status : CARDAN_NO_MEMORY;
}

cardan_status cd_trace_stage(cd_graph* graph, const cd_skeleton* s, const cd_sources* in, cd_stage* stage)
{
    whole               w      = {0};
    const cardan_model* m      = s->model;
    cardan_status       status = cd_tracing_begin(&w.t, graph, s, in);
    cd_whole_layout(m, true, &w);
    if (status == CARDAN_OK && !cd_arena_reserve(&w.arena)) status = CARDAN_NO_MEMORY;
    if (status == CARDAN_OK) {
        cd_whole_layout(m, true, &w);
        status = trace(m, stage, &w);
    }
    cd_arena_release(&w.arena);
    cd_tracing_end(&w.t);
    return status;
}
