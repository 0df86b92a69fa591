// SPDX-License-Identifier: BSD-3-Clause
// What a run gives of its steps: rows at their exact times, and events, in the order of time.
#include "motion/simulation.h"

#include <cardan/assemble.h>

#include <math.h>

// What is open by a tenth of the mechanism is no motion of it any more, whatever was wished for.
static cardan_status keep_closure(simulation* s)
{
    double position, velocity;
    if (!s->system.loops) return CARDAN_OK;
    cardan_closure_error(s->system.data, &position, &velocity);
    if (s->integrator->regularizes) cd_look_open(s->system.data, position, &s->widest);
    s->summary->closure_position = fmax(s->summary->closure_position, position);
    s->summary->closure_velocity = fmax(s->summary->closure_velocity, velocity);
    if (s->system.data->open <= 0.1 * fmin(1, s->system.data->length) / s->system.data->small) return CARDAN_OK;
    if (cd_law_ends(&s->end, s->system.data, s->x.t, CARDAN_NOT_CONVERGED, s->report)) return CARDAN_NOT_CONVERGED;
    return cd_fail_apart(s->system.data, false, CARDAN_NOT_CONVERGED, s->report);
}

// A method that endures gaps does not see where drivers ask for the impossible.
static cardan_status look_at_reach(simulation* s, const cd_point* x)
{
    double gap;
    if (!s->integrator->regularizes || !s->system.loops) return CARDAN_OK;
    cd_gaps(s->system.data, &gap, NULL);
    const cardan_status status =
        cd_open_for_good(&s->system, gap, cd_row_time(&s->run, s->row > 0 ? s->row - 1 : 0), s->report);
    return status ? status : cd_simulation_set(s, x);
}

cardan_status cd_give_row(simulation* s, cd_point* x, double t)
{
    cd_system* system = &s->system;
    system->trouble_t = x->t;
    system->trouble   = CARDAN_NONE;
    const bool gapes  = s->integrator->regularizes && s->system.loops;
    if (gapes) {
        cardan_status reach = cd_simulation_set(s, x);
        if (!reach) reach = look_at_reach(s, x);
        if (!reach) reach = keep_closure(s);
        if (reach) return reach;
    }
    cardan_status status = cd_accelerate_row(s, x);
    if (status && s->integrator->accelerate) status = s->integrator->accelerate(system, s->work, system->a);
    if (status) return cd_run_failed(s, status);
    if ((status = cd_confirm_row(s))) return status;
    if (!gapes && (status = keep_closure(s))) return status;

    const cardan_row row   = {.t      = t,
                              .q      = x->q,
                              .v      = x->z,
                              .a      = system->a,
                              .state  = x->z + system->nv,
                              .energy = cardan_energy(system->data),
                              .work   = x->z[system->nz - 1]};
    s->summary->energy_end = row.energy.kinetic + row.energy.potential;
    if (s->summary->rows == 0) s->summary->energy_start = s->summary->energy_end;
    cd_balance_keep(&s->balance, row.energy, s->summary->energy_start, row.work, row.t);
    ++s->summary->rows;
    s->summary->t = t;
    if (s->run.row && !s->run.row(s->run.user, system->data, &row)) return CARDAN_STOPPED;
    return CARDAN_OK;
}

cardan_status cd_give_rows(simulation* s, double t)
{
    for (; s->row <= s->last_row; ++s->row) {
        const double due = cd_row_time(&s->run, s->row);
        if (due > t) break;
        cardan_status status = CARDAN_OK;
        const bool    here   = due >= cd_instant_since(&s->instants, s->x.t);
        if (here) {
            status = s->open ? cd_steady(s, &s->x) : CARDAN_OK;
            if (status) return status;
            cd_point_copy(&s->system, &s->x, &s->row_x);
        } else
            status = s->integrator->inside(&s->system, s->work, due, &s->row_x);
        if (status) return cd_run_failed(s, status);
        if (!here) status = cd_steady(s, &s->row_x);
        if (!status) status = cd_give_row(s, &s->row_x, due);
        if (status) return status;
        cd_confirm(s, &s->row_x, s->row + 1);
    }
    return CARDAN_OK;
}

static cardan_status tell(simulation* s, const cardan_event* event)
{
    ++s->summary->events;
    if (!s->run.event) return CARDAN_OK;
    const cardan_status status = cd_simulation_set(s, &s->events.x);
    if (status) return cd_run_failed(s, status);
    s->run.event(s->run.user, s->system.data, event);
    return CARDAN_OK;
}

cardan_status cd_tell_event(simulation* s, const cd_watch* watch)
{
    const cardan_event event = {.kind  = watch->kind == CD_WATCH_CONDITION ? CARDAN_EVENT_STOP : CARDAN_EVENT_LIMIT,
                                .t     = s->events.x.t,
                                .joint = watch->joint,
                                .coordinate = watch->coordinate,
                                .upper      = watch->upper,
                                .entering   = watch->out};
    return tell(s, &event);
}

// Over corners, that which was found first; a run that ends there has come so far.
static cardan_status turn_corner(simulation* s, const cd_watch* watch)
{
    const cd_corner_watch *corner = s->events.corners.watch, *first = &corner[watch->law];
    cardan_status          status = cd_events_turn(&s->events, watch, s->report);
    if (status) s->summary->t = s->events.x.t;
    for (int i = -1; i < s->events.corners.count && !status; ++i) {
        const cd_corner_watch* w = i < 0 ? first : &corner[i];
        if ((i >= 0 && w == first) || !w->passing) continue;
        const cardan_event event = cd_corner_event(s->system.data, w);
        status                   = tell(s, &event);
    }
    return status;
}

cardan_status cd_follow_step(simulation* s, double from)
{
    for (;;) {
        cd_watch*     found  = NULL;
        cardan_status status = cd_events_next(&s->events, from, &s->x, &found);
        if (status) return cd_run_failed(s, status);
        if (!found) return cd_give_rows(s, s->x.t);

        const bool stop = found->kind == CD_WATCH_CONDITION;
        from            = s->events.x.t;
        status          = cd_give_rows(s, stop ? nextafter(from, -INFINITY) : from);
        if (!status) status = cd_confirm_at(s, &s->events.x);
        cd_events_hold(&s->events);
        if (!status) status = cd_steady(s, &s->events.x);
        if (!status && found->kind == CD_WATCH_CORNER)
            status = turn_corner(s, found);
        else if (!status && found->kind != CD_WATCH_PRESS)
            status = cd_tell_event(s, found);
        if (status) return status;
        if (stop) {
            s->summary->stop_met = true;
            return cd_give_row(s, &s->events.x, s->events.x.t);
        }
        cd_confirm(s, &s->events.x, s->row);
        if (!found->stiff) continue;
        cd_point_copy(&s->system, &s->events.x, &s->x);
        s->open = false;
        return cd_run_begin(s);
    }
}
