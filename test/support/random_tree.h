// SPDX-License-Identifier: BSD-3-Clause
// Random mechanisms without loops: 1 to 14 bodies of 0.01 to 100 kg, all joint types with the bodies of a joint in
// either order, welded and floating bodies, joint axes with armature, damping and stiffness.
#pragma once

#include "core/memory.h"
#include "math/quaternion.h"
#include "model/joint/joint_type.h"

#include <cardan/cardan.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct dice {
    uint64_t state;
} dice;

static inline double dice_unit(dice* d) // [0, 1)
{
    d->state += 0x9e3779b97f4a7c15u;
    uint64_t z = d->state;
    z          = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z          = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}
static inline double dice_range(dice* d, double low, double high) { return low + (high - low) * dice_unit(d); }
static inline int    dice_int(dice* d, int n) { return (int)(dice_unit(d) * n); }

static inline cardan_pose random_pose(dice* d)
{
    cardan_pose T;
    for (int i = 0; i < 3; ++i) T.p[i] = dice_range(d, -1, 1);
    for (int i = 0; i < 4; ++i) T.q[i] = dice_range(d, -1, 1);
    q4_normalize(T.q);
    return T;
}

// Inertia of three pairs of point masses: the principal moments satisfy the triangle inequality by construction.
static inline void random_inertia(dice* d, cardan_body* b)
{
    b->mass = pow(10, dice_range(d, -2, 2));
    double s[3];
    for (int i = 0; i < 3; ++i) {
        s[i]         = b->mass * dice_range(d, 0.01, 0.3);
        b->centre[i] = dice_range(d, -0.5, 0.5);
    }
    double       R[9], q[4] = {dice_range(d, -1, 1), dice_range(d, -1, 1), dice_range(d, -1, 1), dice_range(d, -1, 1)};
    const double p[3] = {s[1] + s[2], s[0] + s[2], s[0] + s[1]};
    q4_normalize(q);
    q4_matrix(q, R);
    const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    for (int k = 0; k < 6; ++k) {
        b->inertia[k] = 0;
        for (int i = 0; i < 3; ++i) b->inertia[k] += R[3 * row[k] + i] * p[i] * R[3 * column[k] + i];
    }
}

static inline cardan_joint random_joint(dice* d, const char* name, int first, int second)
{
    static cardan_axis_properties axes[CARDAN_JOINT_VELOCITIES_MAX];
    const char*                   type = cd_joint_type_at(dice_int(d, cd_joint_type_count()))->name;
    const bool                    swap = dice_unit(d) < 0.4;
    cardan_joint joint                 = cardan_joint_default(name, type, swap ? second : first, swap ? first : second);
    joint.frame_first                  = random_pose(d);
    joint.frame_second                 = random_pose(d);
    joint.pitch                        = dice_range(d, -0.3, 0.3);
    joint.nelementary                  = joint.type[0] == 'g'   ? 1 + dice_int(d, CARDAN_JOINT_VELOCITIES_MAX)
                                         : joint.type[0] == 'u' ? 2
                                                                : 0;
    for (int i = 0; i < joint.nelementary; ++i) {
        joint.elementary[i].is_translation = joint.type[0] == 'g' && dice_unit(d) < 0.4;
        for (int k = 0; k < 3; ++k) joint.elementary[i].axis[k] = dice_range(d, -1, 1);
    }
    if (dice_unit(d) < 0.3) {
        cd_elementary_joint elementary[CARDAN_JOINT_VELOCITIES_MAX];
        const int           n = cd_joint_type_find(type)->elementary_joints(&joint, elementary);
        for (int s = 0; s < n; ++s) joint.naxis += cd_motion_nv(elementary[s].motion);
        for (int i = 0; i < joint.naxis; ++i) {
            axes[i]           = cardan_axis_properties_default();
            axes[i].armature  = dice_range(d, 0, 0.2);
            axes[i].damping   = dice_range(d, 0, 1);
            axes[i].stiffness = dice_range(d, 0, 5);
        }
        joint.axis = axes;
    }
    return joint;
}

static inline cardan_description* random_tree(uint64_t seed)
{
    dice                d    = {seed};
    cardan_description* tree = cardan_description_create("random tree");
    const int           n    = 1 + dice_int(&d, 14);
    const double        g[3] = {dice_range(&d, -10, 10), dice_range(&d, -10, 10), dice_range(&d, -10, 10)};
    cardan_description_set_gravity(tree, g);
    for (int i = 0; i < n; ++i) {
        char name[32];
        snprintf(name, sizeof name, "body%d", i);
        cardan_body b = cardan_body_default(name);
        b.pose        = random_pose(&d);
        random_inertia(&d, &b);
        cardan_description_add_body(tree, &b);
        const int parent = dice_int(&d, i + 1) - 1;
        snprintf(name, sizeof name, "joint%d", i);
        const cardan_joint j = random_joint(&d, name, parent, i);
        if (dice_unit(&d) < 0.9) cardan_description_add_joint(tree, &j); // else the body floats
    }
    return tree;
}

// Random state: displacements up to 1.5 rad or m from the start, velocities up to 2 rad/s or m/s.
static inline void random_state(dice* d, const cardan_model* model, double* q, double* v)
{
    const cardan_model_view m  = cardan_model_get_view(model);
    double*                 dq = cd_allocate((size_t)m.nv, sizeof *dq);
    for (int i = 0; i < m.nv; ++i) {
        dq[i] = dice_range(d, -1.5, 1.5);
        v[i]  = dice_range(d, -2, 2);
    }
    cardan_model_integrate_position(model, m.q_start, dq, q);
    free(dq);
}
