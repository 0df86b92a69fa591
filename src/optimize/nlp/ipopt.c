// SPDX-License-Identifier: BSD-3-Clause
// Interface to IPOPT: callbacks, options, and messages for its return codes.
#include "optimize/nlp/nlp_solver.h"

#include "core/memory.h"
#include "optimize/optimize_tolerances.h"

#include <IpStdCInterface.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct ipopt_context {
    cd_block_nlp*         program;
    const cd_nlp_options* options;
    cd_nlp_solution*      solution;
    double *              iterate, *best; // (n) last point at which the Jacobian was evaluated; best iterate
    double                best_cost, best_violation, first_cost;
} ipopt_context;

static Bool objective(Index n, Number* x, Bool new_x, Number* value, UserDataPtr user)
{
    const ipopt_context* s = user;
    (void)n, (void)new_x;
    *value = cd_block_nlp_objective(s->program, x);
    return isfinite(*value);
}

static Bool gradient(Index n, Number* x, Bool new_x, Number* value, UserDataPtr user)
{
    const ipopt_context* s = user;
    (void)n, (void)new_x;
    cd_block_nlp_gradient(s->program, x, value);
    return TRUE;
}

static Bool constraints(Index n, Number* x, Bool new_x, Index m, Number* g, UserDataPtr user)
{
    const ipopt_context* s = user;
    (void)n, (void)new_x;
    cd_block_nlp_constraints(s->program, x, g);
    for (int i = 0; i < m; ++i)
        if (!isfinite(g[i])) return FALSE;
    return TRUE;
}

static void copy_entries(int count, const cd_sparse_entry* entry, Index* row, Index* column)
{
    for (int i = 0; i < count; ++i) {
        row[i]    = entry[i].row;
        column[i] = entry[i].column;
    }
}

static Bool jacobian(Index n, Number* x, Bool new_x, Index m, Index count, Index* row, Index* column, Number* value,
                     UserDataPtr user)
{
    const ipopt_context* s = user;
    (void)new_x, (void)m;
    if (!value)
        copy_entries(count, s->program->jacobian, row, column);
    else {
        cd_block_nlp_jacobian(s->program, x, value);
        memcpy(s->iterate, x, (size_t)n * sizeof *x);
    }
    return TRUE;
}

static Bool hessian(Index n, Number* x, Bool new_x, Number sigma, Index m, Number* lambda, Bool new_lambda, Index count,
                    Index* row, Index* column, Number* value, UserDataPtr user)
{
    const ipopt_context* s = user;
    (void)n, (void)new_x, (void)m, (void)new_lambda;
    if (value)
        cd_block_nlp_hessian(s->program, x, sigma, lambda, value);
    else
        copy_entries(count, s->program->hessian, row, column);
    return TRUE;
}

// Of two feasible points the one of lower cost is better; else the one of smaller violation.
static bool is_better(const ipopt_context* s, double cost, double violation)
{
    if (violation <= cd_feasibility_tolerance && s->best_violation <= cd_feasibility_tolerance)
        return cost < s->best_cost;
    return violation < s->best_violation;
}

// Return whether feasible points become so much cheaper, through an unbounded control, that the cost has no minimum.
static bool is_unbounded(const ipopt_context* s, double times)
{
    return s->options->may_be_unbounded && s->best_violation <= cd_feasibility_tolerance &&
           s->best_cost < -times * (1 + fabs(s->first_cost));
}

// IPOPT evaluates derivatives only at iterates, so the last point is the iterate reported here. The restoration phase
// (mode 1) solves another problem and is ignored.
static Bool intermediate_callback(Index mode, Index iteration, Number value, Number violation,
                                  Number dual_infeasibility, Number mu, Number step_norm, Number regularization,
                                  Number alpha_dual, Number alpha_primal, Index trials, UserDataPtr user)
{
    ipopt_context* s = user;
    (void)mu, (void)step_norm, (void)regularization, (void)alpha_dual, (void)alpha_primal, (void)trials,
        (void)dual_infeasibility;
    s->solution->iterations = iteration;
    if (iteration == 0) s->first_cost = value;
    if (mode == 0 && is_better(s, value, violation)) {
        memcpy(s->best, s->iterate, (size_t)s->program->n * sizeof *s->best);
        s->best_cost      = value;
        s->best_violation = violation;
    }
    return !is_unbounded(s, 1e6) && (!s->options->iteration_callback ||
                                     s->options->iteration_callback(s->options->user, iteration, value, violation));
}

static bool set_string_option(IpoptProblem problem, const char* key, const char* value)
{
    char k[64], v[64]; // the interface takes non-const strings
    strcpy(k, key);
    strcpy(v, value);
    return AddIpoptStrOption(problem, k, v);
}

static bool set_integer_option(IpoptProblem problem, const char* key, int value)
{
    char k[64];
    strcpy(k, key);
    return AddIpoptIntOption(problem, k, value);
}

static bool set_number_option(IpoptProblem problem, const char* key, double value)
{
    char k[64];
    strcpy(k, key);
    return AddIpoptNumOption(problem, k, value);
}

// AMD orders the block NLP at half the cost of the default; AMF is better with condensed points. Matching and scaling
// before every factorization are switched off: they take a quarter of its time, and with the first cost function of
// paper 003 they decide whether the search converges. Workspace is allocated as needed, not tenfold. Option files in
// the current folder are not read. Bounds are not relaxed: IPOPT's default of 1e-8 changes the optimum of the arm of
// paper 003 in its eighth digit. IPOPT prints nothing; the caller reports progress.
static bool set_options(IpoptProblem problem, const cd_nlp_options* options, double scale)
{
    bool ok = set_integer_option(problem, "print_level", 0) && set_string_option(problem, "sb", "yes") &&
              set_string_option(problem, "option_file_name", "");
    ok = ok && set_integer_option(problem, "mumps_pivot_order", options->condensed ? 2 : 0) &&
         set_integer_option(problem, "mumps_mem_percent", 20) &&
         set_integer_option(problem, "mumps_permuting_scaling", 0) && set_integer_option(problem, "mumps_scaling", 0);
    ok = ok && set_number_option(problem, "tol", options->tolerance) &&
         set_integer_option(problem, "max_iter", options->max_iterations) &&
         set_number_option(problem, "bound_relax_factor", 0) &&
         set_number_option(problem, "obj_scaling_factor", scale) &&
         set_number_option(problem, "diverging_iterates_tol", 1e12);
    static const char* const start_push[] = {"bound_push", "bound_frac", "slack_bound_push", "slack_bound_frac"};
    for (size_t i = 0; options->starts_from_trajectory && i < sizeof start_push / sizeof *start_push; ++i)
        ok = ok && set_number_option(problem, start_push[i], 1e-4);
    if (options->starts_from_trajectory && !options->warm_start) ok = ok && set_number_option(problem, "mu_init", 1e-3);
    if (!options->warm_start) return ok;
    static const char* const push[] = {"warm_start_bound_push", "warm_start_bound_frac", "warm_start_slack_bound_push",
                                       "warm_start_slack_bound_frac", "warm_start_mult_bound_push"};
    ok =
        ok && set_string_option(problem, "warm_start_init_point", "yes") && set_number_option(problem, "mu_init", 1e-9);
    for (size_t i = 0; i < sizeof push / sizeof *push; ++i) ok = ok && set_number_option(problem, push[i], 1e-10);
    return ok;
}

static cardan_status fail_infeasible(const ipopt_context* s, const char* before, cardan_report* report)
{
    return cardan_fail(
        report, CARDAN_NOT_CONVERGED, CARDAN_CODE_OPTIMUM_NOT_FOUND, s->options->location,
        "%sno trajectory was found that satisfies all conditions: an end condition may lie outside the workspace, the "
        "horizon be too short or a bound too tight; try a longer horizon, wider bounds or a guess closer to the end",
        before);
}

static cardan_status report_status(enum ApplicationReturnStatus status, const ipopt_context* s, cardan_report* report)
{
    const cd_nlp_options* options = s->options;
    const cardan_location at      = options->location;
    char                  after[48];
    const bool            ends = status == Solve_Succeeded || status == Insufficient_Memory;
    switch (!ends && is_unbounded(s, 1e3) ? Diverging_Iterates : status) {
    case Solve_Succeeded:
        return CARDAN_OK;
    case Solved_To_Acceptable_Level:
        cardan_warn(
            report, CARDAN_CODE_OPTIMUM_INACCURATE, at,
            "the optimum does not meet the tolerance, only the acceptable level; try more intervals or a better guess");
        return CARDAN_OK;
    case Infeasible_Problem_Detected:
    case Restoration_Failed:
        return fail_infeasible(s, "", report);
    case Diverging_Iterates:
        if (!is_unbounded(s, 1e3) && s->best_violation > cd_infeasible_violation)
            return fail_infeasible(s, "the unknowns diverge, and ", report);
        return cardan_fail(report, CARDAN_NOT_FINITE, CARDAN_CODE_COST_UNBOUNDED, at,
                           "the cost decreases without bound and has no minimum; add bounds on the controls, or a term "
                           "that grows with them (effort, rate) to the cost");
    case Not_Enough_Degrees_Of_Freedom:
        return cardan_fail(report, CARDAN_BAD_INPUT, CARDAN_CODE_TASK_OVERDETERMINED, at,
                           "there are more conditions than unknowns; remove a condition that follows from others, or "
                           "add intervals or controls");
    case User_Requested_Stop:
        return cardan_fail(report, CARDAN_STOPPED, CARDAN_CODE_STOPPED, at,
                           "stopped on request; the trajectory is the best iterate so far");
    case Maximum_Iterations_Exceeded:
        if (s->best_violation > cd_infeasible_violation)
            return snprintf(after, sizeof after, "after %d iterations ", options->max_iterations),
                   fail_infeasible(s, after, report);
        return cardan_fail(report, CARDAN_NOT_CONVERGED, CARDAN_CODE_OPTIMUM_NOT_FOUND, at,
                           "no optimum after %d iterations; try a better guess, more intervals or more iterations",
                           options->max_iterations);
    case Search_Direction_Becomes_Too_Small:
    case Error_In_Step_Computation:
        return cardan_fail(report, CARDAN_NOT_CONVERGED, CARDAN_CODE_OPTIMUM_NOT_FOUND, at,
                           "the solver found no further step: conditions may be redundant or contradict each other; "
                           "check end conditions against path bounds");
    case Invalid_Number_Detected:
        return cardan_fail(report, CARDAN_NOT_FINITE, CARDAN_CODE_TASK_UNDEFINED, at,
                           "a formula of the task or the dynamics at the guess is not finite; check the guess for "
                           "singular configurations");
    case Insufficient_Memory:
        return cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, at, "out of memory");
    default:
        return cardan_fail(report, CARDAN_NOT_CONVERGED, CARDAN_CODE_OPTIMUM_NOT_FOUND, at,
                           "the solver failed (code %d)", (int)status);
    }
}

// Replace the last iterate by the best one.
static void restore_best(const ipopt_context* s)
{
    cd_block_nlp*    p = s->program;
    cd_nlp_solution* r = s->solution;
    if (isfinite(s->best_violation)) memcpy(r->x, s->best, (size_t)p->n * sizeof *r->x);
    cd_block_nlp_constraints(p, r->x, r->g);
    r->objective = cd_block_nlp_objective(p, r->x);
}

cardan_status cd_nlp_solve_ipopt(cd_block_nlp* p, const cd_nlp_options* options, cd_nlp_solution* solution,
                                 cardan_report* report)
{
    ipopt_context s = {
        .program = p, .options = options, .solution = solution, .best_cost = INFINITY, .best_violation = INFINITY};
    s.iterate             = cd_allocate((size_t)p->n + 1, sizeof *s.iterate);
    s.best                = cd_allocate((size_t)p->n + 1, sizeof *s.best);
    IpoptProblem  problem = CreateIpoptProblem(p->n, p->x_lower, p->x_upper, p->m, p->g_lower, p->g_upper, p->njacobian,
                                               p->nhessian, 0, objective, constraints, gradient, jacobian, hessian);
    cardan_status status  = CARDAN_NOT_CONVERGED;
    const double  scale   = cd_nlp_objective_scale(p, solution->x);
    if (!s.iterate || !s.best || scale < 0)
        status = cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, options->location, "out of memory");
    else if (!problem)
        status = cardan_fail(report, CARDAN_BAD_INPUT, CARDAN_CODE_TASK_INVALID, options->location,
                             "the solver rejects the problem: a lower bound may exceed its upper bound");
    else if (set_options(problem, options, scale) && SetIntermediateCallback(problem, intermediate_callback)) {
        const enum ApplicationReturnStatus answer =
            IpoptSolve(problem, solution->x, solution->g, &solution->objective, solution->lambda,
                       solution->lambda_lower, solution->lambda_upper, &s);
        status = report_status(answer, &s, report);
        if (status != CARDAN_OK) restore_best(&s);
    } else
        cardan_fail(report, status, CARDAN_CODE_OPTIMUM_NOT_FOUND, options->location,
                    "the solver rejects one of its options");
    if (problem) FreeIpoptProblem(problem);
    free(s.iterate);
    free(s.best);
    return status;
}
