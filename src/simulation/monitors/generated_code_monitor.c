// SPDX-License-Identifier: BSD-3-Clause
// Check of generated code during a run. Pivots of loops were decided at the trace state, so the library evaluates
// too: at every sample and event before it is output, at the ends of the first steps, of every restart after an
// event, and after every thousand evaluations; with loops also at every projected state that the library evaluates
// for another purpose, at least one per step (guarded_evaluation.c), and generated code is used only where no singular
// configuration can be near. Where both agree, the state is saved as a checkpoint. Where they differ, or where the
// run fails, the run returns to the last checkpoint and continues with the library: nothing after the checkpoint was
// output.
#include "dynamics/dynamics_tolerances.h"
#include "dynamics/generated_evaluation.h"
#include "simulation/simulation.h"

#include <math.h>

// Evaluations between comparisons grow by this factor, up to this number.
enum { INTERVAL_GROWTH = 4, INTERVAL_MAX = 1000 };

void cd_compare_generated_code(cd_ode_system* system, const double* a)
{
    cardan_data* d = system->data;
    if (!system->has_constraints || !d->compiled.rhs || d->violations.position > cd_compared_violation_max ||
        !cd_is_far_from_singular(system, d->t, d->v))
        return;
    const double difference = cd_generated_rhs_error(d, a);
    if (difference <= system->code_check.difference_max) return;
    system->code_check.difference_max = difference;
    system->code_check.t              = d->t;
}

typedef struct generated_code_work {
    long    next_check;             // evaluation count of the next comparison
    long    check_interval;         // evaluations between comparisons
    bool    is_checked;             // the end of this step was compared
    bool    mismatch;               // code and library differ; relative difference, and time
    double  difference, mismatch_t; // [-, s]
    double* residual;               // scratch, if the residual is generated
} generated_code_work;

static bool applies(const cd_simulation* s)
{
    return !s->is_prescribed && (s->system.data->compiled.rhs || s->system.data->compiled.residual);
}

static void layout(cd_simulation* s, cd_arena* arena, void* work)
{
    const cd_ode_system* system = &s->system;
    generated_code_work* w      = work;
    cd_checkpoint_layout(s, arena);
    CD_ARENA_ARRAY(arena, w->residual,
                   system->data->compiled.residual ? 3 * (system->nv + system->ns + 3 * system->data->rows.nrow) : 0);
}

static bool uses_generated_code(const cardan_data* d) { return d->compiled.rhs || d->compiled.residual; }

// Compare at the state of the data with the accelerations of the system.
static cardan_status compare_solved_state(cd_simulation* s, generated_code_work* w)
{
    cardan_data* d = s->system.data;
    if (!uses_generated_code(d)) return CARDAN_OK;
    w->difference = cd_generated_rhs_error(d, s->system.a);
    if (d->settings.frozen_stops) w->difference = fmax(w->difference, cd_generated_residual_error(d, w->residual));
    w->mismatch_t = d->t;
    w->mismatch   = !(w->difference <= cd_generated_difference_tolerance);
    return w->mismatch ? CARDAN_STOPPED : CARDAN_OK;
}

static cardan_status at_output(cd_simulation* s, void* work, const cardan_sample* sample)
{
    (void)sample;
    return compare_solved_state(s, work);
}

// Compare at x. If the library fails, nothing is compared.
static cardan_status compare_at(cd_simulation* s, void* work, const cd_ode_state* x)
{
    cd_ode_system*       system = &s->system;
    generated_code_work* w      = work;
    if (!uses_generated_code(system->data)) return CARDAN_OK;
    if (system->code_check.difference_max > cd_generated_difference_tolerance) {
        w->difference = system->code_check.difference_max;
        w->mismatch_t = system->code_check.t;
        w->mismatch   = true;
        return CARDAN_STOPPED;
    }
    w->check_interval =
        w->check_interval < INTERVAL_MAX / INTERVAL_GROWTH ? INTERVAL_GROWTH * (w->check_interval + 1) : INTERVAL_MAX;
    w->next_check = system->statistics.generated_evaluations + w->check_interval;
    if (cd_simulation_set_state(s, x) || !cd_can_use_generated_residual(system->data)) return CARDAN_OK;
    return cardan_data_accelerate(system->data, system->a, NULL, NULL) ? CARDAN_OK : compare_solved_state(s, w);
}

static bool is_check_due(const cd_simulation* s, const generated_code_work* w)
{
    if (!uses_generated_code(s->system.data)) return false;
    return s->system.code_check.difference_max > cd_generated_difference_tolerance ||
           (s->system.statistics.generated_evaluations >= w->next_check &&
            s->system.statistics.generated_evaluations > s->checkpoint.generated_evaluations);
}

static cd_verdict check_step(cd_simulation* s, void* work)
{
    generated_code_work* w = work;
    w->is_checked          = is_check_due(s, w);
    s->step.data_moved |= w->is_checked;
    return w->is_checked && compare_at(s, w, &s->x) ? CD_VERDICT_RESTART : CD_VERDICT_CONTINUE;
}

static cd_verdict save_checkpoint(cd_simulation* s, void* work)
{
    const generated_code_work* w = work;
    if (w->is_checked && !s->summary->stop_condition_met) cd_checkpoint_save(s, &s->x, s->output.next_sample);
    return CD_VERDICT_CONTINUE;
}

// The first step after a start is compared.
static cardan_status start(cd_simulation* s, void* work, cd_start_reason reason)
{
    generated_code_work* w = work;
    if (reason == CD_START_STEPS) cd_checkpoint_save(s, &s->x, s->output.next_sample);
    if (reason == CD_START_INTEGRATOR) w->next_check = s->system.statistics.generated_evaluations + 1;
    return CARDAN_OK;
}

// The run continues from the last checkpoint with the library if code and library differ, or if the code fails.
static bool recover(cd_simulation* s, void* work, cardan_status status)
{
    generated_code_work* w    = work;
    cardan_data*         d    = s->system.data;
    const char*          name = d->m->view.name;
    if (!uses_generated_code(d)) return false;
    if (!w->mismatch && (!status || status == CARDAN_STOPPED || status == CARDAN_NO_MEMORY ||
                         s->system.statistics.generated_evaluations <= s->checkpoint.generated_evaluations))
        return false;
    cd_checkpoint_discard_messages(s);
    if (w->mismatch)
        cardan_warn(s->report, CARDAN_CODE_GENERATED_CODE_MISMATCH, cardan_location_none(),
                    "generated code of '%s' deviates by %.2g of the largest acceleration or force at t = %g s: from t "
                    "= %g s, where it was correct, the library computes the run",
                    name, w->difference, w->mismatch_t, s->checkpoint.x.t);
    else
        cardan_note(s->report, CARDAN_CODE_GENERATED_CODE_ABANDONED, cardan_location_none(),
                    "generated code of '%s' fails in the run (%s): from t = %g s the library computes the run", name,
                    cardan_status_text(status), s->checkpoint.x.t);
    d->compiled.rhs               = NULL;
    d->compiled.rhs_jacobian      = NULL;
    d->compiled.residual          = NULL;
    d->compiled.residual_jacobian = NULL;
    w->mismatch                   = false;
    cd_checkpoint_restore(s);
    return true;
}

const cd_monitor cd_monitor_generated_code = {
    .applies   = applies,
    .work_size = sizeof(generated_code_work),
    .layout    = layout,
    .start     = start,
    .check     = {[CD_PHASE_STABILIZED] = check_step, [CD_PHASE_OUTPUT] = save_checkpoint},
    .at_output = at_output,
    .at_event  = compare_at,
    .recover   = recover,
};
