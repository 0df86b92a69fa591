// SPDX-License-Identifier: BSD-3-Clause
// CSV reader for results of Cardan and similar tables of other programs. Fields are decoded in place in a copy of the
// text; locations of errors are counted in it.
#include "io/results/results.h"

#include "core/escape.h"
#include "core/file.h"
#include "core/number_locale.h"
#include "core/memory.h"
#include "core/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct csv_reader {
    char *           position, *end;
    int              line;
    const char*      column_start; // position up to which columns are counted; its column is `column`
    int              column;
    char             separator;
    const char*      file;
    cardan_report*   report;
    cd_result_table* table;
    long             capacity; // samples allocated
} csv_reader;

typedef enum field_end { FIELD_NEXT, FIELD_LINE, FIELD_FILE } field_end;

typedef struct csv_field {
    char*           text; // zero-terminated, surrounding spaces removed
    bool            quoted;
    cardan_location location;
    field_end       end;
} csv_field;

static void begin_line(csv_reader* r, const char* at)
{
    ++r->line;
    r->column_start = at;
    r->column       = 1;
}

// Return the location of a character. Calls go from left to right, so that each character is counted once.
static cardan_location location_of(csv_reader* r, const char* at)
{
    for (; r->column_start < at; ++r->column_start) r->column += ((unsigned char)*r->column_start & 0xC0) != 0x80;
    return (cardan_location){r->file, r->line, r->column};
}

static bool is_space(char c) { return c == ' ' || c == '\r' || c == '\t'; }

// Skip the end of a field and return its kind. At the end of a line, the next line is not yet begun.
static field_end skip_field_end(csv_reader* r)
{
    if (r->position >= r->end) return FIELD_FILE;
    if (*r->position == '\n') {
        ++r->position;
        return FIELD_LINE;
    }
    ++r->position;
    return FIELD_NEXT;
}

// Decode a quoted field; a doubled quote is one quote. Returns false if it is not closed.
static bool unquote(csv_reader* r, csv_field* f)
{
    char* out = f->text = ++r->position;
    for (; r->position < r->end; ++r->position) {
        if (*r->position == '"' && (r->position + 1 >= r->end || r->position[1] != '"')) {
            ++r->position;
            while (r->position < r->end && is_space(*r->position) && *r->position != r->separator) ++r->position;
            *out = '\0';
            return true;
        }
        if (*r->position == '"') ++r->position;
        if (*r->position == '\n') begin_line(r, r->position + 1);
        *out++ = *r->position;
    }
    return false;
}

static cardan_status next_field(csv_reader* r, csv_field* f)
{
    while (r->position < r->end && is_space(*r->position) && *r->position != r->separator) ++r->position;
    *f = (csv_field){.text     = r->position,
                     .location = location_of(r, r->position),
                     .quoted   = r->position < r->end && *r->position == '"'};
    if (f->quoted) {
        if (!unquote(r, f))
            return cardan_fail(r->report, CARDAN_BAD_INPUT, CARDAN_CODE_TABLE_INVALID, f->location,
                               "this quote is not closed");
        if (r->position < r->end && *r->position != r->separator && *r->position != '\n')
            return cardan_fail(r->report, CARDAN_BAD_INPUT, CARDAN_CODE_TABLE_INVALID, f->location,
                               "there are characters after the closing quote");
        f->end = skip_field_end(r);
        return CARDAN_OK;
    }
    while (r->position < r->end && *r->position != r->separator && *r->position != '\n') ++r->position;
    char* stop = r->position;
    while (stop > f->text && is_space(stop[-1])) --stop;
    if (memchr(f->text, '\0', (size_t)(stop - f->text)))
        return cardan_fail(r->report, CARDAN_BAD_INPUT, CARDAN_CODE_TABLE_INVALID, f->location,
                           "the file contains a zero byte; it must be a text file");
    f->end = skip_field_end(r);
    *stop  = '\0';
    return CARDAN_OK;
}

// Advance to the next line with content; returns false at the end.
static bool next_line(csv_reader* r)
{
    for (;;) {
        begin_line(r, r->position);
        char* c = r->position;
        while (c < r->end && is_space(*c)) ++c;
        if (c >= r->end) return false;
        if (*c != '\n' && *c != '#') return true;
        while (c < r->end && *c != '\n') ++c;
        r->position = c < r->end ? c + 1 : c;
    }
}

// Return the separator of the header outside quotes: comma before semicolon before tab.
static char find_separator(const csv_reader* r)
{
    bool comma = false, semicolon = false, tab = false, quoted = false;
    for (const char* c = r->position; c < r->end && (*c != '\n' || quoted); ++c) {
        if (*c == '"') quoted = !quoted;
        if (quoted) continue;
        comma |= *c == ',';
        semicolon |= *c == ';';
        tab |= *c == '\t';
    }
    return comma || !(semicolon || tab) ? ',' : semicolon ? ';' : '\t';
}

// Split "hinge.q [rad]" into name and unit.
static cd_column split_name(char* text)
{
    const size_t n    = strlen(text);
    cd_column    c    = {.name = text, .unit = ""};
    char*        open = n && text[n - 1] == ']' ? strrchr(text, '[') : NULL;
    if (!open || open == text) return c;
    text[n - 1] = '\0';
    c.unit      = open + 1;
    do *open = '\0';
    while (open > text && is_space(*--open));
    return c;
}

static bool is_number(const char* text)
{
    char* stop = NULL;
    strtod(text, &stop);
    return stop != text && *stop == '\0';
}

static cardan_status add_column(csv_reader* r, const csv_field* f, int* capacity, cd_name_table* names)
{
    cd_result_table* t = r->table;
    if (!f->quoted && is_number(f->text))
        return cardan_fail(r->report, CARDAN_BAD_INPUT, CARDAN_CODE_TABLE_INVALID, f->location,
                           "'%.40s' is a number, but the first line must contain names, such as 't [s],x [m]'",
                           f->text);
    char            flaw[CD_FLAW_SIZE];
    const char*     text = cd_unescape_csv(f->text);
    const cd_column c    = split_name(f->text + (text - f->text));
    if (cd_name_error(c.name, flaw) || cd_name_error(c.unit, flaw))
        return cardan_fail(r->report, CARDAN_BAD_INPUT, CARDAN_CODE_TABLE_INVALID, f->location,
                           "the name of column %d, '%.80s', contains %s; use printable characters only", t->ncolumn + 1,
                           c.name, flaw);
    if (!*c.name)
        return cardan_fail(r->report, CARDAN_BAD_INPUT, CARDAN_CODE_TABLE_INVALID, f->location, "column %d has no name",
                           t->ncolumn + 1);
    if (cd_name_table_find(names, c.name) >= 0)
        return cardan_fail(r->report, CARDAN_BAD_INPUT, CARDAN_CODE_TABLE_INVALID, f->location,
                           "there are two columns '%.80s'", c.name);
    if (!cd_array_grow((void**)&t->column, capacity, t->ncolumn, sizeof c) ||
        !cd_name_table_add(names, c.name, t->ncolumn))
        return cardan_fail(r->report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, f->location,
                           "out of memory for the columns");
    t->column[t->ncolumn++] = c;
    return CARDAN_OK;
}

static cardan_status read_header(csv_reader* r)
{
    if (!next_line(r))
        return cardan_fail(r->report, CARDAN_BAD_INPUT, CARDAN_CODE_TABLE_INVALID, (cardan_location){.file = r->file},
                           "the file is empty");
    r->separator          = find_separator(r);
    int            room   = 0;
    csv_field      f      = {0};
    cd_name_table* names  = cd_name_table_create();
    cardan_status  status = names ? CARDAN_OK
                                  : cardan_fail(r->report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, f.location,
                                                "out of memory for the columns");
    do {
        if (status == CARDAN_OK) status = next_field(r, &f);
        if (status == CARDAN_OK) status = add_column(r, &f, &room, names);
    } while (status == CARDAN_OK && f.end == FIELD_NEXT);
    if (names) cd_name_table_destroy(names);
    return status;
}

// Allocate the values: there are at most as many samples as lines, and as the separators allow.
static cardan_status allocate_values(csv_reader* r)
{
    cd_result_table* t          = r->table;
    size_t           separators = 0, lines = 1;
    for (const char* c = r->position; c < r->end; ++c) {
        separators += *c == r->separator;
        lines += *c == '\n';
    }
    const size_t most = t->ncolumn > 1 ? separators / (size_t)(t->ncolumn - 1) : lines;
    r->capacity       = (long)(most < lines ? most : lines);
    t->value          = cd_allocate((size_t)t->ncolumn, sizeof *t->value);
    for (int i = 0; t->value && i < t->ncolumn; ++i)
        if (!(t->value[i] = cd_allocate((size_t)r->capacity, sizeof(double)))) break;
    if (t->value && t->value[t->ncolumn - 1]) return CARDAN_OK;
    return cardan_fail(r->report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, (cardan_location){.file = r->file},
                       "out of memory for the values");
}

static cardan_status read_value(csv_reader* r, const csv_field* f, int column, double* value)
{
    char* stop = f->text;
    *value     = *f->text ? strtod(f->text, &stop) : (double)NAN;
    if (*stop == '\0') return CARDAN_OK;
    return cardan_fail(r->report, CARDAN_BAD_INPUT, CARDAN_CODE_TABLE_INVALID, f->location,
                       "'%.40s' is not a number (column '%.80s')", f->text, r->table->column[column].name);
}

// Read one sample. It is accepted only if it has as many values as there are columns.
static cardan_status read_sample(csv_reader* r)
{
    cd_result_table*      t      = r->table;
    const cardan_location start  = location_of(r, r->position);
    int                   count  = 0;
    cardan_status         status = CARDAN_OK;
    csv_field             f;
    do {
        const cardan_status read = next_field(r, &f);
        if (read != CARDAN_OK) return read;
        double value;
        if (count < t->ncolumn && read_value(r, &f, count, &value) != CARDAN_OK)
            status = CARDAN_BAD_INPUT;
        else if (count < t->ncolumn && t->nsample < r->capacity)
            t->value[count][t->nsample] = value;
        ++count;
    } while (f.end == FIELD_NEXT);
    if (count == t->ncolumn) {
        if (status == CARDAN_OK) ++t->nsample;
        return status;
    }
    if (f.end == FIELD_FILE && count < t->ncolumn && status == CARDAN_OK) {
        cardan_warn(r->report, CARDAN_CODE_TABLE_TRUNCATED, start,
                    "the last line ends after %d of %d values and is ignored", count, t->ncolumn);
        return CARDAN_OK;
    }
    return cardan_fail(r->report, CARDAN_BAD_INPUT, CARDAN_CODE_TABLE_INVALID, start,
                       "this line has %d value%s, but the header has %d name%s", count, count == 1 ? "" : "s",
                       t->ncolumn, t->ncolumn == 1 ? "" : "s");
}

static bool ends_in(const char* path, const char* extension)
{
    const size_t n = path ? strlen(path) : 0, k = strlen(extension);
    return n >= k && strcmp(path + n - k, extension) == 0;
}

// Report models, pictures and reports that were given instead of results with one message, not one per line.
static cardan_status fail_other_format(const csv_reader* r)
{
    const char* c = r->position;
    while (c < r->end && (is_space(*c) || *c == '\n')) ++c;
    const size_t          remaining = (size_t)(r->end - c);
    const bool            xml       = remaining > 1 && *c == '<' && (c[1] == '?' || c[1] == '!' || (c[1] | 32) >= 'a');
    const cardan_location location  = {.file = r->file};
    if (ends_in(r->file, ".yaml") || ends_in(r->file, ".yml") || ends_in(r->file, ".urdf") ||
        (remaining >= 7 && memcmp(c, "cardan:", 7) == 0))
        return cardan_fail(
            r->report, CARDAN_BAD_INPUT, CARDAN_CODE_TABLE_INVALID, location,
            "this is a model, not a table of results; `cardan run %s` simulates it and writes a table as "
            "a CSV file",
            r->file ? r->file : "MODEL");
    if (xml || (remaining > 0 && *c == '{'))
        return cardan_fail(r->report, CARDAN_BAD_INPUT, CARDAN_CODE_TABLE_INVALID, location,
                           "this is %s, not a table of results; a table is a CSV file with names in its first line",
                           xml ? "XML, such as a picture" : "JSON");
    return CARDAN_OK;
}

static cardan_status read_all(csv_reader* r)
{
    if (r->end - r->position >= 3 && memcmp(r->position, "\xEF\xBB\xBF", 3) == 0) r->position += 3;
    cardan_status status = fail_other_format(r);
    if (status == CARDAN_OK) status = read_header(r);
    if (status == CARDAN_OK) status = allocate_values(r);
    if (status != CARDAN_OK) return status;
    int errors = 0;
    while (errors < CARDAN_REPORT_ERRORS && next_line(r))
        if (read_sample(r) != CARDAN_OK) ++errors;
    return errors ? CARDAN_BAD_INPUT : CARDAN_OK;
}

cardan_status cd_result_table_parse(const char* text, size_t length, const char* file, cd_result_table** table,
                                    cardan_report* report)
{
    *table             = NULL;
    cd_result_table* t = cd_allocate(1, sizeof *t);
    if (t) t->text = cd_allocate(length + 1, 1);
    if (!t || !t->text) {
        cd_result_table_destroy(t);
        return cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, (cardan_location){.file = file},
                           "out of memory while reading the file");
    }
    if (length) memcpy(t->text, text, length);
    csv_reader r = {
        .position = t->text, .end = t->text + length, .separator = ',', .file = file, .report = report, .table = t};
    const locale_t      before = cd_locale_enter();
    const cardan_status status = read_all(&r);
    cd_locale_leave(before);
    if (status == CARDAN_OK)
        *table = t;
    else
        cd_result_table_destroy(t);
    return status;
}

cardan_status cd_result_table_read(const char* path, cd_result_table** table, cardan_report* report)
{
    char*       text   = NULL;
    size_t      length = 0;
    struct stat about;
    *table = NULL;
    if (stat(path, &about) == 0 && S_ISDIR(about.st_mode))
        return cardan_fail(
            report, CARDAN_FILE_ERROR, CARDAN_CODE_FILE_NOT_READABLE, (cardan_location){.file = path},
            "this is a folder, not a table of results; if it contains a model, `cardan run %s` writes a table as "
            "a CSV file",
            path);
    cardan_status status = cd_file_read(path, &text, &length, report);
    if (status == CARDAN_OK) status = cd_result_table_parse(text, length, path, table, report);
    free(text);
    return status;
}

void cd_result_table_destroy(cd_result_table* t)
{
    if (!t) return;
    for (int i = 0; t->value && i < t->ncolumn; ++i) free(t->value[i]);
    free(t->value);
    free(t->column);
    free(t->text);
    free(t);
}

int cd_result_table_find_column(const cd_result_table* t, const char* name)
{
    for (int i = 0; i < t->ncolumn; ++i)
        if (strcmp(t->column[i].name, name) == 0) return i;
    return -1;
}
