// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/events/corner_events.h"

#include "constraint/curve/curve.h"
#include "dynamics/rows/constraint_update.h"
#include "dynamics/rows/curve_domain.h"
#include "dynamics/state.h"
#include "simulation/events/impulse.h"
#include "simulation/simulation_tolerances.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool has_corners_or_ends(const cd_constraint* c)
{
    return c->curve && (cd_needs_curve_end_check(c) || cd_curve_has_corner(c->curve, c->driven_rows != 0));
}

void cd_corners_layout(const cd_ode_system* system, cd_arena* arena, cd_corners* corners)
{
    const cd_constraint_set* set = &system->data->constraints;
    corners->count               = 0;
    for (int i = 0; i < set->nconstraint; ++i) corners->count += has_corners_or_ends(&set->constraint[i]);
    CD_ARENA_ARRAY(arena, corners->corner, corners->count);
    for (int i = 0, k = 0; corners->corner && k < corners->count; ++i) {
        const cd_constraint* c = &set->constraint[i];
        if (has_corners_or_ends(c))
            corners->corner[k++] = (cd_corner_state){.constraint = i, .extent = c->parameter[0], .last_parameter = NAN};
    }
}

static double* constraint_history(cardan_data* d, const cd_corner_state* w)
{
    return d->constraints.history + w->constraint * CD_CONSTRAINT_HISTORY_SIZE;
}
static cd_curve_segment current_segment(cardan_data* d, const cd_corner_state* w)
{
    return (cd_curve_segment){constraint_history(d, w)[2], constraint_history(d, w)[3]};
}
static const cardan_curve* curve_of(const cardan_data* d, const cd_corner_state* w)
{
    return d->constraints.constraint[w->constraint].curve;
}

static void set_segment(cardan_data* d, const cd_corner_state* w, double u, cd_curve_segment segment)
{
    double* history = constraint_history(d, w);
    history[0]      = u;
    history[2]      = segment.from;
    history[3]      = segment.to;
    cd_invalidate_rows(d);
}

void cd_corners_clear_segments(cd_ode_system* system, const cd_corners* corners)
{
    for (int i = 0; i < corners->count; ++i)
        set_segment(system->data, &corners->corner[i], constraint_history(system->data, &corners->corner[i])[0],
                    (cd_curve_segment){0, 0});
}

// Return whether a driver function prescribes the position along the curve.
static bool is_driven(const cardan_data* d, const cd_corner_state* w)
{
    return d->constraints.constraint[w->constraint].driven_rows != 0;
}
// Position, rate and acceleration of the driver function.
static const double* driver_values(const cardan_data* d, const cd_corner_state* w)
{
    return d->constraints.driver_values + 3 * (d->constraints.constraint[w->constraint].driver_number[0] - 1);
}

// Next corner or end from u in a direction.
static double next_corner_or_end(const cardan_data* d, const cd_corner_state* w, double u, int direction)
{
    double next = cd_curve_next_corner(curve_of(d, w), is_driven(d, w), u, direction), end[2];
    cd_curve_domain(curve_of(d, w), &end[0], &end[1]);
    for (int i = 0; i < 2 && cd_needs_curve_end_check(&d->constraints.constraint[w->constraint]); ++i)
        if (direction * (end[i] - u) > 0 && direction * (next - end[i]) > 0) next = end[i];
    return next;
}

static bool is_end(const cardan_data* d, const cd_corner_state* w, double u)
{
    double first, last;
    cd_curve_domain(curve_of(d, w), &first, &last);
    return cd_needs_curve_end_check(&d->constraints.constraint[w->constraint]) && (u == first || u == last);
}

// Segment beyond the corner at u in a direction.
static cd_curve_segment segment_beyond(const cardan_data* d, const cd_corner_state* w, double u, int direction)
{
    const double next = next_corner_or_end(d, w, u, direction);
    return direction > 0 ? (cd_curve_segment){u, next} : (cd_curve_segment){next, u};
}

static vec3 normalized(vec3 a)
{
    const double size = sqrt(v3_dot(a, a));
    return size > 0 ? v3_div(a, size) : a;
}

static vec3 tangent_at(const cardan_data* d, const cd_corner_state* w, cd_curve_segment segment, double u)
{
    return normalized(cd_curve_evaluate_segment(curve_of(d, w), segment, u).p1);
}

static vec3 point_velocity(cardan_data* d, const cd_corner_state* w)
{
    return cd_curve_follower_velocity(d, &d->constraints.constraint[w->constraint]);
}

double cd_corner_overshoot(cardan_data* d, const cd_corner_state* w, bool upper, double* rate)
{
    const cd_curve_segment segment = current_segment(d, w);
    const double           end = upper ? segment.to : segment.from, sign = upper ? 1 : -1;
    *rate = 0;
    if (!isfinite(end)) return -INFINITY;
    cd_update_constraint_values(d);
    if (is_driven(d, w)) {
        double first, last;
        cd_curve_domain(curve_of(d, w), &first, &last);
        *rate = sign * w->extent / (last - first) * driver_values(d, w)[1];
        return sign * w->extent / (last - first) * (constraint_history(d, w)[0] - end);
    }
    const vec3 C1 = cd_curve_evaluate_segment(curve_of(d, w), segment, end).p1;
    *rate         = sign * v3_dot(normalized(C1), point_velocity(d, w));
    return sign * (constraint_history(d, w)[0] - end) * sqrt(v3_dot(C1, C1));
}

// ---- messages

static cardan_status fail_at_corner(cardan_data* d, const cd_corner_state* w, double u, double t, const char* how,
                                    cardan_report* report)
{
    const cd_constraint* c = &d->constraints.constraint[w->constraint];
    char                 location_text[80];
    cd_format_curve_point(curve_of(d, w), u, location_text);
    return cardan_fail(report, CARDAN_NOT_CONVERGED, CARDAN_CODE_MOTION_BLOCKED, c->location,
                       "%s '%s': at t = %.9g s '%s' %s in the corner of its curve at %s, blocked by both segments, so "
                       "that the motion cannot continue; a curve of degree 2 or more with simple knots has no corners",
                       c->category, c->name, t, cd_curve_follower_name(d, c), how, location_text);
}

// ---- the start

// Acceleration of the point along T, a direction in the axes of the carrier, at the state of the data with
// accelerations a.
static double acceleration_along(cardan_data* d, const cd_corner_state* w, const double* a, vec3 T)
{
    const cd_constraint* c = &d->constraints.constraint[w->constraint];
    cd_world_accelerations(d->m, &d->k, d->v, a, &d->world);
    const cd_end_state       end[2] = {cd_end_state_of(&c->end[0], &d->world), cd_end_state_of(&c->end[1], &d->world)};
    const cd_relative_motion relative = cd_relative_motion_of(end);
    const cd_scalar_row      row      = cd_translation_row_of(end, &relative, m3_mul(end[0].T.R, T));
    double                   sum      = row.h;
    for (int k = 0; k < 2; ++k) sum += sv_dot(row.G[k], d->world.acceleration[c->end[k].link]);
    return sum;
}

// Corner or end at the position of the point; NAN: none.
static double corner_at(cardan_data* d, const cd_corner_state* w)
{
    double first, last;
    cd_curve_domain(curve_of(d, w), &first, &last);
    const double tolerance = cd_corner_tolerance * (last - first), u = constraint_history(d, w)[0];
    const double below = next_corner_or_end(d, w, u + tolerance, -1),
                 above = next_corner_or_end(d, w, u - tolerance, 1);
    return u - below <= tolerance ? below : above - u <= tolerance ? above : NAN;
}

static bool is_same_attachment(const cd_link_frame* a, const cd_link_frame* b)
{
    return a->link == b->link && memcmp(a->R, b->R, sizeof a->R) == 0 && memcmp(a->p, b->p, sizeof a->p) == 0;
}

// Return whether two constraints have the same point and the same carrier.
static bool is_duplicate(const cardan_data* d, const cd_corner_state* v, const cd_corner_state* w)
{
    const cd_constraint *a = &d->constraints.constraint[v->constraint], *b = &d->constraints.constraint[w->constraint];
    return v != w && !a->driven_rows && !b->driven_rows && is_same_attachment(&a->end[0], &b->end[0]) &&
           is_same_attachment(&a->end[1], &b->end[1]);
}

// Move the point, at the corner u, to the segment beyond it; also in a duplicate constraint of the same curve.
static void move_beyond_corner(cardan_data* d, const cd_corners* corners, const cd_corner_state* w, double u,
                               int direction)
{
    const cd_curve_segment segment = segment_beyond(d, w, u, direction);
    const vec3             tangent = v3_scale(direction, tangent_at(d, w, segment, u));
    set_segment(d, w, u, segment);
    for (int i = 0; i < corners->count; ++i) {
        const cd_corner_state* v  = &corners->corner[i];
        const double           at = is_duplicate(d, v, w) ? corner_at(d, v) : NAN;
        for (int side = -1; side <= 1 && isfinite(at); side += 2) {
            const cd_curve_segment next = segment_beyond(d, v, at, side);
            if (side * v3_dot(tangent_at(d, v, next, at), tangent) > 1 - 1e-9) set_segment(d, v, at, next);
        }
    }
}

// Speed of the point, at the corner u, into the segment beyond it; at standstill its acceleration. Moves the point to
// this segment.
static cardan_status rate_into_segment(cd_ode_system* system, const cd_corners* corners, const cd_corner_state* w,
                                       double u, int direction, double* x)
{
    cardan_data* d = system->data;
    const vec3   T = tangent_at(d, w, segment_beyond(d, w, u, direction), u);
    move_beyond_corner(d, corners, w, u, direction);
    *x = direction * v3_dot(T, point_velocity(d, w));
    if (fabs(*x) > 1e-12 * w->extent) return CARDAN_OK;
    const cardan_status status = cardan_data_accelerate(d, system->a, NULL, NULL);
    if (!status) *x = direction * acceleration_along(d, w, system->a, T);
    return status;
}

static cardan_status choose_segment_at_corner(cd_ode_system* system, const cd_corners* corners,
                                              const cd_corner_state* w, double u, cardan_report* report)
{
    cardan_data* d = system->data;
    double       down, up;
    if (is_driven(d, w)) {
        const double *driver = driver_values(d, w), sense = driver[1] != 0 ? driver[1] : driver[2];
        set_segment(d, w, driver[0], segment_beyond(d, w, u, sense < 0 ? -1 : 1));
        return CARDAN_OK;
    }
    cardan_status status = rate_into_segment(system, corners, w, u, -1, &down);
    if (!status) status = rate_into_segment(system, corners, w, u, 1, &up);
    if (status) return CARDAN_OK; // the first step reports the failure
    if (is_end(d, w, u)) {
        const bool lower = isfinite(next_corner_or_end(d, w, u, 1)); // the lower end: the curve is above it
        move_beyond_corner(d, corners, w, u, lower ? (down > 0 ? -1 : 1) : up > 0 ? 1 : -1);
        return CARDAN_OK;
    }
    if (!(up > 0) && !(down > 0)) return fail_at_corner(d, w, u, d->t, "is at standstill", report);
    if (down > up) move_beyond_corner(d, corners, w, u, -1);
    return CARDAN_OK;
}

cardan_status cd_corners_assign_segments(cd_ode_system* system, cd_corners* corners, cardan_report* report)
{
    cardan_data*  d      = system->data;
    cardan_status status = CARDAN_OK;
    for (int i = 0; i < corners->count && !status; ++i) {
        const cd_corner_state* w = &corners->corner[i];
        cd_update_constraint_values(d);
        const double u = constraint_history(d, w)[0], corner = corner_at(d, w);
        if (isfinite(corner))
            status = choose_segment_at_corner(system, corners, w, corner, report);
        else
            set_segment(d, w, u, (cd_curve_segment){next_corner_or_end(d, w, u, -1), next_corner_or_end(d, w, u, 1)});
    }
    return status;
}

// ---- crossings

// Parameter of the corner that a point has crossed: the end of its new segment.
static double crossed_parameter(cardan_data* d, const cd_corner_state* w)
{
    const cd_curve_segment next = current_segment(d, w);
    return w->crossing_direction > 0 ? next.from : next.to;
}

// Check the motion beyond a corner. At an end, where both segments have the same direction, a point whose velocity
// was reversed by another crossing returns to its segment.
static cardan_status continue_beyond_corner(cd_ode_system* system, cd_corner_state* w, bool first, double t,
                                            cardan_report* report)
{
    cardan_data* d    = system->data;
    const double u    = crossed_parameter(d, w);
    const bool   free = !is_driven(d, w), end = is_end(d, w, u);
    const double speed =
        w->crossing_direction * v3_dot(tangent_at(d, w, current_segment(d, w), u), point_velocity(d, w));
    if (!first && free && end && !(speed > 0)) {
        set_segment(d, w, u, segment_beyond(d, w, u, -w->crossing_direction));
        w->crossing_direction = 0;
        return CARDAN_OK;
    }
    if (free && !end && w->last_parameter == u &&
        (!(speed > 0) || w->last_speed * (t - w->last_t) < cd_corner_standstill_tolerance * w->extent))
        return fail_at_corner(d, w, u, t, "comes to a standstill", report);
    if (free && !(speed > 0)) return fail_at_corner(d, w, u, t, "is stopped", report);
    w->last_t         = t;
    w->last_speed     = speed;
    w->last_parameter = u;
    return CARDAN_OK;
}

cardan_status cd_corners_cross(cd_ode_system* system, cd_corners* corners, cd_corner_state* first, cd_ode_state* x,
                               cardan_report* report)
{
    cardan_data*  d           = system->data;
    double        energy_gain = 0;
    cardan_status status      = cd_data_set_ode_state(system, x);
    if (status) return status;
    for (int i = 0; i < corners->count; ++i) {
        cd_corner_state*       w   = &corners->corner[i];
        const cd_curve_segment old = current_segment(d, w);
        const double           u   = w->crossing_direction > 0 ? old.to : old.from;
        if (w->crossing_direction) set_segment(d, w, u, segment_beyond(d, w, u, w->crossing_direction));
        w->energy_lost = 0;
    }
    if ((status = cd_apply_impulse(system, x, &energy_gain, report))) return status;
    first->energy_lost = -energy_gain;
    for (int i = 0; i < corners->count && !status; ++i)
        if (corners->corner[i].crossing_direction)
            status = continue_beyond_corner(system, &corners->corner[i], &corners->corner[i] == first, x->t, report);
    return status;
}

cardan_event cd_corner_event(cardan_data* d, const cd_corner_state* w)
{
    const cd_constraint*   c    = &d->constraints.constraint[w->constraint];
    const double           u    = w->last_parameter;
    const cd_curve_segment next = current_segment(d, w), old = segment_beyond(d, w, u, -w->crossing_direction);
    const vec3             T0 = tangent_at(d, w, old, u), T1 = tangent_at(d, w, next, u), n = v3_cross(T0, T1);
    const bool   end = is_end(d, w, u), leaves_curve = !isfinite(w->crossing_direction > 0 ? next.to : next.from);
    cardan_event event = {.kind        = end ? CARDAN_EVENT_CURVE_END : CARDAN_EVENT_CURVE_CORNER,
                          .t           = w->last_t,
                          .joint       = CARDAN_NONE,
                          .axis        = CARDAN_NONE,
                          .is_entering = end && leaves_curve,
                          .value       = w->energy_lost};
    char         location_text[80];
    cd_format_curve_point(curve_of(d, w), u, location_text);
    if (end)
        snprintf(event.description, sizeof event.description, "%.12s '%.30s': '%.22s' %s its curve at the end %.46s",
                 c->category, c->name, cd_curve_follower_name(d, c), leaves_curve ? "leaves" : "returns to",
                 location_text);
    else
        snprintf(event.description, sizeof event.description,
                 "%.12s '%.28s': '%.22s' %s the corner of %.0f degrees at %.46s", c->category, c->name,
                 cd_curve_follower_name(d, c), is_driven(d, w) ? "is driven past" : "passes",
                 atan2(sqrt(v3_dot(n, n)), v3_dot(T0, T1)) * 180 / M_PI, location_text);
    return event;
}
