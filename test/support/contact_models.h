// SPDX-License-Identifier: BSD-3-Clause
// Mechanisms with rigid contacts, described by calls. Contacts are closed at the start up to the given gaps, so that forces
// and impulses can be compared; velocities are those of the start or set by the test.
#pragma once

#include <cardan/cardan.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct contact_mechanism {
    const char* name;
    cardan_description* (*describe)(void);
} contact_mechanism;

static inline void add_rolling_materials(cardan_description* d, double mu_static, double mu_kinetic, double restitution,
                                         double rolling, double spinning)
{
    cardan_material rubber = cardan_material_default("rubber"), stone = cardan_material_default("stone");
    const int first = cardan_description_add_material(d, &rubber), second = cardan_description_add_material(d, &stone);
    cardan_material_pair pair = cardan_material_pair_default(first, second);
    pair.static_friction      = mu_static;
    pair.kinetic_friction     = mu_kinetic;
    pair.restitution          = restitution;
    pair.rolling_friction     = rolling;
    pair.spinning_friction    = spinning;
    cardan_description_add_material_pair(d, &pair);
    cardan_material_pair same = pair;
    same.material[1]          = first;
    cardan_description_add_material_pair(d, &same);
}

static inline void add_materials(cardan_description* d, double mu_static, double mu_kinetic, double restitution)
{
    add_rolling_materials(d, mu_static, mu_kinetic, restitution, 0, 0);
}

static inline int add_contact_body(cardan_description* d, const char* name, double mass, double Ixx, double Iyy,
                                   double Izz, double x, double y, double z)
{
    cardan_body b = cardan_body_default(name);
    b.mass        = mass;
    b.inertia[0] = Ixx, b.inertia[1] = Iyy, b.inertia[2] = Izz;
    b.pose.p[0] = x, b.pose.p[1] = y, b.pose.p[2] = z;
    return cardan_description_add_body(d, &b);
}

static inline void add_touching(cardan_description* d, int body, cardan_shape_kind kind, double a, double b, double c,
                                cardan_pose pose, const char* material)
{
    cardan_shape s = cardan_shape_default(body, kind);
    s.size[0] = a, s.size[1] = b, s.size[2] = c;
    s.pose     = pose;
    s.material = material;
    s.rounding = 0;
    cardan_description_add_shape(d, &s);
}

static inline cardan_pose at(double x, double y, double z)
{
    cardan_pose T = cardan_pose_default();
    T.p[0] = x, T.p[1] = y, T.p[2] = z;
    return T;
}

static inline cardan_pose turned(double x, double y, double z, int axis, double angle)
{
    cardan_pose T = at(x, y, z);
    T.q[0]        = cos(angle / 2);
    T.q[1 + axis] = sin(angle / 2);
    return T;
}

static inline void add_floor(cardan_description* d)
{
    add_touching(d, CARDAN_GROUND, CARDAN_SHAPE_PLANE, 1, 1, 0, at(0, 0, 0), "stone");
}

// A ball that rolls, slides and spins on a floor.
static inline cardan_description* describe_ball(void)
{
    cardan_description* d = cardan_description_create("ball");
    add_materials(d, 0.6, 0.4, 0.5);
    const int ball = add_contact_body(d, "ball", 2, 0.05, 0.07, 0.06, 0.1, 0.2, 0.3);
    add_touching(d, ball, CARDAN_SHAPE_SPHERE, 0.3, 0, 0, at(0, 0, 0), "rubber");
    add_floor(d);
    cardan_joint j    = cardan_joint_default("free", "free", CARDAN_GROUND, ball);
    j.frame_first     = at(0.1, 0.2, 0.3);
    j.start_v_given   = true;
    const double v[6] = {0.3, -0.2, -0.5, 1, 2, 3};
    memcpy(j.start_v, v, sizeof v);
    cardan_description_add_joint(d, &j);
    return d;
}

// A box on an incline, with four contact points, spinning and rolling friction.
static inline cardan_description* describe_box(void)
{
    cardan_description* d = cardan_description_create("box");
    add_rolling_materials(d, 0.6, 0.4, 0.3, 0.01, 0.02);
    const double angle = 0.3;
    cardan_body  b     = cardan_body_default("box");
    b.mass             = 3;
    b.inertia[0] = 0.03, b.inertia[1] = 0.05, b.inertia[2] = 0.06;
    b.pose        = turned(0.2 * sin(angle), 0, 0.2 * cos(angle), 1, angle);
    const int box = cardan_description_add_body(d, &b);
    add_touching(d, box, CARDAN_SHAPE_BOX, 0.6, 0.5, 0.4, at(0, 0, 0), "rubber");
    add_touching(d, CARDAN_GROUND, CARDAN_SHAPE_PLANE, 1, 1, 0, turned(0, 0, 0, 1, angle), "stone");
    return d;
}

static inline void add_planar_hinge(cardan_description* d, const char* name, int first, int second, double x, double z,
                                    double rate)
{
    const double point[3] = {x, 0, z}, axis[3] = {0, 1, 0};
    cardan_joint j  = cardan_joint_at(d, name, "revolute", first, second, point, axis);
    j.start_v_given = true;
    j.start_v[0]    = rate;
    cardan_description_add_joint(d, &j);
}

// A rod from (x0, z0) to (x1, z1), its frame at the middle.
static inline int add_planar_rod(cardan_description* d, const char* name, double mass, double x0, double z0, double x1,
                                 double z1)
{
    const double dx = x1 - x0, dz = z1 - z0, s = mass / 12;
    cardan_body  b = cardan_body_default(name);
    b.mass         = mass;
    b.inertia[0]   = s * (dz * dz + 1e-3);
    b.inertia[1]   = s * (dx * dx + dz * dz);
    b.inertia[2]   = s * (dx * dx + 1e-3);
    b.inertia[4]   = -s * dx * dz;
    b.pose         = at((x0 + x1) / 2, 0, (z0 + z1) / 2);
    return cardan_description_add_body(d, &b);
}

// A five-bar linkage, a closed loop, whose lowest joint touches the floor with a small sphere.
static inline cardan_description* describe_five_bar_with(double mass)
{
    cardan_description* d = cardan_description_create("five-bar");
    add_materials(d, 0.8, 0.5, 0.4);
    const int a = add_planar_rod(d, "a", 1, -0.4, 1, -0.7, 0.6), b = add_planar_rod(d, "b", 0.8, -0.7, 0.6, 0.05, 0.1),
              c = add_planar_rod(d, "c", 1.2, 0.05, 0.1, 0.6, 0.7),
              e = add_planar_rod(d, "e", mass, 0.6, 0.7, 0.4, 1.1);
    add_planar_hinge(d, "A", CARDAN_GROUND, a, -0.4, 1, -0.5);
    add_planar_hinge(d, "B", a, b, -0.7, 0.6, 0.8);
    add_planar_hinge(d, "C", b, c, 0.05, 0.1, 0);
    add_planar_hinge(d, "D", c, e, 0.6, 0.7, 0);
    add_planar_hinge(d, "E", e, CARDAN_GROUND, 0.4, 1.1, 0);
    add_touching(d, b, CARDAN_SHAPE_SPHERE, 0.1, 0, 0, at(0.05 + 0.325, 0, 0.1 - 0.35), "rubber");
    add_floor(d);
    return d;
}

static inline cardan_description* describe_five_bar(void) { return describe_five_bar_with(0.7); }
static inline cardan_description* describe_massless_link(void) { return describe_five_bar_with(0); }

// Three links, each with a sphere that touches the floor; the sphere of the last one is described twice.
static inline cardan_description* describe_chain(void)
{
    cardan_description* d = cardan_description_create("chain");
    add_materials(d, 0.7, 0.3, 0.2);
    int previous = CARDAN_GROUND;
    for (int i = 0; i < 3; ++i) {
        char name[20], joint[20];
        snprintf(name, sizeof name, "link%d", i);
        snprintf(joint, sizeof joint, "joint%d", i);
        const int link = add_contact_body(d, name, 1 + 0.3 * i, 0.02, 0.06, 0.05, i + 0.5, 0.3 * i * i, 0.2);
        add_touching(d, link, CARDAN_SHAPE_SPHERE, 0.2, 0, 0, at(0.2, 0, 0), "rubber");
        if (i == 2) add_touching(d, link, CARDAN_SHAPE_SPHERE, 0.2, 0, 0, at(0.2, 0, 0), "rubber");
        const double point[3] = {i, 0.2 * i, 0.2}, axis[3] = {0, i % 2, 1 - i % 2};
        cardan_joint j =
            i == 0 ? cardan_joint_default("base", "free", CARDAN_GROUND, link)
                   : cardan_joint_at(d, joint, i == 2 ? "spherical" : "revolute", previous, link, point, axis);
        if (i == 0) j.frame_first = at(0.5, 0, 0.2);
        const double rate[6] = {0.3, -0.2, -0.6, 0.4, -0.5, 0.1};
        j.start_v_given      = true;
        for (int k = 0; k < (i == 0 ? 6 : i == 2 ? 3 : 1); ++k) j.start_v[k] = i == 0 ? rate[k] : rate[k] - 0.3;
        cardan_description_add_joint(d, &j);
        previous = link;
    }
    add_floor(d);
    return d;
}

// A ball on a plate that shakes and turns, and a carriage with a rigid stop and dry friction on it.
static inline cardan_description* describe_driven_plate(void)
{
    cardan_description* d      = cardan_description_create("driven plate");
    cardan_report       report = {0};
    add_materials(d, 0.6, 0.4, 0.5);
    const int plate = add_contact_body(d, "plate", 5, 0.3, 0.3, 0.5, 0, 0, 0),
              ball  = add_contact_body(d, "ball", 1, 0.02, 0.02, 0.02, 0.3, 0.1, 0.25),
              block = add_contact_body(d, "block", 1.5, 0.02, 0.03, 0.04, -0.5, 0, 0.1);
    add_touching(d, plate, CARDAN_SHAPE_PLANE, 1, 1, 0, at(0, 0, 0), "stone");
    add_touching(d, ball, CARDAN_SHAPE_SPHERE, 0.25, 0, 0, at(0, 0, 0), "rubber");
    cardan_joint      turn = cardan_joint_default("turn", "revolute", CARDAN_GROUND, plate);
    cardan_expression law  = CARDAN_NONE;
    cardan_description_parse(d, "0.7*t + 0.1*sin(3*t)", cardan_location_none(), &law, &report);
    turn.ndriver = 1;
    turn.driver  = &law;
    cardan_description_add_joint(d, &turn);
    cardan_joint free = cardan_joint_default("free", "free", CARDAN_GROUND, ball);
    free.frame_first  = at(0.3, 0.1, 0.25);
    const double v[6] = {0.4, -0.3, -0.8, 0.5, 1, -0.7};
    memcpy(free.start_v, v, sizeof v);
    free.start_v_given = true;
    cardan_description_add_joint(d, &free);
    const double           point[3] = {-0.5, 0, 0.1}, axis[3] = {1, 0, 0};
    cardan_joint           slide = cardan_joint_at(d, "slide", "prismatic", plate, block, point, axis);
    cardan_axis_properties p     = cardan_axis_properties_default();
    p.rigid_stop                 = true;
    p.upper                      = 0;
    p.stop_restitution           = 0.6;
    p.sticking_friction          = true;
    p.friction_forward = p.friction_backward = 2;
    p.static_friction_forward = p.static_friction_backward = 3;
    slide.naxis                                            = 1;
    slide.axis                                             = &p;
    cardan_description_add_joint(d, &slide);
    return d;
}

// A ball in the hollow of a smooth height field, between its points.
static inline cardan_description* describe_hollow(void)
{
    enum { N = 8 };
    double              height[N * N];
    cardan_description* d = cardan_description_create("hollow");
    add_materials(d, 0.6, 0.4, 0.5);
    for (int i = 0; i < N * N; ++i) {
        const double x = 0.25 * (i % N - 3.5), y = 0.25 * (i / N - 3.5);
        height[i] = 0.3 * x * x + 0.15 * y * y;
    }
    cardan_shape field = cardan_shape_default(CARDAN_GROUND, CARDAN_SHAPE_HEIGHT_FIELD);
    field.field        = (cardan_height_grid){.nx = N, .ny = N, .spacing = {0.25, 0.25}, .height = height};
    field.field.smooth = true;
    field.material     = "stone";
    const int    ball  = add_contact_body(d, "ball", 2, 0.05, 0.07, 0.06, 0, 0, 0.3);
    cardan_joint j     = cardan_joint_default("free", "free", CARDAN_GROUND, ball);
    const double v[6]  = {0.3, -0.2, -0.5, 1, 2, 3};
    cardan_description_add_shape(d, &field);
    add_touching(d, ball, CARDAN_SHAPE_SPHERE, 0.3, 0, 0, at(0, 0, 0), "rubber");
    j.frame_first   = at(0, 0, 0.3);
    j.start_v_given = true;
    memcpy(j.start_v, v, sizeof v);
    cardan_description_add_joint(d, &j);
    return d;
}

// A ball on two fingers, which a bar connects to a loop: contacts between moving bodies.
static inline cardan_description* describe_gripper(void)
{
    cardan_description* d = cardan_description_create("gripper");
    add_materials(d, 0.9, 0.6, 0.3);
    const int left  = add_planar_rod(d, "left", 1, -0.3, 0.6, -0.3, 0),
              right = add_planar_rod(d, "right", 0.8, 0.3, 0.6, 0.3, 0),
              bar   = add_planar_rod(d, "bar", 0.2, -0.3, 0.35, 0.3, 0.2),
              ball  = add_contact_body(d, "ball", 0.5, 0.01, 0.01, 0.012, 0, 0, 0);
    add_planar_hinge(d, "A", CARDAN_GROUND, left, -0.3, 0.6, 0.4);
    add_planar_hinge(d, "B", CARDAN_GROUND, right, 0.3, 0.6, 0.4);
    add_planar_hinge(d, "C", left, bar, -0.3, 0.35, -0.4);
    add_planar_hinge(d, "D", bar, right, 0.3, 0.2, 0.4);
    cardan_joint j    = cardan_joint_default("free", "free", CARDAN_GROUND, ball);
    const double v[6] = {0.2, 0.1, -0.5, 1, -2, 0.5};
    j.start_v_given   = true;
    memcpy(j.start_v, v, sizeof v);
    cardan_description_add_joint(d, &j);
    const double h = sqrt(0.3 * 0.3 - 0.28 * 0.28 - 0.02 * 0.02); // of the centre of the ball above those of the tips
    add_touching(d, ball, CARDAN_SHAPE_SPHERE, 0.2, 0, 0, at(0, 0, 0), "rubber");
    add_touching(d, left, CARDAN_SHAPE_SPHERE, 0.1, 0, 0, at(0.3 - 0.28, 0.02, -0.3 - h), "stone");
    add_touching(d, right, CARDAN_SHAPE_SPHERE, 0.1, 0, 0, at(0.28 - 0.3, 0.02, -0.3 - h), "stone");
    const cardan_contact_pair fingers = {.body = {left, right}, .ignored = true};
    cardan_description_add_contact_pair(d, &fingers);
    return d;
}

// Two balls in free flight that touch each other, one of them held by a loop of massless rods' joints to ground: none.
static inline cardan_description* describe_two_balls(void)
{
    cardan_description* d = cardan_description_create("two balls");
    add_materials(d, 0.3, 0.3, 0.8);
    const double s = 0.25 / 3;
    const int    a = add_contact_body(d, "first", 1, 0.004, 0.004, 0.004, 0, 0, 0),
              b    = add_contact_body(d, "second", 2, 0.01, 0.01, 0.01, s, 2 * s, -2 * s);
    add_touching(d, a, CARDAN_SHAPE_SPHERE, 0.1, 0, 0, at(0, 0, 0), "rubber");
    add_touching(d, b, CARDAN_SHAPE_SPHERE, 0.15, 0, 0, at(0, 0, 0), "stone");
    const double gravity[3] = {0, 0, 0};
    cardan_description_set_gravity(d, gravity);
    for (int i = 0; i < 2; ++i) {
        cardan_joint j    = cardan_joint_default(i ? "joint b" : "joint a", "free", CARDAN_GROUND, i ? b : a);
        const double v[6] = {i ? -1 : 0.5, 0.2, i ? 0.3 : -0.4, 2, i ? 1 : -3, 0.5};
        if (i) j.frame_first = at(s, 2 * s, -2 * s);
        j.start_v_given = true;
        memcpy(j.start_v, v, sizeof v);
        cardan_description_add_joint(d, &j);
    }
    return d;
}

static const contact_mechanism contact_mechanisms[] = {
    {"ball", describe_ball},           {"box", describe_box},
    {"five-bar", describe_five_bar},   {"five-bar with a massless link", describe_massless_link},
    {"chain", describe_chain},         {"driven plate", describe_driven_plate},
    {"hollow", describe_hollow},       {"gripper", describe_gripper},
    {"two balls", describe_two_balls},
};
enum { CONTACT_MECHANISMS = sizeof contact_mechanisms / sizeof *contact_mechanisms };
