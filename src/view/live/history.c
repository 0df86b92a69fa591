// SPDX-License-Identifier: BSD-3-Clause
// Past states in one block; older ones are thinned.
#include "view/live/history.h"

#include "core/memory.h"

#include <stdlib.h>
#include <string.h>

enum { MEMORY_MAX = 64 << 20, CAPACITY_MAX = 1 << 20, CAPACITY_MIN = 16 };
static const double time_accuracy = 1e-9; // [s]

bool cd_history_open(cd_history* h, int nvalue, double interval)
{
    memset(h, 0, sizeof *h);
    h->size              = nvalue + 1;
    h->interval          = interval;
    const size_t bytes   = (size_t)h->size * sizeof(double);
    const size_t entries = MEMORY_MAX / bytes;
    h->capacity          = entries > CAPACITY_MAX ? CAPACITY_MAX : entries < CAPACITY_MIN ? CAPACITY_MIN : (int)entries;
    h->entry             = cd_allocate((size_t)h->capacity, bytes);
    return h->entry != NULL;
}

void cd_history_close(cd_history* h)
{
    free(h->entry);
    memset(h, 0, sizeof *h);
}

void cd_history_clear(cd_history* h) { h->count = 0; }

static double* at(const cd_history* h, int i) { return h->entry + (size_t)i * (size_t)h->size; }

static void thin(cd_history* h)
{
    const size_t bytes = (size_t)h->size * sizeof(double);
    const int    old   = h->count / 4 * 3;
    int          count = 0;
    for (int i = 0; i < h->count; ++i)
        if (i >= old || i % 2 == 0) memmove(at(h, count++), at(h, i), bytes);
    h->count = count;
}

double* cd_history_add(cd_history* h, double t)
{
    if (h->count > 0 && t < at(h, h->count - 1)[0] + 0.999 * h->interval) return NULL;
    if (h->count == h->capacity) thin(h);
    double* entry = at(h, h->count++);
    entry[0]      = t;
    return entry + 1;
}

int cd_history_find(const cd_history* h, double t)
{
    int low = 0, high = h->count - 1;
    while (low < high) {
        const int middle = (low + high + 1) / 2;
        if (at(h, middle)[0] <= t + time_accuracy)
            low = middle;
        else
            high = middle - 1;
    }
    return h->count > 0 ? low : -1;
}

void cd_history_cut(cd_history* h, double t)
{
    while (h->count > 0 && at(h, h->count - 1)[0] >= t - time_accuracy) --h->count;
}

void cd_history_copy_before(const cd_history* h, double t, cd_history* to)
{
    const int last = cd_history_find(h, t);
    to->count      = last + 1 < to->capacity ? last + 1 : to->capacity;
    if (to->count > 0) memcpy(to->entry, h->entry, (size_t)to->count * (size_t)h->size * sizeof(double));
    cd_history_cut(to, t);
}

const double* cd_history_at(const cd_history* h, int i) { return at(h, i); }

double cd_history_begin(const cd_history* h, double otherwise) { return h->count > 0 ? at(h, 0)[0] : otherwise; }
double cd_history_end(const cd_history* h, double otherwise)
{
    return h->count > 0 ? at(h, h->count - 1)[0] : otherwise;
}
