// SPDX-License-Identifier: BSD-3-Clause
// Rows of long mechanisms yield a little:
//
//   C a - E lambda = gamma,   E = delta s,   delta = 1e-14
//
// s(i) is what elimination takes from the diagonal entry of row i: C(i,j)^2 / H(j,j) of the bodies that it holds, what
// it would yield if they were held by nothing else, and what others hold of that. So every pivot is changed in its 14th
// digit at most, and s is at hand when the pivot is (block_ldl.c).
//
// Why: N = C H^-1 C' has small eigenvalues, where forces act against each other along the whole mechanism. In a ladder
// whose rails cannot be tilted against each other but as a whole, the least one falls with the fourth power of the
// cells: 4e-8 at 100 of them, 4e-12 at 1,000, 4e-16 at 10,000, which is the rounding of s. Every elimination leaves
// rounding in N, in some order or other. Without sign it makes such an N indefinite: forces answer what rows left of
// the step before, their own rounding leaves more, and from step to step they grow without bound. E is a rounding that
// is larger, and positive: N + E is definite, what cannot be told of forces stays small, and what E leaves of a row is
// taken out in the next step, or by refinement. Definite whatever the order: Vanderbei 1995, SIAM J. Optim. 5(1),
// symmetric quasidefinite matrices.
#include "formulation/maximal/kkt_quasidefinite.h"

static const double diagonal_shift_rel = 1e-14;
enum { MIN_LONG_DEPTH = 1000 }; // steps from body to body

void cd_kkt_make_quasidefinite(cd_kkt_system* system)
{
    if (system->graph_depth > MIN_LONG_DEPTH && cd_ordering_at(system->ordering)->needs_independent_rows)
        system->F.diagonal_shift = diagonal_shift_rel;
}
