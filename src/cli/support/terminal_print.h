// SPDX-License-Identifier: BSD-3-Clause
// Output for the terminal. All such text is printed by the first two functions. They format as printf does, with every
// string argument in escaped form (core/escape.h), so that names, paths and sentences from files cannot move the
// cursor, change colours or begin new lines. Control characters of the format itself are printed unchanged.
#pragma once

#include <stddef.h>

// Print to standard output; returns the number of bytes.
int cd_print(const char* format, ...) __attribute__((format(printf, 1, 2)));
// Print to standard error; returns the number of bytes.
int cd_print_error(const char* format, ...) __attribute__((format(printf, 1, 2)));
// Print a complete report (JSON, CSV, YAML, SVG), which contains its own escapes, to standard output unchanged.
void cd_print_bytes(const char* bytes, size_t count);
