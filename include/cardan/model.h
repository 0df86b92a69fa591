// SPDX-License-Identifier: BSD-3-Clause
// Second life of a mechanism: the model. Compiled from a description, constant, shared by threads.
#pragma once

#include <cardan/describe.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cardan_model cardan_model;

typedef enum cardan_tree_policy {
    CARDAN_TREE_BREADTH_FIRST, // breadth first: short paths to ground
    CARDAN_TREE_DEPTH_FIRST,   // depth first: a loop is one chain, opened at its far end
    CARDAN_TREE_MAXIMAL,       // every body on a free joint of its own, every joint a constraint
    CARDAN_TREE_AUTO, // the tree of the formulation that cardan_choose_formulation chooses; data are then created
                      // with CARDAN_AUTO
} cardan_tree_policy;

/// Choose the spanning tree, cut the loops, merge welded bodies, number, place the frames.
/// The model looks into the description: neither change nor destroy it before the model is destroyed.
cardan_status cardan_model_compile(const cardan_description* description, cardan_tree_policy policy,
                                   cardan_model** model, cardan_report* report);
void          cardan_model_destroy(cardan_model* model);

/// Where the coordinates of a user's joint stand in q and v. A joint that the tree does not have (it closes a loop, or
/// coordinates are flat) has q = v = CARDAN_NONE, and cardan_joint_state measures it.
typedef struct cardan_index_range {
    int q, nq; // first index into q, and how many
    int v, nv;
} cardan_index_range;

typedef struct cardan_model_view {
    const char* name;
    int         nq, nv; // coordinates and velocities of the tree
    int         nstate; // user states
    int         nlink;  // bodies of the tree after merging and expansion of joints
    int         njoint; // joints with results: those of the description, then the free joints that were added
    int         nbody;  // bodies of the description
    int         ncut;   // joints that close loops
    int nconstraint;    // what adds constraint rows: joints that are cut, couplings, constraints, driven coordinates
    int ntree_range;    // njoint, and in flat coordinates one free joint per body behind them
    const cardan_index_range* tree_range;         // (nslot)
    int                       nq_joint, nv_joint; // with the joints that are measured, behind those of the tree
    const cardan_index_range*
                  joint_range; // (njoint) slots in such longer arrays; q = CARDAN_NONE only for welded joints
    const int*    cut;         // (ncut) joint indices
    const double *q_start, *v_start, *state_start;
} cardan_model_view;

cardan_model_view         cardan_model_get_view(const cardan_model* model);
const cardan_description* cardan_model_description(const cardan_model* model);

/// Names. A joint that was added because nothing held its body has the name of the body.
const char* cardan_model_joint_name(const cardan_model* model, int joint);
const char* cardan_model_joint_type(const cardan_model* model, int joint);
/// Unit of coordinate `i` of q (or v): "rad", "m", "1" for quaternion components.
const char* cardan_model_q_unit(const cardan_model* model, int joint, int i);
const char* cardan_model_v_unit(const cardan_model* model, int joint, int i);
/// Velocity index to joint and local index, for messages.
int cardan_model_joint_of_velocity(const cardan_model* model, int v, int* local);

/// Names, types and units are NULL, and the joint CARDAN_NONE, where there is no such index. The four functions below
/// return CARDAN_BAD_USAGE where a result is not finite.

/// q moved by dq (nv) in the tangent space: q_new = q (+) dq. q_new may be q.
cardan_status cardan_model_integrate_position(const cardan_model* model, const double* q, const double* dq,
                                              double* q_new);
/// The dq with a (+) dq = b, shortest turn.
cardan_status cardan_model_position_difference(const cardan_model* model, const double* a, const double* b, double* dq);
/// Time derivative of the stored coordinates: qdot (nq) from q and v.
cardan_status cardan_model_position_rate(const cardan_model* model, const double* q, const double* v, double* qdot);
/// Quaternions to unit length.
cardan_status cardan_model_normalize_position(const cardan_model* model, double* q);
/// Whether cardan_data_set_state would take these as a state: all numbers are finite. Else CARDAN_BAD_USAGE, the sentence
/// names the joint and its coordinate, the body or the user state. q, v and `state` may be NULL: not checked.
cardan_status cardan_model_check_state(const cardan_model* model, double t, const double* q, const double* v,
                                       const double* state, cardan_report* report);

#ifdef __cplusplus
}
#endif
