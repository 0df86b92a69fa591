// SPDX-License-Identifier: BSD-3-Clause
// What the parts of the way from description to model share: the model that becomes, the tree, and where the groups of
// bodies are on it.
#pragma once

#include "model/carried.h"
#include "model/model.h"
#include "model/spanning_tree.h"

typedef struct cd_compiler {
    cardan_model* m;
    cd_ledger*    ledger; // of the description, mostly NULL
    cd_tree       tree;
    cardan_pose*  group_pose; // (ngroup) group frame on its link
    int*          group_link; // (ngroup)
    int*          first_body; // (ngroup) lists of the bodies of each group
    int*          next_body;  // (nbody)
    cardan_pose*  start;      // (ngroup) flat: where the groups are at the start
    double (*twist)[6];       // (ngroup) and how they move
    int link, v_placed;
} cd_compiler;

// Joint j: described, or the free joint that was added for a body that floats. The coordinates of the latter are those
// of the body frame in the world, so it starts at the design position.
cardan_joint cd_compiler_joint(const cd_compiler* c, int j);

// The body's frame on the link that carries it; link -1 is ground.
cardan_pose cd_compiler_place(const cd_compiler* c, int body, int* link);

// compile_links.c: joints to links.
void cd_compile_number(cd_compiler* c, int j);       // steps and numbers of coordinates of joint j
void cd_compile_joint(cd_compiler* c, int g, int j); // the links of joint j, which carries group g
void cd_compile_floating(cd_compiler* c, int g);     // a free joint of its own for group g

// compile_attached.c: what hangs on links.
void cd_compile_attached(cd_compiler* c);
