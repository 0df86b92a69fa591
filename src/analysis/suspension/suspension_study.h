// SPDX-License-Identifier: BSD-3-Clause
// Internal data and functions of a suspension study.
#pragma once

#include "analysis/suspension/quasi_static.h"

#include <cardan/suspension.h>

typedef struct cd_suspension_wheel {
    int    driver, row;    // travel: driver index, constraint row
    int    side;           // +1: left, -1: right
    vec3   spin_axis;      // outward, in the hub frame
    vec3   design_contact; // [m] in the design configuration
    double design_steer;   // [rad] in the design configuration
} cd_suspension_wheel;

struct cardan_suspension_study {
    cardan_description*      description;
    cardan_description_view  view;
    const cardan_suspension* suspension;
    cardan_model*            model;
    cardan_data*             data;
    cd_quasi_static*         equilibrium;
    bool*                    is_ignored; // (nv) velocities independent of wheels and steering
    cd_suspension_wheel*     wheel;      // (nwheel)
    int                      steering_driver, steering_row;
    vec3                     x, y, z;                  // forward, left, up
    double                   centre_y;                 // [m] centre plane of the vehicle, along y
    double *                 q, *q_design;             // (nq) current; in the design configuration
    double*                  driver_motion;            // (ndriver x nv) motions with the wheels, then with the steering
    double *                 motion, *marker_jacobian; // (nv), (6 x nv)
    int                      ndriver;
};

// suspension_prepare.c
cardan_status cd_suspension_add_constraints(cardan_suspension_study* study,
                                            cardan_report*           report); // add markers, locks and drivers
cardan_status cd_suspension_find_drivers(cardan_suspension_study* study,
                                         cardan_report*           report);           // find them in the data
bool          cd_suspension_find_ignored(cardan_suspension_study* study);  // sets is_ignored; false: memory exhausted
void          cd_suspension_disable_tyres(cardan_suspension_study* study); // disable tyre forces

// suspension_wheel.c: compute angular velocity and velocity of a marker for the motion t (nv).
spatial            cd_suspension_marker_twist(cardan_suspension_study* study, int marker, const double* t);
cardan_wheel_state cd_suspension_measure_wheel(cardan_suspension_study* study, int wheel, const double* sweep_motion,
                                               double weight);
void cd_suspension_measure_axle(const cardan_suspension_study* study, cardan_wheel_state* wheel, const vec3* velocity,
                                cardan_suspension_sweep_point* point);
vec3 cd_suspension_contact_point(cardan_suspension_study* study, int wheel);
// Compute the velocity of the material point of the carrier at the contact point, for the motion t.
vec3 cd_suspension_contact_velocity(cardan_suspension_study* study, int wheel, const double* t);

// suspension_study.c: solve for given values of all drivers, return false if there is no solution within max_distance;
// compute the motions with all drivers.
bool cd_suspension_solve(cardan_suspension_study* study, const double* value, double max_distance, double* moved);
void cd_suspension_compute_tangents(cardan_suspension_study* study);
// Return the name of the joint with the largest velocity in the motion t; prefer joints with one axis.
const char* cd_suspension_fastest_joint(cardan_suspension_study* study, const double* t);
