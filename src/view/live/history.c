// SPDX-License-Identifier: BSD-3-Clause
// Ring of past states with an interval that doubles when the memory is used up.
#include "view/live/history.h"

#include "core/memory.h"

#include <stdlib.h>
#include <string.h>

enum { MEMORY_MAX = 64 << 20, CAPACITY_MAX = 1 << 17, CAPACITY_MIN = 16 };

bool cd_history_open(cd_history* h, int nstate, double interval)
{
    memset(h, 0, sizeof *h);
    h->size              = nstate + 1;
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

static void drop_every_second(cd_history* h)
{
    const size_t bytes = (size_t)h->size * sizeof(double);
    for (int i = 1; 2 * i < h->count; ++i) memcpy(at(h, i), at(h, 2 * i), bytes);
    h->count = (h->count + 1) / 2;
    h->interval *= 2;
}

double* cd_history_add(cd_history* h, double t)
{
    if (h->count > 0 && t < at(h, h->count - 1)[0] + 0.999 * h->interval) return NULL;
    if (h->count == h->capacity) drop_every_second(h);
    double* entry = at(h, h->count++);
    entry[0]      = t;
    return entry + 1;
}

int cd_history_find(const cd_history* h, double t)
{
    int low = 0, high = h->count - 1;
    while (low < high) {
        const int middle = (low + high + 1) / 2;
        if (at(h, middle)[0] <= t + 1e-9)
            low = middle;
        else
            high = middle - 1;
    }
    return h->count > 0 ? low : -1;
}

void cd_history_cut(cd_history* h, double t)
{
    const int last = cd_history_find(h, t);
    if (last >= 0) h->count = last + 1;
}

const double* cd_history_at(const cd_history* h, int i) { return at(h, i); }
