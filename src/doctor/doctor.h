// SPDX-License-Identifier: BSD-3-Clause
// Inside of the doctor: the patient at a pose, its singular values, its loops and their axes.
#pragma once

#include "core/text.h"
#include "dynamics/patient.h"

#include <cardan/diagnose.h>

// ---- axes (axes.c)

typedef struct cd_axis {
    int    joint;
    bool   turns; // rotation about the axis, with an advance; else translation
    bool   ball;  // one of three of a ball joint
    double pitch; // [m/rad]
    vec3   u, p;  // direction and a point, in the world
} cd_axis;

// Axes of all motions that joint j allows, at the state of the data. At most 6.
int cd_joint_axes(cardan_data* d, int j, cd_axis axis[CARDAN_JOINT_MAX]);

// Unit motion of an axis as (rotation, translation of the point c / length).
void cd_axis_motion(const cd_axis* axis, vec3 c, double length, double motion[6]);

// ---- loops (loops.c)

typedef struct cd_loop {
    int     njoint, *joint, *body; // round the loop; body[i] is before joint[i]
    int     closed_at, position;   // joint that closes it, and where that stands in the order of joints
    int     rows, repeated;        // equations of that joint; repeated by others at every pose
    int     naxis, own;            // motions of its joints; equations repeated by the geometry of this loop alone
    double  wrench[6][6];          // (own) what it can carry without load: moment / length, force, at `centre`
    vec3    centre;
    double  length;
    cd_text path, reason, loose, repair;
} cd_loop;

// A constraint that closes no joint.
typedef struct cd_tie {
    int repeated;
} cd_tie;

typedef struct cd_loops {
    int      count; // all loops of the mechanism
    int      nloop; // looked at
    int      rows;  // equations of all joints that close them
    cd_loop* loop;
    int*     sequence; // (njoint of the description) welds first, then as described
    cd_tie*  tie;      // (constraints that close no joint)
    cd_text  loose;    // what these leave open beyond what loops do
} cd_loops;

enum { CD_LOOPS_MOST = 200 }; // looked at one by one

cardan_status cd_loops_find(const cardan_data* d, cd_loops* loops, cardan_report* report);
void          cd_loops_free(cd_loops* loops);

// ---- redundancy (redundancy.c); all at the state of the data, self-stress known

// Rank of one loop by itself, and what it can carry.
bool cd_loop_alone(cardan_data* d, cd_loop* loop);

// An independent set of vectors in the space of self-stress, grown one by one.
typedef struct cd_basis {
    int     n, count;
    double* vector; // (n x n), orthonormal rows
} cd_basis;

bool cd_basis_create(cd_basis* basis, int n);
void cd_basis_free(cd_basis* basis);
// Adds x (n) unless what is left of it beside the others is not above `tolerance`; x is overwritten. Returns that rest.
double cd_basis_add(cd_basis* basis, double* x, double tolerance);

// Equations of the closing joints that repeat earlier ones.
bool cd_loops_repeated(const cardan_data* d, const cd_stress* stress, cd_loops* loops);
// What joints after `position` and all other constraints feel of the self-stress: the sets orthogonal to it use
// neither.
bool cd_stress_later(const cardan_model* m, const cd_stress* stress, const cd_loops* loops, int position,
                     cd_basis* later);

// ---- sentences (reason.c, loose.c, repair.c)

void cd_loop_reason(cardan_data* d, const cd_loops* loops, int l, cd_text* text);
// "all four axes lie in one plane": why the loop has less than `rank` directions at this pose.
void cd_loop_flat_reason(cardan_data* d, const cd_loop* loop, int rank, cd_text* text);
// Reactions that one loop by itself leaves open; and all loops together.
bool cd_loop_loose(const cardan_data* d, const cd_loop* loop, cd_text* text);
bool cd_loops_loose(cardan_data* d, const cd_stress* stress, cd_loops* loops);
bool cd_loops_repair(cardan_data* d, const cd_stress* stress, cd_loops* loops);

// ---- words (words.c)

typedef struct cd_words {
    char text[64];
} cd_words;

cd_words    cd_direction_word(vec3 u);           // "z", "(0.6, 0.8, 0)"; a line has no sign
cd_words    cd_aside_word(vec3 u);               // "(z)", "(0.6, 0.8, 0)"
cd_words    cd_point_word(vec3 p);               // "(1, 0, 0.25)"
const char* cd_count_name(int n, char word[16]); // "two" ... "twelve", "13"
// "A", "A and B", "A, B and C"
void cd_text_joints(cd_text* text, const cardan_model* m, int count, const int* joint);

// Directions spanned by `count` vectors of at least the relative size 1e-6: how many, and an orthonormal basis of them.
int cd_span(int count, const vec3* u, vec3 basis[3]);
