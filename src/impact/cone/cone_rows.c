// SPDX-License-Identifier: BSD-3-Clause
// Rows of cones of a conic program, built one after the other.
#include "impact/cone/interior_point.h"

void cd_cone_rows_layout(cd_arena* arena, int max_cones, int max_rows, long max_entries, cd_cone_rows* rows)
{
    CD_ARENA_ARRAY(arena, rows->first, max_cones + 1);
    CD_ARENA_ARRAY(arena, rows->start, max_rows + 1);
    CD_ARENA_ARRAY(arena, rows->column, max_entries);
    CD_ARENA_ARRAY(arena, rows->value, max_entries);
    CD_ARENA_ARRAY(arena, rows->b, max_rows);
}

void cd_cone_rows_clear(cd_cone_rows* rows)
{
    rows->ncone = rows->nrow = 0;
    rows->first[0] = rows->start[0] = 0;
}

void cd_cone_rows_begin_cone(cd_cone_rows* rows)
{
    ++rows->ncone;
    rows->first[rows->ncone] = rows->nrow;
}

void cd_cone_rows_begin_row(cd_cone_rows* rows, double b)
{
    rows->b[rows->nrow] = b;
    ++rows->nrow;
    rows->start[rows->nrow]  = rows->start[rows->nrow - 1];
    rows->first[rows->ncone] = rows->nrow;
}

void cd_cone_rows_add(cd_cone_rows* rows, int column, double value)
{
    const int k     = rows->start[rows->nrow]++;
    rows->column[k] = column;
    rows->value[k]  = value;
}
