// SPDX-License-Identifier: BSD-3-Clause
// Loops as the user wrote them: joints are taken in the order of the description (welds first); a joint whose bodies
// are connected already closes a loop, which runs back the shortest way over the joints before it. Every loop so has a
// joint that no earlier one has, so they are independent, and no tree is needed to find them.
#include "doctor/doctor.h"

#include "core/sets.h"

#include <stdlib.h>
#include <string.h>

// Bodies and joints as a graph; node 0 is ground.
typedef struct graph {
    const cardan_view* view;
    int *              head, *next;         // (nbody + 1), (2 njoint) joint ends at each node, in order of the sequence
    int*               position;            // (njoint) in the sequence
    int*               group;               // (nbody + 1) union-find
    int *              via, *stamp, *queue; // (nbody + 1) breadth-first search
    cd_arena           arena;
} graph;

static void layout(graph* g)
{
    const int nbody = g->view->nbody, njoint = g->view->njoint;
    CD_TAKE(&g->arena, g->head, nbody + 1);
    CD_TAKE(&g->arena, g->next, 2 * njoint);
    CD_TAKE(&g->arena, g->position, njoint);
    CD_TAKE(&g->arena, g->group, nbody + 1);
    CD_TAKE(&g->arena, g->via, nbody + 1);
    CD_TAKE(&g->arena, g->stamp, nbody + 1);
    CD_TAKE(&g->arena, g->queue, nbody + 1);
}

static int node_of(const graph* g, int end)
{
    const cardan_joint* joint = &g->view->joint[end / 2];
    return 1 + (end % 2 ? joint->second : joint->first);
}

static void order_joints(const cardan_model* m, graph* g, int* sequence)
{
    int count = 0;
    for (int pass = 0; pass < 2; ++pass)
        for (int j = 0; j < g->view->njoint; ++j)
            if ((m->joint[j].nstep == 0) == (pass == 0)) {
                g->position[j]    = count;
                sequence[count++] = j;
            }
    for (int i = 0; i <= g->view->nbody; ++i) {
        g->head[i]  = -1;
        g->group[i] = i;
        g->stamp[i] = -1;
    }
    for (int i = count - 1; i >= 0; --i)
        for (int e = 1; e >= 0; --e) {
            const int end = 2 * sequence[i] + e, node = node_of(g, end);
            g->next[end]  = g->head[node];
            g->head[node] = end;
        }
}

// Breadth first from `from` over joints before `position` until `to` is found; via[] then leads back.
static void search(graph* g, int from, int to, int position)
{
    int head = 0, tail = 0;
    g->queue[tail++] = from;
    g->stamp[from]   = position;
    while (head < tail && g->stamp[to] != position) {
        const int node = g->queue[head++];
        for (int end = g->head[node]; end >= 0; end = g->next[end]) {
            if (g->position[end / 2] >= position) break; // they stand in order
            const int other = node_of(g, end ^ 1);
            if (g->stamp[other] == position) continue;
            g->stamp[other]  = position;
            g->via[other]    = end; // the end at the node it was reached from
            g->queue[tail++] = other;
        }
    }
}

// Turn the loop so that it starts at ground (or where it is closed) and meets the earlier of its two joints there
// first. False without memory.
static bool turn_loop(const graph* g, cd_loop* loop)
{
    const int n     = loop->njoint;
    int       start = 0;
    for (int i = 0; i < n; ++i)
        if (loop->body[i] == CARDAN_GROUND) start = i;
    int* copy = malloc(2 * (size_t)n * sizeof *copy);
    if (!copy) return false;
    memcpy(copy, loop->joint, (size_t)n * sizeof *copy);
    memcpy(copy + n, loop->body, (size_t)n * sizeof *copy);
    const bool back = g->position[copy[(start + n - 1) % n]] < g->position[copy[start]];
    for (int i = 0; i < n; ++i) {
        loop->joint[i] = copy[back ? (start + 2 * n - 1 - i) % n : (start + i) % n];
        loop->body[i]  = copy[n + (back ? (start + 2 * n - i) % n : (start + i) % n)];
    }
    free(copy);
    return true;
}

static bool trace(graph* g, int j, cd_loop* loop)
{
    const int from = node_of(g, 2 * j + 1), to = node_of(g, 2 * j);
    *loop = (cd_loop){.closed_at = j, .position = g->position[j], .njoint = 1};
    search(g, from, to, g->position[j]);
    for (int node = to; node != from; node = node_of(g, g->via[node])) ++loop->njoint;
    loop->joint = malloc((size_t)loop->njoint * sizeof(int));
    loop->body  = malloc((size_t)loop->njoint * sizeof(int));
    if (!loop->joint || !loop->body) return false;
    // from `to`, the first body of j, back to the second, then over j
    int node = to;
    for (int i = 0; i < loop->njoint - 1; ++i) {
        loop->body[i]  = node - 1;
        loop->joint[i] = g->via[node] / 2;
        node           = node_of(g, g->via[node]);
    }
    loop->body[loop->njoint - 1]  = from - 1;
    loop->joint[loop->njoint - 1] = j;
    return turn_loop(g, loop);
}

static const char* body_name(const cardan_view* view, int body)
{
    return body == CARDAN_GROUND ? "ground" : view->body[body].name;
}

static void write_path(const cardan_model* m, cd_loop* loop)
{
    enum { LONG = 14, KEPT = 5 };
    for (int i = 0; i < loop->njoint; ++i) {
        if (loop->njoint > LONG && i == KEPT) {
            i = loop->njoint - KEPT;
            cd_text_format(&loop->path, "%s ... ", body_name(&m->view, loop->body[KEPT]));
        }
        cd_text_format(&loop->path, "%s -%s- ", body_name(&m->view, loop->body[i]), m->joint[loop->joint[i]].name);
    }
    cd_text_add(&loop->path, body_name(&m->view, loop->body[0]));
}

cardan_status cd_loops_find(const cardan_data* d, cd_loops* loops, cardan_report* report)
{
    const cardan_model* m = d->m;
    graph               g = {.view = &m->view};
    *loops                = (cd_loops){0};
    layout(&g);
    loops->sequence = cd_allocate((size_t)m->view.njoint + 1, sizeof *loops->sequence);
    loops->loop     = cd_allocate(CD_LOOPS_MOST, sizeof *loops->loop);
    loops->tie      = cd_allocate((size_t)(d->closure.nconstraint - m->ncut) + 1, sizeof *loops->tie);
    bool good       = cd_arena_reserve(&g.arena) && loops->sequence && loops->loop && loops->tie;
    if (good) {
        layout(&g);
        order_joints(m, &g, loops->sequence);
    }
    for (int i = 0; good && i < m->view.njoint; ++i) {
        const int j = loops->sequence[i], a = cd_root_of(g.group, node_of(&g, 2 * j)),
                  b = cd_root_of(g.group, node_of(&g, 2 * j + 1));
        g.group[a]  = b;
        if (a != b) continue;
        ++loops->count;
        loops->rows += 6 - m->slot[j].nv;
        if (loops->nloop == CD_LOOPS_MOST) continue;
        cd_loop* loop = &loops->loop[loops->nloop++];
        good          = trace(&g, j, loop);
        if (!good) break;
        loop->rows = 6 - m->slot[j].nv;
        write_path(m, loop);
        good = !loop->path.failed;
    }
    cd_arena_release(&g.arena);
    return good ? CARDAN_OK
                : cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_nowhere(),
                              "no memory for the loops of '%s'", m->view.name);
}

void cd_loops_free(cd_loops* loops)
{
    for (int i = 0; i < loops->nloop; ++i) {
        cd_loop* loop = &loops->loop[i];
        free(loop->joint);
        free(loop->body);
        cd_text_free(&loop->path);
        cd_text_free(&loop->reason);
        cd_text_free(&loop->loose);
        cd_text_free(&loop->repair);
    }
    cd_text_free(&loops->loose);
    free(loops->loop);
    free(loops->sequence);
    free(loops->tie);
    *loops = (cd_loops){0};
}
