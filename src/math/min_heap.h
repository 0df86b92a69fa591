// SPDX-License-Identifier: BSD-3-Clause
// Priority queue of items by key, as a binary heap: the smallest key first, the smallest item among equal keys. An item
// whose key has changed is pushed again; the caller recognizes its outdated entries by their keys.
#pragma once

#include <stdbool.h>

typedef struct cd_heap_entry {
    long key;
    int  item;
} cd_heap_entry;

typedef struct cd_min_heap {
    cd_heap_entry* entry; // (count); the owner frees it
    int            count, capacity;
} cd_min_heap;

// Returns false if memory is exhausted.
bool cd_min_heap_push(cd_min_heap* heap, long key, int item);
// Remove the first entry; the heap is not empty.
cd_heap_entry cd_min_heap_pop(cd_min_heap* heap);
