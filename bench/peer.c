// SPDX-License-Identifier: BSD-3-Clause
// Interface to MuJoCo. Conventions agree: quaternions with the scalar first; the velocity of a free joint is the world
// velocity of its origin and the local angular velocity.
#include "peer.h"

#include "core/memory.h"
#include "mjcf.h"

#include <mujoco/mujoco.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct peer {
    mjModel* m;
    mjData*  d;
    int      nv;
    int*     dof;            // (nv) MuJoCo's index of each velocity of Cardan
    double * effort, *r, *a; // (nv) MuJoCo's numbering
};

// The virtual file system is allocated: it takes two megabytes.
static mjModel* load(const mjcf* files, cardan_report* report)
{
    char     error[500] = "", name[32];
    mjVFS*   vfs        = malloc(sizeof *vfs);
    mjModel* model      = NULL;
    if (!vfs) return NULL;
    mj_defaultVFS(vfs);
    for (int i = 0; i < files->nfile; ++i) {
        const size_t size = strlen(files->file[i]);
        snprintf(name, sizeof name, "m%d.xml", i);
        if (mj_makeEmptyFileVFS(vfs, name, (int)size) == 0)
            memcpy(vfs->filedata[mj_findFileVFS(vfs, name)], files->file[i], size);
    }
    model = mj_loadXML("m0.xml", vfs, error, sizeof error);
    if (!model)
        cardan_fail(report, CARDAN_UNSUPPORTED, CARDAN_CODE_NOT_SUPPORTED, cardan_location_none(),
                    "MuJoCo rejects the mechanism: %s", error);
    mj_deleteVFS(vfs);
    free(vfs);
    return model;
}

// Set state and numbering, joint by joint.
static bool connect(peer* p, const cardan_model* m, const state* s)
{
    const cardan_model_view view = cardan_model_get_view(m);
    char                    name[32];
    for (int k = 0; k < view.njoint; ++k) {
        const cardan_index_range range = view.tree_range[k];
        if (range.nv <= 0) continue;
        snprintf(name, sizeof name, "j%d", k);
        const int j = mj_name2id(p->m, mjOBJ_JOINT, name);
        if (j < 0) return false;
        const int q = p->m->jnt_qposadr[j], v = p->m->jnt_dofadr[j];
        memcpy(p->d->qpos + q, s->q + range.q, (size_t)range.nq * sizeof *s->q);
        memcpy(p->d->qvel + v, s->v + range.v, (size_t)range.nv * sizeof *s->v);
        memcpy(p->d->qacc + v, s->a + range.v, (size_t)range.nv * sizeof *s->a);
        memcpy(p->d->qfrc_applied + v, s->tau + range.v, (size_t)range.nv * sizeof *s->tau);
        for (int i = 0; i < range.nv; ++i) p->dof[range.v + i] = v + i;
    }
    return p->m->nv == view.nv && p->m->nq == view.nq;
}

peer* peer_create(const cardan_model* m, const state* s, cardan_report* report)
{
    mjcf  files;
    peer* p = cd_allocate(1, sizeof *p);
    if (!p) return NULL;
    if (mjcf_write(m, &files, report) == CARDAN_OK) {
        p->m = load(&files, report);
        mjcf_free(&files);
    }
    if (p->m) p->d = mj_makeData(p->m);
    if (p->d) {
        const size_t nv = (size_t)p->m->nv;
        p->nv           = p->m->nv;
        p->dof          = cd_allocate(nv, sizeof *p->dof);
        p->effort       = cd_allocate(nv, sizeof *p->effort);
        p->r            = cd_allocate(nv, sizeof *p->r);
        p->a            = cd_allocate(nv, sizeof *p->a);
    }
    if (p->dof && p->effort && p->r && p->a && connect(p, m, s)) return p;
    if (p->d)
        cardan_fail(report, CARDAN_UNSUPPORTED, CARDAN_CODE_NOT_SUPPORTED, cardan_location_none(),
                    "MuJoCo's model has different coordinates");
    peer_destroy(p);
    return NULL;
}

void peer_destroy(peer* p)
{
    if (!p) return;
    mj_deleteData(p->d);
    mj_deleteModel(p->m);
    free(p->dof);
    free(p->effort);
    free(p->r);
    free(p->a);
    free(p);
}

const char* peer_version(void) { return mj_versionString(); }
int         peer_bodies(const peer* p) { return p->m->nbody - 1; }

void peer_inverse_dynamics(void* on)
{
    peer* p = on;
    mj_kinematics(p->m, p->d);
    mj_comPos(p->m, p->d);
    mj_comVel(p->m, p->d);
    mj_rne(p->m, p->d, 1, p->effort);
}

void peer_mass_matrix(void* on)
{
    peer* p = on;
    mj_kinematics(p->m, p->d);
    mj_comPos(p->m, p->d);
    mj_crb(p->m, p->d);
}

void peer_factor(void* on)
{
    peer* p = on;
    mj_factorM(p->m, p->d);
}

void peer_solve(void* on)
{
    peer* p = on;
    mj_solveM(p->m, p->d, p->a, p->r, 1);
}

void peer_forward(void* on)
{
    peer* p = on;
    mj_kinematics(p->m, p->d);
    mj_comPos(p->m, p->d);
    mj_crb(p->m, p->d);
    mj_factorM(p->m, p->d);
    mj_comVel(p->m, p->d);
    mj_rne(p->m, p->d, 0, p->effort);
    for (int i = 0; i < p->nv; ++i) p->r[i] = p->d->qfrc_applied[i] - p->effort[i];
    mj_solveM(p->m, p->d, p->a, p->r, 1);
}

void peer_efforts(const peer* p, double* tau)
{
    for (int i = 0; i < p->nv; ++i) {
        const int v = p->dof[i];
        tau[i]      = p->effort[v] + p->m->dof_armature[v] * p->d->qacc[v];
    }
}

void peer_accelerations(const peer* p, double* a)
{
    for (int i = 0; i < p->nv; ++i) a[i] = p->a[p->dof[i]];
}

void peer_set_acceleration(peer* p, const double* a)
{
    for (int i = 0; i < p->nv; ++i) p->d->qacc[p->dof[i]] = a[i];
}
