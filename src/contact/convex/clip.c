// SPDX-License-Identifier: BSD-3-Clause
// Contact points of an incident region above a reference face with the outward normal N: the corners of the intersection of the
// reference face with the projection of the incident region along N. They are
//
//   1. corners of the incident region above the reference face,
//   2. crossings of its boundary with the side planes of the reference face,
//   3. corners of the reference face below the incident region,
//
// the same points as those of Sutherland and Hodgman's clipping, each with the features that determine it. Boundaries are lines
// or circles on both sides.
//
// Sutherland, Hodgman 1974, Reentrant polygon clipping (Communications of the ACM 17).
#include "contact/contact_tolerances.h"
#include "contact/convex/region.h"

typedef struct clip {
    cd_pair*         p;
    const cd_region *R, *I;
    bool             by_A;
    d3               N; // outward normal of the reference face
    double           inside, apart;
    int              face; // number of the reference face
} clip;

static double height_of(const clip* c, d3 x) { return d3_dot(c->N, d3_sub(x, c->R->flat.x[0])); }

// Outward normal of side s of the polygon of a region with the normal m.
static d3 side_normal(const cd_region* r, int s, d3 m)
{
    return d3_unit(d3_cross(d3_sub(r->flat.x[(s + 1) % r->flat.n], r->flat.x[s]), m));
}

// x, projected along m, is inside a face with the normal m; side `skip` counts as inside.
static bool is_inside(const cd_region* r, d3 m, d3 x, double tolerance, int skip)
{
    if (r->kind == CD_REGION_DISC)
        return skip == 0 || d3_norm(d3_reject(d3_sub(x, r->centre), m)) <= r->radius + tolerance;
    for (int s = 0; s < r->flat.n; ++s)
        if (s != skip && d3_dot(side_normal(r, s, m), d3_sub(x, r->flat.x[s])) > tolerance) return false;
    return true;
}

static bool is_new(const clip* c, d3 x, d3 y)
{
    const cd_pair* p  = c->p;
    const double   rA = cd_shape_type_of(p->A)->offset(p->A), rB = cd_shape_type_of(p->B)->offset(p->B);
    const d3       a = c->by_A ? y : x, b = c->by_A ? x : y;
    for (int i = 0; i < p->count; ++i) {
        const d3 n = d3_of(p->point[i].normal);
        const d3 u = d3_add_scaled(d3_of(p->point[i].a), rA, n), v = d3_add_scaled(d3_of(p->point[i].b), -rB, n);
        if (d3_norm(d3_sub(u, a)) <= c->apart && d3_norm(d3_sub(v, b)) <= c->apart) return false;
    }
    return true;
}

// Incident point x with its feature, above the feature of the reference.
static void add(const clip* c, d3 x, uint32_t incident, uint32_t reference)
{
    const d3 y = d3_add_scaled(x, -height_of(c, x), c->N);
    if (!is_new(c, x, y)) return;
    if (c->by_A)
        cd_pair_add(c->p, y, x, d3_neg(c->N), reference, incident, false);
    else
        cd_pair_add(c->p, x, y, c->N, incident, reference, false);
}

static void add_corners(const clip* c)
{
    const uint32_t face = c->R->flat.face;
    for (int i = 0; i < c->I->flat.n; ++i)
        if (is_inside(c->R, c->N, c->I->flat.x[i], c->inside, -1)) add(c, c->I->flat.x[i], c->I->flat.corner[i], face);
    if (c->I->has_extreme && is_inside(c->R, c->N, c->I->extreme, c->inside, -1))
        add(c, c->I->extreme, c->I->extreme_feature, face);
}

// Line x + t u, 0 <= t <= 1, against side s of the reference.
static void cross_line(const clip* c, d3 x, d3 u, uint32_t feature, int s)
{
    double t[2];
    int    n = 0;
    if (c->R->kind == CD_REGION_DISC) { // |x + t u - centre| = radius in the plane of the disc
        const d3     w = d3_reject(d3_sub(x, c->R->centre), c->N), v = d3_reject(u, c->N);
        const double A = d3_dot(v, v), B = d3_dot(v, w), C = d3_dot(w, w) - c->R->radius * c->R->radius,
                     D = B * B - A * C;
        if (!(A > 0 && D > 0)) return;
        t[n++] = (-B - sqrt(D)) / A, t[n++] = (-B + sqrt(D)) / A;
    } else {
        const d3     q = side_normal(c->R, s, c->N);
        const double d = d3_dot(q, d3_sub(x, c->R->flat.x[s])), slope = d3_dot(q, u);
        if (!(fabs(slope) > c->inside)) return; // parallel
        t[n++] = -d / slope;
    }
    for (int k = 0; k < n; ++k) {
        const d3 y = d3_add_scaled(x, t[k], u);
        if (t[k] < 0 || t[k] > 1 || !is_inside(c->R, c->N, y, c->inside, s)) continue;
        add(c, y, feature, cd_feature_part(CD_FEATURE_CLIP, c->face, c->R->kind == CD_REGION_DISC ? k : s));
    }
}

static d3 on_circle(const cd_region* r, double angle)
{
    return d3_add_scaled(d3_add_scaled(r->centre, r->radius * cos(angle), r->e[0]), r->radius * sin(angle), r->e[1]);
}

// Feature of one of two crossings of a circle with a side.
static uint32_t crossing(uint32_t feature, int which)
{
    return cd_feature(CD_FEATURE_CIRCLE, (cd_feature_index(feature) & 1) | which << 1);
}

// Incident circle against a side plane: q.(x - x_s) = d + A cos + B sin = 0.
static void cross_circle(const clip* c, int s)
{
    const d3     q = side_normal(c->R, s, c->N);
    const double d = d3_dot(q, d3_sub(c->I->centre, c->R->flat.x[s]));
    const double A = c->I->radius * d3_dot(q, c->I->e[0]), B = c->I->radius * d3_dot(q, c->I->e[1]), size = hypot(A, B);
    if (!(size > fabs(d))) return;
    const double middle = atan2(B, A), half = acos(-d / size);
    for (int k = 0; k < 2; ++k) {
        const d3 x = on_circle(c->I, k ? middle + half : middle - half);
        if (is_inside(c->R, c->N, x, c->inside, s))
            add(c, x, crossing(c->I->extreme_feature, k), cd_feature_part(CD_FEATURE_CLIP, c->face, s));
    }
}

// Incident circle against the circle of a disc: Newton's method for the angle, from the crossings of circles in one plane.
static void cross_circles(const clip* c)
{
    const d3     w = d3_reject(d3_sub(c->R->centre, c->I->centre), c->N);
    const double d = d3_norm(w), r = c->I->radius, R = c->R->radius;
    if (!(d > c->inside && d < r + R && d > fabs(r - R))) return;
    const double middle = atan2(d3_dot(w, c->I->e[1]), d3_dot(w, c->I->e[0]));
    const double half   = acos(fmax(-1, fmin(1, (d * d + r * r - R * R) / (2 * d * r))));
    for (int k = 0; k < 2; ++k) {
        double angle = k ? middle + half : middle - half;
        for (int i = 0; i < 6; ++i) {
            const d3     x     = d3_reject(d3_sub(on_circle(c->I, angle), c->R->centre), c->N);
            const d3     u     = d3_sub(d3_scale(cos(angle), c->I->e[1]), d3_scale(sin(angle), c->I->e[0]));
            const double slope = 2 * r * d3_dot(x, u);
            if (!(fabs(slope) > c->inside * r)) return;
            angle -= (d3_dot(x, x) - R * R) / slope;
        }
        add(c, on_circle(c->I, angle), crossing(c->I->extreme_feature, k),
            cd_feature_part(CD_FEATURE_CLIP, c->face, k));
    }
}

static void add_crossings(const clip* c)
{
    const cd_region* I     = c->I;
    const bool       round = I->kind == CD_REGION_DISC || I->kind == CD_REGION_RING;
    const int        sides = c->R->kind == CD_REGION_DISC ? 1 : c->R->flat.n;
    if (round && c->R->kind == CD_REGION_DISC) {
        cross_circles(c);
        return;
    }
    for (int s = 0; s < sides; ++s) {
        if (round) cross_circle(c, s);
        const int lines = round ? 0 : I->kind == CD_REGION_SEGMENT ? 1 : I->kind == CD_REGION_POINT ? 0 : I->flat.n;
        for (int k = 0; k < lines; ++k)
            cross_line(c, I->flat.x[k], d3_sub(I->flat.x[(k + 1) % I->flat.n], I->flat.x[k]), I->flat.side[k], s);
    }
}

static void add_reference_corners(const clip* c)
{
    const d3     m      = c->I->flat.normal;
    const double cosine = d3_dot(m, c->N);
    if (!(cosine < -cd_least_facing)) return;
    for (int i = 0; i < c->R->flat.n; ++i) {
        const d3 y = c->R->flat.x[i];
        const d3 x = d3_add_scaled(y, d3_dot(m, d3_sub(c->I->flat.x[0], y)) / cosine, c->N);
        if (is_inside(c->I, m, x, c->inside, -1))
            add(c, x, c->I->flat.face, cd_feature_part(CD_FEATURE_CORNER, c->face, i));
    }
}

void cd_clip_regions(cd_pair* p, const cd_region* reference, const cd_region* incident, bool by_A, d3 n, double apart)
{
    const double inside = cd_clip_accuracy * fmax(cd_shape_length(p->A), cd_shape_length(p->B));
    const clip   c      = {.p      = p,
                           .R      = reference,
                           .I      = incident,
                           .by_A   = by_A,
                           .N      = by_A ? d3_neg(n) : n,
                           .inside = inside,
                           .apart  = fmax(apart, 2 * inside),
                           .face   = cd_feature_index(reference->flat.face)};
    add_corners(&c);
    add_crossings(&c);
    if (cd_region_is_face(incident)) add_reference_corners(&c);
}
