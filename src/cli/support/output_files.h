// SPDX-License-Identifier: BSD-3-Clause
// Files the tool writes: their names, and that nothing is overwritten silently.
#pragma once

#include "core/text.h"

#include <cardan/status.h>

#include <stdbool.h>

// "results/<name><ending>", with what a file name should not hold replaced; the caller frees, NULL without memory.
char* cd_result_path(const char* name, const char* ending);

// "-" or another name of standard output.
bool cd_is_standard_output(const char* path);

// A terminal, a pipe, /dev/null: nothing can be written beside it.
bool cd_is_device(const char* path);

// Two names of one file that exists.
bool cd_is_same_file(const char* a, const char* b);

// True if the file may be written: it does not exist, or `force`. Else that is told, with what to do.
bool cd_can_write(const char* path, bool force);

// A file that the library did not write: what is wrong, and the options that help where the reason is an existing file.
// Returns the exit code.
int cd_report_write_failure(cardan_report* report, cardan_status status, const char* path, bool force);

// Removes the file "<path without its ending><ending>" of an earlier run.
void cd_remove_sibling(const char* path, const char* ending);

// Write the text to the file ("-": standard output) and free it; returns the exit code.
int cd_write_text(const char* path, cd_text* text, bool force);
