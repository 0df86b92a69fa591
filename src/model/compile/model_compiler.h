// SPDX-License-Identifier: BSD-3-Clause
// Shared state of the compilation of a description to a model: the model, the tree, and the positions of the groups on
// it.
#pragma once

#include "model/parametric_pose.h"
#include "model/model.h"
#include "model/compile/spanning_tree.h"

typedef struct cd_model_compiler {
    cardan_model*    m;
    cd_parametric*   parametric; // of the description, usually NULL
    cd_spanning_tree tree;
    cardan_pose*     group_pose; // (ngroup) group frame on its link
    int*             group_link; // (ngroup)
    int*             first_body; // (ngroup) lists of the bodies of each group
    int*             next_body;  // (nbody)
    cardan_pose*     start_pose; // (ngroup) maximal coordinates: start poses of the groups
    double (*start_twist)[6];    // (ngroup) and start twists
    int nlink, nv_ordered;
} cd_model_compiler;

// Joint j: described, or the free joint that was added for a floating body. The coordinates of the latter are those of
// the body frame in the world, so that it starts at the design configuration.
cardan_joint cd_model_compiler_joint(const cd_model_compiler* c, int j);

// Body frame on the link of the body; link -1 is ground.
cardan_pose cd_model_compiler_body_pose(const cd_model_compiler* c, int body, int* link);

// compile_links.c: joints to links.
void cd_compile_joint_size(cd_model_compiler* c, int j);        // elementary joints and coordinate counts of joint j
void cd_compile_tree_joint(cd_model_compiler* c, int g, int j); // links of joint j, the parent joint of group g
void cd_compile_floating_group(cd_model_compiler* c, int g);    // a free joint for group g

// compile_link_frames.c: inertias and frames on links.
void cd_compile_link_frames(cd_model_compiler* c);
