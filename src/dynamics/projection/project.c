// SPDX-License-Identifier: BSD-3-Clause
// Projection onto the constraints in the mass metric, by the solve of the formulation. docs/theory/stabilization.md
// (2), (3):
//
//   positions    [ M J'; J 0 ] [ dx; y ] = [ 0; -c(q)    ],   q <- q (+) dx
//   velocities   [ M J'; J 0 ] [ dv; y ] = [ 0; -cdot(v) ],   v <- v + dv
//
// by Newton's method, or a chord iteration with the factor of an earlier state (constraint_newton.c).
#include "dynamics/projection/project.h"

#include "dynamics/dynamics_tolerances.h"
#include "dynamics/projection/constraint_newton.h"
#include "dynamics/rows/constraint_update.h"
#include "dynamics/solve.h"
#include "dynamics/state.h"
#include "dynamics/unit_scales.h"
#include "math/norm_inf.h"

#include <cardan/assemble.h>

#include <float.h>
#include <math.h>
#include <string.h>

enum { DEFAULT_ITERATIONS = 10 };

// Largest coordinate of a link, in units.
static double coordinate_size(const cardan_data* d, int link)
{
    const cd_link* l = &d->m->link[link];
    const double*  q = d->q + l->q;
    if (l->nv == 6) return fmax(cd_norm_inf(3, q) / d->units.length_unit, cd_norm_inf(4, q + 3));
    return l->nv == 3 ? cd_norm_inf(4, q) : fabs(q[0]) / (l->motion == CD_PRISMATIC ? d->units.length_unit : 1);
}

// Round-off of positions, from their size: coordinates at the first projection, and distances between links.
static double compute_position_roundoff(cardan_data* d)
{
    if (!(d->history.position_scale > 0)) {
        for (int i = 0; i < d->m->nlink; ++i)
            d->history.position_scale =
                fmax(d->history.position_scale,
                     fmax(coordinate_size(d, i), cd_norm_inf(3, d->m->tree_transform[i].p) / d->units.length_unit));
    }
    return cd_position_roundoff_factor * DBL_EPSILON * d->history.position_scale;
}

// Solve J dx = -c for the minimum-norm dx. The remaining violation is evaluated at the next state: violations of
// redundant rows never agree completely.
static cardan_status compute_correction(cardan_data* d, bool velocity_level, bool new_factor)
{
    cd_solve_info info   = {.failed_velocity = CARDAN_NONE, .failed_row = CARDAN_NONE};
    cardan_status status = new_factor ? cd_update_factor(d, &info) : CARDAN_OK;
    if (status != CARDAN_OK) return status;
    cd_update_constraint_values(d);
    cd_set_correction_rhs(d, velocity_level);
    status = cd_min_norm_correction(d, d->solve.row_rhs, d->solve.correction);
    if (status == CARDAN_OK && !velocity_level) cd_correct_nonholonomic(d, d->solve.row_rhs, d->solve.correction);
    return status;
}

// At a singular configuration positions satisfy the constraints to round-off with errors y of the order of its square
// root, so that velocity violations c = y v remain. No change of velocities removes them, because the rows are null.
static bool is_singular_roundoff(const cd_constraint_newton* p)
{
    return p->velocity_level &&
           p->violation_after <= cd_position_roundoff_factor * sqrt(DBL_EPSILON) * cd_velocity_norm_inf(p->d, p->d->v);
}

// Rows that are redundant except for a redundancy error of the description keep this violation; it is larger if the
// rows that they depend on are near-singular.
static bool is_redundancy_error(const cd_constraint_newton* p)
{
    return p->violation_after <= cd_redundancy_violation_factor * p->d->policy.redundancy_error *
                                     (p->velocity_level ? cd_velocity_norm_inf(p->d, p->d->v) : 1);
}

static cardan_status project_level(cd_constraint_newton* p)
{
    const cardan_status status = cd_newton_iterate(p);
    if (status != CARDAN_OK) return status;
    return p->is_rejected || p->violation_after <= cd_stalled_acceptance_factor * cd_newton_allowed_violation(p) ||
                   (p->is_stalled && is_singular_roundoff(p)) || is_redundancy_error(p)
               ? CARDAN_OK
               : CARDAN_NOT_CONVERGED;
}

static cd_constraint_newton chord_iteration(cardan_data* d, bool velocity_level, double tolerance, int max_iterations)
{
    return (cd_constraint_newton){.d                 = d,
                                  .velocity_level    = velocity_level,
                                  .tolerance         = tolerance > 0 ? tolerance : cd_projection_tolerance,
                                  .position_roundoff = d->rows.nrow > 0 ? compute_position_roundoff(d) : 0,
                                  .max_iterations    = max_iterations > 0 ? max_iterations : DEFAULT_ITERATIONS,
                                  .is_chord          = true,
                                  .correct           = compute_correction};
}

// The violation after one correction is the square of the change, negligible against the drift of the next step.
// After a change above cd_single_correction_change the iteration is continued.
bool cd_project_with_current_factor(cardan_data* d, double* q, double* v)
{
    cd_constraint_newton position = chord_iteration(d, false, 0, 0), velocity = chord_iteration(d, true, 0, 0);
    if (!d->valid.factor) return false;
    if (v && cd_level_violation(d, true) > cd_newton_allowed_violation(&velocity)) {
        const size_t size = (size_t)d->m->nv * sizeof *d->solve.correction;
        if (d->valid.correction) memcpy(d->scratch.nv, d->solve.correction, size);
        if (compute_correction(d, true, false) != CARDAN_OK) return false;
        for (int i = 0; i < d->m->nv; ++i) v[i] += d->solve.correction[i];
        if (d->valid.correction) memcpy(d->solve.correction, d->scratch.nv, size);
    }
    if (cd_level_violation(d, false) <= cd_newton_allowed_violation(&position)) return true;
    // without null pivots all holonomic rows are satisfied
    const bool needs_nonholonomic =
        d->constraints.nnonholonomic > 0 &&
        !(d->formulation->properties & CD_REPORTS_PIVOTS && d->history.conditioning.nnull == 0);
    if ((!d->valid.correction || needs_nonholonomic) && compute_correction(d, false, false) != CARDAN_OK) return false;
    const double change = cd_velocity_norm_inf(d, d->solve.correction);
    if (!isfinite(change)) return false;
    cardan_model_integrate_position(d->m, q, d->solve.correction, q);
    if (change <= cd_single_correction_change) return true;
    cd_data_set_state(d, d->t, q, d->v, d->state);
    if (project_level(&position) != CARDAN_OK) return false;
    memcpy(q, d->q, (size_t)d->m->nq * sizeof *q);
    return true;
}

cardan_status cd_project(cardan_data* d, const cardan_projection_options* options, double* q, double* v,
                         cardan_projection_result* result, cd_failure* failure)
{
    const cardan_projection_options defaults = {0};
    if (!options) options = &defaults;
    cd_constraint_newton position    = chord_iteration(d, false, options->position_tolerance, options->max_iterations),
                         velocity    = chord_iteration(d, true, options->velocity_tolerance, options->max_iterations);
    const long nfactorization_before = d->solve.nfactorization;
    position.reuse_factor = velocity.reuse_factor = options->reuse_factor;

    cardan_status status = CARDAN_OK;
    if (d->rows.nrow > 0) {
        status                         = project_level(&position);
        const bool positions_satisfied = status == CARDAN_OK;
        if (positions_satisfied || status == CARDAN_NOT_CONVERGED) {
            const cardan_status then = project_level(&velocity);
            if (positions_satisfied) status = then;
        }
        *failure = (cd_failure){.status         = status,
                                .code           = CARDAN_CODE_PROJECTION_FAILED,
                                .row            = CARDAN_NONE,
                                .velocity       = CARDAN_NONE,
                                .velocity_level = positions_satisfied,
                                .t              = d->t};
    }
    if (q) memcpy(q, d->q, (size_t)d->m->nq * sizeof *q);
    if (v) memcpy(v, d->v, (size_t)d->m->nv * sizeof *v);
    if (result)
        *result = (cardan_projection_result){.position_violation_before = position.violation_before,
                                             .velocity_violation_before = velocity.violation_before,
                                             .position_violation_after  = position.violation_after,
                                             .velocity_violation_after  = velocity.violation_after,
                                             .position_iterations       = position.iterations,
                                             .velocity_iterations       = velocity.iterations,
                                             .factorizations = (int)(d->solve.nfactorization - nfactorization_before)};
    return status;
}
