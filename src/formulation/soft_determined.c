// SPDX-License-Identifier: BSD-3-Clause
// Motions that nothing determines, where rows are soft. Stiff rows leave so much rounding that a motion without any
// inertia seems to have some. Where a pivot is so small, forces along all velocities tell: what is left of them along
// such a motion no iteration answers.
#include "formulation/loan.h"
#include "formulation/soft_rows.h"

#include <math.h>

static const double unresisted = 1e-5;  // of the forces applied: nothing answers what is left of them
static const double slight     = 1e-5;  // pivot, of the inertia behind its velocity
static const double rounding   = 1e-12; // of the largest force at all: at singular poses multipliers grow without bound

bool cd_soft_unanswered(const cd_soft_rows* w)
{
    return w->applied > 0 && w->left_motion > rounding && w->left_motion * w->motion > unresisted * w->applied;
}

int cd_soft_undetermined(const cardan_model* m, const cd_rows* rows, cd_soft_rows* w)
{
    bool doubt = false;
    for (int s = 0; s < w->fronts.nstep; ++s) {
        const double behind = m->resistance[w->fronts.step[s].v];
        doubt |= !(behind > 0) || r_value(w->fronts.step[s].D) * behind * slight > 1;
    }
    if (!doubt) return CARDAN_NONE;
    real *r = w->probe, *gamma = r + m->nv, *a = gamma + rows->nrow, *mu = a + m->nv;
    for (int v = 0; v < m->nv; ++v) r[v] = r_lift(cd_loan_size(m, v) * (1 + 0.5 * sin(1.7 * v)));
    for (int i = 0; i < rows->nrow; ++i) gamma[i] = r_lift(0);
    cd_soft_solve(m, rows, w, CD_SOFT_ITERATIONS, r, gamma, a, mu);
    return cd_soft_unanswered(w) ? w->worst : CARDAN_NONE;
}
