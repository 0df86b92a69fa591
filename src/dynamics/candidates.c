// SPDX-License-Identifier: BSD-3-Clause
// Operations of the formulations that may solve a mechanism, weighed by the time that each takes for one
// (cd_formulation.pace, measured). Counting runs a formulation on counting numbers, which takes some twenty times as
// long as an evaluation: a formulation whose estimate from sizes is large is counted only if that leaves it a chance.
#include "dynamics/candidates.h"

#include "dynamics/data.h"
#include "formulation/lagrange.h"
#include "model/model.h"

#include <math.h>

static const double moment = 3e5;  // operations that are counted without being noticed
static const double most   = 1e7;  // and those of which nothing is counted that may be more
static const double part   = 0.25; // of an estimate that operations are rarely less than
static const double slow   = 4;    // a division or a square root takes as long as so many products

enum { MOST = CD_CANDIDATES / 2 };

static double add_tally(const cardan_tally* t, double weight)
{
    return (double)(t->mul + t->add) + weight * (double)(t->div + t->sqrt);
}

static double sum_of(const cardan_operations* o, double weight)
{
    return add_tally(&o->kinematics, weight) + add_tally(&o->rows, weight) + add_tally(&o->assembly, weight) +
           add_tally(&o->factor, weight) + add_tally(&o->solve, weight);
}

// Of maximal coordinates: what their symbolic phase counts. INFINITY: they do not take the mechanism.
static cardan_status estimate_flat(const cardan_model* m, int formulation, double* work)
{
    cardan_data*        data   = NULL;
    const cardan_status status = cardan_data_create(m, formulation, &data, NULL);
    *work = status == CARDAN_OK ? ((const cd_lagrange_work*)data->work)->S.F.work : INFINITY;
    cardan_data_destroy(data);
    return status == CARDAN_NO_MEMORY ? status : CARDAN_OK;
}

// About so many operations, from sizes alone; 0: linear. NO_MEMORY or OK.
static cardan_status estimate(int formulation, const cardan_model* m, int nconstraint, double* operations)
{
    const cd_formulation* f = cd_formulation_at(formulation);
    const double          n = m->nv + 6.0 * nconstraint, nrow = 6.0 * nconstraint;
    if (!(f->supports & CD_CUBIC) && f->tree == CARDAN_TREE_FLAT) return estimate_flat(m, formulation, operations);
    const double tree = f->appetite ? f->appetite(m, &(cd_rows){0}) * m->depth : 0;
    *operations       = f->supports & CD_CUBIC  ? n * n * n
                        : f->supports & CD_WAYS ? tree + nrow * nrow * m->depth
                                                : tree;
    return CARDAN_OK;
}

// Whether a formulation is counted: in a moment, or in reasonable time where it may cost less than the cheapest so far.
static bool is_counted(const cd_candidate* c, bool loops, double cheapest)
{
    const double pace = cd_formulation_at(c->formulation)->pace[loops];
    return c->estimate < moment || (c->estimate < most && part * c->estimate * pace < cheapest);
}

// Formulations that may be chosen, by their estimates. NO_MEMORY or OK.
static cardan_status list_candidates(cardan_model* const model[3], bool loops, int nconstraint, cd_candidate* found,
                                     int* count)
{
    int n = 0;
    for (int i = 0; i < cd_formulation_rows() && n < MOST; ++i) {
        const cd_formulation* f = cd_formulation_at(i);
        const cardan_model*   m = model[f->tree];
        if (!m || f->supports & CD_BASELINE || f->pace[loops] <= 0) continue;
        cd_candidate        c      = {.formulation = i};
        const cardan_status status = estimate(i, m, nconstraint, &c.estimate);
        if (status != CARDAN_OK) return status;
        int at = n++;
        for (; at > 0 && found[at - 1].estimate > c.estimate; --at) found[at] = found[at - 1];
        found[at] = c;
    }
    *count = n;
    return CARDAN_OK;
}

// Operations and cost of a candidate, from the closed start where that is known.
static cardan_status count_one(const cardan_model* m, const cardan_data* start, bool loops, cd_candidate* c)
{
    cardan_operations       o;
    const cardan_model_view look   = cardan_model_look(m);
    const bool              closed = start && start->m == m;
    const cardan_status     status = cardan_count(m, c->formulation, closed ? start->q : look.q_start,
                                                  closed ? start->v : look.v_start, &o, NULL);
    if (status != CARDAN_OK) return status;
    c->operations = sum_of(&o, 1);
    c->cost       = cd_formulation_at(c->formulation)->pace[loops] * sum_of(&o, slow);
    return CARDAN_OK;
}

// In the order of the estimates.
cardan_status cd_candidates_count(cardan_model* const model[3], const cardan_data* start, bool loops, int nconstraint,
                                  cd_candidate* found, int* count, int* nleft)
{
    cd_candidate  listed[MOST], left[MOST];
    int           all = 0, n = 0;
    cardan_status status = list_candidates(model, loops, nconstraint, listed, &all);
    *count = *nleft = 0;
    for (int i = 0; i < all; ++i) {
        cd_candidate c = listed[i];
        if (!is_counted(&c, loops, n > 0 ? found[0].cost : INFINITY)) {
            left[(*nleft)++] = c;
            continue;
        }
        status = count_one(model[cd_formulation_at(c.formulation)->tree], start, loops, &c);
        if (status == CARDAN_NO_MEMORY) return status;
        if (status != CARDAN_OK) continue;
        int at = n++;
        for (; at > 0 && found[at - 1].cost > c.cost; --at) found[at] = found[at - 1];
        found[at] = c;
    }
    for (int i = 0; i < *nleft; ++i) found[n + i] = left[i];
    *count = n;
    return status == CARDAN_NO_MEMORY ? status : CARDAN_OK;
}
