// SPDX-License-Identifier: BSD-3-Clause
// Diagonal shift of the rows of long mechanisms:
//
//   J a - C lambda = gamma,   C = delta s,   delta = cd_diagonal_shift
//
// s(i) is the sum that elimination subtracts from the diagonal entry of row i: J(i,j)^2 / M(j,j) of its bodies, which
// is the mobility of the row without other constraints, and the effect of the others. Every pivot changes at most in
// its 14th digit, and s is available with the pivot (block_ldl.c).
//
// Reason: N = J M^-1 J' has small eigenvalues, where forces act against each other along the whole mechanism. In a
// ladder whose rails can only be tilted as a whole, the smallest one decreases with the fourth power of the number of
// cells: 4e-8 at 100 cells, 4e-12 at 1,000, 4e-16 at 10,000, which is the round-off of s. Every elimination leaves
// round-off in N, in any order. With either sign it makes such an N indefinite: multipliers respond to the row
// residuals of the previous step, their own round-off leaves larger ones, and from step to step they grow without
// bound. C is larger than that round-off and positive: N + C is definite, undetermined multipliers stay small, and the
// next step, or refinement, removes the row residuals due to C. Quasidefinite matrices are factorizable in any order:
// Vanderbei 1995, SIAM J. Optim. 5(1), symmetric quasidefinite matrices.
#include "formulation/formulation_tolerances.h"
#include "formulation/maximal/kkt_quasidefinite.h"

enum { MIN_LONG_DEPTH = 1000 }; // graph depth

void cd_kkt_make_quasidefinite(cd_kkt_system* system)
{
    if (system->graph_depth > MIN_LONG_DEPTH && cd_ordering_at(system->ordering)->needs_independent_rows)
        system->F.diagonal_shift = cd_diagonal_shift;
}
