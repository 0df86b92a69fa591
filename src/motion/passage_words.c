// SPDX-License-Identifier: BSD-3-Clause
// Which loop a row belongs to: the shortest way along joints between the two bodies of its constraint, breadth first, and the
// constraint itself.
#include "motion/passage.h"

#include "dynamics/data.h"
#include "model/model.h"

#include <stdio.h>
#include <string.h>

enum { NAMES = 6 }; // of a loop told one by one

static const cd_constraint* constraint_of(const cardan_data* d, int row)
{
    for (int i = 0; i < d->closure.nconstraint; ++i) {
        const cd_constraint* c = &d->closure.constraint[i];
        if (row >= c->first_row && row < c->first_row + c->nrow) return c;
    }
    return NULL;
}

// Joints from body `to` back to body `from`, without joint `skip`; how many, or -1 where there is no way. Ground is body nbody.
static int find_way(const cd_passage* p, const cardan_view* view, int from, int to, int skip)
{
    const int n    = view->nbody;
    int       head = 0, tail = 0, count = 0;
    for (int b = 0; b <= n; ++b) p->via[b] = -1;
    p->queue[tail++] = from;
    p->via[from]     = view->njoint;
    while (head < tail && p->via[to] < 0) {
        const int b = p->queue[head++];
        for (int j = 0; j < view->njoint; ++j) {
            const int one = view->joint[j].first == CARDAN_GROUND ? n : view->joint[j].first;
            const int two = view->joint[j].second == CARDAN_GROUND ? n : view->joint[j].second;
            const int other = one == b ? two : two == b ? one : -1;
            if (j == skip || other < 0 || p->via[other] >= 0) continue;
            p->via[other]    = j;
            p->queue[tail++] = other;
        }
    }
    if (p->via[to] < 0) return -1;
    for (int b = to; b != from; ++count) {
        const cardan_joint* j     = &view->joint[p->via[b]];
        const int           first = j->first == CARDAN_GROUND ? n : j->first, second = j->second == CARDAN_GROUND ? n : j->second;
        p->queue[count] = p->via[b];
        b               = first == b ? second : first;
    }
    return count;
}

// "the loop of a0, b0, c1 and a1"
void cd_passage_name(const cd_passage* p, const cd_system* system, int row, char* text, size_t size)
{
    const cardan_data*   d    = system->data;
    const cardan_view*   view = &system->said;
    const cd_constraint* c    = row < 0 ? NULL : constraint_of(d, row);
    snprintf(text, size, "the loops of '%s'", d->m->view.name);
    if (!c) return;
    const int from = c->body[0] < 0 ? view->nbody : c->body[0], to = c->body[1] < 0 ? view->nbody : c->body[1];
    const int n = from == to ? -1 : find_way(p, view, from, to, c->joint);
    if (c->joint == CARDAN_NONE || n < 1 || n > NAMES) {
        snprintf(text, size, "%s '%s' and its loop", c->what, c->name);
        return;
    }
    int used = snprintf(text, size, "the loop of %s", c->name);
    for (int i = 0; i < n && used > 0 && (size_t)used < size; ++i)
        used += snprintf(text + used, size - (size_t)used, "%s%s", i == n - 1 ? " and " : ", ", view->joint[p->queue[i]].name);
}
