// SPDX-License-Identifier: BSD-3-Clause
// Shapes of a model that touch, pairs of them that may touch, and the contact points of these pairs at a state.
//
// A pair of shapes may touch if both have a material and
//   - they belong to different bodies, of which one is not ground and which are not welded to each other;
//   - no joint connects the bodies, and no third body has joints to both at the same point (rods at a common node);
//   - the pair of bodies is not ignored; or the pair is listed, which overrides the joints.
// The order of pairs is that of the shapes in the description, so that results do not depend on addresses.
#pragma once

#include "contact/contact_geometry.h"
#include "core/memory.h"
#include "kinematics/world_motion.h"
#include "model/model.h"

#include <cardan/contact.h>

// Properties of a contact: those of the pair of materials, completed by the settings.
typedef struct cd_contact_properties {
    int                      material[2];
    double                   static_friction, kinetic_friction;
    double                   stribeck_speed;    // [m/s] 0: none
    double                   rolling, spinning; // [m] lever arms; 0: none
    double                   restitution;       // 0 to 1
    cardan_contact_stiffness compliance;        // completed by the settings; stiffness 0: by Hertz
    double                   young_modulus[2], poisson_ratio[2];
} cd_contact_properties;

typedef struct cd_scene_shape {
    cd_shape_geometry geometry;
    cd_link_frame     frame; // on its link; ground: -1
    int               body;  // CARDAN_GROUND: ground
    int               shape; // index in the description
    int               material;
} cd_scene_shape;

typedef struct cd_scene_pair {
    int shape[2]; // A, B: indices of scene shapes, A < B
    int properties;
    int max_points; // most contact points of the pair
} cd_scene_pair;

typedef struct cd_contact_scene { // constant; cardan_model.contact_scene
    cd_arena                arena;
    cardan_contact_settings settings;
    int                     nshape, npair, nproperties;
    cd_scene_shape*         shape;
    cd_scene_pair*          pair;
    cd_contact_properties*  properties;
    double                  length;   // [m] largest finite size of a shape that moves, scale of gaps
    int                     capacity; // of contact points in a set
} cd_contact_scene;

// Compile the scene of a model; NULL in *scene if no shapes may touch. Failures name the shape, or the pair of materials
// without properties, with place.
cardan_status cd_contact_scene_create(const cardan_model* m, cd_contact_scene** scene, cardan_report* report);
void          cd_contact_scene_destroy(cd_contact_scene* scene);

// ---- contact points at a state

typedef enum cd_contact_mode {
    CD_CONTACT_OPEN,
    CD_CONTACT_STICK, // no relative velocity
    CD_CONTACT_SLIP,  // slides along `direction`
} cd_contact_mode;

// State of a contact, set by the run loop and kept with the record. Spinning and rolling friction (if the contact has them)
// stick or slip for themselves.
typedef struct cd_contact_state {
    cd_contact_mode mode;
    bool            spins, rolls; // spinning, rolling friction slips
    double          direction[3]; // SLIP: unit vector of the sliding velocity, world; follows the velocity (contacts.h)
    double          spin_direction;    // +-1
    double          roll_direction[3]; // unit, world, of the rolling angular velocity
} cd_contact_state;

// One contact point between two shapes. A is the first shape of the pair; forces are those of B on A, and the normal points
// from B to A.
typedef struct cd_contact {
    long                         id; // number of the record: constant while the contact is followed, never used again
    int                          pair;
    uint64_t                     key;       // (pair, key) identifies the features that touch, of the last search
    uint64_t                     found_key; // features at the state
    int                          body[2], link[2];
    const cd_contact_properties* properties;

    // geometry at the state
    double point[3], a[3], b[3]; // c = (a + b)/2, and the points on A and on B
    double normal[3], tangent[2][3];
    double gap;      // negative: overlap
    bool   doubtful; // deep overlap: the normal is not unique
    bool   moved;    // its features no longer touch: the point was found at other features of the pair
    bool   lost;     // no features of the pair are near: the point is carried by A, the normal by B

    // kept by the caller
    cd_contact_state state;
    double           force[3], moment[3]; // of B on A at `point`, world: of the last solve, start of the next
    double           impulse[3];          // of the last impact

    // when it was last found: a in the frame of link A, b and normal in that of link B
    double on_a[3], on_b[3], normal_on_b[3];
} cd_contact;

typedef struct cd_contact_set {
    const cd_contact_scene* scene;
    int                     n, capacity;
    cd_contact*             contact;  // (capacity)
    bool                    overflow; // more points than the capacity: those with the largest gaps were omitted
    long                    next_id;
    cd_contact_point*       found;           // (CD_CONTACT_POINTS_MAX)
    cd_contact *            previous, *kept; // (capacity)
    cd_pair_cache*          cache;           // (npair)
    double*                 bounds;          // (6 x nshape) boxes of the shapes
} cd_contact_set;

void cd_contact_set_layout(const cd_contact_scene* scene, cd_arena* arena, cd_contact_set* set);
void cd_contact_set_init(const cd_contact_scene* scene, cd_contact_set* set); // after the arena has memory
// Find the contact points with gap < margin at the poses of `world`. Records with the same pair and key, else the nearest of
// the same pair within a tenth of its size, keep id, state and forces; other records are dropped, closed ones too.
void cd_contact_set_search(const cardan_model* m, const cd_world_motion* world, double margin, cd_contact_set* set);
// Recompute the geometry of the records, whose number and order remain. open_too: also of those that are open.
void cd_contact_set_follow(const cardan_model* m, const cd_world_motion* world, bool open_too, cd_contact_set* set);

// Pose of a shape of the scene.
cd_shape_pose cd_scene_shape_pose(const cd_scene_shape* shape, const cd_world_motion* world);
// Motion of A relative to B at the point of a contact: angular velocity, and velocity of the material points there.
spatial cd_contact_relative_velocity(const cd_contact* c, const cd_world_motion* world);
// Rates of the normal, the tangents and the point while the features that touch remain: of moving contact points.
typedef struct cd_contact_frame_rate {
    double normal[3], tangent[2][3], point[3];
} cd_contact_frame_rate;
void cd_contact_frame_rate_of(const cd_contact_set* set, const cd_contact* c, const cd_world_motion* world,
                              cd_contact_frame_rate* rate);
