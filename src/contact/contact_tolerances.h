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
