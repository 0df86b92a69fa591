// SPDX-License-Identifier: BSD-3-Clause
// Contact points of shapes that rest on each other, by closed forms: numbers, places and keys of the points of flat parts, the same
// slightly above and slightly below touching; crossing edges; order of the arguments.
#include "contact/contact_geometry.h"
#include "random_shapes.h"
#include "test.h"

#include <stdlib.h>

static const cd_shape_pose identity = {{1, 0, 0, 0, 1, 0, 0, 0, 1}, {0, 0, 0}};
static const double        gaps[]   = {1e-3, 1e-6, 1e-9, 1e-12, 0, -1e-12, -1e-9, -1e-6, -1e-3};
enum { GAPS = sizeof gaps / sizeof *gaps };

static cd_shape_pose at(double x, double y, double z)
{
    cd_shape_pose pose = identity;
    pose.p[0] = x, pose.p[1] = y, pose.p[2] = z;
    return pose;
}

// Frame with the columns of a rotation about an axis, at a point.
static cd_shape_pose turned(d3 axis, double angle, double x, double y, double z)
{
    cd_shape_pose pose = at(x, y, z);
    shape_rotation(d3_unit(axis), angle, pose.R);
    return pose;
}

typedef struct expectation {
    const char*       name;
    cd_shape_geometry A, B;
    cd_shape_pose     a; // at gap zero; the gap is along z of the world
    int               count;
    double            reach; // farthest |x| of a point
} expectation;

// All points have the normal z and the gap of the motion; keys do not change with it.
static void flat_contacts(void)
{
    const cd_shape_geometry box     = {.kind = CD_SHAPE_BOX, .size = {1, 1, 0.5}};
    const cd_shape_geometry small   = {.kind = CD_SHAPE_BOX, .size = {0.3, 0.2, 0.1}};
    const cd_shape_geometry round   = {.kind = CD_SHAPE_BOX, .size = {0.3, 0.2, 0.1}, .rounding = 0.02};
    const cd_shape_geometry can     = {.kind = CD_SHAPE_CYLINDER, .size = {0.3, 0.4}};
    const cd_shape_geometry capsule = {.kind = CD_SHAPE_CAPSULE, .size = {0.1, 0.4}};
    const cd_shape_geometry ring    = {.kind = CD_SHAPE_TORUS, .size = {0.4, 0.1}};
    const cd_shape_geometry egg     = {.kind = CD_SHAPE_ELLIPSOID, .size = {0.4, 0.3, 0.2}};
    const d3                x = d3_axis(0), y = d3_axis(1), z = d3_axis(2);
    const expectation       row[] = {
              {"box on box", small, box, at(0.1, 0.2, 0.6), 4, 0.4},
              {"turned box on box", small, box, turned(z, 0.3, 0.1, 0.2, 0.6), 4, 0.6},
              {"rounded box on box", round, box, at(0.1, 0.2, 0.6), 4, 0.38},
              {"box over the edge", small, box, at(0.9, 0.2, 0.6), 4, 1},
              {"box over the corner", small, box, turned(z, 0.3, 0.95, 0.95, 0.6), 4, 1},
              {"large box on small box", box, small, at(0, 0, 0.6), 4, 0.3},
              {"equal boxes", box, box, at(0, 0, 1), 4, 1},
              {"standing cylinder on box", can, box, at(0.1, 0, 0.9), 8, 0.4},
              {"standing cylinder over the edge", can, box, at(1, 0, 0.9), 5, 1},
              {"lying cylinder on box", can, box, turned(y, CD_PI / 2, 0, 0.1, 0.8), 2, 0.4},
              {"lying cylinder over the edge", can, box, turned(y, CD_PI / 2, 0.9, 0.1, 0.8), 2, 1},
              {"standing cylinders", can, can, at(0, 0, 0.8), 8, 0.3},
              {"standing cylinders aside", can, can, at(0.1, 0, 0.8), 8, 0.4},
              {"crossed cylinders", can, can, turned(x, CD_PI / 2, 0, 0, 0), 0, 0},
              {"capsule on box", capsule, box, turned(y, CD_PI / 2, 0.1, 0, 0.6), 2, 0.5},
              {"standing capsule on box", capsule, box, at(0.1, 0, 1), 1, 0.1},
              {"capsule over the edge", capsule, box, turned(y, CD_PI / 2, 0.9, 0, 0.6), 2, 1},
              {"torus on box", ring, box, at(0.1, 0, 0.6), 3, 0.5},
              {"torus over the edge", ring, box, at(0.8, 0, 0.6), 4, 1},
              {"standing torus on box", ring, box, turned(x, CD_PI / 2, 0.1, 0, 1), 1, 0.1},
              {"ellipsoid on box", egg, box, at(0.1, 0, 0.7), 1, 0.1},
              {"ellipsoid on cylinder", egg, can, at(0.1, 0, 0.6), 1, 0.1},
              {"torus on cylinder", ring, can, at(0, 0, 0.5), 0, 0},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; ++i) {
        uint64_t key[64] = {0};
        if (row[i].count == 0) continue;
        for (int k = 0; k < GAPS; ++k) {
            cd_contact_point point[CD_CONTACT_POINTS_MAX];
            cd_shape_pose    a = row[i].a;
            a.p[2] += gaps[k];
            const int n     = cd_collide(&row[i].A, &a, &row[i].B, &identity, 0.01, NULL, point, CD_CONTACT_POINTS_MAX);
            double    reach = 0;
            bool      right = n == row[i].count;
            for (int j = 0; j < n; ++j) {
                right = right && fabs(point[j].gap - gaps[k]) <= 1e-14 && fabs(point[j].normal[2] - 1) <= 1e-15;
                if (k > 0) right = right && key[j] == point[j].key;
                key[j] = point[j].key;
                reach  = fmax(reach, fabs(point[j].a[0]));
            }
            right = right && reach <= row[i].reach + 1e-12;
            if (!right || getenv("TEST_VERBOSE")) {
                printf("%s, gap %g: %d points, reach %g\n", row[i].name, gaps[k], n, reach);
                for (int j = 0; j < n; ++j)
                    printf("    %x %x gap %g at %g %g %g normal %g %g %g\n", cd_contact_feature(&point[j], 0),
                           cd_contact_feature(&point[j], 1), point[j].gap, point[j].a[0], point[j].a[1], point[j].a[2],
                           point[j].normal[0], point[j].normal[1], point[j].normal[2]);
            }
            CHECK(right);
        }
    }
}

// Two edges that cross at right angles, 45 degrees around each; the normal is their common perpendicular.
static void crossing_edges(void)
{
    const cd_shape_geometry box = {.kind = CD_SHAPE_BOX, .size = {1, 0.3, 0.3}};
    const double            s   = 0.3 * sqrt(2.0);
    double                  S[9], T[9];
    for (int k = 0; k < GAPS; ++k) {
        cd_shape_pose a = turned(d3_axis(0), CD_PI / 4, 0, 0, 2 * s + gaps[k]),
                      b = turned(d3_axis(0), CD_PI / 4, 0, 0, 0);
        cd_contact_point point[CD_CONTACT_POINTS_MAX];
        shape_rotation(d3_axis(2), CD_PI / 2, S);
        memcpy(T, a.R, sizeof T);
        for (int i = 0; i < 3; ++i) {
            const d3 column = d3_rotate(S, d3_column(T, i));
            for (int j = 0; j < 3; ++j) a.R[3 * j + i] = column.e[j];
        }
        const int n = cd_collide(&box, &a, &box, &b, 0.01, NULL, point, CD_CONTACT_POINTS_MAX);
        CHECK(n == 1);
        CHECK_NEAR(point[0].gap, gaps[k], 1e-14);
        CHECK_NEAR(point[0].normal[2], 1, 1e-14);
        CHECK(cd_feature_kind_of(cd_contact_feature(&point[0], 0)) == CD_FEATURE_EDGE);
        CHECK(cd_feature_kind_of(cd_contact_feature(&point[0], 1)) == CD_FEATURE_EDGE);
    }
}

// A block that rocks on a box about one of its edges: two points at its lower edge, for every angle.
static void rocking_block(void)
{
    const cd_shape_geometry ground = {.kind = CD_SHAPE_BOX, .size = {3, 3, 0.5}},
                            block  = {.kind = CD_SHAPE_BOX, .size = {0.3, 0.2, 0.5}};
    for (double angle = 1e-12; angle < 0.7; angle *= 3) {
        cd_shape_pose       a = turned(d3_axis(1), angle, 0.2, 0.1, 0);
        cd_contact_point    point[CD_CONTACT_POINTS_MAX];
        const double        lowest = 0.3 * sin(angle) + 0.5 * cos(angle);
        int                 low    = 0;
        static const double drop[] = {1e-10, 0, -1e-10};
        for (int k = 0; k < 3; ++k, low = 0) {
            a.p[2]      = 0.5 + lowest + drop[k];
            const int n = cd_collide(&block, &a, &ground, &identity, 2, NULL, point, CD_CONTACT_POINTS_MAX);
            CHECK(n == 4);
            for (int i = 0; i < n; ++i) {
                low += fabs(point[i].gap - drop[k]) <= 1e-14 && point[i].normal[2] > 1 - 1e-12;
                CHECK(point[i].gap >= drop[k] - 1e-14);
            }
            CHECK(low == (0.6 * sin(angle) < 1e-14 ? 4 : 2));
        }
    }
}

// Capsules with parallel axes: the ends of the overlap; turned by more than the flat slope: one point.
static void parallel_capsules(void)
{
    const cd_shape_geometry A = {.kind = CD_SHAPE_CAPSULE, .size = {0.1, 0.5}},
                            B = {.kind = CD_SHAPE_CAPSULE, .size = {0.2, 1}};
    cd_contact_point point[CD_CONTACT_POINTS_MAX];
    for (int k = 0; k < GAPS; ++k) {
        cd_shape_pose a = at(0.3 + gaps[k], 0, 0.8);
        CHECK(cd_collide(&A, &a, &B, &identity, 0.01, NULL, point, CD_CONTACT_POINTS_MAX) == 2);
        for (int i = 0; i < 2; ++i) {
            CHECK_NEAR(point[i].gap, gaps[k], 1e-15);
            CHECK_NEAR(point[i].normal[0], 1, 1e-15);
            CHECK(fabs(point[i].a[2] - 0.3) < 1e-14 || fabs(point[i].a[2] - 1) < 1e-14);
        }
        a = turned(d3_axis(0), 0.01, 0.3 + gaps[k], 0, 0.5);
        CHECK(cd_collide(&A, &a, &B, &identity, 0.01, NULL, point, CD_CONTACT_POINTS_MAX) == 1);
        CHECK_NEAR(point[0].gap, gaps[k], 1e-14);
    }
}

// Every shape at any place of a box or a cylinder that is larger by up to 1e6, standing or in any attitude.
static void large_ground(void)
{
    for (double size = 10; size < 2e6; size *= 10) {
        for (int kind = 0; kind < CD_SHAPE_PLANE; ++kind) {
            shape_dice d     = {.state = 7u + (unsigned)kind};
            int        wrong = 0;
            for (int k = 0; k < 60; ++k) {
                cd_shape_geometry       g      = random_shape(&d, (cd_shape_kind)kind);
                const cd_shape_geometry ground = {.kind = k % 4 < 2 ? CD_SHAPE_BOX : CD_SHAPE_CYLINDER,
                                                  .size = {size, size, size}};
                cd_shape_pose           a = random_shape_pose(&d, 1), b = random_shape_pose(&d, 0);
                cd_contact_point        point[CD_CONTACT_POINTS_MAX];
                double                  lower[3], upper[3], gap = 1e-3 * (k % 5 - 2), least = INFINITY;
                if (k % 2) a = identity;
                a.p[2] = 0;
                cd_shape_bounds(&g, &a, lower, upper);
                for (int i = 0; i < 2; ++i) a.p[i] = shape_range(&d, -0.5, 0.5) * size;
                a.p[2] = size + gap - lower[2];
                d3_put(d3_rotate(b.R, d3_of(a.p)), a.p); // both turned with the ground
                double R[9];
                for (int i = 0; i < 3; ++i) {
                    const d3 column = d3_rotate(b.R, d3_column(a.R, i));
                    for (int j = 0; j < 3; ++j) R[3 * j + i] = column.e[j];
                }
                memcpy(a.R, R, sizeof R);
                const int n  = cd_collide(&g, &a, &ground, &b, 0.01, NULL, point, CD_CONTACT_POINTS_MAX);
                bool      up = n > 0;
                for (int i = 0; i < n; ++i) {
                    least = fmin(least, point[i].gap);
                    up    = up && d3_dot(d3_of(point[i].normal), d3_column(b.R, 2)) > 1 - 1e-12 && !point[i].doubtful;
                }
                wrong += !(up && fabs(least - gap) <= 1e-12 + 4e-15 * size);
                random_shape_free(&g);
            }
            if (wrong) printf("%s on a ground of size %g: %d wrong\n", cd_shape_type_at(kind)->name, size, wrong);
            CHECK(wrong == 0);
        }
    }
}

// A hull with 100 sides stands on a box, on its whole face and over an edge.
static void hull_with_large_faces(void)
{
    const cd_shape_geometry box = {.kind = CD_SHAPE_BOX, .size = {1, 1, 0.5}};
    double                  corner[600];
    const char*             reason;
    for (int i = 0; i < 200; ++i) {
        const double angle = CD_PI / 50 * (i % 100) + 0.01;
        d3_put((d3){{0.4 * cos(angle), 0.4 * sin(angle), i < 100 ? -0.3 : 0.3}}, corner + 3 * i);
    }
    cd_hull* hull = cd_hull_create(200, corner, 0, &reason);
    CHECK(hull || !cd_hull_is_available());
    if (!hull) return;
    const cd_shape_geometry g = {.kind = CD_SHAPE_HULL, .hull = hull};
    for (int k = 0; k < 2; ++k) {
        const cd_shape_pose a = at(k, 0, 0.8 - 1e-9);
        cd_contact_point    point[CD_CONTACT_POINTS_MAX];
        const int           n = cd_collide(&g, &a, &box, &identity, 1e-3, NULL, point, CD_CONTACT_POINTS_MAX);
        double              x = 0, most = -1, least = 1;
        for (int i = 0; i < n; ++i) {
            x += point[i].a[0] / n, most = fmax(most, point[i].a[1]), least = fmin(least, point[i].a[1]);
            CHECK_NEAR(point[i].gap, -1e-9, 1e-14);
            CHECK(point[i].a[0] <= 1 + 1e-12);
        }
        CHECK(n > 40 && most > 0.39 && least < -0.39);
        CHECK(k == 1 || n == 100);
        CHECK(k == 0 || x < 0.9);
    }
    cd_hull_destroy(hull);
}

int main(void)
{
    RUN(flat_contacts());
    RUN(crossing_edges());
    RUN(rocking_block());
    RUN(parallel_capsules());
    RUN(large_ground());
    RUN(hull_with_large_faces());
    return test_end();
}
