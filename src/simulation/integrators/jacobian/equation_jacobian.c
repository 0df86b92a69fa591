// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/integrators/jacobian/equation_jacobian.h"

#include "core/clock.h"
#include "dynamics/data.h"
#include "dynamics/generated_evaluation.h"
#include "dynamics/rows/constraint_update.h"
#include "dynamics/rows/jacobian_operator.h"
#include "dynamics/state.h"
#include "simulation/integrators/jacobian/independent_rows.h"

#include <string.h>

void cd_equation_jacobian_set_offsets(const cd_ode_system* system, cd_equation_jacobian* s)
{
    const int nrow = system->data->rows.nrow;
    s->r           = 0;
    s->g           = system->nv;
    s->c           = s->g + system->ns;
    s->cdot        = s->c + nrow;
    s->cddot       = s->cdot + nrow;
    s->n           = s->cddot + nrow;
}

void cd_equation_jacobian_layout(const cd_ode_system* system, cd_arena* arena, cd_equation_jacobian* s)
{
    const int nrow = system->data->rows.nrow, nv = system->nv, ns = system->ns;
    cd_state_jacobian_layout(system->data, arena, &s->state_jacobian);
    cd_equation_jacobian_set_offsets(system, s);
    const size_t n = (size_t)s->n;
    CD_ARENA_ARRAY(arena, s->by_q, n * (size_t)nv);
    CD_ARENA_ARRAY(arena, s->by_v, n * (size_t)nv);
    CD_ARENA_ARRAY(arena, s->by_s, n * (size_t)ns);
    CD_ARENA_ARRAY(arena, s->M, (size_t)nv * (size_t)nv);
    CD_ARENA_ARRAY(arena, s->J, (size_t)nv * (size_t)nrow);
    s->by_lambda = s->J;
    if (system->data->constraints.nlossy > 0) CD_ARENA_ARRAY(arena, s->by_lambda, (size_t)nv * (size_t)nrow);
    CD_ARENA_ARRAY(arena, s->column, n);
    CD_ARENA_ARRAY(arena, s->q, system->nq);
    CD_ARENA_ARRAY(arena, s->z, system->nz);
    CD_ARENA_ARRAY(arena, s->dq, nv);
}

// Copy of q with unit quaternions.
static const double* normalized_q(cd_ode_system* system, const double* q)
{
    if (system->nquaternion == 0) return q;
    memcpy(system->q_scratch, q, (size_t)system->nq * sizeof *q);
    cardan_model_normalize_position(system->model, system->q_scratch);
    return system->q_scratch;
}

// Evaluate by generated code; returns false if there is none for this state, or if a value is not finite: the library
// then reports the reason.
static bool residual_generated(cd_ode_system* system, const cd_equation_jacobian* s, double t, const double* q,
                               const double* z, const double* a, const double* lambda, double* value)
{
    cardan_data* d = system->data;
    if (!s->may_use_generated || !d->compiled.residual || system->projection.velocity_each_evaluation ||
        !cd_can_use_generated_residual(d))
        return false;
    d->compiled.residual(normalized_q(system, q), z, a, d->external.effort, z + system->nv, t, lambda, value + s->r,
                         value + s->g, value + s->c, value + s->cdot, value + s->cddot);
    if (!cd_is_bounded(s->n, value)) return false;
    ++system->statistics.generated_evaluations;
    return true;
}

static bool jacobian_generated(cd_ode_system* system, double t, const double* q, const double* z, const double* a,
                               const double* lambda, cd_equation_jacobian* s)
{
    cardan_data* d = system->data;
    if (!s->may_use_generated || !d->compiled.residual_jacobian || system->projection.velocity_each_evaluation ||
        !cd_can_use_generated_residual(d))
        return false;
    d->compiled.residual_jacobian(normalized_q(system, q), z, a, d->external.effort, z + system->nv, t, lambda, s->by_q,
                                  s->by_v, s->by_s, s->M, s->J);
    if (!cd_is_bounded(s->n * system->nv, s->by_q) || !cd_is_bounded(s->n * system->nv, s->by_v)) return false;
    ++system->statistics.generated_jacobians;
    return true;
}

cardan_status cd_equation_residual(cd_ode_system* system, const cd_equation_jacobian* s, double t, const double* q,
                                   const double* z, const double* a, const double* lambda, double* value)
{
    cardan_data* d  = system->data;
    const int    ns = system->ns, nrow = d->rows.nrow;
    ++system->statistics.evaluations;
    cardan_status status = cd_progress_poll(system) ? cd_ode_state_check_finite(system, t, q, z) : CARDAN_STOPPED;
    if (!status && residual_generated(system, s, t, q, z, a, lambda, value)) return CARDAN_OK;
    if (!status) status = cd_data_set_state_if_changed(d, t, q, z, cd_user_states(system, z));
    if (!status) cd_set_gear_losses(d, lambda);
    if (!status) status = cardan_data_residual(d, a, value + s->r);
    if (status) return status;
    if (ns) memcpy(value + s->g, d->forces.formula_value + 3 * d->m->view.nforce, (size_t)ns * sizeof *value);
    if (nrow == 0) return CARDAN_OK;
    cd_update_rows(d);
    cd_add_jacobian_transposed_times(d, &d->rows, lambda, value + s->r);
    memcpy(value + s->c, d->constraints.value, (size_t)nrow * sizeof *value);
    memcpy(value + s->cdot, d->constraints.rate, (size_t)nrow * sizeof *value);
    cd_jacobian_times(d, &d->rows, a, value + s->cddot);
    for (int i = 0; i < nrow; ++i) value[s->cddot + i] -= d->solve.gamma[i];
    return CARDAN_OK;
}

static cardan_status evaluate_jacobian(cd_ode_system* system, double t, const double* q, const double* z,
                                       const double* a, const double* lambda, cd_equation_jacobian* s)
{
    cardan_data*  d      = system->data;
    cardan_status status = cd_progress_poll(system) ? cd_ode_state_check_finite(system, t, q, z) : CARDAN_STOPPED;
    if (!status && jacobian_generated(system, t, q, z, a, lambda, s)) return CARDAN_OK;
    if (!status) status = cd_data_set_state_if_changed(d, t, q, z, cd_user_states(system, z));
    if (status) return status;
    cd_state_jacobian_compute(d, a, lambda, &s->state_jacobian, s->by_q, s->by_v, s->by_s);
    cardan_data_mass_matrix(d, s->M);
    cd_constraint_jacobian_dense(system, s->J);
    if (d->constraints.nlossy == 0) return CARDAN_OK;
    memcpy(s->by_lambda, s->J, (size_t)system->nv * (size_t)d->rows.nrow * sizeof *s->J);
    cd_set_gear_losses(d, lambda);
    cd_add_gear_loss_jacobian(d, s->by_lambda);
    return CARDAN_OK;
}

cardan_status cd_equation_jacobian_evaluate(cd_ode_system* system, double t, const double* q, const double* z,
                                            const double* a, const double* lambda, cd_equation_jacobian* s)
{
    const double        begin  = cd_clock_wall();
    const cardan_status status = evaluate_jacobian(system, t, q, z, a, lambda, s);
    if (!s->may_use_generated) return status;
    system->statistics.jacobian_wall_time += cd_clock_wall() - begin;
    ++system->statistics.jacobians;
    return status;
}
