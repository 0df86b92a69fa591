// SPDX-License-Identifier: BSD-3-Clause
// J as an operator, independent of whether the formulation stores joint-space rows: J x and J'lambda in one sweep
// over the tree, and the joint-space rows of a single constraint.

#include "dynamics/rows/jacobian_operator.h"

#include "constraint/link_twists.h"
#include "constraint/joint_space_rows.h"

void cd_jacobian_layout(const cardan_model* m, cd_arena* arena, cardan_data* d)
{
    const size_t nv = d->constraints.has_joint_rows ? 0 : (size_t)m->nv;
    CD_ARENA_ARRAY(arena, d->scratch.joint_space_v, nv);
    CD_ARENA_ARRAY(arena, d->scratch.joint_space_J, nv * CD_CONSTRAINT_ROWS_MAX);
    CD_ARENA_ARRAY(arena, d->scratch.twist, m->nlink + 1);
    if (d->scratch.twist) *d->scratch.twist++ = sv_zero();
}

cd_row_block cd_joint_space_block(const cardan_data* d, const cd_constraint_set* constraints, int i)
{
    cd_row_block b = constraints->block[i];
    if (constraints->has_joint_rows) return b;
    b.v  = d->scratch.joint_space_v;
    b.J  = d->scratch.joint_space_J;
    b.nv = cd_joint_space_velocities(d->m, &constraints->constraint[i], b.v);
    double square[CD_CONSTRAINT_ROWS_MAX];
    cd_joint_space_rows(d->m, &d->k, &d->world, &constraints->constraint[i], &b, square);
    return b;
}

const spatial* cd_twists_of(const cardan_data* d, const double* x)
{
    cd_link_twists(d->m, &d->k, &d->world, x, d->scratch.twist);
    return d->scratch.twist;
}

void cd_jacobian_times(const cardan_data* d, const cd_rows* rows, const double* x, double* y)
{
    cd_twists_of(d, x);
    for (int c = 0; c < rows->nblock; ++c) {
        const cd_row_block* b = &rows->block[c];
        for (int i = 0; i < b->nrow; ++i) y[b->row + i] = cd_row_dot_twists(b, i, d->scratch.twist);
    }
}

void cd_add_jacobian_transposed_times(const cardan_data* d, const cd_rows* rows, const double* lambda, double* x)
{
    for (int i = 0; i < d->m->nlink; ++i) d->scratch.twist[i] = sv_zero();
    for (int c = 0; c < rows->nblock; ++c)
        cd_row_block_add_wrenches(&rows->block[c], lambda + rows->block[c].row, d->scratch.twist);
    cd_efforts_of_wrenches(d->m, &d->k, &d->world, d->scratch.twist, x);
    d->scratch.twist[-1] = sv_zero();
}
