// SPDX-License-Identifier: BSD-3-Clause
// Laws are looked at over windows of time. Between the ends of a window a smooth law x with rate v and acceleration a
// leaves, of its Taylor series from both ends,
//
//   e = x1 - x0 - h/2 (v0 + v1) - h^2/12 (a0 - a1) = O(h^5),        and its rate   v1 - v0 - h/2 (a0 + a1) = O(h^3)
//
// and a jump by J leaves J, however small h is. So windows that leave something are halved towards the larger half
// until nothing is left, or no time is.
#include "dynamics/law_moments.h"

#include <math.h>
#include <string.h>

static const double an_instant = 1e-12; // s, and its part of the time: beside a jump

void cd_laws_at(cardan_data* d, double t)
{
    cd_closure_time(d->m, t, &d->closure);
    for (int i = 0; i < d->m->nmotion; ++i)
        if (d->outer[i]) memcpy(d->closure.law + 3 * i, d->outer_law + 3 * i, 3 * sizeof(double));
}

cd_law_moment cd_moment_of(const cardan_data* d, int law, double t)
{
    const double* x = d->closure.law + 3 * law;
    return (cd_law_moment){t, {x[0], x[1], x[2]}};
}

cd_law_moment cd_moment_at(cardan_data* d, int law, double t)
{
    cd_laws_at(d, t);
    return cd_moment_of(d, law, t);
}

int cd_not_finite(const cd_law_moment* x)
{
    int order = 0;
    while (order < 3 && isfinite(x->x[order])) ++order;
    return order;
}

// What a window leaves of the value (0) or the rate (1); or of the rate by the acceleration of one end alone (2), which
// is O(h^2), but hides no infinite one: by those of both some |t|^p leave nothing between two times.
enum { VALUE, RATE, RATE_BY_ONE };
static double left(const cd_law_moment* a, const cd_law_moment* b, int order)
{
    const double h = b->t - a->t;
    if (order == RATE_BY_ONE) return fmax(fabs(b->x[1] - a->x[1] - h * a->x[2]), fabs(b->x[1] - a->x[1] - h * b->x[2]));
    if (order == 1) return fabs(b->x[1] - a->x[1] - h / 2 * (a->x[2] + b->x[2]));
    return fabs(b->x[0] - a->x[0] - h / 2 * (a->x[1] + b->x[1]) - h * h / 12 * (a->x[2] - b->x[2]));
}

static double rounding(const cd_law_moment* a, const cd_law_moment* b, int order)
{
    return cd_unseen * (1 + fmax(fabs(a->x[order]), fabs(b->x[order])));
}

// a is sound and b is not: to where it ends.
static void narrow_end(cardan_data* d, int law, cd_law_moment* a, cd_law_moment* b)
{
    for (int i = 0; i < CD_LAW_HALVINGS; ++i) {
        const double t = a->t + (b->t - a->t) / 2;
        if (!(t > a->t && t < b->t)) return;
        const cd_law_moment x             = cd_moment_at(d, law, t);
        *(cd_not_finite(&x) == 3 ? a : b) = x;
    }
}

// By one end alone to the last, where something may be no number though rates leave too little to see.
static bool narrow_by(cardan_data* d, int law, int by, cd_law_moment* a, cd_law_moment* b)
{
    const int order = by == VALUE ? 0 : 1;
    for (int i = 0; i < CD_LAW_HALVINGS && (by == RATE_BY_ONE || left(a, b, by) > rounding(a, b, order)); ++i) {
        const double t = a->t + (b->t - a->t) / 2;
        if (!(t > a->t && t < b->t)) break;
        const cd_law_moment x = cd_moment_at(d, law, t);
        if (cd_not_finite(&x) < 3) {
            *b = x;
            narrow_end(d, law, a, b);
            return true;
        }
        *(left(a, &x, by) > left(&x, b, by) ? b : a) = x;
    }
    const double h = b->t - a->t, steep = h * (fabs(a->x[order + 1]) + fabs(b->x[order + 1]));
    return left(a, b, by) > rounding(a, b, order) && fabs(b->x[order] - a->x[order]) > 0.1 * steep;
}

// Both are sound: false where all is smooth; true: between them, next to each other, it jumps, or something is no
// number.
static bool narrow_jump(cardan_data* d, int law, int order, cd_law_moment* a, cd_law_moment* b)
{
    const cd_law_moment first = *a, last = *b;
    const bool          may = left(a, b, order) > rounding(a, b, order);
    if (!may || narrow_by(d, law, order, a, b)) return may;
    *a = first;
    *b = last;
    return order == RATE && narrow_by(d, law, RATE_BY_ONE, a, b);
}

// At the very instant of a jump a law may be neither what it was nor what it will be, as the rate of |t| at 0: what it
// is a cd_law_moment before or after.
static double beside(cardan_data* d, int law, int order, const cd_law_moment* at, int way)
{
    const cd_law_moment x = cd_moment_at(d, law, at->t + way * an_instant * fmax(1, fabs(at->t)));
    return cd_not_finite(&x) == 3 && fabs(x.x[order] - at->x[order]) > rounding(&x, at, order) ? x.x[order]
                                                                                               : at->x[order];
}

// Beside an instant at which the acceleration is infinite, as that of |t|^1.5, it explains what the rate changes by,
// however short the window is; beside a jump it is nothing.
static bool has_no_bound(const cd_law_moment* a, const cd_law_moment* b)
{
    return 10 * (b->t - a->t) * (fabs(a->x[2]) + fabs(b->x[2])) > fabs(b->x[1] - a->x[1]);
}

static bool breaks(cardan_data* d, int law, int order, cd_law_moment a, cd_law_moment b, cd_law_break* found)
{
    bool jumps = false;
    if (cd_not_finite(&a) < 3)
        b = a;
    else if (cd_not_finite(&b) < 3)
        narrow_end(d, law, &a, &b);
    else if (!(jumps = narrow_jump(d, law, order, &a, &b)))
        return false;
    const int last = cd_not_finite(&b), what = last < 3 ? last : order;
    *found = (cd_law_break){.law = law, .t = a.t, .then = b.t, .order = what, .before = a.x[what], .after = b.x[what]};
    if (jumps && last == 3) {
        found->before = beside(d, law, order, &a, -1);
        found->after  = beside(d, law, order, &b, 1);
    }
    if (jumps && order == 1 && last >= 2 && (last == 2 || has_no_bound(&a, &b))) {
        found->order  = 2;
        found->before = a.x[2];
        found->after  = copysign(INFINITY, a.x[2]);
    }
    return true;
}

void cd_moments_at(cardan_data* d, double t, cd_law_moment* x)
{
    cd_laws_at(d, t);
    for (int i = 0; i < d->m->nmotion; ++i) x[i] = cd_moment_of(d, i, t);
}

bool cd_breaks_within(cardan_data* d, int order, const cd_law_moment* a, const cd_law_moment* b, cd_law_break* first)
{
    bool found = false;
    for (int i = 0; i < d->m->nmotion; ++i) {
        cd_law_break here;
        if (d->outer[i] || !breaks(d, i, order, a[i], b[i], &here) || (found && here.t >= first->t)) continue;
        *first = here;
        found  = true;
    }
    return found;
}

const cd_constraint* cd_law_owner(const cardan_data* d, int law, int* row)
{
    for (int c = 0; c < d->closure.nconstraint; ++c)
        for (*row = 0; *row < d->closure.constraint[c].nrow; ++*row)
            if (d->closure.constraint[c].driven >> *row & 1 && cd_law_of_row(&d->closure.constraint[c], *row) == law)
                return &d->closure.constraint[c];
    return NULL;
}

const char* cd_law_unit(const cd_constraint* c, int row, int order)
{
    static const char* const units[2][3] = {{" m", " m/s", " m/s^2"}, {" rad", " rad/s", " rad/s^2"}};
    if (c->curve) return order == 0 ? "" : order == 1 ? " 1/s" : " 1/s^2";
    return units[cd_row_is_torque(c, row)][order];
}
