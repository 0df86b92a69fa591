// SPDX-License-Identifier: BSD-3-Clause
// The only file of bench_step that includes ODE. Debian's library uses double precision.
#define dDOUBLE
#include "ode.h"

#include "dynamics/data.h"
#include "dynamics/state.h"

#include <math.h>
#include <ode/ode.h>
#include <stdlib.h>
#include <string.h>

struct ode {
    dWorldID world;
    dBodyID* body; // (nlink)
    int      nbody;
};

static void add_body(ode* o, const cd_link* link, frame T, spatial V, int i)
{
    dMass        mass;
    const double R[12] = {T.R.xx, T.R.xy, T.R.xz, 0, T.R.yx, T.R.yy, T.R.yz, 0, T.R.zx, T.R.zy, T.R.zz, 0};
    o->body[i]         = dBodyCreate(o->world);
    dMassSetParameters(&mass, link->m, 0, 0, 0, link->I[0], link->I[1], link->I[2], link->I[3], link->I[4], link->I[5]);
    dBodySetMass(o->body[i], &mass);
    dBodySetPosition(o->body[i], T.p.x, T.p.y, T.p.z);
    dBodySetRotation(o->body[i], R);
    dBodySetLinearVel(o->body[i], V.l.x, V.l.y, V.l.z);
    dBodySetAngularVel(o->body[i], V.a.x, V.a.y, V.a.z);
    dBodySetGyroscopicMode(o->body[i], 1);
}

static bool add_joint(ode* o, const cardan_data* d, const cd_compiled_joint* joint)
{
    const cd_end_state end = cd_end_state_of(&joint->frame_second, &d->world);
    const int          a = joint->frame_first.link, b = joint->frame_second.link;
    const bool         hinge = strcmp(joint->type->name, "revolute") == 0;
    const dBodyID      first = a >= 0 ? o->body[a] : NULL, second = b >= 0 ? o->body[b] : NULL;
    if (strcmp(joint->type->name, "free") == 0) return true;
    if (!hinge && strcmp(joint->type->name, "spherical") != 0) return false;
    const dJointID j = hinge ? dJointCreateHinge(o->world, NULL) : dJointCreateBall(o->world, NULL);
    dJointAttach(j, first, second);
    if (!hinge) {
        dJointSetBallAnchor(j, end.T.p.x, end.T.p.y, end.T.p.z);
        return true;
    }
    const vec3 z = m3_column_z(end.T.R);
    dJointSetHingeAnchor(j, end.T.p.x, end.T.p.y, end.T.p.z);
    dJointSetHingeAxis(j, z.x, z.y, z.z);
    return true;
}

ode* ode_create(cardan_data* d)
{
    const cardan_model* m = d->m;
    ode*                o = cd_allocate(1, sizeof *o);
    if (!o) return NULL;
    dInitODE2(0);
    dAllocateODEDataForThread(dAllocateFlagCollisionData); // the smallest allocation available
    o->world = dWorldCreate();
    o->nbody = m->nlink;
    o->body  = cd_allocate((size_t)m->nlink, sizeof *o->body);
    if (!o->body) return ode_destroy(o), NULL;
    dWorldSetGravity(o->world, m->view.gravity[0], m->view.gravity[1], m->view.gravity[2]);
    dWorldSetCFM(o->world, 1e-10);
    cd_update_world(d);
    for (int i = 0; i < m->nlink; ++i) add_body(o, &m->link[i], d->world.pose[i], d->world.velocity[i], i);
    for (int j = 0; j < m->view.njoint; ++j)
        if (!add_joint(o, d, &m->joint[j])) return ode_destroy(o), NULL;
    return o;
}

void ode_destroy(ode* o)
{
    dWorldDestroy(o->world);
    dCloseODE();
    free(o->body);
    free(o);
}

void ode_step(ode* o, double h) { dWorldStep(o->world, h); }

double ode_difference(const ode* o, cardan_data* d)
{
    double difference = 0, largest = 0;
    cd_update_world(d);
    for (int i = 0; i < o->nbody; ++i) {
        const double* v    = dBodyGetLinearVel(o->body[i]);
        const vec3    ours = d->world.velocity[i].l, off = v3_sub(ours, v3(v[0], v[1], v[2]));
        difference = fmax(difference, sqrt(v3_dot(off, off)));
        largest    = fmax(largest, sqrt(v3_dot(ours, ours)));
    }
    return largest > 0 ? difference / largest : difference;
}
