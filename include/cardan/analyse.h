// SPDX-License-Identifier: BSD-3-Clause
// Analyses about a state: where the mechanism rests, how it swings about there, the linear model that a controller sees.
#pragma once

#include <cardan/kinematics.h>

typedef enum cardan_stability {
    CARDAN_STABLE,    // small pushes are answered by forces that bring it back
    CARDAN_NEUTRAL,   // some motions meet no force at all, none leads away
    CARDAN_UNSTABLE,  // some motion leads away
} cardan_stability;

/// How an equilibrium is looked for. Zeros are the usual choice.
typedef struct cardan_rest_wish {
    bool   nearest;     // Newton's method first: the nearest, stable or not. Else downhill, so that what is found is stable
    double tolerance;   // forces left, relative to the forces at work; 0: 1e-10
    int    iterations;  // most; 0: 500
} cardan_rest_wish;

typedef struct cardan_rest {
    cardan_stability stability;
    int    dof;                   // motions that the constraints allow
    int    neutral, unstable;     // of them, that meet no force; that lead away
    double residual;              // largest force left, relative to the forces at work
    double force;                 // [N m] forces at work: moments, and forces times the length of the mechanism
    double acceleration;          // [rad/s^2, m/s^2] largest left; NaN where some motion has no inertia
    double stiffness_least;       // [N m/rad] lowest of the stiffness along motions, lengths in units of the mechanism's
    int    iterations;            // of Newton's method and of the descent
    long   evaluations;           // of the forces
    bool   descended;             // it took a descent
    char   neutral_words[400];    // "'body' along x, 'body' along y"; or ""
    char   unstable_words[400];   // the same of motions that lead away
} cardan_rest;

/// Static equilibrium at the time set: from the state of the data, its loops closed, to positions (and the user's states) where
/// nothing accelerates. Drivers stand still from then on, at the values they have at that time (cardan_data_drive undoes it). The data
/// are set to the result, at rest; q (nq) and state (nstate) receive it. `wish`, q, state, `rest` and `report` may be NULL. A start that is an equilibrium
/// stays, stable or not. Where there is none CARDAN_NOT_CONVERGED: the sentence names what nothing carries. Allocates while it works.
cardan_status cardan_rest_find(cardan_data* data, const cardan_rest_wish* wish, double* q, double* state, cardan_rest* rest, cardan_report* report);

/// Forces that nothing balances at the state set, at rest: what is left of gravity, springs, efforts (nv) when constraints bear what they can;
/// moments [N m], and forces times the length of the mechanism. `work`: size of the forces at work. Drivers stand still from then on.
cardan_status cardan_unbalanced(cardan_data* data, double* moment, double* work, cardan_report* report);

/// Numbers of a description that can be changed by name: FORCE.length, .preload, .stiffness of force elements that have them; JOINT.rest
/// and .stiffness of springs in joints, JOINT:2.rest for the second coordinate.
int         cardan_quantity_count(const cardan_description* description);
/// Name of quantity i into `name`; false where there is none.
bool        cardan_quantity_name(const cardan_description* description, int i, char* name, int size);
/// By name; false where there is none.
bool        cardan_quantity_get(const cardan_description* description, const char* name, double* value);
/// Models that were compiled from the description before must be compiled again.
bool        cardan_quantity_set(cardan_description* description, const char* name, double value);

/// Makes the mechanism for some values; the caller of the function destroys it.
typedef cardan_status (*cardan_variant_function)(void* user, const double* value, cardan_description** description, cardan_report* report);

typedef struct cardan_balance {
    double before, after;   // largest force that nothing balances, relative to the forces at work
    int    rank;            // values that are determined; less than their number where some have no effect, or the same
    int    iterations;
    char   left_words[400]; // "'FL.upper', 'body' about y": motions along which a force is left; or ""
} cardan_balance;

/// Values (n, from a guess) for which the start of the mechanism is an equilibrium, in the sense of least squares, the change of least norm
/// where they are too many. CARDAN_NOT_CONVERGED: the iteration went astray. That a force is left is said by `after`, and is no failure.
cardan_status cardan_balance_find(cardan_variant_function make, void* user, int formulation, double t, int n, double* value, cardan_balance* found,
                                  cardan_report* report);
