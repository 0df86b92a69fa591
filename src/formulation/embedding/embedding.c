// SPDX-License-Identifier: BSD-3-Clause
// Joint coordinates without multipliers: in every cluster of loops dependent coordinates follow independent ones, and
// the equations of motion are those of the independent ones alone, an arrow matrix along the tree (embedding.h). Pivots
// at the first configuration decide which coordinates are independent; the partition is repeated where pivots have
// become small or influence coefficients large. Operation counts are those of evaluations that keep the partition.
// Multipliers are computed afterwards, on request. Wehage and Haug 1982, applied cluster by cluster.
// docs/theory/embedding.md.
#include "formulation/embedding/embedding.h"
#include "formulation/formulation_tolerances.h"

#include "formulation/safeguards/consistency_check.h"

static cardan_status analyse(const cardan_model* m, const cd_rows* rows, void* work, cardan_report* report)
{
    const double nentry = cd_embedding_analyse(m, rows, work);
    if (nentry < 0)
        return cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_location_none(),
                           "out of memory for the clusters of '%s'", m->view.name);
    if (nentry > cd_max_matrix_entries)
        return cardan_fail(report, CARDAN_UNSUPPORTED, CARDAN_CODE_MODEL_TOO_LARGE, cardan_location_none(),
                           "loops of '%s' couple too many coordinates for the formulation 'embedding'", m->view.name);
    return CARDAN_OK;
}

static void release(void* work) { cd_embedding_release(work); }

static double memory_estimate(const cardan_model* m, const cd_rows* rows)
{
    return (void)rows, cd_tree_mass_entries(m);
}

static void layout(const cardan_model* m, const cd_rows* rows, cd_arena* arena, void* work)
{
    cd_embedding_layout(m, rows, arena, work);
}

static void assemble(const cd_problem* p, void* work)
{
    cd_embedding_work* E = work;
    cd_root_frame_poses(p->m, p->k);
    cd_tree_mass(p->m, p->k, &E->M);
}

static void report_pivots(const cd_embedding_work* E, cd_solve_info* info)
{
    info->conditioning = (cd_pivot_conditioning){
        .min_pivot_rel = E->min_pivot * E->min_pivot, .min_pivot_row = E->min_pivot_row, .nnull = E->nnull};
}

static cardan_status factor(const cd_problem* p, void* work, cd_solve_info* info)
{
    cd_embedding_work*  E    = work;
    const cd_pivot_test test = cd_pivot_test_of(p->policy, cd_null_row_size_sq); // pivots are those of J, not squared
    const double        tolerance   = sqrt(fmax(test.rel_to_row, test.rel_to_constraint));
    bool                is_factored = E->is_partitioned && cd_embedding_factor_constraints(p, E, tolerance);
    if (!is_factored) {
        cd_embedding_partition(p, E, tolerance);
        is_factored = cd_embedding_factor_constraints(p, E, tolerance);
    }
    report_pivots(E, info);
    if (!is_factored) {
        info->failed_row = E->min_pivot_row;
        return CARDAN_SINGULAR;
    }
    const int x = cd_embedding_factor(p->m, p->rows, E);
    if (x == CARDAN_NONE) return CARDAN_OK;
    info->failed_velocity = x < p->m->nv ? x : CARDAN_NONE;
    return CARDAN_SINGULAR;
}

static cardan_status solve(const cd_problem* p, void* work, const cd_right_sides* rhs, const cd_solution* x,
                           cd_solve_info* info)
{
    cd_embedding_solve(p->m, p->rows, work, rhs, x);
    report_pivots(work, info);
    return cd_check_consistency(p, x->a, rhs->gamma, cd_free_acceleration_scale(p->m, rhs->r), 0, info);
}

static void reset(const cardan_model* m, void* work)
{
    (void)m;
    ((cd_embedding_work*)work)->is_partitioned = false;
}

const cd_formulation cd_embedding = {
    .name     = "embedding",
    .summary  = "dependent coordinates of every cluster of loops are eliminated, multipliers computed only on request",
    .citation = "Wehage, Haug 1982 (coordinate partitioning), cluster by cluster",
    .properties = CD_SUPPORTS_TREES | CD_SUPPORTS_LOOPS | CD_SUPPORTS_REDUNDANT_ROWS | CD_NEEDS_JOINT_SPACE_JACOBIAN |
                  CD_DENSE_COST | CD_MULTIPLIERS_OPTIONAL | CD_REPORTS_PIVOTS,
    .tree_policy        = CARDAN_TREE_BREADTH_FIRST,
    .time_per_operation = {0, 0.48},
    .work_size          = sizeof(cd_embedding_work),
    .memory_estimate    = memory_estimate,
    .analyse            = analyse,
    .release            = release,
    .layout             = layout,
    .reset              = reset,
    .assemble           = assemble,
    .factor             = factor,
    .solve              = solve,
};
