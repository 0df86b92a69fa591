// SPDX-License-Identifier: BSD-3-Clause
// Accelerations and their derivatives for users, and the messages about failed solutions.
#include "explain/explain.h"

#include "core/check_arguments.h"
#include "dynamics/contacts/rigid_contacts.h"
#include "dynamics/derivatives/dynamics_derivatives.h"
#include "dynamics/rank/robust_solve.h"
#include "model/reaction_signals.h"

#include <math.h>

static cardan_location joint_location(const cardan_model* m, int j)
{
    return j < m->view.njoint ? m->view.joint[j].location : cardan_location_none();
}

static cardan_status fail_not_finite(const cardan_data* d, const cd_failure* failure, cardan_report* report)
{
    const cardan_model* m = d->m;
    int                 local;
    if (failure->velocity != CARDAN_NONE) {
        const int j = cardan_model_joint_of_velocity(m, failure->velocity, &local);
        return cardan_fail(report, CARDAN_NOT_FINITE, CARDAN_CODE_NOT_FINITE, joint_location(m, j),
                           "at t = %g s the acceleration of joint '%s' (coordinate %d) is not finite", failure->t,
                           m->joint[j].name, local + 1);
    }
    for (int j = 0; j < m->njoint; ++j)
        for (int i = 0; m->tree_range[j].q >= 0 && i < m->tree_range[j].nq; ++i)
            if (!isfinite(d->q[m->tree_range[j].q + i]))
                return cardan_fail(report, CARDAN_NOT_FINITE, CARDAN_CODE_NOT_FINITE, joint_location(m, j),
                                   "at t = %g s joint '%s' has no position: coordinate %d is not finite", failure->t,
                                   m->joint[j].name, i + 1);
    return CARDAN_NOT_FINITE;
}

static cardan_status fail_drift(const cardan_data* d, const cd_failure* failure, cardan_report* report)
{
    const int            i = cd_constraint_of_row(&d->constraints, failure->row);
    const cd_constraint* c = &d->constraints.constraint[i == CARDAN_NONE ? 0 : i];
    return cardan_fail(report, CARDAN_INCONSISTENT, CARDAN_CODE_CONSTRAINT_DRIFT, c->location,
                       "at t = %.9g s the constraints of '%s' have drifted, to violations of %.2g m or rad and %.2g "
                       "m/s or rad/s: redundant constraints are inconsistent there, as %s '%s'; use stabilization by "
                       "projection, which prevents drift",
                       failure->t, d->m->view.name, d->violations.position_si, d->violations.velocity_si, c->category,
                       c->name);
}

// Losses of a worm gear: the failed row is that of the gear, else the first gear is named.
static cardan_status fail_jammed(const cardan_data* d, const cd_failure* failure, cardan_report* report)
{
    const cd_constraint* c = NULL;
    for (int i = 0; i < d->constraints.nconstraint; ++i) {
        const cd_constraint* gear = &d->constraints.constraint[i];
        if (gear->has_losses && (!c || gear->first_row == failure->row)) c = gear;
    }
    return cardan_fail(report, CARDAN_NOT_CONVERGED, CARDAN_CODE_GEAR_JAMMED, c->location,
                       "constraint '%s': at t = %g s it jams: its losses exceed the driving power, whichever side "
                       "drives; increase its efficiencies",
                       c->name, failure->t);
}

// Forces that read reactions: joint, reader and reason.
static cardan_status fail_reaction(const cardan_data* d, const cd_failure* failure, cardan_report* report)
{
    const cd_reaction_loads* l      = &d->reaction_loads;
    const cd_reaction_reader reader = cd_reader_of_reaction(d->m, l->failed);
    const char*              joint  = d->m->joint[d->m->view.signal[d->m->reaction_signal[l->failed]].a].name;
    if (failure->code == CARDAN_CODE_REACTION_NOT_UNIQUE)
        return cardan_fail(report, failure->status, failure->code, reader.location,
                           "%s '%s' reads the reaction of joint '%s', which is not unique at t = %g s: %s",
                           reader.category, reader.name, joint, failure->t,
                           l->too_large
                               ? "the joint is part of loops, and the mechanism is too large to decide whether "
                                 "their constraints determine it"
                               : "redundant constraints let a self-stress change it; 'cardan check' names them "
                                 "and joints that remove them");
    return cardan_fail(
        report, failure->status, failure->code, reader.location,
        "%s '%s' reads the reaction of joint '%s': at t = %g s %s; reduce the dependence of the force on "
        "the load, such as a coefficient of friction",
        reader.category, reader.name, joint, failure->t,
        l->several ? "several loads satisfy the equations, so that the motion is not determined"
                   : "the iteration finds no load that satisfies the equations (the friction jams)");
}

// An iteration that ended before the row residual was small enough, or another failure of the formulation.
static cardan_status fail_not_converged(const cardan_data* d, const cd_failure* failure, cardan_report* report)
{
    const int i = cd_constraint_of_row(&d->constraints, failure->row);
    if (failure->status != CARDAN_NOT_CONVERGED)
        return cardan_fail(report, failure->status, CARDAN_CODE_SOLVE_NOT_CONVERGED, cardan_location_none(),
                           "at t = %g s '%s' finds no solution for '%s': %s", failure->t, d->formulation->name,
                           d->m->view.name, cardan_status_text(failure->status));
    if (i == CARDAN_NONE)
        return cardan_fail(report, CARDAN_NOT_CONVERGED, CARDAN_CODE_SOLVE_NOT_CONVERGED, cardan_location_none(),
                           "at t = %g s the iteration of '%s' does not converge for '%s'", failure->t,
                           d->formulation->name, d->m->view.name);
    const cd_constraint* c = &d->constraints.constraint[i];
    return cardan_fail(report, CARDAN_NOT_CONVERGED, CARDAN_CODE_SOLVE_NOT_CONVERGED, c->location,
                       "at t = %.9g s the iteration of '%s' does not satisfy %s '%s': its acceleration residual is "
                       "%.2g m/s^2 or rad/s^2; use another formulation, or check the constraints of the mechanism",
                       failure->t, d->formulation->name, c->category, c->name, failure->residual);
}

cardan_status cd_explain_acceleration(cardan_data* d, const cd_failure* failure, cardan_report* report)
{
    switch (failure->code) {
    case CARDAN_CODE_UNDECIDABLE_RANK:
        return cardan_fail(report, CARDAN_INCONSISTENT, CARDAN_CODE_UNDECIDABLE_RANK, cardan_location_none(),
                           "at t = %g s accelerations of '%s' depend on the last digits of its description: %s",
                           failure->t, d->m->view.name, d->settings.undecidable_rank_message);
    case CARDAN_CODE_NOT_FINITE:
        return fail_not_finite(d, failure, report);
    case CARDAN_CODE_ZERO_INERTIA:
        return cd_fail_zero_inertia(d, failure->velocity, report);
    case CARDAN_CODE_INCONSISTENT_CONSTRAINTS:
        return cd_fail_inconsistent_constraints(d, failure->row, report);
    case CARDAN_CODE_CONSTRAINT_DRIFT:
        return fail_drift(d, failure, report);
    case CARDAN_CODE_GEAR_JAMMED:
        return fail_jammed(d, failure, report);
    case CARDAN_CODE_REACTION_NOT_UNIQUE:
    case CARDAN_CODE_REACTION_NOT_SOLVED:
        return fail_reaction(d, failure, report);
    case CARDAN_CODE_CONTACT_NOT_SOLVED:
        return cd_fail_contact(d, failure, report);
    case CARDAN_CODE_SOLVE_NOT_CONVERGED:
        return fail_not_converged(d, failure, report);
    default:
        return failure->status;
    }
}

cardan_status cardan_data_accelerate(cardan_data* d, double* a, double* state_rate, cardan_report* report)
{
    cd_failure failure;
    CD_REQUIRE_POINTER(d, "data", report);
    CD_REQUIRE_ARRAY(a, d->m->nv, "a", report);
    const cardan_status status = cd_accelerate_robust(d, a, state_rate, &failure);
    return status && report ? cd_explain_acceleration(d, &failure, report) : status;
}

static cardan_status refuse_gear_losses(const cardan_data* d, cardan_report* report)
{
    for (int i = 0; i < d->constraints.nconstraint; ++i) {
        const cd_constraint* c = &d->constraints.constraint[i];
        if (c->has_losses)
            return cardan_fail(
                report, CARDAN_UNSUPPORTED, CARDAN_CODE_NOT_SUPPORTED, c->location,
                "%s '%s' has losses that depend on its load, which derivatives of accelerations do not support",
                c->category, c->name);
    }
    return CARDAN_OK;
}

cardan_status cardan_derivatives_of_forward_dynamics(cardan_derivatives* w, double* a,
                                                     const cardan_forward_dynamics_jacobians* jacobians,
                                                     cardan_report*                           report)
{
    cd_failure failure;
    CD_REQUIRE_POINTER(w, "derivatives", report);
    CD_REQUIRE_POINTER(jacobians, "jacobians", report);
    cardan_data*  d      = cd_derivatives_data(w);
    cardan_status status = refuse_gear_losses(d, report);
    if (status == CARDAN_OK)
        status = cd_refuse_reaction_signals(d->m, "which derivatives of accelerations do not support", report);
    if (status == CARDAN_OK)
        status = cd_refuse_rigid_contacts(d->m, "which derivatives of accelerations do not support", report);
    if (status != CARDAN_OK) return status;
    status = cd_derivatives_accelerate(w, &failure);
    if (status != CARDAN_OK) return cd_explain_acceleration(d, &failure, report);
    status = cd_derivatives_of_accelerations(w, a, jacobians);
    if (status == CARDAN_OK) return status;
    return cardan_fail(report, status, CARDAN_CODE_SOLVE_NOT_CONVERGED, cardan_location_none(),
                       "at t = %g s '%s' cannot solve for the derivatives of the accelerations of '%s': %s", d->t,
                       d->formulation->name, d->m->view.name, cardan_status_text(status));
}
