// SPDX-License-Identifier: BSD-3-Clause
// Derivatives of contact points against central differences, for every pair of shapes in random and in aligned poses, and against
// closed forms.
#include "contact/shape/hull.h"
#include "random_shapes.h"
#include "test.h"

#include <stdlib.h>

// Pose of a shape after the motion number j of 6 (rotation about an axis through the centre, translation) by the amount s.
static cd_shape_pose moved(const cd_shape_pose* pose, d3 centre, int j, double s)
{
    cd_shape_pose q = *pose;
    if (j < 3) {
        double S[9];
        shape_rotation(d3_axis(j), s, S);
        for (int i = 0; i < 3; ++i) {
            const d3 column = d3_rotate(S, d3_column(pose->R, i));
            for (int k = 0; k < 3; ++k) q.R[3 * k + i] = column.e[k];
        }
        d3_put(d3_add(centre, d3_rotate(S, d3_sub(d3_of(pose->p), centre))), q.p);
    } else {
        q.p[j - 3] += s;
    }
    return q;
}

static const cd_contact_point* find(const cd_contact_point* point, int n, const cd_contact_point* like)
{
    for (int i = 0; i < n; ++i)
        if (point[i].key == like->key && d3_norm(d3_sub(d3_of(point[i].a), d3_of(like->a))) < 1e-2) return &point[i];
    return NULL;
}

typedef struct pair_poses {
    const cd_shape_geometry *A, *B;
    cd_shape_pose            a, b;
} pair_poses;

// The contact point after motion j of 12 by s; false: its features do not touch there.
static bool after(const pair_poses* q, const cd_contact_point* point, int j, double s, cd_contact_point* found)
{
    const d3            centre = d3_scale(0.5, d3_add(d3_of(point->a), d3_of(point->b)));
    const cd_shape_pose a      = j < 6 ? moved(&q->a, centre, j, s) : q->a,
                        b      = j < 6 ? q->b : moved(&q->b, centre, j - 6, s);
    cd_contact_point        all[CD_CONTACT_POINTS_MAX];
    const int               n = cd_collide(q->A, &a, q->B, &b, 10, NULL, all, CD_CONTACT_POINTS_MAX);
    const cd_contact_point* p = find(all, n, point);
    if (p) *found = *p;
    return p != NULL;
}

// Gap, normal and middle of a contact point.
static void values(const cd_contact_point* p, double v[7])
{
    v[0] = p->gap;
    for (int i = 0; i < 3; ++i) v[1 + i] = p->normal[i], v[4 + i] = (p->a[i] + p->b[i]) / 2;
}

// Central differences for motion j, extrapolated from two steps; false: the features change.
static bool difference(const pair_poses* q, const cd_contact_point* point, int j, double d[7])
{
    const double h = 1e-5;
    double       slope[2][7];
    for (int k = 0; k < 2; ++k) {
        cd_contact_point up, down;
        double           u[7], v[7];
        if (!after(q, point, j, (k + 1) * h, &up) || !after(q, point, j, -(k + 1) * h, &down)) return false;
        values(&up, u), values(&down, v);
        for (int i = 0; i < 7; ++i) slope[k][i] = (u[i] - v[i]) / (2 * (k + 1) * h);
    }
    for (int i = 0; i < 7; ++i) d[i] = (4 * slope[0][i] - slope[1][i]) / 3;
    return true;
}

// 1: derivatives agree; 0: a key changes within the step, or the derivative is not defined; -1: they differ
static int compare(const pair_poses* q, const cd_contact_point* point, double* worst)
{
    cd_contact_rates rates;
    if (point->doubtful && (q->A->kind == CD_SHAPE_TORUS || q->B->kind == CD_SHAPE_TORUS))
        return 0; // the circle is inside
    if (!cd_contact_derivative(q->A, &q->a, q->B, &q->b, point, &rates)) return 0;
    double scale = 1;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 12; ++j) scale = fmax(scale, fmax(fabs(rates.normal[i][j]), fabs(rates.point[i][j])));
    if (scale > 30) return 0; // nearly not unique
    for (int j = 0; j < 12; ++j) {
        double d[7];
        if (!difference(q, point, j, d)) return 0;
        double error = fabs(d[0] - rates.gap[j]);
        for (int i = 0; i < 3; ++i)
            error = fmax(error, fmax(fabs(d[1 + i] - rates.normal[i][j]), fabs(d[4 + i] - rates.point[i][j])));
        *worst = fmax(*worst, error / scale);
        if (error <= 1e-6 * scale) continue;
        printf("motion %d, features %x %x, gap %g: off by %g, scale %g\n", j, cd_contact_feature(point, 0),
               cd_contact_feature(point, 1), point->gap, error, scale);
        return -1;
    }
    return 1;
}

// Orientation of A whose axes are parallel to those of B up to a small tilt, turned about z by any angle.
static void align(shape_dice* d, cd_shape_pose* a, const cd_shape_pose* b)
{
    double S[9], T[9], U[9];
    shape_rotation(d3_axis((int)(3 * shape_unit(d))), CD_PI / 2 * (int)(4 * shape_unit(d)), S);
    shape_rotation(d3_axis(2), shape_range(d, -CD_PI, CD_PI), T);
    shape_rotation(shape_direction(d), 4e-4 * shape_unit(d), U);
    for (int i = 0; i < 3; ++i) {
        const d3 column = d3_rotate(b->R, d3_rotate(U, d3_rotate(T, d3_column(S, i))));
        for (int k = 0; k < 3; ++k) a->R[3 * k + i] = column.e[k];
    }
}

static void check_pair(cd_shape_kind A, cd_shape_kind B, int count)
{
    shape_dice d       = {.state = 17u + 100u * (unsigned)A + (unsigned)B};
    int        checked = 0, failed = 0;
    double     worst = 0;
    for (int k = 0; k < count; ++k) {
        cd_shape_geometry g = random_shape(&d, A), h = random_shape(&d, B);
        pair_poses        q = {&g, &h, random_shape_pose(&d, 1), random_shape_pose(&d, 1)};
        if (k % 3 == 0) align(&d, &q.a, &q.b);
        cd_contact_point point[CD_CONTACT_POINTS_MAX];
        const int        n = cd_collide(&g, &q.a, &h, &q.b, 10, NULL, point, CD_CONTACT_POINTS_MAX);
        for (int i = 0; i < n; ++i) {
            const int result = compare(&q, &point[i], &worst);
            checked += result > 0;
            failed += result < 0;
        }
        random_shape_free(&g);
        random_shape_free(&h);
    }
    if (getenv("TEST_VERBOSE"))
        printf("%s-%s: %d points, worst %.1e\n", cd_shape_type_at((int)A)->name, cd_shape_type_at((int)B)->name,
               checked, worst);
    CHECK(failed == 0);
    CHECK(checked > count / 3);
}

static void finite_differences(void)
{
    for (int A = 0; A <= CD_SHAPE_PLANE; ++A)
        for (int B = 0; B <= CD_SHAPE_PLANE; ++B)
            if (cd_can_collide((cd_shape_kind)A, (cd_shape_kind)B)) check_pair((cd_shape_kind)A, (cd_shape_kind)B, 40);
}

static const cd_shape_pose identity = {{1, 0, 0, 0, 1, 0, 0, 0, 1}, {0, 0, 0}};

// A sphere that rolls on a plane at rest: n' = 0, the point moves with the centre.
static void sphere_on_plane(void)
{
    const cd_shape_geometry sphere = {.kind = CD_SHAPE_SPHERE, .size = {0.3}}, plane = {.kind = CD_SHAPE_PLANE};
    cd_shape_pose           pose = identity;
    cd_contact_point        point;
    cd_contact_rates        rates;
    pose.p[2] = 0.3;
    CHECK(cd_collide(&sphere, &pose, &plane, &identity, 1, NULL, &point, 1) == 1);
    CHECK(cd_contact_derivative(&sphere, &pose, &plane, &identity, &point, &rates));
    CHECK_NEAR(rates.point[0][1], 0.3, 1e-14); // w_y turns the centre by r w_y about the contact
    CHECK_NEAR(rates.point[0][3], 1, 1e-14);
    CHECK_NEAR(rates.gap[5], 1, 1e-14);
    CHECK_NEAR(rates.gap[11], -1, 1e-14);
    CHECK_NEAR(rates.normal[0][1], 0, 1e-14);
    CHECK_NEAR(rates.normal[0][7], 1, 1e-14); // n turns with the plane
}

// Two spheres: n' = (v_A - v_B)/(r + s) across n, where both rotate about the contact.
static void sphere_on_sphere(void)
{
    const cd_shape_geometry A = {.kind = CD_SHAPE_SPHERE, .size = {0.3}}, B = {.kind = CD_SHAPE_SPHERE, .size = {0.7}};
    cd_shape_pose           pose = identity;
    cd_contact_point        point;
    cd_contact_rates        rates;
    pose.p[2] = 1;
    CHECK(cd_collide(&A, &pose, &B, &identity, 1, NULL, &point, 1) == 1);
    CHECK(cd_contact_derivative(&A, &pose, &B, &identity, &point, &rates));
    CHECK_NEAR(rates.normal[0][3], 1, 1e-13);
    CHECK_NEAR(rates.normal[0][1], 0.3, 1e-13);  // the centre of A moves by 0.3 w_y
    CHECK_NEAR(rates.normal[0][7], 0.7, 1e-13);  // that of B by -0.7 w_y
    CHECK_NEAR(rates.point[0][1], 0.21, 1e-13);  // the contact is at 0.7 of the distance
    CHECK_NEAR(rates.point[0][7], -0.21, 1e-13); // and moves by -0.7 + 0.7^2
}

// Concentric circles have no derivative: the normal is not unique.
static void not_defined(void)
{
    const cd_shape_geometry torus  = {.kind = CD_SHAPE_TORUS, .size = {1, 0.1}},
                            sphere = {.kind = CD_SHAPE_SPHERE, .size = {0.5}};
    cd_contact_point point;
    cd_contact_rates rates;
    CHECK(cd_collide(&torus, &identity, &sphere, &identity, 1, NULL, &point, 1) == 1);
    CHECK(!cd_contact_derivative(&torus, &identity, &sphere, &identity, &point, &rates));
}

int main(void)
{
    RUN(sphere_on_plane());
    RUN(sphere_on_sphere());
    RUN(not_defined());
    RUN(finite_differences());
    return test_end();
}
