// SPDX-License-Identifier: BSD-3-Clause
// Rotors of off-tree joints, which have no coordinates in the model. Along the rate qd = J v of such a joint a rotor
// exerts
//
//   lambda = armature (J a + bias),   M a + J'lambda = r
//
// This is a row with compliance C = 1 / armature, J a - C lambda = gamma = -bias, appended to the constraint rows.
// Formulations get both kinds of rows in one list (solver_rows); projections use the constraint rows only.

#include "dynamics/rows/rotors.h"

#include "constraint/link_twists.h"
#include "dynamics/rows/constraint_update.h"
#include "dynamics/rows/jacobian_operator.h"

void cd_rotor_rows_layout(cd_arena* arena, cardan_data* d)
{
    const int nrow = d->constraints.nrow, n = d->rotors.nrow;
    CD_ARENA_ARRAY(arena, d->solve.rotor_rows.block, n > 0 ? d->constraints.nconstraint + n : 0);
    CD_ARENA_ARRAY(arena, d->solve.rotor_rows.compliance, n > 0 ? nrow + n : 0);
    CD_ARENA_ARRAY(arena, d->scratch.rotor_force, n);
    d->rows        = (cd_rows){.nrow = nrow, .nblock = d->constraints.nconstraint, .block = d->constraints.block};
    d->solver_rows = d->rows;
    if (n == 0) return;
    d->solver_rows = (cd_rows){.nrow       = nrow + n,
                               .nblock     = d->constraints.nconstraint + n,
                               .block      = d->solve.rotor_rows.block,
                               .compliance = d->solve.rotor_rows.compliance};
    if (!d->solve.rotor_rows.block) return;
    for (int i = 0; i < d->constraints.nconstraint; ++i) d->solve.rotor_rows.block[i] = d->constraints.block[i];
    for (int i = 0; i < n; ++i) {
        cd_row_block* b = &d->solve.rotor_rows.block[d->constraints.nconstraint + i];
        *b              = d->rotors.block[i];
        b->row += nrow;
        d->solve.rotor_rows.compliance[nrow + i] = 1 / d->rotors.constraint[i].parameter[0];
    }
}

void cd_add_rotor_efforts(cardan_data* d, const double* a, double* effort)
{
    if (d->rotors.nrow == 0) return;
    cd_update_rows(d);
    const cd_rows  rows = {.nrow = d->rotors.nrow, .nblock = d->rotors.nrow, .block = d->rotors.block};
    const spatial* A    = cd_twists_of(d, a ? a : d->scratch.zero_nv);
    for (int i = 0; i < d->rotors.nrow; ++i)
        d->scratch.rotor_force[i] = d->rotors.constraint[i].parameter[0] *
                                    (cd_row_dot_twists(&d->rotors.block[i], 0, A) - d->solve.gamma[d->rows.nrow + i]);
    cd_add_jacobian_transposed_times(d, &rows, d->scratch.rotor_force, effort);
}

void cd_add_rotor_inertia(cardan_data* d, double* M)
{
    const size_t n = (size_t)d->m->nv;
    cd_update_rows(d);
    for (int i = 0; i < d->rotors.nrow; ++i) {
        const cd_row_block b = cd_joint_space_block(d, &d->rotors, i);
        for (int j = 0; j < b.nv; ++j)
            for (int k = 0; k < b.nv; ++k)
                M[(size_t)b.v[j] * n + (size_t)b.v[k]] += d->rotors.constraint[i].parameter[0] * b.J[j] * b.J[k];
    }
}

double cd_rotor_energy(cardan_data* d)
{
    double energy = 0;
    if (d->rotors.nrow > 0) cd_update_constraint_values(d);
    for (int i = 0; i < d->rotors.nrow; ++i)
        energy += d->rotors.constraint[i].parameter[0] * d->rotors.rate[i] * d->rotors.rate[i] / 2;
    return energy;
}
