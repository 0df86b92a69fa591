// SPDX-License-Identifier: BSD-3-Clause
// Spanning tree prepared for tracing: constants of the model, rearranged so that few operations remain. The frame of a
// link may be flipped, so that parallel axes point the same way. Its vectors may be written in other axes than its own.
// Inertia that its joint cannot separate from that of the parent may be regrouped to the parent.
#pragma once

#include "model/model.h"

// Axes in which the vectors of a link are written. They differ from its frame at most by a rotation about the z axis.
typedef enum cd_axes_choice {
    CD_AXES_OWN,     // those of its frame
    CD_AXES_AT_ZERO, // those of its frame at q = 0: its joint does not rotate vectors, the joints of its children do
    CD_AXES_PARENT,  // those of its parent: for parallel axes; angles add up
} cd_axes_choice;

typedef struct cd_tree_link {
    int            parent, motion, q, v, nv;
    int            model_link;      // index of the link in the model
    bool           is_flipped;      // frame rotated by pi about x, coordinate negated
    bool           is_parallel;     // axis parallel to that of the parent
    double         parallel_offset; // [rad] if is_parallel: rotation about z between both frames at q = 0
    cd_axes_choice axes;
    double         R[9], p[3];    // tree transform: rotation, origin [m], in the frame of the parent
    double         pitch;         // [m/rad]
    double         m, h[3], J[6]; // mass, first moments, integral of r r' (xx yy zz xy xz yz) [kg, kg m, kg m^2]
} cd_tree_link;

typedef struct cd_link_tree {
    const cardan_model* model;
    int                 nlink, nq, nv;
    cd_tree_link*       link;
    double*             armature; // (nv) of the model
    double              gravity[3];
} cd_link_tree;

// Create the link tree of a model. Round-off in its constants is removed: numbers below 1e-15 of the largest
// entry of the same vector or matrix become zero.
cd_link_tree* cd_link_tree_create(const cardan_model* model); // NULL if memory runs out
void          cd_link_tree_destroy(cd_link_tree* tree);

// Regroup inertias to the parents where joints cannot separate them (base_parameters.c). Efforts do not change;
// energies and reactions do.
void cd_link_tree_regroup(cd_link_tree* tree);
// Choose axes by a heuristic that needs no trace.
void cd_link_tree_choose_axes(cd_link_tree* tree);
