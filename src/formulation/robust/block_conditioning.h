// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "math/block_ldl/block_ldl.h"
#include "formulation/formulation.h"

// Blocks are links first, then one for each block of rows.
cd_pivot_conditioning cd_block_conditioning(const cd_block_ldl* F, int nlink, const cd_rows* rows);
