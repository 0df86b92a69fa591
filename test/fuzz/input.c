// SPDX-License-Identifier: BSD-3-Clause
// Input of fuzz targets as text and as file.
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

char* fuzz_text(const uint8_t* data, size_t size)
{
    char* text = malloc(size + 1);
    if (!text) abort();
    if (size > 0) memcpy(text, data, size);
    text[size] = '\0';
    return text;
}

const char* fuzz_file(const uint8_t* data, size_t size)
{
    static int  file = -1;
    static char path[64];
    if (file < 0) file = memfd_create("fuzz", MFD_CLOEXEC);
    if (file < 0 || ftruncate(file, 0) != 0 || pwrite(file, data, size, 0) != (ssize_t)size) abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    return path;
}

uint64_t fuzz_hash(const uint8_t* data, size_t size)
{
    uint64_t h = 14695981039346656037u;
    for (size_t i = 0; i < size; ++i) h = (h ^ data[i]) * 1099511628211u;
    return h ^ h >> 32;
}
