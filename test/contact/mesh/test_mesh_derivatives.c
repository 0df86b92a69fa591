// SPDX-License-Identifier: BSD-3-Clause
// Derivatives of contact points with meshes and height fields of triangles against central differences, at faces,
// edges, vertices and cut edges.
#include "contact/field/surface_field.h"

#include "random_shapes.h"
#include "surface_patch.h"
#include "test.h"

static double bumps(double x, double y) { return 0.15 * sin(5 * x) * cos(4 * y) + 0.1 * fabs(x); }
static double steps(double x, double y)
{
    (void)y;
    return x > 0.01 ? 0.2 : 0;
}

// Pose of a shape after the motion j of 6 by s: rotation about an axis through the centre, or translation.
static cd_shape_pose moved(const cd_shape_pose* pose, d3 centre, int j, double s)
{
    cd_shape_pose q = *pose;
    if (j >= 3) {
        q.p[j - 3] += s;
        return q;
    }
    double S[9];
    shape_rotation(d3_axis(j), s, S);
    for (int i = 0; i < 3; ++i) {
        const d3 column = d3_rotate(S, d3_column(pose->R, i));
        for (int k = 0; k < 3; ++k) q.R[3 * k + i] = column.e[k];
    }
    d3_put(d3_add(centre, d3_rotate(S, d3_sub(d3_of(pose->p), centre))), q.p);
    return q;
}

typedef struct pair {
    const cd_shape_geometry *A, *B;
    cd_shape_pose            a, b;
} pair;

static bool after(const pair* q, const cd_contact_point* c, int j, double s, double v[7])
{
    const d3            centre = d3_scale(0.5, d3_add(d3_of(c->a), d3_of(c->b)));
    const cd_shape_pose a      = j < 6 ? moved(&q->a, centre, j, s) : q->a,
                        b      = j < 6 ? q->b : moved(&q->b, centre, j - 6, s);
    cd_contact_point all[CD_CONTACT_POINTS_MAX];
    const int        n = cd_collide(q->A, &a, q->B, &b, 0.12, NULL, all, CD_CONTACT_POINTS_MAX);
    for (int k = 0; k < n; ++k) {
        if (all[k].key != c->key) continue;
        v[0] = all[k].gap;
        for (int i = 0; i < 3; ++i) v[1 + i] = all[k].normal[i], v[4 + i] = (all[k].a[i] + all[k].b[i]) / 2;
        return true;
    }
    return false;
}

// Returns 1 if all rates agree, 0 if the contact cannot be followed, -1 if they differ.
static int compare(const pair* q, const cd_contact_point* c)
{
    cd_contact_rates rates;
    if (c->doubtful || !cd_contact_derivative(q->A, &q->a, q->B, &q->b, c, &rates)) return 0;
    double scale = 1;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 12; ++j) scale = fmax(scale, fmax(fabs(rates.normal[i][j]), fabs(rates.point[i][j])));
    if (scale > 30) return 0;
    for (int j = 0; j < 12; ++j) {
        const double e = 1e-6;
        double       low[7], high[7];
        if (!after(q, c, j, -e, low) || !after(q, c, j, e, high)) return 0;
        double error = fabs((high[0] - low[0]) / (2 * e) - rates.gap[j]);
        for (int i = 0; i < 3; ++i) {
            error = fmax(error, fabs((high[1 + i] - low[1 + i]) / (2 * e) - rates.normal[i][j]));
            error = fmax(error, fabs((high[4 + i] - low[4 + i]) / (2 * e) - rates.point[i][j]));
        }
        if (error <= 3e-7 * scale * scale) continue;
        printf("motion %d, features %x %x, gap %g: off by %g\n", j, cd_contact_feature(c, 0), cd_contact_feature(c, 1),
               c->gap, error);
        return -1;
    }
    return 1;
}

// Counts by kind of the feature of the surface.
static void check_surface(const cd_shape_geometry* surface, cd_shape_kind kind, bool upright, surface_height* z,
                          int agreed[16])
{
    shape_dice dice  = {(uint64_t)kind + 50};
    const int  cases = test_cases(6, 500);
    for (int k = 0; k < cases && !test_broken; ++k) {
        cd_shape_geometry    g    = random_shape(&dice, kind);
        const cd_shape_type* type = cd_shape_type_of(&g);
        for (int i = 0; i < 3; ++i) g.size[i] *= 0.5;
        pair q = {.A = &g, .B = surface, .a = random_shape_pose(&dice, 0), .b = random_shape_pose(&dice, 1)};
        if (upright) shape_rotation(d3_axis(2), shape_range(&dice, 0, 6), q.a.R);
        uint32_t     feature;
        const d3     down  = d3_rotate_back(q.a.R, d3_neg(d3_axis(2)));
        const double reach = type->offset(&g) - d3_rotate(q.a.R, type->support(&g, down, &feature)).e[2];
        q.a.p[0] = shape_range(&dice, -0.3, 0.3), q.a.p[1] = shape_range(&dice, -0.3, 0.3);
        q.a.p[2]                  = z(q.a.p[0], q.a.p[1]) + reach + shape_range(&dice, 0, 0.05);
        const cd_shape_pose local = q.a; // both moved together
        for (int i = 0; i < 3; ++i) {
            const d3 column = d3_rotate(q.b.R, d3_column(local.R, i));
            for (int m = 0; m < 3; ++m) q.a.R[3 * m + i] = column.e[m];
        }
        d3_put(d3_add(d3_rotate(q.b.R, d3_of(local.p)), d3_of(q.b.p)), q.a.p);
        cd_contact_point c[CD_CONTACT_POINTS_MAX];
        const int        n = cd_collide(&g, &q.a, surface, &q.b, 0.1, NULL, c, CD_CONTACT_POINTS_MAX);
        for (int i = 0; i < n && i < 4; ++i) {
            const int result = compare(&q, &c[i]);
            CHECK(result >= 0);
            agreed[cd_feature_kind_of(cd_contact_feature(&c[i], 1))] += result > 0;
        }
        if (kind == CD_SHAPE_HULL) random_shape_free(&g);
    }
}

static void check_mesh(void)
{
    int               agreed[16] = {0};
    cd_triangle_mesh *rough = grid_mesh(12, 10, -1, 1, -1, 1, bumps), *edge = grid_mesh(20, 10, -1, 1, -1, 1, steps);
    for (cd_shape_kind kind = CD_SHAPE_SPHERE; kind <= CD_SHAPE_HULL; ++kind) {
        check_surface(&(cd_shape_geometry){.kind = CD_SHAPE_MESH, .mesh = rough}, kind, false, bumps, agreed);
        check_surface(&(cd_shape_geometry){.kind = CD_SHAPE_MESH, .mesh = edge}, kind, true, steps, agreed);
    }
    CHECK(agreed[CD_FEATURE_FACE] > 30 && agreed[CD_FEATURE_EDGE] > 5 && agreed[CD_FEATURE_VERTEX] > 1);
    CHECK(agreed[CD_FEATURE_CLIP] > 3);
    cd_triangle_mesh_destroy(rough);
    cd_triangle_mesh_destroy(edge);
}

static void check_field(void)
{
    int         agreed[16] = {0};
    double      z[21 * 21];
    const char* reason;
    for (int k = 0; k < 441; ++k) z[k] = bumps(-1 + 0.1 * (k % 21), -1 + 0.1 * (k / 21)); // NOLINT: row
    cd_height_field* f = cd_height_field_create(
        &(cd_field_description){
            .kind = CD_FIELD_TRIANGLES, .nx = 21, .ny = 21, .x0 = -1, .y0 = -1, .dx = 0.1, .dy = 0.1, .z = z},
        &reason);
    for (cd_shape_kind kind = CD_SHAPE_SPHERE; kind <= CD_SHAPE_HULL; ++kind)
        check_surface(&(cd_shape_geometry){.kind = CD_SHAPE_HEIGHT_FIELD, .field = f}, kind, false, bumps, agreed);
    CHECK(agreed[CD_FEATURE_FACE] > 10 && agreed[CD_FEATURE_EDGE] > 2 && agreed[CD_FEATURE_VERTEX] > 0);
    cd_height_field_destroy(f);
}

int main(void)
{
    RUN(check_mesh());
    RUN(check_field());
    return test_end();
}
