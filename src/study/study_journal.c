// SPDX-License-Identifier: BSD-3-Clause
// Journal of a study: read, truncate to complete lines, append.
#include "study/case_outcome.h"

#include "core/file.h"
#include "core/json.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static const char* string_member(const cd_json_document* d, const cd_json_node* object, const char* key)
{
    const cd_json_node* node = cd_json_find(d, object, key);
    return node && node->kind == CD_JSON_STRING ? node->string : NULL;
}

static bool copy_string(const char* from, char** to, bool* no_memory)
{
    *to        = from ? cd_copy_string(from) : NULL;
    *no_memory = *no_memory || (from && !*to);
    return !*no_memory;
}

// Read the collected values of a line. Returns false if the line does not match the study, or if memory is exhausted.
static bool read_cells(const cd_json_document* d, const cd_json_node* root, int ncell, cd_case_outcome* o,
                       bool* no_memory)
{
    const cd_json_node *values = cd_json_find(d, root, "values"), *units = cd_json_find(d, root, "units");
    if (!values || !units || values->kind != CD_JSON_ARRAY || units->kind != CD_JSON_ARRAY || values->count != ncell ||
        units->count != ncell)
        return false;
    o->cell    = calloc((size_t)ncell + 1, sizeof *o->cell);
    *no_memory = *no_memory || !o->cell;
    if (!o->cell) return false;
    const cd_json_node *value = values->first, *unit = units->first;
    for (int i = 0; i < ncell; ++i, value = value->next, unit = unit->next) {
        o->cell[i].number = value->kind == CD_JSON_NUMBER ? value->number : NAN;
        if (value->kind == CD_JSON_STRING) copy_string(value->string, &o->cell[i].text, no_memory);
        if (unit->kind == CD_JSON_STRING) copy_string(unit->string, &o->cell[i].unit, no_memory);
    }
    return !*no_memory;
}

// Read the line of a case, zero-terminated. Invalid lines and lines with another digest are ignored. Returns
// CARDAN_NO_MEMORY or CARDAN_OK.
static cardan_status read_line(const char* line, size_t length, const cd_parameter_study* study,
                               const cd_study_digest* digest, cd_case_outcome* outcome)
{
    cardan_report       ignored   = {0};
    cd_json_document*   document  = NULL;
    bool                no_memory = false;
    const cardan_status parsed    = cd_json_parse(line, length, "journal", &document, &ignored);
    if (parsed != CARDAN_OK) return parsed == CARDAN_NO_MEMORY ? parsed : CARDAN_OK;
    const cd_json_node* root       = cd_json_root(document);
    const cd_json_node* number     = root->kind == CD_JSON_OBJECT ? cd_json_find(document, root, "case") : NULL;
    const char *        study_text = number ? string_member(document, root, "study") : NULL,
               *status             = number ? string_member(document, root, "status") : NULL;
    if (study_text && status && strncmp(study_text, digest->text, 16) == 0 && number->kind == CD_JSON_NUMBER &&
        number->number >= 1 && number->number <= (double)study->ncase) {
        const cd_json_node* seconds = cd_json_find(document, root, "seconds");
        cd_case_outcome*    o       = &outcome[(long)number->number - 1];
        cd_case_outcome_free(o, study->ncollect); // repeated case: the last line counts
        copy_string(status, &o->status, &no_memory);
        copy_string(string_member(document, root, "reason"), &o->reason, &no_memory);
        o->seconds = seconds ? seconds->number : 0;
        o->is_done =
            !no_memory && (strcmp(status, "ok") != 0 || read_cells(document, root, study->ncollect, o, &no_memory));
        if (!o->is_done) cd_case_outcome_free(o, study->ncollect);
    }
    cd_json_destroy(document);
    return no_memory ? CARDAN_NO_MEMORY : CARDAN_OK;
}

// Check the digest of the header. Returns CARDAN_NO_MEMORY or CARDAN_OK.
static cardan_status check_header(char* line, size_t length, const cd_study_digest* digest, bool* other)
{
    cardan_report       ignored  = {0};
    cd_json_document*   document = NULL;
    const cardan_status parsed   = cd_json_parse(line, length, "journal", &document, &ignored);
    *other                       = true;
    if (parsed != CARDAN_OK) return parsed == CARDAN_NO_MEMORY ? parsed : CARDAN_OK;
    const cd_json_node* root  = cd_json_root(document);
    const char*         study = root->kind == CD_JSON_OBJECT ? string_member(document, root, "study") : NULL;
    *other                    = !study || strcmp(study, digest->text) != 0;
    cd_json_destroy(document);
    return CARDAN_OK;
}

static cardan_status fail_journal(const char* path, const char* what, cardan_report* report)
{
    return cardan_fail(report, CARDAN_FILE_ERROR, CARDAN_CODE_FILE_NOT_WRITABLE, (cardan_location){.file = path},
                       "%s: %s", what, strerror(errno));
}

// Read the complete lines and truncate the file after the last of them.
static cardan_status read_journal(cd_study_journal* j, const char* path, const cd_parameter_study* study,
                                  const cd_study_digest* digest, cd_case_outcome* outcome, cardan_report* report)
{
    char*         data   = NULL;
    size_t        length = 0;
    cardan_status status = cd_file_read(path, &data, &length, report);
    if (status != CARDAN_OK) return status;
    char *at   = data, *end;
    bool  head = true;
    while ((end = memchr(at, '\n', (size_t)(data + length - at)))) {
        *end   = 0;
        status = head ? check_header(at, (size_t)(end - at), digest, &j->is_other_study)
                      : read_line(at, (size_t)(end - at), study, digest, outcome);
        if (status != CARDAN_OK || j->is_other_study) break;
        head = false;
        at   = end + 1;
    }
    if (status != CARDAN_OK) { // memory is exhausted
        free(data);
        return status;
    }
    for (long i = 0; i < study->ncase; ++i) j->ndone += outcome[i].is_done;
    if (!j->is_other_study && at < data + length && ftruncate(j->file, at - data) != 0)
        status = fail_journal(path, "the journal cannot be written", report);
    if (!j->is_other_study && head) { // the header is missing
        cd_text text = {0};
        cd_study_journal_write_header(&text, digest, study->ncase);
        status = text.failed ? CARDAN_NO_MEMORY : cd_study_journal_append(j, text.data, text.length, report);
        cd_text_free(&text);
    }
    free(data);
    return status;
}

cardan_status cd_study_journal_open(cd_study_journal* j, const char* path, const cd_parameter_study* study,
                                    const cd_study_digest* digest, bool restart, cd_case_outcome* outcome,
                                    cardan_report* report)
{
    cd_file made;
    *j = (cd_study_journal){.file = -1};
    if (access(path, F_OK) != 0) { // create its folders, and report an unwritable file before any case runs
        const cardan_status status = cd_file_open(&made, path, false, report);
        if (status != CARDAN_OK) return status;
        cd_file_discard(&made);
    }
    j->file = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (j->file < 0) return fail_journal(path, "the journal cannot be written", report);
    if (flock(j->file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        cd_study_journal_close(j);
        return cardan_fail(report, CARDAN_FILE_ERROR, CARDAN_CODE_FILE_LOCKED, (cardan_location){.file = path},
                           "another sweep writes this study; wait until it ends");
    }
    if (restart && ftruncate(j->file, 0) != 0) return fail_journal(path, "the journal cannot be written", report);
    return read_journal(j, path, study, digest, outcome, report);
}

// Append a line and flush it to the disk.
cardan_status cd_study_journal_append(cd_study_journal* j, const char* line, size_t length, cardan_report* report)
{
    while (length > 0) {
        const ssize_t n = write(j->file, line, length);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0)
            return cardan_fail(report, CARDAN_FILE_ERROR, CARDAN_CODE_FILE_NOT_WRITABLE, cardan_location_none(),
                               "the journal cannot be written: %s", strerror(errno));
        line += n;
        length -= (size_t)n;
    }
    if (fdatasync(j->file) != 0 && errno != EINVAL && errno != ENOTSUP && errno != ENOSYS)
        return cardan_fail(report, CARDAN_FILE_ERROR, CARDAN_CODE_FILE_NOT_WRITABLE, cardan_location_none(),
                           "the journal cannot be written: %s", strerror(errno));
    return CARDAN_OK;
}

void cd_study_journal_close(cd_study_journal* j)
{
    if (j->file >= 0) close(j->file);
    j->file = -1;
}
