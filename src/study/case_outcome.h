// SPDX-License-Identifier: BSD-3-Clause
// Outcome of one case of a parameter study: a row of the table and a line of the journal.
//
// The journal makes a study resumable. It has a header that identifies the study, then one line per finished case; each
// line is appended as a whole.
//
//     {"sweep": 1, "study": "<digest>", "cases": 60}
//     {"case": 17, "study": "<beginning of the digest>", "status": "ok", "seconds": 0.0041, "values": [1.5, null,
//     "word"], "units": ["m", "", ""]}
//
// Incomplete lines, and lines with another digest, are ignored.
#pragma once

#include "study/parameter_study.h"

typedef struct cd_study_cell {
    double number; // NaN: no value, or a text
    char*  text;
    char*  unit;
} cd_study_cell;

typedef struct cd_case_outcome {
    bool           is_done;
    char *         status, *reason; // "ok", else the kind of failure and its message
    double         seconds;
    cd_study_cell* cell; // (ncollect); NULL after a failure
} cd_case_outcome;

bool cd_case_outcome_is_ok(const cd_case_outcome* outcome);
void cd_case_outcome_fail(cd_case_outcome* outcome, const char* status, const char* format, ...)
    __attribute__((format(printf, 3, 4)));
void cd_case_outcome_free(cd_case_outcome* outcome, int ncell);

// case_outcome.c: read the collected values from the printed report (JSON) and the results file; `csv` may be NULL. A
// missing value sets the outcome to failed.
void cd_case_outcome_collect(cd_case_outcome* outcome, const cd_parameter_study* study, const char* report,
                             size_t length, const char* csv);
// Extract the sentence of the first error message from the standard error of a command.
void cd_extract_error_text(const char* text, char sentence[CARDAN_MESSAGE_LENGTH]);

// study_journal_line.c
typedef struct cd_study_digest {
    char text[65];
} cd_study_digest;

// Digest of the study file, of the files that it refers to, and of the program version.
cardan_status cd_parameter_study_digest(const cd_parameter_study* study, cd_study_digest* digest,
                                        cardan_report* report);
// Append one journal line with its line break.
void cd_case_outcome_write_line(cd_text* text, long number, const cd_study_digest* digest,
                                const cd_case_outcome* outcome, int ncell);
void cd_study_journal_write_header(cd_text* text, const cd_study_digest* digest, long ncase);

typedef struct cd_study_journal {
    int  file; // descriptor, locked; -1: none
    long ndone;
    bool is_other_study; // the journal has the digest of another study
} cd_study_journal;

// Open and lock the journal, and read its outcomes (ncase); create it if it does not exist. `restart` empties it first.
// A journal of another study is not changed; is_other_study is set then.
cardan_status cd_study_journal_open(cd_study_journal* journal, const char* path, const cd_parameter_study* study,
                                    const cd_study_digest* digest, bool restart, cd_case_outcome* outcome,
                                    cardan_report* report);
cardan_status cd_study_journal_append(cd_study_journal* journal, const char* line, size_t length,
                                      cardan_report* report);
void          cd_study_journal_close(cd_study_journal* journal);

// study_result_table.c: write the complete table as CSV and as JSON.
void cd_study_table_write_csv(const cd_parameter_study* study, const cd_case_outcome* outcome, cd_text* text);
void cd_study_table_write_json(const cd_parameter_study* study, const cd_case_outcome* outcome,
                               const cd_study_digest* digest, cd_text* text);
// Unit of a collected column: that of the first case with a unit, else "".
const char* cd_study_table_unit(const cd_parameter_study* study, const cd_case_outcome* outcome, int column);
