// SPDX-License-Identifier: BSD-3-Clause
// Loads of a model at a state, step by step: joints that the tree does not have are measured, elements and efforts
// become wrenches on links.
#pragma once

#include "constraint/joint_state.h"
#include "force/force.h"

// Coordinates and velocities of joints that the tree does not have, in their places behind those of the tree; q holds
// the last values. Of all of them, or of n.
void cd_evaluate_off_tree_joints(const cardan_model* m, const cd_world_frame* world, real* q, real* v);
void cd_evaluate_joint_states(const cardan_model* m, const cd_world_frame* world, int n, const int* joint, real* q,
                              real* v);

// Wrenches on links (nlink) in world axes at their origins, added: those given at the mass centres of bodies (nbody,
// world axes), those of the force elements, of the types given (nforce), whose formulas gave `component` (3 each), and
// efforts along measured joints as pairs. left_out (nforce; NULL: none): elements that do not push. storing: the rate
// at which elements store energy is added; NULL where nobody asks.
void cd_add_body_wrenches(const cardan_model* m, const cd_world_frame* world, const spatial* at_centre,
                          spatial* wrench);
void cd_apply_force_elements(const cardan_model* m, const cd_force_type* const* type, const bool* is_disabled,
                             const cd_world_frame* world, const real* component, spatial* wrench, real* effort,
                             real* stored_power);
void cd_add_off_tree_efforts(const cardan_model* m, const cd_world_frame* world, const real* q, const real* effort,
                             spatial* wrench);

// World axes to the axes of each link.
void cd_rotate_wrenches_to_links(const cardan_model* m, const cd_world_frame* world, spatial* wrench);
