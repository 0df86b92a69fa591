// SPDX-License-Identifier: BSD-3-Clause
// Breadth-first search from ground over the joints that are not cut; they form a tree of all bodies.
#include "dynamics/body_tree.h"

// A free joint that was added carries the first body of its group.
static void find_ends(const cardan_model* m, cd_body_tree* tree)
{
    for (int i = 0; i < m->nlink; ++i) tree->on_link[i] = CARDAN_NONE;
    for (int i = m->nbody - 1; i >= 0; --i)
        if (m->body[i].link >= 0) tree->on_link[m->body[i].link] = i;
    for (int j = 0; j < m->njoint; ++j) {
        const bool described = j < m->view.njoint;
        tree->first[j]       = described ? m->view.joint[j].first : CARDAN_GROUND;
        tree->second[j] =
            described ? m->view.joint[j].second : tree->on_link[m->joint[j].first_link + m->joint[j].nlink - 1];
    }
}

// Lists of joint ends: end 2j is the first body of joint j, end 2j + 1 the second.
static void collect_ends(const cardan_model* m, cd_body_tree* tree)
{
    for (int i = 0; i <= m->nbody; ++i) tree->head[i] = -1;
    for (int j = m->njoint - 1; j >= 0; --j) {
        if (m->joint[j].cut) continue;
        const int body[2] = {tree->first[j], tree->second[j]};
        for (int e = 1; e >= 0; --e) {
            tree->next[2 * j + e]   = tree->head[body[e] + 1];
            tree->head[body[e] + 1] = 2 * j + e;
        }
    }
}

void cd_body_tree_layout(const cardan_model* m, cd_arena* arena, cd_body_tree* tree)
{
    CD_TAKE(arena, tree->first, m->njoint);
    CD_TAKE(arena, tree->second, m->njoint);
    CD_TAKE(arena, tree->on_link, m->nlink);
    CD_TAKE(arena, tree->parent, m->nbody);
    CD_TAKE(arena, tree->joint, m->nbody);
    CD_TAKE(arena, tree->order, m->nbody);
    CD_TAKE(arena, tree->head, m->nbody + 1);
    CD_TAKE(arena, tree->next, 2 * m->njoint);
    if (!tree->parent) return;

    find_ends(m, tree);
    collect_ends(m, tree);
    for (int i = 0; i < m->nbody; ++i) tree->joint[i] = CARDAN_NONE;
    int tail = 0;
    for (int at = -1; at < tail; ++at) {
        const int body = at < 0 ? CARDAN_GROUND : tree->order[at];
        for (int end = tree->head[body + 1]; end >= 0; end = tree->next[end]) {
            const int j = end / 2, other = end % 2 ? tree->first[j] : tree->second[j];
            if (other == CARDAN_GROUND || tree->joint[other] != CARDAN_NONE) continue;
            tree->parent[other] = body;
            tree->joint[other]  = j;
            tree->order[tail++] = other;
        }
    }
}
