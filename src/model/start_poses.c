// SPDX-License-Identifier: BSD-3-Clause
// Start poses by walking the tree outward in plain poses; used once per model, where coordinates are not those of
// joints.
//
//   T(second) = T(first) frame_first step_1 ... step_n frame_second^-1, or its inverse where the tree runs the other way
//   relative twist at the joint's place on the second body: hinge s = axis v, u = s x (end - here); slide u = axis v
#include "model/start_poses.h"

#include "math/quaternion.h"
#include "model/joint_type.h"

#include <float.h>
#include <math.h>
#include <string.h>

static void cross(const double a[3], const double b[3], double c[3])
{
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

static cardan_pose step_pose(const cd_step* step, const double* q)
{
    cardan_pose T = cardan_pose_default();
    if (step->motion == CD_BALL) {
        memcpy(T.q, q, sizeof T.q);
    } else if (step->motion == CD_FLOAT) {
        memcpy(T.p, q, sizeof T.p);
        memcpy(T.q, q + 3, sizeof T.q);
    } else {
        const double n =
            sqrt(step->axis[0] * step->axis[0] + step->axis[1] * step->axis[1] + step->axis[2] * step->axis[2]);
        const double turn = step->motion == CD_SLIDE ? 0 : *q, way = step->motion == CD_SLIDE   ? *q
                                                                     : step->motion == CD_HELIX ? step->pitch * *q
                                                                                                : 0;
        double       r[3];
        for (int i = 0; i < 3; ++i) {
            r[i]   = turn * step->axis[i] / n;
            T.p[i] = way * step->axis[i] / n;
        }
        q4_exp(r, T.q);
    }
    q4_normalize(T.q);
    return T;
}

typedef struct relative {
    cardan_pose T;    // of the joint frame on the second body in that on the first
    double      w[3]; // twist of the second relative to the first, axes of the first's joint frame
    double      v[3]; // at the origin of the second's joint frame
} relative;

static relative relative_of(const cardan_joint* joint)
{
    cd_step     step[CARDAN_JOINT_MAX];
    cardan_pose before[CARDAN_JOINT_MAX];
    const int   n                       = cd_joint_type_find(joint->type)->steps(joint, step);
    relative    r                       = {.T = cardan_pose_default()};
    double      q[CARDAN_JOINT_MAX + 1] = {0}, v[CARDAN_JOINT_MAX] = {0};
    int         at = 0;
    if (n == 1 && step[0].motion == CD_BALL) q[0] = 1;
    if (n == 1 && step[0].motion == CD_FLOAT) q[3] = 1;
    if (joint->start_q_given) memcpy(q, joint->start_q, sizeof q);
    if (joint->start_v_given) memcpy(v, joint->start_v, sizeof v);
    for (int s = 0; s < n; ++s) {
        before[s] = r.T;
        r.T       = pose_mul(r.T, step_pose(&step[s], q + at));
        at += cd_motion_nq(step[s].motion);
    }
    at = 0;
    for (int s = 0; s < n; ++s) {
        double local[6] = {0}, w[3], u[3], arm[3], c[3]; // w, v in the axes before the step
        if (step[s].motion == CD_BALL)
            q4_rotate(r.T.q, v, local);
        else if (step[s].motion == CD_FLOAT) {
            q4_rotate(r.T.q, v + 3, local);
            memcpy(local + 3, v, 3 * sizeof(double));
        } else {
            const double norm = sqrt(step[s].axis[0] * step[s].axis[0] + step[s].axis[1] * step[s].axis[1] +
                                     step[s].axis[2] * step[s].axis[2]);
            for (int i = 0; i < 3; ++i) {
                const double along = step[s].axis[i] / norm * v[at];
                if (step[s].motion != CD_SLIDE) local[i] = along;
                if (step[s].motion != CD_HINGE)
                    local[i + 3] = step[s].motion == CD_SLIDE ? along : step[s].pitch * along;
            }
        }
        q4_rotate(before[s].q, local, w);
        q4_rotate(before[s].q, local + 3, u);
        // a floating body turns about its own origin, the others about the place before the step
        for (int i = 0; i < 3; ++i) arm[i] = step[s].motion == CD_FLOAT ? 0 : r.T.p[i] - before[s].p[i];
        cross(w, arm, c);
        for (int i = 0; i < 3; ++i) {
            r.w[i] += w[i];
            r.v[i] += u[i] + c[i];
        }
        at += cd_motion_nv(step[s].motion);
    }
    return r;
}

static cardan_pose design_of(const cardan_view* view, const cd_tree* tree, int body)
{
    return pose_mul(view->body[body].pose, pose_inverse(tree->pose[body]));
}

// The design pose itself where the start is that: a walk along many joints would else gather rounding, and tear long
// loops apart.
static cardan_pose without_rounding(cardan_pose T, cardan_pose design)
{
    const double nothing = 64 * DBL_EPSILON;
    double       far = 1, off = 0, along = 0;
    for (int i = 0; i < 3; ++i) {
        far = fmax(far, fabs(design.p[i]));
        off = fmax(off, fabs(T.p[i] - design.p[i]));
    }
    for (int i = 0; i < 4; ++i) along += T.q[i] * design.q[i];
    for (int i = 0; i < 4; ++i) off = fmax(off, fabs(T.q[i] - (along < 0 ? -design.q[i] : design.q[i])) * far);
    return off <= nothing * far ? design : T;
}

static void place_group(const cardan_view* view, const cd_tree* tree, int g, cardan_pose* pose, double (*twist)[6])
{
    const cardan_joint* joint   = &view->joint[tree->via[g]];
    const int           up      = tree->parent[g];
    const int           first   = joint->first == CARDAN_GROUND ? 0 : tree->group[joint->first];
    const bool          forward = first == up;
    const int           near = forward ? joint->first : joint->second, far = forward ? joint->second : joint->first;
    const cardan_pose   near_body = near == CARDAN_GROUND ? cardan_pose_default() : tree->pose[near];
    const relative      r         = relative_of(joint);

    const cardan_pose N  = pose_mul(pose_mul(pose[up], near_body), forward ? joint->frame_first : joint->frame_second);
    const cardan_pose F  = pose_mul(N, forward ? r.T : pose_inverse(r.T));
    const cardan_pose F1 = forward ? N : F, F2 = forward ? F : N;
    pose[g] = pose_mul(
        F, pose_mul(pose_inverse(forward ? joint->frame_second : joint->frame_first), pose_inverse(tree->pose[far])));
    if (far != CARDAN_GROUND) pose[g] = without_rounding(pose[g], design_of(view, tree, far));

    // through the origin of the joint frame on the second body
    double w[3], v[3], arm[3], c[3];
    q4_rotate(F1.q, r.w, w);
    q4_rotate(F1.q, r.v, v);
    for (int i = 0; i < 3; ++i) arm[i] = F2.p[i] - pose[up].p[i];
    cross(twist[up], arm, c);
    for (int i = 0; i < 3; ++i) {
        twist[g][i] = twist[up][i] + (forward ? w[i] : -w[i]);
        v[i]        = twist[up][i + 3] + c[i] + (forward ? v[i] : -v[i]);
        arm[i]      = pose[g].p[i] - F2.p[i];
    }
    cross(twist[g], arm, c);
    for (int i = 0; i < 3; ++i) twist[g][i + 3] = v[i] + c[i];
}

void cd_start_poses(const cardan_view* view, const cd_tree* tree, cardan_pose* pose, double (*twist)[6])
{
    pose[0] = cardan_pose_default();
    memset(twist[0], 0, sizeof twist[0]);
    for (int i = 1; i < tree->ngroup; ++i) {
        const int g = tree->order[i];
        if (tree->via[g] < view->njoint) {
            place_group(view, tree, g, pose, twist);
            continue;
        }
        const int body = tree->added[tree->via[g] - view->njoint]; // floats: as designed, at rest
        pose[g]        = design_of(view, tree, body);
        memset(twist[g], 0, sizeof twist[g]);
    }
}
