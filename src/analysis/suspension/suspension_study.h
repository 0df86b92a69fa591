// SPDX-License-Identifier: BSD-3-Clause
// Inside of a suspension study.
#pragma once

#include "analysis/suspension/quasi_static.h"

#include <cardan/suspension.h>

typedef struct cd_suspension_wheel {
    int    driver, row;    // travel: number of the driver, row of the closure
    int    side;           // +1: left
    vec3   spin_axis;      // spin, outward, in the hub's axes
    vec3   design_contact; // [m] in the design position
    double design_steer;   // [rad] in the design position
} cd_suspension_wheel;

struct cardan_suspension_study {
    cardan_description*      description;
    cardan_view              view;
    const cardan_suspension* suspension;
    cardan_model*            model;
    cardan_data*             data;
    cd_quasi_static*         equilibrium;
    bool*                    is_ignored; // (nv) what has nothing to do with the wheels and the steering
    cd_suspension_wheel*     wheel;      // (nwheel)
    int                      steering_driver, steering_row;
    vec3                     x, y, z;       // forward, left, up
    double                   centre_y;      // [m] of the vehicle, along y
    double *                 q, *q_design;  // (nq) now, in the design position
    double*                  driver_motion; // (ndriver x nv) motion with each wheel's travel, then with the steering
    double *                 motion, *marker_jacobian; // (nv), (6 x nv)
    int                      ndriver;
};

// suspension_prepare.c
cardan_status cd_suspension_add_constraints(cardan_suspension_study* study,
                                            cardan_report* report); // markers, locks, drivers into the description
cardan_status cd_suspension_find_drivers(cardan_suspension_study* study,
                                         cardan_report*           report);  // where they are in the data
bool cd_suspension_find_ignored(cardan_suspension_study* study);  // which velocities do not count; false without memory
void cd_suspension_disable_tyres(cardan_suspension_study* study); // tyres

// suspension_wheel.c: angular velocity and velocity of a marker with the motion t (nv).
spatial            cd_suspension_marker_twist(cardan_suspension_study* study, int marker, const double* t);
cardan_wheel_state cd_suspension_measure_wheel(cardan_suspension_study* study, int wheel, const double* along,
                                               double weight);
void cd_suspension_measure_axle(const cardan_suspension_study* study, cardan_wheel_state* wheel, const vec3* velocity,
                                cardan_suspension_sweep_point* row);
vec3 cd_suspension_contact_point(cardan_suspension_study* study, int wheel);
// Velocity of the carrier's point at the contact, with the motion t.
vec3 cd_suspension_contact_velocity(cardan_suspension_study* study, int wheel, const double* t);

// suspension_study.c: values of all drivers; motions with them; false where there is no position near, or further than `most`.
bool cd_suspension_solve(cardan_suspension_study* study, const double* value, double max_distance, double* moved);
void cd_suspension_compute_tangents(cardan_suspension_study* study);
// Joint that moves most with the motion t.
const char* cd_suspension_fastest_joint(cardan_suspension_study* study, const double* t);
