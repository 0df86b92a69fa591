// SPDX-License-Identifier: BSD-3-Clause
// Text descriptions of motions: which joints and bodies move, and in which direction.
#pragma once

#include "dynamics/data.h"

// Write the name of velocity `axis` of a joint: "'hinge'", "'body' along x", "'ball' about z".
void cd_describe_coordinate(const cardan_model* m, int joint, int axis, char* text, size_t size);
// Compute the velocities of all joints (nv_joint), translations divided by `length`, for velocities v (nv) at the
// positions of the data. Changes the velocities of the data.
void cd_joint_velocities(cardan_data* d, const double* v, double length, double* joint_v);
// Write the indices of all joint velocities in such arrays to `entry` (nv_joint), in the order of the joints, which
// does not depend on the choice of coordinates. Returns their number. With maximal coordinates the velocities of the
// bodies in these arrays are zero.
int cd_joint_entries(const cardan_model* m, int* entry);
// Choose the rows of Z (rows x count, column major, overwritten) that distinguish its columns best, by Gram-Schmidt
// with row pivoting: each step takes the row with the largest norm after orthogonalization against the rows chosen
// before. The choice does not depend on the basis of the column space. Writes the rows to `chosen` (count) in the order
// of `entry`; returns their number.
int cd_distinguishing_rows(int nentry, const int* entry, int rows, int count, double* Z, int* chosen);
// Describe `count` motions (nv x count, column major; overwritten) by the coordinates that distinguish them best:
// "'body' along x, 'body' about z". The velocities of the data are restored. Returns false if memory is exhausted.
bool cd_describe_motions(cardan_data* d, int count, const double* motion, double length, char* text, size_t size);
// Describe the body with the largest kinetic energy: "'ball' along -z", "'wheel' about y".
// Returns false if memory is exhausted.
bool cd_describe_dominant_body(cardan_data* d, const double* v, char* text, size_t size);

// Describe the direction u: "along -z", "about (0.6, 0, 0.8)". with_sign: distinguish u from -u.
void cd_describe_direction(const double u[3], bool is_rotation, bool with_sign, char* text, size_t size);

// Describe a mode shape (nv, real and imaginary part) by shares of the kinetic energy: "chassis 92 % about y, wheel 4 %
// along z". M (nv x nv) is the mass matrix, states (nstate) the magnitudes of the user states. Without kinetic energy,
// name the user state of largest magnitude. Changes the velocities of the data. Returns false if memory is exhausted.
bool cd_describe_mode_shape(cardan_data* d, const double* M, const double* re, const double* im, const double* states,
                            char* text, size_t size);
