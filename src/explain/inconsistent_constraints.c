// SPDX-License-Identifier: BSD-3-Clause
// Messages about inconsistent constraints: which constraints are involved.
//
//   J a = gamma has no solution   <=>   p = Z Z'gamma is not zero,   J'Z = 0, columns of Z orthonormal
//
// with rows and columns scaled as in self_stress.c. The combination p of rows requires p'gamma although p'J = 0; rows
// with a zero in p are not involved. A formulation reports only the row at which it failed, which may be any of the
// involved ones. Inconsistencies come from driver functions, since redundant joints are consistent in every
// configuration that the mechanism can take; therefore drivers are named first. At a singular configuration p exists
// because of the configuration, and p'gamma changes with velocities in the null space of J: then the velocities are
// the cause, not the joints.
#include "dynamics/rows/constraint_update.h"
#include "dynamics/state.h"
#include "explain/explain.h"
#include "explain/explain_tolerances.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// Project x (nrow) onto the left null space of J, into p (nrow). Returns the rank of the rows, or -1 if it is
// unknown.
static int project_onto_left_null_space(cardan_data* d, const double* x, double* p)
{
    const int       nrow   = d->rows.nrow;
    cd_self_stress* stress = &d->reactions.self_stress;
    const int       rank   = stress->affordable && nrow > 0 ? cd_rank_of_rows(d, stress) : -1;
    for (int i = 0; i < nrow; ++i) p[i] = 0;
    for (int s = rank; s >= 0 && s < nrow; ++s) {
        double sum = 0;
        for (int i = 0; i < nrow; ++i) sum += stress->left_singular[i * nrow + s] * stress->scale[i] * x[i];
        for (int i = 0; i < nrow; ++i) p[i] += sum * stress->left_singular[i * nrow + s];
    }
    return rank;
}

// Compute p (nrow) of gamma. Returns false if p is unknown or round-off; *consistent is true in the latter case.
static bool find_inconsistent_rows(cardan_data* d, double* p, bool* consistent)
{
    const int       nrow   = d->rows.nrow;
    cd_self_stress* stress = &d->reactions.self_stress;
    double          size = 0, null_part = 0;
    const int       rank = project_onto_left_null_space(d, d->solve.gamma, p);
    *consistent          = false;
    if (rank < 0) return false;
    for (int i = 0; i < nrow; ++i) {
        size      = fmax(size, fabs(stress->scale[i] * d->solve.gamma[i]));
        null_part = fmax(null_part, fabs(p[i]));
    }
    *consistent = rank >= 0 && !(null_part > cd_gamma_roundoff * size);
    return rank >= 0 && !*consistent;
}

static double share_of_constraint(const cd_constraint* c, const double* p, bool driven)
{
    double most = 0;
    for (int row = 0; row < c->nrow; ++row)
        if (!driven || c->driven_rows >> row & 1) most = fmax(most, fabs(p[c->first_row + row]));
    return most;
}

// Constraint with the largest share in p; of equal ones the first.
static int constraint_of_largest_share(const cardan_data* d, const double* p, bool without_drivers)
{
    const cd_constraint* c     = d->constraints.constraint;
    int                  worst = CARDAN_NONE;
    double               most  = 0;
    for (int i = 0; i < d->constraints.nconstraint; ++i) {
        const double share = share_of_constraint(&c[i], p, false);
        if (without_drivers && c[i].driven_rows != 0) continue;
        if (worst != CARDAN_NONE && !(share > (1 + cd_equal_share_tolerance) * most)) continue;
        worst = i;
        most  = share;
    }
    return worst;
}

// Format "driver 'a' and driver 'd'". Returns the number of involved drivers; *first is the first constraint.
static int name_drivers(const cardan_data* d, const double* p, double most, int* first, char* text, size_t size)
{
    int    count  = 0;
    size_t length = 0;
    for (int i = 0; i < d->constraints.nconstraint; ++i) {
        const cd_constraint* c = &d->constraints.constraint[i];
        if (!(share_of_constraint(c, p, true) > cd_significant_gamma_share * most)) continue;
        cd_append_constraint_name(c, text, size, &length);
        if (count++ == 0) *first = i;
    }
    return count;
}

// w = v + x with J x = 0, x of the size that the accelerations correspond to. v, w: (nv). Returns false if there is
// none.
static bool perturb_velocities(cardan_data* d, const double* v, double* w)
{
    const int       nrow = d->rows.nrow, nv = d->m->nv;
    cd_self_stress* stress = &d->reactions.self_stress;
    const int       rank   = cd_rank_of_rows(d, stress);
    const double    length = d->reactions.design_length;
    double          speed = 0, most = 0;
    if (rank < 0) return false;
    cd_scaled_jacobian(d, stress->J, stress->scale);
    for (int i = 0; i < nv; ++i) w[i] = 1 + 0.37 * sin(1.0 + i);
    for (int k = 0; k < rank; ++k) { // J'u = sigma r
        double along = 0;
        for (int i = 0; i < nrow; ++i)
            for (int j = 0; j < nv; ++j) along += stress->left_singular[i * nrow + k] * stress->J[i * nv + j] * w[j];
        for (int i = 0; i < nrow; ++i)
            for (int j = 0; j < nv; ++j)
                w[j] -= along / pow(stress->sigma[k], 2) * stress->left_singular[i * nrow + k] * stress->J[i * nv + j];
    }
    for (int i = 0; i < nrow; ++i) speed = fmax(speed, sqrt(fabs(stress->scale[i] * d->solve.gamma[i])));
    for (int i = 0; i < nv; ++i) {
        w[i] *= v3_dot(d->k.S[i].a, d->k.S[i].a) > 0 ? 1 : length;
        speed = fmax(speed, fabs(v[i]));
        most  = fmax(most, fabs(w[i]));
    }
    for (int i = 0; i < nv; ++i) w[i] = v[i] + speed * w[i] / most;
    return most > cd_explained_motion_roundoff;
}

static double combined_gamma(cardan_data* d, const double* p, double* terms)
{
    double sum = 0;
    cd_update_rows(d);
    for (int i = 0; i < d->rows.nrow; ++i) {
        const double term = p[i] * d->reactions.self_stress.scale[i] * d->solve.gamma[i];
        sum += term;
        *terms += fabs(term);
    }
    return sum;
}

// Whether p'gamma changes with the velocities, that is the configuration is singular. Returns false if memory is
// exhausted.
static bool depends_on_velocities(cardan_data* d, const double* p, bool* depends)
{
    const int nv = d->m->nv;
    double*   v  = malloc((2 * (size_t)nv + 1) * sizeof *v);
    *depends     = false;
    if (!v) return false;
    for (int i = 0; i < nv; ++i) v[i] = d->v[i];
    if (perturb_velocities(d, v, v + nv)) {
        double       terms        = 0;
        const double gamma_before = combined_gamma(d, p, &terms);
        cd_data_set_velocity(d, v + nv);
        const double gamma_after = combined_gamma(d, p, &terms);
        *depends                 = fabs(gamma_after - gamma_before) >
                   cd_significant_gamma_share * fabs(gamma_before) + cd_gamma_roundoff * terms;
        cd_data_set_velocity(d, v);
        cd_update_rows(d);
    }
    free(v);
    return true;
}

// Report a driver whose acceleration is possible with other velocities only.
static cardan_status fail_singular_configuration(cardan_data* d, const double* p, int driver, const char* driver_names,
                                                 cardan_report* report)
{
    const int            passive = constraint_of_largest_share(d, p, true);
    const cd_constraint* c       = &d->constraints.constraint[passive != CARDAN_NONE ? passive : driver];
    return cardan_fail(
        report, CARDAN_INCONSISTENT, CARDAN_CODE_DRIVER_INCONSISTENT, d->constraints.constraint[driver].location,
        "at t = %.9g s %s cannot be followed with the velocities there: the configuration is singular for the loop of "
        "%s '%s', so that drivers do not determine velocities, and those given do not allow the prescribed "
        "acceleration; give others as `start: {v: ...}`, or start at another configuration",
        d->t, driver_names, c->category, c->name);
}

// Only violations of redundant rows: no configuration removes these.
bool cd_report_inconsistent_drivers(cardan_data* d, int nredundant, double from, cardan_report* report)
{
    char    driver_names[300];
    double* p      = d->reactions.lambda;
    int     driver = CARDAN_NONE;
    if (d->constraints.ndriven < 2 ||
        !(d->violations.position > cd_driver_redundancy_tolerance * d->units.length_scale / d->units.length_unit))
        return false;
    cd_update_rows(d);
    const int rank = project_onto_left_null_space(d, d->constraints.value, p);
    if (rank < 0 || (nredundant >= 0 && d->rows.nrow - rank > nredundant)) return false;
    const double violation = d->violations.position_si,
                 most = share_of_constraint(&d->constraints.constraint[constraint_of_largest_share(d, p, false)], p, false);
    if (!(most > cd_driver_redundancy_tolerance) ||
        name_drivers(d, p, most, &driver, driver_names, sizeof driver_names) < 2)
        return false;
    cardan_fail(report, CARDAN_NOT_CONVERGED, CARDAN_CODE_DRIVER_INCONSISTENT,
                d->constraints.constraint[driver].location,
                "%s cannot be followed together beyond t = %.7g s: their driver functions are inconsistent, at t = "
                "%.7g s a violation of %.3g m or rad remains",
                driver_names, from, d->t, violation);
    return true;
}

cardan_status cd_fail_inconsistent_constraints(cardan_data* d, int row, cardan_report* report)
{
    char      driver_names[300];
    double*   p                = d->reactions.lambda;
    const int given_constraint = cd_constraint_of_row(&d->constraints, row);
    if (given_constraint == CARDAN_NONE)
        return cardan_fail(report, CARDAN_INCONSISTENT, CARDAN_CODE_INCONSISTENT_CONSTRAINTS, cardan_location_none(),
                           "at t = %g s the constraints of '%s' are inconsistent", d->t, d->m->view.name);
    bool       consistent, depends = false;
    const bool known = find_inconsistent_rows(d, p, &consistent);
    if (consistent && cd_fail_mass_ratio(d, CARDAN_INCONSISTENT, report)) return CARDAN_INCONSISTENT;
    const int            worst  = known ? constraint_of_largest_share(d, p, false) : given_constraint;
    const cd_constraint* c      = &d->constraints.constraint[worst];
    int                  driver = CARDAN_NONE;
    const int            drivers =
        known ? name_drivers(d, p, share_of_constraint(c, p, false), &driver, driver_names, sizeof driver_names) : 0;
    if (drivers > 0 && !depends_on_velocities(d, p, &depends))
        return cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_location_none(),
                           "out of memory while finding the inconsistent constraints of '%s'", d->m->view.name);
    if (depends) return fail_singular_configuration(d, p, driver, driver_names, report);
    if (drivers > 1)
        return cardan_fail(
            report, CARDAN_INCONSISTENT, CARDAN_CODE_DRIVER_INCONSISTENT, d->constraints.constraint[driver].location,
            "at t = %.9g s %s cannot be followed together: the accelerations that they prescribe are inconsistent",
            d->t, driver_names);
    if (drivers == 1)
        return cardan_fail(report, CARDAN_INCONSISTENT, CARDAN_CODE_DRIVER_INCONSISTENT,
                           d->constraints.constraint[driver].location,
                           "at t = %.9g s %s cannot be followed: the joints and the other constraints do not allow the "
                           "acceleration that it prescribes",
                           d->t, driver_names);
    driver = cd_drivers_by_power(d, worst, driver_names, sizeof driver_names);
    if (driver != CARDAN_NONE && driver != worst)
        return cardan_fail(report, CARDAN_INCONSISTENT, CARDAN_CODE_INCONSISTENT_CONSTRAINTS,
                           d->constraints.constraint[driver].location,
                           "at t = %.9g s %s cannot be followed: inconsistent with %s '%s'", d->t, driver_names,
                           c->category, c->name);
    if (d->formulation->properties & CD_APPROXIMATE)
        return cardan_fail(report, CARDAN_INCONSISTENT, CARDAN_CODE_INCONSISTENT_CONSTRAINTS, c->location,
                           "at t = %.9g s %s '%s' is not satisfied: its rows stay compliant with '%s'; use "
                           "'regularized', or an exact formulation",
                           d->t, c->category, c->name, d->formulation->name);
    return cardan_fail(report, CARDAN_INCONSISTENT, CARDAN_CODE_INCONSISTENT_CONSTRAINTS, c->location,
                       "at t = %.9g s %s '%s' is inconsistent with the other constraints", d->t, c->category, c->name);
}
