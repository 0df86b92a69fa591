// SPDX-License-Identifier: BSD-3-Clause
// Winding numbers of off-tree joints, counted along a run. Their angles are known up to full revolutions, so no step
// may rotate one by half a revolution, however smooth the motion is: steps are limited by the angular speed at their
// start, and those that became too fast within the step are repeated with half the length.
#include "dynamics/rows/joint_coordinates.h"
#include "simulation/simulation.h"

#include "model/model.h"

#include <math.h>

static const double rotation_target = 2, rotation_max = 2.5; // [rad] in a step
// Of the time in which a free body rotates by 2 rad: the relative rotation of two bodies is up to twice as large.
static const double maximal_target_fraction = 0.56, maximal_max_fraction = 0.7;
static const double uncounted_rotation_max = 0.25; // [rad] that need not be counted
enum { STEP_REDUCTION_MAX = 64 };                  // of fixed steps

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
static double time_to_rotate(const cd_simulation* s, double rotation, double maximal_fraction)
{
    if (uses_maximal_coordinates(s)) return maximal_fraction * s->chart_step_limit;
    const double fastest = max_angular_speed(s->system.data);
    return fastest > 0 ? rotation / fastest : INFINITY;
}

static bool counts_winding(const cd_simulation* s)
{
    return s->system.model->noff_tree > 0 && !s->integrator->is_regularized;
}

// [s] Shortest step caused by this limit. Velocities of fixed-step methods may be unbounded.
static double shortest_step(const cd_simulation* s, double t)
{
    return s->integrator->is_adaptive ? cd_min_step(&s->system, t) : s->run.step / STEP_REDUCTION_MAX;
}

double cd_winding_step_limit(const cd_simulation* s)
{
    const bool ignore_limit = s->system.data->near_singular && !s->integrator->is_adaptive;
    return counts_winding(s) && !ignore_limit
               ? fmax(time_to_rotate(s, rotation_target, maximal_target_fraction), shortest_step(s, s->x.t))
               : INFINITY;
}

// Bound: off-tree angles change no faster than the sum of all velocities.
static bool may_rotate_far(const cd_simulation* s, double h)
{
    double sum = 0;
    for (int i = 0; i < s->system.nv; ++i) sum += fabs(s->x.z[i]);
    return h * sum > rotation_max;
}

// Count again at x from the start of the step, because stages have counted too. Updates the referenced joints.
static bool recount_winding(cd_simulation* s)
{
    cardan_data* d = s->system.data;
    if (uses_maximal_coordinates(s) && d->nreferenced == 0) {
        cd_winding_numbers_restore_constraints(&s->winding, d);
        return true;
    }
    cd_winding_numbers_restore(&s->winding, d);
    if (d->nreferenced == 0) return true;
    if (cd_simulation_set_state(s, &s->x)) return false;
    cd_update_referenced_joints(d);
    return true;
}

bool cd_step_rotates_too_far(cd_simulation* s, double from)
{
    const double h = s->x.t - from;
    if (!counts_winding(s) || !recount_winding(s)) return false;
    if (uses_maximal_coordinates(s))
        s->chart_step_limit = cd_chart_step_limit(&s->system, s->x.z);
    else if (!may_rotate_far(s, h) || cd_simulation_set_state(s, &s->x))
        return false;
    return !s->system.data->near_singular && h > time_to_rotate(s, rotation_max, maximal_max_fraction) &&
           h > 2 * shortest_step(s, from);
}

// Bound: angles between free bodies change no faster than twice the largest angular velocity.
static bool may_have_rotated(cd_simulation* s, double h)
{
    if (!uses_maximal_coordinates(s)) return true;
    s->uncounted_rotation += h * 4 / s->chart_step_limit;
    if (s->uncounted_rotation < uncounted_rotation_max) return false;
    s->uncounted_rotation = 0;
    return true;
}

// Count at x, where the data are, from the last counted state.
static void count_winding_at_x(cd_simulation* s, bool all)
{
    cardan_data* d = s->system.data;
    if (all)
        cd_update_off_tree_joints(d);
    else
        cd_update_referenced_joints(d);
    if (all || d->nreferenced > 0) cd_winding_numbers_save(d, &s->winding);
}

// Count winding numbers from the last counted state: not from sample to sample, which may be far apart. Joints of
// several axes may rotate at any time, and are among the referenced joints.
cardan_status cd_count_winding(cd_simulation* s, double h)
{
    if (s->system.model->noff_tree == 0) return CARDAN_OK;
    const bool all = may_have_rotated(s, h);
    if (!all && !s->has_multi_axis_joints) return CARDAN_OK;
    if (s->needs_projection || !s->stabilization->correct) { // a correction leaves the data at its result
        const cardan_status status = cd_simulation_set_state(s, &s->x);
        if (status) return cd_fail_run(s, status);
    }
    count_winding_at_x(s, all);
    return CARDAN_OK;
}

cardan_status cd_start_winding_count(cd_simulation* s)
{
    if (s->system.model->noff_tree == 0) return CARDAN_OK;
    const cardan_status status = cd_simulation_set_state(s, &s->x);
    if (status) return cd_fail_run(s, status);
    if (uses_maximal_coordinates(s)) s->chart_step_limit = cd_chart_step_limit(&s->system, s->x.z);
    count_winding_at_x(s, true);
    return CARDAN_OK;
}

cardan_status cd_resume_winding_count(cd_simulation* s)
{
    if (s->system.model->noff_tree == 0 || s->needs_projection) return CARDAN_OK;
    cd_winding_numbers_restore(&s->winding, s->system.data);
    return cd_start_winding_count(s);
}
