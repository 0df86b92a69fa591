// SPDX-License-Identifier: BSD-3-Clause
// Parts of eliminated bodies that eliminated constraints hold together, as disjoint sets, each with the ends it reaches
// outside.
#include "formulation/flat_safe.h"

#include <stdlib.h>

enum { MOST_ENDS = 8 };

// A part reaches these; more than MOST_ENDS are "many", from which no order recovers.
typedef struct ends {
    int n, end[MOST_ENDS];
} ends;

struct cd_flat_safety {
    const cd_flat_graph* g;
    int*                 up;          // (nbody) towards the body that stands for its part
    ends*                outside;     // (nbody) of the part, where a body stands for it
    bool *               gone, *held; // (nbody + nconstraint) eliminated; (nbody) by some eliminated constraint
};

static int part_of(const cd_flat_safety* s, int b)
{
    while (s->up[b] != b) b = s->up[b] = s->up[s->up[b]];
    return b;
}

static void reach(ends* e, int end)
{
    for (int i = 0; i < e->n && i < MOST_ENDS; ++i)
        if (e->end[i] == end) return;
    if (e->n < MOST_ENDS) e->end[e->n] = end;
    if (e->n <= MOST_ENDS) ++e->n;
}

static void reach_all(ends* e, const ends* more)
{
    for (int i = 0; i < more->n && i < MOST_ENDS; ++i) reach(e, more->end[i]);
    if (more->n > MOST_ENDS) e->n = MOST_ENDS + 1;
}

cd_flat_safety* cd_safety_begin(const cd_flat_graph* g)
{
    cd_flat_safety* s = cd_allocate(1, sizeof *s);
    if (!s) return NULL;
    s->g       = g;
    s->up      = cd_allocate((size_t)g->nbody, sizeof *s->up);
    s->outside = cd_allocate((size_t)g->nbody, sizeof *s->outside);
    s->gone    = cd_allocate((size_t)(g->nbody + g->nconstraint), sizeof *s->gone);
    s->held    = cd_allocate((size_t)g->nbody, sizeof *s->held);
    if (!s->up || !s->outside || !s->gone || !s->held) return cd_safety_end(s), NULL;
    for (int b = 0; b < g->nbody; ++b) s->up[b] = b;
    return s;
}

void cd_safety_end(cd_flat_safety* s)
{
    if (!s) return;
    free(s->up), free(s->outside), free(s->gone), free(s->held);
    free(s);
}

// Ends that c and the parts it touches reach outside. Returns false where no body of c is gone.
static bool ends_of(const cd_flat_safety* s, int c, ends* e)
{
    const cd_flat_graph* g     = s->g;
    bool                 leans = false;
    *e                         = (ends){0};
    if (g->grounded[c]) reach(e, g->nbody);
    for (int i = g->first[c]; i < g->first[c + 1]; ++i) {
        if (s->gone[g->body[i]])
            reach_all(e, &s->outside[part_of(s, g->body[i])]);
        else
            reach(e, g->body[i]);
        leans |= s->gone[g->body[i]];
    }
    return leans;
}

bool cd_safety_allows(const cd_flat_safety* s, int c)
{
    const cd_flat_graph* g = s->g;
    ends                 e;
    if (g->nrow[c] == 0 || g->first[c] == g->first[c + 1]) return true; // it has no pivots, or acts on nothing
    if (!ends_of(s, c, &e)) return false;
    if (e.n <= 1) return true;
    for (int i = g->first[c]; i < g->first[c + 1]; ++i)
        if (s->gone[g->body[i]] && !s->held[g->body[i]]) return true;
    return false;
}

// The parts of the bodies of c that are gone become one, which reaches e.
static void join(cd_flat_safety* s, int c, const ends* e)
{
    const cd_flat_graph* g    = s->g;
    int                  part = -1;
    for (int i = g->first[c]; i < g->first[c + 1]; ++i) {
        if (!s->gone[g->body[i]]) continue;
        const int other     = part_of(s, g->body[i]);
        s->held[g->body[i]] = true;
        if (part >= 0)
            s->up[other] = part;
        else
            part = other;
    }
    if (part >= 0) s->outside[part] = *e;
}

void cd_safety_eliminate(cd_flat_safety* s, int block)
{
    const cd_flat_graph* g = s->g;
    ends                 e;
    s->gone[block] = true;
    if (block >= g->nbody) {
        ends_of(s, block - g->nbody, &e);
        join(s, block - g->nbody, &e);
        return;
    }
    for (int i = g->start[block]; i < g->start[block + 1]; ++i) {
        const int c = g->list[i];
        if (!s->gone[g->nbody + c]) continue;
        ends_of(s, c, &e);
        join(s, c, &e);
    }
    ends* own = &s->outside[part_of(s, block)];
    for (int i = 0; i < own->n && i < MOST_ENDS; ++i)
        if (own->end[i] == block) {
            own->end[i] = own->end[own->n <= MOST_ENDS ? own->n - 1 : i];
            own->n -= own->n <= MOST_ENDS;
            break;
        }
}

int cd_order_check(const cd_flat_graph* g, const int* order)
{
    cd_flat_safety* s     = cd_safety_begin(g);
    int             early = s ? CD_ORDER_SAFE : CD_ORDER_NO_MEMORY;
    for (int k = 0; early == CD_ORDER_SAFE && k < g->nbody + g->nconstraint; ++k) {
        const int block = order[k];
        if (s->gone[block] || (block >= g->nbody && !cd_safety_allows(s, block - g->nbody)))
            early = block;
        else
            cd_safety_eliminate(s, block);
    }
    cd_safety_end(s);
    return early;
}
