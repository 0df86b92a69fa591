// SPDX-License-Identifier: BSD-3-Clause
#include "motion/entries.h"

#include "core/memory.h"

#include <stdlib.h>
#include <string.h>

void cd_entries_free(cd_entries* e)
{
    cd_sparse_lu_destroy(e->lu);
    free(e->at_row), free(e->at_column), free(e->place), free(e->start), free(e->row), free(e->value);
    *e = (cd_entries){0};
}

void cd_entries_begin(cd_entries* e, int n)
{
    cd_entries_free(e);
    e->n = n;
}

void cd_entries_open(cd_entries* e)
{
    e->next = 0;
    if (e->known) memset(e->value, 0, (size_t)e->start[e->n] * sizeof *e->value);
}

static bool grow(cd_entries* e)
{
    const size_t capacity = e->capacity ? 2 * e->capacity : 4096;
    int*         rows     = realloc(e->at_row, capacity * sizeof *rows);
    if (rows) e->at_row = rows;
    int* columns = realloc(e->at_column, capacity * sizeof *columns);
    if (columns) e->at_column = columns;
    if (!rows || !columns) return false;
    e->capacity = capacity;
    return true;
}

void cd_entries_note(cd_entries* e, int row, int column)
{
    if (e->count == e->capacity && !grow(e)) e->failed = true;
    if (e->failed) return;
    e->at_row[e->count]      = row;
    e->at_column[e->count++] = column;
}

// Numbers of the entries in the order of `key` (below n), stable: `order` to `sorted`.
static void sort_by(const cd_entries* e, const int* key, const int* order, int* sorted, int* next)
{
    memset(next, 0, ((size_t)e->n + 1) * sizeof *next);
    for (size_t i = 0; i < e->count; ++i) ++next[key[i] + 1];
    for (int i = 0; i < e->n; ++i) next[i + 1] += next[i];
    for (size_t i = 0; i < e->count; ++i) {
        const int entry            = order ? order[i] : (int)i;
        sorted[next[key[entry]]++] = entry;
    }
}

// By rows, then by columns; what has one place becomes one.
static void make_columns(cd_entries* e, const int* order)
{
    int last_row = -1, last_column = -1, count = 0;
    for (size_t i = 0; i < e->count; ++i) {
        const int entry = order[i], row = e->at_row[entry], column = e->at_column[entry];
        if (row != last_row || column != last_column) {
            e->row[count++]      = row;
            e->start[column + 1] = count;
        }
        e->place[entry] = count - 1;
        last_row        = row;
        last_column     = column;
    }
    for (int j = 0; j < e->n; ++j)
        if (e->start[j + 1] == 0) e->start[j + 1] = e->start[j];
}

static bool learn(cd_entries* e)
{
    int* first = cd_allocate(e->count + 1, sizeof *first);
    int* order = cd_allocate(e->count + 1, sizeof *order);
    int* next  = cd_allocate((size_t)e->n + 1, sizeof *next);
    e->place   = cd_allocate(e->count + 1, sizeof *e->place);
    e->row     = cd_allocate(e->count + 1, sizeof *e->row);
    e->start   = cd_allocate((size_t)e->n + 1, sizeof *e->start);
    e->value   = cd_allocate(e->count + 1, sizeof *e->value);
    bool good  = first && order && next && e->place && e->row && e->start && e->value;
    if (good) {
        sort_by(e, e->at_row, NULL, first, next);
        sort_by(e, e->at_column, first, order, next);
        make_columns(e, order);
        e->lu = cd_sparse_lu_create(e->n, e->start, e->row);
    }
    free(first), free(order), free(next);
    return good && e->lu;
}

bool cd_entries_close(cd_entries* e)
{
    if (e->known) return true;
    if (!e->failed) e->known = learn(e);
    return e->known;
}
