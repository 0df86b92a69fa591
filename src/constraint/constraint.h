// SPDX-License-Identifier: BSD-3-Clause
// Constraints: equations between the motions of bodies. At a state a constraint gives its values, their rates, the rows that
// act on the twists of its bodies, and what is left of the second derivative without accelerations:
//
//     c(q, t) = 0        cdot = sum over ends of G V + ct        cddot = sum over ends of G A + h
//
// V = (w, v) and A = (alpha, a) are those of the link's origin in world axes, so the rows serve tree and flat coordinates alike.
// To add a type: write src/constraint/<name>.c and add its row to constraint_types.def.
#pragma once

#include "kinematics/world.h"

enum { CD_ROWS_MAX = 6, CD_ENDS_MAX = 4 };

typedef struct cd_constraint_type cd_constraint_type;

typedef struct cd_constraint {
    const cd_constraint_type* type;
    const char*               name;
    cardan_place              place;
    int                       joint;  // that it closes, or CARDAN_NONE
    int                       nend, nrow;
    int                       first_row;
    cd_attached               end[CD_ENDS_MAX];
    unsigned                  locks;         // lock: which relative motions, bits CD_LOCK_*
    bool                      hooke, screw;  // lock: angle between two axes kept; way along z follows the angle about z
    double                    axis[2][3];    // hooke: an axis of each end, in its frame
    double                    parameter[4];  // by type; lock of a screw: [0] pitch [m/rad]
} cd_constraint;

// One constraint at one state; the arrays belong to the closure.
typedef struct cd_equations {
    double * value, *rate, *h;  // (nrow)
    spatial* G;                 // (nrow x nend)
} cd_equations;

// An end in the world: the frame of the marker, the arm to it from the link's origin, its velocities.
typedef struct cd_end {
    frame T;
    vec3  r;
    vec3  w, v;
    vec3  bias;  // w x (w x r): acceleration relative to the link's origin without alpha
} cd_end;

struct cd_constraint_type {
    const char* name;
    const char* summary;
    // `angle` is the angle of end 1 about z of end 0, turns counted.
    void (*evaluate)(const cd_constraint* c, const cd_end* end, double angle, cd_equations* e);
};

extern const cd_constraint_type cd_constraint_lock;

cd_end cd_end_of(const cd_attached* at, const cd_world* world);
double cd_relative_angle(const cd_end* end);  // of end 1 about z of end 0, in (-pi, pi]
