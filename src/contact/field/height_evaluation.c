// SPDX-License-Identifier: BSD-3-Clause
// Height and derivatives of smooth fields, profiles and formulas. A profile is a polynomial of degree 5 between two
// samples with the value, slope and curvature at both (Hermite).
#include "contact/field/bicubic.h"

// Cell of a coordinate, and the place u in it; beyond the ends the last cell.
static int cell_of(double x, double x0, double h, int cells, double* u)
{
    const double s = (x - x0) / h, last = cells - 1;
    const double i = fmax(0, fmin(last, floor(s)));
    *u             = fmax(0, fmin(1, s - i));
    return (int)i;
}

static void evaluate_profile(const cd_height_field* f, int i, double u, cd_height* h)
{
    const double dx = f->d.dx, z0 = f->d.z[i], z1 = f->d.z[i + 1], s0 = dx * f->slope[i], s1 = dx * f->slope[i + 1];
    const double c0 = dx * dx * f->curvature[i], c1 = dx * dx * f->curvature[i + 1];
    const double d = z1 - z0 - s0 - c0 / 2, e = s1 - s0 - c0, g = c1 - c0; // remainders at u = 1
    const double a3 = 10 * d - 4 * e + g / 2, a4 = -15 * d + 7 * e - g, a5 = 6 * d - 3 * e + g / 2;
    *h = (cd_height){.z  = z0 + u * (s0 + u * (c0 / 2 + u * (a3 + u * (a4 + u * a5)))),
                     .x  = (s0 + u * (c0 + u * (3 * a3 + u * (4 * a4 + u * 5 * a5)))) / dx,
                     .xx = (c0 + u * (6 * a3 + u * (12 * a4 + u * 20 * a5))) / (dx * dx)};
}

bool cd_height_inside(const cd_height_field* f, double x, double y)
{
    if (f->d.kind == CD_FIELD_PROFILE && f->d.periodic) return y >= f->box.lower[1] && y <= f->box.upper[1];
    return x >= f->box.lower[0] && x <= f->box.upper[0] && y >= f->box.lower[1] && y <= f->box.upper[1];
}

void cd_height_evaluate(const cd_height_field* f, double x, double y, cd_height* h)
{
    const cd_field_description* d = &f->d;
    if (d->kind == CD_FIELD_FORMULA) {
        *h = (cd_height){0};
        d->function(d->context, x, y, h);
        return;
    }
    const double length = d->dx * f->cells_x;
    if (d->kind == CD_FIELD_PROFILE && d->periodic) x -= length * floor((x - d->x0) / length);
    double    u, v;
    const int i = cell_of(x, d->x0, d->dx, f->cells_x, &u), j = cell_of(y, d->y0, d->dy, f->cells_y, &v);
    if (d->kind == CD_FIELD_PROFILE)
        evaluate_profile(f, i, u, h);
    else
        cd_bicubic_evaluate(f, i, j, u, v, h);
    const double beyond_x = x - (d->x0 + d->dx * (i + u)), beyond_y = y - (d->y0 + d->dy * (j + v));
    const bool   outside_x = x < d->x0 || x > d->x0 + length, outside_y = y < d->y0 || y > d->y0 + d->dy * f->cells_y;
    if (!outside_x && !outside_y) return;
    h->z += h->x * (outside_x ? beyond_x : 0) + h->y * (outside_y ? beyond_y : 0);
    if (outside_x) h->xx = h->xy = 0;
    if (outside_y) h->yy = h->xy = 0;
}

d3 cd_height_normal(const cd_height* h) { return d3_unit((d3){{-h->x, -h->y, 1}}); }

double cd_height_bend(const cd_height* h, d3 u, d3 v)
{
    const double second =
        h->xx * u.e[0] * v.e[0] + h->xy * (u.e[0] * v.e[1] + u.e[1] * v.e[0]) + h->yy * u.e[1] * v.e[1];
    return -second / sqrt(1 + h->x * h->x + h->y * h->y);
}
