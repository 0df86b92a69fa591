// SPDX-License-Identifier: BSD-3-Clause
// Rods and hinges in the plane x, y, described by calls.
#pragma once

#include <cardan/describe.h>

#include <stdio.h>

// A slender rod from (x, y) to (x + dx, y + dy); its frame is at its first end, parallel to the world.
static inline int add_rod(cardan_description* d, const char* name, int k, double mass, double x, double y, double dx,
                          double dy)
{
    char full[32];
    snprintf(full, sizeof full, "%s%d", name, k);
    cardan_body b = cardan_body_default(full);
    b.mass        = mass;
    b.pose.p[0]   = x;
    b.pose.p[1]   = y;
    b.centre[0]   = dx / 2;
    b.centre[1]   = dy / 2;
    b.inertia[0]  = mass * dy * dy / 12;
    b.inertia[1]  = mass * dx * dx / 12;
    b.inertia[2]  = mass * (dx * dx + dy * dy) / 12;
    b.inertia[3]  = -mass * dx * dy / 12;
    return cardan_description_add_body(d, &b);
}

// A hinge about z at (x1, y1) of the first body and (x2, y2) of the second, rotating at v [rad/s].
static inline void add_hinge(cardan_description* d, const char* name, int k, int first, int second, double x1,
                             double y1, double x2, double y2, double v)
{
    char full[32];
    snprintf(full, sizeof full, "%s%d", name, k);
    cardan_joint j      = cardan_joint_default(full, "revolute", first, second);
    j.frame_first.p[0]  = x1;
    j.frame_first.p[1]  = y1;
    j.frame_second.p[0] = x2;
    j.frame_second.p[1] = y2;
    j.start_v_given     = true;
    j.start_v[0]        = v;
    cardan_description_add_joint(d, &j);
}
