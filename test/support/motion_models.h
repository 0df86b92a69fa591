// SPDX-License-Identifier: BSD-3-Clause
// Mechanisms with known motion for the tests of integrators and simulations.
#pragma once

#include "test.h"

#include <cardan/cardan.h>
#include <stdlib.h>

typedef struct rig {
    cardan_description* description;
    cardan_model*       model;
    cardan_data*        data;
    cardan_report       report;
} rig;

static const double gravity = 9.81;

// An empty description with gravity along -y.
static inline rig rig_begin(const char* name)
{
    rig r = {.description = cardan_description_create(name)};
    cardan_description_set_gravity(r.description, (const double[]){0, -gravity, 0});
    return r;
}

static inline cardan_expression rig_formula(rig* r, const char* formula)
{
    cardan_expression expression = CARDAN_NONE;
    CHECK(cardan_description_parse(r->description, formula, cardan_location_none(), &expression, &r->report) ==
          CARDAN_OK);
    return expression;
}

static inline int rig_state(rig* r, const char* name, double start)
{
    return cardan_description_add_state(r->description,
                                        &(cardan_user_state){.name = name, .start = start, .rate = CARDAN_NONE});
}

// Body of mass 1 with its centre at (0, -1, 0) and inertia 0.5 about it, rotating about z: q'' = -g sin(q) / 1.5
static inline void rig_add_pendulum(rig* r, const cardan_axis_properties* axis, double q, double v)
{
    cardan_body body = cardan_body_default("bob");
    body.mass        = 1;
    body.centre[1]   = -1;
    body.inertia[0] = body.inertia[1] = body.inertia[2] = 0.5;
    const int bob                                       = cardan_description_add_body(r->description, &body);

    cardan_joint joint  = cardan_joint_default("hinge", "revolute", CARDAN_GROUND, bob);
    joint.start_q_given = joint.start_v_given = true;
    joint.start_q[0]                          = q;
    joint.start_v[0]                          = v;
    joint.naxis                               = axis ? 1 : 0;
    joint.axis                                = axis;
    cardan_description_add_joint(r->description, &joint);
}

// Mass m on a slide along z, perpendicular to gravity.
static inline void rig_add_slider(rig* r, const cardan_axis_properties* axis, double mass, double q, double v)
{
    cardan_body body = cardan_body_default("block");
    body.mass        = mass;
    body.inertia[0] = body.inertia[1] = body.inertia[2] = 1;
    const int block                                     = cardan_description_add_body(r->description, &body);

    cardan_joint joint  = cardan_joint_default("slide", "prismatic", CARDAN_GROUND, block);
    joint.start_q_given = joint.start_v_given = true;
    joint.start_q[0]                          = q;
    joint.start_v[0]                          = v;
    joint.naxis                               = axis ? 1 : 0;
    joint.axis                                = axis;
    cardan_description_add_joint(r->description, &joint);
}

// Principal inertias 1, 2, 3, supported at the mass centre: tumbles about its middle axis.
static inline void rig_add_tumbler(rig* r, const double w[3])
{
    cardan_body body = cardan_body_default("brick");
    body.mass        = 1;
    for (int i = 0; i < 3; ++i) body.inertia[i] = i + 1;
    const int brick = cardan_description_add_body(r->description, &body);

    cardan_joint joint  = cardan_joint_default("ball", "spherical", CARDAN_GROUND, brick);
    joint.start_v_given = true;
    for (int i = 0; i < 3; ++i) joint.start_v[i] = w[i];
    cardan_description_add_joint(r->description, &joint);
}

static inline void rig_end(rig* r)
{
    const int formulation = cardan_formulation_find("semi");
    CHECK(cardan_model_compile(r->description, cardan_formulation_tree_policy(formulation), &r->model, &r->report) ==
          CARDAN_OK);
    CHECK(cardan_data_create(r->model, formulation, &r->data, &r->report) == CARDAN_OK);
    for (int i = 0; i < r->report.count; ++i) printf("%s\n", r->report.message[i].text);
}

static inline void rig_free(rig* r)
{
    cardan_data_destroy(r->data);
    cardan_model_destroy(r->model);
    cardan_description_destroy(r->description);
}

// Copy of the last sample of a run.
typedef struct final_sample {
    double t, q[16], v[16], state[4];
    int    nq, nv, ns;
} final_sample;

static inline bool keep_final(void* user, cardan_data* data, const cardan_sample* sample)
{
    final_sample*           f    = user;
    const cardan_model_view view = cardan_model_get_view(cardan_data_model(data));
    f->t                         = sample->t;
    f->nq                        = view.nq;
    f->nv                        = view.nv;
    f->ns                        = view.nstate;
    for (int i = 0; i < view.nq; ++i) f->q[i] = sample->q[i];
    for (int i = 0; i < view.nv; ++i) f->v[i] = sample->v[i];
    for (int i = 0; i < view.nstate; ++i) f->state[i] = sample->state[i];
    return true;
}
