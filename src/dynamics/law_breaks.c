// SPDX-License-Identifier: BSD-3-Clause
// Laws are looked at over windows of time. Between the ends of a window a smooth law x with rate v and acceleration a
// leaves, of its Taylor series from both ends,
//
//   e = x1 - x0 - h/2 (v0 + v1) - h^2/12 (a0 - a1) = O(h^5),        and its rate   v1 - v0 - h/2 (a0 + a1) = O(h^3)
//
// and a jump by J leaves J, however small h is. So windows that leave something are halved towards the larger half
// until nothing is left, or no time is.
//
// A length by law that comes to zero ends a motion too: two points that meet have no direction. Before that a pendulum
// on such a rod turns ever faster, by an angle that grows as 1/length, so that the motion is left where the length is a
// small part of what it was.
#include "dynamics/law_breaks.h"

#include "constraint/curve.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WINDOWS = 1024, HALVINGS = 60, KINK_WINDOWS = 4096, KINKS_IN_WINDOW = 64 };
static const double unseen     = 1e-9;  // rad or m, and its part of the value: jumps below are rounding
static const double an_instant = 1e-12; // s, and its part of the time: beside a jump
static const double short_rod  = 1e-4;  // part of its largest length so far

// Value, rate and acceleration.
typedef struct moment {
    double t, x[3];
} moment;

static void laws_at(cardan_data* d, double t)
{
    cd_closure_time(d->m, t, &d->closure);
    for (int i = 0; i < d->m->nmotion; ++i)
        if (d->outer[i]) memcpy(d->closure.law + 3 * i, d->outer_law + 3 * i, 3 * sizeof(double));
}

static moment moment_of(const cardan_data* d, int law, double t)
{
    const double* x = d->closure.law + 3 * law;
    return (moment){t, {x[0], x[1], x[2]}};
}

static moment moment_at(cardan_data* d, int law, double t)
{
    laws_at(d, t);
    return moment_of(d, law, t);
}

// First of value, rate and acceleration that is no finite number, or 3.
static int not_finite(const moment* x)
{
    int order = 0;
    while (order < 3 && isfinite(x->x[order])) ++order;
    return order;
}

// What a window leaves of the value (0) or the rate (1); or of the rate by the acceleration of one end alone (2), which
// is O(h^2), but hides no infinite one: by those of both some |t|^p leave nothing between two times.
enum { VALUE, RATE, RATE_BY_ONE };
static double left(const moment* a, const moment* b, int order)
{
    const double h = b->t - a->t;
    if (order == RATE_BY_ONE) return fmax(fabs(b->x[1] - a->x[1] - h * a->x[2]), fabs(b->x[1] - a->x[1] - h * b->x[2]));
    if (order == 1) return fabs(b->x[1] - a->x[1] - h / 2 * (a->x[2] + b->x[2]));
    return fabs(b->x[0] - a->x[0] - h / 2 * (a->x[1] + b->x[1]) - h * h / 12 * (a->x[2] - b->x[2]));
}

static double rounding(const moment* a, const moment* b, int order)
{
    return unseen * (1 + fmax(fabs(a->x[order]), fabs(b->x[order])));
}

// a is sound and b is not: to where it ends.
static void narrow_end(cardan_data* d, int law, moment* a, moment* b)
{
    for (int i = 0; i < HALVINGS; ++i) {
        const double t = a->t + (b->t - a->t) / 2;
        if (!(t > a->t && t < b->t)) return;
        const moment x                 = moment_at(d, law, t);
        *(not_finite(&x) == 3 ? a : b) = x;
    }
}

// By one end alone to the last, where something may be no number though rates leave too little to see.
static bool narrow_by(cardan_data* d, int law, int by, moment* a, moment* b)
{
    const int order = by == VALUE ? 0 : 1;
    for (int i = 0; i < HALVINGS && (by == RATE_BY_ONE || left(a, b, by) > rounding(a, b, order)); ++i) {
        const double t = a->t + (b->t - a->t) / 2;
        if (!(t > a->t && t < b->t)) break;
        const moment x = moment_at(d, law, t);
        if (not_finite(&x) < 3) {
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
static bool narrow_jump(cardan_data* d, int law, int order, moment* a, moment* b)
{
    const moment first = *a, last = *b;
    const bool   may = left(a, b, order) > rounding(a, b, order);
    if (!may || narrow_by(d, law, order, a, b)) return may;
    *a = first;
    *b = last;
    return order == RATE && narrow_by(d, law, RATE_BY_ONE, a, b);
}

// At the very instant of a jump a law may be neither what it was nor what it will be, as the rate of |t| at 0: what it
// is a moment before or after.
static double beside(cardan_data* d, int law, int order, const moment* at, int way)
{
    const moment x = moment_at(d, law, at->t + way * an_instant * fmax(1, fabs(at->t)));
    return not_finite(&x) == 3 && fabs(x.x[order] - at->x[order]) > rounding(&x, at, order) ? x.x[order] : at->x[order];
}

// Beside an instant at which the acceleration is infinite, as that of |t|^1.5, it explains what the rate changes by,
// however short the window is; beside a jump it is nothing.
static bool has_no_bound(const moment* a, const moment* b)
{
    return 10 * (b->t - a->t) * (fabs(a->x[2]) + fabs(b->x[2])) > fabs(b->x[1] - a->x[1]);
}

static bool breaks(cardan_data* d, int law, int order, moment a, moment b, cd_law_break* found)
{
    bool jumps = false;
    if (not_finite(&a) < 3)
        b = a;
    else if (not_finite(&b) < 3)
        narrow_end(d, law, &a, &b);
    else if (!(jumps = narrow_jump(d, law, order, &a, &b)))
        return false;
    const int last = not_finite(&b), what = last < 3 ? last : order;
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

static void moments_at(cardan_data* d, double t, moment* x)
{
    laws_at(d, t);
    for (int i = 0; i < d->m->nmotion; ++i) x[i] = moment_of(d, i, t);
}

// The first break of value or rate in a window, by the moments (nmotion) at its ends. Laws that others give are theirs.
static bool breaks_within(cardan_data* d, int order, const moment* a, const moment* b, cd_law_break* first)
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

static bool first_break(cardan_data* d, double from, double to, cd_law_break* first)
{
    const size_t n     = (size_t)d->m->nmotion;
    bool         found = false;
    moment *     last = cd_allocate(2 * n, sizeof *last), *here = last ? last + n : NULL;
    for (int k = 0; last && k <= WINDOWS && !found; ++k) {
        moments_at(d, k == WINDOWS ? to : from + (to - from) / WINDOWS * k, here);
        found = breaks_within(d, 0, k > 0 ? last : here, here, first);
        memcpy(last, here, n * sizeof *last);
    }
    free(last);
    laws_at(d, d->t);
    return found;
}

// ---- lengths that vanish

static bool is_length(const cd_constraint* c)
{
    return c->type == cd_constraint_type_find("distance") && c->law[0] > 0;
}

// First time between a, where the length is above `least`, and b, where it is not.
static double falls_below(cardan_data* d, int law, double least, double a, double b)
{
    for (int i = 0; i < HALVINGS; ++i) {
        const double t = a + (b - a) / 2;
        if (!(t > a && t < b)) break;
        *(moment_at(d, law, t).x[0] > least ? &a : &b) = t;
    }
    return b;
}

// Where the length is least inside a window that it enters falling and leaves rising.
static moment lowest(cardan_data* d, int law, moment a, moment b)
{
    for (int i = 0; i < HALVINGS && a.x[1] < 0 && b.x[1] > 0; ++i) {
        const double t = a.t + (b.t - a.t) / 2;
        if (!(t > a.t && t < b.t)) break;
        const moment x          = moment_at(d, law, t);
        *(x.x[1] < 0 ? &a : &b) = x;
    }
    return a.x[0] < b.x[0] ? a : b;
}

static bool vanishes(cardan_data* d, int law, double from, double to, cd_law_break* found)
{
    moment last = moment_at(d, law, from), far = last;
    double most = 0;
    for (int k = 0; k <= WINDOWS; ++k) {
        const moment here = moment_at(d, law, k == WINDOWS ? to : from + (to - from) / WINDOWS * k);
        const moment low  = lowest(d, law, last, here);
        most              = fmax(most, here.x[0]);
        if (!(low.x[0] > unseen * most)) {
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
    laws_at(d, d->t);
    return found;
}

bool cd_law_breaks(cardan_data* d, double from, double to, cd_law_break* first)
{
    cd_law_break short_of;
    const bool   breaks = d->m->nmotion > 0 && first_break(d, from, to, first);
    if (d->m->nmotion == 0 || !first_vanishing(d, from, breaks ? first->t : to, &short_of)) return breaks;
    *first = short_of;
    return true;
}

// ---- sentences

static const cd_constraint* owner_of(const cardan_data* d, int law, int* row)
{
    for (int c = 0; c < d->closure.nconstraint; ++c)
        for (*row = 0; *row < d->closure.constraint[c].nrow; ++*row)
            if (d->closure.constraint[c].driven >> *row & 1 && cd_law_of_row(&d->closure.constraint[c], *row) == law)
                return &d->closure.constraint[c];
    return NULL;
}

static const char* unit_of(const cd_constraint* c, int row, int order)
{
    static const char* const units[2][3] = {{" m", " m/s", " m/s^2"}, {" rad", " rad/s", " rad/s^2"}};
    if (c->curve) return order == 0 ? "" : order == 1 ? " 1/s" : " 1/s^2";
    return units[cd_row_is_torque(c, row)][order];
}

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
    const cd_constraint* c   = owner_of(d, b->law, &row);
    if (b->vanishes && c)
        return cardan_fail(report, status, c->place,
                           b->before < 0 ? "%s '%s': at t = %.9g s its length is %.6g m, but must be positive"
                                         : "%s '%s': at t = %.9g s its length becomes zero, and points that coincide "
                                           "have no direction; end the run before, or give a law that stays positive",
                           c->what, c->name, b->zero, b->before);
    if (!c)
        return cardan_fail(report, status, cardan_nowhere(), "a law of motion of '%s' breaks off at t = %.9g s",
                           d->m->view.name, b->t);
    const char *unit = unit_of(c, row, b->order), *part = parts[b->order];
    char        before[60], after[60];
    tell_value(b->before, unit, before);
    tell_value(b->after, unit, after);
    if (!isfinite(b->before))
        return cardan_fail(report, status, c->place, "%s '%s': at t = %.9g s %s is not finite (%s)", c->what, c->name,
                           b->t, part, before);
    if (!isfinite(b->after) && b->order == 2)
        return cardan_fail(
            report, status, c->place,
            "%s '%s': at t = %.9g s the acceleration of its law is infinite (%s just before), and so are "
            "forces; end the run before, or give a law whose acceleration stays finite",
            c->what, c->name, b->t, before);
    if (!isfinite(b->after))
        return cardan_fail(
            report, status, c->place,
            "%s '%s': beyond t = %.9g s %s is not finite (%s after %s); end the run there, or give a law that goes on",
            c->what, c->name, b->t, part, after, before);
    return cardan_fail(
        report, status, c->place,
        "%s '%s': at t = %.9g s %s jumps from %s to %s, and no motion follows that; step() and smoothstep() lead over",
        c->what, c->name, b->t, part, before, after);
}

cardan_status cd_check_laws(cardan_data* d, cardan_report* report)
{
    for (int i = 0; i < d->m->nmotion; ++i) {
        const moment x     = moment_of(d, i, d->t);
        const int    order = not_finite(&x);
        if (order < 3)
            return cd_fail_law(
                d, &(cd_law_break){.law = i, .t = d->t, .order = order, .before = x.x[order], .after = x.x[order]},
                CARDAN_BAD_INPUT, report);
    }
    for (int i = 0; i < d->closure.nconstraint; ++i) {
        const cd_constraint* c = &d->closure.constraint[i];
        const moment         x = is_length(c) ? moment_of(d, c->law[0] - 1, d->t) : (moment){.x = {1}};
        if (!(x.x[0] > 0))
            return cd_fail_law(d,
                               &(cd_law_break){.law = c->law[0] - 1, .before = x.x[0], .vanishes = true, .zero = d->t},
                               CARDAN_BAD_INPUT, report);
    }
    return CARDAN_OK;
}

// ---- rates that jump

// The first of a law, and how many there are.
typedef struct kinks {
    int          count;
    cd_law_break first;
} kinks;

static void warn_kinks(const cardan_data* d, const kinks* k, cardan_report* report)
{
    const cd_law_break*  b    = &k->first;
    int                  row  = 0;
    const cd_constraint* c    = owner_of(d, b->law, &row);
    const char*          unit = c ? unit_of(c, row, 1) : "";
    char                 more[60];
    if (!c) return;
    snprintf(more, sizeof more, k->count > 1 ? " (and %d time%s more)" : "", k->count - 1, k->count > 2 ? "s" : "");
    cardan_warn(report, c->place,
                "%s '%s': at t = %.9g s the rate of its law jumps from %.6g%s to %.6g%s%s: velocities jump with it, "
                "and the force that does it is infinite for an instant and not in the results; step() and "
                "smoothstep() lead over",
                c->what, c->name, b->t, b->before, unit, b->after, unit, more);
}

typedef struct search {
    cardan_data*  d;
    kinks*        of;           // (nmotion)
    moment *      a, *b, *last; // (nmotion) ends of a window, and of what is left of it
    cd_kink*      at;
    int           count, most;
    cd_law_break* ends; // where one does
    bool          ended;
} search;

// What stands beside the last one belongs to it, as `beside` says.
static bool keep_kink(search* s, const cd_law_break* b)
{
    const cd_kink kink   = {nextafter(b->t, -INFINITY), nextafter(b->then, INFINITY)};
    const bool    joined = s->count > 0 && kink.before <= s->at[s->count - 1].after;
    if (!joined && s->count == s->most) {
        const int most = s->most ? 2 * s->most : 16;
        cd_kink*  more = realloc(s->at, (size_t)most * sizeof *more);
        if (!more) return false;
        s->at   = more;
        s->most = most;
    }
    if (joined)
        s->at[s->count - 1].after = fmax(s->at[s->count - 1].after, kink.after);
    else
        s->at[s->count++] = kink;
    if (s->of[b->law].count == 0) s->of[b->law].first = *b;
    if (s->of[b->law].count == 0 || !joined) ++s->of[b->law].count;
    return true;
}

// All between a and b.
static bool search_window(search* s)
{
    const size_t size  = (size_t)s->d->m->nmotion * sizeof *s->a;
    cd_law_break found = {0};
    memcpy(s->last, s->a, size);
    for (int i = 0; i < KINKS_IN_WINDOW && breaks_within(s->d, 1, s->last, s->b, &found); ++i) {
        s->ended = !isfinite(found.after);
        if (s->ended) *s->ends = found;
        if (s->ended || !(found.then > found.t)) break;
        if (!keep_kink(s, &found)) return false;
        moments_at(s->d, found.then, s->last);
    }
    memcpy(s->a, s->b, size);
    return true;
}

int cd_law_kinks(cardan_data* d, double from, double to, cd_kink** at, cd_law_break* ends, bool* ended,
                 cardan_report* report)
{
    const size_t n = (size_t)d->m->nmotion;
    search       s = {.d = d, .ends = ends};
    *at            = NULL;
    *ended         = false;
    if (n == 0 || !(to > from)) return 0;
    s.of      = cd_allocate(n, sizeof *s.of);
    s.a       = cd_allocate(3 * n, sizeof *s.a);
    bool good = s.of && s.a;
    if (good) {
        s.b    = s.a + n;
        s.last = s.b + n;
        moments_at(d, from, s.a);
    }
    for (int k = 1; k <= KINK_WINDOWS && good && !s.ended; ++k) {
        moments_at(d, k == KINK_WINDOWS ? to : from + (to - from) / KINK_WINDOWS * k, s.b);
        good = search_window(&s);
    }
    for (size_t i = 0; i < n && good; ++i)
        if (s.of[i].count > 0) warn_kinks(d, &s.of[i], report);
    free(s.of);
    free(s.a);
    laws_at(d, d->t);
    *at    = s.at;
    *ended = s.ended;
    return good ? s.count : -1;
}

// ---- curves

// A law goes by `bound` between two times: when; NAN: never.
static double goes_by(cardan_data* d, int law, double bound, moment a, moment b)
{
    const int way = b.x[0] > a.x[0] ? 1 : -1;
    if (!(way * (bound - a.x[0]) >= 0 && way * (b.x[0] - bound) > unseen)) return NAN;
    for (int i = 0; i < HALVINGS; ++i) {
        const moment x                          = moment_at(d, law, a.t + (b.t - a.t) / 2);
        *(way * (x.x[0] - bound) > 0 ? &b : &a) = x;
    }
    return b.t;
}

// First time between two at which a law leads round a corner of the curve, or with `ends` beyond its ends; NAN: never.
static double leads_over(cardan_data* d, const cardan_curve* curve, int law, bool ends, double from, double to)
{
    moment a = moment_at(d, law, from);
    double first, last, t = NAN;
    cd_curve_domain(curve, &first, &last);
    if (ends && (a.x[0] < first - unseen || a.x[0] > last + unseen)) return from;
    for (int k = 1; k <= WINDOWS && !isfinite(t); ++k) {
        const moment b   = moment_at(d, law, k == WINDOWS ? to : from + (to - from) / WINDOWS * k);
        const int    way = b.x[0] > a.x[0] ? 1 : -1;
        t = goes_by(d, law, !ends ? cd_curve_next_corner(curve, true, a.x[0], way) : way > 0 ? last : first, a, b);
        a = b;
    }
    return t;
}

void cd_warn_curves(cardan_data* d, double from, double to, bool corners, cardan_report* report)
{
    for (int i = 0; i < d->closure.nconstraint; ++i) {
        const cd_constraint* c = &d->closure.constraint[i];
        if (!c->curve || !c->driven) continue;
        const double corner = corners && cd_curve_has_corner(c->curve, true)
                                  ? leads_over(d, c->curve, c->law[0] - 1, false, from, to)
                                  : NAN;
        const double end    = cd_curve_wraps(c->curve) ? NAN : leads_over(d, c->curve, c->law[0] - 1, true, from, to);
        if (isfinite(corner))
            cardan_warn(report, c->place,
                        "%s '%s': at t = %.9g s its law leads round a corner of its curve, where velocities jump: "
                        "forces are infinite for an instant there, and results do not have "
                        "them; a curve of degree 2 or more with simple knots has no corners",
                        c->what, c->name, corner);
        if (isfinite(end))
            cardan_warn(
                report, c->place,
                "%s '%s': from t = %.9g s on its law leads beyond the end of its curve, which goes on straight there",
                c->what, c->name, end);
    }
    laws_at(d, d->t);
}
