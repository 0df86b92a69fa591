// SPDX-License-Identifier: BSD-3-Clause
// Aligned tables. Widths count characters instead of bytes, so that columns with UTF-8 names are aligned.
#include "cli/report/text_table.h"

#include "cli/support/messages.h"
#include "cli/support/terminal_print.h"
#include "cli/report/value_text.h"
#include "core/memory.h"
#include "core/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINES_SHOWN = 200, COLUMNS_MAX = 16 };

void cd_text_table_add(cd_text_table* table, const char* format, ...)
{
    cd_text text = {0};
    va_list arguments;
    va_start(arguments, format);
    cd_text_format_v(&text, format, arguments);
    va_end(arguments);
    char* cell = cd_text_detach(&text);
    if (!cell || !cd_array_grow((void**)&table->cell, &table->capacity, table->ncell, sizeof *table->cell)) {
        free(cell);
        table->failed = true;
        return;
    }
    table->cell[table->ncell++] = cell;
}

static int display_width(const char* s)
{
    int n = 0;
    for (; *s; ++s) n += ((unsigned char)*s & 0xC0) != 0x80;
    return n;
}

static void print_line(const cd_text_table* table, int line, int ncolumn, const int* width)
{
    for (int c = 0; c < ncolumn; ++c) {
        const char* cell  = table->cell[line * ncolumn + c];
        const int   space = width[c] - display_width(cell);
        const bool  right = table->align[c] == 'r';
        if (right)
            cd_print("  %*s%s", space, "", cell);
        else if (c + 1 < ncolumn)
            cd_print("  %s%*s", cell, space, "");
        else
            cd_print("  %s", cell);
    }
    cd_print("\n");
}

void cd_text_table_print(cd_text_table* table)
{
    const int ncolumn = (int)strlen(table->align), nrow = table->failed ? 0 : table->ncell / ncolumn;
    if (table->failed) cd_report_no_memory();
    const int shown              = nrow > LINES_SHOWN + 1 ? LINES_SHOWN + 1 : nrow;
    int       width[COLUMNS_MAX] = {0};
    for (int i = 0; i < shown * ncolumn; ++i) {
        const int w = display_width(table->cell[i]);
        if (w > width[i % ncolumn]) width[i % ncolumn] = w;
    }
    for (int r = 0; r < shown; ++r) print_line(table, r, ncolumn, width);
    if (nrow > shown) cd_print("  ... and %s more; --json has all\n", cd_count_text(nrow - shown).text);
    for (int i = 0; i < table->ncell; ++i) free(table->cell[i]);
    free(table->cell);
    table->cell  = NULL;
    table->ncell = table->capacity = 0;
}
