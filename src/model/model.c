// SPDX-License-Identifier: BSD-3-Clause
// What a compiled model can be asked, and its coordinates: moved, compared, differentiated.
#include "model/model.h"

#include "math/quaternion.h"

#include <stdlib.h>
#include <string.h>

void cardan_model_destroy(cardan_model* m)
{
    if (!m) return;
    if (m->rates) cd_tape_destroy(m->rates);
    if (m->watched) cd_tape_destroy(m->watched);
    if (m->motion) cd_tape_destroy(m->motion);
    cd_arena_release(&m->arena);
    free(m);
}

cardan_model_view cardan_model_look(const cardan_model* m)
{
    return (cardan_model_view){.name = m->view.name, .nq = m->nq, .nv = m->nv, .nstate = m->nstate, .nlink = m->nlink, .njoint = m->njoint,
                               .nbody = m->nbody, .ncut = m->ncut, .nconstraint = m->ncut + m->view.ncoupling + m->view.nconstraint + m->ndriver, .slot = m->slot, .cut = m->cut,
                               .q_start = m->q_start, .v_start = m->v_start, .state_start = m->state_start};
}

const cardan_description* cardan_model_description(const cardan_model* m) { return m->description; }
const char*               cardan_model_joint_name(const cardan_model* m, int j) { return m->joint[j].name; }
const char*               cardan_model_joint_type(const cardan_model* m, int j) { return m->joint[j].type->name; }

// Step of joint j that owns coordinate (or velocity) i, and the index within it.
static cd_motion motion_of(const cardan_model* m, int j, int* i, int (*size)(cd_motion))
{
    const cd_joint_info* info = &m->joint[j];
    int                  s    = 0;
    while (s < info->nstep - 1 && *i >= size(info->step[s].motion)) *i -= size(info->step[s++].motion);
    return info->step[s].motion;
}

const char* cardan_model_q_unit(const cardan_model* m, int j, int i)
{
    const cd_motion motion = motion_of(m, j, &i, cd_motion_nq);
    return cd_motion_q_unit(motion, i);
}

const char* cardan_model_v_unit(const cardan_model* m, int j, int i)
{
    const cd_motion motion = motion_of(m, j, &i, cd_motion_nv);
    return cd_motion_v_unit(motion, i);
}

int cardan_model_joint_of_velocity(const cardan_model* m, int v, int* local)
{
    const int j = m->link[m->v_link[v]].joint;
    if (local) *local = v - m->slot[j].v;
    return j;
}

int cd_model_rotations(const cardan_model* m, const int** v_index)
{
    *v_index = m->rotation;
    return m->nrotation;
}

// Coordinates and velocities of joints without quaternion stand one to one; with one, the quaternion comes last:
// q = (x, e) and v = (xdot, w), or q = e and v = w.
static int plain_count(const cardan_slot* slot) { return slot->nq == slot->nv ? slot->nq : slot->nq - 4; }
static bool has_quaternion(const cardan_slot* slot) { return slot->nq != slot->nv; }

void cardan_model_move(const cardan_model* m, const double* q, const double* dq, double* q_new)
{
    for (int j = 0; j < m->njoint; ++j) {
        const cardan_slot* s = &m->slot[j];
        if (s->q < 0) continue;
        const int n = plain_count(s);
        for (int i = 0; i < n; ++i) q_new[s->q + i] = q[s->q + i] + dq[s->v + i];
        if (!has_quaternion(s)) continue;
        double turn[4];
        q4_exp(dq + s->v + n, turn);
        q4_mul(q + s->q + n, turn, q_new + s->q + n);
        q4_normalize(q_new + s->q + n);
    }
}

void cardan_model_difference(const cardan_model* m, const double* a, const double* b, double* dq)
{
    for (int j = 0; j < m->njoint; ++j) {
        const cardan_slot* s = &m->slot[j];
        if (s->q < 0) continue;
        const int n = plain_count(s);
        for (int i = 0; i < n; ++i) dq[s->v + i] = b[s->q + i] - a[s->q + i];
        if (!has_quaternion(s)) continue;
        double back[4], turn[4];
        q4_conjugate(a + s->q + n, back);
        q4_mul(back, b + s->q + n, turn);
        q4_log(turn, dq + s->v + n);
    }
}

void cardan_model_rate(const cardan_model* m, const double* q, const double* v, double* qdot)
{
    for (int j = 0; j < m->njoint; ++j) {
        const cardan_slot* s = &m->slot[j];
        if (s->q < 0) continue;
        const int n = plain_count(s);
        for (int i = 0; i < n; ++i) qdot[s->q + i] = v[s->v + i];
        if (!has_quaternion(s)) continue;
        const double* w       = v + s->v + n;
        const double  half[4] = {0, w[0] / 2, w[1] / 2, w[2] / 2};
        q4_mul(q + s->q + n, half, qdot + s->q + n);
    }
}

void cardan_model_normalize(const cardan_model* m, double* q)
{
    for (int i = 0; i < m->nrotation; ++i) q4_normalize(q + m->rotation_q[i]);
}
