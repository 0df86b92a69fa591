// SPDX-License-Identifier: BSD-3-Clause
// Where the bodies are and how they move at the start, from the start values of the joints along the tree.
#pragma once

#include "model/compile/spanning_tree.h"

// World pose and twist (w, v of the group's origin) of every group. The tree must not be flat.
void cd_start_poses(const cardan_view* view, const cd_spanning_tree* tree, cardan_pose* pose, double (*twist)[6]);
