// SPDX-License-Identifier: BSD-3-Clause
// Model: the mechanism compiled from a description (second stage). It is constant and can be shared by threads.
#pragma once

#include <cardan/describe.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

typedef struct cardan_model cardan_model;

typedef enum cardan_tree_policy {
    CARDAN_TREE_BREADTH_FIRST, // short paths to ground
    CARDAN_TREE_DEPTH_FIRST,   // each loop is one chain, cut at its far end
    CARDAN_TREE_MAXIMAL,       // maximal coordinates: each body on a free joint, each joint a constraint
    CARDAN_TREE_AUTO,          // tree of the formulation that cardan_formulation_choose selects; create the data with
                               // CARDAN_FORMULATION_AUTO
} cardan_tree_policy;

/// Compile a description: choose the spanning tree, cut the loops, merge welded bodies, number coordinates, place
/// frames. The model refers to the description: do not change or destroy it before the model is destroyed.
cardan_status cardan_model_compile(const cardan_description* description, cardan_tree_policy policy,
                                   cardan_model** model, cardan_report* report);
void          cardan_model_destroy(cardan_model* model);

/// Index range of a joint in q and v. Joints outside the spanning tree (cut joints; every joint in maximal coordinates)
/// have q = v = CARDAN_NONE; cardan_data_joint_state computes their coordinates.
typedef struct cardan_index_range {
    int q, nq; // first index into q, and count
    int v, nv;
} cardan_index_range;

typedef struct cardan_model_view {
    const char* name;
    int         nq, nv;      // coordinates and velocities of the spanning tree
    int         nstate;      // user states
    int         nlink;       // links of the spanning tree, after merging of bodies and expansion of joints
    int         njoint;      // joints with results: those of the description, then the free joints that were added
    int         nbody;       // bodies of the description
    int         ncut;        // joints that close loops
    int         nconstraint; // constraints: cut joints, couplings, constraints of the description, driven coordinates
    int         ntree_range; // njoint; in maximal coordinates also one free joint per body, behind them
    const cardan_index_range* tree_range;         // (ntree_range)
    int                       nq_joint, nv_joint; // with the joints outside the tree, behind those of the tree
    const cardan_index_range* joint_range; // (njoint) ranges in arrays of nq_joint, nv_joint; q = CARDAN_NONE: welded
    const int*                cut;         // (ncut) joint indices
    const double *            q_start, *v_start, *state_start;
} cardan_model_view;

cardan_model_view         cardan_model_get_view(const cardan_model* model);
const cardan_description* cardan_model_description(const cardan_model* model);

/// Name of a joint. A free joint that was added for a body without a joint has the name of the body.
const char* cardan_model_joint_name(const cardan_model* model, int joint);
const char* cardan_model_joint_type(const cardan_model* model, int joint);
/// Unit of coordinate `i` of q (or v) of a joint: "rad", "m", "1" for quaternion components.
const char* cardan_model_q_unit(const cardan_model* model, int joint, int i);
const char* cardan_model_v_unit(const cardan_model* model, int joint, int i);
/// Joint and local index of a velocity, for messages.
int cardan_model_joint_of_velocity(const cardan_model* model, int v, int* local);

/// Names, types and units are NULL, and the joint is CARDAN_NONE, if the index is out of range. The four functions
/// below return CARDAN_BAD_USAGE if a result is not finite.

/// Integrate positions: q_new = q (+) dq with dq (nv) in the tangent space. q_new may be q.
cardan_status cardan_model_integrate_position(const cardan_model* model, const double* q, const double* dq,
                                              double* q_new);
/// Compute dq with a (+) dq = b, by the shortest rotation.
cardan_status cardan_model_position_difference(const cardan_model* model, const double* a, const double* b, double* dq);
/// Compute the time derivative qdot (nq) of the stored coordinates from q and v.
cardan_status cardan_model_position_rate(const cardan_model* model, const double* q, const double* v, double* qdot);
/// Scale quaternions to unit length.
cardan_status cardan_model_normalize_position(const cardan_model* model, double* q);
/// Check whether cardan_data_set_state accepts a state: all numbers are finite. Else CARDAN_BAD_USAGE; the message
/// names the joint and its coordinate, the body or the user state. q, v and `state` may be NULL: not checked.
cardan_status cardan_model_check_state(const cardan_model* model, double t, const double* q, const double* v,
                                       const double* state, cardan_report* report);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop
