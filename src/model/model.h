// SPDX-License-Identifier: BSD-3-Clause
// Internals of the model: the tree in the form of the recursions. Constant after compilation.
//
// A link is an element of the spanning tree with one elementary motion relative to its parent, in a frame whose z axis
// is the axis of that motion. A joint of several coordinates is a chain of links, all but the last without mass.
// Parents come before children; ground is -1.
#pragma once

#include "core/memory.h"
#include "expression/graph.h"
#include "model/joint/joint_type.h"

#include <cardan/model.h>

typedef struct cd_link {
    int    parent;
    int    motion; // cd_elementary_motion
    int    q, v;   // first coordinate and velocity
    int    nv;
    int    joint;            // index in the model, for messages
    bool   is_massless;      // neither mass nor inertia
    double m;                // mass [kg]
    double h[3];             // mass times centre [kg m]
    double I[6];             // inertia about the link's origin, xx yy zz xy xz yz [kg m^2]
    double second_moment[6]; // integral of r r' about the origin: (tr I / 2) 1 - I [kg m^2]
} cd_link;

// Tree transform of a link; separate from cd_link, since sweeps over long chains are limited by memory.
typedef struct cd_tree_transform {
    int    motion; // cd_elementary_motion
    int    q;
    double R[9]; // start of the motion in the parent's frame
    double p[3];
    double pitch; // [m/rad] CD_SCREW
} cd_tree_transform;

// A frame fixed to a link (or to ground, link -1).
typedef struct cd_link_frame {
    int    link;
    double R[9], p[3]; // in the link's frame
} cd_link_frame;

typedef struct cd_compiled_joint {
    const char*          name;
    const cd_joint_type* type;
    bool                 is_reversed;       // the tree goes from second to first
    bool                 is_cut;            // closes a loop (or welds bodies that are already welded)
    int                  first_link, nlink; // its links in the tree; nlink 0: welded or cut
    cd_link_frame        frame_first, frame_second;
    int                  nelementary;
    cd_elementary_joint  elementary[CARDAN_JOINT_VELOCITIES_MAX];
} cd_compiled_joint;

// Joint force element: spring, damper, friction and stops of one coordinate.
typedef struct cd_joint_force_element {
    int                    v, q;       // velocity; coordinate, or CARDAN_NONE if it belongs to a quaternion
    int                    quaternion; // first coordinate of the quaternion, or CARDAN_NONE
    int                    component;  // 0..2 of the rotation vector if `quaternion` is set
    int                    joint, axis;
    cardan_axis_properties parameter;
} cd_joint_force_element;

struct cardan_model {
    const cardan_description* description;
    cardan_description_view   view;
    cardan_tree_policy        policy;
    int                       chosen_formulation; // formulation selected for CARDAN_TREE_AUTO, or CARDAN_NONE
    cd_arena                  arena;

    int nlink, nq, nv, noff_tree, nq_joint, nv_joint, nstate, njoint, nbody, nmarker, ncut, njoint_force, nquaternion,
        depth;
    int  nbristle;       // of brushes of contacts: nstate = states of the description + 3 nbristle
    bool all_links_free; // every link is a free body: coordinates 7 i, velocities 6 i of link i

    cd_link*                link;           // (nlink)
    cd_tree_transform*      tree_transform; // (nlink)
    cardan_index_range*     tree_range;     // (ntree_range)
    cardan_index_range*     joint_range;    // (njoint) the same, with off-tree joints behind nq and nv
    int*                    off_tree;       // (noff_tree) off-tree joints
    cd_compiled_joint*      joint;          // (njoint)
    cd_link_frame*          body;           // (nbody) body frame of the description on its link
    cd_link_frame*          marker;         // (nmarker)
    int*                    cut;            // (ncut)
    cd_joint_force_element* joint_force;    // (njoint_force)
    double*                 armature;       // (nv)
    double*                 inertia_scale;  // (nv) order of magnitude of the moved inertia, scale of pivots
    double* inertia_roundoff;        // (nv) round-off of that inertia if it is summed in the frame of the root link
    double (*link_inertia_scale)[2]; // (nlink) of the subtree of each link: rotational, translational
    double* q_off_tree_start;        // (nq_joint - nq) start values of off-tree joints, initial winding
    int*    v_link;                  // (nv) link of a velocity
    int*    v_parent;                // (nv) preceding velocity on the path to ground; -1 at the root
    int*    v_order;                 // (nv) velocities in tree order, roots first
    int*    v_depth;                 // (nv) velocities on the path to ground, itself included
    int*    quaternion_v;            // (nquaternion) first velocity of each quaternion's angular velocity
    int*    quaternion_q;            // (nquaternion) first coordinate of each quaternion
    double *q_start, *v_start, *state_start;

    // shapes that touch (contact/scene), compiled after the model; NULL: none
    struct cd_contact_scene* contact_scene;
    void (*destroy_contact_scene)(struct cd_contact_scene* scene);

    // compiled formulas: of the equations of motion (force components, then state rates), and outputs with the stop
    // condition
    cd_tape *formula_tape, *output_tape;
    int      nformula, noutput_value;
    // reaction signals that force components and state rates read, and the first force or (from nforce on) state of each
    int  nreaction_signal;
    int *reaction_signal, *reaction_reader; // (nsignal)

    // driver functions: of joints, then of constraints, as described; value, first and second derivative of each
    cd_tape* driver_tape;
    int      ndriver_function, njoint_driver; // number of driver functions; the first njoint_driver are those of joints
    int      time_signal;                     // input of the tapes that is t, or CARDAN_NONE
};

// Whether a link is a free body of maximal coordinates: floating on ground, origin at its mass centre, coordinates and
// linear velocities in world axes.
static inline bool cd_link_is_free(const cardan_model* m, const cd_link* link)
{
    return m->policy == CARDAN_TREE_MAXIMAL && link->motion == CD_FREE;
}

// Bristles of a shape: deflections of compliant contacts with a brush (dynamics/contacts/compliant_contacts.h).
int cd_shape_bristles(const cardan_description_view* view, int shape);

// Whether velocity i of a joint, or velocity v of the model, is an angular velocity.
bool cd_joint_velocity_is_rotation(const cardan_model* m, int joint, int i);
bool cd_velocity_is_rotation(const cardan_model* m, int v);

// cardan_model_compile for a given tree policy; automatic_formulation.c resolves CARDAN_TREE_AUTO before.
cardan_status cd_model_compile(const cardan_description* description, cardan_tree_policy policy, cardan_model** model,
                               cardan_report* report);

void cd_model_normalize_position(const cardan_model* model, double* q);

// q (+) h v of links from .. to - 1; q_new may be q.
void cd_model_integrate_position(const cardan_model* model, const double* q, const double* v, double h, double* q_new,
                                 int from, int to);

// First velocity index of the angular velocity of every quaternion (local axes: qdot = 1/2 q (0, w)).
int cd_model_quaternions(const cardan_model* model, const int** v_index);

// Compile the driver functions with their exact derivatives to a tape; fails if one depends on the motion of the
// mechanism.
cardan_status cd_compile_drivers(cardan_model* model, cardan_report* report);
