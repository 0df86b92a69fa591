// SPDX-License-Identifier: BSD-3-Clause
// What a block LDL' tells of the rows beside its links: a pivot relative to all that was subtracted from its diagonal
// entry, d/s, is the square of a singular value of the rows in the metric of the mass matrix.
#include "formulation/block_strength.h"

cd_strength cd_block_strength(const cd_block_ldl* F, int nlink, const cd_rows* rows)
{
    const cd_block_met met = cd_block_met_by_all(F);
    return (cd_strength){.least = 1 / met.most,
                         .row   = met.scalar < 0 || rows->nblock == 0 ? CARDAN_NONE : met.scalar - F->scalar[nlink],
                         .null  = met.null};
}
