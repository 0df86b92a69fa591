// SPDX-License-Identifier: BSD-3-Clause
// Colours of bodies: one per body if there are few; else one per branch, with alternating lightness of its bodies. A
// branch is a chain of bodies between two branchings of the spanning tree.
#include "draw/picture.h"

#include "core/memory.h"

#include <stdlib.h>

enum { UNSEEN = -2, NO_EDGE = -1 };

// Breadth-first search over the joints, from ground and from every body that is not connected to it.
typedef struct body_search {
    const cardan_description_view* view;
    int *                          parent, *children, *order; // (nbody)
    int *head, *next; // edges of a body: head[body + 1], next[edge]; joint k has edges 2k, 2k + 1
    int  count;
} body_search;

static int other_end(const body_search* s, int edge)
{
    const cardan_joint* j = &s->view->joint[edge / 2];
    return edge % 2 ? j->first_body : j->second_body;
}

static void visit(body_search* s, int body, int parent)
{
    s->parent[body]      = parent;
    s->order[s->count++] = body;
    if (parent >= 0) ++s->children[parent];
}

static void visit_neighbours(body_search* s, int body)
{
    for (int edge = s->head[body + 1]; edge != NO_EDGE; edge = s->next[edge]) {
        const int b = other_end(s, edge);
        if (b >= 0 && s->parent[b] == UNSEEN) visit(s, b, body);
    }
}

static void grow_tree(body_search* s)
{
    const cardan_description_view* v = s->view;
    for (int i = 0; i < v->nbody; ++i) s->parent[i] = UNSEEN;
    for (int i = 0; i <= v->nbody; ++i) s->head[i] = NO_EDGE;
    for (int edge = 2 * v->njoint; edge-- > 0;) { // backwards, so that the lists have the order of the joints
        const int body    = edge % 2 ? v->joint[edge / 2].second_body : v->joint[edge / 2].first_body;
        s->next[edge]     = s->head[body + 1];
        s->head[body + 1] = edge;
    }
    visit_neighbours(s, CARDAN_GROUND);
    int done = 0;
    for (int root = 0; root < v->nbody; ++root) {
        while (done < s->count) visit_neighbours(s, s->order[done++]);
        if (s->parent[root] == UNSEEN) visit(s, root, CARDAN_GROUND);
    }
}

static void colour_branches(const body_search* s, int* branch, int* position, cd_colour* colour)
{
    int nbranch = 0;
    for (int i = 0; i < s->view->nbody; ++i) {
        const int  b = s->order[i], a = s->parent[b];
        const bool continues = a >= 0 && s->children[a] == 1;
        branch[b]            = continues ? branch[a] : nbranch++;
        position[b]          = continues ? position[a] + 1 : 0;
        colour[b] = cd_colour_mix(cd_palette_colour(branch[b]), CD_COLOUR_BACKGROUND, position[b] % 2 ? 0.3 : 0);
    }
}

bool cd_body_colours(const cardan_description_view* view, cd_colour* colour)
{
    const size_t n = (size_t)view->nbody;
    if (n <= CD_PALETTE_SIZE) {
        for (int i = 0; i < view->nbody; ++i) colour[i] = cd_palette_colour(i);
        return true;
    }
    int* memory = cd_allocate(6 * n + 1 + 2 * (size_t)view->njoint, sizeof *memory);
    if (!memory) return false;
    body_search s = {.view = view, .parent = memory, .children = memory + n, .order = memory + 2 * n};
    s.head        = memory + 5 * n;
    s.next        = memory + 6 * n + 1;
    grow_tree(&s);
    colour_branches(&s, memory + 3 * n, memory + 4 * n, colour);
    free(memory);
    return true;
}
