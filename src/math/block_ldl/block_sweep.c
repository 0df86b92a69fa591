// SPDX-License-Identifier: BSD-3-Clause
// Sweeps over the columns of a block LDL', inward and outward along its elimination tree: complete subtrees in
// parallel, the columns above them by one thread. A column is visited after (before) all its descendants, independent
// of the thread that visits them, so that the result does not depend on the number of threads.
#include "math/block_ldl/block_ldl.h"
#include "math/math_tolerances.h"

static const cd_block_stats empty_stats = {.bad_pivot = -1, .nnull = 0, .max_growth = 1, .max_growth_scalar = -1};

typedef struct sweep_context {
    const cd_block_ldl* F;
    cd_block_visit*     visit;
    void*               context;
    bool                collects_stats;
} sweep_context;

static void visit_range(const sweep_context* s, int first, int last, cd_block_stats* stats)
{
    for (int k = first; k < last && (!stats || stats->bad_pivot < 0); ++k) s->visit(s->context, k, stats);
}

static void inward_task(void* context, int task)
{
    const sweep_context* s = context;
    visit_range(s, s->F->task[task].first, s->F->task[task].last, s->collects_stats ? &s->F->stats[task + 1] : NULL);
}

static void outward_task(void* context, int task)
{
    const sweep_context* s = context;
    for (int k = s->F->task[task].last - 1; k >= s->F->task[task].first; --k) s->visit(s->context, k, NULL);
}

static bool is_sequential(const cd_block_ldl* F, const cd_threads* threads)
{
    return !threads || F->multiplications < cd_block_min_work_for_threads;
}

static void sweep_inward(sweep_context* s, cd_threads* threads)
{
    const cd_block_ldl* F         = s->F;
    cd_block_stats*     own_stats = s->collects_stats ? &F->stats[0] : NULL;
    if (is_sequential(F, threads)) {
        visit_range(s, 0, F->nblock, own_stats);
        return;
    }
    cd_threads_run(threads, F->ntask, inward_task, s);
    if (s->collects_stats && cd_block_stats_total(F).bad_pivot >= 0) return;
    for (int i = 0; i < F->nabove; ++i)
        visit_range(s, F->column_above_tasks[i], F->column_above_tasks[i] + 1, own_stats);
}

int cd_block_factor_with(cd_block_ldl* F, cd_block_visit* visit, void* context, cd_threads* threads)
{
    F->nstats = is_sequential(F, threads) ? 1 : F->ntask + 1;
    for (int i = 0; i < F->nstats; ++i) F->stats[i] = empty_stats;
    sweep_inward(&(sweep_context){F, visit, context, true}, threads);
    return cd_block_stats_total(F).bad_pivot;
}

void cd_block_sweep_inward(const cd_block_ldl* F, cd_block_visit* visit, void* context, cd_threads* threads)
{
    sweep_inward(&(sweep_context){F, visit, context, false}, threads);
}

void cd_block_sweep_outward(const cd_block_ldl* F, cd_block_visit* visit, void* context, cd_threads* threads)
{
    if (is_sequential(F, threads)) {
        for (int k = F->nblock - 1; k >= 0; --k) visit(context, k, NULL);
        return;
    }
    for (int i = F->nabove - 1; i >= 0; --i) visit(context, F->column_above_tasks[i], NULL);
    cd_threads_run(threads, F->ntask, outward_task, &(sweep_context){F, visit, context, false});
}

cd_block_stats cd_block_stats_total(const cd_block_ldl* F)
{
    cd_block_stats all = empty_stats;
    for (int i = 0; i < F->nstats; ++i) {
        const cd_block_stats* one = &F->stats[i];
        all.nnull += one->nnull;
        if (all.bad_pivot < 0) all.bad_pivot = one->bad_pivot;
        if (!(one->max_growth > all.max_growth || (one->max_growth == all.max_growth && one->max_growth_scalar >= 0 &&
                                                   one->max_growth_scalar < all.max_growth_scalar)))
            continue;
        all.max_growth        = one->max_growth;
        all.max_growth_scalar = one->max_growth_scalar;
    }
    return all;
}
