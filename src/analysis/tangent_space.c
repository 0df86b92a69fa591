// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/tangent_space.h"
#include "analysis/analysis_tolerances.h"

#include "dynamics/projection/constraint_newton.h"
#include "dynamics/rows/constraint_update.h"
#include "dynamics/rows/jacobian_operator.h"
#include "dynamics/state.h"
#include "math/lapack.h"

#include <cardan/assemble.h>
#include <math.h>
#include <string.h>

enum { MAX_PROJECTIONS = 25 };

static void layout(cd_tangent_space* t)
{
    const size_t nv = (size_t)t->nv, nrow = (size_t)t->nrow;
    CD_ARENA_ARRAY(&t->arena, t->unit, nv);
    CD_ARENA_ARRAY(&t->arena, t->basis, nv * nv);
    CD_ARENA_ARRAY(&t->arena, t->factor, nv * nrow);
    CD_ARENA_ARRAY(&t->arena, t->tau, nv + nrow);
    CD_ARENA_ARRAY(&t->arena, t->y, nv + nrow);
    CD_ARENA_ARRAY(&t->arena, t->scale, nrow);
    CD_ARENA_ARRAY(&t->arena, t->pivot, nrow);
    CD_ARENA_ARRAY(&t->arena, t->saved_q, (size_t)t->d->m->nq);
    CD_ARENA_ARRAY(&t->arena, t->work, (size_t)cd_lapack_qr_work(t->nv, t->nv + t->nrow));
}

// [m] Largest radius of gyration of a link about its origin.
static double max_gyration_radius(const cardan_model* m)
{
    double most = 0;
    for (int i = 0; i < m->nlink; ++i)
        if (m->link[i].m > 0)
            most =
                fmax(most, (m->link[i].second_moment[0] + m->link[i].second_moment[1] + m->link[i].second_moment[2]) /
                               m->link[i].m);
    return sqrt(most);
}

// [m] length_scale of the data; the largest radius of gyration if neither links nor constraints have an arm.
static double characteristic_length(const cardan_data* d)
{
    double arms = 0;
    for (int i = 0; i < d->m->nlink; ++i)
        for (int k = 0; k < 3; ++k) arms = fmax(arms, fabs(d->m->tree_transform[i].p[k]));
    const double bodies = arms > 0 || d->constraints.nconstraint > 0 ? 0 : max_gyration_radius(d->m);
    return bodies > 0 ? bodies : d->units.length_scale;
}

cardan_status cd_tangent_space_create(cardan_data* d, cd_tangent_space* t, cardan_report* report)
{
    enum { MAX_DENSE = 3000 }; // largest number of velocities or rows of the dense matrices
    *t = (cd_tangent_space){.d = d, .nv = d->m->nv, .nrow = d->rows.nrow, .length = characteristic_length(d)};
    if (t->nv > MAX_DENSE || t->nrow > MAX_DENSE)
        return cardan_fail(report, CARDAN_UNSUPPORTED, CARDAN_CODE_MODEL_TOO_LARGE, cardan_location_none(),
                           "'%s' has %d velocities and %d constraint equations: this analysis uses dense matrices, for "
                           "up to %d of each",
                           d->m->view.name, t->nv, t->nrow, MAX_DENSE);
    layout(t);
    if (!cd_arena_reserve(&t->arena))
        return cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_location_none(),
                           "out of memory while analysing '%s'", d->m->view.name);
    layout(t);
    for (int v = 0; v < t->nv; ++v) {
        const vec3 s = d->k.S[v].a;
        t->unit[v]   = v3_dot(s, s) > 0 ? 1 : 1 / t->length;
    }
    return CARDAN_OK;
}

void cd_tangent_space_release(cd_tangent_space* t) { cd_arena_release(&t->arena); }

// Assemble (J U^-1)' by columns, each row of J normalized to length 1 unless it is almost zero.
static void assemble_jacobian(cd_tangent_space* t, bool positions_only)
{
    cardan_data* d = t->d;
    memset(t->factor, 0, (size_t)t->nv * (size_t)t->nrow * sizeof *t->factor);
    for (int c = 0; c < d->rows.nblock; ++c) {
        const cd_row_block b = cd_joint_space_block(d, &d->constraints, c);
        for (int i = 0; i < b.nrow; ++i) {
            if (positions_only && !cd_constraint_row_is_holonomic(&d->constraints, c, i)) continue;
            double* column = t->factor + (size_t)(b.row + i) * (size_t)t->nv;
            double  sum    = 0;
            for (int j = 0; j < b.nv; ++j) {
                column[b.v[j]] = b.J[i * b.nv + j] / t->unit[b.v[j]];
                sum += column[b.v[j]] * column[b.v[j]];
            }
            t->scale[b.row + i] = sum > cd_zero_row_norm_sq ? 1 / sqrt(sum) : 1;
            for (int j = 0; j < b.nv; ++j) column[b.v[j]] *= t->scale[b.row + i];
        }
    }
}

static bool factor_jacobian(cd_tangent_space* t, bool positions_only)
{
    cardan_data* d = t->d;
    t->rank        = 0;
    if (t->nrow > 0) {
        cd_update_rows(d);
        assemble_jacobian(t, positions_only);
        if (!cd_lapack_qr(t->nv, t->nrow, t->factor, t->pivot, t->tau, t->work)) return false;
        const double violation = d->violations.position,
                     null = fmax(cd_analysis_rank_tolerance, fmin(cd_analysis_max_rank_tolerance, 10 * violation)) *
                            fabs(t->factor[0]);
        const int most = t->nv < t->nrow ? t->nv : t->nrow;
        while (t->rank < most && fabs(t->factor[(size_t)t->rank * (size_t)t->nv + (size_t)t->rank]) > null) ++t->rank;
    }
    t->nmotion = t->nv - t->rank;
    return true;
}

bool cd_tangent_space_compute(cd_tangent_space* t, bool positions_only)
{
    if (!factor_jacobian(t, positions_only)) return false;
    cd_lapack_qr_basis(t->nv, t->rank, t->factor, t->tau, t->rank, t->basis, t->work);
    return true;
}

static double pivot_size(const cd_tangent_space* t, int k)
{
    return fabs(t->factor[(size_t)k * (size_t)t->nv + (size_t)k]);
}

int cd_tangent_space_near_singular(cd_tangent_space* t)
{
    cardan_data* d     = t->d;
    int          nweak = 0;
    while (nweak < t->rank && pivot_size(t, t->rank - 1 - nweak) < cd_weak_pivot_tolerance * pivot_size(t, 0)) ++nweak;
    if (nweak == 0) return 0;
    const int    rank = t->rank, nwell_conditioned = rank - nweak;
    const double here = pivot_size(t, rank - 1);
    cd_lapack_qr_basis(t->nv, nwell_conditioned, t->factor, t->tau, nwell_conditioned, t->basis,
                       t->work); // first columns: weakly constrained motions
    for (int i = 0; i < t->nv; ++i) {
        double sum = 0;
        for (int k = 0; k < nweak; ++k) sum += t->basis[(size_t)k * (size_t)t->nv + (size_t)i];
        t->y[i] = cd_probe_distance * sum / t->unit[i];
    }
    memcpy(t->saved_q, d->q, (size_t)d->m->nq * sizeof *t->saved_q);
    cardan_model_integrate_position(d->m, t->saved_q, t->y, d->q);
    cd_data_set_state(d, d->t, d->q, d->v, d->state);
    const bool is_better_conditioned =
        factor_jacobian(t, false) && pivot_size(t, rank - 1) > cd_probe_pivot_growth * here;
    cd_data_set_state(d, d->t, t->saved_q, d->v, d->state);
    return is_better_conditioned ? nweak : 0;
}

void cd_tangent_space_multipliers(cd_tangent_space* t, const double* g, double* lambda)
{
    memcpy(t->y, g, (size_t)t->nv * sizeof *g);
    memset(lambda, 0, (size_t)t->nrow * sizeof *lambda);
    if (t->rank == 0) return;
    cd_lapack_qr_solve(t->nv, t->rank, t->factor, t->tau, t->y, t->work);
    for (int i = 0; i < t->rank; ++i) lambda[t->pivot[i]] = -t->scale[t->pivot[i]] * t->y[i];
}

static void min_norm_step(cd_tangent_space* t, const double* c)
{
    const size_t nv = (size_t)t->nv;
    for (int i = 0; i < t->rank; ++i) t->y[i] = -t->scale[t->pivot[i]] * c[t->pivot[i]];
    cd_lapack_qr_solve_r_transposed(t->nv, t->rank, t->factor, t->y);
    for (size_t i = (size_t)t->rank; i < nv; ++i) t->y[i] = 0;
    for (int k = t->rank - 1; k >= 0; --k) { // y = Q1 y by the Householder reflections I - tau h h'
        const double* h   = t->factor + (size_t)k * nv;
        double        sum = t->y[k];
        for (int i = k + 1; i < t->nv; ++i) sum += h[i] * t->y[i];
        t->y[k] -= t->tau[k] * sum;
        for (int i = k + 1; i < t->nv; ++i) t->y[i] -= t->tau[k] * sum * h[i];
    }
    for (size_t i = 0; i < nv; ++i) t->y[i] /= t->unit[i];
}

void cd_tangent_space_min_norm_change(cd_tangent_space* t, const double* c, double* v)
{
    min_norm_step(t, c);
    memcpy(v, t->y, (size_t)t->nv * sizeof *v);
}

bool cd_tangent_space_project(cd_tangent_space* t)
{
    cardan_data* d = t->d;
    if (t->nrow == 0) return true;
    double violation, last = INFINITY;
    cardan_data_constraint_violation(d, &violation, NULL);
    for (int i = 0; i < MAX_PROJECTIONS && violation > cd_analysis_projection_tolerance; ++i) {
        if (!isfinite(violation) || (violation < cd_accepted_projection_violation && violation > 0.5 * last)) break;
        if ((i == 0 || !(violation < 0.05 * last)) && !factor_jacobian(t, false))
            return false; // the factorization is reused while convergence is fast
        cd_update_constraint_values(d);
        min_norm_step(t, d->constraints.value);
        cd_apply_correction(d, false, t->y);
        last = violation;
        cardan_data_constraint_violation(d, &violation, NULL);
    }
    return violation <= cd_accepted_projection_violation;
}

bool cd_tangent_space_project_velocity(cd_tangent_space* t)
{
    cardan_data* d = t->d;
    double       velocity_violation, fastest = 1;
    if (t->nrow == 0) return true;
    cardan_data_constraint_violation(d, NULL, &velocity_violation);
    if (velocity_violation == 0) return true;
    for (int i = 0; i < 2; ++i) { // second pass: iterative refinement
        if (i == 0 && !factor_jacobian(t, false)) return false;
        cd_update_constraint_values(d);
        min_norm_step(t, d->constraints.rate);
        cd_apply_correction(d, true, t->y);
    }
    for (int v = 0; v < t->nv; ++v) fastest = fmax(fastest, fabs(d->v[v]));
    cardan_data_constraint_violation(d, NULL, &velocity_violation);
    return velocity_violation <= cd_accepted_projection_violation * fastest;
}

void cd_freeze_drivers(cardan_data* d)
{
    for (int i = 0; i < d->m->ndriver_function; ++i) {
        const double driver_value[3] = {d->constraints.driver_values[3 * i], 0, 0};
        memcpy(d->external.driver_values + 3 * i, driver_value, sizeof driver_value);
        d->external.is_driver_external[i] = true;
        d->external.driven[i].is_frozen   = true;
    }
    d->valid.state_stale = true;
}
