// SPDX-License-Identifier: BSD-3-Clause
// A mechanism with loops as other engines want it: bodies and joints in world axes, in the design position, at rest.
// Hinges come before balls; a joint between bodies that are held already closes a loop, and has to be a ball.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

typedef struct closed_body {
    double mass, centre[3]; // in the world [m]
    double inertia[6];      // about the centre, world axes: xx yy zz xy xz yz
    int    joint;           // that holds it
    double origin[3];       // of that joint
} closed_body;

typedef struct closed_joint {
    int    hinge; // else a ball
    int    closes;
    int    first, second; // bodies, -1: ground; the second one is held by the first, if it does not close
    int    number;        // in the description
    double p[3], axis[3];
} closed_joint;

typedef struct closed {
    int           nbody, njoint;
    closed_body*  body;
    closed_joint* joint;
    int*          order; // (nbody) of joints that hold bodies, from ground outward
    double        gravity[3];
} closed;

// One engine on it. a (njoint): acceleration of hinges, NaN where it has none to tell.
typedef struct contender {
    const char* name;
    const char* what; // is timed
    void* (*create)(const closed* c, char* why, int size);
    void (*destroy)(void* e);
    void (*evaluate)(void* e);
    void (*accelerations)(void* e, double* a);
} contender;

extern const contender loop_mujoco, loop_simbody, loop_ode;

#ifdef __cplusplus
}
#endif
