// SPDX-License-Identifier: BSD-3-Clause
// A table of words on standard output, its columns as wide as they need to be.
#pragma once

#include <stdbool.h>

typedef struct cd_text_table {
    const char* align; // per column: 'l' or 'r'
    int         ncell, capacity;
    char**      cell;
    bool        failed;
} cd_text_table;

// Cells one by one, row after row; the first row is the head.
void cd_text_table_add(cd_text_table* grid, const char* format, ...) __attribute__((format(printf, 2, 3)));
// Prints and frees. Long tables are cut, and it is said where the rest is.
void cd_text_table_print(cd_text_table* grid);
