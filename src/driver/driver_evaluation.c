// SPDX-License-Identifier: BSD-3-Clause
// Laws are looked at over windows of time. Between the ends of a window a smooth law x with rate v and acceleration a
// leaves, of its Taylor series from both ends,
//
//   e = x1 - x0 - h/2 (v0 + v1) - h^2/12 (a0 - a1) = O(h^5),        and its rate   v1 - v0 - h/2 (a0 + a1) = O(h^3)
//
// and a jump by J leaves J, however small h is. So windows that leave something are halved towards the larger half
// until nothing is left, or no time is.
#include "driver/driver_evaluation.h"

#include <math.h>
#include <string.h>

static const double jump_neighbourhood = 1e-12; // s, and its part of the time: beside a jump

void cd_evaluate_drivers(cardan_data* d, double t)
{
    cd_constraint_set_evaluate_drivers(d->m, t, &d->constraints);
    for (int i = 0; i < d->m->ndriver_function; ++i)
        if (d->is_driver_external[i])
            memcpy(d->constraints.driver_values + 3 * i, d->external_driver_values + 3 * i, 3 * sizeof(double));
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

// What a window leaves of the value (0) or the rate (1); or of the rate by the acceleration of one end alone (2), which
// is O(h^2), but hides no infinite one: by those of both some |t|^p leave nothing between two times.
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

// a is sound and b is not: to where it ends.
static void bisect_domain_end(cardan_data* d, int driver, cd_driver_evaluation* a, cd_driver_evaluation* b)
{
    for (int i = 0; i < CD_DRIVER_BISECTIONS; ++i) {
        const double t = a->t + (b->t - a->t) / 2;
        if (!(t > a->t && t < b->t)) return;
        const cd_driver_evaluation x            = cd_evaluate_driver(d, driver, t);
        *(cd_first_not_finite(&x) == 3 ? a : b) = x;
    }
}

// By one end alone to the last, where something may be no number though rates leave too little to see.
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

// Both are sound: false where all is smooth; true: between them, next to each other, it jumps, or something is no
// number.
static bool locate_jump(cardan_data* d, int driver, int order, cd_driver_evaluation* a, cd_driver_evaluation* b)
{
    const cd_driver_evaluation first = *a, last = *b;
    const bool                 may_jump = taylor_defect(a, b, order) > defect_tolerance(a, b, order);
    if (!may_jump || bisect_jump(d, driver, order, a, b)) return may_jump;
    *a = first;
    *b = last;
    return order == RATE_DEFECT && bisect_jump(d, driver, ONE_SIDED_RATE_DEFECT, a, b);
}

// At the very instant of a jump a law may be neither what it was nor what it will be, as the rate of |t| at 0: what it
// is a cd_driver_evaluation before or after.
static double one_sided_value(cardan_data* d, int driver, int order, const cd_driver_evaluation* evaluation,
                              int direction)
{
    const cd_driver_evaluation x =
        cd_evaluate_driver(d, driver, evaluation->t + direction * jump_neighbourhood * fmax(1, fabs(evaluation->t)));
    return cd_first_not_finite(&x) == 3 &&
                   fabs(x.x[order] - evaluation->x[order]) > defect_tolerance(&x, evaluation, order)
               ? x.x[order]
               : evaluation->x[order];
}

// Beside an instant at which the acceleration is infinite, as that of |t|^1.5, it explains what the rate changes by,
// however short the window is; beside a jump it is nothing.
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
        if (d->is_driver_external[i] || !find_breakpoint(d, i, order, a[i], b[i], &here) ||
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
