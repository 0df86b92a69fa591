// SPDX-License-Identifier: BSD-3-Clause
// Random mechanisms with a constraint of a given type: trees with a hinge and a slide, with and without joints that
// close loops, and random data of the type.
#pragma once

#include "constraint/curve/curve.h"
#include "random_tree.h"
#include "test.h"

typedef struct scene {
    cardan_description* d;
    dice                dice;
    int                 marker[4];
} scene;

static inline cardan_expression law(scene* s, double scale)
{
    char              text[200];
    cardan_expression e;
    snprintf(text, sizeof text, "%.17g + %.17g*sin(%.17g*t) + %.17g*t^2", dice_range(&s->dice, -1, 1) * scale,
             dice_range(&s->dice, -1, 1) * scale, dice_range(&s->dice, 0.5, 3), dice_range(&s->dice, -1, 1) * scale);
    CHECK(cardan_description_parse(s->d, text, cardan_location_none(), &e, NULL) == CARDAN_OK);
    return e;
}

static inline int joint_velocities(const cardan_joint* joint, bool* plain)
{
    cd_elementary_joint step[CARDAN_JOINT_VELOCITIES_MAX];
    int                 nv = 0;
    const int           n  = cd_joint_type_find(joint->type)->elementary_joints(joint, step);
    *plain                 = n > 0;
    for (int i = 0; i < n; ++i) {
        nv += cd_motion_nv(step[i].motion);
        if (step[i].motion == CD_SPHERICAL) *plain = false;
    }
    return nv;
}

// A coordinate of a joint with one; the first joint of every scene is a hinge.
static inline void pick(scene* s, int i, cardan_constraint* c)
{
    const cardan_description_view view = cardan_description_get_view(s->d);
    for (int attempt = 0;; ++attempt) {
        bool      plain;
        const int j  = attempt > 50 ? i : dice_int(&s->dice, view.njoint);
        const int nv = joint_velocities(&view.joint[j], &plain);
        if (!plain) continue;
        const bool general = strcmp(view.joint[j].type, "general") == 0;
        c->joint[i]        = j;
        c->axis[i]         = dice_int(&s->dice, nv == 6 && !general ? 3 : nv);
        bool again         = false;
        for (int k = 0; k < i; ++k) again = again || (c->joint[k] == j && c->axis[k] == c->axis[i]);
        if (!again) return;
    }
}

static double points[3 * 8], weights[8], knots[16];

static inline cardan_curve random_curve(dice* d)
{
    cardan_curve c = {.npoint = 4 + dice_int(d, 5),
                      .point  = points,
                      .degree = dice_unit(d) < 0.5 ? 0 : 2 + dice_int(d, 2),
                      .closed = dice_unit(d) < 0.4};
    for (int i = 0; i < 3 * c.npoint; ++i) points[i] = dice_range(d, -2, 2);
    for (int i = 0; i < c.npoint; ++i) weights[i] = dice_range(d, 0.4, 2);
    if (dice_unit(d) < 0.6) c.weight = weights;
    if (dice_unit(d) < 0.4) {
        const int p = cd_curve_degree(&c);
        c.nknot     = c.closed ? c.npoint + 1 : c.npoint + p + 1;
        c.knot      = knots;
        knots[0]    = dice_range(d, -1, 1);
        for (int i = 1; i < c.nknot; ++i)
            knots[i] = knots[i - 1] + (!c.closed && (i <= p || i >= c.nknot - p) ? 0 : dice_range(d, 0.3, 1));
    }
    return c;
}

static inline void couple(scene* s, int n, cardan_constraint* c)
{
    c->njoint = n;
    for (int i = 0; i < n; ++i) pick(s, i, c);
    c->offset = dice_range(&s->dice, -1, 1);
}

// A random constraint of a type.
static inline cardan_constraint constraint_of(scene* s, const char* type)
{
    dice*             d = &s->dice;
    cardan_constraint c = cardan_constraint_default("held", type);
    c.marker[0]         = s->marker[dice_int(d, 2)];
    c.marker[1]         = s->marker[2 + dice_int(d, 2)];
    c.reference         = random_pose(d);
    c.locked            = (unsigned)dice_int(d, 64);
    if (strcmp(type, "lock") == 0)
        for (int i = 0; i < 6; ++i)
            if (dice_unit(d) < 0.5) c.driver[i] = law(s, 1);
    if (strcmp(type, "lock") == 0 && c.driver[0] == CARDAN_NONE) c.locked |= 1;
    c.length    = dice_range(d, 0.1, 2);
    c.radius[0] = dice_range(d, 0.1, 1);
    c.radius[1] = dice_range(d, 0.1, 1) * (dice_unit(d) < 0.5 ? -1 : 1);
    c.ratio     = dice_range(d, 1, 5);
    c.is_sphere = dice_unit(d) < 0.5;
    for (int i = 0; i < 2 && dice_unit(d) < 0.7; ++i) c.efficiency[i] = dice_range(d, 0.3, 1);
    c.curve = random_curve(d);
    for (int i = 0; i < 3; ++i) c.factor[i] = dice_range(d, 0.5, 3) * (dice_unit(d) < 0.5 ? -1 : 1);
    if (strcmp(type, "distance") == 0 && dice_unit(d) < 0.5) c.driver[0] = law(s, 1);
    if (strcmp(type, "follow") == 0) c.driver[0] = law(s, 0.7);
    if (strcmp(type, "gear") == 0 || strcmp(type, "belt") == 0 || strcmp(type, "worm") == 0) couple(s, 2, &c);
    if (strcmp(type, "coupler") == 0) couple(s, 2 + dice_int(d, 2), &c);
    if (strcmp(type, "driver") == 0) {
        couple(s, 1, &c);
        c.driver[0] = law(s, 1);
    }
    if (strcmp(type, "rack_pinion") == 0) {
        c.njoint   = 2;
        c.joint[0] = 0;
        c.joint[1] = 1;
    }
    return c;
}

// A random tree with a hinge and a slide, in some cases with joints that close loops, and markers.
static inline scene random_scene(uint64_t seed, int more, bool general)
{
    scene     s = {.d = cardan_description_create("scene"), .dice = {seed}};
    dice*     d = &s.dice;
    const int n = 3 + dice_int(d, 8);
    char      name[32];
    for (int i = 0; i < n; ++i) {
        snprintf(name, sizeof name, "body%d", i);
        cardan_body b = cardan_body_default(name);
        b.pose        = random_pose(d);
        random_inertia(d, &b);
        cardan_description_add_body(s.d, &b);
    }
    static const char* const fixed[2] = {"revolute", "prismatic"};
    for (int i = 0; i < n + more; ++i) {
        snprintf(name, sizeof name, "joint%d", i);
        const int    second = i < n ? i : dice_int(d, n);
        const int    first  = i < 2 ? i - 1 : i < n ? dice_int(d, i + 1) - 1 : (second + 1 + dice_int(d, n - 1)) % n;
        cardan_joint j      = random_joint(d, name, first, second);
        if (i < 2) j.type = fixed[i], j.nelementary = 0;
        if (!general && j.type[0] == 'g') j.type = "planar", j.nelementary = 0;
        j.naxis = 0;
        if (i >= n && (j.type[0] == 'g' || strcmp(j.type, "fixed") == 0 || strcmp(j.type, "free") == 0))
            j.type = "universal", j.nelementary = 0;
        cardan_description_add_joint(s.d, &j);
    }
    for (int i = 0; i < 4; ++i) {
        snprintf(name, sizeof name, "marker%d", i);
        const cardan_marker m = {.name = name,
                                 .body = i < 2    ? n - 1 - i
                                         : i == 2 ? CARDAN_GROUND
                                                  : 0,
                                 .pose = random_pose(d)};
        s.marker[i]           = cardan_description_add_marker(s.d, &m);
    }
    return s;
}
