// SPDX-License-Identifier: BSD-3-Clause
// Watertight test of a ray against triangles (Woop, Benthin & Wald, Watertight ray/triangle intersection, Journal of
// Computer Graphics Techniques 2, 2013). Corners are moved to the origin of the ray and sheared so that the ray points
// along an axis; the signs of the areas
//
//     u = B x C,   v = C x A,   w = A x B          (components orthogonal to that axis)
//
// decide. An edge gives the same area with the opposite sign in the two triangles that have it, bit by bit (without fused
// multiply-add), and zero counts as inside for both: no ray passes between them. Seen from the front they are negative.
#pragma once

#include "contact/ray/ray_shape.h"

typedef struct cd_sheared_ray {
    d3     origin;
    int    x, y, z;    // axes; z: largest component of the direction
    double sx, sy, sz; // direction x/z, y/z, 1/z
} cd_sheared_ray;

static inline cd_sheared_ray cd_shear(const cd_local_ray* ray)
{
    const d3 d = ray->direction;
    int      z = 0;
    for (int i = 1; i < 3; ++i)
        if (fabs(d.e[i]) > fabs(d.e[z])) z = i;
    int x = (z + 1) % 3, y = (z + 2) % 3;
    if (d.e[z] < 0) { // keep the orientation
        const int t = x;
        x           = y;
        y           = t;
    }
    return (cd_sheared_ray){ray->origin, x, y, z, d.e[x] / d.e[z], d.e[y] / d.e[z], 1 / d.e[z]};
}

// Distance t < limit at which the front of a triangle is hit; false: it is not. A hit at t = limit counts if `tie`.
static inline bool cd_ray_triangle(const cd_sheared_ray* r, const d3* p0, const d3* p1, const d3* p2, double limit,
                                   bool tie, double* t)
{
    const double az = p0->e[r->z] - r->origin.e[r->z], bz = p1->e[r->z] - r->origin.e[r->z];
    const double cz = p2->e[r->z] - r->origin.e[r->z];
    const double ax = p0->e[r->x] - r->origin.e[r->x] - r->sx * az, ay = p0->e[r->y] - r->origin.e[r->y] - r->sy * az;
    const double bx = p1->e[r->x] - r->origin.e[r->x] - r->sx * bz, by = p1->e[r->y] - r->origin.e[r->y] - r->sy * bz;
    const double cx = p2->e[r->x] - r->origin.e[r->x] - r->sx * cz, cy = p2->e[r->y] - r->origin.e[r->y] - r->sy * cz;
    const double u = bx * cy - by * cx, v = cx * ay - cy * ax, w = ax * by - ay * bx;
    if (u > 0 || v > 0 || w > 0) return false;
    const double det = u + v + w;
    if (det == 0) return false;
    const double distance = r->sz * (u * az + v * bz + w * cz) / det;
    if (!(distance >= 0 && (distance < limit || (tie && distance == limit)))) return false;
    *t = distance;
    return true;
}
