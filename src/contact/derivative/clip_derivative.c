// SPDX-License-Identifier: BSD-3-Clause
// Derivatives of a contact point of a clipped face. The reference R has the face with the outward normal n and the point y on
// it; the incident shape I has the core point x = y + h n. All rates are relative to R first.
//
//   clip     x is on a line or circle of I with the tangent u, and on the side plane with the normal q, fixed in R:
//            x' = v + tau u,  q.x' = 0,  v the velocity of the point of the line at x
//   corner   y is a corner, fixed in R, and x is on a face of I with the normal m:  x' = h' n,  m.(x' - v) = 0
//
// The line of contact of a cylinder that lies on a face, x = o - r k^/|k^|, k^ the part of n across its axis, moves
// in the cylinder while n turns.
#include "contact/derivative/derivative.h"
#include "contact/shape/polyhedron.h"
#include "contact/contact_tolerances.h"

typedef struct clip_frame {
    int    R, I;
    double sign; // of the outward normal of R against the normal of the contact
    d3     n, x; // outward normal of the face, core point of I
    double h;
} clip_frame;

static d3 side_normal_of_polyhedron(const cd_derivative_end* end, const cd_polyhedron* p, int face, int part)
{
    const int start = p->face_start[face], n = p->face_start[face + 1] - start;
    const d3  u = p->vertex[p->face_vertex[start + part % n]], v = p->vertex[p->face_vertex[start + (part + 1) % n]];
    return d3_rotate(end->pose->R, d3_unit(d3_cross(d3_sub(v, u), p->normal[face])));
}

// Normal of the side plane: over a side of a face of a polyhedron, or tangent to the cylinder over the circle of a disc.
static d3 side_normal(const cd_derivative_end* end, d3 x)
{
    const int             index = cd_feature_index(end->feature);
    cd_polyhedron_storage storage;
    cd_polyhedron         p;
    if (cd_polyhedron_of(end->g, &storage, &p))
        return side_normal_of_polyhedron(end, &p, index >> CD_FEATURE_PART_BITS,
                                         index & ((1 << CD_FEATURE_PART_BITS) - 1));
    return d3_unit(d3_reject(d3_sub(x, d3_of(end->pose->p)), d3_column(end->pose->R, 2)));
}

// Tangent u of the line or circle of I at x; false if the feature has none.
static bool tangent(const cd_derivative_end* end, d3 x, d3* u)
{
    if (end->core.kind != CD_CORE_LINE && end->core.kind != CD_CORE_CIRCLE) return false;
    *u = end->core.kind == CD_CORE_LINE
             ? end->core.axis
             : d3_cross(end->core.axis, d3_unit(d3_reject(d3_sub(x, end->core.origin), end->core.axis)));
    return true;
}

// Velocity of the line of contact in a lying cylinder, whose line is the axis with an offset larger than that of the shape, for
// the angular velocity w of R relative to I.
static d3 line_drift(const cd_derivative_end* I, d3 n, d3 w)
{
    const double r = I->core.offset - I->offset;
    if (I->core.kind != CD_CORE_LINE || r == 0) return d3_zero();
    const d3     k = I->core.axis, across = d3_reject(n, k), turn = d3_reject(d3_cross(w, n), k);
    const double length = d3_norm(across);
    return d3_scale(-r / length, d3_reject(turn, d3_scale(1 / length, across)));
}

// Rate of x and of h relative to R for the motion (w, v) of I relative to R at x.
static bool relative_rates(const cd_derivative_problem* p, const clip_frame* f, d3 w, d3 v, d3* x, double* h)
{
    const cd_derivative_end *R = &p->end[f->R], *I = &p->end[f->I];
    if (cd_feature_kind_of(R->feature) == CD_FEATURE_CORNER) {
        const double cosine = d3_dot(I->core.axis, f->n);
        if (I->core.kind != CD_CORE_PLANE || !(fabs(cosine) > cd_singular_pivot)) return false;
        *h = d3_dot(I->core.axis, v) / cosine;
        *x = d3_scale(*h, f->n);
        return true;
    }
    d3 u;
    if (!tangent(I, f->x, &u)) return false;
    const d3     q = side_normal(R, f->x), drift = d3_add(v, line_drift(I, f->n, d3_neg(w)));
    const double cosine = d3_dot(q, u);
    if (!(fabs(cosine) > cd_singular_pivot)) return false;
    *x = d3_add_scaled(drift, -d3_dot(q, drift) / cosine, u);
    *h = d3_dot(f->n, *x);
    return true;
}

bool cd_clip_derivative(const cd_derivative_problem* p, int reference, cd_contact_rates* rates)
{
    clip_frame               f = {.R = reference, .I = 1 - reference, .sign = reference == 0 ? -1 : 1};
    const cd_derivative_end *R = &p->end[f.R], *I = &p->end[f.I];
    f.n = d3_scale(f.sign, p->n);
    f.x = d3_add_scaled(I->point, I->offset, f.n);
    f.h = p->gap + R->offset + I->offset;
    for (int j = 0; j < 12; ++j) {
        const cd_unit_motion of_R = cd_unit_motion_of(f.R, j), of_I = cd_unit_motion_of(f.I, j);
        const d3             carried = cd_velocity_at(&of_R, f.x, p->centre), w = d3_sub(of_I.w, of_R.w);
        const d3             v    = d3_sub(cd_velocity_at(&of_I, f.x, p->centre), carried);
        const d3             turn = d3_cross(of_R.w, f.n);
        d3                   slip;
        double               rise;
        if (!relative_rates(p, &f, w, v, &slip, &rise)) return false;
        const d3 x = d3_add(carried, slip), y = d3_sub(x, d3_add(d3_scale(rise, f.n), d3_scale(f.h, turn)));
        const d3 point = d3_add_scaled(d3_scale(0.5, d3_add(x, y)), 0.5 * (R->offset - I->offset), turn);
        cd_put_rates(rates, j, rise, d3_scale(f.sign, turn), point);
    }
    return true;
}
