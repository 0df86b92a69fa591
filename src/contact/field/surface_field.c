// SPDX-License-Identifier: BSD-3-Clause
// A height field of triangles as a surface. Cell c = (i, j) has the corners a = (i, j), b = (i+1, j), c = (i+1, j+1),
// d = (i, j+1) and the triangles 2 c (at its lower side a b) and 2 c + 1 (at its upper side c d):
//
//   diagonal a c:  a b c, a c d        diagonal b d:  a b d, b c d
//
// Vertex (i, j) has the number v = j nx + i; edges: 3 v to (i+1, j), 3 v + 1 to (i, j+1), 3 v + 2 the diagonal of its cell.
#include "contact/field/surface_field.h"
#include "contact/mesh/mesh_tolerances.h"

#include <stddef.h>

typedef enum side { SIDE_LOWER, SIDE_RIGHT, SIDE_UPPER, SIDE_LEFT, SIDE_DIAGONAL } side;

static d3 grid_point(const cd_height_field* f, int i, int j)
{
    return (d3){{f->d.x0 + f->d.dx * i, f->d.y0 + f->d.dy * j, f->d.z[(size_t)j * (size_t)f->d.nx + (size_t)i]}};
}

// The diagonal of a cell is a c, else b d.
static bool main_diagonal(const cd_height_field* f, int i, int j)
{
    const double* low = f->d.z + (size_t)j * (size_t)f->d.nx + i;
    const double* up  = low + f->d.nx;
    return fabs(low[0] - up[1]) <= fabs(low[1] - up[0]);
}

// Corners of triangle `upper` of a cell, as offsets bit 0: i, bit 1: j; and the sides from each corner to the next.
static void pattern(const cd_height_field* f, int i, int j, int upper, int corner[3], side sides[3])
{
    static const int  corners[2][2][3] = {{{0, 1, 2}, {1, 3, 2}}, {{0, 1, 3}, {0, 3, 2}}};
    static const side all[2][2][3]     = {
            {{SIDE_LOWER, SIDE_DIAGONAL, SIDE_LEFT}, {SIDE_RIGHT, SIDE_UPPER, SIDE_DIAGONAL}},
            {{SIDE_LOWER, SIDE_RIGHT, SIDE_DIAGONAL}, {SIDE_DIAGONAL, SIDE_UPPER, SIDE_LEFT}}};
    const bool main = main_diagonal(f, i, j);
    for (int k = 0; k < 3; ++k) corner[k] = corners[main][upper][k], sides[k] = all[main][upper][k];
}

static void corners_of(const cd_height_field* f, int i, int j, int upper, d3 x[3])
{
    int  corner[3];
    side sides[3];
    pattern(f, i, j, upper, corner, sides);
    for (int k = 0; k < 3; ++k) x[k] = grid_point(f, i + (corner[k] & 1), j + (corner[k] >> 1));
}

static d3 normal_of(const cd_height_field* f, int i, int j, int upper)
{
    d3 x[3];
    corners_of(f, i, j, upper, x);
    return d3_unit(d3_cross(d3_sub(x[1], x[0]), d3_sub(x[2], x[0])));
}

// Normal of the triangle across a side of a cell (of its other triangle across the diagonal); false: the border.
static bool normal_across(const cd_height_field* f, int i, int j, int upper, side s, d3* normal)
{
    switch (s) {
    case SIDE_LOWER:
        --j, upper = 1;
        break;
    case SIDE_UPPER:
        ++j, upper = 0;
        break;
    case SIDE_RIGHT: // the triangle at the left side of the next cell
        if (++i < f->cells_x) upper = main_diagonal(f, i, j);
        break;
    case SIDE_LEFT:
        if (--i >= 0) upper = !main_diagonal(f, i, j);
        break;
    default:
        upper = !upper;
    }
    if (i < 0 || j < 0 || i >= f->cells_x || j >= f->cells_y) return false;
    *normal = normal_of(f, i, j, upper);
    return true;
}

static int vertex_number(const cd_height_field* f, int i, int j) { return j * f->d.nx + i; }

static int side_number(const cd_height_field* f, int i, int j, side s)
{
    switch (s) {
    case SIDE_LOWER:
        return 3 * vertex_number(f, i, j);
    case SIDE_UPPER:
        return 3 * vertex_number(f, i, j + 1);
    case SIDE_LEFT:
        return 3 * vertex_number(f, i, j) + 1;
    case SIDE_RIGHT:
        return 3 * vertex_number(f, i + 1, j) + 1;
    default:
        return 3 * vertex_number(f, i, j) + 2;
    }
}

static void triangle(const void* data, int index, cd_surface_triangle* t)
{
    const cd_height_field* f = data;
    const int              i = index / 2 % f->cells_x, j = index / 2 / f->cells_x, upper = index % 2;
    int                    corner[3];
    side                   sides[3];
    pattern(f, i, j, upper, corner, sides);
    t->index = index;
    t->face  = index;
    for (int k = 0; k < 3; ++k) {
        t->corner[k] = grid_point(f, i + (corner[k] & 1), j + (corner[k] >> 1));
        t->vertex[k] = vertex_number(f, i + (corner[k] & 1), j + (corner[k] >> 1));
        t->side[k]   = side_number(f, i, j, sides[k]);
    }
    t->normal = d3_unit(d3_cross(d3_sub(t->corner[1], t->corner[0]), d3_sub(t->corner[2], t->corner[0])));
    for (int k = 0; k < 3; ++k) {
        d3         other;
        const bool neighbour = normal_across(f, i, j, upper, sides[k], &other);
        cd_surface_edge(t, k, neighbour ? &other : NULL);
    }
}

// The edges at vertex (i, j) are those of the triangles of its four cells that end there.
static int spokes(const void* data, int vertex, int capacity, d3* along, cd_dihedral* dihedral)
{
    const cd_height_field* f = data;
    const int              i = vertex % f->d.nx, j = vertex / f->d.nx;
    int                    n = 0, seen[CD_SPOKES_MAX];
    for (int q = 0; q < 8; ++q) {
        const int ci = i - (q & 1), cj = j - (q >> 1 & 1);
        if (ci < 0 || cj < 0 || ci >= f->cells_x || cj >= f->cells_y) continue;
        cd_surface_triangle t;
        triangle(f, 2 * (cj * f->cells_x + ci) + (q >> 2), &t);
        for (int k = 0; k < 3; ++k) {
            const int next   = (k + 1) % 3;
            bool      listed = t.vertex[k] != vertex && t.vertex[next] != vertex;
            for (int m = 0; m < n; ++m) listed |= seen[m] == t.side[k];
            if (listed || n >= capacity) continue;
            const d3 edge = d3_unit(d3_sub(t.corner[next], t.corner[k]));
            along[n]      = t.vertex[k] == vertex ? edge : d3_neg(edge);
            dihedral[n]   = t.dihedral[k];
            seen[n++]     = t.side[k];
        }
    }
    return n;
}

static bool sharp(const void* data, int vertex)
{
    d3          along[CD_SPOKES_MAX];
    cd_dihedral dihedral[CD_SPOKES_MAX];
    const int   n = spokes(data, vertex, CD_SPOKES_MAX, along, dihedral);
    for (int k = 0; k < n; ++k)
        if (dihedral[k] == CD_DIHEDRAL_CONVEX || dihedral[k] == CD_DIHEDRAL_OPEN) return true;
    return false;
}

static int clamped_cell(double x, int cells) { return (int)fmax(0, fmin(cells - 1, floor(x))); }

static void search(const void* data, const cd_box* box, void (*found)(void* context, int triangle), void* context)
{
    const cd_height_field* f = data;
    if (!cd_box_overlap(&f->box, box)) return;
    const int i0 = clamped_cell((box->lower[0] - f->d.x0) / f->d.dx - 1e-9, f->cells_x);
    const int i1 = clamped_cell((box->upper[0] - f->d.x0) / f->d.dx + 1e-9, f->cells_x);
    const int j0 = clamped_cell((box->lower[1] - f->d.y0) / f->d.dy - 1e-9, f->cells_y);
    const int j1 = clamped_cell((box->upper[1] - f->d.y0) / f->d.dy + 1e-9, f->cells_y);
    for (int j = j0; j <= j1; ++j)
        for (int i = i0; i <= i1; ++i) {
            const int c = j * f->cells_x + i;
            if (f->range[0][c][1] < box->lower[2]) continue;
            found(context, 2 * c);
            found(context, 2 * c + 1);
        }
}

cd_surface cd_surface_of_field(const cd_height_field* field)
{
    return (cd_surface){field, triangle, spokes, sharp, search};
}

void cd_field_corners(const cd_height_field* f, int index, d3 corner[3])
{
    corners_of(f, index / 2 % f->cells_x, index / 2 / f->cells_x, index % 2, corner);
}

void cd_field_edge(const cd_height_field* f, int number, d3 end[2])
{
    const int vertex = number / 3, i = vertex % f->d.nx, j = vertex / f->d.nx, kind = number % 3;
    end[0] = grid_point(f, i, j);
    end[1] = kind == 0 ? grid_point(f, i + 1, j) : grid_point(f, i, j + 1);
    if (kind != 2) return;
    const bool main = main_diagonal(f, i, j);
    end[0]          = grid_point(f, main ? i : i + 1, j);
    end[1]          = grid_point(f, main ? i + 1 : i, j + 1);
}

d3 cd_field_vertex(const cd_height_field* f, int number) { return grid_point(f, number % f->d.nx, number / f->d.nx); }
