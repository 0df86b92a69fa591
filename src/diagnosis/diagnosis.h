// SPDX-License-Identifier: BSD-3-Clause
// Internal functions of the diagnosis: joint axes, kinematic loops, redundancy, texts.
#pragma once

#include "core/text.h"
#include "dynamics/rank/constraint_rank.h"
#include "math/orthonormal_basis.h"

#include <cardan/diagnose.h>

// ---- joint axes (joint_axes.c)

typedef struct cd_joint_axis {
    int    joint;
    bool   is_rotation;   // rotation, with an advance per angle; else translation
    bool   of_ball_joint; // one of three axes of a spherical joint
    double pitch;         // [m/rad]
    vec3   u, p;          // direction and a point, world axes
} cd_joint_axis;

// Compute the axes of all motions that joint j allows, at the state of the data. Returns their number, at most 6.
int cd_joint_axes(cardan_data* d, int j, cd_joint_axis axis[CARDAN_JOINT_VELOCITIES_MAX]);

// Compute the unit twist of an axis as (rotation, translation of the point c / length).
void cd_joint_axis_twist(const cd_joint_axis* axis, vec3 c, double length, double twist[6]);

// ---- kinematic loops (kinematic_loops.c)

enum { CD_MAX_CHANGED_JOINTS = 3 }; // of a suggestion

typedef struct cd_kinematic_loop {
    int     njoint, *joint, *body;           // around the loop; body[i] precedes joint[i]
    int     closing_joint, closing_position; // joint that closes the loop; its index in joint_order
    int     nrow, redundant;                 // constraint rows of that joint; redundant ones in a generic configuration
    int     naxis, single_loop_redundant;    // axes of its joints; rows redundant by the geometry of this loop alone
    double  wrench[6][6]; // (single_loop_redundant) self-stress wrenches: moment / length, force, at `centre`
    vec3    centre;
    double  length;
    cd_text path, reason, indeterminate, suggested_joints;
    int     nchange; // suggested types, if types alone say all; else 0
    cardan_joint_change change[CD_MAX_CHANGED_JOINTS];
} cd_kinematic_loop;

// Constraint that does not belong to a joint.
typedef struct cd_extra_constraint {
    int redundant;
} cd_extra_constraint;

typedef struct cd_kinematic_loops {
    int                  total; // all loops of the mechanism
    int                  nloop; // loops analysed
    int                  nrow;  // rows of all closing joints
    cd_kinematic_loop*   loop;
    int*                 joint_order;   // (njoint of the description) welds first, then in the order of the description
    cd_extra_constraint* extra;         // (constraints that do not belong to a joint)
    cd_text              indeterminate; // indeterminate reactions beyond those of the loops
} cd_kinematic_loops;

enum { CD_MAX_LOOPS = 200 }; // largest number of loops analysed one by one

cardan_status cd_kinematic_loops_find(const cardan_data* d, cd_kinematic_loops* loops, cardan_report* report);
void          cd_kinematic_loops_free(cd_kinematic_loops* loops);

// ---- redundancy (redundancy.c); all at the state of the data, with computed self-stress

// Compute the rank of one loop alone and its self-stress wrenches. Returns false if memory is exhausted.
bool cd_kinematic_loop_rank(cardan_data* d, cd_kinematic_loop* loop);

// Count the rows of the closing joints that are redundant to earlier rows. Returns false if memory is exhausted.
bool cd_kinematic_loops_count_redundant(const cardan_data* d, const cd_self_stress* stress, cd_kinematic_loops* loops);
// Compute the span of the self-stress at joints after `position` and at all other constraints: self-stress orthogonal
// to it involves neither. Returns false if memory is exhausted.
bool cd_stress_of_later_joints(const cardan_model* m, const cd_self_stress* stress, const cd_kinematic_loops* loops,
                               int position, cd_orthonormal_basis* later);

// ---- texts (redundancy_reason.c, indeterminate_reactions.c, suggested_joints.c)

void cd_describe_loop_redundancy(cardan_data* d, const cd_kinematic_loops* loops, int l, cd_text* text);
// Describe why the loop has a lower rank than `rank` at this configuration: "all four axes lie in one plane".
void cd_describe_loop_rank_loss(cardan_data* d, const cd_kinematic_loop* loop, int rank, cd_text* text);
// Describe the indeterminate reactions of one loop alone; of all loops together. Return false if memory is exhausted.
bool cd_describe_loop_indeterminacy(const cardan_data* d, const cd_kinematic_loop* loop, cd_text* text);
bool cd_describe_indeterminacy(cardan_data* d, const cd_self_stress* stress, cd_kinematic_loops* loops);
bool cd_suggest_joints(cardan_data* d, const cd_self_stress* stress, cd_kinematic_loops* loops);

// ---- words (diagnosis_text.c)

typedef struct cd_geometry_text {
    char text[64];
} cd_geometry_text;

cd_geometry_text cd_describe_axis_direction(vec3 u);       // "z", "(0.6, 0.8, 0)"; unsigned
cd_geometry_text cd_describe_axis_in_parentheses(vec3 u);  // "(z)", "(0.6, 0.8, 0)"
cd_geometry_text cd_describe_point(vec3 p);                // "(1, 0, 0.25)"
const char*      cd_number_in_words(int n, char word[16]); // "two" ... "twelve", "13"
// "A", "A and B", "A, B and C"
void cd_text_add_joints(cd_text* text, const cardan_model* m, int count, const int* joint);

// Compute an orthonormal basis of the directions spanned by `count` vectors, of at least the relative size
// 1e-6. Returns its dimension.
int cd_spanned_directions(int count, const vec3* u, vec3 basis[3]);
