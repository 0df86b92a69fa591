// SPDX-License-Identifier: BSD-3-Clause
// Constraints that hold nothing in the coordinates of a tree but by rounding: two hinges whose axes are off by 1e-11 m
// leave rows of that size and no other, and pivots measured by their own row would lock the door. All rows of such a
// constraint are compared with the terms they are sums of, as maximal coordinates do by themselves, and as assembly
// does when it closes a start.
#include "dynamics/data.h"

#include <math.h>
#include <string.h>

static const double faint = 3e-9; // of its terms; what assembly takes for rounding of a drawing

static bool moves(const cardan_model* m, int v)
{
    const cd_link* link = &m->link[m->v_link[v]];
    return link->motion == CD_SLIDE || (link->nv == 6 && v - link->v < 3);
}

static bool is_faint(const cardan_data* d, const cd_row_block* b)
{
    for (int i = 0; i < b->nrow; ++i) {
        double move = 0, turn = 0;
        for (int n = 0; n < b->nend; ++n) {
            move = fmax(move, v3_length(b->G[i * b->nend + n].l));
            turn = fmax(turn, v3_length(b->G[i * b->nend + n].a));
        }
        turn += move * d->length;
        for (int j = 0; j < b->nv; ++j)
            if (!(fabs(b->J[i * b->nv + j]) <= faint * (moves(d->m, b->v[j]) ? move : turn))) return false;
    }
    return true;
}

void cd_silence_faint(cardan_data* d)
{
    if (d->m->policy == CARDAN_TREE_FLAT || !d->closure.ways) return;
    for (int c = 0; c < d->closure.nconstraint; ++c) {
        const cd_row_block* b = &d->rows.block[c];
        if (d->closure.constraint[c].driven || !is_faint(d, b)) continue;
        memset(b->J, 0, (size_t)(b->nrow * b->nv) * sizeof *b->J);
        memset(d->closure.square + b->row, 0, (size_t)b->nrow * sizeof *d->closure.square);
        memset(d->gamma + b->row, 0, (size_t)b->nrow * sizeof *d->gamma);
    }
}
