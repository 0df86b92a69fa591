// SPDX-License-Identifier: BSD-3-Clause
// The tree as tracing wants it: constants of the model, rearranged so that few operations remain. A bone is a link
// whose frame may be turned over (so that parallel axes point the same way), whose vectors may be written in other axes
// than its own, and whose inertia may have been handed to its parent where its joint cannot tell the difference.
#pragma once

#include "model/model.h"

// Axes that the vectors of a bone are written in. Apart from the last, a turn about the bone's own z is between them
// and its frame.
typedef enum cd_axes_choice {
    CD_AXES_OWN,     // those of its frame
    CD_AXES_AT_ZERO, // those it has at q = 0: its joint does not turn vectors, its children do
    CD_AXES_PARENT,  // those of its parent: parallel axes, sums of angles
} cd_axes_choice;

typedef struct cd_tree_link {
    int            parent, motion, q, v, nv;
    int            model_link;  // of the model
    bool           is_flipped;  // its frame is that of the link turned by pi about x, and its coordinate the negative
    bool           is_parallel; // parent and bone turn about parallel axes, or slide along them
    double         parallel_offset; // [rad] then: turn about z between the two frames at q = 0
    cd_axes_choice axes;
    double         R[9], p[3];    // mount in the parent's frame
    double         pitch;         // [m/rad]
    double         m, h[3], J[6]; // mass, first moments, integral of r r' (xx yy zz xy xz yz), own frame
} cd_tree_link;

typedef struct cd_link_tree {
    const cardan_model* model;
    int                 nlink, nq, nv;
    cd_tree_link*       link;
    double*             armature; // (nv) of the model, and what sliding joints handed over
    double              gravity[3];
} cd_link_tree;

// Constants are cleaned of round-off: what is below 1e-15 of its neighbours is zero.
cd_link_tree* cd_link_tree_create(const cardan_model* model); // NULL without memory
void          cd_link_tree_destroy(cd_link_tree* tree);

// Hand inertia to parents wherever the joint does not separate it: efforts stay, energies and reactions do not.
void cd_link_tree_regroup(cd_link_tree* tree);
// Axes by rule of thumb.
void cd_link_tree_choose_axes(cd_link_tree* tree);
