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

// Of maximal coordinates: what their symbolic phase tells. INFINITY: they do not take the mechanism.
static double estimate_flat(const cardan_model* m, int formulation)
{
    cardan_data* data = NULL;
    double       work = INFINITY;
    if (cardan_data_create(m, formulation, &data, NULL) == CARDAN_OK)
        work = ((const cd_lagrange_work*)data->work)->S.F.work;
    cardan_data_destroy(data);
    return work;
}

// About so many operations, told from sizes alone; 0: linear.
static double estimate(int formulation, const cardan_model* m, int nconstraint)
{
    const cd_formulation* f = cd_formulation_at(formulation);
    const double          n = m->nv + 6.0 * nconstraint, nrow = 6.0 * nconstraint;
    if (f->supports & CD_CUBIC) return n * n * n;
    if (f->tree == CARDAN_TREE_FLAT) return estimate_flat(m, formulation);
    const double tree = f->appetite ? f->appetite(m, &(cd_rows){0}) * m->depth : 0;
    return f->supports & CD_WAYS ? tree + nrow * nrow * m->depth : tree;
}

// Whether a formulation is counted: in a moment, or in reasonable time where it may cost less than the cheapest so far.
static bool is_counted(const cd_candidate* c, bool loops, double cheapest)
{
    const double pace = cd_formulation_at(c->formulation)->pace[loops];
    return c->estimate < moment || (c->estimate < most && part * c->estimate * pace < cheapest);
}

// Formulations that may be chosen, by their estimates.
static int list_candidates(cardan_model* const model[3], bool loops, int nconstraint, cd_candidate* found)
{
    int n = 0;
    for (int i = 0; i < cd_formulation_rows() && n < MOST; ++i) {
        const cd_formulation* f = cd_formulation_at(i);
        const cardan_model*   m = model[f->tree];
        if (!m || f->supports & CD_BASELINE || f->pace[loops] <= 0) continue;
        const cd_candidate c  = {.formulation = i, .estimate = estimate(i, m, nconstraint)};
        int                at = n++;
        for (; at > 0 && found[at - 1].estimate > c.estimate; --at) found[at] = found[at - 1];
        found[at] = c;
    }
    return n;
}

// Operations and cost of a candidate, from the closed start where that is known. False where it cannot be counted.
static bool count_one(const cardan_model* m, const cardan_data* start, bool loops, cd_candidate* c)
{
    cardan_operations       o;
    const cardan_model_view look   = cardan_model_look(m);
    const bool              closed = start && start->m == m;
    if (cardan_count(m, c->formulation, closed ? start->q : look.q_start, closed ? start->v : look.v_start, &o, NULL) !=
        CARDAN_OK)
        return false;
    c->operations = sum_of(&o, 1);
    c->cost       = cd_formulation_at(c->formulation)->pace[loops] * sum_of(&o, slow);
    return true;
}

// In the order of the estimates; what is counted, cheapest first.
int cd_candidates_count(cardan_model* const model[3], const cardan_data* start, bool loops, int nconstraint,
                        cd_candidate* found, int* nleft)
{
    cd_candidate listed[MOST], left[MOST];
    const int    all = list_candidates(model, loops, nconstraint, listed);
    int          n   = 0;
    *nleft           = 0;
    for (int i = 0; i < all; ++i) {
        cd_candidate c = listed[i];
        if (!is_counted(&c, loops, n > 0 ? found[0].cost : INFINITY)) {
            left[(*nleft)++] = c;
            continue;
        }
        if (!count_one(model[cd_formulation_at(c.formulation)->tree], start, loops, &c)) continue;
        int at = n++;
        for (; at > 0 && found[at - 1].cost > c.cost; --at) found[at] = found[at - 1];
        found[at] = c;
    }
    for (int i = 0; i < *nleft; ++i) found[n + i] = left[i];
    return n;
}
