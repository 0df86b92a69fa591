// SPDX-License-Identifier: BSD-3-Clause
// The doctor: what the loops of a mechanism are, how many of its equations count, why the others repeat them, which
// reactions are therefore not unique and which other joints would make them so. Everything in numbers for programs and
// in sentences.
#pragma once

#include <cardan/dynamics.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A closed chain of bodies. Loops are counted in the order of the description: each is closed by the first joint that
/// finds its two bodies connected already, whatever tree a formulation uses, and runs the shortest way round.
typedef struct cardan_loop {
    int         njoint;
    const int*  joint;         // (njoint) in order round the loop
    const int*  body;          // (njoint) body before each joint; CARDAN_GROUND
    int         closing_joint; // joint that closes it
    int         nrow;          // equations of that joint
    int         redundant;     // of them repeat what the joints before it ensure, at every pose
    const char* path;          // "ground -A- crank -B- coupler -C- rocker -D- ground"
    const char* reason;        // "all four axes are parallel (z)"; "" where nothing repeats
    const char*
        indeterminate; // "the forces along z and the moments about x and y at A to D": reactions that are not unique; or ""
    const char* suggested_joints; // "let C be spherical and D cylindrical", tried out before it is said; or ""
} cardan_loop;

/// A constraint beside the joints: a rod, a gear, a driver.
typedef struct cardan_extra_constraint {
    const char *category, *name; // "constraint", "coupling", "driver"; and its name
    const char* type;            // "distance", "gear", "driver", ...
    int         nrow;            // equations
    int         redundant;       // of them repeat what the joints, and the constraints before it, ensure
    int         driven;          // of them follow a law of time
    int         coordinate; // from 1: which of the joint's a driver follows; 0: the joint has no other, or no driver
} cardan_extra_constraint;

typedef struct cardan_diagnosis {
    bool   rank_computed; // false: the mechanism is too large for ranks, and counts but `rows` and `nloop` are -1
    int    dof;           // degrees of freedom
    int    nrow;          // equations that close the loops of the data's tree, and other constraints
    int    equations;     // the same where the joints close them that `loop` names: equations - redundant of them count
    int    rank;          // of them that count at poses near the state
    int    rank_at_state; // at the state; less where it is singular
    int    redundant;     // rows - rank
    bool   neighbours_sampled;     // other poses were looked for; false where the mechanism is too large for that
    int    nconfiguration;         // consistent poses looked at
    bool   infinitesimally_mobile; // degrees of freedom are there at first order only: no pose nearby closes
    bool   assemblable;            // the loops can be closed near the state
    double translation_violation, rotation_violation; // [m], [rad] largest opening at the state as it was given
    double translation_violation_after, rotation_violation_after; // and when closed as far as possible
    int    nloop_total;                                           // of the mechanism
    int    nloop;                                                 // described one by one: the first 200
    const cardan_loop*             loop;
    int                            nextra;
    const cardan_extra_constraint* extra;
    const char*
        indeterminate;  // reactions and efforts that ties leave open beyond what loops do: "the forces along x and y at
                        // A to D, the efforts of A and D"; or ""
    int         driven; // equations that follow laws of time
    const char* configuration_description; // about the pose: closed, singular, shaky; one sentence or more
} cardan_diagnosis;

/// Diagnose the mechanism at the state of `data`; its formulation must take loops where there are some. The state is
/// kept. What is wrong goes to the report as errors and makes the status: INCONSISTENT (cannot close, contradictory
/// laws), SINGULAR (singular pose, motion that nothing resists). What is doubtful goes there as warnings. The diagnosis
/// is made all the same.
cardan_status cardan_diagnose(cardan_data* data, cardan_diagnosis** diagnosis, cardan_report* report);
void          cardan_diagnosis_destroy(cardan_diagnosis* diagnosis);

#ifdef __cplusplus
}
#endif
