// SPDX-License-Identifier: BSD-3-Clause
// Constraints that are only round-off in tree coordinates: two revolute joints whose axes differ by 1e-11 m leave rows
// of that size, whose pivots, relative to the row itself, would count as independent and lock the mechanism. All rows
// of such a constraint are compared with the terms of their sums, as maximal coordinates do implicitly, and as assembly
// does for the start.

#include "dynamics/rank/negligible_constraint.h"

#include "dynamics/dynamics_tolerances.h"

#include <math.h>
#include <string.h>

static bool is_translation(const cardan_model* m, int v)
{
    const cd_link* link = &m->link[m->v_link[v]];
    return link->motion == CD_PRISMATIC || (link->nv == 6 && v - link->v < 3);
}

static bool is_negligible(const cardan_data* d, const cd_row_block* b)
{
    for (int i = 0; i < b->nrow; ++i) {
        double translation_size = 0, rotation_size = 0;
        for (int n = 0; n < b->nend; ++n) {
            translation_size = fmax(translation_size, v3_length(b->G[i * b->nend + n].l));
            rotation_size    = fmax(rotation_size, v3_length(b->G[i * b->nend + n].a));
        }
        rotation_size += translation_size * d->units.length_scale;
        for (int j = 0; j < b->nv; ++j)
            if (!(fabs(b->J[i * b->nv + j]) <=
                  cd_negligible_constraint_ratio * (is_translation(d->m, b->v[j]) ? translation_size : rotation_size)))
                return false;
    }
    return true;
}

void cd_zero_negligible_constraints(cardan_data* d)
{
    if (d->m->policy == CARDAN_TREE_MAXIMAL || !d->constraints.has_joint_rows) return;
    for (int c = 0; c < d->constraints.nconstraint; ++c) {
        const cd_row_block* b = &d->rows.block[c];
        if (d->constraints.constraint[c].driven_rows || !is_negligible(d, b)) continue;
        memset(b->J, 0, (size_t)(b->nrow * b->nv) * sizeof *b->J);
        memset(d->constraints.row_norm_sq + b->row, 0, (size_t)b->nrow * sizeof *d->constraints.row_norm_sq);
        memset(d->solve.gamma + b->row, 0, (size_t)b->nrow * sizeof *d->solve.gamma);
    }
}
