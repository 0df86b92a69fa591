// SPDX-License-Identifier: BSD-3-Clause
// Blocks of growing size, filled from the front.
#include "io/yaml/pool.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 16, MIN_BLOCK = 16 * 1024, MAX_BLOCK = 4 * 1024 * 1024 };

typedef struct cd_pool_block {
    struct cd_pool_block* next;
    size_t                used, size;
    _Alignas(ALIGNMENT) char data[];
} cd_pool_block;

static cd_pool_block* add_block(cd_pool* pool, size_t bytes)
{
    size_t size = pool->block ? 2 * pool->block->size : MIN_BLOCK;
    if (size > MAX_BLOCK) size = MAX_BLOCK;
    if (size < bytes) size = bytes;
    cd_pool_block* block = malloc(sizeof *block + size);
    if (!block) return NULL;
    *block      = (cd_pool_block){.next = pool->block, .size = size};
    pool->block = block;
    return block;
}

void* cd_pool_alloc(cd_pool* pool, size_t count, size_t size)
{
    if (size && count > (SIZE_MAX / 4) / size) {
        pool->failed = true;
        return NULL;
    }
    const size_t   requested = count > 0 && size > 0 ? count * size : 1;
    const size_t   bytes     = (requested + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    cd_pool_block* block     = pool->block;
    if (!block || block->size - block->used < bytes) block = add_block(pool, bytes);
    if (!block) {
        pool->failed = true;
        return NULL;
    }
    void* memory = block->data + block->used;
    block->used += bytes;
    return memset(memory, 0, bytes);
}

char* cd_pool_string(cd_pool* pool, const char* s, size_t length)
{
    char* copy = cd_pool_alloc(pool, length + 1, 1);
    if (copy) memcpy(copy, s, length);
    return copy;
}

void cd_pool_release(cd_pool* pool)
{
    while (pool->block) {
        cd_pool_block* next = pool->block->next;
        free(pool->block);
        pool->block = next;
    }
    *pool = (cd_pool){0};
}
