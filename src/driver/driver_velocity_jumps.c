// SPDX-License-Identifier: BSD-3-Clause
// All jumps of the rates of driver functions, over windows of time (driver_evaluation.c). The part of a window behind
// a jump is searched again.
#include "driver/driver_evaluation.h"
#include "driver/driver_tolerances.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WINDOWS = 4096, MAX_PER_WINDOW = 64 };

// First jump of a driver function, and number of its jumps.
typedef struct jump_summary {
    int                  count;
    cd_driver_breakpoint first;
} jump_summary;

static void warn_velocity_jumps(const cardan_data* d, const jump_summary* k, cardan_report* report)
{
    const cd_driver_breakpoint* b        = &k->first;
    int                         row      = 0;
    const cd_constraint*        c        = cd_constraint_of_driver(d, b->driver, &row);
    const char*                 unit     = c ? cd_driver_unit(c, row, 1) : "";
    char                        more[60] = "";
    if (!c) return;
    if (k->count > 1) snprintf(more, sizeof more, " (and %d time%s more)", k->count - 1, k->count > 2 ? "s" : "");
    cardan_warn(report, CARDAN_CODE_DRIVER_VELOCITY_DISCONTINUITY, c->location,
                "%s '%s': at t = %.9g s the rate of its driver function is discontinuous, from %.6g%s to %.6g%s%s: "
                "velocities are discontinuous too, and results do not contain the impulse; use step() or smoothstep() "
                "for a smooth transition",
                c->category, c->name, b->t_before, b->value_before, unit, b->value_after, unit, more);
}

typedef struct jump_search {
    cardan_data*          d;
    double                from;
    jump_summary*         per_driver;           // (ndriver_function)
    cd_driver_evaluation *a, *b, *window_start; // (ndriver_function) window; start of its remaining part
    cd_time_interval*     jumps;
    int                   count, capacity;
    cd_driver_breakpoint* breakpoint; // set if the search ends early
    bool                  ended;
} jump_search;

// Add a jump, or extend the last one if it is adjacent: at the time of a jump the rate may be neither the left nor
// the right limit, as that of |3t - 1|, for all times at which 3t rounds to 1. A jump at the start is not counted for
// the warning.
static bool add_jump(jump_search* s, const cd_driver_breakpoint* b)
{
    const double           margin    = cd_driver_jump_half_width * DBL_EPSILON * fmax(1, fabs(b->t_before));
    const cd_time_interval jump      = {b->t_before - margin, b->t_after + margin};
    const bool             is_joined = s->count > 0 && jump.t_before <= s->jumps[s->count - 1].t_after;
    if (!is_joined && s->count == s->capacity) {
        const int         capacity = s->capacity ? 2 * s->capacity : 16;
        cd_time_interval* grown    = realloc(s->jumps, (size_t)capacity * sizeof *grown);
        if (!grown) return false;
        s->jumps    = grown;
        s->capacity = capacity;
    }
    if (is_joined)
        s->jumps[s->count - 1].t_after = fmax(s->jumps[s->count - 1].t_after, jump.t_after);
    else
        s->jumps[s->count++] = jump;
    if (s->jumps[s->count - 1].t_before <= s->from) return true;
    if (s->per_driver[b->driver].count == 0) s->per_driver[b->driver].first = *b;
    if (s->per_driver[b->driver].count == 0 || !is_joined) ++s->per_driver[b->driver].count;
    return true;
}

// Find all jumps between a and b.
static bool search_window(jump_search* s)
{
    const size_t         size  = (size_t)s->d->m->ndriver_function * sizeof *s->a;
    cd_driver_breakpoint found = {0};
    memcpy(s->window_start, s->a, size);
    for (int i = 0; i < MAX_PER_WINDOW && cd_find_breakpoint_in_window(s->d, 1, s->window_start, s->b, &found); ++i) {
        s->ended = !isfinite(found.value_after);
        if (s->ended) *s->breakpoint = found;
        if (s->ended || !(found.t_after > found.t_before)) break;
        if (!add_jump(s, &found)) return false;
        cd_evaluate_all_drivers(s->d, found.t_after, s->window_start);
    }
    memcpy(s->a, s->b, size);
    return true;
}

int cd_find_driver_velocity_jumps(cardan_data* d, double from, double to, cd_time_interval** jumps,
                                  cd_driver_breakpoint* breakpoint, bool* ended, cardan_report* report)
{
    const size_t n = (size_t)d->m->ndriver_function;
    jump_search  s = {.d = d, .from = from, .breakpoint = breakpoint};
    *jumps         = NULL;
    *ended         = false;
    if (n == 0 || !(to > from)) return 0;
    s.per_driver    = cd_allocate(n, sizeof *s.per_driver);
    s.a             = cd_allocate(3 * n, sizeof *s.a);
    bool has_memory = s.per_driver && s.a;
    if (has_memory) {
        s.b            = s.a + n;
        s.window_start = s.b + n;
        cd_evaluate_all_drivers(d, from, s.a);
    }
    for (int k = 1; k <= WINDOWS && has_memory && !s.ended; ++k) {
        cd_evaluate_all_drivers(d, k == WINDOWS ? to : from + (to - from) / WINDOWS * k, s.b);
        has_memory = search_window(&s);
    }
    for (size_t i = 0; i < n && has_memory; ++i)
        if (s.per_driver[i].count > 0) warn_velocity_jumps(d, &s.per_driver[i], report);
    free(s.per_driver);
    free(s.a);
    cd_evaluate_drivers(d, d->t);
    *jumps = s.jumps;
    *ended = s.ended;
    return has_memory ? s.count : -1;
}
