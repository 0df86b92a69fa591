// SPDX-License-Identifier: BSD-3-Clause
// Rays against height fields: the pyramid of least and largest heights is traversed like a tree, the near block of
// cells first, and blocks whose box the ray does not enter are skipped. In a cell
//
//   triangles  both triangles are tested (ray_triangle.h): no ray falls through an edge;
//   else       the height of the ray above the surface, a polynomial of degree at most 6 along the ray in a cell of a
//              smooth field or profile, is interpolated at seven points, and its first root is polished by Newton's
//              method. For formulas the polynomial approximates the surface in a cell of the stated resolution.
#include "contact/field/surface_field.h"
#include "contact/ray/polynomial_roots.h"
#include "contact/ray/ray_triangle.h"
#include "contact/ray/slab_test.h"

enum { DEGREE = 6 };

typedef struct field_search {
    const cd_height_field* field;
    const cd_local_ray*    ray;
    cd_slab_ray            slab;
    cd_sheared_ray         shear;
    double                 best;
    int                    part; // -1: none
    d3                     normal;
} field_search;

static void test_triangles(field_search* s, int cell)
{
    for (int k = 0; k < 2; ++k) {
        d3     x[3];
        double t;
        cd_field_corners(s->field, 2 * cell + k, x);
        if (!cd_ray_triangle(&s->shear, &x[0], &x[1], &x[2], s->best, s->part < 0 || 2 * cell + k < s->part, &t))
            continue;
        s->best   = t;
        s->part   = 2 * cell + k;
        s->normal = d3_unit(d3_cross(d3_sub(x[1], x[0]), d3_sub(x[2], x[0])));
    }
}

static double clearance(const field_search* s, double t, cd_height* h)
{
    const d3 x = cd_ray_at(s->ray, t);
    cd_height_evaluate(s->field, x.e[0], x.e[1], h);
    return x.e[2] - h->z;
}

// Coefficients of the polynomial in s on [0, 1] through its values at k/6, by Newton's divided differences.
static void interpolate(const double value[DEGREE + 1], double c[DEGREE + 1])
{
    double d[DEGREE + 1], product[DEGREE + 2] = {1};
    for (int k = 0; k <= DEGREE; ++k) d[k] = value[k], c[k] = 0;
    for (int order = 1; order <= DEGREE; ++order)
        for (int k = DEGREE; k >= order; --k) d[k] = (d[k] - d[k - 1]) * DEGREE / order;
    for (int k = 0; k <= DEGREE; ++k) {
        for (int i = 0; i <= k; ++i) c[i] += d[k] * product[i];
        for (int i = k + 1; i > 0; --i) product[i] = product[i - 1] - (double)k / DEGREE * product[i];
        product[0] *= -(double)k / DEGREE;
    }
}

static double polish(const field_search* s, double t, double low, double high)
{
    for (int k = 0; k < 4; ++k) {
        cd_height    h;
        const double f     = clearance(s, t, &h);
        const double slope = s->ray->direction.e[2] - h.x * s->ray->direction.e[0] - h.y * s->ray->direction.e[1];
        if (!(fabs(slope) > 0)) break;
        const double next = t - f / slope;
        if (!(next >= low && next <= high)) break;
        t = next;
    }
    return t;
}

// First crossing from above between the distances a and b, all in one cell.
static void test_smooth(field_search* s, int cell, double a, double b)
{
    double    value[DEGREE + 1], c[DEGREE + 1], root[DEGREE];
    cd_height h;
    for (int k = 0; k <= DEGREE; ++k) value[k] = clearance(s, a + (b - a) * k / DEGREE, &h);
    interpolate(value, c);
    const int n = cd_polynomial_roots(DEGREE, c, 0, 1, root);
    for (int k = 0; k < n; ++k) {
        const double t = polish(s, a + (b - a) * root[k], a, b);
        clearance(s, t, &h);
        const d3 normal = cd_height_normal(&h);
        if (d3_dot(normal, s->ray->direction) >= 0 || !(t < s->best || (t == s->best && s->part < 0))) continue;
        s->best   = t;
        s->part   = cell;
        s->normal = normal;
        return;
    }
}

static cd_box block_box(const cd_height_field* f, int level, int i, int j)
{
    const double* range = f->range[level][j * f->level_x[level] + i];
    const int     i1 = (i + 1) << level, j1 = (j + 1) << level;
    return (cd_box){{f->d.x0 + f->d.dx * (i << level), f->d.y0 + f->d.dy * (j << level), range[0]},
                    {f->d.x0 + f->d.dx * (i1 < f->cells_x ? i1 : f->cells_x),
                     f->d.y0 + f->d.dy * (j1 < f->cells_y ? j1 : f->cells_y), range[1]}};
}

// Distances at which the ray is over the rectangle of a cell.
static bool over_cell(const field_search* s, const cd_box* box, double* a, double* b)
{
    *a = 0, *b = s->best;
    for (int i = 0; i < 2; ++i) {
        const double low = (box->lower[i] - s->slab.origin[i]) * s->slab.inverse[i];
        const double up  = (box->upper[i] - s->slab.origin[i]) * s->slab.inverse[i];
        *a               = fmax(*a, fmin(low, up));
        *b               = fmin(*b, fmax(low, up));
    }
    if (*b == INFINITY) { // vertical: down to the least height
        const double d = s->ray->direction.e[2];
        *b             = fmax(0, ((d < 0 ? box->lower[2] : box->upper[2]) - s->ray->origin.e[2]) / d) + 1;
    }
    return *a <= *b;
}

static void test_cell(field_search* s, int i, int j)
{
    const int cell = j * s->field->cells_x + i;
    if (s->field->d.kind == CD_FIELD_TRIANGLES) {
        test_triangles(s, cell);
        return;
    }
    const cd_box box = block_box(s->field, 0, i, j);
    double       a, b;
    if (over_cell(s, &box, &a, &b)) test_smooth(s, cell, a, b);
}

typedef struct block {
    int    level, i, j;
    double enter;
} block;

// Parts of a block that the ray enters, the nearest last; returns their number.
static int split(const field_search* s, const block* from, block part[4])
{
    const cd_height_field* f     = s->field;
    const int              level = from->level - 1;
    int                    n     = 0;
    for (int q = 0; q < 4; ++q) {
        const int i = 2 * from->i + (q & 1), j = 2 * from->j + (q >> 1);
        if (i >= f->level_x[level] || j >= f->level_y[level]) continue;
        const cd_box box = block_box(f, level, i, j);
        block        b   = {level, i, j, 0};
        if (!cd_slab_enter(&s->slab, &box, s->best, &b.enter)) continue;
        int k = n++;
        for (; k > 0 && part[k - 1].enter < b.enter; --k) part[k] = part[k - 1];
        part[k] = b;
    }
    return n;
}

bool cd_ray_field(const cd_shape_geometry* g, const cd_local_ray* ray, cd_local_hit* hit)
{
    const cd_height_field* f = g->field;
    field_search           s = {.field = f, .ray = ray, .best = ray->length, .part = -1};
    s.slab                   = cd_slab_of(ray->origin, ray->direction);
    s.shear                  = cd_shear(ray);
    block        stack[4 * CD_FIELD_LEVELS];
    int          depth = 0;
    const cd_box all   = block_box(f, f->nlevel - 1, 0, 0);
    double       enter;
    if (cd_slab_enter(&s.slab, &all, s.best, &enter)) stack[depth++] = (block){f->nlevel - 1, 0, 0, enter};
    while (depth > 0) {
        const block b = stack[--depth];
        if (b.enter > s.best * (1 + cd_ray_slack)) continue;
        if (b.level == 0)
            test_cell(&s, b.i, b.j);
        else
            depth += split(&s, &b, stack + depth);
    }
    if (s.part < 0) return false;
    *hit = (cd_local_hit){s.best, s.normal, s.part};
    return true;
}
