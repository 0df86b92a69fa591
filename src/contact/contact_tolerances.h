// SPDX-License-Identifier: BSD-3-Clause
// Tolerances of the collision geometry.
#pragma once

// [rad] A flat part of a surface counts as parallel to the other surface up to this angle: several contact points.
static const double cd_flat_slope = 1e-3;
// [rad] The extreme point of a circle is defined above this angle between its plane and the other surface.
static const double cd_extreme_slope = 1e-9;
// Distance of a corner from the plane of a neighbouring triangle, relative to the size of the hull: one face.
static const double cd_hull_flatness = 1e-10;
// The same of a vertex outside a face: round-off.
static const double cd_hull_convexity = 1e-9;
// [-] c v below which the equation of the damping is summed as a series of 11 terms, error 1e-17.
static const double cd_restitution_series_limit = 0.03;
// [-] Smallest ratio of the semi-axes of an elliptic contact: a line contact for any purpose.
static const double cd_hertz_axis_ratio_min = 1e-12;
// Pivot of dimensionless linear equations of a contact point: singular below.
static const double cd_singular_pivot = 1e-12;

// Distance of two cores, relative to the size of the smaller shape, below which they count as overlapping: the direction
// between their nearest points has no digits left.
static const double cd_touch_distance = 1e-9;
// Relative error of the distance at the end of GJK; the features give the rest.
static const double cd_gjk_accuracy = 1e-9;
enum { CD_GJK_STEPS = 100 };
// [rad], and relative to the size: changes of the last step of Newton's method for a common normal, and changes that are accepted
// where round-off prevents smaller ones.
static const double cd_newton_accuracy = 1e-15;
static const double cd_newton_stall    = 1e-9;
enum { CD_NEWTON_STEPS = 40 };
// Round-off of a position relative to the size of the larger shape.
static const double cd_position_roundoff = 4e-15;
// Difference of distance and separation along the normal, and distance of a point from its core, relative to the size of the
// smaller shape, of points that are nearest.
static const double cd_nearest_accuracy = 1e-10;
// Distance of a point of a flat part outside the other one, relative to the size, that counts as inside; duplicates of a point.
static const double cd_clip_accuracy = 1e-10;
// [rad] Two faces with a smaller angle are parallel: a fixed rule decides which one is the reference.
static const double cd_parallel_slope = 1e-6;
// An axis of two edges, or a new axis, must have a smaller overlap by this ratio, and by the second figure relative to the size.
static const double cd_axis_preference = 1e-3;
static const double cd_axis_tie        = 1e-12;
// Cosine of the angle between two faces above which corners of one are projected onto the other.
static const double cd_least_facing = 0.1;
// Distance of a support point from a face of the expanding polytope at the end, relative to the size of the smaller shape.
static const double cd_polytope_accuracy = 1e-9;
// [rad] Width of the bracket of a minimum on a circle.
static const double cd_angle_accuracy = 1e-15;
