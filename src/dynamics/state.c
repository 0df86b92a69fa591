// SPDX-License-Identifier: BSD-3-Clause
// State of the data: time, positions, velocities, user states and external forces. Setting a part of it invalidates the
// cached quantities that depend on it.

#include "dynamics/state.h"

#include "core/check_arguments.h"
#include "dynamics/contacts/compliant_contacts.h"
#include "math/finite.h"

#include <string.h>

void cd_reset_winding_numbers(cardan_data* d)
{
    const cardan_model* m = d->m;
    memcpy(d->q + m->nq, m->q_off_tree_start, (size_t)(m->nq_joint - m->nq) * sizeof *d->q);
    cd_constraint_set_reset(&d->constraints);
    cd_constraint_set_reset(&d->rotors);
    if (d->contacts) cd_constraint_set_reset(&d->contacts->axes);
    d->valid.state_stale = true;
}

void cd_data_set_time(cardan_data* d, double t, const double* state)
{
    const cardan_model* m = d->m;
    d->t                  = t;
    if (state && state != d->state && m->nstate > 0) memcpy(d->state, state, (size_t)m->nstate * sizeof *state);
    d->valid.state_stale = false;
    d->k.world_pose      = NULL;
    cd_constraint_set_evaluate_drivers(m, t, &d->constraints);
    cd_replace_external_drivers(d, t);
    d->valid.world = d->valid.off_tree_joints = d->valid.referenced_joints = d->valid.forces =
        d->valid.constraint_values = d->valid.rows = d->valid.gamma = d->valid.factor = d->valid.solution =
            d->reactions.limit.valid                                                  = false;
    if (d->forces.compliant)
        d->forces.compliant->points_valid = d->forces.compliant->rates_valid = d->forces.compliant->gaps_valid = false;
    if (d->contacts) cd_contacts_invalidate(d->contacts, false);
}

cardan_status cardan_data_set_state(cardan_data* d, double t, const double* q, const double* v, const double* state)
{
    CD_REQUIRE_POINTER(d, "data", NULL);
    CD_REQUIRE_ARRAY(q, d->m->nq, "q", NULL);
    CD_REQUIRE_ARRAY(v, d->m->nv, "v", NULL);
    const cardan_status status = cardan_model_check_state(d->m, t, q, v, state, NULL);
    return status == CARDAN_OK ? cd_data_set_state(d, t, q, v, state) : status;
}

cardan_status cd_data_set_state(cardan_data* d, double t, const double* q, const double* v, const double* state)
{
    const cardan_model* m = d->m;
    if (q != d->q && m->nq > 0) memcpy(d->q, q, (size_t)m->nq * sizeof *q);
    if (v != d->v && m->nv > 0) memcpy(d->v, v, (size_t)m->nv * sizeof *v);
    cd_model_normalize_position(m, d->q);
    cd_forward_kinematics(m, &d->k, d->q);
    cd_data_set_time(d, t, state);
    d->blocked.active = d->blocked.rows_not_stored = d->blocked.columns_not_stored = false;
    return CARDAN_OK;
}

static bool are_equal(int n, const double* a, const double* b)
{
    return n == 0 || memcmp(a, b, (size_t)n * sizeof *a) == 0;
}

cardan_status cd_data_set_state_if_changed(cardan_data* d, double t, const double* q, const double* v,
                                           const double* state)
{
    const cardan_model* m = d->m;
    if (!d->valid.state_stale && d->t == t && q != d->q && v != d->v && are_equal(m->nq, q, d->q) &&
        are_equal(m->nv, v, d->v) && (!state || are_equal(m->nstate, state, d->state)))
        return CARDAN_OK;
    return cd_data_set_state(d, t, q, v, state);
}

void cd_data_set_velocity(cardan_data* d, const double* v)
{
    if (v != d->v) memcpy(d->v, v, (size_t)d->m->nv * sizeof *v);
    d->valid.world = d->valid.off_tree_joints = d->valid.referenced_joints = d->valid.forces =
        d->valid.constraint_values = d->valid.gamma = d->valid.solution = d->reactions.limit.valid =
            false; // J depends on the position only
    if (d->forces.compliant) d->forces.compliant->gaps_valid = false;
    if (d->contacts) cd_contacts_invalidate(d->contacts, true);
}

void cd_invalidate_rows(cardan_data* d)
{
    d->valid.constraint_values = d->valid.rows = d->valid.gamma = d->valid.factor = d->history.has_factor =
        d->valid.solution                                                         = false;
    if (d->contacts) cd_contacts_invalidate(d->contacts, false);
}

void cd_update_world(cardan_data* d)
{
    if (d->blocked.columns_not_stored && !d->blocked.active) {
        cd_forward_kinematics(d->m, &d->k, d->q);
        d->blocked.columns_not_stored = false;
    }
    if (d->valid.world) return;
    cd_world_poses(d->m, &d->k, d->v, &d->world);
    d->k.world_pose = d->world.pose;
    d->valid.world  = true;
}

cardan_status cardan_data_set_external_forces(cardan_data* d, const double* effort, const double (*wrench)[6])
{
    CD_REQUIRE_POINTER(d, "data", NULL);
    const cardan_model* m = d->m;
    if ((effort && !cd_all_finite(m->nv, effort)) || (wrench && !cd_all_finite(6 * m->nbody, wrench[0])))
        return CARDAN_BAD_USAGE;
    d->external.has_forces = effort || wrench;
    ++d->external.input_revision;
    d->valid.forces = d->valid.solution = d->reactions.limit.valid = false;
    memset(d->external.effort, 0, (size_t)m->nv_joint * sizeof *d->external.effort);
    if (effort) memcpy(d->external.effort, effort, (size_t)m->nv * sizeof *effort);
    for (int i = 0; i < m->nbody; ++i)
        d->external.wrench[i] = wrench ? (spatial){v3_const(wrench[i]), v3_const(wrench[i] + 3)} : sv_zero();
    return CARDAN_OK;
}
