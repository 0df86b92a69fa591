// SPDX-License-Identifier: BSD-3-Clause
// Transition between the states of contacts at one instant:
//
//   1. points and limits whose gap is closed and which do not separate join the closed contacts
//   2. impact, if one of them approaches; then open, stick and slip follow from the velocities behind it
//   3. gaps, u_n and u_t of contacts that stick become zero
//   4. the acceleration problem decides which contacts at rest open, stick or begin to slip
//   5. without a solution (Painleve): impact without collision, and again from 2
//
// A contact whose force has just reached its limit opens or slips without a decision: at that instant both states have the
// same accelerations.
#include "dynamics/contacts/contacts.h"
#include "dynamics/state.h"
#include "simulation/contact/contact_events.h"
#include "simulation/contact/contact_run.h"
#include "simulation/simulation.h"

#include <math.h>
#include <string.h>

enum { ROUNDS_MAX = 20, RELEASES_MAX = 6, BURST_MAX = 200 }; // impacts, releases and transitions at one instant

static long id_of(cardan_data* d, int i)
{
    const cd_contact* c = cd_contacts_point(d, i);
    return c ? c->id : -2 - (i - d->contacts->set.n);
}

static cd_contact_state state_of(cardan_data* d, int i)
{
    const cd_contact* c = cd_contacts_point(d, i);
    if (c) return c->state;
    const cd_axis_contact* axis = cd_contacts_axis(d, i);
    return (cd_contact_state){.mode = axis->mode, .direction = {axis->direction}};
}

static void remember(cd_contact_run* run)
{
    cardan_data* d = run->s->system.data;
    run->nbefore   = 0;
    for (int i = 0; i < cd_contacts_count(d); ++i)
        run->before[run->nbefore++] = (cd_contact_before){id_of(d, i), state_of(d, i)};
}

static bool is_released(const cd_contact_run* run, int i)
{
    const long id = id_of(run->s->system.data, i);
    for (int k = 0; k < run->nreleased; ++k)
        if (run->released[k] == id) return true;
    return false;
}

// A contact whose force is at its limit: opens, or moves against its friction.
static void release(cd_contact_run* run, const cd_contact_margin* margin)
{
    cardan_data*            d       = run->s->system.data;
    cd_contact*             c       = cd_contacts_point(d, margin->contact);
    const cd_contact_motion motion  = cd_contacts_motion(d, margin->contact);
    const double*           p       = motion.force;
    run->released[run->nreleased++] = id_of(d, margin->contact);
    if (margin->change == CD_CHANGE_LIFT)
        cd_contact_set_mode(d, margin->contact, CD_CONTACT_OPEN);
    else if (!c) {
        cd_axis_contact* axis = cd_contacts_axis(d, margin->contact);
        axis->mode            = CD_CONTACT_SLIP;
        axis->direction       = p[0] > 0 ? -1 : 1;
    } else if (margin->change == CD_CHANGE_SLIP) {
        const double size = hypot(p[1], p[2]);
        c->state.mode     = CD_CONTACT_SLIP;
        for (int k = 0; k < 3; ++k) c->state.direction[k] = -(p[1] * c->tangent[0][k] + p[2] * c->tangent[1][k]) / size;
    } else if (margin->change == CD_CHANGE_SPIN) {
        c->state.spins          = true;
        c->state.spin_direction = p[3] > 0 ? -1 : 1;
    } else {
        const double size = hypot(p[4], p[5]);
        c->state.rolls    = true;
        for (int k = 0; k < 3; ++k)
            c->state.roll_direction[k] = -(p[4] * c->tangent[0][k] + p[5] * c->tangent[1][k]) / size;
    }
}

// The accelerations are those of the data.
static void release_all(cd_contact_run* run, double limit)
{
    cardan_data* d      = run->s->system.data;
    const int    before = run->nreleased;
    for (int i = 0; i < cd_contacts_count(d); ++i) {
        const cd_contact_margin own = cd_contact_own_margin(d, i);
        if (own.value <= limit && run->nreleased < run->capacity) release(run, &own);
    }
    if (run->nreleased > before) cd_contacts_changed(d);
}

static double largest_force(cardan_data* d)
{
    double largest = 0;
    for (int i = 0; i < cd_contacts_count(d); ++i)
        if (cd_contacts_mode(d, i) != CD_CONTACT_OPEN) largest = fmax(largest, fabs(cd_contacts_motion(d, i).force[0]));
    return largest;
}

// Contacts with closed gaps that do not separate become closed.
static void close_touching(cd_contact_run* run)
{
    cardan_data* d    = run->s->system.data;
    const double rest = cd_contact_rest_speed * cd_contact_speed_scale(run);
    for (int i = 0; i < cd_contacts_count(d); ++i) {
        const cd_contact_motion motion = cd_contacts_velocity(d, i);
        if (cd_contacts_mode(d, i) != CD_CONTACT_OPEN || motion.kind == CD_ELEMENT_FRICTION) continue;
        if (motion.gap > cd_contact_touch_gap * run->length || motion.velocity[0] > rest || is_released(run, i))
            continue;
        cd_contact_set_mode(d, i, CD_CONTACT_STICK);
        cd_contact_mode_by_velocity(run, i);
    }
    cd_contacts_changed(d);
}

// Contacts whose slip, spin or rolling has just reversed are at rest.
static void stop_reversed(cd_contact_run* run)
{
    cardan_data* d    = run->s->system.data;
    const double rest = cd_contact_stop_speed * cd_contact_speed_scale(run);
    for (int i = 0; i < cd_contacts_count(d); ++i) {
        const cd_contact_motion motion = cd_contacts_velocity(d, i);
        const double*           u      = motion.velocity;
        cd_contact*             c      = cd_contacts_point(d, i);
        if (cd_contacts_mode(d, i) == CD_CONTACT_OPEN || is_released(run, i)) continue;
        if (!c) {
            cd_axis_contact* axis = cd_contacts_axis(d, i);
            if (axis->mode == CD_CONTACT_SLIP && axis->direction * u[0] < rest) axis->mode = CD_CONTACT_STICK;
            continue;
        }
        if (c->state.mode == CD_CONTACT_SLIP && hypot(u[1], u[2]) < rest) c->state.mode = CD_CONTACT_STICK;
        if (motion.nrow < 6) continue;
        if (c->state.rolls && hypot(u[4], u[5]) * c->properties->rolling < rest) c->state.rolls = false;
        if (c->state.spins && fabs(u[3]) * c->properties->spinning < rest) c->state.spins = false;
    }
    cd_contacts_changed(d);
}

static cardan_status correct(cd_contact_run* run, cd_ode_state* x, cardan_report* report)
{
    cardan_data*  d   = run->s->system.data;
    double        gap = 0, velocity = 0;
    char          names[160];
    cardan_status status = cd_contact_correct(d, &gap, &velocity);
    if (!status && gap <= cd_contact_squeezed_gap * run->length) {
        memcpy(x->q, d->q, (size_t)run->s->system.nq * sizeof *x->q);
        memcpy(x->z, d->v, (size_t)run->s->system.nv * sizeof *x->z);
        return CARDAN_OK;
    }
    int contact = 0;
    for (int i = 0; i < cd_contacts_count(d); ++i)
        if (cd_contacts_mode(d, i) != CD_CONTACT_OPEN &&
            fabs(cd_contacts_velocity(d, i).gap) > fabs(cd_contacts_velocity(d, contact).gap))
            contact = i;
    cd_contact_names(d, contact, names, sizeof names);
    return cardan_fail(
        report, CARDAN_NOT_CONVERGED, CARDAN_CODE_CONTACT_NOT_SOLVED, cd_contact_location(d, contact),
        "%s are squeezed at t = %.9g s: an overlap of %.3g m remains that contacts, joints and drivers do "
        "not permit to remove",
        names, x->t, gap);
}

static bool has_closed(cardan_data* d)
{
    for (int i = 0; i < cd_contacts_count(d); ++i)
        if (cd_contacts_mode(d, i) != CD_CONTACT_OPEN) return true;
    return false;
}

cardan_status cd_contact_stabilize(cd_contact_run* run, cd_ode_state* x, cardan_report* report)
{
    if (!has_closed(run->s->system.data)) return CARDAN_OK;
    const cardan_status status = cd_simulation_set_state(run->s, x);
    return status ? status : correct(run, x, report);
}

// Impacts until no contact approaches.
static cardan_status collide(cd_contact_run* run, cd_ode_state* x)
{
    bool          happened = true;
    cardan_status status   = CARDAN_OK;
    for (int i = 0; i < ROUNDS_MAX && happened && !status; ++i) {
        status = cd_contact_run_impact(run, x, &happened);
        if (!status && happened) cd_contact_modes_by_velocity(run);
    }
    return status;
}

// Tangential acceleration of a contact along its direction of slip, at the accelerations of the data.
static double acceleration_along(cardan_data* d, int i)
{
    const cd_contact*       c      = cd_contacts_point(d, i);
    const cd_contact_motion motion = cd_contacts_motion(d, i);
    double                  along  = 0;
    for (int k = 0; k < 3; ++k)
        along += c->state.direction[k] *
                 (motion.acceleration[1] * c->tangent[0][k] + motion.acceleration[2] * c->tangent[1][k]);
    return along;
}

// Whether contacts that have just been released move along their directions, at the accelerations of the data.
static bool released_move(cd_contact_run* run)
{
    cardan_data* d = run->s->system.data;
    for (int i = 0; i < cd_contacts_count(d); ++i) {
        const cd_contact* c = cd_contacts_point(d, i);
        if (!c || c->state.mode != CD_CONTACT_SLIP || !is_released(run, i)) continue;
        if (acceleration_along(d, i) < -cd_contact_force_equal * d->contacts->scale) return false;
    }
    return true;
}

// The present states, if they hold; contacts slightly beyond their limits are released. This is exact where the solution of
// the complementarity problem is degenerate: many contacts reach their limits together.
static bool states_hold(cd_contact_run* run)
{
    cardan_data* d = run->s->system.data;
    for (int i = 0; i < RELEASES_MAX; ++i) {
        if (cardan_data_accelerate(d, run->a, NULL, NULL)) return false;
        const cd_contact_margin margin = cd_contact_force_margin(d);
        const double            scale  = fmax(run->force_scale, largest_force(d));
        if (margin.value >= -cd_contact_force_roundoff * scale) return released_move(run);
        if (margin.value < -cd_contact_force_slightly * scale) return false;
        release_all(run, margin.value + cd_contact_force_equal * scale);
    }
    return false;
}

static cardan_status solve_accelerations(cd_contact_run* run, cd_ode_state* x)
{
    cardan_data*      d       = run->s->system.data;
    const double      rest    = cd_contact_rest_speed * cd_contact_speed_scale(run);
    cd_contact_status problem = CD_CONTACT_SOLVED;
    cardan_status     status  = CARDAN_OK;
    if (!has_closed(d) || states_hold(run)) return CARDAN_OK;
    for (int i = 0; i < ROUNDS_MAX && !status; ++i) {
        status = cd_contact_complementarity(d, rest, run->a, &problem);
        if (status || problem != CD_CONTACT_INFEASIBLE) return status;
        status = cd_contact_run_jam(run, x);
        if (status) break;
        cd_contact_modes_by_velocity(run);
        status = collide(run, x);
    }
    return status;
}

static const cd_contact_state* state_before(const cd_contact_run* run, long id)
{
    for (int i = 0; i < run->nbefore; ++i)
        if (run->before[i].id == id) return &run->before[i].state;
    return NULL;
}

static bool has_changed(const cd_contact_state* before, const cd_contact_state* now, cardan_event_kind* kind)
{
    const cd_contact_mode was = before ? before->mode : CD_CONTACT_OPEN;
    if (was == CD_CONTACT_OPEN && now->mode == CD_CONTACT_OPEN) return false;
    if (was == CD_CONTACT_OPEN || now->mode == CD_CONTACT_OPEN) {
        *kind = was == CD_CONTACT_OPEN ? CARDAN_EVENT_TOUCH : CARDAN_EVENT_LIFT;
        return true;
    }
    const int slips = (now->mode == CD_CONTACT_SLIP) - (was == CD_CONTACT_SLIP);
    const int moves = slips                          ? slips
                      : (now->spins - before->spins) ? now->spins - before->spins
                                                     : now->rolls - before->rolls;
    *kind           = moves > 0 ? CARDAN_EVENT_SLIP : CARDAN_EVENT_STICK;
    return moves != 0;
}

// Report every kind of change once for each pair of bodies. Behind an impact, contacts that close are part of it.
static void report_changes(cd_contact_run* run, double t, bool after_impact)
{
    cardan_data* d = run->s->system.data;
    for (int i = 0; i < cd_contacts_count(d); ++i) {
        cardan_event           event = {.t = t, .joint = CARDAN_NONE, .axis = CARDAN_NONE};
        const cd_contact_state now   = state_of(d, i);
        bool                   known = false;
        if (!has_changed(state_before(run, id_of(d, i)), &now, &event.kind)) continue;
        if (after_impact && (event.kind == CARDAN_EVENT_TOUCH || event.kind == CARDAN_EVENT_LIFT)) continue;
        cd_contact_bodies(d, i, event.body);
        for (int k = 0; k < i && !known; ++k) {
            int                    body[2];
            cardan_event_kind      kind;
            const cd_contact_state other = state_of(d, k);
            cd_contact_bodies(d, k, body);
            known = cd_contacts_point(d, k) && body[0] == event.body[0] && body[1] == event.body[1] &&
                    has_changed(state_before(run, id_of(d, k)), &other, &kind) && kind == event.kind;
        }
        if (known) continue;
        cd_contact_names(d, i, event.description, sizeof event.description);
        ++run->s->summary->contacts.changes;
        cd_report_monitor_event(run->s, &event);
    }
}

// Whether a contact slips slowly and does not become slower.
static bool begins_to_slip(const cd_contact_run* run, int i, double slip)
{
    cardan_data* d = run->s->system.data;
    return slip < cd_contact_stop_speed * cd_contact_speed_scale(run) &&
           acceleration_along(d, i) >= -cd_contact_force_equal * d->contacts->scale;
}

void cd_contact_begin_step(cd_contact_run* run)
{
    cardan_data* d = run->s->system.data;
    for (int i = 0; i < cd_contacts_count(d); ++i) {
        const cd_contact_motion motion  = cd_contacts_velocity(d, i);
        const double*           u       = motion.velocity;
        cd_contact*             c       = cd_contacts_point(d, i);
        const bool              is_open = cd_contacts_mode(d, i) == CD_CONTACT_OPEN;
        run->gap_floor[i] =
            is_open && motion.gap < 0 && motion.gap > -cd_contact_touch_gap * run->length ? motion.gap : 0;
        run->begins[i] = false;
        if (c && !is_open) {
            const double slip = hypot(u[1], u[2]), rest = cd_contact_rest_speed * cd_contact_speed_scale(run);
            const double roll = motion.nrow == 6 ? hypot(u[4], u[5]) : 0;
            for (int k = 0; k < 3; ++k) {
                if (c->state.mode == CD_CONTACT_SLIP && slip > rest)
                    c->state.direction[k] = (u[1] * c->tangent[0][k] + u[2] * c->tangent[1][k]) / slip;
                if (c->state.rolls && roll * c->properties->rolling > rest)
                    c->state.roll_direction[k] = (u[4] * c->tangent[0][k] + u[5] * c->tangent[1][k]) / roll;
            }
        }
        run->at_start[i] = state_of(d, i);
        if (c && c->state.mode == CD_CONTACT_SLIP) run->begins[i] = begins_to_slip(run, i, hypot(u[1], u[2]));
    }
    run->force_scale = fmax(run->force_scale, largest_force(d));
}

static cardan_status count_burst(cd_contact_run* run, double t)
{
    char         names[160] = "bodies";
    cardan_data* d          = run->s->system.data;
    if (!(t - run->burst_t < cd_contact_burst * run->s->system.settings.span)) {
        run->burst_t = t;
        run->burst   = 0;
    }
    if (++run->burst <= BURST_MAX + 20 * cd_contacts_count(d)) return CARDAN_OK;
    int contact = 0;
    for (int i = 0; i < cd_contacts_count(d); ++i)
        if (cd_contacts_mode(d, i) != CD_CONTACT_OPEN) contact = i;
    if (cd_contacts_count(d) > 0) cd_contact_names(d, contact, names, sizeof names);
    return cardan_fail(
        run->s->report, CARDAN_NOT_CONVERGED, CARDAN_CODE_CHATTERING, cardan_location_none(),
        "contacts change %d times at t = %.9g s, the last one between %s: no states of contacts hold for a "
        "finite time; use the compliant contact law, or a smaller tolerance",
        run->burst, t, names);
}

cardan_status cd_contact_transition(cd_contact_run* run, cd_ode_state* x, double limit, bool is_start)
{
    cardan_data*  d       = run->s->system.data;
    const long    impacts = run->s->summary->contacts.impacts;
    cardan_status status  = cd_simulation_set_state(run->s, x);
    if (status) return status;
    run->s->step.data_moved = true;
    run->nreleased          = 0;
    remember(run);
    release_all(run, limit);
    cd_contacts_search(d, cd_contact_search_margin * run->length);
    close_touching(run);
    status = collide(run, x);
    if (run->reverses) stop_reversed(run);
    run->reverses = false;
    if (!status) status = correct(run, x, run->s->report);
    if (!status) status = solve_accelerations(run, x);
    if (!status) status = cd_simulation_set_state(run->s, x);
    if (!status) status = cardan_data_accelerate(d, run->a, NULL, run->s->report);
    if (!status) status = count_burst(run, x->t);
    if (status) return status;
    cd_contact_begin_step(run);
    if (!is_start) report_changes(run, x->t, run->s->summary->contacts.impacts > impacts);
    run->is_settled = true;
    run->settled_t  = x->t;
    return CARDAN_OK;
}

cardan_status cd_contact_cross_event(cd_contact_run* run, int function, cd_ode_state* x)
{
    cardan_data*      d      = run->s->system.data;
    cd_contact_margin margin = {.value = INFINITY, .contact = -1};
    cardan_status     status = cd_simulation_set_state(run->s, x);
    if (!status && function == CD_CONTACT_FORCE) {
        status = cardan_data_accelerate(d, run->a, NULL, run->s->report);
        margin = cd_contact_force_margin(d);
    }
    if (status) return status;
    run->reverses     = function == CD_CONTACT_SPEED;
    const double near = cd_contact_force_equal * run->force_scale;
    status            = cd_contact_transition(run, x, margin.value < near ? margin.value + near : -INFINITY, false);
    if (!status) cd_events_update(&run->s->events, x);
    return status;
}
