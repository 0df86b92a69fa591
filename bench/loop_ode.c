// SPDX-License-Identifier: BSD-3-Clause
// ODE on a mechanism with loops: its exact step in maximal coordinates. Accelerations are computed from the velocities
// after one step from standstill.
#define dDOUBLE
#include "closed_chain.h"

#include "core/memory.h"

#include <math.h>
#include <ode/ode.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct engine {
    dWorldID      world;
    dBodyID*      body;
    const closed* c;
} engine;

static const double h = 1e-3; // [s]

static void destroy(void* on)
{
    engine* e = on;
    if (!e) return;
    if (e->world) {
        dWorldDestroy(e->world);
        dCloseODE();
    }
    free(e->body);
    free(e);
}

static void add_body(engine* e, int i)
{
    const closed_body* b = &e->c->body[i];
    dMass              mass;
    dMassSetParameters(&mass, b->mass, 0, 0, 0, b->inertia[0], b->inertia[1], b->inertia[2], b->inertia[3],
                       b->inertia[4], b->inertia[5]);
    e->body[i] = dBodyCreate(e->world);
    dBodySetMass(e->body[i], &mass);
    dBodySetPosition(e->body[i], b->centre[0], b->centre[1], b->centre[2]);
}

static void add_joint(engine* e, const closed_joint* j)
{
    const dBodyID first = j->first >= 0 ? e->body[j->first] : NULL, second = j->second >= 0 ? e->body[j->second] : NULL;
    const dJointID joint = j->hinge ? dJointCreateHinge(e->world, NULL) : dJointCreateBall(e->world, NULL);
    dJointAttach(joint, first, second);
    if (!j->hinge) {
        dJointSetBallAnchor(joint, j->p[0], j->p[1], j->p[2]);
        return;
    }
    dJointSetHingeAnchor(joint, j->p[0], j->p[1], j->p[2]);
    dJointSetHingeAxis(joint, j->axis[0], j->axis[1], j->axis[2]);
}

static void* create(const closed* c, char* why, int size)
{
    engine* e = cd_allocate(1, sizeof *e);
    if (!e) return NULL;
    e->c    = c;
    e->body = cd_allocate((size_t)c->nbody, sizeof *e->body);
    if (!e->body) {
        snprintf(why, (size_t)size, "out of memory");
        destroy(e);
        return NULL;
    }
    dInitODE2(0);
    dAllocateODEDataForThread(dAllocateFlagCollisionData);
    e->world = dWorldCreate();
    dWorldSetGravity(e->world, c->gravity[0], c->gravity[1], c->gravity[2]);
    dWorldSetCFM(e->world, 1e-10);
    for (int i = 0; i < c->nbody; ++i) add_body(e, i);
    for (int j = 0; j < c->njoint; ++j) add_joint(e, &c->joint[j]);
    return e;
}

static void evaluate(void* on) { dWorldStep(((engine*)on)->world, h); }

// Requires the first step of a new engine.
static void accelerations(void* on, double* a)
{
    const engine* e = on;
    for (int j = 0; j < e->c->njoint; ++j) {
        const closed_joint* joint = &e->c->joint[j];
        double              rate  = 0;
        for (int k = 0; k < 3; ++k) {
            if (joint->second >= 0) rate += joint->axis[k] * dBodyGetAngularVel(e->body[joint->second])[k];
            if (joint->first >= 0) rate -= joint->axis[k] * dBodyGetAngularVel(e->body[joint->first])[k];
        }
        a[j] = joint->hinge ? rate / h : NAN;
    }
}

const contender loop_ode = {"ODE", "dWorldStep", create, destroy, evaluate, accelerations};
