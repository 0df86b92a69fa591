// SPDX-License-Identifier: BSD-3-Clause
// Winding numbers of off-tree joints, counted along a run. Their angles are known up to full revolutions, so no step
// may rotate one by half a revolution, however smooth the motion is: steps are limited by the angular speed at their
// start, and those that became too fast within the step are repeated with half the length.
#include "dynamics/rows/joint_coordinates.h"
#include "simulation/simulation.h"

#include "dynamics/winding_numbers.h"
#include "model/model.h"

#include <math.h>

enum { STEP_REDUCTION_MAX = 64 }; // of fixed steps

typedef struct winding_work {
    cd_winding_numbers counted;               // at the last counted state
    bool               has_multi_axis_joints; // off-tree joints of several axes
    double             uncounted_rotation;    // [rad] upper bound since then
    double             chart_step_limit;      // [s] for a rotation by 2 rad of the fastest free body at x
} winding_work;

// [1/s] Largest angular speed of off-tree joints at the state of the data.
static double max_angular_speed(cardan_data* d)
{
    const cardan_model* m       = d->m;
    double              fastest = 0;
    cd_update_off_tree_joints(d);
    for (int i = 0; i < m->noff_tree; ++i) {
        const cardan_index_range range = m->joint_range[m->off_tree[i]];
        for (int k = 0; range.q >= 0 && k < range.nv; ++k)
            if (cardan_model_v_unit(m, m->off_tree[i], k)[0] == 'r') fastest = fmax(fastest, fabs(d->v[range.v + k]));
    }
    return fastest;
}

static bool uses_maximal_coordinates(const cd_simulation* s) { return s->system.model->policy == CARDAN_TREE_MAXIMAL; }

// [s] Time in which no joint rotates farther, at the speeds of the data, or of the bodies at x.
static double time_to_rotate(const cd_simulation* s, const winding_work* w, double rotation, double maximal_fraction)
{
    if (uses_maximal_coordinates(s)) return maximal_fraction * w->chart_step_limit;
    const double fastest = max_angular_speed(s->system.data);
    return fastest > 0 ? rotation / fastest : INFINITY;
}

// [s] Shortest step caused by this limit. Velocities of fixed-step methods may be unbounded.
static double shortest_step(const cd_simulation* s, double t)
{
    return s->integrator->is_adaptive ? cd_min_step(&s->system, t) : s->run.step / STEP_REDUCTION_MAX;
}

static double step_limit(const cd_simulation* s, const void* work)
{
    const bool ignore_limit = s->system.data->settings.near_singular && !s->integrator->is_adaptive;
    return !s->integrator->is_regularized && !ignore_limit
               ? fmax(time_to_rotate(s, work, cd_winding_rotation_target, cd_winding_maximal_target_fraction),
                      shortest_step(s, s->x.t))
               : INFINITY;
}

// Bound: off-tree angles change no faster than the sum of all velocities.
static bool may_rotate_far(const cd_simulation* s, double h)
{
    double sum = 0;
    for (int i = 0; i < s->system.nv; ++i) sum += fabs(s->x.z[i]);
    return h * sum > cd_winding_rotation_max;
}

// Count again at x from the start of the step, because stages have counted too. Updates the referenced joints.
static bool recount_winding(cd_simulation* s, const winding_work* w)
{
    cardan_data* d = s->system.data;
    if (uses_maximal_coordinates(s) && d->forces.referenced.count == 0) {
        cd_winding_numbers_restore_constraints(&w->counted, d);
        return true;
    }
    cd_winding_numbers_restore(&w->counted, d);
    if (d->forces.referenced.count == 0) return true;
    if (cd_simulation_set_state(s, &s->x)) return false;
    cd_update_referenced_joints(d);
    return true;
}

// Repeat a step in which a joint may have rotated too far.
static cd_verdict check_rotation(cd_simulation* s, void* work)
{
    winding_work* w = work;
    const double  h = s->x.t - s->step.from;
    if (s->integrator->is_regularized || !recount_winding(s, w)) return CD_VERDICT_CONTINUE;
    if (uses_maximal_coordinates(s))
        w->chart_step_limit = cd_chart_step_limit(&s->system, s->x.z);
    else if (!may_rotate_far(s, h) || cd_simulation_set_state(s, &s->x))
        return CD_VERDICT_CONTINUE;
    return !s->system.data->settings.near_singular &&
                   h > time_to_rotate(s, w, cd_winding_rotation_max, cd_winding_maximal_max_fraction) &&
                   h > 2 * shortest_step(s, s->step.from)
               ? CD_VERDICT_SHORTEN
               : CD_VERDICT_CONTINUE;
}

// Bound: angles between free bodies change no faster than twice the largest angular velocity.
static bool may_have_rotated(const cd_simulation* s, winding_work* w)
{
    if (!uses_maximal_coordinates(s)) return true;
    w->uncounted_rotation += (s->x.t - s->step.from) * 4 / w->chart_step_limit;
    if (w->uncounted_rotation < cd_winding_uncounted_max) return false;
    w->uncounted_rotation = 0;
    return true;
}

// Count at x, where the data are, from the last counted state.
static void count_at_x(cd_simulation* s, winding_work* w, bool all)
{
    cardan_data* d = s->system.data;
    if (all)
        cd_update_off_tree_joints(d);
    else
        cd_update_referenced_joints(d);
    if (all || d->forces.referenced.count > 0) cd_winding_numbers_save(d, &w->counted);
}

// Count winding numbers from the last counted state: not from sample to sample, which may be far apart. Joints of
// several axes may rotate at any time, and are among the referenced joints. A correction leaves the data at its result.
static cd_verdict count_step(cd_simulation* s, void* work)
{
    winding_work* w = work;
    if (!s->system.has_constraints) return CD_VERDICT_CONTINUE;
    const bool all = may_have_rotated(s, w);
    if (!all && !w->has_multi_axis_joints) return CD_VERDICT_CONTINUE;
    if ((s->step.needs_projection || !s->stabilization->correct) && cd_set_state_reported(s, &s->x))
        return CD_VERDICT_ABORT;
    count_at_x(s, w, all);
    return CD_VERDICT_CONTINUE;
}

// Start counting at x from the winding numbers of the data.
static cardan_status start_count(cd_simulation* s, winding_work* w)
{
    const cardan_status status = cd_set_state_reported(s, &s->x);
    if (status) return status;
    if (uses_maximal_coordinates(s)) w->chart_step_limit = cd_chart_step_limit(&s->system, s->x.z);
    count_at_x(s, w, true);
    return CARDAN_OK;
}

// Restore the winding numbers at the end of the step, after samples and events inside it have changed the data.
static cardan_status resume_count(cd_simulation* s, winding_work* w)
{
    if (s->step.needs_projection) return CARDAN_OK;
    cd_winding_numbers_restore(&w->counted, s->system.data);
    return start_count(s, w);
}

static cd_verdict resume_after_output(cd_simulation* s, void* work)
{
    if (!s->step.data_moved && s->events.count == 0) return CD_VERDICT_CONTINUE;
    return resume_count(s, work) ? CD_VERDICT_ABORT : CD_VERDICT_CONTINUE;
}

static bool applies(const cd_simulation* s) { return !s->is_prescribed && s->system.model->noff_tree > 0; }

static void layout(cd_simulation* s, cd_arena* arena, void* work)
{
    const cardan_model* m = s->system.model;
    winding_work*       w = work;
    cd_winding_numbers_layout(s->system.data, arena, &w->counted);
    for (int i = 0; i < m->noff_tree; ++i) w->has_multi_axis_joints |= m->joint[m->off_tree[i]].nelementary > 1;
}

static cardan_status start(cd_simulation* s, void* work, cd_start_reason reason)
{
    if (reason == CD_START_DISCONTINUITY || reason == CD_START_INPUT) return resume_count(s, work);
    return reason == CD_START_STEPS || reason == CD_START_CHECKPOINT ? start_count(s, work) : CARDAN_OK;
}

const cd_monitor cd_monitor_winding = {
    .applies    = applies,
    .work_size  = sizeof(winding_work),
    .layout     = layout,
    .start      = start,
    .step_limit = step_limit,
    .check      = {[CD_PHASE_TAKEN]      = check_rotation,
                   [CD_PHASE_STABILIZED] = count_step,
                   [CD_PHASE_OUTPUT]     = resume_after_output},
};
