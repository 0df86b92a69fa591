// SPDX-License-Identifier: BSD-3-Clause
// Rows that no position integrates, as of rolling, ask for no change of positions. But where rows h with position
// depend on them, as the axles of two wheels on one chassis do, rows h that got no force stay open by what the others
// n forbid. Such rows n give way: s(n) is what closes rows h, found by conjugate gradients for least squares with the
// solve that is there,
//
//   dx = B s,   min | s(h) - J(h) B s |  over s(n),   and B' f are the multipliers of a force f
//
// in as many iterations as there are such dependences. The change stays across the motions that all rows leave.
// Source: Bjorck 1996, Numerical Methods for Least Squares Problems, algorithm 7.4.1.
#include "dynamics/slips.h"

#include "dynamics/data.h"
#include "math/largest.h"

#include <string.h>

static const double open_part = 0.1;  // of what is asked for: rows that stay open by more
static const double done_part = 1e-6; // and by this much they are closed
static const double too_far   = 1e3;  // times what is asked for: slips of rows that hardly depend on each other
static const double gain      = 0.01; // of the squares, or it is rounding
enum { MOST = 12 };

void cd_slips_layout(const cd_closure* closure, int nrow, int nv, cd_arena* arena, cd_slips* slips)
{
    if (closure->nslip == 0) return;
    CD_TAKE(arena, slips->open, nrow);
    CD_TAKE(arena, slips->by, nrow);
    CD_TAKE(arena, slips->way, nrow);
    CD_TAKE(arena, slips->met, nrow);
    CD_TAKE(arena, slips->force, nv);
    CD_TAKE(arena, slips->move, nv);
}

static double square(int n, const double* x)
{
    double sum = 0;
    for (int i = 0; i < n; ++i) sum += x[i] * x[i];
    return sum;
}

// Of x (nrow) only rows with position are left, or only the others.
static void keep(const cardan_data* d, bool position, double* x)
{
    for (int i = 0; i < d->closure.nconstraint; ++i) {
        const cd_constraint* c    = &d->closure.constraint[i];
        const int            from = position ? c->nposition : 0, to = position ? c->nrow : c->nposition;
        for (int k = from; k < to; ++k) x[c->first_row + k] = 0;
    }
    for (int i = d->rows.nrow; i < d->system.nrow; ++i) x[i] = 0; // rotors ask for nothing
}

// by = B' J(h)' open, on rows without position.
static bool slope(cardan_data* d, cd_slips* l)
{
    cd_where where = {.v = CARDAN_NONE, .row = CARDAN_NONE};
    memset(l->force, 0, (size_t)d->m->nv * sizeof *l->force);
    memset(l->met, 0, (size_t)d->system.nrow * sizeof *l->met);
    cd_jacobian_transposed(d, &d->rows, l->open, l->force);
    const cardan_status status =
        d->formulation->solve(d->m, &d->k, &d->system, d->work, l->force, l->met, l->move, l->by, &where);
    keep(d, false, l->by);
    return status == CARDAN_OK || status == CARDAN_INCONSISTENT;
}

// move = B way, met = J(h) move.
static bool follow(cardan_data* d, cd_slips* l)
{
    if (cd_least_change(d, l->way, l->move) != CARDAN_OK) return false;
    cd_jacobian_times(d, &d->rows, l->move, l->met);
    keep(d, true, l->met);
    return true;
}

void cd_let_slip(cardan_data* d, const double* s, double* dx)
{
    cd_slips* l = &d->slips;
    const int n = d->rows.nrow;
    if (d->closure.nslip == 0) return;
    cd_know_closure_and_rows(d);
    cd_jacobian_times(d, &d->rows, dx, l->open);
    for (int i = 0; i < n; ++i) l->open[i] = s[i] - l->open[i];
    keep(d, true, l->open);
    const double asked = cd_largest(n, s);
    if (cd_largest(n, l->open) <= open_part * asked || !slope(d, l)) return;
    memcpy(l->way, l->by, (size_t)d->system.nrow * sizeof *l->way);
    for (int k = 0; k < MOST; ++k) {
        const double from = square(n, l->by);
        if (!follow(d, l)) return;
        const double to = square(n, l->met), part = to > 0 ? from / to : 0;
        if (part * from < gain * square(n, l->open) || part * cd_largest(n, l->way) > too_far * asked) return;
        for (int i = 0; i < d->m->nv; ++i) dx[i] += part * l->move[i];
        for (int i = 0; i < n; ++i) l->open[i] -= part * l->met[i];
        if (cd_largest(n, l->open) <= done_part * asked || !slope(d, l)) return;
        const double turned = square(n, l->by) / from;
        for (int i = 0; i < n; ++i) l->way[i] = l->by[i] + turned * l->way[i];
    }
}
