// SPDX-License-Identifier: BSD-3-Clause
// What the tool prints for people. All text for the terminal goes through these two functions: they print as printf
// does, but every string argument in visible form (core/escape.h), so that names, paths and sentences from files cannot
// move the cursor, change colours or begin new lines. Control characters of the format itself are printed as they are.
#pragma once

// On standard output; returns how many bytes.
int cd_print(const char* format, ...) __attribute__((format(printf, 1, 2)));
// On standard error.
int cd_print_error(const char* format, ...) __attribute__((format(printf, 1, 2)));
