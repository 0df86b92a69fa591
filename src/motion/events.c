// SPDX-License-Identifier: BSD-3-Clause
// Location: the step is looked at in a few places, and the first change of side is narrowed down to 1e-12 of the piece
// by the Illinois variant of regula falsi, with a bisection wherever the bracket shrinks too slowly (a condition may
// jump). The state is that of the dense output, or of the fixed step repeated up to that time.
// Source: Dowell, Jarratt 1971; Hairer, Norsett, Wanner 1993, section II.6.
#include "motion/events.h"

#include "math/quaternion.h"
#include "model/model.h"

#include <float.h>
#include <math.h>

enum { LOOKS = 4 }; // places where the step of an adaptive method is looked at

void cd_events_layout(cd_events* events, cd_arena* arena)
{
    cd_point_layout(events->system, arena, &events->x);
    CD_TAKE(arena, events->watch, 2 * events->system->model->nlaw + 1);
}

static void add_limit(cd_events* events, cd_watch watch)
{
    watch.band = 1e-3 * events->system->tolerance * (1 + fabs(watch.bound));
    if (isfinite(watch.bound)) events->watch[events->count++] = watch;
}

void cd_events_collect(cd_events* events)
{
    const cardan_model* m = events->system->model;
    events->count         = 0;
    for (int i = 0; i < m->nlaw; ++i) {
        const cd_law*      law   = &m->law[i];
        const cardan_axis* axis  = &law->axis_law;
        const bool         ball  = law->ball != CARDAN_NONE;
        cd_watch           watch = {.joint      = law->joint,
                                    .coordinate = law->axis,
                                    .q          = ball ? law->ball : law->q,
                                    .component  = ball ? law->component : CARDAN_NONE,
                                    .stiff      = axis->stop_stiffness > 0};
        watch.bound              = axis->lower;
        add_limit(events, watch);
        watch.bound = axis->upper;
        watch.upper = true;
        add_limit(events, watch);
    }
    if (events->stop != CARDAN_NONE)
        events->watch[events->count++] = (cd_watch){.joint = CARDAN_NONE, .coordinate = CARDAN_NONE};
}

// The coordinate of a limit; along a quaternion it is a component of the rotation vector.
static double coordinate(const cd_watch* watch, const double* q)
{
    double turn[3];
    if (watch->component == CARDAN_NONE) return q[watch->q];
    q4_log(q + watch->q, turn);
    return turn[watch->component];
}

// The stop condition needs the kinematics at x; limits only the coordinate.
static double value(const cd_events* events, const cd_watch* watch, const cd_point* x)
{
    if (watch->joint != CARDAN_NONE) {
        const double beyond = coordinate(watch, x->q) - watch->bound;
        return watch->upper ? beyond : -beyond;
    }
    const cd_system* system = events->system;
    const double*    state  = system->ns ? x->z + system->nv : NULL;
    return cardan_data_set(system->data, x->t, x->q, x->z, state) ? NAN : cardan_evaluate(system->data, events->stop);
}

bool cd_events_settle(cd_events* events, const cd_point* x)
{
    for (int i = 0; i < events->count; ++i) {
        cd_watch* watch = &events->watch[i];
        watch->g_from   = value(events, watch, x);
        watch->out      = watch->g_from > 0;
    }
    return events->stop != CARDAN_NONE && events->watch[events->count - 1].out;
}

// events->x at time t of the last step
static cardan_status go_to(cd_events* events, double t, const cd_point* end)
{
    if (t < end->t) return events->integrator->inside(events->system, events->work, t, &events->x);
    cd_point_copy(events->system, end, &events->x);
    return CARDAN_OK;
}

static bool has_passed(const cd_watch* watch)
{
    return watch->out ? watch->g_to < -watch->band : watch->g_to > watch->band;
}

// f = +-(g - level) is not positive at a and positive at *b; *b comes down to the crossing and stays positive.
// The level is zero, or the edge of the band for a g that has crept into it.
static cardan_status locate(cd_events* events, const cd_watch* watch, const cd_point* end, double a, double* b)
{
    const double enough = fmax(1e-12 * (*b - a), 4 * DBL_EPSILON * fabs(*b));
    const double sign = watch->out ? -1 : 1, level = sign * watch->g_from <= 0 ? 0 : sign * watch->band;
    double       fa = sign * (watch->g_from - level), fb = sign * (watch->g_to - level), width = *b - a;
    int          kept = 0; // +1: b was kept the last time, -1: a was
    for (int i = 1; i < 200 && *b - a > enough; ++i) {
        double t = *b - (*b - a) * fb / (fb - fa);
        if (i % 3 == 0) {
            if (*b - a > width / 2) t = NAN;
            width = *b - a;
        }
        if (!isfinite(t)) t = a + (*b - a) / 2;
        t = fmin(fmax(t, a + enough / 2), *b - enough / 2);

        const cardan_status status = go_to(events, t, end);
        if (status) return status;
        const double f = sign * (value(events, watch, &events->x) - level);
        if (f > 0) {
            *b = t;
            fb = f;
            if (kept == -1) fa /= 2;
            kept = -1;
        } else {
            a  = t;
            fa = f;
            if (kept == +1) fb /= 2;
            kept = +1;
        }
    }
    return CARDAN_OK;
}

// The first crossing in (a, b], or NULL.
static cardan_status look(cd_events* events, double a, double b, const cd_point* end, cd_watch** found, double* when)
{
    cardan_status status = go_to(events, b, end);
    *found               = NULL;
    *when                = b;
    for (int i = 0; i < events->count && !status; ++i)
        events->watch[i].g_to = value(events, &events->watch[i], &events->x);
    for (int i = 0; i < events->count && !status; ++i) {
        cd_watch* watch = &events->watch[i];
        if (!has_passed(watch)) continue;
        double t = b;
        status   = locate(events, watch, end, a, &t);
        if (!*found || t < *when) {
            *found = watch;
            *when  = t;
        }
    }
    return status;
}

cardan_status cd_events_next(cd_events* events, double from, const cd_point* end, cd_watch** found)
{
    const int looks = events->integrator->adaptive ? LOOKS : 1;
    *found          = NULL;
    if (!events->count) return CARDAN_OK;
    for (int k = 1; k <= looks; ++k) {
        const double a       = from + (end->t - from) * (k - 1) / looks,
                     b       = k < looks ? from + (end->t - from) * k / looks : end->t;
        double        when   = b;
        cardan_status status = look(events, a, b, end, found, &when);
        if (!status && *found) status = go_to(events, when, end);
        if (status) return status;
        for (int i = 0; i < events->count; ++i) {
            cd_watch* watch = &events->watch[i];
            watch->g_from   = *found ? value(events, watch, &events->x) : watch->g_to;
        }
        if (!*found) continue;
        (*found)->out = !(*found)->out;
        return CARDAN_OK;
    }
    return CARDAN_OK;
}
