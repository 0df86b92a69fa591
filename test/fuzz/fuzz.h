// SPDX-License-Identifier: BSD-3-Clause
// What the fuzz targets share. A target is one file fuzz_<reader>.c with the entry point of libFuzzer; it is linked
// with libFuzzer (`make fuzz`) or with replay.c (`make test`).
#pragma once

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

// The input as text in memory of exactly its size, so that sanitizers see every byte read beyond it. The caller frees.
char* fuzz_text(const uint8_t* data, size_t size);
// The input as a regular file, valid until the next call; its path has no ending.
const char* fuzz_file(const uint8_t* data, size_t size);
// A number made of all bytes (FNV-1a), to choose by.
uint64_t fuzz_hash(const uint8_t* data, size_t size);
