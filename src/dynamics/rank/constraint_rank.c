// SPDX-License-Identifier: BSD-3-Clause
// Rank of the constraints by singular values, assembly of configurations, and random assembled configurations nearby.
//
//   assembly    x = -V s/(s^2 + mu) U'c        Levenberg-Marquardt: mu = |c|^2 at first, larger if c does not decrease
//
// c and J are scaled alike (dynamics/reactions/self_stress.c), x in radians and units of design_length. Because mu
// tends to zero with c, the iteration converges quadratically, also with redundant or nearly redundant rows.
// docs/theory/redundancy.md (1), (2).
#include "dynamics/rank/constraint_rank.h"

#include "dynamics/dynamics_tolerances.h"
#include "dynamics/rows/constraint_update.h"
#include "dynamics/state.h"
#include "math/lapack.h"

#include <math.h>
#include <string.h>

enum { MAX_ITERATIONS = 200 };

static void layout(cd_rank_analysis* p, cd_arena* arena)
{
    const cardan_model* m = p->d->m;
    CD_ARENA_ARRAY(arena, p->q, m->nq);
    CD_ARENA_ARRAY(arena, p->q_assembled, m->nq);
    CD_ARENA_ARRAY(arena, p->q_trial, m->nq);
    CD_ARENA_ARRAY(arena, p->q_generic, m->nq);
    CD_ARENA_ARRAY(arena, p->v, m->nv);
    CD_ARENA_ARRAY(arena, p->zero_nv, m->nv);
    CD_ARENA_ARRAY(arena, p->driven, p->nrow);
    CD_ARENA_ARRAY(arena, p->state, m->nstate);
    CD_ARENA_ARRAY(arena, p->J, (size_t)p->nrow * (size_t)p->nv);
    CD_ARENA_ARRAY(arena, p->scale, p->nrow);
    CD_ARENA_ARRAY(arena, p->sigma, p->max_rank);
    CD_ARENA_ARRAY(arena, p->left_singular, (size_t)p->nrow * (size_t)p->nrow);
    CD_ARENA_ARRAY(arena, p->right_singular, (size_t)p->max_rank * (size_t)p->nv);
    CD_ARENA_ARRAY(arena, p->work, cd_lapack_svd_work(p->nrow, p->nv));
    CD_ARENA_ARRAY(arena, p->x, p->nrow + p->nv);
    CD_ARENA_ARRAY(arena, p->y, p->nrow + p->nv);
}

bool cd_rank_analysis_init(cd_rank_analysis* p, cardan_data* d, cardan_report* report)
{
    const cardan_model* m = d->m;
    *p                    = (cd_rank_analysis){.d        = d,
                                               .nrow     = d->rows.nrow,
                                               .nv       = m->nv,
                                               .max_rank = d->rows.nrow < m->nv ? d->rows.nrow : m->nv,
                                               .t        = d->t,
                                               .rng      = 1};
    layout(p, &p->arena);
    if (!cd_arena_reserve(&p->arena)) {
        cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_location_none(),
                    "out of memory while diagnosing '%s'", m->view.name);
        return false;
    }
    layout(p, &p->arena);
    memcpy(p->q, d->q, (size_t)m->nq * sizeof *p->q);
    memcpy(p->v, d->v, (size_t)m->nv * sizeof *p->v);
    if (m->nstate > 0) memcpy(p->state, d->state, (size_t)m->nstate * sizeof *p->state);
    for (int i = 0; i < d->constraints.nconstraint; ++i) {
        const cd_constraint* c = &d->constraints.constraint[i];
        for (int row = 0; row < c->nrow; ++row) p->driven[c->first_row + row] = c->driven_rows >> row & 1;
    }
    return true;
}

void cd_rank_analysis_destroy(cd_rank_analysis* p)
{
    if (p->arena.base) cd_data_set_state(p->d, p->t, p->q, p->v, p->state);
    cd_arena_release(&p->arena);
}

static void set_configuration(cd_rank_analysis* p, const double* q)
{
    cd_data_set_state(p->d, p->t, q, p->zero_nv, p->state);
    cd_update_rows(p->d);
}

double cd_rank_analysis_tolerance(const cd_rank_analysis* p)
{
    return fmax(p->rank_cutoff,
                p->violation_tolerance > 0 ? cd_singular_value_tolerance : cd_exact_singular_value_tolerance);
}

bool cd_rank_analysis_compute(cd_rank_analysis* p, const double* q)
{
    set_configuration(p, q);
    cd_scaled_jacobian(p->d, p->J, p->scale);
    for (int i = 0; p->drivers_released && i < p->nrow; ++i)
        if (p->driven[i]) memset(p->J + (size_t)i * (size_t)p->nv, 0, (size_t)p->nv * sizeof *p->J);
    p->rank = 0;
    if (!cd_lapack_svd(p->nrow, p->nv, p->J, p->sigma, p->left_singular, p->right_singular, p->work)) return false;
    while (p->rank < p->max_rank && p->sigma[p->rank] > cd_rank_analysis_tolerance(p) * fmax(1, p->sigma[0])) ++p->rank;
    return true;
}

// Scaled violations c of all rows, and their norm.
static double scaled_violations(cd_rank_analysis* p, double* c)
{
    double sum = 0;
    for (int i = 0; i < p->nrow; ++i) {
        c[i] = p->drivers_released && p->driven[i] ? 0 : p->d->constraints.value[i] * p->scale[i];
        sum += c[i] * c[i];
    }
    return sqrt(sum);
}

static double scaled_violations_at(cd_rank_analysis* p, const double* q, double* c)
{
    set_configuration(p, q);
    return scaled_violations(p, c);
}

// q_new = q (+) the scaled step x, shortened so that no coordinate changes by more than max_step.
static void apply_scaled_step(cd_rank_analysis* p, const double* q, const double* x, double max_step, double* q_new)
{
    double largest = 0;
    for (int v = 0; v < p->nv; ++v) largest = fmax(largest, fabs(x[v]));
    const double shrink = largest > max_step ? max_step / largest : 1;
    for (int v = 0; v < p->nv; ++v) {
        const vec3 s = p->d->k.S[v].a;
        p->y[v]      = shrink * x[v] * (v3_dot(s, s) > 0 ? 1 : p->d->reactions.design_length);
    }
    cardan_model_integrate_position(p->d->m, q, p->y, q_new);
}

// Damped step x from the singular values computed last, for violations c.
static void damped_step(cd_rank_analysis* p, const double* c, double mu, double* x)
{
    memset(x, 0, (size_t)p->nv * sizeof *x);
    for (int k = 0; k < p->max_rank; ++k) {
        const double s = p->sigma[k];
        if (s <= cd_rank_analysis_tolerance(p) * fmax(1, p->sigma[0])) break;
        double u = 0;
        for (int i = 0; i < p->nrow; ++i) u += p->left_singular[i * p->nrow + k] * c[i];
        const double f = -u * s / (s * s + mu);
        for (int v = 0; v < p->nv; ++v) x[v] += f * p->right_singular[k * p->nv + v];
    }
}

bool cd_rank_analysis_assemble(cd_rank_analysis* p, double* q)
{
    if (p->nrow == 0) return true;
    double* c              = p->x + p->nv;
    double  damping_factor = 1;
    if (!cd_rank_analysis_compute(p, q)) return false;
    double violation_norm = scaled_violations(p, c);
    for (int round = 0; round < MAX_ITERATIONS && violation_norm > cd_rank_violation_roundoff; ++round) {
        bool better = false;
        for (int attempt = 0; attempt < 12 && !better; ++attempt, damping_factor *= 8) {
            double* trial_violation = p->y + p->nv;
            damped_step(p, c, damping_factor * violation_norm * violation_norm, p->x);
            apply_scaled_step(p, q, p->x, cd_max_rank_assembly_step, p->q_trial);
            const double trial_norm = scaled_violations_at(p, p->q_trial, trial_violation);
            better                  = trial_norm < violation_norm * (1 - cd_min_rank_violation_decrease);
            if (!better && trial_norm < violation_norm && violation_norm < cd_rank_violation_tolerance)
                break; // only round-off remains
            if (!better) set_configuration(p, q);
        }
        if (!better) break;
        damping_factor = fmax(damping_factor / 64, 1);
        memcpy(q, p->q_trial, (size_t)p->d->m->nq * sizeof *q);
        if (!cd_rank_analysis_compute(p, q)) return false;
        violation_norm = scaled_violations(p, c);
    }
    cd_rank_analysis_compute(p, q);
    return violation_norm <= fmax(cd_rank_violation_tolerance * 10, p->violation_tolerance);
}

void cd_split_constraint_violation(const cardan_data* d, int constraint, double* translation_violation,
                                   double* rotation_violation)
{
    const cd_constraint* c      = &d->constraints.constraint[constraint];
    double               length = 0, angle = 0;
    for (int row = 0; row < c->nrow; ++row) {
        const double value = d->constraints.value[c->first_row + row];
        double       force = 0;
        for (int k = 0; k < c->nend; ++k) {
            const vec3 l = d->constraints.equations[constraint].G[row * c->nend + k].l;
            force        = fmax(force, v3_dot(l, l));
        }
        if (force > 0)
            length += value * value;
        else
            angle += value * value;
    }
    *translation_violation = sqrt(length);
    *rotation_violation    = sqrt(angle);
}

void cd_rank_analysis_violations(cd_rank_analysis* p, const double* q, double* translation_violation,
                                 double* rotation_violation, int* worst)
{
    double most = -1;
    set_configuration(p, q);
    *translation_violation = *rotation_violation = 0;
    for (int i = 0; i < p->d->constraints.nconstraint; ++i) {
        double length, angle;
        cd_split_constraint_violation(p->d, i, &length, &angle);
        *translation_violation = fmax(*translation_violation, length);
        *rotation_violation    = fmax(*rotation_violation, angle);
        if (fmax(length / p->d->reactions.design_length, angle) > most) {
            most = fmax(length / p->d->reactions.design_length, angle);
            if (worst) *worst = i;
        }
    }
}

// Uniform in (-1, 1); the same sequence in every analysis.
static double random_uniform(cd_rank_analysis* p)
{
    p->rng = p->rng * 6364136223846793005ULL + 1442695040888963407ULL;
    return (double)(p->rng >> 11) / 4503599627370496.0 - 1;
}

bool cd_rank_analysis_find_nearby(cd_rank_analysis* p, const double* q_from, double size, double* q)
{
    if (!cd_rank_analysis_compute(p, q_from)) return false;
    double* x = p->x;
    for (int v = 0; v < p->nv; ++v) x[v] = random_uniform(p);
    for (int k = 0; k < p->rank; ++k) {
        double part = 0;
        for (int v = 0; v < p->nv; ++v) part += p->right_singular[k * p->nv + v] * x[v];
        for (int v = 0; v < p->nv; ++v) x[v] -= part * p->right_singular[k * p->nv + v];
    }
    double largest = 0;
    for (int v = 0; v < p->nv; ++v) largest = fmax(largest, fabs(x[v]));
    if (largest < cd_motion_roundoff) return false;
    for (int v = 0; v < p->nv; ++v) x[v] *= size / largest;
    apply_scaled_step(p, q_from, x, size, q);
    if (!cd_rank_analysis_assemble(p, q)) return false;

    double displacement = 0;
    cardan_model_position_difference(p->d->m, q_from, q, p->y);
    for (int v = 0; v < p->nv; ++v) {
        const vec3 s = p->d->k.S[v].a;
        displacement = fmax(displacement, fabs(p->y[v]) / (v3_dot(s, s) > 0 ? 1 : p->d->reactions.design_length));
    }
    return displacement > cd_min_nearby_displacement * size;
}
