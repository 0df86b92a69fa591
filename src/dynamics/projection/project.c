// SPDX-License-Identifier: BSD-3-Clause
// Projection onto the constraints in the mass metric, by the solve of the formulation. docs/theory/stabilization.md
// (2), (3):
//
//   positions    [ M J'; J 0 ] [ dx; y ] = [ 0; -c(q)    ],   q <- q (+) dx
//   velocities   [ M J'; J 0 ] [ dv; y ] = [ 0; -cdot(v) ],   v <- v + dv
//
// The factor may belong to an earlier state: a chord iteration, whose convergence rate is proportional to the
// distance to that state. If an iteration reduces the violation by less than a factor of ten, the matrix is
// factorized again, and the iteration continues as Newton's method.
#include "dynamics/projection/project.h"

#include "dynamics/dynamics_tolerances.h"
#include "dynamics/rows/constraint_update.h"
#include "dynamics/solve.h"
#include "dynamics/state.h"
#include "dynamics/unit_scales.h"
#include "math/norm_inf.h"

#include <cardan/assemble.h>

#include <float.h>
#include <math.h>
#include <string.h>

static const int default_iterations = 10;

typedef struct projection_iteration {
    cardan_data* d;
    bool         velocity_level;
    double       tolerance;
    int          max_iterations;
    bool         reuse_factor;
    int          iterations, factorizations;
    double       violation_before, violation_after;
    bool         correction_rejected; // the last correction was implausible and was not applied
    double       position_roundoff;   // round-off of positions [units]
} projection_iteration;

static double current_violation(const projection_iteration* p)
{
    double position, velocity;
    cd_scaled_violations(p->d, &position, &velocity);
    return p->velocity_level ? velocity : position;
}

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

static double allowed_violation(const projection_iteration* p)
{
    if (!p->velocity_level) return fmax(p->tolerance, p->position_roundoff);
    const double max_speed = cd_velocity_norm_inf(p->d, p->d->v);
    return fmax(p->tolerance * fmax(1, max_speed),
                p->d->m->policy == CARDAN_TREE_MAXIMAL
                    ? 0
                    : p->position_roundoff * max_speed); // round-off of angles, with lever arms of that size
}

static void apply_correction(projection_iteration* p, double sign)
{
    cardan_data* d = p->d;
    for (int i = 0; i < d->m->nv; ++i) d->solve.correction[i] *= sign;
    if (p->velocity_level) {
        for (int i = 0; i < d->m->nv; ++i) d->v[i] += d->solve.correction[i];
        cd_data_set_velocity(d, d->v);
    } else {
        cardan_model_integrate_position(d->m, d->q, d->solve.correction, d->q);
        cd_data_set_state(d, d->t, d->q, d->v, d->state);
    }
}

// Solve J dx = -c for the minimum-norm dx. The remaining violation is evaluated at the next state: violations of
// redundant rows never agree completely.
static cardan_status compute_correction(cardan_data* d, bool velocity_level)
{
    const double* c = velocity_level ? d->constraints.rate : d->constraints.value;
    cd_update_constraint_values(d);
    for (int i = 0; i < d->rows.nrow; ++i) d->solve.row_rhs[i] = -c[i];
    for (int i = d->rows.nrow; i < d->solver_rows.nrow; ++i) d->solve.row_rhs[i] = 0;
    const cardan_status status = cd_min_norm_correction(d, d->solve.row_rhs, d->solve.correction);
    if (status == CARDAN_OK && !velocity_level) cd_correct_nonholonomic(d, d->solve.row_rhs, d->solve.correction);
    return status;
}

// At a singular configuration a violation c of rows with singular value s requires a change c/s. At velocity level
// c = y v results from position errors y, and s is known no more accurately than y: the change is accepted while it
// is small against v.
bool cd_velocity_correction_is_plausible(const cardan_data* d, double violation)
{
    const double max_speed = fmax(1, cd_velocity_norm_inf(d, d->v));
    return violation > cd_small_velocity_violation * max_speed ||
           cd_velocity_norm_inf(d, d->solve.correction) <= cd_max_velocity_change * max_speed;
}

// Apply one correction with the existing factor, or with a new one.
static cardan_status correct_once(projection_iteration* p, bool refactor, double violation)
{
    cardan_data*  d    = p->d;
    cd_solve_info info = {.failed_velocity = CARDAN_NONE, .failed_row = CARDAN_NONE};
    if (refactor || !d->history.has_factor) {
        const cardan_status status = cd_update_factor(d, &info);
        if (status != CARDAN_OK) return status;
        ++p->factorizations;
    }
    const cardan_status status = compute_correction(d, p->velocity_level);
    if (status != CARDAN_OK) return status;
    p->correction_rejected = p->velocity_level && !cd_velocity_correction_is_plausible(d, violation);
    if (p->correction_rejected) return CARDAN_OK;
    apply_correction(p, 1);
    ++p->iterations;
    return CARDAN_OK;
}

// At a singular configuration positions satisfy the constraints to round-off with errors y of the order of its square
// root, so that velocity violations c = y v remain. No change of velocities removes them, because the rows are null.
static bool is_singular_roundoff(const projection_iteration* p)
{
    return p->velocity_level &&
           p->violation_after <= cd_position_roundoff_factor * sqrt(DBL_EPSILON) * cd_velocity_norm_inf(p->d, p->d->v);
}

// Rows that are redundant except for a redundancy error of the description keep this violation; it is larger if the
// rows that they depend on are near-singular.
static bool is_redundancy_error(const projection_iteration* p)
{
    return p->violation_after <= cd_redundancy_violation_factor * p->d->policy.redundancy_error *
                                     (p->velocity_level ? cd_velocity_norm_inf(p->d, p->d->v) : 1);
}

static cardan_status chord_iterate(projection_iteration* p)
{
    double violation    = current_violation(p);
    bool   refactor     = p->d->valid.factor; // the factor belongs to this state
    p->violation_before = violation;
    for (int i = 0; violation > allowed_violation(p) && i < p->max_iterations; ++i) {
        const bool          has_current_factor = refactor || !p->d->history.has_factor;
        const cardan_status status             = correct_once(p, refactor && !p->d->valid.factor, violation);
        if (status != CARDAN_OK) return status;
        if (p->correction_rejected && !has_current_factor) {
            refactor = true;
            continue;
        }
        if (p->correction_rejected) break;
        const double next_violation = current_violation(p);
        if (!(next_violation < violation)) apply_correction(p, -1); // revert
        if (has_current_factor && !(next_violation < cd_stalled_convergence_ratio * violation)) {
            p->violation_after = fmin(next_violation, violation);
            return p->violation_after <= cd_stalled_acceptance_factor * allowed_violation(p) ||
                           is_singular_roundoff(p) || is_redundancy_error(p)
                       ? CARDAN_OK
                       : CARDAN_NOT_CONVERGED;
        }
        refactor =
            !p->reuse_factor && (has_current_factor || !(next_violation < cd_slow_convergence_ratio * violation));
        if (next_violation < violation) violation = next_violation;
    }
    p->violation_after = violation;
    return p->correction_rejected || violation <= cd_stalled_acceptance_factor * allowed_violation(p) ||
                   is_redundancy_error(p)
               ? CARDAN_OK
               : CARDAN_NOT_CONVERGED;
}

// The violation after one correction is the square of the change, negligible against the drift of the next step.
// After a change above cd_single_correction_change the iteration is continued.
bool cd_project_with_current_factor(cardan_data* d, double* q, double* v)
{
    projection_iteration position = {.d                 = d,
                                     .tolerance         = cd_projection_tolerance,
                                     .max_iterations    = default_iterations,
                                     .position_roundoff = compute_position_roundoff(d)},
                         velocity = position;
    velocity.velocity_level       = true;
    if (!d->valid.factor) return false;
    if (v && current_violation(&velocity) > allowed_violation(&velocity)) {
        const size_t size = (size_t)d->m->nv * sizeof *d->solve.correction;
        if (d->valid.correction) memcpy(d->scratch.nv, d->solve.correction, size);
        if (compute_correction(d, true) != CARDAN_OK) return false;
        for (int i = 0; i < d->m->nv; ++i) v[i] += d->solve.correction[i];
        if (d->valid.correction) memcpy(d->solve.correction, d->scratch.nv, size);
    }
    if (current_violation(&position) <= allowed_violation(&position)) return true;
    // without null pivots all holonomic rows are satisfied
    const bool needs_nonholonomic =
        d->constraints.nnonholonomic > 0 &&
        !(d->formulation->properties & CD_REPORTS_PIVOTS && d->history.conditioning.nnull == 0);
    if ((!d->valid.correction || needs_nonholonomic) && compute_correction(d, false) != CARDAN_OK) return false;
    const double change = cd_velocity_norm_inf(d, d->solve.correction);
    if (!isfinite(change)) return false;
    cardan_model_integrate_position(d->m, q, d->solve.correction, q);
    if (change <= cd_single_correction_change) return true;
    cd_data_set_state(d, d->t, q, d->v, d->state);
    if (chord_iterate(&position) != CARDAN_OK) return false;
    memcpy(q, d->q, (size_t)d->m->nq * sizeof *q);
    return true;
}

cardan_status cd_project(cardan_data* d, const cardan_projection_options* options, double* q, double* v,
                         cardan_projection_result* result, cd_failure* failure)
{
    const cardan_projection_options defaults = {0};
    if (!options) options = &defaults;
    projection_iteration position = {
        .d              = d,
        .tolerance      = options->position_tolerance > 0 ? options->position_tolerance : cd_projection_tolerance,
        .max_iterations = options->max_iterations > 0 ? options->max_iterations : default_iterations,
        .reuse_factor   = options->reuse_factor};
    position.position_roundoff    = d->rows.nrow > 0 ? compute_position_roundoff(d) : 0;
    projection_iteration velocity = position;
    velocity.velocity_level       = true;
    velocity.tolerance = options->velocity_tolerance > 0 ? options->velocity_tolerance : cd_projection_tolerance;

    cardan_status status = CARDAN_OK;
    if (d->rows.nrow > 0) {
        status                         = chord_iterate(&position);
        const bool positions_satisfied = status == CARDAN_OK;
        if (positions_satisfied || status == CARDAN_NOT_CONVERGED) {
            const cardan_status then = chord_iterate(&velocity);
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
                                             .factorizations = position.factorizations + velocity.factorizations};
    return status;
}
