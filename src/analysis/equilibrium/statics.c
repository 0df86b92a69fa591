// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/equilibrium/statics.h"
#include "analysis/analysis_tolerances.h"

#include "dynamics/forces.h"
#include "dynamics/state.h"

#include <math.h>
#include <string.h>

static const double difference_step = 5e-4; // [rad, tangent.length] step of the central differences

static void layout(cd_statics* s)
{
    const size_t nv = (size_t)s->d->m->nv, nq = (size_t)s->d->m->nq, all = nv + (size_t)s->nz + 1;
    CD_ARENA_ARRAY(&s->arena, s->q0, nq);
    CD_ARENA_ARRAY(&s->arena, s->z0, (size_t)s->nz + 1);
    CD_ARENA_ARRAY(&s->arena, s->basis0, nv * nv);
    CD_ARENA_ARRAY(&s->arena, s->zero_nv, nv);
    CD_ARENA_ARRAY(&s->arena, s->g, all);
    CD_ARENA_ARRAY(&s->arena, s->x, all);
    CD_ARENA_ARRAY(&s->arena, s->p, all);
    CD_ARENA_ARRAY(&s->arena, s->lower, all);
    CD_ARENA_ARRAY(&s->arena, s->upper, all);
    CD_ARENA_ARRAY(&s->arena, s->lambda, s->tangent.nrow);
    CD_ARENA_ARRAY(&s->arena, s->state_scale, (size_t)s->nz);
    CD_ARENA_ARRAY(&s->arena, s->rate_scale, (size_t)s->nz);
    cd_jacobian_bounds_layout(s->d, &s->arena, &s->bounds);
    CD_ARENA_ARRAY(&s->arena, s->change, s->d->m->nv);
}

cardan_status cd_statics_create(cardan_data* d, cd_statics* s, cardan_report* report)
{
    *s                   = (cd_statics){.d = d, .nz = d->m->nstate, .force_scale = 1};
    cardan_status status = cd_tangent_space_create(d, &s->tangent, report);
    if (status != CARDAN_OK) return status;
    layout(s);
    if (!cd_arena_reserve(&s->arena)) {
        cd_tangent_space_release(&s->tangent);
        return cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_location_none(),
                           "out of memory while analysing '%s'", d->m->view.name);
    }
    layout(s);
    cd_freeze_drivers(d);
    status = cd_data_set_state(d, d->t, d->q, s->zero_nv, d->state);
    if (status != CARDAN_OK) cd_statics_release(s);
    return status;
}

void cd_statics_release(cd_statics* s)
{
    cd_arena_release(&s->arena);
    cd_tangent_space_release(&s->tangent);
}

// [N m] Largest applied force: weight, generalized forces, wrenches of force elements; forces times
// tangent.length.
static double largest_applied_force(cd_statics* s)
{
    cardan_data*        d    = s->d;
    const cardan_model* m    = d->m;
    const double*       g    = m->view.gravity;
    double              most = 0, mass = 0;
    cd_update_forces(d);
    for (int i = 0; i < m->nlink; ++i) mass += m->link[i].m;
    most = mass * sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]) * s->tangent.length;
    cd_inverse_dynamics(m, &d->k, s->zero_nv, NULL, NULL, s->x);
    for (int v = 0; v < m->nv; ++v)
        most = fmax(most, fmax(fabs(s->x[v]), fabs(d->forces.effort[v])) / s->tangent.unit[v]);
    for (int i = 0; d->forces.has_wrenches && i < m->nlink; ++i) {
        const spatial F = d->forces.wrench[i];
        most            = fmax(most, sqrt(v3_dot(F.a, F.a)) + s->tangent.length * sqrt(v3_dot(F.l, F.l)));
    }
    return most;
}

// ---- scales of the user states

// Largest derivative in a row of the state Jacobian by positions, in units.
static double rate_per_motion(const cd_statics* s, int row)
{
    const cd_jacobian_bounds* b    = &s->bounds;
    double                    most = 0;
    for (int v = 0; v < s->d->m->nv; ++v)
        most = fmax(most, fabs(b->value.q[(size_t)v * (size_t)b->rows + (size_t)row]) / s->tangent.unit[v]);
    return most;
}

// Largest derivative of the forces by user state i, in units.
static double force_per_state(const cd_statics* s, int i)
{
    const cd_jacobian_bounds* b    = &s->bounds;
    double                    most = 0;
    for (int v = 0; v < s->d->m->nv; ++v)
        most = fmax(most, fabs(b->value.s[(size_t)i * (size_t)b->rows + (size_t)(b->state_jacobian.r_offset + v)]) /
                              s->tangent.unit[v]);
    return most;
}

static double rate_per_state(const cd_statics* s, int i, int j)
{
    const cd_jacobian_bounds* b = &s->bounds;
    return fabs(b->value.s[(size_t)j * (size_t)b->rows + (size_t)(b->state_jacobian.g_offset + i)]);
}

// Scale of a user state: the largest of its value, the change that cancels its rate, and the smaller of two changes:
// the change caused by a motion of one unit, and the change that alters the forces by force_scale.
static double state_scale(const cd_statics* s, int i)
{
    const double self_rate = rate_per_state(s, i, i),
                 rate      = fabs(s->d->forces.formula_value[3 * s->d->m->view.nforce + i]),
                 size_by_motion =
                     self_rate > 0 ? rate_per_motion(s, s->bounds.state_jacobian.g_offset + i) / self_rate : 0,
                 force = force_per_state(s, i), size_by_force = force > 0 ? s->force_scale / force : 0;
    const double size_by_effect = size_by_motion > 0 && size_by_force > 0 ? fmin(size_by_motion, size_by_force)
                                                                          : fmax(size_by_motion, size_by_force);
    const double size           = fmax(fmax(fabs(s->z0[i]), self_rate > 0 ? rate / self_rate : 0), size_by_effect);
    return size > 0 && isfinite(size) ? size : 1;
}

// Scale of a rate: the largest of its value and its changes by motions of one unit and by changes
// of states of their scales.
static double rate_scale(const cd_statics* s, int i)
{
    double size = fmax(fabs(s->d->forces.formula_value[3 * s->d->m->view.nforce + i]),
                       rate_per_motion(s, s->bounds.state_jacobian.g_offset + i));
    for (int j = 0; j < s->nz; ++j) size = fmax(size, rate_per_state(s, i, j) * s->state_scale[j]);
    return size > 0 && isfinite(size) ? size : 1;
}

static void compute_state_scales(cd_statics* s)
{
    if (s->nz == 0) return;
    cd_update_forces(s->d);
    memset(s->lambda, 0, (size_t)s->tangent.nrow * sizeof *s->lambda);
    cd_jacobian_bounds_compute(&s->bounds, s->zero_nv, s->lambda, s->tangent.unit);
    cd_update_forces(s->d);
    for (int i = 0; i < s->nz; ++i) s->state_scale[i] = state_scale(s, i);
    for (int i = 0; i < s->nz; ++i) s->rate_scale[i] = rate_scale(s, i);
}

// ---- centre

bool cd_statics_set_centre(cd_statics* s)
{
    cardan_data* d = s->d;
    if (!cd_tangent_space_project(&s->tangent) || !cd_tangent_space_compute(&s->tangent, false)) return false;
    s->nmotion = s->tangent.nmotion;
    s->size    = s->nmotion + s->nz;
    s->rank = s->max_rank_nearby = s->tangent.rank;
    memcpy(s->q0, d->q, (size_t)d->m->nq * sizeof *s->q0);
    if (s->nz > 0) memcpy(s->z0, d->state, (size_t)s->nz * sizeof *s->z0);
    memcpy(s->basis0, s->tangent.basis, (size_t)d->m->nv * (size_t)s->nmotion * sizeof *s->basis0);
    s->applied_force_scale = largest_applied_force(s);
    s->force_scale         = s->applied_force_scale > 0 ? s->applied_force_scale : 1;
    compute_state_scales(s);
    return true;
}

cardan_status cd_statics_fail(const cd_statics* s, cardan_report* report)
{
    const cardan_model* m    = s->d->m;
    const char*         name = m->view.name;
    for (int v = 0; v < m->nv; ++v) {
        if (isfinite(s->g[v])) continue;
        int       local;
        const int j = cardan_model_joint_of_velocity(m, v, &local);
        return cardan_fail(report, CARDAN_NOT_FINITE, CARDAN_CODE_NOT_FINITE, cardan_location_none(),
                           "at t = %g s the force on joint '%s' (coordinate %d) of '%s' is not finite; check for a "
                           "formula that is not defined there",
                           s->d->t, m->joint[j].name, local + 1, name);
    }
    for (int i = 0; i < s->nz; ++i)
        if (!isfinite(s->d->forces.formula_value[3 * m->view.nforce + i]))
            return cardan_fail(report, CARDAN_NOT_FINITE, CARDAN_CODE_NOT_FINITE, m->view.state[i].location,
                               "at t = %g s the rate of state '%s' is not finite", s->d->t, m->view.state[i].name);
    return cardan_fail(report, CARDAN_NOT_CONVERGED, CARDAN_CODE_ASSEMBLY_FAILED, cardan_location_none(),
                       "at t = %g s the loops of '%s' cannot be closed", s->d->t, name);
}

bool cd_statics_set_state(cd_statics* s, const double* p)
{
    cardan_data* d  = s->d;
    const int    nv = d->m->nv;
    for (int i = 0; i < nv; ++i) {
        double sum = 0;
        for (int k = 0; k < s->nmotion; ++k) sum += s->basis0[(size_t)k * (size_t)nv + (size_t)i] * p[k];
        s->x[i] = sum / s->tangent.unit[i];
    }
    cardan_model_integrate_position(d->m, s->q0, s->x, d->q);
    for (int i = 0; i < s->nz; ++i) d->state[i] = s->z0[i] + s->state_scale[i] * p[s->nmotion + i];
    cd_data_set_state(d, d->t, d->q, s->zero_nv, d->state);
    return cd_tangent_space_project(&s->tangent);
}

bool cd_statics_unbalanced_forces(cd_statics* s, double* x)
{
    cardan_data*            d = s->d;
    const cd_tangent_space* t = &s->tangent;
    ++s->evaluations;
    cardan_data_inverse_dynamics(d, s->zero_nv, s->g);
    bool good = true;
    for (int i = 0; i < t->nv; ++i) {
        s->g[i] /= t->unit[i];
        good = good && isfinite(s->g[i]);
    }
    if (t->nrow == 0) {
        memcpy(x, s->g, (size_t)t->nv * sizeof *x);
        return good;
    }
    if (!cd_tangent_space_compute(&s->tangent, false)) return false;
    memset(x, 0, (size_t)t->nv * sizeof *x);
    for (int k = 0; k < t->nmotion; ++k) {
        const double* column = t->basis + (size_t)k * (size_t)t->nv;
        double        sum    = 0;
        for (int i = 0; i < t->nv; ++i) sum += column[i] * s->g[i];
        for (int i = 0; i < t->nv; ++i) x[i] += sum * column[i];
    }
    return good;
}

bool cd_statics_residual(cd_statics* s, const double* p, double* r)
{
    const cardan_data* d  = s->d;
    const int          nv = d->m->nv;
    if (!cd_statics_set_state(s, p) || !cd_statics_unbalanced_forces(s, s->x)) return false;
    bool good = true;
    if (s->tangent.rank > s->max_rank_nearby) s->max_rank_nearby = s->tangent.rank;
    for (int k = 0; k < s->nmotion; ++k) {
        double sum = 0;
        for (int i = 0; i < nv; ++i) sum += s->basis0[(size_t)k * (size_t)nv + (size_t)i] * s->x[i];
        r[k] = sum;
        good = good && isfinite(sum);
    }
    for (int i = 0; i < s->nz; ++i) {
        r[s->nmotion + i] = -s->force_scale * d->forces.formula_value[3 * d->m->view.nforce + i] / s->rate_scale[i];
        good              = good && isfinite(r[s->nmotion + i]);
    }
    return good;
}

static const double weight[2] = {8.0 / 12, -1.0 / 12}; // (8 (r(h) - r(-h)) - (r(2h) - r(-2h))) / 12 h

// Evaluate on both sides of the centre, along all motions at once, to detect a higher rank of the constraints nearby.
static bool sample_rank_nearby(cd_statics* s)
{
    for (int side = -1; side <= 1; side += 2) {
        for (int k = 0; k < s->nmotion; ++k)
            s->p[k] = side * difference_step * (1 + 0.5 * sin(1 + 7.3 * k)) * (k % 2 ? 1 : -1);
        if (!cd_statics_residual(s, s->p, s->upper)) return false;
    }
    memset(s->p, 0, (size_t)s->size * sizeof *s->p);
    return cd_statics_residual(s, s->p, s->upper); // back to the centre
}

static bool is_centre(const cd_statics* s, const double* p)
{
    for (int i = 0; i < s->size; ++i)
        if (p[i] != 0) return false;
    return s->d->constraints.nlossy == 0;
}

// y (size x size): derivatives of r, from the columns c by positions and states. Rows: N0'U^-1 times the rows of r,
// then the scaled rows of rates; columns: by U^-1 N0 s, then by states times their scales. `magnitudes`: sum of
// absolute values, for bounds.
static void project_jacobian(cd_statics* s, const cd_jacobian_columns* c, bool magnitudes, double* y)
{
    const size_t nv = (size_t)s->d->m->nv, rows = (size_t)s->bounds.rows, size = (size_t)s->size,
                 n = (size_t)s->nmotion;
    for (size_t j = 0; j < size; ++j) {
        double* column = y + j * size;
        memset(s->change, 0, nv * sizeof *s->change);
        memset(column, 0, size * sizeof *column);
        for (size_t k = 0; k < (j < n ? nv : 1); ++k) {
            const double* derivative = j < n ? c->q + k * rows : c->s + (j - n) * rows;
            const double  w          = j < n ? s->basis0[j * nv + k] / s->tangent.unit[k] : s->state_scale[j - n];
            const double  part       = magnitudes ? fabs(w) : w;
            for (size_t v = 0; v < nv; ++v)
                s->change[v] += part * derivative[(size_t)s->bounds.state_jacobian.r_offset + v] / s->tangent.unit[v];
            for (size_t i = n; i < size; ++i)
                column[i] += (magnitudes ? 1 : -1) * s->force_scale / s->rate_scale[i - n] * part *
                             derivative[(size_t)s->bounds.state_jacobian.g_offset + i - n];
        }
        for (size_t i = 0; i < n; ++i)
            for (size_t v = 0; v < nv; ++v)
                column[i] += (magnitudes ? fabs(s->basis0[i * nv + v]) : s->basis0[i * nv + v]) * s->change[v];
    }
}

// Compute K from the state Jacobian. Returns false if the centre is singular or K is not finite.
static bool stiffness_at_centre(cd_statics* s, double* K)
{
    if (s->tangent.nrow > 0 && (!sample_rank_nearby(s) || s->max_rank_nearby > s->rank || s->tangent.rank != s->rank))
        return false;
    if (s->tangent.nrow == 0) cd_statics_residual(s, s->p, s->upper);
    cd_tangent_space_multipliers(&s->tangent, s->g, s->lambda);
    cd_jacobian_bounds_compute(&s->bounds, s->zero_nv, s->lambda, s->tangent.unit);
    project_jacobian(s, &s->bounds.value, false, K);
    for (int i = 0; i < s->size * s->size; ++i)
        if (!isfinite(K[i])) return false;
    return true;
}

bool cd_statics_stiffness(cd_statics* s, const double* p, double* K)
{
    const int size = s->size;
    memcpy(s->p, p, (size_t)size * sizeof *p);
    s->is_exact = is_centre(s, p) && stiffness_at_centre(s, K);
    if (s->is_exact) return true;
    memcpy(s->p, p, (size_t)size * sizeof *p);
    memset(K, 0, (size_t)size * (size_t)size * sizeof *K);
    for (int j = 0; j < size; ++j) {
        const double h = difference_step;
        for (int k = 1; k <= 2; ++k) {
            s->p[j] = p[j] + k * h;
            if (!cd_statics_residual(s, s->p, s->upper)) return false;
            s->p[j] = p[j] - k * h;
            if (!cd_statics_residual(s, s->p, s->lower)) return false;
            for (int i = 0; i < size; ++i)
                K[(size_t)j * (size_t)size + (size_t)i] += weight[k - 1] * (s->upper[i] - s->lower[i]) / h;
        }
        s->p[j] = p[j];
    }
    return true;
}

void cd_statics_rounding(cd_statics* s, const double* K, double* E)
{
    const size_t size = (size_t)s->size, n = (size_t)s->nmotion;
    double       most = 0;
    if (s->is_exact) {
        project_jacobian(s, &s->bounds.bound, true, E);
    } else {
        for (size_t i = 0; i < size * size; ++i) most = fmax(most, fabs(K[i]));
        for (size_t i = 0; i < size * size; ++i) E[i] = cd_difference_roundoff * most;
    }
    for (size_t i = 0; i < n; ++i)
        for (size_t j = 0; j < n; ++j) E[j * size + i] += cd_cancellation_roundoff * s->applied_force_scale;
}
