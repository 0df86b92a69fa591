// SPDX-License-Identifier: BSD-3-Clause
// Rates of laws that jump: all of them, over windows of time (law_moments.c). What one of them leaves behind it is
// looked at again.
#include "dynamics/law_moments.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WINDOWS = 4096, IN_WINDOW = 64 };
static const double some_roundings = 64;

// The first of a law, and how many there are.
typedef struct kinks {
    int          count;
    cd_law_break first;
} kinks;

static void warn_kinks(const cardan_data* d, const kinks* k, cardan_report* report)
{
    const cd_law_break*  b        = &k->first;
    int                  row      = 0;
    const cd_constraint* c        = cd_law_owner(d, b->law, &row);
    const char*          unit     = c ? cd_law_unit(c, row, 1) : "";
    char                 more[60] = "";
    if (!c) return;
    if (k->count > 1) snprintf(more, sizeof more, " (and %d time%s more)", k->count - 1, k->count > 2 ? "s" : "");
    cardan_warn(report, CARDAN_CODE_DRIVER_VELOCITY_DISCONTINUITY, c->place,
                "%s '%s': at t = %.9g s the rate of its law jumps from %.6g%s to %.6g%s%s: velocities jump with it, "
                "and the force that does it is infinite for an instant and not in the results; step() and "
                "smoothstep() lead over",
                c->what, c->name, b->t, b->before, unit, b->after, unit, more);
}

typedef struct search {
    cardan_data*   d;
    double         from;
    kinks*         of;           // (nmotion)
    cd_law_moment *a, *b, *last; // (nmotion) ends of a window, and of what is left of it
    cd_kink*       at;
    int            count, most;
    cd_law_break*  ends; // where one does
    bool           ended;
} search;

// What stands beside the last one belongs to it: at the very instant a rate may be neither what it was nor what it will
// be, as that of |3t - 1|, and that as long as 3t is 1 by rounding. Where laws begin there is nothing before.
static bool keep_kink(search* s, const cd_law_break* b)
{
    const double  about  = some_roundings * DBL_EPSILON * fmax(1, fabs(b->t));
    const cd_kink kink   = {b->t - about, b->then + about};
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
    if (s->at[s->count - 1].before <= s->from) return true;
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
    for (int i = 0; i < IN_WINDOW && cd_breaks_within(s->d, 1, s->last, s->b, &found); ++i) {
        s->ended = !isfinite(found.after);
        if (s->ended) *s->ends = found;
        if (s->ended || !(found.then > found.t)) break;
        if (!keep_kink(s, &found)) return false;
        cd_moments_at(s->d, found.then, s->last);
    }
    memcpy(s->a, s->b, size);
    return true;
}

int cd_law_kinks(cardan_data* d, double from, double to, cd_kink** at, cd_law_break* ends, bool* ended,
                 cardan_report* report)
{
    const size_t n = (size_t)d->m->nmotion;
    search       s = {.d = d, .from = from, .ends = ends};
    *at            = NULL;
    *ended         = false;
    if (n == 0 || !(to > from)) return 0;
    s.of      = cd_allocate(n, sizeof *s.of);
    s.a       = cd_allocate(3 * n, sizeof *s.a);
    bool good = s.of && s.a;
    if (good) {
        s.b    = s.a + n;
        s.last = s.b + n;
        cd_moments_at(d, from, s.a);
    }
    for (int k = 1; k <= WINDOWS && good && !s.ended; ++k) {
        cd_moments_at(d, k == WINDOWS ? to : from + (to - from) / WINDOWS * k, s.b);
        good = search_window(&s);
    }
    for (size_t i = 0; i < n && good; ++i)
        if (s.of[i].count > 0) warn_kinks(d, &s.of[i], report);
    free(s.of);
    free(s.a);
    cd_laws_at(d, d->t);
    *at    = s.at;
    *ended = s.ended;
    return good ? s.count : -1;
}
