// SPDX-License-Identifier: BSD-3-Clause
// Tolerances of pictures and plots. Round-off must not decide what is drawn, so that pictures are equal on all machines.
#pragma once

// ---- pictures of mechanisms

// [-] Components of unit vectors: zero by round-off; a face or an axis lies in the plane of the picture.
static const double cd_direction_tolerance = 1e-9;
// [-] Sine or cosine of the angle of two joint axes: parallel, perpendicular; the mechanism is planar.
static const double cd_planar_axis_tolerance = 1e-6;
// [-] Distance of two points relative to the size of the mechanism: the same point, drawn once.
static const double cd_same_place_tolerance = 1e-6;
// [-] Twice the area of a triangle of joints relative to the squared size of the mechanism: a line, not a plate.
static const double cd_flat_plate_tolerance = 1e-3;
// [-] Negative squares of the sides of the box of an inertia, relative to its trace by mass: round-off of a flat body.
static const double cd_flat_box_tolerance = 1e-9;
// [-] Part of a body that another one hides: the other one is drawn transparent.
static const double cd_hidden_fraction = 0.35;
// [px] Lengths on the page: no visible extent.
static const double cd_page_length_min = 1e-6;

// ---- plots

// [-] Values of ticks and of their powers of ten, relative: round-off of log10 and of multiples of the spacing.
static const double cd_tick_value_tolerance = 1e-9;
// [-] Positions of ticks relative to their spacing: round-off of the ends of the axis.
static const double cd_tick_place_tolerance = 1e-6;
// [-] Range of an axis relative to its values: constant by round-off of doubles.
static const double cd_constant_range_tolerance = 1e-13;
// [-] Range of a curve relative to 1 plus its values: constant up to the accuracy of results, drawn as a line.
static const double cd_constant_curve_tolerance = 1e-9;
// [-] Spread of the abscissas of a fit, relative to their sum of squares: too small for a slope.
static const double cd_fit_spread_min = 1e-12;
