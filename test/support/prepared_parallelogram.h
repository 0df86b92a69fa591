// SPDX-License-Identifier: BSD-3-Clause
// The parallelogram of parallelogram.h in a prepared run, at states of given angle and angular velocity of its cranks,
// and an integrator whose dense output is a given motion.
#pragma once

#include "parallelogram.h"
#include "prepared_run.h"

static const double PARALLELOGRAM_DESIGN = 1; // [rad] angle in the design configuration

// Angle [rad] of the cranks at time t, and its rate.
typedef double (*angle_function)(double t, double* w);

typedef struct parallelogram_run {
    prepared_run   run;
    cardan_model*  tree_model; // in joint coordinates
    cardan_data*   tree;
    angle_function angle; // of the scripted integrator
} parallelogram_run;

static inline bool parallelogram_prepare(parallelogram_run* p, cardan_description* d, const char* formulation,
                                         const char* integrator, double end)
{
    const int dense = cardan_formulation_find("dense");
    *p              = (parallelogram_run){0};
    if (!run_prepare(&p->run, d, formulation, integrator, end)) return false;
    const bool good =
        cardan_model_compile(d, cardan_formulation_tree_policy(dense), &p->tree_model, NULL) == CARDAN_OK &&
        cardan_data_create(p->tree_model, dense, &p->tree, NULL) == CARDAN_OK;
    CHECK(good);
    return good;
}

static inline bool parallelogram_open(parallelogram_run* p, const char* formulation, double gravity)
{
    const double phi = PARALLELOGRAM_DESIGN;
    return parallelogram_prepare(p, parallelogram_at(cos(phi), sin(phi), 1, gravity), formulation, "dopri5", 10);
}

static inline void parallelogram_close(parallelogram_run* p)
{
    cardan_data_destroy(p->tree);
    cardan_model_destroy(p->tree_model);
    run_close(&p->run);
}

// Set x to the state with these coordinates and velocities of the joints (njoint), by their number.
static inline void set_joint_angles(parallelogram_run* p, double t, const double* angle, const double* rate,
                                    cd_ode_state* x)
{
    const cardan_model_view view  = cardan_model_get_view(p->tree_model);
    double                  q[16] = {0}, v[16] = {0};
    for (int j = 0; j < view.njoint; ++j)
        if (view.tree_range[j].q >= 0) {
            q[view.tree_range[j].q] = angle[j];
            v[view.tree_range[j].v] = rate[j];
        }
    CHECK(cardan_data_set_state(p->tree, t, q, v, NULL) == CARDAN_OK);
    CHECK(cardan_data_copy_state(p->tree, p->run.data) == CARDAN_OK);
    const cd_ode_system* system = run_system(&p->run);
    x->t                        = t;
    memcpy(x->q, p->run.data->q, (size_t)system->nq * sizeof *x->q);
    memcpy(x->z, p->run.data->v, (size_t)system->nv * sizeof *x->z);
    for (int i = system->nv; i < system->nz; ++i) x->z[i] = 0;
}

// Set x to the parallelogram with cranks at phi, rotating at w; every group of four joints is a parallelogram.
static inline void set_parallelogram(parallelogram_run* p, double t, double phi, double w, cd_ode_state* x)
{
    static const double sign[4] = {1, -1, 1, 1};
    double              angle[16], rate[16];
    for (int j = 0; j < 16; ++j) {
        angle[j] = sign[j % 4] * (phi - PARALLELOGRAM_DESIGN);
        rate[j]  = sign[j % 4] * w;
    }
    set_joint_angles(p, t, angle, rate, x);
}

// Two parallelograms, which share no joint, and a pendulum (joint 8).
static inline cardan_description* two_parallelograms(void)
{
    const double        c = cos(PARALLELOGRAM_DESIGN), s = sin(PARALLELOGRAM_DESIGN);
    cardan_description* d = cardan_description_create("two parallelograms");
    for (int k = 0; k < 2; ++k) {
        const double x  = 5 * k;
        const int crank = add_rod(d, "crank", k, 1, x, 0, c, s), coupler = add_rod(d, "coupler", k, 1, x + c, s, 2, 0),
                  rocker = add_rod(d, "rocker", k, 1, x + 2, 0, c, s);
        add_hinge(d, "a", k, CARDAN_GROUND, crank, x, 0, 0, 0, 1);
        add_hinge(d, "b", k, crank, coupler, c, s, 0, 0, -1);
        add_hinge(d, "c", k, coupler, rocker, 2, 0, c, s, 1);
        add_hinge(d, "d", k, CARDAN_GROUND, rocker, x + 2, 0, 0, 0, 1);
    }
    const int pendulum = add_rod(d, "pendulum", 0, 1, 0, 5, 1, 0);
    add_hinge(d, "p", 0, CARDAN_GROUND, pendulum, 0, 5, 0, 0, 0);
    return d;
}

// Set x to cranks of the first one at `first`, of the second one at `second`, rotating at 1 rad/s.
static inline void set_two_parallelograms(parallelogram_run* p, double t, double first, double second, cd_ode_state* x)
{
    double angle[9] = {0}, rate[9] = {0};
    for (int j = 0; j < 8; ++j) {
        angle[j] = (j % 4 == 1 ? -1 : 1) * ((j < 4 ? first : second) - PARALLELOGRAM_DESIGN);
        rate[j]  = j % 4 == 1 ? -1 : 1;
    }
    set_joint_angles(p, t, angle, rate, x);
}

static inline cardan_status scripted_dense_output(cd_ode_system* system, void* work, double t, cd_ode_state* x)
{
    parallelogram_run* p = work;
    double             w, phi = p->angle(t, &w);
    (void)system;
    set_parallelogram(p, t, phi, w, x);
    return CARDAN_OK;
}

// The last step began at t_start; its states are those of p->angle.
static inline cd_step_interior scripted_step(parallelogram_run* p, double t_start)
{
    static const cd_integrator scripted = {.name = "scripted", .dense_output = scripted_dense_output};
    return (cd_step_interior){.integrator = &scripted, .work = p, .t_start = t_start};
}
