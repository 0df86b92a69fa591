// SPDX-License-Identifier: BSD-3-Clause
#include "core/memory.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { ALIGNMENT = 64, HUGE_PAGE = 1 << 21 };

static const size_t too_much = SIZE_MAX / 2;

bool cd_grow(void** items, int* capacity, int count, size_t size)
{
    if (count < *capacity) return true;
    if (*capacity > INT_MAX / 2) return false;
    const int wanted = *capacity ? 2 * *capacity : 8;
    if ((size_t)wanted > SIZE_MAX / size) return false;
    void* grown = realloc(*items, (size_t)wanted * size);
    if (!grown) return false;
    *items    = grown;
    *capacity = wanted;
    return true;
}

void* cd_allocate(size_t count, size_t size) { return calloc(count ? count : 1, size ? size : 1); }

void* cd_arena_take(cd_arena* arena, size_t count, size_t size)
{
    // what no memory can hold counts as all there is, and the reservation fails
    if (size && count > (too_much - arena->used) / size) {
        arena->used = too_much;
        return NULL;
    }
    const size_t bytes = (count * size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    void*        piece = arena->base ? arena->base + arena->used : NULL;
    arena->used += bytes;
    return piece;
}

bool cd_arena_reserve(cd_arena* arena)
{
    if (arena->used >= too_much) return false;
    const size_t page = arena->used >= HUGE_PAGE ? HUGE_PAGE : ALIGNMENT;
    arena->size       = arena->used ? (arena->used + page - 1) / page * page : ALIGNMENT;
    arena->used       = 0;
    arena->base       = aligned_alloc(page, arena->size);
    // Sweeps over long mechanisms would miss the table of small pages at every link. Only a wish: refusal does no harm.
#ifdef MADV_HUGEPAGE
    if (arena->base && page == HUGE_PAGE) (void)madvise(arena->base, arena->size, MADV_HUGEPAGE);
#endif
    if (arena->base) memset(arena->base, 0, arena->size);
    return arena->base != NULL;
}

void cd_arena_release(cd_arena* arena)
{
    free(arena->base);
    *arena = (cd_arena){0};
}
