// SPDX-License-Identifier: BSD-3-Clause
// Units of columns of results: conversion of SI values to the units of a list, and of tables back to SI.
#pragma once

#include "io/results/results.h"

// Name of unit i, NULL after the last; signature of candidates of cd_nearest_name.
const char* cd_result_unit_name(void* user, int i);

// Conversion of columns: value in the new unit = value / size.
typedef struct cd_unit_conversion {
    int        ncolumn;
    cd_column* column; // (ncolumn) names and new units
    double*    size;   // (ncolumn) value of one new unit in SI units; 1: not converted
    double*    value;  // (ncolumn) last converted values
} cd_unit_conversion;

// Prepare the conversion of the columns to the units of `list`, separated by commas; at most one per SI unit. NULL: no
// column is converted. An unknown unit is an error. The caller frees it, also after a failure.
cardan_status cd_unit_conversion_open(cd_unit_conversion* conversion, int ncolumn, const cd_column* column,
                                      const char* list, cardan_report* report);
void          cd_unit_conversion_free(cd_unit_conversion* conversion);
// Convert one sample (ncolumn); the result is valid until the next call.
const double* cd_unit_convert(cd_unit_conversion* conversion, const double* value);

// Convert all columns with known units to SI units.
void cd_result_table_to_si(cd_result_table* table);
