// SPDX-License-Identifier: BSD-3-Clause
// Cache of compiled code on disk, one file per key: a library with its digest (library_image.h). Files are created by
// renaming, so they are always complete, and processes need no synchronization. The folder is opened and checked once;
// all files are accessed relative to its descriptor. Code of other users is never run: folder and files must belong to
// the user (effective user id) and must not be writable by other users, and symbolic links are not followed for either.
#pragma once

#include "generate/compiled/library_image.h"

enum { CD_CACHE_PATH_SIZE = 1200 };

typedef struct cd_code_cache {
    int  folder;                   // descriptor; -1: no folder
    bool is_writable;              // files can be added; else the cache is read only
    char path[CD_CACHE_PATH_SIZE]; // for messages; "": no environment variable names a folder
} cd_code_cache;

// Open the cache folder: CARDAN_CACHE, else XDG_CACHE_HOME/cardan, else HOME/.cache/cardan; created with mode 0700 if
// missing. Returns CARDAN_OK also if there is no folder. Fails with CARDAN_UNSUPPORTED and a message if the folder is
// not trusted.
cardan_status cd_code_cache_open(cd_code_cache* cache, cardan_report* report);
void          cd_code_cache_close(cd_code_cache* cache);

typedef enum cd_cache_result { CD_CACHE_ABSENT, CD_CACHE_DAMAGED, CD_CACHE_REFUSED, CD_CACHE_VALID } cd_cache_result;

// Read the file `name` and verify the digest of the bytes read. CD_CACHE_VALID: the caller frees the image.
// CD_CACHE_DAMAGED: the file is removed. CD_CACHE_REFUSED: the file is not trusted, which is reported.
cd_cache_result cd_code_cache_find(const cd_code_cache* cache, const char* name, cd_library_image* image,
                                   cd_build_info* info, cardan_report* report);
// Move the file `file` of the open folder `from` to the file `name` of the cache.
bool cd_code_cache_store(const cd_code_cache* cache, int from, const char* file, const char* name);
void cd_code_cache_remove(const cd_code_cache* cache, const char* name);
// Remove the least recently used files until the cache has at most max_bytes.
void cd_code_cache_limit_size(const cd_code_cache* cache, long long max_bytes);
