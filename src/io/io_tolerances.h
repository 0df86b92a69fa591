// SPDX-License-Identifier: BSD-3-Clause
// Tolerances of the readers of model files. Numbers of a file have the rounding error of their decimal digits: 1e-16 if
// all digits are written, 1e-4 to 1e-7 in tables and exported files. [-]: relative, or without a unit.
#pragma once

// ---- directions and rotations

// [-] Largest entry of R'R - 1: matrices written with four digits are rotations.
static const double cd_rotation_matrix_tolerance = 1e-4;
// [-] The same: R is used as given, else it is replaced by the nearest rotation.
static const double cd_exact_rotation_tolerance = 1e-15;
// [-] 1 - |cosine|, half the square of the angle, of two of the axes of an orientation: parallel by round-off.
static const double cd_parallel_axes_tolerance = 1e-12;
// [-] The same of the axes of a universal joint: its two rotations would be one.
static const double cd_parallel_rotations_tolerance = 1e-9;
// [-] |cosine| of the directions forward and up of a suspension: not perpendicular.
static const double cd_perpendicular_tolerance = 1e-9;
// [-] The same of the axes of a universal joint, which may be oblique: a warning.
static const double cd_perpendicular_warning = 1e-3;

// ---- positions

// [-] Distance of two points relative to their largest coordinate: round-off of coordinates far from the origin; an
// axis or a rod between such points has no direction.
static const double cd_same_point_tolerance = 1e-12;

// ---- inertias, relative to the sum of the sizes of the principal moments

// [-] Negative moments: rounding of the numbers of a file.
static const double cd_negative_moment_tolerance = 1e-9;
// [-] Excess of the largest moment over the sum of the others: exported inertias of thin bodies have seven digits.
static const double cd_triangle_tolerance = 1e-6;
// [-] Entries of the nearest physical inertia: round-off of the diagonalization, printed as 0.
static const double cd_zero_entry_tolerance = 1e-14;

// [-] Excess of a size over a whole number of steps of a grid: rounding of size/step; a larger one adds a step.
static const double cd_whole_steps_tolerance = 1e-9;
