// SPDX-License-Identifier: BSD-3-Clause
// Sweeps, then Newton's method; where it does not converge, an interior point method finds its start. The p of least
// change is selected at the end.
#include "impact/contact_solve.h"

#include "impact/cone/contact_work.h"
#include "impact/cone/gauss_seidel.h"
#include "impact/impact_tolerances.h"

#include <math.h>
#include <stdlib.h>

enum { START_SWEEPS = 10, LATE_SWEEPS = 200, LAST_ROUNDS = 3, INTERIOR_ITERATIONS = 40 };

static const double interior_tolerance = 1e-7; // from which Newton's method converges

cd_contact_work* cd_contact_work_layout(cd_arena* arena, int max_rows, int max_elements)
{
    cd_contact_work  measured = {0};
    cd_contact_work* work     = cd_arena_allocate(arena, 1, sizeof *work);
    cd_contact_work* w        = work ? work : &measured;
    cd_cone_problem_layout(arena, max_rows, max_elements, &w->cone);
    cd_newton_polish_layout(arena, max_rows, &w->newton);
    w->states = cd_states_work_layout(arena, max_rows, max_elements);
    CD_ARENA_ARRAY(arena, w->state, max_elements);
    CD_ARENA_ARRAY(arena, w->is_unique, max_elements);
    CD_ARENA_ARRAY(arena, w->x, max_rows);
    CD_ARENA_ARRAY(arena, w->best, max_rows);
    CD_ARENA_ARRAY(arena, w->coefficient, CD_CONE_MAX_SETS * max_elements);
    CD_ARENA_ARRAY(arena, w->y, max_rows);
    CD_ARENA_ARRAY(arena, w->trial, max_rows);
    CD_ARENA_ARRAY(arena, w->state_p, max_rows);
    CD_ARENA_ARRAY(arena, w->state_u, max_rows);
    CD_ARENA_ARRAY(arena, w->p0, max_rows);
    CD_ARENA_ARRAY(arena, w->p, max_rows);
    CD_ARENA_ARRAY(arena, w->u, max_rows);
    return work;
}

// Round-off of G x, relative to v_ref: the residual cannot be smaller.
static double roundoff(const cd_cone_problem* cone, const double* x)
{
    double worst = 0;
    for (int b = 0; b < cone->nblock; ++b) {
        const cd_cone_block* block = &cone->block[b];
        for (int i = block->first; i < block->first + block->nrow; ++i) {
            double sum = 0;
            for (int j = 0; j < cone->n; ++j) sum += fabs(cone->G[(long)i * cone->n + j] * x[j]);
            worst = fmax(worst, sum * block->size);
        }
    }
    return cd_impact_sum_roundoff * worst;
}

// Polish work->x; keep it if it is better than the best one. Returns true if that is a solution.
static bool improve(cd_contact_work* work, double tolerance, int max_solves, double* best, int* solves)
{
    const double residual = cd_newton_polish_run(&work->cone, &work->newton, work->x, tolerance, max_solves, solves);
    if (residual < *best) {
        *best = residual;
        for (int i = 0; i < work->cone.n; ++i) work->best[i] = work->x[i];
    }
    return *best <= tolerance || *best <= fmin(roundoff(&work->cone, work->best), cd_impact_most_roundoff);
}

static void take_best(cd_contact_work* work)
{
    for (int i = 0; i < work->cone.n; ++i) work->x[i] = work->best[i];
}

static void run_interior_point(cd_contact_work* work, int* iterations)
{
    cd_states_work* s = work->states;
    cd_cone_program(work, work->cone.G, true);
    *iterations +=
        abs(cd_interior_point_solve(&s->program, &s->interior, s->x, interior_tolerance, INTERIOR_ITERATIONS));
    for (int i = 0; i < work->cone.n; ++i) work->x[i] = isfinite(s->x[i]) ? s->x[i] : 0;
}

// Sweeps of the last attempt: up to the cost of 5e7 multiplications.
static int last_sweeps(int n) { return (int)fmin(2e4, 5e7 / (1.0 + (double)n * n)); }

// The states after the first sweeps as equations: the solution if nothing slips, as for bodies at rest.
static bool guess_states(const cd_contact_problem* problem, cd_contact_work* work, double tolerance, double* best)
{
    const double v = problem->velocity_scale;
    cd_cone_problem_expand(&work->cone, problem, work->x, work->p);
    if (cd_contact_residual(problem, work->p, work->u) <= tolerance * v) return false; // start values were exact
    const double residual = cd_try_states(problem, work, work->u, cd_impact_guess_velocity * v) / v;
    if (!(residual <= tolerance)) return false;
    *best = residual;
    cd_cone_problem_restrict(&work->cone, work->p, work->best);
    return true;
}

// Returns true if work->best is a solution; its residual in *best.
static bool find_impulses(const cd_contact_problem* problem, cd_contact_work* work, double tolerance, double* best,
                          int* iterations)
{
    *best = INFINITY;
    for (int i = 0; i < work->cone.n; ++i) work->best[i] = work->x[i];
    cd_gauss_seidel_sweeps(&work->cone, START_SWEEPS, work->x);
    if (guess_states(problem, work, tolerance, best)) return true;
    if (improve(work, tolerance, CD_POLISH_FEW_SOLVES, best, iterations)) return true;
    run_interior_point(work, iterations);
    if (improve(work, tolerance, CD_POLISH_SOLVES, best, iterations)) return true;
    take_best(work);
    cd_gauss_seidel_sweeps(&work->cone, LATE_SWEEPS, work->x);
    if (improve(work, tolerance, CD_POLISH_SOLVES, best, iterations)) return true;
    if (!work->cone.is_symmetric) return false;
    if (cd_friction_continuation(work, tolerance, iterations) < *best &&
        improve(work, tolerance, CD_POLISH_SOLVES, best, iterations))
        return true;
    for (int round = 0; round < LAST_ROUNDS; ++round) {
        take_best(work);
        cd_gauss_seidel_sweeps(&work->cone, last_sweeps(work->cone.n), work->x);
        if (improve(work, tolerance, CD_POLISH_SOLVES, best, iterations)) return true;
    }
    return false;
}

// Is the problem known to have no solution?
static bool is_infeasible(const cd_contact_problem* problem, cd_contact_work* work, double tolerance, double* best,
                          int* iterations)
{
    bool is_refuted;
    if (work->cone.is_symmetric) return cd_has_infeasible_direction(work);
    const double residual = cd_try_sliding_states(problem, work, tolerance, iterations, &is_refuted);
    if (residual < *best) {
        *best = residual;
        for (int i = 0; i < work->cone.n; ++i) work->best[i] = work->x[i];
    }
    return is_refuted;
}

static cd_contact_status solve(const cd_contact_problem* problem, cd_contact_work* work, cd_contact_solution* solution,
                               double tolerance)
{
    cd_contact_status status = CD_CONTACT_SOLVED;
    solution->iterations     = 0;
    for (int i = 0; i < problem->nrow; ++i) work->p0[i] = solution->p[i];
    cd_cone_problem_reduce(problem, &work->cone);
    cd_cone_problem_restrict(&work->cone, work->p0, work->x);
    double best;
    if (!find_impulses(problem, work, tolerance, &best, &solution->iterations)) {
        if (is_infeasible(problem, work, tolerance, &best, &solution->iterations))
            status = CD_CONTACT_INFEASIBLE;
        else if (!(best <= tolerance))
            status = CD_CONTACT_NOT_CONVERGED;
    }
    cd_cone_problem_expand(&work->cone, problem, work->best, solution->p);
    solution->residual = cd_contact_residual(problem, solution->p, solution->u);
    cd_least_change(problem, work, solution, tolerance);
    return status;
}

cd_contact_status cd_contact_solve(const cd_contact_problem* problem, cd_contact_work* work,
                                   cd_contact_solution* solution, double tolerance)
{
    cd_contact_problem scaled = *problem;
    if (!(scaled.velocity_scale > 0)) scaled.velocity_scale = 1; // nothing moves
    return solve(&scaled, work, solution, tolerance);
}
