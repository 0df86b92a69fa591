// SPDX-License-Identifier: BSD-3-Clause
// Allocations of the tool and of the library in it go through these functions (-Wl,--wrap, CMakeLists.txt), which note
// that one has failed. The library returns a status then; should a caller miss it, the command still cannot end as if
// its output were complete (main.c).
#include "cli/support/allocation_check.h"

#include <stdatomic.h>
#include <stddef.h>

static atomic_bool any_failed; // of the process, as its memory is

void* __real_malloc(size_t size);
void* __real_calloc(size_t count, size_t size);
void* __real_realloc(void* p, size_t size);
void* __real_aligned_alloc(size_t alignment, size_t size);
void* __wrap_malloc(size_t size);
void* __wrap_calloc(size_t count, size_t size);
void* __wrap_realloc(void* p, size_t size);
void* __wrap_aligned_alloc(size_t alignment, size_t size);

// Nothing has failed where a size of zero gives no memory.
static void* check_allocation(void* p, size_t size)
{
    if (!p && size > 0) any_failed = true;
    return p;
}

void* __wrap_malloc(size_t size) { return check_allocation(__real_malloc(size), size); }
void* __wrap_calloc(size_t count, size_t size)
{
    return check_allocation(__real_calloc(count, size), count > 0 ? size : 0);
}
void* __wrap_realloc(void* p, size_t size) { return check_allocation(__real_realloc(p, size), size); }
void* __wrap_aligned_alloc(size_t alignment, size_t size)
{
    return check_allocation(__real_aligned_alloc(alignment, size), size);
}

bool cd_allocation_failed(void) { return any_failed; }
