// SPDX-License-Identifier: BSD-3-Clause
// Pose and twist of a joint at given coordinates, by its elementary joints from the first body to the second:
//
//   T <- T X(q)        V <- X^-1 V + S v       V = (w, s): relative twist, in the axes of the moving frame
#include "assembly/assembly_problem.h"

#include "math/quaternion.h"

static cardan_pose elementary_pose(const cd_elementary_joint* elementary, const double* q)
{
    cardan_pose X = cardan_pose_default();
    if (elementary->motion == CD_SPHERICAL) memcpy(X.q, q, 4 * sizeof *q);
    if (elementary->motion == CD_FREE) {
        memcpy(X.p, q, 3 * sizeof *q);
        memcpy(X.q, q + 3, 4 * sizeof *q);
    }
    if (elementary->motion >= CD_SPHERICAL) return X;
    const double* a      = elementary->axis;
    const double  length = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
    const double  angle = elementary->motion == CD_PRISMATIC ? 0 : *q, travel = elementary->motion == CD_PRISMATIC ? *q
                                                                                : elementary->motion == CD_SCREW
                                                                                    ? elementary->pitch * *q
                                                                                    : 0;
    q4_exp((const double[3]){angle * a[0] / length, angle * a[1] / length, angle * a[2] / length}, X.q);
    for (int k = 0; k < 3; ++k) X.p[k] = travel * a[k] / length;
    return X;
}

cardan_pose cd_joint_pose(const cd_compiled_joint* joint, const double* q)
{
    cardan_pose T = cardan_pose_default();
    for (int s = 0; s < joint->nelementary; ++s) {
        T = pose_mul(T, elementary_pose(&joint->elementary[s], q));
        q += cd_motion_nq(joint->elementary[s].motion);
    }
    return T;
}

static void add_cross(double sign, const double a[3], const double b[3], double c[3])
{
    c[0] += sign * (a[1] * b[2] - a[2] * b[1]);
    c[1] += sign * (a[2] * b[0] - a[0] * b[2]);
    c[2] += sign * (a[0] * b[1] - a[1] * b[0]);
}

void cd_joint_twist(const cd_compiled_joint* joint, const double* q, const double* v, double twist[6])
{
    double *w = twist, *u = twist + 3;
    for (int k = 0; k < 6; ++k) twist[k] = 0;
    for (int s = 0; s < joint->nelementary; ++s) {
        const cd_elementary_joint* elementary = &joint->elementary[s];
        const cardan_pose          X          = elementary_pose(elementary, q);
        double                     inverse_rotation[4];
        q4_conjugate(X.q, inverse_rotation);
        add_cross(1, w, X.p, u);
        if (elementary->motion == CD_FREE)
            for (int k = 0; k < 3; ++k) u[k] += v[k];
        q4_rotate(inverse_rotation, w, w);
        q4_rotate(inverse_rotation, u, u);
        const double* a      = elementary->axis;
        const double  length = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
        for (int k = 0; k < 3; ++k) {
            if (elementary->motion == CD_REVOLUTE || elementary->motion == CD_SCREW) w[k] += *v * a[k] / length;
            if (elementary->motion == CD_PRISMATIC) u[k] += *v * a[k] / length;
            if (elementary->motion == CD_SCREW) u[k] += *v * elementary->pitch * a[k] / length;
            if (elementary->motion == CD_SPHERICAL) w[k] += v[k];
            if (elementary->motion == CD_FREE) w[k] += v[3 + k];
        }
        q += cd_motion_nq(elementary->motion);
        v += cd_motion_nv(elementary->motion);
    }
}

cardan_pose cd_joint_design_pose(const cardan_model* m, int j)
{
    const cardan_joint* joint  = &m->view.joint[j];
    const cardan_pose   none   = cardan_pose_default();
    const cardan_pose   first  = joint->first_body == CARDAN_GROUND ? none : m->view.body[joint->first_body].pose;
    const cardan_pose   second = joint->second_body == CARDAN_GROUND ? none : m->view.body[joint->second_body].pose;
    return pose_mul(pose_inverse(pose_mul(first, joint->frame_first)), pose_mul(second, joint->frame_second));
}

void cd_joint_design_coordinates(const cardan_model* m, int j, double* q)
{
    const cardan_index_range range = m->tree_range[j];
    if (j >= m->view.njoint) return;
    if (strcmp(m->view.joint[j].type, "free") == 0) {
        const cardan_pose T = cd_joint_design_pose(m, j);
        memcpy(q, T.p, sizeof T.p);
        memcpy(q + 3, T.q, sizeof T.q);
        return;
    }
    for (int i = 0; i < range.nq; ++i) q[i] = range.nq > range.nv && i == range.nq - 4;
}
