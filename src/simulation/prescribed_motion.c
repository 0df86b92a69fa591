// SPDX-License-Identifier: BSD-3-Clause
// Kinematic analysis: drivers prescribe all motion, c(q, t) = 0 has as many independent equations as there are
// velocities.
//
//   predicted   q + h v + h^2/2 a
//   corrected   by Newton's method: J dq = -c(q, t + h)
//   then        J v = -c_t,   J a = gamma                   exactly, by the formulation's factor
//
// Source: Nikravesh 1988, section 4.3; Haug 1989, section 4.5. The solution is continued along its branch: a step is
// halved if it rotates a body by more than half a radian, if its correction is not small compared with the
// prediction, or if the velocities after it do not agree with the accelerations. If halving does not help, no motion
// satisfies the drivers.
#include "core/clock.h"
#include "assembly/curve_branch.h"
#include "dynamics/rows/curve_domain.h"
#include "dynamics/winding_numbers.h"
#include "simulation/simulation.h"

#include "core/check_arguments.h"
#include "dynamics/projection/near_singular_projection.h"
#include "dynamics/reactions/driver_efforts.h"
#include "dynamics/rows/constraint_update.h"
#include "dynamics/rows/joint_coordinates.h"
#include "dynamics/state.h"
#include "explain/explain.h"
#include "simulation/simulation_errors.h"
#include "simulation/events/discontinuities.h"
#include "simulation/singularity/singular_events.h"
#include "simulation/singularity/singular_standstill.h"

#include <cardan/assemble.h>
#include <cardan/kinematics.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const cardan_projection_options tight_projection = {.position_tolerance = 1e-14, .velocity_tolerance = 1e-13};

typedef struct prescribed_motion {
    cd_simulation      s; // settings, output, and the monitors; without integrator, stabilization and events
    cardan_data*       d;
    double             t;
    double *           q, *v, *a;               // at the present state, solved
    double *           q1, *v1, *a1;            // at the end of the trial step
    double *           dq, *displacement_scale; // (nv) radians or lengths are dq * displacement_scale
    double             h;                       // [s] last accepted step
    cd_winding_numbers winding;                 // at the present state
    bool               monitors_singularities;  // the mechanism has constraints to monitor
    bool*              beyond_curve_end;        // (nconstraint) points beyond the ends of their curves, reported
} prescribed_motion;

static void layout(prescribed_motion* p)
{
    const cardan_model* m     = p->d->m;
    cd_arena*           arena = &p->s.arena;
    CD_ARENA_ARRAY(arena, p->q, m->nq);
    CD_ARENA_ARRAY(arena, p->v, m->nv);
    CD_ARENA_ARRAY(arena, p->a, m->nv);
    CD_ARENA_ARRAY(arena, p->q1, m->nq);
    CD_ARENA_ARRAY(arena, p->v1, m->nv);
    CD_ARENA_ARRAY(arena, p->a1, m->nv);
    CD_ARENA_ARRAY(arena, p->dq, m->nv);
    CD_ARENA_ARRAY(arena, p->displacement_scale, m->nv);
    CD_ARENA_ARRAY(arena, p->beyond_curve_end, p->d->constraints.nconstraint);
    cd_winding_numbers_layout(p->d, arena, &p->winding);
    if (!p->monitors_singularities) return;
    cd_ode_system_layout(&p->s.system, arena);
    cd_monitors_layout(&p->s, arena);
    cd_ode_state_layout(&p->s.system, arena, &p->s.x);
    CD_ARENA_ARRAY(arena, p->s.rate, p->s.system.nz);
}

static double scaled_max(const prescribed_motion* p, const double* x)
{
    double largest = 0;
    for (int i = 0; i < p->d->m->nv; ++i)
        if (!(fabs(x[i] * p->displacement_scale[i]) <= largest)) largest = fabs(x[i] * p->displacement_scale[i]);
    return largest;
}

static cardan_status set_state(prescribed_motion* p, double t, const double* q, const double* v)
{
    if (p->s.run.driver_callback) p->s.run.driver_callback(p->s.run.user, p->d, t);
    return cd_data_set_state(p->d, t, q, v, p->d->state);
}

// Set a trial state from the saved winding numbers: rejected steps and states inside a step do not count revolutions.
static cardan_status restore_and_set_state(prescribed_motion* p, double t, const double* q, const double* v)
{
    cd_winding_numbers_restore(&p->winding, p->d);
    return set_state(p, t, q, v);
}

static void count_winding(prescribed_motion* p)
{
    cd_update_off_tree_joints(p->d);
    cd_winding_numbers_save(p->d, &p->winding);
}

// ---- singular configurations

// Store the state in the form that the monitors read.
static void store_state(prescribed_motion* p, double t, const double* q, const double* v)
{
    p->s.x.t = t;
    memcpy(p->s.x.q, q, (size_t)p->s.system.nq * sizeof *q);
    memcpy(p->s.x.z, v, (size_t)p->s.system.nv * sizeof *v);
    if (p->s.system.ns) memcpy(p->s.x.z + p->s.system.nv, p->d->state, (size_t)p->s.system.ns * sizeof *v);
    p->s.x.z[p->s.system.nz - 1] = 0;
}

// Compute accelerations at (t, q, v), near singular configurations by the limit as in simulation runs: q and v are
// replaced by the projected ones there.
static bool accelerate(prescribed_motion* p, double t, double* q, double* v, double* a)
{
    if (!p->monitors_singularities) return cardan_data_accelerate(p->d, a, NULL, NULL) == CARDAN_OK;
    store_state(p, t, q, v);
    if (cd_rhs_by_library(&p->s.system, t, p->s.x.q, p->s.x.z, p->s.rate)) return false;
    memcpy(a, p->s.rate, (size_t)p->s.system.nv * sizeof *a);
    memcpy(q, p->d->q, (size_t)p->s.system.nq * sizeof *q);
    memcpy(v, p->d->v, (size_t)p->s.system.nv * sizeof *v);
    cd_singular_limit_velocities(&p->s.system, v);
    return true;
}

// State inside the last step, which started where the swapped arrays are; the monitors project it onto the
// constraints.
static cardan_status dense_output(cd_ode_system* system, void* work, double t, cd_ode_state* x)
{
    const prescribed_motion* p  = work;
    const double             dt = t - (p->t - p->h);
    for (int i = 0; i < system->nv; ++i) {
        p->dq[i] = dt * (p->v1[i] + dt / 2 * p->a1[i]);
        x->z[i]  = p->v1[i] + dt * p->a1[i];
    }
    x->t = t;
    cardan_model_integrate_position(system->model, p->q1, p->dq, x->q);
    memcpy(x->z + system->nv, p->s.x.z + system->nv, (size_t)(system->nz - system->nv) * sizeof *x->z);
    return CARDAN_OK;
}

static const cd_integrator kinematic_integrator = {.name = "kinematics", .dense_output = dense_output};

// Change of velocities in the last step that the accelerations at its ends do not explain, relative to the
// velocities.
static double velocity_bend(const prescribed_motion* p)
{
    const double largest = fmax(scaled_max(p, p->v), scaled_max(p, p->v1));
    for (int i = 0; i < p->d->m->nv; ++i) p->dq[i] = p->v[i] - p->v1[i] - p->h / 2 * (p->a[i] + p->a1[i]);
    return largest > 0 ? scaled_max(p, p->dq) / largest : 0;
}

// Hand the last step to the monitors, with the factor at its end.
static void monitor_last_step(prescribed_motion* p)
{
    if (!p->monitors_singularities) return;
    store_state(p, p->t, p->q, p->v);
    p->s.step.from          = p->t - p->h;
    p->s.step.velocity_bend = p->h > 0 ? velocity_bend(p) : 0;
    cd_monitors_check(&p->s, CD_PHASE_STABILIZED);
}

// ---- the start

static cardan_status fail_underconstrained(prescribed_motion* p, int count, const double* motion)
{
    cardan_data* d       = p->d;
    const int    nv      = d->m->nv;
    int          joint   = CARDAN_NONE;
    double       largest = 0, q[CARDAN_JOINT_VELOCITIES_MAX + 1], v[CARDAN_JOINT_VELOCITIES_MAX];
    memcpy(p->v1, motion, (size_t)nv * sizeof *motion);
    cd_data_set_velocity(d, p->v1);
    for (int j = 0; j < d->m->njoint; ++j) {
        cardan_data_joint_state(d, j, q, v);
        for (int i = 0; i < d->m->joint_range[j].nv && d->m->joint_range[j].q >= 0; ++i) {
            const bool   is_rotation = strcmp(cardan_model_v_unit(d->m, j, i), "rad/s") == 0;
            const double speed       = fabs(v[i]) / (is_rotation ? 1 : d->units.length_scale);
            if (speed <= largest * (1 + 1e-6)) continue;
            largest = speed;
            joint   = j;
        }
    }
    cd_data_set_velocity(d, p->v);
    char freedom_text[40];
    snprintf(freedom_text, sizeof freedom_text, "%s%d degree%s", count > 20 ? "more than " : "",
             count > 20 ? 20 : count, count == 1 ? "" : "s");
    return cardan_fail(p->s.report, CARDAN_BAD_INPUT, CARDAN_CODE_MOTION_NOT_PRESCRIBED,
                       joint >= 0 && joint < d->m->view.njoint ? d->m->view.joint[joint].location
                                                               : cardan_location_none(),
                       "the motion of '%s' is not completely prescribed: at t = %g s it still has %s of freedom, joint "
                       "'%s' can move; add a driver for it, or simulate the model",
                       d->m->view.name, d->t, freedom_text, joint >= 0 ? d->m->joint[joint].name : "?");
}

// Check that no motion is free. At a singular start the degrees of freedom are counted at a node near it.
static cardan_status check_degrees_of_freedom(prescribed_motion* p)
{
    int        count;
    const bool near_singular = p->monitors_singularities && p->d->settings.near_singular;
    if (near_singular && !cd_singular_limit_leave_start(&p->s.system)) cd_singular_limit_restore_state(&p->s.system);
    const cardan_status status = cardan_data_degrees_of_freedom(p->d, 21, &count, p->dq, p->s.report);
    if (near_singular) cd_singular_limit_restore_state(&p->s.system);
    cd_set_near_singular(&p->s.system, near_singular);
    return status == CARDAN_OK && count > 0 ? fail_underconstrained(p, count, p->dq) : status;
}

static cardan_status assemble_start(prescribed_motion* p)
{
    cardan_data* d = p->d;
    double       position, velocity;
    cd_choose_curve_branches(d, NULL);
    cd_scaled_violations(d, &position, &velocity);
    if (position <= cd_start_violation && velocity <= cd_start_violation)
        return cardan_data_project(d, NULL, p->q, p->v, NULL, p->s.report);
    if (p->s.run.q) return cardan_data_project(d, NULL, p->q, p->v, NULL, p->s.report);
    return cardan_data_assemble(d, NULL, p->q, p->v, NULL, p->s.report);
}

static cardan_status accelerate_start(prescribed_motion* p)
{
    if (p->monitors_singularities && p->d->settings.near_singular && accelerate(p, p->t, p->q, p->v, p->a))
        return CARDAN_OK;
    const cardan_status status = cardan_data_accelerate(p->d, p->a, NULL, p->s.report);
    if (status == CARDAN_OK && p->monitors_singularities) cd_conditioning_update(&p->s.system);
    return status;
}

static cardan_status start(prescribed_motion* p)
{
    cardan_data*        d = p->d;
    const cardan_model* m = d->m;
    memcpy(p->q, p->s.run.q ? p->s.run.q : m->q_start, (size_t)m->nq * sizeof *p->q);
    memcpy(p->v, p->s.run.v ? p->s.run.v : m->v_start, (size_t)m->nv * sizeof *p->v);
    if (m->nstate > 0)
        memcpy(d->state, p->s.run.state ? p->s.run.state : m->state_start, (size_t)m->nstate * sizeof *d->state);
    p->t                       = cd_discontinuity_time_after(&p->s.discontinuities, p->s.run.start);
    d->settings.baumgarte_rate = 0;
    cardan_status status       = set_state(p, p->t, p->q, p->v);
    for (int i = 0; i < m->nv; ++i)
        p->displacement_scale[i] = v3_dot(d->k.S[i].a, d->k.S[i].a) > 0 ? 1 : 1 / d->units.length_scale;
    if (status == CARDAN_OK) status = assemble_start(p);
    if (status == CARDAN_OK && p->monitors_singularities) {
        store_state(p, p->t, p->q, p->v);
        status = cd_monitors_start(&p->s, CD_START_STATE);
    }
    if (status == CARDAN_OK) status = check_degrees_of_freedom(p);
    for (int i = 0; i < d->constraints.nconstraint; ++i) p->beyond_curve_end[i] = false;
    if (status == CARDAN_OK && !p->s.run.driver_callback) cd_warn_beyond_curve_end(d, p->beyond_curve_end, p->s.report);
    if (status == CARDAN_OK && p->monitors_singularities)
        cd_singular_standstill_check_start(&p->s.singularity.standstill, &p->s.singularity.events, &p->s.system);
    if (status == CARDAN_OK) status = accelerate_start(p);
    if (status == CARDAN_OK) count_winding(p);
    if (status == CARDAN_OK) monitor_last_step(p);
    if (m->nstate > 0)
        cardan_note(p->s.report, CARDAN_CODE_STATES_CONSTANT, cardan_location_none(),
                    "states of '%s' keep their start values: a kinematic analysis does not integrate them",
                    m->view.name);
    return status;
}

// ---- a step

// Project the trial state onto the constraints; near a singular configuration with well-conditioned rows only.
static bool project_state(prescribed_motion* p)
{
    const bool near_singular = p->monitors_singularities && p->d->settings.near_singular;
    if (!near_singular && cardan_data_project(p->d, &tight_projection, NULL, p->v1, NULL, NULL) == CARDAN_OK)
        return true;
    if (!p->monitors_singularities || cd_project_near_singular(p->d)) return false;
    memcpy(p->v1, p->d->v, (size_t)p->d->m->nv * sizeof *p->v1);
    return true;
}

// Check that accelerations are bounded: at the limit of the workspace they are unbounded relative to the velocities.
// Away from singular configurations the accelerations of the driver functions themselves may be arbitrary: a driver
// that starts from standstill has a large ratio.
static bool acceleration_is_bounded(prescribed_motion* p, double h)
{
    const double time = fmax(h, 1e-6 * p->s.run.output_interval),
                 limit =
                     cd_acceleration_ratio_max * (scaled_max(p, p->v) + scaled_max(p, p->v1)) + cd_min_step_fraction;
    if (time * scaled_max(p, p->a1) <= limit) return true;
    if ((p->monitors_singularities && cd_is_near_singular(&p->s.system)) || !cd_driver_accelerations(p->d, p->dq))
        return false;
    for (int i = 0; i < p->d->m->nv; ++i) p->dq[i] -= p->a1[i];
    return time * scaled_max(p, p->dq) <= limit;
}

static bool try_step(prescribed_motion* p, double h)
{
    cardan_data* d  = p->d;
    const int    nv = d->m->nv;
    for (int i = 0; i < nv; ++i) {
        p->dq[i] = h * (p->v[i] + h / 2 * p->a[i]);
        p->v1[i] = p->v[i] + h * p->a[i];
    }
    if (!(scaled_max(p, p->dq) <= (p->monitors_singularities ? cd_prediction_max_monitored : cd_prediction_max)))
        return false;
    cardan_model_integrate_position(d->m, p->q, p->dq, p->q1);
    memcpy(p->a1, p->v1, (size_t)nv * sizeof *p->a1);
    if (restore_and_set_state(p, p->t + h, p->q1, p->v1) != CARDAN_OK || !project_state(p)) return false;
    double violation;
    cd_scaled_violations(d, &violation, NULL);
    // near a singular configuration the projection may accept violations
    if (violation > cd_redundant_row_tolerance(&d->policy, cd_driver_redundancy_tolerance) * d->units.length_scale /
                        d->units.length_unit)
        return false;
    cardan_model_position_difference(d->m, p->q1, d->q, p->dq);
    const double corrected = scaled_max(p, p->dq);
    if (!(corrected <= cd_correction_max)) return false;
    memcpy(p->q1, d->q, (size_t)d->m->nq * sizeof *p->q1);
    for (int i = 0; i < nv; ++i) p->dq[i] = h * (p->v1[i] - p->a1[i]);
    if (!(scaled_max(p, p->dq) <= cd_velocity_change_max)) return false;
    if (!accelerate(p, p->t + h, p->q1, p->v1, p->a1)) return false;
    if (p->monitors_singularities && cd_is_near_singular(&p->s.system) &&
        !(corrected <= cd_correction_max_near_singular))
        return false;
    return acceleration_is_bounded(p, h);
}

// Report drivers that conflict: slightly later than the present state the conflict is larger.
static bool drivers_conflict(prescribed_motion* p)
{
    static const double fraction[]     = {0.01, 0.1, 1};
    const double        velocity_scale = scaled_max(p, p->v),
                 duration =
                     velocity_scale > 0 ? fmin(cd_prediction_max_monitored / velocity_scale, p->s.run.end - p->t) : 0;
    for (size_t i = 0; i < sizeof fraction / sizeof *fraction &&
                       (p->monitors_singularities || !p->s.system.has_constraints) && duration > 0;
         ++i)
        if (restore_and_set_state(p, p->t + fraction[i] * duration, p->q, p->v) == CARDAN_OK &&
            cardan_data_project(p->d, NULL, NULL, NULL, NULL, NULL) == CARDAN_NOT_CONVERGED &&
            cd_report_inconsistent_drivers(
                p->d, p->monitors_singularities ? p->s.system.conditioning.rank_deficiency_generic : -1, p->t,
                p->s.report))
            return true;
    return false;
}

// Report the failure; the last state reached shows which drivers are at their limit.
static cardan_status fail_step(prescribed_motion* p)
{
    if (cd_driver_domain_report_failure(&p->s.driver_domain, p->d, p->t, CARDAN_NOT_CONVERGED, p->s.report))
        return CARDAN_NOT_CONVERGED;
    if (drivers_conflict(p)) return CARDAN_NOT_CONVERGED;
    if (set_state(p, p->t, p->q, p->v) == CARDAN_OK) cardan_data_accelerate(p->d, p->a1, NULL, NULL);
    return cd_fail_driver_limit(p->d, CARDAN_NOT_CONVERGED, p->s.report);
}

static void accept_step(prescribed_motion* p, double t)
{
    double *q = p->q, *v = p->v, *a = p->a;
    p->q  = p->q1;
    p->v  = p->v1;
    p->a  = p->a1;
    p->q1 = q;
    p->v1 = v;
    p->a1 = a;
    p->t  = t;
    ++p->s.summary->steps;
}

// Cross the discontinuity at the present time: after a velocity jump, velocities are those behind it.
static cardan_status cross_discontinuity(prescribed_motion* p)
{
    const cd_discontinuity_kind crossed =
        cd_discontinuity_cross(&p->s.discontinuities, cd_min_step(&p->s.system, p->t), &p->t);
    const bool velocity_jumps = crossed == CD_DISCONTINUITY_VELOCITY;
    if (crossed == CD_DISCONTINUITY_NONE) return CARDAN_OK;
    if (velocity_jumps && p->monitors_singularities && cd_is_near_singular(&p->s.system))
        cd_warn_impulse_near_singular(p->t, p->s.report);
    cardan_status status = restore_and_set_state(p, p->t, p->q, p->v);
    if (!status && velocity_jumps) status = cardan_data_project(p->d, NULL, p->q, p->v, NULL, p->s.report);
    if (!status && !accelerate(p, p->t, p->q, p->v, p->a)) status = fail_step(p);
    if (status || !p->monitors_singularities || !velocity_jumps) return status;
    store_state(p, p->t, p->q, p->v);
    return cd_monitors_start(&p->s, CD_START_VELOCITY_JUMP);
}

static cardan_status advance_to(prescribed_motion* p, double due)
{
    while (p->t < due) {
        const double limit     = fmin(due, cd_discontinuity_step_limit(&p->s.discontinuities, p->t)),
                     remaining = limit - p->t;
        double h               = p->h > 0 && 2 * p->h < remaining ? 2 * p->h : remaining;
        while (!try_step(p, h)) {
            ++p->s.summary->rejected_steps;
            h /= 2;
            if (h < cd_min_step_fraction * p->s.run.output_interval) return fail_step(p);
        }
        p->h = h;
        accept_step(p, h == remaining ? limit : p->t + h);
        if (!p->s.run.driver_callback) cd_warn_beyond_curve_end(p->d, p->beyond_curve_end, p->s.report);
        count_winding(p);
        monitor_last_step(p);
        const cardan_status status = cross_discontinuity(p);
        if (status) return status;
        if (p->s.run.progress_callback && !p->s.run.progress_callback(p->s.run.user, p->t)) return CARDAN_STOPPED;
    }
    return CARDAN_OK;
}

// ---- samples

// Solve again at the present state, for reactions and efforts. A limit found near a singular configuration is the
// value of the sample.
static cardan_status solve_sample(prescribed_motion* p)
{
    const bool uses_limit = p->monitors_singularities && p->s.system.singular_limit.applied_t == p->t;
    const bool has_limit_reactions =
        p->monitors_singularities && cd_singular_limit_evaluate_reactions(&p->s.system, p->t, 0);
    if (has_limit_reactions) restore_and_set_state(p, p->t, p->q, p->v);
    const cardan_status status = cardan_data_accelerate(p->d, p->a, NULL, uses_limit ? NULL : p->s.report);
    if (!uses_limit && status) return status;
    if (uses_limit) cd_singular_limit_apply(&p->s.system, p->a);
    if (has_limit_reactions) cd_singular_limit_apply_reactions(&p->s.system);
    if (p->s.summary->samples == 0 && p->s.singularity.standstill.is_standstill)
        cd_singular_limit_invalidate_reactions(&p->s.system);
    return CARDAN_OK;
}

// Output the sample of time t; the present state is that of t up to round-off.
static cardan_status output_sample(prescribed_motion* p, double t)
{
    cardan_data*  d      = p->d;
    cardan_status status = restore_and_set_state(p, p->t, p->q, p->v);
    if (status == CARDAN_OK) status = solve_sample(p);
    if (status != CARDAN_OK) return status;
    const cardan_energies energy = cardan_data_energy(d);
    const double          total  = energy.kinetic + energy.potential;
    cardan_run_summary*   s      = p->s.summary;
    double                position, velocity;
    cardan_data_constraint_violation(d, &position, &velocity);
    s->max_position_violation = fmax(s->max_position_violation, position);
    s->max_velocity_violation = fmax(s->max_velocity_violation, velocity);
    if (s->samples++ == 0) s->energy_start = total;
    s->energy_end              = total;
    s->t                       = t;
    const cardan_sample sample = {
        .t = t, .q = p->q, .v = p->v, .a = p->a, .state = d->state, .energy = energy, .work = total - s->energy_start};
    if (p->s.run.sample_callback && !p->s.run.sample_callback(p->s.run.user, d, &sample)) return CARDAN_STOPPED;
    s->stop_condition_met =
        p->s.run.stop_condition != CARDAN_NONE && cardan_data_evaluate_expression(d, p->s.run.stop_condition) > 0;
    return CARDAN_OK;
}

static cardan_status run_motion(prescribed_motion* p)
{
    cardan_status status = start(p);
    if (status == CARDAN_OK) status = output_sample(p, p->s.run.start);
    for (long k = 1; k <= cd_last_sample(&p->s.run) && status == CARDAN_OK && !p->s.summary->stop_condition_met; ++k) {
        const double due = cd_sample_time(&p->s.run, k);
        status           = advance_to(p, due);
        if (status == CARDAN_OK) status = output_sample(p, due);
    }
    return status;
}

// Allocate all memory and run.
static cardan_status prepare_and_run(prescribed_motion* p)
{
    cd_simulation* s = &p->s;
    cd_ode_system_init(&s->system, p->d, &s->run);
    s->is_prescribed   = true;
    s->integrator      = &kinematic_integrator;
    s->integrator_work = p;
    bool good          = cd_monitors_select(s);
    if (good) {
        p->monitors_singularities = s->monitors.count > 0;
        layout(p);
        good = cd_arena_reserve(&s->arena);
    }
    if (!good)
        return cardan_fail(s->report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_location_none(),
                           "out of memory for the motion of '%s'", p->d->m->view.name);
    layout(p);
    if (p->monitors_singularities) cd_ode_system_set_error_scales(&s->system);
    cd_monitors_start(s, CD_START_MEMORY);
    return cd_driver_domain_final_status(&s->driver_domain, p->d, run_motion(p), s->summary->stop_condition_met,
                                         s->report);
}

cardan_status cardan_kinematic_analysis(cardan_data* data, const cardan_run_settings* run, cardan_run_summary* summary,
                                        cardan_report* report)
{
    cardan_run_summary unused;
    if (!summary) summary = &unused;
    *summary = (cardan_run_summary){.status = CARDAN_BAD_USAGE};
    CD_REQUIRE_POINTER(data, "data", report);
    CD_REQUIRE_POINTER(run, "run", report);
    const double      began = cd_clock_wall();
    prescribed_motion p     = {.d = data, .s = {.summary = summary, .report = report}};
    cd_simulation*    s     = &p.s;
    *summary                = (cardan_run_summary){0};
    cardan_status status    = cd_settings_complete(run, &s->run, report);
    if (status == CARDAN_OK) status = cd_settings_check(data, run, report);
    if (status == CARDAN_OK) status = cardan_model_check_state(data->m, run->start, run->q, run->v, run->state, report);
    if (status == CARDAN_OK) status = cd_driver_domain_find(&s->driver_domain, data, &s->run, report);
    if (status == CARDAN_OK)
        status = cd_discontinuity_times_find(&s->discontinuities, &s->driver_domain, data, &s->run, report);
    if (status == CARDAN_OK) {
        if (!s->run.driver_callback) cd_warn_driven_curves(data, s->run.start, s->run.end, true, report);
        status = prepare_and_run(&p);
    }
    status = cd_monitors_finish(s, status);
    cd_arena_release(&s->arena);
    cd_driver_domain_release(&s->driver_domain);
    cd_discontinuity_times_release(&s->discontinuities);
    data->settings.near_singular = false;
    summary->status              = status;
    summary->wall_time           = cd_clock_wall() - began;
    return status;
}
