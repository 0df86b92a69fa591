// SPDX-License-Identifier: BSD-3-Clause
// What a motion violates: how much of each sort, and which line of the task it misses most.
#include "optimize/plan.h"

#include "model/model.h"

#include <math.h>
#include <stdio.h>

static double beyond(double x, double lower, double upper) { return x < lower ? lower - x : x > upper ? x - upper : 0; }

const cd_conditions* cd_conditions_of(const cardan_plan* p, const cd_kind* kind)
{
    return kind == p->at_start  ? &p->task->start
           : kind == p->at_end  ? &p->task->end
           : kind == p->on_path ? &p->task->path
                                : NULL;
}

static const char* place_in_words(const cardan_plan* p, const cd_block* b)
{
    return b->kind == p->at_start ? "at the start" : b->kind == p->at_end ? "at the end" : "on the way";
}

static const char* joint_of(const cardan_plan* p, int v)
{
    int local;
    return cardan_model_joint_name(p->task->model, cardan_model_joint_of_velocity(p->task->model, v, &local));
}

static void name_condition(const cardan_plan* p, const cd_block* b, const cd_condition* c, cardan_violation* worst)
{
    const char* where = place_in_words(p, b);
    worst->place      = c->place;
    switch (c->on) {
    case CD_ON_Q:
        snprintf(worst->what, sizeof worst->what, "the coordinate of joint '%.60s' %s", joint_of(p, c->index), where);
        break;
    case CD_ON_V:
        snprintf(worst->what, sizeof worst->what, "the velocity of joint '%.60s' %s", joint_of(p, c->index), where);
        break;
    case CD_ON_A:
        snprintf(worst->what, sizeof worst->what, "the acceleration of joint '%.60s' %s", joint_of(p, c->index), where);
        break;
    case CD_ON_VALUE:
        snprintf(worst->what, sizeof worst->what, "this condition %s", where);
        break;
    }
}

static void look_at_block(const cardan_plan* p, const cd_block* b, cardan_violations* all)
{
    const cd_conditions* list = cd_conditions_of(p, b->kind);
    for (int i = 0; i < b->kind->nrow; ++i) {
        const int    row    = b->row + i;
        const double missed = beyond(p->solved.g[row], p->program.g_lower[row], p->program.g_upper[row]);
        const bool   named  = list && i < list->count;
        if (!named && b->kind != p->limits)
            all->dynamics = fmax(all->dynamics, missed);
        else
            all->conditions = fmax(all->conditions, missed);
        if (!named || !(missed > all->worst.size)) continue;
        all->worst.size    = missed;
        all->worst.reached = p->solved.g[row];
        name_condition(p, b, &list->list[i], &all->worst);
    }
}

cardan_violations cardan_plan_violations(const cardan_plan* p)
{
    if (!p) return (cardan_violations){0};
    cardan_violations all = {.worst = {.place = p->task->place}};
    for (int b = 0; b < p->program.nblock; ++b) look_at_block(p, &p->program.block[b], &all);
    for (int i = 0; i < p->program.n; ++i)
        all.bounds = fmax(all.bounds, beyond(p->solved.x[i], p->program.x_lower[i], p->program.x_upper[i]));
    return all;
}

// At how many instants of the last motion a coordinate is at one of its bounds on the way.
static int instants_at_bound(const cardan_plan* p, int i)
{
    const double low = p->task->q_lower[i], high = p->task->q_upper[i], fine = 1e-4 * fmin(1, high - low);
    int          count = 0;
    for (int k = 0; p->q_of_v[i] >= 0 && k <= p->N; ++k) {
        const double q = p->solved.x[cd_at_x(p, k) + p->q_of_v[i]];
        count += q < low + fine || q > high - fine;
    }
    return count;
}

// A motion that cannot come further often leans on a bound.
static void tell_pressed(const cardan_plan* p, cardan_report* report)
{
    int most = 0, at = -1;
    for (int i = 0; i < p->n; ++i) {
        const int count = p->task->q_lower[i] < p->task->q_upper[i] ? instants_at_bound(p, i) : 0;
        if (count > most) most = count, at = i;
    }
    if (at >= 0 && most > 1)
        cardan_note(report, CARDAN_CODE_BOUND_ACTIVE, p->task->place,
                    "joint '%s' is at a bound of its coordinate, %g to %g, at %d of %d instants of the last motion",
                    joint_of(p, at), p->task->q_lower[at], p->task->q_upper[at], most, p->N + 1);
}

void cd_plan_tell_missed(const cardan_plan* p, cardan_report* report)
{
    const cardan_violations all = cardan_plan_violations(p);
    if (all.worst.size > 1e-6)
        cardan_note(report, CARDAN_CODE_CONDITION_VIOLATED, all.worst.place,
                    "%s is missed most by the last motion, by %.3g: it is %.6g", all.worst.what, all.worst.size,
                    all.worst.reached);
    tell_pressed(p, report);
}
