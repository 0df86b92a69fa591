// SPDX-License-Identifier: BSD-3-Clause
// Hash of Fowler, Noll and Vo (FNV-1a, 64 bits) for data structures.
#pragma once

#include <stddef.h>
#include <stdint.h>

static const uint64_t cd_fnv_offset_basis = 0xCBF29CE484222325ull;

static inline uint64_t cd_fnv_hash(uint64_t hash, const void* data, size_t size)
{
    const unsigned char* byte = data;
    for (size_t i = 0; i < size; ++i) hash = (hash ^ byte[i]) * 0x100000001B3ull;
    return hash;
}
