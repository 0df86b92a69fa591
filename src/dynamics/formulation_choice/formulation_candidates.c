// SPDX-License-Identifier: BSD-3-Clause
// Operations of the formulations that may solve a mechanism, times the measured time per operation of each
// (cd_formulation.time_per_operation). Counting evaluates a formulation on counting numbers, which takes about twenty
// times as long as an evaluation: a formulation with a large estimate from sizes is counted only if it can still be
// the cheapest.
#include "dynamics/formulation_choice/formulation_candidates.h"

#include "dynamics/data.h"
#include "dynamics/dynamics_tolerances.h"
#include "formulation/maximal/lagrange.h"
#include "model/model.h"

#include <math.h>

enum { MAX_LISTED = CD_MAX_CANDIDATES / 2 };

static double weighted_operations(const cardan_operation_count* t, double weight)
{
    return (double)(t->mul + t->add) + weight * (double)(t->div + t->sqrt);
}

static double total_operations(const cardan_operation_counts* o, double weight)
{
    return weighted_operations(&o->kinematics, weight) + weighted_operations(&o->constraints, weight) +
           weighted_operations(&o->assembly, weight) + weighted_operations(&o->factor, weight) +
           weighted_operations(&o->solve, weight);
}

// Operations in maximal coordinates, as counted by the symbolic phase. INFINITY: mechanism not supported.
static cardan_status estimate_maximal(const cardan_model* m, int formulation, double* work)
{
    cardan_data*        data   = NULL;
    const cardan_status status = cardan_data_create(m, formulation, &data, NULL);
    *work = status == CARDAN_OK ? ((const cd_lagrange_work*)data->formulation_work)->S.F.multiplications : INFINITY;
    cardan_data_destroy(data);
    return status == CARDAN_NO_MEMORY ? status : CARDAN_OK;
}

// Estimate the operations from sizes; 0: linear. Returns CARDAN_NO_MEMORY or CARDAN_OK.
static cardan_status estimate_operations(int formulation, const cardan_model* m, int nconstraint, double* operations)
{
    const cd_formulation* f = cd_formulation_at(formulation);
    const double          n = m->nv + 6.0 * nconstraint, nrow = 6.0 * nconstraint;
    if (!(f->properties & CD_DENSE_COST) && f->tree_policy == CARDAN_TREE_MAXIMAL)
        return estimate_maximal(m, formulation, operations);
    const double tree = f->memory_estimate ? f->memory_estimate(m, &(cd_rows){0}) * m->depth : 0;
    *operations       = f->properties & CD_DENSE_COST                   ? n * n * n
                        : f->properties & CD_NEEDS_JOINT_SPACE_JACOBIAN ? tree + nrow * nrow * m->depth
                                                                        : tree;
    return CARDAN_OK;
}

// Whether a formulation is counted: if that is quick, or affordable and possibly cheaper than the cheapest so far.
static bool is_worth_counting(const cd_formulation_candidate* c, bool loops, double cheapest)
{
    const double time_per_operation = cd_formulation_at(c->formulation)->time_per_operation[loops];
    return c->estimated_operations < cd_quick_count_operations ||
           (c->estimated_operations < cd_max_counted_operations &&
            cd_min_count_ratio * c->estimated_operations * time_per_operation < cheapest);
}

// List the formulations that may be chosen, sorted by their estimates. Returns CARDAN_NO_MEMORY or CARDAN_OK.
static cardan_status list_candidates(cardan_model* const model[3], bool loops, int nconstraint,
                                     cd_formulation_candidate* found, int* count)
{
    int n = 0;
    for (int i = 0; i < cd_formulation_count() && n < MAX_LISTED; ++i) {
        const cd_formulation* f = cd_formulation_at(i);
        const cardan_model*   m = model[f->tree_policy];
        if (!m || f->properties & CD_REFERENCE_IMPLEMENTATION || f->time_per_operation[loops] <= 0) continue;
        cd_formulation_candidate c      = {.formulation = i};
        const cardan_status      status = estimate_operations(i, m, nconstraint, &c.estimated_operations);
        if (status != CARDAN_OK) return status;
        int at = n++;
        for (; at > 0 && found[at - 1].estimated_operations > c.estimated_operations; --at) found[at] = found[at - 1];
        found[at] = c;
    }
    *count = n;
    return CARDAN_OK;
}

// Count operations and cost of a candidate, at the assembled start if it is available.
static cardan_status count_candidate(const cardan_model* m, const cardan_data* start, bool loops,
                                     cd_formulation_candidate* c)
{
    cardan_operation_counts o;
    const cardan_model_view view               = cardan_model_get_view(m);
    const bool              start_is_assembled = start && start->m == m;
    const cardan_status     status =
        cardan_model_count_operations(m, c->formulation, start_is_assembled ? start->q : view.q_start,
                                      start_is_assembled ? start->v : view.v_start, &o, NULL);
    if (status != CARDAN_OK) return status;
    c->counted_operations = total_operations(&o, 1);
    c->cost = cd_formulation_at(c->formulation)->time_per_operation[loops] * total_operations(&o, cd_division_weight);
    return CARDAN_OK;
}

// Candidates are counted in the order of their estimates.
cardan_status cd_count_candidates(cardan_model* const model[3], const cardan_data* start, bool loops, int nconstraint,
                                  cd_formulation_candidate* found, int* count, int* nuncounted)
{
    cd_formulation_candidate listed[MAX_LISTED], uncounted[MAX_LISTED];
    int                      all = 0, n = 0;
    cardan_status            status = list_candidates(model, loops, nconstraint, listed, &all);
    *count = *nuncounted = 0;
    for (int i = 0; i < all; ++i) {
        cd_formulation_candidate c = listed[i];
        if (!is_worth_counting(&c, loops, n > 0 ? found[0].cost : INFINITY)) {
            uncounted[(*nuncounted)++] = c;
            continue;
        }
        status = count_candidate(model[cd_formulation_at(c.formulation)->tree_policy], start, loops, &c);
        if (status == CARDAN_NO_MEMORY) return status;
        if (status != CARDAN_OK) continue;
        int at = n++;
        for (; at > 0 && found[at - 1].cost > c.cost; --at) found[at] = found[at - 1];
        found[at] = c;
    }
    for (int i = 0; i < *nuncounted; ++i) found[n + i] = uncounted[i];
    *count = n;
    return status == CARDAN_NO_MEMORY ? status : CARDAN_OK;
}
