// SPDX-License-Identifier: BSD-3-Clause
// Location: the step is looked at in a few places, and the first change of side is narrowed down to 1e-12 of the piece
// by the Illinois variant of regula falsi, with a bisection wherever the bracket shrinks too slowly (a condition may
// jump). The state is that of the dense output, or of the fixed step repeated up to that time.
// A limit that is touched and left again between two looks shows in the slopes: they bound how far g can rise.
// Source: Dowell, Jarratt 1971; Hairer, Norsett, Wanner 1993, section II.6.
#include "motion/events.h"

#include "model/model.h"

#include <float.h>
#include <math.h>

enum { LOOKS = 4 }; // places where the step of an adaptive method is looked at

void cd_events_layout(cd_events* events, cd_arena* arena)
{
    cd_point_layout(events->system, arena, &events->x);
    cd_corners_layout(events->system, arena, &events->corners);
    CD_TAKE(arena, events->watch, 4 * events->system->model->nlaw + 2 * events->corners.count + 1);
    CD_TAKE(arena, events->held, events->system->model->nlaw);
}

static void add_limit(cd_events* events, cd_watch watch)
{
    if (!isfinite(watch.bound)) return;
    watch.band                     = 1e-3 * events->system->tolerance * (1 + fabs(watch.bound));
    events->watch[events->count++] = watch;
    if (!(watch.lag > 0)) return;
    watch.kind                     = CD_WATCH_PRESS;
    events->watch[events->count++] = watch;
}

void cd_events_collect(cd_events* events)
{
    const cardan_model* m = events->system->model;
    events->count         = 0;
    for (int i = 0; i < m->nlaw; ++i) {
        const cd_law*      law   = &m->law[i];
        const cardan_axis* axis  = &law->axis_law;
        const bool         stiff = axis->stop_stiffness > 0;
        cd_watch           watch = {.law        = i,
                                    .joint      = law->joint,
                                    .coordinate = law->axis,
                                    .bound      = axis->lower,
                                    .stiff      = stiff,
                                    .lag        = stiff ? axis->stop_damping / axis->stop_stiffness : 0};
        add_limit(events, watch);
        watch.bound = axis->upper;
        watch.upper = true;
        add_limit(events, watch);
    }
    for (int i = 0; i < 2 * events->corners.count; ++i)
        events->watch[events->count++] =
            (cd_watch){.kind       = CD_WATCH_CORNER,
                       .law        = i / 2,
                       .joint      = CARDAN_NONE,
                       .coordinate = CARDAN_NONE,
                       .upper      = i % 2,
                       .stiff      = true,
                       .band       = 1e-3 * events->system->tolerance * events->corners.watch[i / 2].extent};
    if (events->stop != CARDAN_NONE)
        events->watch[events->count++] =
            (cd_watch){.kind = CD_WATCH_CONDITION, .joint = CARDAN_NONE, .coordinate = CARDAN_NONE};
}

static cardan_status set_data(const cd_system* system, const cd_point* x)
{
    return cd_data_reach(system->data, x->t, x->q, x->z, system->ns ? x->z + system->nv : NULL);
}

// Limits along the tree need only the coordinate; measured joints and the stop condition the kinematics at x.
static double value(const cd_events* events, const cd_watch* watch, const cd_point* x, double* slope)
{
    const cd_system* system = events->system;
    cardan_data*     data   = system->data;
    *slope                  = 0;
    if (watch->kind == CD_WATCH_CONDITION) return set_data(system, x) ? NAN : cardan_evaluate(data, events->stop);

    if (watch->kind == CD_WATCH_CORNER)
        return set_data(system, x) ? NAN
                                   : cd_corner_beyond(data, &events->corners.watch[watch->law], watch->upper, slope);

    const cd_law* law = &system->model->law[watch->law];
    double        at, rate;
    if (law->v < system->nv)
        cd_law_along(law, x->q, x->z, &at, &rate);
    else {
        if (set_data(system, x)) return NAN;
        cd_know_measured(data);
        cd_law_along(law, data->q, data->v, &at, &rate);
    }
    const double sign = watch->upper ? 1 : -1;
    if (watch->kind == CD_WATCH_PRESS) return sign * (at - watch->bound + watch->lag * rate);
    *slope = sign * rate;
    return sign * (at - watch->bound);
}

// A stop that has just been touched presses as its damper says; one that was left does not.
static void settle_press(cd_watch* watch, bool anew)
{
    if (!(watch - 1)->out)
        watch->out = false;
    else if (anew)
        watch->out = watch->g_from > 0;
}

void cd_events_hold(cd_events* events)
{
    for (int i = 0; i < events->system->model->nlaw; ++i) events->held[i] = (cd_stop){0};
    for (int i = 0; i < events->count; ++i) {
        const cd_watch* watch = &events->watch[i];
        if (watch->kind == CD_WATCH_LIMIT && watch->out) events->held[watch->law].side = watch->upper ? 1 : -1;
        if (watch->kind == CD_WATCH_PRESS && (watch - 1)->out) events->held[watch->law].slack = !watch->out;
    }
    events->system->data->held         = events->held;
    events->system->data->forces_known = false;
}

bool cd_events_settle(cd_events* events, const cd_point* x)
{
    for (int i = 0; i < events->count; ++i) {
        cd_watch* watch = &events->watch[i];
        watch->g_from   = value(events, watch, x, &watch->slope_from);
        watch->out      = watch->g_from > 0 && watch->kind != CD_WATCH_CORNER;
        if (watch->kind == CD_WATCH_PRESS) settle_press(watch, true);
    }
    cd_events_hold(events);
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
    if (watch->kind == CD_WATCH_PRESS && !(watch - 1)->out) return false;
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
        double       slope;
        const double f = sign * (value(events, watch, &events->x, &slope) - level);
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

// f = +-g rises at a and falls at b, where it has not passed, but between them it may have: *b comes down to a place
// where it has. The tangent at a bounds it from above as long as f is concave, as it is about a single peak.
static cardan_status look_between(cd_events* events, cd_watch* watch, const cd_point* end, double a, double* b,
                                  bool* passed)
{
    const double sign  = watch->out ? -1 : 1;
    double       right = *b, fa = sign * watch->g_from, rise = sign * watch->slope_from;
    *passed = false;
    if ((watch->kind != CD_WATCH_LIMIT && watch->kind != CD_WATCH_CORNER) || !(rise > 0) ||
        !(sign * watch->slope_to < 0))
        return CARDAN_OK;
    for (int i = 0; i < 50 && fa + rise * (right - a) > watch->band; ++i) {
        const double        t      = a + (right - a) / 2;
        const cardan_status status = go_to(events, t, end);
        if (status) return status;
        double       slope;
        const double g = value(events, watch, &events->x, &slope);
        if (sign * g > watch->band) {
            watch->g_to = g;
            *b          = t;
            *passed     = true;
            return CARDAN_OK;
        }
        if (sign * slope > 0) {
            a    = t;
            fa   = sign * g;
            rise = sign * slope;
        } else {
            right = t;
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
        events->watch[i].g_to = value(events, &events->watch[i], &events->x, &events->watch[i].slope_to);
    for (int i = 0; i < events->count && !status; ++i) {
        cd_watch* watch  = &events->watch[i];
        double    t      = b;
        bool      passed = has_passed(watch);
        if (!passed) status = look_between(events, watch, end, a, &t, &passed);
        if (status || !passed) continue;
        status = locate(events, watch, end, a, &t);
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
            cd_watch* watch   = &events->watch[i];
            watch->slope_from = watch->slope_to;
            watch->g_from     = *found ? value(events, watch, &events->x, &watch->slope_from) : watch->g_to;
        }
        if (!*found) continue;
        (*found)->out = !(*found)->out && (*found)->kind != CD_WATCH_CORNER;
        for (int i = 0; i < events->count; ++i)
            if (events->watch[i].kind == CD_WATCH_PRESS)
                settle_press(&events->watch[i], &events->watch[i - 1] == *found);
        return CARDAN_OK;
    }
    return CARDAN_OK;
}

// A corner or end that is reached, but for the band.
static bool is_there(const cd_watch* watch)
{
    return watch->kind == CD_WATCH_CORNER && watch->g_from > -watch->band && watch->slope_from > 0;
}

// Both ends of a piece are others then.
cardan_status cd_events_turn(cd_events* events, const cd_watch* found, cardan_report* report)
{
    cd_corners* corners = &events->corners;
    for (int i = 0; i < corners->count; ++i) corners->watch[i].passing = 0;
    for (int i = 0; i < events->count; ++i) {
        const cd_watch* watch = &events->watch[i];
        if (is_there(watch)) corners->watch[watch->law].passing = watch->upper ? 1 : -1;
    }
    corners->watch[found->law].passing = found->upper ? 1 : -1;
    const cardan_status status =
        cd_corners_pass(events->system, corners, &corners->watch[found->law], &events->x, report);
    for (int i = 0; i < events->count && !status; ++i) {
        cd_watch* watch = &events->watch[i];
        if (watch->kind == CD_WATCH_CORNER) watch->g_from = value(events, watch, &events->x, &watch->slope_from);
    }
    return status;
}
