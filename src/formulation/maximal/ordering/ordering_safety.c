// SPDX-License-Identifier: BSD-3-Clause
// Components of eliminated bodies that eliminated constraints connect, as disjoint sets, each with its ends outside.
#include "formulation/maximal/ordering/ordering_safety.h"

#include <stdlib.h>

enum { MAX_ENDS = 8 };

// Ends of a component outside; more than MAX_ENDS count as many, which no later elimination makes safe.
typedef struct end_set {
    int n, end[MAX_ENDS];
} end_set;

struct cd_order_safety {
    const cd_kkt_graph* g;
    int*                union_parent;     // (nbody) towards the representative body of its component
    end_set*            outside_ends_of;  // (nbody) of the component, stored at its representative
    bool *is_eliminated, *is_constrained; // (nbody + nconstraint) eliminated; (nbody) by some eliminated constraint
};

static int find_component(const cd_order_safety* s, int b)
{
    while (s->union_parent[b] != b) b = s->union_parent[b] = s->union_parent[s->union_parent[b]];
    return b;
}

static void add_end(end_set* e, int end)
{
    for (int i = 0; i < e->n && i < MAX_ENDS; ++i)
        if (e->end[i] == end) return;
    if (e->n < MAX_ENDS) e->end[e->n] = end;
    if (e->n <= MAX_ENDS) ++e->n;
}

static void add_ends(end_set* e, const end_set* more)
{
    for (int i = 0; i < more->n && i < MAX_ENDS; ++i) add_end(e, more->end[i]);
    if (more->n > MAX_ENDS) e->n = MAX_ENDS + 1;
}

cd_order_safety* cd_order_safety_create(const cd_kkt_graph* g)
{
    cd_order_safety* s = cd_allocate(1, sizeof *s);
    if (!s) return NULL;
    s->g               = g;
    s->union_parent    = cd_allocate((size_t)g->nbody, sizeof *s->union_parent);
    s->outside_ends_of = cd_allocate((size_t)g->nbody, sizeof *s->outside_ends_of);
    s->is_eliminated   = cd_allocate((size_t)(g->nbody + g->nconstraint), sizeof *s->is_eliminated);
    s->is_constrained  = cd_allocate((size_t)g->nbody, sizeof *s->is_constrained);
    if (!s->union_parent || !s->outside_ends_of || !s->is_eliminated || !s->is_constrained)
        return cd_order_safety_destroy(s), NULL;
    for (int b = 0; b < g->nbody; ++b) s->union_parent[b] = b;
    return s;
}

void cd_order_safety_destroy(cd_order_safety* s)
{
    if (!s) return;
    free(s->union_parent), free(s->outside_ends_of), free(s->is_eliminated), free(s->is_constrained);
    free(s);
}

// Find the ends outside of c and of the components it acts on. Returns false if no body of c is eliminated.
static bool outside_ends(const cd_order_safety* s, int c, end_set* e)
{
    const cd_kkt_graph* g                   = s->g;
    bool                has_eliminated_body = false;
    *e                                      = (end_set){0};
    if (g->grounded[c]) add_end(e, g->nbody);
    for (int i = g->body_start[c]; i < g->body_start[c + 1]; ++i) {
        if (s->is_eliminated[g->body[i]])
            add_ends(e, &s->outside_ends_of[find_component(s, g->body[i])]);
        else
            add_end(e, g->body[i]);
        has_eliminated_body |= s->is_eliminated[g->body[i]];
    }
    return has_eliminated_body;
}

bool cd_order_safety_allows(const cd_order_safety* s, int c)
{
    const cd_kkt_graph* g = s->g;
    end_set             e;
    if (g->nrow[c] == 0 || g->body_start[c] == g->body_start[c + 1])
        return true; // it has no pivots, or acts on no body
    if (!outside_ends(s, c, &e)) return false;
    if (e.n <= 1) return true;
    for (int i = g->body_start[c]; i < g->body_start[c + 1]; ++i)
        if (s->is_eliminated[g->body[i]] && !s->is_constrained[g->body[i]]) return true;
    return false;
}

// Merge the components of the eliminated bodies of c into one with the outside ends e.
static void merge_components(cd_order_safety* s, int c, const end_set* e)
{
    const cd_kkt_graph* g         = s->g;
    int                 component = -1;
    for (int i = g->body_start[c]; i < g->body_start[c + 1]; ++i) {
        if (!s->is_eliminated[g->body[i]]) continue;
        const int other               = find_component(s, g->body[i]);
        s->is_constrained[g->body[i]] = true;
        if (component >= 0)
            s->union_parent[other] = component;
        else
            component = other;
    }
    if (component >= 0) s->outside_ends_of[component] = *e;
}

void cd_order_safety_eliminate(cd_order_safety* s, int block)
{
    const cd_kkt_graph* g = s->g;
    end_set             e;
    s->is_eliminated[block] = true;
    if (block >= g->nbody) {
        outside_ends(s, block - g->nbody, &e);
        merge_components(s, block - g->nbody, &e);
        return;
    }
    for (int i = g->constraint_start[block]; i < g->constraint_start[block + 1]; ++i) {
        const int c = g->constraint[i];
        if (!s->is_eliminated[g->nbody + c]) continue;
        outside_ends(s, c, &e);
        merge_components(s, c, &e);
    }
    end_set* own = &s->outside_ends_of[find_component(s, block)];
    for (int i = 0; i < own->n && i < MAX_ENDS; ++i)
        if (own->end[i] == block) {
            own->end[i] = own->end[own->n <= MAX_ENDS ? own->n - 1 : i];
            own->n -= own->n <= MAX_ENDS;
            break;
        }
}

int cd_order_safety_check(const cd_kkt_graph* g, const int* order)
{
    cd_order_safety* s            = cd_order_safety_create(g);
    int              first_unsafe = s ? CD_ORDER_SAFE : CD_ORDER_SAFETY_NO_MEMORY;
    for (int k = 0; first_unsafe == CD_ORDER_SAFE && k < g->nbody + g->nconstraint; ++k) {
        const int block = order[k];
        if (s->is_eliminated[block] || (block >= g->nbody && !cd_order_safety_allows(s, block - g->nbody)))
            first_unsafe = block;
        else
            cd_order_safety_eliminate(s, block);
    }
    cd_order_safety_destroy(s);
    return first_unsafe;
}
