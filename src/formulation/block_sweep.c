// SPDX-License-Identifier: BSD-3-Clause
// Sweeps over the columns of a block LDL', inward and outward along its elimination tree: whole subtrees side by side,
// what stands above them by one thread. A column is visited after (before) all that it gathers from, whoever visits
// those, so that nothing depends on the number of threads.
#include "formulation/block_ldl.h"

static const cd_block_met nothing_met = {.bad = -1, .null = 0, .most = 1, .scalar = -1};

typedef struct sweep {
    const cd_block_ldl* F;
    cd_block_visit*     visit;
    void*               context;
    bool                meets;
} sweep;

static void inward(const sweep* s, int first, int last, cd_block_met* met)
{
    for (int k = first; k < last && (!met || met->bad < 0); ++k) s->visit(s->context, k, met);
}

static void inward_task(void* context, int task)
{
    const sweep* s = context;
    inward(s, s->F->task[task].first, s->F->task[task].last, s->meets ? &s->F->met[task + 1] : NULL);
}

static void outward_task(void* context, int task)
{
    const sweep* s = context;
    for (int k = s->F->task[task].last - 1; k >= s->F->task[task].first; --k) s->visit(s->context, k, NULL);
}

static bool alone(const cd_block_ldl* F, const cd_threads* threads)
{
    return !threads || F->work < cd_block_worth_threads;
}

static void sweep_inward(sweep* s, cd_threads* threads)
{
    const cd_block_ldl* F   = s->F;
    cd_block_met*       own = s->meets ? &F->met[0] : NULL;
    if (alone(F, threads)) {
        inward(s, 0, F->nblock, own);
        return;
    }
    cd_threads_run(threads, F->ntask, inward_task, s);
    if (s->meets && cd_block_met_by_all(F).bad >= 0) return;
    for (int i = 0; i < F->nabove; ++i) inward(s, F->above[i], F->above[i] + 1, own);
}

int cd_block_factor_by(cd_block_ldl* F, cd_block_visit* visit, void* context, cd_threads* threads)
{
    F->nmet = alone(F, threads) ? 1 : F->ntask + 1;
    for (int i = 0; i < F->nmet; ++i) F->met[i] = nothing_met;
    sweep_inward(&(sweep){F, visit, context, true}, threads);
    return cd_block_met_by_all(F).bad;
}

void cd_block_inward(const cd_block_ldl* F, cd_block_visit* visit, void* context, cd_threads* threads)
{
    sweep_inward(&(sweep){F, visit, context, false}, threads);
}

void cd_block_outward(const cd_block_ldl* F, cd_block_visit* visit, void* context, cd_threads* threads)
{
    if (alone(F, threads)) {
        for (int k = F->nblock - 1; k >= 0; --k) visit(context, k, NULL);
        return;
    }
    for (int i = F->nabove - 1; i >= 0; --i) visit(context, F->above[i], NULL);
    cd_threads_run(threads, F->ntask, outward_task, &(sweep){F, visit, context, false});
}

cd_block_met cd_block_met_by_all(const cd_block_ldl* F)
{
    cd_block_met all = nothing_met;
    for (int i = 0; i < F->nmet; ++i) {
        const cd_block_met* one = &F->met[i];
        all.null += one->null;
        if (all.bad < 0) all.bad = one->bad;
        if (!(one->most > all.most || (one->most == all.most && one->scalar >= 0 && one->scalar < all.scalar)))
            continue;
        all.most   = one->most;
        all.scalar = one->scalar;
    }
    return all;
}
