// SPDX-License-Identifier: BSD-3-Clause
// Text table on standard output with columns of the required width.
#pragma once

#include <stdbool.h>

typedef struct cd_text_table {
    const char* align; // one character per column: 'l' or 'r'
    int         ncell, capacity;
    char**      cell;
    bool        failed;
} cd_text_table;

// Append a cell, line by line; the first line is the header.
void cd_text_table_add(cd_text_table* table, const char* format, ...) __attribute__((format(printf, 2, 3)));
// Print the table and free it. Long tables are truncated, with a note that names the complete output.
void cd_text_table_print(cd_text_table* table);
