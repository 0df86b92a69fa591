// SPDX-License-Identifier: BSD-3-Clause
// Properties of the contact points of every pair of convex shapes and tori, in random and in aligned poses: exchange of A and B,
// motion of the world, scaling, motion by the gap, keys under a small motion, cache of the pair, the circle of a torus by sampling.
#include "contact/shape/hull.h"
#include "random_shapes.h"
#include "test.h"

#include <stdlib.h>

typedef struct scene {
    cd_shape_geometry A, B;
    cd_shape_pose     a, b;
} scene;

static int collide(const scene* s, cd_contact_point* point)
{
    return cd_collide(&s->A, &s->a, &s->B, &s->b, 20, NULL, point, CD_CONTACT_POINTS_MAX);
}

static const cd_contact_point* least(const cd_contact_point* point, int n)
{
    const cd_contact_point* best = n ? point : NULL;
    for (int i = 1; i < n; ++i)
        if (point[i].gap < best->gap) best = &point[i];
    return best;
}

static void rotate_pose(const double R[9], cd_shape_pose* pose)
{
    double S[9];
    for (int i = 0; i < 3; ++i) {
        const d3 column = d3_rotate(R, d3_column(pose->R, i));
        for (int k = 0; k < 3; ++k) S[3 * k + i] = column.e[k];
    }
    memcpy(pose->R, S, sizeof S);
    d3_put(d3_rotate(R, d3_of(pose->p)), pose->p);
}

// Axes of A parallel to those of B, turned about z by any angle or (exact) not at all.
static void align(shape_dice* d, bool exact, cd_shape_pose* a, const cd_shape_pose* b)
{
    double    S[9], T[9];
    const int quarter = exact ? 0 : (int)(4 * shape_unit(d));
    shape_rotation(d3_axis((int)(3 * shape_unit(d))), CD_PI / 2 * quarter, S);
    shape_rotation(d3_axis(2), exact ? 0 : shape_range(d, -CD_PI, CD_PI), T);
    for (int i = 0; i < 3; ++i) {
        const d3 column = d3_rotate(b->R, d3_rotate(T, d3_column(S, i)));
        for (int k = 0; k < 3; ++k) a->R[3 * k + i] = column.e[k];
    }
    if (exact)
        d3_put(d3_add(d3_of(b->p), d3_scale(shape_range(d, 0.2, 1.5), d3_column(b->R, (int)(3 * shape_unit(d))))),
               a->p);
}

// The hull of a geometry is scaled by making it anew.
static cd_hull* scaled_hull(const cd_hull* hull, double s)
{
    double      point[3 * 200];
    const char* reason;
    for (int i = 0; i < hull->p.nvertex; ++i) d3_put(d3_scale(s, hull->p.vertex[i]), point + 3 * i);
    return cd_hull_create(hull->p.nvertex, point, 0, &reason);
}

// The same gap, and the same normal where that is unique.
static bool same(const cd_contact_point* p, const cd_contact_point* q, bool unique)
{
    return fabs(p->gap - q->gap) <= 1e-10 && (!unique || d3_norm(d3_sub(d3_of(p->normal), d3_of(q->normal))) <= 1e-6);
}
static bool is_unique(const scene* s, const cd_contact_point* p)
{
    return p->gap > 0 && s->A.kind != CD_SHAPE_TORUS && s->B.kind != CD_SHAPE_TORUS;
}

static bool exchanged(const scene* s, const cd_contact_point* p)
{
    const scene      t = {s->B, s->A, s->b, s->a};
    cd_contact_point point[CD_CONTACT_POINTS_MAX];
    cd_contact_point q = *least(point, collide(&t, point));
    for (int i = 0; i < 3; ++i) q.normal[i] = -q.normal[i];
    return same(p, &q, is_unique(s, p));
}

static bool moved(const scene* s, shape_dice* d, const cd_contact_point* p)
{
    scene            t = *s;
    double           R[9];
    cd_contact_point point[CD_CONTACT_POINTS_MAX];
    shape_random_rotation(d, R);
    rotate_pose(R, &t.a), rotate_pose(R, &t.b);
    for (int i = 0; i < 3; ++i) t.a.p[i] += 2, t.b.p[i] += 2;
    cd_contact_point q = *least(point, collide(&t, point));
    d3_put(d3_rotate_back(R, d3_of(q.normal)), q.normal);
    return same(p, &q, is_unique(s, p));
}

static bool scaled(const scene* s, double factor, const cd_contact_point* p)
{
    scene            t = *s;
    cd_contact_point point[CD_CONTACT_POINTS_MAX];
    for (int i = 0; i < 3; ++i) t.A.size[i] *= factor, t.B.size[i] *= factor, t.a.p[i] *= factor, t.b.p[i] *= factor;
    t.A.rounding *= factor, t.B.rounding *= factor;
    if (t.A.hull) t.A.hull = scaled_hull(s->A.hull, factor);
    if (t.B.hull) t.B.hull = scaled_hull(s->B.hull, factor);
    if ((s->A.hull && !t.A.hull) || (s->B.hull && !t.B.hull)) return !cd_hull_is_available();
    const int        n = cd_collide(&t.A, &t.a, &t.B, &t.b, 20 * factor, NULL, point, CD_CONTACT_POINTS_MAX);
    cd_contact_point q = *least(point, n);
    q.gap /= factor;
    if (t.A.hull) random_shape_free(&t.A);
    if (t.B.hull) random_shape_free(&t.B);
    return same(p, &q, is_unique(s, p));
}

// A moved by -gap n touches: no gap. The axis of a face is preferred to that of two edges with an overlap smaller by 1e-3. A torus
// may overlap elsewhere then.
static bool gap_is_motion(const scene* s, const cd_contact_point* p)
{
    scene            t = *s;
    cd_contact_point point[CD_CONTACT_POINTS_MAX];
    for (int i = 0; i < 3; ++i) t.a.p[i] -= p->gap * p->normal[i];
    const cd_contact_point* q = least(point, collide(&t, point));
    if (p->gap < 0 && (s->A.kind == CD_SHAPE_TORUS || s->B.kind == CD_SHAPE_TORUS)) return true;
    return q && fabs(q->gap) <= 1e-10 + (p->gap < 0 ? 2e-3 * fabs(p->gap) : 0);
}

// Keys that are found again after a small motion.
static int keys_found(const scene* s, const cd_contact_point* point, int n)
{
    scene            t = *s;
    cd_contact_point other[CD_CONTACT_POINTS_MAX];
    int              found = 0;
    for (int i = 0; i < 3; ++i) t.a.p[i] += 1e-8 * (i + 1);
    const int m = collide(&t, other);
    for (int i = 0; i < n; ++i) {
        bool again = false;
        for (int k = 0; k < m; ++k)
            again |= other[k].key == point[i].key && d3_norm(d3_sub(d3_of(other[k].a), d3_of(point[i].a))) < 1e-5;
        found += again;
    }
    return found;
}

static bool keys_differ(const cd_contact_point* point, int n)
{
    for (int i = 0; i < n; ++i)
        for (int k = 0; k < i; ++k)
            if (point[i].key == point[k].key) return false;
    return true;
}

// Distance of the circle of a torus A from B by sampling.
static bool circle_by_sampling(const scene* s, const cd_contact_point* p)
{
    const cd_shape_type* type           = cd_shape_type_of(&s->B);
    double               least_distance = INFINITY;
    for (int k = 0; k < 2000; ++k) {
        const double angle = 2 * CD_PI / 2000 * k;
        const d3     local = {{s->A.size[0] * cos(angle), s->A.size[0] * sin(angle), 0}};
        const d3     x     = d3_add(d3_rotate(s->a.R, local), d3_of(s->a.p));
        d3           point, normal;
        uint32_t     feature;
        least_distance = fmin(least_distance, type->nearest(&s->B, d3_rotate_back(s->b.R, d3_sub(x, d3_of(s->b.p))),
                                                            &point, &normal, &feature));
    }
    const double gap = least_distance - s->A.size[1] - type->offset(&s->B);
    return p->gap <= gap + 1e-12 && p->gap >= gap - 2e-3; // the samples are 3e-3 apart
}

// Small motions with a cache of the pair: the results are those without it.
static bool cache_changes_nothing(const scene* s, shape_dice* d)
{
    scene            t     = *s;
    cd_pair_cache    cache = {.valid = false};
    cd_contact_point with[CD_CONTACT_POINTS_MAX], without[CD_CONTACT_POINTS_MAX];
    for (int k = 0; k < 6; ++k) {
        const int n = cd_collide(&t.A, &t.a, &t.B, &t.b, 20, &cache, with, CD_CONTACT_POINTS_MAX);
        const int m = collide(&t, without);
        if (!n || !m) return false;
        const cd_contact_point *p = least(with, n), *q = least(without, m);
        if (q->gap > 0 && (n != m || !same(p, q, is_unique(s, q)))) return false;
        if (fabs(p->gap - q->gap) > 1e-10 + 2e-3 * fabs(q->gap)) return false;
        double R[9];
        shape_rotation(shape_direction(d), 0.05, R);
        rotate_pose(R, &t.a);
    }
    return true;
}

static void pair_of_shapes(cd_shape_kind A, cd_shape_kind B)
{
    shape_dice d    = {.state = 55u + 100u * (unsigned)A + (unsigned)B};
    int        keys = 0, points = 0;
    const int  count    = getenv("CARDAN_TEST_ALL") ? 20000 : 150;
    int        wrong[9] = {0};
    for (int k = 0; k < count; ++k) {
        scene s = {random_shape(&d, A), random_shape(&d, B), random_shape_pose(&d, 1.2), random_shape_pose(&d, 1.2)};
        if (k % 3 == 1) align(&d, false, &s.a, &s.b);
        if (k % 15 == 2) align(&d, true, &s.a, &s.b);
        cd_contact_point        point[CD_CONTACT_POINTS_MAX];
        const int               n = collide(&s, point);
        const cd_contact_point* p = least(point, n);
        wrong[0] += !p;
        if (p && !p->doubtful) {
            wrong[1] += !exchanged(&s, p);
            wrong[2] += !moved(&s, &d, p);
            wrong[3] += !scaled(&s, 1e6, p);
            wrong[4] += !scaled(&s, 1e-6, p);
            wrong[5] += !gap_is_motion(&s, p);
            wrong[6] += !keys_differ(point, n);
        }
        wrong[8] += k % 15 != 2 && !cache_changes_nothing(&s, &d);
        if (p && A == CD_SHAPE_TORUS) wrong[7] += !circle_by_sampling(&s, p);
        if (k % 15 != 2 && p && !p->doubtful) { // on a common axis the place on a circle is not unique
            keys += keys_found(&s, point, n);
            points += n;
        }
        random_shape_free(&s.A), random_shape_free(&s.B);
    }
    if (getenv("TEST_VERBOSE"))
        printf("%s-%s: %d points, keys found again %.4f; wrong: none %d, exchange %d, motion %d, scaling %d %d, gap "
               "%d, keys %d, circle %d, cache %d\n",
               cd_shape_type_at((int)A)->name, cd_shape_type_at((int)B)->name, points, (double)keys / points, wrong[0],
               wrong[1], wrong[2], wrong[3], wrong[4], wrong[5], wrong[6], wrong[7], wrong[8]);
    for (int i = 0; i < 9; ++i) CHECK(wrong[i] == 0);
    CHECK(keys >= 0.995 * points);
}

static void properties(void)
{
    for (int A = 0; A < CD_SHAPE_PLANE; ++A)
        for (int B = 0; B < CD_SHAPE_PLANE; ++B)
            if (A >= B || A == CD_SHAPE_TORUS) pair_of_shapes((cd_shape_kind)A, (cd_shape_kind)B);
}

int main(void)
{
    RUN(properties());
    return test_end();
}
