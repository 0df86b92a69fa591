// SPDX-License-Identifier: BSD-3-Clause
// Mechanisms with loops, described by calls.
#pragma once

#include "fixture.h"
#include "math/quaternion.h"

// A rod between two points of the world, its frame at the first point, parallel to the world.
static inline int loop_rod(cardan_description* d, const char* name, const double a[3], const double b[3], double mass)
{
    cardan_body body = cardan_body_default(name);
    double      u[3], l2 = 0;
    for (int k = 0; k < 3; ++k) {
        u[k]           = b[k] - a[k];
        body.pose.p[k] = a[k];
        body.centre[k] = u[k] / 2;
        l2 += u[k] * u[k];
    }
    body.mass           = mass;
    const double I      = mass * l2 / 12;
    const int    row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    for (int i = 0; i < 6; ++i)
        body.inertia[i] = I * ((i < 3) - u[row[i]] * u[column[i]] / l2) + (i < 3 ? 0.01 * mass * l2 : 0);
    return cardan_description_add_body(d, &body);
}

static inline cardan_pose loop_body_pose(const cardan_description* d, int body)
{
    return body == CARDAN_GROUND ? cardan_pose_default() : cardan_description_get_view(d).body[body].pose;
}

// A joint whose frame is at a point of the design configuration, its z axis along `axis`.
static inline cardan_joint loop_joint(const cardan_description* d, const char* name, const char* type, int first,
                                      int second, const double at[3], const double axis[3])
{
    cardan_joint j       = cardan_joint_default(name, type, first, second);
    cardan_pose  T       = cardan_pose_default();
    const double n       = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
    double       turn[4] = {1 + axis[2] / n, -axis[1] / n, axis[0] / n, 0};
    if (turn[0] < 1e-9) turn[1] = 1;
    q4_normalize(turn);
    memcpy(T.q, turn, sizeof turn);
    memcpy(T.p, at, sizeof T.p);
    j.frame_first  = pose_mul(pose_inverse(loop_body_pose(d, first)), T);
    j.frame_second = pose_mul(pose_inverse(loop_body_pose(d, second)), T);
    return j;
}

typedef struct four_bar {
    double a, b, c, d; // crank, coupler, rocker, ground
    double crank;      // angle of the crank in the design configuration
    int    side;       // +1, -1: side of BD on which C is
    double size;       // factor of all lengths
} four_bar;

// Positions of B and C in the plane at the crank angle `angle`; false if the loop cannot be closed.
static inline bool four_bar_points(const four_bar* f, double angle, double B[2], double C[2])
{
    B[0]            = f->size * f->a * cos(angle);
    B[1]            = f->size * f->a * sin(angle);
    const double dx = f->size * f->d - B[0], dy = -B[1], e = hypot(dx, dy), b = f->size * f->b, c = f->size * f->c;
    const double along = (b * b + e * e - c * c) / (2 * e), up2 = b * b - along * along;
    if (!(up2 > 0)) return false;
    const double up = f->side * sqrt(up2);
    C[0]            = B[0] + (along * dx - up * dy) / e;
    C[1]            = B[1] + (along * dy + up * dx) / e;
    return true;
}

// Joints A, B, C, D as in models/four_bar; the caller adds them to the description.
static inline cardan_description* four_bar_describe(const four_bar* f, cardan_joint joint[4])
{
    double              B[3] = {0}, C[3] = {0};
    const double        A[3] = {0}, D[3] = {f->size * f->d, 0, 0}, z[3] = {0, 0, 1};
    cardan_description* d = cardan_description_create("linkage");
    four_bar_points(f, f->crank, B, C);
    const int crank = loop_rod(d, "crank", A, B, 1), coupler = loop_rod(d, "coupler", B, C, 2),
              rocker = loop_rod(d, "rocker", C, D, 1.5);
    cardan_description_set_gravity(d, (const double[3]){0, -9.81, 0});
    joint[0] = loop_joint(d, "A", "revolute", CARDAN_GROUND, crank, A, z);
    joint[1] = loop_joint(d, "B", "revolute", crank, coupler, B, z);
    joint[2] = loop_joint(d, "C", "revolute", coupler, rocker, C, z);
    joint[3] = loop_joint(d, "D", "revolute", rocker, CARDAN_GROUND, D, z);
    return d;
}

// Compile the description and create data for a formulation that supports loops.
static inline bool loop_open(fixture* f, cardan_description* description, const char* formulation)
{
    const int index = cardan_formulation_find(formulation);
    *f              = (fixture){.description = description};
    f->status       = cardan_model_compile(description, cardan_formulation_tree_policy(index), &f->model, &f->report);
    if (f->status == CARDAN_OK) {
        f->m      = cardan_model_get_view(f->model);
        f->status = cardan_data_create(f->model, index, &f->data, &f->report);
    }
    for (int i = 0; i < f->report.count; ++i) printf("%s\n", f->report.message[i].text);
    CHECK(f->status == CARDAN_OK);
    return f->status == CARDAN_OK;
}
