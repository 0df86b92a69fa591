// SPDX-License-Identifier: BSD-3-Clause
// Breadth-first search over the described joints that are not cut, from ground and then from the first body of every
// part that does not reach it. These joints have no loops.
#include "dynamics/body_tree.h"

// Lists of joint ends: end 2j is the first body of joint j, end 2j + 1 the second.
static void collect_ends(const cardan_model* m, cd_body_tree* tree)
{
    for (int i = 0; i <= m->nbody; ++i) tree->head[i] = -1;
    for (int j = m->view.njoint - 1; j >= 0; --j) {
        if (m->joint[j].cut) continue;
        const int body[2] = {m->view.joint[j].first, m->view.joint[j].second};
        for (int e = 1; e >= 0; --e) {
            tree->next[2 * j + e]   = tree->head[body[e] + 1];
            tree->head[body[e] + 1] = 2 * j + e;
        }
    }
}

// Everything that hangs on `root`; order[] is the queue, filled up to `tail`.
static int grow(const cardan_model* m, cd_body_tree* tree, int root, int tail)
{
    int body = root, at = tail;
    for (;;) {
        for (int end = tree->head[body + 1]; end >= 0; end = tree->next[end]) {
            const int j = end / 2, other = end % 2 ? m->view.joint[j].first : m->view.joint[j].second;
            if (other == CARDAN_GROUND || tree->reached[other]) continue;
            tree->reached[other] = true;
            tree->parent[other]  = body;
            tree->joint[other]   = j;
            tree->order[tail++]  = other;
        }
        if (at == tail) return tail;
        body = tree->order[at++];
    }
}

void cd_body_tree_layout(const cardan_model* m, cd_arena* arena, cd_body_tree* tree)
{
    CD_TAKE(arena, tree->on_link, m->nlink);
    CD_TAKE(arena, tree->parent, m->nbody);
    CD_TAKE(arena, tree->joint, m->nbody);
    CD_TAKE(arena, tree->order, m->nbody);
    CD_TAKE(arena, tree->reached, m->nbody);
    CD_TAKE(arena, tree->head, m->nbody + 1);
    CD_TAKE(arena, tree->next, 2 * m->view.njoint);
    if (!tree->parent) return;

    for (int i = 0; i < m->nlink; ++i) tree->on_link[i] = CARDAN_NONE;
    for (int i = m->nbody - 1; i >= 0; --i)
        if (m->body[i].link >= 0) tree->on_link[m->body[i].link] = i;
    collect_ends(m, tree);
    int tail = grow(m, tree, CARDAN_GROUND, 0);
    for (int i = 0; i < m->nbody; ++i) {
        if (tree->reached[i]) continue;
        tree->reached[i]    = true;
        tree->parent[i]     = CARDAN_GROUND;
        tree->joint[i]      = CARDAN_NONE;
        tree->order[tail++] = i;
        tail                = grow(m, tree, i, tail);
    }
}
