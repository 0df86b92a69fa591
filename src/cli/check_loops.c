// SPDX-License-Identifier: BSD-3-Clause
// Loops in words: from the common ancestor of the two bodies of a cut joint down to one, over the joint, and back.
#include "cli/check.h"

#include "core/memory.h"

#include <stdlib.h>

// Name of what moves with a link: the first body on it.
static const char* link_name(const cardan_model* m, int link)
{
    if (link < 0) return "ground";
    for (int i = 0; i < m->nbody; ++i)
        if (m->body[i].link == link) return m->view.body[i].name;
    return "?";
}

// Links on the way from `link` to ground, one per joint; returns how many.
static int climb(const cardan_model* m, int link, int* way)
{
    int n = 0;
    while (link >= 0) {
        const cd_joint_info* joint = &m->joint[m->link[link].joint];
        way[n++]                   = link;
        link                       = m->link[joint->first_link].parent;
    }
    return n;
}

void cd_loop_text(const cardan_model* m, int joint, cd_text* text)
{
    const cardan_joint* j   = &m->view.joint[joint];
    int*                way = cd_allocate(2 * (size_t)m->nlink + 2, sizeof *way);
    if (!way) {
        text->failed = true;
        return;
    }
    int* back = way + m->nlink + 1;
    int  down = climb(m, j->first < 0 ? -1 : m->body[j->first].link, way);
    int  up   = climb(m, j->second < 0 ? -1 : m->body[j->second].link, back);
    int  top  = -1;
    while (down > 0 && up > 0 && way[down - 1] == back[up - 1]) top = way[--down], --up;
    cd_text_add(text, link_name(m, top));
    for (int i = down - 1; i >= 0; --i)
        cd_text_format(text, " -%s- %s", m->joint[m->link[way[i]].joint].name, link_name(m, way[i]));
    cd_text_format(text, " -%s-", j->name);
    for (int i = 0; i < up; ++i)
        cd_text_format(text, " %s -%s-", link_name(m, back[i]), m->joint[m->link[back[i]].joint].name);
    cd_text_format(text, " %s", link_name(m, top));
    free(way);
}
