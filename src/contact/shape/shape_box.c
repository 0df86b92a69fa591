// SPDX-License-Identifier: BSD-3-Clause
// Box: half sizes size[0..2], which include the rounding. Vertex i has the sign of bit k of i on axis k; face 2 k + s is that of
// axis k and sign s.
#include "contact/shape/polyhedron.h"

#include <stddef.h>

static const char* check(const cd_shape_geometry* g)
{
    for (int i = 0; i < 3; ++i) {
        if (!(g->size[i] > 0)) return "its half sizes must be positive";
        if (g->rounding >= g->size[i]) return "its rounding must be smaller than its half sizes";
    }
    return NULL;
}

static double offset(const cd_shape_geometry* g) { return g->rounding; }

static d3 core(const cd_shape_geometry* g)
{
    return (d3){{g->size[0] - g->rounding, g->size[1] - g->rounding, g->size[2] - g->rounding}};
}

static d3 support(const cd_shape_geometry* g, d3 d, uint32_t* feature)
{
    const d3 half = core(g);
    int      i    = 0;
    d3       x;
    for (int k = 0; k < 3; ++k) {
        const int positive = d.e[k] > 0;
        x.e[k]             = positive ? half.e[k] : -half.e[k];
        i |= positive << k;
    }
    *feature = cd_feature(CD_FEATURE_VERTEX, i);
    return x;
}

static int edge_number(int axis, int vertex) // of the edge parallel to an axis through a vertex
{
    const int i = (axis + 1) % 3, j = (axis + 2) % 3;
    return 4 * axis + (vertex >> i & 1) + 2 * (vertex >> j & 1);
}

static double nearest(const cd_shape_geometry* g, d3 x, d3* point, d3* normal, uint32_t* feature)
{
    const d3 half    = core(g);
    int      outside = 0, last = 0, inner = 0, vertex = 0, deepest = 0;
    *point = x;
    for (int k = 0; k < 3; ++k) {
        vertex |= (x.e[k] > 0) << k;
        if (fabs(x.e[k]) - half.e[k] > fabs(x.e[deepest]) - half.e[deepest]) deepest = k;
        if (fabs(x.e[k]) > half.e[k]) {
            point->e[k] = copysign(half.e[k], x.e[k]);
            last        = k;
            ++outside;
        } else {
            inner = k;
        }
    }
    if (outside <= 1) {
        const int k = outside ? last : deepest;
        *normal     = d3_scale(x.e[k] > 0 ? 1 : -1, d3_axis(k));
        point->e[k] = x.e[k] > 0 ? half.e[k] : -half.e[k];
        *feature    = cd_feature(CD_FEATURE_FACE, 2 * k + (x.e[k] > 0));
        return fabs(x.e[k]) - half.e[k];
    }
    *feature =
        outside == 3 ? cd_feature(CD_FEATURE_VERTEX, vertex) : cd_feature(CD_FEATURE_EDGE, edge_number(inner, vertex));
    const d3     away     = d3_sub(x, *point);
    const double distance = d3_norm(away);
    *normal               = d3_scale(1 / distance, away);
    return distance;
}

// face 2 k + s: corners counter-clockwise seen from outside
static const int face_start[7]   = {0, 4, 8, 12, 16, 20, 24};
static const int face_vertex[24] = {0, 4, 6, 2, 1, 3, 7, 5, 0, 1, 5, 4, 2, 6, 7, 3, 0, 2, 3, 1, 4, 5, 7, 6};
// edge 4 k + bit(axis k+1) + 2 bit(axis k+2)
static const int     face_edge[24] = {8, 5, 10, 4, 6, 11, 7, 9, 0, 9, 2, 8, 10, 3, 11, 1, 4, 1, 6, 0, 2, 7, 3, 5};
static const cd_edge edges[12]     = {
        {{0, 1}, {2, 4}}, {{3, 2}, {3, 4}}, {{5, 4}, {2, 5}}, {{6, 7}, {3, 5}}, {{2, 0}, {0, 4}}, {{4, 6}, {0, 5}},
        {{1, 3}, {1, 4}}, {{7, 5}, {1, 5}}, {{0, 4}, {0, 2}}, {{5, 1}, {1, 2}}, {{6, 2}, {0, 3}}, {{3, 7}, {1, 3}},
};

void cd_box_polyhedron(const cd_shape_geometry* g, cd_polyhedron_storage* storage, cd_polyhedron* p)
{
    const d3 half = core(g);
    for (int i = 0; i < 8; ++i)
        for (int k = 0; k < 3; ++k) storage->vertex[i].e[k] = i >> k & 1 ? half.e[k] : -half.e[k];
    for (int f = 0; f < 6; ++f) {
        storage->normal[f] = d3_scale(f & 1 ? 1 : -1, d3_axis(f / 2));
        storage->height[f] = half.e[f / 2];
    }
    *p = (cd_polyhedron){8,          6,           12,        storage->vertex, storage->normal, storage->height,
                         face_start, face_vertex, face_edge, edges,           {{0, 0, 0}}};
}

static void flat(const cd_shape_geometry* g, d3 d, double slope, cd_flat* f)
{
    cd_polyhedron_storage storage;
    cd_polyhedron         p;
    cd_box_polyhedron(g, &storage, &p);
    cd_polyhedron_flat(&p, d, slope, f);
}

static void core_feature(const cd_shape_geometry* g, uint32_t feature, cd_core_feature* f)
{
    cd_polyhedron_storage storage;
    cd_polyhedron         p;
    cd_box_polyhedron(g, &storage, &p);
    cd_polyhedron_feature(&p, feature, f);
    f->offset = g->rounding;
}

// The rounding is neglected: its part of the volume is of the order of its square.
static void mass(const cd_shape_geometry* g, cd_mass_properties* m)
{
    const double a = g->size[0], b = g->size[1], c = g->size[2], volume = 8 * a * b * c, k = volume / 3;
    *m = (cd_mass_properties){.volume  = volume,
                              .inertia = {k * (b * b + c * c), k * (a * a + c * c), k * (a * a + b * b)}};
}

const cd_shape_type cd_shape_box = {
    .name      = "box",
    .size_name = {"half size x", "half size y", "half size z"},
    .can_round = true,
    .convex    = true,
    .bounded   = true,
    .check     = check,
    .offset    = offset,
    .support   = support,
    .nearest   = nearest,
    .flat      = flat,
    .feature   = core_feature,
    .mass      = mass,
};
