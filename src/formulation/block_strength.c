// SPDX-License-Identifier: BSD-3-Clause
// What a block LDL' tells of the rows beside its links: a pivot relative to all that was subtracted from its diagonal entry,
// d/s, is the square of a singular value of the rows in the metric of the mass matrix.
#include "formulation/block_strength.h"

#include <math.h>

cd_strength cd_block_strength(const cd_block_ldl* F, int nlink, const cd_rows* rows)
{
    cd_strength found = {.least = 1, .row = CARDAN_NONE};
    double      most  = 1;  // s/d
    for (int c = 0; c < rows->nblock; ++c) {
        const int block = nlink + c, s = F->size[block], first = F->scalar[block];
        for (int i = 0; i < s; ++i) {
            if (F->null[first + i]) {
                ++found.null;
                continue;
            }
            const double part = fabs(r_value(cd_block_inverse(F, block, i))) * F->taken[first + i];
            if (!(part > most)) continue;
            most      = part;
            found.row = rows->block[c].row + i;
        }
    }
    found.least = 1 / most;
    return found;
}
