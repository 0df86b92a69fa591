// SPDX-License-Identifier: BSD-3-Clause
// A line of a model file with another value behind a key.
#pragma once

#include <stdbool.h>

typedef struct cd_file_line {
    int   line;
    char *before, *after; // without indentation at the end of lines
} cd_file_line;

// Find the key in line `line` of a file, or in the lines below that are indented more, and replace its value. Comments
// stay. Returns false if the file cannot be read, or the key is not found, or there is no memory.
bool cd_file_line_replace(const char* path, int line, const char* key, const char* value, cd_file_line* result);
// The same, with another name of the key and its value kept; behind "spherical" the axis is left out.
bool cd_file_line_rename(const char* path, int line, const char* key, const char* name, cd_file_line* result);
void cd_file_line_free(cd_file_line* line);
