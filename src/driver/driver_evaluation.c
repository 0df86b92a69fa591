// SPDX-License-Identifier: BSD-3-Clause
// Driver functions are searched for discontinuities over windows of time. Between the ends of a window a smooth
// function x with rate v and acceleration a has the defect of its two-sided Taylor expansion
//
//   e = x1 - x0 - h/2 (v0 + v1) - h^2/12 (a0 - a1) = O(h^5),        and its rate   v1 - v0 - h/2 (a0 + a1) = O(h^3)
//
// and a jump by J has the defect J for any h. Windows with a defect are therefore bisected, towards the half with the
// larger defect, until the defect vanishes or the times are adjacent numbers.
#include "driver/driver_evaluation.h"
#include "driver/driver_tolerances.h"

#include "dynamics/reactions/driver_efforts.h"

#include <math.h>

void cd_evaluate_drivers(cardan_data* d, double t)
{
    cd_constraint_set_evaluate_drivers(d->m, t, &d->constraints);
    cd_replace_external_drivers(d, t);
}

cd_driver_evaluation cd_current_driver_evaluation(const cardan_data* d, int driver, double t)
{
    const double* x = d->constraints.driver_values + 3 * driver;
    return (cd_driver_evaluation){t, {x[0], x[1], x[2]}};
}

cd_driver_evaluation cd_evaluate_driver(cardan_data* d, int driver, double t)
{
    cd_evaluate_drivers(d, t);
    return cd_current_driver_evaluation(d, driver, t);
}

int cd_first_not_finite(const cd_driver_evaluation* x)
{
    int order = 0;
    while (order < 3 && isfinite(x->x[order])) ++order;
    return order;
}

// Defect of a window: of the value (0), of the rate (1), or of the rate with the acceleration of one end (2), which
// is O(h^2) but detects infinite accelerations: with those of both ends the defect of some |t|^p is zero between two
// times.
enum { VALUE_DEFECT, RATE_DEFECT, ONE_SIDED_RATE_DEFECT };
static double taylor_defect(const cd_driver_evaluation* a, const cd_driver_evaluation* b, int order)
{
    const double h = b->t - a->t;
    if (order == ONE_SIDED_RATE_DEFECT)
        return fmax(fabs(b->x[1] - a->x[1] - h * a->x[2]), fabs(b->x[1] - a->x[1] - h * b->x[2]));
    if (order == 1) return fabs(b->x[1] - a->x[1] - h / 2 * (a->x[2] + b->x[2]));
    return fabs(b->x[0] - a->x[0] - h / 2 * (a->x[1] + b->x[1]) - h * h / 12 * (a->x[2] - b->x[2]));
}

static double defect_tolerance(const cd_driver_evaluation* a, const cd_driver_evaluation* b, int order)
{
    return cd_driver_jump_roundoff * (1 + fmax(fabs(a->x[order]), fabs(b->x[order])));
}

// Bisect to the end of the domain; a is finite, b is not.
static void bisect_domain_end(cardan_data* d, int driver, cd_driver_evaluation* a, cd_driver_evaluation* b)
{
    for (int i = 0; i < CD_DRIVER_BISECTIONS; ++i) {
        const double t = a->t + (b->t - a->t) / 2;
        if (!(t > a->t && t < b->t)) return;
        const cd_driver_evaluation x            = cd_evaluate_driver(d, driver, t);
        *(cd_first_not_finite(&x) == 3 ? a : b) = x;
    }
}

// Bisect to a jump. The one-sided defect is bisected to adjacent numbers, because a function may be undefined there
// although the defect of the rate is below the tolerance.
static bool bisect_jump(cardan_data* d, int driver, int defect, cd_driver_evaluation* a, cd_driver_evaluation* b)
{
    const int order = defect == VALUE_DEFECT ? 0 : 1;
    for (int i = 0; i < CD_DRIVER_BISECTIONS &&
                    (defect == ONE_SIDED_RATE_DEFECT || taylor_defect(a, b, defect) > defect_tolerance(a, b, order));
         ++i) {
        const double t = a->t + (b->t - a->t) / 2;
        if (!(t > a->t && t < b->t)) break;
        const cd_driver_evaluation x = cd_evaluate_driver(d, driver, t);
        if (cd_first_not_finite(&x) < 3) {
            *b = x;
            bisect_domain_end(d, driver, a, b);
            return true;
        }
        *(taylor_defect(a, &x, defect) > taylor_defect(&x, b, defect) ? b : a) = x;
    }
    const double h = b->t - a->t, smooth_change = h * (fabs(a->x[order + 1]) + fabs(b->x[order + 1]));
    return taylor_defect(a, b, defect) > defect_tolerance(a, b, order) &&
           fabs(b->x[order] - a->x[order]) > 0.1 * smooth_change;
}

// Both ends are finite. Returns false if the function is smooth; true if it jumps between the adjacent times a and b
// or is not finite there.
static bool locate_jump(cardan_data* d, int driver, int order, cd_driver_evaluation* a, cd_driver_evaluation* b)
{
    const cd_driver_evaluation first = *a, last = *b;
    const bool                 may_jump = taylor_defect(a, b, order) > defect_tolerance(a, b, order);
    if (!may_jump || bisect_jump(d, driver, order, a, b)) return may_jump;
    *a = first;
    *b = last;
    return order == RATE_DEFECT && bisect_jump(d, driver, ONE_SIDED_RATE_DEFECT, a, b);
}

// At the time of a jump the value may be neither the left nor the right limit, as the rate of |t| at 0: evaluate the
// function shortly before or after.
static double one_sided_value(cardan_data* d, int driver, int order, const cd_driver_evaluation* evaluation,
                              int direction)
{
    const cd_driver_evaluation x = cd_evaluate_driver(
        d, driver, evaluation->t + direction * cd_driver_jump_neighbourhood * fmax(1, fabs(evaluation->t)));
    return cd_first_not_finite(&x) == 3 &&
                   fabs(x.x[order] - evaluation->x[order]) > defect_tolerance(&x, evaluation, order)
               ? x.x[order]
               : evaluation->x[order];
}

// Near a time of infinite acceleration, as of |t|^1.5, the acceleration explains the change of the rate in any
// window, however short; near a jump of the rate it does not.
static bool acceleration_is_unbounded(const cd_driver_evaluation* a, const cd_driver_evaluation* b)
{
    return 10 * (b->t - a->t) * (fabs(a->x[2]) + fabs(b->x[2])) > fabs(b->x[1] - a->x[1]);
}

static bool find_breakpoint(cardan_data* d, int driver, int order, cd_driver_evaluation a, cd_driver_evaluation b,
                            cd_driver_breakpoint* found)
{
    bool jumps = false;
    if (cd_first_not_finite(&a) < 3)
        b = a;
    else if (cd_first_not_finite(&b) < 3)
        bisect_domain_end(d, driver, &a, &b);
    else if (!(jumps = locate_jump(d, driver, order, &a, &b)))
        return false;
    const int last = cd_first_not_finite(&b), what = last < 3 ? last : order;
    *found = (cd_driver_breakpoint){.driver       = driver,
                                    .t_before     = a.t,
                                    .t_after      = b.t,
                                    .order        = what,
                                    .value_before = a.x[what],
                                    .value_after  = b.x[what]};
    if (jumps && last == 3) {
        found->value_before = one_sided_value(d, driver, order, &a, -1);
        found->value_after  = one_sided_value(d, driver, order, &b, 1);
    }
    if (jumps && order == 1 && last >= 2 && (last == 2 || acceleration_is_unbounded(&a, &b))) {
        found->order        = 2;
        found->value_before = a.x[2];
        found->value_after  = copysign(INFINITY, a.x[2]);
    }
    return true;
}

void cd_evaluate_all_drivers(cardan_data* d, double t, cd_driver_evaluation* x)
{
    cd_evaluate_drivers(d, t);
    for (int i = 0; i < d->m->ndriver_function; ++i) x[i] = cd_current_driver_evaluation(d, i, t);
}

bool cd_find_breakpoint_in_window(cardan_data* d, int order, const cd_driver_evaluation* a,
                                  const cd_driver_evaluation* b, cd_driver_breakpoint* first)
{
    bool found = false;
    for (int i = 0; i < d->m->ndriver_function; ++i) {
        cd_driver_breakpoint here;
        if (d->external.is_driver_external[i] || !find_breakpoint(d, i, order, a[i], b[i], &here) ||
            (found && here.t_before >= first->t_before))
            continue;
        *first = here;
        found  = true;
    }
    return found;
}

const cd_constraint* cd_constraint_of_driver(const cardan_data* d, int driver, int* row)
{
    for (int c = 0; c < d->constraints.nconstraint; ++c)
        for (*row = 0; *row < d->constraints.constraint[c].nrow; ++*row)
            if (d->constraints.constraint[c].driven_rows >> *row & 1 &&
                cd_driver_of_row(&d->constraints.constraint[c], *row) == driver)
                return &d->constraints.constraint[c];
    return NULL;
}

const char* cd_driver_unit(const cd_constraint* c, int row, int order)
{
    static const char* const units[2][3] = {{" m", " m/s", " m/s^2"}, {" rad", " rad/s", " rad/s^2"}};
    if (c->curve) return order == 0 ? "" : order == 1 ? " 1/s" : " 1/s^2";
    return units[cd_row_is_torque(c, row)][order];
}
