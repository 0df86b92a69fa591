// SPDX-License-Identifier: BSD-3-Clause
// Compiled code on disk, by its key: one file each, a library with its digest (image.h). Files appear by renaming,
// whole or not at all, so that processes need not know of each other. The folder is opened once and checked; everything
// else goes by its descriptor. Code of other users is not run: folder and files must belong to the user (the effective
// user id) and be writable by no other user, and neither is reached through a symbolic link.
#pragma once

#include "generate/image.h"

enum { CD_CACHE_PATH = 1200 };

typedef struct cd_cache {
    int  folder;              // descriptor; -1: there is no folder
    bool grows;               // files can be added; a folder that can only be read is read
    char path[CD_CACHE_PATH]; // for messages; "": no variable of the environment names one
} cd_cache;

// Folder of the cache: CARDAN_CACHE, else XDG_CACHE_HOME/cardan, else HOME/.cache/cardan; made with mode 0700 where it
// is missing. CARDAN_OK also where there is none. CARDAN_UNSUPPORTED and a sentence where it cannot be trusted.
cardan_status cd_cache_open(cd_cache* cache, cardan_report* report);
void          cd_cache_close(cd_cache* cache);

typedef enum cd_found { CD_ABSENT, CD_DAMAGED, CD_REFUSED, CD_SOUND } cd_found;

// The file `name`, whose digest is checked on what was read from the open file: CD_SOUND, and the image is the
// caller's. CD_DAMAGED: it is removed. CD_REFUSED: it cannot be trusted, which the report says.
cd_found cd_cache_look(const cd_cache* cache, const char* name, cd_image* image, cd_cached* about,
                       cardan_report* report);
// A file of another folder becomes the file `name` of the cache.
bool cd_cache_keep(const cd_cache* cache, int from, const char* file, const char* name);
void cd_cache_remove(const cd_cache* cache, const char* name);
// The least recently used files go where the cache has more than so many bytes.
void cd_cache_bound(const cd_cache* cache, long long most);
