// SPDX-License-Identifier: BSD-3-Clause
// Who takes part where constraints demand what cannot be, in words.
//
//   J a = gamma has no solution   <=>   p = Z Z'gamma is not zero,   J'Z = 0, columns of Z orthonormal
//
// with rows and columns scaled as in stress.c. The combination p of rows asks for p'gamma although it does nothing, p'J
// = 0; rows that have no part in p have none in the contradiction. A formulation that gives up knows the row it gave up
// at, which may be any of those that do. Laws of drivers are where contradictions come from: joints that repeat each
// other agree wherever the mechanism can be. So drivers are named first. At a singular pose p is there by the pose, and
// p'gamma changes with velocities that no row sees: then these are in the way, not the joints.
#include "dynamics/data.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double part   = 1e-4; // of the largest: less is no part
static const double beside = 1e-9; // of gamma: less is its rounding
static const double unseen = 1e-6; // of a motion: less is rounding

// p (nrow) of what rows ask for, x (nrow); the rank of the rows, or -1 where it is not known.
static int take_parts(cardan_data* d, const double* x, double* p)
{
    const int  nrow   = d->rows.nrow;
    cd_stress* stress = &d->reacting.stress;
    const int  rank   = stress->affordable && nrow > 0 ? cd_rank_of_rows(d, stress) : -1;
    for (int i = 0; i < nrow; ++i) p[i] = 0;
    for (int s = rank; s >= 0 && s < nrow; ++s) {
        double sum = 0;
        for (int i = 0; i < nrow; ++i) sum += stress->left[i * nrow + s] * stress->scale[i] * x[i];
        for (int i = 0; i < nrow; ++i) p[i] += sum * stress->left[i * nrow + s];
    }
    return rank;
}

// p (nrow) into `p`; false where it is not known or all but nothing, which *agree tells apart.
static bool find_parts(cardan_data* d, double* p, bool* agree)
{
    const int  nrow   = d->rows.nrow;
    cd_stress* stress = &d->reacting.stress;
    double     size = 0, left = 0;
    const int  rank = take_parts(d, d->gamma, p);
    *agree          = false;
    if (rank < 0) return false;
    for (int i = 0; i < nrow; ++i) {
        size = fmax(size, fabs(stress->scale[i] * d->gamma[i]));
        left = fmax(left, fabs(p[i]));
    }
    *agree = rank >= 0 && !(left > beside * size);
    return rank >= 0 && !*agree;
}

static double share(const cd_constraint* c, const double* p, bool driven)
{
    double most = 0;
    for (int row = 0; row < c->nrow; ++row)
        if (!driven || c->driven >> row & 1) most = fmax(most, fabs(p[c->first_row + row]));
    return most;
}

// Constraint with the largest part.
static int largest_share(const cardan_data* d, const double* p)
{
    int worst = 0;
    for (int i = 1; i < d->closure.nconstraint; ++i)
        if (share(&d->closure.constraint[i], p, false) > share(&d->closure.constraint[worst], p, false)) worst = i;
    return worst;
}

// "driver 'a' and driver 'd'": how many have a part, of which the first is *first.
static int name_drivers(const cardan_data* d, const double* p, double most, int* first, char* text, size_t size)
{
    int    count  = 0;
    size_t length = 0;
    for (int i = 0; i < d->closure.nconstraint; ++i) {
        const cd_constraint* c = &d->closure.constraint[i];
        if (!(share(c, p, true) > part * most)) continue;
        if (length + 100 < size)
            length += (size_t)snprintf(text + length, size - length, "%s%s '%.50s'", count > 0 ? " and " : "", c->what,
                                       c->name);
        if (count++ == 0) *first = i;
    }
    return count;
}

// w = v + x, x a motion that no row sees, as fast as accelerations ask for. v, w: (nv); false where there is none.
static bool other_velocities(cardan_data* d, const double* v, double* w)
{
    const int    nrow = d->rows.nrow, nv = d->m->nv;
    cd_stress*   stress = &d->reacting.stress;
    const int    rank   = cd_rank_of_rows(d, stress);
    const double length = d->reacting.length;
    double       speed = 0, most = 0;
    if (rank < 0) return false;
    cd_scaled_rows(d, stress->J, stress->scale);
    for (int i = 0; i < nv; ++i) w[i] = 1 + 0.37 * sin(1.0 + i);
    for (int k = 0; k < rank; ++k) { // J'u = sigma r
        double along = 0;
        for (int i = 0; i < nrow; ++i)
            for (int j = 0; j < nv; ++j) along += stress->left[i * nrow + k] * stress->J[i * nv + j] * w[j];
        for (int i = 0; i < nrow; ++i)
            for (int j = 0; j < nv; ++j)
                w[j] -= along / pow(stress->sigma[k], 2) * stress->left[i * nrow + k] * stress->J[i * nv + j];
    }
    for (int i = 0; i < nrow; ++i) speed = fmax(speed, sqrt(fabs(stress->scale[i] * d->gamma[i])));
    for (int i = 0; i < nv; ++i) {
        w[i] *= v3_dot(d->k.S[i].a, d->k.S[i].a) > 0 ? 1 : length;
        speed = fmax(speed, fabs(v[i]));
        most  = fmax(most, fabs(w[i]));
    }
    for (int i = 0; i < nv; ++i) w[i] = v[i] + speed * w[i] / most;
    return most > unseen;
}

static double demand(cardan_data* d, const double* p, double* terms)
{
    double sum = 0;
    cd_know_rows(d);
    for (int i = 0; i < d->rows.nrow; ++i) {
        const double term = p[i] * d->reacting.stress.scale[i] * d->gamma[i];
        sum += term;
        *terms += fabs(term);
    }
    return sum;
}

// Whether p'gamma is another with other velocities: the pose is singular. False without memory.
static bool depends_on_velocities(cardan_data* d, const double* p, bool* depends)
{
    const int nv = d->m->nv;
    double*   v  = malloc((2 * (size_t)nv + 1) * sizeof *v);
    *depends     = false;
    if (!v) return false;
    for (int i = 0; i < nv; ++i) v[i] = d->v[i];
    if (other_velocities(d, v, v + nv)) {
        double       terms = 0;
        const double now   = demand(d, p, &terms);
        cd_set_velocity(d, v + nv);
        const double then = demand(d, p, &terms);
        *depends          = fabs(then - now) > part * fabs(now) + beside * terms;
        cd_set_velocity(d, v);
        cd_know_rows(d);
    }
    free(v);
    return true;
}

// A driver whose acceleration there may be with other velocities.
static cardan_status fail_dead(cardan_data* d, const double* p, int driver, const char* who, cardan_report* report)
{
    const cd_constraint* c = NULL; // what holds against it
    for (int i = 0; i < d->closure.nconstraint; ++i)
        if (d->closure.constraint[i].driven == 0 &&
            (!c || share(&d->closure.constraint[i], p, false) > share(c, p, false)))
            c = &d->closure.constraint[i];
    return cardan_fail(
        report, CARDAN_INCONSISTENT, CARDAN_CODE_DRIVER_INCONSISTENT, d->closure.constraint[driver].place,
        "at t = %.9g s %s cannot be followed with the velocities there: the pose is singular for the "
        "loop of %s '%s', so that drivers do not determine velocities, and those given do not have the "
        "acceleration that is asked for; give others as `start: {v: ...}`, or start beside this pose",
        d->t, who, c ? c->what : d->closure.constraint[driver].what, c ? c->name : d->closure.constraint[driver].name);
}

static int constraint_of(const cardan_data* d, int row)
{
    for (int i = 0; i < d->closure.nconstraint; ++i)
        if (row >= d->closure.constraint[i].first_row &&
            row < d->closure.constraint[i].first_row + d->closure.constraint[i].nrow)
            return i;
    return CARDAN_NONE;
}

// Gaps of rows that repeat others, and nothing else: no pose closes these.
bool cd_drivers_contradict(cardan_data* d, int null, double from, cardan_report* report)
{
    char    who[300];
    double* p      = d->reacting.lambda;
    int     driver = CARDAN_NONE;
    if (d->closure.ndriving < 2 || !(d->open > cd_gap_of_laws * d->length / d->small)) return false;
    cd_know_rows(d);
    const int rank = take_parts(d, d->closure.value, p);
    if (rank < 0 || (null >= 0 && d->rows.nrow - rank > null)) return false;
    const double gap = d->gap, most = share(&d->closure.constraint[largest_share(d, p)], p, false);
    if (!(most > cd_gap_of_laws) || name_drivers(d, p, most, &driver, who, sizeof who) < 2) return false;
    cardan_fail(
        report, CARDAN_NOT_CONVERGED, CARDAN_CODE_DRIVER_INCONSISTENT, d->closure.constraint[driver].place,
        "%s cannot be followed together beyond t = %.7g s: their laws contradict each other, at t = %.7g s %.3g m "
        "or rad remain between them",
        who, from, d->t, gap);
    return true;
}

cardan_status cd_fail_inconsistent(cardan_data* d, int row, cardan_report* report)
{
    char      who[300];
    double*   p     = d->reacting.lambda;
    const int given = constraint_of(d, row);
    if (given == CARDAN_NONE)
        return cardan_fail(report, CARDAN_INCONSISTENT, CARDAN_CODE_INCONSISTENT_CONSTRAINTS, cardan_nowhere(),
                           "at t = %g s the constraints of '%s' contradict each other", d->t, d->m->view.name);
    bool       agree, depends = false;
    const bool known = find_parts(d, p, &agree);
    if (agree && cd_fail_masses(d, CARDAN_INCONSISTENT, report)) return CARDAN_INCONSISTENT;
    const int            worst   = known ? largest_share(d, p) : given;
    const cd_constraint* c       = &d->closure.constraint[worst];
    int                  driver  = CARDAN_NONE;
    const int            drivers = known ? name_drivers(d, p, share(c, p, false), &driver, who, sizeof who) : 0;
    if (drivers > 0 && !depends_on_velocities(d, p, &depends))
        return cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_nowhere(),
                           "no memory to tell which constraints of '%s' contradict each other", d->m->view.name);
    if (depends) return fail_dead(d, p, driver, who, report);
    if (drivers > 1)
        return cardan_fail(report, CARDAN_INCONSISTENT, CARDAN_CODE_DRIVER_INCONSISTENT,
                           d->closure.constraint[driver].place,
                           "at t = %.9g s %s cannot be followed together: the accelerations that their laws ask for "
                           "contradict each other",
                           d->t, who);
    if (drivers == 1)
        return cardan_fail(report, CARDAN_INCONSISTENT, CARDAN_CODE_DRIVER_INCONSISTENT,
                           d->closure.constraint[driver].place,
                           "at t = %.9g s %s cannot be followed: the joints and the other constraints forbid the "
                           "acceleration that it asks for",
                           d->t, who);
    driver = cd_demanding(d, worst, who, sizeof who);
    if (driver != CARDAN_NONE && driver != worst)
        return cardan_fail(report, CARDAN_INCONSISTENT, CARDAN_CODE_INCONSISTENT_CONSTRAINTS,
                           d->closure.constraint[driver].place,
                           "at t = %.9g s %s cannot be followed: %s '%s' contradicts", d->t, who, c->what, c->name);
    if (d->formulation->supports & CD_ROUGH)
        return cardan_fail(report, CARDAN_INCONSISTENT, CARDAN_CODE_INCONSISTENT_CONSTRAINTS, c->place,
                           "at t = %.9g s %s '%s' is not held: by '%s' it stays soft; try 'regularized', or any "
                           "formulation that is exact",
                           d->t, c->what, c->name, d->formulation->name);
    return cardan_fail(report, CARDAN_INCONSISTENT, CARDAN_CODE_INCONSISTENT_CONSTRAINTS, c->place,
                       "at t = %.9g s %s '%s' demands what the other constraints forbid", d->t, c->what, c->name);
}
