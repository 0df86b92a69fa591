// SPDX-License-Identifier: BSD-3-Clause
// Wrappers of the allocation functions (-Wl,--wrap, CMakeLists.txt) for the tool and the library linked into it. They
// record a failed allocation. The library returns a status then; if a caller ignores it, main.c still reports a failure
// instead of incomplete output.
#include "cli/support/allocation_check.h"

#include <stdatomic.h>
#include <stddef.h>

static atomic_bool any_failed; // global, because memory belongs to the process

void* __real_malloc(size_t size);
void* __real_calloc(size_t count, size_t size);
void* __real_realloc(void* p, size_t size);
void* __real_aligned_alloc(size_t alignment, size_t size);
void* __wrap_malloc(size_t size);
void* __wrap_calloc(size_t count, size_t size);
void* __wrap_realloc(void* p, size_t size);
void* __wrap_aligned_alloc(size_t alignment, size_t size);

// An allocation of size zero may return NULL without failure.
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
