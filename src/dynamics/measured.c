// SPDX-License-Identifier: BSD-3-Clause
// Joints that the tree does not have (they close loops, or coordinates are flat): their coordinates are measured,
// efforts along them become a pair of wrenches. And the state of any joint, for users, however it is held.
#include "dynamics/data.h"
#include "core/arguments.h"
#include "equation/loads.h"
#include "math/finite.h"

#include <string.h>

static void ends_of(const cardan_data* d, const cd_joint_info* joint, cd_end end[2])
{
    end[0] = cd_end_of(&joint->frame_first, &d->world);
    end[1] = cd_end_of(&joint->frame_second, &d->world);
}

void cd_find_felt(cardan_data* d)
{
    const cardan_model* m = d->m;
    for (int i = 0; i < m->nmeasured; ++i) d->is_felt[m->measured[i]] = m->joint[m->measured[i]].nstep > 1;
    for (int i = 0; i < m->nlaw; ++i) d->is_felt[m->law[i].joint] = true;
    for (int i = 0; i < m->view.nsignal; ++i) {
        const cardan_signal* s = &m->view.signal[i];
        if (s->kind == CARDAN_SIGNAL_COORDINATE || s->kind == CARDAN_SIGNAL_SPEED) d->is_felt[s->a] = true;
    }
    d->nfelt = 0;
    for (int i = 0; i < m->nmeasured; ++i)
        if (d->is_felt[m->measured[i]]) d->felt[d->nfelt++] = m->measured[i];
}

void cd_know_felt(cardan_data* d)
{
    if (d->felt_known || d->nfelt == 0) return;
    cd_know_world(d);
    cd_measure_some(d->m, &d->world, d->nfelt, d->felt, d->q, d->v);
    d->felt_known = true;
}

void cd_know_measured(cardan_data* d)
{
    const cardan_model* m = d->m;
    if (d->measured_known || m->nmeasured == 0) return;
    cd_know_world(d);
    cd_measure_joints(m, &d->world, d->q, d->v);
    d->measured_known = d->felt_known = true;
}

cardan_status cardan_joint_state(cardan_data* d, int joint, double* q, double* v)
{
    CD_REFUSE_NULL(d, "data", NULL);
    CD_REFUSE_INDEX(joint, d->m->njoint, "joint", NULL);
    const cardan_slot place = d->m->place[joint];
    cd_know_measured(d);
    if (place.q < 0) return CARDAN_OK;
    if (q) memcpy(q, d->q + place.q, (size_t)place.nq * sizeof *q);
    if (v) memcpy(v, d->v + place.v, (size_t)place.nv * sizeof *v);
    return CARDAN_OK;
}

// Of a measured joint; the world holds the accelerations.
static void measured_acceleration(cardan_data* d, int joint, double* joint_a)
{
    const cd_joint_info* info  = &d->m->joint[joint];
    const cardan_slot    place = d->m->place[joint];
    cd_end               end[2];
    spatial              A[2];
    ends_of(d, info, end);
    const int link[2] = {info->frame_first.link, info->frame_second.link};
    for (int k = 0; k < 2; ++k) {
        const spatial L = d->world.acceleration[link[k]];
        A[k]            = (spatial){L.a, v3_add(v3_add(L.l, v3_cross(L.a, end[k].r)), end[k].bias)};
    }
    cd_measure_acceleration(info, end, A, d->q + place.q, d->v + place.v, joint_a);
}

cardan_status cardan_joint_acceleration(cardan_data* d, int joint, const double* a, double* joint_a)
{
    CD_REFUSE_NULL(d, "data", NULL);
    CD_REFUSE_INDEX(joint, d->m->njoint, "joint", NULL);
    CD_REFUSE_NO_ARRAY(a, d->m->nv, "a", NULL);
    CD_REFUSE_NO_ARRAY(joint_a, d->m->place[joint].nv, "joint_a", NULL);
    const cardan_model*  m     = d->m;
    const cd_joint_info* info  = &m->joint[joint];
    const cardan_slot    place = m->place[joint];
    const cardan_status status = cd_are_finite(m->nv, a) ? CARDAN_OK : CARDAN_BAD_USAGE;
    if (place.q < 0) return status;
    if (info->nlink > 0) {
        memcpy(joint_a, a + place.v, (size_t)place.nv * sizeof *joint_a);
        return status;
    }
    cd_know_measured(d);
    cd_world_accelerations(m, &d->k, d->v, a, &d->world);
    measured_acceleration(d, joint, joint_a);
    return status;
}

cardan_status cardan_joint_values(cardan_data* d, const double* a, double* q, double* v, double* joint_a)
{
    CD_REFUSE_NULL(d, "data", NULL);
    const cardan_model* m      = d->m;
    const cardan_status status = a && !cd_are_finite(m->nv, a) ? CARDAN_BAD_USAGE : CARDAN_OK;
    cd_know_measured(d);
    if (q) memcpy(q, d->q, (size_t)m->nq_all * sizeof *q);
    if (v) memcpy(v, d->v, (size_t)m->nv_all * sizeof *v);
    if (!a || !joint_a) return status;
    if (joint_a != a) memcpy(joint_a, a, (size_t)m->nv * sizeof *a);
    if (m->nmeasured > 0) cd_world_accelerations(m, &d->k, d->v, joint_a, &d->world);
    for (int i = 0; i < m->nmeasured; ++i)
        if (m->place[m->measured[i]].q >= 0)
            measured_acceleration(d, m->measured[i], joint_a + m->place[m->measured[i]].v);
    return status;
}
