// SPDX-License-Identifier: BSD-3-Clause
// Inside of a suspension study.
#pragma once

#include "analysis/still.h"

#include <cardan/suspension.h>

typedef struct cd_study_wheel {
    int    driver, row; // travel: number of the driver, row of the closure
    int    side;        // +1: left
    vec3   axis;        // spin, outward, in the hub's axes
    vec3   contact;     // [m] in the design position
    double steer;       // [rad] in the design position
} cd_study_wheel;

struct cardan_study {
    cardan_description*      description;
    cardan_view              view;
    const cardan_suspension* suspension;
    cardan_model*            model;
    cardan_data*             data;
    cd_still*                still;
    bool*                    idle;  // (nv) what has nothing to do with the wheels and the steering
    cd_study_wheel*          wheel; // (nwheel)
    int                      steering_driver, steering_row;
    vec3                     x, y, z;    // forward, left, up
    double                   middle;     // [m] of the vehicle, along y
    double *                 q, *q0;     // (nq) now, in the design position
    double*                  t;          // (ndriver x nv) motion with each wheel's travel, then with the steering
    double *                 along, *Jm; // (nv), (6 x nv)
    int                      ndriver;
};

// study_prepare.c
cardan_status cd_study_add(cardan_study* study, cardan_report* report);  // markers, locks, drivers into the description
cardan_status cd_study_find(cardan_study* study, cardan_report* report); // where they are in the data
bool          cd_study_idle(cardan_study* study); // which velocities do not count; false without memory
void          cd_study_leave_out(cardan_study* study);                   // tyres

// study_wheel.c: angular velocity and velocity of a marker with the motion t (nv).
spatial            cd_study_twist(cardan_study* study, int marker, const double* t);
cardan_wheel_state cd_study_measure(cardan_study* study, int wheel, const double* along, double weight);
void cd_study_axle(const cardan_study* study, cardan_wheel_state* wheel, const vec3* velocity, cardan_sweep_row* row);
vec3 cd_study_contact(cardan_study* study, int wheel);
// Velocity of the carrier's point at the contact, with the motion t.
vec3 cd_study_contact_velocity(cardan_study* study, int wheel, const double* t);

// study.c: values of all drivers; motions with them; false where there is no position near, or further than `most`.
bool cd_study_solve(cardan_study* study, const double* value, double most, double* moved);
void cd_study_tangents(cardan_study* study);
// Joint that moves most with the motion t.
const char* cd_study_liveliest(cardan_study* study, const double* t);
