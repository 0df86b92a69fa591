// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "math/block_ldl/block_ldl.h"
#include "formulation/formulation.h"

// Return the pivot conditioning of F. Its blocks are the nlink links first, then one block per row block.
cd_pivot_conditioning cd_block_conditioning(const cd_block_ldl* F, int nlink, const cd_rows* rows);
