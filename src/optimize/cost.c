// SPDX-License-Identifier: BSD-3-Clause
// Terms of the cost as kinds.
#include "optimize/building.h"

// h sum of weight u^2 (+ time)
const cd_kind* cd_make_effort(building* w)
{
    const cardan_task* task = w->p->task;
    cd_node            sum  = cd_constant(w->g, task->cost_time);
    bool               any  = task->cost_time != 0 && w->p->horizon >= 0;
    for (int i = 0; i < w->p->nu; ++i) {
        const cd_control* c = &task->control[i];
        const cd_node     u = input(w, w->s->in.effort + c->v);
        if (c->effort == 0) continue;
        sum = plus(w, sum, times(w, cd_constant(w->g, c->effort), times(w, u, u)));
        any = true;
    }
    return any ? cd_make_kind(w, "effort", 0, times(w, input(w, w->s->h), sum)) : NULL;
}

// h sum of weight ((u_k - u_(k-1)) / h)^2
const cd_kind* cd_make_rate(building* w)
{
    cd_node sum = cd_constant(w->g, 0);
    bool    any = false;
    for (int i = 0; i < w->p->nu; ++i) {
        const cd_control* c = &w->p->task->control[i];
        const cd_node     d = minus(w, input(w, w->s->in.effort + c->v), input(w, w->s->before + c->v));
        if (c->rate == 0) continue;
        sum = plus(w, sum, times(w, cd_constant(w->g, c->rate), times(w, d, d)));
        any = true;
    }
    return any ? cd_make_kind(w, "rate", 0, cd_binary(w->g, CD_DIV, sum, input(w, w->s->h))) : NULL;
}

const cd_kind* cd_make_integral(building* w)
{
    if (w->p->task->cost_integral == CARDAN_NONE) return NULL;
    const cd_node value = cd_instant_formula(w->s, w->p->task->cost_integral);
    w->ok               = w->ok && value >= 0;
    return w->ok ? cd_make_kind(w, "integral", 0, times(w, times(w, input(w, w->s->h), input(w, w->s->weight)), value))
                 : NULL;
}
