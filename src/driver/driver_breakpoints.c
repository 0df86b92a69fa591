// SPDX-License-Identifier: BSD-3-Clause
// Breakpoints of driver functions, searched over windows of time (driver_evaluation.c).
//
// A driven length that becomes zero ends a motion, too: two coincident points have no direction. Before that a
// pendulum on such a rod rotates faster and faster, by an angle that grows as 1/length; therefore the motion ends
// where the length is a small fraction of its maximum.
#include "driver/driver_evaluation.h"
#include "driver/driver_tolerances.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WINDOWS = 1024 };

static bool find_first_breakpoint(cardan_data* d, double from, double to, cd_driver_breakpoint* first, bool* found)
{
    const size_t          n    = (size_t)d->m->ndriver_function;
    cd_driver_evaluation* last = cd_allocate(2 * n, sizeof *last);
    if (!last) return false;
    cd_driver_evaluation* here = last + n;
    for (int k = 0; k <= WINDOWS && !*found; ++k) {
        cd_evaluate_all_drivers(d, k == WINDOWS ? to : from + (to - from) / WINDOWS * k, here);
        *found = cd_find_breakpoint_in_window(d, 0, k > 0 ? last : here, here, first);
        memcpy(last, here, n * sizeof *last);
    }
    free(last);
    cd_evaluate_drivers(d, d->t);
    return true;
}

// ---- vanishing lengths

static bool is_driven_length(const cd_constraint* c)
{
    return c->type == cd_constraint_type_find("distance") && c->driver_number[0] > 0;
}

// First time between a, where the length is above limit, and b, where it is not.
static double falls_below(cardan_data* d, int driver, double limit, double a, double b)
{
    for (int i = 0; i < CD_DRIVER_BISECTIONS; ++i) {
        const double t = a + (b - a) / 2;
        if (!(t > a && t < b)) break;
        *(cd_evaluate_driver(d, driver, t).x[0] > limit ? &a : &b) = t;
    }
    return b;
}

// Minimum of the length in a window with negative rate at its start and positive rate at its end.
static cd_driver_evaluation minimum_length(cardan_data* d, int driver, cd_driver_evaluation a, cd_driver_evaluation b)
{
    for (int i = 0; i < CD_DRIVER_BISECTIONS && a.x[1] < 0 && b.x[1] > 0; ++i) {
        const double t = a.t + (b.t - a.t) / 2;
        if (!(t > a.t && t < b.t)) break;
        const cd_driver_evaluation x = cd_evaluate_driver(d, driver, t);
        *(x.x[1] < 0 ? &a : &b)      = x;
    }
    return a.x[0] < b.x[0] ? a : b;
}

static bool find_vanishing_length(cardan_data* d, int driver, double from, double to, cd_driver_breakpoint* found)
{
    cd_driver_evaluation last = cd_evaluate_driver(d, driver, from), last_long = last;
    double               max_length = 0;
    for (int k = 0; k <= WINDOWS; ++k) {
        const cd_driver_evaluation here =
            cd_evaluate_driver(d, driver, k == WINDOWS ? to : from + (to - from) / WINDOWS * k);
        const cd_driver_evaluation minimum = minimum_length(d, driver, last, here);
        max_length                         = fmax(max_length, here.x[0]);
        if (!(minimum.x[0] > cd_driver_jump_roundoff * max_length)) {
            const double t_zero = k == 0             ? from
                                  : minimum.x[0] > 0 ? minimum.t
                                                     : falls_below(d, driver, 0, last.t, minimum.t);
            const double t = k > 0 ? falls_below(d, driver, cd_min_rod_ratio * max_length, last_long.t, t_zero) : from;
            *found         = (cd_driver_breakpoint){.driver          = driver,
                                                    .t_before        = t,
                                                    .value_before    = k == 0 ? minimum.x[0] : 0,
                                                    .length_vanishes = true,
                                                    .t_zero          = t_zero};
            return true;
        }
        if (here.x[0] > cd_min_rod_ratio * max_length) last_long = here;
        last = here;
    }
    return false;
}

static bool find_first_vanishing_length(cardan_data* d, double from, double to, cd_driver_breakpoint* first)
{
    bool found = false;
    for (int i = 0; i < d->constraints.nconstraint; ++i) {
        const cd_constraint* c = &d->constraints.constraint[i];
        cd_driver_breakpoint b;
        if (!is_driven_length(c) || d->external.is_driver_external[c->driver_number[0] - 1] ||
            !find_vanishing_length(d, c->driver_number[0] - 1, from, to, &b) || (found && b.t_zero >= first->t_zero))
            continue;
        *first = b;
        found  = true;
    }
    cd_evaluate_drivers(d, d->t);
    return found;
}

bool cd_find_driver_breakpoint(cardan_data* d, double from, double to, cd_driver_breakpoint* first, bool* found)
{
    cd_driver_breakpoint vanishing;
    *found = false;
    if (d->m->ndriver_function == 0) return true;
    if (!find_first_breakpoint(d, from, to, first, found)) return false;
    if (!find_first_vanishing_length(d, from, *found ? first->t_before : to, &vanishing)) return true;
    *first = vanishing;
    *found = true;
    return true;
}

// ---- messages

// "inf rad", or "not a number".
static void format_value(double x, const char* unit, char text[60])
{
    if (isnan(x))
        snprintf(text, 60, "not a number");
    else
        snprintf(text, 60, "%.6g%s", x, unit);
}

static const char* const derivative_names[3] = {"its driver function", "the rate of its driver function",
                                                "the acceleration of its driver function"};

cardan_status cd_fail_driver_breakpoint(const cardan_data* d, const cd_driver_breakpoint* b, cardan_status status,
                                        cardan_report* report)
{
    int                  row = 0;
    const cd_constraint* c   = cd_constraint_of_driver(d, b->driver, &row);
    if (b->length_vanishes && c)
        return cardan_fail(report, status, CARDAN_CODE_DRIVER_UNDEFINED, c->location,
                           b->value_before < 0
                               ? "%s '%s': at t = %.9g s its length is %.6g m, but must be positive"
                               : "%s '%s': at t = %.9g s its length becomes zero, and points that coincide have no "
                                 "direction; end the run before, or use a driver function that stays positive",
                           c->category, c->name, b->t_zero, b->value_before);
    if (!c)
        return cardan_fail(report, status, CARDAN_CODE_DRIVER_UNDEFINED, cardan_location_none(),
                           "a driver function of '%s' is not defined after t = %.9g s", d->m->view.name, b->t_before);
    const char *unit = cd_driver_unit(c, row, b->order), *part = derivative_names[b->order];
    char        before[60], after[60];
    format_value(b->value_before, unit, before);
    format_value(b->value_after, unit, after);
    if (!isfinite(b->value_before))
        return cardan_fail(report, status, CARDAN_CODE_DRIVER_UNDEFINED, c->location,
                           "%s '%s': at t = %.9g s %s is not finite (%s)", c->category, c->name, b->t_before, part,
                           before);
    if (!isfinite(b->value_after) && b->order == 2)
        return cardan_fail(
            report, status, CARDAN_CODE_DRIVER_UNDEFINED, c->location,
            "%s '%s': at t = %.9g s the acceleration of its driver function is infinite (%s just before), and so are "
            "forces; end the run before, or use a driver function with finite acceleration",
            c->category, c->name, b->t_before, before);
    if (!isfinite(b->value_after))
        return cardan_fail(report, status, CARDAN_CODE_DRIVER_UNDEFINED, c->location,
                           "%s '%s': beyond t = %.9g s %s is not finite (%s after %s); end the run there, or use a "
                           "driver function that is defined longer",
                           c->category, c->name, b->t_before, part, after, before);
    return cardan_fail(report, status, CARDAN_CODE_DRIVER_DISCONTINUITY, c->location,
                       "%s '%s': at t = %.9g s %s is discontinuous, from %s to %s, which no motion can follow; use "
                       "step() or smoothstep() for a smooth transition",
                       c->category, c->name, b->t_before, part, before, after);
}

cardan_status cd_check_drivers(cardan_data* d, cardan_report* report)
{
    for (int i = 0; i < d->m->ndriver_function; ++i) {
        const cd_driver_evaluation x     = cd_current_driver_evaluation(d, i, d->t);
        const int                  order = cd_first_not_finite(&x);
        if (order < 3)
            return cd_fail_driver_breakpoint(d,
                                             &(cd_driver_breakpoint){.driver       = i,
                                                                     .t_before     = d->t,
                                                                     .order        = order,
                                                                     .value_before = x.x[order],
                                                                     .value_after  = x.x[order]},
                                             CARDAN_BAD_INPUT, report);
    }
    for (int i = 0; i < d->constraints.nconstraint; ++i) {
        const cd_constraint*       c = &d->constraints.constraint[i];
        const cd_driver_evaluation x = is_driven_length(c)
                                           ? cd_current_driver_evaluation(d, c->driver_number[0] - 1, d->t)
                                           : (cd_driver_evaluation){.x = {1}};
        if (!(x.x[0] > 0))
            return cd_fail_driver_breakpoint(
                d,
                &(cd_driver_breakpoint){
                    .driver = c->driver_number[0] - 1, .value_before = x.x[0], .length_vanishes = true, .t_zero = d->t},
                CARDAN_BAD_INPUT, report);
    }
    return CARDAN_OK;
}
