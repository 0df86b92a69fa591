// SPDX-License-Identifier: BSD-3-Clause
// Whole files: read at once, written so that nothing partial is ever seen under the final name.
#pragma once

#include <cardan/status.h>
#include <stdio.h>

// The status for a call of the system that failed with errno `error`: NO_MEMORY or NO_FILE.
cardan_status cd_file_status(int error);

// The whole file, zero-terminated (the zero is not counted); the caller frees. It must be a regular file of at most
// CD_FILE_SIZE_MAX bytes: a pipe or a device is refused and not waited for. All files are read by these functions.
enum { CD_FILE_SIZE_MAX = 64 << 20, CD_REASON_SIZE = 200 };
cardan_status cd_file_read(const char* path, char** data, size_t* length, cardan_report* report);
// The same, and where it fails the predicate of a sentence about the file: "is a folder, not a file".
cardan_status cd_file_read_with_reason(const char* path, char** data, size_t* length, char reason[CD_REASON_SIZE]);
// Standard input to its end, whatever it is, up to the same size.
cardan_status cd_stdin_read(char** data, size_t* length, cardan_report* report);

// Write a file at once, or leave everything as it was. Missing folders are made. With `replace` false an existing
// file is an error.
cardan_status cd_file_write(const char* path, const char* data, size_t length, bool replace, cardan_report* report);

// A file that is written bit by bit under a temporary name in the same folder (partial_file.h), and gets its name when it is
// kept. It is on the disk before it gets its name. Partial files of processes that were killed are removed when a file
// is opened in the same folder.
typedef struct cd_file {
    FILE* stream;
    char *path, *temporary; // temporary is NULL where the path is no regular file (a pipe, a terminal)
    bool  replace;
    int   mode;  // permissions of the file that is replaced, -1: none
    int   error; // errno of the first write that failed
} cd_file;

cardan_status cd_file_open(cd_file* file, const char* path, bool replace, cardan_report* report);
cardan_status cd_file_commit(cd_file* file, cardan_report* report); // closes; on failure nothing is left behind
void          cd_file_discard(cd_file* file);                       // closes and removes; harmless when already closed
// Whether all that was written so far went well. To be asked directly after writing, so that the reason is kept.
bool cd_file_is_good(cd_file* file);

// SHA-256 of `length` bytes as 64 hexadecimal digits.
void cd_sha256(const char* data, size_t length, char digest[65]);
