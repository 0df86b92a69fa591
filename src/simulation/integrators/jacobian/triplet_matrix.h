// SPDX-License-Identifier: BSD-3-Clause
// Sparse matrix assembled from (row, column, value) entries, always in the same order; entries of one position are
// summed. The first assembly collects the entries and sorts them into columns; later ones add values directly to
// their positions.
#pragma once

#include "math/sparse_lu.h"

#include <stddef.h>

typedef struct cd_triplet_matrix {
    int           n;
    bool          pattern_known;
    bool          out_of_memory;
    size_t        ntriplet, capacity; // entries of the first assembly
    int *         triplet_row, *triplet_column;
    int*          csc_index;                // (ntriplet) position of an entry in the columns
    int *         column_start, *row_index; // compressed columns
    double*       value;
    size_t        next; // index of the next entry
    cd_sparse_lu* lu;
} cd_triplet_matrix;

void cd_triplet_matrix_init(cd_triplet_matrix* e, int n); // discards the pattern
void cd_triplet_matrix_free(cd_triplet_matrix* e);

// Begin and end an assembly. The end returns false if memory is exhausted, or if the pattern is structurally singular.
void cd_triplet_matrix_begin(cd_triplet_matrix* e);
bool cd_triplet_matrix_end(cd_triplet_matrix* e);

void cd_triplet_matrix_append(cd_triplet_matrix* e, int row, int column); // while the pattern is unknown

static inline void cd_triplet_matrix_add(cd_triplet_matrix* e, int row, int column, double value)
{
    if (e->pattern_known)
        e->value[e->csc_index[e->next++]] += value;
    else
        cd_triplet_matrix_append(e, row, column);
}
