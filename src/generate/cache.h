// SPDX-License-Identifier: BSD-3-Clause
// Compiled code on disk, by its key. One file each: the shared library, and behind it what is known about it and a
// digest of everything, so that damage is seen before anything is loaded. Files appear by renaming, whole or not at
// all; processes need not know of each other.
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { CD_CACHE_PATH = 1200 };

// What stands behind the library.
typedef struct cd_cached {
    double trace, compile; // [s] that it took
    long   operations;
} cd_cached;

// Folder of the cache: CARDAN_CACHE, else XDG_CACHE_HOME/cardan, else HOME/.cache/cardan; made where it is missing.
// False: there is none.
bool cd_cache_folder(char folder[CD_CACHE_PATH]);

// A folder for work, held by a lock while its process lives.
typedef struct cd_work {
    char folder[CD_CACHE_PATH];
    int  lock; // -1: none
} cd_work;

// A new one, in the cache or where temporary files go; false: there is none, and the folder is what was tried. The
// second removes it with what is in it, the third those in the cache whose processes have died.
bool cd_work_folder(const char* cache, cd_work* work);
void cd_work_remove(cd_work* work);
void cd_work_tidy(const char* cache);

typedef enum cd_found { CD_ABSENT, CD_DAMAGED, CD_SOUND } cd_found;

cd_found cd_cache_look(const char* path, cd_cached* about);
// Library -> file of the cache, which is `path`. Files that were not used longest go where the cache would become too
// large.
bool cd_cache_seal(const char* library, const cd_cached* about);
bool cd_cache_keep(const char* library, const char* path);
void cd_cache_bound(const char* folder, long long most);
bool cd_cache_grows(const char* folder); // whether it may be written; others may be read all the same
