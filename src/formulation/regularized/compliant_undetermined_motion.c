// SPDX-License-Identifier: BSD-3-Clause
// Undetermined motions with compliant rows. Stiff rows leave so much round-off that a motion without inertia seems to
// have some. Where a pivot is small, a solve with forces along all velocities decides: the force along an undetermined
// motion remains as a residual that no iteration reduces.
#include "formulation/formulation_tolerances.h"
#include "formulation/safeguards/proximal_inertia.h"
#include "formulation/regularized/compliant_rows.h"

#include <math.h>

bool cd_compliant_has_unresisted_force(const cd_compliant_rows* w)
{
    return w->rhs_size > 0 && w->motion_residual_rel > cd_force_term_roundoff &&
           w->motion_residual_rel * w->motion_term > cd_unresisted_force_ratio * w->rhs_size;
}

int cd_compliant_find_undetermined(const cd_problem* p, cd_compliant_rows* w)
{
    const cardan_model* m          = p->m;
    const cd_rows*      rows       = p->rows;
    bool                is_suspect = false;
    for (int s = 0; s < w->reduction.nstage; ++s) {
        const double inertia = m->inertia_scale[w->reduction.stage[s].v];
        is_suspect |= !(inertia > 0) || r_value(w->reduction.stage[s].D) * inertia * cd_suspect_inertia_pivot > 1;
    }
    if (!is_suspect) return CARDAN_NONE;
    real *r = w->probe, *gamma = r + m->nv, *a = gamma + rows->nrow, *mu = a + m->nv;
    for (int v = 0; v < m->nv; ++v) r[v] = r_const(cd_proximal_inertia_scale(m, v) * (1 + 0.5 * sin(1.7 * v)));
    for (int i = 0; i < rows->nrow; ++i) gamma[i] = r_const(0);
    cd_compliant_solve(p, w, CD_COMPLIANT_MAX_ITERATIONS, r, gamma, a, mu);
    return cd_compliant_has_unresisted_force(w) ? w->worst_velocity : CARDAN_NONE;
}
