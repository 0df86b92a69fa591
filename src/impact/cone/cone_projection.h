// SPDX-License-Identifier: BSD-3-Clause
// Projections onto the sets of admissible impulses and the residual of the cone law.
#pragma once

#include "impact/cone/cone_problem.h"

double cd_set_norm(const cd_friction_set* set, const double* x); // |x_t|

// Nearest point of { x_n >= 0, |x_t| <= coefficient x_n + bound of every set } to z; of a block without normal row, of
// the friction sets alone. z: the rows of the block. set: (nset), their rows begin at the first row of the block.
void cd_cone_project(const cd_friction_set* set, int nset, bool has_normal, double* z);

// |x - P(x - y - shift)|, shift = sum of coefficient |y_t| in the normal row. x, y: the rows of the block.
double cd_cone_distance(const cd_friction_set* set, int nset, bool has_normal, int nrow, const double* x,
                        const double* y);
// The same of a block; of an equality |y|. x, y: all rows.
double cd_cone_block_residual(const cd_cone_problem* cone, const cd_cone_block* block, const double* x,
                              const double* y);
