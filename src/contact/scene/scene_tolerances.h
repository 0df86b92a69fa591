// SPDX-License-Identifier: BSD-3-Clause
// Tolerances of contact scenes.
#pragma once

// Distance of two joints on a body, relative to their distance from its origin: the same point of the body.
static const double cd_same_point_tolerance = 1e-9;
// Rounding of boxes, cylinders and hulls that give none, relative to the smallest half size.
static const double cd_default_rounding = 1e-3;
// A point with new features continues the record of the nearest old one of its pair within this distance, relative to the size
// of the scene.
static const double cd_same_contact_distance = 0.1;
// Gap up to which the points of a pair are recomputed while they are followed, relative to the size of the scene: records
// keep their features although the gap changes.
static const double cd_follow_margin = 0.05;
// Margin of a search where none is given, relative to the size of the scene.
static const double cd_default_margin = 1e-3;
