// SPDX-License-Identifier: BSD-3-Clause
// Build folder with mode 0700, locked as long as its process runs, so that other processes recognize folders of ended
// processes. All files in it are accessed relative to its descriptor.
#pragma once

#include <cardan/status.h>

#include <stddef.h>

enum { CD_BUILD_FOLDER_NAME = 24 };

typedef struct cd_build_folder {
    int  parent, folder; // descriptors; the lock is on `folder`
    char name[CD_BUILD_FOLDER_NAME];
} cd_build_folder;

// Create a build folder in the open folder `parent`, whose name in messages is `path`; if parent is -1, in the folder
// of temporary files (TMPDIR, else /tmp). Fails with CARDAN_UNSUPPORTED and a message if it cannot be created or if
// other users could replace it.
cardan_status cd_build_folder_create(int parent, const char* path, cd_build_folder* folder, cardan_report* report);
// Remove the folder and its files.
void cd_build_folder_remove(cd_build_folder* folder);
// Remove the build folders of ended processes in the open folder `parent`.
void cd_build_folder_remove_stale(int parent);

// Create a new file with mode 0600. Returns its descriptor, or -1.
int cd_build_folder_write_file(const cd_build_folder* folder, const char* name, const char* bytes, size_t length);
// Open a file of the user for reading. Returns its descriptor, or -1.
int cd_build_folder_open_file(const cd_build_folder* folder, const char* name);
