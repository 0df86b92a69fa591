// SPDX-License-Identifier: BSD-3-Clause
// A member of a family of `cardan make` in world axes.
#include "closed_chain_make.h"

#include "core/memory.h"
#include "math/quaternion.h"

#include <stdlib.h>
#include <string.h>

static cardan_pose pose_of(const cardan_description_view* view, int body)
{
    return body < 0 ? cardan_pose_default() : view->body[body].pose;
}

static void place_body(const cardan_body* from, closed_body* to)
{
    const double *I = from->inertia, full[9] = {I[0], I[3], I[4], I[3], I[1], I[5], I[4], I[5], I[2]};
    const int     row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    double        R[9];
    q4_matrix(from->pose.q, R);
    *to = (closed_body){.mass = from->mass, .joint = -1};
    pose_point(from->pose, from->centre, to->centre);
    for (int k = 0; k < 6; ++k)
        for (int m = 0; m < 3; ++m)
            for (int n = 0; n < 3; ++n) to->inertia[k] += R[3 * row[k] + m] * full[3 * m + n] * R[3 * column[k] + n];
}

static bool place_joint(const cardan_description_view* view, int number, closed_joint* to)
{
    const cardan_joint* j     = &view->joint[number];
    const bool          hinge = strcmp(j->type, "revolute") == 0;
    if (!hinge && strcmp(j->type, "spherical") != 0) return false;
    const cardan_pose T = pose_mul(pose_of(view, j->first_body), j->frame_first);
    *to = (closed_joint){.hinge = hinge, .closes = 1, .first = j->first_body, .second = j->second_body, .number = number};
    memcpy(to->p, T.p, sizeof to->p);
    q4_rotate(T.q, (const double[]){0, 0, 1}, to->axis);
    return true;
}

// Choose the tree from ground outward: revolute joints as far as possible, then spherical ones, and repeat.
static bool hold_bodies(closed* c)
{
    int held = 0;
    for (bool more = true; more;) {
        more = false;
        for (int pass = 1; pass >= 0 && !more; --pass)
            for (int j = 0; j < c->njoint; ++j) {
                closed_joint* joint = &c->joint[j];
                if (joint->hinge != pass || !joint->closes || joint->second < 0 || c->body[joint->second].joint >= 0)
                    continue;
                if (joint->first >= 0 && c->body[joint->first].joint < 0) continue;
                joint->closes                = 0;
                c->body[joint->second].joint = j;
                memcpy(c->body[joint->second].origin, joint->p, sizeof joint->p);
                c->order[held++] = j;
                more             = true;
            }
    }
    for (int j = 0; j < c->njoint; ++j)
        if (c->joint[j].closes && c->joint[j].hinge) return false;
    return held == c->nbody;
}

closed* closed_make(const cardan_description* d)
{
    const cardan_description_view view = cardan_description_get_view(d);
    closed*                       c    = cd_allocate(1, sizeof *c);
    if (!c) return NULL;
    c->nbody  = view.nbody;
    c->njoint = view.njoint;
    c->body   = cd_allocate((size_t)view.nbody, sizeof *c->body);
    c->joint  = cd_allocate((size_t)view.njoint, sizeof *c->joint);
    c->order  = cd_allocate((size_t)view.nbody, sizeof *c->order);
    memcpy(c->gravity, view.gravity, sizeof c->gravity);
    bool good = c->body && c->joint && c->order;
    for (int i = 0; good && i < view.nbody; ++i) place_body(&view.body[i], &c->body[i]);
    for (int j = 0; good && j < view.njoint; ++j) good = place_joint(&view, j, &c->joint[j]);
    if (good && hold_bodies(c)) return c;
    closed_destroy(c);
    return NULL;
}

void closed_destroy(closed* c)
{
    if (!c) return;
    free(c->body);
    free(c->joint);
    free(c->order);
    free(c);
}
