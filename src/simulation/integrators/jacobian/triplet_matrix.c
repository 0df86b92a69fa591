// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/integrators/jacobian/triplet_matrix.h"

#include "core/memory.h"

#include <stdlib.h>
#include <string.h>

void cd_triplet_matrix_free(cd_triplet_matrix* e)
{
    cd_sparse_lu_destroy(e->lu);
    free(e->triplet_row), free(e->triplet_column), free(e->csc_index), free(e->column_start), free(e->row_index),
        free(e->value);
    *e = (cd_triplet_matrix){0};
}

void cd_triplet_matrix_init(cd_triplet_matrix* e, int n)
{
    cd_triplet_matrix_free(e);
    e->n = n;
}

void cd_triplet_matrix_begin(cd_triplet_matrix* e)
{
    e->next = 0;
    if (e->pattern_known) memset(e->value, 0, (size_t)e->column_start[e->n] * sizeof *e->value);
}

static bool grow_triplets(cd_triplet_matrix* e)
{
    const size_t capacity = e->capacity ? 2 * e->capacity : 4096;
    int*         rows     = realloc(e->triplet_row, capacity * sizeof *rows);
    if (rows) e->triplet_row = rows;
    int* columns = realloc(e->triplet_column, capacity * sizeof *columns);
    if (columns) e->triplet_column = columns;
    if (!rows || !columns) return false;
    e->capacity = capacity;
    return true;
}

void cd_triplet_matrix_append(cd_triplet_matrix* e, int row, int column)
{
    if (e->ntriplet == e->capacity && !grow_triplets(e)) e->out_of_memory = true;
    if (e->out_of_memory) return;
    e->triplet_row[e->ntriplet]      = row;
    e->triplet_column[e->ntriplet++] = column;
}

// Sort entry indices stably by `key` (values below n): `order` to `sorted`.
static void sort_by_key(const cd_triplet_matrix* e, const int* key, const int* order, int* sorted, int* next)
{
    memset(next, 0, ((size_t)e->n + 1) * sizeof *next);
    for (size_t i = 0; i < e->ntriplet; ++i) ++next[key[i] + 1];
    for (int i = 0; i < e->n; ++i) next[i + 1] += next[i];
    for (size_t i = 0; i < e->ntriplet; ++i) {
        const int entry            = order ? order[i] : (int)i;
        sorted[next[key[entry]]++] = entry;
    }
}

// Compress entries sorted by columns, then by rows; entries of one position share one value.
static void compress_columns(cd_triplet_matrix* e, const int* order)
{
    int last_row = -1, last_column = -1, count = 0;
    for (size_t i = 0; i < e->ntriplet; ++i) {
        const int entry = order[i], row = e->triplet_row[entry], column = e->triplet_column[entry];
        if (row != last_row || column != last_column) {
            e->row_index[count++]       = row;
            e->column_start[column + 1] = count;
        }
        e->csc_index[entry] = count - 1;
        last_row            = row;
        last_column         = column;
    }
    for (int j = 0; j < e->n; ++j)
        if (e->column_start[j + 1] == 0) e->column_start[j + 1] = e->column_start[j];
}

static bool build_pattern(cd_triplet_matrix* e)
{
    int* first      = cd_allocate(e->ntriplet + 1, sizeof *first);
    int* order      = cd_allocate(e->ntriplet + 1, sizeof *order);
    int* next       = cd_allocate((size_t)e->n + 1, sizeof *next);
    e->csc_index    = cd_allocate(e->ntriplet + 1, sizeof *e->csc_index);
    e->row_index    = cd_allocate(e->ntriplet + 1, sizeof *e->row_index);
    e->column_start = cd_allocate((size_t)e->n + 1, sizeof *e->column_start);
    e->value        = cd_allocate(e->ntriplet + 1, sizeof *e->value);
    bool good       = first && order && next && e->csc_index && e->row_index && e->column_start && e->value;
    if (good) {
        sort_by_key(e, e->triplet_row, NULL, first, next);
        sort_by_key(e, e->triplet_column, first, order, next);
        compress_columns(e, order);
        e->lu = cd_sparse_lu_create(e->n, e->column_start, e->row_index);
    }
    free(first), free(order), free(next);
    return good && e->lu;
}

bool cd_triplet_matrix_end(cd_triplet_matrix* e)
{
    if (e->pattern_known) return true;
    if (!e->out_of_memory) e->pattern_known = build_pattern(e);
    return e->pattern_known;
}
