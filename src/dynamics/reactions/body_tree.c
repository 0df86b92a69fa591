// SPDX-License-Identifier: BSD-3-Clause
// Breadth-first search over the described joints that are not cut, from ground and then from the first body of every
// component that is not connected with ground. These joints form no loops.
#include "dynamics/reactions/body_tree.h"

// Lists of joint ends: end 2j is the first body of joint j, end 2j + 1 the second.
static void collect_ends(const cardan_model* m, cd_body_tree* tree)
{
    for (int i = 0; i <= m->nbody; ++i) tree->first_end[i] = -1;
    for (int j = m->view.njoint - 1; j >= 0; --j) {
        if (m->joint[j].is_cut) continue;
        const int body[2] = {m->view.joint[j].first_body, m->view.joint[j].second_body};
        for (int e = 1; e >= 0; --e) {
            tree->next_end[2 * j + e]    = tree->first_end[body[e] + 1];
            tree->first_end[body[e] + 1] = 2 * j + e;
        }
    }
}

// Visit all bodies connected with `root`; order[] is the queue, filled up to queue_tail. Returns the new tail.
static int visit_component(const cardan_model* m, cd_body_tree* tree, int root, int queue_tail)
{
    int body = root, queue_head = queue_tail;
    for (;;) {
        for (int end = tree->first_end[body + 1]; end >= 0; end = tree->next_end[end]) {
            const int j = end / 2, other = end % 2 ? m->view.joint[j].first_body : m->view.joint[j].second_body;
            if (other == CARDAN_GROUND || tree->visited[other]) continue;
            tree->visited[other]      = true;
            tree->parent[other]       = body;
            tree->joint[other]        = j;
            tree->order[queue_tail++] = other;
        }
        if (queue_head == queue_tail) return queue_tail;
        body = tree->order[queue_head++];
    }
}

void cd_body_tree_layout(const cardan_model* m, cd_arena* arena, cd_body_tree* tree)
{
    CD_ARENA_ARRAY(arena, tree->body_of_link, m->nlink);
    CD_ARENA_ARRAY(arena, tree->parent, m->nbody);
    CD_ARENA_ARRAY(arena, tree->joint, m->nbody);
    CD_ARENA_ARRAY(arena, tree->order, m->nbody);
    CD_ARENA_ARRAY(arena, tree->visited, m->nbody);
    CD_ARENA_ARRAY(arena, tree->first_end, m->nbody + 1);
    CD_ARENA_ARRAY(arena, tree->next_end, 2 * m->view.njoint);
    if (!tree->parent) return;

    for (int i = 0; i < m->nlink; ++i) tree->body_of_link[i] = CARDAN_NONE;
    for (int i = m->nbody - 1; i >= 0; --i)
        if (m->body[i].link >= 0) tree->body_of_link[m->body[i].link] = i;
    collect_ends(m, tree);
    int tail = visit_component(m, tree, CARDAN_GROUND, 0);
    for (int i = 0; i < m->nbody; ++i) {
        if (tree->visited[i]) continue;
        tree->visited[i]    = true;
        tree->parent[i]     = CARDAN_GROUND;
        tree->joint[i]      = CARDAN_NONE;
        tree->order[tail++] = i;
        tail                = visit_component(m, tree, i, tail);
    }
}
