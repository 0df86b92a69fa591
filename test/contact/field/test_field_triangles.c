// SPDX-License-Identifier: BSD-3-Clause
// Height fields of triangles: the same surface as a mesh of their triangles, in topology, contact points and flags of edges.
#include "contact/field/surface_field.h"

#include "random_shapes.h"
#include "test.h"

enum { NX = 17, NY = 13 };

static double hills(double x, double y)
{
    return x < -0.5 ? 0.1 : 0.2 * sin(3 * x + 0.4) * cos(4 * y) + 0.1 * x * y; // a flat part, a step, hills
}

static cd_height_field* make_field(void)
{
    const char* reason;
    double      z[NX * NY];
    for (int k = 0; k < NX * NY; ++k) z[k] = hills(-1 + 2.0 / (NX - 1) * (k % NX), -1 + 2.0 / (NY - 1) * (k / NX));
    return cd_height_field_create(&(cd_field_description){.kind = CD_FIELD_TRIANGLES,
                                                          .nx   = NX,
                                                          .ny   = NY,
                                                          .x0   = -1,
                                                          .y0   = -1,
                                                          .dx   = 2.0 / (NX - 1),
                                                          .dy   = 2.0 / (NY - 1),
                                                          .z    = z},
                                  &reason);
}

static cd_triangle_mesh* mesh_of(const cd_height_field* f)
{
    const int   n = 2 * f->cells_x * f->cells_y;
    double*     x = calloc((size_t)n * 9, sizeof *x);
    int*        t = calloc((size_t)n * 3, sizeof *t);
    const char* reason;
    for (int k = 0; k < n; ++k) {
        d3 corner[3];
        cd_field_corners(f, k, corner);
        for (int i = 0; i < 3; ++i) d3_put(corner[i], x + 9 * k + 3 * i), t[3 * k + i] = 3 * k + i;
    }
    cd_triangle_mesh* mesh = cd_triangle_mesh_create(3 * n, x, n, t, &reason);
    free(x);
    free(t);
    return mesh;
}

// Neighbours over every edge, and the shorter diagonal in every cell.
static void check_topology(void)
{
    cd_height_field*  f    = make_field();
    cd_triangle_mesh* mesh = mesh_of(f);
    const cd_surface  a = cd_surface_of_field(f), b = cd_surface_of_mesh(mesh);
    int               count[4] = {0};
    for (int k = 0; k < mesh->ntriangle; ++k) {
        cd_surface_triangle s, t;
        a.triangle(a.data, k, &s);
        b.triangle(b.data, k, &t);
        for (int i = 0; i < 3; ++i) {
            CHECK(d3_norm(d3_sub(s.corner[i], t.corner[i])) == 0);
            CHECK(d3_norm(d3_sub(s.inward[i], t.inward[i])) < 1e-15);
            CHECK(d3_norm(d3_sub(s.across[i], t.across[i])) < 1e-15);
            CHECK(s.dihedral[i] == t.dihedral[i]);
            CHECK(a.sharp(a.data, s.vertex[i]) == b.sharp(b.data, t.vertex[i]));
            ++count[s.dihedral[i]];
            d3        end[2];
            const d3 *p = &s.corner[i], *q = &s.corner[(i + 1) % 3];
            cd_field_edge(f, s.side[i], end);
            CHECK(d3_norm(d3_sub(d3_add(end[0], end[1]), d3_add(*p, *q))) < 1e-15);
            d3          along[CD_SPOKES_MAX];
            cd_dihedral dihedral[CD_SPOKES_MAX];
            const int   n = a.spokes(a.data, s.vertex[i], CD_SPOKES_MAX, along, dihedral);
            CHECK(n == b.spokes(b.data, t.vertex[i], CD_SPOKES_MAX, along, dihedral) && n >= 2);
            // no diagonal is longer than the other one of its cell
            const d3 shift = d3_sub(*q, *p);
            if (shift.e[0] == 0 || shift.e[1] == 0) continue;
            const double  x = 0.5 * (p->e[0] + q->e[0]) + 1, y = 0.5 * (p->e[1] + q->e[1]) + 1;
            const int     i0 = (int)(x / f->d.dx), j0 = (int)(y / f->d.dy);
            const double* z = f->d.z + j0 * NX + i0;
            CHECK(fabs(shift.e[2]) <= fmin(fabs(z[0] - z[NX + 1]), fabs(z[1] - z[NX])) + 1e-15);
        }
    }
    for (int i = 0; i < 4; ++i) CHECK(count[i] > 20);
    cd_triangle_mesh_destroy(mesh);
    cd_height_field_destroy(f);
}

static bool listed(const cd_contact_point* p, const cd_contact_point* all, int n)
{
    for (int i = 0; i < n; ++i) {
        if (d3_norm(d3_sub(d3_of(p->b), d3_of(all[i].b))) > 1e-12 || fabs(p->gap - all[i].gap) > 1e-12) continue;
        if (d3_norm(d3_sub(d3_of(p->normal), d3_of(all[i].normal))) < 1e-12) return true;
    }
    return false;
}

static void check_contacts(cd_shape_kind kind)
{
    cd_height_field*        f    = make_field();
    cd_triangle_mesh*       mesh = mesh_of(f);
    const cd_shape_geometry a = {.kind = CD_SHAPE_HEIGHT_FIELD, .field = f}, b = {.kind = CD_SHAPE_MESH, .mesh = mesh};
    shape_dice              dice  = {(uint64_t)kind + 7};
    int                     total = 0;
    const int               cases = test_cases(100, 50000);
    for (int k = 0; k < cases && !test_broken; ++k) {
        cd_shape_geometry   g    = random_shape(&dice, kind);
        const cd_shape_pose pose = random_shape_pose(&dice, 0.8);
        cd_contact_point    p[CD_CONTACT_POINTS_MAX], q[CD_CONTACT_POINTS_MAX];
        const int           n = cd_collide(&g, &pose, &a, &shape_identity, 0.05, NULL, p, CD_CONTACT_POINTS_MAX);
        CHECK(n == cd_collide(&g, &pose, &b, &shape_identity, 0.05, NULL, q, CD_CONTACT_POINTS_MAX));
        if (n < CD_CONTACT_POINTS_MAX)
            for (int i = 0; i < n; ++i) CHECK(listed(&p[i], q, n));
        total += n;
        if (kind == CD_SHAPE_HULL) random_shape_free(&g);
    }
    CHECK(total > cases / 2);
    cd_triangle_mesh_destroy(mesh);
    cd_height_field_destroy(f);
}

int main(void)
{
    RUN(check_topology());
    for (cd_shape_kind kind = CD_SHAPE_SPHERE; kind <= CD_SHAPE_HULL; ++kind) RUN(check_contacts(kind));
    return test_end();
}
