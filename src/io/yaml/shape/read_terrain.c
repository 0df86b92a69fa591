// SPDX-License-Identifier: BSD-3-Clause
// Shapes of ground: planes and height fields. Their axes are z = the normal of the plane, x and y = those of the grid. At a
// level with signs S a point x of the frame is S x: if z is reversed, the frame is turned by half a turn about x, and
// rows and columns are reversed as the remaining signs require.
#include "io/yaml/read_model.h"

#include "core/file.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_CELLS = 50000000 };

static bool read_two_lengths(const cd_model_element* e, const char* key, double value[2])
{
    const cd_yaml* node = cd_yaml_get(e->node, key);
    if (!node || node->has_error) return false;
    if (node->kind == CD_YAML_LIST) {
        if (!cd_read_numbers(e, node, CD_UNIT_LENGTH, 2, value)) return false;
    } else {
        if (!cd_read_number(e, node, CD_UNIT_LENGTH, &value[0])) return false;
        value[1] = value[0];
    }
    for (int i = 0; i < 2; ++i)
        if (!(value[i] > 0)) return cd_element_fail(e, node, "'%s' must be positive, not %g", key, value[i]);
    return true;
}

// Read the pose by `at` and `orientation`, or `normal`; with z reversed, turned about x.
static bool read_pose(const cd_model_element* e, const cd_frame* base, const cd_frame* body, cardan_pose* pose)
{
    const cd_yaml *orientation = cd_yaml_get(e->node, "orientation"), *normal = cd_yaml_get(e->node, "normal"),
                  *at  = cd_yaml_get(e->node, "at");
    const double* sign = e->level->placement->sign;
    double        d[3], R[3][3], p[3];
    cd_frame      frame;
    if (orientation && normal) return cd_element_fail(e, normal, "'normal' and 'orientation' exclude each other");
    if (normal) {
        memcpy(p, base->p, sizeof p);
        if (at && !cd_read_position(e, at, base, p)) return false;
        if (!cd_read_direction(e, normal, base, d)) return false;
        cd_rotation_z_to_axis(NULL, d, R);
        frame = cd_frame_from_base(cd_element_parametric(e), base, p, R, sign);
        *pose = cd_relative_pose(cd_element_parametric(e), body, &frame);
    } else {
        if (!cd_read_frame(e, base, base->p, &frame)) return false;
        *pose = cd_read_pose_on_body(e, at, orientation, base, body, &frame);
    }
    if (sign[2] < 0) { // q (0, 1, 0, 0)
        const double q[4] = {-pose->q[1], pose->q[0], pose->q[3], -pose->q[2]};
        memcpy(pose->q, q, sizeof q);
    }
    return true;
}

bool cd_read_plane(const cd_model_element* e, const cd_frame* base, const cd_frame* body, cardan_shape* shape)
{
    *shape = (cardan_shape){.kind = CARDAN_SHAPE_PLANE};
    return read_two_lengths(e, "plane", shape->size) && read_pose(e, base, body, &shape->pose);
}

// ---- heights

typedef struct heights {
    int     nx, ny, capacity;
    double* z; // (nx x ny)
} heights;

static bool append(const cd_model_element* e, heights* h, int count, double z)
{
    if (count >= MAX_CELLS)
        return cd_element_fail(e, cd_yaml_get(e->node, "height_field"), "the grid has more than %d heights", MAX_CELLS);
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
static bool end_row(const cd_model_element* e, const cd_yaml* at, heights* h, int count)
{
    if (h->ny == 0) h->nx = count;
    ++h->ny;
    if (count == h->nx) return true;
    return cd_element_fail(e, at, "row %d of the grid has %d heights, but the rows before have %d", h->ny, count,
                           h->nx);
}

static bool read_inline(const cd_model_element* e, const cd_yaml* rows, heights* h)
{
    for (int j = 0; j < rows->count; ++j) {
        const cd_yaml* row = rows->entry[j].value;
        if (row->has_error || row->kind != CD_YAML_LIST) return false;
        for (int i = 0; i < row->count; ++i) {
            double z;
            if (!cd_read_number(e, row->entry[i].value, CD_UNIT_LENGTH, &z) ||
                !cd_require_structural_constant(e, row->entry[i].value, z) || !append(e, h, h->nx * h->ny + i, z))
                return false;
        }
        if (!end_row(e, row, h, row->count)) return false;
    }
    return true;
}

static bool is_separator(char c) { return c == ',' || c == ';' || isspace((unsigned char)c); }

// Read the numbers of one line of a CSV file, separated by commas, semicolons or spaces; *count of them.
static bool read_line(const cd_model_element* e, const char* path, int line, const char* s, double factor, heights* h,
                      int* count)
{
    const cd_yaml* node = cd_yaml_get(e->node, "height_field");
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
        if (!append(e, h, h->nx * h->ny + *count, factor * z)) return false;
        ++*count;
        s += n;
        while (*s && is_separator(*s)) ++s;
    }
    return true;
}

static bool read_file(const cd_model_element* e, const cd_yaml* node, double factor, heights* h, const char** path)
{
    char               reason[CD_REASON_SIZE];
    const cd_csv_text* file = NULL;
    cd_reader*         r    = e->reader;
    *path                   = cd_path_relative_to_file(r, &r->pool, node->file, node->text);
    if (!*path) return false;
    const cardan_status status = cd_model_source_csv(r->source, *path, &file, reason);
    char*               text   = status ? NULL : cd_pool_string(&r->pool, file->text, file->length);
    if (status == CARDAN_NO_MEMORY || (!status && !text)) return cd_reader_fail_no_memory(r);
    if (status) return cd_element_fail(e, node, "the file '%s' %s", *path, reason);
    int line = 0, count;
    for (char *s = text, *end; s < text + file->length; s = end + 1) {
        end = memchr(s, '\n', (size_t)(text + file->length - s));
        if (!end) end = text + file->length;
        *end = '\0';
        if (!read_line(e, *path, ++line, s, factor, h, &count)) return false;
        if (count > 0 && !end_row(e, node, h, count)) return false;
    }
    return true;
}

static bool read_factor(const cd_model_element* e, bool is_file, double* factor)
{
    const cd_yaml* scale = cd_yaml_get(e->node, "scale");
    *factor              = 1;
    if (!scale) return true;
    if (!is_file) return cd_element_fail(e, scale, "'scale' is allowed only with a file");
    return cd_read_number(e, scale, CD_UNIT_NONE, factor) && cd_require_structural_constant(e, scale, *factor);
}

static bool read_heights(const cd_model_element* e, heights* h)
{
    const cd_yaml* node    = cd_yaml_get(e->node, "height_field");
    const bool     is_file = node->kind == CD_YAML_SCALAR;
    double         factor;
    const char*    path;
    if (node->has_error || !read_factor(e, is_file, &factor)) return false;
    if (is_file ? !read_file(e, node, factor, h, &path) : !read_inline(e, node, h)) return false;
    if (h->nx >= 2 && h->ny >= 2) return true;
    return cd_element_fail(e, node, "a grid needs two rows and columns or more, not %d rows of %d", h->ny, h->nx);
}

// Copy the heights to the pool; reverse columns, rows as the signs require.
static const double* place_heights(cd_reader* r, const heights* h, bool reverse_x, bool reverse_y)
{
    double* z = cd_pool_alloc(&r->pool, (size_t)h->nx * (size_t)h->ny, sizeof *z);
    for (int j = 0; z && j < h->ny; ++j)
        for (int i = 0; i < h->nx; ++i) {
            const int from_i = reverse_x ? h->nx - 1 - i : i, from_j = reverse_y ? h->ny - 1 - j : j;
            z[i + h->nx * j] = h->z[from_i + h->nx * from_j];
        }
    return z;
}

bool cd_read_height_field(const cd_model_element* e, const cd_frame* base, const cd_frame* body, cardan_shape* shape)
{
    const cd_yaml* interpolation = cd_yaml_get(e->node, "interpolation");
    const double*  sign          = e->level->placement->sign;
    heights        h             = {0};
    *shape                       = (cardan_shape){.kind = CARDAN_SHAPE_HEIGHT_FIELD};
    cardan_height_grid* f        = &shape->field;
    bool ok = read_two_lengths(e, "step", f->spacing) && read_pose(e, base, body, &shape->pose) && read_heights(e, &h);
    for (int i = 0; ok && i < 2; ++i)
        ok = cd_require_structural_constant(e, cd_yaml_get(e->node, "step"), f->spacing[i]);
    if (ok) {
        f->nx     = h.nx;
        f->ny     = h.ny;
        f->smooth = interpolation && strcmp(interpolation->text, "smooth") == 0;
        f->height = place_heights(e->reader, &h, sign[0] < 0, sign[1] * sign[2] < 0);
        ok        = f->height || cd_reader_fail_no_memory(e->reader);
    }
    free(h.z);
    return ok;
}
