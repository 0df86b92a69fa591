// SPDX-License-Identifier: BSD-3-Clause
// Kinematic analysis: drivers prescribe all motion, c(q, t) = 0 has as many independent equations as there are
// velocities.
//
//   predicted   q + h v + h^2/2 a
//   corrected   by Newton's method: J dq = -c(q, t + h)
//   then        J v = -c_t,   J a = gamma                   exactly, by the formulation's factor
//
// Source: Nikravesh 1988, section 4.3; Haug 1989, section 4.5. The solution is followed along its branch: a step that
// turns something by more than half a radian, whose correction is not small beside it, or after which velocities are
// not what the accelerations said, is halved. Where halving does not help there is no motion that follows the drivers.
#include "core/clock.h"
#include "dynamics/curve_branch.h"
#include "dynamics/curve_ends.h"
#include "dynamics/turns.h"
#include "motion/settings.h"

#include "core/arguments.h"
#include "motion/failure.h"
#include "motion/instants.h"
#include "motion/passage.h"
#include "motion/resting.h"

#include <cardan/assemble.h>
#include <cardan/kinematics.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const double longest = 0.5, apart = 0.01; // rad or lengths: predicted in one step, corrected. Branches that meet
                                                 // at a singular pose are farther apart soon
static const double between =
    0.2; // the same where singular poses may be passed: directions are followed from look to look
static const double closer = 1e-6; // the same near singular poses, where they are not
static const double torn   = 0.2;  // change of velocity in a step that accelerations do not explain, times the step
static const double smooth = 0.03; // of velocities: what accelerations at both ends of a step do not explain of a
                                   // change that takes its time, however fast it is
static const double wild = 10; // velocities of a step, over those that come of its last accelerations: at the very end
                               // of reach these have no limit
static const double least = 1e-10; // part of the time between rows that is worth a step

static const cardan_projection closely = {.position = 1e-14, .velocity = 1e-13};

typedef struct driven {
    cardan_data*    d;
    cardan_run      run; // complete
    cd_arena        arena;
    double          t;
    double *        q, *v, *a;    // where it is, solved
    double *        q1, *v1, *a1; // where it goes
    double *        dq, *unit;    // (nv) radians or lengths are dq * unit
    double          h;            // [s] last step that did
    cd_turns        turns;        // where it is
    cd_system       system;       // its looks at singular poses,
    cd_passage      passage;      // what they tell,
    cd_resting      resting;
    cd_point        x;      // and where
    double*         rate;   // (nz)
    bool            looks;  // there are any
    double          kink;   // largest part of a change of velocity, since the last firm pose, that is not smooth
    bool*           beyond; // (nconstraint) points beyond the ends of their curves, told
    cd_law_end      end;
    cd_instants     instants;
    cardan_summary* summary;
    cardan_report*  report;
} driven;

static void layout(driven* p)
{
    const cardan_model* m     = p->d->m;
    cd_arena*           arena = &p->arena;
    CD_TAKE(arena, p->q, m->nq);
    CD_TAKE(arena, p->v, m->nv);
    CD_TAKE(arena, p->a, m->nv);
    CD_TAKE(arena, p->q1, m->nq);
    CD_TAKE(arena, p->v1, m->nv);
    CD_TAKE(arena, p->a1, m->nv);
    CD_TAKE(arena, p->dq, m->nv);
    CD_TAKE(arena, p->unit, m->nv);
    CD_TAKE(arena, p->beyond, p->d->closure.nconstraint);
    cd_turns_layout(p->d, arena, &p->turns);
    if (!p->looks) return;
    cd_system_layout(&p->system, arena);
    cd_firmness_layout(&p->system, arena);
    cd_beside_layout(&p->system, arena);
    cd_passage_layout(&p->system, arena, &p->passage);
    cd_rest_layout(&p->system, arena, &p->resting);
    CD_TAKE(arena, p->x.q, m->nq);
    CD_TAKE(arena, p->x.z, p->system.nz);
    CD_TAKE(arena, p->rate, p->system.nz);
}

static double largest(const driven* p, const double* x)
{
    double most = 0;
    for (int i = 0; i < p->d->m->nv; ++i)
        if (!(fabs(x[i] * p->unit[i]) <= most)) most = fabs(x[i] * p->unit[i]);
    return most;
}

static cardan_status set(driven* p, double t, const double* q, const double* v)
{
    if (p->run.drive) p->run.drive(p->run.user, p->d, t);
    return cd_data_set(p->d, t, q, v, p->d->state);
}

// Steps that come to nothing, and looks inside those that do, count no turns.
static cardan_status set_anew(driven* p, double t, const double* q, const double* v)
{
    cd_turns_return(&p->turns, p->d);
    return set(p, t, q, v);
}

static void count_turns(driven* p)
{
    cd_know_measured(p->d);
    cd_turns_keep(p->d, &p->turns);
}

// ---- singular poses

// A point of a run, as whoever looks at runs wants it.
static void place(driven* p, double t, const double* q, const double* v)
{
    p->x.t = t;
    memcpy(p->x.q, q, (size_t)p->system.nq * sizeof *q);
    memcpy(p->x.z, v, (size_t)p->system.nv * sizeof *v);
    if (p->system.ns) memcpy(p->x.z + p->system.nv, p->d->state, (size_t)p->system.ns * sizeof *v);
    p->x.z[p->system.nz - 1] = 0;
}

// Accelerations at (t, q, v), with the care that steps of runs take near singular poses: q and v are what comes of them
// there.
static bool accelerate(driven* p, double t, double* q, double* v, double* a)
{
    if (!p->looks) return cardan_accelerate(p->d, a, NULL, NULL) == CARDAN_OK;
    place(p, t, q, v);
    if (cd_system_rate(&p->system, t, p->x.q, p->x.z, p->rate)) return false;
    memcpy(a, p->rate, (size_t)p->system.nv * sizeof *a);
    memcpy(q, p->d->q, (size_t)p->system.nq * sizeof *q);
    memcpy(v, p->d->v, (size_t)p->system.nv * sizeof *v);
    cd_beside_velocities(&p->system, v);
    return true;
}

// Inside the last step, which began where the swapped arrays are: what is looked at there is put on the constraints
// first.
static cardan_status inside(cd_system* system, void* work, double t, cd_point* x)
{
    const driven* p  = work;
    const double  dt = t - (p->t - p->h);
    for (int i = 0; i < system->nv; ++i) {
        p->dq[i] = dt * (p->v1[i] + dt / 2 * p->a1[i]);
        x->z[i]  = p->v1[i] + dt * p->a1[i];
    }
    x->t = t;
    cardan_model_move(system->model, p->q1, p->dq, x->q);
    memcpy(x->z + system->nv, p->x.z + system->nv, (size_t)(system->nz - system->nv) * sizeof *x->z);
    return CARDAN_OK;
}

static const cd_integrator follower = {.name = "kinematics", .inside = inside};

// How much of the change of velocities in the last step the accelerations at its ends do not explain.
static double kink_of(const driven* p)
{
    const double most = fmax(largest(p, p->v), largest(p, p->v1));
    for (int i = 0; i < p->d->m->nv; ++i) p->dq[i] = p->v[i] - p->v1[i] - p->h / 2 * (p->a[i] + p->a1[i]);
    return most > 0 ? largest(p, p->dq) / most : 0;
}

// What was passed in the step that ended where p is, by the factor there. A motion that was smooth at every step has
// turned into no other branch, however suddenly it seems to from afar.
static void look_back(driven* p)
{
    cd_passage* passage = &p->passage;
    if (!p->looks) return;
    place(p, p->t, p->q, p->v);
    p->kink = fmax(p->kink, p->h > 0 ? kink_of(p) : 0);
    cd_passage_look(passage, &p->system, (cd_within){&follower, p, p->t - p->h, NULL, 0}, &p->x);
    cd_rest_look(&p->resting, passage, &p->system, &p->x, 0, p->report);
    for (int i = 0; i < passage->nevent; ++i) {
        const cardan_event* event = &passage->event[i];
        if (event->kind == CARDAN_EVENT_BRANCH && p->kink < smooth) continue;
        ++p->summary->events;
        if (p->run.event) p->run.event(p->run.user, p->d, event);
        if (event->kind == CARDAN_EVENT_BRANCH) cd_warn_branch(event, p->report);
    }
    if (passage->place == CD_FIRM) p->kink = 0;
}

// ---- the start

static cardan_status fail_free(driven* p, int count, const double* motion)
{
    cardan_data* d     = p->d;
    const int    nv    = d->m->nv;
    int          joint = CARDAN_NONE;
    double       most  = 0, q[CARDAN_JOINT_MAX + 1], v[CARDAN_JOINT_MAX];
    memcpy(p->v1, motion, (size_t)nv * sizeof *motion);
    cd_set_velocity(d, p->v1);
    for (int j = 0; j < d->m->njoint; ++j) {
        cardan_joint_state(d, j, q, v);
        for (int i = 0; i < d->m->place[j].nv && d->m->place[j].q >= 0; ++i) {
            const bool   turns = strcmp(cardan_model_v_unit(d->m, j, i), "rad/s") == 0;
            const double speed = fabs(v[i]) / (turns ? 1 : d->length);
            if (speed <= most * (1 + 1e-6)) continue;
            most  = speed;
            joint = j;
        }
    }
    cd_set_velocity(d, p->v);
    char left[40];
    snprintf(left, sizeof left, "%s%d degree%s", count > 20 ? "more than " : "", count > 20 ? 20 : count,
             count == 1 ? "" : "s");
    return cardan_fail(p->report, CARDAN_BAD_INPUT, CARDAN_CODE_MOTION_NOT_PRESCRIBED,
                       joint >= 0 && joint < d->m->view.njoint ? d->m->view.joint[joint].place : cardan_nowhere(),
                       "nothing prescribes the motion of '%s' completely: at t = %g s it has %s of freedom left, joint "
                       "'%s' can move; drive it "
                       "too, or simulate what is free",
                       d->m->view.name, d->t, left, joint >= 0 ? d->m->joint[joint].name : "?");
}

// What a singular start leaves free is counted beside it.
static cardan_status check_freedom(driven* p)
{
    int        count;
    const bool near = p->looks && p->d->near;
    if (near && !cd_beside_leave(&p->system)) cd_beside_return(&p->system);
    const cardan_status status = cardan_freedom(p->d, 21, &count, p->dq, p->report);
    if (near) cd_beside_return(&p->system);
    p->d->near = near;
    return status == CARDAN_OK && count > 0 ? fail_free(p, count, p->dq) : status;
}

static cardan_status close_start(driven* p)
{
    cardan_data* d = p->d;
    double       position, velocity;
    cd_take_branches(d, NULL);
    cd_gaps(d, &position, &velocity);
    if (position <= 1e-8 && velocity <= 1e-8) return cardan_project(d, NULL, p->q, p->v, NULL, p->report);
    if (p->run.q) return cardan_project(d, NULL, p->q, p->v, NULL, p->report);
    return cardan_assemble(d, NULL, p->q, p->v, NULL, p->report);
}

static cardan_status accelerate_start(driven* p)
{
    if (p->looks && p->d->near && accelerate(p, p->t, p->q, p->v, p->a)) return CARDAN_OK;
    const cardan_status status = cardan_accelerate(p->d, p->a, NULL, p->report);
    if (status == CARDAN_OK && p->looks) cd_firmness_look(&p->system);
    return status;
}

static cardan_status start(driven* p)
{
    cardan_data*        d = p->d;
    const cardan_model* m = d->m;
    memcpy(p->q, p->run.q ? p->run.q : m->q_start, (size_t)m->nq * sizeof *p->q);
    memcpy(p->v, p->run.v ? p->run.v : m->v_start, (size_t)m->nv * sizeof *p->v);
    if (m->nstate > 0)
        memcpy(d->state, p->run.state ? p->run.state : m->state_start, (size_t)m->nstate * sizeof *d->state);
    p->t                 = cd_instant_behind(&p->instants, p->run.start);
    d->pull              = 0;
    cardan_status status = set(p, p->t, p->q, p->v);
    for (int i = 0; i < m->nv; ++i) p->unit[i] = v3_dot(d->k.S[i].a, d->k.S[i].a) > 0 ? 1 : 1 / d->length;
    if (status == CARDAN_OK) status = close_start(p);
    if (status == CARDAN_OK && p->looks) cd_beside_start(&p->system);
    if (status == CARDAN_OK) status = check_freedom(p);
    for (int i = 0; i < d->closure.nconstraint; ++i) p->beyond[i] = false;
    if (status == CARDAN_OK && !p->run.drive) cd_warn_beyond(d, p->beyond, p->report);
    if (status == CARDAN_OK && p->looks) cd_rest_begin(&p->resting, &p->passage, &p->system);
    if (status == CARDAN_OK) status = accelerate_start(p);
    if (status == CARDAN_OK) count_turns(p);
    if (status == CARDAN_OK) look_back(p);
    if (m->nstate > 0)
        cardan_note(p->report, CARDAN_CODE_STATES_CONSTANT, cardan_nowhere(),
                    "states of '%s' stay at their start values: nothing is integrated", m->view.name);
    return status;
}

// ---- a step

// Onto the constraints; near a singular pose as far as they can be believed.
static bool close_gaps(driven* p)
{
    const bool near = p->looks && p->d->near;
    if (!near && cardan_project(p->d, &closely, NULL, p->v1, NULL, NULL) == CARDAN_OK) return true;
    if (!p->looks || cd_approach(p->d)) return false;
    memcpy(p->v1, p->d->v, (size_t)p->d->m->nv * sizeof *p->v1);
    return true;
}

// At the very end of reach accelerations have no limit beside velocities. Those that laws ask for themselves may be
// what they like, away from singular poses: a law that sets out from rest does so at once.
static bool has_limit(driven* p, double h)
{
    const double time = fmax(h, 1e-6 * p->run.output), most = wild * (largest(p, p->v) + largest(p, p->v1)) + least;
    if (time * largest(p, p->a1) <= most) return true;
    if ((p->looks && cd_passage_within(&p->system)) || !cd_law_accelerations(p->d, p->dq)) return false;
    for (int i = 0; i < p->d->m->nv; ++i) p->dq[i] -= p->a1[i];
    return time * largest(p, p->dq) <= most;
}

static bool follow(driven* p, double h)
{
    cardan_data* d  = p->d;
    const int    nv = d->m->nv;
    for (int i = 0; i < nv; ++i) {
        p->dq[i] = h * (p->v[i] + h / 2 * p->a[i]);
        p->v1[i] = p->v[i] + h * p->a[i];
    }
    if (!(largest(p, p->dq) <= (p->looks ? between : longest))) return false;
    cardan_model_move(d->m, p->q, p->dq, p->q1);
    memcpy(p->a1, p->v1, (size_t)nv * sizeof *p->a1);
    if (set_anew(p, p->t + h, p->q1, p->v1) != CARDAN_OK || !close_gaps(p)) return false;
    double left;
    cd_gaps(d, &left, NULL);
    // near a singular pose a projection lets gaps be
    if (left > cd_missed_part(&d->rows, cd_gap_of_laws) * d->length / d->small) return false;
    cardan_model_difference(d->m, p->q1, d->q, p->dq);
    const double corrected = largest(p, p->dq);
    if (!(corrected <= apart)) return false;
    memcpy(p->q1, d->q, (size_t)d->m->nq * sizeof *p->q1);
    for (int i = 0; i < nv; ++i) p->dq[i] = h * (p->v1[i] - p->a1[i]);
    if (!(largest(p, p->dq) <= torn)) return false;
    if (!accelerate(p, p->t + h, p->q1, p->v1, p->a1)) return false;
    if (p->looks && cd_passage_within(&p->system) && !(corrected <= closer)) return false;
    return has_limit(p, h);
}

// A little further on drivers that have come to contradict each other do so by more.
static bool drivers_contradict(driven* p)
{
    static const double part[] = {0.01, 0.1, 1};
    const double        fast = largest(p, p->v), far = fast > 0 ? fmin(between / fast, p->run.end - p->t) : 0;
    for (size_t i = 0; i < sizeof part / sizeof *part && (p->looks || !p->system.loops) && far > 0; ++i)
        if (set_anew(p, p->t + part[i] * far, p->q, p->v) == CARDAN_OK &&
            cardan_project(p->d, NULL, NULL, NULL, NULL, NULL) == CARDAN_NOT_CONVERGED &&
            cd_drivers_contradict(p->d, p->looks ? p->system.firmness.fewest : -1, p->t, p->report))
            return true;
    return false;
}

// The last state that was reached says which drivers ask for too much.
static cardan_status fail_followed(driven* p)
{
    if (cd_law_ends(&p->end, p->d, p->t, CARDAN_NOT_CONVERGED, p->report)) return CARDAN_NOT_CONVERGED;
    if (drivers_contradict(p)) return CARDAN_NOT_CONVERGED;
    if (set(p, p->t, p->q, p->v) == CARDAN_OK) cardan_accelerate(p->d, p->a1, NULL, NULL);
    return cd_fail_demand(p->d, CARDAN_NOT_CONVERGED, p->report);
}

static void take(driven* p, double t)
{
    double *q = p->q, *v = p->v, *a = p->a;
    p->q  = p->q1;
    p->v  = p->v1;
    p->a  = p->a1;
    p->q1 = q;
    p->v1 = v;
    p->a1 = a;
    p->t  = t;
    ++p->summary->steps;
}

// Over what jumps where p has come to: velocities are those behind a jump of the rate of a law.
static cardan_status pass_instant(driven* p)
{
    const cd_passed passed  = cd_instant_pass(&p->instants, cd_least_step(&p->system, p->t), &p->t);
    const bool      strikes = passed == CD_RATE_PASSED;
    if (passed == CD_NONE_PASSED) return CARDAN_OK;
    if (strikes && p->looks && cd_passage_within(&p->system)) cd_warn_weak_kink(p->t, p->report);
    cardan_status status = set_anew(p, p->t, p->q, p->v);
    if (!status && strikes) status = cardan_project(p->d, NULL, p->q, p->v, NULL, p->report);
    if (!status && !accelerate(p, p->t, p->q, p->v, p->a)) status = fail_followed(p);
    if (status || !p->looks || !strikes) return status;
    place(p, p->t, p->q, p->v);
    cd_passage_struck(&p->passage, &p->system, &p->x);
    return CARDAN_OK;
}

static cardan_status go_to(driven* p, double due)
{
    while (p->t < due) {
        const double limit = fmin(due, cd_instant_limit(&p->instants, p->t)), rest = limit - p->t;
        double       h = p->h > 0 && 2 * p->h < rest ? 2 * p->h : rest;
        while (!follow(p, h)) {
            ++p->summary->rejected;
            h /= 2;
            if (h < least * p->run.output) return fail_followed(p);
        }
        p->h = h;
        take(p, h == rest ? limit : p->t + h);
        if (!p->run.drive) cd_warn_beyond(p->d, p->beyond, p->report);
        count_turns(p);
        look_back(p);
        const cardan_status status = pass_instant(p);
        if (status) return status;
        if (p->run.progress && !p->run.progress(p->run.user, p->t)) return CARDAN_STOPPED;
    }
    return CARDAN_OK;
}

// ---- rows

// Once more where p is, for reactions and efforts. What was found beside a singular pose is that of the row.
static cardan_status solve_row(driven* p)
{
    const bool beside = p->looks && p->system.beside.last == p->t;
    const bool reacts = p->looks && cd_beside_react(&p->system, p->t, 0);
    if (reacts) set_anew(p, p->t, p->q, p->v);
    const cardan_status status = cardan_accelerate(p->d, p->a, NULL, beside ? NULL : p->report);
    if (!beside && status) return status;
    if (beside) cd_beside_take(&p->system, p->a);
    if (reacts) cd_beside_give(&p->system);
    if (p->summary->rows == 0 && p->resting.rests) cd_beside_doubt(&p->system);
    return CARDAN_OK;
}

// The row of time t, which is that of p but for rounding.
static cardan_status give_row(driven* p, double t)
{
    cardan_data*  d      = p->d;
    cardan_status status = set_anew(p, p->t, p->q, p->v);
    if (status == CARDAN_OK) status = solve_row(p);
    if (status != CARDAN_OK) return status;
    const cardan_energies energy = cardan_energy(d);
    const double          total  = energy.kinetic + energy.potential;
    cardan_summary*       s      = p->summary;
    double                position, velocity;
    cardan_closure_error(d, &position, &velocity);
    s->closure_position = fmax(s->closure_position, position);
    s->closure_velocity = fmax(s->closure_velocity, velocity);
    if (s->rows++ == 0) s->energy_start = total;
    s->energy_end        = total;
    s->t                 = t;
    const cardan_row row = {
        .t = t, .q = p->q, .v = p->v, .a = p->a, .state = d->state, .energy = energy, .work = total - s->energy_start};
    if (p->run.row && !p->run.row(p->run.user, d, &row)) return CARDAN_STOPPED;
    s->stop_met = p->run.stop != CARDAN_NONE && cardan_evaluate(d, p->run.stop) > 0;
    return CARDAN_OK;
}

static void begin_looks(driven* p)
{
    cd_system_scale(&p->system);
    cd_firmness_begin(&p->system);
    cd_beside_begin(&p->system);
}

static cardan_status go(driven* p)
{
    cardan_status status = start(p);
    if (status == CARDAN_OK) status = give_row(p, p->run.start);
    for (long k = 1; k <= cd_last_row(&p->run) && status == CARDAN_OK && !p->summary->stop_met; ++k) {
        const double due = cd_row_time(&p->run, k);
        status           = go_to(p, due);
        if (status == CARDAN_OK) status = give_row(p, due);
    }
    return status;
}

cardan_status cardan_kinematics(cardan_data* data, const cardan_run* run, cardan_summary* summary,
                                cardan_report* report)
{
    cardan_summary unused;
    if (!summary) summary = &unused;
    *summary = (cardan_summary){.status = CARDAN_BAD_USAGE};
    CD_REFUSE_NULL(data, "data", report);
    CD_REFUSE_NULL(run, "run", report);
    const double began   = cd_clock_wall();
    driven       p       = {.d = data, .summary = summary, .report = report};
    *summary             = (cardan_summary){0};
    cardan_status status = cd_settings_complete(run, &p.run, report);
    if (status == CARDAN_OK) status = cd_settings_check(data, run, report);
    if (status == CARDAN_OK) status = cardan_model_check_state(data->m, run->start, run->q, run->v, run->state, report);
    if (status == CARDAN_OK) status = cd_law_end_find(&p.end, data, &p.run, report);
    if (status == CARDAN_OK) status = cd_instants_find(&p.instants, &p.end, data, &p.run, report);
    if (status == CARDAN_OK) {
        if (!p.run.drive) cd_warn_curves(data, p.run.start, p.run.end, true, report);
        cd_system_open(&p.system, data, &p.run);
        p.looks = p.system.loops && !p.run.drive; // laws from outside are not known beside
        layout(&p);
        if (cd_arena_reserve(&p.arena)) {
            layout(&p);
            if (p.looks) begin_looks(&p);
            status = cd_law_end_tell(&p.end, data, go(&p), summary->stop_met, report);
        } else {
            status = cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_nowhere(),
                                 "no memory for the motion of '%s'", data->m->view.name);
        }
    }
    cd_arena_release(&p.arena);
    cd_law_end_release(&p.end);
    cd_instants_release(&p.instants);
    data->near      = false;
    summary->status = status;
    summary->wall   = cd_clock_wall() - began;
    return status;
}
