// SPDX-License-Identifier: BSD-3-Clause
// Partial files: what a process writes before the file gets its name. A lock holds a partial file while its process
// lives, so that other processes can remove those of processes that were killed, and no others.
#pragma once

// Creates "FILE.cardan-HOST-PROCESS-NUMBER.part" in the folder of `path`, locked. Returns its descriptor and its name,
// which the caller frees; -1 and errno where that fails. `mode` as in open().
int cd_partial_file_create(const char* path, unsigned mode, char** name);
// Removes the partial files in the folder of `path` whose processes have died. Symbolic links, files of other users and
// files with other names are left alone.
void cd_partial_file_remove_stale(const char* path);
// An open descriptor of the folder of `path`, -1 where there is none.
int cd_folder_open(const char* path);
