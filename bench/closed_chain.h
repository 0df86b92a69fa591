// SPDX-License-Identifier: BSD-3-Clause
// A mechanism with loops as input of other engines: bodies and joints in world axes, in the design configuration, at
// standstill. Revolute joints come before spherical ones; a joint between bodies that are already connected to ground
// closes a loop and must be spherical.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

typedef struct closed_body {
    double mass, centre[3]; // in the world [m]
    double inertia[6];      // about the centre, world axes: xx yy zz xy xz yz
    int    joint;           // that connects it to its parent
    double origin[3];       // of that joint
} closed_body;

typedef struct closed_joint {
    int    hinge; // revolute; else spherical
    int    closes;
    int    first, second; // bodies, -1: ground; parent and child, if the joint does not close a loop
    int    number;        // index in the description
    double p[3], axis[3];
} closed_joint;

typedef struct closed {
    int           nbody, njoint;
    closed_body*  body;
    closed_joint* joint;
    int*          order; // (nbody) joints that connect bodies to their parents, from ground outward
    double        gravity[3];
} closed;

// One engine. a (njoint): accelerations of revolute joints, NaN if not available.
typedef struct contender {
    const char* name;
    const char* what; // the timed computation
    void* (*create)(const closed* c, char* why, int size);
    void (*destroy)(void* e);
    void (*evaluate)(void* e);
    void (*accelerations)(void* e, double* a);
} contender;

extern const contender loop_mujoco, loop_simbody, loop_ode;

#ifdef __cplusplus
}
#endif
