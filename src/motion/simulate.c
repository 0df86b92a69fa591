// SPDX-License-Identifier: BSD-3-Clause
// A run: steps, rows at their exact times, events in their order, and the balance of energy.
//
// Fixed-step methods land on every row: the time to the next row is divided into the fewest equal steps that are
// not longer than `step`. Where `step` is longer than the time between rows, the run is divided so, and rows in between
// are ends of shorter steps from the same beginning. Adaptive methods step as they like up to the end; rows in between
// are dense output. Steps of all of them end where laws or formulas jump (instants.h), as they do at rows.
//
// Loops: the stabilization puts the end of every step, and every row in between, back on the constraints. Methods that
// build on their own past do not see that, so with them the equations pull gaps back too, gently, and they start anew
// where a gap gets large.
#include "core/clock.h"
#include "core/arguments.h"
#include "dynamics/bearing.h"
#include "dynamics/curve_ends.h"
#include "motion/blow.h"
#include "motion/simulation.h"

#include <cardan/assemble.h>

#include <math.h>
#include <stdlib.h>

static const double far_off = 1e4; // of the tolerance
static const double settled = 10;  // times the longest step: then an adaptive method has found its pace

enum { HALVINGS = 50 }; // towards the end of reach

cardan_status cd_run_failed(simulation* s, cardan_status status)
{
    if (status == CARDAN_STOPPED) return status;
    char where[160];
    if (cd_law_ends(&s->end, s->system.data, s->x.t, status, s->report)) return status;
    const int weak = cd_bearings_weak(&s->system, &s->bearings);
    if (weak != CARDAN_NONE) return cd_fail_bearing(s->system.data, weak, s->x.t, status, s->report);
    if (s->integrator->explain && s->integrator->explain(&s->system, s->work, status, s->report)) return status;
    cd_motion_failed(&s->system, s->integrator, s->run.start, s->run.step, status, s->report);
    if (status == CARDAN_STEP_TOO_SMALL) cd_chatter_note(&s->chatter, &s->system, s->report);
    if (s->system.loops && !s->integrator->regularizes) cd_look_at(s, &s->x);
    if (s->system.loops && cd_passage_within(&s->system)) {
        cd_passage_name(&s->passage, &s->system, 0, s->system.firmness.row, where, sizeof where, NULL);
        cd_note_singular(&s->system, where, s->report);
    }
    return status;
}

// How strongly the equations pull gaps back. Adaptive methods begin with tiny steps, so the longest so far counts, once
// there are some; a pull that followed their steps down would force them ever shorter.
static void set_pull(simulation* s, double h)
{
    const cd_stabilization* stabilization = s->stabilization;
    double                  part          = stabilization->pull;
    if (s->integrator->remembers && (stabilization->correct || part > 0)) part = 0.1;
    s->longest = fmax(s->longest, h);
    if (part == 0) return;
    if (s->system.fills)
        s->system.settle = part / s->longest;
    else if (stabilization->pull > 0 && s->run.pull > 0)
        cd_system_pull(&s->system, s->run.pull);
    else if (!s->integrator->adaptive || s->x.t - s->run.start > settled * s->longest)
        cd_system_pull(&s->system, part / s->longest);
}

// The balance between rows, at the ends of steps, a thousand times in a run at most.
static cardan_status look_at_balance(simulation* s)
{
    if (s->x.t - s->balance.looked < 1e-3 * (s->run.end - s->run.start)) return CARDAN_OK;
    const cardan_status status = cd_simulation_set(s, &s->x);
    if (status) return cd_run_failed(s, status);
    cd_balance_keep(&s->balance, cardan_energy(s->system.data), s->summary->energy_start, s->x.z[s->system.nz - 1],
                    s->x.t);
    return CARDAN_OK;
}

cardan_status cd_run_begin(simulation* s)
{
    if (s->run.end - s->x.t <= cd_least_step(&s->system, s->x.t)) s->x.t = s->run.end;
    if (s->x.t == s->run.end) return CARDAN_OK;
    cd_confirm_soon(s);
    const cardan_status status = s->integrator->start(&s->system, s->work, &s->x);
    return status ? cd_run_failed(s, status) : CARDAN_OK;
}

static double step_limit(const simulation* s)
{
    const double far_turned = s->x.t + cd_turn_limit(s), instant = cd_instant_limit(&s->instants, s->x.t);
    if (s->integrator->adaptive) return fmin(fmin(s->run.end, far_turned), instant);
    const double due   = fmin(cd_row_time(&s->run, s->row), instant);
    const double steps = ceil((due - s->x.t) / s->run.step - 1e-9),
                 now   = s->integrator->regularizes ? s->run.window : 1;
    // windows end at rows, but not at every one where these are near: what one step alone sees of a gap is not enough
    // to close it
    const long far =
        (long)floor((s->x.t - s->run.start + fmin(now, CD_SHORTEST_WINDOW) * s->run.step) / s->run.output + 1e-9);
    if (now == 1 && s->run.step > s->run.output) return fmin(far_turned, cd_long_step_end(&s->run, s->x.t, instant));
    if (now > 1 && far > s->row) return fmin(cd_row_time(&s->run, far < s->last_row ? far : s->last_row), instant);
    return fmin(far_turned, steps > now ? s->x.t + now * (due - s->x.t) / steps : due);
}

// The end of the step back on the constraints. *anew: a method that remembers had come far off.
static cardan_status after_step(simulation* s, double h, bool* anew)
{
    *anew = false;
    if (!s->system.loops) return CARDAN_OK;
    s->open = s->system.passing && !s->system.data->near;
    if (s->open) return cd_count_turns(s, h);
    if (s->integrator->adaptive) set_pull(s, h);
    if (s->integrator->remembers && s->stabilization->correct) {
        double              gap;
        const cardan_status status = cd_simulation_set(s, &s->x);
        if (status) return cd_run_failed(s, status);
        cd_gaps(s->system.data, &gap, NULL);
        *anew = gap > far_off * s->run.tolerance && !s->system.fills; // positions are not put back
    }
    const cardan_status status = cd_put_back(s, &s->x, NULL);
    s->apart                   = status != CARDAN_OK;
    return status ? status : cd_count_turns(s, h);
}

// Near a singular pose steps may become ever shorter without end.
static cardan_status check_pace(simulation* s, double from)
{
    char where[160];
    if (!s->system.loops || !cd_passage_stuck(&s->passage, &s->system, from, s->x.t)) return CARDAN_OK;
    if (cd_stand_in_enter(s, CARDAN_STEP_TOO_SMALL)) return cd_run_begin(s);
    const cardan_status status = cd_simulation_set(s, &s->x);
    if (status) return cd_run_failed(s, status);
    if (cd_beyond_reach(&s->system)) return cd_fail_demand(s->system.data, CARDAN_NOT_CONVERGED, s->report);
    cd_passage_name(&s->passage, &s->system, 0, s->system.firmness.row, where, sizeof where, NULL);
    return cd_fail_stuck(&s->system, s->x.t, where, s->report);
}

// At jumps of formulas too.
static cardan_status look_at_jumps(simulation* s)
{
    if (s->chatter.count == 0 || s->summary->stop_met) return CARDAN_OK;
    const cardan_status status = cd_simulation_set(s, &s->x);
    if (status) return cd_run_failed(s, status);
    return cd_chatter_look(&s->chatter, &s->system, s->integrator->adaptive, s->x.t, s->report);
}

// Velocities jump with the rate of a law at x.
static cardan_status strike(simulation* s, bool weak)
{
    double              work;
    const cardan_status status = cd_blow(&s->system, &s->x, &work, s->report);
    if (status) return status;
    if (weak) cd_warn_weak_kink(s->x.t, s->report);
    s->open = false;
    cd_passage_struck(&s->passage, &s->system, &s->x);
    return CARDAN_OK;
}

// Over what jumps at x. Rows at that very instant are behind it. Gaps that are left to the next step are closed before,
// however short it is.
static cardan_status pass_instant(simulation* s)
{
    cardan_status status = CARDAN_OK;
    if (s->instants.count == 0 || s->summary->stop_met) return CARDAN_OK;
    const bool      weak   = cd_passage_within(&s->system);
    const cd_passed passed = cd_instant_pass(&s->instants, cd_least_step(&s->system, s->x.t), &s->x.t);
    if (passed == CD_NONE_PASSED) return CARDAN_OK;
    if (passed == CD_RATE_PASSED)
        status = strike(s, weak);
    else if (s->open)
        status = cd_steady(s, &s->x);
    if (status || (status = cd_give_rows(s, s->x.t)) || (status = cd_go_on_turning(s))) return status;
    return cd_run_begin(s);
}

// ---- steps that end where no motion is

// The constraint that is lost at x, or on the way to it.
static cardan_status look_at_bearings(simulation* s, const cd_point* x, int* lost)
{
    *lost = CARDAN_NONE;
    if (s->bearings.count == 0) return CARDAN_OK;
    const cardan_status status = cd_simulation_set(s, x);
    if (!status) *lost = cd_bearings_lost(&s->system, &s->bearings);
    return status;
}

// The state at a time inside the last step, closed, into row_x.
static bool sound_inside(simulation* s, double t, int* lost)
{
    *lost = CARDAN_NONE;
    if (s->integrator->inside(&s->system, s->work, t, &s->row_x) || look_at_bearings(s, &s->row_x, lost)) return false;
    return *lost == CARDAN_NONE && cd_put_back(s, &s->row_x, NULL) == CARDAN_OK;
}

// The last step ends where there is no motion: taken up to the last time where there is, with its rows and events, and
// told.
static cardan_status retreat(simulation* s, double from, cardan_status status, int lost)
{
    double good = from, bad = s->x.t;
    int    at_bad = lost;
    for (int i = 0; i < HALVINGS; ++i) {
        const double t = good + (bad - good) / 2;
        if (!(t > good && t < bad) || bad - good < cd_least_step(&s->system, good)) break;
        if (sound_inside(s, t, &lost))
            good = t;
        else
            bad = t, at_bad = lost;
    }
    if (good > from && sound_inside(s, good, &lost)) {
        cd_point_copy(&s->system, &s->row_x, &s->x);
        s->open                    = false;
        const cardan_status before = cd_follow_step(s, from);
        if (before || s->summary->stop_met || s->x.t < good) return before; // begun anew before that
        s->summary->t = good;
    }
    if (at_bad != CARDAN_NONE) return cd_fail_bearing(s->system.data, at_bad, bad, status, s->report);
    if (cd_law_ends(&s->end, s->system.data, good, status, s->report)) return status;
    const cardan_status then = s->integrator->inside(&s->system, s->work, bad, &s->row_x);
    if (then) return cd_run_failed(s, then);
    const cardan_status told =
        s->stabilization->correct ? s->stabilization->correct(&s->system, s->steady, &s->row_x, s->report) : CARDAN_OK;
    if (told) return told;
    if (s->system.data->closure.ndriving > 0) return cd_fail_demand(s->system.data, status, s->report);
    return cd_fail_wide(&s->system, s->integrator, bad, status, s->report);
}

// *done: what was left before the end is not worth a step.
static cardan_status step_once(simulation* s, double limit, bool* done)
{
    cardan_status status = s->integrator->step(&s->system, s->work, limit, &s->x);
    if (!status || !cd_stand_in_enter(s, status)) return status;
    status = cd_run_begin(s);
    *done  = s->x.t == s->run.end;
    return status || *done ? status : s->integrator->step(&s->system, s->work, limit, &s->x);
}

// Back to the beginning of the last step, where turns were counted.
static cardan_status begin_again(simulation* s, double from)
{
    const cardan_status status = s->integrator->inside(&s->system, s->work, from, &s->row_x);
    if (status) return status;
    cd_point_copy(&s->system, &s->row_x, &s->x);
    s->x.t = from;
    ++s->system.rejected;
    return cd_run_begin(s);
}

static cardan_status take_step(simulation* s, double limit, bool* done)
{
    const double  from   = s->x.t;
    cardan_status status = step_once(s, limit, done);
    while (!status && !*done && cd_turned_too_far(s, from)) {
        const double h = s->x.t - from;
        status         = begin_again(s, from);
        if (!status) status = step_once(s, from + h / 2, done);
    }
    return status;
}

static cardan_status advance(simulation* s)
{
    cd_system*   system = &s->system;
    const double from = s->x.t, limit = step_limit(s);
    if (s->system.loops && !s->integrator->adaptive) set_pull(s, limit - from);
    bool          done   = false;
    cardan_status status = take_step(s, limit, &done);
    if (status) return cd_run_failed(s, status);
    if (done) return CARDAN_OK;
    ++s->summary->steps;
    bool anew;
    int  lost;
    s->apart = false;
    status   = look_at_bearings(s, &s->x, &lost);
    if (status) return cd_run_failed(s, status);
    if (lost != CARDAN_NONE) return retreat(s, from, CARDAN_NOT_CONVERGED, lost);
    cd_bearings_keep(&s->bearings);
    status = after_step(s, s->x.t - from, &anew);
    if (s->apart) return retreat(s, from, status, CARDAN_NONE);
    if (!status && system->loops) {
        s->fastest = cd_fastest(system, s->x.z);
        status     = cd_look_into_step(s, from);
        if (!status) status = cd_look_at_opening(s, s->x.t - from);
        if (status) return cd_run_failed(s, status);
    }
    const bool due = !status && cd_confirm_due(s);
    const long row = s->row;
    if (due) status = cd_confirm_at(s, &s->x);
    if (!status) status = cd_follow_step(s, from);
    if (!status && (due || s->row > row || s->events.count > 0)) status = cd_go_on_turning(s);
    if (!status && due && !s->summary->stop_met) cd_confirm(s, &s->x, s->row);
    if (!status) status = check_pace(s, from);
    if (!status) status = look_at_jumps(s);
    if (!status && !s->summary->stop_met) status = look_at_balance(s);
    if (!status && !s->summary->stop_met) s->summary->t = s->x.t;
    if (!status && !s->summary->stop_met && (cd_stand_in_change(s, s->x.t - from) || anew)) status = cd_run_begin(s);
    if (!status) status = pass_instant(s);
    if (status) return status;
    if (!s->summary->stop_met) s->summary->t = s->x.t;
    if (!system->progress) return CARDAN_OK;
    system->reached = s->summary->t;
    system->since   = 0;
    return system->progress(system->user, system->reached) ? CARDAN_OK : CARDAN_STOPPED;
}

static cardan_status go(simulation* s)
{
    cardan_status status = cd_set_start(s);
    if (!status) cd_look_at_start(s);
    if (!status) status = cd_give_rows(s, s->x.t);
    if (!status && s->events.corners.count > 0 && !(status = cd_simulation_set(s, &s->x)))
        status = cd_corners_hold(&s->system, &s->events.corners, s->report);
    if (status) return status;
    if (s->events.corners.count > 0) cd_warn_beyond(s->system.data, NULL, s->report);
    if (cd_events_settle(&s->events, &s->x)) {
        cd_point_copy(&s->system, &s->x, &s->events.x);
        s->summary->stop_met = true;
        return cd_tell_event(s, &s->events.watch[s->events.count - 1]);
    }
    int lost;
    if ((status = look_at_bearings(s, &s->x, &lost))) return cd_run_failed(s, status);
    if (lost != CARDAN_NONE) return cd_fail_bearing(s->system.data, lost, s->x.t, CARDAN_INCONSISTENT, s->report);
    cd_bearings_keep(&s->bearings);
    cd_note_size(&s->system, s->integrator, s->report);
    cd_leave_start(s);
    if ((status = cd_begin_turning(s))) return status;
    cd_confirm(s, &s->x, s->row);
    for (;;) {
        status = cd_run_begin(s);
        while (s->x.t < s->run.end && !s->summary->stop_met && !status) status = advance(s);
        if (!status && !s->summary->stop_met) status = cd_give_rows(s, s->x.t);
        if (!cd_confirm_fails(s, status)) return status;
        cd_confirm_return(s, status);
        if ((status = cd_begin_turning(s))) return status;
    }
}

static void close_summary(simulation* s, cardan_status status, double began)
{
    cardan_summary* summary      = s->summary;
    summary->status              = status;
    summary->rejected            = s->system.rejected;
    summary->evaluations         = s->system.evaluations;
    summary->generated           = s->system.generated;
    summary->jacobians           = s->system.jacobians;
    summary->generated_jacobians = s->system.generated_jacobians;
    summary->jacobian_wall       = s->system.jacobian_wall;
    summary->steps += s->system.more_steps;
    summary->regularized = s->system.regularizing.result;
    summary->energy_drift =
        s->system.data ? cd_balance_drift(&s->balance, s->system.data->m, s->system.data->length) : 0;
    summary->wall = cd_clock_wall() - began;
}

// Where gaps are pulled back, rows that repeat others disagree by the gap, and soft ones answer with the mean of what
// they say: errors do not follow the tolerance below that. The drift of the energy is an estimate of them.
static void warn_soft_rows(const simulation* s, const cardan_data* data)
{
    const double most = 30; // tolerances: other runs stay below
    if (!(data->formulation->supports & CD_SOFTENS) || !s->stabilization || !(s->stabilization->pull > 0)) return;
    if (!s->integrator->adaptive || s->system.firmness.fewest <= 0) return;
    if (!(s->summary->energy_drift > most * s->system.tolerance)) return;
    cardan_warn(s->report, CARDAN_CODE_ENERGY_ERROR, cardan_nowhere(),
                "the run is accurate to about %.1g, by the drift of its energy, not to the tolerance of %.1g: "
                "constraints of '%s' repeat each other, and '%s' does not close them where stabilization '%s' pulls "
                "gaps back; take stabilization 'projection', or another formulation",
                s->summary->energy_drift, s->system.tolerance, data->m->view.name, data->formulation->name,
                s->stabilization->name);
}

cardan_status cardan_simulate(cardan_data* data, const cardan_run* run, cardan_summary* summary, cardan_report* report)
{
    cardan_summary unused;
    if (!summary) summary = &unused;
    *summary = (cardan_summary){.status = CARDAN_BAD_USAGE};
    CD_REFUSE_NULL(data, "data", report);
    CD_REFUSE_NULL(run, "run", report);
    const double began = cd_clock_wall();
    simulation   s     = {.summary = summary, .report = report, .asked = run->gap > 0};
    *summary           = (cardan_summary){.t = run->start};

    cardan_status status = cd_settings_complete(run, &s.run, report);
    if (!status) status = cd_settings_check(data, run, report);
    if (!status) status = cd_stabilization_fits(cd_stabilization_at(s.run.stabilization), data, report);
    if (!status) status = cd_law_end_find(&s.end, data, &s.run, report);
    if (!status) status = cd_instants_find(&s.instants, &s.end, data, &s.run, report);
    if (!status) {
        s.last_row = cd_last_row(&s.run);
        if (!s.run.drive) cd_warn_curves(data, s.run.start, s.run.end, false, report);
        if (cd_simulation_prepare(&s, data))
            status = cd_law_end_tell(&s.end, data, go(&s), summary->stop_met, report);
        else
            status = cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_nowhere(),
                                 "there is no memory for the run");
        cd_stand_in_finish(&s);
        if (s.work && s.integrator->finish) s.integrator->finish(s.work);
    }
    free(s.work);
    free(s.steady);
    cd_law_end_release(&s.end);
    cd_instants_release(&s.instants);
    if (s.events.corners.watch) cd_corners_release(&s.system, &s.events.corners);
    data->pull         = 0;
    data->held         = NULL;
    data->near         = false;
    data->forces_known = false;
    cd_arena_release(&s.arena);
    cd_note_stiffness(&s.system, report);
    if (!status) cd_chatter_warn(&s.chatter, &s.system, report);
    cd_chatter_close(&s.chatter);
    cd_warn_gap(&s.system, report);
    if (!status) cd_warn_open(&s.widest, s.asked ? s.run.gap : 0, report);
    close_summary(&s, status, began);
    if (!status) {
        warn_soft_rows(&s, data);
        const double tolerance = s.integrator->adaptive ? s.system.tolerance : 0;
        return summary->status = cd_balance_tell(&s.balance, summary->energy_drift, tolerance, report);
    }
    if (status != CARDAN_STOPPED && summary->rows > 0 && data->closure.ndriving == 0)
        cd_balance_note(summary->energy_drift, s.integrator->adaptive, report);
    return status;
}
