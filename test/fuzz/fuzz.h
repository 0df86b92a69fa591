// SPDX-License-Identifier: BSD-3-Clause
// Declarations shared by the fuzz targets. A target is one file fuzz_<reader>.c with the entry point of libFuzzer; it
// is linked with libFuzzer (`make fuzz`) or with replay.c (`make test`).
#pragma once

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

// The input as text in memory of its exact size, so that sanitizers detect reads beyond it. The caller frees it.
char* fuzz_text(const uint8_t* data, size_t size);
// The input as a regular file, valid until the next call; its name has no extension.
const char* fuzz_file(const uint8_t* data, size_t size);
// Hash of all bytes (FNV-1a) that selects options.
uint64_t fuzz_hash(const uint8_t* data, size_t size);
