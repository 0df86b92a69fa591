// SPDX-License-Identifier: BSD-3-Clause
// A folder for work with mode 0700, held by a lock while its process lives, so that other processes can see when it has
// died. Everything in it goes by its descriptor.
#pragma once

#include <cardan/status.h>

#include <stddef.h>

enum { CD_BUILD_FOLDER_NAME = 24 };

typedef struct cd_build_folder {
    int  parent, folder; // descriptors; the lock is that of the folder
    char name[CD_BUILD_FOLDER_NAME];
} cd_build_folder;

// A new one in the open folder `parent`, which messages call `path`, or where temporary files go (TMPDIR, else /tmp)
// where that is -1. CARDAN_UNSUPPORTED and a sentence where that fails, or where other users can exchange what lies
// there.
cardan_status cd_build_folder_create(int parent, const char* path, cd_build_folder* folder, cardan_report* report);
// Removes it, and the files in it.
void cd_build_folder_remove(cd_build_folder* folder);
// Removes those in the open folder `parent` whose processes have died.
void cd_build_folder_remove_stale(int parent);

// Creates a file that is not there yet, with mode 0600. The descriptor, or -1.
int cd_build_folder_write_file(const cd_build_folder* folder, const char* name, const char* bytes, size_t length);
// Opens a file of the user for reading. The descriptor, or -1.
int cd_build_folder_open_file(const cd_build_folder* folder, const char* name);
