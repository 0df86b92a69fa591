// SPDX-License-Identifier: BSD-3-Clause
// Watch files for changes, also by rename: the folders of the files are watched (inotify).
#pragma once

#include <stdbool.h>

enum { CD_WATCHED_FILES_MAX = 64 };

typedef struct cd_file_watch {
    int    descriptor; // -1: none
    int    count;
    char*  name[CD_WATCHED_FILES_MAX];   // without folder
    int    folder[CD_WATCHED_FILES_MAX]; // watch of its folder
    double changed;                      // time of the first change that was not yet taken [s]; 0: none
} cd_file_watch;

void cd_file_watch_open(cd_file_watch* watch);
void cd_file_watch_close(cd_file_watch* watch);
void cd_file_watch_add(cd_file_watch* watch, const char* path); // a file that cannot be watched is ignored
// Whether a file has changed since the last call, at least 50 ms ago: the writer may need that time.
bool cd_file_watch_take(cd_file_watch* watch);
