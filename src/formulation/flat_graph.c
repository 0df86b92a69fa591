// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/flat_graph.h"

#include <stdlib.h>

int cd_flat_bodies(const cd_row_block* block, int body[CD_BLOCK_BODIES])
{
    int count = 0;
    for (int i = 0; i < block->nv; ++i) {
        const int b     = block->v[i] / 6;
        bool      known = false;
        for (int k = 0; k < count; ++k) known |= body[k] == b;
        if (!known && count < CD_BLOCK_BODIES) body[count++] = b;
    }
    return count;
}

bool cd_flat_graph_open(cd_flat_graph* g, int nbody, int nconstraint, int nend)
{
    *g          = (cd_flat_graph){.nbody = nbody, .nconstraint = nconstraint};
    g->nrow     = cd_allocate((size_t)nconstraint, sizeof *g->nrow);
    g->grounded = cd_allocate((size_t)nconstraint, sizeof *g->grounded);
    g->first    = cd_allocate((size_t)nconstraint + 1, sizeof *g->first);
    g->body     = cd_allocate((size_t)nend, sizeof *g->body);
    g->start    = cd_allocate((size_t)nbody + 2, sizeof *g->start);
    g->list     = cd_allocate((size_t)nend, sizeof *g->list);
    return g->nrow && g->grounded && g->first && g->body && g->start && g->list;
}

void cd_flat_graph_close(cd_flat_graph* g)
{
    for (int i = 0; i < g->first[g->nconstraint]; ++i) ++g->start[g->body[i] + 2];
    for (int b = 0; b < g->nbody; ++b) g->start[b + 2] += g->start[b + 1];
    for (int c = 0; c < g->nconstraint; ++c)
        for (int i = g->first[c]; i < g->first[c + 1]; ++i) g->list[g->start[g->body[i] + 1]++] = c;
}

void cd_flat_graph_release(cd_flat_graph* g)
{
    free(g->nrow), free(g->grounded), free(g->first), free(g->body), free(g->start), free(g->list);
    *g = (cd_flat_graph){0};
}

bool cd_flat_graph_of(cd_flat_graph* g, int nbody, const cd_rows* rows)
{
    int body[CD_BLOCK_BODIES], nend = 0;
    for (int c = 0; c < rows->nblock; ++c) nend += cd_flat_bodies(&rows->block[c], body);
    if (!cd_flat_graph_open(g, nbody, rows->nblock, nend)) return false;
    for (int c = 0; c < rows->nblock; ++c) {
        const int n    = cd_flat_bodies(&rows->block[c], body);
        g->nrow[c]     = rows->block[c].nrow;
        g->grounded[c] = n == 1;
        for (int k = 0; k < rows->block[c].nend; ++k) g->grounded[c] |= rows->block[c].link[k] < 0;
        for (int k = 0; k < n; ++k) g->body[g->first[c] + k] = body[k];
        g->first[c + 1] = g->first[c] + n;
    }
    cd_flat_graph_close(g);
    return true;
}
