// SPDX-License-Identifier: BSD-3-Clause
#include "motion/failure.h"
#include "motion/sparse_slopes.h"

#include "dynamics/data.h"
#include "motion/stabilization.h"

#include <cardan/assemble.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME = 160, AHEAD = 3, REACH_HALVINGS = 20 };

static const double look_ahead[AHEAD] = {1e-4, 1e-3, 1e-2}; // of the longest step
static const double not_far           = 0.1; // [rad, lengths] a pose farther away on the way may be missed from here

static const double gaping = 1e-4; // of the mechanism's size

static int joint_of_coordinate(const cd_system* system, int q)
{
    const cardan_model_view view = cardan_model_look(system->model);
    for (int j = 0; j < view.nslot; ++j)
        if (view.slot[j].q >= 0 && q >= view.slot[j].q && q < view.slot[j].q + view.slot[j].nq) return j;
    return CARDAN_NONE;
}

// The joint where the trouble is, or CARDAN_NONE.
static int joint_of_trouble(const cd_system* system)
{
    const int nq = system->nq, nv = system->nv, at = system->trouble;
    int       local = 0;
    if (at >= nq && at < nq + nv) return cardan_model_joint_of_velocity(system->model, at - nq, &local);
    return at >= 0 && at < nq ? joint_of_coordinate(system, at) : CARDAN_NONE;
}

static cardan_place place_of_trouble(const cd_system* system)
{
    const int joint = joint_of_trouble(system);
    return joint >= 0 && joint < system->said.njoint ? system->said.joint[joint].place : cardan_nowhere();
}

// "joint 'hinge'", "state 'filter'", or "the motion" where nothing is known.
static void name_trouble(const cd_system* system, char text[NAME])
{
    const int nq = system->nq, nv = system->nv, at = system->trouble;
    const int joint = joint_of_trouble(system);
    snprintf(text, NAME, "the motion");
    if (at >= nq + nv && at < nq + nv + system->ns) {
        snprintf(text, NAME, "state '%s'", system->said.state[at - nq - nv].name);
        return;
    }
    if (joint != CARDAN_NONE)
        snprintf(text, NAME, "%s '%s'", joint < cardan_model_look(system->model).njoint ? "joint" : "body",
                 cardan_model_joint_name(system->model, joint));
}

// A force whose formula gave no number at the last state, which was one, or CARDAN_NONE.
static int force_without_value(const cd_system* system)
{
    const double* component = system->data->rates;
    if (!cd_is_bounded(system->nq, system->data->q) || !cd_is_bounded(system->nv, system->data->v)) return CARDAN_NONE;
    for (int i = 0; i < system->said.nforce; ++i, component += 3)
        for (int k = 0; k < 3; ++k)
            if (!isfinite(component[k])) return i;
    return CARDAN_NONE;
}

static cardan_status diverged(const cd_system* system, const cd_integrator* integrator, double step,
                              cardan_report* report)
{
    const double t     = system->trouble_t;
    const double value = system->trouble_value;
    const int    force = force_without_value(system);
    char         where[NAME], what[80];
    name_trouble(system, where);
    if (force != CARDAN_NONE && !isfinite(value))
        return cardan_fail(report, CARDAN_DIVERGED, CARDAN_CODE_DIVERGED, system->said.force[force].place,
                           "the motion diverged at t = %.9g s: force '%s' has no value, its formula is not defined "
                           "there or grows without bound, and %s is no longer a finite number",
                           t, system->said.force[force].name, where);
    snprintf(what, sizeof what, isfinite(value) ? "has grown to %.3g" : "is no longer a finite number", value);
    if (integrator->adaptive)
        return cardan_fail(
            report, CARDAN_DIVERGED, CARDAN_CODE_DIVERGED, place_of_trouble(system),
            "the motion diverged at t = %.9g s: %s %s; look for a force that grows without bound or a formula "
            "that is not defined there",
            t, where, what);
    return cardan_fail(
        report, CARDAN_DIVERGED, CARDAN_CODE_DIVERGED, place_of_trouble(system),
        "the motion diverged at t = %.9g s: %s %s; try a step smaller than %.3g s, or an integrator that chooses "
        "its steps (dopri5; cvode-bdf for stiff springs and dampers)",
        t, where, what, step);
}

static cardan_status too_small(const cd_system* system, const cd_integrator* integrator, cardan_report* report)
{
    char                where[NAME];
    const cardan_status told =
        system->loops ? cd_fail_undetermined(system->data, system->trouble_t, CARDAN_STEP_TOO_SMALL, report)
                      : CARDAN_OK;
    if (told != CARDAN_OK) return told;
    name_trouble(system, where);
    const bool stiff_method = strcmp(integrator->name, "cvode-bdf") == 0 || strcmp(integrator->name, "ida") == 0;
    return cardan_fail(
        report, CARDAN_STEP_TOO_SMALL, CARDAN_CODE_STEP_TOO_SMALL, cardan_nowhere(),
        "at t = %.9g s no step is small enough for the tolerance %.3g; the error is largest at %s; try %s, "
        "or look for a force that jumps there",
        system->trouble_t, system->tolerance, where,
        stiff_method ? "a larger tolerance" : "cvode-bdf (stiff springs and dampers), a larger tolerance");
}

// What the dynamics say about the state they failed at: the data are still there.
static cardan_status of_dynamics(const cd_system* system, cardan_status status, cardan_report* report)
{
    if (cardan_accelerate(system->data, system->a, NULL, report)) return status;
    return cardan_fail(report, status, CARDAN_CODE_RUN_FAILED, cardan_nowhere(), "at t = %.9g s: %s", system->trouble_t,
                       cardan_status_text(status));
}

bool cd_beyond_reach(const cd_system* system)
{
    cardan_data* d = system->data;
    char         who[300];
    if (!system->loops || cd_demanding(d, CARDAN_NONE, who, sizeof who) == CARDAN_NONE) return false;
    const double t = d->t, fast = cd_fastest(system, d->v), most = fast > 0 ? not_far / fast : INFINITY;
    double       gap;
    cd_gaps(d, &gap, NULL);
    for (int i = 0; i < AHEAD; ++i) {
        cd_data_set(d, t + fmin(look_ahead[i] * system->max_step, most), d->q, d->v, d->state);
        const cardan_status status = cardan_project(d, NULL, NULL, NULL, NULL, NULL);
        if (status != CARDAN_NOT_CONVERGED && (status == CARDAN_OK || gap < cd_gap_endured)) continue;
        d->t = t;
        return true;
    }
    d->t = t;
    return false;
}

// ---- methods that endure gaps

static bool closes_at(cardan_data* d, double t, const cardan_start* start, bool near)
{
    d->t = t;
    cd_data_set(d, t, d->q, d->v, d->state);
    const cardan_status status = near ? cd_assemble_near(d, start) : cardan_assemble(d, start, NULL, NULL, NULL, NULL);
    return status != CARDAN_INCONSISTENT;
}

// Where loops do not close at t, from `start` on: the drivers, and the last time between `since` and t at which they
// do.
static cardan_status tell_reach(cardan_data* d, const cardan_start* start, bool near, double since, double t,
                                cardan_report* report)
{
    if (closes_at(d, t, start, near)) return CARDAN_OK;
    for (int i = 0; i < REACH_HALVINGS; ++i) {
        const double half = since + (t - since) / 2;
        if (closes_at(d, half, start, near))
            since = half;
        else
            t = half;
    }
    (void)closes_at(d, since, start, near);
    return cd_fail_demand(d, CARDAN_NOT_CONVERGED, report);
}

// A gap that no pose near the state of the data closes: then it is not the method's, drivers ask for the impossible.
cardan_status cd_open_for_good(const cd_system* system, double gap, double since, cardan_report* report)
{
    cardan_data* d = system->data;
    char         who[300];
    if (!(gap > gaping * fmin(1, d->length) / d->small) || cd_demanding(d, CARDAN_NONE, who, sizeof who) == CARDAN_NONE)
        return CARDAN_OK;
    cardan_start* start = cd_allocate((size_t)d->m->njoint + 1, sizeof *start);
    if (!start)
        return cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_nowhere(),
                           "no memory to tell why the motion failed");
    for (int j = 0; j < d->m->njoint; ++j) cardan_joint_state(d, j, start[j].q, start[j].v); // nothing is firm
    const cardan_status status = tell_reach(d, start, true, since, d->t, report);
    free(start);
    return status;
}

static cardan_status reach_from_start(cardan_data* d, cardan_start* start, double since, double t,
                                      cardan_report* report)
{
    for (int j = 0; j < d->m->njoint; ++j) {
        start[j]          = cardan_start_of(d->m, j);
        start[j].position = start[j].velocity = CARDAN_HOLD_LOOSE;
    }
    memcpy(d->q, d->m->q_start, (size_t)d->m->nq * sizeof *d->q);
    memset(d->v, 0, (size_t)d->m->nv * sizeof *d->v);
    return tell_reach(d, start, false, since, t, report);
}

// A motion without bound, or that broke its constraints, says nothing of where it was: whether any pose closes then is
// asked from the start on.
static cardan_status broke_beyond(const cd_system* system, double since, cardan_report* report)
{
    cardan_data* d = system->data;
    const size_t n = (size_t)(d->m->nq + d->m->nv);
    if (!system->loops || d->closure.ndriving == 0 || !isfinite(system->trouble_t)) return CARDAN_OK;
    cardan_start* start  = cd_allocate((size_t)d->m->njoint + 1, sizeof *start);
    double*       kept   = cd_allocate(n + 1, sizeof *kept);
    cardan_status status = CARDAN_OK;
    if (start && kept) {
        memcpy(kept, d->q, (size_t)d->m->nq * sizeof *kept);
        memcpy(kept + d->m->nq, d->v, (size_t)d->m->nv * sizeof *kept);
        status = reach_from_start(d, start, since, system->trouble_t, report);
        if (!status) cd_data_set(d, system->trouble_t, kept, kept + d->m->nq, d->state);
    } else {
        status = cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_nowhere(),
                             "no memory to tell why the motion failed");
    }
    free(start);
    free(kept);
    return status;
}

cardan_status cd_motion_failed(const cd_system* system, const cd_integrator* integrator, double since, double step,
                               cardan_status status, cardan_report* report)
{
    if (status != CARDAN_NO_MEMORY && cd_beyond_reach(system))
        return cd_fail_demand(system->data, CARDAN_NOT_CONVERGED, report);
    const bool          broke  = status == CARDAN_DIVERGED || status == CARDAN_INCONSISTENT;
    const cardan_status beyond = broke ? broke_beyond(system, since, report) : CARDAN_OK;
    if (beyond) return beyond;
    if (status == CARDAN_DIVERGED) return diverged(system, integrator, step, report);
    if (status == CARDAN_STEP_TOO_SMALL) return too_small(system, integrator, report);
    if (status == CARDAN_NO_MEMORY)
        return cardan_fail(report, status, CARDAN_CODE_OUT_OF_MEMORY, cardan_nowhere(),
                           "there is no memory for the integrator %s", integrator->name);
    return of_dynamics(system, status, report);
}

cardan_status cd_fail_wide(const cd_system* system, const cd_integrator* integrator, double t, cardan_status status,
                           cardan_report* report)
{
    return cardan_fail(
        report, status, CARDAN_CODE_PROJECTION_FAILED, cardan_nowhere(),
        "at t = %.9g s the loops of '%s' open so far within a step that they cannot be put back together; give %s", t,
        system->model->view.name,
        integrator->adaptive ? "a smaller tolerance" : "smaller steps, or an integrator of higher order");
}

cardan_status cd_fail_stuck(const cd_system* system, double t, const char* where, cardan_report* report)
{
    if (cd_fail_masses(system->data, CARDAN_STEP_TOO_SMALL, report)) return CARDAN_STEP_TOO_SMALL;
    const cardan_status told = cd_fail_undetermined(system->data, t, CARDAN_STEP_TOO_SMALL, report);
    if (told != CARDAN_OK) return told;
    return cardan_fail(report, CARDAN_STEP_TOO_SMALL, CARDAN_CODE_STEP_TOO_SMALL, cardan_nowhere(),
                       "at t = %.9g s the motion does not get on: near a singular pose of %s rounding is felt more "
                       "than the tolerance %.3g allows, and steps become ever "
                       "shorter; try a larger tolerance, or another formulation",
                       t, where, system->tolerance);
}

cardan_status cd_start_refused(const cd_system* system, cardan_report* report)
{
    char where[NAME];
    name_trouble(system, where);
    return cardan_fail(report, CARDAN_BAD_INPUT, CARDAN_CODE_INVALID_VALUE, place_of_trouble(system),
                       "%s cannot start at %g", where, system->trouble_value);
}

void cd_warn_branch(const cardan_event* event, cardan_report* report)
{
    cardan_warn(report, CARDAN_CODE_BRANCH_SWITCH, cardan_nowhere(),
                "at t = %.6g s, at a singular pose of %s, the motion turned into another branch, although its velocity "
                "should have carried it "
                "on: what follows is not the motion of this mechanism; try rk4, a smaller step or tolerance, or dopri5 "
                "with `lagrange`",
                event->t, event->where);
}

void cd_warn_rest(double t, const char* where, cardan_report* report)
{
    cardan_warn(
        report, CARDAN_CODE_STANDSTILL_AT_SINGULARITY, cardan_nowhere(),
        "at t = %.6g s the motion rests at a singular pose of %s: several branches begin there, and nothing but "
        "rounding decides which one it leaves on; let the law pass the pose with a velocity, or start or rest "
        "beside it",
        t, where);
}

void cd_warn_gap(const cd_system* system, cardan_report* report)
{
    const cardan_regularized* r = &system->regularizing.result;
    if (r->missed == 0) return;
    cardan_warn(report, CARDAN_CODE_VIOLATION_LIMIT, cardan_nowhere(),
                "%ld of %ld windows leave more than the gap of %g that was asked for, up to %.2g m or rad at t = %.6g "
                "s: give smaller steps, "
                "more iterations or a larger gap",
                r->missed, r->windows, system->regularizing.gap, r->missed_gap, r->missed_t);
}

void cd_name_row(const cardan_data* d, int row, char* text, size_t size)
{
    int i = 0;
    while (i < d->closure.nconstraint - 1 && d->closure.constraint[i + 1].first_row <= row) ++i;
    snprintf(text, size, "%s '%s'", d->closure.constraint[i].what, d->closure.constraint[i].name);
}

void cd_look_open(const cardan_data* d, double gap, cd_open_loop* widest)
{
    int row = 0;
    if (!(gap > widest->gap)) return;
    for (int i = 1; i < d->rows.nrow; ++i)
        if (fabs(d->closure.value[i]) > fabs(d->closure.value[row])) row = i;
    *widest = (cd_open_loop){.gap = gap, .part = d->open * d->small / fmin(1, d->length), .t = d->t};
    cd_name_row(d, row, widest->where, sizeof widest->where);
}

void cd_warn_open(const cd_open_loop* widest, double asked, cardan_report* report)
{
    if (!(widest->part > gaping) || widest->gap <= asked) return;
    cardan_warn(report, CARDAN_CODE_VIOLATION_LIMIT, cardan_nowhere(),
                "loops gape: %s is open by %.2g m or rad at t = %.6g s; give smaller steps, or a formulation that "
                "closes loops exactly with another integrator",
                widest->where, widest->gap, widest->t);
}

void cd_warn_opening(const cardan_event* event, double step, cardan_report* report)
{
    cardan_warn(report, CARDAN_CODE_VIOLATION_GROWTH, cardan_nowhere(),
                "from t = %.6g s on gaps grow from step to step, first at %s, %.2g m or rad: loads have become too "
                "high for steps of %.3g s, and what follows is not the motion of "
                "this mechanism; give smaller steps",
                event->t, event->where, event->value, step);
}

void cd_note_singular(const cd_system* system, const char* where, cardan_report* report)
{
    if (cd_fail_masses(system->data, CARDAN_SINGULAR, NULL)) return; // pivots are small for the masses
    cardan_note(report, CARDAN_CODE_NEAR_SINGULAR_CONFIGURATION, cardan_nowhere(),
                "near a singular pose of %s at t = %.9g s: constraints are about to depend on each other there", where,
                system->firmness.t);
}

void cd_note_size(const cd_system* system, const cd_integrator* integrator, cardan_report* report)
{
    const int n = system->nq + system->nz;
    if (integrator->dense && system->nv > 300 && !(integrator->sparse && cd_sparse_pays(system)))
        cardan_note(report, CARDAN_CODE_DENSE_JACOBIAN, cardan_nowhere(),
                    "%s solves with a dense Jacobian: for this mechanism of %d velocities each takes a factorization "
                    "of %d x %d; unless "
                    "its forces are stiff, dopri5 or cvode-adams will be far faster",
                    integrator->name, system->nv, n, n);
}

void cd_note_stiffness(const cd_system* system, cardan_report* report)
{
    if (system->stiff)
        cardan_note(
            report, CARDAN_CODE_STIFF, cardan_nowhere(),
            "the motion is stiff from t = %.3g s on: steps are short for stability, not for accuracy; cvode-bdf or "
            "ida may need far fewer",
            system->stiff_at);
}
