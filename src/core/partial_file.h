// SPDX-License-Identifier: BSD-3-Clause
// Partial files: files that a process writes before they get their final name. The process holds a lock on its partial
// file, so that other processes can remove exactly those of killed processes.
#pragma once

// Create "FILE.cardan-HOST-PROCESS-NUMBER.part" in the folder of `path` and lock it. Returns its descriptor and its
// name, which the caller frees; -1 and errno on failure. `mode` as in open().
int cd_partial_file_create(const char* path, unsigned mode, char** name);
// Remove the partial files of terminated processes in the folder of `path`. Symbolic links, files of other users and
// files with other names stay.
void cd_partial_file_remove_stale(const char* path);
// Open descriptor of the folder of `path`, or -1.
int cd_folder_open(const char* path);
