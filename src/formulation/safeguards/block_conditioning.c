// SPDX-License-Identifier: BSD-3-Clause
// Conditioning of the constraint rows in a block LDL' factorization. A pivot relative to all that was subtracted from
// its diagonal entry, d/s, is the square of a singular value of the rows in the metric of the mass matrix.
#include "formulation/safeguards/block_conditioning.h"

cd_pivot_conditioning cd_block_conditioning(const cd_block_ldl* F, int nlink, const cd_rows* rows)
{
    const cd_block_stats stats = cd_block_stats_total(F);
    return (cd_pivot_conditioning){.min_pivot_rel = 1 / stats.max_growth,
                                   .min_pivot_row = stats.max_growth_scalar < 0 || rows->nblock == 0
                                                        ? CARDAN_NONE
                                                        : stats.max_growth_scalar - F->scalar[nlink],
                                   .nnull         = stats.nnull};
}
