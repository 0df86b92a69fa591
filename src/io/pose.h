// SPDX-License-Identifier: BSD-3-Clause
// Placement while reading: poses put one after the other, rotations from angles and axes. Quaternions are scalar first.
#pragma once

#include <cardan/describe.h>

// a then b, both as rotations of vectors: R(c) = R(a) R(b).
void cd_quaternion_multiply(const double a[4], const double b[4], double c[4]);
void cd_quaternion_rotate(const double q[4], const double x[3], double y[3]);
// Roll about x, then pitch about y, then yaw about z, all fixed axes: R = Rz(yaw) Ry(pitch) Rx(roll).
void cd_quaternion_from_rpy(const double rpy[3], double q[4]);
// A rotation that takes z to the unit vector `axis`; exact where the axis is one of the coordinates.
void cd_quaternion_z_to(const double axis[3], double q[4]);

// The frame `inner`, given in `outer`, seen from where `outer` is given; of unit length however long the chain.
cardan_pose cd_pose_compose(cardan_pose outer, cardan_pose inner);

// R I R' of a symmetric matrix xx yy zz xy xz yz.
void cd_inertia_rotate(const double q[4], const double inertia[6], double rotated[6]);
// Principal moments, ascending.
void cd_inertia_principal(const double inertia[6], double moment[3]);
