// SPDX-License-Identifier: BSD-3-Clause
// Frames in the world, and the poses of joint frames and markers on bodies that follow from them.
#include "model/frame_placement.h"

#include "model/model_tolerances.h"
#include "model/parametric_pose.h"

#include <math.h>
#include <string.h>

static double column_dot(cd_parametric* l, const double A[3][3], int i, const double B[3][3], int k)
{
    return par_add_product(l, par_add_product(l, par_mul(l, A[0][i], B[0][k]), A[1][i], B[1][k]), A[2][i], B[2][k]);
}

bool cd_normalize_direction(cd_parametric* l, double a[3])
{
    const bool is_parametric = par_any_parametric(l, 3, a);
    if (!is_parametric && fabs(a[0] * a[0] + a[1] * a[1] + a[2] * a[2] - 1) <= cd_unit_norm_tolerance)
        return true; // keep the given bits
    const double scale = fmax(fabs(a[0]), fmax(fabs(a[1]), fabs(a[2])));
    if (!(scale > cd_direction_size_min)) return false;
    for (int i = 0; !is_parametric && i < 3; ++i) a[i] /= scale;
    const double length = par_sqrt(l, par_dot(l, a, a));
    for (int i = 0; i < 3; ++i) a[i] = par_div(l, a[i], length);
    return true;
}

void cd_normalize_quaternion(cd_parametric* l, double q[4])
{
    const double error = fabs(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] - 1);
    if (!(error <= cd_unit_norm_tolerance) || par_any_parametric(l, 4, q)) par_q4_normalize(l, q);
}

void cd_rotation_of_quaternion(cd_parametric* l, double q[4], double R[3][3])
{
    cd_normalize_quaternion(l, q);
    par_q4_matrix(l, q, (double*)R);
}

void cd_world_to_frame(cd_parametric* l, const cd_frame* frame, const double world[3], double x[3])
{
    const double d[3] = {par_sub(l, world[0], frame->p[0]), par_sub(l, world[1], frame->p[1]),
                         par_sub(l, world[2], frame->p[2])};
    for (int i = 0; i < 3; ++i)
        x[i] = par_add_product(l, par_add_product(l, par_mul(l, frame->R[0][i], d[0]), frame->R[1][i], d[1]),
                               frame->R[2][i], d[2]);
}

cardan_pose cd_relative_pose(cd_parametric* l, const cd_frame* outer, const cd_frame* inner)
{
    cardan_pose pose;
    double      R[3][3];
    for (int i = 0; i < 3; ++i) {
        pose.p[i] = 0;
        for (int k = 0; k < 3; ++k) {
            pose.p[i] = par_add_product(l, pose.p[i], outer->R[k][i], par_sub(l, inner->p[k], outer->p[k]));
            R[i][k]   = column_dot(l, outer->R, i, inner->R, k);
        }
    }
    par_q4_of_matrix(l, (const double*)R, pose.q);
    return pose;
}

void cd_rotation_z_to_axis(cd_parametric* l, const double axis[3], double R[3][3])
{
    // shortest rotation from z to the axis; for -z, 180 degrees about x
    double q[4] = {par_add(l, 1, axis[2]), -axis[1], axis[0], 0};
    if (axis[2] < -0.999999999999) q[0] = 0, q[1] = 1, q[2] = 0;
    cd_rotation_of_quaternion(l, q, R);
    for (int i = 0; i < 3; ++i) R[i][2] = axis[i];
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k)
            if (fabs(R[i][k] - round(R[i][k])) < cd_exact_entry_tolerance)
                R[i][k] = round(R[i][k]) + 0.0; // base axes stay exact
}

cd_frame cd_frame_of_pose(const cardan_pose* pose)
{
    cd_frame frame = {.coordinates_of = NULL};
    memcpy(frame.p, pose->p, sizeof frame.p);
    q4_matrix(pose->q, (double*)frame.R);
    return frame;
}
