// SPDX-License-Identifier: BSD-3-Clause
// Rank of mechanisms that are too large for singular values: rows are taken one by one and rotated against those before
// them (George and Heath, row by row QR); a row of which nothing is left repeats them. Deepest velocities first, so
// that what fills in stays on the ways to ground.
#include "doctor/doctor.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double nothing         = 1e-9;  // left of a row of unit size
static const double rounding        = 1e-12; // an entry: it must not lead a row
static const double most_operations = 4e9;

// Entries by rising column; columns count from the last velocity.
typedef struct sparse {
    int     count, capacity;
    int*    column;
    double* value;
} sparse;

typedef struct triangle {
    int     nv;
    sparse* row; // (nv) row whose first entry is in that column; count 0: none yet
    sparse  work, other;
    double  operations;
} triangle;

static bool reserve(sparse* s, int count)
{
    if (count <= s->capacity) return true;
    const int capacity = count + count / 2 + 8;
    int*      column   = realloc(s->column, (size_t)capacity * sizeof *column);
    if (column) s->column = column;
    double* value = realloc(s->value, (size_t)capacity * sizeof *value);
    if (value) s->value = value;
    if (column && value) s->capacity = capacity;
    return column && value;
}

static void clear(sparse* s)
{
    free(s->column);
    free(s->value);
    *s = (sparse){0};
}

// Rotates `old` and t->work so that the first entry of work vanishes: both get the pattern of both.
static bool rotate(triangle* t, sparse* old)
{
    const double a = old->value[0], b = t->work.value[0], r = hypot(a, b), c = a / r, s = b / r;
    const sparse w  = t->work;
    sparse       up = {0};
    int          i = 0, k = 0, n = 0;
    if (!reserve(&up, old->count + w.count) || !reserve(&t->other, old->count + w.count)) {
        clear(&up);
        return false;
    }
    t->other.count = 0;
    while (i < old->count || k < w.count) {
        const int    x = i < old->count ? old->column[i] : t->nv, y = k < w.count ? w.column[k] : t->nv;
        const int    column = x < y ? x : y;
        const double p = x == column ? old->value[i++] : 0, q = y == column ? w.value[k++] : 0, left = c * q - s * p;
        up.column[n]  = column;
        up.value[n++] = c * p + s * q;
        if (n == 1 || fabs(left) < rounding) continue; // the first vanishes by construction
        t->other.column[t->other.count]  = column;
        t->other.value[t->other.count++] = left;
    }
    up.count = n;
    clear(old);
    *old = up;
    t->operations += 4.0 * n;
    const sparse swap = t->work;
    t->work           = t->other;
    t->other          = swap;
    return true;
}

static bool left_over(const sparse* s)
{
    double sum = 0;
    for (int i = 0; i < s->count; ++i) sum += s->value[i] * s->value[i];
    return sqrt(sum) > nothing;
}

// Takes t->work in; true if it adds something. *good becomes false without memory.
static bool take(triangle* t, bool* good)
{
    while (*good && left_over(&t->work)) {
        sparse* old = &t->row[t->work.column[0]];
        if (old->count == 0) {
            *good = reserve(old, t->work.count);
            if (!*good) return false;
            old->count = t->work.count;
            memcpy(old->column, t->work.column, (size_t)old->count * sizeof *old->column);
            memcpy(old->value, t->work.value, (size_t)old->count * sizeof *old->value);
            return true;
        }
        *good = rotate(t, old);
    }
    return false;
}

static int by_column(const void* a, const void* b) { return *(const int*)a - *(const int*)b; }

// One row of a block, its columns in order.
static bool load(triangle* t, const cardan_data* d, const cd_row_block* b, int row, double scale, int* sorted)
{
    for (int k = 0; k < b->nv; ++k) sorted[2 * k] = t->nv - 1 - b->v[k], sorted[2 * k + 1] = k;
    qsort(sorted, (size_t)b->nv, 2 * sizeof *sorted, by_column);
    t->work.count = 0;
    if (!reserve(&t->work, b->nv)) return false;
    for (int k = 0; k < b->nv; ++k) {
        const int    at = sorted[2 * k + 1];
        const vec3   s  = d->k.S[b->v[at]].a;
        const double x  = b->J[row * b->nv + at] * scale * (v3_dot(s, s) > 0 ? 1 : d->reacting.length);
        if (fabs(x) < rounding) continue;
        t->work.column[t->work.count]  = sorted[2 * k];
        t->work.value[t->work.count++] = x;
    }
    return true;
}

bool cd_sparse_rank(cardan_data* d, int* rank)
{
    triangle t      = {.nv = d->m->nv, .row = cd_allocate((size_t)d->m->nv + 1, sizeof(sparse))};
    int*     sorted = cd_allocate(2 * (size_t)d->m->nv + 2, sizeof *sorted);
    bool     good   = t.row && sorted;
    *rank           = 0;
    cd_know_rows(d);
    for (int i = 0; good && i < d->closure.nconstraint; ++i) {
        const cd_row_block b = cd_way_of(d, &d->closure, i);
        for (int row = 0; good && row < b.nrow; ++row) {
            const double size = cd_row_size(d, i, row);
            good              = load(&t, d, &b, row, size > 0 ? 1 / size : 1, sorted);
            if (good && take(&t, &good)) ++*rank;
            if (t.operations > most_operations) good = false;
        }
    }
    for (int v = 0; t.row && v < t.nv; ++v) clear(&t.row[v]);
    clear(&t.work);
    clear(&t.other);
    free(t.row);
    free(sorted);
    return good;
}
