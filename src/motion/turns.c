// SPDX-License-Identifier: BSD-3-Clause
// Full turns of joints that are measured, counted along a run. Their angles are known but for these, so no step may
// turn one by as much as half of a turn, however smooth the motion is: steps are limited by the speed at their
// beginning, and those that became too fast on the way are done again, shorter.
#include "motion/simulation.h"

#include "model/model.h"

#include <math.h>

static const double aimed = 2, allowed = 2.5; // [rad] in a step
static const double flat_aimed = 0.56,        // of the way in which a free body turns by 2 rad: between
    flat_allowed               = 0.7;         // two of them that is twice as much
static const double unseen     = 0.25;        // [rad] that need not be counted
enum { SHORTER = 64 };

// [1/s] Fastest turn that is measured, where the data are.
static double fastest_turn(cardan_data* d)
{
    const cardan_model* m       = d->m;
    double              fastest = 0;
    cd_know_measured(d);
    for (int i = 0; i < m->nmeasured; ++i) {
        const cardan_slot place = m->place[m->measured[i]];
        for (int k = 0; place.q >= 0 && k < place.nv; ++k)
            if (cardan_model_v_unit(m, m->measured[i], k)[0] == 'r') fastest = fmax(fastest, fabs(d->v[place.v + k]));
    }
    return fastest;
}

static bool is_flat(const simulation* s) { return s->system.model->policy == CARDAN_TREE_FLAT; }

// [s] Time in which nothing turns farther, at the speeds where the data are, or bodies at x.
static double time_of(const simulation* s, double turn, double flat)
{
    if (is_flat(s)) return flat * s->two_rad;
    const double fastest = fastest_turn(s->system.data);
    return fastest > 0 ? turn / fastest : INFINITY;
}

static bool is_counted(const simulation* s) { return s->system.model->nmeasured > 0 && !s->integrator->regularizes; }

// [s] Shortest step that is made for turns. Methods that do not choose their steps may have velocities without limit.
static double shortest(const simulation* s, double t)
{
    return s->integrator->adaptive ? cd_least_step(&s->system, t) : s->run.step / SHORTER;
}

double cd_turn_limit(const simulation* s)
{
    const bool anyway = s->system.data->near && !s->integrator->adaptive;
    return is_counted(s) && !anyway ? fmax(time_of(s, aimed, flat_aimed), shortest(s, s->x.t)) : INFINITY;
}

// Angles that are measured change no faster than all velocities together.
static bool may_turn_far(const simulation* s, double h)
{
    double sum = 0;
    for (int i = 0; i < s->system.nv; ++i) sum += fabs(s->x.z[i]);
    return h * sum > allowed;
}

// Stages have counted too: once more at x, from where the step began. What forces feel is known again then.
static bool count_again(simulation* s)
{
    cardan_data* d = s->system.data;
    if (is_flat(s) && d->nfelt == 0) {
        cd_turns_return_rows(&s->turns, d);
        return true;
    }
    cd_turns_return(&s->turns, d);
    if (d->nfelt == 0) return true;
    if (cd_simulation_set(s, &s->x)) return false;
    cd_know_felt(d);
    return true;
}

bool cd_turned_too_far(simulation* s, double from)
{
    const double h = s->x.t - from;
    if (!is_counted(s) || !count_again(s)) return false;
    if (is_flat(s))
        s->two_rad = cd_rotation_bound(&s->system, s->x.z);
    else if (!may_turn_far(s, h) || cd_simulation_set(s, &s->x))
        return false;
    return !s->system.data->near && h > time_of(s, allowed, flat_allowed) && h > 2 * shortest(s, from);
}

// Angles of hinges between free bodies change no faster than twice the fastest of these turns.
static bool may_have_turned(simulation* s, double h)
{
    if (!is_flat(s)) return true;
    s->turned += h * 4 / s->two_rad;
    if (s->turned < unseen) return false;
    s->turned = 0;
    return true;
}

// Where the data are at x: joints from the last state at which they were counted.
static void count_at_x(simulation* s, bool all)
{
    cardan_data* d = s->system.data;
    if (all)
        cd_know_measured(d);
    else
        cd_know_felt(d);
    if (all || d->nfelt > 0) cd_turns_keep(d, &s->turns);
}

// Turns of joints that are measured are counted from the last state at which they were: not from row to row, which may
// be far apart. Joints of several steps may turn at any time, and are among those that forces feel.
cardan_status cd_count_turns(simulation* s, double h)
{
    if (s->system.model->nmeasured == 0) return CARDAN_OK;
    const bool all = may_have_turned(s, h);
    if (!all && !s->sequences) return CARDAN_OK;
    if (s->open || !s->stabilization->correct) { // a correction leaves the data at its result
        const cardan_status status = cd_simulation_set(s, &s->x);
        if (status) return cd_run_failed(s, status);
    }
    count_at_x(s, all);
    return CARDAN_OK;
}

cardan_status cd_begin_turning(simulation* s)
{
    if (s->system.model->nmeasured == 0) return CARDAN_OK;
    const cardan_status status = cd_simulation_set(s, &s->x);
    if (status) return cd_run_failed(s, status);
    if (is_flat(s)) s->two_rad = cd_rotation_bound(&s->system, s->x.z);
    count_at_x(s, true);
    return CARDAN_OK;
}

cardan_status cd_go_on_turning(simulation* s)
{
    if (s->system.model->nmeasured == 0 || s->open) return CARDAN_OK;
    cd_turns_return(&s->turns, s->system.data);
    return cd_begin_turning(s);
}
