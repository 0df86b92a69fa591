// SPDX-License-Identifier: BSD-3-Clause
// Results: a CSV file of named columns with units, and a manifest with its origin.
//
//     t [s],hinge.q [rad],hinge.v [rad/s]
//     0,0.5,0
//
// Names are escaped (cd_escape_csv). Numbers have 17 significant digits, so that reading restores the same
// bits; NaN is an empty field.
#pragma once

#include <cardan/status.h>
#include <stddef.h>

typedef struct cd_column {
    const char* name;
    const char* unit; // NULL or "": none
} cd_column;

// Writer: constant memory; the file has a temporary name until it is closed. Missing folders are created.
typedef struct cd_results cd_results;

// Create a results file. With `replace` false, fails at once if the file exists.
cardan_status cd_results_create(const char* path, int ncolumn, const cd_column* column, bool replace,
                                cd_results** results, cardan_report* report);
cardan_status cd_results_write_sample(cd_results*   results,
                                      const double* value); // (ncolumn); CARDAN_FILE_ERROR if the disk is full
long          cd_results_sample_count(const cd_results* results);
// Close the file and give it its final name; also valid after an interruption, since every sample is
// complete. Always frees `results`.
cardan_status cd_results_close(cd_results* results, cardan_report* report);
void          cd_results_discard(cd_results* results); // removes the file

// Complete results in memory, by columns.
typedef struct cd_result_table {
    int        ncolumn;
    long       nsample;
    cd_column* column;
    double**   value; // (ncolumn)(nsample); NaN if a value is missing
    char*      text;  // owns the names
} cd_result_table;

// Read results with commas, semicolons or tabs as separator (by the header), quotes, comment lines with '#', empty
// lines. Reports up to 20 errors with line and column; an incomplete last line is omitted with a warning.
cardan_status cd_result_table_read(const char* path, cd_result_table** table, cardan_report* report);
cardan_status cd_result_table_parse(const char* text, size_t length, const char* file, cd_result_table** table,
                                    cardan_report* report);
void          cd_result_table_destroy(cd_result_table* table);
int           cd_result_table_find_column(const cd_result_table* table, const char* name); // column index, or -1

// Manifest: entries of the caller, written in their order. "settings.tolerance" is `tolerance` in the object
// `settings`; entries of one object are consecutive. Version and file name are added.
typedef enum cd_manifest_entry_kind {
    CD_MANIFEST_TEXT,
    CD_MANIFEST_NUMBER,
    CD_MANIFEST_INTEGER,
    CD_MANIFEST_BOOLEAN
} cd_manifest_entry_kind;

typedef struct cd_manifest_entry {
    const char*            key;
    cd_manifest_entry_kind kind;
    const char*            text;
    double                 number;
    long long              integer;
} cd_manifest_entry;

static inline cd_manifest_entry cd_manifest_text(const char* key, const char* value)
{
    return (cd_manifest_entry){.key = key, .text = value};
}
static inline cd_manifest_entry cd_manifest_number(const char* key, double value)
{
    return (cd_manifest_entry){.key = key, .kind = CD_MANIFEST_NUMBER, .number = value};
}
static inline cd_manifest_entry cd_manifest_integer(const char* key, long long value)
{
    return (cd_manifest_entry){.key = key, .kind = CD_MANIFEST_INTEGER, .integer = value};
}
static inline cd_manifest_entry cd_manifest_boolean(const char* key, bool value)
{
    return (cd_manifest_entry){.key = key, .kind = CD_MANIFEST_BOOLEAN, .integer = value};
}

// Replace the extension: "results/four-bar.csv" -> "results/four-bar" + ending. The caller frees
// it; NULL if memory is exhausted.
char* cd_results_sibling_path(const char* path, const char* ending);
// Write <name>.manifest.json to the folder of the results `path`; replaces an existing one.
cardan_status cd_manifest_write(const char* path, int nentry, const cd_manifest_entry* entry, cardan_report* report);
// Return the arguments of a program as one shell command line; the caller frees it.
char* cd_command_line(int count, const char* const* argument);
// Compute the SHA-256 of a file as 64 hexadecimal digits.
cardan_status cd_file_content_hash(const char* path, char digest[65], cardan_report* report);
