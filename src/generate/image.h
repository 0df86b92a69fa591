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
typedef struct cd_cached {
    double trace, compile; // [s] that it took
    long   operations;
} cd_cached;

typedef struct cd_image {
    char*  bytes;
    size_t length;
    int    file; // descriptor that the bytes were read from, -1: none
} cd_image;

static inline cd_image cd_image_none(void) { return (cd_image){.file = -1}; }

// All bytes of an open file; the descriptor belongs to the image from here on, whatever happens.
bool cd_image_read(int file, cd_image* image);
// Adds what is known about the library, and the digest; the second checks it and reads it back.
bool cd_image_seal(cd_image* image, const cd_cached* about);
bool cd_image_is_sound(const cd_image* image, cd_cached* about);
void cd_image_free(cd_image* image);

// A library that is loaded. Its descriptor stays open: the name that it was loaded by must not come to mean another
// library while this one is loaded.
typedef struct cd_loaded {
    void* handle; // NULL: none
    int   file;
} cd_loaded;

cardan_status cd_image_load(const cd_image* image, cd_loaded* loaded, cardan_report* report);
void          cd_unload(cd_loaded* loaded);
