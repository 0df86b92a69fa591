// SPDX-License-Identifier: BSD-3-Clause
// Table of one sweep of a suspension study, for CSV, curves, text and JSON.
#pragma once

#include "core/text.h"
#include "io/results/results.h"

#include <cardan/suspension.h>

// Columns in the units of suspension engineering: mm, deg, N, N/mm. The first is the swept quantity.
typedef struct cd_suspension_table {
    int          ncolumn, npoint;
    cd_column*   column;
    double**     value;            // (ncolumn)(npoint)
    int*         wheel;            // (ncolumn) index of the wheel, or -1
    const char **measure, **title; // (ncolumn) measure ("camber") or column name; title of the panel
    bool*        is_plotted;       // (ncolumn) has a curve
    char*        names;            // memory of the column names
} cd_suspension_table;

// Returns false if memory is exhausted. Measures without any finite value have no column.
bool cd_suspension_table_create(const cardan_suspension_study* study, const cardan_suspension_sweep* sweep,
                                bool steering_is_angle, cd_suspension_table* table);
void cd_suspension_table_free(cd_suspension_table* table);

// Write the CSV file; draw the curves as small multiples. Errors go to the report.
cardan_status cd_suspension_table_write_csv(const cd_suspension_table* table, const char* path, bool replace,
                                            cardan_report* report);
cardan_status cd_suspension_table_draw(const cd_suspension_table* table, const cardan_suspension_study* study,
                                       const char* title, const char* kind, cd_text* svg, cardan_report* report);
