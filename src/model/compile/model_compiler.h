// SPDX-License-Identifier: BSD-3-Clause
// What the parts of the way from description to model share: the model that becomes, the tree, and where the groups of
// bodies are on it.
#pragma once

#include "model/parametric_pose.h"
#include "model/model.h"
#include "model/compile/spanning_tree.h"

typedef struct cd_model_compiler {
    cardan_model*    m;
    cd_parametric*   parametric; // of the description, mostly NULL
    cd_spanning_tree tree;
    cardan_pose*     group_pose; // (ngroup) group frame on its link
    int*             group_link; // (ngroup)
    int*             first_body; // (ngroup) lists of the bodies of each group
    int*             next_body;  // (nbody)
    cardan_pose*     start_pose; // (ngroup) flat: where the groups are at the start
    double (*start_twist)[6];    // (ngroup) and how they move
    int nlink, nv_ordered;
} cd_model_compiler;

// Joint j: described, or the free joint that was added for a body that floats. The coordinates of the latter are those
// of the body frame in the world, so it starts at the design position.
cardan_joint cd_model_compiler_joint(const cd_model_compiler* c, int j);

// The body's frame on the link that carries it; link -1 is ground.
cardan_pose cd_model_compiler_body_pose(const cd_model_compiler* c, int body, int* link);

// compile_links.c: joints to links.
void cd_compile_joint_size(cd_model_compiler* c, int j);        // steps and numbers of coordinates of joint j
void cd_compile_tree_joint(cd_model_compiler* c, int g, int j); // the links of joint j, which carries group g
void cd_compile_floating_group(cd_model_compiler* c, int g);    // a free joint of its own for group g

// compile_link_frames.c: what hangs on links.
void cd_compile_link_frames(cd_model_compiler* c);
