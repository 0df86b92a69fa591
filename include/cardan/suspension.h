// SPDX-License-Identifier: BSD-3-Clause
// Suspension studies: sweeps of wheel travel or steering travel, position by position, with the wheel angles, forces
// and ratios at each. Signs and definitions: docs/suspension.md. SI units and radians.
//
//   cardan_suspension_study* study;
//   cardan_suspension_study_create(description, CARDAN_TREE_BREADTH_FIRST, &study, &report);
//   cardan_suspension_sweep* sweep;
//   cardan_suspension_study_sweep(study, CARDAN_SWEEP_PARALLEL, &sweep, &report);
#pragma once

#include <cardan/dynamics.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

typedef struct cardan_suspension_study cardan_suspension_study;

typedef enum cardan_suspension_sweep_kind {
    CARDAN_SWEEP_PARALLEL, // all wheels up and down together
    CARDAN_SWEEP_OPPOSITE, // left wheels up while right wheels move down: roll
    CARDAN_SWEEP_SINGLE,   // the first wheel alone
    CARDAN_SWEEP_STEERING, // the steering, wheel centres at constant height
    CARDAN_SWEEP_KIND_COUNT,
} cardan_suspension_sweep_kind;

/// "parallel", "opposite", "single", "steering"; NULL if out of range.
const char* cardan_suspension_sweep_name(int kind);

/// Quantities of a wheel. Undefined ones (no steering axis, no spring) are NaN.
typedef struct cardan_wheel_state {
    double travel;              // [m] of the wheel centre, upward
    double camber;              // [rad] positive: top of the wheel outward
    double toe;                 // [rad] positive: toe-in, front of the wheel inward
    double steer;               // [rad] positive: to the left
    double caster;              // [rad] positive: steering axis inclined backward
    double kingpin_inclination; // [rad] of the steering axis, positive: inward
    double scrub_radius;        // [m] from the steering axis to the contact point on the road, positive: outward
    double trail;               // [m] positive: contact point behind the steering axis
    double track_change;        // [m] displacement of the contact point, outward
    double wheelbase_change;    // [m] displacement of the contact point, forward
    double vertical_force;      // [N] supporting force at the wheel centre, upward
    double wheel_rate;          // [N/m] force per travel along the sweep; steering: per travel of the wheel
    double spring_ratio;        // compression of the spring per travel of the wheel [1], or rotation [rad/m]
    double damper_ratio;
    double spring_length, damper_length;             // [m], or angle [rad]
    bool   spring_is_torsional, damper_is_torsional; // torsion spring, or at a revolute joint
    double roll_centre;                              // [m] above the road, in the middle plane
    double brake_angle;           // [rad] support angle of the contact point in side view, with outboard brakes
    double drive_angle;           // [rad] the same for the wheel centre
    double camber_gain, toe_gain; // [rad/m] per travel
    double centre[3], contact[3]; // [m] in the world
} cardan_wheel_state;

typedef struct cardan_suspension_sweep_point {
    double                    position;        // [m] travel, or the steering's coordinate [m or rad]
    double                    steering_travel; // of the steering; 0: none
    const cardan_wheel_state* wheel;           // (nwheel)
    double                    roll_centre_y,
        roll_centre_z; // [m] intersection of the lines of the first left and right wheel: to the left, above the road
    double ackermann;  // fraction of Ackermann's condition: 1 complete; NaN: straight ahead, or no wheelbase
    double energy;     // [J] potential energy of springs and weights, without tyres
    double max_violation; // [m, rad] largest constraint violation
} cardan_suspension_sweep_point;

/// End of a sweep before the end of its range.
typedef struct cardan_suspension_sweep_end {
    bool   locked;
    double position;
    char   reason[240];
} cardan_suspension_sweep_end;

typedef struct cardan_suspension_sweep {
    cardan_suspension_sweep_kind         kind;
    int                                  nwheel, npoint;
    const cardan_suspension_sweep_point* point;        // from the lowest position to the highest
    int                                  design_point; // index of the design configuration
    cardan_suspension_sweep_end          low, high;
} cardan_suspension_sweep;

/// Prepare the suspension study of a description: add markers, a lock of the chassis and drivers of wheels and steering
/// to the description, which must outlive the study, and move to the design configuration. Fails with a message if no
/// motion moves a wheel or a carrier is not supported. The results do not depend on `policy`.
cardan_status            cardan_suspension_study_create(cardan_description* description, cardan_tree_policy policy,
                                                        cardan_suspension_study** study, cardan_report* report);
void                     cardan_suspension_study_destroy(cardan_suspension_study* study);
const cardan_suspension* cardan_suspension_study_suspension(const cardan_suspension_study* study);
/// +1: the wheel is on the left, -1: on the right.
int cardan_suspension_study_wheel_side(const cardan_suspension_study* study, int wheel);
/// Whether a kind of sweep is applicable: opposite needs wheels on both sides, single several wheels, steering a joint.
bool cardan_suspension_study_has_sweep(const cardan_suspension_study* study, cardan_suspension_sweep_kind kind);

/// Sweep through the whole range. A mechanism that cannot move further is not a failure: `low` or `high` of the sweep
/// contains position and reason. Notes in the report name joint limits that were passed.
cardan_status cardan_suspension_study_sweep(cardan_suspension_study* study, cardan_suspension_sweep_kind kind,
                                            cardan_suspension_sweep** sweep, cardan_report* report);
void          cardan_suspension_sweep_destroy(cardan_suspension_sweep* sweep);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop
