// SPDX-License-Identifier: BSD-3-Clause
// Shapes of contacts in the scene message: exact kinds, and meshes for hulls and height fields.
#include "view/mechanism/shape_json.h"

#include "draw/scene.h"

enum {
    TRIANGLES_MAX = 50000, // of a mesh; larger ones are drawn as in pictures
    GRID_MAX      = 160    // grid lines of a height field along each axis; others are left out
};

bool cd_shape_has_json(const cardan_shape* s)
{
    switch (s->kind) {
    case CARDAN_SHAPE_CAPSULE:
    case CARDAN_SHAPE_ELLIPSOID:
    case CARDAN_SHAPE_TORUS:
    case CARDAN_SHAPE_PLANE:
    case CARDAN_SHAPE_HEIGHT_FIELD:
        return true;
    case CARDAN_SHAPE_ROD:
    case CARDAN_SHAPE_BOX:
        return s->material != NULL;
    case CARDAN_SHAPE_MESH:
        return s->material != NULL && s->ntriangle <= TRIANGLES_MAX;
    default:
        return false;
    }
}

static void write_ends(cd_json_writer* json, const cardan_shape* s)
{
    for (int end = 0; end < 2; ++end) {
        const cd_xyz p = xyz_transform(&s->pose, (cd_xyz){0, 0, (end ? 0.5 : -0.5) * s->size[0]});
        cd_json_numbers(json, end ? "b" : "a", 3, (const double[]){p.x, p.y, p.z});
    }
    cd_json_number(json, "radius", s->size[1]);
}

static void write_pose(cd_json_writer* json, const cardan_shape* s)
{
    const double* q = s->pose.q;
    cd_json_numbers(json, "pose", 7,
                    (const double[]){s->pose.p[0], s->pose.p[1], s->pose.p[2], q[0], q[1], q[2], q[3]});
}

static void write_point(cd_json_writer* json, const cardan_shape* s, cd_xyz x)
{
    const cd_xyz p = xyz_transform(&s->pose, x);
    cd_json_number(json, NULL, p.x);
    cd_json_number(json, NULL, p.y);
    cd_json_number(json, NULL, p.z);
}

static void write_mesh(cd_json_writer* json, const cardan_shape* s)
{
    cd_json_begin_array(json, "vertices");
    for (int i = 0; i < s->npoint; ++i) write_point(json, s, xyz_of(s->point + 3 * i));
    cd_json_end(json);
    cd_json_begin_array(json, "triangles");
    for (int i = 0; i < 3 * s->ntriangle; ++i) cd_json_integer(json, NULL, s->triangle[i]);
    cd_json_end(json);
}

// Index of grid line k of `lines` over n points.
static int grid_line(int n, int lines, int k) { return (int)((long long)(n - 1) * k / (lines - 1)); }

static void write_height_field(cd_json_writer* json, const cardan_shape* s)
{
    const cardan_height_grid* f    = &s->field;
    const int                 rows = cd_height_grid_rows(f);
    const int                 nx = f->nx < GRID_MAX ? f->nx : GRID_MAX, ny = rows < GRID_MAX ? rows : GRID_MAX;
    cd_json_begin_array(json, "vertices");
    for (int j = 0; j < ny; ++j)
        for (int i = 0; i < nx; ++i)
            write_point(json, s, cd_height_grid_point(f, grid_line(f->nx, nx, i), grid_line(rows, ny, j)));
    cd_json_end(json);
    cd_json_begin_array(json, "triangles");
    for (int j = 0; j + 1 < ny; ++j)
        for (int i = 0; i + 1 < nx; ++i) {
            const int a = i + nx * j, corner[6] = {a, a + 1, a + 1 + nx, a, a + 1 + nx, a + nx};
            for (int k = 0; k < 6; ++k) cd_json_integer(json, NULL, corner[k]);
        }
    cd_json_end(json);
}

void cd_shape_json(cd_json_writer* json, const cardan_shape* s)
{
    static const char* const kinds[] = {[CARDAN_SHAPE_ROD] = "cylinder",      [CARDAN_SHAPE_BOX] = "box",
                                        [CARDAN_SHAPE_MESH] = "mesh",         [CARDAN_SHAPE_CAPSULE] = "capsule",
                                        [CARDAN_SHAPE_TORUS] = "torus",       [CARDAN_SHAPE_PLANE] = "plane",
                                        [CARDAN_SHAPE_HEIGHT_FIELD] = "mesh", [CARDAN_SHAPE_ELLIPSOID] = "ellipsoid"};
    cd_json_begin_object(json, NULL);
    cd_json_string(json, "kind", kinds[s->kind]);
    if (s->kind == CARDAN_SHAPE_ROD || s->kind == CARDAN_SHAPE_CAPSULE) write_ends(json, s);
    if (s->kind == CARDAN_SHAPE_MESH) write_mesh(json, s);
    if (s->kind == CARDAN_SHAPE_HEIGHT_FIELD) write_height_field(json, s);
    if (s->kind == CARDAN_SHAPE_BOX || s->kind == CARDAN_SHAPE_ELLIPSOID || s->kind == CARDAN_SHAPE_TORUS ||
        s->kind == CARDAN_SHAPE_PLANE)
        write_pose(json, s);
    if (s->kind == CARDAN_SHAPE_BOX) cd_json_numbers(json, "size", 3, s->size);
    if (s->kind == CARDAN_SHAPE_PLANE) cd_json_numbers(json, "size", 2, s->size);
    if (s->kind == CARDAN_SHAPE_ELLIPSOID) cd_json_numbers(json, "radii", 3, s->size);
    if (s->kind == CARDAN_SHAPE_TORUS) {
        cd_json_number(json, "radius", s->size[0]);
        cd_json_number(json, "tube", s->size[1]);
    }
    cd_json_end(json);
}
