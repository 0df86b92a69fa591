// SPDX-License-Identifier: BSD-3-Clause
// Inside of the doctor: the patient at a pose, its singular values, its loops and their axes.
#pragma once

#include "core/text.h"
#include "dynamics/rank/constraint_rank.h"

#include <cardan/diagnose.h>

// ---- axes (axes.c)

typedef struct cd_joint_axis {
    int    joint;
    bool   is_rotation;   // rotation about the axis, with an advance; else translation
    bool   of_ball_joint; // one of three of a ball joint
    double pitch;         // [m/rad]
    vec3   u, p;          // direction and a point, in the world
} cd_joint_axis;

// Axes of all motions that joint j allows, at the state of the data. At most 6.
int cd_joint_axes(cardan_data* d, int j, cd_joint_axis axis[CARDAN_JOINT_MAX]);

// Unit motion of an axis as (rotation, translation of the point c / length).
void cd_joint_axis_twist(const cd_joint_axis* axis, vec3 c, double length, double twist[6]);

// ---- loops (loops.c)

typedef struct cd_kinematic_loop {
    int     njoint, *joint, *body;           // round the loop; body[i] is before joint[i]
    int     closing_joint, closing_position; // joint that closes it, and where that stands in the order of joints
    int     nrow, redundant;                 // equations of that joint; repeated by others at every pose
    int     naxis, own_redundant; // motions of its joints; equations repeated by the geometry of this loop alone
    double  wrench[6][6];         // (own) what it can carry without load: moment / length, force, at `centre`
    vec3    centre;
    double  length;
    cd_text path, reason, indeterminate, suggested_joints;
} cd_kinematic_loop;

// A constraint that closes no joint.
typedef struct cd_extra_constraint {
    int redundant;
} cd_extra_constraint;

typedef struct cd_kinematic_loops {
    int                  total; // all loops of the mechanism
    int                  nloop; // looked at
    int                  nrow;  // equations of all joints that close them
    cd_kinematic_loop*   loop;
    int*                 joint_order;   // (njoint of the description) welds first, then as described
    cd_extra_constraint* extra;         // (constraints that close no joint)
    cd_text              indeterminate; // what these leave open beyond what loops do
} cd_kinematic_loops;

enum { CD_MAX_LOOPS = 200 }; // looked at one by one

cardan_status cd_kinematic_loops_find(const cardan_data* d, cd_kinematic_loops* loops, cardan_report* report);
void          cd_kinematic_loops_free(cd_kinematic_loops* loops);

// ---- redundancy (redundancy.c); all at the state of the data, self-stress known

// Rank of one loop by itself, and what it can carry.
bool cd_kinematic_loop_rank(cardan_data* d, cd_kinematic_loop* loop);

// An independent set of vectors in the space of self-stress, grown one by one.
typedef struct cd_orthonormal_basis {
    int     n, count;
    double* vector; // (n x n), orthonormal rows
} cd_orthonormal_basis;

bool cd_orthonormal_basis_create(cd_orthonormal_basis* basis, int n);
void cd_orthonormal_basis_free(cd_orthonormal_basis* basis);
// Adds x (n) unless what is left of it beside the others is not above `tolerance`; x is overwritten. Returns that rest.
double cd_orthonormal_basis_add(cd_orthonormal_basis* basis, double* x, double tolerance);

// Equations of the closing joints that repeat earlier ones.
bool cd_kinematic_loops_count_redundant(const cardan_data* d, const cd_self_stress* stress, cd_kinematic_loops* loops);
// What joints after `position` and all other constraints feel of the self-stress: the sets orthogonal to it use
// neither.
bool cd_stress_of_later_joints(const cardan_model* m, const cd_self_stress* stress, const cd_kinematic_loops* loops,
                               int position, cd_orthonormal_basis* later);

// ---- sentences (redundancy_reason.c, indeterminate_reactions.c, suggested_joints.c)

void cd_describe_loop_redundancy(cardan_data* d, const cd_kinematic_loops* loops, int l, cd_text* text);
// "all four axes lie in one plane": why the loop has less than `rank` directions at this pose.
void cd_describe_loop_rank_loss(cardan_data* d, const cd_kinematic_loop* loop, int rank, cd_text* text);
// Reactions that one loop by itself leaves open; and all loops together.
bool cd_describe_loop_indeterminacy(const cardan_data* d, const cd_kinematic_loop* loop, cd_text* text);
bool cd_describe_indeterminacy(cardan_data* d, const cd_self_stress* stress, cd_kinematic_loops* loops);
bool cd_suggest_joints(cardan_data* d, const cd_self_stress* stress, cd_kinematic_loops* loops);

// ---- words (diagnosis_text.c)

typedef struct cd_geometry_text {
    char text[64];
} cd_geometry_text;

cd_geometry_text cd_describe_axis_direction(vec3 u);       // "z", "(0.6, 0.8, 0)"; a line has no sign
cd_geometry_text cd_describe_axis_in_parentheses(vec3 u);  // "(z)", "(0.6, 0.8, 0)"
cd_geometry_text cd_describe_point(vec3 p);                // "(1, 0, 0.25)"
const char*      cd_number_in_words(int n, char word[16]); // "two" ... "twelve", "13"
// "A", "A and B", "A, B and C"
void cd_text_add_joints(cd_text* text, const cardan_model* m, int count, const int* joint);

// Directions spanned by `count` vectors of at least the relative size 1e-6: how many, and an orthonormal basis of them.
int cd_spanned_directions(int count, const vec3* u, vec3 basis[3]);
