// SPDX-License-Identifier: BSD-3-Clause
// Cost terms as block functions.
#include "optimize/transcription/transcription_builder.h"

// h sum of weight u^2 (+ time)
const cd_block_function* cd_make_effort_cost(transcription_builder* w)
{
    const cardan_task* task = w->ocp->task;
    cd_node            sum  = cd_constant(w->graph, task->cost_time);
    bool               any  = task->cost_time != 0 && w->ocp->horizon >= 0;
    for (int i = 0; i < w->ocp->nu; ++i) {
        const cd_control* c = &task->control[i];
        const cd_node     u = input(w, w->model->in.effort + c->velocity_index);
        if (c->effort_weight == 0) continue;
        sum = plus(w, sum, times(w, cd_constant(w->graph, c->effort_weight), times(w, u, u)));
        any = true;
    }
    return any ? cd_builder_add_function(w, "effort", 0, times(w, input(w, w->model->h), sum)) : NULL;
}

// h sum of weight ((u_k - u_(k-1)) / h)^2
const cd_block_function* cd_make_effort_rate_cost(transcription_builder* w)
{
    cd_node sum = cd_constant(w->graph, 0);
    bool    any = false;
    for (int i = 0; i < w->ocp->nu; ++i) {
        const cd_control* c = &w->ocp->task->control[i];
        const cd_node     d = minus(w, input(w, w->model->in.effort + c->velocity_index),
                                    input(w, w->model->previous_effort + c->velocity_index));
        if (c->rate_weight == 0) continue;
        sum = plus(w, sum, times(w, cd_constant(w->graph, c->rate_weight), times(w, d, d)));
        any = true;
    }
    return any ? cd_builder_add_function(w, "rate", 0, cd_binary(w->graph, CD_DIV, sum, input(w, w->model->h))) : NULL;
}

const cd_block_function* cd_make_integral_cost(transcription_builder* w)
{
    if (w->ocp->task->cost_integral == CARDAN_NONE) return NULL;
    const cd_node value = cd_point_model_formula(w->model, w->ocp->task->cost_integral);
    w->ok               = w->ok && value >= 0;
    return w->ok ? cd_builder_add_function(
                       w, "integral", 0,
                       times(w, times(w, input(w, w->model->h), input(w, w->model->quadrature_weight)), value))
                 : NULL;
}
