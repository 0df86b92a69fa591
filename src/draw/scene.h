// SPDX-License-Identifier: BSD-3-Clause
// Scene: the mechanism in one configuration as a list of drawing primitives in world coordinates, independent of the
// camera. Built from a description and the poses of its bodies. Texts point into the description.
#pragma once

#include "draw/picture_space.h"

#include <cardan/dynamics.h>

typedef enum cd_primitive_kind {
    CD_PRIMITIVE_FACE,        // planar polygon: `count` points from index `first`; `solid`: drawn from outside only
    CD_PRIMITIVE_RAIL,        // a to b, drawn longer: guide of a sliding joint along `axis`
    CD_PRIMITIVE_OFFSET_LINE, // a to b: thin line from a bar to the mass centre away from it
    CD_PRIMITIVE_BAR,         // a to b
    CD_PRIMITIVE_SPHERE,      // at a
    CD_PRIMITIVE_SPRING,      // a to b
    CD_PRIMITIVE_DAMPER,      // a to b
    CD_PRIMITIVE_POINT_MASS,  // point mass at a, for a body without another primitive
    CD_PRIMITIVE_MASS_CENTRE, // symbol of a mass centre at a
    CD_PRIMITIVE_SUPPORT,     // support at a; b: neighbouring point of the mechanism; `axis`: direction of a rail
    CD_PRIMITIVE_JOINT,       // joint symbol at a
} cd_primitive_kind;

typedef enum cd_joint_symbol {
    CD_SYMBOL_NONE,
    CD_SYMBOL_FIXED,
    CD_SYMBOL_REVOLUTE,
    CD_SYMBOL_PRISMATIC,
    CD_SYMBOL_CYLINDRICAL,
    CD_SYMBOL_SCREW,
    CD_SYMBOL_UNIVERSAL,
    CD_SYMBOL_PLANAR,
    CD_SYMBOL_SPHERICAL,
    CD_SYMBOL_OTHER, // any other type
} cd_joint_symbol;

typedef struct cd_primitive {
    cd_primitive_kind kind;
    int               body; // or CARDAN_GROUND
    cd_xyz            a, b;
    double            radius; // [m]; 0: default thickness
    bool              solid;
    bool              smooth; // face of a curved surface: without outline
    int               first, count;
    int               shape; // index + 1 of the shape of the description that it is a part of; 0: none
    cd_joint_symbol   symbol;
    cd_xyz            axis, side; // of a joint: z and x axis of its frame; universal joint: its two axes
} cd_primitive;

typedef struct cd_label {
    const char* text;
    cd_xyz      at;
    int         body; // labelled body, or CARDAN_NONE for a joint
} cd_label;

typedef struct cd_scene {
    int           nprimitive, primitive_capacity;
    cd_primitive* primitive;
    int           npoint, point_capacity;
    cd_xyz*       point;
    int           nlabel, label_capacity;
    cd_label*     label;
    int           nmesh_face;    // faces of meshes among the primitives
    int           nsurface_face; // faces of other surfaces
    bool          failed;        // memory is exhausted
} cd_scene;

// Pose of the body frame, computed from the motion of the mass centre.
cardan_pose cd_body_frame_pose(const cardan_body* body, const cardan_motion* motion);

// Create the scene with bodies at `pose` (nbody); NULL: design configuration. The caller destroys the scene, also after
// a failure.
cardan_status cd_scene_create(const cardan_description_view* view, const cardan_pose* pose, cd_scene* scene,
                              cardan_report* report);
void          cd_scene_destroy(cd_scene* scene);

cd_primitive*   cd_scene_add_primitive(cd_scene* scene, cd_primitive primitive); // NULL if memory is exhausted
void            cd_scene_add_point(cd_scene* scene, cd_xyz point);
cd_joint_symbol cd_joint_symbol_of_type(const char* type);

// Add the faces of a box with pose `frame` in the world and edge lengths `size` [m].
void cd_scene_add_box(cd_scene* scene, int body, const cardan_pose* frame, const double size[3]);
// Add a mesh with pose `frame` in the world (scene_mesh.c).
void cd_scene_add_mesh(cd_scene* scene, const cardan_shape* shape, const cardan_pose* frame);
// Add a capsule, ellipsoid, torus, hull, plane or height field with pose `frame` in the world (scene_surface.c).
void cd_scene_add_surface(cd_scene* scene, const cardan_shape* shape, const cardan_pose* frame);
// Points of a height field in its frame; a profile has two rows.
cd_xyz cd_height_grid_point(const cardan_height_grid* field, int i, int j);
int    cd_height_grid_rows(const cardan_height_grid* field);
// Uniform box of equal mass and inertia. Returns false if the inertia violates the triangle inequality.
bool cd_inertia_box(const cardan_body* body, cardan_pose* frame, double size[3]);
