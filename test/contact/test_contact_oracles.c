// SPDX-License-Identifier: BSD-3-Clause
// Pairs of convex shapes against ODE (overlap or not, and depth) and FCL (overlap or not, and distance) in random poses. Where
// they differ from Cardan, brute force decides: for shapes apart the separation along the normal, which proves the distance; for
// an overlap the largest separation along sampled directions that are improved step by step. Tests are skipped where ODE or FCL
// is not installed.
// CARDAN_TEST_ALL=1: a million poses per pair, else ten thousand.
#include "contact/shape/hull.h"
#include "contact/shape/shape.h"
#include "random_shapes.h"
#include "test.h"

#include <stdlib.h>
#ifdef TEST_HAS_ODE
#include <ode/ode.h>
#endif

typedef struct scene {
    cd_shape_geometry A, B;
    cd_shape_pose     a, b;
} scene;

typedef struct tally {
    int    poses, given_up, same, differ, refuted;
    double worst; // of the poses where both agree
} tally;

static d3 support(const cd_shape_geometry* g, const cd_shape_pose* pose, d3 n)
{
    uint32_t             feature;
    const cd_shape_type* type = cd_shape_type_of(g);
    const d3             x    = type->support(g, d3_rotate_back(pose->R, n), &feature);
    return d3_add_scaled(d3_add(d3_rotate(pose->R, x), d3_of(pose->p)), type->offset(g), n);
}
static double separation(const scene* s, d3 n)
{
    return d3_dot(n, d3_sub(support(&s->A, &s->a, d3_neg(n)), support(&s->B, &s->b, n)));
}

static double sampled_separation(const scene* s, shape_dice* d)
{
    double most = -INFINITY;
    for (int k = 0; k < 30; ++k) {
        d3     n     = shape_direction(d);
        double value = separation(s, n);
        for (double step = 0.5; step > 1e-5;) {
            const d3     next = d3_unit(d3_add_scaled(n, step, shape_direction(d)));
            const double q    = separation(s, next);
            if (q > value)
                n = next, value = q;
            else
                step *= 0.9;
        }
        most = fmax(most, value);
    }
    return most;
}

static double least_gap(const scene* s, d3* n)
{
    cd_contact_point point[CD_CONTACT_POINTS_MAX];
    const int        count = cd_collide(&s->A, &s->a, &s->B, &s->b, 20, NULL, point, CD_CONTACT_POINTS_MAX);
    double           gap   = INFINITY;
    for (int i = 0; i < count; ++i)
        if (point[i].gap < gap) gap = point[i].gap, *n = d3_of(point[i].normal);
    return gap;
}

// Gaps of both; the depth of an overlap along the axis of a face may be larger by 1e-3 than the least one.
static void judge(const scene* s, shape_dice* d, double gap, d3 n, double other, tally* t)
{
    ++t->poses;
    if (!isfinite(other)) {
        ++t->given_up;
        return;
    }
    const double error = fabs(gap - other);
    if (error <= 1e-6 + (gap < 0 ? 1e-3 * fabs(gap) : 0)) {
        ++t->same;
        t->worst = fmax(t->worst, error);
        return;
    }
    ++t->differ;
    if (fabs(separation(s, n) - gap) > 1e-10) ++t->refuted;
    if (gap < 0 && sampled_separation(s, d) > gap * (1 - 2e-3) + 1e-9) ++t->refuted;
}

static void report(const char* name, const scene* s, const tally* t)
{
    if (getenv("TEST_VERBOSE"))
        printf("%s %s-%s: %d poses, %d the same within %.1e, %d differ, %d given up, %d refuted\n", name,
               cd_shape_type_of(&s->A)->name, cd_shape_type_of(&s->B)->name, t->poses, t->same, t->worst, t->differ,
               t->given_up, t->refuted);
    CHECK(t->refuted == 0);
    CHECK(t->same > t->poses / 2);
}

static scene random_scene(shape_dice* d, cd_shape_kind A, cd_shape_kind B)
{
    scene s = {random_shape(d, A), random_shape(d, B), random_shape_pose(d, 1.2), random_shape_pose(d, 1.2)};
    for (int i = 0; i < 2; ++i) { // the others have no rounding
        cd_shape_geometry* g = i ? &s.B : &s.A;
        g->rounding          = 0;
    }
    return s;
}

#ifdef TEST_HAS_ODE
static dGeomID ode_geometry(const cd_shape_geometry* g, const cd_shape_pose* pose)
{
    dGeomID id = NULL;
    if (g->kind == CD_SHAPE_SPHERE) id = dCreateSphere(NULL, g->size[0]);
    if (g->kind == CD_SHAPE_CAPSULE) id = dCreateCapsule(NULL, g->size[0], 2 * g->size[1]);
    if (g->kind == CD_SHAPE_BOX) id = dCreateBox(NULL, 2 * g->size[0], 2 * g->size[1], 2 * g->size[2]);
    if (g->kind == CD_SHAPE_CYLINDER) id = dCreateCylinder(NULL, g->size[0], 2 * g->size[1]);
    dMatrix3 R = {0};
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) R[4 * i + j] = pose->R[3 * i + j];
    dGeomSetPosition(id, pose->p[0], pose->p[1], pose->p[2]);
    dGeomSetRotation(id, R);
    return id;
}

// Depth along the deepest contact as a negative gap; apart: the gap of Cardan where that is positive, so that only the sign is
// compared.
static double ode_gap(const scene* s, double gap)
{
    dContactGeom contact[32];
    dGeomID      A = ode_geometry(&s->A, &s->a), B = ode_geometry(&s->B, &s->b);
    const int    n    = dCollide(A, B, 32, contact, sizeof *contact);
    double       deep = 0;
    for (int i = 0; i < n; ++i) deep = fmax(deep, contact[i].depth);
    dGeomDestroy(A);
    dGeomDestroy(B);
    return n == 0 ? fmax(gap, 0) : -deep;
}

static void ode_pair(cd_shape_kind A, cd_shape_kind B)
{
    shape_dice d     = {.state = 31u + 100u * (unsigned)A + (unsigned)B};
    const int  count = getenv("CARDAN_TEST_ALL") ? 1000000 : 10000;
    tally      t     = {0};
    scene      s     = {.A = {.kind = A}, .B = {.kind = B}};
    for (int k = 0; k < count; ++k) {
        d3 n;
        s                = random_scene(&d, A, B);
        const double gap = least_gap(&s, &n);
        judge(&s, &d, gap, n, ode_gap(&s, gap), &t);
    }
    report("ODE", &s, &t);
}

static void ode(void)
{
    static const cd_shape_kind pair[][2] = {{CD_SHAPE_SPHERE, CD_SHAPE_SPHERE},   {CD_SHAPE_CAPSULE, CD_SHAPE_SPHERE},
                                            {CD_SHAPE_BOX, CD_SHAPE_SPHERE},      {CD_SHAPE_CYLINDER, CD_SHAPE_SPHERE},
                                            {CD_SHAPE_CAPSULE, CD_SHAPE_CAPSULE}, {CD_SHAPE_BOX, CD_SHAPE_CAPSULE},
                                            {CD_SHAPE_BOX, CD_SHAPE_BOX},         {CD_SHAPE_CYLINDER, CD_SHAPE_BOX}};
    dInitODE2(0);
    for (size_t i = 0; i < sizeof pair / sizeof *pair; ++i) ode_pair(pair[i][0], pair[i][1]);
    dCloseODE();
}
#endif

#ifdef TEST_HAS_FCL
double fcl_distance(const int kind[2], const double* const size[2], const double* const R[2], const double* const p[2],
                    const int nvertex[2], const double* const vertex[2], const int nface[2], const int* const faces[2],
                    const int nindex[2]);

enum { INDICES = 1000 };
static int face_list(const cd_shape_geometry* g, int list[INDICES])
{
    const cd_polyhedron* p = g->hull ? &g->hull->p : NULL;
    int                  n = 0;
    for (int f = 0; p && f < p->nface; ++f) {
        list[n++] = p->face_start[f + 1] - p->face_start[f];
        for (int i = p->face_start[f]; i < p->face_start[f + 1]; ++i) list[n++] = p->face_vertex[i];
    }
    return n;
}

// Distance; for an overlap the gap of Cardan where that is negative, so that only the sign is compared.
static double fcl_gap(const scene* s, double gap)
{
    static int               list[2][INDICES];
    const cd_shape_geometry* g[2] = {&s->A, &s->B};
    int                      kind[2], nvertex[2] = {0}, nface[2] = {0}, nindex[2];
    const double*            vertex[2] = {NULL, NULL};
    for (int i = 0; i < 2; ++i) {
        kind[i]   = (int)g[i]->kind;
        nindex[i] = face_list(g[i], list[i]);
        if (!g[i]->hull) continue;
        nvertex[i] = g[i]->hull->p.nvertex;
        vertex[i]  = g[i]->hull->p.vertex->e;
        nface[i]   = g[i]->hull->p.nface;
    }
    const double distance = fcl_distance(kind, (const double*[]){s->A.size, s->B.size},
                                         (const double*[]){s->a.R, s->b.R}, (const double*[]){s->a.p, s->b.p}, nvertex,
                                         vertex, nface, (const int*[]){list[0], list[1]}, nindex);
    return distance < 0 ? fmin(gap, 0) : distance;
}

static void fcl_pair(cd_shape_kind A, cd_shape_kind B)
{
    shape_dice d     = {.state = 47u + 100u * (unsigned)A + (unsigned)B};
    const int  count = getenv("CARDAN_TEST_ALL") ? 1000000 : 10000;
    tally      t     = {0};
    scene      s     = {.A = {.kind = A}, .B = {.kind = B}};
    for (int k = 0; k < count; ++k) {
        d3 n;
        s                = random_scene(&d, A, B);
        const double gap = least_gap(&s, &n);
        judge(&s, &d, gap, n, fcl_gap(&s, gap), &t);
        random_shape_free(&s.A), random_shape_free(&s.B);
    }
    report("FCL", &s, &t);
}

static void fcl(void)
{
    for (int A = 0; A < CD_SHAPE_PLANE; ++A)
        for (int B = 0; B <= A; ++B)
            if (A != CD_SHAPE_TORUS && B != CD_SHAPE_TORUS) fcl_pair((cd_shape_kind)A, (cd_shape_kind)B);
}
#endif

int main(void)
{
#ifdef TEST_HAS_ODE
    RUN(ode());
#else
    printf("skipped: ODE is not installed\n");
    ++test_skipped;
#endif
#ifdef TEST_HAS_FCL
    RUN(fcl());
#else
    printf("skipped: FCL is not installed\n");
    ++test_skipped;
#endif
    return test_end();
}
