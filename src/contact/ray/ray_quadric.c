// SPDX-License-Identifier: BSD-3-Clause
// Rays against sphere, capsule, cylinder and ellipsoid. With m the point of the line x = o + t d that is nearest to the centre,
// m = o + s d, s = -o.d, a sphere of radius r is entered at
//
//     t = s - sqrt(r^2 - m.m)
//
// without the cancellation of the discriminant. The same in the plane of the cross section gives an infinite cylinder, and in
// coordinates divided by the semi-axes an ellipsoid.
#include "contact/ray/ray_shape.h"

#include <stddef.h>

static bool in_range(const cd_local_ray* ray, double t) { return t >= 0 && t <= ray->length; }

// Distance at which a line enters a sphere about c; false: it misses the sphere.
static bool enter_sphere(const cd_local_ray* ray, d3 c, double radius, double* t)
{
    const d3     o = d3_sub(ray->origin, c);
    const double s = -d3_dot(o, ray->direction);
    const d3     m = d3_add_scaled(o, s, ray->direction);
    const double h = radius * radius - d3_dot(m, m);
    if (h < 0) return false;
    *t = s - sqrt(h);
    return true;
}

static bool hit_sphere(const cd_local_ray* ray, d3 c, double radius, cd_local_hit* hit)
{
    double t;
    if (!enter_sphere(ray, c, radius, &t) || !in_range(ray, t)) return false;
    *hit = (cd_local_hit){t, d3_unit(d3_sub(cd_ray_at(ray, t), c)), 0};
    return true;
}

bool cd_ray_sphere(const cd_shape_geometry* g, const cd_local_ray* ray, cd_local_hit* hit)
{
    return hit_sphere(ray, d3_zero(), g->size[0], hit);
}

bool cd_ray_ellipsoid(const cd_shape_geometry* g, const cd_local_ray* ray, cd_local_hit* hit)
{
    cd_local_ray scaled = *ray;
    for (int i = 0; i < 3; ++i) scaled.origin.e[i] /= g->size[i], scaled.direction.e[i] /= g->size[i];
    const double stretch = d3_norm(scaled.direction);
    scaled.direction     = d3_scale(1 / stretch, scaled.direction);
    double t;
    if (!enter_sphere(&scaled, d3_zero(), 1, &t) || !in_range(ray, t / stretch)) return false;
    d3 n = cd_ray_at(&scaled, t);
    for (int i = 0; i < 3; ++i) n.e[i] /= g->size[i];
    *hit = (cd_local_hit){t / stretch, d3_unit(n), 0};
    return true;
}

// Interval of t inside the infinite cylinder of radius r about z; false: empty. A line parallel to z that is inside: infinite.
static bool cross_cylinder(const cd_local_ray* ray, double r, double* enter, double* leave)
{
    const double ox = ray->origin.e[0], oy = ray->origin.e[1], dx = ray->direction.e[0], dy = ray->direction.e[1];
    const double speed = hypot(dx, dy);
    if (speed == 0) {
        *enter = -INFINITY, *leave = INFINITY;
        return hypot(ox, oy) <= r;
    }
    const double ex = dx / speed, ey = dy / speed, s = -(ox * ex + oy * ey), away = ox * ey - oy * ex;
    const double h = r * r - away * away;
    if (h < 0) return false;
    *enter = (s - sqrt(h)) / speed;
    *leave = (s + sqrt(h)) / speed;
    return true;
}

static d3 radial_normal(d3 x) { return d3_unit((d3){{x.e[0], x.e[1], 0}}); }

bool cd_ray_cylinder(const cd_shape_geometry* g, const cd_local_ray* ray, cd_local_hit* hit)
{
    const double oz = ray->origin.e[2], dz = ray->direction.e[2], l = g->size[1];
    double       enter, leave, low = -INFINITY, high = INFINITY;
    if (!cross_cylinder(ray, g->size[0], &enter, &leave)) return false;
    if (dz != 0)
        low = (copysign(l, -dz) - oz) / dz, high = (copysign(l, dz) - oz) / dz;
    else if (fabs(oz) > l)
        return false;
    const bool   cap = low > enter;
    const double t   = cap ? low : enter;
    if (t > fmin(leave, high) || !in_range(ray, t)) return false;
    *hit = (cd_local_hit){t, cap ? d3_scale(dz > 0 ? -1 : 1, d3_axis(2)) : radial_normal(cd_ray_at(ray, t)), 0};
    return true;
}

bool cd_ray_capsule(const cd_shape_geometry* g, const cd_local_ray* ray, cd_local_hit* hit)
{
    const double l = g->size[1];
    double       enter, leave, z = -INFINITY * ray->direction.e[2];
    if (!cross_cylinder(ray, g->size[0], &enter, &leave)) return false;
    if (enter > -INFINITY) z = cd_ray_at(ray, enter).e[2];
    if (fabs(z) > l) return hit_sphere(ray, (d3){{0, 0, copysign(l, z)}}, g->size[0], hit);
    if (!in_range(ray, enter)) return false;
    *hit = (cd_local_hit){enter, radial_normal(cd_ray_at(ray, enter)), 0};
    return true;
}
