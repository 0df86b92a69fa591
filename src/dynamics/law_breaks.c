// SPDX-License-Identifier: BSD-3-Clause
// Where laws break off, over windows of time (law_moments.c).
//
// A length by law that comes to zero ends a motion too: two points that meet have no direction. Before that a pendulum
// on such a rod turns ever faster, by an angle that grows as 1/length, so that the motion is left where the length is a
// small part of what it was.
#include "dynamics/law_moments.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WINDOWS = 1024 };
static const double short_rod = 1e-4; // part of its largest length so far

static bool first_break(cardan_data* d, double from, double to, cd_law_break* first, bool* found)
{
    const size_t   n    = (size_t)d->m->nmotion;
    cd_law_moment* last = cd_allocate(2 * n, sizeof *last);
    if (!last) return false;
    cd_law_moment* here = last + n;
    for (int k = 0; k <= WINDOWS && !*found; ++k) {
        cd_moments_at(d, k == WINDOWS ? to : from + (to - from) / WINDOWS * k, here);
        *found = cd_breaks_within(d, 0, k > 0 ? last : here, here, first);
        memcpy(last, here, n * sizeof *last);
    }
    free(last);
    cd_laws_at(d, d->t);
    return true;
}

// ---- lengths that vanish

static bool is_length(const cd_constraint* c)
{
    return c->type == cd_constraint_type_find("distance") && c->law[0] > 0;
}

// First time between a, where the length is above `least`, and b, where it is not.
static double falls_below(cardan_data* d, int law, double least, double a, double b)
{
    for (int i = 0; i < CD_LAW_HALVINGS; ++i) {
        const double t = a + (b - a) / 2;
        if (!(t > a && t < b)) break;
        *(cd_moment_at(d, law, t).x[0] > least ? &a : &b) = t;
    }
    return b;
}

// Where the length is least inside a window that it enters falling and leaves rising.
static cd_law_moment lowest(cardan_data* d, int law, cd_law_moment a, cd_law_moment b)
{
    for (int i = 0; i < CD_LAW_HALVINGS && a.x[1] < 0 && b.x[1] > 0; ++i) {
        const double t = a.t + (b.t - a.t) / 2;
        if (!(t > a.t && t < b.t)) break;
        const cd_law_moment x   = cd_moment_at(d, law, t);
        *(x.x[1] < 0 ? &a : &b) = x;
    }
    return a.x[0] < b.x[0] ? a : b;
}

static bool vanishes(cardan_data* d, int law, double from, double to, cd_law_break* found)
{
    cd_law_moment last = cd_moment_at(d, law, from), far = last;
    double        most = 0;
    for (int k = 0; k <= WINDOWS; ++k) {
        const cd_law_moment here = cd_moment_at(d, law, k == WINDOWS ? to : from + (to - from) / WINDOWS * k);
        const cd_law_moment low  = lowest(d, law, last, here);
        most                     = fmax(most, here.x[0]);
        if (!(low.x[0] > cd_unseen * most)) {
            const double zero = k == 0 ? from : low.x[0] > 0 ? low.t : falls_below(d, law, 0, last.t, low.t);
            const double t    = k > 0 ? falls_below(d, law, short_rod * most, far.t, zero) : from;
            *found =
                (cd_law_break){.law = law, .t = t, .before = k == 0 ? low.x[0] : 0, .vanishes = true, .zero = zero};
            return true;
        }
        if (here.x[0] > short_rod * most) far = here;
        last = here;
    }
    return false;
}

static bool first_vanishing(cardan_data* d, double from, double to, cd_law_break* first)
{
    bool found = false;
    for (int i = 0; i < d->closure.nconstraint; ++i) {
        const cd_constraint* c = &d->closure.constraint[i];
        cd_law_break         b;
        if (!is_length(c) || d->outer[c->law[0] - 1] || !vanishes(d, c->law[0] - 1, from, to, &b) ||
            (found && b.zero >= first->zero))
            continue;
        *first = b;
        found  = true;
    }
    cd_laws_at(d, d->t);
    return found;
}

bool cd_law_breaks(cardan_data* d, double from, double to, cd_law_break* first, bool* found)
{
    cd_law_break short_of;
    *found = false;
    if (d->m->nmotion == 0) return true;
    if (!first_break(d, from, to, first, found)) return false;
    if (!first_vanishing(d, from, *found ? first->t : to, &short_of)) return true;
    *first = short_of;
    *found = true;
    return true;
}

// ---- sentences

// "inf rad", or "not a number".
static void tell_value(double x, const char* unit, char text[60])
{
    if (isnan(x))
        snprintf(text, 60, "not a number");
    else
        snprintf(text, 60, "%.6g%s", x, unit);
}

static const char* const parts[3] = {"its law", "the rate of its law", "the acceleration of its law"};

cardan_status cd_fail_law(const cardan_data* d, const cd_law_break* b, cardan_status status, cardan_report* report)
{
    int                  row = 0;
    const cd_constraint* c   = cd_law_owner(d, b->law, &row);
    if (b->vanishes && c)
        return cardan_fail(report, status, CARDAN_CODE_DRIVER_UNDEFINED, c->place,
                           b->before < 0 ? "%s '%s': at t = %.9g s its length is %.6g m, but must be positive"
                                         : "%s '%s': at t = %.9g s its length becomes zero, and points that coincide "
                                           "have no direction; end the run before, or give a law that stays positive",
                           c->what, c->name, b->zero, b->before);
    if (!c)
        return cardan_fail(report, status, CARDAN_CODE_DRIVER_UNDEFINED, cardan_nowhere(),
                           "a law of motion of '%s' breaks off at t = %.9g s", d->m->view.name, b->t);
    const char *unit = cd_law_unit(c, row, b->order), *part = parts[b->order];
    char        before[60], after[60];
    tell_value(b->before, unit, before);
    tell_value(b->after, unit, after);
    if (!isfinite(b->before))
        return cardan_fail(report, status, CARDAN_CODE_DRIVER_UNDEFINED, c->place,
                           "%s '%s': at t = %.9g s %s is not finite (%s)", c->what, c->name, b->t, part, before);
    if (!isfinite(b->after) && b->order == 2)
        return cardan_fail(
            report, status, CARDAN_CODE_DRIVER_UNDEFINED, c->place,
            "%s '%s': at t = %.9g s the acceleration of its law is infinite (%s just before), and so are "
            "forces; end the run before, or give a law whose acceleration stays finite",
            c->what, c->name, b->t, before);
    if (!isfinite(b->after))
        return cardan_fail(
            report, status, CARDAN_CODE_DRIVER_UNDEFINED, c->place,
            "%s '%s': beyond t = %.9g s %s is not finite (%s after %s); end the run there, or give a law that goes on",
            c->what, c->name, b->t, part, after, before);
    return cardan_fail(
        report, status, CARDAN_CODE_DRIVER_DISCONTINUITY, c->place,
        "%s '%s': at t = %.9g s %s jumps from %s to %s, and no motion follows that; step() and smoothstep() lead over",
        c->what, c->name, b->t, part, before, after);
}

cardan_status cd_check_laws(cardan_data* d, cardan_report* report)
{
    for (int i = 0; i < d->m->nmotion; ++i) {
        const cd_law_moment x     = cd_moment_of(d, i, d->t);
        const int           order = cd_not_finite(&x);
        if (order < 3)
            return cd_fail_law(
                d, &(cd_law_break){.law = i, .t = d->t, .order = order, .before = x.x[order], .after = x.x[order]},
                CARDAN_BAD_INPUT, report);
    }
    for (int i = 0; i < d->closure.nconstraint; ++i) {
        const cd_constraint* c = &d->closure.constraint[i];
        const cd_law_moment  x = is_length(c) ? cd_moment_of(d, c->law[0] - 1, d->t) : (cd_law_moment){.x = {1}};
        if (!(x.x[0] > 0))
            return cd_fail_law(d,
                               &(cd_law_break){.law = c->law[0] - 1, .before = x.x[0], .vanishes = true, .zero = d->t},
                               CARDAN_BAD_INPUT, report);
    }
    return CARDAN_OK;
}
