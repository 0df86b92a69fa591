// SPDX-License-Identifier: BSD-3-Clause
// The mechanisms of the benchmarks. Chains and trees are made here; the robots are model files of their own.
#include "mechanism.h"

#include "core/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double length = 0.5, radius = 0.1; // [m] of a link

// Numbers that look random and are the same everywhere: multiples of the golden ratio, fractional part. [0, 1)
static double scattered(int i) { return fmod((i + 1) * 0.6180339887498949, 1); }

// A uniform rod along x from the body's origin: inertia about the centre m (L^2 (1 - dd'))/12 + m r^2/4 1.
static cardan_body rod(const char* name, int i)
{
    cardan_body  b     = cardan_body_default(name);
    const double round = radius * radius / 4;
    b.mass             = 1 + scattered(i);
    b.centre[0]        = length / 2;
    b.inertia[0]       = b.mass * round;
    b.inertia[1] = b.inertia[2] = b.mass * (length * length / 12 + round);
    return b;
}

// The joint frame whose z is the axis number i: z, y, x and again.
static cardan_pose axis_frame(int i)
{
    const double h       = sqrt(0.5);
    cardan_pose  pose    = cardan_pose_default();
    const double q[3][4] = {{1, 0, 0, 0}, {h, -h, 0, 0}, {h, 0, h, 0}};
    for (int k = 0; k < 4; ++k) pose.q[k] = q[i % 3][k];
    return pose;
}

// Link i on body `parent`, its joint at (x, y, 0) there.
static bool add_link(cardan_description* d, int i, int parent, double x, double y)
{
    char name[32];
    snprintf(name, sizeof name, "link%d", i);
    cardan_body b = rod(name, i);
    if (parent >= 0) {
        b.pose = cardan_description_view(d).body[parent].pose;
        b.pose.p[0] += x;
        b.pose.p[1] += y;
    }
    const int body = cardan_add_body(d, &b);
    snprintf(name, sizeof name, "joint%d", i);
    cardan_joint j = cardan_joint_default(name, "revolute", parent >= 0 ? parent : CARDAN_GROUND, body);
    j.frame_first  = axis_frame(i);
    j.frame_second = j.frame_first;
    if (parent >= 0) {
        j.frame_first.p[0] = x;
        j.frame_first.p[1] = y;
    }
    return body != CARDAN_NONE && cardan_add_joint(d, &j) != CARDAN_NONE;
}

static cardan_description* with_gravity(const char* name)
{
    cardan_description* d = cardan_description_create(name);
    if (d) cardan_set_gravity(d, (const double[]){0, 0, -9.81});
    return d;
}

cardan_description* mechanism_chain(int njoint)
{
    cardan_description* d = with_gravity("chain");
    for (int i = 0; d && i < njoint; ++i)
        if (!add_link(d, i, i - 1, length, 0)) {
            cardan_description_destroy(d);
            d = NULL;
        }
    return d;
}

cardan_description* mechanism_tree(int njoint)
{
    cardan_description* d = with_gravity("tree");
    for (int i = 0; d && i < njoint; ++i)
        if (!add_link(d, i, i == 0 ? -1 : (i - 1) / 2, length, i % 2 ? 0.1 : -0.1)) {
            cardan_description_destroy(d);
            d = NULL;
        }
    return d;
}

static const robot robots[] = {
    {"UR5", "ur5"}, {"Panda", "panda"}, {"ANYmal", "anymal"}, {"Talos", "talos"}, {"humanoid", "humanoid"},
};

int          robot_count(void) { return sizeof robots / sizeof *robots; }
const robot* robot_at(int i) { return &robots[i]; }

cardan_description* robot_load(const robot* r, const char* folder, cardan_report* report)
{
    cardan_description* d = NULL;
    char                path[1024];
    snprintf(path, sizeof path, "%s/%s", folder, r->folder);
    cardan_load(path, NULL, &d, report);
    return d;
}

// Angles and speeds in (-1, 1), efforts in (-10, 10).
state state_create(const cardan_model* m)
{
    const cardan_model_view look = cardan_model_look(m);
    const size_t            nq = (size_t)look.nq, nv = (size_t)look.nv;
    state s = {cd_allocate(nq, sizeof(double)), cd_allocate(nv, sizeof(double)), cd_allocate(nv, sizeof(double)),
               cd_allocate(nv, sizeof(double))};
    if (!s.q || !s.v || !s.a || !s.tau) {
        state_destroy(&s);
        return s;
    }
    for (int i = 0; i < look.nq; ++i) s.q[i] = 2 * scattered(7 * i) - 1;
    for (int i = 0; i < look.nv; ++i) {
        s.v[i]   = 2 * scattered(11 * i + 1) - 1;
        s.a[i]   = 2 * scattered(13 * i + 2) - 1;
        s.tau[i] = 20 * scattered(17 * i + 3) - 10;
    }
    cardan_model_normalize(m, s.q);
    return s;
}

void state_destroy(state* s)
{
    free(s->q);
    free(s->v);
    free(s->a);
    free(s->tau);
    *s = (state){0};
}
