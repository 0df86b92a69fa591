// SPDX-License-Identifier: BSD-3-Clause
// A sparse matrix by its entries, which whoever makes it tells one after the other, always in the same order: (row,
// column, value), those of one place add up. The first time they are collected and sorted into columns; from then on
// the same calls put values where they belong.
#pragma once

#include "math/sparse_lu.h"

#include <stddef.h>

typedef struct cd_entries {
    int           n;
    bool          known;           // the pattern
    bool          failed;          // no memory
    size_t        count, capacity; // entries told
    int *         at_row, *at_column;
    int*          place;       // (count) where an entry stands in the columns
    int *         start, *row; // the matrix by columns
    double*       value;
    size_t        next; // entry to come
    cd_sparse_lu* lu;
} cd_entries;

void cd_entries_begin(cd_entries* e, int n); // forgets the pattern
void cd_entries_free(cd_entries* e);

// Before the entries of a matrix, and behind them: false without memory, or where no values can make the pattern
// regular.
void cd_entries_open(cd_entries* e);
bool cd_entries_close(cd_entries* e);

void cd_entries_note(cd_entries* e, int row, int column); // while the pattern is not known

static inline void cd_entry(cd_entries* e, int row, int column, double value)
{
    if (e->known)
        e->value[e->place[e->next++]] += value;
    else
        cd_entries_note(e, row, column);
}
