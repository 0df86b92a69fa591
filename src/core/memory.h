// SPDX-License-Identifier: BSD-3-Clause
// Memory: growing arrays for descriptions, and one arena per model and per simulation.
#pragma once

#include <stdbool.h>
#include <stddef.h>

// Grow *items (elements of `size` bytes) so that index `count` is valid. Returns false if there is no memory.
bool cd_array_grow(void** items, int* capacity, int count, size_t size);

// Zeroed memory for `count` items; NULL if there is no memory or the product overflows.
void* cd_allocate(size_t count, size_t size);

// An arena assigns aligned parts of one block. Without a block it only measures:
//
//     cd_arena arena = {0};
//     layout(model, &arena, work);                       measures
//     cd_arena_reserve(&arena);                          allocates the measured size, zeroed
//     layout(model, &arena, work);                       assigns
//
// so that sizes are written once. Parts are aligned to 64 bytes.
typedef struct cd_arena {
    char*  base;
    size_t used, size;
} cd_arena;

void* cd_arena_allocate(cd_arena* arena, size_t count, size_t size); // NULL while measuring
bool  cd_arena_reserve(cd_arena* arena);                             // false if memory is exhausted or a size overflows
void  cd_arena_clear(cd_arena* arena); // zero the block; the next layout assigns it again
void  cd_arena_release(cd_arena* arena);

#define CD_ARENA_ARRAY(arena, pointer, count)                                                                          \
    ((pointer) = cd_arena_allocate((arena), (size_t)(count), sizeof *(pointer)))
