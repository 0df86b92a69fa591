// SPDX-License-Identifier: BSD-3-Clause
// A compiled library as bytes: read from an open file, sealed with a digest, loaded. Build information and a digest of
// all bytes are appended to the library, so that damage is detected before anything is loaded. The bytes that are
// loaded are those that were verified: they are copied to memory that cannot be changed any more, and no file name is
// resolved again.
#pragma once

#include <cardan/status.h>

#include <stdbool.h>
#include <stddef.h>

// Build information appended to the library.
typedef struct cd_build_info {
    double trace_time, compile_time; // [s]
    long   operations;
} cd_build_info;

typedef struct cd_library_image {
    char*  bytes;
    size_t length;
    int    file; // descriptor that the bytes were read from; -1: none
} cd_library_image;

static inline cd_library_image cd_library_image_empty(void) { return (cd_library_image){.file = -1}; }

// Read all bytes of an open file. The image owns the descriptor afterwards, also on failure.
bool cd_library_image_read(int file, cd_library_image* image);
// Append build information and digest; verify the digest and read the build information.
bool cd_library_image_seal(cd_library_image* image, const cd_build_info* info);
bool cd_library_image_verify(const cd_library_image* image, cd_build_info* info);
void cd_library_image_free(cd_library_image* image);

// A loaded library. Its descriptor stays open, because the path by which it was loaded contains the number of the
// descriptor and must not name another library meanwhile.
typedef struct cd_loaded_library {
    void* handle; // NULL: none
    int   file;
} cd_loaded_library;

cardan_status cd_library_image_load(const cd_library_image* image, cd_loaded_library* loaded, cardan_report* report);
void          cd_loaded_library_close(cd_loaded_library* loaded);
