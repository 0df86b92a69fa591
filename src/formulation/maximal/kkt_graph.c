// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/maximal/kkt_graph.h"

#include <stdlib.h>

int cd_kkt_bodies_of(const cd_row_block* block, int body[CD_ROW_BLOCK_BODIES_MAX])
{
    int count = 0;
    for (int i = 0; i < block->nv; ++i) {
        const int b         = block->v[i] / 6;
        bool      is_listed = false;
        for (int k = 0; k < count; ++k) is_listed |= body[k] == b;
        if (!is_listed && count < CD_ROW_BLOCK_BODIES_MAX) body[count++] = b;
    }
    return count;
}

bool cd_kkt_graph_begin(cd_kkt_graph* g, int nbody, int nconstraint, int nend)
{
    *g                  = (cd_kkt_graph){.nbody = nbody, .nconstraint = nconstraint};
    g->nrow             = cd_allocate((size_t)nconstraint, sizeof *g->nrow);
    g->grounded         = cd_allocate((size_t)nconstraint, sizeof *g->grounded);
    g->body_start       = cd_allocate((size_t)nconstraint + 1, sizeof *g->body_start);
    g->body             = cd_allocate((size_t)nend, sizeof *g->body);
    g->constraint_start = cd_allocate((size_t)nbody + 2, sizeof *g->constraint_start);
    g->constraint       = cd_allocate((size_t)nend, sizeof *g->constraint);
    return g->nrow && g->grounded && g->body_start && g->body && g->constraint_start && g->constraint;
}

void cd_kkt_graph_end(cd_kkt_graph* g)
{
    for (int i = 0; i < g->body_start[g->nconstraint]; ++i) ++g->constraint_start[g->body[i] + 2];
    for (int b = 0; b < g->nbody; ++b) g->constraint_start[b + 2] += g->constraint_start[b + 1];
    for (int c = 0; c < g->nconstraint; ++c)
        for (int i = g->body_start[c]; i < g->body_start[c + 1]; ++i)
            g->constraint[g->constraint_start[g->body[i] + 1]++] = c;
}

void cd_kkt_graph_release(cd_kkt_graph* g)
{
    free(g->nrow), free(g->grounded), free(g->body_start), free(g->body), free(g->constraint_start),
        free(g->constraint);
    *g = (cd_kkt_graph){0};
}

bool cd_kkt_graph_from_rows(cd_kkt_graph* g, int nbody, const cd_rows* rows)
{
    int body[CD_ROW_BLOCK_BODIES_MAX], nend = 0;
    for (int c = 0; c < rows->nblock; ++c) nend += cd_kkt_bodies_of(&rows->block[c], body);
    if (!cd_kkt_graph_begin(g, nbody, rows->nblock, nend)) return false;
    for (int c = 0; c < rows->nblock; ++c) {
        const int n    = cd_kkt_bodies_of(&rows->block[c], body);
        g->nrow[c]     = rows->block[c].nrow;
        g->grounded[c] = n == 1;
        for (int k = 0; k < rows->block[c].nend; ++k) g->grounded[c] |= rows->block[c].link[k] < 0;
        for (int k = 0; k < n; ++k) g->body[g->body_start[c] + k] = body[k];
        g->body_start[c + 1] = g->body_start[c] + n;
    }
    cd_kkt_graph_end(g);
    return true;
}
