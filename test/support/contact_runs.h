// SPDX-License-Identifier: BSD-3-Clause
// Mechanisms with contacts, built by the interface, and runs that record their events.
#pragma once

#include "test.h"

#include <cardan/cardan.h>

#include <math.h>
#include <string.h>

enum { CONTACT_EVENTS_MAX = 4000 };

static const double contact_gravity = 9.81;

typedef struct contact_case {
    cardan_description* description;
    cardan_model*       model;
    cardan_data*        data;
    cardan_report       report;
    cardan_run_settings run;
    cardan_run_summary  summary;
    cardan_event        event[CONTACT_EVENTS_MAX];
    int                 nevent;
    // displacement since the first sample, and velocity, at the last sample
    double t, q[60], q_first[60], v[60];
    long   nsample;
    bool (*at_sample)(struct contact_case* c, cardan_data* data, const cardan_sample* sample);
    void*  user;
    double observed[8]; // by at_sample
} contact_case;

// A description with one material; restitution, static and kinetic friction.
static inline void contact_begin(contact_case* c, double restitution, double mu_s, double mu_k)
{
    memset(c, 0, sizeof *c);
    c->description              = cardan_description_create("contacts");
    const cardan_material m     = cardan_material_default("stone");
    const int             stone = cardan_description_add_material(c->description, &m);
    cardan_material_pair  pair  = cardan_material_pair_default(stone, stone);
    pair.static_friction        = mu_s;
    pair.kinetic_friction       = mu_k;
    pair.restitution            = restitution;
    cardan_description_add_material_pair(c->description, &pair);
    c->run                = cardan_run_default();
    c->run.stop_condition = CARDAN_NONE;
}

// Gravity on a slope that falls by `angle` along x; the ground is z = 0.
static inline void contact_tilt(contact_case* c, double angle)
{
    const double g[3] = {contact_gravity * sin(angle), 0, -contact_gravity * cos(angle)};
    cardan_description_set_gravity(c->description, g);
}

static inline int contact_add_shape(contact_case* c, int body, cardan_shape_kind kind, double a, double b, double d)
{
    cardan_shape shape = cardan_shape_default(body, kind);
    shape.size[0]      = a;
    shape.size[1]      = b;
    shape.size[2]      = d;
    shape.material     = "stone";
    shape.rounding     = 0;
    return cardan_description_add_shape(c->description, &shape);
}

static inline void contact_add_ground(contact_case* c)
{
    contact_add_shape(c, CARDAN_GROUND, CARDAN_SHAPE_PLANE, 1, 1, 0);
}

// A free body; its velocity coordinates are v in world axes, then w in body axes.
static inline int contact_add_body(contact_case* c, const char* name, double mass, const double inertia[3],
                                   const double position[3], const double v[6])
{
    cardan_body body = cardan_body_default(name);
    body.mass        = mass;
    for (int i = 0; i < 3; ++i) {
        body.inertia[i] = inertia[i];
        body.pose.p[i]  = position[i];
    }
    const int index = cardan_description_add_body(c->description, &body);
    char      joint_name[60];
    snprintf(joint_name, sizeof joint_name, "%s free", name);
    cardan_joint joint  = cardan_joint_default(joint_name, "free", CARDAN_GROUND, index);
    joint.frame_first   = body.pose;
    joint.start_v_given = true;
    for (int i = 0; i < 6; ++i) joint.start_v[i] = v ? v[i] : 0;
    cardan_description_add_joint(c->description, &joint);
    return index;
}

static inline int contact_add_ball(contact_case* c, const char* name, double mass, double radius,
                                   const double position[3], const double v[6])
{
    const double I = 0.4 * mass * radius * radius;
    const int    b = contact_add_body(c, name, mass, (const double[3]){I, I, I}, position, v);
    contact_add_shape(c, b, CARDAN_SHAPE_SPHERE, radius, 0, 0);
    return b;
}

// size: full lengths
static inline int contact_add_box(contact_case* c, const char* name, double mass, const double size[3],
                                  const double position[3], const double v[6])
{
    const double x = size[0] * size[0], y = size[1] * size[1], z = size[2] * size[2];
    const int    b = contact_add_body(
           c, name, mass, (const double[3]){mass * (y + z) / 12, mass * (x + z) / 12, mass * (x + y) / 12}, position, v);
    contact_add_shape(c, b, CARDAN_SHAPE_BOX, size[0], size[1], size[2]);
    return b;
}

// A body that moves in the plane y = const: general joint with translations x, z, and with a rotation about y.
static inline int contact_add_planar_body(contact_case* c, const char* name, double mass, double inertia,
                                          const double position[3], bool turns, const double v[3], double stiffness)
{
    cardan_body body = cardan_body_default(name);
    body.mass        = mass;
    for (int i = 0; i < 3; ++i) {
        body.inertia[i] = inertia;
        body.pose.p[i]  = position[i];
    }
    const int index = cardan_description_add_body(c->description, &body);
    char      joint_name[60];
    snprintf(joint_name, sizeof joint_name, "%s plane", name);
    cardan_joint joint  = cardan_joint_default(joint_name, "general", CARDAN_GROUND, index);
    joint.frame_first   = body.pose;
    joint.nelementary   = turns ? 3 : 2;
    joint.elementary[0] = (cardan_elementary_joint){true, {1, 0, 0}};
    joint.elementary[1] = (cardan_elementary_joint){true, {0, 0, 1}};
    joint.elementary[2] = (cardan_elementary_joint){false, {0, 1, 0}};
    joint.start_v_given = true;
    for (int i = 0; i < joint.nelementary; ++i) joint.start_v[i] = v ? v[i] : 0;
    cardan_axis_properties axis[3] = {cardan_axis_properties_default(), cardan_axis_properties_default(),
                                      cardan_axis_properties_default()};
    axis[0].stiffness              = stiffness;
    joint.naxis                    = joint.nelementary;
    joint.axis                     = axis;
    cardan_description_add_joint(c->description, &joint);
    const cardan_contact_pair pair = {.body = {index, CARDAN_GROUND}}; // although the joint connects them
    cardan_description_add_contact_pair(c->description, &pair);
    return index;
}

// A body that a driver moves along x, or turns about z.
static inline int contact_add_driven_body(contact_case* c, const char* name, const char* joint_type, const char* motion)
{
    cardan_body body = cardan_body_default(name);
    body.mass        = 1;
    for (int i = 0; i < 3; ++i) body.inertia[i] = 1;
    const int    index = cardan_description_add_body(c->description, &body);
    char         joint_name[60];
    const double origin[3] = {0, 0, 0}, x[3] = {1, 0, 0}, z[3] = {0, 0, 1};
    snprintf(joint_name, sizeof joint_name, "%s drive", name);
    const cardan_joint joint = cardan_joint_at(c->description, joint_name, joint_type, CARDAN_GROUND, index, origin,
                                               strcmp(joint_type, "prismatic") == 0 ? x : z);
    const int          j     = cardan_description_add_joint(c->description, &joint);
    cardan_expression  e     = CARDAN_NONE;
    CHECK(cardan_description_parse(c->description, motion, cardan_location_none(), &e, &c->report) == CARDAN_OK);
    CHECK(cardan_description_set_joint_drivers(c->description, j, 1, &e));
    return index;
}

static inline bool contact_compile(contact_case* c, const char* formulation)
{
    const int  index = cardan_formulation_find(formulation);
    const bool good  = cardan_model_compile(c->description, cardan_formulation_tree_policy(index), &c->model,
                                            &c->report) == CARDAN_OK &&
                      cardan_data_create(c->model, index, &c->data, &c->report) == CARDAN_OK;
    for (int i = 0; i < c->report.count; ++i) printf("%s\n", c->report.message[i].text);
    CHECK(good);
    return good;
}

static bool contact_sample(void* user, cardan_data* data, const cardan_sample* sample)
{
    contact_case*           c    = user;
    const cardan_model_view view = cardan_model_get_view(c->model);
    c->t                         = sample->t;
    for (int i = 0; i < view.nq && i < 60; ++i) {
        if (c->nsample == 0) c->q_first[i] = sample->q[i];
        c->q[i] = sample->q[i] - c->q_first[i];
    }
    ++c->nsample;
    for (int i = 0; i < view.nv && i < 60; ++i) c->v[i] = sample->v[i];
    return !c->at_sample || c->at_sample(c, data, sample);
}

static void contact_event(void* user, cardan_data* data, const cardan_event* event)
{
    contact_case* c = user;
    (void)data;
    if (c->nevent < CONTACT_EVENTS_MAX) c->event[c->nevent++] = *event;
}

static inline cardan_status contact_simulate(contact_case* c, double end)
{
    c->run.end                 = end;
    c->run.sample_callback     = contact_sample;
    c->run.event_callback      = contact_event;
    c->run.user                = c;
    const int           before = c->report.count;
    const cardan_status status = cardan_simulate(c->data, &c->run, &c->summary, &c->report);
    for (int i = before; i < c->report.count; ++i) printf("%s\n", c->report.message[i].text);
    return status;
}

// The k-th event of a kind, from 0; NULL: there is none.
static inline const cardan_event* contact_event_of(const contact_case* c, cardan_event_kind kind, int k)
{
    for (int i = 0; i < c->nevent; ++i)
        if (c->event[i].kind == kind && k-- == 0) return &c->event[i];
    return NULL;
}

static inline void contact_end(contact_case* c)
{
    cardan_data_destroy(c->data);
    cardan_model_destroy(c->model);
    cardan_description_destroy(c->description);
}
