// SPDX-License-Identifier: BSD-3-Clause
#include "motion/slopes.h"

#include "dynamics/data.h"

#include <cardan/assemble.h>
#include <float.h>
#include <math.h>
#include <string.h>

void cd_slopes_layout(const cd_system* system, cd_arena* arena, cd_slopes* s)
{
    const size_t nrow = (size_t)system->data->rows.nrow, nv = (size_t)system->nv, ns = (size_t)system->ns, n = nv + ns + 2 * nrow;
    s->n = (int)n;
    CD_TAKE(arena, s->by_q, n * nv);
    CD_TAKE(arena, s->by_v, n * nv);
    CD_TAKE(arena, s->by_s, n * ns);
    CD_TAKE(arena, s->by_a, n * nv);
    CD_TAKE(arena, s->by_lambda, n * nrow);
    CD_TAKE(arena, s->here, n);
    CD_TAKE(arena, s->there, n);
    CD_TAKE(arena, s->q, system->nq);
    CD_TAKE(arena, s->z, system->nz);
    CD_TAKE(arena, s->dq, nv);
    CD_TAKE(arena, s->mass, nv * nv);
}

static void push_rows(const cd_rows* rows, const double* lambda, double* r)
{
    for (int i = 0; i < rows->nblock; ++i) {
        const cd_row_block* b = &rows->block[i];
        for (int row = 0; row < b->nrow; ++row)
            for (int j = 0; j < b->nv; ++j) r[b->v[j]] += b->J[row * b->nv + j] * lambda[b->row + row];
    }
}

cardan_status cd_equations_at(cd_system* system, double t, const double* q, const double* z, const double* a, const double* lambda, double* value)
{
    cardan_data* d = system->data;
    const int    nv = system->nv, ns = system->ns;
    ++system->evaluations;
    cardan_status status = cd_system_go_on(system) ? cd_system_sound(system, t, q, z) : CARDAN_STOPPED;
    if (!status) status = cd_data_reach(d, t, q, z, ns ? z + nv : NULL);
    if (!status) status = cardan_residual(d, a, value);
    if (status) return status;
    if (ns) memcpy(value + nv, d->rates + 3 * d->m->view.nforce, (size_t)ns * sizeof *value);
    if (d->rows.nrow == 0) return CARDAN_OK;
    cd_know_rows(d);
    push_rows(&d->rows, lambda, value);
    memcpy(value + nv + ns, d->closure.value, (size_t)d->rows.nrow * sizeof *value);
    memcpy(value + nv + ns + d->rows.nrow, d->closure.rate, (size_t)d->rows.nrow * sizeof *value);
    return CARDAN_OK;
}

static double* column(double* matrix, const cd_slopes* s, int j) { return matrix + (size_t)j * (size_t)s->n; }

static void difference(const cd_slopes* s, double step, double* to)
{
    for (int i = 0; i < s->n; ++i) to[i] = (s->there[i] - s->here[i]) / step;
}

static void put_mass(cd_system* system, cd_slopes* s)
{
    const int nv = system->nv;
    memset(s->by_a, 0, (size_t)s->n * (size_t)nv * sizeof *s->by_a);
    cardan_mass_matrix(system->data, s->mass);
    for (int j = 0; j < nv; ++j) memcpy(column(s->by_a, s, j), s->mass + (size_t)j * (size_t)nv, (size_t)nv * sizeof *s->mass);
}

static void put_rows(const cd_rows* rows, cd_slopes* s)
{
    memset(s->by_lambda, 0, (size_t)s->n * (size_t)rows->nrow * sizeof *s->by_lambda);
    for (int i = 0; i < rows->nblock; ++i) {
        const cd_row_block* b = &rows->block[i];
        for (int row = 0; row < b->nrow; ++row)
            for (int j = 0; j < b->nv; ++j) column(s->by_lambda, s, b->row + row)[b->v[j]] = b->J[row * b->nv + j];
    }
}

cardan_status cd_slopes_at(cd_system* system, double t, const double* q, const double* z, const double* a, const double* lambda, cd_slopes* s)
{
    const int     nv = system->nv, ns = system->ns;
    const double  h  = sqrt(DBL_EPSILON);
    cardan_status status = cd_equations_at(system, t, q, z, a, lambda, s->here);
    if (status) return status;
    put_mass(system, s);
    put_rows(&system->data->rows, s);
    memcpy(s->z, z, (size_t)system->nz * sizeof *z);
    for (int j = 0; j < nv + ns && !status; ++j) {
        const double kept = s->z[j], step = h * fmax(1, fabs(kept));
        s->z[j] += step;
        status  = cd_equations_at(system, t, q, s->z, a, lambda, s->there);
        s->z[j] = kept;
        difference(s, step, j < nv ? column(s->by_v, s, j) : column(s->by_s, s, j - nv));
    }
    memset(s->dq, 0, (size_t)nv * sizeof *s->dq);
    for (int j = 0; j < nv && !status; ++j) {
        s->dq[j] = h;
        cardan_model_move(system->model, q, s->dq, s->q);
        s->dq[j] = 0;
        status   = cd_equations_at(system, t, s->q, z, a, lambda, s->there);
        difference(s, h, column(s->by_q, s, j));
    }
    return status;
}
