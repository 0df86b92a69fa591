// SPDX-License-Identifier: BSD-3-Clause
#include "motion/corners.h"

#include "constraint/curve.h"
#include "dynamics/curve_ends.h"
#include "motion/blow.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double at_corner = 1e-8; // of the range of parameters: a point so near begins at the corner
static const double at_rest = 1e-8; // of the curve's extent: ways shorter than that, from a corner back to it, are none

// Corners, and ends.
static bool runs_on_corners(const cd_constraint* c)
{
    return c->curve && (cd_curve_has_ends(c) || cd_curve_has_corner(c->curve, c->driven != 0));
}

void cd_corners_layout(const cd_system* system, cd_arena* arena, cd_corners* corners)
{
    const cd_closure* closure = &system->data->closure;
    corners->count            = 0;
    for (int i = 0; i < closure->nconstraint; ++i) corners->count += runs_on_corners(&closure->constraint[i]);
    CD_TAKE(arena, corners->watch, corners->count);
    for (int i = 0, k = 0; corners->watch && k < corners->count; ++i) {
        const cd_constraint* c = &closure->constraint[i];
        if (runs_on_corners(c))
            corners->watch[k++] = (cd_corner_watch){.constraint = i, .extent = c->parameter[0], .at = NAN};
    }
}

static double* memory_of(cardan_data* d, const cd_corner_watch* w)
{
    return d->closure.memory + w->constraint * CD_MEMORY;
}
static cd_piece piece_of(cardan_data* d, const cd_corner_watch* w)
{
    return (cd_piece){memory_of(d, w)[2], memory_of(d, w)[3]};
}
static const cardan_curve* curve_of(const cardan_data* d, const cd_corner_watch* w)
{
    return d->closure.constraint[w->constraint].curve;
}

static void put_on(cardan_data* d, const cd_corner_watch* w, double u, cd_piece piece)
{
    double* memory = memory_of(d, w);
    memory[0]      = u;
    memory[2]      = piece.from;
    memory[3]      = piece.to;
    cd_forget_rows(d);
}

void cd_corners_release(cd_system* system, const cd_corners* corners)
{
    for (int i = 0; i < corners->count; ++i)
        put_on(system->data, &corners->watch[i], memory_of(system->data, &corners->watch[i])[0], (cd_piece){0, 0});
}

// By a law of time, not by forces.
static bool is_driven(const cardan_data* d, const cd_corner_watch* w)
{
    return d->closure.constraint[w->constraint].driven != 0;
}
// Rate and acceleration of the law.
static const double* law_of(const cardan_data* d, const cd_corner_watch* w)
{
    return d->closure.law + 3 * (d->closure.constraint[w->constraint].law[0] - 1);
}

// The corner or end that comes first from u on.
static double next_bound(const cardan_data* d, const cd_corner_watch* w, double u, int direction)
{
    double next = cd_curve_next_corner(curve_of(d, w), is_driven(d, w), u, direction), end[2];
    cd_curve_domain(curve_of(d, w), &end[0], &end[1]);
    for (int i = 0; i < 2 && cd_curve_has_ends(&d->closure.constraint[w->constraint]); ++i)
        if (direction * (end[i] - u) > 0 && direction * (next - end[i]) > 0) next = end[i];
    return next;
}

static bool is_end(const cardan_data* d, const cd_corner_watch* w, double u)
{
    double first, last;
    cd_curve_domain(curve_of(d, w), &first, &last);
    return cd_curve_has_ends(&d->closure.constraint[w->constraint]) && (u == first || u == last);
}

// The piece behind the corner at u, in a direction.
static cd_piece piece_behind(const cardan_data* d, const cd_corner_watch* w, double u, int direction)
{
    const double next = next_bound(d, w, u, direction);
    return direction > 0 ? (cd_piece){u, next} : (cd_piece){next, u};
}

static vec3 unit(vec3 a)
{
    const double size = sqrt(v3_dot(a, a));
    return size > 0 ? v3_over(a, size) : a;
}

static vec3 direction_at(const cardan_data* d, const cd_corner_watch* w, cd_piece piece, double u)
{
    return unit(cd_curve_on(curve_of(d, w), piece, u).p1);
}

static vec3 velocity_of(cardan_data* d, const cd_corner_watch* w)
{
    return cd_curve_velocity(d, &d->closure.constraint[w->constraint]);
}

double cd_corner_beyond(cardan_data* d, const cd_corner_watch* w, bool upper, double* rate)
{
    const cd_piece piece = piece_of(d, w);
    const double   end = upper ? piece.to : piece.from, sign = upper ? 1 : -1;
    *rate = 0;
    if (!isfinite(end)) return -INFINITY;
    cd_know_closure(d);
    if (is_driven(d, w)) {
        double first, last;
        cd_curve_domain(curve_of(d, w), &first, &last);
        *rate = sign * w->extent / (last - first) * law_of(d, w)[1];
        return sign * w->extent / (last - first) * (memory_of(d, w)[0] - end);
    }
    const vec3 C1 = cd_curve_on(curve_of(d, w), piece, end).p1;
    *rate         = sign * v3_dot(unit(C1), velocity_of(d, w));
    return sign * (memory_of(d, w)[0] - end) * sqrt(v3_dot(C1, C1));
}

// ---- sentences

static cardan_status fail_at_rest(cardan_data* d, const cd_corner_watch* w, double u, double t, const char* how,
                                  cardan_report* report)
{
    const cd_constraint* c = &d->closure.constraint[w->constraint];
    char                 place[80];
    cd_curve_place(curve_of(d, w), u, place);
    return cardan_fail(report, CARDAN_NOT_CONVERGED, CARDAN_CODE_MOTION_BLOCKED, c->place,
                       "%s '%s': at t = %.9g s '%s' %s in the corner of its curve at %s, held by both sides, and the "
                       "motion does not go on from there; a curve of degree 2 or more with simple knots has no corners",
                       c->what, c->name, t, cd_curve_rider(d, c), how, place);
}

// ---- the start

// Acceleration of the point along T, a direction in the axes of the carrier, for the accelerations of the data's state.
static double acceleration_along(cardan_data* d, const cd_corner_watch* w, const double* a, vec3 T)
{
    const cd_constraint* c = &d->closure.constraint[w->constraint];
    cd_world_accelerations(d->m, &d->k, d->v, a, &d->world);
    const cd_end        end[2] = {cd_end_of(&c->end[0], &d->world), cd_end_of(&c->end[1], &d->world)};
    const cd_apart      apart  = cd_apart_of(end);
    const cd_scalar_row row    = cd_row_toward(end, &apart, m3_mul(end[0].T.R, T));
    double              sum    = row.h;
    for (int k = 0; k < 2; ++k) sum += sv_dot(row.G[k], d->world.acceleration[c->end[k].link]);
    return sum;
}

// The corner or end that the point is at; NAN: none.
static double corner_at(cardan_data* d, const cd_corner_watch* w)
{
    double first, last;
    cd_curve_domain(curve_of(d, w), &first, &last);
    const double near = at_corner * (last - first), u = memory_of(d, w)[0];
    const double below = next_bound(d, w, u + near, -1), above = next_bound(d, w, u - near, 1);
    return u - below <= near ? below : above - u <= near ? above : NAN;
}

static bool is_same(const cd_attached* a, const cd_attached* b)
{
    return a->link == b->link && memcmp(a->R, b->R, sizeof a->R) == 0 && memcmp(a->p, b->p, sizeof a->p) == 0;
}

// Two constraints of one point and one carrier.
static bool is_copy(const cardan_data* d, const cd_corner_watch* v, const cd_corner_watch* w)
{
    const cd_constraint *a = &d->closure.constraint[v->constraint], *b = &d->closure.constraint[w->constraint];
    return v != w && !a->driven && !b->driven && is_same(&a->end[0], &b->end[0]) && is_same(&a->end[1], &b->end[1]);
}

// The point, at the corner u, to the piece behind it; where its curve is given twice, by both.
static void put_behind(cardan_data* d, const cd_corners* corners, const cd_corner_watch* w, double u, int direction)
{
    const cd_piece piece = piece_behind(d, w, u, direction);
    const vec3     way   = v3_scale(direction, direction_at(d, w, piece, u));
    put_on(d, w, u, piece);
    for (int i = 0; i < corners->count; ++i) {
        const cd_corner_watch* v  = &corners->watch[i];
        const double           at = is_copy(d, v, w) ? corner_at(d, v) : NAN;
        for (int side = -1; side <= 1 && isfinite(at); side += 2) {
            const cd_piece next = piece_behind(d, v, at, side);
            if (side * v3_dot(direction_at(d, v, next, at), way) > 1 - 1e-9) put_on(d, v, at, next);
        }
    }
}

// How fast the point, at the corner u, goes into the piece behind it; where it stands still, how it begins to. The
// point is held to this piece then.
static cardan_status towards(cd_system* system, const cd_corners* corners, const cd_corner_watch* w, double u,
                             int direction, double* x)
{
    cardan_data* d = system->data;
    const vec3   T = direction_at(d, w, piece_behind(d, w, u, direction), u);
    put_behind(d, corners, w, u, direction);
    *x = direction * v3_dot(T, velocity_of(d, w));
    if (fabs(*x) > 1e-12 * w->extent) return CARDAN_OK;
    const cardan_status status = cardan_accelerate(d, system->a, NULL, NULL);
    if (!status) *x = direction * acceleration_along(d, w, system->a, T);
    return status;
}

static cardan_status leave_corner(cd_system* system, const cd_corners* corners, const cd_corner_watch* w, double u,
                                  cardan_report* report)
{
    cardan_data* d = system->data;
    double       down, up;
    if (is_driven(d, w)) {
        const double *law = law_of(d, w), way = law[1] != 0 ? law[1] : law[2];
        put_on(d, w, law[0], piece_behind(d, w, u, way < 0 ? -1 : 1));
        return CARDAN_OK;
    }
    cardan_status status = towards(system, corners, w, u, -1, &down);
    if (!status) status = towards(system, corners, w, u, 1, &up);
    if (status) return CARDAN_OK; // what is wrong there is told by the first step
    if (is_end(d, w, u)) {
        const bool lower = isfinite(next_bound(d, w, u, 1)); // the lower end: the curve is above it
        put_behind(d, corners, w, u, lower ? (down > 0 ? -1 : 1) : up > 0 ? 1 : -1);
        return CARDAN_OK;
    }
    if (!(up > 0) && !(down > 0)) return fail_at_rest(d, w, u, d->t, "rests", report);
    if (down > up) put_behind(d, corners, w, u, -1);
    return CARDAN_OK;
}

cardan_status cd_corners_hold(cd_system* system, cd_corners* corners, cardan_report* report)
{
    cardan_data*  d      = system->data;
    cardan_status status = CARDAN_OK;
    for (int i = 0; i < corners->count && !status; ++i) {
        const cd_corner_watch* w = &corners->watch[i];
        cd_know_closure(d);
        const double u = memory_of(d, w)[0], corner = corner_at(d, w);
        if (isfinite(corner))
            status = leave_corner(system, corners, w, corner, report);
        else
            put_on(d, w, u, (cd_piece){next_bound(d, w, u, -1), next_bound(d, w, u, 1)});
    }
    return status;
}

// ---- passages

// The end of the old piece that a point has passed, by its new one.
static double passed_at(cardan_data* d, const cd_corner_watch* w)
{
    const cd_piece next = piece_of(d, w);
    return w->passing > 0 ? next.from : next.to;
}

// At an end, where both sides have one direction, a point that others have turned back stays on its side.
static cardan_status go_on(cd_system* system, cd_corner_watch* w, bool first, double t, cardan_report* report)
{
    cardan_data* d    = system->data;
    const double u    = passed_at(d, w);
    const bool   free = !is_driven(d, w), end = is_end(d, w, u);
    const double speed = w->passing * v3_dot(direction_at(d, w, piece_of(d, w), u), velocity_of(d, w));
    if (!first && free && end && !(speed > 0)) {
        put_on(d, w, u, piece_behind(d, w, u, -w->passing));
        w->passing = 0;
        return CARDAN_OK;
    }
    if (free && !end && w->at == u && (!(speed > 0) || w->speed * (t - w->t) < at_rest * w->extent))
        return fail_at_rest(d, w, u, t, "comes to rest", report);
    if (free && !(speed > 0)) return fail_at_rest(d, w, u, t, "is stopped", report);
    w->t     = t;
    w->speed = speed;
    w->at    = u;
    return CARDAN_OK;
}

cardan_status cd_corners_pass(cd_system* system, cd_corners* corners, cd_corner_watch* first, cd_point* x,
                              cardan_report* report)
{
    cardan_data*  d      = system->data;
    double        gained = 0;
    cardan_status status = cd_data_reach(d, x->t, x->q, x->z, system->ns ? x->z + system->nv : NULL);
    if (status) return status;
    for (int i = 0; i < corners->count; ++i) {
        cd_corner_watch* w   = &corners->watch[i];
        const cd_piece   old = piece_of(d, w);
        const double     u   = w->passing > 0 ? old.to : old.from;
        if (w->passing) put_on(d, w, u, piece_behind(d, w, u, w->passing));
        w->lost = 0;
    }
    if ((status = cd_blow(system, x, &gained, report))) return status;
    first->lost = -gained;
    for (int i = 0; i < corners->count && !status; ++i)
        if (corners->watch[i].passing)
            status = go_on(system, &corners->watch[i], &corners->watch[i] == first, x->t, report);
    return status;
}

cardan_event cd_corner_event(cardan_data* d, const cd_corner_watch* w)
{
    const cd_constraint* c    = &d->closure.constraint[w->constraint];
    const double         u    = w->at;
    const cd_piece       next = piece_of(d, w), old = piece_behind(d, w, u, -w->passing);
    const vec3           T0 = direction_at(d, w, old, u), T1 = direction_at(d, w, next, u), n = v3_cross(T0, T1);
    const bool           end = is_end(d, w, u), out = !isfinite(w->passing > 0 ? next.to : next.from);
    cardan_event         event = {.kind       = end ? CARDAN_EVENT_CURVE_END : CARDAN_EVENT_CORNER,
                                  .t          = w->t,
                                  .joint      = CARDAN_NONE,
                                  .coordinate = CARDAN_NONE,
                                  .entering   = end && out,
                                  .value      = w->lost};
    char                 place[80];
    cd_curve_place(curve_of(d, w), u, place);
    if (end)
        snprintf(event.where, sizeof event.where, "%.12s '%.30s': '%.22s' %s its curve at the end %.46s", c->what,
                 c->name, cd_curve_rider(d, c), out ? "leaves" : "comes back to", place);
    else
        snprintf(event.where, sizeof event.where, "%.12s '%.30s': '%.22s' %s the corner of %.0f degrees at %.46s",
                 c->what, c->name, cd_curve_rider(d, c), is_driven(d, w) ? "is led round" : "passes",
                 atan2(sqrt(v3_dot(n, n)), v3_dot(T0, T1)) * 180 / M_PI, place);
    return event;
}
