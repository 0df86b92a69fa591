// SPDX-License-Identifier: BSD-3-Clause
// Local minima of the distance d of a circle from another core. With x(s) the point of the circle at the angle s, t its unit
// tangent and n the normal at the nearest point,
//
//   d' = R n.t
//
// changes from negative to positive at a minimum. It is bracketed by samples of d, and located by the Illinois variant of the
// secant method. Every minimum is a contact point: a ring around a rod touches it on two sides. Where d is constant up to the slope
// of a flat part (parallel rings), three points that are fixed to the circle carry it too.
//
// Dowell, Jarratt 1971, A modified regula falsi method for computing the root of an equation (BIT 11).
#include "contact/pair/circle_contact.h"
#include "contact/contact_tolerances.h"
#include "math/pi.h"

enum { SAMPLES = 48, MINIMA = SAMPLES / 2, STEPS = 100 };

typedef struct circle {
    d3                   centre, e[2], axis;
    double               radius;
    cd_distance_function distance;
    const void*          data;
} circle;

typedef struct sample {
    double   angle, d, slope; // slope: n.t
    d3       x, y, n;
    uint32_t feature;
} sample;

static sample evaluate(const circle* c, double angle)
{
    sample       s  = {.angle = angle};
    const double co = cos(angle), si = sin(angle);
    s.x     = d3_add_scaled(d3_add_scaled(c->centre, c->radius * co, c->e[0]), c->radius * si, c->e[1]);
    s.d     = c->distance(c->data, s.x, &s.y, &s.n, &s.feature);
    s.slope = d3_dot(s.n, d3_sub(d3_scale(co, c->e[1]), d3_scale(si, c->e[0])));
    return s;
}

// Minimum between lower (slope < 0) and upper (slope > 0).
static sample locate(const circle* c, sample lower, sample upper)
{
    double f = lower.slope, g = upper.slope; // halved where the same end stays twice
    int    side = 0;
    for (int k = 0; k < STEPS && upper.angle - lower.angle > cd_angle_accuracy; ++k) {
        const double width = upper.angle - lower.angle;
        double       angle = lower.angle + width * f / (f - g);
        if (k > STEPS / 4 || !(angle > lower.angle && angle < upper.angle)) angle = lower.angle + width / 2;
        if (angle <= lower.angle || angle >= upper.angle) break;
        const sample next = evaluate(c, angle);
        if (next.slope == 0) return next;
        if (next.slope < 0) {
            lower = next, f = next.slope;
            if (side < 0) g *= 0.5;
            side = -1;
        } else {
            upper = next, g = next.slope;
            if (side > 0) f *= 0.5;
            side = 1;
        }
    }
    return -lower.slope < upper.slope ? lower : upper;
}

static void add(cd_pair* p, const sample* s, uint32_t feature)
{
    if (!cd_is_on_front(p, s->n)) return;
    cd_pair_add(p, s->x, s->y, s->n, feature, s->feature, s->d <= 0);
}

// Number of points that touch the same feature of B: it distinguishes their keys.
static int same_feature(const cd_pair* p, uint32_t feature)
{
    int n = 0;
    for (int i = 0; i < p->count; ++i)
        n += cd_contact_feature(&p->point[i], 1) == feature &&
             cd_feature_kind_of(cd_contact_feature(&p->point[i], 0)) == CD_FEATURE_CIRCLE;
    return n;
}

static bool is_flat(const circle* c, const sample* s)
{
    return cd_feature_kind_of(s->feature) == CD_FEATURE_FACE && d3_norm(d3_cross(c->axis, s->n)) <= cd_flat_slope;
}

// The circle lies on a face of B: normal of the face. False: it does not.
static bool find_flat(const circle* c, const sample* s, double least, d3* flat)
{
    for (int i = 0; i < SAMPLES; ++i)
        if (is_flat(c, &s[i]) && s[i].d - least <= 2 * cd_flat_slope * c->radius) return *flat = s[i].n, true;
    return false;
}

bool cd_circle_contact(cd_pair* p, cd_distance_function distance, const void* data, d3* flat)
{
    const circle c = {.centre   = d3_of(p->pose_A->p),
                      .e        = {d3_column(p->pose_A->R, 0), d3_column(p->pose_A->R, 1)},
                      .axis     = d3_column(p->pose_A->R, 2),
                      .radius   = p->A->size[0],
                      .distance = distance,
                      .data     = data};
    sample       s[SAMPLES + 1];
    double       most = -INFINITY, least = INFINITY;
    for (int i = 0; i < SAMPLES; ++i) {
        s[i]  = evaluate(&c, 2 * CD_PI / SAMPLES * i);
        most  = fmax(most, s[i].d);
        least = fmin(least, s[i].d);
    }
    s[SAMPLES]        = s[0];
    s[SAMPLES].angle  = 2 * CD_PI;
    const double bend = 2 * CD_PI / SAMPLES * c.radius; // d changes by less between samples
    if (least - bend - p->A->size[1] - cd_shape_type_of(p->B)->offset(p->B) > p->margin) return false;
    const bool constant = most - least <= cd_extreme_slope * c.radius;
    bool       has_flat = find_flat(&c, s, least, flat);
    for (int i = 0; i < SAMPLES && !constant; ++i) {
        if (!(s[i].slope < 0 && s[i + 1].slope >= 0)) continue;
        const sample m = locate(&c, s[i], s[i + 1]);
        if (!has_flat && is_flat(&c, &m)) *flat = m.n, has_flat = true;
        if (has_flat && d3_norm(d3_cross(*flat, m.n)) <= cd_flat_slope)
            continue; // on the face, or where the circle leaves it
        add(p, &m, cd_feature(CD_FEATURE_CIRCLE, same_feature(p, m.feature)));
    }
    if (has_flat || most - least > cd_flat_slope * c.radius) return has_flat;
    for (int k = 0; k < 3; ++k) {
        const sample fixed = evaluate(&c, 2 * CD_PI / 3 * k);
        add(p, &fixed, cd_feature(CD_FEATURE_RIM, k));
    }
    return false;
}
