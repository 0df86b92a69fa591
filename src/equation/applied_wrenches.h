// SPDX-License-Identifier: BSD-3-Clause
// Applied forces of a model at a state: coordinates of off-tree joints, and force elements and efforts as wrenches on
// links.
#pragma once

#include "constraint/joint_state.h"
#include "force/force.h"

// Compute coordinates and velocities of off-tree joints, behind those of the tree; q holds the last values. Of all of
// them, or of n.
void cd_evaluate_off_tree_joints(const cardan_model* m, const cd_world_motion* world, real* q, real* v);
void cd_evaluate_joint_states(const cardan_model* m, const cd_world_motion* world, int n, const int* joint, real* q,
                              real* v);

// Add wrenches to those of the links (nlink), world axes, at their origins: wrenches given at the mass centres of
// bodies (nbody, world axes); force elements of the given types (nforce), with `component` (3 each) the values of their
// formulas; and efforts along off-tree joints as pairs. is_disabled (nforce; NULL: none): elements without force.
// stored_power: the rate of the stored energy is added; NULL: not needed.
void cd_add_body_wrenches(const cardan_model* m, const cd_world_motion* world, const spatial* at_centre,
                          spatial* wrench);
void cd_apply_force_elements(const cardan_model* m, const cd_force_type* const* type, const bool* is_disabled,
                             const cd_world_motion* world, const real* component, spatial* wrench, real* effort,
                             real* stored_power);
void cd_add_off_tree_efforts(const cardan_model* m, const cd_world_motion* world, const real* q, const real* effort,
                             spatial* wrench);

// Rotate wrenches from world axes to the axes of each link.
void cd_rotate_wrenches_to_links(const cardan_model* m, const cd_world_motion* world, spatial* wrench);
