// SPDX-License-Identifier: BSD-3-Clause
// Compiled code on disk, by its key: one file each, a library with its digest (library_image.h). Files appear by renaming,
// whole or not at all, so that processes need not know of each other. The folder is opened once and checked; everything
// else goes by its descriptor. Code of other users is not run: folder and files must belong to the user (the effective
// user id) and be writable by no other user, and neither is reached through a symbolic link.
#pragma once

#include "generate/compiled/library_image.h"

enum { CD_CACHE_PATH_SIZE = 1200 };

typedef struct cd_code_cache {
    int  folder;                   // descriptor; -1: there is no folder
    bool is_writable;              // files can be added; a folder that can only be read is read
    char path[CD_CACHE_PATH_SIZE]; // for messages; "": no variable of the environment names one
} cd_code_cache;

// Folder of the cache: CARDAN_CACHE, else XDG_CACHE_HOME/cardan, else HOME/.cache/cardan; made with mode 0700 where it
// is missing. CARDAN_OK also where there is none. CARDAN_UNSUPPORTED and a sentence where it cannot be trusted.
cardan_status cd_code_cache_open(cd_code_cache* cache, cardan_report* report);
void          cd_code_cache_close(cd_code_cache* cache);

typedef enum cd_cache_result { CD_CACHE_ABSENT, CD_CACHE_DAMAGED, CD_CACHE_REFUSED, CD_CACHE_VALID } cd_cache_result;

// The file `name`, whose digest is checked on what was read from the open file: CD_CACHE_VALID, and the image is the
// caller's. CD_CACHE_DAMAGED: it is removed. CD_CACHE_REFUSED: it cannot be trusted, which the report says.
cd_cache_result cd_code_cache_find(const cd_code_cache* cache, const char* name, cd_library_image* image,
                                   cd_build_info* info, cardan_report* report);
// A file of another folder becomes the file `name` of the cache.
bool cd_code_cache_store(const cd_code_cache* cache, int from, const char* file, const char* name);
void cd_code_cache_remove(const cd_code_cache* cache, const char* name);
// The least recently used files go where the cache has more than so many bytes.
void cd_code_cache_limit_size(const cd_code_cache* cache, long long max_bytes);
