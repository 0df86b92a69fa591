// SPDX-License-Identifier: BSD-3-Clause
// Mass matrix along the tree: row v holds M(v, v), M(v, parent of v), ... up to the root and nothing else, because
// velocities on different branches are not coupled. The tail of a row from an ancestor on has the pattern of the
// ancestor's own row, so that elimination consists of plain vector updates without fill-in (paper 002, section 4).
#pragma once

#include "kinematics/kinematics.h"

typedef struct cd_tree_matrix {
    int*   start;     // (nv) first entry of row v; its length is m->v_depth[v]
    int*   column;    // (entries) velocity of each entry
    real*  entry;     // (entries)
    rigid* composite; // (nlink) scratch: composite inertias in the root's frame
} cd_tree_matrix;

double cd_tree_mass_entries(const cardan_model* m); // number of entries
void   cd_tree_mass_layout(const cardan_model* m, cd_arena* arena, cd_tree_matrix* M);

// Compute M by composite bodies, after cd_root_frame_poses.
void cd_tree_mass(const cardan_model* m, const cd_kinematics* k, cd_tree_matrix* M);
