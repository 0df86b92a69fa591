// SPDX-License-Identifier: BSD-3-Clause
// Vectors of pictures. Quaternions are scalar first and map body to world coordinates.
#pragma once

#include <cardan/describe.h>
#include <math.h>

typedef struct cd_xyz {
    double x, y, z;
} cd_xyz;

typedef struct cd_xy {
    double x, y;
} cd_xy;

static inline cd_xyz xyz_of(const double v[3]) { return (cd_xyz){v[0], v[1], v[2]}; }
static inline cd_xyz xyz_add(cd_xyz a, cd_xyz b) { return (cd_xyz){a.x + b.x, a.y + b.y, a.z + b.z}; }
static inline cd_xyz xyz_sub(cd_xyz a, cd_xyz b) { return (cd_xyz){a.x - b.x, a.y - b.y, a.z - b.z}; }
static inline cd_xyz xyz_scale(double s, cd_xyz a) { return (cd_xyz){s * a.x, s * a.y, s * a.z}; }
static inline cd_xyz xyz_add_scaled(cd_xyz a, double s, cd_xyz d) { return xyz_add(a, xyz_scale(s, d)); }
static inline double xyz_dot(cd_xyz a, cd_xyz b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline double xyz_length(cd_xyz a) { return sqrt(xyz_dot(a, a)); }
static inline double xyz_distance(cd_xyz a, cd_xyz b) { return xyz_length(xyz_sub(a, b)); }
static inline bool   xyz_finite(cd_xyz a) { return isfinite(a.x + a.y + a.z); }

static inline cd_xyz xyz_cross(cd_xyz a, cd_xyz b)
{
    return (cd_xyz){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

// Unit vector; the zero vector is returned unchanged.
static inline cd_xyz xyz_unit(cd_xyz a)
{
    const double length = xyz_length(a);
    return length > 0 ? xyz_scale(1 / length, a) : a;
}

// R(q) v = v + 2 s (u x v) + 2 u x (u x v), q = (s, u)
static inline cd_xyz xyz_rotate(const double q[4], cd_xyz v)
{
    const cd_xyz u = {q[1], q[2], q[3]};
    const cd_xyz t = xyz_scale(2, xyz_cross(u, v));
    return xyz_add(xyz_add(v, xyz_scale(q[0], t)), xyz_cross(u, t));
}

// World coordinates of a point given in the frame `pose`.
static inline cd_xyz xyz_transform(const cardan_pose* pose, cd_xyz inner)
{
    return xyz_add(xyz_of(pose->p), xyz_rotate(pose->q, inner));
}

// Composition a * b: pose of frame b, which is given in frame a, in the world.
static inline cardan_pose pose_compose(const cardan_pose* a, const cardan_pose* b)
{
    const cd_xyz  p = xyz_transform(a, xyz_of(b->p));
    const double *s = a->q, *t = b->q;
    return (cardan_pose){.p = {p.x, p.y, p.z},
                         .q = {s[0] * t[0] - s[1] * t[1] - s[2] * t[2] - s[3] * t[3],
                               s[0] * t[1] + s[1] * t[0] + s[2] * t[3] - s[3] * t[2],
                               s[0] * t[2] - s[1] * t[3] + s[2] * t[0] + s[3] * t[1],
                               s[0] * t[3] + s[1] * t[2] - s[2] * t[1] + s[3] * t[0]}};
}
