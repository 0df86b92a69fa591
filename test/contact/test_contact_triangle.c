// SPDX-License-Identifier: BSD-3-Clause
// Shapes against one triangle: nearest points by their proof (the separation along the normal), against the plane for shapes above
// the middle of a large triangle, one-sidedness, and derivatives of gaps.
#include "contact/triangle.h"
#include "random_shapes.h"
#include "test.h"

#include <stdlib.h>

static const cd_shape_pose identity = {{1, 0, 0, 0, 1, 0, 0, 0, 1}, {0, 0, 0}};

static d3 support(const cd_shape_geometry* g, const cd_shape_pose* pose, d3 n)
{
    uint32_t             feature;
    const cd_shape_type* type = cd_shape_type_of(g);
    const d3             x    = type->support(g, d3_rotate_back(pose->R, n), &feature);
    return d3_add_scaled(d3_add(d3_rotate(pose->R, x), d3_of(pose->p)), type->offset(g), n);
}

static double separation(const cd_shape_geometry* g, const cd_shape_pose* pose, const cd_triangle* t, d3 n)
{
    double highest = -INFINITY;
    for (int k = 0; k < 3; ++k) highest = fmax(highest, d3_dot(n, d3_of(t->corner[k])));
    return d3_dot(n, support(g, pose, d3_neg(n))) - highest;
}

static d3 front_of(const cd_triangle* t)
{
    const d3 a = d3_of(t->corner[0]);
    return d3_unit(d3_cross(d3_sub(d3_of(t->corner[1]), a), d3_sub(d3_of(t->corner[2]), a)));
}

static cd_triangle random_triangle(shape_dice* d)
{
    cd_triangle t;
    for (int k = 0; k < 3; ++k)
        for (int i = 0; i < 3; ++i) t.corner[k][i] = shape_range(d, -1, 1);
    return t;
}

static const cd_contact_point* least(const cd_contact_point* point, int n)
{
    const cd_contact_point* best = n ? point : NULL;
    for (int i = 1; i < n; ++i)
        if (point[i].gap < best->gap) best = &point[i];
    return best;
}

// Distance of a shape and a triangle that are apart; an overlap along its normal.
static void nearest_points(cd_shape_kind kind)
{
    shape_dice d     = {.state = 3u + (unsigned)kind};
    const int  count = getenv("CARDAN_TEST_ALL") ? 1000000 : 10000;
    int        wrong = 0, apart = 0, found = 0, behind = 0, doubtful = 0;
    for (int k = 0; k < count; ++k) {
        cd_shape_geometry       g    = random_shape(&d, kind);
        const cd_shape_pose     pose = random_shape_pose(&d, 1.2);
        const cd_triangle       t    = random_triangle(&d);
        cd_contact_point        point[CD_CONTACT_POINTS_MAX];
        const int               n = cd_collide_triangle(&g, &pose, &t, 20, NULL, point, CD_CONTACT_POINTS_MAX);
        const cd_contact_point* p = least(point, n);
        found += p != NULL;
        doubtful += p && p->doubtful;
        for (int i = 0; i < n; ++i) behind += !(d3_dot(d3_of(point[i].normal), front_of(&t)) >= -1e-9);
        if (p && kind != CD_SHAPE_TORUS && !p->doubtful) {
            const double s = separation(&g, &pose, &t, d3_of(p->normal));
            // a shape on the front whose centre is behind: the height of the centre decides where the foot is inside
            wrong += !(fabs(s - p->gap) <= 1e-10);
            apart += p->gap > 0;
            if (getenv("TEST_VERBOSE") && !(fabs(s - p->gap) <= 1e-10))
                printf("pose %d: gap %g, separation %g, features %x %x\n", k, p->gap, s, cd_contact_feature(p, 0),
                       cd_contact_feature(p, 1));
        }
        random_shape_free(&g);
    }
    if (getenv("TEST_VERBOSE"))
        printf("%s: %d found, %d apart, %d wrong, %d doubtful\n", cd_shape_type_at((int)kind)->name, found, apart,
               wrong, doubtful);
    CHECK(wrong == 0);
    CHECK(behind == 0);
    CHECK(found > count / 3);
    const bool round =
        kind == CD_SHAPE_CYLINDER || kind == CD_SHAPE_ELLIPSOID; // deep, with the extreme point next to the triangle
    if (kind != CD_SHAPE_TORUS) CHECK(doubtful <= (round ? count / 10 : 0));
}

// Distance of x from the triangle, by its sides and by its plane.
static double distance_from(const cd_triangle* t, d3 x)
{
    const d3 n      = front_of(t);
    double   least  = INFINITY;
    bool     inside = true;
    for (int k = 0; k < 3; ++k) {
        const d3     a = d3_of(t->corner[k]), u = d3_sub(d3_of(t->corner[(k + 1) % 3]), a), v = d3_sub(x, a);
        const double s = fmax(0, fmin(1, d3_dot(u, v) / d3_dot(u, u)));
        inside         = inside && d3_dot(d3_cross(n, u), v) >= 0;
        least          = fmin(least, d3_norm(d3_add_scaled(v, -s, u)));
    }
    return inside ? fabs(d3_dot(n, d3_sub(x, d3_of(t->corner[0])))) : least;
}

// The circle of a torus that is entirely in front of the triangle, by sampling.
static void torus_by_sampling(void)
{
    shape_dice d       = {.state = 77};
    int        checked = 0;
    for (int k = 0; k < 1000; ++k) {
        cd_shape_geometry   g              = random_shape(&d, CD_SHAPE_TORUS);
        const cd_shape_pose pose           = random_shape_pose(&d, 1.2);
        const cd_triangle   t              = random_triangle(&d);
        double              least_distance = INFINITY, lowest = INFINITY;
        for (int i = 0; i < 1000; ++i) {
            const double angle = 2 * CD_PI / 1000 * i;
            const d3     local = {{g.size[0] * cos(angle), g.size[0] * sin(angle), 0}};
            const d3     x     = d3_add(d3_rotate(pose.R, local), d3_of(pose.p));
            least_distance     = fmin(least_distance, distance_from(&t, x));
            lowest             = fmin(lowest, d3_dot(front_of(&t), d3_sub(x, d3_of(t.corner[0]))));
        }
        if (lowest < 0) continue;
        cd_contact_point point[CD_CONTACT_POINTS_MAX];
        const int        n   = cd_collide_triangle(&g, &pose, &t, 20, NULL, point, CD_CONTACT_POINTS_MAX);
        const double     gap = least_distance - g.size[1];
        CHECK(n > 0 && least(point, n)->gap <= gap + 1e-12 && least(point, n)->gap >= gap - 4e-3);
        ++checked;
    }
    CHECK(checked > 200);
}

// Above the middle of a large triangle every shape touches as on a plane: the least gap is the same.
static void as_on_a_plane(cd_shape_kind kind)
{
    shape_dice              d      = {.state = 90u + (unsigned)kind};
    const cd_triangle       t      = {{{-50, -40, 0}, {60, -30, 0}, {0, 70, 0}}};
    const cd_shape_geometry plane  = {.kind = CD_SHAPE_PLANE};
    const double            up[3]  = {0, 0, 1};
    int                     points = 0;
    for (int k = 0; k < 200; ++k) {
        cd_shape_geometry g    = random_shape(&d, kind);
        cd_shape_pose     pose = random_shape_pose(&d, 1);
        if (k % 4 == 0) pose = identity;
        pose.p[2] = 0;
        double lower[3], upper[3];
        cd_shape_bounds(&g, &pose, lower, upper);
        pose.p[2] -= lower[2] - 0.01 * (k % 3 - 1);
        cd_contact_point on[CD_CONTACT_POINTS_MAX], of[CD_CONTACT_POINTS_MAX], along[CD_CONTACT_POINTS_MAX];
        const int        n = cd_collide(&g, &pose, &plane, &identity, 0.1, NULL, on, CD_CONTACT_POINTS_MAX);
        const int        m = cd_collide_triangle(&g, &pose, &t, 0.1, NULL, of, CD_CONTACT_POINTS_MAX);
        const int        l = cd_collide_triangle_along(&g, &pose, &t, up, 0.1, along, CD_CONTACT_POINTS_MAX);
        CHECK(n > 0 && m > 0 && l > 0);
        if (!(n > 0 && m > 0 && l > 0)) {
            printf("%s, pose %d: %d %d %d\n", cd_shape_type_at((int)kind)->name, k, n, m, l);
            continue;
        }
        CHECK_NEAR(least(of, m)->gap, least(on, n)->gap, 1e-12);
        CHECK_NEAR(least(along, l)->gap, least(on, n)->gap, 1e-12);
        CHECK_NEAR(least(of, m)->normal[2], 1, 1e-12);
        if (k % 4 == 0) CHECK(m == l);
        points += k % 4 == 0 && m == n;
        random_shape_free(&g);
    }
    CHECK(points == 50 || kind == CD_SHAPE_HULL);
}

// A sphere near face, edge and corner, and behind.
static void sphere_features(void)
{
    const cd_triangle       t = {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}};
    const cd_shape_geometry g = {.kind = CD_SHAPE_SPHERE, .size = {0.5}};
    const struct {
        double          p[3], gap;
        cd_feature_kind kind;
        int             index, count;
    } row[] = {{{0.2, 0.2, 0.4}, -0.1, CD_FEATURE_FACE, 0, 1},        {{0.2, 0.2, -0.1}, -0.6, CD_FEATURE_FACE, 0, 1},
               {{0.5, -0.3, 0.4}, 0, CD_FEATURE_EDGE, 0, 1},          {{-0.3, 0.5, 0.4}, 0, CD_FEATURE_EDGE, 2, 1},
               {{1.3, -0.1, 0.4}, 0.009902, CD_FEATURE_VERTEX, 1, 1}, {{0.2, 0.2, -0.6}, 0, CD_FEATURE_FACE, 0, 0},
               {{0.5, -0.3, -0.1}, 0, CD_FEATURE_EDGE, 0, 0},         {{0.5, -0.3, 0}, -0.2, CD_FEATURE_EDGE, 0, 1}};
    for (size_t i = 0; i < sizeof row / sizeof *row; ++i) {
        cd_shape_pose    pose = identity;
        cd_contact_point point[4];
        int              index;
        memcpy(pose.p, row[i].p, sizeof pose.p);
        const int n = cd_collide_triangle(&g, &pose, &t, 1, NULL, point, 4);
        CHECK(n == row[i].count);
        if (n != 1) continue;
        CHECK_NEAR(point[0].gap, row[i].gap, 1e-6);
        CHECK(cd_triangle_part(&point[0], &index) == row[i].kind);
        CHECK(index == row[i].index);
    }
}

// A box whose lower face reaches over an edge: clipped corners, all with the normal of the face.
static void box_over_an_edge(void)
{
    const cd_triangle       t     = {{{0, 0, 0}, {4, 0, 0}, {0, 4, 0}}};
    const cd_shape_geometry g     = {.kind = CD_SHAPE_BOX, .size = {0.5, 0.5, 0.5}};
    const double            up[3] = {0, 0, 1};
    cd_shape_pose           pose  = {{1, 0, 0, 0, 1, 0, 0, 0, 1}, {1, 0.1, 0.499}};
    cd_contact_point        point[CD_CONTACT_POINTS_MAX];
    for (int k = 0; k < 2; ++k) {
        const int n = k ? cd_collide_triangle_along(&g, &pose, &t, up, 0.01, point, CD_CONTACT_POINTS_MAX)
                        : cd_collide_triangle(&g, &pose, &t, 0.01, NULL, point, CD_CONTACT_POINTS_MAX);
        CHECK(n == 4);
        for (int i = 0; i < n; ++i) {
            if (getenv("TEST_VERBOSE"))
                printf("%d: %g %g %g, features %x %x\n", k, point[i].b[0], point[i].b[1], point[i].gap,
                       cd_contact_feature(&point[i], 0), cd_contact_feature(&point[i], 1));
            CHECK_NEAR(point[i].gap, -0.001, 1e-14);
            CHECK_NEAR(point[i].normal[2], 1, 1e-15);
            CHECK(point[i].b[1] > -1e-12 && point[i].b[1] < 0.6 + 1e-12);
            CHECK_NEAR(fabs(point[i].b[0] - 1), 0.5, 1e-14);
        }
    }
    CHECK(cd_collide_triangle(&g, &pose, &(cd_triangle){{{0, 0, 0}, {1, 1, 1}, {2, 2, 2}}}, 1, NULL, point, 64) == 0);
}

int main(void)
{
    RUN(sphere_features());
    RUN(box_over_an_edge());
    RUN(torus_by_sampling());
    for (int kind = 0; kind < CD_SHAPE_PLANE; ++kind) {
        RUN(nearest_points((cd_shape_kind)kind));
        RUN(as_on_a_plane((cd_shape_kind)kind));
    }
    return test_end();
}
