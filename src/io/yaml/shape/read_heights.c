// SPDX-License-Identifier: BSD-3-Clause
// Heights of height fields and profiles: lists, CSV files, and formulas of x and y, evaluated at the points of the grid.
#include "io/yaml/shape/heights.h"

#include "core/file.h"
#include "io/io_tolerances.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_CELLS = 40000000, MAX_FORMULA_CELLS = 250000 };

static const cd_yaml* heights_node(const cd_model_element* e)
{
    const cd_yaml* field = cd_yaml_get(e->node, "height_field");
    return field ? field : cd_yaml_get(e->node, "profile");
}

static bool append(const cd_model_element* e, cd_heights* h, int count, double z)
{
    if (count >= MAX_CELLS) return cd_element_fail(e, heights_node(e), "the grid has more than %d heights", MAX_CELLS);
    if (count == h->capacity) {
        const int capacity = h->capacity ? 2 * h->capacity : 1024;
        double*   grown    = realloc(h->z, (size_t)capacity * sizeof *grown);
        if (!grown) return cd_reader_fail_no_memory(e->reader);
        h->z        = grown;
        h->capacity = capacity;
    }
    h->z[count] = z;
    return true;
}

// End a row of `count` heights.
static bool end_row(const cd_model_element* e, const cd_yaml* at, cd_heights* h, int count)
{
    if (h->ny == 0) h->nx = count;
    ++h->ny;
    if (count == h->nx) return true;
    return cd_element_fail(e, at, "row %d of the grid has %d heights, but the rows before have %d", h->ny, count,
                           h->nx);
}

static bool read_row(const cd_model_element* e, const cd_yaml* row, cd_heights* h)
{
    if (row->has_error || row->kind != CD_YAML_LIST) return false;
    for (int i = 0; i < row->count; ++i) {
        double z;
        if (!cd_read_number(e, row->entry[i].value, CD_UNIT_LENGTH, &z) ||
            !cd_require_structural_constant(e, row->entry[i].value, z) || !append(e, h, h->nx * h->ny + i, z))
            return false;
    }
    return end_row(e, row, h, row->count);
}

static bool read_list(const cd_model_element* e, const cd_yaml* node, bool profile, cd_heights* h)
{
    if (profile) return read_row(e, node, h);
    for (int j = 0; j < node->count; ++j)
        if (!read_row(e, node->entry[j].value, h)) return false;
    return true;
}

static bool is_separator(char c) { return c == ',' || c == ';' || isspace((unsigned char)c); }

// Read the numbers of one line of a CSV file, separated by commas, semicolons or spaces; *count of them.
static bool read_line(const cd_model_element* e, const char* path, int line, const char* s, double factor,
                      cd_heights* h, int before, int* count)
{
    const cd_yaml* node = heights_node(e);
    *count              = 0;
    while (*s && is_separator(*s)) ++s;
    if (*s == '#') return true;
    while (*s) {
        char         word[64];
        double       z;
        const size_t n    = strcspn(s, ",; \t\r\n");
        const bool   fits = n < sizeof word;
        memcpy(word, s, fits ? n : 0);
        word[fits ? n : 0] = '\0';
        if (!fits || !cd_parse_plain_number(word, &z) || !isfinite(z))
            return cd_element_fail(e, node, "line %d of '%s' has no number in column %d", line, path, *count + 1);
        if (!append(e, h, before + *count, factor * z)) return false;
        ++*count;
        s += n;
        while (*s && is_separator(*s)) ++s;
    }
    return true;
}

// Read a file; the numbers of all lines of a profile are one row.
static bool read_file(const cd_model_element* e, const cd_yaml* node, bool profile, double factor, cd_heights* h)
{
    char               reason[CD_REASON_SIZE];
    const cd_csv_text* file = NULL;
    cd_reader*         r    = e->reader;
    const char*        path = cd_path_relative_to_file(r, &r->pool, node->file, node->text);
    if (!path) return false;
    const cardan_status status = cd_model_source_csv(r->source, path, &file, reason);
    char*               text   = status ? NULL : cd_pool_string(&r->pool, file->text, file->length);
    if (status == CARDAN_NO_MEMORY || (!status && !text)) return cd_reader_fail_no_memory(r);
    if (status) return cd_element_fail(e, node, "the file '%s' %s", path, reason);
    int line = 0, count, total = 0;
    for (char *s = text, *end; s < text + file->length; s = end + 1) {
        end = memchr(s, '\n', (size_t)(text + file->length - s));
        if (!end) end = text + file->length;
        *end = '\0';
        if (!read_line(e, path, ++line, s, factor, h, total, &count)) return false;
        if (!profile && count > 0 && !end_row(e, node, h, count)) return false;
        total += count;
    }
    return !profile || end_row(e, node, h, total);
}

static bool read_factor(const cd_model_element* e, bool is_file, double* factor)
{
    const cd_yaml* scale = cd_yaml_get(e->node, "scale");
    *factor              = 1;
    if (!scale) return true;
    if (!is_file) return cd_element_fail(e, scale, "'scale' is allowed only with a file");
    return cd_read_number(e, scale, CD_UNIT_NONE, factor) && cd_require_structural_constant(e, scale, *factor);
}

// ---- formulas

// Level at which a name is a number, as the counter of a repetition.
static cd_level variable_level(const cd_level* outer, const char* name, double value)
{
    cd_level level   = *outer;
    level.outer      = outer;
    level.template   = NULL;
    level.variable   = name;
    level.counter    = value;
    level.persistent = NULL;
    return level;
}

// Numbers of points over the size; the spacing becomes the size divided by the number of steps.
static bool grid_of_size(const cd_model_element* e, bool profile, double spacing[2], int n[2])
{
    double size[2];
    if (!cd_yaml_get(e->node, "size"))
        return cd_element_fail(e, heights_node(e), "heights by a formula need the 'size' of the grid");
    if (!cd_read_two_lengths(e, "size", size)) return false;
    n[1] = 1;
    for (int i = 0; i < (profile ? 1 : 2); ++i) {
        const double steps = ceil(size[i] / spacing[i] - cd_whole_steps_tolerance);
        if (!(steps < MAX_FORMULA_CELLS))
            n[i] = MAX_FORMULA_CELLS;
        else
            n[i] = (int)steps + 1;
        spacing[i] = size[i] / (n[i] - 1);
    }
    if ((double)n[0] * n[1] > MAX_FORMULA_CELLS)
        return cd_element_fail(e, cd_yaml_get(e->node, "step"),
                               "a formula is evaluated at %d points or fewer, not %.0f", MAX_FORMULA_CELLS,
                               (double)n[0] * n[1]);
    return true;
}

static bool read_formula(const cd_model_element* e, const cd_yaml* node, bool profile, double spacing[2], cd_heights* h)
{
    const double unit = node->file->length_unit;
    int          n[2];
    if (!grid_of_size(e, profile, spacing, n)) return false;
    for (int j = 0; j < n[1]; ++j) {
        const cd_level at_y = variable_level(e->level, "y", (j - (n[1] - 1) / 2.0) * spacing[1] / unit);
        for (int i = 0; i < n[0]; ++i) {
            const cd_level   at_x  = variable_level(&at_y, "x", (i - (n[0] - 1) / 2.0) * spacing[0] / unit);
            cd_model_element inner = *e;
            double           z;
            inner.level = &at_x;
            if (!cd_read_number(&inner, node, CD_UNIT_LENGTH, &z) || !cd_require_structural_constant(e, node, z) ||
                !append(e, h, i + n[0] * j, z))
                return false;
        }
        if (!end_row(e, node, h, n[0])) return false;
    }
    return true;
}

bool cd_read_heights(const cd_model_element* e, bool profile, double spacing[2], cd_heights* h)
{
    const cd_yaml *node = heights_node(e), *size = cd_yaml_get(e->node, "size");
    if (node->has_error) return false;
    const bool formula = node->kind == CD_YAML_SCALAR && node->text[0] == '=',
               file    = node->kind == CD_YAML_SCALAR && !formula;
    double factor;
    if (!read_factor(e, file, &factor)) return false;
    if (size && !formula) return cd_element_fail(e, size, "'size' is allowed only with a formula");
    const bool ok = formula ? read_formula(e, node, profile, spacing, h)
                    : file  ? read_file(e, node, profile, factor, h)
                            : read_list(e, node, profile, h);
    if (!ok || (h->nx >= 2 && h->ny >= (profile ? 1 : 2))) return ok;
    if (profile) return cd_element_fail(e, node, "a profile needs two heights or more, not %d", h->nx);
    return cd_element_fail(e, node, "a grid needs two rows and columns or more, not %d rows of %d", h->ny, h->nx);
}
