// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "formulation/block_ldl.h"
#include "formulation/formulation.h"

// Blocks are links first, then one for each block of rows.
cd_strength cd_block_strength(const cd_block_ldl* F, int nlink, const cd_rows* rows);
