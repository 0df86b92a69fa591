// SPDX-License-Identifier: BSD-3-Clause
// Common normal of a surface b(x, y) = (x, y, z) with the normal n and of a core whose extreme point in the direction
// -n is s(n):
//
//     F = ( b_x . (s - b),  b_y . (s - b) ) = 0,      b_x = (1, 0, z_x),  b_y = (0, 1, z_y)
//
// by Newton's method, damped so that |F| decreases. For a point s is constant, and the derivative of F is
//
//     F_ij = (s - b).b_ij - b_i.b_j,      b_ij = (0, 0, z_ij)
//
// For a circle with centre c, axis k and radius R, s = c - R q/|q| with q = n - (n.k) k; for an ellipsoid s = c - D^2 n/|D n|.
// Both follow the turn of the normal: F_ij has the additional term b_i . s_j with s_j = ds/dn n_j.
#include "contact/field/field_tolerances.h"
#include "contact/field/smooth_contact.h"

typedef struct state {
    cd_height h;
    d3        s, b, n, bx, by;
    double    F[2];
} state;

static d3 scaled(d3 a, d3 b) { return (d3){{a.e[0] * b.e[0], a.e[1] * b.e[1], a.e[2] * b.e[2]}}; }

static d3 extreme_point(const cd_smooth_core* core, d3 n)
{
    const cd_core_feature* f = &core->feature;
    if (f->kind == CD_CORE_CIRCLE) return d3_add_scaled(f->origin, -f->radius, d3_unit(d3_reject(n, f->axis)));
    if (f->kind != CD_CORE_ELLIPSOID) return f->origin;
    const d3 Dn = scaled(f->semi_axes, d3_rotate_back(core->R, n));
    return d3_add_scaled(f->origin, -1 / d3_norm(Dn), d3_rotate(core->R, scaled(f->semi_axes, Dn)));
}

// Derivative of the extreme point for a change m of the normal.
static d3 extreme_rate(const cd_smooth_core* core, d3 n, d3 m)
{
    const cd_core_feature* f = &core->feature;
    if (f->kind == CD_CORE_CIRCLE) {
        const d3     q      = d3_reject(n, f->axis);
        const double length = d3_norm(q);
        return d3_scale(-f->radius / length, d3_reject(d3_reject(m, f->axis), d3_scale(1 / length, q)));
    }
    if (f->kind != CD_CORE_ELLIPSOID) return d3_zero();
    const d3     Dn     = scaled(f->semi_axes, d3_rotate_back(core->R, n));
    const d3     Dm     = scaled(f->semi_axes, d3_rotate_back(core->R, m));
    const double length = d3_norm(Dn);
    const d3     across = d3_reject(Dm, d3_scale(1 / length, Dn));
    return d3_scale(-1 / length, d3_rotate(core->R, scaled(f->semi_axes, across)));
}

static void evaluate(const cd_height_field* f, const cd_smooth_core* core, double x, double y, state* a)
{
    cd_height_evaluate(f, x, y, &a->h);
    a->n       = cd_height_normal(&a->h);
    a->b       = (d3){{x, y, a->h.z}};
    a->bx      = (d3){{1, 0, a->h.x}};
    a->by      = (d3){{0, 1, a->h.y}};
    a->s       = extreme_point(core, a->n);
    const d3 r = d3_sub(a->s, a->b);
    a->F[0]    = d3_dot(a->bx, r);
    a->F[1]    = d3_dot(a->by, r);
}

// Change of the normal for a unit change of x or y: the tangent part of (-z_xj, -z_yj, 0)/w.
static d3 normal_rate(const state* a, double zx, double zy)
{
    const double w = sqrt(1 + a->h.x * a->h.x + a->h.y * a->h.y);
    return d3_reject((d3){{-zx / w, -zy / w, 0}}, a->n);
}

static bool step(const state* a, const cd_smooth_core* core, double* dx, double* dy)
{
    const double rise = a->s.e[2] - a->b.e[2];
    const d3     sx   = extreme_rate(core, a->n, normal_rate(a, a->h.xx, a->h.xy));
    const d3     sy   = extreme_rate(core, a->n, normal_rate(a, a->h.xy, a->h.yy));
    const double xx   = rise * a->h.xx - d3_dot(a->bx, a->bx) + d3_dot(a->bx, sx);
    const double xy   = rise * a->h.xy - d3_dot(a->bx, a->by) + d3_dot(a->bx, sy);
    const double yx   = rise * a->h.xy - d3_dot(a->by, a->bx) + d3_dot(a->by, sx);
    const double yy   = rise * a->h.yy - d3_dot(a->by, a->by) + d3_dot(a->by, sy);
    const double det  = xx * yy - xy * yx;
    if (!(fabs(det) > cd_foot_pivot * (fabs(xx * yy) + fabs(xy * yx)))) return false;
    *dx = (-a->F[0] * yy + a->F[1] * xy) / det;
    *dy = (-a->F[1] * xx + a->F[0] * yx) / det;
    return true;
}

bool cd_smooth_foot_find(const cd_height_field* field, const cd_smooth_core* core, double x, double y,
                         cd_smooth_foot* foot)
{
    state a, next;
    evaluate(field, core, x, y, &a);
    for (int k = 0; k < CD_FOOT_ITERATIONS; ++k) {
        double dx, dy;
        if (!step(&a, core, &dx, &dy)) { // towards the extreme point
            dx = a.F[0];
            dy = a.F[1];
        }
        const double size = hypot(dx, dy), value = hypot(a.F[0], a.F[1]);
        double       t = 1;
        for (int half = 0; half < 30; ++half, t /= 2) {
            evaluate(field, core, x + t * dx, y + t * dy, &next);
            if (hypot(next.F[0], next.F[1]) < value) break;
        }
        const bool better = hypot(next.F[0], next.F[1]) < value;
        if (better) x += t * dx, y += t * dy, a = next;
        if (!better || (k > 1 && size <= 0x1p-52 * (fabs(x) + fabs(y)))) break; // at round-off
    }
    *foot = (cd_smooth_foot){a.s, a.b, a.n};
    return hypot(a.F[0], a.F[1]) <= cd_foot_convergence * (1 + d3_norm(a.b));
}
