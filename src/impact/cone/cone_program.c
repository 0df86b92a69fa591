// SPDX-License-Identifier: BSD-3-Clause
// A cone (c x_n + b, x_t) for every friction set, and x_n >= 0 where no set implies it.
#include "impact/cone/contact_work.h"

static void begin_cone(cd_contact_work* work, int normal, double shift_by)
{
    cd_conic_program* program    = &work->states->program;
    int*              shifted    = work->states->shifted;
    double*           by         = work->states->shift_by;
    shifted[program->rows.ncone] = normal;
    by[program->rows.ncone]      = shift_by;
    cd_cone_rows_begin_cone(&program->rows);
}

static void add_row(cd_cone_rows* rows, int column, double value, double b)
{
    cd_cone_rows_begin_row(rows, b);
    if (column >= 0) cd_cone_rows_add(rows, column, value);
}

static void add_block(cd_contact_work* work, const cd_cone_block* block, bool has_shift)
{
    cd_cone_rows* rows       = &work->states->program.rows;
    bool          is_implied = false;
    for (int k = 0; k < block->nset; ++k) {
        const cd_friction_set* set = &work->cone.set[block->first_set + k];
        if (set->normal >= 0 && !(set->bound > 0)) is_implied = true;
        begin_cone(work, has_shift && set->normal >= 0 ? set->normal : -1, set->coefficient);
        add_row(rows, set->normal, set->coefficient, set->bound);
        for (int r = 0; r < set->nrow; ++r) add_row(rows, set->row + r, 1, 0);
    }
    if (block->normal < 0 || is_implied) return;
    begin_cone(work, -1, 0);
    add_row(rows, block->normal, 1, 0);
}

void cd_cone_program(cd_contact_work* work, const double* H, bool has_shift)
{
    cd_conic_program* program = &work->states->program;
    cd_cone_rows_clear(&program->rows);
    program->n            = work->cone.n;
    program->H            = H;
    program->c            = work->cone.q;
    program->is_symmetric = work->cone.is_symmetric;
    for (int b = 0; b < work->cone.nblock; ++b) add_block(work, &work->cone.block[b], has_shift);
}
