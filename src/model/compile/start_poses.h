// SPDX-License-Identifier: BSD-3-Clause
// Poses and twists of the bodies at the start, from the start values of the joints along the tree.
#pragma once

#include "model/compile/spanning_tree.h"

// Compute world pose and twist (w, v of the group's origin) of every group. The tree must not be maximal.
void cd_start_poses(const cardan_description_view* view, const cd_spanning_tree* tree, cardan_pose* pose,
                    double (*twist)[6]);
