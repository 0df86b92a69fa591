// SPDX-License-Identifier: BSD-3-Clause
// Which formulation solves a mechanism when nobody says: the one that takes the least time for an evaluation, told from
// operations that are counted at the start, each weighed by how long the formulation takes for one
// (cd_formulation.pace, measured).
//
//   trees    Cholesky along the tree costs the sum of squared depths, articulated bodies a constant per joint
//   loops    embedding costs cubes of small clusters, augmented squared depths and cuts, order-n its cuts, reduction
//            what its
//            fronts hold, maximal coordinates are linear with the largest constant
//
// Choosing stays cheap: what is not linear is counted only if an estimate from sizes and depth says that this is done
// in a moment, what is linear up to some thousand bodies. Of larger mechanisms nothing is counted: where the fronts of
// the reduction stay narrow, which its symbolic phase tells, it is taken (1.6 to 9 times faster than maximal
// coordinates at 16,384 cells of all families whose fronts are), else maximal coordinates, whose order of elimination
// needs no tree. A formulation that refuses the mechanism, or fails at its start, is passed over; but without memory
// nothing is chosen, as the choice would be another one than with memory.
#include "dynamics/data.h"
#include "formulation/front.h"
#include "model/model.h"

#include <cardan/assemble.h>
#include <cardan/dynamics.h>
#include <stdio.h>
#include <string.h>

enum { SMALL = 150 };                             // velocities, and six for each constraint
static const int linear_up_to[2] = {20000, 2000}; // the same: what is linear is counted, of trees and with loops

static const double moment = 1e7; // operations that are counted without being noticed

static const double slow = 4; // a division or a square root takes as long as so many products
enum { MOST = 16, TOLD = 3 };

typedef struct candidate {
    int    formulation;
    double operations, cost;
} candidate;

static double add_tally(const cardan_tally* t, double weight)
{
    return (double)(t->mul + t->add) + weight * (double)(t->div + t->sqrt);
}

static double sum_of(const cardan_operations* o, double weight)
{
    return add_tally(&o->kinematics, weight) + add_tally(&o->assembly, weight) + add_tally(&o->factor, weight) +
           add_tally(&o->solve, weight);
}

// At most about so many operations, told from sizes alone; 0: linear.
static double estimate(const cd_formulation* f, const cardan_model* m, int nconstraint)
{
    const double n = m->nv + 6.0 * nconstraint, nrow = 6.0 * nconstraint;
    if (f->supports & CD_CUBIC) return n * n * n;
    if (f->tree == CARDAN_TREE_FLAT) return 0;
    const double tree = f->appetite ? f->appetite(m, &(cd_rows){0}) * m->depth : 0;
    return f->supports & CD_WAYS ? tree + nrow * nrow * m->depth : tree;
}

static bool is_looked_at(const cd_formulation* f, const cardan_model* m, bool loops, int nconstraint)
{
    if (!m || f->supports & CD_BASELINE || f->pace[loops] <= 0) return false;
    return estimate(f, m, nconstraint) < moment;
}

// Cheapest first. What cannot be counted cannot be taken. NO_MEMORY or OK.
static cardan_status count_all(cardan_model* const model[3], const cardan_data* start, bool loops, int nconstraint,
                               candidate* found, int* count)
{
    int n = *count = 0;
    for (int i = 0; i < cd_formulation_rows() && n < MOST; ++i) {
        const cd_formulation* f = cd_formulation_at(i);
        const cardan_model*   m = model[f->tree];
        cardan_operations     o;
        if (!is_looked_at(f, m, loops, nconstraint)) continue;
        const cardan_model_view look   = cardan_model_look(m);
        const bool              closed = start && start->m == m;
        const cardan_status     status =
            cardan_count(m, i, closed ? start->q : look.q_start, closed ? start->v : look.v_start, &o, NULL);
        if (status == CARDAN_NO_MEMORY) return status;
        if (status != CARDAN_OK) continue;
        const candidate c  = {i, sum_of(&o, 1), f->pace[loops] * sum_of(&o, slow)};
        int             at = n++;
        for (; at > 0 && found[at - 1].cost > c.cost; --at) found[at] = found[at - 1];
        found[at] = c;
        *count    = n;
    }
    return CARDAN_OK;
}

// "12,345"
static int write_count(char* text, size_t size, double value)
{
    const long v = (long)(value + 0.5);
    if (v >= 1000000) return snprintf(text, size, "%ld,%03ld,%03ld", v / 1000000, v / 1000 % 1000, v % 1000);
    return v >= 1000 ? snprintf(text, size, "%ld,%03ld", v / 1000, v % 1000) : snprintf(text, size, "%ld", v);
}

// Where others have fewer operations: why they are not taken. What one of them takes on average, divisions included.
static void tell_pace(const candidate* found, int n, char* text, size_t size)
{
    const double pace = found[0].cost / found[0].operations;
    size_t       at   = 0;
    for (int i = 1; i < n && i <= TOLD && at < size; ++i) {
        if (!(found[i].operations < found[0].operations)) continue;
        const int more = snprintf(
            text + at, size - at, at == 0 ? "; an operation of %s takes %.2g times as long" : ", of %s %.2g times",
            cd_formulation_at(found[i].formulation)->name, found[i].cost / found[i].operations / pace);
        if (more > 0) at += (size_t)more;
    }
}

// Those that were left out, because they would take more than a moment to be counted.
static void tell_uncounted(cardan_model* const model[3], bool loops, int nconstraint, char* text, size_t size)
{
    size_t at = 0;
    for (int i = 0; i < cd_formulation_rows() && at < size; ++i) {
        const cd_formulation* f = cd_formulation_at(i);
        const cardan_model*   m = model[f->tree];
        if (!m || f->supports & CD_BASELINE || f->pace[loops] <= 0 || is_looked_at(f, m, loops, nconstraint)) continue;
        const int more =
            snprintf(text + at, size - at, "%s%s", at > 0 ? " and " : "; not counted, for their size: ", f->name);
        if (more > 0) at += (size_t)more;
    }
}

static void tell(const candidate* found, int n, cardan_choice* choice)
{
    char   number[40];
    size_t at = 0;
    for (int i = 0; i < n && i <= TOLD && at < sizeof choice->reason; ++i) {
        write_count(number, sizeof number, found[i].operations);
        const int more = snprintf(choice->reason + at, sizeof choice->reason - at,
                                  i == 0   ? "%s, %s operations per evaluation"
                                  : i == 1 ? "; %s %s"
                                           : ", %s %s",
                                  cd_formulation_at(found[i].formulation)->name, number);
        if (more > 0) at += (size_t)more;
    }
    if (at < sizeof choice->reason) tell_pace(found, n, choice->reason + at, sizeof choice->reason - at);
}

// Of what is not counted: does it take the mechanism at all?
static cardan_status takes(cardan_model* const model[3], int formulation)
{
    cardan_data*        data   = NULL;
    const cardan_model* m      = formulation == CARDAN_NONE ? NULL : model[cd_formulation_at(formulation)->tree];
    const cardan_status status = m ? cardan_data_create(m, formulation, &data, NULL) : CARDAN_UNSUPPORTED;
    cardan_data_destroy(data);
    return status;
}

static const double narrow = 4e4; // multiplications of its fronts for each velocity: nets of 30 columns have 33,000,
                                  // and are still some ten times faster

// Reduction, if it takes the mechanism, and its fronts are narrow.
static cardan_status has_narrow_fronts(const cardan_model* m, int formulation, bool* good)
{
    cardan_data*        data   = NULL;
    const cardan_status status = m ? cardan_data_create(m, formulation, &data, NULL) : CARDAN_UNSUPPORTED;
    *good = status == CARDAN_OK && ((const cd_reducing*)data->work)->f.work < narrow * m->nv;
    cardan_data_destroy(data);
    return status;
}

// Nothing was counted: the mechanism is too large, or nobody solves it at its start, and then the yardstick tells most
// about why. NO_MEMORY or OK.
static cardan_status take_usual(const cardan_description* description, cardan_model* model[3], bool loops, int size,
                       cardan_choice* choice)
{
    const bool uncounted = size > linear_up_to[loops], big = size > SMALL;
    const int  reduction = cardan_formulation_find("reduction");
    bool       fronts    = false;
    if (uncounted && loops &&
        has_narrow_fronts(model[CARDAN_TREE_SHALLOW], reduction, &fronts) == CARDAN_NO_MEMORY)
        return CARDAN_NO_MEMORY;
    if (fronts) {
        choice->formulation = reduction;
    } else {
        if (loops && !model[CARDAN_TREE_FLAT] &&
            cardan_model_compile(description, CARDAN_TREE_FLAT, &model[CARDAN_TREE_FLAT], NULL) == CARDAN_NO_MEMORY)
            return CARDAN_NO_MEMORY;
        const int           usual  = cardan_formulation_find(!loops ? "order-n" : big ? "lagrange" : "dense");
        const cardan_status status = takes(model, usual);
        if (status == CARDAN_NO_MEMORY) return status;
        choice->formulation =
            status == CARDAN_OK ? usual : cardan_formulation_find(loops ? "dense" : "order-n");
    }
    const char* name = cd_formulation_at(choice->formulation)->name;
    if (uncounted)
        snprintf(choice->reason, sizeof choice->reason,
                 "%s, by the shape of the mechanism; too large to count operations", name);
    else
        snprintf(choice->reason, sizeof choice->reason, "%s; no formulation solves the start, so none was counted",
                 name);
    return CARDAN_OK;
}

// The start with its loops closed and its drivers followed, where `compare` counts too; NULL: it stays as it is
// written. NO_MEMORY or OK.
static cardan_status closed_start(const cardan_model* m, int size, cardan_data** start)
{
    enum { CLOSED_UP_TO = 600 };
    const cardan_model_view look = cardan_model_look(m);
    *start                       = NULL;
    if (size > CLOSED_UP_TO) return CARDAN_OK;
    cardan_status status = cd_data_create_bare(m, start, NULL);
    if (status == CARDAN_OK) status = cardan_data_set(*start, 0, look.q_start, look.v_start, NULL);
    if (status == CARDAN_OK) status = cardan_assemble(*start, NULL, NULL, NULL, NULL, NULL);
    if (status == CARDAN_OK) return status;
    cardan_data_destroy(*start);
    *start = NULL;
    return status == CARDAN_NO_MEMORY ? status : CARDAN_OK;
}

cardan_status cardan_choose_formulation(const cardan_description* description, cardan_choice* choice,
                                        cardan_report* report)
{
    cardan_model* own[3] = {NULL};
    candidate     found[MOST];
    *choice              = (cardan_choice){.formulation = CARDAN_NONE};
    cardan_status status = cardan_model_compile(description, CARDAN_TREE_SHALLOW, &own[CARDAN_TREE_SHALLOW], report);
    if (status != CARDAN_OK) return status;
    const cardan_model_view look   = cardan_model_look(own[CARDAN_TREE_SHALLOW]);
    const bool              loops  = look.nconstraint > 0;
    const int               size   = look.nv + 6 * look.nconstraint;
    const bool              counts = size <= linear_up_to[loops];
    cardan_data*            start  = NULL;
    int                     n      = 0;
    if (loops && counts &&
        (status = cardan_model_compile(description, CARDAN_TREE_FLAT, &own[CARDAN_TREE_FLAT], NULL)) != CARDAN_OK)
        own[CARDAN_TREE_FLAT] = NULL;
    if (status != CARDAN_NO_MEMORY && loops && counts) status = closed_start(own[CARDAN_TREE_SHALLOW], size, &start);
    if (status != CARDAN_NO_MEMORY && counts) status = count_all(own, start, loops, look.nconstraint, found, &n);
    cardan_data_destroy(start);
    if (status == CARDAN_NO_MEMORY) {
        (void)0;
    } else if (n > 0) {
        choice->formulation = found[0].formulation;
        choice->operations  = found[0].operations;
        tell(found, n, choice);
        const size_t at = strlen(choice->reason);
        tell_uncounted(own, loops, look.nconstraint, choice->reason + at, sizeof choice->reason - at);
    } else
        status = take_usual(description, own, loops, size, choice);
    for (int i = 0; i < 3; ++i) cardan_model_destroy(own[i]);
    if (status != CARDAN_NO_MEMORY) return CARDAN_OK;
    *choice = (cardan_choice){.formulation = CARDAN_NONE};
    return cardan_fail(report, status, cardan_nowhere(), "no memory to choose a formulation");
}
