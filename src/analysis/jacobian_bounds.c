// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/jacobian_bounds.h"
#include "analysis/analysis_tolerances.h"

#include "dynamics/state.h"

#include <math.h>
#include <string.h>

static const double perturbation   = 1e-14; // [rad, tangent.length; relative] perturbation of the order of round-off
static const double scatter_factor = 8;     // safety factor on the scatter observed at PERTURBATIONS states
enum { PERTURBATIONS = 2 };

static void allocate_columns(const cd_jacobian_bounds* b, cd_arena* arena, int rows, cd_jacobian_columns* c)
{
    const size_t n = (size_t)rows, nv = (size_t)b->d->m->nv;
    CD_ARENA_ARRAY(arena, c->q, n * nv);
    CD_ARENA_ARRAY(arena, c->v, n * nv);
    CD_ARENA_ARRAY(arena, c->s, n * (size_t)b->d->m->nstate);
}

void cd_jacobian_bounds_layout(cardan_data* d, cd_arena* arena, cd_jacobian_bounds* b)
{
    const cardan_model* m = d->m;
    b->d                  = d;
    b->relative_roundoff  = d->constraints.nlossy > 0 ? cd_difference_roundoff : cd_derivative_roundoff;
    cd_state_jacobian_layout(d, arena, &b->state_jacobian);
    b->rows = b->state_jacobian.g_offset + m->nstate;
    allocate_columns(b, arena, b->rows, &b->value);
    allocate_columns(b, arena, b->rows, &b->bound);
    allocate_columns(b, arena, b->state_jacobian.nresidual, &b->scratch);
    CD_ARENA_ARRAY(arena, b->q, (size_t)m->nq);
    CD_ARENA_ARRAY(arena, b->v, (size_t)m->nv);
    CD_ARENA_ARRAY(arena, b->z, (size_t)m->nstate);
    CD_ARENA_ARRAY(arena, b->perturbed_q, (size_t)m->nq);
    CD_ARENA_ARRAY(arena, b->perturbed_v, (size_t)m->nv);
    CD_ARENA_ARRAY(arena, b->perturbed_z, (size_t)m->nstate);
    CD_ARENA_ARRAY(arena, b->displacement, (size_t)m->nv);
}

// Set the data to the saved state plus a pseudo-random perturbation of the order of round-off; `number` selects it.
static void perturb_state(cd_jacobian_bounds* b, const double* unit, int number)
{
    cardan_data* d    = b->d;
    unsigned     seed = 12345u + 1000u * (unsigned)number;
    for (int i = 0; i < d->m->nv; ++i) {
        seed               = seed * 1664525u + 1013904223u;
        const double at    = (double)(seed >> 8) / 8388608.0 - 1;
        b->displacement[i] = perturbation * at / unit[i];
        b->perturbed_v[i]  = b->v[i] * (1 + perturbation * at);
    }
    for (int i = 0; i < d->m->nstate; ++i)
        b->perturbed_z[i] = b->z[i] * (1 + ((i + number) % 2 ? perturbation : -perturbation));
    cardan_model_integrate_position(d->m, b->q, b->displacement, b->perturbed_q);
    cd_data_set_state(d, d->t, b->perturbed_q, b->perturbed_v, b->perturbed_z);
}

// Copy the first `rows` rows of each column to `value` and set `bound` to the relative round-off of the entries.
static void set_value_and_bound(const cd_jacobian_bounds* b, size_t columns, const double* all, double* value,
                                double* bound)
{
    const size_t rows = (size_t)b->rows, n = (size_t)b->state_jacobian.nresidual;
    for (size_t j = 0; j < columns; ++j)
        for (size_t i = 0; i < rows; ++i) {
            value[j * rows + i] = all[j * n + i];
            bound[j * rows + i] = b->relative_roundoff * fabs(all[j * n + i]);
        }
}

// Raise the bounds of the derivatives of r to the scatter between `value` and the columns `all` of a perturbed state.
static void widen_bound(const cd_jacobian_bounds* b, const double* unit, const double* value, const double* all,
                        double* bound)
{
    const size_t nv = (size_t)b->d->m->nv, rows = (size_t)b->rows, n = (size_t)b->state_jacobian.nresidual,
                 r = (size_t)b->state_jacobian.r_offset;
    double most    = 0;
    for (size_t j = 0; j < nv; ++j)
        for (size_t i = 0; i < nv; ++i) most = fmax(most, fabs(value[j * rows + r + i]) / (unit[i] * unit[j]));
    for (size_t j = 0; j < nv; ++j)
        for (size_t i = 0; i < nv; ++i) {
            const size_t at      = j * rows + r + i;
            const double scatter = scatter_factor * fabs(all[j * n + r + i] - value[at]);
            if (scatter <= cd_max_derivative_scatter * most * unit[i] * unit[j]) bound[at] = fmax(bound[at], scatter);
        }
}

void cd_jacobian_bounds_compute(cd_jacobian_bounds* b, const double* a, const double* lambda, const double* unit)
{
    cardan_data* d  = b->d;
    const size_t nv = (size_t)d->m->nv, nz = (size_t)d->m->nstate;
    memcpy(b->q, d->q, (size_t)d->m->nq * sizeof *b->q);
    memcpy(b->v, d->v, nv * sizeof *b->v);
    if (nz > 0) memcpy(b->z, d->state, nz * sizeof *b->z);
    cd_state_jacobian_compute(d, a, lambda, &b->state_jacobian, b->scratch.q, b->scratch.v, b->scratch.s);
    set_value_and_bound(b, nv, b->scratch.q, b->value.q, b->bound.q);
    set_value_and_bound(b, nv, b->scratch.v, b->value.v, b->bound.v);
    set_value_and_bound(b, nz, b->scratch.s, b->value.s, b->bound.s);
    for (int i = 1; i <= PERTURBATIONS; ++i) {
        perturb_state(b, unit, i);
        cd_state_jacobian_compute(d, a, lambda, &b->state_jacobian, b->scratch.q, b->scratch.v, b->scratch.s);
        widen_bound(b, unit, b->value.q, b->scratch.q, b->bound.q);
        widen_bound(b, unit, b->value.v, b->scratch.v, b->bound.v);
    }
    cd_data_set_state(d, d->t, b->q, b->v, b->z);
}
