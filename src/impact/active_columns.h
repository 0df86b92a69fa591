// SPDX-License-Identifier: BSD-3-Clause
// Impulses of contacts in given states: p = B y + p_0, and the equations C'u = 0 that determine y. A column of B has
// entries in the rows of one element: one row where it sticks, the normal row with -mu s where it slips.
//
// y is scaled by the diagonal of W: columns of B have unit length in the norm sum d_i p_i^2, d_i the mean of the
// diagonal over the rows that share a unit.
#pragma once

#include "core/memory.h"
#include "impact/contact_problem.h"

enum { CD_COLUMN_MAX_ENTRIES = 6 };

typedef struct cd_active_column {
    int    element, nentry;
    int    row[CD_COLUMN_MAX_ENTRIES]; // row[0]: row of the equation in C
    double value[CD_COLUMN_MAX_ENTRIES];
    double weight; // of the equation: 1/sqrt(d)
} cd_active_column;

typedef struct cd_active_columns {
    int               count;
    bool              is_symmetric; // B = C
    cd_active_column* column;       // (max_rows)
    double*           p0;           // (max_rows)
} cd_active_columns;

void cd_active_columns_layout(cd_arena* arena, int max_rows, cd_active_columns* columns);
void cd_active_columns_clear(cd_active_columns* columns, const cd_contact_problem* problem);
// A column with one entry: a row of its own.
void cd_active_columns_add(cd_active_columns* columns, const cd_contact_problem* problem, int element, int row);
// A further entry of the last column.
void cd_active_columns_extend(cd_active_columns* columns, int row, double ratio);
// Scale the last column to unit length; call it behind the last entry.
void cd_active_columns_finish(cd_active_columns* columns, const cd_contact_problem* problem);

// sqrt(d) of a row; 1 if no impulse moves the row.
double cd_contact_row_scale(const cd_contact_problem* problem, int element, int row);

// A = B'W B (count x count, row major); A = C'W B column major.
void cd_active_columns_gram(const cd_active_columns* columns, const cd_contact_problem* problem, double* A);
void cd_active_columns_matrix(const cd_active_columns* columns, const cd_contact_problem* problem, double* A);
// p += B y; y = B'D (p - p0), D = diag(d).
void cd_active_columns_expand(const cd_active_columns* columns, const double* y, double* p);
void cd_active_columns_restrict(const cd_active_columns* columns, const cd_contact_problem* problem, const double* p,
                                double* y);
