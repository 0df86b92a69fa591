// SPDX-License-Identifier: BSD-3-Clause
// A marker that the page moves at a velocity in world axes. Inverse kinematics gives the configuration; while the
// simulation plays, independent coordinates are driven to it, so that their efforts are those of motors. They are chosen by
// Cholesky's method with pivoting from the responses of the drivable coordinates to unit efforts,
//   W = S' M_c^-1 S   (M_c^-1: inverse on the tangent space),
// whose rank is the number of degrees of freedom that they determine.
#include "view/live/live_state.h"

#include "core/memory.h"
#include "model/description.h"

#include <cardan/interact.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CANDIDATES_MAX = 40 };
static const double rank_tolerance = 1e-8; // smallest relative pivot

static int find_candidates(const cd_live_model* m, int joint[CANDIDATES_MAX])
{
    int count = 0;
    for (int pass = 0; pass < 2; ++pass) // joints of the tree first
        for (int j = 0; j < m->view.njoint && count < CANDIDATES_MAX; ++j) {
            const bool in_tree  = m->model_view.tree_range[j].v >= 0;
            const bool drivable = cd_is_drivable(m->description, j, 0);
            if (m->model_view.joint_range[j].nv == 1 && in_tree == (pass == 0) && drivable) joint[count++] = j;
        }
    return count;
}

// Responses of all candidates to unit efforts along them. Returns false if there is no solution.
static bool respond(cd_live_model* m, int n, const int* joint, double* W)
{
    double *a = cd_allocate(2 * (size_t)m->model_view.nv + 1, sizeof *a), *free_a = a + m->model_view.nv, x, base;
    if (!a) return false;
    memset(m->wrench, 0, (size_t)m->view.nbody * sizeof *m->wrench);
    cd_live_model_update(m);
    bool good = cd_pose_respond(m, free_a, NULL) == CARDAN_OK;
    for (int k = 0; k < n && good; ++k) {
        memset(m->wrench, 0, (size_t)m->view.nbody * sizeof *m->wrench);
        cd_pose_add_effort(m, joint[k], 1);
        good = cd_pose_respond(m, a, NULL) == CARDAN_OK;
        for (int i = 0; i < n && good; ++i) {
            cardan_data_joint_acceleration(m->data, joint[i], a, &x);
            cardan_data_joint_acceleration(m->data, joint[i], free_a, &base);
            W[i * n + k] = x - base;
        }
    }
    cardan_data_set_external_forces(m->data, NULL, NULL);
    free(a);
    return good;
}

// Indices of independent rows of W (n x n), by pivoted Cholesky. Returns their number.
static int choose_rows(int n, double* W, int* chosen)
{
    int    count = 0;
    double first = 0;
    for (; count < n; ++count) {
        int best = 0;
        for (int i = 1; i < n; ++i)
            if (W[i * n + i] > W[best * n + best]) best = i;
        const double pivot = W[best * n + best];
        if (count == 0) first = pivot;
        if (!(pivot > rank_tolerance * first) || !(pivot > 0)) break;
        chosen[count] = best;
        double column[CANDIDATES_MAX];
        for (int i = 0; i < n; ++i) column[i] = (W[i * n + best] + W[best * n + i]) / 2;
        for (int i = 0; i < n; ++i)
            for (int k = 0; k < n; ++k) W[i * n + k] -= column[i] * column[k] / pivot;
    }
    return count;
}

// Joints that the moving marker drives.
static void choose_joints(cd_live* live)
{
    int       candidate[CANDIDATES_MAX], chosen[CANDIDATES_MAX];
    double    W[CANDIDATES_MAX * CANDIDATES_MAX];
    const int n         = find_candidates(&live->aside, candidate);
    live->nmarker_joint = 0;
    if (!live->marker_joint) live->marker_joint = cd_allocate(CANDIDATES_MAX, sizeof *live->marker_joint);
    if (!live->marker_joint || !respond(&live->aside, n, candidate, W)) return;
    live->nmarker_joint = choose_rows(n, W, chosen);
    for (int i = 0; i < live->nmarker_joint; ++i) live->marker_joint[i] = candidate[chosen[i]];
}

static void copy_state(cd_live* live)
{
    const cardan_model_view* v  = &live->model.model_view;
    cd_live_model *          to = &live->aside, *from = &live->model;
    to->t = from->t;
    memcpy(to->q, from->q, (size_t)v->nq * sizeof(double));
    memset(to->v, 0, (size_t)v->nv * sizeof(double));
    if (v->nstate > 0) memcpy(to->state, from->state, (size_t)v->nstate * sizeof(double));
    cardan_data_set_state(to->data, to->t, to->q, to->v, to->state);
}

void cd_live_move_marker(cd_live* live, const cd_view_message* message)
{
    const double* u     = message->target;
    const double  speed = fabs(u[0]) + fabs(u[1]) + fabs(u[2]);
    cardan_motion motion;
    if (live->marker != message->index && speed > 0) {
        cd_live_end_animation(live);
        cardan_data_marker_motion(live->model.data, message->index, NULL, &motion);
        memcpy(live->marker_target, motion.p, sizeof motion.p);
        copy_state(live);
        choose_joints(live);
    }
    live->marker = speed > 0 ? message->index : CARDAN_NONE;
    memcpy(live->marker_velocity, u, sizeof live->marker_velocity);
}

// Drive the independent coordinates to the configuration of the second model.
static void drive_joints(cd_live* live)
{
    cd_live_model* m = &live->aside;
    cardan_data_joint_motions(m->data, NULL, m->joint_q, NULL, NULL);
    for (int i = 0; i < live->nmarker_joint; ++i) {
        const int joint = live->marker_joint[i];
        cd_live_drive_value(live, joint, 0, m->joint_q[m->model_view.joint_range[joint].q]);
    }
}

void cd_live_follow_marker(cd_live* live, double dt)
{
    cd_pose_result result;
    if (live->marker == CARDAN_NONE || live->model.view.marker[live->marker].body < 0) return;
    const cardan_marker* marker = &live->model.view.marker[live->marker];
    cd_pose_target       target = {.body = marker->body};
    double               before[3];
    memcpy(before, live->marker_target, sizeof before);
    for (int i = 0; i < 3; ++i) target.target[i] = live->marker_target[i] += dt * live->marker_velocity[i];
    memcpy(target.point, marker->pose.p, sizeof target.point);
    const double accuracy = 1e-3 * live->model.length;
    if (live->playing) live->aside.t = live->model.t;
    const cardan_status status = cd_pose_points(live->playing ? &live->aside : &live->model, 1, &target, &result, NULL);
    if (status != CARDAN_OK || result.error > accuracy) memcpy(live->marker_target, before, sizeof before); // it waits
    if (!live->playing)
        cd_live_after_pose(live, marker->body, status, &result, accuracy);
    else if (status == CARDAN_OK)
        drive_joints(live);
}
