// SPDX-License-Identifier: BSD-3-Clause
// Singular configurations: across one the singular value s falls to zero and rises again at the same rate, so that
// with its sign changed it is smooth. Where the sign is known (constraint_conditioning.c), a change is located inside
// the step (singular_location.c): s = 0 is a singular configuration, whether or not its loops can be named. Where it
// is unknown, three points give the time, by interpolation of t(s) at s = 0, and whether the slopes on both sides
// agree; a minimum that does not reach zero is reported if it is small.
//
// Branches: a mechanism that passes a singular configuration keeps its velocity. From the last well-conditioned
// configuration before to the first one behind
//
//     v2 = v1 + (t2 - t1) (a1 + a2) / 2 + O((t2 - t1)^3),
//
// and a motion that deviates by a considerable fraction of v, within one interval between updates, has switched its
// branch. docs/theory/singular.md (6), (7).
#include "simulation/singularity/singular_events.h"

#include "dynamics/data.h"
#include "dynamics/projection/near_singular_projection.h"
#include "dynamics/state.h"

#include <math.h>
#include <string.h>

// Relative to the running maximum: below it the state is near a singular configuration.
static const double near_sigma     = 0.1;
static const double reported_sigma = 0.01; // a smaller minimum is reported
static const double zero_sigma     = 1e-5; // smaller values are null in formulations, and their sign is noise
// Smaller values are singular; so are values below sqrt(c) at tolerated violations c: c = s y + k y^2.
static const double singular_sigma     = 1e-3;
static const double same_time_fraction = 1e-3; // of the time between points: the same configuration, of several groups
// Of its neighbours: a point that small is a separate singular configuration.
static const double isolated_minimum_ratio = 0.2;
// Of the points: where the smallest singular values of two loops are exchanged, sigma does not fall below.
static const double crossing_ratio         = 0.7;
static const double asymmetry_max          = 0.3; // relative difference of the slopes on both sides
static const double branch_velocity_change = 0.1; // of the velocity
// Of the longest step so far: a run that advances less in STALLED_EVALUATIONS evaluations is stalled.
static const double progress_fraction = 0.1;
enum { STALLED_EVALUATIONS = 2000 };
static const double branch_velocity_bend    = 0.03; // of the velocity, between updates: a branch switch is abrupt
static const double hidden_violation_factor = 10;   // violations |c| > s^2/10 hide the sign of s
// Of s^2: a larger violation leads to another branch, even slowly.
static const double leading_violation_fraction = 0.02;
// Of the velocity: with a larger smooth change no branch switch is concluded.
static const double smooth_velocity_change_max = 0.5;

void cd_singular_events_layout(const cd_ode_system* system, cd_arena* arena, cd_singular_events* events)
{
    double** const all[] = {&events->v[0], &events->v[1], &events->acceleration_before, &events->v_after,
                            &events->v_before};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i) CD_ARENA_ARRAY(arena, *all[i], system->nv);
    CD_ARENA_ARRAY(arena, events->via_joint, system->description.nbody + 1);
    CD_ARENA_ARRAY(arena, events->queue, system->description.nbody + system->description.njoint + 1);
    CD_ARENA_ARRAY(arena, events->body_group, system->description.nbody + 1);
    CD_ARENA_ARRAY(arena, events->history, cd_conditioning_group_limit(system));
    CD_ARENA_ARRAY(arena, events->event, 2 * cd_conditioning_group_limit(system) + 1);
    cd_ode_state_layout(system, arena, &events->state);
    CD_ARENA_ARRAY(arena, events->q_saved, system->nq);
    CD_ARENA_ARRAY(arena, events->is_stressed, system->model->njoint);
}

bool cd_is_near_singular(const cd_ode_system* system)
{
    return system->conditioning.sigma_min_sq_rel < near_sigma * near_sigma;
}

bool cd_singular_events_is_stalled(cd_singular_events* events, const cd_ode_system* system, double from, double t)
{
    const bool first     = events->longest_step == 0;
    events->longest_step = fmax(events->longest_step, t - from);
    if (first || !cd_is_near_singular(system) || t - events->progress_t > progress_fraction * events->longest_step) {
        events->progress_t           = t;
        events->progress_evaluations = system->evaluations;
    }
    return system->evaluations - events->progress_evaluations > STALLED_EVALUATIONS;
}

// Time at which s passes zero, from n points of which those from first_after on are behind it.
static double interpolate_zero(int n, const cd_sigma_point* point, int first_after)
{
    double t = 0;
    for (int i = 0; i < n; ++i) {
        const double si     = i < first_after ? point[i].sigma : -point[i].sigma;
        double       weight = 1;
        for (int k = 0; k < n; ++k) {
            const double sk = k < first_after ? point[k].sigma : -point[k].sigma;
            if (k != i) weight *= sk / (sk - si);
        }
        t += weight * point[i].t;
    }
    return t;
}

// The same if the middle one of three points is zero: formulations treat s < 1e-5 relative to pivots of 1 as null,
// and the distance is larger if all pivots are small (pivot_best).
static double interpolate_zero_near_middle(const cd_sigma_point point[3], double pivot_best)
{
    const double both   = point[0].sigma + point[2].sigma,
                 t      = (point[0].t * point[2].sigma + point[2].t * point[0].sigma) / both;
    const double margin = zero_sigma / sqrt(fmin(1, pivot_best)) * (point[2].t - point[0].t) / both;
    return fmax(point[1].t - margin, fmin(point[1].t + margin, t));
}

// Relative difference of the slopes on both sides of three points (0 to 1).
static double asymmetry_of(const cd_sigma_point point[3], int first_after)
{
    double s[3];
    for (int i = 0; i < 3; ++i) s[i] = i < first_after ? point[i].sigma : -point[i].sigma;
    const double slope_before = (s[0] - s[1]) / (point[1].t - point[0].t),
                 slope_after  = (s[1] - s[2]) / (point[2].t - point[1].t);
    return slope_before > 0 && slope_after > 0 ? fabs(slope_before - slope_after) / fmax(slope_before, slope_after) : 1;
}

// Append a point. Successive points at zero are merged at their mean time; the sign is relative to the last point
// that was not zero.
static void append_point(cd_sigma_history* p, cd_sigma_point now)
{
    cd_sigma_point* last = p->count > 0 ? &p->point[p->count - 1] : NULL;
    if (last && !(now.t > last->t)) return;
    const bool was_zero = last && last->sigma == 0;
    if (now.sigma < zero_sigma) {
        p->sign = was_zero ? p->sign * (now.sign ? now.sign : 1) : now.sign ? now.sign : 1;
        now     = (cd_sigma_point){now.t, 0, now.row, 0};
        if (was_zero) last->t = (last->t + now.t) / 2;
        if (was_zero) return;
    } else if (was_zero)
        now.sign *= p->sign;
    if (p->count == CD_SIGMA_POINTS)
        memmove(p->point, p->point + 1, (CD_SIGMA_POINTS - 1) * sizeof *p->point);
    else
        ++p->count;
    p->point[p->count - 1] = now;
}

// Name the loops of the singular configuration at time t; x is near it, and the data are at x afterwards. Returns
// false if it is not singular.
static bool name_loops_at(cd_singular_events* events, const cd_ode_system* system, const cd_ode_state* x, double t,
                          int row, bool has_violation)
{
    const double* state = system->ns ? x->z + system->nv : NULL;
    if (cd_data_set_state_if_changed(system->data, x->t, x->q, x->z, state) ||
        (has_violation && cd_project_near_singular(system->data)))
        return false;
    const bool singular = cd_name_singular_loops(events, system, t - x->t, row, events->description,
                                                 sizeof events->description, &events->names_several_loops);
    cd_data_set_state(system->data, x->t, x->q, x->z, state);
    return singular;
}

// Singular configuration to be reported.
typedef struct singular_point {
    double t, value; // value > 0: near singular only
    int    row;
    bool   is_certain;      // even if loops cannot be named
    double half_separation; // [s] > 0: two of them, before and behind t
    double ahead;           // [s] from the last point, at its velocity
} singular_point;

// Locate the zero or minimum of s if its sign has changed since the last point. in.state becomes the state there.
static bool find_crossing(cd_singular_events* events, cd_ode_system* system, cd_step_interior in, int group,
                          singular_point* f)
{
    const cd_sigma_history* history = &events->history[group];
    if (history->count < 2) return false;
    const cd_sigma_point *after = &history->point[history->count - 1], *before = after - 1;
    f->row             = before->sigma < after->sigma ? before->row : after->row;
    f->half_separation = 0;
    if (before->sigma == 0) {
        f->t     = history->count > 2 ? interpolate_zero_near_middle(after - 2, system->conditioning.min_pivot_rel_max)
                                      : before->t;
        f->value = 0;
        f->is_certain = true;
        in.integrator->dense_output(system, in.work, fmax(in.t_start, f->t), in.state);
        return true;
    }
    const double zero = fmax(singular_sigma, sqrt(fmax(in.violation, system->tolerance))),
                 s    = cd_singular_crossing_locate(system, in, group, *before, *after, &f->t);
    f->value          = s < zero ? 0 : s;
    f->is_certain     = s < fmax(singular_sigma, sqrt(in.violation));
    if (!history->reported) return s < fmax(zero, reported_sigma);
    if (f->t - history->crossing_t < after->t - before->t) return false; // the same one again
    return s < zero && (in.violation > 0 || s < crossing_ratio * fmin(before->sigma, after->sigma));
}

// If s keeps its sign at three points, the motion reverses between them, and s is a parabola: the motion approaches the
// singular configuration, stops there, or passes it in both directions.
static singular_point find_parabola_minimum(const cd_sigma_point point[3])
{
    const double   u0 = point[0].t - point[1].t, u2 = point[2].t - point[1].t;
    const double   d0 = (point[0].sigma - point[1].sigma) / u0, d2 = (point[2].sigma - point[1].sigma) / u2;
    const double   curvature = (d2 - d0) / (u2 - u0), slope = d0 - curvature * u0, u = -slope / (2 * curvature);
    const double   smallest_sigma = point[1].sigma - curvature * u * u;
    singular_point f              = {point[1].t, point[1].sigma, point[1].row, false, 0, -u2};
    if (!(curvature > 0) || !(u < u2)) return f;
    f.t               = point[1].t + u;
    f.value           = smallest_sigma < singular_sigma ? 0 : smallest_sigma;
    f.half_separation = smallest_sigma < -singular_sigma ? sqrt(-smallest_sigma / curvature) : 0;
    f.ahead           = (f.half_separation * f.half_separation / (u2 - u) - (u2 - u)) / 2;
    return f;
}

// Find a minimum of s in the last three points. Violations hide the side of the singular configuration, and the
// branch, where s^2 <= 10 |c| (dynamics/projection/near_singular_projection.c).
static bool find_sigma_minimum(const cd_sigma_history* p, double pivot_best, double violation, singular_point* f)
{
    if (p->count < 3) return false;
    const cd_sigma_point* point = p->point + p->count - 3;
    // an isolated small point: a direction that was not tracked passes through zero
    const bool is_isolated = point[1].sign == 0 && point[2].sign == 0 &&
                             point[1].sigma < isolated_minimum_ratio * fmin(point[0].sigma, point[2].sigma);
    if ((p->reported && !is_isolated) || p->crossing_t >= point[0].t || point[1].sigma > near_sigma ||
        point[1].sigma > point[0].sigma || point[1].sigma > point[2].sigma)
        return false;
    const double first = asymmetry_of(point, 1), second = asymmetry_of(point, 2);
    const bool   sign_known = point[1].sign != 0 && point[2].sign != 0;
    const bool   hidden     = point[1].sigma * point[1].sigma < hidden_violation_factor * violation;
    const bool   is_zero    = point[1].sigma == 0 || hidden || (!sign_known && fmin(first, second) < asymmetry_max);
    if (!is_zero && point[1].sigma > reported_sigma) return false;
    *f = (singular_point){!is_zero || hidden    ? point[1].t
                          : point[1].sigma == 0 ? interpolate_zero_near_middle(point, pivot_best)
                                                : interpolate_zero(3, point, first < second ? 1 : 2),
                          is_zero ? 0 : point[1].sigma,
                          point[1].row,
                          hidden,
                          0,
                          0};
    f->ahead = f->t - point[2].t;
    if (!is_zero && sign_known) *f = find_parabola_minimum(point);
    return true;
}

// Add an event in order of time. Groups that are singular together are named together, and reported once.
static void add_event(cd_singular_events* events, const singular_point* f, double interval)
{
    int position = events->nevent;
    for (int i = 0; i < events->nevent; ++i)
        if (fabs(events->event[i].t - f->t) <= same_time_fraction * interval &&
            strcmp(events->event[i].description, events->description) == 0)
            return;
    for (; position > 0 && events->event[position - 1].t > f->t; --position)
        events->event[position] = events->event[position - 1];
    cardan_event* e = &events->event[position];
    *e              = (cardan_event){.kind  = f->value > 0 ? CARDAN_EVENT_NEAR_SINGULAR : CARDAN_EVENT_SINGULAR,
                                     .t     = f->t,
                                     .joint = CARDAN_NONE,
                                     .axis  = CARDAN_NONE,
                                     .value = f->value};
    memcpy(e->description, events->description, sizeof e->description);
    e->names_several_loops = events->names_several_loops;
    ++events->nevent;
    events->description_valid = true;
}

static void add_events(cd_singular_events* events, const singular_point* f, double interval)
{
    singular_point one = *f;
    one.t              = f->t - f->half_separation;
    add_event(events, &one, interval);
    one.t = f->t + f->half_separation;
    if (f->half_separation > 0) add_event(events, &one, interval);
}

// Append a point for every group. Returns the one with the smallest sigma.
static cd_sigma_point append_points(cd_singular_events* events, cd_ode_system* system)
{
    const cd_conditioning* f       = &system->conditioning;
    cd_sigma_point         weakest = {.sigma = INFINITY};
    cd_conditioning_track_directions(system);
    for (int g = 0; g < f->ngroup; ++g) {
        const cd_sigma_point now = {f->t, f->tracked_sigma[g].sigma_min_rel, f->row, f->tracked_sigma[g].sign};
        if (events->history[g].count == 0) {
            events->history[g].crossing_t = -INFINITY;
            // it starts near the singular configuration
            events->history[g].regular_sigma_max =
                now.sigma < singular_sigma ? 0 : cd_conditioning_sigma_max(system, g);
        }
        append_point(&events->history[g], now);
        if (now.sigma < weakest.sigma) weakest = now;
    }
    return weakest;
}

// Find singular configurations in the last step. A sign change with s = 0 is singular, whether or not its loops can
// be named, and so is a zero hidden by violations. An approach or a minimum is reported only if loops lose rank
// there: pivots and rows may mislead, because a formulation uses some of several redundant rows, and these may become
// nearly null where others replace them.
static void find_singular_points(cd_singular_events* events, cd_ode_system* system, cd_step_interior in,
                                 const cd_ode_state* x)
{
    bool state_moved = false;
    for (int g = 0; g < system->conditioning.ngroup; ++g) {
        cd_sigma_history*     history  = &events->history[g];
        const cd_sigma_point* last     = &history->point[history->count - 1];
        const double          interval = history->count > 1 ? last->t - last[-1].t : 0;
        const bool            changed  = last->sign < 0;
        // before: a run may start at a singular configuration
        const bool     was_regular = history->regular_sigma_max >= near_sigma * cd_conditioning_sigma_max(system, g);
        singular_point point;
        state_moved |= changed;
        if (changed ? find_crossing(events, system, in, g, &point)
                    : find_sigma_minimum(history, system->conditioning.min_pivot_rel_max, in.violation, &point)) {
            const double t_point = changed ? point.t : last->t + point.ahead;
            const bool   named =
                name_loops_at(events, system, changed ? in.state : x, t_point, point.row, in.violation > 0);
            if (was_regular && (named || point.is_certain)) add_events(events, &point, interval);
            history->crossing_t = point.t;
            history->reported   = true;
        }
        if (last->sigma < near_sigma) continue;
        history->reported          = false;
        history->regular_sigma_max = cd_conditioning_sigma_max(system, g);
    }
    if (!state_moved) return;
    if (in.violation > 0)
        cd_conditioning_on_constraints(system, x);
    else
        cd_conditioning_at(system, x);
    cd_conditioning_track_directions(system);
}

// Largest velocity with the unit of velocity i.
static double max_velocity(const cd_ode_system* system, const double* v, int i)
{
    double largest = 0;
    for (int k = 0; k < system->nv; ++k)
        if (system->z_floor[k] == system->z_floor[i]) largest = fmax(largest, fabs(v[k]));
    return largest;
}

static bool has_switched_branch(const cd_singular_events* events, const cd_ode_system* system, const double* v,
                                double t)
{
    const double duration = events->t_after - events->t_before;
    bool         switched = false;
    for (int i = 0; i < system->nv; ++i) {
        const double scale = fmax(max_velocity(system, events->v_before, i), max_velocity(system, events->v_after, i));
        const double a1 = events->acceleration_before[i], a2 = (v[i] - events->v_after[i]) / (t - events->t_after);
        if (duration * fmax(fabs(a1), fabs(a2)) > smooth_velocity_change_max * scale) return false;
        switched |=
            fabs(events->v_after[i] - events->v_before[i] - duration * (a1 + a2) / 2) > branch_velocity_change * scale;
    }
    return switched;
}

// Difference between the velocity changes of the last two intervals, relative to the velocity.
static double velocity_bend(const cd_singular_events* events, const cd_ode_system* system, const cd_ode_state* x)
{
    const double h1 = events->t[1] - events->t[0], h2 = x->t - events->t[1];
    double       largest = 0;
    if (!(h1 > 0 && h2 > 0)) return 0;
    for (int i = 0; i < system->nv; ++i) {
        const double scale               = max_velocity(system, events->v_before, i),
                     acceleration_change = (x->z[i] - events->v[1][i]) / h2 - (events->v[1][i] - events->v[0][i]) / h1;
        if (scale > 0) largest = fmax(largest, fabs(acceleration_change) * fmax(h1, h2) / scale);
    }
    return largest;
}

static void enter_near_singular(cd_singular_events* events, const cd_ode_system* system)
{
    const double duration = events->t[1] - events->t[0];
    events->phase         = CD_PHASE_NEAR_SINGULAR;
    events->t_before      = events->t[1];
    for (int i = 0; i < system->nv; ++i) {
        events->v_before[i]            = events->v[1][i];
        events->acceleration_before[i] = duration > 0 ? (events->v[1][i] - events->v[0][i]) / duration : 0;
    }
}

// Track the motion between well-conditioned configurations; returns true if it ended on another branch.
static bool track_branch(cd_singular_events* events, const cd_ode_system* system, const cd_ode_state* x, double s,
                         double violation)
{
    const size_t size     = (size_t)system->nv * sizeof(double);
    bool         switched = false;
    if (events->phase != CD_PHASE_REGULAR)
        events->velocity_bend_max = fmax(events->velocity_bend_max, velocity_bend(events, system, x));
    if (events->phase == CD_PHASE_LEAVING) {
        switched =
            (events->velocity_bend_max > branch_velocity_bend ||
             events->violation_max > leading_violation_fraction * events->smallest.sigma * events->smallest.sigma) &&
            has_switched_branch(events, system, x->z, x->t);
        events->phase = CD_PHASE_REGULAR;
    } else if (events->phase == CD_PHASE_REGULAR && s < near_sigma && events->t[1] > events->t[0]) {
        enter_near_singular(events, system);
        events->velocity_bend_max = velocity_bend(events, system, x);
        events->smallest.sigma    = INFINITY;
        events->violation_max     = 0;
    } else if (events->phase == CD_PHASE_NEAR_SINGULAR && s >= near_sigma) {
        events->phase   = CD_PHASE_LEAVING;
        events->t_after = x->t;
        memcpy(events->v_after, x->z, size);
    }
    events->violation_max = fmax(events->violation_max, violation);
    double* const oldest  = events->v[0];
    events->v[0]          = events->v[1];
    events->v[1]          = memcpy(oldest, x->z, size);
    events->t[0]          = events->t[1];
    events->t[1]          = x->t;
    return switched;
}

void cd_singular_events_reset(cd_singular_events* events, const cd_ode_system* system, const cd_ode_state* x)
{
    events->phase = CD_PHASE_REGULAR;
    events->t[0] = events->t[1] = x->t;
    memcpy(events->v[1], x->z, (size_t)system->nv * sizeof *x->z);
}

void cd_singular_events_update(cd_singular_events* events, cd_ode_system* system, cd_step_interior in,
                               const cd_ode_state* x)
{
    events->nevent = 0;
    if (!system->has_constraints || system->conditioning.rank_deficiency_generic < 0) return;
    const cd_sigma_point now = append_points(events, system);
    in.state                 = &events->state;
    find_singular_points(events, system, in, x);
    const bool was_named = events->description_valid,
               switched  = track_branch(events, system, x, now.sigma, in.violation);
    if (events->phase == CD_PHASE_REGULAR) events->description_valid = false;
    if (events->phase == CD_PHASE_NEAR_SINGULAR && now.sigma < events->smallest.sigma) events->smallest = now;
    if (!switched ||
        (!was_named && !name_loops_at(events, system, x, events->smallest.t, events->smallest.row, in.violation > 0)))
        return;
    cardan_event* e = &events->event[events->nevent++];
    *e              = (cardan_event){
                     .kind = CARDAN_EVENT_BRANCH_SWITCH, .t = events->smallest.t, .joint = CARDAN_NONE, .axis = CARDAN_NONE};
    memcpy(e->description, events->description, sizeof events->description);
    e->names_several_loops = events->names_several_loops;
}
