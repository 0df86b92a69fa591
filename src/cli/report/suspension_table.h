// SPDX-License-Identifier: BSD-3-Clause
// A sweep of a suspension study as columns: for the CSV file, the curves, the table in words and JSON.
#pragma once

#include "core/text.h"
#include "io/results/results.h"

#include <cardan/suspension.h>

// Columns in the units of the trade: mm, deg, N, N/mm. The first is what was swept.
typedef struct cd_suspension_table {
    int          ncolumn, npoint;
    cd_column*   column;
    double**     value;            // (ncolumn)(nrow)
    int*         wheel;            // (ncolumn) wheel it belongs to, or -1
    const char **measure, **title; // (ncolumn) "camber", or the column's own name; in the picture
    bool*        is_plotted;       // (ncolumn) in the picture
    char*        names;            // owns the column names
} cd_suspension_table;

// False without memory. Columns without any value are left out.
bool cd_suspension_table_create(const cardan_suspension_study* study, const cardan_suspension_sweep* sweep,
                                bool steering_is_angle, cd_suspension_table* table);
void cd_suspension_table_free(cd_suspension_table* table);

// CSV, and curves as small multiples, under these names; what is wrong goes to the report.
cardan_status cd_suspension_table_write_csv(const cd_suspension_table* table, const char* path, bool replace,
                                            cardan_report* report);
cardan_status cd_suspension_table_draw(const cd_suspension_table* table, const cardan_suspension_study* study,
                                       const char* title, const char* kind, cd_text* svg, cardan_report* report);
