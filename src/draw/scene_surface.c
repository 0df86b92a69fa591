// SPDX-License-Identifier: BSD-3-Clause
// Shapes of contacts in a scene: surfaces over two parameters as quadrilaterals, hulls as their faces, planes as a
// rectangle, height fields as triangles over a grid that is made coarser for pictures.
#include "draw/scene.h"

#include "contact/shape/hull.h"
#include "math/pi.h"

enum {
    AROUND       = 28,   // faces around an axis
    ALONG        = 12,   // faces of the section of a torus, of a meridian of an ellipsoid; even
    GRID_CELLS   = 24,   // cells along each side of a height field
    SURFACES_MAX = 12000 // faces of surfaces per scene; more ellipsoids and tori are spheres and rings of bars
};

static void add_corner(cd_scene* scene, const cardan_pose* frame, cd_xyz p)
{
    cd_scene_add_point(scene, xyz_transform(frame, p));
}

static void add_face(cd_scene* scene, int body, int count, bool solid, bool smooth)
{
    ++scene->nsurface_face;
    cd_scene_add_primitive(scene, (cd_primitive){.kind   = CD_PRIMITIVE_FACE,
                                                 .body   = body,
                                                 .first  = scene->npoint - count,
                                                 .count  = count,
                                                 .solid  = solid,
                                                 .smooth = smooth});
}

// Point of a surface at u, v in 0 ... 1; u around the z axis, v along the meridian, counter-clockwise from outside.
typedef cd_xyz surface(const cardan_shape* s, double u, double v);

static cd_xyz capsule_point(const cardan_shape* s, double u, double v)
{
    const double t = CD_PI * (v - 0.5), r = s->size[1] * cos(t);
    return (cd_xyz){r * cos(2 * CD_PI * u), r * sin(2 * CD_PI * u),
                    s->size[1] * sin(t) + (v > 0.5 ? 0.5 : -0.5) * s->size[0]};
}

static cd_xyz ellipsoid_point(const cardan_shape* s, double u, double v)
{
    const double t = CD_PI * (v - 0.5);
    return (cd_xyz){s->size[0] * cos(t) * cos(2 * CD_PI * u), s->size[1] * cos(t) * sin(2 * CD_PI * u),
                    s->size[2] * sin(t)};
}

static cd_xyz torus_point(const cardan_shape* s, double u, double v)
{
    const double r = s->size[0] + s->size[1] * cos(2 * CD_PI * v);
    return (cd_xyz){r * cos(2 * CD_PI * u), r * sin(2 * CD_PI * u), s->size[1] * sin(2 * CD_PI * v)};
}

// Add the faces between rows of points; `v` (nrow) are the parameters of the rows. The first and last row of a capsule
// or an ellipsoid are poles, with triangles.
static void add_rows(cd_scene* scene, const cardan_shape* s, const cardan_pose* frame, surface* at, int nrow,
                     const double* v, bool poles)
{
    for (int j = 0; j + 1 < nrow; ++j)
        for (int i = 0; i < AROUND; ++i) {
            const double u0 = (double)i / AROUND, u1 = (double)(i + 1) / AROUND;
            const bool   bottom = poles && j == 0, top = poles && j + 2 == nrow;
            add_corner(scene, frame, at(s, u0, v[j]));
            if (!bottom) add_corner(scene, frame, at(s, u1, v[j]));
            if (!top) add_corner(scene, frame, at(s, u1, v[j + 1]));
            add_corner(scene, frame, at(s, u0, v[j + 1]));
            add_face(scene, s->body, bottom || top ? 3 : 4, true, true);
        }
}

static void add_round(cd_scene* scene, const cardan_shape* s, const cardan_pose* frame)
{
    const bool   torus = s->kind == CARDAN_SHAPE_TORUS, capsule = s->kind == CARDAN_SHAPE_CAPSULE;
    double       v[ALONG + 2];
    int          nrow   = 0;
    const double before = 0.5 - 1e-12, behind = 0.5 + 1e-12; // the two ends of the cylinder of a capsule
    for (int j = 0; j <= ALONG; ++j) {
        const bool equator = capsule && 2 * j == ALONG;
        v[nrow++]          = equator ? before : (double)j / ALONG;
        if (equator) v[nrow++] = behind;
    }
    add_rows(scene, s, frame, torus ? torus_point : capsule ? capsule_point : ellipsoid_point, nrow, v, !torus);
}

// A capsule as a bar with two spheres, a torus as a ring of bars, an ellipsoid as a sphere.
static void add_round_simply(cd_scene* scene, const cardan_shape* s, const cardan_pose* frame)
{
    cd_primitive part = {.kind = CD_PRIMITIVE_SPHERE, .body = s->body, .radius = s->size[1]};
    if (s->kind == CARDAN_SHAPE_ELLIPSOID) {
        part.radius = cbrt(s->size[0] * s->size[1] * s->size[2]);
        part.a      = xyz_of(frame->p);
        cd_scene_add_primitive(scene, part);
    } else if (s->kind == CARDAN_SHAPE_CAPSULE) {
        part.a = xyz_transform(frame, (cd_xyz){0, 0, -s->size[0] / 2});
        part.b = xyz_transform(frame, (cd_xyz){0, 0, s->size[0] / 2});
        cd_scene_add_primitive(scene, part);
        cd_primitive bar = part, end = part;
        bar.kind = CD_PRIMITIVE_BAR;
        end.a    = part.b;
        cd_scene_add_primitive(scene, bar);
        cd_scene_add_primitive(scene, end);
    } else {
        part.kind = CD_PRIMITIVE_BAR;
        for (int i = 0; i < AROUND; ++i) {
            const double a = 2 * CD_PI * i / AROUND, b = 2 * CD_PI * (i + 1) / AROUND, R = s->size[0];
            part.a = xyz_transform(frame, (cd_xyz){R * cos(a), R * sin(a), 0});
            part.b = xyz_transform(frame, (cd_xyz){R * cos(b), R * sin(b), 0});
            cd_scene_add_primitive(scene, part);
        }
    }
}

static void add_hull(cd_scene* scene, const cardan_shape* s, const cardan_pose* frame)
{
    const char* reason;
    cd_hull*    hull = cd_hull_create(s->npoint, s->point, 0, &reason);
    if (!hull) { // flat, or a build without Qhull: its points
        for (int i = 0; i + 1 < s->npoint; ++i)
            cd_scene_add_primitive(scene, (cd_primitive){.kind = CD_PRIMITIVE_BAR,
                                                         .body = s->body,
                                                         .a    = xyz_transform(frame, xyz_of(s->point + 3 * i)),
                                                         .b    = xyz_transform(frame, xyz_of(s->point + 3 * i + 3))});
        return;
    }
    const cd_polyhedron* p = &hull->p;
    for (int f = 0; f < p->nface; ++f) {
        for (int k = p->face_start[f]; k < p->face_start[f + 1]; ++k) {
            const double* x = p->vertex[p->face_vertex[k]].e;
            add_corner(scene, frame, xyz_of(x));
        }
        add_face(scene, s->body, p->face_start[f + 1] - p->face_start[f], true, false);
    }
    cd_hull_destroy(hull);
}

static void add_plane(cd_scene* scene, const cardan_shape* s, const cardan_pose* frame)
{
    static const int corner[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
    for (int k = 0; k < 4; ++k)
        add_corner(scene, frame, (cd_xyz){corner[k][0] * s->size[0] / 2, corner[k][1] * s->size[1] / 2, 0});
    add_face(scene, s->body, 4, false, false);
}

cd_xyz cd_height_grid_point(const cardan_height_grid* f, int i, int j)
{
    const int rows = cd_height_grid_rows(f), row = f->ny == 1 ? 0 : j; // a profile has two equal rows
    return (cd_xyz){(i - (f->nx - 1) / 2.0) * f->spacing[0], (j - (rows - 1) / 2.0) * f->spacing[1],
                    f->height[(size_t)i + (size_t)f->nx * (size_t)row]};
}

int cd_height_grid_rows(const cardan_height_grid* f) { return f->ny == 1 ? 2 : f->ny; }

// Index of grid line k of `cells` over n points.
static int grid_line(int n, int cells, int k) { return (int)((long long)(n - 1) * k / cells); }

static void add_height_field(cd_scene* scene, const cardan_shape* s, const cardan_pose* frame)
{
    const cardan_height_grid* f = &s->field;
    if (f->nx < 2 || f->ny < 1 || !f->height) return;
    const int rows = cd_height_grid_rows(f);
    const int mx = f->nx - 1 < GRID_CELLS ? f->nx - 1 : GRID_CELLS, my = rows - 1 < GRID_CELLS ? rows - 1 : GRID_CELLS;
    for (int j = 0; j < my; ++j)
        for (int i = 0; i < mx; ++i) {
            const int    i0 = grid_line(f->nx, mx, i), i1 = grid_line(f->nx, mx, i + 1);
            const int    j0 = grid_line(rows, my, j), j1 = grid_line(rows, my, j + 1);
            const cd_xyz a = cd_height_grid_point(f, i0, j0), b = cd_height_grid_point(f, i1, j0),
                         c = cd_height_grid_point(f, i1, j1), d = cd_height_grid_point(f, i0, j1);
            const cd_xyz two[2][3] = {{a, b, c}, {a, c, d}};
            for (int t = 0; t < 2; ++t) {
                for (int k = 0; k < 3; ++k) add_corner(scene, frame, two[t][k]);
                add_face(scene, s->body, 3, true, false);
            }
        }
}

void cd_scene_add_surface(cd_scene* scene, const cardan_shape* s, const cardan_pose* frame)
{
    if (s->kind == CARDAN_SHAPE_HULL)
        add_hull(scene, s, frame);
    else if (s->kind == CARDAN_SHAPE_PLANE)
        add_plane(scene, s, frame);
    else if (s->kind == CARDAN_SHAPE_HEIGHT_FIELD)
        add_height_field(scene, s, frame);
    else if (scene->nsurface_face > SURFACES_MAX)
        add_round_simply(scene, s, frame);
    else
        add_round(scene, s, frame);
}
