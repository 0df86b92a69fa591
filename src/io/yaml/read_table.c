// SPDX-License-Identifier: BSD-3-Clause
// Tables: two lists, or two columns of a CSV file.
#include "io/yaml/read_model.h"

#include "core/file.h"
#include "core/memory.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_FIELDS = 1000 };

typedef struct table_columns {
    double *x, *y;
    int     count, x_capacity, y_capacity;
} table_columns;

static bool append(table_columns* c, double x, double y)
{
    if (!cd_array_grow((void**)&c->x, &c->x_capacity, c->count, sizeof(double)) ||
        !cd_array_grow((void**)&c->y, &c->y_capacity, c->count, sizeof(double)))
        return false;
    c->x[c->count]   = x;
    c->y[c->count++] = y;
    return true;
}

// ---- CSV files

// Split a line in place at commas, else semicolons, else tabs, else spaces; spaces and quotes
// around the fields are removed.
static int split(char* line, char* field[MAX_FIELDS])
{
    const char* separators = strchr(line, ',') ? "," : strchr(line, ';') ? ";" : strchr(line, '\t') ? "\t" : " ";
    int         count      = 0;
    for (char *remaining = line, *s; count < MAX_FIELDS && (s = strsep(&remaining, separators));) {
        while (isspace((unsigned char)*s) || *s == '"') ++s;
        for (size_t n = strlen(s); n > 0 && (isspace((unsigned char)s[n - 1]) || s[n - 1] == '"'); --n) s[n - 1] = '\0';
        if (*s || *separators != ' ') field[count++] = s;
    }
    return count;
}

// Return the index of a column by its name in the header or its number; -1 after an error.
static int column_index(const cd_model_element* e, const cd_yaml* node, int count, char** header, const char* path)
{
    double number;
    for (int i = 0; header && i < count; ++i)
        if (strcmp(header[i], node->text) == 0) return i;
    if (cd_parse_plain_number(node->text, &number)) {
        if (number >= 1 && number <= count && number == floor(number)) return (int)number - 1;
        cd_element_fail(e, node, "'%s' has %d columns and no column %s", path, count, node->text);
    } else {
        cd_element_fail(e, node, "'%s' has no column '%s'", path, node->text);
    }
    return -1;
}

typedef struct csv {
    const cd_model_element* e;
    const cd_yaml *         node, *names; // file, columns
    const char*             path;
    int                     index[2]; // column indices; -1: not yet known
    int                     line;
} csv;

static bool find_columns(csv* c, int count, char** field, bool header)
{
    for (int i = 0; i < 2; ++i) {
        c->index[i] = i;
        if (c->names) c->index[i] = column_index(c->e, c->names->entry[i].value, count, header ? field : NULL, c->path);
        if (c->index[i] < 0) return false;
    }
    return true;
}

static bool read_csv_values(csv* c, int count, char** field, table_columns* out)
{
    double value[2];
    for (int i = 0; i < 2; ++i)
        if (c->index[i] >= count || !cd_parse_plain_number(field[c->index[i]], &value[i]) || !isfinite(value[i]))
            return cd_element_fail(c->e, c->node, "line %d of '%s' has no number in column %d", c->line, c->path,
                                   c->index[i] + 1);
    return append(out, value[0], value[1]) || cd_reader_fail_no_memory(c->e->reader);
}

static bool read_line(csv* c, char* line, table_columns* out)
{
    char*  field[MAX_FIELDS];
    double number;
    while (isspace((unsigned char)*line)) ++line;
    if (!*line || *line == '#') return true;
    const int count = split(line, field);
    if (c->index[0] < 0) {
        const bool header = count > 0 && !cd_parse_plain_number(field[0], &number);
        if (!find_columns(c, count, field, header)) return false;
        if (header) return true;
    }
    return read_csv_values(c, count, field, out);
}

static bool read_csv(const cd_model_element* e, const cd_yaml* node, table_columns* out)
{
    csv                c = {.e     = e,
                            .node  = node,
                            .names = cd_yaml_get(e->node, "columns"),
                            .path  = cd_path_relative_to_file(e->reader, &e->reader->pool, node->file, node->text),
                            .index = {-1, -1}};
    char               reason[CD_REASON_SIZE];
    const cd_csv_text* file = NULL;
    if (!c.path) return false;
    if (c.names && c.names->has_error) c.names = NULL;
    cardan_status status = cd_model_source_csv(e->reader->source, c.path, &file, reason);
    // the lines are split in place
    char* text = status ? NULL : cd_pool_string(&e->reader->pool, file->text, file->length);
    if (status == CARDAN_NO_MEMORY || (!status && !text)) return cd_reader_fail_no_memory(e->reader);
    if (status) return cd_element_fail(e, node, "the file '%s' %s", c.path, reason);
    const size_t length = file->length;
    bool         ok     = true;
    for (char *line = text, *end; ok && line < text + length; line = end + 1) {
        end = memchr(line, '\n', (size_t)(text + length - line));
        if (!end) end = text + length;
        *end = '\0';
        ++c.line;
        ok = read_line(&c, line, out);
    }
    return ok;
}

// ---- lists

static bool read_lists(const cd_model_element* e, const cd_yaml* x, const cd_yaml* y, table_columns* out)
{
    if (x->has_error || y->has_error) return false;
    if (x->count != y->count) return cd_element_fail(e, y, "it has %d values of x and %d of y", x->count, y->count);
    for (int i = 0; i < x->count; ++i) {
        double a, b;
        if (!cd_read_number(e, x->entry[i].value, CD_UNIT_NONE, &a) ||
            !cd_read_number(e, y->entry[i].value, CD_UNIT_NONE, &b))
            return false;
        if (!cd_require_structural_constant(e, x->entry[i].value, a) ||
            !cd_require_structural_constant(e, y->entry[i].value, b))
            return false;
        if (!append(out, a, b)) return cd_reader_fail_no_memory(e->reader);
    }
    return true;
}

static bool read_columns(const cd_model_element* e, table_columns* out)
{
    const cd_yaml *x = cd_yaml_get(e->node, "x"), *y = cd_yaml_get(e->node, "y"), *file = cd_yaml_get(e->node, "csv");
    const cd_yaml *scale = cd_yaml_get(e->node, "scale"), *names = cd_yaml_get(e->node, "columns");
    double         factor[2] = {1, 1};
    if (file && (x || y)) return cd_element_fail(e, file, "'csv' and x, y exclude each other");
    if (!file && (!x || !y)) return cd_element_fail(e, e->node, "a table requires x and y, or csv");
    if (!file && names) return cd_element_fail(e, names, "'columns' is allowed only with 'csv'");
    if (file ? file->has_error || !read_csv(e, file, out) : !read_lists(e, x, y, out)) return false;
    if (scale && scale->count != 2) return cd_element_fail(e, scale, "'scale' must be two numbers, for x and for y");
    if (scale &&
        (!cd_read_numbers(e, scale, CD_UNIT_NONE, 2, factor) || !cd_require_structural_constant(e, scale, factor[0]) ||
         !cd_require_structural_constant(e, scale, factor[1])))
        return false;
    if (out->count < 2) return cd_element_fail(e, e->node, "a table requires two points or more, not %d", out->count);
    for (int i = 0; i < out->count; ++i) {
        out->x[i] *= factor[0];
        out->y[i] *= factor[1];
        if (i > 0 && !(out->x[i] > out->x[i - 1]))
            return cd_element_fail(e, x ? x->entry[i].value : file, "x must increase, but value %d is %g after %g",
                                   i + 1, out->x[i], out->x[i - 1]);
    }
    return true;
}

static cardan_interpolation interpolation_of(const cd_yaml* kind)
{
    if (!kind || strcmp(kind->text, "linear") == 0) return CARDAN_INTERPOLATION_LINEAR;
    return strcmp(kind->text, "cubic") == 0 ? CARDAN_INTERPOLATION_MONOTONE : CARDAN_INTERPOLATION_SPLINE;
}

bool cd_evaluate_table(cd_reader* r, cd_definition* def)
{
    const cd_model_element e = {
        .reader = r, .level = def->level, .node = def->value, .section = "table", .label = "table", .name = def->name};
    const cd_yaml* kind = cd_yaml_get(def->value, "interpolation");
    table_columns  c    = {0};
    if (def->value->has_error || !cd_definition_begin(r, def)) return def->status = CD_DEFINITION_FAILED, false;
    bool ok = read_columns(&e, &c);
    if (ok) {
        const cardan_table table = {.name          = def->name,
                                    .count         = c.count,
                                    .x             = c.x,
                                    .y             = c.y,
                                    .location      = cd_yaml_location(def->key),
                                    .interpolation = interpolation_of(kind)};
        def->index               = cardan_description_add_table(r->description, &table);
        if (def->index == CARDAN_NONE) ok = cd_reader_fail_no_memory(r);
    }
    free(c.x);
    free(c.y);
    return cd_definition_end(r, def, ok);
}

bool cd_read_table(cd_reader* r, const cd_level* level, const char* section, cd_yaml_entry* entry)
{
    cd_definition* def = cd_find_entry_definition(r, CD_DEFINITION_TABLE, level, entry);
    (void)section;
    if (def) cd_evaluate_definition(r, def);
    return r->status != CARDAN_NO_MEMORY;
}
