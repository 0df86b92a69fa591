// SPDX-License-Identifier: BSD-3-Clause
// IPOPT: the program as it wants it, and what it answers in sentences.
#include "optimize/solve.h"

#include "core/memory.h"

#include <IpStdCInterface.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct seam {
    cd_chain*            program;
    const cd_solve_wish* wish;
    cd_solved*           solved;
    double *             here, *best; // (n) the iterate, where derivatives were asked for last; the best of all
    double               best_cost, best_violation, first_cost;
} seam;

static const double met = 1e-6, missed = 1e-3; // violations below count as none; beyond a motion is none

static Bool objective(Index n, Number* x, Bool fresh, Number* value, UserDataPtr user)
{
    const seam* s = user;
    (void)n, (void)fresh;
    *value = cd_chain_objective(s->program, x);
    return isfinite(*value);
}

static Bool gradient(Index n, Number* x, Bool fresh, Number* value, UserDataPtr user)
{
    const seam* s = user;
    (void)n, (void)fresh;
    cd_chain_gradient(s->program, x, value);
    return TRUE;
}

static Bool rows(Index n, Number* x, Bool fresh, Index m, Number* g, UserDataPtr user)
{
    const seam* s = user;
    (void)n, (void)fresh;
    cd_chain_rows(s->program, x, g);
    for (int i = 0; i < m; ++i)
        if (!isfinite(g[i])) return FALSE;
    return TRUE;
}

static void copy_entries(int count, const cd_entry* entry, Index* row, Index* column)
{
    for (int i = 0; i < count; ++i) {
        row[i]    = entry[i].row;
        column[i] = entry[i].column;
    }
}

static Bool jacobian(Index n, Number* x, Bool fresh, Index m, Index count, Index* row, Index* column, Number* value,
                     UserDataPtr user)
{
    const seam* s = user;
    (void)fresh, (void)m;
    if (!value)
        copy_entries(count, s->program->jacobian, row, column);
    else {
        cd_chain_jacobian(s->program, x, value);
        memcpy(s->here, x, (size_t)n * sizeof *x);
    }
    return TRUE;
}

static Bool hessian(Index n, Number* x, Bool fresh, Number sigma, Index m, Number* lambda, Bool fresh_lambda,
                    Index count, Index* row, Index* column, Number* value, UserDataPtr user)
{
    const seam* s = user;
    (void)n, (void)fresh, (void)m, (void)fresh_lambda;
    if (value)
        cd_chain_hessian(s->program, x, sigma, lambda, value);
    else
        copy_entries(count, s->program->hessian, row, column);
    return TRUE;
}

// Where conditions are met alike, the cheaper motion is better; else the one that meets them better.
static bool is_better(const seam* s, double cost, double violation)
{
    if (violation <= met && s->best_violation <= met) return cost < s->best_cost;
    return violation < s->best_violation;
}

// Whether motions that meet all conditions become so much cheaper, by a control that nothing holds, that there is no
// least cost.
static bool falls(const seam* s, double times)
{
    return s->wish->unheld && s->best_violation <= met && s->best_cost < -times * (1 + fabs(s->first_cost));
}

// Derivatives are asked for at iterates alone, so the last place is the one that is told here. Restorations (mode 1)
// tell of another problem.
static Bool between(Index mode, Index iteration, Number value, Number violation, Number slope, Number mu, Number step,
                    Number regularization, Number dual, Number primal, Index trials, UserDataPtr user)
{
    seam* s = user;
    (void)mu, (void)step, (void)regularization, (void)dual, (void)primal, (void)trials, (void)slope;
    s->solved->iterations = iteration;
    if (iteration == 0) s->first_cost = value;
    if (mode == 0 && is_better(s, value, violation)) {
        memcpy(s->best, s->here, (size_t)s->program->n * sizeof *s->best);
        s->best_cost      = value;
        s->best_violation = violation;
    }
    return !falls(s, 1e6) && (!s->wish->watch || s->wish->watch(s->wish->user, iteration, value, violation));
}

static bool word(IpoptProblem problem, const char* key, const char* value)
{
    char k[64], v[64]; // the interface takes what is not constant
    strcpy(k, key);
    strcpy(v, value);
    return AddIpoptStrOption(problem, k, v);
}

static bool whole(IpoptProblem problem, const char* key, int value)
{
    char k[64];
    strcpy(k, key);
    return AddIpoptIntOption(problem, k, value);
}

static bool number(IpoptProblem problem, const char* key, double value)
{
    char k[64];
    strcpy(k, key);
    return AddIpoptNumOption(problem, k, value);
}

// AMD orders the chain at half the cost of the default, AMF better still where points are condensed, and rows are not
// matched and scaled once more before every factorization: a quarter of its time, and on the first cost of paper 003
// what decides whether the search ends. Room is taken as needed, not tenfold. Files of options that lie about are not
// read. Bounds are not relaxed: 1e-8 of them, IPOPT's own choice, moves the optimum of the arm of paper 003 in its
// eighth digit. IPOPT prints nothing; the caller reports progress.
static bool set_options(IpoptProblem problem, const cd_solve_wish* wish, double scale)
{
    bool ok = whole(problem, "print_level", 0) && word(problem, "sb", "yes") && word(problem, "option_file_name", "");
    ok      = ok && whole(problem, "mumps_pivot_order", wish->condensed ? 2 : 0) &&
         whole(problem, "mumps_mem_percent", 20) && whole(problem, "mumps_permuting_scaling", 0) &&
         whole(problem, "mumps_scaling", 0);
    ok = ok && number(problem, "tol", wish->tolerance) && whole(problem, "max_iter", wish->iterations) &&
         number(problem, "bound_relax_factor", 0) && number(problem, "obj_scaling_factor", scale) &&
         number(problem, "diverging_iterates_tol", 1e12);
    static const char* const soft[] = {"bound_push", "bound_frac", "slack_bound_push", "slack_bound_frac"};
    for (size_t i = 0; wish->near && i < sizeof soft / sizeof *soft; ++i) ok = ok && number(problem, soft[i], 1e-4);
    if (wish->near && !wish->warm) ok = ok && number(problem, "mu_init", 1e-3);
    if (!wish->warm) return ok;
    static const char* const push[] = {"warm_start_bound_push", "warm_start_bound_frac", "warm_start_slack_bound_push",
                                       "warm_start_slack_bound_frac", "warm_start_mult_bound_push"};
    ok = ok && word(problem, "warm_start_init_point", "yes") && number(problem, "mu_init", 1e-9);
    for (size_t i = 0; i < sizeof push / sizeof *push; ++i) ok = ok && number(problem, push[i], 1e-10);
    return ok;
}

static cardan_status out_of_reach(const seam* s, const char* before, cardan_report* report)
{
    return cardan_fail(report, CARDAN_NOT_CONVERGED, CARDAN_CODE_OPTIMUM_NOT_FOUND, s->wish->place,
                       "%sno motion was found that meets all conditions: an end condition may be out of reach, the "
                       "horizon too short or a bound too tight; "
                       "try a longer horizon, wider bounds or a guess nearer to the end",
                       before);
}

static cardan_status sentence(enum ApplicationReturnStatus status, const seam* s, cardan_report* report)
{
    const cd_solve_wish* wish = s->wish;
    const cardan_place   at   = wish->place;
    char                 after[48];
    const bool           ends = status == Solve_Succeeded || status == Insufficient_Memory;
    switch (!ends && falls(s, 1e3) ? Diverging_Iterates : status) {
    case Solve_Succeeded:
        return CARDAN_OK;
    case Solved_To_Acceptable_Level:
        cardan_warn(
            report, CARDAN_CODE_OPTIMUM_INACCURATE, at,
            "the optimum was found to less digits than asked for; more intervals or a better guess may give them");
        return CARDAN_OK;
    case Infeasible_Problem_Detected:
    case Restoration_Failed:
        return out_of_reach(s, "", report);
    case Diverging_Iterates:
        if (!falls(s, 1e3) && s->best_violation > missed)
            return out_of_reach(s, "the unknowns grow without end, and ", report);
        return cardan_fail(report, CARDAN_DIVERGED, CARDAN_CODE_COST_UNBOUNDED, at,
                           "motions become cheaper without end: the cost has no least value; bound what it can push, "
                           "or give the cost a term that rises (effort, rate)");
    case Not_Enough_Degrees_Of_Freedom:
        return cardan_fail(report, CARDAN_BAD_INPUT, CARDAN_CODE_TASK_OVERDETERMINED, at,
                           "there are more conditions than unknowns: nothing is left to choose; drop a condition that "
                           "follows from others, or add intervals or controls");
    case User_Requested_Stop:
        return cardan_fail(report, CARDAN_STOPPED, CARDAN_CODE_STOPPED, at,
                           "stopped on request; the motion is the best one seen");
    case Maximum_Iterations_Exceeded:
        if (s->best_violation > missed)
            return snprintf(after, sizeof after, "after %d iterations ", wish->iterations),
                   out_of_reach(s, after, report);
        return cardan_fail(report, CARDAN_NOT_CONVERGED, CARDAN_CODE_OPTIMUM_NOT_FOUND, at,
                           "no optimum after %d iterations; try a better guess, more intervals or more iterations",
                           wish->iterations);
    case Search_Direction_Becomes_Too_Small:
    case Error_In_Step_Computation:
        return cardan_fail(report, CARDAN_NOT_CONVERGED, CARDAN_CODE_OPTIMUM_NOT_FOUND, at,
                           "the search got stuck: conditions may repeat or contradict each other; check end conditions "
                           "against path bounds");
    case Invalid_Number_Detected:
        return cardan_fail(report, CARDAN_DIVERGED, CARDAN_CODE_TASK_UNDEFINED, at,
                           "a formula of the task or the motion of the guess gives no finite value; check the guess "
                           "against singular positions");
    case Insufficient_Memory:
        return cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, at, "out of memory");
    default:
        return cardan_fail(report, CARDAN_NOT_CONVERGED, CARDAN_CODE_OPTIMUM_NOT_FOUND, at,
                           "the solver gave up (code %d)", (int)status);
    }
}

// The best motion seen instead of the last one.
static void take_best(const seam* s)
{
    cd_chain*  p = s->program;
    cd_solved* r = s->solved;
    if (isfinite(s->best_violation)) memcpy(r->x, s->best, (size_t)p->n * sizeof *r->x);
    cd_chain_rows(p, r->x, r->g);
    r->objective = cd_chain_objective(p, r->x);
}

cardan_status cd_solve_ipopt(cd_chain* p, const cd_solve_wish* wish, cd_solved* solved, cardan_report* report)
{
    seam s = {.program = p, .wish = wish, .solved = solved, .best_cost = INFINITY, .best_violation = INFINITY};
    s.here = cd_allocate((size_t)p->n + 1, sizeof *s.here);
    s.best = cd_allocate((size_t)p->n + 1, sizeof *s.best);
    IpoptProblem  problem = CreateIpoptProblem(p->n, p->x_lower, p->x_upper, p->m, p->g_lower, p->g_upper, p->njacobian,
                                               p->nhessian, 0, objective, rows, gradient, jacobian, hessian);
    cardan_status status  = CARDAN_NOT_CONVERGED;
    const double  scale   = cd_objective_scale(p, solved->x);
    if (!s.here || !s.best || scale < 0)
        status = cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, wish->place, "out of memory");
    else if (!problem)
        status = cardan_fail(report, CARDAN_BAD_INPUT, CARDAN_CODE_TASK_INVALID, wish->place,
                             "the solver refuses the problem: a lower bound may lie above its upper bound");
    else if (set_options(problem, wish, scale) && SetIntermediateCallback(problem, between)) {
        const enum ApplicationReturnStatus answer = IpoptSolve(problem, solved->x, solved->g, &solved->objective,
                                                               solved->lambda, solved->x_lower, solved->x_upper, &s);
        status                                    = sentence(answer, &s, report);
        if (status != CARDAN_OK) take_best(&s);
    } else
        cardan_fail(report, status, CARDAN_CODE_OPTIMUM_NOT_FOUND, wish->place,
                    "the solver does not know an option that is set");
    if (problem) FreeIpoptProblem(problem);
    free(s.here);
    free(s.best);
    return status;
}
