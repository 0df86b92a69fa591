// SPDX-License-Identifier: BSD-3-Clause
// Sweeps: from the design position to one end of the range and to the other, along the tangent and back onto the
// constraints. A step that is corrected too far, or after which the motion has turned back, is halved; where halving
// does not help the suspension locks.
#include "analysis/study.h"
#include "core/arguments.h"

#include <cardan/assemble.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double longest = 0.2;  // rad or lengths: predicted in one step
static const double least   = 1e-7; // part of the range that is worth a step

typedef struct sweep {
    cardan_study*     s;
    cardan_sweep_kind kind;
    cardan_report*    report;
    double*           weight;     // (ndriver) how the drivers move with the sweep
    double*           value;      // (ndriver)
    double *          q, *before; // (nq), (nv)
    vec3*             velocity;   // (nwheel)
    bool*             told;       // (joints x coordinates) limits passed
} sweep;

const char* cardan_sweep_name(int kind)
{
    static const char* const name[] = {"parallel", "opposite", "single", "steering"};
    return kind >= 0 && kind < CARDAN_SWEEP_KINDS ? name[kind] : NULL;
}

bool cardan_study_has(const cardan_study* s, cardan_sweep_kind kind)
{
    int left = 0;
    if (!s) return false;
    for (int i = 0; i < s->suspension->nwheel; ++i) left += s->wheel[i].side > 0;
    switch (kind) {
    case CARDAN_SWEEP_PARALLEL:
        return true;
    case CARDAN_SWEEP_OPPOSITE:
        return left > 0 && left < s->suspension->nwheel;
    case CARDAN_SWEEP_SINGLE:
        return s->suspension->nwheel > 1;
    case CARDAN_SWEEP_STEERING:
        return s->suspension->steering != CARDAN_NONE;
    default:
        return false;
    }
}

static void weigh(const cardan_study* s, cardan_sweep_kind kind, double* weight)
{
    const int n = s->suspension->nwheel;
    for (int i = 0; i < n; ++i)
        weight[i] = kind == CARDAN_SWEEP_PARALLEL   ? 1
                    : kind == CARDAN_SWEEP_OPPOSITE ? s->wheel[i].side
                    : kind == CARDAN_SWEEP_SINGLE   ? i == 0
                                                    : 0;
    if (s->ndriver > n) weight[n] = kind == CARDAN_SWEEP_STEERING;
}

static void find_along(const sweep* w)
{
    const cardan_study* s  = w->s;
    const int           nv = s->model->nv;
    memset(s->along, 0, (size_t)nv * sizeof *s->along);
    for (int i = 0; i < s->ndriver; ++i)
        for (int v = 0; v < nv; ++v) s->along[v] += w->weight[i] * s->t[(size_t)i * (size_t)nv + (size_t)v];
}

// ---- limits of joints

static void tell_limits(sweep* w, double at)
{
    const cardan_study* s = w->s;
    for (int j = 0; j < s->view.njoint; ++j) {
        const cardan_joint* joint = &s->view.joint[j];
        double              q[CARDAN_JOINT_MAX + 1], v[CARDAN_JOINT_MAX];
        if (joint->naxis == 0 || s->model->place[j].nq != s->model->place[j].nv) continue;
        cardan_joint_state(s->data, j, q, v);
        for (int i = 0; i < joint->naxis; ++i) {
            const bool upper = q[i] > joint->axis[i].upper;
            if ((!upper && !(q[i] < joint->axis[i].lower)) || w->told[j]) continue;
            w->told[j] = true;
            cardan_note(w->report, CARDAN_CODE_LIMIT_EXCEEDED, joint->place,
                        "%s sweep: at %.4g joint '%s' is beyond its %s limit of %g", cardan_sweep_name((int)w->kind),
                        at, joint->name, upper ? "upper" : "lower",
                        upper ? joint->axis[i].upper : joint->axis[i].lower);
        }
    }
}

// ---- a row

static void measure(sweep* w, double at, cardan_sweep_row* row, cardan_wheel_state* wheel)
{
    cardan_study* s = w->s;
    const int     n = s->suspension->nwheel;
    find_along(w);
    for (int i = 0; i < n; ++i) {
        wheel[i]        = cd_study_measure(s, i, s->along, w->weight[i]);
        wheel[i].travel = w->weight[i] * at;
        w->velocity[i]  = cd_study_contact_velocity(s, i, s->t + (size_t)i * (size_t)s->model->nv);
        if (w->weight[i] != 0) w->velocity[i] = cd_study_contact_velocity(s, i, s->along);
    }
    row->at     = at;
    row->stroke = s->ndriver > n ? w->weight[n] * at : 0;
    row->wheel  = wheel;
    row->energy = cardan_energy(s->data).potential;
    cardan_closure_error(s->data, &row->closure, NULL);
    cd_study_axle(s, wheel, w->velocity, row);
    if (w->kind != CARDAN_SWEEP_STEERING) row->ackermann = NAN;
    tell_limits(w, at);
}

// ---- a step

static double in_units(const cardan_study* s, const double* x)
{
    double most = 0;
    for (int i = 0; i < s->model->nv; ++i) most = fmax(most, fabs(x[i] * s->still->unit[i]));
    return most;
}

static bool attempt(sweep* w, double from, double to)
{
    cardan_study* s  = w->s;
    const int     nv = s->model->nv;
    double        moved, forward = 0;
    find_along(w);
    memcpy(w->before, s->along, (size_t)nv * sizeof *w->before);
    for (int i = 0; i < nv; ++i) s->along[i] *= to - from;
    const double predicted = in_units(s, s->along);
    if (!(predicted <= longest)) return false;
    cardan_model_move(s->model, w->q, s->along, s->q);
    for (int i = 0; i < s->ndriver; ++i) w->value[i] = w->weight[i] * to;
    if (!cd_study_solve(s, w->value, 0.3 * predicted + 1e-6, &moved)) return false;
    cd_study_tangents(s);
    find_along(w);
    for (int i = 0; i < nv; ++i) forward += s->along[i] * w->before[i] * s->still->unit[i] * s->still->unit[i];
    return forward > 0;
}

// Back to the last good position.
static bool back(sweep* w, double at)
{
    double moved;
    memcpy(w->s->q, w->q, (size_t)w->s->model->nq * sizeof *w->q);
    for (int i = 0; i < w->s->ndriver; ++i) w->value[i] = w->weight[i] * at;
    if (!cd_study_solve(w->s, w->value, 1e-3, &moved)) return false;
    cd_study_tangents(w->s);
    return true;
}

static void tell_end(sweep* w, double at, cardan_sweep_end* end)
{
    *end = (cardan_sweep_end){.locked = true, .at = at};
    back(w, at);
    find_along(w);
    const char* joint = cd_study_liveliest(w->s, w->s->along);
    if (w->kind == CARDAN_SWEEP_STEERING)
        snprintf(end->why, sizeof end->why,
                 "joint '%s' can still move there, but not '%s': a dead point of the steering", joint,
                 w->s->view.joint[w->s->suspension->steering].name);
    else
        snprintf(end->why, sizeof end->why,
                 "joint '%s' can still move there, but the wheel no further: a dead point of the suspension", joint);
}

// From `from` to `to`; false where it locks.
static bool go(sweep* w, double from, double to, cardan_sweep_end* end)
{
    const cardan_study*      s = w->s;
    const cardan_suspension* u = s->suspension;
    const double size = w->kind == CARDAN_SWEEP_STEERING ? u->stroke[1] - u->stroke[0] : u->travel[1] - u->travel[0];
    double       h    = to - from;
    while (from != to) {
        const double next = fabs(h) >= fabs(to - from) ? to : from + h;
        if (attempt(w, from, next)) {
            from = next;
            memcpy(w->q, s->q, (size_t)s->model->nq * sizeof *w->q);
            h *= 2;
            continue;
        }
        h = (next - from) / 2;
        if (fabs(h) < least * size) {
            tell_end(w, from, end);
            return false;
        }
        back(w, from);
    }
    return true;
}

// ---- a sweep

static bool furnish(sweep* w)
{
    const cardan_study* s = w->s;
    w->weight             = cd_allocate((size_t)s->ndriver + 1, sizeof *w->weight);
    w->value              = cd_allocate((size_t)s->ndriver + 1, sizeof *w->value);
    w->q                  = cd_allocate((size_t)s->model->nq + 1, sizeof *w->q);
    w->before             = cd_allocate((size_t)s->model->nv + 1, sizeof *w->before);
    w->velocity           = cd_allocate((size_t)s->suspension->nwheel + 1, sizeof *w->velocity);
    w->told               = cd_allocate((size_t)s->view.njoint + 1, sizeof *w->told);
    return w->weight && w->value && w->q && w->before && w->velocity && w->told;
}

static void release(sweep* w)
{
    free(w->weight);
    free(w->value);
    free(w->q);
    free(w->before);
    free(w->velocity);
    free(w->told);
}

void cardan_sweep_destroy(cardan_sweep* sweep)
{
    if (!sweep) return;
    if (sweep->row) free((void*)sweep->row[0].wheel);
    free((void*)sweep->row);
    free(sweep);
}

// Rows of one direction: `count` of them beyond the design position, to the end of the range.
static int to_the_end(sweep* w, int count, double last, cardan_sweep_row* row, cardan_wheel_state* wheel, int step,
                      cardan_sweep_end* end)
{
    cardan_study* s  = w->s;
    double        at = 0;
    memcpy(w->q, s->q0, (size_t)s->model->nq * sizeof *w->q);
    back(w, 0);
    for (int k = 1; k <= count; ++k) {
        const double to = k == count ? last : last * k / count;
        if (!go(w, at, to, end)) return k - 1;
        at = to;
        measure(w, at, row + step * k, wheel + (long)step * k * s->suspension->nwheel);
    }
    return count;
}

static void fill(sweep* w, cardan_sweep* out, cardan_sweep_row* row, cardan_wheel_state* wheel)
{
    cardan_study*            s     = w->s;
    const cardan_suspension* u     = s->suspension;
    const double*            range = w->kind == CARDAN_SWEEP_STEERING ? u->stroke : u->travel;
    const int                n     = u->nwheel;
    int                      down  = (int)lround((u->points - 1) * -range[0] / (range[1] - range[0]));
    if (range[0] < 0 && down == 0) down = 1;
    if (range[1] > 0 && down == u->points - 1) --down;
    memcpy(w->q, s->q0, (size_t)s->model->nq * sizeof *w->q);
    back(w, 0);
    measure(w, 0, row + down, wheel + (long)down * n);
    const int low  = to_the_end(w, down, range[0], row + down, wheel + (long)down * n, -1, &out->low);
    const int high = to_the_end(w, u->points - 1 - down, range[1], row + down, wheel + (long)down * n, 1, &out->high);
    out->nrow      = low + 1 + high;
    out->design    = low;
    memmove(wheel, wheel + (long)(down - low) * n, (size_t)(out->nrow * n) * sizeof *wheel);
    memmove(row, row + down - low, (size_t)out->nrow * sizeof *row);
    for (int i = 0; i < out->nrow; ++i) row[i].wheel = wheel + (long)i * n;
}

cardan_status cardan_study_sweep(cardan_study* s, cardan_sweep_kind kind, cardan_sweep** result, cardan_report* report)
{
    sweep w = {.s = s, .kind = kind, .report = report};
    CD_REFUSE_NULL(result, "sweep", report);
    *result = NULL;
    CD_REFUSE_NULL(s, "study", report);
    if (!cardan_study_has(s, kind))
        return cardan_fail(report, CARDAN_BAD_USAGE, CARDAN_CODE_SUSPENSION_INVALID, s->suspension->place,
                           "'%s' has no %s sweep: %s", s->view.name,
                           cardan_sweep_name((int)kind) ? cardan_sweep_name((int)kind) : "such",
                           kind == CARDAN_SWEEP_STEERING   ? "its section 'suspension' names no 'steering'"
                           : kind == CARDAN_SWEEP_OPPOSITE ? "it has wheels on one side only"
                                                           : "it has one wheel only");
    const size_t        n     = (size_t)s->suspension->points;
    cardan_sweep*       out   = cd_allocate(1, sizeof *out);
    cardan_sweep_row*   row   = cd_allocate(n, sizeof *row);
    cardan_wheel_state* wheel = cd_allocate(n * (size_t)s->suspension->nwheel, sizeof *wheel);
    const bool          room  = out && row && wheel && furnish(&w);
    if (room) {
        *out    = (cardan_sweep){.kind = kind, .nwheel = s->suspension->nwheel, .row = row};
        *result = out;
        weigh(s, kind, w.weight);
        fill(&w, out, row, wheel);
    } else {
        free(out);
        free(row);
        free(wheel);
    }
    release(&w);
    return room ? CARDAN_OK
                : cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_nowhere(),
                              "no memory for the sweep of '%s'", s->view.name);
}
