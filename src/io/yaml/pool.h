// SPDX-License-Identifier: BSD-3-Clause
// Memory pool of one reader: allocations are released all at once.
#pragma once

#include <stdbool.h>
#include <stddef.h>

typedef struct cd_pool {
    struct cd_pool_block* block;
    bool                  failed; // an allocation failed
} cd_pool;

void* cd_pool_alloc(cd_pool* pool, size_t count, size_t size); // zeroed; NULL without memory
char* cd_pool_string(cd_pool* pool, const char* s, size_t length);
void  cd_pool_release(cd_pool* pool);
