// SPDX-License-Identifier: BSD-3-Clause
// Reading and writing of whole files; a partial file never appears under the final name.
#pragma once

#include <cardan/status.h>
#include <stdio.h>

// Status of a system call that failed with errno `error`: NO_MEMORY or FILE_ERROR.
cardan_status cd_file_status(int error);

// Read a whole file, zero-terminated (the zero is not counted); the caller frees it. It must be a regular file of at
// most CD_FILE_SIZE_MAX bytes; pipes and devices are rejected without waiting. All files are read by these functions.
enum { CD_FILE_SIZE_MAX = 64 << 20, CD_REASON_SIZE = 200 };
cardan_status cd_file_read(const char* path, char** data, size_t* length, cardan_report* report);
// The same; on failure `reason` receives the predicate of a sentence about the file: "cannot be read: it is a folder".
cardan_status cd_file_read_with_reason(const char* path, char** data, size_t* length, char reason[CD_REASON_SIZE]);
// Read standard input to its end, of any kind, up to the same size.
cardan_status cd_stdin_read(char** data, size_t* length, cardan_report* report);

// Write a file completely, or change nothing. Creates missing folders. With `replace` false an existing file is an
// error.
cardan_status cd_file_write(const char* path, const char* data, size_t length, bool replace, cardan_report* report);

// A file that is written incrementally under a temporary name in the same folder (partial_file.h); cd_file_commit syncs
// it to disk and then renames it. Opening a file removes partial files of killed processes in the same folder.
typedef struct cd_file {
    FILE* stream;
    char *path, *temporary; // temporary: NULL if the path is not a regular file (a pipe, a terminal)
    bool  replace;
    int   mode;  // permissions of the replaced file, -1: none
    int   error; // errno of the first write that failed
} cd_file;

cardan_status cd_file_open(cd_file* file, const char* path, bool replace, cardan_report* report);
cardan_status cd_file_commit(cd_file* file, cardan_report* report); // closes; on failure removes the partial file
void          cd_file_discard(cd_file* file);                       // closes and removes; no effect if already closed
// Whether all writes so far succeeded. Call it directly after writing, while errno holds the reason.
bool cd_file_is_good(cd_file* file);

// SHA-256 of `length` bytes as 64 hexadecimal digits.
void cd_sha256(const char* data, size_t length, char digest[65]);
