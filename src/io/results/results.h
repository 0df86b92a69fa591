// SPDX-License-Identifier: BSD-3-Clause
// Results: one CSV file of named columns with units, and a manifest beside it that says what produced it.
//
//     t [s],hinge.q [rad],hinge.v [rad/s]
//     0,0.5,0
//
// Names are escaped (cd_escape_csv). 17 significant digits, so that what is read back has the same bits; a value that
// is not a number is an empty field.
#pragma once

#include <cardan/status.h>
#include <stddef.h>

typedef struct cd_column {
    const char* name;
    const char* unit; // NULL or "": none
} cd_column;

// Writing: constant memory, under a temporary name until it is closed. Missing folders are made.
typedef struct cd_results cd_results;

// With `replace` false an existing file is refused at once, before anything is computed.
cardan_status cd_results_create(const char* path, int ncolumn, const cd_column* column, bool replace,
                                cd_results** results, cardan_report* report);
cardan_status cd_results_write_sample(cd_results*   results,
                                      const double* value); // (ncolumn); NO_FILE when the disk is full
long          cd_results_sample_count(const cd_results* results);
// Gives the file its name; also right after an interruption, every row written is whole. Frees `results` in any case.
cardan_status cd_results_close(cd_results* results, cardan_report* report);
void          cd_results_discard(cd_results* results); // leaves nothing behind

// Reading: everything at once, column by column.
typedef struct cd_result_table {
    int        ncolumn;
    long       nsample;
    cd_column* column;
    double**   value; // (ncolumn)(nrow); NaN where a value is missing
    char*      text;  // owns the names
} cd_result_table;

// Commas, semicolons or tabs between values (as the header has them), quotes, comment lines that begin with '#', empty
// lines. Up to 20 errors with line and column; a last line that was cut off is left out with a warning.
cardan_status cd_result_table_read(const char* path, cd_result_table** table, cardan_report* report);
cardan_status cd_result_table_parse(const char* text, size_t length, const char* file, cd_result_table** table,
                                    cardan_report* report);
void          cd_result_table_destroy(cd_result_table* table);
int           cd_result_table_find_column(const cd_result_table* table, const char* name); // column by name, or -1

// Manifest: facts the caller knows, written in their order. "settings.tolerance" is `tolerance` in the object
// `settings`; facts of one object stand together. Version and file name are added.
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

// "results/four-bar.csv" -> "results/four-bar" + ending; the caller frees; NULL without memory.
char* cd_results_sibling_path(const char* path, const char* ending);
// Write <name>.manifest.json beside the results at `path`. The manifest follows its results: it replaces an old one.
cardan_status cd_manifest_write(const char* path, int nentry, const cd_manifest_entry* entry, cardan_report* report);
// The arguments of a program as one line that a shell reads back; the caller frees.
char* cd_command_line(int count, const char* const* argument);
// SHA-256 of a file's content as 64 hexadecimal digits.
cardan_status cd_file_content_hash(const char* path, char digest[65], cardan_report* report);
