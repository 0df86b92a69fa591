// SPDX-License-Identifier: BSD-3-Clause
// Start poses by an outward recursion in doubles; used once per model, for coordinates that are not joint coordinates.
//
//   T(second) = T(first) frame_first T_1 ... T_n frame_second^-1, or its inverse if the tree goes from second to first
//   relative twist at the joint position on the second body: revolute s = axis v, u = s x (end - here);
//   prismatic u = axis v
#include "model/compile/start_poses.h"
#include "model/model_tolerances.h"

#include "math/quaternion.h"
#include "model/joint/joint_type.h"

#include <float.h>
#include <math.h>
#include <string.h>

static void cross(const double a[3], const double b[3], double c[3])
{
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

static cardan_pose elementary_joint_pose(const cd_elementary_joint* element, const double* q)
{
    cardan_pose T = cardan_pose_default();
    if (element->motion == CD_SPHERICAL) {
        memcpy(T.q, q, sizeof T.q);
    } else if (element->motion == CD_FREE) {
        memcpy(T.p, q, sizeof T.p);
        memcpy(T.q, q + 3, sizeof T.q);
    } else {
        const double n            = sqrt(element->axis[0] * element->axis[0] + element->axis[1] * element->axis[1] +
                                         element->axis[2] * element->axis[2]);
        const double angle        = element->motion == CD_PRISMATIC ? 0 : *q,
                     displacement = element->motion == CD_PRISMATIC ? *q
                                    : element->motion == CD_SCREW   ? element->pitch * *q
                                                                    : 0;
        double r[3];
        for (int i = 0; i < 3; ++i) {
            r[i]   = angle * element->axis[i] / n;
            T.p[i] = displacement * element->axis[i] / n;
        }
        q4_exp(r, T.q);
    }
    q4_normalize(T.q);
    return T;
}

typedef struct joint_start_state {
    cardan_pose T;    // of the joint frame on the second body in that on the first
    double      w[3]; // twist of the second relative to the first, axes of the first's joint frame
    double      v[3]; // at the origin of the second's joint frame
} joint_start_state;

static joint_start_state joint_start_state_of(const cardan_joint* joint)
{
    cd_elementary_joint element[CARDAN_JOINT_VELOCITIES_MAX];
    cardan_pose         before[CARDAN_JOINT_VELOCITIES_MAX];
    const int           n = cd_joint_type_find(joint->type)->elementary_joints(joint, element);
    joint_start_state   r = {.T = cardan_pose_default()};
    double              q[CARDAN_JOINT_VELOCITIES_MAX + 1] = {0}, v[CARDAN_JOINT_VELOCITIES_MAX] = {0};
    int                 local_index = 0;
    if (n == 1 && element[0].motion == CD_SPHERICAL) q[0] = 1;
    if (n == 1 && element[0].motion == CD_FREE) q[3] = 1;
    if (joint->start_q_given) memcpy(q, joint->start_q, sizeof q);
    if (joint->start_v_given) memcpy(v, joint->start_v, sizeof v);
    for (int s = 0; s < n; ++s) {
        before[s] = r.T;
        r.T       = pose_mul(r.T, elementary_joint_pose(&element[s], q + local_index));
        local_index += cd_motion_nq(element[s].motion);
    }
    local_index = 0;
    for (int s = 0; s < n; ++s) {
        double local[6] = {0}, w[3], u[3], arm[3], c[3]; // w, v in the axes before the elementary joint
        if (element[s].motion == CD_SPHERICAL)
            q4_rotate(r.T.q, v, local);
        else if (element[s].motion == CD_FREE) {
            q4_rotate(r.T.q, v + 3, local);
            memcpy(local + 3, v, 3 * sizeof(double));
        } else {
            const double norm = sqrt(element[s].axis[0] * element[s].axis[0] + element[s].axis[1] * element[s].axis[1] +
                                     element[s].axis[2] * element[s].axis[2]);
            for (int i = 0; i < 3; ++i) {
                const double along = element[s].axis[i] / norm * v[local_index];
                if (element[s].motion != CD_PRISMATIC) local[i] = along;
                if (element[s].motion != CD_REVOLUTE)
                    local[i + 3] = element[s].motion == CD_PRISMATIC ? along : element[s].pitch * along;
            }
        }
        q4_rotate(before[s].q, local, w);
        q4_rotate(before[s].q, local + 3, u);
        // a floating body rotates about its origin, the others about the position before the elementary joint
        for (int i = 0; i < 3; ++i) arm[i] = element[s].motion == CD_FREE ? 0 : r.T.p[i] - before[s].p[i];
        cross(w, arm, c);
        for (int i = 0; i < 3; ++i) {
            r.w[i] += w[i];
            r.v[i] += u[i] + c[i];
        }
        local_index += cd_motion_nv(element[s].motion);
    }
    return r;
}

static cardan_pose design_pose(const cardan_description_view* view, const cd_spanning_tree* tree, int body)
{
    return pose_mul(view->body[body].pose, pose_inverse(tree->pose[body]));
}

// Return the design pose if the start pose equals it to round-off: along many joints round-off would accumulate and
// open long loops.
static cardan_pose snap_to_design(cardan_pose T, cardan_pose design)
{
    double scale = 1, difference = 0, along = 0;
    for (int i = 0; i < 3; ++i) {
        scale      = fmax(scale, fabs(design.p[i]));
        difference = fmax(difference, fabs(T.p[i] - design.p[i]));
    }
    for (int i = 0; i < 4; ++i) along += T.q[i] * design.q[i];
    for (int i = 0; i < 4; ++i)
        difference = fmax(difference, fabs(T.q[i] - (along < 0 ? -design.q[i] : design.q[i])) * scale);
    return difference <= cd_start_pose_roundoff * scale ? design : T;
}

static void start_group_pose(const cardan_description_view* view, const cd_spanning_tree* tree, int g,
                             cardan_pose* pose, double (*twist)[6])
{
    const cardan_joint* joint         = &view->joint[tree->parent_joint[g]];
    const int           parent_group  = tree->parent[g];
    const int           first         = joint->first_body == CARDAN_GROUND ? 0 : tree->group[joint->first_body];
    const bool          forward       = first == parent_group;
    const int           near_index    = forward ? joint->first_body : joint->second_body,
              far_index               = forward ? joint->second_body : joint->first_body;
    const cardan_pose       near_body = near_index == CARDAN_GROUND ? cardan_pose_default() : tree->pose[near_index];
    const joint_start_state r         = joint_start_state_of(joint);

    const cardan_pose N =
        pose_mul(pose_mul(pose[parent_group], near_body), forward ? joint->frame_first : joint->frame_second);
    const cardan_pose F  = pose_mul(N, forward ? r.T : pose_inverse(r.T));
    const cardan_pose F1 = forward ? N : F, F2 = forward ? F : N;
    pose[g] = pose_mul(F, pose_mul(pose_inverse(forward ? joint->frame_second : joint->frame_first),
                                   pose_inverse(tree->pose[far_index])));
    if (far_index != CARDAN_GROUND) pose[g] = snap_to_design(pose[g], design_pose(view, tree, far_index));

    // through the origin of the joint frame on the second body
    double w[3], v[3], arm[3], c[3];
    q4_rotate(F1.q, r.w, w);
    q4_rotate(F1.q, r.v, v);
    for (int i = 0; i < 3; ++i) arm[i] = F2.p[i] - pose[parent_group].p[i];
    cross(twist[parent_group], arm, c);
    for (int i = 0; i < 3; ++i) {
        twist[g][i] = twist[parent_group][i] + (forward ? w[i] : -w[i]);
        v[i]        = twist[parent_group][i + 3] + c[i] + (forward ? v[i] : -v[i]);
        arm[i]      = pose[g].p[i] - F2.p[i];
    }
    cross(twist[g], arm, c);
    for (int i = 0; i < 3; ++i) twist[g][i + 3] = v[i] + c[i];
}

void cd_start_poses(const cardan_description_view* view, const cd_spanning_tree* tree, cardan_pose* pose,
                    double (*twist)[6])
{
    pose[0] = cardan_pose_default();
    memset(twist[0], 0, sizeof twist[0]);
    for (int i = 1; i < tree->ngroup; ++i) {
        const int g = tree->order[i];
        if (tree->parent_joint[g] < view->njoint) {
            start_group_pose(view, tree, g, pose, twist);
            continue;
        }
        const int body = tree->floating[tree->parent_joint[g] - view->njoint]; // floating: design pose, zero velocity
        pose[g]        = design_pose(view, tree, body);
        memset(twist[g], 0, sizeof twist[g]);
    }
}
