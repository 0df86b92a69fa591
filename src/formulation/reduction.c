// SPDX-License-Identifier: BSD-3-Clause
// Recursive coordinate reduction: loops are closed joint by joint while the tree is walked inward. A joint that an open
// constraint row feels becomes dependent, geared to the motion of the bodies that the row still ties together; all
// others are articulated as in a tree. No multiplier is solved for, and the cost is linear for loops along chains,
// coupled or not, with any base. Rows that repeat others are found once and left out, and all rows are checked after
// every solve.
//
// Paper 004 (Anderson, Critchley); front.h, front_open.c, front_factor.c, front_close.c, front_solve.c;
// docs/theory/reduction.md.
#include "constraint/twists.h"
#include "formulation/front.h"
#include "formulation/row_check.h"
#include "formulation/typical_length.h"
#include "formulation/weakest.h"

#include <math.h>

static const double most_costly = 4;    // numbers of another order, beside this one; its work is at most their square
static const double most_work   = 1e11; // multiplications of an evaluation, minutes: more is refused

enum { SOONEST = 32, LATEST = 4096 }; // factorizations outward until inward is tried again

static cardan_status analyse(const cardan_model* m, const cd_rows* rows, void* work, cardan_report* report)
{
    cd_reducing* w    = work;
    bool         good = cd_fronts_analyse(m, rows, most_work, &w->f);
    if (good && w->f.work > most_work)
        return cardan_fail(report, CARDAN_UNSUPPORTED, CARDAN_CODE_MODEL_TOO_LARGE, cardan_nowhere(),
                           "loops of '%s' tie too many bodies to each other for the formulation 'reduction', more than "
                           "%.0e multiplications: use lagrange",
                           m->view.name, most_work);
    good = good && (rows->nrow == 0 || cd_fronts_analyse_outward(
                                           m, rows, fmin(most_work, most_costly * most_costly * w->f.work), &w->aside));
    if (!good)
        return cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_nowhere(),
                           "no memory to order the equations of '%s'", m->view.name);
    if (isinf(w->aside.work) || (double)w->aside.tape > most_costly * (double)w->f.tape) {
        cd_fronts_release(&w->aside);
        w->aside = (cd_fronts){0};
    }
    w->length   = cd_typical_length(m);
    w->patience = SOONEST;
    return CARDAN_OK;
}

static void release(void* work)
{
    cd_reducing* w = work;
    cd_fronts_release(&w->f);
    cd_fronts_release(&w->aside);
}

static void layout(const cardan_model* m, const cd_rows* rows, cd_arena* arena, void* work)
{
    cd_reduction_layout(m, rows, arena, work);
}

static cardan_status assemble(const cardan_model* m, cd_kinematics* k, const cd_rows* rows, void* work)
{
    (void)rows;
    cd_reduction_place(m, k, work);
    return CARDAN_OK;
}

static const double light = 1e-10,
                    grown = 10; // a thousandth of the inertia it came from: a pivot that may gain by another order

// Forget whether refinement is needed: the order of elimination has changed.
static void forget_refinement(cd_reducing* w)
{
    w->refines = w->turns = false;
    w->watched            = 0;
}

// The other order of elimination, kept where it takes what this one refuses, or keeps more digits by far.
static cardan_status turn_about(const cardan_model* m, const cd_rows* rows, cd_reducing* w, cardan_status status,
                                cd_where* where)
{
    const double before = w->heaviest;
    cd_where     there  = {.v = CARDAN_NONE, .row = CARDAN_NONE};
    cd_reduction_turn_about(w);
    w->learned       = true;
    const bool takes = cd_reduction_factor(m, rows, w, &there) == CARDAN_OK;
    w->tried         = before;
    if (takes && (status != CARDAN_OK || w->turns || grown * w->heaviest < before)) {
        forget_refinement(w);
        return CARDAN_OK;
    }
    w->turns = false;
    cd_reduction_turn_about(w);
    return status == CARDAN_OK ? cd_reduction_factor(m, rows, w, where) : status;
}

// Try the inward order again, which costs less and was left near a singular configuration, and keep it where its pivots
// are well conditioned. The number of factorizations until the next attempt doubles with each attempt.
static bool return_inward(const cardan_model* m, const cd_rows* rows, cd_reducing* w)
{
    cd_where there = {.v = CARDAN_NONE, .row = CARDAN_NONE};
    if (w->f.nroot == 0 || ++w->outward < w->patience) return false;
    w->outward  = 0;
    w->patience = w->patience < LATEST ? 2 * w->patience : LATEST;
    cd_reduction_turn_about(w);
    w->learned = true;
    if (cd_reduction_factor(m, rows, w, &there) == CARDAN_OK && w->heaviest <= light) {
        forget_refinement(w);
        w->tried = 0;
        return true;
    }
    cd_reduction_turn_about(w);
    return false;
}

// Rows that repeat others do so at nearly every pose: they are looked for once, and again when rows turn out not to
// hold.
static cardan_status factor(const cardan_model* m, cd_kinematics* k, const cd_rows* rows, void* work, cd_where* where)
{
    (void)k;
    cd_reducing* w       = work;
    w->learned           = !w->knows;
    cardan_status status = return_inward(m, rows, w) ? CARDAN_OK : cd_reduction_factor(m, rows, w, where);
    if (w->aside.n > 0 && (status == CARDAN_SINGULAR || w->turns || w->heaviest > fmax(light, grown * w->tried)))
        status = turn_about(m, rows, w, status, where);
    w->knows = status == CARDAN_OK;
    return status;
}

static const double digits_wanted = 1e-10, gains = 0.1, poor = 1e-6;
enum { MOST_CORRECTIONS = 4 };

// A first correction tells how many digits were lost, a second one whether that helps: what rounding of r itself left
// stays. Nobody looks again before pivots have become much lighter.
static void refine(const cardan_model* m, const cd_rows* rows, cd_reducing* w, const real* r, const real* gamma,
                   real* a, real* lambda)
{
    const bool look = w->heaviest > grown * w->watched;
    if (!w->refines && !look) return;
    double change = cd_reduction_refine(m, rows, w, r, gamma, a, lambda);
    for (int i = 1; i < MOST_CORRECTIONS && (change > poor || (look && i == 1 && change > digits_wanted)); ++i) {
        const double before = change;
        change              = cd_reduction_refine(m, rows, w, r, gamma, a, lambda);
        if (look) w->refines = change < gains * before;
        if (!(change < gains * before)) break;
    }
    w->turns = w->turns || (look && w->refines && w->f.nroot == 0);
    if (look) w->watched = fmax(w->heaviest, 1e-13);
}

// Hardly ever does anybody need to know what rows see without constraint forces.
static cardan_status check(const cardan_model* m, const cd_rows* rows, cd_reducing* w, const real* r, const real* gamma,
                           cd_where* where)
{
    const cardan_status status = cd_check_twists(rows, w->A, gamma, 0, where);
    if (status != CARDAN_INCONSISTENT) return status;
    return cd_check_twists(rows, w->A, gamma, cd_free_acceleration(m, w->split ? cd_reduction_sum_loads(m, w) : r),
                           where);
}

static cardan_status solve_once(const cardan_model* m, const cd_rows* rows, cd_reducing* w, const real* r,
                                const real* gamma, real* a, real* lambda, cd_where* where)
{
    cd_reduction_solve(m, rows, w, r, gamma, a, lambda);
    refine(m, rows, w, r, gamma, a, lambda);
    return check(m, rows, w, r, gamma, where);
}

static cardan_status solve_and_learn(const cardan_model* m, cd_kinematics* k, const cd_rows* rows, void* work,
                                     const real* r, const real* gamma, real* a, real* lambda, cd_where* where)
{
    cd_reducing*  w      = work;
    cardan_status status = solve_once(m, rows, w, r, gamma, a, lambda, where);
    if (status != CARDAN_INCONSISTENT || w->learned) return status;
    w->knows = false;
    cd_reduction_place(m, k, w);
    status = factor(m, k, rows, w, where);
    return status == CARDAN_OK ? solve_once(m, rows, w, r, gamma, a, lambda, where) : status;
}

static cardan_status solve(const cardan_model* m, cd_kinematics* k, const cd_rows* rows, void* work, const real* r,
                           const real* gamma, real* a, real* lambda, cd_where* where)
{
    const cardan_status status  = solve_and_learn(m, k, rows, work, r, gamma, a, lambda, where);
    ((cd_reducing*)work)->split = false;
    return status;
}

static void split(const cardan_model* m, const cd_kinematics* k, void* work, const real* effort, const spatial* wrench)
{
    cd_reducing* w = work;
    (void)k;
    if (w->nrow == 0 || m->policy == CARDAN_TREE_FLAT) return; // in trees pivots alone decide
    w->effort = effort;
    w->wrench = wrench;
    w->split  = true;
}

// The factor may be one of an earlier state, whose rows are not those at hand: nothing can be checked by them.
static void change(const cardan_model* m, const cd_rows* rows, void* work, const real* s, real* dx)
{
    cd_reducing* w = work;
    for (int v = 0; v < m->nv; ++v) w->s[v] = r_lift(0);
    cd_reduction_solve(m, rows, w, w->s, s, dx, w->dl);
}

// A row about to vanish, or to repeat others, is felt by no velocity but weakly in the end. Rows that were not used up,
// those that hold ground among them, are null.
static cd_strength strength(const cardan_model* m, const cd_rows* rows, const void* work)
{
    const cd_reducing* w = work;
    cd_strength here = {.least = w->weakest * w->weakest, .row = w->weakest_row, .null = 6 * w->f.nroot - w->ngeared};
    (void)m;
    for (int i = 0; i < rows->nrow; ++i) here.null += !(cd_compliance(rows, i) > 0);
    return here;
}

// What all rows see of the motion of the last solve, sum of (w J x)^2 in each group: those that repeat others too.
static void look_at_motion(const cd_rows* rows, cd_reducing* w, cd_row_groups groups)
{
    for (int g = 0; g < groups.n; ++g) w->sight[g] = 0;
    for (int c = 0; c < rows->nblock; ++c) {
        const cd_row_block* b = &rows->block[c];
        for (int i = 0; i < b->nrow; ++i) {
            if (cd_compliance(rows, b->row + i) > 0) continue;
            const double seen = w->row_weight[b->row + i] * r_value(cd_row_on_twists(b, i, w->A));
            w->sight[groups.of[b->row + i]] += seen * seen;
        }
    }
}

static const double blind = 10; // of what rows see that are used up, squared: all of them see three times as much

// x of least energy with J x = z, whose multipliers are the next z: J M^-1 J'(-lambda) = z, and twice its energy is
// -lambda'z. Rows that are used up were chosen at another pose, and may have come to depend on each other where all
// rows do not: what x is worth all of them tell. Where those that are left out see most of it, x is not the weakest
// direction of all rows, 1/s^2 is not known, and it is time to choose anew.
static void weakest(const cardan_model* m, const cd_rows* rows, void* work, cd_row_groups groups, real* z, real* x,
                    double* flexible)
{
    cd_reducing* w = work;
    cd_normalize_rows(rows, groups, w->row_weight, flexible, z);
    change(m, rows, work, z, x);
    look_at_motion(rows, w, groups);
    cd_next_rows(rows, groups, w->row_weight, w->dl, flexible, z);
    for (int g = 0; g < groups.n; ++g) {
        if (w->sight[g] > 0) flexible[g] /= w->sight[g];
        if (!(w->sight[g] > blind)) continue;
        flexible[g] = 0;
        w->knows    = w->knows && w->learned;
    }
}

const cd_formulation cd_reduction = {
    .name      = "reduction",
    .summary   = "recursive coordinate reduction: dependent joints geared to their neighbours, linear in loops",
    .reference = "Anderson, Critchley 2003",
    .supports  = CD_TREE | CD_LOOPS | CD_REDUNDANT | CD_LOADS,
    .tree      = CARDAN_TREE_SHALLOW,
    .pace      = {0, 0.36},
    .work_size = sizeof(cd_reducing),
    .analyse   = analyse,
    .release   = release,
    .layout    = layout,
    .assemble  = assemble,
    .factor    = factor,
    .solve     = solve,
    .split     = split,
    .change    = change,
    .strength  = strength,
    .weakest   = weakest,
};

double cd_reduction_work(const cd_formulation* formulation, const void* work)
{
    return formulation == &cd_reduction ? ((const cd_reducing*)work)->f.work : (double)INFINITY;
}
