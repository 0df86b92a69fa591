// SPDX-License-Identifier: BSD-3-Clause
#include "motion/slopes.h"

#include "core/clock.h"
#include "dynamics/data.h"
#include "motion/held.h"

#include <string.h>

void cd_slopes_shape(const cd_system* system, cd_slopes* s)
{
    const int nrow = system->data->rows.nrow;
    s->r           = 0;
    s->g           = system->nv;
    s->c           = s->g + system->ns;
    s->rate        = s->c + nrow;
    s->gamma       = s->rate + nrow;
    s->n           = s->gamma + nrow;
}

void cd_slopes_layout(const cd_system* system, cd_arena* arena, cd_slopes* s)
{
    const int nrow = system->data->rows.nrow, nv = system->nv, ns = system->ns;
    cd_state_slopes_layout(system->data, arena, &s->state);
    cd_slopes_shape(system, s);
    const size_t n = (size_t)s->n;
    CD_TAKE(arena, s->by_q, n * (size_t)nv);
    CD_TAKE(arena, s->by_v, n * (size_t)nv);
    CD_TAKE(arena, s->by_s, n * (size_t)ns);
    CD_TAKE(arena, s->M, (size_t)nv * (size_t)nv);
    CD_TAKE(arena, s->J, (size_t)nv * (size_t)nrow);
    s->by_lambda = s->J;
    if (system->data->closure.nlossy > 0) CD_TAKE(arena, s->by_lambda, (size_t)nv * (size_t)nrow);
    CD_TAKE(arena, s->here, n);
    CD_TAKE(arena, s->q, system->nq);
    CD_TAKE(arena, s->z, system->nz);
    CD_TAKE(arena, s->dq, nv);
}

// q with unit quaternions.
static const double* unit(cd_system* system, const double* q)
{
    if (system->nrotation == 0) return q;
    memcpy(system->q, q, (size_t)system->nq * sizeof *q);
    cardan_model_normalize(system->model, system->q);
    return system->q;
}

// By generated code; false where there is none for this, or where it gives no numbers: why, the library can say.
static bool equations_generated(cd_system* system, const cd_slopes* s, double t, const double* q, const double* z,
                                const double* a, const double* lambda, double* value)
{
    cardan_data* d = system->data;
    if (!s->alone || !d->generated_equations || system->fills || !cd_generated_fits(d)) return false;
    d->generated_equations(unit(system, q), z, a, d->outer_effort, z + system->nv, t, lambda, value + s->r,
                           value + s->g, value + s->c, value + s->rate, value + s->gamma);
    if (!cd_is_bounded(s->n, value)) return false;
    ++system->generated;
    return true;
}

static bool slopes_generated(cd_system* system, double t, const double* q, const double* z, const double* a,
                             const double* lambda, cd_slopes* s)
{
    cardan_data* d = system->data;
    if (!s->alone || !d->generated_equation_slopes || system->fills || !cd_generated_fits(d)) return false;
    d->generated_equation_slopes(unit(system, q), z, a, d->outer_effort, z + system->nv, t, lambda, s->by_q, s->by_v,
                                 s->by_s, s->M, s->J);
    if (!cd_is_bounded(s->n * system->nv, s->by_q) || !cd_is_bounded(s->n * system->nv, s->by_v)) return false;
    ++system->generated_jacobians;
    return true;
}

cardan_status cd_equations_at(cd_system* system, const cd_slopes* s, double t, const double* q, const double* z,
                              const double* a, const double* lambda, double* value)
{
    cardan_data* d  = system->data;
    const int    nv = system->nv, ns = system->ns, nrow = d->rows.nrow;
    ++system->evaluations;
    cardan_status status = cd_system_go_on(system) ? cd_system_sound(system, t, q, z) : CARDAN_STOPPED;
    if (!status && equations_generated(system, s, t, q, z, a, lambda, value)) return CARDAN_OK;
    if (!status) status = cd_data_reach(d, t, q, z, ns ? z + nv : NULL);
    if (!status) cd_losses_take(d, lambda);
    if (!status) status = cardan_residual(d, a, value + s->r);
    if (status) return status;
    if (ns) memcpy(value + s->g, d->rates + 3 * d->m->view.nforce, (size_t)ns * sizeof *value);
    if (nrow == 0) return CARDAN_OK;
    cd_know_rows(d);
    cd_jacobian_transposed(d, &d->rows, lambda, value + s->r);
    memcpy(value + s->c, d->closure.value, (size_t)nrow * sizeof *value);
    memcpy(value + s->rate, d->closure.rate, (size_t)nrow * sizeof *value);
    cd_jacobian_times(d, &d->rows, a, value + s->gamma);
    for (int i = 0; i < nrow; ++i) value[s->gamma + i] -= d->gamma[i];
    return CARDAN_OK;
}

static cardan_status slopes_at(cd_system* system, double t, const double* q, const double* z, const double* a,
                               const double* lambda, cd_slopes* s)
{
    cardan_data*  d      = system->data;
    const int     ns     = system->ns;
    cardan_status status = cd_system_go_on(system) ? cd_system_sound(system, t, q, z) : CARDAN_STOPPED;
    if (!status && slopes_generated(system, t, q, z, a, lambda, s)) return CARDAN_OK;
    if (!status) status = cd_data_reach(d, t, q, z, ns ? z + system->nv : NULL);
    if (status) return status;
    cd_state_slopes_at(d, a, lambda, &s->state, s->by_q, s->by_v, s->by_s);
    cardan_mass_matrix(d, s->M);
    cd_held_jacobian(system, s->J);
    if (d->closure.nlossy == 0) return CARDAN_OK;
    memcpy(s->by_lambda, s->J, (size_t)system->nv * (size_t)d->rows.nrow * sizeof *s->J);
    cd_losses_take(d, lambda);
    cd_losses_by_lambda(d, s->by_lambda);
    return CARDAN_OK;
}

cardan_status cd_slopes_at(cd_system* system, double t, const double* q, const double* z, const double* a,
                           const double* lambda, cd_slopes* s)
{
    const double        begin  = cd_clock_wall();
    const cardan_status status = slopes_at(system, t, q, z, a, lambda, s);
    if (!s->alone) return status;
    system->jacobian_wall += cd_clock_wall() - begin;
    ++system->jacobians;
    return status;
}
