// SPDX-License-Identifier: BSD-3-Clause
// A compiled library as bytes: read from an open file, sealed with a digest, loaded. Behind the library stand what is
// known about it and a digest of everything, so that damage is seen before anything is loaded. What is loaded are the
// bytes whose digest was computed: they are copied to memory that nothing can change any more, and no name of a file is
// looked up again.
#pragma once

#include <cardan/status.h>

#include <stdbool.h>
#include <stddef.h>

// What stands behind the library.
typedef struct cd_build_info {
    double trace_time, compile_time; // [s] that it took
    long   operations;
} cd_build_info;

typedef struct cd_library_image {
    char*  bytes;
    size_t length;
    int    file; // descriptor that the bytes were read from, -1: none
} cd_library_image;

static inline cd_library_image cd_library_image_empty(void) { return (cd_library_image){.file = -1}; }

// All bytes of an open file; the descriptor belongs to the image from here on, whatever happens.
bool cd_library_image_read(int file, cd_library_image* image);
// Adds what is known about the library, and the digest; the second checks it and reads it back.
bool cd_library_image_seal(cd_library_image* image, const cd_build_info* info);
bool cd_library_image_verify(const cd_library_image* image, cd_build_info* info);
void cd_library_image_free(cd_library_image* image);

// A library that is loaded. Its descriptor stays open: the name that it was loaded by must not come to mean another
// library while this one is loaded.
typedef struct cd_loaded_library {
    void* handle; // NULL: none
    int   file;
} cd_loaded_library;

cardan_status cd_library_image_load(const cd_library_image* image, cd_loaded_library* loaded, cardan_report* report);
void          cd_loaded_library_close(cd_loaded_library* loaded);
