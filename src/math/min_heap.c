// SPDX-License-Identifier: BSD-3-Clause
#include "math/min_heap.h"

#include "core/memory.h"

static bool precedes(cd_heap_entry a, cd_heap_entry b) { return a.key < b.key || (a.key == b.key && a.item < b.item); }

bool cd_min_heap_push(cd_min_heap* h, long key, int item)
{
    if (!cd_array_grow((void**)&h->entry, &h->capacity, h->count, sizeof *h->entry)) return false;
    const cd_heap_entry e = {key, item};
    int                 i = h->count++;
    for (; i > 0 && precedes(e, h->entry[(i - 1) / 2]); i = (i - 1) / 2) h->entry[i] = h->entry[(i - 1) / 2];
    h->entry[i] = e;
    return true;
}

cd_heap_entry cd_min_heap_pop(cd_min_heap* h)
{
    const cd_heap_entry top = h->entry[0], last = h->entry[--h->count];
    int                 i = 0;
    for (int c = 1; c < h->count; c = 2 * i + 1) {
        if (c + 1 < h->count && precedes(h->entry[c + 1], h->entry[c])) ++c;
        if (!precedes(h->entry[c], last)) break;
        h->entry[i] = h->entry[c];
        i           = c;
    }
    if (h->count > 0) h->entry[i] = last;
    return top;
}
