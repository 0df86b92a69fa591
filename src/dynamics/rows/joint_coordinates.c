// SPDX-License-Identifier: BSD-3-Clause
// Off-tree joints (cut joints, and all joints in maximal coordinates): their coordinates are computed from the poses
// of their frames. State and acceleration of any joint for users.
#include "dynamics/rows/joint_coordinates.h"

#include "core/check_arguments.h"
#include "dynamics/state.h"
#include "equation/applied_wrenches.h"
#include "math/finite.h"

#include <string.h>

void cd_find_referenced_joints(cardan_data* d)
{
    const cardan_model* m = d->m;
    for (int i = 0; i < m->noff_tree; ++i)
        d->forces.referenced.is_referenced[m->off_tree[i]] = m->joint[m->off_tree[i]].nelementary > 1;
    for (int i = 0; i < m->njoint_force; ++i) d->forces.referenced.is_referenced[m->joint_force[i].joint] = true;
    for (int i = 0; i < m->view.nsignal; ++i) {
        const cardan_signal* s = &m->view.signal[i];
        if (s->kind == CARDAN_SIGNAL_COORDINATE || s->kind == CARDAN_SIGNAL_SPEED)
            d->forces.referenced.is_referenced[s->a] = true;
    }
    d->forces.referenced.count = 0;
    for (int i = 0; i < m->noff_tree; ++i)
        if (d->forces.referenced.is_referenced[m->off_tree[i]])
            d->forces.referenced.joint[d->forces.referenced.count++] = m->off_tree[i];
}

void cd_update_referenced_joints(cardan_data* d)
{
    if (d->valid.referenced_joints || d->forces.referenced.count == 0) return;
    cd_update_world(d);
    cd_evaluate_joint_states(d->m, &d->world, d->forces.referenced.count, d->forces.referenced.joint, d->q, d->v);
    d->valid.referenced_joints = true;
}

void cd_update_off_tree_joints(cardan_data* d)
{
    const cardan_model* m = d->m;
    if (d->valid.off_tree_joints || m->noff_tree == 0) return;
    cd_update_world(d);
    cd_evaluate_off_tree_joints(m, &d->world, d->q, d->v);
    d->valid.off_tree_joints = d->valid.referenced_joints = true;
}

cardan_status cardan_data_joint_state(cardan_data* d, int joint, double* q, double* v)
{
    CD_REQUIRE_POINTER(d, "data", NULL);
    CD_REQUIRE_INDEX(joint, d->m->njoint, "joint", NULL);
    const cardan_index_range range = d->m->joint_range[joint];
    cd_update_off_tree_joints(d);
    if (range.q < 0) return CARDAN_OK;
    if (q) memcpy(q, d->q + range.q, (size_t)range.nq * sizeof *q);
    if (v) memcpy(v, d->v + range.v, (size_t)range.nv * sizeof *v);
    return CARDAN_OK;
}

// Acceleration of an off-tree joint; the world accelerations are up to date.
static void off_tree_acceleration(cardan_data* d, int joint, double* joint_a)
{
    const cardan_index_range range = d->m->joint_range[joint];
    cd_joint_acceleration(&d->m->joint[joint], &d->world, d->q + range.q, d->v + range.v, joint_a);
}

cardan_status cardan_data_joint_acceleration(cardan_data* d, int joint, const double* a, double* joint_a)
{
    CD_REQUIRE_POINTER(d, "data", NULL);
    CD_REQUIRE_INDEX(joint, d->m->njoint, "joint", NULL);
    CD_REQUIRE_ARRAY(a, d->m->nv, "a", NULL);
    CD_REQUIRE_ARRAY(joint_a, d->m->joint_range[joint].nv, "joint_a", NULL);
    const cardan_model*      m      = d->m;
    const cd_compiled_joint* info   = &m->joint[joint];
    const cardan_index_range range  = m->joint_range[joint];
    const cardan_status      status = cd_all_finite(m->nv, a) ? CARDAN_OK : CARDAN_BAD_USAGE;
    if (range.q < 0) return status;
    if (info->nlink > 0) {
        memcpy(joint_a, a + range.v, (size_t)range.nv * sizeof *joint_a);
        return status;
    }
    cd_update_off_tree_joints(d);
    cd_world_accelerations(m, &d->k, d->v, a, &d->world);
    off_tree_acceleration(d, joint, joint_a);
    return status;
}

cardan_status cardan_data_joint_motions(cardan_data* d, const double* a, double* q, double* v, double* joint_a)
{
    CD_REQUIRE_POINTER(d, "data", NULL);
    const cardan_model* m      = d->m;
    const cardan_status status = a && !cd_all_finite(m->nv, a) ? CARDAN_BAD_USAGE : CARDAN_OK;
    cd_update_off_tree_joints(d);
    if (q) memcpy(q, d->q, (size_t)m->nq_joint * sizeof *q);
    if (v) memcpy(v, d->v, (size_t)m->nv_joint * sizeof *v);
    if (!a || !joint_a) return status;
    if (joint_a != a) memcpy(joint_a, a, (size_t)m->nv * sizeof *a);
    if (m->noff_tree > 0) cd_world_accelerations(m, &d->k, d->v, joint_a, &d->world);
    for (int i = 0; i < m->noff_tree; ++i)
        if (m->joint_range[m->off_tree[i]].q >= 0)
            off_tree_acceleration(d, m->off_tree[i], joint_a + m->joint_range[m->off_tree[i]].v);
    return status;
}
