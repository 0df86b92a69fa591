// SPDX-License-Identifier: BSD-3-Clause
// Whole files: read at once, written so that nothing partial is ever seen under the final name.
#pragma once

#include <cardan/status.h>
#include <stdio.h>

// The status for a call of the system that failed with errno `error`: NO_MEMORY or NO_FILE.
cardan_status cd_file_status(int error);

// The whole file, zero-terminated (the zero is not counted); the caller frees.
cardan_status cd_file_read(const char* path, char** data, size_t* length, cardan_report* report);

// Write a file at once, or leave everything as it was. Missing folders are made. With `replace` false an existing
// file is an error that says what to do.
cardan_status cd_file_write(const char* path, const char* data, size_t length, bool replace, cardan_report* report);

// A file that is written bit by bit under a temporary name beside its own, and gets its name when it is kept.
typedef struct cd_file {
    FILE* stream;
    char *path, *temporary; // temporary is NULL where the path is no regular file (a pipe, a terminal)
    bool  replace;
} cd_file;

cardan_status cd_file_open(cd_file* file, const char* path, bool replace, cardan_report* report);
cardan_status cd_file_keep(cd_file* file, cardan_report* report); // closes; on failure nothing is left behind
void          cd_file_discard(cd_file* file);                     // closes and removes; harmless when already closed

// SHA-256 of `length` bytes as 64 hexadecimal digits.
void cd_sha256(const char* data, size_t length, char digest[65]);
