// SPDX-License-Identifier: BSD-3-Clause
// State Jacobian: recursive derivatives of inverse dynamics for trees with joint force elements only; else dual
// numbers.
#include "dynamics/derivatives/state_jacobian.h"

#include "dynamics/contacts/compliant_contacts.h"
#include "dynamics/rows/constraint_update.h"
#include "dynamics/rows/joint_coordinates.h"
#include "dynamics/solve.h"

#include <string.h>

void cd_state_jacobian_layout(const cardan_data* d, cd_arena* arena, cd_state_jacobian* s)
{
    const cardan_model* m    = d->m;
    const int           nrow = d->rows.nrow;
    s->r_offset              = 0;
    s->g_offset              = m->nv;
    s->c_offset              = s->g_offset + m->nstate;
    s->c_rate_offset         = s->c_offset + nrow;
    s->c_acceleration_offset = s->c_rate_offset + nrow;
    s->nresidual             = s->c_acceleration_offset + nrow;
    s->inertia_only          = d->constraints.nconstraint == 0 && d->rotors.nconstraint == 0 && m->view.nforce == 0 &&
                      m->nstate == 0 && m->noff_tree == 0 && !d->forces.compliant;
    cd_dual_layout(m, arena, &s->dual);
    cd_colouring_layout(d, arena, &s->colouring);
    cd_inverse_derivatives_layout(m, arena, &s->inertia);
    CD_ARENA_ARRAY(arena, s->joint_force_q, CD_JOINT_COLUMNS * m->nv);
    CD_ARENA_ARRAY(arena, s->joint_force_v, CD_JOINT_COLUMNS * m->nv);
    CD_ARENA_ARRAY(arena, s->rhs, m->nv);
    CD_ARENA_ARRAY(arena, s->row_rhs, d->solver_rows.nrow);
}

// External wrenches keep their world axes while links rotate, so that they contribute to the derivatives.
static bool has_external_wrench(const cardan_data* d)
{
    for (int i = 0; d->external.has_forces && i < d->m->nbody; ++i) {
        const spatial w = d->external.wrench[i];
        if (w.a.x != 0 || w.a.y != 0 || w.a.z != 0 || w.l.x != 0 || w.l.y != 0 || w.l.z != 0) return true;
    }
    return false;
}

static void subtract_joint_forces(const cardan_data* d, const cd_state_jacobian* s, double* by_q, double* by_v)
{
    const cardan_model* m = d->m;
    const size_t        n = (size_t)s->nresidual;
    for (int v = 0; v < m->nv; ++v) {
        const cd_link* link = &m->link[m->v_link[v]];
        for (int i = 0; i < link->nv; ++i) {
            by_q[(size_t)(link->v + i) * n + (size_t)v] -= s->joint_force_q[CD_JOINT_COLUMNS * v + i];
            by_v[(size_t)(link->v + i) * n + (size_t)v] -= s->joint_force_v[CD_JOINT_COLUMNS * v + i];
        }
    }
}

static void recursive_jacobian(cardan_data* d, const double* a, cd_state_jacobian* s, double* by_q, double* by_v)
{
    const cardan_model* m = d->m;
    const size_t        n = (size_t)s->nresidual;
    cd_root_frame_poses(m, &d->k);
    cd_inverse_derivatives_evaluate(m, &d->k, d->v, a, NULL, &s->inertia);
    memset(by_q, 0, n * (size_t)m->nv * sizeof *by_q);
    memset(by_v, 0, n * (size_t)m->nv * sizeof *by_v);
    for (int r = 0; r < m->nv; ++r) {
        int e = s->inertia.start[r];
        for (int u = r; u >= 0; u = m->v_parent[u], ++e) {
            const size_t here = (size_t)u * n + (size_t)r, there = (size_t)r * n + (size_t)u;
            by_q[there] = s->inertia.q_transposed[e], by_v[there] = s->inertia.v_transposed[e];
            by_q[here] = s->inertia.q[e], by_v[here] = s->inertia.v[e];
        }
    }
    if (!cd_joint_forces_active(m, false)) return;
    const cd_dual_state x = {d->q, d->v, d->state, a, NULL};
    cd_dual_joint_force_jacobian(m, d->settings.frozen_stops, &x, s->dual, s->joint_force_q, s->joint_force_v);
    subtract_joint_forces(d, s, by_q, by_v);
}

cd_equation_input cd_state_equation_inputs(cardan_data* d)
{
    cd_update_off_tree_joints(d);
    cd_update_constraint_values(d);
    cd_update_compliant_points(d, true);
    return (cd_equation_input){.t                 = d->t,
                               .baumgarte_rate    = d->settings.baumgarte_rate,
                               .driver_values     = d->constraints.driver_values,
                               .history           = d->constraints.history,
                               .rotor_history     = d->rotors.history,
                               .is_disabled       = d->settings.is_constraint_disabled,
                               .frozen_stops      = d->settings.frozen_stops,
                               .is_force_disabled = d->settings.is_force_disabled,
                               .external_effort   = d->external.effort,
                               .external_wrench   = d->external.has_forces ? &d->external.wrench->a.x : NULL,
                               .ngrab             = d->external.ngrab,
                               .grab              = d->external.grab,
                               .ncontact          = d->forces.compliant ? d->forces.compliant->n : 0,
                               .contact           = d->forces.compliant ? d->forces.compliant->contact : NULL,
                               .relaxation        = d->forces.compliant ? d->forces.compliant->relaxation : NULL};
}

void cd_state_jacobian_compute(cardan_data* d, const double* a, const double* lambda, cd_state_jacobian* s,
                               double* by_q, double* by_v, double* by_s)
{
    if (s->inertia_only && d->external.ngrab == 0 && !has_external_wrench(d)) {
        recursive_jacobian(d, a, s, by_q, by_v);
        return;
    }
    const cd_equation_input given = cd_state_equation_inputs(d);
    const cd_dual_state     x     = {d->q, d->v, d->state, a, lambda};
    cd_dual_jacobian(d->m, &given, &x, s->dual, &s->colouring, by_q, by_v, by_s);
}

cardan_status cd_state_jacobian_solve(cardan_data* d, const cd_state_jacobian* s, const double* column, double* a,
                                      double* lambda)
{
    cd_solve_info info = {.failed_velocity = CARDAN_NONE, .failed_row = CARDAN_NONE};
    for (int i = 0; i < d->m->nv; ++i) s->rhs[i] = -column[s->r_offset + i];
    for (int i = 0; i < d->solver_rows.nrow; ++i)
        s->row_rhs[i] = i < d->rows.nrow ? -column[s->c_acceleration_offset + i] : 0;
    const cardan_status status = cd_solve_with_factor(d, s->rhs, s->row_rhs, a, lambda, &info);
    return status == CARDAN_INCONSISTENT
               ? CARDAN_OK
               : status; // derivatives of redundant rows need not be consistent off the constraints
}
