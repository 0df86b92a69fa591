// SPDX-License-Identifier: BSD-3-Clause
// What one case came to: a row of the table, and a line of the journal.
//
// The journal makes a study resumable: a head that says which study it belongs to, then one line per finished case,
// appended in whole.
//
//     {"sweep": 1, "study": "<digest>", "cases": 60}
//     {"case": 17, "study": "<beginning of the digest>", "status": "ok", "seconds": 0.0041, "values": [1.5, null,
//     "word"], "units": ["m", "", ""]}
//
// A line that is cut off, or that another state of the study wrote, counts as not there.
#pragma once

#include "study/parameter_study.h"

typedef struct cd_study_cell {
    double number; // NaN: none, or a text
    char*  text;
    char*  unit;
} cd_study_cell;

typedef struct cd_case_outcome {
    bool           is_done;
    char *         status, *reason; // "ok"; else why not
    double         seconds;
    cd_study_cell* cell; // (ncollect); NULL where it failed
} cd_case_outcome;

bool cd_case_outcome_is_ok(const cd_case_outcome* outcome);
void cd_case_outcome_fail(cd_case_outcome* outcome, const char* status, const char* format, ...)
    __attribute__((format(printf, 3, 4)));
void cd_case_outcome_free(cd_case_outcome* outcome, int ncell);

// case_outcome.c: the cells from what the command printed and wrote; `csv` may be NULL. A value that is not there
// fails the outcome.
void cd_case_outcome_collect(cd_case_outcome* outcome, const cd_parameter_study* study, const char* report,
                             size_t length, const char* csv);
// The sentence of what a command told as an error on its standard error.
void cd_extract_error_text(const char* text, char sentence[CARDAN_MESSAGE_LENGTH]);

// sweep_journal_line.c
typedef struct cd_study_digest {
    char text[65];
} cd_study_digest;

// Of the study file, of what it is about, and of the version.
cardan_status cd_parameter_study_digest(const cd_parameter_study* study, cd_study_digest* digest,
                                        cardan_report* report);
// One line with its end.
void cd_case_outcome_write_line(cd_text* text, long number, const cd_study_digest* digest,
                                const cd_case_outcome* outcome, int ncell);
void cd_sweep_journal_write_header(cd_text* text, const cd_study_digest* digest, long ncase);

typedef struct cd_sweep_journal {
    int  file; // descriptor, locked; -1: none
    long ndone;
    bool is_other_study; // it belongs to another state of the study
} cd_sweep_journal;

// Opens the journal and reads the outcomes (ncase) that it has; one that is not there is begun. With `anew` it is
// emptied. What another study wrote is left alone and told by `other`.
cardan_status cd_sweep_journal_open(cd_sweep_journal* journal, const char* path, const cd_parameter_study* study,
                                    const cd_study_digest* digest, bool anew, cd_case_outcome* outcome,
                                    cardan_report* report);
cardan_status cd_sweep_journal_append(cd_sweep_journal* journal, const char* line, size_t length,
                                      cardan_report* report);
void          cd_sweep_journal_close(cd_sweep_journal* journal);

// sweep_result_table.c: all rows as CSV and as JSON, written at once.
void cd_study_table_write_csv(const cd_parameter_study* study, const cd_case_outcome* outcome, cd_text* text);
void cd_study_table_write_json(const cd_parameter_study* study, const cd_case_outcome* outcome,
                               const cd_study_digest* digest, cd_text* text);
// Unit of a collected column: that of the first row that has one; "" where there is none.
const char* cd_study_table_unit(const cd_parameter_study* study, const cd_case_outcome* outcome, int column);
