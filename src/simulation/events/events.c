// SPDX-License-Identifier: BSD-3-Clause
// Location of events: the step is sampled at a few times, and the first change of side is located to 1e-12 of the
// subinterval by the Illinois variant of regula falsi, with a bisection wherever the bracket shrinks too slowly (a
// stop condition may be discontinuous). The state is that of the dense output, or of the fixed step repeated up to
// that time. A limit that is reached and left again between two samples is detected by the derivatives of g, which
// bound its maximum. Source: Dowell, Jarratt 1971; Hairer, Norsett, Wanner 1993, section II.6.
#include "simulation/events/events.h"

#include "dynamics/contacts/compliant_contacts.h"
#include "dynamics/rows/joint_coordinates.h"
#include "dynamics/state.h"
#include "model/model.h"
#include "simulation/contact/contact_events.h"

#include <float.h>
#include <math.h>

enum { SUBINTERVALS = 4 }; // in which the step of an adaptive method is divided

void cd_events_layout(cd_events* events, cd_arena* arena)
{
    cd_ode_state_layout(events->system, arena, &events->x);
    cd_corners_layout(events->system, arena, &events->corners);
    const cd_compliant_contacts* c     = events->system->data->forces.compliant;
    const int                    npair = c ? c->scene->npair : 0;
    CD_ARENA_ARRAY(arena, events->function,
                   4 * events->system->model->njoint_force + 2 * events->corners.count + CD_CONTACT_EVENT_FUNCTIONS +
                       CD_PAIR_GAPS * npair + 1);
    CD_ARENA_ARRAY(arena, events->open_pairs, npair);
    CD_ARENA_ARRAY(arena, events->frozen_stops, events->system->model->njoint_force);
}

static void add_limit(cd_events* events, cd_event_function function)
{
    if (!isfinite(function.bound)) return;
    function.hysteresis = cd_hysteresis_fraction * events->system->settings.tolerance * (1 + fabs(function.bound));
    events->function[events->count++] = function;
    if (!(function.damping_time > 0)) return;
    function.kind                     = CD_EVENT_FUNCTION_STOP_ACTIVE;
    events->function[events->count++] = function;
}

static void collect_gaps(cd_events* events)
{
    const cd_compliant_contacts* c = events->system->data->forces.compliant;
    for (int i = 0; c && i < c->scene->npair; ++i)
        for (int k = 0; k < CD_PAIR_GAPS && k < c->scene->pair[i].max_points; ++k)
            events->function[events->count++] = (cd_event_function){
                .kind          = CD_EVENT_FUNCTION_GAP,
                .element       = i,
                .joint         = CARDAN_NONE,
                .axis          = k,
                .needs_restart = true,
                .hysteresis    = cd_hysteresis_fraction * events->system->settings.tolerance * c->scene->length};
}

void cd_events_collect(cd_events* events)
{
    const cardan_model* m = events->system->model;
    events->count         = 0;
    for (int i = 0; i < m->njoint_force; ++i) {
        const cd_joint_force_element* element  = &m->joint_force[i];
        const cardan_axis_properties* axis     = &element->parameter;
        const bool                    has_stop = axis->stop_stiffness > 0;
        if (axis->rigid_stop) continue; // an element of the rigid contacts
        cd_event_function             function = {.element       = i,
                                                  .joint         = element->joint,
                                                  .axis          = element->axis,
                                                  .bound         = axis->lower,
                                                  .needs_restart = has_stop,
                                                  .damping_time = has_stop ? axis->stop_damping / axis->stop_stiffness : 0};
        add_limit(events, function);
        function.bound    = axis->upper;
        function.is_upper = true;
        add_limit(events, function);
    }
    for (int i = 0; i < 2 * events->corners.count; ++i)
        events->function[events->count++] =
            (cd_event_function){.kind          = CD_EVENT_FUNCTION_CORNER,
                                .element       = i / 2,
                                .joint         = CARDAN_NONE,
                                .axis          = CARDAN_NONE,
                                .is_upper      = i % 2,
                                .needs_restart = true,
                                .hysteresis    = cd_hysteresis_fraction * events->system->settings.tolerance *
                                              events->corners.corner[i / 2].extent};
    collect_gaps(events);
    for (int i = 0; events->contacts && i < CD_CONTACT_EVENT_FUNCTIONS; ++i)
        events->function[events->count++] =
            (cd_event_function){.kind          = CD_EVENT_FUNCTION_CONTACT,
                                .element       = i,
                                .joint         = CARDAN_NONE,
                                .axis          = CARDAN_NONE,
                                .needs_restart = true,
                                .hysteresis    = cd_contact_event_hysteresis(events->contacts, i)};
    if (events->stop_condition != CARDAN_NONE)
        events->function[events->count++] =
            (cd_event_function){.kind = CD_EVENT_FUNCTION_STOP_CONDITION, .joint = CARDAN_NONE, .axis = CARDAN_NONE};
}

static cardan_status set_state(const cd_ode_system* system, const cd_ode_state* x)
{
    return cd_data_set_ode_state(system, x);
}

// Value and rate of an event function. Limits of tree joints need only the coordinate; off-tree joints and the stop
// condition need the kinematics at x.
static double event_value(const cd_events* events, const cd_event_function* function, const cd_ode_state* x,
                          double* g_rate)
{
    const cd_ode_system* system = events->system;
    cardan_data*         data   = system->data;
    *g_rate                     = 0;
    if (function->kind == CD_EVENT_FUNCTION_STOP_CONDITION)
        return set_state(system, x) ? NAN : cardan_data_evaluate_expression(data, events->stop_condition);

    if (function->kind == CD_EVENT_FUNCTION_CORNER)
        return set_state(system, x)
                   ? NAN
                   : cd_corner_overshoot(data, &events->corners.corner[function->element], function->is_upper, g_rate);

    if (function->kind == CD_EVENT_FUNCTION_GAP) {
        if (set_state(system, x)) return NAN;
        cd_update_compliant_gaps(data);
        *g_rate = data->forces.compliant->gap_rate[function->element][function->axis];
        return data->forces.compliant->gap[function->element][function->axis];
    }

    if (function->kind == CD_EVENT_FUNCTION_CONTACT)
        return set_state(system, x) ? NAN : cd_contact_event_value(events->contacts, function->element, g_rate);

    const cd_joint_force_element* element = &system->model->joint_force[function->element];
    double                        at, rate;
    if (element->v < system->nv)
        cd_joint_force_coordinate(element, x->q, x->z, &at, &rate);
    else {
        if (set_state(system, x)) return NAN;
        cd_update_off_tree_joints(data);
        cd_joint_force_coordinate(element, data->q, data->v, &at, &rate);
    }
    const double sign = function->is_upper ? 1 : -1;
    if (function->kind == CD_EVENT_FUNCTION_STOP_ACTIVE)
        return sign * (at - function->bound + function->damping_time * rate);
    *g_rate = sign * rate;
    return sign * (at - function->bound);
}

// Set the side of a stop: at first contact by the force of its damper; inactive when the limit is left.
static void reset_stop_active(cd_event_function* function, bool just_touched)
{
    if (!(function - 1)->is_positive)
        function->is_positive = false;
    else if (just_touched)
        function->is_positive = function->g_start > 0;
}

// A pair is open if its smallest gap is positive.
static void freeze_contacts(cd_events* events)
{
    if (!events->system->data->forces.compliant) return;
    for (int i = 0; i < events->count; ++i) {
        const cd_event_function* function = &events->function[i];
        if (function->kind == CD_EVENT_FUNCTION_GAP && function->axis == 0)
            events->open_pairs[function->element] = function->is_positive;
    }
    cd_compliant_freeze(events->system->data, events->open_pairs);
}

void cd_events_freeze_stops(cd_events* events)
{
    for (int i = 0; i < events->system->model->njoint_force; ++i) events->frozen_stops[i] = (cd_stop_state){0};
    for (int i = 0; i < events->count; ++i) {
        const cd_event_function* function = &events->function[i];
        if (function->kind == CD_EVENT_FUNCTION_LIMIT && function->is_positive)
            events->frozen_stops[function->element].side = function->is_upper ? 1 : -1;
        if (function->kind == CD_EVENT_FUNCTION_STOP_ACTIVE && (function - 1)->is_positive)
            events->frozen_stops[function->element].is_slack = !function->is_positive;
    }
    events->system->data->settings.frozen_stops = events->frozen_stops;
    events->system->data->valid.forces          = false;
    freeze_contacts(events);
}

// Behind the event the function has another meaning, and is not positive.
static bool starts_anew(const cd_event_function* function)
{
    return function->kind == CD_EVENT_FUNCTION_CORNER || function->kind == CD_EVENT_FUNCTION_CONTACT;
}

void cd_events_update(cd_events* events, const cd_ode_state* x)
{
    for (int i = 0; i < events->count; ++i) {
        cd_event_function* function = &events->function[i];
        function->g_start           = event_value(events, function, x, &function->rate_start);
    }
}

bool cd_events_reset(cd_events* events, const cd_ode_state* x)
{
    for (int i = 0; i < events->count; ++i) {
        cd_event_function* function = &events->function[i];
        function->g_start           = event_value(events, function, x, &function->rate_start);
        function->is_positive       = function->g_start > 0 && !starts_anew(function);
        if (function->kind == CD_EVENT_FUNCTION_STOP_ACTIVE) reset_stop_active(function, true);
    }
    cd_events_freeze_stops(events);
    return events->stop_condition != CARDAN_NONE && events->function[events->count - 1].is_positive;
}

// Set events->x to the state at time t of the last step.
static cardan_status state_at(cd_events* events, double t, const cd_ode_state* end)
{
    if (t < end->t) return events->integrator->dense_output(events->system, events->work, t, &events->x);
    cd_ode_state_copy(events->system, end, &events->x);
    return CARDAN_OK;
}

static bool has_crossed(const cd_event_function* function)
{
    if (function->kind == CD_EVENT_FUNCTION_STOP_ACTIVE && !(function - 1)->is_positive) return false;
    return function->is_positive ? function->g_end < -function->hysteresis : function->g_end > function->hysteresis;
}

// Locate the crossing: f = +-(g - level) is <= 0 at a and > 0 at *b; *b converges to the crossing and stays positive.
// The level is zero, or the edge of the hysteresis band if g starts inside it, already beyond zero.
static cardan_status locate_crossing(cd_events* events, const cd_event_function* function, const cd_ode_state* end,
                                     double a, double* b)
{
    const double time_tolerance = fmax(1e-12 * (*b - a), 4 * DBL_EPSILON * fabs(*b));
    const double sign           = function->is_positive ? -1 : 1,
                 level          = sign * function->g_start <= 0 ? 0 : sign * function->hysteresis;
    double fa = sign * (function->g_start - level), fb = sign * (function->g_end - level), width = *b - a;
    int    kept = 0; // +1: b was kept in the last iteration, -1: a was
    for (int i = 1; i < 200 && *b - a > time_tolerance; ++i) {
        double t = *b - (*b - a) * fb / (fb - fa);
        if (i % 3 == 0) {
            if (*b - a > width / 2) t = NAN;
            width = *b - a;
        }
        if (!isfinite(t)) t = a + (*b - a) / 2;
        t = fmin(fmax(t, a + time_tolerance / 2), *b - time_tolerance / 2);

        const cardan_status status = state_at(events, t, end);
        if (status) return status;
        double       g_rate;
        const double f = sign * (event_value(events, function, &events->x, &g_rate) - level);
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

// f = +-g rises at a and falls at b without having crossed there, but it may have crossed between them: *b becomes a
// time where it has. The tangent at a is an upper bound as long as f is concave, as near a single maximum.
static cardan_status find_hidden_crossing(cd_events* events, cd_event_function* function, const cd_ode_state* end,
                                          double a, double* b, bool* crossed)
{
    const double sign  = function->is_positive ? -1 : 1;
    double       right = *b, fa = sign * function->g_start, rise = sign * function->rate_start;
    *crossed            = false;
    const bool has_rate = function->kind == CD_EVENT_FUNCTION_LIMIT || function->kind == CD_EVENT_FUNCTION_CORNER ||
                          function->kind == CD_EVENT_FUNCTION_CONTACT || function->kind == CD_EVENT_FUNCTION_GAP;
    if (!has_rate || !(rise > 0) || !(sign * function->rate_end < 0)) return CARDAN_OK;
    for (int i = 0; i < 50 && fa + rise * (right - a) > function->hysteresis; ++i) {
        const double        t      = a + (right - a) / 2;
        const cardan_status status = state_at(events, t, end);
        if (status) return status;
        double       g_rate;
        const double g = event_value(events, function, &events->x, &g_rate);
        if (sign * g > function->hysteresis) {
            function->g_end = g;
            *b              = t;
            *crossed        = true;
            return CARDAN_OK;
        }
        if (sign * g_rate > 0) {
            a    = t;
            fa   = sign * g;
            rise = sign * g_rate;
        } else {
            right = t;
        }
    }
    return CARDAN_OK;
}

// First crossing in (a, b], or NULL.
static cardan_status find_first_crossing(cd_events* events, double a, double b, const cd_ode_state* end,
                                         cd_event_function** found, double* t_first)
{
    cardan_status status = state_at(events, b, end);
    *found               = NULL;
    *t_first             = b;
    for (int i = 0; i < events->count && !status; ++i)
        events->function[i].g_end =
            event_value(events, &events->function[i], &events->x, &events->function[i].rate_end);
    for (int i = 0; i < events->count && !status; ++i) {
        cd_event_function* function = &events->function[i];
        double             t        = b;
        bool               crossed  = has_crossed(function);
        if (!crossed) status = find_hidden_crossing(events, function, end, a, &t, &crossed);
        if (status || !crossed) continue;
        status = locate_crossing(events, function, end, a, &t);
        if (!*found || t < *t_first) {
            *found   = function;
            *t_first = t;
        }
    }
    return status;
}

cardan_status cd_events_find_next(cd_events* events, double from, const cd_ode_state* end, cd_event_function** found)
{
    const int subintervals = events->integrator->is_adaptive ? SUBINTERVALS : 1;
    *found                 = NULL;
    if (!events->count) return CARDAN_OK;
    for (int k = 1; k <= subintervals; ++k) {
        const double a        = from + (end->t - from) * (k - 1) / subintervals,
                     b        = k < subintervals ? from + (end->t - from) * k / subintervals : end->t;
        double        t_first = b;
        cardan_status status  = find_first_crossing(events, a, b, end, found, &t_first);
        if (!status && *found) status = state_at(events, t_first, end);
        if (status) return status;
        for (int i = 0; i < events->count; ++i) {
            cd_event_function* function = &events->function[i];
            function->rate_start        = function->rate_end;
            function->g_start =
                *found ? event_value(events, function, &events->x, &function->rate_start) : function->g_end;
        }
        if (!*found) continue;
        (*found)->is_positive = !(*found)->is_positive && !starts_anew(*found);
        for (int i = 0; i < events->count; ++i)
            if (events->function[i].kind == CD_EVENT_FUNCTION_STOP_ACTIVE)
                reset_stop_active(&events->function[i], &events->function[i - 1] == *found);
        return CARDAN_OK;
    }
    return CARDAN_OK;
}

// Return whether a corner or end is reached within the hysteresis band.
static bool is_at_corner(const cd_event_function* function)
{
    return function->kind == CD_EVENT_FUNCTION_CORNER && function->g_start > -function->hysteresis &&
           function->rate_start > 0;
}

// After the crossing both ends of the segment have changed, so all corner functions are evaluated again.
cardan_status cd_events_cross_corners(cd_events* events, const cd_event_function* found, cardan_report* report)
{
    cd_corners* corners = &events->corners;
    for (int i = 0; i < corners->count; ++i) corners->corner[i].crossing_direction = 0;
    for (int i = 0; i < events->count; ++i) {
        const cd_event_function* function = &events->function[i];
        if (is_at_corner(function)) corners->corner[function->element].crossing_direction = function->is_upper ? 1 : -1;
    }
    corners->corner[found->element].crossing_direction = found->is_upper ? 1 : -1;
    const cardan_status status =
        cd_corners_cross(events->system, corners, &corners->corner[found->element], &events->x, report);
    for (int i = 0; i < events->count && !status; ++i) {
        cd_event_function* function = &events->function[i];
        if (function->kind == CD_EVENT_FUNCTION_CORNER)
            function->g_start = event_value(events, function, &events->x, &function->rate_start);
    }
    return status;
}
