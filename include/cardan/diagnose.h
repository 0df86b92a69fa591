// SPDX-License-Identifier: BSD-3-Clause
// Diagnosis of the constraints of a mechanism: kinematic loops, rank of their equations, reasons of redundancy,
// statically indeterminate reactions, and joint types that would remove the redundancy. Results as numbers and as
// sentences.
#pragma once

#include <cardan/dynamics.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/// Another type for a joint.
typedef struct cardan_joint_change {
    int         joint;
    const char* type; // "spherical", "cylindrical"
} cardan_joint_change;

/// A kinematic loop. Loops are numbered in the order of the description: each is closed by the first joint whose two
/// bodies are already connected, independent of the spanning tree of the formulation, and follows the shortest path.
typedef struct cardan_loop {
    int         njoint;
    const int*  joint;            // (njoint) in order around the loop
    const int*  body;             // (njoint) body before each joint; CARDAN_GROUND
    int         closing_joint;    // joint that closes the loop
    int         nrow;             // equations of that joint
    int         redundant;        // of them redundant with the joints before it, at every configuration
    const char* path;             // "ground -A- crank -B- coupler -C- rocker -D- ground"
    const char* reason;           // "all four axes are parallel (z)"; "": nothing is redundant
    const char* indeterminate;    // "the forces along z and the moments about x and y at A to D": not unique; or ""
    const char* suggested_joints; // "let C be spherical and D cylindrical", verified by computation; or ""
    int         nchange;          // the same as types of joints; 0: it needs more than other types
    const cardan_joint_change* change; // (nchange)
} cardan_loop;

/// A constraint that is not a joint: a rod, a gear, a driver.
typedef struct cardan_extra_constraint {
    const char *category, *name; // "constraint", "coupling", "driver"; and its name
    const char* type;            // "distance", "gear", "driver", ...
    int         nrow;            // equations
    int         redundant;       // of them redundant with the joints and the constraints before it
    int         driven;          // of them driven by a function of time
    int         coordinate;      // driver: coordinate of the joint, from 1; 0: the joint has only one, or not a driver
} cardan_extra_constraint;

typedef struct cardan_diagnosis {
    bool   rank_computed; // false: the mechanism is too large for ranks; all counts except `nrow` and `nloop` are -1
    int    dof;           // degrees of freedom
    int    nrow;          // constraint rows of the data: cut joints of its tree, and other constraints
    int    equations;     // the same with the joints that close `loop` cut: equations - redundant are independent
    int    rank;          // at configurations near the state
    int    rank_at_state; // at the state; smaller if it is singular
    int    redundant;     // nrow - rank
    bool   neighbours_sampled;     // other configurations were computed; false if the mechanism is too large
    int    nconfiguration;         // consistent configurations examined
    bool   infinitesimally_mobile; // mobile at first order only: no neighbouring configuration is consistent
    bool   assemblable;            // the loops can be closed near the state
    double translation_violation, rotation_violation;             // [m], [rad] largest violation at the given state
    double translation_violation_after, rotation_violation_after; // after closing as far as possible
    int    nloop_total;                                           // number of loops of the mechanism
    int    nloop;                                                 // described in `loop`: the first 200
    const cardan_loop*             loop;
    int                            nextra;
    const cardan_extra_constraint* extra;
    const char* indeterminate;             // the same due to extra constraints: "the forces along x at A to D"; or ""
    int         driven;                    // equations driven by functions of time
    const char* configuration_description; // one or more sentences: closed, singular, infinitesimally mobile
} cardan_diagnosis;

/// Diagnose the mechanism at the state of `data`; its formulation must support loops if there are any. The state is
/// kept. Errors in the report determine the status: INCONSISTENT (loops cannot be closed, contradictory drivers),
/// SINGULAR (singular configuration, motion without inertia). Doubtful findings are warnings. The diagnosis is computed
/// in every case.
cardan_status cardan_diagnosis_create(cardan_data* data, cardan_diagnosis** diagnosis, cardan_report* report);
void          cardan_diagnosis_destroy(cardan_diagnosis* diagnosis);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop
