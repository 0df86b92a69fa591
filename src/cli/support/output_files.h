// SPDX-License-Identifier: BSD-3-Clause
// Output files: names, and protection of existing files.
#pragma once

#include "core/text.h"

#include <cardan/status.h>

#include <stdbool.h>

// Path "results/<name><ending>"; characters that are unsuitable in file names are replaced. The caller frees it; NULL
// if memory is exhausted.
char* cd_result_path(const char* name, const char* ending);

// True for "-" and other names of standard output.
bool cd_is_standard_output(const char* path);

// True for a terminal, a pipe or /dev/null: no other file can be written next to it.
bool cd_is_device(const char* path);

// True if both paths name the same existing file.
bool cd_is_same_file(const char* a, const char* b);

// True if the file does not exist, or if `force`. Otherwise prints an error with a remedy and returns false.
bool cd_can_write(const char* path, bool force);

// Report that the library could not write a file; if the file exists, name the options that help. Returns the exit
// code.
int cd_report_write_failure(cardan_report* report, cardan_status status, const char* path, bool force);

// Remove the file "<path without its ending><ending>" of an earlier run.
void cd_remove_sibling(const char* path, const char* ending);

// Write the text to the file ("-": standard output) and free it. Returns the exit code.
int cd_write_text(const char* path, cd_text* text, bool force);
