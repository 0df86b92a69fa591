// SPDX-License-Identifier: BSD-3-Clause
// Depth order. Primitives are painted from the farthest to the nearest by the depth of their centres, except where a
// face decides: what is completely on the viewer's side of its plane is painted after the face, what is completely
// behind it before the face (plane test of Newell, Newell and Sancha 1972). A small sphere above the far corner of a
// large box thus remains visible. For cyclic relations and intersecting bodies the depth of the centres decides.
#include "draw/picture.h"

#include "core/memory.h"

#include <stdlib.h>

typedef enum state { WAITING, BEGUN, PAINTED } state;

typedef struct depth_item {
    int                 layer; // 0 bodies, 1 supports, 2 and 3 joints, 4 mass centres: joints are always visible
    double              depth;
    const cd_primitive* primitive;
    state               state;
    double              left, right, low, high; // [m] in the picture plane
    bool                has_plane;              // visible face with plane n.x = offset, n towards the viewer
    cd_xyz              normal;
    double              offset;
} depth_item;

typedef struct painter {
    const cd_picture* picture;
    const cd_scene*   scene;
    depth_item*       item;
    int               count;      // items of layer 0
    int*              face_index; // (nface) indices of items
    int               nface;
} painter;

static bool has_two_ends(cd_primitive_kind kind)
{
    return kind == CD_PRIMITIVE_BAR || kind == CD_PRIMITIVE_RAIL || kind == CD_PRIMITIVE_OFFSET_LINE ||
           kind == CD_PRIMITIVE_SPRING || kind == CD_PRIMITIVE_DAMPER;
}

static int corner_count(const cd_primitive* m)
{
    return m->kind == CD_PRIMITIVE_FACE ? m->count : has_two_ends(m->kind) ? 2 : 1;
}

static cd_xyz corner(const cd_scene* scene, const cd_primitive* m, int i)
{
    return m->kind == CD_PRIMITIVE_FACE ? scene->point[m->first + i] : i ? m->b : m->a;
}

// Extent of a primitive from its corners along a unit vector n: spheres in all directions, bars normal to their axis.
static double extent_along(const cd_primitive* m, cd_xyz n)
{
    if (m->kind == CD_PRIMITIVE_FACE) return 0;
    if (m->kind != CD_PRIMITIVE_BAR) return m->radius;
    const double c = xyz_dot(n, xyz_unit(xyz_sub(m->b, m->a)));
    return m->radius * sqrt(fmax(0, 1 - c * c));
}

static depth_item depth_item_of(const cd_picture* p, const cd_scene* scene, const cd_primitive* m)
{
    const bool large = m->symbol == CD_SYMBOL_PRISMATIC || m->symbol == CD_SYMBOL_PLANAR ||
                       m->symbol == CD_SYMBOL_CYLINDRICAL || m->symbol == CD_SYMBOL_SCREW;
    const int    layer = m->kind == CD_PRIMITIVE_MASS_CENTRE ? 4
                         : m->kind == CD_PRIMITIVE_JOINT     ? (large ? 2 : 3)
                         : m->kind == CD_PRIMITIVE_SUPPORT   ? 1
                                                             : 0;
    const double r     = m->kind == CD_PRIMITIVE_FACE ? 0 : m->radius + p->symbol_radius / p->scale;
    const int    count = corner_count(m);
    depth_item   e     = {
              .layer = layer, .primitive = m, .left = INFINITY, .right = -INFINITY, .low = INFINITY, .high = -INFINITY};
    for (int i = 0; i < count; ++i) {
        const cd_xyz at = corner(scene, m, i);
        const cd_xy  q  = cd_camera_project(p->camera, at);
        e.left          = fmin(e.left, q.x - r);
        e.right         = fmax(e.right, q.x + r);
        e.low           = fmin(e.low, q.y - r);
        e.high          = fmax(e.high, q.y + r);
        e.depth += cd_camera_depth(p->camera, at) / count;
    }
    if (m->kind == CD_PRIMITIVE_POINT_MASS) e.depth += 3 * p->symbol_radius / p->scale; // in front of its bar
    e.depth = nearbyint(e.depth * p->scale * 8) / 8; // in 1/8 pixel, so that round-off has no effect
    if (m->kind != CD_PRIMITIVE_FACE) return e;
    e.normal           = cd_face_normal(scene, m);
    const double front = xyz_dot(e.normal, p->camera->toward);
    if (front < 0) e.normal = xyz_scale(-1, e.normal);
    e.has_plane = fabs(front) > cd_direction_tolerance;
    e.offset    = xyz_dot(e.normal, corner(scene, m, 0));
    return e;
}

static int by_depth(const void* a, const void* b)
{
    const depth_item *x = a, *y = b;
    if (x->layer != y->layer) return x->layer < y->layer ? -1 : 1;
    if (x->depth != y->depth) return x->depth < y->depth ? -1 : 1;
    if (x->primitive->kind != y->primitive->kind) return x->primitive->kind < y->primitive->kind ? -1 : 1;
    return (x->primitive > y->primitive) - (x->primitive < y->primitive);
}

// 1: completely in front of the face, -1: completely behind it, 0: neither, or in its plane.
static int side(const painter* p, const depth_item* face, const depth_item* e)
{
    if (!face->has_plane) return 0;
    const double tolerance = 0.125 / p->picture->scale, r = extent_along(e->primitive, face->normal);
    double       distance_min = INFINITY, distance_max = -INFINITY;
    for (int i = 0; i < corner_count(e->primitive); ++i) {
        const double d = xyz_dot(face->normal, corner(p->scene, e->primitive, i)) - face->offset;
        distance_min   = fmin(distance_min, d - r);
        distance_max   = fmax(distance_max, d + r);
    }
    return (distance_min > -tolerance) - (distance_max < tolerance);
}

// True if a must be painted before b. False if each must precede the other: then neither covers the other.
static bool must_precede(const painter* p, const depth_item* a, const depth_item* b)
{
    if (a == b || a->right <= b->left || b->right <= a->left || a->high <= b->low || b->high <= a->low) return false;
    return side(p, a, b) - side(p, b, a) > 0;
}

static void paint(painter* p, depth_item* e)
{
    if (e->state != WAITING) return;
    e->state        = BEGUN;
    const int count = e->has_plane ? p->count : p->nface; // one of the two must be a face
    for (int i = 0; i < count; ++i) {
        depth_item* other = &p->item[e->has_plane ? i : p->face_index[i]];
        if (other->state == WAITING && must_precede(p, other, e)) paint(p, other);
    }
    cd_draw_primitive(p->picture, p->scene, e->primitive);
    e->state = PAINTED;
}

static bool is_visible(const cd_picture* p, const cd_scene* scene, const cd_primitive* m, bool bodies_only)
{
    if (bodies_only && m->kind > CD_PRIMITIVE_POINT_MASS) return false;
    if (bodies_only && (m->kind == CD_PRIMITIVE_RAIL || m->kind == CD_PRIMITIVE_OFFSET_LINE ||
                        m->kind == CD_PRIMITIVE_SPRING || m->kind == CD_PRIMITIVE_DAMPER))
        return false;
    return m->kind != CD_PRIMITIVE_FACE || !m->solid ||
           xyz_dot(cd_face_normal(scene, m), p->camera->toward) > cd_direction_tolerance;
}

static void draw_in_order(const cd_picture* p, const cd_scene* scene, bool bodies_only)
{
    enum { PAIRS_MAX = 20000000 }; // above, only the depth decides
    painter all    = {.picture = p, .scene = scene};
    int     count  = 0;
    all.item       = cd_allocate((size_t)scene->nprimitive, sizeof *all.item);
    all.face_index = cd_allocate((size_t)scene->nprimitive, sizeof *all.face_index);
    for (int i = 0; all.item && all.face_index && i < scene->nprimitive; ++i) {
        const cd_primitive* m = &scene->primitive[i];
        if (is_visible(p, scene, m, bodies_only)) all.item[count++] = depth_item_of(p, scene, m);
    }
    if (!all.item || !all.face_index) p->svg->failed = true;
    if (count) qsort(all.item, (size_t)count, sizeof *all.item, by_depth);
    for (; all.count < count && all.item[all.count].layer == 0; ++all.count)
        if (all.item[all.count].has_plane) all.face_index[all.nface++] = all.count;
    if ((double)all.count * all.nface > PAIRS_MAX) all.count = all.nface = 0;
    for (int i = 0; i < count; ++i) paint(&all, &all.item[i]);
    free(all.item);
    free(all.face_index);
}

void cd_draw_scene(const cd_picture* p, const cd_scene* scene, bool bodies_only)
{
    bool*      hiding       = bodies_only ? NULL : cd_allocate((size_t)p->view->nbody + 1, sizeof *hiding);
    cd_picture transparent  = *p;
    transparent.transparent = hiding;
    if (!bodies_only && (!hiding || !cd_find_hiding_bodies(p, scene, hiding))) p->svg->failed = true;
    draw_in_order(&transparent, scene, bodies_only);
    free(hiding);
}
