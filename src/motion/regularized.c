// SPDX-License-Identifier: BSD-3-Clause
// Sequential regularization as a method of fixed steps: no matrix of the loops is ever formed. The tree of the
// mechanism is solved exactly at every stage, loops are closed by multipliers that are iterated over windows of steps
// (windows.h),
//
//   M a(s) = r - J'mu(s),     mu(s) = mu(s-1) + (cdot + alpha c)/epsilon
//
// less what is inherited from the window before, which is let go in the time that penalty forces need, 2/lam: an
// iteration would only make a jump of it. A step costs as much per link and iteration whatever the loops, and rows that
// depend on each other, always or at a singular pose, do no harm. In joint coordinates this is AlgI of paper 001
// (Ascher, Lin), equation 3.12; with bodies that float free (a formulation in maximal coordinates) every joint is a row
// and the mass matrix alone is inverted, which is its AlgII, equation 3.10. docs/theory/regularized.md.
#include "motion/cut_tree.h"
#include "motion/integrator.h"
#include "motion/settings.h"

#include <cardan/assemble.h>
#include <math.h>
#include <string.h>

static const double margin = 2.5; // epsilon over the least that is stable
static const double blink  = 0.1; // of the step: what a window of shorter ones inherits it lets go by a blow

typedef struct regularized_work {
    cd_system*  system;
    cd_cut_tree tree;
    cd_window   window;
    int         stages, last; // last: steps of the window before, 0: none
    bool        anew;         // its multipliers are no guess of the next ones
    double      t, h, alpha;  // where the window begins; its step; how gaps are pulled back [1/s]
    double      release;      // [s] in which it lets go what it inherits
    double      bound;        // largest h Lam/epsilon that is stable,
    int         bounded;      // in windows of so many steps
    cd_point*   point;        // (steps + 1) ends of the steps
    double *    y, *k[2];     // (n) a stage, rates
    double*     inherited;    // (nrow) cdot + alpha c where the window begins
    double*     held;         // (steps x stages) scratch of the bound
    double      most;         // gap that this iteration adds, so far
    int         worst;        // its row
    cd_where    where;
} regularized_work;

static int longest(const cd_system* system) { return system->regularizing.window; }

static void layout(const cd_system* system, cd_arena* arena, regularized_work* w, int stages)
{
    const int steps = longest(system), nrow = system->data->rows.nrow;
    w->stages = stages;
    cd_cut_tree_layout(system->data, arena, &w->tree);
    CD_TAKE(arena, w->point, steps + 1);
    cd_point none;
    for (int i = 0; i <= steps; ++i) cd_point_layout(system, arena, w->point ? &w->point[i] : &none);
    CD_TAKE(arena, w->y, system->n);
    for (int i = 0; i < 2; ++i) CD_TAKE(arena, w->k[i], system->n);
    CD_TAKE(arena, w->inherited, nrow);
    CD_TAKE(arena, w->held, steps * stages);
    CD_TAKE(arena, w->window.mu, (size_t)(steps * stages) * (size_t)nrow + 1);
}

static void layout_euler(const cd_system* system, cd_arena* arena, void* work) { layout(system, arena, work, 1); }
static void layout_midpoint(const cd_system* system, cd_arena* arena, void* work) { layout(system, arena, work, 2); }

static void finish(void* work) { cd_cut_tree_release(&((regularized_work*)work)->tree); }

// z' at the state that the data are set to, under mu; with `renew` mu becomes that of this iteration. *left: gap there.
static cardan_status rate_under(cd_system* system, regularized_work* w, bool renew, double* mu, double* rate,
                                double* left)
{
    cardan_data* d    = system->data;
    const int    nrow = d->rows.nrow;
    cd_know_rows(d);
    for (int i = 0; renew && i < nrow; ++i) {
        const double all  = d->closure.rate[i] + w->alpha * d->closure.value[i],
                     rest = all - w->inherited[i] * exp((w->t - d->t) / w->release);
        mu[i] += rest / w->tree.epsilon[i];
        const double adds = fabs(rest) * w->window.steps * w->h;
        if (!isfinite(w->tree.epsilon[i]) || adds <= *left) continue;
        *left = adds;
        if (adds > w->most) w->most = adds, w->worst = i;
    }
    const cardan_status status = cd_cut_tree_factor(d, &w->tree, &w->where);
    if (status) return status;
    cd_cut_tree_accelerate(d, &w->tree, mu, rate);
    cd_system_rate_of_rest(system, rate + system->nv);
    return CARDAN_OK;
}

// One step h from x to `to`, with multipliers mu (stages x nrow). *left grows to what they leave.
static cardan_status advance(cd_system* system, regularized_work* w, const cd_point* x, double h, bool renew,
                             double* mu, cd_point* to, double* left)
{
    const int     nv     = system->nv;
    cardan_status status = cd_system_reach(system, x->t, x->q, x->z);
    if (!status) status = rate_under(system, w, renew, mu, w->k[0] + nv, left);
    if (status) return status;
    memcpy(w->k[0], x->z, (size_t)nv * sizeof *x->z); // in the chart about x itself theta' = v
    for (int s = 1; s <= w->stages; ++s) {
        const double part = s == w->stages ? h : h / 2, *rate = w->k[s - 1];
        for (int i = 0; i < system->n; ++i) w->y[i] = (i < nv ? 0 : x->z[i - nv]) + part * rate[i];
        if (s == w->stages) break;
        cardan_model_move(system->model, x->q, w->y, system->q);
        status = cd_system_reach(system, x->t + part, system->q, w->y + nv);
        if (!status) status = rate_under(system, w, renew, mu + s * system->data->rows.nrow, w->k[s] + nv, left);
        if (status) return status;
        cd_chart_turn(system, w->y, w->k[s]);
    }
    const double t = x->t + h;
    cd_chart_leave(system, t, x->q, w->y, to);
    return cd_system_sound(system, t, to->q, to->z);
}

// point[0] stays
static void begin_window(void* who) { ((regularized_work*)who)->most = 0; }

static cardan_status step_of_window(void* who, int k, double* mu, double* left)
{
    regularized_work* w = who;
    return advance(w->system, w, &w->point[k], w->h, true, mu, &w->point[k + 1], left);
}

// Multipliers at the start: those of the formulation, where it has an answer; else none.
static cardan_status start(cd_system* system, void* work, const cd_point* x)
{
    regularized_work*      w    = work;
    const cd_regularizing* set  = &system->regularizing;
    cardan_data*           d    = system->data;
    const int              nrow = d->rows.nrow;
    if (d->closure.nlossy > 0) return CARDAN_UNSUPPORTED;
    w->system            = system;
    w->alpha             = set->alpha;
    w->tree.wish         = set->epsilon;
    cardan_status status = cd_data_reach(d, x->t, x->q, x->z, system->ns ? x->z + system->nv : NULL);
    if (status) return status;
    w->window        = (cd_window){.nmu       = nrow,
                                   .stages    = w->stages,
                                   .most      = nrow > 0 ? set->iterations : 1,
                                   .tolerance = set->gap,
                                   .mu        = w->window.mu,
                                   .who       = w,
                                   .begin     = begin_window,
                                   .step      = step_of_window};
    const bool known = nrow > 0 && cardan_accelerate(d, system->a, NULL, NULL) == CARDAN_OK;
    w->last          = 1;
    w->anew          = false;
    for (int i = 0; i < nrow; ++i) w->window.mu[(w->stages - 1) * nrow + i] = known ? d->lambda[i] : 0;
    return CARDAN_OK;
}

// Windows that the end of a run cuts short are too few to grow. A second iteration is taken before it is seen that it
// does not halve what the first has left.
static void bound_windows(const cd_system* system, regularized_work* w)
{
    const int most  = system->regularizing.iterations < 2 ? system->regularizing.iterations : 2,
              few   = longest(system) < CD_SHORTEST_WINDOW ? longest(system) : CD_SHORTEST_WINDOW,
              steps = w->window.steps > few ? w->window.steps : few;
    if (steps == w->bounded) return;
    w->bound   = cd_window_bound(steps, w->stages, most, w->held);
    w->bounded = steps;
}

// epsilon for the window that begins at the data's state.
static cardan_status choose(cd_system* system, regularized_work* w)
{
    cardan_data*     d   = system->data;
    cd_regularizing* set = &system->regularizing;
    double           stable;
    if (d->rows.nrow == 0) return CARDAN_OK;
    cd_know_rows(d);
    cardan_status status = cd_cut_tree_factor(d, &w->tree, &w->where);
    if (!status) status = cd_cut_tree_bound(d, &w->tree, w->h, margin, &stable);
    if (status) return status;
    bound_windows(system, w);
    w->release = stable * w->h;
    for (int i = 0; i < d->rows.nrow; ++i) w->inherited[i] = d->closure.rate[i] + w->alpha * d->closure.value[i];
    set->least           = w->h * w->tree.lam / w->bound;
    set->result.mobility = fmax(set->result.mobility, w->tree.lam);
    set->result.least    = fmax(set->result.least, set->least);
    return set->epsilon > 0 && set->epsilon < set->least ? CARDAN_BAD_USAGE : CARDAN_OK;
}

static void keep_missed(cd_regularizing* set, const regularized_work* w)
{
    cardan_regularized* r    = &set->result;
    const double        left = w->window.left[w->window.iterations - 1];
    set->missing             = set->asked && left > set->gap;
    set->row                 = w->worst;
    if (!set->missing) return;
    ++r->missed;
    if (left <= r->missed_gap) return;
    r->missed_gap = left;
    r->missed_t   = w->t;
}

static void keep_result(cd_system* system, const cd_window* window)
{
    cardan_regularized* r = &system->regularizing.result;
    ++r->windows;
    r->iterations += window->iterations;
    for (int i = 0; i < window->iterations && i < CARDAN_ITERATIONS; ++i)
        r->left[i] = fmax(r->left[i], window->left[i]);
    for (int i = window->iterations; i < CARDAN_ITERATIONS; ++i)
        r->left[i] = fmax(r->left[i], window->left[window->iterations - 1]);
}

static cardan_status step(cd_system* system, void* work, double limit, cd_point* x)
{
    regularized_work*   w     = work;
    const cardan_status begun = w->anew ? start(system, w, x) : CARDAN_OK;
    if (begun) return begun;
    w->window.steps = (int)fmax(1, ceil((limit - x->t) / system->step - 1e-9));
    if (w->window.steps > longest(system)) w->window.steps = longest(system);
    w->t = x->t;
    w->h = (limit - x->t) / w->window.steps;
    cd_point_copy(system, x, &w->point[0]);
    cardan_status status = cd_data_reach(system->data, x->t, x->q, x->z, system->ns ? x->z + system->nv : NULL);
    if (!status) status = choose(system, w);
    if (status) return status;
    if (system->data->rows.nrow > 0) cd_window_hold(&w->window, w->last);
    status = cd_window_run(&w->window);
    if (status) return status;
    w->last = w->window.steps;
    w->anew = w->h < blink * system->step;
    system->more_steps += w->window.steps - 1;
    keep_result(system, &w->window);
    if (system->data->rows.nrow > 0) keep_missed(&system->regularizing, w);
    cd_point_copy(system, &w->point[w->window.steps], x);
    x->t = limit;
    return CARDAN_OK;
}

// The step that t is in, again and not as far, under the multipliers that were found.
static cardan_status inside(cd_system* system, void* work, double t, cd_point* x)
{
    regularized_work* w    = work;
    const int         nrow = system->data->rows.nrow;
    int               k    = (int)floor((t - w->t) / w->h * (1 + 1e-12));
    double            left = 0;
    if (k < 0) k = 0;
    if (k >= w->window.steps) k = w->window.steps - 1;
    const cardan_status status = advance(system, w, &w->point[k], t - w->point[k].t, false,
                                         w->window.mu + (size_t)(k * w->stages * nrow), x, &left);
    x->t                       = t;
    return status;
}

// Where the formulation has no answer, the tree has one, under the last multipliers.
static cardan_status accelerate(cd_system* system, void* work, double* a)
{
    regularized_work* w    = work;
    cardan_data*      d    = system->data;
    const int         nrow = d->rows.nrow;
    const int         last = w->last > 0 ? w->last : 1;
    cd_know_rows(d);
    const cardan_status status = cd_cut_tree_factor(d, &w->tree, &w->where);
    if (status) return status;
    const double* mu = w->window.mu + (size_t)((last * w->stages - 1) * nrow);
    cd_cut_tree_accelerate(d, &w->tree, mu, a);
    memcpy(d->lambda, mu, (size_t)nrow * sizeof *mu);
    d->solved = true;
    return CARDAN_OK;
}

// A motion that only loops hold: a tree that is solved without them, or bodies that float free, cannot do without its
// inertia.
static void explain_inertia(cardan_data* d, int v, cardan_report* report)
{
    int        local;
    const bool flat = d->m->policy == CARDAN_TREE_FLAT;
    const int  j    = v >= 0 && v < d->m->nv ? cardan_model_joint_of_velocity(d->m, v, &local) : CARDAN_NONE;
    if (j == CARDAN_NONE || d->rows.nrow == 0) {
        cd_fail_singular(d, v, report);
        return;
    }
    cardan_fail(report, CARDAN_SINGULAR, CARDAN_CODE_ZERO_INERTIA, cardan_nowhere(),
                "%s '%s': at t = %g s it has a motion without inertia, and this integrator solves %s without the "
                "constraints that hold it; give it an inertia, or take %sanother "
                "integrator",
                flat ? "body" : "joint", d->m->joint[j].name, d->t, flat ? "every body by itself," : "the tree",
                flat ? "a formulation in joint coordinates, or " : "");
}

// The sentence for what this method alone refuses.
static bool explain(cd_system* system, void* work, cardan_status status, cardan_report* report)
{
    const regularized_work* w   = work;
    const cd_regularizing*  set = &system->regularizing;
    if (status == CARDAN_BAD_USAGE)
        cardan_fail(report, status, CARDAN_CODE_REGULARIZATION_UNSTABLE, cardan_nowhere(),
                    "at t = %.9g s epsilon = %g is too small for steps of %g s: they are unstable below epsilon = "
                    "%.3g; give at least that, twice as much to be "
                    "safe, or none, or a smaller step",
                    system->data->t, set->epsilon, system->step, set->least);
    else if (status == CARDAN_UNSUPPORTED)
        cardan_fail(report, status, CARDAN_CODE_NOT_SUPPORTED, cardan_nowhere(),
                    "this integrator does not know losses that depend on the load, as gears with an efficiency below 1 "
                    "have them: take another");
    else if (status == CARDAN_SINGULAR)
        explain_inertia(system->data, w->where.v, report);
    else
        return false;
    return true;
}

const cd_integrator cd_regularized_euler = {
    .name        = "regularized-euler",
    .summary     = "first order, fixed step; loops closed by multipliers iterated over windows of steps",
    .reference   = "Ascher, Lin 1997, equations 3.10 and 3.12",
    .order       = 1,
    .regularizes = true,
    .work_size   = sizeof(regularized_work),
    .layout      = layout_euler,
    .start       = start,
    .step        = step,
    .inside      = inside,
    .accelerate  = accelerate,
    .explain     = explain,
    .finish      = finish,
};

const cd_integrator cd_regularized_midpoint = {
    .name        = "regularized-midpoint",
    .summary     = "second order, fixed step; loops closed by multipliers iterated over windows of steps",
    .reference   = "Ascher, Lin 1997, equations 3.10 and 3.12",
    .order       = 2,
    .regularizes = true,
    .work_size   = sizeof(regularized_work),
    .layout      = layout_midpoint,
    .start       = start,
    .step        = step,
    .inside      = inside,
    .accelerate  = accelerate,
    .explain     = explain,
    .finish      = finish,
};
