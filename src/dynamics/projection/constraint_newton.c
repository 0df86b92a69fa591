// SPDX-License-Identifier: BSD-3-Clause
// Newton's method for the constraints of one level,
//
//   J dx = -c(q),   q <- q (+) dx        or        J dv = -cdot(v),   v <- v + dv
//
// The factor may belong to an earlier state: a chord iteration, whose convergence rate is proportional to the
// distance to that state. If an iteration reduces the violation by less than a factor of ten, the matrix is
// factorized again, and the iteration continues as Newton's method.
#include "dynamics/projection/constraint_newton.h"

#include "dynamics/dynamics_tolerances.h"
#include "dynamics/rows/constraint_update.h"
#include "dynamics/state.h"
#include "dynamics/unit_scales.h"

#include <math.h>

double cd_level_violation(cardan_data* d, bool velocity_level)
{
    double position, velocity;
    cd_scaled_violations(d, &position, &velocity);
    return velocity_level ? velocity : position;
}

void cd_apply_correction(cardan_data* d, bool velocity_level, const double* dx)
{
    if (velocity_level) {
        for (int i = 0; i < d->m->nv; ++i) d->v[i] += dx[i];
        cd_data_set_velocity(d, d->v);
    } else {
        cardan_model_integrate_position(d->m, d->q, dx, d->q);
        cd_data_set_state(d, d->t, d->q, d->v, d->state);
    }
}

void cd_undo_correction(cardan_data* d, bool velocity_level, double* dx)
{
    for (int i = 0; i < d->m->nv; ++i) dx[i] = -dx[i];
    cd_apply_correction(d, velocity_level, dx);
}

double cd_newton_allowed_violation(const cd_constraint_newton* p)
{
    if (!p->velocity_level) return fmax(p->tolerance, p->position_roundoff);
    const double max_speed = cd_velocity_norm_inf(p->d, p->d->v);
    return fmax(p->tolerance * fmax(1, max_speed),
                p->d->m->policy == CARDAN_TREE_MAXIMAL
                    ? 0
                    : p->position_roundoff * max_speed); // round-off of angles, with lever arms of that size
}

// At a singular configuration a violation c of rows with singular value s requires a change c/s. At velocity level
// c = y v results from position errors y, and s is known no more accurately than y: the change is accepted while it
// is small against v.
static bool correction_is_plausible(const cd_constraint_newton* p, double violation)
{
    if (!p->velocity_level) return true;
    const double max_speed = fmax(1, cd_velocity_norm_inf(p->d, p->d->v));
    return violation > cd_small_velocity_violation * max_speed ||
           cd_velocity_norm_inf(p->d, p->d->solve.correction) <= cd_max_velocity_change * max_speed;
}

cardan_status cd_newton_iterate(cd_constraint_newton* p)
{
    cardan_data* d         = p->d;
    double       violation = cd_level_violation(d, p->velocity_level), *dx = d->solve.correction;
    bool         refactor = !p->is_chord || d->valid.factor; // a valid factor belongs to this state
    p->violation_before   = violation;
    for (int i = 0; violation > cd_newton_allowed_violation(p) && i < p->max_iterations && !p->is_stalled; ++i) {
        const bool          has_current_factor = refactor || !d->history.has_factor;
        const cardan_status status             = p->correct(d, p->velocity_level, has_current_factor);
        if (status != CARDAN_OK) return status;
        p->is_rejected = !correction_is_plausible(p, violation);
        if (p->is_rejected && has_current_factor) break;
        if (p->is_rejected) {
            refactor = true;
            continue;
        }
        cd_apply_correction(d, p->velocity_level, dx);
        ++p->iterations;
        const double next = cd_level_violation(d, p->velocity_level);
        if (!(next < violation)) cd_undo_correction(d, p->velocity_level, dx);
        p->is_stalled = has_current_factor && !(next <= cd_stalled_convergence_ratio * violation);
        refactor      = !p->reuse_factor && (has_current_factor || !(next < cd_slow_convergence_ratio * violation));
        violation     = fmin(next, violation);
    }
    p->violation_after = violation;
    return CARDAN_OK;
}
