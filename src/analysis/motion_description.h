// SPDX-License-Identifier: BSD-3-Clause
// Motions in words: which joints and bodies move, and how.
#pragma once

#include "dynamics/data.h"

// "'hinge'", "'body' along x", "'ball' about z": velocity number `axis` of a joint.
void cd_describe_coordinate(const cardan_model* m, int joint, int axis, char* text, size_t size);
// Velocities of all joints (nv_all), lengths divided by `length`, for velocities v (nv) at the positions of the data.
void cd_joint_velocities(cardan_data* d, const double* v, double length, double* joint_v);
// Places of all joint velocities in such arrays, in the order of the joints, the same whatever the coordinates:
// (nv_all) `entry`; returns how many there are. What the flat coordinates of bodies have there is zero.
int cd_joint_entries(const cardan_model* m, int* entry);
// Rows of Z (rows x count, column major, overwritten) that tell its columns apart best, one after the other that which
// is longest when those before are taken out, so that it does not matter how the columns are mixed; into `chosen`
// (count) in the order of `entry`. Returns how many.
int cd_distinguishing_rows(int nentry, const int* entry, int rows, int count, double* Z, int* chosen);
// Whether velocity i of a joint is an angle's.
bool cd_velocity_is_rotation(const cardan_model* m, int joint, int i);
// The coordinates that `count` motions (nv x count, column major; overwritten) are best told by: "'body' along x,
// 'body' about z". The data keep their state. False without memory.
bool cd_describe_motions(cardan_data* d, int count, const double* motion, double length, char* text, size_t size);
// The body that moves most by its inertia: "'ball' along -z", "'wheel' about y".
bool cd_describe_dominant_body(cardan_data* d, const double* v, char* text, size_t size);

// "along -z", "about (0.6, 0, 0.8)"; the sign only where it is wanted.
void cd_describe_direction(const double u[3], bool is_rotation, bool with_sign, char* text, size_t size);

// A shape (nv, real and imaginary part) in words: "chassis 92 % about y, wheel 4 % along z", shares of the kinetic
// energy, M the mass matrix. Where nothing moves the user's state that changes most; states (nstate): their sizes.
// Leaves the velocities of the data changed.
bool cd_describe_mode_shape(cardan_data* d, const double* M, const double* re, const double* im, const double* states,
                            char* text, size_t size);
