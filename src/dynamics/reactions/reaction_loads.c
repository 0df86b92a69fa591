// SPDX-License-Identifier: BSD-3-Clause
// Forces that read reactions of joints, such as friction proportional to the load of a bearing. x are the reaction
// signals in the formulas, y(x) the reactions that follow from the forces at x with the factor of the state:
//
//   r(x) = Q(x) - c,   M a + J'lambda = r(x),   J a = gamma,   y(x) = reactions(a, lambda, Q(x)),   y(x) = x
//
// y is affine in the forces and, for friction, piecewise smooth in x. Newton's method with K = dy/dx by differences,
// (1 - K) dx = y - x, starts at the reactions without these forces; steps that increase the residual are halved
// (Deuflhard 2004, chapter 3). If |K| < 1 the solution is unique near it (contraction). Otherwise friction may jam, so that no
// solution exists, or several solutions exist: the iteration is repeated from other loads, and a second solution is a
// failure, since the equations do not determine the motion.
//
// A reaction must be unique: no self-stress changes it (self_stress.c). This is tested at the first evaluation and
// whenever the number of redundant rows has changed.
#include "dynamics/reactions/reaction_loads.h"

#include "dynamics/data.h"
#include "dynamics/dynamics_tolerances.h"
#include "dynamics/forces.h"
#include "dynamics/solve.h"
#include "math/lapack.h"

#include <math.h>
#include <string.h>

enum { ITERATIONS_MAX = 30, HALVINGS_MAX = 6 };

void cd_reaction_loads_layout(const cardan_model* m, cd_arena* arena, cd_reaction_loads* l)
{
    const int n = m->nreaction_signal;
    l->n        = n;
    CD_ARENA_ARRAY(arena, l->value, n ? m->view.nsignal : 0);
    CD_ARENA_ARRAY(arena, l->x, n);
    CD_ARENA_ARRAY(arena, l->y, n);
    CD_ARENA_ARRAY(arena, l->trial, n);
    CD_ARENA_ARRAY(arena, l->found, n);
    CD_ARENA_ARRAY(arena, l->residual, n);
    CD_ARENA_ARRAY(arena, l->step, n);
    CD_ARENA_ARRAY(arena, l->probe, n);
    CD_ARENA_ARRAY(arena, l->K, n * n);
    CD_ARENA_ARRAY(arena, l->A, n * n);
    CD_ARENA_ARRAY(arena, l->pivot, n);
    CD_ARENA_ARRAY(arena, l->work, n ? cd_lapack_least_squares_work(n) : 0);
}

void cd_clear_reaction_loads(cardan_data* d)
{
    memset(d->reaction_loads.value, 0, (size_t)d->m->view.nsignal * sizeof *d->reaction_loads.value);
    d->valid.forces = false;
}

static const cardan_signal* signal_of(const cardan_data* d, int k)
{
    return &d->m->view.signal[d->m->reaction_signal[k]];
}

// Unit of a signal: 1 for forces, the design length for torques.
static double unit_of(const cardan_data* d, int k)
{
    const int component = signal_of(d, k)->component;
    return component < 3 || component == 6 ? 1 : d->reactions.design_length;
}

// Largest entry in units of force.
static double norm_of(const cardan_data* d, const double* x)
{
    double most = 0;
    for (int k = 0; k < d->reaction_loads.n; ++k) most = fmax(most, fabs(x[k]) / unit_of(d, k));
    return most;
}

// Reactions at accelerations a and the multipliers of the last solve.
static void read_reactions(cardan_data* d, const double* a, double* y)
{
    cd_compute_given_reactions(d, a);
    for (int k = 0; k < d->reaction_loads.n; ++k) {
        const cardan_signal* s         = signal_of(d, k);
        const spatial        F         = d->reactions.joint_wrench[s->a];
        const bool           is_torque = s->component == 7 || (s->component >= 3 && s->component < 6);
        const vec3           u         = is_torque ? F.a : F.l;
        const mat3           axes      = cd_marker_axes(d->m, &d->world, s->b);
        y[k] = s->component >= 6 ? sqrt(v3_dot(u, u)) : v3_dot(u, m3_column(axes, s->component % 3));
    }
}

// y(x): accelerations, multipliers and reactions with the signals x in the formulas.
static cardan_status evaluate(cardan_data* d, const double* x, double* a, double* y, cd_solve_info* info)
{
    cd_reaction_loads* l = &d->reaction_loads;
    for (int k = 0; k < l->n; ++k) l->value[d->m->reaction_signal[k]] = x[k];
    d->valid.forces = false;
    cd_update_rhs(d);
    const cardan_status status = cd_solve_with_factor(d, d->solve.r, d->solve.gamma, a, d->solve.lambda, info);
    if (status == CARDAN_OK) read_reactions(d, a, y);
    return status;
}

// K at x, where y(x) is given.
static cardan_status evaluate_slopes(cardan_data* d, const double* x, const double* y, double size, double* a,
                                     cd_solve_info* info)
{
    cd_reaction_loads* l = &d->reaction_loads;
    const int          n = l->n;
    for (int j = 0; j < n; ++j) {
        const double h = cd_reaction_difference * size * unit_of(d, j);
        memcpy(l->trial, x, (size_t)n * sizeof *x);
        l->trial[j] += h;
        const cardan_status status = evaluate(d, l->trial, a, l->found, info);
        if (status != CARDAN_OK) return status;
        for (int i = 0; i < n; ++i) l->K[j * n + i] = (l->found[i] - y[i]) / h;
    }
    return CARDAN_OK;
}

// step = (1 - K)^-1 (y - x); false if the matrix is singular: a change of the loads reproduces itself.
static bool solve_step(cardan_data* d)
{
    cd_reaction_loads* l = &d->reaction_loads;
    const int          n = l->n;
    for (int i = 0; i < n * n; ++i) l->A[i] = (i % (n + 1) == 0) - l->K[i];
    memcpy(l->step, l->residual, (size_t)n * sizeof *l->step);
    if (cd_lapack_least_squares(n, l->A, l->step, cd_reaction_rank_tolerance, l->work, l->pivot) < n) return false;
    for (int i = 0; i < n; ++i)
        if (!isfinite(l->step[i])) return false;
    return true;
}

static double update_residual(cardan_data* d, const double* x, const double* y)
{
    cd_reaction_loads* l = &d->reaction_loads;
    for (int k = 0; k < l->n; ++k) l->residual[k] = y[k] - x[k];
    return norm_of(d, l->residual);
}

// Signal with the largest residual.
static int worst_signal(const cardan_data* d)
{
    const cd_reaction_loads* l     = &d->reaction_loads;
    int                      worst = 0;
    for (int k = 1; k < l->n; ++k)
        if (fabs(l->residual[k]) / unit_of(d, k) > fabs(l->residual[worst]) / unit_of(d, worst)) worst = k;
    return worst;
}

// Newton's method from x. On success x solves the equations, a and the multipliers belong to it, and K is that of the
// last iteration.
static cardan_status iterate(cardan_data* d, double* x, double* y, double* a, cd_solve_info* info)
{
    cd_reaction_loads* l      = &d->reaction_loads;
    cardan_status      status = evaluate(d, x, a, y, info);
    for (int i = 0; i < ITERATIONS_MAX && status == CARDAN_OK; ++i) {
        const double size = fmax(norm_of(d, x), norm_of(d, y)), error = update_residual(d, x, y);
        double       fraction = 1, next = error;
        l->failed = worst_signal(d);
        if (!isfinite(error)) return CARDAN_NOT_CONVERGED;
        const bool has_converged = error <= cd_reaction_tolerance * size;
        if (!has_converged || (i == 0 && size > 0)) status = evaluate_slopes(d, x, y, size, a, info);
        if (status != CARDAN_OK) return status;
        if (has_converged) return evaluate(d, x, a, y, info);
        if (!solve_step(d)) return CARDAN_NOT_CONVERGED;
        for (int k = 0; k <= HALVINGS_MAX && status == CARDAN_OK; ++k, fraction /= 2) {
            for (int j = 0; j < l->n; ++j) l->trial[j] = x[j] + fraction * l->step[j];
            status = evaluate(d, l->trial, a, l->found, info);
            next   = update_residual(d, l->trial, l->found);
            if (next < error) break;
        }
        if (!(next < error))
            return error <= cd_reaction_rounding * size ? evaluate(d, x, a, y, info) : CARDAN_NOT_CONVERGED;
        memcpy(x, l->trial, (size_t)l->n * sizeof *x);
        memcpy(y, l->found, (size_t)l->n * sizeof *y);
    }
    return status == CARDAN_OK ? CARDAN_NOT_CONVERGED : status;
}

// |K| in units of force, infinity norm.
static double slope_norm(const cardan_data* d)
{
    const cd_reaction_loads* l    = &d->reaction_loads;
    double                   most = 0;
    for (int i = 0; i < l->n; ++i) {
        double sum = 0;
        for (int j = 0; j < l->n; ++j) sum += fabs(l->K[j * l->n + i]) * unit_of(d, j) / unit_of(d, i);
        most = fmax(most, sum);
    }
    return most;
}

// Search for another solution from other loads; then restore the solution x.
static cardan_status find_other_solution(cardan_data* d, double* a, cd_solve_info* info)
{
    static const double start[] = {-3, 0.1, 10, 100};
    cd_reaction_loads*  l       = &d->reaction_loads;
    const double        size    = norm_of(d, l->x);
    for (int i = 0; i < (int)(sizeof start / sizeof *start) && !l->several; ++i) {
        for (int k = 0; k < l->n; ++k) l->probe[k] = start[i] * l->x[k];
        if (iterate(d, l->probe, l->y, a, info) != CARDAN_OK) continue;
        for (int k = 0; k < l->n; ++k)
            if (fabs(l->probe[k] - l->x[k]) / unit_of(d, k) > cd_reaction_difference * size)
                l->several = true, l->failed = k;
    }
    return l->several ? CARDAN_NOT_CONVERGED : evaluate(d, l->x, a, l->y, info);
}

// Whether the reactions that are read are unique.
static bool are_unique(cardan_data* d)
{
    cd_reaction_loads* l      = &d->reaction_loads;
    const int          nfound = d->formulation->pivots ? cardan_data_redundant_rows(d, 0, NULL, NULL) : 0;
    if (l->uniqueness_known && l->nredundant == nfound) return true;
    cd_find_self_stress(d, &d->reactions.self_stress);
    l->too_large = !d->reactions.self_stress.affordable;
    for (int k = 0; k < l->n; ++k)
        if (!d->reactions.self_stress.unique[signal_of(d, k)->a]) {
            l->failed = k;
            return false;
        }
    l->uniqueness_known = true;
    l->nredundant       = nfound;
    return true;
}

cardan_status cd_solve_reaction_loads(cardan_data* d, double* a, cd_solve_info* info, cardan_code* code)
{
    cd_reaction_loads* l = &d->reaction_loads;
    l->several           = false;
    *code                = CARDAN_CODE_REACTION_NOT_UNIQUE;
    if (!are_unique(d)) return CARDAN_UNSUPPORTED;
    *code = CARDAN_CODE_REACTION_NOT_SOLVED;
    memset(l->K, 0, (size_t)l->n * (size_t)l->n * sizeof *l->K);
    cd_update_rhs(d);
    read_reactions(d, a, l->x);
    cardan_status status = iterate(d, l->x, l->y, a, info);
    if (status == CARDAN_OK && slope_norm(d) >= 1) status = find_other_solution(d, a, info);
    return status;
}
