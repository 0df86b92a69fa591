// SPDX-License-Identifier: BSD-3-Clause
#include "core/memory.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { ALIGNMENT = 64, HUGE_PAGE = 1 << 21 };

static const size_t size_limit = SIZE_MAX / 2;

bool cd_array_grow(void** items, int* capacity, int count, size_t size)
{
    if (count < *capacity) return true;
    if (*capacity > INT_MAX / 2) return false;
    const int new_capacity = *capacity ? 2 * *capacity : 8;
    if ((size_t)new_capacity > SIZE_MAX / size) return false;
    void* grown = realloc(*items, (size_t)new_capacity * size);
    if (!grown) return false;
    *items    = grown;
    *capacity = new_capacity;
    return true;
}

void* cd_allocate(size_t count, size_t size) { return calloc(count ? count : 1, size ? size : 1); }

void* cd_arena_allocate(cd_arena* arena, size_t count, size_t size)
{
    // overflow: the size is set to its limit, so that the reservation fails
    if (size && count > (size_limit - arena->used) / size) {
        arena->used = size_limit;
        return NULL;
    }
    const size_t bytes = (count * size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    void*        piece = arena->base ? arena->base + arena->used : NULL;
    arena->used += bytes;
    return piece;
}

// Map zeroed huge pages; they use physical memory only when they are written. Maps one page more than needed and unmaps
// the unaligned parts before and behind.
static void* map_pages(size_t size)
{
    char* const all = mmap(NULL, size + HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED) return NULL;
    const size_t before = (HUGE_PAGE - (uintptr_t)all % HUGE_PAGE) % HUGE_PAGE;
    if (before > 0) (void)munmap(all, before);
    (void)munmap(all + before + size, HUGE_PAGE - before);
    // With small pages, sweeps over large mechanisms miss the TLB at every link. A refusal of the system has no effect.
#ifdef MADV_HUGEPAGE
    (void)madvise(all + before, size, MADV_HUGEPAGE);
#endif
    return all + before;
}

static void* zeroed_block(size_t size)
{
    void* block = aligned_alloc(ALIGNMENT, size);
    if (block) memset(block, 0, size);
    return block;
}

bool cd_arena_reserve(cd_arena* arena)
{
    if (arena->used >= size_limit) return false;
    const bool   pages = arena->used >= HUGE_PAGE;
    const size_t unit  = pages ? HUGE_PAGE : ALIGNMENT;
    arena->size        = arena->used ? (arena->used + unit - 1) / unit * unit : ALIGNMENT;
    arena->used        = 0;
    arena->base        = pages ? map_pages(arena->size) : zeroed_block(arena->size);
    return arena->base != NULL;
}

void cd_arena_clear(cd_arena* arena)
{
    memset(arena->base, 0, arena->size);
    arena->used = 0;
}

void cd_arena_release(cd_arena* arena)
{
    if (arena->base && arena->size >= HUGE_PAGE)
        (void)munmap(arena->base, arena->size);
    else
        free(arena->base);
    *arena = (cd_arena){0};
}
