// SPDX-License-Identifier: BSD-3-Clause
// Arenas: arrays in order and aligned; sizes beyond the address space are rejected without overflow.
#include "core/memory.h"
#include "test.h"

#include <stdint.h>

typedef struct pieces {
    char*   a;
    double* b;
    int*    none;
} pieces;

static void layout(cd_arena* arena, pieces* p)
{
    CD_ARENA_ARRAY(arena, p->a, 3);
    CD_ARENA_ARRAY(arena, p->b, 100);
    CD_ARENA_ARRAY(arena, p->none, 0);
}

static void test_measure_then_assign(void)
{
    cd_arena arena = {0};
    pieces   p;
    layout(&arena, &p);
    CHECK(!p.a && !p.b && !p.none);
    const size_t measured = arena.used;
    CHECK(cd_arena_reserve(&arena));
    layout(&arena, &p);
    CHECK(arena.used == measured);
    CHECK((uintptr_t)p.a % 64 == 0 && (uintptr_t)p.b % 64 == 0);
    CHECK((char*)p.b >= p.a + 3 && (char*)(p.b + 100) <= arena.base + arena.size);
    for (int i = 0; i < 100; ++i) CHECK(p.b[i] == 0);
    cd_arena_release(&arena);
}

// Pages of the operating system: zero, aligned and writable to the last byte, also after repeated allocation.
static void test_large_blocks(void)
{
    const size_t size = ((size_t)5 << 20) + 7;
    for (int round = 0; round < 3; ++round) {
        cd_arena arena = {0};
        cd_arena_allocate(&arena, size, 1);
        CHECK(cd_arena_reserve(&arena) && arena.size >= size);
        char*  piece = cd_arena_allocate(&arena, size, 1);
        size_t used  = 0;
        CHECK((uintptr_t)piece % 64 == 0);
        for (size_t i = 0; i < arena.size; ++i) used += piece[i] != 0;
        CHECK(used == 0);
        for (size_t i = 0; i < arena.size; ++i) piece[i] = 1;
        cd_arena_release(&arena);
        CHECK(!arena.base && arena.size == 0);
    }
}

static void test_size_overflow(void)
{
    const size_t counts[][2] = {
        {SIZE_MAX, 1}, {SIZE_MAX / 8, 16}, {SIZE_MAX / 4, 3}, {(size_t)1 << 62, 4}, {(size_t)-1, 8}};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; ++i) {
        cd_arena arena = {0};
        cd_arena_allocate(&arena, 10, 8);
        CHECK(!cd_arena_allocate(&arena, counts[i][0], counts[i][1]));
        cd_arena_allocate(&arena, 10, 8);
        CHECK(!cd_arena_reserve(&arena));
        CHECK(!arena.base);
        cd_arena_release(&arena);
    }
}

int main(void)
{
    RUN(test_measure_then_assign());
    RUN(test_large_blocks());
    RUN(test_size_overflow());
    return test_end();
}
