// SPDX-License-Identifier: BSD-3-Clause
// Violations of a trajectory: magnitude by kind, and the line of the task with the largest violation.
#include "optimize/transcription/ocp.h"

#include "model/model.h"
#include "optimize/optimize_tolerances.h"

#include <math.h>
#include <stdio.h>

static double bound_violation(double x, double lower, double upper)
{
    return x < lower ? lower - x : x > upper ? x - upper : 0;
}

const cd_conditions* cd_ocp_conditions_of(const cardan_ocp* p, const cd_block_function* function)
{
    return function == p->start_function  ? &p->task->start
           : function == p->end_function  ? &p->task->end
           : function == p->path_function ? &p->task->path
                                          : NULL;
}

static const char* block_position_text(const cardan_ocp* p, const cd_nlp_block* b)
{
    return b->function == p->start_function ? "at the start"
           : b->function == p->end_function ? "at the end"
                                            : "on the path";
}

static const char* joint_name_of_velocity(const cardan_ocp* p, int v)
{
    int local;
    return cardan_model_joint_name(p->task->model, cardan_model_joint_of_velocity(p->task->model, v, &local));
}

static void describe_condition(const cardan_ocp* p, const cd_nlp_block* b, const cd_condition* c,
                               cardan_ocp_violation* worst)
{
    const char* where = block_position_text(p, b);
    worst->location   = c->location;
    switch (c->kind) {
    case CD_CONDITION_Q:
        snprintf(worst->description, sizeof worst->description, "the coordinate of joint '%.60s' %s",
                 joint_name_of_velocity(p, c->velocity_index), where);
        break;
    case CD_CONDITION_V:
        snprintf(worst->description, sizeof worst->description, "the velocity of joint '%.60s' %s",
                 joint_name_of_velocity(p, c->velocity_index), where);
        break;
    case CD_CONDITION_A:
        snprintf(worst->description, sizeof worst->description, "the acceleration of joint '%.60s' %s",
                 joint_name_of_velocity(p, c->velocity_index), where);
        break;
    case CD_CONDITION_EXPRESSION:
        snprintf(worst->description, sizeof worst->description, "this condition %s", where);
        break;
    }
}

static void add_block_violation(const cardan_ocp* p, const cd_nlp_block* b, cardan_ocp_violation_summary* all)
{
    const cd_conditions* list = cd_ocp_conditions_of(p, b->function);
    for (int i = 0; i < b->function->nrow; ++i) {
        const int    row       = b->first_row + i;
        const double violation = bound_violation(p->solution.g[row], p->nlp.g_lower[row], p->nlp.g_upper[row]);
        const bool   named     = list && i < list->count;
        if (!named && b->function != p->limits_function)
            all->dynamics = fmax(all->dynamics, violation);
        else
            all->conditions = fmax(all->conditions, violation);
        if (!named || !(violation > all->worst.size)) continue;
        all->worst.size  = violation;
        all->worst.value = p->solution.g[row];
        describe_condition(p, b, &list->list[i], &all->worst);
    }
}

cardan_ocp_violation_summary cardan_ocp_violations(const cardan_ocp* p)
{
    if (!p) return (cardan_ocp_violation_summary){0};
    cardan_ocp_violation_summary all = {.worst = {.location = p->task->location}};
    for (int b = 0; b < p->nlp.nblock; ++b) add_block_violation(p, &p->nlp.block[b], &all);
    for (int i = 0; i < p->nlp.n; ++i)
        all.bounds = fmax(all.bounds, bound_violation(p->solution.x[i], p->nlp.x_lower[i], p->nlp.x_upper[i]));
    return all;
}

// Count the samples of the last trajectory at which a coordinate is at a bound of the path.
static int samples_at_bound(const cardan_ocp* p, int i)
{
    const double low = p->task->q_lower[i], high = p->task->q_upper[i],
                 tolerance = cd_at_bound_tolerance * fmin(1, high - low);
    int count              = 0;
    for (int k = 0; p->q_of_v[i] >= 0 && k <= p->N; ++k) {
        const double q = p->solution.x[cd_ocp_offset_x(p, k) + p->q_of_v[i]];
        count += q < low + tolerance || q > high - tolerance;
    }
    return count;
}

// Note a joint that is at a bound: an infeasible problem often ends there.
static void note_joint_at_bound(const cardan_ocp* p, cardan_report* report)
{
    int most = 0, at = -1;
    for (int i = 0; i < p->n; ++i) {
        const int count = p->task->q_lower[i] < p->task->q_upper[i] ? samples_at_bound(p, i) : 0;
        if (count > most) most = count, at = i;
    }
    if (at >= 0 && most > 1)
        cardan_note(report, CARDAN_CODE_BOUND_ACTIVE, p->task->location,
                    "joint '%s' is at a bound of its coordinate, %g to %g, at %d of %d samples of the last iterate",
                    joint_name_of_velocity(p, at), p->task->q_lower[at], p->task->q_upper[at], most, p->N + 1);
}

void cd_ocp_note_worst_violation(const cardan_ocp* p, cardan_report* report)
{
    const cardan_ocp_violation_summary all = cardan_ocp_violations(p);
    if (all.worst.size > cd_feasibility_tolerance)
        cardan_note(report, CARDAN_CODE_CONDITION_VIOLATED, all.worst.location,
                    "%s has the largest violation at the last iterate, %.3g: its value is %.6g", all.worst.description,
                    all.worst.size, all.worst.value);
    note_joint_at_bound(p, report);
}
