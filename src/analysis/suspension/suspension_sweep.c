// SPDX-License-Identifier: BSD-3-Clause
// Sweeps: from the design configuration to both ends of the range, by a predictor along the tangent and a corrector
// onto the constraints. A step with too large a correction, or after which the motion reverses, is halved; if halving
// does not help, the suspension locks.
#include "analysis/suspension/suspension_study.h"
#include "analysis/analysis_tolerances.h"
#include "core/check_arguments.h"

#include <cardan/assemble.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double max_predicted_step = 0.2; // [rad, length_scale] largest prediction in one step

typedef struct sweep_work {
    cardan_suspension_study*     s;
    cardan_suspension_sweep_kind kind;
    cardan_report*               report;
    double*                      weight;              // (ndriver) driver values per sweep position
    double*                      value;               // (ndriver)
    double *                     q, *previous_motion; // (nq), (nv)
    vec3*                        velocity;            // (nwheel)
    bool*                        limit_reported;      // (njoint) a limit of this joint was reported
} sweep_work;

const char* cardan_suspension_sweep_name(int kind)
{
    static const char* const name[] = {"parallel", "opposite", "single", "steering"};
    return kind >= 0 && kind < CARDAN_SWEEP_KIND_COUNT ? name[kind] : NULL;
}

bool cardan_suspension_study_has_sweep(const cardan_suspension_study* s, cardan_suspension_sweep_kind kind)
{
    int nleft = 0;
    if (!s) return false;
    for (int i = 0; i < s->suspension->nwheel; ++i) nleft += s->wheel[i].side > 0;
    switch (kind) {
    case CARDAN_SWEEP_PARALLEL:
        return true;
    case CARDAN_SWEEP_OPPOSITE:
        return nleft > 0 && nleft < s->suspension->nwheel;
    case CARDAN_SWEEP_SINGLE:
        return s->suspension->nwheel > 1;
    case CARDAN_SWEEP_STEERING:
        return s->suspension->steering != CARDAN_NONE;
    default:
        return false;
    }
}

static void set_weights(const cardan_suspension_study* s, cardan_suspension_sweep_kind kind, double* weight)
{
    const int n = s->suspension->nwheel;
    for (int i = 0; i < n; ++i)
        weight[i] = kind == CARDAN_SWEEP_PARALLEL   ? 1
                    : kind == CARDAN_SWEEP_OPPOSITE ? s->wheel[i].side
                    : kind == CARDAN_SWEEP_SINGLE   ? i == 0
                                                    : 0;
    if (s->ndriver > n) weight[n] = kind == CARDAN_SWEEP_STEERING;
}

static void combine_motion(const sweep_work* w)
{
    const cardan_suspension_study* s  = w->s;
    const int                      nv = s->model->nv;
    memset(s->motion, 0, (size_t)nv * sizeof *s->motion);
    for (int i = 0; i < s->ndriver; ++i)
        for (int v = 0; v < nv; ++v)
            s->motion[v] += w->weight[i] * s->driver_motion[(size_t)i * (size_t)nv + (size_t)v];
}

// ---- joint limits

static void report_limits(sweep_work* w, double position)
{
    const cardan_suspension_study* s = w->s;
    for (int j = 0; j < s->view.njoint; ++j) {
        const cardan_joint* joint = &s->view.joint[j];
        double              q[CARDAN_JOINT_VELOCITIES_MAX + 1], v[CARDAN_JOINT_VELOCITIES_MAX];
        if (joint->naxis == 0 || s->model->joint_range[j].nq != s->model->joint_range[j].nv) continue;
        cardan_data_joint_state(s->data, j, q, v);
        for (int i = 0; i < joint->naxis; ++i) {
            const bool upper = q[i] > joint->axis[i].upper;
            if ((!upper && !(q[i] < joint->axis[i].lower)) || w->limit_reported[j]) continue;
            w->limit_reported[j] = true;
            cardan_note(w->report, CARDAN_CODE_LIMIT_EXCEEDED, joint->location,
                        "%s sweep: at %.4g joint '%s' is beyond its %s limit of %g",
                        cardan_suspension_sweep_name((int)w->kind), position, joint->name, upper ? "upper" : "lower",
                        upper ? joint->axis[i].upper : joint->axis[i].lower);
        }
    }
}

// ---- sweep points

static void measure_point(sweep_work* w, double position, cardan_suspension_sweep_point* point,
                          cardan_wheel_state* wheel)
{
    cardan_suspension_study* s = w->s;
    const int                n = s->suspension->nwheel;
    combine_motion(w);
    for (int i = 0; i < n; ++i) {
        wheel[i]        = cd_suspension_measure_wheel(s, i, s->motion, w->weight[i]);
        wheel[i].travel = w->weight[i] * position;
        w->velocity[i]  = cd_suspension_contact_velocity(s, i, s->driver_motion + (size_t)i * (size_t)s->model->nv);
        if (w->weight[i] != 0) w->velocity[i] = cd_suspension_contact_velocity(s, i, s->motion);
    }
    point->position        = position;
    point->steering_travel = s->ndriver > n ? w->weight[n] * position : 0;
    point->wheel           = wheel;
    point->energy          = cardan_data_energy(s->data).potential;
    cardan_data_constraint_violation(s->data, &point->max_violation, NULL);
    cd_suspension_measure_axle(s, wheel, w->velocity, point);
    if (w->kind != CARDAN_SWEEP_STEERING) point->ackermann = NAN;
    report_limits(w, position);
}

// ---- steps

static double scaled_length(const cardan_suspension_study* s, const double* x)
{
    double most = 0;
    for (int i = 0; i < s->model->nv; ++i) most = fmax(most, fabs(x[i] * s->equilibrium->unit[i]));
    return most;
}

static bool try_step(sweep_work* w, double from, double target)
{
    cardan_suspension_study* s  = w->s;
    const int                nv = s->model->nv;
    double                   moved, forward = 0;
    combine_motion(w);
    memcpy(w->previous_motion, s->motion, (size_t)nv * sizeof *w->previous_motion);
    for (int i = 0; i < nv; ++i) s->motion[i] *= target - from;
    const double predicted = scaled_length(s, s->motion);
    if (!(predicted <= max_predicted_step)) return false;
    cardan_model_integrate_position(s->model, w->q, s->motion, s->q);
    for (int i = 0; i < s->ndriver; ++i) w->value[i] = w->weight[i] * target;
    if (!cd_suspension_solve(s, w->value, 0.3 * predicted + cd_sweep_correction, &moved)) return false;
    cd_suspension_compute_tangents(s);
    combine_motion(w);
    for (int i = 0; i < nv; ++i)
        forward += s->motion[i] * w->previous_motion[i] * s->equilibrium->unit[i] * s->equilibrium->unit[i];
    return forward > 0;
}

// Return to the last good position. Returns false if it cannot be solved again.
static bool return_to(sweep_work* w, double position)
{
    double moved;
    memcpy(w->s->q, w->q, (size_t)w->s->model->nq * sizeof *w->q);
    for (int i = 0; i < w->s->ndriver; ++i) w->value[i] = w->weight[i] * position;
    if (!cd_suspension_solve(w->s, w->value, cd_sweep_return_correction, &moved)) return false;
    cd_suspension_compute_tangents(w->s);
    return true;
}

static void describe_end(sweep_work* w, double position, cardan_suspension_sweep_end* end)
{
    *end = (cardan_suspension_sweep_end){.locked = true, .position = position};
    return_to(w, position);
    combine_motion(w);
    const char* joint = cd_suspension_fastest_joint(w->s, w->s->motion);
    if (w->kind == CARDAN_SWEEP_STEERING)
        snprintf(end->reason, sizeof end->reason,
                 "joint '%s' can still move there, but '%s' cannot: a dead point of the steering", joint,
                 w->s->view.joint[w->s->suspension->steering].name);
    else
        snprintf(end->reason, sizeof end->reason,
                 "joint '%s' can still move there, but the wheel cannot: a dead point of the suspension", joint);
}

// Advance from `from` to `target`; returns false if the suspension locks.
static bool advance_to(sweep_work* w, double from, double target, cardan_suspension_sweep_end* end)
{
    const cardan_suspension_study* s = w->s;
    const cardan_suspension*       u = s->suspension;
    const double                   size =
        w->kind == CARDAN_SWEEP_STEERING ? u->steering_travel[1] - u->steering_travel[0] : u->travel[1] - u->travel[0];
    double h = target - from;
    while (from != target) {
        const double next = fabs(h) >= fabs(target - from) ? target : from + h;
        if (try_step(w, from, next)) {
            from = next;
            memcpy(w->q, s->q, (size_t)s->model->nq * sizeof *w->q);
            h *= 2;
            continue;
        }
        h = (next - from) / 2;
        if (fabs(h) < cd_sweep_min_step * size) {
            describe_end(w, from, end);
            return false;
        }
        return_to(w, from);
    }
    return true;
}

// ---- sweeps

static bool allocate_arrays(sweep_work* w)
{
    const cardan_suspension_study* s = w->s;
    w->weight                        = cd_allocate((size_t)s->ndriver + 1, sizeof *w->weight);
    w->value                         = cd_allocate((size_t)s->ndriver + 1, sizeof *w->value);
    w->q                             = cd_allocate((size_t)s->model->nq + 1, sizeof *w->q);
    w->previous_motion               = cd_allocate((size_t)s->model->nv + 1, sizeof *w->previous_motion);
    w->velocity                      = cd_allocate((size_t)s->suspension->nwheel + 1, sizeof *w->velocity);
    w->limit_reported                = cd_allocate((size_t)s->view.njoint + 1, sizeof *w->limit_reported);
    return w->weight && w->value && w->q && w->previous_motion && w->velocity && w->limit_reported;
}

static void release(sweep_work* w)
{
    free(w->weight);
    free(w->value);
    free(w->q);
    free(w->previous_motion);
    free(w->velocity);
    free(w->limit_reported);
}

void cardan_suspension_sweep_destroy(cardan_suspension_sweep* sweep)
{
    if (!sweep) return;
    if (sweep->point) free((void*)sweep->point[0].wheel);
    free((void*)sweep->point);
    free(sweep);
}

// Compute the points of one direction: `count` points from the design configuration to the end of the range.
// Returns the number computed.
static int sweep_direction(sweep_work* w, int count, double last, cardan_suspension_sweep_point* point,
                           cardan_wheel_state* wheel, int step, cardan_suspension_sweep_end* end)
{
    cardan_suspension_study* s        = w->s;
    double                   position = 0;
    memcpy(w->q, s->q_design, (size_t)s->model->nq * sizeof *w->q);
    return_to(w, 0);
    for (int k = 1; k <= count; ++k) {
        const double target = k == count ? last : last * k / count;
        if (!advance_to(w, position, target, end)) return k - 1;
        position = target;
        measure_point(w, position, point + step * k, wheel + (long)step * k * s->suspension->nwheel);
    }
    return count;
}

static void run_sweep(sweep_work* w, cardan_suspension_sweep* result, cardan_suspension_sweep_point* point,
                      cardan_wheel_state* wheel)
{
    cardan_suspension_study* s     = w->s;
    const cardan_suspension* u     = s->suspension;
    const double*            range = w->kind == CARDAN_SWEEP_STEERING ? u->steering_travel : u->travel;
    const int                n     = u->nwheel;
    int                      nlow  = (int)lround((u->npoint - 1) * -range[0] / (range[1] - range[0]));
    if (range[0] < 0 && nlow == 0) nlow = 1;
    if (range[1] > 0 && nlow == u->npoint - 1) --nlow;
    memcpy(w->q, s->q_design, (size_t)s->model->nq * sizeof *w->q);
    return_to(w, 0);
    measure_point(w, 0, point + nlow, wheel + (long)nlow * n);
    const int low = sweep_direction(w, nlow, range[0], point + nlow, wheel + (long)nlow * n, -1, &result->low);
    const int high =
        sweep_direction(w, u->npoint - 1 - nlow, range[1], point + nlow, wheel + (long)nlow * n, 1, &result->high);
    result->npoint       = low + 1 + high;
    result->design_point = low;
    memmove(wheel, wheel + (long)(nlow - low) * n, (size_t)(result->npoint * n) * sizeof *wheel);
    memmove(point, point + nlow - low, (size_t)result->npoint * sizeof *point);
    for (int i = 0; i < result->npoint; ++i) point[i].wheel = wheel + (long)i * n;
}

cardan_status cardan_suspension_study_sweep(cardan_suspension_study* s, cardan_suspension_sweep_kind kind,
                                            cardan_suspension_sweep** result, cardan_report* report)
{
    sweep_work w = {.s = s, .kind = kind, .report = report};
    CD_REQUIRE_POINTER(result, "sweep", report);
    *result = NULL;
    CD_REQUIRE_POINTER(s, "study", report);
    if (!cardan_suspension_study_has_sweep(s, kind))
        return cardan_fail(report, CARDAN_BAD_USAGE, CARDAN_CODE_SUSPENSION_INVALID, s->suspension->location,
                           "'%s' has no %s sweep: %s", s->view.name,
                           cardan_suspension_sweep_name((int)kind) ? cardan_suspension_sweep_name((int)kind) : "such",
                           kind == CARDAN_SWEEP_STEERING   ? "its section 'suspension' names no 'steering'"
                           : kind == CARDAN_SWEEP_OPPOSITE ? "it has wheels on one side only"
                                                           : "it has one wheel only");
    const size_t                   n     = (size_t)s->suspension->npoint;
    cardan_suspension_sweep*       out   = cd_allocate(1, sizeof *out);
    cardan_suspension_sweep_point* point = cd_allocate(n, sizeof *point);
    cardan_wheel_state*            wheel = cd_allocate(n * (size_t)s->suspension->nwheel, sizeof *wheel);
    const bool                     good  = out && point && wheel && allocate_arrays(&w);
    if (good) {
        *out    = (cardan_suspension_sweep){.kind = kind, .nwheel = s->suspension->nwheel, .point = point};
        *result = out;
        set_weights(s, kind, w.weight);
        run_sweep(&w, out, point, wheel);
    } else {
        free(out);
        free(point);
        free(wheel);
    }
    release(&w);
    return good ? CARDAN_OK
                : cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_location_none(),
                              "out of memory for the sweep of '%s'", s->view.name);
}
