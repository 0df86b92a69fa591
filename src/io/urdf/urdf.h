// SPDX-License-Identifier: BSD-3-Clause
// Internal data of the URDF reader, from which the description is made.
#pragma once

#include "core/text.h"
#include "io/format.h"
#include "io/mesh/mesh.h"
#include "io/urdf/xml.h"

typedef struct urdf_link {
    const char* name;
    int         element;
    int         parent_joint; // joint to its parent; -1: root
    cardan_pose pose;         // in the world, all coordinates zero
} urdf_link;

typedef struct urdf_joint {
    const char*            name;
    const char*            type; // type name of Cardan
    int                    element;
    int                    parent, child; // links
    cardan_pose            origin;        // pose of the child in the parent, coordinates zero
    cardan_pose            axis_frame;    // joint frame in the child: z along the axis
    bool                   has_axis;      // one coordinate, with these properties:
    cardan_axis_properties axis;
    int                    mimic; // element <mimic>, or -1
} urdf_joint;

// Information that is not used, noted once with its number of occurrences.
typedef struct urdf_note {
    const char*     text;
    cardan_location location; // first occurrence
    int             count;
} urdf_note;

typedef struct cd_urdf {
    const char*                path;
    const cardan_load_options* options;
    cardan_report*             report;
    cardan_description*        description;
    cd_xml*                    xml;
    urdf_link*                 link;
    urdf_joint*                joint;
    urdf_note*                 note;
    int                        nlink, njoint, nnote, link_capacity, joint_capacity, note_capacity;
    cd_name_table *            link_names, *joint_names, *note_texts;
    int                        root;
    int                        nerror;
    int                        nunread_mesh, ntriangle; // meshes that cannot be read; triangles of the others
    int                        first_unread_mesh;       // element
    cd_text                    unread_mesh;             // the first of them, with the reason
    bool                       no_memory;
} cd_urdf;

// urdf_values.c: messages at an element. cd_urdf_warn reports a warning, or an error with the option `strict`.
void cd_urdf_fail(cd_urdf* u, int element, const char* format, ...) __attribute__((format(printf, 3, 4)));
void cd_urdf_warn(cd_urdf* u, int element, const char* format, ...) __attribute__((format(printf, 3, 4)));
void cd_urdf_note(cd_urdf* u, int element, const char* format, ...) __attribute__((format(printf, 3, 4)));

// Readers of values. A missing or invalid value is an error and leaves `value` unchanged.
const char* cd_urdf_require_attribute(cd_urdf* u, int element, const char* attribute); // NULL if missing
// Return the attribute "name", which must exist and be printable; NULL after a message.
const char* cd_urdf_require_name(cd_urdf* u, int element);
bool        cd_urdf_read_number(cd_urdf* u, int element, const char* attribute, bool needed, double* value);
bool        cd_urdf_read_numbers(cd_urdf* u, int element, const char* attribute, bool needed, int count, double* value);
int         cd_urdf_single_child(cd_urdf* u, int element, const char* child); // -1 if absent; a second one is an error
void        cd_urdf_read_origin(cd_urdf* u, int element, cardan_pose* pose);  // of its <origin>, else the identity
// Return the name of a link in Cardan: "ground" and "world" are reserved.
const char* cd_urdf_link_name(const char* name);
const char* cd_urdf_name_candidate(void* names, int i); // candidates of "did you mean"

// urdf_mesh.c: read <mesh>. Returns false if it cannot be read, which is counted; the mesh is freed by the caller.
bool cd_urdf_read_mesh(cd_urdf* u, int element, bool store, cardan_shape* shape, cd_mesh* mesh);
void cd_urdf_warn_of_meshes(cd_urdf* u); // once for all meshes that cannot be read

// Stages of the reader, in order.
void cd_urdf_read_joints(cd_urdf* u); // <joint>: parent and child, origin, axis, limits, damping
void cd_urdf_find_tree(cd_urdf* u);   // one root, every other link the child of one joint; poses
void cd_urdf_add_links(cd_urdf* u);   // bodies and shapes
void cd_urdf_add_joints(cd_urdf* u);  // joints and couplings
