// SPDX-License-Identifier: BSD-3-Clause
// A sparse matrix by its entries, which whoever makes it tells one after the other, always in the same order: (row,
// column, value), those of one place add up. The first time they are collected and sorted into columns; from then on
// the same calls put values where they belong.
#pragma once

#include "math/sparse_lu.h"

#include <stddef.h>

typedef struct cd_triplet_matrix {
    int           n;
    bool          pattern_known;      // the pattern
    bool          out_of_memory;      // no memory
    size_t        ntriplet, capacity; // entries told
    int *         triplet_row, *triplet_column;
    int*          csc_index;                // (count) where an entry stands in the columns
    int *         column_start, *row_index; // the matrix by columns
    double*       value;
    size_t        next; // entry to come
    cd_sparse_lu* lu;
} cd_triplet_matrix;

void cd_triplet_matrix_init(cd_triplet_matrix* e, int n); // forgets the pattern
void cd_triplet_matrix_free(cd_triplet_matrix* e);

// Before the entries of a matrix, and behind them: false without memory, or where no values can make the pattern
// regular.
void cd_triplet_matrix_begin(cd_triplet_matrix* e);
bool cd_triplet_matrix_end(cd_triplet_matrix* e);

void cd_triplet_matrix_append(cd_triplet_matrix* e, int row, int column); // while the pattern is not known

static inline void cd_triplet_matrix_add(cd_triplet_matrix* e, int row, int column, double value)
{
    if (e->pattern_known)
        e->value[e->csc_index[e->next++]] += value;
    else
        cd_triplet_matrix_append(e, row, column);
}
