// SPDX-License-Identifier: BSD-3-Clause
// Constraints: equations between the motions of two (gears: up to four) bodies. A constraint gives, at a state, its values,
// their rates, the rows that act on the twists of its bodies, and what is left of the second derivative without accelerations:
//
//     c(q) = 0        cdot = sum over ends of G V - drive rate        cddot = sum over ends of G A + h
//
// V = (w, v) and A = (alpha, a) are those of the link's origin in world axes, so the rows serve tree and flat coordinates alike.
// To add one: write src/constraint/<name>.c and add its row to constraint_types.def.
#pragma once

#include "kinematics/world.h"

enum { CD_ROWS_MAX = 6, CD_ENDS_MAX = 4 };

typedef struct cd_constraint_type cd_constraint_type;

typedef struct cd_constraint {
    const cd_constraint_type* type;
    const char*               name;
    cardan_place              place;
    int                       joint;  // that it closes, or CARDAN_NONE
    int                       nend;
    cd_attached               end[CD_ENDS_MAX];
    int                       first_row, nrow;
    unsigned                  locks;       // lock: which relative motions are locked
    bool                      hooke;       // lock: the angle between an axis of each body stays
    vec3                      axis[2];     // hooke: the axes, each in its own end's frame
    double                    parameter[4];  // by type; lock of a screw: [0] pitch [m/rad]
    bool                      screw;       // lock: way along z follows the angle about z
} cd_constraint;

// One constraint at one state.
typedef struct cd_equations {
    double  value[CD_ROWS_MAX];  // c
    double  rate[CD_ROWS_MAX];   // cdot
    double  h[CD_ROWS_MAX];      // cddot without accelerations
    spatial G[CD_ROWS_MAX][CD_ENDS_MAX];
} cd_equations;

// An end in the world: frame of the marker, and the arm from the link's origin to it.
typedef struct cd_end {
    frame   T;
    vec3    r;     // from the link's origin
    vec3    w, v;  // of the marker
    vec3    bias;  // w x (w x r): acceleration of the marker relative to the link's origin, without alpha
} cd_end;

struct cd_constraint_type {
    const char* name;
    const char* summary;
    void (*evaluate)(const cd_constraint* c, const cd_end* end, const double* angle, cd_equations* e);
};

cd_end cd_end_of(const cd_attached* at, const cd_world* world);

// The lock: closes any joint. locks and hooke say how many rows.
extern const cd_constraint_type cd_constraint_lock;
int                             cd_lock_rows(const cd_constraint* c);

// Twist relative: angle about z of end 0 by which end 1 is turned, in (-pi, pi].
double cd_relative_angle(const cd_end* end);

// All constraints of a model at a state.
typedef struct cd_closure {
    int            nconstraint, nrow;
    cd_constraint* constraint;  // (nconstraint)

    // cd_closure_evaluate
    cd_equations* equations;  // (nconstraint)
    double*       value;      // (nrow)
    double*       rate;       // (nrow)
    double*       angle;      // (nconstraint) of screws, turns counted from the last call
} cd_closure;

cardan_status cd_closure_create(const cardan_model* m, cd_closure* closure, cardan_report* report);
void          cd_closure_destroy(cd_closure* closure);
void          cd_closure_evaluate(const cardan_model* m, const cd_world* world, cd_closure* closure);
// gamma (nrow): J a = gamma, from the accelerations that links have at a = 0.
void cd_closure_gamma(const cd_world* world, const cd_closure* closure, double* gamma);
// Row i of J in the coordinates of the model, into J (nv); only the velocities on the ends' ways to ground are written.
void cd_closure_row(const cardan_model* m, const cd_kinematics* k, const cd_world* world, const cd_constraint* c, int row, const cd_equations* e, double* J);
