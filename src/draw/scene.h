// SPDX-License-Identifier: BSD-3-Clause
// A scene: the mechanism at one instant as a plain list of marks in the world, before anybody looks at it.
// It is made from a description and the poses of its bodies alone. Names point into the description.
#pragma once

#include "draw/picture_space.h"

#include <cardan/dynamics.h>

typedef enum cd_primitive_kind {
    CD_PRIMITIVE_FACE,        // a flat polygon: `count` points from `first` on; `solid`: seen from outside only
    CD_PRIMITIVE_RAIL,        // a to b, and a little beyond: what a slider slides on; along `axis`
    CD_PRIMITIVE_OFFSET_LINE, // a to b: a thin line from a bar to a mass centre beside it
    CD_PRIMITIVE_BAR,         // a to b: a bar
    CD_PRIMITIVE_SPHERE,      // sphere at a
    CD_PRIMITIVE_SPRING,      // a to b
    CD_PRIMITIVE_DAMPER,      // a to b
    CD_PRIMITIVE_POINT_MASS,  // mass of a body that has no other picture, at a
    CD_PRIMITIVE_MASS_CENTRE, // sign of a mass centre, at a
    CD_PRIMITIVE_SUPPORT,     // support at a, b: where the mechanism goes from there; along `axis` if it is a rail's
    CD_PRIMITIVE_JOINT,       // symbol at a
} cd_primitive_kind;

typedef enum cd_joint_symbol {
    CD_SYMBOL_NONE,
    CD_SYMBOL_FIXED,       // fixed
    CD_SYMBOL_REVOLUTE,    // revolute
    CD_SYMBOL_PRISMATIC,   // prismatic
    CD_SYMBOL_CYLINDRICAL, // cylindrical
    CD_SYMBOL_SCREW,       // screw
    CD_SYMBOL_UNIVERSAL,   // universal
    CD_SYMBOL_PLANAR,      // planar
    CD_SYMBOL_SPHERICAL,   // spherical
    CD_SYMBOL_OTHER,       // anything else
} cd_joint_symbol;

typedef struct cd_primitive {
    cd_primitive_kind kind;
    int               body; // or CARDAN_GROUND
    cd_xyz            a, b;
    double            radius; // [m]; 0: as thick as looks well
    bool              solid;
    int               first, count;
    cd_joint_symbol   symbol;
    cd_xyz            axis, side; // of a joint: z and x of its frame; a universal joint: its two axes
} cd_primitive;

typedef struct cd_label {
    const char* text;
    cd_xyz      at;
    int         body; // the body named, or CARDAN_NONE for a joint
} cd_label;

typedef struct cd_scene {
    int           nprimitive, primitive_capacity;
    cd_primitive* primitive;
    int           npoint, point_capacity;
    cd_xyz*       point;
    int           nlabel, label_capacity;
    cd_label*     label;
    bool          failed; // no memory
} cd_scene;

// Pose of the body frame from the motion of the mass centre.
cardan_pose cd_body_frame_pose(const cardan_body* body, const cardan_motion* motion);

// The mechanism with its bodies at `pose` (nbody); NULL: the design position. Frees nothing on failure: destroy it.
cardan_status cd_scene_create(const cardan_view* view, const cardan_pose* pose, cd_scene* scene, cardan_report* report);
void          cd_scene_destroy(cd_scene* scene);

cd_primitive*   cd_scene_add_primitive(cd_scene* scene, cd_primitive mark); // NULL without memory
void            cd_scene_add_point(cd_scene* scene, cd_xyz point);
cd_joint_symbol cd_joint_symbol_of_type(const char* type);

// Faces of a box: `frame` in the world, full lengths `size`.
void cd_scene_add_box(cd_scene* scene, int body, const cardan_pose* frame, const double size[3]);
// The box of equal mass and inertia. False where the inertia belongs to no body (triangle inequality).
bool cd_inertia_box(const cardan_body* body, cardan_pose* frame, double size[3]);
