// SPDX-License-Identifier: BSD-3-Clause
// Suspension studies: wheels through their travel and the steering through its stroke, position by position, and what
// becomes of the wheels. Signs and definitions: docs/suspension.md. SI units and radians.
//
//   cardan_suspension_study* study;
//   cardan_suspension_study_create(description, CARDAN_TREE_BREADTH_FIRST, &study, &report);
//   cardan_suspension_sweep* sweep;
//   cardan_suspension_study_sweep(study, CARDAN_SWEEP_PARALLEL, &sweep, &report);
#pragma once

#include <cardan/dynamics.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cardan_suspension_study cardan_suspension_study;

typedef enum cardan_suspension_sweep_kind {
    CARDAN_SWEEP_PARALLEL, // all wheels up and down together
    CARDAN_SWEEP_OPPOSITE, // left wheels up while right ones go down: roll
    CARDAN_SWEEP_SINGLE,   // the first wheel alone
    CARDAN_SWEEP_STEERING, // the steering, wheel centres at their heights
    CARDAN_SWEEP_KIND_COUNT,
} cardan_suspension_sweep_kind;

/// "parallel", "opposite", "single", "steering"; NULL outside.
const char* cardan_suspension_sweep_name(int kind);

/// What is told of a wheel. What is not defined (no steering axis, no spring) is NaN.
typedef struct cardan_wheel_state {
    double travel;              // [m] of its centre, upward
    double camber;              // [rad] positive: its top leans outward
    double toe;                 // [rad] positive: toe-in, its front points inward
    double steer;               // [rad] positive: it points to the left
    double caster;              // [rad] positive: the steering axis leans backward
    double kingpin_inclination; // [rad] of the steering axis, positive: it leans inward
    double scrub_radius;        // [m] from the steering axis to the contact point on the road, positive: outward
    double trail;               // [m] positive: the contact point is behind the steering axis
    double track_change;        // [m] the contact point has moved outward
    double wheelbase_change;    // [m] it has moved forward
    double vertical_force;      // [N] that holds the wheel at its centre, upward
    double wheel_rate;          // [N/m] wheel rate: load per travel, along the sweep; steering: per its own travel
    double spring_ratio; // motion ratio: compression of the spring per travel of the wheel [1], or its twist [rad/m]
    double damper_ratio;
    double spring_length, damper_length;             // [m], or angle [rad]
    bool   spring_is_torsional, damper_is_torsional; // it is a torsion spring, or at a hinge
    double roll_centre;                              // [m] above the road, in the middle plane
    double brake_angle; // [rad] support angle of the contact point in side view, the wheel braked from its carrier
    double drive_angle; // [rad] the same of the wheel's centre
    double camber_gain, toe_gain; // [rad/m] per travel
    double centre[3], contact[3]; // [m] in the world
} cardan_wheel_state;

typedef struct cardan_suspension_sweep_point {
    double                    position;        // [m] travel, or the steering's coordinate [m or rad]
    double                    steering_travel; // of the steering; 0 where there is none
    const cardan_wheel_state* wheel;           // (nwheel)
    double                    roll_centre_y,
        roll_centre_z; // [m] where the lines of the first left and right wheel meet: to the left of the middle, above the road
    double ackermann; // part of Ackermann's condition that is met: 1 all of it; NaN: straight ahead, or no wheelbase
    double energy;    // [J] of all springs and weights that count
    double max_violation; // [m, rad] largest gap of the constraints
} cardan_suspension_sweep_point;

/// Where a sweep ended before its range did.
typedef struct cardan_suspension_sweep_end {
    bool   locked;
    double position;
    char   reason[240];
} cardan_suspension_sweep_end;

typedef struct cardan_suspension_sweep {
    cardan_suspension_sweep_kind         kind;
    int                                  nwheel, npoint;
    const cardan_suspension_sweep_point* point;        // from the lowest position to the highest
    int                                  design_point; // row of the design position
    cardan_suspension_sweep_end          low, high;
} cardan_suspension_sweep;

/// Prepare the study that the description holds: markers, a lock of the chassis and drivers of wheels and steering are
/// added to the description, which must outlive the study. Moves to the design position; what is wrong is told there:
/// wheels that nothing moves, carriers that nothing holds. The results do not depend on `policy`.
cardan_status            cardan_suspension_study_create(cardan_description* description, cardan_tree_policy policy,
                                                        cardan_suspension_study** study, cardan_report* report);
void                     cardan_suspension_study_destroy(cardan_suspension_study* study);
const cardan_suspension* cardan_suspension_study_get_suspension(const cardan_suspension_study* study);
/// +1: the wheel is on the left, -1: on the right.
int cardan_suspension_study_wheel_side(const cardan_suspension_study* study, int wheel);
/// Whether a sweep of this kind makes sense: opposite needs both sides, single several wheels, steering a joint.
bool cardan_suspension_study_has_sweep(const cardan_suspension_study* study, cardan_suspension_sweep_kind kind);

/// Sweep from end to end. A wheel that cannot go on is no failure: the end says where and why. Notes tell limits of
/// joints that were passed.
cardan_status cardan_suspension_study_sweep(cardan_suspension_study* study, cardan_suspension_sweep_kind kind,
                                            cardan_suspension_sweep** sweep, cardan_report* report);
void          cardan_suspension_sweep_destroy(cardan_suspension_sweep* sweep);

#ifdef __cplusplus
}
#endif
