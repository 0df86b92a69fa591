// SPDX-License-Identifier: BSD-3-Clause
// A scene: the mechanism at one instant as a plain list of marks in the world, before anybody looks at it.
// It is made from a description and the poses of its bodies alone. Names point into the description.
#pragma once

#include "draw/space.h"

#include <cardan/dynamics.h>

typedef enum cd_mark_kind {
    CD_MARK_FACE,   // a flat polygon: `count` points from `first` on; `solid`: seen from outside only
    CD_MARK_RAIL,   // a to b, and a little beyond: what a slider slides on; along `axis`
    CD_MARK_SPUR,   // a to b: a thin line from a bar to a mass centre beside it
    CD_MARK_LINK,   // a to b: a bar
    CD_MARK_BALL,   // sphere at a
    CD_MARK_SPRING, // a to b
    CD_MARK_DAMPER, // a to b
    CD_MARK_MASS,   // mass of a body that has no other picture, at a
    CD_MARK_CENTRE, // sign of a mass centre, at a
    CD_MARK_GROUND, // support at a, b: where the mechanism goes from there; along `axis` if it is a rail's
    CD_MARK_JOINT,  // symbol at a
} cd_mark_kind;

typedef enum cd_symbol {
    CD_SYMBOL_NONE,
    CD_SYMBOL_WELD,    // fixed
    CD_SYMBOL_HINGE,   // revolute
    CD_SYMBOL_SLIDER,  // prismatic
    CD_SYMBOL_SLEEVE,  // cylindrical
    CD_SYMBOL_SCREW,   // screw
    CD_SYMBOL_CROSS,   // universal
    CD_SYMBOL_PLATE,   // planar
    CD_SYMBOL_SOCKET,  // spherical
    CD_SYMBOL_DIAMOND, // anything else
} cd_symbol;

typedef struct cd_mark {
    cd_mark_kind kind;
    int          body; // or CARDAN_GROUND
    cd_xyz       a, b;
    double       radius; // [m]; 0: as thick as looks well
    bool         solid;
    int          first, count;
    cd_symbol    symbol;
    cd_xyz       axis, side; // of a joint: z and x of its frame; a universal joint: its two axes
} cd_mark;

typedef struct cd_name {
    const char* text;
    cd_xyz      at;
    int         body; // the body named, or CARDAN_NONE for a joint
} cd_name;

typedef struct cd_scene {
    int      nmark, cmark;
    cd_mark* mark;
    int      npoint, cpoint;
    cd_xyz*  point;
    int      nname, cname;
    cd_name* name;
    bool     failed; // no memory
} cd_scene;

// Pose of the body frame from the motion of the mass centre.
cardan_pose cd_pose_of_motion(const cardan_body* body, const cardan_motion* motion);

// The mechanism with its bodies at `pose` (nbody); NULL: the design position. Frees nothing on failure: destroy it.
cardan_status cd_scene_create(const cardan_view* view, const cardan_pose* pose, cd_scene* scene, cardan_report* report);
void          cd_scene_destroy(cd_scene* scene);

cd_mark*  cd_scene_mark(cd_scene* scene, cd_mark mark); // NULL without memory
void      cd_scene_point(cd_scene* scene, cd_xyz point);
cd_symbol cd_symbol_of_joint(const char* type);

// Faces of a box: `frame` in the world, full lengths `size`.
void cd_scene_box(cd_scene* scene, int body, const cardan_pose* frame, const double size[3]);
// The box of equal mass and inertia. False where the inertia belongs to no body (triangle inequality).
bool cd_inertia_box(const cardan_body* body, cardan_pose* frame, double size[3]);
