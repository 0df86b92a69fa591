// SPDX-License-Identifier: BSD-3-Clause
// Rows of long mechanisms yield a little:
//
//   C a - E lambda = gamma,   E = delta s,   s(i) = sum over j of C(i,j)^2 / H(j,j),   delta = 1e-14
//
// s is what a row would yield if its bodies were held by nothing else, so that every pivot is changed in its 14th digit at most.
//
// Why: N = C H^-1 C' has small eigenvalues, where forces act against each other along the whole mechanism. In a ladder whose rails cannot be tilted against
// each other but as a whole, the least one falls with the fourth power of the cells: 4e-8 at 100 of them, 4e-12 at 1,000, 4e-16 at 10,000, which is
// the rounding of s. Every elimination leaves rounding in N, in some order or other. Without sign it makes such an N indefinite: forces answer
// what rows left of the step before, their own rounding leaves more, and from step to step they grow without bound. E is a rounding that is larger, and
// positive: N + E is definite, what cannot be told of forces stays small, and what E leaves of a row is taken out in the next step, or by refinement.
// Definite whatever the order: Vanderbei 1995, SIAM J. Optim. 5(1), symmetric quasidefinite matrices.
#include "formulation/flat_soft.h"

static const double delta = 1e-14;
enum { long_way = 1000 };  // steps from body to body

bool cd_flat_soft_prepare(cd_flat_soft* soft, const cd_flat_system* system, const cardan_model* m)
{
    *soft = (cd_flat_soft){0};
    if (system->steps <= long_way || !cd_flat_order_at(system->order)->independent) return true;
    soft->yield = cd_allocate(6 * (size_t)m->nlink, sizeof *soft->yield);
    for (int i = 0; soft->yield && i < m->nlink; ++i)
        for (int k = 0; k < 6; ++k) soft->yield[6 * i + k] = delta / (k < 3 ? m->link[i].m : m->link[i].I[k - 3]);
    return soft->yield;
}

void cd_flat_soften(const cd_flat_soft* soft, cd_flat_system* system, const cd_row_block* b, int block)
{
    const int n = r_lanes(b->nrow);
    real*     D = system->F.value + system->F.column[system->F.position[block]].at;
    for (int i = 0; i < b->nrow; ++i) {
        const real* J = b->J + i * b->nv;
        real        E = r_lift(0);
        for (int j = 0; j < b->nv; ++j) E = r_add(E, r_mul(r_lift(soft->yield[b->v[j]]), r_mul(J[j], J[j])));
        D[i * (n + 1)] = r_sub(D[i * (n + 1)], E);
    }
}
