// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/slope_bounds.h"

#include <math.h>
#include <string.h>

static const double part_exact = 3e-14; // of a slope
static const double part_lossy = 1e-9;  // where differences stand for slopes: gears that lose power by their load
static const double beside     = 1e-14; // [rad, lengths; relative] to states that rounding tells apart
static const double scattered  = 8;     // times what is seen at a few of them
static const double most_part  = 1e-11; // of the largest slope: where it scatters more, forces have a kink
enum { LOOKS = 2 };

static void take(const cd_slope_bounds* b, cd_arena* arena, int rows, cd_slope_columns* c)
{
    const size_t n = (size_t)rows, nv = (size_t)b->d->m->nv;
    CD_TAKE(arena, c->q, n * nv);
    CD_TAKE(arena, c->v, n * nv);
    CD_TAKE(arena, c->s, n * (size_t)b->d->m->nstate);
}

void cd_slope_bounds_layout(cardan_data* d, cd_arena* arena, cd_slope_bounds* b)
{
    const cardan_model* m = d->m;
    b->d                  = d;
    b->part               = d->closure.nlossy > 0 ? part_lossy : part_exact;
    cd_state_slopes_layout(d, arena, &b->slopes);
    b->rows = b->slopes.g + m->nstate;
    take(b, arena, b->rows, &b->here);
    take(b, arena, b->rows, &b->bound);
    take(b, arena, b->slopes.n, &b->all);
    CD_TAKE(arena, b->q, (size_t)m->nq);
    CD_TAKE(arena, b->v, (size_t)m->nv);
    CD_TAKE(arena, b->z, (size_t)m->nstate);
    CD_TAKE(arena, b->beside_q, (size_t)m->nq);
    CD_TAKE(arena, b->beside_v, (size_t)m->nv);
    CD_TAKE(arena, b->beside_z, (size_t)m->nstate);
    CD_TAKE(arena, b->move, (size_t)m->nv);
}

// The state moved by as little as rounding tells apart, another way each time.
static void move_beside(cd_slope_bounds* b, const double* unit, int number)
{
    cardan_data* d   = b->d;
    unsigned     way = 12345u + 1000u * (unsigned)number;
    for (int i = 0; i < d->m->nv; ++i) {
        way             = way * 1664525u + 1013904223u;
        const double at = (double)(way >> 8) / 8388608.0 - 1;
        b->move[i]      = beside * at / unit[i];
        b->beside_v[i]  = b->v[i] * (1 + beside * at);
    }
    for (int i = 0; i < d->m->nstate; ++i) b->beside_z[i] = b->z[i] * (1 + ((i + number) % 2 ? beside : -beside));
    cardan_model_move(d->m, b->q, b->move, b->beside_q);
    cd_data_set(d, d->t, b->beside_q, b->beside_v, b->beside_z);
}

// The rows that count of all columns, and a part of them as bounds.
static void begin(const cd_slope_bounds* b, size_t columns, const double* all, double* here, double* bound)
{
    const size_t rows = (size_t)b->rows, n = (size_t)b->slopes.n;
    for (size_t j = 0; j < columns; ++j)
        for (size_t i = 0; i < rows; ++i) {
            here[j * rows + i]  = all[j * n + i];
            bound[j * rows + i] = b->part * fabs(all[j * n + i]);
        }
}

// Slopes of forces (rows r) by all velocities: what they scatter.
static void widen(const cd_slope_bounds* b, const double* unit, const double* here, const double* all, double* bound)
{
    const size_t nv = (size_t)b->d->m->nv, rows = (size_t)b->rows, n = (size_t)b->slopes.n, r = (size_t)b->slopes.r;
    double       most = 0;
    for (size_t j = 0; j < nv; ++j)
        for (size_t i = 0; i < nv; ++i) most = fmax(most, fabs(here[j * rows + r + i]) / (unit[i] * unit[j]));
    for (size_t j = 0; j < nv; ++j)
        for (size_t i = 0; i < nv; ++i) {
            const size_t at   = j * rows + r + i;
            const double seen = scattered * fabs(all[j * n + r + i] - here[at]);
            if (seen <= most_part * most * unit[i] * unit[j]) bound[at] = fmax(bound[at], seen);
        }
}

void cd_slope_bounds_at(cd_slope_bounds* b, const double* a, const double* lambda, const double* unit)
{
    cardan_data* d  = b->d;
    const size_t nv = (size_t)d->m->nv, nz = (size_t)d->m->nstate;
    memcpy(b->q, d->q, (size_t)d->m->nq * sizeof *b->q);
    memcpy(b->v, d->v, nv * sizeof *b->v);
    if (nz > 0) memcpy(b->z, d->state, nz * sizeof *b->z);
    cd_state_slopes_at(d, a, lambda, &b->slopes, b->all.q, b->all.v, b->all.s);
    begin(b, nv, b->all.q, b->here.q, b->bound.q);
    begin(b, nv, b->all.v, b->here.v, b->bound.v);
    begin(b, nz, b->all.s, b->here.s, b->bound.s);
    for (int i = 1; i <= LOOKS; ++i) {
        move_beside(b, unit, i);
        cd_state_slopes_at(d, a, lambda, &b->slopes, b->all.q, b->all.v, b->all.s);
        widen(b, unit, b->here.q, b->all.q, b->bound.q);
        widen(b, unit, b->here.v, b->all.v, b->bound.v);
    }
    cd_data_set(d, d->t, b->q, b->v, b->z);
}
